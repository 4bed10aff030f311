// What a game compiled to native code and its host share. This file, interp/run/rng.h and prelude.h are the head of every
// emitted source, so they include nothing but the standard library. Flow: emit -> compiler -> Code <- Player.
#pragma once

#include <cstdint>
#include <cstring>

namespace rip::native {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

inline constexpr int kMaxArgs = 30;
inline constexpr int kFewOptions = 128;
inline constexpr int kMaxComponents = 1024;

/// Cards that leave a hand or a bag, until what is known there has been looked through: as in Interpreter.
struct Departures {
  struct One {
    i32 zone, begin, first, size, left, last;
  };
  i32 n = 0, members = 0;
  One one[kMaxComponents + 1];
  u16 departed[2 * kMaxComponents + 1];
  u8 has_left[kMaxComponents] = {};
};

/// One game that is played. What the emitted code does not know it asks its host for, who asks the interpreter.
struct Ctx {
  u8* s = nullptr;             ///< the state; a call of `step` may move it
  Rng rng{0};
  i32 fault = 0;               ///< a rule went wrong; which one, the interpreter finds out by playing the game again
  i32 one_by_one = 0;          ///< stop at every decision
  i32 open_below = 0;          ///< a card may lie face up in a zone that covers its cards
  i64 work_left = 0;           ///< rounds of loops until the game is under suspicion not to end
  u64 decisions_left = 0;
  // counted, over all games
  u64 options_of[kFewOptions] = {};  ///< decisions by the number of options
  u64 many = 0, many_options = 0, most_options = 0;  ///< decisions with more than that
  unsigned __int128 many_squared = 0;
  u64* moves = nullptr;        ///< by option
  u64* shown = nullptr;        ///< by claim
  Departures departures;
  // the interpreter's
  i64* scratch = nullptr;
  u64* sets = nullptr;
  void* host = nullptr;
  i64 (*eval)(Ctx*, i32 node) = nullptr;
  void (*eval_set)(Ctx*, i32 node, i32 low, i32 words, u64* out) = nullptr;
  i32 (*eval_list)(Ctx*, i32 node, i32* out) = nullptr;
  /// Carries out the instruction the header points to, chance included; the header says where to go on.
  void (*step)(Ctx*) = nullptr;
  void (*close_drawn)(Ctx*) = nullptr;
  /// Values of one name of an option, each once as the seat sees them.
  i32 (*values)(Ctx*, i32 option, i32 level, i32 seat, i32* out) = nullptr;
  u64 (*count_option)(Ctx*, i32 option, i32 seat) = nullptr;
  i32 (*nth_option)(Ctx*, i32 option, u64 index, i32 seat, i32* args) = nullptr;  ///< how many numbers, -1 = none
  void (*decide)(Ctx*, i32 seat, i32 option, i32 size, const i32* args) = nullptr;
};

}  // namespace rip::native
