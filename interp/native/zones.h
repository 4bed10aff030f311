// What lies in zones, and the move of one component. Stands behind prelude.h and `G`, the facts of the game: offsets of the state,
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
/// Where a component lies in a hand, or would lie.
template <class F>
inline i64 place_in_hand(u8* s, i64 z, i64 c) {
  const u16* cards = ids_of<F>(s, z);
  return F::blocks && F::most <= kLanes<u16> ? lower_bound_in_block(cards, count_of(s, z), c) : lower_bound(cards, count_of(s, z), c);
}
template <class F>
inline i64 find(u8* s, i64 z, i64 c) {
  const u16* cards = ids_of<F>(s, z);
  if (F::kind(z) == kHand) return place_in_hand<F>(s, z, c);
  if (F::blocks && F::most <= kLanes<u16>) return find_in_block(cards, count_of(s, z), c);
  i64 i = count_of(s, z) - 1;
  while (cards[i] != c) --i;
  return i;
}
/// In ascending order.
inline void sort(u16* cards, i64 n) {
  i64 sorted = 1;
  while (sorted < n && cards[sorted - 1] < cards[sorted]) ++sorted;
  if (sorted >= n) return;
  if (n > 12 || (G::words == 1 && n > 3)) {
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
  else close_gap<F::blocks, u16>(cards, i, n, 0);
  count_of(s, z) = static_cast<u16>(n - 1);
  if (!F::has_bags(z)) return;
  u8* marks = bags_of<F>(s, z);
  if (marks[i] == 0 && last) return;
  const bool between = i > 0 && i < n - 1 && marks[i - 1] != 0 && marks[i - 1] == marks[i + 1] && marks[i] != marks[i - 1];
  const bool drawn = is_drawn(marks[i]);
  const bool lonely = marks[i] != 0 && !drawn;
  if (last) marks[n - 1] = 0;
  else close_gap<F::blocks, u8>(marks, i, n, 0);
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
    if (index == n) cards[n] = static_cast<u16>(card);
    else open_gap<F::blocks>(cards, index, n, static_cast<u16>(card));
  }
  if (F::has_bags(z)) {
    u8* marks = bags_of<F>(s, z);
    if (mark != 0 || index < n) open_gap<F::blocks>(marks, index, n, mark);
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
  static constexpr bool one_at_most = false, one_back = false, blocks = false;
  static constexpr int most = kMaxComponents;
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
  static bool covered(i64 z) { return G::zones[z].covered; }
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
    u32 applied = 0;  // what has been taken from those with this back
    i64 applied_to = -1;
    for (i32 gone = 0; gone < n; ++gone) {
      if (d.has_left[members[gone]] == 0 || (blind & ~sees[gone]) == 0) continue;
      const auto back = G::back[members[gone]];
      u32 unsure = 0;
      for (i32 i = 0; i < n && (blind & ~unsure) != 0; ++i) {
        if (G::front[members[i]] != G::front[members[gone]] && G::back[members[i]] == back) unsure |= ~sees[i];
      }
      const u32 lost = blind & unsure & ~sees[gone];
      if (lost == 0 || (applied_to == back && (lost & ~applied) == 0)) continue;
      for (i32 i = 0; i < n; ++i) {
        if (G::back[members[i]] == back) known_of(s, members[i]) &= ~(lost & ~sees[i]);
      }
      applied = applied_to == back ? applied | lost : lost;
      applied_to = back;
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

template <class To>
inline void turn_on_arrival(Ctx& c, u8* s, i64 card, i64 to, bool was_here, i64 side) {
  if (G::only_cards || G::kinds[card] == kCard) {
    if (To::covered(to) && side == 0) c.open_below = 1;
    if (side != kNone) face_of(s, card) = static_cast<i8>(side);
    else if (was_here) return;
    else if (To::face(to) >= 0) face_of(s, card) = static_cast<i8>(To::face(to));
    else if (To::kind(to) == kHand || To::deck(to)) face_of(s, card) = 1;
  }
}
/// A card may lie face up in a zone that covers what it gets: then the top of such a zone has to be looked at again.
inline void look_below(Ctx& c, u8* s) {
  c.open_below = 0;
  if constexpr (G::any_covered) {
    for (i64 card = 0; card < G::components; ++card) c.open_below |= G::zones[zone_of(s, card)].covered && face_of(s, card) != 1 ? 1 : 0;
  }
}

/// Nobody loses track of what comes to lie open.
template <class To>
inline bool lies_open(u8* s, i64 card, i64 from, i64 to, i64 side) {
  return (To::kind(to) == kRow || To::kind(to) == kPlace) && !To::has_eyes(to) && (G::only_cards || G::kinds[card] == kCard) &&
         (side != kNone ? side == 0 : from != to && (To::face(to) == 0 || (To::face(to) < 0 && !To::deck(to) && face_of(s, card) == 0)));
}

/// `Top`: it is the last one of the zone.
template <class From, class To, bool Top = false>
inline void move_one(Ctx& c, u8* s, i64 card, i64 from, i64 to, bool under, i64 side) {
  if (from == to && (To::kind(to) == kHand || To::kind(to) == kPlace)) return;
  if ((From::kind(from) == kHand || From::has_bags(from)) && !lies_open<To>(s, card, from, to, side)) departs<From>(c, s, from, card);
  const i64 size = count_of(s, to);
  const bool round = Top && from == to && under && (!To::has_bags(to) || bags_of<To>(s, to)[size - 1] == 0);
  if (!round) remove<From, Top>(s, from, card);
  turn_on_arrival<To>(c, s, card, to, from == to, side);
  const i64 n = count_of(s, to);
  i64 index = under ? 0 : n;
  if (round) {
    // as if it left and arrived, at one stroke
    open_gap<To::blocks>(ids_of<To>(s, to), 0, size - 1, static_cast<u16>(card));
    if (To::has_bags(to)) open_gap<To::blocks, u8>(bags_of<To>(s, to), 0, size - 1, 0);
  } else {
    if (To::kind(to) == kHand) index = place_in_hand<To>(s, to, card);
    insert<To>(c, s, to, card, index, 0);
    if (RIP_RARE(c.fault)) return;
  }
  learn<To>(c, s, to, card);
  top_changed<From>(c, s, from);
  if (index < n) top_changed<To>(c, s, to);
  forget_departed(c, s);
}

}  // namespace rip::native
