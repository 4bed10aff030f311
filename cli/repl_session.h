// A session of the REPL: reads a line, obeys it, shows what came of it. No line ends the game but `.quit`.
// Flow: lines -> Session -> Game, verify/; what it says goes to a Page. The commands are the table in repl_commands.cpp; their
// bodies stand by topic in repl_play.cpp (on, back, halts), repl_ask.cpp (questions) and repl_files.cpp (scripts, traces).
#pragma once

#include "cli/page.h"
#include "cli/repl_game.h"
#include "cli/seats.h"

#include "verify/reading.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rip::cli::repl {

class Session;

/// A line that begins with a dot.
struct Command {
  std::string_view name, letter, argument, group, help;
  void (Session::*obey)(const std::string& argument);
};
const std::vector<Command>& commands();
/// What `.help` prints, and `ripdsl repl --help`.
std::string help_text();

class Session {
 public:
  Session(GameOptions options, bool echo);

  /// Opens the script, or the recorded game; then reads lines until there are no more. Gives the exit code.
  int run(const std::string& trace);

  /// A move, an outcome of chance, an expression or a command.
  void obey(const std::string& line);

  // ---- the commands, by topic ----
  void moves(const std::string&);
  void auto_play(const std::string&);
  void until(const std::string&);
  void undo(const std::string&);
  void redo(const std::string&);
  void jump(const std::string&);
  void begin_anew(const std::string&);
  void step(const std::string&);
  void go(const std::string&);
  void set_break(const std::string&);
  void clear_break(const std::string&);
  void chance(const std::string&);
  void seed(const std::string&);

  void state(const std::string&);
  void view(const std::string&);
  void diff(const std::string&);
  void as(const std::string&);
  void worlds(const std::string&);
  void why(const std::string&);
  void watch(const std::string&);
  void unwatch(const std::string&);
  void coverage(const std::string&);

  void trace(const std::string&);
  void save(const std::string&);
  void load(const std::string&);
  void scenario(const std::string&);
  void reload(const std::string&);
  void set_param(const std::string&);
  void variant(const std::string&);
  void players(const std::string&);

  void help(const std::string&);
  void quit(const std::string&);

  /// What may be typed where a word begins so: commands, names of the script, options of the moment.
  std::vector<std::string> completions(const std::string& line_before, const std::string& word);

 private:
  struct Watched {
    std::string text, value;
    std::optional<verify::Reading> reading;  ///< none after the script was read again
  };

  // ---- lines (repl_session.cpp) ----
  std::string prompt();
  /// The line without the prompt before it; nullopt: what a pasted session had printed.
  std::optional<std::string> without_prompt(const std::string& line);
  void command(const std::string& line);
  void choose_move(const std::string& line);
  void choose_outcome(const std::string& line);

  /// Chance, or a decision taken at random or by the bot. False: the game is over, halted or stuck.
  bool goes_on(bool by_bot);

  // ---- what is shown (repl_session.cpp) ----
  /// Where the game stands, and what can be done.
  void show();
  /// What happened since the last time, as the chosen seat notices it.
  void tell();
  void show_options();
  /// After a move through the game: what is seen from here on is compared with how it looks now.
  void look_again();
  std::string scenario_verdict(const std::string& text) const;
  std::string fit_text(const Game::Again& again) const;
  void opened_again(const Game::Again& again);

  // ---- questions (repl_ask.cpp) ----
  /// Prints the value of an expression; `otherwise` is what is wrong with the line as a move.
  void evaluate(const std::string& text, const std::string& otherwise);
  /// The expression, ready to be read; nullopt and the reason (diagnostics, or a sentence) in `wrong`.
  std::optional<verify::Reading> read(const std::string& text, std::string& wrong);
  /// Its value, as far as the seat may know it whose view is shown.
  std::string value(const verify::Reading& reading);
  void show_watches(bool all);
  /// After the script was read again: what is watched is looked up anew.
  void forget_readings();
  /// The seat that a word names, or, if there is none, the reason is printed.
  std::optional<int> seat_meant(const std::string& word);

  Page page_;
  Game game_;
  bool echo_;
  Rng drawn_ = Rng::for_game(game_.options.seed, 1);  ///< of worlds that are drawn: a question does not change what chance does next
  int seat_ = kAllSeeing;
  View seen_;
  std::vector<Watched> watched_;
  std::string banner_;
  bool pasting_ = false;
  bool over_ = false;
};

}  // namespace rip::cli::repl
