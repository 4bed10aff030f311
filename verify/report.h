// A CheckReport for people, and as JSON. Flow: verify/check -> here -> cli/check.
#pragma once

#include "verify/check.h"

#include <string>

namespace rip::verify {

/// The report as text; ANSI colours if asked for.
std::string report_text(const CheckReport& report, const Loaded& loaded, bool colour);
/// One JSON document.
std::string report_json(const CheckReport& report, const Loaded& loaded);

/// One failed or passed scenario with its transcript.
std::string scenario_text(const ScenarioResult& result, const Sources& sources, bool colour);
std::string scenarios_json(const std::vector<ScenarioResult>& results, const Loaded& loaded);

/// The source line with the span underlined, as diagnostics show it.
std::string excerpt(const Sources& sources, Span span);
std::string_view version_number();

}  // namespace rip::verify
