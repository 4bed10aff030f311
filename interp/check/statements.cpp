// Statements other than effects and decisions: blocks, branches, loops, calls, endings.
#include "interp/check/checker.h"

#include <fmt/format.h>

#include <type_traits>

namespace rip::check {

using rules::Base;
using rules::ExprId;
using rules::Shape;
using rules::Type;
using CoverKind = rules::CoverPoint::Kind;

rules::Block Checker::block(const ast::Block& node) {
  rules::Block out;
  const std::size_t mark = open_scope();
  for (const ast::StmtRef& stmt : node.statements) statement(*stmt, out);
  close_scope(mark);
  return out;
}

void Checker::forbid_in_each(Span span, const char* what) {
  if (context_.in_each) report(Code::R0607, span, fmt::format("{} in the body of a `choose each`", what)).hint =
      "bodies only record what was decided; what follows from it stands after the `choose each`";
}

void Checker::forbid_in_together(Span span, const char* what) {
  if (context_.in_together) report(Code::R0608, span, fmt::format("{} inside of `together`", what)).hint = "`together` is one effect";
}

void Checker::statement(const ast::Stmt& node, rules::Block& into) {
  rules::Stmt out;
  out.span = node.span;
  out.cover = kNoId;
  bool emitted = true;
  std::visit(
      [&](const auto& n) {
        using T = std::decay_t<decltype(n)>;
        const auto covered = [&](std::initializer_list<const ast::Tags*> tags) { out.cover = cover(CoverKind::statement, "", node.span, tags); };
        if constexpr (std::is_same_v<T, ast::If>) {
          covered({});
          if_statement(n, node, out);
        } else if constexpr (std::is_same_v<T, ast::Loop>) {
          covered({});
          loop_statement(n, node, out);
        } else if constexpr (std::is_same_v<T, ast::Match>) {
          covered({&node.tags});
          match_statement(n, out);
        } else if constexpr (std::is_same_v<T, ast::Choose>) {
          covered({&node.tags, &n.tags});
          forbid_in_each(node.span, "a decision");
          forbid_in_together(node.span, "a decision");
          choose(n, out);
        } else if constexpr (std::is_same_v<T, ast::LetStmt>) {
          covered({&node.tags});
          let_statement(n, out);
        } else if constexpr (std::is_same_v<T, ast::VarDecl>) {
          // Directly in a phase it belongs to the phase, which starts it.
          if (var_ids_.contains(&n)) {
            emitted = false;
          } else {
            covered({&node.tags});
            var_statement(n, out);
          }
        } else if constexpr (std::is_same_v<T, ast::Do>) {
          covered({&node.tags});
          do_statement(n, node.span, out);
        } else if constexpr (std::is_same_v<T, ast::Together>) {
          covered({&node.tags, &n.body->tags});
          forbid_in_together(node.span, "`together`");
          Context inside = context_;
          inside.in_together = true;
          const Restore<Context> context(context_, inside);
          out.node = rules::Together{block(*n.body)};
        } else if constexpr (std::is_same_v<T, ast::OriginalStmt>) {
          report(Code::R0210, node.span, "`original` stands only inside of a `replace`");
          emitted = false;
        } else if constexpr (std::is_same_v<T, ast::Stop>) {
          covered({&node.tags});
          forbid_in_each(node.span, "`stop`");
          if (!context_.in_loop && !context_.in_each)
            report(Code::R0603, node.span, "`stop` outside of a loop").hint = "it leaves the innermost loop of the same rule or phase";
          out.node = rules::Stop{};
        } else if constexpr (std::is_same_v<T, ast::Win>) {
          covered({&node.tags});
          forbid_in_each(node.span, "`win`");
          forbid_in_together(node.span, "`win`");
          has_win_ = true;
          out.node = rules::Win{seats(*n.who)};
        } else if constexpr (std::is_same_v<T, ast::EndTurn>) {
          covered({&node.tags});
          forbid_in_each(node.span, "`end turn`");
          forbid_in_together(node.span, "`end`");
          end_turns_.push_back({node.span, context_});
          out.node = rules::EndTurn{};
        } else if constexpr (std::is_same_v<T, ast::EndGame>) {
          covered({&node.tags});
          forbid_in_each(node.span, "`end game`");
          forbid_in_together(node.span, "`end`");
          out.node = rules::EndGame{};
        } else if constexpr (std::is_same_v<T, ast::EndPhase>) {
          covered({&node.tags});
          forbid_in_each(node.span, "`end phase`");
          forbid_in_together(node.span, "`end`");
          end_phase(n, node.span, out);
        } else if constexpr (std::is_same_v<T, ast::Claim>) {
          covered({&node.tags});
          out.node = rules::ClaimHere{emit_claim(n, node.span, true, out.cover)};
        } else if constexpr (std::is_same_v<T, ast::Note>) {
          cover(CoverKind::declaration, "note", node.span, {&node.tags});
          emitted = false;
        } else if constexpr (std::is_same_v<T, ast::Phase>) {
          const auto found = phase_ids_.find(&n);
          if (found == phase_ids_.end()) {
            report(Code::R0609, n.name.span, "a phase stands at the top or directly in a phase");
            emitted = false;
            return;
          }
          covered({&node.tags});
          emit_phase(found->second);
          out.node = rules::RunPhase{found->second};
        } else if constexpr (std::is_same_v<T, ast::When>) {
          if (context_.phase == kNoId || !is_declared_when(n)) report(Code::R0609, node.span, "a `when` stands at the top or directly in a phase");
          emitted = false;
        } else {
          covered({&node.tags});
          effect(n, out);
        }
      },
      node.node);
  if (emitted) into.push_back(std::move(out));
}

bool Checker::is_declared_when(const ast::When& when) const {
  return std::any_of(whens_.begin(), whens_.end(), [&](const WhenInfo& info) { return info.decl == &when; });
}

// ---- names ----------------------------------------------------------------------------------------------------

void Checker::let_statement(const ast::LetStmt& n, rules::Stmt& out) {
  const ExprId value = chance_value(*n.value, {});
  const Type t = type(value);
  const rules::LocalId local = bind_local(n.name, t, true);
  out.node = rules::LetLocal{local, value};
}

void Checker::var_statement(const ast::VarDecl& n, rules::Stmt& out) {
  const auto id = static_cast<rules::VarId>(rules_.vars.size());
  rules::Var var;
  var.kind = rules::Var::Kind::variable;
  var.name = n.name.text;
  var.local = true;
  var.span = n.name.span;
  var.cover = kNoId;
  rules_.vars.push_back(std::move(var));
  if (n.money) report(Code::R0610, n.name.span, "money lies at the top or in a phase");
  if (n.seen_by != nullptr) report(Code::R0610, n.seen_by->span, "nobody sees a variable of a block anyway");
  emit_var_type(id, n, {});
  emit_var(id, n);
  bind_name(n.name, true, id, true);
  out.node = rules::StartVar{id};
}

// ---- branches -------------------------------------------------------------------------------------------------

void Checker::if_statement(const ast::If& n, const ast::Stmt& at, rules::Stmt& out) {
  rules::If result;
  result.condition = condition(*n.condition);
  result.then_cover = cover(CoverKind::branch, "if", n.then_block->span, {&at.tags, &n.then_block->tags});
  result.then_block = block(*n.then_block);
  result.has_else = n.else_block != nullptr;
  result.else_cover = result.has_else ? cover(CoverKind::branch, "else", n.else_block->span, {&at.tags, &n.else_block->tags}) : kNoId;
  if (result.has_else) result.else_block = block(*n.else_block);
  out.node = std::move(result);
}

void Checker::match_statement(const ast::Match& n, rules::Stmt& out) {
  rules::MatchStmt result;
  result.subject = expr(*n.subject, {Form::scalar, {}});
  const Type subject = type(result.subject);
  std::vector<rules::MatchArm> all;
  for (const ast::MatchStmtArm& arm : n.arms) {
    rules::MatchStmt::Arm part;
    for (const ast::ExprRef& written : arm.patterns) part.patterns.patterns.push_back(pattern(*written, subject));
    part.cover = cover(CoverKind::branch, "arm", arm.body->span, {&arm.tags, &arm.body->tags});
    all.push_back(part.patterns);
    part.body = block(*arm.body);
    result.arms.push_back(std::move(part));
  }
  test_arms(all, subject, n.subject->span);
  out.node = std::move(result);
}

// ---- loops ----------------------------------------------------------------------------------------------------

rules::Limit Checker::limit(const ast::Limit& node) {
  rules::Limit out;
  out.kind = node.kind;
  if (node.kind == ast::Limit::Kind::none) return out;
  out.value = number(*node.value);
  if (!unknown(out.value) && type(out.value).high < 0) report(Code::R0402, node.value->span, "a number of passes cannot be below 0");
  return out;
}

// Leaves the names of a `for` in scope; the caller closes it.
rules::LoopHeader Checker::header(const ast::LoopHeader& node, Context& inside) {
  inside.in_loop = true;
  if (const auto* loop = std::get_if<ast::ForLoop>(&node)) return rules::ForLoop{clause(*loop->clause, {})};
  if (const auto* loop = std::get_if<ast::RepeatLoop>(&node)) {
    rules::RepeatLoop out;
    if (loop->until != nullptr) out.until = condition(*loop->until);
    out.limit = limit(loop->limit);
    return out;
  }
  const auto& loop = std::get<ast::TurnsLoop>(node);
  rules::TurnsLoop out;
  const Restore<Context> around(context_, context_);
  const ExprId from = chance_value(*loop.from, {Form::scalar, seat_type(rules_.players_high)});
  test_type(from, seat_type(rules_.players_high), "`turns`");
  test_range(from, seat_type(rules_.players_high), "the seat that begins");
  out.from = from;
  context_.me = Context::Me::unset;
  if (loop.until != nullptr) out.until = condition(*loop.until);
  context_.me = Context::Me::set;
  if (loop.then != nullptr) out.then = seat(*loop.then);
  if (loop.where != nullptr) out.where = condition(*loop.where);
  out.limit = limit(loop.limit);
  inside.me = Context::Me::set;
  inside.in_turns = true;
  return out;
}

void Checker::loop_statement(const ast::Loop& n, const ast::Stmt& at, rules::Stmt& out) {
  const std::size_t mark = open_scope();
  Context inside = context_;
  rules::Loop result;
  result.header = header(n.header, inside);
  result.cover = cover(CoverKind::branch, "", n.body->span, {&at.tags, &n.body->tags});
  {
    const Restore<Context> context(context_, inside);
    result.body = block(*n.body);
  }
  close_scope(mark);
  out.node = std::move(result);
}

// ---- calls and endings ----------------------------------------------------------------------------------------

void Checker::do_statement(const ast::Do& n, Span span, rules::Stmt& out) {
  const auto found = procedures_.find(n.name.text);
  if (found == procedures_.end()) {
    std::vector<std::string_view> names;
    for (const rules::Routine& routine : rules_.routines) names.push_back(routine.name);
    std::string message = fmt::format("unknown rule `{}`", n.name.text);
    if (const std::string_view near = nearest(n.name.text, names); !near.empty()) message += fmt::format("; did you mean `{}`?", near);
    report(Code::R0205, n.name.span, std::move(message));
    for (const ast::ExprRef& arg : n.args) expr(*arg);
    return;
  }
  found->second.read = true;
  note_procedure(n.name.span, found->second);
  const rules::RoutineId id = found->second.routine;
  if (id == kNoId) {
    report(Code::R0209, n.name.span, fmt::format("the phase `{}` happens where it stands; only one with parameters is done", n.name.text)).hint =
        fmt::format("`phase {}() ...` makes it one", n.name.text);
    for (const ast::ExprRef& arg : n.args) expr(*arg);
    return;
  }
  rules::DoRoutine result;
  result.routine = id;
  std::vector<std::string> names;
  for (const ast::Param& param : *routines_[id].params_decl) names.push_back(param.name.text);
  std::vector<Type> params = routines_[id].params;
  result.args = arguments(n.args, params, routines_[id].declared, names, n.name);
  routines_[id].params = params;
  need_me_of(routines_[id].needs, span, n.name.text);
  calls_.push_back({span, id, context_});
  out.node = std::move(result);
}

void Checker::end_phase(const ast::EndPhase& n, Span span, rules::Stmt& out) {
  rules::PhaseId phase = context_.phase;
  if (n.name) {
    const auto found = procedures_.find(n.name.text);
    if (found == procedures_.end() || found->second.phase == kNoId) {
      std::vector<std::string_view> names;
      for (const rules::Phase& each : rules_.phases) names.push_back(each.name);
      std::string message = fmt::format("unknown phase `{}`", n.name.text);
      if (const std::string_view near = nearest(n.name.text, names); !near.empty()) message += fmt::format("; did you mean `{}`?", near);
      report(Code::R0205, n.name.span, std::move(message));
      return;
    }
    phase = found->second.phase;
    note_procedure(n.name.span, found->second);
    end_phases_.push_back({span, phase, context_});
  } else if (phase == kNoId) {
    report(Code::R0604, span, "`end phase` outside of a phase").hint = "in a rule or a `when` at the top it names the phase";
    return;
  }
  out.node = rules::EndPhase{phase};
}

}  // namespace rip::check
