// Walks over checked rules: every expression inside of an expression, clause or statement. Lints are built on it.
#pragma once

#include "interp/check/rules.h"

#include <functional>

namespace rip::check {

/// Of a statement: what it takes and settles (an operand), what it asks before (all else).
enum class Role { operand, question };

class Walk {
 public:
  explicit Walk(const rules::Rules& rules) : rules_(rules) {}

  /// Calls f for the expression and all inside of it, outside first; f false: not what is inside. Bodies of `let`s are not
  /// entered.
  void expression(rules::ExprId id, const std::function<bool(rules::ExprId)>& f) const;
  void clause(rules::ClauseId id, const std::function<bool(rules::ExprId)>& f) const;
  /// The outermost expressions of one statement, without those of the blocks in it; clauses by their parts.
  void parts(const rules::Stmt& stmt, const std::function<void(rules::ExprId, Role)>& f) const;
  /// The statement's blocks, moves included.
  void blocks(const rules::Stmt& stmt, const std::function<void(const rules::Block&)>& f) const;
  /// Every statement of the block, at any depth; phases that stand in it are not entered.
  void statements(const rules::Block& block, const std::function<void(const rules::Stmt&)>& f) const;
  /// Every block that belongs to the rules: phases, routines, triggers.
  void bodies(const std::function<void(const rules::Block&)>& f) const;

 private:
  void clause_parts(rules::ClauseId id, const std::function<void(rules::ExprId)>& f) const;

  const rules::Rules& rules_;
};

/// Appends the parts of a condition that `and` joins; of none, nothing.
void conjuncts(const rules::Rules& rules, rules::ExprId id, std::vector<rules::ExprId>& out);

}  // namespace rip::check
