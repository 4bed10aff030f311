// Who knows what: seats that have seen a front know it until it gets lost among others (language reference, knowledge).
#include "interp/run/interpreter.h"

#include <algorithm>

namespace rip {

std::uint32_t Interpreter::eyes(std::int32_t z) {
  const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
  if (zone.seen_by == ir::kNoNode) return zone.owner >= 0 ? 1u << zone.owner : 0u;
  for (const auto& [slot, value] : zone.seen_slots) scratch[static_cast<std::size_t>(slot)] = value;
  return eval_seats(zone.seen_by);
}

std::uint32_t Interpreter::sees_front(std::int32_t c) {
  const std::int32_t z = zone_of(c);
  const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
  bool deep = false;
  if (zone.kind == ir::ZoneKind::pile) {
    const std::int32_t top = count(z) - 1;
    deep = ids(zone)[top] != c || (zone.bags >= 0 && is_bag(bags(zone)[top]));
  }
  const Kind kind = kind_[static_cast<std::size_t>(c)];
  if (kind == Kind::token && !deep) return all_seats;
  if (has_eyes(zone)) return eyes(z);
  return !deep && (kind == Kind::die || face(c) == 0) ? all_seats : 0;
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

void Interpreter::departs(std::int32_t c) {
  const std::int32_t z = zone_of(c);
  const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
  std::int32_t begin = 0;
  std::int32_t end = count(z);
  if (zone.kind != ir::ZoneKind::hand) {
    if (zone.bags < 0) return;
    const std::int32_t i = find(c);
    if (bags(zone)[i] == 0) return;
    bag_around(z, i, begin, end);
  }
  for (Departure& departure : departures_) {
    if (departure.zone != z || departure.begin != begin) continue;
    if (departure.size > 0) has_left_[static_cast<std::size_t>(c)] = 1;
    ++departure.left;
    return;
  }
  // mostly nobody knows a single one of them
  const std::uint16_t* cards = ids(zone);
  std::uint32_t knows = 0;
  for (std::int32_t i = begin; i < end; ++i) knows |= known(cards[i]);
  if (zone.seen_by == ir::kNoNode && zone.owner >= 0) knows &= ~(1u << zone.owner);
  const auto first = static_cast<std::int32_t>(departed_.size());
  if (knows != 0) departed_.insert(departed_.end(), cards + begin, cards + end);
  departures_.push_back({z, begin, first, knows != 0 ? end - begin : 0, 1, c});
  if (knows != 0) has_left_[static_cast<std::size_t>(c)] = 1;
}

// A seat that could not see into a hand or bag, and does not see what left, no longer knows any of those that may have
// been it, unless it knows that all of them are equal.
void Interpreter::forget_departed() {
  for (const Departure& departure : departures_) {
    if (departure.size == 0) continue;
    const std::uint16_t* members = departed_.data() + departure.first;
    const std::int32_t n = departure.size;
    const ir::Zone& zone = p.zones[static_cast<std::size_t>(departure.zone)];
    const std::uint32_t blind = all_seats & ~(has_eyes(zone) ? eyes(departure.zone) : 0);
    // what stays among others is seen by nobody else
    const bool hidden = (zone.kind == ir::ZoneKind::hand || n - departure.left > 1) && kind_[members[0]] != Kind::token;
    if (departure.left == 1 && hidden) {
      std::uint32_t lost = blind & ~sees_front(departure.last);
      const std::int32_t front = front_[static_cast<std::size_t>(departure.last)];
      const std::int32_t back = back_[static_cast<std::size_t>(departure.last)];
      const bool equal = std::all_of(members, members + n, [&](std::uint16_t c) { return front_[c] == front || back_[c] != back; });
      if (equal) {
        std::uint32_t sure = lost;
        for (std::int32_t i = 0; i < n; ++i) {
          if (back_[members[i]] == back) sure &= known(members[i]);
        }
        lost &= ~sure;
      }
      for (std::int32_t i = 0; i < n && lost != 0; ++i) {
        if (back_[members[i]] == back) known(members[i]) &= ~lost;
      }
      continue;
    }
    std::uint32_t sees[ir::kMaxList];
    for (std::int32_t i = 0; i < n; ++i) sees[i] = hidden && has_left_[members[i]] == 0 ? 0 : sees_front(members[i]);
    for (std::int32_t gone = 0; gone < n; ++gone) {
      if (has_left_[members[gone]] == 0 || (blind & ~sees[gone]) == 0) continue;
      const std::int32_t back = back_[members[gone]];
      std::uint32_t unsure = 0;  // seats for which it may have been one with another front, as far as they know
      for (std::int32_t i = 0; i < n; ++i) {
        if (back_[members[i]] != back) continue;
        unsure |= ~sees[i] & (front_[members[i]] != front_[members[gone]] ? all_seats : ~known(members[i]));
      }
      const std::uint32_t lost = blind & unsure & ~sees[gone];
      for (std::int32_t i = 0; i < n && lost != 0; ++i) {
        if (back_[members[i]] == back) known(members[i]) &= ~(lost & ~sees[i]);
      }
    }
  }
  drop_departures();
}

void Interpreter::drop_departures() {
  departures_.clear();
  if (departed_.empty()) return;
  departed_.clear();
  std::fill(has_left_.begin(), has_left_.end(), std::uint8_t{0});
}

void Interpreter::mix(std::int32_t z, std::int32_t begin, std::int32_t end) {
  const std::uint16_t* cards = ids(p.zones[static_cast<std::size_t>(z)]);
  if (end - begin < 2) return;
  std::uint32_t all = all_seats;
  for (std::int32_t i = begin; i < end; ++i) all &= known(cards[i]);
  for (std::int32_t i = begin; i < end; ++i) known(cards[i]) = all;
}

void Interpreter::reset_indexed(std::int32_t c) {
  if (told_by_type_[static_cast<std::size_t>(c)] == 0 || indexed_vars_.empty()) return;
  const std::int32_t acting = header().me;
  header().me = static_cast<std::int32_t>(ir::kNone);
  for (const std::int32_t v : indexed_vars_) {
    const ir::Var& var = p.vars[static_cast<std::size_t>(v)];
    if (var.phase >= 0 && (header().running >> p.phases[static_cast<std::size_t>(var.phase)].bit & 1u) == 0) continue;
    std::int32_t stride = var.count;
    for (std::size_t k = 0; k < var.index.size(); ++k) {
      const auto [low, size] = var.index[k];
      stride /= size;
      if (var.index_texts[k] != kComponentText || c < low || c >= low + size) continue;
      for (std::int32_t outer = 0; outer < var.count; outer += stride * size) {
        for (std::int32_t i = 0; i < stride; ++i) begin_cell(v, outer + (c - low) * stride + i);
      }
    }
  }
  header().me = acting;
}

std::uint32_t Interpreter::var_eyes(const ir::Var& var, std::int32_t position) {
  if (var.seen_by == ir::kNoNode) return all_seats;
  bind_index(var, position);
  return eval_seats(var.seen_by);
}

void Interpreter::write_known(const ir::Var& var, std::int32_t position) {
  if (var.known >= 0) at<std::uint32_t>(var.known + 4 * position) = var_eyes(var, position);
}

void Interpreter::refresh(const Eyes& moving) {
  for (const std::int32_t z : moving.zones) {
    const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
    if (count(z) == 0) continue;
    const std::uint32_t seats = eyes(z);
    const std::uint16_t* cards = ids(zone);
    for (std::int32_t i = 0, n = count(z); i < n; ++i) {
      const std::uint32_t knew = known(cards[i]);
      if ((seats & ~knew) == 0) continue;
      known(cards[i]) |= seats;
      if (logging()) log_seen(cards[i], knew);
    }
  }
  for (const std::int32_t v : moving.vars) {
    const ir::Var& var = p.vars[static_cast<std::size_t>(v)];
    if (var.phase >= 0 && (header().running >> p.phases[static_cast<std::size_t>(var.phase)].bit & 1u) == 0) continue;
    for (std::int32_t i = 0; i < var.count; ++i) at<std::uint32_t>(var.known + 4 * i) |= var_eyes(var, i);
  }
}

}  // namespace rip
