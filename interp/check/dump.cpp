#include "interp/check/dump.h"

#include "interp/check/types.h"

#include <fmt/format.h>

#include <type_traits>

namespace rip::check {

using rules::Base;
using rules::ExprId;
using rules::kNoId;
using rules::Op;
using rules::Rules;
using rules::Shape;
using rules::Type;

namespace {

constexpr std::string_view kOps[] = {
    "constant", "param", "local", "me", "var", "var_family", "param_family", "zone", "place_card", "attribute", "face", "owner", "top", "bottom",
    "top_n", "bottom_n", "nth", "item", "add", "sub", "mul", "div", "mod", "neg", "abs", "min2", "max2", "eq", "ne", "lt", "le", "gt", "ge", "set_eq",
    "set_ne", "subset", "list_eq", "list_ne", "fits", "zone_fits_list", "some_fits", "one_fitting", "in_set", "is_none", "is_empty", "logical_and",
    "logical_or", "logical_not", "if_else", "match", "set_literal", "list_literal", "range_set", "part_of_enum", "type_values", "players", "set_union",
    "set_difference", "set_of", "list_of", "count_set", "count", "some", "every", "sum", "min", "max", "sum_of", "min_of", "max_of", "first", "best",
    "first_of", "best_of", "call", "next", "previous", "number", "game_over", "running", "score", "score_family", "winners", "random"};
static_assert(std::size(kOps) == static_cast<std::size_t>(Op::random) + 1);

class Dump {
 public:
  explicit Dump(const Rules& rules) : rules_(rules) {}

  std::string expr(ExprId id) const {
    if (id == kNoId) return "-";
    const rules::Expr& e = rules_.exprs[id];
    std::string out;
    const auto add = [&](std::string part) { out += (out.empty() ? "" : " ") + std::move(part); };
    switch (e.op) {
      case Op::constant: return constant(e);
      case Op::param: case Op::param_family: add(rules_.params[e.ref].name); break;
      case Op::local: return rules_.locals[e.ref].name;
      case Op::var: case Op::var_family: add(rules_.vars[e.ref].name); break;
      case Op::zone: case Op::place_card: add(rules_.zones[e.ref].name); break;
      case Op::attribute: add("." + rules_.component_types[e.ref].attributes[static_cast<std::size_t>(e.value)].name); break;
      case Op::call: add(rules_.lets[e.ref].name); break;
      case Op::running: add(rules_.phases[e.ref].name); break;
      case Op::type_values: add(type(scalar_of(e.type))); break;
      default: break;
    }
    for (const ExprId kid : e.kids) add(expr(kid));
    for (const rules::MatchArm& arm : e.arms) add("|" + patterns(arm));
    if (e.clause != kNoId) add(clause(e.clause));
    if (e.phrase != kNoId) add(phrase(rules_.phrases[e.phrase]));
    for (const rules::PhraseId pattern : e.patterns) add(phrase(rules_.phrases[pattern]));
    return fmt::format("({}{}{})", kOps[static_cast<std::size_t>(e.op)], out.empty() ? "" : " ", out);
  }

  std::string constant(const rules::Expr& e) const {
    if (e.value == rules::kNone) return "none";
    if (e.type.base == Base::unknown) return "?";
    if (e.type.base == Base::seat) return fmt::format("seat{}", e.value);
    return describe_range(rules_, e.type);
  }

  std::string type(const Type& t) const {
    std::string out;
    switch (t.base) {
      case Base::unknown: out = "?"; break;
      case Base::integer: out = fmt::format("{}..{}", t.low, t.high); break;
      case Base::enumeration: {
        const rules::Enum& all = rules_.enums[t.id];
        out = t.low == 0 && t.high + 1 == std::ssize(all.values) ? all.name : describe_range(rules_, t);
        break;
      }
      case Base::flag: out = t.low == t.high ? describe_range(rules_, t) : "flag"; break;
      case Base::seat: out = "player"; break;
      case Base::side: out = "Face"; break;
      case Base::component: out = t.id == kNoId ? "component" : rules_.component_types[t.id].name; break;
      case Base::text: out = "text"; break;
    }
    if (t.shape == Shape::set) out = "set of " + out;
    if (t.shape == Shape::list) out = "list of " + out;
    return out + (t.optional ? "?" : "");
  }

  std::string patterns(const rules::MatchArm& arm) const {
    if (arm.patterns.empty()) return "else";
    std::string out;
    for (const auto& [low, high] : arm.patterns) out += (out.empty() ? "" : ",") + expr(low) + (low == high ? "" : ".." + expr(high));
    return out;
  }

  std::string clause(rules::ClauseId id) const {
    const rules::Clause& c = rules_.clauses[id];
    std::string out = "[";
    for (const rules::Binder& b : c.binders) {
      if (out.size() > 1) out += ", ";
      out += fmt::format("{}{}: {} in ", b.any ? "any " : "", rules_.locals[b.local].name, type(rules_.locals[b.local].type));
      if (b.pick) out += expr(b.pick_low) + (b.pick_high == kNoId ? "" : ".." + expr(b.pick_high)) + (b.in_order ? " in order of " : " of ");
      out += expr(b.source);
    }
    if (c.where != kNoId) out += " where " + expr(c.where);
    for (const rules::Key& key : c.keys) {
      constexpr std::string_view kKinds[] = {"high", "low", "clockwise_from", "clockwise_after"};
      out += fmt::format(" by {} {}", kKinds[static_cast<std::size_t>(key.kind)], expr(key.value));
    }
    if (c.clockwise_subject != kNoId) out += " of " + rules_.locals[c.clockwise_subject].name;
    if (c.backwards) out += c.backwards_if == kNoId ? " backwards" : " backwards if " + expr(c.backwards_if);
    return out + "]";
  }

  std::string phrase(const rules::Phrase& p) const {
    std::string out = rules_.component_types[p.type].name + "<";
    bool first = true;
    for (const auto& [attribute, value] : p.attributes) {
      out += fmt::format("{}{}={}", first ? "" : " ", rules_.component_types[p.type].attributes[attribute].name, expr(value));
      first = false;
    }
    if (p.face) out += fmt::format("{}face={}", first ? "" : " ", *p.face);
    out += ">";
    return p.owner == kNoId ? out : expr(p.owner) + " " + out;
  }

  std::string target(const rules::VarTarget& t) const {
    std::string out = rules_.vars[t.var].name;
    for (const ExprId index : t.index) out += "[" + expr(index) + "]";
    return out;
  }

  std::string tags(rules::CoverId id) const {
    if (id == kNoId || rules_.covers[id].tags.empty()) return "";
    std::string out;
    for (const rules::TagId tag : rules_.covers[id].tags) out += (out.empty() ? "  [" : ", ") + rules_.tags[tag].text;
    return out + "]";
  }

  void line(int depth, const std::string& text, rules::CoverId cover = kNoId) {
    out_.append(static_cast<std::size_t>(depth) * 2, ' ');
    out_ += text + tags(cover) + "\n";
  }

  std::string limit(const rules::Limit& l) const {
    if (l.kind == ast::Limit::Kind::none) return "";
    return (l.kind == ast::Limit::Kind::cut_off ? " cut off after " : " at most ") + expr(l.value);
  }

  std::string header(const rules::LoopHeader& h) const {
    if (const auto* loop = std::get_if<rules::ForLoop>(&h)) return "for " + clause(loop->clause);
    if (const auto* loop = std::get_if<rules::RepeatLoop>(&h))
      return "repeat" + (loop->until == kNoId ? "" : " until " + expr(loop->until)) + limit(loop->limit);
    const auto& loop = std::get<rules::TurnsLoop>(h);
    std::string out = "turns from " + expr(loop.from);
    if (loop.then != kNoId) out += " then " + expr(loop.then);
    if (loop.where != kNoId) out += " where " + expr(loop.where);
    if (loop.until != kNoId) out += " until " + expr(loop.until);
    return out + limit(loop.limit);
  }

  void block(int depth, const rules::Block& b) {
    for (const rules::Stmt& stmt : b) statement(depth, stmt);
  }

  void statement(int d, const rules::Stmt& stmt) {
    const auto optional = [&](const char* word, ExprId id) { return id == kNoId ? std::string() : fmt::format(" {} {}", word, expr(id)); };
    const auto say = [&](const std::string& text) { line(d, text, stmt.cover); };
    std::visit(
        [&](const auto& n) {
          using T = std::decay_t<decltype(n)>;
          if constexpr (std::is_same_v<T, rules::Move>)
            say(fmt::format("move {} {} {}{}{}", expr(n.what), n.under ? "under" : "to", expr(n.to), optional("face", n.face), n.each == kNoId ? "" : " for " + clause(n.each)));
          else if constexpr (std::is_same_v<T, rules::Fill>)
            say(fmt::format("fill {}{} from {}{}", expr(n.what), optional("to", n.to_count), expr(n.from), optional("face", n.face)));
          else if constexpr (std::is_same_v<T, rules::Swap>) say("swap " + expr(n.first) + optional("with", n.second));
          else if constexpr (std::is_same_v<T, rules::Turn>) say(fmt::format("turn {} face {}", expr(n.what), expr(n.face)));
          else if constexpr (std::is_same_v<T, rules::Shuffle>) say("shuffle " + expr(n.what));
          else if constexpr (std::is_same_v<T, rules::Roll>) say("roll " + expr(n.what));
          else if constexpr (std::is_same_v<T, rules::Show>) say("show " + expr(n.what) + optional("to", n.to));
          else if constexpr (std::is_same_v<T, rules::Assign>) {
            constexpr std::string_view kWords[] = {"set", "raise", "lower"};
            say(fmt::format("{} {} {} {}", kWords[static_cast<std::size_t>(n.kind)], target(n.target), n.kind == rules::Assign::Kind::set ? "to" : "by", expr(n.value)));
          } else if constexpr (std::is_same_v<T, rules::Pay>) say(fmt::format("pay {} from {} to {}", expr(n.amount), target(n.from), target(n.to)));
          else if constexpr (std::is_same_v<T, rules::LetLocal>)
            say(fmt::format("let {}: {} = {}", rules_.locals[n.local].name, type(rules_.locals[n.local].type), expr(n.value)));
          else if constexpr (std::is_same_v<T, rules::StartVar>)
            say(fmt::format("var {}: {} = {}", rules_.vars[n.var].name, type(rules_.vars[n.var].type), expr(rules_.vars[n.var].start)));
          else if constexpr (std::is_same_v<T, rules::If>) {
            say("if " + expr(n.condition));
            line(d, "then", n.then_cover);
            block(d + 1, n.then_block);
            if (n.has_else) line(d, "else", n.else_cover);
            block(d + 1, n.else_block);
          } else if constexpr (std::is_same_v<T, rules::Loop>) {
            line(d, header(n.header), n.cover);
            block(d + 1, n.body);
          } else if constexpr (std::is_same_v<T, rules::MatchStmt>) {
            say("match " + expr(n.subject));
            for (const rules::MatchStmt::Arm& arm : n.arms) {
              line(d, "| " + patterns(arm.patterns), arm.cover);
              block(d + 1, arm.body);
            }
          } else if constexpr (std::is_same_v<T, rules::Choose>) {
            say(n.each ? "choose each " + clause(n.clause) : "choose " + expr(n.seat));
            for (const rules::Option& option : n.options) {
              line(d + 1, fmt::format("{}{}{}{}", option.secretly ? "secretly " : "", option.otherwise ? "otherwise " : "", option.name, clause(option.clause)), option.cover);
              block(d + 2, option.body);
            }
          } else if constexpr (std::is_same_v<T, rules::DoRoutine>) {
            std::string args;
            for (const ExprId arg : n.args) args += " " + expr(arg);
            say("do " + rules_.routines[n.routine].name + args);
          } else if constexpr (std::is_same_v<T, rules::Together>) {
            say("together");
            block(d + 1, n.body);
          } else if constexpr (std::is_same_v<T, rules::Stop>) say("stop");
          else if constexpr (std::is_same_v<T, rules::Win>) say("win " + expr(n.who));
          else if constexpr (std::is_same_v<T, rules::EndTurn>) say("end turn");
          else if constexpr (std::is_same_v<T, rules::EndGame>) say("end game");
          else if constexpr (std::is_same_v<T, rules::EndPhase>) say("end phase " + rules_.phases[n.phase].name);
          else if constexpr (std::is_same_v<T, rules::ClaimHere>) say(claim(rules_.claims[n.claim]));
          else {
            static_assert(std::is_same_v<T, rules::RunPhase>);
            phase(d, n.phase);
          }
        },
        stmt.node);
  }

  void phase(int d, rules::PhaseId id) {
    const rules::Phase& p = rules_.phases[id];
    line(d, "phase " + p.name + (p.loop ? " " + header(*p.loop) : ""), p.cover);
    for (const rules::VarId var : p.variables) variable(d + 1, rules_.vars[var]);
    for (const rules::WhenId when : p.whens) trigger(d + 1, rules_.whens[when]);
    block(d + 1, p.body);
  }

  void trigger(int d, const rules::When& w) {
    line(d, "when " + (w.clause == kNoId ? expr(w.condition) : clause(w.clause)), w.cover);
    block(d + 1, w.body);
  }

  std::string index(const std::vector<Type>& types) const {
    std::string out;
    for (const Type& t : types) out += (out.empty() ? "[" : ", ") + type(t);
    return out.empty() ? out : out + "]";
  }

  void variable(int d, const rules::Var& v) {
    line(d, fmt::format("{} {}{}: {}{}{}", v.kind == rules::Var::Kind::money ? "money" : v.kind == rules::Var::Kind::variable ? "var" : "name", v.name, index(v.index),
                        type(v.type), v.start == kNoId ? "" : " = " + expr(v.start), v.seen_by == kNoId ? "" : " seen by " + expr(v.seen_by)),
         v.cover);
  }

  std::string claim(const rules::Claim& c) const {
    constexpr std::string_view kKinds[] = {"always", "never", "sometimes"};
    std::string out = fmt::format("{} \"{}\": {}", kKinds[static_cast<std::size_t>(c.kind)], c.text, expr(c.condition));
    switch (c.moment) {
      case ast::MomentKind::waiting: break;
      case ast::MomentKind::end: out += " at end"; break;
      case ast::MomentKind::phase_begins: out += " at " + rules_.phases[c.phase].name + " begins"; break;
      case ast::MomentKind::phase_ends: out += " at " + rules_.phases[c.phase].name + " ends"; break;
      case ast::MomentKind::move: out += " at " + c.move; break;
    }
    return out + (c.reads_result ? " (result)" : "");
  }

  std::string all() {
    line(0, fmt::format("game \"{}\"  players {}..{} usually {}", rules_.title, rules_.players_low, rules_.players_high, rules_.players_usual));
    for (const rules::Enum& e : rules_.enums) line(0, fmt::format("enum {} {{{}}}", e.name, fmt::join(e.values, ", ")));
    for (const rules::Param& p : rules_.params) line(0, fmt::format("param {}{}: {} = {}", p.name, index(p.index), type(p.type), expr(p.value)), p.cover);
    for (const rules::Require& r : rules_.requires_) line(0, fmt::format("require \"{}\": {}", r.text, expr(r.condition)));
    for (const rules::ComponentType& t : rules_.component_types) {
      constexpr std::string_view kKinds[] = {"card", "token", "die"};
      line(0, fmt::format("{} {}{}", kKinds[static_cast<std::size_t>(t.kind)], t.name,
                          t.kind == ast::ComponentKind::die ? fmt::format(" {}..{}", t.low_face, t.high_face) : ""));
      for (const rules::Attribute& a : t.attributes)
        line(1, fmt::format("{}{}: {}{}", a.back ? "back " : "", a.name, type(a.type), a.start ? " = " + expr(*a.start) : ""));
    }
    for (const rules::Zone& z : rules_.zones) {
      constexpr std::string_view kKinds[] = {"pile", "row", "place", "hand"};
      std::string text = fmt::format("{} {}{}: {} of {}", z.deck == kNoId ? "zone" : "deck", z.name, index(z.index), kKinds[static_cast<std::size_t>(z.kind)],
                                     z.type == kNoId ? "?" : rules_.component_types[z.type].name);
      if (z.face) text += *z.face == 0 ? " face up" : " face down";
      if (z.max != kNoId) text += " max " + expr(z.max);
      if (z.refill_from != kNoId) text += " refilled from " + expr(z.refill_from);
      if (z.refill_keeping != kNoId) text += " keeping " + expr(z.refill_keeping);
      if (z.seen_by != kNoId) text += " seen by " + expr(z.seen_by);
      line(0, text, z.cover);
      if (z.deck == kNoId) continue;
      if (!rules_.decks[z.deck].rows.empty()) line(1, fmt::format("{} rows from a file", rules_.decks[z.deck].rows.size()));
      for (const rules::DeckLine& l : rules_.decks[z.deck].lines)
        line(1, fmt::format("{} x {}{}", expr(l.count), phrase(l.phrase), l.clause == kNoId ? "" : " for " + clause(l.clause)), l.cover);
    }
    for (const rules::Var& v : rules_.vars)
      if (v.phase == kNoId && !v.local) variable(0, v);
    for (const rules::Let& l : rules_.lets) {
      std::string params;
      for (const rules::LocalId p : l.params) params += fmt::format("{}{}: {}", params.empty() ? "" : ", ", rules_.locals[p].name, type(rules_.locals[p].type));
      line(0, fmt::format("let {}({}): {} = {}", l.name, params, type(rules_.exprs[l.value].type), expr(l.value)), l.cover);
    }
    for (const rules::Stmt& stmt : rules_.main) statement(0, stmt);
    for (const rules::Routine& r : rules_.routines) {
      std::string params;
      for (const rules::LocalId p : r.params) params += fmt::format("{}{}: {}", params.empty() ? "" : ", ", rules_.locals[p].name, type(rules_.locals[p].type));
      line(0, fmt::format("rule {}({})", r.name, params), r.phase == kNoId ? r.cover : kNoId);
      block(1, r.body);
    }
    for (const rules::When& w : rules_.whens)
      if (w.phase == kNoId) trigger(0, w);
    if (rules_.score != kNoId) line(0, fmt::format("score {} = {}", rules_.locals[rules_.score_seat].name, expr(rules_.score)));
    if (rules_.winner != kNoId) line(0, "winner " + clause(rules_.winner), rules_.winner_cover);
    for (const rules::Claim& c : rules_.claims)
      if (!c.statement) line(0, claim(c), c.cover);
    for (const rules::Bound& b : rules_.bounds)
      line(0, fmt::format("bound {} in {}..{}{}{}", expr(b.value), expr(b.low), expr(b.high), b.clause == kNoId ? "" : " for " + clause(b.clause), b.reads_result ? " (result)" : ""), b.cover);
    for (const rules::Report& r : rules_.reports) line(0, fmt::format("report \"{}\" = {}", r.text, expr(r.value)));
    return std::move(out_);
  }

 private:
  const Rules& rules_;
  std::string out_;
};

}  // namespace

std::string dump(const Rules& rules) { return Dump(rules).all(); }
std::string dump_expression(const Rules& rules, ExprId expr) { return Dump(rules).expr(expr); }
std::string dump_type(const Rules& rules, const Type& type) { return Dump(rules).type(type); }

}  // namespace rip::check
