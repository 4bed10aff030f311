// Plain models of three small games, written from their rules and not from the scripts: what `tree` says is compared with them.
// Each counts as verify/tree.h does.
#pragma once

#include <gmpxx.h>

#include <array>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace models {

struct Count {
  std::uint64_t histories = 0, terminal = 0, chance = 0, decision = 0;
  std::vector<std::set<std::string>> sets;  ///< by seat
  std::vector<mpq_class> value;
};

using Values = std::vector<mpq_class>;

inline Values mean(int n, const std::function<Values(int)>& child) {
  Values sum = child(0);
  for (int i = 1; i < n; ++i) {
    const Values next = child(i);
    for (std::size_t seat = 0; seat < sum.size(); ++seat) sum[seat] += next[seat];
  }
  for (mpq_class& v : sum) v /= n;
  return sum;
}

/// Two players, cards 1..n, the prizes shuffled; bids are shown once both are made; a tie wins nothing.
class Goofspiel {
 public:
  explicit Goofspiel(int n) : n_(n) { count.sets.resize(2); }
  Count run() {
    const std::vector<int> all = from_one(n_);
    count.value = prize(all, {all, all}, {0, 0}, "");
    return count;
  }

 private:
  static std::vector<int> from_one(int n) {
    std::vector<int> out;
    for (int i = 1; i <= n; ++i) out.push_back(i);
    return out;
  }
  static std::vector<int> without(std::vector<int> all, int at) {
    all.erase(all.begin() + at);
    return all;
  }
  Values prize(const std::vector<int>& prizes, const std::array<std::vector<int>, 2>& hands, std::array<int, 2> points, const std::string& seen) {
    if (prizes.empty()) {
      ++count.histories, ++count.terminal;
      return {points[0], points[1]};
    }
    auto up = [&](int i) {
      const int worth = prizes[static_cast<std::size_t>(i)];
      return bids(without(prizes, i), worth, hands, points, seen + "p" + std::to_string(worth));
    };
    if (prizes.size() == 1) return up(0);
    ++count.histories, ++count.chance;
    return mean(static_cast<int>(prizes.size()), up);
  }
  Values bids(const std::vector<int>& prizes, int worth, const std::array<std::vector<int>, 2>& hands, std::array<int, 2> points, const std::string& seen) {
    const int n = static_cast<int>(hands[0].size());
    ++count.histories, ++count.decision;
    count.sets[0].insert(seen);
    return mean(n, [&](int a) {
      ++count.histories, ++count.decision;
      count.sets[1].insert(seen);
      return mean(n, [&](int b) {
        const int mine = hands[0][static_cast<std::size_t>(a)], yours = hands[1][static_cast<std::size_t>(b)];
        std::array<int, 2> after = points;
        if (mine > yours) after[0] += worth;
        if (yours > mine) after[1] += worth;
        return prize(prizes, {without(hands[0], a), without(hands[1], b)}, after, seen + "b" + std::to_string(mine) + "," + std::to_string(yours));
      });
    });
  }
  int n_;
  Count count;
};

/// Two players with one die each; the highest face counts as any.
class LiarsDice {
 public:
  explicit LiarsDice(int sides) : sides_(sides) { count.sets.resize(2); }
  Count run() {
    ++count.histories, ++count.chance;
    count.value = mean(sides_, [&](int a) {
      ++count.histories, ++count.chance;
      return mean(sides_, [&](int b) { return bid({a + 1, b + 1}, -1, 0, ""); });
    });
    return count;
  }

 private:
  /// Bids are numbers from 0: `last / sides` + 1 dice that show `last % sides` + 1.
  Values bid(std::array<int, 2> dice, int last, int seat, const std::string& seen) {
    ++count.histories, ++count.decision;
    count.sets[static_cast<std::size_t>(seat)].insert(std::to_string(dice[static_cast<std::size_t>(seat)]) + ":" + seen);
    const int higher = 2 * sides_ - 1 - last;
    return mean(higher + (last >= 0 ? 1 : 0), [&](int i) {
      if (i < higher) return bid(dice, last + 1 + i, 1 - seat, seen + " " + std::to_string(last + 1 + i));
      ++count.histories, ++count.terminal;
      const int face = last % sides_ + 1;
      int shown = 0;
      for (const int die : dice) shown += die == face || die == sides_ ? 1 : 0;
      const int winner = shown >= last / sides_ + 1 ? 1 - seat : seat;
      return winner == 0 ? Values{1, -1} : Values{-1, 1};
    });
  }
  int sides_;
  Count count;
};

/// Cards 0..suits*ranks-1, dealt round; follow suit, the highest of the led suit takes the trick. A seat remembers in which
/// order it got its cards.
class Tricks {
 public:
  Tricks(int players, int suits, int ranks) : players_(players), suits_(suits), ranks_(ranks) { count.sets.resize(static_cast<std::size_t>(players)); }
  Count run() {
    std::vector<int> deck;
    for (int c = 0; c < suits_ * ranks_; ++c) deck.push_back(c);
    count.value = deal(deck, std::vector<std::vector<int>>(static_cast<std::size_t>(players_)), 0);
    return count;
  }

 private:
  Values deal(const std::vector<int>& deck, const std::vector<std::vector<int>>& hands, int to) {
    if (deck.empty()) {
      dealt_.assign(static_cast<std::size_t>(players_), "");
      for (std::size_t p = 0; p < hands.size(); ++p) {
        for (const int c : hands[p]) dealt_[p] += std::to_string(c) + ",";
      }
      return play(hands, 0, {}, std::vector<int>(static_cast<std::size_t>(players_), 0), "");
    }
    auto give = [&](int i) {
      std::vector<int> rest = deck;
      auto more = hands;
      more[static_cast<std::size_t>(to)].push_back(rest[static_cast<std::size_t>(i)]);
      rest.erase(rest.begin() + i);
      return deal(rest, more, (to + 1) % players_);
    };
    if (deck.size() == 1) return give(0);
    ++count.histories, ++count.chance;
    return mean(static_cast<int>(deck.size()), give);
  }
  Values play(const std::vector<std::vector<int>>& hands, int leader, const std::vector<int>& trick, const std::vector<int>& won, const std::string& seen) {
    if (static_cast<int>(trick.size()) == players_) {
      int best = 0;
      for (int i = 1; i < players_; ++i) {
        const int c = trick[static_cast<std::size_t>(i)], b = trick[static_cast<std::size_t>(best)];
        if (c / ranks_ == b / ranks_ && c > b) best = i;
      }
      const int winner = (leader + best) % players_;
      std::vector<int> more = won;
      ++more[static_cast<std::size_t>(winner)];
      return play(hands, winner, {}, more, seen + ";");
    }
    const int seat = (leader + static_cast<int>(trick.size())) % players_;
    const std::vector<int>& hand = hands[static_cast<std::size_t>(seat)];
    ++count.histories;
    if (trick.empty() && hand.empty()) {
      ++count.terminal;
      return Values(won.begin(), won.end());
    }
    ++count.decision;
    count.sets[static_cast<std::size_t>(seat)].insert(dealt_[static_cast<std::size_t>(seat)] + "|" + seen);
    std::vector<int> fits;
    for (const int c : hand) {
      if (!trick.empty() && c / ranks_ == trick[0] / ranks_) fits.push_back(c);
    }
    if (fits.empty()) fits = hand;
    return mean(static_cast<int>(fits.size()), [&](int i) {
      const int c = fits[static_cast<std::size_t>(i)];
      auto rest = hands;
      std::erase(rest[static_cast<std::size_t>(seat)], c);
      std::vector<int> longer = trick;
      longer.push_back(c);
      return play(rest, leader, longer, won, seen + " " + std::to_string(c));
    });
  }
  int players_, suits_, ranks_;
  Count count;
  std::vector<std::string> dealt_;
};

}  // namespace models
