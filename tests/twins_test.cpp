// Broken twins of the published games: each script in tests/twins breaks one rule, and `check` has to find out which
// property that violates, with a short game that `play` and `repl` can open. A script says what it must come to:
//
//   # violated: NAME       this property or claim is refuted (others may be as well)
//   # decisions: N         the shortest game found for it has at most so many decisions
//   # games: N             so many games of each configuration show it (16 if nothing is said)
//   # players: N           that number of players shows it; others are not tried
//   # channel: TEXT        of a leak: by what the seat notices it
//   # secret: TEXT         of a leak: the expression that reads what is hidden; and
//   # shows: TEXT          a part of what betrays it: so it stands in the report (`A | B`: either of them)
//   # shortest: N          the search goes through all games of up to N decisions, and the first that refutes it has N; what
//                          is reported is no longer
#include <catch2/catch.hpp>

#include "verify/check.h"
#include "verify/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <functional>
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

/// What is said of a twin, and how it is looked at.
struct Twin {
  explicit Twin(const fs::path& file) : path(file.string()) {
    const std::string text = read_file(path).text;
    violated = after(text, "# violated: ");
    channel = after(text, "# channel: ");
    secret = after(text, "# secret: ");
    shows = after(text, "# shows: ");
    const auto number = [&](const char* word, std::uint64_t otherwise) {
      const std::string found = after(text, word);
      return found.empty() ? otherwise : std::stoull(found);
    };
    decisions = number("# decisions: ", 0);
    games = number("# games: ", 16);
    players = static_cast<int>(number("# players: ", 0));
    shortest = number("# shortest: ", 0);
  }
  bool leaks() const { return violated == verify::info(verify::Property::leaks).name; }
  std::string path, violated, channel, secret, shows;
  std::uint64_t decisions = 0, games = 0, shortest = 0;
  int players = 0;
};

verify::CheckReport check(const Twin& twin, std::uint64_t games) {
  const std::string& path = twin.path;
  const auto loaded = verify::load(path);
  REQUIRE(loaded->unreadable == "");
  std::string wrong;
  for (const Diagnostic& d : loaded->diagnostics()) {
    if (d.severity == Severity::error) wrong += render(d, loaded->sources, false);
  }
  REQUIRE(wrong == "");
  verify::CheckOptions options;
  options.games = games;
  options.shrink_seconds = 3;
  options.players = twin.players;
  options.do_scenarios = options.do_coverage = false;
  options.do_search = twin.shortest > 0;
  options.do_random = !twin.leaks();
  options.do_leaks = twin.leaks();
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

std::uint64_t decisions_of(const verify::Tape& tape) {
  return static_cast<std::uint64_t>(std::count_if(tape.begin(), tape.end(), [](const verify::Step& step) { return !step.chance(); }));
}

/// `A | B`: one of them is accepted.
bool any_of(std::string either, const std::function<bool(const std::string&)>& accepted) {
  for (std::size_t bar = 0; (bar = either.find(" | ")) != std::string::npos; either.erase(0, bar + 3)) {
    if (accepted(either.substr(0, bar))) return true;
  }
  return accepted(either);
}

/// Some leak is explained by these two places.
bool explained(const verify::CheckReport& report, const verify::Loaded& loaded, const Twin& twin) {
  for (const verify::RunReport& run : report.runs) {
    for (const verify::VerdictLine& verdict : run.verdicts) {
      if (!verdict.example || !verdict.example->revealed) continue;
      const verify::Revealed& revealed = *verdict.example->revealed;
      const std::string_view secret = loaded.sources.text(revealed.secret), shows = loaded.sources.text(revealed.shows);
      if (any_of(twin.secret, [&](const std::string& text) { return secret == text; }) &&
          any_of(twin.shows, [&](const std::string& text) { return shows.find(text) != std::string_view::npos; })) {
        return true;
      }
    }
  }
  return false;
}

/// The decisions of the game by which the search, which tries short games first, refutes the property; 0: none.
std::uint64_t shortest_of(const verify::CheckReport& report, const std::string& name) {
  for (const verify::RunReport& run : report.runs) {
    if (!run.search) continue;
    for (const verify::Refuted& refuted : run.search->refuted) {
      if (refuted.failure.name.find(name) != std::string::npos) return decisions_of(refuted.tape);
    }
  }
  return 0;
}

void examine(const fs::path& path) {
  const Twin twin(path);
  const std::string& name = twin.violated;
  REQUIRE(name != "");
  const verify::CheckReport report = check(twin, twin.games);
  const std::optional<verify::VerdictLine> verdict = refuted(report, name);
  REQUIRE(verdict);
  const verify::Counterexample& example = *verdict->example;
  for (const std::string& line : example.worlds) CHECK(line.find("internal error") == std::string::npos);
  if (twin.leaks()) {
    // both worlds side by side, and what differs
    REQUIRE(example.worlds.size() == 4);
    CHECK(example.worlds[1].find("then " + twin.channel) != std::string::npos);
    CHECK(example.worlds[2] != example.worlds[3]);
    REQUIRE(twin.secret != "");
    CHECK(explained(report, *verify::load(twin.path), twin));
  }

  const verify::ReadTrace read = verify::read_trace(example.trace);
  REQUIRE(read.error == "");
  const auto decisions = static_cast<std::uint64_t>(
      std::count_if(read.trace.steps.begin(), read.trace.steps.end(), [](const verify::TraceStep& step) { return step.seat >= 0; }));
  CHECK(decisions <= twin.decisions);
  if (twin.shortest > 0) {
    CHECK(shortest_of(report, name) == twin.shortest);
    CHECK(decisions <= twin.shortest);
  }

  // it replays to its end, for those who only read and for those who step through it
  const std::string files = path.string() + " --trace " + example.trace;
  int exit = 0;
  const std::string played = output_of("play " + files, exit);
  CHECK(played.find("fits no further") == std::string::npos);
  const std::string stepped = output_of("repl " + files + " </dev/null", exit);
  CHECK(exit == 0);
  CHECK(stepped.find(fmt::format("replayed {} steps\n", read.trace.steps.size())) != std::string::npos);
  CHECK(stepped.find("this game breaks: " + verdict->name) != std::string::npos);
  CHECK((verdict->kind != verify::PropertyKind::stuck || stepped.find("the rules go wrong") != std::string::npos));

  // the next check tries it first; a shorter one may come up beside it
  const verify::CheckReport again = check(twin, 1);
  const bool known = std::any_of(again.runs.begin(), again.runs.end(), [&](const verify::RunReport& run) {
    return std::any_of(run.verdicts.begin(), run.verdicts.end(), [&](const verify::VerdictLine& line) {
      return line.example && line.name.find(name) != std::string::npos && (line.example->saved_before || line.example->steps < example.steps);
    });
  });
  std::string came;
  for (const verify::RunReport& run : again.runs) {
    for (const verify::VerdictLine& line : run.verdicts) {
      if (line.verdict == verify::Verdict::violated) came += fmt::format("{}: {} ({})\n", line.name, line.detail, line.example ? std::to_string(line.example->steps) : "no example");
    }
  }
  INFO("the next check: " << came << "before: " << example.trace);
  CHECK(known);
}

std::vector<fs::path> twins_in(const fs::path& folder) {
  std::vector<fs::path> twins;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".rip") twins.push_back(entry.path());
  }
  std::sort(twins.begin(), twins.end());
  return twins;
}

/// Every fourth twin: the parts run beside one another, and none takes long.
constexpr std::size_t kParts = 4;
void examine_part(std::size_t part) {
  const fs::path folder = copied_twins();
  const std::vector<fs::path> twins = twins_in(folder);
  for (std::size_t i = part; i < twins.size(); i += kParts) {
    DYNAMIC_SECTION(twins[i].stem().string()) { examine(twins[i]); }
  }
  fs::remove_all(folder.parent_path().parent_path());
}

}  // namespace

TEST_CASE("there are broken twins of every kind", "[twins]") {
  const std::vector<fs::path> twins = twins_in(fs::path(RIP_SOURCE_DIR) / "tests" / "twins");
  CHECK(twins.size() >= 30);
  CHECK(std::count_if(twins.begin(), twins.end(), [](const fs::path& path) { return Twin(path).leaks(); }) >= 10);
}

// each is refuted by the property that should, with a short game
TEST_CASE("every broken twin of a game is refuted, first part", "[twins]") { examine_part(0); }
TEST_CASE("every broken twin of a game is refuted, second part", "[twins]") { examine_part(1); }
TEST_CASE("every broken twin of a game is refuted, third part", "[twins]") { examine_part(2); }
TEST_CASE("every broken twin of a game is refuted, fourth part", "[twins]") { examine_part(3); }
