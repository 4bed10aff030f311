#include "verify/termination.h"

#include "interp/check/walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <type_traits>

namespace rip::verify {

using rules::Block;
using rules::Expr;
using rules::ExprId;
using rules::kNoId;
using rules::Op;
using rules::Stmt;
using rules::VarId;
using rules::ZoneId;

namespace {

class Loops {
 public:
  explicit Loops(const rules::Rules& rules) : rules_(rules), walk_(rules) {}

  Termination run() {
    walk_.bodies([&](const Block& body) {
      walk_.statements(body, [&](const Stmt& stmt) {
        if (const auto* loop = std::get_if<rules::Loop>(&stmt.node)) judge(loop->header, loop->body, "", stmt.span);
      });
    });
    for (const rules::Phase& phase : rules_.phases) {
      if (phase.loop) judge(*phase.loop, phase.body, phase.name, phase.span);
    }
    std::stable_sort(out_.loops.begin(), out_.loops.end(), [](const LoopEnd& x, const LoopEnd& y) { return std::pair(x.span.file, x.span.begin) < std::pair(y.span.file, y.span.begin); });
    return std::move(out_);
  }

 private:
  void judge(const rules::LoopHeader& header, const Block& body, const std::string& name, Span span) {
    if (std::holds_alternative<rules::ForLoop>(header)) return;
    const bool turns = std::holds_alternative<rules::TurnsLoop>(header);
    const rules::Limit& limit = turns ? std::get<rules::TurnsLoop>(header).limit : std::get<rules::RepeatLoop>(header).limit;
    const ExprId until = turns ? std::get<rules::TurnsLoop>(header).until : std::get<rules::RepeatLoop>(header).until;
    LoopEnd end{name.empty() ? (turns ? "`turns`" : "`repeat`") : fmt::format("`{}`", name), span, ""};
    if (limit.kind == ast::Limit::Kind::cut_off) end.measure = fmt::format("{} is cut off", end.loop);
    for (ZoneId zone = 0; zone < rules_.zones.size() && end.measure.empty(); ++zone) {
      until_ = until;
      if (rules_.zones[zone].refill_from == kNoId && takes(body, zone) && !brings(body, zone)) {
        end.measure = fmt::format("each pass of {} takes a component from `{}`, and nothing brings one back", end.loop, rules_.zones[zone].name);
      }
    }
    for (VarId var = 0; var < rules_.vars.size() && end.measure.empty(); ++var) {
      for (const bool up : {true, false}) {
        if (!end.measure.empty() || !counts(body, var, up) || goes_back(body, var, up)) continue;
        end.measure = fmt::format("each pass of {} {} `{}`, and to leave its range is a fault", end.loop, up ? "raises" : "lowers", rules_.vars[var].name);
      }
    }
    out_.loops.push_back(std::move(end));
  }

  // ---- what every pass does ----

  /// Every way through the block comes to a statement that does it, before it can leave the pass.
  bool certainly(const Block& body, const std::function<bool(const Stmt&)>& does) {
    for (const Stmt& stmt : body) {
      if (certainly(stmt, does)) return true;
      if (may_leave(stmt)) return false;
    }
    return false;
  }
  bool certainly(const Stmt& stmt, const std::function<bool(const Stmt&)>& does) {
    if (does(stmt)) return true;
    return std::visit(
        [&](const auto& n) {
          using T = std::decay_t<decltype(n)>;
          if constexpr (std::is_same_v<T, rules::If>) return certainly(n.then_block, does) && certainly(n.else_block, does);
          else if constexpr (std::is_same_v<T, rules::MatchStmt>) {
            return !n.arms.empty() && std::all_of(n.arms.begin(), n.arms.end(), [&](const auto& arm) { return certainly(arm.body, does); });
          } else if constexpr (std::is_same_v<T, rules::Choose>) {
            if (n.each && !all_players(n.clause)) return false;
            return std::all_of(n.options.begin(), n.options.end(), [&](const rules::Option& option) { return certainly(option.body, does); });
          } else if constexpr (std::is_same_v<T, rules::Together>) return certainly(n.body, does);
          else if constexpr (std::is_same_v<T, rules::DoRoutine>) return certainly(rules_.routines[n.routine].body, does);
          else if constexpr (std::is_same_v<T, rules::Loop>) return runs(n.header) && certainly(n.body, does);
          else if constexpr (std::is_same_v<T, rules::RunPhase>) {
            const rules::Phase& phase = rules_.phases[n.phase];
            return (!phase.loop || runs(*phase.loop)) && certainly(phase.body, does);
          } else return false;
        },
        stmt.node);
  }
  /// A loop that has at least one pass.
  bool runs(const rules::LoopHeader& header) const {
    const auto* all = std::get_if<rules::ForLoop>(&header);
    return all != nullptr && all_players(all->clause);
  }
  bool all_players(rules::ClauseId id) const {
    const rules::Clause& clause = rules_.clauses[id];
    return clause.binders.size() == 1 && clause.where == kNoId && !clause.binders[0].pick && rules_[clause.binders[0].source].op == Op::players;
  }
  /// Anything that ends a pass, a phase or a loop; what ends the game is welcome.
  bool may_leave(const Stmt& stmt) const {
    bool found = false;
    const auto leaves = [&](const Stmt& inner) {
      found = found || std::holds_alternative<rules::Stop>(inner.node) || std::holds_alternative<rules::EndTurn>(inner.node) || std::holds_alternative<rules::EndPhase>(inner.node);
    };
    leaves(stmt);
    walk_.blocks(stmt, [&](const Block& block) { reach(block, leaves); });
    if (const auto* call = std::get_if<rules::DoRoutine>(&stmt.node)) reach(rules_.routines[call->routine].body, leaves);
    if (const auto* run = std::get_if<rules::RunPhase>(&stmt.node)) reach(rules_.phases[run->phase].body, leaves);
    return found || triggers_leave();
  }
  bool triggers_leave() const {
    bool found = false;
    for (const rules::When& when : rules_.whens) {
      reach(when.body, [&](const Stmt& inner) { found = found || std::holds_alternative<rules::EndTurn>(inner.node) || std::holds_alternative<rules::EndPhase>(inner.node); });
    }
    return found;
  }

  // ---- components ----

  bool in_zone(ExprId id, ZoneId zone) const {
    const Expr& e = rules_[id];
    return (e.op == Op::zone || e.op == Op::place_card) && e.ref == zone;
  }
  /// The members of this set lie in the zone.
  bool members_of(ExprId id, ZoneId zone) const {
    const Expr& e = rules_[id];
    if (in_zone(id, zone)) return true;
    return e.op == Op::set_of && e.kids.empty() && rules_.clauses[e.clause].binders.size() == 1 && members_of(rules_.clauses[e.clause].binders[0].source, zone);
  }
  bool takes(const Block& body, ZoneId zone) {
    taken_from_.clear();
    // names that an option binds to something that lies in the zone
    reach(body, [&](const Stmt& stmt) {
      const auto* choice = std::get_if<rules::Choose>(&stmt.node);
      if (choice == nullptr) return;
      for (const rules::Option& option : choice->options) {
        for (const rules::Binder& binder : rules_.clauses[option.clause].binders) {
          if (!members_of(binder.source, zone)) continue;
          if (!binder.pick || (binder.pick_low != kNoId && rules_[binder.pick_low].type.low >= 1)) taken_from_.insert(binder.local);
        }
      }
    });
    const bool never_empty = until_ != kNoId && ends_when_empty(until_, zone);
    return certainly(body, [&](const Stmt& stmt) {
      const auto* move = std::get_if<rules::Move>(&stmt.node);
      if (move == nullptr || move->each != kNoId || in_zone(move->to, zone)) return false;
      const Expr& what = rules_[move->what];
      if (what.op == Op::local) return taken_from_.contains(what.ref);
      if (!never_empty) return false;
      return in_zone(move->what, zone) || ((what.op == Op::top || what.op == Op::bottom) && in_zone(what.kids[0], zone));
    });
  }
  /// `until Z is empty`, also as part of an `or`; Z all of the zone.
  bool ends_when_empty(ExprId id, ZoneId zone) const {
    const Expr& e = rules_[id];
    if (e.op == Op::logical_or) return std::any_of(e.kids.begin(), e.kids.end(), [&](ExprId kid) { return ends_when_empty(kid, zone); });
    return e.op == Op::is_empty && in_zone(e.kids[0], zone) && rules_[e.kids[0]].kids.size() == rules_.zones[zone].index.size() && rules_.zones[zone].index.empty();
  }
  /// Something that runs within the loop may bring a component there.
  bool brings(const Block& body, ZoneId zone) {
    bool found = false;
    const auto mentions = [&](ExprId id) {
      if (id != kNoId) walk_.expression(id, [&](ExprId inner) { found = found || in_zone(inner, zone); return true; });
    };
    const auto look = [&](const Stmt& stmt) {
      if (const auto* move = std::get_if<rules::Move>(&stmt.node)) mentions(move->to);
      else if (const auto* fill = std::get_if<rules::Fill>(&stmt.node)) mentions(fill->what);
      else if (std::holds_alternative<rules::Swap>(stmt.node)) found = true;
    };
    reach(body, look);
    for (const rules::When& when : rules_.whens) reach(when.body, look);
    return found;
  }

  // ---- counters ----

  bool counts(const Block& body, VarId id, bool up) {
    const rules::Var& var = rules_.vars[id];
    if (var.type.shape != rules::Shape::scalar || var.type.base != rules::Base::integer || var.phase != kNoId || var.local) return false;
    return certainly(body, [&](const Stmt& stmt) {
      const auto* assign = std::get_if<rules::Assign>(&stmt.node);
      return assign != nullptr && assign->target.var == id && assign->kind == (up ? rules::Assign::Kind::raise : rules::Assign::Kind::lower) && rules_[assign->value].type.low >= 1;
    });
  }
  bool goes_back(const Block& body, VarId id, bool up) {
    bool found = false;
    const auto look = [&](const Stmt& stmt) {
      if (const auto* assign = std::get_if<rules::Assign>(&stmt.node); assign != nullptr && assign->target.var == id) {
        found = found || assign->kind != (up ? rules::Assign::Kind::raise : rules::Assign::Kind::lower) || rules_[assign->value].type.low < 0;
      }
      if (const auto* start = std::get_if<rules::StartVar>(&stmt.node)) found = found || start->var == id;
      if (const auto* pay = std::get_if<rules::Pay>(&stmt.node)) found = found || pay->from.var == id || pay->to.var == id;
    };
    reach(body, look);
    for (const rules::When& when : rules_.whens) reach(when.body, look);
    return found || indexed_by_component(id);
  }
  /// Such a variable takes its start value when the component gets into a bag.
  bool indexed_by_component(VarId id) const {
    return std::any_of(rules_.vars[id].index.begin(), rules_.vars[id].index.end(), [](const rules::Type& type) { return type.base == rules::Base::component; });
  }

  /// Every statement that may run within the block, with the rules and phases it does.
  void reach(const Block& body, const std::function<void(const Stmt&)>& f) const {
    walk_.statements(body, [&](const Stmt& stmt) {
      f(stmt);
      if (const auto* call = std::get_if<rules::DoRoutine>(&stmt.node)) reach(rules_.routines[call->routine].body, f);
      if (const auto* run = std::get_if<rules::RunPhase>(&stmt.node)) reach(rules_.phases[run->phase].body, f);
    });
  }

  const rules::Rules& rules_;
  check::Walk walk_;
  ExprId until_ = kNoId;
  std::set<rules::LocalId> taken_from_;
  Termination out_;
};

}  // namespace

bool Termination::proved() const {
  return std::all_of(loops.begin(), loops.end(), [](const LoopEnd& loop) { return !loop.measure.empty(); });
}

std::string Termination::text() const {
  if (loops.empty()) return "every loop of the rules runs through something fixed";
  std::string out;
  for (const LoopEnd& loop : loops) {
    if (out.find(loop.measure) == std::string::npos) out += (out.empty() ? "" : "; ") + loop.measure;
  }
  return out;
}

Termination termination_of(const rules::Rules& rules) { return Loops(rules).run(); }

}  // namespace rip::verify
