// Components that a seat cannot tell apart: which options are one, and which of the components it then was.
#include "interp/run/which.h"

#include <algorithm>

namespace rip {

namespace {

/// The mixer of splitmix64 (Steele, Lea, Flood 2014).
std::uint64_t mixed(std::uint64_t h, std::int64_t value) {
  std::uint64_t z = h + 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(value);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace

void Interpreter::forget_looks() {
  std::fill(looks_.begin(), looks_.end(), -1);
  std::fill(true_looks_.begin(), true_looks_.end(), -1);
}

std::int32_t Interpreter::look_of(std::int32_t c, int seat) {
  std::int32_t& look = looks_[static_cast<std::size_t>(c)];
  if (look >= 0) return look;
  look = c;
  const std::int32_t z = zone_of(c);
  const std::uint16_t* cards = ids(p.zones[static_cast<std::size_t>(z)]);
  for (std::int32_t i = 0, n = count(z); i < n; ++i) {
    if (cards[i] < look && looks_alike(seat, cards[i], c)) look = cards[i];
  }
  return look;
}

std::int32_t Interpreter::true_look(std::int32_t c) {
  std::int32_t& look = true_looks_[static_cast<std::size_t>(c)];
  if (look >= 0) return look;
  look = c;
  const std::int32_t z = zone_of(c);
  const std::uint16_t* cards = ids(p.zones[static_cast<std::size_t>(z)]);
  for (std::int32_t i = 0, n = count(z); i < n; ++i) {
    if (cards[i] < look && alike(cards[i], c) && bag_number(cards[i]) == bag_number(c)) look = cards[i];
  }
  return look;
}

// Components are replaced by how they look and, among those that look the same, by the order in which they are named.
template <class F>
std::uint64_t Interpreter::sketch_by(const ir::Option& option, const Move& move, F&& look) {
  struct Named {
    std::int32_t look, number, component;
  };
  Named named[30];
  Named members[30];
  std::int32_t names = 0;
  const auto number = [&](std::int32_t component, std::int32_t of_look) {
    std::int32_t n = 0;
    for (std::int32_t i = 0; i < names; ++i) {
      if (named[i].look != of_look) continue;
      if (named[i].component == component) return n;
      ++n;
    }
    return n;
  };
  const auto is_new = [&](std::int32_t component) {
    return std::none_of(named, named + names, [&](const Named& x) { return x.component == component; });
  };
  std::uint64_t h = 1;
  std::int32_t next = 0;
  for (const ir::Binder& binder : p.clauses[static_cast<std::size_t>(option.clause)].binders) {
    std::int32_t n = 1;
    if (binder.pick && next < move.size) n = move.args[static_cast<std::size_t>(next++)];
    n = std::min(n, move.size - next);
    h = mixed(h, n);
    if (!binder.component) {
      for (std::int32_t i = 0; i < n; ++i) h = mixed(h, move.args[static_cast<std::size_t>(next++)]);
      continue;
    }
    for (std::int32_t i = 0; i < n; ++i) {
      const std::int32_t component = move.args[static_cast<std::size_t>(next++)];
      members[i].component = component;
      members[i].look = look(component);
      members[i].number = number(component, members[i].look);
    }
    if (binder.pick && !binder.in_order) {
      // insertion sort: stable, and needs no memory
      for (std::int32_t i = 1; i < n; ++i) {
        const Named held = members[i];
        std::int32_t k = i;
        for (; k > 0 && std::pair(held.look, held.number) < std::pair(members[k - 1].look, members[k - 1].number); --k) members[k] = members[k - 1];
        members[k] = held;
      }
    }
    for (std::int32_t i = 0; i < n; ++i) {
      members[i].number = number(members[i].component, members[i].look);
      if (is_new(members[i].component)) named[names++] = members[i];
      h = mixed(mixed(h, members[i].look), members[i].number);
    }
  }
  return h == 0 ? 1 : h;
}

std::uint64_t Interpreter::sketch(const ir::Option& option, const Move& move, int seat) {
  return sketch_by(option, move, [&](std::int32_t c) { return look_of(c, seat); });
}

std::uint64_t Interpreter::true_sketch(const ir::Option& option, const Move& move) {
  return sketch_by(option, move, [&](std::int32_t c) { return true_look(c); });
}

bool Interpreter::first_seen(std::uint64_t sketch) {
  if (2 * (seen_count_ + 1) > seen_sketches_.size()) {
    std::vector<std::uint64_t> old(std::max<std::size_t>(256, 2 * seen_sketches_.size()), 0);
    std::swap(old, seen_sketches_);
    seen_count_ = 0;
    for (const std::uint64_t known_one : old) {
      if (known_one != 0) first_seen(known_one);
    }
  }
  const std::size_t mask = seen_sketches_.size() - 1;
  for (std::size_t i = sketch & mask;; i = (i + 1) & mask) {
    if (seen_sketches_[i] == sketch) return false;
    if (seen_sketches_[i] != 0) continue;
    seen_sketches_[i] = sketch;
    ++seen_count_;
    return true;
  }
}

/// May a name stand for a component that the seat knows by its back only?
bool Interpreter::meets_blind(const ir::Clause& clause, const Merging& merging, int seat) {
  if (merging.anywhere) return true;
  for (const std::int32_t z : merging.zones) {
    const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
    const std::int32_t n = count(z);
    if (zone.kind == ir::ZoneKind::hand && n > 0 && is_blind(seat, ids(zone)[0])) return true;
    if (zone.bags >= 0 && std::any_of(bags(zone), bags(zone) + n, is_bag)) return true;
  }
  for (const ir::Binder& binder : clause.binders) {
    if (!binder.component || !binder.independent) continue;
    List from;
    source_list(binder, kAnyOrder, from);
    for (std::int32_t i = 0; i < from.size; ++i) {
      if (is_blind(seat, from.values[i])) return true;
    }
  }
  return false;
}

bool Interpreter::goes_by_list(const ir::Option& option, int seat) {
  const Merging& merging = merge_[static_cast<std::size_t>(&option - p.options.data())];
  switch (merging.merge) {
    case Merge::none:
    case Merge::open: return false;
    case Merge::even: return meets_blind(p.clauses[static_cast<std::size_t>(option.clause)], merging, seat);
    case Merge::uneven: return true;
  }
  return true;
}

// ---- which of them it was ----

bool Interpreter::which_is_open(const ir::Option& option, int seat, const Move& move) {
  if (merge_[static_cast<std::size_t>(move.option)].merge == Merge::none) return false;
  std::int32_t next = 0;
  for (const ir::Binder& binder : p.clauses[static_cast<std::size_t>(option.clause)].binders) {
    const std::int32_t n = binder.pick && next < move.size ? move.args[static_cast<std::size_t>(next++)] : 1;
    for (std::int32_t i = 0; i < n && next < move.size; ++i) {
      const std::int32_t c = move.args[static_cast<std::size_t>(next++)];
      if (!binder.component) continue;
      const std::int32_t z = zone_of(c);
      const ir::Zone& zone = p.zones[static_cast<std::size_t>(z)];
      const bool hand = zone.kind == ir::ZoneKind::hand;
      // outside of hands and bags what looks alike is alike
      const bool blind = (hand || zone.bags >= 0) && is_blind(seat, c);
      if (!hand && !blind) continue;
      const std::uint16_t* cards = ids(zone);
      const auto& classes = blind ? back_ : front_;
      for (std::int32_t k = 0, size = count(z); k < size; ++k) {
        if (classes[cards[k]] != classes[static_cast<std::size_t>(c)] || alike(cards[k], c)) continue;
        if (looks_alike(seat, cards[k], c)) return true;
      }
    }
  }
  return false;
}

Move Interpreter::taken(const ir::Option& option, int seat) {
  const ir::Choose& choice = current_choice();
  Move move;
  move.option = static_cast<std::int32_t>(&option - p.options.data());
  const auto push = [&](std::int64_t value) {
    if (static_cast<std::size_t>(move.size) < move.args.size()) move.args[static_cast<std::size_t>(move.size++)] = static_cast<std::int32_t>(value);
  };
  const auto& binders = p.clauses[static_cast<std::size_t>(option.clause)].binders;
  if (choice.each) {
    const std::int32_t* stored = &at<std::int32_t>(commitment(choice, seat)) + 1;
    for (const ir::Binder& binder : binders) {
      const std::int32_t n = binder.pick ? *stored : 1;
      if (binder.pick) push(*stored++);
      for (std::int32_t i = 0; i < n; ++i) push(*stored++);
    }
    return move;
  }
  for (std::size_t b = 0; b < binders.size(); ++b) {
    const ir::FrameLocal& local = option.args[b];
    if (local.kind == ir::LocalKind::scalar) {
      push(load(local.cell.offset, local.cell.width));
      continue;
    }
    List members;
    if (local.kind == ir::LocalKind::list) {
      for (std::int32_t i = 0, n = at<std::int32_t>(local.cell.offset); i < n; ++i) members.push(at<std::int32_t>(local.cell.offset + 4 + 4 * i));
    } else {
      const Word* words = &at<Word>(local.cell.offset);
      for (std::int32_t w = 0; w < local.domain.words; ++w) {
        for (Word rest = words[w]; rest != 0; rest &= rest - 1) members.push(local.domain.low + 64 * w + __builtin_ctzll(rest));
      }
      if (binders[b].component) sort_by_place(members);
    }
    push(members.size);
    for (std::int32_t i = 0; i < members.size; ++i) push(members.values[i]);
  }
  return move;
}

void Interpreter::take(const ir::Option& option, int seat, const Move& move) {
  const ir::Choose& choice = current_choice();
  if (!choice.each) {
    store_args(option, move.args.data());
    return;
  }
  std::int32_t* stored = &at<std::int32_t>(commitment(choice, seat));
  stored[0] = move.option;
  std::copy_n(move.args.data(), move.size, stored + 1);
}

std::int32_t Interpreter::list_candidates() {
  const ir::Option& option = p.options[static_cast<std::size_t>(header().chance_a)];
  const int seat = header().chance_b;
  const Move move = taken(option, seat);
  candidates_.clear();
  std::int32_t n = 0;
  bind_choice(current_choice(), seat);
  each_like(option, seat, move, [&](const Move& other) {
    const std::uint64_t whole = true_sketch(option, other);
    const auto same = std::find_if(candidates_.begin(), candidates_.end(), [&](const Candidate& c) { return c.sketch == whole; });
    if (same != candidates_.end()) ++same->weight;
    else candidates_.push_back({whole, n, 1});
    ++n;
    return true;
  });
  unbind_choice(current_choice());
  return n;
}

Move Interpreter::candidate(std::int32_t index) {
  const ir::Option& option = p.options[static_cast<std::size_t>(header().chance_a)];
  const int seat = header().chance_b;
  Move found = taken(option, seat);
  bind_choice(current_choice(), seat);
  each_like(option, seat, Move(found), [&](const Move& other) {
    found = other;
    return index-- > 0;
  });
  unbind_choice(current_choice());
  return found;
}

void Interpreter::settle_which(std::int32_t index) {
  const ir::Option& option = p.options[static_cast<std::size_t>(header().chance_a)];
  const int seat = header().chance_b;
  const Move move = candidate(index);
  take(option, seat, move);
  if (logging() && untold_.seat == seat) log_which(move);
  go_on_from(current_choice(), option);
}

}  // namespace rip
