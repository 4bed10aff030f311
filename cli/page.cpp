#include "cli/page.h"

#include "cli/command.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

namespace rip::cli {

namespace {

constexpr std::size_t kLeast = 20;  // narrower, a card alone would not fit

std::size_t width_of_terminal() {
  if (const char* columns = std::getenv("COLUMNS")) {
    const int n = std::atoi(columns);
    if (n > 0) return static_cast<std::size_t>(n) < kLeast ? kLeast : static_cast<std::size_t>(n);
  }
  winsize size{};
  if (isatty(STDOUT_FILENO) != 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return size.ws_col < kLeast ? kLeast : size.ws_col;
  }
  return 0;
}

/// Where a word begins at `at` ends: a card, `<money 5 down>`, is one word.
std::size_t word_end(std::string_view text, std::size_t at) {
  bool card = false;
  for (; at < text.size(); ++at) {
    if (text[at] == '<' && at + 1 < text.size() && text[at + 1] != ' ' && text[at + 1] != '=') card = true;
    if (text[at] == '>') card = false;
    if (text[at] == ' ' && !card) break;
  }
  return at;
}

}  // namespace

std::size_t columns_of(std::string_view text) {
  std::size_t n = 0;
  bool escape = false;
  for (const char c : text) {
    if (c == '\x1b') escape = true;
    if (!escape && (static_cast<unsigned char>(c) & 0xC0u) != 0x80) ++n;  // bytes that go on a character have no column
    if (escape && c == 'm') escape = false;
  }
  return n;
}

Page Page::of_standard_output() { return Page(width_of_terminal(), colour_out()); }

void Page::line(std::string_view text, std::size_t hang) const {
  if (width_ == 0 || columns_of(text) <= width_) {
    fmt::print("{}\n", text);
    return;
  }
  if (hang > width_ / 2) hang = width_ / 2;
  std::string row;
  std::size_t columns = 0;
  bool first = true;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t blanks = text.find_first_not_of(' ', at) == std::string_view::npos ? text.size() : text.find_first_not_of(' ', at);
    const std::size_t end = word_end(text, blanks);
    const std::string_view word = text.substr(blanks, end - blanks);
    const std::size_t needed = (blanks - at) + columns_of(word);
    if (columns + needed > width_ && columns > (first ? 0 : hang)) {
      fmt::print("{}\n", row);
      row = std::string(hang, ' ');
      columns = hang;
      first = false;
      row += word;
      columns += columns_of(word);
    } else {
      row += text.substr(at, end - at);
      columns += needed;
    }
    at = end;
  }
  fmt::print("{}\n", row);
}

void Page::text(std::string_view text) const {
  fmt::print("{}", text);
  if (!text.empty() && text.back() != '\n') fmt::print("\n");
}

std::string Page::painted(std::string_view text, const char* code) const {
  return colour_ && !text.empty() ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

}  // namespace rip::cli
