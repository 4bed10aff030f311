// What tests do with files: read one, split it into lines, write a script into a folder of their own.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace rip::tests {

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The parts of a text between one sign and the next.
inline std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(at, begin), text.size());
    out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}
inline std::vector<std::string> lines_of(const std::string& text) { return split(text, '\n'); }

/// A folder of this test process.
inline std::filesystem::path folder() {
  static const std::filesystem::path path = [] {
    const std::filesystem::path made = std::filesystem::temp_directory_path() / ("ripdsl-tests-" + std::to_string(::getpid()));
    std::filesystem::create_directories(made);
    return made;
  }();
  return path;
}

/// Writes a file into that folder; its path.
inline std::string written(const std::string& name, const std::string& text) {
  const std::filesystem::path path = folder() / name;
  std::ofstream(path, std::ios::binary) << text;
  return path.string();
}

}  // namespace rip::tests
