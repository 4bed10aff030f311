#include "verify/claims.h"

#include <fmt/format.h>

#include <algorithm>

namespace rip::verify {

using Kind = ir::Claim::Kind;

namespace {
constexpr const char* kUnreadable = "it cannot be read: a value that it needs is not there";
}

Tally::Tally(const ir::Program& program)
    : covered(program.covers.size(), 0),
      tested(program.claims.size(), 0),
      shown(program.claims.size(), 0),
      asked(program.claims.size(), 0),
      bounds(program.bounds.size(), {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {}

void Tally::add(const Tally& other) {
  for (std::size_t i = 0; i < covered.size(); ++i) covered[i] += other.covered[i];
  for (std::size_t i = 0; i < tested.size(); ++i) tested[i] += other.tested[i];
  for (std::size_t i = 0; i < shown.size(); ++i) shown[i] += other.shown[i];
  for (std::size_t i = 0; i < asked.size(); ++i) asked[i] += other.asked[i];
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    bounds[i].first = std::min(bounds[i].first, other.bounds[i].first);
    bounds[i].second = std::max(bounds[i].second, other.bounds[i].second);
  }
}

Premise premise_of(const ir::Program& program, const ir::Claim& claim) {
  Premise out;
  if (claim.kind != Kind::always || claim.condition == ir::kNoNode || !(claim.at_waiting || claim.at_end)) return out;
  const auto node = [&](ir::Node id) -> const ir::ExprNode& { return program.nodes[static_cast<std::size_t>(id)]; };
  const auto is_yes = [&](ir::Node id) { return node(id).op == ir::NodeOp::constant && node(id).a == 1; };
  const ir::ExprNode& claimed = node(claim.condition);
  if (claimed.op == ir::NodeOp::logical_or) {
    // a or b or c is (a or b) or c
    for (ir::Node at = claimed.a; at != ir::kNoNode;) {
      const bool more = node(at).op == ir::NodeOp::logical_or;
      out.conditions.emplace_back(more ? node(at).b : at, false);
      at = more ? node(at).a : ir::kNoNode;
    }
  } else if (claimed.op == ir::NodeOp::if_else && (is_yes(claimed.b) || is_yes(claimed.c))) {
    out.conditions.emplace_back(claimed.a, is_yes(claimed.c));
  } else if (claimed.op == ir::NodeOp::every) {
    out.clause = claimed.a;
  }
  return out;
}

Watcher::Watcher(const ir::Program& program) : tally(program), program_(program) {
  for (const ir::Claim& claim : program.claims) premises_.push_back(premise_of(program, claim));
}

bool Watcher::asked(Machine& machine, State& state, const Premise& premise) {
  bool unreadable = false;
  for (const auto& [condition, value] : premise.conditions) {
    if (machine.holds(state, condition, &unreadable) != value || unreadable) return false;
  }
  if (premise.clause < 0) return true;
  bool any = false;
  machine.for_each(state, premise.clause, [&] {
    any = true;
    return false;
  });
  return any;
}

void Watcher::add(Violation violation) {
  const bool known = std::any_of(violations.begin(), violations.end(), [&](const Violation& v) {
    return v.what == violation.what && v.index == violation.index && (v.what != Violation::What::limit || v.span == violation.span);
  });
  if (!known) violations.push_back(std::move(violation));
}

void Watcher::claim_violated(std::int32_t claim) {
  if (armed) add({Violation::What::claim, claim, program_.claims[static_cast<std::size_t>(claim)].span, ""});
}

void Watcher::limit_passed(Span span) { add({Violation::What::limit, 0, span, ""}); }

void Watcher::test(Machine& machine, State& state, bool at_end) {
  if (!armed) return;
  for (std::size_t i = 0; i < program_.claims.size(); ++i) {
    const ir::Claim& claim = program_.claims[i];
    if (!(at_end ? claim.at_end : claim.at_waiting)) continue;
    if (claim.kind == Kind::sometimes && tally.shown[i] > 0) continue;
    ++tally.tested[i];
    if (tally.asked[i] == 0 && asked(machine, state, premises_[i])) ++tally.asked[i];
    bool unreadable = false;
    const bool holds = claim.condition == ir::kNoNode || machine.holds(state, claim.condition, &unreadable);
    if (claim.kind == Kind::sometimes) {
      if (holds && !unreadable) ++tally.shown[i];
    } else if (unreadable) {
      add({Violation::What::claim, static_cast<std::int32_t>(i), claim.span, kUnreadable});
    } else if (holds == (claim.kind == Kind::never)) {
      add({Violation::What::claim, static_cast<std::int32_t>(i), claim.span, ""});
    }
  }
  for (std::size_t i = 0; i < program_.bounds.size(); ++i) {
    const ir::Bound& bound = program_.bounds[i];
    if (bound.at_end && !at_end) continue;
    auto& seen = tally.bounds[i];
    auto visit = [&] {
      bool unreadable = false;
      const std::int64_t value = machine.scalar(state, bound.value, unreadable);
      const std::int64_t low = machine.scalar(state, bound.low, unreadable);
      const std::int64_t high = machine.scalar(state, bound.high, unreadable);
      if (unreadable) {
        add({Violation::What::bound, static_cast<std::int32_t>(i), bound.span, kUnreadable});
        return false;
      }
      seen.first = std::min(seen.first, value);
      seen.second = std::max(seen.second, value);
      if (value >= low && value <= high) return true;
      add({Violation::What::bound, static_cast<std::int32_t>(i), bound.span, fmt::format("it is {}, outside {}..{}", value, low, high)});
      return false;
    };
    if (bound.clause < 0) visit();
    else machine.for_each(state, bound.clause, visit);
  }
}

std::string title(const ir::Program& program, const Violation& violation) {
  switch (violation.what) {
    case Violation::What::claim: {
      const ir::Claim& claim = program.claims[static_cast<std::size_t>(violation.index)];
      const char* kind = claim.kind == Kind::always ? "always" : claim.kind == Kind::never ? "never" : "sometimes";
      return fmt::format("{} \"{}\"", kind, claim.text);
    }
    case Violation::What::bound: return fmt::format("bound {}", program.bounds[static_cast<std::size_t>(violation.index)].text);
    case Violation::What::limit: return "at most";
  }
  return "";
}

}  // namespace rip::verify
