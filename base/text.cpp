#include "base/text.h"

#include <cstddef>

namespace rip {

std::string with_commas(std::uint64_t n) {
  std::string digits = std::to_string(n);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) digits.insert(static_cast<std::size_t>(at), 1, ',');
  return digits;
}

std::string plural(std::uint64_t n, const char* one) { return with_commas(n) + " " + one + (n == 1 ? "" : "s"); }

}  // namespace rip
