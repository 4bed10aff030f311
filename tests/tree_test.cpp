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
