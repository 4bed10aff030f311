// The documents are true: every fenced block of README.md and docs/**/*.md is run. `rip` blocks are scripts, `console` blocks
// are commands with what they print. How a page is written, so that its reader sees short pieces and the test whole scripts:
//
//   ```rip                          begins with `game`: a whole script. Else a piece, which is put where `...` stands alone
//                                   in the frame: the latest `<!-- frame ... -->` above, which readers do not see
//   ```rip error R0203              exactly these diagnostics; likewise `warning`. Without it there are none, scenarios
//                                   hold, and random games find no mistake
//   ```rip violated TEXT            this claim, property or scenario does not hold; `fault TEXT`: a rule goes wrong so
//   ```rip saved as bluff.rip       and the file is there for the commands further down on the page
//   ```console                      `$ ./dev check bluff.rip` and what it prints; `...` stands for anything
//
// `sh` (commands for people), `peg`, `cpp` and `text` blocks are not run; other words, and blocks without one, are mistakes.
#include <catch2/catch.hpp>

#include "cli/highlight.h"
#include "tests/files.h"

#include "verify/check.h"
#include "verify/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <unistd.h>

using namespace rip;

using namespace rip::tests;

namespace {

namespace fs = std::filesystem;

/// A fenced block of a page.
struct Block {
  std::string language;
  std::string wanted;   ///< `error`, `warning`, `violated`, `fault` or nothing
  std::string what;     ///< codes or text
  std::string saved_as;
  std::string text;
  std::string frame;    ///< the latest above; without one empty
  std::size_t line = 0;
};

struct Page {
  fs::path path;
  std::vector<Block> blocks;
  std::vector<std::string> links;
  std::string wrong;    ///< how the page is not written as it should be
};

/// The words behind the three ticks.
std::string read_info(const std::string& info, Block& block) {
  // (a backtick there would end the fence for readers)
  static const std::regex form(R"((\w+)(?: (error|warning|violated|fault) ([^`]+?))?(?: saved as (\S+))?)");
  static const std::set<std::string> languages = {"rip", "console", "sh", "peg", "cpp", "text"};
  std::smatch match;
  if (!std::regex_match(info, match, form) || !languages.contains(match[1])) return fmt::format("`{}` is no kind of block", info);
  block.language = match[1];
  block.wanted = match[2];
  block.what = match[3];
  block.saved_as = match[4];
  if (block.language != "rip" && (!block.wanted.empty() || !block.saved_as.empty())) return fmt::format("`{}`: only scripts can be wrong or saved", info);
  return "";
}

void find_links(const std::string& line, Page& page) {
  static const std::regex link(R"(\]\(([^)#:]+)(#[^)]*)?\))");
  for (std::sregex_iterator it(line.begin(), line.end(), link), end; it != end; ++it) page.links.push_back((*it)[1]);
}

Page read_page(const fs::path& path) {
  Page page;
  page.path = path;
  const std::vector<std::string> lines = lines_of(text_of(path));
  std::string frame;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].starts_with("<!-- frame")) {
      frame.clear();
      while (++i < lines.size() && lines[i] != "-->") frame += lines[i] + "\n";
      continue;
    }
    if (lines[i].find("```") == std::string::npos) {
      find_links(lines[i], page);
      continue;
    }
    Block block;
    block.line = i + 1;
    block.frame = frame;
    std::string fault = lines[i].starts_with("```") ? read_info(lines[i].substr(3), block) : "a fence stands at the beginning of its line";
    while (++i < lines.size() && lines[i] != "```") block.text += lines[i] + "\n";
    if (i == lines.size()) fault = "the block does not end";
    if (!fault.empty()) page.wrong += fmt::format("line {}: {}\n", block.line, fault);
    else page.blocks.push_back(std::move(block));
  }
  return page;
}

std::vector<fs::path> pages() {
  std::vector<fs::path> out{fs::path(RIP_SOURCE_DIR) / "README.md"};
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(RIP_SOURCE_DIR) / "docs")) {
    if (entry.path().extension() == ".md") out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

// ---- scripts --------------------------------------------------------------------------------------------------------

bool is_whole(const std::string& text) {
  for (const std::string& line : lines_of(text)) {
    if (!line.empty() && !line.starts_with("#")) return line.starts_with("game ");
  }
  return false;
}

/// The script a block stands for; empty: its frame has no place for it.
std::string script_of(const Block& block) {
  if (is_whole(block.text)) return block.text;
  const std::size_t slot = ("\n" + block.frame).find("\n...\n");
  return slot == std::string::npos ? "" : block.frame.substr(0, slot) + block.text + block.frame.substr(slot + 4);
}

/// Played, with what does not hold; empty = all is as the block says.
std::string play(const Block& block, const verify::Loaded& loaded) {
  verify::CheckOptions options;
  options.games = block.wanted == "violated" ? 2000 : 60;  // what is to be found may be rare
  options.jobs = 1;
  options.save_failures = false;
  options.shrink_seconds = 0.2;
  const verify::CheckReport report = verify::check_game(loaded, options);
  std::string wrong = report.usage_error;
  bool met = false;
  for (const verify::RunReport& run : report.runs) {
    for (const verify::VerdictLine& verdict : run.verdicts) {
      if (verdict.verdict != verify::Verdict::violated && verdict.verdict != verify::Verdict::error) continue;
      const std::string& text = block.wanted == "fault" ? verdict.detail : verdict.name;
      const bool awaited = (block.wanted == "fault" || block.wanted == "violated") && text.find(block.what) != std::string::npos;
      met = met || awaited;
      if (!awaited) wrong += fmt::format("{}: {}\n{}", verdict.name, verdict.detail, verify::excerpt(loaded.sources, verdict.span));
    }
  }
  if ((block.wanted == "fault" || block.wanted == "violated") && !met) wrong += fmt::format("{}: {}, but all holds\n", block.wanted, block.what);
  return wrong;
}

std::string disagreement(const Block& block) {
  const std::string script = script_of(block);
  if (script.empty()) return "a piece of a script, but no frame with `...` above";
  const std::unique_ptr<verify::Loaded> loaded = verify::load_text((fs::path(RIP_SOURCE_DIR) / "games" / "block.rip").string(), script);
  const bool diagnosed = block.wanted == "error" || block.wanted == "warning";
  const std::vector<std::string> words = diagnosed ? split(block.what, ' ') : std::vector<std::string>{};
  const std::set<std::string> expected(words.begin(), words.end());
  std::set<std::string> found;
  std::string wrong;
  for (const Diagnostic& d : loaded->diagnostics()) {
    const std::string code(info(d.code).name);
    found.insert(code);
    if (!expected.contains(code) || (d.severity == Severity::error) != (block.wanted == "error")) wrong += render(d, loaded->sources, false);
  }
  for (const std::string& code : expected) {
    if (!found.contains(code)) wrong += fmt::format("{} is missing\n", code);
  }
  return wrong.empty() && block.wanted != "error" ? play(block, *loaded) : wrong;
}

// ---- commands -------------------------------------------------------------------------------------------------------

/// What people type and what is printed, both in one text as on a terminal.
struct Command {
  std::string line, input;
  std::vector<std::string> output;
};

std::vector<Command> commands_of(const Block& block) {
  std::vector<Command> out;
  for (const std::string& line : lines_of(block.text)) {
    static const std::regex prompt(R"((?:P\d+|chance|over|rules)?> (.*))");
    std::smatch match;
    if (line.starts_with("$ ")) {
      out.push_back({line.substr(2), "", {}});
    } else if (!out.empty()) {
      if (std::regex_match(line, match, prompt)) out.back().input += match[1].str() + "\n";
      else out.back().output.push_back(line);
    }
  }
  return out;
}

std::string printed_by(const Command& command, const fs::path& folder) {
  const fs::path in = folder / ".input";
  std::ofstream(in, std::ios::binary) << command.input;
  const std::string program = std::regex_replace(command.line, std::regex(R"(^(\./dev|ripdsl) )"), std::string(RIP_BINARY) + " ");
  FILE* pipe = ::popen(fmt::format("cd {} && {} <{} 2>&1", folder.string(), program, in.string()).c_str(), "r");
  if (pipe == nullptr) return "cannot be run";
  std::string out;
  std::array<char, 4096> buffer{};
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) out.append(buffer.data(), n);
  ::pclose(pipe);
  return out;
}

/// Times differ from run to run; prompts are not printed to a pipe.
std::string normal(const std::string& text) {
  static const std::regex seconds(R"(\d+\.\d+ s\b)"), blanks(R"([ \t]+\n)");
  return std::regex_replace(std::regex_replace(text, seconds, "T s"), blanks, "\n");
}

/// Whether `text` is `pattern`, in which `...` stands for anything.
bool fits(std::string_view pattern, std::string_view text) {
  std::size_t gap = pattern.find("...");
  if (gap == std::string_view::npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, gap))) return false;
  text.remove_prefix(gap);
  pattern.remove_prefix(gap + 3);
  // the first place is as good as any other for all pieces but the last, which ends the text
  while ((gap = pattern.find("...")) != std::string_view::npos) {
    const std::size_t at = text.find(pattern.substr(0, gap));
    if (at == std::string_view::npos) return false;
    text.remove_prefix(at + gap);
    pattern.remove_prefix(gap + 3);
  }
  return text.ends_with(pattern);
}

std::string without_end(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

std::string disagreement(const Command& command, const fs::path& folder) {
  std::string wanted;
  for (const std::string& line : command.output) wanted += line + "\n";
  const std::string found = without_end(normal(printed_by(command, folder)));
  return fits(without_end(normal(wanted)), found) ? "" : found;
}

}  // namespace

TEST_CASE("every script and every command of the documents does what the page says", "[docs]") {
  for (const fs::path& path : pages()) {
    const Page page = read_page(path);
    INFO(fs::relative(path, RIP_SOURCE_DIR).string());
    CHECK(page.wrong == "");
    const fs::path folder = fs::temp_directory_path() / fmt::format("ripdsl-docs-{}-{}", ::getpid(), path.stem().string());
    fs::create_directories(folder);
    if (path.parent_path().filename() == "sessions") fs::copy(fs::path(RIP_SOURCE_DIR) / "games", folder / "games");  // to plant a mistake in
    for (const Block& block : page.blocks) {
      INFO("line " << block.line);
      if (block.language == "rip") CHECK(disagreement(block) == "");
      if (!block.saved_as.empty()) std::ofstream(folder / block.saved_as, std::ios::binary) << script_of(block);
      if (block.language != "console") continue;
      CHECK(block.text.starts_with("$ "));
      for (const Command& command : commands_of(block)) {
        INFO(command.line);
        CHECK(disagreement(command, folder) == "");
      }
    }
    fs::remove_all(folder);
  }
}

TEST_CASE("each game has a session that asks why, sees as a seat does, halts, and reads the mended script", "[docs]") {
  for (const auto& entry : fs::directory_iterator(fs::path(RIP_SOURCE_DIR) / "games")) {
    if (entry.path().extension() != ".rip") continue;
    INFO(entry.path().stem().string());
    const fs::path path = fs::path(RIP_SOURCE_DIR) / "docs" / "sessions" / (entry.path().stem().string() + ".md");
    REQUIRE(fs::exists(path));
    std::string typed, run;
    for (const Block& block : read_page(path).blocks) {
      for (const Command& command : commands_of(block)) {
        typed += "\n" + command.input;
        run += command.line + "\n";
      }
    }
    for (const char* command : {".why ", ".as P", ".break ", ".reload ", ".scenario "}) {
      INFO(command);
      CHECK(typed.find("\n" + std::string(command)) != std::string::npos);
    }
    // the scenario is tried on the rules before and after
    CHECK(run.find("test games/before.rip") != std::string::npos);
    CHECK(run.find("test games/after.rip") != std::string::npos);
  }
}

TEST_CASE("links and names of files in the documents lead to files", "[docs]") {
  static const std::regex name(R"(`((?:[a-z_]+/)+[a-z_]+\.(?:cpp|h|def|rip|csv))`)");
  for (const fs::path& path : pages()) {
    INFO(fs::relative(path, RIP_SOURCE_DIR).string());
    for (const std::string& link : read_page(path).links) {
      INFO(link);
      CHECK(fs::exists(path.parent_path() / link));
    }
    const std::string text = text_of(path);
    for (std::sregex_iterator it(text.begin(), text.end(), name), end; it != end; ++it) {
      INFO((*it)[1]);
      CHECK(fs::exists(fs::path(RIP_SOURCE_DIR) / (*it)[1].str()));
    }
  }
}

TEST_CASE("the site has every page, and a colour for all that the grammar of scripts tells apart", "[docs]") {
  const fs::path docs = fs::path(RIP_SOURCE_DIR) / "docs";
  const std::string pages = text_of(docs / "site" / "pages.py"), conf = text_of(docs / "site" / "conf.py");
  for (const auto& entry : fs::directory_iterator(docs)) {
    if (entry.path().extension() != ".md") continue;
    INFO(entry.path().filename().string());
    CHECK(pages.find("\"docs/" + entry.path().stem().string() + "\"") != std::string::npos);
  }
  static const std::regex coloured("\"([a-z.-]+)\": [A-Z]"), scope("\"name\": \"([a-z.-]+)\\.ripdsl\"");
  std::vector<std::string> colours;
  for (std::sregex_iterator it(conf.begin(), conf.end(), coloured), end; it != end; ++it) colours.push_back((*it)[1]);
  const std::string grammar = cli::textmate_grammar();
  for (std::sregex_iterator it(grammar.begin(), grammar.end(), scope), end; it != end; ++it) {
    INFO((*it)[1]);
    CHECK(std::any_of(colours.begin(), colours.end(), [&](const std::string& prefix) { return (*it)[1].str().starts_with(prefix); }));
  }
}

TEST_CASE("examples of the help texts name files that are there", "[docs]") {
  static const std::regex name(R"(games/[a-z]+\.rip)");
  for (const auto& entry : fs::directory_iterator(fs::path(RIP_SOURCE_DIR) / "cli")) {
    const std::string text = text_of(entry.path());
    for (std::sregex_iterator it(text.begin(), text.end(), name), end; it != end; ++it) {
      INFO(entry.path().filename().string() << ": " << it->str());
      CHECK(fs::exists(fs::path(RIP_SOURCE_DIR) / it->str()));
    }
  }
}

TEST_CASE("the scripts of the cookbook hold, and its table quotes each of them", "[docs]") {
  const fs::path folder = fs::path(RIP_SOURCE_DIR) / "docs" / "cookbook";
  std::set<std::string> scripts, quoted;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".rip") scripts.insert(entry.path().filename().string());
  }
  // | idiom | [script](script.rip) | `the lines that carry it` | when | variant |
  static const std::regex row(R"(\|[^|]+\| \[[^|]+\]\((\w+\.rip)\) \|([^|]+)\|[^|]+\|[^|]+\|)"), code("`([^`]+)`");
  for (const std::string& line : lines_of(text_of(folder / "README.md"))) {
    std::smatch match;
    if (!std::regex_match(line, match, row) || !scripts.contains(match[1])) continue;
    INFO(match[1]);
    CHECK(quoted.insert(match[1]).second);
    const std::string script = text_of(folder / match[1].str()), cell = match[2];
    std::size_t quotes = 0;
    for (std::sregex_iterator it(cell.begin(), cell.end(), code), end; it != end; ++it, ++quotes) {
      INFO((*it)[1]);
      // in the rules: the comment at the top quotes, too
      CHECK(std::regex_replace(script, std::regex("#.*"), "").find((*it)[1]) != std::string::npos);
    }
    CHECK(quotes > 0);
  }
  CHECK(quoted == scripts);

  for (const std::string& name : scripts) {
    INFO(name);
    const std::unique_ptr<verify::Loaded> loaded = verify::load((folder / name).string());
    verify::CheckOptions options;
    options.games = 100;
    options.jobs = 1;
    options.save_failures = false;
    options.shrink_seconds = 0.2;
    const verify::CheckReport report = verify::check_game(*loaded, options);
    CHECK(report.ok);
    CHECK(report.warnings == 0);
    CHECK_FALSE(report.budget_ended);
  }
}

TEST_CASE("the language page lists every message and names no other", "[docs]") {
  const std::string text = text_of(fs::path(RIP_SOURCE_DIR) / "docs" / "language.md");
  for (const CodeInfo& code : all_codes()) {
    INFO(code.name);
    CHECK(text.find(fmt::format("| {} | {} |", code.name, code.title)) != std::string::npos);
  }
  static const std::regex name(R"(\bR\d{4}\b)");
  for (std::sregex_iterator it(text.begin(), text.end(), name), end; it != end; ++it) {
    INFO(it->str());
    CHECK(find_code(it->str()) != nullptr);
  }
}
