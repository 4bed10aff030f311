// The syntax tree: what was written, before any name is looked up. Nodes are immutable and shared, so that a variant is a
// new list of declarations over the same nodes. Flow: grammar/parser builds it; grammar/expand applies variants;
// interp/check reads it.
#pragma once

#include "base/source.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace rip::ast {

template <class T>
using Ref = std::shared_ptr<const T>;

struct Expr;
struct Stmt;
struct Decl;
using ExprRef = Ref<Expr>;
using StmtRef = Ref<Stmt>;
using DeclRef = Ref<Decl>;

struct Name {
  std::string text;  ///< empty = absent
  Span span;
  explicit operator bool() const { return !text.empty(); }
};

/// One clause id of a margin note: `R-14`, `A-3`, `C-7`. The brackets are not part of it.
struct Tag {
  std::string text;
  Span span;
};
using Tags = std::vector<Tag>;

// ---- types ----------------------------------------------------------------------------------------------------

/// `a..b`, a type name, part of an enum, `flag`, `player`, `text`, with `set of` before or `?` behind.
/// `range` is the expression written: a Range, a Word (flag, player, text, Face, a TYPE), or a single value.
struct TypeExpr {
  Span span;
  bool set_of = false;
  ExprRef range;
  bool optional = false;
};
using TypeRef = Ref<TypeExpr>;

// ---- clauses --------------------------------------------------------------------------------------------------

/// `NAME in SOURCE`, `any NAME in SOURCE`, `NAME in 2 of S`, `NAME in 0..5 of S in order`. For a pick, `pick_low` (and `pick_high` if a
/// range was written) are set and `source` is S.
struct Binder {
  Name name;  ///< `_` if not needed
  ExprRef source;
  ExprRef pick_low;   ///< null = no pick
  ExprRef pick_high;  ///< null = exactly pick_low
  bool in_order = false;
  bool any = false;
  Span span;
};

enum class KeyKind { high, low, clockwise_from, clockwise_after };
struct Key {
  KeyKind kind;
  ExprRef value;
  Span span;
};
struct Keys {
  std::vector<Key> keys;
  bool backwards = false;
  ExprRef backwards_if;  ///< null = unconditionally
};

struct Clause {
  std::vector<Binder> binders;
  ExprRef where;  ///< null = none
  Keys keys;      ///< `backwards` may stand without keys
  Span span;
};
using ClauseRef = Ref<Clause>;

// ---- expressions ----------------------------------------------------------------------------------------------

enum class BinaryOp { logical_or, logical_and, eq, ne, lt, le, gt, ge, in, not_in, add, sub, mul, div, mod };
enum class UnaryOp { logical_not, minus };
enum class IsWhat { none, empty, over, running };
enum class AggregateKind { count, some, first, best, every, sum, min, max };

struct IntLit { std::int64_t value; };
struct Word { std::string text; };  ///< NAME or TYPE, also `none`, `me`, `players`, ...
struct Unary { UnaryOp op; ExprRef operand; };
struct Binary { BinaryOp op; ExprRef left, right; Span op_span; };
struct Is { ExprRef operand; IsWhat what; bool negated; };
struct RangeExpr { ExprRef low, high; };
struct IfExpr { ExprRef condition, then_value, else_value; };
struct MatchArm {
  std::vector<ExprRef> patterns;  ///< empty = `else`
  ExprRef value;
  Span span;
};
struct MatchExpr { ExprRef subject; std::vector<MatchArm> arms; };
struct Index { ExprRef base; std::vector<ExprRef> args; };
struct Attribute { ExprRef base; Name name; };
/// `name(args)`: a `let`, or one of the builtins nth, next, previous, number, abs, random.
struct Call { Name name; std::vector<ExprRef> args; };
/// `top of Z`, `bottom of Z`, `top n of Z`.
struct TopOf { bool bottom; ExprRef count; ExprRef of; };
struct AllOf { ExprRef of; };
/// `count(clause)`, `count(E)`, `every(E for clause)`, `sum(E for clause)`, `min(a, b)`.
/// count/some/first/best: `clause`, or (count, some, first, best of a set) `args` with one element.
/// every/sum/min/max: `value` and `clause`; or, min and max and sum, `args` alone.
struct Aggregate {
  AggregateKind kind;
  ClauseRef clause;
  ExprRef value;
  std::vector<ExprRef> args;
};
/// `{a, b}`, `[a, b]`, `{p in S where C}`, `{E for clause}`, `[... by keys]`.
struct Builder {
  bool list;  ///< [] or {}
  std::vector<ExprRef> items;
  ClauseRef clause;  ///< set for a comprehension
  ExprRef value;     ///< `E for`; null = the binder itself
};
/// One part of `<money 5 body {1, 2} down>`.
struct PhrasePart {
  enum class Kind { number, word, set } kind;
  std::int64_t number = 0;
  std::string word;
  std::vector<ExprRef> items;
  Span span;
};
/// `<...>`, with a component type or (in a scenario) a seat before it; in deck lines parts may be names of the clause.
struct Phrase { Name type; std::vector<PhrasePart> parts; };
struct OriginalExpr {};

struct Expr {
  Span span;
  std::variant<IntLit, Word, Unary, Binary, Is, RangeExpr, IfExpr, MatchExpr, Index, Attribute, Call, TopOf, AllOf, Aggregate,
               Builder, Phrase, OriginalExpr>
      node;
};

// ---- statements -----------------------------------------------------------------------------------------------

/// `tags`: of the block itself (directly after its `{`). They belong to the owner of the block.
struct Block {
  Span span;
  Tags tags;
  std::vector<StmtRef> statements;
};
using BlockRef = Ref<Block>;

enum class ClaimKind { always, never, sometimes };
enum class MomentKind { waiting, end, phase_begins, phase_ends, move };
struct Claim {
  ClaimKind kind;
  std::string text;
  Span text_span;
  ExprRef condition;  ///< null = none written
  MomentKind moment = MomentKind::waiting;
  Name moment_name;
};

struct VarDecl {
  Name name;
  std::vector<std::pair<Name, TypeRef>> index;  ///< `[t: Team, 1..3]`; the name may be absent
  TypeRef type;                                 ///< null only for `money` without a range
  ExprRef start;                                ///< null = first value
  ExprRef seen_by;                              ///< null = open
  bool money = false;
};

struct Limit {
  enum class Kind { none, cut_off, at_most } kind = Kind::none;
  ExprRef value;
  Span span;
};
struct ForLoop { ClauseRef clause; };
struct RepeatLoop { ExprRef until; Limit limit; };
struct TurnsLoop { ExprRef from, then, where, until; Limit limit; };
using LoopHeader = std::variant<ForLoop, RepeatLoop, TurnsLoop>;

struct Param { Name name; TypeRef type; };  ///< of a let, rule or phase; type null = inferred

struct Move {  // `move X to Z face F for CLAUSE`
  ExprRef what, to;
  bool under = false;
  ExprRef face;
  ClauseRef each;
};
struct Fill { ExprRef what, to_count, from, face; };  ///< to_count null = `fill PLACES from D`
struct Swap { ExprRef first, second; };               ///< second null = `swap S`
struct Turn { ExprRef what, face; };
struct Shuffle { ExprRef what; };
struct Roll { ExprRef what; };
struct Show { ExprRef what, to; };
struct Set { ExprRef target, value; };
struct Raise { bool lower; ExprRef target, amount; };
struct Pay { ExprRef amount, from, to; };
struct LetStmt { Name name; ExprRef value; };
struct If { ExprRef condition; BlockRef then_block; BlockRef else_block; };  ///< `else if` is a block of one If
struct Loop { LoopHeader header; BlockRef body; };
struct MatchStmtArm {
  std::vector<ExprRef> patterns;  ///< empty = `else`
  BlockRef body;
  Tags tags;  ///< behind the arm
};
struct Match { ExprRef subject; std::vector<MatchStmtArm> arms; };

/// A move of a `choose`, or a `where C { options }` group (then `group` is filled and name is absent).
struct Option {
  Span span;
  Tags tags;
  Name name;
  bool secretly = false;
  bool otherwise = false;
  ClauseRef clause;  ///< null = no arguments; may have no binders but a `where`
  BlockRef body;
  ExprRef group_where;
  std::vector<Option> group;
};
struct Choose {
  bool each = false;
  ExprRef seat;      ///< without `each`
  ClauseRef clause;  ///< with `each`
  bool secretly = false;
  std::vector<Option> options;
  Tags tags;
};
struct Do { Name name; std::vector<ExprRef> args; };
struct Together { BlockRef body; };
struct OriginalStmt {};
struct Stop {};
struct Win { ExprRef who; };
struct EndTurn {};
struct EndGame {};
struct EndPhase { Name name; };  ///< name absent = the phase around
struct Note { std::string text; };

struct Phase {
  Name name;
  std::vector<Param> params;
  bool has_params = false;           ///< `()` written: only by `do`
  std::optional<LoopHeader> loop;
  BlockRef body;
};
struct When {
  ClauseRef clause;    ///< with binders, or
  ExprRef condition;   ///< a plain condition
  BlockRef body;
};

/// `tags`: behind the statement.
struct Stmt {
  Span span;
  Tags tags;
  std::variant<Move, Fill, Swap, Turn, Shuffle, Roll, Show, Set, Raise, Pay, LetStmt, VarDecl, If, Loop, Match, Choose, Do,
               Together, OriginalStmt, Stop, Win, EndTurn, EndGame, EndPhase, Claim, Note, Phase, When>
      node;
};

// ---- declarations ---------------------------------------------------------------------------------------------

struct PlayersDecl { ExprRef low, high; std::optional<std::int64_t> usually; };
struct NoteDecl { std::string text; };
struct Require { std::string text; ExprRef condition; };
struct ParamDecl { Name name; std::vector<std::pair<Name, TypeRef>> index; TypeRef type; ExprRef value; };
struct EnumDecl { Name name; std::vector<Name> values; };
struct AttributeDecl { Name name; bool back = false; TypeRef type; ExprRef value; };
enum class ComponentKind { card, token, die };
struct ComponentDecl {
  ComponentKind kind;
  Name name;
  ExprRef faces;  ///< of a die: a Range
  std::vector<AttributeDecl> attributes;
};
struct DeckLine {
  Span span;
  Tags tags;
  bool original = false;  ///< the line is the word `original`
  ExprRef count;
  ExprRef phrase;         ///< a Phrase
  ClauseRef clause;
};
struct Refill { ExprRef from, keeping; };
struct DeckDecl {
  Name name;
  std::vector<std::pair<Name, TypeRef>> index;
  Name type;
  std::optional<Refill> refill;
  std::string csv;  ///< path as written; empty = none. A deck may have both a CSV and lines.
  Span csv_span;
  std::vector<DeckLine> lines;
};
enum class ZoneKind { pile, row, place, hand };
struct ZoneDecl {
  Name name;
  std::vector<std::pair<Name, TypeRef>> index;
  ZoneKind kind;
  Name type;
  Name face;  ///< `up`, `down`, or absent
  ExprRef max;
  std::optional<Refill> refill;
  ExprRef seen_by;
};
struct LetDecl { Name name; std::vector<Param> params; TypeRef type; ExprRef value; };
struct RuleDecl { Name name; std::vector<Param> params; BlockRef body; };
struct ScoreDecl { Name seat; ExprRef value; };
struct WinnerDecl { Name seat; ExprRef where; Keys keys; };
struct ReportDecl { std::string text; ExprRef value; };
struct BoundDecl { ExprRef value, low, high; ClauseRef clause; };

// scenarios
struct CardItem {
  std::int64_t count = 1;
  ExprRef phrase;  ///< null = `any`
  Span span;
};
struct Given {
  ExprRef target;
  bool is_cards = false;        ///< `given Z: cards`
  std::vector<CardItem> cards;  ///< none = `empty`
  ExprRef value;                ///< `given v == E`
};
struct MoveCall { Name move; bool has_args = false; std::vector<ExprRef> args; };  ///< an argument `any` is the Word "any"
struct StepPlayers { std::vector<Name> names; };
struct StepSet { Name name; ExprRef value; };
struct StepStart { bool is_do = false; Name name; std::vector<ExprRef> args; };
struct StepNext { bool is_roll = false; std::vector<std::int64_t> faces; ExprRef zone; std::vector<CardItem> cards; };
struct StepExpect {
  ExprRef condition;
  std::optional<std::pair<std::int64_t, std::int64_t>> chance;  ///< `with chance 1 of 6`
  bool on_average = false;
};
struct StepSwapping {
  std::optional<Given> given;
  Name seat;  ///< with `move`
  MoveCall move;
  bool same = true;
  std::vector<Name> to;
};
struct StepDoes { Name seat; MoveCall move; };
struct StepCan { Name seat; bool can = true; MoveCall move; };
struct StepKnows { Name seat; bool knows = true; ExprRef what; };
struct StepHas { Name seat; std::int64_t count; bool worlds; };  ///< else moves
struct Step {
  Span span;
  Tags tags;
  std::variant<StepPlayers, StepSet, StepStart, Given, StepNext, StepExpect, NoteDecl, StepSwapping, StepDoes, StepCan,
               StepKnows, StepHas>
      node;
};
struct ScenarioDecl { std::string name; std::string of; Span of_span; std::vector<Step> steps; };

// variants
struct DeltaSet { Name name; ExprRef value; };
struct DeltaEntries {
  /// What stands between the braces of `before`, `after`, `replace TAG { }`: exactly what fits the place of the tag.
  std::vector<DeckLine> lines;
  std::vector<Option> options;
  std::vector<StmtRef> statements;  ///< a declaration that is also a statement (var, claim, note, phase, when) is here
  std::vector<DeclRef> declarations;
  Tags tags;
};
struct DeltaReplaceDecl { DeclRef declaration; };
struct DeltaAt {
  enum class Where { before, after, replace } where;
  Tags target;
  DeltaEntries entries;
};
struct DeltaRemove {
  Tags tags;         ///< `remove [R-6, R-7]`, or
  std::string kind;  ///< `move`, `let`, `always`, ...
  Name name;         ///< a name, or
  std::string text;  ///< the text of a claim or report, or
  ExprRef bounded;   ///< what a `bound` is about
};
struct DeltaPlayers { PlayersDecl players; };
struct Delta {
  Span span;
  Tags tags;
  std::variant<DeltaSet, DeltaReplaceDecl, DeltaAt, DeltaRemove, DeltaPlayers, DeclRef> node;
};
struct VariantDecl { std::string name; std::string of; Span of_span; std::vector<Delta> deltas; };
struct SmallDecl { std::string name; std::vector<Delta> deltas; };

/// `tags`: behind the declaration, or directly after its `{`.
struct Decl {
  Span span;
  Tags tags;
  std::variant<PlayersDecl, NoteDecl, Require, ParamDecl, EnumDecl, ComponentDecl, DeckDecl, ZoneDecl, VarDecl, LetDecl,
               RuleDecl, Phase, When, ScoreDecl, WinnerDecl, ReportDecl, Claim, BoundDecl, SmallDecl, VariantDecl, ScenarioDecl>
      node;
};

struct Script {
  std::uint32_t file = 0;
  std::string title;
  Span title_span;
  std::int64_t language = 1;
  Tags tags;
  std::vector<DeclRef> declarations;
};

}  // namespace rip::ast
