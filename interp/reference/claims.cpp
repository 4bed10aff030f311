// Claims and bounds at their moments, and the result when the game is over.
#include "interp/reference/evaluator.h"

#include <algorithm>

namespace rip::reference {

using rules::kNoId;

void Evaluator::violate(Violation::What what, std::uint32_t index, Span span, std::string message) {
  const bool known = std::any_of(result_.violations.begin(), result_.violations.end(), [&](const Violation& v) {
    return v.what == what && v.index == index && v.span == span;
  });
  if (!known) result_.violations.push_back({what, index, span, result_.decisions.size(), std::move(message)});
}

void Evaluator::test_claim(std::uint32_t id) {
  const rules::Claim& claim = rules_.claims[id];
  bool holds_now = true;
  if (claim.condition != kNoId) {
    try {
      const auto ask = [&] { holds_now = holds(claim.condition); };
      if (claim.statement) ask();
      else outside(ask);
    } catch (const FaultRaised& raised) {
      if (claim.kind != ast::ClaimKind::sometimes) violate(Violation::What::claim, id, claim.span, name(raised.fault.kind));
      return;
    }
  }
  if (claim.kind == ast::ClaimKind::sometimes) {
    if (holds_now) result_.shown.insert(id);
  } else if (holds_now == (claim.kind == ast::ClaimKind::never)) {
    violate(Violation::What::claim, id, claim.span, "");
  }
}

void Evaluator::test_bound(std::uint32_t id) {
  const rules::Bound& bound = rules_.bounds[id];
  const auto test = [&] {
    const std::int64_t v = needed(bound.value);
    auto& [least, greatest] = result_.bounds[id];
    const bool first = least > greatest;
    least = first ? v : std::min(least, v);
    greatest = first ? v : std::max(greatest, v);
    if (v < needed(bound.low) || v > needed(bound.high)) violate(Violation::What::bound, id, bound.span, "");
  };
  outside([&] {
    try {
      if (bound.clause == kNoId) return test();
      const rules::Clause& clause = rules_.clauses[bound.clause];
      for (const Binding& binding : plain_bindings(clause, false)) with(clause, binding, test);
    } catch (const FaultRaised& raised) {
      violate(Violation::What::bound, id, bound.span, name(raised.fault.kind));
    }
  });
}

// Whenever a seat is about to be asked. Claims start after setup.
void Evaluator::test_waiting() {
  test_claims_at([](const rules::Claim& claim) { return claim.moment == ast::MomentKind::waiting; });
  for (std::uint32_t id = 0; setup_done_ && id < rules_.bounds.size(); ++id)
    if (!rules_.bounds[id].reads_result) test_bound(id);
}

void Evaluator::test_claims_at(const std::function<bool(const rules::Claim&)>& now) {
  if (!setup_done_) return;
  for (std::uint32_t id = 0; id < rules_.claims.size(); ++id) {
    const rules::Claim& claim = rules_.claims[id];
    if (!claim.statement && !claim.reads_result && now(claim)) test_claim(id);
  }
}

// The game has ended: scores, then winners, then what is claimed about the end.
void Evaluator::finish() {
  over_ = true;
  me_.reset();
  names_.clear();
  if (rules_.score != kNoId) {
    for (int seat = 0; seat < box_.players; ++seat) {
      names_[rules_.score_seat] = {rules::Shape::scalar, {seat}};
      result_.scores.push_back(needed(rules_.score));
    }
    names_.clear();
  }
  scored_ = true;
  if (won_) {
    result_.winners = *won_;
  } else if (rules_.winner != kNoId) {
    for (const Binding& binding : best_bindings(rules_.winner)) result_.winners.insert(static_cast<int>(binding[0].scalar()));
  }
  for (const rules::Report& report : rules_.reports) result_.reports.push_back(scalar(report.value));
  see();
  for (std::uint32_t id = 0; id < rules_.claims.size(); ++id) {
    const rules::Claim& claim = rules_.claims[id];
    if (claim.statement) continue;
    if (claim.reads_result || claim.moment == ast::MomentKind::waiting || claim.moment == ast::MomentKind::end) test_claim(id);
  }
  for (std::uint32_t id = 0; id < rules_.bounds.size(); ++id) test_bound(id);
}

}  // namespace rip::reference
