// The order inside of a shuffled pile does not exist until a component is taken. So it can be read only where taking settles
// it: by a sentence, or a local `let`.
#include "interp/check/checker.h"
#include "interp/check/walk.h"

#include <fmt/format.h>

namespace rip::check {

using rules::ExprId;
using rules::Op;
using rules::Stmt;

namespace {

/// Piles that can hold a bag: shuffled, refilled, or filled with a packet that had no order.
class Bags {
 public:
  Bags(const rules::Rules& rules, const Walk& walk) : rules_(rules), walk_(walk), mixed_(rules.zones.size(), false) {
    for (rules::ZoneId z = 0; z < rules.zones.size(); ++z)
      if (rules.zones[z].refill_from != kNoId) mixed_[z] = true;
    bool changed = true;
    while (changed) {
      changed = false;
      walk_.bodies([&](const rules::Block& body) {
        walk_.statements(body, [&](const Stmt& stmt) { changed = add(stmt) || changed; });
      });
    }
  }

  bool holds(rules::ZoneId zone) const { return mixed_[zone]; }

 private:
  bool mix(rules::ZoneId zone) {
    if (mixed_[zone] || rules_.zones[zone].kind != ast::ZoneKind::pile) return false;
    mixed_[zone] = true;
    return true;
  }

  bool add(const Stmt& stmt) {
    if (const auto* shuffle = std::get_if<rules::Shuffle>(&stmt.node)) return mix(rules_.exprs[shuffle->what].ref);
    if (const auto* move = std::get_if<rules::Move>(&stmt.node)) return unordered(move->what) && mix(rules_.exprs[move->to].ref);
    const auto* swap = std::get_if<rules::Swap>(&stmt.node);
    if (swap == nullptr || swap->second == kNoId || rules_.exprs[swap->first].op != Op::zone) return false;
    bool changed = false;
    if (unordered(swap->first)) changed = mix(rules_.exprs[swap->second].ref);
    if (unordered(swap->second)) changed = mix(rules_.exprs[swap->first].ref) || changed;
    return changed;
  }

  // A packet out of a hand or a bag, unless single components are picked out of it in an order.
  bool unordered(ExprId what) const {
    if (rules_.exprs[what].type.shape == rules::Shape::scalar) return false;
    bool found = false;
    walk_.expression(what, [&](ExprId id) {
      const rules::Expr& e = rules_.exprs[id];
      switch (e.op) {
        case Op::top: case Op::bottom: case Op::top_n: case Op::bottom_n: case Op::nth: return false;
        case Op::zone: found = found || rules_.zones[e.ref].kind == ast::ZoneKind::hand || mixed_[e.ref]; return true;
        case Op::call: found = found || (rules_.lets[e.ref].value != kNoId && unordered(rules_.lets[e.ref].value)); return true;
        case Op::local:
          if (e.type.shape != rules::Shape::set) return true;
          for (rules::ZoneId z = 0; z < rules_.zones.size(); ++z)
            found = found || (rules_.zones[z].type == e.type.id && (rules_.zones[z].kind == ast::ZoneKind::hand || mixed_[z]));
          return true;
        default: return true;
      }
    });
    return found;
  }

  const rules::Rules& rules_;
  const Walk& walk_;
  std::vector<bool> mixed_;
};

}  // namespace

void Checker::lint_bags() {
  const Walk walk(rules_);
  const Bags bags(rules_, walk);
  const auto look = [&](ExprId part) {
    walk.expression(part, [&](ExprId id) {
      const rules::Expr& e = rules_.exprs[id];
      const bool order = e.op == Op::top || e.op == Op::bottom || e.op == Op::top_n || e.op == Op::bottom_n || e.op == Op::nth;
      if (!order) return true;
      const rules::Expr& of = rules_.exprs[e.kids[e.op == Op::top_n || e.op == Op::bottom_n ? 1 : 0]];
      if (of.op == Op::zone && bags.holds(of.ref))
        report(Code::R0614, e.span, fmt::format("`{}` can have been shuffled, so its order does not exist yet here", rules_.zones[of.ref].name)).hint =
            fmt::format("a sentence or a local `let c = top of {}` settles it", rules_.zones[of.ref].name);
      return true;
    });
  };
  walk.bodies([&](const rules::Block& body) {
    walk.statements(body, [&](const Stmt& stmt) {
      walk.parts(stmt, [&](ExprId part, Role role) {
        if (role == Role::question) look(part);
      });
    });
  });
  const auto look_clause = [&](rules::ClauseId id) {
    if (id == kNoId) return;
    const rules::Clause& clause = rules_.clauses[id];
    for (const rules::Binder& binder : clause.binders) look(binder.source);
    look(clause.where);
    for (const rules::Key& key : clause.keys) look(key.value);
  };
  for (const rules::Phase& phase : rules_.phases) {
    if (!phase.loop) continue;
    const Stmt header{{}, kNoId, rules::Loop{*phase.loop, {}, kNoId}};
    walk.parts(header, [&](ExprId part, Role) { look(part); });
  }
  for (const rules::Let& let : rules_.lets) look(let.value);
  for (const rules::When& when : rules_.whens) {
    look_clause(when.clause);
    look(when.condition);
  }
  for (const rules::Claim& claim : rules_.claims) look(claim.condition);
  for (const rules::Bound& bound : rules_.bounds) {
    look_clause(bound.clause);
    for (const ExprId part : {bound.value, bound.low, bound.high}) look(part);
  }
  for (const rules::Report& each : rules_.reports) look(each.value);
  look(rules_.score);
  look_clause(rules_.winner);
}

}  // namespace rip::check
