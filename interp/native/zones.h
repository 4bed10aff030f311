// What lies in zones and what moves between them. Stands behind prelude.h and `G`, the facts of the game: offsets of the state,
// what its components are. A family of zones is a type `F` with what is known of it; `Any` reads it from a table.
#pragma once

namespace rip::native {

enum : int { kPile, kRow, kPlace, kHand };
enum : u8 { kCard, kToken, kDie };

inline u16& count_of(u8* s, i64 z) { return at<u16>(s, G::counts + 2 * z); }
inline u16& zone_of(u8* s, i64 c) { return at<u16>(s, G::zone_of + 2 * c); }
inline i8& face_of(u8* s, i64 c) { return at<i8>(s, G::faces + c); }
inline u32& known_of(u8* s, i64 c) { return at<u32>(s, G::known + 4 * c); }
inline bool alike(u8* s, i64 a, i64 b) {
  if (a == b) return true;
  if constexpr (G::distinct) return false;
  return G::front[a] == G::front[b] && known_of(s, a) == known_of(s, b) && face_of(s, a) == face_of(s, b);
}
template <class F>
inline u16* ids_of(u8* s, i64 z) {
  return reinterpret_cast<u16*>(s + F::ids(z));
}
template <class F>
inline u8* bags_of(u8* s, i64 z) {
  return s + F::bags(z);
}
/// How many marks before `index` are this one, without a gap. Behind all marks the state goes on.
inline i64 same_before(const u8* marks, i64 index, u8 mark) {
  const u64 pattern = 0x0101010101010101u * mark;
  i64 i = index;
  u64 word;
#ifdef __AVX2__
  using Block = u8 __attribute__((vector_size(32)));
  while (i >= 32) {
    Block block;
    std::memcpy(&block, marks + i - 32, 32);
    const u32 equal = static_cast<u32>(__builtin_ia32_pmovmskb256(reinterpret_cast<char __attribute__((vector_size(32)))>(block == mark)));
    if (equal != ~u32{0}) return index - i + __builtin_clz(~equal);
    i -= 32;
  }
#endif
  while (i >= 8) {
    std::memcpy(&word, marks + i - 8, 8);
    word ^= pattern;
    if (word != 0) return index - i + __builtin_clzll(word) / 8;
    i -= 8;
  }
  if (i == 0) return index;
  std::memcpy(&word, marks, 8);
  word = (word ^ pattern) << (64 - 8 * i);
  return word == 0 ? index : index - i + __builtin_clzll(word) / 8;
}
inline i64 lower_bound(const u16* cards, i64 n, i64 c) {
  i64 i = 0;
  if (n <= 16) {
    for (i64 k = 0; k < n; ++k) i += cards[k] < c;
    return i;
  }
  while (n > 0) {
    const i64 half = n / 2;
    const bool below = cards[i + half] < c;
    i = below ? i + half + 1 : i;
    n = below ? n - half - 1 : half;
  }
  return i;
}
template <class F>
inline i64 find(u8* s, i64 z, i64 c) {
  const u16* cards = ids_of<F>(s, z);
  if (F::kind(z) == kHand) return lower_bound(cards, count_of(s, z), c);
  i64 i = count_of(s, z) - 1;
  while (cards[i] != c) --i;
  return i;
}
inline void sort(u16* cards, i64 n) {
  i64 sorted = 1;
  while (sorted < n && cards[sorted - 1] < cards[sorted]) ++sorted;
  if (sorted >= n) return;
  if (n > 12) {
    // no component lies there twice
    u64 words[G::words] = {};
    for (i64 i = 0; i < n; ++i) words[cards[i] >> 6] |= u64{1} << (cards[i] & 63);
    for (int w = 0; w < G::words; ++w) {
      for (u64 rest = words[w]; rest != 0; rest &= rest - 1) *cards++ = static_cast<u16>(64 * w + __builtin_ctzll(rest));
    }
    return;
  }
  for (i64 i = sorted; i < n; ++i) {
    const u16 held = cards[i];
    i64 k = i;
    for (; k > 0 && cards[k - 1] > held; --k) cards[k] = cards[k - 1];
    cards[k] = held;
  }
}

// Behind what lies in a zone there are zeros, so that a short rest may move as one block.
template <class T>
inline void move_block(T* to, const T* from) {
  struct {
    T values[16];
  } block;
  std::memcpy(&block, from, sizeof block);
  std::memcpy(to, &block, sizeof block);
}
/// Makes room at `index` of `n`, where `capacity` fit.
template <class T>
inline void shift_up(T* list, i64 index, i64 n, i64 capacity) {
  if (capacity <= 8) {
    for (i64 k = n; k > index; --k) list[k] = list[k - 1];
  } else if (n - index <= 16 && index + 17 <= capacity) move_block(list + index + 1, list + index);
  else std::memmove(list + index + 1, list + index, sizeof(T) * static_cast<std::size_t>(n - index));
}
/// Closes the gap at `index`.
template <class T>
inline void shift_down(T* list, i64 index, i64 n, i64 capacity) {
  if (capacity <= 8) {
    for (i64 k = index; k + 1 < n; ++k) list[k] = list[k + 1];
  } else if (n - index <= 17 && index + 17 <= capacity) {
    move_block(list + index, list + index + 1);
  } else {
    for (; n - index > 17 && index + 17 <= capacity; index += 16) move_block(list + index, list + index + 1);
    if (index + 17 <= capacity) move_block(list + index, list + index + 1);
    else for (; index + 1 < n; ++index) list[index] = list[index + 1];
  }
  list[n - 1] = 0;
}

template <class F>
__attribute__((noinline)) void normalise_bags(u8* s, i64 z) {
  u8* marks = bags_of<F>(s, z);
  const i64 n = count_of(s, z);
  u8 next = 1;
  for (i64 i = 0; i < n;) {
    if (!is_bag(marks[i])) {
      if (marks[i] == 0) next = 1;
      ++i;
      continue;
    }
    i64 end = i + 1;
    while (end < n && marks[end] == marks[i]) ++end;
    const bool drawn_beside = (i > 0 && marks[i - 1] == kDrawn) || (end < n && marks[end] == kDrawn);
    const u8 mark = end - i == 1 && !drawn_beside ? 0 : next;
    sort(ids_of<F>(s, z) + i, end - i);
    std::memset(marks + i, mark, static_cast<std::size_t>(end - i));
    next = mark != 0 ? static_cast<u8>(3 - mark) : 1;
    i = end;
  }
}

template <class F, bool Top = false>
inline void remove(u8* s, i64 z, i64 c) {
  const i64 n = count_of(s, z);
  u16* cards = ids_of<F>(s, z);
  const i64 i = Top || cards[n - 1] == c ? n - 1 : find<F>(s, z, c);
  const bool last = F::one_at_most || i == n - 1;
  if (last) cards[n - 1] = 0;
  else shift_down(cards, i, n, F::capacity(z));
  count_of(s, z) = static_cast<u16>(n - 1);
  if (!F::has_bags(z)) return;
  u8* marks = bags_of<F>(s, z);
  if (marks[i] == 0 && last) return;
  const bool between = i > 0 && i < n - 1 && marks[i - 1] != 0 && marks[i - 1] == marks[i + 1] && marks[i] != marks[i - 1];
  const bool drawn = is_drawn(marks[i]);
  const bool lonely = marks[i] != 0 && !drawn;
  if (last) marks[n - 1] = 0;
  else shift_down(marks, i, n, F::capacity(z));
  if (between) {
    for (i64 k = i; k < n - 1 && marks[k] != 0; ++k) {
      if (!is_drawn(marks[k])) marks[k] = static_cast<u8>(3 - marks[k]);
    }
  }
  const auto alone = [&](i64 k) {
    return k >= 0 && k < n - 1 && is_bag(marks[k]) && (k == 0 || marks[k - 1] != marks[k]) && (k == n - 2 || marks[k + 1] != marks[k]);
  };
  if (between || lonely || (drawn && (alone(i - 1) || alone(i)))) normalise_bags<F>(s, z);
}

template <class F>
inline void insert(Ctx& c, u8* s, i64 z, i64 card, i64 index, u8 mark) {
  const i64 n = count_of(s, z);
  if (RIP_RARE(n >= F::capacity(z))) {
    bad(c);
    return;
  }
  u16* cards = ids_of<F>(s, z);
  if constexpr (F::one_at_most) {
    cards[0] = static_cast<u16>(card);
  } else {
    shift_up(cards, index, n, F::capacity(z));
    cards[index] = static_cast<u16>(card);
  }
  if (F::has_bags(z)) {
    u8* marks = bags_of<F>(s, z);
    shift_up(marks, index, n, F::capacity(z));
    marks[index] = mark;
  }
  zone_of(s, card) = static_cast<u16>(z);
  count_of(s, z) = static_cast<u16>(n + 1);
}

// ---- knowledge: nothing of it if no rule can tell the difference ----

u32 eyes_of(Ctx& c, u8* s, i64 z);

template <class F>
inline u32 sees_front(Ctx& c, u8* s, i64 z, i64 card) {
  bool deep = false;
  if (F::kind(z) == kPile) {
    const i64 top = count_of(s, z) - 1;
    deep = ids_of<F>(s, z)[top] != card || (F::has_bags(z) && is_bag(bags_of<F>(s, z)[top]));
  }
  if (G::kinds[card] == kToken && !deep) return G::all_seats;
  if (F::has_eyes(z)) return F::eyes(c, s, z);
  return !deep && (G::kinds[card] == kDie || face_of(s, card) == 0) ? G::all_seats : 0;
}
template <class F>
inline void learn(Ctx& c, u8* s, i64 z, i64 card) {
  if constexpr (G::knowledge) known_of(s, card) |= sees_front<F>(c, s, z, card);
}
template <class F>
inline void top_changed(Ctx& c, u8* s, i64 z) {
  if constexpr (G::knowledge) {
    const i64 n = count_of(s, z);
    if (F::kind(z) != kPile || n == 0) return;
    if (F::has_bags(z) && bags_of<F>(s, z)[n - 1] != 0) return;
    learn<F>(c, s, z, ids_of<F>(s, z)[n - 1]);
  }
}

/// A zone of which nothing is known.
struct Any {
  static constexpr bool one_at_most = false, one_back = false;
  static i64 ids(i64 z) { return G::zones[z].ids; }
  static i64 bags(i64 z) { return G::zones[z].bags; }
  static bool has_bags(i64 z) { return G::zones[z].bags >= 0; }
  static i64 capacity(i64 z) { return G::zones[z].capacity; }
  static int kind(i64 z) { return G::zones[z].kind; }
  static int face(i64 z) { return G::zones[z].face; }
  static int owner(i64 z) { return G::zones[z].owner; }
  static bool deck(i64 z) { return G::zones[z].deck; }
  static bool has_eyes(i64 z) { return G::zones[z].eyes; }
  static bool seen_by(i64 z) { return G::zones[z].seen_by; }
  static bool covers(i64) { return true; }
  static u32 eyes(Ctx& c, u8* s, i64 z) { return eyes_of(c, s, z); }
};

template <class F>
inline void bag_around(u8* s, i64 z, i64 index, i64& begin, i64& end) {
  const u8* marks = bags_of<F>(s, z);
  const i64 n = count_of(s, z);
  begin = index;
  end = index + 1;
  const auto spread = [&](u8 mark) {
    begin -= same_before(marks, begin, mark);
    while (end < n && marks[end] == mark) ++end;
  };
  u8 mark = marks[index];
  spread(mark);
  if (mark == kDrawn) {
    if (begin > 0 && is_bag(marks[begin - 1])) mark = marks[--begin];
    else if (end < n && is_bag(marks[end])) mark = marks[end++];
    spread(mark);
  }
  if (is_bag(mark)) spread(kDrawn);
}

template <class F>
inline void departs(Ctx& c, u8* s, i64 z, i64 card) {
  if constexpr (G::knowledge) {
    if (F::kind(z) != kHand && !F::has_bags(z)) return;
    i64 begin = 0;
    i64 end = count_of(s, z);
    if (F::kind(z) != kHand) {
      const i64 i = find<F>(s, z, card);
      if (bags_of<F>(s, z)[i] == 0) return;
      bag_around<F>(s, z, i, begin, end);
    }
    Departures& d = c.departures;
    for (i32 k = 0; k < d.n; ++k) {
      if (d.one[k].zone != z || d.one[k].begin != begin) continue;
      if (d.one[k].size > 0) d.has_left[card] = 1;
      ++d.one[k].left;
      return;
    }
    const u16* cards = ids_of<F>(s, z);
    u32 knows = 0;
    for (i64 i = begin; i < end; ++i) knows |= known_of(s, cards[i]);
    if (!F::seen_by(z) && F::owner(z) >= 0) knows &= ~(1u << F::owner(z));
    const i32 first = d.members;
    if (knows != 0) {
      for (i64 i = begin; i < end; ++i) d.departed[d.members++] = cards[i];
      d.has_left[card] = 1;
    }
    d.one[d.n++] = {static_cast<i32>(z), static_cast<i32>(begin), first, knows != 0 ? static_cast<i32>(end - begin) : 0, 1, static_cast<i32>(card)};
  }
}

/// As Interpreter::forget_departed.
__attribute__((noinline)) inline void look_through_departed(Ctx& c, u8* s) {
  Departures& d = c.departures;
  for (i32 k = 0; k < d.n; ++k) {
    const Departures::One& one = d.one[k];
    if (one.size == 0) continue;
    const u16* members = d.departed + one.first;
    const i32 n = one.size;
    const u32 blind = G::all_seats & ~(Any::has_eyes(one.zone) ? eyes_of(c, s, one.zone) : 0);
    const bool hidden = (Any::kind(one.zone) == kHand || n - one.left > 1) && G::kinds[members[0]] != kToken;
    const auto sees_it = [&](i64 card) { return sees_front<Any>(c, s, zone_of(s, card), card); };
    if (one.left == 1 && hidden) {
      const u32 lost = blind & ~sees_it(one.last);
      if (lost == 0) continue;
      const i64 front = G::front[one.last], back = G::back[one.last];
      bool equal = true;
      for (i32 i = 0; i < n; ++i) equal = equal && (G::front[members[i]] == front || G::back[members[i]] != back);
      for (i32 i = 0; i < n && !equal; ++i) {
        if (G::back[members[i]] == back) known_of(s, members[i]) &= ~lost;
      }
      continue;
    }
    u32 sees[kMaxComponents];
    for (i32 i = 0; i < n; ++i) sees[i] = hidden && d.has_left[members[i]] == 0 ? 0 : sees_it(members[i]);
    for (i32 gone = 0; gone < n; ++gone) {
      if (d.has_left[members[gone]] == 0 || (blind & ~sees[gone]) == 0) continue;
      const auto back = G::back[members[gone]];
      u32 unsure = 0;
      for (i32 i = 0; i < n; ++i) {
        if (G::front[members[i]] != G::front[members[gone]] && G::back[members[i]] == back) unsure |= ~sees[i];
      }
      const u32 lost = blind & unsure & ~sees[gone];
      for (i32 i = 0; i < n && lost != 0; ++i) {
        if (G::back[members[i]] == back) known_of(s, members[i]) &= ~(lost & ~sees[i]);
      }
    }
  }
  for (i32 i = 0; i < d.members; ++i) d.has_left[d.departed[i]] = 0;
  d.members = 0;
}
inline void forget_departed(Ctx& c, u8* s) {
  if constexpr (G::knowledge) {
    if (c.departures.members > 0) look_through_departed(c, s);
    c.departures.n = 0;
  }
}

inline void turn_on_arrival(u8* s, i64 card, int target_face, bool covers, bool was_here, i64 side) {
  if (G::only_cards || G::kinds[card] == kCard) {
    if (side != kNone) face_of(s, card) = static_cast<i8>(side);
    else if (was_here) return;
    else if (target_face >= 0) face_of(s, card) = static_cast<i8>(target_face);
    else if (covers) face_of(s, card) = 1;
  }
}

/// `Top`: it is the last one of the zone.
template <class From, class To, bool Top = false>
inline void move_one(Ctx& c, u8* s, i64 card, i64 from, i64 to, bool under, i64 side) {
  if (from == to && (To::kind(to) == kHand || To::kind(to) == kPlace)) return;
  // nobody loses track of what comes to lie open
  const bool open = (To::kind(to) == kRow || To::kind(to) == kPlace) && !To::has_eyes(to) && (G::only_cards || G::kinds[card] == kCard) &&
                    (side != kNone ? side == 0 : from != to && (To::face(to) == 0 || (To::face(to) < 0 && !To::deck(to) && face_of(s, card) == 0)));
  if ((From::kind(from) == kHand || From::has_bags(from)) && !open) departs<From>(c, s, from, card);
  remove<From, Top>(s, from, card);
  turn_on_arrival(s, card, To::face(to), To::kind(to) == kHand || To::deck(to), from == to, side);
  const i64 n = count_of(s, to);
  i64 index = under ? 0 : n;
  if (To::kind(to) == kHand) index = lower_bound(ids_of<To>(s, to), n, card);
  insert<To>(c, s, to, card, index, 0);
  if (RIP_RARE(c.fault)) return;
  learn<To>(c, s, to, card);
  top_changed<From>(c, s, from);
  if (index < n) top_changed<To>(c, s, to);
  forget_departed(c, s);
}

// ---- bags ----

template <class F>
inline void draw(u8* s, i64 z, i64 index, i64 from) {
  u8* marks = bags_of<F>(s, z);
  u16* cards = ids_of<F>(s, z);
  const u8 mark = marks[index];
  const u16 card = cards[from];
  if (from < index) std::memmove(cards + from, cards + from + 1, 2 * static_cast<std::size_t>(index - from));
  else std::memmove(cards + index + 1, cards + index, 2 * static_cast<std::size_t>(from - index));
  cards[index] = card;
  marks[index] = kDrawn;
  const i64 n = count_of(s, z);
  i64 begin = index - same_before(marks, index, kDrawn);
  i64 end = index + 1;
  while (end < n && marks[end] == kDrawn) ++end;
  if ((begin > 0 && marks[begin - 1] == mark) || (end < n && marks[end] == mark)) return;
  const bool taken = (begin > 0 && marks[begin - 1] == kAllDrawn) || (end < n && marks[end] == kAllDrawn);
  std::memset(marks + begin, taken ? kAllDrawn - 1 : kAllDrawn, static_cast<std::size_t>(end - begin));
}

/// Which member of the bag [begin, end) comes: its position. The first of those that are alike stands for all.
inline i64 sample_bag(Ctx& c, u8* s, const u16* cards, i64 begin, i64 end) {
  const i64 i = begin + static_cast<i64>(c.rng.below(static_cast<u64>(end - begin)));
  if constexpr (G::distinct) {
    return i;
  } else {
    const i64 card = cards[i];
    i64 k = i;
    if constexpr (G::in_order) {
      while (k > begin && G::front[cards[k - 1]] == G::front[card]) --k;
    } else {
      k = begin + lower_bound(cards + begin, end - begin, G::front[card]);
    }
    while (!alike(s, cards[k], card)) ++k;
    return k;
  }
}
inline bool all_alike(u8* s, const u16* cards, i64 begin, i64 end) {
  for (i64 i = end - 1; i > begin; --i) {
    if (!alike(s, cards[begin], cards[i])) return false;
  }
  return true;
}

template <class F>
inline void settle_index(Ctx& c, u8* s, i64 z, i64 index) {
  const u8* marks = bags_of<F>(s, z);
  const u8 mark = marks[index];
  if (!is_bag(mark)) return;
  const i64 begin = index - same_before(marks, index, mark);
  i64 end = index + 1;
  const i64 n = count_of(s, z);
  while (end < n && marks[end] == mark) ++end;
  const u16* cards = ids_of<F>(s, z);
  draw<F>(s, z, index, all_alike(s, cards, begin, end) ? begin : sample_bag(c, s, cards, begin, end));
  i32& drawn = head(s).drawn;
  drawn = drawn == 0 || drawn == z + 1 ? static_cast<i32>(z + 1) : -1;
}

template <class F>
__attribute__((noinline)) void settle_some(Ctx& c, u8* s, i64 z, i64 n, bool from_bottom) {
  const i64 size = count_of(s, z);
  if (from_bottom) {
    for (i64 k = 0; k < n && k < size; ++k) settle_index<F>(c, s, z, k);
    return;
  }
  u8* const marks = bags_of<F>(s, z);
  u16* const cards = ids_of<F>(s, z);
  i64 begin = size;  // of the bag that is drawn from
  for (i64 index = size - 1; index >= 0 && index >= size - n; --index) {
    const u8 mark = marks[index];
    if (!is_bag(mark)) continue;
    if (begin > index) begin = index - same_before(marks, index, mark);
    if (index == begin || (index + 1 < size && marks[index + 1] == mark)) {
      settle_index<F>(c, s, z, index);
      continue;
    }
    const i64 from = all_alike(s, cards, begin, index + 1) ? begin : sample_bag(c, s, cards, begin, index + 1);
    const u16 card = cards[from];
    std::memmove(cards + from, cards + from + 1, 2 * static_cast<std::size_t>(index - from));
    cards[index] = card;
    marks[index] = kDrawn;
    i32& drawn = head(s).drawn;
    drawn = drawn == 0 || drawn == z + 1 ? static_cast<i32>(z + 1) : -1;
  }
}

template <class F>
__attribute__((always_inline)) inline void settle_top(Ctx& c, u8* s, i64 z, i64 n, bool from_bottom) {
  if (!F::has_bags(z)) return;
  if (__builtin_constant_p(n) && n == 1 && !from_bottom) {
    const i64 size = count_of(s, z);
    if (size == 0 || !is_bag(bags_of<F>(s, z)[size - 1])) return;
  }
  settle_some<F>(c, s, z, n, from_bottom);
}

/// Nothing is left of what was drawn, or the host puts it in order.
__attribute__((noinline)) inline void close_bags(Ctx& c, u8* s) {
  const i32 drawn = head(s).drawn;
  if (drawn > 0 && G::zones[drawn - 1].bags >= 0) {
    const u8* marks = s + G::zones[drawn - 1].bags;
    const i64 n = count_of(s, drawn - 1);
    // drawn cards lie beside each other at an end of their bag, mostly at the top
    i64 i = n;
    while (i > 0 && !is_drawn(marks[i - 1])) i -= 1 + same_before(marks, i - 1, marks[i - 1]);
    if (i <= 0) {
      head(s).drawn = 0;
      return;
    }
  }
  c.close_drawn(&c);
}
inline void close_drawn(Ctx& c, u8* s) {
  if (head(s).drawn != 0) close_bags(c, s);
}

/// `settle` of the top and the move of it that follows, at one stroke. False: the two have to be done one after the other.
template <class From, class To>
__attribute__((always_inline)) inline bool draw_to(Ctx& c, u8* s, i64 from, i64 to, i64 side) {
  const i64 n = count_of(s, from);
  u8* marks = bags_of<From>(s, from);
  if (RIP_RARE(G::knowledge || n < 3 || head(s).drawn != 0 || !is_bag(marks[n - 1]) || from == to)) return false;
  const i64 size = 1 + same_before(marks, n - 1, marks[n - 1]);
  if (RIP_RARE(size < 3)) return false;
  u16* cards = ids_of<From>(s, from);
  const i64 begin = n - size;
  const i64 i = begin + static_cast<i64>(c.rng.below(static_cast<u64>(size)));
  const i64 card = cards[i];
  shift_down(cards, i, n, From::capacity(from));
  marks[n - 1] = 0;
  count_of(s, from) = static_cast<u16>(n - 1);
  turn_on_arrival(s, card, To::face(to), To::kind(to) == kHand || To::deck(to), false, side);
  const i64 there = count_of(s, to);
  insert<To>(c, s, to, card, To::kind(to) == kHand ? lower_bound(ids_of<To>(s, to), there, card) : there, 0);
  return true;
}

inline void mix(u8* s, const u16* cards, i64 n) {
  if constexpr (G::knowledge) {
    if (n < 2) return;
    u32 all = G::all_seats;
    for (i64 i = 0; i < n; ++i) all &= known_of(s, cards[i]);
    for (i64 i = 0; i < n; ++i) known_of(s, cards[i]) = all;
  }
}
template <class F>
inline void shuffle(u8* s, i64 z) {
  if (!F::has_bags(z)) return;
  const i64 n = count_of(s, z);
  u16* cards = ids_of<F>(s, z);
  sort(cards, n);
  std::memset(bags_of<F>(s, z), n > 1 ? 1 : 0, static_cast<std::size_t>(n));
  mix(s, cards, n);
}

/// The top shows: it is fixed if not all in its bag look alike.
template <class F>
__attribute__((noinline)) void expose_bag(Ctx& c, u8* s, i64 z) {
  const i64 n = count_of(s, z);
  u8* marks = bags_of<F>(s, z);
  const u8 mark = marks[n - 1];
  u16* cards = ids_of<F>(s, z);
  const i64 begin = n - 1 - same_before(marks, n - 1, mark);
  const auto looks_alike = [&](i64 a, i64 b) {
    // all that may lie there look the same from behind
    if (F::one_back && !F::has_eyes(z) && face_of(s, a) == 1) return face_of(s, b) == 1;
    if (F::has_eyes(z)) return G::back[a] == G::back[b];
    if (face_of(s, a) != face_of(s, b)) return false;
    return G::kinds[a] == kCard && face_of(s, a) == 1 ? G::back[a] == G::back[b] : G::front[a] == G::front[b];
  };
  for (i64 i = n - 1; i-- > begin;) {
    if (looks_alike(cards[n - 1], cards[i])) continue;
    const i64 from = sample_bag(c, s, cards, begin, n);
    const u16 card = cards[from];
    departs<F>(c, s, z, card);
    shift_down(cards, from, n, F::capacity(z));
    cards[n - 1] = card;
    marks[n - 1] = 0;
    if (n < 3 || marks[n - 3] != marks[n - 2]) normalise_bags<F>(s, z);
    top_changed<F>(c, s, z);
    forget_departed(c, s);
    return;
  }
}

template <class F>
inline void expose(Ctx& c, u8* s, i64 z) {
  const i64 n = count_of(s, z);
  if (n != 0 && is_bag(bags_of<F>(s, z)[n - 1])) expose_bag<F>(c, s, z);
}

/// What lies in `from`, but its newest `keeping`, becomes a bag under what is left of the pile.
template <class F, class From>
__attribute__((noinline)) void refill(Ctx& c, u8* s, i64 z, i64 from, i64 keeping) {
  const i64 leaving = count_of(s, from) - keeping;
  if (leaving <= 0) return;
  u16 cards[From::most];
  for (i64 i = 0; i < leaving; ++i) cards[i] = ids_of<From>(s, from)[i];
  sort(cards, leaving);
  for (i64 i = 0; i < leaving; ++i) {
    remove<From>(s, from, cards[i]);
    insert<F>(c, s, z, cards[i], i, 0);
    if (G::kinds[cards[i]] == kCard) face_of(s, cards[i]) = 1;
  }
  u8* const marks = bags_of<F>(s, z);
  const u8 mark = leaving < count_of(s, z) && marks[leaving] == 1 ? 2 : 1;
  for (i64 i = 0; i < leaving; ++i) marks[i] = leaving > 1 ? mark : 0;
  mix(s, cards, leaving);
  top_changed<From>(c, s, from);
}

// ---- packets: what has an order; all leave first, then all arrive ----

template <class From>
inline void leave(Ctx& c, u8* s, i64 card, i64 from) {
  if constexpr (G::knowledge) {
    if (From::kind(from) == kHand || (From::has_bags(from) && bags_of<From>(s, from)[find<From>(s, from, card)] != 0)) departs<From>(c, s, from, card);
  }
}

/// The first of `cards` is the top one, or the oldest. False: it is not as simple as that, and nothing has happened.
template <class From, class To>
inline bool carry(Ctx& c, u8* s, const i32* cards, i64 n, i64 to, bool under, bool ordered, i64 side) {
  const bool pile = To::kind(to) == kPile;
  for (i64 i = 0; i < n; ++i) {
    const i64 from = zone_of(s, cards[i]);
    if (!From::covers(from) || (from == to && !ordered)) return false;
    if (!ordered && From::kind(from) == kHand && n > 1) return false;
    if (!ordered && From::has_bags(from) && bags_of<From>(s, from)[find<From>(s, from, cards[i])] != 0) return false;
    if (from == to && (To::kind(to) == kHand || To::kind(to) == kPlace)) return false;
  }
  u16 sources[List::kMax];
  if constexpr (G::knowledge) {
    for (i64 i = 0; i < n; ++i) leave<From>(c, s, cards[i], zone_of(s, cards[i]));
  }
  for (i64 i = 0; i < n; ++i) {
    sources[i] = zone_of(s, cards[i]);
    remove<From>(s, sources[i], cards[i]);
  }
  const bool on_top = pile && !under;
  i64 laid = 0;
  for (i64 k = 0; k < n; ++k) {
    const i64 i = on_top ? n - 1 - k : k;
    i64 index = count_of(s, to);
    if (To::kind(to) == kHand) index = lower_bound(ids_of<To>(s, to), index, cards[i]);
    else if (under) index = pile ? 0 : laid++;
    turn_on_arrival(s, cards[i], To::face(to), To::kind(to) == kHand || To::deck(to), sources[i] == to, side);
    insert<To>(c, s, to, cards[i], index, 0);
    if (RIP_RARE(c.fault)) return true;
  }
  if constexpr (G::knowledge) {
    for (i64 i = 0; i < n; ++i) {
      learn<To>(c, s, to, cards[i]);
      if (i == 0 || sources[i] != sources[i - 1]) top_changed<From>(c, s, sources[i]);
    }
    top_changed<To>(c, s, to);
    forget_departed(c, s);
  }
  return true;
}

inline void turn(Ctx& c, u8* s, i64 card, i64 side) {
  if (G::kinds[card] != kCard) return;
  face_of(s, card) = static_cast<i8>(side);
  learn<Any>(c, s, zone_of(s, card), card);
}

// ---- what looks alike to a seat that chooses ----

/// Of the values found so far, one looks the same: of a hand of the seat's own, or where there are no bags.
template <class F>
inline bool looks_listed(Ctx& c, u8* s, i64 z, i64 card, i64 seat, const i32* values, u64 n) {
  if (n == 0) return false;
  if (F::kind(z) == kHand) {
    // a hand lies in the order of its cards, equal ones beside each other
    if (G::in_order && G::front[values[n - 1]] != G::front[card]) return false;
  } else if (((known_of(s, card) | sees_front<F>(c, s, z, card)) >> seat & 1) == 0) {
    return false;
  }
  for (u64 k = n; k-- > 0;) {
    const i64 other = values[k];
    if (G::front[other] != G::front[card] || G::back[other] != G::back[card] || zone_of(s, other) != z) continue;
    if (F::kind(z) == kHand) {
      if (face_of(s, other) == face_of(s, card)) return true;
    } else if (alike(s, card, other)) {
      return true;
    }
  }
  return false;
}
/// It may be open which of several components was taken, or it is not as simple to say.
inline bool which_is_open(Ctx&, u8* s, i64 card, i64 seat) {
  const i64 z = zone_of(s, card);
  if (Any::kind(z) == kHand) {
    if (Any::seen_by(z) || Any::owner(z) != seat) return true;
    if constexpr (G::distinct) return false;
    const u16* cards = ids_of<Any>(s, z);
    for (i64 i = 0, n = count_of(s, z); i < n; ++i) {
      if (G::front[cards[i]] == G::front[card] && !alike(s, cards[i], card)) return true;
    }
    return false;
  }
  return Any::has_bags(z) && is_bag(bags_of<Any>(s, z)[find<Any>(s, z, card)]);
}

// ---- reading ----

template <class F>
inline void append_zone(u8* s, i64 z, List& out) {
  const u16* cards = ids_of<F>(s, z);
  const i64 n = count_of(s, z);
  for (i64 i = 0; i < n; ++i) out.push(cards[F::kind(z) == kPile ? n - 1 - i : i]);
}
template <class F>
inline void append_some(u8* s, i64 z, i64 n, bool top, List& out) {
  const u16* cards = ids_of<F>(s, z);
  const i64 size = count_of(s, z);
  for (i64 i = 0; i < size && i < n; ++i) out.push(cards[top ? size - 1 - i : i]);
}
template <int N>
inline i64 count_all(u8* s, i64 first) {
  i64 n = 0;
  for (i64 z = first; z < first + N; ++z) n += count_of(s, z);
  return n;
}
template <class F, int N>
inline i64 newest(u8* s, i64 first) {
  for (i64 z = first; z < first + N; ++z) {
    if (const i64 n = count_of(s, z); n > 0) return ids_of<F>(s, z)[n - 1];
  }
  return kNone;
}
template <class F, int N>
inline i64 oldest(u8* s, i64 first) {
  for (i64 z = first; z < first + N; ++z) {
    if (count_of(s, z) > 0) return ids_of<F>(s, z)[0];
  }
  return kNone;
}
template <class F>
inline i64 nth(u8* s, i64 z, i64 n) {
  return n < 1 || n > count_of(s, z) ? kNone : i64(ids_of<F>(s, z)[n - 1]);
}
template <int W, class F, int N>
inline Set<W> zone_as(u8* s, i64 first) {
  Set<W> o;
  for (i64 z = first; z < first + N; ++z) {
    const u16* cards = ids_of<F>(s, z);
    for (i64 i = 0, n = count_of(s, z); i < n; ++i) {
      if constexpr (W == 1) o.w[0] |= u64{1} << (cards[i] & 63);
      else o.w[cards[i] >> 6] |= u64{1} << (cards[i] & 63);
    }
  }
  return o;
}
inline i64 owner_of(i64 card) { return G::owners[card] < 0 ? kNone : i64(G::owners[card]); }
inline i64 steps_clockwise(i64 seat, i64 base, bool after) {
  const i64 steps = seat - base < 0 ? seat - base + G::players : seat - base;
  return steps == 0 && after ? G::players : steps;
}

/// Bindings in their final order; behind the `Width` values of each its keys. What remains equal must be equal components.
template <int Width, int Keys, unsigned Components>
inline void order_rows(Ctx& c, i64* rows, i64 n, bool backwards) {
  constexpr int kRow = Width + Keys;
  const auto before = [&](const i64* a, const i64* b) {
    for (int k = Width; k < kRow; ++k) {
      if (a[k] != b[k]) return a[k] < b[k];
    }
    return false;
  };
  if constexpr (Keys > 0) {
    for (i64 i = 1; i < n; ++i) {
      i64 held[kRow];
      for (int k = 0; k < kRow; ++k) held[k] = rows[i * kRow + k];
      i64 at_row = i;
      for (; at_row > 0 && before(held, rows + (at_row - 1) * kRow); --at_row) {
        for (int k = 0; k < kRow; ++k) rows[at_row * kRow + k] = rows[(at_row - 1) * kRow + k];
      }
      for (int k = 0; k < kRow; ++k) rows[at_row * kRow + k] = held[k];
    }
    for (i64 i = 1; i < n; ++i) {
      const i64 *a = rows + i * kRow, *b = a - kRow;
      bool equal = true;
      for (int k = Width; k < kRow; ++k) equal = equal && a[k] == b[k];
      for (int k = 0; k < Width && equal; ++k) {
        if (a[k] != b[k] && ((Components >> k & 1) == 0 || G::front[a[k]] != G::front[b[k]])) {
          bad(c);
          return;
        }
      }
    }
  }
  if (!backwards) return;
  for (i64 i = 0; i < n / 2; ++i) {
    for (int k = 0; k < kRow; ++k) {
      const i64 held = rows[i * kRow + k];
      rows[i * kRow + k] = rows[(n - 1 - i) * kRow + k];
      rows[(n - 1 - i) * kRow + k] = held;
    }
  }
}

}  // namespace rip::native
