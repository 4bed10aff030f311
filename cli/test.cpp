// `ripdsl test`: the worked cases of a script.
#include "cli/command.h"

#include "verify/check.h"
#include "verify/parallel.h"
#include "verify/report.h"

#include <fmt/format.h>

#include <memory>
#include <optional>

namespace rip::cli {

namespace {

struct Options {
  std::vector<std::string> files;
  std::string match;
  std::string variant;
  bool json = false;
  unsigned jobs = 0;
  std::uint64_t seed = 1;
};

int test_one(const Options& options, const std::string& file) {
  const std::unique_ptr<verify::Loaded> loaded = verify::load(file);
  const bool errors = print_diagnostics(*loaded);
  if (!loaded->unreadable.empty()) return kViolated;
  std::optional<std::string> variant;
  if (!options.variant.empty()) {
    if (const std::string wrong = verify::unknown_variant(*loaded, options.variant); !wrong.empty()) return usage(wrong);
    variant = options.variant;
  }
  verify::ScenarioOptions how;
  how.seed = options.seed;
  const auto results = verify::run_scenarios(*loaded, variant, options.match, verify::jobs_meant(options.jobs), how);
  std::size_t failed = 0;
  for (const verify::ScenarioResult& result : results) failed += result.passed ? 0 : 1;
  if (options.json) {
    fmt::print("{}", verify::scenarios_json(results, *loaded));
  } else {
    for (const verify::ScenarioResult& result : results) {
      if (!result.passed) fmt::print("{}\n", verify::scenario_text(result, loaded->sources, colour_out()));
    }
    if (!errors || !results.empty()) fmt::print("{}: {} scenarios hold, {} fail\n", file, results.size() - failed, failed);
  }
  return errors || failed > 0 ? kViolated : kFine;
}

}  // namespace

void add_test(Command app, int& exit) {
  auto options = std::make_shared<Options>();
  const Command command = app.add_subcommand("test", "Run the scenarios of a script");
  command.add_option("FILE", options->files, "the scripts").required().type_name("");
  command.add_option("--match", options->match, "only scenarios whose name contains this").type_name("TEXT");
  command.add_option("--variant", options->variant, "only those of this variant").type_name("NAME");
  command.add_option("--jobs", options->jobs, "threads (default: all)").type_name("N").counting();
  command.add_option("--seed", options->seed, "of the samples of what a scenario leaves open").type_name("N").counting().default_val(1);
  command.add_flag("--json", options->json, "one JSON document on standard output");
  command.footer(R"(Example:
  ripdsl test games/gravediggers.rip --match widow)");
  command.callback([options, &exit] {
    exit = kFine;
    for (const std::string& file : options->files) exit = std::max(exit, test_one(*options, file));
  });
}

}  // namespace rip::cli
