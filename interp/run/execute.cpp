// The flow of a game: one instruction after the other until something has to come from outside.
#include "interp/run/clauses.h"

#include <algorithm>

namespace rip {

using ir::InstrOp;

void Interpreter::store_local(const ir::FrameLocal& local, std::int64_t value) { store(local.cell.offset, local.cell.width, value); }

void Interpreter::store_local_from(const ir::FrameLocal& local, ir::Node node) {
  switch (local.kind) {
    case ir::LocalKind::scalar: store_local(local, eval(node)); return;
    case ir::LocalKind::set: {
      Word words[ir::kMaxWords];
      eval_set(node, local.domain, words);
      std::copy_n(words, local.domain.words, &at<Word>(local.cell.offset));
      return;
    }
    case ir::LocalKind::list: {
      List list;
      eval_list(node, list);
      if (list.size > local.max) {
        fail(FaultCode::too_many, node);
        return;
      }
      at<std::int32_t>(local.cell.offset) = list.size;
      for (std::int32_t i = 0; i < local.max; ++i) at<std::int32_t>(local.cell.offset + 4 + 4 * i) = i < list.size ? list.values[i] : 0;
      return;
    }
  }
}

/// A fault, with what it is about, if the variable cannot hold the value.
bool Interpreter::does_not_fit(std::int32_t index, std::int32_t position, std::int64_t value) {
  const ir::Var& var = p.vars[static_cast<std::size_t>(index)];
  if (value == ir::kNone ? var.optional : var.component || (value >= var.low && value <= var.high)) return false;
  detail_var = index;
  detail_position = position;
  detail_value = value;
  fail_here(value == ir::kNone ? FaultCode::none_used : FaultCode::out_of_range);
  return true;
}

void Interpreter::assign(const ir::Target& target, std::int64_t value) {
  const ir::Var& var = p.vars[static_cast<std::size_t>(target.var)];
  const auto position = target.index == ir::kNoNode ? 0 : static_cast<std::int32_t>(eval_position(target.index));
  if (fault != FaultCode::none) return;
  if (does_not_fit(target.var, position, value)) return;
  store(var.cell.offset + position * (1 << static_cast<int>(var.cell.width)), var.cell.width, value);
  write_known(var, position);
  if (logging()) log_set(target.var, position);
}

void Interpreter::assign_set(const ir::Target& target, ir::Node node) {
  const ir::Var& var = p.vars[static_cast<std::size_t>(target.var)];
  const auto position = target.index == ir::kNoNode ? 0 : static_cast<std::int32_t>(eval_position(target.index));
  Word words[ir::kMaxWords];
  eval_set(node, var.domain, words);
  if (fault != FaultCode::none) return;
  std::copy_n(words, var.domain.words, &at<Word>(var.cell.offset + position * 8 * var.domain.words));
  write_known(var, position);
  if (logging()) log_set(target.var, position);
}

void Interpreter::start_var(std::int32_t index) {
  if (static_cast<std::size_t>(index) < pinned.size() && pinned[static_cast<std::size_t>(index)] != 0) {
    pinned[static_cast<std::size_t>(index)] = 0;
    return;
  }
  begin_var(index);
}

void Interpreter::bind_index(const ir::Var& var, std::int32_t position) {
  for (std::size_t k = var.index.size(); k-- > 0;) {
    const auto [low, size] = var.index[k];
    if (k < var.index_slots.size() && var.index_slots[k] >= 0) scratch[static_cast<std::size_t>(var.index_slots[k])] = low + position % size;
    position /= size;
  }
}

void Interpreter::begin_cell(std::int32_t index, std::int32_t position) {
  const ir::Var& var = p.vars[static_cast<std::size_t>(index)];
  bind_index(var, position);
  if (var.set) {
    Word words[ir::kMaxWords] = {};
    if (var.start != ir::kNoNode) eval_set(var.start, var.domain, words);
    std::copy_n(words, var.domain.words, &at<Word>(var.cell.offset + position * 8 * var.domain.words));
  } else {
    const std::int64_t value = var.start == ir::kNoNode ? var.first_value : eval(var.start);
    if (fault == FaultCode::none && does_not_fit(index, position, value)) return;
    store(var.cell.offset + position * (1 << static_cast<int>(var.cell.width)), var.cell.width, value);
  }
  write_known(var, position);
}

void Interpreter::begin_var(std::int32_t index) {
  const ir::Var& var = p.vars[static_cast<std::size_t>(index)];
  for (std::int32_t i = 0; i < var.count && fault == FaultCode::none; ++i) begin_cell(index, i);
}

// ---- routines ----

void Interpreter::enter_routine(std::int32_t index, ir::Pc back) {
  const ir::Routine& routine = p.routines[static_cast<std::size_t>(index)];
  // frames are static; that of a routine that is still running is put aside. A return pc is never 0
  if (at<std::int32_t>(routine.frame) != 0 && !put_aside(index)) {
    fail_here(FaultCode::cyclic_triggers);
    return;
  }
  at<std::int32_t>(routine.frame) = back;
  at<std::int32_t>(routine.frame + 4) = header().me;
  header().pc = routine.entry;
}

void Interpreter::leave_routine(std::int32_t index) {
  const ir::Routine& routine = p.routines[static_cast<std::size_t>(index)];
  header().pc = at<std::int32_t>(routine.frame);
  header().me = at<std::int32_t>(routine.frame + 4);
  std::memset(s + routine.frame, 0, static_cast<std::size_t>(routine.frame_size));
  if (can_nest_) take_back(index);
}

bool Interpreter::unwind_to(std::int32_t target) {
  for (std::int32_t current = p.routine_of[static_cast<std::size_t>(header().pc)]; current != target;
       current = p.routine_of[static_cast<std::size_t>(header().pc)]) {
    if (current <= 0) return false;
    leave_routine(current);
  }
  return true;
}

/// The game ends: no phase runs and no seat acts any more.
void Interpreter::leave_all() {
  if (logging()) log_decided();
  header().running = 0;
  header().me = static_cast<std::int32_t>(ir::kNone);
}

bool Interpreter::end_turn() {
  if (logging()) log_decided();
  std::int32_t pc = header().pc;
  while (p.turns_of[static_cast<std::size_t>(pc)] < 0) {
    const std::int32_t current = p.routine_of[static_cast<std::size_t>(pc)];
    if (current <= 0) {
      fail_here(FaultCode::no_turn);
      return false;
    }
    pc = at<std::int32_t>(p.routines[static_cast<std::size_t>(current)].frame);
  }
  const ir::Turns& turns = p.turns[static_cast<std::size_t>(p.turns_of[static_cast<std::size_t>(pc)])];
  unwind_to(p.routine_of[static_cast<std::size_t>(pc)]);
  drop_waiting();
  header().me = static_cast<std::int32_t>(load(turns.seat.offset, turns.seat.width));
  header().running &= turns.running_mask;
  header().pc = turns.end_of_pass;
  return true;
}

void Interpreter::end_phase(std::int32_t index) {
  if (logging()) log_decided();
  const ir::Phase& phase = p.phases[static_cast<std::size_t>(index)];
  if ((header().running >> phase.bit & 1u) == 0) {
    fail_here(FaultCode::phase_not_running);
    return;
  }
  if (!unwind_to(phase.routine)) {
    fail_here(FaultCode::phase_not_running);
    return;
  }
  drop_waiting();
  header().running &= phase.ancestors | std::uint64_t{1} << phase.bit;
  header().pc = phase.exit;
}

/// Leaving drops the triggers that wait inside; those that wait outside of everything left are rerun by their own effect.
void Interpreter::drop_waiting() {
  const std::int32_t routine = p.routine_of[static_cast<std::size_t>(header().pc)];
  for (const auto& wake : p.wakes) {
    if (wake.routine != routine) continue;
    for (std::size_t i = 0; i < wake.areas.size(); ++i) {
      std::memset(s + wake.areas[i], 0, 8 * static_cast<std::size_t>(p.whens[static_cast<std::size_t>(wake.whens[i])].words));
    }
  }
}

// ---- loops ----

bool Interpreter::begin_for(std::int32_t index) {
  const ir::For& loop = p.fors[static_cast<std::size_t>(index)];
  const ir::Clause& clause = p.clauses[static_cast<std::size_t>(loop.clause)];
  const auto width = static_cast<std::int32_t>(clause.binders.size());
  std::int32_t* area = &at<std::int32_t>(loop.state);
  area[1] = 0;
  if (clause.keys.empty() && !clause.backwards) {
    std::int32_t n = 0;
    each(clause, [&] {
      if (n >= loop.capacity) {
        fail_here(FaultCode::too_many);
        return false;
      }
      std::int32_t* row = area + 2 + n * width;
      for (const auto& binder : clause.binders) *row++ = static_cast<std::int32_t>(scratch[static_cast<std::size_t>(binder.slot)]);
      ++n;
      return true;
    });
    area[0] = n;
    return true;
  }
  Rows rows;
  collect(clause, rows);
  if (rows.size > loop.capacity * width) {
    fail_here(FaultCode::too_many);
    return false;
  }
  for (std::int32_t i = 0; i < rows.size; ++i) area[2 + i] = static_cast<std::int32_t>(rows.values[i]);
  area[0] = rows.size / width;
  return true;
}

bool Interpreter::next_for(std::int32_t index) {
  const ir::For& loop = p.fors[static_cast<std::size_t>(index)];
  const auto width = static_cast<std::int32_t>(loop.locals.size());
  std::int32_t* area = &at<std::int32_t>(loop.state);
  if (area[1] >= area[0]) {
    std::memset(area, 0, 8 + 4 * static_cast<std::size_t>(area[0] * width));
    return false;
  }
  const std::int32_t* row = area + 2 + area[1] * width;
  for (const auto& local : loop.locals) store_local(local, *row++);
  ++area[1];
  return true;
}

bool Interpreter::seek_turn(const ir::Turns& turns) {
  ir::Header& h = header();
  if (turns.until != ir::kNoNode && truth(turns.until)) return false;
  std::int64_t candidate = load(turns.seat.offset, turns.seat.width);
  for (int refusals = 0; refusals < p.players && fault == FaultCode::none; ++refusals) {
    if (candidate == ir::kNone) {
      fail(FaultCode::none_used, turns.from);
      return false;
    }
    h.me = static_cast<std::int32_t>(candidate);
    if (turns.where == ir::kNoNode || truth(turns.where)) {
      store(turns.seat.offset, turns.seat.width, candidate);
      return true;
    }
    candidate = turns.then == ir::kNoNode ? (candidate + 1 == p.players ? 0 : candidate + 1) : eval(turns.then);
  }
  return false;
}

// ---- the machine ----

Status Interpreter::run(const std::function<bool(ir::Pc)>* pause) {
  fault = FaultCode::none;
  auto status = static_cast<Status>(header().status);
  if (status == Status::checkpoint) {
    header().status = static_cast<std::uint8_t>(Status::running);
    ++header().pc;
  } else if (status == Status::chance && rng != nullptr) {
    apply_outcome(sample_value(*rng));
    status = static_cast<Status>(header().status);
    if (status != Status::running) return status;
  } else if (status != Status::running) {
    return status;
  }
  while (true) {
    if (pause != nullptr && (*pause)(header().pc)) return Status::running;
    const ir::Instr& instr = p.code[static_cast<std::size_t>(header().pc)];
    const bool stopped = step(instr);
    if (--work_left < 0) fail_here(FaultCode::endless);
    // a step may have moved the state: what it was put into is read anew
    ir::Header& h = header();
    if (fault != FaultCode::none) {
      h.status = static_cast<std::uint8_t>(Status::fault);
      h.fault = static_cast<std::uint8_t>(fault);
      h.fault_at = fault_in_code ? -1 - fault_at : fault_at;
      return Status::fault;
    }
    if (stopped) return static_cast<Status>(h.status);
  }
}

bool Interpreter::step(const ir::Instr& instr) {
  ir::Header& h = header();
  switch (instr.op) {
    case InstrOp::nop: ++h.pc; return false;
    case InstrOp::jump: h.pc = instr.a; return false;
    case InstrOp::branch_false: h.pc = truth(instr.a) ? h.pc + 1 : instr.b; return false;
    case InstrOp::branch_match: {
      ir::MatchArm const& arm = p.matches[static_cast<std::size_t>(instr.b)][static_cast<std::size_t>(instr.d)];
      h.pc = arm_fits(arm, eval(instr.a)) ? instr.c : h.pc + 1;
      return false;
    }
    case InstrOp::call: {
      const ir::Routine& routine = p.routines[static_cast<std::size_t>(instr.a)];
      const std::int32_t* args = &p.pool[static_cast<std::size_t>(instr.b)];
      enter_routine(instr.a, h.pc + 1);
      if (fault != FaultCode::none) return false;
      for (std::size_t i = 0; i < routine.params.size(); ++i) {
        const ir::FrameLocal& param = routine.params[i];
        if (param.kind != ir::LocalKind::scalar) {
          store_local_from(param, args[1 + i]);
          continue;
        }
        const std::int64_t value = eval(args[1 + i]);
        if (value != ir::kNone && (value < param.low || value > param.high)) fail(FaultCode::out_of_range, args[1 + i]);
        store_local(param, value);
      }
      return false;
    }
    case InstrOp::ret: leave_routine(p.routine_of[static_cast<std::size_t>(h.pc)]); return false;
    case InstrOp::phase_begin: {
      const ir::Phase& phase = p.phases[static_cast<std::size_t>(instr.a)];
      h.running |= std::uint64_t{1} << phase.bit;
      at<std::int32_t>(phase.saved_me.offset) = h.me;
      ++h.pc;
      return false;
    }
    case InstrOp::phase_end: {
      const ir::Phase& phase = p.phases[static_cast<std::size_t>(instr.a)];
      h.running &= ~(std::uint64_t{1} << phase.bit);
      h.me = at<std::int32_t>(phase.saved_me.offset);
      at<std::int32_t>(phase.saved_me.offset) = 0;
      ++h.pc;
      return false;
    }
    case InstrOp::end_phase: end_phase(instr.a); return false;
    case InstrOp::end_turn: end_turn(); return false;
    case InstrOp::win:
      h.winners = eval_seats(instr.a);
      leave_all();
      h.won = 1;
      h.status = static_cast<std::uint8_t>(Status::over);
      return fault == FaultCode::none;
    case InstrOp::end_game:
    case InstrOp::finish:
      leave_all();
      h.status = static_cast<std::uint8_t>(Status::over);
      if (h.won == 0 && p.winner >= 0) {
        Word seats[ir::kMaxWords] = {};
        best_of(p.clauses[static_cast<std::size_t>(p.winner)], {0, 1}, seats);
        h.winners = static_cast<std::uint32_t>(seats[0]);
      }
      return fault == FaultCode::none;
    case InstrOp::scenario_end:
      h.status = static_cast<std::uint8_t>(Status::over);
      return true;
    case InstrOp::checkpoint:
      h.status = static_cast<std::uint8_t>(Status::checkpoint);
      return true;
    case InstrOp::save_me:
      at<std::int32_t>(instr.a) = h.me;
      ++h.pc;
      return false;
    case InstrOp::restore_me:
      h.me = at<std::int32_t>(instr.a);
      ++h.pc;
      return false;
    case InstrOp::clear:
      std::memset(s + instr.a, 0, static_cast<std::size_t>(instr.b));
      ++h.pc;
      return false;
    case InstrOp::for_begin:
      begin_for(instr.a);
      ++h.pc;
      return false;
    case InstrOp::for_next: h.pc = next_for(instr.a) ? h.pc + 1 : instr.b; return false;
    case InstrOp::for_pick: {
      // skips rows until the binder has the value; the row itself comes with the next for_next
      const ir::For& loop = p.fors[static_cast<std::size_t>(instr.a)];
      const auto width = static_cast<std::int32_t>(loop.locals.size());
      std::int32_t* area = &at<std::int32_t>(loop.state);
      while (area[1] < area[0] && area[2 + area[1] * width + instr.b] != instr.c) ++area[1];
      ++h.pc;
      return false;
    }
    case InstrOp::turns_begin: {
      const ir::Turns& turns = p.turns[static_cast<std::size_t>(instr.a)];
      at<std::int32_t>(turns.saved_me.offset) = h.me;
      store(turns.seat.offset, turns.seat.width, eval(turns.from));
      ++h.pc;
      return false;
    }
    case InstrOp::turns_seek: h.pc = seek_turn(p.turns[static_cast<std::size_t>(instr.a)]) ? h.pc + 1 : instr.b; return false;
    case InstrOp::turns_next: {
      const ir::Turns& turns = p.turns[static_cast<std::size_t>(instr.a)];
      const std::int64_t seat = load(turns.seat.offset, turns.seat.width);
      h.me = static_cast<std::int32_t>(seat);
      store(turns.seat.offset, turns.seat.width, turns.then == ir::kNoNode ? (seat + 1 == p.players ? 0 : seat + 1) : eval(turns.then));
      ++h.pc;
      return false;
    }
    case InstrOp::count_pass: {
      std::int32_t& passes = at<std::int32_t>(instr.a);
      const bool used_up = passes >= eval(instr.b);
      if (used_up && instr.c >= 0) {
        h.pc = instr.c;
        return false;
      }
      if (observer != nullptr && used_up) observer->limit_passed(here());
      if (observer != nullptr && instr.c >= 0) observer->pass_counted(instr.a);
      ++passes;
      ++h.pc;
      return false;
    }
    case InstrOp::fault: fail_here(static_cast<FaultCode>(instr.a)); return false;

    case InstrOp::choose: return choose(instr);
    case InstrOp::choose_end: choose_end(instr); return false;

    case InstrOp::settle:
      if (settle(instr)) return true;
      ++h.pc;
      return false;
    case InstrOp::settle_fill:
      if (settle_fill(instr)) return true;
      ++h.pc;
      return false;
    case InstrOp::settle_each:
      if (settle_each(instr)) return true;
      ++h.pc;
      return false;
    case InstrOp::expose:
      if (expose()) return true;
      ++h.pc;
      return false;
    case InstrOp::roll_begin: {
      List dice;
      read_cards(instr.b, instr.a, dice);
      for (std::int32_t i = 0; i < dice.size; ++i) at<std::int8_t>(p.rolling + dice.values[i]) = 1;
      ++h.pc;
      return false;
    }
    case InstrOp::roll:
      if (roll()) return true;
      ++h.pc;
      return false;
    case InstrOp::random:
    case InstrOp::let_random: {
      List values;
      random_values(values);
      if (fault != FaultCode::none) return false;
      if (values.size == 0) {
        fail_here(FaultCode::empty_first);
        return false;
      }
      if (values.size > 1) return chance_point(ChanceKind::random, 0, 0);
      h.chance = static_cast<std::uint8_t>(ChanceKind::random);
      apply_outcome(values.values[0]);
      return false;
    }
    case InstrOp::let:
      store_local_from(p.frame_locals[static_cast<std::size_t>(instr.a)], instr.b);
      if (h.drawn != 0) close_drawn();
      ++h.pc;
      return false;
    case InstrOp::watch:
      watch(p.wakes[static_cast<std::size_t>(instr.a)], false);
      ++h.pc;
      return false;
    case InstrOp::watch_together:
      watch(p.wakes[static_cast<std::size_t>(instr.a)], true);
      ++h.pc;
      return false;
    case InstrOp::fire:
      fire(p.wakes[static_cast<std::size_t>(instr.a)]);
      ++h.pc;
      return false;
    case InstrOp::run_whens:
      if (!run_whens(p.wakes[static_cast<std::size_t>(instr.a)]) && fault == FaultCode::none) ++header().pc;
      return false;
    case InstrOp::cover:
      if (observer != nullptr) observer->covered(instr.a);
      ++h.pc;
      return false;
    case InstrOp::claim: {
      const ir::Claim& claim = p.claims[static_cast<std::size_t>(instr.a)];
      const bool holds = claim.condition == ir::kNoNode || truth(claim.condition);
      if (observer != nullptr && fault == FaultCode::none) {
        if (claim.kind == ir::Claim::Kind::sometimes) {
          if (holds) observer->claim_shown(instr.a);
        } else if (holds == (claim.kind == ir::Claim::Kind::never)) {
          observer->claim_violated(instr.a);
        }
      }
      ++h.pc;
      return false;
    }
    default:
      effect(instr);
      if (header().status == static_cast<std::uint8_t>(Status::chance)) return true;
      if (fault == FaultCode::none) ++header().pc;
      return false;
  }
}

}  // namespace rip
