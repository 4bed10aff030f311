// What all commands have in common: the options that name a configuration, opening a game, exit codes, colours.
// Flow: main -> one file per command -> verify/.
#pragma once

#include "cli/options.h"

#include "verify/game.h"
#include "verify/simulate.h"
#include "verify/tape.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rip::cli {

enum Exit : int { kFine = 0, kViolated = 1, kUsage = 2, kBudget = 3, kInternal = 70 };

/// FILE.rip [--variant NAME] [--players N] [--set NAME=VALUE]... [--seed N]
struct GameOptions {
  std::string file;
  std::string variant;
  int players = 0;
  std::vector<std::string> settings;
  std::uint64_t seed = 1;
};
void add_file(Command app, GameOptions& options);
void add_configuration(Command app, GameOptions& options);

/// `--native`, `--no-native`: whether games are compiled.
void add_native(Command app, verify::Native& native);
/// One sentence to standard error.
void tell_not_native(const std::string& why_not);

/// A game that can be played, or the exit code of the message that was printed.
struct Opened {
  std::unique_ptr<verify::Loaded> loaded;
  const verify::Version* version = nullptr;
  std::unique_ptr<verify::Playable> playable;
  int exit = kFine;
};
Opened open_game(const GameOptions& options, LowerOptions lower = {});

/// Every parameter as a script writes its value: `{"cards": "13"}`.
nlohmann::ordered_json params_json(const verify::Playable& playable);

/// All diagnostics to standard error; whether there are errors.
bool print_diagnostics(const verify::Loaded& loaded);
/// `ripdsl: MESSAGE` to standard error; gives kUsage.
int usage(const std::string& message);

bool colour_out();
bool colour_err();
/// One line on a terminal that the next one replaces; nothing elsewhere. Empty: the line goes away.
void progress(const std::string& line);

/// A number of seconds, or with a unit: `30s`, `2m`. Negative: it is none.
double seconds_of(const std::string& text);
/// `2G`, `500M`, `1000000`; 0 if it is no size.
std::uint64_t bytes_of(const std::string& text);

// ---- the commands; each sets `exit` when it has run ----
void add_check(Command app, int& exit);
void add_test(Command app, int& exit);
void add_play(Command app, int& exit);
void add_repl(Command app, int& exit);
void add_sim(Command app, int& exit);
void add_tree(Command app, int& exit);
void add_fmt(Command app, int& exit);
void add_expand(Command app, int& exit);
void add_new(Command app, int& exit);
void add_graph(Command app, int& exit);
void add_rules(Command app, int& exit);
void add_ir(Command app, int& exit);
void add_explain(Command app, int& exit);
void add_bench(Command app, int& exit);
void add_mutate(Command app, int& exit);
void add_lsp(Command app, int& exit);
void add_grammar(Command app, int& exit);

/// The whole program.
int run(int argc, const char* const* argv);

}  // namespace rip::cli
