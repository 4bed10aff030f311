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

namespace {
bool is_bag(std::uint8_t mark) { return mark != 0 && mark != ir::kDrawn; }
}  // namespace

void Interpreter::bag_around(std::int32_t z, std::int32_t index, std::int32_t& begin, std::int32_t& end) {
  const std::uint8_t* marks = bags(p.zones[static_cast<std::size_t>(z)]);
  const std::int32_t n = count(z);
  begin = index;
  end = index + 1;
  while (begin > 0 && marks[begin - 1] == ir::kDrawn) --begin;
  if (begin > 0 && is_bag(marks[begin - 1])) {
    for (const std::uint8_t mark = marks[begin - 1]; begin > 0 && marks[begin - 1] == mark;) --begin;
  }
  while (end < n && marks[end] == ir::kDrawn) ++end;
  if (end < n && is_bag(marks[end])) {
    for (const std::uint8_t mark = marks[end]; end < n && marks[end] == mark;) ++end;
  }
}

bool Interpreter::one_class(std::int32_t a, std::int32_t b) {
  if (a == b) return true;
  return p.components[static_cast<std::size_t>(a)].front_class == p.components[static_cast<std::size_t>(b)].front_class &&
         face(a) == face(b) && p.types[static_cast<std::size_t>(p.components[static_cast<std::size_t>(a)].type)].mergeable;
}

bool Interpreter::shown_alike(std::int32_t a, std::int32_t b) {
  if (face(a) != face(b)) return false;
  const ir::Component& x = p.components[static_cast<std::size_t>(a)];
  const ir::Component& y = p.components[static_cast<std::size_t>(b)];
  return face(a) == 0 ? x.front_class == y.front_class : x.back_class == y.back_class;
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

bool Interpreter::settle_index(std::int32_t z, std::int32_t index) {
  const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
  const std::uint8_t* marks = bags(zone);
  if (!is_bag(marks[index])) return false;
  std::int32_t begin = index;
  std::int32_t end = index + 1;
  while (begin > 0 && marks[begin - 1] == marks[index]) --begin;
  while (end < count(z) && marks[end] == marks[index]) ++end;
  // ids in a bag ascend, and equal components are neighbours
  const std::uint16_t* cards = ids(zone);
  bool alike = p.components[cards[begin]].front_class == p.components[cards[end - 1]].front_class;
  for (std::int32_t i = begin + 1; i < end && alike; ++i) alike = one_class(cards[begin], cards[i]);
  header().chance_a = z;
  header().chance_b = 2 * index;
  if (!alike) return chance_point(ChanceKind::settle, z, 2 * index);
  header().chance = static_cast<std::uint8_t>(ChanceKind::settle);
  apply_outcome(cards[begin]);
  return false;
}

bool Interpreter::settle_top(std::int32_t z, std::int64_t n, bool from_bottom) {
  const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
  if (count(z) < n) refill_if_due(z);
  if (zone.bags < 0) return false;
  for (std::int32_t k = 0; k < n && k < count(z); ++k) {
    const std::int32_t index = from_bottom ? k : count(z) - 1 - k;
    if (settle_index(z, index)) return true;
  }
  return false;
}

void Interpreter::refill_if_due(std::int32_t z) {
  const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
  if (zone.refill_from < 0) return;
  const ir::Zone& source = p.zones[static_cast<std::size_t>(zone.refill_from)];
  const std::int64_t keeping = zone.refill_keeping == ir::kNoNode ? 0 : eval(zone.refill_keeping);
  const std::int32_t leaving = count(zone.refill_from) - static_cast<std::int32_t>(keeping);
  if (leaving <= 0) return;
  // what was left on top stays on top; the newcomers are a bag below
  std::int32_t cards[ir::kMaxList];
  for (std::int32_t i = 0; i < leaving; ++i) cards[i] = ids(source)[i];
  std::sort(cards, cards + leaving);
  const std::int32_t from = zone.refill_from;
  for (std::int32_t i = 0; i < leaving; ++i) {
    remove(cards[i]);
    insert(cards[i], z, i, 0);
    face(cards[i]) = p.types[static_cast<std::size_t>(p.components[static_cast<std::size_t>(cards[i])].type)].hidden_side ? 1 : face(cards[i]);
  }
  std::uint8_t* marks = bags(zone);
  const std::uint8_t mark = leaving < count(z) && marks[leaving] == 1 ? 2 : 1;
  for (std::int32_t i = 0; i < leaving; ++i) marks[i] = leaving > 1 ? mark : 0;
  mix(z, 0, leaving);
  if (logging()) log_refill(z, from);
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
    for (std::int32_t i = n - 1; i-- > 0 && marks[i] == marks[n - 1];) {
      if (shown_alike(cards[n - 1], cards[i])) continue;
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
  const ir::Domain domain = instr.d >= 0 ? pool_domain(instr.d) : component_domain();
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
    std::sort(ids(zone) + i, ids(zone) + end);
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
  for (std::int32_t z = first; z < last; ++z) {
    const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
    if (zone.bags < 0) continue;
    std::uint8_t* marks = bags(zone);
    bool any = false;
    for (std::int32_t i = 0, n = count(z); i < n; ++i) {
      if (marks[i] != ir::kDrawn) continue;
      // it stays, and nobody has seen it
      std::int32_t begin = 0;
      std::int32_t end = 0;
      bag_around(z, i, begin, end);
      const std::int32_t c = ids(zone)[i];
      left_mixed(c, z, begin, end, eyes(z));
      marks[i] = 0;
      any = true;
    }
    if (any) {
      normalise_bags(z);
      top_changed(z);
    }
  }
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
        fix(a, index, value, ir::kDrawn);
        h.drawn = h.drawn == 0 || h.drawn == a + 1 ? a + 1 : ir::kManyDrawn;
        return;
      }
      // its upper side shows what lies on top; the front nobody has seen
      std::int32_t begin = 0;
      std::int32_t end = 0;
      fix(a, index, value, 0);
      bag_around(a, index, begin, end);
      left_mixed(value, a, begin, end, eyes(a));
      const std::uint8_t* marks = bags(p.zones[static_cast<std::size_t>(a)]);
      if (index < 2 || marks[index - 2] != marks[index - 1]) normalise_bags(a);
      top_changed(a);
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
      ++h.pc;
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
      std::int32_t i = begin + static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(end - begin)));
      // the first of its class stands for all, so that a recorded game is the same
      const std::int32_t c = cards[i];
      while (i > begin && p.components[cards[i - 1]].front_class == p.components[static_cast<std::size_t>(c)].front_class) --i;
      while (!one_class(cards[i], c)) ++i;
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
        auto same = std::find_if(out.begin(), out.end(), [&](const Outcome& o) { return one_class(o.value, cards[i]); });
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
