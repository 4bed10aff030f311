// Coverage: which declarations, definitions and statements a game has used.
#include "interp/lower/lower_impl.h"

#include <type_traits>

namespace rip {

using rules::Op;

void Lowering::Impl::cover(rules::CoverId id) {
  if (options.coverage && id != kNoId) emit(InstrOp::cover, static_cast<std::int32_t>(id));
}

void Lowering::Impl::cover_lets(const std::set<rules::LetId>& found) {
  for (const rules::LetId let : found) cover(r.lets[let].cover);
}

void Lowering::Impl::lets_in(rules::ExprId id, std::set<rules::LetId>& out) const {
  const rules::Expr& e = expr(id);
  if (e.op == Op::call && out.insert(e.ref).second) lets_in(r.lets[e.ref].value, out);
  for_each_kid(id, [&](rules::ExprId kid) { lets_in(kid, out); });
}

void Lowering::Impl::lets_in_clause(rules::ClauseId id, std::set<rules::LetId>& out) const {
  for_each_kid(id, 0, [&](rules::ExprId kid) { lets_in(kid, out); });
}

void Lowering::Impl::cover_header(const rules::LoopHeader& header) {
  if (!options.coverage) return;
  std::set<rules::LetId> found;
  const auto read = [&](rules::ExprId id) {
    if (id != kNoId) lets_in(id, found);
  };
  if (const auto* each = std::get_if<rules::ForLoop>(&header)) {
    lets_in_clause(each->clause, found);
  } else if (const auto* repeat = std::get_if<rules::RepeatLoop>(&header)) {
    read(repeat->until);
    read(repeat->limit.value);
  } else {
    const auto& turns = std::get<rules::TurnsLoop>(header);
    for (const rules::ExprId id : {turns.from, turns.then, turns.where, turns.until, turns.limit.value}) read(id);
  }
  cover_lets(found);
}

/// A definition is covered when a statement that is carried out reads it.
void Lowering::Impl::cover_expressions(const rules::Stmt& stmt) {
  std::set<rules::LetId> found;
  const auto read = [&](auto... ids) { ((ids == kNoId ? void() : lets_in(ids, found)), ...); };
  const auto read_all = [&](const std::vector<rules::ExprId>& ids) {
    for (const rules::ExprId id : ids) lets_in(id, found);
  };
  std::visit(
      [&](const auto& x) {
        using T = std::decay_t<decltype(x)>;
        if constexpr (std::is_same_v<T, rules::Move>) {
          read(x.what, x.to, x.face);
          if (x.each != kNoId) lets_in_clause(x.each, found);
        } else if constexpr (std::is_same_v<T, rules::Fill>) {
          read(x.what, x.to_count, x.from, x.face);
        } else if constexpr (std::is_same_v<T, rules::Swap>) {
          read(x.first, x.second);
        } else if constexpr (std::is_same_v<T, rules::Turn>) {
          read(x.what, x.face);
        } else if constexpr (std::is_same_v<T, rules::Shuffle> || std::is_same_v<T, rules::Roll>) {
          read(x.what);
        } else if constexpr (std::is_same_v<T, rules::Show>) {
          read(x.what, x.to);
        } else if constexpr (std::is_same_v<T, rules::Assign>) {
          read(x.value);
          read_all(x.target.index);
        } else if constexpr (std::is_same_v<T, rules::Pay>) {
          read(x.amount);
          read_all(x.from.index);
          read_all(x.to.index);
        } else if constexpr (std::is_same_v<T, rules::LetLocal>) {
          read(x.value);
        } else if constexpr (std::is_same_v<T, rules::StartVar>) {
          read(r.vars[x.var].start);
        } else if constexpr (std::is_same_v<T, rules::If>) {
          read(x.condition);
        } else if constexpr (std::is_same_v<T, rules::MatchStmt>) {
          read(x.subject);
        } else if constexpr (std::is_same_v<T, rules::Choose>) {
          read(x.seat);
          if (x.clause != kNoId) lets_in_clause(x.clause, found);
        } else if constexpr (std::is_same_v<T, rules::DoRoutine>) {
          read_all(x.args);
        } else if constexpr (std::is_same_v<T, rules::Win>) {
          read(x.who);
        } else if constexpr (std::is_same_v<T, rules::ClaimHere>) {
          read(r.claims[x.claim].condition);
        }
      },
      stmt.node);
  cover_lets(found);
}

/// Declarations are covered when a game starts, and the definitions that they read with them.
void Lowering::Impl::cover_declarations() {
  std::set<rules::LetId> found;
  const auto read = [&](auto... ids) { ((ids == kNoId ? void() : lets_in(ids, found)), ...); };
  const auto read_clause = [&](rules::ClauseId id) {
    if (id != kNoId) lets_in_clause(id, found);
  };
  for (const rules::Require& require : r.requires_) read(require.condition);
  for (const rules::Param& param : r.params) read(param.value);
  for (const rules::Deck& deck : r.decks) {
    for (const rules::DeckLine& line : deck.lines) {
      read(line.count);
      read_clause(line.clause);
      for (const auto& [attribute, wanted] : line.phrase.attributes) read(wanted);
    }
  }
  for (const rules::Zone& zone : r.zones) read(zone.max, zone.refill_from, zone.refill_keeping, zone.seen_by);
  for (const rules::Var& var : r.vars) {
    read(var.seen_by);
    if (!var.local && var.phase == kNoId) read(var.start);
  }
  read(r.score);
  read_clause(r.winner);
  for (const rules::Claim& claim : r.claims)
    if (!claim.statement) read(claim.condition);
  for (const rules::Bound& bound : r.bounds) {
    read(bound.value, bound.low, bound.high);
    read_clause(bound.clause);
  }
  for (const rules::Report& report : r.reports) read(report.value);
  cover_lets(found);
}

}  // namespace rip
