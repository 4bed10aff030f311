// How many options a seat has, which is the n-th, and the number of a given one: by multiplying where the names of a move are
// independent, so that 360,360 guesses cost no more than ten.
#include "interp/run/which.h"

#include <algorithm>

namespace rip {

using ir::SourceKind;

namespace {
constexpr std::uint64_t kHuge = std::uint64_t{1} << 62;

std::uint64_t multiply(std::uint64_t a, std::uint64_t b) { return a != 0 && b > kHuge / a ? kHuge : a * b; }

std::uint64_t choose_count(std::uint64_t n, std::uint64_t k) {
  if (k > n) return 0;
  std::uint64_t r = 1;
  for (std::uint64_t i = 1; i <= k; ++i) r = multiply(r, n - k + i) / i;
  return r;
}

std::uint64_t order_count(std::uint64_t n, std::uint64_t k) {
  if (k > n) return 0;
  std::uint64_t r = 1;
  for (std::uint64_t i = 0; i < k; ++i) r = multiply(r, n - i);
  return r;
}
}  // namespace

std::uint64_t Interpreter::count_value(const ir::Binder& binder, int seat) {
  if (binder.filters.empty() && !binder.component) {
    std::uint64_t size = 0;
    if (binder.kind == SourceKind::range) {
      const std::int64_t n = eval(binder.b) - eval(binder.a) + 1;
      size = n > 0 ? static_cast<std::uint64_t>(n) : 0;
    } else if (binder.kind == SourceKind::set) {
      Word words[ir::kMaxWords];
      eval_set(binder.a, binder.domain, words);
      for (std::int32_t w = 0; w < binder.domain.words; ++w) size += static_cast<std::uint64_t>(__builtin_popcountll(words[w]));
    } else {
      List list;
      eval_list(binder.a, list);
      size = static_cast<std::uint64_t>(list.size);
    }
    if (!binder.pick) return size;
    std::uint64_t total = 0;
    const std::int64_t high = eval(binder.pick_high);
    for (std::int64_t k = std::max<std::int64_t>(0, eval(binder.pick_low)); k <= high && static_cast<std::uint64_t>(k) <= size; ++k) {
      const auto m = static_cast<std::uint64_t>(k);
      total = std::min(kHuge, total + (binder.in_order ? order_count(size, m) : choose_count(size, m)));
    }
    return total;
  }
  std::uint64_t n = 0;
  each_value(binder, seat, [&] {
    ++n;
    return true;
  });
  return n;
}

/// The numbers of values from `level` on can be multiplied. With several names of components what one may be bound to
/// depends on what the others stand for.
bool Interpreter::multiplies(const ir::Clause& clause, std::size_t level, bool several) const {
  if (static_cast<std::size_t>(clause.named) < clause.binders.size()) return false;
  for (std::size_t i = level; i < clause.binders.size(); ++i) {
    if (!clause.binders[i].independent || (several && clause.binders[i].component)) return false;
  }
  return true;
}

std::uint64_t Interpreter::count_from(const ir::Clause& clause, std::size_t level, int seat, bool several) {
  if (level == clause.binders.size()) return 1;
  if (level == static_cast<std::size_t>(clause.named)) {
    return each_in(clause, level, seat, [] { return false; }) ? 0 : 1;
  }
  if (multiplies(clause, level, several)) {
    std::uint64_t product = 1;
    for (std::size_t i = level; i < clause.binders.size() && product > 0; ++i) {
      product = multiply(product, count_value(clause.binders[i], seat));
    }
    return product;
  }
  const ir::Binder& binder = clause.binders[level];
  if (binder.alone && !(several && binder.component)) {
    const std::uint64_t mine = count_value(binder, seat);
    return mine == 0 ? 0 : multiply(mine, count_from(clause, level + 1, seat, several));
  }
  std::uint64_t n = 0;
  each_value(binder, seat, [&] {
    n += count_from(clause, level + 1, seat, several);
    return true;
  });
  return n;
}

std::uint64_t Interpreter::count_option(const ir::Option& option, int seat) {
  const ir::Clause& clause = p.clauses[static_cast<std::size_t>(option.clause)];
  for (const ir::Node condition : clause.conditions) {
    if (!truth(condition)) return 0;
  }
  if (goes_by_list(option, seat)) {
    std::uint64_t n = 0;
    each_listed(option, seat, [&](const Move&) {
      ++n;
      return true;
    });
    return n;
  }
  return count_from(clause, 0, seat, merge_[static_cast<std::size_t>(&option - p.options.data())].several);
}

/// Binds the names of the option with this number.
bool Interpreter::nth_option(const ir::Option& option, std::uint64_t index, int seat, Move& move) {
  if (goes_by_list(option, seat)) {
    bool found = false;
    each_listed(option, seat, [&](const Move& listed) {
      if (index-- > 0) return true;
      move = listed;
      found = true;
      return false;
    });
    return found;
  }
  const bool several = merge_[static_cast<std::size_t>(&option - p.options.data())].several;
  return nth_from(p.clauses[static_cast<std::size_t>(option.clause)], 0, index, seat, several, option, move);
}

/// How a pick over plain values is numbered: a pick comes before those that it begins.
struct Interpreter::PickOrder {
  std::uint64_t low = 0, high = 0;
  bool in_order = false;

  /// Picks that begin with `have` chosen members, these alone included, if `left` more are free.
  std::uint64_t below(std::uint64_t have, std::uint64_t left) const {
    std::uint64_t total = 0;
    for (std::uint64_t k = std::max(low, have); k <= high; ++k) {
      total = std::min(kHuge, total + (in_order ? order_count(left, k - have) : choose_count(left, k - have)));
    }
    return total;
  }
};

Interpreter::PickOrder Interpreter::order_of_picks(const ir::Binder& binder, List& from) {
  source_list(binder, kAnyOrder, from);
  PickOrder order;
  order.low = static_cast<std::uint64_t>(std::max<std::int64_t>(0, eval(binder.pick_low)));
  order.high = std::min(static_cast<std::uint64_t>(std::max<std::int64_t>(0, eval(binder.pick_high))), static_cast<std::uint64_t>(from.size));
  order.in_order = binder.in_order;
  return order;
}

/// The one walk for both directions: `enter(i, n)` is asked, for each member that may come next, whether it does (n picks
/// begin so); `stop()` whether the pick ends where it could.
template <class Stop, class Enter>
bool Interpreter::walk_pick(const ir::Binder& binder, const List& from, const PickOrder& order, Stop&& stop, Enter&& enter) {
  bool used[ir::kMaxList];
  std::fill_n(used, from.size, false);
  List chosen;
  std::int32_t start = 0;
  while (true) {
    const auto have = static_cast<std::uint64_t>(chosen.size);
    if (have >= order.low && stop(chosen)) break;
    bool found = false;
    for (std::int32_t i = order.in_order ? 0 : start; i < from.size && !found; ++i) {
      if (used[i]) continue;
      const std::uint64_t left = order.in_order ? static_cast<std::uint64_t>(from.size) - have - 1 : static_cast<std::uint64_t>(from.size - i - 1);
      if (!enter(from.values[i], order.below(have + 1, left), chosen)) continue;
      chosen.push(from.values[i]);
      used[i] = true;
      start = i + 1;
      found = true;
    }
    if (!found) return false;
  }
  bind_pick(binder, chosen);
  return true;
}

/// The pick with this number, without listing the others.
bool Interpreter::nth_pick(const ir::Binder& binder, std::uint64_t index) {
  List from;
  const PickOrder order = order_of_picks(binder, from);
  return walk_pick(
      binder, from, order, [&](const List&) { return index-- == 0; },
      [&](std::int64_t, std::uint64_t picks, const List&) {
        if (index < picks) return true;
        index -= picks;
        return false;
      });
}

/// Its number; the pick is bound too.
std::optional<std::uint64_t> Interpreter::number_of_pick(const ir::Binder& binder, const std::int32_t* members, std::int32_t size) {
  List from;
  const PickOrder order = order_of_picks(binder, from);
  if (static_cast<std::uint64_t>(size) > order.high) return std::nullopt;
  std::uint64_t number = 0;
  const bool found = walk_pick(
      binder, from, order,
      [&](const List& chosen) {
        if (chosen.size == size) return true;
        ++number;
        return false;
      },
      [&](std::int64_t value, std::uint64_t picks, const List& chosen) {
        const bool next = chosen.size < size && (binder.in_order ? members[chosen.size] == value : std::find(members, members + size, value) != members + size);
        if (!next) number += picks;
        return next;
      });
  return found ? std::optional(number) : std::nullopt;
}

void Interpreter::bind_pick(const ir::Binder& binder, const List& chosen) {
  if (binder.in_order) {
    List& list = lists[static_cast<std::size_t>(binder.slot)];
    list.size = chosen.size;
    std::copy_n(chosen.values, chosen.size, list.values);
    return;
  }
  Word* words = &sets[static_cast<std::size_t>(binder.slot) * ir::kMaxWords];
  std::fill_n(words, binder.domain.words, Word{0});
  for (std::int32_t i = 0; i < chosen.size; ++i) {
    const std::int64_t bit = chosen.values[i] - binder.domain.low;
    words[bit >> 6] |= Word{1} << (bit & 63);
  }
}

bool Interpreter::nth_from(const ir::Clause& clause, std::size_t level, std::uint64_t index, int seat, bool several,
                           const ir::Option& option, Move& move) {
  if (level == clause.binders.size()) {
    if (index == 0) encode(option, move);
    return index == 0;
  }
  if (level == static_cast<std::size_t>(clause.named)) {
    return index == 0 && !each_in(clause, level, seat, [&] {
      encode(option, move);
      return false;
    });
  }
  const ir::Binder& binder = clause.binders[level];
  if (multiplies(clause, level + 1, several) || (binder.alone && !(several && binder.component))) {
    const std::uint64_t rest = count_from(clause, level + 1, seat, several);
    if (rest == 0) return false;
    const std::uint64_t mine = index / rest;
    if (binder.pick && !binder.component && binder.filters.empty()) {
      return nth_pick(binder, mine) && nth_from(clause, level + 1, index % rest, seat, several, option, move);
    }
    if (!binder.pick && binder.kind == SourceKind::range && binder.filters.empty()) {
      scratch[static_cast<std::size_t>(binder.slot)] = eval(binder.a) + static_cast<std::int64_t>(mine);
      return nth_from(clause, level + 1, index % rest, seat, several, option, move);
    }
    std::uint64_t k = 0;
    bool found = false;
    each_value(binder, seat, [&] {
      if (k++ != mine) return true;
      found = nth_from(clause, level + 1, index % rest, seat, several, option, move);
      return false;
    });
    return found;
  }
  bool found = false;
  each_value(binder, seat, [&] {
    const std::uint64_t n = count_from(clause, level + 1, seat, several);
    if (index >= n) {
      index -= n;
      return true;
    }
    found = nth_from(clause, level + 1, index, seat, several, option, move);
    return false;
  });
  return found;
}

std::uint64_t Interpreter::count_kind(const ir::Choose& choice, int seat, bool otherwise) {
  std::uint64_t n = 0;
  for (std::int32_t i = choice.first; i < choice.first + choice.count; ++i) {
    const ir::Option& option = p.options[static_cast<std::size_t>(i)];
    if (option.otherwise == otherwise) n += count_option(option, seat);
  }
  return n;
}

std::uint64_t Interpreter::count_moves(int seat) {
  const ir::Choose& choice = current_choice();
  bind_choice(choice, seat);
  std::uint64_t n = count_kind(choice, seat, false);
  if (n == 0) n = count_kind(choice, seat, true);
  unbind_choice(choice);
  if (n == 0) fail_here(FaultCode::stuck);
  return n;
}

bool Interpreter::nth_kind(const ir::Choose& choice, int seat, bool otherwise, std::uint64_t index, Move& move) {
  for (std::int32_t i = choice.first; i < choice.first + choice.count; ++i) {
    const ir::Option& option = p.options[static_cast<std::size_t>(i)];
    if (option.otherwise != otherwise) continue;
    const std::uint64_t n = count_option(option, seat);
    if (index >= n) {
      index -= n;
      continue;
    }
    return nth_option(option, index, seat, move);
  }
  return false;
}

bool Interpreter::nth_move(int seat, std::uint64_t index, Move& move) {
  const ir::Choose& choice = current_choice();
  bind_choice(choice, seat);
  const bool otherwise = count_kind(choice, seat, false) == 0;
  const bool found = nth_kind(choice, seat, otherwise, index, move);
  unbind_choice(choice);
  return found;
}

std::uint64_t Interpreter::sample_move(int seat, Rng& random, Move& move) {
  const ir::Choose& choice = current_choice();
  bind_choice(choice, seat);
  // counts are kept, so that no option is counted twice
  constexpr std::int32_t kKept = 32;
  std::uint64_t counts[kKept];
  std::uint64_t total = 0;
  bool otherwise = false;
  for (int round = 0; round < 2 && total == 0; ++round) {
    otherwise = round == 1;
    for (std::int32_t i = 0; i < choice.count; ++i) {
      const ir::Option& option = p.options[static_cast<std::size_t>(choice.first + i)];
      const std::uint64_t n = option.otherwise == otherwise ? count_option(option, seat) : 0;
      if (i < kKept) counts[i] = n;
      total += n;
    }
  }
  bool found = total > 0;
  if (!found) {
    fail_here(FaultCode::stuck);
  } else {
    std::uint64_t index = random.below(total);
    if (choice.count > kKept) {
      found = nth_kind(choice, seat, otherwise, index, move);
    } else {
      std::int32_t i = 0;
      for (; index >= counts[i]; ++i) index -= counts[i];
      found = nth_option(p.options[static_cast<std::size_t>(choice.first + i)], index, seat, move);
    }
  }
  unbind_choice(choice);
  return found ? total : 0;
}

// ---- the other way round: the number of a move ----

/// Is this what the binder stands for now?
bool Interpreter::bound_to(const ir::Binder& binder, const std::int32_t* members, std::int32_t size) {
  if (!binder.pick) return scratch[static_cast<std::size_t>(binder.slot)] == members[0];
  if (binder.in_order) {
    const List& list = lists[static_cast<std::size_t>(binder.slot)];
    return list.size == size && std::equal(members, members + size, list.values);
  }
  const Word* words = &sets[static_cast<std::size_t>(binder.slot) * ir::kMaxWords];
  std::int32_t found = 0;
  for (std::int32_t w = 0; w < binder.domain.words; ++w) found += __builtin_popcountll(words[w]);
  return found == size && std::all_of(members, members + size, [&](std::int32_t member) {
    const std::int32_t bit = member - binder.domain.low;
    return bit >= 0 && bit < 64 * binder.domain.words && (words[bit >> 6] >> (bit & 63) & 1u) != 0;
  });
}

std::optional<std::uint64_t> Interpreter::number_from(const ir::Option& option, std::size_t level, std::int32_t at, int seat, bool several,
                                                        const Move& move) {
  const ir::Clause& clause = p.clauses[static_cast<std::size_t>(option.clause)];
  if (level == clause.binders.size()) return at == move.size ? std::optional<std::uint64_t>(0) : std::nullopt;
  if (level == static_cast<std::size_t>(clause.named)) {
    // of the names that are any all values make the same option
    bool found = false;
    with_any_ = true;
    each_binding(clause, level, seat, [&] {
      Move other;
      encode(option, other);
      found = other == move;
      return !found;
    });
    with_any_ = false;
    return found ? std::optional<std::uint64_t>(0) : std::nullopt;
  }
  const ir::Binder& binder = clause.binders[level];
  if (at >= move.size) return std::nullopt;
  const std::int32_t size = binder.pick ? move.args[static_cast<std::size_t>(at++)] : 1;
  if (size < 0 || at + size > move.size) return std::nullopt;
  const std::int32_t* members = &move.args[static_cast<std::size_t>(at)];
  const bool even = multiplies(clause, level + 1, several) || (binder.alone && !(several && binder.component));
  const std::uint64_t rest = even ? count_from(clause, level + 1, seat, several) : 0;
  if (even && rest == 0) return std::nullopt;
  std::optional<std::uint64_t> before;
  const bool plain = binder.filters.empty() && !binder.component;
  if (even && plain && binder.pick) {
    before = number_of_pick(binder, members, size);
    if (before) before = multiply(*before, rest);
  } else {
    // what stands before it in the list of this name
    std::uint64_t passed = 0;
    std::optional<std::uint64_t> behind;
    each_value(binder, seat, [&] {
      if (!bound_to(binder, members, size)) {
        passed += even ? rest : count_from(clause, level + 1, seat, several);
        return true;
      }
      behind = number_from(option, level + 1, at + size, seat, several, move);
      return false;
    });
    return behind ? std::optional(passed + *behind) : std::nullopt;
  }
  if (!before) return std::nullopt;
  const std::optional<std::uint64_t> behind = number_from(option, level + 1, at + size, seat, several, move);
  return behind ? std::optional(*before + *behind) : std::nullopt;
}

std::optional<std::uint64_t> Interpreter::number_in(const ir::Option& option, int seat, const Move& move) {
  const ir::Clause& clause = p.clauses[static_cast<std::size_t>(option.clause)];
  for (const ir::Node condition : clause.conditions) {
    if (!truth(condition)) return std::nullopt;
  }
  if (!goes_by_list(option, seat)) {
    return number_from(option, 0, 0, seat, merge_[static_cast<std::size_t>(&option - p.options.data())].several, move);
  }
  std::uint64_t number = 0;
  const bool missing = each_listed(option, seat, [&](const Move& listed) {
    if (listed == move) return false;
    ++number;
    return true;
  });
  return missing ? std::nullopt : std::optional(number);
}

/// Its number among the moves of the seat; nothing if it is not legal.
std::optional<std::uint64_t> Interpreter::number_of(int seat, const Move& move) {
  const ir::Choose& choice = current_choice();
  if (move.option < choice.first || move.option >= choice.first + choice.count) return std::nullopt;
  const bool otherwise = p.options[static_cast<std::size_t>(move.option)].otherwise;
  bind_choice(choice, seat);
  std::optional<std::uint64_t> number;
  if (!otherwise || count_kind(choice, seat, false) == 0) number = number_in(p.options[static_cast<std::size_t>(move.option)], seat, move);
  for (std::int32_t i = choice.first; i < move.option && number; ++i) {
    const ir::Option& before = p.options[static_cast<std::size_t>(i)];
    if (before.otherwise == otherwise) *number += count_option(before, seat);
  }
  unbind_choice(choice);
  return number;
}

}  // namespace rip
