// `ripdsl repl`: step through a game, as any seat, with undo; ask for any value; change the script and go on.
#include "cli/command.h"
#include "base/text.h"
#include "cli/seats.h"

#include "grammar/parser.h"
#include "interp/check/check.h"
#include "verify/pattern.h"
#include "verify/position.h"
#include "verify/reading.h"
#include "verify/sample_world.h"
#include "verify/trace.h"
#include "verify/transcript.h"
#include "verify/worlds.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <sstream>

namespace rip::cli {

namespace {

struct Options {
  GameOptions game;
  std::string trace;
};

constexpr std::uint64_t kMostListed = 1000;
constexpr const char* kHelp = R"(a number or a move    take it: 3, play(<money 5>, 2), or the name alone where one option has it
an expression         its value: count(hand[P1]), coins; with ? before it where it could be a move
.moves                the options of the seat that decides, at most 1000
.undo [N]             take back the last N decisions, with the chance in between
.auto [N]             N decisions at random; .auto end plays to the end
.as SEAT              see the game as P1, P2 ...; .as all sees everything
.state                everything on the table
.view [SEAT]          what the seat sees
.worlds SEAT          in how many ways the others can have decided in secret, for all that the seat has seen; and one
                      world that fits, drawn at random
.chance               settle chance by hand, or at random again
.trace [FILE]         the game so far, or record it
.reload               read the script again and replay the game as far as it fits
.new                  begin again
.help  .quit
)";

class Session {
 public:
  explicit Session(Options options) : options_(std::move(options)), rng_(Rng::for_game(options_.game.seed, 0)) {}

  int run() {
    verify::Trace trace;
    if (!options_.trace.empty()) {
      verify::ReadTrace read = verify::read_trace(options_.trace);
      if (!read.error.empty()) return usage(fmt::format("{}: {}", options_.trace, read.error));
      trace = std::move(read.trace);
      GameOptions& game = options_.game;
      if (game.file.empty()) game.file = trace.file;
      if (game.variant.empty()) game.variant = trace.variant;
      if (game.players == 0) game.players = trace.players;
      if (game.settings.empty()) game.settings = trace.settings;
    }
    if (options_.game.file.empty()) return usage("name a script, or a trace with --trace");
    opened_ = open_game(options_.game);
    if (opened_.exit != kFine) return opened_.exit;
    begin();
    if (!options_.trace.empty()) {
      report_fit(verify::replay(*sitting_, trace), trace.steps.size());
      if (!trace.property.empty()) fmt::print("this game breaks: {}\n", trace.property);
    }
    fmt::print("{}, {} players; .help tells what you can type\n", opened_.playable->rules->title, opened_.playable->players());
    settle();
    show();
    while (true) {
      std::fflush(stdout);
      const std::optional<std::string> line = read_line(prompt());
      if (!line || !obey(*line)) break;
    }
    return kFine;
  }

 private:
  // ---- the game ----

  void begin() {
    book_ = std::make_unique<verify::LogBook>(opened_.playable->players());
    sitting_ = std::make_unique<verify::Sitting>(*opened_.playable, book_.get());
    sitting_->begin();
    before_ = sitting_->machine.view(sitting_->state, seat_);
    if (seat_ >= opened_.playable->players()) seat_ = kAllSeeing;
  }

  /// Chance settles itself unless it is done by hand.
  void settle() {
    while (!by_hand_ && sitting_->status == Status::chance) {
      const std::uint32_t index = sitting_->machine.sample_outcome(sitting_->state, rng_);
      std::vector<Outcome> outcomes;
      sitting_->machine.outcomes(sitting_->state, outcomes);
      if (seat_ == kAllSeeing && sitting_->after_setup) fmt::print("  chance: {}\n", outcomes[index].text);
      sitting_->settle(index);
    }
  }

  void take(int seat, std::uint32_t index) {
    sitting_->decide(seat, index);
    settle();
    tell();
  }

  /// What happened since the last time, as the chosen seat notices it.
  void tell() {
    if (seat_ == kAllSeeing) {
      View now = sitting_->machine.view(sitting_->state, kAllSeeing);
      for (const std::string& line : verify::changes(before_, now)) fmt::print("    {}\n", line);
      before_ = std::move(now);
    } else {
      for (const LogLine& line : book_->lines[static_cast<std::size_t>(seat_)]) fmt::print("  {}\n", line.text);
    }
    book_->clear();
  }

  void replay(const verify::Tape& tape) {
    begin();
    verify::replay(*sitting_, tape);
    before_ = sitting_->machine.view(sitting_->state, seat_);
    book_->clear();
  }

  int asked() const { return sitting_->status == Status::decision ? sitting_->machine.to_move(sitting_->state) : -1; }

  // ---- what is shown ----

  std::string prompt() const { return sitting_->status == Status::decision ? opened_.playable->seat(asked()) + "> " : "> "; }

  void show() {
    sitting_->find_stuck();
    if (!sitting_->waits()) {
      for (const std::string& line : verify::ending(*sitting_, &opened_.loaded->sources)) fmt::print("{}\n", line);
      return;
    }
    std::string phases;
    for (const std::string& phase : verify::running_phases(*opened_.playable->program, sitting_->state)) phases += (phases.empty() ? "" : " > ") + phase;
    if (sitting_->status == Status::chance) {
      std::vector<Outcome> outcomes;
      sitting_->machine.outcomes(sitting_->state, outcomes);
      fmt::print("[{}] chance:\n", phases);
      for (std::size_t i = 0; i < outcomes.size(); ++i) fmt::print("{:>4}  {}  (weight {})\n", i + 1, outcomes[i].text, outcomes[i].weight);
      return;
    }
    const int seat = asked();
    fmt::print("[{}] {} decides", phases, opened_.playable->seat(seat));
    const std::uint32_t others = sitting_->machine.deciding(sitting_->state) & ~(1u << seat);
    for (int other = 0; other < opened_.playable->players(); ++other) {
      if ((others >> other & 1u) != 0) fmt::print(", at the same time {}", opened_.playable->seat(other));
    }
    fmt::print(":\n");
    if (seat_ == kAllSeeing || seat_ == seat) show_moves(20);
    else fmt::print("      (only {} sees the options; .auto lets chance decide)\n", opened_.playable->seat(seat));
  }

  void show_moves(std::uint64_t most) {
    const std::vector<Move> moves = verify::first_moves(sitting_->machine, sitting_->state, asked(), most);
    for (std::size_t i = 0; i < moves.size(); ++i) {
      fmt::print("{:>4}  {}\n", i + 1, seat_ == kAllSeeing ? sitting_->machine.text(moves[i]) : sitting_->machine.text_for(sitting_->state, moves[i], asked()));
    }
    const std::uint64_t count = sitting_->machine.count_moves(sitting_->state, asked());
    if (count > most) fmt::print("      ... {} in all{}\n", count, most < kMostListed ? ", .moves lists more" : "");
  }

  void report_fit(const verify::Fit& fit, std::size_t of) {
    if (fit.misfit.empty()) fmt::print("replayed {} steps\n", fit.steps);
    else fmt::print("replayed {} of {} steps; it fits no further: {}\n", fit.steps, of, fit.misfit);
  }

  // ---- lines ----

  bool obey(const std::string& text) {
    const auto begin = text.find_first_not_of(" \t");
    if (begin == std::string::npos) return true;
    const std::string line = text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
    if (line[0] == '#') return true;
    if (line[0] == '.') return command(line.substr(1));
    if (line[0] == '?' || line[0] == '=') {
      evaluate(line.substr(1), "");
      return true;
    }
    if (sitting_->status == Status::chance && by_hand_) choose_chance(line);
    else if (sitting_->status == Status::decision) choose_move(line);
    else evaluate(line, "");
    return true;
  }

  void choose_move(const std::string& line) {
    const int seat = asked();
    const Meant meant = move_meant(line, *sitting_, *opened_.playable, *opened_.version->rules, opened_.loaded->sources, seat);
    if (!meant.index) {
      if (line.find_first_not_of("0123456789") == std::string::npos) fmt::print("{}\n", meant.why);
      else evaluate(line, meant.why);
      return;
    }
    take(seat, *meant.index);
    show();
  }

  void choose_chance(const std::string& line) {
    std::vector<Outcome> outcomes;
    sitting_->machine.outcomes(sitting_->state, outcomes);
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      if (std::to_string(i + 1) != line && outcomes[i].text != line) continue;
      sitting_->settle(static_cast<std::uint32_t>(i));
      settle();
      tell();
      show();
      return;
    }
    evaluate(line, fmt::format("chance has {} outcomes; name one by its number", outcomes.size()));
  }

  /// Prints the value of an expression; `otherwise` is what is wrong with the line as a move.
  void evaluate(const std::string& text, const std::string& otherwise) {
    Diagnostics diagnostics;
    Sources& sources = opened_.loaded->sources;
    const std::uint32_t file = sources.add("input", text);
    const ast::ExprRef expr = grammar::parse_expression(sources, file, diagnostics);
    std::optional<rules::ExprId> id;
    if (expr != nullptr && !diagnostics.has_errors()) {
      id = check::check_expression(*opened_.version->rules, *expr, opened_.playable->program->seats, diagnostics);
    }
    if (!id) {
      if (!otherwise.empty()) fmt::print("{}\n", otherwise);
      for (const Diagnostic& d : diagnostics.sorted()) {
        if (otherwise.empty()) fmt::print("{}", render(d, sources, colour_out()));
      }
      return;
    }
    verify::Playable& playable = *opened_.playable;
    const verify::Reading reading = verify::compile_reading(playable, *id);
    if (!playable.lowering->error().empty()) {
      fmt::print("this cannot be read here: {}\n", playable.lowering->error());
      renew();
      return;
    }
    playable.program = &playable.lowering->program();
    State copy = sitting_->state;
    fmt::print("{}\n", verify::value_of(reading, playable, sitting_->machine, copy));
  }

  /// After an expression that could not be lowered the configuration is made again; the game goes on where it was.
  void renew() {
    const verify::Tape tape = sitting_->tape;
    sitting_.reset();
    opened_.playable = verify::prepare(opened_.version->rules, opened_.playable->config);
    replay(tape);
  }

  bool command(const std::string& line) {
    std::istringstream words(line);
    std::string name, argument;
    words >> name;
    std::getline(words >> std::ws, argument);
    if (name == "quit" || name == "q" || name == "exit") return false;
    if (name == "help" || name == "h") fmt::print("{}", kHelp);
    else if (name == "moves" || name == "m") {
      if (sitting_->status == Status::decision) show_moves(kMostListed);
      else show();
    } else if (name == "undo" || name == "u") undo(argument);
    else if (name == "auto" || name == "a") play_on(argument);
    else if (name == "as") as(argument);
    else if (name == "state" || name == "s") fmt::print("{}", lines_of(sitting_->machine.view(sitting_->state, kAllSeeing).text()));
    else if (name == "view" || name == "v") view(argument);
    else if (name == "worlds") worlds(argument);
    else if (name == "chance") {
      by_hand_ = !by_hand_;
      fmt::print("chance is settled {}\n", by_hand_ ? "by hand" : "at random");
      settle();
      tell();
      show();
    } else if (name == "trace") trace(argument);
    else if (name == "reload") reload();
    else if (name == "new") {
      begin();
      settle();
      show();
    } else {
      static const std::vector<std::string_view> kNames = {"help", "moves", "undo", "auto", "as", "state", "view", "worlds", "chance", "trace", "reload", "new", "quit"};
      const std::string_view near = nearest(name, kNames);
      fmt::print("unknown command `.{}`; {}\n", name, near.empty() ? "`.help` lists them" : fmt::format("did you mean `.{}`?", near));
    }
    return true;
  }

  static std::string lines_of(std::string text) {
    if (!text.empty() && text.back() != '\n') text += '\n';
    return text;
  }

  void undo(const std::string& argument) {
    std::size_t n = argument.empty() ? 1 : static_cast<std::size_t>(std::max(1, std::atoi(argument.c_str())));
    verify::Tape tape = sitting_->tape;
    const bool any = std::any_of(tape.begin(), tape.end(), [](const verify::Step& s) { return !s.chance(); });
    if (!any && !by_hand_) {
      fmt::print("nothing has been decided yet\n");
      return;
    }
    for (; n > 0 && !tape.empty(); --n) {
      if (!by_hand_) {
        while (!tape.empty() && tape.back().chance()) tape.pop_back();
      }
      if (!tape.empty()) tape.pop_back();
    }
    replay(tape);
    settle();
    show();
  }

  void play_on(const std::string& argument) {
    const std::size_t n = argument == "end" ? 100000 : argument.empty() ? 1 : static_cast<std::size_t>(std::max(1, std::atoi(argument.c_str())));
    for (std::size_t i = 0; i < n && sitting_->status == Status::decision; ++i) {
      const int seat = asked();
      const std::size_t before = sitting_->tape.size();
      const verify::Sitting& now = *sitting_;
      if (!verify::step_at_random(*sitting_, rng_)) break;
      if (seat_ == kAllSeeing && now.tape.size() > before) fmt::print("{}: {}\n", now.playable.seat(seat), now.machine.text(now.tape[before].move));
      settle();
      tell();
    }
    show();
  }

  void as(const std::string& argument) {
    if (argument == "all" || argument.empty()) {
      seat_ = kAllSeeing;
    } else if (const std::optional<int> seat = seat_named(opened_.playable->program->seats, argument)) {
      seat_ = *seat;
    } else {
      fmt::print("there is no seat `{}`\n", argument);
      return;
    }
    before_ = sitting_->machine.view(sitting_->state, seat_);
    book_->clear();
    view("");
    show();
  }

  void worlds(const std::string& argument) {
    const std::optional<int> seat = argument.empty() && seat_ >= 0 ? std::optional(seat_) : seat_named(opened_.playable->program->seats, argument);
    if (!seat) {
      fmt::print("name a seat: .worlds {}\n", opened_.playable->seat(0));
      return;
    }
    State from;
    sitting_->machine.start(from);
    const verify::Worlds found = verify::count_worlds(*opened_.playable->program, from, sitting_->tape, *seat);
    if (!found.error.empty()) fmt::print("{}\n", found.error);
    else fmt::print("for all that {} has seen, {}{} of the others, chance as it fell\n", opened_.playable->seat(*seat), found.complete ? "" : "more than ", plural(found.count, "secret way"));
    one_world(from, *seat);
  }

  /// Draws a world that fits what the seat has seen, and shows what lies there that it does not see.
  void one_world(const State& from, int seat) {
    verify::WorldSampler sampler(*opened_.playable->program, from, sitting_->tape, seat);
    verify::SampledWorld world = sampler.sample(rng_);
    if (!world.error.empty()) return;
    if (sampler.ways() == 1) fmt::print("with what chance may have brought there is no other world\n");
    else if (sampler.exact()) fmt::print("with what chance may have brought, {}; one of them, drawn as likely as it is if the others decide at random:\n", plural(sampler.ways(), "way"));
    else fmt::print("with what chance may have brought there are more than are counted; one of them, drawn by a random walk:\n");
    const View seen = sitting_->machine.view(sitting_->state, seat);
    for (const std::string& line : verify::changes(seen, sitting_->machine.view(world.state, kAllSeeing))) fmt::print("    {}\n", line);
  }

  void view(const std::string& argument) {
    int seat = seat_;
    if (argument == "all") seat = kAllSeeing;
    else if (!argument.empty()) {
      const std::optional<int> named = seat_named(opened_.playable->program->seats, argument);
      if (!named) {
        fmt::print("there is no seat `{}`\n", argument);
        return;
      }
      seat = *named;
    }
    fmt::print("{}", lines_of(sitting_->machine.view(sitting_->state, seat).text()));
  }

  void trace(const std::string& path) {
    if (!path.empty()) {
      const std::string text = verify::trace_text(*opened_.playable, sitting_->tape, {options_.game.file, options_.game.seed, ""});
      const std::string fault = verify::write_file(path, text);
      fmt::print("{}\n", fault.empty() ? fmt::format("recorded {} steps in {}", sitting_->tape.size(), path) : fmt::format("{} cannot be written: {}", path, fault));
      return;
    }
    verify::TranscriptOptions telling;
    telling.seat = seat_;
    for (const std::string& line : verify::transcript(*opened_.playable, sitting_->tape, telling, &opened_.loaded->sources)) fmt::print("{}\n", line);
    fmt::print("path: {}\n", verify::index_path(sitting_->tape));
  }

  void reload() {
    const std::string text = verify::trace_text(*opened_.playable, sitting_->tape, {options_.game.file, options_.game.seed, ""});
    Opened again = open_game(options_.game);
    if (again.exit != kFine) {
      fmt::print("the game goes on with the script as it was\n");
      return;
    }
    const verify::ReadTrace read = verify::parse_trace(text);
    sitting_.reset();
    opened_ = std::move(again);
    begin();
    report_fit(verify::replay(*sitting_, read.trace), read.trace.steps.size());
    before_ = sitting_->machine.view(sitting_->state, seat_);
    book_->clear();
    settle();
    show();
  }

  Options options_;
  Rng rng_;
  Opened opened_;
  std::unique_ptr<verify::LogBook> book_;
  std::unique_ptr<verify::Sitting> sitting_;
  View before_;
  int seat_ = kAllSeeing;
  bool by_hand_ = false;
};

}  // namespace

void add_repl(CLI::App& app, int& exit) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("repl", "Step through a game: moves, undo, views, values, reload");
  command->add_option("FILE", options->game.file, "the script; with --trace the one it was recorded with")->type_name("");
  add_configuration(*command, options->game);
  command->add_option("--trace", options->trace, "open a recorded game or a counterexample")->type_name("FILE");
  command->footer(std::string("What you can type:\n") + kHelp + R"(
Example:
  ripdsl repl games/gravediggers.rip --players 3
  ripdsl repl --trace games/.ripdsl/failures/NAME.jsonl       # what `check` has found)");
  command->callback([options, &exit] { exit = Session(*options).run(); });
}

}  // namespace rip::cli
