// Where secrets may flow, read from the rules alone: every expression has a label, the secrets it depends on, each with the
// seats that may know it. A flow is a place where more seats may notice something than may know what it depends on: an open
// variable, what moves where, whom the rules ask, what they offer, whether they go on. Over-approximates: a flow need not be a
// leak (decision 24); where there is none, no rule lets a secret out. Flow: rules -> here -> verify/check, counterexamples.
#pragma once

#include "base/source.h"
#include "interp/check/rules.h"

#include <string>
#include <vector>

namespace rip::verify {

/// A front or a hidden variable that is read.
struct Secret {
  Span span;
  rules::TypeId type = rules::kNoId;  ///< of the component
  rules::VarId var = rules::kNoId;
};

struct Flow {
  enum class Sink { options, asked, variable, table, goes_on, score, eyes };
  Secret secret;
  Span sink;                          ///< where it may show
  Sink kind = Sink::table;
  rules::VarId to = rules::kNoId;     ///< of a variable
};
struct Flows {
  std::vector<Flow> all;     ///< in the order of the rules; each pair of places once
  bool complete = true;      ///< false: the rules are too large to be followed
  bool any_secret = false;   ///< something is hidden from some seat
  bool none() const { return complete && all.empty(); }
};
Flows flows_of(const rules::Rules& rules);

/// A flow as people read it: where a secret is read, and where it shows.
struct Revealed {
  Span secret, shows;
  std::string what;  ///< `what is offered`
  friend bool operator==(const Revealed&, const Revealed&) = default;
};
Revealed told(const Flow& flow, const rules::Rules& rules);

}  // namespace rip::verify
