#include "base/text.h"

#include <algorithm>
#include <cstddef>

namespace rip {

std::string with_commas(std::uint64_t n) {
  std::string digits = std::to_string(n);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) digits.insert(static_cast<std::size_t>(at), 1, ',');
  return digits;
}

std::string plural(std::uint64_t n, const char* one) { return with_commas(n) + " " + one + (n == 1 ? "" : "s"); }

std::vector<std::string> split_at_commas(std::string_view list) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t comma = std::min(list.find(',', begin), list.size());
    parts.emplace_back(list.substr(begin, comma - begin));
    begin = comma + 1;
  }
  return parts;
}

}  // namespace rip
