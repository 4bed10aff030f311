#include "interp/check/types.h"

#include <fmt/format.h>

#include <algorithm>

namespace rip::check {

using rules::Base;
using rules::kNoId;
using rules::Shape;
using rules::Type;

namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

Type make(Base base, std::uint32_t id, std::int64_t low, std::int64_t high) {
  Type type;
  type.base = base;
  type.id = id;
  type.low = low;
  type.high = high;
  return type;
}

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  if (a == kMin && b == -1) return kMax;
  return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

}  // namespace

Type integer_type(std::int64_t low, std::int64_t high) { return make(Base::integer, kNoId, low, high); }
Type flag_type() { return make(Base::flag, kNoId, 0, 1); }
Type side_type() { return make(Base::side, kNoId, 0, 1); }
Type seat_type(std::int64_t players_high) { return make(Base::seat, kNoId, 0, players_high - 1); }
Type component_type(rules::TypeId id) { return make(Base::component, id, 0, 0); }

Type enum_type(const rules::Rules& rules, rules::EnumId id) {
  return make(Base::enumeration, id, 0, std::max<std::int64_t>(0, std::ssize(rules.enums[id].values) - 1));
}

Type none_type() {
  Type type;
  type.optional = true;
  return type;
}

Type scalar_of(Type type) {
  type.shape = Shape::scalar;
  return type;
}
Type set_of(Type type) {
  type.shape = Shape::set;
  type.optional = false;
  return type;
}
Type list_of(Type type) {
  type.shape = Shape::list;
  return type;
}
Type required(Type type) {
  type.optional = false;
  return type;
}

bool agree(const Type& a, const Type& b) {
  if (is_unknown(a) || is_unknown(b)) return true;
  if (a.base != b.base) return false;
  if (a.base != Base::enumeration && a.base != Base::component) return true;
  return a.id == b.id || a.id == kNoId || b.id == kNoId;
}

bool has_interval(const Type& type) {
  return type.base != Base::unknown && type.base != Base::component && type.base != Base::text;
}

bool is_ordered(const Type& type) { return has_interval(type) && type.base != Base::side; }

bool disjoint(const Type& a, const Type& b) {
  return has_interval(a) && has_interval(b) && (a.high < b.low || b.high < a.low);
}

bool join_into(Type& into, const Type& other) {
  if (!agree(into, other)) return false;
  Type joined = is_unknown(into) ? other : into;
  if (!is_unknown(into) && !is_unknown(other)) {
    joined.low = std::min(into.low, other.low);
    joined.high = std::max(into.high, other.high);
    if (into.id != other.id && joined.base == Base::component) joined.id = kNoId;
  }
  joined.optional = into.optional || other.optional;
  // A scalar counts as a set wherever a set is wanted; a list is neither.
  if (into.shape != other.shape) {
    const bool list = into.shape == Shape::list || other.shape == Shape::list;
    const bool open = is_unknown(into) || is_unknown(other);
    if (list && !open) return false;
    joined.shape = list ? Shape::list : Shape::set;
    if (joined.shape == Shape::set) joined.optional = false;
  }
  into = joined;
  return true;
}

std::string describe(const rules::Rules& rules, const Type& type) {
  std::string one, many;
  switch (type.base) {
    case Base::unknown: one = type.optional ? "`none`" : "something", many = "something"; break;
    case Base::integer: one = "a number", many = "numbers"; break;
    case Base::enumeration:
      one = type.id == kNoId ? "an enum value" : fmt::format("a `{}`", rules.enums[type.id].name);
      many = type.id == kNoId ? "enum values" : fmt::format("`{}`", rules.enums[type.id].name);
      break;
    case Base::flag: one = "a flag", many = "flags"; break;
    case Base::seat: one = "a seat", many = "seats"; break;
    case Base::side: one = "a side", many = "sides"; break;
    case Base::component:
      one = type.id == kNoId ? "a component" : fmt::format("a `{}`", rules.component_types[type.id].name);
      many = type.id == kNoId ? "components" : fmt::format("`{}` components", rules.component_types[type.id].name);
      break;
    case Base::text: one = "a text", many = "texts"; break;
  }
  if (type.shape == Shape::set) return "a set of " + many;
  if (type.shape == Shape::list) return "a list of " + many;
  return one;
}

std::string describe_range(const rules::Rules& rules, const Type& type) {
  const auto text = [&](std::int64_t v) -> std::string {
    if (type.base == Base::flag) return v != 0 ? "yes" : "no";
    if (type.base == Base::side) return v != 0 ? "down" : "up";
    if (type.base == Base::enumeration && type.id != kNoId) {
      const std::vector<std::string>& names = rules.enums[type.id].values;
      if (v >= 0 && v < std::ssize(names)) return names[static_cast<std::size_t>(v)];
    }
    return fmt::format("{}", v);
  };
  return type.low == type.high ? text(type.low) : text(type.low) + ".." + text(type.high);
}

std::int64_t saturating_plus(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  if (!__builtin_add_overflow(a, b, &out)) return out;
  return a > 0 ? kMax : kMin;
}

std::int64_t saturating_times(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  if (!__builtin_mul_overflow(a, b, &out)) return out;
  return (a > 0) == (b > 0) ? kMax : kMin;
}

Interval interval(const Type& type) { return {type.low, type.high}; }

Interval plus(Interval a, Interval b) { return {saturating_plus(a.low, b.low), saturating_plus(a.high, b.high)}; }

Interval minus(Interval a, Interval b) {
  const auto negated = [](std::int64_t v) { return v == kMin ? kMax : -v; };
  return plus(a, {negated(b.high), negated(b.low)});
}

Interval times(Interval a, Interval b) {
  const std::int64_t corners[] = {saturating_times(a.low, b.low), saturating_times(a.low, b.high),
                                  saturating_times(a.high, b.low), saturating_times(a.high, b.high)};
  return {*std::min_element(std::begin(corners), std::end(corners)), *std::max_element(std::begin(corners), std::end(corners))};
}

Interval divided(Interval a, Interval b) {
  const std::int64_t corners[] = {floor_div(a.low, b.low), floor_div(a.low, b.high), floor_div(a.high, b.low),
                                  floor_div(a.high, b.high)};
  return {*std::min_element(std::begin(corners), std::end(corners)), *std::max_element(std::begin(corners), std::end(corners))};
}

// Floored: the rest has the sign of the divisor.
Interval modulo(Interval a, Interval b) {
  if (b.low > 0) {
    if (a.low >= 0 && a.high < b.low) return a;
    return {0, a.low >= 0 ? std::min(a.high, b.high - 1) : b.high - 1};
  }
  return {saturating_plus(b.low, 1), 0};
}

Interval absolute(Interval a) {
  const auto size = [](std::int64_t v) { return v == kMin ? kMax : (v < 0 ? -v : v); };
  const std::int64_t high = std::max(size(a.low), size(a.high));
  if (a.low <= 0 && a.high >= 0) return {0, high};
  return {std::min(size(a.low), size(a.high)), high};
}

}  // namespace rip::check
