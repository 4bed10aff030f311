// Source text and places in it. Everything that can be wrong with a script points here through a Span.
// Flow: cli reads a file -> Source; grammar/ and interp/ keep Spans; base/diagnostic renders them.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace rip {

/// A half-open range of bytes [begin, end) in one source file.
struct Span {
  std::uint32_t file = 0;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  friend bool operator==(const Span&, const Span&) = default;
};

/// The smallest span that covers both; they must be in one file.
Span join(Span a, Span b);

/// A place as people count it: line and column from 1, the column in characters (UTF-8), not bytes.
struct Place {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

struct Source {
  std::string path;  ///< as given by the user
  std::string text;
};

/// All files of one run; a Span's `file` indexes it. Sources never move once added.
class Sources {
 public:
  std::uint32_t add(std::string path, std::string text);
  const Source& operator[](std::uint32_t file) const { return files_[file]; }
  std::size_t size() const { return files_.size(); }

  Place place(std::uint32_t file, std::uint32_t offset) const;
  std::string_view text(Span span) const;
  std::string_view line(std::uint32_t file, std::uint32_t line_number) const;
  /// `games/war.rip:14:9`
  std::string where(Span span) const;

 private:
  std::deque<Source> files_;
};

/// The whole file, or why it cannot be read (missing, directory, no permission, larger than 64 MiB).
struct ReadResult {
  std::string text;
  std::string error;  ///< empty when the text was read
};
ReadResult read_file(const std::string& path);

/// Puts `text` in the place of a file that is there, all at once: whoever reads it has the old text or the new one. The file
/// keeps its permissions, a link goes on pointing to it. Returns why that cannot be done; empty = it is done.
std::string replace_file(const std::string& path, std::string_view text);

/// Writes a file that is not there yet; likewise.
std::string create_file(const std::string& path, std::string_view text);

}  // namespace rip
