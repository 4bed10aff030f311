// Aggregates and builders over clauses, sets and lists.
#include "interp/check/checker.h"

#include <fmt/format.h>

namespace rip::check {

using rules::Base;
using rules::ExprId;
using rules::Op;
using rules::Shape;
using rules::Type;

namespace {

const char* word_of(ast::AggregateKind kind) {
  switch (kind) {
    case ast::AggregateKind::count: return "count";
    case ast::AggregateKind::some: return "some";
    case ast::AggregateKind::first: return "first";
    case ast::AggregateKind::best: return "best";
    case ast::AggregateKind::every: return "every";
    case ast::AggregateKind::sum: return "sum";
    case ast::AggregateKind::min: return "min";
    case ast::AggregateKind::max: return "max";
  }
  return "";
}

/// The sum of `count` values of this interval.
Interval sum_range(Interval count, Interval value) {
  const std::int64_t low = value.low < 0 ? saturating_times(count.high, value.low) : saturating_times(count.low, value.low);
  const std::int64_t high = value.high > 0 ? saturating_times(count.high, value.high) : saturating_times(count.low, value.high);
  return {low, high};
}

}  // namespace

ExprId Checker::node(const ast::Expr& at, const ast::Aggregate& n, Want want) {
  using Kind = ast::AggregateKind;
  if (n.clause == nullptr) {
    if ((n.kind == Kind::min || n.kind == Kind::max) && n.args.size() > 1) return extreme(at, n, n.kind == Kind::min);
    if (n.args.size() != 1) {
      report(Code::R0302, at.span, fmt::format("{} arguments, but `{}` takes 1", n.args.size(), word_of(n.kind)));
      return broken(at.span);
    }
    const ExprId of = expr(*n.args[0], {Form::any, {}});
    const ExprId set = as_set(of);
    const Type element = scalar_of(type(set));
    if (n.kind == Kind::count) {
      const Interval size = size_of(set);
      return emit(Op::count_set, integer_type(size.low, size.high), at.span, {set});
    }
    if (n.kind == Kind::some) {
      const ExprId empty = emit(Op::is_empty, flag_type(), at.span, {set});
      return emit(Op::logical_not, flag_type(), at.span, {empty});
    }
    if (n.kind == Kind::best) return emit(Op::best_of, set_of(element), at.span, {set});
    Type one = element;
    if (n.kind == Kind::first) {
      one.optional = true;
      return emit(Op::first_of, one, at.span, {set});
    }
    if (is_unknown(element)) return broken(at.span);
    if (n.kind == Kind::sum) {
      if (element.base != Base::integer) {
        report(Code::R0301, n.args[0]->span, fmt::format("`sum` of {}", describe(rules_, type(set))));
        return broken(at.span);
      }
      return bounded(Op::sum_of, sum_range(size_of(set), interval(element)), at.span, {set});
    }
    if (!is_ordered(element)) {
      report(Code::R0312, n.args[0]->span, fmt::format("{} has no order", describe(rules_, element)));
      return broken(at.span);
    }
    return emit(n.kind == Kind::min ? Op::min_of : Op::max_of, required(element), at.span, {set});
  }

  const std::size_t mark = open_scope();
  ClauseUse use;
  use.picks = true;
  const rules::ClauseId over = clause(*n.clause, use);
  const Interval bindings = bindings_of(rules_.clauses[over]);
  const Type first = rules_.clauses[over].binders.empty() ? Type{} : rules_.locals[rules_.clauses[over].binders[0].local].type;
  ExprId out = kNoId;
  switch (n.kind) {
    case Kind::count:
      out = bounded(Op::count, bindings, at.span, {});
      if (scope_.size() == mark + 1) scope_.back().unread_hint = "all of a set are counted without a name: `count(S)`";
      break;
    case Kind::some: out = emit(Op::some, flag_type(), at.span); break;
    case Kind::first:
    case Kind::best: {
      if (first.shape != Shape::scalar) {
        report(Code::R0606, n.clause->span, fmt::format("`{}` gives one value of its first name, which is a pick here", word_of(n.kind)));
        out = broken(at.span);
        break;
      }
      read_first_name(*n.clause);
      Type one = first;
      one.optional = true;
      out = n.kind == Kind::first ? emit(Op::first, one, at.span) : emit(Op::best, set_of(first), at.span);
      break;
    }
    case Kind::every: {
      const ExprId test = condition(*n.value);
      out = emit(Op::every, flag_type(), at.span, {test});
      break;
    }
    case Kind::sum: {
      const ExprId value = number(*n.value);
      out = unknown(value) ? broken(at.span) : bounded(Op::sum, sum_range(bindings, interval(type(value))), at.span, {value});
      break;
    }
    case Kind::min:
    case Kind::max: {
      const ExprId value = expr(*n.value, {Form::scalar, scalar_of(want.type)});
      const Type t = required(type(value));
      if (!is_unknown(t) && !is_ordered(t)) {
        report(Code::R0312, n.value->span, fmt::format("{} has no order", describe(rules_, t)));
        out = broken(at.span);
        break;
      }
      out = emit(n.kind == Kind::min ? Op::min : Op::max, t, at.span, {value});
      break;
    }
  }
  rules_.exprs[out].clause = over;
  close_scope(mark);
  return out;
}

ExprId Checker::node(const ast::Expr& at, const ast::Builder& n, Want want) {
  if (n.clause != nullptr) return collect(at, n, want);
  Type joined;
  std::vector<ExprId> kids;
  const Type hint = scalar_of(want.type);
  for (const ast::ExprRef& item : n.items) {
    const Type wanted = is_unknown(hint) ? scalar_of(joined) : hint;
    const bool range = std::holds_alternative<ast::RangeExpr>(item->node);
    const auto* inner = std::get_if<ast::Builder>(&item->node);
    const bool table = n.list && inner != nullptr && inner->list;
    ExprId kid = expr(*item, {range || table ? Form::any : Form::scalar, wanted});
    Type element = scalar_of(type(kid));
    if (n.list && range) {
      report(Code::R0303, item->span, "a range in a list").hint = "a range is a set; a list has single values";
      kid = broken(item->span);
    }
    if (!join_into(joined, element)) {
      report(Code::R0306, item->span, fmt::format("{} beside {}", describe(rules_, element), describe(rules_, joined)));
      kid = broken(item->span);
    }
    kids.push_back(kid);
  }
  if (!n.list && kids.empty() && !is_unknown(hint)) joined = hint;
  // A set drops `none`; a list keeps it.
  return emit(n.list ? Op::list_literal : Op::set_literal, n.list ? list_of(joined) : set_of(joined), at.span, std::move(kids));
}

ExprId Checker::collect(const ast::Expr& at, const ast::Builder& n, Want want) {
  const std::size_t mark = open_scope();
  ClauseUse use;
  use.picks = n.value != nullptr;
  const rules::ClauseId over = clause(*n.clause, use);
  Type element = rules_.clauses[over].binders.empty() ? Type{} : rules_.locals[rules_.clauses[over].binders[0].local].type;
  std::vector<ExprId> kids;
  if (n.value != nullptr) {
    kids.push_back(expr(*n.value, {Form::scalar, scalar_of(want.type)}));
    element = type(kids[0]);
  } else {
    read_first_name(*n.clause);
  }
  const ExprId out = emit(n.list ? Op::list_of : Op::set_of, n.list ? list_of(element) : set_of(scalar_of(element)), at.span, std::move(kids));
  rules_.exprs[out].clause = over;
  close_scope(mark);
  return out;
}

}  // namespace rip::check
