#include "verify/properties.h"

#include "verify/any_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

namespace rip::verify {

std::string_view name(PropertyKind kind) {
  switch (kind) {
    case PropertyKind::conservation: return "conservation";
    case PropertyKind::range: return "range";
    case PropertyKind::bound: return "bound";
    case PropertyKind::always: return "always";
    case PropertyKind::sometimes: return "sometimes";
    case PropertyKind::never: return "never";
    case PropertyKind::stuck: return "stuck";
    case PropertyKind::terminates: return "terminates";
    case PropertyKind::leak: return "leak";
    case PropertyKind::replay: return "replay";
    case PropertyKind::scenario: return "scenario";
    case PropertyKind::static_check: return "static";
  }
  return "";
}

const std::vector<PropertyInfo>& all_properties() {
  static const std::vector<PropertyInfo> table = {
#define RIP_PROPERTY(id, kind, name, text) {Property::id, PropertyKind::kind, #id, name, text},
#include "verify/properties.def"
#undef RIP_PROPERTY
  };
  return table;
}

const PropertyInfo& info(Property property) { return all_properties()[static_cast<std::size_t>(property)]; }

Failure failure(Property property, std::string detail, Span span) {
  const PropertyInfo& about = info(property);
  return {about.kind, std::string(about.name), std::move(detail), span, std::string(about.id)};
}

Failure failure(const ir::Program& program, const Violation& violation) {
  if (violation.what == Violation::What::limit) {
    Failure out = failure(Property::limits, "a loop goes on for one pass more", violation.span);
    out.key += fmt::format("-{}", violation.span.begin);
    return out;
  }
  Failure out;
  out.name = title(program, violation);
  out.detail = violation.detail;
  out.span = violation.span;
  if (violation.what == Violation::What::bound) {
    out.kind = PropertyKind::bound;
    out.key = fmt::format("bound-{}", violation.index);
    return out;
  }
  const ir::Claim::Kind kind = program.claims[static_cast<std::size_t>(violation.index)].kind;
  out.kind = kind == ir::Claim::Kind::never ? PropertyKind::never : PropertyKind::always;
  out.key = fmt::format("{}-{}", name(out.kind), violation.index);
  return out;
}

Failure failure(const Fault& fault) {
  Failure out = failure(fault.code == FaultCode::stuck ? Property::can_move : Property::no_fault, fault.message, fault.span);
  out.key += fmt::format("-{}", fault.span.begin);
  return out;
}

std::optional<Failure> examine_zones(const Machine& machine, const State& state) {
  const ir::Program& program = machine.program();
  const auto number = [&](std::int32_t offset) {
    std::uint16_t value;
    std::memcpy(&value, state.bytes.data() + offset, sizeof value);
    return value;
  };
  thread_local std::vector<std::uint8_t> seen;
  seen.assign(program.components.size(), 0);
  for (std::size_t z = 0; z < program.zones.size(); ++z) {
    const ir::Zone& zone = program.zones[z];
    const std::int32_t n = number(program.counts + 2 * static_cast<std::int32_t>(z));
    if (n > zone.capacity) return failure(Property::zone_sizes, fmt::format("{} holds {} components", zone.name, n));
    for (std::int32_t i = 0; i < n; ++i) {
      const std::uint16_t c = number(zone.ids + 2 * i);
      if (c >= seen.size() || seen[c]++ != 0) return failure(Property::conserved, fmt::format("a component lies twice, last in {}", zone.name));
      if (number(program.zone_of + 2 * c) != z) {
        return failure(Property::conserved, fmt::format("{} lies in {} and says otherwise", program.components[c].phrase, zone.name));
      }
    }
  }
  for (std::size_t c = 0; c < seen.size(); ++c) {
    if (seen[c] == 0) return failure(Property::conserved, fmt::format("{} lies nowhere", program.components[c].phrase));
  }
  return std::nullopt;
}

namespace {

/// In longer lists not every pair is compared; the longest are not listed, only tested by samples.
constexpr std::size_t kManyMoves = 400;
constexpr std::uint64_t kMostListed = 4000;

/// The option with this number, its number again, its text.
std::optional<Failure> examine_number(Sitting& sitting, int seat, std::uint64_t at, Move& move) {
  Machine& machine = sitting.machine;
  State& state = sitting.state;
  if (!machine.nth_move(state, seat, at, move)) return failure(Property::moves, fmt::format("there is no option {}", at));
  const auto number = machine.number_of(state, seat, move);
  if (!number) return failure(Property::moves, fmt::format("`{}` is listed, but not legal", machine.text(move)));
  if (*number != at) return failure(Property::moves, fmt::format("`{}` is option {}, but has the number {}", machine.text(move), at, *number));
  const std::string text = machine.text_for(state, move, seat);
  if (text.empty() || text != machine.text_for(state, move, seat)) return failure(Property::texts, "an option has no stable text");
  return std::nullopt;
}

std::optional<Failure> examine_moves(Sitting& sitting, int seat, Rng& rng) {
  Machine& machine = sitting.machine;
  State& state = sitting.state;
  const State before = state;
  const std::uint64_t count = machine.count_moves(state, seat);
  if (count == 0) return failure(machine.fault(state));
  if (count > kMostListed) {
    for (const std::uint64_t at : {std::uint64_t{0}, count - 1, rng.below(count), rng.below(count)}) {
      Move move;
      if (auto found = examine_number(sitting, seat, at, move)) return found;
    }
    if (!(state == before)) return failure(Property::views, "counting options changed the state");
    return std::nullopt;
  }
  std::vector<Move> moves, again;
  machine.legal_moves(state, seat, moves);
  if (count != moves.size()) return failure(Property::moves, fmt::format("{} options are listed, {} counted", moves.size(), count));
  machine.legal_moves(state, seat, again);
  if (moves != again) return failure(Property::moves, "the second list of options differs from the first");
  for (int i = 0; i < 4; ++i) {
    const std::uint64_t at = rng.below(count);
    Move move;
    if (auto found = examine_number(sitting, seat, at, move)) return found;
    if (!(move == moves[at])) {
      return failure(Property::moves, fmt::format("option {} is `{}` in the list, `{}` by number", at, machine.text(moves[at]), machine.text(move)));
    }
    Rng same = rng;
    Move sampled;
    machine.sample_move(state, seat, same, sampled);
    if (std::find(moves.begin(), moves.end(), sampled) == moves.end()) {
      return failure(Property::moves, fmt::format("`{}` was sampled, but is not listed", machine.text(sampled)));
    }
  }
  if (moves.size() <= kManyMoves) {
    for (std::size_t i = 0; i < moves.size(); ++i) {
      for (std::size_t k = i + 1; k < moves.size(); ++k) {
        if (moves[i] == moves[k]) return failure(Property::moves, fmt::format("`{}` is listed twice", machine.text(moves[i])));
      }
    }
    for (const Move& move : moves) {
      const std::string text = machine.text_for(state, move, seat);
      if (text.empty() || text != machine.text_for(state, move, seat)) return failure(Property::texts, "an option has no stable text");
    }
  }
  if (!(state == before)) return failure(Property::views, "listing options changed the state");
  return std::nullopt;
}

std::optional<Failure> examine_chance(Sitting& sitting) {
  std::vector<Outcome> outcomes;
  sitting.machine.outcomes(sitting.state, outcomes);
  if (outcomes.size() < 2) return failure(Property::chance, fmt::format("a chance point has {} outcomes", outcomes.size()));
  std::set<std::int32_t> values;
  for (const Outcome& outcome : outcomes) {
    if (outcome.weight == 0) return failure(Property::chance, fmt::format("`{}` has no weight", outcome.text));
    if (!values.insert(outcome.value).second) return failure(Property::chance, fmt::format("`{}` stands twice", outcome.text));
  }
  return std::nullopt;
}

std::optional<Failure> examine_views(Sitting& sitting) {
  const State before = sitting.state;
  for (int seat = kAllSeeing; seat < sitting.playable.players(); ++seat) {
    const std::string view = sitting.machine.view(sitting.state, seat).text();
    if (view != sitting.machine.view(sitting.state, seat).text()) return failure(Property::views, "looking twice shows two things");
  }
  if (!(sitting.state == before)) return failure(Property::views, "looking changed the state");
  return std::nullopt;
}

/// Plays some steps on both with the same random numbers.
std::optional<Failure> examine_copy(Sitting& sitting, Rng& rng) {
  State original = sitting.state;
  State copy = sitting.state;
  Machine other(*sitting.playable.program);
  Observer* observer = sitting.machine.observer;
  sitting.machine.observer = nullptr;
  Rng first = rng, second = rng;
  std::optional<Failure> found;
  auto go_on = [](Machine& machine, State& state, Rng& random) {
    if (machine.status(state) == Status::decision) {
      const int seat = machine.to_move(state);
      Move move;
      if (machine.sample_move(state, seat, random, move) == 0) return;
      machine.decide(state, seat, move);
      if (machine.status(state) == Status::decision) return;
    }
    machine.run(state, &random);
  };
  for (int i = 0; i < 3 && !found; ++i) {
    go_on(sitting.machine, original, first);
    go_on(other, copy, second);
    if (!(original == copy)) found = failure(Property::copies, "the copy went another way with the same decisions and chance");
  }
  sitting.machine.observer = observer;
  return found;
}

}  // namespace

std::optional<Failure> examine_stop(Sitting& sitting, Rng& rng) {
  if (auto found = examine_zones(sitting.machine, sitting.state)) return found;
  if (sitting.status == Status::chance) return examine_chance(sitting);
  if (sitting.status == Status::decision) {
    for (int seat = 0; seat < sitting.playable.players(); ++seat) {
      if ((sitting.machine.deciding(sitting.state) >> seat & 1u) == 0) continue;
      if (auto found = examine_moves(sitting, seat, rng)) return found;
      if (auto found = examine_any(sitting, seat, rng)) return found;
    }
    if (auto found = examine_views(sitting)) return found;
    if (rng.below(4) == 0) return examine_copy(sitting, rng);
  }
  return std::nullopt;
}

std::optional<Failure> examine_replay(const Sitting& sitting) {
  Sitting again(sitting.playable);
  again.begin();
  const Fit fit = replay(again, sitting.tape);
  if (!fit.misfit.empty()) return failure(Property::same_tape, fit.misfit);
  if (!(again.state == sitting.state)) return failure(Property::same_tape, "the second playing ended in another state");
  if (again.machine.hash(again.state) != sitting.machine.hash(sitting.state)) return failure(Property::same_tape, "equal states have different hashes");
  return std::nullopt;
}

}  // namespace rip::verify
