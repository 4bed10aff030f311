// Arithmetic with intervals, union and difference, `min` and `max` of plain values, the arms of a `match`.
#include "interp/check/checker.h"

#include <fmt/format.h>

namespace rip::check {

using rules::Base;
using rules::ExprId;
using rules::Op;
using rules::Shape;
using rules::Type;

// A number whose interval leaves what numbers can be is reported once, where it first happens.
ExprId Checker::bounded(Op op, Interval range, Span span, std::vector<ExprId> kids) {
  if (range.low < -kLargest || range.high > kLargest) {
    report(Code::R0401, span, fmt::format("this number can be as {} as {}, but numbers end at {}", range.high > kLargest ? "large" : "small",
                                          range.high > kLargest ? range.high : range.low, range.high > kLargest ? kLargest : -kLargest));
    range.low = std::clamp(range.low, -kLargest, kLargest);
    range.high = std::clamp(range.high, -kLargest, kLargest);
  }
  return emit(op, integer_type(range.low, range.high), span, std::move(kids));
}

ExprId Checker::arithmetic(Op op, ExprId left, ExprId right, Span span) {
  if (unknown(left) || unknown(right)) return broken(span);
  const Interval a = interval(type(left)), b = interval(type(right));
  switch (op) {
    case Op::add: return bounded(op, plus(a, b), span, {left, right});
    case Op::sub: return bounded(op, minus(a, b), span, {left, right});
    case Op::mul: return bounded(op, times(a, b), span, {left, right});
    default: break;
  }
  if (b.low <= 0 && b.high >= 0) {
    report(Code::R0403, rules_.exprs[right].span, fmt::format("a divisor in {}..{}, which holds 0", b.low, b.high)).hint = "`max(1, n)` excludes it";
    return broken(span);
  }
  return bounded(op, op == Op::div ? divided(a, b) : modulo(a, b), span, {left, right});
}

ExprId Checker::sum_or_union(const ast::Expr& at, const ast::Binary& n, Want want) {
  const bool plus_sign = n.op == ast::BinaryOp::add;
  const Type hint = scalar_of(want.type);
  const bool phrase_first = as_phrase(*n.left) != nullptr;
  ExprId left = phrase_first ? kNoId : expr(*n.left, {Form::any, hint});
  ExprId right = expr(*n.right, {Form::any, phrase_first ? hint : scalar_of(type(left))});
  if (phrase_first) left = expr(*n.left, {Form::any, scalar_of(type(right))});
  for (const ExprId side : {left, right}) {
    if (rules_.exprs[side].op != Op::constant || rules_.exprs[side].value != rules::kNone) continue;
    report(Code::R0408, rules_.exprs[side].span, fmt::format("`none` {} something", plus_sign ? "+" : "-"));
    return broken(at.span);
  }
  const Type a = type(left), b = type(right);
  const bool number_a = is_scalar(a) && a.base == Base::integer, number_b = is_scalar(b) && b.base == Base::integer;
  if (number_a && number_b) return arithmetic(plus_sign ? Op::add : Op::sub, left, right, at.span);
  if (is_scalar(a) && is_scalar(b) && (is_unknown(a) || is_unknown(b))) return broken(at.span);
  for (const ExprId side : {left, right}) {
    if (type(side).shape != Shape::list || is_unknown(type(side))) continue;
    report(Code::R0303, rules_.exprs[side].span, fmt::format("{}, but `+` and `-` are of numbers or sets", describe(rules_, type(side))));
    return broken(at.span);
  }
  if (!agree(a, b)) {
    report(Code::R0306, n.op_span, fmt::format("{} {} {}", describe(rules_, a), plus_sign ? "+" : "-", describe(rules_, b)));
    return broken(at.span);
  }
  if (is_scalar(a) && is_scalar(b) && a.base != Base::seat && a.base != Base::enumeration && a.base != Base::component) {
    report(Code::R0301, at.span, fmt::format("{} {} {}", describe(rules_, a), plus_sign ? "+" : "-", describe(rules_, b)));
    return broken(at.span);
  }
  Type joined = scalar_of(a);
  join_into(joined, scalar_of(b));
  const Type result = set_of(plus_sign || is_unknown(a) ? joined : a);
  left = as_set_or_scalar(left);
  right = as_set_or_scalar(right);
  return emit(plus_sign ? Op::set_union : Op::set_difference, result, at.span, {left, right});
}

// `min(a, b, c)`.
ExprId Checker::extreme(const ast::Expr& at, const ast::Aggregate& n, bool least) {
  ExprId all = expr(*n.args[0], {Form::scalar, {}});
  for (std::size_t i = 1; i < n.args.size(); ++i) {
    const ExprId next = expr(*n.args[i], {Form::scalar, scalar_of(type(all))});
    if (unknown(all) || unknown(next)) {
      all = broken(at.span);
      continue;
    }
    const Type a = type(all), b = type(next);
    if (!agree(a, b) || !is_ordered(a)) {
      report(Code::R0306, n.args[i]->span, fmt::format("`{}` of {} and {}", least ? "min" : "max", describe(rules_, a), describe(rules_, b)));
      return broken(at.span);
    }
    Type both = required(a);
    both.low = least ? std::min(a.low, b.low) : std::max(a.low, b.low);
    both.high = least ? std::min(a.high, b.high) : std::max(a.high, b.high);
    all = emit(least ? Op::min2 : Op::max2, both, at.span, {all, next});
  }
  return all;
}

// ---- match ----------------------------------------------------------------------------------------------------

std::pair<ExprId, ExprId> Checker::pattern(const ast::Expr& node, const Type& subject) {
  const auto one = [&](const ast::Expr& part) {
    const ExprId id = expr(part, {Form::scalar, subject});
    if (!agree(type(id), subject))
      report(Code::R0306, part.span, fmt::format("{}, but the `match` is of {}", describe(rules_, type(id)), describe(rules_, subject)));
    return id;
  };
  if (const auto* range = std::get_if<ast::RangeExpr>(&node.node)) {
    const ExprId low = one(*range->low);
    return {low, one(*range->high)};
  }
  const ExprId id = one(node);
  return {id, id};
}

void Checker::arms(rules::Expr& match, const std::vector<std::vector<ast::ExprRef>>& patterns, const Type& subject, Span span) {
  for (const std::vector<ast::ExprRef>& list : patterns) {
    rules::MatchArm arm;
    for (const ast::ExprRef& part : list) arm.patterns.push_back(pattern(*part, subject));
    match.arms.push_back(std::move(arm));
  }
  test_arms(match.arms, subject, span);
}

// Without `else` every value of the type must have its arm.
void Checker::test_arms(const std::vector<rules::MatchArm>& arms, const Type& subject, Span span) {
  if (is_unknown(subject)) return;
  std::set<std::int64_t> covered;
  bool none = false;
  const std::int64_t size = has_interval(subject) ? subject.high - subject.low + 1 : 0;
  for (const rules::MatchArm& arm : arms) {
    if (arm.patterns.empty()) return;
    for (const auto& [low, high] : arm.patterns) {
      const rules::Expr &a = rules_.exprs[low], &b = rules_.exprs[high];
      if (is_unknown(a.type) && a.op == Op::constant && a.value == rules::kNone) none = true;
      if (!has_interval(a.type) || a.type.low != a.type.high || b.type.low != b.type.high) continue;
      for (std::int64_t v = std::max(a.type.low, subject.low); v <= std::min(b.type.high, subject.high) && size <= 65536; ++v) covered.insert(v);
    }
  }
  std::string missing;
  if (!has_interval(subject) || std::ssize(covered) < size) {
    for (std::int64_t v = subject.low; v <= subject.high && size <= 65536; ++v) {
      if (covered.contains(v)) continue;
      Type one = subject;
      one.low = one.high = v;
      missing = describe_range(rules_, one);
      break;
    }
    if (missing.empty()) missing = "the rest";
  } else if (subject.optional && !none) {
    missing = "none";
  }
  if (!missing.empty()) report(Code::R0612, span, fmt::format("no arm for `{}`", missing)).hint = "`else` takes what is left";
}

}  // namespace rip::check
