// The program as people and scripts use it: output, exit codes, JSON, pipes.
#include <catch2/catch.hpp>

#include "tests/files.h"
#include "tests/program.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>

using namespace rip::tests;

namespace {

namespace fs = std::filesystem;

const std::string kGame = R"(game "Take" language 1
players 2..3
param heap: 3..20 = 7
var left: 0..20 = heap
var taken[player]: 0..20 = 0
phase setup { }
phase play turns from 0 until left == 0 {
  choose me { take(n in 1..3 where n <= left) { lower left by n   raise taken[me] by n } }     [R-1]
}
score p = taken[p]
winner p by high score[p]
report "last heap" = left
always "nothing is lost": left + sum(taken[p] for p in players) == heap
variant "small steps" { set heap to 5 }
scenario "three" { [C-1]
  players Ann, Ben
  Ann does take(3)
  expect left == 4
}
)";

std::string game() { return written("take.rip", kGame); }

}  // namespace

TEST_CASE("usage", "[cli]") {
  CHECK(run("--help").exit == 0);
  CHECK_THAT(run("--help").out, Catch::Contains("check") && Catch::Contains("repl"));
  CHECK(run("").exit == 2);
  CHECK(run("chekc x.rip").exit == 2);
  CHECK_THAT(run("chekc x.rip").err, Catch::Contains("unknown command `chekc`; did you mean `check`?"));
  CHECK(run("check").exit == 2);
  for (const char* command : {"check", "test", "play", "repl", "sim", "ir", "explain", "bench", "mutate"}) {
    const Ran help = run(std::string(command) + " --help");
    CHECK(help.exit == 0);
    CHECK_THAT(help.out, Catch::Contains("Example"));
  }
  CHECK_THAT(run("--version").out, Catch::StartsWith("ripdsl "));
}

TEST_CASE("hints for those who come from other languages, or forget a brace", "[cli]") {
  const std::string begin = "game \"G\" language 1\nplayers 2\nvar n: 0..3\n";
  const auto said = [&](const std::string& rest) { return run("check " + written("hint.rip", begin + rest)).err; };
  CHECK_THAT(said("phase play { n = n + 1 }\nwin 0\n"), Catch::Contains("a variable is changed by `set n to ...`"));
  CHECK_THAT(said("phase play { if n > 1 { set n to 0 }\nwinner p by high n\n"), Catch::Contains("a `}` is missing before it"));
  CHECK_THAT(said("phase play { for p in players { set n to p; } }\n"), Catch::Contains("nothing separates statements"));
  CHECK_THAT(said("var m: number\nphase play { set n to 1   win 0 }\n"), Catch::Contains("a number says its range"));
  CHECK_THAT(said("phase play for p in players { set n to 1 }\nwinner p by high n\n"), Catch::Contains("give this one a word of its own"));
  CHECK_THAT(said("variant \"v\" { after play { stop } }\n"), Catch::Contains("named by its margin note: `after [R-1] { ... }`"));
  CHECK_THAT(run("check " + written("sheet.rip", "variant \"flip\" of \"g.rip\" { }\n")).err, Catch::Contains("has such a line, too: `game \"My Sheet\" language 1`"));
}

TEST_CASE("check", "[cli]") {
  const Ran fine = run("check " + game() + " --games 50");
  INFO(fine.out << fine.err);
  CHECK(fine.exit == 0);
  CHECK_THAT(fine.out, Catch::Contains("holds"));
  CHECK(fine.err == "");

  const Ran json = run("check " + game() + " --games 50 --json");
  const auto document = nlohmann::json::parse(json.out);
  for (const char* key : {"tool", "version", "file", "game", "runs", "ok"}) CHECK(document.contains(key));
  CHECK(document["runs"].size() == 4);

  CHECK(run("check " + (folder() / "none.rip").string()).exit == 1);
  CHECK(run("check " + game() + " --set heap=99").exit == 2);
  CHECK_THAT(run("check " + game() + " --set heep=9").err, Catch::Contains("did you mean `heap`?"));
  for (const std::string command : {"check", "test", "sim", "mutate"}) {
    CHECK(run(command + " " + game() + " --variant smal").exit == 2);
    CHECK_THAT(run(command + " " + game() + " --variant 'smal steps'").err, Catch::Contains("did you mean `small steps`?"));
    CHECK_THAT(run(command + " " + game() + " --variant nope").err, Catch::Contains("unknown variant `nope`; there are \"small steps\""));
  }
  CHECK(run("check " + game() + " --players 9").exit == 2);
  CHECK(run("check " + game() + " --only statics").exit == 2);
  CHECK(run("check " + game() + " --time soon").exit == 2);
}

TEST_CASE("a violation is saved, replayed, and tried first the next time", "[cli]") {
  const std::string path = written("broken.rip", kGame + "never \"eleven\": taken[0] == 3 and taken[1] == 3\n");
  const Ran found = run("check " + path + " --games 100 --base --players 2");
  INFO(found.out << found.err);
  CHECK(found.exit == 1);
  CHECK_THAT(found.out, Catch::Contains("violated: never \"eleven\"") && Catch::Contains("replay: ripdsl repl"));
  const fs::path trace = folder() / ".ripdsl" / "failures" / "broken-never-eleven.jsonl";
  REQUIRE(fs::exists(trace));
  const Ran play = run("play " + path + " --trace " + trace.string());
  CHECK(play.exit == 0);
  CHECK_THAT(play.out, Catch::Contains("take(3)"));
  const Ran repl = run("repl --trace " + trace.string(), ".trace\n.quit\n");
  CHECK_THAT(repl.out, Catch::Contains("P1: take(") && Catch::Contains("violated: "));
  CHECK_THAT(repl.out, Catch::Contains("this game breaks: never \"eleven\""));
  const Ran again = run("check " + path + " --games 1 --base --players 2");
  CHECK_THAT(again.out, Catch::Contains("known from an earlier run"));
}

TEST_CASE("diagnostics", "[cli]") {
  const std::string path = written("wrong.rip", "game \"W\" language 1\nplayers 2\nphase setup { move hnad to table }\n");
  const Ran ran = run("check " + path);
  CHECK(ran.exit == 1);
  CHECK_THAT(ran.err, Catch::Contains("wrong.rip:3:") && Catch::Contains("error[R"));
  CHECK(run("sim " + path).exit == 1);
  CHECK(run("explain R0101").exit == 0);
  CHECK(run("explain r0101").exit == 0);
  CHECK(run("explain R9999").exit == 2);
}

TEST_CASE("test", "[cli]") {
  const Ran fine = run("test " + game());
  CHECK(fine.exit == 0);
  CHECK_THAT(fine.out, Catch::Contains("1 scenarios hold, 0 fail"));
  const std::string path = written("case.rip", kGame + "scenario \"wrong\" { players Ann, Ben   Ann does take(2)   expect left == 4 }\n");
  const Ran wrong = run("test " + path);
  CHECK(wrong.exit == 1);
  CHECK_THAT(wrong.out, Catch::Contains("scenario \"wrong\"") && Catch::Contains("`left` is 5") && Catch::Contains("Ann does take(2)"));
  CHECK(run("test " + path + " --match three").exit == 0);
  CHECK(nlohmann::json::parse(run("test " + path + " --json").out)["ok"] == false);
}

TEST_CASE("play", "[cli]") {
  const Ran first = run("play " + game() + " --seed 3");
  CHECK(first.exit == 0);
  CHECK(first.out == run("play " + game() + " --seed 3").out);
  CHECK_THAT(first.out, Catch::Contains("the game is over"));
  CHECK(run("play " + game() + " --as P2").exit == 0);
  CHECK(run("play " + game() + " --as Zoe").exit == 2);
  const fs::path trace = folder() / "t.jsonl";
  CHECK(run("play " + game() + " --seed 3 --save-trace " + trace.string()).exit == 0);
  CHECK(run("play " + game() + " --trace " + trace.string()).out == first.out);
  CHECK(run("play " + game() + " --variant \"small steps\" --players 3").exit == 0);
  const Ran human = run("play " + game() + " --seats human,random --set heap=3", "wrong\n9\ntake(3)\n");
  CHECK(human.exit == 0);
  CHECK_THAT(human.out, Catch::Contains("the moves are numbered 1 to 3") && Catch::Contains("the game is over"));
  CHECK(run("play " + game() + " --seats human", "").exit == 0);
}

TEST_CASE("play says where the rules go wrong", "[cli]") {
  const std::string path = written("stuck.rip", R"(game "Stuck" language 1
players 2
var left: 0..2 = 0
phase play turns from 0 until left == 2 {
  choose me { take(n in 1..left) { lower left by n } }
}
score p = left
winner p by high score[p]
)");
  for (const char* seats : {"", " --seats human,random"}) {
    const Ran played = run("play " + path + seats, "1\n");
    CHECK(played.exit == 1);
    CHECK_THAT(played.out, Catch::Contains("the rules go wrong") && Catch::Contains("stuck.rip:5:3") && Catch::Contains("has no move"));
  }
}

TEST_CASE("repl through a pipe", "[cli]") {
  const Ran ran = run("repl " + game() + " --players 2",
                      "take(3)\n2\n? left\nleft + 1\ntaken\nnonsense\n.undo\n.state\n.view P1\n.as P1\n.as all\n.as nobody\n.bogus\n.moves\n.auto\n.trace\n.help\n.reload\n.auto end\n? winners\n.undo 2\n.quit\n");
  INFO(ran.out << ran.err);
  CHECK(ran.exit == 0);
  CHECK_THAT(ran.out, Catch::Contains("P1 decides") && Catch::Contains("\n2\n3\n[3, 2]\n"));
  CHECK_THAT(ran.out, Catch::Contains("unknown command `.bogus`") && Catch::Contains("there is no seat `nobody`"));
  CHECK_THAT(ran.out, Catch::Contains("the game is over") && Catch::Contains("replayed"));
  CHECK(ran.err == "");
  CHECK(run("repl", "").exit == 2);
  CHECK(run("repl " + game(), "").exit == 0);
}

TEST_CASE("expressions in the repl bring names of their own", "[cli]") {
  std::string input;
  for (int i = 0; i < 200; ++i) input += "? count(p in players where taken[p] >= 0)\n? {p in players where taken[p] == 0}\n";
  const Ran ran = run("repl " + game() + " --players 2", input + "? every(taken[p] == 0 for p in players)\n.worlds P1\n.quit\n");
  INFO(ran.out << ran.err);
  CHECK(ran.exit == 0);
  CHECK_THAT(ran.out, Catch::Contains("\n2\n") && Catch::Contains("\nyes\n") && Catch::Contains("for all that P1 has seen, 1 secret way"));
}

TEST_CASE("counts are numbers from 0 on", "[cli]") {
  for (const char* wrong : {"--games -1", "--games 99999999999999999999", "--seed -3", "--jobs +2", "--states 1e3", "--memory 0", "--memory lots"}) {
    INFO(wrong);
    CHECK(run("check " + game() + " " + wrong).exit == 2);
  }
  CHECK(run("sim " + game() + " --games -1").exit == 2);
  CHECK(run("play " + game() + " --game -1").exit == 2);
}

TEST_CASE("a search that a budget ends has an exit code of its own", "[cli]") {
  const std::string game = R"(game "Wide" language 1
players 2
param most: 1..9 = 2
var x[1..6]: 0..9 = 0
phase filling for i in 1..6 { choose 0 { put(n in 0..most) { set x[i] to n } } }
score p = x[1]
winner p by high score[p]
)";
  const std::string path = written("wide.rip", game + "small \"nine\" { set most to 9 }\n");
  const Ran short_of = run("check " + path + " --only search --states 500");
  CHECK(short_of.exit == 3);
  CHECK_THAT(short_of.out, Catch::Contains("then as many as were allowed") && Catch::Contains("a budget ended first"));
  const Ran none_small = run("check " + written("wide_alone.rip", game) + " --only search --states 500");  // nobody has claimed that the game itself is small
  CHECK(none_small.exit == 3);
  CHECK_THAT(none_small.out, Catch::Contains("the game, 2 players: ") && Catch::Contains("a budget ended first"));
  const Ran whole = run("check " + path + " --only search");
  CHECK(whole.exit == 0);
  CHECK_THAT(whole.out, Catch::Contains("all 1,111,111 states"));
}

TEST_CASE("an endless game is refuted also where its loop is found among replaced states only", "[cli]") {
  const Ran ran = run("check " + written("trap.rip", R"(game "Trap" language 1
players 2
card Card { v: 1..2 }
deck draw of Card { 1 x <v> for v in 1..2 }
zone hand[player]: hand of Card
var won: flag
phase setup { shuffle draw   for p in players { fill hand[p] to 1 from draw } }
phase play repeat until won { choose each p in players { lay(c in hand[p]) { move c to draw }   otherwise pass { } } }
winner p by low number(p)
small "all" { }
)") + " --only search --jobs 1");
  CHECK(ran.exit == 1);
  CHECK_THAT(ran.out, Catch::Contains("violated  every game ends") && Catch::Contains("there are states from which no end can be reached"));
}

TEST_CASE("the same seed gives the same document on any number of threads", "[cli]") {
  const auto without_times = [](const std::string& document) {
    std::istringstream in(document);
    std::string out, line;
    while (std::getline(in, line)) {
      if (line.find("seconds\":") == std::string::npos) out += line + "\n";
    }
    return out;
  };
  const std::string broken = written("broken.rip", R"(game "Broken" language 1
players 2
card Card { value: 1..4 }
deck draw of Card { 2 x <v> for v in 1..4 }
zone hand[player]: hand of Card
var laid: 0..40 = 0
phase setup { shuffle draw   for p in players { fill hand[p] to 3 from draw } }
phase play for _ in 1..3, seat in players { choose seat { lay(c in hand[seat]) { raise laid by c.value   move c under draw } } }
always "not too much": laid < 16
score p = count(hand[p])
winner p by high score[p]
)");
  const std::string games = std::string(RIP_SOURCE_DIR) + "/games/";
  for (const std::string& file : {games + "gravediggers.rip", games + "classics/liars_dice.rip", broken}) {
    const auto checked = [&](const char* jobs) {
      fs::remove_all(fs::path(broken).parent_path() / ".ripdsl");  // what is violated is kept there and tried first
      return run("check " + file + " --json --only scenarios,random,leaks,search --games 6 --states 3000 --seed 5 --jobs " + jobs);
    };
    const Ran one = checked("1"), two = checked("2");
    INFO(file << one.err);
    CHECK(nlohmann::json::parse(one.out).at("runs").size() > 0);
    CHECK(one.exit == two.exit);
    CHECK(without_times(one.out) == without_times(two.out));
    CHECK(without_times(one.out) == without_times(checked("1").out));
  }
}

TEST_CASE("reductions of the search are switched off by name", "[cli]") {
  CHECK(run("check " + game() + " --only search --without symmetry").exit == 2);
  CHECK_THAT(run("check " + game() + " --only search --without symmetry").err, Catch::Contains("symmetries") && Catch::Contains("all"));
  CHECK(run("check " + game() + " --only search --without forgotten,all").exit == 0);
}

TEST_CASE("sim", "[cli]") {
  const Ran ran = run("sim " + game() + " --games 200 --json");
  CHECK(ran.exit == 0);
  const auto document = nlohmann::json::parse(ran.out);
  for (const char* key : {"game", "variant", "players", "params", "seed", "games", "seats", "decisions", "options", "ends", "moves", "values", "seconds", "games_per_second"}) {
    CHECK(document.contains(key));
  }
  CHECK(document["seats"].size() == 2);
  CHECK(document["seats"][0].contains("win_interval"));
  CHECK(document["values"].contains("last heap"));
  CHECK(run("sim " + game() + " --games 50").exit == 0);
  CHECK(run("sim " + game() + " --bots clever").exit == 2);
}

TEST_CASE("mutate", "[cli]") {
  const Ran some = run("mutate " + game() + " --time 0 --games 16 --json");
  INFO(some.out << some.err);
  CHECK(some.exit == 1);
  const auto document = nlohmann::json::parse(some.out);
  for (const char* key : {"tool", "version", "file", "game", "seed", "failed", "possible", "wished", "judged", "caught", "survived", "refused", "equal", "percent", "changes",
                          "caught_by", "mutants", "seconds", "complete", "ok"}) {
    CHECK(document.contains(key));
  }
  CHECK(document["mutants"].size() == document["judged"]);
  std::size_t judged = 0;
  for (const char* fate : {"caught", "survived", "refused", "equal"}) judged += document[fate].get<std::size_t>();
  CHECK(judged == document["judged"]);
  CHECK(document["complete"] == true);
  for (const auto& mutant : document["mutants"]) CHECK(mutant["span"]["line"] >= 3);

  const Ran text = run("mutate " + game() + " --time 0 --games 16");
  CHECK_THAT(text.out, Catch::Contains("no check notices:") && Catch::Contains("take.rip:11:13: order: `high` becomes `low`") && Catch::Contains("% caught"));
  CHECK(text.err == "");

  const Ran late = run("mutate " + game() + " --time 1ms");
  CHECK(late.exit == 3);
  CHECK_THAT(late.out, Catch::Contains("then the time was over"));
  CHECK(run("mutate " + game() + " --time soon").exit == 2);
  CHECK(run("mutate " + game() + " --variant smal").exit == 2);
  CHECK(run("mutate " + game() + " --mutants -1").exit == 2);
  CHECK(run("mutate " + (folder() / "none.rip").string()).exit == 1);
  const Ran wrong = run("mutate " + written("case.rip", kGame + "scenario \"wrong\" { players Ann, Ben   Ann does take(2)   expect left == 4 }\n"));
  CHECK(wrong.exit == 1);
  CHECK_THAT(wrong.out, Catch::Contains("the script itself does not hold: scenario \"wrong\" fails"));
}

TEST_CASE("ir and bench", "[cli]") {
  for (const char* stage : {"tokens", "ast", "rules", "ir", "layout"}) {
    const Ran ran = run("ir " + game() + " --stage " + stage);
    CHECK(ran.exit == 0);
    CHECK(ran.out.size() > 50);
  }
  CHECK(run("ir " + game() + " --stage soup").exit == 2);
  const Ran ran = run("bench " + game() + " --time 200ms --json");
  CHECK(ran.exit == 0);
  const auto document = nlohmann::json::parse(ran.out);
  for (const char* key : {"game", "variant", "players", "playouts_per_second", "moves_per_second", "decisions_per_second", "state_bytes", "states_per_second"}) {
    CHECK(document.contains(key));
  }
}

TEST_CASE("fmt", "[cli]") {
  const std::string neat = "game \"G\" language 1\nplayers 2\nwinner p by low number(p)\n", untidy = "game \"G\"  language 1\r\nplayers 2\r\n\twinner p by low number(p)";
  const std::string path = written("untidy.rip", untidy);
  const fs::path link = folder() / "link.rip";
  fs::remove(link);
  fs::create_symlink(path, link);
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_exec);

  SECTION("--check changes nothing") {
    const Ran checked = run("fmt --check " + path);
    CHECK(checked.exit == 1);
    CHECK(checked.out == path + "\n    1 - game \"G\"  language 1\\r\n    2 - players 2\\r\n    3 - \\twinner p by low number(p)\n"
                               "    1 + game \"G\" language 1\n    2 + players 2\n    3 + winner p by low number(p)\n");
    CHECK(text_of(path) == untidy);
  }
  SECTION("in place, through a link, with the permissions of the file") {
    CHECK(run("fmt " + link.string()).exit == 0);
    CHECK(fs::is_symlink(link));
    CHECK(text_of(path) == neat);
    CHECK(fs::status(path).permissions() == (fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_exec));
    CHECK(run("fmt --check " + path).exit == 0);
    CHECK(run("fmt --check " + path).out.empty());
    for (const auto& entry : fs::directory_iterator(folder())) CHECK_FALSE(entry.path().filename().string().starts_with("untidy.rip."));
  }
  SECTION("a pipe") {
    CHECK(run("fmt -", untidy).out == neat);
    CHECK(run("fmt -", "\xef\xbb\xbf" + neat).out == neat);
    CHECK_THAT(run("fmt --check -", "\xef\xbb\xbf" + neat).out, Catch::Contains("standard input") && Catch::Contains("byte order mark"));
    CHECK_THAT(run("fmt --check -", neat.substr(0, neat.size() - 1)).out, Catch::Contains("the last line has no end"));
  }
  SECTION("a file with syntax errors stays as it is, the others are laid out") {
    const std::string broken = written("broken.rip", "game \"G\"   language 1\nplayers\n");
    const Ran ran = run("fmt " + broken + " " + path);
    CHECK(ran.exit == 1);
    CHECK_THAT(ran.err, Catch::Contains("error[R0101]"));
    CHECK(text_of(broken) == "game \"G\"   language 1\nplayers\n");
    CHECK(text_of(path) == neat);
  }
  SECTION("what cannot be read") {
    CHECK(run("fmt " + (folder() / "nowhere.rip").string()).exit == 1);
    CHECK_THAT(run("fmt " + (folder() / "nowhere.rip").string()).err, Catch::Contains("R0003"));
  }
  fs::remove(link);
}

TEST_CASE("expand", "[cli]") {
  CHECK_THAT(run("expand " + game() + " --variant 'small steps'").out,
             Catch::StartsWith("# variant \"small steps\" of take.rip, written out\n") && Catch::Contains("param heap: 3..20 = 5\n") && !Catch::Contains("scenario"));
  CHECK_THAT(run("expand " + game()).out, Catch::Contains("scenario \"three\""));
  const Ran unknown = run("expand " + game() + " --variant 'smal steps'");
  CHECK(unknown.exit == 2);
  CHECK_THAT(unknown.err, Catch::Contains("did you mean `small steps`?"));
}

TEST_CASE("new", "[cli]") {
  const fs::path path = folder() / "my-first_game.rip";
  fs::remove(path);
  const Ran made = run("new " + (folder() / "my-first_game").string());
  CHECK(made.exit == 0);
  CHECK_THAT(made.out, Catch::Contains("ripdsl check"));
  const std::string text = text_of(path);
  CHECK_THAT(text, Catch::Contains("game \"My first game\" language 1\n"));
  CHECK(run("fmt --check " + path.string()).exit == 0);
  const Ran checked = run("check " + path.string() + " --games 100");
  CHECK(checked.exit == 0);
  CHECK(checked.err == "");
  CHECK_THAT(checked.out, Catch::Contains("1 hold") && Catch::Contains("7 of 7 clauses") && Catch::Contains("search") && !Catch::Contains("not shown"));

  CHECK(run("new " + path.string()).exit == 1);
  CHECK_THAT(run("new " + path.string()).err, Catch::Contains("is there already"));
  CHECK(text_of(path) == text);
  for (const char* bad : {"''", "7up", "'my game'", "-- -x", "a.b"}) {
    const Ran ran = run("new " + std::string(bad));
    INFO(bad);
    CHECK(ran.exit == 2);
    CHECK_THAT(ran.err, Catch::Contains("a good name is"));
  }
  CHECK_THAT(run("new " + (folder() / "nowhere" / "game").string()).err, Catch::Contains("cannot be written: No such file or directory"));
}

TEST_CASE("rules and graph", "[cli]") {
  const std::string path = std::getenv("PATH");
  CHECK_THAT(run("rules " + game()).out, Catch::StartsWith("# Take\n") && Catch::Contains("- **take** `(n in 1..3 where n <= left)`"));
  CHECK_THAT(run("rules --html --variant 'small steps' " + game()).out, Catch::StartsWith("<!DOCTYPE html>") && Catch::Contains("variant \"small steps\""));
  const Ran drawing = run("graph " + game());
  CHECK(drawing.exit == 0);
  CHECK_THAT(drawing.out, Catch::StartsWith("digraph game {\n") && Catch::Contains("\"phase setup\" -> \"phase play\"") && Catch::Contains("me: take"));
  ::setenv("PATH", "/nowhere", 1);  // no Graphviz there
  const Ran none = run("graph --svg " + game());
  ::setenv("PATH", path.c_str(), 1);
  CHECK(none.exit == 1);
  CHECK(none.out == "");
  CHECK_THAT(none.err, Catch::Contains("`dot` is not there") && Catch::Contains("hint: install Graphviz"));
}

TEST_CASE("lsp speaks in frames", "[cli]") {
  const auto frame = [](const std::string& body) { return "Content-Length: " + std::to_string(body.size()) + "\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n" + body; };
  const std::string hello = frame(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}})");
  const std::string bye = frame(R"({"jsonrpc":"2.0","id":2,"method":"shutdown"})") + frame(R"({"jsonrpc":"2.0","method":"exit"})");
  const auto bodies = [](std::string out) {
    std::vector<nlohmann::json> all;
    while (!out.empty()) {
      REQUIRE(out.starts_with("Content-Length: "));
      const std::size_t length = std::stoul(out.substr(16)), begin = out.find("\r\n\r\n") + 4;
      all.push_back(nlohmann::json::parse(out.substr(begin, length)));
      out.erase(0, begin + length);
    }
    return all;
  };
  Ran ran = run("lsp --stdio", hello + bye);
  CHECK(ran.exit == 0);
  std::vector<nlohmann::json> out = bodies(ran.out);
  REQUIRE(out.size() == 2);
  CHECK(out[0]["result"]["serverInfo"]["name"] == "ripdsl");
  CHECK(out[1]["result"].is_null());
  // a header that says nothing is an error, and the next message is read
  out = bodies(run("lsp", "Content-Length: many\r\n\r\n" + hello + bye).out);
  REQUIRE(out.size() == 3);
  CHECK(out[0]["error"]["code"] == -32700);
  CHECK(out[1]["id"] == 1);
  // an editor that goes without a word
  CHECK(run("lsp", "").exit == 1);
  CHECK(run("lsp", hello + "Content-Length: 500\r\n\r\n{").exit == 1);
  CHECK(run("lsp", frame(R"({"jsonrpc":"2.0","method":"exit"})")).exit == 1);
}

TEST_CASE("grammar", "[cli]") {
  CHECK(nlohmann::json::accept(run("grammar --textmate").out));
  CHECK_THAT(run("grammar --vim").out, Catch::Contains("syn match"));
  CHECK(run("grammar").exit == 2);
}
