// Lines that people type: on a terminal with editing, a history that stays, and completion (libedit); else as they come.
// Flow: terminal or pipe -> here -> play, the REPL.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace rip::cli {

/// What may stand where `word` begins; `before` is the line up to there.
using Completer = std::function<std::vector<std::string>(const std::string& before, const std::string& word)>;

/// Only one at a time: libedit has one of everything.
class LineInput {
 public:
  explicit LineInput(Completer complete = {});
  ~LineInput();
  LineInput(const LineInput&) = delete;
  LineInput& operator=(const LineInput&) = delete;

  /// nullopt at the end of the input.
  std::optional<std::string> read(const std::string& prompt);
  static bool is_terminal();
  /// Something is there to be read without waiting: lines that are pasted.
  static bool more_waits();

 private:
  std::string history_;  ///< the file; empty: none
};

}  // namespace rip::cli
