// What the interpreter finds out once about a program: compact tables, which variables tell components apart, which
// triggers may wake themselves.
#include "interp/run/interpreter.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace rip {

using ir::InstrOp;

Interpreter::Interpreter(const ir::Program& program, Observer*& watcher, std::vector<std::uint8_t>& pins)
    : p(program), observer(watcher), pinned(pins) {
  all_seats = p.players >= 32 ? ~0u : (1u << p.players) - 1;
  component_words = std::max(1, (static_cast<std::int32_t>(p.components.size()) + 63) / 64);
  resize();
}

void Interpreter::resize() {
  scratch.resize(static_cast<std::size_t>(std::max(p.scratch_slots, 1)));
  sets.resize(static_cast<std::size_t>(p.scratch_sets) * ir::kMaxWords);
  lists.resize(static_cast<std::size_t>(p.scratch_lists));
  if (tables_for_ == p.code.size() + 1) return;
  tables_for_ = p.code.size() + 1;
  build_tables();
}

void Interpreter::build_tables() {
  const std::size_t n = p.components.size();
  front_.assign(n, 0);
  back_.assign(n, 0);
  kind_.assign(n, Kind::card);
  told_by_type_.assign(n, 0);
  has_left_.assign(n, 0);
  looks_.assign(n, -1);
  true_looks_.assign(n, -1);
  departures_.reserve(n + 1);
  departed_.reserve(2 * n + 1);
  std::map<std::int32_t, std::int32_t> fronts;
  std::map<std::tuple<int, int, int>, std::int32_t> backs;
  for (std::size_t c = 0; c < n; ++c) {
    const ir::Component& component = p.components[c];
    const ir::ComponentType& type = p.types[static_cast<std::size_t>(component.type)];
    front_[c] = fronts.emplace(component.front_class, static_cast<std::int32_t>(c)).first->second;
    back_[c] = backs.emplace(std::tuple(component.type, component.owner, component.back_class), static_cast<std::int32_t>(c)).first->second;
    kind_[c] = type.die ? Kind::die : type.hidden_side ? Kind::card : Kind::token;
    told_by_type_[c] = type.mergeable ? 0 : 1;
  }

  expose_zones.clear();
  component_zones_.clear();
  by_component_.assign(p.zones.size(), 0);
  for (std::size_t z = 0; z < p.zones.size(); ++z) {
    const ir::Zone& zone = p.zones[z];
    if (zone.kind == ir::ZoneKind::pile && zone.bags >= 0 && zone.backs_tell) expose_zones.push_back(static_cast<std::int32_t>(z));
    const auto& texts = zone.index_texts;
    if (!ir::names_components(texts)) continue;
    component_zones_.push_back(static_cast<std::int32_t>(z));
    by_component_[z] = 1;
  }

  marking_vars_.clear();
  marking_locals_.clear();
  indexed_vars_.clear();
  for (std::size_t v = 0; v < p.vars.size(); ++v) {
    const ir::Var& var = p.vars[v];
    const auto id = static_cast<std::int32_t>(v);
    const bool indexed = ir::names_components(var.index_texts);
    if (var.visible && (var.component || indexed)) marking_vars_.push_back(id);
    if (!var.visible && var.component && !var.set && var.cell.offset > 0) marking_locals_.push_back(id);
    if (var.visible && indexed) indexed_vars_.push_back(id);
  }

  std::size_t words = 0;
  for (const auto& when : p.whens) words += static_cast<std::size_t>(when.words);
  before_.assign(words, 0);
  find_nesting();
  find_merges();
  find_moving_eyes();
}

// A body may wake a trigger whose body is running already: the graph of routines has a cycle.
void Interpreter::find_nesting() {
  std::vector<std::set<std::int32_t>> next(p.routines.size());
  for (std::size_t pc = 0; pc < p.code.size(); ++pc) {
    auto& from = next[static_cast<std::size_t>(p.routine_of[pc])];
    if (p.code[pc].op == InstrOp::call) from.insert(p.code[pc].a);
    if (p.code[pc].op != InstrOp::run_whens) continue;
    for (const std::int32_t when : p.wakes[static_cast<std::size_t>(p.code[pc].a)].whens) {
      from.insert(p.whens[static_cast<std::size_t>(when)].routine);
    }
  }
  loose_locals_.clear();
  for (const ir::Var& var : p.vars) {
    const bool framed = std::any_of(p.routines.begin(), p.routines.end(), [&](const ir::Routine& routine) {
      return var.cell.offset >= routine.frame && var.cell.offset < routine.frame + routine.frame_size;
    });
    if (var.visible || var.cell.offset <= 0 || framed) continue;
    loose_locals_.emplace_back(var.cell.offset, var.count * (var.set ? 8 * var.domain.words : 1 << static_cast<int>(var.cell.width)));
  }
  can_nest_ = false;
  when_routine_.assign(p.routines.size(), 0);
  for (const ir::When& when : p.whens) {
    when_routine_[static_cast<std::size_t>(when.routine)] = 1;
    std::vector<std::int32_t> open{when.routine};
    std::set<std::int32_t> reached;
    while (!open.empty() && !can_nest_) {
      const std::int32_t at_routine = open.back();
      open.pop_back();
      for (const std::int32_t to : next[static_cast<std::size_t>(at_routine)]) {
        can_nest_ = can_nest_ || to == when.routine;
        if (reached.insert(to).second) open.push_back(to);
      }
    }
  }
}

}  // namespace rip
