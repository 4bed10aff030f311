// A leak counts once both worlds have been played from the deal, equal to the seat until they are not.
#include "verify/position.h"
#include "verify/transcript.h"
#include "verify/twins.h"

#include <fmt/format.h>

#include <algorithm>

namespace rip::verify {

namespace {

/// The second world played from the beginning beside the first; equal to the seat until it is not.
class Side {
 public:
  explicit Side(const Playable& playable) : book(playable.players()), sitting(playable, &book) { sitting.begin(); }
  LogBook book;
  Sitting sitting;
};

/// Takes the step in the second world; false: nothing there corresponds to it.
bool follow(Sitting& here, Sitting& there, const Step& step, int seat, const Swap& swap, bool parted) {
  if (here.status != there.status) return false;
  if (!step.chance()) {
    if ((there.machine.deciding(there.state) >> step.seat & 1u) == 0) return false;
    const std::int64_t other = same_move({here.machine, here.state}, {there.machine, there.state}, step, swap, seat);
    if (other < 0) return false;
    here.decide(step.seat, step.index);
    there.decide(step.seat, static_cast<std::uint32_t>(other));
    return true;
  }
  std::vector<Outcome> a, b;
  here.machine.outcomes(here.state, a);
  there.machine.outcomes(there.state, b);
  if (step.index >= a.size()) return false;
  const std::int64_t other = same_outcome({here.machine, here.state}, a[step.index], {there.machine, there.state}, b, swap, parted, seat);
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
    const std::int64_t other = outcome_with(outcomes, swap.other);
    if (other < 0) return false;
    here.settle(step.index);
    there.settle(static_cast<std::uint32_t>(other));
    return true;
  }
  const auto decide = [&](const Move& other) {
    const auto number = there.machine.number_of(there.state, step.seat, other);
    if (!number) return false;
    here.decide(step.seat, step.index);
    there.decide(step.seat, static_cast<std::uint32_t>(*number));
    return true;
  };
  if (swap.kind == Swap::Kind::decision) return decide(swap.other_move);
  for (std::int32_t k = 0; k < step.move.size; ++k) {
    if (step.move.args[static_cast<std::size_t>(k)] != swap.value) continue;
    Move other = step.move;
    other.args[static_cast<std::size_t>(k)] = static_cast<std::int32_t>(swap.other);
    if (decide(other)) return true;
  }
  return false;
}

bool gives_value(const Step& step, const Swap& swap) {
  if (step.chance()) return step.value == swap.value;
  return std::any_of(step.move.args.begin(), step.move.args.begin() + step.move.size, [&](std::int32_t x) { return x == swap.value; });
}

}  // namespace

std::string Twins::describe(const Sitting& sitting, const Swap& swap) const {
  const auto phrase = [&](std::int32_t c) { return program_.components[static_cast<std::size_t>(c)].phrase; };
  const auto where = [&](std::int32_t c) { return program_.zones[static_cast<std::size_t>(here_.zone_of(sitting.state, c))].name; };
  switch (swap.kind) {
    case Swap::Kind::components: return fmt::format("{} in {} and {} in {} change places", phrase(swap.a), where(swap.a), phrase(swap.b), where(swap.b));
    case Swap::Kind::variable: return fmt::format("`{}` is {} or {}", program_.vars[static_cast<std::size_t>(swap.var)].name, swap.value, swap.other);
    case Swap::Kind::chance:
      if (swap.renames()) return fmt::format("{} yields {} or {}", where(swap.a), phrase(swap.a), phrase(swap.b));
      return fmt::format("`{}` becomes {} or {}", program_.vars[static_cast<std::size_t>(swap.var)].name, swap.value, swap.other);
    case Swap::Kind::decision: return fmt::format("somebody decides for {} or {}", here_.text(swap.move), here_.text(swap.other_move));
  }
  return {};
}

/// Plays both worlds from the deal with the seat's observations compared all along. The first difference that no rule shows
/// is the leak; a difference that is shown before means that the second world could be told apart.
std::optional<Leak> Twins::confirm(const Sitting& sitting, const std::vector<Step>& steps, int seat, const Swap& swap, const Difference& seen) {
  Tape tape = sitting.tape;
  tape.insert(tape.end(), steps.begin(), steps.end());
  const auto s = static_cast<std::size_t>(seat);
  // the worlds are one up to the step number `from`
  auto attempt = [&](std::size_t from, std::optional<std::size_t> other_at) -> std::optional<Leak> {
    Side mine(playable_), theirs(playable_);
    for (std::size_t i = 0; i <= tape.size(); ++i) {
      const LogsCompared logs = compare_logs(mine.book.lines[s], theirs.book.lines[s]);
      if (logs.ended) return std::nullopt;
      std::optional<Difference> difference;
      const bool rests = mine.sitting.status != Status::chance && theirs.sitting.status != Status::chance;
      if (logs.differ && rests) {
        difference = Difference{"the log", logs.here.text, logs.there.text, logs.here.text.empty() ? logs.there.span : logs.here.span, logs.there.span};
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
        leak.swapped = describe(sitting, swap);
        leak.what = difference->what;
        leak.here = difference->here;
        leak.there = difference->there;
        leak.span = difference->span == Span{} ? seen.span : difference->span;
        leak.span_there = difference->span_there;
        leak.tape.assign(tape.begin(), tape.begin() + static_cast<std::ptrdiff_t>(i));
        return leak;
      }
      if (i == tape.size()) break;
      const bool taken = other_at == i ? take_otherwise(mine.sitting, theirs.sitting, tape[i], swap) : follow(mine.sitting, theirs.sitting, tape[i], seat, i < from ? Swap{} : swap, i >= sitting.tape.size());
      if (!taken) return std::nullopt;
    }
    return std::nullopt;
  };
  if (swap.by_step()) {
    if (auto leak = attempt(sitting.tape.size(), sitting.tape.size())) return leak;
  } else if (swap.kind == Swap::Kind::components) {
    // other from the deal on, or from where chance has brought one of the two: after a shuffle only the last may be hidden
    if (auto leak = attempt(0, std::nullopt)) return leak;
    int tries = 0;
    for (std::size_t i = sitting.tape.size(); i-- > 0 && tries < 4;) {
      if (!tape[i].chance() || (tape[i].value != swap.a && tape[i].value != swap.b)) continue;
      ++tries;
      if (auto leak = attempt(i, std::nullopt)) return leak;
    }
  } else {
    int tries = 0;
    for (std::size_t i = sitting.tape.size(); i-- > 0 && tries < 8;) {
      if (tape[i].seat == seat || !gives_value(tape[i], swap)) continue;
      ++tries;
      if (auto leak = attempt(0, i)) return leak;
    }
  }
  ++unconfirmed;
  return std::nullopt;
}

}  // namespace rip::verify
