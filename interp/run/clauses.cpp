// Order among bindings: keys, ties, first and best; and the picks of several members.
#include "interp/run/clauses.h"

#include <algorithm>

namespace rip {

std::int64_t Interpreter::key_value(const ir::Clause& clause, const ir::Key& key) {
  // every key becomes a number of which the lowest comes first
  switch (key.kind) {
    case ir::KeyKind::high: return -eval(key.value);
    case ir::KeyKind::low: return eval(key.value);
    case ir::KeyKind::clockwise_from:
    case ir::KeyKind::clockwise_after: {
      const std::int64_t base = eval(key.value);
      if (base == ir::kNone) return fail(FaultCode::none_used, key.value);
      std::int64_t steps = scratch[static_cast<std::size_t>(clause.clockwise_slot)] - base;
      if (steps < 0) steps += p.players;
      return steps == 0 && key.kind == ir::KeyKind::clockwise_after ? p.players : steps;
    }
  }
  return 0;
}

void Interpreter::bind_row(const ir::Clause& clause, const std::int64_t* row) {
  for (const auto& binder : clause.binders) scratch[static_cast<std::size_t>(binder.slot)] = *row++;
}

void Interpreter::collect(const ir::Clause& clause, Rows& out) {
  const std::size_t width = clause.binders.size();
  const std::size_t keys = clause.keys.size();
  const std::size_t row = width + keys;
  std::int32_t n = 0;
  each(clause, [&] {
    if ((static_cast<std::size_t>(n) + 1) * row > Rows::kMax) {
      fail_here(FaultCode::too_many);
      return false;
    }
    std::int64_t* to = out.values + static_cast<std::size_t>(n) * row;
    for (const auto& binder : clause.binders) *to++ = scratch[static_cast<std::size_t>(binder.slot)];
    for (const auto& key : clause.keys) *to++ = key_value(clause, key);
    ++n;
    return true;
  });
  const bool backwards = clause.backwards && (clause.backwards_if == ir::kNoNode || truth(clause.backwards_if));
  if (keys == 0 && !backwards) {
    out.size = n * static_cast<std::int32_t>(width);
    return;
  }
  auto key_of = [&](std::int32_t i) { return out.values + static_cast<std::size_t>(i) * row + width; };
  // insertion sort keeps equal rows in order, moves whole rows and needs no memory; bindings are few
  std::int64_t held[32];
  for (std::int32_t i = 1; i < n && keys > 0; ++i) {
    std::copy_n(out.values + static_cast<std::size_t>(i) * row, row, held);
    std::int32_t k = i;
    while (k > 0 && std::lexicographical_compare(held + width, held + row, key_of(k - 1), key_of(k - 1) + keys)) {
      std::copy_n(out.values + static_cast<std::size_t>(k - 1) * row, row, out.values + static_cast<std::size_t>(k) * row);
      --k;
    }
    std::copy_n(held, row, out.values + static_cast<std::size_t>(k) * row);
  }
  for (std::int32_t i = 1; i < n && keys > 0; ++i) {
    if (!std::equal(key_of(i), key_of(i) + keys, key_of(i - 1))) continue;
    const std::int64_t* a = out.values + static_cast<std::size_t>(i) * row;
    const std::int64_t* b = a - row;
    const bool equal_components = width == 1 && clause.binders[0].component &&
                                  p.components[static_cast<std::size_t>(*a)].front_class == p.components[static_cast<std::size_t>(*b)].front_class;
    if (!equal_components) fail(FaultCode::tie, clause.keys[0].value);
  }
  if (backwards) {
    for (std::int32_t i = 0; i < n / 2; ++i) {
      std::swap_ranges(out.values + static_cast<std::size_t>(i) * row, out.values + static_cast<std::size_t>(i + 1) * row,
                       out.values + static_cast<std::size_t>(n - 1 - i) * row);
    }
  }
  for (std::int32_t i = 0; i < n; ++i) {
    std::copy_n(out.values + static_cast<std::size_t>(i) * row, width, out.values + static_cast<std::size_t>(i) * width);
  }
  out.size = n * static_cast<std::int32_t>(width);
}

std::int64_t Interpreter::first_of(const ir::Clause& clause, ir::Node where) {
  const bool backwards = clause.backwards && (clause.backwards_if == ir::kNoNode || truth(clause.backwards_if));
  const std::size_t slot = static_cast<std::size_t>(clause.binders[0].slot);
  std::int64_t found = ir::kNone;
  if (clause.keys.empty()) {
    each(clause, [&] {
      found = scratch[slot];
      return backwards;
    });
    return found;
  }
  std::int64_t best[8];
  const std::size_t keys = std::min<std::size_t>(clause.keys.size(), 8);
  bool tie = false;
  each(clause, [&] {
    std::int64_t mine[8];
    for (std::size_t i = 0; i < keys; ++i) mine[i] = key_value(clause, clause.keys[i]);
    if (found == ir::kNone) {
      std::copy_n(mine, keys, best);
      found = scratch[slot];
      return true;
    }
    if (std::equal(mine, mine + keys, best)) {
      tie = tie || !clause.binders[0].component ||
            p.components[static_cast<std::size_t>(found)].front_class != p.components[static_cast<std::size_t>(scratch[slot])].front_class;
      return true;
    }
    const bool before = std::lexicographical_compare(mine, mine + keys, best, best + keys);
    if (before != backwards) {
      std::copy_n(mine, keys, best);
      found = scratch[slot];
      tie = false;
    }
    return true;
  });
  return tie ? fail(FaultCode::tie, where) : found;
}

void Interpreter::best_of(const ir::Clause& clause, ir::Domain domain, Word* out) {
  const bool backwards = clause.backwards && (clause.backwards_if == ir::kNoNode || truth(clause.backwards_if));
  const std::size_t slot = static_cast<std::size_t>(clause.binders[0].slot);
  std::int64_t best[8];
  const std::size_t keys = std::min<std::size_t>(clause.keys.size(), 8);
  bool any = false;
  each(clause, [&] {
    std::int64_t mine[8];
    for (std::size_t i = 0; i < keys; ++i) mine[i] = key_value(clause, clause.keys[i]);
    const bool equal = any && std::equal(mine, mine + keys, best);
    if (any && !equal && std::lexicographical_compare(mine, mine + keys, best, best + keys) == backwards) return true;
    if (!equal) {
      std::fill_n(out, domain.words, Word{0});
      std::copy_n(mine, keys, best);
      any = true;
    }
    const std::int64_t bit = scratch[slot] - domain.low;
    if (bit >= 0 && bit < 64 * static_cast<std::int64_t>(domain.words)) out[bit >> 6] |= Word{1} << (bit & 63);
    return true;
  });
}

bool Interpreter::pick_values(const ir::Binder& binder, int chooser, const List& from, std::int32_t low, std::int32_t high,
                              std::int32_t start, List& chosen, void* context, bool (*f)(void*)) {
  if (chosen.size >= low && chosen.size <= high) {
    if (binder.in_order) {
      List& list = lists[static_cast<std::size_t>(binder.slot)];
      list.size = chosen.size;
      std::copy_n(chosen.values, chosen.size, list.values);
    } else {
      Word* words = &sets[static_cast<std::size_t>(binder.slot) * ir::kMaxWords];
      std::fill_n(words, binder.domain.words, Word{0});
      for (std::int32_t i = 0; i < chosen.size; ++i) {
        const std::int32_t bit = chosen.values[i] - binder.domain.low;
        words[bit >> 6] |= Word{1} << (bit & 63);
      }
    }
    if (!f(context)) return false;
  }
  if (chosen.size >= high) return true;
  for (std::int32_t i = binder.in_order ? 0 : start; i < from.size; ++i) {
    const std::int32_t value = from.values[i];
    if (binder.in_order && std::find(chosen.values, chosen.values + chosen.size, value) != chosen.values + chosen.size) continue;
    if (!binder.in_order && from.size - i < low - chosen.size) break;
    if (chooser >= 0 && binder.component) {
      // of equal components the first that is still free stands for all
      bool skip = false;
      for (std::int32_t k = binder.in_order ? 0 : start; k < i && !skip; ++k) {
        skip = alike(chooser, from.values[k], value) &&
               std::find(chosen.values, chosen.values + chosen.size, from.values[k]) == chosen.values + chosen.size;
      }
      if (skip) continue;
    }
    chosen.push(value);
    const bool more = pick_values(binder, chooser, from, low, high, i + 1, chosen, context, f);
    --chosen.size;
    if (!more) return false;
  }
  return true;
}

bool Interpreter::alike(int seat, std::int32_t a, std::int32_t b) {
  const std::int32_t z = zone_of(a);
  if (z != zone_of(b)) return false;
  const ir::Component& x = p.components[static_cast<std::size_t>(a)];
  const ir::Component& y = p.components[static_cast<std::size_t>(b)];
  if (x.type != y.type || face(a) != face(b) || !p.types[static_cast<std::size_t>(x.type)].mergeable) return false;
  const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
  const std::uint32_t mine = 1u << seat;
  const bool knows_a = ((known(a) | sees_front(a)) & mine) != 0;
  const bool knows_b = ((known(b) | sees_front(b)) & mine) != 0;
  const bool mixed = zone.kind == ir::ZoneKind::hand || (zone.bags >= 0 && bags(zone)[find(a)] != 0 && bags(zone)[find(a)] == bags(zone)[find(b)]);
  if (mixed) return knows_a == knows_b && (knows_a ? x.front_class == y.front_class : x.back_class == y.back_class);
  return knows_a && knows_b && x.front_class == y.front_class && known(a) == known(b);
}

bool Interpreter::stands_for(int seat, std::int32_t component, const std::int32_t* earlier, std::int32_t n) {
  for (std::int32_t i = n; i-- > 0;) {
    if (alike(seat, component, earlier[i])) return true;
  }
  return false;
}

}  // namespace rip
