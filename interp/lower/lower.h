// Checked rules + box -> IR for one configuration. Parameters and the number of seats become constants, dead branches
// vanish, addresses are fixed. Flow: interp/check -> here -> interp/run.
#pragma once

#include "interp/check/box.h"
#include "interp/check/rules.h"
#include "interp/ir/ir.h"

#include <string>
#include <vector>

namespace rip {

struct LowerOptions {
  bool claims = false;    ///< instructions that test claims at their moments, and `at most`
  bool goals = false;     ///< of claims only these: a `sometimes` that stands in the rules or has a moment, for counting
  bool unread = true;     ///< also variables of a phase that only claims read; where none is tested, many games need not work them out
  bool coverage = false;  ///< instructions that report cover points
  std::vector<std::string> seats;  ///< names; empty: `player 1` ...
};

/// Of the variables that nothing writes but the beginning of their phase: those that only claims read which are not tested are
/// not begun. A value that would not fit into one of these is no fault then.
void leave_out_unread(ir::Program& program);

/// What the runtime cannot do yet, as data with a place.
struct Lowered {
  ir::Program program;
  Span span;
  std::string error;  ///< empty = fine
};

/// The scenario's expressions (index values, arguments, `expect`) become nodes too: `node_of` finds them.
class Lowering {
 public:
  Lowering(const rules::Rules& rules, const Box& box, const rules::Config& config, LowerOptions options);
  ~Lowering();
  Lowering(const Lowering&) = delete;
  Lowering& operator=(const Lowering&) = delete;

  /// Lowers the game. Call once, first.
  void game();
  /// Lowers one more expression of the same rules (a claim, an `expect`, a REPL line); usable once game() is done.
  /// A set or list expression has `domain()` as its domain.
  ir::Node expression(rules::ExprId expr);
  ir::Domain domain(rules::ExprId expr) const;
  /// Zone instances of an Op::zone expression with constant indices; the cell index of a var with constant indices.
  ir::Node index_node(rules::VarId var, const std::vector<rules::ExprId>& index);
  std::int32_t phrase(rules::PhraseId phrase);

  /// Code that goes to the beginning of a phase: enclosing loops in their first pass (or the first in which the phase
  /// names in `picks` have these values), variables started, then a checkpoint, then the phase.
  ir::Pc entry_phase(rules::PhaseId phase, const std::vector<std::pair<rules::VarId, std::int64_t>>& picks);
  /// As above for the phases around a routine, then a checkpoint, then the call, then the end.
  ir::Pc entry_routine(rules::RoutineId routine, const std::vector<rules::ExprId>& args,
                       const std::vector<std::pair<rules::VarId, std::int64_t>>& picks);

  /// The finished program (layout sizes fixed anew). The Lowering may go on to add expressions and be asked again.
  const ir::Program& program();
  const std::string& error() const;
  Span error_span() const;

 private:
  struct Impl;
  Impl* impl_;
};

}  // namespace rip
