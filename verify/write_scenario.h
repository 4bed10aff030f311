// A game that was played, as a scenario: the table after setup, the decisions with the chance between them, what the last one changed.
// Flow: Tape -> here -> text to paste into the script; cli/repl.
#pragma once

#include "verify/tape.h"

#include <string>
#include <vector>

namespace rip::verify {

struct WrittenScenario {
  std::string text;                ///< in the layout of `fmt`
  std::vector<std::string> free;   ///< chance that a scenario cannot fix, in words; it must not matter
  std::string error;               ///< why there is none: nothing has been decided after setup
};
/// `rules` are those of `playable`: reading variables adds to them.
WrittenScenario write_scenario(Playable& playable, rules::Rules& rules, const Tape& tape, const std::string& title);

}  // namespace rip::verify
