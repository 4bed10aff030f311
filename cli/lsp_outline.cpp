#include "cli/lsp_outline.h"

#include <fmt/format.h>

#include <type_traits>

namespace rip::cli::lsp {

namespace {

std::string tags_text(const ast::Tags& tags) {
  std::string out;
  for (const ast::Tag& tag : tags) out += (out.empty() ? "" : ", ") + tag.text;
  return out;
}

const char* zone_kind(ast::ZoneKind kind) {
  switch (kind) {
    case ast::ZoneKind::pile: return "pile";
    case ast::ZoneKind::row: return "row";
    case ast::ZoneKind::place: return "place";
    case ast::ZoneKind::hand: return "hand";
  }
  return "";
}

using Parts = std::vector<OutlinePart>;

OutlinePart part(PartKind kind, const ast::Name& name, std::string detail, Span whole) {
  return {kind, name.text, std::move(detail), join(whole, name.span), name.span, {}};
}

/// For what has a text or nothing instead of a name: the whole is where the reader is sent.
OutlinePart part(PartKind kind, std::string text, std::string detail, Span whole) { return {kind, std::move(text), std::move(detail), whole, whole, {}}; }

void add_block(const ast::BlockRef& block, Parts& into);

void add_options(const std::vector<ast::Option>& options, Parts& into) {
  for (const ast::Option& option : options) {
    if (option.group_where != nullptr) {
      add_options(option.group, into);
      continue;
    }
    if (!option.name) continue;
    into.push_back(part(PartKind::method, option.name, tags_text(option.tags), option.span));
    add_block(option.body, into.back().parts);
  }
}

void add_phase(const ast::Phase& phase, const ast::Tags& tags, Span span, Parts& into) {
  into.push_back(part(PartKind::name_space, phase.name, tags_text(tags), span));
  add_block(phase.body, into.back().parts);
}

void add_when(const ast::When& when, const ast::Tags& tags, Span span, Parts& into) {
  into.push_back(part(PartKind::event, "when", tags_text(tags), span));
  add_block(when.body, into.back().parts);
}

// Phases, triggers, variables and moves, however deep they stand among the statements.
void add_statement(const ast::Stmt& stmt, Parts& into) {
  std::visit(
      [&](const auto& n) {
        using T = std::decay_t<decltype(n)>;
        if constexpr (std::is_same_v<T, ast::Phase>) add_phase(n, stmt.tags, stmt.span, into);
        else if constexpr (std::is_same_v<T, ast::When>) add_when(n, stmt.tags, stmt.span, into);
        else if constexpr (std::is_same_v<T, ast::VarDecl>) into.push_back(part(PartKind::variable, n.name, n.money ? "money" : "var", stmt.span));
        else if constexpr (std::is_same_v<T, ast::Choose>) add_options(n.options, into);
        else if constexpr (std::is_same_v<T, ast::Loop> || std::is_same_v<T, ast::Together>) add_block(n.body, into);
        else if constexpr (std::is_same_v<T, ast::If>) {
          add_block(n.then_block, into);
          add_block(n.else_block, into);
        } else if constexpr (std::is_same_v<T, ast::Match>) {
          for (const ast::MatchStmtArm& arm : n.arms) add_block(arm.body, into);
        }
      },
      stmt.node);
}

void add_block(const ast::BlockRef& block, Parts& into) {
  if (block == nullptr) return;
  for (const ast::StmtRef& stmt : block->statements) add_statement(*stmt, into);
}

void add_declaration(const ast::Decl& decl, Parts& into);

void add_deltas(const std::vector<ast::Delta>& deltas, Parts& into) {
  for (const ast::Delta& delta : deltas) {
    if (const auto* fresh = std::get_if<ast::DeclRef>(&delta.node)) {
      add_declaration(**fresh, into);
    } else if (const auto* other = std::get_if<ast::DeltaReplaceDecl>(&delta.node)) {
      add_declaration(*other->declaration, into);
    } else if (const auto* set = std::get_if<ast::DeltaSet>(&delta.node)) {
      into.push_back(part(PartKind::constant, set->name, "set", delta.span));
    } else if (const auto* at = std::get_if<ast::DeltaAt>(&delta.node)) {
      constexpr const char* kWhere[] = {"before", "after", "replace"};
      into.push_back(part(PartKind::event, fmt::format("{} [{}]", kWhere[static_cast<std::size_t>(at->where)], tags_text(at->target)), "", delta.span));
      add_options(at->entries.options, into.back().parts);
      for (const ast::StmtRef& stmt : at->entries.statements) add_statement(*stmt, into.back().parts);
      for (const ast::DeclRef& each : at->entries.declarations) add_declaration(*each, into.back().parts);
    }
  }
}

void add_declaration(const ast::Decl& decl, Parts& into) {
  const std::string tags = tags_text(decl.tags);
  std::visit(
      [&](const auto& n) {
        using T = std::decay_t<decltype(n)>;
        if constexpr (std::is_same_v<T, ast::Phase>) add_phase(n, decl.tags, decl.span, into);
        else if constexpr (std::is_same_v<T, ast::When>) add_when(n, decl.tags, decl.span, into);
        else if constexpr (std::is_same_v<T, ast::ParamDecl>) into.push_back(part(PartKind::constant, n.name, "param", decl.span));
        else if constexpr (std::is_same_v<T, ast::VarDecl>) into.push_back(part(PartKind::variable, n.name, n.money ? "money" : "var", decl.span));
        else if constexpr (std::is_same_v<T, ast::DeckDecl>) into.push_back(part(PartKind::array, n.name, "deck of " + n.type.text, decl.span));
        else if constexpr (std::is_same_v<T, ast::ZoneDecl>) into.push_back(part(PartKind::array, n.name, fmt::format("{} of {}", zone_kind(n.kind), n.type.text), decl.span));
        else if constexpr (std::is_same_v<T, ast::LetDecl>) into.push_back(part(PartKind::function, n.name, "let", decl.span));
        else if constexpr (std::is_same_v<T, ast::EnumDecl>) {
          into.push_back(part(PartKind::enumeration, n.name, "enum", decl.span));
          for (const ast::Name& value : n.values) into.back().parts.push_back(part(PartKind::enum_member, value, "", value.span));
        } else if constexpr (std::is_same_v<T, ast::ComponentDecl>) {
          constexpr const char* kKinds[] = {"card", "token", "die"};
          into.push_back(part(PartKind::structure, n.name, kKinds[static_cast<std::size_t>(n.kind)], decl.span));
          for (const ast::AttributeDecl& attribute : n.attributes) into.back().parts.push_back(part(PartKind::field, attribute.name, "", attribute.name.span));
        } else if constexpr (std::is_same_v<T, ast::RuleDecl>) {
          into.push_back(part(PartKind::function, n.name, "rule", decl.span));
          add_block(n.body, into.back().parts);
        } else if constexpr (std::is_same_v<T, ast::ScenarioDecl>) {
          into.push_back(part(PartKind::event, n.name, n.of.empty() ? "scenario" : fmt::format("scenario of \"{}\"", n.of), decl.span));
        } else if constexpr (std::is_same_v<T, ast::VariantDecl> || std::is_same_v<T, ast::SmallDecl>) {
          into.push_back(part(PartKind::module, n.name, std::is_same_v<T, ast::SmallDecl> ? "small" : "variant", decl.span));
          add_deltas(n.deltas, into.back().parts);
        } else if constexpr (std::is_same_v<T, ast::ScoreDecl>) into.push_back(part(PartKind::constant, "score", tags, decl.span));
        else if constexpr (std::is_same_v<T, ast::WinnerDecl>) into.push_back(part(PartKind::constant, "winner", tags, decl.span));
      },
      decl.node);
}

void add_scenarios(const ast::Decl& decl, std::vector<ScenarioPlace>& into) {
  if (const auto* scenario = std::get_if<ast::ScenarioDecl>(&decl.node)) into.push_back({scenario->name, decl.span});
  const std::vector<ast::Delta>* deltas = nullptr;
  if (const auto* variant = std::get_if<ast::VariantDecl>(&decl.node)) deltas = &variant->deltas;
  if (const auto* small = std::get_if<ast::SmallDecl>(&decl.node)) deltas = &small->deltas;
  if (deltas == nullptr) return;
  for (const ast::Delta& delta : *deltas) {
    if (const auto* inner = std::get_if<ast::DeclRef>(&delta.node)) add_scenarios(**inner, into);
  }
}

}  // namespace

std::vector<OutlinePart> outline_of(const ast::Script& script) {
  Parts out;
  for (const ast::DeclRef& decl : script.declarations) add_declaration(*decl, out);
  return out;
}

std::vector<ScenarioPlace> scenarios_of(const ast::Script& script) {
  std::vector<ScenarioPlace> out;
  for (const ast::DeclRef& decl : script.declarations) add_scenarios(*decl, out);
  return out;
}

}  // namespace rip::cli::lsp
