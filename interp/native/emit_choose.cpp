// Decisions: who is asked, how many options there are, one of them at random, and taking it.
#include "interp/native/emit.h"

#include <algorithm>

namespace rip::native {

using Merge = Interpreter::Merge;

bool Emitter::is_told() const {
  return std::any_of(in.told_by_type_.begin(), in.told_by_type_.end(), [](std::uint8_t told) { return told != 0; }) && !distinct_;
}

/// Its names do not depend on each other, so that numbers of values can be multiplied.
bool Emitter::is_plain(std::int32_t index) const {
  const ir::Clause& of = clause(p.options[static_cast<std::size_t>(index)].clause);
  const auto& merging = in.merge_[static_cast<std::size_t>(index)];
  if (merging.merge == Merge::even || merging.merge == Merge::uneven || static_cast<std::size_t>(of.named) != of.binders.size()) return false;
  std::size_t components = 0;
  for (const ir::Binder& binder : of.binders) {
    if (binder.pick || !binder.independent) return false;
    components += binder.component ? 1 : 0;
  }
  return !(merging.several && components > 0);
}

/// Statements that find the values of one name: `n_<level>` of them, `lo_<level> + k`, `v_<level>[k]`, or bits of `m_<level>` that begin
/// at `lo_<level>`.
std::string Emitter::values(const ir::Option& option, std::int32_t option_index, std::size_t level) {
  const ir::Binder& binder = clause(option.clause).binders[level];
  if (!binder.component && binder.filters.empty() && binder.kind == ir::SourceKind::range) {
    return f("lo_{0} = {1}; {{ const i64 size = {2} - lo_{0} + 1; n_{0} = size > 0 ? static_cast<u64>(size) : 0; }} ", level, ex(binder.a), ex(binder.b));
  }
  const std::string asked = f("{2}n_{0} = static_cast<u64>(c.values(&c, {1}, {0}, static_cast<i32>(seat), v_{0})); ", level, option_index, binder.component ? f("behind_{}_{} = true; ", option_index, level) : "");
  const auto kept = bound_;
  const auto kept_loops = loops_;
  try {
    if (!binder.component) {
      if (binder.kind != ir::SourceKind::range && binder.kind != ir::SourceKind::set) return asked;
      // few numbers: a bit for each
      const Range low = range_of(binder.a), high = binder.kind == ir::SourceKind::range ? range_of(binder.b) : Range{};
      if (low.known() && high.known() && high.high - low.low < 64) {
        const Bind bind(*this, binder.slot, {low.low, high.high, false});
        loops_.push_back({binder.slot, ""});
        const std::string holds = holds_all(binder);
        const std::string kept_values = loops_.back().kept;
        loops_.pop_back();
        if (!holds.empty()) {
          in_bits_.insert({option_index, level});
          return f("{{ {0}u64 faults = 0; const i64 hi = {1}; lo_{4} = {3}; _Pragma(\"GCC unroll 16\") for (i64 x{2} = lo_{4}; x{2} <= hi; ++x{2}) m_{4} |= {5} << (x{2} - lo_{4}); n_{4} = static_cast<u64>(__builtin_popcountll(m_{4})); if "
                   "(RIP_RARE(faults != 0)) bad(c); }} ",
                   kept_values, ex(binder.b), binder.slot, ex(binder.a), level, holds);
        }
      }
      return each_value(binder, [&] { return f("if (RIP_RARE(n_{0} >= List::kMax)) {{ bad(c); break; }} v_{0}[n_{0}++] = static_cast<i32>(x{1});", level, binder.slot); });
    }
    // each component once as it looks to the seat
    if (binder.kind != ir::SourceKind::zone || is_told()) return asked;
    const ZoneText z = zone_text(binder.a);
    const ir::Zone& of = zone(z.family);
    if (may_hold_bag(z.family) || (z.count > 1 && in.by_component(z.family))) return asked;
    const bool hand = of.kind == ir::ZoneKind::hand;
    if (hand && (of.seen_by != ir::kNoNode || z.count != 1)) return asked;
    if (!distinct_ && !knowledge_) return asked;
    const std::string i = label();
    if (hand && !distinct_ && binder.filters.empty() && std::is_sorted(in.front_.begin(), in.front_.end())) {
      // equal ones lie beside each other: but for those that differ in who knows them, each stands for those behind it
      return f("{{ const i64 z_{0} = {1}; if (RIP_RARE({2}::owner(z_{0}) != seat)) {{ {3} }} else {{ const u16* cards_{0} = ids_of<{2}>(s, z_{0}); const i64 size_{0} = count_of(s, z_{0}); for (i64 {0} = "
               "0; {0} < size_{0}; ++{0}) {{ const i64 x = cards_{0}[{0}], before = {0} > 0 ? cards_{0}[{0} - 1] : x; const bool again = {0} > 0 && G::front[before] == G::front[x]; if "
               "(RIP_RARE(again && (!alike(s, before, x) || G::back[before] != G::back[x]))) {{ behind_{4}_{5} = true; if (looks_listed<{2}>(c, s, z_{0}, x, seat, v_{5}, n_{5})) continue; v_{5}[n_{5}++] = "
               "static_cast<i32>(x); }} else {{ v_{5}[n_{5}] = static_cast<i32>(x); n_{5} += again ? 0 : 1; }} }} }} }} ",
               i, z.first, family(z), asked, option_index, level);
    }
    const Bind bind(*this, binder.slot, {0, static_cast<std::int64_t>(p.components.size()) - 1, false});
    loops_.push_back({binder.slot, ""});
    const std::string holds = distinct_ || binder.filters.empty() ? holds_all(binder) : "";
    const std::string filters = holds.empty() ? passes(binder) : "";
    const std::string kept_values = loops_.back().kept;
    loops_.pop_back();
    const std::string again = distinct_ ? "" : f("if (looks_listed<{}>(c, s, at_{}, x{}, seat, v_{}, n_{})) continue; ", family(z), i, binder.slot, level, level);
    const std::string loop =
        f("u64 faults = 0; for (i64 at_{0} = z_{0}; at_{0} < z_{0} + {1}; ++at_{0}) {{ const u16* cards_{0} = ids_of<{2}>(s, at_{0}); const i64 size_{0} = count_of(s, at_{0}); for (i64 {0} = "
          "0; {0} < size_{0}; ++{0}) {{ const i64 x{3} = cards_{0}[{4}]; {5}{6}v_{7}[n_{7}] = static_cast<i32>(x{3}); n_{7} += {8}; }} }} if (RIP_RARE(faults != 0)) bad(c);",
          i, z.count, family(z), binder.slot, of.kind == ir::ZoneKind::pile ? f("size_{0} - 1 - {0}", i) : i, filters, again, level, holds.empty() ? "1" : holds);
    if (!hand) return f("{{ const i64 z_{} = {}; {}{} }} ", i, z.first, kept_values, loop);
    // a hand that is not the seat's own it sees from behind
    return f("{{ const i64 z_{0} = {1}; if (RIP_RARE({2}::owner(z_{0}) != seat)) {{ {3} }} else {{ {5}{4} }} }} ", i, z.first, family(z), asked, loop, kept_values);
  } catch (const Unsupported&) {
    bound_ = kept;
    loops_ = kept_loops;
    return asked;
  }
}

/// Statements that set `n` to the number of its options; what was found stays in the variables of values().
std::string Emitter::offer(std::int32_t index) {
  const ir::Option& option = p.options[static_cast<std::size_t>(index)];
  const ir::Clause& of = clause(option.clause);
  if (!is_plain(index)) return f("n = c.count_option(&c, {}, static_cast<i32>(seat)); ", index);
  std::string text = "n = 1; ";
  for (const ir::Node condition : of.conditions) text += f("if (n != 0 && !({})) n = 0; ", truth(condition));
  for (std::size_t level = 0; level < of.binders.size(); ++level) text += f("if (n != 0) {{ n_{0} = 0; {1} n *= n_{0}; }} ", level, values(option, index, level));
  return text;
}

/// A condition: is it open which of several components that look alike was taken?
std::string Emitter::which(const ir::Option& option) const {
  const auto index = static_cast<std::int32_t>(&option - p.options.data());
  if (in.merge_[static_cast<std::size_t>(index)].merge == Merge::none) return "";
  std::string text;
  std::size_t at = 0;
  for (const ir::Binder& binder : clause(option.clause).binders) {
    const std::size_t level = at++;
    if (!binder.component) continue;
    std::string when = f("which_is_open(c, s, args[{}], seat)", level);
    const ir::ExprNode& from = node(binder.a);
    if (binder.kind == ir::SourceKind::zone && (from.op == ir::NodeOp::zone || from.op == ir::NodeOp::zone_at)) {
      const ir::Zone& of = zone(from.a);
      // outside of hands and bags what looks alike is alike; of equal ones in its own hand only the seat knows more
      if (of.kind != ir::ZoneKind::hand && !may_hold_bag(family_of(from.a))) continue;
      const bool told = distinct_ || (binder.filters.empty() && std::is_sorted(in.front_.begin(), in.front_.end()) && !is_told());
      if (of.kind == ir::ZoneKind::hand && of.seen_by == ir::kNoNode && told) when = f("(behind_{}_{} && {})", index, level, when);
    }
    text += (text.empty() ? "" : " || ") + when;
  }
  return text;
}

std::string Emitter::take(ir::Pc pc, const ir::Choose& choice, std::int32_t index) {
  const ir::Option& option = p.options[static_cast<std::size_t>(index)];
  const ir::Clause& of = clause(option.clause);
  std::string text = f("++c.moves[{}]; ", index);
  const std::string host = f("{} c.decide(&c, static_cast<i32>(seat), {}, size, args); s = c.s; goto asked;", waits(pc, choice), index);
  if (!is_plain(index)) {
    return text + f("i32 args[kMaxArgs]; const i32 size = c.nth_option(&c, {}, index, static_cast<i32>(seat), args); if (RIP_RARE(size < 0)) goto fault; {}", index, host);
  }
  text += f("i32 args[kMaxArgs]; constexpr i32 size = {}; (void)size; ", of.binders.size());
  for (std::size_t level = of.binders.size(); level-- > 0;) {
    const ir::Binder& binder = of.binders[level];
    const bool closed = !binder.component && binder.filters.empty() && binder.kind == ir::SourceKind::range;
    const std::string number = level == 0 ? "index" : f("split(index, n_{}_{})", index, level);
    text += closed ? f("args[{0}] = static_cast<i32>(lo_{1}_{0} + static_cast<i64>({2})); ", level, index, number)
            : in_bits_.count({index, level}) != 0 ? f("args[{0}] = static_cast<i32>(lo_{1}_{0} + nth_bit(m_{1}_{0}, {2})); ", level, index, number)
                                                  : f("args[{0}] = v_{1}_{0}[{2}]; ", level, index, number);
  }
  const std::string open = which(option);
  if (!open.empty()) text += f("if (RIP_RARE({})) {{ {} }} ", open, host);
  text += choice.each ? "head(s).deciding &= ~(1u << seat); " : "head(s).deciding = 0; ";
  if (choice.each) {
    const std::int32_t first = ir::commitment(choice, p.players, 0);
    text += f("{{ i32* const taken = &at<i32>(s, {} + seat * {}); taken[0] = {}; ", first, choice.commit_stride, index);
    for (std::size_t i = 0; i < of.binders.size(); ++i) text += f("taken[{}] = args[{}]; ", i + 1, i);
    return text + f("}} goto T{};", pc);
  }
  for (std::size_t i = 0; i < option.args.size(); ++i) text += store(option.args[i].cell, f("i64(args[{}])", i)) + " ";
  entries_.insert(option.body);
  return text + f("head(s).status = kRunning; goto L{};", option.body);
}

std::string Emitter::decide(ir::Pc pc, const ir::Choose& choice) {
  const std::string begin = f("if (RIP_RARE(c.decisions_left-- == 0)) {{ {} return kDecision; }} jumps_left = kMostJumps; c.work_left = kMostWork; ", waits(pc, choice));
  std::string text;
  std::optional<Bind> bound;
  if (choice.each) {
    const std::int32_t slot = clause(choice.clause).binders[0].slot;
    text += f("i64 seat = 0; {{ const u8* const area = s + {}; for (int i = 0; i < area[0]; ++i) if ((head(s).deciding >> area[2 + i] & 1) != 0) {{ seat = area[2 + i]; break; "
              "}} }} const i64 x{} = seat; c.scratch[{}] = seat; {} ",
              choice.state, slot, slot, store(choice.seat_local.cell, "seat"));
    bound.emplace(*this, slot, Range{0, p.players - 1, false});
  } else {
    text += "const i64 seat = asked_seat; ";
  }
  std::string counts;
  for (const bool otherwise : {false, true}) {
    std::string round;
    for (std::int32_t i = choice.first; i < choice.first + choice.count; ++i) {
      const ir::Option& option = p.options[static_cast<std::size_t>(i)];
      if (option.otherwise != otherwise) continue;
      const auto& binders = clause(option.clause).binders;
      std::string body = offer(i);
      std::string names;
      if (is_plain(i)) {
        // the values of every option have names of their own
        for (std::size_t level = 0; level < binders.size(); ++level) {
          const bool closed = !binders[level].component && binders[level].filters.empty() && binders[level].kind == ir::SourceKind::range;
          text += f("u64 n_{0}_{1} = 0; ", i, level) + f("i64 lo_{0}_{1} = 0; ", i, level) + (closed ? "" : f("u64 m_{0}_{1} = 0; i32 v_{0}_{1}[List::kMax]; ", i, level));
          if (binders[level].component) text += f("bool behind_{}_{} = false; ", i, level);
          names += f("u64& n_{1} = n_{0}_{1}; ", i, level) + f("i64& lo_{1} = lo_{0}_{1}; ", i, level) + (closed ? "" : f("u64& m_{1} = m_{0}_{1}; i32* const v_{1} = v_{0}_{1}; ", i, level));
        }
      }
      text += f("u64 count_{} = 0; ", i);
      round += f("{{ {} u64 n = 0; {} count_{} = n; total += n; }} ", names, body, i);
    }
    if (!round.empty()) counts += otherwise ? f("if (total == 0) {{ {} }} ", round) : round;
  }
  text += "u64 total = 0; " + counts;
  const bool asks_host = text.find("(&c, ") != std::string::npos || std::any_of(p.options.begin() + choice.first, p.options.begin() + choice.first + choice.count, [&](const ir::Option& option) {
    return !is_plain(static_cast<std::int32_t>(&option - p.options.data()));
  });
  text = begin + (asks_host ? waits(pc, choice) : "") + text;
  if (choice.each) text += store(choice.seat_local.cell, "i64(0)") + " ";
  text += "if (RIP_RARE(total == 0 || c.fault != 0)) goto fault; ";
  text += "count_decision(c, total); u64 index = c.rng.below(total); ";
  for (std::int32_t i = choice.first; i < choice.first + choice.count; ++i) {
    const bool last = i + 1 == choice.first + choice.count;
    text += last ? f("{{ {} }} ", take(pc, choice, i)) : f("if (index < count_{0}) {{ {1} }} index -= count_{0}; ", i, take(pc, choice, i));
  }
  if (choice.each) {
    text += f("T{0}: if (head(s).deciding != 0) {{ if (c.one_by_one != 0) {{ {1} return kDecision; }} goto D{0}; }} head(s).status = kRunning; goto B{0};", pc, waits(pc, choice));
  }
  return text;
}

std::string Emitter::run_body(ir::Pc, const ir::Choose& choice) {
  const std::int32_t first = ir::commitment(choice, p.players, 0);
  std::string text = f("const u8* const area = s + {}; const i64 seat = area[2 + area[1]]; const i32* const taken = &at<i32>(s, {} + seat * {}); {} ", choice.state, first,
                       choice.commit_stride, store(choice.seat_local.cell, "seat"));
  text += "switch (taken[0]) { ";
  for (std::int32_t i = choice.first; i < choice.first + choice.count; ++i) {
    const ir::Option& option = p.options[static_cast<std::size_t>(i)];
    text += f("case {}: {{ const i32* a = taken + 1; (void)a; ", i);
    for (const ir::FrameLocal& arg : option.args) {
      switch (arg.kind) {
        case ir::LocalKind::scalar: text += store(arg.cell, "i64(*a++)") + " "; break;
        case ir::LocalKind::set:
          text += f("{0} for (i32 n = *a++; n > 0; --n) {{ const i32 bit = *a++ - {1}; (&at<u64>(s, {2}))[bit >> 6] |= u64{{1}} << (bit & 63); }} ",
                    clear(arg.cell.offset, 8 * arg.domain.words), arg.domain.low, arg.cell.offset);
          break;
        case ir::LocalKind::list:
          text += f("{{ const i32 n = *a++; at<i32>(s, {0}) = n; for (i32 k = 0; k < n; ++k) at<i32>(s, {0} + 4 + 4 * k) = *a++; }} ", arg.cell.offset);
          break;
      }
    }
    entries_.insert(option.body);
    text += f("goto L{}; }} ", option.body);
  }
  return text + "default: goto fault; }";
}

/// What the state says while a seat is asked. A native decision needs none of it, only who looks at the state meanwhile does.
std::string Emitter::waits(ir::Pc pc, const ir::Choose& choice) {
  return f("head(s).pc = {}; head(s).status = kDecision;{}", pc, choice.each ? "" : " head(s).deciding = 1u << asked_seat;");
}

std::string Emitter::choose(ir::Pc pc) {
  const ir::Instr& instr = p.code[static_cast<std::size_t>(pc)];
  const ir::Choose& choice = p.chooses[static_cast<std::size_t>(instr.a)];
  std::string ask;
  if (knowledge_ && in.eyes_by_loops_.any()) throw Unsupported{};
  if (!choice.each) {
    const std::string seat = ex(choice.seat);
    ask = f("{{ const i64 seat = {}; if (RIP_RARE(seat == kNone || c.fault != 0)) goto fault; {} head(s).me = static_cast<i32>(seat); asked_seat = seat; }}", seat,
            store(choice.saved_me, "i64(head(s).me)"));
  } else {
    const ir::Clause& of = clause(choice.clause);
    const std::string rows = collect(of, "rows", 2 * p.players);
    entries_.insert(instr.b);
    ask = f("{{ u8* const area = s + {0}; {1} u32 mask = 0; for (i64 i = 0; i < n_rows; ++i) {{ const i64 seat = rows[i * {2}]; if (RIP_RARE((mask >> seat & 1) != 0)) goto "
            "fault; mask |= 1u << seat; area[2 + i] = static_cast<u8>(seat); }} if (RIP_RARE(c.fault != 0)) goto fault; if (n_rows == 0) goto L{3}; area[0] = "
            "static_cast<u8>(n_rows); area[1] = 0; head(s).deciding = mask; }}",
            choice.state, rows, of.binders.size() + of.keys.size(), instr.b);
  }
  return ask + f(" if (c.one_by_one != 0) {{ {0} return kDecision; }} goto D{1};", waits(pc, choice), pc);
}

std::string Emitter::choose_end(ir::Pc pc) {
  const ir::Instr& instr = p.code[static_cast<std::size_t>(pc)];
  const ir::Choose& choice = p.chooses[static_cast<std::size_t>(instr.a)];
  std::set<std::pair<std::int32_t, int>> cells;
  std::string text;
  for (std::int32_t i = choice.first; i < choice.first + choice.count; ++i) {
    for (const ir::FrameLocal& arg : p.options[static_cast<std::size_t>(i)].args) {
      switch (arg.kind) {
        case ir::LocalKind::scalar:
          if (cells.emplace(arg.cell.offset, static_cast<int>(arg.cell.width)).second) text += store(arg.cell, "i64(0)") + " ";
          break;
        case ir::LocalKind::set: text += clear(arg.cell.offset, 8 * arg.domain.words) + " "; break;
        case ir::LocalKind::list: text += clear(arg.cell.offset, 4 + 4 * arg.max) + " "; break;
      }
    }
  }
  if (!choice.each) {
    return f("head(s).me = static_cast<i32>({}); {} {}{}", load(choice.saved_me.offset, choice.saved_me.width), store(choice.saved_me, "i64(0)"), text, jump(pc, instr.b));
  }
  // the choice this belongs to
  ir::Pc at = pc;
  while (p.code[static_cast<std::size_t>(at)].op != ir::InstrOp::choose || p.code[static_cast<std::size_t>(at)].a != instr.a) --at;
  return text + f("if (s[{0} + 1]++, s[{0} + 1] < s[{0}]) goto B{1}; {2} std::memset(s + {0}, 0, {3}); {4}", choice.state, at, store(choice.seat_local.cell, "i64(0)"),
                  ir::commitment(choice, p.players, p.players) - choice.state, jump(pc, instr.b));
}

}  // namespace rip::native
