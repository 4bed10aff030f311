// RIP with one rule broken: what a designer might write by mistake, and what the checker says to it. And numbers of the
// game that have been worked out by hand.
#include <catch2/catch.hpp>

#include "verify/check.h"
#include "verify/simulate.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

using namespace rip;

namespace {

std::string script() {
  std::ifstream file(std::string(RIP_SOURCE_DIR) + "/games/rip.rip", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string with(std::string text, const std::string& instead_of, const std::string& now) {
  const std::size_t at = text.find(instead_of);
  REQUIRE(at != std::string::npos);
  return text.replace(at, instead_of.size(), now);
}

const verify::VerdictLine* leak(const verify::CheckReport& report) {
  for (const verify::RunReport& run : report.runs) {
    for (const verify::VerdictLine& line : run.verdicts) {
      if (line.kind == verify::PropertyKind::leak && line.verdict == verify::Verdict::violated) return &line;
    }
  }
  return nullptr;
}

verify::CheckReport look_for_leaks(const verify::Loaded& loaded, const std::string& variant, int players, std::uint64_t games) {
  REQUIRE_FALSE(loaded.has_errors());
  verify::CheckOptions options;
  options.do_scenarios = options.do_coverage = false;
  options.variant = variant;
  options.players = players;
  options.games = games;
  options.jobs = 1;
  options.shrink_seconds = 0.5;
  options.save_failures = false;
  return verify::check_game(loaded, options);
}

/// Both worlds are written side by side.
bool shows_two_worlds(const verify::VerdictLine& line) { return line.example && line.example->worlds.size() >= 4; }

}  // namespace

TEST_CASE("RIP: an accusation that is offered to the innocent only", "[rip_game]") {
  // who is asked tells that the owner of the Keyhole is not the Killer
  const std::string broken = with(script(), "choose each p in players {  ", "choose each p in players where has_key(p) and not is_killer(p) {  ");
  const auto loaded = verify::load_text("broken.rip", broken);
  const verify::CheckReport report = look_for_leaks(*loaded, "mode 2", 3, 300);
  const verify::VerdictLine* found = leak(report);
  REQUIRE(found != nullptr);
  CHECK(shows_two_worlds(*found));
}

TEST_CASE("RIP: a log that names a card that one seat has peeked at", "[rip_game]") {
  std::string broken = with(script(), "peek_at_card(v in covered()) { show v to me }", "peek_at_card(v in covered()) { show v to me   set last_seen to v.value }");
  broken = with(broken, "var ender: player?", "var last_seen: 0..10 = 0\nvar ender: player?");
  const auto loaded = verify::load_text("broken.rip", broken);
  REQUIRE_FALSE(loaded->has_errors());
  const std::string name = "what a peek shows is for one seat only";
  const auto results = verify::run_scenarios(*loaded, std::nullopt, name, 1, verify::ScenarioOptions{});
  REQUIRE(results.size() == 1);
  CHECK_FALSE(results[0].passed);
  // what the seat reads with one card there and with the other
  CHECK(results[0].message.find("does not look the same to Green") != std::string::npos);
  CHECK(results[0].message.find("last_seen") != std::string::npos);
  CHECK(results[0].message.find("with the swap") != std::string::npos);
}

TEST_CASE("RIP: how often the Killer is in play", "[rip_game]") {
  const auto loaded = verify::load_text("rip.rip", script());
  const verify::Version* version = loaded->find("mode 1");
  REQUIRE(version != nullptr);
  for (int players = 2; players <= 5; ++players) {
    const auto playable = verify::prepare(version->rules, verify::configure(*version->rules, players, {}).config);
    constexpr std::uint64_t kGames = 400;
    const verify::SimStats stats = verify::simulate(*playable, loaded->sources, {.seed = 7, .games = kGames});
    const auto killers = std::find_if(stats.values.begin(), stats.values.end(), [](const auto& value) { return value.first == "Killers in play"; });
    REQUIRE(killers != stats.values.end());
    const double share = static_cast<double>(players) / (players + 2);
    INFO(players << " players");
    CHECK(killers->second.max <= 1);
    // four standard deviations
    CHECK(std::abs(killers->second.mean() - share) < 4 * std::sqrt(share * (1 - share) / kGames));
  }
}
