// A bot that is fair: it knows what its seat has seen, and nothing else. Flat Monte Carlo over worlds that
// fit: each option is tried in the same worlds and played on at random from there (Ginsberg: GIB, imperfect information in a
// computationally challenging game, 2001; its rounds of chance and play are those of Abramson: Expected-outcome, a general
// model of static evaluation, 1990). Flow: Playable, the tape so far -> decide_by_bot -> the number of an option; used by cli/repl.
#pragma once

#include "verify/game.h"
#include "verify/tape.h"

#include <cstdint>
#include <string>

namespace rip::verify {

/// The work is counted and not timed, so that the same seed gives the same decision on every machine.
struct BotOptions {
  std::uint64_t playouts = 200;        ///< in all, shared evenly by the options; but each gets at least `fewest`
  std::uint64_t fewest = 4;
  std::uint64_t worlds = 8;            ///< at most so many are drawn
  std::uint64_t most_tried = 500;      ///< to find all ways that fit (WorldSampler); else
  std::size_t rounds = 100;            ///< of the walk to each world
  std::uint64_t options = 64;          ///< where there are more, so many of them are drawn, and the others not looked at
  std::size_t most_decisions = 2'000;  ///< of one playout; if it has not ended then, it counts as shared by all
};

/// The option that `seat` takes, in the order of legal_moves.
struct BotDecision {
  std::uint32_t index = 0;
  std::string error;  ///< why there is none: the seat is not asked there, or has no option
};
/// The best by the mean share of the win (winners share it), of equals the best by mean score, of equals the first. Whether high
/// scores or low ones are good is read off the playouts: those of winners against those of all. `tape` leads from the
/// beginning to where `seat` decides.
/// Where WorldSampler finds all ways that fit, the decision is the same in all of them; where it walks, it draws more worlds that are
/// near to the true one than there should be.
BotDecision decide_by_bot(const Playable& playable, const Tape& tape, int seat, Rng& rng, const BotOptions& options = {});
/// The numbers of the bot for its next decision: they depend on the seed and on how often the seat has decided, which it knows.
Rng rng_of_bot(std::uint64_t seed, const Tape& tape, int seat);

}  // namespace rip::verify
