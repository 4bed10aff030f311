// The states of a search as a graph: who came first, from where, and what follows. Says whether every game ends.
#pragma once

#include "base/hash.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace rip::verify {

/// Nodes are numbered in the order in which they are found, the root is 0. 33 bytes a node and 4 an edge, and the table.
class StateGraph {
 public:
  static constexpr std::uint32_t kNone = 0xffffffffu;
  enum class Kind : std::uint8_t { decision, chance, end };
  struct Origin { std::uint32_t parent = kNone, edge = 0; };

  /// The node with this fingerprint, or kNone.
  std::uint32_t find(Hash128 key) const;
  /// A node that is not there yet.
  std::uint32_t add(Hash128 key, Kind kind, Origin origin);
  /// The edges of the nodes are given in the order of the nodes: all of one, then close().
  void edge(std::uint32_t to) { edges_.push_back(to); }
  /// As edge(), with a weight: of all edges of a graph, or of none.
  void edge(std::uint32_t to, std::uint8_t weight) {
    edges_.push_back(to);
    weights_.push_back(weight);
  }
  void close() { ends_.push_back(edges_.size()); }

  std::size_t size() const { return keys_.size(); }
  std::size_t edge_count() const { return edges_.size(); }
  std::uint64_t bytes() const;
  /// The numbers of the edges from the root to the node.
  std::vector<std::uint32_t> path_to(std::uint32_t node) const;

  // ---- of the whole graph: every node is closed ----
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
  void grow();
  std::vector<Hash128> keys_;
  std::vector<Kind> kinds_;
  std::vector<Origin> origins_;
  std::vector<std::uint32_t> table_;  ///< open addressing: node + 1
  std::vector<std::uint32_t> edges_;
  std::vector<std::uint8_t> weights_;  ///< by edge
  std::vector<std::uint64_t> ends_;   ///< by node: the end of its edges
};

}  // namespace rip::verify
