#include "verify/check.h"

#include "base/text.h"
#include "verify/counterexample.h"
#include "verify/parallel.h"
#include "verify/parameters.h"
#include "verify/random_play.h"
#include "verify/rapid.h"
#include "verify/tree.h"
#include "verify/verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <numeric>
#include <set>

namespace rip::verify {

namespace {

using Clock = std::chrono::steady_clock;
constexpr double kNoLimit = 1e9;
constexpr std::uint64_t kGamesOfParameters = 24;
constexpr std::uint64_t kHistoriesBesideGames = 20'000;  ///< likewise
constexpr std::uint64_t kStatesBesideGames = 200'000;  ///< a number of games, not a time, was wished for

/// One version with one number of players.
struct Run {
  const Version* version = nullptr;
  rules::Config config;
  std::shared_ptr<const Playable> playable;
  std::optional<PlayStats> stats;
  std::optional<SearchResult> search;
  std::string leaks_proved;  ///< how much of the game tree there is, if no seat learns too much in any history
};

class Check {
 public:
  Check(const Loaded& loaded, const CheckOptions& options) : loaded_(loaded), options_(options), begin_(Clock::now()) {
    report_.file = loaded.path;
    report_.game = loaded.script.title;
    report_.seed = options.seed;
    jobs_ = jobs_meant(options.jobs);
  }

  CheckReport run() {
    for (const Diagnostic& d : loaded_.diagnostics()) ++(d.severity == Severity::error ? report_.errors : report_.warnings);
    if (!loaded_.unreadable.empty()) ++report_.errors;
    plan();
    if (report_.usage_error.empty()) {
      scenarios();
      if (options_.do_search || options_.do_random || options_.do_leaks) {
        tell("trying what failed before");
        for (Found& found : saved_failures(loaded_, options_)) note(std::move(found));
        prepare_runs();
        if (options_.do_search) search_all();
        if (options_.do_random || options_.do_leaks) play();
        if (options_.do_random) rapid();
        reproduce();
      }
      report_runs();
      if (options_.do_coverage) sum_coverage();
      explain_all();
    }
    report_.seconds = seconds();
    report_.ok = report_.errors == 0 && report_.usage_error.empty() && std::all_of(report_.scenarios.begin(), report_.scenarios.end(), [](const auto& s) { return s.passed; }) &&
                 std::none_of(report_.runs.begin(), report_.runs.end(), [](const RunReport& r) {
                   return std::any_of(r.verdicts.begin(), r.verdicts.end(), [](const VerdictLine& v) { return v.verdict == Verdict::violated || v.verdict == Verdict::error; });
                 });
    report_.budget_ended = report_.ok && std::any_of(report_.runs.begin(), report_.runs.end(), [](const RunReport& r) {
                             return r.search && !r.search->complete();
                           });
    return std::move(report_);
  }

 private:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  void tell(const std::string& line) {
    if (!options_.progress) return;
    const std::lock_guard lock(guard_);
    options_.progress(line);
  }

  void plan() {
    if (options_.variant) report_.usage_error = unknown_variant(loaded_, *options_.variant);
    if (!report_.usage_error.empty()) return;
    std::string wrong;
    struct Refused {
      Run run;
      std::string why;
    };
    std::vector<Refused> refused;
    for (const auto& version : loaded_.versions) {
      if (version->rules == nullptr || (options_.variant && version->name != *options_.variant)) continue;
      for (auto players = version->rules->players_low; players <= version->rules->players_high; ++players) {
        if (options_.players != 0 && players != options_.players) continue;
        Configured wish = configure(*version->rules, static_cast<int>(players), options_.settings);
        if (!wish.error.empty()) {
          if (wrong.empty()) wrong = wish.error;
          continue;
        }
        Run run;
        run.version = version.get();
        run.config = std::move(wish.config);
        if (std::string why = ruled_out(*version->rules, run.config); !why.empty()) refused.push_back({std::move(run), std::move(why)});
        else runs_.push_back(std::move(run));
      }
    }
    // what a `require` refuses is no configuration; where nothing else was wished for, or is left, that is a mistake
    const std::size_t playable = runs_.size();
    for (Refused& one : refused) {
      const bool others = std::any_of(runs_.begin(), runs_.begin() + static_cast<std::ptrdiff_t>(playable), [&](const Run& run) { return options_.players != 0 || run.version == one.run.version; });
      if (others) report_.ruled_out.push_back(fmt::format("{}, {} players: \"{}\"", one.run.version->title(), one.run.config.players, one.why));
      else runs_.push_back(std::move(one.run));
    }
    if (runs_.empty() && !wrong.empty()) report_.usage_error = wrong;
    if (runs_.empty() && wrong.empty() && options_.players != 0 && !loaded_.has_errors()) {
      report_.usage_error = fmt::format("no version of this game is for {} players", options_.players);
    }
  }

  /// The text of the `require` that refuses it; empty: none does.
  static std::string ruled_out(const rules::Rules& rules, const rules::Config& config) {
    const BoxError error = make_box(rules, config).second;
    const auto at = std::find_if(rules.requires_.begin(), rules.requires_.end(), [&](const rules::Require& require) { return !error.message.empty() && require.span == error.span; });
    return at == rules.requires_.end() ? "" : at->text;
  }

  void scenarios() {
    if (!options_.do_scenarios) return;
    tell("scenarios");
    ScenarioOptions how;
    how.seed = options_.seed;
    report_.scenarios = run_scenarios(loaded_, options_.variant, "", jobs_, how);
  }

  void prepare_runs() {
    in_parallel(runs_.size(), jobs_, [&](std::size_t i) {
      LowerOptions lower;
      lower.claims = true;
      lower.coverage = true;
      runs_[i].playable = prepare(runs_[i].version->rules, runs_[i].config, lower);
    });
  }

  Found found_in(const Run& run) const {
    Found found;
    found.version = run.version;
    found.config = run.config;
    found.playable = run.playable;
    found.seed = options_.seed;
    return found;
  }

  /// Each `small`; of a script without one the game with as many players as the time allows, from the fewest on.
  void search_all() {
    std::vector<Run*> wanted;
    for (Run& run : runs_) {
      if (run.version->kind == VersionKind::small && run.playable->error.empty()) wanted.push_back(&run);
    }
    const bool declared = !wanted.empty();
    for (Run& run : runs_) {
      const bool same_version = wanted.empty() || run.version == wanted.front()->version;  // the base and its fewest players come first
      if (!declared && same_version && run.playable->error.empty()) wanted.push_back(&run);
    }
    const auto begin = Clock::now();
    double left = options_.search_seconds != 0 ? options_.search_seconds : 2.5 * options_.seconds;
    const bool plays = options_.do_random || options_.do_leaks;  // random games speak of what is too large
    if (!declared && plays && options_.search_seconds == 0) left = 0.1 * options_.seconds;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      SearchOptions how;
      how.seconds = left - std::chrono::duration<double>(Clock::now() - begin).count();
      if (declared) how.seconds /= static_cast<double>(wanted.size() - i);
      how.memory = options_.memory;
      how.jobs = jobs_;
      how.reductions = options_.reductions;
      if (options_.states != 0) how.states = options_.states;
      else if (options_.games != 0) how.states = declared ? kStatesBesideGames : kStatesBesideGames / 10;
      if (options_.states != 0 || options_.games != 0) how.seconds = kNoLimit;  // the same on every machine
      how.progress = [&](const std::string& line) { tell(fmt::format("{}: {}", wanted[i]->version->title(), line)); };
      Run& run = *wanted[i];
      run.search = search(*run.playable, how);
      if (!declared && !run.search->complete() && run.search->refuted.empty()) {  // nobody has claimed that it is small
        if (plays || i > 0) run.search.reset();
        break;
      }
      for (const Refuted& refuted : run.search->refuted) {
        Found found = found_in(run);
        found.shrunk = true;
        found.game.tape = refuted.tape;
        found.game.failure = refuted.failure;
        note(std::move(found));
      }
      if (options_.do_leaks && run.search->complete()) walk(run);
    }
    if (options_.search_seconds == 0) beside_ = std::max(0.0, std::chrono::duration<double>(Clock::now() - begin).count() - 0.3 * options_.seconds);
  }

  /// Of a tiny game all histories are compared that a seat cannot tell apart.
  void walk(Run& run) {
    tell(fmt::format("{}: what each seat can tell apart", run.version->title()));
    TreeOptions how;
    how.leaks = true;
    if (options_.games != 0 || options_.states != 0) how.seconds = kNoLimit;  // the same on every machine
    else how.seconds = 0.05 * options_.seconds;
    if (how.seconds == kNoLimit) how.histories = kHistoriesBesideGames;
    const GameTree tree = walk_tree(*run.playable, how);
    if (tree.complete() && !tree.takes_for_granted) {
      const std::uint64_t sets = std::accumulate(tree.information_sets.begin(), tree.information_sets.end(), std::uint64_t{0});
      run.leaks_proved = fmt::format("in all {} histories, {}", with_commas(tree.histories), plural(sets, "information set"));
    } else if (tree.leak) {
      Found found = found_in(run);
      found.shrunk = true;
      found.game.tape = tree.leak->tape;
      found.game.failure = failure_of(*tree.leak, *run.playable);
      found.game.leak = tree.leak;
      note(std::move(found));
    }
  }

  /// What is left of the time is shared among the runs; few runs are split among the threads.
  void play() {
    const double for_rapid = options_.games == 0 && options_.do_random ? 0.15 : 0;
    const double left = std::max(0.3, options_.seconds * (0.9 - for_rapid) + beside_ - seconds()) * jobs_;
    // a time is shared out evenly; games take as long as they take, so that many small tasks keep all threads at work to the end
    const std::size_t least = options_.games == 0 ? 2 * jobs_ : 16 * jobs_;
    const std::size_t slices = jobs_ == 1 || runs_.empty() || runs_.size() >= least ? 1 : std::max<std::size_t>(jobs_, least / runs_.size());
    const std::size_t tasks = runs_.size() * slices;
    std::vector<std::optional<PlayStats>> results(tasks);
    std::atomic<std::size_t> done{0};
    in_parallel(tasks, jobs_, [&](std::size_t task) {
      const Run& run = runs_[task / slices];
      if (!run.playable->error.empty()) return;
      PlayBudget budget;
      budget.games = options_.games;
      budget.seconds = left / static_cast<double>(tasks);
      budget.most_decisions = options_.most_decisions;
      budget.random = options_.do_random;
      budget.leaks = options_.do_leaks;
      // of many short runs every third one is followed by the second evaluator; another seed, other runs
      budget.oracle = options_.games != 0 || budget.seconds >= 0.3 || (task + options_.seed) % 3 == 0;
      RandomPlay player(*run.playable, options_.seed);
      player.play(budget, task % slices, slices);
      results[task] = std::move(player.stats);
      tell(fmt::format("random play: {} of {} configurations", ++done / slices, runs_.size()));
    });
    for (std::size_t task = 0; task < tasks; ++task) {
      if (!results[task]) continue;
      std::optional<PlayStats>& stats = runs_[task / slices].stats;
      if (!stats) stats = std::move(results[task]);
      else stats->add(std::move(*results[task]));
    }
  }

  /// RapidCheck varies players and parameters of each version, on this thread.
  void rapid() {
    std::vector<const Version*> versions;
    for (const Run& run : runs_) {
      if (std::find(versions.begin(), versions.end(), run.version) == versions.end()) versions.push_back(run.version);
    }
    const double left = std::max(0.2, options_.seconds * 0.95 + beside_ - seconds());
    for (const Version* version : versions) {
      tell(fmt::format("other parameters: {}", version->title()));
      RapidOptions how;
      how.seed = options_.seed;
      how.games = options_.games == 0 ? 0 : std::max<std::uint64_t>(8, options_.games / 8);
      how.seconds = left / static_cast<double>(versions.size());
      how.shrink_seconds = options_.shrink_seconds;
      how.players = options_.players;
      how.parameters = options_.settings.empty();
      RapidResult result = rapid_check(*version, how);
      generated_[version] = {result.games, result.configurations};
      if (!result.failed) continue;
      Found found;
      found.version = version;
      found.config = result.failed->config;
      found.playable = result.failed->playable;
      found.game = std::move(result.failed->game);
      found.seed = result.seed;
      found.shrunk = true;
      note(std::move(found));
    }
  }

  /// Keeps one game for each mistake: base before variants, short before long.
  void note(Found found) {
    const std::string group = group_of(*found.game.failure);
    const auto known = found_.find(group);
    const auto rank = [](const Found& f) { return std::tuple(f.saved.empty(), f.version->kind != VersionKind::base, f.game.tape.size()); };  // what is known stays
    if (known == found_.end()) found_.emplace(group, std::move(found));
    else if (rank(found) < rank(known->second)) known->second = std::move(found);
  }

  /// Plays again what the fast games have met.
  void reproduce() {
    std::map<std::string, std::pair<const Run*, const Met*>> first;
    for (const Run& run : runs_) {
      if (!run.stats) continue;
      for (const Met& met : run.stats->met) first.try_emplace(group_of(met.failure), &run, &met);
    }
    for (const auto& [group, where] : first) {
      const auto& [run, met] = where;
      tell(fmt::format("shrinking: {}", met->failure.name));
      Found found = found_in(*run);
      found.thorough = met->thorough;
      if (met->leak) {
        found.game.tape = met->leak->tape;
        found.game.failure = met->failure;
        found.game.leak = met->leak;
      } else {
        ExamineOptions examine;
        examine.thorough = met->thorough;
        examine.only = met->failure.key;
        examine.most_decisions = options_.most_decisions;
        found.game = examine_game(*run->playable, options_.seed, met->game, examine);
        if (!found.game.failure) {
          // only the second evaluator can say what it saw
          found.game.failure = met->failure;
          found.shrunk = true;
        }
      }
      note(std::move(found));
    }
  }

  /// What the text of the rules says of secrets, without a game.
  void label(const Version& version, RunReport& out) {
    const auto [at, fresh] = flows_.try_emplace(&version);
    if (fresh) at->second = flows_of(*version.rules);
    for (const Flow& flow : at->second.all) out.flows.push_back(told(flow, *version.rules));
    if (at->second.none()) judge_flows(out, at->second);
  }

  void ends_by_rules(const Version& version, RunReport& out) {
    const auto [at, fresh] = terminations_.try_emplace(&version);
    if (fresh) at->second = termination_of(*version.rules);
    judge_ends(out, at->second);
  }

  void report_runs() {
    for (Run& run : runs_) {
      RunReport out;
      out.variant = run.version->name;
      out.kind = run.version->kind;
      out.players = run.config.players;
      out.seed = options_.seed;
      out.params = params_of(*run.version->rules, run.config);
      if (run.playable != nullptr && !run.playable->error.empty()) {
        VerdictLine line;
        line.name = "the game can be set up";
        line.kind = PropertyKind::static_check;
        line.verdict = Verdict::error;
        line.detail = run.playable->error;
        line.span = run.playable->error_span;
        line.group = fmt::format("setup|{}|{}", line.detail, line.span.begin);
        out.verdicts.push_back(std::move(line));
      }
      if (run.stats) judge(out, *run.version, *run.playable, *run.stats, options_, loaded_.sources);
      if (options_.do_leaks) label(*run.version, out);
      if (!run.leaks_proved.empty()) judge_leaks(out, run.leaks_proved);
      if (run.search) judge_search(out, *run.playable, std::move(*run.search));
      ends_by_rules(*run.version, out);
      if (options_.do_coverage) {
        out.coverage = nothing_covered(*run.version, loaded_.sources);
        if (run.stats) add_covered(out.coverage, *run.version, loaded_.sources, run.stats->tally.covered, run.stats->games);
        if (out.search) add_covered(out.coverage, *run.version, loaded_.sources, out.search->tally.covered, 0);
        if (options_.do_random && run.stats && parameters_of_.insert(run.version).second) {
          out.coverage.parameters = changed_by_parameters(run.version->rules, run.config, options_.seed, kGamesOfParameters);
          out.coverage.with_parameters = kGamesOfParameters;
        }
      }
      report_.runs.push_back(std::move(out));
    }
    for (const auto& [version, counts] : generated_) {
      RunReport& run = report_.runs[first_run(*version)];
      run.generated = counts.first;
      run.configurations = counts.second;
    }
    for (const ScenarioResult& scenario : report_.scenarios) {
      const Version* version = loaded_.find(scenario.version);
      if (version == nullptr || report_.runs.empty()) continue;
      VerdictLine line;
      line.name = scenario.name;
      line.kind = PropertyKind::scenario;
      line.verdict = scenario.passed ? Verdict::holds : Verdict::violated;
      line.detail = scenario.passed ? (scenario.all_ways ? "in every way that is open" : fmt::format("in {} samples", scenario.samples)) : scenario.message;
      line.span = scenario.passed ? scenario.span : scenario.at;
      report_.runs[first_run(*version)].verdicts.push_back(std::move(line));
    }
  }

  std::size_t first_run(const Version& version) const {
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (runs_[i].version == &version) return i;
    }
    return 0;
  }

  void sum_coverage() {
    for (const RunReport& run : report_.runs) {
      if (run.kind != VersionKind::small) report_.coverage.add(run.coverage);
    }
    for (const ScenarioResult& scenario : report_.scenarios) {
      const Version* version = loaded_.find(scenario.version);
      if (version == nullptr) continue;
      add_covered(report_.coverage, *version, loaded_.sources, scenario.covered, scenario.samples);
      for (const rules::Scenario& one : version->rules->scenarios) {
        if (!scenario.passed || !(one.span == scenario.span)) continue;
        for (const rules::TagId tag : one.tags) report_.coverage.clauses[version->rules->tags[tag].text] += scenario.samples;
      }
    }
  }

  /// Each mistake is explained once, in the first run that has it.
  void explain_all() {
    for (auto& [group, found] : found_) {
      VerdictLine* line = nullptr;
      for (RunReport& run : report_.runs) {
        for (VerdictLine& verdict : run.verdicts) {
          if (line == nullptr && verdict.group == group) line = &verdict;
        }
      }
      if (line == nullptr) {
        RunReport& run = report_.runs[first_run(*found.version)];
        const std::string& name = found.game.failure->name;
        std::erase_if(run.verdicts, [&](const VerdictLine& v) { return v.verdict != Verdict::violated && v.name == name; });
        run.verdicts.push_back(violated(*found.game.failure));
        line = &run.verdicts.back();
      }
      Counterexample example = explain(loaded_, std::move(found), options_);
      if (!example.detail.empty()) line->detail = example.detail;
      line->example = std::move(example);
    }
  }

  const Loaded& loaded_;
  const CheckOptions& options_;
  Clock::time_point begin_;
  unsigned jobs_ = 1;
  double beside_ = 0;  ///< seconds of a long search, which are not counted
  std::mutex guard_;
  CheckReport report_;
  std::vector<Run> runs_;
  std::map<std::string, Found> found_;
  std::map<const Version*, Flows> flows_;
  std::map<const Version*, Termination> terminations_;
  std::set<const Version*> parameters_of_;  ///< versions whose parameters have been tried
  std::map<const Version*, std::pair<std::uint64_t, std::uint64_t>> generated_;
};

}  // namespace

std::string unknown_variant(const Loaded& loaded, const std::string& name) {
  if (loaded.versions.empty() || loaded.find(name) != nullptr) return "";
  std::vector<std::string_view> names;
  std::vector<std::string> quoted;
  for (const auto& version : loaded.versions) {
    if (version->kind == VersionKind::base) continue;
    names.push_back(version->name);
    quoted.push_back(fmt::format("\"{}\"", version->name));
  }
  if (name.empty()) return "this file has no game of its own; choose with --variant: there are " + joined(quoted);
  const std::string_view near = nearest(name, names);
  return fmt::format("unknown variant `{}`; {}", name,
                     !near.empty() ? fmt::format("did you mean `{}`?", near) : quoted.empty() ? "this script has none" : "there are " + joined(quoted));
}

CheckReport check_game(const Loaded& loaded, const CheckOptions& options) { return Check(loaded, options).run(); }

std::vector<ScenarioResult> run_scenarios(const Loaded& loaded, const std::optional<std::string>& variant, const std::string& match, unsigned jobs,
                                          const ScenarioOptions& options) {
  struct Case {
    const Version* version;
    const rules::Scenario* scenario;
  };
  std::vector<Case> cases;
  for (const auto& version : loaded.versions) {
    if (version->rules == nullptr || (variant && version->name != *variant)) continue;
    for (const rules::Scenario& scenario : version->rules->scenarios) {
      if (scenario.name.find(match) != std::string::npos) cases.push_back({version.get(), &scenario});
    }
  }
  std::vector<ScenarioResult> results(cases.size());
  in_parallel(cases.size(), jobs, [&](std::size_t i) { results[i] = run_scenario(*cases[i].version, *cases[i].scenario, loaded.sources, options); });
  std::stable_sort(results.begin(), results.end(), [](const ScenarioResult& a, const ScenarioResult& b) {
    return std::pair(a.span.file, a.span.begin) < std::pair(b.span.file, b.span.begin);
  });
  return results;
}

}  // namespace rip::verify
