// The exact game tree: published numbers, and numbers of plain models that know nothing of the language.
#include <catch2/catch.hpp>

#include "tests/models/trees.h"
#include "verify/tree.h"

#include <numeric>

using namespace rip;
using verify::GameTree;

namespace {

GameTree tree_of(const std::string& file, int players = 0, const std::vector<std::string>& settings = {}, const std::string& variant = "") {
  const auto loaded = verify::load(std::string(RIP_SOURCE_DIR) + "/games/classics/" + file);
  REQUIRE(!loaded->has_errors());
  const verify::Version* version = loaded->find(variant);
  REQUIRE(version != nullptr);
  const verify::Configured wish = verify::configure(*version->rules, players, settings);
  REQUIRE(wish.error == "");
  const auto playable = verify::prepare(version->rules, wish.config);
  REQUIRE(playable->error == "");
  verify::TreeOptions options;
  options.seconds = 300;
  const GameTree tree = verify::walk_tree(*playable, options);
  REQUIRE(tree.complete());
  CHECK(tree.histories == tree.terminal + tree.chance + tree.decision);
  return tree;
}

std::uint64_t all_sets(const GameTree& tree) {
  return std::accumulate(tree.information_sets.begin(), tree.information_sets.end(), std::uint64_t{0});
}

void agree(const GameTree& tree, const models::Count& model) {
  CHECK(tree.histories == model.histories);
  CHECK(tree.terminal == model.terminal);
  CHECK(tree.chance == model.chance);
  CHECK(tree.decision == model.decision);
  REQUIRE(tree.information_sets.size() == model.sets.size());
  for (std::size_t seat = 0; seat < model.sets.size(); ++seat) {
    CHECK(tree.information_sets[seat] == model.sets[seat].size());
    CHECK(tree.value[seat] == model.value[seat]);
  }
}

}  // namespace

// Sources: the playthroughs and tests of OpenSpiel, and its pull request 405.
TEST_CASE("published numbers of game trees", "[tree]") {
  SECTION("Kuhn poker") {
    const GameTree tree = tree_of("kuhn.rip", 2);
    CHECK(tree.histories == 58);
    CHECK(tree.terminal == 30);
    CHECK(all_sets(tree) == 12);
    CHECK(tree.value == std::vector<mpq_class>{mpq_class(1, 8), mpq_class(-1, 8)});
  }
  SECTION("Leduc hold'em") {
    const GameTree tree = tree_of("leduc.rip");
    CHECK(tree.histories == 9457);
    CHECK(tree.terminal == 5520);
    CHECK(all_sets(tree) == 936);
    CHECK(tree.value == std::vector<mpq_class>{mpq_class(-5, 64), mpq_class(5, 64)});
  }
  SECTION("liar's dice") {
    const GameTree tree = tree_of("liars_dice.rip");
    CHECK(tree.histories == 294883);
    CHECK(tree.terminal == 147420);
    CHECK(all_sets(tree) == 24576);
  }
  SECTION("tic-tac-toe") {
    const GameTree tree = tree_of("tic_tac_toe.rip");
    CHECK(tree.histories == 549946);
    CHECK(tree.terminal == 255168);
  }
}

TEST_CASE("plain models count the same trees", "[tree]") {
  SECTION("Goofspiel with three cards") { agree(tree_of("goofspiel.rip", 2, {"cards=3"}), models::Goofspiel(3).run()); }
  SECTION("liar's dice with two sides") { agree(tree_of("liars_dice.rip", 2, {"sides=2"}), models::LiarsDice(2).run()); }
  SECTION("liar's dice with three sides") { agree(tree_of("liars_dice.rip", 2, {"sides=3"}), models::LiarsDice(3).run()); }
  SECTION("tricks: two players, two suits of three") { agree(tree_of("tricks.rip", 2, {"suits=2", "ranks=3"}), models::Tricks(2, 2, 3).run()); }
  SECTION("tricks: three players, two suits of three") { agree(tree_of("tricks.rip", 3, {"suits=2", "ranks=3"}), models::Tricks(3, 2, 3).run()); }
}

TEST_CASE("bids that stay secret leave fewer information sets", "[tree]") {
  const GameTree open = tree_of("goofspiel.rip", 2, {"cards=3"});
  const GameTree silent = tree_of("goofspiel.rip", 2, {"cards=3"}, "silent");
  CHECK(silent.histories == open.histories);
  CHECK(silent.value == open.value);
  CHECK(all_sets(silent) < all_sets(open));
}

TEST_CASE("a tree without an end is told, with the steps that lead back", "[tree]") {
  const auto loaded = verify::load(std::string(RIP_SOURCE_DIR) + "/games/classics/pig.rip");
  const verify::Version* version = loaded->find("to twelve");
  const auto playable = verify::prepare(version->rules, verify::configure(*version->rules, 2, {}).config);
  const GameTree tree = verify::walk_tree(*playable, {});
  CHECK(tree.ended == GameTree::Ended::endless);
  CHECK(tree.value.empty());
  CHECK(tree.round == 4);  // each player throws a 1
  CHECK(tree.tape.size() == 4);
}

namespace {

/// Ann holds one of three cards; the rules of the phase follow.
GameTree tree_in(const std::string& rules) {
  const auto loaded = verify::load_text("leak.rip", R"(game "Leak" language 1
players 2
card Card { rank: 1..3 }
deck draw of Card { 1 x <r> for r in 1..3 }
zone hand[player]: hand of Card
zone table: row of Card face up
var told: 0..9 = 0
var guess: 0..3 = 0
var secret[p: player]: 0..3   seen by {p}
phase deal { shuffle draw   move top of draw to hand[0] }
)" + rules + "\nreport \"told\" = told + guess + sum(secret[p] for p in players) + count(table)\n");
  std::string wrong;
  for (const Diagnostic& d : loaded->diagnostics()) {
    if (d.severity == Severity::error) wrong += render(d, loaded->sources, false);
  }
  REQUIRE(wrong == "");
  const verify::Version* version = loaded->find("");
  const auto playable = verify::prepare(version->rules, verify::configure(*version->rules, 2, {}).config);
  verify::TreeOptions options;
  options.leaks = true;
  const GameTree tree = verify::walk_tree(*playable, options);
  REQUIRE((tree.complete() || tree.ended == GameTree::Ended::leak));
  return tree;
}
auto leak_in(const std::string& phases) { return tree_in(phases).leak; }
const std::string kWinner = "\nwinner p by low number(p)";

}  // namespace

TEST_CASE("what a seat notices beyond what it is told is a leak, for certain", "[tree]") {
  SECTION("an open variable follows a hidden card") {
    const auto leak = leak_in("phase play { if some(c in hand[0] where c.rank == 3) { set told to 9 }   choose 1 { go { } } }" + kWinner);
    REQUIRE(leak);
    CHECK(leak->seat == 1);
    CHECK(leak->what == "the log");
    CHECK(leak->swapped.find("draw yields") != std::string::npos);
  }
  SECTION("a secret number is given away before anybody else decides") {
    const auto leak = leak_in("phase play { choose 0 secretly { think(n in 1..3) { set secret[0] to n } }   if secret[0] == 2 { set told to 1 } }" + kWinner);
    REQUIRE(leak);
    CHECK(leak->seat == 1);
  }
  SECTION("whose turn it is") {
    const auto leak = leak_in("phase play { if some(c in hand[0] where c.rank == 3) { choose 0 { boast { } } }   choose 1 { go { } } }" + kWinner);
    REQUIRE(leak);
    CHECK(leak->what.find("turn") != std::string::npos);
  }
  SECTION("the number of options") {
    const auto leak = leak_in("phase play { choose 1 { go { }   call(n in 1..3 where some(c in hand[0] where c.rank == n or n == 1)) { set guess to n } } }" + kWinner);
    REQUIRE(leak);
    CHECK(leak->what.find("options") != std::string::npos);
  }
  SECTION("that a card is turned up") {
    const auto leak = leak_in("phase play { if some(c in hand[0] where c.rank == 3) { move top of draw to table }   choose 1 { go { } } }" + kWinner);
    REQUIRE(leak);
    CHECK(leak->seat == 1);
    CHECK(leak->what == "the log");
    CHECK((leak->here.empty() || leak->there.empty() || leak->here != leak->there));
  }
  SECTION("that a card is turned up rather than a number set") {
    CHECK(leak_in("phase play { if some(c in hand[0] where c.rank == 3) { move top of draw to table }   set told to 1   choose 1 { go { } } }" + kWinner));
  }
  SECTION("that a card is shown, behind what a secret decision has done") {
    CHECK(leak_in("phase play { choose 0 secretly { think(n in 1..3) { set secret[0] to n } }   if secret[0] == 2 { show hand }   choose 1 { go { } } }" + kWinner));
  }
  SECTION("that a die is thrown") {
    CHECK(leak_in("phase play { if some(c in hand[0] where c.rank == 3) { let luck = random(1..3)   set told to luck }   choose 1 { go { } } }" + kWinner));
  }
}

TEST_CASE("what comes inside of a body is no proof that the decision told it", "[tree]") {
  CHECK(tree_in("phase play { choose 0 secretly { think(n in 1..3) { set secret[0] to n } }   choose 1 { go { } } }\nwhen secret[0] == 2 { set told to 9 }" + kWinner)
            .takes_for_granted);
  CHECK(tree_in("phase play { choose 0 { lay(c in hand[0]) { set told to c.rank   show c } }   choose 1 { go { } } }" + kWinner).takes_for_granted);
  CHECK_FALSE(tree_in("phase play { choose 0 secretly { think(n in 1..3) { set secret[0] to n } }   choose 1 { go { } } }" + kWinner).takes_for_granted);
  CHECK_FALSE(tree_in("phase play { choose 0 { call(n in 1..3) { set told to n } }   choose 1 { go { } } }" + kWinner).takes_for_granted);
}

TEST_CASE("what is told is no leak", "[tree]") {
  SECTION("a card shown, then used") {
    CHECK(!leak_in("phase play { show hand   if some(c in hand[0] where c.rank == 3) { set told to 9 }   choose 1 { go { } } }" + kWinner));
  }
  SECTION("what is shown may follow from what is hidden, if something is shown in any case") {
    CHECK(!leak_in("phase play { if some(c in hand[0] where c.rank == 3) { show hand } else { show hand }   choose 1 { go { } } }" + kWinner));
  }
  SECTION("that a card is shown by the body of a secret move") {
    CHECK(!leak_in("phase play { choose 0 secretly { think(n in 1..3) { if n == 2 { show hand } } }   choose 1 { go { } } }" + kWinner));
  }
  SECTION("who has won by a card that was never shown") {
    CHECK(!leak_in("phase play { choose 1 { call(n in 1..3) { set guess to n } } }\nwinner p by high (if some(c in hand[0] where c.rank == guess) then number(p) else 1 - number(p))"));
  }
  SECTION("a number decided at the same moment, written openly") {
    CHECK(!leak_in("phase play { choose each p in players { bid(n in 1..3) { set guess to n } } }" + kWinner));
  }
  SECTION("chance before all eyes, also under a name") {
    CHECK(!leak_in("phase play { let luck = random(1..3)   set told to luck   set guess to random(1..3)   choose 1 { go { } } }" + kWinner));
  }
  SECTION("hidden chance") {
    CHECK(!leak_in("phase play { set secret[0] to random(1..3)   choose 0 { go { } }   choose 1 { go { } } }" + kWinner));
  }
  SECTION("own options follow own cards") {
    CHECK(!leak_in("phase play { choose 0 { play(c in hand[0] where c.rank > 1) { move c to table }   otherwise pass { } }   choose 1 { go { } } }" + kWinner));
  }
}
