// Which states are the same for the rules: components that no rule tells apart may change places, zones whose order no rule
// reads have none, and what seats know is read by no rule. Each reduction comes from the IR, and each can be switched off. Flow: State -> key.
#pragma once

#include "base/hash.h"
#include "interp/run/engine.h"
#include "verify/frames.h"
#include "verify/symmetry.h"
#include "verify/unread.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace rip::verify {

struct Reductions {
  bool equal_components = true;  ///< those that agree in every attribute that is read may be exchanged
  bool symmetries = true;        ///< values that no rule names or puts in order may be exchanged, as suits
  bool forgotten = true;         ///< which components lie where nobody looks any more
  bool no_order = true;          ///< in hands, bags, and zones of which no rule reads it
  bool counters = true;          ///< how often a loop with `cut off after` has run: first the rules are searched without the cap
  bool idle = true;              ///< names and variables of phases that do not run: reading them is a fault
  bool knowledge = true;         ///< who knows what is left out: of no use to rules, only to views and to how options are merged
};

/// What each of them is called where it is switched off.
struct ReductionName {
  const char* name;
  bool Reductions::*on;
};
inline constexpr ReductionName kReductions[] = {
    {"equal", &Reductions::equal_components}, {"symmetries", &Reductions::symmetries}, {"forgotten", &Reductions::forgotten}, {"order", &Reductions::no_order},
    {"counters", &Reductions::counters},      {"idle", &Reductions::idle},             {"knowledge", &Reductions::knowledge},
};

/// `equal,symmetries,...`
std::string reduction_names();

/// Keys of states of one program. Equal keys: the same options, outcomes and claims lead on from both, but for the names of
/// equal components (colour refinement with one round; what a loop or a trigger under way speaks of keeps its name).
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
  template <class F>
  void each_member(std::int32_t offset, ir::Domain domain, F&& f) const;
  template <class F>
  void each_value(const ir::FrameLocal& local, F&& f) const;
  void pin_what_runs();
  void number_bags(const ir::Zone& zone, std::int32_t n, bool only_sizes);
  void sign(bool all_lost_alike);
  void rename();
  void rewrite_set(std::int32_t offset, ir::Domain domain, const std::vector<std::int32_t>& to);
  void rewrite_local(const ir::FrameLocal& local, const std::vector<std::int32_t>& to);
  void rewrite();
  bool exchange_values(const Symmetry& symmetry);
  void rewrite_values(const Symmetry& symmetry);
  void put_in_order();
  template <class T>
  T get(std::int32_t offset) const;
  template <class T>
  void put(std::int32_t offset, T value);
  std::int64_t cell(ir::Cell cell, std::int32_t at) const;
  void set_cell(ir::Cell cell, std::int32_t at, std::int64_t value);
  template <class T>
  void permute(std::int32_t offset, std::int32_t stride, std::int32_t low, std::int32_t count, const std::vector<std::int32_t>& to);
  void permute_cells(const ir::Var& var, std::int32_t stride, std::int32_t low, std::int32_t count, const std::vector<std::int32_t>& to);
  void keep_what_is_held();
  void forget_members();
  void forget_knowledge();
  void remember_knowledge();
  bool is_rolling() const;
  bool is_idle(const ir::Var& var) const;
  void leave_out_idle();
  void sign_without_knowledge(bool all_lost_alike);

  const ir::Program& p;
  Reductions reductions_;
  Unread unread_;
  bool orderless(const ir::Zone& zone) const;
  bool is_lost(const ir::Zone& zone) const;
  std::vector<std::int32_t> group_;                 ///< by component: equal components, alone = -1
  std::vector<std::vector<std::int32_t>> groups_;
  std::vector<Marks> marks_;
  std::vector<LocalInUse> locals_;                  ///< that take components, or values that may be exchanged
  std::vector<RowsInUse> rows_;
  std::vector<std::pair<std::int32_t, std::int32_t>> bits_;  ///< a `when`, offset: where its bindings are kept
  std::vector<std::int32_t> lost_zones_;            ///< of which nothing but the number of components is asked
  std::vector<Symmetry> symmetries_;
  std::vector<char> signed_;                        ///< by component: its signature is asked for
  // of the state at hand
  std::vector<std::uint8_t> bytes_, old_, knowing_;
  std::vector<std::uint8_t> pinned_, kept_;
  std::vector<std::uint64_t> signature_;
  std::vector<std::int32_t> renamed_, free_, sorted_;
  struct Lost {
    std::uint64_t kind;       ///< type and side: only those of one kind change places
    std::int32_t component;
    std::int32_t equal_to;    ///< the first of its equals
    std::int32_t zone, at;
    std::uint32_t known;
  };
  std::vector<Lost> found_, places_;
  struct Value {
    std::uint64_t signature;
    std::int32_t value;
    bool pinned;
  };
  struct Segment {
    std::int32_t begin, end;  ///< of the ids of a pile
    bool bag;
    std::uint64_t content;
  };
  std::vector<Segment> segments_;
  std::vector<std::int32_t> bag_;     ///< by place in a pile: the number of its bag
  std::vector<Value> values_;
  std::vector<std::int32_t> value_to_;
  std::vector<std::size_t> free_columns_;
  std::vector<ir::Pc> control_;
  std::vector<const ir::FrameLocal*> live_;         ///< of these, what a rule under way has in hand
  std::vector<const ir::FrameLocal*> doubtful_;     ///< and what it may have: whatever stands there keeps its name
};

}  // namespace rip::verify
