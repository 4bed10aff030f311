#include "interp/reference/world.h"

#include <algorithm>

namespace rip::reference {

std::size_t World::position(int component) const {
  const std::vector<int>& cards = spots[static_cast<std::size_t>(spot_of[static_cast<std::size_t>(component)])].cards;
  return static_cast<std::size_t>(std::find(cards.begin(), cards.end(), component) - cards.begin());
}

int World::bag_of(int component) const {
  return spots[static_cast<std::size_t>(spot_of[static_cast<std::size_t>(component)])].bags[position(component)];
}

void World::take(int component) {
  Spot& spot = spots[static_cast<std::size_t>(spot_of[static_cast<std::size_t>(component)])];
  const auto at = static_cast<std::ptrdiff_t>(position(component));
  spot.cards.erase(spot.cards.begin() + at);
  spot.bags.erase(spot.bags.begin() + at);
  spot_of[static_cast<std::size_t>(component)] = -1;
}

void World::put(int component, int spot_id, std::size_t at, int bag) {
  Spot& spot = spots[static_cast<std::size_t>(spot_id)];
  spot.cards.insert(spot.cards.begin() + static_cast<std::ptrdiff_t>(at), component);
  spot.bags.insert(spot.bags.begin() + static_cast<std::ptrdiff_t>(at), bag);
  spot_of[static_cast<std::size_t>(component)] = spot_id;
}

std::vector<int> World::bag_members(int spot_id, int bag) const {
  const Spot& spot = spots[static_cast<std::size_t>(spot_id)];
  std::vector<int> members;
  for (std::size_t i = 0; i < spot.cards.size(); ++i)
    if (spot.bags[i] == bag) members.push_back(spot.cards[i]);
  std::sort(members.begin(), members.end());
  return members;
}

void World::tidy(int spot_id) {
  Spot& spot = spots[static_cast<std::size_t>(spot_id)];
  for (std::size_t begin = 0; begin < spot.cards.size();) {
    std::size_t end = begin + 1;
    while (spot.bags[begin] != 0 && end < spot.cards.size() && spot.bags[end] == spot.bags[begin]) ++end;
    if (end - begin == 1) spot.bags[begin] = 0;
    std::sort(spot.cards.begin() + static_cast<std::ptrdiff_t>(begin), spot.cards.begin() + static_cast<std::ptrdiff_t>(end));
    begin = end;
  }
}

}  // namespace rip::reference
