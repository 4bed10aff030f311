// What the first bytes of a State say about where a game stands: the phases that run, and what chance is asked for.
// Reads the header of the state buffer (interp/ir/ir.h); only `jump_to` changes a state.
#pragma once

#include "interp/run/engine.h"

#include <cstring>
#include <string>
#include <vector>

namespace rip::verify {

inline ir::Header header_of(const State& state) {
  ir::Header header{};
  std::memcpy(&header, state.bytes.data(), sizeof header);
  return header;
}

inline ChanceKind chance_what(const State& state) { return static_cast<ChanceKind>(header_of(state).chance); }
/// The zone where a component is settled, the zone a packet goes to, the die that rolls, the option that was taken.
inline std::int32_t chance_where(const State& state) { return header_of(state).chance_a; }

/// The decision at which the game stands; nullptr: it stands at none.
inline const ir::Choose* choose_at(const ir::Program& program, const State& state) {
  const ir::Instr& instr = program.code[static_cast<std::size_t>(header_of(state).pc)];
  return instr.op == ir::InstrOp::choose ? &program.chooses[static_cast<std::size_t>(instr.a)] : nullptr;
}

/// The names of the seats of a mask.
inline std::vector<std::string> seats_in(const ir::Program& program, std::uint32_t mask) {
  std::vector<std::string> names;
  for (int seat = 0; seat < program.players; ++seat) {
    if ((mask >> seat & 1u) != 0) names.push_back(program.seats[static_cast<std::size_t>(seat)]);
  }
  return names;
}

/// Names of the phases that run, outermost first.
inline std::vector<std::string> running_phases(const ir::Program& program, const State& state) {
  std::vector<std::string> names;
  const std::uint64_t running = header_of(state).running;
  for (const ir::Phase& phase : program.phases) {
    if ((running >> phase.bit & 1u) != 0) names.push_back(phase.name);
  }
  return names;
}

/// A scenario goes on at this place: setup is done, no phase runs.
inline void jump_to(State& state, ir::Pc pc) {
  ir::Header header = header_of(state);
  header.pc = pc;
  header.status = static_cast<std::uint8_t>(Status::running);
  std::memcpy(state.bytes.data(), &header, sizeof header);
}

/// The order of this part of a pile is not known: a shuffle mixed it.
inline bool lies_in_bag(const ir::Program& program, const State& state, std::int32_t zone, std::int32_t index) {
  const std::int32_t marks = program.zones[static_cast<std::size_t>(zone)].bags;
  if (marks < 0) return false;
  return ir::is_bag(state.bytes[static_cast<std::size_t>(marks + index)]);
}

}  // namespace rip::verify
