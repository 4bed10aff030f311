#include "verify/report.h"

#include "verify/paint.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace rip::verify {

namespace {

/// Wraps a list of words behind a heading.
std::string wrapped(const std::vector<std::string>& words, std::size_t indent) {
  std::string out;
  std::size_t column = indent;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string word = words[i] + (i + 1 < words.size() ? "," : "");
    if (column + word.size() + 1 > 110 && column > indent) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (i > 0) {
      out += " ";
    }
    out += word;
    column += word.size() + 1;
  }
  return out;
}

class TextReport {
 public:
  TextReport(const CheckReport& report, const Loaded& loaded, bool colour, bool verbose) : report_(report), loaded_(loaded), paint_{colour}, verbose_(verbose) {}

  std::string write() {
    out_ += paint_.bold(report_.game.empty() ? report_.file : fmt::format("{} ({})", report_.game, report_.file)) + "\n";
    statics();
    scenarios();
    searches();
    games();
    verdicts();
    violations();
    coverage();
    out_ += report_.budget_ended ? paint_.yellow("holds as far as was searched, but a budget ended first") : report_.ok ? paint_.green("holds") : paint_.red("does not hold");
    out_ += fmt::format("  ({:.1f} s, seed {})\n", report_.seconds, report_.seed);
    return std::move(out_);
  }

 private:
  void statics() {
    out_ += fmt::format("  static       {}, {}\n", report_.errors == 0 ? "no errors" : paint_.red(plural(report_.errors, "error")), plural(report_.warnings, "warning"));
    for (const std::string& what : report_.ruled_out) out_ += fmt::format("  ruled out    {}\n", what);
    std::vector<Revealed> flows;
    for (const RunReport& run : report_.runs) {
      for (const Revealed& flow : run.flows) {
        if (std::find(flows.begin(), flows.end(), flow) == flows.end()) flows.push_back(flow);
      }
    }
    if (flows.empty()) return;
    out_ += fmt::format("    what depends on a secret may show in {}; whether it does is tried in play{}\n", plural(flows.size(), "place"), verbose_ ? ":" : " (--verbose lists them)");
    if (!verbose_) return;
    for (const Revealed& flow : flows) {
      const auto text = loaded_.sources.text(flow.secret);
      out_ += fmt::format("      {}: `{}` may show in {} at {}\n", loaded_.sources.where(flow.secret), text.substr(0, text.find('\n')), flow.what, loaded_.sources.where(flow.shows));
    }
  }

  void scenarios() {
    if (report_.scenarios.empty()) return;
    const auto failed = std::count_if(report_.scenarios.begin(), report_.scenarios.end(), [](const ScenarioResult& s) { return !s.passed; });
    out_ += fmt::format("  scenarios    {} hold{}\n", report_.scenarios.size() - static_cast<std::size_t>(failed),
                        failed == 0 ? "" : ", " + paint_.red(fmt::format("{} fail", failed)));
  }

  void searches() {
    for (const RunReport& run : report_.runs) {
      if (!run.search) continue;
      const SearchResult& search = *run.search;
      const std::string version = title(run.kind, run.variant);
      out_ += fmt::format("  search       {}, {} players: {}, {} edges, depth {}, {:.1f} s\n", version, run.players,
                          search.complete() ? extent(search) : paint_.yellow(extent(search)), with_commas(search.edges), search.depth, search.seconds);
      if (!search.complete()) continue;
      if (search.all_end) out_ += fmt::format("    every game ends, after at most {} decisions{}\n", search.longest, search.endless ? "; " + text(*search.endless) : "");
      else out_ += fmt::format("    {}\n", search.can_always_end ? "from every state an end can be reached" : paint_.red("there are states from which no end can be reached"));
    }
  }

  void games() {
    std::uint64_t games = 0, decisions = 0, generated = 0;
    for (const RunReport& run : report_.runs) {
      games += run.games;
      decisions += run.decisions_in_all;
      generated += run.generated;
    }
    if (games == 0) return;
    out_ += fmt::format("  random play  {} with {} in {}{}\n", plural(games, "game"), plural(decisions, "decision"), plural(report_.runs.size(), "configuration"),
                        generated == 0 ? "" : fmt::format("; {} more with other parameters", with_commas(generated)));
    // one line for each version: its player counts together
    for (std::size_t begin = 0; begin < report_.runs.size();) {
      std::size_t end = begin;
      while (end < report_.runs.size() && report_.runs[end].variant == report_.runs[begin].variant && report_.runs[end].kind == report_.runs[begin].kind) ++end;
      version_line(begin, end);
      begin = end;
    }
    out_ += "    (decisions of the shortest, the median and the longest game; why games ended)\n";
  }

  void version_line(std::size_t begin, std::size_t end) {
    const RunReport& first = report_.runs[begin];
    std::uint64_t games = 0, shortest = ~std::uint64_t{0}, longest = 0, median_low = ~std::uint64_t{0}, median_high = 0;
    std::map<std::string, std::uint64_t> ends;
    for (std::size_t i = begin; i < end; ++i) {
      const RunReport& run = report_.runs[i];
      games += run.games;
      if (run.games == 0) continue;
      shortest = std::min(shortest, run.shortest);
      longest = std::max(longest, run.longest);
      median_low = std::min(median_low, run.median);
      median_high = std::max(median_high, run.median);
      for (const auto& [reason, count] : run.ends) ends[reason] += count;
    }
    if (games == 0) return;
    std::vector<std::string> reasons;
    for (const auto& [reason, count] : ends) reasons.push_back(ends.size() == 1 ? reason : fmt::format("{} {}", with_commas(count), reason));
    const std::string median = median_low == median_high ? std::to_string(median_low) : fmt::format("{}..{}", median_low, median_high);
    const std::string players = first.players == report_.runs[end - 1].players ? std::to_string(first.players) : fmt::format("{}..{}", first.players, report_.runs[end - 1].players);
    const std::string version = title(first.kind, first.variant);
    out_ += fmt::format("    {}, {} players: {} games, {}/{}/{}; {}\n", version, players, with_commas(games), shortest, median, longest,
                        reasons.empty() ? "none has ended" : joined(reasons, "; "));
    const EndlessGame* endless = nullptr;
    for (std::size_t i = begin; i < end; ++i) {
      const std::optional<EndlessGame>& one = report_.runs[i].endless;
      if (one && (endless == nullptr || one->length() < endless->length())) endless = &*one;
    }
    if (endless != nullptr) out_ += fmt::format("      {}\n", text(*endless));
  }

  void verdicts() {
    const std::vector<PropertyLine> lines = property_lines(report_);
    if (lines.empty()) return;
    out_ += "  properties\n";
    for (const PropertyLine& line : lines) {
      const std::string word = fmt::format("{:<8}", name(line.verdict));
      const std::string verdict = line.verdict == Verdict::violated ? paint_.red(word) : line.verdict == Verdict::vacuous ? paint_.yellow(word) : paint_.green(word);
      out_ += fmt::format("    {}  {}{}\n", verdict, line.name, line.detail.empty() ? "" : "  " + line.detail);
    }
  }

  void violations() {
    for (const ScenarioResult& scenario : report_.scenarios) {
      if (!scenario.passed) out_ += "\n" + scenario_text(scenario, loaded_.sources, paint_.on);
    }
    std::set<std::string> told;
    for (const RunReport& run : report_.runs) {
      for (const VerdictLine& verdict : run.verdicts) {
        if (verdict.verdict != Verdict::violated && verdict.verdict != Verdict::error) continue;
        if (verdict.kind == PropertyKind::scenario || !told.insert(verdict.group).second) continue;
        violation(run, verdict);
      }
    }
    out_ += "\n";
  }

  void violation(const RunReport& run, const VerdictLine& verdict) {
    out_ += fmt::format("\n{} {}{}\n", paint_.red(verdict.verdict == Verdict::error ? "error:" : "violated:"), paint_.bold(verdict.name),
                        verdict.detail.empty() ? "" : ": " + verdict.detail);
    if (verdict.example && verdict.example->revealed) {
      const Revealed& revealed = *verdict.example->revealed;
      out_ += "  the secret is read here,\n" + excerpt(loaded_.sources, revealed.secret);
      out_ += fmt::format("  and shows in {}\n", revealed.what) + excerpt(loaded_.sources, revealed.shows);
    } else if (!(verdict.span == Span{})) {
      out_ += excerpt(loaded_.sources, verdict.span);
    }
    if (is_inherited(run, verdict)) out_ += "  a claim of the game, which this variant inherits: `replace` or `remove` it there, if the variant is right\n";
    const std::vector<std::string> others = others_with(verdict.group, run);
    if (!verdict.example) {
      if (!others.empty()) out_ += fmt::format("  also: {}\n", wrapped(others, 8));
      return;
    }
    const Counterexample& example = *verdict.example;
    std::string where = run.kind == VersionKind::base ? "" : title(run.kind, run.variant) + ", ";
    where += fmt::format("{} players", example.players);
    if (!example.settings.empty()) where += ", " + joined(example.settings);
    out_ += fmt::format("  {}, {} steps (found in a game of {}){}\n", where, example.steps, example.before, example.saved_before ? ", known from an earlier run" : "");
    for (const std::string& line : example.transcript) out_ += "    " + line + "\n";
    for (const std::string& line : example.worlds) out_ += "  " + line + "\n";
    if (!others.empty()) out_ += fmt::format("  also: {}\n", wrapped(others, 8));
    if (!example.command.empty()) out_ += fmt::format("  replay: {}\n", example.command);
  }

  /// A claim that stands outside of the sheet under which it breaks.
  bool is_inherited(const RunReport& run, const VerdictLine& verdict) const {
    const Version* version = run.kind == VersionKind::variant ? loaded_.find(run.variant) : nullptr;
    const bool claim = verdict.kind == PropertyKind::always || verdict.kind == PropertyKind::never || verdict.kind == PropertyKind::bound;
    const Span sheet = version == nullptr ? Span{} : version->span;
    return version != nullptr && claim && (verdict.span.file != sheet.file || verdict.span.begin < sheet.begin || verdict.span.end > sheet.end);
  }

  /// `5 players`, `variant "flip" (2, 3 players)`: other runs with the same mistake.
  std::vector<std::string> others_with(const std::string& group, const RunReport& run) const {
    std::vector<std::string> out;
    std::vector<std::pair<std::string, std::vector<std::string>>> found;
    for (const RunReport& other : report_.runs) {
      const bool too = &other != &run && std::any_of(other.verdicts.begin(), other.verdicts.end(), [&](const VerdictLine& v) { return v.group == group; });
      if (!too) continue;
      const std::string version = title(other.kind, other.variant);
      if (found.empty() || found.back().first != version) found.emplace_back(version, std::vector<std::string>{});
      found.back().second.push_back(std::to_string(other.players));
    }
    for (const auto& [version, players] : found) out.push_back(fmt::format("{} ({} players)", version, joined(players, " ")));
    return out;
  }

  void coverage() {
    const Coverage& shown = report_.coverage;
    if (!shown.clauses.empty()) {
      const std::vector<std::string> missing = shown.clauses_not_shown();
      const auto documented = static_cast<std::uint64_t>(
          std::count_if(shown.clauses.begin(), shown.clauses.end(), [&](const auto& c) { return c.second == 0 && shown.documented.contains(c.first); }));
      out_ += fmt::format("  coverage     {} of {} clauses{}\n", shown.clauses.size() - missing.size(), shown.clauses.size(),
                          documented == 0 ? "" : fmt::format(" ({} of them by a note)", documented));
      if (!missing.empty()) out_ += paint_.yellow("    not shown: ") + wrapped(missing, 15) + "\n";
    }
    never("moves never taken", shown.moves);
    never("triggers that never ran", shown.triggers);
    never("branches never taken", shown.branches);
    never(fmt::format("parameters that changed nothing in {}", plural(shown.with_parameters, "game")).c_str(), shown.parameters);
  }

  void never(const char* what, const std::map<std::string, std::uint64_t>& counts) {
    const std::vector<std::string> names = never_seen(counts);
    if (!names.empty()) out_ += paint_.yellow(fmt::format("    {}: ", what)) + wrapped(names, 15) + "\n";
  }

  const CheckReport& report_;
  const Loaded& loaded_;
  Paint paint_;
  bool verbose_;
  std::string out_;
};

}  // namespace

std::vector<PropertyLine> property_lines(const CheckReport& report) {
  struct Line {
    std::set<const RunReport*> seen, broken;
    std::uint64_t vacuous = 0, proved = 0;
    std::string detail, why_vacuous;
    PropertyKind kind = PropertyKind::range;
  };
  std::vector<std::string> order;
  std::map<std::string, Line> lines;
  for (const RunReport& run : report.runs) {
    for (const VerdictLine& verdict : run.verdicts) {
      if (verdict.kind == PropertyKind::scenario) continue;
      if (!lines.contains(verdict.name)) order.push_back(verdict.name);
      Line& line = lines[verdict.name];
      line.kind = verdict.kind;
      line.seen.insert(&run);
      line.vacuous += verdict.verdict == Verdict::vacuous ? 1 : 0;
      if (line.why_vacuous.empty() && verdict.verdict == Verdict::vacuous) line.why_vacuous = verdict.detail;
      line.proved += verdict.verdict == Verdict::proved ? 1 : 0;
      if (verdict.verdict == Verdict::violated || verdict.verdict == Verdict::error) line.broken.insert(&run);
      if (line.detail.empty() && (verdict.verdict == Verdict::holds || verdict.verdict == Verdict::proved)) line.detail = verdict.detail;
    }
  }
  std::vector<PropertyLine> out;
  for (const std::string& text : order) {
    const Line& line = lines[text];
    const std::uint64_t runs = line.seen.size();
    PropertyLine told{text, line.kind, Verdict::holds, runs == 1 ? line.detail : fmt::format("in {}", plural(runs, "configuration"))};
    if (!line.broken.empty()) {
      told.verdict = Verdict::violated;
      told.detail = runs == 1 ? "" : fmt::format("in {} of {}", line.broken.size(), plural(runs, "configuration"));
    } else if (line.vacuous == runs) {
      told.verdict = Verdict::vacuous;
      told.detail = line.kind == PropertyKind::sometimes ? "no game shows it" : runs == 1 ? line.why_vacuous : line.why_vacuous.substr(0, line.why_vacuous.find(" in "));
    } else if (line.proved == runs) {
      told.verdict = Verdict::proved;
      if (runs > 1 && line.detail.starts_with("by the rules: ")) told.detail += ", " + line.detail;
    } else if (line.vacuous > 0) {
      told.detail = fmt::format("in {} of {}, not shown in the others", runs - line.vacuous, plural(runs, "configuration"));
    }
    if (line.kind == PropertyKind::terminates && told.verdict == Verdict::holds && runs > 1) told.detail = fmt::format("not proved; all games ended in {}", plural(runs, "configuration"));
    if (line.proved > 0 && line.proved < runs && line.broken.empty()) told.detail += fmt::format(", proved in {}", line.proved);
    out.push_back(std::move(told));
  }
  return out;
}

std::string_view version_number() { return "0.1.0"; }

namespace {

/// The first line of a construct, without the note in its margin.
std::string_view first_line(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  const auto trim = [&] {
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  };
  trim();
  const std::size_t note = text.rfind(" [");
  if (note != std::string_view::npos && text.back() == ']' && note + 2 < text.size() && text[note + 2] >= 'A' && text[note + 2] <= 'Z') text = text.substr(0, note);
  trim();
  return text;
}

}  // namespace

std::string excerpt(const Sources& sources, Span span) {
  const Place place = sources.place(span.file, span.begin);
  const std::string_view line = sources.line(span.file, place.line);
  std::size_t length = 0;
  for (const char c : first_line(sources.text(span))) {
    if ((static_cast<unsigned char>(c) & 0xc0u) != 0x80u) ++length;
  }
  return fmt::format("  {}\n{:>5} | {}\n      | {}{}\n", sources.where(span), place.line, line, std::string(place.column - 1, ' '),
                     std::string(std::max<std::size_t>(length, 1), '^'));
}

std::string report_text(const CheckReport& report, const Loaded& loaded, bool colour, bool verbose) { return TextReport(report, loaded, colour, verbose).write(); }

std::string scenario_text(const ScenarioResult& result, const Sources& sources, bool colour) {
  const Paint paint{colour};
  const std::string of = result.version.empty() ? "" : fmt::format(" of \"{}\"", result.version);
  if (result.passed) return fmt::format("{} scenario \"{}\"{}\n", paint.green("holds"), result.name, of);
  std::string out = fmt::format("{} scenario {}{}: {}\n", paint.red("fails:"), paint.bold("\"" + result.name + "\""), of, result.message);
  out += excerpt(sources, result.at);
  if (!result.sample.empty()) out += fmt::format("  {}\n", result.sample);
  constexpr std::size_t kMost = 40;
  const std::size_t skipped = result.transcript.size() > kMost ? result.transcript.size() - kMost : 0;
  if (skipped > 0) out += fmt::format("    ... {} lines before\n", skipped);
  for (std::size_t i = skipped; i < result.transcript.size(); ++i) out += "    " + result.transcript[i] + "\n";
  return out;
}

}  // namespace rip::verify
