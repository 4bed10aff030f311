// The checked rules: a script after every name is resolved, every type known and every range computed. Still a tree, and
// still independent of the number of players and of parameter values. Flow: interp/check builds it from the syntax tree;
// interp/lower/lower turns it into the IR for one configuration; interp/reference walks it directly.
#pragma once

#include "base/source.h"
#include "grammar/ast.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace rip::rules {

// Indices into the vectors of Rules. A plain integer type keeps the tree easy to print; the names say which vector.
using EnumId = std::uint32_t;
using TypeId = std::uint32_t;   ///< Rules::component_types
using AttrId = std::uint32_t;   ///< within its component type
using ParamId = std::uint32_t;
using DeckId = std::uint32_t;
using ZoneId = std::uint32_t;   ///< decks are zones too: every deck has a ZoneId
using VarId = std::uint32_t;
using LetId = std::uint32_t;
using RoutineId = std::uint32_t;
using PhaseId = std::uint32_t;
using WhenId = std::uint32_t;
using LocalId = std::uint32_t;
using ExprId = std::uint32_t;
using ClauseId = std::uint32_t;
using PhraseId = std::uint32_t;
using CoverId = std::uint32_t;
using TagId = std::uint32_t;
inline constexpr std::uint32_t kNoId = std::numeric_limits<std::uint32_t>::max();

// ---- types ----------------------------------------------------------------------------------------------------

enum class Base {
  unknown,      ///< only while types are inferred, or the element type of `{}`, `[]`, `none`
  integer,
  enumeration,  ///< values are ordinals from 0 in the order declared
  flag,         ///< 0 no, 1 yes
  seat,         ///< 0 .. players-1, clockwise
  side,         ///< Face: 0 up, 1 down
  component,    ///< a component id; `id` is its TypeId, or kNoId for "some component"
  text
};
enum class Shape { scalar, set, list };

/// Sets and lists have the base and range of their elements. `low..high` bounds integers and ordinals (of enumerations,
/// flags, seats, sides); it is meaningless for components and text.
struct Type {
  Base base = Base::unknown;
  Shape shape = Shape::scalar;
  std::uint32_t id = kNoId;  ///< EnumId or TypeId
  std::int64_t low = 0;
  std::int64_t high = 0;
  bool optional = false;  ///< may be `none`

  friend bool operator==(const Type&, const Type&) = default;
};

/// The value that stands for `none` in every scalar.
inline constexpr std::int64_t kNone = std::numeric_limits<std::int32_t>::min();

// ---- expressions ----------------------------------------------------------------------------------------------

/// What an expression does. Operands are `kids`, in this order; `ref`, `value`, `clause`, `phrase` as named.
enum class Op {
  constant,   ///< value (also none: kNone)
  param,      ///< ref ParamId; kids: index values
  local,      ///< ref LocalId
  me,
  var,        ///< ref VarId; kids: index values (all of them). Phase header names are vars too
  var_family, ///< ref VarId; fewer kids than indices: the list of values in index order (compared with a list)
  param_family,
  zone,       ///< ref ZoneId; kids: index values, maybe fewer than declared. Type: set of components, in the zone's order
  place_card, ///< ref ZoneId of kind place; kids: all index values. Type: optional component
  attribute,  ///< kid: component; value AttrId; ref TypeId
  face,       ///< kid: component. Base side for a card, integer for a die
  owner,      ///< kid: component. Base seat
  top,        ///< kid: a zone (Op::zone), set or list: one component or none
  bottom,
  top_n,      ///< kids: n, then zone, set or list. Type: list (of a zone or list) or set of components
  bottom_n,
  nth,        ///< kids: zone or list, n (from 1)
  item,       ///< kids: list, n (from 1): `xs[i]`
  add, sub, mul, div, mod, neg, abs, min2, max2,
  eq, ne, lt, le, gt, ge,      ///< scalars, equal bases; eq/ne also none
  set_eq, set_ne, subset,      ///< sets (subset is `<=`)
  list_eq, list_ne,            ///< lists; a zone or family on either side is read in its order. A phrase element is Op::fits_list
  fits,       ///< kid: component (optional); phrase: the pattern. flag
  zone_fits_list,  ///< kid: zone or list of components; `patterns`: one PhraseId each: `stack[Peter] == [<74>, <75>]`
  some_fits,  ///< kid: set of components; phrase: `<clubs 2> in hand[p]`
  one_fitting,///< phrase alone: the one component that fits exactly, e.g. `House <7>`. kid 0 optional: the set it must lie in
  in_set,     ///< kids: scalar, set or list
  is_none, is_empty,  ///< kid; `is not` is wrapped in logical_not
  logical_and, logical_or, logical_not,
  if_else,    ///< kids: condition, then, else
  match,      ///< kids: subject, then for each arm its value; `arms` lists the patterns
  set_literal, list_literal,   ///< kids: elements; in a set literal a kid may itself be a set or an optional
  range_set,  ///< kids: low, high
  part_of_enum,   ///< kids: low, high (ordinals)
  type_values,    ///< all values of an enum or flag (ref EnumId), or all components of a type (base component)
  players,
  set_union, set_difference,   ///< kids are sets, or scalars/optionals standing for sets
  set_of, list_of,    ///< clause; kid 0: the value collected
  count_set,          ///< kid: set or list
  count, some, every, sum, min, max,  ///< clause; kid 0 (every: condition; sum, min, max: value)
  sum_of, min_of, max_of,   ///< kid: set or list: of its members
  first, best,        ///< clause (its keys order it); first is optional scalar, best a set
  first_of, best_of,  ///< kid: set or list
  call,       ///< ref LetId; kids: arguments
  next, previous,     ///< kid: seat, enum value, or integer of a bounded range; type.low..type.high is the ring
  number,     ///< kid: seat or enum value
  game_over, running, ///< running: ref PhaseId
  score,      ///< kid: seat. Only at the end
  score_family, winners,
  random      ///< kid: set. Only as Stmt's whole value or under its outermost if_else
};

struct MatchArm {
  /// Each pattern is a pair of kids-like expressions: low == high for a single value; empty = else.
  std::vector<std::pair<ExprId, ExprId>> patterns;
};

struct Expr {
  Op op = Op::constant;
  Type type;
  Span span;
  std::vector<ExprId> kids;
  std::uint32_t ref = kNoId;
  std::int64_t value = 0;
  ClauseId clause = kNoId;
  PhraseId phrase = kNoId;
  std::vector<PhraseId> patterns;
  std::vector<MatchArm> arms;
};

/// `<money 5 down>`. As a pattern an attribute that is not named may be anything; in a deck it takes its default.
struct Phrase {
  TypeId type = kNoId;
  std::vector<std::pair<AttrId, ExprId>> attributes;  ///< attribute == value (a set attribute: equal sets)
  std::optional<std::int64_t> face;                   ///< a side for cards, the number of a die
  ExprId owner = kNoId;                               ///< `Ann <8>`
  Span span;
};

struct Binder {
  LocalId local;
  ExprId source;       ///< a set, list or zone
  bool pick = false;   ///< the local is then a set of source's elements, or a list if in_order
  ExprId pick_low = kNoId, pick_high = kNoId;
  bool in_order = false;
  bool any = false;    ///< one value is as good as another; only names that are `any` follow
  Span span;
};
enum class KeyKind { high, low, clockwise_from, clockwise_after };
struct Key {
  KeyKind kind;
  ExprId value;  ///< for clockwise: a seat, the base of the distance of `subject`
  Span span;
};
/// A `clockwise` key orders the value of the first binder whose base is seat.
struct Clause {
  std::vector<Binder> binders;
  ExprId where = kNoId;
  std::vector<Key> keys;
  LocalId clockwise_subject = kNoId;
  bool backwards = false;
  ExprId backwards_if = kNoId;
  Span span;
};

/// A name bound by a clause, a parameter, or a local `let`.
struct Local {
  std::string name;
  Type type;
  Span span;
};

// ---- declarations ---------------------------------------------------------------------------------------------

struct Tag { std::string text; };  ///< each clause id once

/// What coverage counts. Each tagged construct, each statement, branch, move and trigger has one.
struct CoverPoint {
  enum class Kind { statement, branch, move, trigger, let, declaration } kind;
  std::string name;  ///< of a move, trigger, let; of a branch that may not be taken `if`, `else`, `arm`; else empty
  Span span;
  std::vector<TagId> tags;
};

struct Enum {
  std::string name;
  std::vector<std::string> values;
  Span span;
  bool interchangeable = false;  ///< no rule names its values or puts them in order
};
struct Attribute {
  std::string name;
  Type type;  ///< `set of a..b` has shape set with high - low < 64; base text is a label
  bool back = false;
  std::optional<ExprId> start;
};
struct ComponentType {
  std::string name;
  ast::ComponentKind kind;
  std::vector<Attribute> attributes;
  std::int64_t low_face = 0, high_face = 0;  ///< dice
  Span span;
};
struct Param {
  std::string name;
  std::vector<Type> index;  ///< a table
  Type type;
  ExprId value;             ///< scalar, or a list (of lists) for a table
  Span span;
  CoverId cover;
};
struct Require { std::string text; ExprId condition; Span span; };

struct DeckLine {
  ExprId count;
  Phrase phrase;
  ClauseId clause = kNoId;
  Span span;
  CoverId cover;
};
/// One line of a CSV file, its cells already converted: attribute -> value; texts in `texts` by attribute.
struct CsvRow {
  std::int64_t count = 1;
  std::vector<std::pair<AttrId, std::int64_t>> values;  ///< a set attribute: a bit mask from its low
  std::vector<std::pair<AttrId, std::string>> texts;
};
struct Deck {
  ZoneId zone;
  TypeId type;
  std::vector<LocalId> index_locals;  ///< `owner` for `[player]` (one local each, may be unused)
  std::vector<CsvRow> rows;
  std::vector<DeckLine> lines;
};
struct Zone {
  std::string name;
  std::vector<Type> index;
  std::vector<LocalId> index_locals;  ///< for `seen by` and `refilled from`
  ast::ZoneKind kind;
  TypeId type;
  DeckId deck = kNoId;       ///< set if it is a deck (a pile)
  std::optional<std::int64_t> face;  ///< turned on arrival: 0 up, 1 down
  ExprId max = kNoId;
  ExprId refill_from = kNoId;   ///< an Op::zone, may use index_locals
  ExprId refill_keeping = kNoId;
  ExprId seen_by = kNoId;       ///< may use index_locals
  Span span;
  CoverId cover;
};
/// A variable, money account, or a name bound by a phase header. All have static storage.
struct Var {
  enum class Kind { variable, money, phase_binding } kind = Kind::variable;
  std::string name;
  std::vector<Type> index;
  std::vector<LocalId> index_locals;  ///< for `start` and `seen_by`
  Type type;
  ExprId start = kNoId;     ///< kNoId: first value of the type, none, or {}
  ExprId seen_by = kNoId;   ///< kNoId: open
  PhaseId phase = kNoId;    ///< the phase it belongs to (fresh at each pass); kNoId: the game, or local to a block
  bool local = false;       ///< declared in a block that is no phase: not part of any view
  Span span;
  CoverId cover;
};
struct Let {
  std::string name;
  std::vector<LocalId> params;
  ExprId value;
  Span span;
  CoverId cover;
};

// ---- statements -----------------------------------------------------------------------------------------------

struct Stmt;
using Block = std::vector<Stmt>;

struct VarTarget {
  VarId var;
  std::vector<ExprId> index;
};

struct Move {
  ExprId what;           ///< component, optional, set, list, zone, top, top_n ...
  ExprId to;             ///< Op::zone with all index values
  bool under = false;
  ExprId face = kNoId;   ///< a side
  ClauseId each = kNoId; ///< `for CLAUSE`, all at one stroke
};
struct Fill {
  ExprId what;               ///< Op::zone
  ExprId to_count = kNoId;   ///< kNoId: fill the empty places of `what`
  ExprId from;               ///< Op::zone, a pile
  ExprId face = kNoId;
};
struct Swap { ExprId first, second = kNoId; };  ///< second kNoId: `first` is a set of two; zones swap their contents
struct Turn { ExprId what, face; };
struct Shuffle { ExprId what; };
struct Roll { ExprId what; };
struct Show {
  ExprId what;               ///< component(s), zone, Op::attribute, Op::var, or any value
  ExprId to = kNoId;
};
struct Assign {
  enum class Kind { set, raise, lower } kind;
  VarTarget target;
  ExprId value;              ///< may be, or have as branches of its outermost if_else, Op::random
};
struct Pay { ExprId amount; VarTarget from, to; };
struct LetLocal { LocalId local; ExprId value; };
struct StartVar { VarId var; };  ///< `var` in a block: takes its start value
struct If {
  ExprId condition;
  Block then_block, else_block;
  CoverId then_cover, else_cover;
  bool has_else = false;
};
struct Limit {
  ast::Limit::Kind kind = ast::Limit::Kind::none;
  ExprId value = kNoId;
};
struct ForLoop { ClauseId clause; };
struct RepeatLoop { ExprId until = kNoId; Limit limit; };
struct TurnsLoop { ExprId from, then = kNoId, where = kNoId, until = kNoId; Limit limit; };
using LoopHeader = std::variant<ForLoop, RepeatLoop, TurnsLoop>;
struct Loop { LoopHeader header; Block body; CoverId cover; };
struct MatchStmt {
  ExprId subject;
  struct Arm {
    MatchArm patterns;
    Block body;
    CoverId cover;
  };
  std::vector<Arm> arms;
};
struct Option {
  std::string name;
  ClauseId clause;      ///< always present, maybe without binders; `where` of groups is joined to it
  bool secretly = false;
  bool otherwise = false;
  Block body;
  Span span;
  CoverId cover;
};
struct Choose {
  bool each = false;
  ExprId seat = kNoId;        ///< without `each`
  ClauseId clause = kNoId;    ///< with `each`; its first binder is the seat
  std::vector<Option> options;
};
struct DoRoutine { RoutineId routine; std::vector<ExprId> args; };
struct Together { Block body; };
struct Stop {};
struct Win { ExprId who; };
struct EndTurn {};
struct EndGame {};
struct EndPhase { PhaseId phase; };
struct ClaimHere { std::uint32_t claim; };  ///< index into Rules::claims
struct RunPhase { PhaseId phase; };         ///< the phase stands here

struct Stmt {
  Span span;
  CoverId cover = kNoId;
  std::variant<Move, Fill, Swap, Turn, Shuffle, Roll, Show, Assign, Pay, LetLocal, StartVar, If, Loop, MatchStmt, Choose,
               DoRoutine, Together, Stop, Win, EndTurn, EndGame, EndPhase, ClaimHere, RunPhase>
      node;
};

/// A phase stands where a RunPhase names it (or, with parameters, is a routine that `do` calls).
struct Phase {
  std::string name;
  std::optional<LoopHeader> loop;
  std::vector<VarId> bindings;    ///< the vars that hold the names of a `for` header, in binder order
  std::vector<VarId> variables;   ///< take their start value at each pass
  std::vector<WhenId> whens;      ///< listen while the phase runs
  Block body;
  PhaseId parent = kNoId;
  RoutineId routine = kNoId;      ///< the routine in whose body it stands; kNoId: the main flow
  Span span;
  CoverId cover;
};
/// A rule, or a phase with parameters (then `phase` is set and body is its RunPhase).
struct Routine {
  std::string name;
  std::vector<LocalId> params;
  Block body;
  PhaseId phase = kNoId;
  Span span;
  CoverId cover;
};
struct When {
  ClauseId clause = kNoId;    ///< with binders, or
  ExprId condition = kNoId;
  Block body;
  PhaseId phase = kNoId;      ///< kNoId: listens always
  Span span;
  CoverId cover;
};

struct Claim {
  ast::ClaimKind kind;
  std::string text;
  ExprId condition = kNoId;   ///< kNoId: reaching it is enough
  ast::MomentKind moment = ast::MomentKind::waiting;
  bool statement = false;     ///< tested where its ClaimHere stands
  PhaseId phase = kNoId;      ///< phase_begins, phase_ends
  std::string move;           ///< moment move
  bool reads_result = false;  ///< reads score or winners: tested at the end
  Span span;
  CoverId cover;
};
struct Bound {
  std::string text;           ///< the expression as written
  ExprId value, low, high;
  ClauseId clause = kNoId;
  bool reads_result = false;
  Span span;
  CoverId cover;
};
struct Report { std::string text; ExprId value; Span span; };

// ---- scenarios ------------------------------------------------------------------------------------------------

/// What an argument of a step may be: anything, a value, a pattern, a list or set of these (for a pick).
struct ArgPattern {
  enum class Kind { any, value, phrase, list, set } kind = Kind::any;
  ExprId value = kNoId;
  PhraseId phrase = kNoId;
  std::vector<ArgPattern> items;
  Span span;
};
struct MovePattern {
  std::string move;
  bool any_args = true;   ///< no parentheses written
  std::vector<ArgPattern> args;
  Span span;
};
struct CardItem { std::int64_t count = 1; PhraseId phrase = kNoId; Span span; };  ///< kNoId: any
struct GivenCards { ExprId zone; std::vector<CardItem> cards; };
struct GivenValue { VarId var; std::vector<ExprId> index; ExprId value; };  ///< fewer index values: value is a list
using Given = std::variant<GivenCards, GivenValue>;

struct StepGiven { Given given; };
/// `start PHASE` (play goes on from there), or with `alone` `start do PHASE()`, `start do RULE(args)` (only that).
struct StepStart { PhaseId phase = kNoId; RoutineId routine = kNoId; std::vector<ExprId> args; bool alone = false; };
struct StepNextRoll { std::vector<std::int64_t> faces; };
struct StepNextCards { ExprId zone; std::vector<CardItem> cards; };
struct StepExpect {
  ExprId condition;
  std::optional<std::pair<std::int64_t, std::int64_t>> chance;  ///< `with chance 1 of 6`
  bool on_average = false;                                      ///< the condition is an `==` of numbers
};
struct StepSwapping {
  std::optional<Given> given;
  int seat = -1;
  MovePattern move;
  bool same = true;
  std::vector<int> to;
};
struct StepDoes { int seat; MovePattern move; };
struct StepCan { int seat; bool can; MovePattern move; };
struct StepKnows { int seat; bool knows; ExprId what; };
struct StepHas { int seat; std::int64_t count; bool worlds; };  ///< else moves
struct Step {
  Span span;
  std::variant<StepGiven, StepStart, StepNextRoll, StepNextCards, StepExpect, StepSwapping, StepDoes, StepCan, StepKnows, StepHas>
      node;
};
struct Scenario {
  std::string name;
  std::vector<std::string> seats;                       ///< clockwise
  std::vector<std::pair<ParamId, ExprId>> params;       ///< `set` steps (a table: a list)
  std::vector<Step> steps;
  std::vector<TagId> tags;
  Span span;
};

// ---- the whole ------------------------------------------------------------------------------------------------

struct Rules {
  std::string title;
  std::string variant;  ///< "" for the base game
  std::int64_t players_low = 2, players_high = 2;
  std::int64_t players_usual = 2;

  std::vector<Expr> exprs;
  std::vector<Clause> clauses;
  std::vector<Phrase> phrases;
  std::vector<Local> locals;

  std::vector<Tag> tags;
  std::vector<CoverPoint> covers;

  std::vector<Enum> enums;
  std::vector<ComponentType> component_types;
  std::vector<Param> params;
  std::vector<Require> requires_;
  std::vector<Deck> decks;
  std::vector<Zone> zones;       ///< in the order declared, decks among them
  std::vector<Var> vars;
  std::vector<Let> lets;
  std::vector<Routine> routines;
  std::vector<Phase> phases;
  std::vector<When> whens;       ///< in the order declared

  Block main;                    ///< the top-level phases, each a RunPhase; `setup` first
  PhaseId setup = kNoId;

  LocalId score_seat = kNoId;
  ExprId score = kNoId;          ///< kNoId: no score
  LocalId winner_seat = kNoId;
  ClauseId winner = kNoId;       ///< one binder over players, with `where` and keys; kNoId: none
  CoverId winner_cover = kNoId;
  std::vector<Claim> claims;
  std::vector<Bound> bounds;
  std::vector<Report> reports;
  std::vector<Scenario> scenarios;

  const Expr& operator[](ExprId id) const { return exprs[id]; }
};

/// One way to play the rules: how many seats, and the value of each parameter (a table has one value for each index).
struct Config {
  int players = 2;
  std::vector<std::vector<std::int64_t>> params;  ///< by ParamId
};

}  // namespace rip::rules
