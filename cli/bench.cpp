// `ripdsl bench`: how fast this machine plays a game.
#include "cli/command.h"

#include "interp/native/native.h"
#include "verify/random_play.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <memory>

namespace rip::cli {

namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

struct Options {
  GameOptions game;
  std::string time = "2s";
  verify::Native native = verify::Native::when_long;
  bool json = false;
};

struct Speed {
  double playouts = 0, moves = 0, decisions = 0, states = 0;
};

/// Playouts of the compiled game; false if there is none.
bool measure_native(const verify::Playable& playable, std::uint64_t seed, double seconds, Speed& speed) {
  std::string why_not;
  const auto code = native::Code::load(*playable.program, {native::needs_knowledge(*playable.program)}, why_not);
  if (code == nullptr) {
    tell_not_native(why_not);
    return false;
  }
  native::Player player(*playable.program, *code);
  State state;
  std::uint64_t games = 0, decisions = 0;
  const auto begin = Clock::now();
  while (since(begin) < seconds) {
    for (int i = 0; i < 64; ++i) {
      if (player.play(state, Rng::for_game(seed, games++)) == Status::fault) {
        tell_not_native("a rule goes wrong in it");
        return false;
      }
      decisions += player.decisions();
    }
  }
  const double took = since(begin);
  // what the interpreter found out about chance steps holds here too
  const double chances = (speed.moves - speed.decisions) / speed.playouts;
  speed.playouts = static_cast<double>(games) / took;
  speed.decisions = static_cast<double>(decisions) / took;
  speed.moves = speed.decisions + chances * speed.playouts;
  return true;
}

/// Playouts without claims; then the same with every chance point as a stop of its own, which counts moves and states.
Speed measure(const verify::Playable& playable, std::uint64_t seed, double seconds) {
  Speed speed;
  Machine machine(*playable.program);
  State state, copy;
  std::uint64_t games = 0, decisions = 0;
  auto begin = Clock::now();
  constexpr std::size_t kMost = 100000;
  auto play = [&](std::uint64_t game, auto&& step) {
    Rng rng = Rng::for_game(seed, game);
    machine.start(state);
    Status status = step(rng);
    Move move;
    for (std::size_t n = 0; n < kMost && (status == Status::decision || status == Status::checkpoint);) {
      if (status == Status::decision) {
        const int seat = machine.to_move(state);
        if (machine.sample_move(state, seat, rng, move) == 0) return;
        machine.decide(state, seat, move);
        ++decisions;
        ++n;
        status = machine.status(state);
        if (status == Status::decision) continue;
      }
      status = step(rng);
    }
  };
  while (since(begin) < seconds / 2) {
    for (int i = 0; i < 8; ++i) play(games++, [&](Rng& rng) { return machine.run(state, &rng); });
  }
  const double first = since(begin);
  speed.playouts = static_cast<double>(games) / first;
  speed.decisions = static_cast<double>(decisions) / first;
  std::uint64_t chances = 0, stops = 0, counted = 0;
  decisions = 0;
  begin = Clock::now();
  while (since(begin) < seconds / 2) {
    play(counted++, [&](Rng& rng) {
      Status status = machine.run(state);
      copy = state;
      ++stops;
      while (status == Status::chance) {
        ++chances;
        ++stops;
        machine.choose_outcome(state, machine.sample_outcome(state, rng));
        status = machine.run(state);
        copy = state;
      }
      return status;
    });
  }
  const double second = since(begin);
  speed.states = static_cast<double>(stops) / second;
  // chance steps of one game times the games of the fast measurement
  speed.moves = speed.decisions + static_cast<double>(chances) / static_cast<double>(counted) * speed.playouts;
  return speed;
}

int bench(const Options& options) {
  const double seconds = seconds_of(options.time);
  if (seconds <= 0) return usage(fmt::format("`{}` is no time; write for instance 2s", options.time));
  LowerOptions lower;
  lower.unread = false;
  const Opened opened = open_game(options.game, lower);
  if (opened.exit != kFine) return opened.exit;
  const verify::Playable& playable = *opened.playable;
  Speed speed = measure(playable, options.game.seed, seconds);
  const bool compiled = options.native != verify::Native::never && measure_native(playable, options.game.seed, seconds / 2, speed);
  if (options.json) {
    nlohmann::ordered_json out = {{"game", playable.rules->title},
                                  {"variant", playable.rules->variant},
                                  {"players", playable.players()},
                                  {"native", compiled},
                                  {"playouts_per_second", speed.playouts},
                                  {"moves_per_second", speed.moves},
                                  {"decisions_per_second", speed.decisions},
                                  {"state_bytes", playable.program->size},
                                  {"states_per_second", speed.states}};
    fmt::print("{}\n", out.dump(1));
    return kFine;
  }
  fmt::print("{}, {} players, one core, {}\n", playable.rules->title, playable.players(), compiled ? "compiled" : "interpreted");
  fmt::print("  {:>12.0f} playouts a second\n  {:>12.0f} decisions a second\n  {:>12.0f} moves a second (decisions and chance)\n", speed.playouts, speed.decisions, speed.moves);
  fmt::print("  {:>12.0f} states a second (each copied, by the interpreter)\n  {:>12} bytes a state\n", speed.states, playable.program->size);
  return kFine;
}

}  // namespace

void add_bench(Command app, int& exit) {
  auto options = std::make_shared<Options>();
  const Command command = app.add_subcommand("bench", "How many playouts, moves and states a second");
  add_file(command, options->game);
  add_configuration(command, options->game);
  command.add_option("--time", options->time, "how long to measure").type_name("TIME").default_val("2s");
  add_native(command, options->native);
  command.add_flag("--json", options->json, "one JSON document on standard output");
  command.footer(R"(Example:
  ripdsl bench games/gravediggers.rip --players 4)");
  command.callback([options, &exit] { exit = bench(*options); });
}

}  // namespace rip::cli
