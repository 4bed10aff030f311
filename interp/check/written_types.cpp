// Types as they are written: ranges, enums and parts of them, sets, optionals; and what must be fixed before play.
#include "interp/check/checker.h"

#include <fmt/format.h>

#include <set>

namespace rip::check {

using rules::Base;
using rules::ExprId;
using rules::Op;
using rules::Type;

const TypeName* Checker::find_type(std::string_view name, Span span, bool report_unknown) {
  const auto found = types_.find(name);
  if (found != types_.end()) {
    found->second.read = true;
    note_name(span, found->second.span, NameKind::type);
    return &found->second;
  }
  if (!report_unknown) return nullptr;
  std::vector<std::string_view> names{"Face", "flag", "player", "text"};
  for (const auto& [type, entry] : types_) names.push_back(type);
  std::string message = fmt::format("unknown type `{}`", name);
  if (const std::string_view near = nearest(name, names); !near.empty()) message += fmt::format("; did you mean `{}`?", near);
  const bool is_small = !name.empty() && name.front() >= 'a' && name.front() <= 'z';
  report(Code::R0204, span, std::move(message)).hint = is_small ? "a number says its range, such as `0..9`; what is true or not is a `flag`" : "";
  return nullptr;
}

rules::TypeId Checker::find_component_type(const ast::Name& name) {
  const TypeName* entry = find_type(name.text, name.span, true);
  if (entry == nullptr) return kNoId;
  if (!entry->is_enum) return entry->id;
  report(Code::R0204, name.span, fmt::format("`{}` is an enum, not a card, token or die", name.text));
  return kNoId;
}

Type Checker::resolve_type_word(const std::string& word, Span span, TypeUse use) {
  if (word == "flag") return flag_type();
  if (word == "player") return seat_type(rules_.players_high);
  if (word == "Face") return side_type();
  if (word == "text") {
    if (use != TypeUse::attribute) report(Code::R0308, span, "a text is a label on a component, never a value");
    Type text;
    text.base = Base::text;
    return use == TypeUse::attribute ? text : Type{};
  }
  if (values_.contains(word)) {
    report(Code::R0308, span, fmt::format("`{}` is a value where a type is wanted", word));
    return Type{};
  }
  const TypeName* entry = find_type(word, span, true);
  if (entry == nullptr) return Type{};
  if (entry->is_enum) return enum_type(rules_, entry->id);
  if (use == TypeUse::attribute) report(Code::R0308, span, "an attribute is printed on the component; it cannot be another component");
  return component_type(entry->id);
}

Type Checker::resolve_type_range(const ast::RangeExpr& range, Span span) {
  const ExprId low = expr(*range.low, {Form::scalar, {}}), high = expr(*range.high, {Form::scalar, {}});
  test_constant(low);
  test_constant(high);
  const Type a = type(low), b = type(high);
  if (is_unknown(a) || is_unknown(b)) return Type{};
  if (!agree(a, b) || (a.base != Base::integer && a.base != Base::enumeration)) {
    report(Code::R0308, span, fmt::format("a range from {} to {}", describe(rules_, a), describe(rules_, b)));
    return Type{};
  }
  Type out = required(a);
  out.low = a.low;
  out.high = b.high;
  if (out.low > out.high) {
    report(Code::R0405, span, fmt::format("the range {} holds nothing", describe_range(rules_, out)));
    return Type{};
  }
  return out;
}

Type Checker::resolve_type(const ast::TypeExpr& node, TypeUse use) {
  Type out;
  if (const auto* word = std::get_if<ast::Word>(&node.range->node)) out = resolve_type_word(word->text, node.range->span, use);
  else if (const auto* range = std::get_if<ast::RangeExpr>(&node.range->node)) out = resolve_type_range(*range, node.range->span);
  else report(Code::R0308, node.span, "this is no type").hint = "a type is a range `a..b`, an enum, `flag`, `player`, `Face`, a component type, or `set of` these";
  if (is_unknown(out)) return out;
  if (node.set_of && (node.optional || out.base == Base::text)) report(Code::R0308, node.span, "a set of this cannot be");
  if (node.optional && use == TypeUse::index) report(Code::R0308, node.span, "an index always has a value");
  if (node.optional && use == TypeUse::attribute) report(Code::R0308, node.span, "an attribute always has a value");
  if (node.set_of && use == TypeUse::index) report(Code::R0308, node.span, "a set cannot be an index");
  if (node.set_of && use == TypeUse::attribute && out.high - out.low >= 64) {
    report(Code::R0506, node.span, fmt::format("a set of {} values, but on a component a set is of at most 64", out.high - out.low + 1));
    return Type{};
  }
  if (node.set_of) out = set_of(out);
  out.optional = node.optional && !node.set_of;
  return out;
}

// ---- before play ----------------------------------------------------------------------------------------------

namespace {

/// `seen` are those that do not: a `let` that is called many times is looked at once.
bool depends_on_play(const rules::Rules& rules, ExprId id, std::set<ExprId>& seen) {
  if (!seen.insert(id).second) return false;
  const rules::Expr& e = rules.exprs[id];
  switch (e.op) {
    case Op::me: case Op::var: case Op::var_family: case Op::zone: case Op::place_card: case Op::attribute: case Op::face:
    case Op::owner: case Op::top: case Op::bottom: case Op::top_n: case Op::bottom_n: case Op::nth: case Op::fits:
    case Op::zone_fits_list: case Op::some_fits: case Op::one_fitting: case Op::game_over: case Op::running: case Op::score:
    case Op::score_family: case Op::winners: case Op::random: return true;
    case Op::type_values:
      if (e.type.base == Base::component) return true;
      break;
    case Op::call:
      if (rules.lets[e.ref].value != kNoId && depends_on_play(rules, rules.lets[e.ref].value, seen)) return true;
      break;
    default: break;
  }
  const auto any = [&](const std::vector<ExprId>& kids) {
    return std::any_of(kids.begin(), kids.end(), [&](ExprId kid) { return depends_on_play(rules, kid, seen); });
  };
  if (any(e.kids)) return true;
  for (const rules::MatchArm& arm : e.arms)
    for (const auto& [low, high] : arm.patterns)
      if (depends_on_play(rules, low, seen) || depends_on_play(rules, high, seen)) return true;
  if (e.clause == kNoId) return false;
  const rules::Clause& clause = rules.clauses[e.clause];
  for (const rules::Binder& binder : clause.binders) {
    if (depends_on_play(rules, binder.source, seen)) return true;
    if (binder.pick_low != kNoId && depends_on_play(rules, binder.pick_low, seen)) return true;
    if (binder.pick_high != kNoId && depends_on_play(rules, binder.pick_high, seen)) return true;
  }
  return clause.where != kNoId && depends_on_play(rules, clause.where, seen);
}

}  // namespace

bool Checker::depends_on_play(ExprId id) const {
  std::set<ExprId> seen;
  return rip::check::depends_on_play(rules_, id, seen);
}

void Checker::test_constant(ExprId id) {
  if (!depends_on_play(id)) return;
  report(Code::R0407, rules_.exprs[id].span, "this changes in play, but must be fixed before").hint =
      "numbers, parameters and `count(players)` are";
}

}  // namespace rip::check
