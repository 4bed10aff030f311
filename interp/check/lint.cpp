// What is idle: names nobody reads, phases nobody runs. Only asked when nothing else is wrong.
#include "interp/check/checker.h"

#include <fmt/format.h>

namespace rip::check {

void Checker::unread(Span span, const std::string& what, const std::string& name, const std::string& hint) {
  unread_.push_back({span, fmt::format("{} `{}` is never read", what, name), hint});
}

void Checker::lint() {
  if (diagnostics_->has_errors()) return;
  lint_calls();
  lint_bags();
  lint_listening();
  if (diagnostics_->has_errors()) return;
  lint_unread();
  lint_unreachable();
  lint_moves();
  lint_each();
  lint_triggers();
}

// Reading a name makes it worth having; a type is read where something is of it, a zone where it is named at all.
void Checker::lint_unread() {
  for (const auto& [name, entry] : values_) {
    if (entry.read) continue;
    switch (entry.kind) {
      case ValueName::Kind::param: unread(entry.span, "the parameter", name, ""); break;
      case ValueName::Kind::zone: unread(entry.span, rules_.zones[entry.id].deck != kNoId ? "the deck" : "the zone", name, ""); break;
      case ValueName::Kind::let: unread(entry.span, "the `let`", name, ""); break;
      case ValueName::Kind::var:
        if (var_infos_[entry.id].decl != nullptr && var_infos_[entry.id].decl->seen_by != nullptr)
          unread(entry.span, "the hidden variable", name, "an open variable counts as read, since players see it");
        break;
      case ValueName::Kind::enum_value: break;
    }
  }
  for (const auto& [name, entry] : types_)
    if (!entry.read) unread(entry.span, entry.is_enum ? "the enum" : "the component type", name, "");
  const Code code = options_flags_.in_variant ? Code::R1002 : Code::R1001;
  for (const auto& [name, entry] : procedures_) {
    if (entry.read || entry.routine == kNoId) continue;
    if (entry.phase != kNoId) report(Code::R1004, entry.span, fmt::format("the phase `{}` never runs", name)).hint = fmt::format("with parameters it runs by `do {}(...)` only", name);
    else report(code, entry.span, fmt::format("the rule `{}` is never done", name));
  }
  for (const Unread& entry : unread_) report(code, entry.span, entry.message).hint = entry.hint;
}

}  // namespace rip::check
