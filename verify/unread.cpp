#include "verify/unread.h"

#include "interp/ir/kids.h"

#include <algorithm>
#include <set>

namespace rip::verify {

namespace {

using ir::InstrOp;
using ir::Node;
using ir::NodeOp;
using Families = std::set<std::int32_t>;

class Finder {
 public:
  explicit Finder(const ir::Program& program) : p(program) {
    for (const ir::Zone& zone : p.zones) all_.insert(zone.family);
  }

  Unread run() {
    for (Node node = 0; node < static_cast<Node>(p.nodes.size()); ++node) expression(at(node));
    for (const ir::Bound& bound : p.bounds) {
      if (bound.clause >= 0) expressions_of(p.clauses[static_cast<std::size_t>(bound.clause)]);
    }
    for (const ir::When& when : p.whens) {
      if (when.clause >= 0) runs_in_order(when.clause);
    }
    for (const ir::For& loop : p.fors) runs_in_order(loop.clause);
    for (const ir::Phrase& phrase : p.phrases) {
      for (const auto& part : phrase.parts) tables_.insert(part.table);
    }
    for (const ir::Zone& zone : p.zones) {
      if (zone.refill_keeping != ir::kNoNode) read(zones_in(zone.refill_keeping));
    }
    for (const ir::Instr& instr : p.code) statement(instr);
    // what moves into a zone whose order is read brings its own order with it
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& [from, to] : flows_) {
        const bool is_read = std::any_of(to.begin(), to.end(), [&](std::int32_t family) { return read_.count(family) != 0; });
        for (const std::int32_t family : from) changed = (is_read && read_.insert(family).second) || changed;
      }
    }
    Unread out;
    std::int32_t families = 0;
    for (const std::int32_t family : all_) families = std::max(families, family + 1);
    out.order.assign(static_cast<std::size_t>(families), 0);
    for (const std::int32_t family : all_) out.order[static_cast<std::size_t>(family)] = read_.count(family) == 0 ? 1 : 0;
    out.tables.assign(tables_.begin(), tables_.end());
    return out;
  }

 private:
  const ir::ExprNode& at(Node node) const { return p.nodes[static_cast<std::size_t>(node)]; }
  void read(const Families& families) { read_.insert(families.begin(), families.end()); }

  /// The families whose components a set, a list or a zone may hold; all, if a variable or a name stands there.
  Families zones_in(Node node) const {
    Families found;
    if (node != ir::kNoNode) collect(node, found, 0);
    return found;
  }
  void collect(Node node, Families& found, int depth) const {
    const ir::ExprNode& x = at(node);
    switch (x.op) {
      case NodeOp::zone: case NodeOp::zone_at: found.insert(p.zones[static_cast<std::size_t>(x.a)].family); return;
      case NodeOp::scratch_set: case NodeOp::scratch_list: case NodeOp::set_var: case NodeOp::set_var_at: case NodeOp::list_var: case NodeOp::component_set:
      case NodeOp::family: case NodeOp::scratch: case NodeOp::cell: case NodeOp::cell_in_phase: case NodeOp::var: found = all_; return;
      default: break;
    }
    if (depth > 40) {
      found = all_;
      return;
    }
    ir::each_kid(p, x, [&](Node kid, bool) { collect(kid, found, depth + 1); });
  }

  void expression(const ir::ExprNode& x) {
    switch (x.op) {
      case NodeOp::attribute: case NodeOp::mask_table: tables_.insert(x.b); return;
      case NodeOp::top: case NodeOp::bottom: case NodeOp::nth: case NodeOp::zone_list: case NodeOp::fits_list: read(zones_in(x.a)); return;
      case NodeOp::top_list: case NodeOp::bottom_list: case NodeOp::top_of_set: read(zones_in(x.b)); return;
      case NodeOp::set_list:
        if (x.c != 0) read(zones_in(x.a));
        return;
      case NodeOp::first: case NodeOp::list_of: runs_in_order(x.a); return;
      default: return;
    }
  }
  void expressions_of(const ir::Clause& clause) {
    ir::each_of_clause(clause, [&](Node kid) { expression(at(kid)); });
  }

  void runs_in_order(std::int32_t index) {
    for (const ir::Binder& binder : p.clauses[static_cast<std::size_t>(index)].binders) {
      if (!binder.component) continue;
      if (binder.kind == ir::SourceKind::components) read_ = all_;
      else read(zones_in(binder.a));
    }
  }

  void statement(const ir::Instr& instr) {
    switch (instr.op) {
      case InstrOp::settle: read(zones_in(instr.a)); return;
      case InstrOp::settle_fill: case InstrOp::fill: read({p.zones[static_cast<std::size_t>(instr.c)].family}); return;
      case InstrOp::settle_each:
        runs_in_order(instr.a);
        read(zones_in(instr.b));
        return;
      case InstrOp::move_set: case InstrOp::move_list: case InstrOp::move_zone: flows_.emplace_back(zones_in(instr.a), zones_in(instr.b)); return;
      case InstrOp::move_each: read_ = all_; return;
      case InstrOp::swap_zones:
        flows_.emplace_back(zones_in(instr.a), zones_in(instr.b));
        flows_.emplace_back(zones_in(instr.b), zones_in(instr.a));
        return;
      case InstrOp::turn:
        if (instr.c != 0) read(zones_in(instr.a));
        return;
      case InstrOp::roll_begin:
        if (instr.b != 0) read(zones_in(instr.a));
        return;
      default: return;
    }
  }

  const ir::Program& p;
  Families all_, read_;
  std::set<std::int32_t> tables_;
  std::vector<std::pair<Families, Families>> flows_;
};

}  // namespace

Unread find_unread(const ir::Program& program) { return Finder(program).run(); }

}  // namespace rip::verify
