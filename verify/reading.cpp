#include "verify/reading.h"

#include <fmt/format.h>

#include <algorithm>

namespace rip::verify {

using rules::Base;
using rules::Op;
using rules::Shape;

namespace {

bool compares(Op op) {
  switch (op) {
    case Op::eq: case Op::ne: case Op::lt: case Op::le: case Op::gt: case Op::ge:
    case Op::set_eq: case Op::set_ne: case Op::subset: case Op::list_eq: case Op::list_ne:
    case Op::in_set: return true;
    default: return false;
  }
}

bool joins(Op op) { return op == Op::logical_and || op == Op::logical_or || op == Op::logical_not; }
bool asks_one(Op op) { return op == Op::is_none || op == Op::is_empty || op == Op::fits || op == Op::some_fits || op == Op::zone_fits_list; }

/// Expressions that can be read alone: a zone stands for its components.
bool readable(const rules::Expr& expr) { return expr.type.base != Base::text && expr.type.base != Base::unknown; }

std::string list_text(const std::vector<std::string>& items, const char* open, const char* close) {
  std::string out = open;
  for (std::size_t i = 0; i < items.size(); ++i) out += (i == 0 ? "" : ", ") + items[i];
  return out + close;
}

std::vector<std::vector<std::int64_t>> indices_of(const Playable& playable, const std::vector<rules::Type>& index) {
  return index_values(*playable.rules, playable.box, index);
}

bool begins_with(const std::vector<std::int64_t>& values, const std::vector<std::int64_t>& prefix) {
  return std::equal(prefix.begin(), prefix.end(), values.begin());
}

std::vector<std::int64_t> read_all(const std::vector<ir::Node>& nodes, Machine& machine, State& state) {
  std::vector<std::int64_t> values;
  for (const ir::Node node : nodes) values.push_back(machine.scalar(state, node));
  return values;
}

std::vector<std::int64_t> components_of(const Reading& reading, const Playable& playable, Machine& machine, State& state) {
  const rules::Expr& expr = (*playable.rules)[reading.expr];
  std::vector<std::int64_t> out;
  if (reading.zone.zone != rules::kNoId) {
    for (const std::int32_t zone : instances(reading.zone, playable, machine, state)) {
      for (const std::uint16_t card : machine.zone_cards(state, zone)) out.push_back(card);
    }
    return out;
  }
  if (expr.type.shape != Shape::scalar) return machine.members(state, reading.node);
  const std::int64_t value = machine.scalar(state, reading.node);
  if (value != rules::kNone) out.push_back(value);
  return out;
}

}  // namespace

ZoneRef compile_zone(Playable& playable, rules::ExprId id) {
  const rules::Expr& expr = (*playable.rules)[id];
  ZoneRef ref;
  ref.zone = expr.ref;
  const std::vector<rules::ExprId> kids = expr.kids;
  for (const rules::ExprId kid : kids) ref.index.push_back(playable.lowering->expression(kid));
  return ref;
}

std::vector<std::int32_t> instances(const ZoneRef& ref, const Playable& playable, Machine& machine, State& state) {
  const std::vector<std::int64_t> prefix = read_all(ref.index, machine, state);
  std::vector<std::int32_t> out;
  for (std::uint32_t z = playable.box.first_zone[ref.zone]; z < playable.box.first_zone[ref.zone + 1]; ++z) {
    if (begins_with(playable.box.zones[z].index, prefix)) out.push_back(static_cast<std::int32_t>(z));
  }
  return out;
}

VarRef compile_var(Playable& playable, rules::VarId var, const std::vector<rules::ExprId>& index) {
  VarRef ref;
  ref.var = var;
  for (const rules::ExprId kid : index) ref.index.push_back(playable.lowering->expression(kid));
  return ref;
}

std::vector<std::int32_t> positions(const VarRef& ref, const Playable& playable, Machine& machine, State& state) {
  const std::vector<std::int64_t> prefix = read_all(ref.index, machine, state);
  std::vector<std::int32_t> out;
  std::int32_t at = 0;
  for (const auto& values : indices_of(playable, playable.rules->vars[ref.var].index)) {
    if (begins_with(values, prefix)) out.push_back(at);
    ++at;
  }
  return out;
}

Reading compile_reading(Playable& playable, rules::ExprId id) {
  const rules::Expr expr = (*playable.rules)[id];  // lowering may add rules' expressions: a copy
  Reading reading;
  reading.expr = id;
  if (expr.op == Op::zone || expr.op == Op::place_card) {
    reading.zone = compile_zone(playable, id);
    if (expr.op == Op::place_card) reading.node = playable.lowering->expression(id);
    return reading;
  }
  if (readable(expr)) reading.node = playable.lowering->expression(id);
  if (compares(expr.op) || joins(expr.op) || asks_one(expr.op)) {
    for (const rules::ExprId kid : expr.kids) reading.parts.push_back(compile_reading(playable, kid));
  }
  return reading;
}

std::string value_of(const Reading& reading, const Playable& playable, Machine& machine, State& state) {
  const rules::Rules& rules = *playable.rules;
  const rules::Expr& expr = rules[reading.expr];
  const std::vector<std::string>& seats = playable.program->seats;
  if (!readable(expr)) return "?";
  rules::Type element = expr.type;
  element.shape = Shape::scalar;
  if (expr.type.shape == Shape::scalar && reading.zone.zone == rules::kNoId) {
    return value_text(rules, playable.box, element, machine.scalar(state, reading.node), seats);
  }
  const bool list = expr.type.shape == Shape::list || reading.zone.zone != rules::kNoId;
  std::vector<std::string> items;
  const std::vector<std::int64_t> values =
      reading.zone.zone != rules::kNoId ? components_of(reading, playable, machine, state) : machine.members(state, reading.node);
  if (expr.op == Op::place_card) return values.empty() ? "none" : value_text(rules, playable.box, element, values[0], seats);
  for (const std::int64_t value : values) items.push_back(value_text(rules, playable.box, element, value, seats));
  return list ? list_text(items, "[", "]") : list_text(items, "{", "}");
}

std::string why_false(const Reading& reading, const Playable& playable, Machine& machine, State& state, const Sources& sources) {
  const rules::Expr& expr = (*playable.rules)[reading.expr];
  const auto source = [&](const Reading& part) { return sources.text((*playable.rules)[part.expr].span); };
  const auto plain = [&](const Reading& part) {
    const Op op = (*playable.rules)[part.expr].op;
    return op == Op::constant || op == Op::set_literal || op == Op::list_literal;
  };
  if (expr.op == Op::logical_and) {
    for (const Reading& part : reading.parts) {
      if (!machine.holds(state, part.node)) return why_false(part, playable, machine, state, sources);
    }
  }
  if (compares(expr.op) && reading.parts.size() == 2) {
    std::string out;
    for (const Reading& part : reading.parts) {
      if (plain(part)) continue;
      out += fmt::format("{}`{}` is {}", out.empty() ? "" : ", ", source(part), value_of(part, playable, machine, state));
    }
    if (!out.empty()) return out;
  }
  if ((asks_one(expr.op) || expr.op == Op::logical_not) && reading.parts.size() == 1) {
    const Reading& part = reading.parts[0];
    if (expr.op == Op::logical_not && !part.parts.empty()) {
      std::string out;
      for (const Reading& inner : part.parts) {
        if (!plain(inner)) out += fmt::format("{}`{}` is {}", out.empty() ? "" : ", ", source(inner), value_of(inner, playable, machine, state));
      }
      if (!out.empty()) return out;
    }
    return fmt::format("`{}` is {}", source(part), value_of(part, playable, machine, state));
  }
  return "it is false";
}

Knowable compile_knowable(Playable& playable, rules::ExprId id) {
  const rules::Expr expr = (*playable.rules)[id];
  Knowable what;
  if (expr.op == Op::var || expr.op == Op::var_family) {
    what.kind = Knowable::Kind::variable;
    what.var = compile_var(playable, expr.ref, expr.kids);
    what.reading.expr = id;
    return what;
  }
  if (expr.op == Op::attribute) {
    what.kind = Knowable::Kind::attribute;
    what.back = playable.rules->component_types[expr.ref].attributes[static_cast<std::size_t>(expr.value)].back;
    what.reading = compile_reading(playable, expr.kids[0]);
    return what;
  }
  what.reading = compile_reading(playable, id);
  if (expr.type.base == Base::component) what.kind = Knowable::Kind::components;
  return what;
}

Knowledge knowledge(const Knowable& what, const Playable& playable, Machine& machine, State& state, int seat) {
  Knowledge out;
  const std::vector<std::string>& seats = playable.program->seats;
  if (what.kind == Knowable::Kind::other) {
    out.error = "only a component, a zone, a variable or an attribute can be known";
    return out;
  }
  if (what.kind == Knowable::Kind::variable) {
    const rules::Var& var = playable.rules->vars[what.var.var];
    const auto indices = indices_of(playable, var.index);
    for (const std::int32_t at : positions(what.var, playable, machine, state)) {
      std::vector<std::string> index;
      for (std::size_t i = 0; i < var.index.size(); ++i) {
        index.push_back(value_text(*playable.rules, playable.box, var.index[i], indices[static_cast<std::size_t>(at)][i], seats));
      }
      const bool knows = (machine.var_known(state, static_cast<std::int32_t>(what.var.var), at) >> seat & 1u) != 0;
      (knows ? out.known : out.unknown).push_back(var.name + (index.empty() ? "" : list_text(index, "[", "]")));
    }
    return out;
  }
  const std::vector<std::int64_t> components = components_of(what.reading, playable, machine, state);
  const rules::Type& type = (*playable.rules)[what.reading.expr].type;
  if (components.empty() && type.shape == Shape::scalar) out.error = "there is no component";
  for (const std::int64_t component : components) {
    const bool knows = what.back || (machine.known(state, static_cast<std::int32_t>(component)) >> seat & 1u) != 0;
    rules::Type one = type;
    one.shape = Shape::scalar;
    (knows ? out.known : out.unknown).push_back(value_text(*playable.rules, playable.box, one, component, seats));
  }
  return out;
}

}  // namespace rip::verify
