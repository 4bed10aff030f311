// Numbers and words as people write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rip {

/// `1,234,567`
std::string with_commas(std::uint64_t n);
/// `1 game`, `2,000 games`
std::string plural(std::uint64_t n, const char* one);
/// The parts of a list with commas: one more than there are commas.
std::vector<std::string> split_at_commas(std::string_view list);
/// The other way round.
std::string joined(const std::vector<std::string>& words, std::string_view between = ", ");
/// Without blanks and tabs around it.
std::string_view trimmed(std::string_view text);
/// A number from 0 on and nothing else; nullopt: it is none.
std::optional<std::uint64_t> number_in(std::string_view word);

}  // namespace rip
