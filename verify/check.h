// `ripdsl check`: one game, all versions and player counts, one verdict for each thing that should hold. Flow: Loaded ->
// scenarios, random play, RapidCheck, twins, coverage -> CheckReport -> verify/report (text, JSON).
#pragma once

#include "verify/coverage.h"
#include "verify/endless.h"
#include "verify/game.h"
#include "verify/labels.h"
#include "verify/properties.h"
#include "verify/scenario.h"
#include "verify/search.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rip::verify {

enum class Verdict { proved, holds, violated, budget, vacuous, error };
std::string_view name(Verdict verdict);

/// A violation made short, for people.
struct Counterexample {
  std::vector<std::string> settings;     ///< `purse=3`: parameters that are not the defaults
  int players = 0;
  std::string detail;                    ///< what happens in the shortest game
  std::size_t steps = 0, before = 0;     ///< of the shortest game found, and of the one it was found in
  std::vector<std::string> transcript;
  std::vector<std::string> worlds;       ///< of a leak: the two worlds
  std::optional<Revealed> revealed;      ///< of a leak, if the rules explain it
  std::string trace;                     ///< the file it was saved to
  std::string command;                   ///< what repeats it
  bool saved_before = false;             ///< it was known from an earlier run
};

struct VerdictLine {
  std::string name;
  PropertyKind kind = PropertyKind::range;
  Verdict verdict = Verdict::holds;
  std::string detail;
  Span span;
  std::string group;                     ///< equal for the same mistake in several runs
  std::optional<Counterexample> example; ///< in one run of each group
};

/// One version with one number of players and the default parameters.
struct RunReport {
  std::string variant;
  VersionKind kind = VersionKind::base;
  int players = 0;
  std::vector<std::pair<std::string, std::string>> params;
  std::uint64_t seed = 0;
  std::vector<VerdictLine> verdicts;
  Coverage coverage;
  std::uint64_t games = 0, thorough = 0, beside_twins = 0, on_oracle = 0, generated = 0, configurations = 0;
  std::uint64_t twins = 0, unconfirmed = 0;
  std::uint64_t decisions_in_all = 0, shortest = 0, median = 0, longest = 0;
  std::map<std::string, std::uint64_t> ends;
  std::vector<Revealed> flows;           ///< where the text of the rules may let a secret out
  std::optional<EndlessGame> endless;
  std::optional<SearchResult> search;    ///< of a `small`, or of what stands in for one
  double seconds = 0;
};

struct CheckOptions {
  bool do_static = true, do_scenarios = true, do_search = true, do_random = true, do_leaks = true, do_coverage = true;
  std::uint64_t games = 0;      ///< of each run; 0: by time
  double seconds = 7;           ///< in all; a long search takes more
  double search_seconds = 0;    ///< of these for searches; 0: up to two and a half times as much, if they need it
  std::uint64_t states = 0;     ///< of each search; 0: as many as there is time for
  std::uint64_t memory = std::uint64_t{2} << 30;  ///< bytes, of each search
  Reductions reductions;        ///< of each search
  unsigned jobs = 0;            ///< 0: as many as the machine has
  std::uint64_t seed = 1;
  std::optional<std::string> variant;
  int players = 0;
  std::vector<std::string> settings;
  std::size_t most_decisions = 100000;
  bool save_failures = true;
  double shrink_seconds = 1.5;
  std::function<void(const std::string&)> progress;  ///< one line that replaces the one before; may come from any thread, one at a time
};

struct CheckReport {
  std::string file, game;
  std::vector<RunReport> runs;
  std::vector<ScenarioResult> scenarios;
  Coverage coverage;
  std::uint64_t seed = 0;
  std::size_t errors = 0, warnings = 0;
  std::vector<std::string> ruled_out;  ///< numbers of players that a `require` refuses, each with that
  std::string usage_error;      ///< a wish that cannot be met: unknown variant, parameter
  double seconds = 0;
  bool ok = false;
  bool budget_ended = false;    ///< nothing is violated, but a `small` was not searched to the end
};
CheckReport check_game(const Loaded& loaded, const CheckOptions& options);

/// Why there is no version with this name, and which there are; empty: there is one, or the script has none at all.
std::string unknown_variant(const Loaded& loaded, const std::string& name);

/// Runs the scenarios of all versions (or of one) whose names contain `match`, on `jobs` threads; in the order of the script.
std::vector<ScenarioResult> run_scenarios(const Loaded& loaded, const std::optional<std::string>& variant, const std::string& match, unsigned jobs,
                                          const ScenarioOptions& options);

}  // namespace rip::verify
