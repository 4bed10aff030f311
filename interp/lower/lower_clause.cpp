// Clauses: each name a counted loop, each conjunct of `where` asked as soon as its names are bound.
#include "interp/lower/lower_impl.h"

#include <algorithm>

namespace rip {

using ir::Node;
using ir::NodeOp;
using rules::Op;
using rules::Shape;

void Lowering::Impl::conjuncts(rules::ExprId id, std::vector<rules::ExprId>& out) const {
  if (id == rules::kNoId) return;
  if (at(id).op == Op::logical_and) {
    conjuncts(at(id).kids[0], out);
    conjuncts(at(id).kids[1], out);
  } else {
    out.push_back(id);
  }
}

void Lowering::Impl::locals_of(rules::ExprId id, std::set<rules::LocalId>& out) const {
  const rules::Expr& x = at(id);
  if (x.op == Op::local) out.insert(x.ref);
  for (const rules::ExprId kid : x.kids) locals_of(kid, out);
  for (const auto& arm : x.arms) {
    for (const auto& [low, high] : arm.patterns) {
      locals_of(low, out);
      locals_of(high, out);
    }
  }
  auto of_phrase = [&](rules::PhraseId phrase) {
    for (const auto& [attribute, value_id] : r.phrases[phrase].attributes) locals_of(value_id, out);
    if (r.phrases[phrase].owner != rules::kNoId) locals_of(r.phrases[phrase].owner, out);
  };
  if (x.phrase != rules::kNoId) of_phrase(x.phrase);
  for (const rules::PhraseId pattern : x.patterns) of_phrase(pattern);
  if (x.clause == rules::kNoId) return;
  const rules::Clause& clause = r.clauses[x.clause];
  for (const auto& binder : clause.binders) {
    locals_of(binder.source, out);
    if (binder.pick_low != rules::kNoId) locals_of(binder.pick_low, out);
    if (binder.pick_high != rules::kNoId) locals_of(binder.pick_high, out);
  }
  if (clause.where != rules::kNoId) locals_of(clause.where, out);
  for (const auto& key : clause.keys) locals_of(key.value, out);
  if (clause.backwards_if != rules::kNoId) locals_of(clause.backwards_if, out);
}

Lowering::Impl::Place Lowering::Impl::new_scratch(const rules::Type& type, bool pick, bool in_order, Span where) {
  Place place;
  if (in_order || type.shape == Shape::list) {
    place.kind = Place::Kind::scratch_list;
    place.slot = p.scratch_lists++;
    if (type.base != rules::Base::unknown) place.domain = domain_of(type, where);
  } else if (pick || type.shape == Shape::set) {
    place.kind = Place::Kind::scratch_set;
    place.slot = p.scratch_sets++;
    place.domain = domain_of(type, where);
  } else {
    place.kind = Place::Kind::scratch;
    place.slot = p.scratch_slots++;
  }
  return place;
}

/// Fills in the source of a binder. A set that a clause of one name builds is run through without building it: `inner`
/// then has its name and conditions.
void Lowering::Impl::source(rules::ExprId id, ir::Binder& binder, bool ordered,
                            std::vector<std::pair<rules::LocalId, std::vector<rules::ExprId>>>& inner) {
  const rules::Expr& x = at(id);
  span = x.span;
  binder.component = x.type.base == rules::Base::component;
  if (is_zone_like(id)) {
    binder.kind = ir::SourceKind::zone;
    binder.a = zone(id);
    return;
  }
  auto range = [&](Node low, Node high) {
    binder.kind = ir::SourceKind::range;
    binder.a = low;
    binder.b = high;
  };
  if (x.type.shape == Shape::list) {
    binder.kind = ir::SourceKind::list;
    binder.a = list(id);
    return;
  }
  switch (x.op) {
    case Op::players: {
      const Node low = number(0);
      return range(low, number(box.players - 1));
    }
    case Op::range_set:
    case Op::part_of_enum: {
      const Node low = need(x.kids[0]);
      return range(low, need(x.kids[1]));
    }
    case Op::type_values: {
      if (x.type.base == rules::Base::component) {
        binder.kind = ir::SourceKind::components;
        binder.a = static_cast<std::int32_t>(box.of_type[x.type.id].first);
        binder.b = static_cast<std::int32_t>(box.of_type[x.type.id].second);
        binder.by_place = ordered;
        return;
      }
      const Node low = number(x.type.low);
      return range(low, number(x.type.high));
    }
    case Op::call: {
      const rules::Let& let = r.lets[x.ref];
      if (let.params.empty() && at(let.value).type.shape == Shape::set) {
        const std::uint64_t phases = now.phases;
        now.phases = 0;
        source(let.value, binder, ordered, inner);
        now.phases = phases;
        return;
      }
      break;
    }
    case Op::set_of: {
      const rules::Clause& of = r.clauses[x.clause];
      const bool itself = x.kids.empty() || (at(x.kids[0]).op == Op::local && at(x.kids[0]).ref == of.binders[0].local);
      const bool plain = of.binders.size() == 1 && !of.binders[0].pick && of.keys.empty() && !of.backwards && itself && at(of.binders[0].source).type.shape != Shape::list;
      if (plain) {
        std::vector<rules::ExprId> conditions;
        conjuncts(of.where, conditions);
        // the inner name is another name for the same value; its conditions come first
        source(of.binders[0].source, binder, ordered, inner);
        inner.emplace_back(of.binders[0].local, std::move(conditions));
        return;
      }
      break;
    }
    default: break;
  }
  binder.kind = ir::SourceKind::set;
  binder.a = set(id);
  binder.domain = domain_of(x.type, x.span);
  binder.by_place = ordered && binder.component;
}

std::int32_t Lowering::Impl::clause(rules::ClauseId id, bool ordered) {
  const rules::Clause& from = r.clauses[id];
  ir::Clause made;
  made.ordered = ordered || !from.keys.empty();
  std::vector<rules::ExprId> where;
  conjuncts(from.where, where);
  // by conjunct: the last binder whose name it reads
  std::vector<std::size_t> levels;
  for (const rules::ExprId conjunct : where) {
    std::set<rules::LocalId> read;
    locals_of(conjunct, read);
    std::size_t level = 0;
    for (std::size_t i = 0; i < from.binders.size(); ++i) {
      if (read.count(from.binders[i].local) != 0) level = i + 1;
    }
    levels.push_back(level);
  }
  for (std::size_t i = 0; i < where.size(); ++i) {
    if (levels[i] == 0) {
      const Node node = scalar(where[i]);
      std::int64_t known = 0;
      if (!is_number(node, &known) || known == 0) made.conditions.push_back(node);
    }
  }
  for (std::size_t i = 0; i < from.binders.size(); ++i) {
    const rules::Binder& declared = from.binders[i];
    ir::Binder binder;
    binder.name = r.locals[declared.local].name;
    auto reads_earlier = [&](rules::ExprId expr) {
      std::set<rules::LocalId> read;
      locals_of(expr, read);
      for (std::size_t k = 0; k < i; ++k) {
        if (read.count(from.binders[k].local) != 0) return true;
      }
      return false;
    };
    std::vector<std::pair<rules::LocalId, std::vector<rules::ExprId>>> inner;
    binder.independent = !reads_earlier(declared.source);
    source(declared.source, binder, made.ordered || declared.pick, inner);
    const rules::Type& type = r.locals[declared.local].type;
    Place place;
    if (declared.pick) {
      if (!inner.empty()) {
        // a pick runs over a built set
        inner.clear();
        binder.kind = ir::SourceKind::set;
        binder.a = set(declared.source);
        binder.domain = domain_of(at(declared.source).type, declared.span);
        binder.by_place = binder.component;
      }
      binder.pick = true;
      binder.in_order = declared.in_order;
      binder.pick_low = need(declared.pick_low);
      binder.pick_high = declared.pick_high == rules::kNoId ? binder.pick_low : need(declared.pick_high);
      binder.independent = binder.independent && !reads_earlier(declared.pick_low) && (declared.pick_high == rules::kNoId || !reads_earlier(declared.pick_high));
      if (binder.kind != ir::SourceKind::set) binder.domain = domain_of(at(declared.source).type, declared.span);
      rules::Type element = at(declared.source).type;
      element.shape = Shape::set;
      place = new_scratch(element, true, declared.in_order, declared.span);
      place.domain = binder.domain;
    } else {
      place = new_scratch(type, false, false, declared.span);
    }
    binder.slot = place.slot;
    places[declared.local] = place;
    for (const auto& [local_id, conditions] : inner) {
      places[local_id] = place;
      for (const rules::ExprId condition : conditions) {
        const std::uint64_t phases = now.phases;
        now.phases = 0;
        binder.filters.push_back(scalar(condition));
        now.phases = phases;
      }
    }
    for (std::size_t k = 0; k < where.size(); ++k) {
      if (levels[k] != i + 1) continue;
      const Node node = scalar(where[k]);
      std::int64_t known = 0;
      if (is_number(node, &known) && known != 0) continue;
      binder.filters.push_back(node);
      binder.independent = binder.independent && !reads_earlier(where[k]);
    }
    made.binders.push_back(std::move(binder));
  }
  for (const rules::Key& key : from.keys) {
    const ir::KeyKind kind = key.kind == rules::KeyKind::high              ? ir::KeyKind::high
                             : key.kind == rules::KeyKind::low             ? ir::KeyKind::low
                             : key.kind == rules::KeyKind::clockwise_from  ? ir::KeyKind::clockwise_from
                                                                           : ir::KeyKind::clockwise_after;
    made.keys.push_back({kind, need(key.value)});
  }
  if (from.clockwise_subject != rules::kNoId) made.clockwise_slot = places[from.clockwise_subject].slot;
  made.backwards = from.backwards;
  if (from.backwards_if != rules::kNoId) made.backwards_if = scalar(from.backwards_if);
  p.clauses.push_back(std::move(made));
  return static_cast<std::int32_t>(p.clauses.size() - 1);
}

}  // namespace rip
