// `given` of a scenario: lays components and sets variables. Cards are exchanged, so that zones that are not mentioned keep
// their sizes, and nobody has seen what is laid. Flow: GivenScript + State -> here -> State; used by verify/scenario_run.
#pragma once

#include "verify/free.h"
#include "verify/scenario_script.h"

#include <string>
#include <vector>

namespace rip::verify {

/// What went wrong, and where; empty = nothing.
struct ArrangeError {
  std::string message;
  Span span;
};

/// Variables only. A value that does not fit its type is an error.
ArrangeError set_variables(const std::vector<const GivenScript*>& givens, const Playable& playable, Machine& machine, State& state);
/// Cards of all `given` lines together. Where it is open, cards come from where none of `watchers` knows them; `disturbs` is set
/// if one had to be taken from under their eyes.
ArrangeError lay_cards(const std::vector<const GivenScript*>& givens, const Playable& playable, Machine& machine, State& state, Free& open,
                       std::uint32_t watchers = 0, bool* disturbs = nullptr);

}  // namespace rip::verify
