// The one way to play: a Machine runs a Program on State buffers and stops at decisions, chance points and the end.
// Everything above (verifier, REPL, simulator, bots) uses nothing else. Flow: ir::Program -> Machine <- verify/, cli/.
#pragma once

#include "interp/ir/ir.h"
#include "interp/run/rng.h"

#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rip {

/// A whole game at one moment, control stack included: one flat buffer. Copying into a state of the same program
/// allocates nothing; equal bytes are equal states.
struct State {
  std::vector<std::uint8_t> bytes;
  friend bool operator==(const State&, const State&) = default;
};

enum class Status : std::uint8_t {
  running,     ///< between two stops; outside of the machine seen only where run_until() pauses
  decision,    ///< seats in `deciding()` have to decide
  chance,      ///< `outcomes()` lists what may happen
  checkpoint,  ///< setup is done, or a scenario's `start` stands before its phase: call run() to go on
  over,
  fault        ///< a rule went wrong: `fault()`
};

/// What chance is asked for: `settle`, which component of a bag comes next; `roll`; `random`; `which`, of the options that
/// look alike to the seat, the one it took; `order`, the next of a packet without an order.
enum class ChanceKind : std::uint8_t { none, settle, roll, random, which, order };

enum class FaultCode : std::uint8_t {
  none, none_used, out_of_range, stuck, tie, empty_first, place_full, over_max, phase_not_running, cyclic_triggers,
  not_fitting, no_turn, not_dealt, seat_twice, endless, too_many
};
struct Fault {
  FaultCode code = FaultCode::none;
  Span span;
  std::string message;  ///< with the values that were read
};

/// One option of a seat. `args` encodes each binder in order: a scalar is one number (a component is its id), a pick is
/// its count and then its members.
struct Move {
  std::int32_t option = -1;
  std::int32_t size = 0;
  std::array<std::int32_t, 30> args{};
  friend bool operator==(const Move& x, const Move& y) {
    return x.option == y.option && x.size == y.size && std::memcmp(x.args.data(), y.args.data(), sizeof(std::int32_t) * static_cast<std::size_t>(x.size)) == 0;
  }
};

/// One thing that chance may do. `weight` over the sum of all weights is its exact probability.
struct Outcome {
  std::uint32_t weight = 1;
  std::int32_t value = 0;  ///< a component id, the face of a die, a value, or (`which`) the number of a move: meant()
  std::string text;        ///< `draw yields <money 5>`, `<black> shows 3`, `4`
};

struct Result {
  bool over = false;
  std::vector<std::int64_t> scores;  ///< by seat; empty if the script has no score
  std::uint32_t winners = 0;         ///< mask of seats
};

/// What one seat noticed of one effect or decision. Lines that `reveal` (a show, a front that came to be seen) may differ
/// between worlds that the seat could not tell apart before; all others must not.
struct LogLine {
  std::string text;
  bool reveals = false;
  Span span;
  bool decision = false;  ///< what a seat has decided, as far as it is told
  std::uint64_t effect = 0;  ///< equal for lines of which only what is revealed may differ: from where to where, how many; 0: go by the text
};
/// Receives what happens while a machine runs; all methods may be empty. Logs are made only if `wants_logs`.
struct Observer {
  virtual ~Observer() = default;
  bool wants_logs = false;
  virtual void log(int /*seat, or players for a spectator*/, const LogLine&) {}
  virtual void covered(std::int32_t /*cover point*/) {}
  virtual void claim_violated(std::int32_t /*claim*/) {}
  virtual void claim_shown(std::int32_t /*claim: a `sometimes` that held*/) {}
  virtual void limit_passed(Span) {}             ///< an `at most` that was not kept
  virtual void pass_counted(std::int32_t /*offset of the counter*/) {}  ///< of a loop with `cut off after`
  virtual void choice_ended() {}  ///< the bodies of what was decided are done; not told if they end the game or a phase
  virtual void chance_settled(std::int32_t /*index*/, std::int32_t /*of*/, const Outcome&) {}
};

/// What one seat sees of the table; equal views are equal texts.
struct View {
  struct Line { std::string name; std::string text; };
  /// `hand[Ann]`: `<money 5> <guard>`, piles from the top; unseen cards as `?` (or `?gift`: the back), bags as `{..}`.
  std::vector<Line> zones;
  std::vector<Line> vars;   ///< open and known variables; unknown ones as `?`
  std::string text() const;
};
inline constexpr int kSpectator = -1;
inline constexpr int kAllSeeing = -2;

class Interpreter;

/// Holds no game: any number of states may be played with one machine, one after the other. `program` must outlive it.
class Machine {
 public:
  explicit Machine(const ir::Program& program);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  const ir::Program& program() const { return program_; }
  Observer* observer = nullptr;

  /// Sets `state` to the beginning (nothing has happened yet); call run().
  void start(State& state);
  /// As start(), but jumps to `entry` (a scenario's entry code, see lower).
  void start_at(State& state, ir::Pc entry);

  /// Runs until something comes from outside. With `rng`, chance settles itself (nothing is allocated).
  Status run(State& state, Rng* rng = nullptr);
  /// As run(), but asks before each instruction; with true it pauses there, the status being `running`.
  Status run_until(State& state, const std::function<bool(ir::Pc)>& pause);
  Status status(const State& state) const;

  /// Seats that have to decide now, as a mask; in a simultaneous choice all that have not decided yet.
  std::uint32_t deciding(const State& state) const;
  /// The seat to ask next: the first in the order of the choice.
  int to_move(const State& state) const;

  /// All options of `seat`, in the order of the language; equal ones once. Empty never: that is the fault `stuck`.
  void legal_moves(State& state, int seat, std::vector<Move>& moves);
  /// Also those that differ only in names that are `any`. All of them may be decided for.
  void all_moves(State& state, int seat, std::vector<Move>& moves);
  std::uint64_t count_moves(State& state, int seat);
  /// The move with this number in the order of legal_moves.
  bool nth_move(State& state, int seat, std::uint64_t index, Move& move);
  /// One option uniformly; allocates nothing. Of how many: 0 is a fault (stuck).
  std::uint64_t sample_move(State& state, int seat, Rng& rng, Move& move);
  /// The other way round, without listing; nothing if the move is not legal. Picks may name their members in any order.
  std::optional<std::uint64_t> number_of(State& state, int seat, const Move& move);
  bool is_legal(State& state, int seat, const Move& move);
  /// Takes the decision; call run() afterwards.
  void decide(State& state, int seat, const Move& move);

  void outcomes(State& state, std::vector<Outcome>& outcomes);
  void choose_outcome(State& state, std::uint32_t index);
  /// A decision whose line in the logs has not come yet, since its body goes on. The machine keeps it, not the state: who goes back to
  /// a state in which chance is asked takes it back, too.
  struct Untold {
    int seat = -1;
    Move move;
    std::vector<std::uint32_t> knew;
  };
  Untold untold() const;
  void take_back(const Untold& untold);
  /// At a `which`: the move that an outcome stands for.
  Move meant(State& state, const Outcome& outcome);
  /// As run(state, rng) would choose: the same random numbers give the same game.
  std::uint32_t sample_outcome(State& state, Rng& rng);

  Result result(State& state);
  Fault fault(const State& state) const;

  View view(State& state, int seat);
  /// `play(<money 5>, 3)`
  std::string text(const Move& move) const;
  /// As `seat` may know it: components it cannot see are named by their place.
  std::string text_for(State& state, const Move& move, int seat);

  /// Content of the game (zones, sides, knowledge, variables) as text and as a hash, independent of the code.
  std::string digest(const State& state) const;
  std::uint64_t hash(const State& state) const;

  // ---- reading and arranging, for claims, scenarios and the REPL ----
  std::int64_t scalar(State& state, ir::Node node);
  /// A fault while reading sets `fault_seen`.
  std::int64_t scalar(State& state, ir::Node node, bool& fault_seen);
  /// The value of a flag node; a fault while reading is false.
  bool holds(State& state, ir::Node node, bool* fault_seen = nullptr);
  /// For each binding of the clause; stops early if `visit` returns false.
  void for_each(State& state, std::int32_t clause, const std::function<bool()>& visit);
  /// The names of an option stand for the arguments of a move, legal or not, as in its body. `state`, in which `seat` is asked, is to be
  /// read afterwards and not played on.
  void bind(State& state, int seat, const Move& move);
  /// Members of a set or list node (components in the order of their places).
  std::vector<std::int64_t> members(State& state, ir::Node node);
  std::int64_t scratch(std::int32_t slot) const;
  void set_scratch(std::int32_t slot, std::int64_t value);

  std::vector<std::uint16_t> zone_cards(const State& state, std::int32_t zone) const;  ///< piles from the top
  std::int32_t zone_of(const State& state, std::int32_t component) const;
  int face(const State& state, std::int32_t component) const;
  std::uint32_t known(State& state, std::int32_t component);       ///< seats that know its front now
  std::uint32_t var_known(State& state, std::int32_t var, std::int32_t at);
  /// Takes a component from where it lies and puts it at `position` (from the top, or oldest first) of `zone`.
  /// Nobody learns anything but through the zone itself. Not an effect: no trigger, no log. False: there is no room.
  bool place(State& state, std::int32_t component, std::int32_t zone, std::int32_t position, int face);
  /// Only seats that see its front where it lies still know it.
  void forget(State& state, std::int32_t component);
  /// Two components exchange places, sides and what is known of their places: the world a seat cannot tell apart.
  void exchange(State& state, std::int32_t a, std::int32_t b);
  std::int64_t var_value(const State& state, std::int32_t var, std::int32_t at) const;
  void set_var(State& state, std::int32_t var, std::int32_t at, std::int64_t value);
  void set_var_set(State& state, std::int32_t var, std::int32_t at, const std::vector<std::int64_t>& members);
  /// Variables that keep their values at their next start (a scenario's `given`).
  std::vector<std::uint8_t> pinned;

 private:
  const ir::Program& program_;
  std::unique_ptr<Interpreter> in_;
};

}  // namespace rip
