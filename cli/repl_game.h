// The game that a session of the REPL holds: where it stands, what came before, and what was taken back and can come again.
// Flow: open_game -> here -> cli/repl_show (what is drawn), cli/repl_commands (what is typed).
#pragma once

#include "cli/command.h"
#include "cli/repl_stops.h"

#include "verify/claims.h"
#include "verify/tape.h"
#include "verify/trace.h"

#include <memory>
#include <string>
#include <vector>

namespace rip::cli::repl {

/// Hears what happens: lines of the logs, claims that break, what is covered.
class Ear : public verify::Watcher {
 public:
  explicit Ear(const ir::Program& program) : Watcher(program), lines(static_cast<std::size_t>(program.players) + 1) { wants_logs = true; }
  void log(int seat, const LogLine& line) override { lines[static_cast<std::size_t>(seat)].push_back(line.text); }
  std::vector<std::vector<std::string>> lines;  ///< by seat; those of a spectator are last
};

/// What happened while the game went on: each decision and outcome of chance in words, as who sees all reads them.
struct News {
  std::vector<std::string> steps;
  std::vector<verify::Violation> violations;
};

class Game {
 public:
  explicit Game(GameOptions wish);

  GameOptions options;
  Opened opened;
  Rng rng;
  bool by_hand = false;   ///< chance waits to be told what falls
  Stops stops;
  bool stepping = false;  ///< the rules halt before each statement

  // ---- opening ----
  /// Opens the script as `options` say and begins. Not kFine: nothing has changed, and the reason was printed.
  int open();
  /// Opens it again with other options, or as it is on disk now, and takes the steps made so far as far as they fit.
  /// `of` is how many there were. With an exit other than kFine the game goes on as it was.
  struct Again {
    int exit = kFine;
    verify::Fit fit;
    std::size_t of = 0;
  };
  Again open_again(GameOptions wish);
  /// A recorded game, at its last step; of what `wish` leaves open it says how it was played.
  Again open_trace(GameOptions wish, const verify::Trace& trace);
  /// From the beginning, with nothing behind and nothing ahead.
  void begin();
  /// After an expression that could not be lowered the configuration is made again; the game goes on where it was.
  void renew();

  // ---- going on ----
  void decide(int seat, std::uint32_t index);
  void settle(std::uint32_t index);
  /// A decision at random, or what chance does.
  void go_at_random();
  /// A decision of a bot (verify/bot) that knows what the seat that is asked has seen; chance falls at random.
  void go_by_bot();
  /// On from a pause to the next pause or stop.
  void go_on();
  /// Chance settles itself unless it is done by hand.
  void let_fall();
  News take_news();

  // ---- back and forth ----
  /// The numbers of steps after which the game stands as it did. Both give false if there is nowhere to go.
  bool undo(std::size_t decisions);
  bool redo(std::size_t decisions);
  /// To where `steps` steps had been taken; at most as many as there are.
  void jump(std::size_t steps);
  /// The steps taken so far and those that were taken back.
  const verify::Tape& trail() const { return trail_; }

  // ---- where it stands ----
  verify::Sitting& sitting() { return *sitting_; }
  verify::Playable& playable() { return *opened.playable; }
  const ir::Program& program() const { return *opened.playable->program; }
  Machine& machine() { return sitting_->machine; }
  State& state() { return sitting_->state; }
  Sources& sources() { return opened.loaded->sources; }
  const rules::Rules& rules() const { return *opened.playable->rules; }
  Ear& ear() { return *ear_; }
  /// The seat that is asked; -1: none.
  int asked();
  /// Between two statements, before the instruction at pc().
  bool paused() const { return sitting_->status == Status::running; }
  ir::Pc pc() const;
  /// How the table looked before the latest decision, with all that followed from it.
  View view_before(int seat);
  /// The number of steps before the latest decision.
  std::size_t before_last() const;

 private:
  Again open_with(GameOptions wish, const verify::Trace& trace);
  void sit();
  void note_step(std::size_t from);
  void took();
  void listen();

  std::unique_ptr<Ear> ear_;
  std::unique_ptr<verify::Sitting> sitting_;
  verify::Tape trail_;
  News news_;
  std::size_t tested_ = 0;  ///< how far the rules had gone on when claims were tested last
  std::size_t told_ = 0;    ///< violations that were news once
  ir::Pc last_pause_ = -1;  ///< of `stepping`
  bool leaving_ = false;    ///< the instruction before which the rules stand comes next, whatever halts there
};

}  // namespace rip::cli::repl
