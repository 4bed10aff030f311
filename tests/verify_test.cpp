// Random play, tapes, traces, shrinking, leaks, coverage, verdicts: each finds what a small script hides.
#include <catch2/catch.hpp>

#include "verify/check.h"
#include "verify/examine.h"
#include "verify/random_play.h"
#include "verify/rapid.h"
#include "verify/report.h"
#include "verify/shrink.h"
#include "verify/simulate.h"
#include "verify/trace.h"
#include "verify/transcript.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

using namespace rip;
using verify::Verdict;

namespace {

const std::string kHighCard = R"(game "High Card" language 1
players 2..4
card Card { value: 1..13 }
deck draw of Card { 4 x <v> for v in 1..13 }
zone hand[player]: hand of Card
zone shown[player]: place of Card face up
var points[player]: 0..5 = 0
param laps: 1..5 = 5
phase setup { shuffle draw   for p in players { fill hand[p] to 5 from draw } }               [R-1]
phase tricks for n in 1..laps {
  choose each p in players { play(c in hand[p]) { move c to shown[p] } }                      [R-2]
  for p in best(q in players by high shown[q].value) { raise points[p] by 1 }                 [R-3]
  for p in players { move shown[p] to draw }
}
score p = points[p]
winner p by high score[p]
)";

std::unique_ptr<verify::Loaded> load(const std::string& text) {
  auto loaded = verify::load_text("g.rip", text);
  std::string wrong;
  for (const Diagnostic& d : loaded->diagnostics()) {
    if (d.severity == Severity::error) wrong += render(d, loaded->sources, false);
  }
  INFO(wrong);
  REQUIRE_FALSE(loaded->has_errors());
  return loaded;
}

std::unique_ptr<verify::Playable> playable(const verify::Loaded& loaded, int players = 0, const std::vector<std::string>& settings = {}) {
  const verify::Configured wish = verify::configure(*loaded.versions[0]->rules, players, settings);
  INFO(wish.error);
  REQUIRE(wish.error.empty());
  LowerOptions lower;
  lower.claims = true;
  lower.coverage = true;
  auto out = verify::prepare(loaded.versions[0]->rules, wish.config, lower);
  INFO(out->error);
  REQUIRE(out->error.empty());
  return out;
}

verify::CheckReport check(const verify::Loaded& loaded, std::uint64_t games = 200) {
  verify::CheckOptions options;
  options.games = games;
  options.jobs = 1;
  options.save_failures = false;
  options.shrink_seconds = 1;
  return verify::check_game(loaded, options);
}

const verify::VerdictLine* line(const verify::CheckReport& report, const std::string& name, Verdict verdict) {
  for (const verify::RunReport& run : report.runs) {
    for (const verify::VerdictLine& found : run.verdicts) {
      if (found.name.find(name) != std::string::npos && found.verdict == verdict) return &found;
    }
  }
  return nullptr;
}

/// The shortest counterexample of any run.
const verify::Counterexample* example(const verify::CheckReport& report, const std::string& name) {
  for (const verify::RunReport& run : report.runs) {
    for (const verify::VerdictLine& found : run.verdicts) {
      if (found.name.find(name) != std::string::npos && found.example) return &*found.example;
    }
  }
  return nullptr;
}

}  // namespace

TEST_CASE("parameters from words", "[config]") {
  const auto loaded = load(kHighCard);
  const rules::Rules& rules = *loaded->versions[0]->rules;
  CHECK(verify::configure(rules, 3, {"laps=2"}).config.params[0] == std::vector<std::int64_t>{2});
  CHECK(verify::configure(rules, 0, {}).error == "");
  CHECK_THAT(verify::configure(rules, 9, {}).error, Catch::Contains("2 to 4 players, not 9"));
  CHECK_THAT(verify::configure(rules, 2, {"lops=2"}).error, Catch::Contains("did you mean `laps`?"));
  CHECK_THAT(verify::configure(rules, 2, {"laps=9"}).error, Catch::Contains("`laps` is 1..5, not `9`"));
  CHECK_THAT(verify::configure(rules, 2, {"laps"}).error, Catch::Contains("NAME=VALUE"));
  CHECK_THAT(verify::configure(rules, 2, {"laps=1,2"}).error, Catch::Contains("one value"));
  CHECK(verify::settings_of(rules, verify::configure(rules, 2, {"laps=2"}).config) == std::vector<std::string>{"laps=2"});
}

TEST_CASE("one seed is one game, recorded, replayed, or played at full speed", "[tape]") {
  const auto loaded = load(kHighCard);
  const auto game = playable(*loaded, 3);
  for (std::uint64_t number = 0; number < 20; ++number) {
    const verify::Tape tape = verify::record(*game, 7, number, 1000);
    verify::Sitting sitting(*game);
    sitting.begin();
    const verify::Fit fit = verify::replay(sitting, tape);
    CHECK(fit.misfit == "");
    REQUIRE(sitting.status == Status::over);
    verify::RandomPlay fast(*game, 7);
    CHECK(fast.play_one(number, 1000) == sitting.decisions());
    Machine machine(*game->program);
    State state;
    Rng rng = Rng::for_game(7, number);
    machine.start(state);
    Status status = machine.run(state, &rng);
    while (status == Status::decision || status == Status::checkpoint) {
      if (status == Status::decision) {
        Move move;
        const int seat = machine.to_move(state);
        REQUIRE(machine.sample_move(state, seat, rng, move) > 0);
        machine.decide(state, seat, move);
        status = machine.status(state);
        if (status == Status::decision) continue;
      }
      status = machine.run(state, &rng);
    }
    CHECK(state == sitting.state);
  }
}

TEST_CASE("a trace is text that replays, as far as it fits", "[trace]") {
  const auto loaded = load(kHighCard);
  const auto game = playable(*loaded, 2);
  const verify::Tape tape = verify::record(*game, 1, 0, 1000);
  const std::string text = verify::trace_text(*game, tape, {"g.rip", 1, ""});
  const verify::ReadTrace read = verify::parse_trace(text);
  REQUIRE(read.error == "");
  CHECK(read.trace.players == 2);
  CHECK(read.trace.game == "High Card");
  CHECK(read.trace.steps.size() == tape.size());
  CHECK(read.trace.end == "over");
  verify::Sitting sitting(*game);
  sitting.begin();
  CHECK(verify::replay(sitting, read.trace).misfit == "");
  CHECK(sitting.status == Status::over);

  const auto first = nlohmann::json::parse(text.substr(0, text.find('\n')));
  CHECK(first["ripdsl"] == 1);
  CHECK(first["params"]["laps"] == "5");

  std::string changed = kHighCard;
  changed.replace(changed.find("4 x <v>"), 7, "1 x <v>");
  const auto other = load(changed);
  const auto other_game = playable(*other, 2);
  verify::Sitting elsewhere(*other_game);
  elsewhere.begin();
  const verify::Fit fit = verify::replay(elsewhere, read.trace);
  CHECK((fit.misfit.empty() || fit.misfit.find("step") == 0));
  CHECK_THAT(verify::parse_trace("{}\n").error, Catch::Contains("line 1"));
  CHECK_THAT(verify::parse_trace("not json\n").error, Catch::Contains("line 1"));
  CHECK_FALSE(verify::parse_trace("").error.empty());
}

TEST_CASE("a transcript tells the game; a seat's transcript tells what it noticed", "[transcript]") {
  const auto loaded = load(kHighCard);
  const auto game = playable(*loaded, 2);
  const verify::Tape tape = verify::record(*game, 1, 0, 1000);
  const auto all = verify::transcript(*game, tape, {}, &loaded->sources);
  const auto has = [](const std::vector<std::string>& lines, const std::string& text) {
    return std::any_of(lines.begin(), lines.end(), [&](const std::string& l) { return l.find(text) != std::string::npos; });
  };
  CHECK(has(all, "chance: draw yields"));
  CHECK(has(all, "P1: play(<"));
  CHECK(has(all, "the game is over"));
  verify::TranscriptOptions as;
  as.seat = 1;
  const auto seen = verify::transcript(*game, tape, as, &loaded->sources);
  CHECK_FALSE(has(seen, "chance"));
  CHECK(has(seen, "P2: play(<"));
}

TEST_CASE("check finds nothing wrong with a sound game", "[check]") {
  const auto loaded = load(kHighCard);
  const verify::CheckReport report = check(*loaded);
  const std::string text = verify::report_text(report, *loaded, false);
  INFO(text);
  CHECK(report.ok);
  CHECK(report.runs.size() == 3);
  CHECK_THAT(text, Catch::Contains("both evaluators agree") && Catch::Contains("coverage     3 of 3 clauses"));
  const auto json = nlohmann::json::parse(verify::report_json(report, *loaded));
  CHECK(json["tool"] == "ripdsl");
  CHECK(json["ok"] == true);
  CHECK(json["runs"][0]["random"]["games"] == 200);
  CHECK(json["runs"][0]["coverage"]["clauses"]["R-3"] > 0);
  for (const auto& run : json["runs"]) {
    for (const auto& verdict : run["verdicts"]) {
      for (const char* key : {"name", "kind", "verdict", "detail", "span", "trace"}) CHECK(verdict.contains(key));
    }
  }
}

TEST_CASE("a number of games gives the same report again, on any number of threads", "[check]") {
  const auto loaded = load(kHighCard);
  verify::CheckOptions options;
  options.games = 100;
  options.save_failures = false;
  std::vector<std::string> reports;
  for (const unsigned jobs : {1u, 3u, 1u}) {
    options.jobs = jobs;
    verify::CheckReport report = verify::check_game(*loaded, options);
    report.seconds = 0;
    for (verify::RunReport& run : report.runs) {
      if (run.search) run.search->seconds = 0;
    }
    reports.push_back(verify::report_json(report, *loaded));
  }
  CHECK(reports[0] == reports[2]);
  CHECK(nlohmann::json::parse(reports[0])["runs"][0]["random"]["decisions"] == nlohmann::json::parse(reports[1])["runs"][0]["random"]["decisions"]);
}

TEST_CASE("claims that fail are found and made short", "[check][shrink]") {
  const auto loaded = load(kHighCard + "always \"nobody leads by three\": every(points[p] <= points[q] + 2 for p in players, q in players)\n"
                                       "never \"a thirteen is played\": some(p in players where shown[p] is not none and shown[p].value == 13)\n"
                                       "bound points[p] in 0..3 for p in players\n"
                                       "sometimes \"all tie\": every(points[p] == points[q] for p in players, q in players) at end\n");
  const verify::CheckReport report = check(*loaded, 400);
  CHECK_FALSE(report.ok);
  REQUIRE(line(report, "nobody leads by three", Verdict::violated) != nullptr);
  CHECK(line(report, "bound points", Verdict::violated) != nullptr);
  const verify::Counterexample* least = example(report, "nobody leads by three");
  REQUIRE(least != nullptr);
  CHECK(least->steps <= least->before);
  CHECK(least->players == 2);
  CHECK_FALSE(least->transcript.empty());
}

TEST_CASE("a rule that goes wrong is a finding with its place", "[check]") {
  std::string text = kHighCard;
  text.replace(text.find("0..5 = 0"), 8, "0..3 = 0");
  const auto loaded = load(text);
  const verify::CheckReport report = check(*loaded, 400);
  const verify::VerdictLine* found = line(report, "no rule goes wrong", Verdict::violated);
  REQUIRE(found != nullptr);
  CHECK_THAT(found->detail, Catch::Contains("points"));
  CHECK(loaded->sources.place(found->span.file, found->span.begin).line == 12);
}

TEST_CASE("a seat without a move is stuck", "[check]") {
  const auto loaded = load(R"(game "Stuck" language 1
players 2
var left: 0..3 = 3
phase setup { }
phase play turns from 0 cut off after 9 {
  choose me { take(n in 1..2 where n <= left) { lower left by n } }
}
winner p by low number(p)
)");
  const verify::CheckReport report = check(*loaded, 50);
  const verify::VerdictLine* found = line(report, "who is asked can move", Verdict::violated);
  REQUIRE(found != nullptr);
  const verify::Counterexample* least = example(report, "who is asked can move");
  REQUIRE(least != nullptr);
  CHECK(least->steps == 2);
}

TEST_CASE("the shrinker finds the shortest game", "[shrink]") {
  const auto loaded = load(R"(game "Long" language 1
players 2
var total: 0..2000 = 0
phase setup { }
phase play turns from 0 cut off after 200 {
  choose me {
    nothing { }
    add(n in 1..9) { raise total by n }
  }
}
winner p by low number(p)
never "more than forty": total > 40
)");
  const auto game = playable(*loaded);
  verify::Examined found = verify::examine_game(*game, 3, 0, {});
  REQUIRE(found.failure);
  const std::size_t before = found.tape.size();
  verify::ShrinkOptions how;
  how.seconds = 5;
  const verify::Shrunk least = verify::shrink(loaded->versions[0]->rules, game->config, std::move(found), {}, how);
  CHECK(least.game.tape.size() <= before);
  CHECK(least.game.tape.size() == 5);  // 9 + 9 + 9 + 9 + 5 are needed to get beyond 40
  REQUIRE(least.game.failure);
  CHECK(least.game.failure->kind == verify::PropertyKind::never);
}

TEST_CASE("RapidCheck finds a parameter that breaks a claim", "[rapid]") {
  const auto loaded = load(kHighCard + "param stakes: 0..9 = 1\nvar pot: 0..9 = stakes\nalways \"stakes are low\": pot < 7\n");
  const verify::CheckReport report = check(*loaded, 400);
  REQUIRE(line(report, "stakes are low", Verdict::violated) != nullptr);
  const verify::Counterexample* least = example(report, "stakes are low");
  REQUIRE(least != nullptr);
  REQUIRE_FALSE(least->settings.empty());
  CHECK(std::any_of(least->settings.begin(), least->settings.end(), [](const std::string& s) { return s.starts_with("stakes="); }));
}

TEST_CASE("of two equal cards in a row one is offered, and that is no leak", "[leaks]") {
  const auto loaded = load(R"(game "Look" language 1
players 2
card Card { value: 1..2 }
deck draw of Card { 3 x <1>   1 x <2> }
zone left: row of Card
zone right: row of Card
phase setup {
  shuffle draw
  for _ in 1..2 { move top of draw to left face down   move top of draw to right face down }
}
phase peeking for _ in 1..6 { choose 0 { look(c in left + right) { show c to 0 } } }
winner p by high number(p)
)");
  const auto report = check(*loaded, 400);
  const verify::VerdictLine* leak = line(report, "nobody learns", Verdict::violated);
  INFO((leak == nullptr ? "" : leak->detail));
  CHECK(leak == nullptr);
  CHECK((line(report, "nobody learns", Verdict::holds) != nullptr || line(report, "nobody learns", Verdict::proved) != nullptr));
}

TEST_CASE("secrets that leak are found beside twin worlds", "[leaks]") {
  const std::string cards = R"(game "Secret" language 1
players 2
card Card { value: 1..6 }
deck draw of Card { 1 x <v> for v in 1..6 }
zone hand[player]: hand of Card
zone table: row of Card
var open: 0..9 = 0
phase setup { shuffle draw   for p in players { fill hand[p] to 2 from draw } }
phase play {
  for p in players { choose p { lay(c in hand[p]) { move c to table face down } } }
  BODY
  for p in players { choose p { stop_here { }   go_on { } } }
}
score p = open
winner p by low number(p)
)";
  const auto with = [&](const std::string& body) {
    std::string text = cards;
    text.replace(text.find("BODY"), 4, body);
    return load(text);
  };
  SECTION("a sound game has none") {
    const auto loaded = with("show nth(table, 1)");
    CHECK(line(check(*loaded, 400), "nobody learns", Verdict::violated) == nullptr);
  }
  SECTION("an open variable that is written from a hidden card") {
    const auto loaded = with("let hidden = first(c in table by low c.value)   if hidden is not none { set open to hidden.value }");
    const verify::CheckReport report = check(*loaded, 400);
    const verify::VerdictLine* found = line(report, "nobody learns", Verdict::violated);
    REQUIRE(found != nullptr);
    const verify::Counterexample* least = example(report, "nobody learns");
    REQUIRE(least != nullptr);
    CHECK(least->worlds.size() >= 4);
  }
  SECTION("who is asked depends on a hidden card") {
    const auto loaded = with("for p in players where some(c in hand[p] where c.value == 6) { choose p { tell { } } }");
    CHECK(line(check(*loaded, 400), "nobody learns", Verdict::violated) != nullptr);
  }
  SECTION("options of another seat may depend on its own cards") {
    const auto loaded = with("for p in players { choose p { claim(where some(c in hand[p] where c.value == 6)) { }   pass { } } }");
    // only the move that is made shows something, and that is the player's doing
    const verify::CheckReport report = check(*loaded, 200);
    INFO(verify::report_text(report, *loaded, false));
    CHECK(line(report, "nobody learns", Verdict::violated) == nullptr);
  }
}

TEST_CASE("coverage lists what no game has shown", "[coverage]") {
  const auto loaded = load(kHighCard + "note \"cards are shuffled well\" [R-8]\n"
                                       "when count(draw) == 0 { raise points[0] by 1 [R-9] }\n");
  const verify::CheckReport report = check(*loaded, 60);
  CHECK(report.coverage.clauses_not_shown() == std::vector<std::string>{"R-9"});
  CHECK(report.coverage.documented.contains("R-8"));
  CHECK_THAT(verify::report_text(report, *loaded, false), Catch::Contains("not shown: R-9") && Catch::Contains("triggers that never ran"));
  CHECK(verify::clause_before("R-2", "R-10"));
  CHECK(verify::clause_before("A-10", "R-2"));
  CHECK(verify::clause_before("R-2", "R-2a"));
}

TEST_CASE("a claim whose moment never comes is vacuous", "[check]") {
  const auto loaded = load(kHighCard + "sometimes \"never so\": points[0] == 5 and points[1] == 5\n");
  const verify::CheckReport report = check(*loaded, 60);
  CHECK(line(report, "never so", Verdict::vacuous) != nullptr);
  CHECK(report.ok);
}

TEST_CASE("statistics do not depend on the number of threads", "[sim]") {
  const auto loaded = load(kHighCard + "report \"cards left\" = count(draw)\n");
  const auto game = playable(*loaded, 2);
  const verify::SimStats one = verify::simulate(*game, loaded->sources, {.seed = 5, .games = 300, .jobs = 1, .native = verify::Native::never});
  const verify::SimStats two = verify::simulate(*game, loaded->sources, {.seed = 5, .games = 300, .jobs = 2, .native = verify::Native::never});
  CHECK(one.seats[0].wins == two.seats[0].wins);
  CHECK(one.decisions.sum == two.decisions.sum);
  CHECK(one.moves == two.moves);
  CHECK(one.games == 300);
  CHECK(one.seats[0].wins + one.seats[1].wins + one.seats[0].shared_wins == 300);
  REQUIRE(one.values.size() == 1);
  CHECK(one.values[0].second.min == 52);
  CHECK(one.moves.at("play") == 3000);
  const auto [low, high] = verify::wilson(50, 100);
  CHECK(low == Approx(0.4038).margin(0.001));
  CHECK(high == Approx(0.5962).margin(0.001));
}

TEST_CASE("a configuration that cannot be set up is said so", "[check]") {
  std::string text = kHighCard;
  text += "require \"enough cards\": count(players) > 9\n";
  const auto loaded = load(text);
  const verify::CheckReport report = check(*loaded, 20);
  CHECK(line(report, "the game can be set up", Verdict::error) != nullptr);
}

TEST_CASE("the games hold under all properties", "[check][games]") {
  namespace fs = std::filesystem;
  for (const auto& entry : fs::directory_iterator(fs::path(RIP_SOURCE_DIR) / "games")) {
    if (entry.path().extension() != ".rip") continue;
    const auto loaded = verify::load(entry.path().string());
    verify::CheckOptions options;
    options.games = 20;
    options.variant = "";
    options.save_failures = false;
    options.do_scenarios = false;
    const verify::CheckReport report = verify::check_game(*loaded, options);
    INFO(verify::report_text(report, *loaded, false));
    CHECK(report.ok);
  }
}
