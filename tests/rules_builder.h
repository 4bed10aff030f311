// Small checked rules built by hand, for tests of what stands behind the checker.
#pragma once

#include "interp/check/rules.h"

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace rip::test {

using namespace rip::rules;

inline Type integer(std::int64_t low, std::int64_t high) { return {Base::integer, Shape::scalar, kNoId, low, high, false}; }
inline Type flag_type() { return {Base::flag, Shape::scalar, kNoId, 0, 1, false}; }
inline Type seat_type() { return {Base::seat, Shape::scalar, kNoId, 0, 31, false}; }
inline Type component(TypeId id, Shape shape = Shape::scalar, bool optional = false) { return {Base::component, shape, id, 0, 0, optional}; }

struct Builder {
  Rules r;

  ExprId expr(Op op, Type type, std::vector<ExprId> kids = {}, std::uint32_t ref = kNoId, std::int64_t value = 0) {
    Expr e;
    e.op = op;
    e.type = type;
    e.kids = std::move(kids);
    e.ref = ref;
    e.value = value;
    r.exprs.push_back(std::move(e));
    return static_cast<ExprId>(r.exprs.size() - 1);
  }
  ExprId num(std::int64_t v) { return expr(Op::constant, integer(v, v), {}, kNoId, v); }
  ExprId range(std::int64_t low, std::int64_t high) {
    Type t = integer(low, high);
    t.shape = Shape::set;
    return expr(Op::range_set, t, {num(low), num(high)});
  }
  ExprId players() {
    Type t = seat_type();
    t.shape = Shape::set;
    return expr(Op::players, t);
  }
  ExprId zone(ZoneId z, std::vector<ExprId> index = {}) { return expr(Op::zone, component(r.zones[z].type, Shape::set), std::move(index), z); }
  ExprId top(ZoneId z, std::vector<ExprId> index = {}) { return expr(Op::top, component(r.zones[z].type, Shape::scalar, true), {zone(z, std::move(index))}); }
  ExprId top_n(std::int64_t n, ZoneId z) { return expr(Op::top_n, component(r.zones[z].type, Shape::list), {num(n), zone(z)}); }
  ExprId count(ExprId set) { return expr(Op::count_set, integer(0, 1000), {set}); }
  ExprId eq(ExprId a, ExprId b) { return expr(Op::eq, flag_type(), {a, b}); }
  ExprId local(LocalId l) { return expr(Op::local, r.locals[l].type, {}, l); }
  ExprId var(VarId v, std::vector<ExprId> index = {}) { return expr(Op::var, r.vars[v].type, std::move(index), v); }
  ExprId attribute(ExprId c, AttrId a) {
    const TypeId t = r.exprs[c].type.id;
    return expr(Op::attribute, r.component_types[t].attributes[a].type, {c}, t, a);
  }

  LocalId name(const std::string& text, Type type) {
    r.locals.push_back({text, type, {}});
    return static_cast<LocalId>(r.locals.size() - 1);
  }
  ClauseId clause(std::vector<std::pair<LocalId, ExprId>> binders, ExprId where = kNoId) {
    Clause c;
    for (const auto& [l, source] : binders) {
      Binder b;
      b.local = l;
      b.source = source;
      c.binders.push_back(b);
    }
    c.where = where;
    r.clauses.push_back(std::move(c));
    return static_cast<ClauseId>(r.clauses.size() - 1);
  }

  /// One attribute `value`, and a back `family` if `backs`.
  TypeId card_type(std::int64_t high, bool backs = false) {
    ComponentType t;
    t.name = "Card";
    t.kind = ast::ComponentKind::card;
    t.attributes.push_back({"value", integer(0, high), false, {}});
    if (backs) t.attributes.push_back({"family", integer(0, 9), true, {}});
    r.component_types.push_back(t);
    return static_cast<TypeId>(r.component_types.size() - 1);
  }
  ZoneId add_zone(const std::string& text, ast::ZoneKind kind, TypeId type, std::vector<Type> index = {}) {
    Zone z;
    z.name = text;
    z.kind = kind;
    z.type = type;
    z.index = std::move(index);
    r.zones.push_back(std::move(z));
    return static_cast<ZoneId>(r.zones.size() - 1);
  }
  /// A deck with one component for each list of attribute values.
  ZoneId add_deck(const std::string& text, TypeId type, const std::vector<std::vector<std::int64_t>>& cards) {
    const ZoneId z = add_zone(text, ast::ZoneKind::pile, type);
    Deck d;
    d.zone = z;
    d.type = type;
    for (const std::vector<std::int64_t>& values : cards) {
      DeckLine line;
      line.count = num(1);
      line.phrase.type = type;
      for (AttrId a = 0; a < values.size(); ++a) line.phrase.attributes.emplace_back(a, num(values[a]));
      line.cover = kNoId;
      d.lines.push_back(std::move(line));
    }
    r.zones[z].deck = static_cast<DeckId>(r.decks.size());
    r.decks.push_back(std::move(d));
    return z;
  }
  VarId add_var(const std::string& text, Type type, std::vector<Type> index = {}, ExprId start = kNoId) {
    Var v;
    v.name = text;
    v.type = type;
    v.index = std::move(index);
    v.start = start;
    v.cover = kNoId;
    r.vars.push_back(std::move(v));
    return static_cast<VarId>(r.vars.size() - 1);
  }
  void add_when(ClauseId c, ExprId condition, Block body) {
    When w;
    w.clause = c;
    w.condition = condition;
    w.body = std::move(body);
    w.cover = kNoId;
    r.whens.push_back(std::move(w));
  }
};

template <class T>
Stmt stmt(T node) {
  return {{}, kNoId, std::move(node)};
}
inline Stmt move(ExprId what, ExprId to, ExprId face = kNoId) {
  rules::Move m{};
  m.what = what;
  m.to = to;
  m.face = face;
  return stmt(m);
}
inline Stmt set(VarId v, ExprId value, std::vector<ExprId> index = {}) {
  return stmt(Assign{Assign::Kind::set, {v, std::move(index)}, value});
}
inline Stmt raise(VarId v, ExprId value, std::vector<ExprId> index = {}) {
  return stmt(Assign{Assign::Kind::raise, {v, std::move(index)}, value});
}
inline Stmt loop(LoopHeader header, Block body) { return stmt(Loop{std::move(header), std::move(body), kNoId}); }
inline rules::Option option(const std::string& text, ClauseId clause, Block body) {
  rules::Option o;
  o.name = text;
  o.clause = clause;
  o.body = std::move(body);
  o.cover = kNoId;
  return o;
}

}  // namespace rip::test
