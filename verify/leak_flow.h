// Which flow of a secret, read from the rules, explains a leak that was met in play. Flow: Leak + Flows -> here -> reports.
#pragma once

#include "verify/labels.h"
#include "verify/twins.h"

#include <optional>

namespace rip::verify {

/// Nothing, if no flow fits what was other in the second world and what differed.
std::optional<Revealed> revealed_by(const Leak& leak, const Flows& flows, const Playable& playable);

}  // namespace rip::verify
