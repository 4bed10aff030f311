// In which order places are run through: zones as declared, a pile from the top, and what is indexed by a component where
// that component lies, so that no order tells which component it is.
#include "interp/run/interpreter.h"

#include <algorithm>

namespace rip {

namespace {
constexpr int kDeepest = 4;  ///< places of a component that lies in a place of a component ...
}

/// Where the component at `index` comes when its zone is run through: a pile from the top, the members of a bag, which have
/// no order, by number.
std::int32_t Interpreter::position_of(const ir::Zone& zone, std::int32_t n, std::int32_t index) {
  if (zone.kind != ir::ZoneKind::pile) return index;
  if (zone.bags < 0) return n - 1 - index;
  const std::uint8_t* marks = bags(zone);
  if (!is_bag(marks[index])) return n - 1 - index;
  std::int32_t begin = index;
  std::int32_t end = index + 1;
  while (begin > 0 && marks[begin - 1] == marks[index]) --begin;
  while (end < n && marks[end] == marks[index]) ++end;
  return n - end + index - begin;
}

int Interpreter::compare_zones(std::int32_t a, std::int32_t b, int depth) {
  if (a == b) return 0;
  const ir::Zone& x = p.zones[static_cast<std::size_t>(a)];
  const ir::Zone& y = p.zones[static_cast<std::size_t>(b)];
  if (x.family != y.family || !by_component(a) || depth >= kDeepest) return a - b;
  for (std::size_t i = 0; i < x.index.size(); ++i) {
    if (x.index[i] == y.index[i]) continue;
    const auto m = static_cast<std::int32_t>(x.index[i]);
    const auto n = static_cast<std::int32_t>(y.index[i]);
    return x.index_texts[i] == kComponentText ? compare_places(m, n, depth + 1) : m - n;
  }
  return 0;
}

int Interpreter::compare_places(std::int32_t a, std::int32_t b, int depth) {
  if (a == b) return 0;
  const std::int32_t za = zone_of(a);
  const std::int32_t zb = zone_of(b);
  if (za != zb) return compare_zones(za, zb, depth);
  const ir::Zone& zone = p.zones[static_cast<std::size_t>(za)];
  return position_of(zone, count(za), find(a)) - position_of(zone, count(za), find(b));
}

void Interpreter::sort_zones(List& zones) {
  std::sort(zones.values, zones.values + zones.size, [&](std::int32_t a, std::int32_t b) { return compare_zones(a, b) < 0; });
}

void Interpreter::append_zone(std::int32_t z, List& out) {
  const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
  const std::uint16_t* cards = ids(zone);
  const std::int32_t n = count(z);
  if (zone.kind != ir::ZoneKind::pile) {
    for (std::int32_t i = 0; i < n; ++i) out.push(cards[i]);
    return;
  }
  const std::uint8_t* marks = zone.bags >= 0 ? bags(zone) : nullptr;
  for (std::int32_t end = n; end > 0;) {
    std::int32_t begin = end - 1;
    if (marks != nullptr && is_bag(marks[begin])) {
      while (begin > 0 && marks[begin - 1] == marks[end - 1]) --begin;
    }
    for (std::int32_t i = begin; i < end; ++i) out.push(cards[i]);
    end = begin;
  }
}

void Interpreter::append_zones(ZoneRange range, List& out) {
  const bool several = range.count > 1 && by_component(range.first);
  List zones;
  for (std::int32_t z = range.first; z < range.first + range.count; ++z) {
    if (!several) append_zone(z, out);
    else if (count(z) > 0) zones.push(z);
  }
  if (!several) return;
  sort_zones(zones);
  for (std::int32_t i = 0; i < zones.size; ++i) append_zone(zones.values[i], out);
}

void Interpreter::sort_by_place(List& list) {
  if (list.size < 2) return;
  // places are found once, then sorted, unless where another component lies has a say
  std::int32_t places[ir::kMaxList];
  std::int32_t order[ir::kMaxList];
  bool by_number = true;
  for (std::int32_t i = 0; i < list.size; ++i) {
    const std::int32_t c = list.values[i];
    const std::int32_t z = zone_of(c);
    by_number = by_number && !by_component(z);
    places[i] = z * 2048 + position_of(p.zones[static_cast<std::size_t>(z)], count(z), find(c));
    order[i] = i;
  }
  if (by_number) {
    std::sort(order, order + list.size, [&](std::int32_t a, std::int32_t b) { return places[a] != places[b] ? places[a] < places[b] : a < b; });
  } else {
    std::sort(order, order + list.size, [&](std::int32_t a, std::int32_t b) { return compare_places(list.values[a], list.values[b]) < 0; });
  }
  std::int32_t sorted[ir::kMaxList];
  for (std::int32_t i = 0; i < list.size; ++i) sorted[i] = list.values[order[i]];
  std::copy_n(sorted, list.size, list.values);
}

}  // namespace rip
