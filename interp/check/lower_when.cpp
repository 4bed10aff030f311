// Triggers: what each `when` reads, what each effect may write, and where bindings wait.
#include "interp/check/lower_impl.h"

#include <algorithm>

namespace rip {

using rules::Op;

void Lowering::Impl::reads_of(rules::ExprId id, Reads& reads, std::set<rules::LetId>& seen) const {
  const rules::Expr& x = at(id);
  switch (x.op) {
    case Op::zone:
    case Op::place_card: reads.types.insert(r.zones[x.ref].type); break;
    case Op::face:
      if (at(x.kids[0]).type.id != rules::kNoId) reads.types.insert(at(x.kids[0]).type.id);
      break;
    case Op::var:
    case Op::var_family: reads.vars.insert(x.ref); break;
    case Op::call:
      if (seen.insert(x.ref).second) reads_of(r.lets[x.ref].value, reads, seen);
      break;
    case Op::score:
    case Op::score_family:
      if (r.score != rules::kNoId) reads_of(r.score, reads, seen);
      break;
    default: break;
  }
  for (const rules::ExprId kid : x.kids) reads_of(kid, reads, seen);
  for (const auto& arm : x.arms) {
    for (const auto& [low, high] : arm.patterns) {
      reads_of(low, reads, seen);
      reads_of(high, reads, seen);
    }
  }
  if (x.phrase != rules::kNoId && r.phrases[x.phrase].face) reads.types.insert(r.phrases[x.phrase].type);
  if (x.clause != rules::kNoId) reads_of_clause(x.clause, reads, seen);
}

void Lowering::Impl::reads_of_clause(rules::ClauseId id, Reads& reads, std::set<rules::LetId>& seen) const {
  const rules::Clause& clause_of = r.clauses[id];
  for (const auto& binder : clause_of.binders) reads_of(binder.source, reads, seen);
  if (clause_of.where != rules::kNoId) reads_of(clause_of.where, reads, seen);
  for (const auto& key : clause_of.keys) reads_of(key.value, reads, seen);
  if (clause_of.backwards_if != rules::kNoId) reads_of(clause_of.backwards_if, reads, seen);
}

void Lowering::Impl::declare_whens() {
  for (std::size_t i = 0; i < r.whens.size(); ++i) {
    const rules::When& declared = r.whens[i];
    Reads reads;
    std::set<rules::LetId> seen;
    if (declared.clause != rules::kNoId) reads_of_clause(declared.clause, reads, seen);
    if (declared.condition != rules::kNoId) reads_of(declared.condition, reads, seen);
    when_reads.push_back(std::move(reads));

    ir::When made;
    made.span = declared.span;
    made.phase = declared.phase == rules::kNoId ? -1 : static_cast<std::int32_t>(declared.phase);
    made.routine = static_cast<std::int32_t>(1 + r.routines.size() + i);
    if (declared.clause != rules::kNoId) {
      std::int64_t bits = 1;
      for (const auto& binder : r.clauses[declared.clause].binders) {
        const rules::Type& type = r.locals[binder.local].type;
        std::pair<std::int32_t, std::int32_t> radix;
        if (type.base == rules::Base::component) {
          radix = type.id == rules::kNoId ? std::pair<std::int32_t, std::int32_t>{0, static_cast<std::int32_t>(box.components.size())} : index_range(type);
        } else {
          radix = index_range(type);
        }
        made.radix.push_back(radix);
        bits *= std::max(1, radix.second);
      }
      if (bits > 4096) throw NotSupported{declared.span, "a trigger with more than 4096 possible bindings is not supported yet"};
      made.bits = static_cast<std::int32_t>(bits);
    }
    made.words = (made.bits + 63) / 64;
    p.whens.push_back(std::move(made));
  }
}

std::vector<std::int32_t> Lowering::Impl::woken_by(const Effect& effect) const {
  std::vector<std::int32_t> out;
  auto meets = [](const auto& a, const auto& b) { return std::any_of(a.begin(), a.end(), [&](const auto& x) { return b.count(x) != 0; }); };
  // outside all phases first, then outer to inner phase, then as declared
  auto depth = [&](std::int32_t when) {
    int n = 0;
    for (rules::PhaseId at_phase = r.whens[static_cast<std::size_t>(when)].phase; at_phase != rules::kNoId; at_phase = r.phases[at_phase].parent) ++n;
    return n;
  };
  for (std::size_t i = 0; i < when_reads.size(); ++i) {
    if (meets(effect.types, when_reads[i].types) || meets(effect.vars, when_reads[i].vars)) out.push_back(static_cast<std::int32_t>(i));
  }
  std::stable_sort(out.begin(), out.end(), [&](std::int32_t a, std::int32_t b) { return depth(a) < depth(b); });
  return out;
}

std::int32_t Lowering::Impl::wake(const std::vector<std::int32_t>& whens, bool keeps) {
  ir::Wake made;
  made.routine = now.routine;
  made.whens = whens;
  for (const std::int32_t index : whens) {
    ir::When& when = p.whens[static_cast<std::size_t>(index)];
    const std::int32_t area = allocate(8 * when.words, 8);
    made.areas.push_back(area);
    when.waiting.push_back(area);
    made.before.push_back(keeps ? allocate(8 * when.words, 8) : -1);
  }
  p.wakes.push_back(std::move(made));
  return static_cast<std::int32_t>(p.wakes.size() - 1);
}

void Lowering::Impl::collect_effects(const rules::Block& block_of, Effect& effect, std::set<rules::RoutineId>& seen) const {
  auto type_of = [&](rules::ExprId id) { return is_zone_like(id) ? r.zones[at(id).ref].type : at(id).type.id; };
  for (const rules::Stmt& stmt : block_of) {
    std::visit(
        [&](const auto& x) {
          using T = std::decay_t<decltype(x)>;
          if constexpr (std::is_same_v<T, rules::Move>) effect.types.insert(r.zones[at(x.to).ref].type);
          if constexpr (std::is_same_v<T, rules::Fill>) effect.types.insert(r.zones[at(x.from).ref].type);
          if constexpr (std::is_same_v<T, rules::Swap>) effect.types.insert(type_of(x.first));
          if constexpr (std::is_same_v<T, rules::Turn> || std::is_same_v<T, rules::Roll> || std::is_same_v<T, rules::Shuffle>) {
            effect.types.insert(type_of(x.what));
          }
          if constexpr (std::is_same_v<T, rules::Assign>) effect.vars.insert(x.target.var);
          if constexpr (std::is_same_v<T, rules::Pay>) {
            effect.vars.insert(x.from.var);
            effect.vars.insert(x.to.var);
          }
          if constexpr (std::is_same_v<T, rules::If>) {
            collect_effects(x.then_block, effect, seen);
            collect_effects(x.else_block, effect, seen);
          }
          if constexpr (std::is_same_v<T, rules::Loop> || std::is_same_v<T, rules::Together>) collect_effects(x.body, effect, seen);
          if constexpr (std::is_same_v<T, rules::MatchStmt>) {
            for (const auto& arm : x.arms) collect_effects(arm.body, effect, seen);
          }
          if constexpr (std::is_same_v<T, rules::DoRoutine>) {
            if (seen.insert(x.routine).second) collect_effects(r.routines[x.routine].body, effect, seen);
          }
        },
        stmt.node);
  }
}

}  // namespace rip
