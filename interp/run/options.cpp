// Decisions: what a seat may choose, and taking one. How many options there are and which is the n-th: numbering.cpp.
#include "interp/run/which.h"

#include <algorithm>

namespace rip {

/// While a seat's options are read its name in a `choose each` is bound.
void Interpreter::bind_choice(const ir::Choose& choice, int seat) {
  if (!choice.each) return;
  scratch[static_cast<std::size_t>(p.clauses[static_cast<std::size_t>(choice.clause)].binders[0].slot)] = seat;
  store_local(choice.seat_local, seat);
}

void Interpreter::unbind_choice(const ir::Choose& choice) {
  if (choice.each) store(choice.seat_local.cell.offset, choice.seat_local.cell.width, 0);
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
  if (observer != nullptr && (!choice.each || s[choice.state + 1] + 1 == s[choice.state])) {
    if (logging()) log_end();
    observer->choice_ended();
  }
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
