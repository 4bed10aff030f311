// Variants: an errata sheet applied to a script, on the syntax tree, before any name is looked up. A `small` block is a
// variant for exhaustive search. Flow: grammar/parser -> here -> interp/check.
#pragma once

#include "base/diagnostic.h"
#include "grammar/ast.h"

#include <functional>
#include <string>
#include <vector>

namespace rip::grammar {

struct Expanded {
  ast::Script script;                                       ///< no variant, small or scenario among its declarations
  std::vector<ast::DeclRef> scenarios;                      ///< those that play this version
  std::vector<std::pair<ast::Name, ast::ExprRef>> sets;     ///< `set P to V`, in the order written: later ones win
};

/// The base game: without variants.
Expanded expand(const ast::Script& base, Diagnostics& diagnostics);

/// The base with the variants of `chain` applied one after the other, then `small` if not null. Faults of a sheet (a target
/// that is missing or stands twice) are reported at the sheet, with the places in the base.
Expanded expand(const ast::Script& base, const std::vector<const ast::VariantDecl*>& chain, const ast::SmallDecl* small, Diagnostics& diagnostics);

/// The variants to apply, base first, for the one of this name; empty if there is none, or `of` names none (reported).
std::vector<const ast::VariantDecl*> variant_chain(const ast::Script& script, const std::string& name, Diagnostics& diagnostics);
std::vector<const ast::VariantDecl*> variants(const ast::Script& script);
std::vector<const ast::SmallDecl*> smalls(const ast::Script& script);
/// Scenarios `of` a variant that does not exist are reported.
void check_scenario_variants(const ast::Script& script, Diagnostics& diagnostics);

}  // namespace rip::grammar
