// Sentences: each is one effect. Operands are settled, then read, then everything changes at once.
#include "interp/reference/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace rip::reference {

using rules::ExprId;
using rules::kNoId;
using rules::kNone;
using rules::Op;
using rules::Shape;

void Evaluator::effect(const std::function<void()>& happen) {
  if (together_ > 0) {
    happen();
    after_change();
    return;
  }
  const Truths before = truths(true);
  const Span cause = statement_;
  happen();
  after_change();
  wake(before, cause);
}

void Evaluator::after_change() {
  show_tops();
  see();
  forget_departed();
}

void Evaluator::settle(ExprId expr) {
  if (expr == kNoId) return;
  const rules::Expr& e = rules_[expr];
  const bool before = settling_;
  settling_ = true;
  const Finally restore([&] { settling_ = before; });
  if (e.op == Op::if_else) settle(holds(e.kids[0]) ? e.kids[1] : e.kids[2]);
  else if (e.op == Op::random) settle(e.kids[0]);
  else value(expr);
}

void Evaluator::run_effect(const rules::Move& move, Span span) {
  effect([&] {
    std::vector<Packet> packets;
    const auto read = [&] { packets.push_back(packet(move.what, instance(move.to), move.under, move.face)); };
    const auto settle_all = [&] {
      settle(move.what);
      for (const ExprId index : rules_[move.to].kids) settle(index);
      settle(move.face);
    };
    if (move.each == kNoId) {
      settle_all();
      read();
    } else {
      const rules::Clause& clause = rules_.clauses[move.each];
      const std::vector<Binding> all = bindings(move.each, Ties::fault);
      for (const Binding& binding : all) with(clause, binding, settle_all);
      for (const Binding& binding : all) with(clause, binding, read);
    }
    for (Packet& p : packets) settle_order(p);
    carry_out(packets, span);
  });
}

void Evaluator::run_effect(const rules::Fill& fill, Span span) {
  effect([&] {
    const std::vector<int> targets = instances(rules_[fill.what]);
    const int from = instance(fill.from);
    const auto count = [&](int zone) { return std::ssize(world_.spots[static_cast<std::size_t>(zone)].cards); };
    std::vector<int> places;  // one for each component that is missing
    if (fill.to_count != kNoId) {
      settle(fill.to_count);
      const std::int64_t wanted = needed(fill.to_count);
      for (const int zone : targets)
        for (std::int64_t n = count(zone); n < wanted; ++n) places.push_back(zone);
    } else {
      for (const int zone : targets)
        if (count(zone) == 0) places.push_back(zone);
    }
    settle_top(from, std::ssize(places));
    std::vector<Packet> packets;
    for (std::size_t i = 0; i < places.size() && static_cast<std::int64_t>(i) < count(from); ++i) {
      if (packets.empty() || packets.back().to != places[i]) {
        packets.push_back({{{{}, true}}, places[i], false, {}});
        if (fill.face != kNoId) packets.back().face = needed(fill.face);
      }
      packets.back().runs[0].cards.push_back(world_.spots[static_cast<std::size_t>(from)].cards[i]);
    }
    // One after the other: on a pile the last lies on top.
    for (Packet& p : packets)
      if (zone_rules(p.to).kind == ast::ZoneKind::pile) std::reverse(p.runs[0].cards.begin(), p.runs[0].cards.end());
    carry_out(packets, span);
  });
}

void Evaluator::run_effect(const rules::Swap& swap, Span span) {
  effect([&] {
    settle(swap.first);
    settle(swap.second);
    if (swap.second == kNoId) {
      const std::vector<std::int64_t> two = members(swap.first);
      if (two.size() != 2) fault(FaultKind::not_fitting, span, fmt::format("`swap` of a set of {}", two.size()));
      swap_components(static_cast<int>(two[0]), static_cast<int>(two[1]));
    } else if (rules_[swap.first].op == Op::zone && rules_[swap.second].op == Op::zone) {
      swap_zones(instance(swap.first), instance(swap.second), span);
    } else {
      swap_components(static_cast<int>(needed(swap.first)), static_cast<int>(needed(swap.second)));
    }
  });
}

void Evaluator::run_effect(const rules::Turn& turn, Span span) {
  effect([&] {
    settle(turn.what);
    settle(turn.face);
    const std::vector<std::int64_t> what = members(turn.what);
    if (what.empty()) return;
    const std::int64_t face = needed(turn.face);
    for (const std::int64_t component : what) {
      const rules::ComponentType& type = type_rules(static_cast<int>(component));
      if (type.kind == ast::ComponentKind::die && (face < type.low_face || face > type.high_face))
        fault(FaultKind::out_of_range, span, fmt::format("a die of {}..{} has no face {}", type.low_face, type.high_face, face));
      world_.face[static_cast<std::size_t>(component)] = face;
    }
  });
}

void Evaluator::run_effect(const rules::Shuffle& shuffle, Span) {
  effect([&] {
    for (const int zone : instances(rules_[shuffle.what])) {
      if (zone_rules(zone).kind != ast::ZoneKind::pile) throw std::logic_error("a shuffle of what is no pile");
      make_bag(zone, 0, world_.spots[static_cast<std::size_t>(zone)].cards.size());
    }
  });
}

void Evaluator::run_effect(const rules::Roll& roll, Span) {
  effect([&] {
    settle(roll.what);
    std::vector<std::int64_t> dice = by_place(members(roll.what));
    dice.erase(std::unique(dice.begin(), dice.end()), dice.end());
    std::vector<std::int64_t> faces;
    for (const std::int64_t die : dice) {
      Chance chance;
      chance.kind = ChanceKind::roll;
      chance.component = static_cast<int>(die);
      const rules::ComponentType& type = type_rules(static_cast<int>(die));
      for (std::int64_t face = type.low_face; face <= type.high_face; ++face) chance.outcomes.push_back({face, 1});
      faces.push_back(type.low_face + static_cast<std::int64_t>(ask_chance(std::move(chance))));
    }
    for (std::size_t i = 0; i < dice.size(); ++i) {
      world_.face[static_cast<std::size_t>(dice[i])] = faces[i];
      world_.known[static_cast<std::size_t>(dice[i])].clear();
    }
  });
}

void Evaluator::run_effect(const rules::Show& show, Span) {
  effect([&] {
    settle(show.what);
    settle(show.to);
    forget_departed();  // who could not follow a card to the top is shown it now
    std::set<int> seats;
    if (show.to == kNoId) for (int seat = 0; seat < box_.players; ++seat) seats.insert(seat);
    else for (const std::int64_t seat : set_of(show.to)) seats.insert(static_cast<int>(seat));
    const rules::Expr& e = rules_[show.what];
    const bool hidden_var = (e.op == Op::var || e.op == Op::var_family) && rules_.vars[e.ref].seen_by != kNoId;
    if (hidden_var) {
      value(show.what);
      const std::vector<std::int64_t> prefix = index_of(e.kids);
      for (auto& [index, known] : world_.var_known[e.ref])
        if (std::equal(prefix.begin(), prefix.end(), index.begin())) known.insert(seats.begin(), seats.end());
    } else if (e.type.base == rules::Base::component) {
      for (const std::int64_t component : members(show.what))
        world_.known[static_cast<std::size_t>(component)].insert(seats.begin(), seats.end());
    } else {
      value(show.what);
    }
  });
}

void Evaluator::run_effect(const rules::Assign& assign, Span span) {
  effect([&] {
    for (const ExprId index : assign.target.index) settle(index);
    settle(assign.value);
    const rules::Var& var = rules_.vars[assign.target.var];
    const std::vector<std::int64_t> index = index_of(assign.target.index);
    Value v = random_value(assign.value);
    if (assign.kind != rules::Assign::Kind::set) {
      const std::int64_t old = var_value(assign.target.var, index, span).scalar();
      if (old == kNone || v.scalar() == kNone) fault(FaultKind::none_used, span, "`none` cannot be counted with");
      v = {Shape::scalar, {assign.kind == rules::Assign::Kind::raise ? old + v.scalar() : old - v.scalar()}};
    } else if (var.type.shape == Shape::set) {
      const std::vector<std::int64_t> items = v.shape == Shape::scalar && v.scalar() == kNone ? std::vector<std::int64_t>{} : v.items;
      const std::set<std::int64_t> sorted(items.begin(), items.end());
      v = {Shape::set, {sorted.begin(), sorted.end()}};
    }
    write(assign.target.var, index, std::move(v), span);
  });
}

void Evaluator::run_effect(const rules::Pay& pay, Span span) {
  effect([&] {
    settle(pay.amount);
    const std::int64_t amount = needed(pay.amount);
    if (amount < 0) fault(FaultKind::out_of_range, span, "a payment below 0");
    const std::vector<std::int64_t> from = index_of(pay.from.index), to = index_of(pay.to.index);
    const std::int64_t left = var_value(pay.from.var, from, span).scalar() - amount;
    const std::int64_t more = var_value(pay.to.var, to, span).scalar() + amount;
    if (pay.from.var == pay.to.var && from == to) return;
    write(pay.from.var, from, {Shape::scalar, {left}}, span);
    write(pay.to.var, to, {Shape::scalar, {more}}, span);
  });
}

void Evaluator::write(rules::VarId id, const std::vector<std::int64_t>& index, Value v, Span span) {
  var_value(id, index, span);
  const rules::Var& var = rules_.vars[id];
  if (!in_type(var.type, v)) {
    const std::int64_t item = v.items[0];
    if (item == kNone) fault(FaultKind::none_used, span, fmt::format("`{}` may not be `none`", var.name));
    fault(FaultKind::out_of_range, span, fmt::format("`{}` would be {}, but must be in {}..{}", var.name,
                                                     value_text(rules_, box_, var.type, item, {}), type_low(var.type), type_high(var.type)));
  }
  world_.vars[id][index] = std::move(v);
  world_.var_known[id][index] = var_eyes(id, index);
}

// Both take the place, and the side, of the other.
void Evaluator::swap_components(int a, int b) {
  if (a == b) return;
  departs(a);
  departs(b);
  const int spots[2] = {world_.spot_of[static_cast<std::size_t>(a)], world_.spot_of[static_cast<std::size_t>(b)]};
  const std::size_t at[2] = {world_.position(a), world_.position(b)};
  const bool mixed[2] = {world_.bag_of(a) != 0, world_.bag_of(b) != 0};
  world_.spots[static_cast<std::size_t>(spots[0])].cards[at[0]] = b;
  world_.spots[static_cast<std::size_t>(spots[1])].cards[at[1]] = a;
  world_.spot_of[static_cast<std::size_t>(a)] = spots[1];
  world_.spot_of[static_cast<std::size_t>(b)] = spots[0];
  if (type_rules(a).kind == ast::ComponentKind::card && type_rules(b).kind == ast::ComponentKind::card)
    std::swap(world_.face[static_cast<std::size_t>(a)], world_.face[static_cast<std::size_t>(b)]);
  if (mixed[0] && !mixed[1]) reset_indexed(b);
  if (mixed[1] && !mixed[0]) reset_indexed(a);
  for (const int spot : spots) {
    if (zone_rules(spot).kind == ast::ZoneKind::hand) {
      std::vector<int>& cards = world_.spots[static_cast<std::size_t>(spot)].cards;
      std::sort(cards.begin(), cards.end());
    }
    world_.tidy(spot);
  }
}

void Evaluator::swap_zones(int a, int b, Span span) {
  if (a == b) return;
  std::vector<Packet> packets(2);
  for (int i = 0; i < 2; ++i) {
    const std::vector<int>& cards = world_.spots[static_cast<std::size_t>(i == 0 ? a : b)].cards;
    Packet& packet = packets[static_cast<std::size_t>(i)];
    packet.to = i == 0 ? b : a;
    packet.runs = runs_of({cards.begin(), cards.end()}, false);
    settle_order(packet);
  }
  carry_out(packets, span);
}

}  // namespace rip::reference
