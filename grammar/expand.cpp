#include "grammar/expand.h"

#include <fmt/format.h>

#include <algorithm>

#include "grammar/sheet.h"

namespace rip::grammar {

using namespace ast;

namespace {

std::vector<std::string_view> names_of(const std::vector<const VariantDecl*>& variants) {
  std::vector<std::string_view> names;
  for (const VariantDecl* variant : variants) names.emplace_back(variant->name);
  return names;
}

const VariantDecl* find_variant(const Script& script, const std::string& name) {
  const auto all = variants(script);
  const auto found = std::find_if(all.begin(), all.end(), [&](const VariantDecl* v) { return v->name == name; });
  return found == all.end() ? nullptr : *found;
}

void report_unknown(const Script& script, const std::string& name, Span span, Diagnostics& diagnostics) {
  Diagnostic& report = diagnostics.report(Code::R0904, span, fmt::format("no variant is called \"{}\"", name));
  if (const std::string_view near = nearest(name, names_of(variants(script))); !near.empty()) report.hint = fmt::format("did you mean \"{}\"?", near);
}

/// Where a scenario in the sheet names the variant that it plays.
Span played_at(const VariantDecl& sheet, const std::string& variant) {
  for (const Delta& delta : sheet.deltas) {
    const auto* decl = std::get_if<DeclRef>(&delta.node);
    const auto* scenario = decl == nullptr ? nullptr : std::get_if<ScenarioDecl>(&(*decl)->node);
    if (scenario != nullptr && scenario->of == variant) return scenario->of_span;
  }
  return {};
}

bool names_file(const std::string& of) { return of.ends_with(".rip"); }

}  // namespace

std::vector<const VariantDecl*> variants(const Script& script) {
  std::vector<const VariantDecl*> out;
  for (const DeclRef& decl : script.declarations) {
    if (const auto* variant = std::get_if<VariantDecl>(&decl->node)) out.push_back(variant);
  }
  return out;
}

std::vector<const SmallDecl*> smalls(const Script& script) {
  std::vector<const SmallDecl*> out;
  for (const DeclRef& decl : script.declarations) {
    if (const auto* small = std::get_if<SmallDecl>(&decl->node)) out.push_back(small);
  }
  return out;
}

std::vector<std::string> played_through(const VariantDecl& variant) {
  std::vector<std::string> out;
  for (const Delta& delta : variant.deltas) {
    const auto* decl = std::get_if<DeclRef>(&delta.node);
    const auto* scenario = decl == nullptr ? nullptr : std::get_if<ScenarioDecl>(&(*decl)->node);
    if (scenario == nullptr || scenario->of.empty() || scenario->of == variant.name) continue;
    if (std::find(out.begin(), out.end(), scenario->of) == out.end()) out.push_back(scenario->of);
  }
  return out;
}

void check_scenario_variants(const Script& script, Diagnostics& diagnostics) {
  for (const DeclRef& decl : script.declarations) {
    if (const auto* scenario = std::get_if<ScenarioDecl>(&decl->node)) {
      if (!scenario->of.empty() && find_variant(script, scenario->of) == nullptr) report_unknown(script, scenario->of, scenario->of_span, diagnostics);
    }
    const auto* variant = std::get_if<VariantDecl>(&decl->node);
    if (variant == nullptr || names_file(variant->of)) continue;
    for (const Delta& delta : variant->deltas) {
      const auto* inner = std::get_if<DeclRef>(&delta.node);
      const auto* scenario = inner == nullptr ? nullptr : std::get_if<ScenarioDecl>(&(*inner)->node);
      if (scenario == nullptr || scenario->of.empty() || scenario->of == variant->name) continue;
      diagnostics.report(Code::R0904, scenario->of_span, fmt::format("a scenario in variant \"{}\" plays that variant", variant->name)).hint =
          "move the scenario out of the variant";
    }
  }
}

Chain variant_chain(const Script& script, const std::string& name, const ScriptLoader& load, Diagnostics& diagnostics, const std::string& through) {
  Chain chain{&script, &script, {}, {}};
  std::string wanted = name;
  Span span = script.title_span;
  while (!wanted.empty()) {
    if (!chain.sheets.empty() && names_file(wanted)) {
      chain.base = load ? load(wanted, span) : nullptr;
      if (!load) diagnostics.report(Code::R0906, span, fmt::format("\"{}\" cannot be read from here", wanted));
      if (chain.base == nullptr || through.empty()) return chain;
      if (find_variant(*chain.base, through) == nullptr) {
        report_unknown(*chain.base, through, played_at(*chain.sheets.back(), through), diagnostics);
        return {nullptr, &script, {}, {}};
      }
      const Chain before = variant_chain(*chain.base, through, load, diagnostics);
      chain.base = before.base;
      chain.through = through;
      chain.sheets.insert(chain.sheets.begin(), before.sheets.begin(), before.sheets.end());
      return chain;
    }
    const VariantDecl* found = find_variant(script, wanted);
    if (found == nullptr) {
      report_unknown(script, wanted, span, diagnostics);
      return {nullptr, &script, {}, {}};
    }
    if (std::find(chain.sheets.begin(), chain.sheets.end(), found) != chain.sheets.end()) {
      diagnostics.report(Code::R0904, span, fmt::format("variant \"{}\" builds on itself", wanted));
      return {nullptr, &script, {}, {}};
    }
    chain.sheets.insert(chain.sheets.begin(), found);
    wanted = found->of;
    span = found->of_span;
  }
  return chain;
}

std::vector<const VariantDecl*> variant_chain(const Script& script, const std::string& name, Diagnostics& diagnostics) {
  const Chain chain = variant_chain(script, name, nullptr, diagnostics);
  return chain.base == &script ? chain.sheets : std::vector<const VariantDecl*>{};
}

Expanded expand(const Script& base, Diagnostics& diagnostics) { return expand(base, {}, nullptr, diagnostics); }

Expanded expand(const Script& base, const std::vector<const VariantDecl*>& chain, const SmallDecl* small, Diagnostics& diagnostics) {
  return expand(Chain{&base, &base, chain, {}}, small, diagnostics);
}

Expanded expand(const Chain& chain, const SmallDecl* small, Diagnostics& diagnostics) {
  Expanded out;
  if (chain.base == nullptr) return out;
  out.script = *chain.base;
  std::erase_if(out.script.declarations, [](const DeclRef& decl) {
    return std::holds_alternative<ScenarioDecl>(decl->node) || std::holds_alternative<VariantDecl>(decl->node) || std::holds_alternative<SmallDecl>(decl->node);
  });
  Sheet sheet(out, diagnostics);
  for (const VariantDecl* variant : chain.sheets) {
    sheet.drop_claims_of_base();
    sheet.apply(variant->deltas);
  }
  const std::string version = chain.sheets.empty() ? "" : chain.sheets.back()->name;
  // inside a sheet: its own, or those of the version through which it is reached; outside: those that name this version
  std::erase_if(out.scenarios, [&](const DeclRef& decl) {
    const std::string& of = std::get<ScenarioDecl>(decl->node).of;
    return chain.through.empty() ? !of.empty() && of != version : of != chain.through;
  });
  if (chain.through.empty()) {
    for (const DeclRef& decl : chain.home->declarations) {
      const auto* scenario = std::get_if<ScenarioDecl>(&decl->node);
      if (scenario != nullptr && scenario->of == version) out.scenarios.push_back(decl);
    }
  }
  if (small != nullptr) {
    sheet.drop_claims_of_base();
    sheet.apply(small->deltas);
    out.scenarios.clear();
  }
  return out;
}

}  // namespace rip::grammar
