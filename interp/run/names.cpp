// Names of things as one seat may know them: by phrase where it can tell the front, else by place. Never by id, and never
// in an order that only ids have. Views, logs and texts of moves are made of these.
#include "interp/run/interpreter.h"

#include <algorithm>

namespace rip {

namespace {

constexpr int kDeepestName = 4;  ///< a place named by a component that lies in a place named by a component ...

/// Puts a word before the last `>` of a phrase: `<money 5>` becomes `<money 5 down>`.
std::string with_word(const std::string& phrase, const std::string& word) {
  const std::size_t end = phrase.rfind('>');
  if (end == std::string::npos) return phrase + " " + word;
  return phrase.substr(0, end) + (end > 0 && phrase[end - 1] != '<' ? " " : "") + word + phrase.substr(end);
}

}  // namespace

bool Interpreter::among(std::uint32_t seats, int seat) const {
  if (seat == kAllSeeing) return true;
  if (seat == kSpectator) return (seats & all_seats) == all_seats;
  return (seats >> seat & 1u) != 0;
}

bool Interpreter::in_bag(std::int32_t c) {
  const ir::Zone& zone = p.zones[zone_of(c)];
  return zone.bags >= 0 && bags(zone)[find(c)] != 0;
}

bool Interpreter::tells(std::int32_t c, int seat) {
  if (seat == kAllSeeing) return true;
  // of a bag something can be told once it has been drawn, and only by who sees it
  if (in_bag(c)) return ir::is_drawn(bags(p.zones[zone_of(c)])[find(c)]) && among(sees_front(c), seat);
  if (among(sees_front(c), seat)) return true;
  // what is known of an unseen hand is known of its cards as a set
  return p.zones[zone_of(c)].kind != ir::ZoneKind::hand && among(known(c), seat);
}

bool Interpreter::sees_side(std::int32_t c, int seat) {
  const std::int32_t z = zone_of(c);
  const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
  if (zone.kind == ir::ZoneKind::hand) return false;
  if (seat == kAllSeeing) return true;
  if (zone.seen_by != ir::kNoNode && !among(eyes(z), seat)) return false;
  return zone.kind != ir::ZoneKind::pile || ids(zone)[count(z) - 1] == c;
}

std::string Interpreter::front_name(std::int32_t c, bool side) {
  const ir::Component& component = p.components[static_cast<std::size_t>(c)];
  const ir::ComponentType& type = p.types[static_cast<std::size_t>(component.type)];
  if (type.die && s != nullptr) return with_word(component.phrase, std::to_string(face(c)));
  if (!side || !type.hidden_side) return component.phrase;
  // decks lie face down, all else is expected to lie open
  const bool deck = p.zones[zone_of(c)].deck;
  if ((face(c) == 1) == deck) return component.phrase;
  return with_word(component.phrase, deck ? "up" : "down");
}

std::string Interpreter::back_name(std::int32_t c) const {
  const ir::Component& component = p.components[static_cast<std::size_t>(c)];
  const std::string& type = p.types[static_cast<std::size_t>(component.type)].name;
  std::string back = component.back;
  if (const std::size_t at = back.find(type); at != std::string::npos) {
    std::size_t end = at + type.size();
    if (end < back.size() && back[end] == ' ') ++end;
    back.erase(at, end - at);
  }
  if (back.empty() || back == "<>") return "?";
  const bool one_word = back.front() == '<' && back.back() == '>' && back.find_first_of(" {") == std::string::npos;
  return "?" + (one_word ? back.substr(1, back.size() - 2) : back);
}

std::string Interpreter::unseen_name(std::int32_t c, int seat) {
  const std::int32_t z = zone_of(c);
  const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
  const ir::ComponentType& type = p.types[static_cast<std::size_t>(p.components[static_cast<std::size_t>(c)].type)];
  const std::string a = type.die ? "a die of " : type.hidden_side ? "a card of " : "a token of ";
  if (zone.kind == ir::ZoneKind::hand) {
    const std::string back = back_name(c);
    return (back == "?" ? a : back + " of ") + zone_name(z, seat);
  }
  if (in_bag(c)) return a + zone_name(z, seat);
  if (zone.kind == ir::ZoneKind::place) return zone_name(z, seat);
  return "nth(" + zone_name(z, seat) + ", " + std::to_string(find(c) + 1) + ")";
}

std::string Interpreter::seen_name(std::int32_t c, int seat) { return tells(c, seat) ? front_name(c, false) : unseen_name(c, seat); }

std::string Interpreter::marked_name(std::int32_t c, int seat) {
  if (!tells(c, seat)) return unseen_name(c, seat);
  const bool unordered = p.zones[zone_of(c)].kind == ir::ZoneKind::hand || in_bag(c);
  return front_name(c, false) + (unordered ? " of " + zone_name(zone_of(c), seat) : " at " + unseen_name(c, seat));
}

std::string Interpreter::value_name(std::int64_t value, std::int32_t texts, int seat) {
  if (value == ir::kNone) return "none";
  if (texts == kNumberText) return std::to_string(value);
  if (texts == kComponentText) {
    // before a first value is set the cell may hold anything
    if (value < 0 || value >= static_cast<std::int64_t>(p.components.size())) return "?";
    return seen_name(static_cast<std::int32_t>(value), seat);
  }
  const auto& names = texts == kSeatText ? p.seats : p.value_texts[static_cast<std::size_t>(texts)];
  const std::int64_t at = value - (texts == kSeatText ? 0 : p.value_lows[static_cast<std::size_t>(texts)]);
  return at < 0 || at >= static_cast<std::int64_t>(names.size()) ? std::to_string(value) : names[static_cast<std::size_t>(at)];
}

std::string Interpreter::zone_name(std::int32_t z, int seat) {
  const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
  const bool by_component = ir::names_components(zone.index_texts);
  if (!by_component || s == nullptr) return zone.name;
  std::string name = zone.name.substr(0, zone.name.find('[') + 1);
  if (naming_depth >= kDeepestName) return name + "..]";
  ++naming_depth;
  for (std::size_t i = 0; i < zone.index.size(); ++i) name += (i == 0 ? "" : ", ") + value_name(zone.index[i], zone.index_texts[i], seat);
  --naming_depth;
  return name + "]";
}

std::string Interpreter::var_name(std::int32_t v, std::int32_t position, int seat) {
  const ir::Var& var = p.vars[static_cast<std::size_t>(v)];
  if (var.index.empty()) return var.name;
  std::string inside;
  std::int32_t rest = position;
  for (std::size_t i = var.index.size(); i-- > 0;) {
    const auto [low, size] = var.index[i];
    inside = value_name(low + rest % size, var.index_texts[i], seat) + (inside.empty() ? "" : ", ") + inside;
    rest /= size;
  }
  return var.name + "[" + inside + "]";
}

std::int64_t Interpreter::var_value(const ir::Var& var, std::int32_t position) const {
  return load(var.cell.offset + position * (1 << static_cast<int>(var.cell.width)), var.cell.width);
}

std::string Interpreter::var_value_name(std::int32_t v, std::int32_t position, int seat) {
  const ir::Var& var = p.vars[static_cast<std::size_t>(v)];
  const std::int32_t texts = var.component ? kComponentText : var.seat ? kSeatText : var.texts;
  if (!var.set) {
    const std::int64_t value = var_value(var, position);
    if (var.component && value >= 0 && value < static_cast<std::int64_t>(p.components.size())) {
      return marked_name(static_cast<std::int32_t>(value), seat);
    }
    return value_name(value, texts, seat);
  }
  const Word* words = &at<Word>(var.cell.offset + position * 8 * var.domain.words);
  std::vector<std::string> told;
  std::vector<std::string> untold;
  for (std::int32_t w = 0; w < var.domain.words; ++w) {
    for (Word rest = words[w]; rest != 0; rest &= rest - 1) {
      const std::int64_t value = var.domain.low + 64 * w + __builtin_ctzll(rest);
      const bool named = !var.component || tells(static_cast<std::int32_t>(value), seat);
      (named ? told : untold).push_back(value_name(value, texts, seat));
    }
  }
  std::sort(untold.begin(), untold.end());
  told.insert(told.end(), untold.begin(), untold.end());
  std::string text;
  for (const std::string& word : told) text += (text.empty() ? "" : ", ") + word;
  return "{" + text + "}";
}

std::string Interpreter::move_name(const Move& move, int seat) {
  if (move.option < 0) return "?";
  const ir::Option& option = p.options[static_cast<std::size_t>(move.option)];
  const ir::Clause& clause = p.clauses[static_cast<std::size_t>(option.clause)];
  if (clause.binders.empty()) return option.name;
  std::string text = option.name + "(";
  std::int32_t next = 0;
  auto take = [&] { return next < move.size ? move.args[static_cast<std::size_t>(next++)] : 0; };
  for (std::size_t i = 0; i < clause.binders.size(); ++i) {
    if (i > 0) text += ", ";
    const ir::Binder& binder = clause.binders[i];
    const std::int32_t texts = option.arg_texts[i];
    if (!binder.pick) {
      text += value_name(take(), texts, seat);
      continue;
    }
    std::vector<std::string> words;
    std::vector<std::string> untold;
    for (std::int32_t left = take(); left > 0; --left) {
      const std::int32_t value = take();
      const bool named = binder.in_order || texts != kComponentText || tells(value, seat);
      (named ? words : untold).push_back(value_name(value, texts, seat));
    }
    std::sort(untold.begin(), untold.end());
    words.insert(words.end(), untold.begin(), untold.end());
    std::string inside;
    for (const std::string& word : words) inside += (inside.empty() ? "" : ", ") + word;
    text += binder.in_order ? "[" + inside + "]" : "{" + inside + "}";
  }
  return text + ")";
}

}  // namespace rip
