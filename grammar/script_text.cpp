#include "grammar/script_text.h"

#include <cctype>
#include <utility>

namespace rip::grammar {

namespace {
bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
}  // namespace

ScriptText::ScriptText(std::string text) : text_(std::move(text)), code_(text_) {
  for (std::size_t i = 0; i < code_.size(); ++i) {
    if (code_[i] != '#' && code_[i] != '"') continue;
    const char end = code_[i] == '#' ? '\n' : '"';
    code_[i] = ' ';
    for (++i; i < code_.size() && code_[i] != end && code_[i] != '\n'; ++i) code_[i] = ' ';
    if (i < code_.size() && code_[i] == '"') code_[i] = ' ';
  }
}

std::set<std::string> ScriptText::names(Span span) const {
  std::set<std::string> out;
  for (std::size_t i = span.begin; i < span.end;) {
    std::size_t end = i;
    while (end < span.end && in_name(code_[end])) ++end;
    if (end > i) out.insert(code_.substr(i, end - i));
    i = end + 1;
  }
  return out;
}

std::optional<Span> ScriptText::word(std::string_view word, Span span) const {
  for (std::size_t at = code_.find(word, span.begin); at != std::string::npos && at + word.size() <= span.end; at = code_.find(word, at + 1)) {
    const bool begins = at == 0 || !in_name(code_[at - 1]);
    const bool ends = at + word.size() == code_.size() || !in_name(code_[at + word.size()]);
    if (begins && ends) return Span{span.file, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + word.size())};
  }
  return std::nullopt;
}

Span ScriptText::closed(Span span) const {
  int open = 0;
  std::uint32_t lacking = 0;  ///< opening ones before the span
  for (std::uint32_t i = span.begin; i < span.end; ++i) {
    if (code_[i] == '(') ++open;
    if (code_[i] == ')' && --open < 0) {
      open = 0;
      ++lacking;
    }
  }
  while (lacking > 0 && span.begin > 0) {
    if (code_[--span.begin] == '(') --lacking;
  }
  while (open > 0 && span.end < code_.size()) {
    if (code_[span.end++] == ')') --open;
  }
  return span;
}

}  // namespace rip::grammar
