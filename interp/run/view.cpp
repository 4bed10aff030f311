// What one seat sees of the table: the upper sides that its eyes reach, what it knows of the rest, the open variables.
// Nothing here depends on what the seat cannot see; what has no order for it is written in an order of texts.
#include "interp/run/interpreter.h"

#include <algorithm>

namespace rip {

namespace {

/// Words beside one another; equal neighbours once: `3 x ?`.
class Listing {
 public:
  void add(const std::string& word, std::int32_t n = 1) {
    if (n <= 0) return;
    if (word == last_) {
      count_ += n;
      return;
    }
    close();
    last_ = word;
    count_ = n;
  }
  std::string text() {
    close();
    return std::move(text_);
  }

 private:
  void close() {
    if (count_ > 0) text_ += (text_.empty() ? "" : " ") + (count_ > 1 ? std::to_string(count_) + " x " : "") + last_;
    count_ = 0;
    last_.clear();
  }
  std::string text_, last_;
  std::int32_t count_ = 0;
};

/// Lines whose names only tell places go behind the others, in an order that every seat could give them.
void add_sorted(std::vector<View::Line>& lines, std::vector<View::Line>& untold) {
  std::stable_sort(untold.begin(), untold.end(), [](const View::Line& a, const View::Line& b) {
    return a.name != b.name ? a.name < b.name : a.text < b.text;
  });
  for (View::Line& line : untold) lines.push_back(std::move(line));
}

}  // namespace

std::string View::text() const {
  std::string out;
  for (const auto* lines : {&zones, &vars}) {
    for (const Line& line : *lines) out += line.name + ": " + (line.text.empty() ? "empty" : line.text) + "\n";
  }
  return out;
}

std::string Interpreter::seen_pile(std::int32_t z, int seat) {
  const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
  const std::uint16_t* cards = ids(zone);
  const std::uint8_t* marks = zone.bags >= 0 ? bags(zone) : nullptr;
  Listing out;
  for (std::int32_t i = count(z) - 1; i >= 0;) {
    const bool top = i == count(z) - 1;
    if (marks == nullptr || marks[i] == 0) {
      if (tells(cards[i], seat)) {
        out.add(front_name(cards[i], sees_side(cards[i], seat)));
      } else {
        out.add(top ? back_name(cards[i]) : "?");
      }
      --i;
      continue;
    }
    // a bag; what chance has settled for an effect under way still belongs to it
    const std::int32_t last = i;
    std::uint8_t mark = 0;
    for (; i >= 0 && marks[i] != 0; --i) {
      if (is_drawn(marks[i])) continue;
      if (mark == 0) mark = marks[i];
      if (marks[i] != mark) break;
    }
    std::vector<std::int32_t> members(cards + i + 1, cards + last + 1);
    std::sort(members.begin(), members.end());
    const bool alike = std::all_of(members.begin(), members.end(), [&](std::int32_t c) { return shown_alike(has_eyes(zone), c, members[0]); });
    const std::string upper = !top || !alike ? "?" : sees_side(cards[last], seat) && face(members[0]) == 0 ? front_name(members[0], true) : back_name(members[0]);
    Listing bag;
    std::int32_t unknown = 0;
    for (const std::int32_t c : members) {
      if (among(known(c) | eyes(z), seat)) {
        bag.add(front_name(c, false));
      } else {
        ++unknown;
      }
    }
    const auto n = static_cast<std::int32_t>(members.size());
    if (unknown == n) {
      out.add(upper);
      out.add("?", n - 1);
      continue;
    }
    bag.add("?", unknown);
    out.add((upper == "?" ? "" : upper + " of ") + "{" + bag.text() + "}");
  }
  return out.text();
}

std::string Interpreter::seen_zone(std::int32_t z, int seat) {
  const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
  if (zone.kind == ir::ZoneKind::pile) return seen_pile(z, seat);
  const std::uint16_t* cards = ids(zone);
  const std::int32_t n = count(z);
  if (zone.kind == ir::ZoneKind::hand) {
    Listing out;
    std::vector<std::string> backs;
    for (std::int32_t i = 0; i < n; ++i) {
      if (among(known(cards[i]) | sees_front(cards[i]), seat)) {
        out.add(front_name(cards[i], false));
      } else {
        backs.push_back(back_name(cards[i]));
      }
    }
    std::sort(backs.begin(), backs.end());
    for (const std::string& back : backs) out.add(back);
    return out.text();
  }
  std::string text;
  for (std::int32_t i = 0; i < n; ++i) {
    text += (i == 0 ? "" : " ") + (tells(cards[i], seat) ? front_name(cards[i], sees_side(cards[i], seat)) : back_name(cards[i]));
  }
  return text;
}

View Interpreter::view(int seat) {
  const FaultCode kept = fault;
  View view;
  std::vector<View::Line> untold;
  for (std::size_t z = 0; z < p.zones.size(); ++z) {
    const auto at_zone = static_cast<std::int32_t>(z);
    const ir::Zone& zone = p.zones[z];
    bool told = true;
    for (std::size_t i = 0; i < zone.index.size(); ++i) {
      if (zone.index_texts[i] == kComponentText) told = told && tells(static_cast<std::int32_t>(zone.index[i]), seat);
    }
    if (told) {
      view.zones.push_back({zone_name(at_zone, seat), seen_zone(at_zone, seat)});
    } else if (count(at_zone) > 0) {
      untold.push_back({zone_name(at_zone, seat), seen_zone(at_zone, seat)});
    }
  }
  add_sorted(view.zones, untold);
  untold.clear();
  for (std::size_t v = 0; v < p.vars.size(); ++v) {
    const ir::Var& var = p.vars[v];
    if (!var.visible) continue;
    if (var.phase >= 0 && (header().running >> p.phases[static_cast<std::size_t>(var.phase)].bit & 1u) == 0) continue;
    const auto id = static_cast<std::int32_t>(v);
    const bool by_component = ir::names_components(var.index_texts);
    bool hidden = false;
    for (std::int32_t at_cell = 0; at_cell < var.count; ++at_cell) {
      const bool sees = var.known < 0 || seat == kAllSeeing ||
                        among(at<std::uint32_t>(var.known + 4 * at_cell) | var_eyes(var, at_cell), seat);
      if (!by_component) {
        view.vars.push_back({var_name(id, at_cell, seat), sees ? var_value_name(id, at_cell, seat) : "?"});
        continue;
      }
      // of what is noted on components only what differs from the start is worth a line
      hidden = hidden || !sees;
      if (!sees) continue;
      std::string value = var_value_name(id, at_cell, seat);
      if (var.set ? value == "{}" : var_value(var, at_cell) == var.first_value) continue;
      bool told = true;
      std::int32_t rest = at_cell;
      for (std::size_t i = var.index.size(); i-- > 0;) {
        const auto [low, size] = var.index[i];
        if (var.index_texts[i] == kComponentText) told = told && tells(low + rest % size, seat);
        rest /= size;
      }
      (told ? view.vars : untold).push_back({var_name(id, at_cell, seat), std::move(value)});
    }
    if (hidden) view.vars.push_back({var.name + "[..]", "?"});
    add_sorted(view.vars, untold);
    untold.clear();
  }
  fault = kept;
  return view;
}

// ---- the whole content, for comparing ----

namespace {

std::string seat_numbers(std::uint32_t seats) {
  std::string out;
  for (int seat = 0; seat < ir::kMaxSeats; ++seat) {
    if ((seats >> seat & 1u) != 0) out += (out.empty() ? "" : " ") + std::to_string(seat);
  }
  return out;
}

std::string number_or_none(std::int64_t value) { return value == ir::kNone ? "none" : std::to_string(value); }

}  // namespace

// `hand[player 1]: 4- 7-`, a bag in brackets; `+` is face up, `-` face down, `=4` the number of a die, `*` settled for the
// effect under way. Empty zones, what nobody knows, variables of blocks and of phases that do not run are left out.
std::string Interpreter::digest() {
  const FaultCode kept = fault;
  std::string out = "phases:";
  for (const ir::Phase& phase : p.phases) {
    if ((header().running >> phase.bit & 1u) != 0) out += " " + phase.name;
  }
  if (header().me != ir::kNone) out += "\nme: " + std::to_string(header().me);
  for (std::size_t z = 0; z < p.zones.size(); ++z) {
    const ir::Zone& zone = p.zones[z];
    const std::int32_t n = count(static_cast<std::int32_t>(z));
    if (n == 0) continue;
    out += "\n" + zone.name + ":";
    const std::uint16_t* cards = ids(zone);
    const std::uint8_t* marks = zone.bags >= 0 ? bags(zone) : nullptr;
    auto card = [&](std::int32_t c) {
      const ir::ComponentType& type = p.types[static_cast<std::size_t>(p.components[static_cast<std::size_t>(c)].type)];
      return std::to_string(c) + (type.die ? "=" + std::to_string(face(c)) : face(c) == 0 ? "+" : "-");
    };
    if (zone.kind != ir::ZoneKind::pile) {
      for (std::int32_t i = 0; i < n; ++i) out += " " + card(cards[i]);
      continue;
    }
    for (std::int32_t i = n - 1; i >= 0;) {
      std::int32_t begin = i;
      const bool bag = marks != nullptr && is_bag(marks[i]);
      while (bag && begin > 0 && marks[begin - 1] == marks[i]) --begin;
      for (std::int32_t k = begin; k <= i; ++k) {
        out += (bag && k == begin ? " [" : " ") + card(cards[k]) + (marks != nullptr && is_drawn(marks[k]) ? "*" : "");
      }
      if (bag) out += "]";
      i = begin - 1;
    }
  }
  for (std::size_t c = 0; c < p.components.size(); ++c) {
    const std::uint32_t seats = known(static_cast<std::int32_t>(c));
    if (seats != 0) out += "\nknown " + std::to_string(c) + ": " + seat_numbers(seats);
  }
  for (const ir::Var& var : p.vars) {
    if (!var.visible) continue;
    if (var.phase >= 0 && (header().running >> p.phases[static_cast<std::size_t>(var.phase)].bit & 1u) == 0) continue;
    out += "\n" + var.name + ":";
    for (std::int32_t at_cell = 0; at_cell < var.count; ++at_cell) {
      if (var.set) {
        const Word* words = &at<Word>(var.cell.offset + at_cell * 8 * var.domain.words);
        std::string items;
        for (std::int32_t w = 0; w < var.domain.words; ++w) {
          for (Word rest = words[w]; rest != 0; rest &= rest - 1) {
            items += (items.empty() ? "" : " ") + std::to_string(var.domain.low + 64 * w + __builtin_ctzll(rest));
          }
        }
        out += " {" + items + "}";
      } else {
        out += " " + number_or_none(var_value(var, at_cell));
      }
      if (var.known >= 0) out += "(" + seat_numbers(at<std::uint32_t>(var.known + 4 * at_cell) | var_eyes(var, at_cell)) + ")";
    }
  }
  fault = kept;
  return out + "\n";
}

std::uint64_t Interpreter::hash() {
  // Fowler, Noll, Vo (FNV-1a), eight bytes a step
  std::uint64_t h = 0xcbf29ce484222325u;
  auto word = [&](std::uint64_t value) {
    h = (h ^ value) * 0x100000001b3u;
    h ^= h >> 29;
  };
  auto region = [&](std::int32_t offset, std::size_t size) {
    for (std::size_t i = 0; i < size; i += 8) {
      std::uint64_t value = 0;
      std::memcpy(&value, s + offset + i, std::min<std::size_t>(8, size - i));
      word(value);
    }
  };
  const ir::Header& head = header();
  word(static_cast<std::uint64_t>(static_cast<std::uint32_t>(head.me)) << 32 | head.deciding);
  word(head.running);
  word(static_cast<std::uint64_t>(static_cast<std::uint32_t>(head.chance_a)) << 32 | static_cast<std::uint32_t>(head.chance_b));
  word(static_cast<std::uint64_t>(head.status) << 40 | static_cast<std::uint64_t>(head.chance) << 32 | (head.won != 0 ? head.winners : 0));
  for (std::size_t z = 0; z < p.zones.size(); ++z) {
    const auto n = static_cast<std::size_t>(count(static_cast<std::int32_t>(z)));
    word(n);
    region(p.zones[z].ids, 2 * n);
    if (p.zones[z].bags >= 0) region(p.zones[z].bags, n);
  }
  region(p.faces, p.components.size());
  region(p.known, 4 * p.components.size());
  if (p.rolling >= 0) region(p.rolling, p.components.size());
  for (const ir::Var& var : p.vars) {
    if (!var.visible) continue;
    if (var.phase >= 0 && (head.running >> p.phases[static_cast<std::size_t>(var.phase)].bit & 1u) == 0) continue;
    const int bytes = var.set ? 8 * var.domain.words : 1 << static_cast<int>(var.cell.width);
    region(var.cell.offset, static_cast<std::size_t>(var.count * bytes));
    if (var.known >= 0) region(var.known, 4 * static_cast<std::size_t>(var.count));
  }
  return h;
}

}  // namespace rip
