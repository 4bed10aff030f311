// How fast games written as scripts are played, compared with plain simulators of the same games in C++. Flow: bench/simulators,
// the engine -> Google Benchmark -> a table and, with --json FILE, one JSON document.
#include "bench/simulators.h"
#include "bench/sweep.h"
#include "interp/native/native.h"
#include "interp/run/playout.h"
#include "verify/game.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

using namespace rip;

namespace {

struct Comparison {
  const char* name;
  const char* script;
  int players;
  bench::Played (*play)(Rng&);
};
const Comparison kComparisons[] = {
    {"leduc", "games/classics/leduc.rip", 2, bench::play_leduc},
    {"sixty", "bench/sixty.rip", 5, bench::play_tricks},
    {"vertippt", "games/vertippt.rip", 4, bench::play_vertippt},
    {"gravediggers", "games/gravediggers.rip", 4, bench::play_gravediggers},
};
constexpr const char* kWays[] = {"hand-written", "interpreter", "native"};

struct Script {
  std::unique_ptr<verify::Loaded> loaded;
  std::unique_ptr<verify::Playable> playable;
};

Script open(const Comparison& comparison) {
  Script script;
  script.loaded = verify::load(std::string(RIP_SOURCE_DIR) + "/" + comparison.script);
  if (script.loaded->has_errors()) {
    fmt::print(stderr, "bench: {} has errors\n", comparison.script);
    std::exit(1);
  }
  const auto& rules = script.loaded->versions[0]->rules;
  LowerOptions lower;
  lower.unread = false;
  script.playable = verify::prepare(rules, verify::configure(*rules, comparison.players, {}).config, lower);
  return script;
}

/// Decisions and chance steps of a game on average; the same for a script and for its simulator.
double moves_in_a_game(const Script& script) {
  Machine machine(*script.playable->program);
  State state;
  Move move;
  std::uint64_t moves = 0;
  constexpr std::uint64_t kGames = 400;
  for (std::uint64_t game = 0; game < kGames; ++game) {
    Rng rng = Rng::for_game(1, game);
    machine.start(state);
    Status status = machine.run(state);
    while (status != Status::over && status != Status::fault) {
      if (status == Status::chance) {
        ++moves;
        machine.choose_outcome(state, machine.sample_outcome(state, rng));
      } else if (status == Status::decision) {
        ++moves;
        const int seat = machine.to_move(state);
        if (machine.sample_move(state, seat, rng, move) == 0) break;
        machine.decide(state, seat, move);
        status = machine.status(state);
        if (status == Status::decision) continue;
      }
      status = machine.run(state);
    }
  }
  return static_cast<double>(moves) / static_cast<double>(kGames);
}

void measure_simulator(benchmark::State& timing, const Comparison& comparison) {
  std::uint64_t game = 0;
  int decisions = 0;
  for (auto _ : timing) {
    Rng rng = Rng::for_game(1, game++);
    decisions += comparison.play(rng).decisions;
  }
  benchmark::DoNotOptimize(decisions);
}

void measure_interpreter(benchmark::State& timing, const Script& script) {
  Machine machine(*script.playable->program);
  State state;
  std::uint64_t game = 0;
  for (auto _ : timing) {
    Rng rng = Rng::for_game(1, game++);
    play_out(machine, state, rng);
  }
}

void measure_native(benchmark::State& timing, const Script& script) {
  std::string why_not;
  const auto code = native::Code::load(*script.playable->program, {native::needs_knowledge(*script.playable->program)}, why_not);
  if (code == nullptr) {
    timing.SkipWithError(why_not.c_str());
    return;
  }
  native::Player player(*script.playable->program, *code);
  State state;
  std::uint64_t game = 0;
  for (auto _ : timing) player.play(state, Rng::for_game(1, game++));
  benchmark::DoNotOptimize(state.bytes[0]);
}

/// Keeps games per second by benchmark, and says what is being measured.
class Keep : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      double& best = games[run.run_name.function_name];
      best = std::max(best, static_cast<double>(run.iterations) / run.cpu_accumulated_time);
    }
  }
  std::map<std::string, double> games;
};

void write_page(const std::string& file, const std::string& rows) {
  const std::vector<bench::Sweep> sweeps = bench::sweeps(0.5);
  const std::string stem = file.substr(0, file.rfind('.'));
  std::string text =
      "# Performance\n\nWritten by `./dev bench --write docs/performance.md`; one core, the best of some runs. What is compiled, and how: "
      "[decision 23](decisions/0023-native-code.md).\n\n## Beside C++ written by hand\n\nThe simulators are those of `bench/`: arrays, no allocation, the same "
      "generator. A test compares the distributions of lengths, scores and winners. Moves are decisions and chance steps.\n\n"
      "| game | played by | playouts/s | million moves/s | bytes a state | of hand-written |\n|---|---|---|---|---|---|\n" +
      rows + "\n## As games grow\n\nEverybody takes a card in turn and plays one, until the pile is empty; triggers look at the table after every move.\n\n" + bench::table(sweeps) + "\n";
  for (const bench::Sweep& sweep : sweeps) {
    const std::string plot = stem + "-" + sweep.name + ".svg";
    std::ofstream(plot) << bench::plot(sweep);
    text += fmt::format("![{}]({})\n", sweep.name, plot.substr(plot.rfind('/') + 1));
  }
  std::ofstream(file) << text;
}

}  // namespace

int main(int argc, char** argv) {
  std::string json_file;
  std::string time = "0.5";
  std::string only, page;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "--json") json_file = argv[i + 1];
    else if (option == "--time") time = argv[i + 1];
    else if (option == "--only") only = argv[i + 1];
    else if (option == "--write") page = argv[i + 1];
  }
  std::vector<Script> scripts;
  for (const Comparison& comparison : kComparisons) scripts.push_back(open(comparison));
  for (std::size_t i = 0; i < scripts.size(); ++i) {
    const Comparison& comparison = kComparisons[i];
    const Script& script = scripts[i];
    if (!only.empty() && only != comparison.name) continue;
    const auto name = [&](int way) { return fmt::format("{}/{}", comparison.name, kWays[way]); };
    benchmark::RegisterBenchmark(name(0).c_str(), [&](benchmark::State& timing) { measure_simulator(timing, comparison); });
    benchmark::RegisterBenchmark(name(1).c_str(), [&](benchmark::State& timing) { measure_interpreter(timing, script); });
    benchmark::RegisterBenchmark(name(2).c_str(), [&](benchmark::State& timing) { measure_native(timing, script); });
  }
  std::string least = "--benchmark_min_time=" + time, again = "--benchmark_repetitions=3";
  char* arguments[] = {argv[0], least.data(), again.data()};
  int count = 3;
  benchmark::Initialize(&count, arguments);
  Keep keep;
  benchmark::RunSpecifiedBenchmarks(&keep);

  nlohmann::ordered_json out;
  std::string rows_of_page;
  fmt::print("one core, the best of three runs; moves are decisions and chance steps\n\n");
  fmt::print("  {:<14} {:<14} {:>12} {:>14} {:>8} {:>12}\n", "game", "played by", "playouts/s", "moves/s", "bytes", "of hand");
  for (std::size_t i = 0; i < scripts.size(); ++i) {
    const Comparison& comparison = kComparisons[i];
    if (!only.empty() && only != comparison.name) continue;
    const double moves = moves_in_a_game(scripts[i]);
    const double by_hand = keep.games[fmt::format("{}/{}", comparison.name, kWays[0])];
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const char* way : kWays) {
      const double games = keep.games[fmt::format("{}/{}", comparison.name, way)];
      const bool script = way != kWays[0];
      fmt::print("  {:<14} {:<14} {:>12.0f} {:>14.0f} {:>8} {:>12}\n", comparison.name, way, games, games * moves,
                 script ? std::to_string(scripts[i].playable->program->size) : "", script ? fmt::format("1 / {:.1f}", by_hand / games) : "");
      rows_of_page += fmt::format("| {} | {} | {:.0f} | {:.1f} | {} | {} |\n", comparison.name, way, games, games * moves / 1e6,
                                  script ? std::to_string(scripts[i].playable->program->size) : "", script ? fmt::format("1 / {:.1f}", by_hand / games) : "");
      rows.push_back({{"played_by", way}, {"playouts_per_second", games}, {"moves_per_second", games * moves}, {"ratio", games / by_hand}});
    }
    out.push_back({{"game", comparison.name}, {"script", comparison.script}, {"players", comparison.players}, {"moves_in_a_game", moves},
                   {"state_bytes", scripts[i].playable->program->size}, {"runs", std::move(rows)}});
  }
  if (!page.empty()) write_page(page, rows_of_page);
  if (!json_file.empty()) std::ofstream(json_file) << out.dump(1) << "\n";
  return 0;
}
