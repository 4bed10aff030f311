// A game in words: phases, decisions, chance, what changed; all that lies on the table, or only what one seat notices.
// Flow: Tape -> here -> `play`, reports of counterexamples and scenarios; the pieces serve the REPL too.
#pragma once

#include "verify/tape.h"

#include <string>
#include <vector>

namespace rip::verify {

/// Keeps the log lines of all seats; those of a spectator are last.
class LogBook : public Observer {
 public:
  explicit LogBook(int players) : lines(static_cast<std::size_t>(players) + 1) { wants_logs = true; }
  void log(int seat, const LogLine& line) override { lines[static_cast<std::size_t>(seat)].push_back(line); }
  std::vector<std::vector<LogLine>> lines;
  void clear() {
    for (auto& seat : lines) seat.clear();
  }
};

/// `hand[Ann]: <guard> <money 5>` for each line of the view that is new or other than before.
std::vector<std::string> changes(const View& before, const View& after);
/// Draws in a row from one pile stand in one line: `draw yields <1>, <2>`. False: `text` does not go on `line`.
bool add_draw(std::string& line, const std::string& text);
/// How a game ended: scores and winners, or the fault with its place.
std::vector<std::string> ending(Sitting& sitting, const Sources* sources);
/// One step before it is taken, as `seat` may know it: `Ann: play(<money 5>, 3)`, `chance: tiles yields <rob>`.
std::string step_text(Sitting& sitting, const Step& step, int seat);

struct TranscriptOptions {
  int seat = kAllSeeing;
  bool table = true;         ///< what changed on the table after each step
  std::size_t last = 0;      ///< only the last steps; 0 = all
};
/// Plays the tape again and writes it down, one line for each thing that happened.
std::vector<std::string> transcript(const Playable& playable, const Tape& tape, const TranscriptOptions& options, const Sources* sources);

}  // namespace rip::verify
