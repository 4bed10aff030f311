// The program as people and scripts use it: arguments and input, output and exit code.
#pragma once

#include "tests/files.h"

#include <array>
#include <cstdio>
#include <string>
#include <sys/wait.h>

namespace rip::tests {

struct Ran {
  int exit = -1;
  std::string out, err;
};

/// Runs it in a process of its own. With `exit` -1 it could not be started.
inline Ran run(const std::string& arguments, const std::string& input = "") {
  const std::filesystem::path in = folder() / "in", err = folder() / "err";
  std::ofstream(in, std::ios::binary) << input;
  const std::string command = std::string(RIP_BINARY) + " " + arguments + " <" + in.string() + " 2>" + err.string();
  Ran ran;
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return ran;
  std::array<char, 4096> buffer{};
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) ran.out.append(buffer.data(), n);
  const int status = ::pclose(pipe);
  ran.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
  ran.err = text_of(err);
  return ran;
}

}  // namespace rip::tests
