// Clauses: all bindings, one after the other, in the order the language gives them; and what is built on them.
#include "interp/reference/evaluator.h"

#include <algorithm>
#include <numeric>

namespace rip::reference {

using rules::Clause;
using rules::Expr;
using rules::ExprId;
using rules::kNoId;
using rules::kNone;
using rules::Op;
using rules::Shape;

bool Evaluator::is_component(const rules::Binder& binder) const {
  return rules_.locals[binder.local].type.base == rules::Base::component;
}

void Evaluator::with(const Clause& clause, const Binding& binding, const std::function<void()>& f) {
  const std::map<rules::LocalId, Value> before = names_;
  const Finally restore([&] { names_ = before; });
  for (std::size_t i = 0; i < binding.size(); ++i) names_[clause.binders[i].local] = binding[i];
  f();
}

std::vector<Binding> Evaluator::plain_bindings(const Clause& clause, bool lenient) {
  const std::map<rules::LocalId, Value> before = names_;
  const Finally restore([&] { names_ = before; });
  std::vector<Binding> found;
  Binding chosen;
  bind_from(clause, 0, chosen, found, lenient);
  return found;
}

void Evaluator::bind_from(const Clause& clause, std::size_t level, Binding& chosen, std::vector<Binding>& found, bool lenient) {
  try {
    if (level == clause.binders.size()) {
      if (clause.where == kNoId || holds(clause.where)) found.push_back(chosen);
      return;
    }
    const rules::Binder& binder = clause.binders[level];
    const std::vector<std::int64_t> source = members(binder.source);
    if (binder.pick) {
      const std::int64_t low = needed(binder.pick_low);
      Picking pick{source, low, binder.pick_high == kNoId ? low : needed(binder.pick_high), {}};
      pick_from(clause, level, pick, 0, chosen, found, lenient);
      return;
    }
    for (const std::int64_t v : source) {
      chosen.push_back({Shape::scalar, {v}});
      names_[binder.local] = chosen.back();
      bind_from(clause, level + 1, chosen, found, lenient);
      chosen.pop_back();
    }
  } catch (const FaultRaised&) {
    if (!lenient) throw;
  }
}

// A pick comes before those that it begins.
void Evaluator::pick_from(const Clause& clause, std::size_t level, Picking& pick, std::size_t start, Binding& chosen,
                          std::vector<Binding>& found, bool lenient) {
  const rules::Binder& binder = clause.binders[level];
  const std::int64_t size = std::ssize(pick.members);
  if (size > pick.high) return;
  if (size >= pick.low) {
    chosen.push_back({binder.in_order ? Shape::list : Shape::set, pick.members});
    names_[binder.local] = chosen.back();
    bind_from(clause, level + 1, chosen, found, lenient);
    chosen.pop_back();
  }
  if (size == pick.high) return;
  for (std::size_t i = binder.in_order ? 0 : start; i < pick.source.size(); ++i) {
    const std::int64_t v = pick.source[i];
    if (binder.in_order && std::find(pick.members.begin(), pick.members.end(), v) != pick.members.end()) continue;
    pick.members.push_back(v);
    pick_from(clause, level, pick, i + 1, chosen, found, lenient);
    pick.members.pop_back();
  }
}

std::vector<std::int64_t> Evaluator::key_values(const Clause& clause, const Binding& binding) {
  std::vector<std::int64_t> keys;
  with(clause, binding, [&] {
    for (const rules::Key& key : clause.keys) {
      const std::int64_t v = needed(key.value);
      if (key.kind == rules::KeyKind::high || key.kind == rules::KeyKind::low) {
        keys.push_back(v);
        continue;
      }
      const std::int64_t seat = names_.at(clause.clockwise_subject).scalar();
      if (seat == kNone) fault(FaultKind::none_used, key.span);
      const std::int64_t n = box_.players;
      const std::int64_t distance = ((seat - v) % n + n) % n;
      keys.push_back(key.kind == rules::KeyKind::clockwise_after && distance == 0 ? n : distance);
    }
  });
  return keys;
}

int Evaluator::compare(const Clause& clause, const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) const {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i]) return (a[i] < b[i]) == (clause.keys[i].kind != rules::KeyKind::high) ? -1 : 1;
  return 0;
}

// Of two bindings that compare equal: do they name the same things, or equal components?
bool Evaluator::interchangeable(const Clause& clause, const Binding& a, const Binding& b) const {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    if (a[i].shape != Shape::scalar || !is_component(clause.binders[i])) return false;
    if (!box_.equal(static_cast<std::uint32_t>(a[i].scalar()), static_cast<std::uint32_t>(b[i].scalar()))) return false;
  }
  return true;
}

std::vector<Binding> Evaluator::bindings(rules::ClauseId id, Ties ties) {
  const Clause& clause = rules_.clauses[id];
  std::vector<Binding> found = plain_bindings(clause, false);
  if (!clause.keys.empty()) {
    std::vector<std::vector<std::int64_t>> keys;
    for (const Binding& binding : found) keys.push_back(key_values(clause, binding));
    std::vector<std::size_t> order(found.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return compare(clause, keys[a], keys[b]) < 0; });
    std::vector<Binding> sorted;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (ties == Ties::fault && i > 0 && compare(clause, keys[order[i - 1]], keys[order[i]]) == 0 &&
          !interchangeable(clause, found[order[i - 1]], found[order[i]]))
        fault(FaultKind::tie, clause.span, "two bindings that `by` does not order");
      sorted.push_back(found[order[i]]);
    }
    found = std::move(sorted);
  }
  if (clause.backwards && (clause.backwards_if == kNoId || holds(clause.backwards_if))) std::reverse(found.begin(), found.end());
  return found;
}

// All that tie in front.
std::vector<Binding> Evaluator::best_bindings(rules::ClauseId id) {
  const Clause& clause = rules_.clauses[id];
  std::vector<Binding> found = bindings(id, Ties::share);
  if (found.empty() || clause.keys.empty()) return found;
  const std::vector<std::int64_t> front = key_values(clause, found[0]);
  std::erase_if(found, [&](const Binding& binding) { return compare(clause, key_values(clause, binding), front) != 0; });
  return found;
}

Value Evaluator::first_value(const Expr& e) {
  const Clause& clause = rules_.clauses[e.clause];
  if (clause.keys.empty()) {
    const std::vector<Binding> found = bindings(e.clause, Ties::share);
    return found.empty() ? Value{Shape::scalar, {kNone}} : found[0][0];
  }
  const std::vector<Binding> front = best_bindings(e.clause);
  if (front.empty()) return {Shape::scalar, {kNone}};
  for (const Binding& other : front)
    if (!interchangeable(clause, front[0], other)) fault(FaultKind::tie, e.span, "several tie in front");
  return front[0][0];
}

Value Evaluator::aggregate_value(const Expr& e) {
  std::vector<std::int64_t> values;
  if (e.clause == kNoId) {
    values = members(e.kids[0]);
  } else {
    const Clause& clause = rules_.clauses[e.clause];
    for (const Binding& binding : plain_bindings(clause, false))
      with(clause, binding, [&] { values.push_back(e.op == Op::count || e.op == Op::some ? 1 : needed(e.kids[0])); });
  }
  const auto one = [](std::int64_t v) { return Value{Shape::scalar, {v}}; };
  switch (e.op) {
    case Op::count: return one(std::ssize(values));
    case Op::some: return one(!values.empty());
    case Op::every: return one(std::find(values.begin(), values.end(), 0) == values.end());
    case Op::sum: case Op::sum_of: return one(std::accumulate(values.begin(), values.end(), std::int64_t{0}));
    default:
      if (values.empty()) fault(FaultKind::empty_first, e.span, "`min` or `max` of nothing");
      return one(e.op == Op::min || e.op == Op::min_of ? *std::min_element(values.begin(), values.end())
                                                       : *std::max_element(values.begin(), values.end()));
  }
}

Value Evaluator::collected_value(const Expr& e) {
  if (e.op == Op::first) return first_value(e);
  if (e.op == Op::first_of) {
    const std::vector<std::int64_t> items = members(e.kids[0]);
    return {Shape::scalar, {items.empty() ? kNone : items[0]}};
  }
  if (e.op == Op::best_of) return value(e.kids[0]);
  const Clause& clause = rules_.clauses[e.clause];
  std::vector<std::int64_t> items;
  const bool list = e.op == Op::list_of;
  for (const Binding& binding : e.op == Op::best ? best_bindings(e.clause) : bindings(e.clause, list ? Ties::fault : Ties::share)) {
    with(clause, binding, [&] {
      if (e.kids.empty() || e.op == Op::best) items.push_back(binding[0].scalar());
      else if (list) items.push_back(scalar(e.kids[0]));
      else for (const std::int64_t v : members(e.kids[0])) items.push_back(v);
    });
  }
  if (list) return {Shape::list, std::move(items)};
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
  return {Shape::set, std::move(items)};
}

}  // namespace rip::reference
