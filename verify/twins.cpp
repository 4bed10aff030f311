#include "verify/twins.h"

#include "verify/position.h"
#include "verify/transcript.h"

#include <fmt/format.h>

#include <algorithm>

namespace rip::verify {

namespace {

std::int32_t renamed(std::int32_t component, const Swap& swap) {
  if (!swap.of_components()) return component;
  return component == swap.a ? swap.b : component == swap.b ? swap.a : component;
}

/// The same move in the second world: the card at the same place is another one there.
Move renamed(const ir::Program& program, const Move& move, const Swap& swap) {
  Move out = move;
  std::size_t at = 0;
  const ir::Option& option = program.options[static_cast<std::size_t>(move.option)];
  for (const ir::Binder& binder : program.clauses[static_cast<std::size_t>(option.clause)].binders) {
    std::int32_t n = 1;
    if (binder.pick) n = out.args[at++];
    for (std::int32_t i = 0; i < n; ++i, ++at) {
      if (binder.component) out.args[at] = renamed(out.args[at], swap);
    }
  }
  return out;
}

/// The move names a card in a row which is another one there. If that one is not offered, an equal one stands for it: at
/// another place of the row, which others see.
bool names_a_place(const Machine& machine, const State& state, const Move& move, const Move& wanted) {
  for (std::int32_t k = 0; k < move.size; ++k) {
    const std::int32_t there = wanted.args[static_cast<std::size_t>(k)];
    if (there == move.args[static_cast<std::size_t>(k)]) continue;
    if (machine.program().zones[static_cast<std::size_t>(machine.zone_of(state, there))].kind == ir::ZoneKind::row) return true;
  }
  return false;
}

/// The number of the same move among those there, -1 if nothing corresponds to it.
std::int64_t same_among(const std::vector<Move>& moves, Machine& machine, State& state, const Move& move, const Swap& swap) {
  const Move wanted = renamed(machine.program(), move, swap);
  auto at = std::find(moves.begin(), moves.end(), wanted);
  if (at == moves.end() && names_a_place(machine, state, move, wanted)) return -1;
  if (at == moves.end()) at = std::find(moves.begin(), moves.end(), move);
  if (at == moves.end()) {
    // another component may stand for its equals there
    const ir::Program& program = machine.program();
    at = std::find_if(moves.begin(), moves.end(), [&](const Move& other) {
      if (other.option != wanted.option || other.size != wanted.size) return false;
      std::size_t k = 0;
      const ir::Option& option = program.options[static_cast<std::size_t>(other.option)];
      for (const ir::Binder& binder : program.clauses[static_cast<std::size_t>(option.clause)].binders) {
        std::int32_t n = 1;
        if (binder.pick && other.args[k] != wanted.args[k]) return false;
        if (binder.pick) n = other.args[k++];
        for (std::int32_t i = 0; i < n; ++i, ++k) {
          const std::int32_t x = other.args[k], y = wanted.args[k];
          if (x == y) continue;
          if (!binder.component || x < 0 || y < 0) return false;
          const bool equal = program.components[static_cast<std::size_t>(x)].front_class == program.components[static_cast<std::size_t>(y)].front_class;
          if (!equal || machine.zone_of(state, x) != machine.zone_of(state, y)) return false;
        }
      }
      return true;
    });
  }
  return at == moves.end() ? -1 : at - moves.begin();
}

/// Longer lists are not listed: two of them are compared by their numbers and by samples.
constexpr std::uint64_t kManyMoves = 600;

std::int64_t same_move(Machine& machine, State& state, int seat, const Move& move, const Swap& swap) {
  const Move wanted = renamed(machine.program(), move, swap);
  if (const auto number = machine.number_of(state, seat, wanted)) return static_cast<std::int64_t>(*number);
  if (names_a_place(machine, state, move, wanted)) return -1;
  if (const auto number = machine.number_of(state, seat, move)) return static_cast<std::int64_t>(*number);
  if (machine.count_moves(state, seat) > kManyMoves) return -1;
  std::vector<Move> moves;
  machine.legal_moves(state, seat, moves);
  return same_among(moves, machine, state, move, swap);
}

/// A machine with the state that waits for chance.
struct Waiting {
  Machine& machine;
  State& state;
};

/// The number of the same outcome there, -1 if nothing corresponds to it. Before the two worlds part chance brings what makes
/// them part; behind that it brings the same wherever it may: who knows the two cards by then sees no difference.
std::int64_t same_outcome(Waiting here, const Outcome& outcome, Waiting there, const std::vector<Outcome>& all, const Swap& swap, bool parted) {
  const ChanceKind what = chance_what(here.state);
  if (what == ChanceKind::which) {
    std::vector<Move> moves;
    for (const Outcome& other : all) moves.push_back(there.machine.meant(there.state, other));
    return same_among(moves, there.machine, there.state, here.machine.meant(here.state, outcome), swap);
  }
  const bool component = what == ChanceKind::settle || what == ChanceKind::order;
  const std::int32_t wanted = component ? renamed(outcome.value, swap) : outcome.value;
  std::int64_t found = -1, same = -1;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].value == wanted) found = static_cast<std::int64_t>(i);
    if (all[i].value == outcome.value) same = static_cast<std::int64_t>(i);
  }
  if (found >= 0) return parted && same >= 0 ? same : found;
  if (!component) return -1;
  const ir::Program& program = there.machine.program();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (program.components[static_cast<std::size_t>(all[i].value)].front_class == program.components[static_cast<std::size_t>(wanted)].front_class) {
      return static_cast<std::int64_t>(i);
    }
  }
  return -1;
}

/// The seat that decides takes what it reads as the same option.
bool reads_the_same(Machine& here, State& mine, Machine& there, State& theirs, const Step& step, std::int64_t other) {
  Move move;
  return there.nth_move(theirs, step.seat, static_cast<std::uint64_t>(other), move) &&
         here.text_for(mine, step.move, step.seat) == there.text_for(theirs, move, step.seat);
}

std::string seats_text(const ir::Program& program, std::uint32_t mask) {
  std::string out;
  for (int seat = 0; seat < program.players; ++seat) {
    if ((mask >> seat & 1u) != 0) out += (out.empty() ? "" : ", ") + program.seats[static_cast<std::size_t>(seat)];
  }
  return out.empty() ? "nobody" : out;
}

/// Lines of a log up to the first that shows both worlds something else, and what differs without being shown.
struct LogsCompared {
  bool ended = false;       ///< a rule has shown a difference: from here on the seat knows
  bool differ = false;
  LogLine here, there;
};
LogsCompared compare_logs(const std::vector<LogLine>& here, const std::vector<LogLine>& there) {
  LogsCompared out;
  for (std::size_t i = 0; i < std::max(here.size(), there.size()); ++i) {
    if (i < here.size() && i < there.size()) {
      if (here[i].text == there[i].text) continue;
      if (here[i].reveals && there[i].reveals) {
        out.ended = true;
        return out;
      }
    }
    out.differ = true;
    if (i < here.size()) out.here = here[i];
    if (i < there.size()) out.there = there[i];
    return out;
  }
  return out;
}

Span choice_span(const ir::Program& program, const State& state) {
  const ir::Instr& instr = program.code[static_cast<std::size_t>(header_of(state).pc)];
  if (instr.op != ir::InstrOp::choose) return {};
  return program.chooses[static_cast<std::size_t>(instr.a)].span;
}

}  // namespace

Failure failure_of(const Leak& leak, const Playable& playable) {
  Failure out = failure(Property::leaks, fmt::format("{} can tell apart what it must not: {}; {} differs", playable.seat(leak.seat), leak.swapped, leak.what), leak.span);
  out.key += fmt::format("-{}", leak.span.begin);
  return out;
}

Twins::Twins(const Playable& playable) : playable_(playable), program_(*playable.program), here_(program_), there_(program_) {}

bool Twins::pick_components(const State& state, int seat, Rng& rng, Swap& swap) {
  const auto n = static_cast<std::int32_t>(program_.components.size());
  if (n < 2) return false;
  State& readable = const_cast<State&>(state);
  auto hidden = [&](std::int32_t c) {
    const ir::ComponentType& type = program_.types[static_cast<std::size_t>(program_.components[static_cast<std::size_t>(c)].type)];
    return !type.die && type.hidden_side && (here_.known(readable, c) >> seat & 1u) == 0;
  };
  // each type is as likely as any other, so that a large deck does not hide a small one
  std::vector<std::vector<std::int32_t>> by_type(program_.types.size());
  for (std::int32_t c = 0; c < n; ++c) {
    if (hidden(c)) by_type[static_cast<std::size_t>(program_.components[static_cast<std::size_t>(c)].type)].push_back(c);
  }
  std::erase_if(by_type, [](const auto& all) { return all.size() < 2; });
  if (by_type.empty()) return false;
  for (int tries = 0; tries < 24; ++tries) {
    const std::vector<std::int32_t>& all = by_type[rng.below(by_type.size())];
    swap.a = all[rng.below(all.size())];
    swap.b = all[rng.below(all.size())];
    const ir::Component& x = program_.components[static_cast<std::size_t>(swap.a)];
    const ir::Component& y = program_.components[static_cast<std::size_t>(swap.b)];
    if (x.back_class != y.back_class || x.owner != y.owner || x.front_class == y.front_class) continue;
    // side by side in a bag they change nothing
    const std::int32_t zone = here_.zone_of(state, swap.a);
    const bool together = zone == here_.zone_of(state, swap.b) && program_.zones[static_cast<std::size_t>(zone)].kind != ir::ZoneKind::row;
    if (!together) return true;
  }
  swap.a = swap.b = -1;
  return false;
}

bool Twins::pick_variable(State& state, const Tape& tape, int seat, Rng& rng, Swap& swap) {
  std::vector<std::pair<std::int32_t, std::int32_t>> cells;
  for (std::size_t v = 0; v < program_.vars.size(); ++v) {
    const ir::Var& var = program_.vars[v];
    if (var.known < 0 || var.set || var.component || !var.visible) continue;
    if (var.phase >= 0 && (header_of(state).running >> program_.phases[static_cast<std::size_t>(var.phase)].bit & 1u) == 0) continue;
    for (std::int32_t at = 0; at < var.count; ++at) {
      if ((here_.var_known(state, static_cast<std::int32_t>(v), at) >> seat & 1u) == 0) cells.emplace_back(static_cast<std::int32_t>(v), at);
    }
  }
  if (cells.empty()) return false;
  const auto [v, at] = cells[rng.below(cells.size())];
  const ir::Var& var = program_.vars[static_cast<std::size_t>(v)];
  const std::int64_t high = var.seat ? program_.players - 1 : var.high;
  if (high <= var.low) return false;
  swap.var = v;
  swap.at = at;
  swap.value = here_.var_value(state, v, at);
  swap.other = var.low + static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(high - var.low + 1)));
  // a number that somebody has named before could have been named here
  const Step* named = tape.empty() || rng.below(2) == 0 ? nullptr : &tape[rng.below(tape.size())];
  if (named != nullptr && !named->chance() && named->move.size > 0) {
    const std::int64_t value = named->move.args[rng.below(static_cast<std::uint64_t>(named->move.size))];
    if (value >= var.low && value <= high) swap.other = value;
  }
  return swap.other != swap.value;
}

std::optional<Leak> Twins::search(const Sitting& sitting, Rng& rng, int tries) {
  if (sitting.status != Status::decision) return std::nullopt;
  for (int i = 0; i < tries; ++i) {
    const int seat = static_cast<int>(rng.below(static_cast<std::uint64_t>(program_.players)));
    Swap swap;
    State state = sitting.state;
    const bool variable = rng.below(4) == 0;
    if (!(variable ? pick_variable(state, sitting.tape, seat, rng, swap) : pick_components(state, seat, rng, swap))) continue;
    if (auto leak = compare(sitting, seat, swap, rng)) return leak;
  }
  return std::nullopt;
}

std::optional<Twins::Difference> Twins::options_differ(State& here, State& there, int seat) {
  const std::uint64_t mine = here_.count_moves(here, seat), theirs = there_.count_moves(there, seat);
  if (mine != theirs) return Difference{"the number of options", std::to_string(mine), std::to_string(theirs), choice_span(program_, here)};
  auto differ = [&](const Move& x, const Move& y) -> std::optional<Difference> {
    const std::string a = here_.text_for(here, x, seat), b = there_.text_for(there, y, seat);
    return a == b ? std::nullopt : std::optional(Difference{"an option", a, b, choice_span(program_, here)});
  };
  if (mine <= kManyMoves) {
    std::vector<Move> left, right;
    here_.legal_moves(here, seat, left);
    there_.legal_moves(there, seat, right);
    for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
      if (auto difference = differ(left[i], right[i])) return difference;
    }
    return std::nullopt;
  }
  constexpr std::uint64_t kSamples = 64;
  for (std::uint64_t i = 0; i < kSamples; ++i) {
    const std::uint64_t at = i * (mine - 1) / (kSamples - 1);
    Move left, right;
    if (!here_.nth_move(here, seat, at, left) || !there_.nth_move(there, seat, at, right)) break;
    if (auto difference = differ(left, right)) return difference;
  }
  return std::nullopt;
}

/// View, options and turn of one seat in two states in which nothing has been shown to it that differs.
std::optional<Twins::Difference> Twins::at_rest(State& here, State& there, int seat) {
  const Status status = here_.status(here);
  if ((status == Status::over) != (there_.status(there) == Status::over)) {
    return Difference{"whether the game is over", status == Status::over ? "over" : "not over", status == Status::over ? "not over" : "over", {}};
  }
  if (status == Status::decision) {
    const std::uint32_t mine = here_.deciding(here), theirs = there_.deciding(there);
    if (mine != theirs) return Difference{"whose turn it is", seats_text(program_, mine), seats_text(program_, theirs), choice_span(program_, here)};
  }
  const View x = here_.view(here, seat), y = there_.view(there, seat);
  if (x.text() != y.text()) {
    for (const auto& [mine, theirs] : {std::pair(&x.zones, &y.zones), std::pair(&x.vars, &y.vars)}) {
      for (std::size_t i = 0; i < std::min(mine->size(), theirs->size()); ++i) {
        if ((*mine)[i].text == (*theirs)[i].text) continue;
        return Difference{fmt::format("the view of {}", (*mine)[i].name), (*mine)[i].text, (*theirs)[i].text, {}};
      }
    }
    return Difference{"the view", x.text(), y.text(), {}};
  }
  if (status == Status::decision && (here_.deciding(here) >> seat & 1u) != 0) {
    return options_differ(here, there, seat);
  }
  return std::nullopt;
}

std::string Twins::describe(const State& state, const Swap& swap) const {
  if (swap.of_components()) {
    const auto where = [&](std::int32_t c) { return program_.zones[static_cast<std::size_t>(here_.zone_of(state, c))].name; };
    return fmt::format("{} in {} and {} in {} change places", program_.components[static_cast<std::size_t>(swap.a)].phrase, where(swap.a),
                       program_.components[static_cast<std::size_t>(swap.b)].phrase, where(swap.b));
  }
  return fmt::format("`{}` is {} or {}", program_.vars[static_cast<std::size_t>(swap.var)].name, swap.value, swap.other);
}

std::optional<Leak> Twins::compare(const Sitting& sitting, int seat, const Swap& swap, Rng& rng) {
  ++compared;
  State here = sitting.state, there = sitting.state;
  if (swap.of_components()) there_.exchange(there, swap.a, swap.b);
  else there_.set_var(there, swap.var, swap.at, swap.other);
  std::vector<Step> steps;
  auto judge = [&](const Difference& difference) { return confirm(sitting, steps, seat, swap, difference); };
  here_.observer = there_.observer = nullptr;
  if (auto difference = at_rest(here, there, seat)) return judge(*difference);

  LogBook mine(program_.players), theirs(program_.players);
  here_.observer = &mine;
  there_.observer = &theirs;
  constexpr int kSteps = 24;
  for (int i = 0; i < kSteps; ++i) {
    const Status status = here_.status(here);
    if (status != there_.status(there)) return std::nullopt;  // a difference of chance points alone is seen by nobody
    Step step;
    if (status == Status::chance) {
      if (chance_what(here) != chance_what(there) || chance_where(here) != chance_where(there)) return std::nullopt;
      std::vector<Outcome> a, b;
      here_.outcomes(here, a);
      there_.outcomes(there, b);
      step.index = here_.sample_outcome(here, rng);
      const std::int64_t other = same_outcome({here_, here}, a[step.index], {there_, there}, b, swap, true);
      if (other < 0) return std::nullopt;
      step.of = static_cast<std::uint32_t>(a.size());
      step.value = a[step.index].value;
      steps.push_back(step);
      here_.choose_outcome(here, step.index);
      there_.choose_outcome(there, static_cast<std::uint32_t>(other));
    } else if (status == Status::decision) {
      step.seat = here_.to_move(here);
      const std::uint64_t count = here_.count_moves(here, step.seat);
      if (count == 0) return std::nullopt;
      step.index = static_cast<std::uint32_t>(rng.below(count));
      step.of = static_cast<std::uint32_t>(count);
      if (!here_.nth_move(here, step.seat, step.index, step.move)) return std::nullopt;
      const std::int64_t other = same_move(there_, there, step.seat, step.move, swap);
      if (other < 0 || (step.seat == seat && !reads_the_same(here_, here, there_, there, step, other))) return std::nullopt;
      Move move;
      if (!there_.nth_move(there, step.seat, static_cast<std::uint64_t>(other), move)) return std::nullopt;
      steps.push_back(step);
      here_.decide(here, step.seat, step.move);
      there_.decide(there, step.seat, move);
    } else {
      return std::nullopt;
    }
    run_on(here_, here);
    run_on(there_, there);
    const auto s = static_cast<std::size_t>(seat);
    const LogsCompared logs = compare_logs(mine.lines[s], theirs.lines[s]);
    if (logs.ended) return std::nullopt;
    if (logs.differ) {
      // a world in which a rule went wrong, or which still waits for chance, has not said all yet
      if (here_.status(here) == Status::fault || there_.status(there) == Status::fault) return std::nullopt;
      const bool waits = here_.status(here) == Status::chance || there_.status(there) == Status::chance;
      if (!waits || (!logs.here.text.empty() && !logs.there.text.empty())) {
        return judge({"the log", logs.here.text, logs.there.text, logs.here.text.empty() ? logs.there.span : logs.here.span});
      }
      continue;
    }
    mine.clear();
    theirs.clear();
    if (here_.status(here) == Status::chance || there_.status(there) == Status::chance) continue;
    if (here_.status(here) == Status::fault || there_.status(there) == Status::fault) return std::nullopt;
    here_.observer = there_.observer = nullptr;
    if (auto difference = at_rest(here, there, seat)) return judge(*difference);
    here_.observer = &mine;
    there_.observer = &theirs;
    if (here_.status(here) == Status::over) return std::nullopt;
  }
  return std::nullopt;
}

namespace {

/// The second world played from the beginning beside the first; equal to the seat until it is not.
class Side {
 public:
  explicit Side(const Playable& playable) : book(playable.players()), sitting(playable, &book) { sitting.begin(); }
  LogBook book;
  Sitting sitting;
};

/// Takes the step in the second world; false: nothing there corresponds to it, or the seat would see itself decide otherwise.
bool follow(Sitting& here, Sitting& there, const Step& step, int seat, const Swap& swap, bool parted) {
  if (here.status != there.status) return false;
  if (!step.chance()) {
    if ((there.machine.deciding(there.state) >> step.seat & 1u) == 0) return false;
    const std::int64_t other = same_move(there.machine, there.state, step.seat, step.move, swap);
    if (other < 0 || (step.seat == seat && !reads_the_same(here.machine, here.state, there.machine, there.state, step, other))) return false;
    here.decide(step.seat, step.index);
    there.decide(step.seat, static_cast<std::uint32_t>(other));
    return true;
  }
  std::vector<Outcome> a, b;
  here.machine.outcomes(here.state, a);
  there.machine.outcomes(there.state, b);
  if (step.index >= a.size()) return false;
  const std::int64_t other = same_outcome({here.machine, here.state}, a[step.index], {there.machine, there.state}, b, swap, parted);
  if (other < 0) return false;
  here.settle(step.index);
  there.settle(static_cast<std::uint32_t>(other));
  return true;
}

/// A decision or a chance outcome that gave the hidden variable its value, taken otherwise.
bool take_otherwise(Sitting& here, Sitting& there, const Step& step, const Swap& swap) {
  if (step.chance()) {
    std::vector<Outcome> outcomes;
    there.machine.outcomes(there.state, outcomes);
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      if (outcomes[i].value != swap.other) continue;
      here.settle(step.index);
      there.settle(static_cast<std::uint32_t>(i));
      return true;
    }
    return false;
  }
  for (std::int32_t k = 0; k < step.move.size; ++k) {
    if (step.move.args[static_cast<std::size_t>(k)] != swap.value) continue;
    Move other = step.move;
    other.args[static_cast<std::size_t>(k)] = static_cast<std::int32_t>(swap.other);
    const auto number = there.machine.number_of(there.state, step.seat, other);
    if (!number) continue;
    here.decide(step.seat, step.index);
    there.decide(step.seat, static_cast<std::uint32_t>(*number));
    return true;
  }
  return false;
}

bool gives_value(const Step& step, const Swap& swap) {
  if (step.chance()) return step.value == swap.value;
  return std::any_of(step.move.args.begin(), step.move.args.begin() + step.move.size, [&](std::int32_t x) { return x == swap.value; });
}

}  // namespace

/// Plays both worlds from the deal with the seat's observations compared all along. The first difference that no rule shows
/// is the leak; a difference that is shown before means that the second world could be told apart.
std::optional<Leak> Twins::confirm(const Sitting& sitting, const std::vector<Step>& steps, int seat, const Swap& swap, const Difference& seen) {
  Tape tape = sitting.tape;
  tape.insert(tape.end(), steps.begin(), steps.end());
  const auto s = static_cast<std::size_t>(seat);
  auto attempt = [&](std::optional<std::size_t> other_at) -> std::optional<Leak> {
    Side mine(playable_), theirs(playable_);
    for (std::size_t i = 0; i <= tape.size(); ++i) {
      const LogsCompared logs = compare_logs(mine.book.lines[s], theirs.book.lines[s]);
      if (logs.ended) return std::nullopt;
      std::optional<Difference> difference;
      const bool rests = mine.sitting.status != Status::chance && theirs.sitting.status != Status::chance;
      if (logs.differ && rests) {
        difference = Difference{"the log", logs.here.text, logs.there.text, logs.here.text.empty() ? logs.there.span : logs.here.span};
      } else if (rests) {
        if (mine.sitting.status == Status::fault || theirs.sitting.status == Status::fault) return std::nullopt;
        here_.observer = there_.observer = nullptr;
        difference = at_rest(mine.sitting.state, theirs.sitting.state, seat);
        mine.book.clear();
        theirs.book.clear();
      }
      // another decision may be seen for what it is; only what differs where the twin was found counts then
      if (difference && other_at && i < sitting.tape.size()) return std::nullopt;
      if (difference) {
        Leak leak;
        leak.seat = seat;
        leak.swap = swap;
        leak.swapped = describe(sitting.state, swap);
        leak.what = difference->what;
        leak.here = difference->here;
        leak.there = difference->there;
        leak.span = difference->span == Span{} ? seen.span : difference->span;
        leak.tape.assign(tape.begin(), tape.begin() + static_cast<std::ptrdiff_t>(i));
        return leak;
      }
      if (i == tape.size()) break;
      const bool taken = other_at == i ? take_otherwise(mine.sitting, theirs.sitting, tape[i], swap) : follow(mine.sitting, theirs.sitting, tape[i], seat, swap, i >= sitting.tape.size());
      if (!taken) return std::nullopt;
    }
    return std::nullopt;
  };
  if (swap.of_components()) {
    if (auto leak = attempt(std::nullopt)) return leak;
  } else {
    int tries = 0;
    for (std::size_t i = sitting.tape.size(); i-- > 0 && tries < 8;) {
      if (tape[i].seat == seat || !gives_value(tape[i], swap)) continue;
      ++tries;
      if (auto leak = attempt(i)) return leak;
    }
  }
  ++unconfirmed;
  return std::nullopt;
}

}  // namespace rip::verify
