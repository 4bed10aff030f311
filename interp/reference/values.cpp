// Expressions: what each operation reads and yields.
#include "interp/reference/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace rip::reference {

using rules::Base;
using rules::Expr;
using rules::ExprId;
using rules::kNone;
using rules::Op;
using rules::Shape;

void Evaluator::fault(FaultKind kind, Span span, std::string message) const { throw FaultRaised{{kind, span, std::move(message), moment()}}; }

std::int64_t Evaluator::scalar(ExprId expr) {
  const Value v = value(expr);
  if (v.shape != Shape::scalar) throw std::logic_error("a set or list where one value is wanted");
  return v.scalar();
}

std::int64_t Evaluator::needed(ExprId expr) {
  const std::int64_t v = scalar(expr);
  if (v == kNone) fault(FaultKind::none_used, rules_[expr].span, "`none` where a value is needed");
  return v;
}

std::int64_t Evaluator::type_low(const rules::Type& type) const { return type.base == Base::seat ? 0 : type.low; }
std::int64_t Evaluator::type_high(const rules::Type& type) const {
  return type.base == Base::seat ? box_.players - 1 : type.high;
}

bool Evaluator::in_type(const rules::Type& type, const Value& v) const {
  return std::all_of(v.items.begin(), v.items.end(), [&](std::int64_t item) {
    if (item == kNone) return type.optional && v.shape == Shape::scalar;
    return type.base == Base::component || (type_low(type) <= item && item <= type_high(type));
  });
}

std::vector<std::int64_t> Evaluator::index_of(const std::vector<ExprId>& kids) {
  std::vector<std::int64_t> index;
  for (const ExprId kid : kids) index.push_back(needed(kid));
  return index;
}

std::vector<int> Evaluator::instances(const Expr& e) {
  const std::vector<std::int64_t> prefix = index_of(e.kids);
  std::vector<int> found;
  for (std::uint32_t z = box_.first_zone[e.ref]; z < box_.first_zone[e.ref + 1]; ++z)
    if (std::equal(prefix.begin(), prefix.end(), box_.zones[z].index.begin())) found.push_back(static_cast<int>(z));
  if (found.empty() && !prefix.empty()) fault(FaultKind::out_of_range, e.span, "there is no such zone");
  std::sort(found.begin(), found.end(), [&](int a, int b) { return zone_before(a, b, 0); });
  return found;
}

int Evaluator::instance(ExprId expr) {
  const std::vector<int> found = instances(rules_[expr]);
  if (found.size() != 1) throw std::logic_error("several zones where one is wanted");
  return found[0];
}

// Zones come as declared; those indexed by a component come where that component lies.
bool Evaluator::zone_before(int a, int b, int depth) const {
  const std::vector<std::int64_t>& x = box_.zones[static_cast<std::size_t>(a)].index;
  const std::vector<std::int64_t>& y = box_.zones[static_cast<std::size_t>(b)].index;
  const bool one_family = box_.zones[static_cast<std::size_t>(a)].zone == box_.zones[static_cast<std::size_t>(b)].zone;
  for (std::size_t i = 0; one_family && depth < 4 && i < x.size(); ++i) {
    if (x[i] == y[i]) continue;
    const int m = static_cast<int>(x[i]), n = static_cast<int>(y[i]);
    return zone_rules(a).index[i].base == Base::component ? lies_before(m, n, depth + 1) : m < n;
  }
  return a < b;
}

bool Evaluator::lies_before(int a, int b, int depth) const {
  const int za = world_.spot_of[static_cast<std::size_t>(a)], zb = world_.spot_of[static_cast<std::size_t>(b)];
  return za != zb ? zone_before(za, zb, depth) : world_.position(a) < world_.position(b);
}

std::vector<std::int64_t> Evaluator::by_place(std::vector<std::int64_t> components) const {
  std::sort(components.begin(), components.end(),
            [&](std::int64_t a, std::int64_t b) { return lies_before(static_cast<int>(a), static_cast<int>(b), 0); });
  return components;
}

std::vector<std::int64_t> Evaluator::members_of(const Expr& e, const Value& v) {
  if (v.shape == Shape::scalar) return v.scalar() == kNone ? std::vector<std::int64_t>{} : v.items;
  if (v.shape == Shape::set && e.type.base == Base::component) return by_place(v.items);
  return v.items;
}

std::vector<std::int64_t> Evaluator::members(ExprId expr) { return members_of(rules_[expr], value(expr)); }

std::set<std::int64_t> Evaluator::set_of(ExprId expr) {
  const std::vector<std::int64_t> items = members(expr);
  return {items.begin(), items.end()};
}

namespace {

Value one(std::int64_t v) { return {Shape::scalar, {v}}; }
Value as_set(const std::set<std::int64_t>& items) { return {Shape::set, {items.begin(), items.end()}}; }

}  // namespace

Value Evaluator::value(ExprId id) {
  const Expr& e = rules_[id];
  switch (e.op) {
    case Op::constant: return one(e.value);
    case Op::param: return one(param_value(e));
    case Op::local: {
      const auto found = names_.find(e.ref);
      if (found == names_.end()) throw std::logic_error("a name is read that is not bound: " + rules_.locals[e.ref].name);
      return found->second;
    }
    case Op::me:
      if (!me_) fault(FaultKind::none_used, e.span, "no seat acts here");
      return one(*me_);
    case Op::var: return var_value(e.ref, index_of(e.kids), e.span);
    case Op::var_family: case Op::param_family: return family_value(e);
    case Op::zone: case Op::place_card: return zones_value(e);
    case Op::attribute: return attribute_value(e);
    case Op::face: return one(world_.face[static_cast<std::size_t>(needed(e.kids[0]))]);
    case Op::owner: {
      const int owner = box_.components[static_cast<std::size_t>(needed(e.kids[0]))].owner;
      return one(owner < 0 ? kNone : owner);
    }
    case Op::top: case Op::bottom: case Op::top_n: case Op::bottom_n: case Op::nth: return ends_value(e);
    case Op::item: {
      const std::vector<std::int64_t> list = members(e.kids[0]);
      const std::int64_t n = needed(e.kids[1]);
      if (n < 1 || n > std::ssize(list)) fault(FaultKind::out_of_range, e.span, fmt::format("a list of {} has no item {}", list.size(), n));
      return one(list[static_cast<std::size_t>(n - 1)]);
    }
    case Op::add: case Op::sub: case Op::mul: case Op::div: case Op::mod: case Op::neg: case Op::abs: case Op::min2:
    case Op::max2: return arithmetic_value(e);
    case Op::eq: case Op::ne: case Op::lt: case Op::le: case Op::gt: case Op::ge: case Op::set_eq: case Op::set_ne:
    case Op::subset: case Op::list_eq: case Op::list_ne: case Op::fits: case Op::zone_fits_list: case Op::some_fits:
    case Op::one_fitting: case Op::in_set: case Op::is_none: case Op::is_empty: return compared_value(e);
    case Op::logical_and: return one(holds(e.kids[0]) && holds(e.kids[1]));
    case Op::logical_or: return one(holds(e.kids[0]) || holds(e.kids[1]));
    case Op::logical_not: return one(!holds(e.kids[0]));
    case Op::if_else: return value(holds(e.kids[0]) ? e.kids[1] : e.kids[2]);
    case Op::match: return match_value(e);
    case Op::set_literal: {
      std::set<std::int64_t> items;
      for (const ExprId kid : e.kids) items.merge(set_of(kid));
      return as_set(items);
    }
    case Op::list_literal: {
      Value list{Shape::list, {}};
      for (const ExprId kid : e.kids) list.items.push_back(scalar(kid));
      return list;
    }
    case Op::range_set: case Op::part_of_enum: {
      const std::int64_t low = needed(e.kids[0]), high = needed(e.kids[1]);
      Value range{Shape::set, {}};
      for (std::int64_t v = low; v <= high; ++v) range.items.push_back(v);
      return range;
    }
    case Op::type_values: return all_values(e);
    case Op::players: {
      Value seats{Shape::set, {}};
      for (int seat = 0; seat < box_.players; ++seat) seats.items.push_back(seat);
      return seats;
    }
    case Op::set_union: {
      std::set<std::int64_t> items = set_of(e.kids[0]);
      items.merge(set_of(e.kids[1]));
      return as_set(items);
    }
    case Op::set_difference: {
      std::set<std::int64_t> items = set_of(e.kids[0]);
      for (const std::int64_t v : set_of(e.kids[1])) items.erase(v);
      return as_set(items);
    }
    case Op::count_set: return one(std::ssize(members(e.kids[0])));
    case Op::count: case Op::some: case Op::every: case Op::sum: case Op::min: case Op::max: case Op::sum_of: case Op::min_of:
    case Op::max_of: return aggregate_value(e);
    case Op::set_of: case Op::list_of: case Op::first: case Op::best: case Op::first_of: case Op::best_of:
      return collected_value(e);
    case Op::call: return call_value(e);
    case Op::next: case Op::previous: return neighbour(e);
    case Op::number: return one(needed(e.kids[0]));
    case Op::game_over: return one(over_);
    case Op::running: return one(is_running(e.ref));
    case Op::score: case Op::score_family: case Op::winners: return result_value(e);
    case Op::random: break;
  }
  throw std::logic_error("`random` inside an expression");
}

Value Evaluator::zones_value(const Expr& e) {
  Value cards{e.op == Op::place_card ? Shape::scalar : Shape::set, {}};
  for (const int zone : instances(e))
    for (const int card : world_.spots[static_cast<std::size_t>(zone)].cards) cards.items.push_back(card);
  if (e.op == Op::place_card && cards.items.empty()) cards.items.push_back(kNone);
  return cards;
}

// `top of`, `bottom of`, `top n of`, `nth`: of one zone by its own order, of a set or list by its first and last.
Value Evaluator::ends_value(const Expr& e) {
  const bool counted = e.op == Op::top_n || e.op == Op::bottom_n;
  const ExprId of = e.kids[counted ? 1 : 0];
  const std::int64_t n = counted ? needed(e.kids[0]) : e.op == Op::nth ? needed(e.kids[1]) : 1;
  bool from_bottom = e.op == Op::bottom || e.op == Op::bottom_n;
  std::vector<std::int64_t> line;
  const std::vector<int> zones = rules_[of].op == Op::zone ? instances(rules_[of]) : std::vector<int>{};
  if (zones.size() == 1) {
    const rules::Zone& zone = zone_rules(zones[0]);
    // Order of arrival: a pile grows at its top, a row at its end.
    if (e.op == Op::nth) from_bottom = zone.kind == ast::ZoneKind::pile;
    else if (zone.kind == ast::ZoneKind::row) from_bottom = !from_bottom;
    if (settling_ && from_bottom) settle_bottom(zones[0], n);
    else if (settling_) settle_top(zones[0], n);
    const Spot& spot = world_.spots[static_cast<std::size_t>(zones[0])];
    const std::size_t size = spot.cards.size();
    for (std::size_t i = 0; i < size && static_cast<std::int64_t>(i) < n; ++i) {
      const std::size_t at = from_bottom ? size - 1 - i : i;
      if (spot.bags[at] != 0) throw std::logic_error("the order inside of a bag is read");
      line.push_back(spot.cards[at]);
    }
  } else {
    line = members(of);
    if (from_bottom) std::reverse(line.begin(), line.end());
    if (n < std::ssize(line)) line.resize(static_cast<std::size_t>(std::max<std::int64_t>(n, 0)));
  }
  if (e.op == Op::nth) return one(n >= 1 && n <= std::ssize(line) ? line[static_cast<std::size_t>(n - 1)] : kNone);
  if (!counted) return one(line.empty() ? kNone : line[0]);
  return {e.type.shape == Shape::set ? Shape::set : Shape::list, std::move(line)};
}

Value Evaluator::attribute_value(const Expr& e) {
  const Component& component = box_.components[static_cast<std::size_t>(needed(e.kids[0]))];
  const rules::Attribute& attribute = rules_.component_types[component.type].attributes[static_cast<std::size_t>(e.value)];
  const std::int64_t v = component.attributes[static_cast<std::size_t>(e.value)];
  if (attribute.type.shape != Shape::set) return one(v);
  Value set{Shape::set, {}};
  for (std::int64_t i = attribute.type.low; i <= attribute.type.high; ++i)
    if (static_cast<std::uint64_t>(v) >> (i - attribute.type.low) & 1) set.items.push_back(i);
  return set;
}

std::int64_t Evaluator::param_value(const Expr& e) {
  const std::vector<std::int64_t> index = index_of(e.kids);
  const std::vector<std::vector<std::int64_t>> all = index_values(rules_, box_, rules_.params[e.ref].index);
  const auto found = std::find(all.begin(), all.end(), index);
  if (found == all.end()) fault(FaultKind::out_of_range, e.span, "the table has no such index");
  return config_.params[e.ref][static_cast<std::size_t>(found - all.begin())];
}

const Value& Evaluator::var_value(rules::VarId var, const std::vector<std::int64_t>& index, Span span) {
  const rules::PhaseId phase = rules_.vars[var].phase;
  if (phase != rules::kNoId && !is_running(phase))
    fault(FaultKind::phase_not_running, span, fmt::format("`{}` is read, but its phase does not run", rules_.vars[var].name));
  const auto found = world_.vars[var].find(index);
  if (found == world_.vars[var].end()) fault(FaultKind::out_of_range, span, fmt::format("`{}` has no such index", rules_.vars[var].name));
  return found->second;
}

Value Evaluator::family_value(const Expr& e) {
  const std::vector<std::int64_t> prefix = index_of(e.kids);
  const bool is_var = e.op == Op::var_family;
  Value list{Shape::list, {}};
  std::size_t at = 0;
  for (const std::vector<std::int64_t>& index : index_values(rules_, box_, is_var ? rules_.vars[e.ref].index : rules_.params[e.ref].index)) {
    if (std::equal(prefix.begin(), prefix.end(), index.begin()))
      list.items.push_back(is_var ? var_value(e.ref, index, e.span).scalar() : config_.params[e.ref][at]);
    ++at;
  }
  return list;
}

Value Evaluator::match_value(const Expr& e) {
  const std::int64_t subject = scalar(e.kids[0]);
  for (std::size_t i = 0; i < e.arms.size(); ++i)
    if (arm_fits(e.arms[i], subject)) return value(e.kids[i + 1]);
  fault(FaultKind::out_of_range, e.span, "no arm of the `match` fits");
}

bool Evaluator::arm_fits(const rules::MatchArm& arm, std::int64_t subject) {
  if (arm.patterns.empty()) return true;
  for (const auto& [low, high] : arm.patterns) {
    if (low == high ? scalar(low) == subject : subject != kNone && needed(low) <= subject && subject <= needed(high)) return true;
  }
  return false;
}

Value Evaluator::call_value(const Expr& e) {
  const rules::Let& let = rules_.lets[e.ref];
  std::map<rules::LocalId, Value> inside;
  for (std::size_t i = 0; i < let.params.size(); ++i) inside[let.params[i]] = value(e.kids[i]);
  std::swap(names_, inside);
  const Finally restore([&] { std::swap(names_, inside); });
  return value(let.value);
}

Value Evaluator::all_values(const Expr& e) {
  Value all{Shape::set, {}};
  std::int64_t low = type_low(e.type), high = type_high(e.type);
  if (e.type.base == Base::component) {
    low = e.type.id == rules::kNoId ? 0 : box_.of_type[e.type.id].first;
    high = (e.type.id == rules::kNoId ? std::ssize(box_.components) : static_cast<std::int64_t>(box_.of_type[e.type.id].second)) - 1;
  }
  for (std::int64_t v = low; v <= high; ++v) all.items.push_back(v);
  return all;
}

Value Evaluator::neighbour(const Expr& e) {
  const std::int64_t v = needed(e.kids[0]);
  const std::int64_t low = type_low(e.type), high = type_high(e.type);
  if (v < low || v > high) fault(FaultKind::out_of_range, e.span);
  if (e.op == Op::next) return one(v == high ? low : v + 1);
  return one(v == low ? high : v - 1);
}

Value Evaluator::result_value(const Expr& e) {
  if (e.op == Op::winners) {
    Value seats{Shape::set, {}};
    seats.items.assign(result_.winners.begin(), result_.winners.end());
    return seats;
  }
  if (!scored_) fault(FaultKind::none_used, e.span, "there is no score before the end");
  if (e.op == Op::score_family) return {Shape::list, result_.scores};
  return one(result_.scores.at(static_cast<std::size_t>(needed(e.kids[0]))));
}

Value Evaluator::random_value(ExprId id) {
  const Expr& e = rules_[id];
  if (e.op == Op::if_else) return random_value(holds(e.kids[0]) ? e.kids[1] : e.kids[2]);
  if (e.op != Op::random) return value(id);
  const std::vector<std::int64_t> from = members(e.kids[0]);
  if (from.empty()) fault(FaultKind::empty_first, e.span, "`random` of nothing");
  Chance chance;
  chance.kind = ChanceKind::random;
  for (const std::int64_t v : from) chance.outcomes.push_back({v, 1});
  return one(from[ask_chance(std::move(chance))]);
}

}  // namespace rip::reference
