// Gaps in the short lists of the state, opened and closed a block at a time: how long a list is and where its gap lies are numbers
// of chance, and a jump that nobody can foresee costs more than all lanes of a block. Stands behind prelude.h and `G`.
#pragma once

namespace rip::native {

#ifdef __AVX2__
constexpr int kBlock = 32;
#define RIP_LANES_OF_16(x) x + 0, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7, x + 8, x + 9, x + 10, x + 11, x + 12, x + 13, x + 14, x + 15
#define RIP_LANES_OF_8(x) RIP_LANES_OF_16(x), RIP_LANES_OF_16(x + 16)
#else
constexpr int kBlock = 16;
#define RIP_LANES_OF_16(x) x + 0, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7
#define RIP_LANES_OF_8(x) RIP_LANES_OF_16(x), RIP_LANES_OF_16(x + 8)
#endif

template <class T>
struct Lanes;
template <>
struct Lanes<u8> {
  using Block = u8 __attribute__((vector_size(kBlock)));
  using Number = u8;
  using Numbers = u8 __attribute__((vector_size(kBlock)));
  static constexpr Numbers numbers = {RIP_LANES_OF_8(0)};
  static Block up(Block a, Block b) { return __builtin_shufflevector(a, b, RIP_LANES_OF_8(kBlock - 1)); }
  static Block down(Block a, Block b) { return __builtin_shufflevector(a, b, RIP_LANES_OF_8(1)); }
};
template <>
struct Lanes<u16> {
  using Block = u16 __attribute__((vector_size(kBlock)));
  using Number = i16;
  using Numbers = i16 __attribute__((vector_size(kBlock)));
  static constexpr Numbers numbers = {RIP_LANES_OF_16(0)};
  static Block up(Block a, Block b) { return __builtin_shufflevector(a, b, RIP_LANES_OF_16(kBlock / 2 - 1)); }
  static Block down(Block a, Block b) { return __builtin_shufflevector(a, b, RIP_LANES_OF_16(1)); }
};

template <class T>
constexpr i64 kLanes = kBlock / static_cast<i64>(sizeof(T));
/// The block from which on something changes; of short lists the first, since that can be foreseen.
template <class T>
inline i64 first_block(i64 index, i64 n) {
  return n > 12 * kLanes<T> ? index / kLanes<T> * kLanes<T> : 0;
}
template <class T>
inline typename Lanes<T>::Block load_block(const T* list) {
  typename Lanes<T>::Block block;
  std::memcpy(&block, list, kBlock);
  return block;
}
template <class T>
inline typename Lanes<T>::Numbers in_all_lanes(i64 number) {
  return static_cast<typename Lanes<T>::Number>(number) - typename Lanes<T>::Numbers{};
}

/// Takes out what lies at `index` of `n`; what lay above moves down, and `last` comes to the end. `Blocks`: whole blocks may be
/// read and written back, up to the one in which the list ends.
template <bool Blocks, class T>
inline void close_gap(T* list, i64 index, i64 n, T last) {
  if constexpr (Blocks) {
    using L = Lanes<T>;
    i64 k = first_block<T>(index, n);
    auto place = L::numbers + in_all_lanes<T>(k);
    const auto gap = in_all_lanes<T>(index);
    auto here = load_block(list + k);
    for (; k + kLanes<T> < n; k += kLanes<T>) {
      const auto next = load_block(list + k + kLanes<T>);
      const typename L::Block changed = gap > place ? here : load_block(list + k + 1);
      std::memcpy(list + k, &changed, kBlock);
      here = next;
      place += in_all_lanes<T>(kLanes<T>);
    }
    const auto end = in_all_lanes<T>(n - 1);
    const typename L::Block moved = gap > place ? here : L::down(here, here), ends = last - typename L::Block{};
    const typename L::Block changed = end > place ? moved : end == place ? ends : here;
    std::memcpy(list + k, &changed, kBlock);
  } else {
    std::memmove(list + index, list + index + 1, sizeof(T) * static_cast<std::size_t>(n - 1 - index));
    list[n - 1] = last;
  }
}
/// Puts `value` at `index` of `n`; what lies there and above moves up.
template <bool Blocks, class T>
inline void open_gap(T* list, i64 index, i64 n, T value) {
  if constexpr (Blocks) {
    using L = Lanes<T>;
    i64 k = first_block<T>(index, n);
    auto place = L::numbers + in_all_lanes<T>(k);
    const auto gap = in_all_lanes<T>(index), end = in_all_lanes<T>(n);
    const typename L::Block values = value - typename L::Block{};
    typename L::Block before = {};
    for (;; k += kLanes<T>) {
      const auto here = load_block(list + k);
      const typename L::Block moved = place > gap ? L::up(before, here) : here, changed = place == gap ? values : moved;
      if (k + kLanes < T >> n) {
        const typename L::Block ends = place > end ? here : changed;
        std::memcpy(list + k, &ends, kBlock);
        return;
      }
      std::memcpy(list + k, &changed, kBlock);
      before = here;
      place += in_all_lanes<T>(kLanes<T>);
    }
  } else {
    std::memmove(list + index + 1, list + index, sizeof(T) * static_cast<std::size_t>(n - index));
    list[index] = value;
  }
}

/// How many of `n` numbers in ascending order are below `c`.
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
#ifdef __AVX2__
/// Two bits for each number that is marked.
inline u32 marked_lanes(Lanes<u16>::Numbers marked) {
  return static_cast<u32>(__builtin_ia32_pmovmskb256(reinterpret_cast<char __attribute__((vector_size(32)))>(marked)));
}
#endif
/// The same of a list that fits into one block.
inline i64 lower_bound_in_block(const u16* cards, i64 n, i64 c) {
#ifdef __AVX2__
  const auto here = reinterpret_cast<Lanes<u16>::Numbers>(load_block(cards));
  return __builtin_popcount(marked_lanes((here < static_cast<i16>(c)) & (Lanes<u16>::numbers < static_cast<i16>(n)))) / 2;
#else
  return lower_bound(cards, n, c);
#endif
}
/// Where `c` lies among `n` that fit into one block.
inline i64 find_in_block(const u16* cards, i64 n, i64 c) {
#ifdef __AVX2__
  const auto here = reinterpret_cast<Lanes<u16>::Numbers>(load_block(cards));
  return __builtin_ctz(marked_lanes((here == static_cast<i16>(c)) & (Lanes<u16>::numbers < static_cast<i16>(n)))) / 2;
#else
  for (i64 i = n - 1;; --i) {
    if (cards[i] == c) return i;
  }
#endif
}

}  // namespace rip::native
