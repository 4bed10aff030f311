// Phases and loops: the order of play. What a loop keeps lies in the frame of its routine and is cleared behind it.
#include "interp/lower/lower_impl.h"

#include <algorithm>

namespace rip {

namespace {
constexpr std::int64_t kMostRows = 4096;
}

/// Rules and phases that may run within the block, triggers not counted.
void Lowering::Impl::flow_in(const rules::Block& stmts, std::set<rules::RoutineId>& routines, std::uint64_t& phases) const {
  for_each_statement(stmts, [&](const rules::Stmt& stmt) {
    if (const auto* phase = std::get_if<rules::RunPhase>(&stmt.node)) {
      phases |= std::uint64_t{1} << phase->phase;
      flow_in(r.phases[phase->phase].body, routines, phases);
    } else if (const auto* called = std::get_if<rules::DoRoutine>(&stmt.node)) {
      if (routines.insert(called->routine).second) flow_in(r.routines[called->routine].body, routines, phases);
    }
  });
}

std::uint64_t Lowering::Impl::within(const rules::Block& stmts) const {
  std::set<rules::RoutineId> routines;
  std::uint64_t phases = when_phases;
  flow_in(stmts, routines, phases);
  return phases;
}

void Lowering::Impl::read_flow() {
  for (const rules::When& when : r.whens) flow_in(when.body, when_routines, when_phases);
  for (const rules::Phase& phase : r.phases) {
    std::set<rules::RoutineId> routines = when_routines;
    std::uint64_t phases = 0;
    flow_in(phase.body, routines, phases);
    phase_routines.push_back(std::move(routines));
    inside.push_back(phases | when_phases);
  }
  if (r.setup != kNoId) setup_routines = phase_routines[r.setup];
}

/// Something in the block stops the game, so that what the frame holds can be told apart.
bool Lowering::Impl::decides(const rules::Block& stmts) const {
  bool found = false;
  for_each_statement(stmts, [&](const rules::Stmt& stmt) {
    found = found || std::holds_alternative<rules::Choose>(stmt.node) || std::holds_alternative<rules::RunPhase>(stmt.node) ||
            std::holds_alternative<rules::DoRoutine>(stmt.node);
  });
  return found;
}

void Lowering::Impl::run_passes(const Passes& passes) {
  const std::int32_t begin = cursor;
  passes.pass();
  cursor = begin;
}

/// The body of a loop, and the way back to where its next pass begins.
void Lowering::Impl::run_passes_again(const Passes& passes, Span span, Pc next) {
  const std::int32_t begin = cursor;
  run_passes(passes);
  span_now = span;
  passes.ends();
  if (passes.clears) clear(begin, highest);
  emit(InstrOp::jump, next);
}

void Lowering::Impl::loop(const rules::LoopHeader& header, Label& done, const Passes& passes, PhaseCode& code) {
  if (const auto* each = std::get_if<rules::ForLoop>(&header)) for_loop(*each, done, passes, code);
  else if (const auto* repeat = std::get_if<rules::RepeatLoop>(&header)) repeat_loop(*repeat, done, passes, code);
  else turns_loop(std::get<rules::TurnsLoop>(header), done, passes, code);
}

void Lowering::Impl::for_loop(const rules::ForLoop& header, Label& done, const Passes& passes, PhaseCode& code) {
  const Span span = span_now;
  const rules::Clause& from = r.clauses[header.clause];
  ir::For made;
  made.clause = clause(header.clause, true);
  made.capacity = static_cast<std::int32_t>(std::clamp<std::int64_t>(most_bindings(header.clause), 1, kMostRows));
  const auto width_of_row = static_cast<std::int32_t>(from.binders.size());
  made.state = allocate(8 + 4 * made.capacity * width_of_row, 4);
  code.kept_to = cursor;
  for (std::size_t i = 0; i < from.binders.size(); ++i) {
    const rules::Local& name = r.locals[from.binders[i].local];
    const rules::VarId holder = passes.bindings == nullptr ? kNoId : (*passes.bindings)[i];
    if (holder != kNoId) made.locals.push_back({ir::LocalKind::scalar, p.vars[holder].cell, {}, 0, p.vars[holder].component});
    else made.locals.push_back(frame_local(name.type, 0, span));
    names[from.binders[i].local] = local_node(made.locals.back(), name.span);
  }
  const auto index = static_cast<std::int32_t>(p.fors.size());
  p.fors.push_back(std::move(made));
  code.made_for = index;
  emit(InstrOp::for_begin, index);
  const Pc next = emit(InstrOp::for_next, index);
  refer(done, next, 1);
  code.next = next;
  run_passes_again(passes, span, next);
}

void Lowering::Impl::count_pass(const rules::Limit& limit, Label& done, PhaseCode& code) {
  if (limit.kind == ast::Limit::Kind::none) return;
  const bool cuts = limit.kind == ast::Limit::Kind::cut_off;
  if (!cuts && !options.claims) return;
  code.limit = needed(limit.value);
  const Pc counted = emit(InstrOp::count_pass, code.counter, code.limit, -1);
  if (cuts) refer(done, counted, 2);
}

void Lowering::Impl::repeat_loop(const rules::RepeatLoop& header, Label& done, const Passes& passes, PhaseCode& code) {
  const Span span = span_now;
  if (header.limit.kind != ast::Limit::Kind::none) code.counter = allocate(4, 4);
  code.kept_to = cursor;
  const Pc test = here();
  if (header.until != kNoId) branch(negate(truth(header.until), span), done);
  code.pass = here();
  count_pass(header.limit, done, code);
  run_passes_again(passes, span, test);
}

void Lowering::Impl::turns_loop(const rules::TurnsLoop& header, Label& done, const Passes& passes, PhaseCode& code) {
  const Span span = span_now;
  ir::Turns made;
  made.saved_me = allocate_cell(ir::Width::i32);
  made.seat = allocate_cell(ir::Width::i8);
  if (header.limit.kind != ast::Limit::Kind::none) code.counter = allocate(4, 4);
  code.kept_to = cursor;
  if (has_random(header.from)) {
    const ir::FrameLocal seat{ir::LocalKind::scalar, made.seat, {}, 0, false, ir::kSeatText};
    code.seat_local = keep_frame_local(seat);
    code.random_from = header.from;
    with_chance(
        header.from, [&](rules::ExprId id) { draw_into(InstrOp::let_random, code.seat_local, id); },
        [&](rules::ExprId id) { emit(InstrOp::let, code.seat_local, scalar(id)); });
    made.from = local_node(seat, span);
  } else {
    made.from = scalar(header.from);
  }
  if (header.then != kNoId) made.then = needed(header.then);
  if (header.where != kNoId) made.where = truth(header.where);
  if (header.until != kNoId) made.until = truth(header.until);
  made.running_mask = ~passes.running;
  const auto index = static_cast<std::int32_t>(p.turns.size());
  p.turns.push_back(made);
  code.made_turns = index;
  emit(InstrOp::turns_begin, index);
  const Pc seek = emit(InstrOp::turns_seek, index);
  refer(done, seek, 1);
  count_pass(header.limit, done, code);
  const std::int32_t around_here = turns_around;
  turns_around = index;
  const std::int32_t begin = cursor;
  run_passes(passes);
  span_now = span;
  p.turns[static_cast<std::size_t>(index)].end_of_pass = here();
  passes.ends();
  clear(begin, highest);
  emit(InstrOp::turns_next, index);
  emit(InstrOp::jump, seek);
  turns_around = around_here;
}

void Lowering::Impl::run_loop(const rules::Loop& node) {
  const std::int32_t begin = cursor;
  const std::int32_t highest_around = highest;
  highest = cursor;
  Label done;
  OpenLoop open{&done, chooses.size(), false};
  loops.push_back(&open);
  Passes passes;
  passes.pass = [&] {
    cover(node.cover);
    block(node.body, false);
  };
  passes.ends = [] {};
  passes.clears = decides(node.body);
  if (std::holds_alternative<rules::TurnsLoop>(node.header)) passes.running = within(node.body);
  PhaseCode code;
  cover_header(node.header);
  loop(node.header, done, passes, code);
  loops.pop_back();
  place(done);
  if (code.made_turns >= 0) emit(InstrOp::restore_me, p.turns[static_cast<std::size_t>(code.made_turns)].saved_me.offset);
  // a `for` that has run out has cleared its rows itself
  clear(code.made_for >= 0 && !open.stopped ? code.kept_to : begin, highest);
  cursor = begin;
  highest = std::max(highest, highest_around);
}

void Lowering::Impl::run_phase(rules::PhaseId id) {
  const rules::Phase& phase = r.phases[id];
  PhaseCode& code = phase_code[id];
  if (code.begin >= 0) throw NotSupported{phase.span, "a phase that runs both inside and outside of `together` is not supported yet"};
  const Span span = span_now;
  span_now = phase.span;
  const std::int32_t begin = cursor;
  const std::int32_t highest_around = highest;
  highest = cursor;
  const bool in_setup_around = in_setup;
  in_setup = in_setup || id == r.setup;
  ir::Phase& made = p.phases[id];
  made.saved_me = allocate_cell(ir::Width::i32);
  made.routine = current;
  made.ancestors = ~inside[id];
  const std::int32_t kept = cursor;
  code.begin = emit(InstrOp::phase_begin, static_cast<std::int32_t>(id));
  phases_around.push_back(id);
  Label done;
  Label stopped;
  OpenLoop open{&stopped, chooses.size(), false};
  Passes passes;
  passes.pass = [&] {
    cover(phase.cover);
    start_vars(phase.variables);
    span_now = phase.span;
    claims_at(ast::MomentKind::phase_begins, id, {});
    block(phase.body, false);
  };
  passes.ends = [&] {
    span_now = phase.span;
    claims_at(ast::MomentKind::phase_ends, id, {});
  };
  passes.clears = decides(phase.body);
  passes.bindings = &phase.bindings;
  passes.running = within(phase.body);
  const std::int32_t turns_outside = turns_around;
  if (phase.loop) {
    cover_header(*phase.loop);
    loops.push_back(&open);
    loop(*phase.loop, done, passes, code);
    loops.pop_back();
  } else {
    run_passes(passes);
    passes.ends();
    jump(done);
  }
  turns_around = turns_outside;
  // `stop` and `end phase` come in here: the pass has ended too
  place(stopped);
  p.phases[id].exit = here();
  passes.ends();
  place(done);
  code.done = here();
  clear(kept, highest);
  emit(InstrOp::phase_end, static_cast<std::int32_t>(id));
  phases_around.pop_back();
  in_setup = in_setup_around;
  cursor = begin;
  highest = std::max(highest, highest_around);
  span_now = span;
}

}  // namespace rip
