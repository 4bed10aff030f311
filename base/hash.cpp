#include "base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace rip {

std::uint64_t hash64(std::span<const std::byte> bytes, std::uint64_t seed) { return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed); }

std::uint64_t hash64(std::string_view text, std::uint64_t seed) { return XXH3_64bits_withSeed(text.data(), text.size(), seed); }

Hash128 hash128(std::span<const std::byte> bytes, std::uint64_t seed) {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(bytes.data(), bytes.size(), seed);
  return {hash.high64, hash.low64};
}

Hash128 hash128(std::string_view text, std::uint64_t seed) { return hash128(std::as_bytes(std::span(text)), seed); }

}  // namespace rip
