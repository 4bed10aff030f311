// Does a parameter change anything? The same seeds are played with another value of it, and the games compared.
// Flow: rules + configuration -> here -> Coverage; used by verify/check.
#pragma once

#include "verify/game.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace rip::verify {

/// By parameter: how many of `games` games went otherwise, or ended otherwise, with one of two other values (the lowest and the
/// highest that may be set, else a neighbour). 0: it changed nothing. Parameters that can have no other value are left out.
std::map<std::string, std::uint64_t> changed_by_parameters(const std::shared_ptr<const rules::Rules>& rules, const rules::Config& usual, std::uint64_t seed, std::uint64_t games);

}  // namespace rip::verify
