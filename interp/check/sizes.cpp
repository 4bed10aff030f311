// How many members a set or list can have, over all configurations: what counts and sums are bounded by.
#include "interp/check/box.h"
#include "interp/check/checker.h"

namespace rip::check {

using rules::Base;
using rules::ExprId;
using rules::Op;
using rules::Shape;
using rules::Type;

namespace {

constexpr std::int64_t kMany = kMaxComponents;

}  // namespace

std::int64_t Checker::count_of_type(rules::TypeId id) const {
  return id < component_counts_.size() ? std::min(component_counts_[id], kMany) : kMany;
}

/// At most so many different values.
Interval Checker::size_cap(const Type& element) const {
  switch (element.base) {
    case Base::unknown: return {0, kMany};
    case Base::component: return {0, element.id == kNoId ? kMany : count_of_type(element.id)};
    case Base::text: return {0, kMany};
    case Base::seat: return {0, rules_.players_high};
    case Base::integer:
    case Base::enumeration:
    case Base::flag:
    case Base::side: return {0, element.high < element.low ? 0 : saturating_plus(element.high - element.low, 1)};
  }
  return {0, kMany};
}

Interval Checker::bindings_of(const rules::Clause& clause) const {
  Interval all{1, 1};
  for (const rules::Binder& binder : clause.binders) {
    Interval size = size_of(binder.source);
    if (binder.pick) {
      const std::int64_t low = type(binder.pick_low).low;
      const std::int64_t high = std::min(size.high, binder.pick_high == kNoId ? type(binder.pick_low).high : type(binder.pick_high).high);
      std::int64_t total = 0;
      std::int64_t ways = 1;  // to pick k of them
      for (std::int64_t k = 0; k <= high && k <= 64; ++k) {
        if (k > 0) {
          ways = saturating_times(ways, size.high - k + 1);
          if (!binder.in_order) ways /= k;
        }
        if (k >= low) total = saturating_plus(total, ways);
      }
      if (high > 64) total = std::numeric_limits<std::int64_t>::max();
      size = {0, total};
    }
    all = {saturating_times(all.low, size.low), saturating_times(all.high, size.high)};
  }
  if (clause.where != kNoId) all.low = 0;
  return all;
}

Interval Checker::size_of(ExprId id) const {
  const rules::Expr& e = rules_.exprs[id];
  if (e.type.shape == Shape::scalar) return {e.type.optional || is_unknown(e.type) ? 0 : 1, 1};
  Interval size = size_cap(e.type);
  const auto at_most = [&](Interval other) {
    size.low = std::max(size.low, other.low);
    size.high = e.type.shape == Shape::set ? std::min(size.high, other.high) : other.high;
    size.low = std::min(size.low, size.high);
  };
  switch (e.op) {
    case Op::players: at_most({rules_.players_low, rules_.players_high}); break;
    case Op::range_set:
    case Op::part_of_enum: {
      const Type &low = type(e.kids[0]), &high = type(e.kids[1]);
      const std::int64_t most = saturating_plus(minus(interval(high), interval(low)).high, 1);
      const std::int64_t least = saturating_plus(minus(interval(high), interval(low)).low, 1);
      at_most({std::max<std::int64_t>(0, least), std::max<std::int64_t>(0, most)});
      break;
    }
    case Op::type_values:
      if (e.type.base != Base::component && e.type.base != Base::seat) at_most({size.high, size.high});
      break;
    case Op::zone: {
      const rules::Zone& zone = rules_.zones[e.ref];
      if (zone.kind != ast::ZoneKind::place) break;
      std::int64_t places = 1;
      for (std::size_t i = e.kids.size(); i < zone.index.size(); ++i) places = saturating_times(places, size_cap(zone.index[i]).high);
      at_most({0, places});
      break;
    }
    case Op::list_literal: at_most({std::ssize(e.kids), std::ssize(e.kids)}); break;
    case Op::set_literal: {
      Interval all{0, 0};
      for (const ExprId kid : e.kids) {
        const Interval one = size_of(kid);
        all = {std::max(all.low, one.low), saturating_plus(all.high, one.high)};
      }
      at_most(all);
      break;
    }
    case Op::set_union: {
      const Interval a = size_of(e.kids[0]), b = size_of(e.kids[1]);
      at_most({std::max(a.low, b.low), saturating_plus(a.high, b.high)});
      break;
    }
    case Op::set_difference: {
      const Interval a = size_of(e.kids[0]), b = size_of(e.kids[1]);
      at_most({std::max<std::int64_t>(0, a.low - b.high), a.high});
      break;
    }
    case Op::set_of:
    case Op::list_of:
    case Op::best: {
      const Interval all = bindings_of(rules_.clauses[e.clause]);
      at_most({e.op == Op::list_of ? all.low : std::min<std::int64_t>(all.low, 1), all.high});
      break;
    }
    case Op::top_n:
    case Op::bottom_n: {
      const Interval of = size_of(e.kids[1]);
      at_most({0, std::min(of.high, std::max<std::int64_t>(0, type(e.kids[0]).high))});
      break;
    }
    case Op::if_else: {
      const Interval a = size_of(e.kids[1]), b = size_of(e.kids[2]);
      at_most({std::min(a.low, b.low), std::max(a.high, b.high)});
      break;
    }
    case Op::best_of: at_most(size_of(e.kids[0])); break;
    case Op::call:
      if (rules_.lets[e.ref].value != kNoId) at_most(size_of(rules_.lets[e.ref].value));
      break;
    case Op::var_family:
    case Op::param_family: {
      const std::vector<Type>& index = e.op == Op::var_family ? rules_.vars[e.ref].index : rules_.params[e.ref].index;
      std::int64_t all = 1;
      for (std::size_t i = e.kids.size(); i < index.size(); ++i) all = saturating_times(all, size_cap(index[i]).high);
      size = {0, all};
      break;
    }
    case Op::score_family: size = {rules_.players_low, rules_.players_high}; break;
    default: break;
  }
  return size;
}

}  // namespace rip::check
