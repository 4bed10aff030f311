#include "cli/repl_session.h"

#include "cli/line_input.h"
#include "cli/repl_show.h"

#include "base/text.h"
#include "verify/position.h"
#include "verify/report.h"
#include "verify/transcript.h"

#include <fmt/format.h>

#include <algorithm>

namespace rip::cli::repl {

namespace {

constexpr std::uint64_t kFewMoves = 25;
constexpr std::uint64_t kMostListed = 1000;

}  // namespace

Session::Session(GameOptions options, bool echo) : page_(Page::of_standard_output()), game_(std::move(options)), echo_(echo) {}

int Session::run(const std::string& trace) {
  verify::ReadTrace recorded;
  if (!trace.empty()) {
    recorded = verify::read_trace(trace);
    if (!recorded.error.empty()) return usage(fmt::format("{}: {}", trace, recorded.error));
  }
  if (game_.options.file.empty() && trace.empty()) return usage("name a script, or a trace with --trace");
  Game::Again again;
  if (trace.empty()) again.exit = game_.open();
  else again = game_.open_trace(game_.options, recorded.trace);
  if (again.exit != kFine) return again.exit;
  banner_ = fmt::format("{}, {} players; .help tells what you can type", game_.rules().title, game_.playable().players());
  page_.line(banner_);
  if (!trace.empty()) {
    page_.line(fit_text(again));
    if (!recorded.trace.property.empty()) page_.line("this game breaks: " + page_.red(recorded.trace.property));
  }
  // what chance has left open at the end of a recorded game falls when the game goes on
  if (trace.empty()) game_.let_fall();
  look_again();
  tell();
  show();
  LineInput input([this](const std::string& before, const std::string& word) { return completions(before, word); });
  while (!over_) {
    std::fflush(stdout);
    const std::string asks = prompt();
    pasting_ = pasting_ && (!input.is_terminal() || input.more_waits());  // what comes later is typed
    const std::optional<std::string> line = input.read(asks);
    if (!line) break;
    const std::optional<std::string> meant = without_prompt(*line);
    if (!meant) continue;
    if (echo_) page_.line(asks + *meant);
    obey(*meant);
  }
  return kFine;
}

// ---- lines ----

std::string Session::prompt() {
  if (game_.paused()) return "rules> ";
  if (game_.sitting().status == Status::chance) return "chance> ";
  return game_.asked() >= 0 ? game_.playable().seat(game_.asked()) + "> " : "over> ";
}

/// In a session that is pasted, what stands behind prompts was typed, and all other lines were printed.
std::optional<std::string> Session::without_prompt(const std::string& line) {
  const std::size_t end = line.find("> ");
  const std::string head = end == std::string::npos ? (line.ends_with('>') ? line.substr(0, line.size() - 1) : "") : line.substr(0, end);
  const bool asks = head == "rules" || head == "chance" || head == "over" || seat_named(game_.program().seats, head).value_or(-1) >= 0;
  if (asks && number_in(head) == std::nullopt) {
    pasting_ = true;
    return end == std::string::npos ? "" : line.substr(end + 2);
  }
  if (line == banner_ || line.starts_with("$ ")) pasting_ = true;
  if (pasting_) return std::nullopt;
  return line;
}

void Session::obey(const std::string& text) {
  const std::string line(trimmed(text));
  if (line.empty() || line[0] == '#') return;
  if (line[0] == '.') command(line.substr(1));
  else if (line[0] == '?' || line[0] == '=') evaluate(std::string(trimmed(std::string_view(line).substr(1))), "");
  else if (game_.sitting().status == Status::chance && seat_ == kAllSeeing) choose_outcome(line);
  else if (game_.sitting().status == Status::decision) choose_move(line);
  else evaluate(line, "");
}

void Session::command(const std::string& line) {
  const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
  const std::string name = line.substr(0, end);
  const std::string argument(trimmed(std::string_view(line).substr(end)));
  std::vector<std::string_view> names;
  for (const Command& command : commands()) {
    if (command.name == name || (!command.letter.empty() && command.letter == name)) return (this->*command.obey)(argument);
    names.push_back(command.name);
  }
  const std::string_view near = nearest(name, names);
  page_.line(fmt::format("unknown command `.{}`; {}", name, near.empty() ? "`.help` lists them" : fmt::format("did you mean `.{}`?", near)));
}

void Session::choose_move(const std::string& line) {
  const int seat = game_.asked();
  const Meant meant = move_meant(line, game_.sitting(), game_.playable(), *game_.opened.version->rules, game_.sources(), seat);
  if (!meant.index) {
    if (number_in(line)) page_.line(meant.why);
    else evaluate(line, meant.why.ends_with("cannot do that here") ? fmt::format("{}; `.why {}` tells why", meant.why, line) : meant.why);
    return;
  }
  game_.decide(seat, *meant.index);
  tell();
  show();
}

void Session::choose_outcome(const std::string& line) {
  std::vector<Outcome> outcomes;
  game_.machine().outcomes(game_.state(), outcomes);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (std::to_string(i + 1) != line && outcomes[i].text != line) continue;
    game_.settle(static_cast<std::uint32_t>(i));
    game_.let_fall();
    tell();
    show();
    return;
  }
  const std::string otherwise = fmt::format("chance has {}; name one by its number, or `.auto` lets it fall", plural(outcomes.size(), "outcome"));
  if (number_in(line)) page_.line(otherwise);
  else evaluate(line, otherwise);
}

void Session::help(const std::string& argument) {
  const std::string name = argument.starts_with('.') ? argument.substr(1) : argument;
  for (const Command& command : commands()) {
    if (command.name != name && (name.empty() || command.letter != name)) continue;
    page_.line(fmt::format(".{} {}  {}", command.name, command.argument, command.help), 4);
    return;
  }
  if (!name.empty()) page_.line(fmt::format("there is no command `.{}`", name));
  for (std::string text = help_text(); !text.empty();) {
    const std::size_t end = text.find('\n');
    page_.line(text.substr(0, end), 34);
    text.erase(0, end + 1);
  }
}

void Session::quit(const std::string&) { over_ = true; }

// ---- what is shown ----

void Session::show() {
  verify::Sitting& sitting = game_.sitting();
  if (game_.paused()) {
    const std::string_view at = game_.stops.at(game_.pc());
    page_.line(fmt::format("[{}] {}{}", phases_text(game_), at.empty() ? "" : fmt::format("halted at {}; ", at), statement_text(game_)), 4);
    return;
  }
  sitting.find_stuck();
  if (!sitting.waits()) {
    for (const std::string& line : verify::ending(sitting, &game_.sources())) page_.line(page_.bold(line), 4);
    if (sitting.status == Status::fault) page_.text(verify::excerpt(game_.sources(), game_.machine().fault(game_.state()).span));
    return;
  }
  const std::string phases = phases_text(game_);
  if (sitting.status == Status::chance) {
    page_.line(fmt::format("[{}] chance decides:", phases));
    if (seat_ == kAllSeeing) draw_outcomes(page_, game_);
    else page_.line("      (no seat sees what may fall; `.auto` lets it fall)");
    return;
  }
  const int seat = game_.asked();
  std::string line = fmt::format("[{}] {} decides", phases, page_.bold(game_.playable().seat(seat)));
  const std::uint32_t others = game_.machine().deciding(game_.state()) & ~(1u << seat);
  if (others != 0) line += ", at the same time " + joined(verify::seats_in(game_.program(), others));
  page_.line(line + ":", 4);
  show_options();
}

void Session::show_options() {
  const int seat = game_.asked();
  if (seat_ != kAllSeeing && seat_ != seat) {
    page_.line(fmt::format("      (only {} sees the options; `.auto` decides at random)", game_.playable().seat(seat)));
    return;
  }
  draw_moves(page_, game_, seat_, kFewMoves);
  if (game_.machine().count_moves(game_.state(), seat) > kFewMoves) page_.line("      (`.moves` lists more; a move can be written, too)");
}

void Session::moves(const std::string&) {
  if (game_.sitting().status != Status::decision) return show();
  if (seat_ != kAllSeeing && seat_ != game_.asked()) return show_options();
  draw_moves(page_, game_, seat_, kMostListed);
}

void Session::tell() {
  const News news = game_.take_news();
  View now = game_.machine().view(game_.state(), seat_);
  if (seat_ == kAllSeeing) {
    for (const std::string& step : news.steps) page_.line("  " + step, 4);
    draw_differences(page_, seen_, now);
  } else {
    for (const std::string& line : game_.ear().lines[static_cast<std::size_t>(seat_)]) page_.line("  " + line, 4);
  }
  for (auto& lines : game_.ear().lines) lines.clear();
  seen_ = std::move(now);
  for (const verify::Violation& violation : news.violations) {
    page_.line(fmt::format("  {} {}: {}{}", page_.red("violated:"), game_.sources().where(violation.span), verify::title(game_.program(), violation),
                           violation.detail.empty() ? "" : "; " + violation.detail), 4);
  }
  show_watches(false);
}

void Session::look_again() {
  seen_ = game_.machine().view(game_.state(), seat_);
  for (auto& lines : game_.ear().lines) lines.clear();
}

std::string Session::fit_text(const Game::Again& again) const {
  if (again.fit.misfit.empty()) return fmt::format("replayed {} steps", again.fit.steps);
  return fmt::format("replayed {} of {} steps; it fits no further: {}", again.fit.steps, again.of, again.fit.misfit);
}

}  // namespace rip::cli::repl
