// Chance: bags are settled one component at a time, dice one after the other; every probability is exact.
#include "interp/run/clauses.h"

#include <algorithm>

namespace rip {

bool Interpreter::chance_point(ChanceKind kind, std::int32_t a, std::int32_t b) {
  ir::Header& h = header();
  h.chance = static_cast<std::uint8_t>(kind);
  h.chance_a = a;
  h.chance_b = b;
  if (rng == nullptr) {
    h.status = static_cast<std::uint8_t>(Status::chance);
    return true;
  }
  apply_outcome(sample_value(*rng));
  return false;
}

void Interpreter::bag_around(std::int32_t z, std::int32_t index, std::int32_t& begin, std::int32_t& end) {
  const std::uint8_t* marks = bags(p.zones[static_cast<std::size_t>(z)]);
  const std::int32_t n = count(z);
  begin = index;
  end = index + 1;
  const auto spread = [&](std::uint8_t mark) {
    while (begin > 0 && marks[begin - 1] == mark) --begin;
    while (end < n && marks[end] == mark) ++end;
  };
  std::uint8_t mark = marks[index];
  spread(mark);
  if (mark == ir::kDrawn) {
    // drawn from the bag below, or from the one above
    if (begin > 0 && is_bag(marks[begin - 1])) mark = marks[--begin];
    else if (end < n && is_bag(marks[end])) mark = marks[end++];
    spread(mark);
  }
  if (is_bag(mark)) spread(ir::kDrawn);
}

void Interpreter::fix(std::int32_t z, std::int32_t index, std::int32_t component, std::uint8_t mark) {
  const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
  std::uint16_t* cards = ids(zone);
  const std::int32_t from = find(component);
  if (from < index) {
    std::rotate(cards + from, cards + from + 1, cards + index + 1);
  } else {
    std::rotate(cards + index, cards + from, cards + from + 1);
  }
  bags(zone)[index] = mark;
}

void Interpreter::draw(std::int32_t z, std::int32_t index, std::int32_t component) {
  std::uint8_t* marks = bags(p.zones[static_cast<std::size_t>(z)]);
  const std::uint8_t mark = marks[index];
  fix(z, index, component, ir::kDrawn);
  std::int32_t begin = index;
  std::int32_t end = index + 1;
  const std::int32_t n = count(z);
  while (begin > 0 && marks[begin - 1] == ir::kDrawn) --begin;
  while (end < n && marks[end] == ir::kDrawn) ++end;
  if ((begin > 0 && marks[begin - 1] == mark) || (end < n && marks[end] == mark)) return;
  // nothing is left of the bag: what is drawn beside it next comes from another one
  const bool taken = (begin > 0 && marks[begin - 1] == ir::kAllDrawn) || (end < n && marks[end] == ir::kAllDrawn);
  std::fill(marks + begin, marks + end, static_cast<std::uint8_t>(taken ? ir::kAllDrawn - 1 : ir::kAllDrawn));
}

bool Interpreter::settle_index(std::int32_t z, std::int32_t index) {
  const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
  const std::uint8_t* marks = bags(zone);
  if (!is_bag(marks[index])) return false;
  std::int32_t begin = index;
  std::int32_t end = index + 1;
  while (begin > 0 && marks[begin - 1] == marks[index]) --begin;
  while (end < count(z) && marks[end] == marks[index]) ++end;
  const std::uint16_t* cards = ids(zone);
  bool equal = true;
  for (std::int32_t i = end - 1; i > begin && equal; --i) equal = alike(cards[begin], cards[i]);
  header().chance_a = z;
  header().chance_b = 2 * index;
  if (!equal) return chance_point(ChanceKind::settle, z, 2 * index);
  header().chance = static_cast<std::uint8_t>(ChanceKind::settle);
  apply_outcome(cards[begin]);
  return false;
}

bool Interpreter::settle_top(std::int32_t z, std::int64_t n, bool from_bottom) {
  const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
  // what leaves from the bottom leaves before anything that comes below it
  if ((from_bottom ? n > 0 && count(z) == 0 : count(z) < n) && refill(z)) return true;
  if (zone.bags < 0) return false;
  for (std::int32_t k = 0; k < n && k < count(z); ++k) {
    const std::int32_t index = from_bottom ? k : count(z) - 1 - k;
    if (settle_index(z, index)) return true;
  }
  return false;
}

/// Which components are the newest ones of a bag that reaches below them is chance: they stay, the others leave. True: the
/// game waits for it.
bool Interpreter::settle_kept(std::int32_t z, std::int32_t leaving) {
  const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
  const std::int32_t n = count(z);
  if (zone.bags < 0 || leaving >= n) return false;
  const std::uint8_t* marks = bags(zone);
  while (is_bag(marks[leaving]) && marks[leaving - 1] == marks[leaving]) {
    std::int32_t end = leaving + 1;
    while (end < n && marks[end] == marks[leaving]) ++end;
    if (settle_index(z, end - 1)) return true;
  }
  // the rest of their bag is about to be mixed among others
  if (header().drawn != 0) {
    close_drawn_in(z);
    if (!departures_.empty()) forget_departed();
  }
  return false;
}

bool Interpreter::refill(std::int32_t z) {
  const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
  if (zone.refill_from < 0) return false;
  const ir::Zone& source = p.zones[static_cast<std::size_t>(zone.refill_from)];
  const std::int64_t keeping = zone.refill_keeping == ir::kNoNode ? 0 : eval(zone.refill_keeping);
  const std::int32_t leaving = count(zone.refill_from) - static_cast<std::int32_t>(keeping);
  if (leaving <= 0) return false;
  if (settle_kept(zone.refill_from, leaving)) return true;
  // what was left on top stays on top; the newcomers are a bag below
  std::int32_t cards[ir::kMaxList];
  for (std::int32_t i = 0; i < leaving; ++i) cards[i] = ids(source)[i];
  std::sort(cards, cards + leaving);
  const std::int32_t from = zone.refill_from;
  for (std::int32_t i = 0; i < leaving; ++i) {
    remove(cards[i]);
    insert(cards[i], z, i, 0);
    if (kind_[static_cast<std::size_t>(cards[i])] == Kind::card) face(cards[i]) = 1;
  }
  std::uint8_t* marks = bags(zone);
  const std::uint8_t mark = leaving < count(z) && marks[leaving] == 1 ? 2 : 1;
  for (std::int32_t i = 0; i < leaving; ++i) marks[i] = leaving > 1 ? mark : 0;
  mix(z, 0, leaving);
  for (std::int32_t i = 0; i < leaving && !indexed_vars_.empty(); ++i) reset_indexed(cards[i]);
  top_changed(from);
  if (logging()) log_refill(z, from);
  return false;
}

bool Interpreter::settle(const ir::Instr& instr) {
  const ZoneRange range = eval_zone(instr.a);
  std::int64_t n = instr.b == ir::kNoNode ? 1 : eval(instr.b);
  if (fault != FaultCode::none) return false;
  for (std::int32_t z = range.first; z < range.first + range.count; ++z) {
    if (instr.c == 2) {
      if (settle_top(z, n, p.zones[static_cast<std::size_t>(z)].kind == ir::ZoneKind::pile)) return true;
    } else if (settle_top(z, n, instr.c == 1)) {
      return true;
    }
  }
  return false;
}

bool Interpreter::settle_fill(const ir::Instr& instr) {
  const ZoneRange range = eval_zone(instr.a);
  std::int64_t missing = 0;
  if (instr.b == ir::kNoNode) {
    for (std::int32_t z = range.first; z < range.first + range.count; ++z) missing += count(z) == 0 ? 1 : 0;
  } else {
    missing = eval(instr.b) - count(range.first);
  }
  return fault == FaultCode::none && missing > 0 && settle_top(instr.c, missing, false);
}

bool Interpreter::settle_each(const ir::Instr& instr) {
  // the bindings are read anew after each chance point: settling changes nothing that they can read
  const ir::Clause& clause = p.clauses[static_cast<std::size_t>(instr.a)];
  bool waits = false;
  each(clause, [&] {
    const ZoneRange range = eval_zone(instr.b);
    const std::int64_t n = instr.c == ir::kNoNode ? 1 : eval(instr.c);
    if (fault != FaultCode::none) return false;
    for (std::int32_t z = range.first; z < range.first + range.count && !waits; ++z) waits = settle_top(z, n, instr.d == 1);
    return !waits;
  });
  return waits;
}

bool Interpreter::expose() {
  for (const std::int32_t z : expose_zones) {
    const std::int32_t n = count(z);
    if (n == 0) continue;
    const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
    const std::uint8_t* marks = bags(zone);
    if (!is_bag(marks[n - 1])) continue;
    const std::uint16_t* cards = ids(zone);
    const bool some_eyes = has_eyes(zone);
    for (std::int32_t i = n - 1; i-- > 0 && marks[i] == marks[n - 1];) {
      if (shown_alike(some_eyes, cards[n - 1], cards[i])) continue;
      if (chance_point(ChanceKind::settle, z, 2 * (n - 1) + 1)) return true;
      break;
    }
  }
  return false;
}

bool Interpreter::roll() {
  while (true) {
    List waiting;
    for (std::int32_t c = 0; c < static_cast<std::int32_t>(p.components.size()); ++c) {
      if (at<std::int8_t>(p.rolling + c) == 1) waiting.push(c);
    }
    if (waiting.size == 0) return false;
    sort_by_place(waiting);
    const std::int32_t c = waiting.values[0];
    const ir::ComponentType& type = p.types[static_cast<std::size_t>(p.components[static_cast<std::size_t>(c)].type)];
    if (type.low_face == type.high_face) {
      at<std::int8_t>(p.rolling + c) = 2;
      continue;
    }
    if (chance_point(ChanceKind::roll, c, 0)) return true;
  }
}

void Interpreter::random_values(List& out) {
  const ir::Instr& instr = p.code[static_cast<std::size_t>(header().pc)];
  if (instr.c == 1) {
    eval_list(instr.b, out);
    return;
  }
  if (instr.d < 0) {
    read_cards(1, instr.b, out);  // components in the order of their places
    return;
  }
  const ir::Domain domain = pool_domain(instr.d);
  Word words[ir::kMaxWords];
  eval_set(instr.b, domain, words);
  for (std::int32_t w = 0; w < domain.words; ++w) {
    for (Word rest = words[w]; rest != 0; rest &= rest - 1) out.push(domain.low + 64 * w + __builtin_ctzll(rest));
  }
}

void Interpreter::normalise_bags(std::int32_t z) {
  const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
  std::uint8_t* marks = bags(zone);
  const std::int32_t n = count(z);
  std::uint8_t next = 1;
  for (std::int32_t i = 0; i < n;) {
    if (!is_bag(marks[i])) {
      if (marks[i] == 0) next = 1;
      ++i;
      continue;
    }
    std::int32_t end = i + 1;
    while (end < n && marks[end] == marks[i]) ++end;
    const bool drawn_beside = (i > 0 && marks[i - 1] == ir::kDrawn) || (end < n && marks[end] == ir::kDrawn);
    const std::uint8_t mark = end - i == 1 && !drawn_beside ? 0 : next;
    if (!std::is_sorted(ids(zone) + i, ids(zone) + end)) std::sort(ids(zone) + i, ids(zone) + end);
    std::fill(marks + i, marks + end, mark);
    if (mark != 0) next = static_cast<std::uint8_t>(3 - mark);
    else next = 1;
    i = end;
  }
}

void Interpreter::close_drawn() {
  const std::int32_t drawn = header().drawn;
  if (drawn == 0) return;
  header().drawn = 0;
  const std::int32_t first = drawn == ir::kManyDrawn ? 0 : drawn - 1;
  const std::int32_t last = drawn == ir::kManyDrawn ? static_cast<std::int32_t>(p.zones.size()) : drawn;
  for (std::int32_t z = first; z < last; ++z) close_drawn_in(z);
  if (!departures_.empty()) forget_departed();
}

void Interpreter::close_drawn_in(std::int32_t z) {
  const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
  if (zone.bags < 0) return;
  std::uint8_t* marks = bags(zone);
  const std::int32_t n = count(z);
  bool any = false;
  for (std::int32_t i = 0; i < n; ++i) {
    if (!is_drawn(marks[i])) continue;
    departs(ids(zone)[i]);
    any = true;
  }
  if (!any) return;
  // it stays where it has come to lie; who does not see it there cannot say which of them it was
  std::replace_if(marks, marks + n, is_drawn, std::uint8_t{0});
  normalise_bags(z);
  top_changed(z);
}

void Interpreter::apply_outcome(std::int32_t value) {
  ir::Header& h = header();
  const auto kind = static_cast<ChanceKind>(h.chance);
  h.chance = static_cast<std::uint8_t>(ChanceKind::none);
  const std::int32_t a = h.chance_a;
  const std::int32_t b = h.chance_b;
  h.chance_a = 0;
  h.chance_b = 0;
  h.status = static_cast<std::uint8_t>(Status::running);
  switch (kind) {
    case ChanceKind::settle: {
      const std::int32_t index = b / 2;
      if (b % 2 == 0) {
        draw(a, index, value);
        h.drawn = h.drawn == 0 || h.drawn == a + 1 ? a + 1 : ir::kManyDrawn;
        return;
      }
      // its upper side shows what lies on top
      departs(value);
      fix(a, index, value, 0);
      const std::uint8_t* marks = bags(p.zones[static_cast<std::size_t>(a)]);
      if (index < 2 || marks[index - 2] != marks[index - 1]) normalise_bags(a);
      top_changed(a);
      forget_departed();
      if (logging()) log_exposed(a);
      return;
    }
    case ChanceKind::roll: {
      const std::int32_t low = p.types[static_cast<std::size_t>(p.components[static_cast<std::size_t>(a)].type)].low_face;
      at<std::int8_t>(p.rolling + a) = static_cast<std::int8_t>(value - low + 2);
      return;
    }
    case ChanceKind::random: {
      const ir::Instr& instr = p.code[static_cast<std::size_t>(h.pc)];
      if (instr.op == ir::InstrOp::random) {
        assign(p.targets[static_cast<std::size_t>(instr.a)], value);
      } else {
        store_local(p.frame_locals[static_cast<std::size_t>(instr.a)], value);
      }
      if (moving_eyes_) refresh(true);
      ++h.pc;
      return;
    }
    case ChanceKind::which:
      h.chance_a = a;
      h.chance_b = b;
      settle_which(value);
      h.chance_a = 0;
      h.chance_b = 0;
      return;
    case ChanceKind::order: {
      Order order;
      read_order(order);
      order.laid.push(value);
      order.left.size = 0;
      write_order(order);
      return;
    }
    case ChanceKind::none: return;
  }
}

std::int32_t Interpreter::sample_value(Rng& random) {
  const ir::Header& h = header();
  switch (static_cast<ChanceKind>(h.chance)) {
    case ChanceKind::settle: {
      const ir::Zone& zone = p.zones[static_cast<std::size_t>(h.chance_a)];
      const std::uint8_t* marks = bags(zone);
      const std::uint16_t* cards = ids(zone);
      const std::int32_t index = h.chance_b / 2;
      std::int32_t begin = index;
      std::int32_t end = index + 1;
      while (begin > 0 && marks[begin - 1] == marks[index]) --begin;
      while (end < count(h.chance_a) && marks[end] == marks[index]) ++end;
      // the first of those that are alike stands for all, so that a recorded game is the same
      const std::int32_t c = cards[begin + static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(end - begin)))];
      auto i = static_cast<std::int32_t>(std::lower_bound(cards + begin, cards + end, front_[static_cast<std::size_t>(c)]) - cards);
      while (!alike(cards[i], c)) ++i;
      return cards[i];
    }
    case ChanceKind::roll: {
      const ir::ComponentType& type = p.types[static_cast<std::size_t>(p.components[static_cast<std::size_t>(h.chance_a)].type)];
      return type.low_face + static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(type.high_face - type.low_face + 1)));
    }
    case ChanceKind::random: {
      List values;
      random_values(values);
      return values.values[random.below(static_cast<std::uint64_t>(values.size))];
    }
    case ChanceKind::which: {
      auto k = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(list_candidates())));
      for (const Candidate& same : candidates_) {
        if (k < same.weight) return same.first;
        k -= same.weight;
      }
      return 0;
    }
    case ChanceKind::order: {
      Order order;
      read_order(order);
      return draw_alike(order.left, random);
    }
    case ChanceKind::none: return 0;
  }
  return 0;
}

std::uint32_t Interpreter::sample_outcome(Rng& random) {
  const std::int32_t value = sample_value(random);
  std::vector<Outcome> all;
  outcomes(all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].value == value) return static_cast<std::uint32_t>(i);
  }
  return 0;
}

void Interpreter::outcomes(std::vector<Outcome>& out) {
  out.clear();
  const ir::Header& h = header();
  switch (static_cast<ChanceKind>(h.chance)) {
    case ChanceKind::settle: {
      const ir::Zone& zone = p.zones[static_cast<std::size_t>(h.chance_a)];
      const std::uint8_t* marks = bags(zone);
      const std::uint16_t* cards = ids(zone);
      const std::int32_t index = h.chance_b / 2;
      std::int32_t begin = index;
      std::int32_t end = index + 1;
      while (begin > 0 && marks[begin - 1] == marks[index]) --begin;
      while (end < count(h.chance_a) && marks[end] == marks[index]) ++end;
      for (std::int32_t i = begin; i < end; ++i) {
        auto same = std::find_if(out.begin(), out.end(), [&](const Outcome& o) { return alike(o.value, cards[i]); });
        if (same != out.end()) {
          ++same->weight;
        } else {
          out.push_back({1, cards[i], zone.name + " yields " + p.components[cards[i]].phrase});
        }
      }
      return;
    }
    case ChanceKind::roll: {
      const ir::Component& die = p.components[static_cast<std::size_t>(h.chance_a)];
      const ir::ComponentType& type = p.types[static_cast<std::size_t>(die.type)];
      for (std::int32_t v = type.low_face; v <= type.high_face; ++v) out.push_back({1, v, die.phrase + " shows " + std::to_string(v)});
      return;
    }
    case ChanceKind::random: {
      List values;
      random_values(values);
      for (std::int32_t i = 0; i < values.size; ++i) out.push_back({1, values.values[i], "chance picks " + random_text(values.values[i])});
      return;
    }
    case ChanceKind::which:
      list_candidates();
      for (const Candidate& same : candidates_) {
        out.push_back({static_cast<std::uint32_t>(same.weight), same.first, "it is " + move_name(candidate(same.first), kAllSeeing)});
      }
      return;
    case ChanceKind::order: {
      Order order;
      read_order(order);
      for (std::int32_t i = 0; i < order.left.size; ++i) {
        const std::int32_t c = order.left.values[i];
        const auto same = std::find_if(out.begin(), out.end(), [&](const Outcome& o) { return alike(o.value, c); });
        if (same != out.end()) ++same->weight;
        else out.push_back({1, c, "next comes " + p.components[static_cast<std::size_t>(c)].phrase});
      }
      return;
    }
    case ChanceKind::none: return;
  }
}

std::string Interpreter::random_text(std::int32_t value) {
  const ir::Instr& instr = p.code[static_cast<std::size_t>(header().pc)];
  if (instr.op != ir::InstrOp::random) return std::to_string(value);
  const ir::Var& var = p.vars[static_cast<std::size_t>(p.targets[static_cast<std::size_t>(instr.a)].var)];
  if (var.component) return p.components[static_cast<std::size_t>(value)].phrase;
  if (var.seat) return p.seats[static_cast<std::size_t>(value)];
  if (var.texts < 0) return std::to_string(value);
  const auto texts = static_cast<std::size_t>(var.texts);
  return p.value_texts[texts][static_cast<std::size_t>(value - p.value_lows[texts])];
}

void Interpreter::choose_outcome(std::uint32_t index) {
  std::vector<Outcome> all;
  outcomes(all);
  if (index >= all.size()) return;
  if (observer != nullptr) observer->chance_settled(static_cast<std::int32_t>(index), static_cast<std::int32_t>(all.size()), all[index]);
  apply_outcome(all[index].value);
}

}  // namespace rip
