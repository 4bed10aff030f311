// The box: parameters, component types, decks with their lines.
#include "interp/check/checker.h"

#include <fmt/format.h>

namespace rip::check {

using rules::Base;
using rules::ExprId;
using rules::Op;
using rules::Shape;
using rules::Type;

namespace {

constexpr std::int64_t kMostPlayers = 64;

}  // namespace

void Checker::emit_players(const ast::PlayersDecl& n) {
  const ExprId low = number(*n.low);
  const ExprId high = n.high == nullptr ? low : number(*n.high);
  if (unknown(low) || unknown(high)) return;
  const Span span = n.high == nullptr ? n.low->span : join(n.low->span, n.high->span);
  if (rules_.exprs[low].op != Op::constant || rules_.exprs[high].op != Op::constant) {
    report(Code::R0407, span, "the number of players is written as a number");
    return;
  }
  const std::int64_t a = rules_.exprs[low].value, b = rules_.exprs[high].value;
  if (a < 1 || b > kMostPlayers || a > b) {
    report(Code::R0405, span, fmt::format("{}..{} players, but a game is for 1..{}", a, b, kMostPlayers));
    return;
  }
  rules_.players_low = a;
  rules_.players_high = b;
  rules_.players_usual = n.usually.value_or(a);
  if (rules_.players_usual < a || rules_.players_usual > b)
    report(Code::R0405, span, fmt::format("usually {}, but the game is for {}..{}", rules_.players_usual, a, b));
}

// ---- parameters -----------------------------------------------------------------------------------------------

void Checker::emit_param(rules::ParamId id, const ast::ParamDecl& n, const ast::Decl& node) {
  const std::size_t mark = open_scope();
  std::vector<rules::LocalId> unused;
  std::vector<Type> index = resolve_index(n.index, unused, false);
  const Type wanted = resolve_type(*n.type, TypeUse::parameter);
  if (wanted.shape == Shape::set) report(Code::R0308, n.type->span, "a parameter is one value");
  if (wanted.base == Base::component) report(Code::R0308, n.type->span, "a parameter cannot be a component");
  for (std::size_t i = 0; i < index.size(); ++i)
    if (index[i].base == Base::component) report(Code::R0308, n.index[i].second->span, "a table of parameters cannot be indexed by components");
  rules_.params[id].index = index;
  rules_.params[id].type = wanted;
  rules_.params[id].cover = cover_tagged(node.span, {&node.tags});
  close_scope(mark);
  const std::string what = fmt::format("`{}`", n.name.text);
  ast::ExprRef written = n.value;
  for (const auto& [name, value] : options_flags_.sets)
    if (name.text == n.name.text) written = value;
  if (index.empty()) {
    rules_.params[id].value = value_of(*written, wanted, what);
  } else {
    const ExprId value = expr(*written, {Form::any, wanted});
    rules_.params[id].value = value;
    test_table(*written, value, rules_.params[id], 0);
  }
  test_constant(rules_.params[id].value);
}

// A list for each index, and values of the type in the innermost; or one value for all.
void Checker::test_table(const ast::Expr& node, ExprId value, const rules::Param& param, std::size_t depth) {
  const std::string what = fmt::format("`{}`", param.name);
  const bool list = rules_.exprs[value].op == Op::list_literal;
  if (depth == param.index.size() || (depth == 0 && is_scalar(type(value)))) {
    if (!is_scalar(type(value)) && !unknown(value)) report(Code::R0303, node.span, fmt::format("a list where {} has one value", what));
    test_type(value, param.type, what);
    test_range(value, param.type, what);
    return;
  }
  if (!list) {
    if (!unknown(value)) report(Code::R0303, node.span, fmt::format("one value where {} has a list", what));
    return;
  }
  const Interval size = size_cap(param.index[depth]);
  const std::vector<ExprId> kids = rules_.exprs[value].kids;
  if (std::ssize(kids) != size.high && !is_unknown(param.index[depth]))
    report(Code::R0302, node.span, fmt::format("{} values, but the index of {} has {}", kids.size(), what, size.high));
  const auto& items = std::get<ast::Builder>(node.node).items;
  for (std::size_t i = 0; i < kids.size() && i < items.size(); ++i) test_table(*items[i], kids[i], param, depth + 1);
}

// A variant may fix only what is a parameter.
void Checker::test_sets() {
  for (const auto& [name, value] : options_flags_.sets) {
    const auto found = values_.find(name.text);
    if (found != values_.end() && found->second.kind == ValueName::Kind::param) continue;
    unknown_param(name);
  }
}

void Checker::unknown_param(const ast::Name& name) {
  std::vector<std::string_view> names;
  for (const rules::Param& param : rules_.params) names.push_back(param.name);
  std::string message = fmt::format("unknown parameter `{}`", name.text);
  if (const std::string_view near = nearest(name.text, names); !near.empty()) message += fmt::format("; did you mean `{}`?", near);
  report(Code::R0806, name.span, std::move(message));
}

// ---- component types ------------------------------------------------------------------------------------------

void Checker::emit_component_type(rules::TypeId id, const ast::ComponentDecl& n) {
  rules::ComponentType out;
  out.name = n.name.text;
  out.kind = n.kind;
  out.span = n.name.span;
  if (n.kind == ast::ComponentKind::die && n.faces != nullptr) {
    Type faces;
    if (const auto* range = std::get_if<ast::RangeExpr>(&n.faces->node)) faces = resolve_type_range(*range, n.faces->span);
    if (faces.base == Base::integer) {
      out.low_face = faces.low;
      out.high_face = faces.high;
    } else if (!is_unknown(faces) || !std::holds_alternative<ast::RangeExpr>(n.faces->node)) {
      report(Code::R0308, n.faces->span, "the faces of a die are a range of numbers");
    }
  }
  for (const ast::AttributeDecl& attribute : n.attributes) {
    if (attribute.name.text == "face" || attribute.name.text == "owner")
      report(Code::R0208, attribute.name.span, fmt::format("`{}` means something already", attribute.name.text));
    for (const rules::Attribute& before : out.attributes)
      if (before.name == attribute.name.text) report(Code::R0201, attribute.name.span, fmt::format("the attribute `{}` is declared twice", before.name));
    if (options_flags_.names != nullptr) attribute_spans_[{id, attribute.name.text}] = attribute.name.span;
    note_name(attribute.name.span, attribute.name.span, NameKind::attribute);
    rules::Attribute entry;
    entry.name = attribute.name.text;
    entry.back = attribute.back;
    entry.type = resolve_type(*attribute.type, TypeUse::attribute);
    if (attribute.value != nullptr) {
      if (entry.type.base == Base::text) report(Code::R0308, attribute.value->span, "a text has no default");
      else {
        entry.start = value_of(*attribute.value, entry.type, fmt::format("`{}`", attribute.name.text));
        test_constant(*entry.start);
      }
    }
    out.attributes.push_back(std::move(entry));
  }
  rules_.component_types[id] = std::move(out);
}

// ---- decks ----------------------------------------------------------------------------------------------------

void Checker::emit_deck(rules::ZoneId zone, const ast::DeckDecl& n, const std::vector<rules::LocalId>& index_locals) {
  rules::Deck& deck = rules_.decks[rules_.zones[zone].deck];
  deck.index_locals = index_locals;
  deck.lines.clear();
  deck.rows.clear();
  deck.type = rules_.zones[zone].type;
  if (deck.type == kNoId) return;
  std::int64_t piles = 1;
  for (const Type& index : rules_.zones[zone].index) piles = saturating_times(piles, size_cap(index).high);
  std::int64_t total = 0;
  if (!n.csv.empty()) {
    emit_csv(deck, n);
    for (const rules::CsvRow& row : deck.rows) total = saturating_plus(total, row.count);
  }
  for (const ast::DeckLine& line : n.lines) {
    if (line.original) {
      report(Code::R0210, line.span, "`original` stands only inside of a `replace`");
      continue;
    }
    const std::size_t mark = open_scope();
    rules::DeckLine out;
    out.span = line.span;
    out.cover = cover_tagged(line.span, {&line.tags});
    std::int64_t bindings = 1;
    if (line.clause != nullptr) {
      out.clause = clause(*line.clause, {});
      const rules::Clause& over = rules_.clauses[out.clause];
      for (const rules::Binder& binder : over.binders) test_constant(binder.source);
      if (over.where != kNoId) test_constant(over.where);
      bindings = bindings_of(over).high;
    }
    out.count = number(*line.count);
    test_constant(out.count);
    if (!unknown(out.count) && type(out.count).high < 0) report(Code::R0402, line.count->span, "a count cannot be below 0");
    total = saturating_plus(total, saturating_times(std::max<std::int64_t>(0, type(out.count).high), bindings));
    std::optional<rules::Phrase> found = phrase(*line.phrase, *as_phrase(*line.phrase), deck.type, true);
    close_scope(mark);
    if (!found) continue;
    for (const auto& [attribute, value] : found->attributes) test_constant(value);
    out.phrase = std::move(*found);
    deck.lines.push_back(std::move(out));
  }
  if (n.lines.empty() && n.csv.empty()) report(Code::R0513, n.name.span, fmt::format("the deck `{}` has no lines", n.name.text));
  component_counts_.resize(rules_.component_types.size(), 0);
  component_counts_[deck.type] = saturating_plus(component_counts_[deck.type], saturating_times(total, piles));
}

}  // namespace rip::check
