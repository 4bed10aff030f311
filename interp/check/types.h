// Types of values as the checker handles them: joining, comparing, naming, and arithmetic on their intervals.
// Flow: used by every pass of interp/check.
#pragma once

#include "interp/check/rules.h"

#include <string>
#include <utility>

namespace rip::check {

/// Numbers of the language stay within this, so that sums of a few of them never overflow the 64 bits of the machine.
inline constexpr std::int64_t kLargest = 2147483647;

rules::Type integer_type(std::int64_t low, std::int64_t high);
rules::Type flag_type();
rules::Type side_type();
rules::Type seat_type(std::int64_t players_high);
rules::Type enum_type(const rules::Rules& rules, rules::EnumId id);
rules::Type component_type(rules::TypeId id);
rules::Type none_type();

rules::Type scalar_of(rules::Type type);  ///< of the elements of a set or list
rules::Type set_of(rules::Type type);
rules::Type list_of(rules::Type type);
rules::Type required(rules::Type type);  ///< without `?`

inline bool is_unknown(const rules::Type& type) { return type.base == rules::Base::unknown; }
inline bool is_scalar(const rules::Type& type) { return type.shape == rules::Shape::scalar; }
/// Same base and, of enums and components, the same declaration; unknown agrees with everything. Shapes do not matter.
bool agree(const rules::Type& a, const rules::Type& b);
/// Values of this base have an order and an interval.
bool is_ordered(const rules::Type& type);
bool has_interval(const rules::Type& type);
/// No value of `a` can be one of `b` (intervals do not meet). False if either has no interval.
bool disjoint(const rules::Type& a, const rules::Type& b);

/// The smallest type that holds both. False, and `into` unchanged, if there is none.
bool join_into(rules::Type& into, const rules::Type& other);

/// `a number`, `a \`Suit\``, `a set of seats`, as it stands in a message.
std::string describe(const rules::Rules& rules, const rules::Type& type);
/// `3..7`, `hearts..spades`, `no`, for messages about ranges.
std::string describe_range(const rules::Rules& rules, const rules::Type& type);

// ---- intervals: closed, saturating at the ends of 64 bits ----
struct Interval {
  std::int64_t low = 0, high = 0;
};
Interval interval(const rules::Type& type);
Interval plus(Interval a, Interval b);
Interval minus(Interval a, Interval b);
Interval times(Interval a, Interval b);
/// Floored; the divisor must not hold 0.
Interval divided(Interval a, Interval b);
Interval modulo(Interval a, Interval b);
Interval absolute(Interval a);
std::int64_t saturating_times(std::int64_t a, std::int64_t b);
std::int64_t saturating_plus(std::int64_t a, std::int64_t b);

}  // namespace rip::check
