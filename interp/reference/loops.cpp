// The three loops, which stand as statements and in the headers of phases.
#include "interp/reference/evaluator.h"

namespace rip::reference {

using rules::kNoId;

void Evaluator::run_loop(const rules::LoopHeader& header, Span span, const Pass& pass) {
  if (const auto* loop = std::get_if<rules::ForLoop>(&header)) run_for(*loop, pass);
  else if (const auto* repeat = std::get_if<rules::RepeatLoop>(&header)) run_repeat(*repeat, span, pass);
  else run_turns(std::get<rules::TurnsLoop>(header), span, pass);
}

void Evaluator::run_for(const rules::ForLoop& loop, const Pass& pass) {
  try {
    for (const Binding& binding : bindings(loop.clause, Ties::fault)) {
      step();
      pass(&binding);
    }
  } catch (const StopLoop&) {
  }
}

// `cut off` ends a loop quietly; a pass more than `at most` is reported and happens all the same.
bool Evaluator::within_limit(const rules::Limit& limit, std::int64_t passes, Span span) {
  if (limit.kind == ast::Limit::Kind::none || passes < needed(limit.value)) return true;
  if (limit.kind == ast::Limit::Kind::cut_off) return false;
  violate(Violation::What::at_most, 0, span, "");
  return true;
}

void Evaluator::run_repeat(const rules::RepeatLoop& loop, Span span, const Pass& pass) {
  try {
    for (std::int64_t passes = 0;; ++passes) {
      if (loop.until != kNoId && holds(loop.until)) return;
      if (!within_limit(loop.limit, passes, span)) return;
      step();
      pass(nullptr);
    }
  } catch (const StopLoop&) {
  }
}

void Evaluator::run_turns(const rules::TurnsLoop& loop, Span span, const Pass& pass) {
  const std::optional<int> around = me_;
  turns_.push_back(++turns_made_);
  const Finally restore([&] {
    me_ = around;
    turns_.pop_back();
  });
  const int number = turns_.back();
  const std::int64_t first = random_value(loop.from).scalar();
  if (first == rules::kNone) fault(FaultKind::none_used, rules_[loop.from].span, "nobody begins");
  int candidate = static_cast<int>(first);
  const auto seat_after = [&] {
    me_ = candidate;
    return loop.then == kNoId ? (candidate + 1) % box_.players : static_cast<int>(needed(loop.then));
  };
  std::optional<int> last;  // whose turn it was
  int refused = 0;
  for (std::int64_t passes = 0;;) {
    step();
    me_ = last;
    if (loop.until != kNoId && holds(loop.until)) return;
    me_ = candidate;
    if (loop.where != kNoId && !holds(loop.where)) {
      if (++refused >= box_.players) return;
      candidate = seat_after();
      continue;
    }
    refused = 0;
    if (!within_limit(loop.limit, passes, span)) return;
    ++passes;
    try {
      pass(nullptr);
    } catch (const TurnEnded& ended) {
      if (ended.turns != number) throw;
    } catch (const StopLoop&) {
      return;
    }
    last = candidate;
    candidate = seat_after();
  }
}

}  // namespace rip::reference
