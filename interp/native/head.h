// The text of the files that every emitted source begins with; the build puts them into the program.
#pragma once

#include <string>

namespace rip::native {

std::string source_head();   ///< the generator, abi.h, prelude.h
std::string source_zones();  ///< zones.h, bags.h, packets.h

}  // namespace rip::native
