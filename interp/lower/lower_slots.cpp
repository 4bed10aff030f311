// Which names of a clause a node reads: where its conjuncts can be asked, and which of its loops depend on one another.
#include "interp/lower/lower_impl.h"

#include <algorithm>

namespace rip {

namespace {
constexpr std::int32_t kSetKid = -2;
}

void Lowering::Impl::split(Node node, std::vector<Node>& out) const {
  if (at(node).op != NodeOp::logical_and) {
    out.push_back(node);
    return;
  }
  const ir::ExprNode x = at(node);
  split(x.a, out);
  split(x.b, out);
}

void Lowering::Impl::slots_in_phrase(std::int32_t id, Slots& out) const {
  const ir::Phrase& phrase = p.phrases[static_cast<std::size_t>(id)];
  for (const ir::Phrase::Part& part : phrase.parts) slots_in(part.value, out);
  slots_in(phrase.owner, out);
}

void Lowering::Impl::slots_in_source(const ir::Binder& binder, Slots& out) const {
  if (binder.kind != ir::SourceKind::components) slots_in(binder.a, out);
  if (binder.kind == ir::SourceKind::range) slots_in(binder.b, out);
  slots_in(binder.pick_low, out);
  slots_in(binder.pick_high, out);
}

void Lowering::Impl::slots_in_clause(const ir::Clause& clause, Slots& out) const {
  for (const Node condition : clause.conditions) slots_in(condition, out);
  for (const ir::Binder& binder : clause.binders) {
    slots_in_source(binder, out);
    for (const Node filter : binder.filters) slots_in(filter, out);
  }
  for (const ir::Key& key : clause.keys) slots_in(key.value, out);
  if (clause.clockwise_slot >= 0) out.scalars.insert(clause.clockwise_slot);
  slots_in(clause.backwards_if, out);
}

void Lowering::Impl::slots_in(Node node, Slots& out) const {
  if (node == ir::kNoNode) return;
  const ir::ExprNode& x = at(node);
  const auto pool_at = [&](std::int32_t index) { return p.pool[static_cast<std::size_t>(index)]; };
  const auto all_at = [&](std::int32_t index) {
    for (std::int32_t i = 1; i <= pool_at(index); ++i)
      if (pool_at(index + i) != kSetKid) slots_in(pool_at(index + i), out);
  };
  switch (x.op) {
    case NodeOp::constant: case NodeOp::me: case NodeOp::cell: case NodeOp::cell_in_phase: case NodeOp::game_over: case NodeOp::running:
    case NodeOp::zone: case NodeOp::component_set: case NodeOp::seats: case NodeOp::set_var: case NodeOp::winners: case NodeOp::table_list:
    case NodeOp::score_list: case NodeOp::list_var: return;
    case NodeOp::scratch: out.scalars.insert(x.a); return;
    case NodeOp::scratch_set: out.sets.insert(x.a); return;
    case NodeOp::scratch_list: out.lists.insert(x.a); return;
    case NodeOp::position:
      for (std::int32_t i = 0; i < pool_at(x.a); ++i) slots_in(pool_at(x.a + 1 + 3 * i), out);
      return;
    case NodeOp::var: case NodeOp::table: case NodeOp::zone_at: case NodeOp::set_var_at: case NodeOp::family: slots_in(x.b, out); return;
    case NodeOp::set_literal: case NodeOp::list_literal: all_at(x.a); return;
    case NodeOp::fits: case NodeOp::some_fits:
      slots_in(x.a, out);
      slots_in_phrase(x.b, out);
      return;
    case NodeOp::fits_list:
      slots_in(x.a, out);
      for (std::int32_t i = 1; i <= pool_at(x.b); ++i) slots_in_phrase(pool_at(x.b + i), out);
      return;
    case NodeOp::one_fitting:
      slots_in_phrase(x.a, out);
      slots_in(x.b, out);
      return;
    case NodeOp::match:
      slots_in(x.a, out);
      for (const ir::MatchArm& arm : p.matches[static_cast<std::size_t>(x.b)]) {
        for (const auto& [first, last] : arm.patterns) {
          slots_in(first, out);
          slots_in(last, out);
        }
        slots_in(arm.value, out);
      }
      return;
    case NodeOp::count: case NodeOp::some: case NodeOp::first: case NodeOp::best:
      slots_in_clause(p.clauses[static_cast<std::size_t>(x.a)], out);
      return;
    case NodeOp::every: case NodeOp::sum: case NodeOp::min: case NodeOp::max: case NodeOp::set_of: case NodeOp::list_of:
      slots_in_clause(p.clauses[static_cast<std::size_t>(x.a)], out);
      slots_in(x.b, out);
      return;
    case NodeOp::call: all_at(x.b); return;
    case NodeOp::if_else:
      slots_in(x.a, out);
      slots_in(x.b, out);
      slots_in(x.c, out);
      return;
    case NodeOp::attribute: case NodeOp::face: case NodeOp::owner: case NodeOp::zone_count: case NodeOp::place_card: case NodeOp::top:
    case NodeOp::bottom: case NodeOp::neg: case NodeOp::abs: case NodeOp::eq_const: case NodeOp::ne_const: case NodeOp::le_const:
    case NodeOp::ge_const: case NodeOp::require: case NodeOp::in_range: case NodeOp::is_none: case NodeOp::set_empty: case NodeOp::list_empty:
    case NodeOp::logical_not: case NodeOp::count_set: case NodeOp::count_list: case NodeOp::next: case NodeOp::previous: case NodeOp::score:
    case NodeOp::singleton: case NodeOp::zone_set: case NodeOp::list_set: case NodeOp::mask_table: case NodeOp::zone_list: case NodeOp::set_list:
      slots_in(x.a, out);
      return;
    case NodeOp::nth: case NodeOp::item: case NodeOp::add: case NodeOp::sub: case NodeOp::mul: case NodeOp::div: case NodeOp::mod:
    case NodeOp::min2: case NodeOp::max2: case NodeOp::eq: case NodeOp::ne: case NodeOp::lt: case NodeOp::le: case NodeOp::gt: case NodeOp::ge:
    case NodeOp::set_eq: case NodeOp::subset: case NodeOp::list_eq: case NodeOp::in_zone: case NodeOp::in_set: case NodeOp::in_list:
    case NodeOp::logical_and: case NodeOp::logical_or: case NodeOp::clockwise: case NodeOp::clockwise_after: case NodeOp::range_set:
    case NodeOp::set_union: case NodeOp::set_difference: case NodeOp::top_of_set: case NodeOp::top_list: case NodeOp::bottom_list:
    case NodeOp::first_of_list:
      slots_in(x.a, out);
      slots_in(x.b, out);
      return;
  }
}

void Lowering::Impl::find_dependence(ir::Clause& clause) const {
  std::vector<Slots> read(clause.binders.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    slots_in_source(clause.binders[i], read[i]);
    for (const Node filter : clause.binders[i].filters) slots_in(filter, read[i]);
  }
  for (std::size_t i = 0; i < read.size(); ++i) {
    ir::Binder& binder = clause.binders[i];
    for (std::size_t k = 0; k < i; ++k) binder.independent = binder.independent && !read[i].has(clause.binders[k]);
    binder.alone = true;
    for (std::size_t k = i + 1; k < read.size(); ++k) binder.alone = binder.alone && !read[k].has(binder);
  }
}

}  // namespace rip
