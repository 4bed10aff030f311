// Exhaustive search: counts worked out by hand, reductions that change no verdict, circles, and that threads change nothing.
#include "tests/game.h"

#include "verify/check.h"
#include "verify/examine.h"
#include "verify/packing.h"
#include "verify/search.h"
#include "verify/tape.h"

#include <catch2/catch.hpp>

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <regex>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

using namespace rip;
using verify::Reductions;
using verify::SearchResult;
using tests::Game;
using tests::game;

namespace {

Game prepare(std::unique_ptr<verify::Loaded> loaded, const std::string& variant = "") {
  const verify::Version* version = loaded->find(variant);
  REQUIRE(version != nullptr);
  REQUIRE(version->rules != nullptr);
  LowerOptions lower;
  lower.claims = true;
  const int fewest = static_cast<int>(version->rules->players_low);
  return game(std::move(loaded), variant, fewest, lower);
}
Game prepare(const std::string& text) { return prepare(verify::load_text("test.rip", text)); }

SearchResult search(const Game& game, unsigned jobs = 1, Reductions reductions = {}) {
  verify::SearchOptions options;
  options.seconds = 300;
  options.jobs = jobs;
  options.reductions = reductions;
  return verify::search(*game.playable, options);
}

std::vector<std::string> names(const SearchResult& result) {
  std::vector<std::string> out;
  for (const auto& refuted : result.refuted) out.push_back(refuted.failure.name);
  std::sort(out.begin(), out.end());
  return out;
}

// From a heap of n each takes one or two; the states are (heap, player to move) that can be reached, and the two ends.
std::string nim(int n, const std::string& claims) {
  return "game \"Nim\" language 1\nplayers 2\nvar heap: 0.." + std::to_string(n) + " = " + std::to_string(n) +
         "\nphase play turns from 0 until heap == 0 { choose me { take(k in 1..2 where k <= heap) { lower heap by k } } }\n"
         "score p = 0\nwinner p by low number(p)\n" +
         claims;
}

}  // namespace

TEST_CASE("all states are reached, each once", "[search]") {
  const Game game = prepare(nim(5, ""));
  const SearchResult result = search(game);
  CHECK(result.complete());
  // heap 5 for the first; 4, 3 for the second; 3, 2, 1 for the first; 2, 1 for the second (and 0); 1 for the first and 0; ...
  // by (heap, to move): 5a 4b 3b 3a 2a 1a 2b 1b, and the end of the game
  CHECK(result.states == 9);
  CHECK(result.ends == 1);
  CHECK(result.edges == 2 + 2 + 2 + 2 + 2 + 1 + 2 + 1);
  CHECK(result.all_end);
  CHECK(result.longest == 5);
  CHECK(result.refuted.empty());
}

TEST_CASE("what does not hold is shown by a shortest game", "[search]") {
  const Game game = prepare(nim(9, "always \"more than two\": heap > 2\nsometimes \"seven\": heap == 7\nsometimes \"never\": heap == 10 - 5 and heap == 4\n"));
  const SearchResult result = search(game);
  REQUIRE(result.refuted.size() == 1);
  CHECK(result.refuted[0].failure.name == "always \"more than two\"");
  CHECK(result.refuted[0].tape.size() == 4);  // 9 - 2 - 2 - 2 - 1 = 2
  CHECK(result.tally.shown == std::vector<std::uint64_t>{0, 1, 0});
}

TEST_CASE("a circle is found, with the way to it, and whether an end is in reach", "[search]") {
  const std::string text = R"(game "Lamp" language 1
players 2
var on: flag = no
var broken: flag = no
phase play turns from 0 until no { choose me { switch_it(where not broken) { set on to not on } smash(where on and not broken) { set broken to yes }
  ENDING stare(where broken) { } } }
score p = 0
winner p by low number(p)
)";
  const auto with = [&](const std::string& ending) {
    std::string out = text;
    out.replace(out.find("ENDING"), 6, ending);
    return out;
  };
  const Game open = prepare(with("leave { end game }"));
  const SearchResult one = search(open);
  CHECK(one.complete());
  CHECK_FALSE(one.all_end);
  CHECK(one.can_always_end);
  REQUIRE(one.endless);
  CHECK(one.endless->loop.size() == 2);  // on and off again, by both players
  const Game shut = prepare(with("leave(where not broken) { end game }"));
  const SearchResult two = search(shut);
  CHECK_FALSE(two.can_always_end);  // once it is broken they stare for ever
}

TEST_CASE("a loop around one that is cut off is endless all the same", "[search]") {
  const std::string text = R"(game "Lamps" language 1
players 2
var n: 0..3 = 0
phase days repeat until n == 3 {
  phase day repeat until n == 2 cut off after 4 { for p in players { choose p { wait { set n to n } switch_it { set n to 1 } } } }
  set n to 0
}
score p = 0
winner p by low number(p)
)";
  const Game game = prepare(text);
  const SearchResult result = search(game);
  CHECK_FALSE(result.can_always_end);
  REQUIRE(result.endless);
  CHECK_FALSE(result.endless->cut_off);
  CHECK(result.endless->loop.size() == 8);  // a whole day
  verify::ExamineOptions options;
  options.thorough = true;
  options.most_decisions = 30;
  const verify::Examined played = verify::examine(*game.playable, verify::Choices(30, {false, 0}), options);
  REQUIRE(played.endless);
  CHECK_FALSE(played.endless->cut_off);
}

TEST_CASE("a cap that is reached counts, and the rules without it are searched too", "[search]") {
  const std::string text = R"(game "Lamp" language 1
players 2
var on: flag = no
phase play turns from 0 until no cut off after 7 { choose me { switch_it { set on to not on } } }
score p = 0
winner p by low number(p)
always "dark at the end": not on at end
)";
  const Game game = prepare(text);
  const SearchResult result = search(game);
  CHECK(result.all_end);
  CHECK(result.longest == 7);
  REQUIRE(result.endless);
  CHECK(result.endless->cut_off);
  CHECK(result.endless->loop.size() == 2);
  REQUIRE(result.refuted.size() == 1);  // seven times switched, it is on
  CHECK(result.refuted[0].tape.size() == 7);
  Reductions none;
  none.counters = false;
  CHECK(names(search(game, 1, none)) == names(result));
}

TEST_CASE("reductions leave out states, not verdicts", "[search]") {
  // equal cards, a hand, a discard pile of which nobody reads the order, secret looks
  const std::string text = R"(game "Thirst" language 1
players 2
card Cup { value: 1..2   name: text }
deck well of Cup { 3 x <1>   2 x <2> }
zone hand[player]: hand of Cup
zone bin: pile of Cup face up
var drunk[player]: 0..9 = 0
phase setup { shuffle well   for p in players { fill hand[p] to 2 from well } }
phase play for drinker in players, _ in 1..2 {
  choose drinker { drink(c in hand[me]) { raise drunk[me] by c.value   move c to bin } peek(c in hand[next(me)]) { show c to me } }
}
score p = drunk[p]
winner p by high score[p]
always "nobody drinks four": every(drunk[p] < 4 for p in players)
always "five cups": count(well) + count(hand) + count(bin) == 5
sometimes "all twos are out": count(c in bin where c.value == 2) == 2
bound drunk[p] in 0..3 for p in players
)";
  const Game game = prepare(text);
  const SearchResult all = search(game);
  CHECK(all.complete());
  CHECK(names(all) == std::vector<std::string>{"always \"nobody drinks four\"", "bound drunk[p]"});
  std::vector<Reductions> some(1);
  for (const verify::ReductionName& off : verify::kReductions) some.emplace_back().*off.on = false;
  for (const verify::ReductionName& off : verify::kReductions) {
    some.push_back(some.back());
    some.back().*off.on = false;
  }
  for (std::size_t i = 0; i < some.size(); ++i) {
    const SearchResult result = search(game, 1, some[i]);
    INFO(i);
    CHECK(result.complete());
    CHECK(names(result) == names(all));
    CHECK(result.longest == all.longest);
    CHECK(result.tally.shown == all.tally.shown);
    CHECK(result.tally.bounds == all.tally.bounds);
    for (std::size_t f = 0; f < all.refuted.size(); ++f) CHECK(result.refuted[f].tape.size() == all.refuted[f].tape.size());
    CHECK(result.states >= all.states);
  }
}

TEST_CASE("a search whose memory is full keeps to it, and tells what it has found", "[search]") {
  const std::string folder = std::string(RIP_SOURCE_DIR) + "/tests/models/";
  std::string text = read_file(folder + "tricks.rip").text;
  text.insert(text.find("small \"two ranks\""), "always \"nobody has three hearts\": every(count(c in hand[q] where c.suit == hearts) < 3 for q in players)\n");
  const Game game = prepare(verify::load_text("tricks.rip", text), "four ranks");
  verify::SearchOptions options;
  options.seconds = 300;
  options.memory = std::uint64_t{48} << 20;
  const SearchResult result = verify::search(*game.playable, options);
  CHECK(result.ended == SearchResult::Ended::memory);
  CHECK(result.bytes <= options.memory);
  REQUIRE(result.refuted.size() == 1);
  CHECK(result.refuted[0].tape.size() == 3);
}

TEST_CASE("each reduction leaves out states", "[search]") {
  // clubs and hearts alike, two equal jokers, played cards that nobody looks at, secret looks, a phase with a name of its own
  const Game game = prepare(R"(game "All of Them" language 1
players 2
enum Suit { clubs, hearts, spades }
card Card { suit: Suit   rank: 1..2   name: text }
card Joker { worth: 1..1 }
deck draw of Card { 1 x <s r> for s in Suit, r in 1..2 }
zone hand[player]: hand of Card
zone gone[player]: pile of Card
zone ring: place of Card face up
zone jokers[player]: hand of Joker
deck bag of Joker { 2 x <1> }
phase setup { shuffle draw   for p in players { fill hand[p] to 2 from draw }   for p in players { fill jokers[p] to 1 from bag } }
phase boast {
  var said: 1..2
  choose 0 { boast(n in 1..2) { set said to n } }
}
phase play turns from 0 until hand is empty cut off after 9 {
  choose me {
    lay(c in hand[me] where ring is empty or some(t in ring where t.suit == c.suit)) { move ring to gone[me]   move c to ring }
    toss(c in hand[me]) { move c to gone[next(me)]   swap jokers[me] with jokers[next(me)] }
    otherwise pass { }
  }
}
phase looks { choose each p in players { look(j in jokers[next(p)]) { show j to p }   wait { } } }
score p = count(gone[p])
winner p by high score[p]
)");
  const SearchResult all = search(game);
  CHECK(all.complete());
  for (const verify::ReductionName& off : verify::kReductions) {
    INFO(off.name);
    Reductions some;
    some.*off.on = false;
    const SearchResult result = search(game, 1, some);
    CHECK(result.complete());
    CHECK(names(result) == names(all));
    CHECK(result.longest == all.longest);
    CHECK(result.all_end);
    CHECK(!result.endless);  // a cell that the loop's counter leaves behind is used by others
    if (off.on != &Reductions::counters) CHECK(result.states > all.states);
  }
}

TEST_CASE("a cell of a local let that is over belongs to others", "[search]") {
  const std::string head = R"(game "Over" language 1
players 2
card Card { suit: 1..2 }
deck draw of Card { 4 x <1> }
zone out: row of Card face up
zone hand[player]: hand of Card
var late: flag = no
winner p by low number(p)
report "o" = count(out)
never "late": late
phase setup { shuffle draw   fill hand[0] to 2 from draw }
)";
  const std::string once = GENERATE(as<std::string>{}, "let t = top of draw   if t is not none { move t to out }", "let t = first(c in hand[0])   move t to out   let u = {c in hand[0]}   move u to draw",
                                    "choose 0 { a { } }   let t = bottom of draw   if t is not none { if out is empty { move t to out } }");
  const Game game = prepare(head + "phase once { " + once + " }\nphase more for lap in 1..3 { choose 0 { b { } }   if lap == 3 { set late to yes } }\n");
  const SearchResult result = search(game);
  CHECK(result.complete());
  CHECK(names(result) == std::vector<std::string>{"never \"late\""});
  Reductions none;
  for (const verify::ReductionName& off : verify::kReductions) none.*off.on = false;
  const SearchResult all = search(game, 1, none);
  CHECK(names(all) == names(result));
  CHECK(all.longest == result.longest);
  CHECK(all.all_end == result.all_end);
}

TEST_CASE("a reduction never adds states", "[search]") {
  // equal cards that are committed at the same moment; what nobody has committed yet keeps no card's name
  const Game game = prepare(R"(game "Commit" language 1
players 2
card Card { value: 1..2 }
deck draw of Card { 4 x <1>   4 x <2> }
zone hand[player]: hand of Card
zone shown[player]: place of Card face up
var points[player]: 0..3 = 0
phase setup { shuffle draw   for p in players { fill hand[p] to 3 from draw } }
phase tricks for _ in 1..3 {
  choose each p in players { play(c in hand[p]) { move c to shown[p] } }
  for p in best(q in players by high shown[q].value) { raise points[p] by 1 }
  for p in players { move shown[p] to draw }
}
score p = points[p]
winner p by high score[p]
)");
  const std::uint64_t states = search(game).states;
  for (const verify::ReductionName& off : verify::kReductions) {
    INFO(off.name);
    Reductions some;
    some.*off.on = false;
    CHECK(search(game, 1, some).states >= states);
  }
}

// What a search may leave out: from a state and from the one it is replaced by, the same is open, and leads to the same.
TEST_CASE("a state leads where its replacement leads", "[search]") {
  const std::string folder = std::string(RIP_SOURCE_DIR);
  std::vector<std::pair<std::string, std::string>> games{{"/tests/models/tricks.rip", "four ranks"}};
  for (const std::string name : {"vertippt", "gravediggers", "rip", "reaper", "viprip"}) games.emplace_back("/games/" + name + ".rip", "");
  for (const std::string name : {"kuhn", "leduc", "liars_dice", "goofspiel", "pig", "tricks"}) games.emplace_back("/games/classics/" + name + ".rip", "");
  for (const auto& [file, variant] : games) {
    INFO(file);
    const Game game = prepare(verify::load(folder + file), variant);
    const ir::Program& program = *game.playable->program;
    verify::Canonical canonical(program, {});
    Machine machine(program);
    std::vector<Move> moves;
    std::vector<Outcome> outcomes;
    // what is open, as keys of what it leads to; of an end its result
    const auto ahead = [&](State state, bool armed) {
      std::vector<std::pair<std::uint64_t, std::uint64_t>> keys;
      const auto end = [&](State& over) {
        const Result result = machine.result(over);
        std::uint64_t scores = 0;
        for (const std::int64_t score : result.scores) scores = 1000 * scores + static_cast<std::uint64_t>(score);
        keys.emplace_back(result.winners, scores);
      };
      const auto follow = [&](State& next) {
        Status status = machine.run(next);
        bool set_up = armed;
        for (; status == Status::checkpoint; status = machine.run(next)) set_up = true;
        if (status == Status::over) return end(next);
        const Hash128 key = canonical.key(next, set_up);
        keys.emplace_back(key.low, key.high);
      };
      if (machine.status(state) == Status::chance) {
        machine.outcomes(state, outcomes);
        for (std::uint32_t i = 0; i < outcomes.size(); ++i) {
          State next = state;
          machine.choose_outcome(next, i);
          follow(next);
        }
      } else if (machine.status(state) == Status::decision) {
        const int seat = machine.to_move(state);
        if (machine.count_moves(state, seat) > 200) return keys;
        machine.legal_moves(state, seat, moves);
        for (const Move& move : moves) {
          State next = state;
          machine.decide(next, seat, move);
          if (machine.status(next) != Status::decision) follow(next);
        }
      } else if (machine.status(state) == Status::over) {
        end(state);
      }
      std::sort(keys.begin(), keys.end());
      keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
      return keys;
    };
    verify::Sitting sitting(*game.playable);
    std::size_t states = 0;
    for (std::uint64_t number = 0; number < 4; ++number) {
      Rng rng = Rng::for_game(5, number);
      sitting.begin();
      do {
        const std::uint8_t* form = canonical.form(sitting.state, sitting.after_setup);
        if (form == nullptr) continue;
        State other;
        other.bytes.assign(form, form + sitting.state.bytes.size());
        ++states;
        if (other == sitting.state) continue;
        REQUIRE(machine.status(other) == machine.status(sitting.state));
        REQUIRE(ahead(other, sitting.after_setup) == ahead(sitting.state, sitting.after_setup));
      } while (verify::step_at_random(sitting, rng));
    }
    CHECK(states > 4);
  }
}

TEST_CASE("a refill that keeps the newest reads the order of its source", "[search]") {
  const std::string text = R"(game "Kept" language 1
players 2
card Cup { value: 1..3 }
deck draw of Cup refilled from heap keeping 1 { 1 x <v> for v in 1..3 }
zone hand: row of Cup face up
zone heap: pile of Cup face up
zone out: row of Cup face up
phase setup { move all of draw to hand }
phase play for _ in 1..3 { choose 0 { lay(c in hand) { move c to heap } } }
phase last { choose 0 { pause { } }   move top of draw to out   choose 0 { look { } } }
score p = sum(c.value for c in out)
winner p by high score[p]
always "the three stays out of it": not some(c in out where c.value == 3) at end
sometimes "the one is kept": count(c in heap where c.value == 1) == 1 at end
sometimes "the two is kept": count(c in heap where c.value == 2) == 1 at end
sometimes "the three is kept": count(c in heap where c.value == 3) == 1 at end
)";
  const Game game = prepare(text);
  Reductions none;
  none.no_order = none.equal_components = none.knowledge = false;
  const SearchResult all = search(game), plain = search(game, 1, none);
  CHECK(all.complete());
  CHECK(names(all) == names(plain));
  CHECK(all.tally.shown == plain.tally.shown);
  CHECK(all.tally.shown == std::vector<std::uint64_t>{0, 1, 1, 1});
}

TEST_CASE("nobody knows how a game would have ended if a rule goes on for ever", "[search]") {
  verify::CheckOptions options;
  options.games = 5;
  options.save_failures = false;
  const std::string last = GENERATE(as<std::string>{}, "phase q repeat { set x to 1 }", "phase q { choose 0 { take(n in 1..x) { set x to n } } }");
  const auto loaded = verify::load_text("test.rip", R"(game "Ever" language 1
players 2
var x: 0..3 = 0
phase p { choose 0 { go { } } }
winner w by low number(w)
)" + last);
  const verify::CheckReport report = verify::check_game(*loaded, options);
  CHECK_FALSE(report.ok);
  for (const verify::VerdictLine& line : report.runs.at(0).verdicts) {
    INFO(line.name << " " << line.detail);
    CHECK((line.kind != verify::PropertyKind::terminates || line.verdict != verify::Verdict::proved));
  }
}

TEST_CASE("the smalls of the games are searched to the end, the same on any number of threads", "[search][games]") {
  struct Case { const char *file, *variant; };
  for (const Case& one : {Case{"games/vertippt.rip", "twelve cards, three players"}, Case{"games/viprip.rip", "two places, six tombs"},
                          Case{"games/rip.rip", "three cards each, two Houses"}}) {
    INFO(one.variant);
    const Game game = prepare(verify::load(std::string(RIP_SOURCE_DIR) + "/" + one.file), one.variant);
    const SearchResult a = search(game, 1), b = search(game, 3);
    CHECK(a.complete());
    CHECK(a.refuted.empty());
    CHECK(a.states == b.states);
    CHECK(a.edges == b.edges);
    CHECK(a.depth == b.depth);
    CHECK(a.longest == b.longest);
    CHECK(a.tally.bounds == b.tally.bounds);
  }
}

namespace {

/// What Rumur (Debian package `rumur`) counts in a Murphi model; none if it is not installed.
std::optional<std::uint64_t> states_of_rumur(const std::string& model) {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("ripdsl-rumur-{}", ::getpid());
  std::filesystem::create_directories(folder);
  const std::string at = folder.string();
  const std::string command = fmt::format("command -v rumur >/dev/null || exit 9; rumur --deadlock-detection stuck --output {0}/m.c {1} && cc -O1 -mcx16 {0}/m.c -lpthread -o {0}/m && {0}/m", at, model);
  FILE* pipe = ::popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string out;
  std::array<char, 4096> buffer{};
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) out.append(buffer.data(), n);
  const int status = ::pclose(pipe);
  std::filesystem::remove_all(folder);
  if (WEXITSTATUS(status) == 9) return std::nullopt;
  INFO(out);
  REQUIRE(status == 0);
  std::smatch match;
  REQUIRE(std::regex_search(out, match, std::regex(R"(([0-9]+) states, [0-9]+ rules fired)")));
  return std::stoull(match[1]);
}

}  // namespace

TEST_CASE("another model checker counts as many states", "[search]") {
  const std::string folder = std::string(RIP_SOURCE_DIR) + "/tests/models";
  const Game game = prepare(verify::load(folder + "/tricks.rip"), "three ranks");
  Reductions apart;  // Murphi tells all cards and suits apart
  apart.forgotten = apart.symmetries = false;
  const SearchResult result = search(game, 1, apart);
  CHECK(result.complete());
  CHECK(result.states == 166'177);
  const SearchResult reduced = search(game);
  CHECK(reduced.complete());
  CHECK(8 * reduced.states < result.states);
  CHECK(reduced.longest == result.longest);
  CHECK(names(reduced) == names(result));
  CHECK(result.all_end);
  CHECK(result.longest == 18);
  if (const auto states = states_of_rumur(folder + "/tricks.m")) CHECK(*states == result.states);
  else WARN("rumur is not installed: its number was not counted again");
}

TEST_CASE("what is packed is unpacked as it was", "[search]") {
  for (const std::string name : {"vertippt", "gravediggers", "rip", "reaper", "viprip"}) {
    INFO(name);
    const Game game = prepare(verify::load(std::string(RIP_SOURCE_DIR) + "/games/" + name + ".rip"));
    const ir::Program& program = *game.playable->program;
    for (const bool no_order : {true, false}) {
      verify::Reductions reductions;
      reductions.no_order = no_order;
      verify::Canonical canonical(program, reductions);
      verify::Packing packing(program, canonical.unread(), no_order, false);
      verify::Sitting sitting(*game.playable);
      std::size_t states = 0, refused = 0;
      for (std::uint64_t number = 0; number < 3; ++number) {
        Rng rng = Rng::for_game(3, number);
        sitting.begin();
        do {
          const std::uint8_t* form = canonical.form(sitting.state, sitting.after_setup);
          if (form == nullptr) continue;
          ++states;
          const std::vector<std::uint8_t> wanted(form, form + packing.size());
          std::vector<std::uint8_t> key(packing.size()), beside(packing.size()), out(packing.size());
          while (!packing.pack(wanted.data(), key.data(), beside.data())) {
            ++refused;
            packing.learn(wanted.data());
            REQUIRE(packing.key_bytes() <= key.size());
          }
          packing.unpack(key.data(), beside.data(), out.data());
          REQUIRE(out == wanted);
        } while (verify::step_at_random(sitting, rng));
      }
      CHECK(states > 30);
      CHECK(refused <= states);
    }
  }
}
