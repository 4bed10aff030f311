// Triggers: what each `when` reads, which of them an effect may wake, and where their bindings wait.
#include "interp/lower/lower_impl.h"

#include <fmt/format.h>

#include <algorithm>

namespace rip {

using rules::Op;

namespace {
constexpr std::int64_t kMostBindings = 4096;
}

void Lowering::Impl::reads_phrase(rules::PhraseId id, Touch& out, std::set<rules::LetId>&) const {
  if (!r.phrases[id].face) return;
  if (r.phrases[id].type != kNoId) out.sides.insert(r.phrases[id].type);
  else for (rules::TypeId type = 0; type < r.component_types.size(); ++type) out.sides.insert(type);
}

void Lowering::Impl::reads_clause(rules::ClauseId id, Touch& out, std::set<rules::LetId>& seen) const {
  for_each_kid(id, 0, [&](rules::ExprId kid) { reads(kid, out, seen); });
}

void Lowering::Impl::reads(rules::ExprId id, Touch& out, std::set<rules::LetId>& seen) const {
  const rules::Expr& e = expr(id);
  switch (e.op) {
    case Op::zone: case Op::place_card: out.zones.insert(e.ref); break;
    case Op::face:
      for (const rules::TypeId type : types_of(e.kids[0])) out.sides.insert(type);
      break;
    case Op::var: case Op::var_family: out.vars.insert(e.ref); break;
    case Op::call:
      if (seen.insert(e.ref).second) reads(r.lets[e.ref].value, out, seen);
      break;
    default: break;
  }
  if (e.phrase != kNoId) reads_phrase(e.phrase, out, seen);
  for (const rules::PhraseId pattern : e.patterns) reads_phrase(pattern, out, seen);
  for_each_kid(id, [&](rules::ExprId kid) { reads(kid, out, seen); });
}

void Lowering::Impl::declare_whens() {
  for (rules::WhenId id = 0; id < r.whens.size(); ++id) {
    const rules::When& from = r.whens[id];
    ir::When made;
    made.name = fmt::format("when {}", id + 1);
    made.span = from.span;
    made.phase = from.phase == kNoId ? -1 : static_cast<std::int32_t>(from.phase);
    made.routine = static_cast<std::int32_t>(1 + r.routines.size() + id);
    Touch read;
    std::set<rules::LetId> seen;
    std::int64_t bits = 1;
    if (from.phase != kNoId) phases_around = {from.phase};
    if (from.clause != kNoId) {
      reads_clause(from.clause, read, seen);
      made.clause = clause(from.clause, false);
      for (const rules::Binder& binder : r.clauses[from.clause].binders) {
        const auto [first, count] = axis(r.locals[binder.local].type);
        made.radix.emplace_back(static_cast<std::int32_t>(first), static_cast<std::int32_t>(count));
        bits *= std::max<std::int64_t>(count, 1);
        if (bits > kMostBindings) throw NotSupported{from.span, "a trigger with more than 4096 possible bindings is not supported yet"};
      }
    } else {
      reads(from.condition, read, seen);
      made.condition = truth(from.condition);
    }
    phases_around.clear();
    made.bits = static_cast<std::int32_t>(bits);
    made.words = (made.bits + 63) / 64;
    p.whens.push_back(std::move(made));
    when_reads.push_back(std::move(read));
    when_order.push_back(static_cast<std::int32_t>(id));
  }
  // outside all phases first, then outer to inner phase, then as declared
  const auto depth = [&](std::int32_t id) {
    int n = 0;
    rules::PhaseId phase = r.whens[static_cast<std::size_t>(id)].phase;
    for (; phase != kNoId; phase = r.phases[phase].parent) n += r.phases[phase].parent == kNoId && r.phases[phase].routine != kNoId ? 1000 : 1;
    return n;
  };
  std::stable_sort(when_order.begin(), when_order.end(), [&](std::int32_t a, std::int32_t b) { return depth(a) < depth(b); });
}

/// Can it be listening while this code runs?
bool Lowering::Impl::listens_here(rules::WhenId id) const {
  const rules::PhaseId phase = r.whens[id].phase;
  if (phase == kNoId || std::find(phases_around.begin(), phases_around.end(), phase) != phases_around.end()) return true;
  const RoutineJob& job = jobs[static_cast<std::size_t>(current)];
  if (job.when != kNoId) return true;
  return job.rule != kNoId && phase_routines[phase].count(job.rule) != 0;
}

/// The whens that such an effect may wake, -1 if there are none. In one routine one effect runs its triggers to the end
/// before the next begins, so all of them wait in one area for each `when`.
std::int32_t Lowering::Impl::wake(const Touch& writes, bool in_state) {
  std::vector<std::int32_t> woken;
  for (const std::int32_t id : when_order) {
    const auto when = static_cast<rules::WhenId>(id);
    if (when_reads[when].meets(writes) && listens_here(when)) woken.push_back(id);
  }
  if (woken.empty()) return -1;
  for (std::size_t i = first_wake; i < p.wakes.size(); ++i)
    if (p.wakes[i].whens == woken && p.wakes[i].before.empty() == !in_state) return static_cast<std::int32_t>(i);
  ir::Wake made;
  made.routine = current;
  if (in_state) made.before.assign(woken.size(), -1);
  made.whens = std::move(woken);
  p.wakes.push_back(std::move(made));
  return static_cast<std::int32_t>(p.wakes.size() - 1);
}

void Lowering::Impl::place_waiting() {
  std::map<std::int32_t, std::int32_t> areas;
  std::map<std::int32_t, std::int32_t> befores;
  const auto area_of = [&](std::map<std::int32_t, std::int32_t>& known, std::int32_t when) {
    const auto [found, fresh] = known.try_emplace(when, 0);
    if (fresh) found->second = allocate(8 * p.whens[static_cast<std::size_t>(when)].words, 8);
    return found->second;
  };
  for (std::size_t i = first_wake; i < p.wakes.size(); ++i) {
    ir::Wake& made = p.wakes[i];
    for (std::size_t k = 0; k < made.whens.size(); ++k) {
      made.areas.push_back(area_of(areas, made.whens[k]));
      if (!made.before.empty()) made.before[k] = area_of(befores, made.whens[k]);
    }
  }
  for (const auto& [when, area] : areas) p.whens[static_cast<std::size_t>(when)].waiting.push_back(area);
}

}  // namespace rip
