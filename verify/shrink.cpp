#include "verify/shrink.h"

#include <algorithm>
#include <chrono>

namespace rip::verify {

namespace {

using Clock = std::chrono::steady_clock;

class Shrinker {
 public:
  Shrinker(std::shared_ptr<const rules::Rules> rules, const rules::Config& config, Examined game, ExamineOptions examine, const ShrinkOptions& options)
      : rules_(std::move(rules)), examine_(std::move(examine)), options_(options) {
    best_.config = config;
    best_.playable = make(config);
    best_.before = game.tape.size();
    best_.game = std::move(game);
    choices_ = choices_of(best_.game.tape);
    examine_.only = best_.game.failure->key;
    end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.seconds));
  }

  Shrunk run() {
    shorten();
    if (options_.other_configurations) {
      fewer_players();
      smaller_parameters();
    }
    for (int round = 0; round < 4 && !out_of_time(); ++round) {
      const std::size_t steps = choices_.size();
      leap();
      shorten();
      lower();
      if (choices_.size() == steps) break;
    }
    return std::move(best_);
  }

 private:
  bool out_of_time() const { return Clock::now() >= end_; }

  std::shared_ptr<const Playable> make(const rules::Config& config) const {
    LowerOptions lower;
    lower.claims = true;
    return prepare(rules_, config, lower);
  }

  static bool simpler(const Choices& a, const Choices& b) {
    if (a.size() != b.size()) return a.size() < b.size();
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), [](const Choice& x, const Choice& y) { return x.value < y.value; });
  }

  bool attempt(const Choices& candidate, bool only_shorter = false) { return attempt(candidate, best_.playable, best_.config, only_shorter); }
  bool attempt(const Choices& candidate, const std::shared_ptr<const Playable>& playable, const rules::Config& config, bool only_shorter = false) {
    if (out_of_time()) return false;
    ++best_.tried;
    examine_.most_steps = choices_.size();
    Examined found = examine(*playable, candidate, examine_);
    if (!found.failure) return false;
    Choices now = choices_of(found.tape);
    if (!only_shorter && !simpler(now, choices_) && playable == best_.playable) return false;
    if (only_shorter ? now.size() >= choices_.size() : now.size() > choices_.size()) return false;
    choices_ = std::move(now);
    best_.game = std::move(found);
    best_.playable = playable;
    best_.config = config;
    return true;
  }

  /// Leaves out chunks, from half of the game down to single choices.
  void shorten() {
    for (std::size_t chunk = std::max<std::size_t>(choices_.size() / 2, 1); !out_of_time(); chunk /= 2) {
      for (std::size_t at = 0; at < choices_.size() && !out_of_time();) {
        Choices candidate = choices_;
        const auto begin = candidate.begin() + static_cast<std::ptrdiff_t>(at);
        candidate.erase(begin, begin + static_cast<std::ptrdiff_t>(std::min(chunk, candidate.size() - at)));
        if (!attempt(candidate)) at += chunk;
      }
      // the first option everywhere is the plainest game
      for (std::size_t at = 0; at < choices_.size() && !out_of_time(); at += chunk) {
        Choices candidate = choices_;
        for (std::size_t i = at; i < std::min(at + chunk, candidate.size()); ++i) candidate[i].value = 0;
        if (candidate != choices_) attempt(candidate);
      }
      if (chunk <= 1) break;
    }
  }

  /// A single bolder choice may end the game sooner: the last option, or one in the middle, in place of each choice.
  void leap() {
    for (std::size_t i = 0; i < choices_.size() && !out_of_time(); ++i) {
      const std::uint32_t of = i < best_.game.tape.size() ? best_.game.tape[i].of : 1;
      for (const std::uint32_t other : {of - 1, of / 2}) {
        if (i >= choices_.size() || other == choices_[i].value) continue;
        Choices candidate = choices_;
        candidate[i].value = other;
        attempt(candidate, true);
      }
    }
  }

  void lower() {
    for (std::size_t i = 0; i < choices_.size() && !out_of_time(); ++i) {
      while (i < choices_.size() && choices_[i].value > 0) {
        const std::uint32_t value = choices_[i].value;
        bool lowered = false;
        for (const std::uint32_t other : {0u, value / 2, value - 1}) {
          Choices candidate = choices_;
          candidate[i].value = other;
          if (attempt(candidate)) {
            lowered = true;
            break;
          }
        }
        if (!lowered) break;
      }
    }
  }

  bool attempt_config(const rules::Config& config) {
    const std::shared_ptr<const Playable> playable = make(config);
    return playable->error.empty() && attempt(choices_, playable, config);
  }

  void fewer_players() {
    for (auto n = static_cast<int>(rules_->players_low); n < best_.config.players && !out_of_time(); ++n) {
      rules::Config config = default_config(*rules_, n);
      for (std::size_t p = 0; p < config.params.size(); ++p) {
        if (rules_->params[p].index.empty()) config.params[p] = best_.config.params[p];
      }
      if (attempt_config(config)) {
        shorten();
        return;
      }
    }
  }

  /// A smaller number is taken if the game gets shorter by it.
  void smaller_parameters() {
    for (std::size_t p = 0; p < rules_->params.size() && !out_of_time(); ++p) {
      const rules::Param& param = rules_->params[p];
      if (std::find(options_.settled.begin(), options_.settled.end(), param.name) != options_.settled.end()) continue;
      if (!param.index.empty() || param.type.base != rules::Base::integer || param.type.optional) continue;
      const std::int64_t low = param_range(*rules_, static_cast<rules::ParamId>(p), best_.config.players).first;
      std::int64_t tried = low - 1;
      while (tried < best_.config.params[p][0] - 1 && !out_of_time()) {
        // from the lowest value up, in steps that double the distance
        const std::int64_t value = tried < low ? low : std::min(best_.config.params[p][0] - 1, tried + std::max<std::int64_t>(1, tried - low));
        tried = value;
        rules::Config config = best_.config;
        config.params[p] = {value};
        const std::size_t steps = choices_.size();
        const Shrunk keep = best_;
        const Choices keep_choices = choices_;
        if (!attempt_config(config)) continue;
        shorten();
        if (choices_.size() < steps) break;
        best_ = keep;
        choices_ = keep_choices;
      }
    }
  }

  std::shared_ptr<const rules::Rules> rules_;
  ExamineOptions examine_;
  ShrinkOptions options_;
  Shrunk best_;
  Choices choices_;
  Clock::time_point end_;
};

}  // namespace

Shrunk shrink(std::shared_ptr<const rules::Rules> rules, const rules::Config& config, Examined game, ExamineOptions examine, const ShrinkOptions& options) {
  return Shrinker(std::move(rules), config, std::move(game), std::move(examine), options).run();
}

}  // namespace rip::verify
