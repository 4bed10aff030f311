// The inside of the reference evaluator: one game, played by plain recursion over the rules. Split by construct:
// values.cpp and compare.cpp (expressions), clauses.cpp, flow.cpp (statements, phases, loops), effects.cpp and packets.cpp
// (what moves), chance.cpp (bags), decisions.cpp, triggers.cpp, knowledge.cpp, claims.cpp, digest.cpp.
#pragma once

#include "interp/reference/reference.h"
#include "interp/reference/world.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace rip::reference {

// What unwinds the recursion.
struct FaultRaised { Fault fault; };
struct LimitReached {};
struct StopLoop {};
struct TurnEnded { int turns; };               ///< the number of the loop
struct PhaseEnded { rules::PhaseId phase; };
struct GameEnded {};

/// Runs `undo` when a block is left, also by an exception.
class Finally {
 public:
  explicit Finally(std::function<void()> undo) : undo_(std::move(undo)) {}
  ~Finally() { undo_(); }
  Finally(const Finally&) = delete;
  Finally& operator=(const Finally&) = delete;

 private:
  std::function<void()> undo_;
};

using Binding = std::vector<Value>;  ///< by binder of a clause
enum class Ties { fault, share };

class Evaluator {
 public:
  Evaluator(const rules::Rules& rules, const Box& box, const rules::Config& config, Oracle& oracle, const Limits& limits);
  Result play();

 private:
  // ---- values (values.cpp, compare.cpp) ----
  Value value(rules::ExprId expr);
  Value zones_value(const rules::Expr& expr);
  Value ends_value(const rules::Expr& expr);
  Value attribute_value(const rules::Expr& expr);
  Value family_value(const rules::Expr& expr);
  Value match_value(const rules::Expr& expr);
  Value call_value(const rules::Expr& expr);
  Value aggregate_value(const rules::Expr& expr);
  Value collected_value(const rules::Expr& expr);
  Value all_values(const rules::Expr& expr);
  Value neighbour(const rules::Expr& expr);
  Value result_value(const rules::Expr& expr);
  Value compared_value(const rules::Expr& expr);
  Value arithmetic_value(const rules::Expr& expr);
  Value random_value(rules::ExprId expr);            ///< may be Op::random, or have it in its branches
  std::int64_t scalar(rules::ExprId expr);           ///< may be none
  std::int64_t needed(rules::ExprId expr);           ///< none is a fault
  bool holds(rules::ExprId expr) { return needed(expr) != 0; }
  /// What a clause runs through, in order: a scalar is a set of one, none the empty set.
  std::vector<std::int64_t> members(rules::ExprId expr);
  std::vector<std::int64_t> members_of(const rules::Expr& expr, const Value& value);
  std::set<std::int64_t> set_of(rules::ExprId expr);
  std::vector<std::int64_t> by_place(std::vector<std::int64_t> components) const;
  bool zone_before(int a, int b, int depth) const;
  bool lies_before(int a, int b, int depth) const;   ///< of components
  /// Zone instances of an Op::zone (or place_card): one, or all that begin with the index values written.
  std::vector<int> instances(const rules::Expr& expr);
  int instance(rules::ExprId expr);                  ///< exactly one
  std::vector<std::int64_t> index_of(const std::vector<rules::ExprId>& kids);
  bool fits(int component, const rules::Phrase& phrase);
  bool arm_fits(const rules::MatchArm& arm, std::int64_t subject);
  const Value& var_value(rules::VarId var, const std::vector<std::int64_t>& index, Span span);
  std::int64_t param_value(const rules::Expr& expr);
  std::int64_t type_low(const rules::Type& type) const;
  std::int64_t type_high(const rules::Type& type) const;
  bool in_type(const rules::Type& type, const Value& value) const;
  [[noreturn]] void fault(FaultKind kind, Span span, std::string message = {}) const;

  // ---- clauses (clauses.cpp) ----
  std::vector<Binding> bindings(rules::ClauseId clause, Ties ties);
  /// As they stand, before `by`. With `lenient` a binding whose condition would fault does not hold.
  std::vector<Binding> plain_bindings(const rules::Clause& clause, bool lenient);
  void bind_from(const rules::Clause& clause, std::size_t level, Binding& chosen, std::vector<Binding>& found, bool lenient);
  /// What is picked from, and what has been so far.
  struct Picking { std::vector<std::int64_t> source; std::int64_t low = 0, high = 0; std::vector<std::int64_t> members; };
  void pick_from(const rules::Clause& clause, std::size_t level, Picking& pick, std::size_t start, Binding& chosen,
                 std::vector<Binding>& found, bool lenient);
  std::vector<std::int64_t> key_values(const rules::Clause& clause, const Binding& binding);
  int compare(const rules::Clause& clause, const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) const;
  bool interchangeable(const rules::Clause& clause, const Binding& a, const Binding& b) const;
  bool is_component(const rules::Binder& binder) const;
  Value first_value(const rules::Expr& expr);
  std::vector<Binding> best_bindings(rules::ClauseId clause);
  /// Runs f with the names of the clause bound, then restores what they were.
  void with(const rules::Clause& clause, const Binding& binding, const std::function<void()>& f);
  std::map<rules::LocalId, Value> names_;

  // ---- flow (flow.cpp, loops.cpp) ----
  void run(const rules::Block& block);
  void run(const rules::Stmt& stmt);
  void run_phase(rules::PhaseId phase);
  void run_pass(rules::PhaseId phase);
  /// Calls `pass` for each pass; a `for` hands over the binding of that pass.
  using Pass = std::function<void(const Binding*)>;
  void run_loop(const rules::LoopHeader& header, Span span, const Pass& pass);
  void run_for(const rules::ForLoop& loop, const Pass& pass);
  void run_repeat(const rules::RepeatLoop& loop, Span span, const Pass& pass);
  void run_turns(const rules::TurnsLoop& loop, Span span, const Pass& pass);
  bool within_limit(const rules::Limit& limit, std::int64_t passes, Span span);
  void run_routine(const rules::DoRoutine& call);
  void run_match(const rules::MatchStmt& match);
  void run_let(const rules::LetLocal& let);
  void end_turn(Span span);
  void start_var(rules::VarId var);
  Value first_of_type(const rules::Type& type) const;
  void with_me(std::optional<int> seat, const std::function<void()>& f);
  /// Nothing is bound and no seat acts: as declarations are read.
  void outside(const std::function<void()>& f);
  void step();

  struct RunningPhase { rules::PhaseId phase; std::size_t turns_before; };
  struct Context { rules::WhenId when; std::size_t turns_before; };  ///< the rule, trigger or main flow that runs
  std::optional<int> me_;
  std::vector<int> turns_;            ///< the `turns` loops that run, outer to inner
  std::vector<RunningPhase> phases_;  ///< outer to inner
  std::vector<Context> contexts_;
  int turns_made_ = 0;
  std::set<rules::VarId> live_locals_;
  bool setup_done_ = false;
  bool is_running(rules::PhaseId phase) const;

  // ---- effects (effects.cpp, packets.cpp) ----
  /// One effect with all that belongs to it: `happen` settles and changes; then tops show, eyes see, triggers run.
  void effect(const std::function<void()>& happen);
  /// Reads an operand once so that what it takes from bags is settled.
  void settle(rules::ExprId expr);
  void after_change();
  void run_effect(const rules::Move& move, Span span);
  void run_effect(const rules::Fill& fill, Span span);
  void run_effect(const rules::Swap& swap, Span span);
  void run_effect(const rules::Turn& turn, Span span);
  void run_effect(const rules::Shuffle& shuffle, Span span);
  void run_effect(const rules::Roll& roll, Span span);
  void run_effect(const rules::Show& show, Span span);
  void run_effect(const rules::Assign& assign, Span span);
  void run_effect(const rules::Pay& pay, Span span);
  void write(rules::VarId var, const std::vector<std::int64_t>& index, Value value, Span span);
  void swap_components(int a, int b);
  void swap_zones(int a, int b, Span span);

  /// Some components that go to one zone in one stroke. A run without order comes out of one hand or one bag.
  struct Run { std::vector<int> cards; bool ordered = true; };
  struct Packet { std::vector<Run> runs; int to = 0; bool under = false; std::optional<std::int64_t> face; };
  Packet packet(rules::ExprId what, int to, bool under, rules::ExprId face);
  std::vector<Run> runs_of(const std::vector<std::int64_t>& cards, bool ordered) const;
  void settle_order(Packet& packet);
  void carry_out(std::vector<Packet>& packets, Span span);
  /// `from`: the zone in which each component was last.
  void place(const Packet& packet, std::map<int, int>& from);
  void arrive(int component, int zone, const std::optional<std::int64_t>& face, bool was_here);
  void test_room(int zone, Span span);
  const rules::Zone& zone_rules(int instance) const { return rules_.zones[box_.zones[static_cast<std::size_t>(instance)].zone]; }
  const rules::ComponentType& type_rules(int component) const { return rules_.component_types[box_.components[static_cast<std::size_t>(component)].type]; }
  void with_index(const std::vector<rules::LocalId>& locals, const std::vector<std::int64_t>& index, const std::function<void()>& f);

  // ---- chance (chance.cpp) ----
  std::size_t ask_chance(Chance chance);
  std::vector<std::vector<int>> classes(const std::vector<int>& components) const;
  int draw_component(const std::vector<int>& from, ChanceKind kind, int zone);
  void settle_top(int zone, std::int64_t n);
  void settle_bottom(int zone, std::int64_t n);
  void settle_at(int zone, std::size_t position, bool from_bottom);
  std::pair<int, std::int64_t> refill_source(int zone);
  void settle_kept(int zone);
  bool refill(int zone);
  /// The components at [begin, end) are exchangeable from now on.
  void make_bag(int zone, std::size_t begin, std::size_t end);
  /// What is indexed by a component that becomes part of a bag returns to its start value.
  void reset_indexed(int component);
  void show_tops();
  /// What everybody with eyes for it sees of a component where it lies on top.
  std::vector<std::int64_t> upper_side(int component, int zone);
  std::vector<std::int64_t> back_side(int component) const;
  bool settling_ = false;  ///< operands are read for the first time: what they take from bags is settled

  // ---- decisions (decisions.cpp) ----
  struct Offer { Move move; std::vector<std::vector<Arg>> alike; };  ///< all bindings that look like it to the chooser
  void run_choice(const rules::Choose& choose, Span span);
  void run_choice_each(const rules::Choose& choose, Span span);
  Move ask_seat(const rules::Choose& choose, int seat, Span span);
  std::vector<Offer> offers(const rules::Choose& choose, int seat, Span span);
  void add_offers(const rules::Choose& choose, std::uint32_t option, int seat, std::vector<Offer>& offers);
  static bool differ_in_any(const rules::Clause& clause, const std::vector<Arg>& a, const std::vector<Arg>& b);
  using Sketch = std::vector<std::vector<std::int64_t>>;
  /// Equal for two bindings that an exchange of alike components turns into one another.
  Sketch sketch(const rules::Clause& clause, const std::vector<Arg>& args, const std::function<std::vector<std::int64_t>(int)>& look) const;
  std::vector<std::int64_t> look_of(int component, int seat);
  std::vector<std::int64_t> true_look(int component) const;
  /// The first component of the same zone (the same bag, or outside of bags) that `same` does not tell from it.
  std::int64_t first_like(int component, const std::function<bool(int)>& same) const;
  std::vector<Arg> which(const rules::Clause& clause, const Offer& offer);
  void run_option(const rules::Choose& choose, const Move& move);

  // ---- triggers (triggers.cpp) ----
  using Truths = std::map<rules::WhenId, std::vector<std::vector<std::int64_t>>>;
  struct Waiting { rules::WhenId when; std::vector<std::int64_t> binding; };
  Truths truths(bool lenient);
  std::vector<std::vector<std::int64_t>> truth(const rules::When& when, bool lenient);
  std::vector<rules::WhenId> listening() const;
  /// `cause`: the effect that has changed what the conditions read.
  void wake(const Truths& before, Span cause);
  std::vector<Waiting>::iterator first_of(std::vector<Waiting>& waiting);
  void run_when(const Waiting& waiting, Span cause);
  std::vector<std::vector<Waiting>*> waiting_;
  int together_ = 0;
  int nested_ = 0;
  Span statement_;  ///< that began last

  // ---- knowledge (knowledge.cpp) ----
  /// Seats that see every front there, whichever side lies up; none declared: those of a hand, else nullopt.
  std::optional<std::set<int>> eyes(int zone);
  bool sees_front(int seat, int component);
  void see();
  /// Some component is about to leave its hand or bag: what seats know there may end.
  void departs(int component);
  void forget_departed();
  void mix(const std::vector<int>& components);
  std::set<int> var_eyes(rules::VarId var, const std::vector<std::int64_t>& index);
  /// Nothing that the rules can read or that seats know tells the two apart, but their places.
  bool alike(int a, int b) const;
  /// The same without what seats know.
  bool same_for_rules(int a, int b) const;
  /// A variable holds one of them, or something is indexed by one, and not in the same way by the other.
  bool told_apart(int a, int b) const;
  bool vars_tell_apart(int a, int b) const;
  struct Departure { std::vector<int> members; std::set<int> left; int zone = 0; bool hand = false; };
  std::map<std::pair<int, int>, Departure> departures_;  ///< by zone and bag (0: a hand)

  // ---- claims and result (claims.cpp) ----
  void test_waiting();
  void test_claims_at(const std::function<bool(const rules::Claim&)>& now);
  void test_claim(std::uint32_t claim);
  void test_bound(std::uint32_t bound);
  void violate(Violation::What what, std::uint32_t index, Span span, std::string fault);
  void finish();
  bool over_ = false;
  bool scored_ = false;
  std::optional<std::set<int>> won_;

  // digest.cpp
  std::string digest() const;
  std::string moment() const;

  const rules::Rules& rules_;
  const Box& box_;
  const rules::Config& config_;
  Oracle& oracle_;
  const Limits& limits_;
  World world_;
  Result result_;
  std::size_t steps_ = 0;
};

}  // namespace rip::reference
