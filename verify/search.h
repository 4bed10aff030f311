// Every state that one configuration can reach, breadth first: claims and universal properties are tested in each, so what
// holds is proved, what breaks is shown by a shortest game, and the graph says whether every game ends.
// Flow: Playable -> search -> SearchResult -> verify/check. A state is a stop of the machine; its edges are the options of
// the seat to ask next, or the outcomes of chance. States are kept as 128-bit fingerprints; only the frontier is kept whole.
#pragma once

#include "verify/canonical.h"
#include "verify/claims.h"
#include "verify/endless.h"
#include "verify/properties.h"
#include "verify/tape.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace rip::verify {

struct SearchOptions {
  double seconds = 2;
  std::uint64_t states = 50'000'000;
  std::uint64_t memory = std::uint64_t{2} << 30;  ///< bytes
  unsigned jobs = 1;
  Reductions reductions;
  std::function<void(const std::string&)> progress;  ///< a line that replaces the one before
};

/// Something that does not hold, with a game that shows it in as few steps as any can.
struct Refuted {
  Failure failure;
  Tape tape;
};

struct SearchResult {
  explicit SearchResult(const ir::Program& program) : tally(program) {}
  enum class Ended { complete, time, states, memory, options } ended = Ended::complete;
  std::uint64_t states = 0, edges = 0, ends = 0;
  std::uint64_t depth = 0;          ///< steps of the longest of all shortest games
  std::uint64_t bytes = 0;          ///< of memory at the end
  double seconds = 0;
  Tally tally;                      ///< over all states and edges
  std::vector<Refuted> refuted;     ///< each key once
  // of the whole graph, so only if complete
  bool all_end = false;             ///< no game goes on for ever
  std::uint64_t longest = 0;        ///< decisions of the longest game, if all end
  bool can_always_end = false;      ///< from every state an end can be reached
  std::optional<EndlessGame> endless;

  bool complete() const { return ended == Ended::complete; }
  double bytes_per_state() const { return states == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(states); }
};

/// The same result for any number of jobs, unless a budget ends it. Names are those of legal_moves: of options that differ
/// only in names that are `any` the first one is followed.
SearchResult search(const Playable& playable, const SearchOptions& options);

/// `all 14,312 states`, `1,200,000 states, then the time was over`.
std::string extent(const SearchResult& result);

}  // namespace rip::verify
