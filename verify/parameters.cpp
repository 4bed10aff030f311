#include "verify/parameters.h"

#include "verify/tape.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace rip::verify {

namespace {

constexpr std::size_t kMostDecisions = 2000;  ///< of each game

/// What there was to choose and to happen, what was taken, and how it ended.
struct Course {
  std::vector<std::uint32_t> steps;
  std::string end;
  friend bool operator==(const Course&, const Course&) = default;
};

Course course_of(const Playable& playable, std::uint64_t seed, std::uint64_t game) {
  Course out;
  Sitting sitting(playable);
  Rng rng = Rng::for_game(seed, game);
  sitting.begin();
  while (sitting.decisions() < kMostDecisions && step_at_random(sitting, rng)) {
  }
  for (const Step& step : sitting.tape) {
    out.steps.push_back(step.index);
    out.steps.push_back(step.of);
  }
  out.end = sitting.machine.digest(sitting.state);
  if (sitting.status == Status::over) {
    const Result result = sitting.machine.result(sitting.state);
    for (const std::int64_t score : result.scores) out.end += " " + std::to_string(score);
    out.end += " " + std::to_string(result.winners);
  }
  return out;
}

}  // namespace

std::map<std::string, std::uint64_t> changed_by_parameters(const std::shared_ptr<const rules::Rules>& rules, const rules::Config& usual, std::uint64_t seed,
                                                           std::uint64_t games) {
  std::map<std::string, std::uint64_t> out;
  if (rules->params.empty()) return out;
  const auto playable = prepare(rules, usual);
  if (!playable->error.empty()) return out;
  std::vector<Course> as_usual;
  for (std::uint64_t game = 0; game < games; ++game) as_usual.push_back(course_of(*playable, seed, game));
  for (rules::ParamId id = 0; id < rules->params.size(); ++id) {
    const auto [low, high] = param_range(*rules, id, usual.players);
    std::uint64_t changed = 0;
    int tried = 0;
    for (std::size_t at = 0; at < usual.params[id].size() && changed == 0; ++at) {
      const std::int64_t now = usual.params[id][at];
      for (const std::int64_t value : {low, high, now - 1, now + 1}) {
        if (value == now || value < low || value > high || changed > 0 || tried >= 2 * static_cast<int>(at + 1)) continue;
        rules::Config config = usual;
        config.params[id][at] = value;
        const auto other = prepare(rules, config);
        if (!other->error.empty()) continue;  // `require` forbids it
        ++tried;
        for (std::uint64_t game = 0; game < games; ++game) changed += course_of(*other, seed, game) == as_usual[game] ? 0 : 1;
      }
    }
    if (tried > 0) out[rules->params[id].name] = changed;
  }
  return out;
}

}  // namespace rip::verify
