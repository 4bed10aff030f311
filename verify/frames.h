// Where the rules under way keep arguments and bindings, and how long: cells of frames are used by turns, so what stands in
// one counts only while its rule is under way. Flow: Program -> Frames -> verify/canonical.
#pragma once

#include "interp/ir/ir.h"

#include <cstdint>
#include <vector>

namespace rip::verify {

/// What is in use while control stands at an instruction in [begin, end), or waits there for a rule that was called. Arguments of
/// an option also while control stands at `choose` and chance finds out what the option stood for.
struct InUse {
  ir::Pc begin = 0, end = 0;
  ir::Pc choose = -1;
  std::int32_t option = -1;
};
struct LocalInUse {
  ir::FrameLocal local;
  InUse use;
  bool may_be_over = false;  ///< a local `let`: where its block ends cannot be seen, and then others use its cell
};
/// Rows of numbers, by the names they are bound to: the bindings of a loop, or what those who decide at once have committed.
struct RowsInUse {
  std::int32_t state = 0;    ///< offset of their number: i32 of a loop; of commitments u8, two behind it the seats
  std::int32_t offset = 0;   ///< of the first row; of commitments by seat
  std::int32_t width = 0;    ///< numbers of a row
  bool commitments = false;
  InUse use;
};

struct Frames {
  std::vector<LocalInUse> locals;
  std::vector<RowsInUse> rows;  ///< with a component among them
};
Frames find_frames(const ir::Program& program);

/// Where control stands, and where it will go on after each rule under way; innermost first. `bytes`: a state.
void control(const ir::Program& program, const std::uint8_t* bytes, std::vector<ir::Pc>& pcs);
bool in_use(const InUse& use, const std::vector<ir::Pc>& pcs, const ir::Header& header);

}  // namespace rip::verify
