// A script as an editor wants to know it: also half written, and with the place of each name. Flow: verify/load -> here ->
// cli/lsp.
#pragma once

#include "interp/check/uses.h"
#include "verify/game.h"

#include <memory>
#include <string>
#include <vector>

namespace rip::verify {

struct Known {
  std::unique_ptr<Loaded> loaded;
  /// By version, as far as they could be checked; not to be played. Of a script with syntax errors: the versions of what
  /// could be read, whose own diagnostics say nothing.
  std::vector<std::shared_ptr<const rules::Rules>> rules;
  std::vector<check::NameUse> names;  ///< of all versions, each once, by place
};

/// Never fails: what is wrong is in the diagnostics of `loaded`, which are those of load_text. Spans are offsets into `text`.
Known load_for_editor(const std::string& path, std::string text);

}  // namespace rip::verify
