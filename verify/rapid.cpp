#include "verify/rapid.h"

#include <fmt/format.h>
#include <rapidcheck.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <set>

namespace rip::verify {

namespace {

using Clock = std::chrono::steady_clock;

/// A configuration and a game of it: as a seed, or, once shrunk, as the game itself.
struct Case {
  rules::Config config;
  std::uint64_t seed = 0;
  std::shared_ptr<const Shrunk> shrunk;
};
std::ostream& operator<<(std::ostream& out, const Case& it) {
  return out << it.config.players << " players, seed " << it.seed;
}

class Hunt {
 public:
  Hunt(const Version& version, const RapidOptions& options) : rules_(version.rules), settled_(version.settled), options_(options) {
    end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.seconds));
    examine_.thorough = false;
    // where there is little time, the beginnings of games have to do
    examine_.most_decisions = options.games != 0 ? 3000 : std::min<std::size_t>(3000, 60 + static_cast<std::size_t>(1000 * std::min(options.seconds, 3.0)));
  }

  RapidResult run() {
    const rc::Gen<Case> cases([this](const rc::Random& random, int size) { return generate(random, size); });
    constexpr int kRound = 24;
    for (std::uint64_t round = 0; !out_of_time() && !result_.failed; ++round) {
      if (options_.games != 0 && result_.games >= options_.games) break;
      rc::detail::TestParams params;
      params.seed = options_.seed + round;
      params.maxSuccess = options_.games == 0 ? kRound : static_cast<int>(std::min<std::uint64_t>(kRound, options_.games - result_.games));
      rc::detail::TestMetadata about;
      about.id = about.description = "random games";
      Quiet quiet;
      const std::uint64_t before = result_.games;
      rc::detail::checkTestable([&] { return holds(*cases); }, about, params, quiet, std::unordered_map<std::string, rc::detail::Reproduce>{});
      if (raw_ && !result_.failed) keep_unshrunk();
      if (result_.games == before) {
        result_.error = error_.empty() ? "no game was run" : error_;
        break;
      }
    }
    result_.configurations = configurations_.size();
    return std::move(result_);
  }

 private:
  class Quiet : public rc::detail::TestListener {
   public:
    void onTestCaseFinished(const rc::detail::CaseDescription&) override {}
    void onShrinkTried(const rc::detail::CaseDescription&, bool) override {}
    void onTestFinished(const rc::detail::TestMetadata&, const rc::detail::TestResult&) override {}
  };

  bool out_of_time() const { return options_.games == 0 && Clock::now() >= end_; }

  /// Small sizes are near the defaults, large ones anywhere in the ranges; combinations that `require` refuses are drawn anew.
  rules::Config draw_config(Rng& rng, int size) {
    const auto low = options_.players != 0 ? options_.players : rules_->players_low;
    const auto high = options_.players != 0 ? options_.players : rules_->players_high;
    rules::Config config;
    for (int tries = 0; tries < 12; ++tries) {
      const int players = static_cast<int>(low + static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(high - low + 1))));
      config = default_config(*rules_, players);
      for (std::size_t p = 0; p < rules_->params.size() && options_.parameters; ++p) {
        if (std::find(settled_.begin(), settled_.end(), rules_->params[p].name) != settled_.end()) continue;
        if (rng.below(100) >= static_cast<std::uint64_t>(size) / 2) continue;
        const auto [least, most] = param_range(*rules_, static_cast<rules::ParamId>(p), players);
        for (std::int64_t& value : config.params[p]) {
          if (value == rules::kNone && rng.below(2) == 0) continue;
          value = least + static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(most - least + 1)));
        }
      }
      if (make_box(*rules_, config).second.message.empty()) return config;
    }
    return config;
  }

  rc::Shrinkable<Case> generate(const rc::Random& random, int size) {
    rc::Random copy = random;
    Rng rng(copy.next());
    Case drawn;
    drawn.config = draw_config(rng, size);
    drawn.seed = rng.next();
    return rc::shrinkable::lambda([drawn] { return drawn; }, [this, drawn] { return shrinks(drawn); });
  }

  rc::Seq<rc::Shrinkable<Case>> shrinks(const Case& drawn) {
    const std::shared_ptr<const Playable> playable = prepared(drawn.config);
    if (playable == nullptr) return {};
    Examined game = examine_game(*playable, drawn.seed, 0, examine_);
    if (!game.failure) return {};
    ShrinkOptions how;
    how.settled = settled_;
    how.seconds = options_.shrink_seconds;
    Case least = drawn;
    least.shrunk = std::make_shared<const Shrunk>(shrink(rules_, drawn.config, std::move(game), examine_, how));
    least.config = least.shrunk->config;
    return rc::seq::just(rc::shrinkable::just(std::move(least)));
  }

  std::shared_ptr<const Playable> prepared(const rules::Config& config) {
    const auto known = playables_.find(config.params);
    if (known != playables_.end() && known->second->config.players == config.players) return known->second;
    LowerOptions lower;
    lower.claims = true;
    std::shared_ptr<const Playable> made = prepare(rules_, config, lower);
    if (!made->error.empty()) {
      error_ = made->error;
      return nullptr;
    }
    if (playables_.size() > 32) playables_.clear();
    playables_[config.params] = made;
    return made;
  }

  bool holds(const Case& it) {
    if (it.shrunk != nullptr) {
      result_.failed = *it.shrunk;
      result_.seed = it.seed;
      return false;
    }
    if (out_of_time() && result_.games > 0) return true;
    const std::shared_ptr<const Playable> playable = prepared(it.config);
    if (playable == nullptr) return true;
    configurations_.insert({it.config.players, it.config.params});
    ExamineOptions how = examine_;
    how.thorough = result_.games % 4 == 0;
    ++result_.games;
    const Examined game = examine_game(*playable, it.seed, 0, how);
    if (game.failure && !examine_.thorough && how.thorough) {
      // a universal property: the shrinker has to look as closely
      examine_.thorough = !examine_game(*playable, it.seed, 0, examine_).failure.has_value();
    }
    if (game.failure) raw_ = it;
    return !game.failure;
  }

  /// The shrinker could not show it again: the game stays as long as it is.
  void keep_unshrunk() {
    Shrunk whole;
    whole.config = raw_->config;
    whole.playable = prepared(raw_->config);
    ExamineOptions how = examine_;
    how.thorough = true;
    whole.game = examine_game(*whole.playable, raw_->seed, 0, how);
    whole.before = whole.game.tape.size();
    if (whole.game.failure) result_.failed = std::move(whole);
    result_.seed = raw_->seed;
  }

  std::shared_ptr<const rules::Rules> rules_;
  std::vector<std::string> settled_;
  RapidOptions options_;
  ExamineOptions examine_;
  Clock::time_point end_;
  RapidResult result_;
  std::optional<Case> raw_;
  std::string error_;
  std::map<std::vector<std::vector<std::int64_t>>, std::shared_ptr<const Playable>> playables_;
  std::set<std::pair<int, std::vector<std::vector<std::int64_t>>>> configurations_;
};

}  // namespace

RapidResult rapid_check(const Version& version, const RapidOptions& options) { return Hunt(version, options).run(); }

}  // namespace rip::verify
