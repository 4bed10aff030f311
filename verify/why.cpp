#include "verify/why.h"

#include "interp/check/walk.h"
#include "verify/deciding_values.h"
#include "verify/pattern.h"
#include "verify/position.h"
#include "verify/reading.h"
#include "verify/substitution.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace rip::verify {

namespace {

using rules::Op;
using Kind = rules::ArgPattern::Kind;

constexpr std::size_t kMostTried = 20'000;  // combinations of arguments

/// The option as the rules have it.
const rules::Option* rules_option(const rules::Rules& rules, const ir::Option& wanted) {
  const check::Walk walk(rules);
  const rules::Option* found = nullptr;
  walk.bodies([&](const rules::Block& body) {
    walk.statements(body, [&](const rules::Stmt& stmt) {
      const auto* choose = std::get_if<rules::Choose>(&stmt.node);
      if (choose == nullptr) return;
      for (const rules::Option& option : choose->options) {
        if (option.span == wanted.span && option.name == wanted.name) found = &option;
      }
    });
  });
  return found;
}

/// One option of the decision, asked with all arguments that the pattern can mean.
class Inquiry {
 public:
  Inquiry(const rules::Option& option, std::int32_t number, const MoveTest& test, Playable& playable, const State& state, int seat)
      : number_(number), test_(test), playable_(playable), state_(state), seat_(seat) {
    const rules::Rules& rules = *playable.rules;
    const rules::Clause clause = rules.clauses[option.clause];  // lowering may add clauses: a copy
    binders_ = clause.binders;
    for (const rules::Binder& binder : binders_) {
      sources_.push_back(compile_reading(playable, binder.source));
      if (!binder.pick) continue;
      const bool one_number = binder.pick_high == rules::kNoId || binder.pick_high == binder.pick_low;
      const ir::Node low = playable.lowering->expression(binder.pick_low);
      picks_[&binder - binders_.data()] = {low, one_number ? low : playable.lowering->expression(binder.pick_high)};
    }
    std::vector<rules::ExprId> parts;
    check::conjuncts(rules, clause.where, parts);
    for (const rules::ExprId part : parts) conditions_.push_back(compile_reading(playable, part));
  }

  struct Answer {
    std::size_t reached = 0;               ///< binders, then parts of the condition, that were passed
    std::optional<std::size_t> binder;     ///< the name whose value does not come from where it should
    rules::ExprId part = rules::kNoId;     ///< the part that does not hold
    State bound;                           ///< with the arguments in their places
    bool legal = false;
    std::string count;                     ///< of a pick: how many there may be
  };

  Answer ask(Machine& machine) {
    best_ = {};
    tried_ = 0;
    Move move;
    move.option = number_;
    go(machine, move, 0);
    return best_;
  }

  std::int32_t number() const { return number_; }
  const std::vector<rules::Binder>& binders() const { return binders_; }
  const std::vector<Reading>& sources() const { return sources_; }

 private:
  State with(Machine& machine, const Move& move) const {
    State bound = state_;
    machine.bind(bound, seat_, move);
    return bound;
  }

  void better(Answer answer) {
    if (best_.bound.bytes.empty() || answer.reached > best_.reached) best_ = std::move(answer);
  }

  /// Gives each name from `level` on each value that it can mean.
  void go(Machine& machine, const Move& move, std::size_t level) {
    if (best_.legal || ++tried_ > kMostTried) return;
    if (level == binders_.size()) return ask_conditions(machine, move);
    State bound = with(machine, move);
    const std::vector<std::int64_t> open = members(sources_[level], machine, bound);
    const std::vector<std::vector<std::int64_t>> meant = values_meant(machine, bound, level, open);
    bool any = false;
    for (const auto& values : meant) {
      const bool inside = std::all_of(values.begin(), values.end(), [&](std::int64_t v) { return std::find(open.begin(), open.end(), v) != open.end(); });
      if (!inside) continue;
      if (const auto pick = picks_.find(static_cast<std::ptrdiff_t>(level)); pick != picks_.end()) {
        const std::int64_t low = machine.scalar(bound, pick->second.first), high = machine.scalar(bound, pick->second.second);
        const auto n = static_cast<std::int64_t>(values.size());
        if (n < low || n > high) {
          Answer answer{level, level, rules::kNoId, bound, false, ""};
          answer.count = low == high ? fmt::format("{} are picked, not {}", low, n) : fmt::format("{} to {} are picked, not {}", low, high, n);
          better(std::move(answer));
          any = true;
          continue;
        }
      }
      any = true;
      if (std::optional<Move> longer = lengthened(move, level, values)) go(machine, *longer, level + 1);
    }
    if (!any) better({level, level, rules::kNoId, std::move(bound), false, ""});
  }

  void ask_conditions(Machine& machine, const Move& move) {
    State bound = with(machine, move);
    for (std::size_t i = 0; i < conditions_.size(); ++i) {
      bool fault = false;
      State copy = bound;
      if (machine.holds(copy, conditions_[i].node, &fault) && !fault) continue;
      return better({binders_.size() + i, std::nullopt, conditions_[i].expr, std::move(bound), false, ""});
    }
    better({binders_.size() + conditions_.size(), std::nullopt, rules::kNoId, std::move(bound), true, ""});
  }

  std::vector<std::int64_t> members(const Reading& source, Machine& machine, State& state) const {
    if (source.zone.zone == rules::kNoId) return machine.members(state, source.node);
    std::vector<std::int64_t> out;
    for (const std::int32_t zone : instances(source.zone, playable_, machine, state)) {
      for (const std::uint16_t card : machine.zone_cards(state, zone)) out.push_back(card);
    }
    return out;
  }

  /// All that the argument can mean, whether the name may take it or not.
  std::vector<std::vector<std::int64_t>> values_meant(Machine& machine, State& state, std::size_t level, const std::vector<std::int64_t>& open) {
    std::vector<std::vector<std::int64_t>> out;
    const ArgTest any;
    const ArgTest& arg = level < test_.args.size() ? test_.args[level] : any;
    if (!binders_[level].pick) {
      for (const std::int64_t value : item_meant(machine, state, arg, open)) out.push_back({value});
      return out;
    }
    if (arg.kind == Kind::value && arg.many) return {machine.members(state, arg.node)};
    if (arg.kind != Kind::list && arg.kind != Kind::set) return {{}};  // how many, and which, is left open: none
    // each item takes the first that it can mean and no other has taken
    std::vector<std::int64_t> picked;
    for (const ArgTest& item : arg.items) {
      for (const std::int64_t value : item_meant(machine, state, item, open)) {
        if (std::find(picked.begin(), picked.end(), value) != picked.end()) continue;
        picked.push_back(value);
        break;
      }
    }
    if (picked.size() == arg.items.size()) out.push_back(std::move(picked));
    return out;
  }

  std::vector<std::int64_t> item_meant(Machine& machine, State& state, const ArgTest& arg, const std::vector<std::int64_t>& open) const {
    if (arg.kind == Kind::value) return arg.many ? machine.members(state, arg.node) : std::vector{machine.scalar(state, arg.node)};
    if (arg.kind != Kind::phrase) return open;
    std::vector<std::int64_t> out;
    std::copy_if(open.begin(), open.end(), std::back_inserter(out), [&](std::int64_t c) { return c >= 0 && fits(arg.phrase, playable_, machine, state, static_cast<std::int32_t>(c)); });
    return out;
  }

  std::optional<Move> lengthened(const Move& move, std::size_t level, const std::vector<std::int64_t>& values) const {
    Move out = move;
    const std::size_t needed = static_cast<std::size_t>(move.size) + values.size() + 1;
    if (needed > out.args.size()) return std::nullopt;
    if (binders_[level].pick) out.args[static_cast<std::size_t>(out.size++)] = static_cast<std::int32_t>(values.size());
    for (const std::int64_t value : values) out.args[static_cast<std::size_t>(out.size++)] = static_cast<std::int32_t>(value);
    return out;
  }

  std::int32_t number_;
  const MoveTest& test_;
  Playable& playable_;
  const State& state_;
  int seat_;
  std::vector<rules::Binder> binders_;
  std::vector<Reading> sources_, conditions_;
  std::map<std::ptrdiff_t, std::pair<ir::Node, ir::Node>> picks_;  ///< of binders that pick: at least and at most so many
  Answer best_;
  std::size_t tried_ = 0;
};

/// A definition that does not hold leads to the part of it that does not. What was passed on the way is noted.
rules::ExprId inside_definitions(rules::ExprId part, rules::Rules& rules, Playable& playable, const State& state, DecidingValues& values) {
  constexpr int kDeep = 8;
  for (int depth = 0; depth < kDeep && rules[part].op == Op::call; ++depth) {
    const rules::Expr call = rules[part];
    std::vector<rules::ExprId> parts;
    check::conjuncts(rules, value_with_arguments(rules, call), parts);
    std::vector<Reading> readings;
    for (const rules::ExprId id : parts) readings.push_back(compile_reading(playable, id));
    playable.program = &playable.lowering->program();
    Machine machine(*playable.program);
    State copy = state;
    const auto failing = std::find_if(readings.begin(), readings.end(), [&](const Reading& r) { return !machine.holds(copy, r.node); });
    if (failing == readings.end()) return part;
    values.note(part);
    part = failing->expr;
  }
  return part;
}

/// The move is offered at other decisions only.
WhyNot not_offered(const std::string& name, const ir::Choose& choose, const Playable& playable, const Sources& sources, int seat) {
  const ir::Program& program = *playable.program;
  std::set<std::string> here;
  for (std::int32_t i = choose.first; i < choose.first + choose.count; ++i) here.insert(program.options[static_cast<std::size_t>(i)].name);
  std::string names;
  for (const std::string& word : here) names += (names.empty() ? "`" : ", `") + word + "`";
  for (const ir::Option& option : program.options) {
    if (option.name != name) continue;
    return {fmt::format("`{}` is offered in line {}; here {} decides among {}", name, sources.place(option.span.file, option.span.begin).line, playable.seat(seat), names), choose.span, {}};
  }
  return {fmt::format("`{}` is never offered in this configuration; here {} decides among {}", name, playable.seat(seat), names), choose.span, {}};
}

}  // namespace

WhyNot why_not(const rules::MovePattern& pattern, Playable& playable, rules::Rules& rules, const Sources& sources, const State& state, int seat) {
  const MoveTest test = compile_move(playable, pattern);
  playable.program = &playable.lowering->program();
  const ir::Choose* found = choose_at(*playable.program, state);
  if (found == nullptr) return {"nobody decides here", {}, {}};
  const ir::Choose choose = *found;  // the program grows
  std::vector<Inquiry> inquiries;
  for (std::int32_t i = choose.first; i < choose.first + choose.count; ++i) {
    const ir::Option& option = playable.program->options[static_cast<std::size_t>(i)];
    if (option.name != test.name) continue;
    if (const rules::Option* as_written = rules_option(*playable.rules, option)) inquiries.emplace_back(*as_written, i, test, playable, state, seat);
  }
  if (inquiries.empty()) return not_offered(test.name, choose, playable, sources, seat);
  playable.program = &playable.lowering->program();
  std::optional<Inquiry::Answer> best;
  const Inquiry* asked = nullptr;
  Machine machine(*playable.program);
  for (Inquiry& inquiry : inquiries) {
    Inquiry::Answer answer = inquiry.ask(machine);
    if (best && answer.reached <= best->reached) continue;
    best = std::move(answer);
    asked = &inquiry;
  }
  if (best->legal) {
    const ir::Option& option = playable.program->options[static_cast<std::size_t>(asked->number())];
    if (option.otherwise) return {"it is offered only where nothing else can be chosen", option.span, {}};
    return {};
  }
  DecidingValues values(playable, sources);
  WhyNot out;
  if (!best->binder) best->part = inside_definitions(best->part, rules, playable, best->bound, values);
  if (best->binder) {
    const rules::Binder& binder = asked->binders()[*best->binder];
    const std::string& name = playable.rules->locals[binder.local].name;
    const auto source = [&] { return value_of(asked->sources()[*best->binder], playable, machine, best->bound); };
    if (!best->count.empty()) out.reason = fmt::format("of `{}` {}", name, best->count);
    else if (const std::string from = source(); from == "[]" || from == "{}") out.reason = fmt::format("there is nothing that `{}` could be", name);
    else out.reason = fmt::format("`{}` cannot be that: it comes from {}", name, from);
    out.span = binder.span;
    values.note(binder.source);
  } else {
    out.reason = "this part of its condition does not hold";
    out.span = rules[best->part].span;
    values.note(best->part);
    // none of the alternatives holds: what is behind each of them
    const rules::Expr part = rules[best->part];
    for (const rules::ExprId kid : part.op == Op::logical_or ? part.kids : std::vector<rules::ExprId>{}) {
      values.note(inside_definitions(kid, rules, playable, best->bound, values));
    }
  }
  playable.program = &playable.lowering->program();
  Machine reader(*playable.program);
  out.values = values.read(reader, best->bound);
  return out;
}

}  // namespace rip::verify
