// Stages of a script as text, for people who look inside: tokens, syntax tree, layout of the state. Checked rules and IR have
// their printers in interp/check/dump.h and interp/ir/print.h. Flow: verify::Loaded, Playable -> here -> cli/ir.
#pragma once

#include "verify/game.h"

#include <string>

namespace rip::cli {

std::string dump_tokens(const Sources& sources, std::uint32_t file);
std::string dump_tree(const ast::Script& script, const Sources& sources);
std::string dump_layout(const ir::Program& program);

}  // namespace rip::cli
