// The inside of the Machine: reads expressions, carries out instructions. Split by topic over several files:
// eval.cpp (values), eval_sets.cpp (sets, lists, zones), order.cpp (of places), clauses.h (bindings), execute.cpp (flow), effects.cpp and packets.cpp
// (what moves), knowledge.cpp (who knows what), alike.cpp (what nobody tells apart), chance.cpp (bags, dice), options.cpp,
// numbering.cpp and which.cpp (decisions), triggers.cpp, nesting.cpp, tables.cpp (found out once), names.cpp, logs.cpp, view.cpp.
#pragma once

#include "interp/run/engine.h"

#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <vector>

namespace rip {

/// A list value; lives on the C++ stack.
struct List {
  std::int32_t size = 0;
  bool cut = false;  ///< something did not fit: a fault
  std::int32_t values[ir::kMaxList];
  void push(std::int64_t value) {
    if (size < ir::kMaxList) values[size++] = static_cast<std::int32_t>(value);
    else cut = true;
  }
};

/// Bindings of a clause, row after row; lives on the C++ stack.
struct Rows {
  static constexpr std::int32_t kMax = 8192;
  std::int32_t size = 0;
  std::int64_t values[kMax];
};

/// Packets that leave together and then arrive together; lives on the C++ stack. Cards that come out of one hand or one bag
/// and have no order bear the same number in `run`; 0: they keep their order.
struct Parcel {
  struct Packet {
    std::int32_t begin, end;  ///< in `cards`, top or oldest first
    std::int32_t zone;
    bool under;
    std::int64_t side;        ///< a face, or kNone
  };
  List cards;
  std::uint16_t run[ir::kMaxList];
  std::uint16_t from[ir::kMaxList];   ///< zones
  std::uint32_t knew[ir::kMaxList];
  bool mixed[ir::kMaxList];           ///< came out of a bag
  std::int32_t packets = 0;
  Packet packet[ir::kMaxList];
  std::uint16_t runs = 0;
};

struct ZoneRange {
  std::int32_t first = 0, count = 0;
};

using Word = std::uint64_t;

using ir::kComponentText;
using ir::kNumberText;
using ir::kSeatText;

using ir::is_bag;
using ir::is_drawn;

class Interpreter {
 public:
  Interpreter(const ir::Program& program, Observer*& observer, std::vector<std::uint8_t>& pinned);

  const ir::Program& p;
  Observer*& observer;
  std::vector<std::uint8_t>& pinned;

  void bind(const State& state) {
    state_ = const_cast<State*>(&state);
    s = state_->bytes.data();
    if (!departures_.empty()) drop_departures();
  }

  // ---- the state buffer ----
  std::uint8_t* s = nullptr;
  State* state_ = nullptr;
  template <class T>
  T& at(std::int32_t offset) {
    return *reinterpret_cast<T*>(s + offset);
  }
  ir::Header& header() { return at<ir::Header>(0); }
  std::uint16_t* ids(const ir::Zone& zone) { return reinterpret_cast<std::uint16_t*>(s + zone.ids); }
  std::uint8_t* bags(const ir::Zone& zone) { return s + zone.bags; }
  std::uint16_t& count(std::int32_t zone) { return at<std::uint16_t>(p.counts + 2 * zone); }
  std::uint16_t& zone_of(std::int32_t c) { return at<std::uint16_t>(p.zone_of + 2 * c); }
  std::int8_t& face(std::int32_t c) { return at<std::int8_t>(p.faces + c); }
  std::uint32_t& known(std::int32_t c) { return at<std::uint32_t>(p.known + 4 * c); }
  std::int64_t load(std::int32_t offset, ir::Width width) const {
    switch (width) {
      case ir::Width::i8: return widened(*reinterpret_cast<const std::int8_t*>(s + offset));
      case ir::Width::i16: return widened(*reinterpret_cast<const std::int16_t*>(s + offset));
      case ir::Width::i32: return widened(*reinterpret_cast<const std::int32_t*>(s + offset));
    }
    return 0;
  }
  /// The lowest number of each width is `none`.
  template <class T>
  static std::int64_t widened(T value) {
    return value == std::numeric_limits<T>::min() ? ir::kNone : value;
  }
  void store(std::int32_t offset, ir::Width width, std::int64_t value);

  // ---- faults: the first one sticks, reading goes on with 0 ----
  FaultCode fault = FaultCode::none;
  std::int32_t fault_at = -1;     ///< node, or instruction if fault_in_code
  bool fault_in_code = false;
  std::int64_t fail(FaultCode code, std::int32_t node);
  void fail_here(FaultCode code);

  /// Instructions, bindings and calls of a `let` between two stops: a tenth of a second. No rule of a game needs as many.
  static constexpr std::int64_t kMaxWork = 5'000'000;
  std::int64_t work_left = kMaxWork;

  // ---- values (eval.cpp, eval_sets.cpp) ----
  /// The value of an expression; the leaves, asked most, without a call.
  std::int64_t eval(ir::Node node) {
    const ir::ExprNode& x = p.nodes[static_cast<std::size_t>(node)];
    switch (x.op) {
      case ir::NodeOp::constant: return x.a;
      case ir::NodeOp::scratch: return scratch[static_cast<std::size_t>(x.a)];
      case ir::NodeOp::cell: return load(x.a, x.width);
      default: return eval_tree(node);
    }
  }
  std::int64_t eval_tree(ir::Node node);
  std::int64_t eval_collection(ir::Node node);
  bool truth(ir::Node node) { return eval(node) != 0; }
  void eval_set(ir::Node node, ir::Domain domain, Word* out);  ///< clears `out` first
  void add_to_set(ir::Node node, ir::Domain domain, Word* out);
  void eval_list(ir::Node node, List& out);                    ///< appends
  void append(ir::Node node, List& out);
  ZoneRange eval_zone(ir::Node node);
  std::int64_t eval_position(ir::Node node);
  std::uint32_t eval_seats(ir::Node node);
  ir::Domain pool_domain(std::int32_t at) const { return {p.pool[static_cast<std::size_t>(at)], p.pool[static_cast<std::size_t>(at) + 1]}; }
  ir::Domain component_domain() const { return {0, component_words}; }
  bool fits(std::int32_t component, const ir::Phrase& phrase);
  bool arm_fits(const ir::MatchArm& arm, std::int64_t subject);
  void bind_arguments(const ir::Let& let, std::int32_t pool);
  std::int64_t call(ir::Node node);
  const ir::MatchArm* matching_arm(const ir::ExprNode& node, ir::Node where);
  std::int64_t zone_item(std::int32_t zone, std::int64_t n);   ///< n-th in order of arrival, from 1; none if there is none
  std::int64_t newest(ZoneRange range);
  std::int64_t oldest(ZoneRange range);

  // ---- the order of places (order.cpp): zones as declared, those of a component where that component lies ----
  void append_zone(std::int32_t zone, List& out);              ///< piles from the top, rows oldest first
  void append_zones(ZoneRange range, List& out);
  void sort_by_place(List& list);
  std::int32_t position_of(const ir::Zone& zone, std::int32_t n, std::int32_t index);
  bool by_component(std::int32_t zone) const { return by_component_[static_cast<std::size_t>(zone)] != 0; }
  int compare_zones(std::int32_t a, std::int32_t b, int depth = 0);    ///< below, equal or above 0
  int compare_places(std::int32_t a, std::int32_t b, int depth = 0);   ///< of components
  void sort_zones(List& zones);
  /// f(zone) for each of them; gives false to stop.
  template <class F>
  bool each_zone_in_order(ZoneRange range, F&& f) {
    if (range.count < 2 || !by_component(range.first)) {
      for (std::int32_t z = range.first; z < range.first + range.count; ++z) {
        if (!f(z)) return false;
      }
      return true;
    }
    List zones;
    for (std::int32_t z = range.first; z < range.first + range.count; ++z) zones.push(z);
    sort_zones(zones);
    for (std::int32_t i = 0; i < zones.size; ++i) {
      if (!f(zones.values[i])) return false;
    }
    return true;
  }

  std::int64_t score_of(std::int64_t seat);

  std::vector<std::int64_t> scratch;
  std::vector<Word> sets;        ///< kMaxWords a slot
  std::vector<List> lists;
  std::int32_t component_words = 1;

  // ---- clauses (clauses.h) ----
  /// Asks f() for each value of one binder that passes its filters, the value being bound. Stops when f gives false.
  /// `chooser` is the seat whose options these are: of new components that look alike to it only the first is bound.
  /// kAnyOrder binds all, kInOrder all in the order of the language.
  static constexpr int kAnyOrder = -1, kInOrder = -2;
  template <class F>
  bool each_value(const ir::Binder& binder, int chooser, F&& f);
  /// The same for all binders from `level` on.
  template <class F>
  bool each_binding(const ir::Clause& clause, std::size_t level, int chooser, F&& f);
  template <class F>
  bool each_in(const ir::Clause& clause, std::size_t level, int chooser, F&& f);
  bool with_any_ = false;  ///< all values of names that are `any`, not only the first that fits
  template <class F>
  bool each(const ir::Clause& clause, F&& f);
  /// What is picked from: `twin` is the nearest earlier member that looks the same to the chooser, -1 if there is none.
  struct Picking {
    List from, chosen;
    std::int32_t low = 0, high = 0;
    std::int16_t twin[ir::kMaxList];
    bool used[ir::kMaxList];
  };
  bool pick_values(const ir::Binder& binder, Picking& pick, std::int32_t start, void* context, bool (*f)(void*));
  void find_twins(Picking& pick, bool merges, int chooser);
  void source_list(const ir::Binder& binder, int chooser, List& out);
  bool lenient_ = false;  ///< what would be a fault does not hold
  /// Components that names of the clause stand for so far, while options of a seat are read.
  static constexpr std::int32_t kMaxNamed = 64;
  std::int32_t named_[kMaxNamed];
  std::int32_t named_count_ = 0;
  bool is_named(std::int32_t component) const;
  bool stands_for(int seat, std::int32_t component, const List& bound);
  /// All bindings in their final order, the values of the binders side by side. A tie that keys leave is a fault, unless
  /// the bindings are equal components.
  void collect(const ir::Clause& clause, Rows& out);
  /// The two bindings differ by equal components at most.
  bool interchangeable(const ir::Clause& clause, const std::int64_t* a, const std::int64_t* b) const;
  void bind_row(const ir::Clause& clause, const std::int64_t* row);
  std::int64_t key_value(const ir::Clause& clause, const ir::Key& key);
  std::int64_t first_of(const ir::Clause& clause, ir::Node where);
  void best_of(const ir::Clause& clause, ir::Domain domain, Word* out);

  // ---- flow (execute.cpp) ----
  Rng* rng = nullptr;
  void resize();                               ///< after expressions were added to the program
  void drop_waiting();
  // what an out-of-range write was about, for the message
  std::int32_t detail_var = -1, detail_position = 0;
  std::int64_t detail_value = 0;
  Status run(const std::function<bool(ir::Pc)>* pause = nullptr);
  bool step(const ir::Instr& instr);           ///< false: the machine has stopped
  void enter_routine(std::int32_t routine, ir::Pc back);
  void leave_routine(std::int32_t routine);
  bool unwind_to(std::int32_t routine);
  void leave_all();
  bool end_turn();
  void end_phase(std::int32_t phase);
  bool begin_for(std::int32_t index);
  bool next_for(std::int32_t index);
  bool seek_turn(const ir::Turns& turns);
  void store_local(const ir::FrameLocal& local, std::int64_t value);
  void store_local_from(const ir::FrameLocal& local, ir::Node node);
  bool does_not_fit(std::int32_t index, std::int32_t position, std::int64_t value);
  void assign(const ir::Target& target, std::int64_t value);
  void assign_set(const ir::Target& target, ir::Node node);
  void start_var(std::int32_t var);            ///< unless it is pinned
  void begin_var(std::int32_t var);
  void begin_cell(std::int32_t var, std::int32_t position);
  void bind_index(const ir::Var& var, std::int32_t position);   ///< what its start value and `seen by` call its indices

  // ---- chance (chance.cpp) ----
  // These give true when something waits for chance (the header says what); with rng set it is settled at once.
  bool settle_top(std::int32_t zone, std::int64_t n, bool from_bottom);
  bool settle_index(std::int32_t zone, std::int32_t index);
  bool settle(const ir::Instr& instr);
  bool settle_fill(const ir::Instr& instr);
  bool settle_each(const ir::Instr& instr);
  bool expose();
  bool roll();
  bool chance_point(ChanceKind kind, std::int32_t a, std::int32_t b);
  bool settle_kept(std::int32_t zone, std::int32_t leaving);
  bool refill(std::int32_t zone);
  /// The bag around a position of `ids`: [begin, end).
  void bag_around(std::int32_t zone, std::int32_t index, std::int32_t& begin, std::int32_t& end);
  /// Puts a member of the bag around `index` there, as a fixed card with this mark (0 or kDrawn).
  void fix(std::int32_t zone, std::int32_t index, std::int32_t component, std::uint8_t mark);
  void draw(std::int32_t zone, std::int32_t index, std::int32_t component);
  void normalise_bags(std::int32_t zone);
  void close_drawn();
  void close_drawn_in(std::int32_t zone);
  /// The sides that lie up look alike; `eyes`: only some seats see fronts there.
  bool shown_alike(bool eyes, std::int32_t a, std::int32_t b) {
    const auto x = static_cast<std::size_t>(a);
    const auto y = static_cast<std::size_t>(b);
    if (eyes) return back_[x] == back_[y];
    if (face(a) != face(b)) return false;
    return kind_[x] == Kind::card && face(a) == 1 ? back_[x] == back_[y] : front_[x] == front_[y];
  }
  void outcomes(std::vector<Outcome>& out);
  void choose_outcome(std::uint32_t index);
  std::uint32_t sample_outcome(Rng& random);
  std::int32_t sample_value(Rng& random);
  void apply_outcome(std::int32_t value);
  void random_values(List& out);
  std::string random_text(std::int32_t value);
  std::vector<std::int32_t> expose_zones;  ///< piles whose top may show while it is part of a bag

  // ---- effects (effects.cpp) ----
  std::int32_t find(std::int32_t component);  ///< its index in `ids` of its zone
  void remove(std::int32_t component);
  void insert(std::int32_t component, std::int32_t zone, std::int32_t index, std::uint8_t mark);
  /// Moves one component; `side` is a face or kNone. The whole of one card's move, knowledge and log included.
  void move_one(std::int32_t component, std::int32_t zone, bool under, std::int64_t side);
  // packets.cpp
  void add_packet(Parcel& parcel, std::int32_t begin, bool ordered, std::int32_t to, bool under, std::int64_t side);
  bool settle_order(Parcel& parcel);
  std::int32_t draw_alike(const List& from, Rng& random);
  void carry(Parcel& parcel);
  void arrive(Parcel& parcel, const Parcel::Packet& packet);
  void turn_on_arrival(std::int32_t component, const ir::Zone& target, bool was_here, std::int64_t side);
  void test_room(std::int32_t zone);
  void mix_runs(const Parcel& parcel);
  bool target_zone(ir::Node node, std::int32_t& zone);
  std::int64_t optional_side(ir::Node node) { return node == ir::kNoNode ? ir::kNone : eval(node); }
  void read_cards(std::int32_t kind, ir::Node node, List& out);  ///< kind: 0 component 1 set 2 list 3 zone
  void swap_components(std::int32_t a, std::int32_t b);
  void swap_zones(std::int32_t a, std::int32_t b);
  void turn(std::int32_t component, std::int64_t side);
  void shuffle(std::int32_t zone);
  void show(const ir::Instr& instr);
  void pay(const ir::Instr& instr);
  void fill(const ir::Instr& instr);
  void move_each(const ir::Instr& instr);
  /// Carries out an effect; false if it is none.
  bool effect(const ir::Instr& instr);

  // ---- knowledge (knowledge.cpp) ----
  std::uint32_t all_seats = 0;
  std::uint32_t eyes(std::int32_t zone);             ///< seats that see every front there, whichever side lies up
  /// Its fronts are for some seats only: a hand, or `seen by`.
  bool has_eyes(const ir::Zone& zone) const { return zone.seen_by != ir::kNoNode || zone.kind == ir::ZoneKind::hand; }
  std::uint32_t sees_front(std::int32_t component);  ///< seats that see its front where it lies now
  void learn(std::int32_t component) { known(component) |= sees_front(component); }
  void top_changed(std::int32_t zone);
  /// It is about to leave its hand or bag, or a place in it becomes known: what seats know there may end.
  void departs(std::int32_t component);
  void drop_departures();
  void forget_departed();                            ///< once everything has arrived and is seen
  struct Departure {
    std::int32_t zone, begin, first, size;           ///< its group of cards; a part of departed_, empty if nothing can end
    std::int32_t left, last;                         ///< how many have left, and one of them
  };
  std::vector<Departure> departures_;
  std::vector<std::uint16_t> departed_;
  std::vector<std::uint8_t> has_left_;               ///< by component
  void mix(std::int32_t zone, std::int32_t begin, std::int32_t end);
  std::uint32_t var_eyes(const ir::Var& var, std::int32_t position);
  void write_known(const ir::Var& var, std::int32_t position);
  /// New eyes see what lies there. What they depend on: variables, names of loops, or anything on the table.
  struct Eyes {
    std::vector<std::int32_t> zones, vars;
    bool any() const { return !zones.empty() || !vars.empty(); }
  };
  Eyes eyes_by_vars_, eyes_by_loops_, eyes_by_table_;
  bool moving_eyes_ = false;                         ///< there are any
  void refresh(const Eyes& moving);
  void refresh(bool written) {
    if (written) refresh(eyes_by_vars_);
    refresh(eyes_by_loops_);
    refresh(eyes_by_table_);
  }
  std::vector<std::uint8_t> eyes_read_;              ///< by variable: some eyes depend on it
  void find_moving_eyes();
  /// What is indexed by a component that becomes part of a bag returns to its start value.
  void reset_indexed(std::int32_t component);

  // ---- what nobody tells apart (alike.cpp) ----
  /// A variable or a zone is about one of the two, and not in the same way about the other.
  bool told_apart(std::int32_t a, std::int32_t b);
  bool vars_tell_apart(const ir::Var& var, std::int32_t a, std::int32_t b);
  bool same_for_rules(std::int32_t a, std::int32_t b);
  bool alike(std::int32_t a, std::int32_t b) {
    if (a == b) return true;
    return front_[static_cast<std::size_t>(a)] == front_[static_cast<std::size_t>(b)] && known(a) == known(b) && face(a) == face(b) &&
           (told_by_type_[static_cast<std::size_t>(a)] == 0 || !told_apart(a, b));
  }
  /// To this seat, which is to choose among the components of a zone.
  bool looks_alike(int seat, std::int32_t a, std::int32_t b);
  bool is_blind(int seat, std::int32_t component);   ///< the seat goes by its back only
  std::int32_t bag_number(std::int32_t component);   ///< of two in one zone: equal if they are in the same bag; 0 = in none

  // ---- found out once (tables.cpp) ----
  void build_tables();
  std::size_t tables_for_ = 0;                       ///< instructions when they were built
  std::vector<std::int32_t> front_, back_;           ///< by component: the first one with an equal front, an equal back
  enum class Kind : std::uint8_t { card, token, die };
  std::vector<Kind> kind_;                           ///< by component
  std::vector<std::uint8_t> told_by_type_;           ///< by component: something may tell it from equal ones
  std::vector<std::int32_t> marking_vars_, marking_locals_, indexed_vars_;
  std::vector<std::int32_t> component_zones_;        ///< zones indexed by a component
  std::vector<std::uint8_t> by_component_;           ///< by zone: it is one of them
  bool can_nest_ = false;                            ///< a `when` may be woken while its body runs
  std::vector<std::pair<std::int32_t, std::int32_t>> loose_locals_;  ///< offset, bytes: names of blocks outside of all frames
  void find_nesting();
  std::vector<std::uint8_t> when_routine_;           ///< by routine: it is the body of a `when`
  /// How equal components of an option become one: nothing to do; the first of new ones that look alike is bound, name by
  /// name; the same unless it names what the seat cannot see; by a list of what was seen.
  enum class Merge : std::uint8_t { none, open, even, uneven };
  struct Merging {
    Merge merge = Merge::none;
    bool several = false;  ///< two names may be bound to one component
    /// Zones with components for names that depend on others; `anywhere`: it cannot be said.
    std::vector<std::int32_t> zones;
    bool anywhere = false;
  };
  std::vector<Merging> merge_;                       ///< by option
  void find_merges();

  // ---- decisions (options.cpp, numbering.cpp) ----
  bool choose(const ir::Instr& instr);
  std::uint64_t count_option(const ir::Option& option, int seat);
  std::uint64_t count_from(const ir::Clause& clause, std::size_t level, int seat, bool several);
  bool multiplies(const ir::Clause& clause, std::size_t level, bool several) const;
  std::uint64_t count_value(const ir::Binder& binder, int seat);
  bool nth_option(const ir::Option& option, std::uint64_t index, int seat, Move& move);
  bool nth_from(const ir::Clause& clause, std::size_t level, std::uint64_t index, int seat, bool several, const ir::Option& option,
                Move& move);
  void go_on_from(const ir::Choose& choice, const ir::Option& option);
  void encode(const ir::Option& option, Move& move);
  void bind_choice(const ir::Choose& choice, int seat);
  std::uint64_t count_kind(const ir::Choose& choice, int seat, bool otherwise);
  bool nth_kind(const ir::Choose& choice, int seat, bool otherwise, std::uint64_t index, Move& move);
  struct PickOrder;
  PickOrder order_of_picks(const ir::Binder& binder, List& from);
  template <class Stop, class Enter>
  bool walk_pick(const ir::Binder& binder, const List& from, const PickOrder& order, Stop&& stop, Enter&& enter);
  void bind_pick(const ir::Binder& binder, const List& chosen);
  bool nth_pick(const ir::Binder& binder, std::uint64_t index);
  std::optional<std::uint64_t> number_of_pick(const ir::Binder& binder, const std::int32_t* members, std::int32_t size);
  bool bound_to(const ir::Binder& binder, const std::int32_t* members, std::int32_t size);
  std::optional<std::uint64_t> number_from(const ir::Option& option, std::size_t level, std::int32_t at, int seat, bool several, const Move& move);
  std::optional<std::uint64_t> number_in(const ir::Option& option, int seat, const Move& move);
  void unbind_choice(const ir::Choose& choice);
  std::int32_t commitment(const ir::Choose& choice, int seat) const { return ir::commitment(choice, p.players, seat); }
  void run_body_of(const ir::Choose& choice);
  void choose_end(const ir::Instr& instr);
  void clear_args(const ir::Option& option);
  std::uint64_t count_moves(int seat);
  void legal_moves(int seat, std::vector<Move>& moves);
  void all_moves(int seat, std::vector<Move>& moves);
  bool nth_move(int seat, std::uint64_t index, Move& move);
  std::uint64_t sample_move(int seat, Rng& random, Move& move);
  std::optional<std::uint64_t> number_of(int seat, const Move& move);
  void decide(int seat, const Move& move);
  void store_args(const ir::Option& option, const std::int32_t* args);
  const ir::Choose& current_choice() { return p.chooses[static_cast<std::size_t>(p.code[static_cast<std::size_t>(header().pc)].a)]; }

  // ---- options that look alike (which.cpp) ----
  using Looks = std::vector<std::int32_t>;           ///< by component: the first that looks like it, -1 = not asked yet
  Looks looks_, true_looks_;
  std::int32_t look_of(std::int32_t component, int seat);
  std::int32_t true_look(std::int32_t component);
  /// Equal for two options that an exchange of components with one look turns into one another.
  std::uint64_t sketch(const ir::Option& option, const Move& move, int seat);       ///< as the seat sees them
  std::uint64_t true_sketch(const ir::Option& option, const Move& move);
  template <class F>
  std::uint64_t sketch_by(const ir::Option& option, const Move& move, F&& look);
  void forget_looks();
  bool meets_blind(const ir::Clause& clause, const Merging& merging, int seat);
  bool goes_by_list(const ir::Option& option, int seat);
  /// Each option once, by a list of what was seen; f(move) false stops.
  template <class F>
  bool each_listed(const ir::Option& option, int seat, F&& f);
  /// All options that look like the move to the seat, in order.
  template <class F>
  void each_like(const ir::Option& option, int seat, const Move& move, F&& f);
  std::vector<std::uint64_t> seen_sketches_;         ///< a hash table, 0 = free
  std::size_t seen_count_ = 0;
  bool first_seen(std::uint64_t sketch);
  /// Is there a choice between components that only look alike to the seat?
  bool which_is_open(const ir::Option& option, int seat, const Move& move);
  struct Candidate {
    std::uint64_t sketch;
    std::int32_t first, weight;
  };
  std::vector<Candidate> candidates_;                ///< that cannot be told apart at all: the first of them and how many
  std::int32_t list_candidates();                    ///< of the decision that waits; gives their number
  Move taken(const ir::Option& option, int seat);    ///< as it stands in the state
  void take(const ir::Option& option, int seat, const Move& move);
  Move candidate(std::int32_t index);
  void settle_which(std::int32_t index);

  // ---- behind the fixed part of the state (nesting.cpp) ----
  static constexpr std::int32_t kOrderRecord = -1;
  struct Record {
    std::int32_t kind = 0, offset = 0, size = 0;
  };
  /// The record that ends there; gives all the bytes it takes, 0 = there is none.
  std::int32_t record_before(std::size_t end, Record& record) const;
  void push_record(std::int32_t kind, const void* data, std::int32_t size);
  void pop_record();
  bool put_aside(std::int32_t routine);              ///< its frame, so that it can run once more
  void take_back(std::int32_t routine);
  bool may_nest();
  /// Where bindings of the trigger wait in frames that were put aside.
  template <class F>
  void each_area_aside(const ir::When& when, F&& f) {
    Record record;
    std::size_t end = state_->bytes.size();
    while (const std::int32_t size = record_before(end, record)) {
      end -= static_cast<std::size_t>(size);
      if (record.kind < 0) continue;
      const ir::Routine& routine = p.routines[static_cast<std::size_t>(record.kind)];
      for (const std::int32_t area : when.waiting) {
        if (area >= routine.frame && area < routine.frame + routine.frame_size) f(record.offset + area - routine.frame);
      }
    }
  }
  struct Order {
    List laid, left;
  };
  void read_order(Order& order);
  void write_order(const Order& order);
  void drop_order();

  // ---- triggers (triggers.cpp) ----
  void truth_bits(const ir::When& when, Word* out);
  void watch(const ir::Wake& wake, bool in_state);
  void fire(const ir::Wake& wake);
  bool run_whens(const ir::Wake& wake);
  std::int32_t first_waiting(const ir::When& when, const Word* bits);
  std::vector<Word> before_;

  // ---- names (names.cpp): everything as `seat` may know it; kSpectator and kAllSeeing are seats here ----
  bool among(std::uint32_t seats, int seat) const;      ///< a spectator belongs to them if all do
  bool in_bag(std::int32_t component);
  bool tells(std::int32_t component, int seat);         ///< it knows which front this very component has
  bool sees_side(std::int32_t component, int seat);     ///< it sees which side lies up
  std::string front_name(std::int32_t component, bool side);  ///< `<money 5>`, `<money 5 down>`, `<black 4>`
  std::string back_name(std::int32_t component) const;  ///< `?`, `?gift`
  std::string unseen_name(std::int32_t component, int seat);  ///< by its place: `nth(table, 2)`, `a card of hand[Ben]`
  std::string seen_name(std::int32_t component, int seat);
  std::string marked_name(std::int32_t component, int seat);  ///< both: `<7> at nth(table, 2)`, `<7> of hand[Ann]`
  std::string zone_name(std::int32_t zone, int seat);
  std::string var_name(std::int32_t var, std::int32_t position, int seat);
  /// `texts`: an index into value_texts, -1 number, -2 component, -3 seat.
  std::string value_name(std::int64_t value, std::int32_t texts, int seat);
  std::string var_value_name(std::int32_t var, std::int32_t position, int seat);
  std::string move_name(const Move& move, int seat);
  std::int64_t var_value(const ir::Var& var, std::int32_t position) const;
  int naming_depth = 0;

  // ---- views (view.cpp) ----
  std::string seen_zone(std::int32_t zone, int seat);
  std::string seen_pile(std::int32_t zone, int seat);
  View view(int seat);
  std::string digest();
  std::uint64_t hash();

  // ---- logs (logs.cpp): call them only if logging(), after the change ----
  bool logging() const { return observer != nullptr && observer->wants_logs; }
  /// One line for each pair of zones when the effect ends; `knew`, `knows`: seats that know its front before and now.
  void log_move(std::int32_t component, std::int32_t from, std::uint32_t knew, std::uint32_t knows, bool inside);
  /// The front of a component came to be seen without a move of its own: a new top, new eyes on a zone.
  void log_seen(std::int32_t component, std::uint32_t knew);
  void log_roll(std::int32_t component);
  void log_end();                                       ///< the effect is complete
  void log_turn(std::int32_t component, std::uint32_t knew);
  void log_swap(std::int32_t a, std::int32_t b, std::uint32_t knew_a, std::uint32_t knew_b);
  void log_shuffle(std::int32_t zone);
  void log_refill(std::int32_t zone, std::int32_t from);
  void log_exposed(std::int32_t zone);
  void log_set(std::int32_t var, std::int32_t position);
  void log_show_card(std::int32_t component, std::uint32_t seats, std::uint32_t knew);
  void log_show_var(std::int32_t var, std::int32_t position, std::uint32_t seats);
  void log_show_value(std::int64_t value, std::int32_t texts, std::uint32_t seats);
  void log_show_values(const List& values, std::int32_t texts, std::uint32_t seats);
  void log_asked(std::uint32_t seats);                  ///< they decide at the same moment
  void log_decision(const Move& move, int seat);        ///< before the body; what others learn of an open one comes with
  void log_which(const Move& move);                     ///< chance has found out what the option stood for
  void log_decided();                                   ///< after the body, or when it is left, or at the next stop
  void forget_logs();                                   ///< what is not told yet belongs to another game
  void tell(int seat, std::string text, bool reveals, std::uint64_t effect = 0);
  std::uint64_t effect_on(std::int32_t what, std::int32_t z, std::int32_t to = -1, std::int32_t n = 0);
  void tell_all(const std::string& text, bool reveals = false);
  void tell_passages();
  void tell_rolls();
  bool knew_it(std::int32_t from, std::uint32_t knew, int seat);
  Span here();
  struct Passage {
    std::int32_t component, from, to;
    bool under, drawn;
    std::uint32_t knew, knows;
  };
  std::vector<Passage> passages_;
  std::vector<std::pair<std::int32_t, std::uint32_t>> seen_;  ///< component, and who knew it before
  std::vector<std::int32_t> rolled_;
  Machine::Untold untold_;  ///< the decision that the logs have not told yet; of its components: who could tell the front
};

}  // namespace rip
