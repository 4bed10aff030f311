// Packets: components that move at one stroke. All leave first, then all arrive; what came out of a hand or a bag has no
// order, so it is a bag in a pile, and in a row chance lays it down.
#include "interp/run/clauses.h"

#include <algorithm>

namespace rip {

using ir::ZoneKind;

namespace {
constexpr std::uint16_t kNowhere = 0xffff;
}  // namespace

/// Adds what lies in `cards` from `begin` on as one packet.
void Interpreter::add_packet(Parcel& parcel, std::int32_t begin, bool ordered, std::int32_t to, bool under, std::int64_t side) {
  List& cards = parcel.cards;
  parcel.packet[parcel.packets++] = {begin, cards.size, to, under, side};
  std::int32_t first = begin;  // of a run without order
  std::int32_t group = -1;
  const auto close = [&](std::int32_t end) {
    if (group >= 0 && end - first > 1) {
      ++parcel.runs;
      for (std::int32_t k = first; k < end; ++k) parcel.run[k] = parcel.runs;
    }
  };
  for (std::int32_t i = begin; i < cards.size; ++i) {
    parcel.run[i] = 0;
    if (ordered) continue;
    const std::int32_t z = zone_of(cards.values[i]);
    const bool hand = p.zones[static_cast<std::size_t>(z)].kind == ZoneKind::hand;
    const std::int32_t bag = hand ? 0 : bag_number(cards.values[i]);
    const std::int32_t mine = hand || bag != 0 ? z * 65536 + bag : -1;
    if (mine == group) continue;
    close(i);
    first = i;
    group = mine;
  }
  close(cards.size);
}

/// In a row everybody sees which component lies where, so chance decides what was not ordered: the oldest first. True: the
/// game waits for it, and the sentence is carried out anew when it is known.
bool Interpreter::settle_order(Parcel& parcel) {
  if (parcel.runs == 0) return false;
  Order order;
  bool waited = false;
  std::int32_t used = 0;
  for (std::int32_t n = 0; n < parcel.packets; ++n) {
    const ir::Zone& target = p.zones[static_cast<std::size_t>(parcel.packet[n].zone)];
    if (target.kind != ZoneKind::row && target.kind != ZoneKind::place) continue;
    for (std::int32_t begin = parcel.packet[n].begin; begin < parcel.packet[n].end;) {
      std::int32_t end = begin + 1;
      if (parcel.run[begin] == 0) {
        begin = end;
        continue;
      }
      if (used == 0) {
        read_order(order);
        waited = order.laid.size > 0;
        // another game may have been played meanwhile: what held before the sentence is looked up again
        const ir::Instr* before = header().pc > 0 ? &p.code[static_cast<std::size_t>(header().pc - 1)] : nullptr;
        if (waited && before != nullptr && before->op == ir::InstrOp::watch) watch(p.wakes[static_cast<std::size_t>(before->a)], false);
      }
      while (end < parcel.packet[n].end && parcel.run[end] == parcel.run[begin]) ++end;
      std::int32_t* cards = parcel.cards.values;
      std::sort(cards + begin, cards + end);
      for (std::int32_t i = begin; i < end; ++i, ++used) {
        std::int32_t next = 0;
        if (used < order.laid.size) {
          next = order.laid.values[used];
        } else {
          order.left.size = 0;
          for (std::int32_t k = i; k < end; ++k) order.left.push(cards[k]);
          const bool equal = std::all_of(cards + i, cards + end, [&](std::int32_t c) { return alike(c, cards[i]); });
          if (!equal && rng == nullptr) {
            write_order(order);
            return chance_point(ChanceKind::order, parcel.packet[n].zone, 0);
          }
          next = equal ? cards[i] : draw_alike(order.left, *rng);
          order.laid.push(next);
        }
        std::int32_t* at_next = std::find(cards + i, cards + end, next);
        std::rotate(cards + i, at_next, at_next + 1);
        parcel.run[i] = 0;
      }
      begin = end;
    }
  }
  if (waited) drop_order();
  return false;
}

/// One of the components uniformly, as the first of those that are alike.
std::int32_t Interpreter::draw_alike(const List& from, Rng& random) {
  const std::int32_t c = from.values[random.below(static_cast<std::uint64_t>(from.size))];
  std::int32_t i = 0;
  while (!alike(from.values[i], c)) ++i;
  return from.values[i];
}

void Interpreter::turn_on_arrival(std::int32_t c, const ir::Zone& target, bool was_here, std::int64_t side) {
  if (kind_[static_cast<std::size_t>(c)] != Kind::card) return;
  if (side != ir::kNone) face(c) = static_cast<std::int8_t>(side);
  else if (was_here) return;
  else if (target.face >= 0) face(c) = target.face;
  else if (target.kind == ZoneKind::hand || target.deck) face(c) = 1;
}

/// Everything leaves first, then everything arrives, in the order of the packets.
void Interpreter::carry(Parcel& parcel) {
  std::int32_t* cards = parcel.cards.values;
  for (std::int32_t n = 0; n < parcel.packets; ++n) {
    const ir::Zone& target = p.zones[static_cast<std::size_t>(parcel.packet[n].zone)];
    for (std::int32_t i = parcel.packet[n].begin; i < parcel.packet[n].end; ++i) {
      const std::int32_t from = zone_of(cards[i]);
      parcel.from[i] = static_cast<std::uint16_t>(from);
      parcel.knew[i] = known(cards[i]);
      parcel.mixed[i] = false;
      if (from == parcel.packet[n].zone && (target.kind == ZoneKind::hand || target.kind == ZoneKind::place)) {
        cards[i] = -1;  // it stays
        continue;
      }
      const ir::Zone& source = p.zones[static_cast<std::size_t>(from)];
      if (source.kind == ZoneKind::hand) {
        departs(cards[i]);
      } else if (source.bags >= 0) {
        const std::uint8_t mark = bags(source)[find(cards[i])];
        if (mark != 0) departs(cards[i]);
        parcel.mixed[i] = is_bag(mark);
      }
    }
  }
  for (std::int32_t i = 0; i < parcel.cards.size; ++i) {
    if (cards[i] < 0 || zone_of(cards[i]) == kNowhere) continue;
    remove(cards[i]);
    zone_of(cards[i]) = kNowhere;
  }
  for (std::int32_t n = 0; n < parcel.packets && fault == FaultCode::none; ++n) arrive(parcel, parcel.packet[n]);
  for (std::int32_t n = 0; n < parcel.packets && fault == FaultCode::none; ++n) test_room(parcel.packet[n].zone);
  if (fault != FaultCode::none) {
    // no component lies nowhere, even if no rule goes on from here
    for (std::int32_t i = 0; i < parcel.cards.size; ++i) {
      if (cards[i] >= 0 && zone_of(cards[i]) == kNowhere) zone_of(cards[i]) = parcel.from[i];
    }
    return;
  }
  for (std::int32_t i = 0; i < parcel.cards.size; ++i) {
    if (cards[i] < 0) continue;
    learn(cards[i]);
    if (i == 0 || parcel.from[i] != parcel.from[i - 1]) top_changed(parcel.from[i]);
  }
  for (std::int32_t n = 0; n < parcel.packets; ++n) top_changed(parcel.packet[n].zone);
  if (!departures_.empty()) forget_departed();
  if (parcel.runs > 0) mix_runs(parcel);
  if (!logging()) return;
  for (std::int32_t i = 0; i < parcel.cards.size; ++i) {
    if (cards[i] >= 0) log_move(cards[i], parcel.from[i], parcel.knew[i], known(cards[i]), parcel.from[i] == zone_of(cards[i]));
  }
}

void Interpreter::arrive(Parcel& parcel, const Parcel::Packet& packet) {
  const ir::Zone& target = p.zones[static_cast<std::size_t>(packet.zone)];
  const bool pile = target.kind == ZoneKind::pile;
  // a pile is kept from bottom to top, so that the first of what comes on top is the last to be laid
  const bool on_top = pile && !packet.under;
  std::int32_t laid = 0;
  bool bag = false;
  for (std::int32_t k = packet.begin; k < packet.end && fault == FaultCode::none; ++k) {
    const std::int32_t i = on_top ? packet.end - 1 - (k - packet.begin) : k;
    const std::int32_t c = parcel.cards.values[i];
    if (c < 0) continue;
    if (zone_of(c) != kNowhere) {
      // named twice: the last counts
      if (zone_of(c) == packet.zone && laid > 0 && !on_top && !pile) --laid;
      remove(c);
    }
    std::int32_t index = count(packet.zone);
    if (target.kind == ZoneKind::hand) {
      const std::uint16_t* here = ids(target);
      index = static_cast<std::int32_t>(std::lower_bound(here, here + count(packet.zone), c) - here);
    } else if (packet.under) {
      index = pile ? 0 : laid++;
    }
    // marks of new bags differ from each other and from 1 and 2 until the pile is put in order
    const bool mixed = pile && target.bags >= 0 && parcel.run[i] != 0;
    const auto mark = static_cast<std::uint8_t>(mixed ? 3 + parcel.run[i] % 240 : 0);
    bag = bag || mixed;
    turn_on_arrival(c, target, parcel.from[i] == packet.zone, packet.side);
    insert(c, packet.zone, index, mark);
  }
  if (bag) normalise_bags(packet.zone);
}

void Interpreter::test_room(std::int32_t z) {
  const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
  if (zone.kind == ZoneKind::place && count(z) > 1) {
    fail_here(FaultCode::place_full);
  } else if (zone.limit >= 0) {
    for (const auto& [slot, value] : zone.seen_slots) scratch[static_cast<std::size_t>(slot)] = value;
    if (count(z) > eval(zone.limit)) fail_here(FaultCode::over_max);
  }
}

/// What was known of all of a run remains known of all; what is indexed by one of them ends.
void Interpreter::mix_runs(const Parcel& parcel) {
  for (std::int32_t begin = 0; begin < parcel.cards.size;) {
    std::int32_t end = begin + 1;
    while (end < parcel.cards.size && parcel.run[end] == parcel.run[begin]) ++end;
    const std::int32_t first = parcel.cards.values[begin];
    if (parcel.run[begin] != 0 && first >= 0 && p.zones[zone_of(first)].kind == ZoneKind::pile) {
      std::uint32_t all = all_seats;
      for (std::int32_t i = begin; i < end; ++i) all &= known(parcel.cards.values[i]);
      for (std::int32_t i = begin; i < end; ++i) {
        known(parcel.cards.values[i]) = all;
        if (!parcel.mixed[i]) reset_indexed(parcel.cards.values[i]);
      }
    }
    begin = end;
  }
}

}  // namespace rip
