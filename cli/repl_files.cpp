// The REPL's commands about what lies on disk: the script and how it is configured, recorded games, scenarios.
#include "cli/repl_session.h"
#include "cli/repl_show.h"

#include "base/text.h"
#include "verify/scenario.h"
#include "verify/transcript.h"
#include "verify/write_scenario.h"

#include <fmt/format.h>

#include <algorithm>

namespace rip::cli::repl {

void Session::opened_again(const Game::Again& again) {
  forget_readings();
  if (again.exit != kFine) return page_.line("the game goes on with the script as it was");
  if (seat_ >= game_.playable().players()) seat_ = kAllSeeing;
  for (const std::string& name : game_.stops.find_again(game_.program(), game_.sources())) page_.line(fmt::format("no halt at `{}` any more: the script has no such place", name));
  page_.line(fit_text(again));
  // a game that fits is left as it stood; one that does not goes on from there
  if (!again.fit.misfit.empty() || again.of == 0) game_.let_fall();
  look_again();
  show_watches(false);
  tell();
  show();
}

void Session::reload(const std::string& argument) {
  GameOptions wish = game_.options;
  if (!argument.empty()) wish.file = argument;
  opened_again(game_.open_again(std::move(wish)));
}

void Session::set_param(const std::string& argument) {
  const std::size_t equals = argument.find('=');
  if (equals == std::string::npos || equals == 0) {
    for (const auto& [name, value] : verify::params_of(game_.rules(), game_.playable().config)) page_.line(fmt::format("  {} = {}", name, value), 4);
    return page_.line(game_.rules().params.empty() ? "this script has no parameters" : "`.set NAME=VALUE` changes one");
  }
  std::string name = argument.substr(0, equals), to = argument.substr(equals + 1);
  std::erase(name, ' ');
  std::erase(to, ' ');
  GameOptions wish = game_.options;
  std::erase_if(wish.settings, [&](const std::string& s) { return s.starts_with(name + "="); });
  wish.settings.push_back(name + "=" + to);
  opened_again(game_.open_again(wish));
}

void Session::variant(const std::string& argument) {
  if (argument.empty()) {
    for (const auto& version : game_.opened.loaded->versions) {
      page_.line(fmt::format("{} {}", version.get() == game_.opened.version ? " *" : "  ", version->title()));
    }
    return;
  }
  GameOptions wish = game_.options;
  wish.variant = argument == "base" ? "" : argument.size() > 1 && argument.front() == '"' && argument.back() == '"' ? argument.substr(1, argument.size() - 2) : argument;
  opened_again(game_.open_again(wish));
}

void Session::players(const std::string& argument) {
  const std::optional<std::size_t> n = number_in(argument);
  if (!n || *n == 0 || *n > ir::kMaxSeats) return page_.line(fmt::format("there are {} players; `.players N` begins again with N", game_.playable().players()));
  const GameOptions before = game_.options;
  game_.options.players = static_cast<int>(*n);
  if (game_.open() != kFine) {
    game_.options = before;
    return page_.line("the game goes on as it was");
  }
  forget_readings();
  if (seat_ >= game_.playable().players()) seat_ = kAllSeeing;
  game_.stops.find_again(game_.program(), game_.sources());
  begin_anew("");
}

// ---- scenarios ----

void Session::scenario(const std::string& argument) {
  // only a script is added to: a title may have a `>` of its own
  const std::size_t arrow = argument.ends_with(".rip") ? argument.rfind("> ") : std::string::npos;
  const std::string file = arrow == std::string::npos ? "" : argument.substr(arrow + 2);
  std::string title = argument.substr(0, arrow);
  while (title.ends_with(' ')) title.pop_back();
  if (title.empty()) title = fmt::format("played by seed {}, {}", game_.options.seed, plural(game_.sitting().tape.size(), "step"));
  const verify::WrittenScenario written = verify::write_scenario(game_.playable(), *game_.opened.version->rules, game_.sitting().tape, title);
  if (!written.error.empty()) return page_.line(written.error + ": there is nothing to write down");
  page_.text(written.text);
  for (const std::string& chance : written.free) page_.line("# no scenario fixes that " + chance, 4);
  page_.line("# " + scenario_verdict(written.text), 4);
  if (file.empty()) return;
  const ReadResult before = read_file(file);  // a file that is not there yet is begun
  const std::string fault = verify::write_file(file, before.text + (before.text.empty() ? "" : "\n") + written.text);
  page_.line(fault.empty() ? fmt::format("# added to {}", file) : fmt::format("{} cannot be written: {}", file, fault));
}

/// Tried as it would be in the script.
std::string Session::scenario_verdict(const std::string& text) const {
  const auto loaded = verify::load_text(game_.options.file, game_.opened.loaded->sources[0].text + "\n" + text);
  const verify::Version* version = loaded->find(game_.opened.version->name);
  if (loaded->syntax.has_errors() || version == nullptr || version->rules == nullptr || version->rules->scenarios.empty()) {
    const std::vector<Diagnostic> found = loaded->diagnostics();
    const auto wrong = std::find_if(found.begin(), found.end(), [](const Diagnostic& d) { return d.severity == Severity::error; });
    return wrong == found.end() ? "it belongs into the block of this variant" : "it cannot be read: " + wrong->message;
  }
  const verify::ScenarioResult result = verify::run_scenario(*version, version->rules->scenarios.back(), loaded->sources);
  if (result.passed) return "it holds";
  return fmt::format("it does not hold{}: {}", result.sample.empty() ? "" : ", " + result.sample, result.message);
}

// ---- recorded games ----

void Session::trace(const std::string& argument) {
  const std::optional<std::size_t> last = argument.empty() ? 0 : number_in(argument);
  if (!last) return page_.line("how many steps? `.trace 5`; `.save FILE` records the game");
  verify::TranscriptOptions telling;
  telling.seat = seat_;
  telling.last = *last;
  telling.table = false;
  for (const std::string& line : verify::transcript(game_.playable(), game_.sitting().tape, telling, &game_.sources())) page_.line(line, 10);
  const std::size_t here = game_.sitting().tape.size(), all = game_.trail().size();
  page_.line(here == all ? plural(here, "step") : fmt::format("{} of {}; `.redo` takes the others again", here, plural(all, "step")));
}

void Session::save(const std::string& argument) {
  if (argument.empty()) return page_.line("where? `.save game.jsonl`");
  const std::string text = verify::trace_text(game_.playable(), game_.sitting().tape, {game_.options.file, game_.options.seed, ""});
  const std::string fault = verify::write_file(argument, text);
  page_.line(fault.empty() ? fmt::format("recorded {} in {}", plural(game_.sitting().tape.size(), "step"), argument) : fmt::format("{} cannot be written: {}", argument, fault));
}

void Session::load(const std::string& argument) {
  if (argument.empty()) return page_.line("what? `.load game.jsonl`");
  const verify::ReadTrace read = verify::read_trace(argument);
  if (!read.error.empty()) return page_.line(fmt::format("{}: {}", argument, read.error));
  GameOptions wish;
  wish.file = game_.options.file;
  wish.seed = game_.options.seed;
  opened_again(game_.open_trace(std::move(wish), read.trace));
  if (!read.trace.property.empty()) page_.line("this game breaks: " + page_.red(read.trace.property));
}

}  // namespace rip::cli::repl
