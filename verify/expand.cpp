#include "verify/expand.h"

#include <algorithm>
#include <cstring>

namespace rip::verify {

namespace {

using Kind = StateGraph::Kind;

/// More options at one decision than this are not followed one by one.
constexpr std::uint64_t kMostOptions = 100'000;
/// Random games whose states show, before the search, how wide a key has to be.
constexpr std::uint64_t kGamesToLearn = 200;
constexpr std::size_t kLongestToLearn = 400;

}  // namespace

Caps caps_of(const ir::Program& program) {
  Caps caps;
  for (ir::Pc pc = 0; pc < static_cast<ir::Pc>(program.code.size()); ++pc) {
    const ir::Instr& instr = program.code[static_cast<std::size_t>(pc)];
    if (instr.op != ir::InstrOp::count_pass || instr.c < 0) continue;
    const ir::ExprNode& limit = program.nodes[static_cast<std::size_t>(instr.b)];
    if (limit.op != ir::NodeOp::constant) continue;
    caps.offsets.push_back(instr.a);
    caps.used.push_back({pc, instr.c});
    caps.least = std::min<std::int64_t>(caps.least, limit.a);
  }
  return caps;
}

void leave_out(const ir::Program& program, const Caps* caps, State& state) {
  if (caps == nullptr) return;
  thread_local std::vector<ir::Pc> pcs;
  control(program, state.bytes.data(), pcs);
  const auto& header = *reinterpret_cast<const ir::Header*>(state.bytes.data());
  for (std::size_t i = 0; i < caps->offsets.size(); ++i) {
    if (in_use(caps->used[i], pcs, header)) std::memset(state.bytes.data() + caps->offsets[i], 0, sizeof(std::int32_t));
  }
}

void Worker::start(Expanded& out) {
  begin(out);
  machine_.start(state_);
  begin_edge(state_, false);
  go_on(out, true);
  out.nodes.push_back({1});
  look_up(out);
}

void Worker::learn(Packing& packing) {
  machine_.observer = nullptr;
  for (std::uint64_t game = 0; game < kGamesToLearn; ++game) {
    Rng rng = Rng::for_game(1, game);
    machine_.start(base_);
    bool armed = false;
    for (std::size_t n = 0; n < kLongestToLearn; ++n) {
      Status status = machine_.status(base_);
      while (status == Status::running || status == Status::checkpoint) {
        armed = armed || status == Status::checkpoint;
        status = machine_.run(base_);
      }
      leave_out(*playable_.program, watcher.caps, base_);
      if (const std::uint8_t* form = canonical_.form(base_, armed)) packing.learn(form);
      if (status == Status::chance) {
        machine_.choose_outcome(base_, machine_.sample_outcome(base_, rng));
      } else if (status == Status::decision) {
        const int seat = machine_.to_move(base_);
        Move move;
        if (machine_.sample_move(base_, seat, rng, move) == 0) break;
        machine_.decide(base_, seat, move);
      } else {
        break;
      }
    }
  }
  machine_.observer = &watcher;
}

void Worker::expand(const std::uint8_t* key, const std::uint8_t* record, Expanded& out) {
  const std::size_t size = store_->packing.size();
  base_.bytes.resize(size);
  if (store_->exact) store_->packing.unpack(key, record, base_.bytes.data());
  else store_->packing.unpack(record, record + store_->packing.key_bytes(), base_.bytes.data());
  const bool armed = base_.bytes.back() != 0;
  base_.bytes.pop_back();
  expand(base_, armed, out);
}

void Worker::expand(const State& from, bool armed, Expanded& out) {
  if (&from != &base_) base_ = from;
  Expanded::Node node;
  const Status status = machine_.status(base_);
  if (status == Status::chance) {
    machine_.outcomes(base_, outcomes_);
    for (std::uint32_t i = 0; i < outcomes_.size(); ++i) {
      begin_edge(base_, armed);
      machine_.choose_outcome(state_, i);
      go_on(out, true);
    }
  } else if (status == Status::decision) {
    node.decides = true;
    const int seat = machine_.to_move(base_);
    const std::uint64_t n = machine_.count_moves(base_, seat);
    node.too_many = n > kMostOptions;
    if (n > 0 && !node.too_many) machine_.legal_moves(base_, seat, moves_);
    else moves_.clear();
    // none, or a rule went wrong while they were read
    if (moves_.empty() && !node.too_many) out.stuck.emplace_back(out.nodes.size(), failure(machine_.fault(base_)));
    for (const Move& move : moves_) {
      begin_edge(base_, armed);
      machine_.decide(state_, seat, move);
      go_on(out, machine_.status(state_) != Status::decision);
    }
  }
  node.end = static_cast<std::uint32_t>(out.children.size());
  out.nodes.push_back(node);
}

void Worker::prepare(Expanded& out) {
  for (std::uint32_t edge = 0; edge < out.children.size(); ++edge) {
    if (out.width != store_->width) pack(out, edge, *store_);
    graph_.prefetch(out.children[edge].hash);
  }
  out.width = store_->width;
}

void Worker::look_up(Expanded& out) {
  for (std::uint32_t edge = 0; edge < out.children.size(); ++edge) {
    Child& child = out.children[edge];
    if (child.packed) child.known = graph_.find(out.keys.data() + edge * store_->key_bytes(), child.hash);
    if (child.known != StateGraph::kNone) continue;
    if (child.odd) state_.bytes = out.odd[edge];
    else state_.bytes.assign(out.forms.begin() + form_at(edge), out.forms.begin() + form_at(edge + 1) - 1);
    watcher.begin_game();
    watcher.armed = child.armed;
    const Status status = machine_.status(state_);
    if (status == Status::fault) continue;
    if (status == Status::decision && child.runs) watcher.test(machine_, state_, false);
    if (status == Status::over) watcher.test(machine_, state_, true);
    if (auto broken = examine_zones(machine_, state_)) out.failures.emplace_back(edge, std::move(*broken));
    for (const Violation& violation : watcher.violations) out.failures.emplace_back(edge, failure(*playable_.program, violation));
  }
}

bool Worker::pack(Expanded& out, std::uint32_t edge, const Store& store) {
  Child& child = out.children[edge];
  child.packed = false;
  const std::size_t key_bytes = store.key_bytes(), record_bytes = store.record_bytes();
  out.keys.resize(std::max(out.keys.size(), (edge + 1) * key_bytes));
  out.records.resize(std::max(out.records.size(), (edge + 1) * record_bytes));
  std::uint8_t* key = out.keys.data() + edge * key_bytes;
  std::uint8_t* record = out.records.data() + edge * record_bytes;
  std::fill_n(key, key_bytes, std::uint8_t{0});
  std::fill_n(record, record_bytes, std::uint8_t{0});
  if (child.odd) {
    if (store.exact) return false;
    state_.bytes = out.odd[edge];
  } else {
    const std::uint8_t* form = out.forms.data() + form_at(edge);
    std::uint8_t* beside = store.exact ? record : record + store.packing.key_bytes();
    if (!store.packing.pack(form, store.exact ? key : record, beside)) return false;
    if (!store.exact) state_.bytes.assign(form, form + store.packing.size() - 1);
  }
  if (!store.exact) {
    const Hash128 fingerprint = canonical_.key(state_, child.armed);
    std::memcpy(key, &fingerprint, sizeof fingerprint);
  }
  child.hash = StateGraph::hash(key, key_bytes);
  child.packed = true;
  return true;
}

void Worker::begin_edge(const State& from, bool armed) {
  if (&from != &state_) state_ = from;
  watcher.begin_game();
  watcher.armed = armed;
  watcher.passes = 0;
}

void Worker::go_on(Expanded& out, bool runs) {
  Status status = machine_.status(state_);
  if (runs) {
    status = machine_.run(state_);
    while (status == Status::checkpoint) {
      watcher.armed = true;
      status = machine_.run(state_);
    }
  }
  leave_out(*playable_.program, watcher.caps, state_);
  const auto edge = static_cast<std::uint32_t>(out.children.size());
  Child child;
  child.passes = static_cast<std::uint8_t>(std::min<std::uint64_t>(watcher.passes, 255));
  child.kind = status == Status::decision ? Kind::decision : status == Status::chance ? Kind::chance : Kind::end;
  child.armed = watcher.armed;
  child.runs = runs;
  if (status == Status::fault) out.failures.emplace_back(edge, failure(machine_.fault(state_)));
  for (const Violation& violation : watcher.violations) out.failures.emplace_back(edge, failure(*playable_.program, violation));
  const std::uint8_t* form = canonical_.form(state_, child.armed);
  child.odd = form == nullptr;
  out.odd.resize(child.odd ? edge + 1 : out.odd.size());
  if (child.odd) out.odd[edge] = state_.bytes;
  if (child.odd) out.forms.resize(static_cast<std::size_t>(form_at(edge + 1)));
  else out.forms.insert(out.forms.end(), form, form + store_->packing.size());
  out.children.push_back(child);
  pack(out, edge, *store_);
}

}  // namespace rip::verify
