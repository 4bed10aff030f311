// Labels of statements: what the rules depend on to get to a place, and what shows there. Rules and phases are entered where
// they are called; triggers and loops as often as anything changes.
#include "verify/labels.h"
#include "verify/labels_impl.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <type_traits>

namespace rip::verify {

using rules::Base;
using rules::Block;
using rules::ExprId;
using rules::kNoId;
using rules::Op;
using rules::Stmt;

namespace {
/// Expressions that are looked at before it is given up. The largest published game takes a hundredth of it.
constexpr std::size_t kMostWork = 2'000'000;

std::string shown_by(const Flow& flow, const rules::Rules& rules) {
  switch (flow.kind) {
    case Flow::Sink::options: return "what is offered";
    case Flow::Sink::asked: return "whom the rules ask";
    case Flow::Sink::variable: return fmt::format("`{}`", rules.vars[flow.to].name);
    case Flow::Sink::table: return "what happens on the table";
    case Flow::Sink::goes_on: return "whether it goes on";
    case Flow::Sink::score: return "the result";
    case Flow::Sink::eyes: return "who sees what";
  }
  return "";
}
}  // namespace

Flows flows_of(const rules::Rules& rules) { return Labelling(rules).run(); }
Revealed told(const Flow& flow, const rules::Rules& rules) { return {flow.secret.span, flow.sink, shown_by(flow, rules)}; }

Labelling::Labelling(const rules::Rules& rules)
    : rules_(rules), walk_(rules), locals_(rules.locals.size()), variables_(rules.vars.size()), left_(kMostWork) {
  for (std::size_t i = 0; i < locals_.size(); ++i) locals_[i].key = locals_[i].family = fmt::format("l{}", i);
}

Flows Labelling::run() {
  what_triggers_change();
  do {
    grown_ = false;
    facts_.clear();
    // what is in an unshuffled deck is known to all, card by card
    for (const rules::Deck& deck : rules_.decks) {
      if (rules_.zones[deck.zone].refill_from == kNoId) facts_.insert(fmt::format("z:z{}()", deck.zone));
    }
    block(rules_.main);
    for (const rules::When& when : rules_.whens) trigger(when);
    eyes();
    if (rules_.score == kNoId && rules_.winner != kNoId) {
      facts_.clear();
      sink(clause(rules_.winner), Flow::Sink::score, rules_.clauses[rules_.winner].span);
    }
    if (rules_.score != kNoId) {
      facts_.clear();
      const Readers own{false, {fmt::format("l{}", rules_.score_seat)}};
      sink(value(rules_.score).secrets, Flow::Sink::score, rules_[rules_.score].span, &own);
    }
  } while (grown_ && left_ > 0);
  Flows out;
  out.complete = left_ > 0;
  out.any_secret = std::any_of(rules_.vars.begin(), rules_.vars.end(), [](const rules::Var& var) { return var.seen_by != kNoId; }) ||
                   std::any_of(rules_.zones.begin(), rules_.zones.end(), [&](const rules::Zone& zone) {
                     const auto kind = rules_.component_types[zone.type].kind;
                     const bool eyes = zone.kind == ast::ZoneKind::hand || zone.seen_by != kNoId;
                     return kind == ast::ComponentKind::card ? eyes || zone.face != 0 || zone.kind == ast::ZoneKind::pile : kind == ast::ComponentKind::die && eyes;
                   });
  for (auto& [at, flow] : flows_) out.all.push_back(flow);
  std::stable_sort(out.all.begin(), out.all.end(), [](const Flow& x, const Flow& y) {
    return std::tuple(x.sink.file, x.sink.begin, x.secret.span.begin) < std::tuple(y.sink.file, y.sink.begin, y.secret.span.begin);
  });
  return out;
}

/// Who sees what, and how much fits where, is noticed by all.
void Labelling::eyes() {
  facts_.clear();
  control_.clear();
  const auto seen = [&](ExprId id) {
    if (id != kNoId) sink(value(id).secrets, Flow::Sink::eyes, rules_[id].span);
  };
  for (const rules::Zone& zone : rules_.zones) {
    seen(zone.seen_by);
    seen(zone.max);
    seen(zone.refill_keeping);
  }
  for (const rules::Var& var : rules_.vars) seen(var.seen_by);
}

/// Everybody in the audience (nobody named: all seats) may notice what depends on these secrets.
void Labelling::sink(const Label& label, Flow::Sink kind, Span span, const Readers* audience, rules::VarId to) {
  for (const int id : label) {
    const Known& known = secrets_[static_cast<std::size_t>(id)];
    const auto& may = known.readers.seats;
    if (audience != nullptr && !audience->all && std::includes(may.begin(), may.end(), audience->seats.begin(), audience->seats.end())) continue;
    flows_.try_emplace({id, span.begin, span.end, static_cast<int>(kind)}, Flow{known.secret, span, kind, to});
  }
}

/// An effect that all seats notice.
void Labelling::noticed(Label label, Span span) {
  add(label, control_);
  sink(label, Flow::Sink::table, span);
  triggers_run();
}

/// What the bodies of triggers, and the rules they do, bring somewhere or set.
void Labelling::what_triggers_change() {
  const std::function<void(const Block&)> look = [&](const Block& body) {
    walk_.statements(body, [&](const Stmt& stmt) {
      const auto to = [&](ExprId zone) {
        if (rules_[zone].op == Op::zone) changed_by_triggers_.insert(fmt::format("z:z{}(", rules_[zone].ref));
        else anything_by_triggers_ = true;
      };
      if (const auto* move = std::get_if<rules::Move>(&stmt.node)) to(move->to);
      else if (const auto* fill = std::get_if<rules::Fill>(&stmt.node)) to(fill->what);
      else if (const auto* assign = std::get_if<rules::Assign>(&stmt.node)) changed_by_triggers_.insert(fmt::format("v{}(", assign->target.var));
      else if (const auto* call = std::get_if<rules::DoRoutine>(&stmt.node)) look(rules_.routines[call->routine].body);
      else if (std::holds_alternative<rules::Shuffle>(stmt.node) || std::holds_alternative<rules::Swap>(stmt.node) || std::holds_alternative<rules::Roll>(stmt.node) ||
               std::holds_alternative<rules::RunPhase>(stmt.node) || std::holds_alternative<rules::EndPhase>(stmt.node)) {
        anything_by_triggers_ = true;
      }
    });
  };
  for (const rules::When& when : rules_.whens) look(when.body);
}

void Labelling::triggers_run() {
  if (rules_.whens.empty()) return;
  if (anything_by_triggers_) return forget_all();
  std::erase_if(facts_, [&](const std::string& fact) {
    return fact.starts_with("c:") || std::any_of(changed_by_triggers_.begin(), changed_by_triggers_.end(), [&](const std::string& text) { return fact.find(text) != std::string::npos; });
  });
}

void Labelling::under(const Label& condition, const Block& body) {
  const Label before = control_;
  add(control_, condition);
  block(body);
  control_ = before;
}

/// Anything may have been moved or set. What a `let` has been shown to be stays.
void Labelling::forget_all() {
  std::erase_if(facts_, [](const std::string& fact) { return !fact.starts_with("l:"); });
}

/// Something else may lie there now.
void Labelling::forget_zone(const std::vector<Whereabouts>& places) {
  for (const Whereabouts& place : places) {
    if (place.zone == "?") forget_all();
    std::erase_if(facts_, [&](const std::string& fact) { return fact.starts_with("z:" + place.zone.substr(0, place.zone.size() - 1)); });
  }
}

void Labelling::forget_variable(rules::VarId var) {
  const std::string read = fmt::format("v{}(", var);
  std::erase_if(facts_, [&](const std::string& fact) { return fact.find(read) != std::string::npos; });
}

/// Some statement may leave the loop or phase before its end.
bool Labelling::leaves(const Block& body) const {
  bool found = anything_by_triggers_;
  walk_.statements(body, [&](const Stmt& stmt) {
    if (const auto* call = std::get_if<rules::DoRoutine>(&stmt.node)) found = found || leaves(rules_.routines[call->routine].body);
    else if (const auto* run = std::get_if<rules::RunPhase>(&stmt.node)) found = found || leaves(rules_.phases[run->phase].body);
    else found = found || std::holds_alternative<rules::Stop>(stmt.node) || std::holds_alternative<rules::EndTurn>(stmt.node) || std::holds_alternative<rules::EndPhase>(stmt.node);
  });
  return found;
}

void Labelling::block(const Block& body) {
  for (const Stmt& stmt : body) statement(stmt);
}

void Labelling::assign(const rules::VarTarget& target, Label label, Span span) {
  const rules::Var& var = rules_.vars[target.var];
  std::vector<Value> index;
  for (const ExprId id : target.index) {
    index.push_back(value(id));
    add(label, index.back().secrets);
  }
  add(label, control_);
  if (var.local) {
    const std::size_t before = variables_[target.var].size();
    add(variables_[target.var], label);
    grown_ = grown_ || variables_[target.var].size() != before;
  } else if (var.seen_by == kNoId) {
    sink(label, Flow::Sink::variable, span, nullptr, target.var);
  } else {
    const Readers audience = readers_of(var, index);
    sink(label, Flow::Sink::variable, span, &audience, target.var);
  }
  forget_variable(target.var);
  triggers_run();
}

void Labelling::move(const Stmt& stmt, const rules::Move& move) {
  Label label;
  if (move.each != kNoId) label = clause(move.each);
  const Value what = value(move.what), to = value(move.to);
  add(label, what.secrets);
  add(label, to.secrets);
  if (move.face != kNoId) add(label, value(move.face).secrets);
  noticed(std::move(label), stmt.span);
  for (const Whereabouts& place : what.places) {
    if (place.hand) forget_zone({place});  // who does not see what leaves a hand knows less of the rest
  }
  forget_zone(to.places);
  const bool one = rules_[move.what].type.shape == rules::Shape::scalar && move.each == kNoId;
  const bool open = std::all_of(to.places.begin(), to.places.end(), [](const Whereabouts& place) { return place.readers.all; });
  if (!open) std::erase_if(facts_, [](const std::string& fact) { return fact.starts_with("c:"); });
  else if (one && rules_[move.what].op == Op::local) facts_.insert("c:" + what.key);
}

void Labelling::turn(const Stmt& stmt, const rules::Turn& turn) {
  const Value what = value(turn.what), face = value(turn.face);
  Label label = what.secrets;
  add(label, face.secrets);
  noticed(std::move(label), stmt.span);
  const rules::Expr& side = rules_[turn.face];
  if (side.op != Op::constant || side.value != 0 || side.type.base != Base::side) return;
  const bool lies_open = std::all_of(what.places.begin(), what.places.end(), [](const Whereabouts& place) { return place.lies_open; });
  if (!lies_open || what.places.empty()) return;
  laid_open(turn.what, what);
}

/// All know now what lies in a zone, or a component that a name stands for.
void Labelling::laid_open(ExprId id, const Value& what) {
  const rules::Expr& e = rules_[id];
  if ((e.op == Op::zone || e.op == Op::place_card) && rules_.zones[e.ref].kind != ast::ZoneKind::pile) facts_.insert("z:" + what.places.front().key);
  else if (e.op == Op::local && e.type.shape == rules::Shape::scalar) facts_.insert("c:" + what.key);
}

void Labelling::show(const rules::Show& shown) {
  const bool all = shown.to == kNoId || readers(shown.to).all;
  const rules::Expr& e = rules_[shown.what];
  const Value what = value(shown.what);
  if (!all) return;
  if (e.op == Op::var || e.op == Op::var_family) facts_.insert("v:" + what.key);
  else if (e.type.base == Base::component) laid_open(shown.what, what);
  else if (e.op == Op::local) facts_.insert("l:" + what.key);
}

void Labelling::choose(const Stmt& stmt, const rules::Choose& choice) {
  Label asked = control_;
  std::string seat;
  if (choice.each) {
    Value first;
    add(asked, clause(choice.clause, &first));
    seat = first.key;
  } else {
    const Value who = value(choice.seat);
    add(asked, who.secrets);
    seat = who.key;
  }
  sink(asked, Flow::Sink::asked, stmt.span);
  const std::string before_me = me_;
  if (!choice.each) me_ = seat;
  const Readers audience{false, {seat}};
  const Facts before = facts_;
  std::optional<Facts> after;
  for (const rules::Option& option : choice.options) {
    facts_ = before;
    const rules::Clause& clause_of = rules_.clauses[option.clause];
    std::vector<std::pair<Label, Span>> parts;
    clause(option.clause, nullptr, &parts);
    for (const auto& [label, span] : parts) sink(label, Flow::Sink::options, span, &audience);
    // choosing is speaking: what was chosen is no secret, whatever it was chosen from
    for (const rules::Binder& binder : clause_of.binders) locals_[binder.local].secrets.clear();
    block(option.body);
    if (!after) after = facts_;
    std::erase_if(*after, [&](const std::string& fact) { return !facts_.contains(fact); });
  }
  facts_ = after.value_or(Facts{});
  me_ = before_me;
}

void Labelling::loop(const rules::LoopHeader& header, const Block& body, const std::vector<rules::VarId>& bindings, Span span) {
  const Label before_control = control_;
  const std::string before_me = me_;
  for (const rules::VarId name : bindings) forget_variable(name);
  Facts before = facts_;
  const auto enter_pass = [&] { std::visit(
      [&](const auto& loop) {
        using L = std::decay_t<decltype(loop)>;
        if constexpr (std::is_same_v<L, rules::ForLoop>) {
          const rules::Clause& names = rules_.clauses[loop.clause];
          Label label = clause(loop.clause);
          if (names.keys.empty()) {
            for (const rules::Binder& binder : names.binders) add_order(locals_[binder.local].places, rules_[binder.source].span, label);
          }
          // the names of a phase lie open
          if (!bindings.empty()) {
            Label seen = label;
            add(seen, control_);
            sink(seen, Flow::Sink::goes_on, span);
          }
          add(control_, label);
        } else {
          if constexpr (std::is_same_v<L, rules::TurnsLoop>) {
            add(control_, value(loop.from).secrets);
            me_ = fmt::format("turn{}.{}", span.file, span.begin);
            if (loop.then != kNoId) add(control_, value(loop.then).secrets);
            if (loop.where != kNoId) add(control_, value(loop.where).secrets);
          }
          if (loop.until != kNoId) add(control_, value(loop.until).secrets);
        }
      },
      header); };
  // what holds before each pass holds at first and after a pass
  while (true) {
    enter_pass();
    block(body);
    control_ = before_control;
    me_ = before_me;
    Facts head;
    std::set_intersection(before.begin(), before.end(), facts_.begin(), facts_.end(), std::inserter(head, head.end()));
    if (head == before || left_ == 0) break;
    facts_ = before = std::move(head);
  }
  // what each pass shows is shown of all that it ran through
  if (const auto* all = std::get_if<rules::ForLoop>(&header)) of_all_passes(rules_.clauses[all->clause]);
  else facts_ = std::move(before);
  if (leaves(body)) forget_all();
}

void Labelling::phase(rules::PhaseId id) {
  const rules::Phase& phase = rules_.phases[id];
  for (const rules::VarId var : phase.variables) {
    if (rules_.vars[var].start != kNoId) assign({var, {}}, value(rules_.vars[var].start).secrets, rules_.vars[var].span);
  }
  if (phase.loop) loop(*phase.loop, phase.body, phase.bindings, phase.span);
  else block(phase.body);
  if (leaves(phase.body)) forget_all();
}

void Labelling::trigger(const rules::When& when) {
  facts_.clear();
  me_ = "me";
  control_.clear();
  const Label label = when.clause != kNoId ? clause(when.clause) : value(when.condition).secrets;
  under(label, when.body);
}

void Labelling::statement(const Stmt& stmt) {
  if (left_ == 0) return;
  --left_;
  const auto all_of = [&](std::initializer_list<ExprId> parts) {
    Label label;
    for (const ExprId part : parts) {
      if (part == kNoId) continue;
      const Value v = value(part);
      add(label, v.secrets);
      forget_zone(v.places);
    }
    return label;
  };
  const auto ends = [&](Label label) {
    add(label, control_);
    sink(label, Flow::Sink::goes_on, stmt.span);
  };
  std::visit(
      [&](const auto& n) {
        using T = std::decay_t<decltype(n)>;
        if constexpr (std::is_same_v<T, rules::Move>) move(stmt, n);
        else if constexpr (std::is_same_v<T, rules::Fill>) noticed(all_of({n.what, n.to_count, n.from, n.face}), stmt.span);
        else if constexpr (std::is_same_v<T, rules::Swap>) noticed(all_of({n.first, n.second}), stmt.span);
        else if constexpr (std::is_same_v<T, rules::Turn>) turn(stmt, n);
        else if constexpr (std::is_same_v<T, rules::Shuffle> || std::is_same_v<T, rules::Roll>) {
          noticed(all_of({n.what}), stmt.span);
          std::erase_if(facts_, [](const std::string& fact) { return fact.starts_with("c:"); });
        } else if constexpr (std::is_same_v<T, rules::Show>) {
          sink(control_, Flow::Sink::table, stmt.span);
          show(n);
        } else if constexpr (std::is_same_v<T, rules::Assign>) {
          assign(n.target, value(n.value).secrets, stmt.span);
        } else if constexpr (std::is_same_v<T, rules::Pay>) {
          const Label amount = value(n.amount).secrets;
          assign(n.from, amount, stmt.span);
          assign(n.to, amount, stmt.span);
        } else if constexpr (std::is_same_v<T, rules::LetLocal>) {
          Value v = value(n.value);
          bind(n.local);
          locals_[n.local].secrets = std::move(v.secrets);
          locals_[n.local].places = std::move(v.places);
        } else if constexpr (std::is_same_v<T, rules::StartVar>) {
          const ExprId start = rules_.vars[n.var].start;
          if (start != kNoId) assign({n.var, {}}, value(start).secrets, stmt.span);
        } else if constexpr (std::is_same_v<T, rules::If>) {
          const Label label = value(n.condition).secrets;
          const Facts before = facts_;
          assume(n.condition);
          under(label, n.then_block);
          const Facts then = facts_;
          facts_ = before;
          under(label, n.else_block);
          std::erase_if(facts_, [&](const std::string& fact) { return !then.contains(fact); });
        } else if constexpr (std::is_same_v<T, rules::Loop>) {
          loop(n.header, n.body, {}, stmt.span);
        } else if constexpr (std::is_same_v<T, rules::MatchStmt>) {
          const Label label = value(n.subject).secrets;
          const Facts before = facts_;
          Facts after = before;
          for (const rules::MatchStmt::Arm& arm : n.arms) {
            facts_ = before;
            under(label, arm.body);
            std::erase_if(after, [&](const std::string& fact) { return !facts_.contains(fact); });
          }
          facts_ = after;
        } else if constexpr (std::is_same_v<T, rules::Choose>) {
          choose(stmt, n);
        } else if constexpr (std::is_same_v<T, rules::DoRoutine>) {
          const rules::Routine& routine = rules_.routines[n.routine];
          std::vector<Value> args;
          for (const ExprId arg : n.args) args.push_back(value(arg));
          for (std::size_t i = 0; i < args.size(); ++i) {
            bind(routine.params[i]);
            // a component is what it was, whatever lies there by now; a seat or number is the same one in both places
            if (rules_[n.args[i]].type.base == Base::component) args[i].key = args[i].family = locals_[routine.params[i]].key;
            locals_[routine.params[i]] = args[i];
          }
          block(routine.body);
        } else if constexpr (std::is_same_v<T, rules::Together>) {
          block(n.body);
        } else if constexpr (std::is_same_v<T, rules::Win>) {
          ends(value(n.who).secrets);
        } else if constexpr (std::is_same_v<T, rules::Stop> || std::is_same_v<T, rules::EndTurn> || std::is_same_v<T, rules::EndGame> || std::is_same_v<T, rules::EndPhase>) {
          ends({});
        } else if constexpr (std::is_same_v<T, rules::RunPhase>) {
          phase(n.phase);
        } else {
          static_assert(std::is_same_v<T, rules::ClaimHere>);
        }
      },
      stmt.node);
}

}  // namespace rip::verify
