#include "verify/unread.h"

#include "interp/ir/kids.h"

#include <algorithm>
#include <map>
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
    // where the sets and lists that names stand for come from, until nothing is new
    for (std::size_t before = 1, now = 0; before != now;) {
      before = now;
      name_sources();
      now = 0;
      for (const auto* names : {&sets_, &lists_, &cells_}) {
        for (const auto& [name, families] : *names) now += families.size();
      }
    }
  }

  Unread run() {
    for (Node node = 0; node < static_cast<Node>(p.nodes.size()); ++node) expression(at(node));
    for (const ir::When& when : p.whens) {
      if (when.clause >= 0) runs_in_order(when.clause);
    }
    for (const ir::For& loop : p.fors) runs_in_order(loop.clause);
    for (const ir::Phrase& phrase : p.phrases) {
      for (const auto& part : phrase.parts) tables_.insert(part.table);
    }
    for (const ir::Zone& zone : p.zones) {
      if (zone.refill_keeping != ir::kNoNode) read({p.zones[static_cast<std::size_t>(zone.refill_from)].family});  // the newest stay
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
    find_members(out);
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
      case NodeOp::scratch_set: add(sets_, x.a, found); return;
      case NodeOp::scratch_list: add(lists_, x.a, found); return;
      case NodeOp::list_var: case NodeOp::set_var: add(cells_, x.a, found); return;
      case NodeOp::component_set: case NodeOp::set_var_at: case NodeOp::family: found = all_; return;
      // one component has no order; a set of several that are named one by one is as if from anywhere
      case NodeOp::singleton: return;
      case NodeOp::set_union: case NodeOp::set_literal: case NodeOp::list_literal: {
        bool single = false;
        ir::each_kid(p, x, [&](Node kid, bool scalar) { single = single || (x.op == NodeOp::set_union ? at(kid).op == NodeOp::singleton : scalar); });
        if (single) found = all_;
        break;
      }
      case NodeOp::set_of: case NodeOp::list_of: case NodeOp::best: case NodeOp::first:
        for (const ir::Binder& binder : p.clauses[static_cast<std::size_t>(x.a)].binders) {
          if (!binder.component) continue;
          if (binder.kind == ir::SourceKind::components) found = all_;
          else collect(binder.a, found, depth + 1);
        }
        return;
      default: break;
    }
    if (depth > 40) {
      found = all_;
      return;
    }
    ir::each_kid(p, x, [&](Node kid, bool) { collect(kid, found, depth + 1); });
  }

  using Names = std::map<std::int32_t, Families>;
  /// A name that nothing is known of may stand for anything.
  void add(const Names& names, std::int32_t name, Families& found) const {
    const auto known = names.find(name);
    const Families& of = known == names.end() ? all_ : known->second;
    found.insert(of.begin(), of.end());
  }
  void name_sources() {
    const auto into = [](Names& names, std::int32_t name, const Families& families) { names[name].insert(families.begin(), families.end()); };
    for (const ir::Clause& clause : p.clauses) {
      for (const ir::Binder& binder : clause.binders) {
        if (binder.pick && binder.component) into(binder.in_order ? lists_ : sets_, binder.slot, binder.kind == ir::SourceKind::components ? all_ : zones_in(binder.a));
      }
    }
    for (const ir::ExprNode& x : p.nodes) {
      if (x.op != NodeOp::call) continue;
      const ir::Let& let = p.lets[static_cast<std::size_t>(x.a)];
      for (std::size_t i = 0; i < let.params.size(); ++i) {
        const Node argument = p.pool[static_cast<std::size_t>(x.b) + 1 + i];
        if (let.params[i].kind == ir::Let::Param::Kind::set) into(sets_, let.params[i].slot, zones_in(argument));
        if (let.params[i].kind == ir::Let::Param::Kind::list) into(lists_, let.params[i].slot, zones_in(argument));
      }
    }
    const auto local = [&](const ir::FrameLocal& cell, const Families& families) {
      if (cell.kind != ir::LocalKind::scalar) into(cells_, cell.cell.offset, families);
    };
    for (const ir::Option& option : p.options) {
      const auto& binders = p.clauses[static_cast<std::size_t>(option.clause)].binders;
      for (std::size_t i = 0; i < option.args.size(); ++i) local(option.args[i], binders[i].component && binders[i].kind != ir::SourceKind::components ? zones_in(binders[i].a) : all_);
    }
    for (const ir::Instr& instr : p.code) {
      if (instr.op == InstrOp::let) local(p.frame_locals[static_cast<std::size_t>(instr.a)], zones_in(instr.b));
      if (instr.op == InstrOp::let_random) local(p.frame_locals[static_cast<std::size_t>(instr.a)], all_);
      if (instr.op != InstrOp::call) continue;
      const auto& params = p.routines[static_cast<std::size_t>(instr.a)].params;
      for (std::size_t i = 0; i < params.size(); ++i) local(params[i], zones_in(p.pool[static_cast<std::size_t>(instr.b) + 1 + i]));
    }
    for (const ir::Var& var : p.vars) {
      if (var.set && var.component) into(cells_, var.cell.offset, all_);
    }
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
      case InstrOp::move_each: {
        const auto part = [&](std::int32_t at) { return p.pool[static_cast<std::size_t>(at)]; };
        Families from = zones_in(part(instr.b + 1));
        for (const ir::Binder& binder : p.clauses[static_cast<std::size_t>(instr.a)].binders) {
          if (!binder.component) continue;
          const Families more = binder.kind == ir::SourceKind::components ? all_ : zones_in(binder.a);
          from.insert(more.begin(), more.end());
        }
        flows_.emplace_back(std::move(from), zones_in(instr.c));
        return;
      }
      case InstrOp::swap_zones:
        flows_.emplace_back(zones_in(instr.a), zones_in(instr.b));
        flows_.emplace_back(zones_in(instr.b), zones_in(instr.a));
        return;
      default: return;
    }
  }

  /// Zones whose components are more than a number to someone, and components that are found without their zones.
  void find_members(Unread& out) const {
    Families looked_at;
    std::vector<char> elsewhere(p.types.size(), 0);
    const auto look_at = [&](Node node) {
      if (node != ir::kNoNode && is_zone(at(node))) looked_at.insert(p.zones[static_cast<std::size_t>(at(node).a)].family);
    };
    const auto look_in = [&](std::int32_t zone) { looked_at.insert(p.zones[static_cast<std::size_t>(zone)].family); };
    const auto found = [&](std::int64_t component) {
      if (component >= 0 && component < static_cast<std::int64_t>(p.components.size())) elsewhere[static_cast<std::size_t>(p.components[static_cast<std::size_t>(component)].type)] = 1;
    };
    const auto found_in = [&](std::int32_t first, std::int32_t end) {
      for (std::int32_t c = first; c < end; ++c) found(c);
    };
    const auto named = [&](Node node) {
      if (node != ir::kNoNode && at(node).op == NodeOp::constant) found(at(node).a);
    };
    for (const ir::ExprNode& x : p.nodes) {
      if (x.op == NodeOp::component_set) found_in(x.a, x.b);
      if (x.op == NodeOp::one_fitting && x.b < 0) elsewhere[static_cast<std::size_t>(p.phrases[static_cast<std::size_t>(x.a)].type)] = 1;
      ir::each_kid(p, x, [&](Node kid, bool) {
        if (x.op != NodeOp::zone_count) look_at(kid);
        if (x.op == NodeOp::singleton || x.op == NodeOp::set_literal || x.op == NodeOp::list_literal) named(kid);
      });
    }
    for (const ir::Clause& clause : p.clauses) {
      for (const ir::Binder& binder : clause.binders) {
        if (binder.kind == ir::SourceKind::components) found_in(binder.a, binder.b);
        else look_at(binder.a);
      }
    }
    for (const ir::Zone& zone : p.zones) {
      if (zone.refill_from >= 0) look_in(zone.refill_from);
      for (std::size_t i = 0; i < zone.index.size(); ++i) {
        if (zone.index_texts[i] == ir::kComponentText) found(zone.index[i]);
      }
    }
    for (const ir::Var& var : p.vars) {
      for (std::size_t i = 0; i < var.index.size(); ++i) {
        if (var.index_texts[i] == ir::kComponentText) found_in(var.index[i].first, var.index[i].first + var.index[i].second);
      }
    }
    for (const ir::Instr& instr : p.code) {
      switch (instr.op) {
        case InstrOp::settle: case InstrOp::move_zone: case InstrOp::shuffle: look_at(instr.a); break;
        case InstrOp::settle_each: look_at(instr.b); break;
        case InstrOp::settle_fill: case InstrOp::fill: look_in(instr.c); break;
        case InstrOp::swap_zones:
          look_at(instr.a);
          look_at(instr.b);
          break;
        case InstrOp::move: case InstrOp::swap: case InstrOp::turn: case InstrOp::roll_begin: case InstrOp::show:
          named(instr.a);
          if (instr.op == InstrOp::swap) named(instr.b);
          break;
        case InstrOp::move_each: look_at(p.pool[static_cast<std::size_t>(instr.b) + 1]); break;
        default: break;
      }
    }
    out.members.assign(out.order.size(), 0);
    for (const std::int32_t family : all_) {
      if (looked_at.count(family) == 0) out.members[static_cast<std::size_t>(family)] = 1;
    }
    out.found_elsewhere = std::move(elsewhere);
  }
  static bool is_zone(const ir::ExprNode& x) { return x.op == NodeOp::zone || x.op == NodeOp::zone_at; }

  const ir::Program& p;
  Families all_, read_;
  std::set<std::int32_t> tables_;
  std::vector<std::pair<Families, Families>> flows_;
  std::map<std::int32_t, Families> sets_, lists_, cells_;  ///< by scratch slot, by offset in the frame
};

}  // namespace

Unread find_unread(const ir::Program& program) { return Finder(program).run(); }

}  // namespace rip::verify
