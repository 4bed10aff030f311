// Worked cases: seats by name, positions, decisions as patterns, what is expected.
#include "interp/check/box.h"
#include "interp/check/checker.h"

#include <fmt/format.h>

#include <type_traits>

namespace rip::check {

using rules::Base;
using rules::ExprId;
using rules::Shape;
using rules::Type;

int Checker::seat_named(const ast::Name& name) {
  const auto found = seat_values_.find(name.text);
  note_seat(name);
  if (found != seat_values_.end()) return found->second;
  std::vector<std::string_view> names;
  for (const auto& [seat, number] : seat_values_) names.push_back(seat);
  std::string message = fmt::format("nobody here is called `{}`", name.text);
  if (const std::string_view near = nearest(name.text, names); !near.empty()) message += fmt::format("; did you mean `{}`?", near);
  report(Code::R0802, name.span, std::move(message));
  return -1;
}

void Checker::emit_scenario(const ast::Decl& decl, const ast::ScenarioDecl& n) {
  rules::Scenario out;
  out.name = n.name;
  out.span = decl.span;
  out.tags = tag_ids(decl.tags);
  seat_values_.clear();
  seats_.clear();
  seat_spans_.clear();
  for (const ast::Step& step : n.steps) {
    const auto* players = std::get_if<ast::StepPlayers>(&step.node);
    if (players == nullptr) continue;
    if (!seats_.empty()) {
      report(Code::R0801, step.span, "the seats are named twice");
      continue;
    }
    for (const ast::Name& name : players->names) {
      if (!seat_values_.emplace(name.text, static_cast<int>(seats_.size())).second)
        report(Code::R0801, name.span, fmt::format("two seats are called `{}`", name.text));
      seats_.push_back(name.text);
      if (options_flags_.names != nullptr) seat_spans_.emplace(name.text, name.span);
      note_seat(name);
    }
    if (std::ssize(seats_) < rules_.players_low || std::ssize(seats_) > rules_.players_high)
      report(Code::R0801, step.span, fmt::format("{} seats, but the game is for {}..{}", seats_.size(), rules_.players_low, rules_.players_high));
  }
  if (seats_.empty()) {
    report(Code::R0801, decl.span, "a scenario begins with `players` and the names of the seats");
    return;
  }
  out.seats = seats_;
  Context inside;
  inside.in_scenario = true;
  inside.in_result = true;
  const Restore<Context> context(context_, inside);
  const Restore<bool> use(use_seats_, true);
  std::vector<LocalName> none;
  const Restore<std::vector<LocalName>> scope(scope_, none);
  bool decided = false;
  for (const ast::Step& node : n.steps) {
    if (const auto* set = std::get_if<ast::StepSet>(&node.node)) {
      const auto found = values_.find(set->name.text);
      if (found == values_.end() || found->second.kind != ValueName::Kind::param) {
        unknown_param(set->name);
        continue;
      }
      note_value(set->name.span, found->second);
      const rules::Param& param = rules_.params[found->second.id];
      const ExprId value = expr(*set->value, {Form::any, param.type});
      test_constant(value);
      if (param.index.empty() && !is_scalar(type(value))) report(Code::R0303, set->value->span, fmt::format("`{}` is one value", param.name));
      test_table(*set->value, value, param, 0);
      out.params.emplace_back(found->second.id, value);
      continue;
    }
    if (std::holds_alternative<ast::StepDoes>(node.node)) decided = true;
    if (const auto* swap = std::get_if<ast::StepSwapping>(&node.node); swap != nullptr && !swap->given && !decided)
      report(Code::R0808, node.span, "nobody has decided anything yet that could be swapped");
    if (std::optional<rules::Step> step_out = step(node)) out.steps.push_back(std::move(*step_out));
  }
  rules_.scenarios.push_back(std::move(out));
}

std::optional<rules::Step> Checker::step(const ast::Step& node) {
  const Restore<bool> use(use_seats_, true);
  rules::Step out;
  out.span = node.span;
  bool kept = true;
  std::visit(
      [&](const auto& n) {
        using T = std::decay_t<decltype(n)>;
        if constexpr (std::is_same_v<T, ast::StepPlayers> || std::is_same_v<T, ast::StepSet> || std::is_same_v<T, ast::NoteDecl>) {
          kept = false;
        } else if constexpr (std::is_same_v<T, ast::StepStart>) {
          if (std::optional<rules::StepStart> found = start(n)) out.node = std::move(*found);
          else kept = false;
        } else if constexpr (std::is_same_v<T, ast::Given>) {
          if (std::optional<rules::Given> found = given(n)) out.node = rules::StepGiven{std::move(*found)};
          else kept = false;
        } else if constexpr (std::is_same_v<T, ast::StepNext>) {
          if (n.is_roll) {
            const bool dice = std::any_of(rules_.component_types.begin(), rules_.component_types.end(), [](const rules::ComponentType& t) { return t.kind == ast::ComponentKind::die; });
            if (!dice) report(Code::R0807, node.span, "there are no dice in this game");
            out.node = rules::StepNextRoll{n.faces};
          } else {
            const ExprId zone = target_zone(*n.zone, true);
            out.node = rules::StepNextCards{zone, card_items(n.cards, unknown(zone) ? kNoId : type(zone).id)};
          }
        } else if constexpr (std::is_same_v<T, ast::StepExpect>) {
          const ExprId holds = condition(*n.condition);
          if (n.chance && (n.chance->second < 1 || n.chance->first > n.chance->second)) {
            report(Code::R0809, node.span, fmt::format("a chance of {} of {} is none", n.chance->first, n.chance->second));
          }
          const auto number = [&](ExprId kid) { return type(kid).base == Base::integer && is_scalar(type(kid)); };
          if (n.on_average && !unknown(holds)) {
            const rules::Expr& test = rules_[holds];
            if (test.op != rules::Op::eq || !number(test.kids[0]) || !number(test.kids[1]))
              report(Code::R0809, n.condition->span, "two numbers are compared on average: write `A == B`");
          }
          out.node = rules::StepExpect{holds, n.chance, n.on_average};
        } else if constexpr (std::is_same_v<T, ast::StepSwapping>) {
          rules::StepSwapping swap;
          swap.same = n.same;
          if (n.given) {
            swap.given = given(*n.given);
          } else {
            swap.seat = seat_named(n.seat);
            swap.move = move_pattern(n.move, n.move.move.span);
          }
          for (const ast::Name& name : n.to) swap.to.push_back(seat_named(name));
          out.node = std::move(swap);
        } else if constexpr (std::is_same_v<T, ast::StepDoes>) {
          const int who = seat_named(n.seat);
          out.node = rules::StepDoes{who, move_pattern(n.move, Span{node.span.file, n.move.move.span.begin, node.span.end})};
        } else if constexpr (std::is_same_v<T, ast::StepCan>) {
          const int who = seat_named(n.seat);
          out.node = rules::StepCan{who, n.can, move_pattern(n.move, Span{node.span.file, n.move.move.span.begin, node.span.end})};
        } else if constexpr (std::is_same_v<T, ast::StepKnows>) {
          const int who = seat_named(n.seat);
          const ExprId what = expr(*n.what, {Form::any, {}});
          out.node = rules::StepKnows{who, n.knows, what};
        } else {
          static_assert(std::is_same_v<T, ast::StepHas>);
          out.node = rules::StepHas{seat_named(n.seat), n.count, n.worlds};
        }
      },
      node.node);
  if (!kept) return std::nullopt;
  return out;
}

std::optional<rules::StepStart> Checker::start(const ast::StepStart& n) {
  const auto found = procedures_.find(n.name.text);
  if (found == procedures_.end() || (!n.is_do && found->second.phase == kNoId)) {
    std::vector<std::string_view> names;
    for (const auto& [name, entry] : procedures_)
      if (n.is_do || entry.phase != kNoId) names.push_back(name);
    std::string message = fmt::format("unknown {} `{}`", n.is_do ? "rule or phase" : "phase", n.name.text);
    if (const std::string_view near = nearest(n.name.text, names); !near.empty()) message += fmt::format("; did you mean `{}`?", near);
    report(Code::R0805, n.name.span, std::move(message));
    return std::nullopt;
  }
  found->second.read = true;
  note_procedure(n.name.span, found->second);
  rules::StepStart out;
  out.alone = n.is_do;
  if (found->second.routine == kNoId) {
    out.phase = found->second.phase;
    if (!n.args.empty()) report(Code::R0302, n.name.span, fmt::format("{} arguments, but the phase `{}` takes none", n.args.size(), n.name.text));
    return out;
  }
  if (!n.is_do) {
    report(Code::R0805, n.name.span, fmt::format("the phase `{}` has parameters", n.name.text)).hint = fmt::format("write `start do {}(...)`", n.name.text);
    return std::nullopt;
  }
  const rules::RoutineId id = found->second.routine;
  out.routine = id;
  std::vector<std::string> names;
  if (routines_[id].params_decl != nullptr)
    for (const ast::Param& param : *routines_[id].params_decl) names.push_back(param.name.text);
  else
    for (const rules::LocalId local : rules_.routines[id].params) names.push_back(rules_.locals[local].name);
  std::vector<Type> params = routines_[id].params;
  out.args = arguments(n.args, params, routines_[id].declared, names, n.name);
  routines_[id].params = params;
  if (!adopted_) {
    emit_routine(id);
    emit_called();
  }
  if (routines_[id].needs.me)
    report(Code::R0601, n.name.span, fmt::format("`{}` reads `me`, which is not set when it is started alone", n.name.text)).related.push_back({routines_[id].needs.me_span, "read here"});
  return out;
}

std::vector<rules::CardItem> Checker::card_items(const std::vector<ast::CardItem>& items, rules::TypeId wanted) {
  std::vector<rules::CardItem> out;
  for (const ast::CardItem& item : items) {
    rules::CardItem entry;
    if (item.count > kMaxComponents) report(Code::R0103, item.span, fmt::format("{} components; a game has at most {}", item.count, kMaxComponents));
    entry.count = std::min<std::int64_t>(item.count, kMaxComponents);
    entry.span = item.span;
    if (item.phrase != nullptr) {
      std::optional<rules::Phrase> found = phrase(*item.phrase, *as_phrase(*item.phrase), wanted, false);
      if (!found) continue;
      entry.phrase = add_phrase(std::move(*found));
    }
    out.push_back(entry);
  }
  return out;
}

std::optional<rules::Given> Checker::given(const ast::Given& node) {
  if (node.is_cards) {
    ExprId zone = target_zone(*node.target, false);
    if (unknown(zone)) return std::nullopt;
    // places are filled one after the other, of other zones one is meant
    if (rules_.zones[rules_.exprs[zone].ref].kind != ast::ZoneKind::place) zone = target_zone(*node.target, true);
    if (unknown(zone)) return std::nullopt;
    return rules::GivenCards{zone, card_items(node.cards, type(zone).id)};
  }
  std::vector<ast::ExprRef> args;
  const ast::Expr* base = node.target.get();
  while (const auto* index = std::get_if<ast::Index>(&base->node)) {
    args.insert(args.begin(), index->args.begin(), index->args.end());
    base = index->base.get();
  }
  const auto* name = std::get_if<ast::Word>(&base->node);
  const auto found = name == nullptr ? values_.end() : values_.find(name->text);
  if (name != nullptr && found == values_.end()) {
    unknown_name(name->text, base->span);
    return std::nullopt;
  }
  if (found == values_.end() || found->second.kind != ValueName::Kind::var) {
    Diagnostic& diagnostic = report(Code::R0804, node.target->span, "only a variable has a value that can be given");
    if (found != values_.end() && found->second.kind == ValueName::Kind::zone) diagnostic.hint = "of a zone it is `given Z: <...>`";
    if (found != values_.end() && found->second.kind == ValueName::Kind::param) diagnostic.hint = fmt::format("a parameter is `set {} to ...`", name->text);
    return std::nullopt;
  }
  const rules::VarId id = found->second.id;
  note_value(base->span, found->second);
  rules::GivenValue out;
  out.var = id;
  out.index = index_values(args, rules_.vars[id].index, name->text, node.target->span);
  const Type wanted = rules_.vars[id].type;
  const std::string what = fmt::format("`{}`", name->text);
  if (out.index.size() == rules_.vars[id].index.size()) {
    out.value = value_of(*node.value, wanted, what);
    return out;
  }
  out.value = expr(*node.value, {Form::list, wanted});
  test_type(out.value, wanted, what);
  if (rules_.exprs[out.value].op == rules::Op::list_literal) {
    const std::vector<ExprId> kids = rules_.exprs[out.value].kids;
    for (const ExprId kid : kids) test_range(kid, wanted, what);
    std::int64_t least = 1, most = 1;
    for (std::size_t i = out.index.size(); i < rules_.vars[id].index.size(); ++i) {
      const Type& index = rules_.vars[id].index[i];
      const std::int64_t size = index.base == Base::seat ? std::ssize(seats_) : size_cap(index).high;
      most = saturating_times(most, size);
      least = index.base == Base::component ? 0 : saturating_times(least, size);
    }
    if (std::ssize(kids) < least || std::ssize(kids) > most)
      report(Code::R0302, node.value->span, fmt::format("{} values, but {} has {}", kids.size(), what, most));
  }
  return out;
}

// ---- moves ----------------------------------------------------------------------------------------------------

// An argument means one component, whichever: a phrase is a pattern there, `any` fits all.
rules::ArgPattern Checker::argument(const ast::Expr& node, const Type& wanted) {
  using Kind = rules::ArgPattern::Kind;
  rules::ArgPattern out;
  out.span = node.span;
  const auto* word = std::get_if<ast::Word>(&node.node);
  if (word != nullptr && word->text == "any") return out;
  if (const ast::Phrase* pattern = as_phrase(node)) {
    if (!is_unknown(wanted) && (wanted.base != Base::component || wanted.shape != Shape::scalar)) {
      report(Code::R0803, node.span, fmt::format("a component, but this argument is {}", describe(rules_, wanted)));
      return out;
    }
    std::optional<rules::Phrase> found = phrase(node, *pattern, wanted.base == Base::component ? wanted.id : kNoId, false);
    if (!found) return out;
    out.kind = Kind::phrase;
    out.phrase = add_phrase(std::move(*found));
    return out;
  }
  const auto* builder = std::get_if<ast::Builder>(&node.node);
  if (builder != nullptr && builder->clause == nullptr) {
    const Shape shape = builder->list ? Shape::list : Shape::set;
    if (!is_unknown(wanted) && wanted.shape != shape) {
      report(Code::R0803, node.span, fmt::format("a {}, but this argument is {}", builder->list ? "list" : "set", describe(rules_, wanted)));
      return out;
    }
    out.kind = builder->list ? Kind::list : Kind::set;
    for (const ast::ExprRef& item : builder->items) out.items.push_back(argument(*item, scalar_of(wanted)));
    return out;
  }
  out.kind = Kind::value;
  const Form form = wanted.shape == Shape::set ? Form::set : wanted.shape == Shape::list ? Form::list : is_unknown(wanted) ? Form::any : Form::scalar;
  out.value = expr(node, {form, wanted});
  if (!agree(type(out.value), wanted))
    report(Code::R0803, node.span, fmt::format("{}, but this argument is {}", describe(rules_, type(out.value)), describe(rules_, wanted)));
  return out;
}

rules::MovePattern Checker::move_pattern(const ast::MoveCall& call, Span span) {
  rules::MovePattern out;
  out.move = call.move.text;
  out.any_args = !call.has_args;
  out.span = span;
  const auto [begin, end] = options_.equal_range(call.move.text);
  if (begin == end) {
    unknown_move(call.move);
    return out;
  }
  note_move(call.move);
  if (!call.has_args) return out;
  const auto* only = call.args.size() == 1 ? std::get_if<ast::Word>(&call.args[0]->node) : nullptr;
  if (only != nullptr && only->text == "any") {
    // `m(any)` is any option of m, however many arguments it has.
    out.any_args = true;
    return out;
  }
  // what is `any` need not be written
  const auto named = [&](rules::ClauseId id) {
    const std::vector<rules::Binder>& binders = rules_.clauses[id].binders;
    return static_cast<std::size_t>(std::count_if(binders.begin(), binders.end(), [](const rules::Binder& b) { return !b.any; }));
  };
  std::vector<rules::ClauseId> fitting;
  for (auto at = begin; at != end; ++at)
    if (call.args.size() >= named(at->second) && call.args.size() <= rules_.clauses[at->second].binders.size()) fitting.push_back(at->second);
  if (fitting.empty()) {
    report(Code::R0803, call.move.span, fmt::format("{} arguments, but `{}` has {}", call.args.size(), call.move.text, rules_.clauses[begin->second].binders.size()));
    return out;
  }
  const auto read = [&](rules::ClauseId clause) {
    std::vector<Type> types;
    for (const rules::Binder& binder : rules_.clauses[clause].binders) types.push_back(rules_.locals[binder.local].type);
    out.args.clear();
    for (std::size_t i = 0; i < call.args.size(); ++i) out.args.push_back(argument(*call.args[i], types[i]));
  };
  for (const rules::ClauseId clause : fitting) {
    if (fitting.size() == 1) break;
    const Restore<bool> quiet(final_pass_, false);
    const std::size_t before = reports_;
    read(clause);
    if (reports_ == before) return out;
  }
  read(fitting[0]);
  return out;
}

// ---- moves of rules that are checked already ------------------------------------------------------------------

void Checker::collect_options(const rules::Block& block) {
  for (const rules::Stmt& stmt : block) {
    std::visit(
        [&](const auto& n) {
          using T = std::decay_t<decltype(n)>;
          if constexpr (std::is_same_v<T, rules::If>) {
            collect_options(n.then_block);
            collect_options(n.else_block);
          } else if constexpr (std::is_same_v<T, rules::Loop> || std::is_same_v<T, rules::Together>) {
            collect_options(n.body);
          } else if constexpr (std::is_same_v<T, rules::MatchStmt>) {
            for (const auto& arm : n.arms) collect_options(arm.body);
          } else if constexpr (std::is_same_v<T, rules::Choose>) {
            for (const rules::Option& option : n.options) {
              options_.emplace(option.name, option.clause);
              collect_options(option.body);
            }
          }
        },
        stmt.node);
  }
}

void Checker::collect_options() {
  for (const rules::Phase& phase : rules_.phases) collect_options(phase.body);
  for (const rules::Routine& routine : rules_.routines) collect_options(routine.body);
  for (const rules::When& when : rules_.whens) collect_options(when.body);
}

}  // namespace rip::check
