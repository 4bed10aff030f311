// The REPL's questions: values, views, what a seat may know, what was covered. Nothing here moves the game.
#include "cli/repl_session.h"
#include "cli/repl_show.h"

#include "base/text.h"
#include "grammar/parser.h"
#include "interp/check/check.h"
#include "verify/coverage.h"
#include "verify/report.h"
#include "verify/sample_world.h"
#include "verify/why.h"
#include "verify/worlds.h"

#include <fmt/format.h>

#include <algorithm>

namespace rip::cli::repl {

namespace {

constexpr int kWorldsAsked = 16;  // drawn to see whether a seat can know a value

}  // namespace

// ---- values ----

std::optional<verify::Reading> Session::read(const std::string& text, std::string& wrong) {
  Diagnostics diagnostics;
  Sources& sources = game_.sources();
  const std::uint32_t file = sources.add("input", text);
  const ast::ExprRef expr = grammar::parse_expression(sources, file, diagnostics);
  std::optional<rules::ExprId> id;
  if (expr != nullptr && !diagnostics.has_errors()) {
    id = check::check_expression(*game_.opened.version->rules, *expr, game_.program().seats, diagnostics);
  }
  if (!id) {
    for (const Diagnostic& d : diagnostics.sorted()) wrong += render(d, sources, colour_out());
    return std::nullopt;
  }
  verify::Playable& playable = game_.playable();
  verify::Reading reading = verify::compile_reading(playable, *id);
  if (!playable.lowering->error().empty()) {
    wrong = fmt::format("this cannot be read here: {}\n", playable.lowering->error());
    game_.renew();
    forget_readings();
    return std::nullopt;
  }
  playable.program = &playable.lowering->program();
  return reading;
}

std::string Session::value(const verify::Reading& reading) {
  const auto in = [&](const State& state) {
    State copy = state;
    return verify::value_of(reading, game_.playable(), game_.machine(), copy);
  };
  const std::string here = in(game_.state());
  if (seat_ == kAllSeeing) return here;
  // what is the same in every world that fits what the seat has seen, it may know
  State from;
  game_.machine().start(from);
  verify::WorldSampler sampler(game_.program(), from, game_.sitting().tape, seat_);
  Rng drawn = Rng::for_game(game_.options.seed, 1);  // a question does not change what chance does next
  for (int i = 0; i < kWorldsAsked; ++i) {
    const verify::SampledWorld world = sampler.sample(drawn);
    if (!world.error.empty()) return fmt::format("{} cannot tell here; `.as all` sees everything", game_.playable().seat(seat_));
    if (in(world.state) != here) return fmt::format("{} cannot know; `.as all` sees everything", game_.playable().seat(seat_));
  }
  return here;
}

void Session::evaluate(const std::string& text, const std::string& otherwise) {
  std::string wrong;
  if (const std::optional<verify::Reading> reading = read(text, wrong)) return page_.line(value(*reading), 4);
  if (otherwise.empty()) page_.text(wrong);
  else page_.line(otherwise, 4);
}

void Session::watch(const std::string& argument) {
  if (argument.empty()) {
    if (watched_.empty()) page_.line("nothing is watched; `.watch EXPR` shows a value whenever it changes");
    return show_watches(true);
  }
  std::string wrong;
  std::optional<verify::Reading> reading = read(argument, wrong);
  if (!reading) return page_.text(wrong);
  const std::string now = value(*reading);
  std::erase_if(watched_, [&](const Watched& w) { return w.text == argument; });
  watched_.push_back({argument, now, std::move(reading)});
  page_.line(fmt::format("  {} is {}", argument, now), 4);
}

void Session::unwatch(const std::string& argument) {
  if (argument.empty()) {
    watched_.clear();
    return page_.line("nothing is watched");
  }
  if (std::erase_if(watched_, [&](const Watched& w) { return w.text == argument; }) == 0) page_.line(fmt::format("`{}` is not watched", argument));
}

void Session::forget_readings() {
  for (Watched& watched : watched_) watched.reading.reset();
}

void Session::show_watches(bool all) {
  for (Watched& watched : watched_) {
    std::string wrong;
    if (!watched.reading) watched.reading = read(watched.text, wrong);
    const std::string now = watched.reading ? value(*watched.reading) : "cannot be read in this script";
    if (now != watched.value) page_.line(fmt::format("  {} is {}, was {}", watched.text, now, watched.value), 4);
    else if (all) page_.line(fmt::format("  {} is {}", watched.text, now), 4);
    watched.value = now;
  }
}

// ---- views ----

std::optional<int> Session::seat_meant(const std::string& word) {
  const std::vector<std::string>& seats = game_.program().seats;
  if (const std::optional<int> seat = seat_named(seats, word)) return seat;
  page_.line(fmt::format("there is no seat `{}`; there are {}", word, joined(seats)));
  return std::nullopt;
}

void Session::state(const std::string&) { draw_table(page_, game_, seat_); }

void Session::view(const std::string& argument) {
  if (argument.empty()) return draw_table(page_, game_, seat_);
  if (const std::optional<int> seat = seat_meant(argument)) draw_table(page_, game_, *seat);
}

void Session::diff(const std::string&) {
  const View before = game_.view_before(seat_);
  const View now = game_.machine().view(game_.state(), seat_);
  if (differences(before, now).empty()) return page_.line("    nothing that can be seen has changed");
  draw_differences(page_, before, now);
}

void Session::as(const std::string& argument) {
  if (argument == "all" || argument.empty()) {
    seat_ = kAllSeeing;
  } else if (const std::optional<int> seat = seat_meant(argument)) {
    seat_ = *seat;
  } else {
    return;
  }
  look_again();
  draw_table(page_, game_, seat_);
  show();
}

// ---- what could be, what was ----

void Session::worlds(const std::string& argument) {
  std::optional<int> seat = seat_ >= 0 ? std::optional(seat_) : std::nullopt;
  if (!argument.empty()) seat = seat_meant(argument);
  else if (!seat) page_.line(fmt::format("name a seat: `.worlds {}`", game_.playable().seat(0)));
  if (!seat) return;
  if (game_.paused()) return page_.line("the rules are halted; `.go` goes on to where a seat is asked");
  State from;
  game_.machine().start(from);
  const std::string& name = game_.playable().seat(*seat);
  const verify::Worlds found = verify::count_worlds(game_.program(), from, game_.sitting().tape, *seat);
  if (!found.error.empty()) page_.line(found.error);
  else page_.line(fmt::format("for all that {} has seen, {}{} of the others, chance as it fell", name, found.complete ? "" : "more than ", plural(found.count, "secret way")));
  verify::WorldSampler sampler(game_.program(), from, game_.sitting().tape, *seat);
  verify::SampledWorld world = sampler.sample(drawn_);
  if (!world.error.empty()) return page_.line(world.error);
  if (sampler.ways() == 1) page_.line("with what chance may have brought there is no other world");
  else if (sampler.exact()) page_.line(fmt::format("with what chance may have brought, {}; one of them, drawn as likely as it is if the others decide at random:", plural(sampler.ways(), "way")), 4);
  else page_.line("with what chance may have brought there are more than are counted; one of them, drawn by a random walk:", 4);
  const View seen = game_.machine().view(game_.state(), *seat);
  const View there = game_.machine().view(world.state, kAllSeeing);
  for (const auto* lines : {&there.zones, &there.vars}) {
    for (const View::Line& line : *lines) {
      const auto same = [&](const View::Line& l) { return l.name == line.name && l.text == line.text; };
      if (std::any_of(seen.zones.begin(), seen.zones.end(), same) || std::any_of(seen.vars.begin(), seen.vars.end(), same)) continue;
      page_.line(fmt::format("    {}  {}", line.name, line.text.empty() ? "empty" : line.text), 6);
    }
  }
}

void Session::why(const std::string& argument) {
  if (argument.empty()) return page_.line("why what? `.why MOVE` tells what keeps it from being chosen");
  const int seat = game_.asked();
  if (seat < 0) return page_.line(game_.paused() ? "the rules are halted: nobody decides here" : "nobody decides here");
  if (seat_ != kAllSeeing && seat_ != seat) return show_options();
  Diagnostics diagnostics;
  Sources& sources = game_.sources();
  const std::optional<rules::MovePattern> pattern = pattern_of(argument, game_.playable(), *game_.opened.version->rules, sources, diagnostics);
  if (!pattern) {
    for (const Diagnostic& d : diagnostics.sorted()) page_.text(render(d, sources, colour_out()));
    return;
  }
  const Meant meant = move_meant(argument, game_.sitting(), game_.playable(), *game_.opened.version->rules, sources, seat);
  if (meant.index) return page_.line(fmt::format("{} can choose it: it is move {}", game_.playable().seat(seat), *meant.index + 1));
  const verify::WhyNot why = verify::why_not(*pattern, game_.playable(), *game_.opened.version->rules, sources, game_.state(), seat);
  if (why.reason.empty()) return page_.line(fmt::format("{} can choose it: {}", game_.playable().seat(seat), meant.why), 4);
  page_.line(why.reason, 4);
  if (why.span.end == 0) return;
  page_.text(verify::excerpt(sources, why.span));
  for (const std::string& text : why.values) page_.line("  " + text, 4);
}

void Session::coverage(const std::string&) {
  verify::Coverage covered = verify::nothing_covered(*game_.opened.version, game_.sources());
  verify::add_covered(covered, *game_.opened.version, game_.sources(), game_.ear().tally.covered, 1);
  const auto part = [&](const char* title, const std::map<std::string, std::uint64_t>& counts, const std::vector<std::string>& missing) {
    if (counts.empty()) return;
    page_.line(fmt::format("  {:<10}{} of {}{}{}", title, counts.size() - missing.size(), counts.size(), missing.empty() ? "" : "; not shown: ", joined(missing)), 12);
  };
  part("clauses", covered.clauses, covered.clauses_not_shown());
  part("moves", covered.moves, verify::never_seen(covered.moves));
  part("triggers", covered.triggers, verify::never_seen(covered.triggers));
  part("branches", covered.branches, verify::never_seen(covered.branches));
}

}  // namespace rip::cli::repl
