// The result and the claims: scores, winners, reports, what must hold and when.
#include "interp/check/checker.h"

#include <fmt/format.h>

namespace rip::check {

using rules::Base;
using rules::ExprId;
using rules::Op;
using rules::Type;

void Checker::emit_score(const ast::ScoreDecl& n, const ast::Decl& at) {
  if (rules_.score != kNoId) {
    report(Code::R0701, at.span, "a second `score`");
    return;
  }
  const std::size_t mark = open_scope();
  rules_.score_seat = bind_local(n.seat, seat_type(rules_.players_high), false);
  const ExprId value = number(*n.value);
  rules_.score = value;
  score_type_ = type(value);
  close_scope(mark);
  cover_tagged(at.span, {&at.tags});
}

void Checker::emit_winner(const ast::WinnerDecl& n, const ast::Decl& at) {
  if (rules_.winner != kNoId) {
    report(Code::R0701, at.span, "a second `winner`");
    return;
  }
  Context inside;
  inside.in_result = true;
  const Restore<Context> context(context_, inside);
  const std::size_t mark = open_scope();
  rules::Clause out;
  out.span = at.span;
  rules::Binder binder;
  binder.span = n.seat.span;
  binder.source = emit(Op::players, set_of(seat_type(rules_.players_high)), n.seat.span);
  if (n.keys.backwards_if != nullptr) out.backwards_if = condition(*n.keys.backwards_if);
  binder.local = bind_local(n.seat, seat_type(rules_.players_high), false);
  rules_.winner_seat = binder.local;
  out.binders.push_back(binder);
  if (n.where != nullptr) out.where = condition(*n.where);
  keys(n.keys, out);
  close_scope(mark);
  rules_.clauses.push_back(std::move(out));
  rules_.winner = static_cast<rules::ClauseId>(rules_.clauses.size() - 1);
  rules_.winner_cover = cover_tagged(at.span, {&at.tags});
}

std::uint32_t Checker::emit_claim(const ast::Claim& n, Span span, bool statement, rules::CoverId cover) {
  rules::Claim out;
  out.kind = n.kind;
  out.text = n.text;
  out.moment = n.moment;
  out.statement = statement;
  out.span = span;
  out.cover = cover;
  Context inside = statement ? context_ : Context{};
  if (!statement) inside.in_result = true;
  const Restore<Context> context(context_, inside);
  const Restore<bool> reads(reads_result_, false);
  if (n.condition != nullptr) out.condition = condition(*n.condition);
  else if (!statement) report(Code::R0704, n.text_span, "a claim without a condition").hint = "only where it stands among the statements it may say \"no game gets here\"";
  else if (n.kind == ast::ClaimKind::always) report(Code::R0704, n.text_span, "`always` needs a condition");
  out.reads_result = reads_result_;
  if (statement && n.moment != ast::MomentKind::waiting) report(Code::R0704, span, "a claim among statements holds where it stands, so it has no moment");
  if (n.moment == ast::MomentKind::phase_begins || n.moment == ast::MomentKind::phase_ends) {
    const auto found = procedures_.find(n.moment_name.text);
    if (found == procedures_.end() || found->second.phase == kNoId) {
      std::vector<std::string_view> names;
      for (const rules::Phase& phase : rules_.phases) names.push_back(phase.name);
      std::string message = fmt::format("unknown phase `{}`", n.moment_name.text);
      if (const std::string_view near = nearest(n.moment_name.text, names); !near.empty()) message += fmt::format("; did you mean `{}`?", near);
      report(Code::R0205, n.moment_name.span, std::move(message));
    } else {
      out.phase = found->second.phase;
      note_procedure(n.moment_name.span, found->second);
    }
  } else if (n.moment == ast::MomentKind::move) {
    out.move = n.moment_name.text;
    if (!options_.contains(out.move)) unknown_move(n.moment_name);
    note_move(n.moment_name);
  }
  rules_.claims.push_back(std::move(out));
  return static_cast<std::uint32_t>(rules_.claims.size() - 1);
}

void Checker::unknown_move(const ast::Name& name) {
  std::vector<std::string_view> names;
  for (const auto& [move, clause] : options_) names.push_back(move);
  std::string message = fmt::format("unknown move `{}`", name.text);
  if (const std::string_view near = nearest(name.text, names); !near.empty()) message += fmt::format("; did you mean `{}`?", near);
  report(Code::R0206, name.span, std::move(message));
}

void Checker::emit_bound(const ast::BoundDecl& n, const ast::Decl& at) {
  Context inside;
  inside.in_result = true;
  const Restore<Context> context(context_, inside);
  const Restore<bool> reads(reads_result_, false);
  const std::size_t mark = open_scope();
  rules::Bound out;
  if (n.clause != nullptr) {
    ClauseUse use;
    use.picks = true;
    out.clause = clause(*n.clause, use);
  }
  out.value = number(*n.value);
  out.low = number(*n.low);
  out.high = number(*n.high);
  if (!unknown(out.low) && !unknown(out.high) && type(out.low).low > type(out.high).high) report(Code::R0405, join(n.low->span, n.high->span), "this range holds nothing");
  out.text = text(n.value->span);
  out.reads_result = reads_result_;
  out.span = at.span;
  out.cover = cover_tagged(at.span, {&at.tags});
  close_scope(mark);
  rules_.bounds.push_back(std::move(out));
}

void Checker::emit_results() {
  for (const ast::Decl* decl : decls_)
    if (const auto* score = std::get_if<ast::ScoreDecl>(&decl->node)) emit_score(*score, *decl);
  std::map<std::string, Span> reports;
  for (const ast::Decl* decl : decls_) {
    if (const auto* winner = std::get_if<ast::WinnerDecl>(&decl->node)) emit_winner(*winner, *decl);
    if (const auto* claim = std::get_if<ast::Claim>(&decl->node)) emit_claim(*claim, decl->span, false, cover_tagged(decl->span, {&decl->tags}));
    if (const auto* bound = std::get_if<ast::BoundDecl>(&decl->node)) emit_bound(*bound, *decl);
    if (const auto* written = std::get_if<ast::ReportDecl>(&decl->node)) {
      Context inside;
      inside.in_result = true;
      const Restore<Context> context(context_, inside);
      const auto [first, fresh] = reports.try_emplace(written->text, decl->span);
      if (!fresh) report(Code::R0701, decl->span, fmt::format("a second report \"{}\"", written->text)).related.push_back({first->second, "the first one is here"});
      const ExprId value = number(*written->value);
      rules_.reports.push_back({written->text, value, decl->span});
      cover_tagged(decl->span, {&decl->tags});
    }
  }
  if (rules_.winner == kNoId && !has_win_ && !rules_.phases.empty())
    report(Code::R0703, rules_.phases[0].span, "nobody can win: there is neither `winner` nor `win`").hint = "`winner p by high score[p]` or, for a game without, `win nobody`";
}

}  // namespace rip::check
