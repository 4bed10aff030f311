// Clauses: each name a counted loop, each conjunct of `where` asked as soon as its names are bound.
#include "interp/check/walk.h"
#include "interp/lower/lower_impl.h"

#include <algorithm>

namespace rip {

using rules::Base;
using rules::Op;
using rules::Shape;

namespace {
ir::KeyKind kind_of(rules::KeyKind kind) {
  switch (kind) {
    case rules::KeyKind::high: return ir::KeyKind::high;
    case rules::KeyKind::low: return ir::KeyKind::low;
    case rules::KeyKind::clockwise_from: return ir::KeyKind::clockwise_from;
    case rules::KeyKind::clockwise_after: return ir::KeyKind::clockwise_after;
  }
  return ir::KeyKind::high;
}
}  // namespace

std::int32_t Lowering::Impl::keep(ir::Clause made, std::ptrdiff_t any) {
  made.named = static_cast<std::int32_t>(std::ssize(made.binders) - any);
  p.clauses.push_back(std::move(made));
  return static_cast<std::int32_t>(p.clauses.size() - 1);
}

void Lowering::Impl::names_in_phrase(rules::PhraseId id, std::set<rules::LocalId>& out) const {
  for (const auto& [attribute, wanted] : r.phrases[id].attributes) names_in(wanted, out);
  if (r.phrases[id].owner != kNoId) names_in(r.phrases[id].owner, out);
}

void Lowering::Impl::names_in_clause(rules::ClauseId id, std::set<rules::LocalId>& out) const {
  const rules::Clause& clause = r.clauses[id];
  for (const rules::Binder& binder : clause.binders) {
    names_in(binder.source, out);
    if (binder.pick_low != kNoId) names_in(binder.pick_low, out);
    if (binder.pick_high != kNoId) names_in(binder.pick_high, out);
  }
  if (clause.where != kNoId) names_in(clause.where, out);
  for (const rules::Key& key : clause.keys) names_in(key.value, out);
  if (clause.backwards_if != kNoId) names_in(clause.backwards_if, out);
}

void Lowering::Impl::names_in(rules::ExprId id, std::set<rules::LocalId>& out) const {
  const rules::Expr& e = expr(id);
  if (e.op == Op::local) out.insert(e.ref);
  for (const rules::ExprId kid : e.kids)
    if (e.clause == kNoId) names_in(kid, out);
  for (const rules::MatchArm& arm : e.arms) {
    for (const auto& [first, last] : arm.patterns) {
      names_in(first, out);
      if (last != first) names_in(last, out);
    }
  }
  if (e.phrase != kNoId) names_in_phrase(e.phrase, out);
  for (const rules::PhraseId pattern : e.patterns) names_in_phrase(pattern, out);
  if (e.clause == kNoId) return;
  std::set<rules::LocalId> inner;
  names_in_clause(e.clause, inner);
  for (const rules::ExprId kid : e.kids) names_in(kid, inner);
  for (const rules::Binder& binder : r.clauses[e.clause].binders) inner.erase(binder.local);
  out.insert(inner.begin(), inner.end());
}

/// `{x in S where C}` of one name, its own value collected: the name is another word for a member of S.
const rules::Clause* Lowering::Impl::selection(const rules::Expr& e) const {
  if (e.op != Op::set_of) return nullptr;
  const rules::Clause& clause = r.clauses[e.clause];
  if (clause.binders.size() != 1 || clause.binders[0].pick || r.locals[clause.binders[0].local].type.shape != Shape::scalar) return nullptr;
  if (!e.kids.empty() && (expr(e.kids[0]).op != Op::local || expr(e.kids[0]).ref != clause.binders[0].local)) return nullptr;
  return &clause;
}

void Lowering::Impl::plain_source(rules::ExprId id, ir::Binder& binder) {
  const rules::Expr& e = expr(id);
  if (e.type.shape == Shape::list) {
    binder.kind = ir::SourceKind::list;
    binder.a = list(id);
    return;
  }
  const Node members = set(id);
  const ir::ExprNode& x = at(members);
  if (x.op == NodeOp::zone_set) {
    binder.kind = ir::SourceKind::zone;
    binder.a = x.a;
  } else if (x.op == NodeOp::range_set) {
    binder.kind = ir::SourceKind::range;
    binder.a = x.a;
    binder.b = x.b;
  } else if (x.op == NodeOp::component_set) {
    binder.kind = ir::SourceKind::components;
    binder.a = x.a;
    binder.b = x.b;
  } else if (x.op == NodeOp::seats) {
    binder.kind = ir::SourceKind::range;
    binder.a = constant(0, e.span);
    binder.b = constant(box.players - 1, e.span);
  } else {
    binder.kind = ir::SourceKind::set;
    binder.a = members;
    binder.domain = domain(e.type, e.span);
  }
}

/// What a name runs through. A set that is written as a condition over another is not built: its condition becomes a
/// filter. `bound` reads the name.
void Lowering::Impl::source(rules::ExprId id, Node bound, ir::Binder& binder, bool filters_allowed) {
  const rules::Expr& e = expr(id);
  if (!filters_allowed || e.type.shape != Shape::set || is_zone(id)) return plain_source(id, binder);
  if (const rules::Clause* inner = selection(e)) {
    const rules::LocalId name = inner->binders[0].local;
    source(inner->binders[0].source, bound, binder, true);
    const Node before = names[name];
    names[name] = bound;
    std::vector<rules::ExprId> where;
    check::conjuncts(r, inner->where, where);
    for (const rules::ExprId condition : where) {
      const Node filter = truth(condition);
      if (!is_constant(filter) || value(filter) == 0) binder.filters.push_back(filter);
    }
    names[name] = before;
    return;
  }
  if (e.op == Op::set_difference) {
    source(e.kids[0], bound, binder, true);
    const Node outside = negate(member(bound, expr(e.kids[0]).type, e.kids[1]), e.span);
    if (!is_constant(outside) || value(outside) == 0) binder.filters.push_back(outside);
    return;
  }
  if (e.op == Op::call && weight(e.ref) <= 60) {
    const rules::Expr& body = expr(r.lets[e.ref].value);
    std::vector<std::pair<rules::LocalId, Node>> kept;
    if ((selection(body) != nullptr || body.op == Op::set_difference || body.op == Op::call) && bind_arguments(e, kept)) {
      source(r.lets[e.ref].value, bound, binder, true);
      restore(kept);
      return;
    }
  }
  plain_source(id, binder);
}

void Lowering::Impl::binder(const rules::Binder& from, ir::Binder& to, bool ordered, rules::ExprId from_source) {
  const rules::Local& name = r.locals[from.local];
  to.name = name.name;
  to.component = name.type.base == Base::component;
  to.pick = from.pick;
  to.in_order = from.in_order;
  if (!from.pick) {
    to.slot = slot(from.local);
    source(from_source, names[from.local] = add(NodeOp::scratch, from.span, to.slot), to, true);
  } else {
    const rules::Type& members = expr(from_source).type;
    plain_source(from_source, to);
    to.domain = domain(members, from.span);
    to.slot = from.in_order ? list_slot(from.local) : set_slot(from.local);
    names[from.local] = from.in_order ? add(NodeOp::scratch_list, from.span, to.slot)
                                      : add(NodeOp::scratch_set, from.span, to.slot, to.domain.low, to.domain.words);
    to.pick_low = needed(from.pick_low);
    to.pick_high = from.pick_high == kNoId || from.pick_high == from.pick_low ? to.pick_low : needed(from.pick_high);
  }
  to.by_place = to.component && ordered;
}

/// Each conjunct goes to the first name at which all its names are bound. What may be a fault is not asked before a
/// conjunct to its left, which may be there to prevent it.
void Lowering::Impl::split_where(const rules::Clause& from, ir::Clause& to) {
  std::vector<rules::ExprId> where;
  check::conjuncts(r, from.where, where);
  std::size_t deepest = 0;
  for (const rules::ExprId condition : where) {
    const int risks_before = risks;
    const Node node = truth(condition);
    const bool risky = risks != risks_before;
    std::vector<Node> parts;
    split(node, parts);
    for (const Node part : parts) {
      if (is_constant(part) && value(part) != 0) continue;
      Slots read;
      slots_in(part, read);
      std::size_t level = 0;
      for (std::size_t i = 0; i < to.binders.size(); ++i)
        if (read.has(to.binders[i])) level = i + 1;
      if (risky) level = std::max(level, deepest);
      deepest = std::max(deepest, level);
      (level == 0 ? to.conditions : to.binders[level - 1].filters).push_back(part);
    }
  }
}

std::int32_t Lowering::Impl::clause(rules::ClauseId id, bool ordered, rules::ExprId other_source) {
  const rules::Clause& from = r.clauses[id];
  ir::Clause out;
  out.ordered = ordered;
  out.binders.resize(from.binders.size());
  for (std::size_t i = 0; i < from.binders.size(); ++i) {
    ir::Binder made;
    binder(from.binders[i], made, ordered, i == 0 && other_source != kNoId ? other_source : from.binders[i].source);
    out.binders[i] = std::move(made);
  }
  split_where(from, out);
  find_dependence(out);
  for (const rules::Key& key : from.keys) {
    const Node node = needed(key.value);
    out.keys.push_back({kind_of(key.kind), node});
  }
  if (from.clockwise_subject != kNoId) out.clockwise_slot = slot(from.clockwise_subject);
  out.backwards = from.backwards;
  if (from.backwards_if != kNoId) out.backwards_if = truth(from.backwards_if);
  if (out.backwards_if != ir::kNoNode && is_constant(out.backwards_if)) {
    out.backwards = value(out.backwards_if) != 0;
    out.backwards_if = ir::kNoNode;
  }
  return keep(std::move(out), std::count_if(from.binders.begin(), from.binders.end(), [](const auto& b) { return b.any; }));
}

/// A clause of one nameless name over a set or list; `bound` reads it.
std::int32_t Lowering::Impl::clause_over(rules::ExprId id, bool ordered, bool backwards, Node& bound) {
  const rules::Expr& e = expr(id);
  ir::Clause out;
  out.ordered = ordered;
  out.backwards = backwards;
  ir::Binder& binder = out.binders.emplace_back();
  binder.slot = p.scratch_slots++;
  binder.component = e.type.base == Base::component;
  binder.by_place = ordered && binder.component;
  bound = add(NodeOp::scratch, e.span, binder.slot);
  source(id, bound, binder, true);
  return keep(std::move(out));
}

Node Lowering::Impl::aggregate(const rules::Expr& e) {
  Node each = ir::kNoNode;
  switch (e.op) {
    case Op::sum_of: {
      const std::int32_t over = clause_over(e.kids[0], false, false, each);
      return add(NodeOp::sum, e.span, over, each);
    }
    case Op::min_of: case Op::max_of: {
      risk();
      const std::int32_t over = clause_over(e.kids[0], false, false, each);
      return add(e.op == Op::min_of ? NodeOp::min : NodeOp::max, e.span, over, each);
    }
    case Op::first_of: {
      const std::int32_t over = clause_over(e.kids[0], true, false, each);
      return add(NodeOp::first, e.span, over);
    }
    default: break;
  }
  const std::vector<rules::Binder>& names_of = r.clauses[e.clause].binders;
  if ((e.op == Op::some || e.op == Op::every) && names_of.size() == 1 && !names_of[0].pick && expr(names_of[0].source).op == Op::set_union) {
    // asked of both parts, so that the whole need not be built
    Node answer = ir::kNoNode;
    for (const rules::ExprId part : expr(names_of[0].source).kids) {
      const std::int32_t over = clause(e.clause, false, part);
      const Node node = e.op == Op::some ? add(NodeOp::some, e.span, over) : add(NodeOp::every, e.span, over, truth(e.kids[0]));
      answer = answer == ir::kNoNode ? node : e.op == Op::some ? either(answer, node, e.span) : both(answer, node, e.span);
    }
    return answer;
  }
  const std::int32_t over = clause(e.clause, e.op == Op::first);
  {
    const ir::Clause& made = p.clauses[static_cast<std::size_t>(over)];
    const bool never = std::any_of(made.conditions.begin(), made.conditions.end(), [&](Node node) { return is_constant(node, 0); });
    const bool all = made.binders.size() == 1 && made.conditions.empty() && made.binders[0].filters.empty() && !made.binders[0].pick;
    const ir::Binder& only = made.binders[0];
    if (e.op == Op::count && never) return constant(0, e.span);
    if (e.op == Op::some && never) return constant(0, e.span);
    if (e.op == Op::count && all && only.kind == ir::SourceKind::zone) return add(NodeOp::zone_count, e.span, only.a);
    if (e.op == Op::some && all && only.kind == ir::SourceKind::zone)
      return add(NodeOp::ge_const, e.span, add(NodeOp::zone_count, e.span, only.a), 1);
    if (e.op == Op::count && all && only.kind == ir::SourceKind::set)
      return add(NodeOp::count_set, e.span, only.a, pool_domain(only.domain));
  }
  switch (e.op) {
    case Op::count: return add(NodeOp::count, e.span, over);
    case Op::some: return add(NodeOp::some, e.span, over);
    case Op::every: return add(NodeOp::every, e.span, over, truth(e.kids[0]));
    case Op::sum: return add(NodeOp::sum, e.span, over, needed(e.kids[0]));
    case Op::min: case Op::max:
      risk();
      return add(e.op == Op::min ? NodeOp::min : NodeOp::max, e.span, over, needed(e.kids[0]));
    case Op::first:
      if (!r.clauses[e.clause].keys.empty()) risk();
      return add(NodeOp::first, e.span, over);
    default: break;
  }
  throw NotSupported{e.span, "this aggregate is not supported yet"};
}

/// How many bindings a clause can have at most. A zone of which every earlier name picks another instance has, over all
/// of them, no more components than there are.
std::int64_t Lowering::Impl::most_bindings(rules::ClauseId id) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 40;
  const rules::Clause& from = r.clauses[id];
  std::int64_t rows = 1;
  for (std::size_t i = 0; i < from.binders.size(); ++i) {
    const rules::Expr& e = expr(from.binders[i].source);
    const std::int64_t here_most = most(from.binders[i].source);
    bool apart = e.op == Op::zone && i > 0;
    for (std::size_t k = 0; apart && k < i; ++k) {
      const bool indexes = std::any_of(e.kids.begin(), e.kids.end(), [&](rules::ExprId kid) { return expr(kid).op == Op::local && expr(kid).ref == from.binders[k].local; });
      apart = indexes && expr(from.binders[k].source).type.shape == Shape::set;
    }
    rows = apart ? std::min(rows * here_most, static_cast<std::int64_t>(most_of(e.type))) : rows * here_most;
    rows = std::min(rows, kHuge);
  }
  return rows;
}

}  // namespace rip
