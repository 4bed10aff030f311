// What makes two declarations the same one to a variant: kind and name. Part of grammar/expand.
#pragma once

#include <string>

#include "grammar/ast.h"

namespace rip::grammar {

/// The kind as written (`let`, `always`, ...) and the name or text; of a `bound` a canonical text of its value. What stands
/// once in a game (`players`, `score`, `winner`) has no name, nor has a `when`.
struct Identity {
  std::string kind;
  std::string name;
  friend bool operator==(const Identity&, const Identity&) = default;
};

Identity identity(const ast::Decl& decl);

/// The statement as a declaration, null where there is none that reads alike (`var`, `phase`, `when`, claims and `note` do).
ast::DeclRef as_declaration(const ast::Stmt& stmt);
/// And back.
ast::StmtRef as_statement(const ast::Decl& decl);

}  // namespace rip::grammar
