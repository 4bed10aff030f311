#include "verify/offered.h"

namespace rip::verify {

void append_offered(Machine& machine, State& state, int seat, const std::vector<Move>& moves, std::string& out) {
  for (const Move& move : moves) {
    if (ir::names_components(machine.program().options[static_cast<std::size_t>(move.option)].arg_texts)) {
      out.append("\n").append(machine.text_for(state, move, seat));
    } else {
      out.append(reinterpret_cast<const char*>(move.args.data()), sizeof(std::int32_t) * static_cast<std::size_t>(move.size)).append(1, static_cast<char>(move.option));
    }
  }
}

}  // namespace rip::verify
