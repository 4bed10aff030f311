// Numbers, flags, seats and components as C++ expressions of type i64.
#include "interp/native/emit.h"

#include "interp/ir/kids.h"

#include <algorithm>

namespace rip::native {

using ir::NodeOp;

std::string Emitter::ex(ir::Node n) {
  const auto kept = bound_;
  const auto kept_loops = loops_;
  const int depth = depth_;
  try {
    if (!worth_keeping(n)) return scalar(n);
    const std::string name = label();
    const std::string value = scalar(n);
    loops_.back().kept += f("bool has_{0} = false; i64 kept_{0} = 0; ", name);
    return f("(has_{0} ? kept_{0} : (has_{0} = true, kept_{0} = {1}))", name, value);
  } catch (const Unsupported&) {
    bound_ = kept;
    loops_ = kept_loops;
    depth_ = depth;
    return ask(n);
  }
}

/// One value of all bindings of a clause.
static bool is_aggregate(NodeOp op) {
  switch (op) {
    case NodeOp::count:
    case NodeOp::some:
    case NodeOp::every:
    case NodeOp::sum:
    case NodeOp::min:
    case NodeOp::max:
    case NodeOp::first: return true;
    default: return false;
  }
}

/// It runs through something, and is the same each time the loop around it comes round.
bool Emitter::worth_keeping(ir::Node n) {
  if (loops_.empty() || lenient_) return false;
  const NodeOp op = node(n).op;
  return (is_aggregate(op) || op == NodeOp::call) && free_slots(n).count(loops_.back().slot) == 0;
}

bool Emitter::is_bound(std::int32_t slot) const {
  return std::any_of(bound_.begin(), bound_.end(), [&](const auto& entry) { return entry.first == slot; });
}

/// The slots that an expression reads and does not bind itself.
const std::set<std::int32_t>& Emitter::free_slots(ir::Node n) {
  const auto found = free_.find(n);
  if (found != free_.end()) return found->second;
  std::set<std::int32_t> reads;
  std::set<std::int32_t> binds;
  const ir::ExprNode& x = node(n);
  if (x.op == NodeOp::scratch) reads.insert(x.a);
  ir::each_kid(p, x, [&](ir::Node kid, bool) {
    if (kid < 0) return;
    const auto& more = free_slots(kid);
    reads.insert(more.begin(), more.end());
  });
  const auto bind_clause = [&](std::int32_t index) {
    for (const ir::Binder& binder : clause(index).binders) {
      if (!binder.pick) binds.insert(binder.slot);
    }
  };
  if (is_aggregate(x.op)) bind_clause(x.a);
  switch (x.op) {
    case NodeOp::set_of:
    case NodeOp::list_of:
    case NodeOp::best: bind_clause(x.a); break;
    case NodeOp::call:
      // arguments may name what the definition binds: they are read outside of it
      for (const auto& param : p.lets[static_cast<std::size_t>(x.a)].params) {
        if (param.kind == ir::Let::Param::Kind::scalar) binds.insert(param.slot);
      }
      for (const std::int32_t slot : binds) reads.erase(slot);
      binds.clear();
      for (std::size_t i = 0; i < p.lets[static_cast<std::size_t>(x.a)].params.size(); ++i) {
        const auto& more = free_slots(pool(x.b)[1 + i]);
        reads.insert(more.begin(), more.end());
      }
      break;
    default: break;
  }
  for (const std::int32_t slot : binds) reads.erase(slot);
  return free_.emplace(n, std::move(reads)).first->second;
}

std::string Emitter::spill(ir::Node n) {
  std::string text;
  for (const std::int32_t slot : free_slots(n)) {
    if (is_bound(slot)) text += f("c.scratch[{0}] = x{0}, ", slot);
  }
  return text;
}

std::string Emitter::ask(ir::Node n) {
  can_fail_ = true;
  return f("({}c.eval(&c, {}))", spill(n), n);
}

// ---- what numbers may be ----

Range Emitter::cell_range(std::int32_t offset, ir::Width width) const {
  const auto found = cells_.find({offset, static_cast<int>(width)});
  return found == cells_.end() ? Range{} : found->second;
}

Range Emitter::range_of(ir::Node n) const {
  const ir::ExprNode& x = node(n);
  switch (x.op) {
    case NodeOp::constant: return x.a == ir::kNone ? Range{} : Range{x.a, x.a, false};
    case NodeOp::scratch:
      for (std::size_t i = bound_.size(); i-- > 0;) {
        if (bound_[i].first == x.a) return bound_[i].second;
      }
      return {};
    case NodeOp::me: return {0, p.players - 1, false};
    case NodeOp::cell:
    case NodeOp::cell_in_phase: return cell_range(x.a, x.width);
    case NodeOp::var: {
      const ir::Var& var = p.vars[static_cast<std::size_t>(x.c)];
      if (var.component || var.optional) return {};
      return {var.low, var.high, false};
    }
    case NodeOp::require: {
      Range range = range_of(x.a);
      range.none = false;
      return range;
    }
    case NodeOp::table:
    case NodeOp::attribute: {
      // which entries it may be is not known, so all of them
      const std::size_t first = static_cast<std::size_t>(x.op == NodeOp::table ? x.a : x.b);
      std::size_t size = p.components.size();
      if (x.op == NodeOp::table) {
        size = 1;
        for (std::int32_t i = 0, indices = pool(node(x.b).a)[0]; i < indices; ++i) size *= static_cast<std::size_t>(pool(node(x.b).a)[3 + 3 * i]);
      }
      Range range{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min(), false};
      for (std::size_t i = first; i < std::min(first + size, p.tables.size()); ++i) {
        if (p.tables[i] == ir::kNone) return {};
        range.low = std::min(range.low, p.tables[i]);
        range.high = std::max(range.high, p.tables[i]);
      }
      return range.low <= range.high ? range : Range{};
    }
    case NodeOp::add:
    case NodeOp::sub:
    case NodeOp::min2:
    case NodeOp::max2: {
      const Range a = range_of(x.a), b = range_of(x.b);
      if (a.none || b.none || !a.known() || !b.known()) return {Range{}.low, Range{}.high, a.none || b.none};
      if (x.op == NodeOp::add) return {a.low + b.low, a.high + b.high, false};
      if (x.op == NodeOp::sub) return {a.low - b.high, a.high - b.low, false};
      if (x.op == NodeOp::min2) return {std::min(a.low, b.low), std::min(a.high, b.high), false};
      return {std::max(a.low, b.low), std::max(a.high, b.high), false};
    }
    case NodeOp::if_else: {
      const Range a = range_of(x.b), b = range_of(x.c);
      if (!a.known() || !b.known()) return {Range{}.low, Range{}.high, a.none || b.none};
      return {std::min(a.low, b.low), std::max(a.high, b.high), a.none || b.none};
    }
    case NodeOp::eq: case NodeOp::ne: case NodeOp::lt: case NodeOp::le: case NodeOp::gt: case NodeOp::ge: case NodeOp::eq_const: case NodeOp::ne_const:
    case NodeOp::le_const: case NodeOp::ge_const: case NodeOp::in_range: case NodeOp::in_zone: case NodeOp::in_set: case NodeOp::is_none:
    case NodeOp::logical_and: case NodeOp::logical_or: case NodeOp::logical_not: case NodeOp::some: case NodeOp::every: case NodeOp::set_empty:
    case NodeOp::running: return {0, 1, false};
    case NodeOp::zone_count: return {0, static_cast<std::int64_t>(p.components.size()), false};
    case NodeOp::count: case NodeOp::count_set: case NodeOp::count_list: return {Range{}.low, Range{}.high, false};
    case NodeOp::next:
    case NodeOp::previous: return {x.b, x.c, false};
    case NodeOp::place_card:
    case NodeOp::top:
    case NodeOp::bottom: return {0, static_cast<std::int64_t>(p.components.size()) - 1, true};
    case NodeOp::clockwise: return {0, p.players - 1, false};
    default: return {};
  }
}

void Emitter::find_cells() {
  std::map<std::pair<std::int32_t, int>, std::optional<Range>> found;
  const auto add = [&](const ir::Cell& cell, Range range) {
    auto& entry = found.emplace(std::pair(cell.offset, static_cast<int>(cell.width)), range).first->second;
    if (!entry) return;
    if (!range.known()) entry = std::nullopt;
    else entry = Range{std::min(entry->low, range.low), std::max(entry->high, range.high), entry->none || range.none};
  };
  const auto binder_range = [&](const ir::Binder& binder) -> Range {
    if (binder.pick) return {};
    if (binder.component) return {0, static_cast<std::int64_t>(p.components.size()) - 1, false};
    if (binder.kind == ir::SourceKind::range && node(binder.a).op == NodeOp::constant && node(binder.b).op == NodeOp::constant) {
      return {node(binder.a).a, node(binder.b).a, false};
    }
    if (binder.kind == ir::SourceKind::set) return {binder.domain.low, binder.domain.low + 64 * binder.domain.words - 1, false};
    return {};
  };
  for (const ir::Var& var : p.vars) {
    if (var.set) continue;
    const Range range = var.component || var.first_value == ir::kNone ? Range{} : Range{var.low, var.high, var.optional};
    for (std::int32_t i = 0; i < var.count; ++i) add({var.cell.offset + i * (1 << static_cast<int>(var.cell.width)), var.cell.width}, range);
  }
  const auto locals = [&](const std::vector<ir::FrameLocal>& list, const ir::Clause* from) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i].kind != ir::LocalKind::scalar) continue;
      Range range = from != nullptr && i < from->binders.size() ? binder_range(from->binders[i]) : Range{};
      add(list[i].cell, range);
    }
  };
  for (const ir::Option& option : p.options) locals(option.args, &clause(option.clause));
  for (const ir::For& loop : p.fors) locals(loop.locals, &clause(loop.clause));
  for (const ir::Choose& choice : p.chooses) {
    if (choice.each) add(choice.seat_local.cell, {0, p.players - 1, false});
  }
  for (const ir::When& when : p.whens) locals(when.locals, nullptr);
  for (std::size_t r = 0; r < p.routines.size(); ++r) {
    for (std::size_t i = 0; i < p.routines[r].params.size(); ++i) {
      const ir::FrameLocal& param = p.routines[r].params[i];
      bool none = false;
      for (const ir::Instr& instr : p.code) {
        if (instr.op == ir::InstrOp::call && instr.a == static_cast<std::int32_t>(r)) none = none || range_of(pool(instr.b)[1 + i]).none;
      }
      if (param.kind == ir::LocalKind::scalar) add(param.cell, {param.low, param.high, none});
    }
  }
  for (const ir::FrameLocal& local : p.frame_locals) {
    if (local.kind == ir::LocalKind::scalar) add(local.cell, {});
  }
  for (const ir::Turns& turns : p.turns) add(turns.seat, {0, p.players - 1, true});
  // a cell that is cleared holds 0
  for (const auto& [cell, range] : found) {
    if (!range || !range->known()) continue;
    Range with_zero = *range;
    with_zero.low = std::min<std::int64_t>(with_zero.low, 0);
    with_zero.high = std::max<std::int64_t>(with_zero.high, 0);
    cells_.emplace(cell, with_zero);
  }
}

std::string Emitter::load(std::int32_t offset, ir::Width width, const std::string& behind) {
  const std::string where = behind.empty() ? std::to_string(offset) : f("{} + {}", offset, behind);
  if (behind.empty() && !cell_range(offset, width).none && cells_.count({offset, static_cast<int>(width)}) != 0) return f("i64(at<{}>(s, {}))", type(width), where);
  return f("load<{}>(s, {})", type(width), where);
}

std::string Emitter::store(const ir::Cell& cell, const std::string& value, const std::string& behind) const {
  const std::string where = behind.empty() ? std::to_string(cell.offset) : f("{} + {}", cell.offset, behind);
  return f("store<{}>(s, {}, {});", type(cell.width), where, value);
}

// ---- parts of expressions ----

std::string Emitter::component(ir::Node n) {
  if (!range_of(n).none) return ex(n);
  can_fail_ = true;
  return f("some_value(c, {})", ex(n));
}

std::string Emitter::position(ir::Node n) {
  const ir::ExprNode& x = node(n);
  const std::int32_t* list = pool(x.a);
  std::string text;
  for (std::int32_t i = 0; i < list[0]; ++i) {
    const ir::Node value = list[1 + 3 * i];
    const std::int32_t low = list[2 + 3 * i], size = list[3 + 3 * i];
    const Range range = range_of(value);
    std::string one;
    if (node(value).op == NodeOp::constant && node(value).a >= low && node(value).a < low + size) {
      one = f("i64({})", node(value).a - low);
    } else if (range.known() && !range.none && range.low >= low && range.high < low + size) {
      one = low == 0 ? ex(value) : f("({} - {})", ex(value), low);
    } else {
      can_fail_ = true;
      one = f("within(c, {}, {}, {})", ex(value), low, size);
    }
    text = text.empty() ? one : f("({} * {} + {})", text, size, one);
  }
  return text.empty() ? "i64(0)" : text;
}

std::string Emitter::arm_fits(const ir::MatchArm& arm, const std::string& subject) {
  std::string text;
  for (const auto& [low, high] : arm.patterns) {
    if (!text.empty()) text += " || ";
    if (low == high) text += f("{} == {}", subject, ex(low));
    else text += f("({0} >= {1} && {0} <= {2})", subject, ex(low), ex(high));
  }
  return text.empty() ? "true" : "(" + text + ")";
}

std::string Emitter::fits(const std::string& component, std::int32_t index) {
  const ir::Phrase& phrase = p.phrases[static_cast<std::size_t>(index)];
  const ir::ComponentType& type = p.types[static_cast<std::size_t>(phrase.type)];
  std::string text = f("{0} >= {1} && {0} < {2}", component, type.first, type.last);
  for (const auto& part : phrase.parts) text += f(" && G::tables[{} + {}] == ({})", part.table, component, ex(part.value));
  if (phrase.owner != ir::kNoNode) text += f(" && G::owners[{}] == ({})", component, ex(phrase.owner));
  if (phrase.face >= 0) text += f(" && face_of(s, {}) == {}", component, phrase.face);
  return "(" + text + ")";
}

/// A definition with its arguments: a function of its own, so that the text does not grow with every use.
std::string Emitter::call(ir::Node n, const std::string& result, const std::string& name, const std::function<std::string(ir::Node)>& body) {
  const ir::ExprNode& x = node(n);
  const ir::Let& let = p.lets[static_cast<std::size_t>(x.a)];
  std::set<std::int32_t> slots = free_slots(let.value);
  std::map<std::int32_t, ir::Node> arguments;
  for (std::size_t i = 0; i < let.params.size(); ++i) {
    if (let.params[i].kind != ir::Let::Param::Kind::scalar) throw Unsupported{};
    arguments[let.params[i].slot] = pool(x.b)[1 + i];
    slots.insert(let.params[i].slot);
  }
  const std::string function = f("let{}_{}", x.a, name);
  if (made_.count(function) == 0) {
    made_[function] = "";
    const auto kept = std::exchange(bound_, {});
    const auto kept_loops = std::exchange(loops_, {});
    const bool failed = std::exchange(can_fail_, false);
    const bool outside = std::exchange(in_function_, true);
    std::string params;
    for (const std::int32_t slot : slots) {
      params += f(", i64 x{}", slot);
      bound_.emplace_back(slot, Range{});
    }
    std::string value;
    try {
      value = body(let.value);
    } catch (const Unsupported&) {
      bound_ = kept;
      loops_ = kept_loops;
      can_fail_ = failed;
      in_function_ = outside;
      made_[function] = "unsupported";
      throw;
    }
    functions_ += f("static {} {}(Ctx& c, u8* s{}) {{ return {}; }}\n", result, function, params, value);
    if (can_fail_) made_[function] = "fails";
    bound_ = kept;
    loops_ = kept_loops;
    can_fail_ = failed;
    in_function_ = outside;
  }
  if (made_[function] == "unsupported") throw Unsupported{};
  if (made_[function] == "fails") can_fail_ = true;
  std::string text;
  for (const std::int32_t slot : slots) {
    const auto argument = arguments.find(slot);
    if (argument != arguments.end()) text += ", " + ex(argument->second);
    else text += is_bound(slot) ? f(", x{}", slot) : f(", c.scratch[{}]", slot);
  }
  return f("{}(c, s{})", function, text);
}

std::string Emitter::score(const std::string& seat) {
  if (p.score == ir::kNoNode) return "i64(0)";
  if (made_.count("score") == 0) {
    const auto kept = std::exchange(bound_, {{p.score_slot, Range{0, p.players - 1, false}}});
    const bool failed = std::exchange(can_fail_, false);
    const auto kept_loops = std::exchange(loops_, {});
    const bool outside = std::exchange(in_function_, true);
    const std::string value = ex(p.score);
    in_function_ = outside;
    loops_ = kept_loops;
    made_["score"] = can_fail_ ? "fails" : "";
    bound_ = kept;
    can_fail_ = failed;
    functions_ += f("static i64 score_of(Ctx& c, u8* s, i64 x{}) {{ return {}; }}\n", p.score_slot, value);
  }
  if (made_["score"] == "fails") can_fail_ = true;
  return f("score_of(c, s, {})", seat);
}

// ---- expressions without jumps: of type Maybe ----

std::optional<std::string> Emitter::spec(ir::Node n) {
  // what stays the same is read before the loop
  const bool inner = loops_.empty() || free_slots(n).count(loops_.back().slot) != 0;
  const NodeOp op = node(n).op;
  const bool leaf = op == NodeOp::constant || op == NodeOp::scratch || op == NodeOp::cell;
  if (inner || leaf) return spec_value(n);
  const Loop loop = loops_.back();
  loops_.pop_back();
  const std::optional<std::string> value = spec_value(n);
  loops_.push_back(loop);
  if (!value) return std::nullopt;
  const std::string name = label();
  loops_.back().kept += f("const Maybe {} = {}; ", name, *value);
  return name;
}

std::optional<std::string> Emitter::spec_value(ir::Node n) {
  const ir::ExprNode& x = node(n);
  const auto two = [&](const char* format) -> std::optional<std::string> {
    const auto a = spec(x.a), b = spec(x.b);
    if (!a || !b) return std::nullopt;
    return fmt::format(fmt::runtime(format), *a, *b);
  };
  const auto compared = [&](const char* op) -> std::optional<std::string> {
    const auto a = spec(x.a), b = spec(x.b);
    if (!a || !b) return std::nullopt;
    return f("({{ const Maybe a = {}, b = {}; made(a.v {} b.v, a, b); }})", *a, *b, op);
  };
  const auto one = [&](const std::string& made) -> std::optional<std::string> {
    const auto a = spec(x.a);
    if (!a) return std::nullopt;
    return f("({{ const Maybe a = {}; Maybe{{{}, a.bad}}; }})", *a, made);
  };
  switch (x.op) {
    case NodeOp::logical_and: return two("both({}, {})");
    case NodeOp::logical_or: return two("either({}, {})");
    case NodeOp::logical_not: return one("a.v == 0");
    case NodeOp::eq: return compared("==");
    case NodeOp::ne: return compared("!=");
    case NodeOp::lt: return compared("<");
    case NodeOp::le: return compared("<=");
    case NodeOp::gt: return compared(">");
    case NodeOp::ge: return compared(">=");
    case NodeOp::add: return compared("+");
    case NodeOp::sub: return compared("-");
    case NodeOp::eq_const: return one(f("a.v == {}", number(x.b)));
    case NodeOp::ne_const: return one(f("a.v != {}", number(x.b)));
    case NodeOp::le_const: return one(f("a.v <= {}", number(x.b)));
    case NodeOp::ge_const: return one(f("a.v >= {}", number(x.b)));
    case NodeOp::is_none: return one("a.v == kNone");
    case NodeOp::neg: return one("-a.v");
    case NodeOp::me: return "if_some(head(s).me)";
    case NodeOp::require: {
      const auto a = spec(x.a);
      if (!a) return std::nullopt;
      return f("some_of({})", *a);
    }
    case NodeOp::attribute: {
      const auto a = spec(x.a);
      if (!a) return std::nullopt;
      return f("({{ const Maybe a = {}; Maybe{{G::tables[{} + a.v], a.bad}}; }})", range_of(x.a).none ? f("some_of({})", *a) : *a, x.b);
    }
    case NodeOp::if_else: {
      const auto test = spec(x.a), a = spec(x.b), b = spec(x.c);
      if (!test || !a || !b) return std::nullopt;
      return f("chosen({}, {}, {})", *test, *a, *b);
    }
    case NodeOp::some: {
      // a few cards: all are looked at
      const ir::Clause& of = clause(x.a);
      if (of.binders.size() != 1 || !of.conditions.empty() || of.named != 1) return std::nullopt;
      const ir::Binder& binder = of.binders[0];
      if (binder.pick || binder.kind != ir::SourceKind::zone) return std::nullopt;
      try {
        const bool failed = std::exchange(can_fail_, false);
        const ZoneText z = zone_text(binder.a);
        if (std::exchange(can_fail_, failed) || z.count != 1 || zone(z.family).capacity > 64) return std::nullopt;
        const Bind bind(*this, binder.slot, {0, static_cast<std::int64_t>(p.components.size()) - 1, false});
        loops_.push_back({binder.slot, ""});
        const std::optional<std::string> holds = spec_filters(binder);
        const std::string kept = loops_.back().kept;
        loops_.pop_back();
        if (!holds) return std::nullopt;
        const std::string i = label();
        return f("({{ const i64 z_{0} = {1}; const u16* cards_{0} = ids_of<{2}>(s, z_{0}); const i64 n_{0} = count_of(s, z_{0}); {3}Maybe any_{0}; for (i64 {0} = 0; {0} < "
                 "n_{0}; ++{0}) {{ const i64 x{4} = cards_{0}[{0}]; any_{0} = either(any_{0}, {5}); }} any_{0}; }})",
                 i, z.first, family(z), kept, binder.slot, *holds);
      } catch (const Unsupported&) {
        return std::nullopt;
      }
    }
    default: {
      const auto kept = bound_;
      const auto kept_loops = loops_;
      const bool failed = std::exchange(can_fail_, false);
      std::optional<std::string> text;
      try {
        text = f("sure({})", scalar(n));
      } catch (const Unsupported&) {
      }
      if (std::exchange(can_fail_, failed)) text = std::nullopt;
      if (!text || text->size() > 400) {
        bound_ = kept;
        loops_ = kept_loops;
        return std::nullopt;
      }
      return text;
    }
  }
}

std::optional<std::string> Emitter::spec_filters(const ir::Binder& binder) {
  std::string text = "sure(1)";
  for (const ir::Node filter : binder.filters) {
    const auto one = spec(filter);
    if (!one) return std::nullopt;
    text = text == "sure(1)" ? *one : f("both({}, {})", text, *one);
  }
  return text;
}

// ---- expressions ----

std::string Emitter::scalar(ir::Node n) {
  const ir::ExprNode& x = node(n);
  const auto binary = [&](const char* op) { return f("({} {} {})", ex(x.a), op, ex(x.b)); };
  const auto compare = [&](const char* op) { return f("i64({} {} {})", ex(x.a), op, ex(x.b)); };
  switch (x.op) {
    case NodeOp::constant: return number(x.a);
    case NodeOp::scratch: return is_bound(x.a) ? f("x{}", x.a) : f("c.scratch[{}]", x.a);
    case NodeOp::me: can_fail_ = true; return "some_value(c, head(s).me)";
    case NodeOp::cell: return load(x.a, x.width);
    case NodeOp::cell_in_phase: return f("(RIP_RARE((head(s).running >> {} & 1) == 0) ? {} : {})", x.b, fail(), load(x.a, x.width));
    case NodeOp::var: {
      const ir::Var& var = p.vars[static_cast<std::size_t>(x.c)];
      const int bytes = 1 << static_cast<int>(x.width);
      const bool plain = !var.optional && !var.component && var.first_value != ir::kNone;
      const std::string where = f("{} + {} * {}", x.a, bytes, position(x.b));
      const std::string value = plain ? f("i64(at<{}>(s, {}))", type(x.width), where) : f("load<{}>(s, {})", type(x.width), where);
      if (var.phase < 0) return value;
      return f("(RIP_RARE((head(s).running >> {} & 1) == 0) ? {} : {})", p.phases[static_cast<std::size_t>(var.phase)].bit, fail(), value);
    }
    case NodeOp::position: return position(n);
    case NodeOp::table: return f("i64(G::tables[{} + {}])", x.a, position(x.b));
    case NodeOp::attribute: return f("i64(G::tables[{} + {}])", x.b, component(x.a));
    case NodeOp::face: return f("i64(face_of(s, {}))", component(x.a));
    case NodeOp::owner: return f("owner_of({})", component(x.a));
    case NodeOp::zone_count: {
      const ZoneText z = zone_text(x.a);
      if (z.count == 1) return f("i64(count_of(s, {}))", z.first);
      return f("count_all<{}>(s, {})", z.count, z.first);
    }
    case NodeOp::place_card:
    case NodeOp::top:
    case NodeOp::bottom: {
      const ZoneText z = zone_text(x.a);
      if (z.count > 1 && in.by_component(z.family)) throw Unsupported{};
      return f("{}<{}, {}>(s, {})", x.op == NodeOp::bottom ? "oldest" : "newest", family(z), z.count, z.first);
    }
    case NodeOp::nth: {
      const ZoneText z = zone_text(x.a);
      return f("nth<{}>(s, {}, {})", family(z), z.first, ex(x.b));
    }
    case NodeOp::add: return binary("+");
    case NodeOp::sub: return binary("-");
    case NodeOp::mul: return binary("*");
    case NodeOp::div:
    case NodeOp::mod: can_fail_ = true; return f("{}(c, {}, {})", x.op == NodeOp::div ? "divide" : "modulo", ex(x.a), ex(x.b));
    case NodeOp::neg: return f("(-{})", ex(x.a));
    case NodeOp::abs: return f("__builtin_labs({})", ex(x.a));
    case NodeOp::min2: return f("least({}, {})", ex(x.a), ex(x.b));
    case NodeOp::max2: return f("most({}, {})", ex(x.a), ex(x.b));
    case NodeOp::eq: return compare("==");
    case NodeOp::ne: return compare("!=");
    case NodeOp::lt: return compare("<");
    case NodeOp::le: return compare("<=");
    case NodeOp::gt: return compare(">");
    case NodeOp::ge: return compare(">=");
    case NodeOp::eq_const: return f("i64({} == {})", ex(x.a), number(x.b));
    case NodeOp::ne_const: return f("i64({} != {})", ex(x.a), number(x.b));
    case NodeOp::le_const: return f("i64({} <= {})", ex(x.a), number(x.b));
    case NodeOp::ge_const: return f("i64({} >= {})", ex(x.a), number(x.b));
    case NodeOp::require: can_fail_ = true; return f("some_value(c, {})", ex(x.a));
    case NodeOp::fits: return f("({{ const i64 q = {}; i64(q != kNone && {}); }})", ex(x.a), fits("q", x.b));
    case NodeOp::in_range: return f("({{ const i64 q = {}; i64(q >= {} && q <= {}); }})", ex(x.a), x.b, x.c);
    case NodeOp::in_zone: {
      const std::string c = ex(x.a);
      const ZoneText z = zone_text(x.b);
      return f("({{ const i64 q = {}, z = {}; i64(q != kNone && zone_of(s, q) >= z && zone_of(s, q) < z + {}); }})", c, z.first, z.count);
    }
    case NodeOp::is_none: return f("i64({} == kNone)", ex(x.a));
    case NodeOp::logical_and: return f("i64({} && {})", truth(x.a), truth(x.b));
    case NodeOp::logical_or: return f("i64({} || {})", truth(x.a), truth(x.b));
    case NodeOp::logical_not: return f("i64(({}) == 0)", ex(x.a));
    case NodeOp::if_else: return f("({} ? {} : {})", truth(x.a), ex(x.b), ex(x.c));
    case NodeOp::match: {
      const std::string q = label();
      std::string text = f("({{ const i64 {} = {}; ", q, ex(x.a));
      std::string tail;
      for (const ir::MatchArm& arm : p.matches[static_cast<std::size_t>(x.b)]) {
        text += f("{} ? {} : ", arm_fits(arm, q), ex(arm.value));
      }
      return text + fail() + "; })";
    }
    case NodeOp::count: return f("({{ i64 n = 0; {} n; }})", each(clause(x.a), [] { return std::string("++n;"); }, [&](const std::string& holds) { return f("n += static_cast<i64>({});", holds); }));
    case NodeOp::some: {
      const std::string done = label();
      const std::string body = each(clause(x.a), [&] { return f("{{ some_{0} = 1; goto {0}; }}", done); });
      return f("({{ i64 some_{0} = 0; {{ {1} }} {0}:; some_{0}; }})", done, body);
    }
    case NodeOp::every: {
      const std::string done = label();
      const std::string body = each(clause(x.a), [&] { return f("if (!({1})) {{ all_{0} = 0; goto {0}; }}", done, truth(x.b)); });
      return f("({{ i64 all_{0} = 1; {{ {1} }} {0}:; all_{0}; }})", done, body);
    }
    case NodeOp::sum: {
      const std::string t = label();
      const Flat flat = [&](const std::string& holds) -> std::optional<std::string> {
        const std::optional<std::string> value = spec(x.b);
        if (!value) return std::nullopt;
        return f("const u64 h_{0} = {1}; const Maybe v_{0} = {2}; faults |= h_{0} & v_{0}.bad; t_{0} += h_{0} != 0 ? v_{0}.v : 0;", t, holds, *value);
      };
      return f("({{ i64 t_{0} = 0; {1} t_{0}; }})", t, each(clause(x.a), [&] { return f("t_{} += {};", t, ex(x.b)); }, flat));
    }
    case NodeOp::min:
    case NodeOp::max: {
      const std::string t = label();
      const std::string body = each(clause(x.a), [&] {
        return f("{{ const i64 v_{0} = {1}; if (!any_{0} || v_{0} {2} t_{0}) t_{0} = v_{0}; any_{0} = true; }}", t, ex(x.b), x.op == NodeOp::min ? "<" : ">");
      });
      return f("({{ i64 t_{0} = 0; bool any_{0} = false; {1} any_{0} ? t_{0} : {2}; }})", t, body, fail());
    }
    case NodeOp::first: return first(n);
    case NodeOp::call: return call(n, "i64", "n", [&](ir::Node value) { return ex(value); });
    case NodeOp::next:
    case NodeOp::previous: {
      const std::string value = component(x.a);
      if (x.op == NodeOp::next) return f("({{ const i64 q = {}; q >= {} ? i64({}) : q + 1; }})", value, x.c, x.b);
      return f("({{ const i64 q = {}; q <= {} ? i64({}) : q - 1; }})", value, x.b, x.c);
    }
    case NodeOp::game_over: return "i64(head(s).status == kOver)";
    case NodeOp::running: return f("i64(head(s).running >> {} & 1)", x.a);
    case NodeOp::clockwise:
    case NodeOp::clockwise_after:
      return f("steps_clockwise({}, {}, {})", ex(x.a), component(x.b), x.op == NodeOp::clockwise_after ? "true" : "false");
    case NodeOp::score: return score(ex(x.a));

    case NodeOp::item:
      can_fail_ = true;
      return f("({{ List l; {} item(c, l, {}); }})", append(x.a, "l"), ex(x.b));
    case NodeOp::set_eq: return f("i64({} == {})", set(x.a, domain_at(x.c)), set(x.b, domain_at(x.c)));
    case NodeOp::subset: return f("i64(({} - {}).empty())", set(x.a, domain_at(x.c)), set(x.b, domain_at(x.c)));
    case NodeOp::in_set: {
      const ir::Domain domain = domain_at(x.c);
      return f("({{ const i64 q_{3} = {0}; i64(q_{3} >= {1} && q_{3} < {1} + {2} && {4}.has({1}, q_{3})); }})", ex(x.a), domain.low, 64 * domain.words, n,
               set(x.b, domain));
    }
    case NodeOp::set_empty: return f("i64({}.empty())", set(x.a, domain_at(x.b)));
    case NodeOp::count_set: return f("{}.size()", set(x.a, domain_at(x.b)));
    case NodeOp::in_list: {
      const std::string value = ex(x.a);
      return f("({{ const i64 q_{2} = {0}; List l; {1} i64(holds(l, q_{2})); }})", value, append(x.b, "l"), n);
    }
    case NodeOp::list_empty: return f("({{ List l; {} i64(l.n == 0); }})", append(x.a, "l"));
    case NodeOp::count_list: return f("({{ List l; {} i64(l.n); }})", append(x.a, "l"));
    default: throw Unsupported{};
  }
}

}  // namespace rip::native
