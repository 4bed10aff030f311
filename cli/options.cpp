#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace rip::cli {

Option& Option::required() {
  option_.required();
  return *this;
}

Option& Option::type_name(const std::string& name) {
  option_.type_name(name);
  return *this;
}

Option& Option::default_val(const std::string& text) {
  option_.default_val(text);
  return *this;
}

Option& Option::counting() {
  option_.check(CLI::Validator(
      [](std::string& text) {
        const bool digits = !text.empty() && text.size() <= 18 && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
        return digits ? std::string() : fmt::format("`{}` is no number from 0 on", text);
      },
      ""));
  return *this;
}

Option& Option::one_of(const std::vector<std::string>& words) {
  option_.check(CLI::IsMember(words));
  return *this;
}

Option& Option::excludes(const std::string& name) {
  option_.excludes(name);
  return *this;
}

Option& Option::one_each() {
  option_.allow_extra_args(false);
  return *this;
}

Command Command::add_subcommand(const std::string& name, const std::string& help) const { return Command(*app_.add_subcommand(name, help)); }

Option Command::add_option(const std::string& name, std::string& place, const std::string& help) const { return Option(*app_.add_option(name, place, help)); }
Option Command::add_option(const std::string& name, std::vector<std::string>& place, const std::string& help) const {
  return Option(*app_.add_option(name, place, help));
}
Option Command::add_option(const std::string& name, std::uint64_t& place, const std::string& help) const { return Option(*app_.add_option(name, place, help)); }
Option Command::add_option(const std::string& name, unsigned& place, const std::string& help) const { return Option(*app_.add_option(name, place, help)); }
Option Command::add_option(const std::string& name, int& place, const std::string& help) const { return Option(*app_.add_option(name, place, help)); }
Option Command::add_flag(const std::string& name, bool& place, const std::string& help) const { return Option(*app_.add_flag(name, place, help)); }
void Command::add_flag(const std::string& name, const std::function<void()>& act, const std::string& help) const { app_.add_flag_callback(name, act, help); }

void Command::footer(const std::string& text) const { app_.footer(text); }
void Command::callback(const std::function<void()>& run) const { app_.callback(run); }

}  // namespace rip::cli
