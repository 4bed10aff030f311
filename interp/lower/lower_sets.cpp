// Zones, sets and lists as values.
#include "interp/lower/lower_impl.h"

#include <algorithm>

namespace rip {

using rules::Base;
using rules::Op;
using rules::Shape;

namespace {
/// In a set literal the node behind this marker is itself a set.
/// What a list holds at most where nothing says so.
constexpr std::int32_t kPlainList = 64;
}  // namespace

Node Lowering::Impl::value_of(rules::ExprId id) {
  switch (expr(id).type.shape) {
    case Shape::scalar: return scalar(id);
    case Shape::set: return is_zone(id) ? zone(id) : set(id);
    case Shape::list: return list(id);
  }
  return ir::kNoNode;
}

bool Lowering::Impl::is_zone(rules::ExprId id) const {
  const rules::Expr& e = expr(id);
  switch (e.op) {
    case Op::zone: return true;
    case Op::call: return is_zone(r.lets[e.ref].value);
    case Op::if_else: return is_zone(e.kids[1]) && is_zone(e.kids[2]);
    default: return false;
  }
}

bool Lowering::Impl::as_zone(rules::ExprId id, Node& out) {
  const rules::Expr& e = expr(id);
  if (is_zone(id) || e.op == Op::place_card) {
    out = zone(id);
    return true;
  }
  if (e.op == Op::local && names[e.ref] != ir::kNoNode && at(names[e.ref]).op == NodeOp::zone_set) {
    out = at(names[e.ref]).a;
    return true;
  }
  return false;
}

Node Lowering::Impl::zone(rules::ExprId id) {
  const rules::Expr& e = expr(id);
  if (e.op == Op::if_else)
    return choose_between(truth(e.kids[0]), [&] { return zone(e.kids[1]); }, [&] { return zone(e.kids[2]); }, e.span);
  if (e.op == Op::call) return call(id);
  if (e.op != Op::zone && e.op != Op::place_card) throw NotSupported{e.span, "a zone is needed here"};
  const std::vector<rules::Type>& index = r.zones[e.ref].index;
  const auto first = static_cast<std::int32_t>(box.first_zone[e.ref]);
  const std::int32_t each = under(index, e.kids.size());
  const Position where = position(index, e.kids, e.span);
  if (where.fixed) return add(NodeOp::zone, e.span, first + where.at * each, each);
  return add(NodeOp::zone_at, e.span, first, where.node, each);
}

Node Lowering::Impl::set_literal(const rules::Expr& e) {
  std::vector<std::int32_t> items;
  for (const rules::ExprId kid : e.kids) {
    if (expr(kid).type.shape == Shape::scalar) {
      items.push_back(scalar(kid));
    } else {
      const Node inner = set(kid);
      items.push_back(ir::kSetKid);
      items.push_back(inner);
    }
  }
  return add(NodeOp::set_literal, e.span, pool(items));
}

Node Lowering::Impl::set(rules::ExprId id) {
  const rules::Expr& e = expr(id);
  if (Node where = ir::kNoNode; as_zone(id, where)) return add(NodeOp::zone_set, e.span, where);
  if (e.type.shape == Shape::scalar) {
    const Node only = scalar(id);
    return is_constant(only, ir::kNone) ? add(NodeOp::set_literal, e.span, pool({})) : add(NodeOp::singleton, e.span, only);
  }
  if (e.type.shape == Shape::list) return add(NodeOp::list_set, e.span, list(id));
  switch (e.op) {
    case Op::local: return scalar(id);
    case Op::var: return var(e);
    case Op::attribute:
      if (expr(e.kids[0]).type.optional) risk();
      return add(NodeOp::mask_table, e.span, scalar(e.kids[0]), attribute_tables[e.ref][static_cast<std::size_t>(e.value)],
                 static_cast<std::int32_t>(e.type.low));
    case Op::set_literal: return set_literal(e);
    case Op::range_set: case Op::part_of_enum: {
      const Node first = needed(e.kids[0]);
      return add(NodeOp::range_set, e.span, first, needed(e.kids[1]));
    }
    case Op::type_values:
      if (e.type.base == Base::component)
        return add(NodeOp::component_set, e.span, static_cast<std::int32_t>(low(e.type)), static_cast<std::int32_t>(high(e.type)) + 1);
      if (e.type.base == Base::seat) return add(NodeOp::seats, e.span);
      return add(NodeOp::range_set, e.span, constant(low(e.type), e.span), constant(high(e.type), e.span));
    case Op::players: return add(NodeOp::seats, e.span);
    case Op::set_union: case Op::set_difference: {
      const Node a = set(e.kids[0]);
      return add(e.op == Op::set_union ? NodeOp::set_union : NodeOp::set_difference, e.span, a, set(e.kids[1]));
    }
    case Op::set_of: {
      const std::int32_t over = clause(e.clause, false);
      if (!e.kids.empty() && expr(e.kids[0]).type.shape != Shape::scalar)
        throw NotSupported{e.span, "a set built from sets is not supported yet"};
      const Node collected = e.kids.empty() ? names[r.clauses[e.clause].binders[0].local] : scalar(e.kids[0]);
      const ir::Clause& made = p.clauses[static_cast<std::size_t>(over)];
      const ir::Binder& first = made.binders[0];
      const bool all = made.binders.size() == 1 && made.conditions.empty() && first.filters.empty() && !first.pick &&
                       at(collected).op == NodeOp::scratch && at(collected).a == first.slot;
      if (all && first.kind == ir::SourceKind::zone) return add(NodeOp::zone_set, e.span, first.a);
      return add(NodeOp::set_of, e.span, over, collected);
    }
    case Op::best: return add(NodeOp::best, e.span, clause(e.clause, false));
    case Op::best_of: return set(e.kids[0]);
    case Op::top_n: {
      const Node n = needed(e.kids[0]);
      const Node of = set(e.kids[1]);
      if (e.type.base != Base::component) {  // plain members ascend: the first of them as a list
        const Node members = add(NodeOp::set_list, e.span, of, pool_domain(domain(e.type, e.span)), 0);
        return add(NodeOp::list_set, e.span, add(NodeOp::first_of_list, e.span, n, members));
      }
      return add(NodeOp::top_of_set, e.span, n, of, pool_domain(domain(e.type, e.span)));
    }
    case Op::if_else:
      return choose_between(truth(e.kids[0]), [&] { return set(e.kids[1]); }, [&] { return set(e.kids[2]); }, e.span);
    case Op::match: return match(id, [&](rules::ExprId arm) { return set(arm); });
    case Op::call: return call(id);
    case Op::winners: return add(NodeOp::winners, e.span);
    default: break;
  }
  throw NotSupported{e.span, "this set is not supported yet"};
}

Node Lowering::Impl::family(const rules::Expr& e) {
  if (e.op == Op::param_family) {
    const std::vector<rules::Type>& index = r.params[e.ref].index;
    const Position where = position(index, e.kids, e.span);
    if (!where.fixed) throw NotSupported{e.span, "a row of a table at an index that changes is not supported yet"};
    const std::int32_t count = under(index, e.kids.size());
    return add(NodeOp::table_list, e.span, param_tables[e.ref] + where.at * count, count);
  }
  const std::vector<rules::Type>& index = r.vars[e.ref].index;
  if (p.vars[e.ref].set) throw NotSupported{e.span, "a family of sets as a list is not supported yet"};
  const Position where = position(index, e.kids, e.span);
  const Node first = e.kids.empty() ? ir::kNoNode : position_node(where, e.span);
  return add(NodeOp::family, e.span, static_cast<std::int32_t>(e.ref), first, under(index, e.kids.size()));
}

/// `top n of`, `bottom n of`.
Node Lowering::Impl::list_end(const rules::Expr& e) {
  const Node n = needed(e.kids[0]);
  if (Node where = ir::kNoNode; as_zone(e.kids[1], where)) return add(e.op == Op::top_n ? NodeOp::top_list : NodeOp::bottom_list, e.span, n, where);
  if (e.op == Op::bottom_n) throw NotSupported{e.span, "`bottom n of` something else than a zone is not supported yet"};
  return add(NodeOp::first_of_list, e.span, n, list(e.kids[1]));
}

Node Lowering::Impl::list(rules::ExprId id) {
  const rules::Expr& e = expr(id);
  if (Node where = ir::kNoNode; as_zone(id, where)) return add(NodeOp::zone_list, e.span, where);
  if (e.type.shape == Shape::scalar) return add(NodeOp::singleton, e.span, scalar(id));
  if (e.type.shape == Shape::set)
    return add(NodeOp::set_list, e.span, set(id), pool_domain(domain(e.type, e.span)), e.type.base == Base::component ? 1 : 0);
  switch (e.op) {
    case Op::local: return scalar(id);
    case Op::list_literal: {
      std::vector<std::int32_t> items;
      for (const rules::ExprId kid : e.kids) items.push_back(scalar(kid));
      return add(NodeOp::list_literal, e.span, pool(items));
    }
    case Op::list_of: {
      const std::int32_t over = clause(e.clause, true);
      const Node collected = e.kids.empty() ? names[r.clauses[e.clause].binders[0].local] : scalar(e.kids[0]);
      return add(NodeOp::list_of, e.span, over, collected);
    }
    case Op::var_family: case Op::param_family: return family(e);
    case Op::top_n: case Op::bottom_n: return list_end(e);
    case Op::score_family: return add(NodeOp::score_list, e.span);
    case Op::if_else:
      return choose_between(truth(e.kids[0]), [&] { return list(e.kids[1]); }, [&] { return list(e.kids[2]); }, e.span);
    case Op::match: return match(id, [&](rules::ExprId arm) { return list(arm); });
    case Op::call: return call(id);
    default: break;
  }
  throw NotSupported{e.span, "this list is not supported yet"};
}

std::int32_t Lowering::Impl::most_of(const rules::Type& type) const {
  if (type.base == Base::component || type.base == Base::seat) return static_cast<std::int32_t>(std::max<std::int64_t>(1, axis(type).second));
  return kPlainList;
}

std::int32_t Lowering::Impl::most(rules::ExprId id) {
  const rules::Expr& e = expr(id);
  const auto limited = [](std::int64_t n) { return static_cast<std::int32_t>(std::clamp<std::int64_t>(n, 1, ir::kMaxList)); };
  if (e.type.shape == Shape::scalar) return 1;
  switch (e.op) {
    case Op::list_literal: return limited(std::ssize(e.kids));
    case Op::list_of: case Op::set_of: {
      const std::int64_t rows = most_bindings(e.clause);
      return limited(e.op == Op::list_of ? rows : std::min<std::int64_t>(rows, std::max<std::int64_t>(1, axis(e.type).second)));
    }
    case Op::top_n: case Op::bottom_n: return std::min(most(e.kids[1]), limited(high(expr(e.kids[0]).type)));
    case Op::var_family: return limited(under(r.vars[e.ref].index, e.kids.size()));
    case Op::param_family: return limited(under(r.params[e.ref].index, e.kids.size()));
    case Op::if_else: return std::max(most(e.kids[1]), most(e.kids[2]));
    case Op::call: return most(r.lets[e.ref].value);
    case Op::zone: {
      std::int64_t total = 0;
      if (r.zones[e.ref].kind == ast::ZoneKind::place) total = under(r.zones[e.ref].index, e.kids.size());
      return total > 0 ? std::min(limited(total), most_of(e.type)) : most_of(e.type);
    }
    case Op::set_literal: {
      std::int64_t total = 0;
      for (const rules::ExprId kid : e.kids) total += most(kid);
      return limited(total);
    }
    case Op::set_difference: return most(e.kids[0]);
    case Op::set_union: return limited(std::min<std::int64_t>(most(e.kids[0]) + most(e.kids[1]), std::max<std::int64_t>(1, axis(e.type).second)));
    case Op::range_set: case Op::part_of_enum: {
      const std::int64_t first = low(expr(e.kids[0]).type);
      const std::int64_t last = high(expr(e.kids[1]).type);
      return limited(last - first + 1);
    }
    default: break;
  }
  if (e.type.shape == Shape::set) return limited(axis(e.type).second);
  return most_of(e.type);
}

}  // namespace rip
