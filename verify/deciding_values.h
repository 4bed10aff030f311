// The values that a condition has read, part by part: `c.value is 3`, `fits(c, g) is no (line 9)`. What they are read from is lowered
// first (note), so the machine must be made afterwards (read). Flow: rules::ExprId -> here -> verify/why.
#pragma once

#include "base/source.h"
#include "verify/game.h"
#include "verify/reading.h"

#include <string>
#include <vector>

namespace rip::verify {

class DecidingValues {
 public:
  DecidingValues(Playable& playable, const Sources& sources) : playable_(playable), sources_(sources) {}

  /// The parts of an expression, each once, in the order of the text; constants say themselves.
  void note(rules::ExprId id);
  /// A line for each part.
  std::vector<std::string> read(Machine& machine, State& state) const;

 private:
  struct Part {
    std::string text;
    Reading reading;
    std::string where;  ///< of a definition: where it stands
  };
  std::string defined_at(rules::LetId id) const;
  std::string source(Span span) const;

  Playable& playable_;
  const Sources& sources_;
  std::vector<Part> parts_;
};

}  // namespace rip::verify
