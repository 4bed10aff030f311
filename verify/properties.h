// What must hold, as one table: universal properties of every game and the author's claims. A Failure says which one broke
// and where. Flow: Sitting at a stop -> examine_stop -> Failure; used by verify/examine, verify/random_play, reports.
#pragma once

#include "verify/claims.h"
#include "verify/tape.h"

#include <optional>
#include <string>
#include <string_view>

namespace rip::verify {

/// As the key `kind` of `check --json`.
enum class PropertyKind { conservation, range, bound, always, sometimes, never, stuck, terminates, leak, replay, scenario, static_check };
std::string_view name(PropertyKind kind);

enum class Property {
#define RIP_PROPERTY(id, kind, name, text) id,
#include "verify/properties.def"
#undef RIP_PROPERTY
};
struct PropertyInfo {
  Property property;
  PropertyKind kind;
  std::string_view id, name, text;
};
const PropertyInfo& info(Property property);
const std::vector<PropertyInfo>& all_properties();

/// Something that does not hold. Two failures with one key are the same mistake.
struct Failure {
  PropertyKind kind = PropertyKind::range;
  std::string name;    ///< `no rule goes wrong`, `always "hands are full"`
  std::string detail;
  Span span;
  std::string key;
};
Failure failure(Property property, std::string detail, Span span = {});
Failure failure(const ir::Program& program, const Violation& violation);
/// Of a game that ended in a fault.
Failure failure(const Fault& fault);

/// Tests the universal properties that one stop of a game can show. Thorough and slow.
std::optional<Failure> examine_stop(Sitting& sitting, Rng& rng);
/// At the end of a game: plays its tape again and compares the bytes.
std::optional<Failure> examine_replay(const Sitting& sitting);
/// Components are where they say; cheap.
std::optional<Failure> examine_zones(const Machine& machine, const State& state);

}  // namespace rip::verify
