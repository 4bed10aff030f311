// Small scripts as tests: every tests/rip/**/*.rip says in comments what it must lead to.
//
//   # error: R0203 unknown zone     on the line of the mistake, or below it; also `warning:`. The text is part of the message or its hint.
//   #   ^^^^                        on the next line: exactly these columns
//   # holds                         everything holds; `# holds: NAME` this property or claim
//   # violated: NAME                this property or claim is violated; on the line of its span, or on a line of its own
//   # fault: TEXT                   a rule goes wrong with this message; likewise
//   # proved: NAME, # vacuous: NAME this is said of the property or claim
//   # not taken: TEXT               a branch of this line that no game took, a parameter that changed nothing
//
// No diagnostic may be missing, none may be extra. RIP_SCRIPT=TEXT in the environment runs only the scripts with TEXT in
// their path.
#include <catch2/catch.hpp>

#include "tests/files.h"

#include "verify/check.h"
#include "verify/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

using namespace rip;

using namespace rip::tests;

namespace {

struct Expected {
  enum class Kind { error, warning, holds, violated, fault, proved, vacuous, not_taken } kind = Kind::error;
  std::string text;
  std::uint32_t line = 0;
  bool alone = false;  ///< on a line of its own: no line is demanded
  std::uint32_t first_column = 0, last_column = 0;
  bool met = false;
};

std::string trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r");
  return begin == std::string_view::npos ? "" : std::string(text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1));
}

std::vector<Expected> expectations(const std::string& text) {
  static const std::vector<std::pair<std::string, Expected::Kind>> kWords = {{"# error:", Expected::Kind::error},
                                                                             {"# warning:", Expected::Kind::warning},
                                                                             {"# holds", Expected::Kind::holds},
                                                                             {"# violated:", Expected::Kind::violated},
                                                                             {"# fault:", Expected::Kind::fault},
                                                                             {"# proved:", Expected::Kind::proved},
                                                                             {"# vacuous:", Expected::Kind::vacuous},
                                                                             {"# not taken:", Expected::Kind::not_taken}};
  std::vector<Expected> out;
  const std::vector<std::string> lines = lines_of(text);
  std::uint32_t code_line = 0;  // the last one that is no mere comment
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    if (!trimmed(line).starts_with("#")) code_line = static_cast<std::uint32_t>(i + 1);
    if (trimmed(line).starts_with("#") && line.find('^') != std::string::npos && !out.empty() && line.find_first_not_of(" #^") == std::string::npos) {
      out.back().first_column = static_cast<std::uint32_t>(line.find('^') + 1);
      out.back().last_column = static_cast<std::uint32_t>(line.rfind('^') + 1);
      continue;
    }
    for (const auto& [word, kind] : kWords) {
      const std::size_t at = line.find(word);
      if (at == std::string::npos) continue;
      Expected expected;
      expected.kind = kind;
      expected.line = static_cast<std::uint32_t>(i + 1);
      expected.alone = trimmed(line.substr(0, at)).empty();
      expected.text = trimmed(line.substr(at + word.size()));
      if (expected.text.starts_with(":")) expected.text = trimmed(expected.text.substr(1));
      // a comment on its own line speaks of the code above; `holds` and `violated` there of the whole script
      if (expected.alone && (kind == Expected::Kind::error || kind == Expected::Kind::warning)) expected.line = code_line;
      out.push_back(expected);
      break;
    }
  }
  return out;
}

bool fits(Expected& expected, const Diagnostic& d, const Sources& sources) {
  if (expected.met || (expected.kind == Expected::Kind::error) != (d.severity == Severity::error) || expected.kind > Expected::Kind::warning) return false;
  const Place begin = sources.place(d.span.file, d.span.begin), end = sources.place(d.span.file, d.span.end);
  if (begin.line != expected.line) return false;
  const std::string code(info(d.code).name);
  if (!expected.text.starts_with(code)) return false;
  const std::string text = trimmed(expected.text.substr(code.size()));
  if (!text.empty() && d.message.find(text) == std::string::npos && d.hint.find(text) == std::string::npos && info(d.code).title.find(text) == std::string_view::npos) return false;
  if (expected.first_column != 0 && (begin.column != expected.first_column || end.column != expected.last_column + 1)) return false;
  return expected.met = true;
}

void match_verdicts(std::vector<Expected>& expected, const verify::CheckReport& report, const verify::Loaded& loaded, std::string& wrong) {
  for (Expected& e : expected) {
    if (e.kind <= Expected::Kind::warning) continue;
    if (e.kind == Expected::Kind::holds && e.text.empty()) {
      e.met = report.ok;
      continue;
    }
    if (e.kind == Expected::Kind::not_taken) {
      for (const auto* counts : {&report.coverage.branches, &report.coverage.parameters}) {
        for (const auto& [name, count] : *counts) e.met = e.met || (count == 0 && name.find(e.text) != std::string::npos);
      }
      continue;
    }
    for (const verify::RunReport& run : report.runs) {
      for (const verify::VerdictLine& verdict : run.verdicts) {
        if (e.kind == Expected::Kind::proved || e.kind == Expected::Kind::vacuous) {
          const auto wanted = e.kind == Expected::Kind::proved ? verify::Verdict::proved : verify::Verdict::vacuous;
          e.met = e.met || (verdict.verdict == wanted && (verdict.name + ": " + verdict.detail).find(e.text) != std::string::npos);
          continue;
        }
        const bool broken = verdict.verdict == verify::Verdict::violated || verdict.verdict == verify::Verdict::error;
        const std::string text = e.kind == Expected::Kind::fault ? verdict.detail : e.kind == Expected::Kind::holds ? verdict.name + ": " + verdict.detail : verdict.name;
        if (text.find(e.text) == std::string::npos || broken != (e.kind != Expected::Kind::holds)) continue;
        const std::uint32_t line = loaded.sources.place(verdict.span.file, verdict.span.begin).line;
        if (e.kind != Expected::Kind::holds && !e.alone && line != e.line) continue;
        e.met = true;
      }
    }
  }
  const bool lists_untaken = std::any_of(expected.begin(), expected.end(), [](const Expected& e) { return e.kind == Expected::Kind::not_taken; });
  for (const auto* counts : {&report.coverage.branches, &report.coverage.parameters}) {
    for (const auto& [name, count] : *counts) {
      const bool awaited = std::any_of(expected.begin(), expected.end(), [&](const Expected& e) { return e.kind == Expected::Kind::not_taken && name.find(e.text) != std::string::npos; });
      if (lists_untaken && count == 0 && !awaited) wrong += fmt::format("not expected: {} does nothing\n", name);
      if (awaited && count > 0) wrong += fmt::format("{} does something, {} times\n", name, count);
    }
  }
  for (const verify::RunReport& run : report.runs) {
    for (const verify::VerdictLine& verdict : run.verdicts) {
      if (verdict.verdict != verify::Verdict::violated && verdict.verdict != verify::Verdict::error) continue;
      const bool awaited = std::any_of(expected.begin(), expected.end(), [&](const Expected& e) {
        return (e.kind == Expected::Kind::violated && verdict.name.find(e.text) != std::string::npos) ||
               (e.kind == Expected::Kind::fault && verdict.detail.find(e.text) != std::string::npos);
      });
      if (!awaited) wrong += fmt::format("not expected: violated {}: {}\n", verdict.name, verdict.detail);
    }
  }
}

/// What is wrong with a script that carries its expectations; empty = nothing.
std::string disagreement(const std::string& path) {
  const std::unique_ptr<verify::Loaded> loaded = verify::load(path);
  if (!loaded->unreadable.empty()) return loaded->unreadable;
  std::vector<Expected> expected = expectations(loaded->sources[0].text);
  std::string wrong;
  for (const Diagnostic& d : loaded->diagnostics()) {
    const bool found = std::any_of(expected.begin(), expected.end(), [&](Expected& e) { return fits(e, d, loaded->sources); });
    if (!found) wrong += "not expected: " + render(d, loaded->sources, false);
  }
  const bool played = std::any_of(expected.begin(), expected.end(), [](const Expected& e) { return e.kind > Expected::Kind::warning; });
  if (played) {
    verify::CheckOptions options;
    options.games = 300;
    options.jobs = 1;
    options.save_failures = false;
    options.shrink_seconds = 0.3;
    const verify::CheckReport report = verify::check_game(*loaded, options);
    match_verdicts(expected, report, *loaded, wrong);
  }
  for (const Expected& e : expected) {
    if (!e.met) wrong += fmt::format("line {}: missing: {}\n", e.line, e.text.empty() ? "everything holds" : e.text);
  }
  return wrong;
}

}  // namespace

TEST_CASE("every script in tests/rip does what its comments say", "[rip]") {
  namespace fs = std::filesystem;
  const char* only = std::getenv("RIP_SCRIPT");
  std::vector<std::string> paths;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(RIP_SOURCE_DIR) / "tests" / "rip")) {
    const std::string path = entry.path().string();
    if (entry.path().extension() == ".rip" && (only == nullptr || path.find(only) != std::string::npos)) paths.push_back(path);
  }
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) {
    INFO(fs::relative(path, RIP_SOURCE_DIR).string());
    CHECK(disagreement(path) == "");
  }
}
