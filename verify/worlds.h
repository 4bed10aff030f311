// How many worlds a seat cannot tell apart: in how many ways the others can have decided in secret so that the seat would have
// seen, read and been asked just the same, chance having fallen as it did. Exact, by playing each of them.
// Flow: a position, and the tape that led on from it -> here -> verify/scenario_run (`Ben has 23 worlds`), cli/repl.
#pragma once

#include "verify/tape.h"

#include <cstdint>
#include <string>

namespace rip::verify {

struct Worlds {
  std::uint64_t count = 0;  ///< the true one among them
  bool complete = true;     ///< false: there are more, counting took too long
  std::string error;        ///< the tape does not fit the position
};
/// `from` is a state that goes on by run(), or waits for the first step of the tape. At most `most` decisions are tried.
Worlds count_worlds(const ir::Program& program, const State& from, const Tape& tape, int seat, std::uint64_t most = 5'000'000);

}  // namespace rip::verify
