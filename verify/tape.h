// A game as the list of what came from outside: decisions and chance on one tape of indices. Same script, same tape, same
// game. Flow: Playable -> Sitting (a game under way) -> Tape -> verify/trace (on disk), verify/transcript (for people).
#pragma once

#include "interp/run/engine.h"
#include "verify/game.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace rip::verify {

/// One decision or one chance outcome.
struct Step {
  std::int32_t seat = -1;   ///< -1: chance
  std::uint32_t index = 0;  ///< among the options, or outcomes, in their order
  std::uint32_t of = 1;
  Move move;                ///< of a decision
  std::int32_t value = 0;   ///< of chance: a component, face or value
  bool chance() const { return seat < 0; }
};
using Tape = std::vector<Step>;

/// A game under way: a machine of its own, the state, and the tape of how it came here. Checkpoints are passed over.
class Sitting {
 public:
  explicit Sitting(const Playable& playable, Observer* observer = nullptr);

  const Playable& playable;
  Machine machine;
  State state;
  Tape tape;
  Status status = Status::running;
  bool after_setup = false;  ///< claims are tested from here on
  std::function<void()> setup_done;
  std::function<bool(ir::Pc)> pause;  ///< asked before instructions; with true the game pauses there: `running`
  std::size_t runs = 0;      ///< how often the rules went on: a seat that decides beside others does not change it

  /// Starts and runs to the first stop.
  void begin();
  /// The seat takes the option with this number; then the game runs to its next stop.
  void decide(int seat, std::uint32_t index);
  void settle(std::uint32_t index);
  /// From a pause to the next pause or stop.
  void go_on();
  /// A seat without a move is a fault that shows when its moves are asked for; asks.
  void find_stuck();
  bool waits() const { return status == Status::decision || status == Status::chance; }
  std::size_t decisions() const { return decisions_; }

 private:
  void run();
  std::size_t decisions_ = 0;
  std::vector<Outcome> outcomes_;
};

/// On to where the game waits, or ends; a checkpoint is passed over.
Status run_on(Machine& machine, State& state);

/// The game number `game` under `seed`, played at random; stops after `limit` decisions. All of ripdsl plays the same game
/// for the same seed and number.
Tape record(const Playable& playable, std::uint64_t seed, std::uint64_t game, std::size_t limit);
/// One step at random, as `record` takes it. False: the game does not wait.
bool step_at_random(Sitting& sitting, Rng& rng);

/// How far a tape fits: all of it, or the number of the first step that does not, and why.
struct Fit {
  std::size_t steps = 0;
  std::string misfit;  ///< empty: all fitted
};
/// Takes the steps of a tape by their indices.
Fit replay(Sitting& sitting, const Tape& tape);

/// `3/25 0/6 1/2`: the index path, stable and short.
std::string index_path(const Tape& tape);

}  // namespace rip::verify
