// Ways into the middle of the rules, for scenarios: to the beginning of a phase, or to one rule alone.
#include "interp/lower/lower_impl.h"

#include <algorithm>

namespace rip {

std::vector<rules::PhaseId> Lowering::Impl::phases_down_to(rules::PhaseId id) const {
  std::vector<rules::PhaseId> path;
  for (; id != kNoId; id = r.phases[id].parent) path.insert(path.begin(), id);
  return path;
}

/// Enters a phase and its first pass, up to where its body begins.
void Lowering::Impl::enter_phase(rules::PhaseId id, const std::vector<std::pair<rules::VarId, std::int64_t>>& picks) {
  const rules::Phase& phase = r.phases[id];
  const PhaseCode& code = phase_code[id];
  span_now = phase.span;
  emit(InstrOp::phase_begin, static_cast<std::int32_t>(id));
  phases_around.push_back(id);
  if (code.made_for >= 0) {
    emit(InstrOp::for_begin, code.made_for);
    for (std::size_t i = 0; i < phase.bindings.size(); ++i)
      for (const auto& [var, wanted] : picks)
        if (var == phase.bindings[i]) emit(InstrOp::for_pick, code.made_for, static_cast<std::int32_t>(i), static_cast<std::int32_t>(wanted));
    emit(InstrOp::for_next, code.made_for, code.done);
  }
  if (code.made_turns >= 0) {
    if (code.random_from != kNoId) {
      with_chance(
          code.random_from, [&](rules::ExprId from) { draw_into(InstrOp::let_random, code.seat_local, from); },
          [&](rules::ExprId from) { emit(InstrOp::let, code.seat_local, scalar(from)); });
    }
    emit(InstrOp::turns_begin, code.made_turns);
    emit(InstrOp::turns_seek, code.made_turns, code.done);
  }
  if (code.limit != ir::kNoNode) emit(InstrOp::count_pass, code.counter, code.limit, -1);
  start_vars(phase.variables);
}

Pc Lowering::Impl::entry_phase(rules::PhaseId id, const std::vector<std::pair<rules::VarId, std::int64_t>>& picks) {
  begin_code(0, false);
  std::vector<rules::PhaseId> path = phases_down_to(id);
  if (p.phases[id].routine != 0) {
    throw NotSupported{r.phases[id].span, "a scenario cannot start at a phase inside of a rule yet; use `start do`"};
  }
  path.pop_back();
  const Pc entry = here();
  for (const rules::PhaseId around : path) enter_phase(around, picks);
  span_now = r.phases[id].span;
  emit(InstrOp::checkpoint);
  const PhaseCode& code = phase_code[id];
  if (code.pass >= 0) {
    // its first pass comes even if `until` holds already
    emit(InstrOp::phase_begin, static_cast<std::int32_t>(id));
    emit(InstrOp::jump, code.pass);
  } else if (code.made_for >= 0 && std::any_of(picks.begin(), picks.end(), [&](const auto& pick) {
               return std::find(r.phases[id].bindings.begin(), r.phases[id].bindings.end(), pick.first) != r.phases[id].bindings.end();
             })) {
    emit(InstrOp::phase_begin, static_cast<std::int32_t>(id));
    emit(InstrOp::for_begin, code.made_for);
    for (std::size_t i = 0; i < r.phases[id].bindings.size(); ++i)
      for (const auto& [var, wanted] : picks)
        if (var == r.phases[id].bindings[i]) emit(InstrOp::for_pick, code.made_for, static_cast<std::int32_t>(i), static_cast<std::int32_t>(wanted));
    emit(InstrOp::jump, code.next);
  } else {
    emit(InstrOp::jump, code.begin);
  }
  phases_around.clear();
  return entry;
}

Pc Lowering::Impl::entry_routine(rules::RoutineId id, const std::vector<rules::ExprId>& args,
                                 const std::vector<std::pair<rules::VarId, std::int64_t>>& picks) {
  begin_code(0, false);
  const rules::Routine& called = r.routines[id];
  const Pc entry = here();
  if (called.phase != kNoId && r.phases[called.phase].parent != kNoId) {
    const rules::PhaseId parent = r.phases[called.phase].parent;
    if (p.phases[parent].routine != 0) throw NotSupported{called.span, "a scenario cannot start at a phase inside of a rule yet"};
    for (const rules::PhaseId around : phases_down_to(parent)) enter_phase(around, picks);
  }
  span_now = called.span;
  emit(InstrOp::checkpoint);
  std::vector<std::int32_t> nodes;
  for (std::size_t i = 0; i < called.params.size(); ++i) nodes.push_back(argument(called.params[i], args[i]));
  emit(InstrOp::call, routine_index(id), pool(nodes));
  emit(InstrOp::scenario_end);
  phases_around.clear();
  return entry;
}

}  // namespace rip
