#include "bench/simulators.h"

namespace rip::bench {

namespace {
constexpr int kSeats = 5, kSuits = 4, kRanks = 15, kTricks = 12, kTrump = 3;
}

Played play_tricks(Rng& rng) {
  Played played;
  std::uint8_t deck[kSuits * kRanks];
  for (int i = 0; i < kSuits * kRanks; ++i) deck[i] = static_cast<std::uint8_t>(i);
  shuffle(deck, kSuits * kRanks, rng);
  std::uint8_t hand[kSeats][kTricks];
  for (int i = 0; i < kTricks; ++i) {
    for (int p = 0; p < kSeats; ++p) hand[p][i] = deck[i * kSeats + p];
  }
  int leader = 0;
  for (int trick = 0; trick < kTricks; ++trick) {
    const int held = kTricks - trick;
    int led = 0, best = -1, taker = leader;
    for (int i = 0; i < kSeats; ++i) {
      const int p = leader + i < kSeats ? leader + i : leader + i - kSeats;
      std::uint8_t options[kTricks];
      int n = 0;
      if (i > 0) {
        for (int k = 0; k < held; ++k) {
          if (hand[p][k] / kRanks == led) options[n++] = static_cast<std::uint8_t>(k);
        }
      }
      const int k = n > 0 ? options[pick(n, rng)] : pick(held, rng);
      ++played.decisions;
      const int card = hand[p][k];
      hand[p][k] = hand[p][held - 1];
      const int suit = card / kRanks;
      if (i == 0) led = suit;
      const int worth = suit == kTrump ? 200 + card % kRanks : suit == led ? 100 + card % kRanks : 0;
      if (worth > best) {
        best = worth;
        taker = p;
      }
    }
    ++played.scores[taker];
    leader = taker;
  }
  int most = 0;
  for (int p = 0; p < kSeats; ++p) most = played.scores[p] > most ? played.scores[p] : most;
  for (int p = 0; p < kSeats; ++p) played.winners |= played.scores[p] == most ? 1u << p : 0u;
  return played;
}

}  // namespace rip::bench
