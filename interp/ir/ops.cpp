#include "interp/ir/ir.h"

namespace rip::ir {

const char* name(NodeOp op) {
  static constexpr const char* kNames[] = {
#define RIP_NODE(name) #name,
#define RIP_INSTR(name)
#include "interp/ir/ops.def"
#undef RIP_NODE
#undef RIP_INSTR
  };
  return kNames[static_cast<std::size_t>(op)];
}

const char* name(InstrOp op) {
  static constexpr const char* kNames[] = {
#define RIP_NODE(name)
#define RIP_INSTR(name) #name,
#include "interp/ir/ops.def"
#undef RIP_NODE
#undef RIP_INSTR
  };
  return kNames[static_cast<std::size_t>(op)];
}

}  // namespace rip::ir
