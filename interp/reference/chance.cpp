// Bags and their chance points: what was shuffled stays without order until somebody needs to know.
#include "interp/reference/evaluator.h"

#include <algorithm>
#include <stdexcept>

namespace rip::reference {

using rules::kNoId;

// A point with one outcome is not asked.
std::size_t Evaluator::ask_chance(Chance chance) {
  if (chance.outcomes.size() == 1) return 0;
  const std::size_t answer = oracle_.draw(chance);
  if (answer >= chance.outcomes.size()) throw std::out_of_range("the oracle names an outcome that does not exist");
  return answer;
}

// Classes of alike components, by their first members.
std::vector<std::vector<int>> Evaluator::classes(const std::vector<int>& components) const {
  std::vector<std::vector<int>> found;
  for (const int component : components) {
    const auto same = std::find_if(found.begin(), found.end(), [&](const std::vector<int>& c) { return alike(c[0], component); });
    if (same == found.end()) found.push_back({component});
    else same->push_back(component);
  }
  return found;
}

int Evaluator::draw_component(const std::vector<int>& from, ChanceKind kind, int zone) {
  Chance chance;
  chance.kind = kind;
  chance.zone = zone;
  for (const std::vector<int>& same : classes(from)) chance.outcomes.push_back({same[0], std::ssize(same)});
  const std::vector<Outcome> outcomes = chance.outcomes;
  return static_cast<int>(outcomes[ask_chance(std::move(chance))].value);
}

// One component of the bag at `position` comes to its upper or lower end and is known to lie there.
void Evaluator::settle_at(int zone, std::size_t position, bool from_bottom) {
  Spot& spot = world_.spots[static_cast<std::size_t>(zone)];
  const int bag = spot.bags[position];
  const std::vector<int> members = world_.bag_members(zone, bag);
  const int drawn = draw_component(members, ChanceKind::settle, zone);
  departs(drawn);
  const std::size_t begin = static_cast<std::size_t>(std::find(spot.bags.begin(), spot.bags.end(), bag) - spot.bags.begin());
  world_.take(drawn);
  world_.put(drawn, zone, from_bottom ? begin + members.size() - 1 : begin, 0);
  world_.tidy(zone);
}

void Evaluator::settle_top(int zone, std::int64_t n) {
  const Spot& spot = world_.spots[static_cast<std::size_t>(zone)];
  if (std::ssize(spot.cards) < n) settle_kept(zone);
  for (std::size_t at = 0; static_cast<std::int64_t>(at) < n; ++at) {
    if (at >= spot.cards.size() && !refill(zone)) return;
    if (spot.bags[at] != 0) settle_at(zone, at, false);
  }
}

void Evaluator::settle_bottom(int zone, std::int64_t n) {
  const Spot& spot = world_.spots[static_cast<std::size_t>(zone)];
  if (n > 0 && spot.cards.empty()) {
    settle_kept(zone);
    refill(zone);
  }
  for (std::size_t i = 0; i < spot.cards.size() && static_cast<std::int64_t>(i) < n; ++i) {
    const std::size_t at = spot.cards.size() - 1 - i;
    if (spot.bags[at] != 0) settle_at(zone, at, true);
  }
}

// From where a zone is refilled (-1: from nowhere), and how many of the newest stay there.
std::pair<int, std::int64_t> Evaluator::refill_source(int id) {
  const rules::Zone& zone = zone_rules(id);
  std::pair<int, std::int64_t> found{-1, 0};
  if (zone.refill_from == kNoId) return found;
  with_index(zone.index_locals, box_.zones[static_cast<std::size_t>(id)].index, [&] {
    found.first = instance(zone.refill_from);
    if (zone.refill_keeping != kNoId) found.second = needed(zone.refill_keeping);
  });
  return found;
}

// Before a refill: which ones of a bag are the newest that stay, if others of it leave, is chance.
void Evaluator::settle_kept(int id) {
  const auto [source, keeping] = refill_source(id);
  if (source < 0 || zone_rules(source).kind != ast::ZoneKind::pile) return;
  const Spot& spot = world_.spots[static_cast<std::size_t>(source)];
  if (keeping <= 0 || keeping >= std::ssize(spot.cards)) return;
  const auto last = static_cast<std::size_t>(keeping - 1);
  while (spot.bags[last] != 0 && spot.bags[last] == spot.bags[last + 1]) {
    const auto begin = std::find(spot.bags.begin(), spot.bags.end(), spot.bags[last]);
    settle_at(source, static_cast<std::size_t>(begin - spot.bags.begin()), false);
  }
  // The rest of their bag is about to be mixed among others.
  std::map<std::pair<int, int>, Departure> others;
  std::swap(others, departures_);
  for (auto entry = others.begin(); entry != others.end();) {
    if (entry->first.first == source) departures_.insert(others.extract(entry++));
    else ++entry;
  }
  if (!departures_.empty()) {
    for (int seat = 0; seat < box_.players; ++seat)
      if (sees_front(seat, spot.cards[0])) world_.known[static_cast<std::size_t>(spot.cards[0])].insert(seat);
    forget_departed();
  }
  std::swap(others, departures_);
}

// All of the source but its newest is turned down, shuffled, and lies under what is about to leave.
bool Evaluator::refill(int id) {
  const auto [source, keeping] = refill_source(id);
  if (source < 0) return false;
  std::vector<int> cards = world_.spots[static_cast<std::size_t>(source)].cards;
  if (zone_rules(source).kind == ast::ZoneKind::pile) std::reverse(cards.begin(), cards.end());
  if (std::ssize(cards) <= keeping) return false;
  cards.resize(cards.size() - static_cast<std::size_t>(std::max<std::int64_t>(keeping, 0)));
  Spot& spot = world_.spots[static_cast<std::size_t>(id)];
  const std::size_t begin = spot.cards.size();
  for (const int card : cards) {
    world_.take(card);
    world_.put(card, id, spot.cards.size(), 0);
    if (type_rules(card).kind == ast::ComponentKind::card) world_.face[static_cast<std::size_t>(card)] = 1;
  }
  world_.tidy(source);
  make_bag(id, begin, spot.cards.size());
  return true;
}

void Evaluator::make_bag(int zone, std::size_t begin, std::size_t end) {
  Spot& spot = world_.spots[static_cast<std::size_t>(zone)];
  const int bag = ++world_.last_bag;
  for (std::size_t i = begin; i < end; ++i) spot.bags[i] = bag;
  const std::vector<int> members = world_.bag_members(zone, bag);
  world_.tidy(zone);
  mix(members);
  for (const int member : members) reset_indexed(member);
}

void Evaluator::reset_indexed(int component) {
  const rules::TypeId type = box_.components[static_cast<std::size_t>(component)].type;
  for (rules::VarId id = 0; id < rules_.vars.size(); ++id) {
    const rules::Var& var = rules_.vars[id];
    if (var.phase != kNoId && !is_running(var.phase)) continue;
    for (auto& [index, value] : world_.vars[id]) {
      bool about = false;
      for (std::size_t i = 0; i < index.size(); ++i)
        about = about || (var.index[i].base == rules::Base::component && var.index[i].id == type && index[i] == component);
      if (!about) continue;
      Value start = first_of_type(var.type);
      if (var.start != kNoId) with_index(var.index_locals, index, [&] { start = this->value(var.start); });
      value = start;
      world_.var_known[id][index] = var_eyes(id, index);
    }
  }
}

// A top that lies in a bag shows only if all members of the bag look alike from above.
void Evaluator::show_tops() {
  for (std::size_t zone = 0; zone < world_.spots.size(); ++zone) {
    const Spot& spot = world_.spots[zone];
    const int id = static_cast<int>(zone);
    if (spot.cards.empty() || spot.bags[0] == 0) continue;
    const std::vector<int> members = world_.bag_members(id, spot.bags[0]);
    const std::vector<std::int64_t> side = upper_side(members[0], id);
    if (std::any_of(members.begin(), members.end(), [&](int other) { return upper_side(other, id) != side; })) settle_at(id, 0, false);
  }
}

std::vector<std::int64_t> Evaluator::back_side(int id) const {
  const Component& component = box_.components[static_cast<std::size_t>(id)];
  const rules::ComponentType& type = type_rules(id);
  const auto looks_like = [&](std::uint32_t other) {
    const Component& o = box_.components[other];
    if (o.type != component.type || o.owner != component.owner) return false;
    for (std::size_t a = 0; a < type.attributes.size(); ++a) {
      if (type.kind == ast::ComponentKind::card && !type.attributes[a].back) continue;
      if (o.attributes[a] != component.attributes[a] || o.texts[a] != component.texts[a]) return false;
    }
    return true;
  };
  for (std::uint32_t first = 0;; ++first)
    if (looks_like(first)) return {0, first};
}

std::vector<std::int64_t> Evaluator::upper_side(int id, int zone) {
  const std::int64_t face = world_.face[static_cast<std::size_t>(id)];
  const ast::ComponentKind kind = type_rules(id).kind;
  const bool front = !eyes(zone) && (kind != ast::ComponentKind::card || face == 0);
  if (!front) return back_side(id);
  for (std::uint32_t first = 0;; ++first)
    if (box_.equal(first, static_cast<std::uint32_t>(id))) return {1, first, kind == ast::ComponentKind::die ? face : 0};
}

}  // namespace rip::reference
