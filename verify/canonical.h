// Which states are the same for the rules: components that no rule tells apart may change places, zones whose order no rule
// reads have none, and what seats know is read by no rule. Each reduction comes from the IR, and each can be switched off. Flow: State -> key.
#pragma once

#include "base/hash.h"
#include "interp/run/engine.h"
#include "verify/unread.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace rip::verify {

struct Reductions {
  bool equal_components = true;  ///< those that agree in every attribute that is read may be exchanged
  bool no_order = true;          ///< in hands, bags, and zones of which no rule reads it
  bool counters = true;          ///< how often a loop with `cut off after` has run: first the rules are searched without the cap
  bool idle = true;              ///< names and variables of phases that do not run: reading them is a fault
  bool knowledge = true;         ///< who knows what is left out: of no use to rules, only to views and to how options are merged
};

/// Keys of states of one program. Equal keys: the same options, outcomes and claims lead on from both, but for the names of
/// equal components (colour refinement with one round; components that a rule under way has in hand keep their names).
class Canonical {
 public:
  Canonical(const ir::Program& program, Reductions reductions);
  /// `after_setup` is part of the state: claims count from there on. Allocates nothing once it has seen a state.
  Hash128 key(const State& state, bool after_setup);
  /// The state as all that have its key are written, but for who knows what, and one byte for `after_setup`: it can be played on.
  /// Null for states whose size is not that of all: a trigger runs inside of itself. Valid until the next call.
  const std::uint8_t* form(const State& state, bool after_setup);
  const Unread& unread() const { return unread_; }

 private:
  /// A family of variables that holds components, or is indexed by them.
  struct Marks {
    std::int32_t var;
    bool holds, indexed;
    std::int32_t stride = 0, low = 0, count = 0;  ///< of the index that is a component
  };
  void pin(std::int64_t component) {
    if (component >= 0 && component < static_cast<std::int64_t>(pinned_.size())) pinned_[static_cast<std::size_t>(component)] = 1;
  }
  void pin_members(std::int32_t offset, ir::Domain domain);
  void pin_local(const ir::FrameLocal& local);
  void pin_what_runs();
  void sign();
  void rename();
  void rewrite();
  void put_in_order();
  template <class T>
  T get(std::int32_t offset) const;
  template <class T>
  void put(std::int32_t offset, T value);
  std::int64_t cell(ir::Cell cell, std::int32_t at) const;
  void set_cell(ir::Cell cell, std::int32_t at, std::int64_t value);
  template <class T>
  void permute(std::int32_t offset, std::int32_t stride, std::int32_t low, std::int32_t count);
  void forget_knowledge();
  void remember_knowledge(const State& state);
  void leave_out_idle();

  const ir::Program& p;
  Reductions reductions_;
  Unread unread_;
  bool orderless(std::size_t zone) const;
  std::vector<std::int32_t> group_;                 ///< by component: equal components, alone = -1
  std::vector<std::vector<std::int32_t>> groups_;
  std::vector<Marks> marks_;
  std::vector<ir::FrameLocal> locals_;              ///< frame cells that take components
  std::vector<std::pair<std::int32_t, std::int32_t>> rows_;  ///< offset, numbers: rows of loops over components, commitments
  std::vector<std::pair<std::int32_t, std::int32_t>> bits_;  ///< a `when`, offset: where its bindings are kept
  // of the state at hand
  std::vector<std::uint8_t> bytes_, old_;
  std::vector<std::uint8_t> pinned_;
  std::vector<std::uint64_t> signature_;
  std::vector<std::int32_t> renamed_, free_, sorted_;
};

}  // namespace rip::verify
