// What every seat, and a spectator, notices of what happens: one line for each effect and decision. A line that may differ
// between worlds the seat could not tell apart says so (`reveals`); all others are equal in them. What belongs to one
// effect is gathered first, because the order in which cards leave a hand or a bag is an order of ids.
#include "interp/run/interpreter.h"

#include "base/hash.h"

#include <algorithm>
#include <span>

namespace rip {

namespace {

/// `<money 1>, 2 x <money 5> and <guard>`.
std::string listed(const std::vector<std::string>& all) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < all.size();) {
    const std::size_t first = i;
    while (i < all.size() && all[i] == all[first]) ++i;
    words.push_back((i - first > 1 ? std::to_string(i - first) + " x " : "") + all[first]);
  }
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) out += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  return out;
}

/// `a card`, `3 cards ?gift`.
std::string some(const std::string& noun, const std::string& back, std::int32_t n) {
  std::string out = n == 1 ? "a " + noun : std::to_string(n) + " " + (noun == "die" ? "dice" : noun + "s");
  if (back != "?") out += " " + back;
  return out;
}

/// Kinds of lines that may reveal something.
enum Effect : std::int32_t { kMoves, kRolls, kShows, kComesToBeSeen, kSwaps, kTurns, kBecomes, kCardShown, kVariableShown, kValueShown };

const char* noun_of(const ir::ComponentType& type) { return type.die ? "die" : type.hidden_side ? "card" : "token"; }

}  // namespace

Span Interpreter::here() {
  const auto pc = static_cast<std::size_t>(header().pc);
  return pc < p.code_spans.size() ? p.code_spans[pc] : Span{};
}

void Interpreter::tell(int seat, std::string text, bool reveals, std::uint64_t effect) {
  observer->log(seat < 0 ? p.players : seat, {std::move(text), reveals, here(), false, effect});
}

/// What happened, but for what may be revealed by it; which place of a component it is may be hidden.
std::uint64_t Interpreter::effect_on(std::int32_t what, std::int32_t z, std::int32_t to, std::int32_t n) {
  const auto open = [&](std::int32_t zone) { return zone >= 0 && ir::names_components(p.zones[static_cast<std::size_t>(zone)].index_texts) ? -2 : zone; };
  const std::int32_t parts[] = {what, open(z), open(to), n};
  return hash64(std::as_bytes(std::span(parts))) | 1u;
}

void Interpreter::tell_all(const std::string& text, bool reveals) {
  for (int seat = 0; seat < p.players; ++seat) tell(seat, text, reveals);
  tell(kSpectator, text, reveals);
}

/// Did the seat know that it was this very front, before it left `from`?
bool Interpreter::knew_it(std::int32_t from, std::uint32_t knew, int seat) {
  if (!among(knew, seat)) return false;
  return p.zones[static_cast<std::size_t>(from)].kind != ir::ZoneKind::hand || among(eyes(from), seat);
}

// ---- what moves ----

void Interpreter::log_move(std::int32_t c, std::int32_t from, std::uint32_t knew, std::uint32_t knows, bool) {
  const std::int32_t to = zone_of(c);
  const bool pile = p.zones[static_cast<std::size_t>(to)].kind == ir::ZoneKind::pile;
  const std::int32_t drawn = header().drawn;
  passages_.push_back({c, from, to, pile && count(to) > 1 && find(c) == 0, drawn == ir::kManyDrawn || drawn == from + 1, knew, knows});
}

void Interpreter::log_seen(std::int32_t c, std::uint32_t knew) { seen_.emplace_back(c, knew); }

void Interpreter::log_roll(std::int32_t c) { rolled_.push_back(c); }

void Interpreter::tell_passages() {
  // equal in all worlds a seat cannot tell apart: zones in their order, then what it knows by phrase, then the backs
  std::stable_sort(passages_.begin(), passages_.end(), [](const Passage& a, const Passage& b) {
    if (a.from != b.from) return a.from < b.from;
    if (a.to != b.to) return a.to < b.to;
    if (a.under != b.under) return b.under;
    return a.component < b.component;
  });
  for (std::size_t begin = 0; begin < passages_.size();) {
    std::size_t end = begin;
    const Passage& first = passages_[begin];
    while (end < passages_.size() && passages_[end].from == first.from && passages_[end].to == first.to && passages_[end].under == first.under) ++end;
    const ir::Zone& source = p.zones[static_cast<std::size_t>(first.from)];
    const ir::Zone& target = p.zones[static_cast<std::size_t>(first.to)];
    for (int i = 0; i <= p.players; ++i) {
      const int seat = i == p.players ? kSpectator : i;
      std::vector<std::string> words;
      std::vector<std::string> backs;
      bool reveals = false;
      const char* noun = "card";
      for (std::size_t k = begin; k < end; ++k) {
        const Passage& passage = passages_[k];
        noun = noun_of(p.types[static_cast<std::size_t>(p.components[static_cast<std::size_t>(passage.component)].type)]);
        if (among(passage.knows, seat)) {
          words.push_back(front_name(passage.component, zone_of(passage.component) == passage.to && sees_side(passage.component, seat)));
          reveals = reveals || passage.drawn || !knew_it(passage.from, passage.knew, seat);
        } else {
          backs.push_back(back_name(passage.component));
          // in a pile backs cannot be seen either
          reveals = reveals || (backs.back() != "?" && source.kind == ir::ZoneKind::pile);
        }
      }
      std::sort(backs.begin(), backs.end());
      for (std::size_t k = 0; k < backs.size();) {
        const std::size_t from = k;
        while (k < backs.size() && backs[k] == backs[from]) ++k;
        words.push_back(some(noun, backs[from], static_cast<std::int32_t>(k - from)));
      }
      const char* verb = end - begin > 1 ? " go " : " goes ";
      const std::string to = zone_name(first.to, seat);
      std::string where;
      if (first.from != first.to) where = "from " + zone_name(first.from, seat) + (first.under ? " under " : " to ") + to;
      else if (target.kind == ir::ZoneKind::pile) where = (first.under ? "under " : "on top of ") + to;
      else where = "last in " + to;
      tell(seat, listed(words) + verb + where, reveals, effect_on(first.under ? -1 - kMoves : kMoves, first.from, first.to, static_cast<std::int32_t>(end - begin)));
    }
    begin = end;
  }
}

void Interpreter::tell_rolls() {
  std::sort(rolled_.begin(), rolled_.end(), [&](std::int32_t a, std::int32_t b) {
    return zone_of(a) != zone_of(b) ? zone_of(a) < zone_of(b) : find(a) < find(b);
  });
  for (std::size_t begin = 0; begin < rolled_.size();) {
    std::size_t end = begin;
    const std::int32_t z = zone_of(rolled_[begin]);
    while (end < rolled_.size() && zone_of(rolled_[end]) == z) ++end;
    for (int i = 0; i <= p.players; ++i) {
      const int seat = i == p.players ? kSpectator : i;
      std::vector<std::string> words;
      std::int32_t unseen = 0;
      for (std::size_t k = begin; k < end; ++k) {
        if (among(known(rolled_[k]), seat)) words.push_back(front_name(rolled_[k], false));
        else ++unseen;
      }
      const bool reveals = !words.empty();
      if (unseen > 0) words.push_back(unseen == 1 ? "a die" : std::to_string(unseen) + " dice");
      tell(seat, "rolled in " + zone_name(z, seat) + ": " + listed(words), reveals, effect_on(kRolls, z, -1, static_cast<std::int32_t>(end - begin)));
    }
    begin = end;
  }
}

void Interpreter::log_end() {
  if (!passages_.empty()) tell_passages();
  if (!rolled_.empty()) tell_rolls();
  if (!seen_.empty()) {
    std::stable_sort(seen_.begin(), seen_.end(), [&](const auto& a, const auto& b) {
      return zone_of(a.first) != zone_of(b.first) ? zone_of(a.first) < zone_of(b.first) : find(a.first) < find(b.first);
    });
    for (const auto& [c, knew] : seen_) {
      const bool moved = std::any_of(passages_.begin(), passages_.end(), [id = c](const Passage& passage) { return passage.component == id; });
      if (moved) continue;
      for (int i = 0; i <= p.players; ++i) {
        const int seat = i == p.players ? kSpectator : i;
        if (among(knew, seat) || !tells(c, seat)) continue;
        const bool pile = p.zones[zone_of(c)].kind == ir::ZoneKind::pile;
        tell(seat, pile ? zone_name(zone_of(c), seat) + " shows " + front_name(c, true) : marked_name(c, seat) + " comes to be seen", true,
             effect_on(pile ? kShows : kComesToBeSeen, zone_of(c)));
      }
    }
  }
  passages_.clear();
  rolled_.clear();
  seen_.clear();
}

void Interpreter::forget_logs() {
  passages_.clear();
  rolled_.clear();
  seen_.clear();
  untold_.seat = -1;
}

void Interpreter::log_swap(std::int32_t a, std::int32_t b, std::uint32_t knew_a, std::uint32_t knew_b) {
  log_end();
  // each lies now where the other lay
  const std::int32_t from_a = zone_of(b);
  const std::int32_t from_b = zone_of(a);
  const bool one_hand = from_a == from_b && p.zones[static_cast<std::size_t>(from_a)].kind == ir::ZoneKind::hand;
  if (one_hand) return;
  for (int i = 0; i <= p.players; ++i) {
    const int seat = i == p.players ? kSpectator : i;
    bool reveals = false;
    auto name = [&](std::int32_t c, std::int32_t from, std::uint32_t knew) {
      if (among(known(c), seat)) {
        reveals = reveals || !knew_it(from, knew, seat);
        return front_name(c, sees_side(c, seat)) + " of " + zone_name(from, seat);
      }
      return some(noun_of(p.types[static_cast<std::size_t>(p.components[static_cast<std::size_t>(c)].type)]), back_name(c), 1) + " of " + zone_name(from, seat);
    };
    std::string first = name(a, from_a, knew_a);
    std::string second = name(b, from_b, knew_b);
    // inside one zone nobody can say which came first
    if (from_a == from_b && second < first) std::swap(first, second);
    tell(seat, first + " and " + second + " change places", reveals, effect_on(kSwaps, std::min(from_a, from_b), std::max(from_a, from_b)));
  }
}

void Interpreter::log_turn(std::int32_t c, std::uint32_t knew) {
  log_end();
  const bool die = p.types[static_cast<std::size_t>(p.components[static_cast<std::size_t>(c)].type)].die;
  const std::uint32_t seers = eyes(zone_of(c)) | sees_front(c);
  for (int i = 0; i <= p.players; ++i) {
    const int seat = i == p.players ? kSpectator : i;
    if (!sees_side(c, seat) && !among(seers, seat)) continue;
    const bool told = tells(c, seat);
    const std::string name = told ? marked_name(c, seat) : unseen_name(c, seat);
    const std::string how = die ? " is turned" : face(c) == 0 ? " is turned face up" : " is turned face down";
    // what was known of a card in a bag was known of all of them together
    tell(seat, name + how, told && (in_bag(c) || !knew_it(zone_of(c), knew, seat)), effect_on(kTurns, zone_of(c), -1, face(c)));
  }
}

void Interpreter::log_shuffle(std::int32_t z) {
  log_end();
  for (int i = 0; i <= p.players; ++i) {
    const int seat = i == p.players ? kSpectator : i;
    tell(seat, zone_name(z, seat) + " is shuffled", false);
  }
}

void Interpreter::log_refill(std::int32_t z, std::int32_t from) {
  log_end();
  for (int i = 0; i <= p.players; ++i) {
    const int seat = i == p.players ? kSpectator : i;
    tell(seat, zone_name(z, seat) + " is refilled from " + zone_name(from, seat), false);
  }
}

void Interpreter::log_exposed(std::int32_t z) {
  if (count(z) == 0) return;
  const std::int32_t c = ids(p.zones[static_cast<std::size_t>(z)])[count(z) - 1];
  std::erase_if(seen_, [c](const auto& seen) { return seen.first == c; });
  log_end();
  for (int i = 0; i <= p.players; ++i) {
    const int seat = i == p.players ? kSpectator : i;
    tell(seat, zone_name(z, seat) + " shows " + (tells(c, seat) ? front_name(c, true) : back_name(c)), true, effect_on(kShows, z));
  }
}

// ---- variables and what is shown ----

void Interpreter::log_set(std::int32_t v, std::int32_t position) {
  log_end();
  const ir::Var& var = p.vars[static_cast<std::size_t>(v)];
  if (!var.visible) return;
  const bool by_chance = p.code[static_cast<std::size_t>(header().pc)].op == ir::InstrOp::random;
  const std::uint32_t seers = var.known < 0 ? all_seats : at<std::uint32_t>(var.known + 4 * position);
  for (int i = 0; i <= p.players; ++i) {
    const int seat = i == p.players ? kSpectator : i;
    if (among(seers, seat)) tell(seat, var_name(v, position, seat) + " becomes " + var_value_name(v, position, seat), by_chance, by_chance ? effect_on(kBecomes, -1, -1, v) : 0);
  }
}

void Interpreter::log_show_card(std::int32_t c, std::uint32_t seats, std::uint32_t knew) {
  log_end();
  const std::int32_t z = zone_of(c);
  const bool unordered = p.zones[static_cast<std::size_t>(z)].kind == ir::ZoneKind::hand || in_bag(c);
  for (int i = 0; i <= p.players; ++i) {
    const int seat = i == p.players ? kSpectator : i;
    if (!among(seats, seat)) continue;
    const std::string where = unordered ? " of " + zone_name(z, seat) : " at " + unseen_name(c, seat);
    tell(seat, front_name(c, false) + where + " is shown", in_bag(c) || !knew_it(z, knew, seat), effect_on(kCardShown, z));
  }
}

void Interpreter::log_show_var(std::int32_t v, std::int32_t position, std::uint32_t seats) {
  log_end();
  const ir::Var& var = p.vars[static_cast<std::size_t>(v)];
  const std::uint32_t seers = var.known < 0 ? all_seats : var_eyes(var, position);
  for (int i = 0; i <= p.players; ++i) {
    const int seat = i == p.players ? kSpectator : i;
    if (!among(seats, seat)) continue;
    tell(seat, var_name(v, position, seat) + " is shown: " + var_value_name(v, position, seat), !among(seers, seat),
         effect_on(kVariableShown, -1, -1, v));
  }
}

void Interpreter::log_show_value(std::int64_t value, std::int32_t texts, std::uint32_t seats) {
  log_end();
  const ir::Instr& instr = p.code[static_cast<std::size_t>(header().pc)];
  // an attribute is shown on its component
  std::int64_t on = ir::kNone;
  if (instr.op == ir::InstrOp::show && instr.b == 5) {
    const ir::ExprNode& node = p.nodes[static_cast<std::size_t>(instr.a)];
    if (node.op == ir::NodeOp::attribute) on = eval(node.a);
  }
  for (int i = 0; i <= p.players; ++i) {
    const int seat = i == p.players ? kSpectator : i;
    if (!among(seats, seat)) continue;
    std::string text = "shown: " + value_name(value, texts, seat);
    if (on != ir::kNone) text += " on " + marked_name(static_cast<std::int32_t>(on), seat);
    tell(seat, std::move(text), true, effect_on(kValueShown, -1));
  }
}

/// One line also for an empty set: that nothing is shown is what is shown.
void Interpreter::log_show_values(const List& values, std::int32_t texts, std::uint32_t seats) {
  log_end();
  for (int i = 0; i <= p.players; ++i) {
    const int seat = i == p.players ? kSpectator : i;
    if (!among(seats, seat)) continue;
    std::string text = "shown: ";
    for (std::int32_t k = 0; k < values.size; ++k) text += (k == 0 ? "" : ", ") + value_name(values.values[k], texts, seat);
    tell(seat, values.size == 0 ? text + "nothing" : text, true, effect_on(kValueShown, -1));
  }
}

// ---- decisions ----

void Interpreter::log_asked(std::uint32_t seats) {
  log_end();
  log_decided();
  std::vector<std::string> names;
  for (int seat = 0; seat < p.players; ++seat) {
    if ((seats >> seat & 1u) != 0) names.push_back(p.seats[static_cast<std::size_t>(seat)]);
  }
  tell_all(listed(names) + (names.size() == 1 ? " decides" : " decide at the same moment"));
}

void Interpreter::log_decision(const Move& move, int seat) {
  log_end();
  log_decided();
  const ir::Option& option = p.options[static_cast<std::size_t>(move.option)];
  if (current_choice().each || option.secretly) {
    const std::string text = p.seats[static_cast<std::size_t>(seat)] + " has decided";
    for (int other = 0; other <= p.players; ++other) {
      if (other != seat) observer->log(other, {text, false, here(), true});
    }
    return;
  }
  untold_.seat = seat;
  log_which(move);
}

void Interpreter::log_which(const Move& move) {
  const ir::Option& option = p.options[static_cast<std::size_t>(move.option)];
  untold_.move = move;
  untold_.knew.clear();
  const ir::Clause& clause = p.clauses[static_cast<std::size_t>(option.clause)];
  std::int32_t next = 0;
  for (std::size_t i = 0; i < clause.binders.size(); ++i) {
    const std::int32_t n = clause.binders[i].pick && next < move.size ? move.args[static_cast<std::size_t>(next++)] : 1;
    for (std::int32_t k = 0; k < n && next < move.size; ++k, ++next) {
      if (option.arg_texts[i] != kComponentText) continue;
      std::uint32_t knew = 0;
      for (int other = 0; other < p.players; ++other) {
        if (tells(move.args[static_cast<std::size_t>(next)], other)) knew |= 1u << other;
      }
      untold_.knew.push_back(knew);
    }
  }
}

void Interpreter::log_decided() {
  if (untold_.seat < 0) return;
  const int seat = untold_.seat;
  untold_.seat = -1;
  log_end();
  const ir::Option& option = p.options[static_cast<std::size_t>(untold_.move.option)];
  const ir::Clause& clause = p.clauses[static_cast<std::size_t>(option.clause)];
  for (int i = 0; i <= p.players; ++i) {
    const int other = i == p.players ? kSpectator : i;
    if (other == seat) continue;
    bool reveals = false;
    std::size_t component = 0;
    std::int32_t next = 0;
    for (std::size_t k = 0; k < clause.binders.size(); ++k) {
      const std::int32_t n = clause.binders[k].pick && next < untold_.move.size ? untold_.move.args[static_cast<std::size_t>(next++)] : 1;
      for (std::int32_t m = 0; m < n && next < untold_.move.size; ++m, ++next) {
        if (option.arg_texts[k] != kComponentText) continue;
        reveals = reveals || (tells(untold_.move.args[static_cast<std::size_t>(next)], other) && !among(untold_.knew[component], other));
        ++component;
      }
    }
    observer->log(other < 0 ? p.players : other, {p.seats[static_cast<std::size_t>(seat)] + ": " + move_name(untold_.move, other), reveals, option.span, true});
  }
}

}  // namespace rip
