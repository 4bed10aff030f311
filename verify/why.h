// Why a seat cannot choose a move: the part of its condition that does not hold, where it stands, and the values it read.
// The condition is asked part by part, with the arguments in the places where the body of the option would find them.
// Flow: rules::MovePattern + a game that waits -> here -> cli/repl.
#pragma once

#include "base/source.h"
#include "interp/check/rules.h"
#include "verify/game.h"

#include <string>
#include <vector>

namespace rip::verify {

struct WhyNot {
  std::string reason;               ///< one sentence
  Span span;                        ///< what it speaks of; without text: nothing of the script
  std::vector<std::string> values;  ///< `c.value is 4`
};

/// `seat` is asked in `state`. Of several arguments that the pattern can mean, the ones that come closest speak. The `rules`, those
/// of `playable`, and its program grow by what is read; the reason of a move that can be chosen is empty.
WhyNot why_not(const rules::MovePattern& pattern, Playable& playable, rules::Rules& rules, const Sources& sources, const State& state, int seat);

}  // namespace rip::verify
