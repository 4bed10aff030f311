// A version of a script as one text of its own: what the sheet changed stands in its place, all else as it was written, with
// its comments. Flow: grammar/expand -> here -> grammar/format; cli/expand prints it.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/source.h"
#include "grammar/ast.h"

namespace rip::grammar {

struct WrittenVersion {
  const ast::Script& script;                                     ///< of grammar::Expanded, with the values set in it
  const std::vector<ast::DeclRef>& scenarios;
  const std::vector<std::pair<Span, ast::ExprRef>>& originals;   ///< of grammar::Expanded
  std::string heading;                                           ///< a comment that goes first, without its `#`
  /// The path of a card list as the new script has to name it, from its path as written and the file it is written in.
  std::function<std::string(const std::string& path, std::uint32_t file)> card_list;
};

/// The text; not laid out. Read again it has the tree of the version, except that what was kept under a name nobody can
/// write (`f'`) is now called `original_f`, or more if that word is taken.
std::string written(const WrittenVersion& version, const Sources& sources);

}  // namespace rip::grammar
