// The same game on the slow second evaluator: it must offer the same options and have the same state at every decision.
// Flow: Tape -> interp/reference -> Failure (an internal error of this tool, not of the script); used by verify/random_play
// and before a counterexample is printed.
#pragma once

#include "verify/properties.h"
#include "verify/tape.h"

#include <optional>

namespace rip::verify {

struct Compared {
  bool comparable = true;  ///< false: the game has chance that the tape does not hold
  std::optional<Failure> failure;
};
Compared compare_with_oracle(const Playable& playable, const Tape& tape);

}  // namespace rip::verify
