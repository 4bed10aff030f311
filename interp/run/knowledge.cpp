// Who knows what: seats that have seen a front know it until it gets lost among others (language reference, knowledge).
#include "interp/run/interpreter.h"

#include <algorithm>

namespace rip {

std::uint32_t Interpreter::eyes(std::int32_t z) {
  const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
  std::uint32_t seats = zone.owner >= 0 ? 1u << zone.owner : 0u;
  if (zone.seen_by != ir::kNoNode) {
    for (const auto& [slot, value] : zone.seen_slots) scratch[static_cast<std::size_t>(slot)] = value;
    seats |= eval_seats(zone.seen_by);
  }
  return seats;
}

std::uint32_t Interpreter::sees_front(std::int32_t c) {
  const std::int32_t z = zone_of(c);
  const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
  const ir::ComponentType& type = p.types[static_cast<std::size_t>(p.components[static_cast<std::size_t>(c)].type)];
  const bool lies_open = type.die || !type.hidden_side || face(c) == 0;
  if (lies_open) {
    if (zone.kind == ir::ZoneKind::row || zone.kind == ir::ZoneKind::place) return all_seats;
    if (zone.kind == ir::ZoneKind::pile && count(z) > 0 && ids(zone)[count(z) - 1] == c) return all_seats;
  }
  return eyes(z);
}

void Interpreter::top_changed(std::int32_t z) {
  const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
  const std::int32_t n = count(z);
  if (zone.kind != ir::ZoneKind::pile || n == 0) return;
  if (zone.bags >= 0 && bags(zone)[n - 1] != 0) return;
  const std::int32_t c = ids(zone)[n - 1];
  const std::uint32_t knew = known(c);
  learn(c);
  if (known(c) != knew && logging()) log_seen(c, knew);
}

void Interpreter::left_mixed(std::int32_t component, std::int32_t z, std::int32_t begin, std::int32_t end, std::uint32_t seers) {
  const std::uint16_t* cards = ids(p.zones[static_cast<std::size_t>(z)]);
  const std::uint32_t forget = all_seats & ~seers;
  bool matters = (known(component) & forget) != 0;
  for (std::int32_t i = begin; i < end && !matters; ++i) matters = (known(cards[i]) & forget) != 0;
  if (!matters) return;
  const ir::Component& left = p.components[static_cast<std::size_t>(component)];
  bool all_equal = true;
  for (std::int32_t i = begin; i < end && all_equal; ++i) {
    all_equal = p.components[cards[i]].front_class == left.front_class;
  }
  if (all_equal) return;
  known(component) &= seers;
  for (std::int32_t i = begin; i < end; ++i) {
    if (p.components[cards[i]].back_class == left.back_class) known(cards[i]) &= seers;
  }
}

void Interpreter::mix(std::int32_t z, std::int32_t begin, std::int32_t end) {
  const std::uint16_t* cards = ids(p.zones[static_cast<std::size_t>(z)]);
  std::uint32_t all = all_seats;
  for (std::int32_t i = begin; i < end; ++i) all &= known(cards[i]);
  for (std::int32_t i = begin; i < end; ++i) known(cards[i]) = all;
}

std::uint32_t Interpreter::var_eyes(const ir::Var& var, std::int32_t position) {
  if (var.seen_by == ir::kNoNode) return all_seats;
  std::int32_t rest = position;
  for (std::size_t i = var.index.size(); i-- > 0;) {
    const auto [low, size] = var.index[i];
    if (i < var.index_slots.size() && var.index_slots[i] >= 0) {
      scratch[static_cast<std::size_t>(var.index_slots[i])] = low + rest % size;
    }
    rest /= size;
  }
  return eval_seats(var.seen_by);
}

void Interpreter::write_known(const ir::Var& var, std::int32_t position) {
  if (var.known >= 0) at<std::uint32_t>(var.known + 4 * position) = var_eyes(var, position);
}

void Interpreter::refresh() {
  for (const std::int32_t z : p.refreshes) {
    const std::uint32_t seats = eyes(z);
    const std::uint16_t* cards = ids(p.zones[static_cast<std::size_t>(z)]);
    for (std::int32_t i = 0, n = count(z); i < n; ++i) {
      const std::uint32_t knew = known(cards[i]);
      known(cards[i]) |= seats;
      if (known(cards[i]) != knew && logging()) log_seen(cards[i], knew);
    }
  }
}

}  // namespace rip
