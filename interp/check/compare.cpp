// Comparisons: of values, sets and lists; with phrases, which are patterns there; membership.
#include "interp/check/checker.h"

#include <fmt/format.h>

namespace rip::check {

using rules::Base;
using rules::ExprId;
using rules::Op;
using rules::Shape;
using rules::Type;

namespace {

/// Read after the other side, since that says what it means.
bool is_literal(const ast::Expr& node) {
  if (std::holds_alternative<ast::IntLit>(node.node) || std::holds_alternative<ast::Builder>(node.node) ||
      std::holds_alternative<ast::RangeExpr>(node.node) || std::holds_alternative<ast::Phrase>(node.node))
    return true;
  const auto* word = std::get_if<ast::Word>(&node.node);
  return word != nullptr && word->text == "none";
}

bool is_list(const ast::Expr& node) {
  const auto* builder = std::get_if<ast::Builder>(&node.node);
  return builder != nullptr && builder->list && builder->clause == nullptr;
}

Op scalar_op(ast::BinaryOp op) {
  switch (op) {
    case ast::BinaryOp::eq: return Op::eq;
    case ast::BinaryOp::ne: return Op::ne;
    case ast::BinaryOp::lt: return Op::lt;
    case ast::BinaryOp::le: return Op::le;
    case ast::BinaryOp::gt: return Op::gt;
    default: return Op::ge;
  }
}

}  // namespace

ExprId Checker::phrase_comparison(const ast::Expr& at, const ast::Expr& other, const ast::Expr& pattern, bool negated) {
  const ExprId value = expr(other, {Form::any, {}});
  const Type t = type(value);
  if (is_unknown(t)) return broken(at.span);
  if (t.base != Base::component || t.shape != Shape::scalar) {
    report(Code::R0306, at.span, fmt::format("{} is compared with a component", describe(rules_, t))).hint =
        t.base == Base::component ? "`<...> in S` asks whether some component there fits" : "";
    return broken(at.span);
  }
  std::optional<rules::Phrase> found = phrase(pattern, *as_phrase(pattern), t.id, false);
  if (!found) return broken(at.span);
  const ExprId id = emit(Op::fits, flag_type(), at.span, {value});
  rules_.exprs[id].phrase = add_phrase(std::move(*found));
  return negated_if(negated, id, at.span);
}

// `stack[Peter] == [<74>, <75>]`.
std::optional<ExprId> Checker::list_of_phrases(const ast::Expr& at, const ast::Expr& left, const ast::Expr& right, bool negated) {
  const ast::Expr& list = is_list(right) ? right : left;
  const ast::Expr& other = is_list(right) ? left : right;
  const auto& items = std::get<ast::Builder>(list.node).items;
  if (items.empty() || is_list(other)) return std::nullopt;
  for (const ast::ExprRef& item : items)
    if (as_phrase(*item) == nullptr) return std::nullopt;
  const ExprId zone = expr(other, {Form::list, {}});
  const Type t = type(zone);
  if (is_unknown(t)) return broken(at.span);
  if (t.base != Base::component) {
    report(Code::R0306, at.span, fmt::format("{} is compared with components", describe(rules_, t)));
    return broken(at.span);
  }
  std::vector<rules::PhraseId> patterns;
  for (const ast::ExprRef& item : items) {
    std::optional<rules::Phrase> found = phrase(*item, *as_phrase(*item), t.id, false);
    if (!found) return broken(at.span);
    patterns.push_back(add_phrase(std::move(*found)));
  }
  const ExprId id = emit(Op::zone_fits_list, flag_type(), at.span, {zone});
  rules_.exprs[id].patterns = std::move(patterns);
  return negated_if(negated, id, at.span);
}

ExprId Checker::comparison(const ast::Expr& at, const ast::Binary& n) {
  const bool equality = n.op == ast::BinaryOp::eq || n.op == ast::BinaryOp::ne;
  const bool negated = n.op == ast::BinaryOp::ne;
  if (equality && as_phrase(*n.right) != nullptr) return phrase_comparison(at, *n.left, *n.right, negated);
  if (equality && as_phrase(*n.left) != nullptr) return phrase_comparison(at, *n.right, *n.left, negated);
  const bool with_list = is_list(*n.left) || is_list(*n.right);
  if (equality && with_list) {
    if (const std::optional<ExprId> found = list_of_phrases(at, *n.left, *n.right, negated)) return *found;
  }
  const Form form = with_list ? Form::list : Form::any;
  ExprId left = kNoId, right = kNoId;
  if (is_literal(*n.left) && !is_literal(*n.right)) {
    right = expr(*n.right, {form, {}});
    left = expr(*n.left, {Form::any, scalar_of(type(right))});
  } else {
    left = expr(*n.left, {form, {}});
    right = expr(*n.right, {Form::any, scalar_of(type(left))});
  }
  const Type a = type(left), b = type(right);
  const auto none = [&](ExprId id) { return rules_.exprs[id].op == Op::constant && rules_.exprs[id].value == rules::kNone; };
  if ((is_unknown(a) && is_scalar(a) && !none(left)) || (is_unknown(b) && is_scalar(b) && !none(right))) return broken(at.span);
  if (!agree(a, b)) {
    report(Code::R0306, n.op_span, fmt::format("{} is compared with {}", describe(rules_, a), describe(rules_, b)));
    return broken(at.span);
  }
  if (a.base == Base::text || b.base == Base::text) {
    report(Code::R0312, at.span, "a text is a label and stands in no condition");
    return broken(at.span);
  }
  if (a.shape == Shape::list || b.shape == Shape::list) {
    if (!equality) {
      report(Code::R0312, n.op_span, "lists have no order").hint = "they can be equal or not";
      return broken(at.span);
    }
    if (is_scalar(a) || is_scalar(b)) {
      report(Code::R0306, n.op_span, fmt::format("{} is compared with {}", describe(rules_, a), describe(rules_, b)));
      return broken(at.span);
    }
    return emit(negated ? Op::list_ne : Op::list_eq, flag_type(), at.span, {left, right});
  }
  if (a.shape == Shape::set || b.shape == Shape::set) {
    left = as_set(left);
    right = as_set(right);
    if (equality) return emit(negated ? Op::set_ne : Op::set_eq, flag_type(), at.span, {left, right});
    if (n.op == ast::BinaryOp::le) return emit(Op::subset, flag_type(), at.span, {left, right});
    if (n.op == ast::BinaryOp::ge) return emit(Op::subset, flag_type(), at.span, {right, left});
    report(Code::R0312, n.op_span, fmt::format("`{}` between sets", n.op == ast::BinaryOp::lt ? "<" : ">")).hint = "`<=` is \"is part of\"";
    return broken(at.span);
  }
  if (!equality) {
    const Type& known = is_unknown(a) ? b : a;
    if (none(left) || none(right)) {
      report(Code::R0408, at.span, "`none` has no place in an order");
      return broken(at.span);
    }
    if (!is_ordered(known)) {
      report(Code::R0312, n.op_span, fmt::format("{} has no order", describe(rules_, known)));
      return broken(at.span);
    }
  }
  return emit(scalar_op(n.op), flag_type(), at.span, {left, right});
}

ExprId Checker::membership(const ast::Expr& at, const ast::Binary& n) {
  const bool negated = n.op == ast::BinaryOp::not_in;
  if (as_phrase(*n.left) != nullptr) {
    const ExprId set = expr(*n.right, {Form::set, {}});
    const Type t = type(set);
    if (is_unknown(t)) return broken(at.span);
    if (t.base != Base::component) {
      report(Code::R0306, at.span, fmt::format("a component in {}", describe(rules_, t)));
      return broken(at.span);
    }
    std::optional<rules::Phrase> found = phrase(*n.left, *as_phrase(*n.left), t.id, false);
    if (!found) return broken(at.span);
    const ExprId id = emit(Op::some_fits, flag_type(), at.span, {set});
    rules_.exprs[id].phrase = add_phrase(std::move(*found));
    return negated_if(negated, id, at.span);
  }
  ExprId left = kNoId, right = kNoId;
  if (is_literal(*n.right)) {
    left = expr(*n.left, {Form::scalar, {}});
    right = expr(*n.right, {Form::set, scalar_of(type(left))});
  } else {
    right = expr(*n.right, {Form::set, {}});
    left = expr(*n.left, {Form::scalar, scalar_of(type(right))});
  }
  const Type a = type(left), b = type(right);
  if (is_unknown(a)) return broken(at.span);
  if (!agree(a, b)) {
    report(Code::R0306, n.op_span, fmt::format("{} in {}", describe(rules_, a), describe(rules_, b)));
    return broken(at.span);
  }
  if (a.base == Base::text) {
    report(Code::R0312, at.span, "a text is a label and stands in no condition");
    return broken(at.span);
  }
  return negated_if(negated, emit(Op::in_set, flag_type(), at.span, {left, right}), at.span);
}

}  // namespace rip::check
