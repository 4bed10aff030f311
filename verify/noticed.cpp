#include "verify/noticed.h"

#include "verify/offered.h"

#include <fmt/format.h>

namespace rip::verify {

namespace {
/// More options of the seat itself are compared by their number only.
constexpr std::uint64_t kMostRead = 200;
}  // namespace

std::string seen_at_rest(Machine& machine, State& state, int seat, std::vector<Move>& scratch) {
  const Status status = machine.status(state);
  std::string out = fmt::format("{}", static_cast<int>(status == Status::chance ? Status::running : status));
  if (status == Status::chance) return out;
  if (status == Status::over) {
    const Result result = machine.result(state);
    // the winner is announced; what a score is made of has to be shown
    if (result.scores.empty()) out += fmt::format(" {}", result.winners >> seat & 1u);
    else out += fmt::format(" {}", result.scores[static_cast<std::size_t>(seat)]);
  }
  out += "\n" + machine.view(state, seat).text();
  if (status != Status::decision) return out;
  const std::uint32_t deciding = machine.deciding(state);
  out += fmt::format("\n{:x}", deciding);
  if ((deciding >> seat & 1u) == 0) return out;
  const std::uint64_t n = machine.count_moves(state, seat);
  out += fmt::format(" {}", n);
  if (n > kMostRead) return out;
  machine.legal_moves(state, seat, scratch);
  append_offered(machine, state, seat, scratch, out);
  return out;
}

}  // namespace rip::verify
