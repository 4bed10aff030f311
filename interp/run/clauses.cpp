// Order among bindings: keys, ties, first and best; and the picks of several members.
#include "interp/run/clauses.h"

#include <algorithm>

namespace rip {

namespace {
constexpr std::size_t kMaxKeys = 32;
}

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

bool Interpreter::interchangeable(const ir::Clause& clause, const std::int64_t* a, const std::int64_t* b) const {
  for (std::size_t i = 0; i < clause.binders.size(); ++i) {
    if (a[i] == b[i]) continue;
    if (!clause.binders[i].component || front_[static_cast<std::size_t>(a[i])] != front_[static_cast<std::size_t>(b[i])]) return false;
  }
  return true;
}

void Interpreter::collect(const ir::Clause& clause, Rows& out) {
  const std::size_t width = clause.binders.size();
  const std::size_t keys = clause.keys.size();
  const std::size_t row = width + keys;
  if (row > kMaxKeys) return fail_here(FaultCode::too_many);
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
  std::int64_t held[kMaxKeys];
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
    if (!interchangeable(clause, a, a - row)) fail(FaultCode::tie, clause.keys[0].value);
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
  const std::size_t keys = clause.keys.size();
  const std::size_t width = clause.binders.size();
  if (keys > kMaxKeys || width > kMaxKeys) return fail(FaultCode::too_many, where);
  std::int64_t best[kMaxKeys];
  std::int64_t row[kMaxKeys];
  bool any = false;
  bool tie = false;
  each(clause, [&] {
    std::int64_t mine[kMaxKeys];
    std::int64_t values[kMaxKeys];
    for (std::size_t i = 0; i < keys; ++i) mine[i] = key_value(clause, clause.keys[i]);
    for (std::size_t i = 0; i < width; ++i) values[i] = scratch[static_cast<std::size_t>(clause.binders[i].slot)];
    if (any && std::equal(mine, mine + keys, best)) {
      tie = tie || !interchangeable(clause, row, values);
      if (backwards) std::copy_n(values, width, row);
      return true;
    }
    if (any && std::lexicographical_compare(mine, mine + keys, best, best + keys) == backwards) return true;
    std::copy_n(mine, keys, best);
    std::copy_n(values, width, row);
    any = true;
    tie = false;
    return true;
  });
  if (!any) return ir::kNone;
  return tie ? fail(FaultCode::tie, where) : row[0];
}

void Interpreter::best_of(const ir::Clause& clause, ir::Domain domain, Word* out) {
  const bool backwards = clause.backwards && (clause.backwards_if == ir::kNoNode || truth(clause.backwards_if));
  const std::size_t slot = static_cast<std::size_t>(clause.binders[0].slot);
  std::int64_t best[kMaxKeys];
  const std::size_t keys = clause.keys.size();
  if (keys > kMaxKeys) return fail_here(FaultCode::too_many);
  bool any = false;
  each(clause, [&] {
    std::int64_t mine[kMaxKeys];
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

// ---- sources and picks ----

void Interpreter::source_list(const ir::Binder& binder, int chooser, List& list) {
  switch (binder.kind) {
    case ir::SourceKind::range: {
      const std::int64_t high = eval(binder.b);
      for (std::int64_t v = eval(binder.a); v <= high; ++v) list.push(v);
      return;
    }
    case ir::SourceKind::zone: append_zones(eval_zone(binder.a), list); return;
    case ir::SourceKind::set: {
      Word words[ir::kMaxWords];
      eval_set(binder.a, binder.domain, words);
      for (std::int32_t w = 0; w < binder.domain.words; ++w) {
        for (Word rest = words[w]; rest != 0; rest &= rest - 1) list.push(binder.domain.low + 64 * w + __builtin_ctzll(rest));
      }
      if (binder.component) sort_by_place(list);
      return;
    }
    case ir::SourceKind::list: eval_list(binder.a, list); return;
    case ir::SourceKind::components:
      for (std::int32_t c = binder.a; c < binder.b; ++c) list.push(c);
      if (binder.by_place || chooser != kAnyOrder) sort_by_place(list);
      return;
  }
}

bool Interpreter::is_named(std::int32_t component) const {
  const std::int32_t n = std::min(named_count_, kMaxNamed);
  return std::find(named_, named_ + n, component) != named_ + n;
}

bool Interpreter::stands_for(int seat, std::int32_t component, const List& bound) {
  if (bound.size == 0 || (named_count_ > 0 && is_named(component))) return false;
  const auto c = static_cast<std::size_t>(component);
  int blind = -1;  // not asked yet
  for (std::int32_t i = bound.size; i-- > 0;) {
    const auto other = static_cast<std::size_t>(bound.values[i]);
    if (back_[other] != back_[c]) continue;
    if (front_[other] != front_[c]) {
      if (blind < 0) blind = is_blind(seat, component) ? 1 : 0;
      if (blind == 0) continue;
    }
    if (looks_alike(seat, component, bound.values[i]) && (named_count_ == 0 || !is_named(bound.values[i]))) return true;
  }
  return false;
}

void Interpreter::find_twins(Picking& pick, bool merges, int chooser) {
  for (std::int32_t i = 0; i < pick.from.size; ++i) {
    pick.used[i] = false;
    pick.twin[i] = -1;
    if (!merges || is_named(pick.from.values[i])) continue;
    for (std::int32_t k = i; k-- > 0 && pick.twin[i] < 0;) {
      if (!is_named(pick.from.values[k]) && looks_alike(chooser, pick.from.values[k], pick.from.values[i])) pick.twin[i] = static_cast<std::int16_t>(k);
    }
  }
}

bool Interpreter::pick_values(const ir::Binder& binder, Picking& pick, std::int32_t start, void* context, bool (*f)(void*)) {
  List& chosen = pick.chosen;
  if (chosen.size >= pick.low && chosen.size <= pick.high) {
    bind_pick(binder, chosen);
    if (!f(context)) return false;
  }
  if (chosen.size >= pick.high) return true;
  for (std::int32_t i = binder.in_order ? 0 : start; i < pick.from.size; ++i) {
    if (pick.used[i]) continue;
    if (!binder.in_order && pick.from.size - i < pick.low - chosen.size) break;
    // of those that look alike the first that is still free stands for all
    if (pick.twin[i] >= 0 && !pick.used[pick.twin[i]]) continue;
    pick.used[i] = true;
    chosen.push(pick.from.values[i]);
    const bool more = pick_values(binder, pick, i + 1, context, f);
    --chosen.size;
    pick.used[i] = false;
    if (!more) return false;
  }
  return true;
}

}  // namespace rip
