// Seats and moves as people type them. Used by play and the REPL.
#pragma once

#include "verify/pattern.h"
#include "verify/tape.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rip::cli {

/// `P2`, or a number counted from 0; nullopt: there is no such seat.
std::optional<int> seat_named(const std::vector<std::string>& seats, const std::string& word);

/// A line as a move with its arguments, `play(<money 5>, any)`; nullopt: the diagnostics say why not.
std::optional<rules::MovePattern> pattern_of(const std::string& line, const verify::Playable& playable, rules::Rules& rules, Sources& sources,
                                             Diagnostics& diagnostics);

/// What a line means among the options of a seat: its number from 1, its text, its name if that is enough, or a pattern
/// such as `play(<money 5>, any)`. `why` says what is wrong.
struct Meant {
  std::optional<std::uint32_t> index;
  std::string why;
};
Meant move_meant(const std::string& line, verify::Sitting& sitting, verify::Playable& playable, rules::Rules& rules, Sources& sources, int seat);

}  // namespace rip::cli
