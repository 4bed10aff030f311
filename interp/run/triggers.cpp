// Triggers: a `when` runs for each binding of its clause that holds after an effect and did not hold before it.
#include "interp/run/clauses.h"

#include <algorithm>

namespace rip {

void Interpreter::truth_bits(const ir::When& when, Word* out) {
  std::fill_n(out, when.words, Word{0});
  if (when.phase >= 0 && (header().running >> p.phases[static_cast<std::size_t>(when.phase)].bit & 1u) == 0) return;
  if (when.clause < 0) {
    out[0] = truth(when.condition) ? 1 : 0;
    return;
  }
  const ir::Clause& clause = p.clauses[static_cast<std::size_t>(when.clause)];
  each(clause, [&] {
    std::int64_t bit = 0;
    for (std::size_t i = 0; i < clause.binders.size(); ++i) {
      bit = bit * when.radix[i].second + (scratch[static_cast<std::size_t>(clause.binders[i].slot)] - when.radix[i].first);
    }
    if (bit >= 0 && bit < when.bits) out[bit >> 6] |= Word{1} << (bit & 63);
    return true;
  });
}

void Interpreter::watch(const ir::Wake& wake, bool in_state) {
  std::size_t used = 0;
  for (std::size_t i = 0; i < wake.whens.size(); ++i) {
    const ir::When& when = p.whens[static_cast<std::size_t>(wake.whens[i])];
    Word* bits = in_state ? &at<Word>(wake.before[i]) : &before_[used];
    used += static_cast<std::size_t>(when.words);
    const FaultCode kept = fault;
    truth_bits(when, bits);
    // a condition that would be a fault before the effect did not hold
    if (kept == FaultCode::none && fault != FaultCode::none) {
      fault = FaultCode::none;
      std::fill_n(bits, when.words, Word{0});
    }
  }
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
    for (const std::int32_t area : when.waiting) {
      Word* bits = &at<Word>(area);
      for (std::int32_t w = 0; w < when.words; ++w) {
        bits[w] &= now[w];  // what no longer holds waits no more
        waiting[w] |= bits[w];
      }
    }
    Word* mine = &at<Word>(wake.areas[i]);
    for (std::int32_t w = 0; w < when.words; ++w) {
      mine[w] |= now[w] & ~before[w] & ~waiting[w];
      if (in_state) before[w] = 0;
    }
  }
}

bool Interpreter::run_whens(const ir::Wake& wake) {
  for (std::size_t i = 0; i < wake.whens.size(); ++i) {
    const ir::When& when = p.whens[static_cast<std::size_t>(wake.whens[i])];
    Word* bits = &at<Word>(wake.areas[i]);
    for (std::int32_t w = 0; w < when.words; ++w) {
      if (bits[w] == 0) continue;
      const std::int32_t bit = 64 * w + __builtin_ctzll(bits[w]);
      bits[w] &= bits[w] - 1;
      std::int64_t rest = bit;
      for (std::size_t k = when.radix.size(); k-- > 0;) {
        store_local(when.locals[k], when.radix[k].first + rest % when.radix[k].second);
        rest /= when.radix[k].second;
      }
      enter_routine(when.routine, header().pc);
      return true;
    }
  }
  return false;
}

}  // namespace rip
