// Which components a phrase names, and which options a move of a scenario (or of the REPL) means. Expressions in patterns
// are lowered first (compile), then read in a state. Flow: rules::MovePattern + Lowering -> here -> verify/scenario, cli/repl.
#pragma once

#include "interp/run/engine.h"
#include "verify/game.h"

#include <optional>
#include <string>
#include <vector>

namespace rip::verify {

/// A phrase with its attributes worked out: `<money 5 down>`.
struct PhraseTest {
  rules::TypeId type = rules::kNoId;
  std::vector<std::pair<rules::AttrId, std::int64_t>> attributes;  ///< a set attribute: its mask
  std::optional<std::int64_t> face;
  int owner = -1;  ///< -1: anybody
  Span span;

  /// All but the face.
  bool fits_printed(const Component& component) const;
};
PhraseTest compile_phrase(const Playable& playable, rules::PhraseId phrase);
/// Also the face as it lies now.
bool fits(const PhraseTest& test, const Playable& playable, const Machine& machine, const State& state, std::int32_t component);

/// One argument of a move as the machine encodes it.
struct Argument {
  bool pick = false, in_order = false, component = false;
  std::vector<std::int64_t> values;
};
std::vector<Argument> arguments(const ir::Program& program, const Move& move);
const std::string& move_name(const ir::Program& program, const Move& move);

struct ArgTest {
  rules::ArgPattern::Kind kind = rules::ArgPattern::Kind::any;
  ir::Node node = ir::kNoNode;
  bool many = false;  ///< the value is a set or list
  PhraseTest phrase;
  std::vector<ArgTest> items;
};
struct MoveTest {
  std::string name;
  bool any_args = true;
  std::vector<ArgTest> args;
  Span span;
};
MoveTest compile_move(Playable& playable, const rules::MovePattern& pattern);

/// The first options of a seat, at most so many.
std::vector<Move> first_moves(Machine& machine, State& state, int seat, std::uint64_t most);
/// The options that the pattern can mean; where there are very many, and it names all arguments by their values, no others.
std::vector<Move> candidates(const MoveTest& test, const Playable& playable, Machine& machine, State& state, int seat);

/// The options of `seat` that the pattern means, by their numbers. A component that the seat cannot tell from the named
/// one (both lie unseen in one hand) fits too if nothing fits exactly.
std::vector<std::uint32_t> fitting(const MoveTest& test, const Playable& playable, Machine& machine, State& state, int seat,
                                   const std::vector<Move>& moves);

}  // namespace rip::verify
