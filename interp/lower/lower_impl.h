// The inside of the lowering: one object that holds the program under construction. Split by construct: lower.cpp (the
// interface), lower_layout.cpp (declarations, addresses), lower_expr.cpp (scalars), lower_compare.cpp, lower_sets.cpp (zones,
// sets, lists), lower_clause.cpp (clauses, sources), lower_slots.cpp (which names a node reads), lower_let.cpp (calls),
// lower_stmt.cpp, lower_cover.cpp, lower_effect.cpp, lower_operand.cpp (what is drawn, what is written), lower_loop.cpp,
// lower_choice.cpp, lower_when.cpp (who wakes whom), lower_entry.cpp (ways in for scenarios).
#pragma once

#include "interp/lower/lower.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace rip {

using ir::InstrOp;
using ir::Node;
using ir::NodeOp;
using ir::Pc;
using rules::kNoId;

/// Raised where the runtime cannot do something yet.
struct NotSupported {
  Span span;
  std::string message;
};

/// A place in the code that jumps may name before it is known.
struct Label {
  Pc at = -1;
  std::vector<std::pair<Pc, int>> uses;  ///< instruction and operand (0 a .. 3 d)
};

/// What an expression reads or a statement changes: zones as declared, component types whose sides, variables.
struct Touch {
  std::set<rules::ZoneId> zones;
  std::set<rules::TypeId> sides;
  std::set<rules::VarId> vars;
  void add(const Touch& other) {
    zones.insert(other.zones.begin(), other.zones.end());
    sides.insert(other.sides.begin(), other.sides.end());
    vars.insert(other.vars.begin(), other.vars.end());
  }
  bool meets(const Touch& other) const;
};

/// Index values, read: one fixed position, or a node that gives it.
struct Position {
  bool fixed = true;
  std::int32_t at = 0;
  Node node = ir::kNoNode;
};

/// A loop that `stop` can leave.
struct OpenLoop {
  Label* exit = nullptr;
  std::size_t chooses = 0;  ///< decisions around the loop
  bool stopped = false;
};

struct Lowering::Impl {
  Impl(const rules::Rules& rules, const Box& the_box, const rules::Config& the_config, LowerOptions the_options);

  const rules::Rules& r;
  const Box& box;
  const rules::Config& config;
  LowerOptions options;
  ir::Program p;
  std::string error;
  Span error_span;

  void game();
  const rules::Expr& expr(rules::ExprId id) const { return r.exprs[id]; }

  // ---- declarations and addresses (lower_layout.cpp) ----
  void declare_texts();
  void declare_components();
  void declare_vars();
  void declare_phases();
  void declare_zones();
  void find_bags();
  void read_seen_by();
  void find_refreshes();
  std::string seat_text(std::int64_t seat) const;
  std::int32_t allocate(std::int32_t bytes, std::int32_t alignment);
  ir::Cell allocate_cell(ir::Width width);
  void address_var(rules::VarId id);
  std::pair<std::int64_t, std::int64_t> axis(const rules::Type& type) const;  ///< first value and how many
  std::int64_t low(const rules::Type& type) const;
  std::int64_t high(const rules::Type& type) const;
  ir::Domain domain(const rules::Type& type, Span span) const;
  static ir::Width width(std::int64_t low, std::int64_t high);
  std::int32_t texts_of(const rules::Type& type) const;  ///< index into value_texts, -1 number, -2 component, -3 seat
  ir::FrameLocal frame_local(const rules::Type& type, std::int32_t most, Span span);
  Node local_node(const ir::FrameLocal& local, Span span);  ///< reads it
  std::int32_t keep_frame_local(const ir::FrameLocal& local);

  std::int32_t cursor = 0;  ///< the next free byte of the frame
  std::int32_t highest = 0;
  std::vector<std::vector<std::int32_t>> attribute_tables;  ///< by type, attribute: what to add a component id to
  std::vector<std::int32_t> param_tables;
  std::set<rules::ZoneId> bag_zones;    ///< piles that may hold a bag
  std::set<rules::ZoneId> shown_zones;  ///< of these, those whose top may differ from others that lie in its bag
  std::vector<std::uint64_t> inside;    ///< by phase: phases that may run within it

  // ---- nodes (lower_expr.cpp) ----
  Node add(NodeOp op, Span span, std::int32_t a = 0, std::int32_t b = 0, std::int32_t c = 0, ir::Width width = ir::Width::i8);
  Node constant(std::int64_t value, Span span);
  bool is_constant(Node node) const { return p.nodes[static_cast<std::size_t>(node)].op == NodeOp::constant; }
  bool is_constant(Node node, std::int64_t value) const { return is_constant(node) && this->value(node) == value; }
  std::int64_t value(Node node) const { return at(node).a; }
  const ir::ExprNode& at(Node node) const { return p.nodes[static_cast<std::size_t>(node)]; }
  std::int32_t pool(const std::vector<std::int32_t>& list);         ///< with its length before it
  std::int32_t pool_raw(const std::vector<std::int32_t>& numbers);  ///< without
  std::int32_t pool_domain(ir::Domain domain) { return pool_raw({domain.low, domain.words}); }
  Node scalar(rules::ExprId id);   ///< may give none
  Node needed(rules::ExprId id);   ///< none is a fault
  Node truth(rules::ExprId id) { return needed(id); }
  Node arithmetic(const rules::Expr& e);
  Node neighbour(const rules::Expr& e);
  Node negate(Node node, Span span);
  Node both(Node a, Node b, Span span);
  Node either(Node a, Node b, Span span);
  Node choose_between(Node condition, const std::function<Node()>& yes, const std::function<Node()>& no, Span span);
  Node match(rules::ExprId id, const std::function<Node(rules::ExprId)>& lower);
  std::pair<int, std::int32_t> match_arms(const std::vector<const rules::MatchArm*>& arms, Node subject);
  Node var(const rules::Expr& e);
  Node param(const rules::Expr& e);
  Node ends(const rules::Expr& e);
  Position position(const std::vector<rules::Type>& index, const std::vector<rules::ExprId>& kids, Span span);
  Node position_node(const Position& position, Span span);
  std::int32_t under(const std::vector<rules::Type>& index, std::size_t given) const;  ///< how many share the given values
  std::optional<std::int64_t> fold(rules::ExprId id);
  bool before_play(rules::ExprId id);
  void risk() { ++risks; }
  int risks = 0;  ///< how many nodes so far may be a fault
  std::vector<Node> names;  ///< by LocalId: the node that reads it here
  std::vector<std::int32_t> slots;  ///< by LocalId: its scratch slot, set slot or list slot
  std::int32_t slot(rules::LocalId local);
  std::int32_t set_slot(rules::LocalId local);
  std::int32_t list_slot(rules::LocalId local);
  Node bind_scratch(rules::LocalId local);  ///< the local lives in its scratch slot from now on
  std::map<rules::ExprId, bool> before_play_known;

  // ---- comparisons (lower_compare.cpp) ----
  Node compare(const rules::Expr& e);
  Node order(NodeOp op, Node a, Node b, Span span);
  Node equal(Node a, Node b, Span span);
  Node member(Node value, const rules::Type& type, rules::ExprId set);
  bool cheap(Node node) const;
  std::int32_t phrase(rules::PhraseId id);
  Node empty(rules::ExprId id);
  Node count_members(rules::ExprId id);
  ir::Domain join(rules::ExprId a, rules::ExprId b);

  // ---- zones, sets, lists (lower_sets.cpp) ----
  bool is_zone(rules::ExprId id) const;
  Node zone(rules::ExprId id);
  bool as_zone(rules::ExprId id, Node& out);  ///< also a single place, and a name that stands for a zone
  Node set(rules::ExprId id);
  Node set_literal(const rules::Expr& e);
  Node list(rules::ExprId id);
  Node list_end(const rules::Expr& e);
  Node family(const rules::Expr& e);
  Node value_of(rules::ExprId id);  ///< by the shape of its type
  std::int32_t most(rules::ExprId id);  ///< members of a set or list, at most
  std::int32_t most_of(const rules::Type& type) const;

  // ---- clauses (lower_clause.cpp) ----
  /// `other_source`: what the first name runs through instead of its own source.
  std::int32_t clause(rules::ClauseId id, bool ordered, rules::ExprId other_source = kNoId);
  std::int32_t clause_over(rules::ExprId source, bool ordered, bool backwards, Node& value);
  std::int32_t keep(ir::Clause clause, std::ptrdiff_t any = 0);  ///< so many names, the last, are any
  void source(rules::ExprId id, Node value, ir::Binder& binder, bool filters_allowed);
  void plain_source(rules::ExprId id, ir::Binder& binder);
  void binder(const rules::Binder& from, ir::Binder& to, bool ordered, rules::ExprId from_source);
  void split_where(const rules::Clause& from, ir::Clause& to);
  /// Scratch slots that a node reads, those of its own clauses among them; not what happens inside of definitions.
  struct Slots {
    std::set<std::int32_t> scalars, sets, lists;
    bool has(const ir::Binder& binder) const { return (!binder.pick ? scalars : binder.in_order ? lists : sets).count(binder.slot) != 0; }
  };
  void slots_in(Node node, Slots& out) const;
  void slots_in_source(const ir::Binder& binder, Slots& out) const;
  void split(Node node, std::vector<Node>& out) const;  ///< the conjuncts of a condition
  void find_dependence(ir::Clause& clause) const;
  const rules::Clause* selection(const rules::Expr& e) const;  ///< `{x in S where ...}`: its clause
  void names_in(rules::ExprId id, std::set<rules::LocalId>& out) const;  ///< names that are bound outside of it
  void names_in_clause(rules::ClauseId id, std::set<rules::LocalId>& out) const;
  void names_in_phrase(rules::PhraseId id, std::set<rules::LocalId>& out) const;
  Node aggregate(const rules::Expr& e);
  std::int64_t most_bindings(rules::ClauseId id);

  // ---- definitions (lower_let.cpp) ----
  Node call(rules::ExprId id);
  bool bind_arguments(const rules::Expr& e, std::vector<std::pair<rules::LocalId, Node>>& kept);
  void restore(const std::vector<std::pair<rules::LocalId, Node>>& kept);
  Node argument(rules::LocalId param, rules::ExprId arg);
  std::int32_t define(rules::LetId id);
  int weight(rules::LetId id);
  int weight_of(rules::ExprId id);
  struct LetState {
    Node shared = ir::kNoNode;  ///< without parameters
    std::int32_t index = -1;    ///< with
    bool risky = false;
    int weight = -1;
  };
  std::vector<LetState> lets;

  // ---- code (lower_stmt.cpp) ----
  Pc emit(InstrOp op, std::int32_t a = 0, std::int32_t b = 0, std::int32_t c = 0, std::int32_t d = 0);
  void refer(Label& label, Pc instr, int operand);
  void place(Label& label);
  void jump(Label& label) { refer(label, emit(InstrOp::jump), 0); }
  /// Goes on behind if the condition holds; constants give no code. False: it never holds.
  bool branch(Node condition, Label& otherwise);
  Pc here() const { return static_cast<Pc>(p.code.size()); }
  void routine(std::int32_t index);
  void begin_code(std::int32_t of_routine, bool together);
  void main_flow();
  void block(const rules::Block& stmts, bool clears = true);
  void statement(const rules::Stmt& stmt);
  void cover_expressions(const rules::Stmt& stmt);
  void cover_header(const rules::LoopHeader& header);
  void cover_declarations();
  void cover(rules::CoverId id);
  void cover_lets(const std::set<rules::LetId>& found);
  void run_if(const rules::If& node);
  void run_match(const rules::MatchStmt& node);
  void run_let(const rules::LetLocal& node, Span span);
  void start_local(const rules::StartVar& node, Span span);
  void start_value(rules::VarId id);
  void start_vars(const std::vector<rules::VarId>& vars);
  void draw_start(rules::VarId id);
  void run_routine(const rules::DoRoutine& node, Span span);
  void run_together(const rules::Together& node);
  void stop(Span span);
  void claim_here(std::uint32_t id);
  void claims_at(ast::MomentKind moment, rules::PhaseId phase, const std::string& move);
  void clear(std::int32_t from, std::int32_t to);
  void declare_claims();
  std::int32_t routine_index(rules::RoutineId id);
  /// Code for a value that may be random: `draw` for each random set, `plain` for everything else.
  void with_chance(rules::ExprId id, const std::function<void(rules::ExprId)>& draw, const std::function<void(rules::ExprId)>& plain);
  bool has_random(rules::ExprId id) const;
  void draw_into(InstrOp op, std::int32_t into, rules::ExprId id);
  bool decides(const rules::Block& stmts) const;

  /// What a routine is lowered from: a rule (perhaps as part of a `together`), or the body of a `when`.
  struct RoutineJob {
    rules::RoutineId rule = kNoId;
    rules::WhenId when = kNoId;
    bool together = false;
  };
  std::vector<RoutineJob> jobs;  ///< by index of the IR's routines
  std::map<std::pair<rules::RoutineId, bool>, std::int32_t> routine_ids;
  std::int32_t current = 0;      ///< routine
  std::int32_t turns_around = -1;
  bool in_together = false;
  bool in_setup = false;
  std::vector<rules::PhaseId> phases_around;
  std::vector<OpenLoop*> loops;
  std::vector<std::int32_t> chooses;  ///< IR indices, outer to inner, of this routine
  std::vector<bool> claim_used;
  std::int32_t state_end = 0;
  Span span_now;

  // ---- effects (lower_effect.cpp, lower_operand.cpp) ----
  struct Effect {
    Touch writes;
    std::vector<rules::ExprId> operands;  ///< settled in this order before anything else
    std::int32_t each = -1;               ///< the operands stand in this clause
    bool chance = false;                  ///< the effect itself may wait for chance, or a pile may be refilled
  };
  void effect(const Effect& effect, const std::function<void()>& settle_more, const std::function<void()>& happen);
  void run(const rules::Move& node);
  void run(const rules::Fill& node);
  void run(const rules::Swap& node);
  void run(const rules::Turn& node);
  void run(const rules::Shuffle& node);
  void run(const rules::Roll& node);
  void run(const rules::Show& node);
  void run(const rules::Assign& node);
  void run(const rules::Pay& node);
  std::pair<std::int32_t, Node> cards(rules::ExprId id);  ///< kind (0 component 1 set 2 list 3 zone) and node
  std::int32_t target(const rules::VarTarget& target, Span span);
  Node read_target(const rules::VarTarget& target, Span span);
  std::vector<rules::TypeId> types_of(rules::ExprId id) const;
  void for_each_pile(rules::ExprId pile, const std::function<void(std::int32_t)>& f);
  std::optional<std::set<rules::ZoneId>> zones_of(rules::ExprId id) const;  ///< where its components lie; nullopt: anywhere
  Touch sources(rules::ExprId id) const;
  Touch writes(const rules::Stmt& stmt);
  Touch writes(const rules::Block& stmts);
  Touch writes_of(const rules::Move& node) const;
  Touch writes_of(const rules::Fill& node) const;
  Touch writes_of(const rules::Swap& node) const;
  Touch writes_of(const rules::Shuffle& node) const;
  void add_indexed(Touch& touch, const std::vector<rules::TypeId>& types) const;
  void add_refill(Touch& touch, rules::ZoneId zone) const;
  std::map<rules::RoutineId, Touch> writes_known;
  bool exposes(const Touch& writes) const;
  // operands that are drawn from piles
  bool draws(rules::ExprId id) const;
  bool draws_here(const rules::Expr& e) const;
  bool refills(rules::ExprId id) const;
  void settle(rules::ExprId id);
  void settle_each(rules::ExprId id, std::int32_t clause);

  // ---- phases and loops (lower_loop.cpp) ----
  struct PhaseCode {
    Pc begin = -1;        ///< phase_begin
    Pc pass = -1;         ///< of a `repeat`: behind its first test
    Pc next = -1;         ///< of a `for`: its for_next
    Pc done = -1;         ///< all passes are over
    std::int32_t made_for = -1;    ///< index of its `for`
    std::int32_t made_turns = -1;  ///< index of its `turns`
    std::int32_t counter = -1;     ///< offset of the counter of passes
    Node limit = ir::kNoNode;
    rules::ExprId random_from = kNoId;
    std::int32_t seat_local = -1;  ///< frame local of the seat, if chance names the first
    std::int32_t kept_to = 0;      ///< offset behind what the loop itself keeps
  };
  std::vector<PhaseCode> phase_code;
  void run_phase(rules::PhaseId id);
  void run_loop(const rules::Loop& loop);
  /// What a loop goes round: `pass` is its body, `ends` what happens at the end of each pass, also after `end turn`.
  struct Passes {
    std::function<void()> pass, ends;
    bool clears = false;                                  ///< what a pass leaves in the frame is cleared when it ends
    const std::vector<rules::VarId>* bindings = nullptr;  ///< of a phase: the variables that hold the names of its `for`
    std::uint64_t running = 0;                            ///< phases that may run within a pass
  };
  /// `done` is where the loop goes when no pass is left.
  void loop(const rules::LoopHeader& header, Label& done, const Passes& passes, PhaseCode& code);
  void for_loop(const rules::ForLoop& header, Label& done, const Passes& passes, PhaseCode& code);
  void repeat_loop(const rules::RepeatLoop& header, Label& done, const Passes& passes, PhaseCode& code);
  void turns_loop(const rules::TurnsLoop& header, Label& done, const Passes& passes, PhaseCode& code);
  void count_pass(const rules::Limit& limit, Label& done, PhaseCode& code);
  void run_passes(const Passes& passes);
  void run_passes_again(const Passes& passes, Span span, Pc next);
  void read_flow();
  std::uint64_t within(const rules::Block& stmts) const;  ///< phases that may run within it
  void flow_in(const rules::Block& stmts, std::set<rules::RoutineId>& routines, std::uint64_t& phases) const;
  std::set<rules::RoutineId> setup_routines;  ///< rules that may run during the setup
  std::set<rules::RoutineId> when_routines;  ///< rules that triggers may call
  std::uint64_t when_phases = 0;

  // ---- decisions (lower_choice.cpp) ----
  void run_choose(const rules::Choose& node, Span span);
  std::int32_t option(const rules::Option& from, std::int32_t base);

  // ---- triggers (lower_when.cpp) ----
  void declare_whens();
  std::int32_t wake(const Touch& writes, bool in_state);
  void place_waiting();  ///< at the end of a routine: addresses for what may wait in it
  void reads(rules::ExprId id, Touch& out, std::set<rules::LetId>& seen) const;
  void reads_clause(rules::ClauseId id, Touch& out, std::set<rules::LetId>& seen) const;
  void reads_phrase(rules::PhraseId id, Touch& out, std::set<rules::LetId>& seen) const;
  void lets_in(rules::ExprId id, std::set<rules::LetId>& out) const;
  void lets_in_clause(rules::ClauseId id, std::set<rules::LetId>& out) const;
  bool listens_here(rules::WhenId id) const;
  std::vector<Touch> when_reads;
  std::vector<std::int32_t> when_order;
  std::vector<std::set<rules::RoutineId>> phase_routines;  ///< by phase: rules that may run within it
  std::size_t first_wake = 0;  ///< of the current routine
  void for_each_kid(rules::ExprId id, const std::function<void(rules::ExprId)>& f) const;
  void for_each_kid(rules::ClauseId id, int, const std::function<void(rules::ExprId)>& f) const;

  // ---- scenarios (lower_entry.cpp) ----
  std::vector<rules::PhaseId> phases_down_to(rules::PhaseId id) const;
  void enter_phase(rules::PhaseId id, const std::vector<std::pair<rules::VarId, std::int64_t>>& picks);
  Pc entry_phase(rules::PhaseId id, const std::vector<std::pair<rules::VarId, std::int64_t>>& picks);
  Pc entry_routine(rules::RoutineId id, const std::vector<rules::ExprId>& args,
                   const std::vector<std::pair<rules::VarId, std::int64_t>>& picks);
};

/// Calls f for each statement of a block and of the blocks in it; not of phases and rules that it runs.
template <class F>
void for_each_statement(const rules::Block& stmts, const F& f) {
  for (const rules::Stmt& stmt : stmts) {
    f(stmt);
    if (const auto* branches = std::get_if<rules::If>(&stmt.node)) {
      for_each_statement(branches->then_block, f);
      for_each_statement(branches->else_block, f);
    } else if (const auto* loop = std::get_if<rules::Loop>(&stmt.node)) {
      for_each_statement(loop->body, f);
    } else if (const auto* arms = std::get_if<rules::MatchStmt>(&stmt.node)) {
      for (const auto& arm : arms->arms) for_each_statement(arm.body, f);
    } else if (const auto* choose = std::get_if<rules::Choose>(&stmt.node)) {
      for (const rules::Option& option : choose->options) for_each_statement(option.body, f);
    } else if (const auto* together = std::get_if<rules::Together>(&stmt.node)) {
      for_each_statement(together->body, f);
    }
  }
}

}  // namespace rip
