// RapidCheck at the wheel: it draws players, parameters and games of one version, and runs them under all properties. What
// fails is shrunk by our own shrinker: a custom generator yields, as its only and lazy shrink, the game made short.
// Flow: Version -> here -> verify/check. RapidCheck is not thread-safe: one call at a time.
#pragma once

#include "verify/game.h"
#include "verify/shrink.h"

#include <cstdint>
#include <optional>
#include <string>

namespace rip::verify {

struct RapidOptions {
  std::uint64_t seed = 1;
  std::uint64_t games = 0;   ///< 0: by time
  double seconds = 1;
  double shrink_seconds = 1.5;
  int players = 0;           ///< 0: any
  bool parameters = true;    ///< also other values than the defaults
};
struct RapidResult {
  std::uint64_t games = 0;
  std::uint64_t configurations = 0;  ///< different ones
  std::optional<Shrunk> failed;
  std::uint64_t seed = 0;            ///< of the failing run
  std::string error;                 ///< nothing could be run, and why
};
RapidResult rapid_check(const Version& version, const RapidOptions& options);

}  // namespace rip::verify
