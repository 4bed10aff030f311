#include "verify/examine.h"

#include <functional>

namespace rip::verify {

namespace {

/// Takes the next step of a game; false: nothing left to take.
using Driver = std::function<bool(Sitting&)>;

class Examiner {
 public:
  Examiner(const Playable& playable, const ExamineOptions& options)
      : playable_(playable), options_(options), watcher_(*playable.program), sitting_(playable, &watcher_), rng_(options.seed), positions_(*playable.program) {}

  Examined run(const Driver& step) {
    watcher_.begin_game();
    sitting_.setup_done = [this] { watcher_.armed = true; };
    sitting_.begin();
    while (!stop() && step(sitting_)) {
    }
    if (!found_ && options_.thorough && !sitting_.waits()) note(examine_replay(sitting_));
    Examined out;
    out.tape = leak_ ? leak_->tape : std::move(sitting_.tape);  // to where the two worlds part
    out.failure = std::move(found_);
    out.leak = std::move(leak_);
    out.endless = std::move(endless_);
    out.ended = sitting_.status;
    out.decisions = sitting_.decisions();
    return out;
  }

 private:
  bool wanted(const Failure& failure) const { return options_.only.empty() || options_.only == failure.key; }
  void note(std::optional<Failure> failure) {
    if (!found_ && failure && wanted(*failure)) found_ = std::move(failure);
  }

  /// Tests what can be tested here; true: enough seen.
  bool stop() {
    if (options_.thorough) sitting_.find_stuck();
    if (sitting_.status == Status::fault) note(failure(sitting_.machine.fault(sitting_.state)));
    if (sitting_.runs != tested_) {
      tested_ = sitting_.runs;
      if (options_.thorough && (!endless_ || endless_->cut_off) && sitting_.status == Status::decision) keep(endless_, positions_.test(sitting_));
      if (sitting_.status == Status::decision) watcher_.test(sitting_.machine, sitting_.state, false);
      if (sitting_.status == Status::over) watcher_.test(sitting_.machine, sitting_.state, true);
    }
    for (const Violation& violation : watcher_.violations) note(failure(*playable_.program, violation));
    if (!found_ && options_.thorough) note(examine_stop(sitting_, rng_));
    if (!found_ && options_.leaks && sitting_.waits()) look_for_leaks();
    return found_.has_value() || !sitting_.waits() || sitting_.tape.size() >= options_.most_steps || sitting_.decisions() >= options_.most_decisions;
  }

  void look_for_leaks() {
    Twins twins(playable_);
    std::optional<Leak> leak = twins.search(sitting_, rng_, sitting_.status == Status::decision ? 40 : 12);
    if (!leak) return;
    Failure broken = failure_of(*leak, playable_);
    if (!wanted(broken)) return;
    leak_ = std::move(leak);
    found_ = std::move(broken);
  }

  const Playable& playable_;
  const ExamineOptions& options_;
  Watcher watcher_;
  Sitting sitting_;
  Rng rng_;
  Positions positions_;
  std::optional<EndlessGame> endless_;
  std::optional<Failure> found_;
  std::optional<Leak> leak_;
  std::size_t tested_ = 0;  ///< claims are tested where the rules have gone on
};

}  // namespace

Choices choices_of(const Tape& tape) {
  Choices out;
  for (const Step& step : tape) out.push_back({step.chance(), step.index});
  return out;
}

Examined examine(const Playable& playable, const Choices& choices, const ExamineOptions& options) {
  std::size_t next[2] = {0, 0};  // by stream
  auto choose = [&](bool chance, std::uint64_t of) -> std::uint32_t {
    std::size_t& at = next[chance ? 1 : 0];
    while (at < choices.size() && choices[at].chance != chance) ++at;
    return at < choices.size() && of > 0 ? static_cast<std::uint32_t>(choices[at++].value % of) : 0;
  };
  std::vector<Outcome> outcomes;
  return Examiner(playable, options).run([&](Sitting& sitting) {
    if (sitting.status == Status::chance) {
      sitting.machine.outcomes(sitting.state, outcomes);
      sitting.settle(choose(true, outcomes.size()));
      return true;
    }
    const int seat = sitting.machine.to_move(sitting.state);
    const std::uint64_t n = sitting.machine.count_moves(sitting.state, seat);
    if (n == 0) {
      sitting.status = sitting.machine.status(sitting.state);
      return sitting.status == Status::fault;
    }
    sitting.decide(seat, choose(false, n));
    return true;
  });
}

Examined examine_game(const Playable& playable, std::uint64_t seed, std::uint64_t game, const ExamineOptions& options) {
  Rng rng = Rng::for_game(seed, game);
  return Examiner(playable, options).run([&](Sitting& sitting) { return step_at_random(sitting, rng) || sitting.status == Status::fault; });
}

Examined examine_tape(const Playable& playable, const Tape& tape, const ExamineOptions& options) {
  std::size_t at = 0;
  return Examiner(playable, options).run([&](Sitting& sitting) {
    if (at == tape.size()) return false;
    const std::size_t before = sitting.tape.size();
    const Step& step = tape[at++];
    if (step.chance() != (sitting.status == Status::chance)) return false;
    if (step.chance()) sitting.settle(step.index);
    else if ((sitting.machine.deciding(sitting.state) >> step.seat & 1u) != 0) sitting.decide(step.seat, step.index);
    return sitting.tape.size() > before;
  });
}

}  // namespace rip::verify
