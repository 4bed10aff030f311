// Games as native code: a program is emitted as C++, compiled by the compiler of this machine into a shared object, and played
// through the same state buffer as the interpreter uses, with the same random numbers. What the emitter does not know it leaves to
// the interpreter, instruction by instruction. Flow: ir::Program -> emit -> Code (compiler, cache, dlopen) -> Player.
#pragma once

#include "interp/run/engine.h"

#include <memory>
#include <string>
#include <vector>

namespace rip::native {

struct Ctx;

struct EmitOptions {
  /// Also who knows which front. Without, only where no rule and no chance depends on it (`needs_knowledge`): then all of the
  /// state but that is as the interpreter makes it.
  bool knowledge = true;
};
/// Two components are equal for the rules, so it matters who knows which of them lies where.
bool needs_knowledge(const ir::Program& program);
/// The state of a game as far as it goes without a decision, without chance and without anything to be told.
State opening(const ir::Program& program);
/// The whole source of one game.
std::string emit(const ir::Program& program, EmitOptions options = {});
/// How many instructions the interpreter carries out, in the order of the program: what to look at when a game is slow.
std::vector<std::string> left_to_interpreter(const ir::Program& program, EmitOptions options = {});

/// A game that is loaded. May be used by several threads, each with its own Player.
class Code {
 public:
  /// Compiles, or finds in the cache, or says why there is none.
  static std::shared_ptr<Code> load(const ir::Program& program, EmitOptions options, std::string& why_not);
  ~Code();
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;
  int run(Ctx& ctx) const { return run_(&ctx); }
  void results(Ctx& ctx, std::int64_t* out) const { results_(&ctx, out); }

 private:
  explicit Code(void* handle) : handle_(handle) {}
  void* handle_;
  int (*run_)(Ctx*) = nullptr;
  void (*results_)(Ctx*, std::int64_t*) = nullptr;
};

/// What was counted in all games that were played.
struct Counts {
  std::uint64_t decisions = 0, options = 0;
  unsigned __int128 squared_options = 0;
  std::uint64_t least_options = ~std::uint64_t{0}, most_options = 0;
  std::vector<std::uint64_t> moves, shown;  ///< by option, by claim
};

/// Plays games of one program, one after the other. `program` and `code` must outlive it.
class Player {
 public:
  Player(const ir::Program& program, const Code& code);
  ~Player();

  /// A whole random game; the same one that a Machine plays with this generator. Status::decision: it was longer than that.
  /// Status::fault: a rule goes wrong, or the game may never end: a Machine says which.
  Status play(State& state, Rng rng, std::uint64_t most_decisions = 100000);
  std::uint64_t decisions() const;  ///< of the last game
  /// Of the last game, if it is over: the score of each seat, then the values that the script reports.
  void results(State& state, std::vector<std::int64_t>& out);
  Counts counts() const;            ///< of all games
  const std::vector<std::uint64_t>& shown() const;  ///< how often each `sometimes` held, in all games
  /// From the stop where the state is to the next one; at a decision one seat decides at random.
  Status step(State& state, Rng& rng);
  /// The beginning of every game.
  void start(State& state) const;

 private:
  struct Host;
  std::unique_ptr<Host> host_;
};

}  // namespace rip::native
