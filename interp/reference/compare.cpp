// Arithmetic and comparisons, of numbers, sets, lists and components against phrases.
#include "interp/reference/evaluator.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace rip::reference {

using rules::Expr;
using rules::ExprId;
using rules::kNone;
using rules::Op;
using rules::Shape;

namespace {

Value flag(bool v) { return {Shape::scalar, {v ? 1 : 0}}; }

}  // namespace

Value Evaluator::arithmetic_value(const Expr& e) {
  const std::int64_t a = needed(e.kids[0]);
  const std::int64_t b = e.kids.size() > 1 ? needed(e.kids[1]) : 0;
  std::int64_t out = 0;
  bool overflow = false;
  switch (e.op) {
    case Op::add: overflow = __builtin_add_overflow(a, b, &out); break;
    case Op::sub: overflow = __builtin_sub_overflow(a, b, &out); break;
    case Op::mul: overflow = __builtin_mul_overflow(a, b, &out); break;
    case Op::neg: out = -a; break;
    case Op::abs: out = std::abs(a); break;
    case Op::min2: out = std::min(a, b); break;
    case Op::max2: out = std::max(a, b); break;
    default: {
      if (b == 0) fault(FaultKind::out_of_range, e.span, "division by zero");
      std::int64_t rest = a % b;
      if (rest != 0 && (rest < 0) != (b < 0)) rest += b;
      out = e.op == Op::mod ? rest : (a - rest) / b;
    }
  }
  if (overflow) fault(FaultKind::out_of_range, e.span, "the number is too large");
  return {Shape::scalar, {out}};
}

Value Evaluator::compared_value(const Expr& e) {
  switch (e.op) {
    case Op::eq: return flag(scalar(e.kids[0]) == scalar(e.kids[1]));
    case Op::ne: return flag(scalar(e.kids[0]) != scalar(e.kids[1]));
    case Op::lt: return flag(needed(e.kids[0]) < needed(e.kids[1]));
    case Op::le: return flag(needed(e.kids[0]) <= needed(e.kids[1]));
    case Op::gt: return flag(needed(e.kids[0]) > needed(e.kids[1]));
    case Op::ge: return flag(needed(e.kids[0]) >= needed(e.kids[1]));
    case Op::set_eq: return flag(set_of(e.kids[0]) == set_of(e.kids[1]));
    case Op::set_ne: return flag(set_of(e.kids[0]) != set_of(e.kids[1]));
    case Op::subset: {
      const std::set<std::int64_t> part = set_of(e.kids[0]), whole = set_of(e.kids[1]);
      return flag(std::includes(whole.begin(), whole.end(), part.begin(), part.end()));
    }
    case Op::list_eq: return flag(members(e.kids[0]) == members(e.kids[1]));
    case Op::list_ne: return flag(members(e.kids[0]) != members(e.kids[1]));
    case Op::fits: {
      const std::int64_t component = scalar(e.kids[0]);
      return flag(component != kNone && fits(static_cast<int>(component), rules_.phrases[e.phrase]));
    }
    case Op::zone_fits_list: {
      const std::vector<std::int64_t> cards = members(e.kids[0]);
      bool all = cards.size() == e.patterns.size();
      for (std::size_t i = 0; all && i < cards.size(); ++i) all = fits(static_cast<int>(cards[i]), rules_.phrases[e.patterns[i]]);
      return flag(all);
    }
    case Op::some_fits: {
      bool found = false;
      for (const std::int64_t c : members(e.kids[0])) found = found || fits(static_cast<int>(c), rules_.phrases[e.phrase]);
      return flag(found);
    }
    case Op::one_fitting: {
      std::vector<std::int64_t> from;
      if (e.kids.empty())
        for (std::size_t c = 0; c < box_.components.size(); ++c) from.push_back(static_cast<std::int64_t>(c));
      else
        from = members(e.kids[0]);
      std::vector<std::int64_t> found;
      for (const std::int64_t c : from)
        if (fits(static_cast<int>(c), rules_.phrases[e.phrase])) found.push_back(c);
      if (found.size() != 1)
        fault(FaultKind::not_fitting, e.span, found.empty() ? "no component fits" : "more than one component fits");
      return {Shape::scalar, {found[0]}};
    }
    case Op::in_set: {
      const std::int64_t v = needed(e.kids[0]);
      return flag(set_of(e.kids[1]).contains(v));
    }
    case Op::is_none: return flag(scalar(e.kids[0]) == kNone);
    case Op::is_empty: return flag(members(e.kids[0]).empty());
    default: throw std::logic_error("not a comparison");
  }
}

bool Evaluator::fits(int id, const rules::Phrase& phrase) {
  const Component& component = box_.components[static_cast<std::size_t>(id)];
  if (phrase.type != rules::kNoId && component.type != phrase.type) return false;
  if (phrase.face && world_.face[static_cast<std::size_t>(id)] != *phrase.face) return false;
  if (phrase.owner != rules::kNoId && component.owner != needed(phrase.owner)) return false;
  for (const auto& [attribute, expr] : phrase.attributes) {
    const rules::Type& type = rules_.component_types[component.type].attributes[attribute].type;
    const std::int64_t own = component.attributes[attribute];
    if (type.shape != Shape::set) {
      if (own != scalar(expr)) return false;
      continue;
    }
    std::int64_t mask = 0;
    for (const std::int64_t v : set_of(expr)) {
      if (v < type.low || v > type.high) return false;
      mask |= static_cast<std::int64_t>(std::uint64_t{1} << (v - type.low));
    }
    if (own != mask) return false;
  }
  return true;
}

}  // namespace rip::reference
