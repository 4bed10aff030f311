#include "verify/twins.h"

#include "base/text.h"
#include "verify/position.h"
#include "verify/transcript.h"

#include <fmt/format.h>

#include <algorithm>

namespace rip::verify {

namespace {

std::string seats_text(const ir::Program& program, std::uint32_t mask) {
  return mask == 0 ? "nobody" : joined(seats_in(program, mask));
}

Span choice_span(const ir::Program& program, const State& state) {
  const ir::Choose* choice = choose_at(program, state);
  return choice == nullptr ? Span{} : choice->span;
}

/// The names of the moves that are asked for; which of them are open only the deciding seat sees.
std::string question(const ir::Program& program, const State& state) {
  const ir::Choose* choice = choose_at(program, state);
  if (choice == nullptr) return {};
  std::string out;
  for (std::int32_t i = choice->first; i < choice->first + choice->count; ++i) {
    const ir::Option& option = program.options[static_cast<std::size_t>(i)];
    out += (out.empty() ? "" : ", ") + (option.secretly ? "something secret" : option.name);
  }
  return out;
}

/// Does the rule stand in the body of the move? What a move itself does before all eyes is its player's doing.
bool written_in(const ir::Program& program, const Move& move, Span rule) {
  const Span body = program.options[static_cast<std::size_t>(move.option)].span;
  return rule.file == body.file && rule.begin >= body.begin && rule.end <= body.end && rule.end > rule.begin;
}

}  // namespace

Failure failure_of(const Leak& leak, const Playable& playable) {
  Failure out = failure(Property::leaks, fmt::format("{} can tell apart what it must not: {}; {} differs", playable.seat(leak.seat), leak.swapped, leak.what), leak.span);
  out.key += fmt::format("-{}", leak.span.begin);
  return out;
}

Twins::Twins(const Playable& playable)
    : playable_(playable), program_(*playable.program), here_(program_), there_(program_), taken_(program_.options.size(), 0), visited_(program_.code.size(), 0) {
  hidden_variables_ = std::any_of(program_.vars.begin(), program_.vars.end(), [](const ir::Var& var) { return var.known >= 0; });
  hidden_components_ = std::any_of(program_.components.begin(), program_.components.end(), [&](const ir::Component& c) {
    const ir::ComponentType& type = program_.types[static_cast<std::size_t>(c.type)];
    return !type.die && type.hidden_side;
  });
}

std::optional<Leak> Twins::visit(const Sitting& sitting, Rng& rng) {
  if (!sitting.waits()) return std::nullopt;
  std::uint32_t& before = visited_[static_cast<std::size_t>(header_of(sitting.state).pc)];
  const bool chance = sitting.status == Status::chance;
  constexpr std::uint32_t kAlways = 2;
  if (before >= kAlways && rng.below(chance ? 12 : 3) != 0) return std::nullopt;
  ++before;
  return search(sitting, rng, chance ? 1 : 2);
}

std::optional<Leak> Twins::search(const Sitting& sitting, Rng& rng, int tries) {
  if (!sitting.waits()) return std::nullopt;
  for (int i = 0; i < tries; ++i) {
    const int seat = static_cast<int>(rng.below(static_cast<std::uint64_t>(program_.players)));
    State state = sitting.state;
    here_.observer = nullptr;
    Step first;
    Swap swap;
    if (sitting.status == Status::chance) {
      if (!pick_outcome(state, rng, first, swap)) continue;
    } else {
      if (!pick_move(state, swap, rng, first)) return std::nullopt;
      const bool secret = program_.options[static_cast<std::size_t>(first.move.option)].secretly && first.seat != seat && first.of > 1;
      const bool other = secret && rng.below(2) == 0;
      if (!(other ? pick_decision(state, rng, first, swap) : pick_swap(state, sitting.tape, first, seat, rng, swap))) continue;
    }
    if (auto leak = compare(sitting, first, seat, swap, rng)) return leak;
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
    const std::string asked = question(program_, here), asked_there = question(program_, there);
    if (asked != asked_there) return Difference{"what is asked", asked, asked_there, choice_span(program_, here)};
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
  if (status == Status::over) {
    const std::vector<std::int64_t> mine = here_.result(here).scores, theirs = there_.result(there).scores;
    const auto s = static_cast<std::size_t>(seat);
    if (s < mine.size() && mine[s] != theirs[s]) return Difference{"the own score", std::to_string(mine[s]), std::to_string(theirs[s]), {}};
  }
  return std::nullopt;
}

/// Has the step brought the seat a card that came from zone `from`, or given a variable that is hidden from others another
/// value?
bool Twins::may_see_other(State& here, State& there, const Swap& swap, std::int32_t from, int seat) {
  if (swap.renames()) {
    const auto sees = [&](State& state, std::int32_t c) { return here_.zone_of(state, c) != from && (here_.known(state, c) >> seat & 1u) != 0; };
    return sees(here, swap.a) || sees(there, swap.b);
  }
  for (std::size_t v = 0; v < program_.vars.size(); ++v) {
    const ir::Var& var = program_.vars[v];
    const auto id = static_cast<std::int32_t>(v);
    const auto words = [&](const State& state, std::int32_t at) { return state.bytes.begin() + var.cell.offset + 8 * var.domain.words * at; };
    const auto differs = [&](std::int32_t at) {
      return var.set ? !std::equal(words(here, at), words(here, at + 1), words(there, at)) : here_.var_value(here, id, at) != there_.var_value(there, id, at);
    };
    for (std::int32_t at = 0; at < var.count && var.known >= 0; ++at) {
      if (differs(at) && (here_.var_known(here, id, at) >> seat & 1u) != 0) return true;
    }
  }
  return false;
}

/// The step in both worlds; false: nothing there corresponds to it, or the seat would see itself decide otherwise.
bool Twins::take(Waiting here, Waiting there, const Step& step, int seat, const Swap& swap, bool parted) {
  if (step.chance()) {
    std::vector<Outcome> mine, theirs;
    here.machine.outcomes(here.state, mine);
    there.machine.outcomes(there.state, theirs);
    std::int64_t other = -1;
    if (parted) {
      if (chance_what(here.state) != chance_what(there.state) || chance_where(here.state) != chance_where(there.state)) return false;
      other = same_outcome(here, mine[step.index], there, theirs, swap, true, seat);
    } else {
      other = outcome_with(theirs, swap.other);
    }
    if (other < 0) return false;
    here.machine.choose_outcome(here.state, step.index);
    there.machine.choose_outcome(there.state, static_cast<std::uint32_t>(other));
    return true;
  }
  Move move = swap.other_move;
  if (parted) {
    const std::int64_t other = same_move(here, there, step, swap, seat);
    if (other < 0 || !there.machine.nth_move(there.state, step.seat, static_cast<std::uint64_t>(other), move)) return false;
  }
  here.machine.decide(here.state, step.seat, step.move);
  there.machine.decide(there.state, step.seat, move);
  return true;
}

std::optional<Leak> Twins::compare(const Sitting& sitting, const Step& first, int seat, const Swap& swap, Rng& rng) {
  ++compared;
  State here = sitting.state, there = sitting.state;
  if (swap.kind == Swap::Kind::components) there_.exchange(there, swap.a, swap.b);
  if (swap.kind == Swap::Kind::variable) there_.set_var(there, swap.var, swap.at, swap.other);
  const std::int32_t from = swap.renames() ? here_.zone_of(here, swap.a) : -1;
  std::vector<Step> steps;
  auto judge = [&](const Difference& difference) { return confirm(sitting, steps, seat, swap, difference); };
  here_.observer = there_.observer = nullptr;
  if (sitting.status == Status::chance) {
    // what these machines have not told yet belongs to other games
    State other;
    here_.start(other);
    there_.start(other);
  }
  if (!swap.by_step()) {
    if (auto difference = at_rest(here, there, seat)) return judge(*difference);
  }

  LogBook mine(program_.players), theirs(program_.players);
  // most leaks show at once; a few worlds are followed for long
  int decisions_left = 2;
  while (decisions_left < 32 && rng.below(2) == 0) decisions_left *= 2;
  constexpr std::size_t kSteps = 64;
  while (decisions_left > 0 && steps.size() < kSteps) {
    here_.observer = there_.observer = nullptr;
    const Status status = here_.status(here);
    if (status != there_.status(there)) return std::nullopt;  // a difference of chance points alone is seen by nobody
    Step step = first;
    if (!steps.empty() && status == Status::chance) {
      std::vector<Outcome> outcomes;
      here_.outcomes(here, outcomes);
      step = Step{};
      step.index = here_.sample_outcome(here, rng);
      step.of = static_cast<std::uint32_t>(outcomes.size());
      step.value = outcomes[step.index].value;
    } else if (!steps.empty()) {
      if (status != Status::decision || !pick_move(here, swap, rng, step)) return std::nullopt;
    }
    here_.observer = &mine;
    there_.observer = &theirs;
    if (!take({here_, here}, {there_, there}, step, seat, swap, !steps.empty() || !swap.by_step())) return std::nullopt;
    steps.push_back(step);
    if (!step.chance()) --decisions_left;
    run_on(here_, here);
    run_on(there_, there);
    if (swap.by_step() && (steps.size() == 1 || swap.renames()) && may_see_other(here, there, swap, from, seat)) return std::nullopt;
    const auto s = static_cast<std::size_t>(seat);
    const LogsCompared logs = compare_logs(mine.lines[s], theirs.lines[s]);
    if (logs.ended) return std::nullopt;
    if (logs.differ) {
      if (swap.kind == Swap::Kind::decision && (written_in(program_, swap.move, logs.here.span) || written_in(program_, swap.other_move, logs.there.span))) return std::nullopt;
      // a world in which a rule went wrong, or which still waits for chance, has not said all yet
      if (here_.status(here) == Status::fault || there_.status(there) == Status::fault) return std::nullopt;
      const bool waits = here_.status(here) == Status::chance || there_.status(there) == Status::chance;
      if (!waits || (!logs.here.text.empty() && !logs.there.text.empty())) {
        return judge({"the log", logs.here.text, logs.there.text, logs.here.text.empty() ? logs.there.span : logs.here.span, logs.there.span});
      }
      continue;
    }
    mine.clear();
    theirs.clear();
    if (here_.status(here) == Status::chance || there_.status(there) == Status::chance) continue;
    if (here_.status(here) == Status::fault || there_.status(there) == Status::fault) return std::nullopt;
    here_.observer = there_.observer = nullptr;
    if (auto difference = at_rest(here, there, seat)) return judge(*difference);
    if (here_.status(here) == Status::over || here == there) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace rip::verify
