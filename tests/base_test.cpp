// Source text, places, diagnostics as people see them, did-you-mean, hashes.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/diagnostic.h"
#include "base/hash.h"
#include "base/ids.h"
#include "base/source.h"

using namespace rip;

namespace {

/// The diagnostic about the bytes [begin, end) of a file `a.rip` with this text.
std::string rendered(const std::string& text, std::uint32_t begin, std::uint32_t end, bool colour = false) {
  Sources sources;
  const std::uint32_t file = sources.add("a.rip", text);
  Diagnostics diagnostics;
  diagnostics.report(Code::R0101, {file, begin, end}, "found `x`");
  return render(diagnostics.all().front(), sources, colour);
}

/// The same about the first occurrence of `marked`.
std::string rendered(const std::string& text, const std::string& marked) {
  const auto at = static_cast<std::uint32_t>(text.find(marked));
  return rendered(text, at, at + static_cast<std::uint32_t>(marked.size()));
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out(1);
  for (const char c : text) {
    if (c == '\n') {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

}  // namespace

TEST_CASE("places count lines and characters") {
  Sources sources;
  const std::uint32_t file = sources.add("g.rip", "ab\ngrün x\r\n\nlast");
  auto place = [&](std::uint32_t offset) {
    const Place at = sources.place(file, offset);
    return std::pair(at.line, at.column);
  };
  CHECK(place(0) == std::pair(1u, 1u));
  CHECK(place(2) == std::pair(1u, 3u));  // the line end itself
  CHECK(place(3) == std::pair(2u, 1u));
  CHECK(place(9) == std::pair(2u, 6u));  // behind a character of two bytes
  CHECK(place(12) == std::pair(3u, 1u));
  CHECK(place(17) == std::pair(4u, 5u));
  CHECK(place(1000) == std::pair(4u, 5u));  // beyond the end is the end
  CHECK(sources.line(file, 2) == "grün x");
  CHECK(sources.line(file, 3).empty());
  CHECK(sources.line(file, 4) == "last");
  CHECK(sources.line(file, 5).empty());
  CHECK(sources.text({file, 3, 8}) == "grün");
  CHECK(sources.text({file, 13, 99}) == "last");
  CHECK(sources.where({file, 9, 10}) == "g.rip:2:6");
  CHECK(join({file, 3, 8}, {file, 1, 4}) == Span{file, 1, 8});
}

TEST_CASE("a diagnostic shows its line and marks its span") {
  CHECK(rendered("one\n  move hnad to table\n", "hnad") ==
        "a.rip:2:8: error[R0101]: found `x`\n"
        "   2 |   move hnad to table\n"
        "     |        ^^^^\n");
}

TEST_CASE("colours wrap the severity and the marks") {
  CHECK(rendered("abc", 1, 2, true) ==
        "a.rip:1:2: \x1b[1;31merror[R0101]\x1b[0m: found `x`\n"
        "   1 | abc\n"
        "     | \x1b[1;31m ^\x1b[0m\n");
}

TEST_CASE("marks count characters, not bytes") {
  const auto shown = lines(rendered("note \"grün ist ☂\" x", "x"));
  CHECK(shown[0] == "a.rip:1:19: error[R0101]: found `x`");
  CHECK(shown[2] == "     | " + std::string(18, ' ') + "^");
  CHECK(lines(rendered("é", 0, 0))[2] == "     | ^");
  CHECK(lines(rendered("é!", "é!"))[2] == "     | ^^");
  CHECK(lines(rendered("éé", 4, 4))[2] == "     |   ^");
}

TEST_CASE("tabs are shown as four blanks") {
  const auto shown = lines(rendered("\tmove\tx", "x"));
  CHECK(shown[0] == "a.rip:1:7: error[R0101]: found `x`");
  CHECK(shown[1] == "   1 |     move    x");
  CHECK(shown[2] == "     |             ^");
  CHECK(lines(rendered("\tmove", 5, 5))[2] == "     |         ^");
}

TEST_CASE("what is no printable text is shown as an escape") {
  const auto shown = lines(rendered(std::string("a\0b\x1b[2Jz", 8), "z"));
  CHECK(shown[1] == "   1 | a\\x00b\\x1b[2Jz");
  CHECK(shown[2] == "     |              ^");
  CHECK(lines(rendered("\xff\xc3", 0, 2))[1] == "   1 | \\xff\\xc3");
  CHECK(lines(rendered("\xff\xc3", 0, 2))[2] == "     | ^^^^^^^^");
  CHECK(lines(rendered("\xc2\x9b", 0, 2))[1] == "   1 | \\xc2\\x9b");           // the one-character form of ESC [
  CHECK(lines(rendered("\xe2\x80\xae", 0, 3))[1] == "   1 | \\xe2\\x80\\xae");  // turns the direction of the text
}

TEST_CASE("a long line is cut around the span") {
  const std::string text = std::string(500, 'a') + "HERE" + std::string(500, 'b');
  const auto shown = lines(rendered(text, "HERE"));
  CHECK(shown[0] == "a.rip:1:501: error[R0101]: found `x`");
  CHECK(shown[1] == "   1 | ..." + std::string(60, 'a') + "HERE" + std::string(96, 'b') + "...");
  CHECK(shown[2] == "     | " + std::string(63, ' ') + "^^^^");

  const auto start = lines(rendered("HERE" + std::string(500, 'b'), "HERE"));
  CHECK(start[1] == "   1 | HERE" + std::string(156, 'b') + "...");

  const auto end = lines(rendered(std::string(5000, 'a') + "HERE", "HERE"));
  CHECK(end[1] == "   1 | ..." + std::string(60, 'a') + "HERE");

  const auto tabs = lines(rendered(std::string(300, '\t') + "HERE", "HERE"));
  CHECK(tabs[1] == "   1 | ..." + std::string(60, ' ') + "HERE");
  CHECK(tabs[2] == "     | " + std::string(63, ' ') + "^^^^");

  const auto all = lines(rendered(std::string(400, 'x'), 0, 400));
  CHECK(all[2] == "     | " + std::string(160, '^'));
}

TEST_CASE("of a span over several lines the first one is marked") {
  CHECK(rendered("if a {\n  stop\n}\n", 3, 15) ==
        "a.rip:1:4: error[R0101]: found `x`\n"
        "   1 | if a {\n"
        "     |    ^^^\n");
}

TEST_CASE("an empty file and the end of a file have a place") {
  CHECK(rendered("", 0, 0) == "a.rip:1:1: error[R0101]: found `x`\n   1 | \n     | ^\n");
  CHECK(rendered("ab\n", 3, 3) == "a.rip:2:1: error[R0101]: found `x`\n   2 | \n     | ^\n");
  CHECK(rendered("ab", 2, 2) == "a.rip:1:3: error[R0101]: found `x`\n   1 | ab\n     |   ^\n");
}

TEST_CASE("related places and the hint follow the marks") {
  Sources sources;
  const std::uint32_t file = sources.add("a.rip", "let a() = 1\nlet a() = 2\n");
  Diagnostics diagnostics;
  Diagnostic& made = diagnostics.report(Code::R0101, {file, 16, 17}, "`a` stands twice");
  made.related.push_back({{file, 4, 5}, "declared here first"});
  made.hint = "give one another name";
  CHECK(render(diagnostics.all().front(), sources, false) ==
        "a.rip:2:5: error[R0101]: `a` stands twice\n"
        "   2 | let a() = 2\n"
        "     |     ^\n"
        "  a.rip:1:5: declared here first\n"
        "   1 | let a() = 1\n"
        "     |     ^\n"
        "  hint: give one another name\n");
}

TEST_CASE("diagnostics are counted, sorted, and told once") {
  Diagnostics diagnostics;
  diagnostics.report(Code::R0102, {0, 9, 10}, "late");
  diagnostics.report(Code::R0101, {0, 2, 3}, "early");
  diagnostics.report(Code::R0101, {0, 2, 3}, "early again").hint = "goes nowhere";
  CHECK(diagnostics.errors() == 2);
  CHECK(diagnostics.sorted()[0].message == "early");
  CHECK(diagnostics.sorted()[0].hint.empty());
  CHECK(diagnostics.sorted()[1].message == "late");
  for (std::uint32_t i = 0; i < 1000; ++i) diagnostics.report(Code::R0101, {0, 100 + i, 101 + i}, "many");
  CHECK(diagnostics.all().size() == Diagnostics::kMaxKept);
  CHECK(diagnostics.errors() == 1002);
}

TEST_CASE("the table of diagnostics is in order and explained") {
  std::set<std::string_view> names;
  for (const CodeInfo& row : all_codes()) {
    INFO(row.name);
    CHECK(names.insert(row.name).second);
    CHECK(&info(row.code) == &row);
    CHECK(find_code(row.name) == &row);
    CHECK(row.name.size() == 5);
    CHECK_FALSE(row.title.empty());
    CHECK(row.explanation.size() > 20);
  }
  CHECK(find_code("R9999") == nullptr);
}

TEST_CASE("nearest finds likely slips only") {
  const std::vector<std::string_view> names{"hand", "table", "draw_pile", "discard", "p"};
  CHECK(nearest("hnad", names) == "hand");
  CHECK(nearest("han", names) == "hand");
  CHECK(nearest("tabel", names) == "table");
  CHECK(nearest("drawpile", names) == "draw_pile");
  CHECK(nearest("discrad", names) == "discard");
  CHECK(nearest("q", names).empty());
  CHECK(nearest("grave", names).empty());
  CHECK(nearest("", names).empty());
  CHECK(nearest("hand", names).empty());  // itself is no slip
  CHECK(nearest(std::string(1000, 'a'), names).empty());
}

TEST_CASE("hashes are those of the published algorithm, on every machine") {
  CHECK(hash64(std::string_view()) == 0x2d06800538d394c2ull);
  CHECK(hash128(std::string_view()) == Hash128{0x99aa06d3014798d8ull, 0x6001c324468d497full});
  CHECK(hash64("abc") == 0x78af5f94892f3950ull);
  CHECK(hash64("abc", 1) != hash64("abc"));
  CHECK(hash128("abc") != hash128("abd"));
  const std::string text(1000, 'x');
  CHECK(hash64(text) == hash64(std::as_bytes(std::span(text))));
  CHECK(hash128(text) == hash128(std::as_bytes(std::span(text))));
}

TEST_CASE("ids index the vector of their tag") {
  struct Zone;
  IdVec<Zone, int> zones;
  const Id<Zone> first = zones.push_back(7);
  const Id<Zone> second = zones.push_back(8);
  CHECK(zones[first] == 7);
  CHECK(zones[second] == 8);
  CHECK(first < second);
  CHECK(first);
  CHECK_FALSE(Id<Zone>());
}

TEST_CASE("a file is read whole, or the reason is told") {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "rip-base-test.txt";
  std::ofstream(path, std::ios::binary) << std::string("a\0b\n", 4);
  const ReadResult read = read_file(path.string());
  CHECK(read.error.empty());
  CHECK(read.text == std::string("a\0b\n", 4));
  std::filesystem::remove(path);
  CHECK(read_file(path.string()).error == "No such file or directory");
  CHECK(read_file(std::filesystem::temp_directory_path().string()).error == "it is a directory");
}
