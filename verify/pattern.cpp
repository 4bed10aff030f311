#include "verify/pattern.h"

#include <algorithm>

namespace rip::verify {

namespace {

using Kind = rules::ArgPattern::Kind;

/// How a named component may stand for another one: itself only, or any that looks the same to the seat where it lies.
enum class Likeness { same, look };

class Matcher {
 public:
  Matcher(const Playable& playable, Machine& machine, State& state, int seat, Likeness likeness)
      : playable_(playable), machine_(machine), state_(state), seat_(seat), likeness_(likeness) {}

  bool fits_arg(const ArgTest& test, const Argument& arg) {
    switch (test.kind) {
      case Kind::any: return true;
      case Kind::value:
        if (test.many) {
          std::vector<std::int64_t> wanted = machine_.members(state_, test.node);
          std::vector<std::int64_t> found = arg.values;
          if (!arg.in_order) {
            std::sort(wanted.begin(), wanted.end());
            std::sort(found.begin(), found.end());
          }
          return wanted == found;
        }
        return arg.values.size() == 1 && fits_item(test, arg, arg.values[0]);
      case Kind::phrase: return arg.values.size() == 1 && fits_item(test, arg, arg.values[0]);
      case Kind::list: return fits_list(test, arg);
      case Kind::set: {
        if (test.items.size() != arg.values.size()) return false;
        std::vector<bool> used(arg.values.size(), false);
        return fits_set(test, arg, 0, used);
      }
    }
    return false;
  }

 private:
  bool fits_item(const ArgTest& test, const Argument& arg, std::int64_t value) {
    if (test.kind == Kind::any) return true;
    if (test.kind == Kind::phrase) {
      return arg.component && fits(test.phrase, playable_, machine_, state_, static_cast<std::int32_t>(value));
    }
    const std::int64_t wanted = machine_.scalar(state_, test.node);
    if (wanted == value) return true;
    return arg.component && likeness_ == Likeness::look && looks_like(wanted, value);
  }

  bool fits_list(const ArgTest& test, const Argument& arg) {
    if (test.items.size() != arg.values.size()) return false;
    if (!arg.in_order) {
      std::vector<bool> used(arg.values.size(), false);
      return fits_set(test, arg, 0, used);
    }
    for (std::size_t i = 0; i < test.items.size(); ++i) {
      if (!fits_item(test.items[i], arg, arg.values[i])) return false;
    }
    return true;
  }

  bool fits_set(const ArgTest& test, const Argument& arg, std::size_t item, std::vector<bool>& used) {
    if (item == test.items.size()) return true;
    for (std::size_t i = 0; i < arg.values.size(); ++i) {
      if (used[i] || !fits_item(test.items[item], arg, arg.values[i])) continue;
      used[i] = true;
      if (fits_set(test, arg, item + 1, used)) return true;
      used[i] = false;
    }
    return false;
  }

  bool looks_like(std::int64_t a, std::int64_t b) {
    if (a < 0 || b < 0) return false;
    const auto x = static_cast<std::int32_t>(a);
    const auto y = static_cast<std::int32_t>(b);
    const ir::Program& program = *playable_.program;
    const std::int32_t zone = machine_.zone_of(state_, x);
    if (zone != machine_.zone_of(state_, y)) return false;
    const bool knows = (machine_.known(state_, x) >> seat_ & 1u) != 0;
    const ir::Component& cx = program.components[static_cast<std::size_t>(x)];
    const ir::Component& cy = program.components[static_cast<std::size_t>(y)];
    if (knows) return cx.front_class == cy.front_class && machine_.face(state_, x) == machine_.face(state_, y);
    return program.zones[static_cast<std::size_t>(zone)].kind == ir::ZoneKind::hand && cx.back_class == cy.back_class;
  }

  const Playable& playable_;
  Machine& machine_;
  State& state_;
  int seat_;
  Likeness likeness_;
};

ArgTest compile_arg(Playable& playable, const rules::ArgPattern& pattern) {
  ArgTest test;
  test.kind = pattern.kind;
  if (pattern.kind == Kind::value) {
    test.node = playable.lowering->expression(pattern.value);
    test.many = (*playable.rules)[pattern.value].type.shape != rules::Shape::scalar;
  }
  if (pattern.kind == Kind::phrase) test.phrase = compile_phrase(playable, pattern.phrase);
  for (const rules::ArgPattern& item : pattern.items) test.items.push_back(compile_arg(playable, item));
  return test;
}

/// What a pattern of plain values means, found without a list; nothing if it says more than that.
std::optional<std::vector<Move>> named_by_value(const MoveTest& test, const Playable& playable, Machine& machine, State& state, int seat) {
  const ir::Program& program = *playable.program;
  std::vector<Move> found;
  for (std::size_t o = 0; o < program.options.size(); ++o) {
    const ir::Option& option = program.options[o];
    if (option.name != test.name) continue;
    const auto& binders = program.clauses[static_cast<std::size_t>(option.clause)].binders;
    if (binders.size() != test.args.size() || test.any_args) return std::nullopt;
    Move move;
    move.option = static_cast<std::int32_t>(o);
    for (std::size_t i = 0; i < binders.size(); ++i) {
      const ArgTest& arg = test.args[i];
      std::vector<std::int64_t> values;
      if (binders[i].component) return std::nullopt;
      if (arg.kind == Kind::value) {
        values = arg.many ? machine.members(state, arg.node) : std::vector{machine.scalar(state, arg.node)};
      } else if (arg.kind == Kind::list || arg.kind == Kind::set) {
        for (const ArgTest& item : arg.items) {
          if (item.kind != Kind::value || item.many) return std::nullopt;
          values.push_back(machine.scalar(state, item.node));
        }
      } else {
        return std::nullopt;
      }
      if (!binders[i].pick && values.size() != 1) return std::nullopt;
      if (static_cast<std::size_t>(move.size) + values.size() + 1 > move.args.size()) return std::nullopt;
      if (binders[i].pick) move.args[static_cast<std::size_t>(move.size++)] = static_cast<std::int32_t>(values.size());
      for (const std::int64_t value : values) move.args[static_cast<std::size_t>(move.size++)] = static_cast<std::int32_t>(value);
    }
    Move listed;
    const auto number = machine.number_of(state, seat, move);
    if (number && machine.nth_move(state, seat, *number, listed)) found.push_back(listed);
  }
  return found;
}

}  // namespace

bool PhraseTest::fits_printed(const Component& component) const {
  if (component.type != type || (owner >= 0 && component.owner != owner)) return false;
  return std::all_of(attributes.begin(), attributes.end(),
                     [&](const auto& attribute) { return component.attributes[attribute.first] == attribute.second; });
}

PhraseTest compile_phrase(const Playable& playable, rules::PhraseId id) {
  const rules::Rules& rules = *playable.rules;
  const rules::Phrase& phrase = rules.phrases[id];
  PhraseTest test;
  test.type = phrase.type;
  test.face = phrase.face;
  test.span = phrase.span;
  if (phrase.owner != rules::kNoId) test.owner = static_cast<int>(constant(rules, playable.config, phrase.owner));
  for (const auto& [attr, value] : phrase.attributes) {
    const rules::Type& type = rules.component_types[phrase.type].attributes[attr].type;
    std::int64_t wanted = 0;
    if (type.shape == rules::Shape::set) {
      for (const std::int64_t member : constant_list(rules, playable.config, value)) wanted |= std::int64_t{1} << (member - type.low);
    } else {
      wanted = constant(rules, playable.config, value);
    }
    test.attributes.emplace_back(attr, wanted);
  }
  return test;
}

bool fits(const PhraseTest& test, const Playable& playable, const Machine& machine, const State& state, std::int32_t component) {
  if (!test.fits_printed(playable.box.components[static_cast<std::size_t>(component)])) return false;
  return !test.face || machine.face(state, component) == *test.face;
}

std::vector<Argument> arguments(const ir::Program& program, const Move& move) {
  std::vector<Argument> out;
  const ir::Option& option = program.options[static_cast<std::size_t>(move.option)];
  std::size_t at = 0;
  for (const ir::Binder& binder : program.clauses[static_cast<std::size_t>(option.clause)].binders) {
    Argument arg;
    arg.pick = binder.pick;
    arg.in_order = binder.pick && binder.in_order;
    arg.component = binder.component;
    const std::int32_t n = binder.pick ? move.args[at++] : 1;
    for (std::int32_t i = 0; i < n; ++i) arg.values.push_back(move.args[at++]);
    out.push_back(std::move(arg));
  }
  return out;
}

const std::string& move_name(const ir::Program& program, const Move& move) {
  return program.options[static_cast<std::size_t>(move.option)].name;
}

MoveTest compile_move(Playable& playable, const rules::MovePattern& pattern) {
  MoveTest test;
  test.name = pattern.move;
  test.any_args = pattern.any_args;
  test.span = pattern.span;
  for (const rules::ArgPattern& arg : pattern.args) test.args.push_back(compile_arg(playable, arg));
  return test;
}

std::vector<Move> first_moves(Machine& machine, State& state, int seat, std::uint64_t most) {
  std::vector<Move> out;
  const std::uint64_t count = machine.count_moves(state, seat);
  if (count <= most) {
    if (count > 0) machine.legal_moves(state, seat, out);
    return out;
  }
  for (Move move; out.size() < most && machine.nth_move(state, seat, out.size(), move);) out.push_back(move);
  return out;
}

std::vector<Move> candidates(const MoveTest& test, const Playable& playable, Machine& machine, State& state, int seat) {
  constexpr std::uint64_t kMostListed = 4000, kMostRead = 1'000'000;  // of more, only those named by values can be told
  const std::uint64_t count = machine.count_moves(state, seat);
  if (count > kMostListed) {
    if (std::optional<std::vector<Move>> named = named_by_value(test, playable, machine, state, seat)) return std::move(*named);
  }
  std::vector<Move> all;
  if (count <= kMostRead) machine.all_moves(state, seat, all);
  return all;
}

std::vector<std::uint32_t> fitting(const MoveTest& test, const Playable& playable, Machine& machine, State& state, int seat,
                                   const std::vector<Move>& moves) {
  std::vector<std::uint32_t> found;
  for (const Likeness likeness : {Likeness::same, Likeness::look}) {
    Matcher matcher(playable, machine, state, seat, likeness);
    for (std::size_t i = 0; i < moves.size(); ++i) {
      if (move_name(*playable.program, moves[i]) != test.name) continue;
      bool all = true;
      if (!test.args.empty()) {
        const std::vector<Argument> args = arguments(*playable.program, moves[i]);
        // names that are `any` need not be written
        const auto& option = playable.program->options[static_cast<std::size_t>(moves[i].option)];
        const auto named = static_cast<std::size_t>(playable.program->clauses[static_cast<std::size_t>(option.clause)].named);
        all = test.args.size() >= named && test.args.size() <= args.size();
        for (std::size_t k = 0; k < test.args.size() && all; ++k) all = matcher.fits_arg(test.args[k], args[k]);
      }
      if (all) found.push_back(static_cast<std::uint32_t>(i));
    }
    if (!found.empty()) break;
  }
  return found;
}

}  // namespace rip::verify
