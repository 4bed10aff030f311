// Running through the bindings of a clause: one loop for each name, each conjunct asked as soon as its names are bound.
#pragma once

#include "interp/run/interpreter.h"

namespace rip {

/// A visitor without its type, for a loop that calls itself with another visitor.
struct Visit {
  void* it;
  bool (*visit)(void*);
  bool operator()() const { return visit(it); }
};

template <class F>
bool Interpreter::each_value(const ir::Binder& binder, int chooser, F&& f) {
  // a trigger looks at each binding by itself: one that would be a fault does not hold
  auto passes = [&] {
    if (--work_left < 0) {
      fail_here(FaultCode::endless);
      return false;
    }
    for (const ir::Node filter : binder.filters) {
      const bool holds = truth(filter);
      if (lenient_ && fault != FaultCode::none) {
        fault = FaultCode::none;
        return false;
      }
      if (!holds) return false;
    }
    return true;
  };
  auto unreadable = [&] {
    if (!lenient_ || fault == FaultCode::none) return false;
    fault = FaultCode::none;
    return true;
  };
  auto& slot = scratch[static_cast<std::size_t>(binder.pick ? 0 : binder.slot)];
  const bool merges = chooser >= 0 && binder.component;
  if (!binder.pick && binder.kind == ir::SourceKind::range) {
    const std::int64_t low = eval(binder.a);
    const std::int64_t high = eval(binder.b);
    if (unreadable()) return true;
    for (std::int64_t v = low; v <= high && work_left >= 0; ++v) {
      slot = v;
      if (passes() && !f()) return false;
    }
    return true;
  }
  if (!binder.pick && binder.kind == ir::SourceKind::zone && !merges) {
    const ZoneRange range = eval_zone(binder.a);
    if (unreadable()) return true;
    auto zone_values = [&](std::int32_t z) {
      const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
      const std::uint16_t* cards = ids(zone);
      const std::int32_t n = count(z);
      const bool from_top = zone.kind == ir::ZoneKind::pile;
      for (std::int32_t i = 0; i < n; ++i) {
        slot = cards[from_top ? n - 1 - i : i];
        if (passes() && !f()) return false;
      }
      return true;
    };
    if (binder.by_place || chooser != kAnyOrder) return each_zone_in_order(range, zone_values);
    for (std::int32_t z = range.first; z < range.first + range.count; ++z) {
      if (!zone_values(z)) return false;
    }
    return true;
  }
  if (!binder.pick && binder.kind == ir::SourceKind::set && !binder.by_place && (chooser == kAnyOrder || !binder.component)) {
    Word words[ir::kMaxWords];
    eval_set(binder.a, binder.domain, words);
    if (unreadable()) return true;
    for (std::int32_t w = 0; w < binder.domain.words; ++w) {
      for (Word rest = words[w]; rest != 0; rest &= rest - 1) {
        slot = binder.domain.low + 64 * w + __builtin_ctzll(rest);
        if (passes() && !f()) return false;
      }
    }
    return true;
  }
  // everything else goes through a list: order by place, what looks alike, picks
  if (binder.pick) {
    Picking pick;
    source_list(binder, chooser, pick.from);
    pick.low = static_cast<std::int32_t>(eval(binder.pick_low));
    pick.high = static_cast<std::int32_t>(eval(binder.pick_high));
    if (unreadable()) return true;
    find_twins(pick, merges, chooser);
    auto visit = [&] {
      if (!passes()) return work_left >= 0;
      if (!merges) return f();
      const std::int32_t before = named_count_;
      for (std::int32_t i = 0; i < pick.chosen.size && named_count_ < kMaxNamed; ++i) named_[named_count_++] = pick.chosen.values[i];
      const bool more = f();
      named_count_ = before;
      return more;
    };
    return pick_values(binder, pick, 0, &visit, [](void* context) { return (*static_cast<decltype(visit)*>(context))(); });
  }
  List list;
  source_list(binder, chooser, list);
  if (unreadable()) return true;
  List bound;
  for (std::int32_t i = 0; i < list.size; ++i) {
    slot = list.values[i];
    if (!passes()) continue;
    if (!merges) {
      if (!f()) return false;
      continue;
    }
    if (stands_for(chooser, list.values[i], bound)) continue;
    bound.push(list.values[i]);
    if (named_count_ < kMaxNamed) named_[named_count_] = list.values[i];
    ++named_count_;
    const bool more = f();
    --named_count_;
    if (!more) return false;
  }
  return true;
}

template <class F>
bool Interpreter::each_binding(const ir::Clause& clause, std::size_t level, int chooser, F&& f) {
  if (level == clause.binders.size()) return f();
  if (level == static_cast<std::size_t>(clause.named) && !with_any_) {
    // one value is as good as another: the first stands for all
    bool more = true;
    auto first = [&]() -> bool {
      more = f();
      return false;
    };
    each_in(clause, level, chooser, Visit{&first, [](void* it) { return (*static_cast<decltype(first)*>(it))(); }});
    return more;
  }
  return each_in(clause, level, chooser, f);
}

template <class F>
bool Interpreter::each_in(const ir::Clause& clause, std::size_t level, int chooser, F&& f) {
  if (level == clause.binders.size()) return f();
  if (level + 1 == clause.binders.size()) return each_value(clause.binders[level], chooser, f);
  return each_value(clause.binders[level], chooser, [&]() -> bool { return each_binding(clause, level + 1, chooser, f); });
}

template <class F>
bool Interpreter::each(const ir::Clause& clause, F&& f) {
  for (const ir::Node condition : clause.conditions) {
    const bool holds = truth(condition);
    if (lenient_ && fault != FaultCode::none) {
      fault = FaultCode::none;
      return true;
    }
    if (!holds) return true;
  }
  return each_binding(clause, 0, kAnyOrder, f);
}

}  // namespace rip
