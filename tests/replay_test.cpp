// The same game again: played twice, written to a trace and read back, played by the slow second evaluator, and played by
// another build. What a build plays is boiled down to the numbers in tests/signatures.txt, which all builds must meet.
//
// A change of a game's rules or of the random numbers changes its numbers. This rewrites them (release build):
//
//   RIP_WRITE_SIGNATURES=1 ./build/release/unit_tests "[signatures]"
#include <catch2/catch.hpp>

#include "verify/oracle.h"
#include "verify/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

using namespace rip;
namespace fs = std::filesystem;

// Sanitizers cost about ten times the time: they play the first games only.
#if defined(__SANITIZE_ADDRESS__)
#define RIP_SCALE "scaled down for the sanitizers"
constexpr bool kAll = false;
#else
#define RIP_SCALE "1000 games"
constexpr bool kAll = true;
#endif
constexpr std::uint64_t kFirst = 25, kGames = kAll ? 1000 : kFirst;
constexpr std::uint64_t kSeed = 1;
constexpr std::size_t kLimit = 100000;

namespace {

std::vector<fs::path> games() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(fs::path(RIP_SOURCE_DIR) / "games")) {
    if (entry.path().extension() == ".rip") found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::unique_ptr<verify::Playable> playable(const verify::Version& version, int players) {
  const verify::Configured wish = verify::configure(*version.rules, players, {});
  if (!wish.error.empty()) return nullptr;  // not a number of players for the default parameters
  auto out = verify::prepare(version.rules, wish.config);
  REQUIRE(out->error == "");
  return out;
}

/// A game at full speed, without lists of options; its end.
std::uint64_t play_fast(Machine& machine, State& state, std::uint64_t game) {
  Rng rng = Rng::for_game(kSeed, game);
  machine.start(state);
  Move move;
  Status status = machine.run(state, &rng);
  while (status == Status::decision || status == Status::checkpoint) {
    if (status == Status::decision) {
      const int seat = machine.to_move(state);
      if (!machine.sample_move(state, seat, rng, move)) break;
      machine.decide(state, seat, move);
      status = machine.status(state);
      if (status == Status::decision) continue;
    }
    status = machine.run(state, &rng);
  }
  return machine.hash(state);
}

/// Fowler, Noll, Vo (FNV-1a), a number a step.
void mix(std::uint64_t& sum, std::uint64_t number) { sum = (sum ^ number) * 0x100000001b3u; }

struct Signature {
  std::string first, all;
  friend bool operator==(const Signature&, const Signature&) = default;
};

/// Plays the games of one configuration, each twice: at full speed, and step by step with all options listed.
Signature sign(const verify::Playable& game) {
  Machine machine(*game.program);
  State state;
  std::uint64_t sum = 0xcbf29ce484222325u;
  Signature out;
  for (std::uint64_t number = 0; number < kGames; ++number) {
    verify::Sitting sitting(game);
    Rng rng = Rng::for_game(kSeed, number);
    sitting.begin();
    while (verify::step_at_random(sitting, rng)) {
    }
    const std::uint64_t end = sitting.machine.hash(sitting.state);
    if (play_fast(machine, state, number) != end) FAIL_CHECK("game " << number << " ends otherwise at full speed");
    mix(sum, sitting.tape.size());
    for (const verify::Step& step : sitting.tape) mix(sum, step.index + (std::uint64_t{step.of} << 32));
    mix(sum, end);
    if (number + 1 == kFirst) out.first = fmt::format("{:016x}", sum);
  }
  out.all = fmt::format("{:016x}", sum);
  return out;
}

fs::path signature_file() { return fs::path(RIP_SOURCE_DIR) / "tests" / "signatures.txt"; }

std::map<std::string, Signature> known_signatures() {
  std::map<std::string, Signature> out;
  std::ifstream file(signature_file());
  std::string name, players;
  Signature signature;
  while (file >> name >> players >> signature.first >> signature.all) out[name + " " + players] = signature;
  return out;
}

}  // namespace

TEST_CASE("every game of every player count repeats, with the signature of all builds, " RIP_SCALE, "[signatures]") {
  const bool rewrite = std::getenv("RIP_WRITE_SIGNATURES") != nullptr;
  const std::map<std::string, Signature> known = known_signatures();
  std::string lines;
  for (const fs::path& path : games()) {
    const auto loaded = verify::load(path.string());
    const verify::Version& base = *loaded->versions.at(0);
    REQUIRE(base.rules != nullptr);
    for (auto players = static_cast<int>(base.rules->players_low); players <= base.rules->players_high; ++players) {
      const auto game = playable(base, players);
      if (game == nullptr) continue;
      const std::string name = fmt::format("{} {}", path.stem().string(), players);
      INFO(name);
      const Signature now = sign(*game);
      lines += fmt::format("{} {} {}\n", name, now.first, now.all);
      if (rewrite) continue;
      REQUIRE(known.contains(name));
      CHECK(now.first == known.at(name).first);
      if (kAll) CHECK(now.all == known.at(name).all);
    }
  }
  if (!rewrite) return;
  REQUIRE(kAll);
  std::ofstream(signature_file()) << lines;
}

TEST_CASE("a trace written to a file is the same game when it is read", "[replay]") {
  for (const fs::path& path : games()) {
    const auto loaded = verify::load(path.string());
    const verify::Version& base = *loaded->versions.at(0);
    for (auto players = static_cast<int>(base.rules->players_low); players <= base.rules->players_high; ++players) {
      const auto game = playable(base, players);
      if (game == nullptr) continue;
      INFO(path.stem().string() << " " << players);
      for (std::uint64_t number = 0; number < 3; ++number) {
        const verify::Tape tape = verify::record(*game, kSeed, number, kLimit);
        const std::string text = verify::trace_text(*game, tape, {path.string(), kSeed, ""});
        const verify::ReadTrace read = verify::parse_trace(text);
        REQUIRE(read.error == "");
        verify::Sitting again(*game);
        again.begin();
        CHECK(verify::replay(again, read.trace).misfit == "");
        CHECK(read.trace.hash == fmt::format("{:016x}", again.machine.hash(again.state)));
        CHECK(verify::trace_text(*game, again.tape, {path.string(), kSeed, ""}) == text);
      }
    }
  }
}

TEST_CASE("the second evaluator sees the same game after every step, in every version and player count", "[replay]") {
  for (const fs::path& path : games()) {
    const auto loaded = verify::load(path.string());
    for (const auto& version : loaded->versions) {
      REQUIRE(version->rules != nullptr);
      for (auto players = static_cast<int>(version->rules->players_low); players <= version->rules->players_high; ++players) {
        const auto game = playable(*version, players);
        if (game == nullptr) continue;
        INFO(path.stem().string() << ", " << version->title() << ", " << players << " players");
        // the slow evaluator takes a second for a game of many; RIP_ORACLE_GAMES=1000 takes the night
        const char* wish = std::getenv("RIP_ORACLE_GAMES");
        const bool base = version->kind == verify::VersionKind::base;
        const std::uint64_t compared = wish != nullptr ? (base ? std::strtoull(wish, nullptr, 10) : 0) : kAll && base ? 3 : 1;
        for (std::uint64_t number = 0; number < compared; ++number) {
          const auto apart = verify::compare_with_oracle(*game, verify::record(*game, kSeed, number, kLimit));
          INFO("game " << number);
          CHECK((apart ? apart->detail : "") == "");
        }
      }
    }
  }
}
