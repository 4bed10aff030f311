#include "verify/json.h"
#include "verify/report.h"

namespace rip::verify {

Json span_json(const Sources& sources, Span span) {
  if (span == Span{} || span.file >= sources.size()) return nullptr;
  const Place begin = sources.place(span.file, span.begin), end = sources.place(span.file, span.end);
  return {{"file", sources[span.file].path}, {"line", begin.line}, {"column", begin.column}, {"end_line", end.line}, {"end_column", end.column}};
}

std::string dumped(const Json& json) { return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"; }

namespace {

Json revealed_json(const Revealed& revealed, const Sources& sources) {
  return {{"secret", span_json(sources, revealed.secret)}, {"shows", span_json(sources, revealed.shows)}, {"in", revealed.what}};
}

Json verdict_json(const VerdictLine& line, const Sources& sources) {
  Json out = {{"name", line.name},
              {"kind", std::string(name(line.kind))},
              {"verdict", std::string(name(line.verdict))},
              {"detail", line.detail},
              {"span", span_json(sources, line.span)},
              {"trace", line.example && !line.example->trace.empty() ? Json(line.example->trace) : Json(nullptr)}};
  if (line.example) {
    const Counterexample& example = *line.example;
    out["counterexample"] = {{"players", example.players}, {"params", example.settings}, {"steps", example.steps}, {"found_in", example.before},
                             {"transcript", example.transcript}, {"worlds", example.worlds}, {"command", example.command},
                             {"flow", example.revealed ? revealed_json(*example.revealed, sources) : Json(nullptr)}};
  }
  return out;
}

Json coverage_json(const Coverage& coverage) {
  return {{"clauses", coverage.clauses}, {"moves", coverage.moves}, {"triggers", coverage.triggers}, {"branches", coverage.branches},
          {"parameters", coverage.parameters}, {"documented", coverage.documented}};
}

Json run_json(const RunReport& run, const Sources& sources) {
  Json params = Json::object();
  for (const auto& [name, value] : run.params) params[name] = value;
  Json verdicts = Json::array();
  for (const VerdictLine& line : run.verdicts) verdicts.push_back(verdict_json(line, sources));
  Json flows = Json::array();
  for (const Revealed& flow : run.flows) flows.push_back(revealed_json(flow, sources));
  Json search;
  if (run.search) {
    const SearchResult& s = *run.search;
    search = {{"config", run.kind == VersionKind::base ? "the game" : run.variant}, {"states", s.states}, {"edges", s.edges}, {"depth", s.depth}, {"complete", s.complete()},
              {"seconds", s.seconds}, {"bytes_per_state", s.bytes_per_state()}};
    if (s.complete()) {
      search["all_end"] = s.all_end;
      search["can_always_end"] = s.can_always_end;
      if (s.all_end) search["longest"] = s.longest;
    }
  }
  return {{"variant", run.variant},
          {"kind", run.kind == VersionKind::base ? "base" : run.kind == VersionKind::variant ? "variant" : "small"},
          {"players", run.players},
          {"params", std::move(params)},
          {"seed", run.seed},
          {"verdicts", std::move(verdicts)},
          {"coverage", coverage_json(run.coverage)},
          {"flows", std::move(flows)},
          {"search", std::move(search)},
          {"random",
           {{"games", run.games},
            {"decisions", {{"min", run.shortest}, {"median", run.median}, {"max", run.longest}}},
            {"ends", run.ends},
            {"thorough", run.thorough},
            {"beside_twins", run.beside_twins},
            {"twins", run.twins},
            {"unconfirmed", run.unconfirmed},
            {"second_evaluator", run.on_oracle},
            {"other_parameters", run.generated}}}};
}

Json diagnostic_json(const Diagnostic& d, const Sources& sources) {
  return {{"code", std::string(info(d.code).name)}, {"severity", d.severity == Severity::error ? "error" : "warning"}, {"message", d.message},
          {"span", span_json(sources, d.span)}, {"hint", d.hint}};
}

Json scenario_json(const ScenarioResult& result, const Sources& sources) {
  return {{"name", result.name}, {"variant", result.version}, {"passed", result.passed}, {"samples", result.samples}, {"all_ways", result.all_ways},
          {"span", span_json(sources, result.passed ? result.span : result.at)}, {"message", result.message}, {"sample", result.sample},
          {"transcript", result.transcript}};
}

}  // namespace

std::string report_json(const CheckReport& report, const Loaded& loaded) {
  Json runs = Json::array();
  for (const RunReport& run : report.runs) runs.push_back(run_json(run, loaded.sources));
  Json diagnostics = Json::array();
  for (const Diagnostic& d : loaded.diagnostics()) diagnostics.push_back(diagnostic_json(d, loaded.sources));
  return dumped({{"tool", "ripdsl"},
                 {"version", std::string(version_number())},
                 {"file", report.file},
                 {"game", report.game},
                 {"runs", std::move(runs)},
                 {"coverage", coverage_json(report.coverage)},
                 {"diagnostics", std::move(diagnostics)},
                 {"seconds", report.seconds},
                 {"ok", report.ok}});
}

std::string scenarios_json(const std::vector<ScenarioResult>& results, const Loaded& loaded) {
  Json scenarios = Json::array();
  bool ok = !loaded.has_errors();
  for (const ScenarioResult& result : results) {
    scenarios.push_back(scenario_json(result, loaded.sources));
    ok = ok && result.passed;
  }
  Json diagnostics = Json::array();
  for (const Diagnostic& d : loaded.diagnostics()) diagnostics.push_back(diagnostic_json(d, loaded.sources));
  return dumped({{"tool", "ripdsl"}, {"version", std::string(version_number())}, {"file", loaded.path}, {"game", loaded.script.title},
                 {"scenarios", std::move(scenarios)}, {"diagnostics", std::move(diagnostics)}, {"ok", ok}});
}

}  // namespace rip::verify
