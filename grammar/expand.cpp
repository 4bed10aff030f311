#include "grammar/expand.h"

#include "grammar/rewrite.h"

#include <fmt/format.h>

#include <algorithm>

namespace rip::grammar {

using namespace ast;

namespace {

/// A short, canonical text of an expression: enough to say that two bounds are about the same value.
std::string brief(const ExprRef& expr) {
  if (expr == nullptr) return "";
  auto all = [](const std::vector<ExprRef>& list) {
    std::string out;
    for (const ExprRef& item : list) out += brief(item) + ",";
    return out;
  };
  return std::visit(
      [&](const auto& x) -> std::string {
        using T = std::decay_t<decltype(x)>;
        if constexpr (std::is_same_v<T, Word>) return x.text;
        if constexpr (std::is_same_v<T, IntLit>) return std::to_string(x.value);
        if constexpr (std::is_same_v<T, Index>) return brief(x.base) + "[" + all(x.args) + "]";
        if constexpr (std::is_same_v<T, ast::Attribute>) return brief(x.base) + "." + x.name.text;
        if constexpr (std::is_same_v<T, Call>) return x.name.text + "(" + all(x.args) + ")";
        if constexpr (std::is_same_v<T, Binary>) return "(" + brief(x.left) + std::to_string(static_cast<int>(x.op)) + brief(x.right) + ")";
        if constexpr (std::is_same_v<T, Aggregate>) {
          std::string out = std::to_string(static_cast<int>(x.kind)) + "(" + brief(x.value) + ";" + all(x.args);
          if (x.clause != nullptr) {
            for (const Binder& binder : x.clause->binders) out += binder.name.text + " in " + brief(binder.source);
            out += " where " + brief(x.clause->where);
          }
          return out + ")";
        }
        return fmt::format("@{}", expr->span.begin);
      },
      expr->node);
}

/// What makes a declaration the same one: its kind as written, and its name or text.
std::pair<std::string, std::string> identity(const Decl& decl) {
  return std::visit(
      [](const auto& x) -> std::pair<std::string, std::string> {
        using T = std::decay_t<decltype(x)>;
        if constexpr (std::is_same_v<T, PlayersDecl>) return {"players", ""};
        if constexpr (std::is_same_v<T, NoteDecl>) return {"note", x.text};
        if constexpr (std::is_same_v<T, Require>) return {"require", x.text};
        if constexpr (std::is_same_v<T, ParamDecl>) return {"param", x.name.text};
        if constexpr (std::is_same_v<T, EnumDecl>) return {"enum", x.name.text};
        if constexpr (std::is_same_v<T, ComponentDecl>) {
          return {x.kind == ComponentKind::card ? "card" : x.kind == ComponentKind::token ? "token" : "die", x.name.text};
        }
        if constexpr (std::is_same_v<T, DeckDecl>) return {"deck", x.name.text};
        if constexpr (std::is_same_v<T, ZoneDecl>) return {"zone", x.name.text};
        if constexpr (std::is_same_v<T, VarDecl>) return {x.money ? "money" : "var", x.name.text};
        if constexpr (std::is_same_v<T, LetDecl>) return {"let", x.name.text};
        if constexpr (std::is_same_v<T, RuleDecl>) return {"rule", x.name.text};
        if constexpr (std::is_same_v<T, Phase>) return {"phase", x.name.text};
        if constexpr (std::is_same_v<T, When>) return {"when", ""};
        if constexpr (std::is_same_v<T, ScoreDecl>) return {"score", ""};
        if constexpr (std::is_same_v<T, WinnerDecl>) return {"winner", ""};
        if constexpr (std::is_same_v<T, ReportDecl>) return {"report", x.text};
        if constexpr (std::is_same_v<T, Claim>) {
          return {x.kind == ClaimKind::always ? "always" : x.kind == ClaimKind::never ? "never" : "sometimes", x.text};
        }
        if constexpr (std::is_same_v<T, BoundDecl>) return {"bound", brief(x.value)};
        if constexpr (std::is_same_v<T, SmallDecl>) return {"small", x.name};
        if constexpr (std::is_same_v<T, VariantDecl>) return {"variant", x.name};
        if constexpr (std::is_same_v<T, ScenarioDecl>) return {"scenario", x.name};
      },
      decl.node);
}

std::vector<Param> params_of(const Decl& decl) {
  if (const auto* let = std::get_if<LetDecl>(&decl.node)) return let->params;
  if (const auto* rule = std::get_if<RuleDecl>(&decl.node)) return rule->params;
  if (const auto* phase = std::get_if<Phase>(&decl.node)) return phase->params;
  return {};
}

class Sheet {
 public:
  Sheet(Expanded& into, Diagnostics& diagnostics) : into_(into), diagnostics_(diagnostics) {}

  /// What only the version that wrote it claims, goes: `sometimes`, wherever it stands, and scenarios.
  void drop_claims_of_base() {
    std::erase_if(decls(), [](const DeclRef& decl) {
      const auto* claim = std::get_if<Claim>(&decl->node);
      return claim != nullptr && claim->kind == ClaimKind::sometimes;
    });
    Rewriter rewriter;
    rewriter.statement = [](const StmtRef& stmt, std::vector<StmtRef>& out) {
      const auto* claim = std::get_if<Claim>(&stmt->node);
      if (claim == nullptr || claim->kind != ClaimKind::sometimes) {
        out.push_back(stmt);
        return;
      }
      // its clause is still documented
      Stmt note = *stmt;
      note.node = Note{claim->text};
      if (!stmt->tags.empty()) out.push_back(std::make_shared<const Stmt>(std::move(note)));
    };
    for (DeclRef& decl : decls()) decl = rewriter.decl(decl);
    into_.scenarios.clear();
  }

  void apply(const std::vector<Delta>& deltas) {
    for (const Delta& delta : deltas) {
      std::visit([&](const auto& x) { apply(delta, x); }, delta.node);
    }
  }

 private:
  Expanded& into_;
  Diagnostics& diagnostics_;
  std::vector<DeclRef>& decls() { return into_.script.declarations; }

  void apply(const Delta&, const DeltaSet& set) { into_.sets.emplace_back(set.name, set.value); }

  void apply(const Delta& delta, const DeltaPlayers& players) {
    std::erase_if(decls(), [](const DeclRef& decl) { return std::holds_alternative<PlayersDecl>(decl->node); });
    decls().insert(decls().begin(), std::make_shared<const Decl>(Decl{delta.span, {}, players.players}));
  }

  void apply(const Delta&, const DeclRef& decl) {
    if (std::holds_alternative<ScenarioDecl>(decl->node)) {
      into_.scenarios.push_back(decl);
    } else {
      decls().push_back(decl);
    }
  }

  void apply(const Delta& delta, const DeltaReplaceDecl& replace) {
    const auto [kind, name] = identity(*replace.declaration);
    const auto found = std::find_if(decls().begin(), decls().end(), [&](const DeclRef& decl) { return identity(*decl) == std::pair(kind, name); });
    if (found == decls().end()) {
      missing(delta.span, kind, name);
      return;
    }
    const DeclRef old = *found;
    const std::string kept = name + "'";
    std::vector<ExprRef> args;
    for (const Param& param : params_of(*replace.declaration)) {
      args.push_back(std::make_shared<const Expr>(Expr{param.name.span, Word{param.name.text}}));
    }
    bool used = false;
    Rewriter rewriter;
    rewriter.original = [&](const Expr& expr) {
      used = true;
      return std::make_shared<const Expr>(Expr{expr.span, Call{{kept, expr.span}, args}});
    };
    rewriter.statement = [&](const StmtRef& stmt, std::vector<StmtRef>& out) {
      if (!std::holds_alternative<OriginalStmt>(stmt->node)) {
        out.push_back(stmt);
        return;
      }
      used = true;
      out.push_back(std::make_shared<const Stmt>(Stmt{stmt->span, stmt->tags, Do{{kept, stmt->span}, args}}));
    };
    rewriter.line = [&](const DeckLine& line, std::vector<DeckLine>& out) {
      if (!line.original) {
        out.push_back(line);
        return;
      }
      const auto& lines = std::get<DeckDecl>(old->node).lines;
      out.insert(out.end(), lines.begin(), lines.end());
    };
    DeclRef made = rewriter.decl(replace.declaration);
    if (made->tags.empty() && !old->tags.empty()) {
      Decl with = *made;
      with.tags = old->tags;  // the clause is still the one that this line answers
      made = std::make_shared<const Decl>(std::move(with));
    }
    *found = made;
    if (!used) return;
    Decl renamed = *old;
    if (auto* let = std::get_if<LetDecl>(&renamed.node)) let->name.text = kept;
    if (auto* rule = std::get_if<RuleDecl>(&renamed.node)) rule->name.text = kept;
    if (auto* phase = std::get_if<Phase>(&renamed.node)) phase->name.text = kept;
    decls().push_back(std::make_shared<const Decl>(std::move(renamed)));
  }

  static bool carries(const Tags& tags, const Tags& wanted) {
    return std::any_of(tags.begin(), tags.end(), [&](const Tag& tag) { return tag.text == wanted.front().text; });
  }
  static void pass_on(Tags& to, const Tags& from) {
    for (const Tag& tag : from) {
      if (std::none_of(to.begin(), to.end(), [&](const Tag& t) { return t.text == tag.text; })) to.push_back(tag);
    }
  }

  void apply(const Delta& delta, const DeltaAt& at) {
    std::vector<Span> places;
    const bool before = at.where == DeltaAt::Where::before;
    const bool replace = at.where == DeltaAt::Where::replace;
    // `list` gets the entries around or instead of `old`; a replacement answers the same clauses
    auto splice = [&](auto& list, const auto& old, auto entries, const Tags& tags) {
      if (replace && !entries.empty()) pass_on_to(entries.front(), tags);
      if (!before && !replace) list.push_back(old);
      list.insert(list.end(), entries.begin(), entries.end());
      if (before) list.push_back(old);
    };
    Rewriter rewriter;
    rewriter.statement = [&](const StmtRef& stmt, std::vector<StmtRef>& out) {
      const Tags tags = tags_of(*stmt);
      if (!carries(tags, at.target)) {
        out.push_back(stmt);
        return;
      }
      places.push_back(stmt->span);
      Rewriter inner;
      inner.statement = [&](const StmtRef& item, std::vector<StmtRef>& to) {
        to.push_back(replace && std::holds_alternative<OriginalStmt>(item->node) ? stmt : item);
      };
      splice(out, stmt, inner.statements(at.entries.statements), tags);
    };
    rewriter.option = [&](const ast::Option& option, std::vector<ast::Option>& out) {
      if (!carries(option.tags, at.target)) {
        out.push_back(option);
        return;
      }
      places.push_back(option.span);
      Rewriter inner;
      inner.statement = [&](const StmtRef& item, std::vector<StmtRef>& to) {
        if (replace && std::holds_alternative<OriginalStmt>(item->node) && option.body != nullptr) {
          to.insert(to.end(), option.body->statements.begin(), option.body->statements.end());
        } else {
          to.push_back(item);
        }
      };
      std::vector<ast::Option> entries = at.entries.options;
      for (ast::Option& entry : entries) entry.body = inner.block(entry.body);
      splice(out, option, std::move(entries), option.tags);
    };
    rewriter.line = [&](const DeckLine& line, std::vector<DeckLine>& out) {
      if (!carries(line.tags, at.target)) {
        out.push_back(line);
        return;
      }
      places.push_back(line.span);
      splice(out, line, at.entries.lines, line.tags);
    };
    std::vector<DeclRef> out;
    for (const DeclRef& decl : decls()) {
      DeclRef made = rewriter.decl(decl);
      if (!carries(made->tags, at.target)) {
        out.push_back(std::move(made));
        continue;
      }
      places.push_back(made->span);
      std::vector<DeclRef> entries = at.entries.declarations;
      for (const StmtRef& stmt : at.entries.statements) {
        if (DeclRef as_decl = declaration(*stmt)) entries.push_back(std::move(as_decl));
      }
      splice(out, made, std::move(entries), made->tags);
    }
    decls() = std::move(out);
    if (places.size() == 1) return;
    const std::string& tag = at.target.front().text;
    Diagnostic& report =
        places.empty() ? diagnostics_.report(Code::R0902, at.target.front().span, fmt::format("no rule of the base carries [{}]", tag))
                       : diagnostics_.report(Code::R0903, at.target.front().span, fmt::format("[{}] marks {} places, so it names none", tag, places.size()));
    for (const Span& place : places) report.related.push_back({place, "one of them"});
    if (!places.empty()) report.hint = "give the line you mean a tag of its own";
    (void)delta;
  }

  static void pass_on_to(StmtRef& stmt, const Tags& tags) {
    Stmt made = *stmt;
    pass_on(made.tags, tags);
    stmt = std::make_shared<const Stmt>(std::move(made));
  }
  static void pass_on_to(ast::Option& option, const Tags& tags) { pass_on(option.tags, tags); }
  static void pass_on_to(DeckLine& line, const Tags& tags) { pass_on(line.tags, tags); }
  static void pass_on_to(DeclRef& decl, const Tags& tags) {
    Decl made = *decl;
    pass_on(made.tags, tags);
    decl = std::make_shared<const Decl>(std::move(made));
  }

  /// Entries that read alike as statement and declaration.
  static DeclRef declaration(const Stmt& stmt) {
    Decl made{stmt.span, tags_of(stmt), NoteDecl{}};
    bool fits = true;
    std::visit(
        [&](const auto& x) {
          using T = std::decay_t<decltype(x)>;
          if constexpr (std::is_same_v<T, VarDecl> || std::is_same_v<T, Claim> || std::is_same_v<T, Phase> || std::is_same_v<T, When>) {
            made.node = x;
          } else if constexpr (std::is_same_v<T, Note>) {
            made.node = NoteDecl{x.text};
          } else {
            fits = false;
          }
        },
        stmt.node);
    return fits ? std::make_shared<const Decl>(std::move(made)) : nullptr;
  }

  void apply(const Delta& delta, const DeltaRemove& remove) {
    if (!remove.tags.empty()) {
      remove_tagged(remove.tags);
      return;
    }
    if (remove.kind == "move") {
      bool found = false;
      Rewriter rewriter;
      rewriter.option = [&](const ast::Option& option, std::vector<ast::Option>& out) {
        if (option.name.text == remove.name.text && !option.name.text.empty()) {
          found = true;
        } else if (option.group_where == nullptr || !option.group.empty()) {
          out.push_back(option);
        }
      };
      for (DeclRef& decl : decls()) decl = rewriter.decl(decl);
      if (!found) missing(delta.span, "move", remove.name.text);
      return;
    }
    const std::string& name = remove.text.empty() ? remove.name.text : remove.text;
    const std::size_t removed = std::erase_if(decls(), [&](const DeclRef& decl) { return identity(*decl) == std::pair(remove.kind, name); });
    if (removed == 0) missing(delta.span, remove.kind, name);
  }

  void remove_tagged(const Tags& tags) {
    std::vector<bool> met(tags.size(), false);
    auto goes = [&](const Tags& carried) {
      if (carried.empty()) return false;
      for (const Tag& tag : carried) {
        const auto found = std::find_if(tags.begin(), tags.end(), [&](const Tag& t) { return t.text == tag.text; });
        if (found == tags.end()) return false;
        met[static_cast<std::size_t>(found - tags.begin())] = true;
      }
      return true;
    };
    Rewriter rewriter;
    rewriter.statement = [&](const StmtRef& stmt, std::vector<StmtRef>& out) {
      if (!goes(tags_of(*stmt))) out.push_back(stmt);
    };
    rewriter.option = [&](const ast::Option& option, std::vector<ast::Option>& out) {
      if (!goes(option.tags)) out.push_back(option);
    };
    rewriter.line = [&](const DeckLine& line, std::vector<DeckLine>& out) {
      if (!goes(line.tags)) out.push_back(line);
    };
    std::vector<DeclRef> out;
    for (const DeclRef& decl : decls()) {
      if (!goes(decl->tags)) out.push_back(rewriter.decl(decl));
    }
    decls() = std::move(out);
    for (std::size_t i = 0; i < tags.size(); ++i) {
      if (!met[i]) diagnostics_.report(Code::R0902, tags[i].span, fmt::format("nothing carries only [{}], so nothing is removed", tags[i].text));
    }
  }

  void missing(Span span, const std::string& kind, const std::string& name) {
    std::vector<std::string> names;
    for (const DeclRef& decl : decls()) {
      auto [other, text] = identity(*decl);
      if (other == kind) names.push_back(std::move(text));
    }
    const std::vector<std::string_view> views(names.begin(), names.end());
    Diagnostic& report = diagnostics_.report(Code::R0901, span, name.empty() ? fmt::format("the base has no `{}`", kind) : fmt::format("the base has no {} `{}`", kind, name));
    if (const std::string_view near = nearest(name, views); !near.empty()) report.hint = fmt::format("did you mean `{}`?", near);
  }
};

}  // namespace

std::vector<const VariantDecl*> variants(const Script& script) {
  std::vector<const VariantDecl*> out;
  for (const DeclRef& decl : script.declarations) {
    if (const auto* variant = std::get_if<VariantDecl>(&decl->node)) out.push_back(variant);
  }
  return out;
}

std::vector<const SmallDecl*> smalls(const Script& script) {
  std::vector<const SmallDecl*> out;
  for (const DeclRef& decl : script.declarations) {
    if (const auto* small = std::get_if<SmallDecl>(&decl->node)) out.push_back(small);
  }
  return out;
}

void check_scenario_variants(const Script& script, Diagnostics& diagnostics) {
  const auto all = variants(script);
  std::vector<std::string_view> names;
  for (const VariantDecl* variant : all) names.push_back(variant->name);
  for (const DeclRef& decl : script.declarations) {
    const auto* scenario = std::get_if<ScenarioDecl>(&decl->node);
    if (scenario == nullptr || scenario->of.empty() || std::find(names.begin(), names.end(), scenario->of) != names.end()) continue;
    Diagnostic& report = diagnostics.report(Code::R0904, scenario->of_span, fmt::format("no variant is called \"{}\"", scenario->of));
    if (const std::string_view near = nearest(scenario->of, names); !near.empty()) report.hint = fmt::format("did you mean \"{}\"?", near);
  }
}

std::vector<const VariantDecl*> variant_chain(const Script& script, const std::string& name, Diagnostics& diagnostics) {
  const auto all = variants(script);
  std::vector<const VariantDecl*> chain;
  std::string wanted = name;
  Span span = script.title_span;
  while (!wanted.empty()) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const VariantDecl* v) { return v->name == wanted; });
    if (found == all.end() || std::find(chain.begin(), chain.end(), *found) != chain.end()) {
      std::vector<std::string_view> names;
      for (const VariantDecl* variant : all) names.push_back(variant->name);
      Diagnostic& report = diagnostics.report(Code::R0904, span, found == all.end() ? fmt::format("no variant is called \"{}\"", wanted)
                                                                                    : fmt::format("variant \"{}\" builds on itself", wanted));
      if (const std::string_view near = nearest(wanted, names); found == all.end() && !near.empty()) report.hint = fmt::format("did you mean \"{}\"?", near);
      return {};
    }
    chain.insert(chain.begin(), *found);
    wanted = (*found)->of;
    span = (*found)->of_span;
  }
  return chain;
}

Expanded expand(const Script& base, Diagnostics& diagnostics) { return expand(base, {}, nullptr, diagnostics); }

Expanded expand(const Script& base, const std::vector<const VariantDecl*>& chain, const SmallDecl* small, Diagnostics& diagnostics) {
  Expanded out;
  out.script = base;
  out.script.declarations.clear();
  for (const DeclRef& decl : base.declarations) {
    if (const auto* scenario = std::get_if<ScenarioDecl>(&decl->node)) {
      if (chain.empty() && scenario->of.empty()) out.scenarios.push_back(decl);
    } else if (!std::holds_alternative<VariantDecl>(decl->node) && !std::holds_alternative<SmallDecl>(decl->node)) {
      out.script.declarations.push_back(decl);
    }
  }
  Sheet sheet(out, diagnostics);
  for (const VariantDecl* variant : chain) {
    sheet.drop_claims_of_base();
    sheet.apply(variant->deltas);
  }
  if (!chain.empty()) {
    for (const DeclRef& decl : base.declarations) {
      const auto* scenario = std::get_if<ScenarioDecl>(&decl->node);
      if (scenario != nullptr && scenario->of == chain.back()->name) out.scenarios.push_back(decl);
    }
  }
  if (small != nullptr) {
    sheet.drop_claims_of_base();
    sheet.apply(small->deltas);
    out.scenarios.clear();
  }
  return out;
}

}  // namespace rip::grammar
