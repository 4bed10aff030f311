// Colours of reports on a terminal. Used by verify/report and verify/mutate_report.
#pragma once

#include <fmt/format.h>

#include <string>

namespace rip::verify {

struct Paint {
  bool on;
  std::string red(const std::string& text) const { return wrap(text, "31;1"); }
  std::string green(const std::string& text) const { return wrap(text, "32"); }
  std::string yellow(const std::string& text) const { return wrap(text, "33"); }
  std::string bold(const std::string& text) const { return wrap(text, "1"); }
  std::string wrap(const std::string& text, const char* code) const { return on ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text; }
};

}  // namespace rip::verify
