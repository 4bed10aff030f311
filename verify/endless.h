// Can a game go on for ever? It can if a position comes back: what led from it to itself may happen again. What a loop
// counts for its `cut off after` is left out, so the answer is that of the rules without it. Flow: verify/examine at every
// decision -> EndlessGame -> verify/report.
#pragma once

#include "verify/tape.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace rip::verify {

struct EndlessGame {
  std::size_t before = 0;          ///< steps to the position
  std::vector<std::string> loop;   ///< the steps that bring it back
  bool by_chance = false;          ///< some of them are chance
  bool cut_off = false;            ///< a `cut off after` ends it all the same
  std::size_t length() const { return before + loop.size(); }
};

/// Keeps what says more: a game that is not cut off, or else the shorter one.
void keep(std::optional<EndlessGame>& kept, std::optional<EndlessGame> other);

/// `a game can go on for ever: 9 steps lead to a position that comes back by P1 drop(<0>), P1 rest`
std::string text(const EndlessGame& game);

/// The steps of a game from `before` on lead round a loop.
EndlessGame endless_game(const Sitting& sitting, std::size_t before);

/// All positions of one game at which somebody decides.
class Positions {
 public:
  explicit Positions(const ir::Program& program);
  /// Looks whether the game has stood like this before, but for the passes of loops; if it can, where no loop with `cut off after`
  /// has passed since.
  std::optional<EndlessGame> test(const Sitting& sitting);

 private:
  const ir::Program& program_;
  std::vector<std::int32_t> counters_;   ///< of passes of loops: offsets in the state
  std::vector<std::int32_t> caps_;       ///< those of loops with `cut off after`
  std::vector<std::vector<std::uint8_t>> seen_;
  std::vector<std::vector<std::int32_t>> passes_;  ///< of the loops with `cut off after`, by position
  std::vector<std::size_t> steps_;       ///< of the tape, by position
  std::unordered_multimap<std::uint64_t, std::size_t> by_hash_;
};

}  // namespace rip::verify
