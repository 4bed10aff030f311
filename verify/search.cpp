#include "verify/search.h"

#include "base/text.h"
#include "verify/check.h"
#include "verify/examine.h"
#include "verify/state_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <memory>

namespace rip::verify {

namespace {

using Clock = std::chrono::steady_clock;
using Kind = StateGraph::Kind;

/// More options at one decision than this are not followed one by one.
constexpr std::uint64_t kMostOptions = 100'000;
/// Nodes that are expanded in parallel before what they lead to is put in order.
constexpr std::size_t kBlock = 4096;

/// The counters of loops with `cut off after` whose limit is known before play.
struct Caps {
  std::vector<std::int32_t> offsets;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();  ///< of the limits
};
Caps caps_of(const ir::Program& program) {
  Caps caps;
  for (const ir::Instr& instr : program.code) {
    if (instr.op != ir::InstrOp::count_pass || instr.c < 0) continue;
    const ir::ExprNode& limit = program.nodes[static_cast<std::size_t>(instr.b)];
    if (limit.op != ir::NodeOp::constant) continue;
    if (std::find(caps.offsets.begin(), caps.offsets.end(), instr.a) == caps.offsets.end()) caps.offsets.push_back(instr.a);
    caps.least = std::min<std::int64_t>(caps.least, limit.a);
  }
  return caps;
}

void leave_out(const Caps* caps, State& state) {
  if (caps == nullptr) return;
  for (const std::int32_t offset : caps->offsets) std::memset(state.bytes.data() + offset, 0, sizeof(std::int32_t));
}

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

/// What one edge leads to.
struct Child {
  Hash128 key;
  std::uint32_t known = StateGraph::kNone;  ///< its node, if it was there before this block
  Kind kind = Kind::end;
  bool armed = false;
  std::uint8_t passes = 0;
  std::size_t begin = 0, size = 0;          ///< its bytes, in Expanded
};
/// A node of the frontier, expanded.
struct Expanded {
  std::vector<Child> children;
  std::vector<std::uint8_t> bytes;
  std::vector<std::pair<std::uint32_t, Failure>> failures;  ///< by edge; the failure shows when it is taken
  std::optional<Failure> stuck;
  bool too_many = false;
  void clear() {
    children.clear();
    bytes.clear();
    failures.clear();
    stuck.reset();
    too_many = false;
  }
};

/// States of one depth, one behind the other.
struct Frontier {
  struct Entry { std::uint32_t node; bool armed; std::uint32_t size; std::size_t begin; };
  std::vector<Entry> entries;
  std::vector<std::uint8_t> bytes;
  std::uint64_t memory() const { return entries.capacity() * sizeof(Entry) + bytes.capacity(); }
};

/// What one thread needs to expand nodes.
class Worker {
 public:
  Worker(const Playable& playable, const StateGraph& graph, Reductions reductions, const Caps* caps)
      : watcher(*playable.program), playable_(playable), graph_(graph), machine_(*playable.program), canonical_(*playable.program, reductions) {
    machine_.observer = &watcher;
    watcher.caps = caps;
  }

  void start(Expanded& out) {
    out.clear();
    machine_.start(state_);
    watcher.begin_game();
    go_on(out, 0, true);
  }

  void expand(const std::uint8_t* bytes, std::size_t size, bool armed, Expanded& out) {
    out.clear();
    if (size == 0) return;  // an end
    base_.bytes.assign(bytes, bytes + size);
    const Status status = machine_.status(base_);
    if (status == Status::chance) {
      machine_.outcomes(base_, outcomes_);
      for (std::uint32_t i = 0; i < outcomes_.size(); ++i) {
        begin_edge(armed);
        machine_.choose_outcome(state_, i);
        go_on(out, i, true);
      }
      return;
    }
    const int seat = machine_.to_move(base_);
    const std::uint64_t n = machine_.count_moves(base_, seat);
    if (n == 0) {
      out.stuck = failure(machine_.fault(base_));
      return;
    }
    out.too_many = n > kMostOptions;
    if (out.too_many) return;
    machine_.legal_moves(base_, seat, moves_);
    for (std::uint32_t i = 0; i < moves_.size(); ++i) {
      begin_edge(armed);
      machine_.decide(state_, seat, moves_[i]);
      go_on(out, i, machine_.status(state_) != Status::decision);
    }
  }

  Counting watcher;

 private:
  void begin_edge(bool armed) {
    state_ = base_;
    watcher.begin_game();
    watcher.armed = armed;
    watcher.passes = 0;
  }

  /// To the next stop. `runs`: nobody else decides at the same time.
  void go_on(Expanded& out, std::uint32_t edge, bool runs) {
    Status status = machine_.status(state_);
    if (runs) {
      status = machine_.run(state_);
      while (status == Status::checkpoint) {
        watcher.armed = true;
        status = machine_.run(state_);
      }
    }
    leave_out(watcher.caps, state_);
    Child child;
    child.passes = static_cast<std::uint8_t>(std::min<std::uint64_t>(watcher.passes, 255));
    child.kind = status == Status::decision ? Kind::decision : status == Status::chance ? Kind::chance : Kind::end;
    child.armed = watcher.armed;
    child.key = canonical_.key(state_, child.armed);
    child.known = graph_.find(child.key);
    if (status == Status::fault) out.failures.emplace_back(edge, failure(machine_.fault(state_)));
    if (child.known == StateGraph::kNone) {
      // what is true of a state is tested when it is new; what happens on the way to it was watched
      if (runs && status == Status::decision) watcher.test(machine_, state_, false);
      if (runs && status == Status::over) watcher.test(machine_, state_, true);
      if (status != Status::fault) {
        if (auto broken = examine_zones(machine_, state_)) out.failures.emplace_back(edge, std::move(*broken));
      }
      child.begin = out.bytes.size();
      child.size = state_.bytes.size();
      out.bytes.insert(out.bytes.end(), state_.bytes.begin(), state_.bytes.end());
    }
    for (const Violation& violation : watcher.violations) out.failures.emplace_back(edge, failure(*playable_.program, violation));
    out.children.push_back(child);
  }

  const Playable& playable_;
  const StateGraph& graph_;
  Machine machine_;
  Canonical canonical_;
  State base_, state_;
  std::vector<Move> moves_;
  std::vector<Outcome> outcomes_;
};

class Search {
 public:
  /// With `caps` the rules are searched as if nothing was cut off.
  Search(const Playable& playable, const SearchOptions& options, const Caps* caps)
      : playable_(playable), options_(options), caps_(caps), result_(*playable.program), begin_(Clock::now()) {
    for (unsigned i = 0; i < std::max(1u, options.jobs); ++i) workers_.push_back(std::make_unique<Worker>(playable, graph_, options.reductions, caps));
    expanded_.resize(kBlock);
  }

  SearchResult run() {
    workers_[0]->start(expanded_[0]);
    merge(StateGraph::kNone, expanded_[0]);
    while (!next_.entries.empty() && result_.complete()) {
      std::swap(frontier_, next_);
      next_.entries.clear();
      next_.bytes.clear();
      for (std::size_t at = 0; at < frontier_.entries.size() && result_.complete(); at += kBlock) block(at);
      if (!next_.entries.empty()) ++result_.depth;
    }
    for (const auto& worker : workers_) result_.tally.add(worker->watcher.tally);
    result_.states = graph_.size();
    result_.edges = graph_.edge_count();
    result_.bytes = memory();
    if (result_.complete()) judge_ends();
    for (const auto& [path, failure] : broken_) result_.refuted.push_back({failure, tape_of(path)});
    result_.seconds = seconds();
    return std::move(result_);
  }

  /// On one path, if all games end.
  std::uint64_t most_passes = StateGraph::kEndless;

 private:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  std::uint64_t memory() const { return graph_.bytes() + frontier_.memory() + next_.memory(); }

  void block(std::size_t begin) {
    const std::size_t size = std::min(kBlock, frontier_.entries.size() - begin);
    const std::size_t slices = workers_.size();
    in_parallel(slices, static_cast<unsigned>(slices), [&](std::size_t slice) {
      for (std::size_t i = slice; i < size; i += slices) {
        const Frontier::Entry& entry = frontier_.entries[begin + i];
        workers_[slice]->expand(frontier_.bytes.data() + entry.begin, entry.size, entry.armed, expanded_[i]);
      }
    });
    for (std::size_t i = 0; i < size; ++i) {
      merge(frontier_.entries[begin + i].node, expanded_[i]);
      if (expanded_[i].too_many) result_.ended = SearchResult::Ended::options;
    }
    if (seconds() > options_.seconds) result_.ended = SearchResult::Ended::time;
    if (graph_.size() >= options_.states) result_.ended = SearchResult::Ended::states;
    if (memory() >= options_.memory) result_.ended = SearchResult::Ended::memory;
    if (options_.progress) {
      options_.progress(fmt::format("{}, depth {}, {} wait, {} MB", plural(graph_.size(), "state"), result_.depth, with_commas(frontier_.entries.size() - begin - size + next_.entries.size()),
                                    memory() >> 20));
    }
  }

  /// In the order of nodes and edges, so that numbers do not depend on threads.
  void merge(std::uint32_t parent, Expanded& from) {
    for (std::uint32_t edge = 0; edge < from.children.size(); ++edge) {
      Child& child = from.children[edge];
      if (child.known == StateGraph::kNone) child.known = graph_.find(child.key);
      if (child.known == StateGraph::kNone) {
        child.known = graph_.add(child.key, child.kind, {parent, edge});
        if (child.kind == Kind::end) ++result_.ends;
        if (child.kind == Kind::end) child.size = 0;
        next_.entries.push_back({child.known, child.armed, static_cast<std::uint32_t>(child.size), next_.bytes.size()});
        next_.bytes.insert(next_.bytes.end(), from.bytes.begin() + static_cast<std::ptrdiff_t>(child.begin),
                           from.bytes.begin() + static_cast<std::ptrdiff_t>(child.begin + child.size));
      }
      if (parent == StateGraph::kNone) continue;
      if (caps_ == nullptr) graph_.edge(child.known);
      else graph_.edge(child.known, child.passes);
    }
    if (parent != StateGraph::kNone) graph_.close();
    for (auto& [edge, failure] : from.failures) {
      std::vector<std::uint32_t> path;
      if (parent != StateGraph::kNone) {
        path = graph_.path_to(parent);
        path.push_back(edge);
      }
      note(std::move(path), std::move(failure));
    }
    if (from.stuck) note(graph_.path_to(parent), std::move(*from.stuck));
  }

  void note(std::vector<std::uint32_t> path, Failure failure) {
    const bool known = std::any_of(broken_.begin(), broken_.end(), [&](const auto& b) { return b.second.key == failure.key; });
    if (!known) broken_.emplace_back(std::move(path), std::move(failure));
  }

  /// As the search went: past every cap, if it left them out.
  void take(Sitting& sitting, std::uint32_t edge) const {
    leave_out(caps_, sitting.state);
    if (sitting.status == Status::chance) sitting.settle(edge);
    else sitting.decide(sitting.machine.to_move(sitting.state), edge);
  }

  Tape tape_of(const std::vector<std::uint32_t>& path) const {
    Sitting sitting(playable_);
    sitting.begin();
    for (const std::uint32_t edge : path) take(sitting, edge);
    return std::move(sitting.tape);
  }

  void judge_ends() {
    const std::uint64_t longest = graph_.longest();
    result_.all_end = longest != StateGraph::kEndless;
    result_.can_always_end = result_.all_end || graph_.can_always_end();
    if (result_.all_end) {
      result_.longest = longest;
      most_passes = graph_.heaviest();
      return;
    }
    const auto [node, round] = graph_.circle();
    Sitting sitting(playable_);
    sitting.begin();
    for (const std::uint32_t edge : graph_.path_to(node)) take(sitting, edge);
    const std::size_t before = sitting.tape.size();
    for (const std::uint32_t next : round) {
      // equal components may have changed places since the path to the node was found
      State here = sitting.state;
      leave_out(caps_, here);
      workers_[0]->expand(here.bytes.data(), here.bytes.size(), sitting.after_setup, expanded_[0]);
      const auto& ways = expanded_[0].children;
      const auto way = std::find_if(ways.begin(), ways.end(), [&](const Child& child) { return child.known == next; });
      if (way == ways.end()) return;
      take(sitting, static_cast<std::uint32_t>(way - ways.begin()));
    }
    result_.endless = endless_game(sitting, before);
  }

  const Playable& playable_;
  const SearchOptions& options_;
  const Caps* caps_;
  SearchResult result_;
  Clock::time_point begin_;
  StateGraph graph_;
  Frontier frontier_, next_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Expanded> expanded_;
  std::vector<std::pair<std::vector<std::uint32_t>, Failure>> broken_;
};

}  // namespace

SearchResult search(const Playable& playable, const SearchOptions& options) {
  const Caps caps = caps_of(*playable.program);
  if (caps.offsets.empty() || !options.reductions.counters) return Search(playable, options, nullptr).run();
  Search uncapped(playable, options, &caps);
  SearchResult result = uncapped.run();
  if (!result.complete()) {
    // beyond a cap there is nothing to refute
    std::erase_if(result.refuted, [&](const Refuted& refuted) {
      ExamineOptions again;
      again.only = refuted.failure.key;
      again.thorough = true;
      return !examine_tape(playable, refuted.tape, again).failure;
    });
  }
  // a cap that no game reaches changes nothing
  if (!result.complete() || uncapped.most_passes < static_cast<std::uint64_t>(std::max<std::int64_t>(caps.least, 0))) return result;
  SearchOptions rest = options;
  rest.seconds = options.seconds - result.seconds;
  SearchResult capped = Search(playable, rest, nullptr).run();
  capped.endless = std::move(result.endless);
  if (capped.endless) capped.endless->cut_off = true;
  capped.seconds += result.seconds;
  return capped;
}

std::string extent(const SearchResult& result) {
  const std::string states = plural(result.states, "state");
  switch (result.ended) {
    case SearchResult::Ended::complete: return fmt::format("all {}", states);
    case SearchResult::Ended::time: return fmt::format("{}, then the time was over", states);
    case SearchResult::Ended::states: return fmt::format("{}, then as many as were allowed", states);
    case SearchResult::Ended::memory: return fmt::format("{}, then the memory was full", states);
    case SearchResult::Ended::options: return fmt::format("{}, then a choice with too many options", states);
  }
  return states;
}

}  // namespace rip::verify
