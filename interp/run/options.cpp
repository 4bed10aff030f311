// Decisions: what a seat may choose, how many options there are, which is the n-th, and taking one.
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

/// While a seat's options are read its name in a `choose each` is bound.
void Interpreter::bind_choice(const ir::Choose& choice, int seat) {
  if (!choice.each) return;
  scratch[static_cast<std::size_t>(p.clauses[static_cast<std::size_t>(choice.clause)].binders[0].slot)] = seat;
  store_local(choice.seat_local, seat);
}

void Interpreter::unbind_choice(const ir::Choose& choice) {
  if (choice.each) store(choice.seat_local.cell.offset, choice.seat_local.cell.width, 0);
}

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

bool Interpreter::nth_pick(const ir::Binder& binder, std::uint64_t index) {
  // unranks a pick over plain values without listing the others
  List from;
  if (binder.kind == SourceKind::range) {
    const std::int64_t high = eval(binder.b);
    for (std::int64_t v = eval(binder.a); v <= high; ++v) from.push(v);
  } else if (binder.kind == SourceKind::set) {
    Word words[ir::kMaxWords];
    eval_set(binder.a, binder.domain, words);
    for (std::int32_t w = 0; w < binder.domain.words; ++w) {
      for (Word rest = words[w]; rest != 0; rest &= rest - 1) from.push(binder.domain.low + 64 * w + __builtin_ctzll(rest));
    }
  } else {
    eval_list(binder.a, from);
  }
  // the order of pick_values: a pick comes before those that it begins
  const auto low = static_cast<std::uint64_t>(std::max<std::int64_t>(0, eval(binder.pick_low)));
  const std::uint64_t high = std::min(static_cast<std::uint64_t>(std::max<std::int64_t>(0, eval(binder.pick_high))), static_cast<std::uint64_t>(from.size));
  bool used[ir::kMaxList];
  std::fill_n(used, from.size, false);
  List chosen;
  std::int32_t start = 0;
  // picks that begin with what is chosen, itself included, if `left` members are still free
  auto below = [&](std::uint64_t have, std::uint64_t left) {
    std::uint64_t total = 0;
    for (std::uint64_t k = std::max(low, have); k <= high; ++k) {
      total = std::min(kHuge, total + (binder.in_order ? order_count(left, k - have) : choose_count(left, k - have)));
    }
    return total;
  };
  while (true) {
    const auto have = static_cast<std::uint64_t>(chosen.size);
    if (have >= low) {
      if (index == 0) break;
      --index;
    }
    bool found = false;
    for (std::int32_t i = binder.in_order ? 0 : start; i < from.size; ++i) {
      if (used[i]) continue;
      const std::uint64_t left = binder.in_order ? static_cast<std::uint64_t>(from.size) - have - 1 : static_cast<std::uint64_t>(from.size - i - 1);
      const std::uint64_t n = below(have + 1, left);
      if (index < n) {
        chosen.push(from.values[i]);
        used[i] = true;
        start = i + 1;
        found = true;
        break;
      }
      index -= n;
    }
    if (!found) return false;
  }
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
  return true;
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

void Interpreter::encode(const ir::Option& option, Move& move) {
  const ir::Clause& clause = p.clauses[static_cast<std::size_t>(option.clause)];
  move.option = static_cast<std::int32_t>(&option - p.options.data());
  move.size = 0;
  auto push = [&](std::int64_t value) {
    if (static_cast<std::size_t>(move.size) < move.args.size()) move.args[static_cast<std::size_t>(move.size++)] = static_cast<std::int32_t>(value);
  };
  for (const auto& binder : clause.binders) {
    if (!binder.pick) {
      push(scratch[static_cast<std::size_t>(binder.slot)]);
      continue;
    }
    List members;
    if (binder.in_order) {
      const List& list = lists[static_cast<std::size_t>(binder.slot)];
      members.size = list.size;
      std::copy_n(list.values, list.size, members.values);
    } else {
      const Word* words = &sets[static_cast<std::size_t>(binder.slot) * ir::kMaxWords];
      for (std::int32_t w = 0; w < binder.domain.words; ++w) {
        for (Word rest = words[w]; rest != 0; rest &= rest - 1) members.push(binder.domain.low + 64 * w + __builtin_ctzll(rest));
      }
      if (binder.component) sort_by_place(members);
    }
    push(members.size);
    for (std::int32_t i = 0; i < members.size; ++i) push(members.values[i]);
  }
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

void Interpreter::legal_moves(int seat, std::vector<Move>& moves) {
  moves.clear();
  const ir::Choose& choice = current_choice();
  bind_choice(choice, seat);
  for (int round = 0; round < 2 && moves.empty(); ++round) {
    for (std::int32_t i = choice.first; i < choice.first + choice.count; ++i) {
      const ir::Option& option = p.options[static_cast<std::size_t>(i)];
      if (option.otherwise != (round == 1)) continue;
      const ir::Clause& clause = p.clauses[static_cast<std::size_t>(option.clause)];
      bool open = true;
      for (const ir::Node condition : clause.conditions) open = open && truth(condition);
      if (!open) continue;
      if (goes_by_list(option, seat)) {
        each_listed(option, seat, [&](const Move& move) {
          moves.push_back(move);
          return true;
        });
        continue;
      }
      each_binding(clause, 0, seat, [&] {
        encode(option, moves.emplace_back());
        return true;
      });
    }
  }
  unbind_choice(choice);
  if (moves.empty()) fail_here(FaultCode::stuck);
}

void Interpreter::all_moves(int seat, std::vector<Move>& moves) {
  with_any_ = true;
  legal_moves(seat, moves);
  with_any_ = false;
}

bool Interpreter::is_legal(int seat, const Move& move) {
  const ir::Choose& choice = current_choice();
  if (move.option < choice.first || move.option >= choice.first + choice.count) return false;
  const ir::Option& option = p.options[static_cast<std::size_t>(move.option)];
  bind_choice(choice, seat);
  with_any_ = true;
  bool found = false;
  if (!option.otherwise || count_kind(choice, seat, false) == 0) {
    const ir::Clause& clause = p.clauses[static_cast<std::size_t>(option.clause)];
    bool open = true;
    for (const ir::Node condition : clause.conditions) open = open && truth(condition);
    if (open && goes_by_list(option, seat)) {
      each_listed(option, seat, [&](const Move& listed) {
        found = listed == move;
        return !found;
      });
    } else if (open) {
      each_binding(clause, 0, seat, [&] {
        Move listed;
        encode(option, listed);
        found = listed == move;
        return !found;
      });
    }
  }
  with_any_ = false;
  unbind_choice(choice);
  return found;
}

void Interpreter::store_args(const ir::Option& option, const std::int32_t* args) {
  for (const auto& local : option.args) {
    switch (local.kind) {
      case ir::LocalKind::scalar: store(local.cell.offset, local.cell.width, *args++); break;
      case ir::LocalKind::set: {
        Word* words = &at<Word>(local.cell.offset);
        std::fill_n(words, local.domain.words, Word{0});
        const std::int32_t n = *args++;
        for (std::int32_t i = 0; i < n; ++i) {
          const std::int32_t bit = *args++ - local.domain.low;
          words[bit >> 6] |= Word{1} << (bit & 63);
        }
        break;
      }
      case ir::LocalKind::list: {
        const std::int32_t n = *args++;
        at<std::int32_t>(local.cell.offset) = n;
        for (std::int32_t i = 0; i < n; ++i) at<std::int32_t>(local.cell.offset + 4 + 4 * i) = *args++;
        break;
      }
    }
  }
}

// ---- the instruction ----

bool Interpreter::choose(const ir::Instr& instr) {
  const ir::Choose& choice = p.chooses[static_cast<std::size_t>(instr.a)];
  ir::Header& h = header();
  if (eyes_by_loops_.any()) refresh(eyes_by_loops_);
  if (!choice.each) {
    const std::int64_t seat = eval(choice.seat);
    if (seat == ir::kNone) fail(FaultCode::none_used, choice.seat);
    if (fault != FaultCode::none) return false;
    store(choice.saved_me.offset, choice.saved_me.width, h.me);
    h.me = static_cast<std::int32_t>(seat);
    h.deciding = 1u << seat;
    h.status = static_cast<std::uint8_t>(Status::decision);
    return true;
  }
  std::uint8_t* area = s + choice.state;
  Rows rows;
  collect(p.clauses[static_cast<std::size_t>(choice.clause)], rows);
  const auto width = static_cast<std::int32_t>(p.clauses[static_cast<std::size_t>(choice.clause)].binders.size());
  std::uint32_t mask = 0;
  std::uint8_t n = 0;
  for (std::int32_t row = 0; row < rows.size; row += width) {
    const std::int64_t seat = rows.values[row];
    if ((mask >> seat & 1u) != 0) {
      fail_here(FaultCode::seat_twice);
      return false;
    }
    mask |= 1u << seat;
    area[2 + n++] = static_cast<std::uint8_t>(seat);
  }
  if (fault != FaultCode::none) return false;
  if (n == 0) {
    h.pc = instr.b;
    return false;
  }
  area[0] = n;
  area[1] = 0;
  if (logging()) log_asked(mask);
  h.deciding = mask;
  h.status = static_cast<std::uint8_t>(Status::decision);
  return true;
}

std::int32_t Interpreter::commitment(const ir::Choose& choice, int seat) const {
  return choice.state + ((2 + p.players + 3) & ~3) + seat * choice.commit_stride;
}

void Interpreter::run_body_of(const ir::Choose& choice) {
  const std::uint8_t* area = s + choice.state;
  const int seat = area[2 + area[1]];
  const std::int32_t* stored = &at<std::int32_t>(commitment(choice, seat));
  const ir::Option& option = p.options[static_cast<std::size_t>(stored[0])];
  store_local(choice.seat_local, seat);
  store_args(option, stored + 1);
  header().pc = option.body;
}

void Interpreter::decide(int seat, const Move& move) {
  ir::Header& h = header();
  const ir::Choose& choice = current_choice();
  h.deciding &= ~(1u << seat);
  const ir::Option& option = p.options[static_cast<std::size_t>(move.option)];
  if (logging()) log_decision(move, seat);
  take(option, seat, move);
  if (which_is_open(option, seat, move)) {
    h.chance_a = move.option;
    h.chance_b = seat;
    list_candidates();
    if (candidates_.size() > 1) {
      h.chance = static_cast<std::uint8_t>(ChanceKind::which);
      h.status = static_cast<std::uint8_t>(Status::chance);
      return;
    }
    h.chance_a = 0;
    h.chance_b = 0;
  }
  go_on_from(choice, option);
}

/// The decision is complete: the body runs, or those of all if this was the last.
void Interpreter::go_on_from(const ir::Choose& choice, const ir::Option& option) {
  ir::Header& h = header();
  if (choice.each && h.deciding != 0) {
    h.status = static_cast<std::uint8_t>(Status::decision);
    return;
  }
  h.status = static_cast<std::uint8_t>(Status::running);
  if (choice.each) run_body_of(choice);
  else h.pc = option.body;
}

void Interpreter::choose_end(const ir::Instr& instr) {
  const ir::Choose& choice = p.chooses[static_cast<std::size_t>(instr.a)];
  if (logging()) log_decided();
  if (!choice.each) {
    header().me = static_cast<std::int32_t>(load(choice.saved_me.offset, choice.saved_me.width));
    store(choice.saved_me.offset, choice.saved_me.width, 0);
    for (std::int32_t i = choice.first; i < choice.first + choice.count; ++i) clear_args(p.options[static_cast<std::size_t>(i)]);
    header().pc = instr.b;
    return;
  }
  std::uint8_t* area = s + choice.state;
  for (std::int32_t i = choice.first; i < choice.first + choice.count; ++i) clear_args(p.options[static_cast<std::size_t>(i)]);
  if (++area[1] < area[0]) {
    run_body_of(choice);
    return;
  }
  unbind_choice(choice);
  std::memset(area, 0, static_cast<std::size_t>(commitment(choice, p.players) - choice.state));
  header().pc = instr.b;
}

void Interpreter::clear_args(const ir::Option& option) {
  for (const auto& local : option.args) {
    switch (local.kind) {
      case ir::LocalKind::scalar: store(local.cell.offset, local.cell.width, 0); break;
      case ir::LocalKind::set: std::memset(s + local.cell.offset, 0, 8 * static_cast<std::size_t>(local.domain.words)); break;
      case ir::LocalKind::list: std::memset(s + local.cell.offset, 0, 4 + 4 * static_cast<std::size_t>(local.max)); break;
    }
  }
}

}  // namespace rip
