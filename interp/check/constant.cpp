#include "interp/check/constant.h"

#include "interp/check/box.h"

#include <algorithm>
#include <functional>
#include <stdexcept>

namespace rip {

namespace {

using rules::Op;

constexpr std::size_t kMaxMembers = 1 << 20;
constexpr std::uint64_t kMaxSteps = 200'000;

ConstantValue one(std::int64_t number) { return {{number}, false}; }

ConstantValue as_set(std::vector<std::int64_t> items) {
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
  return {std::move(items), true};
}

/// As a set: a scalar is a set of one, `none` the empty set.
std::vector<std::int64_t> set_members(const ConstantValue& value) {
  if (!value.many && value.items[0] == rules::kNone) return {};
  return value.items;
}

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0); }

[[noreturn]] void reads_game() { throw std::logic_error("an expression that is needed before play reads the game"); }

std::int64_t arithmetic(const rules::Expr& expr, std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  bool overflow = false;
  switch (expr.op) {
    case Op::add: overflow = __builtin_add_overflow(a, b, &out); break;
    case Op::sub: overflow = __builtin_sub_overflow(a, b, &out); break;
    case Op::mul: overflow = __builtin_mul_overflow(a, b, &out); break;
    case Op::min2: out = std::min(a, b); break;
    case Op::max2: out = std::max(a, b); break;
    default:
      if (b == 0) throw ConstantFault{expr.span, "division by zero"};
      out = expr.op == Op::div ? floor_div(a, b) : a - b * floor_div(a, b);
  }
  if (overflow) throw ConstantFault{expr.span, "the number is too large"};
  return out;
}

bool holds(Op op, std::int64_t a, std::int64_t b) {
  switch (op) {
    case Op::eq: return a == b;
    case Op::ne: return a != b;
    case Op::lt: return a < b;
    case Op::le: return a <= b;
    case Op::gt: return a > b;
    default: return a >= b;
  }
}

/// Calls `found` with each pick of `size` of `from`, in order.
void pick(const std::vector<std::int64_t>& from, std::size_t size, bool in_order, std::size_t start,
          std::vector<std::int64_t>& chosen, const std::function<void()>& found) {
  if (chosen.size() == size) return found();
  for (std::size_t i = in_order ? 0 : start; i < from.size(); ++i) {
    if (in_order && std::find(chosen.begin(), chosen.end(), from[i]) != chosen.end()) continue;
    chosen.push_back(from[i]);
    pick(from, size, in_order, i + 1, chosen, found);
    chosen.pop_back();
  }
}

}  // namespace

std::vector<std::int64_t> Constants::members(const rules::Type& type, Span span) const {
  std::int64_t low = type.low, high = type.high;
  if (type.base == rules::Base::component) reads_game();
  if (type.base == rules::Base::seat) {
    low = 0;
    high = config_.players - 1;
  }
  std::vector<std::int64_t> out;
  if (high < low) return out;
  if (static_cast<std::uint64_t>(high - low) >= kMaxMembers) throw ConstantFault{span, "the range has too many members"};
  for (std::int64_t v = low; v <= high; ++v) out.push_back(v);
  return out;
}

std::int64_t Constants::scalar(rules::ExprId expr, const Names& names) const {
  const ConstantValue v = value(expr, names);
  if (v.items.empty()) throw ConstantFault{rules_[expr].span, "there is no value here"};
  return v.items[0];
}

const ConstantValue& Constants::parameter(const rules::Expr& expr, ConstantValue& room) const {
  if (expr.ref >= config_.params.size() || config_.params[expr.ref].empty())
    throw ConstantFault{expr.span, "a parameter is read before it has a value"};
  room = {config_.params[expr.ref], true};
  return room;
}

ConstantValue Constants::value(rules::ExprId id, const Names& names) const {
  const rules::Expr& e = rules_[id];
  if (++steps_ > kMaxSteps) throw ConstantFault{e.span, "this takes too long to work out before play"};
  const auto kid = [&](std::size_t i) { return value(e.kids.at(i), names); };
  const auto number = [&](std::size_t i) {
    const std::int64_t v = scalar(e.kids.at(i), names);
    if (v == rules::kNone) throw ConstantFault{rules_[e.kids[i]].span, "this is `none` where a value is needed"};
    return v;
  };
  switch (e.op) {
    case Op::constant: return one(e.value);
    case Op::param: {
      ConstantValue room;
      const ConstantValue& table = parameter(e, room);
      std::size_t at = 0;
      for (std::size_t i = 0; i < e.kids.size(); ++i) {
        const std::vector<std::int64_t> axis = members(rules_.params[e.ref].index[i], e.span);
        const auto found = std::find(axis.begin(), axis.end(), number(i));
        if (found == axis.end()) throw ConstantFault{rules_[e.kids[i]].span, "the index is out of its range"};
        at = at * axis.size() + static_cast<std::size_t>(found - axis.begin());
      }
      if (at >= table.items.size()) throw ConstantFault{e.span, "the table has no value here"};
      return one(table.items[at]);
    }
    case Op::param_family: {
      ConstantValue room;
      if (!e.kids.empty()) {
        const auto& index = rules_.params[e.ref].index;
        std::size_t at = 0, size = 1;
        for (std::size_t i = 0; i < index.size(); ++i) {
          const std::vector<std::int64_t> axis = members(index[i], e.span);
          if (i >= e.kids.size()) {
            size *= axis.size();
            at *= axis.size();
            continue;
          }
          const auto found = std::find(axis.begin(), axis.end(), number(i));
          if (found == axis.end()) throw ConstantFault{rules_[e.kids[i]].span, "the index is out of its range"};
          at = at * axis.size() + static_cast<std::size_t>(found - axis.begin());
        }
        const ConstantValue& table = parameter(e, room);
        if (at + size > table.items.size()) throw ConstantFault{e.span, "the table has no value here"};
        const auto from = table.items.begin() + static_cast<std::ptrdiff_t>(at);
        return {std::vector<std::int64_t>(from, from + static_cast<std::ptrdiff_t>(size)), true};
      }
      return parameter(e, room);
    }
    case Op::local: {
      const auto found = names.find(e.ref);
      if (found == names.end()) reads_game();
      return found->second;
    }
    case Op::item: {
      const ConstantValue list = kid(0);
      const std::int64_t n = number(1);
      if (n < 1 || static_cast<std::size_t>(n) > list.items.size()) throw ConstantFault{e.span, "the list has no such item"};
      return one(list.items[static_cast<std::size_t>(n - 1)]);
    }
    case Op::add: case Op::sub: case Op::mul: case Op::div: case Op::mod: case Op::min2: case Op::max2: {
      const std::int64_t a = number(0), b = number(1);
      return one(arithmetic(e, a, b));
    }
    case Op::neg: return one(-number(0));
    case Op::abs: return one(std::abs(number(0)));
    case Op::number: return one(number(0));
    case Op::eq: case Op::ne: {
      const std::int64_t a = scalar(e.kids[0], names), b = scalar(e.kids[1], names);
      return one(holds(e.op, a, b));
    }
    case Op::lt: case Op::le: case Op::gt: case Op::ge: {
      const std::int64_t a = number(0), b = number(1);
      return one(holds(e.op, a, b));
    }
    case Op::set_eq: case Op::set_ne:
      return one((as_set(set_members(kid(0))).items == as_set(set_members(kid(1))).items) == (e.op == Op::set_eq));
    case Op::list_eq: case Op::list_ne: return one((kid(0).items == kid(1).items) == (e.op == Op::list_eq));
    case Op::subset: {
      const auto a = as_set(set_members(kid(0))).items, b = as_set(set_members(kid(1))).items;
      return one(std::includes(b.begin(), b.end(), a.begin(), a.end()));
    }
    case Op::in_set: {
      const std::int64_t v = scalar(e.kids[0], names);
      const auto set = set_members(kid(1));
      return one(std::find(set.begin(), set.end(), v) != set.end());
    }
    case Op::is_none: return one(scalar(e.kids[0], names) == rules::kNone);
    case Op::is_empty: return one(set_members(kid(0)).empty());
    case Op::logical_and: return one(number(0) != 0 && number(1) != 0);
    case Op::logical_or: return one(number(0) != 0 || number(1) != 0);
    case Op::logical_not: return one(number(0) == 0);
    case Op::if_else: return number(0) != 0 ? kid(1) : kid(2);
    case Op::match: return choose_arm(e, names);
    case Op::set_literal: case Op::list_literal: {
      std::vector<std::int64_t> items;
      for (std::size_t i = 0; i < e.kids.size(); ++i) {
        const ConstantValue v = kid(i);
        const auto more = e.op == Op::set_literal ? set_members(v) : v.items;
        items.insert(items.end(), more.begin(), more.end());
      }
      if (e.op == Op::set_literal) return as_set(std::move(items));
      return {std::move(items), true};
    }
    case Op::range_set: case Op::part_of_enum: {
      rules::Type range = e.type;
      range.base = rules::Base::integer;
      range.low = number(0);
      range.high = number(1);
      return {members(range, e.span), true};
    }
    case Op::type_values: return {members(e.type, e.span), true};
    case Op::players: {
      rules::Type seats;
      seats.base = rules::Base::seat;
      return {members(seats, e.span), true};
    }
    case Op::set_union: {
      auto a = set_members(kid(0));
      const auto b = set_members(kid(1));
      a.insert(a.end(), b.begin(), b.end());
      return as_set(std::move(a));
    }
    case Op::set_difference: {
      auto a = set_members(kid(0));
      const auto b = set_members(kid(1));
      std::erase_if(a, [&](std::int64_t v) { return std::find(b.begin(), b.end(), v) != b.end(); });
      return as_set(std::move(a));
    }
    case Op::count_set: return one(static_cast<std::int64_t>(set_members(kid(0)).size()));
    case Op::sum_of: case Op::min_of: case Op::max_of: case Op::first_of: case Op::best_of:
    case Op::count: case Op::some: case Op::every: case Op::sum: case Op::min: case Op::max: return aggregate(e, names);
    case Op::set_of: case Op::list_of: case Op::first: case Op::best: return collect(e, names);
    case Op::call: {
      const rules::Let& let = rules_.lets[e.ref];
      Names inner;
      for (std::size_t i = 0; i < let.params.size(); ++i) inner[let.params[i]] = kid(i);
      return value(let.value, inner);
    }
    case Op::next: case Op::previous: {
      std::int64_t low = e.type.low, high = e.type.high;
      if (e.type.base == rules::Base::seat) {
        low = 0;
        high = config_.players - 1;
      }
      const std::int64_t v = number(0);
      if (e.op == Op::next) return one(v == high ? low : v + 1);
      return one(v == low ? high : v - 1);
    }
    case Op::me: case Op::var: case Op::var_family: case Op::zone: case Op::place_card: case Op::attribute: case Op::face:
    case Op::owner: case Op::top: case Op::bottom: case Op::top_n: case Op::bottom_n: case Op::nth: case Op::fits:
    case Op::zone_fits_list: case Op::some_fits: case Op::one_fitting: case Op::game_over: case Op::running: case Op::score:
    case Op::score_family: case Op::winners: case Op::random:
      reads_game();
  }
  reads_game();
}

ConstantValue Constants::choose_arm(const rules::Expr& e, const Names& names) const {
  const std::int64_t subject = scalar(e.kids[0], names);
  for (std::size_t i = 0; i < e.arms.size(); ++i) {
    bool fits = e.arms[i].patterns.empty();
    for (const auto& [low, high] : e.arms[i].patterns)
      fits = fits || (low == high ? subject == scalar(low, names)
                                  : subject != rules::kNone && scalar(low, names) <= subject && subject <= scalar(high, names));
    if (fits) return value(e.kids[i + 1], names);
  }
  throw ConstantFault{e.span, "no arm of the `match` fits"};
}

ConstantValue Constants::aggregate(const rules::Expr& e, const Names& names) const {
  std::vector<std::int64_t> values;
  if (e.clause == rules::kNoId) {
    values = set_members(value(e.kids[0], names));
  } else {
    for (const Names& binding : bindings(e.clause, names))
      values.push_back(e.op == Op::count || e.op == Op::some ? 1 : scalar(e.kids[0], binding));
  }
  const auto no_values = [&] { if (values.empty()) throw ConstantFault{e.span, "`min` or `max` of nothing"}; };
  switch (e.op) {
    case Op::count: return one(static_cast<std::int64_t>(values.size()));
    case Op::some: return one(!values.empty());
    case Op::every: return one(std::all_of(values.begin(), values.end(), [](std::int64_t v) { return v != 0; }));
    case Op::sum: case Op::sum_of: {
      std::int64_t total = 0;
      for (const std::int64_t v : values)
        if (__builtin_add_overflow(total, v, &total)) throw ConstantFault{e.span, "the number is too large"};
      return one(total);
    }
    case Op::min: case Op::min_of: no_values(); return one(*std::min_element(values.begin(), values.end()));
    case Op::max: case Op::max_of: no_values(); return one(*std::max_element(values.begin(), values.end()));
    case Op::first_of: return one(values.empty() ? rules::kNone : values[0]);
    default: return {std::move(values), true};
  }
}

ConstantValue Constants::collect(const rules::Expr& e, const Names& names) const {
  const std::vector<Names> found = bindings(e.clause, names);
  const rules::Clause& clause = rules_.clauses[e.clause];
  const rules::LocalId first_name = clause.binders.empty() ? rules::kNoId : clause.binders[0].local;
  if (e.op == Op::first) return found.empty() ? one(rules::kNone) : found[0].at(first_name);
  ConstantValue out{{}, true};
  for (const Names& binding : found) {
    if (e.op == Op::best && compare(clause, key_values(clause, found[0]), key_values(clause, binding)) != 0) break;
    const ConstantValue v = e.kids.empty() ? binding.at(first_name) : value(e.kids[0], binding);
    out.items.insert(out.items.end(), v.items.begin(), v.items.end());
  }
  return e.op == Op::list_of ? out : as_set(std::move(out.items));
}

std::vector<Constants::Names> Constants::bindings(rules::ClauseId id, const Names& names) const {
  const rules::Clause& clause = rules_.clauses[id];
  std::vector<Names> found;
  Names working = names;
  bind(clause, 0, working, found);
  if (!clause.keys.empty()) {
    std::vector<std::pair<std::vector<ConstantValue>, Names>> keyed;
    for (Names& binding : found) keyed.emplace_back(key_values(clause, binding), std::move(binding));
    std::stable_sort(keyed.begin(), keyed.end(),
                     [&](const auto& a, const auto& b) { return compare(clause, a.first, b.first) < 0; });
    found.clear();
    for (auto& [keys, binding] : keyed) found.push_back(std::move(binding));
  }
  if (reversed(clause, names)) std::reverse(found.begin(), found.end());
  return found;
}

void Constants::bind(const rules::Clause& clause, std::size_t level, Names& names, std::vector<Names>& found) const {
  if (level == clause.binders.size()) {
    if (clause.where != rules::kNoId && scalar(clause.where, names) == 0) return;
    if (found.size() >= kMaxMembers) throw ConstantFault{clause.span, "the clause has too many bindings"};
    found.push_back(names);
    return;
  }
  const rules::Binder& binder = clause.binders[level];
  const std::vector<std::int64_t> source = set_members(value(binder.source, names));
  if (!binder.pick) {
    for (const std::int64_t v : source) {
      names[binder.local] = one(v);
      bind(clause, level + 1, names, found);
    }
  } else {
    const std::int64_t low = scalar(binder.pick_low, names);
    const std::int64_t high = binder.pick_high == rules::kNoId ? low : scalar(binder.pick_high, names);
    for (std::int64_t size = std::max<std::int64_t>(low, 0); size <= high && size <= std::ssize(source); ++size) {
      std::vector<std::int64_t> chosen;
      pick(source, static_cast<std::size_t>(size), binder.in_order, 0, chosen, [&] {
        names[binder.local] = {chosen, true};
        bind(clause, level + 1, names, found);
      });
    }
  }
  names.erase(binder.local);
}

std::vector<ConstantValue> Constants::key_values(const rules::Clause& clause, const Names& names) const {
  std::vector<ConstantValue> out;
  for (const rules::Key& key : clause.keys) {
    ConstantValue v = one(scalar(key.value, names));
    const bool after = key.kind == rules::KeyKind::clockwise_after;
    if (after || key.kind == rules::KeyKind::clockwise_from) {
      const std::int64_t seat = names.at(clause.clockwise_subject).items[0];
      const std::int64_t n = config_.players;
      v.items[0] = (seat - v.items[0] - (after ? 1 : 0) + 2 * n) % n;
    }
    out.push_back(std::move(v));
  }
  return out;
}

int Constants::compare(const rules::Clause& clause, const std::vector<ConstantValue>& a,
                       const std::vector<ConstantValue>& b) const {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::int64_t x = a[i].items[0], y = b[i].items[0];
    if (x != y) return (x < y) == (clause.keys[i].kind != rules::KeyKind::high) ? -1 : 1;
  }
  return 0;
}

bool Constants::reversed(const rules::Clause& clause, const Names& names) const {
  return clause.backwards && (clause.backwards_if == rules::kNoId || scalar(clause.backwards_if, names) != 0);
}

std::int64_t constant(const rules::Rules& rules, const rules::Config& config, rules::ExprId expr,
                      const std::vector<std::pair<rules::LocalId, std::int64_t>>& locals) {
  Constants::Names names;
  for (const auto& [local, v] : locals) names[local] = one(v);
  return Constants(rules, config).scalar(expr, names);
}

std::vector<std::int64_t> constant_list(const rules::Rules& rules, const rules::Config& config, rules::ExprId expr) {
  return Constants(rules, config).value(expr, {}).items;
}

}  // namespace rip
