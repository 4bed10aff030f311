// Every stage of a script as text, for people who look inside: tokens, syntax tree, checked rules, IR, layout of the state.
// Flow: verify::Loaded, Playable -> here -> cli/ir.
#pragma once

#include "verify/game.h"

#include <string>

namespace rip::cli {

std::string dump_tokens(const Sources& sources, std::uint32_t file);
std::string dump_tree(const ast::Script& script, const Sources& sources);
/// Declarations with the types and ranges that were found.
std::string dump_rules(const rules::Rules& rules, const Sources& sources);
std::string dump_code(const ir::Program& program, const Sources& sources);
std::string dump_layout(const ir::Program& program);

}  // namespace rip::cli
