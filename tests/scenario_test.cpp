// Worked cases: how positions are arranged, what stays open, which claims a step makes, and how a failure reads.
#include <catch2/catch.hpp>

#include "verify/check.h"
#include "verify/parallel.h"
#include "verify/scenario.h"

#include <algorithm>
#include <filesystem>
#include <regex>

using namespace rip;

namespace {

constexpr const char* kBids = R"(game "Bids" language 1
players 2..3
card Card { value: 1..9   gold: flag }
deck draw of Card { 1 x <v> for v in 1..9   1 x <5 gold> }
zone hand[player]: hand of Card
zone table: row of Card
zone won[player]: row of Card face up
var coins[player]: 0..20 = 10
var bid[player]: 0..20 = 0
var secret[player]: 0..9 = 0  seen by nobody
die Bone 1..6
deck bones of Bone { 2 x <> }
zone cup: row of Bone

phase setup {
  shuffle draw
  for p in players { fill hand[p] to 2 from draw }
}
phase rounds for n in 1..3 {
  phase bidding {
    choose each p in players { bid(b in 0..coins[p]) { set bid[p] to b } }
    for p in best(q in players by high bid[q]) { lower coins[p] by bid[p] }
  }
  phase laying {
    for p in players {
      choose p {
        lay(c in hand[p]) { move c to table face down }
        keep(s in 0..9) { set secret[p] to s }
      }
    }
  }
  phase casting { move all of bones to cup   roll cup   move all of cup to bones   move top of draw to won[first_seat()] }
}
let first_seat() = first(p in players by low number(p))
score p = coins[p] + count(won[p]) + secret[p] * 0
winner p by high score[p]
always "coins are never given": sum(coins[p] for p in players) <= 10 * count(players)
)";

verify::ScenarioResult run(const std::string& steps, const std::string& rules = kBids) {
  const auto loaded = verify::load_text("bids.rip", rules + "scenario \"case\" {\n" + steps + "\n}\n");
  std::string wrong;
  for (const Diagnostic& d : loaded->diagnostics()) {
    if (d.severity == Severity::error) wrong += render(d, loaded->sources, false);
  }
  INFO(wrong);
  REQUIRE_FALSE(loaded->has_errors());
  const auto& rules_of = loaded->versions[0]->rules;
  REQUIRE(rules_of->scenarios.size() == 1);
  return verify::run_scenario(*loaded->versions[0], rules_of->scenarios[0], loaded->sources);
}

void passes(const std::string& steps) {
  const verify::ScenarioResult result = run(steps);
  INFO(steps << "\n" << result.message);
  CHECK(result.passed);
}

void fails(const std::string& steps, const std::string& message, const std::string& rules = kBids) {
  const verify::ScenarioResult result = run(steps, rules);
  INFO(steps);
  CHECK_FALSE(result.passed);
  CHECK_THAT(result.message, Catch::Contains(message));
}

}  // namespace

TEST_CASE("a scenario arranges, decides and expects", "[scenario]") {
  passes("players Ann, Ben\nexpect count(hand[Ann]) == 2\nexpect coins == [10, 10]");
  passes("players Ann, Ben\nAnn does bid(3)\nBen does bid(4)\nexpect coins == [10, 6]");
  passes("players Ann, Ben\nBen does bid(4)\nAnn does bid(3)\nexpect coins == [10, 6]");
  passes("players Ann, Ben\ngiven coins == [2, 20]\nAnn cannot bid(3)\nAnn has 3 moves\nBen can bid(20)\nAnn does bid(any)\nBen does bid(20)\nexpect coins[Ben] == 0");
}

TEST_CASE("given lays cards and keeps the others at their sizes", "[scenario]") {
  passes("players Ann, Ben\ngiven hand[Ann]: <1> <2>\nexpect count(hand[Ben]) == 2\nexpect count(draw) == 6\nexpect <1> in hand[Ann]");
  passes("players Ann, Ben\ngiven hand[Ann]: <1> any\ngiven table: <9 up> <8>\nexpect count(hand[Ann]) == 2\nexpect (top of table).value == 8\n"
         "Ben knows nth(table, 1)\nBen does not know nth(table, 2)");
  passes("players Ann, Ben\ngiven table: <5>\nexpect not (top of table).gold");
  passes("players Ann, Ben\ngiven hand[Ann]: empty\ngiven hand[Ben]: 9 x any\nexpect count(draw) == 1");
  fails("players Ann, Ben\ngiven hand[Ann]: <1>\ngiven hand[Ben]: <1>\nexpect yes", "no such component left");
}

TEST_CASE("start goes to a phase, or runs a rule alone", "[scenario]") {
  passes("players Ann, Ben\ngiven n == 3\ngiven coins == [1, 2]\nstart bidding\nAnn does bid(0)\nBen does bid(2)\nexpect coins == [1, 0]");
  passes("players Ann, Ben\nstart laying\nAnn does lay(any)\nBen does keep(4)\nexpect count(table) == 1");
  fails("players Ann, Ben\nstart laying\nBen does keep(4)", "Ben is not asked; Ann has to decide");
}

TEST_CASE("next names chance", "[scenario]") {
  passes("players Ann, Ben\nnext draw: <7>\nnext roll: 2 6\nstart casting\nAnn does bid(0)\nexpect <7> in won[Ann]");
  passes("players Ann, Ben\ngiven hand[Ben]: <7> <8>\nnext draw: <7>\nstart casting\nAnn does bid(0)\nexpect <7> in won[Ann]");
  fails("players Ann, Ben\nnext roll: 2 6 1\nstart casting\nAnn does bid(0)\nBen does bid(0)", "`next roll` names 1 more");
}

TEST_CASE("a failure says what was instead", "[scenario]") {
  fails("players Ann, Ben\nAnn does bid(3)\nBen does bid(4)\nexpect coins == [10, 7]", "`coins` is [10, 6]");
  fails("players Ann, Ben\nAnn does bid(11)", "Ann cannot `bid(11)`; legal are ");
  fails("players Ann, Ben\nAnn has 3 moves", "Ann has 11 moves, not 3");
  fails("players Ann, Ben\nAnn can lay(any)", "Ann cannot");
  fails("players Ann, Ben\nAnn cannot bid(any)", "Ann can: bid(0)");
  fails("players Ann, Ben\nBen knows hand[Ann]", "Ben does not know");
  fails("players Ann, Ben\nAnn does not know hand[Ann]", "Ann knows");
}

TEST_CASE("a seat without a legal move is a fault in every step", "[scenario]") {
  const std::string stuck = R"(game "Stuck" language 1
players 2
param open: flag = no
card Card { value: 1..4 }
deck draw of Card { 1 x <v> for v in 1..4 }
zone hand[player]: hand of Card
%
phase play {
  for p in players { choose p { lay(c in hand[p] where open) { move c under draw } } }
}
score p = count(hand[p])
winner p by high score[p]
)";
  const std::string rules = std::regex_replace(stuck, std::regex("%"), "");
  for (const char* step : {"Ann has 1 moves", "Ann can lay(any)", "Ann does lay(any)", "Ben does lay(any)", "Ann has 1 moves\nBen does lay(any)"}) {
    fails(std::string("players Ann, Ben\n") + step, "a rule goes wrong", rules);
  }
  fails("players Ann, Ben\ngiven hand[Ann]: <1>\nexpect yes", "setup goes wrong",
        std::regex_replace(stuck, std::regex("%"), "phase setup { choose first(p in players by low number(p)) { lay(c in hand[me]) { move c under draw } } }"));
}

TEST_CASE("what is not fixed is tried or sampled", "[scenario]") {
  const verify::ScenarioResult sampled = run("players Ann, Ben\nAnn does bid(1)\nBen does bid(2)\nexpect coins == [10, 8]");
  CHECK(sampled.passed);
  CHECK_FALSE(sampled.all_ways);
  CHECK(sampled.samples >= 24);
  const verify::ScenarioResult wrong = run("players Ann, Ben\nexpect some(c in hand[Ann] where c.value < 5)");
  CHECK_FALSE(wrong.passed);
  CHECK_FALSE(wrong.sample.empty());
}

TEST_CASE("swapping compares what seats see", "[scenario]") {
  passes("players Ann, Ben, Cy\nAnn does bid(1)\nswapping Ann does bid(9) looks the same to Ben, Cy\nBen does bid(2)\nCy does bid(0)");
  passes("players Ann, Ben, Cy\nAnn does bid(1)\nBen does bid(2)\nCy does bid(0)\nswapping Ann does bid(0) looks different to Ben, Cy");
  passes("players Ann, Ben\ngiven hand[Ann]: <1> <2>\nswapping given hand[Ann]: <1> <3> looks the same to Ben");
  passes("players Ann, Ben\ngiven hand[Ann]: <1> <2>\nstart laying\nAnn does lay(<1>)\nswapping Ann does lay(<2>) looks the same to Ben");
  fails("players Ann, Ben\ngiven hand[Ann]: <1> <2>\nswapping given hand[Ann]: <1> <3> looks different to Ben", "it looks the same to Ben");
  fails("players Ann, Ben\ngiven hand[Ann]: <1> <2>\nswapping given hand[Ann]: <1> <3> looks the same to Ann", "does not look the same to Ann");
}

TEST_CASE("claims are tested in scenarios without given and start", "[scenario]") {
  const std::string broken = std::string(kBids) + "always \"nobody is poor\": every(coins[p] > 5 for p in players)\n";
  const verify::ScenarioResult free = run("players Ann, Ben\nAnn does bid(9)\nBen does bid(0)\nexpect yes", broken);
  CHECK_FALSE(free.passed);
  CHECK_THAT(free.message, Catch::Contains("nobody is poor"));
  CHECK(run("players Ann, Ben\ngiven coins == [1, 1]\nAnn does bid(1)\nBen does bid(0)", broken).passed);
}

TEST_CASE("all worked cases of the games hold", "[scenario][games]") {
  namespace fs = std::filesystem;
  std::vector<std::string> paths;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(RIP_SOURCE_DIR) / "games")) {
    if (entry.path().extension() == ".rip") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  CHECK_FALSE(paths.empty());
  for (const std::string& path : paths) {
    INFO(path);
    const auto loaded = verify::load(path);
    std::string wrong;
    for (const Diagnostic& d : loaded->diagnostics()) {
      if (d.severity == Severity::error) wrong += render(d, loaded->sources, false);
    }
    CHECK(wrong == "");
    const auto results = verify::run_scenarios(*loaded, std::nullopt, "", verify::jobs_meant(0), {});
    CHECK_FALSE(results.empty());
    for (const verify::ScenarioResult& result : results) {
      INFO(result.name << ": " << result.message);
      CHECK(result.passed);
    }
  }
}
