// A CheckReport for people, as JSON, and as a page. Flow: verify/check -> here -> cli/check.
#pragma once

#include "verify/check.h"

#include <string>
#include <vector>

namespace rip::verify {

/// The report as text; ANSI colours if asked for. `verbose`: also where secrets might show.
std::string report_text(const CheckReport& report, const Loaded& loaded, bool colour, bool verbose = false);
/// One HTML page that needs nothing else: verdicts, coverage, and each counterexample step by step, or its two worlds side by side.
std::string report_html(const CheckReport& report, const Loaded& loaded);
/// One JSON document.
std::string report_json(const CheckReport& report, const Loaded& loaded);

/// What all runs together say of one property.
struct PropertyLine {
  std::string name;
  PropertyKind kind = PropertyKind::range;
  Verdict verdict = Verdict::holds;
  std::string detail;
};
/// In the order in which they are first met; what holds everywhere stands once.
std::vector<PropertyLine> property_lines(const CheckReport& report);

/// One failed or passed scenario with its transcript.
std::string scenario_text(const ScenarioResult& result, const Sources& sources, bool colour);
std::string scenarios_json(const std::vector<ScenarioResult>& results, const Loaded& loaded);

/// The source line with the span underlined, as diagnostics show it.
std::string excerpt(const Sources& sources, Span span);
std::string_view version_number();

}  // namespace rip::verify
