// Expressions of a scenario or a REPL line, read in a state: their values as text, why a claim is false, and who knows what
// they name. Expressions are lowered first (compile), so the machine must be made afterwards. Flow: rules::ExprId +
// Lowering -> here -> verify/scenario, cli/repl.
#pragma once

#include "interp/run/engine.h"
#include "verify/game.h"

#include <string>
#include <vector>

namespace rip::verify {

/// A zone with index values, maybe fewer than declared.
struct ZoneRef {
  rules::ZoneId zone = rules::kNoId;
  std::vector<ir::Node> index;
};
ZoneRef compile_zone(Playable& playable, rules::ExprId expr);
std::vector<std::int32_t> instances(const ZoneRef& ref, const Playable& playable, Machine& machine, State& state);

/// A variable with index values, maybe fewer than declared.
struct VarRef {
  rules::VarId var = rules::kNoId;
  std::vector<ir::Node> index;
};
VarRef compile_var(Playable& playable, rules::VarId var, const std::vector<rules::ExprId>& index);
/// Its cells, by position in the family.
std::vector<std::int32_t> positions(const VarRef& ref, const Playable& playable, Machine& machine, State& state);

/// An expression and what it is made of.
struct Reading {
  rules::ExprId expr = rules::kNoId;
  ir::Node node = ir::kNoNode;
  ZoneRef zone;                ///< of a zone
  std::vector<Reading> parts;  ///< operands of comparisons and of `and`, `or`, `not`
};
Reading compile_reading(Playable& playable, rules::ExprId expr);
/// The value as a script writes it: `[10, 10, 6]`, `<money 5>`, `yes`.
std::string value_of(const Reading& reading, const Playable& playable, Machine& machine, State& state);
/// Why a condition is false: `coins is [12, 14, 9], not [12, 14, 10]`.
std::string why_false(const Reading& reading, const Playable& playable, Machine& machine, State& state, const Sources& sources);

/// What a seat may know: components, the cells of a variable, or an attribute of a component.
struct Knowable {
  enum class Kind { components, variable, attribute, other } kind = Kind::other;
  Reading reading;
  VarRef var;
  bool back = false;  ///< the attribute is on the back
};
Knowable compile_knowable(Playable& playable, rules::ExprId expr);
/// For each thing named whether the seat knows it.
struct Knowledge {
  std::vector<std::string> known, unknown;
  std::string error;
};
Knowledge knowledge(const Knowable& what, const Playable& playable, Machine& machine, State& state, int seat);

}  // namespace rip::verify
