// Values that are fixed before play: they depend on parameters, the number of players and bound names only. Flow:
// interp/check/box evaluates deck lines, `require`, and defaults with it; lowering evaluates limits.
#pragma once

#include "interp/check/rules.h"

#include <map>
#include <string>
#include <vector>

namespace rip {

/// A rule that goes wrong while it is worked out before play: a value that is missing, out of range, too large.
struct ConstantFault {
  Span span;
  std::string message;
};

/// A scalar has one item; a set is ascending and without repetitions; a list of lists is flat.
struct ConstantValue {
  std::vector<std::int64_t> items;
  bool many = false;
};

/// Works out expressions of one configuration. Parameters that are not yet in `config` may not be read.
class Constants {
 public:
  using Names = std::map<rules::LocalId, ConstantValue>;

  Constants(const rules::Rules& rules, const rules::Config& config) : rules_(rules), config_(config) {}

  /// Throws ConstantFault, or std::logic_error for an expression that reads the game.
  ConstantValue value(rules::ExprId expr, const Names& names) const;
  std::int64_t scalar(rules::ExprId expr, const Names& names) const;
  /// All bindings of a clause in its order; each holds `names` and the names of the clause.
  std::vector<Names> bindings(rules::ClauseId clause, const Names& names) const;
  /// The values an index of this type runs through (not for components).
  std::vector<std::int64_t> members(const rules::Type& type, Span span) const;

 private:
  ConstantValue aggregate(const rules::Expr& expr, const Names& names) const;
  ConstantValue collect(const rules::Expr& expr, const Names& names) const;
  ConstantValue choose_arm(const rules::Expr& expr, const Names& names) const;
  void bind(const rules::Clause& clause, std::size_t level, Names& names, std::vector<Names>& found) const;
  std::vector<ConstantValue> key_values(const rules::Clause& clause, const Names& names) const;
  int compare(const rules::Clause& clause, const std::vector<ConstantValue>& a, const std::vector<ConstantValue>& b) const;
  bool reversed(const rules::Clause& clause, const Names& names) const;
  const ConstantValue& parameter(const rules::Expr& expr, ConstantValue& room) const;

  const rules::Rules& rules_;
  const rules::Config& config_;
  mutable std::uint64_t steps_ = 0;  ///< expressions worked out so far: forty `let`s that call the next one twice never end
};

}  // namespace rip
