// `ripdsl rules`: the rulebook that a script amounts to.
#include "cli/command.h"
#include "cli/rulebook.h"

#include <fmt/format.h>

#include <memory>

namespace rip::cli {

namespace {

struct Options {
  GameOptions game;
  bool html = false;
};

int rules(const Options& options) {
  const Opened opened = open_game(options.game);
  if (opened.exit != kFine) return opened.exit;
  const std::unique_ptr<Written> written = write_out(*opened.loaded, *opened.version);
  const Document document = rulebook(*written, *opened.version, *opened.playable);
  fmt::print("{}", options.html ? html(document) : markdown(document));
  return kFine;
}

}  // namespace

void add_rules(Command app, int& exit) {
  auto options = std::make_shared<Options>();
  const Command command = app.add_subcommand("rules", "The rulebook that a script amounts to, in Markdown or as a page");
  add_file(command, options->game);
  command.add_option("--variant", options->game.variant, "a variant or `small` block of the script").type_name("NAME");
  command.add_option("--players", options->game.players, "for how many players components are counted; without it the usual number").type_name("N");
  command.add_flag("--html", options->html, "one page of HTML that needs no other file");
  command.footer(R"(Example:
  ripdsl rules games/vertippt.rip --html > vertippt.html)");
  command.callback([options, &exit] { exit = rules(*options); });
}

}  // namespace rip::cli
