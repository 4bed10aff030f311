// Which names of a clause a node reads: where its conjuncts can be asked, and which of its loops depend on one another.
#include "interp/ir/kids.h"
#include "interp/lower/lower_impl.h"

#include <algorithm>

namespace rip {

void Lowering::Impl::split(Node node, std::vector<Node>& out) const {
  if (at(node).op != NodeOp::logical_and) {
    out.push_back(node);
    return;
  }
  const ir::ExprNode x = at(node);
  split(x.a, out);
  split(x.b, out);
}

void Lowering::Impl::slots_in_source(const ir::Binder& binder, Slots& out) const {
  ir::each_of_source(binder, [&](Node kid) { slots_in(kid, out); });
}

void Lowering::Impl::slots_in(Node node, Slots& out) const {
  if (node == ir::kNoNode) return;
  const ir::ExprNode& x = at(node);
  switch (x.op) {
    case NodeOp::scratch: out.scalars.insert(x.a); return;
    case NodeOp::scratch_set: out.sets.insert(x.a); return;
    case NodeOp::scratch_list: out.lists.insert(x.a); return;
    case NodeOp::call:  // a definition reads its own names
      for (std::int32_t i = 1; i <= p.pool[static_cast<std::size_t>(x.b)]; ++i) {
        const Node kid = p.pool[static_cast<std::size_t>(x.b + i)];
        if (kid != ir::kSetKid) slots_in(kid, out);
      }
      return;
    case NodeOp::count: case NodeOp::some: case NodeOp::first: case NodeOp::best: case NodeOp::every: case NodeOp::sum: case NodeOp::min:
    case NodeOp::max: case NodeOp::set_of: case NodeOp::list_of: {
      const std::int32_t slot = p.clauses[static_cast<std::size_t>(x.a)].clockwise_slot;
      if (slot >= 0) out.scalars.insert(slot);
      break;
    }
    default: break;
  }
  ir::each_kid(p, x, [&](Node kid, bool) { slots_in(kid, out); });
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
