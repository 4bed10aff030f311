// Checked rules as text: stable, one declaration or statement a line. For tests and `ripdsl ir --stage rules`.
#pragma once

#include "interp/check/rules.h"

#include <string>

namespace rip::check {

std::string dump(const rules::Rules& rules);
std::string dump_expression(const rules::Rules& rules, rules::ExprId expr);
/// `0..5`, `Suit`, `set of Card`, `player?`.
std::string dump_type(const rules::Rules& rules, const rules::Type& type);

}  // namespace rip::check
