// Our own seeded random numbers: the same on every machine and library. SplitMix64 (Steele, Lea, Flood: Fast splittable
// pseudorandom number generators, 2014) seeds xoshiro256** (Blackman, Vigna: Scrambled linear pseudorandom number
// generators, 2018).
#pragma once

#include <cstdint>

namespace rip {

class Rng {
 public:
  explicit Rng(std::uint64_t seed) {
    for (auto& word : s_) {
      seed += 0x9e3779b97f4a7c15u;
      std::uint64_t z = seed;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
      word = z ^ (z >> 31);
    }
  }
  /// The generator of game number `game` under `seed`: independent of how many games ran before, and on which thread.
  static Rng for_game(std::uint64_t seed, std::uint64_t game) {
    return Rng(seed * 0xd1342543de82ef95u + game * 0x2545f4914f6cdd1du + 0x632be59bd9b4e019u);
  }
  std::uint64_t next() {
    const std::uint64_t result = rotate(s_[1] * 5, 7) * 9;
    const std::uint64_t t = s_[1] << 17;
    s_[2] ^= s_[0];
    s_[3] ^= s_[1];
    s_[1] ^= s_[2];
    s_[0] ^= s_[3];
    s_[2] ^= t;
    s_[3] = rotate(s_[3], 45);
    return result;
  }
  /// Uniform in 0 .. n-1, n >= 1, exactly: multiply and reject (Lemire: Fast random integer generation in an interval, 2019).
  std::uint64_t below(std::uint64_t n) {
    if (n <= 1) return 0;
    unsigned __int128 product = static_cast<unsigned __int128>(next()) * n;
    auto low = static_cast<std::uint64_t>(product);
    if (low < n) {
      const std::uint64_t threshold = (0 - n) % n;
      while (low < threshold) {
        product = static_cast<unsigned __int128>(next()) * n;
        low = static_cast<std::uint64_t>(product);
      }
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

 private:
  static std::uint64_t rotate(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  std::uint64_t s_[4];
};

}  // namespace rip
