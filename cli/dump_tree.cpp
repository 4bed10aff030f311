// Tokens and the syntax tree.
#include "cli/dump.h"

#include "grammar/tokens.h"

#include <fmt/format.h>

#include <cctype>

namespace rip::cli {

namespace {

const char* kind_of(grammar::TokenKind kind) {
  switch (kind) {
    case grammar::TokenKind::word: return "word";
    case grammar::TokenKind::type: return "type";
    case grammar::TokenKind::number: return "number";
    case grammar::TokenKind::string: return "string";
    case grammar::TokenKind::sign: return "sign";
    case grammar::TokenKind::comment: return "comment";
  }
  return "";
}

/// White space in one line.
std::string flat(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      if (!out.empty() && out.back() != ' ') out += ' ';
    } else {
      out += c;
    }
  }
  return out;
}

class Tree {
 public:
  explicit Tree(const Sources& sources) : sources_(sources) {}

  std::string script(const ast::Script& script) {
    line(0, fmt::format("game \"{}\" language {}", script.title, script.language), script.tags);
    for (const ast::DeclRef& decl : script.declarations) declaration(*decl, 1);
    return std::move(out_);
  }

 private:
  std::string text(const ast::ExprRef& expr) const { return expr == nullptr ? "" : flat(sources_.text(expr->span)); }
  std::string text(const ast::ClauseRef& clause) const { return clause == nullptr ? "" : flat(sources_.text(clause->span)); }

  void line(int depth, const std::string& text, const ast::Tags& tags = {}) {
    std::string margin;
    for (const ast::Tag& tag : tags) margin += (margin.empty() ? "" : ", ") + tag.text;
    out_ += std::string(2 * static_cast<std::size_t>(depth), ' ') + text + (margin.empty() ? "" : "  [" + margin + "]") + "\n";
  }

  void declaration(const ast::Decl& decl, int depth) {
    std::visit(
        [&](const auto& node) {
          using T = std::decay_t<decltype(node)>;
          if constexpr (std::is_same_v<T, ast::RuleDecl>) {
            line(depth, fmt::format("rule {}", node.name.text), decl.tags);
            block(node.body, depth + 1);
          } else if constexpr (std::is_same_v<T, ast::Phase>) {
            phase(node, decl.tags, depth);
          } else if constexpr (std::is_same_v<T, ast::When>) {
            when(node, decl.tags, depth);
          } else if constexpr (std::is_same_v<T, ast::ScenarioDecl>) {
            line(depth, fmt::format("scenario \"{}\"{}", node.name, node.of.empty() ? "" : fmt::format(" of \"{}\"", node.of)), decl.tags);
            for (const ast::Step& step : node.steps) line(depth + 1, flat(sources_.text(step.span)), step.tags);
          } else if constexpr (std::is_same_v<T, ast::VariantDecl>) {
            line(depth, fmt::format("variant \"{}\"", node.name), decl.tags);
            for (const ast::Delta& delta : node.deltas) line(depth + 1, flat(sources_.text(delta.span)), delta.tags);
          } else if constexpr (std::is_same_v<T, ast::SmallDecl>) {
            line(depth, fmt::format("small \"{}\"", node.name), decl.tags);
            for (const ast::Delta& delta : node.deltas) line(depth + 1, flat(sources_.text(delta.span)), delta.tags);
          } else {
            line(depth, flat(sources_.text(decl.span)), decl.tags);
          }
        },
        decl.node);
  }

  std::string loop_text(const ast::LoopHeader& header) const {
    return std::visit(
        [&](const auto& loop) -> std::string {
          using T = std::decay_t<decltype(loop)>;
          if constexpr (std::is_same_v<T, ast::ForLoop>) {
            return "for " + text(loop.clause);
          } else if constexpr (std::is_same_v<T, ast::RepeatLoop>) {
            return "repeat" + (loop.until != nullptr ? " until " + text(loop.until) : "") + limit_text(loop.limit);
          } else {
            std::string out = "turns from " + text(loop.from);
            if (loop.then != nullptr) out += " then " + text(loop.then);
            if (loop.where != nullptr) out += " where " + text(loop.where);
            if (loop.until != nullptr) out += " until " + text(loop.until);
            return out + limit_text(loop.limit);
          }
        },
        header);
  }
  std::string limit_text(const ast::Limit& limit) const {
    switch (limit.kind) {
      case ast::Limit::Kind::none: return "";
      case ast::Limit::Kind::cut_off: return " cut off after " + text(limit.value);
      case ast::Limit::Kind::at_most: return " at most " + text(limit.value);
    }
    return "";
  }

  void phase(const ast::Phase& node, const ast::Tags& tags, int depth) {
    line(depth, fmt::format("phase {}{}{}", node.name.text, node.loop ? " " : "", node.loop ? loop_text(*node.loop) : ""), tags);
    block(node.body, depth + 1);
  }
  void when(const ast::When& node, const ast::Tags& tags, int depth) {
    line(depth, "when " + (node.clause != nullptr ? text(node.clause) : text(node.condition)), tags);
    block(node.body, depth + 1);
  }

  void block(const ast::BlockRef& body, int depth) {
    if (body == nullptr) return;
    if (!body->tags.empty()) line(depth, "of this block", body->tags);
    for (const ast::StmtRef& stmt : body->statements) statement(*stmt, depth);
  }

  void options(const std::vector<ast::Option>& list, int depth) {
    for (const ast::Option& option : list) {
      if (option.group_where != nullptr) {
        line(depth, "where " + text(option.group_where), option.tags);
        options(option.group, depth + 1);
        continue;
      }
      line(depth, fmt::format("{}{}move {}({})", option.secretly ? "secretly " : "", option.otherwise ? "otherwise " : "", option.name.text, text(option.clause)), option.tags);
      block(option.body, depth + 1);
    }
  }

  void statement(const ast::Stmt& stmt, int depth) {
    std::visit(
        [&](const auto& node) {
          using T = std::decay_t<decltype(node)>;
          if constexpr (std::is_same_v<T, ast::If>) {
            line(depth, "if " + text(node.condition), stmt.tags);
            block(node.then_block, depth + 1);
            if (node.else_block != nullptr) {
              line(depth, "else");
              block(node.else_block, depth + 1);
            }
          } else if constexpr (std::is_same_v<T, ast::Loop>) {
            line(depth, loop_text(node.header), stmt.tags);
            block(node.body, depth + 1);
          } else if constexpr (std::is_same_v<T, ast::Match>) {
            line(depth, "match " + text(node.subject), stmt.tags);
            for (const ast::MatchStmtArm& arm : node.arms) {
              std::string patterns;
              for (const ast::ExprRef& pattern : arm.patterns) patterns += (patterns.empty() ? "" : ", ") + text(pattern);
              line(depth + 1, patterns.empty() ? "else" : patterns, arm.tags);
              block(arm.body, depth + 2);
            }
          } else if constexpr (std::is_same_v<T, ast::Choose>) {
            line(depth, fmt::format("choose {}{}{}", node.each ? "each " : "", node.each ? text(node.clause) : text(node.seat), node.secretly ? " secretly" : ""), stmt.tags);
            options(node.options, depth + 1);
          } else if constexpr (std::is_same_v<T, ast::Together>) {
            line(depth, "together", stmt.tags);
            block(node.body, depth + 1);
          } else if constexpr (std::is_same_v<T, ast::Phase>) {
            phase(node, stmt.tags, depth);
          } else if constexpr (std::is_same_v<T, ast::When>) {
            when(node, stmt.tags, depth);
          } else {
            line(depth, flat(sources_.text(stmt.span)), stmt.tags);
          }
        },
        stmt.node);
  }

  const Sources& sources_;
  std::string out_;
};

}  // namespace

std::string dump_tokens(const Sources& sources, std::uint32_t file) {
  const std::string_view text = sources[file].text;
  std::string out;
  for (const grammar::Token& token : grammar::tokens(text)) {
    if (token.kind == grammar::TokenKind::comment) continue;
    const Place place = sources.place(file, token.begin);
    out += fmt::format("{}:{} {} {}\n", place.line, place.column, kind_of(token.kind), text.substr(token.begin, token.end - token.begin));
  }
  return out;
}

std::string dump_tree(const ast::Script& script, const Sources& sources) { return Tree(sources).script(script); }

}  // namespace rip::cli
