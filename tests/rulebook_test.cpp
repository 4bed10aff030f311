// Drawings and rulebooks made from scripts: small ones word for word, those of all games and variants for what no drawing and
// no rulebook may lack.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <regex>
#include <set>

#include "cli/document.h"
#include "cli/outline.h"
#include "cli/rulebook.h"
#include "tests/files.h"

using namespace rip;
using namespace rip::tests;

namespace {

namespace fs = std::filesystem;

const std::string kScript = R"(game "Digging" language 1   [A-9]
players 2..3, usually 2   [R-1]
param hand_size: 1..2 = 1   [A-1] # is ours
card Card { value: 1..3 } # in three colours
deck draw of Card refilled from heap { 2 x <v> for v in 1..3 }   [R-2]
# Who looks at it?
zone hand[player]: hand of Card
zone heap: row of Card face up
var gain[player]: 0..9 = 0
# Everybody gets cards.
phase setup { shuffle draw [R-3]   for p in players { fill hand[p] to hand_size from draw } }
phase play for round in 1..2 { [R-4]
  phase dig {
    note "no talking" [R-5]
    # Left of the dealer first.
    choose each p in players {
      throw(c in hand[p] where good(c)) { do lay(c) } [R-6]
      otherwise pass { }
    }
    if count(heap) > 3 { end phase play }
  }
}
rule lay(c) { move c to heap   raise gain[0] by 1 }
let good(c) = c.value > 1   # a one is bad
let idle() = 3
always "idle": idle() == 3
winner p by high gain[p], high number(p)   [R-7]
)";

struct Made {
  std::unique_ptr<verify::Loaded> loaded;
  std::unique_ptr<cli::Written> written;
  const verify::Version* version;
};
std::unique_ptr<verify::Playable> playable(const verify::Version& version) {
  return verify::prepare(version.rules, verify::configure(*version.rules, 0, {}).config);
}

Made made(const std::string& script) {
  Made out{verify::load_text("a.rip", script), nullptr, nullptr};
  for (const Diagnostic& d : out.loaded->diagnostics()) UNSCOPED_INFO(render(d, out.loaded->sources, false));
  REQUIRE_FALSE(out.loaded->has_errors());
  out.version = out.loaded->versions.front().get();
  out.written = cli::write_out(*out.loaded, *out.version);
  return out;
}

/// The first element that is not closed where it should be; empty: all are.
std::string unbalanced(const std::string& page) {
  static const std::regex tag(R"(<(/?)([a-z][a-z0-9]*)[^>]*>)");
  std::vector<std::string> open;
  for (std::sregex_iterator it(page.begin(), page.end(), tag), end; it != end; ++it) {
    const std::string name = (*it)[2];
    if (name == "meta") continue;
    if ((*it)[1].length() == 0) {
      open.push_back(name);
    } else {
      if (open.empty() || open.back() != name) return it->str();
      open.pop_back();
    }
  }
  return open.empty() ? "" : open.back();
}

void names(const std::vector<cli::PhaseOutline>& phases, std::vector<std::string>& out) {
  for (const cli::PhaseOutline& phase : phases) {
    out.push_back(phase.name);
    names(phase.inner, out);
  }
}

}  // namespace

TEST_CASE("what a script is about", "[rulebook]") {
  const Made game = made(kScript);
  const cli::Outline seen = cli::outline(*game.written);
  std::vector<std::string> zones, passages;
  for (const cli::ZoneOutline& zone : seen.zones) zones.push_back(zone.name + zone.index + " " + zone.kind + " " + zone.type + " " + zone.rest);
  CHECK(zones == std::vector<std::string>{"draw deck Card ", "hand[player] hand Card ", "heap row Card face up"});
  for (const cli::Passage& passage : seen.passages) {
    std::string how;
    for (const std::string& one : passage.how) how += " " + one;
    passages.push_back(passage.from + (passage.refill ? " refills " : " to ") + passage.to + how);
  }
  CHECK(passages == std::vector<std::string>{"heap refills draw when it has run out", "draw to hand setup", "hand to heap throw"});
  std::vector<std::string> phases;
  names(seen.phases, phases);
  CHECK(phases == std::vector<std::string>{"setup", "play", "dig"});
  const cli::PhaseOutline& dig = seen.phases[1].inner.at(0);
  CHECK(seen.phases[1].loop == "for round in 1..2");
  CHECK(dig.moves == std::vector<std::string>{"all players: throw, pass"});
  REQUIRE(dig.ends.size() == 1);
  CHECK(dig.ends[0].what == "end phase play");
  CHECK(dig.ends[0].phase == "play");
}

TEST_CASE("a rulebook in Markdown", "[rulebook]") {
  const Made game = made(kScript);
  CHECK(cli::markdown(cli::rulebook(*game.written, *game.version, *playable(*game.version))) == R"(# Digging \[A-9\]

For 2 to 3 players, usually 2. \[R-1\]

## Components

- **Card**, a card: `value` 1..3 (in three colours)

| deck | of | number | contents | clauses |
|---|---|---|---|---|
| `draw` | Card | 6 | `2 x <1>`, `2 x <2>`, `2 x <3>` | R-2 |

Counted for 2 players.

## The table

| place | what it is | more | remarks |
|---|---|---|---|
| `hand[player]` | hand of Card |  | Who looks at it? |
| `heap` | row of Card | `face up` |  |

| number or mark | values | at the start |
|---|---|---|
| `gain[player]` | `0..9` | `0` |

## The course of the game

### Set-up

Everybody gets cards.

- `shuffle draw` \[R-3\]
- `for p in players`:
  - `fill hand[p] to hand_size from draw`

### Phase play \[R-4\]

Runs `for round in 1..2`:

- **dig**:
  - no talking \[R-5\]
  - Left of the dealer first.
  - All choose at the same time, each `p in players`:
    - **throw** `(c in hand[p] where good(c))`: \[R-6\]
      - `do lay(c)`
    - if nothing else is possible, **pass**
  - If `count(heap) > 3`:
    - `end phase play`

## Procedures

### lay(c)

- `move c to heap`
- `raise gain[0] by 1`

## Terms

- **good(c)** is `c.value > 1` (a one is bad)

## The end, and who wins

- The game ends when the last phase has ended.
- `winner p by high gain[p], high number(p)` \[R-7\]

## Numbers that can be changed

| parameter | values | value | clauses | remarks |
|---|---|---|---|---|
| `hand_size` | `1..2` | `1` | A-1 | is ours |

## Clauses

| clause | stands in |
|---|---|
| A-1 | Numbers that can be changed |
| A-9 | the title |
| R-1 | players |
| R-2 | Components |
| R-3 | Set-up |
| R-4 | Phase play |
| R-5 | Phase play |
| R-6 | Phase play |
| R-7 | The end, and who wins |
)");
}

TEST_CASE("signs that Markdown and HTML would take for their own", "[rulebook]") {
  const cli::Document document{{cli::Part::Kind::heading, 1, {cli::plain("<A> & *B*")}, "R-1", {}},
                               {cli::Part::Kind::item, 0, {cli::plain("a_b "), cli::code("x < 3 | y")}, "", {}},
                               {cli::Part::Kind::item, 1, {cli::strong("in")}, "", {}},
                               {cli::Part::Kind::item, 0, cli::prose("of `code` and"), "", {}},
                               {cli::Part::Kind::table, 0, {}, "", {{{cli::plain("one")}, {cli::plain("none")}}, {{cli::code("a|b")}, {}}}}};
  CHECK(cli::markdown(document) == R"(# \<A\> & \*B\* \[R-1\]

- a\_b `x < 3 | y`
  - **in**
- of `code` and

| one |
|---|
| `a\|b` |
)");
  const std::string page = cli::html(document);
  CHECK(unbalanced(page) == "");
  CHECK(page.find("<title>&lt;A&gt; &amp; *B*</title>") != std::string::npos);
  CHECK(page.find("<ul>\n<li>a_b <code>x &lt; 3 | y</code><ul>\n<li><strong>in</strong></li></ul>\n</li>\n<li>of <code>code</code> and</li></ul>\n<table>") != std::string::npos);
  CHECK(page.find("http") == std::string::npos);
}

TEST_CASE("a wide table of a page carries its headings along, for narrow screens", "[rulebook]") {
  const auto cell = [](const char* text) { return cli::Text{cli::plain(text)}; };
  const cli::Document document{{cli::Part::Kind::table, 0, {}, "", {{cell("a"), cell("b"), cell("c & d"), cell("e")}, {cell("1"), {cli::code("4 x <5>")}, {cli::clause("R-1"), cli::plain(", "), cli::clause("R-2")}, cell("2")}}}};
  CHECK(cli::html(document).find("<table class=\"wide\">\n<tr><th>a</th><th>b</th><th>c &amp; d</th><th>e</th></tr>\n<tr><td data-head=\"a\">1</td><td data-head=\"b\"><code class=\"short\">4 x &lt;5&gt;</code></td>"
                                 "<td data-head=\"c &amp; d\"><span class=\"clause\">R-1</span>, <span class=\"clause\">R-2</span></td><td data-head=\"e\">2</td></tr>\n</table>") != std::string::npos);
}

TEST_CASE("every rulebook of a game has all phases, moves, zones and clauses of its rules", "[rulebook]") {
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(RIP_SOURCE_DIR) / "games")) {
    if (entry.path().extension() != ".rip") continue;
    const auto loaded = verify::load(entry.path().string());
    for (const auto& version : loaded->versions) {
      INFO(entry.path().filename().string() << ", " << version->title());
      const auto written = cli::write_out(*loaded, *version);
      const cli::Document document = cli::rulebook(*written, *version, *playable(*version));
      const std::string page = cli::html(document), text = cli::markdown(document);
      CHECK(unbalanced(page) == "");
      const cli::Outline seen = cli::outline(*written);
      std::vector<std::string> wanted;
      names(seen.phases, wanted);
      for (const cli::ZoneOutline& zone : seen.zones) wanted.push_back(zone.name);
      for (const ast::DeclRef& decl : written->script.declarations) {
        if (std::holds_alternative<ast::RuleDecl>(decl->node) || std::holds_alternative<ast::Phase>(decl->node) || std::holds_alternative<ast::When>(decl->node)) {
          static const std::regex note(R"(\[([A-Z]+-\d+[a-z]?(?:, [A-Z]+-\d+[a-z]?)*)\])");
          const std::string whole = written->text(decl->span);
          for (std::sregex_iterator it(whole.begin(), whole.end(), note), end; it != end; ++it) {
            for (const std::string& one : split((*it)[1].str(), ',')) wanted.push_back("| " + one.substr(one.find_first_not_of(' ')) + " |");
          }
        }
      }
      for (const std::string& one : wanted) {
        INFO(one);
        std::string escaped = std::regex_replace(one, std::regex("_"), "\\_");
        CHECK((text.find(one) != std::string::npos || text.find(escaped) != std::string::npos || one == "setup"));
      }
    }
  }
}
