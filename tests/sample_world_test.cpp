// Worlds drawn for a seat: none contradicts what the seat has seen, none of those that fit is left out, and the true one comes
// no more often than it should.
#include <catch2/catch.hpp>

#include "tests/files.h"
#include "tests/game.h"

#include "verify/noticed.h"
#include "verify/sample_world.h"
#include "verify/transcript.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <set>

using namespace rip;
using verify::Tape;
using tests::Game;
using tests::game;

namespace {

/// All that a seat reads and sees from the deal on, a text for each stop. Written apart from what draws worlds.
std::vector<std::string> life_of(const verify::Playable& playable, const Tape& tape, int seat) {
  std::vector<std::string> out;
  verify::LogBook book(playable.players());
  verify::Sitting sitting(playable, &book);
  std::string text;
  const auto note = [&] {
    for (const LogLine& line : book.lines[static_cast<std::size_t>(seat)]) text += line.text + "\n";
    book.clear();
    if (sitting.status == Status::chance) return;
    text += fmt::format("{} {:x}\n", static_cast<int>(sitting.status), sitting.machine.deciding(sitting.state));
    text += sitting.machine.view(sitting.state, seat).text();
    if (sitting.status == Status::decision && (sitting.machine.deciding(sitting.state) >> seat & 1u) != 0) {
      std::vector<Move> moves;
      if (sitting.machine.count_moves(sitting.state, seat) < 500) sitting.machine.legal_moves(sitting.state, seat, moves);
      for (const Move& move : moves) text += "\n" + sitting.machine.text_for(sitting.state, move, seat);
    }
    out.push_back(std::move(text));
    text.clear();
  };
  sitting.begin();
  note();
  for (const verify::Step& step : tape) {
    if (step.chance()) sitting.settle(step.index);
    else {
      if (step.seat == seat) text += sitting.machine.text_for(sitting.state, step.move, seat);
      sitting.decide(step.seat, step.index);
    }
    note();
  }
  return out;
}

State position(const verify::Playable& playable, const Tape& tape) {
  verify::Sitting sitting(playable);
  sitting.begin();
  const verify::Fit fit = verify::replay(sitting, tape);
  CHECK(fit.misfit == "");
  return sitting.state;
}

std::string table(const verify::Playable& playable, const Tape& tape) { return Machine(*playable.program).digest(position(playable, tape)); }

verify::WorldSampler sampler_for(const verify::Playable& playable, const Tape& tape, int seat, const verify::SampleOptions& options = {}) {
  Machine machine(*playable.program);
  State from;
  machine.start(from);
  return verify::WorldSampler(*playable.program, from, tape, seat, options);
}

/// A game at random up to some decision.
Tape played(const verify::Playable& playable, std::uint64_t seed, std::size_t decisions) {
  verify::Sitting sitting(playable);
  Rng rng = Rng::for_game(seed, 0);
  sitting.begin();
  while (sitting.waits() && (sitting.status == Status::chance || sitting.decisions() < decisions) && verify::step_at_random(sitting, rng)) {
  }
  return sitting.tape;
}

/// Of those drawn where more than one world fits, how many differed from the true one.
struct Drawn {
  int worlds = 0, others = 0;
};
/// What a drawn world must be, at several moments of several games.
Drawn draw_many(const Game& game, std::size_t decisions, int worlds_each) {
  const verify::Playable& playable = *game.playable;
  Drawn out;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const Tape tape = played(playable, seed, decisions);
    const State truth = position(playable, tape);
    for (int seat = 0; seat < std::min(2, playable.players()); ++seat) {
      INFO(game.loaded->path << " seed " << seed << ", " << decisions << " decisions, seat " << seat);
      const std::vector<std::string> life = life_of(playable, tape, seat);
      verify::SampleOptions options;
      options.most_tried = 500;
      verify::WorldSampler sampler = sampler_for(playable, tape, seat, options);
      Rng rng(seed + 10);
      int others = 0;
      for (int i = 0; i < worlds_each; ++i) {
        const verify::SampledWorld world = sampler.sample(rng);
        REQUIRE(world.error == "");
        CHECK(life_of(playable, world.tape, seat) == life);
        CHECK(position(playable, world.tape) == world.state);
        others += world.state == truth ? 0 : 1;
      }
      if (sampler.ways() == 1) {
        CHECK(others == 0);
        continue;
      }
      out.worlds += worlds_each;
      out.others += others;
    }
  }
  return out;
}

}  // namespace

TEST_CASE("a drawn world never contradicts what the seat has seen, in any game", "[worlds]") {
  namespace fs = std::filesystem;
  for (const char* folder : {"games", "games/classics"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(RIP_SOURCE_DIR) / folder)) {
      if (entry.path().extension() != ".rip") continue;
      const std::string name = entry.path().stem().string();
      const Game one = game(verify::load(entry.path().string()));
      Drawn all;
      for (const std::size_t decisions : {1u, 6u, 20u}) {
        const Drawn drawn = draw_many(one, decisions, 3);
        all.worlds += drawn.worlds;
        all.others += drawn.others;
      }
      INFO(name << ": " << all.others << " of " << all.worlds << " are not the true world");
      const bool open = name == "pig" || name == "tic_tac_toe";
      CHECK((all.worlds == 0) == open);
      CHECK(all.others * 3 >= all.worlds);
    }
  }
}

TEST_CASE("each world comes as often as it should", "[worlds]") {
  // Ben has one card of five; of the other four Ann holds two, and has laid one face down: 4 x 3 worlds
  const Game one = game(verify::load_text("five.rip", R"(game "Five" language 1
players 2
card Card { value: 1..5 }
deck draw of Card { 1 x <v> for v in 1..5 }
zone hand[player]: hand of Card
zone laid: place of Card face down
var told: 0..9 = 0
phase setup { shuffle draw  fill hand[0] to 2 from draw  fill hand[1] to 1 from draw }
phase laying { choose 0 { lay(c in hand[0]) { move c to laid } } }
phase asking { choose 1 { ask(n in 0..9) { set told to n } } }
phase saying { choose 0 { say(n in 0..9) { set told to n } } }
score p = told
winner p by high score[p], low number(p)
)"));
  const verify::Playable& playable = *one.playable;
  const Tape tape = played(playable, 3, 2);
  const std::string truth = table(playable, tape);
  for (const bool exact : {true, false}) {
    verify::SampleOptions options;
    options.most_tried = exact ? 5000 : 1;
    options.rounds = 60;
    verify::WorldSampler sampler = sampler_for(playable, tape, 1, options);
    CHECK(sampler.exact() == exact);
    std::map<std::string, int> times;
    Rng rng(7);
    constexpr int kDraws = 2400;
    for (int i = 0; i < kDraws; ++i) ++times[table(playable, sampler.sample(rng).tape)];
    CHECK(times.size() == 12);
    CHECK(times[truth] > 0);
    // five standard deviations
    for (const auto& [world, n] : times) CHECK(std::abs(n - kDraws / 12.0) < 5 * std::sqrt(kDraws / 12.0));
  }
}

TEST_CASE("what a play has told of a hand is kept in a drawn world", "[worlds]") {
  // who cannot follow says so: Ben has no red card, whatever else he may have
  const Game one = game(verify::load_text("follow.rip", R"(game "Follow" language 1
players 2
enum Colour { red, blue }
card Card { colour: Colour  value: 1..5 }
deck draw of Card { 1 x <red v> for v in 1..5   1 x <blue v> for v in 1..5 }
zone hand[player]: hand of Card
zone table: row of Card face up
phase setup { shuffle draw  for q in players { fill hand[q] to 4 from draw } }
phase tricks for p in players {
  choose p { play(c in hand[p] where table is empty or c.colour == blue or every(h.colour == blue for h in hand[p])) { move c to table } }
}
phase again { choose 0 { stay { } } }
winner w by low number(w)
)"));
  const verify::Playable& playable = *one.playable;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Tape tape = played(playable, seed, 2);
    verify::WorldSampler sampler = sampler_for(playable, tape, 0);
    const std::vector<std::string> life = life_of(playable, tape, 0);
    Rng rng(seed);
    std::set<std::string> worlds;
    for (int i = 0; i < 20; ++i) {
      const verify::SampledWorld world = sampler.sample(rng);
      REQUIRE(world.error == "");
      CHECK(life_of(playable, world.tape, 0) == life);
      worlds.insert(table(playable, world.tape));
    }
    CHECK(worlds.size() > 5);
  }
}

TEST_CASE("where no world can be drawn it is said why", "[worlds]") {
  const Game one = game(verify::load(std::string(RIP_SOURCE_DIR) + "/games/classics/kuhn.rip"));
  const verify::Playable& playable = *one.playable;
  Tape tape = played(playable, 1, 2);
  Rng rng(1);
  CHECK(verify::sample_world(playable, tape, 0, rng).error == "");
  tape.back().index = 99;
  CHECK(verify::sample_world(playable, tape, 0, rng).error == "the tape does not fit the position");
  tape.resize(1);
  CHECK(verify::sample_world(playable, tape, 0, rng).error == "the game waits for chance; a world is drawn where a seat decides, or at the end");
}
