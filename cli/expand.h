// A version of a script as a script of its own. Flow: verify/load -> grammar/written, grammar/format -> here -> cli/expand.
#pragma once

#include "verify/game.h"

#include <string>

namespace rip::cli {

/// The text, laid out, as it would stand beside the script: card lists are named from there. `version` has no errors.
/// A name that the sheet left idle is a warning there (R1002) and an error here (R1001): nobody reads it.
std::string expanded(const verify::Loaded& loaded, const verify::Version& version);

}  // namespace rip::cli
