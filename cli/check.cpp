// `ripdsl check`: is this game complete and sound?
#include "cli/command.h"

#include "base/text.h"
#include "verify/check.h"
#include "verify/report.h"

#include <fmt/format.h>

#include <fstream>
#include <memory>

namespace rip::cli {

namespace {

struct Options {
  GameOptions game;
  std::vector<std::string> files;
  std::uint64_t games = 0;
  std::string time, memory;
  std::uint64_t states = 0;
  unsigned jobs = 0;
  std::string only, without, html;
  bool base_only = false;
  bool json = false, verbose = false;
};

bool choose_parts(const std::string& only, verify::CheckOptions& out, std::string& unknown) {
  out.do_static = out.do_scenarios = out.do_search = out.do_random = out.do_leaks = out.do_coverage = false;
  for (const std::string& part : split_at_commas(only)) {
    if (part == "static") out.do_static = true;
    else if (part == "scenarios") out.do_scenarios = true;
    else if (part == "search") out.do_search = true;
    else if (part == "random") out.do_random = true;
    else if (part == "leaks") out.do_leaks = true;
    else if (part == "coverage") out.do_coverage = true;
    else {
      unknown = part;
      return false;
    }
  }
  return true;
}

/// Switches off what is listed; the rest of a sentence if something is no reduction.
std::string leave_off(const std::string& without, verify::Reductions& reductions) {
  for (const std::string& part : split_at_commas(without)) {
    bool known = part == "all";
    for (const verify::ReductionName& reduction : verify::kReductions) {
      if (part != "all" && part != reduction.name) continue;
      reductions.*reduction.on = false;
      known = true;
    }
    if (!known) return fmt::format("`{}` is no reduction of the search; there are {} and all", part, verify::reduction_names());
  }
  return "";
}

int check_one(const Options& options, const std::string& file) {
  verify::CheckOptions how;
  how.games = options.games;
  how.jobs = options.jobs;
  how.seed = options.game.seed;
  how.players = options.game.players;
  how.settings = options.game.settings;
  if (options.base_only) how.variant = "";
  if (!options.game.variant.empty()) how.variant = options.game.variant;
  how.progress = progress;
  if (!options.time.empty()) {
    how.seconds = seconds_of(options.time);
    if (how.seconds < 0) return usage(fmt::format("`{}` is no time; write for instance 30s or 2m", options.time));
    how.search_seconds = 0.6 * how.seconds;
  }
  how.states = options.states;
  if (!options.memory.empty()) {
    how.memory = bytes_of(options.memory);
    if (how.memory == 0) return usage(fmt::format("`{}` is no size; write for instance 500M or 2G", options.memory));
  }
  std::string unknown;
  if (!options.only.empty() && !choose_parts(options.only, how, unknown)) {
    return usage(fmt::format("`{}` is no part of the check; there are static, scenarios, random, search, leaks, coverage", unknown));
  }
  if (!options.without.empty()) {
    if (const std::string error = leave_off(options.without, how.reductions); !error.empty()) return usage(error);
  }
  const std::unique_ptr<verify::Loaded> loaded = verify::load(file);
  print_diagnostics(*loaded);
  if (!loaded->unreadable.empty()) return kViolated;
  const verify::CheckReport report = verify::check_game(*loaded, how);
  progress("");
  if (!report.usage_error.empty()) return usage(report.usage_error);
  if (options.json) fmt::print("{}", verify::report_json(report, *loaded));
  else if (!report.runs.empty() || !loaded->has_errors()) fmt::print("{}", verify::report_text(report, *loaded, colour_out(), options.verbose));
  if (!options.html.empty()) {
    std::ofstream page(options.html, std::ios::binary);
    page << verify::report_html(report, *loaded);
    page.close();
    if (!page) {
      fmt::print(stderr, "ripdsl: {} cannot be written\n", options.html);
      return kViolated;
    }
  }
  return !report.ok ? kViolated : report.budget_ended ? kBudget : kFine;
}

}  // namespace

void add_check(Command app, int& exit) {
  auto options = std::make_shared<Options>();
  const Command command = app.add_subcommand("check", "Is the game complete and sound? Static checks, worked cases, exhaustive search, random play, leaks, coverage");
  command.add_option("FILE", options->files, "the scripts").required().type_name("");
  add_configuration(command, options->game);
  command.add_option("--games", options->games, "so many random games for each configuration, instead of a time").type_name("N").counting();
  command.add_option("--time", options->time, "for each script in all, for instance 30s or 2m (default: 7s, and up to 17s more for a search that needs it)").type_name("TIME");
  command.add_option("--states", options->states, "search so many states of each `small` instead of a time").type_name("N").counting();
  command.add_option("--memory", options->memory, "for the search, for instance 500M (default 2G)").type_name("SIZE");
  command.add_option("--jobs", options->jobs, "threads (default: all)").type_name("N").counting();
  command.add_option("--only", options->only, "some of static,scenarios,random,search,leaks,coverage").type_name("PARTS");
  command.add_option("--without", options->without, fmt::format("search states apart that rules cannot tell apart: some of {} or all", verify::reduction_names())).type_name("NAMES");
  command.add_flag("--base", options->base_only, "the base game only, no variants");
  command.add_option("--html", options->html, "write the report as one page for a browser, too; of one script").type_name("PAGE");
  command.add_flag("--verbose", options->verbose, "also list the places where what depends on a secret might show");
  command.add_flag("--json", options->json, "one JSON document on standard output");
  command.footer(R"(Without options all variants and player counts are checked, and each `small` is searched through. What is violated is shown as the shortest game found, and saved
under .ripdsl/failures beside the script; the next check tries it first.

Example:
  ripdsl check games/vertippt.rip
  ripdsl check games/gravediggers.rip --variant "every guard pays" --players 3 --games 5000)");
  command.callback([options, &exit] {
    exit = kFine;
    if (!options->html.empty() && options->files.size() > 1) {
      exit = usage("--html takes one script");
      return;
    }
    for (const std::string& file : options->files) exit = std::max(exit, check_one(*options, file));
  });
}

}  // namespace rip::cli
