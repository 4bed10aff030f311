// Definitions: shared if they have no parameters, copied into place if small, else called.
#include "interp/lower/lower_impl.h"

namespace rip {

using rules::Op;
using rules::Shape;

namespace {
constexpr int kSmall = 40;       ///< expressions in a definition that is copied to where it is read
constexpr int kHeavy = 1000000;
constexpr std::size_t kMostParams = 16;
}  // namespace

void Lowering::Impl::for_each_kid(rules::ClauseId id, int, const std::function<void(rules::ExprId)>& f) const {
  const rules::Clause& clause = r.clauses[id];
  for (const rules::Binder& binder : clause.binders) {
    f(binder.source);
    if (binder.pick_low != kNoId) f(binder.pick_low);
    if (binder.pick_high != kNoId && binder.pick_high != binder.pick_low) f(binder.pick_high);
  }
  if (clause.where != kNoId) f(clause.where);
  for (const rules::Key& key : clause.keys) f(key.value);
  if (clause.backwards_if != kNoId) f(clause.backwards_if);
}

/// Every expression directly inside; not the values of definitions.
void Lowering::Impl::for_each_kid(rules::ExprId id, const std::function<void(rules::ExprId)>& f) const {
  const rules::Expr& e = expr(id);
  for (const rules::ExprId kid : e.kids) f(kid);
  for (const rules::MatchArm& arm : e.arms) {
    for (const auto& [first, last] : arm.patterns) {
      f(first);
      if (last != first) f(last);
    }
  }
  const auto phrase_kids = [&](rules::PhraseId phrase) {
    for (const auto& [attribute, wanted] : r.phrases[phrase].attributes) f(wanted);
    if (r.phrases[phrase].owner != kNoId) f(r.phrases[phrase].owner);
  };
  if (e.phrase != kNoId) phrase_kids(e.phrase);
  for (const rules::PhraseId pattern : e.patterns) phrase_kids(pattern);
  if (e.clause != kNoId) for_each_kid(e.clause, 0, f);
}

int Lowering::Impl::weight_of(rules::ExprId id) {
  int total = 1;
  for_each_kid(id, [&](rules::ExprId kid) { total += weight_of(kid); });
  if (expr(id).op == Op::call) total += weight(expr(id).ref);
  return total < kHeavy ? total : kHeavy;
}

int Lowering::Impl::weight(rules::LetId id) {
  if (lets[id].weight < 0) lets[id].weight = weight_of(r.lets[id].value);
  return lets[id].weight;
}

Node Lowering::Impl::argument(rules::LocalId param, rules::ExprId arg) {
  const rules::Type& type = r.locals[param].type;
  switch (type.shape) {
    case Shape::scalar: return type.optional ? scalar(arg) : needed(arg);
    case Shape::set: return set(arg);
    case Shape::list: return list(arg);
  }
  return ir::kNoNode;
}

/// Lets the parameters stand for their arguments if these are so simple that they may be read many times.
bool Lowering::Impl::bind_arguments(const rules::Expr& e, std::vector<std::pair<rules::LocalId, Node>>& kept) {
  const rules::Let& let = r.lets[e.ref];
  std::vector<Node> args;
  for (std::size_t i = 0; i < let.params.size(); ++i) {
    args.push_back(argument(let.params[i], e.kids[i]));
    if (!cheap(args.back())) return false;
  }
  for (std::size_t i = 0; i < args.size(); ++i) {
    kept.emplace_back(let.params[i], names[let.params[i]]);
    names[let.params[i]] = args[i];
  }
  return true;
}

void Lowering::Impl::restore(const std::vector<std::pair<rules::LocalId, Node>>& kept) {
  for (const auto& [local, node] : kept) names[local] = node;
}

/// The definition as a function of its own, read where no phase is known to run.
std::int32_t Lowering::Impl::define(rules::LetId id) {
  const rules::Let& let = r.lets[id];
  if (lets[id].index >= 0) return lets[id].index;
  if (let.params.size() > kMostParams) throw NotSupported{let.span, "more than 16 parameters are not supported yet"};
  ir::Let made;
  made.name = let.name;
  std::vector<std::pair<rules::LocalId, Node>> kept;
  for (const rules::LocalId param : let.params) {
    kept.emplace_back(param, names[param]);
    bind_scratch(param);
    const rules::Type& type = r.locals[param].type;
    using Kind = ir::Let::Param::Kind;
    const Kind kind = type.shape == Shape::scalar ? Kind::scalar : type.shape == Shape::set ? Kind::set : Kind::list;
    made.params.push_back({slots[param], kind, kind == Kind::set ? domain(type, let.span) : ir::Domain{}});
  }
  std::vector<rules::PhaseId> around_here;
  std::swap(around_here, phases_around);
  const int before = risks;
  made.value = value_of(let.value);
  lets[id].risky = risks != before;
  std::swap(around_here, phases_around);
  restore(kept);
  p.lets.push_back(std::move(made));
  return lets[id].index = static_cast<std::int32_t>(p.lets.size() - 1);
}

/// A node of the shape of the definition's value: a scalar, set or list, or a zone if it is one.
Node Lowering::Impl::call(rules::ExprId id) {
  const rules::Expr& e = expr(id);
  const rules::Let& let = r.lets[e.ref];
  LetState& state = lets[e.ref];
  if (let.params.empty()) {
    if (state.shared == ir::kNoNode) {
      std::vector<rules::PhaseId> around_here;
      std::swap(around_here, phases_around);
      const int before = risks;
      const Node node = value_of(let.value);
      std::swap(around_here, phases_around);
      state.shared = node;
      state.risky = risks != before;
    } else if (state.risky) {
      risk();
    }
    return state.shared;
  }
  std::vector<std::pair<rules::LocalId, Node>> kept;
  if (weight(e.ref) <= kSmall && bind_arguments(e, kept)) {
    const Node node = value_of(let.value);
    restore(kept);
    return node;
  }
  const std::int32_t index = define(e.ref);
  if (state.risky) risk();
  std::vector<std::int32_t> args;
  for (std::size_t i = 0; i < let.params.size(); ++i) args.push_back(argument(let.params[i], e.kids[i]));
  return add(NodeOp::call, e.span, index, pool(args));
}

}  // namespace rip
