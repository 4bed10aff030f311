#include "cli/lsp_names.h"

#include "grammar/identity.h"
#include "interp/check/types.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

namespace rip::cli::lsp {

using check::NameKind;
using check::NameUse;

namespace {

auto place(Span s) { return std::tuple(s.file, s.begin, s.end); }
bool before(Span a, Span b) { return place(a) < place(b); }

void sort_once(std::vector<Span>& spans) {
  std::sort(spans.begin(), spans.end(), before);
  spans.erase(std::unique(spans.begin(), spans.end()), spans.end());
}

bool word_byte(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

/// The name a declaration declares; absent where it declares none.
ast::Name declared(const ast::Decl& decl) {
  return std::visit(
      [](const auto& n) -> ast::Name {
        if constexpr (requires { n.name.span; }) return n.name;
        else return {};
      },
      decl.node);
}

/// The kinds a name of this kind of declaration (`zone`, `move` ...) can be of.
bool of_kind(const std::string& written, NameKind kind) {
  static const std::map<std::string, std::set<NameKind>, std::less<>> kKinds = {
      {"param", {NameKind::param}}, {"enum", {NameKind::type}},  {"card", {NameKind::type}},   {"token", {NameKind::type}},
      {"die", {NameKind::type}},    {"deck", {NameKind::zone}},  {"zone", {NameKind::zone}},   {"var", {NameKind::var}},
      {"money", {NameKind::var}},   {"let", {NameKind::let}},    {"rule", {NameKind::rule}},   {"phase", {NameKind::phase}},
      {"move", {NameKind::move}}};
  const auto found = kKinds.find(written);
  return found != kKinds.end() && found->second.contains(kind);
}

}  // namespace

const char* kind_text(NameKind kind) {
  switch (kind) {
    case NameKind::param: return "parameter of the game";
    case NameKind::var: return "variable";
    case NameKind::zone: return "zone";
    case NameKind::let: return "definition";
    case NameKind::enum_value: return "value";
    case NameKind::type: return "type";
    case NameKind::phase: return "phase";
    case NameKind::rule: return "rule";
    case NameKind::move: return "move";
    case NameKind::attribute: return "attribute";
    case NameKind::local: return "name";
    case NameKind::seat: return "seat";
  }
  return "";
}

Span word_at(std::string_view text, std::uint32_t offset) {
  std::uint32_t begin = std::min(offset, static_cast<std::uint32_t>(text.size())), end = begin;
  while (begin > 0 && word_byte(text[begin - 1])) --begin;
  while (end < text.size() && word_byte(text[end])) ++end;
  return {0, begin, end};
}

Names::Names(const std::string& path, std::string text) : known_(verify::load_for_editor(path, std::move(text))) { group(); }

// A sheet names what it changes: these names belong to the declarations of the game.
void Names::add_sheets(std::vector<NameUse>& all) const {
  std::multimap<std::string, NameUse, std::less<>> declarations;
  const auto in_sheet = [&](Span span) {
    for (const ast::DeclRef& decl : loaded().script.declarations) {
      const bool sheet = std::holds_alternative<ast::VariantDecl>(decl->node) || std::holds_alternative<ast::SmallDecl>(decl->node);
      if (sheet && decl->span.file == span.file && decl->span.begin <= span.begin && span.end <= decl->span.end) return true;
    }
    return false;
  };
  for (const NameUse& n : known_.names) {
    if (n.use == n.definition && !in_sheet(n.use)) declarations.emplace(std::string(sources().text(n.use)), n);
  }
  const auto link = [&](const ast::Name& name, const std::string& kind) {
    if (!name) return;
    const auto [begin, end] = declarations.equal_range(name.text);
    for (auto at = begin; at != end; ++at) {
      if (of_kind(kind, at->second.kind)) all.push_back({name.span, at->second.definition, at->second.kind});
    }
  };
  const auto sheet = [&](const std::vector<ast::Delta>& deltas) {
    for (const ast::Delta& delta : deltas) {
      if (const auto* set = std::get_if<ast::DeltaSet>(&delta.node)) link(set->name, "param");
      else if (const auto* gone = std::get_if<ast::DeltaRemove>(&delta.node)) link(gone->name, gone->kind);
      else if (const auto* other = std::get_if<ast::DeltaReplaceDecl>(&delta.node)) link(declared(*other->declaration), grammar::identity(*other->declaration).kind);
    }
  };
  for (const ast::DeclRef& decl : loaded().script.declarations) {
    if (const auto* variant = std::get_if<ast::VariantDecl>(&decl->node)) sheet(variant->deltas);
    else if (const auto* small = std::get_if<ast::SmallDecl>(&decl->node)) sheet(small->deltas);
  }
}

// Definitions that one use can mean are one symbol.
void Names::group() {
  std::vector<NameUse> all = known_.names;
  add_sheets(all);
  std::stable_sort(all.begin(), all.end(), [](const NameUse& a, const NameUse& b) { return before(a.use, b.use); });
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::size_t> ids;
  std::vector<std::size_t> parent;
  const auto id_of = [&](Span definition) {
    const auto [at, fresh] = ids.try_emplace(place(definition), parent.size());
    if (fresh) parent.push_back(parent.size());
    return at->second;
  };
  const auto root = [&](std::size_t id) {
    while (parent[id] != id) id = parent[id] = parent[parent[id]];
    return id;
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t id = root(id_of(all[i].definition));
    if (i > 0 && all[i - 1].use == all[i].use) parent[id] = root(id_of(all[i - 1].definition));
  }
  std::map<std::size_t, std::size_t> symbol_of;
  for (const NameUse& n : all) {
    const auto [at, fresh] = symbol_of.try_emplace(root(id_of(n.definition)), symbols_.size());
    if (fresh) symbols_.push_back({n.kind, {}, {}});
    symbols_[at->second].definitions.push_back(n.definition);
    symbols_[at->second].uses.push_back(n.use);
  }
  for (std::size_t s = 0; s < symbols_.size(); ++s) {
    sort_once(symbols_[s].definitions);
    sort_once(symbols_[s].uses);
    for (const Span use : symbols_[s].uses) {
      if (use.file == 0) places_.push_back({use, s});
    }
  }
  std::sort(places_.begin(), places_.end(), [](const Found& a, const Found& b) { return before(a.span, b.span); });
}

std::optional<Names::Found> Names::at(std::uint32_t offset) const {
  const Span word = word_at(text(), offset);
  const auto found = std::lower_bound(places_.begin(), places_.end(), word, [](const Found& a, Span b) { return before(a.span, b); });
  if (found == places_.end() || found->span != word || word.begin == word.end) return std::nullopt;
  return *found;
}

// ---- what a name is -------------------------------------------------------------------------------------------

namespace {

std::string type_text(const rules::Rules& rules, const rules::Type& type) {
  if (check::is_unknown(type)) return "";
  std::string out = check::describe(rules, type);
  if (check::has_interval(type) && type.base != rules::Base::flag && type.base != rules::Base::seat) out += " in " + check::describe_range(rules, type);
  return out;
}

/// An expression as written; empty if there is none, or the checker did not get so far.
std::string_view written(const Sources& sources, const rules::Rules& rules, rules::ExprId id) {
  return id < rules.exprs.size() ? sources.text(rules[id].span) : std::string_view();
}

std::string zone_view(const Sources& sources, const rules::Rules& rules, const rules::Zone& zone) {
  if (const auto seen = written(sources, rules, zone.seen_by); !seen.empty()) return fmt::format("fronts: those in `{}`; backs and count: all", seen);
  if (zone.deck != rules::kNoId) return "the list of what is in it, and the count: all; the order nobody, once it is shuffled";
  switch (zone.kind) {
    case ast::ZoneKind::pile: return "the upper side of the top one, and the count: all";
    case ast::ZoneKind::row: return "the upper side of each: all";
    case ast::ZoneKind::place: return "its upper side: all";
    case ast::ZoneKind::hand: return "fronts: its seat; backs and count: all";
  }
  return "";
}

template <class T>
const T* declared_at(const std::vector<T>& all, Span span) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const T& each) { return each.span == span; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

std::optional<Names::Entity> Names::entity(Span definition) const {
  for (const auto& each : known_.rules) {
    const rules::Rules& r = *each;
    const auto has = [&](rules::ExprId id) { return id < r.exprs.size(); };
    if (const auto* zone = declared_at(r.zones, definition)) {
      const std::string type = zone->type < r.component_types.size() ? fmt::format("`{}`", r.component_types[zone->type].name) : "";
      return Entity{zone->deck != rules::kNoId ? "deck" : "zone", type, zone_view(sources(), r, *zone)};
    }
    if (const auto* var = declared_at(r.vars, definition)) {
      const std::string_view eyes = written(sources(), r, var->seen_by);
      const std::string seen = var->local ? "" : eyes.empty() ? "all" : fmt::format("those in `{}`", eyes);
      return Entity{var->kind == rules::Var::Kind::money ? "account" : var->kind == rules::Var::Kind::phase_binding ? "name of a phase" : "variable", type_text(r, var->type), seen};
    }
    if (const auto* param = declared_at(r.params, definition)) return Entity{"parameter of the game", type_text(r, param->type), "all"};
    if (const auto* let = declared_at(r.lets, definition)) return Entity{"definition", has(let->value) ? type_text(r, r[let->value].type) : "", ""};
    if (const auto* local = declared_at(r.locals, definition)) return Entity{"name", type_text(r, local->type), ""};
    for (const rules::ComponentType& type : r.component_types) {
      if (type.span == definition) return Entity{"type", "", ""};
      for (const rules::Attribute& attribute : type.attributes) {
        const bool this_one = attribute.name == sources().text(definition);
        const Span end = type.span;
        if (!this_one || definition.file != end.file || definition.begin < end.end) continue;
        // the nearest type before it is the one it is printed on
        const bool nearer = std::any_of(r.component_types.begin(), r.component_types.end(), [&](const rules::ComponentType& other) {
          return other.span.file == end.file && other.span.begin > end.begin && other.span.begin < definition.begin;
        });
        if (!nearer) return Entity{fmt::format("attribute of `{}`", type.name), attribute.type.base == rules::Base::text ? "a text" : type_text(r, attribute.type),
                                   attribute.back ? "all, also face down" : "who sees the front"};
      }
    }
  }
  return std::nullopt;
}

std::string Names::type_of(std::size_t id) const {
  for (const Span definition : symbols_[id].definitions) {
    if (const auto found = entity(definition)) return found->type;
  }
  return "";
}

std::string Names::description(std::size_t id) const {
  const Symbol& symbol = symbols_[id];
  const NameKind kind = symbol.kind;
  std::optional<Entity> known;
  for (const Span definition : symbol.definitions) {
    if (!known && kind != NameKind::enum_value && kind != NameKind::move && kind != NameKind::seat) known = entity(definition);
  }
  const Span at = symbol.definitions.front();
  const Source& source = sources()[at.file];
  std::string line(sources().line(at.file, sources().place(at.file, at.begin).line));
  line.erase(0, std::min(line.find_first_not_of(" \t"), line.size()));
  std::string out = fmt::format("```rip\n{}\n```\n{} `{}`", line, known ? known->kind : kind_text(kind), name(id));
  if (known && !known->type.empty()) out += fmt::format(": {}", known->type);
  if (known && !known->seen.empty()) out += fmt::format("\n\nWho can see it: {}.", known->seen);
  if (at.file != 0) out += fmt::format("\n\nDeclared in {}.", source.path);
  return out;
}

// ---- margin notes ---------------------------------------------------------------------------------------------

std::optional<Names::Clause> Names::clause_at(std::uint32_t offset) const {
  const std::string_view all = text();
  const auto in_clause = [&](char c) { return word_byte(c) || c == '-'; };
  std::uint32_t begin = std::min(offset, static_cast<std::uint32_t>(all.size())), end = begin;
  while (begin > 0 && in_clause(all[begin - 1])) --begin;
  while (end < all.size() && in_clause(all[end])) ++end;
  const std::string_view id = all.substr(begin, end - begin);
  Clause out{{0, begin, end}, {}};
  for (const auto& rules : known_.rules) {
    for (const rules::CoverPoint& point : rules->covers) {
      const bool has = std::any_of(point.tags.begin(), point.tags.end(), [&](rules::TagId tag) { return rules->tags[tag].text == id; });
      if (has) out.places.push_back(point.span);
    }
  }
  if (out.places.empty()) return std::nullopt;
  sort_once(out.places);
  return out;
}

std::vector<std::string> Names::clauses() const {
  std::vector<std::string> out;
  std::set<std::string> seen;
  for (const auto& rules : known_.rules) {
    for (const rules::Tag& tag : rules->tags) {
      if (seen.insert(tag.text).second) out.push_back(tag.text);
    }
  }
  return out;
}

// ---- words of the language ------------------------------------------------------------------------------------

const std::vector<WordHelp>& all_word_help() {
  static const std::vector<WordHelp> all = {
#define RIP_HELP(word, form, help) {word, form, help},
#include "cli/word_help.def"
#undef RIP_HELP
  };
  return all;
}

std::string word_help(std::string_view word) {
  for (const WordHelp& each : all_word_help()) {
    if (each.word == word) return fmt::format("```rip\n{}\n```\n{}", each.form, each.help);
  }
  return "";
}

}  // namespace rip::cli::lsp
