#include "cli/repl_game.h"

#include "verify/bot.h"
#include "verify/position.h"
#include "verify/transcript.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace rip::cli::repl {

namespace {

/// Claims are tested where they stand in the rules, and what is carried out is counted.
LowerOptions with_instruments() {
  LowerOptions lower;
  lower.claims = true;
  lower.coverage = true;
  return lower;
}

/// So many decisions on from step `from`, with the chance that followed them; or so many steps of either kind.
std::size_t steps_on(const verify::Tape& tape, std::size_t from, std::size_t n, bool chance_counts) {
  if (chance_counts) return std::min(tape.size(), from + n);
  std::size_t at = from;
  while (at < tape.size() && n > 0) n -= tape[at++].chance() ? 0 : 1;
  while (at < tape.size() && tape[at].chance()) ++at;
  return at;
}

}  // namespace

Game::Game(GameOptions wish) : options(std::move(wish)), rng(Rng::for_game(options.seed, 0)) {}

int Game::open() {
  std::fflush(stdout);  // what is wrong with a script goes to standard error, behind what was printed before
  Opened now = open_game(options, with_instruments());
  if (now.exit != kFine) return now.exit;
  sitting_.reset();
  ear_.reset();
  opened = std::move(now);
  begin();
  return kFine;
}

Game::Again Game::open_with(GameOptions wish, const verify::Trace& trace) {
  const GameOptions before = std::exchange(options, std::move(wish));
  Again again;
  again.of = trace.steps.size();
  again.exit = open();
  if (again.exit != kFine) {
    options = before;
    return again;
  }
  sitting_->pause = nullptr;  // what is taken again halts nowhere
  again.fit = verify::replay(*sitting_, trace);
  trail_ = sitting_->tape;
  listen();
  return again;
}

Game::Again Game::open_again(GameOptions wish) {
  return open_with(std::move(wish), verify::parse_trace(verify::trace_text(playable(), sitting_->tape, {options.file, options.seed, ""})).trace);
}

Game::Again Game::open_trace(GameOptions wish, const verify::Trace& trace) {
  if (wish.file.empty()) wish.file = trace.file;
  if (wish.variant.empty()) wish.variant = trace.variant;
  if (wish.players == 0) wish.players = trace.players;
  if (wish.settings.empty()) wish.settings = trace.settings;
  Again again = open_with(std::move(wish), trace);
  told_ = 0;  // what is wrong with a recorded game is news
  return again;
}

void Game::sit() {
  sitting_.reset();
  ear_ = std::make_unique<Ear>(program());
  sitting_ = std::make_unique<verify::Sitting>(playable(), ear_.get());
  sitting_->setup_done = [this] { ear_->armed = true; };
  tested_ = 0;
  told_ = 0;
  sitting_->begin();
}

void Game::begin() {
  sit();
  trail_.clear();
  listen();
}

void Game::renew() {
  const verify::Tape tape = sitting_->tape;
  sitting_.reset();
  ear_.reset();
  opened.playable = verify::prepare(opened.version->rules, opened.playable->config, with_instruments());
  const verify::Tape whole = trail_;
  sit();
  verify::replay(*sitting_, tape);
  trail_ = whole;
  listen();
}

/// Claims are asked where they would be in a game that `check` plays; what was heard on the way is old.
void Game::listen() {
  took();
  news_ = {};
  told_ = ear_->violations.size();
  for (auto& lines : ear_->lines) lines.clear();
  leaving_ = false;
  sitting_->pause = [this](ir::Pc now) {
    if (std::exchange(leaving_, false)) return false;
    if (!stops.at(now).empty()) return true;
    if (!stepping || is_silent(program().code[static_cast<std::size_t>(now)])) return false;
    const auto span_at = [&](std::int32_t at) { return program().code_spans[static_cast<std::size_t>(at)]; };
    const bool same = last_pause_ >= 0 && now > last_pause_ && span_at(now) == span_at(last_pause_);
    last_pause_ = now;
    return !same && span_at(now).end != 0;
  };
}

void Game::took() {
  if (sitting_->runs == tested_) return;
  tested_ = sitting_->runs;
  if (sitting_->status == Status::decision) ear_->test(sitting_->machine, sitting_->state, false);
  if (sitting_->status == Status::over) ear_->test(sitting_->machine, sitting_->state, true);
}

void Game::note_step(std::size_t from) {
  const verify::Tape& tape = sitting_->tape;
  for (std::size_t i = from; i < tape.size(); ++i) {
    if (i < trail_.size() && (trail_[i].seat != tape[i].seat || trail_[i].index != tape[i].index)) trail_.resize(i);
    if (i == trail_.size()) trail_.push_back(tape[i]);
  }
}

void Game::decide(int seat, std::uint32_t index) {
  const std::size_t from = sitting_->tape.size();
  Move move;
  if (machine().nth_move(state(), seat, index, move)) news_.steps.push_back(fmt::format("{}: {}", playable().seat(seat), machine().text(move)));
  last_pause_ = -1;
  sitting_->decide(seat, index);
  note_step(from);
  let_fall();
}

void Game::settle(std::uint32_t index) {
  const std::size_t from = sitting_->tape.size();
  std::vector<Outcome> outcomes;
  machine().outcomes(state(), outcomes);
  if (index < outcomes.size() && sitting_->after_setup) {
    const std::string text = "chance: " + outcomes[index].text;
    if (news_.steps.empty() || !verify::add_draw(news_.steps.back(), text)) news_.steps.push_back(text);
  }
  sitting_->settle(index);
  note_step(from);
}

void Game::go_at_random() {
  if (sitting_->status == Status::chance) {
    settle(machine().sample_outcome(state(), rng));
    let_fall();
    return;
  }
  const int seat = asked();
  if (seat < 0) return;
  const std::uint64_t count = machine().count_moves(state(), seat);
  if (count == 0) {
    sitting_->find_stuck();
    return;
  }
  decide(seat, static_cast<std::uint32_t>(rng.below(count)));
}

void Game::go_by_bot() {
  const int seat = asked();
  if (seat < 0) return go_at_random();
  Rng thoughts = verify::rng_of_bot(options.seed, sitting_->tape, seat);
  const verify::BotDecision decision = verify::decide_by_bot(playable(), sitting_->tape, seat, thoughts);
  if (!decision.error.empty()) return go_at_random();  // no option: the fault shows
  decide(seat, decision.index);
}

void Game::go_on() {
  if (!paused()) return;
  leaving_ = true;
  sitting_->go_on();
  let_fall();
}

void Game::let_fall() {
  while (!by_hand && sitting_->status == Status::chance) settle(machine().sample_outcome(state(), rng));
  if (!paused()) took();
}

News Game::take_news() {
  News out = std::exchange(news_, {});
  const auto& all = ear_->violations;
  out.violations.assign(all.begin() + static_cast<std::ptrdiff_t>(told_), all.end());
  told_ = all.size();
  return out;
}

bool Game::undo(std::size_t decisions) {
  const verify::Tape& tape = sitting_->tape;
  std::size_t at = tape.size();
  for (; decisions > 0 && at > 0; --decisions) {
    const std::size_t from = at;
    while (at > 0 && tape[at - 1].chance() && !by_hand) --at;
    if (at == 0 && !by_hand) {
      at = from;  // before the first decision there is only the setup
      break;
    }
    --at;
  }
  if (at == tape.size()) return false;
  jump(at);
  return true;
}

bool Game::redo(std::size_t decisions) {
  const std::size_t from = sitting_->tape.size();
  const std::size_t to = steps_on(trail_, from, decisions, by_hand);
  if (to == from) return false;
  jump(to);
  return true;
}

void Game::jump(std::size_t steps) {
  const verify::Tape whole = std::exchange(trail_, {});
  const verify::Tape part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(std::min(steps, whole.size())));
  sit();
  verify::replay(*sitting_, part);
  trail_ = whole;
  listen();
}

int Game::asked() { return sitting_->status == Status::decision ? machine().to_move(state()) : -1; }

ir::Pc Game::pc() const { return verify::header_of(sitting_->state).pc; }

std::size_t Game::before_last() const {
  const verify::Tape& tape = sitting_->tape;
  std::size_t at = tape.size();
  while (at > 0 && tape[at - 1].chance()) --at;
  return at == 0 ? 0 : at - 1;
}

View Game::view_before(int seat) {
  verify::Sitting earlier(playable());
  earlier.begin();
  const verify::Tape& tape = sitting_->tape;
  verify::replay(earlier, verify::Tape(tape.begin(), tape.begin() + static_cast<std::ptrdiff_t>(before_last())));
  return earlier.machine.view(earlier.state, seat);
}

}  // namespace rip::cli::repl
