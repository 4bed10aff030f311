// What has no order yet: cards that are drawn from a bag, shuffled, exposed, refilled. Stands behind zones.h.
#pragma once

namespace rip::native {

template <class F>
inline void draw(u8* s, i64 z, i64 index, i64 from) {
  u8* marks = bags_of<F>(s, z);
  u16* cards = ids_of<F>(s, z);
  const u8 mark = marks[index];
  const u16 card = cards[from];
  if (from < index)
    close_gap<F::blocks>(cards, from, index + 1, card);
  else
    open_gap<F::blocks>(cards, index, from, card);
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
    close_gap<F::blocks>(cards, from, index + 1, card);
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

/// `settle` of the uppermost `wanted` and the move of them that follows, at one stroke. False: the two have to be done one after the
/// other.
template <class From, class To>
__attribute__((always_inline)) inline bool draw_to(Ctx& c, u8* s, i64 from, i64 to, i64 wanted, i64 side) {
  const i64 n = count_of(s, from);
  u8* marks = bags_of<From>(s, from);
  if (RIP_RARE(n < wanted + 3 || head(s).drawn != 0 || from == to)) return false;
  // the top may be known already, because it shows
  const i64 fixed = marks[n - 1] == 0 ? 1 : 0, top = n - 1 - fixed;
  if (RIP_RARE(!is_bag(marks[top]))) return false;
  // what is left must be a bag still
  const bool drawn = fixed < wanted;
  const i64 size = drawn ? 1 + same_before(marks, top, marks[top]) : marks[top - 1] == marks[top] && marks[top - 2] == marks[top] ? 3 : 0;
  if (RIP_RARE(size < wanted + 2)) return false;
  u16* cards = ids_of<From>(s, from);
  const i64 begin = top + 1 - size;
  if constexpr (!G::distinct) {
    if (RIP_RARE(drawn && all_alike(s, cards, begin, top + 1))) return false;
    if (drawn && !lies_open<To>(s, cards[top], from, to, side)) {
      u32 knows = 0;
      for (i64 i = begin; i <= top; ++i) knows |= known_of(s, cards[i]);
      if (RIP_RARE(knows != 0)) return false;
    }
  } else if constexpr (G::knowledge) {
    return false;
  }
  u16 taken[From::most];
  if (fixed != 0) {
    taken[0] = cards[n - 1];
    cards[n - 1] = 0;
  }
  for (i64 k = fixed; k < wanted; ++k) {
    const i64 i = sample_bag(c, s, cards, begin, top + 1 - (k - fixed));
    taken[k] = cards[i];
    close_gap<From::blocks, u16>(cards, i, n - k, 0);
    marks[n - 1 - k] = 0;
  }
  count_of(s, from) = static_cast<u16>(n - wanted);
  for (i64 k = 0; k < wanted; ++k) {
    // the first that was drawn lay on top
    const i64 card = taken[To::kind(to) == kPile ? wanted - 1 - k : k];
    turn_on_arrival<To>(c, s, card, to, false, side);
    insert<To>(c, s, to, card, To::kind(to) == kHand ? place_in_hand<To>(s, to, card) : count_of(s, to), 0);
    if (RIP_RARE(c.fault)) return true;
  }
  for (i64 k = 0; k < wanted; ++k) learn<To>(c, s, to, taken[k]);
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
inline void expose_bag(Ctx& c, u8* s, i64 z) {
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
    close_gap<F::blocks>(cards, from, n, card);
    marks[n - 1] = 0;
    if (n < 3 || marks[n - 3] != marks[n - 2]) normalise_bags<F>(s, z);
    top_changed<F>(c, s, z);
    forget_departed(c, s);
    return;
  }
}

template <class F>
inline void expose(Ctx& c, u8* s, i64 z) {
  if (F::covered(z) && RIP_RARE(c.open_below != 0) == 0) return;
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
  if (keeping == 0 && !From::has_bags(from) && count_of(s, z) == 0 && leaving <= F::capacity(z)) {
    // all of it comes to an empty place
    std::memset(ids_of<From>(s, from), 0, 2 * static_cast<std::size_t>(leaving));
    count_of(s, from) = 0;
    std::memcpy(ids_of<F>(s, z), cards, 2 * static_cast<std::size_t>(leaving));
    count_of(s, z) = static_cast<u16>(leaving);
    for (i64 i = 0; i < leaving; ++i) {
      zone_of(s, cards[i]) = static_cast<u16>(z);
      if (G::kinds[cards[i]] == kCard) face_of(s, cards[i]) = 1;
    }
  } else {
    for (i64 i = 0; i < leaving; ++i) {
      remove<From>(s, from, cards[i]);
      insert<F>(c, s, z, cards[i], i, 0);
      if (G::kinds[cards[i]] == kCard) face_of(s, cards[i]) = 1;
    }
  }
  u8* const marks = bags_of<F>(s, z);
  const u8 mark = leaving < count_of(s, z) && marks[leaving] == 1 ? 2 : 1;
  for (i64 i = 0; i < leaving; ++i) marks[i] = leaving > 1 ? mark : 0;
  mix(s, cards, leaving);
  top_changed<From>(c, s, from);
}

}  // namespace rip::native
