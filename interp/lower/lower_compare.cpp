// Conditions: comparisons, membership, patterns, emptiness; and counting, which goes the same ways.
#include "interp/check/constant.h"
#include "interp/lower/lower_impl.h"

#include <algorithm>

namespace rip {

using rules::Op;
using rules::Shape;

Node Lowering::Impl::negate(Node node, Span span) {
  const ir::ExprNode x = at(node);
  switch (x.op) {
    case NodeOp::constant: return constant(x.a == 0 ? 1 : 0, span);
    case NodeOp::logical_not: return x.a;
    case NodeOp::eq: return add(NodeOp::ne, span, x.a, x.b);
    case NodeOp::ne: return add(NodeOp::eq, span, x.a, x.b);
    case NodeOp::lt: return add(NodeOp::ge, span, x.a, x.b);
    case NodeOp::le: return add(NodeOp::gt, span, x.a, x.b);
    case NodeOp::gt: return add(NodeOp::le, span, x.a, x.b);
    case NodeOp::ge: return add(NodeOp::lt, span, x.a, x.b);
    case NodeOp::eq_const: return add(NodeOp::ne_const, span, x.a, x.b);
    case NodeOp::ne_const: return add(NodeOp::eq_const, span, x.a, x.b);
    default: return add(NodeOp::logical_not, span, node);
  }
}

Node Lowering::Impl::both(Node a, Node b, Span span) {
  if (is_constant(a)) return value(a) != 0 ? b : a;
  if (is_constant(b) && value(b) != 0) return a;
  return add(NodeOp::logical_and, span, a, b);
}

Node Lowering::Impl::either(Node a, Node b, Span span) {
  if (is_constant(a)) return value(a) == 0 ? b : a;
  if (is_constant(b, 0)) return a;
  return add(NodeOp::logical_or, span, a, b);
}

Node Lowering::Impl::equal(Node a, Node b, Span span) {
  if (is_constant(a) && is_constant(b)) return constant(value(a) == value(b) ? 1 : 0, span);
  if (is_constant(a)) std::swap(a, b);
  if (is_constant(b, ir::kNone)) return add(NodeOp::is_none, span, a);
  if (is_constant(b)) return add(NodeOp::eq_const, span, a, at(b).a);
  return add(NodeOp::eq, span, a, b);
}

Node Lowering::Impl::order(NodeOp op, Node a, Node b, Span span) {
  if (is_constant(a) && is_constant(b)) {
    const std::int64_t x = value(a);
    const std::int64_t y = value(b);
    return constant(op == NodeOp::lt ? x < y : op == NodeOp::le ? x <= y : op == NodeOp::gt ? x > y : x >= y, span);
  }
  if (is_constant(a)) {
    std::swap(a, b);
    op = op == NodeOp::lt ? NodeOp::gt : op == NodeOp::le ? NodeOp::ge : op == NodeOp::gt ? NodeOp::lt : NodeOp::le;
  }
  if (!is_constant(b)) return add(op, span, a, b);
  switch (op) {
    case NodeOp::lt: return add(NodeOp::le_const, span, a, at(b).a - 1);
    case NodeOp::le: return add(NodeOp::le_const, span, a, at(b).a);
    case NodeOp::gt: return add(NodeOp::ge_const, span, a, at(b).a + 1);
    default: return add(NodeOp::ge_const, span, a, at(b).a);
  }
}

ir::Domain Lowering::Impl::join(rules::ExprId a, rules::ExprId b) {
  rules::Type x = expr(a).type;
  const rules::Type& y = expr(b).type;
  if (x.base == rules::Base::unknown || (x.base != y.base && y.base == rules::Base::component)) return domain(y, expr(b).span);
  if (y.base == x.base) {
    x.low = std::min(x.low, y.low);
    x.high = std::max(x.high, y.high);
  }
  return domain(x, expr(a).span);
}

/// So simple that to read it twice costs no more than to keep it.
bool Lowering::Impl::cheap(Node node) const {
  const ir::ExprNode& x = at(node);
  switch (x.op) {
    case NodeOp::constant: case NodeOp::scratch: case NodeOp::me: case NodeOp::cell: case NodeOp::set_var: case NodeOp::scratch_set:
    case NodeOp::scratch_list: case NodeOp::list_var: case NodeOp::zone: return true;
    case NodeOp::attribute: case NodeOp::owner: case NodeOp::face: case NodeOp::next: case NodeOp::previous:
    case NodeOp::zone_set: return cheap(x.a);
    case NodeOp::zone_at: {
      const std::int32_t* list = &p.pool[static_cast<std::size_t>(at(x.b).a)];
      for (std::int32_t i = 0; i < list[0]; ++i)
        if (!cheap(list[1 + 3 * i])) return false;
      return true;
    }
    default: return false;
  }
}

/// Is `value` (never none) in the set? Sets that are written as conditions are asked instead of built.
Node Lowering::Impl::member(Node node, const rules::Type& type, rules::ExprId id) {
  const rules::Expr& e = expr(id);
  const auto in_range = [&](std::int64_t first, std::int64_t last) {
    if (is_constant(node)) return constant(value(node) >= first && value(node) <= last ? 1 : 0, e.span);
    return add(NodeOp::in_range, e.span, node, static_cast<std::int32_t>(first), static_cast<std::int32_t>(last));
  };
  if (Node where = ir::kNoNode; as_zone(id, where)) return add(NodeOp::in_zone, e.span, node, where);
  if (e.type.shape == Shape::scalar) return equal(node, scalar(id), e.span);
  if (e.type.shape == Shape::list) return add(NodeOp::in_list, e.span, node, list(id));
  const bool simple = cheap(node);
  switch (e.op) {
    case Op::range_set: case Op::part_of_enum: {
      const Node first = needed(e.kids[0]);
      const Node last = needed(e.kids[1]);
      if (is_constant(first) && is_constant(last)) return in_range(value(first), value(last));
      if (simple) return both(order(NodeOp::ge, node, first, e.span), order(NodeOp::le, node, last, e.span), e.span);
      break;
    }
    case Op::players: return type.base == rules::Base::seat ? constant(1, e.span) : in_range(0, box.players - 1);
    case Op::type_values:
      if (e.type.base != rules::Base::component || e.type.id != kNoId) return in_range(low(e.type), high(e.type));
      return constant(1, e.span);
    case Op::set_literal: {
      const bool plain = std::all_of(e.kids.begin(), e.kids.end(), [&](rules::ExprId kid) { return expr(kid).type.shape == Shape::scalar; });
      if (!plain || !simple || e.kids.size() > 4) break;
      Node found = constant(0, e.span);
      for (const rules::ExprId kid : e.kids) found = either(found, equal(node, scalar(kid), e.span), e.span);
      return found;
    }
    case Op::set_union: case Op::set_difference: {
      if (!simple) break;
      const Node a = member(node, type, e.kids[0]);
      const Node b = member(node, type, e.kids[1]);
      return e.op == Op::set_union ? either(a, b, e.span) : both(a, negate(b, e.span), e.span);
    }
    case Op::if_else: {
      const Node condition = truth(e.kids[0]);
      return choose_between(condition, [&] { return member(node, type, e.kids[1]); }, [&] { return member(node, type, e.kids[2]); }, e.span);
    }
    case Op::call: {
      std::vector<std::pair<rules::LocalId, Node>> kept;
      const rules::Expr& body = expr(r.lets[e.ref].value);
      const bool asked = selection(body) != nullptr || body.op == Op::set_union || body.op == Op::set_difference || body.op == Op::call;
      if (!simple || !asked || weight(e.ref) > 60 || !bind_arguments(e, kept)) break;
      const Node found = member(node, type, r.lets[e.ref].value);
      restore(kept);
      return found;
    }
    case Op::set_of: {
      const rules::Clause* only = selection(e);
      if (!simple || only == nullptr) break;
      const rules::LocalId inner = only->binders[0].local;
      Node found = member(node, type, only->binders[0].source);
      const Node before = names[inner];
      names[inner] = node;
      if (only->where != kNoId) found = both(found, truth(only->where), e.span);
      names[inner] = before;
      return found;
    }
    default: break;
  }
  const Node members = set(id);
  return add(NodeOp::in_set, e.span, node, members, pool_domain(domain(e.type, e.span)));
}

std::int32_t Lowering::Impl::phrase(rules::PhraseId id) {
  const rules::Phrase& from = r.phrases[id];
  ir::Phrase made;
  made.type = from.type == kNoId ? -1 : static_cast<std::int32_t>(from.type);
  for (const auto& [attribute, wanted] : from.attributes) {
    const rules::Type& type = r.component_types[from.type].attributes[attribute].type;
    Node node = ir::kNoNode;
    if (type.shape == Shape::set) {
      // a set attribute is compared by its mask
      std::set<rules::LocalId> open;
      names_in(wanted, open);
      if (!before_play(wanted) || !open.empty()) throw NotSupported{expr(wanted).span, "a set that changes cannot stand in a pattern yet"};
      std::int64_t mask = 0;
      bool outside = false;
      for (const std::int64_t v : Constants(r, config).value(wanted, {}).items) {
        outside = outside || v < type.low || v > type.high;
        if (!outside) mask |= static_cast<std::int64_t>(std::uint64_t{1} << (v - type.low));
      }
      node = constant(outside ? -1 : mask, expr(wanted).span);
    } else {
      node = scalar(wanted);
    }
    made.parts.push_back({attribute_tables[from.type][attribute], node});
  }
  if (from.face) made.face = static_cast<std::int32_t>(*from.face);
  if (from.owner != kNoId) made.owner = needed(from.owner);
  p.phrases.push_back(std::move(made));
  return static_cast<std::int32_t>(p.phrases.size() - 1);
}

Node Lowering::Impl::empty(rules::ExprId id) {
  const rules::Expr& e = expr(id);
  if (Node where = ir::kNoNode; as_zone(id, where)) return add(NodeOp::eq_const, e.span, add(NodeOp::zone_count, e.span, where), 0);
  if (e.type.shape == Shape::scalar) return equal(scalar(id), constant(ir::kNone, e.span), e.span);
  if (e.type.shape == Shape::list) return add(NodeOp::list_empty, e.span, list(id));
  ir::Clause over;
  over.ordered = false;
  ir::Binder& binder = over.binders.emplace_back();
  binder.slot = p.scratch_slots++;
  source(id, add(NodeOp::scratch, e.span, binder.slot), binder, true);
  if (binder.filters.empty()) return add(NodeOp::set_empty, e.span, set(id), pool_domain(domain(e.type, e.span)));
  binder.component = e.type.base == rules::Base::component;
  return negate(add(NodeOp::some, e.span, keep(std::move(over))), e.span);
}

Node Lowering::Impl::count_members(rules::ExprId id) {
  const rules::Expr& e = expr(id);
  if (Node where = ir::kNoNode; as_zone(id, where)) return add(NodeOp::zone_count, e.span, where);
  if (e.type.shape == Shape::scalar) return negate(equal(scalar(id), constant(ir::kNone, e.span), e.span), e.span);
  if (e.type.shape == Shape::list) return add(NodeOp::count_list, e.span, list(id));
  const std::int32_t before = p.scratch_slots++;
  ir::Clause over;
  over.ordered = false;
  ir::Binder& binder = over.binders.emplace_back();
  binder.slot = before;
  source(id, add(NodeOp::scratch, e.span, before), binder, true);
  binder.component = e.type.base == rules::Base::component;
  if (binder.filters.empty()) {
    if (binder.kind == ir::SourceKind::components) return constant(binder.b - binder.a, e.span);
    if (binder.kind == ir::SourceKind::range && is_constant(binder.a) && is_constant(binder.b))
      return constant(std::max<std::int64_t>(0, value(binder.b) - value(binder.a) + 1), e.span);
    if (binder.kind == ir::SourceKind::set) return add(NodeOp::count_set, e.span, binder.a, pool_domain(domain(e.type, e.span)));
    if (binder.kind == ir::SourceKind::zone) return add(NodeOp::zone_count, e.span, binder.a);
  }
  return add(NodeOp::count, e.span, keep(std::move(over)));
}

Node Lowering::Impl::compare(const rules::Expr& e) {
  switch (e.op) {
    case Op::eq: return equal(scalar(e.kids[0]), scalar(e.kids[1]), e.span);
    case Op::ne: return negate(equal(scalar(e.kids[0]), scalar(e.kids[1]), e.span), e.span);
    case Op::lt: case Op::le: case Op::gt: case Op::ge: {
      const Node a = needed(e.kids[0]);
      const NodeOp op = e.op == Op::lt ? NodeOp::lt : e.op == Op::le ? NodeOp::le : e.op == Op::gt ? NodeOp::gt : NodeOp::ge;
      return order(op, a, needed(e.kids[1]), e.span);
    }
    case Op::set_eq: case Op::set_ne: {
      for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
        const rules::Expr& side = expr(e.kids[i]);
        if (side.op != Op::set_literal || !side.kids.empty()) continue;
        const Node none = empty(e.kids[1 - i]);
        return e.op == Op::set_eq ? none : negate(none, e.span);
      }
      const std::int32_t domain_at = pool_domain(join(e.kids[0], e.kids[1]));
      const Node a = set(e.kids[0]);
      const Node same = add(NodeOp::set_eq, e.span, a, set(e.kids[1]), domain_at);
      return e.op == Op::set_eq ? same : negate(same, e.span);
    }
    case Op::subset: {
      const std::int32_t domain_at = pool_domain(join(e.kids[0], e.kids[1]));
      const Node a = set(e.kids[0]);
      return add(NodeOp::subset, e.span, a, set(e.kids[1]), domain_at);
    }
    case Op::list_eq: case Op::list_ne: {
      const Node a = list(e.kids[0]);
      const Node same = add(NodeOp::list_eq, e.span, a, list(e.kids[1]));
      return e.op == Op::list_eq ? same : negate(same, e.span);
    }
    case Op::fits: {
      const Node component = scalar(e.kids[0]);
      return add(NodeOp::fits, e.span, component, phrase(e.phrase));
    }
    case Op::zone_fits_list: {
      const Node cards_node = list(e.kids[0]);
      std::vector<std::int32_t> patterns;
      for (const rules::PhraseId pattern : e.patterns) patterns.push_back(phrase(pattern));
      return add(NodeOp::fits_list, e.span, cards_node, pool(patterns));
    }
    case Op::some_fits: {
      const Node among = set(e.kids[0]);
      return add(NodeOp::some_fits, e.span, among, phrase(e.phrase), pool_domain(domain({rules::Base::component}, e.span)));
    }
    case Op::one_fitting: {
      risk();
      const Node among = e.kids.empty() ? ir::kNoNode : set(e.kids[0]);
      return add(NodeOp::one_fitting, e.span, phrase(e.phrase), among, pool_domain(domain({rules::Base::component}, e.span)));
    }
    case Op::in_set: return member(needed(e.kids[0]), expr(e.kids[0]).type, e.kids[1]);
    case Op::is_none: return equal(scalar(e.kids[0]), constant(ir::kNone, e.span), e.span);
    case Op::is_empty: return empty(e.kids[0]);
    default: break;
  }
  throw NotSupported{e.span, "this comparison is not supported yet"};
}

}  // namespace rip
