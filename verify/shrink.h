// A long game that breaks something becomes a short one: chunks of choices are left out (halving, going on after a success),
// then values lowered, then fewer players and smaller parameters tried. Flow: Examined -> shrink -> reports, trace files.
#pragma once

#include "verify/examine.h"

#include <memory>
#include <string>
#include <vector>

namespace rip::verify {

struct Shrunk {
  rules::Config config;
  std::shared_ptr<const Playable> playable;  ///< of that configuration
  Examined game;
  std::size_t tried = 0;    ///< games played on the way
  std::size_t before = 0;   ///< steps of the game it began with
};

struct ShrinkOptions {
  double seconds = 1.5;
  bool other_configurations = true;  ///< fewer players, smaller parameters
  std::vector<std::string> settled;  ///< but for these
};
/// `game` must have a failure. The result breaks the same property with as many steps or fewer.
Shrunk shrink(std::shared_ptr<const rules::Rules> rules, const rules::Config& config, Examined game, ExamineOptions examine, const ShrinkOptions& options);

}  // namespace rip::verify
