// Which second world is worth a look: what a step is about to take or touch, what the last one took, or anything hidden.
#include "verify/position.h"
#include "verify/twins.h"

#include <algorithm>

namespace rip::verify {

namespace {
constexpr int kFaceUp = 0;  ///< in a bag it shows as soon as it lies on top
}

/// One of the moves that are open: often one that takes a swapped component, else one of the kind that came least often.
bool Twins::pick_move(State& state, const Swap& swap, Rng& rng, Step& step) {
  step = Step{};
  step.seat = here_.to_move(state);
  const std::uint64_t count = here_.count_moves(state, step.seat);
  if (count == 0) return false;
  step.of = static_cast<std::uint32_t>(count);
  const auto take = [&](std::uint64_t index, const Move& move) {
    step.index = static_cast<std::uint32_t>(index);
    step.move = move;
  };
  if (count == 1 || rng.below(4) == 0) {
    Move move;
    const std::uint64_t index = rng.below(count);
    if (!here_.nth_move(state, step.seat, index, move)) return false;
    take(index, move);
  } else {
    std::vector<std::uint64_t> numbers;
    moves_.clear();
    if (count <= kManyMoves) {
      here_.legal_moves(state, step.seat, moves_);
      for (std::uint64_t i = 0; i < moves_.size(); ++i) numbers.push_back(i);
    } else {
      constexpr int kSamples = 16;
      for (int i = 0; i < kSamples; ++i) {
        const std::uint64_t index = rng.below(count);
        Move move;
        if (!here_.nth_move(state, step.seat, index, move)) return false;
        moves_.push_back(move);
        numbers.push_back(index);
      }
    }
    const bool follow = swap.renames() && rng.below(2) == 0;
    const auto rank = [&](const Move& move) {
      return std::pair(follow && !takes_swapped(program_, move, swap), taken_[static_cast<std::size_t>(move.option)]);
    };
    auto least = rank(moves_.front());
    for (const Move& move : moves_) least = std::min(least, rank(move));
    std::uint64_t equal = 0;
    for (std::size_t i = 0; i < moves_.size(); ++i) {
      if (rank(moves_[i]) == least && rng.below(++equal) == 0) take(numbers[i], moves_[i]);
    }
  }
  ++taken_[static_cast<std::size_t>(step.move.option)];
  return true;
}

/// Components that lie elsewhere after the step.
void Twins::touched_by(const State& state, const Step& first, std::vector<std::int32_t>& out) {
  State next = state;
  here_.decide(next, first.seat, first.move);
  run_on(here_, next);
  for (std::int32_t c = 0; c < static_cast<std::int32_t>(program_.components.size()); ++c) {
    if (here_.zone_of(state, c) != here_.zone_of(next, c)) out.push_back(c);
  }
}

bool Twins::pick_swap(State& state, const Tape& tape, const Step& first, int seat, Rng& rng, Swap& swap) {
  const bool variable = hidden_variables_ && (!hidden_components_ || rng.below(4) == 0);
  return variable ? pick_variable(state, tape, seat, rng, swap) : pick_components(state, tape, first, seat, rng, swap);
}

bool Twins::hidden(State& state, std::int32_t c, int seat) {
  const ir::ComponentType& type = program_.types[static_cast<std::size_t>(program_.components[static_cast<std::size_t>(c)].type)];
  return !type.die && type.hidden_side && (here_.known(state, c) >> seat & 1u) == 0;
}

bool Twins::pick_components(State& state, const Tape& tape, const Step& first, int seat, Rng& rng, Swap& swap) {
  const auto n = static_cast<std::int32_t>(program_.components.size());
  if (n < 2) return false;
  std::vector<std::int32_t> about;
  switch (rng.below(6)) {
    case 0:
    case 1: each_component(program_, first.move, [&](std::int32_t c) { about.push_back(c); }); break;
    case 2: touched_by(state, first, about); break;
    case 3:
      if (!tape.empty() && !tape.back().chance()) each_component(program_, tape.back().move, [&](std::int32_t c) { about.push_back(c); });
      break;
    default: break;
  }
  std::erase_if(about, [&](std::int32_t c) { return c < 0 || c >= n || !hidden(state, c, seat); });
  // each type is as likely as any other, so that a large deck does not hide a small one
  std::vector<std::vector<std::int32_t>> by_type(program_.types.size());
  for (std::int32_t c = 0; c < n; ++c) {
    if (hidden(state, c, seat)) by_type[static_cast<std::size_t>(program_.components[static_cast<std::size_t>(c)].type)].push_back(c);
  }
  std::vector<const std::vector<std::int32_t>*> types;
  for (const auto& all : by_type) {
    if (all.size() >= 2) types.push_back(&all);
  }
  if (types.empty()) return false;
  for (int tries = 0; tries < 24; ++tries) {
    const std::vector<std::int32_t>* all = types[rng.below(types.size())];
    const std::vector<std::int32_t>& from = about.empty() || tries >= 12 ? *all : about;
    swap.a = from[rng.below(from.size())];
    const ir::Component& x = program_.components[static_cast<std::size_t>(swap.a)];
    all = &by_type[static_cast<std::size_t>(x.type)];
    swap.b = (*all)[rng.below(all->size())];
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
  swap.kind = Swap::Kind::variable;
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

/// Another option that may be taken secretly.
bool Twins::pick_decision(State& state, Rng& rng, const Step& first, Swap& swap) {
  for (int tries = 0; tries < 8; ++tries) {
    if (!here_.nth_move(state, first.seat, rng.below(first.of), swap.other_move)) return false;
    if (swap.other_move == first.move || !program_.options[static_cast<std::size_t>(swap.other_move.option)].secretly) continue;
    swap.kind = Swap::Kind::decision;
    swap.move = first.move;
    return true;
  }
  return false;
}

/// Two outcomes that a seat need not see: components that come from a bag, or what a hidden variable gets.
bool Twins::pick_outcome(State& state, Rng& rng, Step& first, Swap& swap) {
  const ChanceKind what = chance_what(state);
  const ir::Instr& instr = program_.code[static_cast<std::size_t>(header_of(state).pc)];
  const bool variable = what == ChanceKind::random && instr.op == ir::InstrOp::random;
  if (variable) swap.var = program_.targets[static_cast<std::size_t>(instr.a)].var;
  if (variable ? program_.vars[static_cast<std::size_t>(swap.var)].known < 0 : what != ChanceKind::settle) return false;
  std::vector<Outcome> outcomes;
  here_.outcomes(state, outcomes);
  if (outcomes.size() < 2) return false;
  first.index = static_cast<std::uint32_t>(rng.below(outcomes.size()));
  first.of = static_cast<std::uint32_t>(outcomes.size());
  first.value = outcomes[first.index].value;
  std::size_t other = rng.below(outcomes.size() - 1);
  if (other >= first.index) ++other;
  swap.kind = Swap::Kind::chance;
  swap.value = first.value;
  swap.other = outcomes[other].value;
  if (variable) return true;
  swap.a = first.value;
  swap.b = outcomes[other].value;
  const ir::Component& x = program_.components[static_cast<std::size_t>(swap.a)];
  const ir::Component& y = program_.components[static_cast<std::size_t>(swap.b)];
  if (x.front_class == y.front_class || x.back_class != y.back_class || x.owner != y.owner) return false;
  return here_.face(state, swap.a) != kFaceUp && here_.face(state, swap.b) != kFaceUp;
}

}  // namespace rip::verify
