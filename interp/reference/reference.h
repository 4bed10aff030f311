// A second, plain reading of the language: walks the checked rules directly, with ordinary containers and no tricks, so
// that the fast machine can be compared with it. Flow: checked rules + Box + Config -> one whole game per call; an Oracle
// answers decisions and chance. Nothing but tests and the replay of counterexamples uses it.
#pragma once

#include "interp/check/box.h"
#include "interp/check/rules.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace rip::reference {

/// What one name of a move is bound to: a value, or the members of a pick (in order, or ascending).
using Arg = std::vector<std::int64_t>;
struct Move {
  std::string name;
  std::uint32_t option = 0;  ///< index into the options of the `choose`
  std::vector<Arg> args;     ///< by name of the move's clause
  friend bool operator==(const Move&, const Move&) = default;
};

/// What chance decides: which component of a bag comes next, which of a packet without order lies next, what a die shows,
/// which element `random` yields, which of several options that look alike to their chooser was taken.
enum class ChanceKind { settle, order, roll, random, which };
struct Outcome {
  std::int64_t value = 0;   ///< component, face, or element; for `which` the number of the binding
  std::int64_t weight = 1;  ///< over the sum of all weights: the exact probability
};
struct Chance {
  ChanceKind kind = ChanceKind::settle;
  std::vector<Outcome> outcomes;  ///< at least two
  int zone = -1;                  ///< settle: the instance; order: where the packet goes
  int component = -1;             ///< roll: the die
};

/// Answers for players and for chance. It may throw to break a game off; `play` lets that through.
class Oracle {
 public:
  virtual ~Oracle() = default;
  /// An index into `moves`. `digest` is the state as `Decision::digest` (empty if not asked for).
  virtual std::size_t decide(int seat, const std::vector<Move>& moves, const std::string& digest) = 0;
  /// An index into `chance.outcomes`.
  virtual std::size_t draw(const Chance& chance) = 0;
};

struct Limits {
  std::size_t decisions = 100000;
  std::size_t steps = 10000000;  ///< statements and passes of loops
  bool digests = true;
};

enum class FaultKind {
  none_used,          ///< `none` where a value is needed
  out_of_range,       ///< a value or index outside its type; a number too large
  stuck,              ///< a decision without options
  tie,                ///< bindings that `by` does not order
  empty_first,        ///< `min`, `max` or `random` of nothing
  place_full,
  over_max,
  phase_not_running,  ///< a name or variable of a phase, or `end phase`, while it does not run
  cyclic_triggers,
  not_fitting,        ///< a phrase that must fit exactly one component, a `swap` of a set that is not of two
  no_turn,            ///< `end turn` where no `turns` runs
  seat_twice          ///< one seat twice in a `choose each`
};
struct Fault {
  FaultKind kind{};
  Span span;
  std::string message;
  std::string moment;  ///< the phases that run and who acts, as the first lines of a digest
};

/// A claim, bound or `at most` that did not hold; only the first time of each.
struct Violation {
  enum class What { claim, bound, at_most } what = What::claim;
  std::uint32_t index = 0;    ///< into Rules::claims, Rules::bounds
  Span span;                  ///< at_most: of the loop
  std::size_t decisions = 0;  ///< how many had been taken
  std::string fault;          ///< why it could not be read, if so
};

struct Decision {
  int seat = 0;
  std::size_t options = 0;
  Move taken;
  std::string digest;
};

enum class Ending { over, fault, limit };
struct Result {
  Ending ending = Ending::over;
  std::vector<std::int64_t> scores;  ///< by seat; empty if the rules have none
  std::set<int> winners;
  std::optional<Fault> fault;
  std::vector<Violation> violations;
  std::set<std::uint32_t> shown;                                  ///< `sometimes` claims that some moment showed
  std::vector<std::pair<std::int64_t, std::int64_t>> bounds;      ///< least and greatest value seen; low > high = never
  std::vector<std::int64_t> reports;                              ///< in the order of Rules::reports
  std::vector<Decision> decisions;
  std::string digest;                                             ///< of the last state
};

/// Plays one game. `box` must be made of the same rules and config.
Result play(const rules::Rules& rules, const Box& box, const rules::Config& config, Oracle& oracle, const Limits& limits = {});

/// `settle`, `roll` ...; `stuck`, `none_used` ...
const char* name(ChanceKind kind);
const char* name(FaultKind kind);

}  // namespace rip::reference
