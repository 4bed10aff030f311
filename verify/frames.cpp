#include "verify/frames.h"

#include "interp/run/engine.h"

#include <algorithm>
#include <cstring>

namespace rip::verify {

namespace {

using ir::InstrOp;
using ir::Pc;

/// All instructions of a routine; they stand together.
InUse all_of(const ir::Program& p, std::int32_t routine) {
  const auto first = std::find(p.routine_of.begin(), p.routine_of.end(), routine);
  const auto last = std::find(p.routine_of.rbegin(), p.routine_of.rend(), routine);
  return {static_cast<Pc>(first - p.routine_of.begin()), static_cast<Pc>(last.base() - p.routine_of.begin())};
}

bool binds_components(const ir::Clause& clause) {
  return std::any_of(clause.binders.begin(), clause.binders.end(), [](const ir::Binder& b) { return b.component; });
}

}  // namespace

Frames find_frames(const ir::Program& p) {
  Frames found;
  const auto take = [&](const std::vector<ir::FrameLocal>& locals, InUse use) {
    for (const ir::FrameLocal& local : locals) found.locals.push_back({local, use, false});
  };
  for (Pc pc = 0; pc < static_cast<Pc>(p.code.size()); ++pc) {
    const ir::Instr& instr = p.code[static_cast<std::size_t>(pc)];
    switch (instr.op) {
      case InstrOp::choose: {
        const ir::Choose& choose = p.chooses[static_cast<std::size_t>(instr.a)];
        bool components = false;
        for (std::int32_t i = choose.first; i < choose.first + choose.count; ++i) {
          const ir::Option& option = p.options[static_cast<std::size_t>(i)];
          const bool last = i + 1 == choose.first + choose.count;
          take(option.args, {option.body, last ? instr.b : p.options[static_cast<std::size_t>(i) + 1].body, pc, i});
          components = components || ir::names_components(option.arg_texts);
        }
        if (choose.each && components) found.rows.push_back({choose.state, ir::commitment(choose, p.players, 0), choose.commit_stride / 4, true, {pc, instr.b}});
        break;
      }
      case InstrOp::for_next: {
        const ir::For& loop = p.fors[static_cast<std::size_t>(instr.a)];
        const ir::Clause& clause = p.clauses[static_cast<std::size_t>(loop.clause)];
        const InUse body{pc, instr.b};
        take(loop.locals, body);
        if (binds_components(clause)) found.rows.push_back({loop.state, loop.state + 8, static_cast<std::int32_t>(clause.binders.size()), false, body});
        break;
      }
      case InstrOp::let: case InstrOp::let_random: {
        const InUse rest{pc, all_of(p, p.routine_of[static_cast<std::size_t>(pc)]).end};
        found.locals.push_back({p.frame_locals[static_cast<std::size_t>(instr.a)], rest, true});
        break;
      }
      default: break;
    }
  }
  for (std::size_t r = 1; r < p.routines.size(); ++r) take(p.routines[r].params, all_of(p, static_cast<std::int32_t>(r)));
  for (const ir::When& when : p.whens) take(when.locals, all_of(p, when.routine));
  return found;
}

void control(const ir::Program& p, const std::uint8_t* bytes, std::vector<Pc>& pcs) {
  pcs.clear();
  Pc pc = reinterpret_cast<const ir::Header*>(bytes)->pc;
  while (pc >= 0 && pc < static_cast<Pc>(p.code.size())) {
    pcs.push_back(pc);
    const std::int32_t routine = p.routine_of[static_cast<std::size_t>(pc)];
    if (routine <= 0) return;
    std::memcpy(&pc, bytes + p.routines[static_cast<std::size_t>(routine)].frame, sizeof pc);
  }
}

bool in_use(const InUse& use, const std::vector<Pc>& pcs, const ir::Header& header) {
  const bool taken = use.option >= 0 && header.chance == static_cast<std::uint8_t>(ChanceKind::which) && header.pc == use.choose && header.chance_a == use.option;
  return taken || std::any_of(pcs.begin(), pcs.end(), [&](Pc pc) { return pc >= use.begin && pc < use.end; });
}

}  // namespace rip::verify
