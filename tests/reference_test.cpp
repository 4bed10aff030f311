// The reference evaluator on small rules: exact chance, decisions, triggers, flow, knowledge.
#include "interp/reference/reference.h"
#include "tests/rules_builder.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

using namespace rip;
using namespace rip::test;
namespace ref = rip::reference;

namespace {

/// Takes a prepared answer where it has one, else the first; remembers what was asked.
struct Tape : ref::Oracle {
  std::vector<std::size_t> answers;
  std::vector<std::size_t> widths;
  std::vector<std::vector<ref::Move>> moves;
  std::vector<ref::Chance> chances;
  std::vector<std::string> digests;
  double probability = 1;

  std::size_t next(std::size_t width) {
    widths.push_back(width);
    return widths.size() <= answers.size() ? answers[widths.size() - 1] : 0;
  }
  std::size_t decide(int, const std::vector<ref::Move>& options, const std::string& digest) override {
    moves.push_back(options);
    digests.push_back(digest);
    return next(options.size());
  }
  std::size_t draw(const ref::Chance& chance) override {
    chances.push_back(chance);
    const std::size_t at = next(chance.outcomes.size());
    std::int64_t total = 0;
    for (const ref::Outcome& o : chance.outcomes) total += o.weight;
    probability *= static_cast<double>(chance.outcomes[at].weight) / static_cast<double>(total);
    return at;
  }
};

ref::Result play(const Builder& b, ref::Oracle& oracle, int players = 2) {
  const Config config = default_config(b.r, players);
  const auto [box, error] = make_box(b.r, config);
  REQUIRE(error.message.empty());
  return ref::play(b.r, box, config, oracle);
}

/// Every game, with its probability (decisions count as 1).
void for_all_games(const Builder& b, const std::function<void(const ref::Result&, const Tape&)>& look) {
  std::vector<std::size_t> answers;
  for (;;) {
    Tape tape;
    tape.answers = answers;
    look(play(b, tape), tape);
    answers.resize(tape.widths.size(), 0);
    while (!answers.empty() && answers.back() + 1 >= tape.widths[answers.size() - 1]) answers.pop_back();
    if (answers.empty()) return;
    ++answers.back();
  }
}

Stmt shuffle(ExprId z) { return stmt(Shuffle{z}); }

}  // namespace

TEST_CASE("drawing from a shuffled pile has the distribution of a real shuffle", "[reference]") {
  Builder b;
  const TypeId card = b.card_type(9);
  const ZoneId deck = b.add_deck("deck", card, {{1}, {1}, {2}, {3}});
  const ZoneId row = b.add_zone("row", ast::ZoneKind::row, card);
  b.r.zones[row].face = 0;
  const LocalId c = b.name("c", component(card));
  b.r.main = {shuffle(b.zone(deck)), move(b.top(deck), b.zone(row)), move(b.top(deck), b.zone(row))};
  // 10 * first + second
  const LocalId p = b.name("p", seat_type());
  const ExprId nth1 = b.expr(Op::nth, component(card, Shape::scalar, true), {b.zone(row), b.num(1)});
  const ExprId nth2 = b.expr(Op::nth, component(card, Shape::scalar, true), {b.zone(row), b.num(2)});
  b.r.score_seat = p;
  b.r.score = b.expr(Op::add, integer(0, 99), {b.expr(Op::mul, integer(0, 90), {b.num(10), b.attribute(nth1, 0)}), b.attribute(nth2, 0)});
  (void)c;

  std::map<std::int64_t, double> lazy, real;
  for_all_games(b, [&](const ref::Result& result, const Tape& tape) { lazy[result.scores[0]] += tape.probability; });
  std::vector<int> cards{1, 2, 3, 4};
  const std::vector<int> values{1, 1, 2, 3};
  do {
    real[10 * values[static_cast<std::size_t>(cards[0] - 1)] + values[static_cast<std::size_t>(cards[1] - 1)]] += 1.0 / 24;
  } while (std::next_permutation(cards.begin(), cards.end()));
  REQUIRE(lazy.size() == real.size());
  for (const auto& [score, probability] : real) CHECK(lazy[score] == Approx(probability));
}

TEST_CASE("backs that differ settle the top of a shuffled pile, equal ones do not", "[reference]") {
  for (const bool differ : {false, true}) {
    Builder b;
    const TypeId card = b.card_type(9, true);
    const ZoneId deck = b.add_deck("deck", card, {{1, 0}, {2, differ ? 1 : 0}, {3, 0}});
    b.r.main = {shuffle(b.zone(deck))};
    Tape tape;
    const ref::Result result = play(b, tape);
    CHECK(tape.chances.size() == (differ ? 1u : 0u));
    CHECK(result.digest.find(differ ? "deck: 0- [1- 2-]" : "deck: [0- 1- 2-]") != std::string::npos);
  }
}

TEST_CASE("a refill turns all but the newest of its source into a bag below what is left", "[reference]") {
  Builder b;
  const TypeId card = b.card_type(9);
  const ZoneId deck = b.add_deck("deck", card, {{1}, {2}, {3}, {4}, {5}});
  const ZoneId used = b.add_zone("used", ast::ZoneKind::row, card);
  const ZoneId row = b.add_zone("row", ast::ZoneKind::row, card);
  b.r.zones[used].face = 0;
  b.r.zones[deck].refill_from = b.zone(used);
  b.r.zones[deck].refill_keeping = b.num(1);
  b.r.main = {move(b.top_n(4, deck), b.zone(used)), move(b.top_n(2, deck), b.zone(row))};
  Tape tape;
  const ref::Result result = play(b, tape);
  REQUIRE(tape.chances.size() == 1);  // the second card: one of three
  CHECK(tape.chances[0].outcomes.size() == 3);
  CHECK(result.digest.find("used: 3+\nrow: 4- 0-") != std::string::npos);
  CHECK(result.digest.find("deck: [1- 2-]") != std::string::npos);
}

TEST_CASE("equal cards of a hand are one option; of an unseen hand chance picks one", "[reference]") {
  Builder b;
  const TypeId card = b.card_type(9);
  const ZoneId deck = b.add_deck("deck", card, {{1}, {1}, {2}});
  const ZoneId hand = b.add_zone("hand", ast::ZoneKind::hand, card, {seat_type()});
  const ZoneId row = b.add_zone("row", ast::ZoneKind::row, card);
  b.r.zones[row].face = 0;
  const LocalId c = b.name("c", component(card)), d = b.name("d", component(card));
  const auto choose = [&](std::int64_t seat, std::int64_t whose) {
    Choose choice;
    choice.seat = b.expr(Op::constant, seat_type(), {}, kNoId, seat);
    const ExprId other = b.expr(Op::ne, flag_type(), {b.local(c), b.local(d)});
    choice.options.push_back(option("one", b.clause({{c, b.zone(hand, {b.num(whose)})}}), {move(b.local(c), b.zone(row))}));
    choice.options.push_back(option("two", b.clause({{c, b.zone(hand, {b.num(whose)})}, {d, b.zone(hand, {b.num(whose)})}}, other), {}));
    return stmt(choice);
  };
  b.r.main = {shuffle(b.zone(deck)), move(b.zone(deck), b.zone(hand, {b.num(0)})), choose(0, 0), choose(1, 0)};
  Tape tape;
  const ref::Result result = play(b, tape);
  REQUIRE(tape.moves.size() == 2);
  // one(1) one(2) two(1, 1) two(1, 2) two(2, 1)
  CHECK(tape.moves[0].size() == 5);
  CHECK(tape.moves[0][0] == ref::Move{"one", 0, {{0}}});
  CHECK(tape.moves[0][2] == ref::Move{"two", 1, {{0}, {1}}});
  // what is left is <1> <2>, which the other seat cannot see
  CHECK(tape.moves[1].size() == 2);
  REQUIRE(tape.chances.size() == 1);
  CHECK(tape.chances[0].kind == ref::ChanceKind::which);
  CHECK(tape.chances[0].outcomes.size() == 2);
  CHECK(result.ending == ref::Ending::over);
}

TEST_CASE("a packet out of a hand has no order", "[reference]") {
  Builder b;
  const TypeId card = b.card_type(9);
  const ZoneId deck = b.add_deck("deck", card, {{1}, {2}, {3}});
  const ZoneId hand = b.add_zone("hand", ast::ZoneKind::hand, card, {seat_type()});
  const ZoneId pile = b.add_zone("pile", ast::ZoneKind::pile, card);
  const ZoneId row = b.add_zone("row", ast::ZoneKind::row, card);
  SECTION("into a pile it is a bag") {
    b.r.main = {move(b.zone(deck), b.zone(hand, {b.num(0)})), move(b.zone(hand, {b.num(0)}), b.zone(pile))};
    Tape tape;
    CHECK(play(b, tape).digest.find("pile: [0- 1- 2-]") != std::string::npos);
    CHECK(tape.chances.empty());
  }
  SECTION("in a row chance orders it") {
    b.r.main = {move(b.zone(deck), b.zone(hand, {b.num(0)})), move(b.zone(hand, {b.num(0)}), b.zone(row))};
    int games = 0;
    for_all_games(b, [&](const ref::Result&, const Tape& tape) {
      ++games;
      CHECK(tape.probability == Approx(1.0 / 6));
      CHECK(tape.chances[0].kind == ref::ChanceKind::order);
    });
    CHECK(games == 6);
  }
  SECTION("known places and bags keep their order beside one another") {
    const ZoneId other = b.add_deck("other", card, {{4}});
    b.r.main = {shuffle(b.zone(deck)), stmt(Turn{b.top(deck), b.num(0)}), move(b.zone(other), b.zone(deck)), move(b.zone(deck), b.zone(pile))};
    Tape tape;
    CHECK(play(b, tape).digest.find("pile: 3- 0+ [1- 2-]") != std::string::npos);
  }
}

TEST_CASE("what a seat saw ends where it can no longer tell", "[reference]") {
  Builder b;
  const TypeId card = b.card_type(9);
  const ZoneId deck = b.add_deck("deck", card, {{1}, {2}, {3}});
  const ZoneId hand = b.add_zone("hand", ast::ZoneKind::hand, card, {seat_type()});
  const ZoneId row = b.add_zone("row", ast::ZoneKind::row, card);
  const auto show = [&](ExprId what) { return stmt(Show{what, kNoId}); };
  // both cards of the hand are known to all; one leaves unseen, so seat 1 knows neither
  b.r.main = {move(b.top_n(2, deck), b.zone(hand, {b.num(0)})), show(b.zone(hand, {b.num(0)}))};
  SECTION("face down") {
    b.r.main.push_back(move(b.top(hand, {b.num(0)}), b.zone(row), b.num(1)));
    Tape tape;
    CHECK(play(b, tape).digest.find("known 0: 0\nknown 1: 0\nknown 2: 0 1\n") != std::string::npos);
  }
  SECTION("face up") {
    b.r.main.push_back(move(b.top(hand, {b.num(0)}), b.zone(row), b.num(0)));
    Tape tape;
    CHECK(play(b, tape).digest.find("known 0: 0 1\nknown 1: 0 1\nknown 2: 0 1\n") != std::string::npos);
  }
  SECTION("a drawn card is known to the hand it enters, and the rest of the bag stays known as a set") {
    b.r.main = {shuffle(b.zone(deck)), move(b.top(deck), b.zone(hand, {b.num(0)}))};
    Tape tape;
    CHECK(play(b, tape).digest.find("known 0: 0\nknown 1: 0\nknown 2: 0\n") != std::string::npos);
  }
}

TEST_CASE("a trigger waits once, and no longer than it holds", "[reference]") {
  Builder b;
  const VarId x = b.add_var("x", integer(0, 9), {integer(1, 3)});
  const VarId log = b.add_var("log", integer(0, 9999));
  const LocalId i = b.name("i", integer(1, 3)), j = b.name("j", integer(1, 3));
  const auto note = [&](ExprId digit) {
    return set(log, b.expr(Op::add, integer(0, 9999), {b.expr(Op::mul, integer(0, 9999), {b.num(10), b.var(log)}), digit}));
  };
  // when i in 1..3 where x[i] == 1 { note i   if i == 1 { set x[2] to 0   set x[3] to 0   set x[3] to 1 } }
  Block inner{set(x, b.num(0), {b.num(2)}), set(x, b.num(0), {b.num(3)}), set(x, b.num(1), {b.num(3)})};
  If only_first{b.eq(b.local(i), b.num(1)), inner, {}, kNoId, kNoId, false};
  b.add_when(b.clause({{i, b.range(1, 3)}}, b.eq(b.var(x, {b.local(i)}), b.num(1))), kNoId, {note(b.local(i)), stmt(only_first)});
  // together { for j in 1..3 { set x[j] to 1 } }
  b.r.main = {stmt(Together{{loop(ForLoop{b.clause({{j, b.range(1, 3)}})}, {set(x, b.num(1), {b.local(j)})})}})};
  b.r.reports.push_back({"log", b.var(log), {}});
  Tape tape;
  // 2 was dropped; 3 was dropped, held anew and ran inside of 1
  CHECK(play(b, tape).reports == std::vector<std::int64_t>{13});
}

TEST_CASE("triggers that wake one another for ever are a fault", "[reference]") {
  Builder b;
  const VarId x = b.add_var("x", integer(0, 1));
  b.add_when(kNoId, b.eq(b.var(x), b.num(1)), {set(x, b.num(0))});
  b.add_when(kNoId, b.eq(b.var(x), b.num(0)), {set(x, b.num(1))});
  b.r.main = {set(x, b.num(1))};
  Tape tape;
  const ref::Result result = play(b, tape);
  REQUIRE(result.fault);
  CHECK(result.fault->kind == ref::FaultKind::cyclic_triggers);
}

TEST_CASE("turns pass over seats, end on refusals, and are cut off", "[reference]") {
  Builder b;
  const VarId turns = b.add_var("turns", integer(0, 9), {seat_type()});
  const ExprId me = b.expr(Op::me, seat_type());
  TurnsLoop header{};
  header.from = b.expr(Op::constant, seat_type(), {}, kNoId, 1);
  header.where = b.expr(Op::lt, flag_type(), {b.var(turns, {me}), b.num(2)});
  b.r.reports.push_back({"first", b.var(turns, {b.num(0)}), {}});
  b.r.reports.push_back({"second", b.var(turns, {b.num(1)}), {}});
  SECTION("until everybody refuses") {
    b.r.main = {loop(header, {raise(turns, b.num(1), {me})})};
    Tape tape;
    CHECK(play(b, tape).reports == std::vector<std::int64_t>{2, 2});
  }
  SECTION("cut off") {
    header.limit = {ast::Limit::Kind::cut_off, b.num(3)};
    b.r.main = {loop(header, {raise(turns, b.num(1), {me})})};
    Tape tape;
    CHECK(play(b, tape).reports == std::vector<std::int64_t>{1, 2});
  }
  SECTION("at most is only a claim") {
    header.limit = {ast::Limit::Kind::at_most, b.num(3)};
    b.r.main = {loop(header, {raise(turns, b.num(1), {me})})};
    Tape tape;
    const ref::Result result = play(b, tape);
    CHECK(result.reports == std::vector<std::int64_t>{2, 2});
    REQUIRE(result.violations.size() == 1);
    CHECK(result.violations[0].what == ref::Violation::What::at_most);
  }
  SECTION("end turn and stop") {
    const auto me_is = [&](std::int64_t seat, Block body) {
      return stmt(If{b.eq(me, b.num(seat)), std::move(body), {}, kNoId, kNoId, false});
    };
    b.r.main = {loop(header, {raise(turns, b.num(1), {me}), me_is(1, {stmt(EndTurn{})}), stmt(Stop{})})};
    Tape tape;
    CHECK(play(b, tape).reports == std::vector<std::int64_t>{1, 1});
  }
}

TEST_CASE("leaving a range and a tie are faults", "[reference]") {
  Builder b;
  const VarId x = b.add_var("x", integer(0, 3));
  const LocalId p = b.name("p", seat_type());
  SECTION("range") {
    b.r.main = {raise(x, b.num(4))};
    Tape tape;
    CHECK(play(b, tape).fault->kind == ref::FaultKind::out_of_range);
  }
  SECTION("tie") {
    const ClauseId clause = b.clause({{p, b.players()}});
    b.r.clauses[clause].keys.push_back({KeyKind::high, b.num(1), {}});
    b.r.main = {loop(ForLoop{clause}, {})};
    Tape tape;
    CHECK(play(b, tape).fault->kind == ref::FaultKind::tie);
  }
}

TEST_CASE("all decide about the same state, then the bodies run in order", "[reference]") {
  Builder b;
  const VarId bid = b.add_var("bid", integer(0, 3), {seat_type()});
  const LocalId p = b.name("p", seat_type()), n = b.name("n", integer(0, 3));
  Choose choice;
  choice.each = true;
  choice.clause = b.clause({{p, b.players()}});
  const ExprId sum = b.expr(Op::add, integer(0, 6), {b.var(bid, {b.num(0)}), b.var(bid, {b.num(1)})});
  choice.options.push_back(option("bid", b.clause({{n, b.range(0, 3)}}, b.eq(sum, b.num(0))), {set(bid, b.local(n), {b.local(p)})}));
  b.r.main = {stmt(choice)};
  b.r.score_seat = p;
  b.r.score = b.var(bid, {b.local(p)});
  Tape tape;
  tape.answers = {3, 2};
  const ref::Result result = play(b, tape);
  CHECK(result.scores == std::vector<std::int64_t>{3, 2});
  CHECK(tape.digests[0] == tape.digests[1]);
}

TEST_CASE("variables of a phase start afresh, and its moments are those of each pass", "[reference]") {
  Builder b;
  const VarId n = b.add_var("n", integer(1, 3));
  b.r.vars[n].kind = Var::Kind::phase_binding;
  b.r.vars[n].phase = 0;
  const VarId fresh = b.add_var("fresh", integer(0, 9), {}, b.num(0));
  b.r.vars[fresh].phase = 0;
  const VarId total = b.add_var("total", integer(0, 99));
  const LocalId i = b.name("i", integer(1, 3));
  Phase phase;
  phase.name = "rounds";
  phase.loop = ForLoop{b.clause({{i, b.range(1, 3)}})};
  phase.bindings = {n};
  phase.variables = {fresh};
  phase.cover = kNoId;
  const Stmt leave = stmt(If{b.eq(b.var(n), b.num(2)), {stmt(EndPhase{0})}, {}, kNoId, kNoId, false});
  phase.body = {raise(fresh, b.num(1)), raise(total, b.var(fresh)), leave, raise(total, b.num(10))};
  b.r.phases.push_back(phase);
  b.r.main = {stmt(RunPhase{0})};
  b.r.reports.push_back({"total", b.var(total), {}});
  const auto claim = [&](ast::ClaimKind kind, ast::MomentKind moment, ExprId condition) {
    Claim c;
    c.kind = kind;
    c.condition = condition;
    c.moment = moment;
    c.phase = 0;
    c.cover = kNoId;
    b.r.claims.push_back(c);
  };
  claim(ast::ClaimKind::always, ast::MomentKind::phase_begins, b.eq(b.var(fresh), b.num(0)));
  claim(ast::ClaimKind::always, ast::MomentKind::phase_ends, b.eq(b.var(fresh), b.num(1)));
  claim(ast::ClaimKind::sometimes, ast::MomentKind::phase_ends, b.eq(b.var(n), b.num(2)));
  claim(ast::ClaimKind::sometimes, ast::MomentKind::phase_ends, b.eq(b.var(n), b.num(3)));
  claim(ast::ClaimKind::never, ast::MomentKind::end, b.eq(b.var(total), b.num(12)));
  Tape tape;
  const ref::Result result = play(b, tape);
  CHECK(result.reports == std::vector<std::int64_t>{12});
  CHECK(result.shown == std::set<std::uint32_t>{2});
  REQUIRE(result.violations.size() == 1);
  CHECK(result.violations[0].index == 4);
}

TEST_CASE("a variable tells equal cards apart until they are shuffled", "[reference]") {
  Builder b;
  const TypeId card = b.card_type(9);
  const ZoneId deck = b.add_deck("deck", card, {{1}, {1}});
  const ZoneId row = b.add_zone("row", ast::ZoneKind::row, card);
  b.r.zones[row].face = 0;
  const VarId tapped = b.add_var("tapped", flag_type(), {component(card)});
  const LocalId c = b.name("c", component(card));
  Choose choice;
  choice.seat = b.num(0);
  choice.options.push_back(option("take", b.clause({{c, b.zone(row)}}), {}));
  const Stmt choose = stmt(choice);
  b.r.main = {move(b.zone(deck), b.zone(row)), choose, set(tapped, b.num(1), {b.top(row)}), choose,
              move(b.zone(row), b.zone(deck)), shuffle(b.zone(deck)), move(b.top_n(2, deck), b.zone(row)), choose};
  Tape tape;
  play(b, tape);
  REQUIRE(tape.moves.size() == 3);
  CHECK(tape.moves[0].size() == 1);
  CHECK(tape.moves[1].size() == 2);
  CHECK(tape.moves[2].size() == 1);
  CHECK(tape.chances.empty());
}

TEST_CASE("a swap exchanges places and sides", "[reference]") {
  Builder b;
  const TypeId card = b.card_type(9);
  const ZoneId deck = b.add_deck("deck", card, {{1}, {2}});
  const ZoneId up = b.add_zone("up", ast::ZoneKind::row, card), down = b.add_zone("down", ast::ZoneKind::row, card);
  b.r.main = {move(b.top(deck), b.zone(up), b.num(0)), move(b.top(deck), b.zone(down), b.num(1)), stmt(Swap{b.top(up), b.top(down)})};
  Tape tape;
  CHECK(play(b, tape).digest.find("up: 1+\ndown: 0-") != std::string::npos);
}

TEST_CASE("cards all move at one stroke", "[reference]") {
  Builder b;
  const TypeId card = b.card_type(9);
  const ZoneId deck = b.add_deck("deck", card, {{1}, {2}});
  const ZoneId place = b.add_zone("place", ast::ZoneKind::place, card, {seat_type()});
  const LocalId p = b.name("p", seat_type());
  const Stmt deal = loop(ForLoop{b.clause({{p, b.players()}})}, {move(b.top(deck), b.zone(place, {b.local(p)}))});
  rules::Move pass{};
  pass.what = b.zone(place, {b.local(p)});
  pass.to = b.zone(place, {b.expr(Op::next, seat_type(), {b.local(p)})});
  pass.each = b.clause({{p, b.players()}});
  b.r.main = {deal, stmt(pass)};
  Tape tape;
  CHECK(play(b, tape).digest.find("place[player 1]: 1-\nplace[player 2]: 0-") != std::string::npos);
  b.r.main = {deal, move(b.zone(place, {b.num(0)}), b.zone(place, {b.num(1)}))};
  CHECK(play(b, tape).fault->kind == ref::FaultKind::place_full);
}
