// The IR as text, for people and for golden files. Flow: check/lower -> Program -> here -> cli.
#pragma once

#include "interp/ir/ir.h"

#include <string>

namespace rip::ir {

/// The whole program: the layout of the state, zones, variables, definitions, code by routine with its addresses.
std::string print(const Program& program);
/// One expression, its operands nested: `add(cell(204 i8), 1)`.
std::string print(const Program& program, Node node);

}  // namespace rip::ir
