// Is `any s in Side` true, so that it never matters which value it takes? Two games that differ in it alone go on side by
// side. Flow: Sitting at a decision -> Failure; called by verify/properties.
#pragma once

#include "verify/properties.h"

namespace rip::verify {

/// Some move of the program leaves names open.
bool has_any(const ir::Program& program);
/// Takes one option of the decision with two values of what is `any`, then equal decisions and chance for some steps.
std::optional<Failure> examine_any(Sitting& sitting, int seat, Rng& rng);

}  // namespace rip::verify
