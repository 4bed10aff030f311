// One pass over everything that is declared, and the fixpoint that repeats it until the types of parameters are stable.
#include "interp/check/checker.h"

#include <fmt/format.h>

namespace rip::check {

using rules::ExprId;
using rules::Type;
using CoverKind = rules::CoverPoint::Kind;

namespace {

constexpr int kMostPasses = 100;

}  // namespace

void Checker::check_script(const ast::Script& script, const std::vector<ast::DeclRef>& scenarios, const Sources& sources, const CsvLoader& load_csv) {
  sources_ = &sources;
  load_csv_ = &load_csv;
  scenarios_ = scenarios;
  script_ = &script;
  final_pass_ = true;
  declare(script);
  global_vars_ = rules_.vars.size();
  final_pass_ = false;
  std::vector<Type> before;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    run_pass();
    std::vector<Type> now = snapshot();
    const bool stable = now == before;
    before = std::move(now);
    if (stable) break;
  }
  final_pass_ = true;
  run_pass();
  lint();
}

void Checker::reset_pass() {
  rules_.exprs.clear();
  rules_.clauses.clear();
  rules_.phrases.clear();
  rules_.locals.clear();
  rules_.tags.clear();
  rules_.covers.clear();
  rules_.requires_.clear();
  rules_.main.clear();
  rules_.claims.clear();
  rules_.bounds.clear();
  rules_.reports.clear();
  rules_.scenarios.clear();
  rules_.vars.resize(global_vars_);
  rules_.score = rules_.winner = rules_.score_seat = rules_.winner_seat = rules_.winner_cover = kNoId;
  for (rules::Let& let : rules_.lets) let.value = kNoId;
  for (LetInfo& info : lets_) info.emitted = info.emitting = false;
  for (RoutineInfo& info : routines_) info.emitted = false;
  for (auto& [name, entry] : values_) entry.read = false;
  for (auto& [name, entry] : types_) entry.read = false;
  for (auto& [name, entry] : procedures_) entry.read = false;
  for (rules::Var& var : rules_.vars) {
    var.start = var.seen_by = kNoId;
    var.index_locals.clear();
  }
  tag_ids_.clear();
  local_is_ring_.clear();
  options_.clear();
  move_spans_.clear();
  calls_.clear();
  end_turns_.clear();
  end_phases_.clear();
  unread_.clear();
  component_counts_.clear();
  scope_.clear();
  context_ = {};
  use_seats_ = false;
  has_win_ = false;
}

std::vector<Type> Checker::snapshot() const {
  std::vector<Type> all;
  for (const LetInfo& info : lets_) all.insert(all.end(), info.params.begin(), info.params.end());
  for (const rules::Let& let : rules_.lets) all.push_back(let.value == kNoId ? Type{} : rules_.exprs[let.value].type);
  for (const RoutineInfo& info : routines_) all.insert(all.end(), info.params.begin(), info.params.end());
  for (const rules::Param& param : rules_.params) all.push_back(param.type);
  for (const rules::Var& var : rules_.vars) {
    all.push_back(var.type);
    all.insert(all.end(), var.index.begin(), var.index.end());
  }
  for (const rules::Zone& zone : rules_.zones) all.insert(all.end(), zone.index.begin(), zone.index.end());
  for (const std::int64_t count : component_counts_) all.push_back(integer_type(count, count));
  all.push_back(score_type_);
  Type needs;
  for (const LetInfo& info : lets_) all.push_back((needs.low = info.needs.me, needs.high = info.needs.result, needs));
  for (const RoutineInfo& info : routines_) all.push_back((needs.low = info.needs.me, needs.high = 0, needs));
  return all;
}

void Checker::run_pass() {
  reset_pass();
  emit_box();
  emit_flow();
  emit_results();
  for (const ast::DeclRef& decl : scenarios_)
    if (const auto* scenario = std::get_if<ast::ScenarioDecl>(&decl->node)) emit_scenario(*decl, *scenario);
  emit_called();
  emit_idle();
}

void Checker::emit_box() {
  const ast::PlayersDecl* players = nullptr;
  has_score_ = false;
  for (const ast::Decl* decl : decls_) {
    if (std::holds_alternative<ast::ScoreDecl>(decl->node)) has_score_ = true;
    const auto* n = std::get_if<ast::PlayersDecl>(&decl->node);
    if (n == nullptr) continue;
    if (players != nullptr) report(Code::R0701, decl->span, "a second `players`");
    else emit_players(*(players = n));
  }
  if (players == nullptr) report(Code::R0212, script_->title_span, "how many players? there is no `players`");
  emit_declaration_covers();
  test_sets();
  rules::ParamId param = 0;
  rules::TypeId component = 0;
  for (const ast::Decl* decl : decls_)
    if (const auto* n = std::get_if<ast::ParamDecl>(&decl->node)) emit_param(param++, *n, *decl);
  for (const ast::Decl* decl : decls_)
    if (const auto* n = std::get_if<ast::ComponentDecl>(&decl->node)) emit_component_type(component++, *n);
  for (rules::ZoneId id = 0; id < zone_infos_.size(); ++id) emit_zone_type(id);
  for (rules::VarId id = 0; id < global_vars_; ++id)
    if (var_infos_[id].decl != nullptr && rules_.vars[id].phase == kNoId) emit_var_type(id, *var_infos_[id].decl, var_infos_[id].tags);
  component_counts_.assign(rules_.component_types.size(), 0);
  for (rules::ZoneId id = 0; id < zone_infos_.size(); ++id) emit_zone(id);
  for (rules::VarId id = 0; id < global_vars_; ++id)
    if (var_infos_[id].decl != nullptr && rules_.vars[id].phase == kNoId) emit_var(id, *var_infos_[id].decl);
  money_ranges();
  for (const ast::Decl* decl : decls_) {
    const auto* n = std::get_if<ast::Require>(&decl->node);
    if (n == nullptr) continue;
    const ExprId test = condition(*n->condition);
    test_constant(test);
    rules_.requires_.push_back({n->text, test, decl->span});
  }
}

void Checker::emit_declaration_covers() {
  cover_tagged(script_->title_span, {&script_->tags});
  for (const ast::Decl* decl : decls_) {
    const bool note = std::holds_alternative<ast::NoteDecl>(decl->node);
    if (note) cover(CoverKind::declaration, "note", decl->span, {&decl->tags});
    else if (std::holds_alternative<ast::PlayersDecl>(decl->node) || std::holds_alternative<ast::EnumDecl>(decl->node) ||
             std::holds_alternative<ast::ComponentDecl>(decl->node) || std::holds_alternative<ast::Require>(decl->node))
      cover_tagged(decl->span, {&decl->tags});
  }
}

// What play reaches, in the order written; the bodies of rules as they are called.
void Checker::emit_flow() {
  for (const ast::Decl* decl : decls_) {
    const auto* phase = std::get_if<ast::Phase>(&decl->node);
    const auto found = phase == nullptr ? phase_ids_.end() : phase_ids_.find(phase);
    if (found == phase_ids_.end() || rules_.phases[found->second].routine != kNoId) continue;
    context_ = {};
    emit_phase(found->second);
    rules::Stmt run;
    run.span = decl->span;
    run.node = rules::RunPhase{found->second};
    if (found->second == rules_.setup) rules_.main.insert(rules_.main.begin(), std::move(run));
    else rules_.main.push_back(std::move(run));
  }
  context_ = {};
  for (rules::WhenId id = 0; id < whens_.size(); ++id) emit_when(id);
  emit_called();
  if (rules_.main.empty()) report(Code::R0212, script_->title_span, "nothing happens: there is no phase");
}

void Checker::emit_called() {
  for (std::size_t i = 0; i < calls_.size(); ++i) emit_routine(calls_[i].routine);
}

// What nothing reaches is checked all the same, but drops out of a variant that made it idle.
void Checker::emit_idle() {
  for (rules::RoutineId id = 0; id < routines_.size(); ++id) {
    if (!options_flags_.in_variant) emit_routine(id);
    else if (!routines_[id].emitted) drop_routine(id);
  }
  emit_called();
  for (rules::LetId id = 0; id < lets_.size(); ++id) {
    if (lets_[id].emitted) continue;
    if (!options_flags_.in_variant) emit_let(id);
    else rules_.lets[id].value = broken(lets_[id].span);
  }
  rules::LetId let = 0;
  for (const ast::Decl* decl : decls_) {
    const auto* n = std::get_if<ast::LetDecl>(&decl->node);
    if (n == nullptr) continue;
    rules_.lets[let].cover = lets_[let].emitted ? cover(CoverKind::let, n->name.text, decl->span, {&decl->tags}) : kNoId;
    ++let;
  }
}

void Checker::drop_routine(rules::RoutineId id) {
  rules_.routines[id].body.clear();
  rules_.routines[id].params.clear();
  rules_.routines[id].cover = kNoId;
  if (rules_.routines[id].phase != kNoId) rules_.phases[rules_.routines[id].phase].cover = kNoId;
}

}  // namespace rip::check
