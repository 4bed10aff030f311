// What the author of a script got wrong, as data: a code from one table, a place, a message, further places, a hint.
// Flow: grammar/ and interp/check/ report into Diagnostics; cli renders them for people or as JSON.
#pragma once

#include "base/source.h"

#include <string>
#include <string_view>
#include <vector>

namespace rip {

enum class Severity { error, warning };

/// One enumerator for each row of diagnostics.def, e.g. Code::R0203.
enum class Code {
#define RIP_DIAGNOSTIC(code, severity, title, explanation) code,
#include "base/diagnostics.def"
#undef RIP_DIAGNOSTIC
};

/// A row of the table: what `ripdsl explain R0203` prints.
struct CodeInfo {
  Code code;
  std::string_view name;  ///< "R0203"
  Severity severity;
  std::string_view title;        ///< "unknown name"
  std::string_view explanation;  ///< a few sentences
  std::string_view bad;          ///< a script fragment that has the fault
  std::string_view good;         ///< the same, mended
};
const CodeInfo& info(Code code);
const CodeInfo* find_code(std::string_view name);
const std::vector<CodeInfo>& all_codes();

/// A second place that belongs to a diagnostic, e.g. where the other half is declared.
struct RelatedPlace {
  Span span;
  std::string text;
};

struct Diagnostic {
  Code code;
  Severity severity;
  Span span;
  std::string message;  ///< lower case, names in backticks, no full stop
  std::vector<RelatedPlace> related;
  std::string hint;  ///< empty if there is no good one
};

class Diagnostics {
 public:
  /// Adds a diagnostic with the severity of its code. A second one with the same code and span is dropped.
  /// The reference is valid until the next report; use it to add a hint or related places.
  Diagnostic& report(Code code, Span span, std::string message);
  bool has_errors() const { return errors_ > 0; }
  std::size_t errors() const { return errors_; }
  /// In the order of their places.
  std::vector<Diagnostic> sorted() const;
  const std::vector<Diagnostic>& all() const { return items_; }
  /// More than this many errors are counted, not kept.
  static constexpr std::size_t kMaxKept = 100;

 private:
  std::vector<Diagnostic> items_;
  Diagnostic overflow_{};
  std::size_t errors_ = 0;
};

/// The message with its place, the source line, the underlined span, related places and hint; ANSI colours if asked for.
std::string render(const Diagnostic& diagnostic, const Sources& sources, bool colour);

/// The nearest of `candidates` to `word` by edit distance, or "" if none is near enough to be a likely slip.
std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace rip
