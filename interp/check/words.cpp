// Words: what a name stands for here. Local names first, then what is predeclared, then what is declared.
#include "interp/check/checker.h"

#include <fmt/format.h>

namespace rip::check {

using rules::Base;
using rules::ExprId;
using rules::Op;
using rules::Type;

// ---- scopes ---------------------------------------------------------------------------------------------------

LocalName* Checker::find_local(std::string_view name) {
  for (auto at = scope_.rbegin(); at != scope_.rend(); ++at)
    if (at->text == name) return &*at;
  return nullptr;
}

bool Checker::is_of_phase(std::string_view name, rules::PhaseId phase) const {
  const auto called_so = [&](rules::VarId var) { return var != kNoId && rules_.vars[var].name == name; };
  const rules::Phase& of = rules_.phases[phase];
  return std::any_of(of.bindings.begin(), of.bindings.end(), called_so) || std::any_of(of.variables.begin(), of.variables.end(), called_so);
}

void Checker::bind_name(const ast::Name& name, bool is_var, std::uint32_t id, bool must_be_read) {
  test_predeclared(name);
  const LocalName* around = find_local(name.text);
  auto global = values_.find(name.text);
  // The names of a phase header are its variables too; one that another phase has as well is told where it is declared.
  if (global != values_.end() && hidden_header_ != kNoId && global->second.kind == ValueName::Kind::var &&
      (rules_.vars[global->second.id].phase == hidden_header_ || is_of_phase(name.text, hidden_header_)))
    global = values_.end();
  if (around != nullptr || global != values_.end()) {
    Diagnostic& told = report(Code::R0202, name.span, fmt::format("`{}` would hide another name", name.text));
    told.related.push_back({around != nullptr ? around->span : global->second.span, "this one"});
    if (around == nullptr && global->second.kind == ValueName::Kind::var && rules_.vars[global->second.id].phase != kNoId)
      told.hint = word_of_its_own(name.text);
  }
  note_name(name.span, name.span, is_var ? NameKind::var : NameKind::local);
  scope_.push_back({name.text, is_var, id, name.span, must_be_read});
}

rules::LocalId Checker::bind_local(const ast::Name& name, Type type, bool must_be_read) {
  const auto id = static_cast<rules::LocalId>(rules_.locals.size());
  rules_.locals.push_back({name.text, type, name.span});
  local_is_ring_.push_back(false);
  if (name.text != "_" && !name.text.empty()) bind_name(name, false, id, must_be_read);
  return id;
}

void Checker::read_first_name(const ast::Clause& clause) {
  if (clause.binders.empty()) return;
  for (LocalName& name : scope_) {
    if (name.text == clause.binders.front().name.text) name.read = true;
  }
}

void Checker::close_scope(std::size_t mark) {
  for (std::size_t i = mark; i < scope_.size(); ++i) {
    const LocalName& name = scope_[i];
    if (name.must_be_read && !name.read)
      unread(name.span, "the name", name.text, name.is_var ? "" : name.unread_hint);
  }
  scope_.resize(mark);
}

std::vector<std::string_view> Checker::value_candidates() const {
  std::vector<std::string_view> names;
  for (const LocalName& name : scope_) names.push_back(name.text);
  for (const auto& [name, entry] : values_) names.push_back(name);
  for (const auto& [name, seat] : seat_values_) names.push_back(name);
  for (const std::string_view name : {"players", "winners", "none", "nobody", "yes", "no", "up", "down", "me", "score"}) names.push_back(name);
  return names;
}

ExprId Checker::unknown_name(const std::string& name, Span span) {
  std::string message = fmt::format("unknown name `{}`", name);
  if (procedures_.contains(name)) {
    const ProcedureName& entry = procedures_.find(name)->second;
    report(Code::R0209, span, fmt::format("`{}` is a {}, not a value", name, entry.phase != kNoId ? "phase" : "rule"))
        .related.push_back({entry.span, "declared here"});
    return broken(span);
  }
  const std::string_view near = nearest(name, value_candidates());
  if (!near.empty()) message += fmt::format("; did you mean `{}`?", near);
  report(Code::R0203, span, std::move(message));
  return broken(span);
}

// ---- words ----------------------------------------------------------------------------------------------------

ExprId Checker::word(const std::string& name, Span span, Want want) {
  if (name == "score" && find_local(name) == nullptr) return score_value({}, span);
  return named_value(name, {}, false, span, span, want);
}

ExprId Checker::named_value(const std::string& name, const std::vector<ast::ExprRef>& args, bool indexed, Span span, Span name_span,
                            Want want) {
  if (LocalName* local = find_local(name)) {
    local->read = true;
    note_name(name_span, local->span, local->is_var ? NameKind::var : NameKind::local);
    if (local->is_var) return var_value(local->id, args, span);
    const ExprId value = emit(Op::local, rules_.locals[local->id].type, name_span);
    rules_.exprs[value].ref = local->id;
    if (!indexed) return value;
    if (unknown(value)) return broken(span);
    if (type(value).shape != rules::Shape::list || args.size() != 1) {
      report(Code::R0303, span, fmt::format("`{}` is {}, but only a list has items", name, describe(rules_, type(value))));
      return broken(span);
    }
    const Type item = scalar_of(type(value));
    return emit(Op::item, item, span, {value, number(*args[0])});
  }
  if (!indexed) {
    if (name == "yes" || name == "no") return constant_of(flag_type(), name == "yes" ? 1 : 0, span);
    if (name == "up" || name == "down") return constant_of(side_type(), name == "down" ? 1 : 0, span);
    if (name == "none") {
      Type type = none_type();
      const ExprId id = emit(Op::constant, type, span);
      rules_.exprs[id].value = rules::kNone;
      return id;
    }
    if (name == "nobody") return emit(Op::set_literal, set_of(seat_type(rules_.players_high)), span);
    if (name == "players") return emit(Op::players, set_of(seat_type(rules_.players_high)), span);
    if (name == "me") return me_value(span);
    if (name == "winners") {
      need_result(span, "`winners`");
      return emit(Op::winners, set_of(seat_type(rules_.players_high)), span);
    }
    if (name == "game") {
      report(Code::R0209, span, "`game` is no value").hint = "`game is over` asks whether the game has ended";
      return broken(span);
    }
    if (name == "owner") {
      report(Code::R0210, span, "`owner` stands in the lines of a deck `[player]` only").hint = "of a component it is `c.owner`";
      return broken(span);
    }
  }
  if (name == "score" && indexed) return score_value(args, span);
  const auto found = values_.find(name);
  if (found == values_.end()) {
    if (!indexed && use_seats_ && seat_values_.contains(name)) {
      note_seat({name, span});
      return constant_of(seat_type(rules_.players_high), seat_values_.find(name)->second, span);
    }
    if (!indexed && name == "Face") return emit(Op::type_values, set_of(side_type()), span);
    if (!indexed && name == "flag") return emit(Op::type_values, set_of(flag_type()), span);
    if (!indexed && name == "player") {
      report(Code::R0209, span, "`player` is a type, not a set").hint = "the seats are `players`";
      return broken(span);
    }
    if (const auto entry = types_.find(name); !indexed && entry != types_.end()) {
      entry->second.read = true;
      note_name(span, entry->second.span, NameKind::type);
      const Type all = entry->second.is_enum ? enum_type(rules_, entry->second.id) : component_type(entry->second.id);
      const ExprId id = emit(Op::type_values, set_of(all), span);
      if (entry->second.is_enum) rules_.exprs[id].ref = entry->second.id;
      return id;
    }
    return unknown_name(name, name_span);
  }
  ValueName& entry = found->second;
  entry.read = true;
  note_value(name_span, entry);
  switch (entry.kind) {
    case ValueName::Kind::param: return param_value(entry.id, args, span);
    case ValueName::Kind::var: return var_value(entry.id, args, span);
    case ValueName::Kind::zone: return zone_value(entry.id, args, span, want);
    case ValueName::Kind::enum_value:
      if (!indexed) {
        const auto type_entry = types_.find(rules_.enums[entry.id].name);
        if (type_entry != types_.end()) type_entry->second.read = true;
        return constant_of(enum_type(rules_, entry.id), entry.ordinal, span);
      }
      report(Code::R0303, span, fmt::format("`{}` is an enum value and has no index", name));
      return broken(span);
    case ValueName::Kind::let:
      report(Code::R0209, name_span, fmt::format("`{}` is a `let`, so it is called with parentheses", name)).hint =
          fmt::format("write `{}({})`", name, indexed ? "..." : "");
      return broken(span);
  }
  return broken(span);
}

std::vector<ExprId> Checker::index_values(const std::vector<ast::ExprRef>& args, const std::vector<Type>& index, const std::string& name,
                                          Span span) {
  std::vector<ExprId> kids;
  if (args.size() > index.size()) {
    report(Code::R0302, span,
           index.empty() ? fmt::format("`{}` has no index", name)
                         : fmt::format("{} index values, but `{}` has {}", args.size(), name, index.size()));
  }
  for (std::size_t i = 0; i < args.size() && i < index.size(); ++i)
    kids.push_back(value_of(*args[i], index[i], fmt::format("the index of `{}`", name)));
  return kids;
}

ExprId Checker::zone_value(rules::ZoneId id, const std::vector<ast::ExprRef>& args, Span span, Want want) {
  std::vector<ExprId> kids = index_values(args, rules_.zones[id].index, rules_.zones[id].name, span);
  if (args.size() > rules_.zones[id].index.size()) return broken(span);
  const rules::Zone& zone = rules_.zones[id];
  const bool one_place = zone.kind == ast::ZoneKind::place && kids.size() == zone.index.size();
  const bool card = one_place && want.form != Form::set && want.form != Form::list;
  Type type = component_type(zone.type);
  if (zone.type == kNoId) type = Type{};
  if (card) type.optional = true;
  else type = set_of(type);
  const ExprId out = emit(card ? Op::place_card : Op::zone, type, span, std::move(kids));
  rules_.exprs[out].ref = id;
  return out;
}

ExprId Checker::var_value(rules::VarId id, const std::vector<ast::ExprRef>& args, Span span) {
  std::vector<ExprId> kids = index_values(args, rules_.vars[id].index, rules_.vars[id].name, span);
  if (args.size() > rules_.vars[id].index.size()) return broken(span);
  const rules::Var& var = rules_.vars[id];
  test_running(var, span);
  const bool whole = kids.size() == var.index.size();
  if (!whole && var.type.shape != rules::Shape::scalar) {
    report(Code::R0302, span, fmt::format("`{}` needs all of its index values", var.name));
    return broken(span);
  }
  const ExprId out = emit(whole ? Op::var : Op::var_family, whole ? var.type : list_of(var.type), span, std::move(kids));
  rules_.exprs[out].ref = id;
  return out;
}

// In the main flow it is known which phases run: those around.
void Checker::test_running(const rules::Var& var, Span span) {
  if (var.phase == kNoId || context_.routine != kNoId || context_.let != kNoId || context_.in_when || context_.in_scenario || context_.in_result) return;
  if (context_.phase == kNoId && hidden_header_ == kNoId) return;
  if (var.phase == hidden_header_) return;
  for (rules::PhaseId phase = context_.phase; phase != kNoId; phase = rules_.phases[phase].parent)
    if (phase == var.phase || is_of_phase(var.name, phase)) return;  // of the latter it is told that two phases have it
  report(Code::R0616, span, fmt::format("`{}` exists while the phase `{}` runs, which it does not here", var.name, rules_.phases[var.phase].name))
      .related.push_back({var.span, "declared here"});
}

ExprId Checker::param_value(rules::ParamId id, const std::vector<ast::ExprRef>& args, Span span) {
  std::vector<ExprId> kids = index_values(args, rules_.params[id].index, rules_.params[id].name, span);
  if (args.size() > rules_.params[id].index.size()) return broken(span);
  const rules::Param& param = rules_.params[id];
  const bool whole = kids.size() == param.index.size();
  const ExprId out = emit(whole ? Op::param : Op::param_family, whole ? param.type : list_of(param.type), span, std::move(kids));
  rules_.exprs[out].ref = id;
  return out;
}

ExprId Checker::me_value(Span span) {
  if (context_.me == Context::Me::unset) {
    report(Code::R0601, span, "`me` is not set here").hint = "`me` is the seat that acts: in `turns` and in `choose SEAT`";
    return broken(span);
  }
  if (context_.me == Context::Me::caller) {
    Needs& needs = context_.let != kNoId ? lets_[context_.let].needs : routines_[context_.routine].needs;
    if (!needs.me) needs.me_span = span;
    needs.me = true;
  }
  return emit(Op::me, seat_type(rules_.players_high), span);
}

void Checker::need_me_of(const Needs& needs, Span span, const std::string& name) {
  if (!needs.me) return;
  if (context_.me == Context::Me::unset) {
    report(Code::R0601, span, fmt::format("`{}` reads `me`, which is not set here", name)).related.push_back({needs.me_span, "read here"});
  } else if (context_.me == Context::Me::caller) {
    Needs& own = context_.let != kNoId ? lets_[context_.let].needs : routines_[context_.routine].needs;
    if (!own.me) own.me_span = span;
    own.me = true;
  }
}

ExprId Checker::score_value(const std::vector<ast::ExprRef>& args, Span span) {
  need_result(span, "`score`");
  if (!has_score_) {
    report(Code::R0703, span, "`score` is read, but no `score` is declared");
    return broken(span);
  }
  if (args.empty()) return emit(Op::score_family, list_of(score_type_), span);
  if (args.size() > 1) report(Code::R0302, span, fmt::format("{} index values, but `score` has 1", args.size()));
  const ExprId who = value_of(*args[0], seat_type(rules_.players_high), "the index of `score`");
  return emit(Op::score, score_type_, span, {who});
}

// Score and winners exist when the game is over: claims, reports and the winner's keys read them.
void Checker::need_result(Span span, const std::string& what) {
  reads_result_ = true;
  if (context_.in_result) return;
  if (context_.let != kNoId) {
    Needs& needs = lets_[context_.let].needs;
    if (!needs.result) needs.result_span = span;
    needs.result = true;
    return;
  }
  report(Code::R0702, span, fmt::format("{} is known when the game is over, not here", what));
}

}  // namespace rip::check
