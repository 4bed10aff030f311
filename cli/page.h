// What a session prints: lines that fit the terminal, colours only where one looks on. Flow: cli/repl_* -> here -> standard output.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rip::cli {

/// Columns of `text` on a terminal; characters of one column each are assumed.
std::size_t columns_of(std::string_view text);

class Page {
 public:
  /// `width` 0: lines are as long as they are.
  Page(std::size_t width, bool colour) : width_(width), colour_(colour) {}
  /// $COLUMNS, else that of the terminal; without either, as in a pipe, lines are not broken.
  static Page of_standard_output();

  /// A line; what does not fit goes on below, `hang` blanks from the left. Broken at blanks, never inside of `<...>`.
  void line(std::string_view text, std::size_t hang = 0) const;
  /// Text with line ends of its own, as it is.
  void text(std::string_view text) const;

  std::string bold(std::string_view text) const { return painted(text, "1"); }
  std::string dim(std::string_view text) const { return painted(text, "2"); }
  std::string red(std::string_view text) const { return painted(text, "31"); }
  std::string green(std::string_view text) const { return painted(text, "32"); }

  std::size_t width() const { return width_; }

 private:
  std::string painted(std::string_view text, const char* code) const;
  std::size_t width_;
  bool colour_;
};

}  // namespace rip::cli
