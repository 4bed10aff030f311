// What is other in the second world of a twin, and which step there is the same as one here. Flow: verify/twins,
// verify/twins_confirm <-> here.
#pragma once

#include "interp/run/engine.h"
#include "verify/tape.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rip::verify {

/// What is other in the second world.
struct Swap {
  enum class Kind : std::uint8_t {
    components,  ///< two components have changed places
    variable,    ///< a cell of a variable holds something else
    chance,      ///< the next chance outcome is another one; of two components, these are `a` and `b`
    decision     ///< the next decision, which is taken secretly, is another one
  };
  Kind kind = Kind::components;
  std::int32_t a = -1, b = -1;          ///< components
  std::int32_t var = -1, at = 0;        ///< a cell of a variable
  std::int64_t value = 0, other = 0;    ///< what it holds in the first and the second world; of chance: the outcomes' values
  Move move, other_move;                ///< of a decision
  bool renames() const { return a >= 0; }
  /// The worlds are one until the next step.
  bool by_step() const { return kind == Kind::chance || kind == Kind::decision; }
};

/// Does the move take one of the two components?
bool takes_swapped(const ir::Program& program, const Move& move, const Swap& swap);
/// Calls visit(component) for each component that the move takes.
template <class F>
void each_component(const ir::Program& program, const Move& move, F&& visit) {
  std::size_t at = 0;
  const ir::Option& option = program.options[static_cast<std::size_t>(move.option)];
  for (const ir::Binder& binder : program.clauses[static_cast<std::size_t>(option.clause)].binders) {
    std::int32_t n = 1;
    if (binder.pick) n = move.args[at++];
    for (std::int32_t i = 0; i < n; ++i, ++at) {
      if (binder.component) visit(move.args[at]);
    }
  }
}

/// A machine with a state that waits.
struct Waiting {
  Machine& machine;
  State& state;
};
/// The number of the same move there, -1 if nothing corresponds to it: the card at the same place is another one there. If
/// `viewer` may notice the decision, it reads the same for it in both worlds: what the deciding seat knows and makes public
/// by its choice is no leak.
std::int64_t same_move(Waiting here, Waiting there, const Step& step, const Swap& swap, int viewer);
/// The number of the same outcome there, -1 if nothing corresponds to it; what it makes public reads the same. Before the two worlds part chance brings what makes
/// them part; behind that it brings the same wherever it may: who knows the two cards by then sees no difference.
std::int64_t same_outcome(Waiting here, const Outcome& outcome, Waiting there, const std::vector<Outcome>& all, const Swap& swap, bool parted,
                          int viewer);

/// The outcome with this value, -1 if there is none.
std::int64_t outcome_with(const std::vector<Outcome>& outcomes, std::int64_t value);

/// Lines of a log up to the first that shows both worlds something else, and what differs without being shown.
struct LogsCompared {
  bool ended = false;       ///< a rule has shown a difference: from here on the seat knows
  bool differ = false;
  LogLine here, there;
};
LogsCompared compare_logs(const std::vector<LogLine>& here, const std::vector<LogLine>& there);

/// More moves than these are not listed: two lists of them are compared by their numbers and by samples.
inline constexpr std::uint64_t kManyMoves = 600;

}  // namespace rip::verify
