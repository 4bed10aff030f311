// How options that name equal components become one (language reference, decisions). Exact is: of all complete bindings
// that pass, those that look the same to the seat are one option. That needs a list of what was seen. Mostly it is enough
// to bind only the first of new components that look alike, name by name: this file finds out for which options.
#include "interp/ir/kids.h"
#include "interp/run/interpreter.h"

#include <algorithm>
#include <map>
#include <set>

namespace rip {

using ir::Node;
using ir::NodeOp;

namespace {

constexpr std::int32_t kAnyFamily = -1;

/// What a scalar expression may be. `foreign`: a component that is held where nobody looks when two are compared.
enum class What { plain, named, foreign };

class Reader {
 public:
  explicit Reader(const ir::Program& program) : p(program) {
    slots_.assign(static_cast<std::size_t>(std::max(p.scratch_slots, 1)), 0);
    foreign_.assign(slots_.size(), false);
    for (const ir::Clause& clause : p.clauses) {
      for (const ir::Binder& binder : clause.binders) {
        if (binder.pick) continue;
        char& kind = slots_[static_cast<std::size_t>(binder.slot)];
        const char mine = binder.component ? 2 : 1;
        kind = kind == 0 || kind == mine ? mine : 2;
      }
    }
    // arguments may be components, whatever else uses their slots
    for (const ir::Let& let : p.lets) {
      for (const auto& param : let.params) {
        if (param.kind == ir::Let::Param::Kind::scalar) slots_[static_cast<std::size_t>(param.slot)] = 2;
      }
    }
    bool changed = true;
    while (changed) {
      changed = false;
      for (const ir::ExprNode& x : p.nodes) {
        if (x.op != NodeOp::call) continue;
        const ir::Let& let = p.lets[static_cast<std::size_t>(x.a)];
        for (std::size_t i = 0; i < let.params.size(); ++i) {
          if (let.params[i].kind != ir::Let::Param::Kind::scalar) continue;
          const auto slot = static_cast<std::size_t>(let.params[i].slot);
          if (foreign_[slot] || what(p.pool[static_cast<std::size_t>(x.b) + 1 + i]) != What::foreign) continue;
          foreign_[slot] = changed = true;
        }
      }
    }
  }

  /// It may differ between components that the rules cannot tell apart: it goes by their order, or by which one it is.
  bool uneven(Node node) {
    if (node < 0) return false;
    const auto [entry, fresh] = known_.emplace(node, false);
    if (fresh) {
      const bool found = looks_uneven(node);
      known_[node] = found;
      return found;
    }
    return entry->second;
  }

  bool uneven_clause(std::int32_t clause) {
    bool found = false;
    each_of_clause(clause, [&](Node kid) { found = found || uneven(kid); });
    return found;
  }

  /// The families of zones that the source of a name takes components from; false: it cannot be said.
  bool zones_of(const ir::Binder& binder, std::set<std::int32_t>& families) const {
    return (binder.kind == ir::SourceKind::zone || binder.kind == ir::SourceKind::set) && zones_in(binder.a, families);
  }

  std::set<std::int32_t> vars_read;
  enum class Reads { nothing, vars, loops, table };
  /// What a value depends on: numbers that are known before play, variables, names of loops, or the table.
  Reads reads(Node node, int depth = 0) {
    if (node < 0) return Reads::nothing;
    if (depth > 60) return Reads::table;
    const ir::ExprNode& x = at(node);
    Reads most = Reads::nothing;
    switch (x.op) {
      case NodeOp::var:
        vars_read.insert(x.c);
        most = Reads::vars;
        break;
      case NodeOp::set_var_at: case NodeOp::family:
        vars_read.insert(x.a);
        most = Reads::vars;
        break;
      case NodeOp::cell: case NodeOp::cell_in_phase: case NodeOp::set_var: {
        const auto found = std::find_if(p.vars.begin(), p.vars.end(), [&](const ir::Var& var) { return var.visible && var.phase < 0 && var.cell.offset == x.a; });
        if (found == p.vars.end()) return Reads::loops;
        vars_read.insert(static_cast<std::int32_t>(found - p.vars.begin()));
        return Reads::vars;
      }
      case NodeOp::zone: case NodeOp::zone_at: case NodeOp::face: case NodeOp::running: case NodeOp::me: case NodeOp::winners:
      case NodeOp::game_over: case NodeOp::score_list: return Reads::table;
      default: break;
    }
    each_kid(x, [&](Node kid, bool) { most = std::max(most, reads(kid, depth + 1)); });
    return most;
  }

 private:
  bool looks_uneven(Node node) {
    const ir::ExprNode& x = at(node);
    const auto foreign = [&](Node kid) { return what(kid) == What::foreign; };
    bool found = false;
    switch (x.op) {
      case NodeOp::top:
      case NodeOp::bottom:
      case NodeOp::nth:
      case NodeOp::item:
      case NodeOp::top_of_set:
      case NodeOp::top_list:
      case NodeOp::bottom_list:
      case NodeOp::first_of_list:
      case NodeOp::zone_list:
      case NodeOp::list_var:
      case NodeOp::fits_list: return true;
      case NodeOp::set_list: found = x.c != 0; break;
      case NodeOp::first:
      case NodeOp::list_of: found = names_components(x.a); break;
      case NodeOp::eq:
      case NodeOp::ne: found = (foreign(x.a) && what(x.b) != What::plain) || (foreign(x.b) && what(x.a) != What::plain); break;
      case NodeOp::in_set:
      case NodeOp::in_list:
      case NodeOp::singleton: found = foreign(x.a); break;
      case NodeOp::set_literal:
      case NodeOp::list_literal:
        each_kid(x, [&](Node kid, bool scalar) { found = found || (scalar && foreign(kid)); });
        break;
      case NodeOp::set_var:
        found = std::none_of(p.vars.begin(), p.vars.end(), [&](const ir::Var& var) { return var.visible && var.set && var.cell.offset == x.a; });
        break;
      default: break;
    }
    each_kid(x, [&](Node kid, bool) { found = found || uneven(kid); });
    return found;
  }

  bool names_components(std::int32_t clause) const {
    const auto& binders = p.clauses[static_cast<std::size_t>(clause)].binders;
    return std::any_of(binders.begin(), binders.end(), [](const ir::Binder& binder) { return binder.component; });
  }

  bool zones_in(Node node, std::set<std::int32_t>& families) const {
    const ir::ExprNode& x = at(node);
    switch (x.op) {
      case NodeOp::zone:
      case NodeOp::zone_at: families.insert(p.zones[static_cast<std::size_t>(x.a)].family); return true;
      case NodeOp::zone_set:
      case NodeOp::singleton:
      case NodeOp::place_card:
      case NodeOp::set_difference: return zones_in(x.a, families);
      case NodeOp::set_union: return zones_in(x.a, families) && zones_in(x.b, families);
      default: return false;
    }
  }

  const ir::ExprNode& at(Node node) const { return p.nodes[static_cast<std::size_t>(node)]; }

  What what(Node node, int depth = 0) const {
    if (depth > 30) return What::foreign;
    const ir::ExprNode& x = at(node);
    switch (x.op) {
      case NodeOp::scratch: {
        const auto slot = static_cast<std::size_t>(x.a);
        return slots_[slot] == 1 ? What::plain : foreign_[slot] ? What::foreign : What::named;
      }
      case NodeOp::cell:
      case NodeOp::cell_in_phase:
        for (const ir::Var& var : p.vars) {
          if (var.visible && !var.set && var.cell.offset == x.a) return var.component ? What::named : What::plain;
        }
        return What::foreign;
      case NodeOp::var: return p.vars[static_cast<std::size_t>(x.c)].component ? What::named : What::plain;
      case NodeOp::place_card:
      case NodeOp::one_fitting: return What::named;
      case NodeOp::top:
      case NodeOp::bottom:
      case NodeOp::nth:
      case NodeOp::item:
      case NodeOp::first: return What::foreign;
      case NodeOp::require: return what(x.a, depth + 1);
      case NodeOp::if_else: return std::max(what(x.b, depth + 1), what(x.c, depth + 1));
      case NodeOp::call: return what(p.lets[static_cast<std::size_t>(x.a)].value, depth + 1);
      case NodeOp::match: {
        What most = What::plain;
        for (const ir::MatchArm& arm : p.matches[static_cast<std::size_t>(x.b)]) most = std::max(most, what(arm.value, depth + 1));
        return most;
      }
      default: return What::plain;
    }
  }

  template <class F>
  void each_of_clause(std::int32_t index, F&& f) const {
    ir::each_of_clause(p.clauses[static_cast<std::size_t>(index)], f);
  }
  template <class F>
  void each_kid(const ir::ExprNode& x, F&& f) const {
    ir::each_kid(p, x, f);
  }

  const ir::Program& p;
  std::vector<char> slots_;      ///< 0 unknown, 1 never a component, 2 perhaps
  std::vector<bool> foreign_;
  std::map<Node, bool> known_;
};

}  // namespace

void Interpreter::find_moving_eyes() {
  Reader reader(p);
  eyes_by_vars_ = {};
  eyes_by_loops_ = {};
  eyes_by_table_ = {};
  const auto list = [&](Node seats) -> Eyes* {
    switch (reader.reads(seats)) {
      case Reader::Reads::nothing: return nullptr;
      case Reader::Reads::vars: return &eyes_by_vars_;
      case Reader::Reads::loops: return &eyes_by_loops_;
      case Reader::Reads::table: return &eyes_by_table_;
    }
    return nullptr;
  };
  for (std::size_t z = 0; z < p.zones.size(); ++z) {
    Eyes* eyes = p.zones[z].seen_by == ir::kNoNode ? nullptr : list(p.zones[z].seen_by);
    if (eyes != nullptr) eyes->zones.push_back(static_cast<std::int32_t>(z));
  }
  for (std::size_t v = 0; v < p.vars.size(); ++v) {
    const ir::Var& var = p.vars[v];
    Eyes* eyes = !var.visible || var.known < 0 || var.seen_by == ir::kNoNode ? nullptr : list(var.seen_by);
    if (eyes != nullptr) eyes->vars.push_back(static_cast<std::int32_t>(v));
  }
  eyes_read_.assign(p.vars.size(), 0);
  for (const std::int32_t v : reader.vars_read) eyes_read_[static_cast<std::size_t>(v)] = 1;
  moving_eyes_ = eyes_by_vars_.any() || eyes_by_loops_.any() || eyes_by_table_.any();
}

void Interpreter::find_merges() {
  Reader reader(p);
  merge_.clear();
  for (const ir::Option& option : p.options) {
    const auto& binders = p.clauses[static_cast<std::size_t>(option.clause)].binders;
    std::size_t components = 0;
    bool filtered = false;
    bool independent = true;  // what follows the first component
    bool picks = false;
    bool shared = false;      // two names may be bound to one component
    std::set<std::int32_t> families;
    std::set<std::int32_t> dependent;
    for (const ir::Binder& binder : binders) {
      if (components > 0) independent = independent && binder.independent;
      filtered = filtered || !binder.filters.empty() || !binder.independent;
      if (!binder.component) continue;
      picks = picks || binder.pick;
      std::set<std::int32_t> mine;
      if (!reader.zones_of(binder, mine)) mine = {kAnyFamily};
      const bool apart = std::none_of(mine.begin(), mine.end(), [&](std::int32_t family) {
        return family == kAnyFamily || families.count(family) != 0 || families.count(kAnyFamily) != 0;
      });
      shared = shared || (components > 0 && !apart);
      families.insert(mine.begin(), mine.end());
      if (!binder.independent) dependent.insert(mine.begin(), mine.end());
      ++components;
    }
    Merge merge = Merge::none;
    if (components > 0 && !shared && independent && (!picks || !filtered)) merge = Merge::open;
    else if (components > 0) merge = reader.uneven_clause(option.clause) ? Merge::uneven : filtered ? Merge::even : Merge::open;
    Merging merging{merge, shared, {}, dependent.count(kAnyFamily) != 0};
    for (std::size_t z = 0; z < p.zones.size(); ++z) {
      if (dependent.count(p.zones[z].family) != 0) merging.zones.push_back(static_cast<std::int32_t>(z));
    }
    merge_.push_back(std::move(merging));
  }
}

}  // namespace rip
