// Hashes of byte ranges, the same on every machine and in every run. States are stored and compared by them.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace rip {

struct Hash128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  friend auto operator<=>(const Hash128&, const Hash128&) = default;
};

/// XXH3 (https://github.com/Cyan4973/xxHash): fast, well mixed, not cryptographic.
std::uint64_t hash64(std::span<const std::byte> bytes, std::uint64_t seed = 0);
std::uint64_t hash64(std::string_view text, std::uint64_t seed = 0);
/// Wide enough that two of a billion states collide with probability below 1e-20.
Hash128 hash128(std::span<const std::byte> bytes, std::uint64_t seed = 0);
Hash128 hash128(std::string_view text, std::uint64_t seed = 0);

}  // namespace rip
