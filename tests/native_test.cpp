// Games as native code against the interpreter: from the same seed the same state at every stop, byte by byte, and the same
// random numbers used.
#include <catch2/catch.hpp>

#include "interp/native/native.h"
#include "verify/game.h"

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
        if (machine.sample_move(mine, seat, a, move) != 0) machine.decide(mine, seat, move);
        status = machine.status(mine);
      }
      if (status != Status::decision && status != Status::over) status = machine.run(mine, &a);
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

void compare_file(const fs::path& path, int players, std::uint64_t games, bool goals) {
  const auto loaded = verify::load(path.string());
  if (loaded->versions.empty() || loaded->versions[0]->rules == nullptr) return;
  const auto wish = verify::configure(*loaded->versions[0]->rules, players, {});
  if (!wish.error.empty()) return;
  LowerOptions lower;
  lower.goals = goals;
  const auto playable = verify::prepare(loaded->versions[0]->rules, wish.config, lower);
  if (!playable->error.empty()) return;
  INFO(path.string() << " with " << playable->players());
  CHECK(compare(*playable->program, true, games, 2000) == "");
  if (!native::needs_knowledge(*playable->program)) CHECK(compare(*playable->program, false, games, 2000) == "");
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
