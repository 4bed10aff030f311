// Scalar values: numbers, flags, seats, components.
#include "interp/lower/lower_impl.h"

#include <algorithm>

namespace rip {

using ir::Node;
using ir::NodeOp;
using rules::Op;
using rules::Shape;

ir::Node Lowering::Impl::add(NodeOp op, std::int32_t a, std::int32_t b, std::int32_t c, ir::Width width) {
  p.nodes.push_back({op, width, a, b, c});
  p.node_spans.push_back(span);
  return static_cast<Node>(p.nodes.size() - 1);
}

bool Lowering::Impl::is_number(Node node, std::int64_t* value) const {
  const ir::ExprNode& x = p.nodes[static_cast<std::size_t>(node)];
  if (x.op != NodeOp::constant) return false;
  if (value != nullptr) *value = x.a;
  return true;
}

std::int32_t Lowering::Impl::pool(const std::vector<std::int32_t>& items) {
  p.pool.insert(p.pool.end(), items.begin(), items.end());
  return static_cast<std::int32_t>(p.pool.size() - items.size());
}

std::int32_t Lowering::Impl::node_list(const std::vector<Node>& nodes) {
  std::vector<std::int32_t> items{static_cast<std::int32_t>(nodes.size())};
  items.insert(items.end(), nodes.begin(), nodes.end());
  return pool(items);
}

Node Lowering::Impl::value(rules::ExprId id) {
  switch (at(id).type.shape) {
    case Shape::scalar: return scalar(id);
    case Shape::set: return set(id);
    case Shape::list: return list(id);
  }
  return ir::kNoNode;
}

Node Lowering::Impl::need(rules::ExprId id) {
  const Node node = scalar(id);
  std::int64_t constant = 0;
  if (!at(id).type.optional || (is_number(node, &constant) && constant != ir::kNone)) return node;
  span = at(id).span;
  return add(NodeOp::require, node);
}

/// Where in a family: one number, folded if the index values are known.
Node Lowering::Impl::position(const std::vector<rules::ExprId>& values, const std::vector<rules::Type>& index) {
  std::vector<std::int32_t> items{static_cast<std::int32_t>(values.size())};
  std::int64_t folded = 0;
  bool constant = true;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Node node = need(values[i]);
    const auto [low, count] = index_range(index[i]);
    std::int64_t known = 0;
    if (is_number(node, &known) && known >= low && known < low + count) {
      folded = folded * count + (known - low);
    } else {
      constant = false;
    }
    items.insert(items.end(), {node, low, count});
  }
  return constant ? number(folded) : add(NodeOp::position, pool(items));
}

Node Lowering::Impl::local(const rules::Expr& x) {
  const Place& place = places[x.ref];
  switch (place.kind) {
    case Place::Kind::constant: return number(place.value);
    case Place::Kind::scratch: return add(NodeOp::scratch, place.slot);
    case Place::Kind::cell: return add(NodeOp::cell, place.cell.offset, 0, 0, place.cell.width);
    case Place::Kind::scratch_set: return add(NodeOp::scratch_set, place.slot, place.domain.low, place.domain.words);
    case Place::Kind::scratch_list: return add(NodeOp::scratch_list, place.slot);
    case Place::Kind::frame_set: return add(NodeOp::set_var, place.cell.offset, place.domain.words, place.domain.low);
    case Place::Kind::frame_list: return add(NodeOp::list_var, place.cell.offset);
    case Place::Kind::none: break;
  }
  throw NotSupported{x.span, "the name `" + r.locals[x.ref].name + "` cannot be read here"};
}

Node Lowering::Impl::param(const rules::Expr& x) {
  const rules::Param& param = r.params[x.ref];
  const auto& values = config.params[x.ref];
  if (param.index.empty()) return number(values.front());
  const Node where = position(x.kids, param.index);
  std::int64_t known = 0;
  if (is_number(where, &known)) return number(values[static_cast<std::size_t>(known)]);
  return add(NodeOp::table, param_tables[x.ref], where);
}

Node Lowering::Impl::var(const rules::Expr& x) {
  const ir::Var& var = p.vars[x.ref];
  const rules::Var& declared = r.vars[x.ref];
  const Node where = x.kids.empty() ? ir::kNoNode : position(x.kids, declared.index);
  std::int64_t known = 0;
  const bool fixed = where == ir::kNoNode || is_number(where, &known);
  if (var.set) {
    if (fixed) return add(NodeOp::set_var, var.cell.offset + static_cast<std::int32_t>(known) * 8 * var.domain.words, var.domain.words, var.domain.low);
    return add(NodeOp::set_var_at, static_cast<std::int32_t>(x.ref), where);
  }
  if (!fixed) return add(NodeOp::var, var.cell.offset, where, static_cast<std::int32_t>(x.ref), var.cell.width);
  const std::int32_t offset = var.cell.offset + static_cast<std::int32_t>(known) * (1 << static_cast<int>(var.cell.width));
  const bool certain = var.phase < 0 || (now.phases >> p.phases[static_cast<std::size_t>(var.phase)].bit & 1u) != 0;
  if (certain) return add(NodeOp::cell, offset, 0, 0, var.cell.width);
  return add(NodeOp::cell_in_phase, offset, p.phases[static_cast<std::size_t>(var.phase)].bit, 0, var.cell.width);
}

Node Lowering::Impl::call(const rules::Expr& x) {
  const rules::Let& let = r.lets[x.ref];
  if (let.params.empty()) {
    // a value without parameters is one node for all who read it; outside of phases, so that it checks them itself
    const auto found = let_values.find(x.ref);
    if (found != let_values.end()) return found->second;
    const std::uint64_t phases = now.phases;
    now.phases = 0;
    const Node node = value(let.value);
    now.phases = phases;
    let_values.emplace(x.ref, node);
    return node;
  }
  auto found = lets.find(x.ref);
  if (found == lets.end()) {
    ir::Let made;
    made.name = let.name;
    for (const rules::LocalId id : let.params) {
      const rules::Type& type = r.locals[id].type;
      const Place place = new_scratch(type, type.shape == Shape::set, type.shape == Shape::list, r.locals[id].span);
      const auto kind = type.shape == Shape::scalar ? ir::Let::Param::Kind::scalar : type.shape == Shape::set ? ir::Let::Param::Kind::set : ir::Let::Param::Kind::list;
      made.params.push_back({place.slot, kind, place.domain});
      places[id] = place;
    }
    if (made.params.size() > 16) throw NotSupported{let.span, "more than 16 parameters are not supported yet"};
    found = lets.emplace(x.ref, static_cast<std::int32_t>(p.lets.size())).first;
    p.lets.push_back(std::move(made));
    const std::uint64_t phases = now.phases;
    now.phases = 0;
    const Node body = value(let.value);
    now.phases = phases;
    p.lets[static_cast<std::size_t>(found->second)].value = body;
  }
  std::vector<Node> args;
  for (std::size_t i = 0; i < x.kids.size(); ++i) {
    const Shape shape = r.locals[let.params[i]].type.shape;
    args.push_back(shape == Shape::set ? set(x.kids[i]) : shape == Shape::list ? list(x.kids[i]) : scalar(x.kids[i]));
  }
  span = x.span;
  return add(NodeOp::call, found->second, node_list(args));
}

Node Lowering::Impl::if_else(const rules::Expr& x, Shape shape) {
  auto as = [&](rules::ExprId id) { return shape == Shape::set ? set(id) : shape == Shape::list ? list(id) : scalar(id); };
  const Node condition = scalar(x.kids[0]);
  std::int64_t known = 0;
  if (is_number(condition, &known)) return as(known != 0 ? x.kids[1] : x.kids[2]);
  const Node yes = as(x.kids[1]);
  const Node no = as(x.kids[2]);
  span = x.span;
  return add(NodeOp::if_else, condition, yes, no);
}

Node Lowering::Impl::match(const rules::Expr& x, Shape shape) {
  auto as = [&](rules::ExprId id) { return shape == Shape::set ? set(id) : shape == Shape::list ? list(id) : scalar(id); };
  const Node subject = scalar(x.kids[0]);
  std::vector<ir::MatchArm> arms;
  for (std::size_t i = 0; i < x.arms.size(); ++i) {
    ir::MatchArm arm;
    for (const auto& [low, high] : x.arms[i].patterns) {
      const Node from = scalar(low);
      arm.patterns.emplace_back(from, low == high ? from : scalar(high));
    }
    arm.value = as(x.kids[i + 1]);
    arms.push_back(std::move(arm));
  }
  p.matches.push_back(std::move(arms));
  span = x.span;
  return add(NodeOp::match, subject, static_cast<std::int32_t>(p.matches.size() - 1));
}

Node Lowering::Impl::logic(const rules::Expr& x) {
  const Node left = scalar(x.kids[0]);
  std::int64_t known = 0;
  if (x.op == Op::logical_not) return is_number(left, &known) ? number(known == 0) : add(NodeOp::logical_not, left);
  const bool is_and = x.op == Op::logical_and;
  if (is_number(left, &known)) {
    if ((known != 0) != is_and) return number(is_and ? 0 : 1);
    return scalar(x.kids[1]);
  }
  const Node right = scalar(x.kids[1]);
  if (is_number(right, &known) && (known != 0) == is_and) return left;
  span = x.span;
  return add(is_and ? NodeOp::logical_and : NodeOp::logical_or, left, right);
}

Node Lowering::Impl::compare(const rules::Expr& x) {
  const bool ordered = x.op != Op::eq && x.op != Op::ne;
  const Node a = ordered ? need(x.kids[0]) : scalar(x.kids[0]);
  const Node b = ordered ? need(x.kids[1]) : scalar(x.kids[1]);
  span = x.span;
  std::int64_t left = 0;
  std::int64_t right = 0;
  const bool left_known = is_number(a, &left);
  const bool right_known = is_number(b, &right);
  if (left_known && right_known) {
    switch (x.op) {
      case Op::eq: return number(left == right);
      case Op::ne: return number(left != right);
      case Op::lt: return number(left < right);
      case Op::le: return number(left <= right);
      case Op::gt: return number(left > right);
      default: return number(left >= right);
    }
  }
  auto with_constant = [&](Op op, Node node, std::int64_t value) {
    const auto constant = static_cast<std::int32_t>(value);
    switch (op) {
      case Op::eq: return add(NodeOp::eq_const, node, constant);
      case Op::ne: return add(NodeOp::ne_const, node, constant);
      case Op::lt: return add(NodeOp::le_const, node, constant - 1);
      case Op::le: return add(NodeOp::le_const, node, constant);
      case Op::gt: return add(NodeOp::ge_const, node, constant + 1);
      default: return add(NodeOp::ge_const, node, constant);
    }
  };
  if (right_known) return with_constant(x.op, a, right);
  if (left_known) {
    const Op mirrored = x.op == Op::lt ? Op::gt : x.op == Op::le ? Op::ge : x.op == Op::gt ? Op::lt : x.op == Op::ge ? Op::le : x.op;
    return with_constant(mirrored, b, left);
  }
  switch (x.op) {
    case Op::eq: return add(NodeOp::eq, a, b);
    case Op::ne: return add(NodeOp::ne, a, b);
    case Op::lt: return add(NodeOp::lt, a, b);
    case Op::le: return add(NodeOp::le, a, b);
    case Op::gt: return add(NodeOp::gt, a, b);
    default: return add(NodeOp::ge, a, b);
  }
}

Node Lowering::Impl::membership(const rules::Expr& x) {
  const Node member = scalar(x.kids[0]);
  const rules::Expr& in = at(x.kids[1]);
  if (in.type.shape == Shape::list) return add(NodeOp::in_list, member, list(x.kids[1]));
  if (is_zone_like(x.kids[1])) return add(NodeOp::in_zone, member, zone(x.kids[1]));
  if (in.op == Op::range_set || in.op == Op::part_of_enum) {
    const Node low = scalar(in.kids[0]);
    const Node high = scalar(in.kids[1]);
    std::int64_t from = 0;
    std::int64_t to = 0;
    if (is_number(low, &from) && is_number(high, &to)) {
      span = x.span;
      return add(NodeOp::in_range, member, static_cast<std::int32_t>(from), static_cast<std::int32_t>(to));
    }
  }
  if (in.op == Op::players) return add(NodeOp::in_range, member, 0, box.players - 1);
  const Node members = set(x.kids[1]);
  span = x.span;
  return add(NodeOp::in_set, member, members, pool_domain(domain_of(in.type, in.span)));
}

Node Lowering::Impl::counted(rules::ExprId kid) {
  const rules::Expr& x = at(kid);
  if (is_zone_like(kid)) return add(NodeOp::zone_count, zone(kid));
  if (x.type.shape == Shape::list) return add(NodeOp::count_list, list(kid));
  const Node members = set(kid);
  return add(NodeOp::count_set, members, pool_domain(domain_of(x.type, x.span)));
}

std::int32_t Lowering::Impl::phrase(const rules::Phrase& phrase) {
  ir::Phrase made;
  made.type = static_cast<std::int32_t>(phrase.type);
  for (const auto& [attribute, value_id] : phrase.attributes) {
    const rules::Type& type = r.component_types[phrase.type].attributes[attribute].type;
    Node node = ir::kNoNode;
    if (type.shape == Shape::set) {
      // a set attribute is compared by its mask
      std::int64_t mask = 0;
      for (const std::int64_t member : constants.value(value_id, {}).items) mask |= std::int64_t{1} << (member - type.low);
      node = number(static_cast<std::int32_t>(mask));
      if (mask > 2147483647) throw NotSupported{phrase.span, "a set attribute with members beyond 31 cannot stand in a pattern yet"};
    } else {
      node = scalar(value_id);
    }
    made.parts.push_back({attribute_table(phrase.type, attribute), node});
  }
  if (phrase.face) made.face = static_cast<std::int32_t>(*phrase.face);
  if (phrase.owner != rules::kNoId) made.owner = scalar(phrase.owner);
  p.phrases.push_back(std::move(made));
  return static_cast<std::int32_t>(p.phrases.size() - 1);
}

Node Lowering::Impl::scalar(rules::ExprId id) {
  const rules::Expr& x = at(id);
  span = x.span;
  auto binary = [&](NodeOp op, auto fold) {
    const Node a = need(x.kids[0]);
    const Node b = need(x.kids[1]);
    span = x.span;
    std::int64_t left = 0;
    std::int64_t right = 0;
    if (is_number(a, &left) && is_number(b, &right)) {
      const std::optional<std::int64_t> folded = fold(left, right);
      if (folded && *folded >= -2147483647 && *folded <= 2147483647) return number(*folded);
    }
    return add(op, a, b);
  };
  using Folded = std::optional<std::int64_t>;
  switch (x.op) {
    case Op::constant: return number(x.value);
    case Op::param: return param(x);
    case Op::local: return local(x);
    case Op::me: return add(NodeOp::me);
    case Op::var: return var(x);
    case Op::place_card: return add(NodeOp::place_card, zone(id));
    case Op::attribute: {
      const Node component = scalar(x.kids[0]);
      span = x.span;
      return add(NodeOp::attribute, component, attribute_table(x.ref, static_cast<rules::AttrId>(x.value)));
    }
    case Op::face: return add(NodeOp::face, scalar(x.kids[0]));
    case Op::owner: return add(NodeOp::owner, scalar(x.kids[0]));
    case Op::top:
    case Op::bottom: {
      if (is_zone_like(x.kids[0])) return add(x.op == Op::top ? NodeOp::top : NodeOp::bottom, zone(x.kids[0]));
      if (x.op == Op::bottom) throw NotSupported{x.span, "`bottom of` something else than a zone is not supported yet"};
      std::vector<std::int32_t> one{1, list(x.kids[0])};
      const Node first = add(NodeOp::first_of_list, number(1), one[1]);
      return add(NodeOp::item, first, number(1));
    }
    case Op::nth:
    case Op::item: {
      const bool in_zone = is_zone_like(x.kids[0]);
      const Node from = in_zone ? zone(x.kids[0]) : list(x.kids[0]);
      const Node n = need(x.kids[1]);
      span = x.span;
      return add(in_zone ? NodeOp::nth : NodeOp::item, from, n);
    }
    case Op::add: return binary(NodeOp::add, [](auto a, auto b) -> Folded { return a + b; });
    case Op::sub: return binary(NodeOp::sub, [](auto a, auto b) -> Folded { return a - b; });
    case Op::mul: return binary(NodeOp::mul, [](auto a, auto b) -> Folded { return a * b; });
    case Op::div:
      return binary(NodeOp::div, [](auto a, auto b) -> Folded {
        if (b == 0) return std::nullopt;
        return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
      });
    case Op::mod:
      return binary(NodeOp::mod, [](auto a, auto b) -> Folded {
        if (b == 0) return std::nullopt;
        const auto m = a % b;
        return m != 0 && (m < 0) != (b < 0) ? m + b : m;
      });
    case Op::min2: return binary(NodeOp::min2, [](auto a, auto b) -> Folded { return std::min(a, b); });
    case Op::max2: return binary(NodeOp::max2, [](auto a, auto b) -> Folded { return std::max(a, b); });
    case Op::neg:
    case Op::abs: {
      const Node a = need(x.kids[0]);
      std::int64_t known = 0;
      if (is_number(a, &known)) return number(x.op == Op::neg || known < 0 ? -known : known);
      return add(x.op == Op::neg ? NodeOp::neg : NodeOp::abs, a);
    }
    case Op::eq:
    case Op::ne:
    case Op::lt:
    case Op::le:
    case Op::gt:
    case Op::ge: return compare(x);
    case Op::set_eq:
    case Op::set_ne:
    case Op::subset: {
      const std::int32_t domain = pool_domain(joined_domain(at(x.kids[0]).type, at(x.kids[1]).type, x.span));
      const Node a = set(x.kids[0]);
      const Node b = set(x.kids[1]);
      span = x.span;
      const Node made = add(x.op == Op::subset ? NodeOp::subset : NodeOp::set_eq, a, b, domain);
      return x.op == Op::set_ne ? add(NodeOp::logical_not, made) : made;
    }
    case Op::list_eq:
    case Op::list_ne: {
      const Node a = list(x.kids[0]);
      const Node b = list(x.kids[1]);
      span = x.span;
      const Node made = add(NodeOp::list_eq, a, b);
      return x.op == Op::list_ne ? add(NodeOp::logical_not, made) : made;
    }
    case Op::fits: {
      const Node component = scalar(x.kids[0]);
      return add(NodeOp::fits, component, phrase(r.phrases[x.phrase]));
    }
    case Op::zone_fits_list: {
      std::vector<std::int32_t> items{static_cast<std::int32_t>(x.patterns.size())};
      for (const rules::PhraseId pattern : x.patterns) items.push_back(phrase(r.phrases[pattern]));
      const Node of = list(x.kids[0]);
      return add(NodeOp::fits_list, of, pool(items));
    }
    case Op::some_fits: {
      const Node of = set(x.kids[0]);
      return add(NodeOp::some_fits, of, phrase(r.phrases[x.phrase]), pool_domain({0, static_cast<std::int32_t>(domain_of(at(x.kids[0]).type, x.span).words)}));
    }
    case Op::one_fitting: {
      const std::int32_t pattern = phrase(r.phrases[x.phrase]);
      if (x.kids.empty()) return add(NodeOp::one_fitting, pattern, ir::kNoNode);
      const Node of = set(x.kids[0]);
      return add(NodeOp::one_fitting, pattern, of, pool_domain(domain_of(at(x.kids[0]).type, x.span)));
    }
    case Op::in_set: return membership(x);
    case Op::is_none: {
      if (at(x.kids[0]).type.shape != Shape::scalar) return add(NodeOp::eq_const, counted(x.kids[0]), 0);
      const Node a = scalar(x.kids[0]);
      std::int64_t known = 0;
      if (is_number(a, &known)) return number(known == ir::kNone);
      return add(NodeOp::is_none, a);
    }
    case Op::is_empty: {
      const Node n = counted(x.kids[0]);
      span = x.span;
      return add(NodeOp::eq_const, n, 0);
    }
    case Op::logical_and:
    case Op::logical_or:
    case Op::logical_not: return logic(x);
    case Op::if_else: return if_else(x, Shape::scalar);
    case Op::match: return match(x, Shape::scalar);
    case Op::count_set: {
      if (at(x.kids[0]).op == Op::players) return number(box.players);
      if (at(x.kids[0]).op == Op::type_values && at(x.kids[0]).type.base == rules::Base::component) {
        const auto [first, last] = box.of_type[at(x.kids[0]).type.id];
        return number(static_cast<std::int64_t>(last) - first);
      }
      return counted(x.kids[0]);
    }
    case Op::count: return add(NodeOp::count, clause(x.clause, false));
    case Op::some: return add(NodeOp::some, clause(x.clause, false));
    case Op::every:
    case Op::sum:
    case Op::min:
    case Op::max: {
      const std::int32_t over = clause(x.clause, false);
      const Node of = need(x.kids[0]);
      span = x.span;
      return add(x.op == Op::every ? NodeOp::every : x.op == Op::sum ? NodeOp::sum : x.op == Op::min ? NodeOp::min : NodeOp::max, over, of);
    }
    case Op::sum_of:
    case Op::min_of:
    case Op::max_of: {
      ir::Clause over;
      ir::Binder binder;
      binder.name = "_";
      binder.slot = p.scratch_slots++;
      const rules::Expr& of = at(x.kids[0]);
      if (of.type.shape == Shape::list) {
        binder.kind = ir::SourceKind::list;
        binder.a = list(x.kids[0]);
      } else {
        binder.kind = ir::SourceKind::set;
        binder.a = set(x.kids[0]);
        binder.domain = domain_of(of.type, of.span);
      }
      const Node item = add(NodeOp::scratch, binder.slot);
      over.binders.push_back(std::move(binder));
      p.clauses.push_back(std::move(over));
      span = x.span;
      return add(x.op == Op::sum_of ? NodeOp::sum : x.op == Op::min_of ? NodeOp::min : NodeOp::max, static_cast<std::int32_t>(p.clauses.size() - 1), item);
    }
    case Op::first: return add(NodeOp::first, clause(x.clause, true));
    case Op::first_of: {
      ir::Clause over;
      ir::Binder binder;
      std::vector<std::pair<rules::LocalId, std::vector<rules::ExprId>>> inner;
      binder.slot = p.scratch_slots++;
      source(x.kids[0], binder, true, inner);
      if (!inner.empty()) throw NotSupported{x.span, "`first` of this set is not supported yet; write it with a clause"};
      over.binders.push_back(std::move(binder));
      p.clauses.push_back(std::move(over));
      span = x.span;
      return add(NodeOp::first, static_cast<std::int32_t>(p.clauses.size() - 1));
    }
    case Op::call: return call(x);
    case Op::next:
    case Op::previous: {
      const Node a = scalar(x.kids[0]);
      const rules::Type& type = x.type;
      const bool seat = type.base == rules::Base::seat;
      span = x.span;
      return add(x.op == Op::next ? NodeOp::next : NodeOp::previous, a, seat ? 0 : static_cast<std::int32_t>(type.low),
                 seat ? box.players - 1 : static_cast<std::int32_t>(type.high));
    }
    case Op::number: return need(x.kids[0]);
    case Op::game_over: return add(NodeOp::game_over);
    case Op::running: return add(NodeOp::running, p.phases[x.ref].bit);
    case Op::score: return add(NodeOp::score, need(x.kids[0]));
    case Op::random: throw NotSupported{x.span, "`random` stands only as the whole value of `set`, `let`, `var` or `turns from`"};
    default: break;
  }
  throw NotSupported{x.span, "this value is not supported here yet"};
}

}  // namespace rip
