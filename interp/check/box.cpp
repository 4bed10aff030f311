#include "interp/check/box.h"

#include "interp/check/constant.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

namespace rip {

namespace {

using rules::Base;
using rules::kNoId;
using rules::Rules;

/// Builds a Box step by step; throws ConstantFault where the configuration cannot be played.
class BoxMaker {
 public:
  BoxMaker(const Rules& rules, const rules::Config& config) : rules_(rules), config_(config), constants_(rules, config) {}

  Box make() {
    box_.players = config_.players;
    test_params();
    test_requirements();
    fill_decks();
    number_components();
    lay_out_zones();
    return std::move(box_);
  }

 private:
  /// One pile of one deck, before components have their final ids.
  struct Pile {
    rules::ZoneId zone;
    std::vector<std::int64_t> index;
    std::vector<std::uint32_t> contents;
  };

  void test_params() {
    if (config_.players < rules_.players_low || config_.players > rules_.players_high)
      throw ConstantFault{{}, fmt::format("{} players, but the game is for {}..{}", config_.players, rules_.players_low,
                                          rules_.players_high)};
    for (std::size_t i = 0; i < rules_.params.size(); ++i) {
      const rules::Param& param = rules_.params[i];
      const std::size_t given = i < config_.params.size() ? config_.params[i].size() : 0;
      const std::size_t wanted = family_size(param.index, param.span);
      if (given != wanted)
        throw ConstantFault{param.span, fmt::format("the table `{}` has {} values, but its index has {}", param.name, given, wanted)};
      for (const std::int64_t v : config_.params[i]) test_param(param, v);
    }
  }

  void test_param(const rules::Param& param, std::int64_t v) {
    if (v == rules::kNone) {
      if (param.type.optional) return;
      throw ConstantFault{param.span, fmt::format("the parameter `{}` may not be `none`", param.name)};
    }
    const std::int64_t high = param.type.base == Base::seat ? config_.players - 1 : param.type.high;
    if (v < param.type.low || v > high)
      throw ConstantFault{param.span, fmt::format("the parameter `{}` is {}, but must be in {}..{}", param.name,
                                                  value_text(rules_, box_, param.type, v, {}),
                                                  value_text(rules_, box_, param.type, param.type.low, {}),
                                                  value_text(rules_, box_, param.type, high, {}))};
  }

  void test_requirements() {
    for (const rules::Require& require : rules_.requires_)
      if (constants_.scalar(require.condition, {}) == 0)
        throw ConstantFault{require.span, fmt::format("the requirement \"{}\" is not met", require.text)};
  }

  std::size_t family_size(const std::vector<rules::Type>& index, Span span) const {
    std::size_t size = 1;
    for (const rules::Type& type : index) {
      std::size_t axis = 0;
      if (type.base == Base::component)
        axis = type.id < box_.of_type.size() ? box_.of_type[type.id].second - box_.of_type[type.id].first : 0;
      else
        axis = constants_.members(type, span).size();
      size *= axis;
      if (size > std::numeric_limits<std::uint32_t>::max()) throw ConstantFault{span, "the family is too large"};
    }
    return size;
  }

  void fill_decks() {
    for (std::size_t d = 0; d < rules_.decks.size(); ++d) {
      const rules::Deck& deck = rules_.decks[d];
      const rules::Zone& zone = rules_.zones[deck.zone];
      for (const rules::Type& type : zone.index)
        if (type.base == Base::component) throw ConstantFault{zone.span, "a deck cannot be indexed by components"};
      if (family_size(zone.index, zone.span) > kMaxZones) throw ConstantFault{zone.span, "too many piles"};
      for (std::vector<std::int64_t>& index : index_values(rules_, box_, zone.index)) {
        piles_.push_back({deck.zone, std::move(index), {}});
        fill_pile(static_cast<rules::DeckId>(d), piles_.back());
      }
    }
  }

  void fill_pile(rules::DeckId id, Pile& pile) {
    const rules::Deck& deck = rules_.decks[id];
    const rules::Zone& zone = rules_.zones[deck.zone];
    Component model;
    model.type = deck.type;
    model.deck = id;
    Constants::Names names;
    for (std::size_t i = 0; i < zone.index.size(); ++i) {
      if (zone.index[i].base == Base::seat && model.owner < 0) model.owner = static_cast<int>(pile.index[i]);
      if (i < deck.index_locals.size()) names[deck.index_locals[i]] = {{pile.index[i]}, false};
    }
    for (const rules::CsvRow& row : deck.rows) {
      Component component = blank(model);
      for (const auto& [attribute, v] : row.values) component.attributes[attribute] = v;
      for (const auto& [attribute, text] : row.texts) component.texts[attribute] = text;
      add(pile, component, row.count, zone.span);
    }
    for (const rules::DeckLine& line : deck.lines) {
      if (line.clause == kNoId) {
        add_line(pile, model, line, names);
      } else {
        for (const Constants::Names& binding : constants_.bindings(line.clause, names)) add_line(pile, model, line, binding);
      }
    }
  }

  void add_line(Pile& pile, const Component& model, const rules::DeckLine& line, const Constants::Names& names) {
    Component component = blank(model);
    for (const auto& [attribute, expr] : line.phrase.attributes)
      component.attributes[attribute] = attribute_value(model.type, attribute, expr, names);
    add(pile, component, constants_.scalar(line.count, names), line.span);
  }

  /// A component with the default of every attribute: what is declared, else the first value of its type.
  Component blank(const Component& model) {
    Component component = model;
    const std::vector<rules::Attribute>& attributes = rules_.component_types[model.type].attributes;
    component.texts.resize(attributes.size());
    for (rules::AttrId a = 0; a < attributes.size(); ++a) {
      const rules::Attribute& attribute = attributes[a];
      std::int64_t v = attribute.type.shape == rules::Shape::set ? 0 : attribute.type.low;
      if (attribute.type.base == Base::text) v = -1;
      else if (attribute.start) v = attribute_value(model.type, a, *attribute.start, {});
      component.attributes.push_back(v);
    }
    return component;
  }

  std::int64_t attribute_value(rules::TypeId type, rules::AttrId id, rules::ExprId expr, const Constants::Names& names) {
    const rules::Attribute& attribute = rules_.component_types[type].attributes[id];
    const std::int64_t high = attribute.type.base == Base::seat ? config_.players - 1 : attribute.type.high;
    const ConstantValue v = constants_.value(expr, names);
    std::int64_t mask = 0;
    for (const std::int64_t item : v.items) {
      if (item == rules::kNone && attribute.type.optional) continue;
      if (item < attribute.type.low || item > high)
        throw ConstantFault{rules_[expr].span, fmt::format("`{}` is {}, but must be in {}..{}", attribute.name,
                                                           value_text(rules_, box_, attribute.type, item, {}),
                                                           value_text(rules_, box_, attribute.type, attribute.type.low, {}),
                                                           value_text(rules_, box_, attribute.type, high, {}))};
      if (attribute.type.shape == rules::Shape::set)
        mask |= static_cast<std::int64_t>(std::uint64_t{1} << (item - attribute.type.low));
    }
    if (attribute.type.shape == rules::Shape::set) return mask;
    if (v.items.empty()) throw ConstantFault{rules_[expr].span, "there is no value here"};
    return v.items[0];
  }

  void add(Pile& pile, const Component& component, std::int64_t count, Span span) {
    if (count < 0) throw ConstantFault{span, fmt::format("{} components, but a count cannot be negative", count)};
    if (count > kMaxComponents - std::ssize(box_.components))
      throw ConstantFault{span, fmt::format("more than {} components in the box", kMaxComponents)};
    for (std::int64_t i = 0; i < count; ++i) {
      pile.contents.push_back(static_cast<std::uint32_t>(box_.components.size()));
      box_.components.push_back(component);
    }
  }

  void number_components() {
    std::vector<std::uint32_t> order(box_.components.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t x, std::uint32_t y) {
      const Component &a = box_.components[x], &b = box_.components[y];
      return std::tie(a.type, a.attributes, a.owner, a.texts, a.deck) < std::tie(b.type, b.attributes, b.owner, b.texts, b.deck);
    });
    std::vector<std::uint32_t> new_id(order.size());
    std::vector<Component> sorted;
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      new_id[order[i]] = i;
      sorted.push_back(box_.components[order[i]]);
    }
    box_.components = std::move(sorted);
    for (Pile& pile : piles_)
      for (std::uint32_t& component : pile.contents) component = new_id[component];
    for (rules::TypeId t = 0; t < rules_.component_types.size(); ++t) {
      const auto before = [](const Component& c, rules::TypeId type) { return c.type < type; };
      const auto first = std::lower_bound(box_.components.begin(), box_.components.end(), t, before);
      const auto last = std::lower_bound(first, box_.components.end(), t + 1, before);
      box_.of_type.emplace_back(static_cast<std::uint32_t>(first - box_.components.begin()),
                                static_cast<std::uint32_t>(last - box_.components.begin()));
    }
  }

  void lay_out_zones() {
    for (rules::ZoneId z = 0; z < rules_.zones.size(); ++z) {
      const rules::Zone& zone = rules_.zones[z];
      box_.first_zone.push_back(static_cast<std::uint32_t>(box_.zones.size()));
      const auto [first, last] = box_.of_type[zone.type];
      const int capacity = zone.kind == ast::ZoneKind::place ? 1 : static_cast<int>(last - first);
      if (family_size(zone.index, zone.span) + box_.zones.size() > kMaxZones)
        throw ConstantFault{zone.span, fmt::format("more than {} places where components can lie", kMaxZones)};
      for (std::vector<std::int64_t>& index : index_values(rules_, box_, zone.index))
        box_.zones.push_back({z, std::move(index), capacity});
    }
    box_.first_zone.push_back(static_cast<std::uint32_t>(box_.zones.size()));
    box_.contents.resize(box_.zones.size());
    for (Pile& pile : piles_)
      box_.contents[static_cast<std::size_t>(box_.instance(rules_, pile.zone, pile.index))] = std::move(pile.contents);
  }

  const Rules& rules_;
  const rules::Config& config_;
  Constants constants_;
  Box box_;
  std::vector<Pile> piles_;
};

/// The values one index runs through: first value and how many.
std::pair<std::int64_t, std::int64_t> axis(const Box& box, const rules::Type& type) {
  if (type.base == Base::component) {
    const auto [first, last] = box.of_type[type.id];
    return {first, last - first};
  }
  if (type.base == Base::seat) return {0, box.players};
  return {type.low, std::max<std::int64_t>(0, type.high - type.low + 1)};
}

}  // namespace

bool Box::equal(std::uint32_t a, std::uint32_t b) const {
  const Component &x = components[a], &y = components[b];
  return x.type == y.type && x.owner == y.owner && x.attributes == y.attributes && x.texts == y.texts;
}

int Box::instance(const rules::Rules& rules, rules::ZoneId zone, const std::vector<std::int64_t>& index) const {
  std::int64_t at = 0;
  for (std::size_t i = 0; i < index.size(); ++i) {
    const auto [low, size] = axis(*this, rules.zones[zone].index[i]);
    if (index[i] < low || index[i] >= low + size) return -1;
    at = at * size + (index[i] - low);
  }
  return static_cast<int>(first_zone[zone] + at);
}

rules::Config default_config(const rules::Rules& rules, int players) {
  rules::Config config;
  config.players = players;
  config.params.resize(rules.params.size());
  Box seats;
  seats.players = players;
  for (std::size_t i = 0; i < rules.params.size(); ++i) {
    const rules::Param& param = rules.params[i];
    std::size_t size = 1;
    for (const rules::Type& type : param.index) size *= static_cast<std::size_t>(axis(seats, type).second);
    std::vector<std::int64_t> values = constant_list(rules, config, param.value);
    if (!param.index.empty() && rules[param.value].type.shape == rules::Shape::scalar && values.size() == 1)
      values.assign(std::min<std::size_t>(size, 1 << 20), values[0]);
    // A table by seats is written for the largest number of players.
    if (param.index.size() == 1 && param.index[0].base == Base::seat && values.size() > size) values.resize(size);
    config.params[i] = std::move(values);
  }
  return config;
}

std::pair<Box, BoxError> make_box(const rules::Rules& rules, const rules::Config& config) {
  try {
    return {BoxMaker(rules, config).make(), {}};
  } catch (const ConstantFault& fault) {
    return {Box{}, {fault.span, fault.message}};
  }
}

std::vector<std::vector<std::int64_t>> index_values(const rules::Rules&, const Box& box, const std::vector<rules::Type>& index) {
  std::vector<std::vector<std::int64_t>> out{{}};
  for (const rules::Type& type : index) {
    const auto [low, size] = axis(box, type);
    std::vector<std::vector<std::int64_t>> longer;
    for (const std::vector<std::int64_t>& head : out)
      for (std::int64_t v = low; v < low + size; ++v) {
        longer.push_back(head);
        longer.back().push_back(v);
      }
    out = std::move(longer);
  }
  return out;
}

}  // namespace rip
