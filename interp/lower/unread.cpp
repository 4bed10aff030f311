// What only claims read, in a program that tests no claims: nobody needs to work it out.
#include "interp/ir/kids.h"
#include "interp/lower/lower.h"

#include <algorithm>

namespace rip {

namespace {

using ir::NodeOp;

/// Marks an expression, but not what is defined elsewhere, which others may use too.
void mark(const ir::Program& p, ir::Node n, std::vector<std::uint8_t>& marked) {
  if (n < 0 || marked[static_cast<std::size_t>(n)] != 0) return;
  marked[static_cast<std::size_t>(n)] = 1;
  const ir::ExprNode& x = p.nodes[static_cast<std::size_t>(n)];
  if (x.op != NodeOp::call) ir::each_kid(p, x, [&](ir::Node kid, bool) { mark(p, kid, marked); });
}

/// The conditions of claims that stand at no instruction.
std::vector<std::uint8_t> only_in_claims(const ir::Program& p) {
  std::vector<std::uint8_t> tested(p.claims.size());
  for (const ir::Instr& instr : p.code) {
    if (instr.op == ir::InstrOp::claim) tested[static_cast<std::size_t>(instr.a)] = 1;
  }
  std::vector<std::uint8_t> in_claims(p.nodes.size()), elsewhere(p.nodes.size());
  for (std::size_t i = 0; i < p.claims.size(); ++i) {
    if (tested[i] == 0) mark(p, p.claims[i].condition, in_claims);
  }
  // what anything else reads is no claim's alone
  for (std::size_t n = 0; n < p.nodes.size(); ++n) {
    if (in_claims[n] == 0) mark(p, static_cast<ir::Node>(n), elsewhere);
  }
  for (std::size_t n = 0; n < p.nodes.size(); ++n) in_claims[n] = in_claims[n] != 0 && elsewhere[n] == 0;
  return in_claims;
}

}  // namespace

void leave_out_unread(ir::Program& p) {
  const std::vector<std::uint8_t> in_claims = only_in_claims(p);
  const auto reads = [](const ir::ExprNode& x, std::int32_t index, const ir::Var& var) {
    switch (x.op) {
      case NodeOp::var: return x.c == index;
      case NodeOp::family:
      case NodeOp::set_var_at: return x.a == index;
      case NodeOp::cell:
      case NodeOp::cell_in_phase:
      case NodeOp::set_var:
      case NodeOp::list_var: return x.a >= var.cell.offset && x.a < var.cell.offset + var.bytes();
      default: return false;
    }
  };
  for (ir::Instr& instr : p.code) {
    if (instr.op != ir::InstrOp::start_var) continue;
    const ir::Var& var = p.vars[static_cast<std::size_t>(instr.a)];
    bool used = std::any_of(p.targets.begin(), p.targets.end(), [&](const ir::Target& target) { return target.var == instr.a; });
    for (std::size_t n = 0; n < p.nodes.size() && !used; ++n) used = in_claims[n] == 0 && reads(p.nodes[n], instr.a, var);
    if (!used) instr.op = ir::InstrOp::nop;
  }
}

}  // namespace rip
