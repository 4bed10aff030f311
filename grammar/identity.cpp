#include "grammar/identity.h"

#include <fmt/format.h>

#include <string_view>
#include <type_traits>

namespace rip::grammar {

using namespace ast;

namespace {

std::string brief(const ExprRef& expr);

std::string brief(const std::vector<ExprRef>& list) {
  std::string out;
  for (const ExprRef& item : list) out += brief(item) + ",";
  return out;
}

/// A canonical text of an expression: enough to say that two bounds are about the same value.
std::string brief(const ExprRef& expr) {
  if (expr == nullptr) return "";
  return std::visit(
      [&](const auto& x) -> std::string {
        using T = std::decay_t<decltype(x)>;
        if constexpr (std::is_same_v<T, Word>) return x.text;
        if constexpr (std::is_same_v<T, IntLit>) return std::to_string(x.value);
        if constexpr (std::is_same_v<T, Index>) return brief(x.base) + "[" + brief(x.args) + "]";
        if constexpr (std::is_same_v<T, ast::Attribute>) return brief(x.base) + "." + x.name.text;
        if constexpr (std::is_same_v<T, Call>) return x.name.text + "(" + brief(x.args) + ")";
        if constexpr (std::is_same_v<T, Unary>) return fmt::format("({}{})", static_cast<int>(x.op), brief(x.operand));
        if constexpr (std::is_same_v<T, Binary>) return fmt::format("({} {} {})", brief(x.left), static_cast<int>(x.op), brief(x.right));
        if constexpr (std::is_same_v<T, AllOf>) return brief(x.of);
        if constexpr (std::is_same_v<T, Aggregate>) {
          std::string out = fmt::format("{}({};{}", static_cast<int>(x.kind), brief(x.value), brief(x.args));
          if (x.clause != nullptr) {
            for (const Binder& binder : x.clause->binders) out += fmt::format(" {} in {}", binder.name.text, brief(binder.source));
            out += " where " + brief(x.clause->where);
          }
          return out + ")";
        }
        return fmt::format("@{}:{}", expr->span.file, expr->span.begin);
      },
      expr->node);
}

std::string_view word(ComponentKind kind) {
  switch (kind) {
    case ComponentKind::card: return "card";
    case ComponentKind::token: return "token";
    case ComponentKind::die: return "die";
  }
  return "";
}

std::string_view word(ClaimKind kind) {
  switch (kind) {
    case ClaimKind::always: return "always";
    case ClaimKind::never: return "never";
    case ClaimKind::sometimes: return "sometimes";
  }
  return "";
}

struct Identify {
  Identity operator()(const PlayersDecl&) const { return {"players", ""}; }
  Identity operator()(const NoteDecl& x) const { return {"note", x.text}; }
  Identity operator()(const Require& x) const { return {"require", x.text}; }
  Identity operator()(const ParamDecl& x) const { return {"param", x.name.text}; }
  Identity operator()(const EnumDecl& x) const { return {"enum", x.name.text}; }
  Identity operator()(const ComponentDecl& x) const { return {std::string(word(x.kind)), x.name.text}; }
  Identity operator()(const DeckDecl& x) const { return {"deck", x.name.text}; }
  Identity operator()(const ZoneDecl& x) const { return {"zone", x.name.text}; }
  Identity operator()(const VarDecl& x) const { return {x.money ? "money" : "var", x.name.text}; }
  Identity operator()(const LetDecl& x) const { return {"let", x.name.text}; }
  Identity operator()(const RuleDecl& x) const { return {"rule", x.name.text}; }
  Identity operator()(const Phase& x) const { return {"phase", x.name.text}; }
  Identity operator()(const When&) const { return {"when", ""}; }
  Identity operator()(const ScoreDecl&) const { return {"score", ""}; }
  Identity operator()(const WinnerDecl&) const { return {"winner", ""}; }
  Identity operator()(const ReportDecl& x) const { return {"report", x.text}; }
  Identity operator()(const Claim& x) const { return {std::string(word(x.kind)), x.text}; }
  Identity operator()(const BoundDecl& x) const { return {"bound", brief(x.value)}; }
  Identity operator()(const SmallDecl& x) const { return {"small", x.name}; }
  Identity operator()(const VariantDecl& x) const { return {"variant", x.name}; }
  Identity operator()(const ScenarioDecl& x) const { return {"scenario", x.name}; }
};

}  // namespace

Identity identity(const Decl& decl) { return std::visit(Identify{}, decl.node); }

DeclRef as_declaration(const Stmt& stmt) {
  return std::visit(
      [&](const auto& x) -> DeclRef {
        using T = std::decay_t<decltype(x)>;
        Decl made{stmt.span, stmt.tags, NoteDecl{}};
        if constexpr (std::is_same_v<T, Phase> || std::is_same_v<T, When>) made.tags.insert(made.tags.end(), x.body->tags.begin(), x.body->tags.end());
        if constexpr (std::is_same_v<T, VarDecl> || std::is_same_v<T, Claim> || std::is_same_v<T, Phase> || std::is_same_v<T, When>) {
          made.node = x;
        } else if constexpr (std::is_same_v<T, Note>) {
          made.node = NoteDecl{x.text};
        } else {
          return nullptr;
        }
        return std::make_shared<const Decl>(std::move(made));
      },
      stmt.node);
}

StmtRef as_statement(const Decl& decl) {
  return std::visit(
      [&](const auto& x) -> StmtRef {
        using T = std::decay_t<decltype(x)>;
        Stmt made{decl.span, decl.tags, Stop{}};
        if constexpr (std::is_same_v<T, VarDecl> || std::is_same_v<T, Claim> || std::is_same_v<T, Phase> || std::is_same_v<T, When>) {
          made.node = x;
        } else if constexpr (std::is_same_v<T, NoteDecl>) {
          made.node = Note{x.text};
        } else {
          return nullptr;
        }
        return std::make_shared<const Stmt>(std::move(made));
      },
      decl.node);
}

}  // namespace rip::grammar
