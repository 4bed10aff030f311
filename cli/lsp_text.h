// The text of an open document, and its positions as the Language Server Protocol counts them: lines from 0, and in a line code
// units of UTF-16 from 0. Flow: cli/lsp_server keeps one for each document; everything else counts in bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rip::cli::lsp {

struct Position {
  std::uint32_t line = 0, character = 0;
  friend bool operator==(const Position&, const Position&) = default;
};

class Text {
 public:
  explicit Text(std::string text) { replace_all(std::move(text)); }

  const std::string& text() const { return text_; }
  std::uint32_t lines() const { return static_cast<std::uint32_t>(begins_.size()); }

  /// Behind the end of a line: its end; behind the last line: the end of the text; inside of a character: its begin.
  std::uint32_t offset(Position at) const;
  /// Likewise for an offset behind the end or inside of a character or of `\r\n`.
  Position position(std::uint32_t offset) const;

  void replace_all(std::string text);
  /// What stands between the two positions, in whichever order they come, becomes `text`.
  void replace(Position from, Position to, std::string_view text);

 private:
  std::uint32_t end_of_line(std::uint32_t line) const;  ///< without its line end

  std::string text_;
  std::vector<std::uint32_t> begins_;  ///< of the lines
};

}  // namespace rip::cli::lsp
