// Small changes of the rules: each kind produces what it says, and what a script does not check survives, with its place.
#include <catch2/catch.hpp>

#include "grammar/parser.h"
#include "verify/mutate.h"

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace rip;
using grammar::Change;
using verify::Fate;

namespace {

/// `number: 3 -> 4`, with the blanks of the script.
std::vector<std::string> changes(const std::string& text) {
  Sources sources;
  Diagnostics diagnostics;
  const std::uint32_t file = sources.add("m.rip", text);
  const ast::Script script = grammar::parse(sources, file, diagnostics);
  REQUIRE_FALSE(diagnostics.has_errors());
  std::vector<std::string> out;
  for (const grammar::Mutation& m : grammar::mutations(script, sources)) {
    out.push_back(std::string(grammar::name(m.change)) + ": " + std::string(sources.text(m.span)) + " -> " + m.with);
  }
  return out;
}

const std::string kFrame = "game \"M\" language 1\nplayers 2..3\n";
std::vector<std::string> of(const std::string& rest) { return changes(kFrame + rest); }
using Changes = std::vector<std::string>;

std::unique_ptr<verify::Loaded> load(const std::string& text) {
  auto loaded = verify::load_text("m.rip", text);
  std::string wrong;
  for (const Diagnostic& d : loaded->diagnostics()) wrong += render(d, loaded->sources, false);
  INFO(wrong);
  REQUIRE_FALSE(loaded->has_errors());
  return loaded;
}

verify::MutationReport mutate(const std::string& text, unsigned jobs = 1, std::uint64_t mutants = 0) {
  const auto loaded = load(text);
  verify::MutateOptions options;
  options.seconds = 0;
  options.jobs = jobs;
  options.mutants = mutants;
  options.games = 200;
  return verify::mutate_game(*loaded, options);
}

const std::string kTake = R"(game "Take" language 1
players 2
var left: 0..9 = 4
var taken[player]: 0..9
phase setup { }
phase play turns from 0 until left == 0 {
  choose me { take(n in 1..2 where n <= left) { lower left by n   raise taken[me] by n } }     [R-1]
}
score p = taken[p]
winner p by high score[p]
)";

const std::string kTakeChecked = kTake + R"(
scenario "a whole game" {
  players Ann, Ben
  expect left == 4 and taken == [0, 0]
  Ann has 2 moves   Ann can take(1)   Ann cannot take(3)
  Ann does take(1)   Ben does take(2)
  Ann can take(1)   Ann cannot take(2)
  Ann does take(1)
  expect game is over and left == 0 and taken == [2, 2] and score == [2, 2]
  expect winners == {Ann, Ben}
}
scenario "more is better" {
  players Ann, Ben
  Ann does take(2)   Ben does take(1)   Ann does take(1)
  expect winners == {Ann}
}
)";

}  // namespace

TEST_CASE("statements, and notes that hold the place of their tags", "[mutate]") {
  CHECK(of("var a: 0..3 = 1\nphase play { set a to 2 [R-1]   end phase }\nscore p = a\n") ==
        Changes{"number: 1 -> 2", "statement: set a to 2 -> note \"left out\"", "number: 2 -> 3", "statement: end phase -> ", });
}

TEST_CASE("numbers, comparisons, conditions", "[mutate]") {
  CHECK(of("score p = if 1 < 2 or not (p in {p}) then 0 else -1\n") ==
        Changes{"condition: 1 < 2 or not (p in {p}) -> not (1 < 2 or not (p in {p}))", "number: 1 -> 2", "comparison: < -> <=", "number: 2 -> 3",
                "condition: or -> and", "comparison: in -> not in", "number: 0 -> 1", "number: 1 -> 2"});
  CHECK(of("param n: 1..9 = 3\nscore p = count(i in n..(n + 1) where not (i == p))\n") ==
        Changes{"number: 3 -> 4", "number: n -> n + 1", "number: n + 1 -> n + 1 - 1", "number: 1 -> 2", "condition: not (i == p) -> (i == p)", "comparison: == -> !="});
  // a filter of what players may do is also always true
  CHECK(of("phase play { choose 0 { a(where 1 >= 2) { } } }\n") ==
        Changes{"statement: choose 0 { a(where 1 >= 2) { } } -> ", "number: 0 -> 1", "condition: 1 >= 2 -> not (1 >= 2)", "condition: 1 >= 2 -> yes", "number: 1 -> 2",
                "comparison: >= -> >", "number: 2 -> 3"});
}

TEST_CASE("parentheses stay in pairs", "[mutate]") {
  CHECK(of("score p = if (1 == 2 or p is none) and (p is none) then 0 else 0\n")[0] ==
        "condition: (1 == 2 or p is none) and (p is none) -> not ((1 == 2 or p is none) and (p is none))");
}

TEST_CASE("order and seats", "[mutate]") {
  CHECK(of("winner p by high p, clockwise from (p) backwards if p is none\n") ==
        Changes{"order: high -> low", "order: from -> after", "order: backwards if p is none -> ", "condition: p is none -> not (p is none)"});
  CHECK(of("phase play turns from next(me) until p is over { choose me { a { } } for p in players { stop } }\n") ==
        Changes{"seat: next(me) -> next(next(me))", "condition: p is over -> not (p is over)", "statement: choose me { a { } } -> ", "seat: me -> next(me)",
                "seat: players -> players - 0", "statement: stop -> "});
}

TEST_CASE("zones and secrets", "[mutate]") {
  const std::string box = "card C { v: 1..2 }\ndeck d of C { }\nzone h[player]: hand of C\nzone a: pile of C face up\nzone b[1..2]: row of C seen by players\n";
  CHECK(of(box + "phase play { move top of d to a face down   show a to 0 }\n") ==
        Changes{"secret: hand of C -> row of C face up", "secret: up -> down", "secret: seen by players -> ", "statement: move top of d to a face down -> ",
                "order: top -> bottom", "zone: d -> a", "zone: a -> d", "secret: down -> up", "statement: show a to 0 -> ", "zone: a -> d", "secret: 0 -> players", "number: 0 -> 1"});
  // in a hand all lies face down, and of a shuffled pile one end is as good as the other until something is put there
  CHECK(of("card C { v: 1..2 }\ndeck d of C { }\nzone h[player]: hand of C\nphase play { shuffle d   move top of d to h[me] face down   move h[me] to d   turn top of d face up }\n") ==
        Changes{"secret: hand of C -> row of C face up", "statement: shuffle d -> ", "statement: move top of d to h[me] face down -> ",
                "statement: move h[me] to d -> ", "statement: turn top of d face up -> ", "order: top -> bottom", "secret: up -> down"});
  CHECK(of("var s: 0..1 seen by 0\nphase play { choose 0 secretly { secretly think { } } }\nscore p = s\n") ==
        Changes{"secret: seen by 0 -> ", "number: 0 -> 1", "statement: choose 0 secretly { secretly think { } } -> ", "number: 0 -> 1", "secret: secretly -> ", "secret: secretly -> "});
}

TEST_CASE("triggers never fire", "[mutate]") {
  CHECK(of("when yes { }\nwhen p in players { }\nwhen p in players where p == 0 { }\n") ==
        Changes{"trigger: yes -> no", "condition: yes -> not (yes)", "seat: players -> players - 0", "trigger:  ->  where no", "seat: players -> players - 0",
                "trigger: p == 0 -> no", "comparison: == -> !=", "number: 0 -> 1"});
}

TEST_CASE("what only claims read stays as it is", "[mutate]") {
  const std::string rules = "var seen: 0..3 = 1\nvar a: 0..3 = 1\nphase play { set seen to a + 1   let b = 2   set a to 3 }\n";
  const std::string checks = "let total() = seen + helper(1)\nlet helper(n) = n + 2\nalways \"A\": total() == 3\nreport \"R\" = total()\nbound seen in 0..3\nnote \"N\"\n"
                             "require \"Q\": 1 == 1\nsmall \"S\" { set p to 1 }\nscenario \"C\" { players Ann, Ben   expect a == 1 }\n";
  CHECK(of(rules + checks) == Changes{});
  CHECK(of(rules + checks + "score p = a\n") == Changes{"number: 1 -> 2", "statement: set a to 3 -> ", "number: 3 -> 4"});
  CHECK(of("phase play repeat until me at most 4 { }\n") == Changes{"condition: me -> not (me)"});
  CHECK(of("phase play repeat until me cut off after 4 { }\n") == Changes{"condition: me -> not (me)", "number: 4 -> 5"});
  CHECK(of("phase play { if 1 < 2 { sometimes \"S\" } else { note \"N\" } }\n") == Changes{});
  CHECK(of(rules + checks + "score p = helper(p)\n") == Changes{"number: 2 -> 3"});
}

TEST_CASE("sheets are rules too", "[mutate]") {
  CHECK(of("param n: 0..3 = 1\nlet f() = n\nvariant \"V\" {\n  set n to 2\n  replace let f() = 3\n  after [R-1] { stop }\n  always \"X\": 1 == 1\n}\nscore p = f()\n") ==
        Changes{"number: 1 -> 2", "number: 2 -> 3", "number: 3 -> 4", "statement: stop -> "});
}

TEST_CASE("a game with a whole scenario has no survivors", "[mutate]") {
  const verify::MutationReport report = mutate(kTakeChecked);
  INFO(verify::mutation_text(report, *load(kTakeChecked), false));
  CHECK(report.failed == "");
  CHECK(report.count(Fate::survived) == 0);
  CHECK(report.count(Fate::caught) > 10);
  CHECK(report.percent() == 100);
  CHECK_FALSE(report.time_ended());
}

TEST_CASE("without a scenario slips survive, each with its place", "[mutate]") {
  const auto loaded = load(kTake);
  const verify::MutationReport report = mutate(kTake);
  CHECK(report.percent() < 60);
  std::vector<std::string> survivors;
  for (const verify::Mutant& m : report.mutants) {
    if (m.fate == Fate::survived) survivors.push_back(loaded->sources.where(m.mutation.span) + " " + m.mutation.with);
  }
  CHECK_THAT(survivors, Catch::VectorContains(std::string("m.rip:3:18 5")) && Catch::VectorContains(std::string("m.rip:10:13 low")));
  const std::string text = verify::mutation_text(report, *loaded, false);
  CHECK_THAT(text, Catch::Contains("m.rip:10:13: order: `high` becomes `low`\n  - winner p by high score[p]\n  + winner p by low score[p]\n"));
  // what goes wrong at once is caught by what every game must have
  const auto negated = std::find_if(report.mutants.begin(), report.mutants.end(), [](const auto& m) { return m.mutation.with == "yes"; });
  REQUIRE(negated != report.mutants.end());
  CHECK(negated->fate == Fate::caught);
  CHECK(negated->by == "no rule goes wrong");
}

TEST_CASE("claims, goals, leaks and endless games catch what scenarios do not see", "[mutate]") {
  const auto by = [](const std::string& text, const std::string& before, const std::string& with) {
    const auto loaded = load(text);
    const verify::MutationReport report = mutate(text);
    INFO(report.failed);
    for (const verify::Mutant& m : report.mutants) {
      if (loaded->sources.text(m.mutation.span) == before && m.mutation.with == with) return std::string(verify::name(m.fate)) + " " + m.by;
    }
    return std::string("no such change");
  };
  CHECK(by(kTake + "always \"few\": left <= 4\n", "4", "5") == "caught always \"few\"");
  CHECK(by(kTake + "sometimes \"one is left\": left == 1\n", "1", "2") == "caught sometimes \"one is left\"");
  const std::string slow = "game \"Slow\" language 1\nplayers 2\nvar n: 0..3\nphase setup { }\n"
                           "phase play turns from 0 until n == 3 { choose me { go { raise n by 1 }   wait { } } }\nscore p = n\nwinner p by high score[p]\n";
  CHECK(by(slow, "raise n by 1", "") == "caught every game ends");
  CHECK(by(slow, "me", "next(me)") == "survived ");
  CHECK(by(kTake, "left == 0", "no such thing") == "no such change");
}

TEST_CASE("the checker refuses, and equal programs do not count", "[mutate]") {
  const verify::MutationReport report = mutate("game \"E\" language 1\nplayers 2\nvar a: 0..1 = 1\nphase play { if no { set a to 0 }   choose 0 { go(n in 1..2) { } } }\nscore p = a\nwinner p by high score[p]\n");
  CHECK(report.count(Fate::refused) >= 1);  // a starts with 2
  CHECK(report.count(Fate::equal) >= 1);    // what never runs
  for (const verify::Mutant& m : report.mutants) {
    if (m.fate == Fate::refused) CHECK_THAT(m.by, Catch::StartsWith("R0"));
  }
}

TEST_CASE("a script that does not hold is not changed", "[mutate]") {
  const verify::MutationReport report = mutate(kTake + "scenario \"wrong\" { players Ann, Ben   expect left == 5 }\n");
  CHECK_THAT(report.failed, Catch::Contains("scenario \"wrong\" fails"));
  CHECK(report.mutants.empty());
  CHECK_THAT(mutate(kTake + "always \"wrong\": left > 1\n").failed, Catch::Contains("always \"wrong\" is violated"));
}

TEST_CASE("variants are judged by their own scenarios, and a sheet changes nothing else", "[mutate]") {
  const std::string text = kTakeChecked + R"(variant "long" {
  set left_over to 1
  scenario "one stays" { players Ann, Ben   Ann does take(2)   Ben does take(1)   expect game is over and left == 1 }
}
param left_over: 0..2 = 0
)";
  const std::string with_param = [&] {
    std::string out = text;
    return out.replace(out.find("until left == 0"), 15, "until left <= left_over");
  }();
  const auto loaded = load(with_param);
  verify::MutateOptions options;
  options.seconds = 0;
  options.jobs = 1;
  const verify::MutationReport all = verify::mutate_game(*loaded, options);
  const auto in_sheet = std::find_if(all.mutants.begin(), all.mutants.end(), [](const auto& m) { return m.mutation.sheet == "long"; });
  REQUIRE(in_sheet != all.mutants.end());
  CHECK(in_sheet->fate == Fate::caught);
  CHECK(in_sheet->by == "scenario \"one stays\"");
  CHECK(in_sheet->in == "variant \"long\"");
  options.variant = "";
  CHECK(verify::mutate_game(*loaded, options).possible < all.possible);
  options.variant = "lomg";
  CHECK_THAT(verify::mutate_game(*loaded, options).usage_error, Catch::Contains("did you mean `long`?"));
}

TEST_CASE("a sample is the same for the same seed, with any number of threads", "[mutate]") {
  const auto loaded = load(kTake);
  const auto document = [&](unsigned jobs) {
    verify::MutationReport report = mutate(kTake, jobs, 12);
    CHECK(report.wished == 12);
    report.seconds = 0;
    return verify::mutation_json(report, *loaded);
  };
  CHECK(document(1) == document(3));
}

TEST_CASE("nothing judged is not all caught", "[mutate]") {
  const verify::MutationReport report;
  CHECK_THAT(verify::mutation_text(report, *load(kTakeChecked), false), Catch::Contains("no change was judged") && !Catch::Contains("%"));
  CHECK_THAT(verify::mutation_json(report, *load(kTakeChecked)), Catch::Contains("\"percent\": null"));
}
