// Checked rules: what every declaration has become.
#include "cli/dump.h"

#include <fmt/format.h>

namespace rip::cli {

namespace {

using rules::Base;
using rules::Rules;
using rules::Shape;

std::string type_text(const Rules& rules, const rules::Type& type) {
  std::string out;
  switch (type.base) {
    case Base::unknown: out = "unknown"; break;
    case Base::integer: out = fmt::format("{}..{}", type.low, type.high); break;
    case Base::enumeration: out = rules.enums[type.id].name; break;
    case Base::flag: out = "flag"; break;
    case Base::seat: out = "player"; break;
    case Base::side: out = "Face"; break;
    case Base::component: out = type.id == rules::kNoId ? "component" : rules.component_types[type.id].name; break;
    case Base::text: out = "text"; break;
  }
  if (type.shape == Shape::set) out = "set of " + out;
  if (type.shape == Shape::list) out = "list of " + out;
  return type.optional ? out + "?" : out;
}

std::string index_text(const Rules& rules, const std::vector<rules::Type>& index) {
  std::string out;
  for (const rules::Type& type : index) out += (out.empty() ? "" : ", ") + type_text(rules, type);
  return out.empty() ? "" : "[" + out + "]";
}

const char* kind_text(ast::ZoneKind kind) {
  switch (kind) {
    case ast::ZoneKind::pile: return "pile";
    case ast::ZoneKind::row: return "row";
    case ast::ZoneKind::place: return "place";
    case ast::ZoneKind::hand: return "hand";
  }
  return "";
}

std::string locals_text(const Rules& rules, const std::vector<rules::LocalId>& locals) {
  std::string out;
  for (const rules::LocalId local : locals) {
    out += (out.empty() ? "" : ", ") + rules.locals[local].name + ": " + type_text(rules, rules.locals[local].type);
  }
  return out;
}

/// Each move with the types of its arguments, wherever it stands.
class Moves {
 public:
  Moves(const Rules& rules, std::string& out) : rules_(rules), out_(out) {}
  void block(const rules::Block& body) {
    for (const rules::Stmt& stmt : body) {
      std::visit(
          [&](const auto& node) {
            using T = std::decay_t<decltype(node)>;
            if constexpr (std::is_same_v<T, rules::If>) {
              block(node.then_block);
              block(node.else_block);
            }
            if constexpr (std::is_same_v<T, rules::Loop> || std::is_same_v<T, rules::Together>) block(node.body);
            if constexpr (std::is_same_v<T, rules::MatchStmt>) {
              for (const auto& arm : node.arms) block(arm.body);
            }
            if constexpr (std::is_same_v<T, rules::Choose>) {
              for (const rules::Option& option : node.options) {
                std::vector<rules::LocalId> names;
                for (const rules::Binder& binder : rules_.clauses[option.clause].binders) names.push_back(binder.local);
                out_ += fmt::format("move {}({})\n", option.name, locals_text(rules_, names));
                block(option.body);
              }
            }
          },
          stmt.node);
    }
  }

 private:
  const Rules& rules_;
  std::string& out_;
};

}  // namespace

std::string dump_rules(const Rules& rules, const Sources& sources) {
  std::string out = fmt::format("game \"{}\"{}, {}..{} players, usually {}\n", rules.title, rules.variant.empty() ? "" : fmt::format(" variant \"{}\"", rules.variant),
                                rules.players_low, rules.players_high, rules.players_usual);
  for (const rules::Enum& e : rules.enums) {
    std::string values;
    for (const std::string& value : e.values) values += (values.empty() ? "" : " ") + value;
    out += fmt::format("enum {}: {}\n", e.name, values);
  }
  for (const rules::ComponentType& type : rules.component_types) {
    out += fmt::format("component {}", type.name);
    if (type.kind == ast::ComponentKind::die) out += fmt::format(" {}..{}", type.low_face, type.high_face);
    out += "\n";
    for (const rules::Attribute& a : type.attributes) out += fmt::format("  {}{}: {}\n", a.back ? "back " : "", a.name, type_text(rules, a.type));
  }
  for (const rules::Param& p : rules.params) out += fmt::format("param {}{}: {}\n", p.name, index_text(rules, p.index), type_text(rules, p.type));
  for (const rules::Zone& z : rules.zones) {
    out += fmt::format("{} {}{}: {} of {}\n", z.deck != rules::kNoId ? "deck" : "zone", z.name, index_text(rules, z.index), kind_text(z.kind), rules.component_types[z.type].name);
  }
  for (const rules::Var& v : rules.vars) {
    const char* kind = v.kind == rules::Var::Kind::money ? "money" : v.kind == rules::Var::Kind::phase_binding ? "phase name" : "var";
    out += fmt::format("{} {}{}: {}{}{}\n", kind, v.name, index_text(rules, v.index), type_text(rules, v.type), v.phase != rules::kNoId ? " in " + rules.phases[v.phase].name : "",
                       v.seen_by != rules::kNoId ? " hidden" : "");
  }
  for (const rules::Let& let : rules.lets) out += fmt::format("let {}({}): {}\n", let.name, locals_text(rules, let.params), type_text(rules, rules[let.value].type));
  Moves moves(rules, out);
  for (const rules::Phase& phase : rules.phases) {
    out += fmt::format("phase {}{}\n", phase.name, phase.parent != rules::kNoId ? " in " + rules.phases[phase.parent].name : "");
    moves.block(phase.body);
  }
  for (const rules::Routine& routine : rules.routines) {
    out += fmt::format("{} {}({})\n", routine.phase != rules::kNoId ? "phase routine" : "rule", routine.name, locals_text(rules, routine.params));
    moves.block(routine.body);
  }
  for (const rules::When& when : rules.whens) {
    out += fmt::format("when {}{}\n", sources.where(when.span), when.phase != rules::kNoId ? " in " + rules.phases[when.phase].name : "");
    moves.block(when.body);
  }
  for (const rules::Claim& claim : rules.claims) out += fmt::format("claim \"{}\"\n", claim.text);
  for (const rules::Bound& bound : rules.bounds) out += fmt::format("bound {}: {}\n", bound.text, type_text(rules, rules[bound.value].type));
  for (const rules::Report& report : rules.reports) out += fmt::format("report \"{}\": {}\n", report.text, type_text(rules, rules[report.value].type));
  for (const rules::Scenario& scenario : rules.scenarios) out += fmt::format("scenario \"{}\", {} seats, {} steps\n", scenario.name, scenario.seats.size(), scenario.steps.size());
  return out;
}

}  // namespace rip::cli
