// The inside of the checker: one object that knows what is declared and emits checked rules. Its passes are split by
// construct: declare*.cpp (what exists), words.cpp, expressions.cpp, operators.cpp, compare.cpp, aggregates.cpp,
// phrases.cpp, clauses.cpp (values), box.cpp's declarations in components.cpp and tables.cpp, statements.cpp, effects.cpp,
// decisions.cpp, phases.cpp (flow), results.cpp (scores, claims), scenarios.cpp.
//
// Types of parameters are found by a fixpoint: the whole program is emitted again and again without a word until the types
// are stable; then once more, and this time it reports.
#pragma once

#include "base/diagnostic.h"
#include "grammar/ast.h"
#include "interp/check/check.h"
#include "interp/check/rules.h"
#include "interp/check/types.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace rip::check {

using rules::kNoId;

/// A name of the space of values.
struct ValueName {
  enum class Kind { param, var, zone, let, enum_value } kind;
  std::uint32_t id = kNoId;   ///< of an enum value: its enum
  std::int64_t ordinal = 0;   ///< of an enum value
  Span span{};
  bool read = false;
};
struct TypeName {
  bool is_enum = false;
  std::uint32_t id = kNoId;
  Span span{};
  bool read = false;
};
/// A rule or phase.
struct ProcedureName {
  rules::PhaseId phase = kNoId;
  rules::RoutineId routine = kNoId;  ///< a phase with parameters has both
  Span span{};
  bool read = false;
};
/// What to do about a name that a phase has already.
std::string word_of_its_own(std::string_view name);

/// A name that is bound here: a local, or a variable of a block.
struct LocalName {
  std::string text;
  bool is_var = false;
  std::uint32_t id = kNoId;
  Span span;
  bool must_be_read = true;
  bool read = false;
  const char* unread_hint = "write `_` for a name that is not needed";
};

enum class Form { any, scalar, set, list };
/// What the place wants: a shape, and a type that helps to read phrases, `none`, and numbers for seats.
struct Want {
  Form form = Form::any;
  rules::Type type{};
};

/// Where an expression or statement stands.
struct Context {
  enum class Me { unset, set, caller } me = Me::unset;
  rules::PhaseId phase = kNoId;      ///< directly around
  rules::RoutineId routine = kNoId;
  rules::LetId let = kNoId;
  bool in_when = false;
  bool in_loop = false;              ///< `stop` has something to leave
  bool in_turns = false;
  bool in_each = false;              ///< the body of a move of `choose each`
  bool in_together = false;
  bool in_result = false;            ///< score and winners may be read
  bool in_scenario = false;
  bool constant = false;             ///< before play: parameters and the number of players only
};

/// What a let or routine needs from where it is used.
struct Needs {
  bool me = false;
  Span me_span;
  bool result = false;  ///< reads score or winners
  Span result_span;
};
struct LetInfo {
  const ast::LetDecl* decl = nullptr;
  Span span;
  std::vector<rules::Type> params;  ///< joined over all calls, or as declared
  std::vector<bool> declared;
  bool emitted = false, emitting = false;
  Needs needs;
};
struct RoutineInfo {
  const std::vector<ast::Param>* params_decl = nullptr;
  const ast::RuleDecl* rule = nullptr;
  const ast::Phase* phase = nullptr;
  ast::Tags tags;
  Span span;
  std::vector<rules::Type> params;
  std::vector<bool> declared;
  bool emitted = false;
  Needs needs;
};
struct PhaseInfo {
  const ast::Phase* decl = nullptr;
  ast::Tags tags;
  Span span;
};
struct OptionSeen {
  rules::ClauseId clause;
};

class Checker {
 public:
  Checker(rules::Rules& rules, Diagnostics& diagnostics, CheckOptions options);

  // ---- the whole (check.cpp) ----
  void check_script(const ast::Script& script, const std::vector<ast::DeclRef>& scenarios, const Sources& sources,
                    const CsvLoader& load_csv);
  /// For one line more: names as the rules know them.
  void adopt(const std::vector<std::string>& seats);
  Context line_context() const;

  // ---- values ----
  rules::ExprId expr(const ast::Expr& node, Want want = {});
  const rules::Type& type(rules::ExprId id) const { return rules_.exprs[id].type; }
  std::optional<rules::Step> step(const ast::Step& node);
  rules::MovePattern move_pattern(const ast::MoveCall& call, Span span);
  Context context_;

 private:
  using Covers = std::initializer_list<const ast::Tags*>;
  // ---- reports and small helpers (check.cpp) ----
  Diagnostic& report(Code code, Span span, std::string message);
  std::string text(Span span) const;
  rules::ExprId emit(rules::Op op, rules::Type type, Span span, std::vector<rules::ExprId> kids = {});
  rules::ExprId broken(Span span);
  bool is_hand(rules::ExprId of) const;                          ///< one, or all of one name
  rules::ExprId no_order(rules::ExprId hand, Span span);         ///< says that nothing is first there
  void note_name(Span use, Span definition, NameKind kind);
  void note_value(Span use, const ValueName& entry);
  void note_procedure(Span use, const ProcedureName& entry);
  void note_move(const ast::Name& use);
  void note_seat(const ast::Name& use);
  /// Only while names are noted.
  std::multimap<std::string, Span, std::less<>> move_spans_;
  std::map<std::string, Span, std::less<>> seat_spans_;
  std::map<std::pair<rules::TypeId, std::string>, Span> attribute_spans_;
  rules::ExprId number_constant(std::int64_t value, Span span);
  rules::ExprId constant_of(rules::Type type, std::int64_t value, Span span);
  bool unknown(rules::ExprId id) const { return is_unknown(rules_.exprs[id].type); }

  // ---- covers (check.cpp) ----
  rules::CoverId cover(rules::CoverPoint::Kind kind, std::string name, Span span, Covers tags);
  rules::CoverId cover_tagged(Span span, Covers tags);
  std::vector<rules::TagId> tag_ids(const ast::Tags& tags);
  std::unordered_map<std::string, rules::TagId> tag_ids_;

  // ---- what exists (declare.cpp) ----
  void declare(const ast::Script& script);
  void declare_phase(const ast::Phase& phase, const ast::Tags& tags, Span span, rules::PhaseId parent, rules::RoutineId routine);
  void declare_routine(const ast::Name& name, RoutineInfo info, rules::PhaseId phase);
  void declare_nested(const ast::Block& block, rules::PhaseId phase, rules::RoutineId routine);
  void declare_var(const ast::VarDecl& var, const ast::Tags& tags, rules::PhaseId phase);
  void declare_when(const ast::When& when, const ast::Tags& tags, Span span, rules::PhaseId phase);
  bool new_value(const ast::Name& name, ValueName entry);
  bool new_type(const ast::Name& name, TypeName entry);
  bool new_procedure(const ast::Name& name, ProcedureName entry);
  void test_predeclared(const ast::Name& name);
  std::map<std::string, ValueName, std::less<>> values_;
  std::map<std::string, TypeName, std::less<>> types_;
  std::map<std::string, ProcedureName, std::less<>> procedures_;
  std::vector<LetInfo> lets_;
  std::vector<RoutineInfo> routines_;
  std::vector<PhaseInfo> phases_;
  struct WhenInfo { const ast::When* decl; ast::Tags tags; Span span; };
  std::vector<WhenInfo> whens_;
  std::unordered_map<const ast::Phase*, rules::PhaseId> phase_ids_;
  std::unordered_map<const ast::VarDecl*, rules::VarId> var_ids_;
  struct ZoneInfo { const ast::ZoneDecl* zone = nullptr; const ast::DeckDecl* deck = nullptr; const ast::Decl* decl = nullptr; };
  std::vector<ZoneInfo> zone_infos_;
  struct VarInfo { const ast::VarDecl* decl = nullptr; ast::Tags tags; };
  std::vector<VarInfo> var_infos_;
  std::vector<const ast::Decl*> decls_;  ///< all but scenarios, variants and smalls

  // ---- one pass over everything (pass.cpp) ----
  void run_pass();
  void reset_pass();
  std::vector<rules::Type> snapshot() const;
  void emit_box();
  void emit_flow();
  void emit_called();
  void emit_idle();
  void drop_routine(rules::RoutineId id);
  void emit_declaration_covers();

  // ---- types and the box (components.cpp, tables.cpp, csv_deck.cpp) ----
  enum class TypeUse { index, variable, parameter, attribute };
  rules::Type resolve_type(const ast::TypeExpr& node, TypeUse use);
  rules::Type resolve_type_word(const std::string& word, Span span, TypeUse use);
  rules::Type resolve_type_range(const ast::RangeExpr& range, Span span);
  const TypeName* find_type(std::string_view name, Span span, bool report_unknown);
  rules::TypeId find_component_type(const ast::Name& name);
  std::vector<rules::Type> resolve_index(const std::vector<std::pair<ast::Name, ast::TypeRef>>& index, std::vector<rules::LocalId>& locals,
                                         bool deck);
  void emit_players(const ast::PlayersDecl& players);
  void emit_param(rules::ParamId id, const ast::ParamDecl& decl, const ast::Decl& node);
  void test_sets();
  void unknown_param(const ast::Name& name);
  void test_table(const ast::Expr& node, rules::ExprId value, const rules::Param& param, std::size_t depth);
  void emit_component_type(rules::TypeId id, const ast::ComponentDecl& decl);
  void bind_index(const std::vector<std::pair<ast::Name, ast::TypeRef>>& index, const std::vector<rules::Type>& types,
                  const std::vector<rules::LocalId>& locals, bool deck);
  void emit_zone_type(rules::ZoneId id);
  void emit_zone(rules::ZoneId id);
  void emit_deck(rules::ZoneId id, const ast::DeckDecl& decl, const std::vector<rules::LocalId>& index_locals);
  void emit_csv(rules::Deck& deck, const ast::DeckDecl& decl);
  void emit_refill(rules::ZoneId id, const ast::Refill& refill);
  void emit_var_type(rules::VarId id, const ast::VarDecl& decl, const ast::Tags& tags);
  void emit_var(rules::VarId id, const ast::VarDecl& decl);
  void money_ranges();
  void test_constant(rules::ExprId id);
  bool depends_on_play(rules::ExprId id) const;
  std::vector<std::int64_t> component_counts_;  ///< by TypeId: at most so many are in the box
  std::int64_t count_of_type(rules::TypeId id) const;

  // ---- scopes (words.cpp) ----
  std::vector<LocalName> scope_;
  std::size_t open_scope() const { return scope_.size(); }
  void close_scope(std::size_t mark);
  /// The first name of a clause is its value, so it is read.
  void read_first_name(const ast::Clause& clause);
  rules::LocalId bind_local(const ast::Name& name, rules::Type type, bool must_be_read);
  void bind_name(const ast::Name& name, bool is_var, std::uint32_t id, bool must_be_read);
  LocalName* find_local(std::string_view name);
  /// Whether this phase declares it, in its header or directly in its block.
  bool is_of_phase(std::string_view name, rules::PhaseId phase) const;
  std::vector<std::string_view> value_candidates() const;
  std::vector<std::string> seats_;
  bool use_seats_ = false;
  std::map<std::string, int, std::less<>> seat_values_;
  std::vector<bool> local_is_ring_;  ///< by LocalId: its type is a range as written, so `next` knows its ends

  // ---- words (words.cpp) ----
  rules::ExprId word(const std::string& name, Span span, Want want);
  rules::ExprId named_value(const std::string& name, const std::vector<ast::ExprRef>& args, bool indexed, Span span, Span name_span,
                            Want want);
  rules::ExprId zone_value(rules::ZoneId id, const std::vector<ast::ExprRef>& args, Span span, Want want);
  rules::ExprId var_value(rules::VarId id, const std::vector<ast::ExprRef>& args, Span span);
  void test_running(const rules::Var& var, Span span);
  rules::ExprId param_value(rules::ParamId id, const std::vector<ast::ExprRef>& args, Span span);
  std::vector<rules::ExprId> index_values(const std::vector<ast::ExprRef>& args, const std::vector<rules::Type>& index,
                                          const std::string& name, Span span);
  rules::ExprId me_value(Span span);
  rules::ExprId score_value(const std::vector<ast::ExprRef>& args, Span span);
  void need_result(Span span, const std::string& what);
  rules::ExprId unknown_name(const std::string& name, Span span);

  // ---- expressions (expressions.cpp) ----
  rules::ExprId node(const ast::Expr& at, const ast::IntLit& n, Want want);
  rules::ExprId node(const ast::Expr& at, const ast::Word& n, Want want);
  rules::ExprId node(const ast::Expr& at, const ast::Unary& n, Want want);
  rules::ExprId node(const ast::Expr& at, const ast::Binary& n, Want want);
  rules::ExprId node(const ast::Expr& at, const ast::Is& n, Want want);
  rules::ExprId node(const ast::Expr& at, const ast::RangeExpr& n, Want want);
  rules::ExprId node(const ast::Expr& at, const ast::IfExpr& n, Want want);
  rules::ExprId node(const ast::Expr& at, const ast::MatchExpr& n, Want want);
  rules::ExprId node(const ast::Expr& at, const ast::Index& n, Want want);
  rules::ExprId node(const ast::Expr& at, const ast::Attribute& n, Want want);
  rules::ExprId node(const ast::Expr& at, const ast::Call& n, Want want);
  rules::ExprId node(const ast::Expr& at, const ast::TopOf& n, Want want);
  rules::ExprId node(const ast::Expr& at, const ast::AllOf& n, Want want);
  rules::ExprId node(const ast::Expr& at, const ast::Aggregate& n, Want want);
  rules::ExprId node(const ast::Expr& at, const ast::Builder& n, Want want);
  rules::ExprId node(const ast::Expr& at, const ast::Phrase& n, Want want);
  rules::ExprId node(const ast::Expr& at, const ast::OriginalExpr& n, Want want);
  rules::ExprId shaped(rules::ExprId id, Want want);
  rules::ExprId as_set(rules::ExprId id);        ///< zone, list or set; scalars are wrapped
  rules::ExprId as_set_or_scalar(rules::ExprId id);  ///< a place becomes its zone
  rules::ExprId as_zone(rules::ExprId id);       ///< place_card -> zone, anything else as it is
  rules::ExprId fallible_attribute(rules::ExprId base, const ast::Name& name, Span span);
  rules::ExprId condition(const ast::Expr& node);
  rules::ExprId number(const ast::Expr& node);
  rules::ExprId seat(const ast::Expr& node);
  rules::ExprId seats(const ast::Expr& node);    ///< a set of seats
  rules::ExprId side(const ast::Expr& node);
  /// A scalar that fits `wanted`; reports if it cannot, or if its range cannot.
  rules::ExprId value_of(const ast::Expr& node, const rules::Type& wanted, const std::string& what, bool with_chance = false);
  rules::ExprId chance_value(const ast::Expr& node, Want want);
  void test_type(rules::ExprId id, const rules::Type& wanted, const std::string& what);
  void test_range(rules::ExprId id, const rules::Type& wanted, const std::string& what);
  rules::ExprId let_call(rules::LetId id, const ast::Call& call, Span span);
  void emit_let(rules::LetId id);
  rules::ExprId neighbour(const ast::Call& call, Span span, bool forward);
  rules::ExprId random_value(const ast::Call& call, Span span);
  rules::ExprId nth_value(const ast::Call& call, Span span);
  /// Joins the type of an argument into that of a parameter without a declared type.
  void pass_argument(rules::ExprId arg, rules::Type& param, bool declared, const std::string& name);
  std::vector<rules::ExprId> arguments(const std::vector<ast::ExprRef>& args, std::vector<rules::Type>& params,
                                       const std::vector<bool>& declared, const std::vector<std::string>& names, const ast::Name& callee);
  const ast::Expr* chance_root_ = nullptr;  ///< `random` may stand here
  bool adopted_ = false;

  // ---- operators (operators.cpp, compare.cpp) ----
  rules::ExprId arithmetic(rules::Op op, rules::ExprId left, rules::ExprId right, Span span);
  rules::ExprId sum_or_union(const ast::Expr& at, const ast::Binary& n, Want want);
  rules::ExprId bounded(rules::Op op, Interval range, Span span, std::vector<rules::ExprId> kids);
  rules::ExprId comparison(const ast::Expr& at, const ast::Binary& n);
  rules::ExprId membership(const ast::Expr& at, const ast::Binary& n);
  rules::ExprId phrase_comparison(const ast::Expr& at, const ast::Expr& other, const ast::Expr& phrase, bool negated);
  std::optional<rules::ExprId> list_of_phrases(const ast::Expr& at, const ast::Expr& left, const ast::Expr& right, bool negated);
  rules::ExprId negated_if(bool negated, rules::ExprId id, Span span);
  rules::ExprId extreme(const ast::Expr& at, const ast::Aggregate& n, bool least);
  void arms(rules::Expr& match, const std::vector<std::vector<ast::ExprRef>>& patterns, const rules::Type& subject, Span span);
  std::pair<rules::ExprId, rules::ExprId> pattern(const ast::Expr& node, const rules::Type& subject);
  void test_arms(const std::vector<rules::MatchArm>& arms, const rules::Type& subject, Span span);

  // ---- aggregates, builders, sizes (aggregates.cpp, sizes.cpp) ----
  rules::ExprId collect(const ast::Expr& at, const ast::Builder& n, Want want);
  Interval size_of(rules::ExprId id) const;
  Interval bindings_of(const rules::Clause& clause) const;
  Interval size_cap(const rules::Type& element) const;

  // ---- clauses (clauses.cpp) ----
  struct ClauseUse {
    bool picks = false;
    bool each = false;  ///< `choose each`: the first name is a seat and need not be read
    bool arguments = false;  ///< of a move: its names count as read
    std::vector<rules::ExprId> first_conditions;
  };
  rules::ClauseId clause(const ast::Clause& node, const ClauseUse& use);
  void binder(const ast::Binder& node, const ClauseUse& use, rules::Clause& into, bool first);
  void keys(const ast::Keys& node, rules::Clause& into);
  rules::ExprId conjunction(rules::ExprId a, rules::ExprId b);

  // ---- phrases (phrases.cpp) ----
  std::optional<rules::Phrase> phrase(const ast::Expr& at, const ast::Phrase& node, rules::TypeId expected, bool in_deck);
  rules::TypeId phrase_type(const ast::Phrase& node, rules::TypeId expected, Span span, rules::ExprId& owner);
  bool phrase_word(const ast::PhrasePart& part, rules::Phrase& into, std::vector<bool>& taken, bool in_deck);
  void phrase_value(const ast::PhrasePart& part, rules::ExprId value, rules::Phrase& into, std::vector<bool>& taken, bool in_deck);
  rules::PhraseId add_phrase(rules::Phrase phrase);
  static const ast::Phrase* as_phrase(const ast::Expr& node);

  // ---- statements (statements.cpp, effects.cpp, decisions.cpp, phases.cpp) ----
  rules::Block block(const ast::Block& node);
  void statement(const ast::Stmt& node, rules::Block& into);
  void effect(const ast::Move& n, rules::Stmt& out);
  void effect(const ast::Fill& n, rules::Stmt& out);
  void effect(const ast::Swap& n, rules::Stmt& out);
  void effect(const ast::Turn& n, rules::Stmt& out);
  void effect(const ast::Shuffle& n, rules::Stmt& out);
  void effect(const ast::Roll& n, rules::Stmt& out);
  void effect(const ast::Show& n, rules::Stmt& out);
  void effect(const ast::Set& n, rules::Stmt& out);
  void effect(const ast::Raise& n, rules::Stmt& out);
  void effect(const ast::Pay& n, rules::Stmt& out);
  rules::ExprId components(const ast::Expr& node, rules::TypeId hint);
  rules::ExprId target_zone(const ast::Expr& node, bool full);
  std::optional<rules::VarTarget> target_var(const ast::Expr& node, bool money);
  void let_statement(const ast::LetStmt& n, rules::Stmt& out);
  void var_statement(const ast::VarDecl& n, rules::Stmt& out);
  bool is_declared_when(const ast::When& when) const;
  bool has_chance(rules::ExprId id) const;
  struct CallSeen { Span span; rules::RoutineId routine; Context context; };
  struct EndSeen { Span span; Context context; };
  struct EndPhaseSeen { Span span; rules::PhaseId phase; Context context; };
  std::vector<CallSeen> calls_;
  std::vector<EndSeen> end_turns_;
  std::vector<EndPhaseSeen> end_phases_;
  bool has_win_ = false;
  rules::PhaseId hidden_header_ = kNoId;  ///< a phase whose header is read: its names are not yet its variables
  void if_statement(const ast::If& n, const ast::Stmt& at, rules::Stmt& out);
  void loop_statement(const ast::Loop& n, const ast::Stmt& at, rules::Stmt& out);
  void match_statement(const ast::Match& n, rules::Stmt& out);
  void choose(const ast::Choose& n, rules::Stmt& out);
  void option(const ast::Option& node, const std::vector<const ast::Expr*>& groups, const ast::Tags& group_tags,
              bool secretly, rules::Choose& into);
  void do_statement(const ast::Do& n, Span span, rules::Stmt& out);
  void end_phase(const ast::EndPhase& n, Span span, rules::Stmt& out);
  rules::LoopHeader header(const ast::LoopHeader& node, Context& inside);
  rules::Limit limit(const ast::Limit& node);
  void emit_phase(rules::PhaseId id);
  void emit_routine(rules::RoutineId id);
  void emit_when(rules::WhenId id);
  void need_me_of(const Needs& needs, Span span, const std::string& name);
  void forbid_in_each(Span span, const char* what);
  void forbid_in_together(Span span, const char* what);
  std::multimap<std::string, rules::ClauseId> options_;  ///< moves by name
  void collect_options(const rules::Block& block);
  void collect_options();

  // ---- results and claims (results.cpp) ----
  void emit_results();
  void emit_score(const ast::ScoreDecl& n, const ast::Decl& at);
  void emit_winner(const ast::WinnerDecl& n, const ast::Decl& at);
  std::uint32_t emit_claim(const ast::Claim& n, Span span, bool statement, rules::CoverId cover);
  void unknown_move(const ast::Name& name);
  void emit_bound(const ast::BoundDecl& n, const ast::Decl& at);
  bool reads_result_ = false;
  bool has_score_ = false;
  rules::Type score_type_ = {};

  // ---- scenarios (scenarios.cpp) ----
  void emit_scenario(const ast::Decl& decl, const ast::ScenarioDecl& n);
  std::optional<rules::Given> given(const ast::Given& node);
  std::vector<rules::CardItem> card_items(const std::vector<ast::CardItem>& items, rules::TypeId type);
  rules::ArgPattern argument(const ast::Expr& node, const rules::Type& wanted);
  int seat_named(const ast::Name& name);
  std::optional<rules::StepStart> start(const ast::StepStart& n);
  std::vector<ast::DeclRef> scenarios_;

  // ---- what is idle, unreachable or suspicious (lint*.cpp) ----
  void lint();
  void lint_unread();
  void lint_calls();
  void lint_unreachable();
  bool leaves(const rules::Block& block);
  void lint_triggers();
  void lint_listening();
  void lint_each();
  void lint_moves();
  void lint_bags();
  std::optional<bool> truth(rules::ExprId id) const;
  struct Unread { Span span; std::string message; std::string hint; };
  std::vector<Unread> unread_;
  void unread(Span span, const std::string& what, const std::string& name, const std::string& hint);

  rules::Rules& rules_;
  Diagnostics* diagnostics_;
  Diagnostics muted_;
  CheckOptions options_flags_;
  const Sources* sources_ = nullptr;
  const CsvLoader* load_csv_ = nullptr;
  bool final_pass_ = false;
  std::size_t reports_ = 0;
  const ast::Script* script_ = nullptr;
  std::size_t global_vars_ = 0;
  std::map<std::string, CsvFile> csv_files_;
};

/// Restores a value when a scope is left.
template <class T>
class Restore {
 public:
  explicit Restore(T& value) : value_(value), before_(value) {}
  Restore(T& value, T now) : value_(value), before_(value) { value_ = std::move(now); }
  ~Restore() { value_ = std::move(before_); }
  Restore(const Restore&) = delete;
  Restore& operator=(const Restore&) = delete;

 private:
  T& value_;
  T before_;
};

}  // namespace rip::check
