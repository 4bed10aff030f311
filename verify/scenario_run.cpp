#include "verify/scenario_run.h"

#include "verify/arrange.h"
#include "verify/worlds.h"

#include <fmt/format.h>

#include <algorithm>

namespace rip::verify {

using Kind = StepScript::Kind;

ScenarioRun::ScenarioRun(const ScenarioScript& script, const Sources& sources, Free& open, bool notes, bool tells)
    : Watcher(*script.program), script_(script), sources_(sources), playable_(*script.playable), open_(open), notes_(notes), tells_(tells),
      machine_(*script.program), seen_(static_cast<std::size_t>(playable_.players())) {
  machine_.observer = this;
  wants_logs = notes;
}

bool ScenarioRun::fail(Span span, std::string text) {
  at = span;
  message = std::move(text);
  return false;
}

void ScenarioRun::tell(std::string line) {
  if (tells_) transcript.push_back(std::move(line));
}

void ScenarioRun::tell_changes() {
  if (!tells_) return;
  View now = machine_.view(state_, kAllSeeing);
  for (const std::string& line : changes(view_, now)) tell("        " + line);
  view_ = std::move(now);
}

void ScenarioRun::log(int seat, const LogLine& line) {
  if (notes_ && seat < std::ssize(seen_)) seen_[static_cast<std::size_t>(seat)].push_back("log: " + line.text);
}

/// What each seat sees where the game stops.
void ScenarioRun::look() {
  if (!notes_) return;
  const std::uint32_t deciding = status_ == Status::decision ? machine_.deciding(state_) : 0;
  for (int seat = 0; seat < playable_.players(); ++seat) {
    Seen& seen = seen_[static_cast<std::size_t>(seat)];
    seen.push_back("view: " + machine_.view(state_, seat).text());
    std::string turn;
    for (int other = 0; other < playable_.players(); ++other) {
      if ((deciding >> other & 1u) != 0) turn += " " + playable_.seat(other);
    }
    seen.push_back(status_ == Status::over ? "the game is over" : "to decide:" + turn);
    if ((deciding >> seat & 1u) == 0) continue;
    constexpr std::uint64_t kMost = 600;
    std::string options = std::to_string(machine_.count_moves(state_, seat));
    for (const Move& move : first_moves(machine_, state_, seat, kMost)) options += "\n  " + machine_.text_for(state_, move, seat);
    seen.push_back("options: " + options);
  }
}

// ---- the steps ----

bool ScenarioRun::run() {
  if (!begin()) return false;
  for (std::size_t i = 0; i < script_.steps.size(); ++i) {
    if (!take_step(i)) return false;
  }
  if (arranged_ && script_.steps.empty()) return true;
  const Span end = script_.steps.empty() ? Span{} : script_.steps.back().span;
  if (new_givens_ && !arrange(end)) return false;
  if (!arranged_ && !go_on(end)) return false;
  for (const auto& [zone, queue] : queues_) {
    if (!queue.items.empty()) return fail(queue.span, fmt::format("{} of the named cards have not been drawn", queue.items.size()));
  }
  if (!rolls_.empty()) return fail(end, fmt::format("`next roll` names {} more numbers than were rolled", rolls_.size()));
  return true;
}

/// Setup, with chance free; a setup that asks for decisions stops at the first.
bool ScenarioRun::begin() {
  begin_game();
  machine_.start(state_);
  status_ = machine_.run(state_);
  const Span first = script_.steps.empty() ? Span{} : script_.steps[0].span;
  const bool arranges = script_.start.has_value() || std::any_of(script_.steps.begin(), script_.steps.end(), [](const StepScript& s) { return s.kind == Kind::given; });
  while (status_ != Status::checkpoint) {
    if (status_ == Status::chance) {
      if (!settle(first)) return false;
    } else if (status_ == Status::decision && arranges) {
      // nobody has written these decisions: they are open as chance is
      const int seat = machine_.to_move(state_);
      Move move;
      const std::uint64_t count = machine_.count_moves(state_, seat);
      if (count > 0) {
        machine_.nth_move(state_, seat, open_.pick(static_cast<std::size_t>(count)), move);
        machine_.decide(state_, seat, move);
      }
      status_ = machine_.status(state_);
      if (status_ != Status::running) continue;
    } else if (status_ == Status::fault) {
      const Fault fault = machine_.fault(state_);
      return fail(fault.span, fmt::format("setup goes wrong: {}", fault.message));
    } else {
      break;
    }
    status_ = machine_.run(state_);
  }
  arranged_ = status_ == Status::checkpoint;
  armed = arranged_ && script_.tests_claims;
  past_setup_ = true;
  if (!arranged_) look();
  if (tells_) view_ = machine_.view(state_, kAllSeeing);
  return true;
}

/// Applies all `given` lines read so far.
bool ScenarioRun::arrange(Span span) {
  if (!new_givens_) return true;
  new_givens_ = false;
  if (status_ == Status::running && !go_on(span)) return false;
  ArrangeError error = set_variables(givens_, playable_, machine_, state_);
  if (error.message.empty()) error = lay_cards(givens_, playable_, machine_, state_, open_, script_.watchers, &original_.disturbs);
  // what was laid may decide what a value means: `given target == nth(hand[Ben], 1)`
  if (error.message.empty()) error = set_variables(givens_, playable_, machine_, state_);
  if (!error.message.empty()) return fail(error.span == Span{} ? span : error.span, std::move(error.message));
  tell("given:");
  tell_changes();
  return true;
}

bool ScenarioRun::take_step(std::size_t number) {
  const bool swapped = original_.instead != nullptr && original_.step == number;
  const StepScript& step = script_.steps[number];
  if (step.kind == Kind::given) {
    givens_.push_back(swapped ? &original_.instead->given : &step.given);
    new_givens_ = true;
    return true;
  }
  if (!arrange(step.span)) return false;
  if (script_.weighs && !position_ && step.kind != Kind::start && (!script_.start || number > *script_.start)) position_ = {number, moment()};
  switch (step.kind) {
    case Kind::start: return start(step);
    case Kind::next_roll:
      rolls_.insert(rolls_.end(), step.faces.begin(), step.faces.end());
      return true;
    case Kind::next_cards: return queue_cards(step);
    case Kind::does: return does(swapped ? *original_.instead : step, number);
    case Kind::given: return true;
    case Kind::expect:
    case Kind::swapping:
    case Kind::can:
    case Kind::knows:
    case Kind::has:
    case Kind::worlds: break;
  }
  if (original_.run != nullptr) return true;  // only what moves the game on is replayed
  switch (step.kind) {
    case Kind::expect: return step.chance || step.on_average ? weigh(step, number) : expect(step);
    case Kind::swapping: return swapping(step, number);
    case Kind::can: return can(step);
    case Kind::knows: return knows(step);
    case Kind::worlds: return worlds(step);
    default: return has(step);
  }
}

bool ScenarioRun::start(const StepScript& step) {
  if (!arranged_) return fail(step.span, "the game has gone on already: `start` stands before all decisions");
  machine_.pinned.assign(playable_.program->vars.size(), 0);
  for (const GivenScript* given : givens_) {
    if (!given->cards && !given->picks_pass) machine_.pinned[given->var.var] = 1;
  }
  jump_to(state_, script_.entry);
  status_ = machine_.run(state_);
  while (status_ == Status::chance) {
    if (!settle(step.span)) return false;
    status_ = machine_.run(state_);
  }
  if (status_ == Status::fault) {
    const Fault fault = machine_.fault(state_);
    return fail(step.span, fmt::format("the phase cannot be entered: {}: {}", sources_.where(fault.span), fault.message));
  }
  arranged_ = status_ == Status::checkpoint;
  tell("start");
  // what the enclosing passes have set anew gives way to what is given
  const ArrangeError error = set_variables(givens_, playable_, machine_, state_);
  if (!error.message.empty()) return fail(error.span == Span{} ? step.span : error.span, error.message);
  tell_changes();
  arranged_ = false;
  status_ = Status::running;
  return true;
}

bool ScenarioRun::went_wrong(Span span) {
  const Fault fault = machine_.fault(state_);
  return fail(span, fmt::format("a rule goes wrong: {}: {}", sources_.where(fault.span), fault.message));
}

bool ScenarioRun::go_on(Span span) {
  if (arranged_ && new_givens_ && !arrange(span)) return false;
  const bool stands = !arranged_ && (status_ == Status::decision || status_ == Status::over);
  if (stands) return true;
  arranged_ = false;
  if (script_.counts_worlds && !origin_) origin_ = state_;
  while (true) {
    status_ = machine_.run(state_);
    if (status_ == Status::chance) {
      if (!settle(span)) return false;
      continue;
    }
    if (status_ == Status::checkpoint) {
      armed = script_.tests_claims;
      continue;
    }
    break;
  }
  for (auto& [zone, queue] : queues_) {
    if (!count_yields(span, zone)) return false;
  }
  tell_changes();
  if (status_ == Status::fault) return went_wrong(span);
  look();
  if (script_.tests_claims) {
    test(machine_, state_, status_ == Status::over);
    if (!violations.empty()) {
      const Violation& broken = violations.front();
      return fail(span, fmt::format("{} does not hold ({}){}", title(*script_.program, broken), sources_.where(broken.span),
                                    broken.detail.empty() ? "" : ": " + broken.detail));
    }
  }
  if (status_ == Status::over) tell("  the game is over");
  return true;
}

bool ScenarioRun::asked(const StepScript& step) {
  return status_ == Status::decision && (machine_.deciding(state_) >> step.seat & 1u) != 0;
}

std::string ScenarioRun::options_text(int seat) {
  std::string out;
  constexpr std::uint64_t kMost = 12;
  for (const Move& move : first_moves(machine_, state_, seat, kMost)) out += (out.empty() ? "" : ", ") + machine_.text(move);
  const std::uint64_t count = machine_.count_moves(state_, seat);
  if (count > kMost) out += fmt::format(", ... ({} in all)", count);
  return out;
}

/// A seat that has nothing to choose is a fault.
bool ScenarioRun::can_choose(int seat, Span span) {
  machine_.count_moves(state_, seat);
  status_ = machine_.status(state_);
  return status_ != Status::fault || went_wrong(span);
}

bool ScenarioRun::does(const StepScript& step, std::size_t number) {
  if (!go_on(step.span)) return false;
  const std::string& name = playable_.seat(step.seat);
  if (status_ == Status::over) return fail(step.span, fmt::format("the game is over, {} has nothing to decide", name));
  if (!asked(step)) {
    const int turn = machine_.to_move(state_);
    if (!can_choose(turn, step.span)) return false;
    return fail(step.span, fmt::format("{} is not asked; {} has to decide: {}", name, playable_.seat(turn), options_text(turn)));
  }
  if (!can_choose(step.seat, step.span)) return false;
  std::vector<Move> moves = candidates(step.move, playable_, machine_, state_, step.seat);
  const std::vector<std::uint32_t> fit = fitting(step.move, playable_, machine_, state_, step.seat, moves);
  std::optional<std::uint32_t> index;
  if (original_.run != nullptr && original_.run->decisions_.contains(number)) {
    index = closest(moves, fit, original_.run->decisions_.at(number));
  } else if (!fit.empty()) {
    index = fit[open_.pick(fit.size())];
  }
  if (!index) return fail(step.span, fmt::format("{} cannot `{}`; legal are {}", name, sources_.text(step.move.span), options_text(step.seat)));
  const Move move = moves[*index];
  decisions_[number] = {move, notes_ ? std::move(moves) : std::vector<Move>{}};
  tell(fmt::format("{} does {}", name, machine_.text(move)));
  if (script_.counts_worlds) {
    if (!origin_) origin_ = state_;
    tape_.push_back({step.seat, 0, 1, move, 0});
  }
  machine_.decide(state_, step.seat, move);
  status_ = machine_.status(state_);
  if (status_ == Status::decision) look();
  return true;
}

/// With a step swapped, the decision that is as close to the original one as it can be. Where no option fits what is written,
/// the card that came with the swap stands for the one that went.
std::optional<std::uint32_t> ScenarioRun::closest(const std::vector<Move>& moves, const std::vector<std::uint32_t>& fit, const Taken& before) const {
  std::vector<std::uint32_t> candidates = fit;
  for (std::size_t i = 0; i < moves.size() && fit.empty(); ++i) candidates.push_back(static_cast<std::uint32_t>(i));
  std::optional<std::uint32_t> best;
  std::pair<std::ptrdiff_t, bool> most{-1, false};
  for (const std::uint32_t candidate : candidates) {
    const Move& move = moves[candidate];
    if (fit.empty() && (move.option != before.move.option || move.size != before.move.size)) continue;
    std::ptrdiff_t same = move.option == before.move.option ? 1 : 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(std::min(move.size, before.move.size)); ++i) same += move.args[i] == before.move.args[i] ? 1 : 0;
    const bool fresh = std::find(before.options.begin(), before.options.end(), move) == before.options.end();
    if (std::pair(same, fresh) <= most) continue;
    most = {same, fresh};
    best = candidate;
  }
  return best;
}

bool ScenarioRun::can(const StepScript& step) {
  if (!go_on(step.span)) return false;
  const std::string& name = playable_.seat(step.seat);
  std::vector<Move> moves;
  std::vector<std::uint32_t> fit;
  if (asked(step)) {
    if (!can_choose(step.seat, step.span)) return false;
    moves = candidates(step.move, playable_, machine_, state_, step.seat);
    fit = fitting(step.move, playable_, machine_, state_, step.seat, moves);
  }
  if (fit.empty() != step.positive) return true;
  if (!step.positive) return fail(step.span, fmt::format("{} can: {}", name, machine_.text(moves[fit[0]])));
  if (!asked(step)) return fail(step.span, fmt::format("{} is not asked", name));
  return fail(step.span, fmt::format("{} cannot `{}`; legal are {}", name, sources_.text(step.move.span), options_text(step.seat)));
}

bool ScenarioRun::has(const StepScript& step) {
  if (!go_on(step.span)) return false;
  const std::string& name = playable_.seat(step.seat);
  if (!asked(step)) return fail(step.span, fmt::format("{} is not asked", name));
  if (!can_choose(step.seat, step.span)) return false;
  const std::uint64_t n = machine_.count_moves(state_, step.seat);
  if (n == static_cast<std::uint64_t>(step.count)) return true;
  return fail(step.span, fmt::format("{} has {} moves, not {}: {}", name, n, step.count, options_text(step.seat)));
}

bool ScenarioRun::worlds(const StepScript& step) {
  if (!go_on(step.span)) return false;
  const std::string& name = playable_.seat(step.seat);
  const Worlds found = count_worlds(*script_.program, *origin_, tape_, step.seat);
  if (!found.error.empty()) return fail(step.span, fmt::format("the worlds of {} cannot be counted: {} (has `next` brought a card from elsewhere?)", name, found.error));
  if (found.complete && found.count == static_cast<std::uint64_t>(step.count)) return true;
  return fail(step.span, fmt::format("{} has {}{} worlds, not {}", name, found.complete ? "" : "more than ", found.count, step.count));
}

bool ScenarioRun::expect(const StepScript& step) {
  if (!arranged_ && !go_on(step.span)) return false;
  bool fault = false;
  if (machine_.holds(state_, step.reading.node, &fault)) return true;
  const std::string_view text = sources_.text((*playable_.rules)[step.reading.expr].span);
  if (fault) return fail(step.span, fmt::format("`{}` cannot be read: a value that it needs is not there", text));
  return fail(step.span, fmt::format("expected `{}`, but {}", text, why_false(step.reading, playable_, machine_, state_, sources_)));
}

bool ScenarioRun::knows(const StepScript& step) {
  if (!arranged_ && !go_on(step.span)) return false;
  const Knowledge found = knowledge(step.knowable, playable_, machine_, state_, step.seat);
  if (!found.error.empty()) return fail(step.span, found.error);
  const std::vector<std::string>& against = step.positive ? found.unknown : found.known;
  if (against.empty()) return true;
  return fail(step.span, fmt::format("{} {} {}", playable_.seat(step.seat), step.positive ? "does not know" : "knows", against[0]));
}

}  // namespace rip::verify
