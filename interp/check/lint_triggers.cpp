// Triggers that can wake each other for ever: which writes of one body can make the clause of another true. Counting up
// cannot make a count reach less, nor can a face be what no component says.
#include "interp/check/checker.h"
#include "interp/check/walk.h"

#include <fmt/format.h>

#include <optional>

namespace rip::check {

using rules::ExprId;
using rules::Op;
using rules::Stmt;

namespace {

struct Write {
  enum class Kind { var, add, remove, face } kind;
  std::uint32_t id = kNoId;  ///< a variable, a zone, or (face) a component type
  ExprId value = kNoId;      ///< what it is set or turned to; kNoId: anything
};

struct Change {
  bool up = false, down = false;
};

class TriggerGraph {
 public:
  explicit TriggerGraph(const rules::Rules& rules) : rules_(rules), walk_(rules) {
    for (const rules::Clause& clause : rules.clauses)
      for (const rules::Binder& binder : clause.binders) sources_[binder.local] = binder.source;
  }

  std::vector<Write> writes(const rules::Block& block) {
    std::vector<Write> out;
    std::set<rules::RoutineId> seen;
    collect(block, out, seen);
    return out;
  }

  /// Can one of these writes make the trigger newly hold?
  bool wakes(const std::vector<Write>& writes, const rules::When& when) const {
    return std::any_of(writes.begin(), writes.end(), [&](const Write& write) {
      if (when.clause == kNoId) return can_make(when.condition, write, true);
      const rules::Clause& clause = rules_.clauses[when.clause];
      if (clause.where != kNoId && can_make(clause.where, write, true)) return true;
      // Something new to run through wakes it only if the condition says nothing about the table.
      if (clause.where != kNoId && reads_game(clause.where)) return false;
      return std::any_of(clause.binders.begin(), clause.binders.end(), [&](const rules::Binder& binder) {
        const rules::Expr& source = rules_.exprs[binder.source];
        if (source.op == Op::zone) return write.kind == Write::Kind::add && write.id == source.ref;
        return reads(binder.source, write);
      });
    });
  }

 private:
  // ---- what a body writes ----
  void collect(const rules::Block& block, std::vector<Write>& out, std::set<rules::RoutineId>& seen) {
    walk_.statements(block, [&](const Stmt& stmt) {
      if (const auto* move = std::get_if<rules::Move>(&stmt.node)) {
        arrive(rules_.exprs[move->to].ref, move->face, out);
        depart(move->what, out);
      } else if (const auto* fill = std::get_if<rules::Fill>(&stmt.node)) {
        arrive(rules_.exprs[fill->what].ref, fill->face, out);
        depart(fill->from, out);
      } else if (const auto* swap = std::get_if<rules::Swap>(&stmt.node)) {
        for (const ExprId part : {swap->first, swap->second}) {
          if (part == kNoId) continue;
          for (const rules::ZoneId zone : zones_of(part)) arrive(zone, kNoId, out);
          depart(part, out);
          out.push_back({Write::Kind::face, rules_.exprs[part].type.id, kNoId});
        }
      } else if (const auto* turn = std::get_if<rules::Turn>(&stmt.node)) {
        out.push_back({Write::Kind::face, rules_.exprs[turn->what].type.id, turn->face});
      } else if (const auto* roll = std::get_if<rules::Roll>(&stmt.node)) {
        out.push_back({Write::Kind::face, rules_.exprs[roll->what].type.id, kNoId});
      } else if (const auto* assign = std::get_if<rules::Assign>(&stmt.node)) {
        out.push_back({Write::Kind::var, assign->target.var, assign->kind == rules::Assign::Kind::set ? assign->value : kNoId});
      } else if (const auto* pay = std::get_if<rules::Pay>(&stmt.node)) {
        out.push_back({Write::Kind::var, pay->from.var, kNoId});
        out.push_back({Write::Kind::var, pay->to.var, kNoId});
      } else if (const auto* call = std::get_if<rules::DoRoutine>(&stmt.node)) {
        if (seen.insert(call->routine).second) collect(rules_.routines[call->routine].body, out, seen);
      } else if (const auto* run = std::get_if<rules::RunPhase>(&stmt.node)) {
        collect(rules_.phases[run->phase].body, out, seen);
      }
    });
  }

  void arrive(rules::ZoneId zone, ExprId face, std::vector<Write>& out) const {
    out.push_back({Write::Kind::add, zone, kNoId});
    const rules::Zone& to = rules_.zones[zone];
    const bool turns = face != kNoId || to.face || to.kind == ast::ZoneKind::hand || to.deck != kNoId;
    if (turns && rules_.component_types[to.type].kind == ast::ComponentKind::card) out.push_back({Write::Kind::face, to.type, face});
  }

  void depart(ExprId what, std::vector<Write>& out) const {
    for (const rules::ZoneId zone : zones_of(what)) {
      out.push_back({Write::Kind::remove, zone, kNoId});
      if (rules_.zones[zone].refill_from == kNoId) continue;
      out.push_back({Write::Kind::add, zone, kNoId});
      for (const rules::ZoneId from : zones_of(rules_.zones[zone].refill_from)) out.push_back({Write::Kind::remove, from, kNoId});
    }
  }

  // Where these components can lie: the zones that the expression names, else all of the type.
  std::set<rules::ZoneId> zones_of(ExprId what) const {
    std::set<rules::ZoneId> zones;
    bool all = false;
    named_zones(what, zones, all);
    if (zones.empty() || all)
      for (rules::ZoneId z = 0; z < rules_.zones.size(); ++z)
        if (rules_.zones[z].type == rules_.exprs[what].type.id) zones.insert(z);
    return zones;
  }

  void named_zones(ExprId what, std::set<rules::ZoneId>& zones, bool& all) const {
    walk_.expression(what, [&](ExprId id) {
      const rules::Expr& e = rules_.exprs[id];
      if (e.type.base != rules::Base::component) return e.op != Op::local;
      if (e.op == Op::zone || e.op == Op::place_card) zones.insert(e.ref);
      if (e.op == Op::call && rules_.lets[e.ref].value != kNoId) named_zones(rules_.lets[e.ref].value, zones, all);
      if (e.op == Op::var || e.op == Op::type_values) all = true;
      if (e.op == Op::local) {
        const auto source = sources_.find(e.ref);
        if (source == sources_.end()) all = true;
        else named_zones(source->second, zones, all);
      }
      return true;
    });
  }

  // ---- what a condition reads ----
  bool direct(const rules::Expr& e, const Write& write) const {
    switch (write.kind) {
      case Write::Kind::var: return (e.op == Op::var || e.op == Op::var_family) && e.ref == write.id;
      case Write::Kind::add:
      case Write::Kind::remove: return (e.op == Op::zone || e.op == Op::place_card) && e.ref == write.id;
      case Write::Kind::face: {
        if (e.op == Op::face) return rules_.exprs[e.kids[0]].type.id == write.id;
        return e.phrase != kNoId && rules_.phrases[e.phrase].face && rules_.phrases[e.phrase].type == write.id;
      }
    }
    return false;
  }

  bool reads(ExprId part, const Write& write) const {
    bool found = false;
    walk_.expression(part, [&](ExprId id) {
      const rules::Expr& e = rules_.exprs[id];
      found = found || direct(e, write);
      if (!found && e.op == Op::call && rules_.lets[e.ref].value != kNoId) found = reads(rules_.lets[e.ref].value, write);
      return !found;
    });
    return found;
  }

  bool reads_game(ExprId part) const {
    bool found = false;
    walk_.expression(part, [&](ExprId id) {
      const rules::Expr& e = rules_.exprs[id];
      found = found || e.op == Op::var || e.op == Op::var_family || e.op == Op::zone || e.op == Op::place_card || e.op == Op::face;
      if (!found && e.op == Op::call && rules_.lets[e.ref].value != kNoId) found = reads_game(rules_.lets[e.ref].value);
      return !found;
    });
    return found;
  }

  Change change(ExprId id, const Write& write) const {
    const rules::Expr& e = rules_.exprs[id];
    if (e.op == Op::count_set && rules_.exprs[e.kids[0]].op == Op::zone) {
      const rules::Expr& zone = rules_.exprs[e.kids[0]];
      Change out;
      if (zone.ref == write.id && write.kind == Write::Kind::add) out.up = true;
      if (zone.ref == write.id && write.kind == Write::Kind::remove) out.down = true;
      for (const ExprId index : zone.kids)
        if (reads(index, write)) out.up = out.down = true;
      return out;
    }
    const bool any = reads(id, write);
    return {any, any};
  }

  bool can_make(ExprId id, const Write& write, bool truth) const {
    const rules::Expr& e = rules_.exprs[id];
    switch (e.op) {
      case Op::logical_and:
      case Op::logical_or: return can_make(e.kids[0], write, truth) || can_make(e.kids[1], write, truth);
      case Op::logical_not: return can_make(e.kids[0], write, !truth);
      case Op::if_else:
      case Op::match:
        return reads(e.kids[0], write) ||
               std::any_of(e.kids.begin() + 1, e.kids.end(), [&](ExprId branch) { return can_make(branch, write, truth); });
      case Op::call: {
        for (const ExprId kid : e.kids)
          if (reads(kid, write)) return true;
        return rules_.lets[e.ref].value != kNoId && can_make(rules_.lets[e.ref].value, write, truth);
      }
      case Op::is_empty: {
        const rules::Expr& zone = rules_.exprs[e.kids[0]];
        if (zone.op == Op::zone && zone.ref == write.id && write.kind == Write::Kind::add) return !truth;
        if (zone.op == Op::zone && zone.ref == write.id && write.kind == Write::Kind::remove) return truth;
        return reads(id, write);
      }
      case Op::in_set: {
        if (reads(e.kids[0], write)) return true;
        const rules::Expr& zone = rules_.exprs[e.kids[1]];
        if (zone.op == Op::zone && zone.ref == write.id && write.kind == Write::Kind::add) return truth;
        if (zone.op == Op::zone && zone.ref == write.id && write.kind == Write::Kind::remove) return !truth;
        return reads(id, write);
      }
      case Op::eq: case Op::ne: case Op::lt: case Op::le: case Op::gt: case Op::ge: break;
      default: return reads(id, write);
    }
    const ExprId left = e.kids[0], right = e.kids[1];
    const bool equal = (e.op == Op::eq) == truth && (e.op == Op::eq || e.op == Op::ne);
    if (equal && (write.kind == Write::Kind::face || write.kind == Write::Kind::var)) {
      const Op op = write.kind == Write::Kind::face ? Op::face : Op::var;
      for (const auto& [written, other] : {std::pair{left, right}, std::pair{right, left}})
        if (rules_.exprs[written].op == op && direct(rules_.exprs[written], write) && !reads(other, write) && index_stays(written, write))
          return can_be(write, written, other);
    }
    const Change a = change(left, write), b = change(right, write);
    if (!a.up && !a.down && !b.up && !b.down) return false;
    if (e.op == Op::eq || e.op == Op::ne) {
      if (!equal) return true;
      // One side counts towards the other: from below it must have been smaller, from above larger.
      const rules::Type &x = rules_.exprs[left].type, &y = rules_.exprs[right].type;
      if (x.base != rules::Base::integer) return true;
      return ((a.up || b.down) && x.low < y.high) || ((a.down || b.up) && x.high > y.low);
    }
    const bool rises = (e.op == Op::gt || e.op == Op::ge) == truth;  // true by the left side growing
    return rises ? a.up || b.down : a.down || b.up;
  }

  // The write does not change which face or which variable of a family is meant.
  bool index_stays(ExprId written, const Write& write) const {
    const std::vector<ExprId>& kids = rules_.exprs[written].kids;
    return std::none_of(kids.begin(), kids.end(), [&](ExprId kid) { return reads(kid, write); });
  }

  // `written == other` after the variable or face has become what `write` says.
  bool can_be(const Write& write, ExprId written, ExprId other) const {
    if (write.value == kNoId) return true;
    const rules::Expr &to = rules_.exprs[write.value], &is = rules_.exprs[other];
    if (disjoint(to.type, is.type)) return false;
    if (to.op != Op::attribute || is.op != Op::attribute || to.ref != is.ref || !same(to.kids[0], is.kids[0])) return true;
    const rules::Type& values = rules_.exprs[written].type;
    for (const rules::Deck& deck : rules_.decks) {
      if (deck.type != to.ref) continue;
      if (!deck.rows.empty()) return true;
      for (const rules::DeckLine& line : deck.lines) {
        const auto a = printed(line.phrase, static_cast<rules::AttrId>(to.value)), b = printed(line.phrase, static_cast<rules::AttrId>(is.value));
        if (!a || !b || (*a == *b && values.low <= *a && *a <= values.high)) return true;
      }
    }
    return false;
  }

  std::optional<std::int64_t> printed(const rules::Phrase& phrase, rules::AttrId attribute) const {
    for (const auto& [id, value] : phrase.attributes)
      if (id == attribute) return rules_.exprs[value].op == Op::constant ? std::optional(rules_.exprs[value].value) : std::nullopt;
    const rules::Attribute& declared = rules_.component_types[phrase.type].attributes[attribute];
    if (!declared.start) return declared.type.low;
    return rules_.exprs[*declared.start].op == Op::constant ? std::optional(rules_.exprs[*declared.start].value) : std::nullopt;
  }

  bool same(ExprId a, ExprId b) const {
    const rules::Expr &x = rules_.exprs[a], &y = rules_.exprs[b];
    if (x.op != y.op || x.ref != y.ref || x.value != y.value || x.kids.size() != y.kids.size() || x.clause != y.clause || x.phrase != y.phrase) return false;
    for (std::size_t i = 0; i < x.kids.size(); ++i)
      if (!same(x.kids[i], y.kids[i])) return false;
    return true;
  }

  const rules::Rules& rules_;
  Walk walk_;
  std::map<rules::LocalId, ExprId> sources_;
};

}  // namespace

void Checker::lint_triggers() {
  TriggerGraph graph(rules_);
  const std::size_t count = rules_.whens.size();
  std::vector<std::vector<rules::WhenId>> wakes(count);
  for (rules::WhenId a = 0; a < count; ++a) {
    const std::vector<Write> writes = graph.writes(rules_.whens[a].body);
    for (rules::WhenId b = 0; b < count; ++b)
      if (graph.wakes(writes, rules_.whens[b])) wakes[a].push_back(b);
  }
  // A shortest way from each trigger back to itself; each circle is told once, at its first trigger.
  std::set<std::set<rules::WhenId>> told;
  for (rules::WhenId start = 0; start < count; ++start) {
    std::vector<std::optional<rules::WhenId>> before(count);
    std::vector<rules::WhenId> queue{start};
    std::optional<rules::WhenId> last;
    for (std::size_t i = 0; i < queue.size() && !last; ++i)
      for (const rules::WhenId next : wakes[queue[i]]) {
        if (next == start) {
          last = queue[i];
          break;
        }
        if (before[next]) continue;
        before[next] = queue[i];
        queue.push_back(next);
      }
    if (!last) continue;
    std::vector<rules::WhenId> path;
    for (rules::WhenId at = *last; at != start; at = *before[at]) path.insert(path.begin(), at);
    std::set<rules::WhenId> circle(path.begin(), path.end());
    circle.insert(start);
    if (!told.insert(circle).second) continue;
    Diagnostic& diagnostic = report(Code::R1006, rules_.whens[start].span, path.empty() ? "what this `when` does can wake it again" : "these `when`s can wake each other for ever");
    for (const rules::WhenId at : path) diagnostic.related.push_back({rules_.whens[at].span, "which can wake this one"});
    if (!path.empty()) diagnostic.related.push_back({rules_.whens[start].span, "and that again the first"});
  }
}

namespace {

/// A variable of a phase that is read whenever the expression is, whatever values it finds; kNoId: there is none.
ExprId read_for_sure(const rules::Rules& rules, ExprId id) {
  if (id == kNoId) return kNoId;
  const rules::Expr& e = rules.exprs[id];
  if (e.op == Op::call) return kNoId;
  if (e.clause != kNoId) {
    const rules::Clause& clause = rules.clauses[e.clause];
    return clause.binders.empty() ? kNoId : read_for_sure(rules, clause.binders.front().source);
  }
  const bool first_decides = e.op == Op::logical_and || e.op == Op::logical_or || e.op == Op::if_else || e.op == Op::match;
  for (std::size_t i = 0; i < (first_decides ? 1 : e.kids.size()); ++i) {
    if (const ExprId found = read_for_sure(rules, e.kids[i]); found != kNoId) return found;
  }
  return (e.op == Op::var || e.op == Op::var_family) && rules.vars[e.ref].phase != kNoId ? id : kNoId;
}

}  // namespace

// Outside of all phases it is asked after every effect, so one effect of another phase is enough for a fault.
void Checker::lint_listening() {
  TriggerGraph graph(rules_);
  for (const rules::When& when : rules_.whens) {
    if (when.phase != kNoId) continue;
    const ExprId asked = when.clause == kNoId ? when.condition : rules_.clauses[when.clause].binders.front().source;
    const ExprId read = read_for_sure(rules_, asked);
    if (read == kNoId) continue;
    const rules::Var& var = rules_.vars[rules_.exprs[read].ref];
    std::set<rules::PhaseId> around;
    for (rules::PhaseId phase = var.phase; phase != kNoId; phase = rules_.phases[phase].parent) around.insert(phase);
    for (rules::PhaseId other = 0; other < rules_.phases.size(); ++other) {
      const rules::Phase& phase = rules_.phases[other];
      if (phase.parent != kNoId || phase.routine != kNoId || around.contains(other) || graph.writes(phase.body).empty()) continue;
      const std::string& name = rules_.phases[var.phase].name;
      Diagnostic& diagnostic = report(Code::R0616, rules_.exprs[read].span, fmt::format("`{}` exists while the phase `{}` runs, but this `when` listens in `{}`, too", var.name, name, phase.name));
      diagnostic.hint = fmt::format("put it into `{}`, or let it begin with `{} is running and`", name, name);
      diagnostic.related.push_back({var.span, "declared here"});
      break;
    }
  }
}

}  // namespace rip::check
