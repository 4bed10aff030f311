// What cli/lsp_server's files share: names of files as the protocol writes them, and requests that fail.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace rip::cli::lsp {

inline constexpr const char* kRunScenario = "ripdsl.runScenario";

/// Why a request has no result; `code` as the protocol numbers errors.
struct Failure : std::runtime_error {
  Failure(int number, const std::string& message) : std::runtime_error(message), code(number) {}
  int code;
};

/// `file:///a%20b.rip` is `/a b.rip`; anything else is taken as it is.
std::string path_of(std::string_view uri);
std::string uri_of(std::string_view path);

}  // namespace rip::cli::lsp
