#include "verify/random_play.h"

#include "verify/oracle.h"
#include "verify/position.h"
#include "verify/twins.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace rip::verify {

namespace {
constexpr std::size_t kOracleDecisions = 400;
constexpr std::uint64_t kMostTwins = 800;  ///< in one game
}

void PlayStats::note(Met now) {
  for (Met& known : met) {
    if (known.failure.key != now.failure.key) continue;
    if (now.game < known.game) known = std::move(now);
    return;
  }
  met.push_back(std::move(now));
}

void PlayStats::note(std::optional<EndlessGame> game) {
  keep(endless, std::move(game));
}

void PlayStats::add(PlayStats&& other) {
  games += other.games;
  thorough += other.thorough;
  beside_twins += other.beside_twins;
  on_oracle += other.on_oracle;
  twins += other.twins;
  unconfirmed += other.unconfirmed;
  decision_sum += other.decision_sum;
  decisions.insert(decisions.end(), other.decisions.begin(), other.decisions.end());
  for (const auto& [pc, count] : other.ends) ends[pc] += count;
  tally.add(other.tally);
  for (Met& one : other.met) note(std::move(one));
  note(std::move(other.endless));
  seconds += other.seconds;
}

RandomPlay::RandomPlay(const Playable& playable, std::uint64_t seed)
    : stats(*playable.program), playable_(playable), seed_(seed), machine_(*playable.program), watcher_(*playable.program) {
  machine_.observer = &watcher_;
}

std::size_t RandomPlay::play_one(std::uint64_t game, std::size_t most_decisions) {
  Rng rng = Rng::for_game(seed_, game);
  watcher_.begin_game();
  machine_.start(state_);
  Status status = machine_.run(state_, &rng);
  std::size_t decisions = 0;
  bool asked_anew = true;
  Move move;
  while (true) {
    if (status == Status::checkpoint) {
      watcher_.armed = true;
      status = machine_.run(state_, &rng);
      continue;
    }
    if (status != Status::decision || decisions >= most_decisions) break;
    if (asked_anew) watcher_.test(machine_, state_, false);
    const int seat = machine_.to_move(state_);
    if (machine_.sample_move(state_, seat, rng, move) == 0 || machine_.status(state_) == Status::fault) {
      status = machine_.status(state_);
      break;
    }
    machine_.decide(state_, seat, move);
    ++decisions;
    status = machine_.status(state_);
    asked_anew = status != Status::decision;
    if (asked_anew) status = machine_.run(state_, &rng);
    if (!watcher_.violations.empty()) break;
  }
  if (status == Status::over) watcher_.test(machine_, state_, true);
  finish(game, status, decisions);
  return decisions;
}

void RandomPlay::finish(std::uint64_t game, Status status, std::size_t decisions) {
  ++stats.games;
  stats.decision_sum += decisions;
  for (const Violation& violation : watcher_.violations) stats.note({failure(*playable_.program, violation), game, false, std::nullopt});
  if (status == Status::fault) stats.note({failure(machine_.fault(state_)), game, false, std::nullopt});
  if (status == Status::over) {
    ++stats.ends[header_of(state_).pc];
  } else if (status == Status::decision && watcher_.violations.empty()) {
    ++stats.ends[-1];
    stats.note({failure(Property::ends, fmt::format("a game has not ended after {} decisions", decisions)), game, false, std::nullopt});
  }
}

void RandomPlay::play_thoroughly(std::uint64_t game, std::size_t most_decisions) {
  ExamineOptions options;
  options.thorough = true;
  options.most_decisions = most_decisions;
  Examined examined = examine_game(playable_, seed_, game, options);
  ++stats.thorough;
  stats.note(std::move(examined.endless));
  if (examined.failure) stats.note({*examined.failure, game, true, std::nullopt});
}

void RandomPlay::play_beside_twins(std::uint64_t game, std::size_t most_decisions) {
  Sitting sitting(playable_);
  Rng rng = Rng::for_game(seed_, game);
  Rng choices = Rng::for_game(seed_ ^ 0x7477696eu, game);
  Twins twins(playable_);
  sitting.begin();
  while (sitting.decisions() < std::min<std::size_t>(most_decisions, 2000)) {
    if (twins.compared < kMostTwins) {
      if (auto leak = twins.visit(sitting, choices)) {
        Failure broken = failure_of(*leak, playable_);
        stats.note({std::move(broken), game, false, std::move(leak)});
        break;
      }
    }
    if (!step_at_random(sitting, rng)) break;
  }
  ++stats.beside_twins;
  stats.twins += twins.compared;
  stats.unconfirmed += twins.unconfirmed;
}

void RandomPlay::play_on_oracle(std::uint64_t game, std::size_t most_decisions) {
  const Tape tape = record(playable_, seed_, game, std::min(most_decisions, kOracleDecisions));
  ++stats.on_oracle;
  if (auto apart = compare_with_oracle(playable_, tape)) stats.note({std::move(*apart), game, false, std::nullopt});
}

void RandomPlay::play(const PlayBudget& budget, std::uint64_t slice, std::uint64_t of) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  // shares of the time; with a number of games, shares of these
  enum Way : std::size_t { fast, thorough, twins, oracle, ways };
  const double share[ways] = {budget.random ? 0.5 : 0.0, budget.random ? 0.15 : 0.0, budget.leaks ? 0.25 : 0.0, budget.random && budget.oracle ? 0.1 : 0.0};
  const std::uint64_t one_in[ways] = {1, 16, 8, 32};
  double used[ways] = {};
  // one game of many players under all properties takes longer than some runs have: its beginning has to do
  const auto short_of = [&](std::size_t usual) {
    const double fits = budget.games != 0 ? static_cast<double>(usual) : 20 + 200 * budget.seconds;
    return std::min({budget.most_decisions, usual, static_cast<std::size_t>(fits)});
  };
  std::uint64_t next[ways] = {slice, slice, slice, slice};
  while (true) {
    std::size_t way = ways;
    for (std::size_t w = 0; w < ways; ++w) {
      if (share[w] == 0 || (budget.games != 0 && next[w] >= (budget.games + one_in[w] - 1) / one_in[w])) continue;
      if (way == ways || used[w] / share[w] < used[way] / share[way]) way = w;
    }
    if (way == ways) break;
    const double before = elapsed();
    if (budget.games == 0 && before >= budget.seconds) break;
    const std::uint64_t game = next[way];
    switch (way) {
      case fast:
        // a batch: the clock costs more than a short game
        for (int i = 0; i < 16 && (budget.games == 0 || next[fast] < budget.games); ++i) {
          stats.decisions.push_back(static_cast<std::uint32_t>(play_one(next[fast], budget.most_decisions)));
          next[fast] += of;
        }
        break;
      case thorough: play_thoroughly(game, short_of(3000)); break;
      case twins: play_beside_twins(game, budget.most_decisions); break;
      default:
        play_on_oracle(game, short_of(kOracleDecisions));
        break;
    }
    if (way != fast) next[way] += of;
    used[way] += elapsed() - before;
  }
  stats.tally = watcher_.tally;
  stats.seconds = elapsed();
}

std::string end_text(const ir::Program& program, std::int32_t pc, const Sources& sources) {
  if (pc < 0) return "broken off at the limit";
  const ir::InstrOp op = program.code[static_cast<std::size_t>(pc)].op;
  const Span span = program.code_spans[static_cast<std::size_t>(pc)];
  if (op == ir::InstrOp::finish) return "the last phase has ended";
  return fmt::format("{} in line {}", op == ir::InstrOp::win ? "win" : "end game", sources.place(span.file, span.begin).line);
}

}  // namespace rip::verify
