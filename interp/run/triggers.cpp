// Triggers: a `when` runs for each binding of its clause that holds after an effect and did not hold before it.
#include "interp/run/clauses.h"

#include <algorithm>

namespace rip {

namespace {

constexpr std::size_t kMostNames = 8;

/// The number of the binding that stands in the scratch slots, -1 if it has none.
std::int64_t bit_of(const ir::When& when, const ir::Clause& clause, const std::vector<std::int64_t>& scratch) {
  std::int64_t bit = 0;
  for (std::size_t i = 0; i < clause.binders.size(); ++i) {
    bit = bit * when.radix[i].second + (scratch[static_cast<std::size_t>(clause.binders[i].slot)] - when.radix[i].first);
  }
  return bit >= 0 && bit < when.bits ? bit : -1;
}

}  // namespace

void Interpreter::truth_bits(const ir::When& when, Word* out) {
  std::fill_n(out, when.words, Word{0});
  if (when.phase >= 0 && (header().running >> p.phases[static_cast<std::size_t>(when.phase)].bit & 1u) == 0) return;
  if (when.clause < 0) {
    const bool holds = truth(when.condition);
    out[0] = holds && fault == FaultCode::none ? 1 : 0;
    return;
  }
  const ir::Clause& clause = p.clauses[static_cast<std::size_t>(when.clause)];
  each(clause, [&] {
    const std::int64_t bit = bit_of(when, clause, scratch);
    if (bit >= 0) out[bit >> 6] |= Word{1} << (bit & 63);
    return true;
  });
}

void Interpreter::watch(const ir::Wake& wake, bool in_state) {
  if (fault != FaultCode::none) return;
  // a condition that would be a fault before the effect did not hold
  lenient_ = true;
  std::size_t used = 0;
  for (std::size_t i = 0; i < wake.whens.size(); ++i) {
    const ir::When& when = p.whens[static_cast<std::size_t>(wake.whens[i])];
    Word* bits = in_state ? &at<Word>(wake.before[i]) : &before_[used];
    used += static_cast<std::size_t>(when.words);
    truth_bits(when, bits);
    fault = FaultCode::none;
  }
  lenient_ = false;
}

void Interpreter::fire(const ir::Wake& wake) {
  std::size_t used = 0;
  for (std::size_t i = 0; i < wake.whens.size() && fault == FaultCode::none; ++i) {
    const ir::When& when = p.whens[static_cast<std::size_t>(wake.whens[i])];
    const bool in_state = i < wake.before.size() && wake.before[i] >= 0;
    Word* before = in_state ? &at<Word>(wake.before[i]) : &before_[used];
    used += static_cast<std::size_t>(when.words);
    Word now[64];
    truth_bits(when, now);
    Word waiting[64] = {};
    const auto look = [&](std::int32_t area) {
      Word* bits = &at<Word>(area);
      for (std::int32_t w = 0; w < when.words; ++w) {
        bits[w] &= now[w];  // what no longer holds waits no more
        waiting[w] |= bits[w];
      }
    };
    for (const std::int32_t area : when.waiting) look(area);
    if (can_nest_) each_area_aside(when, look);
    Word* mine = &at<Word>(wake.areas[i]);
    for (std::int32_t w = 0; w < when.words; ++w) {
      mine[w] |= now[w] & ~before[w] & ~waiting[w];
      if (in_state) before[w] = 0;
    }
  }
}

/// The one that waits and comes first in the order of the clause, as it is now.
std::int32_t Interpreter::first_waiting(const ir::When& when, const Word* bits) {
  std::int32_t n = 0;
  std::int32_t lowest = -1;
  for (std::int32_t w = 0; w < when.words; ++w) {
    n += __builtin_popcountll(bits[w]);
    if (lowest < 0 && bits[w] != 0) lowest = 64 * w + __builtin_ctzll(bits[w]);
  }
  if (n < 2 || when.clause < 0) return lowest;
  const ir::Clause& clause = p.clauses[static_cast<std::size_t>(when.clause)];
  std::int32_t found = -1;
  const auto waits = [&] {
    const std::int64_t bit = bit_of(when, clause, scratch);
    return bit >= 0 && (bits[bit >> 6] >> (bit & 63) & 1u) != 0 ? static_cast<std::int32_t>(bit) : -1;
  };
  const auto look = [&] {
    found = waits();
    return found < 0;
  };
  const auto place = [&](std::int32_t c) -> std::int64_t {
    const std::int32_t z = zone_of(c);
    return z * 2048 + position_of(p.zones[static_cast<std::size_t>(z)], count(z), find(c));
  };
  const FaultCode kept = fault;
  lenient_ = true;
  const bool over_list = std::any_of(clause.binders.begin(), clause.binders.end(), [](const ir::Binder& b) { return b.kind == ir::SourceKind::list; });
  if (!clause.keys.empty() || clause.backwards) {
    Rows rows;
    collect(clause, rows);
    const auto width = static_cast<std::int32_t>(clause.binders.size());
    for (std::int32_t row = 0; row < rows.size && found < 0; row += width) {
      bind_row(clause, rows.values + row);
      look();
    }
  } else if (over_list || clause.binders.size() > kMostNames) {
    each(clause, look);
  } else {
    // sets are run through in any order: the least binding is the first, components by their place
    const std::size_t width = clause.binders.size();
    std::int64_t least[kMostNames];
    each(clause, [&] {
      const std::int32_t bit = waits();
      if (bit < 0) return true;
      std::int64_t mine[kMostNames];
      for (std::size_t k = 0; k < width; ++k) {
        const std::int64_t value = scratch[static_cast<std::size_t>(clause.binders[k].slot)];
        mine[k] = clause.binders[k].component ? place(static_cast<std::int32_t>(value)) : value;
      }
      if (found < 0 || std::lexicographical_compare(mine, mine + width, least, least + width)) {
        std::copy_n(mine, width, least);
        found = bit;
      }
      return true;
    });
  }
  lenient_ = false;
  fault = kept;
  return found < 0 ? lowest : found;
}

bool Interpreter::run_whens(const ir::Wake& wake) {
  for (std::size_t i = 0; i < wake.whens.size(); ++i) {
    const ir::When& when = p.whens[static_cast<std::size_t>(wake.whens[i])];
    Word* bits = &at<Word>(wake.areas[i]);
    const std::int32_t bit = first_waiting(when, bits);
    if (bit < 0) continue;
    bits[bit >> 6] &= ~(Word{1} << (bit & 63));
    if (can_nest_ && !may_nest()) {
      fail_here(FaultCode::cyclic_triggers);
      return false;
    }
    enter_routine(when.routine, header().pc);
    if (fault != FaultCode::none) return false;
    header().me = static_cast<std::int32_t>(ir::kNone);
    std::int64_t rest = bit;
    for (std::size_t k = when.radix.size(); k-- > 0;) {
      store_local(when.locals[k], when.radix[k].first + rest % when.radix[k].second);
      rest /= when.radix[k].second;
    }
    return true;
  }
  return false;
}

}  // namespace rip
