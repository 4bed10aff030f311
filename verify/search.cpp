#include "verify/search.h"

#include "base/text.h"
#include "verify/check.h"
#include "verify/examine.h"
#include "verify/expand.h"
#include "verify/parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <new>
#include <optional>

#include <unistd.h>

namespace rip::verify {

namespace {

using Clock = std::chrono::steady_clock;
using Kind = StateGraph::Kind;

/// Nodes that are expanded in parallel before what they lead to is put in order: at most so many, fewer if they lead to much.
constexpr std::size_t kBlock = 1024;
constexpr std::size_t kLeastBlock = 8;
/// Nodes that may come before the memory is asked for again.
constexpr std::size_t kSoon = std::size_t{1} << 16;
constexpr std::size_t kBlockBytes = std::size_t{8} << 20;
/// Without edges no deeper: of the paths to a node two bytes are counted, and no step passes more than 255 times.
constexpr std::uint64_t kDeepest = 250;

/// What the program takes of the memory now.
std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

class Search {
 public:
  /// What has to be otherwise before the search can go on.
  enum class Again { no, with_edges, with_fingerprints };
  struct Way {
    bool exact = true;
    bool edges = false;  ///< kept for the whole graph; not needed if each step leads one level deeper
  };
  /// With `caps` the rules are searched as if nothing was cut off.
  Search(const Playable& playable, const SearchOptions& options, const Caps* caps, Way way)
      : playable_(playable), options_(options), caps_(caps), limit_(options.memory - std::min(resident_bytes() + 2 * kBlockBytes, options.memory / 4 * 3)), result_(*playable.program), begin_(Clock::now()),
        store_(*playable.program, options.reductions, find_unread(*playable.program), way.exact), graph_(store_.key_bytes(), way.edges), team_(options.jobs), workers_(team_.size()) {
    at_work_.emplace(store_);
    // by the thread that will use it: no two share a line of the cache
    team_.run([&](unsigned me) { workers_[me] = std::make_unique<Worker>(playable, graph_, at_work_, options.reductions, caps); });
    workers_[0]->learn(store_.packing);
    at_work_.emplace(store_);
    if (store_.exact) graph_ = StateGraph(store_.key_bytes(), way.edges);
    next_ = Level(0, store_.record_bytes());
  }

  SearchResult run() {
    if (store_.exact && store_.packing.key_bytes() > Store::kLongestKey) again = Again::with_fingerprints;
    if (again != Again::no) return std::move(result_);
    try {
      explore();
      result_.bytes = most_bytes_ = std::max(most_bytes_, memory());
    } catch (const std::bad_alloc&) {  // the machine has no more; what is found is told
      result_.ended = SearchResult::Ended::memory;
      result_.bytes = most_bytes_;
      level_ = Level();
      next_ = Level();
      graph_.mend();
    }
    for (const auto& worker : workers_) result_.tally.add(worker->watcher.tally);
    result_.states = graph_.size();
    result_.edges = edges_;
    if (again == Again::no) {
      if (result_.complete()) judge_ends();
      for (auto& [parent, child, failure] : broken_) {
        Tape tape = tape_to(parent, child, failure);
        result_.refuted.push_back({std::move(failure), std::move(tape)});
      }
    }
    result_.seconds = seconds();
    return std::move(result_);
  }

  /// While one block is put in order, in the order of its nodes, the other threads expand the next one.
  void explore() {
    Expanded& first = workers_[0]->room(0);
    workers_[0]->start(first);
    merge(StateGraph::kNone, first, 0);
    while (next_.records.size() > 0 && goes_on()) {
      std::swap(level_, next_);
      next_ = Level(level_.first + level_.records.size(), store_.record_bytes());
      Block* before = &blocks_[0];
      Block* now = &blocks_[1];
      before->size = before->groups = 0;
      for (std::size_t at = 0; goes_on();) {
        take(*now, at);
        graph_.make_room(before->edges(), team_);
        at += now->size;
        if (before->size + now->size == 0) break;
        expand(*now, *before);
        if (!goes_on()) break;
        look_up(*now);
        std::swap(now, before);
      }
      if (next_.records.size() > 0) ++result_.depth;
    }
    at_work_.emplace(store_);
  }

  Again again = Again::no;
  /// On one path, if all games end.
  std::uint64_t most_passes = StateGraph::kEndless;

 private:
  /// The nodes of one depth wait here: the first of them, and what is needed beside their keys.
  struct Level {
    explicit Level(std::size_t begin = 0, std::size_t width = 0) : first(begin), records(width) {}
    std::size_t first;
    Records records;
    std::map<std::size_t, std::vector<std::uint8_t>> odd;  ///< by node
    // without edges: the greatest numbers on a path to the node
    Chunked<std::uint16_t> decisions;
    Chunked<std::uint16_t> passes;
    void forget(std::size_t i) {
      records.forget(i);
      decisions.forget(i);
      passes.forget(i);
    }
    std::uint64_t bytes() const { return records.bytes() + decisions.bytes() + passes.bytes(); }
  };

  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  std::uint64_t memory() const { return graph_.bytes() + level_.bytes() + next_.bytes(); }
  bool goes_on() const { return result_.complete() && again == Again::no; }

  /// Nodes of one level, one behind the other, that are expanded together.
  struct Block {
    std::size_t first = 0, size = 0;          ///< within its level
    std::vector<std::uint8_t> keys, records;  ///< as they were when the block was taken
    std::size_t at_once = 1;                  ///< as many nodes as one thread takes
    std::size_t groups = 0;
    std::array<Expanded*, kMostGroups> expanded{};
    std::size_t edges() const {
      std::size_t n = 0;
      for (std::size_t group = 0; group < groups; ++group) n += expanded[group]->children.size();
      return n;
    }
    std::array<std::atomic<bool>, kMostGroups> taken;
  };

  void take(Block& block, std::size_t first) {
    if (at_work_->learnt != store_.learnt) at_work_.emplace(store_);
    const std::size_t key_bytes = store_.key_bytes(), record_bytes = store_.record_bytes();
    block.first = first;
    block.size = std::min(block_size_, level_.records.size() - first);
    block.at_once = std::max<std::size_t>(1, block.size / (kMostGroups / 2));
    block.groups = (block.size + block.at_once - 1) / block.at_once;
    block.keys.resize(block.size * key_bytes);
    block.records.resize(block.size * record_bytes);
    for (std::size_t i = 0; i < block.size; ++i) {
      std::copy_n(graph_.key(static_cast<std::uint32_t>(level_.first + first + i)), key_bytes, block.keys.data() + i * key_bytes);
      std::copy_n(level_.records[first + i], record_bytes, block.records.data() + i * record_bytes);
    }
  }

  /// Expands a block, while the one before it is merged.
  void expand(Block& block, Block& before) {
    const std::size_t key_bytes = at_work_->key_bytes(), record_bytes = at_work_->record_bytes();
    std::atomic<std::size_t> next{0};
    team_.run([&](unsigned me) {
      if (me == 0 && before.size > 0) merge(before);
      std::size_t rooms = 0;
      for (std::size_t group = next++; group < block.groups; group = next++) {
        Expanded& out = workers_[me]->room(rooms++ + (&block == &blocks_[0] ? 0 : kMostGroups));
        block.expanded[group] = &out;
        workers_[me]->begin(out);
        out.by = me;
        for (std::size_t i = group * block.at_once; i < std::min((group + 1) * block.at_once, block.size); ++i) {
          const auto odd = level_.odd.empty() ? level_.odd.end() : level_.odd.find(level_.first + block.first + i);
          if (odd == level_.odd.end()) workers_[me]->expand(block.keys.data() + i * key_bytes, block.records.data() + i * record_bytes, out);
          else workers_[me]->expand(State{odd->second}, true, out);
        }
      }
    });
  }

  /// All that came before is in the graph now.
  void look_up(Block& block) {
    if (at_work_->learnt != store_.learnt) at_work_.emplace(store_);
    for (std::size_t group = 0; group < block.groups; ++group) block.taken[group].store(false, std::memory_order_relaxed);
    team_.run([&](unsigned me) {
      // first what this thread has at hand
      for (const bool own : {true, false}) {
        for (std::size_t group = 0; group < block.groups; ++group) {
          Expanded& out = *block.expanded[group];
          if (own && out.by != me) continue;
          if (block.taken[group].exchange(true)) continue;
          workers_[me]->prepare(out);
          for (const Child& child : out.children) graph_.prefetch_key(child.hash);
          workers_[me]->look_up(out);
        }
      }
    });
    std::size_t bytes = 1;
    for (std::size_t group = 0; group < block.groups; ++group) bytes += block.expanded[group]->forms.size();
    block_size_ = std::clamp(kBlockBytes * block.size / bytes, kLeastBlock, kBlock);
  }

  /// Puts what was found in order, so that numbers do not depend on threads.
  void merge(Block& block) {
    auto parent = static_cast<std::uint32_t>(level_.first + block.first);
    for (std::size_t group = 0; group < block.groups && goes_on(); ++group) {
      if (group + 1 < block.groups) block.expanded[group + 1]->prefetch();
      Expanded& from = *block.expanded[group];
      for (std::size_t node = 0; node < from.nodes.size() && goes_on(); ++node) {
        merge(parent++, from, node);
        if (from.nodes[node].too_many) result_.ended = SearchResult::Ended::options;
      }
    }
    level_.forget(block.first + block.size);
    most_bytes_ = std::max(most_bytes_, memory());
    if (seconds() > options_.seconds) result_.ended = SearchResult::Ended::time;
    if (graph_.size() >= options_.states) result_.ended = SearchResult::Ended::states;
    if (memory() + graph_.growth(kSoon) >= limit_) result_.ended = SearchResult::Ended::memory;
    if (options_.progress) {
      options_.progress(fmt::format("{}, depth {}, {} wait, {} MB", plural(graph_.size(), "state"), result_.depth,
                                    with_commas(level_.records.size() - block.first - block.size + next_.records.size()), memory() >> 20));
    }
  }

  /// A state that holds something new: keys and records may have to become wider.
  void learn(const std::uint8_t* form) {
    const Packing before = store_.packing;
    ++store_.learnt;
    if (!store_.packing.learn(form)) return;
    if (store_.exact && store_.packing.key_bytes() > Store::kLongestKey) {
      again = Again::with_fingerprints;
      return;
    }
    const auto widen = [&](Records& records) {
      Records wider(store_.record_bytes());
      std::vector<std::uint8_t> record(store_.record_bytes());
      for (std::size_t i = 0; i < records.size(); ++i) {
        if (i < records.first()) {
          wider.push_back(record.data());
          wider.forget(i + 1);
          continue;
        }
        std::fill(record.begin(), record.end(), std::uint8_t{0});
        if (!store_.exact) store_.packing.widen_key(before, records[i], record.data());
        store_.packing.widen_beside(before, records[i] + (store_.exact ? 0 : before.key_bytes()), record.data() + (store_.exact ? 0 : store_.packing.key_bytes()));
        wider.push_back(record.data());
      }
      records = std::move(wider);
    };
    widen(level_.records);
    widen(next_.records);
    if (store_.exact) graph_.rewrite(store_.key_bytes(), [&](const std::uint8_t* from, std::uint8_t* to) { store_.packing.widen_key(before, from, to); });
    ++store_.width;
  }

  /// One node of `from`.
  void merge(std::uint32_t parent, Expanded& from, std::size_t node) {
    const std::uint32_t begin = node == 0 ? 0 : from.nodes[node - 1].end, end = from.nodes[node].end;
    for (std::uint32_t edge = begin; edge < end; ++edge) {
      Child& child = from.children[edge];
      if (!child.packed || store_.width != from.width) {
        if (child.odd && store_.exact) again = Again::with_fingerprints;
        while (again == Again::no && !workers_[0]->pack(from, edge, store_)) learn(from.forms.data() + edge * store_.packing.size());
        if (again != Again::no) return;
      }
      const std::uint8_t* key = from.keys.data() + edge * store_.key_bytes();
      if (child.known == StateGraph::kNone) child.known = graph_.find(key, child.hash);
      if (child.known == StateGraph::kNone) {
        child.known = graph_.add(key, child.hash, child.kind, parent);
        if (child.kind == Kind::end) ++result_.ends;
        next_.records.push_back(from.records.data() + edge * store_.record_bytes());
        if (child.odd) next_.odd[child.known] = from.odd[edge];
        if (!graph_.keeps_edges()) {
          next_.decisions.push_back(0);
          if (caps_ != nullptr) next_.passes.push_back(0);
        }
      }
      if (parent == StateGraph::kNone) continue;
      ++edges_;
      if (graph_.keeps_edges()) {
        if (caps_ == nullptr) graph_.edge(child.known);
        else graph_.edge(child.known, child.passes);
      } else if (child.known < next_.first) {
        again = Again::with_edges;
        return;
      } else {
        count_path(parent, child, from.nodes[node].decides);
      }
    }
    if (parent != StateGraph::kNone && graph_.keeps_edges()) graph_.close();
    for (auto& [edge, failure] : from.failures) {
      if (edge >= begin && edge < end) note(parent, from.children[edge].known, std::move(failure));
    }
    for (auto& [at, failure] : from.stuck) {
      if (at == node) note(parent, StateGraph::kNone, std::move(failure));
    }
  }

  void count_path(std::uint32_t parent, const Child& child, bool decides) {
    const std::size_t from = parent - level_.first, to = child.known - next_.first;
    const auto decisions = static_cast<std::uint16_t>(level_.decisions[from] + (decides ? 1 : 0));
    if (result_.depth == kDeepest) again = Again::with_edges;
    next_.decisions[to] = std::max(next_.decisions[to], decisions);
    result_.longest = std::max<std::uint64_t>(result_.longest, decisions);
    if (caps_ == nullptr) return;
    const auto passes = static_cast<std::uint16_t>(level_.passes[from] + child.passes);
    next_.passes[to] = std::max(next_.passes[to], passes);
    heaviest_ = std::max<std::uint64_t>(heaviest_, passes);
  }

  void note(std::uint32_t parent, std::uint32_t child, Failure failure) {
    const bool known = std::any_of(broken_.begin(), broken_.end(), [&](const Broken& b) { return b.failure.key == failure.key; });
    if (!known) broken_.push_back({parent, child, std::move(failure)});
  }

  /// As the search went: past every cap, if it left them out.
  void take(Sitting& sitting, std::uint32_t edge) const {
    leave_out(*playable_.program, caps_, sitting.state);
    if (sitting.status == Status::chance) sitting.settle(edge);
    else sitting.decide(sitting.machine.to_move(sitting.state), edge);
  }

  /// Takes the step to a node, and if `failure` is given one that shows it; that is then told as it is in this very game.
  /// False: no step leads there. Equal components may have changed places since the node was found.
  bool step_to(Sitting& sitting, std::uint32_t node, Failure* failure = nullptr) {
    State here = sitting.state;
    leave_out(*playable_.program, caps_, here);
    Expanded& ways = workers_[0]->room(0);
    workers_[0]->begin(ways);
    workers_[0]->expand(here, sitting.after_setup, ways);
    workers_[0]->look_up(ways);
    std::optional<std::uint32_t> way;
    for (std::uint32_t edge = 0; edge < ways.children.size(); ++edge) {
      if (ways.children[edge].known != node) continue;
      if (!way) way = edge;
      if (failure == nullptr) break;
      for (const auto& [at, seen] : ways.failures) {
        if (at != edge || seen.key != failure->key) continue;
        *failure = seen;
        take(sitting, edge);
        return true;
      }
    }
    if (way) take(sitting, *way);
    return way.has_value();
  }

  Tape tape_to(std::uint32_t parent, std::uint32_t child, Failure& failure) {
    Sitting sitting(playable_);
    sitting.begin();
    if (parent != StateGraph::kNone) {
      const std::vector<std::uint32_t> path = graph_.path_to(parent);
      for (std::size_t i = 1; i < path.size(); ++i) step_to(sitting, path[i]);
      if (child != StateGraph::kNone) step_to(sitting, child, &failure);
    }
    return std::move(sitting.tape);
  }

  void judge_ends() {
    if (!graph_.keeps_edges()) {
      // each step led to a state that no earlier one led to
      result_.all_end = result_.can_always_end = true;
      most_passes = heaviest_;
      return;
    }
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
    const std::vector<std::uint32_t> path = graph_.path_to(node);
    for (std::size_t i = 1; i < path.size(); ++i) step_to(sitting, path[i]);
    const std::size_t before = sitting.tape.size();
    for (const std::uint32_t next : round) {
      if (!step_to(sitting, next)) return;
    }
    result_.endless = endless_game(sitting, before);
  }

  struct Broken {
    std::uint32_t parent, child;
    Failure failure;
  };
  const Playable& playable_;
  const SearchOptions& options_;
  const Caps* caps_;
  std::uint64_t limit_;             ///< of the memory for states: without what the program takes itself
  SearchResult result_;
  Clock::time_point begin_;
  Store store_;
  // what all threads read stands apart from what the one that merges writes
  alignas(kLine) std::optional<Store> at_work_;  ///< as it was when the nodes that are being expanded were taken
  alignas(kLine) StateGraph graph_;
  Level level_, next_;
  Team team_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::array<Block, 2> blocks_;
  std::vector<Broken> broken_;
  std::size_t block_size_ = kLeastBlock;
  std::uint64_t edges_ = 0, heaviest_ = 0, most_bytes_ = 0;
};

/// In the cheapest way that the game allows.
SearchResult search_once(const Playable& playable, const SearchOptions& options, const Caps* caps, std::uint64_t& most_passes) {
  Search::Way way;
  SearchOptions rest = options;
  double spent = 0;
  while (true) {
    Search search(playable, rest, caps, way);
    SearchResult result = search.run();
    spent += result.seconds;
    if (search.again == Search::Again::no) {
      most_passes = search.most_passes;
      result.seconds = spent;
      return result;
    }
    if (search.again == Search::Again::with_edges) way.edges = true;
    else way.exact = false;
    rest.seconds = options.seconds - spent;
  }
}

}  // namespace

SearchResult search(const Playable& playable, const SearchOptions& options) {
  const Caps caps = caps_of(*playable.program);
  std::uint64_t most_passes = 0;
  if (caps.offsets.empty() || !options.reductions.counters) return search_once(playable, options, nullptr, most_passes);
  SearchResult result = search_once(playable, options, &caps, most_passes);
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
  if (!result.complete() || most_passes < static_cast<std::uint64_t>(std::max<std::int64_t>(caps.least, 0))) return result;
  SearchOptions rest = options;
  rest.seconds = options.seconds - result.seconds;
  SearchResult capped = search_once(playable, rest, nullptr, most_passes);
  if (!capped.endless && result.endless) {
    capped.endless = std::move(result.endless);
    capped.endless->cut_off = true;
  }
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
