// Effects. Operands are read completely before anything changes.
#include "interp/native/emit.h"

#include <algorithm>

namespace rip::native {

using ir::InstrOp;
using ir::NodeOp;

std::string Emitter::write_known(const ir::Var& var, const std::string& position) {
  if (!knowledge_ || var.known < 0) return "";
  if (var.seen_by == ir::kNoNode) return f("at<u32>(s, {} + 4 * ({})) = G::all_seats; ", var.known, position);
  // what its eyes call the indices of the variable
  std::string open;
  std::string rest = position;
  std::vector<std::pair<std::int32_t, Range>> names;
  std::int32_t stride = 1;
  for (std::size_t k = var.index.size(); k-- > 0;) {
    const auto [low, size] = var.index[k];
    if (k < var.index_slots.size() && var.index_slots[k] >= 0) {
      open += f("const i64 x{} = {} + ({}) / {} % {}; ", var.index_slots[k], low, position, stride, size);
      names.emplace_back(var.index_slots[k], Range{low, low + size - 1, false});
    }
    stride *= size;
  }
  const auto kept = bound_;
  bound_.insert(bound_.end(), names.begin(), names.end());
  const std::string mask = seats(var.seen_by);
  bound_ = kept;
  return f("{{ {} at<u32>(s, {} + 4 * ({})) = {}; }} ", open, var.known, position, mask);
}

std::string Emitter::assign(const ir::Target& target, const std::string& value, Range range) {
  const ir::Var& var = p.vars[static_cast<std::size_t>(target.var)];
  std::string text = f("const i64 new_value = {}; ", value);
  std::string where;
  if (target.index != ir::kNoNode) {
    text += f("const i64 where = {}; ", position(target.index));
    where = "where";
  }
  const bool fits = range.known() && !range.none && range.low >= var.low && range.high <= var.high;
  if (!fits) {
    if (var.component) {
      if (!var.optional) text += "if (RIP_RARE(new_value == kNone)) goto fault; ";
    } else {
      text += f("if (RIP_RARE({}(new_value < {} || new_value > {}))) goto fault; ", var.optional ? "new_value != kNone && " : "", var.low, var.high);
    }
  }
  if (can_fail_) text += "if (RIP_RARE(c.fault != 0)) goto fault; ";
  text += store(var.cell, "new_value", where.empty() ? "" : f("{} * {}", 1 << static_cast<int>(var.cell.width), where));
  return text + " " + write_known(var, where.empty() ? "0" : where);
}

std::string Emitter::start_var(std::int32_t index) {
  const ir::Var& var = p.vars[static_cast<std::size_t>(index)];
  if (var.count > 64) throw Unsupported{};
  std::string text;
  const auto kept = bound_;
  for (const std::int32_t slot : var.index_slots) {
    if (slot >= 0) bound_.emplace_back(slot, Range{});
  }
  std::string names;
  std::int32_t stride = 1;
  for (std::size_t k = var.index.size(); k-- > 0;) {
    const auto [low, size] = var.index[k];
    if (k < var.index_slots.size() && var.index_slots[k] >= 0) names += f("const i64 x{} = {} + i / {} % {}; ", var.index_slots[k], low, stride, size);
    stride *= size;
  }
  if (var.set) {
    const std::string value = var.start == ir::kNoNode ? f("Set<{}>{{}}", var.domain.words) : set(var.start, var.domain);
    text = f("const Set<{0}> o = {1}; for (int w = 0; w < {0}; ++w) (&at<u64>(s, {2} + i * {3}))[w] = o.w[w]; ", var.domain.words, value, var.cell.offset, 8 * var.domain.words);
  } else {
    const std::string value = var.start == ir::kNoNode ? number(var.first_value) : ex(var.start);
    std::string test;
    if (var.component) {
      if (!var.optional) test = "if (RIP_RARE(v == kNone)) goto fault; ";
    } else {
      test = f("if (RIP_RARE({}(v < {} || v > {}))) goto fault; ", var.optional ? "v != kNone && " : "", var.low, var.high);
    }
    text = f("const i64 v = {}; {}{} ", value, test, store(var.cell, "v", f("{} * i", 1 << static_cast<int>(var.cell.width))));
  }
  bound_ = kept;
  return f("for (i64 i = 0; i < {}; ++i) {{ {}{}{} }}", var.count, names, text, write_known(var, "i"));
}

std::string Emitter::pay(const ir::Instr& instr) {
  std::string text = f("const i64 amount = {}; ", ex(instr.a));
  std::string tests = "amount < 0";
  std::string stores;
  std::string cells[2];
  for (const bool from : {true, false}) {
    const ir::Target& target = p.targets[static_cast<std::size_t>(from ? instr.b : instr.c)];
    const ir::Var& var = p.vars[static_cast<std::size_t>(target.var)];
    const char* name = from ? "from" : "to";
    text += f("const i64 {}_at = {}; ", name, target.index == ir::kNoNode ? "0" : position(target.index));
    const int bytes = 1 << static_cast<int>(var.cell.width);
    cells[from ? 0 : 1] = f("{} + {} * {}_at", var.cell.offset, bytes, name);
    text += f("const i64 {}_value = i64(at<{}>(s, {})) {} amount; ", name, type(var.cell.width), cells[from ? 0 : 1], from ? "-" : "+");
    tests += f(" || {0}_value < {1} || {0}_value > {2}", name, var.low, var.high);
    stores += f("at<{0}>(s, {1}) = static_cast<{0}>({2}_value); ", type(var.cell.width), cells[from ? 0 : 1], name);
    stores += write_known(var, f("{}_at", name));
  }
  if (can_fail_) text += "if (RIP_RARE(c.fault != 0)) goto fault; ";
  return text + f("if ({} != {}) {{ if (RIP_RARE({})) goto fault; {}}}", cells[0], cells[1], tests, stores);
}

/// Where a component most probably lies when it moves: the zone it was chosen from, or is read from now.
std::optional<std::int32_t> Emitter::source_of(ir::Node n) const {
  const ir::ExprNode& x = node(n);
  const auto of_zone = [&](ir::Node z) -> std::optional<std::int32_t> {
    const ir::ExprNode& zone_node = node(z);
    if (zone_node.op != NodeOp::zone && zone_node.op != NodeOp::zone_at) return std::nullopt;
    return family_of(zone_node.a);
  };
  switch (x.op) {
    case NodeOp::top:
    case NodeOp::bottom:
    case NodeOp::nth:
    case NodeOp::place_card: return of_zone(x.a);
    case NodeOp::require: return source_of(x.a);
    case NodeOp::cell:
      for (const ir::Option& option : p.options) {
        for (std::size_t i = 0; i < option.args.size(); ++i) {
          const ir::Binder& binder = clause(option.clause).binders[i];
          if (option.args[i].cell.offset == x.a && binder.kind == ir::SourceKind::zone) return of_zone(binder.a);
        }
      }
      return std::nullopt;
    default: return std::nullopt;
  }
}

/// Between effects all tops that show are settled: then behind this one only what it touches can have changed.
bool Emitter::shows_elsewhere() {
  if (shows_elsewhere_) return *shows_elsewhere_;
  bool kept = true;
  for (std::size_t pc = 0; pc + 1 < p.code.size() && kept; ++pc) {
    const ir::Instr& instr = p.code[pc];
    switch (instr.op) {
      case InstrOp::move:
      case InstrOp::move_set:
      case InstrOp::move_list:
      case InstrOp::move_zone:
      case InstrOp::move_each:
      case InstrOp::fill:
      case InstrOp::swap:
      case InstrOp::swap_set:
      case InstrOp::swap_zones:
      case InstrOp::turn:
      case InstrOp::shuffle:
      case InstrOp::roll_end: break;
      default: continue;
    }
    if (p.code[pc + 1].op == InstrOp::expose) continue;
    const auto hidden = [&](ir::Node z) { return node(z).op == NodeOp::zone || node(z).op == NodeOp::zone_at ? !may_show(family_of(node(z).a)) : false; };
    switch (instr.op) {
      case InstrOp::move: {
        const ir::ExprNode& what = node(instr.a);
        const bool read = what.op == NodeOp::top || what.op == NodeOp::bottom || what.op == NodeOp::nth || what.op == NodeOp::place_card;
        kept = read && hidden(what.a) && hidden(instr.b);
        break;
      }
      case InstrOp::move_list: kept = (node(instr.a).op == NodeOp::top_list || node(instr.a).op == NodeOp::bottom_list) && hidden(node(instr.a).b) && hidden(instr.b); break;
      case InstrOp::move_zone: kept = hidden(instr.a) && hidden(instr.b); break;
      case InstrOp::fill: kept = hidden(instr.a) && !may_show(family_of(instr.c)); break;
      case InstrOp::shuffle: kept = hidden(instr.a); break;
      default: kept = false;
    }
  }
  shows_elsewhere_ = kept;
  return kept;
}

bool Emitter::may_show(std::int32_t family) const {
  return may_hold_bag(family) && std::any_of(in.expose_zones.begin(), in.expose_zones.end(), [&](std::int32_t z) { return family_of(z) == family; });
}

/// Instead of the `expose` that follows: the two zones that were touched, the first one first.
std::string Emitter::expose_touched(ir::Pc pc, std::int32_t source, const std::string& from, std::int32_t target, const std::string& to) {
  const auto next = static_cast<std::size_t>(pc) + 1;
  if (next >= p.code.size() || p.code[next].op != InstrOp::expose || !shows_elsewhere() || is_told()) return "";
  // what is due may have been refilled, from anywhere
  if (pc > 0) {
    switch (p.code[static_cast<std::size_t>(pc) - 1].op) {
      case InstrOp::settle_each: return "";
      case InstrOp::settle:
      case InstrOp::settle_fill:
        if (std::any_of(p.zones.begin(), p.zones.end(), [](const ir::Zone& z) { return z.refill_from >= 0; })) return "";
        break;
      default: break;
    }
  }
  const std::string one = may_show(source) ? f("expose<F{}>(c, s, {}); ", source, from) : "";
  const std::string other = may_show(target) ? f("expose<F{}>(c, s, {}); ", target, to) : "";
  std::string text = one + other;
  if (!one.empty() && !other.empty()) text = f("if ({0} < {1}) {{ {2}{3}}} else {{ {3}if ({0} != {1}) {{ {2}}} }} ", from, to, one, other);
  return text + f("if (RIP_RARE(c.fault != 0)) goto fault; goto L{};", pc + 2);
}

std::string Emitter::move(ir::Pc pc) {
  const ir::Instr& instr = p.code[static_cast<std::size_t>(pc)];
  const std::string behind = std::string(" if (RIP_RARE(c.fault != 0)) goto fault;") + (may_be_drawn(pc) ? " close_drawn(c, s);" : "");
  const ir::ExprNode& what = node(instr.a);
  // of the top of one zone it is plain where it lies
  std::optional<ZoneText> zone_of_top;
  if (what.op == NodeOp::top || what.op == NodeOp::place_card) zone_of_top = zone_text(what.a);
  if (zone_of_top && zone_of_top->count != 1) zone_of_top.reset();
  std::string text = zone_of_top ? f("const i64 from = {}, card = newest<{}, 1>(s, from); ", zone_of_top->first, family(*zone_of_top)) : f("const i64 card = {}; ", ex(instr.a));
  text += "if (card != kNone && c.fault == 0) { ";
  text += f("const i64 side = {}; ", side(instr.c));
  const ZoneText to = zone_text(instr.b);
  if (zone(to.family).limit >= 0) throw Unsupported{};
  text += f("const i64 to = {}; if (RIP_RARE(c.fault != 0)) goto fault; ", to.first);
  if (zone_of_top) {
    text += f("move_one<{}, {}, true>(c, s, card, from, to, {}, side); ", family(*zone_of_top), family(to), instr.d != 0 ? "true" : "false");
    const std::string expose = expose_touched(pc, zone_of_top->family, "from", to.family, "to");
    return text + (expose.empty() ? "" : behind + " " + expose) + "}" + behind;
  }
  text += "const i64 from = zone_of(s, card); ";
  const std::optional<std::int32_t> source = source_of(instr.a);
  const std::string under = instr.d != 0 ? "true" : "false";
  if (source) {
    text += f("if (F{0}::covers(from)) {{ move_one<F{0}, {1}>(c, s, card, from, to, {2}, side); ", *source, family(to), under);
    const std::string expose = expose_touched(pc, *source, "from", to.family, "to");
    if (!expose.empty()) text += behind + " " + expose;
    text += "} else ";
  }
  return text + f("move_one<Any, {}>(c, s, card, from, to, {}, side); }}", family(to), under) + behind;
}

std::string Emitter::move_packet(ir::Pc pc) {
  const ir::Instr& instr = p.code[static_cast<std::size_t>(pc)];
  const bool listed = instr.op == InstrOp::move_list;
  if (instr.op == InstrOp::move_set) throw Unsupported{};
  if (listed && node(instr.a).op != NodeOp::top_list && node(instr.a).op != NodeOp::bottom_list) throw Unsupported{};
  const ZoneText from = zone_text(listed ? node(instr.a).b : instr.a);
  const ZoneText to = zone_text(instr.b);
  if (zone(to.family).limit >= 0) throw Unsupported{};
  if (from.count > 1 && in.by_component(from.family)) throw Unsupported{};
  std::string text = "List l; ";
  if (listed) text += append(instr.a, "l");
  else text += f("{{ const i64 z = {0}; for (i64 i = z; i < z + {1}; ++i) append_zone<{2}>(s, i, l); }}", from.first, from.count, family(from));
  text += f(" if (l.n > 0 && c.fault == 0) {{ const i64 side = {}, to = {}; if (RIP_RARE(c.fault != 0)) goto fault; ", side(instr.c), to.first);
  // a bag, a hand: their order is chance's, so the interpreter does it
  return text + f("if (RIP_RARE((!carry<{}, {}>(c, s, l.v, l.n, to, {}, {}, side)))) {{ {} }} }}", family(from), family(to), instr.d != 0 ? "true" : "false",
                  listed ? "true" : "false", step(pc));
}

std::string Emitter::fill(ir::Pc pc) {
  const ir::Instr& instr = p.code[static_cast<std::size_t>(pc)];
  const ZoneText to = zone_text(instr.a);
  if (to.count != 1 || zone(to.family).limit >= 0) throw Unsupported{};
  const std::int32_t pile = family_of(instr.c);
  const bool on_pile = zone(to.family).kind == ir::ZoneKind::pile;
  if (on_pile) throw Unsupported{};
  std::string text = f("const i64 side = {}, to = {}, wanted = {}; if (RIP_RARE(c.fault != 0)) goto fault; ", side(instr.d), to.first,
                       instr.b == ir::kNoNode ? "1" : ex(instr.b));
  text += f("List l; {{ const u16* const cards = ids_of<F{0}>(s, {1}); i64 left = count_of(s, {1}); for (i64 n = count_of(s, to); n < wanted && left > 0; ++n) "
            "l.push(cards[--left]); }} ",
            pile, instr.c);
  text += f("if (l.n == 1) move_one<F{0}, {1}, true>(c, s, l.v[0], {2}, to, false, side); else ", pile, family(to), instr.c);
  return text + f("if (l.n > 0 && RIP_RARE((!carry<F{}, {}>(c, s, l.v, l.n, to, false, true, side)))) {{ {} }}", pile, family(to), step(pc));
}

std::string Emitter::show(const ir::Instr& instr) {
  const std::string mask = instr.c == ir::kNoNode ? "G::all_seats" : seats(instr.c);
  switch (instr.b) {
    case 0: {
      const std::string card = ex(instr.a);
      if (!knowledge_) return can_fail_ ? f("(void)({}); (void)({}); if (RIP_RARE(c.fault != 0)) goto fault;", mask, card) : "";
      return f("const u32 mask = {}; const i64 card = {}; if (RIP_RARE(c.fault != 0)) goto fault; close_drawn(c, s); if (card != kNone) known_of(s, card) |= mask;", mask, card);
    }
    case 3: {
      const ir::Target& target = p.targets[static_cast<std::size_t>(instr.a)];
      const ir::Var& var = p.vars[static_cast<std::size_t>(target.var)];
      const bool all = target.index == ir::kNoNode;
      const std::string where = all ? "0" : position(target.index);
      if (!knowledge_ || var.known < 0) return can_fail_ ? f("(void)({}); (void)({});", mask, where) : "";
      return f("const u32 mask = {}; const i64 where = {}; if (RIP_RARE(c.fault != 0)) goto fault; for (i64 i = where; i < {}; ++i) at<u32>(s, {} + 4 * i) |= mask;", mask,
               where, all ? std::to_string(var.count) : "where + 1", var.known);
    }
    case 1:
    case 2:
      if (knowledge_) {
        const std::string cards = instr.b == 1 ? f("push_all({}, 0, l);", set(instr.a, in.component_domain())) : append(instr.a, "l");
        return f("const u32 mask = {}; List l; {} if (RIP_RARE(c.fault != 0)) goto fault; close_drawn(c, s); for (i32 i = 0; i < l.n; ++i) known_of(s, l.v[i]) |= mask;", mask,
                 cards);
      }
      // nobody asks who knows them; whether they can be read at all is not decided by a fault of a list of zones
      if (node(instr.a).op != NodeOp::zone_list && node(instr.a).op != NodeOp::zone_set) throw Unsupported{};
      return can_fail_ ? f("(void)({});", mask) : "";
    case 6: throw Unsupported{};
    default: {
      const std::string value = ex(instr.a);
      return can_fail_ ? f("(void)({}); (void)({});", mask, value) : "";
    }
  }
}

/// Cards may have been settled for this effect, on some way that leads here.
bool Emitter::may_be_drawn(ir::Pc at) {
  if (!drawn_.empty()) return drawn_[static_cast<std::size_t>(at)];
  drawn_.assign(p.code.size() + 1, false);
  std::vector<ir::Pc> open;
  const auto reach = [&](ir::Pc pc) {
    if (pc < 0 || pc >= static_cast<ir::Pc>(p.code.size()) || drawn_[static_cast<std::size_t>(pc)]) return;
    drawn_[static_cast<std::size_t>(pc)] = true;
    open.push_back(pc);
  };
  for (ir::Pc pc = 0; pc < static_cast<ir::Pc>(p.code.size()); ++pc) {
    const InstrOp op = p.code[static_cast<std::size_t>(pc)].op;
    if (op == InstrOp::settle || op == InstrOp::settle_fill || op == InstrOp::settle_each) reach(pc + 1);
  }
  while (!open.empty()) {
    const ir::Pc pc = open.back();
    open.pop_back();
    const ir::Instr& instr = p.code[static_cast<std::size_t>(pc)];
    switch (instr.op) {
      // what closes it
      case InstrOp::move: case InstrOp::move_set: case InstrOp::move_list: case InstrOp::move_zone: case InstrOp::move_each: case InstrOp::fill:
      case InstrOp::swap: case InstrOp::swap_set: case InstrOp::swap_zones: case InstrOp::turn: case InstrOp::shuffle: case InstrOp::roll_end:
      case InstrOp::set: case InstrOp::set_set: case InstrOp::pay: case InstrOp::start_var: case InstrOp::show: case InstrOp::let: break;
      // where it may go on is plain
      case InstrOp::nop: case InstrOp::cover: case InstrOp::claim: case InstrOp::watch: case InstrOp::watch_together: case InstrOp::expose: case InstrOp::settle:
      case InstrOp::settle_fill: case InstrOp::settle_each: case InstrOp::save_me: case InstrOp::restore_me: case InstrOp::clear: case InstrOp::roll_begin:
      case InstrOp::roll: reach(pc + 1); break;
      case InstrOp::jump: reach(instr.a); break;
      case InstrOp::branch_false:
        reach(pc + 1);
        reach(instr.b);
        break;
      default:  // anywhere
        drawn_.assign(drawn_.size(), true);
        return true;
    }
  }
  return drawn_[static_cast<std::size_t>(at)];
}

std::string Emitter::effect(ir::Pc pc) {
  const ir::Instr& instr = p.code[static_cast<std::size_t>(pc)];
  if (knowledge_ && in.moving_eyes_) throw Unsupported{};
  const std::string close = may_be_drawn(pc) ? " close_drawn(c, s);" : "";
  const std::string behind = " if (RIP_RARE(c.fault != 0)) goto fault;" + close;
  // these know when they go wrong
  const std::string behind_value = knowledge_ ? behind : close;
  switch (instr.op) {
    case InstrOp::move: return move(pc);
    case InstrOp::move_list:
    case InstrOp::move_zone: {
      const std::string text = move_packet(pc) + behind;
      const ZoneText from = zone_text(instr.op == InstrOp::move_list ? node(instr.a).b : instr.a), to = zone_text(instr.b);
      if (from.count != 1) return text;
      return text + f(" {{ const i64 from = {}, to = {}; ", from.first, to.first) + expose_touched(pc, from.family, "from", to.family, "to") + " }";
    }
    case InstrOp::fill: {
      const std::string text = fill(pc) + behind;
      return text + " " + expose_touched(pc, family_of(instr.c), std::to_string(instr.c), zone_text(instr.a).family, "to");
    }
    case InstrOp::set: {
      const Range range = range_of(instr.b);
      const std::string value = ex(instr.b);
      return assign(p.targets[static_cast<std::size_t>(instr.a)], value, range) + behind_value;
    }
    case InstrOp::set_set: {
      const ir::Target& target = p.targets[static_cast<std::size_t>(instr.a)];
      const ir::Var& var = p.vars[static_cast<std::size_t>(target.var)];
      const std::string where = target.index == ir::kNoNode ? "0" : position(target.index);
      return f("const i64 where = {0}; const Set<{1}> o = {2}; if (RIP_RARE(c.fault != 0)) goto fault; for (int w = 0; w < {1}; ++w) (&at<u64>(s, {3} + where * {4}))[w] = "
               "o.w[w]; {5}",
               where, var.domain.words, set(instr.b, var.domain), var.cell.offset, 8 * var.domain.words, write_known(var, "where")) +
             behind;
    }
    case InstrOp::pay: return pay(instr) + behind_value;
    case InstrOp::start_var: return start_var(instr.a) + behind;
    case InstrOp::show: return show(instr) + behind;
    case InstrOp::shuffle: {
      const ZoneText z = zone_text(instr.a);
      if (!in.indexed_vars_.empty()) throw Unsupported{};
      return f("{{ const i64 z = {0}; for (i64 i = z; i < z + {1}; ++i) shuffle<{2}>(s, i); }}", z.first, z.count, family(z)) + behind;
    }
    case InstrOp::turn: {
      const std::string face = ex(instr.b);
      std::string text = "List l; ";
      if (instr.c == 2) text += append(instr.a, "l");
      else if (instr.c == 0) text += f("{{ const i64 card = {}; if (card != kNone) l.push(card); }}", ex(instr.a));
      else if (instr.c == 1) text += f("push_all({}, 0, l);", set(instr.a, in.component_domain()));
      else {
        const ZoneText z = zone_text(instr.a);
        text += f("{{ const i64 z = {0}; for (i64 i = z; i < z + {1}; ++i) append_zone<{2}>(s, i, l); }}", z.first, z.count, family(z));
      }
      for (const ir::ComponentType& type : p.types) {
        if (type.die) throw Unsupported{};
      }
      return text + f(" if (l.n > 0 && c.fault == 0) {{ const i64 side = {}; for (i32 i = 0; i < l.n; ++i) turn(c, s, l.v[i], side); }}", face) + behind;
    }
    default: throw Unsupported{};
  }
}

}  // namespace rip::native
