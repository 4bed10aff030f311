// One run of a scenario with all that is open decided by a Free: steps one after the other, the game going on only when a
// step needs it. Also replays itself with one step swapped. Used by verify/scenario.
#pragma once

#include "verify/claims.h"
#include "verify/free.h"
#include "verify/scenario_script.h"
#include "verify/position.h"
#include "verify/transcript.h"

#include <gmpxx.h>

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace rip::verify {

/// What one seat noticed, in order: log lines, views and options at each stop.
using Seen = std::vector<std::string>;

class ScenarioRun : private Watcher {
 public:
  /// `notes`: what is needed for `swapping` is written down; `tells`: a transcript is made.
  ScenarioRun(const ScenarioScript& script, const Sources& sources, Free& open, bool notes, bool tells);

  /// Runs all steps; false: `message`, `at`.
  bool run();

  std::string message;
  Span at;
  std::vector<std::string> transcript;
  /// Numbers of `swapping` steps that were compared, and of those that could not be: the other position needs a card which
  /// the seats hold or see.
  std::set<std::size_t> compared, not_comparable;
  using Watcher::tally;

 private:
  struct Chance {
    ChanceKind what;
    std::int32_t where;
    std::int32_t value;
    std::vector<std::int32_t> all;  ///< values that were possible
  };
  /// The run that this one follows as far as possible, with one step other than there.
  struct Original {
    const ScenarioRun* run = nullptr;
    std::size_t step = 0;
    const StepScript* instead = nullptr;
    bool disturbs = false;            ///< what is given anew could only be had from under their eyes
    std::map<std::pair<int, std::int32_t>, std::size_t> used;  ///< chance already followed, by kind and place
  };

  struct Queue {
    std::deque<CardsWanted::Item> items;
    std::set<std::uint16_t> members, chosen;
    Span span;
  };
  /// What goes on while a game does.
  struct Moment {
    State state;
    Status status = Status::running;
    bool arranged = false;
    std::deque<std::int64_t> rolls;
    std::map<std::int32_t, Queue> queues;
  };
  Moment moment() const { return {state_, status_, arranged_, rolls_, queues_}; }
  void back_to(const Moment& then);
  /// One exact `expect`: the chance that it holds, or the means of its two sides.
  struct Weight {
    const StepScript* step = nullptr;
    mpq_class holds, left, right;
  };
  struct Weighing {
    std::vector<Weight> weights;  ///< of steps that follow one another: they are about the same moment
    std::size_t first = 0;        ///< the number of the first of them
    std::size_t ways = 0;
  };

  struct Taken {
    Move move;
    std::vector<Move> options;  ///< kept only for `swapping`
  };

  bool fail(Span span, std::string text);
  bool begin();
  bool arrange(Span span);
  bool take_step(std::size_t number);
  bool does(const StepScript& step, std::size_t number);
  bool can(const StepScript& step);
  bool has(const StepScript& step);
  bool worlds(const StepScript& step);
  bool expect(const StepScript& step);
  /// `expect E with chance 1 of 6`, `expect A == B on average`: over all that can have happened since `start`.
  bool weigh(const StepScript& step, std::size_t number);
  bool spread(std::size_t step, const mpq_class& chance);
  bool branch(std::size_t step, const mpq_class& chance);
  bool advance(std::size_t& step);
  bool add_way(const mpq_class& chance);
  bool knows(const StepScript& step);
  bool swapping(const StepScript& step, std::size_t number);
  bool start(const StepScript& step);
  bool queue_cards(const StepScript& step);
  /// Goes on until a seat has to decide or the game is over.
  bool go_on(Span span);
  bool went_wrong(Span span);
  bool can_choose(int seat, Span span);
  bool settle(Span span);
  bool settle_named(Span span, std::int32_t zone, std::vector<Outcome>& outcomes, std::uint32_t& index);
  std::uint32_t follow(const std::vector<Outcome>& outcomes);
  std::int32_t bring(const PhraseTest& wanted, std::int32_t zone, std::int32_t instead);
  bool count_yields(Span span, std::int32_t zone);
  std::optional<std::uint32_t> closest(const std::vector<Move>& moves, const std::vector<std::uint32_t>& fit, const Taken& before) const;
  bool asked(const StepScript& step);
  std::string options_text(int seat);
  void look();
  void log(int seat, const LogLine& line) override;
  void tell(std::string line);
  void tell_changes();

  const ScenarioScript& script_;
  const Sources& sources_;
  const Playable& playable_;
  Free& open_;
  bool notes_, tells_;
  Machine machine_;
  State state_;
  Status status_ = Status::running;
  bool arranged_ = false;   ///< the game stands at the checkpoint behind setup, or before the phase of `start`
  bool past_setup_ = false;
  std::vector<const GivenScript*> givens_;
  bool new_givens_ = false;
  std::deque<std::int64_t> rolls_;
  std::map<std::int32_t, Queue> queues_;
  std::vector<Seen> seen_;
  std::vector<Chance> chances_;
  std::map<std::size_t, Taken> decisions_;  ///< by number of the step
  Original original_;
  View view_;
  /// Where play began, and what has happened since; only for `has N worlds`.
  std::optional<State> origin_;
  Tape tape_;
  /// Where chance begins to count: before the first step that is neither `given` nor `start`.
  std::optional<std::pair<std::size_t, Moment>> position_;
  Weighing weighing_;
};

}  // namespace rip::verify
