// Where things lie in a state.
#include "cli/dump.h"

#include <fmt/format.h>

#include <algorithm>

namespace rip::cli {

std::string dump_layout(const ir::Program& program) {
  struct Part {
    std::int32_t offset;
    std::string text;
  };
  std::vector<Part> parts = {{0, fmt::format("header, {} bytes", ir::kHeaderSize)},
                             {program.zone_of, fmt::format("zone of each of {} components, u16", program.components.size())},
                             {program.faces, "face of each component, i8"},
                             {program.known, "seats that know each component, u32"},
                             {program.counts, fmt::format("components in each of {} zones, u16", program.zones.size())}};
  if (program.rolling >= 0) parts.push_back({program.rolling, "rolled numbers that wait, i8"});
  for (const ir::Zone& zone : program.zones) {
    parts.push_back({zone.ids, fmt::format("{}: up to {} components", zone.name, zone.capacity)});
    if (zone.bags >= 0) parts.push_back({zone.bags, fmt::format("{}: bag marks", zone.name)});
  }
  for (const ir::Var& var : program.vars) {
    const int bytes = var.set ? 8 * var.domain.words : 1 << static_cast<int>(var.cell.width);
    parts.push_back({var.cell.offset, fmt::format("{}: {} x {} bytes{}", var.name, var.count, bytes, var.set ? " (a set)" : fmt::format(", {}..{}", var.low, var.high))});
    if (var.known >= 0) parts.push_back({var.known, fmt::format("{}: seats that know it", var.name)});
  }
  for (std::size_t i = 1; i < program.routines.size(); ++i) {
    const ir::Routine& routine = program.routines[i];
    parts.push_back({routine.frame, fmt::format("frame of {}, {} bytes", routine.name, routine.frame_size)});
  }
  std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.offset < b.offset; });
  std::string out = fmt::format("a state has {} bytes\n", program.size);
  for (const Part& part : parts) out += fmt::format("{:>8}  {}\n", part.offset, part.text);
  return out;
}

}  // namespace rip::cli
