// What one thread of the search does: it unpacks a node, takes each step from it, and packs what that leads to.
// Flow: keys and records of verify/state_graph -> Worker -> Expanded, which verify/search puts in order.
#pragma once

#include "verify/canonical.h"
#include "verify/claims.h"
#include "verify/examine.h"
#include "verify/frames.h"
#include "verify/packing.h"
#include "verify/search.h"
#include "verify/state_graph.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace rip::verify {

constexpr std::size_t kLine = 64;  // bytes: what one thread writes and another reads shall not share a line of the cache
constexpr std::size_t kMostGroups = 128;  ///< of a block; each is expanded by one thread

/// The counters of loops with `cut off after` whose limit is known before play.
struct Caps {
  std::vector<std::int32_t> offsets;
  std::vector<InUse> used;  ///< of each: elsewhere other rules keep something in its cell
  std::int64_t least = std::numeric_limits<std::int64_t>::max();  ///< of the limits
};
Caps caps_of(const ir::Program& program);
/// Sets the counters to 0 that are in use, so that states which differ by them only are the same. Without `caps`: nothing.
void leave_out(const ir::Program& program, const Caps* caps, State& state);

/// Counts the passes of loops that have a cap, beside what a Watcher does.
class Counting : public Watcher {
 public:
  using Watcher::Watcher;
  void pass_counted(std::int32_t counter) override {
    if (caps != nullptr && std::find(caps->offsets.begin(), caps->offsets.end(), counter) != caps->offsets.end()) ++passes;
  }
  const Caps* caps = nullptr;
  std::uint64_t passes = 0;
};

/// What one edge leads to. Its form, key and what goes beside the key stand in Expanded, under its number.
struct Child {
  std::uint64_t hash = 0;                   ///< of the key
  std::uint32_t known = StateGraph::kNone;  ///< its node, if it was there before this block
  StateGraph::Kind kind = StateGraph::Kind::end;
  std::uint8_t passes = 0;
  bool armed : 1 = false;
  bool packed : 1 = false;                  ///< it has a key, and a record
  bool odd : 1 = false;                     ///< of another size than all: kept as it is
  bool runs : 1 = false;                    ///< nobody else decides at the same time
};
/// Some nodes of the frontier, expanded by one thread: side by side, since another thread will read them.
struct Expanded {
  struct Node {
    std::uint32_t end = 0;  ///< of its edges; they begin where those of the node before end
    bool decides = false;
    bool too_many = false;
  };
  std::vector<Node> nodes;
  std::vector<Child> children;
  std::vector<std::uint8_t> forms, keys, records;
  std::vector<std::vector<std::uint8_t>> odd;
  std::vector<std::pair<std::uint32_t, Failure>> failures;  ///< by edge; the failure shows when it is taken
  std::vector<std::pair<std::size_t, Failure>> stuck;       ///< by node
  std::size_t width = 0;  ///< how often keys had become wider when its keys were made
  unsigned by = 0;        ///< the thread that has it at hand
  /// Begins to load what merge() reads.
  void prefetch() const {
    const auto lines = [](const auto& from) {
      for (std::size_t at = 0; at < from.size() * sizeof from[0]; at += kLine) __builtin_prefetch(reinterpret_cast<const std::uint8_t*>(from.data()) + at);
    };
    lines(nodes);
    lines(children);
    lines(keys);
    lines(records);
  }
  void clear() {
    nodes.clear();
    children.clear();
    forms.clear();
    odd.clear();
    failures.clear();
    stuck.clear();
  }
};

/// How states are kept: exactly, in their packed form, as long as that is short; else as 128-bit fingerprints, and packed only
/// while they wait.
struct Store {
  /// Longer keys are no better than fingerprints.
  static constexpr std::size_t kLongestKey = 24;
  Store(const ir::Program& program, Reductions reductions, const Unread& unread, bool is_exact)
      : packing(program, unread, reductions.no_order, !reductions.knowledge), exact(is_exact) {}
  std::size_t key_bytes() const { return exact ? packing.key_bytes() : sizeof(Hash128); }
  std::size_t record_bytes() const { return packing.beside_bytes() + (exact ? 0 : packing.key_bytes()); }
  Packing packing;
  bool exact;
  std::size_t width = 0;  ///< how often keys became wider
  std::size_t learnt = 0; ///< how often there was something new
};

/// What one thread needs to expand nodes.
class alignas(kLine) Worker {
 public:
  /// `store` is the same while nodes are expanded, whatever is merged meanwhile.
  Worker(const Playable& playable, const StateGraph& graph, const std::optional<Store>& store, Reductions reductions, const Caps* caps)
      : watcher(*playable.program), playable_(playable), graph_(graph), store_(store), machine_(*playable.program), canonical_(*playable.program, reductions) {
    machine_.observer = &watcher;
    watcher.caps = caps;
    for (std::size_t i = 0; i < 2 * kMostGroups; ++i) rooms_.push_back(std::make_unique<Expanded>());
  }
  const Unread& unread() const { return canonical_.unread(); }

  /// The edge to the root.
  void start(Expanded& out);

  /// What this thread expands stands in its own places, which it alone writes to.
  Expanded& room(std::size_t i) { return *rooms_[i]; }

  /// expand() adds to `out` from here on.
  void begin(Expanded& out) const {
    out.clear();
    out.width = store_->width;
  }

  /// Shows the packing what states look like.
  void learn(Packing& packing);

  /// Adds the node with this key and record, and its edges.
  void expand(const std::uint8_t* key, const std::uint8_t* record, Expanded& out);

  void expand(const State& from, bool armed, Expanded& out);

  /// Makes ready for look_up(): keys as wide as they are now, and what will be read of the table begins to load.
  void prepare(Expanded& out);

  /// Which children are there already; what is true of the others is tested, since what happened on the way was watched.
  void look_up(Expanded& out);

  /// The key of the child and its record, once more.
  bool pack(Expanded& out, std::uint32_t edge, const Store& store);

  Counting watcher;

 private:
  std::ptrdiff_t form_at(std::uint32_t edge) const { return static_cast<std::ptrdiff_t>(edge * store_->packing.size()); }

  void begin_edge(const State& from, bool armed);

  /// To the next stop. `runs`: nobody else decides at the same time.
  void go_on(Expanded& out, bool runs);

  const Playable& playable_;
  const StateGraph& graph_;
  const std::optional<Store>& store_;
  Machine machine_;
  Canonical canonical_;
  std::vector<std::unique_ptr<Expanded>> rooms_;
  State base_, state_;
  std::vector<Move> moves_;
  std::vector<Outcome> outcomes_;
};

}  // namespace rip::verify
