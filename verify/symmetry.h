// Values that may change places, as the suits of many trick games: of the states that differ only by that one is kept.
// Flow: Program::interchangeable and the components -> Symmetry -> verify/canonical.
#pragma once

#include "interp/ir/ir.h"

#include <cstdint>
#include <vector>

namespace rip::verify {

/// One enum, and those of its values of which the box holds the same components.
struct Symmetry {
  std::int32_t texts = -1;            ///< which enum: index into Program::value_texts
  std::vector<std::int32_t> values;   ///< ascending; two or more
  /// By row (components that differ in this value only) the component with each of the values.
  std::vector<std::vector<std::int32_t>> rows;
  std::vector<std::int32_t> alike;    ///< by row: the first row whose components are copies of these
  struct Indexed {
    std::int32_t var, stride, low, count;
  };
  std::vector<std::int32_t> holders;  ///< variables that hold such values
  std::vector<Indexed> indexed;       ///< families of variables with an index of them
};

/// `read_tables`: attributes that rules read. Enums of which no two values have the same components are left out.
std::vector<Symmetry> find_symmetries(const ir::Program& program, const std::vector<std::int32_t>& read_tables);

}  // namespace rip::verify
