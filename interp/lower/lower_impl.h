// The inside of Lowering. lower.cpp: layout and declarations; lower_expr.cpp, lower_set.cpp: values; lower_clause.cpp;
// lower_stmt.cpp: effects; lower_flow.cpp: phases, loops, decisions; lower_when.cpp: triggers.
#pragma once

#include "interp/check/constant.h"
#include "interp/check/lower.h"

#include <map>
#include <optional>
#include <set>

namespace rip {

/// Thrown for what the runtime cannot do yet; becomes Lowering's error.
struct NotSupported {
  Span span;
  std::string message;
};

struct Lowering::Impl {
  Impl(const rules::Rules& checked, const Box& contents, const rules::Config& chosen, LowerOptions wanted)
      : r(checked), box(contents), config(chosen), options(std::move(wanted)), constants(checked, chosen) {}

  const rules::Rules& r;
  const Box& box;
  const rules::Config& config;
  LowerOptions options;
  Constants constants;
  ir::Program p;
  std::string error;
  Span error_span;

  // ---- where a local lives ----
  struct Place {
    enum class Kind { none, constant, scratch, scratch_set, scratch_list, cell, frame_set, frame_list } kind = Kind::none;
    std::int64_t value = 0;
    std::int32_t slot = 0;
    ir::Cell cell;
    ir::Domain domain;
    std::int32_t max = 0;
  };
  std::vector<Place> places;

  // ---- layout (lower.cpp) ----
  std::int32_t allocate(std::int32_t bytes, std::int32_t align);
  ir::Cell allocate_cell(std::int64_t low, std::int64_t high);
  ir::Domain domain_of(const rules::Type& type, Span where) const;
  ir::Domain joined_domain(const rules::Type& a, const rules::Type& b, Span where) const;
  std::int32_t pool_domain(ir::Domain domain);
  std::int32_t texts_of(const rules::Type& type);  ///< index into value_texts; -1 number, -2 component, -3 seat
  std::pair<std::int32_t, std::int32_t> index_range(const rules::Type& type) const;  ///< low and count
  void seats_and_texts();
  void components();
  std::string phrase_text(std::uint32_t component) const;
  void zones();
  void vars();
  void start_of(rules::VarId id);
  void late_declarations();  ///< what needs expressions: eyes, limits, starts, refills
  void routines();
  void claims();
  std::map<std::pair<int, std::uint32_t>, std::int32_t> texts;

  // ---- nodes ----
  Span span;  ///< of what is being lowered
  ir::Node add(ir::NodeOp op, std::int32_t a = 0, std::int32_t b = 0, std::int32_t c = 0, ir::Width width = ir::Width::i32);
  ir::Node number(std::int64_t value) { return add(ir::NodeOp::constant, static_cast<std::int32_t>(value)); }
  bool is_number(ir::Node node, std::int64_t* value = nullptr) const;
  std::int32_t pool(const std::vector<std::int32_t>& items);
  std::int32_t node_list(const std::vector<ir::Node>& nodes);

  // ---- values (lower_expr.cpp, lower_set.cpp) ----
  const rules::Expr& at(rules::ExprId id) const { return r.exprs[id]; }
  ir::Node value(rules::ExprId id);   ///< in the shape of its type
  ir::Node scalar(rules::ExprId id);
  ir::Node need(rules::ExprId id);    ///< none is a fault
  ir::Node set(rules::ExprId id);     ///< scalars, zones and lists too
  ir::Node list(rules::ExprId id);    ///< sets and zones too, in their order
  ir::Node zone(rules::ExprId id);
  bool is_zone(rules::ExprId id) const { return at(id).op == rules::Op::zone; }
  bool is_zone_like(rules::ExprId id) const { return is_zone(id) || at(id).op == rules::Op::place_card; }
  ir::Node call(const rules::Expr& x);
  ir::Node local(const rules::Expr& x);
  ir::Node param(const rules::Expr& x);
  ir::Node var(const rules::Expr& x);
  ir::Node compare(const rules::Expr& x);
  ir::Node membership(const rules::Expr& x);
  ir::Node logic(const rules::Expr& x);
  ir::Node match(const rules::Expr& x, rules::Shape shape);
  ir::Node if_else(const rules::Expr& x, rules::Shape shape);
  ir::Node counted(rules::ExprId kid);
  ir::Node first_name(rules::ClauseId id);
  ir::Node position(const std::vector<rules::ExprId>& values, const std::vector<rules::Type>& index);
  std::int32_t phrase(const rules::Phrase& phrase);
  std::int32_t attribute_table(rules::TypeId type, rules::AttrId attribute) const { return attribute_tables[type][attribute]; }
  std::vector<std::vector<std::int32_t>> attribute_tables;
  std::vector<std::int32_t> param_tables;
  std::map<std::uint32_t, std::int32_t> lets;   ///< with parameters: index into p.lets
  std::map<std::uint32_t, ir::Node> let_values; ///< without parameters

  // ---- clauses (lower_clause.cpp) ----
  std::int32_t clause(rules::ClauseId id, bool ordered);
  void conjuncts(rules::ExprId id, std::vector<rules::ExprId>& out) const;
  void locals_of(rules::ExprId id, std::set<rules::LocalId>& out) const;
  void source(rules::ExprId id, ir::Binder& binder, bool ordered, std::vector<std::pair<rules::LocalId, std::vector<rules::ExprId>>>& inner);
  Place new_scratch(const rules::Type& type, bool pick, bool in_order, Span where);

  // ---- statements ----
  struct Context {
    std::int32_t routine = 0;
    std::int32_t turns = -1;
    struct Loop {
      std::vector<ir::Pc> stops;
      std::size_t chooses = 0;
    };
    std::vector<Loop> loops;
    std::vector<ir::Cell> chooses;  ///< saved `me` of the decisions around
    bool together = false;
    std::uint64_t phases = 0;       ///< bits of the phases around
  };
  Context now;
  ir::Pc emit(ir::InstrOp op, std::int32_t a = 0, std::int32_t b = 0, std::int32_t c = 0, std::int32_t d = 0);
  ir::Pc here() const { return static_cast<ir::Pc>(p.code.size()); }
  void block(const rules::Block& block);
  void statement(const rules::Stmt& stmt);
  void cover(rules::CoverId id);
  void cover_lets(rules::ExprId id, std::set<rules::LetId>& seen);
  void cover_lets_of(rules::ClauseId id, std::set<rules::LetId>& seen);

  // effects (lower_stmt.cpp)
  struct Effect {
    std::set<rules::TypeId> types;
    std::set<rules::VarId> vars;
    bool tops = false;  ///< may change the top of a pile
  };
  /// Emits what an effect needs around it: watch, the effect, fire, expose, the triggers.
  template <class F>
  void effect(const Effect& what, F&& f);
  void settle_for(rules::ExprId what);
  ir::Node side(rules::ExprId face) { return face == rules::kNoId ? ir::kNoNode : scalar(face); }
  std::pair<std::int32_t, ir::Node> cards(rules::ExprId what);  ///< kind (0 component 1 set 2 list 3 zone) and node
  std::int32_t target(const rules::VarTarget& target);
  void move(const rules::Move& move);
  void fill(const rules::Fill& fill);
  void swap(const rules::Swap& swap);
  void roll(const rules::Roll& roll);
  void show(const rules::Show& show);
  void assign(const rules::Assign& assign);
  void assign_value(std::int32_t target, rules::ExprId value, const Effect& effect, bool is_set);
  void let(const rules::LetLocal& let);
  ir::FrameLocal frame_local(const rules::Type& type, Span where, std::int32_t max_list = 0);
  Place place_of(const ir::FrameLocal& local) const;
  bool may_hold_bags(const rules::Zone& zone) const;
  std::set<rules::TypeId> mixed_types;   ///< types of which some pile can hold a bag
  std::set<rules::TypeId> facing_types;  ///< types of which cards may lie face up in piles

  // flow (lower_flow.cpp)
  void run_phase(rules::PhaseId id);
  void loop(const rules::Loop& loop);
  template <class F>
  void loop_code(const rules::LoopHeader& header, const std::vector<rules::VarId>* bindings, rules::PhaseId phase, F&& body);
  void if_statement(const rules::If& stmt);
  void match_statement(const rules::MatchStmt& stmt);
  void choose(const rules::Choose& choose);
  void stop();
  void moment(rules::PhaseId phase, bool begins);
  /// Where a scenario may come into a phase.
  struct PhaseEntry {
    ir::Pc enter = 0;  ///< behind the test of its loop: begins the first pass
    ir::Pc first = 0;  ///< phase_begin
    std::int32_t for_index = -1, turns_index = -1;
    std::vector<ir::Cell> counters;
  };
  std::vector<PhaseEntry> entries;
  void enter_phase(rules::PhaseId id, const std::vector<std::pair<rules::VarId, std::int64_t>>& picks);
  std::vector<rules::PhaseId> phases_around(rules::PhaseId id) const;

  // triggers (lower_when.cpp)
  struct Reads {
    std::set<rules::TypeId> types;
    std::set<rules::VarId> vars;
  };
  std::vector<Reads> when_reads;
  void reads_of(rules::ExprId id, Reads& reads, std::set<rules::LetId>& seen) const;
  void reads_of_clause(rules::ClauseId id, Reads& reads, std::set<rules::LetId>& seen) const;
  void declare_whens();
  std::vector<std::int32_t> woken_by(const Effect& effect) const;
  void collect_effects(const rules::Block& block, Effect& effect, std::set<rules::RoutineId>& seen) const;
  std::int32_t wake(const std::vector<std::int32_t>& whens, bool keeps);
};

}  // namespace rip
