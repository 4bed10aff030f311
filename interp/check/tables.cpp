// The table: zones with what can be seen there, variables and accounts with their start values.
#include "interp/check/checker.h"

#include <fmt/format.h>

namespace rip::check {

using rules::Base;
using rules::ExprId;
using rules::Op;
using rules::Shape;
using rules::Type;

using Index = std::vector<std::pair<ast::Name, ast::TypeRef>>;

// One local for each index, also for one without a name. Of a deck `[player]` it is called `owner`.
std::vector<Type> Checker::resolve_index(const Index& index, std::vector<rules::LocalId>& locals, bool deck) {
  std::vector<Type> out;
  locals.clear();
  bool owned = false;
  for (const auto& [name, written] : index) {
    out.push_back(resolve_type(*written, TypeUse::index));
    locals.push_back(bind_local(name, out.back(), false));
    if (!deck || owned || out.back().base != Base::seat) continue;
    owned = true;
    scope_.push_back({"owner", false, locals.back(), written->span, false, false});
  }
  return out;
}

void Checker::bind_index(const Index& index, const std::vector<Type>& types, const std::vector<rules::LocalId>& locals, bool deck) {
  bool owned = false;
  for (std::size_t i = 0; i < index.size() && i < locals.size(); ++i) {
    if (index[i].first) scope_.push_back({index[i].first.text, false, locals[i], index[i].first.span, false, false});
    if (!deck || owned || types[i].base != Base::seat) continue;
    owned = true;
    scope_.push_back({"owner", false, locals[i], index[i].second->span, false, false});
  }
}

void Checker::emit_zone_type(rules::ZoneId id) {
  const ZoneInfo& info = zone_infos_[id];
  const bool deck = info.deck != nullptr;
  const std::size_t mark = open_scope();
  std::vector<rules::LocalId> locals;
  std::vector<Type> index = resolve_index(deck ? info.deck->index : info.zone->index, locals, deck);
  close_scope(mark);
  rules_.zones[id].index = std::move(index);
  rules_.zones[id].index_locals = std::move(locals);
  rules_.zones[id].type = find_component_type(deck ? info.deck->type : info.zone->type);
  rules_.zones[id].cover = cover_tagged(info.decl->span, {&info.decl->tags});
  if (deck) rules_.decks[rules_.zones[id].deck].type = rules_.zones[id].type;
}

void Checker::emit_zone(rules::ZoneId id) {
  const ZoneInfo& info = zone_infos_[id];
  const bool is_deck = info.deck != nullptr;
  const std::vector<rules::LocalId> locals = rules_.zones[id].index_locals;
  const std::size_t mark = open_scope();
  bind_index(is_deck ? info.deck->index : info.zone->index, rules_.zones[id].index, locals, is_deck);
  if (is_deck) {
    emit_deck(id, *info.deck, locals);
    if (info.deck->refill) emit_refill(id, *info.deck->refill);
  } else {
    const ast::ZoneDecl& n = *info.zone;
    if (n.kind == ast::ZoneKind::hand) {
      const auto& index = rules_.zones[id].index;
      if (std::none_of(index.begin(), index.end(), [](const Type& t) { return t.base == Base::seat; }))
        report(Code::R0508, n.name.span, fmt::format("the hand `{}` belongs to nobody", n.name.text)).hint = fmt::format("write `zone {}[player]: hand of ...`", n.name.text);
    }
    if (n.face) {
      rules_.zones[id].face = n.face.text == "down" ? 1 : 0;
      if (n.face.text != "up" && n.face.text != "down") report(Code::R0507, n.face.span, fmt::format("the side `{}`, but there are only `up` and `down`", n.face.text));
      else if (rules_.zones[id].type != kNoId && rules_.component_types[rules_.zones[id].type].kind != ast::ComponentKind::card)
        report(Code::R0507, n.face.span, "only cards have sides");
    }
    if (n.max != nullptr) {
      const ExprId most = number(*n.max);
      test_constant(most);
      rules_.zones[id].max = most;
    }
    if (n.refill) {
      if (n.kind != ast::ZoneKind::pile) report(Code::R0509, n.refill->from->span, "only a pile is refilled");
      emit_refill(id, *n.refill);
    }
    if (n.seen_by != nullptr) {
      const ExprId eyes = seats(*n.seen_by);
      rules_.zones[id].seen_by = eyes;
    }
  }
  close_scope(mark);
}

void Checker::emit_refill(rules::ZoneId id, const ast::Refill& refill) {
  const ExprId from = target_zone(*refill.from, true);
  rules_.zones[id].refill_from = from;
  if (!unknown(from) && type(from).id != rules_.zones[id].type)
    report(Code::R0509, refill.from->span, fmt::format("{}, but a refill brings `{}`", describe(rules_, type(from)),
                                                       rules_.zones[id].type == kNoId ? "?" : rules_.component_types[rules_.zones[id].type].name));
  if (refill.keeping == nullptr) return;
  const ExprId keeping = number(*refill.keeping);
  test_constant(keeping);
  rules_.zones[id].refill_keeping = keeping;
}

// ---- variables ------------------------------------------------------------------------------------------------

void Checker::emit_var_type(rules::VarId id, const ast::VarDecl& n, const ast::Tags& tags) {
  const std::size_t mark = open_scope();
  std::vector<rules::LocalId> locals;
  std::vector<Type> index = resolve_index(n.index, locals, false);
  close_scope(mark);
  rules::Var& var = rules_.vars[id];
  var.index = std::move(index);
  var.index_locals = std::move(locals);
  var.cover = cover_tagged(n.name.span, {&tags});
  if (n.type == nullptr) return;
  const Type type = resolve_type(*n.type, TypeUse::variable);
  rules_.vars[id].type = type;
  if (n.money && !is_unknown(type) && (type.base != Base::integer || type.shape != Shape::scalar || type.optional)) {
    report(Code::R0308, n.type->span, "money is a range of numbers");
    rules_.vars[id].type = Type{};
  }
}

// The start value sees only what the place sees where the variable is started; `seen by` sees nobody acting.
void Checker::emit_var(rules::VarId id, const ast::VarDecl& n) {
  const std::size_t mark = open_scope();
  bind_index(n.index, rules_.vars[id].index, rules_.vars[id].index_locals, false);
  const Type wanted = rules_.vars[id].type;
  if (n.start != nullptr) {
    const std::string what = fmt::format("`{}`", n.name.text);
    const ExprId start = n.money && n.type == nullptr ? number(*n.start) : value_of(*n.start, wanted, what, !n.money);
    rules_.vars[id].start = start;
  }
  if (n.seen_by != nullptr) {
    Context outside = context_;
    outside.me = Context::Me::unset;
    const Restore<Context> context(context_, outside);
    const ExprId eyes = seats(*n.seen_by);
    rules_.vars[id].seen_by = eyes;
  }
  close_scope(mark);
}

// Money only moves, so an account without a range holds at most what there is: all starts, and what others may owe.
void Checker::money_ranges() {
  std::int64_t total = 0;
  const auto family = [&](const rules::Var& var) {
    std::int64_t size = 1;
    for (const Type& index : var.index) size = saturating_times(size, size_cap(index).high);
    return size;
  };
  for (std::size_t i = 0; i < rules_.vars.size(); ++i) {
    const rules::Var& var = rules_.vars[i];
    if (var.kind != rules::Var::Kind::money) continue;
    const std::int64_t start = var.start == kNoId ? 0 : type(var.start).high;
    const std::int64_t debt = i < var_infos_.size() && var_infos_[i].decl->type != nullptr ? std::min<std::int64_t>(0, var.type.low) : 0;
    total = saturating_plus(total, saturating_times(family(var), saturating_plus(start, -debt)));
  }
  for (std::size_t i = 0; i < rules_.vars.size() && i < var_infos_.size(); ++i) {
    rules::Var& var = rules_.vars[i];
    if (var.kind != rules::Var::Kind::money || var_infos_[i].decl->type != nullptr) continue;
    if (total > kLargest) report(Code::R0401, var.span, fmt::format("there can be {} coins, but numbers end at {}", total, kLargest));
    var.type = integer_type(0, std::clamp<std::int64_t>(total, 0, kLargest));
  }
}

}  // namespace rip::check
