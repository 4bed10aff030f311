// A definition with its arguments put in: what `fits(<5>, 2)` says, as an expression that can be read where the call stands.
// Flow: rules::Expr of a call -> here -> verify/why.
#pragma once

#include "interp/check/rules.h"

namespace rip::verify {

/// The value of the definition that `call` calls, with the arguments in place of the parameters; places in the source stay those of the
/// definition. Adds to the rules.
rules::ExprId value_with_arguments(rules::Rules& rules, const rules::Expr& call);

}  // namespace rip::verify
