// What no rule and no claim can read: attributes that are only looked at by people, the order of zones of which nothing but
// their members is asked, and the members of zones of which nothing but their number is. States that differ only there are
// the same for the rules. Flow: Program -> verify/canonical.
#pragma once

#include "interp/ir/ir.h"

#include <vector>

namespace rip::verify {

struct Unread {
  std::vector<char> order;             ///< by family of zones: nobody reads it
  std::vector<char> members;           ///< by family of zones: nobody reads which components lie there, and none ever leaves
  std::vector<char> found_elsewhere;   ///< by type of components: rules find them by other ways than the zones they lie in
  std::vector<std::int32_t> tables;    ///< of attributes that are read: offsets into Program::tables, to add a component to
};
/// Where a sentence or an expression is not understood, everything that it touches counts as read.
Unread find_unread(const ir::Program& program);

}  // namespace rip::verify
