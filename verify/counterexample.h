// A failure that was met becomes a counterexample: played again, made short, told, saved beside the script, and tried first
// the next time. Flow: Met -> here -> Counterexample; used by verify/check.
#pragma once

#include "verify/check.h"
#include "verify/examine.h"

#include <memory>
#include <string>
#include <vector>

namespace rip::verify {

/// A failure with the game that shows it.
struct Found {
  const Version* version = nullptr;
  rules::Config config;
  std::shared_ptr<const Playable> playable;
  Examined game;              ///< with a failure
  std::uint64_t seed = 0;
  bool thorough = false;      ///< the failure needs the thorough examination
  bool shrunk = false;        ///< it is short already
  std::string saved;          ///< the file it was read from
};
Counterexample explain(const Loaded& loaded, Found found, const CheckOptions& options);

/// The games that failed in an earlier run and still do.
std::vector<Found> saved_failures(const Loaded& loaded, const CheckOptions& options);
/// `.ripdsl/failures` beside the script.
std::string failure_folder(const std::string& script);

}  // namespace rip::verify
