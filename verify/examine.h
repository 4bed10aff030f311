// One game under all properties, driven by a list of choices: the common ground of reproduction, shrinking and RapidCheck.
// Any list is a legal game: a choice counts modulo what there is, and what the list lacks is the first option.
// Flow: Choices + Playable -> examine -> Failure with the tape that shows it.
#pragma once

#include "verify/endless.h"
#include "verify/properties.h"
#include "verify/tape.h"
#include "verify/twins.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace rip::verify {

/// Chance and decisions are two streams on one tape: leaving out a draw does not shift the decisions.
struct Choice {
  bool chance = false;
  std::uint32_t value = 0;
  friend bool operator==(const Choice&, const Choice&) = default;
};
using Choices = std::vector<Choice>;
Choices choices_of(const Tape& tape);

struct ExamineOptions {
  bool thorough = false;             ///< universal properties at every stop
  bool leaks = false;                ///< second worlds at every stop: slow
  std::string only;                  ///< key of the failure that is sought; empty = any
  std::size_t most_steps = std::numeric_limits<std::size_t>::max();  ///< gives up after so many
  std::size_t most_decisions = 100000;
  std::uint64_t seed = 1;            ///< of what is sampled while examining
};
struct Examined {
  Tape tape;                         ///< up to the failure, or the whole game
  std::optional<Failure> failure;
  std::optional<Leak> leak;          ///< with a failure of that kind
  std::optional<EndlessGame> endless;  ///< if thorough: a position that came back
  Status ended = Status::running;
  std::size_t decisions = 0;
};
Examined examine(const Playable& playable, const Choices& choices, const ExamineOptions& options);
/// The game number `game` under `seed`.
Examined examine_game(const Playable& playable, std::uint64_t seed, std::uint64_t game, const ExamineOptions& options);
/// What a recorded game breaks now.
Examined examine_tape(const Playable& playable, const Tape& tape, const ExamineOptions& options);

}  // namespace rip::verify
