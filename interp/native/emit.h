// The inside of the emitter: one Program becomes the text of one C++ source. Split by topic: emit.cpp (the whole, facts and tables),
// emit_values.cpp, emit_sets.cpp (sets, lists, zones), emit_clauses.cpp (bindings, keys), emit_flow.cpp, emit_effects.cpp,
// emit_choose.cpp. An expression becomes an expression, a name of a clause a local variable `x<slot>`.
#pragma once

#include "interp/native/native.h"
#include "interp/run/interpreter.h"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace rip::native {

/// The emitter does not know this: the interpreter does it.
struct Unsupported {};

/// What a number may be, as far as it is known.
struct Range {
  std::int64_t low = std::numeric_limits<std::int32_t>::min(), high = std::numeric_limits<std::int32_t>::max();
  bool none = true;
  bool known() const { return low > std::numeric_limits<std::int32_t>::min(); }
};

/// A zone expression: the number of the first instance, and how many follow each other.
struct ZoneText {
  std::string first;
  std::int32_t count = 1;
  std::int32_t family = 0;  ///< the first instance of its family: the type `F<family>`
  bool constant = false;    ///< `first` is a number
};

class Emitter {
 public:
  Emitter(const ir::Program& program, EmitOptions options);
  std::string source();
  std::vector<std::string> left;  ///< instructions that are left to the interpreter

 private:
  const ir::Program& p;
  Observer* no_observer_ = nullptr;
  std::vector<std::uint8_t> no_pins_;
  Interpreter in;                       ///< for what it has found out about the program
  bool knowledge_;
  bool lenient_ = false;                ///< what would be a fault does not hold
  bool can_fail_ = false;               ///< what has been emitted since it was last cleared may be a fault
  int labels_ = 0;
  std::vector<std::pair<std::int32_t, Range>> bound_;  ///< slots that are local variables here
  /// Loops around what is being emitted. What does not depend on the name of the innermost is read once, when first needed.
  struct Loop {
    std::int32_t slot;
    std::string kept;  ///< declarations that stand before the loop
  };
  std::vector<Loop> loops_;
  int depth_ = 0;                       ///< of loops in one another
  bool in_function_ = false;            ///< which may be called in any loop
  std::map<std::pair<std::int32_t, int>, Range> cells_;
  std::map<std::int32_t, std::set<std::int32_t>> free_;
  std::map<std::string, std::string> made_;  ///< functions by what they are for
  std::string functions_;
  std::set<ir::Pc> entries_;            ///< where the game may go on from outside

  template <class... T>
  static std::string f(fmt::format_string<T...> text, T&&... values) {
    return fmt::format(text, std::forward<T>(values)...);
  }
  std::string label() { return f("d{}", labels_++); }
  const ir::ExprNode& node(ir::Node n) const { return p.nodes[static_cast<std::size_t>(n)]; }
  const ir::Zone& zone(std::int32_t z) const { return p.zones[static_cast<std::size_t>(z)]; }
  const ir::Clause& clause(std::int32_t c) const { return p.clauses[static_cast<std::size_t>(c)]; }
  const std::int32_t* pool(std::int32_t at) const { return &p.pool[static_cast<std::size_t>(at)]; }
  std::string fail() {
    can_fail_ = true;
    return "bad(c)";
  }

  // ---- the whole (emit.cpp) ----
  std::string facts();
  std::string families();
  bool covered(std::int32_t first) const;
  bool one_back(std::int32_t first, std::int32_t end) const;
  std::string table(const std::string& name, const std::vector<std::int64_t>& values) const;
  void find_cells();
  void find_bags();
  bool may_hold_bag(std::int32_t family) const { return bags_.count(family) != 0; }
  std::set<std::int32_t> bags_;         ///< families in which an order may be open
  std::string run();
  std::string results();

  // ---- values (emit_values.cpp) ----
  std::string ex(ir::Node n);           ///< an expression of type i64
  std::string truth(ir::Node n) { return "(" + ex(n) + ") != 0"; }
  std::string scalar(ir::Node n);
  std::string ask(ir::Node n);
  bool worth_keeping(ir::Node n);
  std::optional<std::string> spec(ir::Node n);
  std::optional<std::string> spec_value(ir::Node n);
  std::optional<std::string> spec_filters(const ir::Binder& binder);
  std::string component(ir::Node n);    ///< never none
  std::string position(ir::Node n);
  std::string arm_fits(const ir::MatchArm& arm, const std::string& subject);
  std::string fits(const std::string& component, std::int32_t phrase);
  std::string call(ir::Node n, const std::string& type, const std::string& name, const std::function<std::string(ir::Node)>& body);
  std::string score(const std::string& seat);
  std::string load(std::int32_t offset, ir::Width width, const std::string& behind = "");
  std::string store(const ir::Cell& cell, const std::string& value, const std::string& behind = "") const;
  Range range_of(ir::Node n) const;
  Range cell_range(std::int32_t offset, ir::Width width) const;
  const std::set<std::int32_t>& free_slots(ir::Node n);
  std::string spill(ir::Node n);        ///< gives the interpreter the names that the expression reads
  bool is_bound(std::int32_t slot) const;
  static const char* type(ir::Width width) { return width == ir::Width::i8 ? "i8" : width == ir::Width::i16 ? "i16" : "i32"; }
  static std::string number(std::int64_t value) { return value == ir::kNone ? "kNone" : f("i64({})", value); }

  // ---- sets, lists, zones (emit_sets.cpp) ----
  std::string set(ir::Node n, ir::Domain domain);
  std::string set_value(ir::Node n, ir::Domain domain);
  std::string add_words(const std::string& words, std::int32_t low, std::int32_t count, ir::Domain domain);
  std::string seats(ir::Node n);        ///< a mask
  std::string append(ir::Node n, const std::string& list);
  std::string append_value(ir::Node n, const std::string& list);
  ZoneText zone_text(ir::Node n);
  static std::string family(const ZoneText& z) { return f("F{}", z.family); }
  std::int32_t family_of(std::int32_t z) const;
  ir::Domain domain_at(std::int32_t at) const { return {pool(at)[0], pool(at)[1]}; }

  // ---- clauses (emit_clauses.cpp) ----
  using Body = std::function<std::string()>;
  /// What is done for each value of the last name, given a number 0 or 1 that says whether it holds: instead of a jump.
  using Flat = std::function<std::optional<std::string>(const std::string& holds)>;
  std::string each(const ir::Clause& clause, const Body& body, const Flat& flat = nullptr);
  std::string each_from(const ir::Clause& clause, std::size_t level, const Body& body, const Flat& flat);
  std::string each_value(const ir::Binder& binder, const Body& body, const Flat& flat = nullptr);
  std::string passes(const ir::Binder& binder);     ///< `if (...) continue;`
  /// All filters as one number 0 or 1, without a jump; empty: that is not worth it.
  std::string holds_all(const ir::Binder& binder);
  std::string key(const ir::Clause& clause, const ir::Key& key);
  std::string backwards(const ir::Clause& clause);
  std::string clockwise(const ir::Clause& clause);
  std::string each_clockwise(const ir::Clause& clause, const std::string& begin, const Body& body);
  std::string first(ir::Node n);
  std::string best(const ir::Clause& clause, ir::Domain domain);
  /// Statements that fill `rows` (i64, bindings side by side) and `n`; ties are faults.
  std::string collect(const ir::Clause& clause, const std::string& rows, std::int32_t most);
  struct Bind {
    Bind(Emitter& emitter, std::int32_t slot, Range range) : emitter_(emitter) { emitter_.bound_.emplace_back(slot, range); }
    ~Bind() { emitter_.bound_.pop_back(); }
    Bind(const Bind&) = delete;
    Bind& operator=(const Bind&) = delete;
    Emitter& emitter_;
  };

  // ---- flow (emit_flow.cpp) ----
  std::string instruction(ir::Pc pc);
  std::string flow(ir::Pc pc);
  std::string step(ir::Pc pc);
  std::string go(ir::Pc pc) const { return f("goto L{};", pc); }
  std::string jump(ir::Pc from, ir::Pc to) const { return to > from ? go(to) : f("if (RIP_RARE(--jumps_left < 0)) goto fault; goto L{};", to); }
  std::string call_routine(ir::Pc pc);
  std::string leave_routine(ir::Pc pc);
  std::string begin_for(const ir::For& loop);
  std::string store_local(const ir::FrameLocal& local, ir::Node value);
  std::string clear(std::int32_t offset, std::int32_t bytes) const;
  std::string settle(ir::Pc pc);
  std::string draw(ir::Pc pc, const ZoneText& z);
  std::string random(ir::Pc pc);
  std::string settle_fill(ir::Pc pc);
  std::string refilled(ir::Pc pc, std::int32_t pile, const std::string& z);
  bool reads_table(ir::Node n) const;

  // ---- effects (emit_effects.cpp) ----
  std::string effect(ir::Pc pc);
  bool may_be_drawn(ir::Pc pc);
  std::vector<bool> drawn_;
  std::string move(ir::Pc pc);
  bool shows_elsewhere();
  std::optional<bool> shows_elsewhere_;
  bool may_show(std::int32_t family) const;
  std::string expose_touched(ir::Pc pc, std::int32_t source, const std::string& from, std::int32_t target, const std::string& to);
  std::string move_packet(ir::Pc pc);
  std::string fill(ir::Pc pc);
  std::string pay(const ir::Instr& instr);
  std::string assign(const ir::Target& target, const std::string& value, Range range);
  std::string write_known(const ir::Var& var, const std::string& position);
  std::string show(const ir::Instr& instr);
  std::string start_var(std::int32_t var);
  std::string side(ir::Node n) { return n == ir::kNoNode ? "kNone" : ex(n); }
  std::optional<std::int32_t> source_of(ir::Node component) const;   ///< the family a component probably lies in

  // ---- decisions (emit_choose.cpp) ----
  std::string choose(ir::Pc pc);
  static std::string waits(ir::Pc pc, const ir::Choose& choice);
  std::string choose_end(ir::Pc pc);
  std::string run_body(ir::Pc pc, const ir::Choose& choice);
  std::string decide(ir::Pc pc, const ir::Choose& choice);
  std::string offer(std::int32_t option);
  std::string take(ir::Pc pc, const ir::Choose& choice, std::int32_t option);
  std::string values(const ir::Option& option, std::int32_t option_index, std::size_t level);
  std::set<std::pair<std::int32_t, std::size_t>> in_bits_;  ///< options and names of which the values are kept as bits
  std::string which(const ir::Option& option) const;
  bool is_plain(std::int32_t option) const;
  bool is_told() const;                 ///< something may tell a component from an equal one
  bool distinct_ = false;               ///< no two components are equal
};

}  // namespace rip::native
