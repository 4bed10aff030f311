#include "grammar/written.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "grammar/tokens.h"

namespace rip::grammar {

using namespace ast;

namespace {

class Writer {
 public:
  Writer(const WrittenVersion& version, const Sources& sources) : version_(version), sources_(sources) {
    for (const auto& [place, value] : version.originals) originals_[{place.file, place.begin}] = value;
  }

  std::string script() {
    const Script& script = version_.script;
    if (!version_.heading.empty()) out_ = "# " + version_.heading + "\n";
    const std::vector<Token>& all = tokens_of(script.title_span.file);
    const auto game = std::find_if(all.begin(), all.end(), [](const Token& t) { return t.kind != TokenKind::comment; });
    const auto number = std::find_if(game, all.end(), [](const Token& t) { return t.kind == TokenKind::number; });
    const Span header{script.title_span.file, game->begin, number->end};
    element(header, script.tags, [&] { put(text(header)); });
    for (const DeclRef& decl : script.declarations) declaration(*decl);
    for (const DeclRef& decl : version_.scenarios) declaration(*decl);
    return out_ + "\n";
  }

 private:
  const WrittenVersion& version_;
  const Sources& sources_;
  std::string out_;
  bool comment_open_ = false;  ///< what comes next needs a new line
  Span last_;                  ///< the element written last
  std::map<std::uint32_t, std::vector<Token>> tokens_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, ExprRef> originals_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> instead_;  ///< of the token that begins there
  std::map<std::string, std::string> names_;
  std::set<std::uint32_t> headings_;  ///< those written, by their places in the script of the game

  // ---- places in the sources ----

  const std::vector<Token>& tokens_of(std::uint32_t file) {
    const auto [entry, fresh] = tokens_.try_emplace(file);
    if (fresh) entry->second = tokens(sources_[file].text);
    return entry->second;
  }
  std::size_t token_at(std::uint32_t file, std::uint32_t offset) {
    const std::vector<Token>& all = tokens_of(file);
    return static_cast<std::size_t>(std::lower_bound(all.begin(), all.end(), offset, [](const Token& t, std::uint32_t at) { return t.begin < at; }) - all.begin());
  }
  std::string_view raw(std::uint32_t file, const Token& token) const { return sources_.text({file, token.begin, token.end}); }
  int line_ends(std::uint32_t file, std::uint32_t begin, std::uint32_t end) const {
    const std::string_view between = sources_.text({file, begin, end});
    return static_cast<int>(std::count(between.begin(), between.end(), '\n'));
  }
  /// Whether the comment with this number stands on a line without code.
  bool stands_alone(std::uint32_t file, std::size_t i) {
    const std::vector<Token>& all = tokens_of(file);
    return i == 0 || line_ends(file, all[i - 1].end, all[i].begin) > 0;
  }

  /// An expression in parentheses has the span of what is inside; so has its outermost part. This is the span of the text.
  Span balanced(Span span) {
    const std::vector<Token>& all = tokens_of(span.file);
    int open = 0, missing = 0;
    for (std::size_t i = token_at(span.file, span.begin); i < all.size() && all[i].begin < span.end; ++i) {
      if (raw(span.file, all[i]) == "(") ++open;
      if (raw(span.file, all[i]) != ")") continue;
      if (open > 0) --open;
      else ++missing;
    }
    for (std::size_t i = token_at(span.file, span.begin); missing > 0 && i-- > 0;) {
      if (raw(span.file, all[i]) != "(") continue;
      span.begin = all[i].begin;
      --missing;
    }
    for (std::size_t i = token_at(span.file, span.end); open > 0 && i < all.size(); ++i) {
      if (raw(span.file, all[i]) != ")") continue;
      span.end = all[i].end;
      --open;
    }
    return span;
  }

  // ---- text ----

  /// The source, with what stands there instead of some of its words.
  std::string text(Span span) {
    std::string out;
    const std::vector<Token>& all = tokens_of(span.file);
    std::uint32_t from = span.begin;
    for (std::size_t i = token_at(span.file, span.begin); i < all.size() && all[i].begin < span.end; ++i) {
      const std::pair place{span.file, all[i].begin};
      const auto original = originals_.find(place);
      const auto other = instead_.find(place);
      if (original == originals_.end() && other == instead_.end()) continue;
      out += sources_.text({span.file, from, all[i].begin});
      out += original != originals_.end() ? value_of(*original->second) : other->second;
      from = all[i].end;
    }
    return out + std::string(sources_.text({span.file, from, span.end}));
  }

  /// What the value `original` became.
  std::string value_of(const Expr& value) {
    if (const auto* call = std::get_if<Call>(&value.node); call != nullptr && call->name.text.ends_with('\'')) return called(call->name.text, call->args);
    const Span whole = balanced(value.span);
    const std::string inside = text(whole);
    return tokens(inside).size() == 1 ? inside : "(" + inside + ")";
  }
  std::string called(const std::string& name, const std::vector<ExprRef>& args) {
    std::string list;
    for (const ExprRef& arg : args) list += (list.empty() ? "" : ", ") + std::get<Word>(arg->node).text;
    return fmt::format("{}({})", free_name(name), list);
  }
  /// `f''` is called `original_original_f`.
  std::string free_name(const std::string& name) {
    const auto known = names_.find(name);
    if (known != names_.end()) return known->second;
    std::string made = name;
    while (made.ends_with('\'')) made = "original_" + made.substr(0, made.size() - 1);
    while (is_word_somewhere(made)) made += '_';
    return names_[name] = made;
  }
  bool is_word_somewhere(const std::string& word) {
    std::set<std::uint32_t> files{version_.script.title_span.file};
    for (const DeclRef& decl : version_.script.declarations) files.insert(decl->span.file);
    return std::any_of(files.begin(), files.end(), [&](std::uint32_t file) {
      const std::vector<Token>& all = tokens_of(file);
      return std::any_of(all.begin(), all.end(), [&](const Token& token) { return raw(file, token) == word; });
    });
  }
  void rename(const Name& name) {
    if (name.text.ends_with('\'')) instead_[{name.span.file, name.span.begin}] = free_name(name.text);
  }
  bool written_as(Span span, std::string_view word) {
    const std::size_t i = token_at(span.file, span.begin);
    return i < tokens_of(span.file).size() && raw(span.file, tokens_of(span.file)[i]) == word;
  }

  // ---- the parts of a list ----

  void put(std::string_view piece) {
    if (comment_open_ && !piece.starts_with('\n')) out_ += '\n';
    comment_open_ = false;
    out_ += piece;
  }
  void comment(std::string_view piece) {
    put(piece);
    comment_open_ = true;
  }

  static bool inside(Span inner, Span outer) { return inner.file == outer.file && inner.begin >= outer.begin && inner.end <= outer.end; }

  void notes(const Tags& tags) {
    if (tags.empty()) return;
    std::string list;
    for (const Tag& tag : tags) list += (list.empty() ? "" : ", ") + tag.text;
    put(" [" + list + "]");
  }
  static Tags without(const Tags& tags, const Tags& others) {
    Tags out;
    std::copy_if(tags.begin(), tags.end(), std::back_inserter(out),
                 [&](const Tag& tag) { return std::none_of(others.begin(), others.end(), [&](const Tag& other) { return other.text == tag.text; }); });
    return out;
  }
  /// The notes behind something that was written at `span`, not those in it.
  static Tags behind(const Tags& tags, Span span) {
    Tags out;
    std::copy_if(tags.begin(), tags.end(), std::back_inserter(out), [&](const Tag& tag) { return !inside(tag.span, span); });
    return out;
  }

  /// The first of the comments on lines of their own that stand before this token.
  std::size_t comments_before(std::uint32_t file, std::size_t i) {
    const std::vector<Token>& all = tokens_of(file);
    while (i > 0 && all[i - 1].kind == TokenKind::comment && stands_alone(file, i - 1)) --i;
    return i;
  }
  /// Where the order of a sheet begins whose first element begins at this token: `replace`, `before {`. Else the token.
  std::size_t order_before(std::uint32_t file, std::size_t i) {
    const std::vector<Token>& all = tokens_of(file);
    auto is = [&](std::size_t at, std::string_view word) { return raw(file, all[at]) == word; };
    std::size_t at = comments_before(file, i);
    if (at > 0 && is(at - 1, "replace")) return at - 1;
    if (at < 2 || !is(at - 1, "{") || !is(at - 2, "]")) return i;
    for (at -= 2; at > 0 && !is(at, "["); --at) {
    }
    return at > 0 && (is(at - 1, "replace") || is(at - 1, "before") || is(at - 1, "after")) ? at - 1 : i;
  }
  /// Comments, and the empty lines between them.
  void lines(std::uint32_t file, std::size_t begin, std::size_t end) {
    const std::vector<Token>& all = tokens_of(file);
    for (std::size_t i = begin; i < end; ++i) {
      if (file == version_.script.title_span.file) headings_.insert(all[i].begin);
      out_ += raw(file, all[i]);
      out_ += line_ends(file, all[i].end, all[i + 1].begin) > 1 ? "\n\n" : "\n";
    }
  }

  /// One element of a list, with the comments above it and behind it. It begins a line if it did.
  template <class Write>
  void element(Span span, const Tags& tags, Write write) {
    const std::vector<Token>& all = tokens_of(span.file);
    const std::size_t first = token_at(span.file, span.begin);
    const std::size_t order = order_before(span.file, first);
    const std::size_t lead = comments_before(span.file, order);
    section(span.file, lead);
    const std::uint32_t from = all[lead].begin;
    const int ends = lead == 0 ? 1 : line_ends(span.file, all[lead - 1].end, from);
    const bool follows = inside(last_, {span.file, 0, from}) && line_ends(span.file, last_.end, from) == 0;
    put(ends > 1 ? "\n\n" : ends > 0 || !follows ? "\n" : " ");
    lines(span.file, lead, order);
    if (order != first) lines(span.file, comments_before(span.file, first), first);
    write();
    notes(tags);
    last_ = span;
    trailing(span);
  }

  /// A comment behind it in the same line; notes may stand between.
  void trailing(Span span) {
    const std::vector<Token>& all = tokens_of(span.file);
    std::size_t i = token_at(span.file, span.end);
    while (i < all.size() && raw(span.file, all[i]) == "[" && line_ends(span.file, span.end, all[i].begin) == 0) {
      while (i < all.size() && raw(span.file, all[i]) != "]") ++i;
      if (i < all.size()) last_.end = all[i++].end;
    }
    if (i < all.size() && all[i].kind == TokenKind::comment && line_ends(span.file, last_.end, all[i].begin) == 0) comment("  " + std::string(raw(span.file, all[i])));
  }

  /// The heading of the section that an element stands in, if what stood first there was replaced or removed: a comment
  /// outside of all braces, with an empty line below.
  void section(std::uint32_t file, std::size_t lead) {
    if (file != version_.script.title_span.file) return;
    const std::vector<Token>& all = tokens_of(file);
    int closed = 0;
    for (std::size_t i = lead; i-- > 0;) {
      const std::string_view here = raw(file, all[i]);
      if (here == "}") ++closed;
      if (here == "{" && closed-- == 0) return;  // the element stands in a block
      const bool heading = closed == 0 && all[i].kind == TokenKind::comment && stands_alone(file, i) && line_ends(file, all[i].end, all[i + 1].begin) > 1;
      if (!heading) continue;
      if (headings_.insert(all[i].begin).second) put("\n\n" + std::string(here) + "\n\n");
      return;
    }
  }

  /// `{`, its notes, a comment behind it. `at`: where it stands in the source.
  void open(Span at, const Tags& tags) {
    put(" {");
    notes(tags);
    last_ = {};
    if (at.end <= at.begin || sources_[at.file].text[at.begin] != '{') return;
    last_ = {at.file, at.begin, at.begin + 1};
    trailing({at.file, at.begin, at.begin + 1});
  }
  /// Comments before the brace that ends a block, and the brace.
  void close(Span block) {
    if (block.end > block.begin && sources_[block.file].text[block.end - 1] == '}') {
      const std::vector<Token>& all = tokens_of(block.file);
      const std::size_t brace = token_at(block.file, block.end - 1);
      std::size_t from = brace;
      while (from > 0 && all[from - 1].kind == TokenKind::comment && stands_alone(block.file, from - 1)) --from;
      for (std::size_t i = from; i < brace; ++i) comment("\n" + std::string(raw(block.file, all[i])));
      const bool apart = brace > 0 && line_ends(block.file, all[brace - 1].end, all[brace].begin) > 0;
      put(apart ? "\n}" : " }");
    } else {
      put("\n}");
    }
  }

  // ---- statements ----

  void block(const BlockRef& body) {
    open(body->span, body->tags);
    for (const StmtRef& stmt : body->statements) element(stmt->span, stmt->tags, [&] { statement(*stmt); });
    close(body->span);
  }
  /// What stands before a block, as written.
  void headed(Span whole, const BlockRef& body) {
    put(text({whole.file, whole.begin, body->span.begin}));
    block(body);
  }

  void statement(const Stmt& stmt) {
    std::visit(
        [&](const auto& node) {
          using T = std::decay_t<decltype(node)>;
          if constexpr (std::is_same_v<T, ast::If>) {
            branches(stmt.span, node);
          } else if constexpr (std::is_same_v<T, ast::Loop>) {
            if (written_as(stmt.span, "original")) {
              put(header(node.header));
              block(node.body);
            } else {
              headed(stmt.span, node.body);
            }
          } else if constexpr (std::is_same_v<T, Together> || std::is_same_v<T, ast::Phase> || std::is_same_v<T, ast::When>) {
            if constexpr (std::is_same_v<T, ast::Phase>) rename(node.name);
            headed(stmt.span, node.body);
          } else if constexpr (std::is_same_v<T, ast::Match>) {
            const Span rest = opened(stmt.span, balanced(node.subject->span).end, {});
            for (const MatchStmtArm& arm : node.arms) {
              const Span whole{arm.body->span.file, arm_begin(arm), arm.body->span.end};
              element(whole, arm.tags, [&] { headed(whole, arm.body); });
            }
            close(rest);
          } else if constexpr (std::is_same_v<T, Choose>) {
            const Span rest = opened(stmt.span, node.each ? node.clause->span.end : balanced(node.seat->span).end, node.tags);
            options(node.options);
            close(rest);
          } else if constexpr (std::is_same_v<T, Note>) {
            put(written_as(stmt.span, "note") ? text(stmt.span) : fmt::format("note \"{}\"", node.text));
          } else if constexpr (std::is_same_v<T, Do>) {
            put(written_as(stmt.span, "do") ? text(stmt.span) : "do " + called(node.name.text, node.args));
          } else {
            put(text(stmt.span));
          }
        },
        stmt.node);
  }

  /// What stands before the brace of `whole` that is the first one behind `from`, and the brace. The span from there on.
  Span opened(Span whole, std::uint32_t from, const Tags& tags) {
    const std::vector<Token>& all = tokens_of(whole.file);
    std::size_t brace = token_at(whole.file, from);
    while (raw(whole.file, all[brace]) != "{") ++brace;
    whole.end = std::max(whole.end, all[brace].end);
    put(text({whole.file, whole.begin, all[brace].begin}));
    const Span rest{whole.file, all[brace].begin, whole.end};
    open(rest, tags);
    return rest;
  }

  /// Where the patterns of an arm begin, or its `else`.
  std::uint32_t arm_begin(const MatchStmtArm& arm) {
    if (!arm.patterns.empty()) return balanced(arm.patterns.front()->span).begin;
    std::size_t word = token_at(arm.body->span.file, arm.body->span.begin);
    while (raw(arm.body->span.file, tokens_of(arm.body->span.file)[word]) != "else") --word;
    return tokens_of(arm.body->span.file)[word].begin;
  }

  void branches(Span span, const ast::If& node) {
    if (node.then_block->span.end > 0) {
      headed(span, node.then_block);
    } else {
      put("if " + text(balanced(node.condition->span)) + " { }");
    }
    if (node.else_block == nullptr) return;
    put(" else");
    const BlockRef& rest = node.else_block;
    const auto* chained = rest->statements.size() == 1 && rest->tags.empty() ? std::get_if<ast::If>(&rest->statements.front()->node) : nullptr;
    if (chained != nullptr && written_as(rest->span, "if") && rest->statements.front()->tags.empty()) {
      put(" ");
      branches(rest->statements.front()->span, *chained);
    } else {
      block(rest);
    }
  }

  void options(const std::vector<ast::Option>& list) {
    for (const ast::Option& option : list) {
      if (option.group_where != nullptr) {
        element(option.span, option.tags, [&] {
          const Span rest = opened(option.span, balanced(option.group_where->span).end, {});
          options(option.group);
          close(rest);
        });
      } else {
        element(option.span, without(option.tags, option.body->tags), [&] { headed(option.span, option.body); });
      }
    }
  }

  std::string header(const LoopHeader& loop) {
    auto part = [&](const char* word, const ExprRef& value) { return value == nullptr ? "" : word + text(balanced(value->span)); };
    auto limit = [&](const Limit& most) { return most.kind == Limit::Kind::none ? "" : " " + text(balanced(most.span)); };
    if (const auto* each = std::get_if<ForLoop>(&loop)) return "for " + text(each->clause->span);
    if (const auto* repeat = std::get_if<RepeatLoop>(&loop)) return "repeat" + part(" until ", repeat->until) + limit(repeat->limit);
    const auto& turns = std::get<TurnsLoop>(loop);
    return "turns" + part(" from ", turns.from) + part(" then ", turns.then) + part(" where ", turns.where) + part(" until ", turns.until) + limit(turns.limit);
  }

  // ---- declarations ----

  void declaration(const Decl& decl) {
    element(decl.span, behind(decl.tags, decl.span), [&] {
      std::visit(
          [&](const auto& node) {
            using T = std::decay_t<decltype(node)>;
            if constexpr (std::is_same_v<T, RuleDecl> || std::is_same_v<T, ast::Phase> || std::is_same_v<T, ast::When>) {
              if constexpr (!std::is_same_v<T, ast::When>) rename(node.name);
              headed(decl.span, node.body);
            } else if constexpr (std::is_same_v<T, DeckDecl>) {
              deck(decl, node);
            } else if constexpr (std::is_same_v<T, ParamDecl>) {
              parameter(decl.span, node);
            } else if constexpr (std::is_same_v<T, NoteDecl>) {
              put(written_as(decl.span, "note") ? text(decl.span) : fmt::format("note \"{}\"", node.text));
            } else {
              if constexpr (std::is_same_v<T, LetDecl>) rename(node.name);
              if constexpr (std::is_same_v<T, ScenarioDecl>) {
                if (!node.of.empty()) drop_of(node.of_span);
              }
              put(text(decl.span));
            }
          },
          decl.node);
    });
  }

  /// `of "V"` behind the name of a scenario.
  void drop_of(Span name) {
    const std::size_t i = token_at(name.file, name.begin);
    instead_[{name.file, name.begin}] = "";
    instead_[{name.file, tokens_of(name.file)[i - 1].begin}] = "";
  }

  /// The first such sign outside of all parentheses and brackets, or the end.
  std::uint32_t find_outside(Span span, std::string_view sign) {
    int depth = 0;
    const std::vector<Token>& all = tokens_of(span.file);
    for (std::size_t i = token_at(span.file, span.begin); i < all.size() && all[i].begin < span.end; ++i) {
      const std::string_view here = raw(span.file, all[i]);
      if (depth == 0 && here == sign) return all[i].begin;
      if (here == "(" || here == "[") ++depth;
      if (here == ")" || here == "]") --depth;
    }
    return span.end;
  }

  void parameter(Span span, const ParamDecl& param) {
    if (inside(param.value->span, span)) {
      put(text(span));
    } else {
      put(text({span.file, span.begin, find_outside(span, "=")}) + "= " + text(balanced(param.value->span)));
    }
  }

  void deck(const Decl& decl, const DeckDecl& deck) {
    const std::uint32_t brace = find_outside(decl.span, "{");
    if (!deck.csv.empty()) {
      const std::string path = fmt::format("\"{}\"", version_.card_list(deck.csv, deck.csv_span.file));
      if (inside(deck.csv_span, decl.span)) instead_[{deck.csv_span.file, deck.csv_span.begin}] = path;
      put(text({decl.span.file, decl.span.begin, brace}) + (inside(deck.csv_span, decl.span) ? "" : " from " + path));
    } else {
      put(text({decl.span.file, decl.span.begin, brace}));
    }
    if (deck.lines.empty() && brace == decl.span.end) return;
    Tags own;
    std::copy_if(decl.tags.begin(), decl.tags.end(), std::back_inserter(own), [&](const Tag& tag) { return inside(tag.span, decl.span); });
    open({decl.span.file, brace, decl.span.end}, own);
    for (const DeckLine& line : deck.lines) element(line.span, behind(line.tags, line.span), [&] { put(text(line.span)); });
    close({decl.span.file, brace, decl.span.end});
  }
};

}  // namespace

std::string written(const WrittenVersion& version, const Sources& sources) { return Writer(version, sources).script(); }

}  // namespace rip::grammar
