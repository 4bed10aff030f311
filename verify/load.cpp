#include "verify/game.h"

#include "grammar/expand.h"
#include "grammar/parser.h"
#include "interp/check/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

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

std::unique_ptr<Version> make_version(Loaded& loaded, VersionKind kind, std::string name, Span span, ast::Tags tags,
                                      const std::vector<const ast::VariantDecl*>& chain, const ast::SmallDecl* small) {
  auto version = std::make_unique<Version>();
  version->kind = kind;
  version->name = std::move(name);
  version->span = span;
  version->tags = std::move(tags);
  grammar::Expanded expanded = chain.empty() && small == nullptr ? grammar::expand(loaded.script, version->diagnostics)
                                                                 : grammar::expand(loaded.script, chain, small, version->diagnostics);
  apply_sets(expanded, version->diagnostics);
  version->script = std::move(expanded.script);
  if (version->diagnostics.has_errors()) return version;
  check::CheckOptions options;
  options.in_variant = kind != VersionKind::base;
  auto rules = std::make_shared<rules::Rules>(check::check(version->script, expanded.scenarios, loaded.sources,
                                                           check::csv_beside_script(loaded.sources), version->diagnostics,
                                                           options));
  rules->variant = version->name;
  if (!version->diagnostics.has_errors()) version->rules = std::move(rules);
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

void make_versions(Loaded& loaded) {
  loaded.versions.push_back(make_version(loaded, VersionKind::base, "", loaded.script.title_span, {}, {}, nullptr));
  for (const ast::VariantDecl* variant : grammar::variants(loaded.script)) {
    const ast::Decl* decl = declaration_of(loaded.script, variant);
    const std::vector<const ast::VariantDecl*> chain = grammar::variant_chain(loaded.script, variant->name, loaded.syntax);
    if (chain.empty()) continue;
    loaded.versions.push_back(make_version(loaded, VersionKind::variant, variant->name, decl != nullptr ? decl->span : Span{},
                                           decl != nullptr ? decl->tags : ast::Tags{}, chain, nullptr));
  }
  for (const ast::SmallDecl* small : grammar::smalls(loaded.script)) {
    const ast::Decl* decl = declaration_of(loaded.script, small);
    loaded.versions.push_back(make_version(loaded, VersionKind::small, small->name, decl != nullptr ? decl->span : Span{},
                                           decl != nullptr ? decl->tags : ast::Tags{}, {}, small));
  }
  grammar::check_scenario_variants(loaded.script, loaded.syntax);
}

}  // namespace

std::string Version::title() const {
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
  const std::uint32_t file = loaded->sources.add(path, std::move(text));
  loaded->script = grammar::parse(loaded->sources, file, loaded->syntax);
  if (!loaded->syntax.has_errors()) make_versions(*loaded);
  return loaded;
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
