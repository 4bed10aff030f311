// Card phrases: `<money 5 down>` names a component by its attributes. In a deck it makes one, elsewhere it is a pattern.
#include "interp/check/checker.h"

#include <fmt/format.h>

namespace rip::check {

using rules::Base;
using rules::ExprId;
using rules::Shape;
using rules::Type;

const ast::Phrase* Checker::as_phrase(const ast::Expr& node) { return std::get_if<ast::Phrase>(&node.node); }

rules::PhraseId Checker::add_phrase(rules::Phrase phrase) {
  rules_.phrases.push_back(std::move(phrase));
  return static_cast<rules::PhraseId>(rules_.phrases.size() - 1);
}

// `House <7>` says which type; `Ann <8>` in a scenario says whose.
rules::TypeId Checker::phrase_type(const ast::Phrase& node, rules::TypeId expected, Span span, ExprId& owner) {
  if (!node.type) {
    if (expected == kNoId) report(Code::R0502, span, "which type of component is meant here?").hint = "write it before: `Card <5>`";
    return expected;
  }
  if (use_seats_ && seat_values_.contains(node.type.text)) {
    note_seat(node.type);
    owner = constant_of(seat_type(rules_.players_high), seat_values_.find(node.type.text)->second, node.type.span);
    if (expected != kNoId) return expected;
    rules::TypeId owned = kNoId;
    for (const rules::Deck& deck : rules_.decks) {
      const std::vector<Type>& index = rules_.zones[deck.zone].index;
      const bool seats = std::any_of(index.begin(), index.end(), [](const Type& t) { return t.base == Base::seat; });
      if (seats && owned != kNoId && owned != deck.type) {
        report(Code::R0502, span, "which type of component is meant here?");
        return kNoId;
      }
      if (seats) owned = deck.type;
    }
    if (owned == kNoId) report(Code::R0510, span, "no component has an owner");
    return owned;
  }
  const rules::TypeId named = find_component_type(node.type);
  if (named != kNoId && expected != kNoId && named != expected) {
    report(Code::R0504, node.type.span, fmt::format("a `{}`, but a `{}` is wanted here", rules_.component_types[named].name,
                                                    rules_.component_types[expected].name));
    return kNoId;
  }
  return named;
}

std::optional<rules::Phrase> Checker::phrase(const ast::Expr& at, const ast::Phrase& node, rules::TypeId expected, bool in_deck) {
  rules::Phrase out;
  out.span = at.span;
  out.type = phrase_type(node, expected, at.span, out.owner);
  if (out.type == kNoId) return std::nullopt;
  const rules::ComponentType& component = rules_.component_types[out.type];
  std::vector<bool> taken(component.attributes.size(), false);
  bool fine = true;
  for (const ast::PhrasePart& part : node.parts) {
    switch (part.kind) {
      case ast::PhrasePart::Kind::number: phrase_value(part, number_constant(part.number, part.span), out, taken, in_deck); break;
      case ast::PhrasePart::Kind::word: fine = phrase_word(part, out, taken, in_deck) && fine; break;
      case ast::PhrasePart::Kind::set: {
        Type element;
        for (std::size_t a = 0; a < taken.size() && is_unknown(element); ++a)
          if (!taken[a] && component.attributes[a].type.shape == Shape::set) element = scalar_of(component.attributes[a].type);
        std::vector<ExprId> kids;
        for (const ast::ExprRef& item : part.items) {
          const bool range = std::holds_alternative<ast::RangeExpr>(item->node);
          kids.push_back(expr(*item, {range ? Form::set : Form::scalar, element}));
          test_type(kids.back(), element, "this attribute");
          test_range(kids.back(), element, "this attribute");
        }
        phrase_value(part, emit(rules::Op::set_literal, set_of(element), part.span, std::move(kids)), out, taken, in_deck);
        break;
      }
    }
  }
  if (!fine) return std::nullopt;
  return out;
}

// An enum value, a flag by its name, a side, or a name of the clause around.
bool Checker::phrase_word(const ast::PhrasePart& part, rules::Phrase& into, std::vector<bool>& taken, bool in_deck) {
  const rules::ComponentType& component = rules_.component_types[into.type];
  if ((part.word == "up" || part.word == "down") && component.kind != ast::ComponentKind::die) {
    if (component.kind == ast::ComponentKind::token) {
      report(Code::R0507, part.span, fmt::format("a token such as `{}` has no hidden side", component.name));
      return false;
    }
    if (in_deck) {
      report(Code::R0512, part.span, "a deck lies face down, so its lines name no side");
      return false;
    }
    into.face = part.word == "down" ? 1 : 0;
    return true;
  }
  for (std::size_t a = 0; a < component.attributes.size(); ++a) {
    const rules::Attribute& attribute = component.attributes[a];
    if (attribute.type.base != Base::flag || attribute.name != part.word) continue;
    if (taken[a]) report(Code::R0501, part.span, fmt::format("`{}` stands here twice", part.word));
    taken[a] = true;
    if (const auto found = attribute_spans_.find({into.type, part.word}); found != attribute_spans_.end()) note_name(part.span, found->second, NameKind::attribute);
    into.attributes.emplace_back(static_cast<rules::AttrId>(a), constant_of(flag_type(), 1, part.span));
    return true;
  }
  const auto global = values_.find(part.word);
  const bool seat = use_seats_ && seat_values_.contains(part.word);
  if (find_local(part.word) == nullptr && global == values_.end() && !seat) {
    std::vector<std::string_view> names;
    for (const rules::Attribute& attribute : component.attributes) {
      if (attribute.type.base == Base::flag) names.push_back(attribute.name);
      if (attribute.type.base == Base::enumeration)
        for (const std::string& value : rules_.enums[attribute.type.id].values) names.push_back(value);
    }
    for (const LocalName& name : scope_) names.push_back(name.text);
    std::string message = fmt::format("a `{}` has no `{}`", component.name, part.word);
    if (const std::string_view near = nearest(part.word, names); !near.empty()) message += fmt::format("; did you mean `{}`?", near);
    report(Code::R0501, part.span, std::move(message)).related.push_back({component.span, "declared here"});
    return false;
  }
  const ExprId value = word(part.word, part.span, {Form::scalar, {}});
  phrase_value(part, value, into, taken, in_deck);
  return true;
}

// Takes the next attribute, in declared order, that this value fits; a number left over is the face of a die.
void Checker::phrase_value(const ast::PhrasePart& part, ExprId value, rules::Phrase& into, std::vector<bool>& taken, bool in_deck) {
  const Type t = type(value);
  if (is_unknown(t) && t.shape == Shape::scalar) return;
  const rules::ComponentType& component = rules_.component_types[into.type];
  bool set_wanted = t.shape == Shape::set;
  for (std::size_t a = 0; a < component.attributes.size(); ++a) {
    const Type& wanted = component.attributes[a].type;
    if (taken[a] || wanted.base == Base::text || (wanted.shape == Shape::set) != set_wanted || !agree(wanted, t)) continue;
    if (t.base == Base::enumeration && disjoint(t, wanted)) continue;
    taken[a] = true;
    if (!set_wanted && t.base != Base::seat && disjoint(t, wanted)) {
      report(Code::R0402, part.span, fmt::format("{}, but `{}` of a `{}` is in {}", describe_range(rules_, t), component.attributes[a].name,
                                                 component.name, describe_range(rules_, wanted)));
    }
    into.attributes.emplace_back(static_cast<rules::AttrId>(a), value);
    return;
  }
  if (component.kind == ast::ComponentKind::die && t.base == Base::integer && !into.face && rules_.exprs[value].op == rules::Op::constant) {
    const std::int64_t face = rules_.exprs[value].value;
    if (in_deck) report(Code::R0512, part.span, "a die in a deck shows its first face, so its lines name none");
    else if (face < component.low_face || face > component.high_face)
      report(Code::R0402, part.span, fmt::format("{}, but the faces of a `{}` are {}..{}", face, component.name, component.low_face, component.high_face));
    into.face = face;
    return;
  }
  report(Code::R0501, part.span, fmt::format("a `{}` has no attribute left that this can be", component.name))
      .related.push_back({component.span, "declared here"});
}

}  // namespace rip::check
