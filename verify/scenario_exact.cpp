// Exact chances in a scenario: every outcome of every chance point since the position was arranged, weighted.
#include "verify/scenario_run.h"

#include <fmt/format.h>

#include <utility>

namespace rip::verify {

using Kind = StepScript::Kind;

namespace {

constexpr std::size_t kMostWays = 200'000;

mpq_class fraction(std::int64_t of, std::int64_t whole) {
  mpq_class out(static_cast<long>(of), static_cast<unsigned long>(whole));
  out.canonicalize();
  return out;
}
/// `5 of 36`, as scripts write it; whole numbers alone.
std::string text_of(const mpq_class& x) { return x.get_den() == 1 ? x.get_num().get_str() : x.get_num().get_str() + " of " + x.get_den().get_str(); }

bool is_exact(const StepScript& step) { return step.kind == Kind::expect && (step.chance || step.on_average); }

}  // namespace

void ScenarioRun::back_to(const Moment& then) {
  state_ = then.state;
  status_ = then.status;
  arranged_ = then.arranged;
  rolls_ = then.rolls;
  queues_ = then.queues;
}

bool ScenarioRun::weigh(const StepScript& step, std::size_t number) {
  if (weighing_.weights.empty() || number < weighing_.first || number >= weighing_.first + weighing_.weights.size()) {
    weighing_ = {{}, number, 0};
    for (std::size_t i = number; i < script_.steps.size() && is_exact(script_.steps[i]); ++i) weighing_.weights.push_back({&script_.steps[i], {}, {}, {}});
    const Moment now = moment();
    back_to(position_->second);
    // these games are not played, only counted
    machine_.observer = nullptr;
    const bool notes = std::exchange(notes_, false), tells = std::exchange(tells_, false);
    const bool counted = spread(position_->first, mpq_class(1));
    machine_.observer = this;
    notes_ = notes;
    tells_ = tells;
    back_to(now);
    if (!counted) {
      weighing_ = {};
      return false;
    }
  }
  const Weight& weight = weighing_.weights[number - weighing_.first];
  const std::string_view text = sources_.text((*playable_.rules)[step.reading.expr].span);
  if (step.on_average) {
    if (weight.left == weight.right) return true;
    return fail(step.span, fmt::format("expected `{}` on average, but the left side is {} on average, the right side {}", text, text_of(weight.left), text_of(weight.right)));
  }
  const mpq_class wanted = fraction(step.chance->first, step.chance->second);
  if (weight.holds == wanted) return true;
  return fail(step.span, fmt::format("expected `{}` with chance {}, but it is {}, counted over {} ways", text, text_of(wanted), text_of(weight.holds), weighing_.ways));
}

/// Goes on from step number `step` to those that are weighed; at each chance point every outcome in turn.
bool ScenarioRun::spread(std::size_t step, const mpq_class& chance) {
  const Span span = script_.steps[weighing_.first].span;
  while (true) {
    const Kind kind = script_.steps[step].kind;
    if (step < weighing_.first && (kind == Kind::next_roll || kind == Kind::next_cards)) {
      if (!advance(step)) return false;
      continue;
    }
    // every other step lets the game go on first
    if (arranged_ || status_ == Status::running || status_ == Status::checkpoint) {
      arranged_ = false;
      status_ = machine_.run(state_);
    } else if (status_ == Status::chance) {
      const auto queue = chance_what(state_) == ChanceKind::settle ? queues_.find(chance_where(state_)) : queues_.end();
      const bool queued = queue != queues_.end() && !queue->second.items.empty();
      if (queued && !queue->second.items.front().phrase) return fail(queue->second.span, "`any` cannot be weighed: name the cards or none");
      const bool rolled = chance_what(state_) == ChanceKind::roll && !rolls_.empty();
      if (!queued && !rolled) return branch(step, chance);
      if (!settle(span)) return false;
      status_ = Status::running;
    } else if (status_ == Status::fault) {
      const Fault fault = machine_.fault(state_);
      return fail(span, fmt::format("in one of the ways a rule goes wrong: {}: {}", sources_.where(fault.span), fault.message));
    } else if (step < weighing_.first) {
      if (!advance(step)) return false;
    } else {
      return add_way(chance);
    }
  }
}

bool ScenarioRun::branch(std::size_t step, const mpq_class& chance) {
  std::vector<Outcome> outcomes;
  machine_.outcomes(state_, outcomes);
  std::int64_t all = 0;
  for (const Outcome& outcome : outcomes) all += static_cast<std::int64_t>(outcome.weight);
  const Moment here = moment();
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (i > 0) back_to(here);
    machine_.choose_outcome(state_, static_cast<std::uint32_t>(i));
    status_ = Status::running;
    if (!spread(step, chance * fraction(outcomes[i].weight, all))) return false;
  }
  return true;
}

/// Carries out one step while ways are counted; only what moves the game on matters.
bool ScenarioRun::advance(std::size_t& number) {
  const StepScript& step = script_.steps[number++];
  if (step.kind == Kind::next_roll) {
    rolls_.insert(rolls_.end(), step.faces.begin(), step.faces.end());
  } else if (step.kind == Kind::next_cards) {
    return queue_cards(step);
  } else if (step.kind == Kind::does) {
    if (!asked(step)) return fail(step.span, fmt::format("{} is not asked in every way that chance can go", playable_.seat(step.seat)));
    std::vector<Move> moves;
    machine_.legal_moves(state_, step.seat, moves);
    const std::vector<std::uint32_t> fit = fitting(step.move, playable_, machine_, state_, step.seat, moves);
    if (fit.empty()) return fail(step.span, fmt::format("{} cannot `{}` in every way that chance can go", playable_.seat(step.seat), sources_.text(step.move.span)));
    if (fit.size() > 1) return fail(step.span, "a decision before an exact chance must be one option");
    machine_.decide(state_, step.seat, moves[fit[0]]);
    status_ = machine_.status(state_);
  }
  return true;
}

/// The game stands where the weighed steps are.
bool ScenarioRun::add_way(const mpq_class& chance) {
  if (++weighing_.ways > kMostWays) {
    return fail(script_.steps[weighing_.first].span, fmt::format("there are more than {} ways; fix some chance with `next`", kMostWays));
  }
  for (Weight& weight : weighing_.weights) {
    bool fault = false;
    if (weight.step->on_average) {
      const std::vector<Reading>& sides = weight.step->reading.parts;
      weight.left += chance * fraction(machine_.scalar(state_, sides[0].node), 1);
      weight.right += chance * fraction(machine_.scalar(state_, sides[1].node), 1);
    } else if (machine_.holds(state_, weight.step->reading.node, &fault)) {
      weight.holds += chance;
    }
    if (fault) return fail(weight.step->span, "in one of the ways this cannot be read: a value that it needs is not there");
  }
  return true;
}

}  // namespace rip::verify
