// What a seat is offered, as bytes that can be compared. Used by verify/worlds and verify/tree.
#pragma once

#include "interp/run/engine.h"

#include <string>
#include <vector>

namespace rip::verify {

/// Appends what `seat` reads of these moves of its own: equal bytes, equal lists to it. Moves that name no component are taken
/// as they are, which costs less than their texts.
void append_offered(Machine& machine, State& state, int seat, const std::vector<Move>& moves, std::string& out);

}  // namespace rip::verify
