#include "verify/mutate.h"

#include "verify/json.h"
#include "verify/paint.h"
#include "verify/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace rip::verify {

namespace {

/// Without the blanks around it, and with two where there are more.
std::string squeezed(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if ((c != ' ' && c != '\t' && c != '\r') || (!out.empty() && !out.ends_with("  "))) out += c == '\t' || c == '\r' ? ' ' : c;
  }
  out.erase(out.find_last_not_of(' ') + 1);
  return out;
}

/// The lines that a change is about, before and after it. Of many lines only the first one.
std::pair<std::string, std::string> lines_of(const Sources& sources, const grammar::Mutation& mutation) {
  const std::string_view all = sources[mutation.span.file].text;
  const auto line_begin = [&](std::size_t at) { return at == 0 ? 0 : all.rfind('\n', at - 1) + 1; };  // npos + 1 is 0
  const std::size_t begin = line_begin(mutation.span.begin);
  const std::size_t end = std::min(all.find('\n', mutation.span.end), all.size());
  const auto shown = [](std::string_view text) {
    const std::size_t newline = text.find('\n');
    const std::string line = squeezed(text.substr(0, newline));
    return newline == std::string_view::npos ? line : line + " ...";
  };
  const std::string after = std::string(all.substr(begin, mutation.span.begin - begin)) + mutation.with + std::string(all.substr(mutation.span.end, end - mutation.span.end));
  return {shown(all.substr(begin, end - begin)), shown(after)};
}

std::string_view one_line(std::string_view text) { return text.substr(0, text.find('\n')); }

/// `3 becomes 4`, `secretly is left out`.
std::string becomes(const Sources& sources, const grammar::Mutation& mutation) {
  const std::string_view before = sources.text(mutation.span);
  if (mutation.with.empty() || mutation.change == grammar::Change::statement) return fmt::format("`{}` is left out", one_line(before));
  if (before.empty()) return fmt::format("`{}` is added", mutation.with.substr(mutation.with.find_first_not_of(' ')));
  return fmt::format("`{}` becomes `{}`", one_line(before), one_line(mutation.with));
}

struct Tried {
  std::size_t caught = 0, survived = 0;
};
/// By kind of change, in the order of these.
std::vector<std::pair<std::string, Tried>> by_change(const MutationReport& report) {
  std::map<grammar::Change, Tried> counts;
  for (const Mutant& mutant : report.mutants) {
    if (mutant.fate == Fate::caught) ++counts[mutant.mutation.change].caught;
    if (mutant.fate == Fate::survived) ++counts[mutant.mutation.change].survived;
  }
  std::vector<std::pair<std::string, Tried>> out;
  for (const auto& [change, tried] : counts) out.emplace_back(grammar::name(change), tried);
  return out;
}

struct Catcher {
  PropertyKind kind;
  std::string by;
  std::size_t count = 0;
};
/// The busiest first.
std::vector<Catcher> catchers(const MutationReport& report) {
  std::map<std::pair<PropertyKind, std::string>, std::size_t> counts;
  for (const Mutant& mutant : report.mutants) {
    if (mutant.fate == Fate::caught) ++counts[{mutant.kind, mutant.by}];
  }
  std::vector<Catcher> out;
  for (const auto& [who, count] : counts) out.push_back({who.first, who.second, count});
  std::stable_sort(out.begin(), out.end(), [](const Catcher& a, const Catcher& b) { return a.count > b.count; });
  return out;
}

}  // namespace

std::string mutation_text(const MutationReport& report, const Loaded& loaded, bool colour) {
  const Paint paint{colour};
  std::string out = paint.bold(fmt::format("{} ({})", report.game, report.file)) + "\n";
  if (!report.failed.empty()) {
    return out + fmt::format("  nothing was changed, for the script itself does not hold: {}\n", report.failed);
  }
  out += fmt::format("  {} changes are possible, {} were judged{}\n", report.possible, report.mutants.size(),
                     report.time_ended() ? fmt::format(" of {} that were to be, then the time was over", report.wished) : "");
  out += fmt::format("  {:>5} caught\n", report.count(Fate::caught));
  std::map<PropertyKind, std::size_t> kinds;
  for (const Catcher& one : catchers(report)) kinds[one.kind] += one.count;
  for (const auto& [kind, count] : kinds) out += fmt::format("        {:>5} by {}\n", count, name(kind));
  out += fmt::format("  {:>5} survive\n", report.count(Fate::survived));
  if (const std::size_t n = report.count(Fate::refused); n > 0) out += fmt::format("  {:>5} refused: the checker finds an error, so they do not count\n", n);
  if (const std::size_t n = report.count(Fate::equal); n > 0) out += fmt::format("  {:>5} equal: the same program as before, so they do not count\n", n);
  const auto changes = by_change(report);
  if (!changes.empty()) out += "\n  change       caught  survive\n";
  for (const auto& [change, tried] : changes) out += fmt::format("  {:<11} {:>7} {:>8}\n", change, tried.caught, tried.survived);
  if (report.count(Fate::survived) > 0) out += "\n" + paint.bold("no check notices:") + "\n";
  for (const Mutant& mutant : report.mutants) {
    if (mutant.fate != Fate::survived) continue;
    const auto [before, after] = lines_of(loaded.sources, mutant.mutation);
    const std::string sheet = mutant.mutation.sheet.empty() ? "" : fmt::format(", in variant \"{}\"", mutant.mutation.sheet);
    out += fmt::format("{}: {}: {}{}\n", loaded.sources.where(mutant.mutation.span), grammar::name(mutant.mutation.change), becomes(loaded.sources, mutant.mutation), sheet);
    out += fmt::format("  {}\n  {}\n", paint.red("- " + before), paint.green("+ " + after));
  }
  const bool any = report.count(Fate::caught) + report.count(Fate::survived) > 0;
  const std::string percent = any ? fmt::format("{:.1f} % caught", report.percent()) : "no change was judged";
  out += fmt::format("{}  ({:.1f} s, seed {})\n", report.count(Fate::survived) == 0 ? paint.green(percent) : paint.red(percent), report.seconds, report.seed);
  return out;
}

std::string mutation_json(const MutationReport& report, const Loaded& loaded) {
  Json mutants = Json::array();
  for (const Mutant& mutant : report.mutants) {
    const auto [before, after] = lines_of(loaded.sources, mutant.mutation);
    const bool caught = mutant.fate == Fate::caught;
    mutants.push_back({{"fate", std::string(name(mutant.fate))},
                       {"change", std::string(grammar::name(mutant.mutation.change))},
                       {"what", becomes(loaded.sources, mutant.mutation)},
                       {"variant", mutant.mutation.sheet},
                       {"span", span_json(loaded.sources, mutant.mutation.span)},
                       {"with", mutant.mutation.with},
                       {"before", before},
                       {"after", after},
                       {"kind", caught ? Json(std::string(name(mutant.kind))) : Json(nullptr)},
                       {"by", mutant.by.empty() ? Json(nullptr) : Json(mutant.by)},
                       {"in", mutant.in.empty() ? Json(nullptr) : Json(mutant.in)},
                       {"detail", mutant.detail}});
  }
  const bool any = report.count(Fate::caught) + report.count(Fate::survived) > 0;
  Json caught_by = Json::array();
  for (const Catcher& one : catchers(report)) caught_by.push_back({{"kind", std::string(name(one.kind))}, {"name", one.by}, {"mutants", one.count}});
  Json changes = Json::object();
  for (const auto& [change, tried] : by_change(report)) changes[change] = {{"caught", tried.caught}, {"survived", tried.survived}};
  return dumped({{"tool", "ripdsl"},
                 {"version", std::string(version_number())},
                 {"file", report.file},
                 {"game", report.game},
                 {"seed", report.seed},
                 {"failed", report.failed.empty() ? Json(nullptr) : Json(report.failed)},
                 {"possible", report.possible},
                 {"wished", report.wished},
                 {"judged", report.mutants.size()},
                 {"caught", report.count(Fate::caught)},
                 {"survived", report.count(Fate::survived)},
                 {"refused", report.count(Fate::refused)},
                 {"equal", report.count(Fate::equal)},
                 {"percent", any ? Json(report.percent()) : Json(nullptr)},
                 {"changes", std::move(changes)},
                 {"caught_by", std::move(caught_by)},
                 {"mutants", std::move(mutants)},
                 {"seconds", report.seconds},
                 {"complete", !report.time_ended()},
                 {"ok", report.failed.empty() && report.count(Fate::survived) == 0}});
}

}  // namespace rip::verify
