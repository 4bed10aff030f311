// Clauses: names with their sources, a condition over all of them, keys that order the bindings.
#include "interp/check/checker.h"

#include <fmt/format.h>

namespace rip::check {

using rules::Base;
using rules::ExprId;
using rules::Op;
using rules::Shape;
using rules::Type;

ExprId Checker::conjunction(ExprId a, ExprId b) {
  if (a == kNoId) return b;
  if (b == kNoId) return a;
  return emit(Op::logical_and, flag_type(), join(rules_.exprs[a].span, rules_.exprs[b].span), {a, b});
}

void Checker::binder(const ast::Binder& node, const ClauseUse& use, rules::Clause& into, bool first) {
  rules::Binder out;
  out.span = node.span;
  if (node.pick_low != nullptr) {
    out.pick = true;
    out.in_order = node.in_order;
    out.pick_low = number(*node.pick_low);
    if (node.pick_high != nullptr) out.pick_high = number(*node.pick_high);
    if (!use.picks) report(Code::R0606, node.span, "picks stand in moves, aggregates and builders only");
  }
  out.any = node.any;
  if (node.any && !use.arguments) report(Code::R0617, node.span, "only the options of a move leave a value open");
  if (!node.any && !into.binders.empty() && into.binders.back().any)
    report(Code::R0617, node.span, fmt::format("`{}` tells options apart, so it comes before what is `any`", node.name.text));
  out.source = expr(*node.source, {Form::set, {}});
  const Type t = type(out.source);
  if (out.pick && !is_unknown(t) && t.shape == Shape::scalar) report(Code::R0303, node.source->span, "a pick of what is no set");
  Type element = scalar_of(t);
  if (t.shape != Shape::list) element.optional = false;
  const rules::Expr& source = rules_.exprs[out.source];
  bool ring = source.op == Op::range_set;
  for (const ExprId kid : source.kids) ring = ring && rules_.exprs[kid].op == Op::constant;
  if (use.each && first && !is_unknown(element) && element.base != Base::seat) {
    report(Code::R0611, node.span, fmt::format("`choose each` is by seats, but `{}` is {}", node.name.text, describe(rules_, element)));
    element = Type{};
  }
  if (out.any && (out.pick || element.base == Base::component))
    report(Code::R0617, node.span, fmt::format("`{}` stands for components or a pick, and which they are is never all the same", node.name.text));
  if (out.pick) element = out.in_order ? list_of(element) : set_of(element);
  const bool free = use.arguments || (use.each && first);
  out.local = bind_local(node.name, element, !free);
  local_is_ring_[out.local] = ring && !out.pick;
  into.binders.push_back(out);
}

void Checker::keys(const ast::Keys& node, rules::Clause& into) {
  into.backwards = node.backwards;
  for (const ast::Key& key : node.keys) {
    rules::Key out;
    out.span = key.span;
    if (key.kind == ast::KeyKind::clockwise_from || key.kind == ast::KeyKind::clockwise_after) {
      out.kind = key.kind == ast::KeyKind::clockwise_from ? rules::KeyKind::clockwise_from : rules::KeyKind::clockwise_after;
      out.value = seat(*key.value);
      for (const rules::Binder& binder : into.binders) {
        if (rules_.locals[binder.local].type.base != Base::seat || into.clockwise_subject != kNoId) continue;
        into.clockwise_subject = binder.local;
        if (rules_.locals[binder.local].type.shape != Shape::scalar) into.clockwise_subject = kNoId;
      }
      const bool open = std::any_of(into.binders.begin(), into.binders.end(),
                                    [&](const rules::Binder& b) { return is_unknown(rules_.locals[b.local].type); });
      if (into.clockwise_subject == kNoId && !open) report(Code::R0615, key.span, "a `clockwise` key, but no seat runs through this clause");
    } else {
      out.kind = key.kind == ast::KeyKind::high ? rules::KeyKind::high : rules::KeyKind::low;
      out.value = expr(*key.value, {Form::scalar, {}});
      const Type& t = type(out.value);
      if (!is_unknown(t) && !is_ordered(t))
        report(Code::R0615, key.span, fmt::format("{} cannot be a key", describe(rules_, t))).hint = "a key is a number, an enum value, a flag or a seat";
    }
    into.keys.push_back(out);
  }
}

// Leaves its names in scope; the caller closes it.
rules::ClauseId Checker::clause(const ast::Clause& node, const ClauseUse& use) {
  rules::Clause out;
  out.span = node.span;
  if (node.keys.backwards_if != nullptr) out.backwards_if = condition(*node.keys.backwards_if);
  for (const ast::Binder& each : node.binders) binder(each, use, out, &each == &node.binders.front());
  for (const ExprId first : use.first_conditions) out.where = conjunction(out.where, first);
  if (node.where != nullptr) out.where = conjunction(out.where, condition(*node.where));
  keys(node.keys, out);
  rules_.clauses.push_back(std::move(out));
  return static_cast<rules::ClauseId>(rules_.clauses.size() - 1);
}

}  // namespace rip::check
