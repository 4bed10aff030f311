// The states of a search as a graph: who came first, from where, and what follows. Says whether every game ends.
#pragma once

#include "base/hash.h"
#include "verify/chunked.h"
#include "verify/parallel.h"

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace rip::verify {

/// Nodes are numbered in the order in which they are found, the root is 0. A node takes its key, 4 bytes for where it came from
/// and 5 to 7 in the table; with edges 9 more, and 4 for each edge.
class StateGraph {
 public:
  static constexpr std::uint32_t kNone = 0xffffffffu;
  enum class Kind : std::uint8_t { decision, chance, end };

  StateGraph(std::size_t key_bytes, bool keeps_edges) : keys_(key_bytes), keeps_edges_(keeps_edges) {}
  bool keeps_edges() const { return keeps_edges_; }

  /// Of `key_bytes` bytes.
  static std::uint64_t hash(const std::uint8_t* key, std::size_t bytes) { return hash64(std::as_bytes(std::span(key, bytes))); }
  /// Begins to load what find() will read.
  void prefetch(std::uint64_t hash) const {
    if (!table_.empty()) __builtin_prefetch(&table_[slot_of(hash)]);
  }
  /// Likewise, one step further.
  void prefetch_key(std::uint64_t hash) const;
  /// The node with this key, or kNone.
  std::uint32_t find(const std::uint8_t* key, std::uint64_t hash) const;
  /// A node that is not there yet.
  std::uint32_t add(const std::uint8_t* key, std::uint64_t hash, Kind kind, std::uint32_t parent);
  /// Room for so many more nodes, that is made by all threads of the team.
  void make_room(std::size_t more, Team& team) {
    if (is_full_with(size() + more)) fill_table(next_size(more), &team);
  }
  const std::uint8_t* key(std::uint32_t node) const { return keys_[node]; }
  /// All keys are written anew, `bytes` long.
  void rewrite(std::size_t bytes, const std::function<void(const std::uint8_t* from, std::uint8_t* to)>& write);
  /// The edges of the nodes are given in the order of the nodes: all of one, then close().
  void edge(std::uint32_t to) { edges_.push_back(to); }
  /// As edge(), with a weight: of all edges of a graph, or of none.
  void edge(std::uint32_t to, std::uint8_t weight) {
    edges_.push_back(to);
    weights_.push_back(weight);
  }
  void close() { ends_.push_back(edges_.size()); }

  std::size_t size() const { return keys_.size(); }
  std::uint64_t bytes() const;
  /// What the table will take beside itself if so many more nodes come.
  std::uint64_t growth(std::size_t more) const { return is_full_with(size() + more) ? (next_size(more) - table_.size()) * sizeof(std::uint32_t) : 0; }
  /// After the memory has run out within add(): all that was there can be found again.
  void mend() {
    if (table_.size() <= size()) fill_table(size() / 4 * 5 + 1024);
  }
  /// The nodes on the way from the root to this one, both among them.
  std::vector<std::uint32_t> path_to(std::uint32_t node) const;

  // ---- of the whole graph, with its edges: every node is closed ----
  /// The decisions on the longest path from the root; nothing is on a circle, else kEndless.
  static constexpr std::uint64_t kEndless = ~std::uint64_t{0};
  std::uint64_t longest() const;
  /// The greatest sum of weights on a path from the root; kEndless as above.
  std::uint64_t heaviest() const;
  /// From every node a path leads to an end.
  bool can_always_end() const;
  /// The shortest circle through the earliest node that lies on one: that node, and the nodes behind it back to it.
  std::pair<std::uint32_t, std::vector<std::uint32_t>> circle() const;

 private:
  std::size_t first_edge(std::uint32_t node) const { return node == 0 ? 0 : ends_[node - 1]; }
  template <class Weight>
  std::uint64_t most(Weight&& weight) const;
  std::size_t slot_of(std::uint64_t hash) const { return static_cast<std::size_t>(static_cast<unsigned __int128>(hash) * table_.size() >> 64); }
  std::uint32_t entry(std::uint32_t node, std::uint64_t hash) const { return (node + 1) | (static_cast<std::uint32_t>(hash) & tags_); }
  bool is_full_with(std::size_t nodes) const { return 5 * nodes > 4 * table_.size(); }
  std::size_t next_size(std::size_t more) const;
  void put(std::uint32_t node, std::uint64_t hash);
  /// While other threads do so.
  void put_beside_others(std::uint32_t node, std::uint64_t hash);
  void fill_table(std::size_t size, Team* team = nullptr);
  Records keys_;
  bool keeps_edges_;
  Chunked<Kind> kinds_;
  Chunked<std::uint32_t> parents_;
  /// Open addressing: node + 1 in the lower bits; the bits that are left hold some of the hash, so that few keys are looked at.
  std::vector<std::uint32_t> table_;
  std::uint32_t tags_ = 0;
  Chunked<std::uint32_t> edges_;
  Chunked<std::uint8_t> weights_;     ///< by edge
  Chunked<std::uint64_t> ends_;       ///< by node: the end of its edges
};

}  // namespace rip::verify
