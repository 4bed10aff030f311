// What one seat notices of a game: the lines of its log, and what it sees, is asked and is offered where the game stands still.
// Two worlds in which all of that is equal are one to the seat. Flow: Machine -> here -> verify/worlds, verify/sample_world.
#pragma once

#include "interp/run/engine.h"

#include <string>
#include <vector>

namespace rip::verify {

/// The log of one seat as text, a line each.
class Witness : public Observer {
 public:
  explicit Witness(int seat) : seat_(seat) { wants_logs = true; }
  void log(int seat, const LogLine& line) override {
    if (seat == seat_) lines.append(line.text).append("\n");
  }
  std::string lines;

 private:
  int seat_;
};

/// View, turn, own options and own result. At a chance point nothing: a seat does not notice that chance is asked.
std::string seen_at_rest(Machine& machine, State& state, int seat, std::vector<Move>& scratch);

}  // namespace rip::verify
