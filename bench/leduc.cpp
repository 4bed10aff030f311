#include "bench/simulators.h"

namespace rip::bench {

Played play_leduc(Rng& rng) {
  Played played;
  int deck[6] = {1, 1, 2, 2, 3, 3};
  int left = 6;
  const auto draw = [&] {
    const int k = pick(left, rng);
    const int rank = deck[k];
    deck[k] = deck[--left];
    return rank;
  };
  const int hand[2] = {draw(), draw()};
  int paid[2] = {1, 1};
  int board = 0;
  for (int lap = 0; lap < 2; ++lap) {
    if (lap == 1) board = draw();
    int raises = 0, settled = 0, me = 0;
    while (settled < 2) {
      const int owed = paid[1 - me] > paid[me] ? paid[1 - me] - paid[me] : 0;
      const int can_fold = owed > 0 ? 1 : 0;
      const int can_raise = raises < 2 ? 1 : 0;
      const int choice = pick(can_fold + 1 + can_raise, rng) - can_fold;
      ++played.decisions;
      if (choice < 0) {
        played.scores[me] = -paid[me];
        played.scores[1 - me] = paid[me];
        played.winners = 1u << (1 - me);
        return played;
      }
      paid[me] += owed;
      if (choice == 0) {
        ++settled;
      } else {
        paid[me] += lap == 0 ? 2 : 4;
        ++raises;
        settled = 1;
      }
      me = 1 - me;
    }
  }
  const auto strength = [&](int p) { return hand[p] == board ? 10 : hand[p]; };
  const int difference = strength(0) - strength(1);
  const int won = difference == 0 ? 0 : paid[0];
  played.scores[0] = difference > 0 ? won : -won;
  played.scores[1] = -played.scores[0];
  played.winners = difference == 0 ? 3u : difference > 0 ? 1u : 2u;
  return played;
}

}  // namespace rip::bench
