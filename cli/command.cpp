#include "cli/command.h"

#include "verify/check.h"
#include "verify/report.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <exception>
#include <new>
#include <utility>
#include <unistd.h>

namespace rip::cli {

void add_file(Command app, GameOptions& options) { app.add_option("FILE", options.file, "the script").required().type_name(""); }

void add_configuration(Command app, GameOptions& options) {
  app.add_option("--variant", options.variant, "a variant or `small` block of the script").type_name("NAME");
  app.add_option("--players", options.players, "number of seats; without it the usual number").type_name("N");
  app.add_option("--set", options.settings, "a parameter; a table as NAME=v,v,v").type_name("NAME=VALUE").one_each();
  app.add_option("--seed", options.seed, "of the random numbers").type_name("N").counting().default_val(1);
}

bool colour_out() {
  static const bool colour = isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
  return colour;
}
bool colour_err() {
  static const bool colour = isatty(STDERR_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
  return colour;
}

void progress(const std::string& line) {
  static const bool shown = isatty(STDERR_FILENO) != 0;
  if (!shown) return;
  fmt::print(stderr, "\r\x1b[K{}", line);
  std::fflush(stderr);
}

nlohmann::ordered_json params_json(const verify::Playable& playable) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (const auto& [name, value] : verify::params_of(*playable.rules, playable.config)) out[name] = value;
  return out;
}

bool print_diagnostics(const verify::Loaded& loaded) {
  if (!loaded.unreadable.empty()) {
    fmt::print(stderr, "{}: error[{}]: cannot be read: {}\n", loaded.path, info(Code::R0003).name, loaded.unreadable);
    return true;
  }
  for (const Diagnostic& d : loaded.diagnostics()) fmt::print(stderr, "{}", render(d, loaded.sources, colour_err()));
  return loaded.has_errors();
}

int usage(const std::string& message) {
  fmt::print(stderr, "ripdsl: {}\n", message);
  return kUsage;
}

namespace {
/// `2.5G` is 2.5 and `G`; a number below 0 if there is none.
std::pair<double, std::string> with_unit(const std::string& text) {
  double value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  return {fault != std::errc{} ? -1 : value, std::string(end, text.data() + text.size())};
}
}  // namespace

double seconds_of(const std::string& text) {
  const auto [value, unit] = with_unit(text);
  if (value < 0) return -1;
  if (unit.empty() || unit == "s") return value;
  if (unit == "m" || unit == "min") return 60 * value;
  if (unit == "h") return 3600 * value;
  return unit == "ms" ? value / 1000 : -1;
}

std::uint64_t bytes_of(const std::string& text) {
  const auto [value, unit] = with_unit(text);
  if (value < 0 || value > 1e15) return 0;
  const int power = unit.empty() || unit == "B" ? 0 : unit == "K" || unit == "KB" ? 10 : unit == "M" || unit == "MB" ? 20 : unit == "G" || unit == "GB" ? 30 : -1;
  return power < 0 ? 0 : static_cast<std::uint64_t>(value * static_cast<double>(std::uint64_t{1} << power));
}

void add_native(Command app, verify::Native& native) {
  app.add_flag("--native", [&native] { native = verify::Native::always; }, "compile the game with the C++ compiler of this machine: ten times as fast and more");
  app.add_flag("--no-native", [&native] { native = verify::Native::never; }, "do not; without either, what would take more than some seconds is compiled");
}

void tell_not_native(const std::string& why_not) { fmt::print(stderr, "ripdsl: the game is played by the interpreter, not compiled: {}\n", why_not); }

Opened open_game(const GameOptions& options, LowerOptions lower) {
  Opened out;
  out.loaded = verify::load(options.file);
  const verify::Loaded& loaded = *out.loaded;
  const verify::Version* version = loaded.find(options.variant);
  if (loaded.versions.empty() || (version == nullptr && loaded.syntax.has_errors()) || (version != nullptr && version->rules == nullptr)) {
    print_diagnostics(loaded);
    out.exit = kViolated;
    return out;
  }
  if (version == nullptr) {
    out.exit = usage(verify::unknown_variant(loaded, options.variant));
    return out;
  }
  const verify::Configured wish = verify::configure(*version->rules, options.players, options.settings);
  if (!wish.error.empty()) {
    out.exit = usage(wish.error);
    return out;
  }
  out.version = version;
  out.playable = verify::prepare(version->rules, wish.config, std::move(lower));
  if (!out.playable->error.empty()) {
    fmt::print(stderr, "{}: error: this configuration cannot be played: {}\n{}", loaded.sources.where(out.playable->error_span), out.playable->error,
               verify::excerpt(loaded.sources, out.playable->error_span));
    out.exit = kViolated;
  }
  return out;
}

namespace {

constexpr const char* kIntroduction = R"(Card and dice games as short scripts: checked, played, measured.

  ripdsl check mygame.rip          is it complete and sound?
  ripdsl repl mygame.rip           step through a game
  ripdsl sim mygame.rip            who wins, how long does it take?

Exit codes: 0 all is well, 1 something does not hold, 2 wrong usage, 3 a budget ended first, 70 internal error.)";

int unknown_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) names.push_back(command->get_name());
  const std::string_view near = nearest(word, {names.begin(), names.end()});
  return usage(fmt::format("unknown command `{}`; {}", word, near.empty() ? "`ripdsl --help` lists them" : fmt::format("did you mean `{}`?", near)));
}

int run_app(int argc, const char* const* argv) {
  CLI::App app{kIntroduction, "ripdsl"};
  app.require_subcommand(1);
  app.set_version_flag("--version", fmt::format("ripdsl {}", verify::version_number()));
  app.set_help_flag("-h,--help", "this text");
  int exit = kFine;
  const Command commands(app);
  add_check(commands, exit);
  add_test(commands, exit);
  add_play(commands, exit);
  add_repl(commands, exit);
  add_sim(commands, exit);
  add_tree(commands, exit);
  add_fmt(commands, exit);
  add_expand(commands, exit);
  add_new(commands, exit);
  add_graph(commands, exit);
  add_rules(commands, exit);
  add_ir(commands, exit);
  add_explain(commands, exit);
  add_bench(commands, exit);
  add_mutate(commands, exit);
  add_lsp(commands, exit);
  add_grammar(commands, exit);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const CLI::App* asked = &app;
    while (!asked->get_subcommands().empty()) asked = asked->get_subcommands().front();
    fmt::print("{}", asked->help());
    return kFine;
  } catch (const CLI::CallForVersion& version) {
    fmt::print("{}\n", version.what());
    return kFine;
  } catch (const CLI::ParseError& error) {
    std::string command;
    const CLI::App* asked = &app;
    while (!asked->get_subcommands().empty()) {
      asked = asked->get_subcommands().front();
      command += " " + asked->get_name();
    }
    if (command.empty() && argc > 1 && argv[1][0] != '-') return unknown_command(app, argv[1]);
    return usage(fmt::format("{}\nTry `ripdsl{} --help`.", error.what(), command));
  }
  return exit;
}

}  // namespace

int run(int argc, const char* const* argv) {
  try {
    const int exit = run_app(argc, argv);
    if (std::fflush(stdout) != 0) return usage("standard output cannot be written");
    return exit;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "ripdsl: out of memory\n");
    return kBudget;
  } catch (const std::exception& fault) {
    fmt::print(stderr, "ripdsl: internal error: {}\nThis is a mistake in ripdsl, not in your script. Please report it, with the script and the command.\n", fault.what());
  } catch (...) {
    fmt::print(stderr, "ripdsl: internal error\nThis is a mistake in ripdsl, not in your script. Please report it, with the script and the command.\n");
  }
  return kInternal;
}

}  // namespace rip::cli
