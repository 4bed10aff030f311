// Variants: an errata sheet applied to a script, on the syntax tree, before any name is looked up. A `small` block is a
// variant for exhaustive search. Flow: grammar/parser -> here -> interp/check.
//
// What a sheet does to margin notes. A note names an address in the base and a clause to be covered, so:
// - the notes of a construct replaced by its tag pass on to the first thing put in its place, unless that holds `original`,
//   which keeps them; a declaration replaced by its name hands them on only to one that has none of its own;
// - an inserted construct has its own notes and those of the sheet's line that inserts it;
// - the notes of `set` go to the parameter, those of `remove` to a note, since nothing else is left to carry them.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "grammar/ast.h"

namespace rip::grammar {

struct Expanded {
  ast::Script script;                                    ///< no variant, small or scenario among its declarations
  std::vector<ast::DeclRef> scenarios;                   ///< those that play this version
  std::vector<std::pair<ast::Name, ast::ExprRef>> sets;  ///< `set P to V`, in the order written: later ones win
  std::vector<std::pair<Span, ast::ExprRef>> originals;  ///< where a value `original` was written, and what it stands for
};

/// The script in the file that `of "other.rip"` at `of` names, or null if it cannot be had (which the loader reports). It
/// must outlive the chain.
using ScriptLoader = std::function<const ast::Script*(const std::string& path, Span of)>;

/// The sheets of a version, to be applied in this order to `base`.
struct Chain {
  const ast::Script* base = nullptr;  ///< `home`, or the script of another file; null = the chain is broken (reported)
  const ast::Script* home = nullptr;  ///< the script that declares the version and holds its scenarios
  std::vector<const ast::VariantDecl*> sheets;
  std::string through;  ///< the variant of another file between its base and the sheet
};

/// The base game: without variants.
Expanded expand(const ast::Script& base, Diagnostics& diagnostics);

/// The base with the variants of `chain` applied one after the other, then `small` if not null. Faults of a sheet (a target
/// that is missing or stands twice) are reported at the sheet, with the places in the base.
Expanded expand(const ast::Script& base, const std::vector<const ast::VariantDecl*>& chain, const ast::SmallDecl* small, Diagnostics& diagnostics);
Expanded expand(const Chain& chain, const ast::SmallDecl* small, Diagnostics& diagnostics);

/// The sheets of the variant with this name, base first. `through` names a variant of another file that comes before a sheet
/// `of "other.rip"`: what a scenario in it with `of "V"` plays. A name that does not exist, or a circle, is reported.
Chain variant_chain(const ast::Script& script, const std::string& name, const ScriptLoader& load, Diagnostics& diagnostics, const std::string& through = "");
/// The same within one file; empty if the chain is broken.
std::vector<const ast::VariantDecl*> variant_chain(const ast::Script& script, const std::string& name, Diagnostics& diagnostics);

std::vector<const ast::VariantDecl*> variants(const ast::Script& script);
std::vector<const ast::SmallDecl*> smalls(const ast::Script& script);
/// The variants of the other file that scenarios in this sheet play, each once, in the order written.
std::vector<std::string> played_through(const ast::VariantDecl& variant);
/// Scenarios `of` a variant that does not exist are reported.
void check_scenario_variants(const ast::Script& script, Diagnostics& diagnostics);

}  // namespace rip::grammar
