// Labels of expressions. Definitions are entered where they are called, so `me` and arguments mean what they mean there.
#include "verify/labels_impl.h"

#include <fmt/format.h>

#include <algorithm>

namespace rip::verify {

using rules::Base;
using rules::Expr;
using rules::ExprId;
using rules::kNoId;
using rules::Op;

namespace {

/// Where the text of a fact names this local; `l1` is no part of `l12`.
std::size_t named(const std::string& fact, const std::string& key) {
  for (std::size_t at = fact.find(key, 2); at != std::string::npos; at = fact.find(key, at + 1)) {
    const std::size_t end = at + key.size();
    if (end == fact.size() || fact[end] < '0' || fact[end] > '9') return at;
  }
  return std::string::npos;
}

/// Nobody can be sure to know a front if it is not known where it lies.
Whereabouts somewhere() { return {"?", "?", "?", {}, true, true, false}; }

}  // namespace

int Labelling::secret(Span span, rules::TypeId type, rules::VarId var, const Readers& readers) {
  std::string who;
  for (const std::string& seat : readers.seats) who += seat + ";";
  const auto [at, fresh] = secret_at_.try_emplace({span.file, span.begin, span.end, who}, static_cast<int>(secrets_.size()));
  if (fresh) secrets_.push_back({{span, type, var}, readers});
  return at->second;
}

bool Labelling::known(const Whereabouts& place, const std::string& component) const {
  return place.readers.all || facts_.contains("c:" + component) || facts_.contains("z:" + place.key) || facts_.contains("z:" + place.family) || facts_.contains("z:" + place.zone);
}

/// A front of this component, or of all components there, is read.
void Labelling::add_fronts(const std::vector<Whereabouts>& places, const std::string& component, rules::TypeId type, Span span, Label& out) {
  const bool die = type != kNoId && rules_.component_types[type].kind == ast::ComponentKind::die;
  if (type != kNoId && rules_.component_types[type].kind == ast::ComponentKind::token) return;
  for (const Whereabouts& place : places) {
    if (known(place, component) || (die && !place.eyes)) continue;
    out.insert(secret(span, type, kNoId, place.readers));
  }
}

/// A hand is run through in the order of its fronts.
void Labelling::add_order(const std::vector<Whereabouts>& places, Span span, Label& out) {
  for (const Whereabouts& place : places) {
    if (place.hand && !known(place, "")) out.insert(secret(span, kNoId, kNoId, place.readers));
  }
}

Readers Labelling::readers(ExprId id) {
  const Expr& e = rules_[id];
  Readers out;
  const auto join_of = [&](ExprId kid) {
    const Readers more = readers(kid);
    out.all = out.all || more.all;
    out.seats.insert(more.seats.begin(), more.seats.end());
  };
  switch (e.op) {
    case Op::players: out.all = true; return out;
    case Op::set_literal:
    case Op::set_union:
      for (const ExprId kid : e.kids) join_of(kid);
      return out;
    case Op::call: {
      const std::vector<Value> before = enter(e);
      out = readers(rules_.lets[e.ref].value);
      leave(e, before);
      return out;
    }
    default:
      if (e.type.shape == rules::Shape::scalar) out.seats.insert(value(id).key);
      else out.seats.insert("set:" + value(id).key);
      return out;
  }
}

Readers Labelling::readers_of(const rules::Var& var, const std::vector<Value>& index) {
  for (std::size_t i = 0; i < var.index_locals.size() && i < index.size(); ++i) locals_[var.index_locals[i]] = index[i];
  for (std::size_t i = index.size(); i < var.index_locals.size(); ++i) locals_[var.index_locals[i]] = Value{{}, "any", "any", {}};
  return readers(var.seen_by);
}

Value Labelling::zone_value(const Expr& e) {
  const rules::Zone& zone = rules_.zones[e.ref];
  Value out;
  Whereabouts place;
  out.key = out.family = fmt::format("z{}(", e.ref);
  place.zone = out.key + ")";
  std::vector<Value> index;
  for (const ExprId kid : e.kids) {
    index.push_back(value(kid));
    add(out.secrets, index.back().secrets);
    out.key += index.back().key + ",";
    out.family += index.back().family + ",";
  }
  if (!index.empty()) {
    out.key.back() = ')';
    out.family.back() = ')';
  } else {
    out.key += ")";
    out.family += ")";
  }
  place.key = out.key;
  place.family = out.family;
  const bool whole = index.size() == zone.index.size();
  place.hand = zone.kind == ast::ZoneKind::hand;
  place.eyes = place.hand || zone.seen_by != kNoId;
  place.lies_open = !place.eyes && zone.kind != ast::ZoneKind::pile;
  if (zone.seen_by != kNoId) {
    for (std::size_t i = 0; i < zone.index_locals.size(); ++i) locals_[zone.index_locals[i]] = i < index.size() ? index[i] : Value{{}, "any", "any", {}};
    place.readers = readers(zone.seen_by);
  } else if (place.hand) {
    if (whole && !index.empty()) place.readers.seats.insert(index.front().key);
  } else {
    place.readers.all = zone.face == 0 && zone.kind != ast::ZoneKind::pile;
  }
  out.places.push_back(std::move(place));
  return out;
}

Value Labelling::hidden_variable(const Expr& e) {
  const rules::Var& var = rules_.vars[e.ref];
  Value out;
  std::vector<Value> index;
  out.key = out.family = fmt::format("v{}(", e.ref);
  const std::string all = "v:" + out.key + ")";
  for (const ExprId kid : e.kids) {
    index.push_back(value(kid));
    add(out.secrets, index.back().secrets);
    out.key += index.back().key + ",";
    out.family += index.back().family + ",";
  }
  out.key += ")";
  out.family += ")";
  if (var.local) add(out.secrets, variables_[e.ref]);
  if (e.type.base == Base::component) out.places.push_back(somewhere());
  if (var.seen_by == kNoId || facts_.contains("v:" + out.key) || facts_.contains("v:" + out.family) || facts_.contains(all)) return out;
  const Readers who = readers_of(var, index);
  if (!who.all) out.secrets.insert(secret(e.span, kNoId, e.ref, who));
  return out;
}

/// Arguments of a definition; what its parameters stood for before.
std::vector<Value> Labelling::enter(const Expr& call) {
  const rules::Let& let = rules_.lets[call.ref];
  std::vector<Value> values;
  for (const ExprId kid : call.kids) values.push_back(value(kid));
  for (std::size_t i = 0; i < values.size(); ++i) std::swap(values[i], locals_[let.params[i]]);
  return values;
}
void Labelling::leave(const Expr& call, const std::vector<Value>& before) {
  for (std::size_t i = 0; i < before.size(); ++i) locals_[rules_.lets[call.ref].params[i]] = before[i];
}

Value Labelling::called(const Expr& e) {
  const std::vector<Value> before = enter(e);
  Value out = value(rules_.lets[e.ref].value);
  leave(e, before);
  return out;
}

void Labelling::of_phrase(rules::PhraseId id, ExprId at, const std::vector<Whereabouts>& places, Value& out) {
  const rules::Phrase& phrase = rules_.phrases[id];
  bool front = false;
  for (const auto& [attribute, wanted] : phrase.attributes) {
    front = front || !rules_.component_types[phrase.type].attributes[attribute].back;
    const Value v = value(wanted);
    add(out.secrets, v.secrets);
    out.key += v.key + ",";
    out.family += v.family + ",";
  }
  const bool die = rules_.component_types[phrase.type].kind == ast::ComponentKind::die;
  if (phrase.owner != kNoId) add(out.secrets, value(phrase.owner).secrets);
  if (front || (die && phrase.face)) add_fronts(places, out.key, phrase.type, rules_[at].span, out.secrets);
}

/// `c.face == up`, and what stands beside it behind `and`: then the front is known to all.
void Labelling::assume(ExprId id) {
  const Expr& e = rules_[id];
  if (e.op == Op::logical_and) {
    for (const ExprId kid : e.kids) assume(kid);
  }
  if (e.op != Op::eq) return;
  for (std::size_t i = 0; i < 2; ++i) {
    const Expr& face = rules_[e.kids[i]];
    const Expr& side = rules_[e.kids[1 - i]];
    if (face.op != Op::face || face.type.base != Base::side || side.op != Op::constant || side.value != 0) continue;
    if (rules_[face.kids[0]].op == Op::local) facts_.insert("c:" + value(face.kids[0]).key);
  }
}

/// At the end of a loop: what was laid open of each is laid open of all.
void Labelling::of_all_passes(const rules::Clause& names) {
  if (names.binders.size() != 1) return;
  const Value& local = locals_[names.binders.front().local];
  if (local.family == local.key) return;
  Facts more;
  for (std::string fact : facts_) {
    const std::size_t at = named(fact, local.key);
    if (at == std::string::npos) continue;
    fact.replace(at, local.key.size(), local.family);
    more.insert(std::move(fact));
  }
  facts_.merge(more);
}

/// The name stands for something new: what was known of the last is of no use.
void Labelling::bind(rules::LocalId local) {
  const std::string key = fmt::format("l{}", local);
  std::erase_if(facts_, [&](const std::string& fact) { return named(fact, key) != std::string::npos; });
  locals_[local] = Value{{}, key, key, {}};
}

/// Binds the names; all that the bindings depend on.
Labelling::Label Labelling::clause(rules::ClauseId id, Value* first, std::vector<std::pair<Label, Span>>* parts) {
  Label label;
  const rules::Clause& clause = rules_.clauses[id];
  const auto depends = [&](ExprId part) {
    if (part == kNoId) return;
    Label secrets = value(part).secrets;
    if (parts != nullptr) {
      // what a source depends on stands there
      Label fresh = secrets;
      for (const int known : label) fresh.erase(known);
      parts->emplace_back(std::move(fresh), rules_[part].span);
    }
    add(label, secrets);
  };
  for (const rules::Binder& binder : clause.binders) {
    depends(binder.source);
    const Value source = value(binder.source);
    depends(binder.pick_low);
    depends(binder.pick_high);
    bind(binder.local);
    Value& local = locals_[binder.local];
    local.secrets = source.secrets;
    // of some of them, or of sets of them, nothing follows for all
    const bool all = clause.where == kNoId && clause.binders.size() == 1 && !binder.pick;
    local.family = all ? fmt::format("in({})", source.family) : local.key;
    local.places = source.places;
    if (first != nullptr && &binder == &clause.binders.front()) *first = local;
  }
  depends(clause.where);
  if (clause.where != kNoId) assume(clause.where);
  for (const rules::Key& key : clause.keys) depends(key.value);
  depends(clause.backwards_if);
  return label;
}

Value Labelling::value(ExprId id) {
  const Expr& e = rules_[id];
  if (left_ == 0) return {};
  --left_;
  switch (e.op) {
    case Op::zone:
    case Op::place_card: {
      Value out = zone_value(e);
      if (e.op == Op::place_card) out.key = "card " + out.key;
      return out;
    }
    case Op::var:
    case Op::var_family: return hidden_variable(e);
    case Op::call: return called(e);
    case Op::local: {
      Value out = locals_[e.ref];
      if (facts_.contains("l:" + out.key)) out.secrets.clear();
      return out;
    }
    case Op::me: return {{}, me_, me_, {}};
    default: break;
  }
  Value out;
  out.key = out.family = fmt::format("{}.{}.{}(", static_cast<int>(e.op), e.ref == kNoId ? std::string() : std::to_string(e.ref), e.value);
  std::vector<Value> kids;
  Value first;
  const bool assumes = e.clause != kNoId || e.op == Op::logical_and || e.op == Op::if_else;
  const Facts before = assumes ? facts_ : Facts{};
  if (e.clause != kNoId) {
    add(out.secrets, clause(e.clause, &first));
    for (const rules::Binder& binder : rules_.clauses[e.clause].binders) {
      out.key += locals_[binder.local].family + ",";
      out.family += locals_[binder.local].family + ",";
    }
    if (rules_.clauses[e.clause].where != kNoId) {
      const Value where = value(rules_.clauses[e.clause].where);
      out.key += where.key;
      out.family += where.family;
    }
    for (const rules::Key& key : rules_.clauses[e.clause].keys) {
      const Value by = value(key.value);
      out.key += fmt::format("by{}{}", static_cast<int>(key.kind), by.key);
      out.family += fmt::format("by{}{}", static_cast<int>(key.kind), by.family);
    }
  }
  for (std::size_t i = 0; i < e.kids.size(); ++i) {
    kids.push_back(value(e.kids[i]));
    if (i == 0 && (e.op == Op::logical_and || e.op == Op::if_else)) assume(e.kids[0]);
    if (i == 1 && e.op == Op::if_else) facts_ = before;
    add(out.secrets, kids.back().secrets);
    out.key += kids.back().key + ",";
    out.family += kids.back().family + ",";
    for (const Whereabouts& place : kids.back().places) out.places.push_back(place);
  }
  for (const rules::MatchArm& arm : e.arms) {
    for (const auto& [low, high] : arm.patterns) {
      add(out.secrets, value(low).secrets);
      add(out.secrets, value(high).secrets);
    }
  }
  out.key += ")";
  out.family += ")";
  const auto type_of = [&](std::size_t kid) { return rules_[e.kids[kid]].type.base == Base::component ? rules_[e.kids[kid]].type.id : kNoId; };
  switch (e.op) {
    case Op::attribute:
      if (!rules_.component_types[e.ref].attributes[static_cast<std::size_t>(e.value)].back) add_fronts(kids[0].places, kids[0].key, e.ref, e.span, out.secrets);
      break;
    case Op::face:
      if (e.type.base != Base::side) add_fronts(kids[0].places, kids[0].key, type_of(0), e.span, out.secrets);
      break;
    case Op::fits:
    case Op::some_fits: of_phrase(e.phrase, id, kids[0].places, out); break;
    case Op::zone_fits_list:
      for (const rules::PhraseId pattern : e.patterns) of_phrase(pattern, id, kids[0].places, out);
      break;
    case Op::one_fitting:
      // which one it is, is no secret; where it lies may be
      of_phrase(e.phrase, id, {somewhere()}, out);
      out.places = {somewhere()};
      break;
    case Op::type_values:
      if (e.type.base == Base::component) out.places = {somewhere()};
      break;
    case Op::top:
      for (Whereabouts& place : out.places) {
        const Expr& from = rules_[e.kids[0]];
        if (from.op == Op::zone && rules_.zones[from.ref].face == 0 && rules_.zones[from.ref].seen_by == kNoId) place.readers.all = true;
      }
      [[fallthrough]];
    case Op::bottom:
    case Op::top_n:
    case Op::bottom_n:
    case Op::nth:
    case Op::first_of: add_order(out.places, e.span, out.secrets); break;
    case Op::first:
    case Op::list_of:
      if (rules_.clauses[e.clause].keys.empty()) add_order(first.places, e.span, out.secrets);
      [[fallthrough]];
    case Op::best:
    case Op::set_of:
      if (e.kids.empty()) out.places = first.places;
      break;
    default: break;
  }
  if (assumes) facts_ = before;
  if (e.type.base != Base::component) out.places.clear();
  return out;
}

}  // namespace rip::verify
