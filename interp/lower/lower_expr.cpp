// Scalar values: numbers, flags, seats, components. What is known before play becomes a constant.
#include "interp/check/constant.h"
#include "interp/lower/lower_impl.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace rip {

using rules::Op;
using rules::Shape;

Node Lowering::Impl::add(NodeOp op, Span span, std::int32_t a, std::int32_t b, std::int32_t c, ir::Width width) {
  p.nodes.push_back({op, width, a, b, c});
  p.node_spans.push_back(span);
  return static_cast<Node>(p.nodes.size() - 1);
}

Node Lowering::Impl::constant(std::int64_t number, Span span) {
  if (number >= ir::kNone && number <= std::numeric_limits<std::int32_t>::max()) return add(NodeOp::constant, span, static_cast<std::int32_t>(number));
  // a node holds 32 bits; what needs more is a table of one
  p.tables.push_back(number);
  return add(NodeOp::table, span, static_cast<std::int32_t>(p.tables.size() - 1), add(NodeOp::position, span, pool_raw({0})));
}

std::int32_t Lowering::Impl::pool_raw(const std::vector<std::int32_t>& numbers) {
  p.pool.insert(p.pool.end(), numbers.begin(), numbers.end());
  return static_cast<std::int32_t>(p.pool.size() - numbers.size());
}

std::int32_t Lowering::Impl::pool(const std::vector<std::int32_t>& list) {
  p.pool.push_back(static_cast<std::int32_t>(list.size()));
  p.pool.insert(p.pool.end(), list.begin(), list.end());
  return static_cast<std::int32_t>(p.pool.size() - list.size() - 1);
}

std::int32_t Lowering::Impl::slot(rules::LocalId local) {
  if (slots[local] < 0) slots[local] = p.scratch_slots++;
  return slots[local];
}
std::int32_t Lowering::Impl::set_slot(rules::LocalId local) {
  if (slots[local] < 0) slots[local] = p.scratch_sets++;
  return slots[local];
}
std::int32_t Lowering::Impl::list_slot(rules::LocalId local) {
  if (slots[local] < 0) slots[local] = p.scratch_lists++;
  return slots[local];
}

Node Lowering::Impl::bind_scratch(rules::LocalId local) {
  const rules::Local& name = r.locals[local];
  switch (name.type.shape) {
    case Shape::scalar: return names[local] = add(NodeOp::scratch, name.span, slot(local));
    case Shape::set: {
      const ir::Domain members = domain(name.type, name.span);
      return names[local] = add(NodeOp::scratch_set, name.span, set_slot(local), members.low, members.words);
    }
    case Shape::list: return names[local] = add(NodeOp::scratch_list, name.span, list_slot(local));
  }
  return ir::kNoNode;
}

Node Lowering::Impl::needed(rules::ExprId id) {
  const Node node = scalar(id);
  if (!expr(id).type.optional || (is_constant(node) && value(node) != ir::kNone) || at(node).op == NodeOp::require) return node;
  risk();
  return add(NodeOp::require, expr(id).span, node);
}

/// A value that is known before play, if the expression reads nothing that changes.
std::optional<std::int64_t> Lowering::Impl::fold(rules::ExprId id) {
  if (expr(id).type.shape != Shape::scalar || !before_play(id)) return std::nullopt;
  std::set<rules::LocalId> open;
  names_in(id, open);
  if (!open.empty()) return std::nullopt;
  try {
    return Constants(r, config).scalar(id, {});
  } catch (const ConstantFault&) {
    return std::nullopt;  // it is a fault when it is read
  } catch (const std::logic_error&) {
    return std::nullopt;
  }
}

bool Lowering::Impl::before_play(rules::ExprId id) {
  if (const auto found = before_play_known.find(id); found != before_play_known.end()) return found->second;
  const rules::Expr& e = expr(id);
  bool yes = true;
  switch (e.op) {
    case Op::me: case Op::var: case Op::var_family: case Op::zone: case Op::place_card: case Op::attribute: case Op::face:
    case Op::owner: case Op::top: case Op::bottom: case Op::top_n: case Op::bottom_n: case Op::nth: case Op::fits:
    case Op::zone_fits_list: case Op::some_fits: case Op::one_fitting: case Op::game_over: case Op::running: case Op::score:
    case Op::score_family: case Op::winners: case Op::random: yes = false; break;
    case Op::type_values: yes = e.type.base != rules::Base::component; break;
    case Op::call: yes = before_play(r.lets[e.ref].value); break;
    default: break;
  }
  if (yes) for_each_kid(id, [&](rules::ExprId kid) { yes = yes && before_play(kid); });
  return before_play_known[id] = yes;
}

std::int32_t Lowering::Impl::under(const std::vector<rules::Type>& index, std::size_t given) const {
  std::int64_t count = 1;
  for (std::size_t i = given; i < index.size(); ++i) count *= axis(index[i]).second;
  return static_cast<std::int32_t>(count);
}

Position Lowering::Impl::position(const std::vector<rules::Type>& index, const std::vector<rules::ExprId>& kids, Span span) {
  Position out;
  std::vector<std::int32_t> list{static_cast<std::int32_t>(kids.size())};
  std::int64_t at_value = 0;
  for (std::size_t i = 0; i < kids.size(); ++i) {
    const Node node = scalar(kids[i]);
    const auto [first, count] = axis(index[i]);
    list.insert(list.end(), {node, static_cast<std::int32_t>(first), static_cast<std::int32_t>(count)});
    const rules::Type& type = expr(kids[i]).type;
    if (is_constant(node) && value(node) >= first && value(node) < first + count) {
      at_value = at_value * count + value(node) - first;
    } else {
      out.fixed = false;
      const bool known_inside = !type.optional && type.base != rules::Base::unknown && low(type) >= first && high(type) < first + count;
      if (!known_inside) risk();
    }
  }
  out.at = static_cast<std::int32_t>(at_value);
  if (!out.fixed) out.node = add(NodeOp::position, span, pool_raw(list));
  return out;
}

Node Lowering::Impl::position_node(const Position& position, Span span) {
  if (!position.fixed) return position.node;
  // one axis of which the value is known
  return add(NodeOp::position, span, pool_raw({1, constant(position.at, span), 0, position.at + 1}));
}

Node Lowering::Impl::param(const rules::Expr& e) {
  const Position where = position(r.params[e.ref].index, e.kids, e.span);
  if (where.fixed) return constant(config.params[e.ref][static_cast<std::size_t>(where.at)], e.span);
  return add(NodeOp::table, e.span, param_tables[e.ref], where.node);
}

Node Lowering::Impl::var(const rules::Expr& e) {
  const rules::Var& declared = r.vars[e.ref];
  const Position where = position(declared.index, e.kids, e.span);
  const ir::Var& var = p.vars[e.ref];
  if (var.set) {
    const std::int32_t bytes = 8 * var.domain.words;
    if (where.fixed) return add(NodeOp::set_var, e.span, var.cell.offset + bytes * where.at, var.domain.words, var.domain.low);
    return add(NodeOp::set_var_at, e.span, static_cast<std::int32_t>(e.ref), where.node);
  }
  const bool runs = declared.phase == kNoId || std::find(phases_around.begin(), phases_around.end(), declared.phase) != phases_around.end();
  if (!runs) risk();
  if (!where.fixed) return add(NodeOp::var, e.span, var.cell.offset, where.node, static_cast<std::int32_t>(e.ref), var.cell.width);
  const std::int32_t offset = var.cell.offset + where.at * (1 << static_cast<int>(var.cell.width));
  if (runs) return add(NodeOp::cell, e.span, offset, 0, 0, var.cell.width);
  return add(NodeOp::cell_in_phase, e.span, offset, p.phases[declared.phase].bit, 0, var.cell.width);
}

Node Lowering::Impl::choose_between(Node condition, const std::function<Node()>& yes, const std::function<Node()>& no, Span span) {
  if (is_constant(condition)) return value(condition) != 0 ? yes() : no();
  const Node a = yes();
  const Node b = no();
  return add(NodeOp::if_else, span, condition, a, b);
}

/// The arms that can fit: if the subject is known, the one that does (its index), else -1 and the index of the table.
std::pair<int, std::int32_t> Lowering::Impl::match_arms(const std::vector<const rules::MatchArm*>& arms, Node subject) {
  std::vector<ir::MatchArm> made;
  bool known = is_constant(subject);
  for (std::size_t i = 0; i < arms.size(); ++i) {
    ir::MatchArm arm;
    bool fits = arms[i]->patterns.empty();
    for (const auto& [low_id, high_id] : arms[i]->patterns) {
      const Node from = scalar(low_id);
      const Node to = low_id == high_id ? from : scalar(high_id);
      arm.patterns.emplace_back(from, to);
      known = known && is_constant(from) && is_constant(to);
      fits = fits || (known && value(subject) >= value(from) && value(subject) <= value(to));
    }
    if (known && fits) return {static_cast<int>(i), -1};
    made.push_back(std::move(arm));
  }
  if (known) return {-1, -1};
  p.matches.push_back(std::move(made));
  return {-1, static_cast<std::int32_t>(p.matches.size() - 1)};
}

Node Lowering::Impl::match(rules::ExprId id, const std::function<Node(rules::ExprId)>& lower) {
  const rules::Expr& e = expr(id);
  const Node subject = scalar(e.kids[0]);
  std::vector<const rules::MatchArm*> arms;
  for (const rules::MatchArm& arm : e.arms) arms.push_back(&arm);
  const auto [chosen, table] = match_arms(arms, subject);
  if (chosen >= 0) return lower(e.kids[static_cast<std::size_t>(chosen) + 1]);
  risk();
  if (table < 0) {  // nothing fits: a fault when it is read
    p.matches.emplace_back();
    return add(NodeOp::match, e.span, subject, static_cast<std::int32_t>(p.matches.size() - 1));
  }
  for (std::size_t i = 0; i < e.arms.size(); ++i) {
    const Node arm = lower(e.kids[i + 1]);
    p.matches[static_cast<std::size_t>(table)][i].value = arm;
  }
  return add(NodeOp::match, e.span, subject, table);
}

Node Lowering::Impl::arithmetic(const rules::Expr& e) {
  const Node a = needed(e.kids[0]);
  const Node b = e.kids.size() > 1 ? needed(e.kids[1]) : a;
  const bool known = is_constant(a) && is_constant(b);
  const std::int64_t x = is_constant(a) ? value(a) : 0;
  const std::int64_t y = is_constant(b) ? value(b) : 0;
  const auto fold_or = [&](NodeOp op, std::int64_t folded) { return known ? constant(folded, e.span) : add(op, e.span, a, b); };
  switch (e.op) {
    case Op::add:
      if (is_constant(a, 0)) return b;
      return is_constant(b, 0) ? a : fold_or(NodeOp::add, x + y);
    case Op::sub: return is_constant(b, 0) ? a : fold_or(NodeOp::sub, x - y);
    case Op::mul: return fold_or(NodeOp::mul, x * y);
    case Op::neg: return known ? constant(-x, e.span) : add(NodeOp::neg, e.span, a);
    case Op::abs: return known ? constant(std::abs(x), e.span) : add(NodeOp::abs, e.span, a);
    case Op::min2: return fold_or(NodeOp::min2, std::min(x, y));
    case Op::max2: return fold_or(NodeOp::max2, std::max(x, y));
    default: break;
  }
  // floored division; by 0 it is a fault when it is read
  if (!is_constant(b) || y == 0) risk();
  const NodeOp op = e.op == Op::div ? NodeOp::div : NodeOp::mod;
  if (!known || y == 0) return add(op, e.span, a, b);
  const std::int64_t quotient = x / y - (x % y != 0 && (x < 0) != (y < 0) ? 1 : 0);
  return constant(e.op == Op::div ? quotient : x - y * quotient, e.span);
}

Node Lowering::Impl::neighbour(const rules::Expr& e) {
  const Node a = scalar(e.kids[0]);
  const std::int64_t first = low(e.type);
  const std::int64_t last = high(e.type);
  if (is_constant(a) && value(a) != ir::kNone)
    return constant(e.op == Op::next ? (value(a) >= last ? first : value(a) + 1) : (value(a) <= first ? last : value(a) - 1), e.span);
  if (expr(e.kids[0]).type.optional) risk();
  return add(e.op == Op::next ? NodeOp::next : NodeOp::previous, e.span, a, static_cast<std::int32_t>(first), static_cast<std::int32_t>(last));
}

/// `top of`, `bottom of`, `nth`, an item of a list.
Node Lowering::Impl::ends(const rules::Expr& e) {
  Node where = ir::kNoNode;
  const bool one_zone = as_zone(e.kids[0], where) && (at(where).op == NodeOp::zone ? at(where).b == 1 : at(where).op != NodeOp::zone_at || at(where).c == 1);
  if (e.op == Op::top || e.op == Op::bottom) {
    if (one_zone) return add(e.op == Op::top ? NodeOp::top : NodeOp::bottom, e.span, where);
    Node first = ir::kNoNode;
    const std::int32_t over = clause_over(e.kids[0], true, e.op == Op::bottom, first);
    return add(NodeOp::first, e.span, over);
  }
  const Node n = needed(e.kids[1]);
  if (e.op == Op::nth && one_zone) return add(NodeOp::nth, e.span, where, n);
  const Node of = list(e.kids[0]);
  if (e.op == Op::item) {
    risk();
    return add(NodeOp::item, e.span, of, n);
  }
  const Node there = both(order(NodeOp::ge, n, constant(1, e.span), e.span), order(NodeOp::le, n, add(NodeOp::count_list, e.span, of), e.span), e.span);
  return add(NodeOp::if_else, e.span, there, add(NodeOp::item, e.span, of, n), constant(ir::kNone, e.span));
}

Node Lowering::Impl::scalar(rules::ExprId id) {
  const rules::Expr& e = expr(id);
  switch (e.op) {
    case Op::constant: return constant(e.value, e.span);
    case Op::param: return param(e);
    case Op::local:
      if (names[e.ref] == ir::kNoNode) throw NotSupported{e.span, "the name `" + r.locals[e.ref].name + "` cannot be read here"};
      return names[e.ref];
    case Op::me: return add(NodeOp::me, e.span);
    case Op::var: return var(e);
    case Op::place_card: return add(NodeOp::place_card, e.span, zone(id));
    case Op::attribute: case Op::face: case Op::owner: {
      const Node component = scalar(e.kids[0]);
      const bool known = is_constant(component) && value(component) != ir::kNone;
      if (!known && expr(e.kids[0]).type.optional) risk();
      if (e.op == Op::face) return add(NodeOp::face, e.span, component);
      if (e.op == Op::owner) {
        if (known) {
          const int owner = box.components[static_cast<std::size_t>(value(component))].owner;
          return constant(owner < 0 ? ir::kNone : owner, e.span);
        }
        return add(NodeOp::owner, e.span, component);
      }
      const std::int32_t table = attribute_tables[e.ref][static_cast<std::size_t>(e.value)];
      if (known) return constant(p.tables[static_cast<std::size_t>(table + value(component))], e.span);
      return add(NodeOp::attribute, e.span, component, table);
    }
    case Op::top: case Op::bottom: case Op::nth: case Op::item: return ends(e);
    case Op::add: case Op::sub: case Op::mul: case Op::div: case Op::mod: case Op::neg: case Op::abs: case Op::min2:
    case Op::max2: return arithmetic(e);
    case Op::eq: case Op::ne: case Op::lt: case Op::le: case Op::gt: case Op::ge: case Op::set_eq: case Op::set_ne:
    case Op::subset: case Op::list_eq: case Op::list_ne: case Op::fits: case Op::zone_fits_list: case Op::some_fits:
    case Op::one_fitting: case Op::in_set: case Op::is_none: case Op::is_empty: return compare(e);
    case Op::logical_and: {
      const Node a = truth(e.kids[0]);
      return is_constant(a, 0) ? a : both(a, truth(e.kids[1]), e.span);
    }
    case Op::logical_or: {
      const Node a = truth(e.kids[0]);
      return is_constant(a) && value(a) != 0 ? a : either(a, truth(e.kids[1]), e.span);
    }
    case Op::logical_not: return negate(truth(e.kids[0]), e.span);
    case Op::if_else:
      return choose_between(truth(e.kids[0]), [&] { return scalar(e.kids[1]); }, [&] { return scalar(e.kids[2]); }, e.span);
    case Op::match: return match(id, [&](rules::ExprId arm) { return scalar(arm); });
    case Op::count_set: return count_members(e.kids[0]);
    case Op::count: case Op::some: case Op::every: case Op::sum: case Op::min: case Op::max: case Op::sum_of: case Op::min_of:
    case Op::max_of: case Op::first: case Op::first_of: {
      if (const std::optional<std::int64_t> known = fold(id)) return constant(*known, e.span);
      return aggregate(e);
    }
    case Op::call: {
      if (const std::optional<std::int64_t> known = fold(id)) return constant(*known, e.span);
      return call(id);
    }
    case Op::next: case Op::previous: return neighbour(e);
    case Op::number: return needed(e.kids[0]);
    case Op::game_over: return add(NodeOp::game_over, e.span);
    case Op::running: return add(NodeOp::running, e.span, p.phases[e.ref].bit);
    case Op::score: return add(NodeOp::score, e.span, needed(e.kids[0]));
    case Op::random: throw NotSupported{e.span, "`random` inside an expression"};
    default: break;
  }
  throw NotSupported{e.span, "a set or list where one value is wanted"};
}

}  // namespace rip
