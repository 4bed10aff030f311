#include "verify/tape.h"

#include <fmt/format.h>

namespace rip::verify {

Sitting::Sitting(const Playable& what, Observer* observer) : playable(what), machine(*what.program) { machine.observer = observer; }

void Sitting::run() {
  ++runs;
  const auto on = [this] { return pause ? machine.run_until(state, pause) : machine.run(state); };
  status = on();
  while (status == Status::checkpoint) {
    after_setup = true;
    if (setup_done) setup_done();
    status = on();
  }
}

void Sitting::go_on() {
  if (status == Status::running) run();
}

void Sitting::begin() {
  tape.clear();
  decisions_ = 0;
  after_setup = false;
  machine.start(state);
  run();
}

void Sitting::decide(int seat, std::uint32_t index) {
  Step step;
  step.seat = seat;
  step.index = index;
  const std::uint64_t count = machine.count_moves(state, seat);
  // reading the options may go wrong as any rule may
  if (index >= count || !machine.nth_move(state, seat, index, step.move) || machine.status(state) == Status::fault) {
    status = machine.status(state);
    return;
  }
  step.of = static_cast<std::uint32_t>(count);
  tape.push_back(step);
  ++decisions_;
  machine.decide(state, seat, step.move);
  status = machine.status(state);
  if (status != Status::decision) run();
}

void Sitting::settle(std::uint32_t index) {
  machine.outcomes(state, outcomes_);
  if (index >= outcomes_.size()) return;
  Step step;
  step.index = index;
  step.of = static_cast<std::uint32_t>(outcomes_.size());
  step.value = outcomes_[index].value;
  tape.push_back(step);
  machine.choose_outcome(state, index);
  run();
}

void Sitting::find_stuck() {
  if (status != Status::decision) return;
  for (int seat = 0; seat < playable.players(); ++seat) {
    if ((machine.deciding(state) >> seat & 1u) != 0) machine.count_moves(state, seat);
  }
  status = machine.status(state);
}

Status run_on(Machine& machine, State& state) {
  Status status = machine.status(state);
  while (status == Status::running || status == Status::checkpoint) status = machine.run(state);
  return status;
}

bool step_at_random(Sitting& sitting, Rng& rng) {
  if (sitting.status == Status::chance) {
    sitting.settle(sitting.machine.sample_outcome(sitting.state, rng));
    return true;
  }
  if (sitting.status != Status::decision) return false;
  const int seat = sitting.machine.to_move(sitting.state);
  // the same random numbers as a move sampled
  const std::uint64_t count = sitting.machine.count_moves(sitting.state, seat);
  if (count == 0) {
    sitting.status = sitting.machine.status(sitting.state);
    return false;
  }
  sitting.decide(seat, static_cast<std::uint32_t>(rng.below(count)));
  return true;
}

Tape record(const Playable& playable, std::uint64_t seed, std::uint64_t game, std::size_t limit) {
  Sitting sitting(playable);
  Rng rng = Rng::for_game(seed, game);
  sitting.begin();
  while (sitting.decisions() < limit && step_at_random(sitting, rng)) {
  }
  return std::move(sitting.tape);
}

Fit replay(Sitting& sitting, const Tape& tape) {
  Fit fit;
  for (const Step& step : tape) {
    if (!sitting.waits()) {
      fit.misfit = fmt::format("step {}: the game has ended before", fit.steps + 1);
      return fit;
    }
    if (step.chance() != (sitting.status == Status::chance)) {
      fit.misfit = fmt::format("step {}: the tape has {}, the game waits for {}", fit.steps + 1, step.chance() ? "chance" : "a decision",
                               step.chance() ? "a decision" : "chance");
      return fit;
    }
    const std::size_t before = sitting.tape.size();
    if (step.chance()) {
      sitting.settle(step.index);
    } else {
      if ((sitting.machine.deciding(sitting.state) >> step.seat & 1u) == 0) {
        fit.misfit = fmt::format("step {}: {} is not asked", fit.steps + 1, sitting.playable.seat(step.seat));
        return fit;
      }
      sitting.decide(step.seat, step.index);
    }
    if (sitting.tape.size() == before) {
      fit.misfit = fmt::format("step {}: there is no option number {}", fit.steps + 1, step.index + 1);
      return fit;
    }
    ++fit.steps;
  }
  return fit;
}

std::string index_path(const Tape& tape) {
  std::string out;
  for (const Step& step : tape) out += fmt::format("{}{}/{}", out.empty() ? "" : " ", step.index, step.of);
  return out;
}

}  // namespace rip::verify
