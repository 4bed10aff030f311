// Worked cases: what a scenario does not fix is free and must not matter. If few ways are open all are tried, otherwise
// samples; every claim must hold in each. Flow: rules::Scenario -> ScenarioScript (lowered) -> ScenarioRun per sample -> result.
#pragma once

#include "verify/game.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rip::verify {

struct ScenarioResult {
  std::string name;
  std::string version;   ///< "" for the base
  Span span;
  bool passed = false;
  std::size_t samples = 0;
  bool all_ways = false; ///< everything open was tried, not sampled
  // of a failure
  Span at;               ///< the step
  std::string message;
  std::string sample;    ///< `in way 3 of those that are open`; empty if nothing is open
  std::vector<std::string> transcript;
  std::vector<std::uint64_t> covered;  ///< by cover point
};

struct ScenarioOptions {
  std::uint64_t seed = 1;
  std::size_t most_ways = 64;  ///< so many are tried one by one
  std::size_t samples = 24;    ///< otherwise
  std::size_t weighed_samples = 6;  ///< where each sample goes through all that chance can do, or all secret ways
};
/// Runs one scenario of a version. The version must have rules.
ScenarioResult run_scenario(const Version& version, const rules::Scenario& scenario, const Sources& sources, const ScenarioOptions& options = {});

}  // namespace rip::verify
