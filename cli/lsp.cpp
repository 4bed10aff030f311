// `ripdsl lsp`: the language server over standard input and output. Flow: an editor -> here (headers) -> cli/lsp_server.
#include "cli/command.h"
#include "cli/lsp_server.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <optional>
#include <poll.h>
#include <unistd.h>

namespace rip::cli {

namespace {

/// No editor sends more at once.
constexpr std::size_t kMostBytes = 256u << 20;
/// So often, in milliseconds, whether the scenarios have been counted meanwhile.
constexpr int kLookEvery = 50;

class Pipe {
 public:
  /// The next line without its end; nothing at the end of the input.
  std::optional<std::string> line() {
    std::size_t end;
    while ((end = buffer_.find('\n')) == std::string::npos) {
      if (buffer_.size() > kMostBytes || !more()) return std::nullopt;
    }
    std::string out = buffer_.substr(0, end);
    buffer_.erase(0, end + 1);
    if (!out.empty() && out.back() == '\r') out.pop_back();
    return out;
  }

  std::optional<std::string> bytes(std::size_t n) {
    while (buffer_.size() < n) {
      if (!more()) return std::nullopt;
    }
    std::string out = buffer_.substr(0, n);
    buffer_.erase(0, n);
    return out;
  }

  /// Whether something comes within so many milliseconds.
  bool waiting(int milliseconds = 0) const {
    if (!buffer_.empty()) return true;
    pollfd input{STDIN_FILENO, POLLIN, 0};
    return ::poll(&input, 1, milliseconds) > 0;
  }

 private:
  bool more() {
    char part[65536];
    ssize_t n;
    do n = ::read(STDIN_FILENO, part, sizeof part);
    while (n < 0 && errno == EINTR);
    if (n <= 0) return false;
    buffer_.append(part, static_cast<std::size_t>(n));
    return true;
  }

  std::string buffer_;
};

/// The number behind `Content-Length`, of the headers up to the empty line; 0 if there is none; nothing at the end.
std::optional<std::size_t> content_length(Pipe& pipe) {
  std::size_t length = 0;
  while (true) {
    const std::optional<std::string> line = pipe.line();
    if (!line) return std::nullopt;
    if (line->empty()) return length;
    constexpr std::string_view kName = "content-length:";
    std::string lower = *line;
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (!lower.starts_with(kName)) continue;
    const std::size_t digits = lower.find_first_not_of(' ', kName.size());
    if (digits == std::string::npos) continue;
    const auto [end, fault] = std::from_chars(lower.data() + digits, lower.data() + lower.size(), length);
    if (fault != std::errc{} || end != lower.data() + lower.size() || length > kMostBytes) length = 0;
  }
}

/// Whether it could be written.
bool send(const std::vector<lsp::Json>& messages) {
  for (const lsp::Json& message : messages) {
    const std::string body = message.dump(-1, ' ', false, lsp::Json::error_handler_t::replace);
    fmt::print("Content-Length: {}\r\n\r\n{}", body.size(), body);
  }
  return std::fflush(stdout) == 0;
}

int serve() {
  Pipe pipe;
  lsp::Server server;
  while (!server.over()) {
    const std::optional<std::size_t> length = content_length(pipe);
    if (!length) return 1;  // the editor has gone without a word
    const std::optional<std::string> message = pipe.bytes(*length);
    if (!message) return 1;
    if (!send(server.receive(*message))) return 1;
    // while somebody types, only the latest text is checked
    if (!pipe.waiting() && !send(server.rest())) return 1;
    while (server.counting() && !pipe.waiting(kLookEvery)) {
      if (!send(server.rest())) return 1;
    }
  }
  return server.exit_code();
}

}  // namespace

void add_lsp(Command app, int& exit) {
  const Command command = app.add_subcommand("lsp", "The language server, for editors: it talks over standard input and output");
  command.add_flag("--stdio", [] {}, "what it does anyway; some editors say it");
  command.footer(R"(Example, in Neovim:
  vim.lsp.start({ name = "ripdsl", cmd = { "ripdsl", "lsp" } }))");
  command.callback([&exit] { exit = serve(); });
}

}  // namespace rip::cli
