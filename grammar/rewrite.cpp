#include "grammar/rewrite.h"

namespace rip::grammar {

using namespace ast;

namespace {
template <class T>
Ref<T> share(T value) {
  return std::make_shared<const T>(std::move(value));
}

/// What stands both among declarations and among statements.
template <class T>
inline constexpr bool kAlsoDeclared =
    std::is_same_v<T, VarDecl> || std::is_same_v<T, Claim> || std::is_same_v<T, Phase> || std::is_same_v<T, When>;
}  // namespace

std::vector<ExprRef> Rewriter::exprs(const std::vector<ExprRef>& list) const {
  std::vector<ExprRef> out;
  for (const ExprRef& item : list) out.push_back(expr(item));
  return out;
}

ExprRef Rewriter::expr(const ExprRef& in) const {
  if (in == nullptr) return nullptr;
  Expr made = *in;
  auto each = [&](auto&... parts) { ((parts = expr(parts)), ...); };
  std::visit(
      [&](auto& x) {
        using T = std::decay_t<decltype(x)>;
        if constexpr (std::is_same_v<T, Unary> || std::is_same_v<T, Is>) each(x.operand);
        if constexpr (std::is_same_v<T, Binary>) each(x.left, x.right);
        if constexpr (std::is_same_v<T, RangeExpr>) each(x.low, x.high);
        if constexpr (std::is_same_v<T, IfExpr>) each(x.condition, x.then_value, x.else_value);
        if constexpr (std::is_same_v<T, MatchExpr>) {
          each(x.subject);
          for (MatchArm& arm : x.arms) {
            arm.patterns = exprs(arm.patterns);
            arm.value = expr(arm.value);
          }
        }
        if constexpr (std::is_same_v<T, Index>) {
          each(x.base);
          x.args = exprs(x.args);
        }
        if constexpr (std::is_same_v<T, ast::Attribute>) each(x.base);
        if constexpr (std::is_same_v<T, Call>) x.args = exprs(x.args);
        if constexpr (std::is_same_v<T, TopOf>) each(x.count, x.of);
        if constexpr (std::is_same_v<T, AllOf>) each(x.of);
        if constexpr (std::is_same_v<T, Aggregate>) {
          x.clause = clause(x.clause);
          each(x.value);
          x.args = exprs(x.args);
        }
        if constexpr (std::is_same_v<T, ast::Builder>) {
          x.items = exprs(x.items);
          x.clause = clause(x.clause);
          each(x.value);
        }
        if constexpr (std::is_same_v<T, Phrase>) {
          for (PhrasePart& part : x.parts) part.items = exprs(part.items);
        }
      },
      made.node);
  if (std::holds_alternative<OriginalExpr>(made.node) && original) return original(made);
  return share(std::move(made));
}

Keys Rewriter::keys(const Keys& in) const {
  Keys made = in;
  for (Key& key : made.keys) key.value = expr(key.value);
  made.backwards_if = expr(made.backwards_if);
  return made;
}

ClauseRef Rewriter::clause(const ClauseRef& in) const {
  if (in == nullptr) return nullptr;
  Clause made = *in;
  for (Binder& binder : made.binders) {
    binder.source = expr(binder.source);
    binder.pick_low = expr(binder.pick_low);
    binder.pick_high = expr(binder.pick_high);
  }
  made.where = expr(made.where);
  made.keys = keys(made.keys);
  return share(std::move(made));
}

std::vector<StmtRef> Rewriter::statements(const std::vector<StmtRef>& list) const {
  std::vector<StmtRef> out;
  for (const StmtRef& item : list) {
    StmtRef made = inside(item);
    if (made == nullptr) continue;
    if (statement) {
      statement(made, out);
    } else {
      out.push_back(std::move(made));
    }
  }
  return out;
}

BlockRef Rewriter::block(const BlockRef& in) const {
  if (in == nullptr) return nullptr;
  Block made = *in;
  made.statements = statements(made.statements);
  return share(std::move(made));
}

std::vector<ast::Option> Rewriter::options(const std::vector<ast::Option>& list) const {
  std::vector<ast::Option> out;
  for (const ast::Option& item : list) {
    ast::Option made = item;
    made.clause = clause(made.clause);
    made.body = block(made.body);
    made.group_where = expr(made.group_where);
    made.group = options(made.group);
    if (option) {
      option(made, out);
    } else {
      out.push_back(std::move(made));
    }
  }
  return out;
}

void Rewriter::header(LoopHeader& loop) const {
  if (auto* each = std::get_if<ForLoop>(&loop)) each->clause = clause(each->clause);
  if (auto* repeat = std::get_if<RepeatLoop>(&loop)) {
    repeat->until = expr(repeat->until);
    repeat->limit.value = expr(repeat->limit.value);
  }
  if (auto* turns = std::get_if<TurnsLoop>(&loop)) {
    turns->from = expr(turns->from);
    turns->then = expr(turns->then);
    turns->where = expr(turns->where);
    turns->until = expr(turns->until);
    turns->limit.value = expr(turns->limit.value);
  }
}

template <class T>
void Rewriter::shared_part(T& x) const {
  if constexpr (std::is_same_v<T, VarDecl>) {
    x.start = expr(x.start);
    x.seen_by = expr(x.seen_by);
  } else if constexpr (std::is_same_v<T, Phase>) {
    if (x.loop) header(*x.loop);
    x.body = block(x.body);
  } else {
    x.condition = expr(x.condition);
    if constexpr (std::is_same_v<T, When>) {
      x.clause = clause(x.clause);
      x.body = block(x.body);
    }
  }
}

StmtRef Rewriter::inside(const StmtRef& in) const {
  Stmt made = *in;
  bool left = true;
  auto each = [&](auto&... parts) { ((parts = expr(parts)), ...); };
  std::visit(
      [&](auto& x) {
        using T = std::decay_t<decltype(x)>;
        if constexpr (std::is_same_v<T, ast::Move>) {
          each(x.what, x.to, x.face);
          x.each = clause(x.each);
        }
        if constexpr (std::is_same_v<T, Fill>) each(x.what, x.to_count, x.from, x.face);
        if constexpr (std::is_same_v<T, Swap>) each(x.first, x.second);
        if constexpr (std::is_same_v<T, Turn>) each(x.what, x.face);
        if constexpr (std::is_same_v<T, Shuffle> || std::is_same_v<T, Roll>) each(x.what);
        if constexpr (std::is_same_v<T, Show>) each(x.what, x.to);
        if constexpr (std::is_same_v<T, ast::Set>) each(x.target, x.value);
        if constexpr (std::is_same_v<T, Raise>) each(x.target, x.amount);
        if constexpr (std::is_same_v<T, Pay>) each(x.amount, x.from, x.to);
        if constexpr (std::is_same_v<T, LetStmt>) each(x.value);
        if constexpr (std::is_same_v<T, ast::If>) {
          each(x.condition);
          const bool two = x.else_block != nullptr;
          x.then_block = block(x.then_block);
          x.else_block = block(x.else_block);
          if (two && branch) {
            x.then_block = branch(x.then_block->tags, x.then_block);
            x.else_block = branch(x.else_block->tags, x.else_block);
            left = x.then_block != nullptr || x.else_block != nullptr;
            if (x.then_block == nullptr) x.then_block = share(Block{});
          }
        }
        if constexpr (std::is_same_v<T, ast::Loop>) {
          header(x.header);
          x.body = block(x.body);
        }
        if constexpr (std::is_same_v<T, ast::Match>) {
          each(x.subject);
          std::vector<MatchStmtArm> arms;
          for (MatchStmtArm& arm : x.arms) {
            arm.patterns = exprs(arm.patterns);
            arm.body = block(arm.body);
            Tags tags = arm.tags;
            tags.insert(tags.end(), arm.body->tags.begin(), arm.body->tags.end());
            if (branch) arm.body = branch(tags, arm.body);
            if (arm.body != nullptr) arms.push_back(std::move(arm));
          }
          left = !arms.empty() || x.arms.empty();
          x.arms = std::move(arms);
        }
        if constexpr (std::is_same_v<T, Choose>) {
          each(x.seat);
          x.clause = clause(x.clause);
          x.options = options(x.options);
        }
        if constexpr (std::is_same_v<T, Do>) x.args = exprs(x.args);
        if constexpr (std::is_same_v<T, Together>) x.body = block(x.body);
        if constexpr (std::is_same_v<T, Win>) each(x.who);
        if constexpr (kAlsoDeclared<T>) shared_part(x);
      },
      made.node);
  return left ? share(std::move(made)) : nullptr;
}

DeclRef Rewriter::decl(const DeclRef& in) const {
  Decl made = *in;
  auto each = [&](auto&... parts) { ((parts = expr(parts)), ...); };
  std::visit(
      [&](auto& x) {
        using T = std::decay_t<decltype(x)>;
        if constexpr (std::is_same_v<T, Require>) each(x.condition);
        if constexpr (std::is_same_v<T, ParamDecl> || std::is_same_v<T, LetDecl> || std::is_same_v<T, ScoreDecl> || std::is_same_v<T, ReportDecl>) {
          each(x.value);
        }
        if constexpr (std::is_same_v<T, DeckDecl>) {
          std::vector<DeckLine> out;
          for (const DeckLine& item : x.lines) {
            if (line) {
              line(item, out);
            } else {
              out.push_back(item);
            }
          }
          x.lines = std::move(out);
        }
        if constexpr (std::is_same_v<T, ZoneDecl>) each(x.max, x.seen_by);
        if constexpr (std::is_same_v<T, RuleDecl>) x.body = block(x.body);
        if constexpr (kAlsoDeclared<T>) shared_part(x);
        if constexpr (std::is_same_v<T, WinnerDecl>) {
          each(x.where);
          x.keys = keys(x.keys);
        }
        if constexpr (std::is_same_v<T, BoundDecl>) {
          each(x.value, x.low, x.high);
          x.clause = clause(x.clause);
        }
      },
      made.node);
  return share(std::move(made));
}

Tags tags_of(const Stmt& stmt) {
  Tags tags = stmt.tags;
  auto add = [&](const BlockRef& block) {
    if (block != nullptr) tags.insert(tags.end(), block->tags.begin(), block->tags.end());
  };
  std::visit(
      [&](const auto& x) {
        using T = std::decay_t<decltype(x)>;
        if constexpr (std::is_same_v<T, ast::If>) {
          if (x.else_block == nullptr) add(x.then_block);
        }
        if constexpr (std::is_same_v<T, ast::Loop> || std::is_same_v<T, Together> || std::is_same_v<T, Phase> || std::is_same_v<T, When>) add(x.body);
        if constexpr (std::is_same_v<T, Choose>) tags.insert(tags.end(), x.tags.begin(), x.tags.end());
      },
      stmt.node);
  return tags;
}

}  // namespace rip::grammar
