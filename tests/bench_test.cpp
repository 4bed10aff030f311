// The simulators written by hand (bench/) play the same games as the scripts: lengths, scores and winners have the same
// distribution. Two samples are compared by chi-square; the seeds are fixed, so the answer is always the same.
#include <catch2/catch.hpp>

#include "bench/simulators.h"
#include "interp/run/playout.h"
#include "verify/game.h"

#include <cmath>
#include <map>
#include <string>

using namespace rip;

namespace {

using Histogram = std::map<long, std::pair<double, double>>;

/// How far two samples of equal size are apart, in standard deviations of a normal distribution (Wilson and Hilferty: The
/// distribution of chi-square, 1931). What comes seldom is put together.
double distance(const Histogram& histogram) {
  double chi = 0, a = 0, b = 0;
  int bins = 0;
  for (auto entry = histogram.begin(); entry != histogram.end(); ++entry) {
    a += entry->second.first;
    b += entry->second.second;
    if (a + b < 20 && std::next(entry) != histogram.end()) continue;
    if (a + b > 0) {
      chi += (a - b) * (a - b) / (a + b);
      ++bins;
    }
    a = b = 0;
  }
  const double freedom = bins - 1;
  if (freedom < 1) return 0;
  return (std::cbrt(chi / freedom) - (1 - 2 / (9 * freedom))) / std::sqrt(2 / (9 * freedom));
}

void compare(const std::string& script, int players, bench::Played (*simulate)(Rng&), std::uint64_t games) {
  const auto loaded = verify::load(std::string(RIP_SOURCE_DIR) + "/" + script);
  REQUIRE_FALSE(loaded->has_errors());
  const auto& rules = loaded->versions[0]->rules;
  const auto playable = verify::prepare(rules, verify::configure(*rules, players, {}).config);
  REQUIRE(playable->error.empty());
  Machine machine(*playable->program);
  State state;
  Histogram lengths, winners, first_scores, last_scores;
  for (std::uint64_t game = 0; game < games; ++game) {
    Rng rng = Rng::for_game(1, game);
    const int decisions = play_out(machine, state, rng);
    REQUIRE(machine.status(state) == Status::over);
    const Result result = machine.result(state);
    ++lengths[decisions].first;
    ++winners[result.winners].first;
    ++first_scores[result.scores.front()].first;
    ++last_scores[result.scores.back()].first;

    Rng other = Rng::for_game(2, game);
    const bench::Played played = simulate(other);
    ++lengths[played.decisions].second;
    ++winners[played.winners].second;
    ++first_scores[played.scores[0]].second;
    ++last_scores[played.scores[players - 1]].second;
  }
  // 4.5 standard deviations: one in 300,000
  INFO(script);
  CHECK(distance(lengths) < 4.5);
  CHECK(distance(winners) < 4.5);
  CHECK(distance(first_scores) < 4.5);
  CHECK(distance(last_scores) < 4.5);
}

}  // namespace

TEST_CASE("bench: scripts and simulators written by hand play the same games", "[bench]") {
  compare("games/classics/leduc.rip", 2, bench::play_leduc, 40000);
  compare("bench/sixty.rip", 5, bench::play_tricks, 5000);
  compare("games/vertippt.rip", 4, bench::play_vertippt, 5000);
  compare("games/gravediggers.rip", 4, bench::play_gravediggers, 5000);
}

TEST_CASE("bench: what is not the same game is told apart", "[bench]") {
  // every eighth game one decision longer: the test above can fail
  Histogram histogram;
  for (std::uint64_t game = 0; game < 20000; ++game) {
    Rng a = Rng::for_game(1, game), b = Rng::for_game(2, game);
    ++histogram[bench::play_leduc(a).decisions].first;
    ++histogram[bench::play_leduc(b).decisions + (game % 8 == 0 ? 1 : 0)].second;
  }
  CHECK(distance(histogram) > 4.5);
}
