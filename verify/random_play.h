// Many random games of one configuration: most of them at full speed under the author's claims, a share under all universal
// properties, a share beside twin worlds, a share on the second evaluator. Flow: Playable -> RandomPlay (one per thread)
// -> PlayStats, added up -> verify/check.
#pragma once

#include "verify/claims.h"
#include "verify/examine.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace rip::verify {

/// A failure as it was met; reproduced and shrunk later.
struct Met {
  Failure failure;
  std::uint64_t game = 0;
  bool thorough = false;  ///< needs the thorough examination to show
  std::optional<Leak> leak;
};

struct PlayStats {
  explicit PlayStats(const ir::Program& program) : tally(program) {}
  std::uint64_t games = 0, thorough = 0, beside_twins = 0, on_oracle = 0;
  std::uint64_t twins = 0, unconfirmed = 0;
  std::uint64_t decision_sum = 0;
  std::vector<std::uint32_t> decisions;         ///< by game, in no order
  std::map<std::int32_t, std::uint64_t> ends;   ///< by the instruction that ended the game; -1: the limit
  Tally tally;
  std::optional<EndlessGame> endless;           ///< the shortest
  std::vector<Met> met;                         ///< each key once, the earliest game
  double seconds = 0;

  void add(PlayStats&& other);
  void note(Met met);
  void note(std::optional<EndlessGame> game);
};

struct PlayBudget {
  std::uint64_t games = 0;  ///< 0: by time
  double seconds = 1;
  std::size_t most_decisions = 100000;
  bool random = true, leaks = true;
  bool oracle = true;       ///< with random: also on the second evaluator, which is slow
};

class RandomPlay {
 public:
  RandomPlay(const Playable& playable, std::uint64_t seed);

  /// Plays the games number `slice`, `slice + of`, ... until the budget is used up.
  void play(const PlayBudget& budget, std::uint64_t slice, std::uint64_t of);
  /// One game at full speed; allocates nothing while all is well. The number of decisions.
  std::size_t play_one(std::uint64_t game, std::size_t most_decisions);

  PlayStats stats;

 private:
  void play_thoroughly(std::uint64_t game, std::size_t most_decisions);
  void play_beside_twins(std::uint64_t game, std::size_t most_decisions);
  void play_on_oracle(std::uint64_t game, std::size_t most_decisions);
  void finish(std::uint64_t game, Status status, std::size_t decisions);

  const Playable& playable_;
  std::uint64_t seed_;
  Machine machine_;
  State state_;
  Watcher watcher_;
};

/// `the last phase has ended`, `win (line 120)`.
std::string end_text(const ir::Program& program, std::int32_t pc, const Sources& sources);

}  // namespace rip::verify
