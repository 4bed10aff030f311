#include "cli/line_input.h"

#include <editline/readline.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <poll.h>
#include <unistd.h>

namespace rip::cli {

namespace {

constexpr int kMostRemembered = 1000;

// libedit calls back without a context
Completer g_complete;
std::vector<std::string> g_found;

char* next_completion(const char*, int state) {
  const auto at = static_cast<std::size_t>(state);
  return at < g_found.size() ? ::strdup(g_found[at].c_str()) : nullptr;
}

char** complete(const char* word, int begin, int) {
  const std::string before(rl_line_buffer, static_cast<std::size_t>(begin));
  g_found = g_complete(before, word);
  rl_attempted_completion_over = 1;  // names of files are no moves
  return rl_completion_matches(word, next_completion);
}

/// `$RIPDSL_HISTORY`, else `ripdsl/history` below `$XDG_STATE_HOME` or `~/.local/state`; empty if that cannot be told.
std::string history_file() {
  const auto set = [](const char* name) { return std::getenv(name) != nullptr && *std::getenv(name) != '\0'; };
  if (std::getenv("RIPDSL_HISTORY") != nullptr) return std::getenv("RIPDSL_HISTORY");
  if (set("XDG_STATE_HOME")) return std::string(std::getenv("XDG_STATE_HOME")) + "/ripdsl/history";
  return set("HOME") ? std::string(std::getenv("HOME")) + "/.local/state/ripdsl/history" : "";
}

}  // namespace

LineInput::LineInput(Completer completer) {
  if (!is_terminal()) return;
  rl_readline_name = const_cast<char*>("ripdsl");
  using_history();
  stifle_history(kMostRemembered);
  history_ = history_file();
  if (!history_.empty()) {
    std::error_code fault;  // without a folder there is no history, and that is no reason not to play
    std::filesystem::create_directories(std::filesystem::path(history_).parent_path(), fault);
    read_history(history_.c_str());
  }
  if (!completer) return;
  g_complete = std::move(completer);
  rl_attempted_completion_function = complete;
  static const char kBreaks[] = " \t(,[";
  rl_completer_word_break_characters = const_cast<char*>(kBreaks);
}

LineInput::~LineInput() {
  g_complete = {};
  g_found.clear();
  if (is_terminal()) rl_attempted_completion_function = nullptr;
}

std::optional<std::string> LineInput::read(const std::string& prompt) {
  if (is_terminal()) {
    char* line = readline(prompt.c_str());
    if (line == nullptr) return std::nullopt;
    std::string out = line;
    std::free(line);
    if (!out.empty()) {
      add_history(out.c_str());
      if (!history_.empty()) write_history(history_.c_str());  // at once: a session may end in any way
    }
    return out;
  }
  std::string line;
  if (!std::getline(std::cin, line)) return std::nullopt;
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return line;
}

bool LineInput::is_terminal() {
  static const bool terminal = isatty(STDIN_FILENO) != 0;
  return terminal;
}

bool LineInput::more_waits() {
  pollfd in{STDIN_FILENO, POLLIN, 0};
  return ::poll(&in, 1, 0) > 0;
}

}  // namespace rip::cli
