#include "grammar/tokens.h"

#include <algorithm>
#include <array>

namespace rip::grammar {

namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }
bool capital(char c) { return c >= 'A' && c <= 'Z'; }
bool letter(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }
bool of_word(char c) { return letter(c) || capital(c) || digit(c); }
bool blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f'; }

std::size_t end_of(std::string_view text, std::size_t at) {
  const char c = text[at];
  if (c == '#') {
    std::size_t end = std::min(text.find('\n', at), text.size());
    while (blank(text[end - 1])) --end;
    return end;
  }
  if (of_word(c)) return static_cast<std::size_t>(std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), of_word) - text.begin());
  if (c == '"') {
    const std::size_t end = text.find_first_of("\"\n", at + 1);
    return end == std::string_view::npos ? text.size() : end + 1;
  }
  constexpr std::array kTwo{"..", "==", "!=", "<=", ">="};
  return at + (std::find(kTwo.begin(), kTwo.end(), text.substr(at, 2)) != kTwo.end() ? 2 : 1);
}

TokenKind kind_of(char first) {
  if (first == '#') return TokenKind::comment;
  if (first == '"') return TokenKind::string;
  if (digit(first)) return TokenKind::number;
  if (capital(first)) return TokenKind::type;
  return letter(first) ? TokenKind::word : TokenKind::sign;
}

}  // namespace

std::vector<Token> tokens(std::string_view text) {
  std::vector<Token> out;
  for (std::size_t at = 0; at < text.size();) {
    if (blank(text[at])) {
      ++at;
      continue;
    }
    const std::size_t end = end_of(text, at);
    out.push_back({kind_of(text[at]), static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end)});
    at = end;
  }
  return out;
}

}  // namespace rip::grammar
