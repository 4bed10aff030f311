#include "interp/ir/print.h"

#include <fmt/format.h>

#include <cstddef>

namespace rip::ir {

namespace {

constexpr const char* kWidths[] = {"i8", "i16", "i32"};
constexpr const char* kSources[] = {"range", "zone", "set", "list", "components"};
constexpr const char* kKeys[] = {"high", "low", "clockwise from", "clockwise after"};

/// Writes nodes as nested expressions; a clause stands in place.
class Printer {
 public:
  explicit Printer(const Program& program) : p(program) {}

  std::string node(Node id) {
    if (id == kNoNode) return "-";
    const ExprNode& x = p.nodes[static_cast<std::size_t>(id)];
    switch (x.op) {
      case NodeOp::constant: return x.a == kNone ? "none" : fmt::format("{}", x.a);
      case NodeOp::scratch: return fmt::format("${}", x.a);
      case NodeOp::me: case NodeOp::game_over: case NodeOp::seats: case NodeOp::winners: case NodeOp::score_list: return name(x.op);
      case NodeOp::cell: return fmt::format("[{} {}]", x.a, width(x.width));
      case NodeOp::cell_in_phase: return fmt::format("[{} {} in phase {}]", x.a, width(x.width), x.b);
      case NodeOp::var: return fmt::format("{}[{}]", p.vars[static_cast<std::size_t>(x.c)].name, node(x.b));
      case NodeOp::position: return position(x.a);
      case NodeOp::table: return fmt::format("table {}[{}]", x.a, node(x.b));
      case NodeOp::attribute: case NodeOp::mask_table: return fmt::format("{}({}, table {})", name(x.op), node(x.a), x.b);
      case NodeOp::eq_const: return fmt::format("{} == {}", inner(x.a), x.b);
      case NodeOp::ne_const: return fmt::format("{} != {}", inner(x.a), x.b);
      case NodeOp::le_const: return fmt::format("{} <= {}", inner(x.a), x.b);
      case NodeOp::ge_const: return fmt::format("{} >= {}", inner(x.a), x.b);
      case NodeOp::in_range: return fmt::format("{} in {}..{}", inner(x.a), x.b, x.c);
      case NodeOp::logical_and: return fmt::format("({} and {})", node(x.a), node(x.b));
      case NodeOp::logical_or: return fmt::format("({} or {})", node(x.a), node(x.b));
      case NodeOp::logical_not: return fmt::format("not {}", inner(x.a));
      case NodeOp::set_eq: case NodeOp::subset: case NodeOp::list_eq: case NodeOp::in_zone: case NodeOp::in_set: case NodeOp::in_list:
        return fmt::format("{}({}, {})", name(x.op), node(x.a), node(x.b));
      case NodeOp::fits: case NodeOp::some_fits: return fmt::format("{}({}, {})", name(x.op), node(x.a), phrase(x.b));
      case NodeOp::fits_list: {
        std::string text = fmt::format("fits_list({}", node(x.a));
        for (std::int32_t i = 1; i <= at(x.b); ++i) text += ", " + phrase(at(x.b + i));
        return text + ")";
      }
      case NodeOp::one_fitting: return fmt::format("one_fitting({}, {})", phrase(x.a), node(x.b));
      case NodeOp::match: return match(x);
      case NodeOp::count: case NodeOp::some: case NodeOp::first: case NodeOp::best: return fmt::format("{}({})", name(x.op), clause(x.a));
      case NodeOp::every: case NodeOp::sum: case NodeOp::min: case NodeOp::max: case NodeOp::set_of: case NodeOp::list_of:
        return fmt::format("{}({} for {})", name(x.op), node(x.b), clause(x.a));
      case NodeOp::call: return fmt::format("{}({})", p.lets[static_cast<std::size_t>(x.a)].name, list(x.b));
      case NodeOp::running: return fmt::format("running(phase {})", x.a);
      case NodeOp::next: case NodeOp::previous: return fmt::format("{}({} in {}..{})", name(x.op), node(x.a), x.b, x.c);
      case NodeOp::zone: return x.b == 1 ? zone(x.a) : fmt::format("{} .. {}", zone(x.a), zone(x.a + x.b - 1));
      case NodeOp::zone_at: return fmt::format("{}+[{}]{}", zone(x.a), node(x.b), x.c == 1 ? "" : fmt::format("*{}", x.c));
      case NodeOp::set_literal: case NodeOp::list_literal: return fmt::format("{}{{{}}}", x.op == NodeOp::list_literal ? "list " : "", list(x.a));
      case NodeOp::component_set: return fmt::format("components {}..{}", x.a, x.b - 1);
      case NodeOp::set_var: return fmt::format("[{} set of {} words from {}]", x.a, x.b, x.c);
      case NodeOp::set_var_at: return fmt::format("{}[{}]", p.vars[static_cast<std::size_t>(x.a)].name, node(x.b));
      case NodeOp::scratch_set: return fmt::format("$set{}", x.a);
      case NodeOp::scratch_list: return fmt::format("$list{}", x.a);
      case NodeOp::list_var: return fmt::format("[{} list]", x.a);
      case NodeOp::family: return fmt::format("{}[{} ..{}]", p.vars[static_cast<std::size_t>(x.a)].name, node(x.b), x.c);
      case NodeOp::table_list: return fmt::format("table {} ..{}", x.a, x.b);
      case NodeOp::set_list: return fmt::format("set_list({}{})", node(x.a), x.c != 0 ? " by place" : "");
      case NodeOp::if_else: return fmt::format("(if {} then {} else {})", node(x.a), node(x.b), node(x.c));
      case NodeOp::face: case NodeOp::owner: case NodeOp::zone_count: case NodeOp::place_card: case NodeOp::top: case NodeOp::bottom:
      case NodeOp::neg: case NodeOp::abs: case NodeOp::require: case NodeOp::is_none: case NodeOp::set_empty: case NodeOp::list_empty:
      case NodeOp::count_set: case NodeOp::count_list: case NodeOp::score: case NodeOp::singleton: case NodeOp::zone_set:
      case NodeOp::list_set: case NodeOp::zone_list: return fmt::format("{}({})", name(x.op), node(x.a));
      case NodeOp::nth: case NodeOp::item: case NodeOp::add: case NodeOp::sub: case NodeOp::mul: case NodeOp::div: case NodeOp::mod:
      case NodeOp::min2: case NodeOp::max2: case NodeOp::eq: case NodeOp::ne: case NodeOp::lt: case NodeOp::le: case NodeOp::gt:
      case NodeOp::ge: case NodeOp::clockwise: case NodeOp::clockwise_after: case NodeOp::range_set: case NodeOp::set_union:
      case NodeOp::set_difference: case NodeOp::top_of_set: case NodeOp::top_list: case NodeOp::bottom_list: case NodeOp::first_of_list:
        return fmt::format("{}({}, {})", name(x.op), node(x.a), node(x.b));
    }
    return "?";
  }

  std::string clause(std::int32_t id) {
    const Clause& c = p.clauses[static_cast<std::size_t>(id)];
    std::string text;
    for (const Node condition : c.conditions) text += fmt::format("if {} ", node(condition));
    for (const Binder& b : c.binders) {
      if (&b != c.binders.data()) text += ", ";
      const char* slot = b.pick ? (b.in_order ? "$list" : "$set") : "$";
      text += fmt::format("{}{} {} in {} ", slot, b.slot, b.name, kSources[static_cast<int>(b.kind)]);
      if (b.kind == SourceKind::range) text += fmt::format("{}..{}", node(b.a), node(b.b));
      else if (b.kind == SourceKind::components) text += fmt::format("{}..{}", b.a, b.b - 1);
      else text += node(b.a);
      if (b.pick) text += fmt::format(" pick {}..{}", node(b.pick_low), node(b.pick_high));
      if (b.by_place) text += " by place";
      if (!b.independent) text += " dependent";
      for (const Node filter : b.filters) text += fmt::format(" where {}", node(filter));
    }
    for (const Key& key : c.keys) text += fmt::format(" by {} {}", kKeys[static_cast<int>(key.kind)], node(key.value));
    if (c.backwards) text += fmt::format(" backwards if {}", node(c.backwards_if));
    return text;
  }

  std::string list(std::int32_t at_pool) {
    std::string text;
    for (std::int32_t i = 1; i <= at(at_pool); ++i) {
      if (i > 1) text += ", ";
      if (at(at_pool + i) == ir::kSetKid) text += "all of " + node(at(at_pool + ++i));
      else text += node(at(at_pool + i));
    }
    return text;
  }

  std::string local(const FrameLocal& l) const {
    switch (l.kind) {
      case LocalKind::scalar: return fmt::format("[{} {}]", l.cell.offset, width(l.cell.width));
      case LocalKind::set: return fmt::format("[{} set of {} words from {}]", l.cell.offset, l.domain.words, l.domain.low);
      case LocalKind::list: return fmt::format("[{} list of {}]", l.cell.offset, l.max);
    }
    return "?";
  }

  static const char* width(Width w) { return kWidths[static_cast<int>(w)]; }
  std::string zone(std::int32_t id) const { return p.zones[static_cast<std::size_t>(id)].name; }
  std::int32_t at(std::int32_t index) const { return p.pool[static_cast<std::size_t>(index)]; }

  std::string target(std::int32_t id) {
    const Target& t = p.targets[static_cast<std::size_t>(id)];
    return p.vars[static_cast<std::size_t>(t.var)].name + (t.index == kNoNode ? "" : fmt::format("[{}]", node(t.index)));
  }

  std::string instr(const Instr& x) {
    const auto plain = [&](const std::string& operands) { return fmt::format("{} {}", name(x.op), operands); };
    const auto cards = [&](std::int32_t kind, Node of) { return fmt::format("{} {}", kKinds[kind], node(of)); };
    switch (x.op) {
      case InstrOp::nop: case InstrOp::ret: case InstrOp::end_turn: case InstrOp::end_game: case InstrOp::finish: case InstrOp::checkpoint:
      case InstrOp::scenario_end: case InstrOp::expose: case InstrOp::roll: case InstrOp::roll_end: return name(x.op);
      case InstrOp::jump: case InstrOp::save_me: case InstrOp::restore_me: case InstrOp::fault: return plain(fmt::format("{}", x.a));
      case InstrOp::branch_false: return plain(fmt::format("{} -> {}", node(x.a), x.b));
      case InstrOp::branch_match: return plain(fmt::format("{} arm {} of match {} -> {}", node(x.a), x.d, x.b, x.c));
      case InstrOp::call: return plain(fmt::format("{}({})", p.routines[static_cast<std::size_t>(x.a)].name, list(x.b)));
      case InstrOp::phase_begin: case InstrOp::phase_end: case InstrOp::end_phase: return plain(p.phases[static_cast<std::size_t>(x.a)].name);
      case InstrOp::win: return plain(node(x.a));
      case InstrOp::clear: return plain(fmt::format("{} .. {}", x.a, x.a + x.b));
      case InstrOp::for_begin: return plain(fmt::format("{} {}", x.a, clause(p.fors[static_cast<std::size_t>(x.a)].clause)));
      case InstrOp::for_next: return plain(fmt::format("{} into{} done -> {}", x.a, locals(p.fors[static_cast<std::size_t>(x.a)].locals), x.b));
      case InstrOp::for_pick: return plain(fmt::format("{} name {} is {}", x.a, x.b, x.c));
      case InstrOp::turns_begin: return plain(fmt::format("{} from {}", x.a, node(p.turns[static_cast<std::size_t>(x.a)].from)));
      case InstrOp::turns_next: return plain(fmt::format("{} then {}", x.a, node(p.turns[static_cast<std::size_t>(x.a)].then)));
      case InstrOp::turns_seek: {
        const Turns& t = p.turns[static_cast<std::size_t>(x.a)];
        return plain(fmt::format("{} where {} until {} done -> {}", x.a, node(t.where), node(t.until), x.b));
      }
      case InstrOp::count_pass: return plain(fmt::format("[{}] limit {} used up -> {}", x.a, node(x.b), x.c));
      case InstrOp::choose: return plain(choose(x.a, x.b));
      case InstrOp::choose_end: return plain(fmt::format("{} behind -> {}", x.a, x.b));
      case InstrOp::settle: return plain(fmt::format("{} how many {} {}", node(x.a), node(x.b), x.c == 0 ? "top" : x.c == 1 ? "bottom" : "nth"));
      case InstrOp::settle_fill: return plain(fmt::format("{} to {} from {}", node(x.a), node(x.b), zone(x.c)));
      case InstrOp::settle_each: return plain(fmt::format("{} how many {} {} for {}", node(x.b), node(x.c), x.d == 0 ? "top" : "bottom", clause(x.a)));
      case InstrOp::move: case InstrOp::move_set: case InstrOp::move_list: case InstrOp::move_zone:
        return plain(fmt::format("{} {} {} face {}", node(x.a), x.d != 0 ? "under" : "to", node(x.b), node(x.c)));
      case InstrOp::move_each:
        return plain(fmt::format("{} {} {} face {} for {}", cards(at(x.b), at(x.b + 1)), at(x.d + 1) != 0 ? "under" : "to", node(x.c), node(at(x.d)), clause(x.a)));
      case InstrOp::fill: return plain(fmt::format("{} to {} from {} face {}", node(x.a), node(x.b), zone(x.c), node(x.d)));
      case InstrOp::swap: case InstrOp::swap_zones: return plain(fmt::format("{} with {}", node(x.a), node(x.b)));
      case InstrOp::swap_set: case InstrOp::shuffle: return plain(node(x.a));
      case InstrOp::turn: return plain(fmt::format("{} face {}", cards(x.c, x.a), node(x.b)));
      case InstrOp::roll_begin: return plain(cards(x.b, x.a));
      case InstrOp::set: case InstrOp::set_set: case InstrOp::random: return plain(fmt::format("{} to {}", target(x.a), node(x.b)));
      case InstrOp::pay: return plain(fmt::format("{} from {} to {}", node(x.a), target(x.b), target(x.c)));
      case InstrOp::let: case InstrOp::let_random: return plain(fmt::format("{} = {}", local(p.frame_locals[static_cast<std::size_t>(x.a)]), node(x.b)));
      case InstrOp::start_var: return plain(p.vars[static_cast<std::size_t>(x.a)].name);
      case InstrOp::show: return plain(fmt::format("{} to {}", x.b == 3 ? target(x.a) : node(x.a), node(x.c)));
      case InstrOp::watch: case InstrOp::watch_together: case InstrOp::fire: case InstrOp::run_whens: return plain(wake(x.a));
      case InstrOp::cover: return plain(fmt::format("{} {}", x.a, p.covers[static_cast<std::size_t>(x.a)].name));
      case InstrOp::claim: {
        const Claim& claim = p.claims[static_cast<std::size_t>(x.a)];
        return plain(fmt::format("\"{}\": {}", claim.text, node(claim.condition)));
      }
    }
    return "?";
  }

 private:
  static constexpr const char* kKinds[] = {"component", "set", "list", "zone"};

  std::string inner(Node id) {
    const NodeOp op = p.nodes[static_cast<std::size_t>(id)].op;
    const bool infix = op == NodeOp::eq_const || op == NodeOp::ne_const || op == NodeOp::le_const || op == NodeOp::ge_const || op == NodeOp::in_range;
    return infix ? "(" + node(id) + ")" : node(id);
  }

  std::string position(std::int32_t at_pool) {
    std::string text;
    for (std::int32_t i = 0; i < at(at_pool); ++i) text += (i == 0 ? "" : ", ") + node(at(at_pool + 1 + 3 * i));
    return text;
  }

  std::string phrase(std::int32_t id) {
    const Phrase& x = p.phrases[static_cast<std::size_t>(id)];
    std::string text = x.type < 0 ? "<" : p.types[static_cast<std::size_t>(x.type)].name + "<";
    for (const Phrase::Part& part : x.parts) text += fmt::format("{}table {} = {}", text.back() == '<' ? "" : " ", part.table, node(part.value));
    if (x.face >= 0) text += fmt::format(" face {}", x.face);
    if (x.owner != kNoNode) text += fmt::format(" owner {}", node(x.owner));
    return text + ">";
  }

  std::string match(const ExprNode& x) {
    std::string text = fmt::format("match {} {{", node(x.a));
    for (const MatchArm& arm : p.matches[static_cast<std::size_t>(x.b)]) {
      for (const auto& [low, high] : arm.patterns) text += low == high ? " " + node(low) : fmt::format(" {}..{}", node(low), node(high));
      text += fmt::format("{}: {}", arm.patterns.empty() ? " else" : "", node(arm.value));
    }
    return text + " }";
  }

  std::string locals(const std::vector<FrameLocal>& of) const {
    std::string text;
    for (const FrameLocal& l : of) text += " " + local(l);
    return text;
  }

  std::string choose(std::int32_t id, Pc behind) {
    const Choose& c = p.chooses[static_cast<std::size_t>(id)];
    std::string text = c.each ? fmt::format("{} each {}", id, clause(c.clause)) : fmt::format("{} {}", id, node(c.seat));
    text += fmt::format(" behind -> {}", behind);
    for (std::int32_t i = c.first; i < c.first + c.count; ++i) {
      const Option& o = p.options[static_cast<std::size_t>(i)];
      text += fmt::format("\n        {}{}{}({}) into{} -> {}", o.secretly ? "secretly " : "", o.otherwise ? "otherwise " : "", o.name, clause(o.clause),
                          locals(o.args), o.body);
    }
    return text;
  }

  std::string wake(std::int32_t id) const {
    std::string text = fmt::format("{}:", id);
    for (const std::int32_t when : p.wakes[static_cast<std::size_t>(id)].whens) text += " " + p.whens[static_cast<std::size_t>(when)].name;
    return text;
  }

  const Program& p;
};

}  // namespace

std::string print(const Program& program, Node node) { return Printer(program).node(node); }

std::string print(const Program& p) {
  Printer printer(p);
  std::string out = fmt::format("\"{}\"{}, {} players, {} bytes\n", p.title, p.variant.empty() ? "" : " \"" + p.variant + "\"", p.players, p.size);
  out += fmt::format("scratch {} sets {} lists {}; {} nodes, {} instructions\n\nlayout\n", p.scratch_slots, p.scratch_sets, p.scratch_lists,
                     p.nodes.size(), p.code.size());
  out += fmt::format("  {:>6} known\n  {:>6} zone_of\n  {:>6} counts\n  {:>6} faces\n", p.known, p.zone_of, p.counts, p.faces);
  if (p.rolling >= 0) out += fmt::format("  {:>6} rolling\n", p.rolling);
  for (const Zone& zone : p.zones) {
    out += fmt::format("  {:>6} zone {} for {}", zone.ids, zone.name, zone.capacity);
    if (zone.bags >= 0) out += fmt::format(" bags {}", zone.bags);
    if (zone.backs_tell) out += " backs tell";
    if (zone.limit != kNoNode) out += fmt::format(" max {}", printer.node(zone.limit));
    if (zone.seen_by != kNoNode) out += fmt::format(" seen by {}", printer.node(zone.seen_by));
    if (zone.refill_from >= 0) out += fmt::format(" refilled from {} keeping {}", printer.zone(zone.refill_from), printer.node(zone.refill_keeping));
    out += "\n";
  }
  for (const Var& var : p.vars) {
    out += fmt::format("  {:>6} var {}", var.cell.offset, var.name);
    if (var.count != 1) out += fmt::format("[{}]", var.count);
    out += var.set ? fmt::format(": set of {} words from {}", var.domain.words, var.domain.low)
                   : fmt::format(": {} {}..{}{}", Printer::width(var.cell.width), var.low, var.high, var.optional ? "?" : "");
    if (var.start != kNoNode) out += fmt::format(" = {}", printer.node(var.start));
    if (var.known >= 0) out += fmt::format(" known {} seen by {}", var.known, printer.node(var.seen_by));
    if (var.phase >= 0) out += fmt::format(" in {}", p.phases[static_cast<std::size_t>(var.phase)].name);
    out += "\n";
  }
  if (!p.lets.empty()) out += "\nlets\n";
  for (const Let& let : p.lets) out += fmt::format("  {} = {}\n", let.name, printer.node(let.value));
  if (!p.whens.empty()) out += "\nwhens\n";
  for (const When& when : p.whens) {
    out += fmt::format("  {}: {} ({} bindings{})\n", when.name, when.clause >= 0 ? printer.clause(when.clause) : printer.node(when.condition), when.bits,
                       when.phase >= 0 ? " in " + p.phases[static_cast<std::size_t>(when.phase)].name : "");
  }
  if (p.score != kNoNode) out += fmt::format("\nscore ${} = {}\n", p.score_slot, printer.node(p.score));
  if (p.winner >= 0) out += fmt::format("winner {}\n", printer.clause(p.winner));
  std::int32_t routine = -1;
  for (std::size_t pc = 0; pc < p.code.size(); ++pc) {
    if (p.routine_of[pc] != routine) {
      routine = p.routine_of[pc];
      const Routine& r = p.routines[static_cast<std::size_t>(routine)];
      out += fmt::format("\n{}: frame {} .. {}\n", r.name, r.frame, r.frame + r.frame_size);
    }
    out += fmt::format("{:>5} {}\n", pc, printer.instr(p.code[pc]));
  }
  return out;
}

}  // namespace rip::ir
