#include "verify/worlds.h"

#include "verify/noticed.h"

#include <fmt/format.h>

#include <algorithm>

namespace rip::verify {

namespace {

/// More options are taken one by one, not listed first.
constexpr std::uint64_t kMostListed = 10'000;

/// What the seat noticed of a step, and what it sees behind it.
struct Noticed {
  std::string log, rest;
};

class Counter {
 public:
  Counter(const ir::Program& program, const Tape& tape, int seat, std::uint64_t most)
      : tape_(tape), machine_(program), seat_(seat), left_(most), witness_(seat) {
    machine_.observer = &witness_;
  }

  Worlds run(const State& from) {
    State state = from;
    run_on(machine_, state);
    note(state);
    for (std::size_t i = 0; i < tape_.size(); ++i) {
      State next;
      if (!take_the_same(state, tape_[i], next)) {
        out_.error = fmt::format("step {} cannot be played again from the position", i + 1);
        return out_;
      }
      state = std::move(next);
      note(state);
    }
    State first = from;
    witness_.lines.clear();
    run_on(machine_, first);
    follow(first, 0);
    return out_;
  }

 private:
  void note(State& state) {
    Noticed noticed{witness_.lines, ""};
    noticed.rest = seen_now(state);
    seen_.push_back(std::move(noticed));
  }
  /// Step `at` looked just as it did. Most ways differ in the log, which costs little.
  bool looks_the_same(State& state, std::size_t at) { return witness_.lines == seen_[at + 1].log && seen_now(state) == seen_[at + 1].rest; }

  std::string seen_now(State& state) { return seen_at_rest(machine_, state, seat_, moves_); }

  void decide(const State& state, int seat, const Move& move, State& next) {
    next = state;
    witness_.lines.clear();
    machine_.decide(next, seat, move);
    run_on(machine_, next);
  }

  /// Chance falls as it did, the seat decides as it did; false: that cannot be here.
  bool take_the_same(State& state, const Step& step, State& next) {
    const Status status = machine_.status(state);
    if (step.chance() != (status == Status::chance)) return false;
    if (!step.chance()) {
      if (status != Status::decision || (machine_.deciding(state) >> step.seat & 1u) == 0 || !machine_.is_legal(state, step.seat, step.move)) return false;
      decide(state, step.seat, step.move, next);
      return true;
    }
    std::vector<Outcome> outcomes;
    machine_.outcomes(state, outcomes);
    const auto same = std::find_if(outcomes.begin(), outcomes.end(), [&](const Outcome& o) { return o.value == step.value; });
    if (same == outcomes.end()) return false;
    next = state;
    witness_.lines.clear();
    machine_.choose_outcome(next, static_cast<std::uint32_t>(same - outcomes.begin()));
    run_on(machine_, next);
    return true;
  }

  /// Numbers and words that are not decided secretly stand in the log.
  bool told_apart(const Step& step, const Move& move) const {
    const auto& options = machine_.program().options;
    const ir::Option& option = options[static_cast<std::size_t>(move.option)];
    if (option.secretly || options[static_cast<std::size_t>(step.move.option)].secretly) return false;
    if (move.option != step.move.option) return true;
    return !ir::names_components(option.arg_texts) && !(move == step.move);
  }

  /// Counts the ways on from here, where all has looked the same so far.
  void follow(State& state, std::size_t at) {
    if (at == tape_.size()) {
      ++out_.count;
      return;
    }
    const Step& step = tape_[at];
    State next;
    if (step.chance() || step.seat == seat_) {
      if (take_the_same(state, step, next) && looks_the_same(next, at)) follow(next, at + 1);
      return;
    }
    if (machine_.status(state) != Status::decision || (machine_.deciding(state) >> step.seat & 1u) == 0) return;
    const std::uint64_t n = machine_.count_moves(state, step.seat);
    std::vector<Move> moves;
    if (n <= kMostListed) machine_.legal_moves(state, step.seat, moves);
    Move move;
    for (std::uint64_t i = 0; i < n && out_.complete; ++i) {
      if (left_-- == 0) {
        out_.complete = false;
        return;
      }
      if (n <= kMostListed) move = moves[i];
      else if (!machine_.nth_move(state, step.seat, i, move)) continue;
      if (told_apart(step, move)) continue;
      decide(state, step.seat, move, next);
      if (looks_the_same(next, at)) follow(next, at + 1);
    }
  }

  const Tape& tape_;
  Machine machine_;
  int seat_;
  std::uint64_t left_;
  Witness witness_;
  std::vector<Move> moves_;  ///< scratch
  std::vector<Noticed> seen_;  ///< before the first step, and after each
  Worlds out_;
};

}  // namespace

Worlds count_worlds(const ir::Program& program, const State& from, const Tape& tape, int seat, std::uint64_t most) {
  return Counter(program, tape, seat, most).run(from);
}

}  // namespace rip::verify
