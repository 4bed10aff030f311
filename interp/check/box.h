// One configuration made concrete: every component that is in the box, every place where one can lie, and what lies where
// at the start. Component ids and zone instance ids are those of the interpreter, the reference evaluator and all traces.
// Flow: checked rules + Config -> Box -> interp/lower/lower, interp/reference.
#pragma once

#include "interp/check/rules.h"

#include <string>
#include <utility>
#include <vector>

namespace rip {

/// Ids run by component type as declared, then by attributes as declared (a set attribute by its mask, none first), then
/// owner, then deck. So a hand sorted by id is in the order the language defines, and equal components are neighbours.
struct Component {
  rules::TypeId type;
  rules::DeckId deck;
  int owner = -1;                        ///< seat, of a deck `[player]`; else -1
  std::vector<std::int64_t> attributes;  ///< by AttrId; a set attribute: bit mask from its type's low; text: -1
  std::vector<std::string> texts;        ///< by AttrId; "" where not a text
};

struct ZoneInstance {
  rules::ZoneId zone;
  std::vector<std::int64_t> index;  ///< as values (seat, integer, ordinal, component id)
  int capacity;                     ///< the most components that can ever lie here (place: 1)
};

struct Box {
  int players = 2;
  std::vector<Component> components;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> of_type;  ///< by TypeId: first id and one past the last
  std::vector<ZoneInstance> zones;                               ///< zones as declared, indices in lexicographic order
  std::vector<std::uint32_t> first_zone;                         ///< by ZoneId: its first instance; one more entry at the end
  std::vector<std::vector<std::uint32_t>> contents;              ///< by zone instance, at the start: piles from the top

  /// Equal for the rules: same type, attributes (texts too) and owner.
  bool equal(std::uint32_t a, std::uint32_t b) const;
  /// The instance of `zone` with these index values, or -1 if a value is outside its index type.
  int instance(const rules::Rules& rules, rules::ZoneId zone, const std::vector<std::int64_t>& index) const;
};

/// Why a configuration cannot be played: a `require` that is false, a parameter out of its range, too many components.
struct BoxError {
  Span span;
  std::string message;  ///< empty = none
};

/// The default values of all parameters, for this number of players.
rules::Config default_config(const rules::Rules& rules, int players);

/// Deals nothing, evaluates deck lines, counts and indices. At most kMaxComponents components and kMaxZones instances.
inline constexpr int kMaxComponents = 1024;
inline constexpr int kMaxZones = 4096;
std::pair<Box, BoxError> make_box(const rules::Rules& rules, const rules::Config& config);

/// The value of an expression that depends on parameters, the number of players and `locals` only (deck lines, indices,
/// parameter defaults, `require`, limits). kNone for none. An expression that reads the game is an internal error.
/// A list (a table's default) gives its first element; use `constant_list` for those.
std::int64_t constant(const rules::Rules& rules, const rules::Config& config, rules::ExprId expr,
                      const std::vector<std::pair<rules::LocalId, std::int64_t>>& locals = {});
std::vector<std::int64_t> constant_list(const rules::Rules& rules, const rules::Config& config, rules::ExprId expr);

/// All index values of a zone, var or param family in lexicographic order (components as ids, hence the box).
std::vector<std::vector<std::int64_t>> index_values(const rules::Rules& rules, const Box& box, const std::vector<rules::Type>& index);

// ---- names for people -----------------------------------------------------------------------------------------

/// `<money 5>`, with the owner before it where there is one: `Ann <8>`; texts are not written.
std::string phrase(const rules::Rules& rules, const Box& box, std::uint32_t component);
/// `grave[2]`, `hand[Ann]`, `ring[<7>, north]`; `seats` are the seats' names (empty: `player 1` ...).
std::string zone_name(const rules::Rules& rules, const Box& box, std::uint32_t instance, const std::vector<std::string>& seats);
/// A value of a type as a script writes it: `yes`, `clubs`, `-3`, `Ann`, `up`, `<money 5>`, `none`.
std::string value_text(const rules::Rules& rules, const Box& box, const rules::Type& type, std::int64_t value,
                       const std::vector<std::string>& seats);

}  // namespace rip
