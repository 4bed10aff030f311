// Who has seen what. The rules never read it, but it decides which components are alike.
#include "interp/reference/evaluator.h"

#include <algorithm>

namespace rip::reference {

using rules::kNoId;

std::optional<std::set<int>> Evaluator::eyes(int id) {
  const rules::Zone& zone = zone_rules(id);
  const std::vector<std::int64_t>& index = box_.zones[static_cast<std::size_t>(id)].index;
  std::set<int> seats;
  if (zone.seen_by != kNoId) {
    with_index(zone.index_locals, index, [&] {
      for (const std::int64_t seat : set_of(zone.seen_by)) seats.insert(static_cast<int>(seat));
    });
    return seats;
  }
  if (zone.kind != ast::ZoneKind::hand) return std::nullopt;
  for (std::size_t i = 0; i < index.size(); ++i)
    if (zone.index[i].base == rules::Base::seat && seats.empty()) seats.insert(static_cast<int>(index[i]));
  return seats;
}

bool Evaluator::sees_front(int seat, int component) {
  const int zone = world_.spot_of[static_cast<std::size_t>(component)];
  const ast::ComponentKind kind = type_rules(component).kind;
  const bool deep = zone_rules(zone).kind == ast::ZoneKind::pile && (world_.position(component) != 0 || world_.bag_of(component) != 0);
  if (kind == ast::ComponentKind::token && !deep) return true;
  if (const std::optional<std::set<int>> seers = eyes(zone)) return seers->contains(seat);
  if (deep) return false;
  return kind == ast::ComponentKind::die || world_.face[static_cast<std::size_t>(component)] == 0;
}

void Evaluator::see() {
  for (std::size_t c = 0; c < box_.components.size(); ++c)
    for (int seat = 0; seat < box_.players; ++seat)
      if (!world_.known[c].contains(seat) && sees_front(seat, static_cast<int>(c))) world_.known[c].insert(seat);
  for (rules::VarId var = 0; var < rules_.vars.size(); ++var) {
    if (rules_.vars[var].seen_by == kNoId) continue;
    if (rules_.vars[var].phase != kNoId && !is_running(rules_.vars[var].phase)) continue;
    if (rules_.vars[var].local && !live_locals_.contains(var)) continue;
    for (auto& [index, known] : world_.var_known[var]) known.merge(var_eyes(var, index));
  }
}

std::set<int> Evaluator::var_eyes(rules::VarId id, const std::vector<std::int64_t>& index) {
  const rules::Var& var = rules_.vars[id];
  std::set<int> seats;
  if (var.seen_by == kNoId) return seats;
  with_index(var.index_locals, index, [&] {
    for (const std::int64_t seat : set_of(var.seen_by)) seats.insert(static_cast<int>(seat));
  });
  return seats;
}

void Evaluator::departs(int component) {
  const int zone = world_.spot_of[static_cast<std::size_t>(component)];
  const bool hand = zone_rules(zone).kind == ast::ZoneKind::hand;
  const int bag = world_.bag_of(component);
  if (!hand && bag == 0) return;
  const auto [entry, fresh] = departures_.try_emplace({zone, bag});
  if (fresh) entry->second = {hand ? world_.spots[static_cast<std::size_t>(zone)].cards : world_.bag_members(zone, bag), {}, zone, hand};
  entry->second.left.insert(component);
}

// A seat that could not see into a hand or bag, and does not see what left, no longer knows any of those that may have
// been it, unless it knows that all of them are equal.
void Evaluator::forget_departed() {
  for (const auto& [key, departure] : departures_) {
    const std::set<int> seers = eyes(departure.zone).value_or(std::set<int>{});
    for (int seat = 0; seat < box_.players; ++seat) {
      if (seers.contains(seat)) continue;
      std::vector<int> unseen;
      for (const int c : departure.members)
        if (!sees_front(seat, c)) unseen.push_back(c);
      std::set<int> lost;
      for (const int gone : unseen) {
        if (!departure.left.contains(gone)) continue;
        std::vector<int> maybe;
        for (const int c : unseen)
          if (back_side(c) == back_side(gone)) maybe.push_back(c);
        const bool equal = std::all_of(maybe.begin(), maybe.end(), [&](int c) {
          return box_.equal(static_cast<std::uint32_t>(c), static_cast<std::uint32_t>(gone)) && world_.known[static_cast<std::size_t>(c)].contains(seat);
        });
        if (!equal) lost.insert(maybe.begin(), maybe.end());
      }
      for (const int c : lost) world_.known[static_cast<std::size_t>(c)].erase(seat);
    }
  }
  departures_.clear();
}

// Shuffled components are exchangeable: what was known of each of them remains known of all.
void Evaluator::mix(const std::vector<int>& components) {
  if (components.size() < 2) return;
  std::set<int> known;
  for (int seat = 0; seat < box_.players; ++seat)
    if (std::all_of(components.begin(), components.end(), [&](int c) { return world_.known[static_cast<std::size_t>(c)].contains(seat); })) known.insert(seat);
  for (const int c : components) world_.known[static_cast<std::size_t>(c)] = known;
}

bool Evaluator::alike(int a, int b) const {
  if (a == b) return true;
  return same_for_rules(a, b) && world_.known[static_cast<std::size_t>(a)] == world_.known[static_cast<std::size_t>(b)];
}

bool Evaluator::same_for_rules(int a, int b) const {
  return box_.equal(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)) &&
         world_.face[static_cast<std::size_t>(a)] == world_.face[static_cast<std::size_t>(b)] && !told_apart(a, b);
}

bool Evaluator::told_apart(int a, int b) const {
  if (a == b) return false;
  for (std::size_t zone = 0; zone < box_.zones.size(); ++zone) {
    const std::vector<std::int64_t>& index = box_.zones[zone].index;
    for (std::size_t i = 0; i < index.size(); ++i) {
      const bool by_component = rules_.zones[box_.zones[zone].zone].index[i].base == rules::Base::component;
      if (by_component && (index[i] == a || index[i] == b) && !world_.spots[zone].cards.empty()) return true;
    }
  }
  return vars_tell_apart(a, b);
}

// Would the variables read the same if the two were exchanged everywhere in them?
bool Evaluator::vars_tell_apart(int a, int b) const {
  const auto exchanged = [&](std::int64_t c) { return c == a ? b : c == b ? a : c; };
  for (rules::VarId id = 0; id < rules_.vars.size(); ++id) {
    const rules::Var& var = rules_.vars[id];
    if (var.phase != kNoId && !is_running(var.phase)) continue;
    if (var.local && !live_locals_.contains(id)) continue;
    const bool holds_components = var.type.base == rules::Base::component;
    const bool by_components = std::any_of(var.index.begin(), var.index.end(), [](const rules::Type& t) { return t.base == rules::Base::component; });
    if (!holds_components && !by_components) continue;
    for (const auto& [index, value] : world_.vars[id]) {
      std::vector<std::int64_t> other_index = index;
      for (std::size_t i = 0; i < index.size(); ++i)
        if (var.index[i].base == rules::Base::component) other_index[i] = exchanged(index[i]);
      Value other = world_.vars[id].at(other_index);
      if (holds_components) {
        for (std::int64_t& item : other.items) item = exchanged(item);
        if (other.shape == rules::Shape::set) std::sort(other.items.begin(), other.items.end());
      }
      if (other != value || world_.var_known[id].at(index) != world_.var_known[id].at(other_index)) return true;
    }
  }
  return false;
}

}  // namespace rip::reference
