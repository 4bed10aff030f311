// `ripdsl expand`: a variant as one script of its own.
#include "cli/expand.h"

#include "cli/command.h"

#include "grammar/format.h"
#include "grammar/written.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>

namespace rip::cli {

namespace {

namespace fs = std::filesystem;

struct Options {
  std::string file, variant;
};

int expand(const Options& options) {
  GameOptions game;
  game.file = options.file;
  game.variant = options.variant;
  const Opened opened = open_game(game);
  if (opened.exit == kFine) fmt::print("{}", expanded(*opened.loaded, *opened.version));
  return opened.exit;
}

}  // namespace

std::string expanded(const verify::Loaded& loaded, const verify::Version& version) {
  const fs::path path = loaded.path;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const auto card_list = [&](const std::string& name, std::uint32_t file) {
    return fs::path(loaded.sources[file].path).parent_path().append(name).lexically_normal().lexically_relative(folder.lexically_normal()).string();
  };
  const std::string heading = version.kind == verify::VersionKind::base ? "" : fmt::format("{} of {}, written out", version.title(), path.filename().string());
  Sources sources;
  const std::uint32_t made = sources.add(heading, grammar::written({version.script, version.scenarios, version.originals, heading, card_list}, loaded.sources));
  Diagnostics diagnostics;
  std::optional<std::string> text = grammar::format(sources, made, diagnostics);
  if (text) return std::move(*text);
  std::string all;
  for (const Diagnostic& d : diagnostics.sorted()) all += render(d, sources, false);
  throw std::logic_error("what was written out cannot be read:\n" + all);
}

void add_expand(Command app, int& exit) {
  auto options = std::make_shared<Options>();
  const Command command = app.add_subcommand("expand", "A variant, or a `small` block, as one whole script");
  command.add_option("FILE", options->file, "the script").required().type_name("");
  command.add_option("--variant", options->variant, "a variant or `small` block of the script; without it the game itself").type_name("NAME");
  command.footer(R"(Card lists are named from the folder of FILE, so the new script belongs there.

Example:
  ripdsl expand games/gravediggers.rip --variant "every guard pays" > games/guards-pay.rip)");
  command.callback([options, &exit] { exit = expand(*options); });
}

}  // namespace rip::cli
