#include "cli/lsp_coverage.h"

#include "cli/lsp_outline.h"
#include "grammar/tokens.h"
#include "verify/coverage.h"
#include "verify/scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace rip::cli::lsp {

std::vector<ClausePlace> clauses_of(const Names& names) {
  const std::vector<std::string> known = names.clauses();
  const std::set<std::string, std::less<>> ids(known.begin(), known.end());
  const std::vector<ScenarioPlace> scenarios = scenarios_of(names.loaded().script);
  std::vector<ClausePlace> out;
  const std::vector<grammar::Token> tokens = grammar::tokens(names.text());
  const auto text = [&](std::size_t i) { return names.text().substr(tokens[i].begin, tokens[i].end - tokens[i].begin); };
  bool inside = false;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view before = i == 0 ? "" : text(i - 1);
    if (text(i) == "[") inside = before != "replace" && before != "before" && before != "after" && before != "remove";
    else if (text(i) == "]") inside = false;
    if (!inside || (before != "[" && before != ",")) continue;
    // `R-3a` is several words
    Span span{0, tokens[i].begin, tokens[i].end};
    for (std::size_t next = i + 1; next < tokens.size() && tokens[next].begin == span.end && text(next) != "," && text(next) != "]"; ++next) span.end = tokens[next].end;
    const std::string_view id = names.sources().text(span);
    const auto is_of = [&](const ScenarioPlace& one) { return one.span.begin <= span.begin && span.begin < one.span.end; };
    if (ids.contains(id) && std::none_of(scenarios.begin(), scenarios.end(), is_of)) out.push_back({std::string(id), span});
  }
  return out;
}

ClauseCounts::ClauseCounts(std::shared_ptr<const Names> names) : names_(std::move(names)), thread_([this] { count(); }) {}

ClauseCounts::~ClauseCounts() {
  stop();
  thread_.join();
}

void ClauseCounts::count() {
  const verify::Loaded& loaded = names_->loaded();
  std::set<std::pair<std::string, std::uint32_t>> shown;  // a scenario that several versions play is one
  for (const auto& version : loaded.versions) {
    if (version->rules == nullptr) continue;
    notes_.merge(verify::nothing_covered(*version, loaded.sources).documented);
    always_.merge(verify::clauses_always(*version, loaded.sources));
    for (const rules::Scenario& scenario : version->rules->scenarios) {
      if (stopped_) break;
      try {
        const verify::ScenarioResult result = verify::run_scenario(*version, scenario, loaded.sources);
        for (const std::string& clause : verify::clauses_shown(*version, scenario, result, loaded.sources)) shown.emplace(clause, scenario.span.begin);
      } catch (const std::exception&) {
        // shows nothing
      }
    }
  }
  for (const auto& [clause, scenario] : shown) ++scenarios_[clause];
  over_ = true;
}

std::string ClauseCounts::text(const std::string& clause) const {
  if (const auto found = scenarios_.find(clause); found != scenarios_.end()) {
    return found->second == 1 ? "covered by 1 scenario" : fmt::format("covered by {} scenarios", found->second);
  }
  if (notes_.contains(clause)) return "a note";
  return always_.contains(clause) ? "holds in every game" : "not covered by any scenario";
}

}  // namespace rip::cli::lsp
