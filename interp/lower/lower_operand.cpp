// What operands take from piles (chance comes first), where components may come from, and what statements may change.
#include "interp/lower/lower_impl.h"

#include <algorithm>
#include <type_traits>

namespace rip {

using rules::Base;
using rules::Op;
using rules::Shape;

// ---- what is drawn ----

bool Lowering::Impl::draws_here(const rules::Expr& e) const {
  if (e.op != Op::top && e.op != Op::bottom && e.op != Op::top_n && e.op != Op::bottom_n && e.op != Op::nth) return false;
  const rules::ExprId from = e.kids[e.op == Op::top_n || e.op == Op::bottom_n ? 1 : 0];
  const std::optional<std::set<rules::ZoneId>> zones = zones_of(from);
  return is_zone(from) && zones && std::any_of(zones->begin(), zones->end(), [&](rules::ZoneId z) {
    return bag_zones.count(z) != 0 || r.zones[z].refill_from != kNoId;
  });
}

bool Lowering::Impl::draws(rules::ExprId id) const {
  if (draws_here(expr(id))) return true;
  bool found = false;
  for_each_kid(id, [&](rules::ExprId kid) { found = found || draws(kid); });
  return found;
}

bool Lowering::Impl::refills(rules::ExprId id) const {
  const rules::Expr& e = expr(id);
  if (draws_here(e)) {
    const auto zones = zones_of(e.kids[e.op == Op::top_n || e.op == Op::bottom_n ? 1 : 0]);
    if (std::any_of(zones->begin(), zones->end(), [&](rules::ZoneId z) { return r.zones[z].refill_from != kNoId; })) return true;
  }
  bool found = false;
  for_each_kid(id, [&](rules::ExprId kid) { found = found || refills(kid); });
  return found;
}

/// Settles what the expression takes from bags, in the order in which it is read; a branch not taken takes nothing.
void Lowering::Impl::settle(rules::ExprId id) {
  if (id == kNoId || !draws(id)) return;
  const rules::Expr& e = expr(id);
  if (e.op == Op::if_else) {
    settle(e.kids[0]);
    Label otherwise;
    Label behind;
    branch(truth(e.kids[0]), otherwise);
    settle(e.kids[1]);
    jump(behind);
    place(otherwise);
    settle(e.kids[2]);
    place(behind);
    return;
  }
  if (e.op == Op::match) throw NotSupported{e.span, "drawing inside of a `match` is not supported yet; use a statement"};
  if (e.clause != kNoId) {
    const std::int32_t over = clause(e.clause, true);
    for (const rules::ExprId kid : e.kids) settle_each(kid, over);
    return;
  }
  for (const rules::ExprId kid : e.kids) settle(kid);
  if (!draws_here(e)) return;
  const bool counted = e.op == Op::top_n || e.op == Op::bottom_n;
  const Node from = zone(e.kids[counted ? 1 : 0]);
  const Node n = counted ? needed(e.kids[0]) : e.op == Op::nth ? needed(e.kids[1]) : ir::kNoNode;
  emit(InstrOp::settle, from, n, e.op == Op::nth ? 2 : e.op == Op::bottom || e.op == Op::bottom_n ? 1 : 0);
}

/// The same for each binding of a clause that is already made.
void Lowering::Impl::settle_each(rules::ExprId id, std::int32_t over) {
  if (id == kNoId || !draws(id)) return;
  const rules::Expr& e = expr(id);
  if (e.op == Op::if_else || e.op == Op::match || e.clause != kNoId || e.op == Op::nth)
    throw NotSupported{e.span, "drawing like this for each of many is not supported yet; use a loop"};
  for (const rules::ExprId kid : e.kids) settle_each(kid, over);
  if (!draws_here(e)) return;
  const bool counted = e.op == Op::top_n || e.op == Op::bottom_n;
  const Node from = zone(e.kids[counted ? 1 : 0]);
  const Node n = counted ? needed(e.kids[0]) : ir::kNoNode;
  emit(InstrOp::settle_each, over, from, n, e.op == Op::bottom || e.op == Op::bottom_n ? 1 : 0);
}

// ---- where components may lie ----

std::vector<rules::TypeId> Lowering::Impl::types_of(rules::ExprId id) const {
  const rules::Type& type = expr(id).type;
  if (type.base == Base::component && type.id != kNoId) return {type.id};
  std::vector<rules::TypeId> all;
  for (rules::TypeId t = 0; t < r.component_types.size(); ++t) all.push_back(t);
  return all;
}

std::optional<std::set<rules::ZoneId>> Lowering::Impl::zones_of(rules::ExprId id) const {
  const rules::Expr& e = expr(id);
  const auto joined = [&](std::size_t first) -> std::optional<std::set<rules::ZoneId>> {
    std::set<rules::ZoneId> all;
    for (std::size_t i = first; i < e.kids.size(); ++i) {
      const auto some = zones_of(e.kids[i]);
      if (!some) return std::nullopt;
      all.insert(some->begin(), some->end());
    }
    return all;
  };
  switch (e.op) {
    case Op::zone: case Op::place_card: return std::set<rules::ZoneId>{e.ref};
    case Op::constant: return e.value == rules::kNone ? std::optional<std::set<rules::ZoneId>>{std::set<rules::ZoneId>{}} : std::nullopt;
    case Op::top: case Op::bottom: case Op::nth: case Op::item: case Op::first_of: case Op::best_of: case Op::set_difference: return zones_of(e.kids[0]);
    case Op::top_n: case Op::bottom_n: return zones_of(e.kids[1]);
    case Op::if_else: return joined(1);
    case Op::match: return joined(1);
    case Op::set_union: case Op::set_literal: case Op::list_literal: return joined(0);
    case Op::call: return zones_of(r.lets[e.ref].value);
    case Op::set_of: case Op::list_of: case Op::first: case Op::best: {
      const rules::Clause& clause = r.clauses[e.clause];
      if (clause.binders.empty() || clause.binders[0].pick) return std::nullopt;
      const bool own = e.kids.empty() || (expr(e.kids[0]).op == Op::local && expr(e.kids[0]).ref == clause.binders[0].local);
      return own ? zones_of(clause.binders[0].source) : zones_of(e.kids[0]);
    }
    default: return std::nullopt;
  }
}

Touch Lowering::Impl::sources(rules::ExprId id) const {
  Touch out;
  if (const auto known = zones_of(id)) {
    out.zones = *known;
    return out;
  }
  const std::vector<rules::TypeId> types = types_of(id);
  for (rules::ZoneId z = 0; z < r.zones.size(); ++z)
    if (std::find(types.begin(), types.end(), r.zones[z].type) != types.end()) out.zones.insert(z);
  return out;
}

// ---- what statements change ----

bool Touch::meets(const Touch& other) const {
  const auto meet = [](const auto& a, const auto& b) { return std::any_of(a.begin(), a.end(), [&](const auto& x) { return b.count(x) != 0; }); };
  return meet(zones, other.zones) || meet(sides, other.sides) || meet(vars, other.vars);
}

/// What is indexed by a component may start afresh when it becomes part of a bag.
void Lowering::Impl::add_indexed(Touch& touch, const std::vector<rules::TypeId>& types) const {
  for (rules::VarId v = 0; v < r.vars.size(); ++v)
    for (const rules::Type& index : r.vars[v].index)
      if (index.base == Base::component && std::find(types.begin(), types.end(), index.id) != types.end()) touch.vars.insert(v);
}

void Lowering::Impl::add_refill(Touch& touch, rules::ZoneId zone) const {
  const rules::ExprId from = r.zones[zone].refill_from;
  if (from == kNoId) return;
  touch.zones.insert(zone);
  touch.zones.insert(expr(from).ref);
  touch.sides.insert(r.zones[zone].type);
  add_indexed(touch, {r.zones[zone].type});
}

Touch Lowering::Impl::writes_of(const rules::Move& node) const {
  Touch out = sources(node.what);
  const std::set<rules::ZoneId> from = out.zones;
  if (draws(node.what))
    for (const rules::ZoneId zone : from) add_refill(out, zone);
  if (const auto to = zones_of(node.to)) out.zones.insert(to->begin(), to->end());
  const std::vector<rules::TypeId> types = types_of(node.what);
  out.sides.insert(types.begin(), types.end());
  if (node.each != kNoId || expr(node.what).type.shape != Shape::scalar) add_indexed(out, types);
  return out;
}

Touch Lowering::Impl::writes_of(const rules::Fill& node) const {
  Touch out = sources(node.from);
  const std::set<rules::ZoneId> piles = out.zones;
  for (const rules::ZoneId pile : piles) {
    add_refill(out, pile);
    out.sides.insert(r.zones[pile].type);
  }
  out.add(sources(node.what));
  return out;
}

Touch Lowering::Impl::writes_of(const rules::Swap& node) const {
  Touch out;
  for (const rules::ExprId id : {node.first, node.second}) {
    if (id == kNoId) continue;
    out.add(sources(id));
    const std::vector<rules::TypeId> types = types_of(id);
    out.sides.insert(types.begin(), types.end());
    add_indexed(out, types);
  }
  return out;
}

Touch Lowering::Impl::writes_of(const rules::Shuffle& node) const {
  Touch out = sources(node.what);
  for (const rules::ZoneId zone : out.zones) add_indexed(out, {r.zones[zone].type});
  return out;
}

Touch Lowering::Impl::writes(const rules::Stmt& stmt) {
  Touch out;
  std::visit(
      [&](const auto& x) {
        using T = std::decay_t<decltype(x)>;
        if constexpr (std::is_same_v<T, rules::Move> || std::is_same_v<T, rules::Fill> || std::is_same_v<T, rules::Swap> ||
                      std::is_same_v<T, rules::Shuffle>) {
          out = writes_of(x);
        } else if constexpr (std::is_same_v<T, rules::Turn> || std::is_same_v<T, rules::Roll>) {
          for (const rules::TypeId type : types_of(x.what)) out.sides.insert(type);
        } else if constexpr (std::is_same_v<T, rules::Assign>) {
          out.vars.insert(x.target.var);
        } else if constexpr (std::is_same_v<T, rules::Pay>) {
          out.vars = {x.from.var, x.to.var};
        } else if constexpr (std::is_same_v<T, rules::DoRoutine>) {
          const auto found = writes_known.find(x.routine);
          out = found != writes_known.end() ? found->second : writes_known[x.routine] = writes(r.routines[x.routine].body);
        }
      },
      stmt.node);
  return out;
}

Touch Lowering::Impl::writes(const rules::Block& stmts) {
  Touch out;
  for_each_statement(stmts, [&](const rules::Stmt& stmt) { out.add(writes(stmt)); });
  return out;
}

// ---- piles that are shuffled ----

/// Which piles may hold a bag, and on which of them a top may show what others in its bag do not.
void Lowering::Impl::find_bags() {
  std::set<rules::TypeId> mixed;
  std::set<rules::TypeId> turned;
  std::set<rules::TypeId> laid_open;  // by a sentence that says which side lies up
  std::set<rules::ZoneId> laid_in;    // the zones such a sentence names
  const auto opens = [&](rules::ExprId face) { return face != kNoId && !(expr(face).op == Op::constant && expr(face).value == 1); };
  const auto look = [&](const rules::Stmt& stmt) {
    if (const auto* shuffle = std::get_if<rules::Shuffle>(&stmt.node)) {
      for (const rules::TypeId type : types_of(shuffle->what)) mixed.insert(type);
    } else if (const auto* turn = std::get_if<rules::Turn>(&stmt.node)) {
      if (opens(turn->face))
        for (const rules::TypeId type : types_of(turn->what)) turned.insert(type);
    } else if (const auto* move = std::get_if<rules::Move>(&stmt.node)) {
      if (opens(move->face)) laid_in.insert(expr(move->to).ref);
    } else if (const auto* fill = std::get_if<rules::Fill>(&stmt.node)) {
      if (opens(fill->face)) laid_in.insert(expr(fill->what).ref);
    }
  };
  for (const rules::Phase& phase : r.phases) for_each_statement(phase.body, look);
  for (const rules::Routine& routine : r.routines) for_each_statement(routine.body, look);
  for (const rules::When& when : r.whens) for_each_statement(when.body, look);
  for (const rules::Zone& zone : r.zones) {
    if (zone.refill_from != kNoId || zone.kind == ast::ZoneKind::hand) mixed.insert(zone.type);
    if (zone.face && *zone.face == 0) laid_open.insert(zone.type);
  }
  for (const rules::ZoneId z : laid_in) laid_open.insert(r.zones[z].type);
  for (rules::ZoneId z = 0; z < r.zones.size(); ++z) {
    const rules::Zone& zone = r.zones[z];
    if (zone.kind != ast::ZoneKind::pile || mixed.count(zone.type) == 0) continue;
    bag_zones.insert(z);
    const auto first = static_cast<std::size_t>(p.types[zone.type].first);
    const auto last = static_cast<std::size_t>(p.types[zone.type].last);
    bool fronts = false;
    bool backs = false;
    for (std::size_t c = first; c < last; ++c) {
      fronts = fronts || p.components[c].front_class != p.components[first].front_class;
      backs = backs || p.components[c].back_class != p.components[first].back_class || p.components[c].owner != p.components[first].owner;
    }
    const bool is_card = r.component_types[zone.type].kind == ast::ComponentKind::card;
    const bool turned_down = zone.deck != kNoId || (zone.face && *zone.face == 1);
    const bool up = (zone.face && *zone.face == 0) || turned.count(zone.type) != 0 || laid_open.count(zone.type) != 0;
    // what is turned down on arrival lies open only if it is turned there, or laid there so
    const bool open = turned_down ? turned.count(zone.type) != 0 || laid_in.count(z) != 0 || (zone.deck == kNoId && up) : up;
    const bool shows = is_card ? backs || (fronts && open) : fronts;
    if (shows) shown_zones.insert(z);
  }
}

/// Zones into which eyes reach that depend on more than the zone.
void Lowering::Impl::find_refreshes() {
  for (std::uint32_t z = 0; z < box.zones.size(); ++z) {
    const rules::ExprId seen_by = r.zones[box.zones[z].zone].seen_by;
    if (seen_by == kNoId) continue;
    Touch read;
    std::set<rules::LetId> seen;
    reads(seen_by, read, seen);
    if (!read.zones.empty() || !read.sides.empty() || !read.vars.empty()) p.refreshes.push_back(static_cast<std::int32_t>(z));
  }
}

}  // namespace rip
