// Instructions that lead from one place to the next: jumps, routines, phases, loops, chance that is asked for.
#include "interp/native/emit.h"

#include "interp/ir/kids.h"

#include <algorithm>

namespace rip::native {

using ir::InstrOp;

/// The interpreter carries it out; where the game goes on stands in the header, mostly behind it.
std::string Emitter::step(ir::Pc pc) {
  const ir::Instr& instr = p.code[static_cast<std::size_t>(pc)];
  left.push_back(f("{}: {}", pc, ir::name(instr.op)));
  entries_.insert(pc);
  entries_.insert(pc + 1);
  return f("head(s).pc = {}; c.step(&c); s = c.s; goto asked;", pc);
}

std::string Emitter::instruction(ir::Pc pc) {
  const auto kept_left = left;
  const auto kept_entries = entries_;
  can_fail_ = false;
  try {
    std::string text = flow(pc);
    return text;
  } catch (const Unsupported&) {
    bound_.clear();
    loops_.clear();
    depth_ = 0;
    left = kept_left;
    entries_ = kept_entries;
    return step(pc);
  }
}

std::string Emitter::clear(std::int32_t offset, std::int32_t bytes) const { return f("std::memset(s + {}, 0, {});", offset, bytes); }

std::string Emitter::store_local(const ir::FrameLocal& local, ir::Node value) {
  switch (local.kind) {
    case ir::LocalKind::scalar: return store(local.cell, ex(value));
    case ir::LocalKind::set:
      return f("{{ const Set<{0}> o = {1}; for (int w = 0; w < {0}; ++w) (&at<u64>(s, {2}))[w] = o.w[w]; }}", local.domain.words, set(value, local.domain),
               local.cell.offset);
    case ir::LocalKind::list: {
      const std::string text = append(value, "l");
      can_fail_ = true;
      return f("{{ List l; {0} if (RIP_RARE(l.n > {1})) bad(c); else {{ at<i32>(s, {2}) = l.n; for (i32 i = 0; i < {1}; ++i) at<i32>(s, {2} + 4 + 4 * i) = "
               "i < l.n ? l.v[i] : 0; }} }}",
               text, local.max, local.cell.offset);
    }
  }
  return "";
}

std::string Emitter::call_routine(ir::Pc pc) {
  const ir::Instr& instr = p.code[static_cast<std::size_t>(pc)];
  const ir::Routine& routine = p.routines[static_cast<std::size_t>(instr.a)];
  entries_.insert(pc + 1);
  // a frame that is in use already: the interpreter puts it aside, or finds the fault
  entries_.insert(pc);
  std::string text = f("if (RIP_RARE(at<i32>(s, {0}) != 0)) {{ head(s).pc = {1}; c.step(&c); s = c.s; goto asked; }} ", routine.frame, pc);
  text += f("at<i32>(s, {}) = {}; at<i32>(s, {}) = head(s).me; ", routine.frame, pc + 1, routine.frame + 4);
  entries_.insert(routine.entry);
  for (std::size_t i = 0; i < routine.params.size(); ++i) {
    const ir::FrameLocal& param = routine.params[i];
    const ir::Node argument = pool(instr.b)[1 + i];
    if (param.kind != ir::LocalKind::scalar) {
      text += store_local(param, argument);
      continue;
    }
    const Range range = range_of(argument);
    const bool fits = range.known() && range.low >= param.low && range.high <= param.high;
    text += f("{{ const i64 v = {}; ", ex(argument));
    if (!fits && param.low > std::numeric_limits<std::int32_t>::min()) {
      can_fail_ = true;
      text += f("if (RIP_RARE(v != kNone && (v < {} || v > {}))) bad(c); ", param.low, param.high);
    }
    text += store(param.cell, "v") + " } ";
  }
  if (can_fail_) text += "if (RIP_RARE(c.fault != 0)) goto fault; ";
  return text + go(routine.entry);
}

std::string Emitter::leave_routine(ir::Pc pc) {
  if (in.can_nest_) return step(pc);
  const std::int32_t index = p.routine_of[static_cast<std::size_t>(pc)];
  const ir::Routine& routine = p.routines[static_cast<std::size_t>(index)];
  std::string text = f("head(s).me = at<i32>(s, {1}); const i32 back = at<i32>(s, {0}); {2} ", routine.frame, routine.frame + 4, clear(routine.frame, routine.frame_size));
  for (std::size_t from = 0; from < p.code.size(); ++from) {
    if (p.code[from].op != InstrOp::call || p.code[from].a != index) continue;
    text += f("if (back == {0}) goto L{0}; ", from + 1);
    entries_.insert(static_cast<ir::Pc>(from) + 1);
  }
  return text + "head(s).pc = back; goto dispatch;";
}

std::string Emitter::begin_for(const ir::For& loop) {
  const ir::Clause& of = clause(loop.clause);
  const std::size_t width = of.binders.size();
  const std::string begin = clockwise(of);
  if ((of.keys.empty() && !of.backwards) || !begin.empty()) {
    // few numbers: the row is written for each, and kept if it holds; behind the last one it is clear again
    if (begin.empty() && width == 1 && of.conditions.empty() && of.binders[0].kind == ir::SourceKind::range && !of.binders[0].filters.empty() && !of.binders[0].pick) {
      const ir::Binder& binder = of.binders[0];
      const Range low = range_of(binder.a), high = range_of(binder.b);
      if (low.known() && high.known() && high.high - low.low < loop.capacity) {
        const Bind bind(*this, binder.slot, {low.low, high.high, false});
        loops_.push_back({binder.slot, ""});
        const std::string holds = holds_all(binder);
        const std::string kept = loops_.back().kept;
        loops_.pop_back();
        if (!holds.empty()) {
          return f("i32* const area = &at<i32>(s, {0}); area[1] = 0; u64 n = 0, faults = 0; {1}const i64 hi = {2}; _Pragma(\"GCC unroll 16\") for (i64 x{3} = {4}; x{3} <= hi; ++x{3}) {{ area[2 + n] = "
                   "static_cast<i32>(x{3}); n += {5}; }} if (n < {6}) area[2 + n] = 0; if (RIP_RARE(faults != 0)) bad(c); area[0] = static_cast<i32>(n);",
                   loop.state, kept, ex(binder.b), binder.slot, ex(binder.a), holds, loop.capacity);
        }
      }
    }
    const Body keep = [&] {
      std::string text = f("if (RIP_RARE(n >= {})) {{ bad(c); goto fault; }} i32* row = area + 2 + n++ * {}; ", loop.capacity, width);
      std::size_t i = 0;
      for (const ir::Binder& binder : of.binders) text += f("row[{}] = static_cast<i32>(x{}); ", i++, binder.slot);
      return text;
    };
    const std::string body = begin.empty() ? each(of, keep) : each_clockwise(of, begin, keep);
    return f("i32* const area = &at<i32>(s, {}); area[1] = 0; i32 n = 0; {} area[0] = n;", loop.state, body);
  }
  const std::string rows = collect(of, "rows", std::min(loop.capacity + 1, 512));
  std::string copies;
  for (std::size_t i = 0; i < width; ++i) copies += f("area[2 + i * {0} + {1}] = static_cast<i32>(rows[i * {2} + {1}]); ", width, i, width + of.keys.size());
  return f("i32* const area = &at<i32>(s, {}); area[1] = 0; {} if (RIP_RARE(n_rows > {})) {{ bad(c); goto fault; }} for (i64 i = 0; i < n_rows; ++i) {{ {}}} "
           "area[0] = static_cast<i32>(n_rows);",
           loop.state, rows, loop.capacity, copies);
}

/// The top of a pile, or some cards from there, that move at once: both instructions in one, if the state allows it.
std::string Emitter::draw(ir::Pc pc, const ZoneText& z) {
  const ir::Instr& instr = p.code[static_cast<std::size_t>(pc)];
  const ir::Instr& after = p.code[static_cast<std::size_t>(pc) + 1];
  const bool listed = after.op == InstrOp::move_list;
  if ((knowledge_ && (distinct_ || in.moving_eyes_)) || (!listed && after.op != InstrOp::move) || after.d != 0) return "";
  const ir::ExprNode& what = node(after.a);
  if (what.op != (listed ? ir::NodeOp::top_list : ir::NodeOp::top)) return "";
  const auto constant = [&](ir::Node n) { return n != ir::kNoNode && node(n).op == ir::NodeOp::constant && node(n).a > 0; };
  if (listed ? !constant(instr.b) || !constant(what.a) || node(instr.b).a != node(what.a).a || node(instr.b).a + 2 > zone(z.family).capacity : instr.b != ir::kNoNode) return "";
  const ir::Node source = listed ? what.b : what.a;
  if (source != instr.a && !(node(source).op == ir::NodeOp::zone && node(instr.a).op == ir::NodeOp::zone && node(source).a == node(instr.a).a)) return "";
  // where it goes must not depend on which card it is
  const ir::ExprNode& target = node(after.b);
  const bool blind = target.op == ir::NodeOp::zone || (target.op == ir::NodeOp::zone_at && !reads_table(target.b));
  if (!blind || (after.c != ir::kNoNode && reads_table(after.c)) || zone(zone_text(after.b).family).limit >= 0) return "";
  const bool failed = can_fail_;
  const ZoneText to = zone_text(after.b);
  std::string text = f("const i64 to = {}, side = {}; if (RIP_RARE(c.fault != 0)) goto fault; if (draw_to<{}, {}>(c, s, z, to, {}, side)) {{ ", to.first, side(after.c), family(z), family(to),
                       listed ? node(instr.b).a : 1);
  can_fail_ = failed;
  entries_.insert(pc + 2);
  return text + f("if (RIP_RARE(c.fault != 0)) goto fault; goto L{}; }} ", pc + 2);
}

/// Every zone that the instruction draws from is settled here; one that may have to be refilled first, by the interpreter.
std::string Emitter::settle(ir::Pc pc) {
  const ir::Instr& instr = p.code[static_cast<std::size_t>(pc)];
  if (is_told()) throw Unsupported{};
  const ZoneText z = zone_text(instr.a);
  const ir::Zone& of = zone(z.family);
  if (z.count != 1) throw Unsupported{};
  const bool from_bottom = instr.c == 1 || (instr.c == 2 && of.kind == ir::ZoneKind::pile);
  const std::string refill = of.refill_from < 0 ? "" : f("if ({}) {{ {} }} ", from_bottom ? "n > 0 && count_of(s, z) == 0" : "count_of(s, z) < n", refilled(pc, z.family, "z"));
  if (!may_hold_bag(z.family) && refill.empty()) return "";
  const std::string bottom = from_bottom ? "true" : "false";
  std::string text = f("const i64 z = {}, n = {}; ", z.first, instr.b == ir::kNoNode ? "1" : ex(instr.b));
  if (can_fail_) text += "if (RIP_RARE(c.fault != 0)) goto fault; ";
  text += refill;
  const std::string drawn = instr.c == 0 ? draw(pc, z) : "";
  return text + drawn + f("settle_top<{}>(c, s, z, n, {});", family(z), bottom);
}

/// May depend on where components lie.
bool Emitter::reads_table(ir::Node n) const {
  switch (node(n).op) {
    case ir::NodeOp::zone:
    case ir::NodeOp::zone_at:
    case ir::NodeOp::face:
    case ir::NodeOp::in_zone:
    case ir::NodeOp::some_fits:
    case ir::NodeOp::fits:
    case ir::NodeOp::one_fitting: return true;
    default: break;
  }
  bool found = false;
  ir::each_kid(p, node(n), [&](ir::Node kid, bool) { found = found || (kid >= 0 && reads_table(kid)); });
  return found;
}

/// A pile that has run out. Where what lies there may be a bag itself, the interpreter sees to it, and to the whole instruction.
std::string Emitter::refilled(ir::Pc pc, std::int32_t pile, const std::string& z) {
  const ir::Zone& of = zone(pile);
  const bool several = std::count_if(p.zones.begin(), p.zones.end(), [&](const ir::Zone& one) { return one.family == of.family; }) > 1;
  if (several || may_hold_bag(family_of(of.refill_from)) || of.bags < 0 || !in.indexed_vars_.empty()) return step(pc);
  return f("refill<F{}, F{}>(c, s, {}, {}, {}); if (RIP_RARE(c.fault != 0)) goto fault; ", pile, family_of(of.refill_from), z, of.refill_from,
           of.refill_keeping == ir::kNoNode ? "i64(0)" : ex(of.refill_keeping));
}

std::string Emitter::settle_fill(ir::Pc pc) {
  const ir::Instr& instr = p.code[static_cast<std::size_t>(pc)];
  if (is_told()) throw Unsupported{};
  const ZoneText to = zone_text(instr.a);
  if (to.count != 1) throw Unsupported{};
  const ir::Zone& pile = zone(instr.c);
  std::string text = f("const i64 n = {} - i64(count_of(s, {})); ", instr.b == ir::kNoNode ? "1" : ex(instr.b), to.first);
  text += "if (RIP_RARE(c.fault != 0)) goto fault; ";
  if (pile.refill_from >= 0) text += f("if (n > 0 && count_of(s, {}) < n) {{ {} }} ", instr.c, refilled(pc, family_of(instr.c), std::to_string(instr.c)));
  if (!may_hold_bag(family_of(instr.c))) return text;
  const ir::Instr& after = p.code[static_cast<std::size_t>(pc) + 1];
  // one card that moves at once
  if (!(knowledge_ && (distinct_ || in.moving_eyes_)) && after.op == InstrOp::fill && after.c == instr.c && zone(to.family).kind != ir::ZoneKind::pile && zone(to.family).limit < 0 &&
      node(after.a).op == ir::NodeOp::zone_at && !reads_table(node(after.a).b) && (after.d == ir::kNoNode || !reads_table(after.d))) {
    entries_.insert(pc + 2);
    text += f("if (n == 1) {{ const i64 to = {0}, side = {1}; if (RIP_RARE(c.fault != 0)) goto fault; if (draw_to<F{2}, {3}>(c, s, {4}, to, 1, side)) {{ if (RIP_RARE(c.fault != 0)) goto fault; goto "
              "L{5}; }} }} ",
              zone_text(after.a).first, side(after.d), family_of(instr.c), family(to), instr.c, pc + 2);
  }
  return text + f("if (n > 0) settle_top<F{}>(c, s, {}, n, false);", family_of(instr.c), instr.c);
}

std::string Emitter::random(ir::Pc pc) {
  const ir::Instr& instr = p.code[static_cast<std::size_t>(pc)];
  if (instr.c != 0 || instr.d < 0 || (knowledge_ && in.moving_eyes_)) throw Unsupported{};
  const ir::Domain domain = domain_at(instr.d);
  std::string text = f("const Set<{}> from = {}; const i64 size = from.size(); if (RIP_RARE(c.fault != 0 || size == 0)) goto fault; ", domain.words, set(instr.b, domain));
  text += f("i64 k = static_cast<i64>(c.rng.below(static_cast<u64>(size))); i64 value = 0; for (int w = 0; w < {0}; ++w) {{ u64 rest = from.w[w]; for (; rest != 0 && k > 0; --k) "
            "rest &= rest - 1; if (rest != 0) {{ value = {1} + 64 * w + __builtin_ctzll(rest); break; }} }} ",
            domain.words, domain.low);
  if (instr.op == InstrOp::random) return text + assign(p.targets[static_cast<std::size_t>(instr.a)], "value", {domain.low, domain.low + 64 * domain.words, false});
  return text + store(p.frame_locals[static_cast<std::size_t>(instr.a)].cell, "value");
}

std::string Emitter::flow(ir::Pc pc) {
  const ir::Instr& instr = p.code[static_cast<std::size_t>(pc)];
  const std::string test = " if (RIP_RARE(c.fault != 0)) goto fault;";
  const auto tested = [&](const std::string& text) { return can_fail_ ? text + test : text; };
  switch (instr.op) {
    case InstrOp::nop:
    case InstrOp::cover: return "";
    case InstrOp::jump: return jump(pc, instr.a);
    case InstrOp::branch_false: {
      const std::string condition = truth(instr.a);
      return f("const bool holds = {};{} if (!holds) {{ {} }}", condition, can_fail_ ? test : "", jump(pc, instr.b));
    }
    case InstrOp::branch_match: {
      const ir::MatchArm& arm = p.matches[static_cast<std::size_t>(instr.b)][static_cast<std::size_t>(instr.d)];
      const std::string subject = ex(instr.a);
      const std::string holds = arm_fits(arm, "subject");
      return f("const i64 subject = {}; const bool holds = {};{} if (holds) {{ {} }}", subject, holds, can_fail_ ? test : "", jump(pc, instr.c));
    }
    case InstrOp::call: return call_routine(pc);
    case InstrOp::ret: return leave_routine(pc);
    case InstrOp::phase_begin: {
      const ir::Phase& phase = p.phases[static_cast<std::size_t>(instr.a)];
      return f("head(s).running |= u64{{1}} << {}; at<i32>(s, {}) = head(s).me;", phase.bit, phase.saved_me.offset);
    }
    case InstrOp::phase_end: {
      const ir::Phase& phase = p.phases[static_cast<std::size_t>(instr.a)];
      return f("head(s).running &= ~(u64{{1}} << {0}); head(s).me = at<i32>(s, {1}); at<i32>(s, {1}) = 0;", phase.bit, phase.saved_me.offset);
    }
    case InstrOp::win: {
      const std::string winners = seats(instr.a);
      return f("head(s).winners = {}; head(s).running = 0; head(s).me = static_cast<i32>(kNone); head(s).won = 1; head(s).status = kOver; head(s).pc = {};{} return kOver;",
               winners, pc, can_fail_ ? test : "");
    }
    case InstrOp::end_game:
    case InstrOp::finish: {
      std::string text = f("head(s).running = 0; head(s).me = static_cast<i32>(kNone); head(s).status = kOver; head(s).pc = {}; ", pc);
      if (p.winner >= 0) text += f("if (head(s).won == 0) {{ head(s).winners = static_cast<u32>({}.w[0]); }}", best(clause(p.winner), {0, 1}));
      return tested(text) + " return kOver;";
    }
    case InstrOp::scenario_end: return f("head(s).pc = {}; head(s).status = kOver; return kOver;", pc);
    case InstrOp::checkpoint:
      entries_.insert(pc + 1);
      return f("if (c.one_by_one != 0) {{ head(s).pc = {}; head(s).status = kCheckpoint; return kCheckpoint; }}", pc);
    case InstrOp::save_me: return f("at<i32>(s, {}) = head(s).me;", instr.a);
    case InstrOp::restore_me: return f("head(s).me = at<i32>(s, {});", instr.a);
    case InstrOp::clear: return clear(instr.a, instr.b);
    case InstrOp::for_begin: return tested(begin_for(p.fors[static_cast<std::size_t>(instr.a)]));
    case InstrOp::for_next: {
      const ir::For& loop = p.fors[static_cast<std::size_t>(instr.a)];
      const std::size_t width = loop.locals.size();
      std::string text = f("i32* const area = &at<i32>(s, {0}); if (area[1] >= area[0]) {{ std::memset(area, 0, {1}); {2} }} ", loop.state,
                           // rows that were never written are clear
                           loop.capacity * static_cast<std::int32_t>(width) <= 32 ? std::to_string(8 + 4 * loop.capacity * static_cast<std::int32_t>(width))
                                                                                  : f("8 + 4 * static_cast<std::size_t>(area[0] * {})", width),
                           jump(pc, instr.b));
      text += f("const i32* const row = area + 2 + area[1]++ * {}; ", width);
      for (std::size_t i = 0; i < width; ++i) text += store(loop.locals[i].cell, f("i64(row[{}])", i));
      return text;
    }
    case InstrOp::turns_begin: {
      const ir::Turns& turns = p.turns[static_cast<std::size_t>(instr.a)];
      const std::string from = ex(turns.from);
      return tested(f("at<i32>(s, {}) = head(s).me; {}", turns.saved_me.offset, store(turns.seat, from)));
    }
    case InstrOp::turns_seek: {
      const ir::Turns& turns = p.turns[static_cast<std::size_t>(instr.a)];
      std::string text;
      if (turns.until != ir::kNoNode) {
        const std::string until = truth(turns.until);
        text += f("{{ const bool over = {};{} if (over) {{ {} }} }} ", until, can_fail_ ? test : "", jump(pc, instr.b));
      }
      const std::string seat = load(turns.seat.offset, turns.seat.width);
      if (turns.where == ir::kNoNode) return text + f("const i64 seat = {}; if (RIP_RARE(seat == kNone)) goto fault; head(s).me = static_cast<i32>(seat);", seat);
      const std::string where = truth(turns.where);
      const std::string then = turns.then == ir::kNoNode ? f("seat + 1 == {} ? 0 : seat + 1", p.players) : ex(turns.then);
      return text + f("i64 seat = {}; bool found = false; for (int refusals = 0; refusals < {}; ++refusals) {{ if (RIP_RARE(seat == kNone)) goto fault; head(s).me = "
                      "static_cast<i32>(seat); if ({}) {{ found = true; break; }} seat = {};{} }}{} if (!found) {{ {} }} {}",
                      seat, p.players, where, then, test, test, jump(pc, instr.b), store(turns.seat, "seat"));
    }
    case InstrOp::turns_next: {
      const ir::Turns& turns = p.turns[static_cast<std::size_t>(instr.a)];
      std::string text = f("const i64 seat = {}; head(s).me = static_cast<i32>(seat); ", load(turns.seat.offset, turns.seat.width));
      text += turns.then == ir::kNoNode ? store(turns.seat, f("seat + 1 == {} ? i64(0) : seat + 1", p.players)) : store(turns.seat, ex(turns.then));
      return tested(text);
    }
    case InstrOp::count_pass: {
      const std::string limit = ex(instr.b);
      std::string text = f("i32& passes = at<i32>(s, {}); ", instr.a);
      if (instr.c >= 0) text += f("if (passes >= {}) {{ {} }} ", limit, jump(pc, instr.c));
      return tested(text + "++passes;");
    }
    case InstrOp::fault: return "goto fault;";
    case InstrOp::choose: return choose(pc);
    case InstrOp::choose_end: return choose_end(pc);
    case InstrOp::settle: return settle(pc);
    case InstrOp::expose: {
      std::string text;
      if (is_told()) throw Unsupported{};
      for (const std::int32_t z : in.expose_zones) {
        if (may_hold_bag(family_of(z))) text += f("expose<F{}>(c, s, {}); ", family_of(z), z);
      }
      return text;
    }
    case InstrOp::random:
    case InstrOp::let_random: return tested(random(pc));
    case InstrOp::let: {
      const std::string text = store_local(p.frame_locals[static_cast<std::size_t>(instr.a)], instr.b);
      return tested(text + (may_be_drawn(pc) ? " close_drawn(c, s);" : ""));
    }
    case InstrOp::claim: {
      const ir::Claim& claim = p.claims[static_cast<std::size_t>(instr.a)];
      const std::string holds = claim.condition == ir::kNoNode ? "true" : truth(claim.condition);
      if (claim.kind == ir::Claim::Kind::sometimes) return tested(f("if (({}) && c.fault == 0) ++c.shown[{}];", holds, instr.a));
      return can_fail_ ? f("(void)({});{}", holds, test) : "";
    }
    case InstrOp::settle_fill: return settle_fill(pc);
    case InstrOp::settle_each:
    case InstrOp::for_pick:
    case InstrOp::end_phase:
    case InstrOp::end_turn:
    case InstrOp::roll_begin:
    case InstrOp::roll:
    case InstrOp::watch:
    case InstrOp::watch_together:
    case InstrOp::fire:
    case InstrOp::run_whens: throw Unsupported{};
    default: {
      const std::string text = effect(pc);
      const bool value = instr.op == InstrOp::set || instr.op == InstrOp::pay;
      return value && !knowledge_ ? text : text + test;
    }
  }
}

}  // namespace rip::native
