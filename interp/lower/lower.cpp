// From checked rules and a box to the IR: the order in which everything is lowered, and the interface.
#include "interp/lower/lower.h"

#include "interp/check/constant.h"
#include "interp/lower/lower_impl.h"

#include <algorithm>

namespace rip {

Lowering::Impl::Impl(const rules::Rules& rules, const Box& the_box, const rules::Config& the_config, LowerOptions the_options)
    : r(rules), box(the_box), config(the_config), options(std::move(the_options)) {
  names.assign(r.locals.size(), ir::kNoNode);
  slots.assign(r.locals.size(), -1);
  lets.resize(r.lets.size());
  claim_used.assign(r.claims.size(), false);
}

void Lowering::Impl::game() {
  cursor = ir::kHeaderSize;
  declare_texts();
  declare_components();
  declare_phases();
  read_flow();
  declare_vars();
  declare_zones();
  state_end = cursor;
  p.score_slot = r.score_seat == kNoId ? p.scratch_slots++ : slot(r.score_seat);
  read_seen_by();
  find_refreshes();
  declare_whens();
  declare_claims();
  jobs.push_back({});
  for (rules::RoutineId id = 0; id < r.routines.size(); ++id) {
    routine_ids[{id, false}] = static_cast<std::int32_t>(jobs.size());
    jobs.push_back({id, kNoId, false});
  }
  for (rules::WhenId id = 0; id < r.whens.size(); ++id) jobs.push_back({kNoId, id, false});
  p.routines.resize(jobs.size());
  // a call in a `together` adds routines while this runs
  for (std::size_t i = 0; i < jobs.size(); ++i) routine(static_cast<std::int32_t>(i));
}

/// What is asked from outside: scores, winners, claims that wait, bounds, reports.
void Lowering::Impl::declare_claims() {
  if (r.score != kNoId) {
    bind_scratch(r.score_seat);
    p.score = needed(r.score);
  }
  if (r.winner != kNoId) p.winner = clause(r.winner, false);
  for (const rules::Claim& claim : r.claims) {
    ir::Claim made;
    made.text = claim.text;
    made.span = claim.span;
    made.kind = static_cast<ir::Claim::Kind>(static_cast<int>(claim.kind));
    const bool waits = !claim.statement && claim.moment == ast::MomentKind::waiting;
    made.at_waiting = waits && !claim.reads_result;
    made.at_end = !claim.statement && (waits || claim.reads_result || claim.moment == ast::MomentKind::end);
    if (!claim.statement && claim.condition != kNoId) made.condition = truth(claim.condition);
    p.claims.push_back(std::move(made));
  }
  for (const rules::Bound& bound : r.bounds) {
    ir::Bound made;
    made.text = bound.text;
    made.span = bound.span;
    made.at_end = bound.reads_result;
    if (bound.clause != kNoId) made.clause = clause(bound.clause, true);
    made.value = needed(bound.value);
    made.low = needed(bound.low);
    made.high = needed(bound.high);
    p.bounds.push_back(std::move(made));
  }
  for (const rules::Report& report : r.reports) p.reports.push_back({report.text, needed(report.value)});
}

/// What follows is code of this routine, with nothing around it.
void Lowering::Impl::begin_code(std::int32_t of_routine, bool together) {
  current = of_routine;
  in_together = together;
  in_setup = false;
  turns_around = -1;
  phases_around.clear();
  loops.clear();
  chooses.clear();
}

/// One routine: its frame lies in one piece behind those before it.
void Lowering::Impl::routine(std::int32_t index) {
  const RoutineJob job = jobs[static_cast<std::size_t>(index)];
  begin_code(index, job.together);
  first_wake = p.wakes.size();
  cursor = (state_end + 7) / 8 * 8;
  const std::int32_t frame = cursor;
  cursor += 8;  // where to go back to, and who acted there
  highest = cursor;
  ir::Routine made;
  made.frame = frame;
  if (index == 0) {
    made.name = "main";
    emit(InstrOp::scenario_end);  // a frame that returns to 0 was entered by a scenario
    made.entry = p.entry = here();
    main_flow();
  } else if (job.rule != kNoId) {
    const rules::Routine& from = r.routines[job.rule];
    made.name = from.name;
    span_now = from.span;
    made.entry = here();
    for (const rules::LocalId param : from.params) {
      const rules::Type& type = r.locals[param].type;
      made.params.push_back(frame_local(type, most_of(type), from.span));
      if (type.shape == rules::Shape::scalar && (type.base == rules::Base::integer || type.base == rules::Base::enumeration)) {
        made.params.back().low = low(type);
        made.params.back().high = high(type);
      }
      names[param] = local_node(made.params.back(), from.span);
    }
    cover(from.cover);
    block(from.body, false);
    span_now = from.span;
    emit(InstrOp::ret);
  } else {
    const rules::When& from = r.whens[job.when];
    made.name = p.whens[job.when].name;
    span_now = from.span;
    made.entry = here();
    if (from.phase != kNoId) phases_around.push_back(from.phase);
    std::set<rules::LetId> found;
    if (from.clause != kNoId) {
      for (const rules::Binder& binder : r.clauses[from.clause].binders) {
        p.whens[job.when].locals.push_back(frame_local(r.locals[binder.local].type, 0, from.span));
        names[binder.local] = local_node(p.whens[job.when].locals.back(), from.span);
      }
      lets_in_clause(from.clause, found);
    } else {
      lets_in(from.condition, found);
    }
    cover(from.cover);
    cover_lets(found);
    block(from.body, false);
    span_now = from.span;
    emit(InstrOp::ret);
  }
  cursor = highest;
  place_waiting();
  made.frame_size = highest - frame;
  state_end = highest;
  p.routines[static_cast<std::size_t>(index)] = std::move(made);
}

void Lowering::Impl::main_flow() {
  // the machine starts the variables of the game before anything runs; what chance names comes first here
  for (rules::VarId id = 0; id < r.vars.size(); ++id) {
    const rules::Var& var = r.vars[id];
    if (var.phase != kNoId || var.local || var.kind == rules::Var::Kind::phase_binding) continue;
    start_value(id);
    draw_start(id);
  }
  for (rules::CoverId id = 0; id < r.covers.size(); ++id)
    if (r.covers[id].kind == rules::CoverPoint::Kind::declaration) cover(id);
  if (options.coverage) cover_declarations();
  if (r.setup == kNoId) p.setup_end = emit(InstrOp::checkpoint);
  for (const rules::Stmt& stmt : r.main) {
    statement(stmt);
    const auto* phase = std::get_if<rules::RunPhase>(&stmt.node);
    if (phase != nullptr && phase->phase == r.setup) p.setup_end = emit(InstrOp::checkpoint);
  }
  emit(InstrOp::finish);
}

// ---- the interface ----------------------------------------------------------------------------------------------

Lowering::Lowering(const rules::Rules& rules, const Box& box, const rules::Config& config, LowerOptions options)
    : impl_(new Impl(rules, box, config, std::move(options))) {}

Lowering::~Lowering() { delete impl_; }

namespace {
/// Keeps what the runtime cannot do yet as data; -1 stands for the node or address that is missing then.
template <class In, class F>
std::int32_t guarded(In& in, F&& f) {
  // expressions that were checked after the game (scenarios, the REPL) bring names of their own
  in.names.resize(in.r.locals.size(), ir::kNoNode);
  in.slots.resize(in.r.locals.size(), -1);
  try {
    return f();
  } catch (const NotSupported& wanted) {
    in.error = wanted.message;
    in.error_span = wanted.span;
  } catch (const ConstantFault& wanted) {
    in.error = wanted.message;
    in.error_span = wanted.span;
  }
  return -1;
}
}  // namespace

void Lowering::game() {
  guarded(*impl_, [&] {
    impl_->game();
    if (!impl_->options.unread) leave_out_unread(impl_->p);
    return 0;
  });
}

ir::Node Lowering::expression(rules::ExprId expr) {
  return guarded(*impl_, [&] { return impl_->expr(expr).type.shape == rules::Shape::set ? impl_->set(expr) : impl_->value_of(expr); });
}

ir::Domain Lowering::domain(rules::ExprId expr) const { return impl_->domain(impl_->expr(expr).type, impl_->expr(expr).span); }

ir::Node Lowering::index_node(rules::VarId var, const std::vector<rules::ExprId>& index) {
  return guarded(*impl_, [&] {
    const Span span = impl_->r.vars[var].span;
    return impl_->position_node(impl_->position(impl_->r.vars[var].index, index, span), span);
  });
}

std::int32_t Lowering::phrase(rules::PhraseId phrase) {
  return guarded(*impl_, [&] { return impl_->phrase(phrase); });
}

ir::Pc Lowering::entry_phase(rules::PhaseId phase, const std::vector<std::pair<rules::VarId, std::int64_t>>& picks) {
  return guarded(*impl_, [&] { return impl_->entry_phase(phase, picks); });
}

ir::Pc Lowering::entry_routine(rules::RoutineId routine, const std::vector<rules::ExprId>& args,
                               const std::vector<std::pair<rules::VarId, std::int64_t>>& picks) {
  return guarded(*impl_, [&] { return impl_->entry_routine(routine, args, picks); });
}

const ir::Program& Lowering::program() {
  impl_->p.size = (impl_->state_end + 15) / 16 * 16;
  return impl_->p;
}

const std::string& Lowering::error() const { return impl_->error; }
Span Lowering::error_span() const { return impl_->error_span; }

}  // namespace rip
