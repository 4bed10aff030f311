// What moves in one stroke: packets of components, their order, and how they arrive.
#include "interp/reference/evaluator.h"

#include <fmt/format.h>

#include <algorithm>

namespace rip::reference {

using rules::ExprId;
using rules::kNoId;

Evaluator::Packet Evaluator::packet(ExprId what, int to, bool under, ExprId face) {
  Packet packet;
  packet.to = to;
  packet.under = under;
  const Value v = value(what);
  packet.runs = runs_of(members_of(rules_[what], v), v.shape == rules::Shape::list);
  if (face != kNoId && !packet.runs.empty()) packet.face = needed(face);
  return packet;
}

// A list keeps the order it was written in. In a set, what comes out of one hand or one bag has none.
std::vector<Evaluator::Run> Evaluator::runs_of(const std::vector<std::int64_t>& cards, bool ordered) const {
  const auto group = [&](int card) {
    const int spot = world_.spot_of[static_cast<std::size_t>(card)];
    if (zone_rules(spot).kind == ast::ZoneKind::hand) return std::pair{spot, -1};
    return std::pair{spot, world_.bag_of(card)};
  };
  std::vector<Run> runs;
  for (const std::int64_t c : cards) {
    const int card = static_cast<int>(c);
    const bool mixed = !ordered && group(card).second != 0;
    if (runs.empty() || runs.back().ordered == mixed || (mixed && group(runs.back().cards[0]) != group(card)))
      runs.push_back({{}, !mixed});
    runs.back().cards.push_back(card);
  }
  for (Run& run : runs) run.ordered = run.ordered || run.cards.size() == 1;
  return runs;
}

// In a row everybody sees which component lies where, so chance decides what was not ordered: the oldest first.
void Evaluator::settle_order(Packet& packet) {
  const ast::ZoneKind kind = zone_rules(packet.to).kind;
  if (kind != ast::ZoneKind::row && kind != ast::ZoneKind::place) return;
  for (Run& run : packet.runs) {
    if (run.ordered) continue;
    std::vector<int> left = run.cards, order;
    std::sort(left.begin(), left.end());
    while (!left.empty()) {
      order.push_back(draw_component(left, ChanceKind::order, packet.to));
      std::erase(left, order.back());
    }
    run = {order, true};
  }
}

// Everything leaves first, then everything arrives, in the order of the bindings.
void Evaluator::carry_out(std::vector<Packet>& packets, Span span) {
  std::map<int, int> from;  // the zone in which each was
  std::set<int> was_mixed;
  for (Packet& packet : packets) {
    const ast::ZoneKind kind = zone_rules(packet.to).kind;
    for (Run& run : packet.runs) {
      // What goes to the hand or place where it lies stays.
      std::erase_if(run.cards, [&](int card) {
        return world_.spot_of[static_cast<std::size_t>(card)] == packet.to &&
               (kind == ast::ZoneKind::hand || kind == ast::ZoneKind::place);
      });
      for (const int card : run.cards) {
        departs(card);
        from[card] = world_.spot_of[static_cast<std::size_t>(card)];
        if (world_.bag_of(card) != 0) was_mixed.insert(card);
      }
    }
  }
  for (const auto& [card, zone] : from) world_.take(card);
  for (const auto& [card, zone] : from) world_.tidy(zone);
  for (const Packet& packet : packets) place(packet, from);
  for (const Packet& packet : packets) test_room(packet.to, span);
  see();
  forget_departed();
  for (const Packet& packet : packets)
    for (const Run& run : packet.runs) {
      if (run.ordered || zone_rules(packet.to).kind != ast::ZoneKind::pile) continue;
      mix(run.cards);
      for (const int card : run.cards)
        if (!was_mixed.contains(card)) reset_indexed(card);
    }
}

void Evaluator::place(const Packet& packet, std::map<int, int>& from) {
  Spot& spot = world_.spots[static_cast<std::size_t>(packet.to)];
  const ast::ZoneKind kind = zone_rules(packet.to).kind;
  // Where the next component goes; a pile's top and a row's oldest are at 0.
  std::size_t at = (kind == ast::ZoneKind::pile) == packet.under ? spot.cards.size() : 0;
  for (const Run& run : packet.runs) {
    const int bag = run.ordered || kind == ast::ZoneKind::hand ? 0 : ++world_.last_bag;
    for (const int card : run.cards) {
      if (const int here = world_.spot_of[static_cast<std::size_t>(card)]; here >= 0) {  // named twice: the last counts
        if (here == packet.to && world_.position(card) < at) --at;
        world_.take(card);
        world_.tidy(here);
      }
      if (kind == ast::ZoneKind::hand)
        at = static_cast<std::size_t>(std::lower_bound(spot.cards.begin(), spot.cards.end(), card) - spot.cards.begin());
      world_.put(card, packet.to, at++, bag);
      arrive(card, packet.to, packet.face, from[card] == packet.to);
      from[card] = packet.to;
    }
  }
  world_.tidy(packet.to);
}

// The side that lies up: as the sentence says, else as the zone turns it, else as before.
void Evaluator::arrive(int card, int zone_id, const std::optional<std::int64_t>& face, bool was_here) {
  if (type_rules(card).kind != ast::ComponentKind::card) return;
  const rules::Zone& zone = zone_rules(zone_id);
  std::int64_t& side = world_.face[static_cast<std::size_t>(card)];
  if (face) side = *face;
  else if (was_here) return;
  else if (zone.face) side = *zone.face;
  else if (zone.kind == ast::ZoneKind::hand || zone.deck != kNoId) side = 1;
}

void Evaluator::test_room(int id, Span span) {
  const rules::Zone& zone = zone_rules(id);
  const std::int64_t count = std::ssize(world_.spots[static_cast<std::size_t>(id)].cards);
  const auto zone_text = [&] { return zone_name(rules_, box_, static_cast<std::uint32_t>(id), {}); };
  if (zone.kind == ast::ZoneKind::place && count > 1)
    fault(FaultKind::place_full, span, fmt::format("{} components in the place `{}`", count, zone_text()));
  if (zone.max == kNoId) return;
  std::int64_t max = 0;
  with_index(zone.index_locals, box_.zones[static_cast<std::size_t>(id)].index, [&] { max = needed(zone.max); });
  if (count > max) fault(FaultKind::over_max, span, fmt::format("{} components in `{}`, which holds {}", count, zone_text(), max));
}

}  // namespace rip::reference
