// Plays compiled games. What the code asks for the interpreter does, on the same state and with the same generator.
#include "interp/native/native.h"

#include "interp/run/clauses.h"
#include "interp/run/interpreter.h"

#include "interp/native/abi.h"

#include <algorithm>

namespace rip::native {

struct Player::Host {
  Host(const ir::Program& program, const Code& loaded) : p(program), code(loaded), in(program, observer, pins) {
    image = opening(program);
    moves.assign(std::max<std::size_t>(program.options.size(), 1), 0);
    shown.assign(std::max<std::size_t>(program.claims.size(), 1), 0);
    ctx.moves = moves.data();
    ctx.shown = shown.data();
    ctx.scratch = in.scratch.data();
    ctx.sets = in.sets.data();
    ctx.host = this;
    ctx.eval = [](Ctx* c, i32 node) { return ask(c).told(c, ready(c).eval(node)); };
    ctx.eval_set = [](Ctx* c, i32 node, i32 low, i32 words, u64* out) {
      ready(c).eval_set(node, {low, words}, out);
      ask(c).tell(c);
    };
    ctx.eval_list = [](Ctx* c, i32 node, i32* out) {
      List list;
      ready(c).eval_list(node, list);
      std::copy_n(list.values, list.size, out);
      ask(c).tell(c);
      return list.size;
    };
    ctx.step = [](Ctx* c) {
      Interpreter& it = ready(c);
      it.rng = &c->rng;
      it.step(it.p.code[static_cast<std::size_t>(it.header().pc)]);
      c->s = it.s;
      ask(c).tell(c);
    };
    ctx.close_drawn = [](Ctx* c) {
      ready(c).close_drawn();
      ask(c).tell(c);
    };
    ctx.values = [](Ctx* c, i32 option, i32 level, i32 seat, i32* out) {
      Interpreter& it = ready(c);
      const ir::Binder& binder = binders(it, option)[static_cast<std::size_t>(level)];
      i32 n = 0;
      it.each_value(binder, seat, [&] {
        if (n >= ir::kMaxList) {
          it.fail_here(FaultCode::too_many);
          return false;
        }
        out[n++] = static_cast<i32>(it.scratch[static_cast<std::size_t>(binder.slot)]);
        return true;
      });
      ask(c).tell(c);
      return n;
    };
    ctx.count_option = [](Ctx* c, i32 option, i32 seat) {
      const std::uint64_t n = ready(c).count_option(ask(c).p.options[static_cast<std::size_t>(option)], seat);
      ask(c).tell(c);
      return n;
    };
    ctx.nth_option = [](Ctx* c, i32 option, u64 index, i32 seat, i32* args) {
      Move move;
      const bool found = ready(c).nth_option(ask(c).p.options[static_cast<std::size_t>(option)], index, seat, move);
      std::copy_n(move.args.data(), move.size, args);
      ask(c).tell(c);
      return found ? move.size : -1;
    };
    ctx.decide = [](Ctx* c, i32 seat, i32 option, i32 size, const i32* args) {
      Interpreter& it = ready(c);
      Move move;
      move.option = option;
      move.size = size;
      std::copy_n(args, size, move.args.data());
      it.rng = &c->rng;
      it.decide(seat, move);
      // as run() does when it goes on
      if (it.header().status == static_cast<u8>(Status::chance)) it.apply_outcome(it.sample_value(c->rng));
      c->s = it.s;
      ask(c).tell(c);
    };
  }

  static Host& ask(Ctx* c) { return *static_cast<Host*>(c->host); }
  static Interpreter& ready(Ctx* c) {
    Interpreter& in = ask(c).in;
    in.fault = FaultCode::none;
    in.work_left = Interpreter::kMaxWork;
    return in;
  }
  static const std::vector<ir::Binder>& binders(const Interpreter& in, i32 option) {
    return in.p.clauses[static_cast<std::size_t>(in.p.options[static_cast<std::size_t>(option)].clause)].binders;
  }
  /// A fault of the interpreter is one of the game.
  void tell(Ctx* c) const {
    if (in.fault != FaultCode::none) c->fault = 1;
  }
  i64 told(Ctx* c, i64 value) const {
    tell(c);
    return value;
  }

  void bind(State& state, const Rng& rng) {
    in.bind(state);
    ctx.s = state.bytes.data();
    ctx.rng = rng;
    ctx.fault = 0;
    ctx.departures.n = ctx.departures.members = 0;
  }

  const ir::Program& p;
  const Code& code;
  Observer* observer = nullptr;
  std::vector<std::uint8_t> pins;
  Interpreter in;
  Ctx ctx;
  State image;
  std::vector<u64> moves, shown;
  u64 most_decisions = 0;
};

Player::Player(const ir::Program& program, const Code& code) : host_(std::make_unique<Host>(program, code)) {}
Player::~Player() = default;

void Player::start(State& state) const { state.bytes.assign(host_->image.bytes.begin(), host_->image.bytes.end()); }

Status Player::play(State& state, Rng rng, std::uint64_t most_decisions) {
  Host& host = *host_;
  start(state);
  host.bind(state, rng);
  host.ctx.one_by_one = 0;
  host.ctx.decisions_left = host.most_decisions = most_decisions;
  return static_cast<Status>(host.code.run(host.ctx));
}

void Player::results(State& state, std::vector<std::int64_t>& out) {
  Host& host = *host_;
  out.resize(static_cast<std::size_t>(host.p.players) + host.p.reports.size());
  host.bind(state, host.ctx.rng);
  static_assert(sizeof(i64) == sizeof(std::int64_t));
  host.code.results(host.ctx, out.data());
}

const std::vector<std::uint64_t>& Player::shown() const { return host_->shown; }

std::uint64_t Player::decisions() const { return std::min(host_->most_decisions, host_->most_decisions - host_->ctx.decisions_left); }

Counts Player::counts() const {
  const Ctx& ctx = host_->ctx;
  Counts counts;
  counts.decisions = ctx.many;
  counts.options = ctx.many_options;
  counts.squared_options = ctx.many_squared;
  counts.most_options = ctx.most_options;
  if (ctx.many > 0) counts.least_options = kFewOptions;
  for (u64 n = kFewOptions; n-- > 1;) {
    const u64 times = ctx.options_of[n];
    if (times == 0) continue;
    counts.decisions += times;
    counts.options += n * times;
    counts.squared_options += static_cast<unsigned __int128>(n * n) * times;
    counts.least_options = n;
    counts.most_options = std::max(counts.most_options, n);
  }
  counts.moves = host_->moves;
  counts.shown = host_->shown;
  return counts;
}

Status Player::step(State& state, Rng& rng) {
  Host& host = *host_;
  host.bind(state, rng);
  host.ctx.one_by_one = 1;
  host.ctx.decisions_left = ~u64{0};
  const auto status = static_cast<Status>(host.code.run(host.ctx));
  rng = host.ctx.rng;
  return status;
}

}  // namespace rip::native
