// Statements: blocks, branches, names, calls, claims. Effects, loops and decisions have files of their own.
#include "interp/lower/lower_impl.h"

#include <algorithm>
#include <type_traits>

namespace rip {

using rules::Op;
using rules::Shape;

Pc Lowering::Impl::emit(InstrOp op, std::int32_t a, std::int32_t b, std::int32_t c, std::int32_t d) {
  p.code.push_back({op, a, b, c, d});
  p.code_spans.push_back(span_now);
  p.routine_of.push_back(current);
  p.turns_of.push_back(turns_around);
  return here() - 1;
}

namespace {
std::int32_t& operand_of(ir::Instr& instr, int operand) {
  return operand == 0 ? instr.a : operand == 1 ? instr.b : operand == 2 ? instr.c : instr.d;
}
}  // namespace

void Lowering::Impl::refer(Label& label, Pc instr, int operand) {
  if (label.at >= 0) operand_of(p.code[static_cast<std::size_t>(instr)], operand) = label.at;
  else label.uses.emplace_back(instr, operand);
}

void Lowering::Impl::place(Label& label) {
  label.at = here();
  for (const auto& [instr, operand] : label.uses) operand_of(p.code[static_cast<std::size_t>(instr)], operand) = label.at;
}

bool Lowering::Impl::branch(Node condition, Label& otherwise) {
  if (is_constant(condition)) {
    if (value(condition) != 0) return true;
    jump(otherwise);
    return false;
  }
  refer(otherwise, emit(InstrOp::branch_false, condition), 1);
  return true;
}

void Lowering::Impl::clear(std::int32_t from, std::int32_t to) {
  if (to > from) emit(InstrOp::clear, from, to - from);
}

void Lowering::Impl::statement(const rules::Stmt& stmt) {
  span_now = stmt.span;
  cover(stmt.cover);
  if (options.coverage) cover_expressions(stmt);
  std::visit(
      [&](const auto& x) {
        using T = std::decay_t<decltype(x)>;
        if constexpr (std::is_same_v<T, rules::LetLocal>) run_let(x, stmt.span);
        else if constexpr (std::is_same_v<T, rules::StartVar>) start_local(x, stmt.span);
        else if constexpr (std::is_same_v<T, rules::If>) run_if(x);
        else if constexpr (std::is_same_v<T, rules::Loop>) run_loop(x);
        else if constexpr (std::is_same_v<T, rules::MatchStmt>) run_match(x);
        else if constexpr (std::is_same_v<T, rules::Choose>) run_choose(x, stmt.span);
        else if constexpr (std::is_same_v<T, rules::DoRoutine>) run_routine(x, stmt.span);
        else if constexpr (std::is_same_v<T, rules::Together>) run_together(x);
        else if constexpr (std::is_same_v<T, rules::Stop>) stop(stmt.span);
        else if constexpr (std::is_same_v<T, rules::Win>) emit(InstrOp::win, set(x.who));
        else if constexpr (std::is_same_v<T, rules::EndTurn>) emit(InstrOp::end_turn);
        else if constexpr (std::is_same_v<T, rules::EndGame>) emit(InstrOp::end_game);
        else if constexpr (std::is_same_v<T, rules::EndPhase>) emit(InstrOp::end_phase, static_cast<std::int32_t>(x.phase));
        else if constexpr (std::is_same_v<T, rules::ClaimHere>) claim_here(x.claim);
        else if constexpr (std::is_same_v<T, rules::RunPhase>) run_phase(x.phase);
        else run(x);
      },
      stmt.node);
}

/// Names of the block give their place back at its end; `clears`: as zeros, so that equal games have equal bytes.
void Lowering::Impl::block(const rules::Block& stmts, bool clears) {
  const std::int32_t begin = cursor;
  for (const rules::Stmt& stmt : stmts) statement(stmt);
  if (clears) clear(begin, cursor);
  cursor = begin;
}

void Lowering::Impl::run_if(const rules::If& node) {
  const Span span = span_now;
  const Node condition = truth(node.condition);
  Label otherwise;
  Label behind;
  const bool never = is_constant(condition, 0);
  if (!never) {
    branch(condition, otherwise);
    cover(node.then_cover);
    block(node.then_block);
    span_now = span;
  }
  const bool always = is_constant(condition) && !never;
  if (!always && (!node.else_block.empty() || (options.coverage && node.has_else))) {
    if (!never) jump(behind);
    place(otherwise);
    cover(node.else_cover);
    block(node.else_block);
  } else {
    place(otherwise);
  }
  place(behind);
}

void Lowering::Impl::run_match(const rules::MatchStmt& node) {
  const Node subject = scalar(node.subject);
  std::vector<const rules::MatchArm*> arms;
  for (const auto& arm : node.arms) arms.push_back(&arm.patterns);
  const auto [chosen, table] = match_arms(arms, subject);
  if (chosen >= 0) {
    cover(node.arms[static_cast<std::size_t>(chosen)].cover);
    block(node.arms[static_cast<std::size_t>(chosen)].body);
    return;
  }
  if (table < 0) return;
  Label behind;
  std::vector<Label> bodies(node.arms.size());
  for (std::size_t i = 0; i < bodies.size(); ++i)
    refer(bodies[i], emit(InstrOp::branch_match, subject, table, 0, static_cast<std::int32_t>(i)), 2);
  jump(behind);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    place(bodies[i]);
    cover(node.arms[i].cover);
    block(node.arms[i].body);
    if (i + 1 < bodies.size()) jump(behind);
  }
  place(behind);
}

bool Lowering::Impl::has_random(rules::ExprId id) const {
  const rules::Expr& e = expr(id);
  if (e.op == Op::random) return true;
  return e.op == Op::if_else && (has_random(e.kids[1]) || has_random(e.kids[2]));
}

void Lowering::Impl::with_chance(rules::ExprId id, const std::function<void(rules::ExprId)>& draw,
                                 const std::function<void(rules::ExprId)>& plain) {
  const rules::Expr& e = expr(id);
  if (e.op == Op::random) return draw(id);
  if (!has_random(id)) return plain(id);
  const Node condition = truth(e.kids[0]);
  if (is_constant(condition)) return with_chance(e.kids[value(condition) != 0 ? 1 : 2], draw, plain);
  Label otherwise;
  Label behind;
  branch(condition, otherwise);
  with_chance(e.kids[1], draw, plain);
  jump(behind);
  place(otherwise);
  with_chance(e.kids[2], draw, plain);
  place(behind);
}

void Lowering::Impl::run_let(const rules::LetLocal& node, Span span) {
  const rules::Local& name = r.locals[node.local];
  const bool chance = has_random(node.value);
  if (!chance && name.type.shape == Shape::scalar) {
    const Node known = scalar(node.value);
    if (is_constant(known)) {
      names[node.local] = known;
      return;
    }
  }
  const ir::FrameLocal local = frame_local(name.type, chance ? 1 : most(node.value), span);
  const std::int32_t index = keep_frame_local(local);
  with_chance(
      node.value,
      [&](rules::ExprId id) { draw_into(InstrOp::let_random, index, id); },
      [&](rules::ExprId id) {
        settle(id);
        emit(InstrOp::let, index, argument(node.local, id));
        if (draws(id) && !shown_zones.empty()) emit(InstrOp::expose);
      });
  names[node.local] = local_node(local, name.span);
}

/// `random(S)` into a variable or a name.
void Lowering::Impl::draw_into(InstrOp op, std::int32_t into, rules::ExprId id) {
  const rules::ExprId from = expr(id).kids[0];
  const rules::Type& type = expr(from).type;
  if (type.shape == Shape::list) {
    emit(op, into, list(from), 1, -1);
    return;
  }
  const bool components = type.base == rules::Base::component;
  emit(op, into, set(from), 0, components ? -1 : pool_domain(domain(type, expr(from).span)));
}

/// A variable of a block takes its start value.
void Lowering::Impl::start_local(const rules::StartVar& node, Span span) {
  const rules::Var& declared = r.vars[node.var];
  if (p.vars[node.var].cell.offset == 0) address_var(node.var);
  const auto index = static_cast<std::int32_t>(node.var);
  if (declared.start == kNoId) {
    emit(InstrOp::start_var, index);
    return;
  }
  const auto one_target = [&] {
    if (!declared.index.empty()) throw NotSupported{span, "a family that starts at random is not supported yet"};
    p.targets.push_back({index, ir::kNoNode});
    return static_cast<std::int32_t>(p.targets.size() - 1);
  };
  with_chance(
      declared.start,
      [&](rules::ExprId id) { draw_into(InstrOp::random, one_target(), id); },
      [&](rules::ExprId id) {
        settle(id);
        const bool set_var = declared.type.shape == Shape::set;
        // the start value is one node for all; where it cannot be, the value is set
        if (declared.index.empty() && (has_random(declared.start) || jobs[static_cast<std::size_t>(current)].together)) {
          const std::int32_t to = one_target();
          emit(set_var ? InstrOp::set_set : InstrOp::set, to, set_var ? set(id) : scalar(id));
        } else {
          start_value(node.var);
          emit(InstrOp::start_var, index);
        }
        if (draws(id) && !shown_zones.empty()) emit(InstrOp::expose);
      });
}

void Lowering::Impl::start_value(rules::VarId id) {
  const rules::Var& declared = r.vars[id];
  if (declared.start == kNoId || has_random(declared.start)) return;
  for (const rules::LocalId local : declared.index_locals) bind_scratch(local);
  const Node start = declared.type.shape == Shape::set ? set(declared.start) : scalar(declared.start);
  p.vars[id].start = start;
}

/// Variables of a phase take their start values.
void Lowering::Impl::start_vars(const std::vector<rules::VarId>& vars) {
  for (const rules::VarId id : vars) {
    start_value(id);
    emit(InstrOp::start_var, static_cast<std::int32_t>(id));
    draw_start(id);
  }
}

/// A start value that is left to chance comes when everything else is as declared.
void Lowering::Impl::draw_start(rules::VarId id) {
  const rules::Var& declared = r.vars[id];
  if (declared.start == kNoId || !has_random(declared.start)) return;
  if (!declared.index.empty()) throw NotSupported{declared.span, "a family that starts at random is not supported yet"};
  p.targets.push_back({static_cast<std::int32_t>(id), ir::kNoNode});
  const auto target_index = static_cast<std::int32_t>(p.targets.size() - 1);
  with_chance(
      declared.start, [&](rules::ExprId from) { draw_into(InstrOp::random, target_index, from); },
      [&](rules::ExprId plain) { emit(InstrOp::set, target_index, scalar(plain)); });
}

std::int32_t Lowering::Impl::routine_index(rules::RoutineId id) {
  const std::pair key{id, in_together};
  if (const auto found = routine_ids.find(key); found != routine_ids.end()) return found->second;
  const auto index = static_cast<std::int32_t>(jobs.size());
  jobs.push_back({id, kNoId, in_together});
  p.routines.emplace_back();
  return routine_ids[key] = index;
}

void Lowering::Impl::run_routine(const rules::DoRoutine& node, Span span) {
  const rules::Routine& called = r.routines[node.routine];
  const std::int32_t begin = cursor;
  std::vector<std::int32_t> args;
  bool drew = false;
  for (std::size_t i = 0; i < called.params.size(); ++i) {
    const rules::ExprId arg = node.args[i];
    if (!draws(arg)) {
      args.push_back(argument(called.params[i], arg));
      continue;
    }
    // what is drawn for an argument is settled into a nameless name first
    const ir::FrameLocal local = frame_local(r.locals[called.params[i]].type, most(arg), span);
    settle(arg);
    emit(InstrOp::let, keep_frame_local(local), argument(called.params[i], arg));
    args.push_back(local_node(local, span));
    drew = true;
  }
  if (drew && !shown_zones.empty()) emit(InstrOp::expose);
  span_now = span;
  emit(InstrOp::call, routine_index(node.routine), pool(args));
  clear(begin, cursor);
  cursor = begin;
}

void Lowering::Impl::run_together(const rules::Together& node) {
  const Span span = span_now;
  const std::int32_t woken = in_together ? -1 : wake(writes(node.body), true);
  if (woken >= 0) emit(InstrOp::watch_together, woken);
  const bool before = in_together;
  in_together = true;
  block(node.body);
  in_together = before;
  span_now = span;
  if (woken < 0) return;
  emit(InstrOp::fire, woken);
  emit(InstrOp::run_whens, woken);
}

void Lowering::Impl::stop(Span span) {
  if (loops.empty()) throw NotSupported{span, "`stop` without a loop around it"};
  OpenLoop& loop = *loops.back();
  for (std::size_t i = loop.chooses; i < chooses.size(); ++i) {
    const ir::Choose& left = p.chooses[static_cast<std::size_t>(chooses[i])];
    if (left.each) continue;
    emit(InstrOp::restore_me, left.saved_me.offset);
    break;
  }
  loop.stopped = true;
  jump(*loop.exit);
}

/// Claims start after the setup; a rule that the setup may call asks whether it still runs.
void Lowering::Impl::claim_here(std::uint32_t id) {
  const rules::Claim& claim = r.claims[id];
  const bool counted = options.goals && claim.kind == ast::ClaimKind::sometimes;
  if ((!options.claims && !counted) || in_setup) return;
  auto index = static_cast<std::int32_t>(id);
  if (claim.statement) {
    if (claim_used[id]) {
      p.claims.push_back(p.claims[id]);
      index = static_cast<std::int32_t>(p.claims.size() - 1);
    }
    claim_used[id] = true;
    const Node condition = claim.condition == kNoId ? ir::kNoNode : truth(claim.condition);
    p.claims[static_cast<std::size_t>(index)].condition = condition;
  }
  Label behind;
  const RoutineJob& job = jobs[static_cast<std::size_t>(current)];
  const bool maybe_setup = r.setup != kNoId && (job.when != kNoId || (job.rule != kNoId && setup_routines.count(job.rule) != 0));
  if (maybe_setup) branch(negate(add(NodeOp::running, claim.span, p.phases[r.setup].bit), claim.span), behind);
  emit(InstrOp::claim, index);
  place(behind);
}

void Lowering::Impl::claims_at(ast::MomentKind moment, rules::PhaseId phase, const std::string& move) {
  for (std::uint32_t id = 0; id < r.claims.size(); ++id) {
    const rules::Claim& claim = r.claims[id];
    if (claim.statement || claim.reads_result || claim.moment != moment) continue;
    if (moment == ast::MomentKind::move ? claim.move == move : claim.phase == phase) claim_here(id);
  }
}

}  // namespace rip
