// A whole game of uniformly random decisions, for those who want nothing of it but its end: benchmarks and tests.
#pragma once

#include "interp/run/engine.h"

namespace rip {

/// Plays from the beginning until nobody can go on; gives the number of decisions. Allocates nothing once `state` has its size.
inline int play_out(Machine& machine, State& state, Rng& rng) {
  int decisions = 0;
  machine.start(state);
  Status status = machine.run(state, &rng);
  Move move;
  while (status == Status::decision || status == Status::checkpoint) {
    if (status == Status::decision) {
      const int seat = machine.to_move(state);
      if (machine.sample_move(state, seat, rng, move) == 0) break;
      machine.decide(state, seat, move);
      ++decisions;
      status = machine.status(state);
      if (status == Status::decision) continue;
    }
    status = machine.run(state, &rng);
  }
  return decisions;
}

}  // namespace rip
