#include "cli/lsp_text.h"

#include <algorithm>
#include <utility>

namespace rip::cli::lsp {

namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0u) == 0x80u; }

/// Characters of four bytes are two code units of UTF-16, all others are one.
std::uint32_t units(char first) { return static_cast<unsigned char>(first) >= 0xf0u ? 2 : 1; }

}  // namespace

void Text::replace_all(std::string text) {
  text_ = std::move(text);
  begins_ = {0};
  for (std::size_t i = 0; i < text_.size(); ++i) {
    const bool ends = text_[i] == '\n' || (text_[i] == '\r' && (i + 1 == text_.size() || text_[i + 1] != '\n'));
    if (ends) begins_.push_back(static_cast<std::uint32_t>(i + 1));
  }
}

std::uint32_t Text::end_of_line(std::uint32_t line) const {
  std::uint32_t end = line + 1 < begins_.size() ? begins_[line + 1] : static_cast<std::uint32_t>(text_.size());
  if (line + 1 == begins_.size()) return end;
  if (text_[end - 1] == '\n' && end - 1 > begins_[line] && text_[end - 2] == '\r') --end;
  return end - 1;
}

std::uint32_t Text::offset(Position at) const {
  if (at.line >= begins_.size()) return static_cast<std::uint32_t>(text_.size());
  const std::uint32_t end = end_of_line(at.line);
  std::uint32_t here = begins_[at.line], seen = 0;
  while (here < end) {
    seen += units(text_[here]);
    if (seen > at.character) break;
    ++here;
    while (here < end && continues(text_[here])) ++here;
  }
  return here;
}

Position Text::position(std::uint32_t offset) const {
  const auto line = static_cast<std::uint32_t>(std::upper_bound(begins_.begin(), begins_.end(), offset) - begins_.begin() - 1);
  std::uint32_t end = std::min(offset, end_of_line(line));
  while (end > begins_[line] && end < text_.size() && continues(text_[end])) --end;
  Position at{line, 0};
  for (std::uint32_t i = begins_[line]; i < end; ++i) {
    if (!continues(text_[i])) at.character += units(text_[i]);
  }
  return at;
}

void Text::replace(Position from, Position to, std::string_view text) {
  std::uint32_t begin = offset(from), end = offset(to);
  if (end < begin) std::swap(begin, end);
  std::string whole = std::move(text_);
  whole.replace(begin, end - begin, text);
  replace_all(std::move(whole));
}

}  // namespace rip::cli::lsp
