// The text of a script without what is no code: comments and strings are blanked out, so that words and parentheses can be
// looked for where the syntax tree keeps no place of its own. Used by grammar/mutations.
#pragma once

#include "base/source.h"

#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace rip::grammar {

class ScriptText {
 public:
  explicit ScriptText(std::string text);
  operator std::string_view() const { return text_; }  ///< as written

  /// Names and words in the span, each once.
  std::set<std::string> names(Span span) const;
  /// The first place of a word within the span.
  std::optional<Span> word(std::string_view word, Span span) const;
  /// The span with the parentheses that it cuts through: the tree does not keep them.
  Span closed(Span span) const;

 private:
  std::string text_, code_;
};

}  // namespace rip::grammar
