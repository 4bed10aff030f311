// Triggers: what newly holds after an effect, in which order it runs, and when it stops waiting.
#include "interp/reference/evaluator.h"

#include <algorithm>

namespace rip::reference {

using rules::kNoId;

namespace {

constexpr int kMaxNested = 64;

bool contains(const std::vector<std::vector<std::int64_t>>& bindings, const std::vector<std::int64_t>& binding) {
  return std::find(bindings.begin(), bindings.end(), binding) != bindings.end();
}

}  // namespace

// Outside of all phases first, then outer to inner phase, then as declared.
std::vector<rules::WhenId> Evaluator::listening() const {
  std::vector<rules::PhaseId> order{kNoId};
  for (const RunningPhase& running : phases_)
    if (std::find(order.begin(), order.end(), running.phase) == order.end()) order.push_back(running.phase);
  std::vector<rules::WhenId> found;
  for (const rules::PhaseId phase : order)
    for (rules::WhenId when = 0; when < rules_.whens.size(); ++when)
      if (rules_.whens[when].phase == phase) found.push_back(when);
  return found;
}

// The bindings that hold now. Before an effect a condition that would fault does not hold.
std::vector<std::vector<std::int64_t>> Evaluator::truth(const rules::When& when, bool lenient) {
  std::vector<std::vector<std::int64_t>> found;
  outside([&] {
    if (when.clause == kNoId) {
      try {
        if (holds(when.condition)) found.emplace_back();
      } catch (const FaultRaised&) {
        if (!lenient) throw;
      }
      return;
    }
    for (const Binding& binding : lenient ? plain_bindings(rules_.clauses[when.clause], true) : bindings(when.clause, Ties::share)) {
      std::vector<std::int64_t> items;
      for (const Value& v : binding) items.push_back(v.scalar());
      found.push_back(std::move(items));
    }
  });
  return found;
}

Evaluator::Truths Evaluator::truths(bool lenient) {
  Truths all;
  for (const rules::WhenId when : listening()) all[when] = truth(rules_.whens[when], lenient);
  return all;
}

// Of the trigger that comes first, the binding that comes first in the order of its clause as it is now.
std::vector<Evaluator::Waiting>::iterator Evaluator::first_of(std::vector<Waiting>& waiting) {
  const rules::WhenId when = waiting.front().when;
  for (const std::vector<std::int64_t>& binding : truth(rules_.whens[when], true)) {
    const auto found = std::find_if(waiting.begin(), waiting.end(), [&](const Waiting& w) { return w.when == when && w.binding == binding; });
    if (found != waiting.end()) return found;
  }
  return waiting.begin();
}

void Evaluator::wake(const Truths& before, Span cause) {
  const Truths after = truths(false);
  for (std::vector<Waiting>* level : waiting_)
    std::erase_if(*level, [&](const Waiting& w) {
      const auto now = after.find(w.when);
      return now == after.end() || !contains(now->second, w.binding);
    });
  std::vector<Waiting> newly;
  for (const rules::WhenId when : listening()) {
    const auto was = before.find(when);
    for (const std::vector<std::int64_t>& binding : after.at(when)) {
      if (was != before.end() && contains(was->second, binding)) continue;
      const bool waits = std::any_of(waiting_.begin(), waiting_.end(), [&](const std::vector<Waiting>* level) {
        return std::any_of(level->begin(), level->end(), [&](const Waiting& w) { return w.when == when && w.binding == binding; });
      });
      if (!waits) newly.push_back({when, binding});
    }
  }
  if (newly.empty()) return;
  waiting_.push_back(&newly);
  const Finally restore([&] { waiting_.pop_back(); });
  while (!newly.empty()) {
    const auto next = first_of(newly);
    const Waiting waiting = *next;
    newly.erase(next);
    run_when(waiting, cause);
  }
}

void Evaluator::run_when(const Waiting& waiting, Span cause) {
  const rules::When& when = rules_.whens[waiting.when];
  if (nested_ >= kMaxNested) fault(FaultKind::cyclic_triggers, cause, "triggers wake one another without end");
  step();
  // A trigger may run inside of itself, so it gets variables of its own.
  std::map<rules::VarId, std::map<std::vector<std::int64_t>, Value>> locals;
  for (rules::VarId var = 0; var < rules_.vars.size(); ++var)
    if (rules_.vars[var].local) locals[var] = world_.vars[var];
  const std::set<rules::VarId> live = live_locals_;
  ++nested_;
  contexts_.push_back({waiting.when, turns_.size()});
  const Finally restore([&] {
    contexts_.pop_back();
    --nested_;
    live_locals_ = live;
    for (auto& [var, values] : locals) world_.vars[var] = values;
  });
  outside([&] {
    for (std::size_t i = 0; i < waiting.binding.size(); ++i)
      names_[rules_.clauses[when.clause].binders[i].local] = {rules::Shape::scalar, {waiting.binding[i]}};
    run(when.body);
  });
}

}  // namespace rip::reference
