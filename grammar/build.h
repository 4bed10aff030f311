// Nodes of the grammar into the syntax tree. Part of the parser; see parser.h.
#pragma once

#include "base/diagnostic.h"
#include "grammar/ast.h"
#include "grammar/node.h"

namespace rip::grammar {

class Builder {
 public:
  Builder(std::uint32_t file, Diagnostics& diagnostics) : file_(file), diagnostics_(diagnostics) {}

  ast::Script script(const Node& node);
  ast::ExprRef expr(const Node& node);
  ast::Step step(const Node& node);
  ast::MoveCall move_call(const Node& node);

 private:
  std::uint32_t file_;
  Diagnostics& diagnostics_;

  Span span(const Node& node) const { return {file_, node.begin, node.end}; }
  ast::Name name(const Node& node) const { return {std::string(node.text), span(node)}; }
  ast::Name name_of(const Node& node, Kind kind = Kind::name) const;
  std::int64_t integer(const Node& node);
  std::string string(const Node& node) const { return std::string(node.text.substr(1, node.text.size() - 2)); }
  /// The child of a role node, as an expression; null if the role is absent.
  ast::ExprRef role(const Node& node, Kind kind);
  void tags(const Node& node, ast::Tags& out) const;
  ast::Tags own_tags(const Node& node) const;  ///< all direct `tags` children
  template <class T>
  ast::ExprRef make(const Node& node, T value) const {
    return std::make_shared<const ast::Expr>(ast::Expr{span(node), std::move(value)});
  }

  // build_expr.cpp
  ast::ExprRef chain(const Node& node);
  ast::ExprRef climb(const std::vector<Node*>& items, std::size_t& at, int lowest);
  ast::ExprRef extend(ast::ExprRef left, const std::vector<Node*>& items, std::size_t& at, int lowest);
  void pick(const Node& node, ast::Binder& binder);
  std::vector<ast::ExprRef> values(const Node& node);  ///< the `r_value` children
  ast::ExprRef operand(const Node& node, std::size_t prefix);
  ast::ExprRef post(const Node& node);
  ast::ExprRef primary(const Node& node);
  ast::ExprRef aggregate(const Node& node);
  ast::ExprRef builder(const Node& node);
  ast::ExprRef phrase(const Node& node);
  std::vector<ast::ExprRef> args(const Node* node);
  ast::ClauseRef clause(const Node& node);
  ast::Keys keys(const Node& node);
  ast::TypeRef type(const Node& node);
  std::vector<std::pair<ast::Name, ast::TypeRef>> index(const Node* node);
  std::vector<ast::Param> params(const Node* node);

  // build_stmt.cpp
  ast::BlockRef block(const Node& node);
  ast::StmtRef statement(const Node& node, ast::Tags behind);
  std::vector<ast::StmtRef> statements(const Node& node, std::size_t from, ast::Tags& first);
  ast::LoopHeader loop(const Node& node);
  ast::Limit limit(const Node& node);
  ast::If if_statement(const Node& node);
  ast::Option option(const Node& node);
  std::vector<ast::Option> options(const Node& node, ast::Tags& own);
  ast::Claim claim(const Node& node);
  ast::VarDecl variable(const Node& node);
  ast::Phase phase(const Node& node);
  ast::When when(const Node& node);

  // build_decl.cpp
  ast::DeclRef declaration(const Node& node, ast::Tags behind);
  ast::DeckLine deck_line(const Node& node);
  ast::Refill refill(const Node& node);
  std::vector<ast::Delta> deltas(const Node& node, ast::Tags& own);
  ast::Delta delta(const Node& node);
  ast::DeltaEntries entries(const Node& node);
  ast::Given given(const Node& node);
  std::vector<ast::CardItem> cards(const Node& node);
  ast::PlayersDecl players(const Node& node);
};

bool is_statement(Kind kind);

}  // namespace rip::grammar
