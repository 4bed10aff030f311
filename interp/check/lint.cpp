// What is idle: names nobody reads, phases nobody runs. Only asked when nothing else is wrong.
#include "interp/check/checker.h"

#include <fmt/format.h>

namespace rip::check {

void Checker::unread(Span span, const std::string& what, const std::string& name, const std::string& hint) {
  unread_.push_back({span, fmt::format("{} `{}` is never read", what, name), hint});
}

void Checker::lint() {
  if (diagnostics_->has_errors()) return;
  lint_unread();
}

void Checker::lint_unread() {
  for (const Unread& entry : unread_)
    report(options_flags_.in_variant ? Code::R1002 : Code::R1001, entry.span, entry.message).hint = entry.hint;
}

}  // namespace rip::check
