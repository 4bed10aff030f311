// Decisions: who is asked, which moves there are, for which bindings.
#include "interp/check/checker.h"

#include <fmt/format.h>

namespace rip::check {

using rules::Base;
using rules::ExprId;
using rules::Type;

void Checker::choose(const ast::Choose& n, rules::Stmt& out) {
  rules::Choose result;
  result.each = n.each;
  const std::size_t mark = open_scope();
  Context inside = context_;
  if (n.each) {
    ClauseUse use;
    use.each = true;
    result.clause = clause(*n.clause, use);
    inside.in_each = true;
  } else {
    result.seat = seat(*n.seat);
    inside.me = Context::Me::set;
  }
  {
    const Restore<Context> context(context_, inside);
    for (const ast::Option& each : n.options) option(each, {}, {}, n.secretly, result);
  }
  if (result.options.empty()) report(Code::R0613, n.each ? n.clause->span : n.seat->span, "a decision without moves");
  const bool only_otherwise = !result.options.empty() && std::all_of(result.options.begin(), result.options.end(), [](const rules::Option& o) { return o.otherwise; });
  if (only_otherwise) report(Code::R0613, result.options[0].span, "only `otherwise`, so there is nothing else").hint = "drop the word `otherwise`";
  close_scope(mark);
  out.node = std::move(result);
}

// A `where` group passes its condition on to each of its moves.
void Checker::option(const ast::Option& node, const std::vector<const ast::Expr*>& groups, const ast::Tags& group_tags, bool secretly,
                     rules::Choose& into) {
  if (node.group_where != nullptr) {
    std::vector<const ast::Expr*> conditions = groups;
    conditions.push_back(node.group_where.get());
    ast::Tags tags = group_tags;
    tags.insert(tags.end(), node.tags.begin(), node.tags.end());
    for (const ast::Option& each : node.group) option(each, conditions, tags, secretly, into);
    return;
  }
  const std::size_t mark = open_scope();
  rules::Option out;
  out.name = node.name.text;
  out.secretly = secretly || node.secretly;
  out.otherwise = node.otherwise;
  out.span = node.span;
  ClauseUse use;
  use.picks = true;
  use.arguments = true;
  for (const ast::Expr* group : groups) use.first_conditions.push_back(condition(*group));
  ast::Clause none;
  none.span = node.name.span;
  out.clause = clause(node.clause == nullptr ? none : *node.clause, use);
  for (const rules::Binder& binder : rules_.clauses[out.clause].binders)
    if (rules_.locals[binder.local].name == "_") report(Code::R0613, binder.span, "an argument of a move has a name");
  out.cover = cover(rules::CoverPoint::Kind::move, node.name.text, node.span, {&group_tags, &node.tags, &node.body->tags});
  options_.emplace(out.name, out.clause);
  if (options_flags_.names != nullptr) move_spans_.emplace(out.name, node.name.span);
  note_name(node.name.span, node.name.span, NameKind::move);
  const bool each = context_.in_each;
  Context inside = context_;
  inside.in_loop = each ? false : context_.in_loop;
  const Restore<Context> context(context_, inside);
  out.body = block(*node.body);
  close_scope(mark);
  into.options.push_back(std::move(out));
}

}  // namespace rip::check
