// What the analysis of secrets knows of a value and of a moment. Used by labels.cpp (statements), labels_expr.cpp (expressions).
#pragma once

#include "interp/check/walk.h"
#include "verify/labels.h"

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace rip::verify {

/// Seats by the text of the expression that names them; a set that is not written as its members is one text of its own.
struct Readers {
  bool all = false;
  std::set<std::string> seats;
};

/// Zones where a component may lie.
struct Whereabouts {
  std::string key;          ///< the zone with its index
  std::string family;       ///< with names of clauses replaced by what they range over
  std::string zone;         ///< without index: all zones of the name
  Readers readers;          ///< of fronts there
  bool eyes = false;        ///< a hand, or `seen by`: also what dice show is hidden there
  bool hand = false;        ///< it has no order of its own
  bool lies_open = false;   ///< a row or place: what lies face up there is seen by all
};

struct Value {
  std::set<int> secrets;    ///< what it depends on
  std::string key;          ///< equal texts, equal values at one moment
  std::string family;
  std::vector<Whereabouts> places;  ///< of components
};

class Labelling {
 public:
  explicit Labelling(const rules::Rules& rules);
  Flows run();

 private:
  using Label = std::set<int>;
  using Facts = std::set<std::string>;

  static void add(Label& into, const Label& more) { into.insert(more.begin(), more.end()); }

  // labels_expr.cpp
  Value value(rules::ExprId id);
  Value zone_value(const rules::Expr& e);
  Value hidden_variable(const rules::Expr& e);
  Value called(const rules::Expr& e);
  std::vector<Value> enter(const rules::Expr& call);
  void leave(const rules::Expr& call, const std::vector<Value>& before);
  void of_phrase(rules::PhraseId id, rules::ExprId at, const std::vector<Whereabouts>& places, Value& out);
  Label clause(rules::ClauseId id, Value* first = nullptr, std::vector<std::pair<Label, Span>>* parts = nullptr);
  void assume(rules::ExprId condition);
  void bind(rules::LocalId local);
  void add_fronts(const std::vector<Whereabouts>& places, const std::string& component, rules::TypeId type, Span span, Label& out);
  void add_order(const std::vector<Whereabouts>& places, Span span, Label& out);
  Readers readers(rules::ExprId set);
  Readers readers_of(const rules::Var& var, const std::vector<Value>& index);
  bool known(const Whereabouts& place, const std::string& component) const;
  int secret(Span span, rules::TypeId type, rules::VarId var, const Readers& readers);

  // labels.cpp
  void block(const rules::Block& body);
  void statement(const rules::Stmt& stmt);
  void move(const rules::Stmt& stmt, const rules::Move& move);
  void assign(const rules::VarTarget& target, Label label, Span span);
  void choose(const rules::Stmt& stmt, const rules::Choose& choice);
  void loop(const rules::LoopHeader& header, const rules::Block& body, const std::vector<rules::VarId>& bindings, Span span);
  void phase(rules::PhaseId id);
  void eyes();
  void trigger(const rules::When& when);
  void turn(const rules::Stmt& stmt, const rules::Turn& turn);
  void show(const rules::Show& shown);
  void under(const Label& condition, const rules::Block& body);
  void sink(const Label& label, Flow::Sink kind, Span span, const Readers* audience = nullptr, rules::VarId to = rules::kNoId);
  void noticed(Label label, Span span);
  void of_all_passes(const rules::Clause& names);
  void laid_open(rules::ExprId what, const Value& value);
  void forget_all();
  void forget_zone(const std::vector<Whereabouts>& places);
  void forget_variable(rules::VarId var);
  void what_triggers_change();
  void triggers_run();
  bool leaves(const rules::Block& body) const;

  struct Known {
    Secret secret;
    Readers readers;
  };
  const rules::Rules& rules_;
  check::Walk walk_;
  std::vector<Known> secrets_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::string>, int> secret_at_;
  std::vector<Value> locals_;
  std::vector<Label> variables_;     ///< by variable of a block: what its value depends on
  Label control_;                    ///< what the rules depend on to get here
  std::string me_ = "me";
  Facts facts_;                      ///< what has been laid open on every way here
  std::map<std::tuple<int, std::uint32_t, std::uint32_t, int>, Flow> flows_;
  std::set<std::string> changed_by_triggers_;
  bool anything_by_triggers_ = false;
  std::size_t left_ = 0;             ///< work until it is given up
  bool grown_ = false;
};

}  // namespace rip::verify
