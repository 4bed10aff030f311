// Numbers and words as people write them.
#pragma once

#include <cstdint>
#include <string>

namespace rip {

/// `1,234,567`
std::string with_commas(std::uint64_t n);
/// `1 game`, `2,000 games`
std::string plural(std::uint64_t n, const char* one);

}  // namespace rip
