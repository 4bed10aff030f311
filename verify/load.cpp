#include "verify/editor.h"
#include "verify/game.h"

#include "grammar/expand.h"
#include "grammar/parser.h"
#include "interp/check/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <set>
#include <tuple>

namespace rip::verify {

namespace {

/// `set P to V` of a sheet is the new default of the parameter.
void apply_sets(grammar::Expanded& expanded, Diagnostics& diagnostics) {
  for (const auto& [name, value] : expanded.sets) {
    bool found = false;
    std::vector<std::string_view> names;
    for (ast::DeclRef& decl : expanded.script.declarations) {
      const auto* param = std::get_if<ast::ParamDecl>(&decl->node);
      if (param == nullptr) continue;
      names.push_back(param->name.text);
      if (param->name.text != name.text) continue;
      ast::Decl changed = *decl;
      std::get<ast::ParamDecl>(changed.node).value = value;
      decl = std::make_shared<const ast::Decl>(std::move(changed));
      found = true;
    }
    if (found) continue;
    Diagnostic& d = diagnostics.report(Code::R0901, name.span, fmt::format("there is no parameter `{}` to set", name.text));
    if (const std::string_view near = nearest(name.text, names); !near.empty()) d.hint = fmt::format("did you mean `{}`?", near);
  }
}

/// `known` is filled if it is not null.
std::unique_ptr<Version> make_version(Loaded& loaded, Known* known, VersionKind kind, std::string name, const ast::Decl* decl,
                                      const grammar::Chain& chain, const ast::SmallDecl* small) {
  auto version = std::make_unique<Version>();
  version->kind = kind;
  version->name = std::move(name);
  version->span = decl != nullptr ? decl->span : loaded.script.title_span;
  if (decl != nullptr) version->tags = decl->tags;
  grammar::Expanded expanded = grammar::expand(chain, small, version->diagnostics);
  apply_sets(expanded, version->diagnostics);
  version->script = std::move(expanded.script);
  version->scenarios = expanded.scenarios;
  for (const ast::Delta& delta : small != nullptr ? small->deltas : std::vector<ast::Delta>{}) {
    if (const auto* set = std::get_if<ast::DeltaSet>(&delta.node)) version->settled.push_back(set->name.text);
  }
  version->originals = std::move(expanded.originals);
  const bool broken = version->diagnostics.has_errors();
  if (broken && known == nullptr) return version;
  Diagnostics unread;  // of a broken sheet only the names are wanted
  Diagnostics& told = broken ? unread : version->diagnostics;
  check::CheckOptions options;
  options.names = known != nullptr ? &known->names : nullptr;
  options.in_variant = kind != VersionKind::base;
  auto rules = std::make_shared<rules::Rules>(check::check(version->script, expanded.scenarios, loaded.sources,
                                                           check::csv_beside_script(loaded.sources), told, options));
  rules->variant = version->name;
  if (known != nullptr) known->rules.push_back(rules);
  if (!broken && !told.has_errors()) version->rules = std::move(rules);
  return version;
}

/// The declaration of a sheet: its span and tags.
template <class Sheet>
const ast::Decl* declaration_of(const ast::Script& script, const Sheet* sheet) {
  for (const ast::DeclRef& decl : script.declarations) {
    if (const auto* here = std::get_if<Sheet>(&decl->node); here == sheet) return decl.get();
  }
  return nullptr;
}

/// Nothing but sheets for the games of other files, and scenarios of these.
bool only_sheets(const ast::Script& script) {
  const bool others = std::all_of(script.declarations.begin(), script.declarations.end(), [](const ast::DeclRef& decl) {
    return std::holds_alternative<ast::VariantDecl>(decl->node) || std::holds_alternative<ast::ScenarioDecl>(decl->node);
  });
  return others && !grammar::variants(script).empty();
}

/// The script in another file, read once. `of` is where this script names it; the path is meant from there.
const ast::Script* other_script(Loaded& loaded, const std::string& path, Span of) {
  const std::string whole = (std::filesystem::path(loaded.sources[of.file].path).parent_path() / path).lexically_normal().string();
  if (const auto known = loaded.others.find(whole); known != loaded.others.end()) return known->second.get();
  std::unique_ptr<ast::Script>& script = loaded.others[whole];
  ReadResult read = read_file(whole);
  if (!read.error.empty()) {
    loaded.syntax.report(Code::R0906, of, fmt::format("\"{}\" cannot be read: {}", whole, read.error));
    return nullptr;
  }
  const std::size_t errors = loaded.syntax.all().size();
  ast::Script other = grammar::parse(loaded.sources, loaded.sources.add(whole, std::move(read.text)), loaded.syntax);
  if (only_sheets(other)) {
    loaded.syntax.report(Code::R0906, of, fmt::format("\"{}\" has no game of its own, only variants of other files", whole));
  }
  if (loaded.syntax.all().size() == errors) script = std::make_unique<ast::Script>(std::move(other));
  return script.get();
}

/// Versions and scenarios are found by their names.
void report_twice(Loaded& loaded, const ast::Script& script) {
  std::set<std::pair<std::string, std::string>> versions, scenarios;
  for (const ast::DeclRef& decl : script.declarations) {
    const auto tell = [&](const char* what, const std::string& name) {
      loaded.syntax.report(Code::R0201, decl->span, fmt::format("the {} \"{}\" stands in the script twice", what, name)).hint = "give one of them another name";
    };
    if (const auto* variant = std::get_if<ast::VariantDecl>(&decl->node)) {
      if (!versions.emplace("", variant->name).second) tell("variant", variant->name);
    } else if (const auto* small = std::get_if<ast::SmallDecl>(&decl->node)) {
      if (!versions.emplace("", small->name).second) tell("small", small->name);
    } else if (const auto* scenario = std::get_if<ast::ScenarioDecl>(&decl->node)) {
      if (!scenarios.emplace(scenario->of, scenario->name).second) tell("scenario", scenario->name);
    }
  }
}

void make_versions(Loaded& loaded, Known* known) {
  const ast::Script& script = loaded.script;
  report_twice(loaded, script);
  const grammar::ScriptLoader load_other = [&](const std::string& path, Span of) { return other_script(loaded, path, of); };
  if (!only_sheets(script)) loaded.versions.push_back(make_version(loaded, known, VersionKind::base, "", nullptr, {&script, &script, {}, {}}, nullptr));
  for (const ast::VariantDecl* variant : grammar::variants(script)) {
    const auto add = [&](std::string name, const std::string& through) {
      const grammar::Chain chain = grammar::variant_chain(script, variant->name, load_other, loaded.syntax, through);
      if (chain.base == nullptr) return;
      loaded.versions.push_back(make_version(loaded, known, VersionKind::variant, std::move(name), declaration_of(script, variant), chain, nullptr));
    };
    add(variant->name, "");
    if (!variant->of.ends_with(".rip")) continue;
    for (const std::string& through : grammar::played_through(*variant)) add(fmt::format("{} of {}", variant->name, through), through);
  }
  for (const ast::SmallDecl* small : grammar::smalls(script)) {
    loaded.versions.push_back(make_version(loaded, known, VersionKind::small, small->name, declaration_of(script, small), {&script, &script, {}, {}}, small));
  }
  grammar::check_scenario_variants(script, loaded.syntax);
  for (const ast::DeclRef& decl : script.declarations) {
    const auto* scenario = std::get_if<ast::ScenarioDecl>(&decl->node);
    if (scenario == nullptr || !scenario->of.empty() || !only_sheets(script)) continue;
    loaded.syntax.report(Code::R0904, decl->span, "this file has no game of its own: a scenario names the variant that it plays").hint = "write `of \"...\"` behind its name";
  }
}

}  // namespace

std::string title(VersionKind kind, const std::string& name) {
  switch (kind) {
    case VersionKind::base: return "the game";
    case VersionKind::variant: return fmt::format("variant \"{}\"", name);
    case VersionKind::small: return fmt::format("small \"{}\"", name);
  }
  return name;
}

const Version* Loaded::find(std::string_view variant) const {
  for (const auto& version : versions) {
    if (version->name == variant) return version.get();
  }
  return nullptr;
}

bool Loaded::has_errors() const {
  return !unreadable.empty() || syntax.has_errors() ||
         std::any_of(versions.begin(), versions.end(), [](const auto& v) { return v->diagnostics.has_errors(); });
}

std::vector<Diagnostic> Loaded::diagnostics() const {
  std::vector<Diagnostic> all = syntax.sorted();
  for (const auto& version : versions) {
    for (Diagnostic& d : version->diagnostics.sorted()) {
      const bool known = std::any_of(all.begin(), all.end(), [&](const Diagnostic& other) { return other.code == d.code && other.span == d.span; });
      if (!known) all.push_back(std::move(d));
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::pair(a.span.file, a.span.begin) < std::pair(b.span.file, b.span.begin);
  });
  return all;
}

std::unique_ptr<Loaded> load_text(const std::string& path, std::string text) {
  auto loaded = std::make_unique<Loaded>();
  loaded->path = path;
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);  // a byte order mark
  const std::uint32_t file = loaded->sources.add(path, std::move(text));
  loaded->script = grammar::parse(loaded->sources, file, loaded->syntax);
  if (!loaded->syntax.has_errors()) make_versions(*loaded, nullptr);
  return loaded;
}

Known load_for_editor(const std::string& path, std::string text) {
  Known known;
  known.loaded = std::make_unique<Loaded>();
  Loaded& loaded = *known.loaded;
  loaded.path = path;
  if (text.starts_with("\xef\xbb\xbf")) text.replace(0, 3, "   ");  // a byte order mark; what follows keeps its place
  loaded.script = grammar::parse(loaded.sources, loaded.sources.add(path, std::move(text)), loaded.syntax);
  if (loaded.syntax.has_errors()) {
    const Diagnostics syntax = loaded.syntax;
    make_versions(loaded, &known);
    for (const auto& version : loaded.versions) {
      version->diagnostics = {};
      version->rules = nullptr;
    }
    loaded.syntax = syntax;
  } else {
    make_versions(loaded, &known);
  }
  const auto place = [](const check::NameUse& n) { return std::tuple(n.use.file, n.use.begin, n.use.end, n.definition.file, n.definition.begin, n.kind); };
  std::sort(known.names.begin(), known.names.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
  known.names.erase(std::unique(known.names.begin(), known.names.end(), [&](const auto& a, const auto& b) { return place(a) == place(b); }), known.names.end());
  return known;
}

std::unique_ptr<Loaded> load(const std::string& path) {
  ReadResult read = read_file(path);
  if (read.error.empty()) return load_text(path, std::move(read.text));
  auto loaded = std::make_unique<Loaded>();
  loaded->path = path;
  loaded->unreadable = read.error;
  return loaded;
}

std::vector<std::string> default_seats(int players) {
  std::vector<std::string> seats;
  for (int i = 0; i < players; ++i) seats.push_back(fmt::format("P{}", i + 1));
  return seats;
}

std::unique_ptr<Playable> prepare(std::shared_ptr<const rules::Rules> rules, const rules::Config& config, LowerOptions options) {
  auto playable = std::make_unique<Playable>();
  playable->rules = std::move(rules);
  playable->config = config;
  auto [box, error] = make_box(*playable->rules, playable->config);
  if (!error.message.empty()) {
    playable->error = std::move(error.message);
    playable->error_span = error.span;
    return playable;
  }
  playable->box = std::move(box);
  if (options.seats.empty()) options.seats = default_seats(config.players);
  playable->lowering = std::make_unique<Lowering>(*playable->rules, playable->box, playable->config, std::move(options));
  playable->lowering->game();
  if (!playable->lowering->error().empty()) {
    playable->error = playable->lowering->error();
    playable->error_span = playable->lowering->error_span();
    return playable;
  }
  playable->program = &playable->lowering->program();
  return playable;
}

}  // namespace rip::verify
