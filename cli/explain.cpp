// `ripdsl explain CODE`: what a diagnostic means.
#include "cli/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>

namespace rip::cli {

namespace {

void print_script(const char* title, std::string_view script) {
  if (script.empty()) return;
  fmt::print("\n{}:\n\n", title);
  while (!script.empty()) {
    const std::size_t end = std::min(script.find('\n'), script.size());
    fmt::print("    {}\n", script.substr(0, end));
    script.remove_prefix(std::min(end + 1, script.size()));
  }
}

int explain(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (name == "ALL") {
    for (const CodeInfo& code : all_codes()) fmt::print("{}  {}\n", code.name, code.title);
    return kFine;
  }
  const CodeInfo* code = find_code(name);
  if (code == nullptr) {
    std::vector<std::string_view> names;
    for (const CodeInfo& known : all_codes()) names.push_back(known.name);
    const std::string_view near = nearest(name, names);
    return usage(fmt::format("there is no diagnostic `{}`; {}", name, near.empty() ? "`ripdsl explain all` lists them" : fmt::format("did you mean `{}`?", near)));
  }
  fmt::print("{}: {} ({})\n\n{}\n", code->name, code->title, code->severity == Severity::error ? "error" : "warning", code->explanation);
  print_script("wrong", code->bad);
  print_script("right", code->good);
  return kFine;
}

}  // namespace

void add_explain(Command app, int& exit) {
  auto name = std::make_shared<std::string>();
  const Command command = app.add_subcommand("explain", "What a message means, with a bad example and the good one");
  command.add_option("CODE", *name, "for instance R0203; `all` lists the codes").required().type_name("");
  command.footer(R"(Example:
  ripdsl explain R0203)");
  command.callback([name, &exit] { exit = explain(*name); });
}

}  // namespace rip::cli
