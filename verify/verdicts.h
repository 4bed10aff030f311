// From counts to verdicts: one line for each property and claim of a run. Honest: what was only tried holds in so many games,
// what was never tried is vacuous. Flow: PlayStats -> here -> RunReport; used by verify/check.
#pragma once

#include "verify/check.h"
#include "verify/random_play.h"
#include "verify/termination.h"

namespace rip::verify {

/// Fills verdicts, lengths and ends of the report; stats hold what was met.
void judge(RunReport& report, const Version& version, const Playable& playable, PlayStats& stats, const CheckOptions& options, const Sources& sources);
/// What was searched to the end is proved or refuted; lines of judge() that say less give way.
void judge_search(RunReport& report, const Playable& playable, SearchResult search);
/// Nobody learns what they must not: proved by the whole game tree.
void judge_leaks(RunReport& report, const std::string& detail);
/// Every game ends: proved by the text of the rules, if nothing says otherwise and nothing says it better.
void judge_ends(RunReport& report, const Termination& termination);
/// No rule lets a secret out: proved by the text of the rules.
void judge_flows(RunReport& report, const Flows& flows);
/// The line of something that was violated.
VerdictLine violated(const Failure& failure);
std::string group_of(const Failure& failure);
/// `holds in 1234 games (at most 0.24 % of games break it, at 95 %)`
std::string holds_in(std::uint64_t games);

}  // namespace rip::verify
