// One errata sheet at work on a script: finds the constructs it names, replaces, inserts, removes. Part of grammar/expand.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "grammar/ast.h"
#include "grammar/expand.h"
#include "grammar/identity.h"

namespace rip::grammar {

class Sheet {
 public:
  Sheet(Expanded& into, Diagnostics& diagnostics) : into_(into), diagnostics_(diagnostics) {}

  /// What only the version that wrote it claims, goes: `sometimes`, wherever it stands, and scenarios. A clause that such a
  /// claim was tagged with stays documented.
  void drop_claims_of_base();

  void apply(const std::vector<ast::Delta>& deltas);

 private:
  Expanded& into_;
  Diagnostics& diagnostics_;

  std::vector<ast::DeclRef>& decls() { return into_.script.declarations; }

  void apply(const ast::Delta& delta, const ast::DeltaSet& set);
  void apply(const ast::Delta& delta, const ast::DeltaPlayers& players);
  void apply(const ast::Delta& delta, const ast::DeclRef& decl);
  void apply(const ast::Delta& delta, const ast::DeltaReplaceDecl& replace);
  void apply(const ast::Delta& delta, const ast::DeltaAt& at);
  void apply(const ast::Delta& delta, const ast::DeltaRemove& remove);

  /// What stands in the place of `old`: `fresh` with its `original`s resolved. If they call what is replaced, that is kept
  /// under another name and returned in `kept`.
  ast::DeclRef replacement(const ast::Decl& old, const ast::DeclRef& fresh, ast::DeclRef& kept);
  std::string free_name(Identity wanted);
  bool remove_move(const std::string& name);
  bool remove_named(const Identity& wanted);
  void remove_tagged(const ast::Tags& tags);
  void keep_documented(Span span, const ast::Tags& tags, const std::string& text);
  void report_missing(Span span, const Identity& wanted);
};

}  // namespace rip::grammar
