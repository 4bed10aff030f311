// Games as native code against the interpreter: from the same seed the same state at every stop, byte by byte, and the same
// random numbers used.
#include <catch2/catch.hpp>

#include "interp/native/native.h"
#include "verify/game.h"
#include "verify/simulate.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

using namespace rip;

namespace {

namespace fs = std::filesystem;

const char* const kSource = RIP_SOURCE_DIR;

bool has_compiler() { return std::system("c++ --version >/dev/null 2>&1") == 0; }

/// The first byte in which two states differ, -1 if there is none; `but`: who knows which front is left out.
std::ptrdiff_t differs(const ir::Program& program, const State& a, const State& b, bool knowledge) {
  if (a.bytes.size() != b.bytes.size()) return static_cast<std::ptrdiff_t>(std::min(a.bytes.size(), b.bytes.size()));
  State x = a, y = b;
  if (!knowledge) {
    const auto blank = [&](State& state) {
      std::fill_n(state.bytes.begin() + program.known, 4 * program.components.size(), std::uint8_t{0});
      for (const ir::Var& var : program.vars) {
        if (var.known >= 0) std::fill_n(state.bytes.begin() + var.known, 4 * var.count, std::uint8_t{0});
      }
    };
    blank(x);
    blank(y);
  }
  const auto [at, _] = std::mismatch(x.bytes.begin(), x.bytes.end(), y.bytes.begin());
  return at == x.bytes.end() ? -1 : at - x.bytes.begin();
}

/// Plays the same games twice, stop by stop. Gives what is wrong, or nothing.
std::string compare(const ir::Program& program, bool knowledge, std::uint64_t games, std::uint64_t most_stops) {
  std::string why_not;
  const auto code = native::Code::load(program, {knowledge}, why_not);
  if (code == nullptr) return why_not;
  native::Player player(program, *code);
  Machine machine(program);
  State mine, theirs;
  for (std::uint64_t game = 0; game < games; ++game) {
    Rng a = Rng::for_game(7, game), b = a;
    machine.start(mine);
    player.start(theirs);
    for (std::uint64_t stop = 0; stop < most_stops; ++stop) {
      Status status = machine.status(mine);
      if (status == Status::decision) {
        const int seat = machine.to_move(mine);
        Move move;
        const std::uint64_t options = machine.sample_move(mine, seat, a, move);
        status = machine.status(mine);
        if (options != 0 && status != Status::fault) machine.decide(mine, seat, move);
        status = machine.status(mine);
      }
      if (status != Status::decision && status != Status::over && status != Status::fault) status = machine.run(mine, &a);
      const Status other = player.step(theirs, b);
      const std::string where = " in game " + std::to_string(game) + " at stop " + std::to_string(stop);
      if (status == Status::fault && other == Status::fault) break;
      if (status != other) return "status " + std::to_string(static_cast<int>(status)) + " is " + std::to_string(static_cast<int>(other)) + where;
      if (const auto at = differs(program, mine, theirs, knowledge); at >= 0) return "byte " + std::to_string(at) + where;
      Rng x = a, y = b;
      if (x.next() != y.next()) return "random numbers" + where;
      if (status == Status::over || status == Status::fault) break;
    }
    // and without stops
    const Status whole = player.play(theirs, Rng::for_game(7, game), most_stops);
    if (machine.status(mine) != Status::over) continue;
    if (whole != Status::over) return "a whole game ends with " + std::to_string(static_cast<int>(whole)) + " in game " + std::to_string(game);
    if (const auto at = differs(program, mine, theirs, knowledge); at >= 0) return "byte " + std::to_string(at) + " after the whole game " + std::to_string(game);
  }
  return "";
}

void compare_file(const fs::path& path, int players, std::uint64_t games, bool goals, std::uint64_t most_stops = 2000) {
  const auto loaded = verify::load(path.string());
  if (loaded->versions.empty() || loaded->versions[0]->rules == nullptr) return;
  const auto wish = verify::configure(*loaded->versions[0]->rules, players, {});
  if (!wish.error.empty()) return;
  LowerOptions lower;
  lower.goals = goals;
  lower.unread = !goals;
  const auto playable = verify::prepare(loaded->versions[0]->rules, wish.config, lower);
  if (!playable->error.empty()) return;
  INFO(path.string() << " with " << playable->players());
  CHECK(compare(*playable->program, true, games, most_stops) == "");
  if (!native::needs_knowledge(*playable->program)) CHECK(compare(*playable->program, false, games, most_stops) == "");
}

}  // namespace

TEST_CASE("native: the shipped games are played as by the interpreter", "[native]") {
  if (!has_compiler()) return;
  for (const char* folder : {"games", "games/classics", "bench"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(kSource) / folder)) {
      if (entry.path().extension() == ".rip") compare_file(entry.path(), 0, 60, true);
    }
  }
}

// Each takes a second to compile for the first time: every sixth one, or all with RIP_NATIVE_ALL=1 in the environment.
TEST_CASE("native: small scripts are played as by the interpreter", "[native]") {
  if (!has_compiler()) return;
  std::vector<fs::path> paths;
  for (const char* folder : {"clauses", "components", "decisions", "faults", "flow", "knowledge", "moves", "play", "triggers", "types", "zones", "rip_needs", "reaper_needs"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(kSource) / "tests/rip" / folder)) {
      if (entry.path().extension() == ".rip") paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  const std::size_t step = std::getenv("RIP_NATIVE_ALL") != nullptr ? 1 : 6;
  for (std::size_t i = 0; i < paths.size(); i += step) compare_file(paths[i], 0, 8, false, 300);
}

TEST_CASE("native: the numbers of many games are those of the interpreter", "[native]") {
  if (!has_compiler()) return;
  for (const char* file : {"games/vertippt.rip", "games/gravediggers.rip", "games/classics/pig.rip"}) {
    const auto loaded = verify::load(std::string(kSource) + "/" + file);
    const auto& rules = loaded->versions[0]->rules;
    LowerOptions lower;
    lower.goals = true;
    const auto playable = verify::prepare(rules, verify::configure(*rules, 0, {}).config, lower);
    verify::SimOptions options{.seed = 3, .games = 400, .jobs = 2, .native = verify::Native::never};
    const verify::SimStats interpreted = verify::simulate(*playable, loaded->sources, options);
    options.native = verify::Native::always;
    const verify::SimStats compiled = verify::simulate(*playable, loaded->sources, options);
    INFO(file << " " << compiled.not_native);
    CHECK(compiled.native);
    CHECK_FALSE(interpreted.native);
    const auto same = [](const verify::Spread& a, const verify::Spread& b) {
      CHECK(a.n == b.n);
      CHECK(a.sum == b.sum);
      CHECK(a.squares == b.squares);
      CHECK(a.min == b.min);
      CHECK(a.max == b.max);
      CHECK(a.histogram == b.histogram);
    };
    CHECK(compiled.games == interpreted.games);
    CHECK(compiled.ends == interpreted.ends);
    CHECK(compiled.moves == interpreted.moves);
    CHECK(compiled.nobody_won == interpreted.nobody_won);
    same(compiled.decisions, interpreted.decisions);
    same(compiled.options, interpreted.options);
    for (std::size_t seat = 0; seat < compiled.seats.size(); ++seat) {
      CHECK(compiled.seats[seat].wins == interpreted.seats[seat].wins);
      CHECK(compiled.seats[seat].shared_wins == interpreted.seats[seat].shared_wins);
      same(compiled.seats[seat].score, interpreted.seats[seat].score);
    }
    for (std::size_t i = 0; i < compiled.values.size(); ++i) same(compiled.values[i].second, interpreted.values[i].second);
    for (std::size_t i = 0; i < compiled.goals.size(); ++i) {
      CHECK(compiled.goals[i].second.games == interpreted.goals[i].second.games);
      CHECK(compiled.goals[i].second.times == interpreted.goals[i].second.times);
    }
  }
}

TEST_CASE("native: where a rule goes wrong the interpreter says which", "[native]") {
  if (!has_compiler()) return;
  const auto loaded = verify::load_text("wrong.rip", "game \"Wrong\" language 1\nplayers 2\nvar n: 0..5 = 0\nphase up turns from 0 until n == 6 {\n  choose me { more { raise n by 1 }   "
                                                     "wait { } }\n}\nscore p = n\nwinner p by high score[p]\n");
  REQUIRE_FALSE(loaded->has_errors());
  const auto& rules = loaded->versions[0]->rules;
  const auto playable = verify::prepare(rules, verify::configure(*rules, 0, {}).config);
  const verify::SimStats stats = verify::simulate(*playable, loaded->sources, {.games = 50, .native = verify::Native::always});
  CHECK(stats.faults == 50);
  CHECK(stats.first_fault_game == 0);
  CHECK(stats.first_fault == "wrong.rip:5:22: `n` would be 6, outside of 0..5");
}

TEST_CASE("native: a rule that goes wrong among the options ends a game, whoever plays", "[native]") {
  const auto loaded = verify::load(std::string(kSource) + "/tests/rip/faults/a_tie_among_options.rip");
  const auto& rules = loaded->versions[0]->rules;
  const auto playable = verify::prepare(rules, verify::configure(*rules, 0, {}).config);
  for (const verify::Native native : {verify::Native::never, verify::Native::always}) {
    const verify::SimStats stats = verify::simulate(*playable, loaded->sources, {.games = 20, .native = native});
    CHECK(stats.games == 20);
    CHECK(stats.faults == 20);
  }
}

TEST_CASE("native: hundreds of cards, some of them equal", "[native]") {
  if (!has_compiler()) return;
  for (const char* ranks : {"100", "50"}) {
    const std::string copies = std::string(ranks) == "50" ? "2" : "1";
    const auto loaded = verify::load_text("many.rip", "game \"Many\" language 1\nplayers 3\ncard Card { suit: 1..4   rank: 1.." + std::string(ranks) + " }\ndeck draw of Card { " + copies +
        " x <s r> for s in 1..4, r in 1.." + ranks + " }\nzone hand[player]: hand of Card\nzone table: pile of Card face up\nvar hits: 0..999 = 0\nphase deal {\n  shuffle draw\n"
        "  for p in players { move top 5 of draw to hand[p] }\n}\nphase play turns from 0 until draw is empty {\n  move top of draw to hand[me]\n  choose me {\n"
        "    play(c in hand[me]) { move c to table }\n    give(c in hand[me], p in players where p != me) { move c to hand[p] }\n    peek(p in players where p != me) { show hand[p] to me }\n"
        "  }\n}\nwhen count(table) mod 3 == 1 { raise hits by 1 }\nscore p = count(hand[p])\nwinner p by high score[p]\n");
    REQUIRE_FALSE(loaded->has_errors());
    const auto& rules = loaded->versions[0]->rules;
    const auto playable = verify::prepare(rules, verify::configure(*rules, 0, {}).config);
    INFO(ranks);
    CHECK(compare(*playable->program, true, 3, 1000) == "");
    if (!native::needs_knowledge(*playable->program)) CHECK(compare(*playable->program, false, 3, 1000) == "");
  }
}

TEST_CASE("native: cards that lie face up in a pile that covers what it gets", "[native]") {
  if (!has_compiler()) return;
  for (const std::string copies : {"1", "2"}) {
    const auto loaded = verify::load_text("buried.rip", "game \"Buried\" language 1\nplayers 3\ncard Card { suit: 1..4   rank: 1..8 }\ndeck draw of Card { " + copies +
        " x <s r> for s in 1..4, r in 1..8 }\nzone hand[player]: hand of Card\nzone table: row of Card face up\nphase deal {\n  shuffle draw\n"
        "  for p in players { move top 3 of draw to hand[p] }\n}\nphase play turns from 0 until draw is empty cut off after 80 {\n  var before: 0..99 = count(draw)\n"
        "  move top of draw to hand[me]\n  choose me {\n    play(c in hand[me]) { move c to table   move top of draw to table }\n"
        "    bury(c in hand[me]) { move c under draw face up }\n    mix(c in hand[me]) { move c to draw face up   shuffle draw }\n"
        "    turn(c in draw) { turn c face up   shuffle draw }\n    fetch { fill hand[me] to 6 from draw }\n  }\n}\nscore p = count(hand[p])\nwinner p by high score[p]\n"
        "always \"it shrinks\": count(draw) <= before + 1 at play\n");
    REQUIRE_FALSE(loaded->has_errors());
    const auto& rules = loaded->versions[0]->rules;
    LowerOptions lower;
    for (const bool unread : {true, false}) {
      lower.unread = unread;
      const auto playable = verify::prepare(rules, verify::configure(*rules, 0, {}).config, lower);
      const auto& code = playable->program->code;
      const auto begun = std::count_if(code.begin(), code.end(), [](const ir::Instr& instr) { return instr.op == ir::InstrOp::start_var; });
      CHECK(begun == (unread ? 1 : 0));
      INFO(copies);
      CHECK(compare(*playable->program, true, 20, 1000) == "");
      if (!native::needs_knowledge(*playable->program)) CHECK(compare(*playable->program, false, 20, 1000) == "");
    }
  }
}

TEST_CASE("native: without a compiler the interpreter plays", "[native]") {
  const auto loaded = verify::load(std::string(kSource) + "/games/classics/kuhn.rip");
  const auto& rules = loaded->versions[0]->rules;
  const auto playable = verify::prepare(rules, verify::configure(*rules, 0, {}).config);
  setenv("CXX", "no-such-compiler", 1);
  const verify::SimStats stats = verify::simulate(*playable, loaded->sources, {.games = 20, .native = verify::Native::always});
  unsetenv("CXX");
  CHECK_FALSE(stats.native);
  CHECK(stats.not_native == "there is no compiler `no-such-compiler`");
  CHECK(stats.games == 20);
}
