// Does anybody learn what they must not? A second world is made that a seat cannot tell from the true one: two components
// that it does not know, a variable hidden from it, or what a seat decides secretly or chance brings next, are other. View,
// options, turn and own score must be equal; after the same step only what a rule shows may differ. A difference counts once
// both worlds are reached from the deal with equal observations. Flow: Sitting -> Twins -> Leak; used by
// verify/random_play, verify/examine.
#pragma once

#include "verify/properties.h"
#include "verify/second_world.h"
#include "verify/tape.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rip::verify {

/// A seat notices a difference that no rule has shown to it.
struct Leak {
  int seat = 0;
  Swap swap;
  std::string swapped;      ///< `<money 5> in hand[Ann] and <guard> in crypt are exchanged`
  std::string what;         ///< `the options`, `whose turn it is`, `the log`, `the view of grave[2]`
  std::string here, there;  ///< what the seat notices in each world
  Span span;                ///< the rule that caused it
  Span span_there;          ///< if a rule caused what the second world shows
  Tape tape;                ///< the first world
};
Failure failure_of(const Leak& leak, const Playable& playable);

/// Looks for leaks along one game. What the game is about lately is tried first: moves of a kind that was seldom compared in
/// this game, and the components that they take or touch.
class Twins {
 public:
  explicit Twins(const Playable& playable);

  /// Compares up to `tries` second worlds where the game stands, at a decision or a chance point.
  std::optional<Leak> search(const Sitting& sitting, Rng& rng, int tries);
  /// The same, as often as this place deserves: rarely where much has been compared already in this game.
  std::optional<Leak> visit(const Sitting& sitting, Rng& rng);

  struct Difference {
    std::string what, here, there;
    Span span, span_there{};
  };
  /// What `seat` sees and is offered in one of these states and not in the other.
  std::optional<Difference> difference(State& here, State& there, int seat) { return at_rest(here, there, seat); }

  std::uint64_t compared = 0;     ///< second worlds looked at
  std::uint64_t unconfirmed = 0;  ///< differences in worlds that could not be reached

 private:
  // twins_pick.cpp
  bool pick_move(State& state, const Swap& swap, Rng& rng, Step& step);
  bool pick_swap(State& state, const Tape& tape, const Step& first, int seat, Rng& rng, Swap& swap);
  bool pick_components(State& state, const Tape& tape, const Step& first, int seat, Rng& rng, Swap& swap);
  bool pick_variable(State& state, const Tape& tape, int seat, Rng& rng, Swap& swap);
  bool pick_decision(State& state, Rng& rng, const Step& first, Swap& swap);
  bool pick_outcome(State& state, Rng& rng, Step& first, Swap& swap);
  void touched_by(const State& state, const Step& first, std::vector<std::int32_t>& out);
  bool hidden(State& state, std::int32_t component, int seat);
  // twins.cpp
  std::optional<Leak> compare(const Sitting& sitting, const Step& first, int seat, const Swap& swap, Rng& rng);
  std::optional<Difference> at_rest(State& here, State& there, int seat);
  std::optional<Difference> options_differ(State& here, State& there, int seat);
  bool take(Waiting here, Waiting there, const Step& step, int seat, const Swap& swap, bool parted);
  bool may_see_other(State& here, State& there, const Swap& swap, std::int32_t from, int seat);
  // twins_confirm.cpp
  std::optional<Leak> confirm(const Sitting& sitting, const std::vector<Step>& steps, int seat, const Swap& swap, const Difference& seen);
  std::string describe(const Sitting& sitting, const Swap& swap) const;

  const Playable& playable_;
  const ir::Program& program_;
  Machine here_, there_;
  bool hidden_variables_ = false, hidden_components_ = false;
  std::vector<std::uint32_t> taken_;    ///< by option: steps of second worlds
  std::vector<std::uint32_t> visited_;  ///< by instruction: how often `visit` has compared there
  std::vector<Move> moves_;             ///< scratch
};

}  // namespace rip::verify
