#include "base/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace rip {

Span join(Span a, Span b) { return {a.file, std::min(a.begin, b.begin), std::max(a.end, b.end)}; }

std::uint32_t Sources::add(std::string path, std::string text) {
  files_.push_back({std::move(path), std::move(text)});
  return static_cast<std::uint32_t>(files_.size() - 1);
}

Place Sources::place(std::uint32_t file, std::uint32_t offset) const {
  const std::string& text = files_[file].text;
  const std::size_t end = std::min<std::size_t>(offset, text.size());
  Place place;
  std::size_t line_begin = 0;
  for (std::size_t i = 0; i < end; ++i) {
    if (text[i] == '\n') {
      ++place.line;
      line_begin = i + 1;
    }
  }
  for (std::size_t i = line_begin; i < end; ++i) {
    // a byte that continues a character is none of its own
    if ((static_cast<unsigned char>(text[i]) & 0xc0u) != 0x80u) ++place.column;
  }
  return place;
}

std::string_view Sources::text(Span span) const {
  const std::string_view all = files_[span.file].text;
  const std::size_t begin = std::min<std::size_t>(span.begin, all.size());
  return all.substr(begin, std::min<std::size_t>(span.end, all.size()) - begin);
}

std::string_view Sources::line(std::uint32_t file, std::uint32_t line_number) const {
  const std::string_view all = files_[file].text;
  std::size_t begin = 0;
  for (std::uint32_t i = 1; i < line_number; ++i) {
    const std::size_t end = all.find('\n', begin);
    if (end == std::string_view::npos) return {};
    begin = end + 1;
  }
  std::string_view line = all.substr(begin, all.find('\n', begin) - begin);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

std::string Sources::where(Span span) const {
  const Place at = place(span.file, span.begin);
  return fmt::format("{}:{}:{}", files_[span.file].path, at.line, at.column);
}

ReadResult read_file(const std::string& path) {
  constexpr off_t kMost = 64 << 20;
  const int fd = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return {{}, std::strerror(errno)};
  ReadResult result;
  struct stat status {};
  if (::fstat(fd, &status) != 0) {
    result.error = std::strerror(errno);
  } else if (S_ISDIR(status.st_mode)) {
    result.error = "it is a directory";
  } else if (status.st_size > kMost) {
    result.error = "it is larger than 64 MiB";
  } else {
    char buffer[65536];
    while (true) {
      const ssize_t n = ::read(fd, buffer, sizeof buffer);
      if (n < 0) result.error = std::strerror(errno);
      if (n <= 0) break;
      result.text.append(buffer, static_cast<std::size_t>(n));
      if (static_cast<off_t>(result.text.size()) > kMost) {
        result.error = "it is larger than 64 MiB";
        break;
      }
    }
  }
  ::close(fd);
  if (!result.error.empty()) result.text.clear();
  return result;
}

namespace {

/// Writes and closes; whether both went well (else errno says why).
bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int why = errno;
      ::close(fd);
      errno = why;
      return false;
    }
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  const bool synced = ::fsync(fd) == 0 || errno == EINVAL;  // EINVAL: nothing that could be synced
  return ::close(fd) == 0 && synced;
}

}  // namespace

std::string replace_file(const std::string& path, std::string_view text) {
  std::error_code fault;
  const std::string real = std::filesystem::canonical(path, fault).string();
  struct stat status {};
  if (fault || ::stat(real.c_str(), &status) != 0) return fault ? fault.message() : std::strerror(errno);
  if (::access(real.c_str(), W_OK) != 0) return std::strerror(errno);
  std::string beside = real + ".XXXXXX";
  const int fd = ::mkstemp(beside.data());
  if (fd < 0) return std::strerror(errno);
  const bool mode_kept = ::fchmod(fd, status.st_mode & 07777u) == 0;
  if (write_all(fd, text) && mode_kept && ::rename(beside.c_str(), real.c_str()) == 0) return {};
  const std::string why = std::strerror(errno);
  ::unlink(beside.c_str());
  return why;
}

std::string create_file(const std::string& path, std::string_view text) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0 || !write_all(fd, text)) return std::strerror(errno);
  return {};
}

}  // namespace rip
