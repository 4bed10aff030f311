#include "verify/coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <tuple>

namespace rip::verify {

namespace {

/// Finds the tags of all `note`s.
class Notes {
 public:
  explicit Notes(std::set<std::string>& found) : found_(found) {}

  void script(const ast::Script& script) {
    for (const ast::DeclRef& decl : script.declarations) {
      if (std::holds_alternative<ast::NoteDecl>(decl->node)) take(decl->tags);
      if (const auto* rule = std::get_if<ast::RuleDecl>(&decl->node)) block(rule->body);
      if (const auto* phase = std::get_if<ast::Phase>(&decl->node)) block(phase->body);
      if (const auto* when = std::get_if<ast::When>(&decl->node)) block(when->body);
    }
  }

 private:
  void take(const ast::Tags& tags) {
    for (const ast::Tag& tag : tags) found_.insert(tag.text);
  }
  void block(const ast::BlockRef& body) {
    if (body == nullptr) return;
    for (const ast::StmtRef& stmt : body->statements) statement(*stmt);
  }
  void options(const std::vector<ast::Option>& list) {
    for (const ast::Option& option : list) {
      block(option.body);
      options(option.group);
    }
  }
  void statement(const ast::Stmt& stmt) {
    std::visit(
        [&](const auto& node) {
          using T = std::decay_t<decltype(node)>;
          if constexpr (std::is_same_v<T, ast::Note>) take(stmt.tags);
          if constexpr (std::is_same_v<T, ast::If>) {
            block(node.then_block);
            block(node.else_block);
          }
          if constexpr (std::is_same_v<T, ast::Loop> || std::is_same_v<T, ast::Together> || std::is_same_v<T, ast::Phase> || std::is_same_v<T, ast::When>) {
            block(node.body);
          }
          if constexpr (std::is_same_v<T, ast::Match>) {
            for (const ast::MatchStmtArm& arm : node.arms) block(arm.body);
          }
          if constexpr (std::is_same_v<T, ast::Choose>) options(node.options);
        },
        stmt.node);
  }

  std::set<std::string>& found_;
};

/// `{ }`: there is nothing to get to.
bool is_empty_block(std::string_view text) { return text.find_first_not_of("{} \t\r\n") == std::string_view::npos; }

/// What stands before the block of a branch, in its line.
std::string branch_name(const rules::CoverPoint& point, const Sources& sources) {
  const Place place = sources.place(point.span.file, point.span.begin);
  const std::string_view text = sources[point.span.file].text;
  std::size_t begin = point.span.begin;
  while (begin > 0 && text[begin - 1] != '\n' && text[begin - 1] != '{' && text[begin - 1] != '}') --begin;
  std::string_view head = text.substr(begin, point.span.begin - begin);
  while (!head.empty() && head.front() == ' ') head.remove_prefix(1);
  while (!head.empty() && head.back() == ' ') head.remove_suffix(1);
  // an `if` that stands behind another statement
  if (const std::size_t at = head.rfind("if "); point.name == "if" && at != std::string_view::npos) head.remove_prefix(at);
  const std::string where = point.span.file == 0 ? "" : sources[point.span.file].path.substr(sources[point.span.file].path.rfind('/') + 1) + " ";
  return fmt::format("{}line {}: {}", where, place.line, head.empty() ? std::string_view(point.name) : head);
}

std::string trigger_name(const rules::CoverPoint& point, const Sources& sources) {
  const auto line = sources.place(point.span.file, point.span.begin).line;
  return point.name.empty() ? fmt::format("when in line {}", line) : point.name;
}

}  // namespace

void Coverage::add(const Coverage& other) {
  for (const auto& [id, count] : other.clauses) clauses[id] += count;
  for (const auto& [id, count] : other.moves) moves[id] += count;
  for (const auto& [id, count] : other.triggers) triggers[id] += count;
  for (const auto& [id, count] : other.branches) branches[id] += count;
  for (const auto& [id, count] : other.parameters) parameters[id] += count;
  with_parameters = std::max(with_parameters, other.with_parameters);
  documented.insert(other.documented.begin(), other.documented.end());
}

std::vector<std::string> Coverage::clauses_not_shown() const {
  std::vector<std::string> out;
  for (const auto& [id, count] : clauses) {
    if (count == 0 && !documented.contains(id)) out.push_back(id);
  }
  std::sort(out.begin(), out.end(), clause_before);
  return out;
}

std::vector<std::string> never_seen(const std::map<std::string, std::uint64_t>& counts) {
  std::vector<std::string> names;
  for (const auto& [name, count] : counts) {
    if (count == 0) names.push_back(name);
  }
  return names;
}

Coverage nothing_covered(const Version& version, const Sources& sources) {
  Coverage out;
  Notes(out.documented).script(version.script);
  const rules::Rules& rules = *version.rules;
  add_covered(out, version, sources, std::vector<std::uint64_t>(rules.covers.size(), 0), 0);
  for (const std::string& id : out.documented) out.clauses[id];
  return out;
}

void add_covered(Coverage& coverage, const Version& version, const Sources& sources, const std::vector<std::uint64_t>& covered, std::uint64_t games) {
  const rules::Rules& rules = *version.rules;
  std::set<rules::TagId> placed;
  for (std::size_t i = 0; i < rules.covers.size(); ++i) {
    const rules::CoverPoint& point = rules.covers[i];
    std::uint64_t count = i < covered.size() ? covered[i] : 0;
    switch (point.kind) {
      case rules::CoverPoint::Kind::declaration: count = std::max(count, games); break;
      case rules::CoverPoint::Kind::move: coverage.moves[point.name] += count; break;
      case rules::CoverPoint::Kind::trigger: coverage.triggers[trigger_name(point, sources)] += count; break;
      case rules::CoverPoint::Kind::branch:
        if (!point.name.empty() && !is_empty_block(sources.text(point.span))) coverage.branches[branch_name(point, sources)] += count;
        break;
      case rules::CoverPoint::Kind::statement:
      case rules::CoverPoint::Kind::let: break;
    }
    for (const rules::TagId tag : point.tags) {
      placed.insert(tag);
      coverage.clauses[rules.tags[tag].text] += count;
    }
  }
  std::set<rules::TagId> cases;
  for (const rules::Scenario& scenario : rules.scenarios) cases.insert(scenario.tags.begin(), scenario.tags.end());
  // a tag of the title, of `players`, of a declaration without code: it holds in every game
  for (rules::TagId tag = 0; tag < rules.tags.size(); ++tag) {
    if (!placed.contains(tag)) coverage.clauses[rules.tags[tag].text] += cases.contains(tag) ? 0 : games;
  }
  for (const ast::Tag& tag : version.tags) coverage.clauses[tag.text] += games;
}

namespace {

std::set<std::string> clauses_after(const Version& version, const Sources& sources, const std::vector<std::uint64_t>& covered, std::uint64_t games) {
  Coverage coverage;
  add_covered(coverage, version, sources, covered, games);
  std::set<std::string> out;
  for (const auto& [id, count] : coverage.clauses) {
    if (count > 0) out.insert(id);
  }
  return out;
}

}  // namespace

std::set<std::string> clauses_always(const Version& version, const Sources& sources) { return clauses_after(version, sources, {}, 1); }

std::set<std::string> clauses_shown(const Version& version, const rules::Scenario& scenario, const ScenarioResult& result, const Sources& sources) {
  std::vector<std::uint64_t> code = result.covered;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (version.rules->covers[i].kind == rules::CoverPoint::Kind::declaration) code[i] = 0;  // every game goes through these
  }
  std::set<std::string> out = clauses_after(version, sources, code, 0);
  if (!result.passed) return out;
  for (const rules::TagId tag : scenario.tags) out.insert(version.rules->tags[tag].text);
  return out;
}

bool clause_before(const std::string& a, const std::string& b) {
  const auto parts = [](const std::string& id) {
    const std::size_t dash = id.find('-');
    std::size_t digits = dash + 1;
    long number = 0;
    while (digits < id.size() && std::isdigit(static_cast<unsigned char>(id[digits])) != 0) number = number * 10 + (id[digits++] - '0');
    return std::tuple(id.substr(0, dash), number, id.substr(std::min(digits, id.size())));
  };
  return parts(a) < parts(b);
}

}  // namespace rip::verify
