// `ripdsl mutate`: would the script's own checks notice a slip in its rules?
#include "cli/command.h"

#include "verify/mutate.h"

#include <fmt/format.h>

#include <memory>

namespace rip::cli {

namespace {

struct Options {
  std::string file, variant, time;
  std::uint64_t mutants = 0, games = 0, states = 0, seed = 1;
  unsigned jobs = 0;
  bool base_only = false;
  bool json = false;
};

int mutate(const Options& options) {
  verify::MutateOptions how;
  how.mutants = options.mutants;
  how.games = options.games;
  how.states = options.states;
  how.jobs = options.jobs;
  how.seed = options.seed;
  if (options.base_only) how.variant = "";
  if (!options.variant.empty()) how.variant = options.variant;
  how.progress = progress;
  how.seconds = seconds_of(options.time);
  if (how.seconds < 0) return usage(fmt::format("`{}` is no time; write for instance 30s or 5m", options.time));
  const std::unique_ptr<verify::Loaded> loaded = verify::load(options.file);
  if (print_diagnostics(*loaded)) return kViolated;
  const verify::MutationReport report = verify::mutate_game(*loaded, how);
  progress("");
  if (!report.usage_error.empty()) return usage(report.usage_error);
  fmt::print("{}", options.json ? verify::mutation_json(report, *loaded) : verify::mutation_text(report, *loaded, colour_out()));
  if (!report.failed.empty() || report.count(verify::Fate::survived) > 0) return kViolated;
  return report.time_ended() ? kBudget : kFine;
}

}  // namespace

void add_mutate(Command app, int& exit) {
  auto options = std::make_shared<Options>();
  const Command command = app.add_subcommand("mutate", "Would a slip be noticed? Changes the rules in small ways and tells which changes no scenario, claim or leak check catches");
  command.add_option("FILE", options->file, "the script").required().type_name("");
  command.add_option("--variant", options->variant, "only what this variant plays, judged by its own scenarios and games").type_name("NAME");
  command.add_flag("--base", options->base_only, "the base game only, no variants");
  command.add_option("--mutants", options->mutants, "a sample of so many changes (default: all of them, as far as the time reaches)").type_name("N").counting();
  command.add_option("--time", options->time, "in all; 0 for as long as it takes").type_name("TIME").default_val("60s");
  command.add_option("--games", options->games, "random games of each changed game: so many for each number of players, half of it for each variant")
      .type_name("N").counting().default_val(48);
  command.add_option("--states", options->states, "search each `small` that has no more states than this").type_name("N").counting().default_val(25000);
  command.add_option("--jobs", options->jobs, "threads (default: all)").type_name("N").counting();
  command.add_option("--seed", options->seed, "of the sample and of the random games").type_name("N").counting().default_val(1);
  command.add_flag("--json", options->json, "one JSON document on standard output");
  command.footer(R"(A statement is left out, a number is one more, a condition is negated, a zone is another one, a trigger never fires, a secret is shown, a seat is skipped. A change
that nothing notices is a rule that no scenario shows: write one, or see why the change makes no difference. Claims, scenarios, reports and `small` blocks are
not changed. What the checker refuses, and what is the same program as before, does not count.

Exit codes: 0 all were caught, 1 some survive or the script itself does not hold, 3 none survives but the time ended before all were judged.

Example:
  ripdsl mutate games/gravediggers.rip --mutants 100
  ripdsl mutate mygame.rip --time 10m --json)");
  command.callback([options, &exit] { exit = mutate(*options); });
}

}  // namespace rip::cli
