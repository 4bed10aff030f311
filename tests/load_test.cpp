// From files to versions: sheets that build on the game of another file.
#include <catch2/catch.hpp>

#include "verify/check.h"

#include <fmt/format.h>

#include <filesystem>

using namespace rip;
namespace fs = std::filesystem;

namespace {

std::unique_ptr<verify::Loaded> load(const std::string& name) { return verify::load((fs::path(RIP_SOURCE_DIR) / "tests" / "rip" / "files" / name).string()); }

std::string names(const verify::Loaded& loaded) {
  std::string out;
  for (const auto& version : loaded.versions) out += fmt::format("[{}]", version->name);
  return out;
}

}  // namespace

TEST_CASE("a file of sheets has no game of its own", "[load]") {
  CHECK(names(*load("countdown.rip")) == "[][great heap]");
  CHECK(names(*load("sheet.rip")) == "[threes][threes of great heap]");
  CHECK(names(*load("sheet_on_sheet.rip")) == "[threes][fours]");
}

TEST_CASE("a sheet on another file brings its own scenarios and inherits the claims", "[load]") {
  const auto loaded = load("sheet.rip");
  const rules::Rules& plain = *loaded->find("threes")->rules;
  REQUIRE(plain.scenarios.size() == 2);
  CHECK(plain.scenarios[0].name == "three can be taken");
  CHECK(plain.scenarios[1].name == "five need two turns");
  CHECK(plain.claims.size() == 2);
  const rules::Rules& great = *loaded->find("threes of great heap")->rules;
  REQUIRE(great.scenarios.size() == 1);
  CHECK(great.scenarios[0].name == "from a great heap");
}

TEST_CASE("what a chain of files lacks is said where it is asked for", "[load]") {
  for (const std::string name : {"missing_file.rip", "circle.rip"}) {
    const auto loaded = load(name);
    CHECK(loaded->versions.empty());
    REQUIRE(loaded->diagnostics().size() == 1);
    const Diagnostic d = loaded->diagnostics()[0];
    CHECK(d.code == Code::R0906);
    CHECK(loaded->sources[d.span.file].path == loaded->path);
  }
  // the sheet without its scenario is as good as before
  CHECK(names(*load("unknown_variant.rip")) == "[threes]");
}
