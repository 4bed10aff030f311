#include "verify/symmetry.h"

#include <algorithm>
#include <map>

namespace rip::verify {

namespace {

using Key = std::vector<std::int64_t>;  ///< all that tells a component from others, but for the value

/// A component that bears a value of the enum: which, and the rest of it.
struct Bearer {
  std::int64_t value;
  Key rest;
  std::int32_t component;
};

std::vector<Bearer> bearers(const ir::Program& p, std::int32_t texts, const std::vector<std::int32_t>& read_tables) {
  std::vector<Bearer> found;
  for (const ir::ComponentType& type : p.types) {
    const auto at = std::find(type.table_texts.begin(), type.table_texts.end(), texts);
    if (at == type.table_texts.end()) continue;
    const std::int32_t table = type.tables[static_cast<std::size_t>(at - type.table_texts.begin())];
    std::map<std::pair<std::int64_t, Key>, std::int64_t> copies;
    for (std::int32_t c = type.first; c < type.last; ++c) {
      const ir::Component& component = p.components[static_cast<std::size_t>(c)];
      Key rest{component.type, component.owner};
      for (const std::int32_t other : type.tables) {
        const bool is_read = std::find(read_tables.begin(), read_tables.end(), other) != read_tables.end();
        if (other != table && is_read) rest.push_back(p.tables[static_cast<std::size_t>(other + c)]);
      }
      const std::int64_t value = p.tables[static_cast<std::size_t>(table + c)];
      const std::int64_t copy = copies[{value, rest}]++;
      rest.push_back(copy);
      found.push_back({value, std::move(rest), c});
    }
  }
  return found;
}

/// Values with the same components as the first of them; of several such lots the largest.
std::vector<std::int32_t> same_lots(const ir::Program& p, std::int32_t texts, const std::vector<Bearer>& all) {
  std::map<std::vector<Key>, std::vector<std::int32_t>> lots;
  for (std::int32_t value = 0; value < static_cast<std::int32_t>(p.value_texts[static_cast<std::size_t>(texts)].size()); ++value) {
    std::vector<Key> lot;
    for (const Bearer& bearer : all) {
      if (bearer.value == value) lot.push_back(bearer.rest);
    }
    std::sort(lot.begin(), lot.end());
    if (!lot.empty()) lots[std::move(lot)].push_back(value);
  }
  std::vector<std::int32_t> best;
  for (const auto& [lot, values] : lots) {
    if (values.size() > best.size()) best = values;
  }
  return best;
}

void find_places(const ir::Program& p, Symmetry& symmetry) {
  for (std::size_t v = 0; v < p.vars.size(); ++v) {
    const ir::Var& var = p.vars[v];
    if (var.texts == symmetry.texts) symmetry.holders.push_back(static_cast<std::int32_t>(v));
    for (std::size_t i = 0, stride = static_cast<std::size_t>(var.count); i < var.index.size(); ++i) {
      stride /= static_cast<std::size_t>(var.index[i].second);
      if (var.index_texts[i] != symmetry.texts) continue;
      symmetry.indexed.push_back({static_cast<std::int32_t>(v), static_cast<std::int32_t>(stride), var.index[i].first, var.index[i].second});
    }
  }
}

/// A family of variables with two such indices is not followed.
bool is_simple(const Symmetry& symmetry) {
  std::vector<std::int32_t> vars;
  for (const Symmetry::Indexed& indexed : symmetry.indexed) vars.push_back(indexed.var);
  std::sort(vars.begin(), vars.end());
  return std::adjacent_find(vars.begin(), vars.end()) == vars.end();
}

}  // namespace

std::vector<Symmetry> find_symmetries(const ir::Program& program, const std::vector<std::int32_t>& read_tables) {
  std::vector<Symmetry> found;
  for (const std::int32_t texts : program.interchangeable) {
    const std::vector<Bearer> all = bearers(program, texts, read_tables);
    Symmetry symmetry;
    symmetry.texts = texts;
    symmetry.values = same_lots(program, texts, all);
    if (symmetry.values.size() < 2) continue;
    std::map<Key, std::size_t> rows;
    std::map<Key, std::int32_t> first_copies;
    for (const Bearer& bearer : all) {
      const auto column = std::find(symmetry.values.begin(), symmetry.values.end(), bearer.value);
      if (column == symmetry.values.end()) continue;
      const auto [row, is_new] = rows.try_emplace(bearer.rest, symmetry.rows.size());
      if (is_new) {
        symmetry.rows.emplace_back(symmetry.values.size(), -1);
        const Key without_copy(bearer.rest.begin(), bearer.rest.end() - 1);
        symmetry.alike.push_back(first_copies.try_emplace(without_copy, static_cast<std::int32_t>(row->second)).first->second);
      }
      symmetry.rows[row->second][static_cast<std::size_t>(column - symmetry.values.begin())] = bearer.component;
    }
    find_places(program, symmetry);
    if (is_simple(symmetry)) found.push_back(std::move(symmetry));
  }
  return found;
}

}  // namespace rip::verify
