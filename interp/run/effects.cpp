// The effects: what moves, turns, mixes and changes. Operands are read completely before anything changes.
#include "interp/run/clauses.h"
#include "interp/run/interpreter.h"

#include <algorithm>

namespace rip {

using ir::InstrOp;

std::int32_t Interpreter::find(std::int32_t component) {
  const std::int32_t z = zone_of(component);
  const std::uint16_t* cards = ids(p.zones[static_cast<std::size_t>(z)]);
  // most of what is looked for lies on top
  std::int32_t i = count(z) - 1;
  while (cards[i] != component) --i;
  return i;
}

void Interpreter::remove(std::int32_t component) {
  const std::int32_t z = zone_of(component);
  const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
  const std::int32_t n = count(z);
  std::uint16_t* cards = ids(zone);
  // most cards leave from the top
  const std::int32_t i = cards[n - 1] == component ? n - 1 : find(component);
  std::memmove(cards + i, cards + i + 1, sizeof(std::uint16_t) * static_cast<std::size_t>(n - 1 - i));
  cards[n - 1] = 0;
  if (zone.bags >= 0) {
    std::uint8_t* marks = bags(zone);
    const bool between = i > 0 && i < n - 1 && marks[i - 1] != 0 && marks[i - 1] == marks[i + 1] && marks[i] != marks[i - 1];
    const bool drawn = is_drawn(marks[i]);
    const bool lonely = marks[i] != 0 && !drawn;
    std::memmove(marks + i, marks + i + 1, static_cast<std::size_t>(n - 1 - i));
    marks[n - 1] = 0;
    --count(z);
    // two bags have met: they stay two, so the upper ones change their marks; a bag of one is none
    if (between) {
      for (std::int32_t k = i; k < n - 1 && marks[k] != 0; ++k) {
        if (!is_drawn(marks[k])) marks[k] = static_cast<std::uint8_t>(3 - marks[k]);
      }
    }
    const auto alone = [&](std::int32_t k) {
      return k >= 0 && k < n - 1 && is_bag(marks[k]) && (k == 0 || marks[k - 1] != marks[k]) &&
             (k == n - 2 || marks[k + 1] != marks[k]);
    };
    if (between || lonely || (drawn && (alone(i - 1) || alone(i)))) normalise_bags(z);
    return;
  }
  --count(z);
}

void Interpreter::insert(std::int32_t component, std::int32_t z, std::int32_t index, std::uint8_t mark) {
  const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
  const std::int32_t n = count(z);
  if (n >= zone.capacity) {
    fail_here(zone.kind == ir::ZoneKind::place ? FaultCode::place_full : FaultCode::over_max);
    return;
  }
  std::uint16_t* cards = ids(zone);
  std::memmove(cards + index + 1, cards + index, sizeof(std::uint16_t) * static_cast<std::size_t>(n - index));
  cards[index] = static_cast<std::uint16_t>(component);
  if (zone.bags >= 0) {
    std::uint8_t* marks = bags(zone);
    std::memmove(marks + index + 1, marks + index, static_cast<std::size_t>(n - index));
    marks[index] = mark;
  }
  zone_of(component) = static_cast<std::uint16_t>(z);
  ++count(z);
}

void Interpreter::move_one(std::int32_t c, std::int32_t to, bool under, std::int64_t side) {
  const std::int32_t from = zone_of(c);
  const ir::Zone& source = p.zones[static_cast<std::size_t>(from)];
  const ir::Zone& target = p.zones[static_cast<std::size_t>(to)];
  const std::uint32_t knew = known(c);
  if (from == to && (target.kind == ir::ZoneKind::hand || target.kind == ir::ZoneKind::place)) return;
  if (source.kind == ir::ZoneKind::hand || source.bags >= 0) departs(c);
  remove(c);
  turn_on_arrival(c, target, from == to, side);
  std::int32_t index = under ? 0 : count(to);
  if (target.kind == ir::ZoneKind::hand) {
    const std::uint16_t* cards = ids(target);
    index = static_cast<std::int32_t>(std::lower_bound(cards, cards + count(to), c) - cards);
  }
  insert(c, to, index, 0);
  if (fault != FaultCode::none) return;
  if (target.limit >= 0 || target.kind == ir::ZoneKind::place) {
    test_room(to);
    if (fault != FaultCode::none) return;
  }
  learn(c);
  top_changed(from);
  if (index + 1 < count(to)) top_changed(to);
  if (!departures_.empty()) forget_departed();
  if (logging()) log_move(c, from, knew, known(c), from == to);
}

bool Interpreter::target_zone(ir::Node node, std::int32_t& zone) {
  const ZoneRange range = eval_zone(node);
  if (fault != FaultCode::none) return false;
  zone = range.first;
  return true;
}

void Interpreter::read_cards(std::int32_t kind, ir::Node node, List& out) {
  switch (kind) {
    case 0: {
      const std::int64_t c = eval(node);
      if (c != ir::kNone && fault == FaultCode::none) out.push(c);
      return;
    }
    case 1: {
      Word words[ir::kMaxWords];
      eval_set(node, component_domain(), words);
      List members;  // `out` may hold other packets
      for (std::int32_t w = 0; w < component_words; ++w) {
        for (Word rest = words[w]; rest != 0; rest &= rest - 1) members.push(64 * w + __builtin_ctzll(rest));
      }
      sort_by_place(members);
      for (std::int32_t i = 0; i < members.size; ++i) out.push(members.values[i]);
      return;
    }
    case 2: eval_list(node, out); return;
    case 3: append_zones(eval_zone(node), out); return;
    default: return;
  }
}

// Both take the place, and the side, of the other.
void Interpreter::swap_components(std::int32_t a, std::int32_t b) {
  if (a == b) return;
  departs(a);
  departs(b);
  const std::int32_t za = zone_of(a);
  const std::int32_t zb = zone_of(b);
  const std::int32_t ia = find(a);
  const std::int32_t ib = find(b);
  const std::uint32_t knew_a = known(a);
  const std::uint32_t knew_b = known(b);
  const auto mixed = [&](std::int32_t z, std::int32_t i) {
    const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
    return zone.bags >= 0 && is_bag(bags(zone)[i]);
  };
  const bool mixed_a = mixed(za, ia);
  const bool mixed_b = mixed(zb, ib);
  const auto put = [&](std::int32_t c, std::int32_t z, std::int32_t i) {
    const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
    ids(zone)[i] = static_cast<std::uint16_t>(c);
    zone_of(c) = static_cast<std::uint16_t>(z);
    // the newcomer is known to lie there
    if (zone.bags >= 0 && is_drawn(bags(zone)[i])) bags(zone)[i] = 0;
  };
  put(a, zb, ib);
  put(b, za, ia);
  if (kind_[static_cast<std::size_t>(a)] == Kind::card && kind_[static_cast<std::size_t>(b)] == Kind::card) std::swap(face(a), face(b));
  for (const std::int32_t z : {za, zb}) {
    const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
    if (zone.kind == ir::ZoneKind::hand) std::sort(ids(zone), ids(zone) + count(z));
    if (zone.bags >= 0 && (mixed_a || mixed_b || header().drawn != 0)) normalise_bags(z);
  }
  if (mixed_a && !mixed_b) reset_indexed(b);
  if (mixed_b && !mixed_a) reset_indexed(a);
  learn(a);
  learn(b);
  top_changed(za);
  top_changed(zb);
  forget_departed();
  if (logging()) log_swap(a, b, knew_a, knew_b);
}

void Interpreter::swap_zones(std::int32_t a, std::int32_t b) {
  if (a == b) return;
  Parcel parcel;
  append_zone(a, parcel.cards);
  add_packet(parcel, 0, false, b, false, ir::kNone);
  const std::int32_t begin = parcel.cards.size;
  append_zone(b, parcel.cards);
  add_packet(parcel, begin, false, a, false, ir::kNone);
  if (!settle_order(parcel)) carry(parcel);
}

void Interpreter::turn(std::int32_t c, std::int64_t side) {
  const ir::ComponentType& type = p.types[static_cast<std::size_t>(p.components[static_cast<std::size_t>(c)].type)];
  if (type.die && (side < type.low_face || side > type.high_face)) {
    fail_here(FaultCode::out_of_range);
    return;
  }
  if (!type.die && !type.hidden_side) return;
  const std::uint32_t knew = known(c);
  face(c) = static_cast<std::int8_t>(side);
  learn(c);
  if (logging()) log_turn(c, knew);
}

void Interpreter::shuffle(std::int32_t z) {
  const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
  const std::int32_t n = count(z);
  if (zone.bags < 0) return;
  std::uint16_t* cards = ids(zone);
  std::sort(cards, cards + n);
  std::memset(bags(zone), n > 1 ? 1 : 0, static_cast<std::size_t>(n));
  mix(z, 0, n);
  for (std::int32_t i = 0; i < n && !indexed_vars_.empty(); ++i) reset_indexed(cards[i]);
  if (logging()) log_shuffle(z);
}

void Interpreter::fill(const ir::Instr& instr) {
  const std::int32_t pile = instr.c;
  const std::int64_t side = optional_side(instr.d);
  const ZoneRange range = eval_zone(instr.a);
  const std::int64_t wanted = instr.b == ir::kNoNode ? 1 : eval(instr.b);
  if (fault != FaultCode::none) return;
  const std::uint16_t* cards = ids(p.zones[static_cast<std::size_t>(pile)]);
  Parcel parcel;
  std::int32_t left = count(pile);
  each_zone_in_order(range, [&](std::int32_t z) {
    const std::int32_t begin = parcel.cards.size;
    for (std::int64_t n = count(z); n < wanted && left > 0; ++n) parcel.cards.push(cards[--left]);
    if (parcel.cards.size == begin) return true;
    // one after the other: on a pile the last lies on top
    if (p.zones[static_cast<std::size_t>(z)].kind == ir::ZoneKind::pile) std::reverse(parcel.cards.values + begin, parcel.cards.values + parcel.cards.size);
    add_packet(parcel, begin, true, z, false, side);
    return true;
  });
  carry(parcel);
}

void Interpreter::move_each(const ir::Instr& instr) {
  const ir::Clause& clause = p.clauses[static_cast<std::size_t>(instr.a)];
  const std::int32_t kind = p.pool[static_cast<std::size_t>(instr.b)];
  const ir::Node what = p.pool[static_cast<std::size_t>(instr.b) + 1];
  const ir::Node face_node = p.pool[static_cast<std::size_t>(instr.d)];
  const bool under = p.pool[static_cast<std::size_t>(instr.d) + 1] != 0;
  Parcel parcel;
  const auto read = [&] {
    if (parcel.packets >= ir::kMaxList) {
      fail_here(FaultCode::too_many);
      return false;
    }
    const std::int32_t begin = parcel.cards.size;
    read_cards(kind, what, parcel.cards);
    if (parcel.cards.size == begin || fault != FaultCode::none) return fault == FaultCode::none;
    std::int32_t to = 0;
    const std::int64_t side = optional_side(face_node);
    if (target_zone(instr.c, to)) add_packet(parcel, begin, kind == 2, to, under, side);
    return fault == FaultCode::none;
  };
  if (clause.keys.empty() && !clause.backwards) {
    each(clause, read);
  } else {
    Rows rows;
    collect(clause, rows);
    const auto width = static_cast<std::int32_t>(clause.binders.size());
    for (std::int32_t row = 0; row < rows.size; row += width) {
      bind_row(clause, rows.values + row);
      if (!read()) break;
    }
  }
  if (fault == FaultCode::none && !settle_order(parcel) && fault == FaultCode::none) carry(parcel);
}

void Interpreter::pay(const ir::Instr& instr) {
  const std::int64_t amount = eval(instr.a);
  auto cell = [&](std::int32_t target, std::int32_t& position) -> const ir::Var& {
    const ir::Target& t = p.targets[static_cast<std::size_t>(target)];
    position = t.index == ir::kNoNode ? 0 : static_cast<std::int32_t>(eval_position(t.index));
    return p.vars[static_cast<std::size_t>(t.var)];
  };
  std::int32_t from_at = 0;
  std::int32_t to_at = 0;
  const ir::Var& from = cell(instr.b, from_at);
  const ir::Var& to = cell(instr.c, to_at);
  if (fault != FaultCode::none) return;
  const std::int32_t from_offset = from.cell.offset + from_at * (1 << static_cast<int>(from.cell.width));
  const std::int32_t to_offset = to.cell.offset + to_at * (1 << static_cast<int>(to.cell.width));
  if (from_offset == to_offset) return;
  const std::int64_t left = load(from_offset, from.cell.width) - amount;
  const std::int64_t right = load(to_offset, to.cell.width) + amount;
  if (amount < 0 || left < from.low || left > from.high || right < to.low || right > to.high) {
    fail_here(FaultCode::out_of_range);
    return;
  }
  store(from_offset, from.cell.width, left);
  store(to_offset, to.cell.width, right);
  write_known(from, from_at);
  write_known(to, to_at);
  if (logging()) {
    log_set(p.targets[static_cast<std::size_t>(instr.b)].var, from_at);
    log_set(p.targets[static_cast<std::size_t>(instr.c)].var, to_at);
  }
}

void Interpreter::show(const ir::Instr& instr) {
  const std::uint32_t seats = instr.c == ir::kNoNode ? all_seats : eval_seats(instr.c);
  switch (instr.b) {
    case 0:
    case 1:
    case 2: {
      List cards;
      read_cards(instr.b, instr.a, cards);
      if (fault != FaultCode::none) return;
      close_drawn();
      for (std::int32_t i = 0; i < cards.size; ++i) {
        const std::uint32_t knew = known(cards.values[i]);
        known(cards.values[i]) |= seats;
        if (logging()) log_show_card(cards.values[i], seats, knew);
      }
      return;
    }
    case 3: {
      const ir::Target& target = p.targets[static_cast<std::size_t>(instr.a)];
      const ir::Var& var = p.vars[static_cast<std::size_t>(target.var)];
      const bool all = target.index == ir::kNoNode;
      const std::int32_t first = all ? 0 : static_cast<std::int32_t>(eval_position(target.index));
      if (fault != FaultCode::none) return;
      for (std::int32_t i = first; i < (all ? var.count : first + 1); ++i) {
        if (var.known >= 0) at<std::uint32_t>(var.known + 4 * i) |= seats;
        if (logging()) log_show_var(target.var, i, seats);
      }
      return;
    }
    case 6: {
      List values;
      eval_list(instr.a, values);
      if (fault == FaultCode::none && logging()) log_show_values(values, instr.d, seats);
      return;
    }
    default: {
      // a value that sits nowhere goes into the logs
      const std::int64_t value = eval(instr.a);
      if (fault == FaultCode::none && logging()) log_show_value(value, instr.d, seats);
      return;
    }
  }
}

bool Interpreter::effect(const ir::Instr& instr) {
  switch (instr.op) {
    case InstrOp::move: {
      const std::int64_t c = eval(instr.a);
      std::int32_t zone = 0;
      if (c == ir::kNone || fault != FaultCode::none) break;
      const std::int64_t side = optional_side(instr.c);
      if (target_zone(instr.b, zone)) move_one(static_cast<std::int32_t>(c), zone, instr.d != 0, side);
      break;
    }
    case InstrOp::move_set:
    case InstrOp::move_list:
    case InstrOp::move_zone: {
      Parcel parcel;
      read_cards(instr.op == InstrOp::move_set ? 1 : instr.op == InstrOp::move_list ? 2 : 3, instr.a, parcel.cards);
      std::int32_t zone = 0;
      if (parcel.cards.size == 0 || fault != FaultCode::none) break;
      const std::int64_t side = optional_side(instr.c);
      if (!target_zone(instr.b, zone)) break;
      add_packet(parcel, 0, instr.op == InstrOp::move_list, zone, instr.d != 0, side);
      if (settle_order(parcel)) return true;
      if (fault == FaultCode::none) carry(parcel);
      break;
    }
    case InstrOp::move_each: move_each(instr); break;
    case InstrOp::fill: fill(instr); break;
    case InstrOp::swap: {
      const std::int64_t a = eval(instr.a);
      const std::int64_t b = eval(instr.b);
      if (fault != FaultCode::none) break;
      if (a == ir::kNone || b == ir::kNone) {
        fail_here(FaultCode::none_used);
        break;
      }
      swap_components(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b));
      break;
    }
    case InstrOp::swap_set: {
      List cards;
      read_cards(1, instr.a, cards);
      if (fault != FaultCode::none) break;
      if (cards.size != 2) {
        fail_here(FaultCode::not_fitting);
        break;
      }
      swap_components(cards.values[0], cards.values[1]);
      break;
    }
    case InstrOp::swap_zones: {
      const ZoneRange a = eval_zone(instr.a);
      const ZoneRange b = eval_zone(instr.b);
      if (fault == FaultCode::none) swap_zones(a.first, b.first);
      break;
    }
    case InstrOp::turn: {
      List cards;
      read_cards(instr.c, instr.a, cards);
      if (cards.size == 0) break;
      const std::int64_t side = eval(instr.b);
      for (std::int32_t i = 0; i < cards.size && fault == FaultCode::none; ++i) turn(cards.values[i], side);
      break;
    }
    case InstrOp::shuffle: {
      const ZoneRange range = eval_zone(instr.a);
      for (std::int32_t z = range.first; z < range.first + range.count && fault == FaultCode::none; ++z) shuffle(z);
      break;
    }
    case InstrOp::roll_end:
      for (std::int32_t c = 0; c < static_cast<std::int32_t>(p.components.size()); ++c) {
        std::int8_t& waiting = at<std::int8_t>(p.rolling + c);
        if (waiting == 0) continue;
        face(c) = static_cast<std::int8_t>(waiting - 1 + p.types[static_cast<std::size_t>(p.components[static_cast<std::size_t>(c)].type)].low_face - 1);
        waiting = 0;
        known(c) = sees_front(c);
        if (logging()) log_roll(c);
      }
      break;
    case InstrOp::set: {
      const std::int64_t value = eval(instr.b);
      if (fault == FaultCode::none) assign(p.targets[static_cast<std::size_t>(instr.a)], value);
      break;
    }
    case InstrOp::set_set: assign_set(p.targets[static_cast<std::size_t>(instr.a)], instr.b); break;
    case InstrOp::pay: pay(instr); break;
    case InstrOp::start_var: start_var(instr.a); break;
    case InstrOp::show: show(instr); break;
    default: return false;
  }
  if (header().status == static_cast<std::uint8_t>(Status::chance)) return true;
  // after a fault cards may lie nowhere
  if (fault == FaultCode::none && header().drawn != 0) close_drawn();
  if (fault == FaultCode::none && moving_eyes_) {
    const InstrOp op = instr.op;
    bool written = op == InstrOp::pay || op == InstrOp::start_var;
    if (op == InstrOp::set || op == InstrOp::set_set) {
      written = eyes_read_[static_cast<std::size_t>(p.targets[static_cast<std::size_t>(instr.a)].var)] != 0;
    }
    refresh(written);
  }
  if (logging()) log_end();
  return true;
}

}  // namespace rip
