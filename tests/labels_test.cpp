// Where secrets may flow, read from the rules alone.
#include <catch2/catch.hpp>

#include "tests/files.h"

#include "verify/game.h"
#include "verify/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

using namespace rip;
namespace fs = std::filesystem;

namespace {

constexpr const char* kTable = R"(game "Labels" language 1
players 2
enum Kind { gold, trap }
card Card { kind: Kind  value: 1..9  back gift: flag }
die Bone 1..6
deck draw of Card { 1 x <gold v> for v in 1..9 }
deck open_deck of Card { 1 x <trap v> for v in 1..9 }
deck bones of Bone { 4 x <> }
zone hand[player]: hand of Card
zone cup[player]: hand of Bone
zone laid[1..3]: place of Card
zone spot[player]: place of Card face up
zone heap: pile of Card
var open: 0..99
var told: flag
var mine[p: player]: 0..9 seen by {p}
phase setup { shuffle draw  for q in players { fill hand[q] to 3 from draw  set mine[q] to 3  fill cup[q] to 2 from bones  roll cup[q] }  for i in 1..3 { move top of draw to laid[i] face down } }
winner w by low number(w)
never "nothing": count(open_deck + spot + heap + laid) < 0 or some(q in players where mine[q] < 0 or count(cup[q]) < 0)
)";

/// Flows in a script, each as `SECRET > WHERE`, by the text of the script.
std::vector<std::string> flows_in(const std::string& rules) {
  const auto loaded = verify::load_text("labels.rip", kTable + rules);
  std::string wrong;
  for (const Diagnostic& d : loaded->diagnostics()) {
    if (d.severity == Severity::error) wrong += render(d, loaded->sources, false);
  }
  REQUIRE(wrong == "");
  const verify::Flows flows = verify::flows_of(*loaded->find("")->rules);
  CHECK(flows.complete);
  CHECK(flows.any_secret);
  std::vector<std::string> out;
  for (const verify::Flow& flow : flows.all) out.push_back(fmt::format("{} > {}", loaded->sources.text(flow.secret.span), loaded->sources.text(flow.sink)));
  return out;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("a secret that is written where all can see it is a flow", "[labels]") {
  CHECK(flows_in("phase p { set open to sum(c.value for c in hand[0]) }") == Texts{"c.value > set open to sum(c.value for c in hand[0])"});
  CHECK(flows_in("phase p { set open to mine[1] }") == Texts{"mine[1] > set open to mine[1]"});
  CHECK(flows_in("phase p { set open to laid[1].value }") == Texts{"laid[1].value > set open to laid[1].value"});
  CHECK(flows_in("phase p { set open to sum(b.face for b in cup[0]) }") == Texts{"b.face > set open to sum(b.face for b in cup[0])"});
  // by way of a name, a variable of a block, a rule
  CHECK(flows_in("phase p { let x = mine[0]  do tell(x) } rule tell(n) { var y: 0..20 = 0  set y to n + 1  set open to y }") == Texts{"mine[0] > set open to y"});
  // one that fewer seats know in a variable that more know
  CHECK(flows_in("phase p { set mine[0] to mine[1] }") == Texts{"mine[1] > set mine[0] to mine[1]"});
  // the score of a seat, which it gets to know
  CHECK(flows_in("phase p { set open to 1 } score s = mine[next(s)]") == Texts{"mine[next(s)] > mine[next(s)]"});
}

TEST_CASE("whether something happens tells what it depends on", "[labels]") {
  CHECK(flows_in("phase p { if mine[0] > 3 { set told to yes } }") == Texts{"mine[0] > set told to yes"});
  CHECK(flows_in("phase p { for q in players where mine[q] > 3 { move laid[1] to heap } }") == Texts{"mine[q] > move laid[1] to heap"});
  CHECK(flows_in("phase p { if some(c in hand[0] where c.kind == trap) { choose 0 { yes_i_have { } no_i_have_not { } } } }") ==
        Texts{"c.kind > choose 0 { yes_i_have { } no_i_have_not { } }"});
  CHECK(flows_in("phase p { choose first(q in players by high mine[q], low number(q)) { stay { } } }").size() == 1);
  CHECK(flows_in("phase p repeat until open > 3 { raise open by 1  if mine[0] == 9 { stop } }") == Texts{"mine[0] > stop"});
  CHECK(flows_in("when some(c in hand[0] where c.value == 9) { set told to yes } phase p { set open to 1 }") == Texts{"c.value > set told to yes"});
  // the order in which a hand is run through is that of its fronts
  CHECK(flows_in("phase p { for c in hand[0] { move c to heap } }") == Texts{"hand[0] > move c to heap"});
}

TEST_CASE("what a seat is offered may depend on what it knows", "[labels]") {
  CHECK(flows_in("phase p turns from 0 at most 4 { choose me { play(c in hand[me] where c.value > mine[me]) { move c to heap } otherwise pass { } } }").empty());
  CHECK(flows_in("phase p for seat in players { choose seat { play(c in hand[seat] where c.value > 3) { move c to heap } otherwise pass { } } }").empty());
  CHECK(flows_in("phase p { choose each q in players { play(c in hand[q] where c.value > mine[q]) { set open to 1 } otherwise pass { } } }").empty());
  CHECK(flows_in("phase p for seat in players { choose seat { play(n in 1..9 where n > mine[next(seat)]) { set open to n } otherwise pass { } } }") ==
        Texts{"mine[next(seat)] > n > mine[next(seat)]"});
  CHECK(flows_in("let trapped(q) = some(c in hand[next(q)] where c.kind == trap) phase p for seat in players { choose seat { go(n in 1..3 where not trapped(seat)) { set open to n } otherwise pass { } } } "
                 "") == Texts{"c.kind > not trapped(seat)"});
  CHECK(flows_in("phase p { choose 0 { take(n in {c.value for c in laid}) { set open to n } } }") == Texts{"c.value > {c.value for c in laid}"});
  // two seats of one clause are not the same seat
  CHECK(flows_in("phase p { for q in players { for r in players { choose q { go(n in 1..9 where n > mine[r]) { set open to n } otherwise pass { } } } } }") ==
        Texts{"mine[r] > n > mine[r]"});
}

TEST_CASE("what lies open, was shown or turned up is no secret", "[labels]") {
  CHECK(flows_in("phase p { if laid[1].face == up { set told to yes }  set open to sum(c.value for c in spot[0]) }").empty());
  CHECK(flows_in("phase p { if laid[1].gift { set told to yes } }").empty());
  CHECK(flows_in("phase p { show hand[0]  set open to sum(c.value for c in hand[0]) }").empty());
  CHECK(flows_in("phase p { for q in players { show hand[q] }  for r in players { raise open by sum(c.value for c in hand[r]) } }").empty());
  CHECK(flows_in("phase p { turn all of laid face up  set open to sum(c.value for c in laid) }").empty());
  CHECK(flows_in("phase p { let high = mine[0] > 4  show high  if high { set told to yes } }").empty());
  CHECK(flows_in("phase p { set open to sum(c.value for c in laid where c.face == up) }").empty());
  CHECK(flows_in("phase p { choose 0 { put(c in hand[0]) { move c to spot[0]  set open to c.value } } }").empty());
  CHECK(flows_in("phase p { set open to sum(c.value for c in open_deck) }").empty());
}

TEST_CASE("what was shown is a secret again when it may be something else", "[labels]") {
  const auto some = [](const std::string& rules) { return !flows_in("phase p { " + rules + " }").empty(); };
  CHECK(some("show hand[0]  fill hand[0] to 4 from draw  set open to sum(c.value for c in hand[0])"));
  CHECK(some("show mine[0]  set mine[0] to 4  set open to mine[0]"));
  CHECK(some("show hand[0]  set open to sum(c.value for c in hand[1])"));
  CHECK(some("show hand[0] to {1}  set open to sum(c.value for c in hand[0])"));
  CHECK(some("if told { show hand[0] }  set open to sum(c.value for c in hand[0])"));
  CHECK(some("for q in players { if q == 1 { stop }  show hand[q] }  set open to sum(c.value for c in hand)"));
  CHECK(some("for q in players where told { show hand[q] }  for q in players { raise open by sum(c.value for c in hand[q]) }"));
  CHECK(some("for q in players { show hand[q]  set open to sum(sum(c.value for c in hand[r]) for r in players) }"));
  CHECK(some("turn laid[1] face up  move laid[1] to heap  move laid[2] to laid[1]  set open to laid[1].value"));
  CHECK(some("for i in 1..3 { if i > 1 { raise open by laid[i].value }  turn laid[1] face up }"));
  CHECK(some("for c in laid { if c.face == up { raise open by 1 } else { raise open by c.value } }"));
  CHECK(some("shuffle open_deck  let x = top of open_deck  set open to x.value"));
}

TEST_CASE("no script whose rules let a secret out is said to let none out", "[labels]") {
  int leaking = 0;
  for (const char* folder : {"tests/twins", "tests/rip"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(RIP_SOURCE_DIR) / folder)) {
      if (entry.path().extension() != ".rip") continue;
      const auto loaded = verify::load(entry.path().string());
      const std::string& text = loaded->sources[0].text;
      if (text.find("# violated: nobody learns what they must not") == std::string::npos || loaded->has_errors()) continue;
      INFO(entry.path().string());
      ++leaking;
      CHECK(std::any_of(loaded->versions.begin(), loaded->versions.end(), [](const auto& version) { return !verify::flows_of(*version->rules).none(); }));
    }
  }
  CHECK(leaking >= 25);
}
