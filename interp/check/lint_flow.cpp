// Where control can go: recursion, endings with nothing to end, what `choose each` and `together` may not reach, statements
// behind an ending, moves that nobody can ever take.
#include "interp/check/checker.h"
#include "interp/check/walk.h"

#include <fmt/format.h>

#include <type_traits>

namespace rip::check {

using rules::Base;
using rules::Block;
using rules::ExprId;
using rules::Op;
using rules::RoutineId;
using rules::Stmt;
using rules::Type;

namespace {

/// What a routine does itself or by the rules it calls.
struct Facts {
  Span choice{}, ending{}, chance{};
  bool chooses = false, ends = false, rolls = false;
};

}  // namespace

void Checker::lint_calls() {
  const std::size_t count = rules_.routines.size();
  // Recursion: a routine that reaches itself, told at the call that closes the circle.
  std::vector<int> state(count, 0);
  const std::function<void(RoutineId)> visit = [&](RoutineId id) {
    state[id] = 1;
    for (const CallSeen& call : calls_) {
      if (call.context.routine != id) continue;
      if (state[call.routine] == 1)
        report(Code::R0605, call.span, fmt::format("`{}` calls itself", rules_.routines[call.routine].name)).related.push_back({rules_.routines[call.routine].span, "declared here"});
      else if (state[call.routine] == 0) visit(call.routine);
    }
    state[id] = 2;
  };
  for (RoutineId id = 0; id < count; ++id)
    if (state[id] == 0) visit(id);
  if (diagnostics_->has_errors()) return;

  // Where a routine can be running: in a turn, in which phases.
  std::vector<bool> in_turns(count, false);
  std::vector<std::set<rules::PhaseId>> phases(count);
  const auto add_phases = [&](std::set<rules::PhaseId>& into, const Context& context) {
    if (context.in_when)
      for (rules::PhaseId p = 0; p < rules_.phases.size(); ++p) into.insert(p);
    for (rules::PhaseId p = context.phase; p != kNoId; p = rules_.phases[p].parent) into.insert(p);
    if (context.routine != kNoId) into.insert(phases[context.routine].begin(), phases[context.routine].end());
  };
  for (std::size_t round = 0; round <= count; ++round) {
    for (const CallSeen& call : calls_) {
      const bool turn = call.context.in_turns || call.context.in_when || (call.context.routine != kNoId && in_turns[call.context.routine]);
      if (turn) in_turns[call.routine] = true;
      std::set<rules::PhaseId> found = phases[call.routine];
      add_phases(found, call.context);
      phases[call.routine] = std::move(found);
    }
  }
  for (const EndSeen& end : end_turns_) {
    if (end.context.in_turns || end.context.in_when) continue;
    if (end.context.routine != kNoId && in_turns[end.context.routine]) continue;
    report(Code::R0604, end.span, "`end turn`, but no turn runs here");
  }
  for (const EndPhaseSeen& end : end_phases_) {
    std::set<rules::PhaseId> running;
    add_phases(running, end.context);
    if (!running.contains(end.phase)) report(Code::R0604, end.span, fmt::format("the phase `{}` does not run here", rules_.phases[end.phase].name));
  }

  // What a call inside of `choose each` or `together` may not reach.
  std::vector<Facts> facts(count);
  const Walk walk(rules_);
  for (std::size_t round = 0; round <= count; ++round) {
    for (RoutineId id = 0; id < count; ++id) {
      const std::function<void(const Block&)> look = [&](const Block& block) {
        walk.statements(block, [&](const Stmt& stmt) {
          Facts& own = facts[id];
          std::visit(
              [&](const auto& n) {
                using T = std::decay_t<decltype(n)>;
                if constexpr (std::is_same_v<T, rules::Choose>) own.chooses = true, own.choice = stmt.span;
                else if constexpr (std::is_same_v<T, rules::Win> || std::is_same_v<T, rules::EndTurn> || std::is_same_v<T, rules::EndGame> ||
                                   std::is_same_v<T, rules::EndPhase>)
                  own.ends = true, own.ending = stmt.span;
                else if constexpr (std::is_same_v<T, rules::Roll>) own.rolls = true, own.chance = stmt.span;
                else if constexpr (std::is_same_v<T, rules::Assign>) {
                  if (has_chance(n.value)) own.rolls = true, own.chance = stmt.span;
                } else if constexpr (std::is_same_v<T, rules::RunPhase>) look(rules_.phases[n.phase].body);
                else if constexpr (std::is_same_v<T, rules::DoRoutine>) {
                  const Facts& called = facts[n.routine];
                  if (called.chooses && !own.chooses) own.chooses = true, own.choice = called.choice;
                  if (called.ends && !own.ends) own.ends = true, own.ending = called.ending;
                  if (called.rolls && !own.rolls) own.rolls = true, own.chance = called.chance;
                }
              },
              stmt.node);
        });
      };
      look(rules_.routines[id].body);
    }
  }
  for (const CallSeen& call : calls_) {
    const Facts& called = facts[call.routine];
    const std::string& name = rules_.routines[call.routine].name;
    const auto tell = [&](Code code, const char* verb, const char* where, Span related) {
      report(code, call.span, fmt::format("`{}` {} inside of {}", name, verb, where)).related.push_back({related, "here"});
    };
    if (call.context.in_each) {
      if (called.chooses) tell(Code::R0607, "asks for a decision", "a `choose each`", called.choice);
      if (called.rolls) tell(Code::R0607, "is left to chance", "a `choose each`", called.chance);
      if (called.ends) tell(Code::R0607, "ends something", "a `choose each`", called.ending);
    }
    if (call.context.in_together) {
      if (called.chooses) tell(Code::R0608, "asks for a decision", "`together`", called.choice);
      if (called.ends) tell(Code::R0608, "ends something", "`together`", called.ending);
    }
  }
}

// ---- behind an ending -----------------------------------------------------------------------------------------

// True if control never goes on behind the block.
bool Checker::leaves(const Block& block) {
  bool gone = false;
  for (const Stmt& stmt : block) {
    if (gone) {
      report(Code::R1003, stmt.span, "nothing gets here: what stands before always leaves");
      return true;
    }
    std::visit(
        [&](const auto& n) {
          using T = std::decay_t<decltype(n)>;
          if constexpr (std::is_same_v<T, rules::Stop> || std::is_same_v<T, rules::Win> || std::is_same_v<T, rules::EndTurn> ||
                        std::is_same_v<T, rules::EndGame> || std::is_same_v<T, rules::EndPhase>) {
            gone = true;
          } else if constexpr (std::is_same_v<T, rules::If>) {
            const bool yes = leaves(n.then_block), no = leaves(n.else_block);
            gone = yes && no && n.has_else;
          } else if constexpr (std::is_same_v<T, rules::Loop>) {
            leaves(n.body);
          } else if constexpr (std::is_same_v<T, rules::Together>) {
            gone = leaves(n.body);
          } else if constexpr (std::is_same_v<T, rules::MatchStmt>) {
            bool all = !n.arms.empty();
            for (const rules::MatchStmt::Arm& arm : n.arms) all = leaves(arm.body) && all;
            gone = all;
          } else if constexpr (std::is_same_v<T, rules::Choose>) {
            bool all = !n.options.empty();
            for (const rules::Option& option : n.options) all = leaves(option.body) && all;
            gone = all && !n.each;
          }
        },
        stmt.node);
  }
  return gone;
}

void Checker::lint_unreachable() {
  Walk(rules_).bodies([&](const Block& body) { leaves(body); });
}

// ---- moves nobody can take ------------------------------------------------------------------------------------

// What a condition is in every game, if the intervals say so.
std::optional<bool> Checker::truth(ExprId id) const {
  const rules::Expr& e = rules_.exprs[id];
  const auto kid = [&](std::size_t i) { return truth(e.kids[i]); };
  switch (e.op) {
    case Op::constant:
      if (e.type.base == Base::flag) return e.value != 0;
      return std::nullopt;
    case Op::logical_not: {
      const std::optional<bool> of = kid(0);
      return of ? std::optional<bool>(!*of) : std::nullopt;
    }
    case Op::logical_and:
    case Op::logical_or: {
      const bool decides = e.op == Op::logical_or;
      const std::optional<bool> a = kid(0), b = kid(1);
      if ((a && *a == decides) || (b && *b == decides)) return decides;
      if (a && b) return !decides;
      return std::nullopt;
    }
    case Op::if_else: {
      const std::optional<bool> test = kid(0);
      return test ? kid(*test ? 1 : 2) : std::nullopt;
    }
    case Op::call: return rules_.lets[e.ref].value == kNoId ? std::nullopt : truth(rules_.lets[e.ref].value);
    case Op::eq: case Op::ne: case Op::lt: case Op::le: case Op::gt: case Op::ge: {
      const Type &a = type(e.kids[0]), &b = type(e.kids[1]);
      if (!has_interval(a) || !has_interval(b) || a.base == Base::seat) return std::nullopt;
      const bool optional = a.optional || b.optional;
      if (e.op == Op::eq || e.op == Op::ne) {
        if (disjoint(a, b) && !(a.optional && b.optional)) return e.op == Op::ne;
        if (!optional && a.low == a.high && b.low == b.high && a.low == b.low) return e.op == Op::eq;
        return std::nullopt;
      }
      if (optional) return std::nullopt;
      const bool less = e.op == Op::lt || e.op == Op::le, strict = e.op == Op::lt || e.op == Op::gt;
      const Type &small = less ? a : b, &large = less ? b : a;
      if (strict ? small.high < large.low : small.high <= large.low) return true;
      if (strict ? small.low >= large.high : small.low > large.high) return false;
      return std::nullopt;
    }
    case Op::in_set:
      if (!type(e.kids[0]).optional && type(e.kids[0]).base != Base::seat && disjoint(type(e.kids[0]), scalar_of(type(e.kids[1])))) return false;
      return std::nullopt;
    case Op::is_empty: {
      const Interval size = size_of(e.kids[0]);
      if (size.high == 0) return true;
      if (size.low > 0) return false;
      return std::nullopt;
    }
    case Op::is_none:
      if (!type(e.kids[0]).optional) return false;
      return std::nullopt;
    default: return std::nullopt;
  }
}

void Checker::lint_moves() {
  const Walk walk(rules_);
  walk.bodies([&](const Block& body) {
    walk.statements(body, [&](const Stmt& stmt) {
      const auto* choose = std::get_if<rules::Choose>(&stmt.node);
      if (choose == nullptr) return;
      for (const rules::Option& option : choose->options) {
        const rules::Clause& clause = rules_.clauses[option.clause];
        bool never = clause.where != kNoId && truth(clause.where) == false;
        for (const rules::Binder& binder : clause.binders) never = never || (!binder.pick && size_of(binder.source).high == 0);
        if (never) report(Code::R1005, option.span, fmt::format("nobody can ever take `{}`: its condition never holds", option.name));
      }
    });
  });
}

// ---- bodies of `choose each` ----------------------------------------------------------------------------------

// The bodies run one after the other; what one writes another should not read. Writing and reading what belongs to the own
// seat is no matter; nor is moving into a zone. What rules do that a body calls is not looked into.
void Checker::lint_each() {
  const Walk walk(rules_);
  const auto examine = [&](const rules::Choose& choose) {
    if (rules_.clauses[choose.clause].binders.empty()) return;
    const rules::LocalId seat = rules_.clauses[choose.clause].binders[0].local;
    using Own = std::set<rules::LocalId>;  // names for the seat whose body it is
    const auto is_own = [&](ExprId id, const Own& own) { return rules_.exprs[id].op == Op::local && own.contains(rules_.exprs[id].ref); };
    const auto any_own = [&](const std::vector<ExprId>& index, const Own& own) {
      return std::any_of(index.begin(), index.end(), [&](ExprId id) { return is_own(id, own); });
    };
    std::map<rules::VarId, Span> common, apart;  // written: by any index, by the own seat
    for (const rules::Option& option : choose.options)
      walk.statements(option.body, [&](const Stmt& stmt) {
        const auto note = [&](const rules::VarTarget& target) {
          if (!rules_.vars[target.var].local) (any_own(target.index, {seat}) ? apart : common).emplace(target.var, stmt.span);
        };
        if (const auto* assign = std::get_if<rules::Assign>(&stmt.node)) note(assign->target);
        if (const auto* pay = std::get_if<rules::Pay>(&stmt.node)) {
          note(pay->from);
          note(pay->to);
        }
      });
    const std::function<void(ExprId, const Own&, Span)> look = [&](ExprId part, const Own& own, Span where) {
      walk.expression(part, [&](ExprId id) {
        const rules::Expr& e = rules_.exprs[id];
        const Span at = where == Span{} ? e.span : where;
        if (e.op == Op::call && rules_.lets[e.ref].value != kNoId) {
          Own inner;
          for (std::size_t i = 0; i < e.kids.size(); ++i)
            if (is_own(e.kids[i], own)) inner.insert(rules_.lets[e.ref].params[i]);
          look(rules_.lets[e.ref].value, inner, at);
        }
        if (e.op != Op::var && e.op != Op::var_family) return true;
        auto found = common.find(e.ref);
        if (found == common.end()) {
          found = apart.find(e.ref);
          if (found == apart.end() || any_own(e.kids, own)) return true;
        }
        report(Code::R1007, at, fmt::format("`{}` is read by one body of this `choose each` and written by another, so their order matters", rules_.vars[e.ref].name))
            .related.push_back({found->second, "written here"});
        return true;
      });
    };
    for (const rules::Option& option : choose.options)
      walk.statements(option.body, [&](const Stmt& stmt) { walk.parts(stmt, [&](ExprId part, Role) { look(part, {seat}, {}); }); });
  };
  walk.bodies([&](const Block& body) {
    walk.statements(body, [&](const Stmt& stmt) {
      const auto* choose = std::get_if<rules::Choose>(&stmt.node);
      if (choose != nullptr && choose->each) examine(*choose);
    });
  });
}

}  // namespace rip::check
