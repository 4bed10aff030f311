// Which clauses of the rulebook, which moves, triggers and branches any game has shown, over random play, searches and scenarios
// together, and which parameters change anything. A clause is covered if one construct with its tag is; a `note` documents its clauses. Flow: Tally, scenarios -> Coverage -> reports.
#pragma once

#include "verify/game.h"
#include "verify/scenario.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace rip::verify {

struct Coverage {
  std::map<std::string, std::uint64_t> clauses, moves, triggers;
  std::map<std::string, std::uint64_t> branches;    ///< of `if` and `match`: `line 12: if c.value > 3`
  std::map<std::string, std::uint64_t> parameters;  ///< how many games went otherwise with another value
  std::uint64_t with_parameters = 0;                ///< of so many for each, or fewer if some went otherwise at once
  std::set<std::string> documented;  ///< clauses of a `note`

  void add(const Coverage& other);
  std::vector<std::string> clauses_not_shown() const;
};

/// All that could be covered in this version, with counts of 0; notes as documented.
Coverage nothing_covered(const Version& version, const Sources& sources);
/// `covered` is by cover point; declarations count once for each game.
void add_covered(Coverage& coverage, const Version& version, const Sources& sources, const std::vector<std::uint64_t>& covered, std::uint64_t games);

/// The names with a count of 0.
std::vector<std::string> never_seen(const std::map<std::string, std::uint64_t>& counts);

/// The clauses that one scenario shows: of the rules it went through, and its own if it holds.
std::set<std::string> clauses_shown(const Version& version, const rules::Scenario& scenario, const ScenarioResult& result, const Sources& sources);
/// Those without code, which hold in every game.
std::set<std::string> clauses_always(const Version& version, const Sources& sources);

/// Clause ids in the order people expect: letters, then the number.
bool clause_before(const std::string& a, const std::string& b);

}  // namespace rip::verify
