// What moves together and has an order: all leave first, then all arrive. Turns, and rows that are put in order. Stands behind bags.h.
#pragma once

namespace rip::native {

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
    if (To::kind(to) == kHand) index = place_in_hand<To>(s, to, cards[i]);
    else if (under) index = pile ? 0 : laid++;
    turn_on_arrival<To>(c, s, cards[i], to, sources[i] == to, side);
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
  if (side == 0 && Any::covered(zone_of(s, card))) c.open_below = 1;
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
