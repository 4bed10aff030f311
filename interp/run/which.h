// Options that look alike to a seat: running through each of them once, and through all that look like one of them.
#pragma once

#include "interp/run/clauses.h"

namespace rip {

template <class F>
bool Interpreter::each_listed(const ir::Option& option, int seat, F&& f) {
  forget_looks();
  std::fill(seen_sketches_.begin(), seen_sketches_.end(), 0);
  seen_count_ = 0;
  return each_binding(p.clauses[static_cast<std::size_t>(option.clause)], 0, kInOrder, [&]() -> bool {
    Move move;
    encode(option, move);
    return !first_seen(sketch(option, move, seat)) || f(move);
  });
}

template <class F>
void Interpreter::each_like(const ir::Option& option, int seat, const Move& move, F&& f) {
  forget_looks();
  const std::uint64_t wanted = sketch(option, move, seat);
  with_any_ = true;  // the seat may have taken any
  each_binding(p.clauses[static_cast<std::size_t>(option.clause)], 0, kInOrder, [&]() -> bool {
    Move other;
    encode(option, other);
    return sketch(option, other, seat) != wanted || f(other);
  });
  with_any_ = false;
}

}  // namespace rip
