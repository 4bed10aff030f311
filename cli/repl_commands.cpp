// The commands of the REPL: one row each. `.help`, completion and guesses at what was meant follow from it.
#include "cli/repl_session.h"

#include <fmt/format.h>

namespace rip::cli::repl {

const std::vector<Command>& commands() {
  using S = Session;
  static const std::vector<Command> kCommands = {
      {"moves", "m", "", "Play", "the options of the seat that decides, all of them up to 1000", &S::moves},
      {"auto", "a", "[N | end] [random | bot]", "Play", "N decisions, or all to the end, at random or by a bot that is fair", &S::auto_play},
      {"until", "", "EXPR", "Play", "at random until this holds", &S::until},
      {"undo", "u", "[N]", "Play", "take back the last N decisions, with the chance that followed", &S::undo},
      {"redo", "r", "[N]", "Play", "take them again as they were", &S::redo},
      {"jump", "j", "N", "Play", "to where N steps of `.trace` had been taken", &S::jump},
      {"new", "", "", "Play", "begin again", &S::begin_anew},
      {"chance", "", "[hand | fall]", "Play", "choose what chance does yourself, or let it fall", &S::chance},
      {"seed", "", "[N]", "Play", "the random numbers begin anew with this seed", &S::seed},

      {"state", "s", "", "Look", "the table: phases, zones, cards, numbers; under `.as` as that seat sees it", &S::state},
      {"view", "v", "[SEAT]", "Look", "the table as a seat sees it", &S::view},
      {"diff", "d", "", "Look", "what the last decision changed, with all that followed", &S::diff},
      {"as", "", "SEAT", "Look", "see the game as P1, P2 ... and nothing else; `.as all` sees everything", &S::as},
      {"trace", "t", "[N]", "Look", "the game so far, or its last N steps, numbered", &S::trace},
      {"watch", "w", "[EXPR]", "Look", "show this value whenever it changes; without EXPR all that are watched", &S::watch},
      {"unwatch", "", "[EXPR]", "Look", "no longer; without EXPR none", &S::unwatch},

      {"why", "", "MOVE", "Ask", "why a move cannot be chosen: the part of its condition that fails, where, with the values", &S::why},
      {"worlds", "", "[SEAT]", "Ask", "how many states a seat cannot tell apart, and one of them drawn", &S::worlds},
      {"coverage", "", "", "Ask", "which clauses, moves, triggers and branches this game has shown", &S::coverage},

      {"break", "b", "[NAME]", "Step through the rules", "halt at a phase, move, rule, clause (R-14) or line (120); without NAME all of them", &S::set_break},
      {"unbreak", "", "[NAME]", "Step through the rules", "no longer; without NAME none", &S::clear_break},
      {"step", "n", "[MOVE]", "Step through the rules", "statement by statement: take the move, then one statement each time", &S::step},
      {"go", "g", "", "Step through the rules", "on to the next halt or decision", &S::go},

      {"reload", "", "[FILE]", "Script and files", "read the script again, or another one, and take the steps so far, as far as they fit", &S::reload},
      {"set", "", "NAME=VALUE", "Script and files", "another value of a parameter; the steps are taken again as far as they fit", &S::set_param},
      {"variant", "", "[NAME]", "Script and files", "another variant; without NAME all there are; `.variant base` is the game itself", &S::variant},
      {"players", "", "N", "Script and files", "begin again with so many", &S::players},
      {"save", "", "FILE", "Script and files", "record the game", &S::save},
      {"load", "", "FILE", "Script and files", "open a recorded game or a counterexample at its last step", &S::load},
      {"scenario", "", "[TITLE] [> FILE.rip]", "Script and files", "what was just played as a scenario, to paste into the script or added to a file", &S::scenario},

      {"help", "h", "[COMMAND]", "Help", "this, or one command", &S::help},
      {"quit", "q", "", "Help", "leave; so does the end of the input", &S::quit},
  };
  return kCommands;
}

std::string help_text() {
  std::string out =
      "A line is a move (3, play(<money 5>, 2), or its name where one option has it), an expression (count(hand[P1]), coins;\n"
      "with ? before it where it could be a move), a comment (# ...), or a command:\n";
  std::string_view group;
  for (const Command& command : commands()) {
    if (command.group != group) out += fmt::format("{}\n", command.group);
    group = command.group;
    const std::string head = fmt::format(".{}{}{}", command.name, command.argument.empty() ? "" : " ", command.argument);
    out += fmt::format("  {:<32}{}{}\n", head, command.help, command.letter.empty() ? "" : fmt::format(" (.{})", command.letter));
  }
  return out;
}

}  // namespace rip::cli::repl
