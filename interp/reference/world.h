// The position of a game as the reference evaluator keeps it: what lies where, which side is up, who knows what, the values
// of all variables. Only facts; what they mean is in the evaluator.
#pragma once

#include "interp/check/box.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace rip::reference {

/// A scalar has one item (kNone for none). A set of numbers is ascending; a set of components has no order of its own and
/// is sorted by place whenever somebody runs through it. A list keeps its order.
struct Value {
  rules::Shape shape = rules::Shape::scalar;
  std::vector<std::int64_t> items;

  std::int64_t scalar() const { return items.at(0); }
  friend bool operator==(const Value&, const Value&) = default;
};

/// What lies in one zone instance: piles from the top, rows from the oldest, hands by id. `bags[i]` is 0 where the
/// component at i is known to lie there, else the number of the bag it belongs to; the members of a bag are neighbours
/// and ascend, since nobody knows their order.
struct Spot {
  std::vector<int> cards;
  std::vector<int> bags;
};

struct World {
  std::vector<Spot> spots;                 ///< by zone instance
  std::vector<int> spot_of;                ///< by component
  std::vector<std::int64_t> face;          ///< by component: 0 up, 1 down; the number of a die
  std::vector<std::set<int>> known;        ///< by component: the seats that know its front
  std::vector<std::map<std::vector<std::int64_t>, Value>> vars;       ///< by VarId and index
  std::vector<std::map<std::vector<std::int64_t>, std::set<int>>> var_known;  ///< of variables with `seen by`
  int last_bag = 0;

  int bag_of(int component) const;
  std::size_t position(int component) const;
  void take(int component);
  /// Puts it before `at` (0 = top, or oldest); its bag number is `bag`.
  void put(int component, int spot, std::size_t at, int bag);
  /// Members of a bag, ascending.
  std::vector<int> bag_members(int spot, int bag) const;
  /// Bags of one component become known places; the members of each bag ascend.
  void tidy(int spot);
};

}  // namespace rip::reference
