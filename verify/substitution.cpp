#include "verify/substitution.h"

#include <map>

namespace rip::verify {

namespace {

class Substitution {
 public:
  Substitution(rules::Rules& rules, const rules::Expr& call) : rules_(rules) {
    const rules::Let& let = rules.lets[call.ref];
    for (std::size_t i = 0; i < let.params.size(); ++i) arguments_[let.params[i]] = call.kids[i];
  }

  rules::ExprId expression(rules::ExprId id) {
    if (id == rules::kNoId) return id;
    rules::Expr expr = rules_[id];
    if (expr.op == rules::Op::local) {
      const auto argument = arguments_.find(expr.ref);
      return argument == arguments_.end() ? id : argument->second;
    }
    for (rules::ExprId& kid : expr.kids) kid = expression(kid);
    for (rules::MatchArm& arm : expr.arms) {
      for (auto& [low, high] : arm.patterns) {
        low = expression(low);
        high = expression(high);
      }
    }
    for (rules::PhraseId& pattern : expr.patterns) pattern = phrase(pattern);
    expr.phrase = phrase(expr.phrase);
    expr.clause = clause(expr.clause);
    rules_.exprs.push_back(std::move(expr));
    return static_cast<rules::ExprId>(rules_.exprs.size() - 1);
  }

 private:
  rules::PhraseId phrase(rules::PhraseId id) {
    if (id == rules::kNoId) return id;
    rules::Phrase made = rules_.phrases[id];
    for (auto& [attribute, value] : made.attributes) value = expression(value);
    made.owner = expression(made.owner);
    rules_.phrases.push_back(std::move(made));
    return static_cast<rules::PhraseId>(rules_.phrases.size() - 1);
  }
  rules::ClauseId clause(rules::ClauseId id) {
    if (id == rules::kNoId) return id;
    rules::Clause made = rules_.clauses[id];
    for (rules::Binder& binder : made.binders) {
      binder.source = expression(binder.source);
      binder.pick_low = expression(binder.pick_low);
      binder.pick_high = expression(binder.pick_high);
    }
    made.where = expression(made.where);
    for (rules::Key& key : made.keys) key.value = expression(key.value);
    made.backwards_if = expression(made.backwards_if);
    rules_.clauses.push_back(std::move(made));
    return static_cast<rules::ClauseId>(rules_.clauses.size() - 1);
  }

  rules::Rules& rules_;
  std::map<rules::LocalId, rules::ExprId> arguments_;
};

}  // namespace

rules::ExprId value_with_arguments(rules::Rules& rules, const rules::Expr& call) {
  return Substitution(rules, call).expression(rules.lets[call.ref].value);
}

}  // namespace rip::verify
