// A script as the formatter sees it: its tokens, margin notes and comments in a row, each with what its place in the tree
// means for the white space around it. Part of grammar/format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "grammar/node.h"

namespace rip::grammar {

struct Piece {
  enum class Form : std::uint8_t {
    token,
    comment,
    tag,          ///< a margin note, as one piece
    open_block,   ///< `{` of a list without separators, or of the values of an enum
    open_bracket, ///< `(`, `[`, `{` of a set, `<` of a phrase
    close_block,
    close_bracket,
  };
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::string text;
  Form form = Form::token;
  Kind list_item{};          ///< with `item`: what begins here
  bool item = false;         ///< an element of a list without separators begins here
  bool of_enum = false;      ///< an open_block around names with commas
  bool of_value = false;     ///< an open_block in an expression: of a `match`
  bool tight = false;        ///< nothing stands between this `(` or `[` and what is before it
  bool prefix = false;       ///< a sign, no subtraction
  bool branch = false;       ///< the `else` of a statement
  std::size_t mate = kNone;  ///< of a bracket: the other one
  std::size_t keys = kNone;  ///< the first piece of the `by` list that this one goes on with
  int line_ends = 0;         ///< before it, in the text
};

std::vector<Piece> pieces(std::string_view text, const Node& script);

}  // namespace rip::grammar
