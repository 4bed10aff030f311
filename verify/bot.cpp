#include "verify/bot.h"

#include "verify/sample_world.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

namespace rip::verify {

namespace {

/// What came of an option in all its playouts.
struct Tried {
  std::uint32_t index = 0;
  Move move;
  std::string text;        ///< as its seat reads it
  double wins = 0, score = 0;
  std::uint64_t games = 0, scored = 0;
};

double mean(double sum, std::uint64_t n) { return n == 0 ? 0 : sum / static_cast<double>(n); }

class Trial {
 public:
  Trial(const Playable& playable, int seat, const BotOptions& options) : machine_(*playable.program), players_(playable.players()), seat_(seat), options_(options) {}

  /// All options, or some of them drawn; in their order.
  std::vector<Tried> options_in(State& state, std::uint64_t count, Rng& rng) {
    std::vector<std::uint64_t> indices;
    if (count <= options_.options) {
      indices.resize(count);
      std::iota(indices.begin(), indices.end(), 0u);
    } else {
      // each subset as likely as any other (Floyd, in Bentley: Programming Pearls, a sample of brilliance, 1987)
      for (std::uint64_t last = count - options_.options; last < count; ++last) {
        const std::uint64_t drawn = rng.below(last + 1);
        indices.push_back(std::find(indices.begin(), indices.end(), drawn) == indices.end() ? drawn : last);
      }
      std::sort(indices.begin(), indices.end());
    }
    std::vector<Tried> out;
    for (const std::uint64_t index : indices) {
      Tried one;
      one.index = static_cast<std::uint32_t>(index);
      if (!machine_.nth_move(state, seat_, index, one.move)) continue;
      one.text = machine_.text_for(state, one.move, seat_);
      out.push_back(std::move(one));
    }
    return out;
  }

  /// `rounds` games behind this option in this world; the same `seed` for each option.
  void play(Tried& one, const State& world, std::uint64_t rounds, std::uint64_t seed) {
    State here = world;
    Move move;
    // the seat reads its options in the same order in each world that fits, and of very many only how many there are
    if (!machine_.nth_move(here, seat_, one.index, move) || machine_.text_for(here, move, seat_) != one.text) return;
    machine_.decide(here, seat_, move);
    for (std::uint64_t round = 0; round < rounds; ++round) {
      State state = here;
      Rng rng = Rng::for_game(seed, round);
      note(one, play_on(state, rng));
    }
  }

  /// Low scores win: behind all playouts so far.
  bool low_is_good() const { return of_winners_ < of_all_; }

 private:
  Result play_on(State& state, Rng& rng) {
    Status status = machine_.status(state);
    Move move;
    for (std::size_t decisions = 0; decisions < options_.most_decisions;) {
      if (status != Status::decision) status = machine_.run(state, &rng);
      if (status == Status::checkpoint) continue;
      if (status != Status::decision) break;
      const int seat = machine_.to_move(state);
      if (machine_.sample_move(state, seat, rng, move) == 0) break;
      machine_.decide(state, seat, move);
      status = machine_.status(state);
      ++decisions;
    }
    return machine_.result(state);
  }

  void note(Tried& one, const Result& result) {
    ++one.games;
    if (!result.over) {
      one.wins += 1.0 / players_;
      return;
    }
    const int winners = std::popcount(result.winners);
    if ((result.winners >> seat_ & 1u) != 0) one.wins += 1.0 / winners;
    if (result.scores.empty()) return;
    ++one.scored;
    one.score += static_cast<double>(result.scores[static_cast<std::size_t>(seat_)]);
    if (winners == 0) return;
    double all = 0, won = 0;
    for (std::size_t seat = 0; seat < result.scores.size(); ++seat) {
      const auto score = static_cast<double>(result.scores[seat]);
      all += score;
      if ((result.winners >> seat & 1u) != 0) won += score;
    }
    of_all_ += all / players_;
    of_winners_ += won / winners;
  }

  Machine machine_;
  int players_, seat_;
  const BotOptions& options_;
  double of_winners_ = 0, of_all_ = 0;  ///< sums of mean scores
};

}  // namespace

BotDecision decide_by_bot(const Playable& playable, const Tape& tape, int seat, Rng& rng, const BotOptions& options) {
  Machine machine(*playable.program);
  State from;
  machine.start(from);
  SampleOptions drawing;
  drawing.most_tried = options.most_tried;
  drawing.rounds = options.rounds;
  WorldSampler sampler(*playable.program, from, tape, seat, drawing);
  SampledWorld world = sampler.sample(rng);
  if (!world.error.empty()) return {0, world.error};
  if (machine.status(world.state) != Status::decision || (machine.deciding(world.state) >> seat & 1u) == 0) return {0, playable.seat(seat) + " does not decide here"};
  const std::uint64_t count = machine.count_moves(world.state, seat);
  if (count == 0) return {0, playable.seat(seat) + " has no option"};
  if (count == 1) return {};

  Trial trial(playable, seat, options);
  std::vector<Tried> tried = trial.options_in(world.state, count, rng);
  const std::uint64_t each = std::max(options.fewest, options.playouts / tried.size()), worlds = std::min(options.worlds, each);
  for (std::uint64_t w = 0; w < worlds; ++w) {
    if (w > 0) world = sampler.sample(rng);
    const std::uint64_t rounds = each / worlds + (w < each % worlds ? 1 : 0), seed = rng.next();
    for (Tried& one : tried) trial.play(one, world.state, rounds, seed);
  }
  const double sign = trial.low_is_good() ? -1 : 1;
  const auto better = [&](const Tried& x, const Tried& y) {
    const double wins_x = mean(x.wins, x.games), wins_y = mean(y.wins, y.games);
    return wins_x != wins_y ? wins_x > wins_y : sign * mean(x.score, x.scored) > sign * mean(y.score, y.scored);
  };
  const Tried* best = &tried.front();
  for (const Tried& one : tried) {
    if (better(one, *best)) best = &one;
  }
  return {best->index, ""};
}

Rng rng_of_bot(std::uint64_t seed, const Tape& tape, int seat) {
  const auto decided = std::count_if(tape.begin(), tape.end(), [&](const Step& step) { return step.seat == seat; });
  return Rng::for_game(seed ^ 0x626f74u, static_cast<std::uint64_t>(decided) * 32 + static_cast<std::uint64_t>(seat));
}

}  // namespace rip::verify
