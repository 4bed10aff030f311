#include "verify/any_choice.h"

#include "verify/position.h"

#include <fmt/format.h>

#include <algorithm>

namespace rip::verify {

namespace {

const ir::Clause& clause_of(const ir::Program& program, const Move& move) {
  return program.clauses[static_cast<std::size_t>(program.options[static_cast<std::size_t>(move.option)].clause)];
}

/// Numbers of the move that tell it from other options. What is `any` is a plain value each, and stands last.
std::int32_t named_size(const ir::Program& program, const Move& move) {
  const ir::Clause& clause = clause_of(program, move);
  return move.size - (static_cast<std::int32_t>(clause.binders.size()) - clause.named);
}

bool one_option(const ir::Program& program, const Move& a, const Move& b) {
  return a.option == b.option && a.size == b.size && std::equal(a.args.begin(), a.args.begin() + named_size(program, a), b.args.begin());
}

/// Two games side by side.
class Pair {
 public:
  explicit Pair(Sitting& sitting)
      : machine_(sitting.machine), program_(machine_.program()), here_(sitting.state), there_(sitting.state), twin_(program_.components.size()) {
    for (std::size_t c = 0; c < twin_.size(); ++c) twin_[c] = static_cast<std::int32_t>(c);
  }

  void decide(int seat, const Move& mine, const Move& theirs) {
    machine_.decide(here_, seat, mine);
    machine_.decide(there_, seat, theirs);
    go_on();
  }

  /// The next step in both; gives what differs, or nothing. `ended`: there is no next step.
  std::string step(Rng& rng, bool& ended) {
    ended = true;
    const Status status = machine_.status(here_);
    if (status != machine_.status(there_)) return "one game goes on where the other waits or ends";
    if (status == Status::over) return compare_results();
    if (status == Status::chance) return chance(rng, ended);
    if (status != Status::decision) return "";
    if (machine_.deciding(here_) != machine_.deciding(there_)) return "other seats have to decide";
    const int seat = machine_.to_move(here_);
    machine_.legal_moves(here_, seat, mine_);
    machine_.legal_moves(there_, seat, theirs_);
    const std::string& name = program_.seats[static_cast<std::size_t>(seat)];
    if (mine_.size() != theirs_.size()) return fmt::format("{} then has {} options or {}", name, mine_.size(), theirs_.size());
    if (mine_.empty()) return "";
    const Move& move = mine_[rng.below(mine_.size())];
    const auto other = std::find_if(theirs_.begin(), theirs_.end(), [&](const Move& m) { return corresponds(move, m); });
    if (other == theirs_.end()) return fmt::format("only once {} then has the option `{}`", name, machine_.text(move));
    ended = false;
    const Move theirs = *other;
    pair_up(move, theirs);
    decide(seat, Move(move), theirs);
    return "";
  }

 private:
  std::string chance(Rng& rng, bool& ended) {
    std::vector<Outcome> mine, theirs;
    machine_.outcomes(here_, mine);
    machine_.outcomes(there_, theirs);
    const std::uint32_t index = machine_.sample_outcome(here_, rng);
    const ChanceKind what = chance_what(here_);
    if (what != ChanceKind::settle && what != ChanceKind::order && what != ChanceKind::roll && what != ChanceKind::random) return "";
    const bool of_components = what == ChanceKind::settle || what == ChanceKind::order;
    const auto fits = [&](const Outcome& o) { return of_components ? equal(mine[index].value, o.value) : o.value == mine[index].value; };
    const auto other = std::find_if(theirs.begin(), theirs.end(), fits);
    if (mine.size() != theirs.size() || other == theirs.end()) return "chance then has other outcomes";
    if (of_components) pair_up(mine[index].value, other->value);
    ended = false;
    machine_.choose_outcome(here_, index);
    machine_.choose_outcome(there_, static_cast<std::uint32_t>(other - theirs.begin()));
    go_on();
    return "";
  }

  /// Equal components may stand for one another, but each for one only.
  bool equal(std::int32_t here, std::int32_t there) const {
    return twin_[static_cast<std::size_t>(here)] == there ||
           (program_.components[static_cast<std::size_t>(here)].front_class == program_.components[static_cast<std::size_t>(there)].front_class &&
            machine_.zone_of(here_, here) == machine_.zone_of(there_, there) && machine_.zone_of(there_, twin_[static_cast<std::size_t>(here)]) == machine_.zone_of(there_, there));
  }
  void pair_up(std::int32_t here, std::int32_t there) {
    std::int32_t& mine = twin_[static_cast<std::size_t>(here)];
    std::swap(mine, *std::find(twin_.begin(), twin_.end(), there));
  }

  void pair_up(const Move& a, const Move& b) {
    const ir::Clause& clause = clause_of(program_, a);
    std::size_t at = 0;
    for (std::int32_t i = 0; i < clause.named; ++i) {
      const ir::Binder& binder = clause.binders[static_cast<std::size_t>(i)];
      if (binder.component && !binder.pick) pair_up(a.args[at], b.args[at]);
      at += binder.pick ? 1 + static_cast<std::size_t>(a.args[at]) : 1;
    }
  }

  /// The same option, and what it names corresponds.
  bool corresponds(const Move& a, const Move& b) {
    if (a.option != b.option || a.size != b.size) return false;
    const ir::Clause& clause = clause_of(program_, a);
    std::int32_t at = 0;
    for (std::int32_t i = 0; i < clause.named; ++i) {
      const ir::Binder& binder = clause.binders[static_cast<std::size_t>(i)];
      const std::int32_t n = binder.pick ? a.args[static_cast<std::size_t>(at)] : 1;
      if (binder.pick && n != b.args[static_cast<std::size_t>(at++)]) return false;
      std::vector<std::int32_t> mine(a.args.begin() + at, a.args.begin() + at + n), theirs(b.args.begin() + at, b.args.begin() + at + n);
      if (binder.component) {
        for (std::int32_t& c : mine) c = twin_[static_cast<std::size_t>(c)];
      }
      if (binder.pick && !binder.in_order) {
        std::sort(mine.begin(), mine.end());
        std::sort(theirs.begin(), theirs.end());
      }
      if (mine != theirs && !(binder.component && !binder.pick && equal(a.args[static_cast<std::size_t>(at)], theirs[0]))) return false;
      at += n;
    }
    return true;
  }

  std::string compare_results() {
    const Result a = machine_.result(here_);
    const Result b = machine_.result(there_);
    return a.winners == b.winners && a.scores == b.scores ? "" : "the results differ";
  }

  void go_on() {
    for (State* state : {&here_, &there_}) run_on(machine_, *state);
  }

  Machine& machine_;
  const ir::Program& program_;
  State here_, there_;
  std::vector<Move> mine_, theirs_;
  std::vector<std::int32_t> twin_;   ///< by component here: the one there that plays its part
};

}  // namespace

bool has_any(const ir::Program& program) {
  return std::any_of(program.options.begin(), program.options.end(), [&](const ir::Option& option) {
    const ir::Clause& clause = program.clauses[static_cast<std::size_t>(option.clause)];
    return static_cast<std::size_t>(clause.named) < clause.binders.size();
  });
}

std::optional<Failure> examine_any(Sitting& sitting, int seat, Rng& rng) {
  Machine& machine = sitting.machine;
  const ir::Program& program = machine.program();
  std::vector<Move> moves;
  machine.all_moves(sitting.state, seat, moves);
  std::vector<std::size_t> doubles;  // options of which the one before is a twin
  for (std::size_t i = 1; i < moves.size(); ++i) {
    if (one_option(program, moves[i - 1], moves[i])) doubles.push_back(i);
  }
  if (doubles.empty()) return std::nullopt;
  const std::size_t at = doubles[rng.below(doubles.size())];
  Observer* observer = sitting.machine.observer;
  machine.observer = nullptr;
  Pair pair(sitting);
  pair.decide(seat, moves[at - 1], moves[at]);
  constexpr int kSteps = 20;
  std::string difference;
  bool ended = false;
  for (int i = 0; i < kSteps && difference.empty() && !ended; ++i) difference = pair.step(rng, ended);
  machine.observer = observer;
  if (difference.empty()) return std::nullopt;
  return failure(Property::any_alike, fmt::format("`{}` or `{}`: {}", machine.text(moves[at - 1]), machine.text(moves[at]), difference),
                 program.options[static_cast<std::size_t>(moves[at].option)].span);
}

}  // namespace rip::verify
