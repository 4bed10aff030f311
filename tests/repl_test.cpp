// Sessions of the REPL through a pipe: what is typed, what is printed. Recorded ones of whole games: docs/sessions.
#include <catch2/catch.hpp>

#include "tests/files.h"
#include "tests/program.h"

#include <algorithm>
#include <cstdlib>

using namespace rip::tests;
using Catch::Contains;

namespace {

const std::string kDuel = R"(game "Duel" language 1
players 2..3
param purse: 3..9 = 5
card Card { value: 1..4 }
deck draw of Card { 2 x <v> for v in 1..4 }
zone hand[player]: hand of Card
zone shown: row of Card face up
var coins[player]: 0..20 = purse
var warned: flag = no
phase setup { shuffle draw   for p in players { fill hand[p] to 2 from draw } }                  [R-1]
phase round for n in 1..3 {
  when coins[0] < 5 { set warned to yes }                                                          [R-5]
  choose each p in players { play(c in hand[p], b in 0..3 where b <= coins[p] and c.value + b <= 5) {
    move c to shown                                                                            [R-2]
    lower coins[p] by b                                                                        [R-3]
  } }
  do reckoning()                                                                               [R-4]
}
rule reckoning() {
  for c in shown { move c to draw }
  shuffle draw
  for p in players { fill hand[p] to 2 from draw }
}
score p = coins[p]
winner p by high coins[p]
always "nobody is bare": every(coins[p] >= 3 for p in players)
variant "rich" { set purse to 9 }
)";

std::string duel() { return written("duel.rip", kDuel); }

/// What a session prints, prompts and lines typed included.
std::string session(const std::string& arguments, const std::string& typed) {
  const Ran ran = run("repl --echo " + arguments, typed);
  INFO(ran.err);
  CHECK(ran.exit == 0);
  return ran.out;
}

}  // namespace

TEST_CASE("what was decided is taken back and again", "[repl]") {
  const std::string out = session(duel(), "1\n1\n.undo\n.undo\n.undo\n.redo 2\n.redo\n.jump 0\n.jump 99\n.jump 6\n.trace\n");
  INFO(out);
  CHECK_THAT(out, Contains("P1> .undo\n[round] P2 decides:"));
  CHECK_THAT(out, Contains("nothing has been decided yet"));
  CHECK_THAT(out, Contains("P1> .redo 2\n    draw  - 2 x <2>  + 2 x <1>"));
  CHECK_THAT(out, Contains("nothing was taken back"));
  CHECK_THAT(out, Contains("after step 0 of 8\n[setup] chance decides:\n   1  draw yields <1>  (2 of 8)"));
  CHECK_THAT(out, Contains("`.jump 0` to `.jump 8`"));
  CHECK_THAT(out, Contains("6 of 8 steps; `.redo` takes the others again"));
}

TEST_CASE("what a step changed is shown behind it, and by .diff", "[repl]") {
  const std::string out = session(duel(), "play(<1>, 2)\n1\n.diff\n");
  INFO(out);
  const std::string change = "    draw  - 2 x <2>  + 2 x <1>\n    hand[P1]  - <1>  + <2>\n    hand[P2]  - <1>  + <2>\n    coins[P1]  5 -> 3\n    warned  no -> yes\n    n  1 -> 2\n";
  CHECK_THAT(out, Contains(change + "  violated:") || Contains(change + "[round]"));
  CHECK_THAT(out, Contains("P1> .diff\n    coins[P1]") || Contains("P1> .diff\n    draw"));
}

TEST_CASE("claims that break are told when they do, once", "[repl]") {
  const std::string out = session(duel(), "play(<1>, 3)\n1\n1\n1\n");
  INFO(out);
  const std::size_t at = out.find("violated: ");
  REQUIRE(at != std::string::npos);
  CHECK_THAT(out.substr(at), Contains("always \"nobody is bare\""));
  CHECK(out.find("violated: ", at + 1) == std::string::npos);
}

TEST_CASE("the rules halt at a phase, a move, a clause, a line", "[repl]") {
  const std::string out = session(duel(), ".break play\n.break R-5\n.break 20\n.break reckonin\n.break 8\n.break\nplay(<1>, 1)\n1\n? hand[P1]\n1\n.go\n.go\n.unbreak play\n.undo\nplay(<1>, 1)\n.go\n.unbreak\n.go\n.go\n");
  INFO(out);
  CHECK_THAT(out, Contains("the rules will halt at move play\n") && Contains("at clause R-5\n") && Contains("at line 20\n"));
  CHECK_THAT(out, Contains("there is no phase, move, rule or clause `reckonin`; did you mean `reckoning`?"));
  CHECK_THAT(out, Contains("no statement begins in line 8"));
  CHECK_THAT(out, Contains("[round] halted at move play; line 14: move c to shown\nrules> ? hand[P1]\n[<1>, <3>]\n"));
  CHECK_THAT(out, Contains("halted at line 20; line 20: for c in shown { move c to draw }"));
  CHECK_THAT(out, Contains("no halts are set") && Contains("the rules are not halted; a move goes on"));
}

TEST_CASE("statement by statement", "[repl]") {
  const std::string out = session(duel(), "1\n.step\n.step play(<1>, 2)\n.step\n.step\n.undo\n");
  INFO(out);
  CHECK_THAT(out, Contains("take which move?"));
  CHECK_THAT(out, Contains("[round] line 14: move c to shown\nrules> .step\n    hand[P1]  - <1>\n    shown  + <1>\n[round] line 15: lower coins[p] by b\n"));
  CHECK_THAT(out, Contains("rules> .undo\n[round] P2 decides:"));
}

TEST_CASE("a value is watched, and play goes on until something holds", "[repl]") {
  const std::string out = session(duel(), ".watch coins\n.watch cions\n.until coins[P1] < 5\n.until coins[P1] < 5\n.until coins\n.watch\n.unwatch coins\n.unwatch coins\n.until no\n");
  INFO(out);
  CHECK_THAT(out, Contains("  coins is [5, 5]\n") && Contains("unknown name `cions`") && Contains(", was [5, 5]\n"));
  CHECK_THAT(out, Contains("it holds after ") && Contains("it holds already") && Contains("`.until` takes something that holds or does not"));
  CHECK_THAT(out, Contains("`coins` is not watched") && Contains("it does not hold after") && Contains("the game is over"));
}

TEST_CASE("chance by hand, seeds", "[repl]") {
  const std::string out = session(duel(), ".chance hand\n.new\n2\n99\ndraw yields <4>\n.auto\n.chance fall\n.seed 5\n.seed x\n.seed\n.new\n");
  INFO(out);
  CHECK_THAT(out, Contains("[setup] chance decides:\n   1  draw yields <1>  (2 of 8)\n"));
  CHECK_THAT(out, Contains("chance> 2\n") && Contains("chance has 4 outcomes") && Contains("chance> draw yields <4>\n    draw  - <2>  - <4>\n    hand[P1]  + <2>  + <4>\n[setup] chance decides:"));
  CHECK_THAT(out, Contains("chance falls by itself\n") && Contains("  n  1\n[round] P1 decides") && Contains("the seed is 5") && Contains("a seed is a number"));
  // the same seed, the same deal
  const std::string seeded = session(duel() + " --seed 5", ".moves\n");
  CHECK_THAT(out, Contains(seeded.substr(seeded.find("[round]"), seeded.find("P1> ") - seeded.find("[round]"))));
}

TEST_CASE("parameters, variants, players", "[repl]") {
  const std::string out = session(duel(), "1\n.set\n.set purse=7\n.set purse=99\n? coins\n.variant\n.variant rich\n.variant base\n.variant poor\n.players 3\n.players 40\n.players 9\n.reload\n? count(players)\n");
  INFO(out);
  CHECK_THAT(out, Contains("  purse = 5\n") && Contains("replayed 5 steps\n[round] P2 decides:") && Contains("P2> ? coins\n[7, 7]\n"));
  CHECK_THAT(out, Contains("the game goes on with the script as it was") && Contains(" * the game\n   variant \"rich\"\n"));
  CHECK_THAT(out, Contains("P1> .players 3\n[round] P1 decides, at the same time P2, P3:") || Contains("P2> .players 3\n[round] P1 decides, at the same time P2, P3:"));
  CHECK_THAT(out, Contains("there are 3 players") && Contains("the game goes on as it was") && Contains("? count(players)\n3\n"));
}

TEST_CASE("games are recorded and opened at their last step", "[repl]") {
  const std::string file = (folder() / "duel.jsonl").string();
  const std::string out = session(duel() + " --set purse=8", "1\n2\n.save " + file + "\n.save /dev/null/x/y\n.new\n.load " + file + "\n.load /dev/null/z\n.trace 2\n");
  INFO(out);
  CHECK_THAT(out, Contains("recorded 8 steps in") && Contains("/dev/null/x/y cannot be written") && Contains("replayed 8 steps") && Contains("/dev/null/z: "));
  const std::string again = session("--trace " + file, ".trace\n? coins\n");
  INFO(again);
  CHECK_THAT(again, Contains("replayed 8 steps\n[round] P1 decides") && Contains("8 steps\n"));
}

TEST_CASE("a script that was changed is played as far as it fits", "[repl]") {
  // the session itself cannot change the file: between two sessions a recorded game does
  const std::string file = (folder() / "before.jsonl").string();
  session(duel(), "play(<1>, 3)\n1\n.save " + file + "\n");
  std::string other = kDuel;
  other.replace(other.find("0..3 where"), 4, "0..2");
  const std::string out = session(written("duel2.rip", other), ".load " + file + "\n");
  INFO(out);
  CHECK_THAT(out, Contains("replayed 4 of 8 steps; it fits no further: step 5: P1 can no longer `play(<1>, 3)`"));
}

TEST_CASE("a seat sees no more than its own, in values too", "[repl]") {
  const std::string out = session(duel(), ".as P1\nhand[P1]\nhand[P2]\ncount(hand[P2])\n1\n.moves\n.diff\n.as Zoe\n.worlds\n");
  INFO(out);
  CHECK_THAT(out, Contains("hand[P2]  2 x ?") && Contains("P1> hand[P1]\n[<1>, <3>]\n") && Contains("P1> count(hand[P2])\n2\n"));
  CHECK_THAT(out, Contains("P1 cannot know; `.as all` sees everything") && Contains("(only P2 sees the options") && Contains("there is no seat `Zoe`; there are P1, P2"));
}

TEST_CASE("what a game has covered", "[repl]") {
  const std::string out = session(duel(), ".coverage\n1\n1\n.coverage\n");
  INFO(out);
  CHECK_THAT(out, Contains("  moves     0 of 1; not shown: play\n") && Contains("  moves     1 of 1\n") && Contains("  clauses   4 of 5; not shown: R-5\n"));
}

TEST_CASE("a session pasted into another is the same game", "[repl]") {
  const std::string out = session(duel(), "2\n1\n.diff\ncoins\n# a note\n.undo\n.auto end\nwinners\n");
  CHECK(session(duel(), out) == out);
}

TEST_CASE("nothing that is typed loses the game", "[repl]") {
  std::string typed;
  for (const char* line : {"", " ", ".", "..", ". undo", "?", "=", "(", "\"", "play(", "play(<1>", "play(<9>, 1)", "0", "-1", "99999999999999999999", ".undo -1", ".undo x", ".jump", ".auto x", ".auto -3", ".until", ".until (",
                           ".watch (", ".break [", ".break 99999999", ".set x", ".set =", ".set purse", ".variant \"", ".players", ".players x", ".players 0", ".load", ".save", ".load .", ".worlds x", ".as", ".view x", ".chance x", ".help x",
                           ".why", ".why (", ".why 3", ".scenario \"", "\x01\xff", "hand[", "hand[P9]", "1 / 0", "nth(draw, 99)"}) {
    typed += std::string(line) + "\n";
  }
  const std::string out = session(duel(), typed + "coins\n");
  INFO(out);
  CHECK(out.ends_with("P1> coins\n[5, 5]\n"));
}

TEST_CASE("why a move cannot be chosen: the part that fails, where, and what it read", "[repl]") {
  const std::string out = session(duel(), ".why play(<3>, 3)\n.why play(<4>, 1)\n.why play(<1>, 9)\n.why play(<1>, 3)\n.why play\n.why pay(3)\n.why\nplay(<3>, 3)\n.auto end\n.why play(<1>, 1)\n");
  INFO(out);
  CHECK_THAT(out, Contains("this part of its condition does not hold\n") && Contains("duel.rip:13:83\n") && Contains("| ") && Contains("^^^^^^^^^^^^^^^^\n  c.value is 3\n  c is <3>\n  b is 3\n"));
  CHECK_THAT(out, Contains("`c` cannot be that: it comes from [<1>, <3>]") && Contains("`b` cannot be that: it comes from {0, 1, 2, 3}"));
  CHECK_THAT(out, Contains("P1 can choose it: it is move 4") && Contains("P1 can choose it: 7 moves fit") && Contains("unknown move `pay`; did you mean `play`?"));
  CHECK_THAT(out, Contains("P1 cannot do that here; `.why play(<3>, 3)` tells why") && Contains("nobody decides here"));
}

TEST_CASE("why: picks, options of other decisions, options that are left over", "[repl]") {
  const std::string path = written("why.rip", R"(game "Why" language 1
players 2
card Card { value: 1..5 }
deck draw of Card { 1 x <v> for v in 1..5 }
zone hand[player]: hand of Card
var heat: 0..9 = 2
let hot(limit) = heat + 1 > limit
phase setup { shuffle draw   for p in players { fill hand[p] to 2 from draw } }
phase play turns from 0 until heat > 8 {
  choose me {
    pair(s in 2 of hand[me] where sum(c.value for c in s) > 90) { move s to draw }
    warm(where not hot(9) and heat < 2) { raise heat by 2 }
    otherwise rest { raise heat by 1 }
  }
  choose me { wait { } }
}
winner p by low number(p)
)");
  const std::string out = session(path, ".why pair({any, any})\n.why pair(any)\n.why warm\n.why wait\n.why rest\nrest\n.why warm\n");
  INFO(out);
  CHECK_THAT(out, Contains("sum(c.value for c in s) is ") && Contains("P1> .why warm\nthis part of its condition does not hold\n") && Contains("heat is 2"));
  CHECK_THAT(out, Contains("`wait` is offered in line 15; here P1 decides among `pair`, `rest`, `warm`") && Contains("P1 can choose it"));
}

TEST_CASE("what was played becomes a scenario that holds", "[repl]") {
  const std::string out = session(duel() + " --set purse=6", ".scenario\nplay(<1>, 3)\n1\n.scenario a \"bare\" seat\n.auto end\n.scenario\n");
  INFO(out);
  CHECK_THAT(out, Contains("nothing has been decided since the setup: there is nothing to write down"));
  const std::size_t begin = out.find("scenario \"a bare seat\""), end = out.find("# it holds", begin);
  REQUIRE(begin != std::string::npos);
  REQUIRE(end != std::string::npos);
  const std::string scenario = out.substr(begin, end - begin);
  CHECK_THAT(scenario, Contains("  set purse to 6\n  given hand[P1]: <1> <3>\n") && Contains("  next draw: <2> <2>\n  P2 does play(<1>, 0)\n  expect coins == [3, 6]\n"));
  CHECK_THAT(out, Contains("  expect winners == {P") && Contains("# it holds"));
  // pasted into the script it holds, and fails once the rule is another
  const std::string script = kDuel + scenario;
  CHECK(run("test " + written("pasted.rip", script)).exit == 0);
  std::string other = script;
  other.replace(other.find("lower coins[p] by b"), 19, "lower coins[p] by 1");
  const Ran failed = run("test " + written("spoilt.rip", other));
  CHECK(failed.exit == 1);
  CHECK_THAT(failed.out, Contains("`coins` is [5, 5]"));
}

TEST_CASE("why goes into definitions, with what they were given", "[repl]") {
  const std::string path = written("fits.rip", R"(game "Fits" language 1
players 2
card Card { value: 1..5 }
deck draw of Card { 1 x <v> for v in 1..5 }
zone hand[player]: hand of Card
zone lane[1..3]: row of Card face up
let last_in(g) = max(c.value for c in lane[g])
let goes_on(c, g) = lane[g] is empty or c.value > last_in(g)
let fits(c, g) = count(lane[g]) < 2 and goes_on(c, g)
phase setup { shuffle draw   for p in players { fill hand[p] to 2 from draw } }
phase play turns from 0 until every(hand[p] is empty for p in players) {
  choose me {
    lay(c in hand[me], g in 1..3 where fits(c, g)) { move c to lane[g] }
    otherwise pass { end game }
  }
}
winner p by low number(p)
)");
  // the lowest card cannot lie behind a higher one
  const std::string out = session(path, ".why pass\nlay(<3>, 1)\n.why lay(<2>, 1)\n.break lay\n.reload\n");
  INFO(out);
  CHECK_THAT(out, Contains("fits(c, g) is no (line 9)\n") && Contains("  lane[g] is [<3>]\n  c.value is 2\n") && Contains("last_in(g) is 3 (line 7)\n") && !Contains("halted at"));
  CHECK_THAT(out, Contains("it is offered only where nothing else can be chosen") && Contains("replayed "));
}

TEST_CASE("a scenario is added to a script, and to nothing else", "[repl]") {
  const std::string file = written("added.rip", kDuel);
  const std::string out = session(file, "1\n1\n.scenario more than 2 > 1\n.scenario added > " + file + "\n.reload\n.scenario x > /dev/null/x.rip\n");
  INFO(out);
  CHECK_THAT(out, Contains("scenario \"more than 2 > 1\" {") && Contains("# added to " + file) && Contains("replayed 8 steps") && Contains("/dev/null/x.rip cannot be written"));
  CHECK(text_of(file).starts_with(kDuel + "\nscenario \"added\" {\n"));
  CHECK(run("test " + file + " --match added").exit == 0);
}

TEST_CASE("lines fit the terminal, cards stay whole", "[repl]") {
  for (const std::size_t width : {std::size_t{80}, std::size_t{200}}) {
    ::setenv("COLUMNS", std::to_string(width).c_str(), 1);
    const std::string out = session(std::string(RIP_SOURCE_DIR) + "/games/vertippt.rip --players 3", ".state\n.moves\n.help\n.coverage\n.trace\n");
    ::unsetenv("COLUMNS");
    for (const std::string& line : lines_of(out)) {
      INFO(line);
      CHECK(line.size() <= width);
      CHECK(std::count(line.begin(), line.end(), '<') >= std::count(line.begin(), line.end(), '>') - 2);  // prompts, `->`
    }
    CHECK(out.find('\x1b') == std::string::npos);
  }
}
