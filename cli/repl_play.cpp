// The REPL's commands that move the game: on, back, and through the rules statement by statement.
#include "cli/repl_session.h"
#include "cli/repl_show.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace rip::cli::repl {

namespace {

constexpr std::size_t kToTheEnd = 100'000;  // decisions: a game that has no end shall not hold the session
constexpr std::size_t kMostSearched = 20'000;

/// One if nothing is said; nullopt: this is no number from 1 on.
std::optional<std::size_t> how_many(const std::string& argument) {
  const std::optional<std::size_t> n = argument.empty() ? 1 : number_in(argument);
  return n && *n > 0 ? n : std::nullopt;
}

}  // namespace

bool Session::goes_on(bool by_bot) {
  if (!game_.sitting().waits()) return false;
  const std::size_t before = game_.sitting().tape.size();
  if (by_bot) game_.go_by_bot();
  else game_.go_at_random();
  tell();
  return !game_.paused() && game_.sitting().tape.size() > before;
}

void Session::auto_play(const std::string& argument) {
  std::optional<std::size_t> wanted = 1;
  bool by_bot = false;
  std::istringstream words(argument);
  for (std::string word; words >> word && wanted;) {
    if (word == "bot" || word == "random") by_bot = word == "bot";
    else wanted = word == "end" ? kToTheEnd : number_in(word);
  }
  if (!wanted) return page_.line("how many decisions? `.auto 5`, or `.auto end`; `.auto 5 bot` lets a bot decide");
  if (game_.paused()) return page_.line("the rules are halted; `.go` goes on");
  for (std::size_t i = 0; i < *wanted && goes_on(by_bot); ++i) {}
  show();
}

void Session::until(const std::string& argument) {
  if (argument.empty()) return page_.line("until what? `.until coins[P1] > 10`");
  std::string wrong;
  const std::optional<verify::Reading> reading = read(argument, wrong);
  if (!reading) return page_.text(wrong);
  const rules::Type& type = game_.rules()[reading->expr].type;
  if (type.base != rules::Base::flag || type.shape != rules::Shape::scalar) return page_.line("`.until` takes something that holds or does not, such as `coins[P1] > 10`");
  if (game_.paused()) return page_.line("the rules are halted; `.go` goes on");
  const auto holds = [&] { return game_.machine().holds(game_.state(), reading->node); };
  if (holds()) return page_.line("it holds already");
  const std::size_t from = game_.sitting().decisions();
  while (!holds() && game_.sitting().decisions() - from < kMostSearched && goes_on(false)) {}
  if (!game_.paused()) page_.line(fmt::format("{} after {}", holds() ? "it holds" : "it does not hold", plural(game_.sitting().decisions() - from, "decision")));
  show();
}

void Session::undo(const std::string& argument) {
  const std::optional<std::size_t> n = how_many(argument);
  if (!n) return page_.line("how many decisions? `.undo 2`");
  if (!game_.undo(*n)) return page_.line("nothing has been decided yet");
  look_again();
  show_watches(false);
  show();
}

void Session::redo(const std::string& argument) {
  const std::optional<std::size_t> n = how_many(argument);
  if (!n) return page_.line("how many decisions? `.redo 2`");
  if (!game_.redo(*n)) return page_.line("nothing was taken back");
  look_again();
  show_watches(false);
  diff("");
  show();
}

void Session::jump(const std::string& argument) {
  const std::optional<std::size_t> n = number_in(argument);
  const std::size_t all = game_.trail().size();
  if (!n || *n > all) return page_.line(fmt::format("to which step? `.jump 0` to `.jump {}`; `.trace` numbers them", all));
  game_.jump(*n);
  look_again();
  page_.line(fmt::format("after step {} of {}", *n, all));
  show_watches(false);
  show();
}

void Session::begin_anew(const std::string&) {
  game_.begin();
  game_.let_fall();
  look_again();
  show_watches(false);
  show();
}

void Session::step(const std::string& argument) {
  if (!argument.empty() && game_.paused()) return page_.line("the rules are halted; `.step` goes on by one statement");
  game_.stepping = true;
  if (game_.paused()) {
    game_.go_on();
  } else if (game_.sitting().status == Status::decision) {
    const int seat = game_.asked();
    const Meant meant = argument.empty() ? Meant{std::nullopt, "take which move? `.step 1` takes it and halts before the first statement of its rule"}
                                         : move_meant(argument, game_.sitting(), game_.playable(), *game_.opened.version->rules, game_.sources(), seat);
    game_.stepping = meant.index.has_value();
    if (!meant.index) return page_.line(meant.why);
    game_.decide(seat, *meant.index);
  }
  game_.stepping = false;
  tell();
  show();
}

void Session::go(const std::string&) {
  if (!game_.paused()) return page_.line("the rules are not halted; a move goes on");
  game_.go_on();
  tell();
  show();
}

void Session::set_break(const std::string& argument) {
  if (argument.empty()) {
    if (!game_.stops.any()) page_.line("no halts are set; `.break NAME` sets one at a phase, move, rule, clause or line");
    for (const std::string& name : game_.stops.names()) page_.line("  " + name);
    return;
  }
  if (const std::optional<std::string> title = game_.stops.add(game_.program(), game_.sources(), argument)) return page_.line("the rules will halt at " + *title);
  if (number_in(argument)) return page_.line(fmt::format("no statement begins in line {}", argument));
  const std::vector<std::string> names = names_of_halts(game_.program());
  const std::string_view near = nearest(argument, {names.begin(), names.end()});
  page_.line(fmt::format("there is no phase, move, rule or clause `{}`{}", argument, near.empty() ? "" : fmt::format("; did you mean `{}`?", near)));
}

void Session::clear_break(const std::string& argument) {
  if (argument.empty()) {
    game_.stops.clear();
    return page_.line("no halts are set");
  }
  page_.line(game_.stops.remove(argument) ? fmt::format("the rules no longer halt at {}", argument) : fmt::format("no halt `{}` is set", argument));
}

void Session::chance(const std::string& argument) {
  if (argument != "" && argument != "hand" && argument != "fall") return page_.line("`.chance hand` lets you choose what falls, `.chance fall` lets it fall");
  game_.by_hand = argument.empty() ? !game_.by_hand : argument == "hand";
  page_.line(game_.by_hand ? "you choose what chance does" : "chance falls by itself");
  if (game_.paused()) return;
  game_.let_fall();
  tell();
  show();
}

void Session::seed(const std::string& argument) {
  if (argument.empty()) return page_.line(fmt::format("the seed is {}", game_.options.seed));
  const std::optional<std::size_t> n = number_in(argument);
  if (!n) return page_.line("a seed is a number from 0 on");
  game_.options.seed = *n;
  game_.rng = Rng::for_game(*n, 0);
  page_.line(fmt::format("chance falls by seed {} from here on; `.new` begins again with it", *n));
}

}  // namespace rip::cli::repl
