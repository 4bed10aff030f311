// Effects: what each sentence needs around it (chance first, then who may wake), and the sentence itself.
#include "interp/lower/lower_impl.h"

#include <algorithm>

namespace rip {

using rules::Op;
using rules::Shape;

void Lowering::Impl::effect(const Effect& what, const std::function<void()>& settle_more, const std::function<void()>& happen) {
  const Span span = span_now;
  const bool drew = std::any_of(what.operands.begin(), what.operands.end(), [&](rules::ExprId id) { return id != kNoId && draws(id); });
  const bool refilled = std::any_of(what.operands.begin(), what.operands.end(), [&](rules::ExprId id) { return id != kNoId && refills(id); });
  // a chance point is a stop, and a refill is part of the effect: what held before is then kept in the state
  const bool in_state = what.chance || refilled;
  const std::int32_t woken = in_together ? -1 : wake(what.writes, in_state);
  if (woken >= 0 && in_state) emit(InstrOp::watch_together, woken);
  for (const rules::ExprId id : what.operands) {
    if (id == kNoId) continue;
    if (what.each < 0) settle(id);
    else settle_each(id, what.each);
  }
  settle_more();
  span_now = span;
  if (woken >= 0 && !in_state) emit(InstrOp::watch, woken);
  happen();
  span_now = span;
  if (woken >= 0) emit(InstrOp::fire, woken);
  if (exposes(what.writes) || (drew && !shown_zones.empty())) emit(InstrOp::expose);
  if (woken >= 0) emit(InstrOp::run_whens, woken);
}

bool Lowering::Impl::exposes(const Touch& writes) const {
  return std::any_of(shown_zones.begin(), shown_zones.end(), [&](rules::ZoneId zone) {
    return writes.zones.count(zone) != 0 || writes.sides.count(r.zones[zone].type) != 0;
  });
}

std::pair<std::int32_t, Node> Lowering::Impl::cards(rules::ExprId id) {
  const rules::Expr& e = expr(id);
  if (e.op == Op::place_card) return {0, scalar(id)};
  if (Node where = ir::kNoNode; as_zone(id, where)) return {3, where};
  if (e.type.shape == Shape::list) return {2, list(id)};
  if (e.type.shape == Shape::set) return {1, set(id)};
  return {0, scalar(id)};
}

std::int32_t Lowering::Impl::target(const rules::VarTarget& to, Span span) {
  ir::Target made;
  made.var = static_cast<std::int32_t>(to.var);
  if (!to.index.empty()) made.index = position_node(position(r.vars[to.var].index, to.index, span), span);
  p.targets.push_back(made);
  return static_cast<std::int32_t>(p.targets.size() - 1);
}

Node Lowering::Impl::read_target(const rules::VarTarget& of, Span span) {
  rules::Expr read;
  read.op = Op::var;
  read.ref = of.var;
  read.kids = of.index;
  read.type = r.vars[of.var].type;
  read.span = span;
  const Node old = var(read);
  return read.type.optional ? add(NodeOp::require, span, old) : old;
}

void Lowering::Impl::run(const rules::Move& node) {
  Effect what;
  what.writes = writes_of(node);
  what.operands = {node.what};
  for (const rules::ExprId index : expr(node.to).kids) what.operands.push_back(index);
  what.operands.push_back(node.face);
  if (node.each != kNoId) what.each = clause(node.each, true);
  effect(
      what, [] {},
      [&] {
        const auto [kind, of] = cards(node.what);
        const Node to = zone(node.to);
        const Node face = node.face == kNoId ? ir::kNoNode : needed(node.face);
        const std::int32_t under = node.under ? 1 : 0;
        if (node.each != kNoId) {
          emit(InstrOp::move_each, what.each, pool_raw({kind, of}), to, pool_raw({face, under}));
          return;
        }
        constexpr InstrOp kMoves[] = {InstrOp::move, InstrOp::move_set, InstrOp::move_list, InstrOp::move_zone};
        emit(kMoves[kind], of, to, face, under);
      });
}

/// Code for one fixed pile at a time: `f` gets its instance.
void Lowering::Impl::for_each_pile(rules::ExprId pile, const std::function<void(std::int32_t)>& f) {
  const Node from = zone(pile);
  const ir::ExprNode x = at(from);
  if (x.op == NodeOp::zone) {
    if (x.b != 1) throw NotSupported{expr(pile).span, "filling from several piles at once is not supported yet"};
    return f(x.a);
  }
  if (x.op != NodeOp::zone_at || x.c != 1) throw NotSupported{expr(pile).span, "filling from this pile is not supported yet"};
  const auto family = static_cast<std::int32_t>(box.first_zone[expr(pile).ref + 1]) - x.a;
  Label behind;
  for (std::int32_t i = 0; i < family; ++i) {
    Label next;
    if (i + 1 < family) branch(add(NodeOp::eq_const, expr(pile).span, x.b, i), next);
    f(x.a + i);
    if (i + 1 < family) jump(behind);
    place(next);
  }
  place(behind);
}

void Lowering::Impl::run(const rules::Fill& node) {
  Effect what;
  what.writes = writes_of(node);
  what.operands = {node.to_count, node.face};
  for (const rules::ExprId side : {node.what, node.from})
    for (const rules::ExprId index : expr(side).kids) what.operands.push_back(index);
  const std::optional<std::set<rules::ZoneId>> piles = zones_of(node.from);
  what.chance = piles && std::any_of(piles->begin(), piles->end(), [&](rules::ZoneId z) { return r.zones[z].refill_from != kNoId; });
  const Node to = zone(node.what);
  const Node wanted = node.to_count == kNoId ? ir::kNoNode : needed(node.to_count);
  const std::int32_t filled = at(to).op == NodeOp::zone ? at(to).b : at(to).op == NodeOp::zone_at ? at(to).c : 1;
  if (wanted != ir::kNoNode && filled != 1) throw NotSupported{span_now, "filling several zones to a count is not supported yet"};
  const Node face = node.face == kNoId ? ir::kNoNode : needed(node.face);
  effect(
      what, [&] { for_each_pile(node.from, [&](std::int32_t pile) { emit(InstrOp::settle_fill, to, wanted, pile); }); },
      [&] { for_each_pile(node.from, [&](std::int32_t pile) { emit(InstrOp::fill, to, wanted, pile, face); }); });
}

void Lowering::Impl::run(const rules::Swap& node) {
  Effect what;
  what.writes = writes_of(node);
  what.operands = {node.first, node.second};
  effect(
      what, [] {},
      [&] {
        if (node.second == kNoId) {
          emit(InstrOp::swap_set, set(node.first));
        } else if (is_zone(node.first) && is_zone(node.second)) {
          const Node first = zone(node.first);
          emit(InstrOp::swap_zones, first, zone(node.second));
        } else {
          const Node first = scalar(node.first);
          emit(InstrOp::swap, first, scalar(node.second));
        }
      });
}

void Lowering::Impl::run(const rules::Turn& node) {
  Effect what;
  for (const rules::TypeId type : types_of(node.what)) what.writes.sides.insert(type);
  what.operands = {node.what, node.face};
  effect(
      what, [] {},
      [&] {
        const auto [kind, of] = cards(node.what);
        emit(InstrOp::turn, of, needed(node.face), kind);
      });
}

void Lowering::Impl::run(const rules::Shuffle& node) {
  Effect what;
  what.writes = writes_of(node);
  for (const rules::ExprId index : expr(node.what).kids) what.operands.push_back(index);
  effect(what, [] {}, [&] { emit(InstrOp::shuffle, zone(node.what)); });
}

void Lowering::Impl::run(const rules::Roll& node) {
  if (p.rolling < 0) throw NotSupported{span_now, "there is nothing here that can be rolled"};
  Effect what;
  for (const rules::TypeId type : types_of(node.what)) what.writes.sides.insert(type);
  what.operands = {node.what};
  effect(
      what,
      [&] {
        const auto [kind, of] = cards(node.what);
        emit(InstrOp::roll_begin, of, kind);
        emit(InstrOp::roll);
      },
      [&] { emit(InstrOp::roll_end); });
}

void Lowering::Impl::run(const rules::Show& node) {
  Effect what;
  what.operands = {node.what, node.to};
  effect(
      what, [] {},
      [&] {
        const rules::Expr& e = expr(node.what);
        const Node to = node.to == kNoId ? ir::kNoNode : set(node.to);
        const bool is_var = e.op == Op::var || e.op == Op::var_family;
        if (is_var && (r.vars[e.ref].seen_by != kNoId || e.type.base != rules::Base::component)) {
          if (!e.kids.empty() && e.kids.size() < r.vars[e.ref].index.size())
            throw NotSupported{e.span, "showing a part of a family is not supported yet"};
          emit(InstrOp::show, target({e.ref, e.kids}, e.span), 3, to);
          return;
        }
        if (e.type.base == rules::Base::component) {
          const auto [kind, of] = cards(node.what);
          if (kind == 3) emit(InstrOp::show, add(NodeOp::zone_list, e.span, of), 2, to);
          else emit(InstrOp::show, of, kind, to);
          return;
        }
        if (e.type.shape == Shape::scalar) {
          emit(InstrOp::show, scalar(node.what), e.op == Op::attribute ? 5 : 4, to, texts_of(e.type));
          return;
        }
        emit(InstrOp::show, list(node.what), 6, to, texts_of(e.type));
      });
}

void Lowering::Impl::run(const rules::Assign& node) {
  const Span span = span_now;
  const rules::Var& declared = r.vars[node.target.var];
  Effect what;
  what.writes.vars.insert(node.target.var);
  what.operands = node.target.index;
  const std::int32_t to = target(node.target, span);
  if (node.kind != rules::Assign::Kind::set) {
    what.operands.push_back(node.value);
    effect(
        what, [] {},
        [&] {
          const Node old = read_target(node.target, span);
          const Node by = needed(node.value);
          emit(InstrOp::set, to, add(node.kind == rules::Assign::Kind::raise ? NodeOp::add : NodeOp::sub, span, old, by));
        });
    return;
  }
  with_chance(
      node.value,
      [&](rules::ExprId id) {
        Effect drawn = what;
        drawn.chance = true;
        effect(drawn, [] {}, [&] { draw_into(InstrOp::random, to, id); });
      },
      [&](rules::ExprId id) {
        Effect plain = what;
        plain.operands.push_back(id);
        effect(
            plain, [] {},
            [&] {
              if (declared.type.shape == Shape::set) emit(InstrOp::set_set, to, set(id));
              else emit(InstrOp::set, to, scalar(id));
            });
      });
}

void Lowering::Impl::run(const rules::Pay& node) {
  const Span span = span_now;
  Effect what;
  what.writes.vars = {node.from.var, node.to.var};
  what.operands = {node.amount};
  effect(
      what, [] {},
      [&] {
        const Node amount = needed(node.amount);
        const std::int32_t from = target(node.from, span);
        emit(InstrOp::pay, amount, from, target(node.to, span));
      });
}

}  // namespace rip
