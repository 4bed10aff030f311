// How a game plays: many random games of one configuration, and what they were like. Sums of whole numbers, so the result
// does not depend on how many threads played. Flow: Playable -> simulate -> SimStats -> cli/sim (text, JSON).
#pragma once

#include "verify/game.h"

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace rip::verify {

/// Numbers as they come.
struct Spread {
  std::uint64_t n = 0;
  std::int64_t sum = 0;
  unsigned __int128 squares = 0;
  std::int64_t min = std::numeric_limits<std::int64_t>::max(), max = std::numeric_limits<std::int64_t>::min();
  std::map<std::int64_t, std::uint64_t> histogram;
  bool keeps_histogram = true;

  void add(std::int64_t value, std::uint64_t times = 1);
  void add(const Spread& other);
  double mean() const;
  double sd() const;
};

struct SeatStats {
  std::uint64_t wins = 0;         ///< alone
  std::uint64_t shared_wins = 0;  ///< together with others
  Spread score;
};
struct SimStats {
  std::uint64_t games = 0, faults = 0, unfinished = 0, nobody_won = 0;
  std::vector<SeatStats> seats;
  Spread decisions, options;
  std::map<std::string, std::uint64_t> ends, moves;
  std::vector<std::pair<std::string, Spread>> values;  ///< what the script reports
  struct Goal {
    std::uint64_t games = 0, times = 0;  ///< games that showed it, and how often
  };
  std::vector<std::pair<std::string, Goal>> goals;     ///< every `sometimes` that stands in the rules
  std::string first_fault;
  std::uint64_t first_fault_game = std::numeric_limits<std::uint64_t>::max();
  double seconds = 0;
  bool native = false;     ///< compiled games were played
  std::string not_native;  ///< why not, where they should have been
};
/// Whether games are compiled (interp/native): if it is worth the time, always, never.
enum class Native { when_long, always, never };
struct SimOptions {
  std::uint64_t seed = 1, games = 1000;
  unsigned jobs = 1;
  std::size_t most_decisions = 100000;
  Native native = Native::when_long;
};
/// Goals are counted if the game was prepared with them. The numbers are the same whoever plays.
SimStats simulate(const Playable& playable, const Sources& sources, const SimOptions& options);

/// The interval for a share of `n`, at 95 % (Wilson: Probable inference, the law of succession, and statistical inference, 1927).
std::pair<double, double> wilson(std::uint64_t successes, std::uint64_t n);

}  // namespace rip::verify
