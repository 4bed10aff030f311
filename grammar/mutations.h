// Small changes to the rules of a script, each as an edit of its text: what a slip of the pen could have written instead.
// Claims, reports, scenarios, `small` blocks, notes, types and `require`s stay as they are, and so does what only these read.
// Flow: grammar/parser -> here -> verify/mutate, which asks whether the script's own checks notice.
#pragma once

#include "base/source.h"
#include "grammar/ast.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rip::grammar {

enum class Change {
  statement,   ///< left out
  number,      ///< one more; an end of a range one further in
  comparison,  ///< `<` for `<=`, `==` for `!=`, `in` for `not in`
  condition,   ///< negated, or always true; `and` for `or`
  order,       ///< `high` for `low`, `top` for `bottom`, `from` for `after`, not `backwards`, not `under`
  zone,        ///< another one of the same components and indices
  trigger,     ///< never fires
  secret,      ///< shown to all, or hidden from all
  seat         ///< one is left out, or the next one is asked
};
std::string_view name(Change change);

/// `with` takes the place of the text in `span`.
struct Mutation {
  Change change = Change::statement;
  Span span;
  std::string with;
  std::string sheet;  ///< the variant that it stands in; empty: the base
};

/// All of them, by place. Each text that they make differs from the script and from all others.
std::vector<Mutation> mutations(const ast::Script& script, const Sources& sources);
/// The whole script with one change.
std::string mutated(std::string_view text, const Mutation& mutation);

}  // namespace rip::grammar
