#include "verify/deciding_values.h"

#include <fmt/format.h>

#include <algorithm>

namespace rip::verify {

using rules::Op;

namespace {

/// What an expression is put together from by counting, comparing and joining; nothing else is looked into.
bool is_joint(Op op) {
  switch (op) {
    case Op::add: case Op::sub: case Op::mul: case Op::div: case Op::mod: case Op::neg: case Op::abs: case Op::min2: case Op::max2:
    case Op::eq: case Op::ne: case Op::lt: case Op::le: case Op::gt: case Op::ge: case Op::set_eq: case Op::set_ne: case Op::subset:
    case Op::list_eq: case Op::list_ne: case Op::fits: case Op::zone_fits_list: case Op::some_fits: case Op::in_set: case Op::is_none:
    case Op::is_empty: case Op::logical_and: case Op::logical_or: case Op::logical_not: case Op::if_else: case Op::set_union:
    case Op::set_difference: return true;
    default: return false;
  }
}

bool says_itself(Op op) {
  return op == Op::constant || op == Op::set_literal || op == Op::list_literal || op == Op::range_set || op == Op::players || op == Op::type_values ||
         op == Op::random;
}

}  // namespace

void DecidingValues::note(rules::ExprId id) {
  const rules::Expr expr = (*playable_.rules)[id];  // lowering may add to the expressions: a copy
  if (is_joint(expr.op)) {
    for (const rules::ExprId kid : expr.kids) note(kid);
    return;
  }
  if (says_itself(expr.op)) return;
  const std::string text = source(expr.span);
  if (text.empty() || std::any_of(parts_.begin(), parts_.end(), [&](const Part& part) { return part.text == text; })) return;
  parts_.push_back({text, compile_reading(playable_, id), expr.op == Op::call ? defined_at(expr.ref) : ""});
  // what it runs over; its names mean nothing outside of it
  if (expr.clause != rules::kNoId) {
    const std::vector<rules::Binder>& binders = playable_.rules->clauses[expr.clause].binders;
    if (!binders.empty()) note(binders[0].source);
    return;
  }
  // what a definition is given, an index, whose attribute
  for (const rules::ExprId kid : expr.kids) note(kid);
}

std::vector<std::string> DecidingValues::read(Machine& machine, State& state) const {
  std::vector<std::string> out;
  for (const auto& [text, reading, where] : parts_) {
    std::string value = value_of(reading, playable_, machine, state);
    constexpr std::size_t kLong = 160;  // a pile of a hundred cards would bury the rest
    if (value.size() > kLong) value = value.substr(0, value.rfind(", ", kLong)) + ", ..." + value.back();
    out.push_back(fmt::format("{} is {}{}", text, value, where));
  }
  return out;
}

std::string DecidingValues::defined_at(rules::LetId id) const {
  const Span span = playable_.rules->lets[id].span;
  return span.end == 0 ? "" : fmt::format(" (line {})", sources_.place(span.file, span.begin).line);
}

/// In one line.
std::string DecidingValues::source(Span span) const {
  std::string_view written = sources_.text(span);
  // what stands in parentheses of its own begins behind the first of them
  for (auto open = std::count(written.begin(), written.end(), '('); open < std::count(written.begin(), written.end(), ')') && span.begin > 0;
       open = std::count(written.begin(), written.end(), '(')) {
    --span.begin;
    written = sources_.text(span);
  }
  std::string out;
  for (const char c : written) {
    if (c == '\n' || c == '\t' || c == ' ') {
      if (!out.empty() && out.back() != ' ') out += ' ';
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace rip::verify
