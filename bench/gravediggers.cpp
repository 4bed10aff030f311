#include "bench/simulators.h"

#include <algorithm>

namespace rip::bench {

namespace {

constexpr int kSeats = 4, kCards = 45, kGraves = 5, kHand = 5, kTiles = 7, kMostTurns = 400;
enum Kind : std::uint8_t { money, guard, bandit, accomplice, widow, kinds };
enum Deed : std::uint8_t { play, look, reveal, rob };
struct Card {
  Kind kind;
  std::uint8_t coins;
  std::uint8_t number;  ///< of its sort: cards of one sort are one option
};

/// A card that is covered, and who has looked at it; covered cards that look alike to a player are one option.
struct Laid {
  Card card;
  bool covered;
  std::uint8_t known;
};

struct Table {
  explicit Table(Rng& generator) : rng(generator) {}

  Rng& rng;
  Played played;
  Card crypt[kCards];
  int left = kCards;
  Laid grave[kGraves][kCards];
  int lies[kGraves] = {};
  Card hand[kSeats][kHand];
  int held[kSeats] = {};
  int coins[kSeats];
  int digger = 0;

  Card draw() {
    const int k = pick(left, rng);
    const Card card = crypt[k];
    crypt[k] = crypt[--left];
    return card;
  }

  void rob_grave(int g) {
    int bid[kSeats];
    for (int p = 0; p < kSeats; ++p) {
      bid[p] = pick(coins[p] + 1, rng);
      ++played.decisions;
    }
    int count[kinds] = {};
    int haul = 0;
    for (int i = 0; i < lies[g]; ++i) {
      ++count[grave[g][i].card.kind];
      haul += grave[g][i].card.coins;
    }
    lies[g] = 0;
    const bool works = count[widow] == 0;
    const bool guarded = works && count[guard] > 0, ambushed = works && count[bandit] > 0, reversed = works && count[accomplice] > 0;
    if (guarded) {
      for (int p = 0; p < kSeats; ++p) coins[p] += bid[p] == 0 ? 5 : 0;
    }
    if (ambushed) {
      for (int p = 0; p < kSeats; ++p) coins[p] -= bid[p];
    }
    if (guarded || ambushed) return;
    int order[kSeats];
    for (int i = 0; i < kSeats; ++i) order[i] = (digger + i) % kSeats;
    std::stable_sort(order, order + kSeats, [&](int a, int b) { return bid[a] < bid[b]; });
    if (reversed) std::reverse(order, order + kSeats);
    for (const int p : order) {
      if (bid[p] > haul) break;
      haul -= bid[p];
      coins[p] += bid[p];
    }
  }

  /// Options to look at or turn up: covered cards, but those that the digger knows and cannot tell apart are one.
  int covered(int (&graves)[kCards], int (&places)[kCards], int me) const {
    int n = 0;
    for (int g = 0; g < kGraves; ++g) {
      const int begin = n;
      for (int i = 0; i < lies[g]; ++i) {
        const Laid& laid = grave[g][i];
        if (!laid.covered) continue;
        bool again = false;
        for (int k = begin; k < n && (laid.known >> me & 1) != 0; ++k) {
          const Laid& other = grave[g][places[k]];
          again = again || (other.card.number == laid.card.number && other.known == laid.known);
        }
        if (again) continue;
        graves[n] = g;
        places[n++] = i;
      }
    }
    return n;
  }

  void lay(int me) {
    int options[kHand];
    int n = 0;
    for (int i = 0; i < held[me]; ++i) {
      bool again = false;
      for (int k = 0; k < n; ++k) again = again || hand[me][options[k]].number == hand[me][i].number;
      if (!again) options[n++] = i;
    }
    const int choice = pick(n * kGraves, rng);
    ++played.decisions;
    const int i = options[choice / kGraves], g = choice % kGraves;
    grave[g][lies[g]++] = {hand[me][i], true, static_cast<std::uint8_t>(1u << me)};
    if (left > 0) hand[me][i] = draw();
    else hand[me][i] = hand[me][--held[me]];
  }

  void dig(Deed deed, int me) {
    if (deed == play) {
      lay(me);
      return;
    }
    int graves[kCards], places[kCards];
    int n = 0;
    if (deed == rob) {
      for (int g = 0; g < kGraves; ++g) {
        if (lies[g] > 0) graves[n++] = g;
      }
    } else {
      n = covered(graves, places, me);
    }
    ++played.decisions;
    if (n == 0) return;
    const int k = pick(n, rng);
    if (deed == rob) {
      rob_grave(graves[k]);
    } else if (deed == look) {
      grave[graves[k]][places[k]].known = static_cast<std::uint8_t>(grave[graves[k]][places[k]].known | 1u << me);
    } else {
      grave[graves[k]][places[k]].covered = false;
    }
  }

  Played game() {
    int number = 0, n = 0;
    const auto add = [&](int count, Kind kind, int value) {
      for (int i = 0; i < count; ++i) crypt[n++] = {kind, static_cast<std::uint8_t>(value), static_cast<std::uint8_t>(number)};
      ++number;
    };
    for (int value = 1; value <= 5; ++value) add(value == 5 ? 11 : 4, money, value);
    add(2, money, 10);
    for (const Kind kind : {guard, bandit, accomplice, widow}) add(4, kind, 0);
    for (int p = 0; p < kSeats; ++p) {
      coins[p] = 10;
      for (int i = 0; i < kHand; ++i) hand[p][held[p]++] = draw();
    }
    for (int g = 0; g < kGraves; ++g) grave[g][lies[g]++] = {draw(), true, 0};
    Deed tiles[kTiles] = {play, play, play, play, look, reveal, rob};
    int tiles_left = kTiles;
    digger = pick(kSeats, rng);
    for (int me = digger, turn = 0; turn < kMostTurns && *std::min_element(held, held + kSeats) > 0; ++turn, me = (me + 1) % kSeats) {
      digger = me;
      if (tiles_left == 0) tiles_left = kTiles;
      const int k = pick(tiles_left, rng);
      std::swap(tiles[k], tiles[--tiles_left]);
      dig(tiles[tiles_left], me);
    }
    for (int g = 0; g < kGraves; ++g) {
      if (lies[g] > 0) rob_grave(g);
    }
    const int most = *std::max_element(coins, coins + kSeats);
    for (int p = 0; p < kSeats; ++p) {
      played.scores[p] = coins[p];
      played.winners |= coins[p] == most ? 1u << p : 0u;
    }
    return played;
  }
};

}  // namespace

Played play_gravediggers(Rng& rng) {
  Table table(rng);
  return table.game();
}

}  // namespace rip::bench
