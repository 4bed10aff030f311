// The table of diagnostics and the words of the language: each has examples that are true, and a script that shows it.
#include <catch2/catch.hpp>

#include "tests/files.h"

#include "base/diagnostic.h"
#include "verify/game.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <vector>

using namespace rip;

using namespace rip::tests;

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files(const char* folder, const char* extension) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(RIP_SOURCE_DIR) / folder)) {
    if (entry.path().extension() == extension) out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string everything(const char* folder, const char* extension) {
  std::string out;
  for (const fs::path& path : files(folder, extension)) out += text_of(path) + "\n";
  return out;
}

/// The words of the scripts, without what stands in comments and texts.
std::set<std::string> words_of_scripts() {
  std::string text = everything("tests/rip", ".rip") + everything("games", ".rip");
  text = std::regex_replace(text, std::regex("\"[^\"\n]*\"|#[^\n]*"), " ");
  std::set<std::string> out;
  std::string word;
  for (const char c : text + " ") {
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9')) {
      word += c;
    } else if (!word.empty()) {
      out.insert(std::move(word));
      word.clear();
    }
  }
  return out;
}

std::set<std::string> codes_in(const std::string& text, const std::string& before, const std::string& after) {
  std::set<std::string> out;
  const std::regex code(before + "(R[0-9]{4})" + after);
  for (std::sregex_iterator it(text.begin(), text.end(), code), end; it != end; ++it) out.insert((*it)[1]);
  return out;
}

std::string shown(const verify::Loaded& loaded) {
  std::string out;
  for (const Diagnostic& d : loaded.diagnostics()) out += render(d, loaded.sources, false);
  return out;
}

}  // namespace

TEST_CASE("the bad example of each diagnostic yields it, the good one nothing", "[diagnostics]") {
  for (const CodeInfo& code : all_codes()) {
    INFO(code.name << ": " << code.title);
    CHECK_FALSE(code.explanation.empty());
    // what no example can show: an empty or unreadable file, a byte that is no text, what is far too long or too deep
    const bool told_only = code.name.substr(0, 3) == "R00" || code.code == Code::R0104;
    CHECK(code.bad.empty() == told_only);
    CHECK(code.good.empty() == told_only);
    if (told_only) continue;
    const auto bad = verify::load_text("bad.rip", std::string(code.bad));
    INFO("bad:\n" << shown(*bad));
    const std::vector<Diagnostic> found = bad->diagnostics();
    CHECK(std::any_of(found.begin(), found.end(), [&](const Diagnostic& d) { return d.code == code.code; }));
    CHECK(std::all_of(found.begin(), found.end(), [&](const Diagnostic& d) { return d.code == code.code; }));
    const auto good = verify::load_text("good.rip", std::string(code.good));
    INFO("good:\n" << shown(*good));
    CHECK(good->diagnostics().empty());
  }
}

TEST_CASE("each diagnostic occurs in a script of the corpus", "[diagnostics]") {
  const std::set<std::string> in_scripts = codes_in(everything("tests/rip", ".rip"), "# (?:error|warning): ", "");
  const std::set<std::string> in_tests = codes_in(everything("tests", ".cpp"), "", "");
  for (const CodeInfo& code : all_codes()) {
    INFO(code.name << ": " << code.title);
    const bool of_files = code.name.substr(0, 3) == "R00";
    CHECK((of_files ? in_tests : in_scripts).contains(std::string(code.name)));
  }
}

TEST_CASE("each diagnostic is reported somewhere", "[diagnostics]") {
  std::string sources;
  for (const char* folder : {"base", "grammar", "interp", "verify", "cli"}) sources += everything(folder, ".cpp");
  const std::set<std::string> reported = codes_in(sources, "Code::", "");
  for (const CodeInfo& code : all_codes()) {
    INFO(code.name);
    CHECK(reported.contains(std::string(code.name)));
  }
}

TEST_CASE("each word of the language occurs in a script", "[words]") {
  static const std::vector<std::string> kWords{
#define RIP_WORD(id, spelling, word_class) spelling,
#include "grammar/keywords.def"
#undef RIP_WORD
  };
  const std::set<std::string> used = words_of_scripts();
  for (const std::string& word : kWords) {
    INFO(word);
    CHECK(used.contains(word));
  }
  for (const char* word : {"yes", "no", "none", "nobody", "players", "me", "up", "down", "score", "winners", "game", "owner", "original", "flag", "player",
                           "Face", "text", "nth", "next", "previous", "number", "abs", "random"}) {
    INFO(word);
    CHECK(used.contains(word));
  }
}
