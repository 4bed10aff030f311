// `ripdsl new`: a first script that checks clean.
#include "cli/command.h"

#include "grammar/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>
#include <stdexcept>

namespace rip::cli {

namespace {

namespace fs = std::filesystem;

/// TITLE and FILE are filled in.
constexpr const char* kFirstScript = R"(# A small game to start from: change it bit by bit, and let `ripdsl check FILE` tell what that does.
game "TITLE" language 1
players 2..4

# What is in the box. A note in the margin names a rule of the rulebook, R-1, or a number you had to choose, A-1.
card Card { value: 1..6 }
deck draw of Card { 4 x <v> for v in 1..6 } [R-1]
param rounds: 1..3 = 3 [A-1]

# What lies on the table.
zone hand[player]: hand of Card
zone shown[player]: place of Card face up
var points[player]: 0..3 = 0

# How it is played: all show a card at the same time, the highest one scores.
phase setup {
  shuffle draw
  for p in players { fill hand[p] to rounds from draw } [R-2]
}
phase play for _ in 1..rounds {
  choose each p in players {
    show_card(c in hand[p]) { move c to shown[p] } [R-3]
  }
  for p in best(q in players by high shown[q].value) { raise points[p] by 1 } [R-4]
  for p in players { move shown[p] under draw } [R-5]
}

# Who wins.
score p = points[p]
winner p by high score[p] [R-6]

# What must hold in every game, and what must be possible.
always "no card is lost": count(draw) + count(hand) + count(shown) == count(Card)
sometimes "two share a round": sum(points[p] for p in players) > rounds at end

# A worked case.
scenario "the highest card scores" {
  players Ann, Ben
  given hand[Ann]: <6> <2> <1>   given hand[Ben]: <5> <2> <1>
  start play
  Ann does show_card(<6>)   Ben does show_card(<5>)
  expect points == [1, 0]   expect count(hand[Ann]) == 2
}

# A game so small that all its courses can be tried.
small "two rounds with six cards" {
  players 2
  set rounds to 2
  replace deck draw of Card { 2 x <v> for v in 1..3 }
}
)";

/// Why no script can be called so; empty = it can.
std::string objection(const std::string& name) {
  if (name.empty()) return "a script needs a name";
  if (std::isalpha(static_cast<unsigned char>(name[0])) == 0) return fmt::format("`{}` does not begin with a letter", name);
  const auto odd = std::find_if(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0 && c != '_' && c != '-'; });
  return odd == name.end() ? "" : fmt::format("`{}` has more than letters, digits, `-` and `_` in it", name);
}

int make(const std::string& wish) {
  fs::path path = wish;
  if (path.extension() == ".rip") path.replace_extension();
  const std::string name = path.filename().string();
  if (const std::string why = objection(name); !why.empty()) return usage(fmt::format("{}; a good name is `hearts` or `my-game`", why));
  path += ".rip";
  std::string title = name;
  title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  std::replace_if(title.begin(), title.end(), [](char c) { return c == '-' || c == '_'; }, ' ');
  std::string script = kFirstScript;
  script.replace(script.find("TITLE"), 5, title);
  script.replace(script.find("FILE"), 4, path.filename().string());
  Sources sources;
  Diagnostics diagnostics;
  const auto text = grammar::format(sources, sources.add(path.string(), script), diagnostics);
  if (!text) throw std::logic_error("the first script cannot be read");
  if (const std::string why = create_file(path.string(), *text); !why.empty()) {
    const bool there = fs::exists(path);
    fmt::print(stderr, "ripdsl: {} {}\n", path.string(), there ? "is there already; nothing was changed" : "cannot be written: " + why);
    return kViolated;
  }
  fmt::print("{0}: a first script. Try `ripdsl check {0}`, then `ripdsl repl {0}`.\n", path.string());
  return kFine;
}

}  // namespace

void add_new(Command app, int& exit) {
  auto name = std::make_shared<std::string>();
  const Command command = app.add_subcommand("new", "Write a first script that checks clean");
  command.add_option("NAME", *name, "of the script, without `.rip`; nothing is overwritten").required().type_name("");
  command.footer(R"(Example:
  ripdsl new tricks          writes tricks.rip)");
  command.callback([name, &exit] { exit = make(*name); });
}

}  // namespace rip::cli
