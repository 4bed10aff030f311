#include "verify/simulate.h"

#include "interp/native/native.h"
#include "verify/check.h"
#include "verify/parallel.h"
#include "verify/position.h"
#include "verify/random_play.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

namespace rip::verify {

namespace {

SimStats empty(const Playable& playable) {
  SimStats out;
  out.seats.resize(static_cast<std::size_t>(playable.players()));
  out.decisions.keeps_histogram = false;
  out.options.keeps_histogram = false;
  for (const ir::Report& report : playable.program->reports) out.values.emplace_back(report.text, Spread{});
  for (const ir::Claim& claim : playable.program->claims) {
    const bool known = std::any_of(out.goals.begin(), out.goals.end(), [&](const auto& goal) { return goal.first == claim.text; });
    if (claim.kind == ir::Claim::Kind::sometimes && !claim.at_waiting && !claim.at_end && !known) out.goals.emplace_back(claim.text, SimStats::Goal{});
  }
  return out;
}

/// Plays one game after the other.
class Player : Observer {
 public:
  Player(const Playable& playable, const Sources& sources, std::uint64_t seed, std::size_t most_decisions)
      : stats(empty(playable)), playable_(playable), program_(*playable.program), sources_(sources), seed_(seed), most_decisions_(most_decisions),
        machine_(program_), moves_(program_.options.size(), 0), shown_(program_.claims.size(), 0) {
    machine_.observer = this;
    for (const ir::Claim& claim : program_.claims) {
      const auto goal = std::find_if(stats.goals.begin(), stats.goals.end(), [&](const auto& g) { return g.first == claim.text; });
      goal_of_.push_back(goal - stats.goals.begin());
    }
  }

  void claim_shown(std::int32_t claim) override { ++shown_[static_cast<std::size_t>(claim)]; }

  void play(std::uint64_t game) {
    Rng rng = Rng::for_game(seed_, game);
    machine_.start(state_);
    std::size_t decisions = 0;
    Status status = machine_.run(state_, &rng);
    Move move;
    while (status == Status::checkpoint || (status == Status::decision && decisions < most_decisions_)) {
      if (status == Status::decision) {
        const int seat = machine_.to_move(state_);
        const std::uint64_t options = machine_.sample_move(state_, seat, rng, move);
        // a rule may go wrong while options are looked at, though there are others
        if (options == 0 || machine_.status(state_) == Status::fault) {
          status = machine_.status(state_);
          break;
        }
        stats.options.add(static_cast<std::int64_t>(options));
        machine_.decide(state_, seat, move);
        ++moves_[static_cast<std::size_t>(move.option)];
        ++decisions;
        status = machine_.status(state_);
        if (status == Status::decision) continue;
      }
      status = machine_.run(state_, &rng);
    }
    ++stats.games;
    count_goals();
    stats.decisions.add(static_cast<std::int64_t>(decisions));
    if (status == Status::over) finish();
    else if (status == Status::fault) fault(game);
    else ++stats.unfinished;
  }

  SimStats take() {
    for (std::size_t i = 0; i < moves_.size(); ++i) stats.moves[program_.options[i].name] += moves_[i];
    for (const auto& [pc, count] : ends_) stats.ends[end_text(program_, pc, sources_)] += count;
    if (stats.faults > 0) stats.ends["a rule went wrong"] += stats.faults;
    if (stats.unfinished > 0) stats.ends[end_text(program_, -1, sources_)] += stats.unfinished;
    return std::move(stats);
  }

  SimStats stats;

 private:
  void count_goals() {
    std::vector<std::uint64_t> times(stats.goals.size(), 0);
    for (std::size_t i = 0; i < shown_.size(); ++i) {
      if (shown_[i] > 0) times[static_cast<std::size_t>(goal_of_[i])] += shown_[i];
      shown_[i] = 0;
    }
    for (std::size_t i = 0; i < times.size(); ++i) {
      stats.goals[i].second.times += times[i];
      stats.goals[i].second.games += times[i] > 0 ? 1 : 0;
    }
  }

  void finish() {
    ++ends_[header_of(state_).pc];
    const Result result = machine_.result(state_);
    const int winners = __builtin_popcount(result.winners);
    if (winners == 0) ++stats.nobody_won;
    for (std::size_t seat = 0; seat < stats.seats.size(); ++seat) {
      if (seat < result.scores.size()) stats.seats[seat].score.add(result.scores[seat]);
      if ((result.winners >> seat & 1u) != 0) ++(winners == 1 ? stats.seats[seat].wins : stats.seats[seat].shared_wins);
    }
    for (std::size_t i = 0; i < stats.values.size(); ++i) stats.values[i].second.add(machine_.scalar(state_, program_.reports[i].value));
  }

  void fault(std::uint64_t game) {
    ++stats.faults;
    if (game >= stats.first_fault_game) return;
    const Fault fault = machine_.fault(state_);
    stats.first_fault_game = game;
    stats.first_fault = sources_.where(fault.span) + ": " + fault.message;
  }

  const Playable& playable_;
  const ir::Program& program_;
  const Sources& sources_;
  std::uint64_t seed_;
  std::size_t most_decisions_;
  Machine machine_;
  State state_;
  std::vector<std::uint64_t> moves_, shown_;   ///< by option; by claim, in the game that runs
  std::vector<std::ptrdiff_t> goal_of_;        ///< by claim
  std::map<std::int32_t, std::uint64_t> ends_;
};

/// Numbers that come often and are mostly small.
class Tally {
 public:
  void add(std::int64_t value) {
    if (value >= -kBelow && value < kAbove) ++table_[static_cast<std::size_t>(value + kBelow)];
    else rest_.add(value);
  }
  Spread spread(bool keeps_histogram) const {
    Spread out = rest_;
    for (std::size_t i = 0; i < table_.size(); ++i) {
      if (table_[i] > 0) out.add(static_cast<std::int64_t>(i) - kBelow, table_[i]);
    }
    out.keeps_histogram = keeps_histogram;
    if (!keeps_histogram) out.histogram.clear();
    return out;
  }

 private:
  static constexpr std::int64_t kBelow = 256, kAbove = 768;
  std::array<std::uint64_t, kBelow + kAbove> table_{};
  Spread rest_;
};

/// The same for compiled games.
class NativePlayer {
 public:
  NativePlayer(const Playable& playable, const Sources& sources, const native::Code& code, const SimOptions& options)
      : program_(*playable.program), sources_(sources), options_(options), player_(program_, code), ends_(program_.code.size(), 0), last_shown_(program_.claims.size(), 0), scores_(static_cast<std::size_t>(program_.players)), values_(program_.reports.size()),
        stats_(empty(playable)) {
    for (std::size_t claim = 0; claim < program_.claims.size(); ++claim) {
      const auto goal = std::find_if(stats_.goals.begin(), stats_.goals.end(), [&](const auto& g) { return g.first == program_.claims[claim].text; });
      if (goal != stats_.goals.end()) goal_of_.emplace_back(claim, static_cast<std::size_t>(goal - stats_.goals.begin()));
    }
    goal_shown_.assign(stats_.goals.size(), 0);
  }

  /// False: a rule went wrong, and nothing that was counted is of use.
  bool play(std::uint64_t game) {
    const Status status = player_.play(state_, Rng::for_game(options_.seed, game), options_.most_decisions);
    if (status == Status::fault) return false;
    ++stats_.games;
    decisions_.add(static_cast<std::int64_t>(player_.decisions()));
    if (!goal_of_.empty()) count_goals();
    if (status != Status::over) {
      ++stats_.unfinished;
      return true;
    }
    const ir::Header& head = header_of(state_);
    ++ends_[static_cast<std::size_t>(head.pc)];
    if (program_.score != ir::kNoNode || !values_.empty()) player_.results(state_, results_);
    const int winners = __builtin_popcount(head.winners);
    if (winners == 0) ++stats_.nobody_won;
    for (std::size_t seat = 0; seat < scores_.size(); ++seat) {
      if (program_.score != ir::kNoNode) scores_[seat].add(results_[seat]);
      if ((head.winners >> seat & 1u) != 0) ++(winners == 1 ? stats_.seats[seat].wins : stats_.seats[seat].shared_wins);
    }
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i].add(results_[scores_.size() + i]);
    return true;
  }

  SimStats take() {
    const native::Counts counts = player_.counts();
    for (std::size_t i = 0; i < program_.options.size(); ++i) stats_.moves[program_.options[i].name] += counts.moves[i];
    if (counts.decisions > 0) {
      stats_.options.n = counts.decisions;
      stats_.options.sum = static_cast<std::int64_t>(counts.options);
      stats_.options.squares = counts.squared_options;
      stats_.options.min = static_cast<std::int64_t>(counts.least_options);
      stats_.options.max = static_cast<std::int64_t>(counts.most_options);
    }
    stats_.decisions = decisions_.spread(false);
    for (std::size_t seat = 0; seat < scores_.size(); ++seat) stats_.seats[seat].score = scores_[seat].spread(true);
    for (std::size_t i = 0; i < values_.size(); ++i) stats_.values[i].second = values_[i].spread(true);
    for (std::size_t pc = 0; pc < ends_.size(); ++pc) {
      if (ends_[pc] > 0) stats_.ends[end_text(program_, static_cast<std::int32_t>(pc), sources_)] += ends_[pc];
    }
    if (stats_.unfinished > 0) stats_.ends[end_text(program_, -1, sources_)] += stats_.unfinished;
    return std::move(stats_);
  }

 private:
  void count_goals() {
    const std::vector<std::uint64_t>& shown = player_.shown();
    std::fill(goal_shown_.begin(), goal_shown_.end(), 0);
    for (const auto& [claim, goal] : goal_of_) {
      goal_shown_[goal] += shown[claim] - last_shown_[claim];
      last_shown_[claim] = shown[claim];
    }
    for (std::size_t i = 0; i < goal_shown_.size(); ++i) {
      stats_.goals[i].second.times += goal_shown_[i];
      stats_.goals[i].second.games += goal_shown_[i] > 0 ? 1 : 0;
    }
  }

  const ir::Program& program_;
  const Sources& sources_;
  const SimOptions& options_;
  native::Player player_;
  State state_;
  std::vector<std::int64_t> results_;
  std::vector<std::uint64_t> ends_, last_shown_, goal_shown_;
  std::vector<std::pair<std::size_t, std::size_t>> goal_of_;  ///< claim, goal
  Tally decisions_;
  std::vector<Tally> scores_, values_;
  SimStats stats_;
};

void add(SimStats& into, const SimStats& other) {
  into.games += other.games;
  into.faults += other.faults;
  into.unfinished += other.unfinished;
  into.nobody_won += other.nobody_won;
  for (std::size_t seat = 0; seat < into.seats.size(); ++seat) {
    into.seats[seat].wins += other.seats[seat].wins;
    into.seats[seat].shared_wins += other.seats[seat].shared_wins;
    into.seats[seat].score.add(other.seats[seat].score);
  }
  into.decisions.add(other.decisions);
  into.options.add(other.options);
  for (const auto& [reason, count] : other.ends) into.ends[reason] += count;
  for (const auto& [name, count] : other.moves) into.moves[name] += count;
  for (std::size_t i = 0; i < into.values.size(); ++i) into.values[i].second.add(other.values[i].second);
  for (std::size_t i = 0; i < into.goals.size(); ++i) {
    into.goals[i].second.games += other.goals[i].second.games;
    into.goals[i].second.times += other.goals[i].second.times;
  }
  if (other.first_fault_game < into.first_fault_game) {
    into.first_fault_game = other.first_fault_game;
    into.first_fault = other.first_fault;
  }
}

}  // namespace

void Spread::add(std::int64_t value, std::uint64_t times) {
  n += times;
  sum += value * static_cast<std::int64_t>(times);
  squares += static_cast<unsigned __int128>(static_cast<__int128>(value) * value) * times;
  min = std::min(min, value);
  max = std::max(max, value);
  if (keeps_histogram) histogram[value] += times;
}

void Spread::add(const Spread& other) {
  n += other.n;
  sum += other.sum;
  squares += other.squares;
  min = std::min(min, other.min);
  max = std::max(max, other.max);
  for (const auto& [value, count] : other.histogram) histogram[value] += count;
}

double Spread::mean() const { return n == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(n); }

double Spread::sd() const {
  if (n < 2) return 0;
  // n * squares - sum^2 is exact in 128 bits
  const __int128 spread = static_cast<__int128>(squares) * n - static_cast<__int128>(sum) * sum;
  return std::sqrt(static_cast<double>(spread) / (static_cast<double>(n) * static_cast<double>(n - 1)));
}

namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// To compile a game takes a second or two.
constexpr double kWorthCompiling = 4;

/// How long the interpreter would take for all games, from a few of them.
double estimate(const Playable& playable, const Sources& sources, const SimOptions& options) {
  Player player(playable, sources, options.seed, options.most_decisions);
  const auto begin = Clock::now();
  std::uint64_t games = 0;
  while (games < options.games && games < 1000 && since(begin) < 0.05) player.play(games++);
  return since(begin) / static_cast<double>(std::max<std::uint64_t>(games, 1)) * static_cast<double>(options.games) / std::max(1u, options.jobs);
}

}  // namespace

SimStats simulate(const Playable& playable, const Sources& sources, const SimOptions& options) {
  const auto begin = Clock::now();
  const std::size_t slices = std::max<std::size_t>(1, std::min<std::uint64_t>(options.jobs, options.games));
  std::shared_ptr<native::Code> code;
  SimStats out = empty(playable);
  if (options.native == Native::always || (options.native == Native::when_long && estimate(playable, sources, options) > kWorthCompiling)) {
    code = native::Code::load(*playable.program, {native::needs_knowledge(*playable.program)}, out.not_native);
    out.native = code != nullptr;
  }
  std::vector<SimStats> parts(slices);
  in_parallel(slices, options.jobs, [&](std::size_t slice) {
    if (code != nullptr) {
      NativePlayer player(playable, sources, *code, options);
      bool fine = true;
      for (std::uint64_t game = slice; game < options.games && fine; game += slices) fine = player.play(game);
      parts[slice] = player.take();
      if (fine) return;
    }
    // where a rule goes wrong the interpreter says which
    Player player(playable, sources, options.seed, options.most_decisions);
    for (std::uint64_t game = slice; game < options.games; game += slices) player.play(game);
    parts[slice] = player.take();
  });
  for (const SimStats& part : parts) add(out, part);
  out.seconds = since(begin);
  return out;
}

std::pair<double, double> wilson(std::uint64_t successes, std::uint64_t n) {
  if (n == 0) return {0, 1};
  constexpr double z = 1.959963984540054;
  const double trials = static_cast<double>(n), share = static_cast<double>(successes) / trials;
  const double centre = share + z * z / (2 * trials), around = z * std::sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials));
  const double scale = 1 + z * z / trials;
  return {std::max(0.0, (centre - around) / scale), std::min(1.0, (centre + around) / scale)};
}

}  // namespace rip::verify
