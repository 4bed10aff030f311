// The effects: what moves, turns, mixes and changes. Operands are read completely before anything changes.
#include "interp/run/clauses.h"
#include "interp/run/interpreter.h"

#include <algorithm>

namespace rip {

using ir::InstrOp;

std::int32_t Interpreter::find(std::int32_t component) {
  const std::int32_t z = zone_of(component);
  const std::uint16_t* cards = ids(p.zones[static_cast<std::size_t>(z)]);
  std::int32_t i = 0;
  while (cards[i] != component) ++i;
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
    const bool lonely = marks[i] != 0 && marks[i] != ir::kDrawn;
    std::memmove(marks + i, marks + i + 1, static_cast<std::size_t>(n - 1 - i));
    marks[n - 1] = 0;
    --count(z);
    // two bags have met: they stay two, so the upper ones change their marks; a bag of one is none
    if (between) {
      for (std::int32_t k = i; k < n - 1 && marks[k] != 0; ++k) {
        if (marks[k] != ir::kDrawn) marks[k] = static_cast<std::uint8_t>(3 - marks[k]);
      }
    }
    // what is left of a bag after a draw may be a single card, which is fixed
    auto single = [&](std::int32_t k) {
      return k >= 0 && k < n - 1 && marks[k] != 0 && marks[k] != ir::kDrawn && (k == 0 || (marks[k - 1] != marks[k] && marks[k - 1] != ir::kDrawn)) &&
             (k + 1 >= n - 1 || (marks[k + 1] != marks[k] && marks[k + 1] != ir::kDrawn));
    };
    if (between || lonely || single(i - 1) || single(i)) normalise_bags(z);
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
  const ir::ComponentType& type = p.types[static_cast<std::size_t>(p.components[static_cast<std::size_t>(c)].type)];
  const std::uint32_t knew = known(c);
  const bool turns = !type.die && type.hidden_side;
  if (from == to) {
    if (source.kind == ir::ZoneKind::row || source.kind == ir::ZoneKind::pile) {
      if (source.bags >= 0 && bags(source)[find(c)] != 0) close_drawn();
      remove(c);
      insert(c, to, under ? 0 : count(to), 0);
      if (turns && side != ir::kNone) face(c) = static_cast<std::int8_t>(side);
      learn(c);
      top_changed(to);
      if (logging()) log_move(c, from, knew, known(c), true);
    }
    return;
  }
  if (target.kind == ir::ZoneKind::place && count(to) > 0) {
    fail_here(FaultCode::place_full);
    return;
  }
  if (target.limit >= 0 && count(to) >= eval(target.limit)) {
    fail_here(FaultCode::over_max);
    return;
  }

  // where it was among cards that nobody tells apart, the others are [begin, end) once it is gone
  std::int32_t begin = 0;
  std::int32_t end = 0;
  const bool from_hand = source.kind == ir::ZoneKind::hand;
  if (source.bags >= 0) {
    const std::int32_t i = find(c);
    if (bags(source)[i] != 0) {
      bag_around(from, i, begin, end);
      --end;
    }
  }
  const std::uint32_t source_eyes = from_hand || end > begin ? eyes(from) : 0;
  remove(c);
  if (from_hand) end = count(from);

  if (turns) {
    if (side != ir::kNone) {
      face(c) = static_cast<std::int8_t>(side);
    } else if (target.face >= 0) {
      face(c) = target.face;
    } else if (target.kind == ir::ZoneKind::hand || target.deck) {
      face(c) = 1;
    }
  }
  std::int32_t index = under ? 0 : count(to);
  if (target.kind == ir::ZoneKind::hand) {
    const std::uint16_t* cards = ids(target);
    index = static_cast<std::int32_t>(std::lower_bound(cards, cards + count(to), c) - cards);
  }
  insert(c, to, index, 0);
  if (fault != FaultCode::none) return;
  const std::uint32_t sees = sees_front(c);
  known(c) |= sees;
  if (end > begin || from_hand) left_mixed(c, from, begin, end, source_eyes | sees);
  top_changed(from);
  if (index + 1 < count(to)) top_changed(to);
  if (logging()) log_move(c, from, knew, known(c), false);
}

void Interpreter::move_packet(const List& cards, std::int32_t to, bool under, std::int64_t side) {
  const ir::Zone& target = p.zones[static_cast<std::size_t>(to)];
  if (cards.size == 0) return;
  const bool pile = target.kind == ir::ZoneKind::pile;
  bool mixed = false;
  if (cards.size > 1 && pile && target.bags >= 0) {
    for (std::int32_t i = 0; i < cards.size && !mixed; ++i) {
      const std::int32_t z = zone_of(cards.values[i]);
      const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
      mixed = zone.kind == ir::ZoneKind::hand || (zone.bags >= 0 && z != to && bags(zone)[find(cards.values[i])] != 0 &&
                                                  bags(zone)[find(cards.values[i])] != ir::kDrawn);
    }
  }
  const std::int32_t before = count(to);
  for (std::int32_t i = 0; i < cards.size && fault == FaultCode::none; ++i) {
    move_one(cards.values[pile && !under ? cards.size - 1 - i : i], to, under, side);
  }
  if (!mixed || fault != FaultCode::none) return;
  // a packet without an order is a bag of its own
  const std::int32_t begin = under ? 0 : before;
  const std::int32_t end = begin + cards.size;
  std::uint8_t* marks = bags(target);
  std::uint8_t mark = 1;
  if (begin > 0 && marks[begin - 1] == mark) mark = 2;
  if (end < count(to) && marks[end] == mark) mark = static_cast<std::uint8_t>(3 - mark);
  for (std::int32_t i = begin; i < end; ++i) marks[i] = mark;
  if (begin > 0 && marks[begin - 1] == mark) {
    for (std::int32_t k = begin - 1; k >= 0 && marks[k] != 0; --k) marks[k] = static_cast<std::uint8_t>(3 - marks[k]);
  }
  mix(to, begin, end);
  normalise_bags(to);
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
      for (std::int32_t w = 0; w < component_words; ++w) {
        for (Word rest = words[w]; rest != 0; rest &= rest - 1) out.push(64 * w + __builtin_ctzll(rest));
      }
      sort_by_place(out);
      return;
    }
    case 2: eval_list(node, out); return;
    case 3: {
      const ZoneRange range = eval_zone(node);
      for (std::int32_t z = range.first; z < range.first + range.count; ++z) append_zone(z, out);
      return;
    }
    default: return;
  }
}

void Interpreter::swap_components(std::int32_t a, std::int32_t b) {
  if (a == b) return;
  const std::int32_t za = zone_of(a);
  const std::int32_t zb = zone_of(b);
  const std::int32_t ia = find(a);
  const std::int32_t ib = find(b);
  const std::uint32_t knew_a = known(a);
  const std::uint32_t knew_b = known(b);
  const std::int8_t side_a = face(a);
  const std::int8_t side_b = face(b);
  auto put = [&](std::int32_t c, std::int32_t z, std::int32_t i) {
    ids(p.zones[static_cast<std::size_t>(z)])[i] = static_cast<std::uint16_t>(c);
    zone_of(c) = static_cast<std::uint16_t>(z);
  };
  put(a, zb, ib);
  put(b, za, ia);
  const bool dice = p.types[static_cast<std::size_t>(p.components[static_cast<std::size_t>(a)].type)].die;
  if (!dice) {
    face(a) = side_b;
    face(b) = side_a;
  }
  for (const std::int32_t z : {za, zb}) {
    const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
    if (zone.kind == ir::ZoneKind::hand) std::sort(ids(zone), ids(zone) + count(z));
  }
  learn(a);
  learn(b);
  auto lost = [&](std::int32_t left, std::int32_t z) {
    const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
    if (zone.kind == ir::ZoneKind::hand && za != zb) left_mixed(left, z, 0, count(z), eyes(z) | sees_front(left));
  };
  lost(a, za);
  lost(b, zb);
  if (logging()) {
    log_swap(a, b, knew_a, knew_b);
  }
}

void Interpreter::swap_zones(std::int32_t a, std::int32_t b) {
  if (a == b) return;
  List first;
  List second;
  append_zone(a, first);
  append_zone(b, second);
  // sides travel with the places they come from: each card keeps the side it lay on
  std::int8_t sides[ir::kMaxList];
  std::int8_t others[ir::kMaxList];
  for (std::int32_t i = 0; i < first.size; ++i) sides[i] = face(first.values[i]);
  for (std::int32_t i = 0; i < second.size; ++i) others[i] = face(second.values[i]);
  const bool pile_a = p.zones[static_cast<std::size_t>(a)].kind == ir::ZoneKind::pile;
  const bool pile_b = p.zones[static_cast<std::size_t>(b)].kind == ir::ZoneKind::pile;
  std::vector<std::uint32_t> knew;
  for (std::int32_t i = 0; i < first.size; ++i) remove(first.values[i]);
  for (std::int32_t i = 0; i < second.size; ++i) remove(second.values[i]);
  for (std::int32_t i = 0; i < first.size; ++i) insert(first.values[i], b, pile_b ? 0 : count(b), 0);
  for (std::int32_t i = 0; i < second.size; ++i) insert(second.values[i], a, pile_a ? 0 : count(a), 0);
  for (const std::int32_t z : {a, b}) {
    const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
    if (zone.kind == ir::ZoneKind::hand) std::sort(ids(zone), ids(zone) + count(z));
  }
  auto settle_sides = [&](const List& cards, const std::int8_t* kept, std::int32_t z) {
    const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
    for (std::int32_t i = 0; i < cards.size; ++i) {
      const std::int32_t c = cards.values[i];
      const ir::ComponentType& type = p.types[static_cast<std::size_t>(p.components[static_cast<std::size_t>(c)].type)];
      if (!type.die && type.hidden_side) face(c) = zone.face >= 0 ? zone.face : zone.kind == ir::ZoneKind::hand ? 1 : kept[i];
      const std::uint32_t before = known(c);
      learn(c);
      if (logging()) log_move(c, z == a ? b : a, before, known(c), false);
    }
  };
  settle_sides(first, sides, b);
  settle_sides(second, others, a);
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
  if (logging()) log_shuffle(z);
}

void Interpreter::fill(const ir::Instr& instr) {
  const std::int32_t pile = instr.c;
  const std::int64_t side = optional_side(instr.d);
  const ZoneRange range = eval_zone(instr.a);
  if (instr.b == ir::kNoNode) {
    for (std::int32_t z = range.first; z < range.first + range.count && fault == FaultCode::none; ++z) {
      const std::int32_t n = count(pile);
      if (count(z) == 0 && n > 0) move_one(ids(p.zones[static_cast<std::size_t>(pile)])[n - 1], z, false, side);
    }
    return;
  }
  const std::int64_t wanted = eval(instr.b);
  if (fault != FaultCode::none) return;
  for (std::int64_t missing = wanted - count(range.first); missing > 0 && count(pile) > 0 && fault == FaultCode::none; --missing) {
    move_one(ids(p.zones[static_cast<std::size_t>(pile)])[count(pile) - 1], range.first, false, side);
  }
}

void Interpreter::move_each(const ir::Instr& instr) {
  struct Packet {
    std::int32_t begin, end, zone;
    std::int64_t side;
  };
  const ir::Clause& clause = p.clauses[static_cast<std::size_t>(instr.a)];
  const std::int32_t kind = p.pool[static_cast<std::size_t>(instr.b)];
  const ir::Node what = p.pool[static_cast<std::size_t>(instr.b) + 1];
  const ir::Node side = p.pool[static_cast<std::size_t>(instr.d)];
  const bool under = p.pool[static_cast<std::size_t>(instr.d) + 1] != 0;
  List cards;
  Packet packets[ir::kMaxList];
  std::int32_t n = 0;
  auto read = [&] {
    if (n >= ir::kMaxList) return false;
    Packet& packet = packets[n++];
    packet.begin = cards.size;
    read_cards(kind, what, cards);
    packet.end = cards.size;
    packet.side = optional_side(side);
    if (cards.size == packet.begin) {
      --n;
      return fault == FaultCode::none;
    }
    return target_zone(instr.c, packet.zone);
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
  for (std::int32_t i = 0; i < n && fault == FaultCode::none; ++i) {
    if (packets[i].end - packets[i].begin == 1) {
      move_one(cards.values[packets[i].begin], packets[i].zone, under, packets[i].side);
      continue;
    }
    List packet;
    for (std::int32_t k = packets[i].begin; k < packets[i].end; ++k) packet.push(cards.values[k]);
    move_packet(packet, packets[i].zone, under, packets[i].side);
  }
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
      List cards;
      read_cards(instr.op == InstrOp::move_set ? 1 : instr.op == InstrOp::move_list ? 2 : 3, instr.a, cards);
      std::int32_t zone = 0;
      if (cards.size == 0 || fault != FaultCode::none) break;
      const std::int64_t side = optional_side(instr.c);
      if (target_zone(instr.b, zone)) move_packet(cards, zone, instr.d != 0, side);
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
  if (header().drawn != 0) close_drawn();
  if (logging()) log_end();
  return true;
}

}  // namespace rip
