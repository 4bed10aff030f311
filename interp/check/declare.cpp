// What exists: every declaration gets its id and its name, phases and their variables with them. Nothing is looked into.
#include "interp/check/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace rip::check {

namespace {

constexpr std::array<std::string_view, 14> kPredeclared = {"yes",  "no",   "none",    "nobody", "players", "me",    "up",
                                                           "down", "score", "winners", "game",   "owner",   "original", "random"};

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

}  // namespace

void Checker::test_predeclared(const ast::Name& name) {
  if (std::find(kPredeclared.begin(), kPredeclared.end(), name.text) == kPredeclared.end()) return;
  report(Code::R0208, name.span, fmt::format("`{}` means something already", name.text)).hint = "give it another name";
}

bool Checker::new_value(const ast::Name& name, ValueName entry) {
  test_predeclared(name);
  entry.span = name.span;
  note_value(name.span, entry);
  const auto [at, fresh] = values_.try_emplace(name.text, entry);
  if (!fresh) {
    Diagnostic& told = report(Code::R0201, name.span, fmt::format("`{}` is declared twice", name.text));
    told.related.push_back({at->second.span, "the first one is here"});
    if (at->second.kind == ValueName::Kind::var && rules_.vars[at->second.id].phase != kNoId) told.hint = word_of_its_own(name.text);
  }
  return fresh;
}

std::string word_of_its_own(std::string_view name) {
  return fmt::format("the names of a phase are visible in the whole script; give this one a word of its own, such as `{}`", name == "seat" ? "bidder" : "seat");
}

bool Checker::new_type(const ast::Name& name, TypeName entry) {
  entry.span = name.span;
  if (name.text == "Face") {
    report(Code::R0208, name.span, "`Face` means something already").hint = "it is the type of `up` and `down`";
    return false;
  }
  note_name(name.span, name.span, NameKind::type);
  const auto [at, fresh] = types_.try_emplace(name.text, entry);
  if (!fresh) {
    report(Code::R0201, name.span, fmt::format("the type `{}` is declared twice", name.text))
        .related.push_back({at->second.span, "the first one is here"});
  }
  return fresh;
}

bool Checker::new_procedure(const ast::Name& name, ProcedureName entry) {
  entry.span = name.span;
  note_procedure(name.span, entry);
  const auto [at, fresh] = procedures_.try_emplace(name.text, entry);
  if (!fresh) {
    report(Code::R0201, name.span, fmt::format("`{}` is declared twice among rules and phases", name.text))
        .related.push_back({at->second.span, "the first one is here"});
  }
  return fresh;
}

void Checker::declare(const ast::Script& script) {
  rules_.title = script.title;
  const auto id = [](std::size_t size) { return static_cast<std::uint32_t>(size); };
  for (const ast::DeclRef& ref : script.declarations) {
    const ast::Decl& decl = *ref;
    bool counts = true;
    std::visit(
        Overloaded{
            [&](const ast::ParamDecl& n) {
              new_value(n.name, {ValueName::Kind::param, id(rules_.params.size())});
              rules::Param param;
              param.name = n.name.text;
              param.span = n.name.span;
              param.value = kNoId;
              rules_.params.push_back(std::move(param));
            },
            [&](const ast::EnumDecl& n) {
              new_type(n.name, {true, id(rules_.enums.size())});
              rules::Enum entry{n.name.text, {}, n.name.span};
              for (const ast::Name& value : n.values) {
                new_value(value, {ValueName::Kind::enum_value, id(rules_.enums.size()), std::ssize(entry.values)});
                entry.values.push_back(value.text);
              }
              rules_.enums.push_back(std::move(entry));
            },
            [&](const ast::ComponentDecl& n) {
              new_type(n.name, {false, id(rules_.component_types.size())});
              rules::ComponentType type;
              type.name = n.name.text;
              type.kind = n.kind;
              type.span = n.name.span;
              rules_.component_types.push_back(std::move(type));
            },
            [&](const ast::DeckDecl& n) {
              new_value(n.name, {ValueName::Kind::zone, id(rules_.zones.size())});
              rules::Zone zone;
              zone.name = n.name.text;
              zone.kind = ast::ZoneKind::pile;
              zone.type = kNoId;
              zone.deck = id(rules_.decks.size());
              zone.span = n.name.span;
              rules::Deck deck;
              deck.type = kNoId;
              deck.zone = id(rules_.zones.size());
              rules_.decks.push_back(std::move(deck));
              rules_.zones.push_back(std::move(zone));
              zone_infos_.push_back({nullptr, &n, &decl});
            },
            [&](const ast::ZoneDecl& n) {
              new_value(n.name, {ValueName::Kind::zone, id(rules_.zones.size())});
              rules::Zone zone;
              zone.name = n.name.text;
              zone.kind = n.kind;
              zone.type = kNoId;
              zone.span = n.name.span;
              rules_.zones.push_back(std::move(zone));
              zone_infos_.push_back({&n, nullptr, &decl});
            },
            [&](const ast::VarDecl& n) {
              declare_var(n, decl.tags, kNoId);
            },
            [&](const ast::LetDecl& n) {
              new_value(n.name, {ValueName::Kind::let, id(rules_.lets.size())});
              rules::Let let;
              let.name = n.name.text;
              let.value = kNoId;
              let.span = n.name.span;
              rules_.lets.push_back(std::move(let));
              LetInfo info;
              info.decl = &n;
              info.span = n.name.span;
              info.params.resize(n.params.size());
              for (const ast::Param& param : n.params) info.declared.push_back(param.type != nullptr);
              lets_.push_back(std::move(info));
            },
            [&](const ast::RuleDecl& n) {
              RoutineInfo info;
              info.rule = &n;
              info.params_decl = &n.params;
              info.tags = decl.tags;
              info.span = n.name.span;
              declare_routine(n.name, std::move(info), kNoId);
            },
            [&](const ast::Phase& n) { declare_phase(n, decl.tags, decl.span, kNoId, kNoId); },
            [&](const ast::When& n) { declare_when(n, decl.tags, decl.span, kNoId); },
            [&](const ast::SmallDecl&) { counts = false; },
            [&](const ast::VariantDecl&) { counts = false; },
            [&](const ast::ScenarioDecl&) { counts = false; },
            [&](const auto&) {},
        },
        decl.node);
    if (counts) decls_.push_back(&decl);
  }
}

void Checker::declare_routine(const ast::Name& name, RoutineInfo info, rules::PhaseId phase) {
  const auto id = static_cast<rules::RoutineId>(rules_.routines.size());
  new_procedure(name, {phase, id});
  rules::Routine routine;
  routine.name = name.text;
  routine.phase = phase;
  routine.span = name.span;
  rules_.routines.push_back(std::move(routine));
  info.params.resize(info.params_decl->size());
  for (const ast::Param& param : *info.params_decl) info.declared.push_back(param.type != nullptr);
  routines_.push_back(std::move(info));
}

void Checker::declare_phase(const ast::Phase& n, const ast::Tags& tags, Span span, rules::PhaseId parent, rules::RoutineId routine) {
  const auto id = static_cast<rules::PhaseId>(rules_.phases.size());
  if (!phase_ids_.emplace(&n, id).second) {
    report(Code::R0201, n.name.span, fmt::format("the phase `{}` stands in the script twice", n.name.text));
    return;
  }
  rules::Phase phase;
  phase.name = n.name.text;
  phase.parent = parent;
  phase.span = n.name.span;
  phase.routine = routine;
  if (n.has_params && parent != kNoId)
    report(Code::R0609, n.name.span, fmt::format("the phase `{}` has parameters, so it stands at the top", n.name.text));
  if (n.has_params) {
    phase.routine = static_cast<rules::RoutineId>(rules_.routines.size());
    RoutineInfo info;
    info.params_decl = &n.params;
    info.phase = &n;
    info.tags = tags;
    info.span = n.name.span;
    declare_routine(n.name, std::move(info), id);
  } else {
    new_procedure(n.name, {id, kNoId});
    if (parent == kNoId && n.name.text == "setup") rules_.setup = id;
  }
  const rules::RoutineId inside = phase.routine;
  rules_.phases.push_back(std::move(phase));
  phases_.push_back({&n, tags, span});
  if (n.loop && std::holds_alternative<ast::ForLoop>(*n.loop)) {
    for (const ast::Binder& binder : std::get<ast::ForLoop>(*n.loop).clause->binders) {
      if (binder.name.text == "_") {
        rules_.phases[id].bindings.push_back(kNoId);
        continue;
      }
      const auto var_id = static_cast<rules::VarId>(rules_.vars.size());
      new_value(binder.name, {ValueName::Kind::var, var_id});
      rules::Var var;
      var.kind = rules::Var::Kind::phase_binding;
      var.name = binder.name.text;
      var.phase = id;
      var.span = binder.name.span;
      var.cover = kNoId;
      rules_.vars.push_back(std::move(var));
      var_infos_.push_back({});
      rules_.phases[id].bindings.push_back(var_id);
    }
  }
  declare_nested(*n.body, id, inside);
}

// Phases, triggers and variables that stand directly in a phase.
void Checker::declare_nested(const ast::Block& block, rules::PhaseId phase, rules::RoutineId routine) {
  for (const ast::StmtRef& stmt : block.statements) {
    if (const auto* inner = std::get_if<ast::Phase>(&stmt->node)) declare_phase(*inner, stmt->tags, stmt->span, phase, routine);
    else if (const auto* when = std::get_if<ast::When>(&stmt->node)) declare_when(*when, stmt->tags, stmt->span, phase);
    else if (const auto* var = std::get_if<ast::VarDecl>(&stmt->node)) declare_var(*var, stmt->tags, phase);
  }
}

void Checker::declare_var(const ast::VarDecl& n, const ast::Tags& tags, rules::PhaseId phase) {
  const auto id = static_cast<rules::VarId>(rules_.vars.size());
  if (!var_ids_.emplace(&n, id).second) {
    report(Code::R0201, n.name.span, fmt::format("the variable `{}` stands in the script twice", n.name.text));
    return;
  }
  new_value(n.name, {ValueName::Kind::var, id});
  rules::Var var;
  var.kind = n.money ? rules::Var::Kind::money : rules::Var::Kind::variable;
  var.name = n.name.text;
  var.phase = phase;
  var.span = n.name.span;
  var.cover = kNoId;
  rules_.vars.push_back(std::move(var));
  var_infos_.push_back({&n, tags});
  if (phase != kNoId) rules_.phases[phase].variables.push_back(id);
}

void Checker::declare_when(const ast::When& n, const ast::Tags& tags, Span span, rules::PhaseId phase) {
  rules::When when;
  when.cover = kNoId;
  when.phase = phase;
  when.span = span;
  if (phase != kNoId) rules_.phases[phase].whens.push_back(static_cast<rules::WhenId>(rules_.whens.size()));
  rules_.whens.push_back(std::move(when));
  whens_.push_back({&n, tags, span});
}

}  // namespace rip::check
