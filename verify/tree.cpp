#include "verify/tree.h"

#include "base/hash.h"
#include "base/text.h"
#include "verify/canonical.h"
#include "verify/offered.h"
#include "verify/position.h"
#include "verify/transcript.h"

#include <fmt/format.h>

#include <bit>
#include <chrono>
#include <memory>
#include <unordered_map>
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
  Machine::Untold untold;         ///< what chance was asked in the middle of
  std::uint32_t next = 0, of = 0; ///< the edge to follow, of so many
  std::vector<Hash128> noticed;   ///< by seat: all it has noticed since the beginning
  std::vector<Hash128> told;      ///< by seat: of that, what it was meant to learn
  std::vector<Hash128> closed;    ///< by seat: the key in the bodies of moves, while nothing has come since they ended; else 0
  std::string committed;          ///< what has been decided at this moment and will be open when all have
  std::string decided;            ///< likewise, also in secret; until the bodies have done it
  std::size_t bodies = 0;         ///< of moves that go on
  bool by_chance = false;         ///< chance was asked since somebody could last look
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
    seen_.resize(players_);
    in_bodies_.resize(players_);
  }

  std::uint64_t stop_at = 0;                           ///< the walk ends at the history with this number, its tape written
  int leaking_seat = -1;
  std::uint64_t other_history = 0;                     ///< the number of the history that `leaking_seat` can tell from the last

  GameTree run() {
    push();
    Frame& root = *frames_[0];
    machine_.start(root.state);
    run_on(root);
    for (std::size_t seat = 0; seat < players_; ++seat) root.noticed.push_back(hash128(machine_.view(root.state, static_cast<int>(seat)).text()));
    root.told.assign(players_, Hash128{});
    root.closed.assign(players_, Hash128{});
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
    if (!tree_.complete()) return;
    if (options_.leaks && frame.status != Status::chance && compare(frame)) return;
    frame.status = machine_.status(frame.state);  // reading the options may have gone wrong
    if (tree_.histories == stop_at) {
      tree_.ended = GameTree::Ended::leak;
      write_tape();
      return;
    }
    switch (frame.status) {
      case Status::chance:
        ++tree_.chance;
        if (options_.leaks && is_open(frame.state)) {
          for (std::size_t seat = 0; seat < players_; ++seat) comes_next(frame, seat, frame.bodies > 0, hash128("chance"));
        }
        frame.untold = machine_.untold();
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
        if (frame.moves.empty()) return fail(frame);  // a rule went wrong while they were read
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
    if ((tree_.histories & 0x3ff) == 0) look_at_the_budget();
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
    for (const auto& seen : seen_) keys += 2 * seen.size();
    for (const auto& seen : in_bodies_) keys += 2 * seen.size();
    if (tree_.histories >= options_.histories) tree_.ended = GameTree::Ended::histories;
    if (seconds() > options_.seconds) tree_.ended = GameTree::Ended::time;
    if (keys * kKeyBytes > options_.memory) tree_.ended = GameTree::Ended::memory;
    if (options_.progress && (tree_.histories & 0xffff) == 0) {
      options_.progress(fmt::format("{} histories, {} ends, {}", with_commas(tree_.histories), with_commas(tree_.terminal), plural(states_.size(), "state")));
    }
  }

  static Hash128 chained(const Hash128& before, std::string_view text) {
    return hash128(text, before.low ^ (before.high * 0x9e3779b97f4a7c15ULL));
  }

  static void chain(Hash128& hash, std::string_view text) { hash = chained(hash, text); }

  /// What each seat has noticed since the node before, line by line: at which of them chance was asked is not noticed.
  void take_notes(Frame& frame) {
    const std::size_t ended = std::min(frame.bodies, book_.ended.size());
    const bool all_ended = ended > 0 && ended == frame.bodies;
    for (std::size_t seat = 0; seat < players_; ++seat) {
      const std::vector<LogLine>& lines = book_.lines[seat];
      // lines of bodies: up to where the last of them ended, or all if one goes on
      const std::size_t in_bodies = frame.bodies == 0 ? 0 : all_ended ? book_.ended[ended - 1][seat] : lines.size();
      // what is revealed a moment later may be told already
      std::string revealed;
      for (const LogLine& line : lines) {
        if (options_.leaks && line.reveals) revealed += line.text + '\n';
      }
      for (std::size_t i = 0; i < lines.size(); ++i) {
        const LogLine& line = lines[i];
        chain(frame.noticed[seat], line.text);
        if (!options_.leaks) continue;
        if (i == in_bodies && all_ended) close(frame, seat);
        const Hash128 kind = line.decision ? hash128("a decision") : line.reveals ? hash128("a revelation") : line.effect != 0 ? Hash128{0, line.effect} : hash128("a text");
        if (i < in_bodies) take_for_granted(seat, frame.told[seat], line.decision || line.reveals ? kind : hash128(line.text));
        comes_next(frame, seat, i < in_bodies, kind);
        if (!line.decision && !line.reveals) told_apart(seat, chained(chained(key_of(frame, seat, i < in_bodies), revealed), "text"), hash128(line.text));
        chain(frame.told[seat], line.text);
      }
      if (all_ended && lines.size() == in_bodies) close(frame, seat);
    }
    frame.bodies -= ended;
    if (frame.bodies == 0) frame.decided.clear();
    book_.clear();
  }

  /// The bodies have done all that follows from what was decided.
  void close(Frame& frame, std::size_t seat) {
    if (options_.leaks) take_for_granted(seat, frame.told[seat], hash128("no more"));
    frame.closed[seat] = chained(frame.told[seat], frame.decided);
  }

  /// What bodies do follows from what was decided, also in secret; so much of that may be learnt.
  static Hash128 key_of(const Frame& frame, std::size_t seat, bool in_body) {
    return in_body ? chained(frame.told[seat], frame.decided) : frame.told[seat];
  }

  /// That a line comes must be so in every history in which the seat was told the same; what it reveals may be other. What comes first
  /// behind bodies shows that they have done no more.
  void comes_next(Frame& frame, std::size_t seat, bool in_body, const Hash128& what) {
    told_apart(seat, chained(key_of(frame, seat, in_body), "next"), what);
    if (frame.closed[seat] != Hash128{}) told_apart(seat, chained(frame.closed[seat], "next"), what);
    frame.closed[seat] = {};
  }

  /// What comes inside of a body may be learnt as far as the decision is. If it is not the same wherever the seat was told the same,
  /// nobody has looked whether it was the decision that told it.
  void take_for_granted(std::size_t seat, const Hash128& key, const Hash128& line) {
    if (tree_.takes_for_granted) return;
    const auto [before, fresh] = in_bodies_[seat].try_emplace(key, line);
    tree_.takes_for_granted = !fresh && before->second != line;
  }

  /// What a seat notices here that is the same in all histories in which it was told the same.
  std::string at_rest(Frame& frame, int seat) {
    std::string out = fmt::format("{} {:x}\n", static_cast<int>(frame.status), machine_.deciding(frame.state));
    if (frame.status == Status::over) {
      const Result result = machine_.result(frame.state);
      // the winner is announced, whatever that follows from; what a score is made of has to be shown
      if (!result.scores.empty()) out += fmt::format("{}", result.scores[static_cast<std::size_t>(seat)]);
    }
    out += machine_.view(frame.state, seat).text();
    if ((machine_.deciding(frame.state) >> seat & 1u) == 0) return out;
    const std::uint64_t n = machine_.count_moves(frame.state, seat);
    out += fmt::format("\n{}", n);
    if (n > kMostOptions) return out;
    machine_.legal_moves(frame.state, seat, frame.moves);
    append_offered(machine_, frame.state, seat, frame.moves, out);
    return out;
  }

  /// Was there a history with this key that went otherwise?
  bool told_apart(std::size_t seat, const Hash128& key, const Hash128& rest) {
    if (!tree_.complete()) return false;
    const auto [before, fresh] = seen_[seat].try_emplace(key, rest, tree_.histories);
    if (fresh || before->second.first == rest) return false;
    tree_.ended = GameTree::Ended::leak;
    write_tape();
    leaking_seat = static_cast<int>(seat);
    other_history = before->second.second;
    return true;
  }

  /// True: a seat can tell this history from one in which it was told the same.
  bool compare(Frame& frame) {
    if (frame.status == Status::fault) return false;
    for (std::size_t seat = 0; seat < players_; ++seat) {
      comes_next(frame, seat, frame.bodies > 0, hash128("nothing"));
      // in which order chance laid cards stands in no line, only on the table
      if (frame.by_chance) {
        for (const View::Line& line : machine_.view(frame.state, static_cast<int>(seat)).zones) chain(frame.told[seat], line.text);
      }
      if (told_apart(seat, frame.told[seat], hash128(at_rest(frame, static_cast<int>(seat))))) return true;
      chain(frame.told[seat], "at rest");
    }
    frame.by_chance = false;
    return false;
  }

  /// What has been decided, a component by its place. All may learn it once it is carried out, but for what was decided secretly.
  void commit(Frame& child, const Frame& before, const Move& move) {
    const ir::Option& option = program_.options[static_cast<std::size_t>(move.option)];
    std::string text = fmt::format(" {}", move.option);
    std::size_t at = 0;
    for (const ir::Binder& binder : program_.clauses[static_cast<std::size_t>(option.clause)].binders) {
      const std::int32_t n = binder.pick ? move.args[at++] : 1;
      for (std::int32_t i = 0; i < n; ++i, ++at) text += binder.component ? place_of(before.state, move.args[at]) : fmt::format(" {}", move.args[at]);
    }
    child.decided += text;
    if (!option.secretly) child.committed += text;
    if (machine_.status(child.state) == Status::decision) return;
    for (Hash128& told : child.told) chain(told, child.committed);
    child.committed.clear();
    ++child.bodies;
  }

  /// In a hand there are no places.
  std::string place_of(const State& state, std::int32_t component) {
    if (component < 0) return " none";
    const std::int32_t zone = machine_.zone_of(state, component);
    if (program_.zones[static_cast<std::size_t>(zone)].kind == ir::ZoneKind::hand) return fmt::format(" in {}", zone);
    const std::vector<std::uint16_t> cards = machine_.zone_cards(state, zone);
    return fmt::format(" {} of {}", std::find(cards.begin(), cards.end(), component) - cards.begin(), zone);
  }

  bool is_open(const State& state) {
    const ir::Header header = header_of(state);
    if (static_cast<ChanceKind>(header.chance) != ChanceKind::roll) return program_.code[static_cast<std::size_t>(header.pc)].op == ir::InstrOp::let_random;
    const ir::Zone& zone = program_.zones[static_cast<std::size_t>(machine_.zone_of(state, header.chance_a))];
    return zone.kind != ir::ZoneKind::hand && zone.seen_by == ir::kNoNode;
  }

  /// Who can see all of the components that it may have been notices which it was, before the line of the decision comes.
  void tell_which(Frame& frame, Frame& child, std::uint32_t edge) {
    std::vector<Move> moves;
    for (const Outcome& outcome : frame.outcomes) moves.push_back(machine_.meant(frame.state, outcome));
    for (std::size_t seat = 0; seat < players_; ++seat) {
      const std::string text = machine_.text_for(frame.state, moves[edge], static_cast<int>(seat));
      bool sees = true, differs = false;
      for (const Move& move : moves) {
        each_component(program_, move, [&](std::int32_t c) { sees = sees && (c < 0 || (machine_.known(frame.state, c) >> seat & 1u) != 0); });
        differs = differs || machine_.text_for(frame.state, move, static_cast<int>(seat)) != text;
      }
      if (sees && differs) chain(child.told[seat], text);
    }
  }

  void follow(Frame& frame) {
    const std::uint32_t edge = frame.next++;
    Frame& child = push();
    child.state = frame.state;
    child.armed = frame.armed;
    child.noticed = frame.noticed;
    child.told = frame.told;
    child.closed = frame.closed;
    child.committed = frame.committed;
    child.decided = frame.decided;
    child.bodies = frame.bodies;
    child.by_chance = frame.by_chance || frame.status == Status::chance;
    book_.clear();
    if (frame.status == Status::chance) {
      // a number under a name that sits nowhere, and a die that is not under a hand, fall before all eyes
      if (is_open(frame.state)) {
        for (Hash128& told : child.told) chain(told, frame.outcomes[edge].text);
      }
      if (chance_what(frame.state) == ChanceKind::which) tell_which(frame, child, edge);
      machine_.take_back(frame.untold);
      machine_.choose_outcome(child.state, edge);
    } else {
      // its own decision is no line of its log
      const std::string_view own(reinterpret_cast<const char*>(&edge), sizeof edge);
      chain(child.noticed[static_cast<std::size_t>(frame.seat)], own);
      chain(child.told[static_cast<std::size_t>(frame.seat)], own);
      machine_.decide(child.state, frame.seat, frame.moves[edge]);
      commit(child, frame, frame.moves[edge]);
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
  /// Also where in it bodies of moves ended, by seat.
  struct Book : LogBook {
    using LogBook::LogBook;
    std::vector<std::vector<std::size_t>> ended;
    void choice_ended() override {
      ended.emplace_back();
      for (const auto& seat : lines) ended.back().push_back(seat.size());
    }
    void clear() {
      LogBook::clear();
      ended.clear();
    }
  };
  Book book_;
  Canonical canonical_;
  Clock::time_point begin_;
  std::size_t players_;
  GameTree tree_;
  std::vector<std::unique_ptr<Frame>> frames_;
  std::size_t depth_ = 0;          ///< frames in use
  Keys states_, on_the_way_;
  std::vector<Keys> sets_;         ///< by seat
  /// By seat and what it was told: all else that it noticed, and the first history in which it did.
  std::vector<std::unordered_map<Hash128, std::pair<Hash128, std::uint64_t>, KeyHash>> seen_;
  std::vector<std::unordered_map<Hash128, Hash128, KeyHash>> in_bodies_;  ///< likewise: the line that came there
  std::string text_;
};

/// All that one seat has noticed.
std::vector<LogLine> noticed(const Playable& playable, const Tape& tape, int seat, State& state) {
  LogBook book(playable.players());
  Sitting sitting(playable, &book);
  sitting.begin();
  replay(sitting, tape);
  state = sitting.state;
  return book.lines[static_cast<std::size_t>(seat)];
}

/// The steps of the second history that are not those of the first, in a few words.
std::string other_steps(const Playable& playable, const Tape& here, const Tape& there) {
  Sitting mine(playable), theirs(playable);
  mine.begin();
  theirs.begin();
  std::string out;
  int told = 0;
  const auto take = [](Sitting& sitting, const Step& step) { step.chance() ? sitting.settle(step.index) : sitting.decide(step.seat, step.index); };
  for (std::size_t i = 0; i < std::min(here.size(), there.size()); ++i) {
    const std::string x = step_text(mine, here[i], kAllSeeing), y = step_text(theirs, there[i], kAllSeeing);
    if (x != y && ++told <= 3) out += fmt::format("{}`{}` here, `{}` there", out.empty() ? "" : "; ", x, y);
    take(mine, here[i]);
    take(theirs, there[i]);
  }
  return told > 3 ? out + "; ..." : out;
}

Leak leak_between(const Playable& playable, int seat, const Tape& here, const Tape& there) {
  Leak leak;
  leak.seat = seat;
  leak.tape = here;
  leak.swapped = other_steps(playable, here, there);
  State mine, theirs;
  const std::vector<LogLine> a = noticed(playable, here, seat, mine), b = noticed(playable, there, seat, theirs);
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    if (i < a.size() && i < b.size() && a[i].text == b[i].text) continue;
    leak.what = "the log";
    if (i < a.size()) leak.here = a[i].text;
    if (i < b.size()) leak.there = b[i].text;
    leak.span = i < a.size() ? a[i].span : b[i].span;
    return leak;
  }
  Twins twins(playable);
  if (const auto difference = twins.difference(mine, theirs, seat)) {
    leak.what = difference->what;
    leak.here = difference->here;
    leak.there = difference->there;
    leak.span = difference->span;
  } else {
    leak.what = "whether chance is asked";
  }
  return leak;
}

}  // namespace

GameTree walk_tree(const Playable& playable, const TreeOptions& options) {
  Walk walk(playable, options);
  GameTree tree = walk.run();
  if (tree.ended != GameTree::Ended::leak) return tree;
  TreeOptions plain = options;
  plain.leaks = false;
  plain.seconds = 10 * options.seconds;
  Walk again(playable, plain);
  again.stop_at = walk.other_history;
  tree.leak = leak_between(playable, walk.leaking_seat, tree.tape, again.run().tape);
  return tree;
}

std::string text_of(const mpq_class& value) { return value.get_str(); }

}  // namespace rip::verify
