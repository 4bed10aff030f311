// Does anybody learn what they must not? At a decision a second world is made that a seat cannot tell from the true one: two
// components that it does not know, or a variable hidden from it, are other. View, options and turn must be equal; after the
// same step only what a rule shows may differ. A difference counts once both worlds are reached from the deal with equal
// observations. Flow: Sitting -> Twins -> Leak; used by verify/random_play, verify/examine.
#pragma once

#include "verify/properties.h"
#include "verify/tape.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rip::verify {

/// What is other in the second world.
struct Swap {
  std::int32_t a = -1, b = -1;          ///< components, or
  std::int32_t var = -1, at = 0;        ///< a cell of a variable
  std::int64_t value = 0, other = 0;    ///< what it holds in the first and the second world
  bool of_components() const { return a >= 0; }
};

/// A seat notices a difference that no rule has shown to it.
struct Leak {
  int seat = 0;
  Swap swap;
  std::string swapped;      ///< `<money 5> in hand[Ann] and <guard> in crypt are exchanged`
  std::string what;         ///< `the options`, `whose turn it is`, `the log`, `the view of grave[2]`
  std::string here, there;  ///< what the seat notices in each world
  Span span;                ///< the rule that caused it
  Tape tape;                ///< the first world
};
Failure failure_of(const Leak& leak, const Playable& playable);

class Twins {
 public:
  explicit Twins(const Playable& playable);

  /// Compares up to `tries` second worlds at the decision where the game stands.
  std::optional<Leak> search(const Sitting& sitting, Rng& rng, int tries);

  struct Difference {
    std::string what, here, there;
    Span span;
  };
  /// What `seat` sees and is offered in one of these states and not in the other.
  std::optional<Difference> difference(State& here, State& there, int seat) { return at_rest(here, there, seat); }

  std::uint64_t compared = 0;     ///< second worlds looked at
  std::uint64_t unconfirmed = 0;  ///< differences in worlds that could not be reached

 private:
  bool pick_components(const State& state, int seat, Rng& rng, Swap& swap);
  bool pick_variable(State& state, const Tape& tape, int seat, Rng& rng, Swap& swap);
  std::optional<Leak> compare(const Sitting& sitting, int seat, const Swap& swap, Rng& rng);
  std::optional<Difference> at_rest(State& here, State& there, int seat);
  std::optional<Difference> options_differ(State& here, State& there, int seat);
  std::optional<Leak> confirm(const Sitting& sitting, const std::vector<Step>& steps, int seat, const Swap& swap, const Difference& seen);
  std::string describe(const State& state, const Swap& swap) const;

  const Playable& playable_;
  const ir::Program& program_;
  Machine here_, there_;
};

}  // namespace rip::verify
