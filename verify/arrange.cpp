#include "verify/arrange.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace rip::verify {

namespace {

constexpr std::int32_t kNobody = -1;

/// One card that a `given` line asks for.
struct Slot {
  std::int32_t zone = 0;
  const PhraseTest* phrase = nullptr;  ///< null: any
  Span span;
  int owner = -1;                      ///< the seat in the index of the zone
  std::int32_t component = kNobody;
};

/// Where a component would come from, best first.
enum Origin : int { here = 0, from_deck = 1, left_over = 2, from_elsewhere = 3, from_under_their_eyes = 4, of_another_owner = 10 };

class Arranger {
 public:
  Arranger(const Playable& playable, Machine& machine, State& state, Free& open, std::uint32_t watchers)
      : playable_(playable), rules_(*playable.rules), box_(playable.box), program_(*playable.program), machine_(machine), state_(state), open_(open), watchers_(watchers) {}

  bool disturbs = false;

  ArrangeError lay(const std::vector<const GivenScript*>& givens) {
    for (const GivenScript* given : givens) {
      if (given->cards && !mention(*given)) return error_;
    }
    if (mentioned_.empty()) return {};
    taken_.assign(box_.components.size(), false);
    if (!match_phrases()) return error_;
    fill_with_any();
    if (!error_.message.empty()) return error_;
    for (const Slot& slot : slots_) came_from_.push_back(zone_of(slot.component));
    find_leavers();
    exchange();
    if (!send_home() || !put_in_order()) return error_;
    return {};
  }

 private:
  bool fail(Span span, std::string message) {
    error_ = {std::move(message), span};
    return false;
  }

  bool mention(const GivenScript& given) {
    const std::vector<std::int32_t> zones = instances(given.wanted.zone, playable_, machine_, state_);
    std::vector<const CardsWanted::Item*> items;
    for (const CardsWanted::Item& item : given.wanted.items) items.insert(items.end(), static_cast<std::size_t>(item.count), &item);
    if (zones.size() == 1) return mention(zones[0], items, given.span);
    if (items.size() > zones.size()) return fail(given.span, fmt::format("{} cards for {} places", items.size(), zones.size()));
    for (std::size_t i = 0; i < zones.size(); ++i) {
      const bool more = i < items.size();
      if (!mention(zones[i], more ? std::vector{items[i]} : std::vector<const CardsWanted::Item*>{}, given.span)) return false;
    }
    return true;
  }

  bool mention(std::int32_t zone, const std::vector<const CardsWanted::Item*>& items, Span span) {
    mentioned_.erase(std::remove(mentioned_.begin(), mentioned_.end(), zone), mentioned_.end());
    slots_.erase(std::remove_if(slots_.begin(), slots_.end(), [&](const Slot& s) { return s.zone == zone; }), slots_.end());
    mentioned_.push_back(zone);
    const ZoneInstance& instance = box_.zones[static_cast<std::size_t>(zone)];
    int owner = -1;
    for (std::size_t i = 0; i < instance.index.size() && owner < 0; ++i) {
      if (rules_.zones[instance.zone].index[i].base == rules::Base::seat) owner = static_cast<int>(instance.index[i]);
    }
    for (const CardsWanted::Item* item : items) slots_.push_back({zone, item->phrase ? &*item->phrase : nullptr, item->span, owner, kNobody});
    if (rules_.zones[instance.zone].kind == ast::ZoneKind::place && items.size() > 1) return fail(span, "a place holds at most one component");
    return true;
  }

  bool is_mentioned(std::int32_t zone) const { return std::find(mentioned_.begin(), mentioned_.end(), zone) != mentioned_.end(); }
  bool is_deck(std::int32_t zone) const { return program_.zones[static_cast<std::size_t>(zone)].deck; }
  std::int32_t zone_of(std::int32_t c) const { return machine_.zone_of(state_, c); }
  const Component& component(std::int32_t c) const { return box_.components[static_cast<std::size_t>(c)]; }
  std::int32_t front_class(std::int32_t c) const { return program_.components[static_cast<std::size_t>(c)].front_class; }
  rules::TypeId type_of(std::int32_t zone) const { return rules_.zones[box_.zones[static_cast<std::size_t>(zone)].zone].type; }

  int origin(std::int32_t c, const Slot& slot) const {
    const std::int32_t zone = zone_of(c);
    int origin = from_elsewhere;
    if (zone == slot.zone) origin = here;
    else if (is_mentioned(zone)) origin = left_over;
    else if (is_deck(zone)) origin = from_deck;
    else if ((machine_.known(state_, c) & watchers_) != 0) origin = from_under_their_eyes;
    const bool said = slot.phrase != nullptr && slot.phrase->owner >= 0;
    if (!said && slot.owner >= 0 && component(c).owner >= 0 && component(c).owner != slot.owner) origin += of_another_owner;
    return origin;
  }

  /// How many flags the phrase does not speak of are `yes`: fewer are better.
  int flags(std::int32_t c, const PhraseTest& phrase) const {
    int n = 0;
    const auto& attributes = rules_.component_types[component(c).type].attributes;
    for (rules::AttrId a = 0; a < attributes.size(); ++a) {
      if (attributes[a].type.base != rules::Base::flag || attributes[a].type.shape != rules::Shape::scalar) continue;
      const bool said = std::any_of(phrase.attributes.begin(), phrase.attributes.end(), [&](const auto& p) { return p.first == a; });
      if (!said && component(c).attributes[a] == 1) ++n;
    }
    return n;
  }

  std::vector<std::int32_t> candidates(const Slot& slot, std::int64_t question) {
    std::vector<std::int32_t> found;
    for (std::int32_t c = 0; c < std::ssize(box_.components); ++c) {
      if (slot.phrase->fits_printed(component(c))) found.push_back(c);
    }
    // a component that lies there already with the wanted face is the best one
    const auto key = [&](std::int32_t c) {
      const bool other_face = slot.phrase->face && machine_.face(state_, c) != *slot.phrase->face;
      return std::tuple(origin(c, slot) >= of_another_owner, flags(c, *slot.phrase), origin(c, slot), other_face);
    };
    std::stable_sort(found.begin(), found.end(), [&](std::int32_t a, std::int32_t b) { return key(a) < key(b); });
    if (found.size() < 2) return found;
    // which of several different ones the phrase means is open
    std::vector<std::int32_t> firsts;
    std::vector<std::uint64_t> weights;
    for (const std::int32_t c : found) {
      if (key(c) != key(found[0]) || taken_[static_cast<std::size_t>(c)]) continue;
      const auto same = std::find_if(firsts.begin(), firsts.end(), [&](std::int32_t f) { return front_class(f) == front_class(c); });
      if (same != firsts.end()) {
        ++weights[static_cast<std::size_t>(same - firsts.begin())];
      } else {
        firsts.push_back(c);
        weights.push_back(1);
      }
    }
    if (firsts.size() > 1) {
      const std::int32_t chosen = open_.pick_component(question, firsts, weights);
      found.erase(std::find(found.begin(), found.end(), chosen));
      found.insert(found.begin(), chosen);
    }
    return found;
  }

  /// A name for what is open about a slot: its place among those of its zone.
  std::int64_t question_of(std::size_t slot) const {
    std::int64_t n = 0;
    for (std::size_t i = 0; i < slot; ++i) n += slots_[i].zone == slots_[slot].zone ? 1 : 0;
    return slots_[slot].zone * std::int64_t{4096} + n;
  }
  static constexpr std::int64_t kReturned = std::int64_t{1} << 40;

  // Kuhn's matching: a slot that finds its candidates taken asks the others to move on.
  bool assign(std::size_t slot, std::vector<bool>& asked) {
    for (const std::int32_t c : choices_[slot]) {
      if (asked[static_cast<std::size_t>(c)]) continue;
      asked[static_cast<std::size_t>(c)] = true;
      const auto holder = held_by_.find(c);
      if (holder != held_by_.end() && !assign(holder->second, asked)) continue;
      held_by_[c] = slot;
      slots_[slot].component = c;
      taken_[static_cast<std::size_t>(c)] = true;
      return true;
    }
    return false;
  }

  bool match_phrases() {
    choices_.assign(slots_.size(), {});
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].phrase == nullptr) continue;
      choices_[i] = candidates(slots_[i], question_of(i));
      std::vector<bool> asked(box_.components.size(), false);
      if (!assign(i, asked)) return fail(slots_[i].span, "there is no such component left to be given");
    }
    return true;
  }

  void fill_with_any() {
    for (Slot& slot : slots_) {
      if (slot.phrase != nullptr) continue;
      for (const std::uint16_t c : machine_.zone_cards(state_, slot.zone)) {
        if (taken_[c]) continue;
        take(slot, c);
        break;
      }
    }
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      Slot& slot = slots_[i];
      if (slot.component != kNobody) continue;
      int best = 1000;
      std::vector<std::int32_t> pool;
      for (std::int32_t c = 0; c < std::ssize(box_.components); ++c) {
        if (taken_[static_cast<std::size_t>(c)] || component(c).type != type_of(slot.zone)) continue;
        const int from = origin(c, slot);
        if (from < best) pool.clear();
        best = std::min(best, from);
        if (from == best) pool.push_back(c);
      }
      if (pool.empty()) {
        fail(slot.span, "there is no component left to be given");
        return;
      }
      std::vector<std::int32_t> firsts;
      std::vector<std::uint64_t> weights;
      for (const std::int32_t c : pool) {
        if (!firsts.empty() && front_class(firsts.back()) == front_class(c)) {
          ++weights.back();
        } else {
          firsts.push_back(c);
          weights.push_back(1);
        }
      }
      take(slot, open_.pick_component(question_of(i), firsts, weights));
    }
  }

  void take(Slot& slot, std::int32_t c) {
    slot.component = c;
    taken_[static_cast<std::size_t>(c)] = true;
  }

  void find_leavers() {
    for (const std::int32_t zone : mentioned_) {
      for (const std::uint16_t c : machine_.zone_cards(state_, zone)) {
        if (!taken_[c]) leavers_.push_back(c);
      }
    }
  }

  std::int32_t home_of(std::int32_t c) const {
    const Component& it = component(c);
    const rules::ZoneId zone = rules_.decks[it.deck].zone;
    if (rules_.zones[zone].index.empty() || it.owner < 0) return static_cast<std::int32_t>(box_.first_zone[zone]);
    return box_.instance(rules_, zone, {it.owner});
  }

  /// What may lie where a component is taken from: cards of its deck, or of another pile that nobody mentioned.
  std::vector<std::int32_t> in_return(const Slot& slot, std::int32_t from) const {
    std::vector<std::int32_t> pool;
    const auto add = [&](std::int32_t zone) {
      if (is_mentioned(zone) || zone == from) return;
      for (const std::uint16_t c : machine_.zone_cards(state_, zone)) {
        if (!taken_[c] && component(c).type == component(slot.component).type && component(c).owner == component(slot.component).owner) pool.push_back(c);
      }
    };
    add(home_of(slot.component));
    for (std::size_t z = 0; z < program_.zones.size() && pool.empty(); ++z) {
      if (program_.zones[z].kind == ir::ZoneKind::pile && program_.zones[static_cast<std::size_t>(from)].kind != ir::ZoneKind::pile) add(static_cast<std::int32_t>(z));
    }
    return pool;
  }

  /// What comes from a deck changes places with what goes back there, so the deck keeps its order; what comes from a place
  /// nobody mentioned leaves another card there.
  void exchange() {
    for (const Slot& slot : slots_) {
      const std::int32_t from = zone_of(slot.component);
      if (is_mentioned(from)) continue;
      const bool deck = is_deck(from);
      // best what belongs there, then what leaves the same zone
      auto give = leavers_.end();
      int best = 0;
      for (auto it = leavers_.begin(); it != leavers_.end(); ++it) {
        const bool like = component(*it).type == component(slot.component).type && component(*it).owner == component(slot.component).owner;
        const int fit = deck && home_of(*it) == from ? 3 : like && zone_of(*it) == slot.zone ? 2 : like ? 1 : 0;
        if (fit <= best) continue;
        best = fit;
        give = it;
      }
      if (!deck && (machine_.known(state_, slot.component) & watchers_) != 0) disturbs = true;
      if (give != leavers_.end()) {
        machine_.exchange(state_, slot.component, *give);
        machine_.forget(state_, *give);
        leavers_.erase(give);
      } else if (!deck) {
        const std::vector<std::int32_t> pool = in_return(slot, from);
        if (pool.empty()) continue;  // nothing of its kind lies in reserve: the place holds one card less
        const std::int64_t question = kReturned + question_of(static_cast<std::size_t>(&slot - slots_.data()));
        machine_.exchange(state_, slot.component, open_.pick_component(question, pool, std::vector<std::uint64_t>(pool.size(), 1)));
      }
    }
  }

  std::int64_t face_for(const Slot& slot, std::int32_t at) const {
    const ir::Zone& zone = program_.zones[static_cast<std::size_t>(slot.zone)];
    const ir::ComponentType& type = program_.types[component(slot.component).type];
    if (slot.phrase != nullptr && slot.phrase->face) return *slot.phrase->face;
    if (type.die) return machine_.face(state_, slot.component);
    if (zone.face >= 0) return zone.face;
    if (zone.kind == ir::ZoneKind::hand) return type.hidden_side ? 1 : 0;
    return at == slot.zone ? machine_.face(state_, slot.component) : type.hidden_side ? 1 : 0;
  }

  /// A pile of which only `any` is asked, and only what lay there, stays as it is: its order is as open as before.
  bool stays(std::int32_t zone) const {
    if (program_.zones[static_cast<std::size_t>(zone)].kind != ir::ZoneKind::pile) return false;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].zone == zone && (slots_[i].phrase != nullptr || came_from_[i] != zone)) return false;
    }
    return true;
  }

  bool put_in_order() {
    for (const std::int32_t zone : mentioned_) {
      if (stays(zone)) continue;
      std::int32_t position = 0;
      for (std::size_t i = 0; i < slots_.size(); ++i) {
        const Slot& slot = slots_[i];
        if (slot.zone != zone) continue;
        const auto face = static_cast<int>(face_for(slot, came_from_[i]));
        const std::vector<std::uint16_t> there = machine_.zone_cards(state_, zone);
        const bool taken = rules_.zones[box_.zones[static_cast<std::size_t>(zone)].zone].kind == ast::ZoneKind::place && !there.empty();
        if (taken && there[0] != slot.component) machine_.exchange(state_, slot.component, there[0]);
        if (!machine_.place(state_, slot.component, zone, position, face)) return full(slot.span, zone);
        machine_.forget(state_, slot.component);
        ++position;
      }
    }
    return true;
  }
  bool full(Span span, std::int32_t zone) { return fail(span, fmt::format("{} has no room for it", program_.zones[static_cast<std::size_t>(zone)].name)); }

  bool send_home() {
    for (const std::int32_t c : leavers_) {
      const std::int32_t home = home_of(c);
      if (is_mentioned(home)) {
        return fail(error_span(), fmt::format("{} is left without a home: {} is given as well", program_.components[static_cast<std::size_t>(c)].phrase,
                                              program_.zones[static_cast<std::size_t>(home)].name));
      }
      const auto under = static_cast<std::int32_t>(machine_.zone_cards(state_, home).size());
      const ir::ComponentType& type = program_.types[component(c).type];
      if (!machine_.place(state_, c, home, under, type.die ? machine_.face(state_, c) : type.hidden_side ? 1 : 0)) return full(error_span(), home);
      machine_.forget(state_, c);
    }
    return true;
  }
  Span error_span() const { return slots_.empty() ? Span{} : slots_.front().span; }

  const Playable& playable_;
  const rules::Rules& rules_;
  const Box& box_;
  const ir::Program& program_;
  Machine& machine_;
  State& state_;
  Free& open_;
  std::uint32_t watchers_;
  std::vector<std::int32_t> mentioned_;
  std::vector<Slot> slots_;
  std::vector<std::vector<std::int32_t>> choices_;
  std::map<std::int32_t, std::size_t> held_by_;
  std::vector<bool> taken_;
  std::vector<std::int32_t> came_from_;  ///< by slot: where its component lay
  std::vector<std::int32_t> leavers_;
  ArrangeError error_;
};

ArrangeError set_one(const GivenScript& given, const Playable& playable, Machine& machine, State& state) {
  const auto var = static_cast<std::int32_t>(given.var.var);
  const ir::Var& known = playable.program->vars[given.var.var];
  const std::vector<std::int32_t> cells = positions(given.var, playable, machine, state);
  if (given.set) {
    for (const std::int32_t at : cells) machine.set_var_set(state, var, at, machine.members(state, given.value));
    return {};
  }
  std::vector<std::int64_t> values;
  if (given.many) values = machine.members(state, given.value);
  else values.push_back(machine.scalar(state, given.value));
  if (values.size() != cells.size()) return {fmt::format("{} values for {} of `{}`", values.size(), cells.size(), known.name), given.span};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool fits = values[i] == ir::kNone ? known.optional : known.component || (values[i] >= known.low && values[i] <= known.high);
    if (!fits) return {fmt::format("`{}` is {}..{}, not {}", known.name, known.low, known.high, values[i]), given.span};
    machine.set_var(state, var, cells[i], values[i]);
  }
  return {};
}

}  // namespace

ArrangeError set_variables(const std::vector<const GivenScript*>& givens, const Playable& playable, Machine& machine, State& state) {
  for (const GivenScript* given : givens) {
    if (given->cards || given->picks_pass) continue;
    if (ArrangeError error = set_one(*given, playable, machine, state); !error.message.empty()) return error;
  }
  return {};
}

ArrangeError lay_cards(const std::vector<const GivenScript*>& givens, const Playable& playable, Machine& machine, State& state, Free& open,
                       std::uint32_t watchers, bool* disturbs) {
  Arranger arranger(playable, machine, state, open, watchers);
  ArrangeError error = arranger.lay(givens);
  if (disturbs != nullptr) *disturbs = *disturbs || arranger.disturbs;
  return error;
}

}  // namespace rip::verify
