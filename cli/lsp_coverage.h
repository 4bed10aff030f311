// Which clauses the scenarios of a script show, for the lenses above them. Scenarios take seconds together, so they run on a thread
// of their own, beside the editing. Flow: cli/lsp_names, verify/scenario -> here -> cli/lsp_server.
#pragma once

#include "cli/lsp_names.h"

#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace rip::cli::lsp {

/// The margin notes of rules and declarations in this document, by place: not those of scenarios, nor of what a variant replaces.
struct ClausePlace {
  std::string id;
  Span span;
};
std::vector<ClausePlace> clauses_of(const Names& names);

/// Counts from when it is made; what does not hold counts as far as it gets.
class ClauseCounts {
 public:
  explicit ClauseCounts(std::shared_ptr<const Names> names);
  /// Waits for the scenario that is running.
  ~ClauseCounts();
  ClauseCounts(const ClauseCounts&) = delete;
  ClauseCounts& operator=(const ClauseCounts&) = delete;

  /// No more scenarios after the one that is running.
  void stop() { stopped_ = true; }
  bool over() const { return over_; }
  /// `covered by 2 scenarios`, `a note`...; once it is over.
  std::string text(const std::string& clause) const;

 private:
  void count();

  std::shared_ptr<const Names> names_;
  std::map<std::string, std::size_t> scenarios_;  ///< by clause
  std::set<std::string> notes_, always_;          ///< clauses that a `note` tells; that hold without code
  std::atomic<bool> stopped_ = false, over_ = false;
  std::thread thread_;
};

}  // namespace rip::cli::lsp
