#include "verify/tree.h"

#include "base/hash.h"
#include "base/text.h"
#include "verify/canonical.h"
#include "verify/offered.h"
#include "verify/transcript.h"

#include <fmt/format.h>

#include <bit>
#include <chrono>
#include <memory>
#include <unordered_set>

namespace rip::verify {

namespace {

using Clock = std::chrono::steady_clock;

/// More options at one decision than this are not followed one by one.
constexpr std::uint64_t kMostOptions = 100'000;

struct KeyHash {
  std::size_t operator()(const Hash128& key) const { return static_cast<std::size_t>(key.low); }
};
using Keys = std::unordered_set<Hash128, KeyHash>;
/// What an entry of Keys takes, with its links.
constexpr std::uint64_t kKeyBytes = 40;

/// One node on the way from the root to where the walk stands.
struct Frame {
  State state;
  Status status = Status::running;
  bool armed = false;
  int seat = -1;                  ///< who decides
  std::vector<Move> moves;
  std::vector<Outcome> outcomes;
  std::uint32_t next = 0, of = 0; ///< the edge to follow, of so many
  std::vector<Hash128> noticed;   ///< by seat: all it has noticed since the beginning
  std::vector<mpq_class> sum;     ///< by seat: of the edges that were followed, with their weights
  std::uint64_t weight = 0;
  Hash128 key;
};

class Walk {
 public:
  Walk(const Playable& playable, const TreeOptions& options)
      : options_(options), program_(*playable.program), machine_(program_), book_(playable.players()),
        canonical_(program_, {.equal_components = false, .no_order = false, .counters = false, .idle = false, .knowledge = false}), begin_(Clock::now()),
        players_(static_cast<std::size_t>(playable.players())) {
    machine_.observer = &book_;
    tree_.information_sets.assign(players_, 0);
    sets_.resize(players_);
  }

  GameTree run() {
    push();
    Frame& root = *frames_[0];
    machine_.start(root.state);
    run_on(root);
    root.noticed.assign(players_, Hash128{});
    for (std::size_t seat = 0; seat < players_; ++seat) root.noticed[seat] = hash128(machine_.view(root.state, static_cast<int>(seat)).text());
    enter(root);
    while (depth_ > 0 && tree_.complete()) {
      Frame& frame = *frames_[depth_ - 1];
      if (frame.next == frame.of) leave();
      else follow(frame);
    }
    tree_.states = states_.size();
    for (std::size_t seat = 0; seat < players_; ++seat) tree_.information_sets[seat] = sets_[seat].size();
    tree_.seconds = seconds();
    return std::move(tree_);
  }

 private:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  Frame& push() {
    if (depth_ == frames_.size()) frames_.push_back(std::make_unique<Frame>());
    Frame& frame = *frames_[depth_++];
    frame.sum.assign(players_, 0);
    frame.weight = 0;
    frame.next = frame.of = 0;
    return frame;
  }

  void run_on(Frame& frame) {
    frame.status = machine_.status(frame.state);
    while (frame.status == Status::running || frame.status == Status::checkpoint) {
      frame.armed = frame.armed || frame.status == Status::checkpoint;
      frame.status = machine_.run(frame.state);
    }
  }

  /// A node is new on the way: it is counted, and its edges are listed.
  void enter(Frame& frame) {
    ++tree_.histories;
    tree_.depth = std::max<std::uint64_t>(tree_.depth, depth_ - 1);
    frame.key = canonical_.key(frame.state, frame.armed);
    if (!on_the_way_.insert(frame.key).second) return come_back(frame);
    states_.insert(frame.key);
    take_notes(frame);
    switch (frame.status) {
      case Status::chance:
        ++tree_.chance;
        machine_.outcomes(frame.state, frame.outcomes);
        frame.of = static_cast<std::uint32_t>(frame.outcomes.size());
        break;
      case Status::decision: {
        ++tree_.decision;
        frame.seat = machine_.to_move(frame.state);
        const std::uint64_t n = machine_.count_moves(frame.state, frame.seat);
        if (n == 0) return fail(frame);
        if (n > kMostOptions) {
          tree_.ended = GameTree::Ended::options;
          return;
        }
        machine_.legal_moves(frame.state, frame.seat, frame.moves);
        frame.of = static_cast<std::uint32_t>(frame.moves.size());
        text_.clear();
        append_offered(machine_, frame.state, frame.seat, frame.moves, text_);
        Hash128& noticed = frame.noticed[static_cast<std::size_t>(frame.seat)];
        noticed = chained(noticed, text_);
        sets_[static_cast<std::size_t>(frame.seat)].insert(noticed);
        break;
      }
      case Status::over: {
        ++tree_.terminal;
        const Result result = machine_.result(frame.state);
        tree_.by_score = !result.scores.empty();
        const auto winners = static_cast<unsigned long>(std::popcount(result.winners));
        for (std::size_t seat = 0; seat < players_; ++seat) {
          if (tree_.by_score) frame.sum[seat] = static_cast<long>(result.scores[seat]);
          else frame.sum[seat] = (result.winners >> seat & 1u) == 0 ? mpq_class(0) : mpq_class(1, winners);
        }
        frame.weight = 1;
        break;
      }
      default: return fail(frame);
    }
    if ((tree_.histories & 0xfff) == 0) look_at_the_budget();
  }

  void fail(Frame& frame) {
    tree_.ended = GameTree::Ended::fault;
    tree_.failure = failure(machine_.fault(frame.state));
    write_tape();
  }

  /// Where it was before: a tree without an end.
  void come_back(const Frame& frame) {
    tree_.ended = GameTree::Ended::endless;
    write_tape();
    for (std::size_t i = depth_ - 1; i-- > 0;) {
      if (frames_[i]->key == frame.key) tree_.round = depth_ - 1 - i;
    }
  }

  void write_tape() {
    for (std::size_t i = 0; i + 1 < depth_; ++i) {
      const Frame& on_the_way = *frames_[i];
      Step step;
      step.index = on_the_way.next - 1;
      step.of = on_the_way.of;
      if (on_the_way.status == Status::chance) {
        step.value = on_the_way.outcomes[step.index].value;
      } else {
        step.seat = on_the_way.seat;
        step.move = on_the_way.moves[step.index];
      }
      tree_.tape.push_back(step);
    }
  }

  void look_at_the_budget() {
    std::uint64_t keys = states_.size() + on_the_way_.size();
    for (const Keys& sets : sets_) keys += sets.size();
    if (seconds() > options_.seconds) tree_.ended = GameTree::Ended::time;
    if (keys * kKeyBytes > options_.memory) tree_.ended = GameTree::Ended::memory;
    if (options_.progress && (tree_.histories & 0xffff) == 0) {
      options_.progress(fmt::format("{} histories, {} ends, {}", with_commas(tree_.histories), with_commas(tree_.terminal), plural(states_.size(), "state")));
    }
  }

  static Hash128 chained(const Hash128& before, std::string_view text) {
    return hash128(text, before.low ^ (before.high * 0x9e3779b97f4a7c15ULL));
  }

  /// What each seat has noticed since the node before.
  void take_notes(Frame& frame) {
    for (std::size_t seat = 0; seat < players_; ++seat) {
      text_.clear();
      for (const LogLine& line : book_.lines[seat]) text_.append(line.text).append("\n");
      if (!text_.empty()) frame.noticed[seat] = chained(frame.noticed[seat], text_);
    }
    book_.clear();
  }

  void follow(Frame& frame) {
    const std::uint32_t edge = frame.next++;
    Frame& child = push();
    child.state = frame.state;
    child.armed = frame.armed;
    child.noticed = frame.noticed;
    book_.clear();
    if (frame.status == Status::chance) {
      machine_.choose_outcome(child.state, edge);
    } else {
      // its own decision is no line of its log
      Hash128& noticed = child.noticed[static_cast<std::size_t>(frame.seat)];
      noticed = chained(noticed, std::string_view(reinterpret_cast<const char*>(&edge), sizeof edge));
      machine_.decide(child.state, frame.seat, frame.moves[edge]);
    }
    run_on(child);
    enter(child);
  }

  /// All edges of the last node are followed: what it is worth goes to the one before.
  void leave() {
    Frame& frame = *frames_[--depth_];
    on_the_way_.erase(frame.key);
    for (mpq_class& sum : frame.sum) sum /= static_cast<unsigned long>(frame.weight);
    if (depth_ == 0) {
      tree_.value = std::move(frame.sum);
      return;
    }
    Frame& before = *frames_[depth_ - 1];
    const unsigned long weight = before.status == Status::chance ? before.outcomes[before.next - 1].weight : 1;
    for (std::size_t seat = 0; seat < players_; ++seat) before.sum[seat] += weight * frame.sum[seat];
    before.weight += weight;
  }

  const TreeOptions& options_;
  const ir::Program& program_;
  Machine machine_;
  LogBook book_;
  Canonical canonical_;
  Clock::time_point begin_;
  std::size_t players_;
  GameTree tree_;
  std::vector<std::unique_ptr<Frame>> frames_;
  std::size_t depth_ = 0;          ///< frames in use
  Keys states_, on_the_way_;
  std::vector<Keys> sets_;         ///< by seat
  std::string text_;
};

}  // namespace

GameTree walk_tree(const Playable& playable, const TreeOptions& options) { return Walk(playable, options).run(); }

std::string text_of(const mpq_class& value) { return value.get_str(); }

}  // namespace rip::verify
