// A recorded game on disk: JSON Lines with every step by name, so that people can read it and a changed script can still
// replay it as far as it fits. Flow: Tape <-> here; `play --save-trace`, `--trace`, counterexamples, the REPL.
#pragma once

#include "verify/tape.h"

#include <string>
#include <vector>

namespace rip::verify {

struct TraceStep {
  std::int32_t seat = -1;  ///< -1: chance
  std::string text;        ///< `play(<money 5>, 3)`; of chance: `draw yields <money 5>`
  std::uint32_t index = 0, of = 1;
};
struct Trace {
  std::string file, game, variant;
  int players = 0;
  std::vector<std::string> settings;  ///< `NAME=VALUE` of all parameters
  std::uint64_t seed = 0;
  std::string property;               ///< of a counterexample: what it breaks
  std::vector<TraceStep> steps;
  std::string end;                    ///< `over`, `fault`, `open`
  std::string hash;
};

struct TraceOrigin {
  std::string file;
  std::uint64_t seed = 0;
  std::string property;
};
/// The trace as text, one JSON document in each line. The tape is played again to name its steps.
std::string trace_text(const Playable& playable, const Tape& tape, const TraceOrigin& origin);
/// Why the file could not be written; empty = it was. Missing folders are made.
std::string write_file(const std::string& path, const std::string& text);

struct ReadTrace {
  Trace trace;
  std::string error;  ///< `line 7: ...`; empty = it was read
};
ReadTrace read_trace(const std::string& path);
ReadTrace parse_trace(const std::string& text);

/// Takes the steps of a trace by their texts (by the index where several read the same).
Fit replay(Sitting& sitting, const Trace& trace);

}  // namespace rip::verify
