// Expressions: every node of the syntax tree becomes an operation with a type and an interval.
#include "interp/check/checker.h"

#include <fmt/format.h>

namespace rip::check {

using rules::Base;
using rules::ExprId;
using rules::Op;
using rules::Shape;
using rules::Type;

ExprId Checker::expr(const ast::Expr& at, Want want) {
  const ExprId id = std::visit([&](const auto& n) { return node(at, n, want); }, at.node);
  return shaped(id, want);
}

ExprId Checker::shaped(ExprId id, Want want) {
  const Type& t = type(id);
  switch (want.form) {
    case Form::any: return id;
    case Form::set: return as_set(id);
    case Form::scalar:
      if (t.shape == Shape::scalar) return id;
      report(Code::R0303, rules_.exprs[id].span, fmt::format("{} where one value is wanted", describe(rules_, t)));
      return broken(rules_.exprs[id].span);
    case Form::list:
      if (t.shape != Shape::scalar || is_unknown(t)) return id;
      report(Code::R0303, rules_.exprs[id].span, fmt::format("{} where a list is wanted", describe(rules_, t)));
      return broken(rules_.exprs[id].span);
  }
  return id;
}

ExprId Checker::as_zone(ExprId id) {
  if (rules_.exprs[id].op != Op::place_card) return id;
  rules::Expr copy = rules_.exprs[id];
  copy.op = Op::zone;
  copy.type = set_of(copy.type);
  rules_.exprs.push_back(std::move(copy));
  return static_cast<ExprId>(rules_.exprs.size() - 1);
}

// A single value or an optional counts as a set wherever one is wanted.
ExprId Checker::as_set(ExprId id) {
  id = as_zone(id);
  if (type(id).shape != Shape::scalar) return id;
  const Type of = set_of(type(id));
  return emit(Op::set_literal, of, rules_.exprs[id].span, {id});
}

ExprId Checker::as_set_or_scalar(ExprId id) { return as_zone(id); }

// ---- what a place wants ---------------------------------------------------------------------------------------

void Checker::test_type(ExprId id, const Type& wanted, const std::string& what) {
  const Type& t = type(id);
  if (agree(t, wanted)) return;
  report(Code::R0301, rules_.exprs[id].span,
         fmt::format("{}, but {} is {}", describe(rules_, t), what, describe(rules_, wanted)));
}

void Checker::test_range(ExprId id, const Type& wanted, const std::string& what) {
  const rules::Expr& e = rules_.exprs[id];
  if (!agree(e.type, wanted)) return;
  if (e.op == Op::constant && e.value == rules::kNone && !wanted.optional && wanted.shape == Shape::scalar) {
    report(Code::R0408, e.span, fmt::format("`none`, but {} always has a value", what));
    return;
  }
  if (wanted.base == Base::seat || e.type.shape != Shape::scalar || !disjoint(e.type, wanted)) return;
  report(Code::R0402, e.span,
         fmt::format("{}, but {} is in {}", describe_range(rules_, e.type), what, describe_range(rules_, wanted)));
}

ExprId Checker::value_of(const ast::Expr& at, const Type& wanted, const std::string& what, bool with_chance) {
  const Form form = is_unknown(wanted) ? Form::any
                    : wanted.shape == Shape::set ? Form::set
                    : wanted.shape == Shape::list ? Form::list
                                                  : Form::scalar;
  const ExprId id = with_chance ? chance_value(at, {form, wanted}) : expr(at, {form, wanted});
  const Type t = type(id);
  test_type(id, wanted, what);
  test_range(id, wanted, what);
  if (!agree(t, wanted)) return broken(at.span);
  return id;
}

ExprId Checker::chance_value(const ast::Expr& at, Want want) {
  const Restore<const ast::Expr*> root(chance_root_, &at);
  return expr(at, want);
}

ExprId Checker::condition(const ast::Expr& at) {
  const ExprId id = expr(at, {Form::scalar, flag_type()});
  const Type& t = type(id);
  if (is_unknown(t) || t.base == Base::flag) return id;
  Diagnostic& diagnostic = report(Code::R0307, at.span, fmt::format("{} where a condition is wanted", describe(rules_, t)));
  if (t.optional) diagnostic.hint = "`is none` and `is not none` ask whether it is there";
  return broken(at.span);
}

ExprId Checker::number(const ast::Expr& at) {
  const ExprId id = expr(at, {Form::scalar, integer_type(0, 0)});
  const Type& t = type(id);
  if (is_unknown(t) || t.base == Base::integer) {
    if (rules_.exprs[id].op == Op::constant && rules_.exprs[id].value == rules::kNone)
      report(Code::R0408, at.span, "`none` where a number is wanted");
    return id;
  }
  Diagnostic& diagnostic = report(Code::R0301, at.span, fmt::format("{} where a number is wanted", describe(rules_, t)));
  if (t.base == Base::seat || t.base == Base::enumeration) diagnostic.hint = "`number(x)` is its place in the order, from 0";
  return broken(at.span);
}

ExprId Checker::seat(const ast::Expr& at) {
  const Type wanted = seat_type(rules_.players_high);
  const ExprId id = expr(at, {Form::scalar, wanted});
  if (agree(type(id), wanted)) {
    test_range(id, wanted, "a seat");
    return id;
  }
  report(Code::R0301, at.span, fmt::format("{} where a seat is wanted", describe(rules_, type(id))));
  return broken(at.span);
}

ExprId Checker::seats(const ast::Expr& at) {
  const ExprId id = expr(at, {Form::set, seat_type(rules_.players_high)});
  if (agree(type(id), seat_type(rules_.players_high))) return id;
  report(Code::R0301, at.span, fmt::format("{} where seats are wanted", describe(rules_, type(id))));
  return broken(at.span);
}

ExprId Checker::side(const ast::Expr& at) {
  const ExprId id = expr(at, {Form::scalar, side_type()});
  if (agree(type(id), side_type())) return id;
  report(Code::R0301, at.span, fmt::format("{} where a side is wanted", describe(rules_, type(id)))).hint = "a side is `up` or `down`";
  return broken(at.span);
}

// ---- nodes ----------------------------------------------------------------------------------------------------

ExprId Checker::node(const ast::Expr& at, const ast::IntLit& n, Want want) {
  if (want.type.base == Base::seat) {
    if (n.value < 0 || n.value >= rules_.players_high) {
      report(Code::R0404, at.span, fmt::format("{}, but seats are numbered 0..{}", n.value, rules_.players_high - 1));
      return broken(at.span);
    }
    return constant_of(seat_type(rules_.players_high), n.value, at.span);
  }
  return number_constant(n.value, at.span);
}

ExprId Checker::node(const ast::Expr& at, const ast::Word& n, Want want) { return word(n.text, at.span, want); }

ExprId Checker::node(const ast::Expr& at, const ast::Unary& n, Want) {
  if (n.op == ast::UnaryOp::logical_not) {
    const ExprId kid = condition(*n.operand);
    return emit(Op::logical_not, flag_type(), at.span, {kid});
  }
  if (const auto* literal = std::get_if<ast::IntLit>(&n.operand->node)) return number_constant(-literal->value, at.span);
  const ExprId kid = number(*n.operand);
  if (unknown(kid)) return broken(at.span);
  return bounded(Op::neg, minus({0, 0}, interval(type(kid))), at.span, {kid});
}

ExprId Checker::node(const ast::Expr& at, const ast::Binary& n, Want want) {
  switch (n.op) {
    case ast::BinaryOp::logical_or:
    case ast::BinaryOp::logical_and: {
      const ExprId left = condition(*n.left), right = condition(*n.right);
      return emit(n.op == ast::BinaryOp::logical_or ? Op::logical_or : Op::logical_and, flag_type(), at.span, {left, right});
    }
    case ast::BinaryOp::eq:
    case ast::BinaryOp::ne:
    case ast::BinaryOp::lt:
    case ast::BinaryOp::le:
    case ast::BinaryOp::gt:
    case ast::BinaryOp::ge: return comparison(at, n);
    case ast::BinaryOp::in:
    case ast::BinaryOp::not_in: return membership(at, n);
    case ast::BinaryOp::add:
    case ast::BinaryOp::sub: return sum_or_union(at, n, want);
    case ast::BinaryOp::mul:
    case ast::BinaryOp::div:
    case ast::BinaryOp::mod: {
      const ExprId left = number(*n.left), right = number(*n.right);
      return arithmetic(n.op == ast::BinaryOp::mul ? Op::mul : n.op == ast::BinaryOp::div ? Op::div : Op::mod, left, right, at.span);
    }
  }
  return broken(at.span);
}

ExprId Checker::node(const ast::Expr& at, const ast::Is& n, Want) {
  ExprId id = kNoId;
  switch (n.what) {
    case ast::IsWhat::none: {
      const ExprId kid = expr(*n.operand, {Form::scalar, {}});
      id = emit(Op::is_none, flag_type(), at.span, {kid});
      break;
    }
    case ast::IsWhat::empty: {
      const ExprId kid = expr(*n.operand, {Form::any, {}});
      if (is_scalar(type(kid)) && !unknown(kid) && !type(kid).optional && rules_.exprs[kid].op != Op::place_card)
        report(Code::R0303, n.operand->span, fmt::format("{} is never empty", describe(rules_, type(kid)))).hint =
            "`is empty` asks a zone or a set";
      id = emit(Op::is_empty, flag_type(), at.span, {as_set(kid)});
      break;
    }
    case ast::IsWhat::over: {
      const auto* name = std::get_if<ast::Word>(&n.operand->node);
      if (name == nullptr || name->text != "game") {
        report(Code::R0209, n.operand->span, "only the game can be over").hint = "write `game is over`, or `PHASE is not running`";
        return broken(at.span);
      }
      id = emit(Op::game_over, flag_type(), at.span);
      break;
    }
    case ast::IsWhat::running: {
      const auto* name = std::get_if<ast::Word>(&n.operand->node);
      const auto entry = name == nullptr ? procedures_.end() : procedures_.find(name->text);
      if (entry == procedures_.end() || entry->second.phase == kNoId) {
        std::vector<std::string_view> phases;
        for (const rules::Phase& phase : rules_.phases) phases.push_back(phase.name);
        std::string message = name == nullptr ? "only a phase can be running" : fmt::format("unknown phase `{}`", name->text);
        const std::string_view near = name == nullptr ? std::string_view() : nearest(name->text, phases);
        if (!near.empty()) message += fmt::format("; did you mean `{}`?", near);
        report(Code::R0205, n.operand->span, std::move(message));
        return broken(at.span);
      }
      note_procedure(n.operand->span, entry->second);
      id = emit(Op::running, flag_type(), at.span);
      rules_.exprs[id].ref = entry->second.phase;
      break;
    }
  }
  return negated_if(n.negated, id, at.span);
}

ExprId Checker::negated_if(bool negated, ExprId id, Span span) {
  return negated ? emit(Op::logical_not, flag_type(), span, {id}) : id;
}

ExprId Checker::node(const ast::Expr& at, const ast::RangeExpr& n, Want want) {
  const Type hint = scalar_of(want.type);
  const ExprId low = expr(*n.low, {Form::scalar, hint}), high = expr(*n.high, {Form::scalar, hint});
  if (unknown(low) || unknown(high)) return broken(at.span);
  const Type &a = type(low), &b = type(high);
  if (!agree(a, b) || (a.base != Base::integer && a.base != Base::enumeration)) {
    report(Code::R0301, at.span, fmt::format("a range from {} to {}", describe(rules_, a), describe(rules_, b))).hint =
        "a range goes from number to number, or from value to value of one enum";
    return broken(at.span);
  }
  Type range = required(a);
  range.low = a.low;
  range.high = std::max(a.low, b.high);
  return emit(a.base == Base::integer ? Op::range_set : Op::part_of_enum, set_of(range), at.span, {low, high});
}

ExprId Checker::node(const ast::Expr& at, const ast::IfExpr& n, Want want) {
  const bool chance = chance_root_ == &at;
  const ExprId test = condition(*n.condition);
  const auto branch = [&](const ast::Expr& part, Want wanted) {
    const Restore<const ast::Expr*> root(chance_root_, chance ? &part : nullptr);
    return expr(part, wanted);
  };
  ExprId yes = branch(*n.then_value, want);
  Want hint = want;
  if (is_unknown(hint.type)) hint.type = scalar_of(type(yes));
  ExprId no = branch(*n.else_value, hint);
  Type joined = type(yes);
  if (!join_into(joined, type(no))) {
    report(Code::R0306, at.span, fmt::format("{} or {}, but both branches must be of one kind", describe(rules_, type(yes)), describe(rules_, type(no))));
    return broken(at.span);
  }
  if (joined.shape == Shape::set) {
    yes = as_set(yes);
    no = as_set(no);
  }
  return emit(Op::if_else, joined, at.span, {test, yes, no});
}

ExprId Checker::node(const ast::Expr& at, const ast::MatchExpr& n, Want want) {
  const ExprId subject = expr(*n.subject, {Form::scalar, {}});
  rules::Expr match;
  match.op = Op::match;
  match.span = at.span;
  match.kids.push_back(subject);
  std::vector<std::vector<ast::ExprRef>> patterns;
  for (const ast::MatchArm& arm : n.arms) patterns.push_back(arm.patterns);
  const Type subject_type = type(subject);
  arms(match, patterns, subject_type, at.span);
  Type joined;
  for (const ast::MatchArm& arm : n.arms) {
    const ExprId value = expr(*arm.value, {want.form, is_unknown(want.type) ? scalar_of(joined) : want.type});
    if (!join_into(joined, type(value)))
      report(Code::R0306, arm.value->span, fmt::format("{}, but the arms before are {}", describe(rules_, type(value)), describe(rules_, joined)));
    match.kids.push_back(value);
  }
  if (joined.shape == Shape::set)
    for (std::size_t i = 1; i < match.kids.size(); ++i) match.kids[i] = as_set(match.kids[i]);
  match.type = joined;
  rules_.exprs.push_back(std::move(match));
  return static_cast<ExprId>(rules_.exprs.size() - 1);
}

ExprId Checker::node(const ast::Expr& at, const ast::Index& n, Want want) {
  // `a[i][j]` is `a[i, j]`.
  std::vector<ast::ExprRef> args = n.args;
  const ast::Expr* base = n.base.get();
  while (const auto* inner = std::get_if<ast::Index>(&base->node)) {
    args.insert(args.begin(), inner->args.begin(), inner->args.end());
    base = inner->base.get();
  }
  if (const auto* name = std::get_if<ast::Word>(&base->node)) return named_value(name->text, args, true, at.span, base->span, want);
  const ExprId list = expr(*base, {Form::list, {}});
  const ExprId index = number(*args[0]);
  if (unknown(list)) return broken(at.span);
  if (type(list).shape != Shape::list || args.size() != 1) {
    report(Code::R0303, at.span, fmt::format("{} has no items", describe(rules_, type(list)))).hint = "a list has; of a zone it is `nth(Z, n)`";
    return broken(at.span);
  }
  const Type item = scalar_of(type(list));
  return emit(Op::item, item, at.span, {list, index});
}

ExprId Checker::node(const ast::Expr& at, const ast::Attribute& n, Want) {
  const ExprId base = expr(*n.base, {Form::any, {}});
  if (unknown(base)) return broken(at.span);
  if (type(base).base != Base::component) {
    report(Code::R0304, n.base->span, fmt::format("{} has no attribute `{}`", describe(rules_, type(base)), n.name.text));
    return broken(at.span);
  }
  if (type(base).shape != Shape::scalar) {
    report(Code::R0304, n.base->span, fmt::format("{}, but an attribute belongs to one component", describe(rules_, type(base)))).hint =
        fmt::format("`{{c.{} for c in ...}}` collects them", n.name.text);
    return broken(at.span);
  }
  return fallible_attribute(base, n.name, at.span);
}

// Of a component or an optional; `none` is a fault in play.
ExprId Checker::fallible_attribute(ExprId base, const ast::Name& name, Span span) {
  const rules::TypeId id = type(base).id;
  if (id == kNoId) return broken(span);
  const rules::ComponentType& component = rules_.component_types[id];
  if (name.text == "face") {
    if (component.kind == ast::ComponentKind::token) {
      report(Code::R0507, name.span, fmt::format("a token such as `{}` has no hidden side", component.name));
      return broken(span);
    }
    const Type face = component.kind == ast::ComponentKind::die ? integer_type(component.low_face, component.high_face) : side_type();
    return emit(Op::face, face, span, {base});
  }
  if (name.text == "owner") {
    bool owned = false, free = false;
    for (const rules::Deck& deck : rules_.decks) {
      if (deck.type != id) continue;
      const std::vector<Type>& index = rules_.zones[deck.zone].index;
      const bool has = std::any_of(index.begin(), index.end(), [](const Type& t) { return t.base == Base::seat; });
      (has ? owned : free) = true;
    }
    if (!owned) {
      report(Code::R0510, name.span, fmt::format("no `{}` has an owner", component.name)).hint = "components of a deck `[player]` have one";
      return broken(span);
    }
    Type seat = seat_type(rules_.players_high);
    seat.optional = free;
    const ExprId out = emit(Op::owner, seat, span, {base});
    return out;
  }
  for (std::size_t a = 0; a < component.attributes.size(); ++a) {
    if (component.attributes[a].name != name.text) continue;
    const ExprId out = emit(Op::attribute, component.attributes[a].type, span, {base});
    rules_.exprs[out].value = static_cast<std::int64_t>(a);
    rules_.exprs[out].ref = id;
    if (const auto found = attribute_spans_.find({id, name.text}); found != attribute_spans_.end()) note_name(name.span, found->second, NameKind::attribute);
    return out;
  }
  std::vector<std::string_view> names{"face", "owner"};
  for (const rules::Attribute& attribute : component.attributes) names.push_back(attribute.name);
  std::string message = fmt::format("a `{}` has no attribute `{}`", component.name, name.text);
  if (const std::string_view near = nearest(name.text, names); !near.empty()) message += fmt::format("; did you mean `{}`?", near);
  report(Code::R0207, name.span, std::move(message)).related.push_back({component.span, "declared here"});
  return broken(span);
}

bool Checker::is_hand(ExprId of) const {
  const rules::Expr& source = rules_.exprs[of];
  return source.op == Op::zone && source.ref < rules_.zones.size() && rules_.zones[source.ref].kind == ast::ZoneKind::hand;
}

ExprId Checker::no_order(ExprId hand, Span span) {
  const std::string& name = rules_.zones[rules_.exprs[hand].ref].name;
  report(Code::R0618, span, fmt::format("`{}` is a hand and has no order", name)).hint =
      fmt::format("`first(c in {0} by ...)` names one by its attributes; a `row` keeps the order of arrival, a `pile` has a top", name);
  return broken(span);
}

ExprId Checker::node(const ast::Expr& at, const ast::TopOf& n, Want) {
  const ExprId count = n.count == nullptr ? kNoId : number(*n.count);
  const ExprId of = as_set(expr(*n.of, {Form::any, {}}));
  if (is_hand(of)) return no_order(of, at.span);
  Type element = scalar_of(type(of));
  if (count == kNoId) {
    element.optional = true;
    return emit(n.bottom ? Op::bottom : Op::top, element, at.span, {of});
  }
  const rules::Expr& source = rules_.exprs[of];
  const bool one_zone = source.op == Op::zone && source.ref < rules_.zones.size() && source.kids.size() == rules_.zones[source.ref].index.size();
  const Type result = one_zone || source.type.shape == Shape::list ? list_of(element) : set_of(element);
  return emit(n.bottom ? Op::bottom_n : Op::top_n, result, at.span, {count, of});
}

ExprId Checker::node(const ast::Expr&, const ast::AllOf& n, Want) { return as_set(expr(*n.of, {Form::set, {}})); }

ExprId Checker::node(const ast::Expr& at, const ast::Phrase& n, Want want) {
  const rules::TypeId expected = want.type.base == Base::component ? want.type.id : kNoId;
  std::optional<rules::Phrase> found = phrase(at, n, expected, false);
  if (!found) return broken(at.span);
  const Type result = component_type(found->type);
  const rules::PhraseId pattern = add_phrase(std::move(*found));
  const ExprId id = emit(Op::one_fitting, result, at.span);
  rules_.exprs[id].phrase = pattern;
  return id;
}

ExprId Checker::node(const ast::Expr& at, const ast::OriginalExpr&, Want) {
  report(Code::R0210, at.span, "`original` stands only inside of a `replace`");
  return broken(at.span);
}

}  // namespace rip::check
