// Decisions: what a seat may do, which of it looks the same to the seat, and what comes of it.
#include "interp/reference/evaluator.h"

#include <algorithm>
#include <stdexcept>

namespace rip::reference {

using rules::kNoId;
using rules::Shape;

void Evaluator::run_choice(const rules::Choose& choose, Span span) {
  const int seat = static_cast<int>(needed(choose.seat));
  with_me(seat, [&] {
    see();
    test_waiting();
    run_option(choose, ask_seat(choose, seat, span));
  });
}

// All decide about the same state; then the bodies run in the order of the clause.
void Evaluator::run_choice_each(const rules::Choose& choose, Span span) {
  const rules::Clause& clause = rules_.clauses[choose.clause];
  const std::vector<Binding> seats = bindings(choose.clause, Ties::fault);
  if (seats.empty()) return;
  see();
  test_waiting();
  std::set<std::int64_t> asked;
  for (const Binding& binding : seats)
    if (!asked.insert(binding[0].scalar()).second) fault(FaultKind::seat_twice, span, "a seat would decide twice at the same moment");
  std::vector<Move> taken;
  for (const Binding& binding : seats)
    with(clause, binding, [&] { taken.push_back(ask_seat(choose, static_cast<int>(binding[0].scalar()), span)); });
  for (std::size_t i = 0; i < seats.size(); ++i) with(clause, seats[i], [&] { run_option(choose, taken[i]); });
}

Move Evaluator::ask_seat(const rules::Choose& choose, int seat, Span span) {
  const std::vector<Offer> all = offers(choose, seat, span);
  if (result_.decisions.size() >= limits_.decisions) throw LimitReached{};
  std::vector<Move> moves;
  for (const Offer& offer : all) moves.push_back(offer.move);
  Decision decision;
  decision.seat = seat;
  decision.options = moves.size();
  if (limits_.digests) decision.digest = digest();
  const std::size_t answer = oracle_.decide(seat, moves, decision.digest);
  if (answer >= moves.size()) throw std::out_of_range("the oracle names an option that does not exist");
  decision.taken = moves[answer];
  result_.decisions.push_back(std::move(decision));
  Move move = moves[answer];
  move.args = which(rules_.clauses[choose.options[move.option].clause], all[answer]);
  return move;
}

std::vector<Evaluator::Offer> Evaluator::offers(const rules::Choose& choose, int seat, Span span) {
  std::vector<Offer> all;
  for (const bool otherwise : {false, true}) {
    if (otherwise && !all.empty()) break;
    for (std::uint32_t i = 0; i < choose.options.size(); ++i)
      if (choose.options[i].otherwise == otherwise) add_offers(choose, i, seat, all);
  }
  if (all.empty()) fault(FaultKind::stuck, span, "there is nothing that the seat may do");
  return all;
}

void Evaluator::add_offers(const rules::Choose& choose, std::uint32_t index, int seat, std::vector<Offer>& all) {
  const rules::Option& option = choose.options[index];
  const rules::Clause& clause = rules_.clauses[option.clause];
  std::map<Sketch, std::size_t> seen;
  std::vector<Arg> last;
  for (const Binding& binding : bindings(option.clause, Ties::share)) {
    std::vector<Arg> args;
    for (const Value& v : binding) args.push_back(v.items);
    if (differ_in_any(clause, last, args)) continue;
    last = args;
    const auto [entry, fresh] = seen.try_emplace(sketch(clause, args, [&](int c) { return look_of(c, seat); }), all.size());
    if (fresh) all.push_back({{option.name, index, args}, {}});
    all[entry->second].alike.push_back(args);
  }
}

// The same option: only names that are `any` differ. Those stand last, so such bindings follow one another.
bool Evaluator::differ_in_any(const rules::Clause& clause, const std::vector<Arg>& a, const std::vector<Arg>& b) {
  if (a.empty() || !clause.binders.back().any) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!clause.binders[i].any && a[i] != b[i]) return false;
  return true;
}

// Components are replaced by how they look and, among those that look the same, by the order in which they are named.
Evaluator::Sketch Evaluator::sketch(const rules::Clause& clause, const std::vector<Arg>& args,
                                    const std::function<std::vector<std::int64_t>(int)>& look) const {
  Sketch out;
  std::map<std::vector<std::int64_t>, std::vector<std::int64_t>> named;  // by look
  const auto number = [&](std::int64_t c, const std::vector<std::int64_t>& seen) {
    const std::vector<std::int64_t>& same = named[seen];
    return std::find(same.begin(), same.end(), c) - same.begin();
  };
  for (std::size_t i = 0; i < args.size(); ++i) {
    const rules::Binder& binder = clause.binders[i];
    out.push_back({-1, std::ssize(args[i])});
    if (!is_component(binder)) {
      out.push_back(args[i]);
      continue;
    }
    struct Named { std::vector<std::int64_t> seen; std::int64_t number; std::int64_t component; };
    std::vector<Named> members;
    for (const std::int64_t c : args[i]) {
      const std::vector<std::int64_t> seen = look(static_cast<int>(c));
      members.push_back({seen, number(c, seen), c});
    }
    if (binder.pick && !binder.in_order)
      std::stable_sort(members.begin(), members.end(), [](const Named& a, const Named& b) {
        return std::pair(a.seen, a.number) < std::pair(b.seen, b.number);
      });
    for (Named& member : members) {
      std::vector<std::int64_t>& same = named[member.seen];
      member.number = number(member.component, member.seen);
      if (member.number == std::ssize(same)) same.push_back(member.component);
      member.seen.push_back(member.number);
      out.push_back(member.seen);
    }
  }
  return out;
}

std::int64_t Evaluator::first_like(int component, const std::function<bool(int)>& same) const {
  const int zone = world_.spot_of[static_cast<std::size_t>(component)], bag = world_.bag_of(component);
  std::int64_t first = component;
  for (const int other : world_.spots[static_cast<std::size_t>(zone)].cards)
    if (other < first && world_.bag_of(other) == bag && same(other)) first = other;
  return first;
}

std::vector<std::int64_t> Evaluator::true_look(int component) const {
  const int zone = world_.spot_of[static_cast<std::size_t>(component)], bag = world_.bag_of(component);
  return {zone, bag, first_like(component, [&](int other) { return alike(other, component); })};
}

// How a component looks to the seat. A hand has no order: what the seat sees into, it tells apart by the fronts, all else
// by the backs, and so in a bag. Elsewhere it goes by the front (and who knows it) if the seat knows it, else by the place.
std::vector<std::int64_t> Evaluator::look_of(int component, int seat) {
  const int zone = world_.spot_of[static_cast<std::size_t>(component)];
  const int bag = world_.bag_of(component);
  const bool hand = zone_rules(zone).kind == ast::ZoneKind::hand;
  if (hand && sees_front(seat, component))
    return {zone, bag, first_like(component, [&](int other) { return same_for_rules(other, component); })};
  if (hand || bag != 0)
    return {zone, bag, first_like(component, [&](int other) {
              return back_side(other) == back_side(component) && !told_apart(other, component);
            })};
  if (world_.known[static_cast<std::size_t>(component)].contains(seat)) return true_look(component);
  return {zone, -1, component};
}

// Which of the bindings that look alike to the chooser it was: each is equally likely.
std::vector<Arg> Evaluator::which(const rules::Clause& clause, const Offer& offer) {
  Chance chance;
  chance.kind = ChanceKind::which;
  std::map<Sketch, std::size_t> seen;
  for (std::size_t i = 0; i < offer.alike.size(); ++i) {
    const auto [entry, fresh] = seen.try_emplace(sketch(clause, offer.alike[i], [&](int c) { return true_look(c); }), chance.outcomes.size());
    if (fresh) chance.outcomes.push_back({static_cast<std::int64_t>(i), 0});
    ++chance.outcomes[entry->second].weight;
  }
  const std::vector<Outcome> outcomes = chance.outcomes;
  return offer.alike[static_cast<std::size_t>(outcomes[ask_chance(std::move(chance))].value)];
}

void Evaluator::run_option(const rules::Choose& choose, const Move& move) {
  const rules::Option& option = choose.options[move.option];
  const rules::Clause& clause = rules_.clauses[option.clause];
  Binding binding;
  for (std::size_t i = 0; i < move.args.size(); ++i) {
    const rules::Binder& binder = clause.binders[i];
    binding.push_back({!binder.pick ? Shape::scalar : binder.in_order ? Shape::list : Shape::set, move.args[i]});
    if (binder.pick && !binder.in_order) std::sort(binding[i].items.begin(), binding[i].items.end());
  }
  with(clause, binding, [&] { run(option.body); });
  test_claims_at([&](const rules::Claim& claim) { return claim.moment == ast::MomentKind::move && claim.move == option.name; });
}

}  // namespace rip::reference
