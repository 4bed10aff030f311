// Plain simulators, written by hand for one game each: what a good engineer would write in an afternoon to find out how a game
// plays. Arrays, no allocation, our generator, every option equally likely. They are the yardstick for the same games as scripts.
#pragma once

#include "interp/run/rng.h"

#include <cstdint>

namespace rip::bench {

struct Played {
  int decisions = 0;
  std::uint32_t winners = 0;  ///< mask of seats
  int scores[8] = {};
};

Played play_leduc(Rng& rng);
Played play_tricks(Rng& rng);        ///< 60 cards, five players: bench/sixty.rip
Played play_vertippt(Rng& rng);      ///< four players, two laps
Played play_gravediggers(Rng& rng);  ///< four players

/// The first `n` in a uniformly random order.
template <class T>
void shuffle(T* cards, int n, Rng& rng) {
  for (int i = n - 1; i > 0; --i) {
    const auto k = static_cast<int>(rng.below(static_cast<std::uint64_t>(i) + 1));
    const T held = cards[i];
    cards[i] = cards[k];
    cards[k] = held;
  }
}

inline int pick(int n, Rng& rng) { return static_cast<int>(rng.below(static_cast<std::uint64_t>(n))); }

}  // namespace rip::bench
