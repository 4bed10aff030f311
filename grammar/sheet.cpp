#include "grammar/sheet.h"

#include <fmt/format.h>

#include <algorithm>

#include "grammar/rewrite.h"

namespace rip::grammar {

using namespace ast;

namespace {

template <class T>
Ref<T> share(T value) {
  return std::make_shared<const T>(std::move(value));
}

bool has(const Tags& tags, const std::string& text) {
  return std::any_of(tags.begin(), tags.end(), [&](const Tag& tag) { return tag.text == text; });
}

void add(Tags& to, const Tags& from) {
  for (const Tag& tag : from) {
    if (!has(to, tag.text)) to.push_back(tag);
  }
}

void add_tags(StmtRef& stmt, const Tags& tags) {
  Stmt made = *stmt;
  const Tags known = tags_of(*stmt);
  for (const Tag& tag : tags) {
    if (!has(known, tag.text)) made.tags.push_back(tag);
  }
  stmt = share(std::move(made));
}
void add_tags(ast::Option& option, const Tags& tags) { add(option.tags, tags); }
void add_tags(DeckLine& line, const Tags& tags) { add(line.tags, tags); }
void add_tags(DeclRef& decl, const Tags& tags) {
  Decl made = *decl;
  add(made.tags, tags);
  decl = share(std::move(made));
}

std::vector<Param> params_of(const Decl& decl) {
  if (const auto* let = std::get_if<LetDecl>(&decl.node)) return let->params;
  if (const auto* rule = std::get_if<RuleDecl>(&decl.node)) return rule->params;
  if (const auto* phase = std::get_if<Phase>(&decl.node)) return phase->params;
  return {};
}

BlockRef body_of(const Decl& decl) {
  if (const auto* rule = std::get_if<RuleDecl>(&decl.node)) return rule->body;
  if (const auto* phase = std::get_if<Phase>(&decl.node)) return phase->body;
  if (const auto* when = std::get_if<When>(&decl.node)) return when->body;
  return nullptr;
}

/// The one value of a declaration that is a value under a name.
ExprRef value_of(const Decl& decl) {
  return std::visit(
      [](const auto& x) -> ExprRef {
        using T = std::decay_t<decltype(x)>;
        if constexpr (std::is_same_v<T, ParamDecl> || std::is_same_v<T, ScoreDecl> || std::is_same_v<T, ReportDecl>) return x.value;
        if constexpr (std::is_same_v<T, Require> || std::is_same_v<T, Claim>) return x.condition;
        if constexpr (std::is_same_v<T, VarDecl>) return x.start;
        return nullptr;
      },
      decl.node);
}

/// A list of statements in which the statement `original` is these; `used` says whether it stood there.
std::vector<StmtRef> with_original(const std::vector<StmtRef>& list, const std::vector<StmtRef>& original, bool& used) {
  Rewriter rewriter;
  rewriter.statement = [&](const StmtRef& item, std::vector<StmtRef>& out) {
    if (!std::holds_alternative<OriginalStmt>(item->node)) {
      out.push_back(item);
      return;
    }
    used = true;
    out.insert(out.end(), original.begin(), original.end());
  };
  return rewriter.statements(list);
}

/// `before`, `after`, `replace` at one tag: the entries go where the tag stands, and every place is remembered.
class Splice {
 public:
  Splice(const DeltaAt& at, Tags own) : at_(at), own_(std::move(own)) { add(own_, at.entries.tags); }

  std::vector<Span> places;
  Span misfit_at;
  std::string misfit;  ///< what the place takes, if the entries are something else

  bool marked(const Tags& tags) const { return has(tags, at_.target.front().text); }

  void statement(const StmtRef& old, std::vector<StmtRef>& out) {
    const Tags tags = tags_of(*old);
    if (!marked(tags)) {
      out.push_back(old);
      return;
    }
    places.push_back(old->span);
    expect_only_statements("statements");
    std::vector<StmtRef> entries = own_statements();
    bool used = false;
    if (replaces()) entries = with_original(entries, {old}, used);
    place(old, std::move(entries), used ? Tags{} : tags, out);
  }

  /// The block of an arm or branch: what is put before or after it stands inside, since its condition guards it too.
  BlockRef branch(const Tags& tags, const BlockRef& old) {
    if (!marked(tags)) return old;
    places.push_back(old->span);
    expect_only_statements("statements");
    Block made = *old;
    bool used = false;
    std::vector<StmtRef> entries = own_statements();
    if (replaces()) made.statements = with_original(entries, old->statements, used);
    if (at_.where == DeltaAt::Where::before) made.statements.insert(made.statements.begin(), entries.begin(), entries.end());
    if (at_.where == DeltaAt::Where::after) made.statements.insert(made.statements.end(), entries.begin(), entries.end());
    return share(std::move(made));
  }

  void option(const ast::Option& old, std::vector<ast::Option>& out) {
    if (!marked(old.tags)) {
      out.push_back(old);
      return;
    }
    places.push_back(old.span);
    const DeltaEntries& in = at_.entries;
    if (!in.statements.empty()) misfits("moves", in.statements.front()->span);
    if (!in.declarations.empty()) misfits("moves", in.declarations.front()->span);
    if (!in.lines.empty()) misfits("moves", in.lines.front().span);
    std::vector<ast::Option> entries = in.options;
    for (ast::Option& entry : entries) {
      add_tags(entry, own_);
      if (!replaces() || old.body == nullptr || entry.body == nullptr) continue;
      bool used = false;
      Block body = *entry.body;
      body.statements = with_original(body.statements, old.body->statements, used);
      entry.body = share(std::move(body));
    }
    place(old, std::move(entries), old.tags, out);
  }

  void line(const DeckLine& old, std::vector<DeckLine>& out) {
    if (!marked(old.tags)) {
      out.push_back(old);
      return;
    }
    places.push_back(old.span);
    const DeltaEntries& in = at_.entries;
    for (const StmtRef& stmt : in.statements) {
      if (!std::holds_alternative<OriginalStmt>(stmt->node)) misfits("deck lines", stmt->span);
    }
    if (!in.options.empty()) misfits("deck lines", in.options.front().span);
    if (!in.declarations.empty()) misfits("deck lines", in.declarations.front()->span);
    std::vector<DeckLine> entries = in.lines;
    bool used = false;
    for (DeckLine& entry : entries) {
      if (entry.original && replaces()) {
        entry = old;
        used = true;
      } else {
        add_tags(entry, own_);
      }
    }
    place(old, std::move(entries), used ? Tags{} : old.tags, out);
  }

  /// The declarations to put in; `old` is marked.
  std::vector<DeclRef> declarations(const Decl& old) {
    places.push_back(old.span);
    const DeltaEntries& in = at_.entries;
    std::vector<DeclRef> entries = in.declarations;
    for (const StmtRef& stmt : in.statements) {
      if (DeclRef made = as_declaration(*stmt)) {
        entries.push_back(std::move(made));
      } else {
        misfits("declarations", stmt->span);
      }
    }
    if (!in.options.empty()) misfits("declarations", in.options.front().span);
    for (const DeckLine& line : in.lines) {
      if (!line.original) misfits("declarations", line.span);
    }
    std::stable_sort(entries.begin(), entries.end(), [](const DeclRef& a, const DeclRef& b) { return a->span.begin < b->span.begin; });
    for (DeclRef& entry : entries) add_tags(entry, own_);
    return entries;
  }

  bool replaces() const { return at_.where == DeltaAt::Where::replace; }

  /// `passed_on`: notes that the first entry takes over if it replaces.
  template <class T>
  void place(const T& old, std::vector<T> entries, const Tags& passed_on, std::vector<T>& out) const {
    if (replaces() && !entries.empty()) add_tags(entries.front(), passed_on);
    if (at_.where == DeltaAt::Where::after) out.push_back(old);
    out.insert(out.end(), entries.begin(), entries.end());
    if (at_.where == DeltaAt::Where::before) out.push_back(old);
  }

 private:
  const DeltaAt& at_;
  Tags own_;

  std::vector<StmtRef> own_statements() const {
    std::vector<StmtRef> entries = at_.entries.statements;
    for (StmtRef& entry : entries) {
      if (!std::holds_alternative<OriginalStmt>(entry->node)) add_tags(entry, own_);
    }
    return entries;
  }

  void expect_only_statements(const char* what) {
    const DeltaEntries& in = at_.entries;
    if (!in.options.empty()) misfits(what, in.options.front().span);
    if (!in.declarations.empty()) misfits(what, in.declarations.front()->span);
    for (const DeckLine& line : in.lines) {
      if (!line.original) misfits(what, line.span);
    }
  }

  void misfits(const char* wanted, Span at) {
    if (!misfit.empty()) return;
    misfit = wanted;
    misfit_at = at;
  }
};

}  // namespace

void Sheet::drop_claims_of_base() {
  std::vector<DeclRef> out;
  Rewriter rewriter;
  rewriter.statement = [](const StmtRef& stmt, std::vector<StmtRef>& to) {
    const auto* claim = std::get_if<Claim>(&stmt->node);
    if (claim == nullptr || claim->kind != ClaimKind::sometimes) {
      to.push_back(stmt);
    } else if (!stmt->tags.empty()) {
      to.push_back(share(Stmt{stmt->span, stmt->tags, Note{claim->text}}));
    }
  };
  for (const DeclRef& decl : decls()) {
    const auto* claim = std::get_if<Claim>(&decl->node);
    if (claim == nullptr || claim->kind != ClaimKind::sometimes) {
      out.push_back(rewriter.decl(decl));
    } else if (!decl->tags.empty()) {
      out.push_back(share(Decl{decl->span, decl->tags, NoteDecl{claim->text}}));
    }
  }
  decls() = std::move(out);
  into_.scenarios.clear();
}

void Sheet::apply(const std::vector<Delta>& deltas) {
  for (const Delta& delta : deltas) std::visit([&](const auto& x) { apply(delta, x); }, delta.node);
}

void Sheet::apply(const Delta& delta, const DeltaSet& set) {
  into_.sets.emplace_back(set.name, set.value);
  for (DeclRef& decl : decls()) {
    if (const auto* param = std::get_if<ParamDecl>(&decl->node); param != nullptr && param->name.text == set.name.text) add_tags(decl, delta.tags);
  }
}

void Sheet::apply(const Delta& delta, const DeltaPlayers& players) {
  std::erase_if(decls(), [](const DeclRef& decl) { return std::holds_alternative<PlayersDecl>(decl->node); });
  decls().insert(decls().begin(), share(Decl{delta.span, delta.tags, players.players}));
}

void Sheet::apply(const Delta& delta, const DeclRef& decl) {
  if (std::holds_alternative<ScenarioDecl>(decl->node)) {
    into_.scenarios.push_back(decl);
  } else if (std::holds_alternative<VariantDecl>(decl->node) || std::holds_alternative<SmallDecl>(decl->node)) {
    diagnostics_.report(Code::R0905, delta.span, fmt::format("a `{}` stands inside a variant", identity(*decl).kind)).hint =
        "a variant `of \"...\"` another one stands beside it";
  } else {
    decls().push_back(decl);
  }
}

// ---- replace DECLARATION --------------------------------------------------------------------------------------

std::string Sheet::free_name(Identity wanted) {
  auto taken = [&](const Identity& id) {
    bool found = false;
    Rewriter rewriter;
    rewriter.statement = [&](const StmtRef& stmt, std::vector<StmtRef>&) {
      const DeclRef nested = as_declaration(*stmt);
      found = found || (nested != nullptr && identity(*nested) == id);
    };
    for (const DeclRef& decl : decls()) {
      found = found || identity(*decl) == id;
      if (body_of(*decl) != nullptr) rewriter.decl(decl);
    }
    return found;
  };
  do {
    wanted.name += '\'';
  } while (taken(wanted));
  return wanted.name;
}

DeclRef Sheet::replacement(const Decl& old, const DeclRef& fresh, DeclRef& kept) {
  const auto* old_phase = std::get_if<Phase>(&old.node);
  const auto* new_phase = std::get_if<Phase>(&fresh->node);
  const bool called =
      std::holds_alternative<LetDecl>(old.node) || std::holds_alternative<RuleDecl>(old.node) || (old_phase != nullptr && old_phase->has_params);
  const std::string name = called ? free_name(identity(old)) : "";
  std::vector<ExprRef> args;
  for (const Param& param : params_of(*fresh)) args.push_back(share(Expr{param.name.span, Word{param.name.text}}));
  bool used = false;

  Rewriter rewriter;
  rewriter.original = [&](const Expr& expr) -> ExprRef {
    ExprRef value = value_of(old);
    if (std::holds_alternative<LetDecl>(old.node)) {
      used = true;
      value = share(Expr{expr.span, Call{{name, expr.span}, args}});
    }
    if (value == nullptr) return share(expr);
    into_.originals.emplace_back(expr.span, value);
    return value;
  };
  rewriter.statement = [&](const StmtRef& stmt, std::vector<StmtRef>& out) {
    const BlockRef body = body_of(old);
    if (!std::holds_alternative<OriginalStmt>(stmt->node) || body == nullptr) {
      out.push_back(stmt);
    } else if (called) {
      used = true;
      out.push_back(share(Stmt{stmt->span, stmt->tags, Do{{name, stmt->span}, args}}));
    } else if (old_phase != nullptr && old_phase->loop && (new_phase == nullptr || !new_phase->loop)) {
      // no loop was written instead of the old one, so that goes on
      out.push_back(share(Stmt{stmt->span, stmt->tags, ast::Loop{*old_phase->loop, body}}));
    } else {
      out.insert(out.end(), body->statements.begin(), body->statements.end());
    }
  };
  bool all_lines = false;
  rewriter.line = [&](const DeckLine& line, std::vector<DeckLine>& out) {
    const auto* deck = std::get_if<DeckDecl>(&old.node);
    if (!line.original || deck == nullptr) {
      out.push_back(line);
      return;
    }
    all_lines = true;
    out.insert(out.end(), deck->lines.begin(), deck->lines.end());
  };
  Decl made = *rewriter.decl(fresh);
  if (all_lines) {
    auto& deck = std::get<DeckDecl>(made.node);
    const auto& before = std::get<DeckDecl>(old.node);
    if (deck.csv.empty()) {
      deck.csv = before.csv;
      deck.csv_span = before.csv_span;
    }
  }
  if (used) {
    Decl renamed = old;
    if (auto* let = std::get_if<LetDecl>(&renamed.node)) let->name.text = name;
    if (auto* rule = std::get_if<RuleDecl>(&renamed.node)) rule->name.text = name;
    if (auto* phase = std::get_if<Phase>(&renamed.node)) phase->name.text = name;
    kept = share(std::move(renamed));
  }
  return share(std::move(made));
}

void Sheet::apply(const Delta& delta, const DeltaReplaceDecl& replace) {
  const Identity wanted = identity(*replace.declaration);
  if (wanted.kind == "when" || wanted.kind == "small" || wanted.kind == "variant" || wanted.kind == "scenario") {
    diagnostics_.report(Code::R0905, delta.span, fmt::format("a `{}` cannot be replaced by name", wanted.kind)).hint =
        wanted.kind == "when" ? "give it a margin note and write `replace [TAG] { ... }`" : "";
    return;
  }
  // the notes of this line; without any of its own those of the old declaration, unless that is kept
  DeclRef kept;
  auto tagged = [&](DeclRef made, const Tags& old_tags) {
    add_tags(made, delta.tags);
    if (made->tags.empty() && kept == nullptr) add_tags(made, old_tags);
    return made;
  };
  const auto found = std::find_if(decls().begin(), decls().end(), [&](const DeclRef& decl) { return identity(*decl) == wanted; });
  if (found != decls().end()) {
    const DeclRef old = *found;
    const DeclRef made = tagged(replacement(*old, replace.declaration, kept), old->tags);
    *std::find(decls().begin(), decls().end(), old) = made;
  } else {
    // inside a phase or rule
    std::vector<Span> places;
    Rewriter rewriter;
    rewriter.statement = [&](const StmtRef& stmt, std::vector<StmtRef>& out) {
      const DeclRef old = as_declaration(*stmt);
      if (old == nullptr || identity(*old) != wanted) {
        out.push_back(stmt);
        return;
      }
      places.push_back(stmt->span);
      DeclRef made = tagged(replacement(*old, replace.declaration, kept), old->tags);
      // the notes behind a `{` are in the block already
      Decl bare = *made;
      if (const BlockRef body = body_of(bare)) std::erase_if(bare.tags, [&](const Tag& tag) { return has(body->tags, tag.text); });
      if (StmtRef as_stmt = as_statement(bare)) out.push_back(std::move(as_stmt));
      if (kept != nullptr) out.push_back(as_statement(*kept));
      kept = nullptr;
    };
    const std::vector<DeclRef> all = decls();
    std::vector<DeclRef> out;
    for (const DeclRef& decl : all) out.push_back(rewriter.decl(decl));
    if (places.empty()) {
      report_missing(delta.span, wanted);
      return;
    }
    if (places.size() > 1) {
      Diagnostic& report =
          diagnostics_.report(Code::R0903, delta.span, fmt::format("{} `{}` stands in {} places, so it names none", wanted.kind, wanted.name, places.size()));
      for (const Span& place : places) report.related.push_back({place, "one of them"});
      return;
    }
    decls() = std::move(out);
  }
  if (kept != nullptr) decls().push_back(kept);
}

// ---- before, after, replace [TAG] -----------------------------------------------------------------------------

void Sheet::apply(const Delta& delta, const DeltaAt& at) {
  Splice splice(at, delta.tags);
  Rewriter rewriter;
  rewriter.statement = [&](const StmtRef& stmt, std::vector<StmtRef>& out) { splice.statement(stmt, out); };
  rewriter.branch = [&](const Tags& tags, const BlockRef& block) { return splice.branch(tags, block); };
  rewriter.option = [&](const ast::Option& option, std::vector<ast::Option>& out) { splice.option(option, out); };
  rewriter.line = [&](const DeckLine& line, std::vector<DeckLine>& out) { splice.line(line, out); };
  std::vector<DeclRef> out;
  std::vector<DeclRef> all_kept;
  for (const DeclRef& decl : decls()) {
    DeclRef made = rewriter.decl(decl);
    if (!splice.marked(made->tags)) {
      out.push_back(std::move(made));
      continue;
    }
    std::vector<DeclRef> entries = splice.declarations(*made);
    if (splice.replaces()) {
      for (DeclRef& entry : entries) {
        DeclRef kept;
        entry = replacement(*made, entry, kept);
        if (kept != nullptr) all_kept.push_back(std::move(kept));
      }
    }
    // what is kept under another name keeps its notes
    splice.place(made, std::move(entries), all_kept.empty() ? made->tags : Tags{}, out);
  }
  decls() = std::move(out);
  decls().insert(decls().end(), all_kept.begin(), all_kept.end());

  const Tag& target = at.target.front();
  const DeltaEntries& in = at.entries;
  const bool empty = in.lines.empty() && in.options.empty() && in.statements.empty() && in.declarations.empty();
  if (at.target.size() > 1) {
    diagnostics_.report(Code::R0905, at.target[1].span, "one margin note names the place, not several");
  } else if (splice.places.empty()) {
    diagnostics_.report(Code::R0902, target.span, fmt::format("nothing in the base carries [{}]", target.text));
  } else if (splice.places.size() > 1) {
    Diagnostic& report =
        diagnostics_.report(Code::R0903, target.span, fmt::format("[{}] marks {} places, so it names none", target.text, splice.places.size()));
    for (const Span& place : splice.places) report.related.push_back({place, "one of them"});
    report.hint = "give the line you mean a note of its own";
  } else if (!splice.misfit.empty()) {
    diagnostics_.report(Code::R0905, splice.misfit_at, fmt::format("at [{}] stand {}", target.text, splice.misfit))
        .related.push_back({splice.places.front(), fmt::format("[{}] is here", target.text)});
  } else if (empty && !splice.replaces()) {
    diagnostics_.report(Code::R0905, delta.span, fmt::format("nothing is put beside [{}]", target.text));
  }
}

// ---- remove ---------------------------------------------------------------------------------------------------

void Sheet::apply(const Delta& delta, const DeltaRemove& remove) {
  if (!remove.tags.empty()) {
    remove_tagged(remove.tags);
    std::string list;
    for (const Tag& tag : remove.tags) list += (list.empty() ? "" : ", ") + tag.text;
    keep_documented(delta.span, delta.tags, fmt::format("without [{}]", list));
    return;
  }
  Identity wanted{remove.kind, remove.text.empty() ? remove.name.text : remove.text};
  if (remove.bounded != nullptr) {
    BoundDecl bound;
    bound.value = remove.bounded;
    wanted = identity(Decl{delta.span, {}, bound});
  }
  if (wanted.kind == "score" || wanted.kind == "winner") wanted.name.clear();
  if (wanted.kind == "move" ? !remove_move(wanted.name) : !remove_named(wanted)) {
    report_missing(delta.span, wanted);
    return;
  }
  keep_documented(delta.span, delta.tags, remove.bounded != nullptr ? "without a bound" : fmt::format("without {} {}", wanted.kind, wanted.name));
}

void Sheet::keep_documented(Span span, const Tags& tags, const std::string& text) {
  if (!tags.empty()) decls().push_back(share(Decl{span, tags, NoteDecl{text}}));
}

bool Sheet::remove_move(const std::string& name) {
  bool found = false;
  Rewriter rewriter;
  rewriter.option = [&](const ast::Option& option, std::vector<ast::Option>& out) {
    const bool goes = option.name.text == name;
    found = found || goes;
    if (!goes && (option.group_where == nullptr || !option.group.empty())) out.push_back(option);
  };
  for (DeclRef& decl : decls()) decl = rewriter.decl(decl);
  return found;
}

bool Sheet::remove_named(const Identity& wanted) {
  if (wanted.kind == "when") return false;
  if (std::erase_if(decls(), [&](const DeclRef& decl) { return identity(*decl) == wanted; }) > 0) return true;
  bool found = false;
  Rewriter rewriter;
  rewriter.statement = [&](const StmtRef& stmt, std::vector<StmtRef>& out) {
    const DeclRef nested = as_declaration(*stmt);
    const bool goes = nested != nullptr && identity(*nested) == wanted;
    found = found || goes;
    if (!goes) out.push_back(stmt);
  };
  for (DeclRef& decl : decls()) decl = rewriter.decl(decl);
  return found;
}

void Sheet::remove_tagged(const Tags& tags) {
  std::vector<bool> met(tags.size(), false);
  std::vector<std::vector<Span>> in_company(tags.size());
  auto goes = [&](const Tags& carried, Span span) {
    const bool all = !carried.empty() && std::all_of(carried.begin(), carried.end(), [&](const Tag& tag) { return has(tags, tag.text); });
    for (std::size_t i = 0; i < tags.size(); ++i) {
      if (!has(carried, tags[i].text)) continue;
      if (all) {
        met[i] = true;
      } else {
        in_company[i].push_back(span);
      }
    }
    return all;
  };
  Rewriter rewriter;
  rewriter.statement = [&](const StmtRef& stmt, std::vector<StmtRef>& out) {
    if (!goes(tags_of(*stmt), stmt->span)) out.push_back(stmt);
  };
  rewriter.branch = [&](const Tags& carried, const BlockRef& block) { return goes(carried, block->span) ? nullptr : block; };
  rewriter.option = [&](const ast::Option& option, std::vector<ast::Option>& out) {
    if (!goes(option.tags, option.span) && (option.group_where == nullptr || !option.group.empty())) out.push_back(option);
  };
  rewriter.line = [&](const DeckLine& line, std::vector<DeckLine>& out) {
    if (!goes(line.tags, line.span)) out.push_back(line);
  };
  std::vector<DeclRef> out;
  for (const DeclRef& decl : decls()) {
    DeclRef made = rewriter.decl(decl);
    if (!goes(decl->tags, decl->span)) out.push_back(std::move(made));
  }
  decls() = std::move(out);
  for (std::size_t i = 0; i < tags.size(); ++i) {
    if (met[i]) continue;
    Diagnostic& report = in_company[i].empty()
                             ? diagnostics_.report(Code::R0902, tags[i].span, fmt::format("nothing in the base carries [{}]", tags[i].text))
                             : diagnostics_.report(Code::R0902, tags[i].span, fmt::format("nothing carries only [{}], so nothing is removed", tags[i].text));
    for (const Span& place : in_company[i]) report.related.push_back({place, "carries other clauses too"});
  }
}

void Sheet::report_missing(Span span, const Identity& wanted) {
  std::vector<std::string> names;
  Rewriter rewriter;
  rewriter.statement = [&](const StmtRef& stmt, std::vector<StmtRef>& out) {
    if (const DeclRef nested = as_declaration(*stmt); nested != nullptr && identity(*nested).kind == wanted.kind) names.push_back(identity(*nested).name);
    out.push_back(stmt);
  };
  rewriter.option = [&](const ast::Option& option, std::vector<ast::Option>& out) {
    if (wanted.kind == "move") names.push_back(option.name.text);
    out.push_back(option);
  };
  for (const DeclRef& decl : decls()) {
    if (identity(*decl).kind == wanted.kind) names.push_back(identity(*decl).name);
    rewriter.decl(decl);
  }
  const bool named = !wanted.name.empty() && wanted.kind != "bound";
  Diagnostic& report = diagnostics_.report(
      Code::R0901, span, named ? fmt::format("the base has no {} `{}`", wanted.kind, wanted.name) : fmt::format("the base has no such `{}`", wanted.kind));
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string_view near = nearest(wanted.name, views);
  if (named && !near.empty()) report.hint = fmt::format("did you mean `{}`?", near);
}

}  // namespace rip::grammar
