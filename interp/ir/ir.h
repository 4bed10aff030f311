// The IR of one configuration: everything concrete, everything in flat vectors, every number known that can be known
// before play. Expressions are nodes over scratch registers and the state buffer; statements are instructions with
// jumps. Flow: interp/lower/lower builds a Program; interp/run plays it; nothing here points into the syntax tree.
#pragma once

#include "base/source.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace rip::ir {

using Node = std::int32_t;   ///< index into Program::nodes; kNoNode = absent
using Pc = std::int32_t;     ///< index into Program::code
inline constexpr std::int32_t kNoNode = -1;
inline constexpr std::int32_t kSetKid = -2;  ///< in a pool list of nodes: the next one is a set, not a scalar
inline constexpr std::int64_t kNone = std::numeric_limits<std::int32_t>::min();
inline constexpr int kMaxSeats = 32;
inline constexpr int kMaxWords = 16;   ///< 64-bit words of a set: at most 1024 components
inline constexpr int kMaxList = 1024;  ///< elements of a list value

/// Operations of expressions and statements, with their texts for the printer.
enum class NodeOp : std::uint8_t {
#define RIP_NODE(name) name,
#define RIP_INSTR(name)
#include "interp/ir/ops.def"
#undef RIP_NODE
#undef RIP_INSTR
};
enum class InstrOp : std::uint8_t {
#define RIP_NODE(name)
#define RIP_INSTR(name) name,
#include "interp/ir/ops.def"
#undef RIP_NODE
#undef RIP_INSTR
};
const char* name(NodeOp op);
const char* name(InstrOp op);

/// Width of a number in the state buffer. The lowest value of a width stands for `none`.
enum class Width : std::uint8_t { i8, i16, i32 };

struct ExprNode {
  NodeOp op{};
  Width width{};
  std::int32_t a = 0, b = 0, c = 0;  ///< what they mean stands beside each operation in ops.def
};

struct Instr {
  InstrOp op{};
  std::int32_t a = 0, b = 0, c = 0, d = 0;
};

/// Where the members of a set live in its bits: bit i is the value low + i.
struct Domain {
  std::int32_t low = 0;
  std::int32_t words = 1;
};

/// A number in the state.
struct Cell {
  std::int32_t offset = 0;
  Width width = Width::i32;
};

/// A variable, or a family of them: cells at offset + stride * (index in lexicographic order).
struct Var {
  std::string name;
  Cell cell;                  ///< of the first; a set variable: offset of its words
  bool set = false;
  Domain domain;              ///< of a set
  std::int32_t count = 1;     ///< cells in the family
  std::int64_t low = 0, high = 0;
  bool optional = false;
  bool component = false;     ///< holds a component
  std::vector<std::pair<std::int32_t, std::int32_t>> index;  ///< low and count of each index
  std::vector<std::int32_t> index_texts;  ///< how each is written: value_texts, -1 number, -2 component, -3 seat
  std::int32_t start = -1;    ///< node; -1 = `first_value`
  std::int64_t first_value = 0;
  std::vector<std::int32_t> index_slots;  ///< scratch slots for `start` and `seen by`
  Node seen_by = kNoNode;     ///< a set of seats; kNoNode = open
  std::int32_t known = -1;    ///< offset of the seat masks (u32 each) of a hidden variable, -1 = open
  bool visible = true;        ///< shown in views: not a block-local variable or hidden counter
  std::int32_t phase = -1;
  bool money = false;
  std::string type_text;      ///< how to write a value: see Program::value_texts
  std::int32_t texts = -1;    ///< index into Program::value_texts, -1 = as a number
  bool seat = false;

  /// That all cells of the family take, one behind the other.
  std::int32_t bytes() const {
    const std::int32_t one = set ? 8 * domain.words : cell.width == Width::i8 ? 1 : cell.width == Width::i16 ? 2 : 4;
    return one * count;
  }
};

enum class ZoneKind : std::uint8_t { pile, row, place, hand };

struct Zone {
  std::string name;           ///< `grave[2]`
  std::int32_t family = 0;    ///< zones declared together
  std::vector<std::int64_t> index;        ///< its values
  std::vector<std::int32_t> index_texts;  ///< how each is written: value_texts, -1 number, -2 component, -3 seat
  ZoneKind kind = ZoneKind::pile;
  std::int32_t ids = 0;       ///< offset of the component ids (u16 each): a pile from bottom to top, a row oldest first
  std::int32_t bags = -1;     ///< offset of the bag marks (u8 each), -1 = can never hold a bag
  std::int32_t capacity = 0;
  std::int32_t limit = -1;    ///< node of `max n`, -1 = none
  std::int8_t face = -1;      ///< turned on arrival: 0 up, 1 down
  std::int32_t owner = -1;    ///< seat that sees a hand
  Node seen_by = kNoNode;
  std::vector<std::pair<std::int32_t, std::int64_t>> seen_slots;  ///< scratch slot and value of each index, for seen_by
  std::int32_t refill_from = -1;   ///< zone instance
  Node refill_keeping = kNoNode;
  bool backs_tell = false;    ///< components here may differ on the side that lies up while in a bag
  bool deck = false;
};

struct Component {
  std::string phrase;         ///< `<money 5>`
  std::string back;           ///< what its back shows: `Card <gift>`
  std::int16_t type = 0;
  std::int16_t owner = -1;
  std::int32_t front_class = 0;  ///< equal for components that are equal for the rules
  std::int32_t back_class = 0;   ///< equal for components whose backs look alike
};
struct ComponentType {
  std::string name;
  std::int32_t first = 0, last = 0;  ///< component ids [first, last)
  bool die = false, hidden_side = true;
  bool mergeable = true;      ///< nothing is indexed by its components or holds one, so equal ones are one option
  std::int32_t low_face = 0, high_face = 0;
  std::vector<std::int32_t> tables;  ///< of its attributes: Program::tables[table + component]
  std::vector<std::int32_t> table_texts;  ///< of each: how its values are written, see kNumberText
};

enum class SourceKind : std::uint8_t { range, zone, set, list, components };
/// One name of a clause. Its value goes into a scratch slot; a pick into a scratch set or list.
struct Binder {
  std::string name;
  SourceKind kind = SourceKind::range;
  Node a = kNoNode, b = kNoNode;  ///< range: low, high; zone: zone node; set, list: its node; components: a, b = ids [a, b)
  Domain domain;                  ///< of a set source and of a pick
  bool by_place = false;          ///< the members of a set are components: run through them in the order of their places
  std::int32_t slot = 0;          ///< scratch slot; with a pick: scratch set or list slot
  bool pick = false, in_order = false;
  Node pick_low = kNoNode, pick_high = kNoNode;
  std::vector<Node> filters;      ///< conjuncts of `where` that can be asked once this name is bound
  bool independent = true;        ///< source and filters depend on no earlier name of the clause
  bool alone = false;             ///< no later source or filter depends on this name, so counts multiply
  bool component = false;
};
enum class KeyKind : std::uint8_t { high, low, clockwise_from, clockwise_after };
struct Key {
  KeyKind kind;
  Node value;
};
struct Clause {
  std::vector<Binder> binders;
  std::vector<Node> conditions;   ///< conjuncts that name no binder
  std::vector<Key> keys;
  std::int32_t clockwise_slot = -1;
  bool backwards = false;
  Node backwards_if = kNoNode;
  bool ordered = true;            ///< the order of bindings can be noticed
  std::int32_t named = 0;         ///< binders that tell options apart; those behind them are `any`
};

/// Attributes a component must have. `values` pairs an attribute table with a node.
struct Phrase {
  std::int32_t type = 0;
  struct Part { std::int32_t table; Node value; };
  std::vector<Part> parts;
  std::int32_t face = -1;
  Node owner = kNoNode;
};

struct Let {
  std::string name;
  struct Param { std::int32_t slot; enum class Kind : std::uint8_t { scalar, set, list } kind; Domain domain; };
  std::vector<Param> params;
  Node value = kNoNode;
};

struct MatchArm {
  std::vector<std::pair<Node, Node>> patterns;  ///< empty = else
  Node value = kNoNode;
};

/// Where an assignment goes.
struct Target {
  std::int32_t var = 0;
  Node index = kNoNode;  ///< a node that gives the position in the family, kNoNode = 0
};

/// How a value is written, where it is no index into Program::value_texts.
inline constexpr std::int32_t kNumberText = -1;
inline constexpr std::int32_t kComponentText = -2;
inline constexpr std::int32_t kSeatText = -3;
/// Some index or argument is a component.
inline bool names_components(const std::vector<std::int32_t>& texts) { return std::find(texts.begin(), texts.end(), kComponentText) != texts.end(); }

enum class LocalKind : std::uint8_t { scalar, set, list };
/// A frame cell that takes one argument or binding.
struct FrameLocal {
  LocalKind kind = LocalKind::scalar;
  Cell cell;        ///< scalar; set: offset of words; list: offset of count (i32), then elements (i32)
  Domain domain;
  std::int32_t max = 0;  ///< elements of a list
  bool component = false;
  std::int32_t texts = -1;  ///< how its values are written, see kNumberText
  std::int64_t low = std::numeric_limits<std::int32_t>::min(), high = std::numeric_limits<std::int32_t>::max();  ///< of an argument
};

struct Option {
  std::string name;
  std::int32_t clause = 0;
  std::vector<FrameLocal> args;         ///< by binder
  std::vector<std::int32_t> arg_texts;  ///< by binder: value_texts, -1 number, -2 component, -3 seat
  std::int32_t args_size = 0;           ///< numbers an encoded move takes
  bool secretly = false, otherwise = false;
  Pc body = 0;
  std::int32_t cover = -1;
  Span span;
};
struct Choose {
  std::int32_t first = 0, count = 0;    ///< options [first, first + count)
  bool each = false;
  Node seat = kNoNode;
  std::int32_t clause = -1;             ///< each: first binder is the seat
  FrameLocal seat_local;                ///< each: the name bound to the seat
  Cell saved_me;
  std::int32_t state = 0;               ///< each: offset of {u8 count, u8 next, u8 order[players]}, then commitments
  std::int32_t commit_stride = 0;       ///< bytes of one commitment: i32 option, then args
  Span span;
};

/// Where the commitment of a seat to a `choose each` is kept.
inline std::int32_t commitment(const Choose& choose, int players, int seat) { return choose.state + ((2 + players + 3) & ~3) + seat * choose.commit_stride; }

struct For {
  std::int32_t clause = 0;
  std::vector<FrameLocal> locals;       ///< by binder
  std::int32_t state = 0;               ///< offset of i32 count, i32 next, then rows of i32
  std::int32_t capacity = 0;            ///< rows
};
struct Turns {
  Node from, then = kNoNode, where = kNoNode, until = kNoNode;
  Cell seat, saved_me;
  Pc end_of_pass = 0;
  std::uint64_t running_mask = ~std::uint64_t{0};  ///< phases that stay running when the turn ends: those around the loop
};
struct MoveEach {
  std::int32_t clause = 0;
};

struct Routine {
  std::string name;
  Pc entry = 0;
  std::int32_t frame = 0, frame_size = 0;  ///< bytes in the state; starts with i32 return pc, i32 saved me
  std::vector<FrameLocal> params;
};
struct Phase {
  std::string name;
  std::int32_t parent = -1, routine = -1;
  Pc exit = 0;
  std::uint64_t ancestors = 0;  ///< mask of phases around it
  std::int32_t bit = 0;
  Cell saved_me;
};
/// A `when`: its bindings are numbered by position in the product of the binders' domains.
struct When {
  std::string name;
  std::int32_t clause = -1;
  Node condition = kNoNode;
  std::vector<std::pair<std::int32_t, std::int32_t>> radix;  ///< low and count of each binder
  std::vector<FrameLocal> locals;
  std::int32_t bits = 1;
  std::int32_t words = 1;
  std::int32_t phase = -1;
  std::int32_t routine = -1;
  std::vector<std::int32_t> waiting;   ///< offsets of all areas where its bindings may wait
  Span span;
};
/// Which whens an effect may wake, and where their bindings wait.
struct Wake {
  std::vector<std::int32_t> whens;
  std::vector<std::int32_t> areas;     ///< offset of the waiting bits of each
  std::vector<std::int32_t> before;    ///< offset in the state of the bits before the effect (of a `together`), or -1
  std::int32_t routine = 0;
};

struct Claim {
  std::string text;
  Node condition = kNoNode;
  enum class Kind : std::uint8_t { always, never, sometimes } kind;
  bool at_waiting = false, at_end = false;   ///< tested by the verifier; else where its instruction stands
  Span span;
};
struct Bound {
  std::string text;
  Node value, low, high;
  std::int32_t clause = -1;
  bool at_end = false;
  Span span;
};
struct Report { std::string text; Node value; };

struct CoverPoint {
  enum class Kind : std::uint8_t { statement, branch, move, trigger, let, declaration } kind;
  std::string name;
  Span span;
  std::vector<std::int32_t> tags;
};

/// The fixed part at the start of every state.
struct Header {
  std::int32_t pc;
  std::int32_t me;                ///< seat, or kNone
  std::uint8_t status;            ///< run::Status
  std::uint8_t chance;            ///< run::ChanceKind while waiting for chance
  std::uint8_t won;               ///< winners are fixed
  std::uint8_t fault;             ///< FaultCode
  std::uint32_t deciding;         ///< seats that have yet to decide
  std::uint32_t winners;
  std::uint64_t running;          ///< phases, by bit
  std::int32_t chance_a, chance_b;
  std::int32_t fault_at;          ///< node or instruction
  std::int32_t drawn;             ///< zone + 1 from whose bag cards were settled for the coming effect; kManyDrawn
};
inline constexpr std::int32_t kManyDrawn = -1;
/// Bag marks of positions in a pile: 0 = its card is fixed there; 1, 2 = bags (neighbours differ); kDrawn = settled for the
/// coming effect, beside the rest of its bag; kAllDrawn or one less = likewise, and nothing is left of its bag.
inline constexpr std::uint8_t kDrawn = 255;
inline constexpr std::uint8_t kAllDrawn = 254;
inline bool is_drawn(std::uint8_t mark) { return mark >= kAllDrawn - 1; }
inline bool is_bag(std::uint8_t mark) { return mark != 0 && !is_drawn(mark); }
inline constexpr std::int32_t kHeaderSize = sizeof(Header);

struct Program {
  std::string title, variant;
  int players = 2;
  std::vector<std::string> seats;   ///< names
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> params;

  std::vector<ExprNode> nodes;
  std::vector<Span> node_spans;
  std::vector<Instr> code;
  std::vector<Span> code_spans;
  std::vector<std::int32_t> routine_of;   ///< by pc
  std::vector<std::int32_t> turns_of;     ///< by pc: innermost turns loop of the routine, -1
  std::vector<std::int32_t> pool;         ///< lists of nodes and numbers
  std::vector<std::int64_t> tables;       ///< attribute values by component, parameter tables

  std::vector<Component> components;
  std::vector<ComponentType> types;
  std::vector<Zone> zones;
  std::vector<Var> vars;
  std::vector<Clause> clauses;
  std::vector<Phrase> phrases;
  std::vector<Let> lets;
  std::vector<std::vector<MatchArm>> matches;
  std::vector<Target> targets;
  std::vector<Option> options;
  std::vector<Choose> chooses;
  std::vector<For> fors;
  std::vector<Turns> turns;
  std::vector<Routine> routines;          ///< 0 is the main flow
  std::vector<Phase> phases;
  std::vector<When> whens;
  std::vector<Wake> wakes;
  std::vector<Claim> claims;
  std::vector<Bound> bounds;
  std::vector<Report> reports;
  std::vector<CoverPoint> covers;
  std::vector<std::string> tags;
  std::vector<std::vector<std::string>> value_texts;  ///< names of enum values, of flags, sides
  std::vector<std::int32_t> value_lows;
  std::vector<std::int32_t> interchangeable;          ///< value_texts of enums whose values no rule names or puts in order
  std::vector<FrameLocal> frame_locals;

  std::vector<std::vector<std::uint16_t>> contents;   ///< by zone, at the start: in the order of `ids`
  std::vector<std::int32_t> refreshes;                ///< zones whose eyes depend on variables

  // layout of the state, in bytes
  std::int32_t zone_of = 0;      ///< u16 by component
  std::int32_t faces = 0;        ///< i8 by component: 0 up, 1 down; the number of a die
  std::int32_t known = 0;        ///< u32 by component: seats that know its front
  std::int32_t counts = 0;       ///< u16 by zone
  std::int32_t rolling = 0;      ///< i8 by component: rolled numbers that wait, 0 = none; -1 if nothing rolls
  std::int32_t size = 0;

  std::int32_t scratch_slots = 0, scratch_sets = 0, scratch_lists = 0;
  std::int32_t score_slot = 0;
  Node score = kNoNode;
  std::int32_t winner = -1;      ///< clause
  Pc entry = 0;
  std::int32_t setup_end = -1;   ///< pc of the `checkpoint` behind setup
  std::int32_t max_args = 0;     ///< numbers in the longest move
};

}  // namespace rip::ir
