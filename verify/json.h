// What all JSON documents have in common. Used by verify/report_json and verify/mutate_report.
#pragma once

#include "base/source.h"

#include <nlohmann/json.hpp>

#include <string>

namespace rip::verify {

using Json = nlohmann::ordered_json;

/// File, line and column of both ends; null where there is no place.
Json span_json(const Sources& sources, Span span);
/// The document as text; bytes that are no UTF-8 are replaced.
std::string dumped(const Json& json);

}  // namespace rip::verify
