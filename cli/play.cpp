// `ripdsl play`: one game as a readable transcript; people may take seats.
#include "cli/command.h"

#include "base/text.h"
#include "cli/line_input.h"
#include "cli/seats.h"

#include "verify/pattern.h"
#include "verify/trace.h"
#include "verify/transcript.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace rip::cli {

namespace {

struct Options {
  GameOptions game;
  std::string seats;
  std::string as;
  std::string trace;
  std::string save_trace;
  std::uint64_t number = 0;
  std::size_t limit = 100000;
};

/// People sit at some of the seats; each of their decisions is asked for on standard input.
class Round {
 public:
  Round(Opened& opened, std::vector<bool> human, Rng rng, std::size_t limit)
      : opened_(opened), human_(std::move(human)), rng_(rng), limit_(limit), book_(opened.playable->players()), sitting_(*opened.playable, &book_) {
    const auto people = std::count(human_.begin(), human_.end(), true);
    for (std::size_t seat = 0; seat < human_.size() && people == 1; ++seat) {
      if (human_[seat]) only_ = static_cast<int>(seat);
    }
  }

  verify::Tape play() {
    sitting_.begin();
    show_news();
    while (sitting_.waits() && sitting_.decisions() < limit_) {
      const int seat = sitting_.status == Status::decision ? sitting_.machine.to_move(sitting_.state) : -1;
      if (seat >= 0 && human_[static_cast<std::size_t>(seat)]) {
        if (!ask(seat)) break;
      } else if (!verify::step_at_random(sitting_, rng_)) {
        break;
      }
      show_news();
    }
    for (const std::string& line : verify::ending(sitting_, &opened_.loaded->sources)) fmt::print("{}\n", line);
    return std::move(sitting_.tape);
  }

 private:
  /// What the only person noticed; with several people what everybody may see.
  void show_news() {
    const auto seat = only_ >= 0 ? static_cast<std::size_t>(only_) : book_.lines.size() - 1;
    for (const LogLine& line : book_.lines[seat]) fmt::print("  {}\n", line.text);
    book_.clear();
  }

  bool ask(int seat) {
    fmt::print("\n{}\n", sitting_.machine.view(sitting_.state, seat).text());
    constexpr std::uint64_t kMost = 60;
    const std::uint64_t count = sitting_.machine.count_moves(sitting_.state, seat);
    if (count == 0) return false;
    const std::vector<Move> moves = verify::first_moves(sitting_.machine, sitting_.state, seat, kMost);
    for (std::size_t i = 0; i < moves.size(); ++i) fmt::print("{:>4}  {}\n", i + 1, sitting_.machine.text_for(sitting_.state, moves[i], seat));
    if (count > kMost) fmt::print("      ... {} in all; write the move\n", count);
    while (true) {
      std::fflush(stdout);
      const std::optional<std::string> line = input_.read(sitting_.playable.seat(seat) + "> ");
      if (!line || *line == ".quit" || *line == "quit") {
        fmt::print("the game is broken off\n");
        return false;
      }
      if (line->empty()) continue;
      const Meant meant = move_meant(*line, sitting_, *opened_.playable, *opened_.version->rules, opened_.loaded->sources, seat);
      if (meant.index) {
        sitting_.decide(seat, *meant.index);
        return true;
      }
      fmt::print("{}\n", meant.why);
    }
  }

  Opened& opened_;
  std::vector<bool> human_;
  Rng rng_;
  std::size_t limit_;
  verify::LogBook book_;
  verify::Sitting sitting_;
  LineInput input_;
  int only_ = -1;
};

int save(const Opened& opened, const verify::Tape& tape, const Options& options) {
  if (options.save_trace.empty()) return kFine;
  const std::string text = verify::trace_text(*opened.playable, tape, {options.game.file, options.game.seed, ""});
  const std::string fault = verify::write_file(options.save_trace, text);
  return fault.empty() ? kFine : usage(fmt::format("{} cannot be written: {}", options.save_trace, fault));
}

int play(Options options) {
  verify::Trace trace;
  if (!options.trace.empty()) {
    verify::ReadTrace read = verify::read_trace(options.trace);
    if (!read.error.empty()) return usage(fmt::format("{}: {}", options.trace, read.error));
    trace = std::move(read.trace);
    if (options.game.variant.empty()) options.game.variant = trace.variant;
    if (options.game.players == 0) options.game.players = trace.players;
    if (options.game.settings.empty()) options.game.settings = trace.settings;
  }
  Opened opened = open_game(options.game);
  if (opened.exit != kFine) return opened.exit;
  const verify::Playable& playable = *opened.playable;
  verify::TranscriptOptions telling;
  if (!options.as.empty()) {
    const std::optional<int> seat = seat_named(playable.program->seats, options.as);
    if (!seat) return usage(fmt::format("there is no seat `{}`; there are {} to {}, or numbers from 0", options.as, playable.seat(0), playable.seat(playable.players() - 1)));
    telling.seat = *seat;
  }
  verify::Tape tape;
  bool told = false;
  std::string misfit;
  if (!options.trace.empty()) {
    verify::Sitting sitting(playable);
    sitting.begin();
    misfit = verify::replay(sitting, trace).misfit;
    tape = std::move(sitting.tape);
  } else if (options.seats.find("human") != std::string::npos) {
    std::vector<bool> human(static_cast<std::size_t>(playable.players()), false);
    const std::vector<std::string> kinds = split_at_commas(options.seats);
    if (kinds.size() > human.size()) return usage(fmt::format("{} seats are named, but there are {} players", kinds.size(), human.size()));
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      if (kinds[i] != "human" && kinds[i] != "random") return usage(fmt::format("a seat is `human` or `random`, not `{}`", kinds[i]));
      human[i] = kinds[i] == "human";
    }
    tape = Round(opened, std::move(human), Rng::for_game(options.game.seed, options.number), options.limit).play();
    told = true;
  } else {
    for (const std::string& kind : options.seats.empty() ? std::vector<std::string>{} : split_at_commas(options.seats)) {
      if (kind != "random") return usage(fmt::format("a seat is `human` or `random`, not `{}`", kind));
    }
    tape = verify::record(playable, options.game.seed, options.number, options.limit);
  }
  if (!told) {
    for (const std::string& line : verify::transcript(playable, tape, telling, &opened.loaded->sources)) fmt::print("{}\n", line);
  }
  if (!misfit.empty()) fmt::print(stderr, "ripdsl: the trace fits no further: {}\n", misfit);
  const int saved = save(opened, tape, options);
  if (saved != kFine) return saved;
  verify::Sitting end(playable);
  end.begin();
  verify::replay(end, tape);
  end.find_stuck();
  return misfit.empty() && end.status != Status::fault ? kFine : kViolated;
}

}  // namespace

void add_play(Command app, int& exit) {
  auto options = std::make_shared<Options>();
  const Command command = app.add_subcommand("play", "Play one game and write down what happens");
  add_file(command, options->game);
  add_configuration(command, options->game);
  command.add_option("--seats", options->seats, "who sits where: human,random,... (default: all random)").type_name("LIST");
  command.add_option("--as", options->as, "only what this seat notices: P1, P2, ... or a number from 0").type_name("SEAT");
  command.add_option("--trace", options->trace, "replay a recorded game").type_name("FILE");
  command.add_option("--save-trace", options->save_trace, "record the game").type_name("FILE");
  command.add_option("--game", options->number, "the number of the game under the seed, as `check` and `sim` count").type_name("K").counting().default_val(0);
  command.add_option("--limit", options->limit, "break off after so many decisions").type_name("N").default_val(100000);
  command.footer(R"(Example:
  ripdsl play games/gravediggers.rip --players 3 --seed 7
  ripdsl play games/gravediggers.rip --as P2 --seed 7
  ripdsl play games/gravediggers.rip --seats human,random --save-trace mine.jsonl)");
  command.callback([options, &exit] { exit = play(*options); });
}

}  // namespace rip::cli
