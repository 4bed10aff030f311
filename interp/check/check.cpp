// The API, and what every pass of the checker uses: reports, nodes, covers.
#include "interp/check/check.h"

#include "interp/check/checker.h"
#include "interp/check/interchangeable.h"

#include <fmt/format.h>

#include <filesystem>

namespace rip::check {

using rules::ExprId;
using rules::Op;
using rules::Type;

Checker::Checker(rules::Rules& rules, Diagnostics& diagnostics, CheckOptions options)
    : rules_(rules), diagnostics_(&diagnostics), options_flags_(options) {}

// Muted while types are still sought: then it goes to a list nobody reads.
Diagnostic& Checker::report(Code code, Span span, std::string message) {
  ++reports_;
  if (final_pass_) return diagnostics_->report(code, span, std::move(message));
  muted_ = Diagnostics{};
  return muted_.report(code, span, std::move(message));
}

std::string Checker::text(Span span) const {
  return sources_ == nullptr ? std::string() : std::string(sources_->text(span));
}

ExprId Checker::emit(Op op, Type type, Span span, std::vector<ExprId> kids) {
  rules::Expr expr;
  expr.op = op;
  expr.type = type;
  expr.span = span;
  expr.kids = std::move(kids);
  rules_.exprs.push_back(std::move(expr));
  return static_cast<ExprId>(rules_.exprs.size() - 1);
}

// What stands for a mistake that has been reported: of unknown type, so nothing more is said about it.
ExprId Checker::broken(Span span) { return emit(Op::constant, Type{}, span); }

ExprId Checker::constant_of(Type type, std::int64_t value, Span span) {
  if (has_interval(type)) type.low = type.high = value;
  const ExprId id = emit(Op::constant, type, span);
  rules_.exprs[id].value = value;
  return id;
}

ExprId Checker::number_constant(std::int64_t value, Span span) { return constant_of(integer_type(value, value), value, span); }

// ---- names for an editor --------------------------------------------------------------------------------------

void Checker::note_name(Span use, Span definition, NameKind kind) {
  if (options_flags_.names != nullptr && final_pass_) options_flags_.names->push_back({use, definition, kind});
}

void Checker::note_value(Span use, const ValueName& entry) {
  switch (entry.kind) {
    case ValueName::Kind::param: return note_name(use, entry.span, NameKind::param);
    case ValueName::Kind::var: return note_name(use, entry.span, NameKind::var);
    case ValueName::Kind::zone: return note_name(use, entry.span, NameKind::zone);
    case ValueName::Kind::let: return note_name(use, entry.span, NameKind::let);
    case ValueName::Kind::enum_value: return note_name(use, entry.span, NameKind::enum_value);
  }
}

void Checker::note_procedure(Span use, const ProcedureName& entry) {
  note_name(use, entry.span, entry.phase != kNoId ? NameKind::phase : NameKind::rule);
}

void Checker::note_move(const ast::Name& use) {
  const auto [begin, end] = move_spans_.equal_range(use.text);
  for (auto at = begin; at != end; ++at) note_name(use.span, at->second, NameKind::move);
}

void Checker::note_seat(const ast::Name& use) {
  if (const auto found = seat_spans_.find(use.text); found != seat_spans_.end()) note_name(use.span, found->second, NameKind::seat);
}

// ---- covers ---------------------------------------------------------------------------------------------------

std::vector<rules::TagId> Checker::tag_ids(const ast::Tags& tags) {
  std::vector<rules::TagId> ids;
  for (const ast::Tag& tag : tags) {
    const auto [at, fresh] = tag_ids_.try_emplace(tag.text, static_cast<rules::TagId>(rules_.tags.size()));
    if (fresh) rules_.tags.push_back({tag.text});
    ids.push_back(at->second);
  }
  return ids;
}

rules::CoverId Checker::cover(rules::CoverPoint::Kind kind, std::string name, Span span, Covers tags) {
  rules::CoverPoint point{kind, std::move(name), span, {}};
  for (const ast::Tags* list : tags) {
    if (list == nullptr) continue;
    for (const rules::TagId id : tag_ids(*list))
      if (std::find(point.tags.begin(), point.tags.end(), id) == point.tags.end()) point.tags.push_back(id);
  }
  rules_.covers.push_back(std::move(point));
  return static_cast<rules::CoverId>(rules_.covers.size() - 1);
}

rules::CoverId Checker::cover_tagged(Span span, Covers tags) {
  for (const ast::Tags* list : tags)
    if (list != nullptr && !list->empty()) return cover(rules::CoverPoint::Kind::declaration, "", span, tags);
  return kNoId;
}

// ---- API ------------------------------------------------------------------------------------------------------

CsvLoader csv_beside_script(Sources& sources) {
  return [&sources](const std::string& path, std::uint32_t script) -> CsvFile {
    const std::filesystem::path folder = std::filesystem::path(sources[script].path).parent_path();
    const std::string full = (folder / path).string();
    ReadResult read = read_file(full);
    if (!read.error.empty()) return {0, read.error};
    return {sources.add(full, std::move(read.text)), ""};
  };
}

rules::Rules check(const ast::Script& expanded, const std::vector<ast::DeclRef>& scenarios, const Sources& sources,
                   const CsvLoader& load_csv, Diagnostics& diagnostics, CheckOptions options) {
  rules::Rules rules;
  Checker(rules, diagnostics, options).check_script(expanded, scenarios, sources, load_csv);
  if (diagnostics.has_errors()) return rules;
  const std::vector<char> free = interchangeable_enums(rules);
  for (std::size_t e = 0; e < free.size(); ++e) rules.enums[e].interchangeable = free[e] != 0;
  return rules;
}

std::optional<ExprId> check_expression(rules::Rules& rules, const ast::Expr& expr, const std::vector<std::string>& seats,
                                       Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.errors();
  Checker checker(rules, diagnostics, {});
  checker.adopt(seats);
  const ExprId id = checker.expr(expr);
  if (diagnostics.errors() > before) return std::nullopt;
  return id;
}

std::optional<rules::Step> check_step(rules::Rules& rules, const ast::Step& step, const std::vector<std::string>& seats,
                                      Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.errors();
  Checker checker(rules, diagnostics, {});
  checker.adopt(seats);
  std::optional<rules::Step> out = checker.step(step);
  if (diagnostics.errors() > before) return std::nullopt;
  return out;
}

std::optional<rules::MovePattern> check_move_call(rules::Rules& rules, const ast::MoveCall& call, Span span,
                                                  const std::vector<std::string>& seats, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.errors();
  Checker checker(rules, diagnostics, {});
  checker.adopt(seats);
  rules::MovePattern out = checker.move_pattern(call, span);
  if (diagnostics.errors() > before) return std::nullopt;
  return out;
}

// The names of checked rules, for one line more.
void Checker::adopt(const std::vector<std::string>& seats) {
  using Kind = ValueName::Kind;
  const auto value = [&](const std::string& name, Kind kind, std::size_t id, Span span, std::int64_t ordinal = 0) {
    values_.emplace(name, ValueName{kind, static_cast<std::uint32_t>(id), ordinal, span, true});
  };
  for (std::size_t i = 0; i < rules_.params.size(); ++i) value(rules_.params[i].name, Kind::param, i, rules_.params[i].span);
  for (std::size_t i = 0; i < rules_.zones.size(); ++i) value(rules_.zones[i].name, Kind::zone, i, rules_.zones[i].span);
  for (std::size_t i = 0; i < rules_.vars.size(); ++i)
    if (!rules_.vars[i].local) value(rules_.vars[i].name, Kind::var, i, rules_.vars[i].span);
  for (std::size_t i = 0; i < rules_.enums.size(); ++i) {
    types_.emplace(rules_.enums[i].name, TypeName{true, static_cast<std::uint32_t>(i), rules_.enums[i].span, true});
    for (std::size_t v = 0; v < rules_.enums[i].values.size(); ++v)
      value(rules_.enums[i].values[v], Kind::enum_value, i, rules_.enums[i].span, static_cast<std::int64_t>(v));
  }
  for (std::size_t i = 0; i < rules_.component_types.size(); ++i)
    types_.emplace(rules_.component_types[i].name, TypeName{false, static_cast<std::uint32_t>(i), rules_.component_types[i].span, true});
  for (std::size_t i = 0; i < rules_.lets.size(); ++i) {
    const rules::Let& let = rules_.lets[i];
    value(let.name, Kind::let, i, let.span);
    LetInfo info;
    info.span = let.span;
    info.emitted = true;
    for (const rules::LocalId local : let.params) info.params.push_back(rules_.locals[local].type);
    info.declared.assign(info.params.size(), true);
    lets_.push_back(std::move(info));
  }
  for (std::size_t i = 0; i < rules_.routines.size(); ++i) {
    const rules::Routine& routine = rules_.routines[i];
    procedures_.emplace(routine.name, ProcedureName{routine.phase, static_cast<std::uint32_t>(i), routine.span, true});
    RoutineInfo info;
    info.span = routine.span;
    for (const rules::LocalId local : routine.params) info.params.push_back(rules_.locals[local].type);
    info.declared.assign(info.params.size(), true);
    routines_.push_back(std::move(info));
  }
  for (std::size_t i = 0; i < rules_.phases.size(); ++i)
    procedures_.emplace(rules_.phases[i].name, ProcedureName{static_cast<std::uint32_t>(i), kNoId, rules_.phases[i].span, true});
  local_is_ring_.assign(rules_.locals.size(), false);
  for (std::size_t i = 0; i < seats.size(); ++i) seat_values_[seats[i]] = static_cast<int>(i);
  seats_ = seats;
  final_pass_ = true;
  adopted_ = true;
  use_seats_ = true;
  has_score_ = rules_.score != kNoId;
  if (has_score_) score_type_ = type(rules_.score);
  context_.in_scenario = true;
  context_.in_result = true;
  collect_options();
}

}  // namespace rip::check
