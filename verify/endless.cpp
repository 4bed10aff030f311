#include "verify/endless.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace rip::verify {

void keep(std::optional<EndlessGame>& kept, std::optional<EndlessGame> other) {
  const auto says_more = [](const EndlessGame& game, const EndlessGame& than) {
    return game.cut_off != than.cut_off ? than.cut_off : game.length() < than.length();
  };
  if (other && (!kept || says_more(*other, *kept))) kept = std::move(other);
}

std::string text(const EndlessGame& game) {
  constexpr std::size_t kMost = 12;
  std::string steps;
  for (std::size_t i = 0; i < std::min(game.loop.size(), kMost); ++i) steps += (i == 0 ? "" : ", ") + game.loop[i];
  if (game.loop.size() > kMost) steps += fmt::format(", ... ({} steps)", game.loop.size());
  return fmt::format("{} go on for ever: {} steps lead to a position that comes back{} by {}",
                     game.cut_off ? "but for its `cut off after` a game could" : "a game can", game.before, game.by_chance ? ", if chance wills," : "", steps);
}

EndlessGame endless_game(const Sitting& sitting, std::size_t before) {
  EndlessGame found;
  found.before = before;
  for (std::size_t i = before; i < sitting.tape.size(); ++i) {
    const Step& step = sitting.tape[i];
    found.by_chance = found.by_chance || step.chance();
    found.loop.push_back(step.chance() ? "chance" : sitting.playable.seat(step.seat) + " " + sitting.machine.text(step.move));
  }
  return found;
}

/// Positions that differ in nothing but how often loops have passed: more are not kept.
constexpr std::size_t kMostAlike = 64;

Positions::Positions(const ir::Program& program) : program_(program) {
  for (const ir::Instr& instr : program.code) {
    if (instr.op != ir::InstrOp::count_pass) continue;
    counters_.push_back(instr.a);
    if (instr.c >= 0) caps_.push_back(instr.a);
  }
}

std::optional<EndlessGame> Positions::test(const Sitting& sitting) {
  std::vector<std::uint8_t> bytes = sitting.state.bytes;
  for (const std::int32_t counter : counters_) std::memset(bytes.data() + counter, 0, sizeof(std::int32_t));
  std::vector<std::int32_t> passes(caps_.size());
  for (std::size_t i = 0; i < caps_.size(); ++i) std::memcpy(&passes[i], sitting.state.bytes.data() + caps_[i], sizeof(std::int32_t));
  const std::uint64_t hash = std::hash<std::string_view>{}({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  const auto [begin, end] = by_hash_.equal_range(hash);
  auto before = end;
  std::size_t looked_at = 0;
  for (auto it = begin; it != end && looked_at < kMostAlike; ++it, ++looked_at) {
    if (seen_[it->second] != bytes) continue;
    if (before == end || passes_[it->second] == passes) before = it;
    if (passes_[before->second] == passes) break;
  }
  std::optional<EndlessGame> found;
  if (before != end) {
    found = endless_game(sitting, steps_[before->second]);
    found->cut_off = passes_[before->second] != passes;
  }
  if (looked_at == kMostAlike || (found && !found->cut_off)) return found;
  by_hash_.emplace(hash, seen_.size());
  seen_.push_back(std::move(bytes));
  passes_.push_back(std::move(passes));
  steps_.push_back(sitting.tape.size());
  return found;
}

}  // namespace rip::verify
