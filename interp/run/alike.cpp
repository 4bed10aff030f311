// Which components nobody tells apart: by the rules, by what seats know, by how they look to a seat that chooses.
#include "interp/run/interpreter.h"

#include <algorithm>

namespace rip {

std::int32_t Interpreter::bag_number(std::int32_t c) {
  const std::int32_t z = zone_of(c);
  const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
  if (zone.bags < 0) return 0;
  const std::uint8_t* marks = bags(zone);
  std::int32_t i = find(c);
  if (!is_bag(marks[i])) return 0;
  while (i > 0 && marks[i - 1] == marks[i]) --i;
  return i + 1;
}

// Would the variable read the same if the two were exchanged everywhere in it?
bool Interpreter::vars_tell_apart(const ir::Var& var, std::int32_t a, std::int32_t b) {
  const std::int32_t words = var.domain.words;
  const auto set_of = [&](std::int32_t i) { return &at<Word>(var.cell.offset + i * 8 * words); };
  const auto has = [&](std::int32_t i, std::int32_t c) { return (set_of(i)[(c - var.domain.low) >> 6] >> ((c - var.domain.low) & 63) & 1u) != 0; };
  for (std::int32_t i = 0; i < var.count; ++i) {
    std::int32_t other = i;
    std::int32_t stride = var.count;
    for (std::size_t k = 0; k < var.index.size(); ++k) {
      const auto [low, size] = var.index[k];
      stride /= size;
      if (var.index_texts[k] != kComponentText) continue;
      const std::int32_t here = low + i / stride % size;
      if (here == a) other += (b - a) * stride;
      if (here == b) other += (a - b) * stride;
    }
    if (other == i && !var.component) continue;
    if (var.known >= 0 && at<std::uint32_t>(var.known + 4 * i) != at<std::uint32_t>(var.known + 4 * other)) return true;
    if (!var.set) {
      std::int64_t there = var_value(var, other);
      if (var.component) there = there == a ? b : there == b ? a : there;
      if (var_value(var, i) != there) return true;
    } else if (!var.component) {
      if (!std::equal(set_of(i), set_of(i) + words, set_of(other))) return true;
    } else {
      if (has(i, a) != has(other, b) || has(i, b) != has(other, a)) return true;
      for (std::int32_t w = 0; w < words && other != i; ++w) {
        Word differs = set_of(i)[w] ^ set_of(other)[w];
        for (const std::int32_t c : {a, b}) {
          if ((c - var.domain.low) >> 6 == w) differs &= ~(Word{1} << ((c - var.domain.low) & 63));
        }
        if (differs != 0) return true;
      }
    }
  }
  return false;
}

bool Interpreter::told_apart(std::int32_t a, std::int32_t b) {
  if (a == b || told_by_type_[static_cast<std::size_t>(a)] == 0) return false;
  for (const std::int32_t z : component_zones_) {
    if (count(z) == 0) continue;
    const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
    for (std::size_t i = 0; i < zone.index.size(); ++i) {
      if (zone.index_texts[i] == kComponentText && (zone.index[i] == a || zone.index[i] == b)) return true;
    }
  }
  for (const std::int32_t v : marking_vars_) {
    const ir::Var& var = p.vars[static_cast<std::size_t>(v)];
    if (var.phase >= 0 && (header().running >> p.phases[static_cast<std::size_t>(var.phase)].bit & 1u) == 0) continue;
    if (vars_tell_apart(var, a, b)) return true;
  }
  // a name of a block counts only while its routine runs
  for (const std::int32_t v : marking_locals_) {
    const ir::Var& var = p.vars[static_cast<std::size_t>(v)];
    for (std::size_t k = 0; k < p.routines.size(); ++k) {
      const ir::Routine& routine = p.routines[k];
      if (var.cell.offset < routine.frame || var.cell.offset >= routine.frame + routine.frame_size) continue;
      if (k != 0 && at<std::int32_t>(routine.frame) == 0) continue;
      for (std::int32_t i = 0; i < var.count; ++i) {
        const std::int64_t value = var_value(var, i);
        if (value == a || value == b) return true;
      }
    }
  }
  return false;
}

bool Interpreter::same_for_rules(std::int32_t a, std::int32_t b) {
  if (front_[static_cast<std::size_t>(a)] != front_[static_cast<std::size_t>(b)]) return false;
  return face(a) == face(b) && !told_apart(a, b);
}

// A hand has no order: what the seat sees into, it tells apart by the fronts, all else by the backs, and so in a bag.
// Elsewhere it goes by the front (and who knows it) if the seat knows it, else by the place.
bool Interpreter::looks_alike(int seat, std::int32_t a, std::int32_t b) {
  if (a == b) return true;
  if (back_[static_cast<std::size_t>(a)] != back_[static_cast<std::size_t>(b)]) return false;
  const std::int32_t z = zone_of(a);
  if (z != zone_of(b)) return false;
  const std::uint32_t mine = 1u << seat;
  if (p.zones[static_cast<std::size_t>(z)].kind == ir::ZoneKind::hand) {
    if ((sees_front(a) & mine) != 0) return same_for_rules(a, b);
    return !told_apart(a, b);
  }
  const std::int32_t bag = bag_number(a);
  if (bag != bag_number(b)) return false;
  if (bag != 0) return !told_apart(a, b);
  return ((known(a) | sees_front(a)) & mine) != 0 && alike(a, b);
}

bool Interpreter::is_blind(int seat, std::int32_t c) {
  if (p.zones[zone_of(c)].kind == ir::ZoneKind::hand) return (sees_front(c) >> seat & 1u) == 0;
  return bag_number(c) != 0;
}

}  // namespace rip
