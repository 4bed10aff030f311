// The same game on the slow second evaluator: at every decision it must have the same state and offer the
// same options, at every chance point the same outcomes with the same weights.
// Flow: Tape -> interp/reference -> Failure (an internal error of this tool, not of the script); used by verify/random_play
// and before a counterexample is printed.
#pragma once

#include "verify/properties.h"
#include "verify/tape.h"

#include <optional>

namespace rip::verify {

/// Where the two part; nothing if they agree in all of the tape.
std::optional<Failure> compare_with_oracle(const Playable& playable, const Tape& tape);

}  // namespace rip::verify
