// A world that fits all that a seat has seen: another way in which chance can have fallen and the others can have decided, so
// that the seat would have read, seen, been asked and been offered the same at every step. What a fair player of hidden
// information may assume of the table. Flow: a position, the tape that led on from it -> WorldSampler -> SampledWorld; used by
// cli/repl and verify/bot.
#pragma once

#include "verify/game.h"
#include "verify/tape.h"

#include <cstdint>
#include <memory>
#include <string>

namespace rip::verify {

struct SampleOptions {
  std::uint64_t most_tried = 5'000;  ///< runs between two decisions, before it is given up to find all ways
  std::size_t rounds = 0;            ///< changes tried for each world of a walk; 0: by the length of the game
};

struct SampledWorld {
  State state;          ///< where the game stands in that world
  Tape tape;            ///< how it came there from the position
  std::string error;    ///< why there is none: the tape does not fit the position, or ends at a chance point
};

/// Draws worlds for one seat at one moment. A game with few ways that fit is searched through, and each way comes with its exact
/// probability if the others decide uniformly at random. Where there are more, a walk leads from one to the next: one outcome
/// or decision of another seat is taken otherwise, the rest follows by renaming what was exchanged, and what the seat would
/// have noticed is refused (Metropolis and others: Equation of state calculations by fast computing machines, 1953). It has the
/// same probabilities if it is long enough and can reach all ways; it begins at the true world.
/// Cost: a search runs the rules at most `most_tried` times, once; a walk replays up to the whole game for each round.
/// What was laid before the position is as it is: nothing in it is drawn anew.
class WorldSampler {
 public:
  /// `from` as for count_worlds. `program` must outlive the sampler.
  WorldSampler(const ir::Program& program, const State& from, const Tape& tape, int seat, const SampleOptions& options = {});
  ~WorldSampler();

  SampledWorld sample(Rng& rng);
  /// All ways have been found; worlds are drawn with their exact probabilities.
  bool exact() const;
  /// How many ways fit, the true one among them; 0: they were not all found.
  std::uint64_t ways() const;

 private:
  class Search;
  std::unique_ptr<Search> search_;
};

/// One world for a game from its beginning.
SampledWorld sample_world(const Playable& playable, const Tape& tape, int seat, Rng& rng);

}  // namespace rip::verify
