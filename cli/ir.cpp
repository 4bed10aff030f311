// `ripdsl ir`: what a script becomes, stage by stage.
#include "cli/command.h"
#include "cli/dump.h"

#include "interp/check/dump.h"
#include "interp/ir/print.h"
#include "interp/native/native.h"

#include <fmt/format.h>

#include <memory>

namespace rip::cli {

namespace {

struct Options {
  GameOptions game;
  std::string stage = "ir";
};

int show(const Options& options) {
  if (options.stage == "tokens" || options.stage == "ast") {
    const std::unique_ptr<verify::Loaded> loaded = verify::load(options.game.file);
    if (!loaded->unreadable.empty() || loaded->syntax.has_errors()) {
      print_diagnostics(*loaded);
      if (!loaded->unreadable.empty()) return kViolated;
    }
    if (options.stage == "tokens") {
      fmt::print("{}", dump_tokens(loaded->sources, 0));
    } else if (const verify::Version* version = loaded->find(options.game.variant); version != nullptr && !options.game.variant.empty()) {
      fmt::print("{}", dump_tree(version->script, loaded->sources));
    } else {
      fmt::print("{}", dump_tree(loaded->script, loaded->sources));
    }
    return loaded->syntax.has_errors() ? kViolated : kFine;
  }
  LowerOptions lower;
  lower.claims = lower.unread = options.stage != "native";
  const Opened opened = open_game(options.game, lower);
  if (opened.exit != kFine) return opened.exit;
  if (options.stage == "rules") fmt::print("{}", check::dump(*opened.playable->rules));
  else if (options.stage == "ir") fmt::print("{}", ir::print(*opened.playable->program));
  else if (options.stage == "native") fmt::print("{}", native::emit(*opened.playable->program, {native::needs_knowledge(*opened.playable->program)}));
  else fmt::print("{}", dump_layout(*opened.playable->program));
  return kFine;
}

}  // namespace

void add_ir(Command app, int& exit) {
  auto options = std::make_shared<Options>();
  const Command command = app.add_subcommand("ir", "What the script becomes: tokens, syntax tree, checked rules, IR, layout of the state, C++");
  add_file(command, options->game);
  add_configuration(command, options->game);
  command.add_option("--stage", options->stage, "tokens, ast, rules, ir, layout or native (the C++ that `sim` and `bench` compile)")
      .type_name("STAGE")
      .default_val("ir")
      .one_of({"tokens", "ast", "rules", "ir", "layout", "native"});
  command.footer(R"(Example:
  ripdsl ir games/vertippt.rip --stage layout --players 3)");
  command.callback([options, &exit] { exit = show(*options); });
}

}  // namespace rip::cli
