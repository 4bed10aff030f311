// The one layout of scripts. Flow: text -> parser's nodes -> grammar/pieces -> here -> text; cli/fmt writes it.
//
// The author decides where lines end, this decides all other white space (docs/decisions/0022-layout.md).
#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.h"
#include "base/source.h"

namespace rip::grammar {

/// The script in `file` as it should be laid out, with all its comments; nothing, and diagnostics, if it has syntax errors.
/// The result is laid out as it should be, and has the tokens of the script in their order.
std::optional<std::string> format(const Sources& sources, std::uint32_t file, Diagnostics& diagnostics);

}  // namespace rip::grammar
