// `ripdsl repl`: step through a game, as any seat, with undo; ask for any value; change the script and go on.
#include "cli/command.h"
#include "cli/repl_session.h"


#include <memory>

namespace rip::cli {

namespace {

struct Options {
  GameOptions game;
  std::string trace;
  bool echo = false;
};

}  // namespace

void add_repl(Command app, int& exit) {
  auto options = std::make_shared<Options>();
  const Command command = app.add_subcommand("repl", "Step through a game: moves, undo, views, values, reload");
  command.add_option("FILE", options->game.file, "the script; with --trace the one it was recorded with").type_name("");
  add_configuration(command, options->game);
  command.add_option("--trace", options->trace, "open a recorded game or a counterexample").type_name("FILE");
  command.add_flag("--echo", options->echo, "print prompts and lines that come from a pipe, so that the output is a session to paste");
  command.footer(repl::help_text() + R"(
Example:
  ripdsl repl games/gravediggers.rip --players 3
  ripdsl repl --trace games/.ripdsl/failures/NAME.jsonl       # what `check` has found)");
  command.callback([options, &exit] { exit = repl::Session(options->game, options->echo).run(options->trace); });
}

}  // namespace rip::cli
