// The runtime of emitted games: bags, moves of one component, knowledge, each specialised by what is known of a family of zones when
// the game is emitted. Every function does exactly what its namesake in interp/run does. Part of every emitted source.
#pragma once

namespace rip::native {

constexpr i64 kNone = -2147483647 - 1;
constexpr u8 kDrawn = 255, kAllDrawn = 254;
inline bool is_drawn(u8 mark) { return mark >= kAllDrawn - 1; }
inline bool is_bag(u8 mark) { return mark != 0 && mark < kAllDrawn - 1; }

#define RIP_RARE(x) __builtin_expect(!!(x), 0)

/// As ir::Header.
struct Header {
  i32 pc, me;
  u8 status, chance, won, fault;
  u32 deciding, winners;
  u64 running;
  i32 chance_a, chance_b, fault_at, drawn;
};
enum : u8 { kRunning, kDecision, kChance, kCheckpoint, kOver, kFault };

inline Header& head(u8* s) { return *reinterpret_cast<Header*>(s); }
template <class T>
inline T& at(u8* s, i64 offset) {
  return *reinterpret_cast<T*>(s + offset);
}
template <class T>
constexpr T lowest() {
  return static_cast<T>(T{1} << (8 * sizeof(T) - 1));
}
template <class T>
inline i64 load(const u8* s, i64 offset) {
  const T value = *reinterpret_cast<const T*>(s + offset);
  return value == lowest<T>() ? kNone : value;
}
template <class T>
inline void store(u8* s, i64 offset, i64 value) {
  *reinterpret_cast<T*>(s + offset) = value == kNone ? lowest<T>() : static_cast<T>(value);
}
__attribute__((cold, noinline)) inline i64 bad(Ctx& c) {
  c.fault = 1;
  return 0;
}
/// A loop of so many rounds; false: there have been too many.
inline bool afford(Ctx& c, i64 rounds) {
  if (rounds > 0) c.work_left -= rounds;
  return RIP_RARE(c.work_left < 0) ? bad(c) != 0 : true;
}
inline i64 some_value(Ctx& c, i64 value) { return RIP_RARE(value == kNone) ? bad(c) : value; }
inline i64 within(Ctx& c, i64 value, i64 low, i64 size) { return RIP_RARE(static_cast<u64>(value - low) >= static_cast<u64>(size)) ? bad(c) : value - low; }
inline i64 divide(Ctx& c, i64 a, i64 b) {
  if (RIP_RARE(b == 0)) return bad(c);
  const i64 q = a / b;
  return q - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}
inline i64 modulo(Ctx& c, i64 a, i64 b) {
  if (RIP_RARE(b == 0)) return bad(c);
  const i64 r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
/// `index` becomes the rest.
inline u64 split(u64& index, u64 n) {
  if (n == 1) return 0;
  if (((index | n) >> 32) != 0) {
    const u64 rest = index % n;
    index /= n;
    return rest;
  }
  const u32 rest = static_cast<u32>(index) % static_cast<u32>(n);
  index = static_cast<u32>(index) / static_cast<u32>(n);
  return rest;
}
inline void count_decision(Ctx& c, u64 options) {
  if (options < kFewOptions) {
    ++c.options_of[options];
    return;
  }
  ++c.many;
  c.many_options += options;
  c.many_squared += static_cast<unsigned __int128>(options) * options;
  if (options > c.most_options) c.most_options = options;
}
/// Which bit it is that has `n` others below it.
inline i64 nth_bit(u64 bits, u64 n) {
#ifdef __BMI2__
  return __builtin_ctzll(__builtin_ia32_pdep_di(u64{1} << n, bits));
#else
  for (; n > 0; --n) bits &= bits - 1;
  return __builtin_ctzll(bits);
#endif
}
inline i64 least(i64 a, i64 b) { return b < a ? b : a; }
inline i64 most(i64 a, i64 b) { return a < b ? b : a; }

// Between two stops; the interpreter has its own bounds, and decides whether a game is endless.
constexpr i64 kMostJumps = 20000, kMostWork = 500000;

struct ZoneFacts {
  i32 ids, bags;
  i16 capacity;
  i8 kind, face, owner;
  bool deck, eyes, seen_by, covered;
};

// ---- without jumps: a value, and whether reading it was a fault; what is not looked at does no harm ----

struct Maybe {
  i64 v = 0;
  u64 bad = 0;
};
inline Maybe sure(i64 v) { return {v, 0}; }
inline Maybe if_some(i64 v) { return {v == kNone ? 0 : v, static_cast<u64>(v == kNone)}; }
inline Maybe some_of(Maybe a) { return {a.v == kNone ? 0 : a.v, a.bad | static_cast<u64>(a.v == kNone)}; }
inline Maybe both(Maybe a, Maybe b) { return {(a.v != 0) & (b.v != 0), a.bad | (static_cast<u64>(a.v != 0) & b.bad)}; }
inline Maybe either(Maybe a, Maybe b) { return {(a.v != 0) | (b.v != 0), a.bad | (static_cast<u64>(a.v == 0) & b.bad)}; }
inline Maybe negated(Maybe a) { return {a.v == 0, a.bad}; }
inline Maybe chosen(Maybe test, Maybe a, Maybe b) { return {test.v != 0 ? a.v : b.v, test.bad | (test.v != 0 ? a.bad : b.bad)}; }
inline Maybe made(i64 v, Maybe a, Maybe b) { return {v, a.bad | b.bad}; }

// ---- sets and lists ----

template <int W>
struct Set {
  u64 w[W] = {};
  void add(i64 low, i64 value) {
    const i64 bit = value - low;
    if (value == kNone || static_cast<u64>(bit) >= 64u * W) return;
    if constexpr (W == 1) w[0] |= u64{1} << bit;
    else w[bit >> 6] |= u64{1} << (bit & 63);
  }
  bool has(i64 low, i64 value) const {
    const i64 bit = value - low;
    if (value == kNone || static_cast<u64>(bit) >= 64u * W) return false;
    if constexpr (W == 1) return (w[0] >> bit & 1) != 0;
    else return (w[bit >> 6] >> (bit & 63) & 1) != 0;
  }
  Set operator|(const Set& o) const {
    Set r;
    for (int i = 0; i < W; ++i) r.w[i] = w[i] | o.w[i];
    return r;
  }
  Set operator-(const Set& o) const {
    Set r;
    for (int i = 0; i < W; ++i) r.w[i] = w[i] & ~o.w[i];
    return r;
  }
  bool operator==(const Set& o) const {
    u64 differs = 0;
    for (int i = 0; i < W; ++i) differs |= w[i] ^ o.w[i];
    return differs == 0;
  }
  bool empty() const {
    u64 any = 0;
    for (int i = 0; i < W; ++i) any |= w[i];
    return any == 0;
  }
  i64 size() const {
    i64 n = 0;
    for (int i = 0; i < W; ++i) n += __builtin_popcountll(w[i]);
    return n;
  }
};
struct List {
  static constexpr i32 kMax = 1024;
  i32 n = 0;
  bool cut = false;
  i32 v[kMax];
  List() {}
  void push(i64 value) {
    if (n < kMax) v[n++] = static_cast<i32>(value);
    else cut = true;
  }
};

inline i64 item(Ctx& c, const List& l, i64 n) { return RIP_RARE(n < 1 || n > l.n) ? bad(c) : l.v[n - 1]; }
inline bool holds(const List& l, i64 value) {
  for (i32 i = 0; i < l.n; ++i) {
    if (l.v[i] == value) return true;
  }
  return false;
}
template <int W>
inline void push_all(const Set<W>& set, i64 low, List& out) {
  for (int w = 0; w < W; ++w) {
    for (u64 rest = set.w[w]; rest != 0; rest &= rest - 1) out.push(low + 64 * w + __builtin_ctzll(rest));
  }
}
/// Words that begin at `from` as a set that begins at `low`.
template <int W, int N>
inline Set<W> words_as(const u64* words, i64 from, i64 low) {
  Set<W> o;
  if (from == low && N <= W) {
    for (int w = 0; w < (N < W ? N : W); ++w) o.w[w] = words[w];
    return o;
  }
  for (int w = 0; w < N; ++w) {
    for (u64 rest = words[w]; rest != 0; rest &= rest - 1) o.add(low, from + 64 * w + __builtin_ctzll(rest));
  }
  return o;
}
template <int W>
inline Set<W> range_as(i64 low, i64 a, i64 b) {
  Set<W> o;
  const i64 high = least(b, low + 64 * W - 1);
  for (i64 v = most(a, low); v <= high; ++v) o.add(low, v);
  return o;
}

}  // namespace rip::native
