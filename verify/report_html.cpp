#include "verify/report.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace rip::verify {

namespace {

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --line: #8884; --good: #1a7f37; --bad: #cf222e; --open: #9a6700; }
body { font: 15px/1.45 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: .2rem; } h2 { font-size: 1.1rem; margin-top: 2rem; border-bottom: 1px solid var(--line); }
table { border-collapse: collapse; width: 100%; } td, th { text-align: left; vertical-align: top; padding: .2rem .8rem .2rem 0; border-bottom: 1px solid var(--line); }
td.n { text-align: right; font-variant-numeric: tabular-nums; }
pre { overflow-x: auto; padding: .6rem .8rem; border: 1px solid var(--line); border-radius: 6px; font-size: 13px; line-height: 1.35; }
.proved, .holds, .covered { color: var(--good); } .violated, .error { color: var(--bad); font-weight: 600; } .vacuous, .budget, .missing { color: var(--open); }
.worlds { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; } .clauses { columns: 9rem; } .clauses div { break-inside: avoid; }
.muted { opacity: .7; } code { font-size: 13px; }
@media (max-width: 45rem) { .worlds { grid-template-columns: 1fr; } }
)";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

class Page {
 public:
  Page(const CheckReport& report, const Loaded& loaded) : report_(report), loaded_(loaded) {}

  std::string write() {
    const std::string game = escaped(report_.game.empty() ? report_.file : report_.game);
    const char* verdict = report_.budget_ended ? "budget" : report_.ok ? "holds" : "violated";
    const char* words = report_.budget_ended ? "holds as far as was searched, but a budget ended first" : report_.ok ? "holds" : "does not hold";
    out_ = fmt::format("<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>{}: check</title>\n<style>{}</style>\n", game, kStyle);
    add("<h1>{}</h1>\n<p><span class=\"{}\">{}</span> <span class=\"muted\">{}, {:.1f} s, seed {}, ripdsl {}</span></p>\n", game, verdict, words, escaped(report_.file), report_.seconds, report_.seed,
        version_number());
    add("<p>{}, {}; {} of {} hold.</p>\n", plural(report_.errors, "error"), plural(report_.warnings, "warning"),
        std::count_if(report_.scenarios.begin(), report_.scenarios.end(), [](const ScenarioResult& s) { return s.passed; }), plural(report_.scenarios.size(), "scenario"));
    violations();
    properties();
    searches();
    games();
    coverage();
    scenarios();
    out_ += "</html>\n";
    return std::move(out_);
  }

 private:
  template <class... T>
  void add(fmt::format_string<T...> format, T&&... values) {
    out_ += fmt::format(format, std::forward<T>(values)...);
  }

  void violations() {
    std::set<std::string> told;
    bool first = true;
    const auto heading = [&] {
      if (std::exchange(first, false)) out_ += "<h2>What does not hold</h2>\n";
    };
    for (const ScenarioResult& scenario : report_.scenarios) {
      if (scenario.passed) continue;
      heading();
      add("<p class=\"violated\">scenario &quot;{}&quot;: {}</p>\n<pre>{}", escaped(scenario.name), escaped(scenario.message), escaped(excerpt(loaded_.sources, scenario.at)));
      for (const std::string& line : scenario.transcript) add("{}\n", escaped(line));
      out_ += "</pre>\n";
    }
    for (const RunReport& run : report_.runs) {
      for (const VerdictLine& verdict : run.verdicts) {
        if (verdict.verdict != Verdict::violated && verdict.verdict != Verdict::error) continue;
        if (verdict.kind == PropertyKind::scenario || !told.insert(verdict.group).second) continue;
        heading();
        violation(run, verdict);
      }
    }
  }

  void violation(const RunReport& run, const VerdictLine& verdict) {
    add("<p><span class=\"{}\">{}</span>{}</p>\n", name(verdict.verdict), escaped(verdict.name), verdict.detail.empty() ? "" : ": " + escaped(verdict.detail));
    if (verdict.example && verdict.example->revealed) {
      const Revealed& revealed = *verdict.example->revealed;
      add("<p>The secret is read here,</p>\n<pre>{}</pre>\n", escaped(excerpt(loaded_.sources, revealed.secret)));
      add("<p>and shows in {}:</p>\n<pre>{}</pre>\n", escaped(revealed.what), escaped(excerpt(loaded_.sources, revealed.shows)));
    } else if (!(verdict.span == Span{})) {
      add("<pre>{}</pre>\n", escaped(excerpt(loaded_.sources, verdict.span)));
    }
    if (!verdict.example) return;
    const Counterexample& example = *verdict.example;
    add("<p class=\"muted\">{}, {} players, {} steps, found in a game of {}</p>\n<pre>", escaped(title(run.kind, run.variant)), example.players, example.steps, example.before);
    for (const std::string& line : example.transcript) add("{}\n", escaped(line));
    out_ += "</pre>\n";
    worlds(example.worlds);
    if (!example.command.empty()) add("<p>Replay: <code>{}</code></p>\n", escaped(example.command));
  }

  /// Lines `here:` and `there:` stand side by side.
  void worlds(const std::vector<std::string>& lines) {
    std::string here, there;
    for (const std::string& line : lines) {
      const std::size_t text = line.find_first_not_of(' ');
      if (text != std::string::npos && line.compare(text, 5, "here:") == 0) here = line.substr(text + 5);
      else if (text != std::string::npos && line.compare(text, 6, "there:") == 0) there = line.substr(text + 6);
      else add("<p>{}</p>\n", escaped(line));
    }
    if (!here.empty() || !there.empty()) add("<div class=\"worlds\"><pre>in one world\n{}</pre><pre>in the other\n{}</pre></div>\n", escaped(here), escaped(there));
  }

  void properties() {
    const std::vector<PropertyLine> lines = property_lines(report_);
    if (lines.empty()) return;
    out_ += "<h2>Properties and claims</h2>\n<table>\n";
    for (const PropertyLine& line : lines) {
      add("<tr><td class=\"{0}\">{0}<td>{1}<td class=\"muted\">{2}\n", name(line.verdict), escaped(line.name), escaped(line.detail));
    }
    out_ += "</table>\n";
  }

  void searches() {
    bool first = true;
    for (const RunReport& run : report_.runs) {
      if (!run.search) continue;
      if (std::exchange(first, false)) out_ += "<h2>Searched state by state</h2>\n<table>\n<tr><th>configuration<th>players<th>states<th>edges<th>depth<th>does every game end?\n";
      const SearchResult& s = *run.search;
      const std::string ends = !s.complete() ? "not searched to the end" : s.all_end ? fmt::format("yes, after at most {} decisions", s.longest) : s.can_always_end ? "not all, but an end can always be reached" : "no";
      add("<tr><td>{}<td class=\"n\">{}<td class=\"n\">{}<td class=\"n\">{}<td class=\"n\">{}<td>{}\n", escaped(title(run.kind, run.variant)), run.players, with_commas(s.states), with_commas(s.edges), s.depth, ends);
    }
    if (!first) out_ += "</table>\n";
  }

  void games() {
    if (std::none_of(report_.runs.begin(), report_.runs.end(), [](const RunReport& run) { return run.games > 0; })) return;
    out_ += "<h2>Played at random</h2>\n<table>\n<tr><th>configuration<th>players<th>games<th>decisions: shortest, median, longest<th>why games ended\n";
    for (const RunReport& run : report_.runs) {
      if (run.games == 0) continue;
      std::string ends;
      for (const auto& [reason, count] : run.ends) ends += fmt::format("{}{} {}", ends.empty() ? "" : "; ", with_commas(count), reason);
      if (run.endless) ends += "; " + text(*run.endless);
      add("<tr><td>{}<td class=\"n\">{}<td class=\"n\">{}<td>{}, {}, {}<td>{}\n", escaped(title(run.kind, run.variant)), run.players, with_commas(run.games), run.shortest, run.median, run.longest, escaped(ends));
    }
    out_ += "</table>\n";
  }

  void coverage() {
    const Coverage& shown = report_.coverage;
    if (!shown.clauses.empty()) {
      add("<h2>Clauses of the rulebook: {} of {} shown</h2>\n<div class=\"clauses\">\n", shown.clauses.size() - shown.clauses_not_shown().size(), shown.clauses.size());
      std::vector<std::string> ids;
      for (const auto& [id, count] : shown.clauses) ids.push_back(id);
      std::sort(ids.begin(), ids.end(), clause_before);
      for (const std::string& id : ids) {
        const std::uint64_t count = shown.clauses.at(id);
        const bool noted = count == 0 && shown.documented.contains(id);
        add("<div class=\"{}\">{} <span class=\"muted\">{}</span></div>\n", count > 0 || noted ? "covered" : "missing", escaped(id), noted ? "a note" : with_commas(count));
      }
      out_ += "</div>\n";
    }
    counts("Moves taken", shown.moves);
    counts("Triggers run", shown.triggers);
  }

  void counts(const char* heading, const std::map<std::string, std::uint64_t>& counts) {
    if (counts.empty()) return;
    add("<h2>{}</h2>\n<table>\n", heading);
    for (const auto& [text, count] : counts) add("<tr><td{}>{}<td class=\"n\">{}\n", count == 0 ? " class=\"missing\"" : "", escaped(text), with_commas(count));
    out_ += "</table>\n";
  }

  void scenarios() {
    if (report_.scenarios.empty()) return;
    out_ += "<h2>Scenarios</h2>\n<table>\n";
    for (const ScenarioResult& s : report_.scenarios) {
      add("<tr><td class=\"{}\">{}<td>{}<td class=\"muted\">{}\n", s.passed ? "holds" : "violated", s.passed ? "holds" : "fails", escaped(s.name), s.version.empty() ? "" : escaped(s.version));
    }
    out_ += "</table>\n";
  }

  const CheckReport& report_;
  const Loaded& loaded_;
  std::string out_;
};

}  // namespace

std::string report_html(const CheckReport& report, const Loaded& loaded) { return Page(report, loaded).write(); }

}  // namespace rip::verify
