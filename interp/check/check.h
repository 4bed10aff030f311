// The checker: an expanded syntax tree becomes checked rules, or diagnostics say why not. Flow: grammar/parser ->
// grammar/expand -> here -> Rules -> interp/lower/lower, interp/reference, verify/.
#pragma once

#include "base/diagnostic.h"
#include "grammar/ast.h"
#include "interp/check/rules.h"
#include "interp/check/uses.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace rip::check {

struct CheckOptions {
  bool in_variant = false;  ///< what nothing reads is a warning, not an error
  std::vector<std::pair<ast::Name, ast::ExprRef>> sets;  ///< `set P to V` of the variant: instead of the default; later ones win
  std::vector<NameUse>* names = nullptr;  ///< where to note each name that is declared or read; null = nowhere
};

/// The file a deck is read from. `path` is as written in the script, `script` the file it is written in. `file` is the
/// index in Sources, where the loader has added it; `error` is empty when it was read.
struct CsvFile {
  std::uint32_t file = 0;
  std::string error;
};
using CsvLoader = std::function<CsvFile(const std::string& path, std::uint32_t script)>;
/// Reads the file from the folder of the script.
CsvLoader csv_beside_script(Sources& sources);

/// `scenarios` are those that belong to this version of the game. With errors in `diagnostics` the rules may be incomplete
/// and must not be played.
rules::Rules check(const ast::Script& expanded, const std::vector<ast::DeclRef>& scenarios, const Sources& sources,
                   const CsvLoader& load_csv, Diagnostics& diagnostics, CheckOptions options = {});

// ---- one line more, of a REPL or a test. They add to the rules; nullopt: see the diagnostics. ----

/// Sees all that is declared, phase names and variables, and the seats' names as values.
std::optional<rules::ExprId> check_expression(rules::Rules& rules, const ast::Expr& expr, const std::vector<std::string>& seats,
                                              Diagnostics& diagnostics);
std::optional<rules::Step> check_step(rules::Rules& rules, const ast::Step& step, const std::vector<std::string>& seats,
                                      Diagnostics& diagnostics);
std::optional<rules::MovePattern> check_move_call(rules::Rules& rules, const ast::MoveCall& call, Span span,
                                                  const std::vector<std::string>& seats, Diagnostics& diagnostics);

}  // namespace rip::check
