// The words of a text without the grammar: for a dump of the tokens and for the formatter, which both also want what cannot
// stand in a syntax tree. The parser does not use it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace rip::grammar {

enum class TokenKind : std::uint8_t { word, type, number, string, sign, comment };

struct Token {
  TokenKind kind;
  std::uint32_t begin = 0, end = 0;  ///< bytes; a comment ends before its line end and the blanks there
};

/// All tokens and comments, in order. Any text will do: what is no token of the language is a sign of one byte.
std::vector<Token> tokens(std::string_view text);

}  // namespace rip::grammar
