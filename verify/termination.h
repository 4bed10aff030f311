// Does every game end, for a reason that stands in the rules? Each loop needs a measure that every pass makes smaller: it runs
// through something fixed, is cut off, takes a component from where none comes back, or counts in a range. Triggers, rules and
// definitions end by themselves: they do not call themselves, and a circle of triggers is a fault. Flow: rules -> here ->
// verify/check.
#pragma once

#include "base/source.h"
#include "interp/check/rules.h"

#include <string>
#include <vector>

namespace rip::verify {

struct LoopEnd {
  std::string loop;     ///< `tricks`, `repeat` in a rule
  Span span;
  std::string measure;  ///< why it ends; empty: no reason was found
};
struct Termination {
  std::vector<LoopEnd> loops;  ///< all but those of `for`, which end by themselves
  bool proved() const;
  /// `each pass of tricks takes a component from hand, and nothing brings one back`, for all loops.
  std::string text() const;
};
Termination termination_of(const rules::Rules& rules);

}  // namespace rip::verify
