// Running through the bindings of a clause: one loop for each name, each conjunct asked as soon as its names are bound.
#pragma once

#include "interp/run/interpreter.h"

namespace rip {

template <class F>
bool Interpreter::each_value(const ir::Binder& binder, int chooser, F&& f) {
  auto passes = [&] {
    for (const ir::Node filter : binder.filters) {
      if (!truth(filter)) return false;
    }
    return true;
  };
  auto& slot = scratch[static_cast<std::size_t>(binder.pick ? 0 : binder.slot)];
  if (!binder.pick && binder.kind == ir::SourceKind::range) {
    const std::int64_t low = eval(binder.a);
    const std::int64_t high = eval(binder.b);
    for (std::int64_t v = low; v <= high; ++v) {
      slot = v;
      if (passes() && !f()) return false;
    }
    return true;
  }
  if (!binder.pick && binder.kind == ir::SourceKind::zone && chooser < 0) {
    const ZoneRange range = eval_zone(binder.a);
    for (std::int32_t z = range.first; z < range.first + range.count; ++z) {
      const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
      const std::uint16_t* cards = ids(zone);
      const std::int32_t n = count(z);
      const bool from_top = zone.kind == ir::ZoneKind::pile;
      for (std::int32_t i = 0; i < n; ++i) {
        slot = cards[from_top ? n - 1 - i : i];
        if (passes() && !f()) return false;
      }
    }
    return true;
  }
  if (!binder.pick && binder.kind == ir::SourceKind::set && !binder.by_place && chooser < 0) {
    Word words[ir::kMaxWords];
    eval_set(binder.a, binder.domain, words);
    for (std::int32_t w = 0; w < binder.domain.words; ++w) {
      for (Word rest = words[w]; rest != 0; rest &= rest - 1) {
        slot = binder.domain.low + 64 * w + __builtin_ctzll(rest);
        if (passes() && !f()) return false;
      }
    }
    return true;
  }
  // everything else goes through a list: order by place, equal components, picks
  List list;
  switch (binder.kind) {
    case ir::SourceKind::range: {
      const std::int64_t high = eval(binder.b);
      for (std::int64_t v = eval(binder.a); v <= high; ++v) list.push(v);
      break;
    }
    case ir::SourceKind::zone: {
      const ZoneRange range = eval_zone(binder.a);
      for (std::int32_t z = range.first; z < range.first + range.count; ++z) append_zone(z, list);
      break;
    }
    case ir::SourceKind::set: {
      Word words[ir::kMaxWords];
      eval_set(binder.a, binder.domain, words);
      for (std::int32_t w = 0; w < binder.domain.words; ++w) {
        for (Word rest = words[w]; rest != 0; rest &= rest - 1) list.push(binder.domain.low + 64 * w + __builtin_ctzll(rest));
      }
      if (binder.component) sort_by_place(list);
      break;
    }
    case ir::SourceKind::list: eval_list(binder.a, list); break;
    case ir::SourceKind::components:
      for (std::int32_t c = binder.a; c < binder.b; ++c) list.push(c);
      if (binder.by_place || chooser >= 0) sort_by_place(list);
      break;
  }
  if (binder.pick) {
    const auto low = static_cast<std::int32_t>(eval(binder.pick_low));
    const auto high = static_cast<std::int32_t>(eval(binder.pick_high));
    List chosen;
    auto visit = [&] { return !passes() || f(); };
    return pick_values(binder, chooser, list, low, high, 0, chosen, &visit,
                       [](void* context) { return (*static_cast<decltype(visit)*>(context))(); });
  }
  for (std::int32_t i = 0; i < list.size; ++i) {
    if (chooser >= 0 && binder.component && stands_for(chooser, list.values[i], list.values, i)) continue;
    slot = list.values[i];
    if (passes() && !f()) return false;
  }
  return true;
}

template <class F>
bool Interpreter::each_binding(const ir::Clause& clause, std::size_t level, int chooser, F&& f) {
  if (level == clause.binders.size()) return f();
  if (level + 1 == clause.binders.size()) return each_value(clause.binders[level], chooser, f);
  return each_value(clause.binders[level], chooser, [&]() -> bool { return each_binding(clause, level + 1, chooser, f); });
}

template <class F>
bool Interpreter::each(const ir::Clause& clause, F&& f) {
  for (const ir::Node condition : clause.conditions) {
    if (!truth(condition)) return true;
  }
  return each_binding(clause, 0, -1, f);
}

}  // namespace rip
