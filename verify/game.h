// From a file to something that can be played: every version of a script (base, variants, small), checked, and one
// configuration of a version made ready for machines. Flow: grammar/, interp/check -> here -> everything in verify/, cli/.
#pragma once

#include "base/diagnostic.h"
#include "base/source.h"
#include "grammar/ast.h"
#include "interp/check/box.h"
#include "interp/lower/lower.h"
#include "interp/check/rules.h"
#include "interp/run/engine.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rip::verify {

enum class VersionKind { base, variant, small };

/// `the game`, `variant "flip"`, `small "two"`.
std::string title(VersionKind kind, const std::string& name);

/// One way the script can be read: the base game, or a sheet applied to it.
struct Version {
  VersionKind kind = VersionKind::base;
  std::string name;  ///< "" for the base
  Span span;
  ast::Tags tags;    ///< of the sheet itself
  ast::Script script;
  std::vector<ast::DeclRef> scenarios;
  std::vector<std::string> settled;  ///< parameters that a `small` sets: it is never played with other values
  std::vector<std::pair<Span, ast::ExprRef>> originals;  ///< see grammar::Expanded
  std::shared_ptr<rules::Rules> rules;  ///< null if it must not be played
  Diagnostics diagnostics;

  std::string title() const { return verify::title(kind, name); }
};

/// A script with everything that was found out about it before play.
struct Loaded {
  std::string path;
  std::string unreadable;  ///< why the file could not be read; empty = it was
  Sources sources;
  Diagnostics syntax;
  ast::Script script;
  std::map<std::string, std::unique_ptr<ast::Script>> others;  ///< by path: what variants here build on; null = unusable
  std::vector<std::unique_ptr<Version>> versions;  ///< the base first, if the file has one; none after syntax errors

  const Version* find(std::string_view variant) const;
  bool has_errors() const;
  /// All diagnostics by place; what base and variants have in common stands once.
  std::vector<Diagnostic> diagnostics() const;
};
std::unique_ptr<Loaded> load(const std::string& path);
std::unique_ptr<Loaded> load_text(const std::string& path, std::string text);

// ---- configurations ---------------------------------------------------------------------------------------------

/// A configuration, or one sentence that says what is wrong with the wish for it.
struct Configured {
  rules::Config config;
  std::string error;
};
/// `settings` are `NAME=VALUE`, a table as `NAME=v,v,v`. `players` 0 means the usual number.
Configured configure(const rules::Rules& rules, int players, const std::vector<std::string>& settings);
/// The value of a parameter as a script writes it; a table in brackets.
std::string param_text(const rules::Rules& rules, rules::ParamId param, const std::vector<std::int64_t>& values);
/// All parameters by name, in the order declared.
std::vector<std::pair<std::string, std::string>> params_of(const rules::Rules& rules, const rules::Config& config);
/// The parameters that differ from the defaults, as `NAME=VALUE`.
std::vector<std::string> settings_of(const rules::Rules& rules, const rules::Config& config);
/// The lowest value a parameter may have, and the highest; both as its type declares them.
std::pair<std::int64_t, std::int64_t> param_range(const rules::Rules& rules, rules::ParamId param, int players);

/// One configuration, lowered. Machines for it may run on several threads; it must outlive them.
struct Playable {
  std::shared_ptr<const rules::Rules> rules;
  rules::Config config;
  Box box;
  std::unique_ptr<Lowering> lowering;
  const ir::Program* program = nullptr;  ///< null with an error
  std::string error;
  Span error_span;

  const std::string& seat(int index) const { return program->seats[static_cast<std::size_t>(index)]; }
  int players() const { return config.players; }
};
std::unique_ptr<Playable> prepare(std::shared_ptr<const rules::Rules> rules, const rules::Config& config, LowerOptions options = {});
/// `P1`, `P2` ...: names of seats where a scenario gives none; they can be written in expressions.
std::vector<std::string> default_seats(int players);

}  // namespace rip::verify
