// Statements, phases, rules: the order of play.
#include "interp/reference/evaluator.h"

#include <algorithm>
#include <type_traits>

namespace rip::reference {

using rules::kNoId;

void Evaluator::step() {
  if (++steps_ > limits_.steps) throw LimitReached{};
}

void Evaluator::with_me(std::optional<int> seat, const std::function<void()>& f) {
  const std::optional<int> before = me_;
  const Finally restore([&] { me_ = before; });
  me_ = seat;
  f();
}

void Evaluator::outside(const std::function<void()>& f) {
  std::map<rules::LocalId, Value> names;
  std::swap(names, names_);
  const Finally restore([&] { std::swap(names, names_); });
  with_me(std::nullopt, f);
}

void Evaluator::with_index(const std::vector<rules::LocalId>& locals, const std::vector<std::int64_t>& index,
                           const std::function<void()>& f) {
  outside([&] {
    for (std::size_t i = 0; i < locals.size() && i < index.size(); ++i) names_[locals[i]] = {rules::Shape::scalar, {index[i]}};
    f();
  });
}

bool Evaluator::is_running(rules::PhaseId phase) const {
  return std::any_of(phases_.begin(), phases_.end(), [&](const RunningPhase& p) { return p.phase == phase; });
}

// Variables of the block live until its end.
void Evaluator::run(const rules::Block& block) {
  const std::set<rules::VarId> live = live_locals_;
  const Finally restore([&] { live_locals_ = live; });
  for (const rules::Stmt& stmt : block) run(stmt);
}

void Evaluator::run(const rules::Stmt& stmt) {
  step();
  statement_ = stmt.span;
  std::visit(
      [&](const auto& node) {
        using T = std::decay_t<decltype(node)>;
        if constexpr (std::is_same_v<T, rules::LetLocal>) {
          run_let(node);
        } else if constexpr (std::is_same_v<T, rules::StartVar>) {
          start_var(node.var);
          live_locals_.insert(node.var);
        } else if constexpr (std::is_same_v<T, rules::If>) {
          run(holds(node.condition) ? node.then_block : node.else_block);
        } else if constexpr (std::is_same_v<T, rules::Loop>) {
          run_loop(node.header, stmt.span, [&](const Binding* binding) {
            if (binding == nullptr) return run(node.body);
            with(rules_.clauses[std::get<rules::ForLoop>(node.header).clause], *binding, [&] { run(node.body); });
          });
        } else if constexpr (std::is_same_v<T, rules::MatchStmt>) {
          run_match(node);
        } else if constexpr (std::is_same_v<T, rules::Choose>) {
          if (node.each) run_choice_each(node, stmt.span);
          else run_choice(node, stmt.span);
        } else if constexpr (std::is_same_v<T, rules::DoRoutine>) {
          run_routine(node);
        } else if constexpr (std::is_same_v<T, rules::Together>) {
          effect([&] {
            ++together_;
            const Finally restore([&] { --together_; });
            run(node.body);
          });
        } else if constexpr (std::is_same_v<T, rules::Stop>) {
          throw StopLoop{};
        } else if constexpr (std::is_same_v<T, rules::Win>) {
          std::set<int> seats;
          for (const std::int64_t seat : members(node.who)) seats.insert(static_cast<int>(seat));
          won_ = seats;
          throw GameEnded{};
        } else if constexpr (std::is_same_v<T, rules::EndTurn>) {
          end_turn(stmt.span);
        } else if constexpr (std::is_same_v<T, rules::EndGame>) {
          throw GameEnded{};
        } else if constexpr (std::is_same_v<T, rules::EndPhase>) {
          if (!is_running(node.phase)) fault(FaultKind::phase_not_running, stmt.span, "the phase to end does not run");
          throw PhaseEnded{node.phase};
        } else if constexpr (std::is_same_v<T, rules::ClaimHere>) {
          if (setup_done_) test_claim(node.claim);
        } else if constexpr (std::is_same_v<T, rules::RunPhase>) {
          run_phase(node.phase);
        } else {
          run_effect(node, stmt.span);
        }
      },
      stmt.node);
}

void Evaluator::run_match(const rules::MatchStmt& match) {
  const std::int64_t subject = scalar(match.subject);
  for (const rules::MatchStmt::Arm& arm : match.arms) {
    if (!arm_fits(arm.patterns, subject)) continue;
    run(arm.body);
    return;
  }
}

// A `let` may settle what it names; it is no effect, so no trigger looks at it.
void Evaluator::run_let(const rules::LetLocal& let) {
  settle(let.value);
  if (!departures_.empty()) after_change();
  names_[let.local] = random_value(let.value);
}

void Evaluator::run_phase(rules::PhaseId id) {
  const rules::Phase& phase = rules_.phases[id];
  phases_.push_back({id, turns_.size()});
  const Finally leave([&] { phases_.pop_back(); });
  for (const rules::VarId var : phase.variables)
    for (auto& [index, value] : world_.vars[var]) value = first_of_type(rules_.vars[var].type);
  try {
    if (!phase.loop) {
      run_pass(id);
    } else {
      run_loop(*phase.loop, phase.span, [&](const Binding* binding) {
        for (std::size_t i = 0; binding != nullptr && i < phase.bindings.size(); ++i)
          if (phase.bindings[i] != kNoId) world_.vars[phase.bindings[i]][{}] = (*binding)[i];
        run_pass(id);
      });
    }
  } catch (const PhaseEnded& ended) {
    if (ended.phase != id) throw;
  }
  if (id == rules_.setup) setup_done_ = true;
}

// One pass. Its end is a moment also if something unwinds through it, unless the game ends.
void Evaluator::run_pass(rules::PhaseId id) {
  const auto moment = [&](ast::MomentKind kind) {
    test_claims_at([&](const rules::Claim& claim) { return claim.moment == kind && claim.phase == id; });
  };
  for (const rules::VarId var : rules_.phases[id].variables) start_var(var);
  moment(ast::MomentKind::phase_begins);
  try {
    run(rules_.phases[id].body);
  } catch (const StopLoop&) {
    moment(ast::MomentKind::phase_ends);
    throw;
  } catch (const TurnEnded&) {
    moment(ast::MomentKind::phase_ends);
    throw;
  } catch (const PhaseEnded&) {
    moment(ast::MomentKind::phase_ends);
    throw;
  }
  moment(ast::MomentKind::phase_ends);
}

void Evaluator::run_routine(const rules::DoRoutine& call) {
  const rules::Routine& routine = rules_.routines[call.routine];
  for (const rules::ExprId arg : call.args) settle(arg);
  if (!departures_.empty()) after_change();
  std::map<rules::LocalId, Value> inside;
  for (std::size_t i = 0; i < routine.params.size(); ++i) {
    const rules::Type& type = rules_.locals[routine.params[i]].type;
    const Value& given = inside[routine.params[i]] = value(call.args[i]);
    const bool number = type.shape == rules::Shape::scalar && (type.base == rules::Base::integer || type.base == rules::Base::enumeration);
    if (number && given.scalar() != rules::kNone && (given.scalar() < type.low || given.scalar() > type.high))
      fault(FaultKind::out_of_range, rules_[call.args[i]].span, "this is " + std::to_string(given.scalar()) + ", outside of its range");
  }
  std::swap(names_, inside);
  contexts_.push_back({kNoId, turns_.size()});
  const Finally restore([&] {
    contexts_.pop_back();
    std::swap(names_, inside);
  });
  run(routine.body);
}

// The innermost `turns`; in a `when` that stands in a phase, and outside of loops of its own, the turn of that phase.
void Evaluator::end_turn(Span span) {
  const Context context = contexts_.empty() ? Context{kNoId, 0} : contexts_.back();
  const bool own = turns_.size() > context.turns_before;
  if (!own && context.when != kNoId && rules_.whens[context.when].phase != kNoId) {
    const rules::PhaseId phase = rules_.whens[context.when].phase;
    const auto found = std::find_if(phases_.rbegin(), phases_.rend(), [&](const RunningPhase& p) { return p.phase == phase; });
    if (found != phases_.rend()) {
      const std::optional<rules::LoopHeader>& loop = rules_.phases[phase].loop;
      const bool has_turns = loop && std::holds_alternative<rules::TurnsLoop>(*loop);
      if (has_turns && found->turns_before < turns_.size()) throw TurnEnded{turns_[found->turns_before]};
      if (!has_turns && found->turns_before > 0) throw TurnEnded{turns_[found->turns_before - 1]};
    }
    fault(FaultKind::no_turn, span, "no turn is running here");
  }
  if (turns_.empty()) fault(FaultKind::no_turn, span, "no turn is running here");
  throw TurnEnded{turns_.back()};
}

Value Evaluator::first_of_type(const rules::Type& type) const {
  if (type.shape != rules::Shape::scalar) return {type.shape, {}};
  if (type.optional) return {rules::Shape::scalar, {rules::kNone}};
  if (type.base == rules::Base::component && type.id != kNoId) return {rules::Shape::scalar, {box_.of_type[type.id].first}};
  return {rules::Shape::scalar, {type_low(type)}};
}

void Evaluator::start_var(rules::VarId id) {
  const rules::Var& var = rules_.vars[id];
  // A variable of a block starts with the names around it; the others are read as declared.
  const std::map<rules::LocalId, Value> names = names_;
  const std::optional<int> me = me_;
  if (var.start != kNoId && var.local) {
    settle(var.start);
    if (!departures_.empty()) after_change();
  }
  for (const std::vector<std::int64_t>& index : index_values(rules_, box_, var.index)) {
    Value v = first_of_type(var.type);
    if (var.start != kNoId) {
      with_index(var.index_locals, index, [&] {
        names_.insert(names.begin(), names.end());
        if (var.local || var.phase != kNoId) me_ = me;
        v = random_value(var.start);
        if (var.type.shape == rules::Shape::set) {
          const std::set<std::int64_t> items = v.shape == rules::Shape::scalar && v.scalar() == rules::kNone
                                                   ? std::set<std::int64_t>{}
                                                   : std::set<std::int64_t>(v.items.begin(), v.items.end());
          v = {rules::Shape::set, {items.begin(), items.end()}};
        }
      });
      if (!in_type(var.type, v))
        fault(v.shape == rules::Shape::scalar && v.scalar() == rules::kNone ? FaultKind::none_used : FaultKind::out_of_range,
              rules_[var.start].span, "`" + var.name + "` starts outside of its range");
    }
    world_.vars[id][index] = std::move(v);
    world_.var_known[id][index] = var_eyes(id, index);
  }
}

}  // namespace rip::reference
