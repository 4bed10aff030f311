// The order of play: phases, loops, branches, decisions.
#include "interp/lower/lower_impl.h"

#include <algorithm>

namespace rip {

using ir::InstrOp;
using ir::Node;
using ir::NodeOp;

namespace {
constexpr std::int32_t kMaxRows = 4096;
constexpr std::int32_t kMaxArgs = 30;
}  // namespace

void Lowering::Impl::moment(rules::PhaseId phase, bool begins) {
  if (!options.claims || phase == rules::kNoId) return;
  const auto wanted = begins ? ast::MomentKind::phase_begins : ast::MomentKind::phase_ends;
  for (std::size_t i = 0; i < r.claims.size(); ++i) {
    const rules::Claim& claim = r.claims[i];
    if (claim.statement || claim.moment != wanted || claim.phase != phase) continue;
    if (claim.condition != rules::kNoId) p.claims[i].condition = scalar(claim.condition);
    span = claim.span;
    emit(InstrOp::claim, static_cast<std::int32_t>(i));
  }
}

/// The code of a loop. A pass runs `body`; `bindings` are the variables of a phase header, null for a statement.
template <class F>
void Lowering::Impl::loop_code(const rules::LoopHeader& header, const std::vector<rules::VarId>* bindings, rules::PhaseId phase, F&& body) {
  const Span where = span;
  now.loops.push_back({{}, now.chooses.size()});
  PhaseEntry entry;
  auto counter_for = [&](const rules::Limit& limit, ir::Pc& used_up) -> ir::Cell {
    used_up = -1;
    if (limit.kind == ast::Limit::Kind::none) return {};
    if (limit.kind == ast::Limit::Kind::at_most && !options.claims) return {};
    ir::Cell cell{allocate(4, 4), ir::Width::i32};
    emit(InstrOp::clear, cell.offset, 4);
    return cell;
  };
  auto count = [&](const rules::Limit& limit, ir::Cell cell) -> ir::Pc {
    if (limit.kind == ast::Limit::Kind::none || cell.offset == 0) return -1;
    const Node most = scalar(limit.value);
    span = where;
    return emit(InstrOp::count_pass, cell.offset, most, limit.kind == ast::Limit::Kind::cut_off ? 0 : -1);
  };
  std::vector<ir::Pc> ends;  // instructions whose target is the end of the loop
  std::int32_t restore = -1;
  const std::int32_t outer_turns = now.turns;

  if (const auto* each = std::get_if<rules::ForLoop>(&header)) {
    ir::For made;
    const rules::Clause& clause_of = r.clauses[each->clause];
    made.clause = clause(each->clause, true);
    std::int64_t rows = 1;
    for (std::size_t i = 0; i < clause_of.binders.size(); ++i) {
      const rules::LocalId local_id = clause_of.binders[i].local;
      const rules::Type& type = r.locals[local_id].type;
      // `_` in a phase header has no variable
      if (bindings != nullptr && (*bindings)[i] != rules::kNoId) {
        made.locals.push_back({ir::LocalKind::scalar, p.vars[(*bindings)[i]].cell, {}, 0});
      } else {
        made.locals.push_back(frame_local(type, where));
      }
      places[local_id] = place_of(made.locals.back());
      const std::int64_t size = type.base == rules::Base::component ? static_cast<std::int64_t>(box.components.size())
                                : type.base == rules::Base::seat    ? box.players
                                                                    : type.high - type.low + 1;
      rows = std::min<std::int64_t>(kMaxRows, rows * std::max<std::int64_t>(1, size));
    }
    made.capacity = static_cast<std::int32_t>(rows);
    made.state = allocate(8 + 4 * made.capacity * static_cast<std::int32_t>(made.locals.size()), 4);
    p.fors.push_back(std::move(made));
    entry.for_index = static_cast<std::int32_t>(p.fors.size() - 1);
    span = where;
    emit(InstrOp::for_begin, entry.for_index);
    const ir::Pc next = emit(InstrOp::for_next, entry.for_index, 0);
    entry.enter = next;
    if (phase != rules::kNoId) entries[phase] = entry;
    body();
    span = where;
    emit(InstrOp::jump, next);
    p.code[static_cast<std::size_t>(next)].b = here();
  } else if (const auto* repeat = std::get_if<rules::RepeatLoop>(&header)) {
    ir::Pc unused = 0;
    const ir::Cell counter = counter_for(repeat->limit, unused);
    if (counter.offset != 0) entry.counters.push_back(counter);
    const ir::Pc test = here();
    if (repeat->until != rules::kNoId) {
      const Node done = scalar(repeat->until);
      span = where;
      ends.push_back(emit(InstrOp::branch_false, add(NodeOp::logical_not, done), 0));
    }
    entry.enter = here();
    const ir::Pc counted_at = count(repeat->limit, counter);
    if (phase != rules::kNoId) entries[phase] = entry;
    body();
    span = where;
    emit(InstrOp::jump, test);
    if (counted_at >= 0 && repeat->limit.kind == ast::Limit::Kind::cut_off) p.code[static_cast<std::size_t>(counted_at)].c = here();
  } else {
    const auto& turns = std::get<rules::TurnsLoop>(header);
    ir::Turns made;
    made.from = scalar(turns.from);
    made.then = turns.then == rules::kNoId ? ir::kNoNode : scalar(turns.then);
    made.where = turns.where == rules::kNoId ? ir::kNoNode : scalar(turns.where);
    made.until = turns.until == rules::kNoId ? ir::kNoNode : scalar(turns.until);
    made.seat = allocate_cell(0, box.players);
    made.saved_me = {allocate(4, 4), ir::Width::i32};
    made.running_mask = now.phases;
    restore = made.saved_me.offset;
    ir::Pc unused = 0;
    const ir::Cell counter = counter_for(turns.limit, unused);
    if (counter.offset != 0) entry.counters.push_back(counter);
    p.turns.push_back(made);
    const auto index = static_cast<std::int32_t>(p.turns.size() - 1);
    entry.turns_index = index;
    span = where;
    emit(InstrOp::turns_begin, index);
    const ir::Pc seek = emit(InstrOp::turns_seek, index, 0);
    ends.push_back(seek);
    entry.enter = here();
    const ir::Pc counted_at = count(turns.limit, counter);
    if (phase != rules::kNoId) entries[phase] = entry;
    now.turns = index;
    body();
    now.turns = outer_turns;
    span = where;
    p.turns[static_cast<std::size_t>(index)].end_of_pass = here();
    emit(InstrOp::turns_next, index);
    emit(InstrOp::jump, seek);
    if (counted_at >= 0 && turns.limit.kind == ast::Limit::Kind::cut_off) p.code[static_cast<std::size_t>(counted_at)].c = here();
  }
  for (const ir::Pc end : ends) p.code[static_cast<std::size_t>(end)].b = here();
  // a pass that was stopped has ended too
  if (!now.loops.back().stops.empty()) {
    bool claimed = false;
    const ir::Pc over = phase != rules::kNoId ? emit(InstrOp::jump) : -1;
    for (const ir::Pc jump : now.loops.back().stops) p.code[static_cast<std::size_t>(jump)].a = here();
    const ir::Pc before = here();
    moment(phase, false);
    claimed = here() != before;
    (void)claimed;
    if (over >= 0) p.code[static_cast<std::size_t>(over)].a = here();
  }
  now.loops.pop_back();
  if (restore >= 0) emit(InstrOp::restore_me, restore);
}

void Lowering::Impl::run_phase(rules::PhaseId id) {
  const rules::Phase& phase = r.phases[id];
  ir::Phase& made = p.phases[id];
  made.routine = now.routine;
  made.saved_me = {allocate(4, 4), ir::Width::i32};
  made.ancestors = now.phases;
  const std::uint64_t outer = now.phases;
  span = phase.span;
  cover(phase.cover);
  const ir::Pc first = emit(InstrOp::phase_begin, static_cast<std::int32_t>(id));
  now.phases |= std::uint64_t{1} << made.bit;
  auto pass = [&] {
    span = phase.span;
    for (const rules::VarId variable : phase.variables) {
      start_of(variable);
      emit(InstrOp::start_var, static_cast<std::int32_t>(variable));
    }
    moment(id, true);
    block(phase.body);
    moment(id, false);
  };
  if (phase.loop) {
    if (const auto* each = std::get_if<rules::ForLoop>(&*phase.loop); each != nullptr && options.coverage) {
      std::set<rules::LetId> seen;
      cover_lets_of(each->clause, seen);
    }
    if (const auto* repeat = std::get_if<rules::RepeatLoop>(&*phase.loop); repeat != nullptr && options.coverage && repeat->until != rules::kNoId) {
      std::set<rules::LetId> seen;
      cover_lets(repeat->until, seen);
    }
    if (const auto* turns = std::get_if<rules::TurnsLoop>(&*phase.loop); turns != nullptr && options.coverage) {
      std::set<rules::LetId> seen;
      for (const rules::ExprId expr : {turns->from, turns->then, turns->where, turns->until}) {
        if (expr != rules::kNoId) cover_lets(expr, seen);
      }
    }
    span = phase.span;
    loop_code(*phase.loop, &phase.bindings, id, pass);
  } else {
    entries[id].enter = here();
    pass();
  }
  entries[id].first = first;
  span = phase.span;
  // `end phase` comes in here
  const ir::Pc over = emit(InstrOp::jump);
  p.phases[id].exit = here();
  moment(id, false);
  p.code[static_cast<std::size_t>(over)].a = here();
  emit(InstrOp::phase_end, static_cast<std::int32_t>(id));
  now.phases = outer;
  if (id == r.setup && now.routine == 0) p.setup_end = emit(InstrOp::checkpoint);
}

void Lowering::Impl::loop(const rules::Loop& loop) {
  loop_code(loop.header, nullptr, rules::kNoId, [&] {
    cover(loop.cover);
    block(loop.body);
  });
}

void Lowering::Impl::stop() {
  if (now.loops.empty()) throw NotSupported{span, "`stop` without a loop around it"};
  Context::Loop& around = now.loops.back();
  if (now.chooses.size() > around.chooses) emit(InstrOp::restore_me, now.chooses[around.chooses].offset);
  around.stops.push_back(emit(InstrOp::jump));
}

void Lowering::Impl::if_statement(const rules::If& stmt) {
  const Node condition = scalar(stmt.condition);
  std::int64_t known = 0;
  if (is_number(condition, &known)) {
    cover(known != 0 ? stmt.then_cover : stmt.else_cover);
    block(known != 0 ? stmt.then_block : stmt.else_block);
    return;
  }
  const ir::Pc otherwise = emit(InstrOp::branch_false, condition, 0);
  cover(stmt.then_cover);
  block(stmt.then_block);
  if (!stmt.has_else) {
    p.code[static_cast<std::size_t>(otherwise)].b = here();
    return;
  }
  const ir::Pc done = emit(InstrOp::jump);
  p.code[static_cast<std::size_t>(otherwise)].b = here();
  cover(stmt.else_cover);
  block(stmt.else_block);
  p.code[static_cast<std::size_t>(done)].a = here();
}

void Lowering::Impl::match_statement(const rules::MatchStmt& stmt) {
  const Node subject = scalar(stmt.subject);
  const Span where = span;
  std::vector<ir::MatchArm> arms;
  for (const auto& arm : stmt.arms) {
    ir::MatchArm made;
    for (const auto& [low, high] : arm.patterns.patterns) {
      const Node from = scalar(low);
      made.patterns.emplace_back(from, low == high ? from : scalar(high));
    }
    arms.push_back(std::move(made));
  }
  p.matches.push_back(std::move(arms));
  const auto index = static_cast<std::int32_t>(p.matches.size() - 1);
  span = where;
  std::vector<ir::Pc> tests;
  for (std::size_t i = 0; i < stmt.arms.size(); ++i) tests.push_back(emit(InstrOp::branch_match, subject, index, 0, static_cast<std::int32_t>(i)));
  emit(InstrOp::fault, 10);  // FaultCode::not_fitting
  std::vector<ir::Pc> done;
  for (std::size_t i = 0; i < stmt.arms.size(); ++i) {
    p.code[static_cast<std::size_t>(tests[i])].c = here();
    cover(stmt.arms[i].cover);
    block(stmt.arms[i].body);
    done.push_back(emit(InstrOp::jump));
  }
  for (const ir::Pc jump : done) p.code[static_cast<std::size_t>(jump)].a = here();
}

void Lowering::Impl::choose(const rules::Choose& choose) {
  const Span where = span;
  ir::Choose made;
  made.each = choose.each;
  made.span = where;
  rules::LocalId seat_name = rules::kNoId;
  if (choose.each) {
    made.clause = clause(choose.clause, true);
    seat_name = r.clauses[choose.clause].binders.front().local;
    made.seat_local = frame_local(r.locals[seat_name].type, where);
  } else {
    made.seat = scalar(choose.seat);
    made.saved_me = {allocate(4, 4), ir::Width::i32};
  }
  made.first = static_cast<std::int32_t>(p.options.size());
  made.count = static_cast<std::int32_t>(choose.options.size());
  std::int32_t most = 0;
  for (const rules::Option& declared : choose.options) {
    ir::Option option;
    option.name = declared.name;
    option.secretly = declared.secretly;
    option.otherwise = declared.otherwise;
    option.span = declared.span;
    option.cover = declared.cover == rules::kNoId ? -1 : static_cast<std::int32_t>(declared.cover);
    option.clause = clause(declared.clause, true);
    const rules::Clause& names = r.clauses[declared.clause];
    for (std::size_t i = 0; i < names.binders.size(); ++i) {
      const rules::Type& type = r.locals[names.binders[i].local].type;
      const ir::Binder& binder = p.clauses[static_cast<std::size_t>(option.clause)].binders[i];
      ir::FrameLocal local;
      if (binder.pick && binder.in_order) {
        local = frame_local(type, declared.span, kMaxArgs);
        option.args_size += 1;
      } else if (binder.pick) {
        rules::Type members = type;
        members.shape = rules::Shape::set;
        local = frame_local(members, declared.span);
        local.domain = binder.domain;
        local.cell.offset = allocate(8 * local.domain.words, 8);
        option.args_size += 1;
      } else {
        local = frame_local(type, declared.span);
      }
      std::int64_t high = kMaxArgs;
      if (binder.pick) {
        (void)is_number(binder.pick_high, &high);
        option.args_size += static_cast<std::int32_t>(std::min<std::int64_t>(high, kMaxArgs - 1));
      } else {
        option.args_size += 1;
      }
      option.args.push_back(local);
      option.arg_texts.push_back(texts_of(type));
    }
    if (option.args_size > kMaxArgs) option.args_size = kMaxArgs;
    most = std::max(most, option.args_size);
    p.options.push_back(std::move(option));
  }
  p.max_args = std::max(p.max_args, most);
  if (choose.each) {
    made.commit_stride = 4 + 4 * most;
    made.state = allocate(((2 + box.players + 3) & ~3) + box.players * made.commit_stride, 4);
    places[seat_name] = place_of(made.seat_local);
  }
  p.chooses.push_back(made);
  const auto index = static_cast<std::int32_t>(p.chooses.size() - 1);
  span = where;
  const ir::Pc at_choose = emit(InstrOp::choose, index, 0);
  if (!choose.each) now.chooses.push_back(made.saved_me);
  std::vector<ir::Pc> ends;
  for (std::size_t i = 0; i < choose.options.size(); ++i) {
    const rules::Option& declared = choose.options[i];
    const std::size_t option = static_cast<std::size_t>(made.first) + i;
    p.options[option].body = here();
    const rules::Clause& names = r.clauses[declared.clause];
    for (std::size_t k = 0; k < names.binders.size(); ++k) places[names.binders[k].local] = place_of(p.options[option].args[k]);
    span = declared.span;
    cover(declared.cover);
    if (options.coverage) {
      std::set<rules::LetId> seen;
      cover_lets_of(declared.clause, seen);
    }
    block(declared.body);
    span = declared.span;
    if (options.claims) {
      for (std::size_t c = 0; c < r.claims.size(); ++c) {
        const rules::Claim& claim = r.claims[c];
        if (claim.statement || claim.moment != ast::MomentKind::move || claim.move != declared.name) continue;
        if (claim.condition != rules::kNoId) p.claims[c].condition = scalar(claim.condition);
        emit(InstrOp::claim, static_cast<std::int32_t>(c));
      }
    }
    ends.push_back(emit(InstrOp::choose_end, index, 0));
  }
  if (!choose.each) now.chooses.pop_back();
  p.code[static_cast<std::size_t>(at_choose)].b = here();
  for (const ir::Pc end : ends) p.code[static_cast<std::size_t>(end)].b = here();
}

// ---- coming in from a scenario ----

std::vector<rules::PhaseId> Lowering::Impl::phases_around(rules::PhaseId id) const {
  std::vector<rules::PhaseId> around;
  for (rules::PhaseId at_phase = r.phases[id].parent; at_phase != rules::kNoId; at_phase = r.phases[at_phase].parent) around.insert(around.begin(), at_phase);
  return around;
}

/// Begins the phase with the first pass of its loop bound; the code of the pass itself is left to whoever jumps there.
void Lowering::Impl::enter_phase(rules::PhaseId id, const std::vector<std::pair<rules::VarId, std::int64_t>>& picks) {
  const rules::Phase& phase = r.phases[id];
  const PhaseEntry& entry = entries[id];
  span = phase.span;
  emit(InstrOp::phase_begin, static_cast<std::int32_t>(id));
  for (const ir::Cell& counter : entry.counters) emit(InstrOp::clear, counter.offset, 4);
  if (entry.for_index >= 0) {
    emit(InstrOp::for_begin, entry.for_index);
    for (std::size_t i = 0; i < phase.bindings.size(); ++i) {
      for (const auto& [variable, value_of] : picks) {
        if (variable == phase.bindings[i]) emit(InstrOp::for_pick, entry.for_index, static_cast<std::int32_t>(i), static_cast<std::int32_t>(value_of));
      }
    }
  }
  if (entry.turns_index >= 0) {
    // the first pass comes even if `until` already holds
    ir::Turns copy = p.turns[static_cast<std::size_t>(entry.turns_index)];
    copy.until = ir::kNoNode;
    p.turns.push_back(copy);
    const auto first = static_cast<std::int32_t>(p.turns.size() - 1);
    emit(InstrOp::turns_begin, first);
    const ir::Pc seek = emit(InstrOp::turns_seek, first, 0);
    const ir::Pc over = emit(InstrOp::jump);
    p.code[static_cast<std::size_t>(seek)].b = here();
    emit(InstrOp::fault, 11);  // FaultCode::no_turn
    p.code[static_cast<std::size_t>(over)].a = here();
  }
}

ir::Pc Lowering::entry_phase(rules::PhaseId phase, const std::vector<std::pair<rules::VarId, std::int64_t>>& picks) {
  Impl& in = *impl_;
  if (in.r.phases[phase].routine != rules::kNoId) {
    throw NotSupported{in.r.phases[phase].span, "a scenario cannot start at a phase inside a rule; use `start do`"};
  }
  in.now = {};
  const ir::Pc entry = in.here();
  for (const rules::PhaseId around : in.phases_around(phase)) {
    in.enter_phase(around, picks);
    if (in.entries[around].for_index >= 0) {
      const ir::Pc next = in.emit(InstrOp::for_next, in.entries[around].for_index, 0);
      const ir::Pc over = in.emit(InstrOp::jump);
      in.p.code[static_cast<std::size_t>(next)].b = in.here();
      in.emit(InstrOp::fault, 11);
      in.p.code[static_cast<std::size_t>(over)].a = in.here();
    }
    for (const rules::VarId variable : in.r.phases[around].variables) in.emit(InstrOp::start_var, static_cast<std::int32_t>(variable));
  }
  in.emit(InstrOp::checkpoint);
  in.enter_phase(phase, picks);
  in.emit(InstrOp::jump, in.entries[phase].enter);
  return entry;
}

ir::Pc Lowering::entry_routine(rules::RoutineId routine, const std::vector<rules::ExprId>& args,
                               const std::vector<std::pair<rules::VarId, std::int64_t>>& picks) {
  Impl& in = *impl_;
  in.now = {};
  const ir::Pc entry = in.here();
  in.span = in.r.routines[routine].span;
  in.emit(InstrOp::checkpoint);
  std::vector<Node> nodes;
  for (const rules::ExprId arg : args) nodes.push_back(in.value(arg));
  const std::int32_t list = in.node_list(nodes);
  in.span = in.r.routines[routine].span;
  in.emit(InstrOp::call, static_cast<std::int32_t>(routine) + 1, list);
  in.emit(InstrOp::scenario_end);
  (void)picks;
  return entry;
}

}  // namespace rip
