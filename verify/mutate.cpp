#include "verify/mutate.h"

#include "base/hash.h"
#include "grammar/expand.h"
#include "interp/ir/print.h"
#include "interp/run/rng.h"
#include "verify/check.h"
#include "verify/parallel.h"
#include "verify/random_play.h"
#include "verify/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <stdexcept>

namespace rip::verify {

namespace {

using Clock = std::chrono::steady_clock;
constexpr double kNoLimit = 1e9;
/// A game that is so many times longer than all games of the script, and longer than this, has no end.
constexpr std::size_t kTimesLonger = 10, kAlwaysAllowed = 2000;
constexpr std::uint64_t kGamesAtOnce = 4;
/// As one game in eight is played beside twins, this makes one for every two of the others: a leak that only a wrong or a
/// missing `show` makes is rarely met.
constexpr std::uint64_t kTwinsInGames = 4;
/// A goal is missed if the script shows it in so many lots of games, and in two of three, and the changed game in none: two
/// games that are alike differ so less than once in four thousand, whatever the chance of the goal.
constexpr std::uint64_t kLotsEnough = 6;

/// Something that does not hold in a changed game.
struct Broken {
  PropertyKind kind;
  std::string by, detail;
};
Broken broken(const Failure& failure) { return {failure.kind, failure.name, failure.detail}; }

/// One configuration in which games are played, or a `small` that is searched; and what the script itself shows there.
struct Trial {
  std::size_t version = 0;
  int players = 0;
  std::uint64_t games = 0;
  std::size_t most_decisions = 100'000;
  std::vector<std::uint64_t> shown;  ///< by claim: in how many lots of games, or states of a search
  std::string title;

  std::uint64_t lots() const { return std::max<std::uint64_t>(1, games / kGamesAtOnce); }
};

/// One scenario and the parts of the rules that it goes through.
struct Case {
  std::size_t version = 0, number = 0;
  std::vector<std::uint64_t> covered;
};

/// A configuration of one version; all values of each parameter that is not the default.
struct Shape {
  std::size_t version = 0;
  int players = 0;
  std::size_t param = 0;
  std::optional<bool> high;  ///< this parameter at its greatest, or least, value
};

class Judge {
 public:
  Judge(const Loaded& loaded, const MutateOptions& options) : loaded_(loaded), options_(options), begin_(Clock::now()) {
    report_.file = loaded.path;
    report_.game = loaded.script.title;
    report_.seed = options.seed;
    jobs_ = jobs_meant(options.jobs);
  }

  MutationReport run() {
    if (options_.variant) report_.usage_error = unknown_variant(loaded_, *options_.variant);
    if (report_.usage_error.empty() && loaded_.has_errors()) report_.failed = "it has errors";
    if (report_.usage_error.empty() && report_.failed.empty()) judge_script();
    if (report_.usage_error.empty() && report_.failed.empty()) judge_all();
    report_.seconds = seconds();
    return std::move(report_);
  }

 private:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  bool expired() const { return options_.seconds > 0 && seconds() > options_.seconds; }
  void tell(const std::string& line) {
    if (!options_.progress) return;
    const std::lock_guard lock(guard_);
    options_.progress(line);
  }
  bool wanted(const Version& version) const { return !options_.variant || version.name == *options_.variant; }

  // ---- the script itself ----

  /// What it shows, with which changed games are compared; and whether it holds.
  void judge_script() {
    tell("the script itself");
    for (std::size_t v = 0; v < loaded_.versions.size(); ++v) {
      const Version& version = *loaded_.versions[v];
      chains_.push_back(chain(version));
      if (wanted(version)) plan(v);
    }
    ScenarioOptions how;
    how.seed = options_.seed;
    std::map<std::pair<std::string, std::string>, ScenarioResult> results;
    for (ScenarioResult& result : run_scenarios(loaded_, options_.variant, "", jobs_, how)) {
      if (!result.passed && report_.failed.empty()) report_.failed = fmt::format("scenario \"{}\" fails: {}", result.name, result.message);
      results.emplace(std::pair(result.version, result.name), std::move(result));
    }
    for (Case& one : cases_) {
      const Version& version = *loaded_.versions[one.version];
      one.covered = results[{version.name, version.rules->scenarios[one.number].name}].covered;
    }
    std::vector<char> keep(trials_.size());
    in_parallel(trials_.size(), jobs_, [&](std::size_t i) { keep[i] = first_trial(trials_[i]); });
    std::vector<Trial> kept;
    for (std::size_t i = 0; i < trials_.size(); ++i) {
      if (keep[i]) kept.push_back(std::move(trials_[i]));
    }
    trials_ = std::move(kept);
    std::vector<Hash128> programs(shapes_.size());
    in_parallel(shapes_.size(), jobs_, [&](std::size_t i) { programs[i] = program_of(loaded_, shapes_[i]); });
    programs_ = std::move(programs);
  }

  /// Names of the sheets that this version is made of.
  std::vector<std::string> chain(const Version& version) const {
    std::vector<std::string> names;
    if (version.kind != VersionKind::variant) return names;
    Diagnostics unused;
    for (const ast::VariantDecl* sheet : grammar::variant_chain(loaded_.script, version.name, unused)) names.push_back(sheet->name);
    if (names.empty()) names.push_back(version.name);  // built on the game of another file
    return names;
  }
  bool concerns(const grammar::Mutation& mutation, std::size_t version) const {
    return mutation.sheet.empty() || std::find(chains_[version].begin(), chains_[version].end(), mutation.sheet) != chains_[version].end();
  }

  void plan(std::size_t v) {
    const Version& version = *loaded_.versions[v];
    for (std::size_t i = 0; i < version.rules->scenarios.size(); ++i) cases_.push_back({v, i, {}});
    const bool first = trials_.empty();
    for (auto players = version.rules->players_low; players <= version.rules->players_high; ++players) {
      shapes_.push_back({v, static_cast<int>(players), 0, std::nullopt});
      if (version.kind == VersionKind::variant && !first && players != version.rules->players_usual) continue;
      Trial trial;
      trial.version = v;
      trial.players = static_cast<int>(players);
      trial.games = version.kind == VersionKind::small ? 0 : first ? options_.games : (options_.games + 1) / 2;
      trial.title = fmt::format("{}, {} players", version.title(), players);
      if (trial.games > 0 || version.kind == VersionKind::small) trials_.push_back(std::move(trial));
    }
    for (std::size_t p = 0; first && p < version.rules->params.size(); ++p) {
      for (const bool high : {false, true}) shapes_.push_back({v, static_cast<int>(version.rules->players_usual), p, high});
    }
  }

  /// False: this configuration cannot be set up, or is too large to search.
  bool first_trial(Trial& trial) {
    const auto playable = set_up(loaded_, trial);
    if (!playable->error.empty()) return false;
    std::optional<Broken> wrong;
    if (trial.games == 0) {
      const SearchResult result = searched(*playable, options_.states);
      if (!result.complete()) return false;
      wrong = refuted(result);
      trial.shown = result.tally.shown;
    } else {
      Played played = play(*playable, trial);
      wrong = std::move(played.wrong);
      trial.shown = std::move(played.shown);
      trial.most_decisions = std::max(kAlwaysAllowed, kTimesLonger * played.longest);
    }
    if (!wrong) return true;
    const std::lock_guard lock(guard_);
    if (report_.failed.empty()) report_.failed = fmt::format("{} is violated ({}): {}", wrong->by, trial.title, wrong->detail);
    return false;
  }

  // ---- trials, of the script and of changed games ----

  static std::unique_ptr<Playable> set_up(const Loaded& loaded, const Trial& trial) {
    LowerOptions lower;
    lower.claims = true;
    lower.coverage = true;
    const Version& version = *loaded.versions[trial.version];
    return prepare(version.rules, default_config(*version.rules, trial.players), lower);
  }

  struct Played {
    std::optional<Broken> wrong;
    std::vector<std::uint64_t> shown;  ///< by claim: in how many lots
    std::size_t longest = 0;           ///< decisions
  };
  /// Lot by lot, until something is wrong.
  Played play(const Playable& playable, const Trial& trial) const {
    PlayBudget budget;
    budget.games = trial.games;
    budget.most_decisions = trial.most_decisions;
    budget.oracle = budget.leaks = false;
    Played out;
    out.shown.assign(playable.program->claims.size(), 0);
    for (std::uint64_t lot = 0; lot < trial.lots() && !out.wrong; ++lot) {
      RandomPlay player(playable, options_.seed);
      player.play(budget, lot, trial.lots());
      if (!player.stats.met.empty()) out.wrong = broken(player.stats.met.front().failure);
      for (std::size_t i = 0; i < out.shown.size(); ++i) out.shown[i] += player.stats.tally.shown[i] > 0 ? 1 : 0;
      for (const std::uint32_t decisions : player.stats.decisions) out.longest = std::max<std::size_t>(out.longest, decisions);
    }
    budget.random = false;
    budget.leaks = true;
    budget.games = kTwinsInGames * trial.games;
    RandomPlay player(playable, options_.seed);
    for (std::uint64_t lot = 0; lot < trial.lots() && !out.wrong; ++lot) {
      player.play(budget, lot, trial.lots());
      if (!player.stats.met.empty()) out.wrong = broken(player.stats.met.front().failure);
    }
    return out;
  }

  static SearchResult searched(const Playable& playable, std::uint64_t states) {
    SearchOptions how;
    how.seconds = kNoLimit;
    how.states = states;
    return search(playable, how);
  }
  static std::optional<Broken> refuted(const SearchResult& result) {
    if (!result.refuted.empty()) return broken(result.refuted.front().failure);
    if (!result.complete() || result.can_always_end) return std::nullopt;
    return broken(failure(Property::ends, "there are states from which no end can be reached"));
  }

  /// A goal that the script has shown so often and the changed game never does.
  static std::optional<Broken> missed(const Playable& playable, const std::vector<std::uint64_t>& before, const std::vector<std::uint64_t>& after, std::uint64_t often) {
    for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
      const ir::Claim& claim = playable.program->claims[i];
      if (claim.kind != ir::Claim::Kind::sometimes || before[i] < often || after[i] > 0) continue;
      return Broken{PropertyKind::sometimes, fmt::format("sometimes \"{}\"", claim.text), "the script shows it again and again, the changed game never"};
    }
    return std::nullopt;
  }

  std::optional<Broken> try_out(const Loaded& changed, const Trial& trial) const {
    const auto playable = set_up(changed, trial);
    if (!playable->error.empty()) return Broken{PropertyKind::static_check, "the game can be set up", playable->error};
    if (trial.games == 0) {
      const SearchResult result = searched(*playable, 4 * options_.states);
      if (auto wrong = refuted(result)) return wrong;
      return result.complete() ? missed(*playable, trial.shown, result.tally.shown, 1) : std::nullopt;
    }
    Played played = play(*playable, trial);
    if (played.wrong) return std::move(played.wrong);
    return missed(*playable, trial.shown, played.shown, std::max(kLotsEnough, (2 * trial.lots() + 2) / 3));
  }

  /// The program as text, hashed; nothing of it is claims that stand in the rules, or places.
  static Hash128 program_of(const Loaded& loaded, const Shape& shape) {
    const Version& version = *loaded.versions[shape.version];
    rules::Config config = default_config(*version.rules, shape.players);
    if (shape.high) {
      const auto [low, high] = param_range(*version.rules, static_cast<rules::ParamId>(shape.param), shape.players);
      for (std::int64_t& value : config.params[shape.param]) value = *shape.high ? high : low;
    }
    const auto playable = prepare(version.rules, config);
    const std::string text = playable->error.empty() ? ir::print(*playable->program) : playable->error;
    return hash128(text);
  }

  // ---- changed games ----

  void judge_all() {
    std::vector<grammar::Mutation> all;
    for (grammar::Mutation& mutation : grammar::mutations(loaded_.script, loaded_.sources)) {
      const auto judged_in = [&](std::size_t v) { return wanted(*loaded_.versions[v]) && concerns(mutation, v); };
      bool some = false;
      for (std::size_t v = 0; v < loaded_.versions.size(); ++v) some = some || judged_in(v);
      if (some) all.push_back(std::move(mutation));
    }
    report_.possible = all.size();
    Rng rng(options_.seed);
    for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[rng.below(i)]);
    if (options_.mutants != 0 && options_.mutants < all.size()) all.resize(options_.mutants);
    report_.wished = all.size();
    std::vector<std::optional<Mutant>> judged(all.size());
    std::atomic<std::size_t> done{0}, caught{0}, survived{0};
    in_parallel(all.size(), jobs_, [&](std::size_t i) {
      if (expired()) return;
      try {
        judged[i] = judge(all[i]);
      } catch (const std::exception& fault) {
        throw std::runtime_error(fmt::format("{} ({} becomes `{}`)", fault.what(), loaded_.sources.where(all[i].span), all[i].with));
      }
      if (!judged[i]) return;
      ++done;
      if (judged[i]->fate == Fate::caught) ++caught;
      if (judged[i]->fate == Fate::survived) ++survived;
      tell(fmt::format("{} of {} changes judged: {} caught, {} survive ({:.0f} s)", done, all.size(), caught, survived, seconds()));
    });
    for (std::optional<Mutant>& mutant : judged) {
      if (mutant) report_.mutants.push_back(std::move(*mutant));
    }
    std::stable_sort(report_.mutants.begin(), report_.mutants.end(), [](const Mutant& a, const Mutant& b) {
      return std::pair(a.mutation.span.begin, a.mutation.with) < std::pair(b.mutation.span.begin, b.mutation.with);
    });
  }

  /// Scenarios that go through the changed place come first.
  std::vector<const Case*> cases_for(const grammar::Mutation& mutation) const {
    std::vector<std::pair<bool, const Case*>> ranked;
    std::map<std::size_t, std::size_t> point;  // by version: the narrowest around the place
    for (const Case& one : cases_) {
      if (!concerns(mutation, one.version)) continue;
      const auto [at, anew] = point.try_emplace(one.version, one.covered.size());
      if (anew) {
        const auto& covers = loaded_.versions[one.version]->rules->covers;
        for (std::size_t i = 0; i < covers.size(); ++i) {
          const Span& span = covers[i].span;
          if (span.file != mutation.span.file || span.begin > mutation.span.begin || span.end < mutation.span.end) continue;
          if (at->second >= covers.size() || span.end - span.begin < covers[at->second].span.end - covers[at->second].span.begin) at->second = i;
        }
      }
      const bool far = at->second >= one.covered.size() || one.covered[at->second] == 0;
      ranked.emplace_back(far, &one);
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<const Case*> out;
    for (const auto& [far, one] : ranked) out.push_back(one);
    return out;
  }

  bool is_equal(const Loaded& changed, const grammar::Mutation& mutation) const {
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      if (concerns(mutation, shapes_[i].version) && !(program_of(changed, shapes_[i]) == programs_[i])) return false;
    }
    return true;
  }

  /// Nothing if the time ended before there was an answer.
  std::optional<Mutant> judge(const grammar::Mutation& mutation) const {
    Mutant out;
    out.mutation = mutation;
    const auto changed = load_text(loaded_.path, grammar::mutated(loaded_.sources[loaded_.script.file].text, mutation));
    if (changed->has_errors()) {
      out.fate = Fate::refused;
      for (const Diagnostic& d : changed->diagnostics()) {
        if (d.severity == Severity::error && out.by.empty()) out.by = fmt::format("{}: {}", info(d.code).name, d.message);
      }
      return out;
    }
    ScenarioOptions how;
    how.seed = options_.seed;
    for (const Case* one : cases_for(mutation)) {
      if (expired()) return std::nullopt;
      const Version& version = *changed->versions[one->version];
      const ScenarioResult result = run_scenario(version, version.rules->scenarios[one->number], changed->sources, how);
      if (result.passed) continue;
      return caught(std::move(out), {PropertyKind::scenario, fmt::format("scenario \"{}\"", result.name), result.message}, version.title());
    }
    if (is_equal(*changed, mutation)) {
      out.fate = Fate::equal;
      return out;
    }
    for (const Trial& trial : trials_) {
      if (expired()) return std::nullopt;
      if (!concerns(mutation, trial.version)) continue;
      if (auto wrong = try_out(*changed, trial)) return caught(std::move(out), std::move(*wrong), trial.title);
    }
    return out;
  }

  static Mutant caught(Mutant mutant, Broken wrong, std::string in) {
    mutant.fate = Fate::caught;
    mutant.kind = wrong.kind;
    mutant.by = std::move(wrong.by);
    mutant.detail = std::move(wrong.detail);
    mutant.in = std::move(in);
    return mutant;
  }

  const Loaded& loaded_;
  const MutateOptions& options_;
  Clock::time_point begin_;
  unsigned jobs_ = 1;
  std::mutex guard_;
  MutationReport report_;
  std::vector<std::vector<std::string>> chains_;  ///< by version
  std::vector<Case> cases_;
  std::vector<Trial> trials_;
  std::vector<Shape> shapes_;
  std::vector<Hash128> programs_;  ///< by shape
};

}  // namespace

std::string_view name(Fate fate) {
  switch (fate) {
    case Fate::refused: return "refused";
    case Fate::equal: return "equal";
    case Fate::caught: return "caught";
    case Fate::survived: return "survived";
  }
  return "";
}

std::size_t MutationReport::count(Fate fate) const {
  return static_cast<std::size_t>(std::count_if(mutants.begin(), mutants.end(), [&](const Mutant& m) { return m.fate == fate; }));
}

double MutationReport::percent() const {
  const std::size_t caught = count(Fate::caught), all = caught + count(Fate::survived);
  return all == 0 ? 100 : 100.0 * static_cast<double>(caught) / static_cast<double>(all);
}

MutationReport mutate_game(const Loaded& loaded, const MutateOptions& options) { return Judge(loaded, options).run(); }

}  // namespace rip::verify
