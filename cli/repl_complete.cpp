// What may be typed where a word begins: commands behind a dot, seats, names that the script declares.
#include "cli/repl_session.h"

#include <algorithm>
#include <set>

namespace rip::cli::repl {

std::vector<std::string> Session::completions(const std::string& before, const std::string& word) {
  std::set<std::string> names;
  if (before.find_first_not_of(' ') == std::string::npos && word.starts_with('.')) {
    for (const Command& command : commands()) names.insert("." + std::string(command.name));
  } else if (before.starts_with(".variant ")) {
    for (const auto& version : game_.opened.loaded->versions) names.insert(version->name);
  } else if (before.starts_with(".help ") || before.starts_with(".h ")) {
    for (const Command& command : commands()) names.insert(std::string(command.name));
  } else if (before.starts_with(".auto ") || before.starts_with(".a ")) {
    names = {"bot", "end", "random"};
  } else if (before.starts_with(".set ")) {
    for (const rules::Param& param : game_.rules().params) names.insert(param.name + "=");
  } else {
    const rules::Rules& rules = game_.rules();
    for (const std::string& name : names_of_halts(game_.program())) names.insert(name);
    for (const std::string& seat : game_.program().seats) names.insert(seat);
    for (const auto& zone : rules.zones) names.insert(zone.name);
    for (const auto& var : rules.vars) names.insert(var.name);
    for (const auto& let : rules.lets) names.insert(let.name);
    for (const rules::Param& param : rules.params) names.insert(param.name);
  }
  std::vector<std::string> out;
  std::copy_if(names.begin(), names.end(), std::back_inserter(out), [&](const std::string& name) { return !name.empty() && name.starts_with(word); });
  return out;
}

}  // namespace rip::cli::repl
