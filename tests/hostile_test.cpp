// What nobody should write: every input ends in a clear message with its place, soon.
#include <catch2/catch.hpp>

#include "tests/files.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

using namespace rip::tests;

namespace {

namespace fs = std::filesystem;

std::string repeated(const std::string& text, std::size_t times) {
  std::string out;
  out.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

struct Ran {
  int exit = -1;
  double seconds = 0;
  std::string text;
};

Ran check(const std::string& arguments) {
  const fs::path err = folder() / "out";
  const std::string command = std::string(RIP_BINARY) + " check " + arguments + " --games 1 >" + err.string() + " 2>&1";
  const auto begin = std::chrono::steady_clock::now();
  const int status = std::system(command.c_str());
  Ran ran;
  ran.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  ran.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
  ran.text = text_of(err);
  return ran;
}

/// Two seconds on a quiet machine; tests run beside others, and with sanitizers.
#if defined(__SANITIZE_ADDRESS__)
constexpr double kSoon = 40;
#else
constexpr double kSoon = 8;
#endif

void refused(const std::string& arguments, int exit, const std::string& message) {
  const Ran ran = check(arguments);
  INFO(arguments << "\n" << ran.text.substr(0, 2000));
  CHECK(ran.exit == exit);
  CHECK_THAT(ran.text, Catch::Contains(message));
  CHECK(ran.text.size() < 100000);
  CHECK(ran.seconds < kSoon);
}

const std::string kHead = "game \"G\" language 1\nplayers 2..4\n";
const std::string kGame = kHead + R"(param n: 1..5 = 2
var left: 0..5 = n
phase setup { }
phase play { choose 0 { take(k in 1..2 where k <= left) { lower left by k } } }
winner p by low number(p)
)";

}  // namespace

TEST_CASE("files that are no scripts", "[hostile]") {
  refused(written("empty.rip", ""), 1, "error[R0001]");
  refused(written("blank.rip", "  \n\t\n"), 1, "blank.rip:1:1: error[R0001]");
  refused(written("binary.rip", std::string("\x7f" "ELF\x02\x01\x00\x00\xff\xfe", 10) + repeated(std::string("\x00\x13", 2), 100000)), 1,
          "binary.rip:1:1: error[R0002]");
  refused((folder() / "missing.rip").string(), 1, "missing.rip: error[R0003]");
  refused(folder().string(), 1, "error[R0003]");
  if (::geteuid() != 0) {
    const std::string path = written("secret.rip", kGame);
    fs::permissions(path, fs::perms::none);
    refused(path, 1, "error[R0003]");
  }
}

TEST_CASE("far too much", "[hostile]") {
  refused(written("line.rip", std::string(10000000, 'a')), 1, "line.rip:1:1048577: error[R0002]");
  refused(written("word.rip", std::string(1000000, 'a')), 1, "word.rip:1:1: error[R01");
  refused(written("words.rip", kHead + repeated("move ", 200000)), 1, "error[R01");
  refused(written("sum.rip", kHead + "let f() = " + repeated("1 + ", 250000) + "1"), 1, "error[R0104]");
  refused(written("list.rip", kHead + "let f() = [" + repeated("1, ", 340000) + "1]"), 1, "error[R0212]");
  refused(written("open.rip", kHead + "let f() = " + repeated("(", 1000000)), 1, "open.rip:3:");
  refused(written("blocks.rip", kHead + "phase a " + repeated("{ if x ", 140000)), 1, "error[R01");
  refused(written("quotes.rip", repeated("\"", 1000001)), 1, "error[R01");
  refused(written("names.rip", kHead + repeated("var a: 0..1\n", 80000) + "phase p { }\nwinner q by low number(q)\n"), 1, "error[R0201]");
}

TEST_CASE("numbers that are too large", "[hostile]") {
  const std::string tail = "phase setup { set n to 1 }\nwinner p by low number(p)\n";
  refused(written("range.rip", kHead + "var n: 0..99999999999\n" + tail), 1, "range.rip:3:11: error[R0103]");
  refused(written("times.rip", kHead + "var n: 0..2147483647 = 2147483647 * 2147483647\n" + tail), 1, "error[R0401]");
  refused(written("tables.rip", kHead + "var n: 0..9\nvar t[1..2147483647, 1..2147483647]: 0..9\n" + tail), 1, "tables.rip:4:");
  refused(written("zones.rip", kHead + "var n: 0..9\ncard C { v: 1..2 }\ndeck d of C { 1 x <1> }\nzone z[1..2147483647]: row of C\n" + tail), 1, "zones.rip:6:");
  refused(written("decks.rip", kHead + "var n: 0..9\ncard C { v: 1..2 }\ndeck d of C { 2147483647 x <1> }\n" + tail), 1, "decks.rip:5:");
  refused(written("clause.rip", kHead + "var n: 0..9\ncard C { v: 1..2 }\ndeck d of C { 1 x <1> for a in 1..2147483647, b in 1..2147483647 }\n" + tail), 1,
          "clause.rip:5:");
  refused(written("sets.rip", kHead + "var n: 0..9\nvar s: set of 0..2147483647\n" + tail), 1, "sets.rip:4:");
  refused(written("players.rip", "game \"G\" language 1\nplayers 1..2147483647\nvar n: 0..9\n" + tail), 1, "players.rip:2:9: error[R0405]");
}

TEST_CASE("little text, much work", "[hostile]") {
  std::string lets = kHead + "let a0() = 1\n";
  for (int i = 1; i <= 40; ++i) lets += "let a" + std::to_string(i) + "() = min(a" + std::to_string(i - 1) + "(), a" + std::to_string(i - 1) + "())\n";
  refused(written("lets.rip", lets + "require \"r\": a40() == 1\nphase setup { }\nwinner p by low number(p)\n"), 1, "takes too long");
  refused(written("product.rip", kHead + "card C { v: 1..2 }\ndeck d of C { 1 x <1> for a in 1..1000000, b in 1..1000000 where a + b == 1 }\n"
                                      "phase setup { shuffle d }\nwinner p by low number(p)\n"), 1, "takes too long");
}

TEST_CASE("names, types and boxes that do not fit", "[hostile]") {
  refused(written("unknown.rip", kHead + "phase setup { move hnad to tabel }\nwinner p by low number(p)\n"), 1, "unknown.rip:3:20: error[R0203]");
  refused(written("types.rip", kHead + "var n: 0..9\nphase setup { set n to yes }\nwinner p by low number(p)\n"), 1, "types.rip:4:24: error[R0301]");
  written("cards.csv", "value\n1\n2\n");
  const std::string deck = "card C { value: 1..9   colour: 1..3 }\ndeck d of C from \"cards.csv\"\nzone h[player]: hand of C\n";
  const std::string deal = "phase setup { shuffle d   for p in players { move top of d to h[p] } }\nwinner p by low number(p)\n";
  refused(written("column.rip", kHead + deck + deal), 1, "error[R0505]");
  refused(written("nofile.rip", kHead + "card C { value: 1..9 }\ndeck d of C from \"nothing.csv\"\nzone h[player]: hand of C\n" + deal), 1, "nofile.rip:4:18: error[R0505]");
  refused(written("folder.rip", kHead + "card C { value: 1..9 }\ndeck d of C from \".\"\nzone h[player]: hand of C\n" + deal), 1, "folder.rip:4:18: error[R0505]");
  refused(written("few.rip", kHead + "card C { value: 1..9 }\ndeck d of C { 3 x <1> }\nzone h[player]: hand of C\n"
                                  "require \"enough cards\": count(players) > 9\n" + deal), 1, "few.rip:");
}

TEST_CASE("a command line that asks for what cannot be", "[hostile]") {
  const std::string game = written("game.rip", kGame);
  CHECK(check(game).exit == 0);
  refused(game + " --set n=6", 2, "n");
  refused(game + " --set n=99999999999999999999", 2, "n");
  refused(game + " --set n=two", 2, "n");
  refused(game + " --set n", 2, "n");
  refused(game + " --set m=1", 2, "m");
  refused(game + " --players 5", 2, "5 players");
  refused(game + " --players many", 2, "players");
  refused(game + " --variant none", 2, "none");
}
