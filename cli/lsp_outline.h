// The parts of a script as a tree, and its scenarios, also of a half-written one. Flow: grammar's tree -> here -> cli/lsp_server.
#pragma once

#include "grammar/ast.h"

#include <string>
#include <vector>

namespace rip::cli::lsp {

/// The numbers are those of the protocol's SymbolKind.
enum class PartKind { module = 2, name_space = 3, method = 6, field = 8, enumeration = 10, function = 12, variable = 13, constant = 14, array = 18, enum_member = 22, structure = 23, event = 24 };

struct OutlinePart {
  PartKind kind;
  std::string name, detail;
  Span whole, name_span;
  std::vector<OutlinePart> parts;
};
std::vector<OutlinePart> outline_of(const ast::Script& script);

/// All scenarios, also those inside of variants, in the order written.
struct ScenarioPlace {
  std::string name;
  Span span;
};
std::vector<ScenarioPlace> scenarios_of(const ast::Script& script);

}  // namespace rip::cli::lsp
