// Which enums have values that may change places everywhere: no rule names them, puts them in order or runs through them.
#include "verify/game.h"

#include <catch2/catch.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace rip;

namespace {

/// A game with suits in which only `rule`, `move` and `declaration` differ.
bool suits_may_change(const std::string& declaration, const std::string& filter, const std::string& body) {
  const std::string text = R"(game "Suits" language 1
players 2
enum Suit { clubs, hearts, spades }
card Card { suit: Suit   rank: 1..3 }
deck draw of Card { 1 x <s r> for s in Suit, r in 1..3 }
zone hand[player]: hand of Card
zone heap: row of Card face up
var trump: Suit? = none
var led[Suit]: 0..9 = 0
)" + declaration + R"(
phase setup { shuffle draw   for p in players { fill hand[p] to 3 from draw } }
phase play for seat in players {
  choose seat { lay(c in hand[seat])" + filter + R"() { move c to heap   raise led[c.suit] by 1 )" + body + R"( }   pass { set trump to none } }
}
score p = max(led[s] for s in Suit) + count(heap)
winner p by high score[p]
sometimes "a trump": trump is not none
)";
  const auto loaded = verify::load_text("suits.rip", text);
  std::string diagnostics;
  for (const Diagnostic& d : loaded->diagnostics()) diagnostics += render(d, loaded->sources, false);
  INFO(diagnostics);
  const verify::Version* version = loaded->find("");
  REQUIRE(version != nullptr);
  REQUIRE(version->rules != nullptr);
  return version->rules->enums[0].interchangeable;
}

}  // namespace

TEST_CASE("values that rules tell apart are not interchangeable", "[search]") {
  CHECK(suits_may_change("", "", ""));
  CHECK(suits_may_change("", " where c.suit == trump or trump is none", "set trump to c.suit"));
  CHECK(suits_may_change("", " where some(d in heap where d.suit == c.suit) or heap is empty", ""));
  const std::vector<std::pair<std::string, std::string>> told_apart{
      {"named", "if c.suit == hearts { move all of heap to hand[seat] }"},
      {"in a phrase", "if c == <hearts 1> { move all of heap to hand[seat] }"},
      {"by a range", "if c.suit in hearts..spades { move all of heap to hand[seat] }"},
      {"by order", "if trump is not none and c.suit > trump { set trump to c.suit }"},
      {"by the next", "set trump to next(c.suit)"},
      {"by number", "set led[c.suit] to number(c.suit)"},
      {"one after the other", "for s in Suit where led[s] == 0 { raise led[s] by 1 }"},
      {"the first", "set trump to first(s in Suit where led[s] == 0)"},
      {"by a key", "set trump to first(d in heap by high d.suit).suit"},
      {"as a list", "if [led[s] for s in Suit] == [1, 0, 0] { set trump to none }"},
      {"the cards of a hand one by one", "for d in hand[seat] { move d to heap }"},
      {"given to a rule", "set trump to if led[spades] == 1 then c.suit else none"},
  };
  for (const auto& [how, body] : told_apart) {
    INFO(how);
    CHECK_FALSE(suits_may_change("", "", body));
  }
  CHECK_FALSE(suits_may_change("var first_trump: Suit", "", "set first_trump to c.suit   if first_trump == c.suit { set trump to first_trump }"));
  CHECK_FALSE(suits_may_change("param chief: Suit = hearts", " where c.suit == chief or heap is empty", ""));
  CHECK_FALSE(suits_may_change("always \"hearts are led\": led[hearts] >= 0", "", ""));
}
