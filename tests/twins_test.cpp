// Broken twins of the published games: each script in tests/twins breaks one rule, and `check` has to find out which
// property that violates, with a short game that `play` and `repl` can open. A script says what it must come to:
//
//   # violated: NAME       this property or claim is refuted (others may be as well)
//   # decisions: N         the shortest game found for it has at most so many decisions
//   # games: N             so many games of each configuration show it (16 if nothing is said)
#include <catch2/catch.hpp>

#include "verify/check.h"
#include "verify/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <sys/wait.h>
#include <unistd.h>

using namespace rip;
namespace fs = std::filesystem;

namespace {

std::string after(const std::string& text, const std::string& word) {
  const std::size_t at = text.find(word);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + word.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

/// A copy of the scripts, so that what `check` saves beside them does not stay in the sources.
fs::path copied_twins() {
  const fs::path root = fs::temp_directory_path() / fmt::format("ripdsl-twins-{}", ::getpid());
  fs::create_directories(root / "tests");
  fs::copy(fs::path(RIP_SOURCE_DIR) / "tests" / "twins", root / "tests" / "twins", fs::copy_options::overwrite_existing | fs::copy_options::recursive);
  if (!fs::exists(root / "games")) fs::create_directory_symlink(fs::path(RIP_SOURCE_DIR) / "games", root / "games");
  return root / "tests" / "twins";
}

std::string output_of(const std::string& arguments, int& exit) {
  FILE* pipe = ::popen((std::string(RIP_BINARY) + " " + arguments + " 2>&1").c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string out;
  std::array<char, 4096> buffer{};
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) out.append(buffer.data(), n);
  const int status = ::pclose(pipe);
  exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return out;
}

verify::CheckReport check(const std::string& path, std::uint64_t games) {
  const auto loaded = verify::load(path);
  REQUIRE(loaded->unreadable == "");
  std::string wrong;
  for (const Diagnostic& d : loaded->diagnostics()) {
    if (d.severity == Severity::error) wrong += render(d, loaded->sources, false);
  }
  REQUIRE(wrong == "");
  verify::CheckOptions options;
  options.games = games;
  options.shrink_seconds = 4;
  return verify::check_game(*loaded, options);
}

/// The verdict on the property, with the game that refutes it.
std::optional<verify::VerdictLine> refuted(const verify::CheckReport& report, const std::string& name) {
  for (const verify::RunReport& run : report.runs) {
    for (const verify::VerdictLine& verdict : run.verdicts) {
      if (verdict.verdict == verify::Verdict::violated && verdict.example && verdict.name.find(name) != std::string::npos) return verdict;
    }
  }
  return std::nullopt;
}

void examine(const fs::path& path) {
  const std::string text = read_file(path.string()).text;
  const std::string name = after(text, "# violated: ");
  REQUIRE(name != "");
  const std::string games = after(text, "# games: ");
  const std::optional<verify::VerdictLine> verdict = refuted(check(path.string(), games.empty() ? 16 : std::stoull(games)), name);
  REQUIRE(verdict);
  const verify::Counterexample& example = *verdict->example;
  for (const std::string& line : example.worlds) CHECK(line.find("internal error") == std::string::npos);

  const verify::ReadTrace read = verify::read_trace(example.trace);
  REQUIRE(read.error == "");
  const auto decisions = std::count_if(read.trace.steps.begin(), read.trace.steps.end(), [](const verify::TraceStep& step) { return step.seat >= 0; });
  CHECK(decisions <= std::stoi(after(text, "# decisions: ")));

  // it replays to its end, for those who only read and for those who step through it
  const std::string files = path.string() + " --trace " + example.trace;
  int exit = 0;
  const std::string played = output_of("play " + files, exit);
  CHECK(played.find("fits no further") == std::string::npos);
  const std::string stepped = output_of("repl " + files + " </dev/null", exit);
  CHECK(exit == 0);
  CHECK(stepped.find(fmt::format("replayed {} steps\n", read.trace.steps.size())) != std::string::npos);
  CHECK(stepped.find("this game breaks: " + verdict->name) != std::string::npos);

  // the next check tries it first
  const verify::CheckReport again = check(path.string(), 1);
  const bool known = std::any_of(again.runs.begin(), again.runs.end(), [&](const verify::RunReport& run) {
    return std::any_of(run.verdicts.begin(), run.verdicts.end(), [&](const verify::VerdictLine& line) {
      return line.example && line.example->saved_before && line.name.find(name) != std::string::npos;
    });
  });
  CHECK(known);
}

}  // namespace

TEST_CASE("every broken twin of a game is refuted by the property that should, with a short game", "[twins]") {
  const fs::path folder = copied_twins();
  std::vector<fs::path> twins;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".rip") twins.push_back(entry.path());
  }
  std::sort(twins.begin(), twins.end());
  REQUIRE(twins.size() >= 9);
  for (const fs::path& path : twins) {
    DYNAMIC_SECTION(path.stem().string()) { examine(path); }
  }
  fs::remove_all(folder.parent_path().parent_path());
}
