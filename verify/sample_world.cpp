#include "verify/sample_world.h"

#include "verify/noticed.h"
#include "verify/position.h"
#include "verify/second_world.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace rip::verify {

namespace {

/// From one stop to the next: a decision, but for the first part of a game, and what chance brought behind it.
struct Part {
  int seat = -1;
  Step decision;
  Tape chance;
  double log_chance = 0;  ///< of all outcomes together
};

double log_share(const std::vector<Outcome>& outcomes, std::size_t index) {
  double all = 0;
  for (const Outcome& outcome : outcomes) all += outcome.weight;
  return std::log(outcomes[index].weight / all);
}

Step step_of(const std::vector<Outcome>& outcomes, std::size_t index) {
  Step step;
  step.index = static_cast<std::uint32_t>(index);
  step.of = static_cast<std::uint32_t>(outcomes.size());
  step.value = outcomes[index].value;
  return step;
}

/// If the two moves take one component each that the other does not, these have changed places.
void rename_by(const ir::Program& program, const Move& mine, const Move& theirs, Swap& swap) {
  std::vector<std::int32_t> a, b, only_a, only_b;
  each_component(program, mine, [&](std::int32_t c) { a.push_back(c); });
  each_component(program, theirs, [&](std::int32_t c) { b.push_back(c); });
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(only_a));
  std::set_difference(b.begin(), b.end(), a.begin(), a.end(), std::back_inserter(only_b));
  if (only_a.size() != 1 || only_b.size() != 1 || only_a[0] < 0 || only_b[0] < 0) return;
  swap.a = only_a[0];
  swap.b = only_b[0];
}

}  // namespace

/// Logs are complete at stops only, so a part is always run from its beginning.
class WorldSampler::Search {
 public:
  Search(const ir::Program& program, const State& from, const Tape& tape, int seat, const SampleOptions& options)
      : program_(program), here_(program), there_(program), witness_(seat), seat_(seat), options_(options), from_(from), left_(options.most_tried) {
    there_.observer = &witness_;
    if (!watch(tape)) return;
    walking_ = true_;
    State at = from_;
    follow(0, at, 0);
    if (left_ == 0) ways_.clear();
  }

  bool exact() const { return !ways_.empty(); }
  std::uint64_t ways() const { return ways_.size(); }

  SampledWorld sample(Rng& rng) {
    SampledWorld out;
    out.error = error_;
    if (!error_.empty()) return out;
    if (!exact()) walk(rng);
    write(exact() ? play_again(ways_[draw(rng)]) : walking_, out);
    return out;
  }

 private:
  struct Noticed {
    std::string log, rest;
  };
  /// A way through the game as numbers of options and outcomes.
  struct Way {
    std::vector<std::uint32_t> indices;
    double log_share = 0;  ///< of what chance and the others did
  };

  // ---- one part of a game ----

  void begin(Machine& machine, const State& from, State& state) {
    State other;
    machine.start(other);  // what the machine has not told yet belongs to other games
    witness_.lines.clear();
    state = from;
  }
  bool told_the_same_so_far(std::size_t at) const { return noticed_[at].log.starts_with(witness_.lines); }
  bool looks_the_same(State& state, std::size_t at) {
    return witness_.lines == noticed_[at].log && seen_at_rest(there_, state, seat_, moves_) == noticed_[at].rest;
  }
  bool decide(Machine& machine, State& state, int seat, std::uint64_t index, Step& step) {
    const std::uint64_t count = machine.count_moves(state, seat);
    step = Step{};
    step.seat = seat;
    step.index = static_cast<std::uint32_t>(index);
    step.of = static_cast<std::uint32_t>(count);
    if (index >= count || !machine.nth_move(state, seat, index, step.move) || machine.status(state) == Status::fault) return false;
    machine.decide(state, seat, step.move);
    return true;
  }

  /// The true game: what the seat noticed at each stop.
  bool watch(const Tape& tape) {
    State state;
    begin(there_, from_, state);
    std::size_t at = 0;
    while (true) {
      Part part;
      if (!true_.empty()) {
        const Step& step = tape[at++];
        part.seat = step.seat;
        if ((there_.deciding(state) >> step.seat & 1u) == 0) return fail("the tape does not fit the position");
        if (!decide(there_, state, step.seat, step.index, part.decision)) return fail("the tape does not fit the position");
      }
      while (run_on(there_, state) == Status::chance) {
        if (at == tape.size()) return fail("the game waits for chance; a world is drawn where a seat decides, or at the end");
        there_.outcomes(state, outcomes_);
        if (!tape[at].chance() || tape[at].index >= outcomes_.size()) return fail("the tape does not fit the position");
        take_outcome(there_, state, tape[at++].index, part);
      }
      true_.push_back(std::move(part));
      noticed_.push_back({witness_.lines, seen_at_rest(there_, state, seat_, moves_)});
      stops_.push_back(state);
      witness_.lines.clear();
      if (at == tape.size()) return true;
      if (tape[at].chance() || there_.status(state) != Status::decision) return fail("the tape does not fit the position");
    }
  }
  bool fail(const char* why) {
    error_ = why;
    return false;
  }
  /// `outcomes_` are those of the state.
  void take_outcome(Machine& machine, State& state, std::size_t index, Part& part) {
    part.chance.push_back(step_of(outcomes_, index));
    part.log_chance += log_share(outcomes_, index);
    machine.choose_outcome(state, static_cast<std::uint32_t>(index));
  }

  // ---- all ways ----

  /// All parts number `at` that look as they did, from where the game stands.
  void follow(std::size_t at, const State& from, double log_so_far) {
    if (at == true_.size()) {
      ways_.push_back({way_, log_so_far});
      return;
    }
    const Part& was = true_[at];
    if (was.seat < 0) return follow_chance(at, from, 0, log_so_far);
    if (was.seat == seat_) return follow_chance(at, from, was.decision.index, log_so_far);
    State state = from;
    const std::uint64_t count = there_.count_moves(state, was.seat);
    for (std::uint64_t i = 0; i < count && left_ > 0; ++i) follow_chance(at, from, i, log_so_far - std::log(static_cast<double>(count)));
  }

  void follow_chance(std::size_t at, const State& from, std::uint64_t decision, double log_so_far) {
    std::vector<std::uint32_t> path;  // outcomes of this part
    do {
      if (left_ == 0 || --left_ == 0) return;
      State state;
      Part part;
      begin(there_, from, state);
      if (true_[at].seat >= 0 && !decide(there_, state, true_[at].seat, decision, part.decision)) return;
      std::vector<std::uint32_t> of;
      bool same = true;
      while (run_on(there_, state) == Status::chance && (same = told_the_same_so_far(at))) {
        there_.outcomes(state, outcomes_);
        const std::size_t k = of.size();
        if (k == path.size()) path.push_back(0);
        of.push_back(static_cast<std::uint32_t>(outcomes_.size()));
        take_outcome(there_, state, path[k], part);
      }
      if (same && looks_the_same(state, at)) {
        const std::size_t length = way_.size();
        if (true_[at].seat >= 0) way_.push_back(static_cast<std::uint32_t>(decision));
        way_.insert(way_.end(), path.begin(), path.end());
        follow(at + 1, state, log_so_far + part.log_chance);
        way_.resize(length);
      }
      // the next path: what lies behind the last outcome that was taken is another game
      path.resize(of.size());
      while (!path.empty() && path.back() + 1 == of[path.size() - 1]) path.pop_back();
      if (!path.empty()) ++path.back();
    } while (!path.empty());
  }

  std::size_t draw(Rng& rng) const {
    double most = ways_.front().log_share, all = 0;
    for (const Way& way : ways_) most = std::max(most, way.log_share);
    for (const Way& way : ways_) all += std::exp(way.log_share - most);
    double at = static_cast<double>(rng.below(std::uint64_t{1} << 53)) / static_cast<double>(std::uint64_t{1} << 53) * all;
    for (std::size_t i = 0; i + 1 < ways_.size(); ++i) {
      at -= std::exp(ways_[i].log_share - most);
      if (at < 0) return i;
    }
    return ways_.size() - 1;
  }

  std::vector<Part> play_again(const Way& way) {
    std::vector<Part> out;
    State state;
    begin(there_, from_, state);
    auto next = way.indices.begin();
    for (const Part& was : true_) {
      Part part;
      part.seat = was.seat;
      if (part.seat >= 0) decide(there_, state, part.seat, *next++, part.decision);
      while (run_on(there_, state) == Status::chance) {
        there_.outcomes(state, outcomes_);
        take_outcome(there_, state, *next++, part);
      }
      out.push_back(std::move(part));
    }
    return out;
  }

  // ---- a walk ----

  /// Something that was not the seat's own doing: the decision of a part, or one of its outcomes.
  struct Slot {
    std::size_t part = 0;
    std::ptrdiff_t outcome = -1;
  };
  std::vector<Slot> slots(const std::vector<Part>& parts) const {
    std::vector<Slot> out;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].seat >= 0 && parts[i].seat != seat_ && parts[i].decision.of > 1) out.push_back({i, -1});
      for (std::size_t k = 0; k < parts[i].chance.size(); ++k) {
        if (parts[i].chance[k].of > 1) out.push_back({i, static_cast<std::ptrdiff_t>(k)});
      }
    }
    return out;
  }

  void walk(Rng& rng) {
    const std::size_t rounds = options_.rounds != 0 ? options_.rounds : std::clamp<std::size_t>(4 * slots(walking_).size(), 40, 400);
    for (std::size_t i = 0; i < rounds; ++i) {
      const std::vector<Slot> open = slots(walking_);
      if (open.empty()) return;
      try_another(open[rng.below(open.size())], open.size(), rng);
    }
  }

  /// Takes what the slot holds otherwise; the rest of the game goes on as it did, but for names.
  void try_another(const Slot& slot, std::size_t open, Rng& rng) {
    Swap swap;
    std::vector<Part> parts(walking_.begin(), walking_.begin() + static_cast<std::ptrdiff_t>(slot.part));
    std::vector<State> stops(stops_.begin(), stops_.begin() + static_cast<std::ptrdiff_t>(slot.part));
    State here = slot.part == 0 ? from_ : stops_[slot.part - 1], there = here;
    double log_ratio = 0;  // of what followed by renaming: how much likelier it is there
    for (std::size_t at = slot.part; at < walking_.size(); ++at) {
      Part part;
      const bool changes = at == slot.part;
      if (!follow_part(here, there, at, changes ? &slot : nullptr, swap, rng, part, log_ratio) || !looks_the_same(there, at)) return;
      if (changes && !swap.renames() && part.decision.index == walking_[at].decision.index && there == stops_[at]) return;  // the same again
      parts.push_back(std::move(part));
      stops.push_back(there);
    }
    log_ratio += std::log(static_cast<double>(open)) - std::log(static_cast<double>(std::max<std::size_t>(1, slots(parts).size())));
    const double chance = static_cast<double>(rng.below(std::uint64_t{1} << 53)) / static_cast<double>(std::uint64_t{1} << 53);
    if (std::log(chance) >= log_ratio) return;
    walking_ = std::move(parts);
    stops_ = std::move(stops);
  }

  /// Part number `at` in both worlds; false: it cannot be followed, or the seat has noticed something else.
  bool follow_part(State& here, State& there, std::size_t at, const Slot* change, Swap& swap, Rng& rng, Part& part, double& log_ratio) {
    const Part& was = walking_[at];
    part.seat = was.seat;
    State before_here = here, before_there = there;
    begin(here_, before_here, here);
    begin(there_, before_there, there);
    if (was.seat >= 0) {
      std::uint64_t index = was.decision.index;
      const std::uint64_t count = there_.count_moves(there, was.seat);
      if (count == 0) return false;
      if (change != nullptr && change->outcome < 0) {
        index = rng.below(count);
      } else if (was.seat != seat_ && change == nullptr) {
        const std::int64_t same = same_move({here_, here}, {there_, there}, was.decision, swap, seat_);
        if (same >= 0) log_ratio += std::log(static_cast<double>(was.decision.of)) - std::log(static_cast<double>(count));
        index = same >= 0 ? static_cast<std::uint64_t>(same) : rng.below(count);
      }
      if (!decide(there_, there, was.seat, index, part.decision)) return false;
      here_.decide(here, was.seat, was.decision.move);
      if (change != nullptr && change->outcome < 0) {
        swap.kind = Swap::Kind::decision;
        rename_by(program_, was.decision.move, part.decision.move, swap);
      }
    }
    std::size_t taken = 0;  // of the outcomes here
    run_on(here_, here);
    while (run_on(there_, there) == Status::chance) {
      if (!told_the_same_so_far(at)) return false;
      follow_outcome(here, there, was, taken, change, swap, rng, part, log_ratio);
      if (taken < was.chance.size()) {
        here_.choose_outcome(here, was.chance[taken++].index);
        run_on(here_, here);
      }
    }
    for (; taken < was.chance.size(); ++taken) {
      here_.choose_outcome(here, was.chance[taken].index);
      run_on(here_, here);
    }
    return there_.status(there) != Status::fault;
  }

  void follow_outcome(State& here, State& there, const Part& was, std::size_t taken, const Slot* change, Swap& swap, Rng& rng, Part& part, double& log_ratio) {
    there_.outcomes(there, outcomes_);
    const auto slot = change != nullptr && change->outcome >= 0 ? static_cast<std::size_t>(change->outcome) : was.chance.size();
    std::int64_t index = -1;
    if (taken < slot && change != nullptr && change->outcome >= 0) {
      index = was.chance[taken].index;  // the worlds are still one
    } else if (taken == slot && taken < was.chance.size()) {
      const std::uint32_t other = there_.sample_outcome(there, rng);
      there_.outcomes(there, outcomes_);
      const Step& mine = was.chance[taken];
      const ChanceKind what = chance_what(there);
      if (what == ChanceKind::settle || what == ChanceKind::order) {
        if (outcomes_[other].value != mine.value) {
          swap.a = mine.value;
          swap.b = outcomes_[other].value;
        }
      } else if (what == ChanceKind::which) {
        rename_by(program_, here_.meant(here, outcomes_[mine.index]), there_.meant(there, outcomes_[other]), swap);
      }
      index = other;
    } else if (taken < was.chance.size() && chance_what(here) == chance_what(there)) {
      std::vector<Outcome> mine;
      here_.outcomes(here, mine);
      index = same_outcome({here_, here}, mine[was.chance[taken].index], {there_, there}, outcomes_, swap, false, seat_);
      if (index >= 0) log_ratio += log_share(outcomes_, static_cast<std::size_t>(index)) - log_share(mine, was.chance[taken].index);
    }
    if (index < 0) {
      index = there_.sample_outcome(there, rng);
      there_.outcomes(there, outcomes_);
    }
    take_outcome(there_, there, static_cast<std::size_t>(index), part);
  }

  void write(const std::vector<Part>& parts, SampledWorld& out) {
    begin(there_, from_, out.state);
    for (const Part& part : parts) {
      if (part.seat >= 0) {
        out.tape.push_back(part.decision);
        there_.decide(out.state, part.seat, part.decision.move);
      }
      run_on(there_, out.state);
      for (const Step& step : part.chance) {
        out.tape.push_back(step);
        there_.choose_outcome(out.state, step.index);
        run_on(there_, out.state);
      }
    }
  }

  const ir::Program& program_;
  Machine here_, there_;
  Witness witness_;
  int seat_;
  SampleOptions options_;
  State from_;
  std::string error_;
  std::vector<Part> true_;          ///< the game as it was
  std::vector<Noticed> noticed_;    ///< by part
  std::vector<Way> ways_;
  std::vector<std::uint32_t> way_;  ///< that is being followed
  std::uint64_t left_;
  std::vector<Part> walking_;       ///< the world where a walk has come to
  std::vector<State> stops_;        ///< its states, by part
  std::vector<Outcome> outcomes_;   ///< scratch
  std::vector<Move> moves_;         ///< scratch
};

WorldSampler::WorldSampler(const ir::Program& program, const State& from, const Tape& tape, int seat, const SampleOptions& options)
    : search_(std::make_unique<Search>(program, from, tape, seat, options)) {}
WorldSampler::~WorldSampler() = default;

SampledWorld WorldSampler::sample(Rng& rng) { return search_->sample(rng); }
bool WorldSampler::exact() const { return search_->exact(); }
std::uint64_t WorldSampler::ways() const { return search_->ways(); }

SampledWorld sample_world(const Playable& playable, const Tape& tape, int seat, Rng& rng) {
  Machine machine(*playable.program);
  State from;
  machine.start(from);
  return WorldSampler(*playable.program, from, tape, seat).sample(rng);
}

}  // namespace rip::verify
