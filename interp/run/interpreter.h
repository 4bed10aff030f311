// The inside of the Machine: reads expressions, carries out instructions. Split by topic over several files:
// eval.cpp (values), eval_sets.cpp (sets, lists, zones), clauses.h (bindings), execute.cpp (flow), effects.cpp (what moves),
// knowledge.cpp (who knows what), chance.cpp (bags, dice), options.cpp (decisions), triggers.cpp, logs.cpp, view.cpp.
#pragma once

#include "interp/run/engine.h"

#include <cstdint>
#include <cstring>
#include <vector>

namespace rip {

enum class ChanceKind : std::uint8_t { none, settle, roll, random };

/// A list value; lives on the C++ stack.
struct List {
  std::int32_t size = 0;
  std::int32_t values[ir::kMaxList];
  void push(std::int64_t value) {
    if (size < ir::kMaxList) values[size++] = static_cast<std::int32_t>(value);
  }
};

/// Bindings of a clause, row after row; lives on the C++ stack.
struct Rows {
  static constexpr std::int32_t kMax = 8192;
  std::int32_t size = 0;
  std::int64_t values[kMax];
};

struct ZoneRange {
  std::int32_t first = 0, count = 0;
};

using Word = std::uint64_t;

/// How a value is written, where it is no index into Program::value_texts.
inline constexpr std::int32_t kNumberText = -1;
inline constexpr std::int32_t kComponentText = -2;
inline constexpr std::int32_t kSeatText = -3;

class Interpreter {
 public:
  Interpreter(const ir::Program& program, Observer*& observer, std::vector<std::uint8_t>& pinned);

  const ir::Program& p;
  Observer*& observer;
  std::vector<std::uint8_t>& pinned;

  void bind(const State& state) { s = const_cast<std::uint8_t*>(state.bytes.data()); }

  // ---- the state buffer ----
  std::uint8_t* s = nullptr;
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
  std::int64_t load(std::int32_t offset, ir::Width width) const;
  void store(std::int32_t offset, ir::Width width, std::int64_t value);

  // ---- faults: the first one sticks, reading goes on with 0 ----
  FaultCode fault = FaultCode::none;
  std::int32_t fault_at = -1;     ///< node, or instruction if fault_in_code
  bool fault_in_code = false;
  std::int64_t fail(FaultCode code, std::int32_t node);
  void fail_here(FaultCode code);

  // ---- values (eval.cpp, eval_sets.cpp) ----
  std::int64_t eval(ir::Node node);
  bool truth(ir::Node node) { return eval(node) != 0; }
  void eval_set(ir::Node node, ir::Domain domain, Word* out);  ///< clears `out` first
  void add_to_set(ir::Node node, ir::Domain domain, Word* out);
  void eval_list(ir::Node node, List& out);                    ///< appends
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
  void append_zone(std::int32_t zone, List& out);              ///< piles from the top, rows oldest first
  void sort_by_place(List& list);
  std::int64_t score_of(std::int64_t seat);

  std::vector<std::int64_t> scratch;
  std::vector<Word> sets;        ///< kMaxWords a slot
  std::vector<List> lists;
  std::int32_t component_words = 1;

  // ---- clauses (clauses.h) ----
  /// Asks f() for each value of one binder that passes its filters, the value being bound. Stops when f gives false.
  /// `chooser` is the seat whose options these are: equal components of one zone are bound once, as that seat can tell
  /// them apart; -1 binds all.
  template <class F>
  bool each_value(const ir::Binder& binder, int chooser, F&& f);
  /// The same for all binders from `level` on.
  template <class F>
  bool each_binding(const ir::Clause& clause, std::size_t level, int chooser, F&& f);
  template <class F>
  bool each(const ir::Clause& clause, F&& f);
  bool alike(int seat, std::int32_t a, std::int32_t b);
  bool stands_for(int seat, std::int32_t component, const std::int32_t* earlier, std::int32_t n);
  bool pick_values(const ir::Binder& binder, int chooser, const List& from, std::int32_t low, std::int32_t high, std::int32_t start,
                   List& chosen, void* context, bool (*f)(void*));
  /// All bindings in their final order, the values of the binders side by side. A tie that keys leave is a fault, unless
  /// the bindings are equal components.
  void collect(const ir::Clause& clause, Rows& out);
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
  Status run();
  bool step(const ir::Instr& instr);           ///< false: the machine has stopped
  void enter_routine(std::int32_t routine, ir::Pc back);
  void leave_routine(std::int32_t routine);
  bool unwind_to(std::int32_t routine);
  bool end_turn();
  void end_phase(std::int32_t phase);
  bool begin_for(std::int32_t index);
  bool next_for(std::int32_t index);
  bool seek_turn(const ir::Turns& turns);
  void store_local(const ir::FrameLocal& local, std::int64_t value);
  void store_local_from(const ir::FrameLocal& local, ir::Node node);
  void assign(const ir::Target& target, std::int64_t value);
  void assign_set(const ir::Target& target, ir::Node node);
  void start_var(std::int32_t var);            ///< unless it is pinned
  void begin_var(std::int32_t var);

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
  void refill_if_due(std::int32_t zone);
  /// The bag around a position of `ids`: [begin, end).
  void bag_around(std::int32_t zone, std::int32_t index, std::int32_t& begin, std::int32_t& end);
  /// Puts a member of the bag around `index` there, as a fixed card with this mark (0 or kDrawn).
  void fix(std::int32_t zone, std::int32_t index, std::int32_t component, std::uint8_t mark);
  void normalise_bags(std::int32_t zone);
  void close_drawn();
  bool one_class(std::int32_t a, std::int32_t b);    ///< one outcome of a draw
  bool shown_alike(std::int32_t a, std::int32_t b);  ///< the sides that lie up look alike
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
  void move_packet(const List& cards, std::int32_t zone, bool under, std::int64_t side);
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
  std::uint32_t sees_front(std::int32_t component);  ///< seats that see its front where it lies now
  void learn(std::int32_t component) { known(component) |= sees_front(component); }
  void top_changed(std::int32_t zone);
  /// A card has left cards [begin, end) of a hand or bag, and only `seers` saw its front or see those that stay.
  void left_mixed(std::int32_t component, std::int32_t zone, std::int32_t begin, std::int32_t end, std::uint32_t seers);
  void mix(std::int32_t zone, std::int32_t begin, std::int32_t end);
  std::uint32_t var_eyes(const ir::Var& var, std::int32_t position);
  void write_known(const ir::Var& var, std::int32_t position);
  void refresh();

  // ---- decisions (options.cpp) ----
  bool choose(const ir::Instr& instr);
  std::uint64_t count_option(const ir::Option& option, int seat);
  std::uint64_t count_from(const ir::Clause& clause, std::size_t level, int seat);
  std::uint64_t count_value(const ir::Binder& binder, int seat);
  bool nth_from(const ir::Clause& clause, std::size_t level, std::uint64_t index, int seat);
  void encode(const ir::Option& option, Move& move);
  void bind_choice(const ir::Choose& choice, int seat);
  std::uint64_t count_kind(const ir::Choose& choice, int seat, bool otherwise);
  bool nth_kind(const ir::Choose& choice, int seat, bool otherwise, std::uint64_t index, Move& move);
  bool nth_pick(const ir::Binder& binder, std::uint64_t index);
  void unbind_choice(const ir::Choose& choice);
  std::int32_t commitment(const ir::Choose& choice, int seat) const;
  void run_body_of(const ir::Choose& choice);
  void choose_end(const ir::Instr& instr);
  void clear_args(const ir::Option& option);
  std::uint64_t count_moves(int seat);
  void legal_moves(int seat, std::vector<Move>& moves);
  bool nth_move(int seat, std::uint64_t index, Move& move);
  bool sample_move(int seat, Rng& random, Move& move);
  bool is_legal(int seat, const Move& move);
  void decide(int seat, const Move& move);
  void store_args(const ir::Option& option, const std::int32_t* args);
  const ir::Choose& current_choice() { return p.chooses[static_cast<std::size_t>(p.code[static_cast<std::size_t>(header().pc)].a)]; }

  // ---- triggers (triggers.cpp) ----
  void truth_bits(const ir::When& when, Word* out);
  void watch(const ir::Wake& wake, bool in_state);
  void fire(const ir::Wake& wake);
  bool run_whens(const ir::Wake& wake);
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
  void log_asked(std::uint32_t seats);                  ///< they decide at the same moment
  void log_decision(const Move& move, int seat);        ///< before the body; what others learn of an open one comes with
  void log_decided();                                   ///< after the body, or when it is left, or at the next stop
  void forget_logs();                                   ///< what is not told yet belongs to another game
  void tell(int seat, std::string text, bool reveals);
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
  Move decided_;
  int decided_by_ = -1;
  std::vector<std::uint32_t> decided_knew_;                   ///< by argument: who could tell its front
};

}  // namespace rip
