// Versions written out as scripts of their own: each means what the version means. All games, all small scripts.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <regex>

#include "cli/expand.h"
#include "grammar/format.h"
#include "interp/check/dump.h"
#include "interp/ir/print.h"
#include "tests/files.h"
#include "verify/game.h"
#include "verify/tape.h"

using namespace rip;
using namespace rip::tests;

namespace {

namespace fs = std::filesystem;

/// Without the name of the version, and with what was kept under a name nobody can write called as in the new script.
std::string comparable(const std::string& text, const std::string& variant) {
  static const std::regex kept("([a-z][a-z0-9_]*)'");
  std::string out = std::regex_replace(std::regex_replace(text, kept, "original_$1"), kept, "original_$1");
  const std::string title = " \"" + variant + "\"";
  if (const std::size_t at = out.find(title); !variant.empty() && at < out.find('\n')) out.erase(at, title.size());
  return out;
}

struct Meaning {
  std::string rules, ir;
  std::vector<std::uint64_t> ends;  ///< of some random games
  std::vector<std::string> scenarios;
};

Meaning meaning(const verify::Version& version) {
  Meaning out;
  out.rules = comparable(check::dump(*version.rules), version.name);
  for (const ast::DeclRef& decl : version.scenarios) out.scenarios.push_back(std::get<ast::ScenarioDecl>(decl->node).name);
  LowerOptions lower;
  lower.claims = true;
  const auto playable = verify::prepare(version.rules, verify::configure(*version.rules, 0, {}).config, lower);
  if (playable->program == nullptr) {
    out.ir = playable->error;
    return out;
  }
  out.ir = comparable(ir::print(*playable->program), version.name);
  for (std::uint64_t game = 0; game < 3; ++game) {
    verify::Sitting sitting(*playable);
    sitting.begin();
    verify::replay(sitting, verify::record(*playable, 1, game, 3000));
    out.ends.push_back(sitting.machine.hash(sitting.state));
  }
  return out;
}

std::vector<fs::path> scripts() {
  std::vector<fs::path> out;
  for (const char* folder : {"games", "tests/rip"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(RIP_SOURCE_DIR) / folder)) {
      if (entry.path().extension() == ".rip") out.push_back(entry.path());
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

bool leaves_names_idle(const verify::Version& version) {
  const auto& all = version.diagnostics.all();
  return std::any_of(all.begin(), all.end(), [](const Diagnostic& d) { return d.code == Code::R1002; });
}

/// Of the version with this name of a script without a game line.
std::string written_out(const std::string& declarations, const std::string& name) {
  const auto loaded = verify::load_text("a.rip", "game \"G\" language 1\n" + declarations);
  for (const Diagnostic& d : loaded->diagnostics()) UNSCOPED_INFO(render(d, loaded->sources, false));
  REQUIRE_FALSE(loaded->has_errors());
  return cli::expanded(*loaded, *loaded->find(name));
}

}  // namespace

TEST_CASE("every version of every script, written out, is the same game", "[written]") {
  std::size_t compared = 0;
  for (const fs::path& path : scripts()) {
    const auto loaded = verify::load(path.string());
    for (const auto& version : loaded->versions) {
      if (version->rules == nullptr || leaves_names_idle(*version)) continue;
      INFO(path.string() << ", " << version->title());
      const std::string text = cli::expanded(*loaded, *version);
      const auto again = verify::load_text(path.string(), text);
      for (const Diagnostic& d : again->diagnostics()) UNSCOPED_INFO(render(d, again->sources, false));
      REQUIRE(again->versions.size() == 1);
      REQUIRE(again->versions[0]->rules != nullptr);
      const Meaning before = meaning(*version), after = meaning(*again->versions[0]);
      CHECK(before.rules == after.rules);
      CHECK(before.ir == after.ir);
      CHECK(before.ends == after.ends);
      CHECK(before.scenarios == after.scenarios);
      ++compared;
    }
  }
  CHECK(compared > 200);
}

TEST_CASE("comments go with what they speak of, headings stay", "[written]") {
  const std::string text = written_out(R"(players 2

# ---- numbers ----

# Counts.
var n: 0..9 = 1   # and stays

# ---- moves ----

# Above the phase.
phase play { # of the phase
  # above the choice
  choose 0 { up { raise n by 1 }   stay { } }   [R-1] # behind it
  # goes with its line
  set n to 2   [R-2]
  # at the end
}

# ---- the end ----

# Goes too.
winner p by low number(p) + n
report "n" = n

variant "v" {
  # Twice as much.
  replace [R-2] {
    # more
    set n to 4   # four
  }
  # Who is last.
  replace winner p by high number(p) + n
}
)",
                                       "v");
  CHECK(text == R"(# variant "v" of a.rip, written out

game "G" language 1
players 2

# ---- numbers ----

# Counts.
var n: 0..9 = 1                                         # and stays

# ---- moves ----

# Above the phase.
phase play {                                            # of the phase
  # above the choice
  choose 0 { up { raise n by 1 }   stay { } } [R-1]     # behind it
  # Twice as much.
  # more
  set n to 4 [R-2]                                      # four
  # at the end
}
# Who is last.
winner p by high number(p) + n

# ---- the end ----

report "n" = n
)");
}

TEST_CASE("names nobody can write get a name that is free", "[written]") {
  const std::string text = written_out(R"(players 2
let f(x) = x + original_f()
let original_f() = 1
phase play { choose 0 { go { } } }
winner p by low f(number(p))
variant "v" { replace let f(y) = 2 * original }
variant "w" of "v" { replace let f(z) = original + 1 }
)",
                                       "w");
  CHECK(text == R"(# variant "w" of a.rip, written out

game "G" language 1
players 2
let f(z) = original_original_f(z) + 1
let original_f() = 1
phase play { choose 0 { go { } } }
winner p by low f(number(p))
let original_f_(x) = x + original_f()
let original_original_f(y) = 2 * original_f_(y)
)");
}

TEST_CASE("values that `original` stood for are put in its place, in parentheses", "[written]") {
  const std::string text = written_out(R"(players 2
param most: 1..9 = 2
var n: 0..99 = (1 + 1) * (1 + 2)
phase play { choose 0 { go { raise n by most } } }
always "few": n <= 20 or (n == 30)
winner p by low number(p)
variant "v" {
  set most to 3
  replace var n: 0..99 = original + 1
  replace always "few": (original) and n > 0 at end
}
)",
                                       "v");
  CHECK(text == R"(# variant "v" of a.rip, written out

game "G" language 1
players 2
param most: 1..9 = 3
var n: 0..99 = ((1 + 1) * (1 + 2)) + 1
phase play { choose 0 { go { raise n by most } } }
always "few": ((n <= 20 or (n == 30))) and n > 0 at end
winner p by low number(p)
)");
}
