// Sentences: what is moved, turned, shown, paid; whether it can be.
#include "interp/check/checker.h"

#include <fmt/format.h>

namespace rip::check {

using rules::Base;
using rules::ExprId;
using rules::Op;
using rules::Shape;
using rules::Type;

// Components of any number: one, an optional, a set, a list, a zone.
ExprId Checker::components(const ast::Expr& node, rules::TypeId hint) {
  const ExprId id = expr(node, {Form::any, hint == kNoId ? Type{} : component_type(hint)});
  const Type t = type(id);
  if (is_unknown(t) || t.base == Base::component) return id;
  report(Code::R0301, node.span, fmt::format("{} where components are wanted", describe(rules_, t)));
  return broken(node.span);
}

// A zone by its name, with all index values if `full`.
ExprId Checker::target_zone(const ast::Expr& node, bool full) {
  const ExprId id = as_zone(expr(node, {Form::set, {}}));
  if (unknown(id) && rules_.exprs[id].op != Op::zone) return broken(node.span);
  if (rules_.exprs[id].op != Op::zone) {
    report(Code::R0503, node.span, fmt::format("{} where a zone is wanted", describe(rules_, type(id))));
    return broken(node.span);
  }
  const rules::Zone& zone = rules_.zones[rules_.exprs[id].ref];
  if (full && rules_.exprs[id].kids.size() < zone.index.size()) {
    report(Code::R0503, node.span, fmt::format("all of `{}` together, where one zone is wanted", zone.name)).hint =
        fmt::format("`{}` has {} index value{}", zone.name, zone.index.size(), zone.index.size() == 1 ? "" : "s");
    return broken(node.span);
  }
  return id;
}

std::optional<rules::VarTarget> Checker::target_var(const ast::Expr& node, bool money) {
  std::vector<ast::ExprRef> args;
  const ast::Expr* base = &node;
  while (const auto* index = std::get_if<ast::Index>(&base->node)) {
    args.insert(args.begin(), index->args.begin(), index->args.end());
    base = index->base.get();
  }
  const auto* name = std::get_if<ast::Word>(&base->node);
  const char* wanted = money ? "an account" : "a variable";
  if (name == nullptr) {
    report(Code::R0610, node.span, fmt::format("only {} can be changed here", wanted));
    return std::nullopt;
  }
  rules::VarId id = kNoId;
  if (const LocalName* local = find_local(name->text)) {
    if (!local->is_var) {
      report(Code::R0610, base->span, fmt::format("`{}` is a name for a value and does not change", name->text)).related.push_back({local->span, "bound here"});
      return std::nullopt;
    }
    id = local->id;
    note_name(base->span, local->span, NameKind::var);
  } else {
    const auto found = values_.find(name->text);
    if (found == values_.end()) {
      unknown_name(name->text, base->span);
      return std::nullopt;
    }
    if (found->second.kind != ValueName::Kind::var) {
      report(Code::R0610, base->span, fmt::format("`{}` is no variable", name->text)).related.push_back({found->second.span, "declared here"});
      return std::nullopt;
    }
    id = found->second.id;
    note_value(base->span, found->second);
  }
  const rules::Var::Kind kind = rules_.vars[id].kind;
  if (kind == rules::Var::Kind::phase_binding) {
    report(Code::R0610, base->span, fmt::format("`{}` is bound by the header of its phase and does not change", name->text));
    return std::nullopt;
  }
  if (money != (kind == rules::Var::Kind::money)) {
    report(Code::R0610, base->span, money ? fmt::format("`{}` is no account", name->text) : fmt::format("`{}` is an account, and money moves by `pay` only", name->text))
        .related.push_back({rules_.vars[id].span, "declared here"});
    return std::nullopt;
  }
  rules::VarTarget target;
  target.var = id;
  target.index = index_values(args, rules_.vars[id].index, name->text, node.span);
  if (args.size() < rules_.vars[id].index.size()) {
    report(Code::R0302, node.span, fmt::format("{} index values, but `{}` has {}", args.size(), name->text, rules_.vars[id].index.size()));
    return std::nullopt;
  }
  return target;
}

// ---- components -----------------------------------------------------------------------------------------------

void Checker::effect(const ast::Move& n, rules::Stmt& out) {
  const std::size_t mark = open_scope();
  rules::Move move;
  if (n.each != nullptr) move.each = clause(*n.each, {});
  move.to = target_zone(*n.to, true);
  move.under = n.under;
  const rules::TypeId wanted = unknown(move.to) ? kNoId : type(move.to).id;
  move.what = components(*n.what, wanted);
  const Type moved = type(move.what);
  if (wanted != kNoId && !is_unknown(moved) && moved.id != wanted)
    report(Code::R0504, n.what->span, fmt::format("{}, but `{}` is for {}", describe(rules_, moved), rules_.zones[rules_.exprs[move.to].ref].name,
                                                  describe(rules_, set_of(component_type(wanted))).substr(9)));
  if (n.face != nullptr) {
    move.face = side(*n.face);
    if (moved.base == Base::component && moved.id != kNoId && rules_.component_types[moved.id].kind != ast::ComponentKind::card)
      report(Code::R0507, n.face->span, "only cards have sides");
  }
  if (n.under && !unknown(move.to) && rules_.zones[rules_.exprs[move.to].ref].kind != ast::ZoneKind::pile &&
      rules_.zones[rules_.exprs[move.to].ref].kind != ast::ZoneKind::row)
    report(Code::R0511, n.to->span, "only a pile or a row has a bottom");
  close_scope(mark);
  out.node = std::move(move);
}

void Checker::effect(const ast::Fill& n, rules::Stmt& out) {
  rules::Fill fill;
  fill.what = target_zone(*n.what, false);
  if (n.to_count != nullptr) {
    fill.to_count = number(*n.to_count);
  } else if (!unknown(fill.what) && rules_.zones[rules_.exprs[fill.what].ref].kind != ast::ZoneKind::place) {
    report(Code::R0511, n.what->span, fmt::format("`{}` is no place, so how many should it hold?", rules_.zones[rules_.exprs[fill.what].ref].name)).hint =
        "`fill Z to n from D`";
  }
  fill.from = target_zone(*n.from, true);
  if (!unknown(fill.from)) {
    const rules::Zone& from = rules_.zones[rules_.exprs[fill.from].ref];
    if (from.kind != ast::ZoneKind::pile) report(Code::R0511, n.from->span, fmt::format("`{}` is no pile", from.name));
    if (!unknown(fill.what) && type(fill.what).id != type(fill.from).id)
      report(Code::R0504, n.from->span, fmt::format("{}, but `{}` is for others", describe(rules_, type(fill.from)), rules_.zones[rules_.exprs[fill.what].ref].name));
  }
  if (n.face != nullptr) fill.face = side(*n.face);
  out.node = std::move(fill);
}

void Checker::effect(const ast::Swap& n, rules::Stmt& out) {
  rules::Swap swap;
  if (n.second == nullptr) {
    swap.first = as_set(components(*n.first, kNoId));
  } else {
    swap.first = as_zone(components(*n.first, kNoId));
    swap.second = as_zone(components(*n.second, unknown(swap.first) ? kNoId : type(swap.first).id));
    const Type a = type(swap.first), b = type(swap.second);
    if (!is_unknown(a) && !is_unknown(b)) {
      if (a.shape != b.shape || (a.shape != Shape::scalar && (rules_.exprs[swap.first].op != Op::zone || rules_.exprs[swap.second].op != Op::zone)))
        report(Code::R0301, join(n.first->span, n.second->span), fmt::format("{} with {}", describe(rules_, a), describe(rules_, b))).hint =
            "two components or two zones can be swapped";
      else if (a.id != b.id)
        report(Code::R0504, n.second->span, fmt::format("{} with {}", describe(rules_, a), describe(rules_, b)));
      else if (a.shape != Shape::scalar)
        for (const auto& [id, at] : {std::pair{swap.first, n.first}, std::pair{swap.second, n.second}})
          if (rules_.exprs[id].kids.size() < rules_.zones[rules_.exprs[id].ref].index.size())
            report(Code::R0503, at->span, fmt::format("all of `{}` together, where one zone is wanted", rules_.zones[rules_.exprs[id].ref].name));
    }
  }
  out.node = std::move(swap);
}

void Checker::effect(const ast::Turn& n, rules::Stmt& out) {
  rules::Turn turn;
  turn.what = components(*n.what, kNoId);
  const Type t = type(turn.what);
  if (is_unknown(t) || t.id == kNoId) {
    turn.face = expr(*n.face, {Form::scalar, {}});
  } else {
    const rules::ComponentType& component = rules_.component_types[t.id];
    if (component.kind == ast::ComponentKind::token) report(Code::R0507, n.what->span, fmt::format("a token such as `{}` has no hidden side", component.name));
    const bool die = component.kind == ast::ComponentKind::die;
    turn.face = die ? value_of(*n.face, integer_type(component.low_face, component.high_face), fmt::format("the face of a `{}`", component.name))
                    : side(*n.face);
  }
  out.node = turn;
}

void Checker::effect(const ast::Shuffle& n, rules::Stmt& out) {
  const ExprId what = target_zone(*n.what, false);
  if (!unknown(what) && rules_.zones[rules_.exprs[what].ref].kind != ast::ZoneKind::pile)
    report(Code::R0511, n.what->span, fmt::format("`{}` is no pile", rules_.zones[rules_.exprs[what].ref].name));
  out.node = rules::Shuffle{what};
}

void Checker::effect(const ast::Roll& n, rules::Stmt& out) {
  forbid_in_each(n.what->span, "a roll");
  const ExprId what = components(*n.what, kNoId);
  const Type t = type(what);
  if (t.base == Base::component && t.id != kNoId && rules_.component_types[t.id].kind != ast::ComponentKind::die)
    report(Code::R0507, n.what->span, fmt::format("{}, but only dice are rolled", describe(rules_, t)));
  out.node = rules::Roll{what};
}

void Checker::effect(const ast::Show& n, rules::Stmt& out) {
  rules::Show show;
  show.what = expr(*n.what, {Form::any, {}});
  if (n.to != nullptr) show.to = seats(*n.to);
  out.node = show;
}

// ---- variables ------------------------------------------------------------------------------------------------

void Checker::effect(const ast::Set& n, rules::Stmt& out) {
  std::optional<rules::VarTarget> target = target_var(*n.target, false);
  if (!target) {
    chance_value(*n.value, {});
    return;
  }
  const rules::Var& var = rules_.vars[target->var];
  const ExprId value = value_of(*n.value, var.type, fmt::format("`{}`", var.name), true);
  out.node = rules::Assign{rules::Assign::Kind::set, std::move(*target), value};
  if (context_.in_each && has_chance(value)) forbid_in_each(n.value->span, "chance");
}

bool Checker::has_chance(ExprId id) const {
  const rules::Expr& e = rules_.exprs[id];
  if (e.op == Op::random) return true;
  return e.op == Op::if_else && (has_chance(e.kids[1]) || has_chance(e.kids[2]));
}

void Checker::effect(const ast::Raise& n, rules::Stmt& out) {
  std::optional<rules::VarTarget> target = target_var(*n.target, false);
  const ExprId amount = number(*n.amount);
  if (!target) return;
  const rules::Var& var = rules_.vars[target->var];
  if (!is_unknown(var.type) && (var.type.base != Base::integer || var.type.shape != Shape::scalar)) {
    report(Code::R0301, n.target->span, fmt::format("`{}` is {}, but only numbers are raised and lowered", var.name, describe(rules_, var.type)));
    return;
  }
  if (!unknown(amount) && !is_unknown(var.type)) {
    const Interval by = interval(type(amount));
    const Interval after = n.lower ? minus(interval(var.type), by) : plus(interval(var.type), by);
    if (after.high < var.type.low || after.low > var.type.high)
      report(Code::R0402, n.amount->span, fmt::format("`{}` by {}, but it is in {}", n.lower ? "lower" : "raise", describe_range(rules_, type(amount)), describe_range(rules_, var.type)));
  }
  out.node = rules::Assign{n.lower ? rules::Assign::Kind::lower : rules::Assign::Kind::raise, std::move(*target), amount};
}

void Checker::effect(const ast::Pay& n, rules::Stmt& out) {
  rules::Pay pay;
  pay.amount = number(*n.amount);
  if (!unknown(pay.amount) && type(pay.amount).high < 0) report(Code::R0402, n.amount->span, "a payment cannot be below 0");
  std::optional<rules::VarTarget> from = target_var(*n.from, true), to = target_var(*n.to, true);
  if (!from || !to) return;
  pay.from = std::move(*from);
  pay.to = std::move(*to);
  out.node = std::move(pay);
}

}  // namespace rip::check
