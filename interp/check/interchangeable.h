// Values of enums that no rule names and no rule puts in order: a game goes on alike if they change places everywhere.
// Flow: checked rules -> here -> lower, for searches that keep only one of such positions.
#pragma once

#include "interp/check/rules.h"

#include <vector>

namespace rip::check {

/// By EnumId: 1 if its values may change places in any position. Says nothing of the deck: whether it has the same cards of
/// each value is for the searcher to see. Where it is not clear that an order is not read the answer is 0.
std::vector<char> interchangeable_enums(const rules::Rules& rules);

}  // namespace rip::check
