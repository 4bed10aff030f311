// Effects: what each sentence needs around it, and the sentence itself.
#include "interp/lower/lower_impl.h"

#include <algorithm>

namespace rip {

using ir::InstrOp;
using ir::Node;
using ir::NodeOp;
using rules::Op;
using rules::Shape;

ir::Pc Lowering::Impl::emit(InstrOp op, std::int32_t a, std::int32_t b, std::int32_t c, std::int32_t d) {
  p.code.push_back({op, a, b, c, d});
  p.code_spans.push_back(span);
  p.routine_of.push_back(now.routine);
  p.turns_of.push_back(now.turns);
  return static_cast<ir::Pc>(p.code.size() - 1);
}

template <class F>
void Lowering::Impl::effect(const Effect& what, F&& f) {
  const Span where = span;
  const std::vector<std::int32_t> woken = now.together ? std::vector<std::int32_t>{} : woken_by(what);
  const std::int32_t at_wake = woken.empty() ? -1 : wake(woken, false);
  span = where;
  if (at_wake >= 0) emit(InstrOp::watch, at_wake);
  f();
  span = where;
  if (at_wake >= 0) emit(InstrOp::fire, at_wake);
  if (what.tops) emit(InstrOp::expose);
  if (at_wake >= 0) emit(InstrOp::run_whens, at_wake);
}

bool Lowering::Impl::may_hold_bags(const rules::Zone& zone) const {
  return zone.kind == ast::ZoneKind::pile && mixed_types.count(zone.type) != 0;
}

/// Cards that a sentence takes out of a bag are settled before it.
void Lowering::Impl::settle_for(rules::ExprId what) {
  const rules::Expr& x = at(what);
  auto mixed = [&](rules::ExprId id) { return is_zone(id) && may_hold_bags(r.zones[at(id).ref]); };
  auto refills = [&](rules::ExprId id) { return is_zone(id) && r.zones[at(id).ref].refill_from != rules::kNoId; };
  auto matters = [&](rules::ExprId id) { return mixed(id) || refills(id); };
  switch (x.op) {
    case Op::top:
    case Op::bottom:
      if (matters(x.kids[0])) emit(InstrOp::settle, zone(x.kids[0]), ir::kNoNode, x.op == Op::bottom ? 1 : 0);
      return;
    case Op::top_n:
    case Op::bottom_n:
      if (matters(x.kids[1])) {
        const Node n = need(x.kids[0]);
        emit(InstrOp::settle, zone(x.kids[1]), n, x.op == Op::bottom_n ? 1 : 0);
      }
      return;
    case Op::nth:
      if (mixed(x.kids[0])) {
        const Node n = need(x.kids[1]);
        emit(InstrOp::settle, zone(x.kids[0]), n, 2);
      }
      return;
    case Op::if_else:
      // the branch that is not taken takes nothing
      for (std::size_t i = 1; i < 3; ++i) {
        if (at(x.kids[i]).op != Op::top && at(x.kids[i]).op != Op::top_n) continue;
        const Node condition = scalar(x.kids[0]);
        const Node wanted = i == 1 ? condition : add(NodeOp::logical_not, condition);
        const ir::Pc skip = emit(InstrOp::branch_false, wanted, 0);
        settle_for(x.kids[i]);
        p.code[static_cast<std::size_t>(skip)].b = here();
      }
      return;
    default: return;
  }
}

std::pair<std::int32_t, Node> Lowering::Impl::cards(rules::ExprId what) {
  const rules::Expr& x = at(what);
  if (is_zone(what)) return {3, zone(what)};
  if (x.type.shape == Shape::list) return {2, list(what)};
  if (x.type.shape == Shape::set) return {1, set(what)};
  return {0, scalar(what)};
}

std::int32_t Lowering::Impl::target(const rules::VarTarget& to) {
  ir::Target made;
  made.var = static_cast<std::int32_t>(to.var);
  if (!to.index.empty()) made.index = position(to.index, r.vars[to.var].index);
  p.targets.push_back(made);
  return static_cast<std::int32_t>(p.targets.size() - 1);
}

void Lowering::Impl::move(const rules::Move& move) {
  Effect what;
  const rules::TypeId type = r.zones[at(move.to).ref].type;
  what.types.insert(type);
  what.tops = mixed_types.count(type) != 0;
  if (move.each != rules::kNoId) {
    const std::int32_t over = clause(move.each, true);
    const rules::Expr& x = at(move.what);
    const bool one = x.op == Op::top || x.op == Op::bottom;
    const bool many = x.op == Op::top_n || x.op == Op::bottom_n;
    if (one || many) {
      const rules::ExprId from = x.kids[one ? 0 : 1];
      if (is_zone(from) && (may_hold_bags(r.zones[at(from).ref]) || r.zones[at(from).ref].refill_from != rules::kNoId)) {
        const Node source_zone = zone(from);
        const Node n = one ? ir::kNoNode : need(x.kids[0]);
        emit(InstrOp::settle_each, over, source_zone, n, x.op == Op::bottom || x.op == Op::bottom_n ? 1 : 0);
      }
    }
    const auto [kind, node] = cards(move.what);
    const std::int32_t from = pool({kind, node});
    const Node to = zone(move.to);
    const Node face = side(move.face);
    const std::int32_t how = pool({face, move.under ? 1 : 0});
    effect(what, [&] { emit(InstrOp::move_each, over, from, to, how); });
    return;
  }
  settle_for(move.what);
  const auto [kind, node] = cards(move.what);
  const Node to = zone(move.to);
  const Node face = side(move.face);
  const InstrOp op = kind == 0 ? InstrOp::move : kind == 1 ? InstrOp::move_set : kind == 2 ? InstrOp::move_list : InstrOp::move_zone;
  const Node of = node;
  effect(what, [&] { emit(op, of, to, face, move.under ? 1 : 0); });
}

void Lowering::Impl::fill(const rules::Fill& fill) {
  const Node to = zone(fill.what);
  const Node from = zone(fill.from);
  std::int64_t pile = 0;
  if (p.nodes[static_cast<std::size_t>(from)].op == NodeOp::zone) {
    pile = p.nodes[static_cast<std::size_t>(from)].a;
  } else {
    // a pile that depends on a seat: one of its places at a time
    const rules::Zone& declared = r.zones[at(fill.from).ref];
    const rules::Expr& x = at(fill.from);
    const Node where = position(x.kids, declared.index);
    const std::int32_t count = index_range(declared.index.front()).second;
    std::vector<ir::Pc> done;
    for (std::int32_t i = 0; i < count; ++i) {
      const Node is = add(NodeOp::eq_const, where, i);
      const ir::Pc next = emit(InstrOp::branch_false, is, 0);
      const Node n = fill.to_count == rules::kNoId ? ir::kNoNode : need(fill.to_count);
      const auto zone_id = static_cast<std::int32_t>(box.first_zone[x.ref]) + i;
      const Node face = side(fill.face);
      emit(InstrOp::settle_fill, to, n, zone_id);
      Effect what{{declared.type}, {}, mixed_types.count(declared.type) != 0};
      effect(what, [&] { emit(InstrOp::fill, to, n, zone_id, face); });
      done.push_back(emit(InstrOp::jump));
      p.code[static_cast<std::size_t>(next)].b = here();
    }
    for (const ir::Pc jump : done) p.code[static_cast<std::size_t>(jump)].a = here();
    return;
  }
  const Node n = fill.to_count == rules::kNoId ? ir::kNoNode : need(fill.to_count);
  const Node face = side(fill.face);
  const rules::TypeId type = r.zones[at(fill.from).ref].type;
  emit(InstrOp::settle_fill, to, n, static_cast<std::int32_t>(pile));
  Effect what{{type}, {}, mixed_types.count(type) != 0};
  effect(what, [&] { emit(InstrOp::fill, to, n, static_cast<std::int32_t>(pile), face); });
}

void Lowering::Impl::swap(const rules::Swap& swap) {
  Effect what;
  const rules::TypeId type = is_zone_like(swap.first) ? r.zones[at(swap.first).ref].type : at(swap.first).type.id;
  what.types.insert(type);
  what.tops = mixed_types.count(type) != 0;
  if (swap.second == rules::kNoId) {
    const Node of = set(swap.first);
    effect(what, [&] { emit(InstrOp::swap_set, of); });
  } else if (is_zone(swap.first) && is_zone(swap.second)) {
    const Node a = zone(swap.first);
    const Node b = zone(swap.second);
    effect(what, [&] { emit(InstrOp::swap_zones, a, b); });
  } else {
    settle_for(swap.first);
    settle_for(swap.second);
    const Node a = scalar(swap.first);
    const Node b = scalar(swap.second);
    effect(what, [&] { emit(InstrOp::swap, a, b); });
  }
}

void Lowering::Impl::roll(const rules::Roll& roll) {
  const auto [kind, node] = cards(roll.what);
  const Node of = node;
  const std::int32_t how = kind;
  if (p.rolling < 0) throw NotSupported{span, "nothing here can be rolled"};
  Effect what{{at(roll.what).type.id}, {}, false};
  if (is_zone_like(roll.what)) what.types = {r.zones[at(roll.what).ref].type};
  emit(InstrOp::roll_begin, of, how);
  emit(InstrOp::roll);
  effect(what, [&] { emit(InstrOp::roll_end); });
}

void Lowering::Impl::show(const rules::Show& show) {
  const rules::Expr& x = at(show.what);
  const Node to = show.to == rules::kNoId ? ir::kNoNode : set(show.to);
  if (x.op == Op::var || x.op == Op::var_family) {
    rules::VarTarget of{x.ref, x.kids};
    if (x.op == Op::var_family && !x.kids.empty()) throw NotSupported{x.span, "showing a part of a family is not supported yet; show it whole or one by one"};
    const std::int32_t shown = target(of);
    emit(InstrOp::show, shown, 3, to);
    return;
  }
  if (x.op == Op::attribute) throw NotSupported{x.span, "showing a single attribute is not supported yet; show the component"};
  if (x.type.base == rules::Base::component) {
    settle_for(show.what);
    const auto [kind, node] = cards(show.what);
    if (kind == 3) {
      const Node all = add(NodeOp::zone_list, node);
      emit(InstrOp::show, all, 2, to);
    } else {
      emit(InstrOp::show, node, kind, to);
    }
    return;
  }
  if (x.type.shape != Shape::scalar) {
    // a set or list is shown value by value; the log names it as a whole
    const Node of = list(show.what);
    emit(InstrOp::show, add(NodeOp::count_list, of), 4, to, -1);
    return;
  }
  const Node of = scalar(show.what);
  emit(InstrOp::show, of, 4, to, texts_of(x.type));
}

/// `random` as a branch of the outermost if becomes a branch of the code.
void Lowering::Impl::assign_value(std::int32_t to, rules::ExprId value_id, const Effect& what, bool is_set) {
  const rules::Expr& x = at(value_id);
  if (x.op == Op::random) {
    const bool from_list = at(x.kids[0]).type.shape == Shape::list || at(x.kids[0]).type.base == rules::Base::component;
    const Node of = from_list ? list(x.kids[0]) : set(x.kids[0]);
    const std::int32_t domain = from_list ? -1 : pool_domain(domain_of(at(x.kids[0]).type, x.span));
    effect(what, [&] { emit(InstrOp::random, to, of, from_list ? 1 : 0, domain); });
    return;
  }
  const bool branches = x.op == Op::if_else && (at(x.kids[1]).op == Op::random || at(x.kids[2]).op == Op::random);
  if (branches) {
    const Node condition = scalar(x.kids[0]);
    std::int64_t known = 0;
    if (is_number(condition, &known)) {
      assign_value(to, x.kids[known != 0 ? 1 : 2], what, is_set);
      return;
    }
    const ir::Pc otherwise = emit(InstrOp::branch_false, condition, 0);
    assign_value(to, x.kids[1], what, is_set);
    const ir::Pc done = emit(InstrOp::jump);
    p.code[static_cast<std::size_t>(otherwise)].b = here();
    assign_value(to, x.kids[2], what, is_set);
    p.code[static_cast<std::size_t>(done)].a = here();
    return;
  }
  settle_for(value_id);
  const Node of = is_set ? set(value_id) : scalar(value_id);
  span = x.span;
  effect(what, [&] { emit(is_set ? InstrOp::set_set : InstrOp::set, to, of); });
}

void Lowering::Impl::assign(const rules::Assign& assign) {
  const rules::Var& var = r.vars[assign.target.var];
  const std::int32_t to = target(assign.target);
  Effect what{{}, {assign.target.var}, false};
  if (assign.kind == rules::Assign::Kind::set) {
    assign_value(to, assign.value, what, var.type.shape == Shape::set);
    return;
  }
  rules::Expr read;
  read.op = Op::var;
  read.ref = assign.target.var;
  read.kids = assign.target.index;
  read.type = var.type;
  read.span = span;
  const Node old = this->var(read);
  const Node amount = need(assign.value);
  const Node sum = add(assign.kind == rules::Assign::Kind::raise ? NodeOp::add : NodeOp::sub, old, amount);
  effect(what, [&] { emit(InstrOp::set, to, sum); });
}

ir::FrameLocal Lowering::Impl::frame_local(const rules::Type& type, Span where, std::int32_t max_list) {
  ir::FrameLocal made;
  if (type.shape == Shape::scalar) {
    made.kind = ir::LocalKind::scalar;
    const bool bounded = type.base != rules::Base::component && type.base != rules::Base::unknown;
    made.cell = bounded ? allocate_cell(std::min<std::int64_t>(type.low, 0), type.high) : allocate_cell(0, static_cast<std::int64_t>(box.components.size()));
    if (type.base == rules::Base::seat) made.cell.width = made.cell.width;
  } else if (type.shape == Shape::set) {
    made.kind = ir::LocalKind::set;
    made.domain = domain_of(type, where);
    made.cell.offset = allocate(8 * made.domain.words, 8);
  } else {
    made.kind = ir::LocalKind::list;
    made.max = max_list > 0 ? max_list : std::min<std::int32_t>(ir::kMaxList, std::max<std::int32_t>(64, static_cast<std::int32_t>(box.components.size())));
    made.cell.offset = allocate(4 + 4 * made.max, 4);
    if (type.base != rules::Base::unknown) made.domain = domain_of(type, where);
  }
  return made;
}

Lowering::Impl::Place Lowering::Impl::place_of(const ir::FrameLocal& local) const {
  Place place;
  place.cell = local.cell;
  place.domain = local.domain;
  place.max = local.max;
  place.kind = local.kind == ir::LocalKind::scalar ? Place::Kind::cell
               : local.kind == ir::LocalKind::set  ? Place::Kind::frame_set
                                                   : Place::Kind::frame_list;
  return place;
}

void Lowering::Impl::let(const rules::LetLocal& let) {
  const rules::Expr& x = at(let.value);
  const ir::FrameLocal into = frame_local(r.locals[let.local].type, span);
  p.frame_locals.push_back(into);
  const auto index = static_cast<std::int32_t>(p.frame_locals.size() - 1);
  auto store = [&](auto&& self, rules::ExprId id) -> void {
    const rules::Expr& e = at(id);
    if (e.op == Op::random) {
      const bool from_list = at(e.kids[0]).type.shape == Shape::list || at(e.kids[0]).type.base == rules::Base::component;
      const Node of = from_list ? list(e.kids[0]) : set(e.kids[0]);
      const std::int32_t domain = from_list ? -1 : pool_domain(domain_of(at(e.kids[0]).type, e.span));
      emit(InstrOp::let_random, index, of, from_list ? 1 : 0, domain);
      return;
    }
    if (e.op == Op::if_else && (at(e.kids[1]).op == Op::random || at(e.kids[2]).op == Op::random)) {
      const ir::Pc otherwise = emit(InstrOp::branch_false, scalar(e.kids[0]), 0);
      self(self, e.kids[1]);
      const ir::Pc done = emit(InstrOp::jump);
      p.code[static_cast<std::size_t>(otherwise)].b = here();
      self(self, e.kids[2]);
      p.code[static_cast<std::size_t>(done)].a = here();
      return;
    }
    settle_for(id);
    const Shape shape = r.locals[let.local].type.shape;
    const Node of = shape == Shape::set ? set(id) : shape == Shape::list ? list(id) : scalar(id);
    emit(InstrOp::let, index, of);
  };
  store(store, let.value);
  (void)x;
  places[let.local] = place_of(into);
}

void Lowering::Impl::cover_lets(rules::ExprId id, std::set<rules::LetId>& seen) {
  const rules::Expr& x = at(id);
  if (x.op == Op::call && seen.insert(x.ref).second) {
    emit(InstrOp::cover, static_cast<std::int32_t>(r.lets[x.ref].cover));
    cover_lets(r.lets[x.ref].value, seen);
  }
  for (const rules::ExprId kid : x.kids) cover_lets(kid, seen);
  for (const auto& arm : x.arms) {
    for (const auto& [low, high] : arm.patterns) cover_lets(low, seen);
  }
  if (x.clause != rules::kNoId) cover_lets_of(x.clause, seen);
}

void Lowering::Impl::cover_lets_of(rules::ClauseId id, std::set<rules::LetId>& seen) {
  const rules::Clause& clause = r.clauses[id];
  for (const auto& binder : clause.binders) cover_lets(binder.source, seen);
  if (clause.where != rules::kNoId) cover_lets(clause.where, seen);
  for (const auto& key : clause.keys) cover_lets(key.value, seen);
  if (clause.backwards_if != rules::kNoId) cover_lets(clause.backwards_if, seen);
}

void Lowering::Impl::cover(rules::CoverId id) {
  if (options.coverage && id != rules::kNoId) emit(InstrOp::cover, static_cast<std::int32_t>(id));
}

void Lowering::Impl::statement(const rules::Stmt& stmt) {
  span = stmt.span;
  cover(stmt.cover);
  if (options.coverage) {
    std::set<rules::LetId> seen;
    auto lets_in = [&](auto... ids) { ((ids != rules::kNoId ? cover_lets(ids, seen) : void()), ...); };
    std::visit(
        [&](const auto& x) {
          using T = std::decay_t<decltype(x)>;
          if constexpr (std::is_same_v<T, rules::Move>) {
            lets_in(x.what, x.to, x.face);
            if (x.each != rules::kNoId) cover_lets_of(x.each, seen);
          }
          if constexpr (std::is_same_v<T, rules::Fill>) lets_in(x.what, x.to_count, x.from, x.face);
          if constexpr (std::is_same_v<T, rules::Swap>) lets_in(x.first, x.second);
          if constexpr (std::is_same_v<T, rules::Turn>) lets_in(x.what, x.face);
          if constexpr (std::is_same_v<T, rules::Shuffle> || std::is_same_v<T, rules::Roll>) lets_in(x.what);
          if constexpr (std::is_same_v<T, rules::Show>) lets_in(x.what, x.to);
          if constexpr (std::is_same_v<T, rules::Assign> || std::is_same_v<T, rules::LetLocal>) lets_in(x.value);
          if constexpr (std::is_same_v<T, rules::Pay>) lets_in(x.amount);
          if constexpr (std::is_same_v<T, rules::If>) lets_in(x.condition);
          if constexpr (std::is_same_v<T, rules::MatchStmt>) lets_in(x.subject);
          if constexpr (std::is_same_v<T, rules::Win>) lets_in(x.who);
          if constexpr (std::is_same_v<T, rules::Choose>) {
            lets_in(x.seat);
            if (x.clause != rules::kNoId) cover_lets_of(x.clause, seen);
          }
          if constexpr (std::is_same_v<T, rules::DoRoutine>) {
            for (const rules::ExprId arg : x.args) cover_lets(arg, seen);
          }
        },
        stmt.node);
  }
  span = stmt.span;
  std::visit(
      [&](const auto& x) {
        using T = std::decay_t<decltype(x)>;
        if constexpr (std::is_same_v<T, rules::Move>) move(x);
        else if constexpr (std::is_same_v<T, rules::Fill>) fill(x);
        else if constexpr (std::is_same_v<T, rules::Swap>) swap(x);
        else if constexpr (std::is_same_v<T, rules::Turn>) {
          settle_for(x.what);
          const auto [kind, node] = cards(x.what);
          const Node of = kind == 3 ? add(NodeOp::zone_list, node) : node;
          const std::int32_t how = kind == 3 ? 2 : kind;
          const Node face = need(x.face);
          const rules::TypeId type = is_zone_like(x.what) ? r.zones[at(x.what).ref].type : at(x.what).type.id;
          Effect what{{type}, {}, mixed_types.count(type) != 0};
          effect(what, [&] { emit(InstrOp::turn, of, face, how); });
        } else if constexpr (std::is_same_v<T, rules::Shuffle>) {
          const Node of = zone(x.what);
          Effect what{{r.zones[at(x.what).ref].type}, {}, true};
          effect(what, [&] { emit(InstrOp::shuffle, of); });
        } else if constexpr (std::is_same_v<T, rules::Roll>) roll(x);
        else if constexpr (std::is_same_v<T, rules::Show>) show(x);
        else if constexpr (std::is_same_v<T, rules::Assign>) assign(x);
        else if constexpr (std::is_same_v<T, rules::Pay>) {
          const Node amount = need(x.amount);
          const std::int32_t from = target(x.from);
          const std::int32_t to = target(x.to);
          Effect what{{}, {x.from.var, x.to.var}, false};
          effect(what, [&] { emit(InstrOp::pay, amount, from, to); });
        } else if constexpr (std::is_same_v<T, rules::LetLocal>) let(x);
        else if constexpr (std::is_same_v<T, rules::StartVar>) {
          start_of(x.var);
          emit(InstrOp::start_var, static_cast<std::int32_t>(x.var));
        }
        else if constexpr (std::is_same_v<T, rules::If>) if_statement(x);
        else if constexpr (std::is_same_v<T, rules::Loop>) loop(x);
        else if constexpr (std::is_same_v<T, rules::MatchStmt>) match_statement(x);
        else if constexpr (std::is_same_v<T, rules::Choose>) choose(x);
        else if constexpr (std::is_same_v<T, rules::DoRoutine>) {
          std::vector<Node> args;
          const rules::Routine& routine = r.routines[x.routine];
          for (std::size_t i = 0; i < x.args.size(); ++i) {
            const Shape shape = r.locals[routine.params[i]].type.shape;
            args.push_back(shape == Shape::set ? set(x.args[i]) : shape == Shape::list ? list(x.args[i]) : scalar(x.args[i]));
          }
          emit(InstrOp::call, static_cast<std::int32_t>(x.routine) + 1, node_list(args));
        } else if constexpr (std::is_same_v<T, rules::Together>) {
          Effect all;
          std::set<rules::RoutineId> seen;
          collect_effects(x.body, all, seen);
          const std::vector<std::int32_t> woken = now.together ? std::vector<std::int32_t>{} : woken_by(all);
          const std::int32_t at_wake = woken.empty() ? -1 : wake(woken, true);
          if (at_wake >= 0) emit(InstrOp::watch_together, at_wake);
          const bool outer = now.together;
          now.together = true;
          block(x.body);
          now.together = outer;
          span = stmt.span;
          if (at_wake >= 0) {
            emit(InstrOp::fire, at_wake);
            emit(InstrOp::run_whens, at_wake);
          }
        } else if constexpr (std::is_same_v<T, rules::Stop>) stop();
        else if constexpr (std::is_same_v<T, rules::Win>) emit(InstrOp::win, set(x.who));
        else if constexpr (std::is_same_v<T, rules::EndTurn>) emit(InstrOp::end_turn);
        else if constexpr (std::is_same_v<T, rules::EndGame>) emit(InstrOp::end_game);
        else if constexpr (std::is_same_v<T, rules::EndPhase>) emit(InstrOp::end_phase, static_cast<std::int32_t>(x.phase));
        else if constexpr (std::is_same_v<T, rules::ClaimHere>) {
          if (!options.claims) return;
          if (r.claims[x.claim].condition != rules::kNoId) p.claims[x.claim].condition = scalar(r.claims[x.claim].condition);
          emit(InstrOp::claim, static_cast<std::int32_t>(x.claim));
        } else if constexpr (std::is_same_v<T, rules::RunPhase>) run_phase(x.phase);
      },
      stmt.node);
}

void Lowering::Impl::block(const rules::Block& block) {
  const std::int32_t begin = p.size;
  for (const rules::Stmt& stmt : block) statement(stmt);
  // equal games have equal bytes: what a block kept for itself is cleared when it ends
  (void)begin;
}

}  // namespace rip
