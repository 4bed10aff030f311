// Any bytes as a script: read, expanded to every version, checked, and every diagnostic shown. Nothing may crash, hang or
// touch memory it must not. `./dev fuzz` runs it.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "grammar/expand.h"
#include "grammar/parser.h"
#include "interp/check/check.h"

using namespace rip;

namespace {

/// Card lists of a fuzzed script are empty: its paths are not to be opened.
check::CsvFile no_file(const std::string&, std::uint32_t) { return {0, "no files here"}; }

void show(const Diagnostics& diagnostics, const Sources& sources) {
  for (const Diagnostic& diagnostic : diagnostics.sorted()) {
    if (render(diagnostic, sources, false).empty()) std::abort();
  }
}

void check_version(const grammar::Expanded& expanded, const Sources& sources, Diagnostics& diagnostics, bool in_variant) {
  if (!diagnostics.has_errors()) check::check(expanded.script, expanded.scenarios, sources, no_file, diagnostics, {in_variant, expanded.sets});
  show(diagnostics, sources);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  Sources sources;
  Diagnostics syntax;
  const std::uint32_t file = sources.add("fuzz.rip", std::string(reinterpret_cast<const char*>(bytes), size));
  const ast::Script script = grammar::parse(sources, file, syntax);
  show(syntax, sources);
  if (syntax.has_errors()) return 0;
  grammar::check_scenario_variants(script, syntax);

  Diagnostics base;
  check_version(grammar::expand(script, base), sources, base, false);
  for (const ast::VariantDecl* variant : grammar::variants(script)) {
    Diagnostics diagnostics;
    const grammar::Chain chain = grammar::variant_chain(script, variant->name, nullptr, diagnostics);
    check_version(grammar::expand(chain, nullptr, diagnostics), sources, diagnostics, true);
  }
  for (const ast::SmallDecl* small : grammar::smalls(script)) {
    Diagnostics diagnostics;
    check_version(grammar::expand(script, {}, small, diagnostics), sources, diagnostics, true);
  }
  return 0;
}
