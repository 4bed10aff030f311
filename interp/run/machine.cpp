// The public side of the machine: binds a state, asks the interpreter, keeps a fault where the state can be asked for it.
#include "interp/run/clauses.h"
#include "interp/run/interpreter.h"

#include <algorithm>
#include <utility>

namespace rip {

using ir::InstrOp;
using ir::NodeOp;

namespace {

/// A fault becomes part of the state.
void keep_fault(Interpreter& in) {
  if (in.fault == FaultCode::none) return;
  ir::Header& h = in.header();
  h.status = static_cast<std::uint8_t>(Status::fault);
  h.fault = static_cast<std::uint8_t>(in.fault);
  h.fault_at = in.fault_in_code ? -1 - in.fault_at : in.fault_at;
}

/// Readies the interpreter for a question about this state.
Interpreter& on(Interpreter& in, const State& state) {
  in.bind(state);
  in.fault = FaultCode::none;
  in.work_left = Interpreter::kMaxWork;
  return in;
}

/// What is not told yet is told at the next stop. In the middle of a body chance is no such stop, so that a game has the
/// same logs whoever settles it.
void flush_logs(Interpreter& in, Status status) {
  if (!in.logging()) return;
  in.log_end();
  if (status != Status::chance) in.log_decided();
}

}  // namespace

Machine::Machine(const ir::Program& program) : program_(program), in_(std::make_unique<Interpreter>(program, observer, pinned)) {}
Machine::~Machine() = default;

// ---- playing ----

void Machine::start(State& state) { start_at(state, program_.entry); }

void Machine::start_at(State& state, ir::Pc entry) {
  const ir::Program& p = program_;
  state.bytes.assign(static_cast<std::size_t>(p.size), 0);
  Interpreter& in = on(*in_, state);
  in.resize();
  in.forget_logs();
  ir::Header& h = in.header();
  h.pc = entry;
  h.me = static_cast<std::int32_t>(ir::kNone);
  h.status = static_cast<std::uint8_t>(Status::running);
  for (std::size_t z = 0; z < p.contents.size(); ++z) {
    const auto& contents = p.contents[z];
    std::copy(contents.begin(), contents.end(), in.ids(p.zones[z]));
    in.count(static_cast<std::int32_t>(z)) = static_cast<std::uint16_t>(contents.size());
    for (const std::uint16_t c : contents) in.zone_of(c) = static_cast<std::uint16_t>(z);
  }
  for (std::size_t c = 0; c < p.components.size(); ++c) {
    const auto id = static_cast<std::int32_t>(c);
    const ir::ComponentType& type = p.types[static_cast<std::size_t>(p.components[c].type)];
    in.face(id) = static_cast<std::int8_t>(type.die ? type.low_face : type.hidden_side ? 1 : 0);
    in.known(id) = in.all_seats;  // the list of an unshuffled deck is known to all, card by card
  }
  // before its start value is read a variable has the first value of its type
  for (const ir::Var& var : p.vars) {
    if (var.set || !var.visible) continue;
    const int bytes = 1 << static_cast<int>(var.cell.width);
    for (std::int32_t i = 0; i < var.count; ++i) in.store(var.cell.offset + i * bytes, var.cell.width, var.first_value);
  }
  for (std::size_t v = 0; v < p.vars.size(); ++v) {
    if (p.vars[v].visible && p.vars[v].phase < 0) in.begin_var(static_cast<std::int32_t>(v));
  }
  keep_fault(in);
}

Status Machine::run(State& state, Rng* rng) {
  Interpreter& in = on(*in_, state);
  in.rng = rng;
  const Status status = in.run();
  in.rng = nullptr;
  flush_logs(in, status);
  return status;
}

Status Machine::run_until(State& state, const std::function<bool(ir::Pc)>& pause) {
  Interpreter& in = on(*in_, state);
  const Status status = in.run(&pause);
  if (status != Status::running) flush_logs(in, status);
  return status;
}

Status Machine::status(const State& state) const { return static_cast<Status>(on(*in_, state).header().status); }

std::uint32_t Machine::deciding(const State& state) const {
  const ir::Header& h = on(*in_, state).header();
  return static_cast<Status>(h.status) == Status::decision ? h.deciding : 0;
}

int Machine::to_move(const State& state) const {
  const std::uint32_t seats = deciding(state);
  if (seats == 0) return -1;
  const ir::Choose& choice = in_->current_choice();
  if (choice.each) {
    const std::uint8_t* area = in_->s + choice.state;
    for (int i = 0; i < area[0]; ++i) {
      if ((seats >> area[2 + i] & 1u) != 0) return area[2 + i];
    }
  }
  return __builtin_ctz(seats);
}

void Machine::all_moves(State& state, int seat, std::vector<Move>& moves) { on(*in_, state).all_moves(seat, moves); }

void Machine::legal_moves(State& state, int seat, std::vector<Move>& moves) {
  on(*in_, state).legal_moves(seat, moves);
  keep_fault(*in_);
}

std::uint64_t Machine::count_moves(State& state, int seat) {
  const std::uint64_t n = on(*in_, state).count_moves(seat);
  keep_fault(*in_);
  return n;
}

bool Machine::nth_move(State& state, int seat, std::uint64_t index, Move& move) {
  const bool found = on(*in_, state).nth_move(seat, index, move);
  keep_fault(*in_);
  return found;
}

std::uint64_t Machine::sample_move(State& state, int seat, Rng& rng, Move& move) {
  const std::uint64_t count = on(*in_, state).sample_move(seat, rng, move);
  keep_fault(*in_);
  return count;
}

std::optional<std::uint64_t> Machine::number_of(State& state, int seat, const Move& move) { return on(*in_, state).number_of(seat, move); }

bool Machine::is_legal(State& state, int seat, const Move& move) { return number_of(state, seat, move).has_value(); }

void Machine::decide(State& state, int seat, const Move& move) {
  on(*in_, state).forget_logs();
  in_->decide(seat, move);
  keep_fault(*in_);
}

void Machine::outcomes(State& state, std::vector<Outcome>& outcomes) { on(*in_, state).outcomes(outcomes); }

Move Machine::meant(State& state, const Outcome& outcome) { return on(*in_, state).candidate(outcome.value); }
void Machine::choose_outcome(State& state, std::uint32_t index) {
  on(*in_, state).choose_outcome(index);
  keep_fault(*in_);
  if (in_->logging()) in_->log_end();
}

Machine::Untold Machine::untold() const { return in_->untold_; }
void Machine::take_back(const Untold& untold) { in_->untold_ = untold; }

std::uint32_t Machine::sample_outcome(State& state, Rng& rng) { return on(*in_, state).sample_outcome(rng); }

// ---- the end ----

Result Machine::result(State& state) {
  Interpreter& in = on(*in_, state);
  Result result;
  result.over = static_cast<Status>(in.header().status) == Status::over;
  if (!result.over) return result;
  result.winners = in.header().winners;
  if (program_.score != ir::kNoNode) {
    for (int seat = 0; seat < program_.players; ++seat) result.scores.push_back(in.score_of(seat));
  }
  return result;
}

namespace {

/// The value of a node that reads nothing but the state, so that it is the same as when the fault happened.
bool plain_value(Interpreter& in, ir::Node node, std::int64_t& value) {
  const ir::ExprNode& x = in.p.nodes[static_cast<std::size_t>(node)];
  switch (x.op) {
    case NodeOp::constant:
    case NodeOp::cell:
    case NodeOp::cell_in_phase: break;
    case NodeOp::zone_count:
      if (in.p.nodes[static_cast<std::size_t>(x.a)].op != NodeOp::zone) return false;
      break;
    case NodeOp::add:
    case NodeOp::sub:
    case NodeOp::mul: {
      std::int64_t ignored = 0;
      if (!plain_value(in, x.a, ignored) || !plain_value(in, x.b, ignored)) return false;
      break;
    }
    default: return false;
  }
  in.fault = FaultCode::none;
  value = in.eval(node);
  return in.fault == FaultCode::none;
}

/// Carries the instruction out once more on a copy, to find out what it was about to write.
std::string write_detail(Interpreter& in, const State& state) {
  std::vector<std::uint8_t> copy = state.bytes;
  in.s = copy.data();
  in.fault = FaultCode::none;
  const std::int32_t pc = in.header().pc;
  const ir::Instr& instr = in.p.code[static_cast<std::size_t>(pc)];
  auto outside = [&](std::int32_t v, std::int32_t position, std::int64_t value) {
    const ir::Var& var = in.p.vars[static_cast<std::size_t>(v)];
    const std::string name = "`" + in.var_name(v, position, kAllSeeing) + "`";
    if (value == ir::kNone) return name + " would be `none`, but needs a value";
    const std::int32_t texts = var.seat ? kSeatText : var.texts;
    return name + " would be " + in.value_name(value, texts, kAllSeeing) + ", outside of " + in.value_name(var.low, texts, kAllSeeing) + ".." +
           in.value_name(var.high, texts, kAllSeeing);
  };
  if (instr.op == InstrOp::pay) {
    const std::int64_t amount = in.eval(instr.a);
    if (in.fault == FaultCode::none && amount < 0) return "a payment of " + std::to_string(amount) + " is below 0";
    for (const bool from : {true, false}) {
      const ir::Target& target = in.p.targets[static_cast<std::size_t>(from ? instr.b : instr.c)];
      const auto position = target.index == ir::kNoNode ? 0 : static_cast<std::int32_t>(in.eval_position(target.index));
      if (in.fault != FaultCode::none) return "";
      const ir::Var& var = in.p.vars[static_cast<std::size_t>(target.var)];
      const std::int64_t value = in.var_value(var, position) + (from ? -amount : amount);
      if (value < var.low || value > var.high) return outside(target.var, position, value);
    }
    return "";
  }
  if (instr.op != InstrOp::set && instr.op != InstrOp::start_var) return "";
  in.detail_var = -1;
  in.effect(instr);
  return in.fault != FaultCode::none && in.detail_var >= 0 ? outside(in.detail_var, in.detail_position, in.detail_value) : "";
}

std::string fault_text(FaultCode code) {
  switch (code) {
    case FaultCode::none: return "";
    case FaultCode::none_used: return "this is `none`, but a value is needed";
    case FaultCode::out_of_range: return "this is outside of its range";
    case FaultCode::stuck: return "has no move, and there is no `otherwise`";
    case FaultCode::tie: return "two bindings are equal in all keys, but an order is needed";
    case FaultCode::empty_first: return "there is nothing to take this from";
    case FaultCode::place_full: return "a place holds at most one component, and here one lies already";
    case FaultCode::over_max: return "the zone holds as many components as its `max` allows";
    case FaultCode::phase_not_running: return "the phase does not run";
    case FaultCode::cyclic_triggers: return "triggers wake one another without end";
    case FaultCode::not_fitting: return "exactly one must fit here";
    case FaultCode::no_turn: return "no `turns` loop runs, so there is no turn to end";
    case FaultCode::not_dealt: return "this has not been dealt";
    case FaultCode::seat_twice: return "a seat would decide twice at the same moment";
    case FaultCode::endless: return "the rules go on and on, and nobody has to decide";
    case FaultCode::too_many: return "there are more bindings than the machine keeps";
  }
  return "";
}

}  // namespace

Fault Machine::fault(const State& state) const {
  Interpreter& in = on(*in_, state);
  const ir::Header head = in.header();
  Fault fault;
  if (static_cast<Status>(head.status) != Status::fault) return fault;
  fault.code = static_cast<FaultCode>(head.fault);
  const bool in_code = head.fault_at < 0;
  const auto at = static_cast<std::size_t>(in_code ? -1 - head.fault_at : head.fault_at);
  const auto& spans = in_code ? program_.code_spans : program_.node_spans;
  if (at < spans.size()) fault.span = spans[at];
  fault.message = fault_text(fault.code);
  if (fault.code == FaultCode::stuck && head.deciding != 0) {
    const int seat = to_move(state) >= 0 ? to_move(state) : __builtin_ctz(head.deciding);
    fault.message = "`" + program_.seats[static_cast<std::size_t>(seat)] + "` " + fault.message;
  }
  if (fault.code == FaultCode::out_of_range || fault.code == FaultCode::none_used) {
    std::int64_t value = 0;
    if (in_code) {
      // nobody is to hear of it twice
      Observer* const kept = in.observer;
      in.observer = nullptr;
      const std::string detail = write_detail(in, state);
      in.observer = kept;
      if (!detail.empty()) fault.message = detail;
    } else if (fault.code == FaultCode::out_of_range && plain_value(in, static_cast<ir::Node>(at), value)) {
      fault.message = "this is " + std::to_string(value) + ", outside of its range";
    }
  }
  on(in, state);
  return fault;
}

// ---- what a seat sees ----

View Machine::view(State& state, int seat) { return on(*in_, state).view(seat); }

std::string Machine::text(const Move& move) const {
  std::uint8_t* const kept = std::exchange(in_->s, nullptr);
  std::string text = in_->move_name(move, kAllSeeing);
  in_->s = kept;
  return text;
}

std::string Machine::text_for(State& state, const Move& move, int seat) { return on(*in_, state).move_name(move, seat); }

std::string Machine::digest(const State& state) const { return on(*in_, state).digest(); }
std::uint64_t Machine::hash(const State& state) const { return on(*in_, state).hash(); }

// ---- reading ----

std::int64_t Machine::scalar(State& state, ir::Node node) {
  bool fault_seen = false;
  return scalar(state, node, fault_seen);
}

std::int64_t Machine::scalar(State& state, ir::Node node, bool& fault_seen) {
  in_->resize();
  const std::int64_t value = on(*in_, state).eval(node);
  fault_seen = fault_seen || in_->fault != FaultCode::none;
  return value;
}

bool Machine::holds(State& state, ir::Node node, bool* fault_seen) {
  in_->resize();
  const bool value = on(*in_, state).truth(node);
  const bool faulty = in_->fault != FaultCode::none;
  if (fault_seen != nullptr) *fault_seen = *fault_seen || faulty;
  return value && !faulty;
}

void Machine::for_each(State& state, std::int32_t clause, const std::function<bool()>& visit) {
  in_->resize();
  on(*in_, state).each(program_.clauses[static_cast<std::size_t>(clause)], [&] { return visit(); });
}

void Machine::bind(State& state, int seat, const Move& move) {
  Interpreter& in = on(*in_, state);
  in.bind_choice(in.current_choice(), seat);
  in.store_args(program_.options[static_cast<std::size_t>(move.option)], move.args.data());
}

namespace {

/// A set of components; the order of its members is that of their places.
bool holds_components(const ir::Program& p, ir::Node node) {
  const ir::ExprNode& x = p.nodes[static_cast<std::size_t>(node)];
  auto clause_binds = [&](std::int32_t clause, std::int32_t slot) {
    for (const auto& binder : p.clauses[static_cast<std::size_t>(clause)].binders) {
      if (binder.slot == slot && !binder.pick) return binder.component;
    }
    return false;
  };
  switch (x.op) {
    case NodeOp::zone_set:
    case NodeOp::component_set:
    case NodeOp::top:
    case NodeOp::bottom:
    case NodeOp::nth:
    case NodeOp::place_card:
    case NodeOp::one_fitting: return true;
    case NodeOp::set_union: return holds_components(p, x.a) || holds_components(p, x.b);
    case NodeOp::set_difference:
    case NodeOp::singleton:
    case NodeOp::require: return holds_components(p, x.a);
    case NodeOp::top_of_set: return holds_components(p, x.b);
    case NodeOp::if_else: return holds_components(p, x.b) || holds_components(p, x.c);
    case NodeOp::call: return holds_components(p, p.lets[static_cast<std::size_t>(x.a)].value);
    case NodeOp::match: {
      const auto& arms = p.matches[static_cast<std::size_t>(x.b)];
      return std::any_of(arms.begin(), arms.end(), [&](const ir::MatchArm& arm) { return holds_components(p, arm.value); });
    }
    case NodeOp::best: return p.clauses[static_cast<std::size_t>(x.a)].binders[0].component;
    case NodeOp::set_of: {
      const ir::ExprNode& of = p.nodes[static_cast<std::size_t>(x.b)];
      return of.op == NodeOp::scratch ? clause_binds(x.a, of.a) : holds_components(p, x.b);
    }
    case NodeOp::set_var: return std::any_of(p.vars.begin(), p.vars.end(), [&](const ir::Var& var) { return var.set && var.component && var.cell.offset == x.a; });
    case NodeOp::set_var_at: return p.vars[static_cast<std::size_t>(x.a)].component;
    default: return false;
  }
}

bool is_list(NodeOp op) {
  switch (op) {
    case NodeOp::list_literal:
    case NodeOp::list_of:
    case NodeOp::zone_list:
    case NodeOp::top_list:
    case NodeOp::bottom_list:
    case NodeOp::first_of_list:
    case NodeOp::family:
    case NodeOp::table_list:
    case NodeOp::set_list:
    case NodeOp::scratch_list:
    case NodeOp::list_var:
    case NodeOp::score_list: return true;
    default: return false;
  }
}

/// A call, a branch or an arm is a list if what it gives is one.
bool gives_list(const ir::Program& p, ir::Node node) {
  const ir::ExprNode& x = p.nodes[static_cast<std::size_t>(node)];
  if (x.op == NodeOp::call) return gives_list(p, p.lets[static_cast<std::size_t>(x.a)].value);
  if (x.op == NodeOp::if_else) return gives_list(p, x.b);
  if (x.op == NodeOp::match) return gives_list(p, p.matches[static_cast<std::size_t>(x.b)][0].value);
  return is_list(x.op);
}

}  // namespace

std::vector<std::int64_t> Machine::members(State& state, ir::Node node) {
  in_->resize();
  Interpreter& in = on(*in_, state);
  List list;
  if (gives_list(program_, node)) {
    in.eval_list(node, list);
  } else if (holds_components(program_, node)) {
    in.read_cards(1, node, list);
  } else {
    // a set is asked for with a domain: below 0, then from 0 on
    for (const std::int32_t low : {-64 * ir::kMaxWords, 0}) {
      Word words[ir::kMaxWords];
      in.eval_set(node, {low, ir::kMaxWords}, words);
      for (std::int32_t w = 0; w < ir::kMaxWords; ++w) {
        for (Word rest = words[w]; rest != 0; rest &= rest - 1) list.push(low + 64 * w + __builtin_ctzll(rest));
      }
    }
  }
  return {list.values, list.values + list.size};
}

std::int64_t Machine::scratch(std::int32_t slot) const {
  in_->resize();
  return in_->scratch[static_cast<std::size_t>(slot)];
}

void Machine::set_scratch(std::int32_t slot, std::int64_t value) {
  in_->resize();
  in_->scratch[static_cast<std::size_t>(slot)] = value;
}

std::vector<std::uint16_t> Machine::zone_cards(const State& state, std::int32_t zone) const {
  Interpreter& in = on(*in_, state);
  const ir::Zone& at = program_.zones[static_cast<std::size_t>(zone)];
  std::vector<std::uint16_t> cards(in.ids(at), in.ids(at) + in.count(zone));
  if (at.kind == ir::ZoneKind::pile) std::reverse(cards.begin(), cards.end());
  return cards;
}

std::int32_t Machine::zone_of(const State& state, std::int32_t component) const { return on(*in_, state).zone_of(component); }
int Machine::face(const State& state, std::int32_t component) const { return on(*in_, state).face(component); }

std::uint32_t Machine::known(State& state, std::int32_t component) {
  Interpreter& in = on(*in_, state);
  return in.known(component) | in.sees_front(component);
}

std::uint32_t Machine::var_known(State& state, std::int32_t var, std::int32_t at) {
  Interpreter& in = on(*in_, state);
  const ir::Var& v = program_.vars[static_cast<std::size_t>(var)];
  return v.known < 0 ? in.all_seats : in.at<std::uint32_t>(v.known + 4 * at) | in.var_eyes(v, at);
}

std::int64_t Machine::var_value(const State& state, std::int32_t var, std::int32_t at) const {
  return on(*in_, state).var_value(program_.vars[static_cast<std::size_t>(var)], at);
}

// ---- arranging ----

bool Machine::place(State& state, std::int32_t component, std::int32_t zone, std::int32_t position, int face) {
  Interpreter& in = on(*in_, state);
  const ir::Zone& target = program_.zones[static_cast<std::size_t>(zone)];
  const ir::ComponentType& type = program_.types[static_cast<std::size_t>(program_.components[static_cast<std::size_t>(component)].type)];
  const std::int32_t from = in.zone_of(component);
  if (from != zone && in.count(zone) >= target.capacity) return false;
  in.remove(component);
  const std::int32_t n = in.count(zone);
  std::int32_t index = std::clamp(position, 0, n);
  if (target.kind == ir::ZoneKind::pile) index = n - index;
  if (target.kind == ir::ZoneKind::hand) {
    const std::uint16_t* cards = in.ids(target);
    index = static_cast<std::int32_t>(std::lower_bound(cards, cards + n, component) - cards);
  }
  in.insert(component, zone, index, 0);
  if (target.bags >= 0) in.normalise_bags(zone);
  if (type.die ? face >= type.low_face && face <= type.high_face : type.hidden_side && face >= 0) {
    in.face(component) = static_cast<std::int8_t>(face);
  }
  in.learn(component);
  in.top_changed(from);
  in.top_changed(zone);
  return true;
}

void Machine::forget(State& state, std::int32_t component) {
  Interpreter& in = on(*in_, state);
  in.known(component) = in.sees_front(component);
}

namespace {

/// What is noted on two components, and what marks them, stays with their places.
void exchange_in_vars(Interpreter& in, std::int32_t a, std::int32_t b) {
  for (const ir::Var& var : in.p.vars) {
    if (!var.visible) continue;
    const int bytes = 1 << static_cast<int>(var.cell.width);
    for (std::int32_t i = 0; i < var.count && var.component; ++i) {
      if (var.set) {
        Word* words = &in.at<Word>(var.cell.offset + i * 8 * var.domain.words);
        const bool has_a = (words[a >> 6] >> (a & 63) & 1u) != 0;
        const bool has_b = (words[b >> 6] >> (b & 63) & 1u) != 0;
        if (has_a == has_b) continue;
        words[a >> 6] ^= Word{1} << (a & 63);
        words[b >> 6] ^= Word{1} << (b & 63);
      } else if (const std::int64_t value = in.var_value(var, i); value == a || value == b) {
        in.store(var.cell.offset + i * bytes, var.cell.width, value == a ? b : a);
      }
    }
    std::int32_t stride = 1;
    for (std::size_t k = var.index.size(); k-- > 0; stride *= var.index[k].second) {
      const auto [low, size] = var.index[k];
      if (var.index_texts[k] == kComponentText && a >= low && b >= low && a < low + size && b < low + size) {
        const int cell = var.set ? 8 * var.domain.words : bytes;
        for (std::int32_t i = 0; i < var.count; ++i) {
          if (i / stride % size != a - low) continue;
          const std::int32_t other = i + (b - a) * stride;
          std::swap_ranges(in.s + var.cell.offset + i * cell, in.s + var.cell.offset + (i + 1) * cell, in.s + var.cell.offset + other * cell);
          if (var.known >= 0) std::swap(in.at<std::uint32_t>(var.known + 4 * i), in.at<std::uint32_t>(var.known + 4 * other));
        }
      }
    }
  }
}

/// Zones around one of the two belong to its place: their contents change too.
void exchange_in_zones(Interpreter& in, std::int32_t a, std::int32_t b) {
  const auto& zones = in.p.zones;
  for (std::size_t x = 0; x < zones.size(); ++x) {
    const std::size_t indices = zones[x].index.size();
    bool around = false;
    for (std::size_t i = 0; i < indices; ++i) around = around || (zones[x].index_texts[i] == kComponentText && zones[x].index[i] == a);
    if (!around) continue;
    for (std::size_t y = 0; y < zones.size(); ++y) {
      bool partner = zones[y].family == zones[x].family && zones[y].index.size() == indices;
      for (std::size_t i = 0; i < indices && partner; ++i) {
        const std::int64_t mine = zones[x].index[i];
        partner = zones[y].index[i] == (zones[x].index_texts[i] == kComponentText && mine == a ? b : mine);
      }
      if (!partner) continue;
      const std::int32_t room = std::min(zones[x].capacity, zones[y].capacity);
      std::swap_ranges(in.ids(zones[x]), in.ids(zones[x]) + room, in.ids(zones[y]));
      if (zones[x].bags >= 0 && zones[y].bags >= 0) std::swap_ranges(in.bags(zones[x]), in.bags(zones[x]) + room, in.bags(zones[y]));
      std::swap(in.count(static_cast<std::int32_t>(x)), in.count(static_cast<std::int32_t>(y)));
      for (const std::size_t z : {x, y}) {
        for (std::int32_t i = 0; i < in.count(static_cast<std::int32_t>(z)); ++i) in.zone_of(in.ids(zones[z])[i]) = static_cast<std::uint16_t>(z);
      }
    }
  }
}

}  // namespace

void Machine::exchange(State& state, std::int32_t a, std::int32_t b) {
  if (a == b) return;
  Interpreter& in = on(*in_, state);
  const std::int32_t za = in.zone_of(a);
  const std::int32_t zb = in.zone_of(b);
  const std::int32_t ia = in.find(a);
  const std::int32_t ib = in.find(b);
  in.ids(program_.zones[static_cast<std::size_t>(za)])[ia] = static_cast<std::uint16_t>(b);
  in.ids(program_.zones[static_cast<std::size_t>(zb)])[ib] = static_cast<std::uint16_t>(a);
  in.zone_of(a) = static_cast<std::uint16_t>(zb);
  in.zone_of(b) = static_cast<std::uint16_t>(za);
  std::swap(in.face(a), in.face(b));
  std::swap(in.known(a), in.known(b));
  for (const std::int32_t z : {za, zb}) {
    const ir::Zone& zone = program_.zones[static_cast<std::size_t>(z)];
    if (zone.kind == ir::ZoneKind::hand) std::sort(in.ids(zone), in.ids(zone) + in.count(z));
    if (zone.bags >= 0) in.normalise_bags(z);
  }
  exchange_in_vars(in, a, b);
  exchange_in_zones(in, a, b);
}

void Machine::set_var(State& state, std::int32_t var, std::int32_t at, std::int64_t value) {
  Interpreter& in = on(*in_, state);
  const ir::Var& v = program_.vars[static_cast<std::size_t>(var)];
  in.store(v.cell.offset + at * (1 << static_cast<int>(v.cell.width)), v.cell.width, value);
  in.write_known(v, at);
  in.refresh(true);
}

void Machine::set_var_set(State& state, std::int32_t var, std::int32_t at, const std::vector<std::int64_t>& members) {
  Interpreter& in = on(*in_, state);
  const ir::Var& v = program_.vars[static_cast<std::size_t>(var)];
  Word* words = &in.at<Word>(v.cell.offset + at * 8 * v.domain.words);
  std::fill_n(words, v.domain.words, Word{0});
  for (const std::int64_t value : members) {
    const std::int64_t bit = value - v.domain.low;
    if (bit >= 0 && bit < 64 * static_cast<std::int64_t>(v.domain.words)) words[bit >> 6] |= Word{1} << (bit & 63);
  }
  in.write_known(v, at);
  in.refresh(true);
}

}  // namespace rip
