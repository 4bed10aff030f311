#include "interp/check/walk.h"

#include <type_traits>

namespace rip::check {

using rules::Block;
using rules::ClauseId;
using rules::ExprId;
using rules::kNoId;
using rules::Stmt;

void Walk::clause_parts(ClauseId id, const std::function<void(ExprId)>& f) const {
  if (id == kNoId) return;
  const rules::Clause& clause = rules_.clauses[id];
  const auto each = [&](ExprId part) {
    if (part != kNoId) f(part);
  };
  for (const rules::Binder& binder : clause.binders) {
    each(binder.source);
    each(binder.pick_low);
    each(binder.pick_high);
  }
  each(clause.where);
  for (const rules::Key& key : clause.keys) each(key.value);
  each(clause.backwards_if);
}

void Walk::clause(ClauseId id, const std::function<bool(ExprId)>& f) const {
  clause_parts(id, [&](ExprId part) { expression(part, f); });
}

void Walk::expression(ExprId id, const std::function<bool(ExprId)>& f) const {
  if (id == kNoId || !f(id)) return;
  const rules::Expr& e = rules_.exprs[id];
  for (const ExprId kid : e.kids) expression(kid, f);
  for (const rules::MatchArm& arm : e.arms)
    for (const auto& [low, high] : arm.patterns) {
      expression(low, f);
      if (high != low) expression(high, f);
    }
  clause(e.clause, f);
  const auto phrase = [&](rules::PhraseId pattern) {
    if (pattern == kNoId) return;
    for (const auto& [attribute, value] : rules_.phrases[pattern].attributes) expression(value, f);
    expression(rules_.phrases[pattern].owner, f);
  };
  phrase(e.phrase);
  for (const rules::PhraseId pattern : e.patterns) phrase(pattern);
}

void Walk::parts(const Stmt& stmt, const std::function<void(ExprId, Role)>& f) const {
  const auto operand = [&](ExprId id) {
    if (id != kNoId) f(id, Role::operand);
  };
  const auto question = [&](ExprId id) {
    if (id != kNoId) f(id, Role::question);
  };
  const auto asked = [&](ClauseId id) { clause_parts(id, question); };
  std::visit(
      [&](const auto& n) {
        using T = std::decay_t<decltype(n)>;
        if constexpr (std::is_same_v<T, rules::Move>) {
          asked(n.each);
          operand(n.what);
          operand(n.to);
          operand(n.face);
        } else if constexpr (std::is_same_v<T, rules::Fill>) {
          operand(n.what);
          operand(n.to_count);
          operand(n.from);
          operand(n.face);
        } else if constexpr (std::is_same_v<T, rules::Swap>) {
          operand(n.first);
          operand(n.second);
        } else if constexpr (std::is_same_v<T, rules::Turn>) {
          operand(n.what);
          operand(n.face);
        } else if constexpr (std::is_same_v<T, rules::Shuffle> || std::is_same_v<T, rules::Roll>) {
          operand(n.what);
        } else if constexpr (std::is_same_v<T, rules::Show>) {
          operand(n.what);
          operand(n.to);
        } else if constexpr (std::is_same_v<T, rules::Assign>) {
          for (const ExprId index : n.target.index) operand(index);
          operand(n.value);
        } else if constexpr (std::is_same_v<T, rules::Pay>) {
          operand(n.amount);
          for (const ExprId index : n.from.index) operand(index);
          for (const ExprId index : n.to.index) operand(index);
        } else if constexpr (std::is_same_v<T, rules::LetLocal>) {
          operand(n.value);
        } else if constexpr (std::is_same_v<T, rules::StartVar>) {
          operand(rules_.vars[n.var].start);
        } else if constexpr (std::is_same_v<T, rules::If>) {
          question(n.condition);
        } else if constexpr (std::is_same_v<T, rules::Loop>) {
          std::visit(
              [&](const auto& loop) {
                using L = std::decay_t<decltype(loop)>;
                if constexpr (std::is_same_v<L, rules::ForLoop>) {
                  asked(loop.clause);
                } else {
                  question(loop.until);
                  question(loop.limit.value);
                  if constexpr (std::is_same_v<L, rules::TurnsLoop>) {
                    question(loop.from);
                    question(loop.then);
                    question(loop.where);
                  }
                }
              },
              n.header);
        } else if constexpr (std::is_same_v<T, rules::MatchStmt>) {
          question(n.subject);
          for (const rules::MatchStmt::Arm& arm : n.arms)
            for (const auto& [low, high] : arm.patterns.patterns) {
              question(low);
              question(high);
            }
        } else if constexpr (std::is_same_v<T, rules::Choose>) {
          question(n.seat);
          asked(n.clause);
          for (const rules::Option& option : n.options) asked(option.clause);
        } else if constexpr (std::is_same_v<T, rules::DoRoutine>) {
          for (const ExprId arg : n.args) operand(arg);
        } else if constexpr (std::is_same_v<T, rules::Win>) {
          question(n.who);
        } else if constexpr (std::is_same_v<T, rules::ClaimHere>) {
          question(rules_.claims[n.claim].condition);
        }
      },
      stmt.node);
}

void Walk::blocks(const Stmt& stmt, const std::function<void(const Block&)>& f) const {
  std::visit(
      [&](const auto& n) {
        using T = std::decay_t<decltype(n)>;
        if constexpr (std::is_same_v<T, rules::If>) {
          f(n.then_block);
          f(n.else_block);
        } else if constexpr (std::is_same_v<T, rules::Loop> || std::is_same_v<T, rules::Together>) {
          f(n.body);
        } else if constexpr (std::is_same_v<T, rules::MatchStmt>) {
          for (const rules::MatchStmt::Arm& arm : n.arms) f(arm.body);
        } else if constexpr (std::is_same_v<T, rules::Choose>) {
          for (const rules::Option& option : n.options) f(option.body);
        }
      },
      stmt.node);
}

void Walk::statements(const Block& block, const std::function<void(const Stmt&)>& f) const {
  for (const Stmt& stmt : block) {
    f(stmt);
    blocks(stmt, [&](const Block& inner) { statements(inner, f); });
  }
}

void Walk::bodies(const std::function<void(const Block&)>& f) const {
  for (const rules::Phase& phase : rules_.phases) f(phase.body);
  for (const rules::Routine& routine : rules_.routines) f(routine.body);
  for (const rules::When& when : rules_.whens) f(when.body);
}

void conjuncts(const rules::Rules& rules, rules::ExprId id, std::vector<rules::ExprId>& out) {
  if (id == rules::kNoId) return;
  if (rules[id].op != rules::Op::logical_and) return out.push_back(id);
  for (const rules::ExprId kid : rules[id].kids) conjuncts(rules, kid, out);
}

}  // namespace rip::check
