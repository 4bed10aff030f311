// A copy of a syntax tree with some places changed. Nodes are immutable, so only the path to a change is new.
#pragma once

#include <functional>
#include <vector>

#include "grammar/ast.h"

namespace rip::grammar {

/// Each hook may be empty. A hook for a list element gives what stands in its place (nothing: it is removed); it gets the
/// element with its inside already rewritten.
class Rewriter {
 public:
  std::function<ast::ExprRef(const ast::Expr&)> original;  ///< the word `original` as a value
  std::function<void(const ast::StmtRef&, std::vector<ast::StmtRef>&)> statement;
  std::function<void(const ast::Option&, std::vector<ast::Option>&)> option;
  std::function<void(const ast::DeckLine&, std::vector<ast::DeckLine>&)> line;
  /// The block of a match arm, or of a branch of an `if` that has an `else`, with the notes that mark it; null: it is removed.
  std::function<ast::BlockRef(const ast::Tags&, const ast::BlockRef&)> branch;

  ast::ExprRef expr(const ast::ExprRef& expr) const;
  ast::ClauseRef clause(const ast::ClauseRef& clause) const;
  ast::Keys keys(const ast::Keys& keys) const;
  ast::BlockRef block(const ast::BlockRef& block) const;
  std::vector<ast::StmtRef> statements(const std::vector<ast::StmtRef>& list) const;
  ast::DeclRef decl(const ast::DeclRef& decl) const;

 private:
  std::vector<ast::ExprRef> exprs(const std::vector<ast::ExprRef>& list) const;
  std::vector<ast::Option> options(const std::vector<ast::Option>& list) const;
  ast::StmtRef inside(const ast::StmtRef& stmt) const;  ///< null if nothing is left of it
  void header(ast::LoopHeader& loop) const;
  template <class T>
  void shared_part(T& declared_or_done) const;  ///< of what is both a declaration and a statement
};

/// The tags that a statement carries: behind it, and those of the block it owns. The notes of a branch belong to the branch
/// where there are two.
ast::Tags tags_of(const ast::Stmt& stmt);

}  // namespace rip::grammar
