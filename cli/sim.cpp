// `ripdsl sim`: many games and how they went.
#include "cli/command.h"

#include "base/text.h"
#include "verify/check.h"
#include "verify/parallel.h"
#include "verify/report.h"
#include "verify/simulate.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace rip::cli {

namespace {

using Json = nlohmann::ordered_json;
using verify::SimStats;
using verify::Spread;

struct Options {
  GameOptions game;
  std::uint64_t games = 1000;
  unsigned jobs = 0;
  std::string bots = "random";
  verify::Native native = verify::Native::when_long;
  bool json = false;
};

Json histogram(const Spread& spread) {
  Json out = Json::object();
  for (const auto& [value, count] : spread.histogram) out[std::to_string(value)] = count;
  return out;
}

Json spread_json(const Spread& spread, bool with_histogram) {
  Json out = {{"mean", spread.mean()}, {"sd", spread.sd()}, {"min", spread.n == 0 ? 0 : spread.min}, {"max", spread.n == 0 ? 0 : spread.max}};
  if (with_histogram) out["histogram"] = histogram(spread);
  return out;
}

std::string json_text(const verify::Playable& playable, const SimStats& stats, std::uint64_t seed) {
  Json seats = Json::array();
  for (std::size_t seat = 0; seat < stats.seats.size(); ++seat) {
    const verify::SeatStats& s = stats.seats[seat];
    const auto [low, high] = verify::wilson(s.wins + s.shared_wins, stats.games);
    seats.push_back({{"seat", seat},
                     {"wins", s.wins},
                     {"shared_wins", s.shared_wins},
                     {"win_rate", static_cast<double>(s.wins + s.shared_wins) / static_cast<double>(std::max<std::uint64_t>(stats.games, 1))},
                     {"win_interval", {low, high}},
                     {"score", spread_json(s.score, true)}});
  }
  Json values = Json::object();
  for (const auto& [text, spread] : stats.values) values[text] = spread_json(spread, true);
  Json goals = Json::object();
  for (const auto& [text, goal] : stats.goals) goals[text] = {{"games", goal.games}, {"times", goal.times}};
  Json out = {{"game", playable.rules->title},
              {"variant", playable.rules->variant},
              {"players", playable.players()},
              {"params", params_json(playable)},
              {"seed", seed},
              {"games", stats.games},
              {"seats", std::move(seats)},
              {"decisions", spread_json(stats.decisions, false)},
              {"options", {{"mean", stats.options.mean()}, {"max", stats.options.n == 0 ? 0 : stats.options.max}}},
              {"ends", stats.ends},
              {"moves", stats.moves},
              {"values", std::move(values)},
              {"sometimes", std::move(goals)},
              {"native", stats.native},
              {"seconds", stats.seconds},
              {"games_per_second", static_cast<double>(stats.games) / std::max(stats.seconds, 1e-9)}};
  return out.dump(1) + "\n";
}

void print_text(const verify::Playable& playable, const SimStats& stats) {
  fmt::print("{}, {} players, {} games\n\n", playable.rules->title, playable.players(), stats.games);
  fmt::print("  seat          wins   shared      rate   95 %             score: mean    sd   min   max\n");
  for (std::size_t seat = 0; seat < stats.seats.size(); ++seat) {
    const verify::SeatStats& s = stats.seats[seat];
    const auto [low, high] = verify::wilson(s.wins + s.shared_wins, stats.games);
    fmt::print("  {:<10} {:>7} {:>8}   {:>6.1f} %  {:>4.1f}..{:<4.1f} %", playable.seat(static_cast<int>(seat)), s.wins, s.shared_wins,
               100.0 * static_cast<double>(s.wins + s.shared_wins) / static_cast<double>(std::max<std::uint64_t>(stats.games, 1)), 100 * low, 100 * high);
    if (s.score.n > 0) fmt::print("      {:>10.2f} {:>5.2f} {:>5} {:>5}", s.score.mean(), s.score.sd(), s.score.min, s.score.max);
    fmt::print("\n");
  }
  if (stats.nobody_won > 0) fmt::print("  nobody wins in {} games\n", stats.nobody_won);
  if (stats.decisions.n > 0) {
    fmt::print("\n  decisions a game   {:.1f} on average (sd {:.1f}), {}..{}\n", stats.decisions.mean(), stats.decisions.sd(), stats.decisions.min, stats.decisions.max);
  }
  if (stats.options.n > 0) fmt::print("  options a decision {:.1f} on average, at most {}\n", stats.options.mean(), stats.options.max);
  fmt::print("\n  why games ended\n");
  for (const auto& [reason, count] : stats.ends) fmt::print("    {:>9}  {}\n", count, reason);
  fmt::print("\n  moves taken\n");
  for (const auto& [name, count] : stats.moves) fmt::print("    {:>9}  {}\n", count, name);
  if (!stats.goals.empty()) fmt::print("\n  what sometimes happens\n");
  for (const auto& [text, goal] : stats.goals) {
    fmt::print("    {:>9}  {}{}\n", goal.times, text, goal.times == goal.games ? "" : fmt::format(", in {} games", goal.games));
  }
  if (!stats.values.empty()) fmt::print("\n  reports\n");
  for (const auto& [text, spread] : stats.values) {
    if (spread.n > 0) fmt::print("    {}: {:.2f} on average (sd {:.2f}), {}..{}\n", text, spread.mean(), spread.sd(), spread.min, spread.max);
  }
}

int simulate(const Options& options) {
  for (const std::string& bot : split_at_commas(options.bots)) {
    if (bot != "random") return usage(fmt::format("there is no bot `{}`; there is `random`", bot));
  }
  LowerOptions lower;
  lower.goals = true;
  lower.unread = false;
  const Opened opened = open_game(options.game, lower);
  if (opened.exit != kFine) return opened.exit;
  const unsigned jobs = verify::jobs_meant(options.jobs);
  const SimStats stats = verify::simulate(*opened.playable, opened.loaded->sources, {.seed = options.game.seed, .games = options.games, .jobs = jobs, .native = options.native});
  if (!stats.not_native.empty()) tell_not_native(stats.not_native);
  if (options.json) fmt::print("{}", json_text(*opened.playable, stats, options.game.seed));
  else print_text(*opened.playable, stats);
  if (stats.faults > 0) {
    fmt::print(stderr, "ripdsl: a rule went wrong in {} games, first in number {}: {}\n", stats.faults, stats.first_fault_game, stats.first_fault);
    fmt::print(stderr, "  ripdsl play {} --seed {} --game {}\n", options.game.file, options.game.seed, stats.first_fault_game);
    return kViolated;
  }
  return kFine;
}

}  // namespace

void add_sim(Command app, int& exit) {
  auto options = std::make_shared<Options>();
  const Command command = app.add_subcommand("sim", "Play many games: who wins, how long they take, which moves are made");
  add_file(command, options->game);
  add_configuration(command, options->game);
  command.add_option("--games", options->games, "how many").type_name("N").counting().default_val(1000);
  command.add_option("--jobs", options->jobs, "threads (default: all); the result is the same with any number").type_name("N");
  command.add_option("--bots", options->bots, "who plays; so far `random`").type_name("BOTS").default_val("random");
  add_native(command, options->native);
  command.add_flag("--json", options->json, "one JSON document on standard output");
  command.footer(R"(Example:
  ripdsl sim games/gravediggers.rip --players 4 --games 10000
  ripdsl sim games/gravediggers.rip --set hand_size=3 --json
  ripdsl sim games/vertippt.rip --games 10000000 --native)");
  command.callback([options, &exit] { exit = simulate(*options); });
}

}  // namespace rip::cli
