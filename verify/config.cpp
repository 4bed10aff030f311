// Parameters from words: `--set NAME=VALUE` and back.
#include "verify/game.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace rip::verify {

namespace {

using rules::Base;

std::string range_text(const rules::Rules& rules, const rules::Type& type, int players) {
  std::string out;
  switch (type.base) {
    case Base::flag: out = "`yes` or `no`"; break;
    case Base::seat: out = fmt::format("a seat 0..{}", players - 1); break;
    case Base::side: out = "`up` or `down`"; break;
    case Base::enumeration: {
      const auto& names = rules.enums[type.id].values;
      for (std::int64_t v = type.low; v <= type.high; ++v) {
        out += fmt::format("{}`{}`", out.empty() ? "" : v == type.high ? " or " : ", ", names[static_cast<std::size_t>(v)]);
      }
      break;
    }
    default: out = fmt::format("{}..{}", type.low, type.high);
  }
  return type.optional ? out + " or `none`" : out;
}

std::optional<std::int64_t> value_of(const rules::Rules& rules, const rules::Type& type, const std::string& word) {
  if (word == "none" && type.optional) return rules::kNone;
  if (type.base == Base::flag && (word == "yes" || word == "no")) return word == "yes" ? 1 : 0;
  if (type.base == Base::side && (word == "up" || word == "down")) return word == "up" ? 0 : 1;
  if (type.base == Base::enumeration) {
    const auto& names = rules.enums[type.id].values;
    const auto at = std::find(names.begin(), names.end(), word);
    if (at == names.end()) return std::nullopt;
    return at - names.begin();
  }
  if (type.base == Base::flag || type.base == Base::side) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (fault != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return number;
}

/// Sets one parameter; the sentence that says why not.
std::string set_param(const rules::Rules& rules, rules::Config& config, const std::string& setting) {
  const auto equals = setting.find('=');
  if (equals == std::string::npos) return fmt::format("`{}` is no setting; write NAME=VALUE", setting);
  const std::string name(trimmed(std::string_view(setting).substr(0, equals)));
  std::string text(trimmed(std::string_view(setting).substr(equals + 1)));
  const auto at = std::find_if(rules.params.begin(), rules.params.end(), [&](const rules::Param& p) { return p.name == name; });
  if (at == rules.params.end()) {
    if (rules.params.empty()) return fmt::format("unknown parameter `{}`; this game has none", name);
    std::vector<std::string_view> names;
    std::string list;
    for (const rules::Param& p : rules.params) {
      names.push_back(p.name);
      list += fmt::format("{}`{}`", list.empty() ? "" : ", ", p.name);
    }
    const std::string_view near = nearest(name, names);
    return near.empty() ? fmt::format("unknown parameter `{}`; there are {}", name, list)
                        : fmt::format("unknown parameter `{}`; did you mean `{}`?", name, near);
  }
  const auto id = static_cast<std::size_t>(at - rules.params.begin());
  if (!text.empty() && text.front() == '[' && text.back() == ']') text = text.substr(1, text.size() - 2);
  std::vector<std::int64_t> values;
  for (const std::string& part : split_at_commas(text)) {
    const std::string word(trimmed(part));
    const std::optional<std::int64_t> value = value_of(rules, at->type, word);
    const auto [low, high] = param_range(rules, static_cast<rules::ParamId>(id), config.players);
    if (!value || (*value != rules::kNone && (*value < low || *value > high))) {
      return fmt::format("`{}` is {}, not `{}`", name, range_text(rules, at->type, config.players), word);
    }
    values.push_back(*value);
  }
  std::vector<std::int64_t>& into = config.params[id];
  if (values.size() != into.size()) {
    return at->index.empty() ? fmt::format("`{}` takes one value, not {}", name, values.size())
                             : fmt::format("`{}` is a table of {} values, not {}", name, into.size(), values.size());
  }
  into = std::move(values);
  return "";
}

}  // namespace

std::pair<std::int64_t, std::int64_t> param_range(const rules::Rules& rules, rules::ParamId param, int players) {
  const rules::Type& type = rules.params[param].type;
  if (type.base == Base::flag || type.base == Base::side) return {0, 1};
  if (type.base == Base::seat) return {0, players - 1};
  return {type.low, type.high};
}

Configured configure(const rules::Rules& rules, int players, const std::vector<std::string>& settings) {
  if (players == 0) players = static_cast<int>(rules.players_usual);
  if (players < rules.players_low || players > rules.players_high) {
    return {{}, rules.players_low == rules.players_high
                    ? fmt::format("this game is for {} players, not {}", rules.players_low, players)
                    : fmt::format("this game is for {} to {} players, not {}", rules.players_low, rules.players_high, players)};
  }
  Configured out{default_config(rules, players), ""};
  for (const std::string& setting : settings) {
    out.error = set_param(rules, out.config, setting);
    if (!out.error.empty()) return out;
  }
  return out;
}

std::string param_text(const rules::Rules& rules, rules::ParamId param, const std::vector<std::int64_t>& values) {
  const rules::Param& p = rules.params[param];
  std::string out;
  for (const std::int64_t value : values) {
    if (!out.empty()) out += ",";
    // seats are numbers here: names belong to one game
    out += p.type.base == Base::seat && value != rules::kNone ? std::to_string(value) : value_text(rules, Box{}, p.type, value, {});
  }
  return p.index.empty() ? out : "[" + out + "]";
}

std::vector<std::pair<std::string, std::string>> params_of(const rules::Rules& rules, const rules::Config& config) {
  std::vector<std::pair<std::string, std::string>> out;
  for (rules::ParamId id = 0; id < rules.params.size(); ++id) out.emplace_back(rules.params[id].name, param_text(rules, id, config.params[id]));
  return out;
}

std::vector<std::string> settings_of(const rules::Rules& rules, const rules::Config& config) {
  const rules::Config usual = default_config(rules, config.players);
  std::vector<std::string> out;
  for (std::size_t i = 0; i < rules.params.size(); ++i) {
    if (config.params[i] == usual.params[i]) continue;
    out.push_back(rules.params[i].name + "=" + param_text(rules, static_cast<rules::ParamId>(i), config.params[i]));
  }
  return out;
}

}  // namespace rip::verify
