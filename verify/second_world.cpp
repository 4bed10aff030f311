#include "verify/second_world.h"

#include "verify/position.h"

#include <algorithm>

namespace rip::verify {

namespace {

std::int32_t renamed(std::int32_t component, const Swap& swap) {
  if (!swap.renames()) return component;
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

/// The same but for components that are equal for the rules and lie in one zone: one of them stands for all.
bool stands_for(Machine& machine, const State& state, const Move& wanted, const Move& other) {
  if (other.option != wanted.option || other.size != wanted.size) return false;
  const ir::Program& program = machine.program();
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
}

/// The move names a card in a row which is another one there. If that one is not offered, an equal one stands for it: at
/// another place of the row, which others see.
bool names_a_place(Waiting there, const Move& move, const Move& wanted) {
  for (std::int32_t k = 0; k < move.size; ++k) {
    const std::int32_t other = wanted.args[static_cast<std::size_t>(k)];
    if (other == move.args[static_cast<std::size_t>(k)]) continue;
    if (there.machine.program().zones[static_cast<std::size_t>(there.machine.zone_of(there.state, other))].kind == ir::ZoneKind::row) return true;
  }
  return false;
}

/// The number of the first of those that `fits` accepts: the renamed move, one that stands for it, the move itself.
template <class F>
std::int64_t same_among(const std::vector<Move>& moves, Waiting there, const Move& move, const Move& wanted, F&& fits) {
  const auto number = [&](const auto& same) {
    const auto at = std::find_if(moves.begin(), moves.end(), [&](const Move& other) { return same(other) && fits(other); });
    return at == moves.end() ? -1 : at - moves.begin();
  };
  std::int64_t at = number([&](const Move& other) { return other == wanted; });
  if (at < 0 && names_a_place(there, move, wanted)) return -1;
  if (at < 0) at = number([&](const Move& other) { return stands_for(there.machine, there.state, wanted, other); });
  if (at < 0) at = number([&](const Move& other) { return other == move; });
  return at;
}

/// Does a move read as this one to the viewer? Of what another seat does secretly it reads nothing.
auto reads_as(Waiting here, Waiting there, const Move& move, bool own, int viewer) {
  const bool unseen = !own && here.machine.program().options[static_cast<std::size_t>(move.option)].secretly;
  return [=, text = unseen ? "" : here.machine.text_for(here.state, move, viewer)](const Move& other) {
    return unseen || there.machine.text_for(there.state, other, viewer) == text;
  };
}

}  // namespace

bool takes_swapped(const ir::Program& program, const Move& move, const Swap& swap) {
  bool found = false;
  each_component(program, move, [&](std::int32_t c) { found = found || (c >= 0 && (c == swap.a || c == swap.b)); });
  return found;
}

std::int64_t same_move(Waiting here, Waiting there, const Step& step, const Swap& swap, int viewer) {
  const Move wanted = renamed(here.machine.program(), step.move, swap);
  const auto fits = reads_as(here, there, step.move, step.seat == viewer, viewer);
  const auto number_of = [&](const Move& other) -> std::int64_t {
    const auto number = there.machine.number_of(there.state, step.seat, other);
    return number && fits(other) ? static_cast<std::int64_t>(*number) : -1;
  };
  if (const std::int64_t number = number_of(wanted); number >= 0) return number;
  if (there.machine.count_moves(there.state, step.seat) > kManyMoves) return names_a_place(there, step.move, wanted) ? -1 : number_of(step.move);
  std::vector<Move> moves;
  there.machine.legal_moves(there.state, step.seat, moves);
  return same_among(moves, there, step.move, wanted, fits);
}

std::int64_t same_outcome(Waiting here, const Outcome& outcome, Waiting there, const std::vector<Outcome>& all, const Swap& swap, bool parted,
                          int viewer) {
  const ChanceKind what = chance_what(here.state);
  if (what != chance_what(there.state)) return -1;
  if (what == ChanceKind::which) {
    std::vector<Move> moves;
    for (const Outcome& other : all) moves.push_back(there.machine.meant(there.state, other));
    const Move move = here.machine.meant(here.state, outcome);
    return same_among(moves, there, move, renamed(there.machine.program(), move, swap), reads_as(here, there, move, false, viewer));
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

std::int64_t outcome_with(const std::vector<Outcome>& outcomes, std::int64_t value) {
  const auto at = std::find_if(outcomes.begin(), outcomes.end(), [&](const Outcome& outcome) { return outcome.value == value; });
  return at == outcomes.end() ? -1 : at - outcomes.begin();
}

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

}  // namespace rip::verify
