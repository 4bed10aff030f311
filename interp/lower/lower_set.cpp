// Sets, lists and zones as values.
#include "interp/lower/lower_impl.h"

#include <algorithm>

namespace rip {

using ir::Node;
using ir::NodeOp;
using rules::Op;
using rules::Shape;

namespace {
constexpr std::int32_t kSetKid = -2;  ///< in a set literal: the next node is itself a set
}

/// The value of the first name of a clause that has just been lowered.
Node Lowering::Impl::first_name(rules::ClauseId id) {
  const Place& place = places[r.clauses[id].binders.front().local];
  if (place.kind == Place::Kind::scratch_set) return add(NodeOp::scratch_set, place.slot, place.domain.low, place.domain.words);
  return add(NodeOp::scratch, place.slot);
}

ir::Domain Lowering::Impl::domain_of(const rules::Type& type, Span where) const {
  switch (type.base) {
    case rules::Base::component: return {0, std::max(1, (static_cast<std::int32_t>(box.components.size()) + 63) / 64)};
    case rules::Base::seat:
    case rules::Base::unknown: return {0, 1};
    default: break;
  }
  const std::int64_t words = (type.high - type.low) / 64 + 1;
  if (words > ir::kMaxWords || type.low < -2147483647) throw NotSupported{where, "a set over more than 1024 values is not supported yet"};
  return {static_cast<std::int32_t>(type.low), static_cast<std::int32_t>(words)};
}

ir::Domain Lowering::Impl::joined_domain(const rules::Type& a, const rules::Type& b, Span where) const {
  if (a.base == rules::Base::unknown) return domain_of(b, where);
  if (b.base == rules::Base::unknown) return domain_of(a, where);
  rules::Type joined = a;
  joined.low = std::min(a.low, b.low);
  joined.high = std::max(a.high, b.high);
  return domain_of(joined, where);
}

std::int32_t Lowering::Impl::pool_domain(ir::Domain domain) { return pool({domain.low, domain.words}); }

Node Lowering::Impl::zone(rules::ExprId id) {
  const rules::Expr& x = at(id);
  if (x.op == Op::call || x.op == Op::if_else) return x.op == Op::call ? call(x) : if_else(x, Shape::set);
  if (!is_zone_like(id)) throw NotSupported{x.span, "a zone is needed here"};
  const rules::Zone& declared = r.zones[x.ref];
  const auto first = static_cast<std::int32_t>(box.first_zone[x.ref]);
  const auto last = static_cast<std::int32_t>(box.first_zone[x.ref + 1]);
  if (x.kids.empty()) {
    span = x.span;
    return add(NodeOp::zone, first, last - first);
  }
  const Node where = position(x.kids, declared.index);
  std::int32_t stride = 1;
  for (std::size_t i = x.kids.size(); i < declared.index.size(); ++i) stride *= index_range(declared.index[i]).second;
  span = x.span;
  std::int64_t known = 0;
  if (is_number(where, &known)) return add(NodeOp::zone, first + static_cast<std::int32_t>(known) * stride, stride);
  return add(NodeOp::zone_at, first, where, stride);
}

Node Lowering::Impl::set(rules::ExprId id) {
  const rules::Expr& x = at(id);
  span = x.span;
  if (is_zone_like(id)) return add(NodeOp::zone_set, zone(id));
  if (x.type.shape == Shape::list) return add(NodeOp::list_set, list(id));
  if (x.type.shape == Shape::scalar) return add(NodeOp::singleton, scalar(id));
  switch (x.op) {
    case Op::local: return local(x);
    case Op::var: return var(x);
    case Op::attribute: {
      const Node component = scalar(x.kids[0]);
      span = x.span;
      return add(NodeOp::mask_table, component, attribute_table(x.ref, static_cast<rules::AttrId>(x.value)), static_cast<std::int32_t>(x.type.low));
    }
    case Op::param: {
      const auto& values = config.params[x.ref];
      std::vector<std::int32_t> items;
      for (const std::int64_t value : values) items.push_back(number(value));
      return add(NodeOp::set_literal, node_list(items));
    }
    case Op::set_literal: {
      std::vector<std::int32_t> items;
      for (const rules::ExprId kid : x.kids) {
        if (at(kid).type.shape == Shape::scalar && !is_zone_like(kid)) {
          items.push_back(scalar(kid));
        } else {
          items.push_back(kSetKid);
          items.push_back(set(kid));
        }
      }
      span = x.span;
      return add(NodeOp::set_literal, node_list(items));
    }
    case Op::range_set:
    case Op::part_of_enum: {
      const Node low = need(x.kids[0]);
      const Node high = need(x.kids[1]);
      span = x.span;
      return add(NodeOp::range_set, low, high);
    }
    case Op::type_values: {
      if (x.type.base == rules::Base::component) {
        const auto [first, last] = box.of_type[x.type.id];
        return add(NodeOp::component_set, static_cast<std::int32_t>(first), static_cast<std::int32_t>(last));
      }
      const Node low = number(x.type.low);
      return add(NodeOp::range_set, low, number(x.type.high));
    }
    case Op::players: return add(NodeOp::seats);
    case Op::set_union:
    case Op::set_difference: {
      const Node a = set(x.kids[0]);
      const Node b = set(x.kids[1]);
      span = x.span;
      return add(x.op == Op::set_union ? NodeOp::set_union : NodeOp::set_difference, a, b);
    }
    case Op::set_of: {
      const std::int32_t over = clause(x.clause, false);
      const Node of = x.kids.empty() ? first_name(x.clause) : value(x.kids[0]);
      span = x.span;
      return add(NodeOp::set_of, over, of);
    }
    case Op::best: return add(NodeOp::best, clause(x.clause, false));
    case Op::best_of: return set(x.kids[0]);
    case Op::top_n: {
      const Node n = need(x.kids[0]);
      const Node of = set(x.kids[1]);
      span = x.span;
      return add(NodeOp::top_of_set, n, of, pool_domain(domain_of(at(x.kids[1]).type, x.span)));
    }
    case Op::call: return call(x);
    case Op::if_else: return if_else(x, Shape::set);
    case Op::match: return match(x, Shape::set);
    case Op::winners: return add(NodeOp::winners);
    default: break;
  }
  throw NotSupported{x.span, "this set is not supported here yet"};
}

Node Lowering::Impl::list(rules::ExprId id) {
  const rules::Expr& x = at(id);
  span = x.span;
  if (is_zone_like(id)) return add(NodeOp::zone_list, zone(id));
  if (x.type.shape == Shape::scalar) return add(NodeOp::singleton, scalar(id));
  if (x.type.shape == Shape::set) {
    const bool by_place = x.type.base == rules::Base::component;
    const Node of = set(id);
    span = x.span;
    return add(NodeOp::set_list, of, pool_domain(domain_of(x.type, x.span)), by_place ? 1 : 0);
  }
  switch (x.op) {
    case Op::local: return local(x);
    case Op::list_literal: {
      std::vector<Node> items;
      for (const rules::ExprId kid : x.kids) items.push_back(scalar(kid));
      span = x.span;
      return add(NodeOp::list_literal, node_list(items));
    }
    case Op::list_of: {
      const std::int32_t over = clause(x.clause, true);
      const Node of = x.kids.empty() ? first_name(x.clause) : scalar(x.kids[0]);
      span = x.span;
      return add(NodeOp::list_of, over, of);
    }
    case Op::top_n:
    case Op::bottom_n: {
      const Node n = need(x.kids[0]);
      span = x.span;
      if (is_zone_like(x.kids[1])) return add(x.op == Op::top_n ? NodeOp::top_list : NodeOp::bottom_list, n, zone(x.kids[1]));
      if (x.op == Op::bottom_n) break;
      return add(NodeOp::first_of_list, n, list(x.kids[1]));
    }
    case Op::var_family: {
      const ir::Var& made = p.vars[x.ref];
      std::int32_t stride = 1;
      for (std::size_t i = x.kids.size(); i < r.vars[x.ref].index.size(); ++i) stride *= index_range(r.vars[x.ref].index[i]).second;
      const Node where = x.kids.empty() ? ir::kNoNode : position(x.kids, r.vars[x.ref].index);
      (void)made;
      return add(NodeOp::family, static_cast<std::int32_t>(x.ref), where, stride);
    }
    case Op::param:
    case Op::param_family:
      return add(NodeOp::table_list, param_tables[x.ref], static_cast<std::int32_t>(config.params[x.ref].size()));
    case Op::score_family: return add(NodeOp::score_list);
    case Op::call: return call(x);
    case Op::if_else: return if_else(x, Shape::list);
    case Op::match: return match(x, Shape::list);
    default: break;
  }
  throw NotSupported{x.span, "this list is not supported here yet"};
}

}  // namespace rip
