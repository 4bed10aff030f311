#include "verify/write_scenario.h"

#include "base/text.h"
#include "verify/position.h"
#include "verify/reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace rip::verify {

namespace {

constexpr std::uint64_t kOtherSetups = 8;  // looked at to see what chance decides in setup

/// A variable of the whole game, all of its family, ready to be read.
struct Variable {
  std::string name;
  Reading reading;
};

std::vector<Variable> variables_of(Playable& playable, rules::Rules& rules) {
  std::vector<Variable> out;
  for (rules::VarId id = 0; id < rules.vars.size(); ++id) {
    const rules::Var var = rules.vars[id];
    if (var.local || var.phase != rules::kNoId || var.kind == rules::Var::Kind::phase_binding) continue;
    if (var.type.shape != rules::Shape::scalar && !var.index.empty()) continue;  // a family of sets is no list
    rules::Expr expr;
    expr.op = var.index.empty() ? rules::Op::var : rules::Op::var_family;
    expr.type = var.type;
    if (!var.index.empty()) expr.type.shape = rules::Shape::list;
    expr.span = var.span;
    expr.ref = id;
    rules.exprs.push_back(expr);
    out.push_back({var.name, compile_reading(playable, static_cast<rules::ExprId>(rules.exprs.size() - 1))});
  }
  playable.program = &playable.lowering->program();
  return out;
}

std::vector<std::string> values_of(const std::vector<Variable>& variables, const Playable& playable, Machine& machine, const State& state) {
  std::vector<std::string> out;
  for (const Variable& variable : variables) {
    State copy = state;
    out.push_back(value_of(variable.reading, playable, machine, copy));
  }
  return out;
}

/// The state at the end of setup; nullopt: the game did not come so far.
std::optional<State> after_setup(const Playable& playable, const std::function<bool(Sitting&)>& step) {
  Sitting sitting(playable);
  std::optional<State> found;
  sitting.setup_done = [&] { found = sitting.state; };
  sitting.begin();
  while (!found && sitting.waits() && step(sitting)) {
  }
  return found;
}

class Writer {
 public:
  Writer(Playable& playable, rules::Rules& rules, const Tape& tape) : playable_(playable), rules_(rules), tape_(tape), variables_(variables_of(playable, rules)) {}

  WrittenScenario write(const std::string& title) {
    std::size_t at = 0;
    const std::optional<State> start = after_setup(playable_, [&](Sitting& sitting) {
      if (at >= tape_.size()) return false;
      const Step& step = tape_[at++];
      if (step.chance()) sitting.settle(step.index);
      else sitting.decide(step.seat, step.index);
      return true;
    });
    if (!start) {
      out_.error = "the setup is not over yet";
      return out_;
    }
    std::string quoted;
    std::copy_if(title.begin(), title.end(), std::back_inserter(quoted), [](char c) { return c != '"' && c != '\\'; });
    out_.text = fmt::format("scenario \"{}\"{} {{\n", quoted, rules_.variant.empty() ? "" : fmt::format(" of \"{}\"", rules_.variant));
    line("players " + joined(playable_.program->seats));
    for (const std::string& setting : settings_of(rules_, playable_.config)) {
      const std::size_t equals = setting.find('=');
      line(fmt::format("set {} to {}", setting.substr(0, equals), setting.substr(equals + 1)));
    }
    give(*start);
    play();
    out_.text += "}\n";
    return std::move(out_);
  }

 private:
  void line(const std::string& text) { out_.text += "  " + text + "\n"; }

  /// What lies on the table, but for bags, whose order chance settles later; and the variables that setup leaves to chance.
  void give(const State& start) {
    Machine machine(*playable_.program);
    State state = start;
    const View view = machine.view(state, kAllSeeing);
    std::set<std::string> laid;
    for (const View::Line& zone : view.zones) {
      if (!zone.text.empty() && zone.text.find('{') == std::string::npos) laid.insert(family(zone.name));
    }
    for (const View::Line& zone : view.zones) {
      if (laid.contains(family(zone.name)) && zone.text.find('{') == std::string::npos) line(fmt::format("given {}: {}", zone.name, zone.text.empty() ? "empty" : zone.text));
    }
    const std::vector<std::string> here = values_of(variables_, playable_, machine, start);
    std::vector<bool> by_chance(variables_.size(), false);
    for (std::uint64_t game = 0; game < kOtherSetups; ++game) {
      Rng rng = Rng::for_game(1, game);
      const std::optional<State> other = after_setup(playable_, [&](Sitting& sitting) { return step_at_random(sitting, rng); });
      if (!other) continue;
      const std::vector<std::string> there = values_of(variables_, playable_, machine, *other);
      for (std::size_t i = 0; i < here.size(); ++i) by_chance[i] = by_chance[i] || here[i] != there[i];
    }
    for (std::size_t i = 0; i < here.size(); ++i) {
      if (by_chance[i]) line(fmt::format("given {} == {}", variables_[i].name, here[i]));
    }
  }

  /// Decisions; before each what chance does once it is taken, and at last what the last of them has changed.
  void play() {
    Sitting sitting(playable_);
    sitting.begin();
    std::vector<std::string> before;
    View table;
    std::string decision;
    std::size_t last = 0;
    for (std::size_t i = 0; i < tape_.size(); ++i) {
      if (!tape_[i].chance()) last = i;
    }
    for (std::size_t i = 0; i < tape_.size() && sitting.waits(); ++i) {
      const Step& step = tape_[i];
      if (step.chance()) {
        if (sitting.after_setup) note_chance(sitting, step);
        sitting.settle(step.index);
        continue;
      }
      if (sitting.after_setup) {
        put(decision);
        const Move move = step.move;
        decision = fmt::format("{} does {}", playable_.seat(step.seat), sitting.machine.text_for(sitting.state, move, step.seat));
      }
      if (i == last) {
        before = values_of(variables_, playable_, sitting.machine, sitting.state);
        table = sitting.machine.view(sitting.state, kAllSeeing);
      }
      sitting.decide(step.seat, step.index);
    }
    put(decision);
    if (decision.empty()) out_.error = "nothing has been decided since the setup";
    expect(sitting, before, table);
  }

  void put(const std::string& decision) {
    for (const auto& [where, what] : next_) line(fmt::format("next {}: {}", where, what));
    next_.clear();
    if (!decision.empty()) line(decision);
  }

  void note_chance(Sitting& sitting, const Step& step) {
    std::vector<Outcome> outcomes;
    sitting.machine.outcomes(sitting.state, outcomes);
    if (step.index >= outcomes.size()) return;
    const Outcome& outcome = outcomes[step.index];
    std::string where, what;
    switch (chance_what(sitting.state)) {
      case ChanceKind::settle:
        where = playable_.program->zones[static_cast<std::size_t>(chance_where(sitting.state))].name;
        what = playable_.program->components[static_cast<std::size_t>(outcome.value)].phrase;
        break;
      case ChanceKind::roll:
        where = "roll";
        what = std::to_string(outcome.value);
        break;
      case ChanceKind::random: case ChanceKind::which: case ChanceKind::order: case ChanceKind::none:
        if (outcomes.size() > 1) out_.free.push_back(outcome.text);
        return;
    }
    const auto same = std::find_if(next_.begin(), next_.end(), [&](const auto& n) { return n.first == where; });
    if (same == next_.end()) next_.emplace_back(where, what);
    else same->second += " " + what;
  }

  void expect(Sitting& sitting, const std::vector<std::string>& before, const View& table) {
    if (before.empty() && table.zones.empty()) return;
    const std::vector<std::string> after = values_of(variables_, playable_, sitting.machine, sitting.state);
    for (std::size_t i = 0; i < after.size(); ++i) {
      if (after[i] != before[i]) line(fmt::format("expect {} == {}", variables_[i].name, after[i]));
    }
    const View now = sitting.machine.view(sitting.state, kAllSeeing);
    for (const View::Line& zone : now.zones) {
      const auto old = std::find_if(table.zones.begin(), table.zones.end(), [&](const View::Line& l) { return l.name == zone.name; });
      if (zone.text.find('{') != std::string::npos || old == table.zones.end() || old->text == zone.text) continue;
      line(zone.text.empty() ? fmt::format("expect {} is empty", zone.name) : fmt::format("expect count({}) == {}", zone.name, cards_in(sitting, zone.name)));
    }
    if (sitting.status == Status::over) {
      line(fmt::format("expect winners == {{{}}}", joined(seats_in(*playable_.program, sitting.machine.result(sitting.state).winners))));
    }
  }

  std::size_t cards_in(Sitting& sitting, const std::string& name) const {
    const auto& zones = playable_.program->zones;
    const auto at = std::find_if(zones.begin(), zones.end(), [&](const ir::Zone& z) { return z.name == name; });
    return at == zones.end() ? 0 : sitting.machine.zone_cards(sitting.state, static_cast<std::int32_t>(at - zones.begin())).size();
  }

  static std::string family(const std::string& zone) { return zone.substr(0, zone.find('[')); }

  Playable& playable_;
  rules::Rules& rules_;
  const Tape& tape_;
  std::vector<Variable> variables_;
  std::vector<std::pair<std::string, std::string>> next_;  ///< since the last decision: where, and what comes there
  WrittenScenario out_;
};

}  // namespace

WrittenScenario write_scenario(Playable& playable, rules::Rules& rules, const Tape& tape, const std::string& title) {
  return Writer(playable, rules, tape).write(title);
}

}  // namespace rip::verify
