// A script as a rulebook: components, table, set-up, phases, moves, ends, assumptions, clauses. Flow: cli/outline's text of
// a version -> here -> cli/document.
#pragma once

#include "cli/document.h"
#include "cli/outline.h"
#include "verify/game.h"

namespace rip::cli {

/// `playable` is the version for its usual number of players: what is counted is counted there.
Document rulebook(const Written& written, const verify::Version& version, const verify::Playable& playable);

}  // namespace rip::cli
