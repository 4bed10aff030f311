#include "cli/seats.h"

#include "base/text.h"
#include "grammar/parser.h"
#include "interp/check/check.h"

#include <fmt/format.h>

#include <algorithm>

namespace rip::cli {

namespace {

std::string without_blanks(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ' && c != '\t') out += c;
  }
  return out;
}

/// By the parser and the checker, as a scenario would read it.
Meant by_pattern(const std::string& line, const std::vector<Move>& moves, verify::Sitting& sitting, verify::Playable& playable, rules::Rules& rules,
                 Sources& sources, int seat) {
  Diagnostics diagnostics;
  const std::optional<rules::MovePattern> pattern = pattern_of(line, playable, rules, sources, diagnostics);
  if (!pattern) {
    const std::vector<Diagnostic> found = diagnostics.sorted();
    return {std::nullopt, found.empty() ? "this is no move" : found.front().message};
  }
  const verify::MoveTest test = verify::compile_move(playable, *pattern);
  playable.program = &playable.lowering->program();
  const std::vector<std::uint32_t> fit = verify::fitting(test, playable, sitting.machine, sitting.state, seat, moves);
  if (fit.size() == 1) return {fit[0], ""};
  if (fit.empty()) return {std::nullopt, fmt::format("{} cannot do that here", playable.seat(seat))};
  std::string some;
  for (std::size_t i = 0; i < std::min<std::size_t>(fit.size(), 4); ++i) {
    some += fmt::format("{}{}", i == 0 ? "" : ", ", sitting.machine.text_for(sitting.state, moves[fit[i]], seat));
  }
  return {std::nullopt, fmt::format("{} moves fit: {}{}", fit.size(), some, fit.size() > 4 ? " ..." : "")};
}

}  // namespace

std::optional<rules::MovePattern> pattern_of(const std::string& line, const verify::Playable& playable, rules::Rules& rules, Sources& sources,
                                             Diagnostics& diagnostics) {
  const std::uint32_t file = sources.add("input", line);
  const std::optional<ast::MoveCall> call = grammar::parse_move_call(sources, file, diagnostics);
  if (!call || diagnostics.has_errors()) return std::nullopt;
  const Span all{file, 0, static_cast<std::uint32_t>(line.size())};
  return check::check_move_call(rules, *call, all, playable.program->seats, diagnostics);
}

std::optional<int> seat_named(const std::vector<std::string>& seats, const std::string& word) {
  const auto at = std::find(seats.begin(), seats.end(), word);
  if (at != seats.end()) return static_cast<int>(at - seats.begin());
  const std::optional<std::uint64_t> number = number_in(word);
  if (number && *number < seats.size()) return static_cast<int>(*number);
  return std::nullopt;
}

Meant move_meant(const std::string& line, verify::Sitting& sitting, verify::Playable& playable, rules::Rules& rules, Sources& sources, int seat) {
  std::vector<Move> moves;
  sitting.machine.legal_moves(sitting.state, seat, moves);
  if (const std::optional<std::uint64_t> number = number_in(line)) {
    if (*number >= 1 && *number <= moves.size()) return {static_cast<std::uint32_t>(*number - 1), ""};
    return {std::nullopt, fmt::format("the moves are numbered 1 to {}", moves.size())};
  }
  const std::string wanted = without_blanks(line);
  std::vector<std::uint32_t> same_name;
  for (std::size_t i = 0; i < moves.size(); ++i) {
    const auto index = static_cast<std::uint32_t>(i);
    if (without_blanks(sitting.machine.text_for(sitting.state, moves[i], seat)) == wanted || without_blanks(sitting.machine.text(moves[i])) == wanted) return {index, ""};
    if (verify::move_name(*playable.program, moves[i]) == wanted) same_name.push_back(index);
  }
  if (same_name.size() == 1) return {same_name[0], ""};
  return by_pattern(line, moves, sitting, playable, rules, sources, seat);
}

}  // namespace rip::cli
