// The operands of a node, whatever its operation: for everything that walks over expressions of a program.
#pragma once

#include "interp/ir/ir.h"

namespace rip::ir {

/// f(node): where the names of the binder come from.
template <class F>
void each_of_source(const Binder& binder, F&& f) {
  const auto kid = [&](Node node) {
    if (node != kNoNode) f(node);
  };
  if (binder.kind != SourceKind::components) kid(binder.a);
  if (binder.kind == SourceKind::range) kid(binder.b);
  kid(binder.pick_low);
  kid(binder.pick_high);
}

/// f(node): conditions, sources, filters, keys; absent ones are left out.
template <class F>
void each_of_clause(const Clause& clause, F&& f) {
  const auto kid = [&](Node node) {
    if (node != kNoNode) f(node);
  };
  for (const Node condition : clause.conditions) kid(condition);
  for (const Binder& binder : clause.binders) {
    each_of_source(binder, f);
    for (const Node filter : binder.filters) kid(filter);
  }
  for (const Key& key : clause.keys) kid(key.value);
  kid(clause.backwards_if);
}

/// f(kid, scalar): the operands of a node, also those in clauses, phrases, arms and definitions.
template <class F>
void each_kid(const Program& p, const ExprNode& x, F&& f) {
  const auto listed = [&](std::int32_t pool, std::int32_t step) {
    const std::int32_t* list = &p.pool[static_cast<std::size_t>(pool)];
    for (std::int32_t i = 0; i < list[0]; ++i) {
      const Node kid = list[1 + i * step];
      if (kid == kSetKid) f(list[1 + ++i], false);
      else f(kid, true);
    }
  };
  const auto phrase = [&](std::int32_t index) {
    for (const auto& part : p.phrases[static_cast<std::size_t>(index)].parts) f(part.value, true);
    if (p.phrases[static_cast<std::size_t>(index)].owner >= 0) f(p.phrases[static_cast<std::size_t>(index)].owner, true);
  };
  switch (x.op) {
    case NodeOp::constant: case NodeOp::scratch: case NodeOp::me: case NodeOp::cell: case NodeOp::cell_in_phase:
    case NodeOp::game_over: case NodeOp::running: case NodeOp::zone: case NodeOp::component_set: case NodeOp::seats:
    case NodeOp::set_var: case NodeOp::scratch_set: case NodeOp::winners: case NodeOp::table_list: case NodeOp::scratch_list:
    case NodeOp::score_list: case NodeOp::list_var: return;
    case NodeOp::var: case NodeOp::table: case NodeOp::zone_at: case NodeOp::set_var_at: f(x.b, true); return;
    case NodeOp::position: listed(x.a, 3); return;
    case NodeOp::family: if (x.b >= 0) f(x.b, true); return;
    case NodeOp::nth: case NodeOp::item: case NodeOp::add: case NodeOp::sub: case NodeOp::mul: case NodeOp::div: case NodeOp::mod:
    case NodeOp::min2: case NodeOp::max2: case NodeOp::eq: case NodeOp::ne: case NodeOp::lt: case NodeOp::le: case NodeOp::gt:
    case NodeOp::ge: case NodeOp::set_eq: case NodeOp::subset: case NodeOp::list_eq: case NodeOp::in_zone: case NodeOp::in_set:
    case NodeOp::in_list: case NodeOp::logical_and: case NodeOp::logical_or: case NodeOp::clockwise: case NodeOp::clockwise_after:
    case NodeOp::range_set: case NodeOp::set_union: case NodeOp::set_difference: case NodeOp::top_of_set: case NodeOp::top_list:
    case NodeOp::bottom_list: case NodeOp::first_of_list:
      f(x.a, true);
      f(x.b, true);
      return;
    case NodeOp::attribute: case NodeOp::face: case NodeOp::owner: case NodeOp::zone_count: case NodeOp::place_card: case NodeOp::top:
    case NodeOp::bottom: case NodeOp::neg: case NodeOp::abs: case NodeOp::eq_const: case NodeOp::ne_const: case NodeOp::le_const:
    case NodeOp::ge_const: case NodeOp::require: case NodeOp::in_range: case NodeOp::is_none: case NodeOp::set_empty:
    case NodeOp::list_empty: case NodeOp::logical_not: case NodeOp::count_set: case NodeOp::count_list: case NodeOp::next:
    case NodeOp::previous: case NodeOp::score: case NodeOp::singleton: case NodeOp::zone_set: case NodeOp::list_set:
    case NodeOp::mask_table: case NodeOp::zone_list: case NodeOp::set_list: f(x.a, true); return;
    case NodeOp::fits: case NodeOp::some_fits:
      f(x.a, true);
      phrase(x.b);
      return;
    case NodeOp::one_fitting:
      phrase(x.a);
      if (x.b >= 0) f(x.b, false);
      return;
    case NodeOp::fits_list:
      f(x.a, true);
      for (std::int32_t i = 1; i <= p.pool[static_cast<std::size_t>(x.b)]; ++i) phrase(p.pool[static_cast<std::size_t>(x.b + i)]);
      return;
    case NodeOp::if_else:
      f(x.a, true);
      f(x.b, true);
      f(x.c, true);
      return;
    case NodeOp::match:
      f(x.a, true);
      for (const MatchArm& arm : p.matches[static_cast<std::size_t>(x.b)]) {
        for (const auto& [low, high] : arm.patterns) {
          f(low, true);
          f(high, true);
        }
        f(arm.value, true);
      }
      return;
    case NodeOp::count: case NodeOp::some: case NodeOp::first: case NodeOp::best:
      each_of_clause(p.clauses[static_cast<std::size_t>(x.a)], [&](Node kid) { f(kid, false); });
      return;
    case NodeOp::every: case NodeOp::sum: case NodeOp::min: case NodeOp::max: case NodeOp::set_of: case NodeOp::list_of:
      each_of_clause(p.clauses[static_cast<std::size_t>(x.a)], [&](Node kid) { f(kid, false); });
      f(x.b, false);
      return;
    case NodeOp::call:
      if (!p.lets[static_cast<std::size_t>(x.a)].params.empty()) listed(x.b, 1);
      f(p.lets[static_cast<std::size_t>(x.a)].value, true);
      return;
    case NodeOp::set_literal: case NodeOp::list_literal: listed(x.a, 1); return;
  }
}

}  // namespace rip::ir
