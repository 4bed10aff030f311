#include "bench/simulators.h"

namespace rip::bench {

namespace {

constexpr int kSeats = 4, kCards = 135, kPlaces = 12, kStack = 7, kLaps = 2;

/// A pile that is taken from on top and laid under: a ring, the top at `first`.
struct Pile {
  std::uint8_t cards[256];
  std::uint8_t first = 0, size = 0;
  int take() {
    --size;
    return cards[first++];
  }
  void lay_under(int card) {
    cards[static_cast<std::uint8_t>(first + size)] = static_cast<std::uint8_t>(card);
    ++size;
  }
};

}  // namespace

Played play_vertippt(Rng& rng) {
  Played played;
  Pile draw, stack[kSeats];
  for (int i = 0; i < kCards; ++i) draw.cards[i] = static_cast<std::uint8_t>(i);
  shuffle(draw.cards, kCards, rng);
  draw.size = kCards;
  int display[kPlaces];
  for (auto& pile : stack) {
    for (int i = 0; i < kStack; ++i) pile.lay_under(draw.take());
  }
  for (int& card : display) card = draw.take();
  int last_given[kSeats] = {};
  const auto finish = [&](std::uint32_t winners) {
    for (int p = 0; p < kSeats; ++p) played.scores[p] = stack[p].size;
    played.winners = winners;
    return played;
  };
  for (int lap = 0; lap < kLaps; ++lap) {
    for (int guesser = 0; guesser < kSeats; ++guesser) {
      int open[kPlaces];
      int n = kPlaces;
      for (int d = 0; d < kPlaces; ++d) open[d] = d;
      const int target = pick(kPlaces, rng);
      ++played.decisions;
      int hinter = -1;
      for (bool found = false; !found;) {
        int next = -1;
        const int last = hinter < 0 ? guesser : hinter;
        for (int i = 1; i <= kSeats && next < 0; ++i) {
          const int p = (last + i) % kSeats;
          if (p != guesser && stack[p].size > 0) next = p;
        }
        hinter = next;
        if (hinter >= 0) {
          pick(5, rng);
          ++played.decisions;
          stack[hinter].lay_under(stack[hinter].take());
        }
        const int k = pick(n, rng);
        ++played.decisions;
        const int d = open[k];
        found = d == target;
        if (found) break;
        stack[guesser].lay_under(display[d]);
        display[d] = -1;
        open[k] = open[--n];
      }
      if (hinter >= 0 && stack[hinter].size > 0) {
        ++played.decisions;
        if (pick(2, rng) == 0) {
          for (int i = 0; i < 2 && stack[hinter].size > 0; ++i) draw.lay_under(stack[hinter].take());
          if (stack[hinter].size == 0 && ++last_given[hinter] == 2) return finish(1u << hinter);
        }
      }
      if (lap == kLaps - 1 && guesser == kSeats - 1) break;
      while (draw.size < kPlaces - n) {
        std::uint32_t done = 0;
        for (int i = 0; i < kSeats; ++i) {
          const int p = (guesser + i) % kSeats;
          if (stack[p].size == 0) continue;
          draw.lay_under(stack[p].take());
          if (stack[p].size == 0) done |= 1u << p;
        }
        if (done != 0) return finish(done);
      }
      for (int& card : display) {
        if (card < 0) card = draw.take();
      }
    }
  }
  int fewest = kCards;
  for (const Pile& pile : stack) fewest = pile.size < fewest ? pile.size : fewest;
  std::uint32_t winners = 0;
  for (int p = 0; p < kSeats; ++p) winners |= stack[p].size == fewest ? 1u << p : 0u;
  return finish(winners);
}

}  // namespace rip::bench
