// The formatter: what it settles, on examples; that all scripts of the project are laid out by it; that a disturbed layout
// comes back, and that a script means afterwards what it meant before.
#include "grammar/format.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <random>
#include <regex>

#include "grammar/parser.h"
#include "grammar/tokens.h"
#include "interp/ir/print.h"
#include "tests/files.h"
#include "verify/game.h"

using namespace rip;
using namespace rip::tests;

namespace {

namespace fs = std::filesystem;

std::optional<std::string> formatted(const std::string& text) {
  Sources sources;
  Diagnostics diagnostics;
  return grammar::format(sources, sources.add("a.rip", text), diagnostics);
}

const std::string kGameLine = "game \"G\" language 1\n";

/// Of declarations, below a game line.
std::string laid_out(const std::string& declarations) {
  const std::optional<std::string> out = formatted(kGameLine + declarations);
  REQUIRE(out);
  REQUIRE(out->starts_with(kGameLine));
  CHECK(formatted(*out) == out);
  return out->substr(kGameLine.size());
}

struct Script {
  std::string name, text;
  fs::path path;  ///< empty for a block of a page
};

/// Diagrams of a layout: comments of carets that mark columns in the line above, as the tests in tests/rip have them.
bool marks_columns(const std::string& text) {
  static const std::regex carets(R"((^|\n) *#[ ]*\^+ *(\n|$))");
  return std::regex_search(text, carets);
}

bool reads(const std::string& text) {
  Sources sources;
  Diagnostics diagnostics;
  grammar::parse_nodes(sources, sources.add("a.rip", text), diagnostics);
  return !diagnostics.has_errors();
}

/// All scripts of the project that can be laid out: those in files, and `rip` blocks of pages, pieces below a game line. Not
/// those that are about layout, and say so in their name.
std::vector<Script> scripts() {
  std::vector<Script> out;
  const fs::path root = RIP_SOURCE_DIR;
  for (const char* folder : {"games", "tests", "docs"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.path().extension() == ".rip") out.push_back({fs::relative(entry.path(), root).string(), text_of(entry.path()), entry.path()});
    }
  }
  std::vector<fs::path> pages{root / "README.md"};
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs")) {
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  }
  for (const fs::path& page : pages) {
    const std::vector<std::string> lines = lines_of(text_of(page));
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (!lines[i].starts_with("```rip")) continue;
      Script script{fs::relative(page, root).string() + ":" + std::to_string(i + 1), "", ""};
      while (++i < lines.size() && lines[i] != "```") script.text += lines[i] + "\n";
      if (!reads(script.text)) script.text = kGameLine + script.text;
      out.push_back(std::move(script));
    }
  }
  std::erase_if(out, [](const Script& script) {
    const bool about_layout = script.path.filename().string().find("layout") != std::string::npos;
    return about_layout || marks_columns(script.text) || !reads(script.text);
  });
  std::sort(out.begin(), out.end(), [](const Script& a, const Script& b) { return a.name < b.name; });
  return out;
}

/// The same tokens and line ends with other blanks: indentation, gaps (also where there were none), blanks at line ends, tabs,
/// empty lines where there was one, and perhaps the line ends of another system.
class Disturbed {
 public:
  explicit Disturbed(unsigned seed) : random_(seed) {}

  std::string of(const std::string& text) {
    const std::vector<grammar::Token> all = grammar::tokens(text);
    const bool crlf = chance(4);
    std::string out = chance(8) ? "\n" : "";
    std::size_t end = 0;
    int in_note = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string between = text.substr(end, all[i].begin - end);
      const std::string token = text.substr(all[i].begin, all[i].end - all[i].begin);
      const auto lines = std::count(between.begin(), between.end(), '\n');
      if (lines > 0) {
        for (auto line = std::min<std::ptrdiff_t>(lines, 2) + (lines > 1 ? number(3) : 0); line > 0; --line) out += blanks(0, 3) + (crlf ? "\r\n" : "\n");
        out += blanks(0, 9);
      } else if (!between.empty()) {
        const bool signs = i > 0 && (all[i - 1].kind == grammar::TokenKind::sign) != (all[i].kind == grammar::TokenKind::sign);
        out += blanks(signs && in_note == 0 && all[i].kind != grammar::TokenKind::comment && token != "[" ? 0 : 1, 5);
      } else if (i > 0 && in_note == 0 && chance(3)) {
        out += blanks(0, 3);
      }
      // nothing may stand inside of a note but behind its commas
      if (token == "[" && is_note(text.substr(all[i].begin))) in_note = 1;
      out += token;
      if (token == "]") in_note = 0;
      end = all[i].end;
    }
    return out + (chance(3) ? "" : crlf ? "\r\n\r\n" : "\n\n\n");
  }

 private:
  std::mt19937 random_;

  int number(unsigned below) { return static_cast<int>(random_() % below); }
  bool chance(unsigned of) { return random_() % of == 0; }
  std::string blanks(int least, unsigned more) {
    std::string out;
    for (int n = least + number(more); n > 0; --n) out += chance(6) ? '\t' : ' ';
    return out;
  }
  static bool is_note(const std::string& text) {
    static const std::regex note(R"(^\[[ \t]*[A-Z]+-[0-9])");
    return std::regex_search(text, note, std::regex_constants::match_continuous);
  }
};

/// The same tokens with line ends anywhere between them, and other blanks.
std::string with_other_lines(const std::string& text, unsigned seed) {
  std::mt19937 random(seed);
  const unsigned often = 2 + seed % 20;
  std::string out;
  std::size_t end = 0;
  bool in_note = false, after_comment = false;
  for (const grammar::Token& token : grammar::tokens(text)) {
    const std::string word = text.substr(token.begin, token.end - token.begin);
    const bool apart = token.begin > end;
    if (after_comment || (!in_note && random() % often == 0)) out += std::string(1 + random() % 3, '\n') + std::string(random() % 5, ' ');
    else if (apart) out += ' ';
    in_note = in_note ? word != "]" : word == "[" && std::regex_search(text.substr(token.begin, 20), std::regex(R"(^\[[ \t]*[A-Z]+-[0-9])"));
    out += word;
    after_comment = token.kind == grammar::TokenKind::comment;
    end = token.end;
  }
  return out;
}

/// The IR of all versions that can be played.
std::string ir_of(const std::string& path, const std::string& text) {
  const std::unique_ptr<verify::Loaded> loaded = verify::load_text(path, text);
  LowerOptions lower;
  lower.claims = true;
  std::string out;
  for (const auto& version : loaded->versions) {
    out += version->title() + "\n";
    if (version->rules == nullptr) continue;
    const auto playable = verify::prepare(version->rules, verify::configure(*version->rules, 0, {}).config, lower);
    out += playable->program == nullptr ? playable->error : ir::print(*playable->program);
  }
  return out;
}

}  // namespace

TEST_CASE("what the formatter settles", "[format]") {
  SECTION("blanks in a line") {
    CHECK(laid_out("var  x:1 .. 3=2\nlet f( a,b )=a+b*- 1\n") == "var x: 1..3 = 2\nlet f(a, b) = a + b * -1\n");
    CHECK(laid_out("phase p{set x[ 1 ] to{1,2}shuffle d   do f( )}\n") == "phase p { set x[1] to {1, 2}   shuffle d   do f() }\n");
    CHECK(laid_out("deck d of C{4 x<a - 3>for a in{1,2}   2  x <>}\n") == "deck d of C { 4 x <a -3> for a in {1, 2}   2 x <> }\n");
    CHECK(laid_out("let g() = match x{1:2,else:3}\nlet h() = (top of d) . face\n") == "let g() = match x { 1: 2, else: 3 }\nlet h() = (top of d).face\n");
    CHECK(laid_out("always \"a  b\":x<3 and[1]==[ ]\n") == "always \"a  b\": x < 3 and [1] == []\n");
    CHECK(laid_out("phase p {\n}\n") == "phase p { }\n");
  }
  SECTION("indentation, and the braces of blocks of several lines") {
    CHECK(laid_out("phase p\n{ shuffle d\n      if a { stop }\n  else { stop } }\n") ==
          "phase p {\n  shuffle d\n  if a { stop }\n  else { stop }\n}\n");
    CHECK(laid_out("rule r() {\nif a {\nstop\n}\nelse {\nstop }}\n") == "rule r() {\n  if a {\n    stop\n  } else {\n    stop\n  }\n}\n");
    CHECK(laid_out("phase p { for q in players {\nstop\n} }\n") == "phase p { for q in players {\n  stop\n} }\n");
  }
  SECTION("lines that go on") {
    CHECK(laid_out("let f() =\na\nand b\n") == "let f() =\n  a\n  and b\n");
    CHECK(laid_out("let f() = every(a\nand b for c in d)\n") == "let f() = every(a\n                and b for c in d)\n");
    CHECK(laid_out("param p[1..2]: 1..3 = [\n1,\n2\n]\n") == "param p[1..2]: 1..3 = [\n  1,\n  2\n]\n");
    CHECK(laid_out("winner p by high a[p],\nlow b[p]\n") == "winner p by high a[p],\n            low b[p]\n");
    CHECK(laid_out("enum E {\na, b,\nc }\n") == "enum E {\n  a, b,\n  c\n}\n");
  }
  SECTION("empty lines") {
    CHECK(laid_out("\n\n\nvar a: 1..2\n\n\n\nvar b: 1..2\nphase p {\n\nstop\n\nstop\n\n}\n\n\n") ==
          "\nvar a: 1..2\n\nvar b: 1..2\nphase p {\n  stop\n\n  stop\n}\n");
  }
  SECTION("notes and comments stand in columns, the narrowest that have room for all") {
    CHECK(laid_out("var a: 1..2 [R-1,A-2]\nvar b: 1..2 # b\n") ==
          "var a: 1..2                                             [R-1, A-2]\nvar b: 1..2                     # b\n");
    CHECK(laid_out("var a_name_that_is_long: 1..2 = 2 # a\nphase p { [R-1]\nstop\n}\n") ==
          "var a_name_that_is_long: 1..2 = 2                       # a\nphase p {" + std::string(71, ' ') + "[R-1]\n  stop\n}\n");
    CHECK(laid_out("phase p {\n[R-1]# of the phase\nif a { [R-2] stop [R-3]   stop } [R-4]# both\n# last\n}\n") ==
          "phase p {\n  [R-1]                                                 # of the phase\n"
          "  if a { [R-2] stop [R-3]   stop } [R-4]                # both\n  # last\n}\n");
    CHECK(laid_out("variant \"v\" { remove\n[R-1] [R-2]\nreplace [R-3]{ stop }\n}\n").find("replace [R-3] { stop }\n") != std::string::npos);
  }
  SECTION("line ends and tabs of other systems") {
    CHECK(laid_out("var a:\t1..2\t# a\t\r\n\r\nvar b: 1..2") == "var a: 1..2                     # a\n\nvar b: 1..2\n");
  }
  SECTION("what cannot be read is not touched") {
    CHECK_FALSE(formatted(""));
    CHECK_FALSE(formatted("game \"G\" language 1\nvar x 1..2\n"));
  }
}

TEST_CASE("all scripts in games, tests and docs are laid out by the formatter", "[format]") {
  const std::vector<Script> all = scripts();
  REQUIRE(all.size() > 300);
  for (const Script& script : all) {
    INFO(script.name);
    CHECK(formatted(script.text) == script.text);
  }
}

TEST_CASE("500 disturbed layouts come back and mean the same", "[format]") {
  const std::vector<Script> all = scripts();
  std::map<std::string, std::string> known;
  for (unsigned i = 0; i < 500; ++i) {
    const Script& script = all[i % all.size()];
    INFO(script.name << ", seed " << i);
    const std::string disturbed = Disturbed(i).of(script.text);
    CHECK(disturbed != script.text);
    CHECK(formatted(disturbed) == script.text);
    if (script.path.empty()) continue;
    const auto [entry, fresh] = known.try_emplace(script.name);
    if (fresh) entry->second = ir_of(script.path.string(), script.text);
    CHECK(ir_of(script.path.string(), disturbed) == entry->second);
  }
}

TEST_CASE("what was laid out once is laid out, wherever lines end", "[format]") {
  const std::vector<Script> all = scripts();
  std::size_t formed = 0;
  for (unsigned i = 0; i < 600; ++i) {
    const Script& script = all[i % all.size()];
    INFO(script.name << ", seed " << i);
    const std::optional<std::string> once = formatted(with_other_lines(script.text, i));
    REQUIRE(once);
    CHECK(formatted(*once) == once);
    formed += *once != script.text ? 1 : 0;
  }
  CHECK(formed > 300);
}

TEST_CASE("very long lines and very many comments take no long time", "[format]") {
  const auto repeated = [](const std::string& one, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += one;
    return out;
  };
  CHECK(formatted(kGameLine + "players 2" + repeated(" var a:1..2", 60000)));
  CHECK(formatted(kGameLine + repeated("#\n\n", 200000) + "players 2\n" + repeated("#\n", 200000)));
  CHECK(formatted(kGameLine + "phase p {" + repeated("\n#\n\n", 150000) + "}\n"));
  CHECK(formatted(kGameLine + "deck d of C {" + repeated("1 x <1> ", 40000) + "\n" + repeated("1 x <10> ", 40000) + "}\n"));
  CHECK(formatted(kGameLine + "phase p {" + repeated("if a {", 150) + repeated("}", 151) + "\n"));
}
