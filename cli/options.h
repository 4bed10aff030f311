// What a command's line may say: each option is bound to the place that it sets. CLI11 reads the line; it is a large header, so
// that only options.cpp and command.cpp know it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}

namespace rip::cli {

class Option {
 public:
  explicit Option(CLI::Option& option) : option_(option) {}
  Option& required();
  /// How help calls the value: N, FILE.
  Option& type_name(const std::string& name);
  /// Sets the place, too.
  Option& default_val(const std::string& text);
  Option& default_val(std::uint64_t number) { return default_val(std::to_string(number)); }
  /// Only a number from 0 on. CLI11 itself wraps -1 round and accepts 2.5.
  Option& counting();
  Option& one_of(const std::vector<std::string>& words);
  Option& excludes(const std::string& name);
  /// Each value has its own `--name`.
  Option& one_each();

 private:
  CLI::Option& option_;
};

/// A command, or the program with all its commands.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(app) {}
  Command add_subcommand(const std::string& name, const std::string& help) const;

  Option add_option(const std::string& name, std::string& place, const std::string& help) const;
  Option add_option(const std::string& name, std::vector<std::string>& place, const std::string& help) const;
  Option add_option(const std::string& name, std::uint64_t& place, const std::string& help) const;
  Option add_option(const std::string& name, unsigned& place, const std::string& help) const;
  Option add_option(const std::string& name, int& place, const std::string& help) const;
  Option add_flag(const std::string& name, bool& place, const std::string& help) const;
  /// What happens where the flag is written.
  void add_flag(const std::string& name, const std::function<void()>& act, const std::string& help) const;

  /// Below the options in help: what to know, and examples.
  void footer(const std::string& text) const;
  /// Runs when the line was read and it is this command's.
  void callback(const std::function<void()>& run) const;

 private:
  CLI::App& app_;
};

}  // namespace rip::cli
