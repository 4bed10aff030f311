// Text to syntax tree. PEGTL reads (rules.h), its nodes become the syntax tree (build_*.cpp). Several errors per run.
#pragma once

#include "base/diagnostic.h"
#include "base/source.h"
#include "grammar/ast.h"
#include "grammar/node.h"

#include <optional>

namespace rip::grammar {

/// The script in `file`; with errors reported, what could be read of it.
ast::Script parse(const Sources& sources, std::uint32_t file, Diagnostics& diagnostics);

/// The same before it becomes a syntax tree. The nodes point into the text of `sources`.
NodeTree parse_nodes(const Sources& sources, std::uint32_t file, Diagnostics& diagnostics);

/// The whole file is one expression, one scenario step, one move with its arguments: a line of the REPL. Null, nothing
/// and a diagnostic where it is not.
ast::ExprRef parse_expression(const Sources& sources, std::uint32_t file, Diagnostics& diagnostics);
std::optional<ast::Step> parse_step(const Sources& sources, std::uint32_t file, Diagnostics& diagnostics);
std::optional<ast::MoveCall> parse_move_call(const Sources& sources, std::uint32_t file, Diagnostics& diagnostics);

/// Loops without progress in the grammar, as PEGTL's analysis finds them: 0.
std::size_t grammar_problems();

}  // namespace rip::grammar
