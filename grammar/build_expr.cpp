// Expressions, clauses and types.
#include "grammar/build.h"

#include <array>
#include <charconv>

namespace rip::grammar {

using namespace ast;

ast::Name Builder::name_of(const Node& node, Kind kind) const {
  const Node* found = node.find(kind);
  return found == nullptr ? Name{} : name(*found);
}

std::int64_t Builder::integer(const Node& node) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(node.text.data(), node.text.data() + node.text.size(), value);
  if (error != std::errc{} || value > 2147483647) {
    diagnostics_.report(Code::R0103, span(node), "the number is too large; numbers go up to 2147483647");
    return 0;
  }
  return value;
}

ExprRef Builder::role(const Node& node, Kind kind) {
  const Node* found = node.find(kind);
  return found == nullptr ? nullptr : expr(*found->kids.front());
}

void Builder::tags(const Node& node, Tags& out) const {
  const std::string_view text = node.text;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] < 'A' || text[i] > 'Z') {
      ++i;
      continue;
    }
    const std::size_t end = text.find_first_of(",] \t\r\n", i);
    const auto begin = static_cast<std::uint32_t>(node.begin + i);
    out.push_back({std::string(text.substr(i, end - i)), {file_, begin, static_cast<std::uint32_t>(node.begin + end)}});
    i = end;
  }
}

Tags Builder::own_tags(const Node& node) const {
  Tags out;
  for (const Node* kid : node.kids) {
    if (kid->kind == Kind::tags) tags(*kid, out);
  }
  return out;
}

ExprRef Builder::expr(const Node& node) {
  switch (node.kind) {
    case Kind::chain: return chain(node);
    case Kind::if_expr: return make(node, IfExpr{role(node, Kind::r_condition), role(node, Kind::r_then), role(node, Kind::r_else)});
    case Kind::match_expr: {
      MatchExpr match{role(node, Kind::r_condition), {}};
      for (const Node* arm : node.kids) {
        if (arm->kind != Kind::match_expr_arm) continue;
        MatchArm made{{}, role(*arm, Kind::r_value), span(*arm)};
        for (const Node* kid : arm->kids) {
          if (kid->kind == Kind::r_pattern) made.patterns.push_back(expr(*kid->kids.front()));
        }
        match.arms.push_back(std::move(made));
      }
      return make(node, std::move(match));
    }
    case Kind::post: return post(node);
    case Kind::operand: return operand(node, 0);
    default: return primary(node);
  }
}

namespace {

struct Operator {
  std::string_view text;
  BinaryOp op;
  int level;  ///< binds tighter the higher
};
constexpr int kRangeLevel = 5;
constexpr int kCompareLevel = 4;
constexpr int kNotLevel = 3;
constexpr std::array<Operator, 15> kOperators{{{"or", BinaryOp::logical_or, 1},
                                               {"and", BinaryOp::logical_and, 2},
                                               {"==", BinaryOp::eq, 4},
                                               {"!=", BinaryOp::ne, 4},
                                               {"<=", BinaryOp::le, 4},
                                               {">=", BinaryOp::ge, 4},
                                               {"<", BinaryOp::lt, 4},
                                               {">", BinaryOp::gt, 4},
                                               {"in", BinaryOp::in, 4},
                                               {"+", BinaryOp::add, 6},
                                               {"-", BinaryOp::sub, 6},
                                               {"*", BinaryOp::mul, 7},
                                               {"div", BinaryOp::div, 7},
                                               {"mod", BinaryOp::mod, 7},
                                               {"not", BinaryOp::not_in, 4}}};

int level_of(const Node& op, BinaryOp& out) {
  if (op.kind == Kind::is_test) return kCompareLevel;
  if (op.text == "..") return kRangeLevel;
  for (const Operator& row : kOperators) {
    if (op.text == row.text || (row.op == BinaryOp::not_in && op.text.substr(0, 3) == "not")) {
      out = row.op;
      return row.level;
    }
  }
  return 0;
}

}  // namespace

ExprRef Builder::chain(const Node& node) {
  std::size_t at = 0;
  return climb(node.kids, at, 0);
}

/// Precedence climbing over operand (is-test / op operand)*. An operand opens with its `not`s, each of which takes the
/// comparison behind it.
ExprRef Builder::climb(const std::vector<Node*>& items, std::size_t& at, int lowest) {
  const Node& first = *items[at++];
  std::size_t nots = 0;
  while (first.kids[nots]->kind == Kind::prefix && first.kids[nots]->text[0] != '-') ++nots;
  ExprRef left = extend(operand(first, nots), items, at, nots > 0 ? std::max(lowest, kNotLevel) : lowest);
  if (nots == 0) return left;
  for (std::size_t i = nots; i-- > 0;) {
    const Span both = join(span(*first.kids[i]), left->span);
    left = std::make_shared<const Expr>(Expr{both, Unary{UnaryOp::logical_not, left}});
  }
  return extend(left, items, at, lowest);
}

/// `left` with the operators behind it that bind at least as tight as `lowest`.
ExprRef Builder::extend(ExprRef left, const std::vector<Node*>& items, std::size_t& at, int lowest) {
  while (at < items.size()) {
    const Node& here = *items[at];
    BinaryOp op{};
    const int level = level_of(here, op);
    if (level < lowest) return left;
    ++at;
    if (here.kind == Kind::is_test) {
      const std::string_view word = here.kids.back()->text;
      const IsWhat what = word == "none" ? IsWhat::none : word == "empty" ? IsWhat::empty : word == "over" ? IsWhat::over : IsWhat::running;
      left = std::make_shared<const Expr>(Expr{join(left->span, span(here)), Is{left, what, here.kids.size() > 1}});
    } else {
      const ExprRef right = climb(items, at, level + 1);
      const Span both = join(left->span, right->span);
      left = level == kRangeLevel ? std::make_shared<const Expr>(Expr{both, RangeExpr{left, right}})
                                  : std::make_shared<const Expr>(Expr{both, Binary{op, left, right, span(here)}});
    }
    BinaryOp next{};
    if ((level == kCompareLevel || level == kRangeLevel) && at < items.size() && level_of(*items[at], next) == level) {
      diagnostics_.report(Code::R0105, span(*items[at]), "two comparisons in a row").hint = "join them with `and`, or put one in parentheses";
    }
  }
  return left;
}

/// `-` and what it stands before; the first `skip` prefixes belong to the chain.
ExprRef Builder::operand(const Node& node, std::size_t skip) {
  ExprRef value = post(*node.kids.back());
  for (std::size_t i = node.kids.size() - 1; i-- > skip;) {
    value = std::make_shared<const Expr>(Expr{join(span(*node.kids[i]), value->span), Unary{UnaryOp::minus, value}});
  }
  return value;
}

ExprRef Builder::post(const Node& node) {
  ExprRef value = primary(*node.kids.front());
  for (std::size_t i = 1; i < node.kids.size(); ++i) {
    const Node& kid = *node.kids[i];
    const Span both = join(value->span, span(kid));
    if (kid.kind == Kind::index_args) {
      value = std::make_shared<const Expr>(Expr{both, Index{value, args(kid.find(Kind::args))}});
    } else {
      value = std::make_shared<const Expr>(Expr{both, Attribute{value, name_of(kid)}});
    }
  }
  return value;
}

ExprRef Builder::primary(const Node& node) {
  switch (node.kind) {
    case Kind::integer: return make(node, IntLit{integer(node)});
    case Kind::word: return make(node, Word{std::string(node.text)});
    case Kind::paren: return expr(*node.kids.front());
    case Kind::original_expr: return make(node, OriginalExpr{});
    case Kind::call: return make(node, Call{name_of(node), args(node.find(Kind::args))});
    case Kind::all_of: return make(node, AllOf{role(node, Kind::r_of)});
    case Kind::top_of: return make(node, TopOf{node.kids.front()->text == "bottom", role(node, Kind::r_count), role(node, Kind::r_of)});
    case Kind::list:
    case Kind::set: return builder(node);
    case Kind::aggregate: return aggregate(node);
    case Kind::phrase: return phrase(node);
    default: return expr(node);
  }
}

ExprRef Builder::aggregate(const Node& node) {
  static constexpr std::array<std::pair<std::string_view, AggregateKind>, 8> kKinds{{{"count", AggregateKind::count},
                                                                                     {"some", AggregateKind::some},
                                                                                     {"first", AggregateKind::first},
                                                                                     {"best", AggregateKind::best},
                                                                                     {"every", AggregateKind::every},
                                                                                     {"sum", AggregateKind::sum},
                                                                                     {"min", AggregateKind::min},
                                                                                     {"max", AggregateKind::max}}};
  Aggregate made{};
  for (const auto& [word, kind] : kKinds) {
    if (node.kids.front()->text == word) made.kind = kind;
  }
  if (const Node* found = node.find(Kind::clause)) made.clause = clause(*found);
  const bool of_values = made.kind == AggregateKind::sum || made.kind == AggregateKind::min || made.kind == AggregateKind::max;
  if (made.clause != nullptr || !of_values) {
    made.value = role(node, Kind::r_value);
    made.args = args(node.find(Kind::args));
  } else {
    made.args = values(node);
  }
  return make(node, std::move(made));
}

std::vector<ExprRef> Builder::values(const Node& node) {
  std::vector<ExprRef> out;
  for (const Node* kid : node.kids) {
    if (kid->kind == Kind::r_value) out.push_back(expr(*kid->kids.front()));
  }
  return out;
}

ExprRef Builder::builder(const Node& node) {
  ast::Builder made{node.kind == Kind::list, {}, nullptr, nullptr};
  if (const Node* items = node.find(Kind::items)) {
    if (const Node* found = items->find(Kind::clause)) {
      made.clause = clause(*found);
      made.value = role(*items, Kind::r_value);
    } else {
      made.items = values(*items);
    }
  }
  return make(node, std::move(made));
}

ExprRef Builder::phrase(const Node& node) {
  Phrase made;
  for (const Node* kid : node.kids) {
    switch (kid->kind) {
      case Kind::type_name: made.type = name(*kid); break;
      case Kind::phrase_number: {
        const std::int64_t value = integer(*kid->kids.back());
        made.parts.push_back({PhrasePart::Kind::number, kid->text[0] == '-' ? -value : value, {}, {}, span(*kid)});
        break;
      }
      case Kind::name: made.parts.push_back({PhrasePart::Kind::word, 0, std::string(kid->text), {}, span(*kid)}); break;
      case Kind::phrase_set: made.parts.push_back({PhrasePart::Kind::set, 0, {}, args(kid->find(Kind::args)), span(*kid)}); break;
      default: break;
    }
  }
  return make(node, std::move(made));
}

std::vector<ExprRef> Builder::args(const Node* node) {
  std::vector<ExprRef> out;
  if (node == nullptr) return out;
  for (const Node* kid : node->kids) out.push_back(expr(*kid));
  return out;
}

ClauseRef Builder::clause(const Node& node) {
  Clause made;
  made.span = span(node);
  for (const Node* kid : node.kids) {
    if (kid->kind == Kind::binder) {
      Binder binder;
      binder.name = name_of(*kid);
      binder.span = span(*kid);
      binder.source = role(*kid, Kind::r_source);
      if (kid->has(Kind::r_of)) pick(*kid, binder);
      binder.any = kid->has(Kind::any_of);
      made.binders.push_back(std::move(binder));
    } else if (kid->kind == Kind::keys) {
      made.keys = keys(*kid);
    }
  }
  made.where = role(node, Kind::r_where);
  return std::make_shared<const Clause>(std::move(made));
}

/// `2 of S`, `0..5 of S in order`: what was read as the source is how many.
void Builder::pick(const Node& node, Binder& binder) {
  binder.pick_low = binder.source;
  if (const auto* range = std::get_if<RangeExpr>(&binder.source->node)) {
    binder.pick_high = range->high;
    binder.pick_low = range->low;
  }
  binder.source = role(node, Kind::r_of);
  if (const ExprRef high = role(node, Kind::r_to)) {
    binder.source = std::make_shared<const Expr>(Expr{join(binder.source->span, high->span), RangeExpr{binder.source, high}});
  }
  binder.in_order = node.has(Kind::flag);
}

Keys Builder::keys(const Node& node) {
  Keys made;
  for (const Node* kid : node.kids) {
    if (kid->kind == Kind::key) {
      const std::string_view word = kid->kids.front()->text;
      const KeyKind kind = word == "high" ? KeyKind::high
                           : word == "low" ? KeyKind::low
                           : word.find("after") != std::string_view::npos ? KeyKind::clockwise_after
                                                                          : KeyKind::clockwise_from;
      made.keys.push_back({kind, expr(*kid->kids.back()), span(*kid)});
    } else if (kid->kind == Kind::flag) {
      made.backwards = true;
    }
  }
  made.backwards_if = role(node, Kind::r_backwards_if);
  return made;
}

TypeRef Builder::type(const Node& node) {
  TypeExpr made;
  made.span = span(node);
  const Node* inner = &node;
  if (const Node* element = node.find(Kind::type)) {
    made.set_of = true;
    inner = element;
    if (element->has(Kind::type)) diagnostics_.report(Code::R0106, span(node), "a set of sets; sets hold plain values only");
  }
  made.optional = inner->has(Kind::flag);
  if (const Node* range = inner->find(Kind::chain)) made.range = chain(*range);
  return std::make_shared<const TypeExpr>(std::move(made));
}

std::vector<std::pair<ast::Name, TypeRef>> Builder::index(const Node* node) {
  std::vector<std::pair<ast::Name, TypeRef>> out;
  if (node == nullptr) return out;
  for (const Node* item : node->kids) out.emplace_back(name_of(*item), type(*item->find(Kind::type)));
  return out;
}

std::vector<Param> Builder::params(const Node* node) {
  std::vector<Param> out;
  if (node == nullptr) return out;
  for (const Node* item : node->kids) {
    const Node* written = item->find(Kind::type);
    out.push_back({name_of(*item), written == nullptr ? nullptr : type(*written)});
  }
  return out;
}

}  // namespace rip::grammar
