// Where names are declared and where they are read, for an editor. Flow: the last pass of the checker, if it is asked to ->
// here -> verify/editor -> cli/lsp.
#pragma once

#include "base/source.h"

namespace rip::check {

enum class NameKind { param, var, zone, let, enum_value, type, phase, rule, move, attribute, local, seat };

/// What the name at `use` means is declared at `definition`. A declaration is a use of itself. Moves of one name may be
/// declared at several places: then there is a use for each.
struct NameUse {
  Span use, definition;
  NameKind kind;
};

}  // namespace rip::check
