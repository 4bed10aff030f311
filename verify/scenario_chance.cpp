// Chance in a scenario: what `next` names, what another run had, or free.
#include "verify/scenario_run.h"

#include <fmt/format.h>

#include <algorithm>

namespace rip::verify {

bool ScenarioRun::settle(Span span) {
  std::vector<Outcome> outcomes;
  machine_.outcomes(state_, outcomes);
  const ChanceKind what = chance_what(state_);
  const std::int32_t where = chance_where(state_);
  std::uint32_t index = 0;
  bool named = false;
  if (what == ChanceKind::roll && !rolls_.empty()) {
    const auto face = std::find_if(outcomes.begin(), outcomes.end(), [&](const Outcome& o) { return o.value == rolls_.front(); });
    if (face == outcomes.end()) return fail(span, fmt::format("this die cannot show {}", rolls_.front()));
    rolls_.pop_front();
    index = static_cast<std::uint32_t>(face - outcomes.begin());
    named = true;
  }
  const auto queue = what == ChanceKind::settle ? queues_.find(where) : queues_.end();
  if (queue != queues_.end()) {
    if (!count_yields(span, where)) return false;
    if (!queue->second.items.empty()) {
      named = queue->second.items.front().phrase.has_value();
      if (named && !settle_named(span, where, outcomes, index)) return false;
      queue->second.items.pop_front();
    }
  }
  if (!named) index = follow(outcomes);
  if (queue != queues_.end()) queue->second.chosen.insert(static_cast<std::uint16_t>(outcomes[index].value));
  if (notes_) {
    Chance note{what, where, outcomes[index].value, {}};
    for (const Outcome& outcome : outcomes) note.all.push_back(outcome.value);
    chances_.push_back(std::move(note));
  }
  if (past_setup_) tell("  chance: " + outcomes[index].text);
  if (origin_) tape_.push_back({-1, index, static_cast<std::uint32_t>(outcomes.size()), {}, outcomes[index].value});
  machine_.choose_outcome(state_, index);
  return true;
}

/// One of the outcomes that fit what `next Z` names; a component that lies elsewhere is exchanged with one that could come.
bool ScenarioRun::settle_named(Span span, std::int32_t zone, std::vector<Outcome>& outcomes, std::uint32_t& index) {
  const PhraseTest wanted = *queues_[zone].items.front().phrase;
  for (int round = 0; round < 2; ++round) {
    std::vector<std::uint32_t> fit;
    std::vector<std::uint64_t> weights;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      if (!fits(wanted, playable_, machine_, state_, outcomes[i].value)) continue;
      fit.push_back(static_cast<std::uint32_t>(i));
      weights.push_back(outcomes[i].weight);
    }
    if (!fit.empty()) {
      index = fit[open_.pick(weights)];
      return true;
    }
    if (round == 0) {
      const std::int32_t instead = outcomes[follow(outcomes)].value;
      const std::int32_t brought = bring(wanted, zone, instead);
      if (brought < 0) break;
      // the exchange is no yield
      std::set<std::uint16_t>& members = queues_[zone].members;
      members.erase(static_cast<std::uint16_t>(instead));
      members.insert(static_cast<std::uint16_t>(brought));
      machine_.outcomes(state_, outcomes);
    }
  }
  return fail(span, fmt::format("{} cannot yield `{}`", playable_.program->zones[static_cast<std::size_t>(zone)].name, sources_.text(wanted.span)));
}

/// Exchanges `instead` with a component that fits and lies elsewhere, best in a deck; its id, or -1.
std::int32_t ScenarioRun::bring(const PhraseTest& wanted, std::int32_t zone, std::int32_t instead) {
  std::int32_t found = -1;
  for (std::int32_t c = 0; c < std::ssize(playable_.box.components); ++c) {
    if (!wanted.fits_printed(playable_.box.components[static_cast<std::size_t>(c)])) continue;
    const std::int32_t lies = machine_.zone_of(state_, c);
    if (lies == zone) continue;
    const bool deck = playable_.program->zones[static_cast<std::size_t>(lies)].deck;
    if (found < 0 || deck) found = c;
    if (deck) break;
  }
  if (found < 0) return -1;
  machine_.exchange(state_, found, instead);
  return found;
}

/// The outcome that the followed run had, or a free one.
std::uint32_t ScenarioRun::follow(const std::vector<Outcome>& outcomes) {
  const ChanceKind what = chance_what(state_);
  const std::int32_t where = chance_where(state_);
  if (original_.run != nullptr) {
    std::size_t& used = original_.used[{static_cast<int>(what), where}];
    std::size_t n = 0;
    for (const Chance& before : original_.run->chances_) {
      if (before.what != what || before.where != where) continue;
      if (n++ != used) continue;
      ++used;
      const auto same = std::find_if(outcomes.begin(), outcomes.end(), [&](const Outcome& o) { return o.value == before.value; });
      if (same != outcomes.end()) return static_cast<std::uint32_t>(same - outcomes.begin());
      // what is only possible here stands for what was only possible there
      std::vector<std::uint32_t> only_here;
      for (std::size_t i = 0; i < outcomes.size(); ++i) {
        if (std::find(before.all.begin(), before.all.end(), outcomes[i].value) == before.all.end()) only_here.push_back(static_cast<std::uint32_t>(i));
      }
      if (!only_here.empty()) return only_here[0];
      break;
    }
  }
  std::vector<std::uint64_t> weights;
  for (const Outcome& outcome : outcomes) weights.push_back(outcome.weight);
  return open_.pick(weights);
}

bool ScenarioRun::queue_cards(const StepScript& step) {
  const std::vector<std::int32_t> zones = instances(step.next.zone, playable_, machine_, state_);
  if (zones.size() != 1) return fail(step.span, "`next` takes one zone; write its index");
  const std::int32_t zone = zones[0];
  Queue& queue = queues_[zone];
  queue.span = step.span;
  const std::vector<std::uint16_t> cards = machine_.zone_cards(state_, zone);
  if (queue.items.empty()) queue.members = {cards.begin(), cards.end()};
  const auto n = static_cast<std::int32_t>(cards.size());
  std::int32_t position = static_cast<std::int32_t>(queue.items.size());
  std::set<std::uint16_t> named;
  for (const CardsWanted::Item& item : step.next.items) {
    for (std::int64_t k = 0; k < item.count; ++k, ++position) {
      CardsWanted::Item one = item;
      one.count = 1;
      queue.items.push_back(one);
      if (!item.phrase || position >= n) continue;
      // in a bag it is enough that one fits; a known order gets the named card where it will be drawn
      const std::vector<std::uint16_t> now = machine_.zone_cards(state_, zone);
      const bool bag = lies_in_bag(*playable_.program, state_, zone, n - 1 - position);
      const std::uint16_t next = now[static_cast<std::size_t>(position)];
      if (!bag && item.phrase->fits_printed(playable_.box.components[next])) {
        named.insert(next);
        continue;
      }
      std::int32_t there = -1;
      for (std::int32_t i = 0; i < n; ++i) {
        const std::uint16_t c = now[static_cast<std::size_t>(i)];
        if (named.contains(c) || !item.phrase->fits_printed(playable_.box.components[c])) continue;
        if (bag == lies_in_bag(*playable_.program, state_, zone, n - 1 - i)) {
          there = c;
          break;
        }
      }
      if (there >= 0) {
        if (!bag) machine_.exchange(state_, there, next);
      } else {
        const auto free = std::find_if(now.begin(), now.end(), [&](std::uint16_t c) { return !named.contains(c); });
        there = bring(*item.phrase, zone, bag && free != now.end() ? *free : next);
        if (there < 0) return fail(item.span, "there is no such component");
      }
      named.insert(static_cast<std::uint16_t>(there));
    }
  }
  const std::vector<std::uint16_t> now = machine_.zone_cards(state_, zone);
  queue.members = {now.begin(), now.end()};
  return true;
}

/// What has left a pile without a chance point: its order was known, or all that could come were equal.
bool ScenarioRun::count_yields(Span span, std::int32_t zone) {
  Queue& queue = queues_[zone];
  const std::vector<std::uint16_t> now = machine_.zone_cards(state_, zone);
  const std::set<std::uint16_t> here(now.begin(), now.end());
  for (const std::uint16_t c : queue.members) {
    if (here.contains(c)) continue;
    if (queue.chosen.erase(c) > 0 || queue.items.empty()) continue;
    const CardsWanted::Item item = queue.items.front();
    queue.items.pop_front();
    if (item.phrase && !item.phrase->fits_printed(playable_.box.components[c])) {
      return fail(span, fmt::format("{} has yielded {}, not `{}`", playable_.program->zones[static_cast<std::size_t>(zone)].name,
                                    playable_.program->components[c].phrase, sources_.text(item.span)));
    }
  }
  queue.members = here;
  return true;
}

}  // namespace rip::verify
