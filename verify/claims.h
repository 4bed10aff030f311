// What the author claims, tested while a game is played: claims at their moments, bounds, limits; and what was covered.
// Flow: Machine (tests claims inside phases, reports cover points) -> Watcher <- verify/random_play, verify/scenario.
#pragma once

#include "interp/run/engine.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace rip::verify {

/// A claim, bound or `at most` that did not hold.
struct Violation {
  enum class What { claim, bound, limit } what = What::claim;
  std::int32_t index = 0;  ///< into Program::claims, Program::bounds; of a limit: 0
  Span span;
  std::string detail;      ///< the value that left its bound; why a claim could not be read
};

/// Counts over many games.
struct Tally {
  std::vector<std::uint64_t> covered;                             ///< by cover point: how often
  std::vector<std::uint64_t> tested;                              ///< by claim (those that the watcher tests itself)
  std::vector<std::uint64_t> shown;                               ///< by claim: `sometimes` that held
  std::vector<std::uint64_t> asked;                               ///< by claim: how often its conclusion was asked for, until once
  std::vector<std::pair<std::int64_t, std::int64_t>> bounds;      ///< by bound: least and greatest value; low > high: never
  explicit Tally(const ir::Program& program);
  void add(const Tally& other);
};

/// An `always` says nothing as long as what stands before its last `or` holds, the branch of an `if` that it is about is not
/// taken, or an `every` has nothing to run over (Beer, Ben-David, Eisner, Rodeh: Efficient detection of vacuity, 2001).
struct Premise {
  std::vector<std::pair<ir::Node, bool>> conditions;  ///< and the value each must have
  std::int32_t clause = -1;                           ///< that must have a binding
  bool always_asked() const { return conditions.empty() && clause < 0; }
};
Premise premise_of(const ir::Program& program, const ir::Claim& claim);

/// Watches one game after the other on one thread; allocates nothing while all is well.
class Watcher : public Observer {
 public:
  explicit Watcher(const ir::Program& program);

  void covered(std::int32_t point) override { ++tally.covered[static_cast<std::size_t>(point)]; }
  void claim_violated(std::int32_t claim) override;
  void claim_shown(std::int32_t claim) override { ++tally.shown[static_cast<std::size_t>(claim)]; }
  void limit_passed(Span span) override;

  /// Tests the claims of this moment: a seat is asked to decide (`at_end` false), or the game has ended.
  void test(Machine& machine, State& state, bool at_end);
  /// All violations of the game so far, each once.
  std::vector<Violation> violations;
  bool armed = false;  ///< claims count from the end of setup on
  void begin_game() {
    violations.clear();
    armed = false;
  }

  Tally tally;

 private:
  void add(Violation violation);
  bool asked(Machine& machine, State& state, const Premise& premise);
  const ir::Program& program_;
  std::vector<Premise> premises_;  ///< by claim
};

/// `always "hands are full"`, `bound count(grave[g])`.
std::string title(const ir::Program& program, const Violation& violation);

}  // namespace rip::verify
