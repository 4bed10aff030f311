// The state as text: what lies where, which side is up, who knows what, the variables, who acts in which phase.
#include "interp/reference/evaluator.h"

#include <fmt/format.h>

namespace rip::reference {

using rules::kNoId;

namespace {

std::string listed(const std::set<int>& seats) {
  std::string out;
  for (const int seat : seats) out += (out.empty() ? "" : " ") + std::to_string(seat);
  return out;
}

}  // namespace

// The phases that run, outer to inner, and who acts.
std::string Evaluator::moment() const {
  std::string out = "phases:";
  for (const RunningPhase& running : phases_) out += " " + rules_.phases[running.phase].name;
  if (me_) out += fmt::format("\nme: {}", *me_);
  return out;
}

// `hand[player 1]: 4- 7-`, a bag in brackets; `+` is face up, `-` face down, `=4` the number of a die. Empty zones, what
// nobody knows, variables of blocks and of phases that do not run are left out.
std::string Evaluator::digest() const {
  std::string out = moment();
  for (std::size_t zone = 0; zone < world_.spots.size(); ++zone) {
    const Spot& spot = world_.spots[zone];
    if (spot.cards.empty()) continue;
    out += fmt::format("\n{}:", zone_name(rules_, box_, static_cast<std::uint32_t>(zone), {}));
    for (std::size_t i = 0; i < spot.cards.size(); ++i) {
      const bool opens = spot.bags[i] != 0 && (i == 0 || spot.bags[i - 1] != spot.bags[i]);
      const bool closes = spot.bags[i] != 0 && (i + 1 == spot.cards.size() || spot.bags[i + 1] != spot.bags[i]);
      const std::int64_t face = world_.face[static_cast<std::size_t>(spot.cards[i])];
      const std::string side = type_rules(spot.cards[i]).kind == ast::ComponentKind::die ? fmt::format("={}", face) : face == 0 ? "+" : "-";
      out += fmt::format(" {}{}{}{}", opens ? "[" : "", spot.cards[i], side, closes ? "]" : "");
    }
  }
  for (std::size_t c = 0; c < world_.known.size(); ++c)
    if (!world_.known[c].empty()) out += fmt::format("\nknown {}: {}", c, listed(world_.known[c]));
  for (rules::VarId id = 0; id < rules_.vars.size(); ++id) {
    const rules::Var& var = rules_.vars[id];
    if (var.local || (var.phase != kNoId && !is_running(var.phase))) continue;
    out += fmt::format("\n{}:", var.name);
    for (const auto& [index, value] : world_.vars[id]) {
      std::string text;
      for (const std::int64_t item : value.items)
        text += (text.empty() ? "" : " ") + (item == rules::kNone ? std::string("none") : std::to_string(item));
      out += value.shape == rules::Shape::scalar ? " " + text : " {" + text + "}";
      if (var.seen_by != kNoId) out += "(" + listed(world_.var_known[id].at(index)) + ")";
    }
  }
  return out + "\n";
}

}  // namespace rip::reference
