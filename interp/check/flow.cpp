// Phases, rules and triggers as wholes: their headers, what they bind, what they need from where they are used.
#include "interp/check/checker.h"

#include <fmt/format.h>

namespace rip::check {

using rules::ExprId;
using rules::Type;
using CoverKind = rules::CoverPoint::Kind;

// Where the phase stands, in the context around it. The names of a `for` header become variables of the phase.
void Checker::emit_phase(rules::PhaseId id) {
  const ast::Phase& n = *phases_[id].decl;
  Context inside = context_;
  inside.phase = id;
  inside.in_loop = false;
  const std::size_t mark = open_scope();
  rules_.phases[id].loop.reset();
  if (n.loop) {
    const bool is_for = std::holds_alternative<ast::ForLoop>(*n.loop);
    hidden_header_ = id;
    rules_.phases[id].loop = header(*n.loop, inside);
    hidden_header_ = kNoId;
    if (is_for) {
      const rules::Clause& over = rules_.clauses[std::get<rules::ForLoop>(*rules_.phases[id].loop).clause];
      for (std::size_t i = 0; i < over.binders.size() && i < rules_.phases[id].bindings.size(); ++i) {
        const rules::VarId var = rules_.phases[id].bindings[i];
        if (var != kNoId) rules_.vars[var].type = rules_.locals[over.binders[i].local].type;
      }
    }
    scope_.resize(mark);  // from here on its names are variables, which players see
  }
  rules_.phases[id].cover = cover(CoverKind::branch, "", phases_[id].span, {&phases_[id].tags, &n.body->tags});
  const Restore<Context> context(context_, inside);
  for (const rules::VarId var : rules_.phases[id].variables) {
    emit_var_type(var, *var_infos_[var].decl, var_infos_[var].tags);
    // As declared: without the names around.
    std::vector<LocalName> none;
    const Restore<std::vector<LocalName>> scope(scope_, none);
    emit_var(var, *var_infos_[var].decl);
  }
  rules_.phases[id].body = block(*n.body);
  close_scope(mark);
}

void Checker::emit_routine(rules::RoutineId id) {
  if (routines_[id].emitted) return;
  routines_[id].emitted = true;
  Context inside;
  inside.me = Context::Me::caller;
  inside.routine = id;
  std::vector<LocalName> none;
  const Restore<Context> context(context_, inside);
  const Restore<std::vector<LocalName>> scope(scope_, none);
  const Restore<bool> names(use_seats_, false);
  const Restore<bool> result(reads_result_, false);
  const std::vector<ast::Param>& params = *routines_[id].params_decl;
  rules_.routines[id].params.clear();
  for (std::size_t i = 0; i < params.size(); ++i) {
    if (routines_[id].declared[i]) routines_[id].params[i] = resolve_type(*params[i].type, TypeUse::parameter);
    const rules::LocalId local = bind_local(params[i].name, routines_[id].params[i], false);
    local_is_ring_[local] = routines_[id].declared[i];
    rules_.routines[id].params.push_back(local);
  }
  if (routines_[id].phase != nullptr) {
    const rules::PhaseId phase = rules_.routines[id].phase;
    emit_phase(phase);
    rules_.routines[id].cover = rules_.phases[phase].cover;
    rules::Stmt run;
    run.span = phases_[phase].span;
    run.node = rules::RunPhase{phase};
    rules_.routines[id].body.clear();
    rules_.routines[id].body.push_back(std::move(run));
  } else {
    const ast::RuleDecl& rule = *routines_[id].rule;
    rules_.routines[id].cover = cover(CoverKind::branch, "", routines_[id].span, {&routines_[id].tags, &rule.body->tags});
    rules_.routines[id].body = block(*rule.body);
  }
  close_scope(0);
}

// Sees no local names: it listens wherever play is. Its own names are bound anew for each run.
void Checker::emit_when(rules::WhenId id) {
  const ast::When& n = *whens_[id].decl;
  Context inside;
  inside.phase = rules_.whens[id].phase;
  inside.in_when = true;
  const Restore<Context> context(context_, inside);
  const std::size_t mark = open_scope();
  if (n.clause != nullptr) rules_.whens[id].clause = clause(*n.clause, {});
  else rules_.whens[id].condition = condition(*n.condition);
  rules_.whens[id].cover = cover(CoverKind::trigger, "", whens_[id].span, {&whens_[id].tags, &n.body->tags});
  rules_.whens[id].body = block(*n.body);
  close_scope(mark);
}

}  // namespace rip::check
