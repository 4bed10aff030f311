// One whole game: the beginning, the order of play, the end.
#include "interp/reference/evaluator.h"

namespace rip::reference {

using rules::kNoId;

Evaluator::Evaluator(const rules::Rules& rules, const Box& box, const rules::Config& config, Oracle& oracle, const Limits& limits)
    : rules_(rules), box_(box), config_(config), oracle_(oracle), limits_(limits) {
  world_.spots.resize(box.zones.size());
  world_.spot_of.assign(box.components.size(), -1);
  for (std::size_t zone = 0; zone < box.zones.size(); ++zone)
    for (const std::uint32_t component : box.contents[zone])
      world_.put(static_cast<int>(component), static_cast<int>(zone), world_.spots[zone].cards.size(), 0);
  // Decks lie face down, but everybody knows their lists and so each of their components.
  std::set<int> all;
  for (int seat = 0; seat < box.players; ++seat) all.insert(seat);
  world_.known.assign(box.components.size(), all);
  for (std::size_t c = 0; c < box.components.size(); ++c) {
    const rules::ComponentType& type = rules.component_types[box.components[c].type];
    world_.face.push_back(type.kind == ast::ComponentKind::die ? type.low_face : type.kind == ast::ComponentKind::card ? 1 : 0);
  }
  world_.vars.resize(rules.vars.size());
  world_.var_known.resize(rules.vars.size());
  for (rules::VarId var = 0; var < rules.vars.size(); ++var)
    for (const std::vector<std::int64_t>& index : index_values(rules, box, rules.vars[var].index)) {
      world_.vars[var][index] = first_of_type(rules.vars[var].type);
      world_.var_known[var][index] = {};
    }
  setup_done_ = rules.setup == kNoId;
  result_.bounds.assign(rules.bounds.size(), {1, 0});
}

Result Evaluator::play() {
  try {
    try {
      for (rules::VarId var = 0; var < rules_.vars.size(); ++var)
        if (rules_.vars[var].phase == kNoId && !rules_.vars[var].local) start_var(var);
      run(rules_.main);
    } catch (const GameEnded&) {
    }
    finish();
  } catch (const FaultRaised& raised) {
    result_.ending = Ending::fault;
    result_.fault = raised.fault;
  } catch (const LimitReached&) {
    result_.ending = Ending::limit;
  }
  result_.digest = digest();
  return std::move(result_);
}

Result play(const rules::Rules& rules, const Box& box, const rules::Config& config, Oracle& oracle, const Limits& limits) {
  return Evaluator(rules, box, config, oracle, limits).play();
}

const char* name(ChanceKind kind) {
  switch (kind) {
    case ChanceKind::settle: return "settle";
    case ChanceKind::order: return "order";
    case ChanceKind::roll: return "roll";
    case ChanceKind::random: return "random";
    case ChanceKind::which: return "which";
  }
  return "";
}

const char* name(FaultKind kind) {
  switch (kind) {
    case FaultKind::none_used: return "none_used";
    case FaultKind::out_of_range: return "out_of_range";
    case FaultKind::stuck: return "stuck";
    case FaultKind::tie: return "tie";
    case FaultKind::empty_first: return "empty_first";
    case FaultKind::place_full: return "place_full";
    case FaultKind::over_max: return "over_max";
    case FaultKind::phase_not_running: return "phase_not_running";
    case FaultKind::cyclic_triggers: return "cyclic_triggers";
    case FaultKind::not_fitting: return "not_fitting";
    case FaultKind::no_turn: return "no_turn";
    case FaultKind::seat_twice: return "seat_twice";
  }
  return "";
}

}  // namespace rip::reference
