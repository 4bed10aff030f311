#include "verify/scenario_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

namespace rip::verify {

namespace {

class Compiler {
 public:
  Compiler(ScenarioScript& out, const rules::Scenario& scenario) : out_(out), playable_(*out.playable), scenario_(scenario) {}

  void compile() {
    for (const rules::Step& step : scenario_.steps) {
      out_.steps.emplace_back();
      out_.steps.back().span = step.span;
      std::visit([&](const auto& node) { add(node, out_.steps.back()); }, step.node);
    }
    if (start_ != nullptr) lower_start();
    playable_.program = &playable_.lowering->program();
    out_.program = playable_.program;
    if (!playable_.lowering->error().empty()) {
      out_.error = playable_.lowering->error();
      out_.error_span = playable_.lowering->error_span();
      return;
    }
    if (start_ != nullptr && start_->alone && start_->phase != rules::kNoId && start_->routine == rules::kNoId) {
      // the scenario ends where the phase does
      out_.alone = *playable_.program;
      for (ir::Instr& instr : out_.alone.code) {
        if (instr.op == ir::InstrOp::phase_end && instr.a == static_cast<std::int32_t>(start_->phase)) instr.op = ir::InstrOp::scenario_end;
      }
      out_.program = &out_.alone;
      playable_.program = &out_.alone;
    }
  }

 private:
  const rules::Expr& at(rules::ExprId id) const { return (*playable_.rules)[id]; }

  CardsWanted cards(rules::ExprId zone, const std::vector<rules::CardItem>& items) {
    CardsWanted out;
    out.zone = compile_zone(playable_, zone);
    for (const rules::CardItem& item : items) {
      CardsWanted::Item entry{item.count, std::nullopt, item.span};
      if (item.phrase != rules::kNoId) entry.phrase = compile_phrase(playable_, item.phrase);
      out.items.push_back(std::move(entry));
    }
    return out;
  }

  GivenScript given(const rules::Given& node, Span span) {
    GivenScript out;
    out.span = span;
    if (const auto* laid = std::get_if<rules::GivenCards>(&node)) {
      out.cards = true;
      out.wanted = cards(laid->zone, laid->cards);
      return out;
    }
    const auto& value = std::get<rules::GivenValue>(node);
    const rules::Var& var = playable_.rules->vars[value.var];
    out.picks_pass = var.kind == rules::Var::Kind::phase_binding;
    out.set = var.type.shape == rules::Shape::set;
    out.var = compile_var(playable_, value.var, value.index);
    out.many = value.index.size() < var.index.size();
    out.value = playable_.lowering->expression(value.value);
    if (out.picks_pass) picks_.emplace_back(value.var, constant(*playable_.rules, playable_.config, value.value));
    return out;
  }

  void add(const rules::StepGiven& node, StepScript& step) {
    step.kind = StepScript::Kind::given;
    step.given = given(node.given, step.span);
  }
  void add(const rules::StepStart& node, StepScript& step) {
    step.kind = StepScript::Kind::start;
    out_.start = out_.steps.size() - 1;
    start_ = &node;
  }
  void add(const rules::StepNextRoll& node, StepScript& step) {
    step.kind = StepScript::Kind::next_roll;
    step.faces = node.faces;
  }
  void add(const rules::StepNextCards& node, StepScript& step) {
    step.kind = StepScript::Kind::next_cards;
    step.next = cards(node.zone, node.cards);
  }
  void add(const rules::StepExpect& node, StepScript& step) {
    step.kind = StepScript::Kind::expect;
    step.reading = compile_reading(playable_, node.condition);
    step.chance = node.chance;
    step.on_average = node.on_average;
    if (node.chance || node.on_average) out_.weighs = true;
  }
  void add(const rules::StepSwapping& node, StepScript& step) {
    step.kind = StepScript::Kind::swapping;
    step.positive = node.same;
    step.to = node.to;
    step.seat = node.seat;
    step.with_given = node.given.has_value();
    const std::size_t picks = picks_.size();
    if (node.given) {
      step.given = given(*node.given, step.span);
      for (const int seat : node.to) out_.watchers |= 1u << seat;
    } else {
      step.move = compile_move(playable_, node.move);
    }
    picks_.resize(picks);
  }
  void add(const rules::StepDoes& node, StepScript& step) {
    step.kind = StepScript::Kind::does;
    step.seat = node.seat;
    step.move = compile_move(playable_, node.move);
  }
  void add(const rules::StepCan& node, StepScript& step) {
    step.kind = StepScript::Kind::can;
    step.seat = node.seat;
    step.positive = node.can;
    step.move = compile_move(playable_, node.move);
  }
  void add(const rules::StepKnows& node, StepScript& step) {
    step.kind = StepScript::Kind::knows;
    step.seat = node.seat;
    step.positive = node.knows;
    step.knowable = compile_knowable(playable_, node.what);
  }
  void add(const rules::StepHas& node, StepScript& step) {
    step.kind = node.worlds ? StepScript::Kind::worlds : StepScript::Kind::has;
    step.seat = node.seat;
    step.count = node.count;
    out_.counts_worlds = out_.counts_worlds || node.worlds;
  }

  void lower_start() {
    out_.entry = start_->routine != rules::kNoId ? playable_.lowering->entry_routine(start_->routine, start_->args, picks_)
                                                 : playable_.lowering->entry_phase(start_->phase, picks_);
  }

  ScenarioScript& out_;
  Playable& playable_;
  const rules::Scenario& scenario_;
  const rules::StepStart* start_ = nullptr;
  std::vector<std::pair<rules::VarId, std::int64_t>> picks_;
};

rules::Config config_of(const rules::Rules& rules, const rules::Scenario& scenario) {
  rules::Config config = default_config(rules, static_cast<int>(scenario.seats.size()));
  for (const auto& [param, value] : scenario.params) {
    config.params[param] = rules.params[param].index.empty() ? std::vector<std::int64_t>{constant(rules, config, value)} : constant_list(rules, config, value);
  }
  return config;
}

bool arranges(const rules::Step& step) {
  return std::holds_alternative<rules::StepGiven>(step.node) || std::holds_alternative<rules::StepStart>(step.node);
}

}  // namespace

ScenarioScript compile_scenario(std::shared_ptr<const rules::Rules> rules, const rules::Scenario& scenario) {
  ScenarioScript out;
  out.tests_claims = std::none_of(scenario.steps.begin(), scenario.steps.end(), arranges);
  try {
    LowerOptions options;
    options.claims = out.tests_claims;
    options.coverage = true;
    options.seats = scenario.seats;
    out.playable = prepare(rules, config_of(*rules, scenario), options);
    if (!out.playable->error.empty()) {
      out.error = out.playable->error;
      out.error_span = out.playable->error_span;
      return out;
    }
    Compiler(out, scenario).compile();
  } catch (const std::exception& fault) {
    out.error = fmt::format("it cannot be made ready: {}", fault.what());
    out.error_span = scenario.span;
  }
  return out;
}

}  // namespace rip::verify
