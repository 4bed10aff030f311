// `ripdsl mutate`: would anybody notice a slip in the rules? Each small change of the script (grammar/mutations) is judged by
// what the script itself brings: its scenarios, its claims and the universal properties in random games, leaks, and its
// `small` blocks where they are cheap. Flow: Loaded -> mutate_game -> MutationReport -> verify/mutate_report -> cli/mutate.
#pragma once

#include "grammar/mutations.h"
#include "verify/game.h"
#include "verify/properties.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace rip::verify {

enum class Fate {
  refused,   ///< the checker finds an error in it: no game to judge
  equal,     ///< the same program as before in every configuration that was compared
  caught,
  survived
};
std::string_view name(Fate fate);

/// One change and what came of it.
struct Mutant {
  grammar::Mutation mutation;
  Fate fate = Fate::survived;
  PropertyKind kind = PropertyKind::scenario;  ///< of what caught it
  std::string by;      ///< `scenario "two guards pay once"`, `always "hands are full"`, the message of the checker
  std::string in;      ///< `the game, 3 players`
  std::string detail;  ///< what was seen
};

struct MutateOptions {
  double seconds = 60;            ///< 0: no limit
  std::uint64_t mutants = 0;      ///< a sample of so many; 0: all
  std::uint64_t games = 48;       ///< of each number of players, half of it for each variant
  std::uint64_t states = 25'000;  ///< a `small` of up to so many is searched
  unsigned jobs = 0;              ///< 0: as many as the machine has
  std::uint64_t seed = 1;
  std::optional<std::string> variant;
  std::function<void(const std::string&)> progress;  ///< one line that replaces the one before
};

struct MutationReport {
  std::string file, game;
  std::uint64_t seed = 0;
  std::string usage_error;       ///< a wish that cannot be met
  std::string failed;            ///< why the script itself does not hold: then nothing was changed
  std::size_t possible = 0;      ///< changes that there are
  std::size_t wished = 0;        ///< that were to be judged
  std::vector<Mutant> mutants;   ///< that were judged, by place
  double seconds = 0;

  std::size_t count(Fate fate) const;
  /// Caught, of those that are neither refused nor equal; 100 if there are none.
  double percent() const;
  bool time_ended() const { return mutants.size() < wished; }
};
/// The same for any number of jobs, unless the time ends.
MutationReport mutate_game(const Loaded& loaded, const MutateOptions& options);

/// The report as text: counts, by whom mutants were caught, and each survivor with its place and change.
std::string mutation_text(const MutationReport& report, const Loaded& loaded, bool colour);
/// One JSON document.
std::string mutation_json(const MutationReport& report, const Loaded& loaded);

}  // namespace rip::verify
