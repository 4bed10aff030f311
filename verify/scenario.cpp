#include "verify/scenario.h"

#include "verify/scenario_run.h"

#include <fmt/format.h>

#include <optional>

namespace rip::verify {

namespace {

bool swaps(const ScenarioScript& script) {
  for (const StepScript& step : script.steps) {
    if (step.kind == StepScript::Kind::swapping) return true;
  }
  return false;
}

/// Runs that failed are told again, with all that happened.
void report(ScenarioResult& result, const ScenarioScript& script, const Sources& sources, Free open, std::string sample) {
  ScenarioRun again(script, sources, open, swaps(script), true);
  again.run();
  result.passed = false;
  result.at = again.at == Span{} ? result.span : again.at;
  result.message = again.message;
  result.sample = std::move(sample);
  result.transcript = std::move(again.transcript);
}

void add_covered(ScenarioResult& result, const Tally& tally) {
  if (result.covered.empty()) result.covered.assign(tally.covered.size(), 0);
  for (std::size_t i = 0; i < tally.covered.size(); ++i) result.covered[i] += tally.covered[i];
}

}  // namespace

ScenarioResult run_scenario(const Version& version, const rules::Scenario& scenario, const Sources& sources, const ScenarioOptions& options) {
  ScenarioResult result;
  result.name = scenario.name;
  result.version = version.name;
  result.span = scenario.span;
  const ScenarioScript script = compile_scenario(version.rules, scenario);
  if (!script.error.empty()) {
    result.at = script.error_span == Span{} ? scenario.span : script.error_span;
    result.message = script.error;
    return result;
  }
  const bool notes = swaps(script);
  std::set<std::size_t> compared, not_comparable;
  const auto keep = [&](const ScenarioRun& run) {
    compared.insert(run.compared.begin(), run.compared.end());
    not_comparable.insert(run.not_comparable.begin(), run.not_comparable.end());
    add_covered(result, run.tally);
    ++result.samples;
  };
  // all ways, as long as there are few
  std::optional<std::vector<std::uint32_t>> path = std::vector<std::uint32_t>{};
  bool few = true;
  while (path) {
    Free open(*path);
    const Free same = open;
    ScenarioRun run(script, sources, open, notes, false);
    const bool passed = run.run();
    keep(run);
    if (!passed) {
      report(result, script, sources, same, open.ways_at_least() > 1 ? fmt::format("in way {} of those that are open", result.samples) : "");
      return result;
    }
    path = open.next();
    if (path && (result.samples >= options.most_ways || open.ways_at_least() > options.most_ways)) {
      few = false;
      break;
    }
  }
  result.all_ways = few;
  const std::size_t samples = script.weighs || script.counts_worlds ? options.weighed_samples : options.samples;
  for (std::size_t i = 0; !few && i < samples; ++i) {
    Rng seeds = Rng::for_game(options.seed, i);
    Free open(seeds.next());
    const Free same = open;
    ScenarioRun run(script, sources, open, notes, false);
    const bool passed = run.run();
    keep(run);
    if (!passed) {
      report(result, script, sources, same, fmt::format("in sample {} of {}, seed {}", i + 1, samples, options.seed));
      return result;
    }
  }
  for (const std::size_t number : not_comparable) {
    if (compared.contains(number)) continue;
    result.at = script.steps[number].span;
    result.message = "no sample could be compared: the other position needs a card that these seats hold or see";
    return result;
  }
  result.passed = true;
  return result;
}

// ---- swapping ----

namespace {

bool same_target(const GivenScript& a, const GivenScript& b, const Playable& playable, Machine& machine, State& state) {
  if (a.cards != b.cards) return false;
  if (a.cards) return instances(a.wanted.zone, playable, machine, state) == instances(b.wanted.zone, playable, machine, state);
  return a.var.var == b.var.var && positions(a.var, playable, machine, state) == positions(b.var, playable, machine, state);
}

std::string first_line_of(std::string_view text, std::size_t begin) { return std::string(text.substr(begin, text.find('\n', begin) - begin)); }

/// The first line in which what a seat has seen differs.
std::string first_line_apart(const Seen& a, const Seen& b) {
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    if (i >= a.size()) return fmt::format("`{}` with the swap, nothing without", first_line_of(b[i], 0));
    if (i >= b.size()) return fmt::format("`{}` without the swap, nothing with it", first_line_of(a[i], 0));
    if (a[i] == b[i]) continue;
    std::size_t begin = 0;
    for (std::size_t k = 0; k < std::min(a[i].size(), b[i].size()) && a[i][k] == b[i][k]; ++k) {
      if (a[i][k] == '\n') begin = k + 1;
    }
    return fmt::format("`{}`, with the swap `{}`", first_line_of(a[i], begin), first_line_of(b[i], begin));
  }
  return "";
}

}  // namespace

bool ScenarioRun::swapping(const StepScript& step, std::size_t number) {
  if (!go_on(step.span)) return false;
  std::optional<std::size_t> target;
  for (std::size_t i = 0; i < number; ++i) {
    const StepScript& before = script_.steps[i];
    if (step.with_given ? before.kind == StepScript::Kind::given && same_target(before.given, step.given, playable_, machine_, state_)
                        : before.kind == StepScript::Kind::does && before.seat == step.seat) {
      target = i;
    }
  }
  if (!target) return fail(step.span, step.with_given ? "no `given` line before speaks of this" : fmt::format("{} has not decided anything before", playable_.seat(step.seat)));
  Free open(std::vector<std::uint32_t>{});
  open.follow(open_);
  ScenarioRun other(script_, sources_, open, true, false);
  other.original_ = {this, *target, &step, false, {}};
  bool reached = other.begin();
  for (std::size_t i = 0; i < number && reached; ++i) reached = other.take_step(i);
  reached = reached && (!other.new_givens_ || other.arrange(step.span)) && other.go_on(step.span);
  if (!reached && (step.positive || other.at == script_.steps[*target].span)) {
    return fail(step.span, fmt::format("with the swap the case cannot be played to this point: {}", other.message));
  }
  if ((original_.disturbs || other.original_.disturbs) && step.with_given) {
    not_comparable.insert(number);
    return true;
  }
  compared.insert(number);
  for (const int seat : step.to) {
    const std::string apart = first_line_apart(seen_[static_cast<std::size_t>(seat)], other.seen_[static_cast<std::size_t>(seat)]);
    if (apart.empty() == step.positive) continue;
    return fail(step.span, step.positive ? fmt::format("it does not look the same to {}: {}", playable_.seat(seat), apart)
                                         : fmt::format("it looks the same to {}", playable_.seat(seat)));
  }
  return true;
}

}  // namespace rip::verify
