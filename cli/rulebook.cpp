#include "cli/rulebook.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "grammar/tokens.h"

namespace rip::cli {

namespace {

using namespace ast;

/// `R-2` before `R-10`, `A` before `R`.
struct ClauseOrder {
  static std::tuple<std::string, long, std::string> key(const std::string& tag) {
    const std::size_t dash = tag.find('-');
    std::size_t digits = 0;
    const long number = std::stol(tag.substr(dash + 1), &digits);
    return {tag.substr(0, dash), number, tag.substr(dash + 1 + digits)};
  }
  bool operator()(const std::string& a, const std::string& b) const { return key(a) < key(b); }
};

class Author {
 public:
  Author(const Written& written, const verify::Version& version, const verify::Playable& playable)
      : written_(written), version_(version), playable_(playable), tokens_(grammar::tokens(written.sources[0].text)) {}

  Document write() {
    const Script& script = written_.script;
    section_ = "the title";
    add(Part::Kind::heading, 1, {plain(script.title)}, script.tags);
    if (!version_.name.empty()) add(Part::Kind::paragraph, 0, {plain(version_.title())}, {});
    players();
    components();
    table();
    find_terms();
    course();
    procedures();
    terms();
    result();
    assumptions();
    clauses();
    return std::move(out_);
  }

 private:
  const Written& written_;
  const verify::Version& version_;
  const verify::Playable& playable_;
  std::vector<grammar::Token> tokens_;
  Document out_;
  std::string section_;                                                    ///< the heading that clauses are listed under
  std::map<std::string, std::vector<std::string>, ClauseOrder> clauses_;  ///< where each stands
  std::set<std::string> terms_;                                            ///< the `let`s that rules read

  // ---- pieces ----

  std::string text(Span span) const { return written_.text(span); }
  template <class T>
  void each(const std::function<void(const Decl&, const T&)>& what) const {
    for (const DeclRef& decl : written_.script.declarations) {
      if (const T* node = std::get_if<T>(&decl->node)) what(*decl, *node);
    }
  }

  /// `R-1, A-2`; where they stand is kept for the list of all clauses.
  std::string notes(const Tags& tags) {
    std::string out;
    for (const Tag& tag : tags) {
      out += (out.empty() ? "" : ", ") + tag.text;
      auto& places = clauses_[tag.text];
      if (!section_.empty() && std::find(places.begin(), places.end(), section_) == places.end()) places.push_back(section_);
    }
    return out;
  }
  void add(Part::Kind kind, int level, Text words, const Tags& tags) { out_.push_back({kind, level, std::move(words), notes(tags), {}}); }
  void heading(int level, const std::string& words, const Tags& tags = {}) {
    section_ = words;
    add(Part::Kind::heading, level, {plain(words)}, tags);
  }
  void item(int level, Text words, const Tags& tags = {}) { add(Part::Kind::item, level, std::move(words), tags); }
  /// The rows below the first; nothing if there are none.
  void rows(std::vector<std::vector<Text>> all) {
    if (all.size() > 1) out_.push_back({Part::Kind::table, 0, {}, "", std::move(all)});
  }
  static Text cell(const std::string& words) { return words.empty() ? Text{} : Text{code(words)}; }
  Text clause_cell(const Tags& tags) {
    notes(tags);
    Text out;
    for (const Tag& tag : tags) {
      if (!out.empty()) out.push_back(plain(", "));
      out.push_back(clause(tag.text));
    }
    return out;
  }
  static Text words(const std::string& said) { return said.empty() ? Text{} : Text{plain(said)}; }

  // ---- comments ----

  std::string_view raw(const grammar::Token& token) const { return written_.sources.text({0, token.begin, token.end}); }
  bool same_line(std::uint32_t begin, std::uint32_t end) const { return written_.sources.text({0, begin, end}).find('\n') == std::string_view::npos; }
  static std::string said(std::string_view comment) {
    const std::size_t begin = comment.find_first_not_of("# ");
    return begin == std::string_view::npos || comment.find("----") != std::string_view::npos ? "" : std::string(comment.substr(begin));
  }
  std::size_t token_at(std::uint32_t offset) const {
    return static_cast<std::size_t>(std::lower_bound(tokens_.begin(), tokens_.end(), offset, [](const grammar::Token& t, std::uint32_t at) { return t.begin < at; }) - tokens_.begin());
  }
  /// Those in lines of their own directly above.
  std::string comment_above(Span span) const {
    std::string out;
    std::size_t i = token_at(span.begin);
    while (i > 0 && tokens_[i - 1].kind == grammar::TokenKind::comment && (i == 1 || !same_line(tokens_[i - 2].end, tokens_[i - 1].begin))) --i;
    for (; tokens_[i].begin < span.begin; ++i) {
      // an empty line below: it speaks of more than this
      const std::string_view below = written_.sources.text({0, tokens_[i].end, tokens_[i + 1].begin});
      if (std::count(below.begin(), below.end(), '\n') > 1) out.clear();
      else if (const std::string here = said(raw(tokens_[i])); !here.empty()) out += (out.empty() ? "" : " ") + here;
    }
    return out;
  }
  /// The one behind it in its line; only notes stand between.
  std::string comment_behind(Span span) const {
    std::size_t i = token_at(span.end);
    while (i < tokens_.size() && raw(tokens_[i]) == "[" && same_line(span.end, tokens_[i].begin)) {
      while (i < tokens_.size() && raw(tokens_[i]) != "]") ++i;
      ++i;
    }
    return i < tokens_.size() && tokens_[i].kind == grammar::TokenKind::comment && same_line(span.end, tokens_[i].begin) ? said(raw(tokens_[i])) : "";
  }
  std::string comments(Span span) const {
    const std::string above = comment_above(span), behind = comment_behind(span);
    return above + (above.empty() || behind.empty() ? "" : " ") + behind;
  }

  // ---- players, components, table ----

  void players() {
    section_ = "players";
    each<PlayersDecl>([&](const Decl& decl, const PlayersDecl& node) {
      const std::string low = text(node.low->span), high = text(node.high->span);
      std::string line = "For " + (low == high ? low : low + " to " + high) + " players";
      if (node.usually) line += fmt::format(", usually {}", *node.usually);
      add(Part::Kind::paragraph, 0, {plain(line + ".")}, decl.tags);
    });
    each<NoteDecl>([&](const Decl& decl, const NoteDecl& note) { add(Part::Kind::paragraph, 0, prose(note.text), decl.tags); });
  }

  /// `4 x <5>`, `2 x <10>`, or how many kinds there are.
  Text contents(const std::string& deck, std::size_t& number) const {
    const Box& box = playable_.box;
    std::vector<std::pair<std::string, std::size_t>> kinds;
    number = 0;
    std::set<int> owners;
    for (std::uint32_t id = 0; id < box.components.size(); ++id) {
      const Component& component = box.components[id];
      const rules::Rules& rules = *playable_.rules;
      if (rules.zones[rules.decks[component.deck].zone].name != deck) continue;
      ++number;
      owners.insert(component.owner);
      std::string kind = phrase(rules, box, id);
      if (component.owner >= 0) kind = kind.substr(kind.find('<'));
      const auto known = std::find_if(kinds.begin(), kinds.end(), [&](const auto& entry) { return entry.first == kind; });
      if (known == kinds.end()) kinds.emplace_back(kind, 1);
      else ++known->second;
    }
    if (kinds.size() > 24) return {plain(fmt::format("{} different", kinds.size()))};
    Text out;
    for (const auto& [kind, count] : kinds) {
      if (!out.empty() || owners.size() > 1) out.push_back(plain(out.empty() ? "each player: " : ", "));
      out.push_back(code(fmt::format("{} x {}", count / std::max<std::size_t>(1, owners.size()), kind)));
    }
    return out;
  }

  void components() {
    heading(2, "Components");
    each<ComponentDecl>([&](const Decl& decl, const ComponentDecl& component) {
      Text line{strong(component.name.text), plain(component.kind == ComponentKind::card ? ", a card" : component.kind == ComponentKind::token ? ", a token" : ", a die")};
      if (component.faces != nullptr) line.push_back(plain(" with " + text(component.faces->span)));
      for (std::size_t i = 0; i < component.attributes.size(); ++i) {
        const AttributeDecl& attribute = component.attributes[i];
        line.push_back(plain(i == 0 ? ": " : ", "));
        line.push_back(code(attribute.name.text));
        line.push_back(plain(" " + text(attribute.type->span) + (attribute.back ? " (on the back too)" : "")));
      }
      if (const std::string said_of = comments(decl.span); !said_of.empty()) line.push_back(plain(" (" + said_of + ")"));
      item(0, std::move(line), decl.tags);
    });
    std::vector<std::vector<Text>> all{{words("deck"), words("of"), words("number"), words("contents"), words("clauses"), words("remarks")}};
    each<DeckDecl>([&](const Decl& decl, const DeckDecl& deck) {
      std::size_t number = 0;
      Text inside = contents(deck.name.text, number);
      if (!deck.csv.empty()) inside.push_back(plain(", listed in " + deck.csv));
      Tags tags = decl.tags;
      for (const DeckLine& line : deck.lines) tags.insert(tags.end(), line.tags.begin(), line.tags.end());
      all.push_back({cell(deck.name.text), words(deck.type.text), words(std::to_string(number)), std::move(inside), clause_cell(tags), prose(comments(decl.span))});
    });
    rows(std::move(all));
    if (out_.back().kind == Part::Kind::table) add(Part::Kind::paragraph, 0, {plain(fmt::format("Counted for {} players.", playable_.players()))}, {});
  }

  void table() {
    heading(2, "The table");
    std::vector<std::vector<Text>> zones{{words("place"), words("what it is"), words("more"), words("clauses"), words("remarks")}};
    each<ZoneDecl>([&](const Decl& decl, const ZoneDecl& zone) {
      static constexpr const char* kKinds[] = {"pile", "row", "place", "hand"};
      zones.push_back({cell(text({0, zone.name.span.begin, zone.index.empty() ? zone.name.span.end : zone.index.back().second->span.end}) + (zone.index.empty() ? "" : "]")),
                       words(fmt::format("{} of {}", kKinds[static_cast<int>(zone.kind)], zone.type.text)), cell(text({0, zone.type.span.end, decl.span.end})), clause_cell(decl.tags),
                       prose(comments(decl.span))});
    });
    rows(std::move(zones));
    std::vector<std::vector<Text>> vars{{words("number or mark"), words("values"), words("at the start"), words("seen by"), words("clauses"), words("remarks")}};
    each<VarDecl>([&](const Decl& decl, const VarDecl& var) {
      vars.push_back({cell(text({0, var.name.span.begin, var.index.empty() ? var.name.span.end : var.index.back().second->span.end}) + (var.index.empty() ? "" : "]")),
                      cell(var.type == nullptr ? "" : text(var.type->span)), cell(var.start == nullptr ? "" : text(var.start->span)), cell(var.seen_by == nullptr ? "" : text(var.seen_by->span)),
                      clause_cell(decl.tags), prose(comments(decl.span))});
    });
    rows(std::move(vars));
  }

  // ---- the course of the game ----

  void course() {
    heading(2, "The course of the game");
    each<ast::Phase>([&](const Decl& decl, const ast::Phase& node) {
      heading(3, node.name.text == "setup" ? "Set-up" : "Phase " + node.name.text, decl.tags);
      phase(decl.span, node, 0);
    });
    bool first = true;
    each<When>([&](const Decl& decl, const When& when) {
      if (first) heading(3, "At any time");
      first = false;
      trigger(decl.span, when, decl.tags, 0);
    });
  }

  void said_above(Span span, int level) {
    if (const std::string above = comment_above(span); !above.empty()) item(level, prose(above));
  }
  static Text ended(Text line, const std::string& behind) {
    if (behind.empty()) return line;
    line.push_back(plain(" (" + behind + ")"));
    return line;
  }
  std::string comment_inside(const BlockRef& body) const { return comment_behind({0, body->span.begin, body->span.begin + 1}); }

  /// What is below the heading or name of a phase: its loop and its statements.
  void phase(Span span, const ast::Phase& node, int level) {
    if (level == 0) {
      if (const std::string above = comments(span); !above.empty()) add(Part::Kind::paragraph, 0, prose(above), {});
    }
    if (node.loop) {
      const std::string header = text({0, node.name.span.end, node.body->span.begin});
      Text line{plain("Runs "), code(header), plain(":")};
      if (level == 0) add(Part::Kind::paragraph, 0, ended(std::move(line), comment_inside(node.body)), {});
    }
    block(node.body, level);
  }
  void trigger(Span span, const When& when, const Tags& tags, int level) {
    const std::string header = text({0, span.begin, when.body->span.begin});
    said_above(span, level);
    item(level, {plain("At once "), code(header), plain(":")}, tags);
    block(when.body, level + 1);
  }
  void block(const BlockRef& body, int level) {
    for (const StmtRef& stmt : body->statements) statement(*stmt, level);
  }
  static Tags joined(Tags tags, const BlockRef& body) {
    tags.insert(tags.end(), body->tags.begin(), body->tags.end());
    return tags;
  }
  /// `HEADER:` and what stands in its block, below.
  void headed(Text line, const Tags& tags, const BlockRef& body, int level) {
    if (body->statements.empty()) line.push_back(plain(" nothing happens"));
    item(level, ended(std::move(line), comment_inside(body)), joined(tags, body));
    block(body, level + 1);
  }

  void statement(const Stmt& stmt, int level) {
    if (std::holds_alternative<Claim>(stmt.node)) {
      notes(stmt.tags);
      return;
    }
    if (!std::holds_alternative<When>(stmt.node)) said_above(stmt.span, level);
    std::visit(
        [&](const auto& x) {
          using T = std::decay_t<decltype(x)>;
          if constexpr (std::is_same_v<T, ast::If>) {
            branches(stmt.span, x, stmt.tags, level, "If ");
          } else if constexpr (std::is_same_v<T, ast::Loop>) {
            headed({code(text({0, stmt.span.begin, x.body->span.begin})), plain(":")}, stmt.tags, x.body, level);
          } else if constexpr (std::is_same_v<T, Together>) {
            headed({plain("All at the same moment:")}, stmt.tags, x.body, level);
          } else if constexpr (std::is_same_v<T, ast::Match>) {
            item(level, {plain("By "), code(text(x.subject->span)), plain(":")}, stmt.tags);
            for (const MatchStmtArm& arm : x.arms) {
              std::string patterns;
              for (const ExprRef& pattern : arm.patterns) patterns += (patterns.empty() ? "" : ", ") + text(pattern->span);
              headed({patterns.empty() ? plain("otherwise") : code(patterns), plain(":")}, arm.tags, arm.body, level + 1);
            }
          } else if constexpr (std::is_same_v<T, Choose>) {
            Text line;
            if (x.each) line = {plain("All choose at the same time, each "), code(text(x.clause->span)), plain(":")};
            else line = {code(text(x.seat->span)), plain(x.secretly ? " chooses, and nobody else is told what:" : " chooses:")};
            Tags tags = stmt.tags;
            tags.insert(tags.end(), x.tags.begin(), x.tags.end());
            item(level, std::move(line), tags);
            options(x.options, level + 1);
          } else if constexpr (std::is_same_v<T, Note>) {
            item(level, prose(x.text), stmt.tags);
          } else if constexpr (std::is_same_v<T, ast::Phase>) {
            Text line{strong(x.name.text)};
            const std::string header = text({0, x.name.span.end, x.body->span.begin});
            if (!header.empty()) line.insert(line.end(), {plain(", "), code(header)});
            line.push_back(plain(":"));
            item(level, ended(std::move(line), comment_inside(x.body)), joined(stmt.tags, x.body));
            phase(stmt.span, x, level + 1);
          } else if constexpr (std::is_same_v<T, When>) {
            trigger(stmt.span, x, joined(stmt.tags, x.body), level);
          } else {
            item(level, ended({code(text(stmt.span))}, comment_behind(stmt.span)), stmt.tags);
          }
        },
        stmt.node);
  }

  void branches(Span span, const ast::If& node, const Tags& tags, int level, const char* word) {
    const std::string header = text({0, span.begin, node.then_block->span.begin});
    headed({plain(word), code(header.substr(3)), plain(":")}, tags, node.then_block, level);
    if (node.else_block == nullptr) return;
    const auto* chained = node.else_block->statements.size() == 1 && written_.source(node.else_block->span).starts_with("if")
                              ? std::get_if<ast::If>(&node.else_block->statements.front()->node)
                              : nullptr;
    if (chained != nullptr) {
      branches(node.else_block->span, *chained, node.else_block->statements.front()->tags, level, "Otherwise, if ");
    } else {
      headed({plain("Otherwise:")}, {}, node.else_block, level);
    }
  }

  void options(const std::vector<ast::Option>& list, int level) {
    for (const ast::Option& option : list) {
      said_above(option.span, level);
      if (option.group_where != nullptr) {
        item(level, {plain("Where "), code(text(option.group_where->span)), plain(":")}, option.tags);
        options(option.group, level + 1);
        continue;
      }
      Text line{plain(option.otherwise ? "if nothing else is possible, " : option.secretly ? "secretly, " : ""), strong(option.name.text)};
      const std::string header = text({0, option.name.span.end, option.body->span.begin});
      if (!header.empty()) line.insert(line.end(), {plain(" "), code(header)});
      if (!option.body->statements.empty()) line.push_back(plain(":"));
      item(level, ended(std::move(line), comment_inside(option.body)), option.tags);
      block(option.body, level + 1);
    }
  }

  // ---- procedures and terms ----

  void procedures() {
    bool first = true;
    each<RuleDecl>([&](const Decl& decl, const RuleDecl& rule) {
      if (first) heading(2, "Procedures");
      first = false;
      const std::string name = text({0, rule.name.span.begin, rule.body->span.begin});
      heading(3, name, decl.tags);
      if (const std::string above = comment_above(decl.span); !above.empty()) add(Part::Kind::paragraph, 0, prose(above), {});
      block(rule.body, 0);
    });
  }

  /// The `let`s that something else than claims reads.
  void find_terms() {
    std::map<std::string, Span> lets;
    std::vector<Span> readers;
    for (const DeclRef& decl : written_.script.declarations) {
      if (const auto* let = std::get_if<LetDecl>(&decl->node)) lets[let->name.text] = decl->span;
      const auto& node = decl->node;
      if (std::holds_alternative<RuleDecl>(node) || std::holds_alternative<ast::Phase>(node) || std::holds_alternative<When>(node) || std::holds_alternative<ScoreDecl>(node) ||
          std::holds_alternative<WinnerDecl>(node) || std::holds_alternative<ZoneDecl>(node) || std::holds_alternative<VarDecl>(node)) {
        readers.push_back(decl->span);
      }
    }
    while (!readers.empty()) {
      const Span span = readers.back();
      readers.pop_back();
      for (std::size_t i = token_at(span.begin); i < tokens_.size() && tokens_[i].begin < span.end; ++i) {
        // claims among statements are passed over up to the end of their line
        const std::string_view word = raw(tokens_[i]);
        if (word == "always" || word == "never" || word == "sometimes") {
          while (i + 1 < tokens_.size() && same_line(tokens_[i].end, tokens_[i + 1].begin)) ++i;
          continue;
        }
        if (i + 1 == tokens_.size() || raw(tokens_[i + 1]) != "(") continue;
        const auto let = lets.find(std::string(word));
        if (let != lets.end() && terms_.insert(let->first).second) readers.push_back(let->second);
      }
    }
  }

  void terms() {
    if (terms_.empty()) return;
    heading(2, "Terms");
    each<LetDecl>([&](const Decl& decl, const LetDecl& let) {
      if (!terms_.contains(let.name.text)) return;
      const std::string whole = text(decl.span);
      const std::size_t equals = whole.find(" = ");
      Text line{strong(whole.substr(4, equals - 4)), plain(" is "), code(whole.substr(equals + 3))};
      item(0, ended(std::move(line), comments(decl.span)), decl.tags);
    });
  }

  // ---- the result, what was assumed, clauses ----

  void early_ends(const PhaseOutline& phase) {
    for (const EndOutline& end : phase.ends) {
      const std::string where = phase.name.starts_with("when ") ? phase.name : "phase " + phase.name;
      if (end.phase.empty()) item(0, {plain("earlier: "), code(end.what), plain(" in "), code(where)});
    }
    for (const PhaseOutline& inner : phase.inner) early_ends(inner);
  }

  void result() {
    heading(2, "The end, and who wins");
    const Outline seen = outline(written_);
    item(0, {plain("The game ends when the last phase has ended.")});
    for (const PhaseOutline& phase : seen.phases) early_ends(phase);
    for (const PhaseOutline& trigger : seen.triggers) early_ends(trigger);
    each<ScoreDecl>([&](const Decl& decl, const ScoreDecl&) { item(0, ended({code(text(decl.span))}, comments(decl.span)), decl.tags); });
    each<WinnerDecl>([&](const Decl& decl, const WinnerDecl&) { item(0, ended({code(text(decl.span))}, comments(decl.span)), decl.tags); });
  }

  void assumptions() {
    std::vector<std::vector<Text>> all{{words("parameter"), words("values"), words("value"), words("clauses"), words("remarks")}};
    section_ = "Numbers that can be changed";
    each<ParamDecl>([&](const Decl& decl, const ParamDecl& param) {
      all.push_back({cell(text({0, param.name.span.begin, param.index.empty() ? param.name.span.end : param.index.back().second->span.end}) + (param.index.empty() ? "" : "]")),
                     cell(text(param.type->span)), cell(text({0, param.value->span.begin, decl.span.end})), clause_cell(decl.tags), prose(comments(decl.span))});
    });
    if (all.size() > 1) heading(2, section_);
    rows(std::move(all));
    each<Require>([&](const Decl& decl, const Require& require) { item(0, {plain(require.text + ": "), code(text(require.condition->span))}, decl.tags); });
  }

  void clauses() {
    section_.clear();
    std::map<std::string, std::vector<std::string>, ClauseOrder> all = std::move(clauses_);
    std::vector<std::vector<Text>> table{{words("clause"), words("stands in")}};
    for (const auto& [id, places] : all) {
      std::string list;
      for (const std::string& place : places) list += (list.empty() ? "" : ", ") + place;
      table.push_back({{clause(id)}, words(list)});
    }
    if (table.size() < 2) return;
    heading(2, "Clauses");
    rows(std::move(table));
  }
};

}  // namespace

Document rulebook(const Written& written, const verify::Version& version, const verify::Playable& playable) { return Author(written, version, playable).write(); }

}  // namespace rip::cli
