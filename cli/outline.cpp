#include "cli/outline.h"

#include "cli/expand.h"
#include "grammar/parser.h"
#include "grammar/tokens.h"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

namespace rip::cli {

std::string Written::text(Span span) const {
  const std::string_view all = sources.text(span);
  std::string out;
  std::size_t end = 0;
  for (const grammar::Token& token : grammar::tokens(all)) {
    if (token.kind == grammar::TokenKind::comment) continue;
    if (!out.empty() && token.begin > end) out += ' ';
    out += all.substr(token.begin, token.end - token.begin);
    end = token.end;
  }
  return out;
}

std::unique_ptr<Written> write_out(const verify::Loaded& loaded, const verify::Version& version) {
  auto out = std::make_unique<Written>();
  Diagnostics diagnostics;
  out->script = grammar::parse(out->sources, out->sources.add(loaded.path, expanded(loaded, version)), diagnostics);
  if (diagnostics.has_errors()) throw std::logic_error("what was written out cannot be read");
  return out;
}

namespace {

using namespace ast;

using Zones = std::set<std::string>;
using Scope = std::map<std::string, Zones>;  ///< names of components: where they may lie

class Reader {
 public:
  explicit Reader(const Written& written) : written_(written) {}

  Outline read() {
    for (const DeclRef& decl : written_.script.declarations) declare(*decl);
    for (const DeclRef& decl : written_.script.declarations) {
      if (const auto* phase = std::get_if<ast::Phase>(&decl->node)) {
        out_.phases.push_back(read_phase(*phase, {}));
      } else if (const auto* when = std::get_if<When>(&decl->node)) {
        const ExprRef& condition = when->condition;
        PhaseOutline made;
        made.name = "when " + text(when->clause != nullptr ? when->clause->span : condition->span);
        Scope scope;
        if (when->clause != nullptr) bind(*when->clause, scope);
        block(when->body, {&made, "at once"}, scope);
        out_.triggers.push_back(std::move(made));
      }
    }
    return std::move(out_);
  }

 private:
  const Written& written_;
  Outline out_;
  std::map<std::string, const LetDecl*> lets_;
  std::map<std::string, const RuleDecl*> rules_;
  std::map<std::string, const ast::Phase*> called_;
  Zones zones_;

  /// What is being read: the phase, and the move or phase that passages are told of.
  struct Place {
    PhaseOutline* phase;
    std::string how;
  };

  std::string text(Span span) const { return written_.text(span); }
  std::string index_of(const Name& name, const std::vector<std::pair<Name, TypeRef>>& index) const {
    return index.empty() ? "" : "[" + text({name.span.file, index.front().first ? index.front().first.span.begin : index.front().second->span.begin, index.back().second->span.end}) + "]";
  }

  void declare(const Decl& decl) {
    if (const auto* zone = std::get_if<ZoneDecl>(&decl.node)) {
      static constexpr const char* kKinds[] = {"pile", "row", "place", "hand"};
      zones_.insert(zone->name.text);
      out_.zones.push_back({zone->name.text, index_of(zone->name, zone->index), kKinds[static_cast<int>(zone->kind)], zone->type.text,
                            text({zone->type.span.file, zone->type.span.end, decl.span.end})});
      if (zone->refill) refill(*zone->refill, zone->name.text);
    } else if (const auto* deck = std::get_if<DeckDecl>(&decl.node)) {
      zones_.insert(deck->name.text);
      out_.zones.push_back({deck->name.text, index_of(deck->name, deck->index), "deck", deck->type.text, ""});
      if (deck->refill) refill(*deck->refill, deck->name.text);
    } else if (const auto* let = std::get_if<LetDecl>(&decl.node)) {
      lets_[let->name.text] = let;
    } else if (const auto* rule = std::get_if<RuleDecl>(&decl.node)) {
      rules_[rule->name.text] = rule;
    } else if (const auto* phase = std::get_if<ast::Phase>(&decl.node); phase != nullptr && phase->has_params) {
      called_[phase->name.text] = phase;
    }
  }
  void refill(const Refill& from, const std::string& to) {
    // the zone it is filled from may be declared further down
    const Expr* zone = from.from.get();
    while (const auto* index = std::get_if<Index>(&zone->node)) zone = index->base.get();
    if (const auto* word = std::get_if<Word>(&zone->node)) out_.passages.push_back({word->text, to, {"when it has run out"}, true});
  }

  void pass(const Zones& from, const Zones& to, const std::string& how) {
    for (const std::string& a : from) {
      for (const std::string& b : to) {
        auto found = std::find_if(out_.passages.begin(), out_.passages.end(), [&](const Passage& p) { return p.from == a && p.to == b && !p.refill; });
        if (found == out_.passages.end()) found = out_.passages.insert(out_.passages.end(), {a, b, {}, false});
        if (std::find(found->how.begin(), found->how.end(), how) == found->how.end()) found->how.push_back(how);
      }
    }
  }

  // ---- where components come from ----

  static Zones both(Zones a, const Zones& b) {
    a.insert(b.begin(), b.end());
    return a;
  }

  void bind(const Clause& clause, Scope& scope) {
    for (const Binder& binder : clause.binders) scope[binder.name.text] = zones(binder.source, scope);
  }
  Zones zones(const ClauseRef& clause, const ExprRef& value, Scope scope) {
    bind(*clause, scope);
    return value != nullptr ? zones(value, scope) : scope[clause->binders.front().name.text];
  }

  /// The zones in which the components that an expression names may lie; none for other values.
  Zones zones(const ExprRef& expr, const Scope& scope) {
    if (expr == nullptr) return {};
    return std::visit(
        [&](const auto& x) -> Zones {
          using T = std::decay_t<decltype(x)>;
          if constexpr (std::is_same_v<T, Word>) {
            if (const auto local = scope.find(x.text); local != scope.end()) return local->second;
            return zones_.contains(x.text) ? Zones{x.text} : Zones{};
          } else if constexpr (std::is_same_v<T, Index>) {
            return zones(x.base, scope);
          } else if constexpr (std::is_same_v<T, TopOf> || std::is_same_v<T, AllOf>) {
            return zones(x.of, scope);
          } else if constexpr (std::is_same_v<T, Binary>) {
            if (x.op == BinaryOp::sub) return zones(x.left, scope);
            return x.op == BinaryOp::add ? both(zones(x.left, scope), zones(x.right, scope)) : Zones{};
          } else if constexpr (std::is_same_v<T, IfExpr>) {
            return both(zones(x.then_value, scope), zones(x.else_value, scope));
          } else if constexpr (std::is_same_v<T, MatchExpr>) {
            Zones out;
            for (const MatchArm& arm : x.arms) out = both(std::move(out), zones(arm.value, scope));
            return out;
          } else if constexpr (std::is_same_v<T, ast::Builder>) {
            if (x.clause != nullptr) return zones(x.clause, x.value, scope);
            Zones out;
            for (const ExprRef& item : x.items) out = both(std::move(out), zones(item, scope));
            return out;
          } else if constexpr (std::is_same_v<T, Aggregate>) {
            if (x.kind != AggregateKind::first && x.kind != AggregateKind::best) return {};
            return x.clause != nullptr ? zones(x.clause, nullptr, scope) : zones(x.args.front(), scope);
          } else if constexpr (std::is_same_v<T, Call>) {
            const auto let = lets_.find(x.name.text);
            if (let == lets_.end()) return x.name.text == "nth" && !x.args.empty() ? zones(x.args.front(), scope) : Zones{};
            return zones(let->second->value, parameters(let->second->params, x.args, scope));
          } else {
            return {};
          }
        },
        expr->node);
  }
  Scope parameters(const std::vector<Param>& params, const std::vector<ExprRef>& args, const Scope& scope) {
    Scope inside;
    for (std::size_t i = 0; i < std::min(params.size(), args.size()); ++i) inside[params[i].name.text] = zones(args[i], scope);
    return inside;
  }

  // ---- phases and rules ----

  PhaseOutline read_phase(const ast::Phase& phase, Scope scope) {
    PhaseOutline made;
    made.name = phase.name.text;
    made.called = phase.has_params;
    if (phase.loop) {
      const std::string header = text({phase.name.span.file, phase.name.span.end, phase.body->span.begin});
      made.loop = phase.has_params ? header.substr(header.find(')') + 1) : header;
      if (const auto* each = std::get_if<ForLoop>(&*phase.loop)) bind(*each->clause, scope);
    }
    block(phase.body, {&made, made.name}, scope);
    return made;
  }

  void block(const BlockRef& body, const Place& place, Scope scope) {
    if (body == nullptr) return;
    for (const StmtRef& stmt : body->statements) statement(*stmt, place, scope);
  }

  void ends(const Place& place, std::string what, std::string phase) {
    auto& list = place.phase->ends;
    if (std::none_of(list.begin(), list.end(), [&](const EndOutline& end) { return end.what == what; })) list.push_back({std::move(what), std::move(phase)});
  }

  void statement(const Stmt& stmt, const Place& place, Scope& scope) {
    std::visit(
        [&](const auto& x) {
          using T = std::decay_t<decltype(x)>;
          if constexpr (std::is_same_v<T, ast::Move>) {
            Scope inside = scope;
            if (x.each != nullptr) bind(*x.each, inside);
            pass(zones(x.what, inside), zones(x.to, inside), place.how);
          } else if constexpr (std::is_same_v<T, Fill>) {
            pass(zones(x.from, scope), zones(x.what, scope), place.how);
          } else if constexpr (std::is_same_v<T, Swap>) {
            const Zones first = zones(x.first, scope), second = x.second != nullptr ? zones(x.second, scope) : first;
            pass(first, second, place.how);
            pass(second, first, place.how);
          } else if constexpr (std::is_same_v<T, LetStmt>) {
            scope[x.name.text] = zones(x.value, scope);
          } else if constexpr (std::is_same_v<T, ast::If>) {
            block(x.then_block, place, scope);
            block(x.else_block, place, scope);
          } else if constexpr (std::is_same_v<T, ast::Loop>) {
            Scope inside = scope;
            if (const auto* each = std::get_if<ForLoop>(&x.header)) bind(*each->clause, inside);
            block(x.body, place, inside);
          } else if constexpr (std::is_same_v<T, ast::Match>) {
            for (const MatchStmtArm& arm : x.arms) block(arm.body, place, scope);
          } else if constexpr (std::is_same_v<T, Choose>) {
            choose(x, place, scope);
          } else if constexpr (std::is_same_v<T, Do>) {
            if (const auto rule = rules_.find(x.name.text); rule != rules_.end()) {
              block(rule->second->body, place, parameters(rule->second->params, x.args, scope));
            } else if (const auto phase = called_.find(x.name.text); phase != called_.end()) {
              block(phase->second->body, place, parameters(phase->second->params, x.args, scope));
            }
          } else if constexpr (std::is_same_v<T, Together>) {
            block(x.body, place, scope);
          } else if constexpr (std::is_same_v<T, Win> || std::is_same_v<T, EndGame>) {
            ends(place, text(stmt.span), "");
          } else if constexpr (std::is_same_v<T, EndPhase>) {
            ends(place, text(stmt.span), x.name ? x.name.text : place.phase->name);
          } else if constexpr (std::is_same_v<T, ast::Phase>) {
            place.phase->inner.push_back(read_phase(x, scope));
          } else if constexpr (std::is_same_v<T, When>) {
            Scope inside = scope;
            if (x.clause != nullptr) bind(*x.clause, inside);
            block(x.body, {place.phase, "at once"}, inside);
          }
        },
        stmt.node);
  }

  void choose(const Choose& choose, const Place& place, Scope scope) {
    if (choose.each) bind(*choose.clause, scope);
    std::string names;
    name(choose.options, names);
    // several seats are told by their source
    const Span who = choose.each ? choose.clause->binders.front().source->span : choose.seat->span;
    const std::string line = (choose.each ? "all " : "") + text(who) + ": " + names;
    auto& list = place.phase->moves;
    if (std::find(list.begin(), list.end(), line) == list.end()) list.push_back(line);
    options(choose.options, place, scope);
  }
  static void name(const std::vector<ast::Option>& list, std::string& names) {
    for (const ast::Option& option : list) {
      if (option.group_where != nullptr) name(option.group, names);
      else names += (names.empty() ? "" : ", ") + option.name.text;
    }
  }
  void options(const std::vector<ast::Option>& list, const Place& place, const Scope& scope) {
    for (const ast::Option& option : list) {
      if (option.group_where != nullptr) {
        options(option.group, place, scope);
        continue;
      }
      Scope inside = scope;
      if (option.clause != nullptr) bind(*option.clause, inside);
      block(option.body, {place.phase, option.name.text}, inside);
    }
  }
};

}  // namespace

Outline outline(const Written& written) { return Reader(written).read(); }

}  // namespace rip::cli
