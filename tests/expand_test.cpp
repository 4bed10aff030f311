// Errata sheets: each kind of change, what happens to margin notes, chains, and what a sheet can get wrong.
#include "grammar/expand.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "grammar/identity.h"
#include "grammar/parser.h"

using namespace rip;
using namespace rip::grammar;

namespace {

/// A script, and one version of it in short: declarations one to a line, blocks with their statements in braces, notes behind.
struct Sheets {
  Sources sources;
  Diagnostics diagnostics;
  ast::Script script;

  explicit Sheets(const std::string& text) {
    script = grammar::parse(sources, sources.add("a.rip", "game \"G\" language 1\n" + text), diagnostics);
    for (const Diagnostic& d : diagnostics.sorted()) UNSCOPED_INFO(render(d, sources, false));
    REQUIRE_FALSE(diagnostics.has_errors());
  }

  Expanded version(const std::string& name) { return expand(variant_chain(script, name, nullptr, diagnostics), nullptr, diagnostics); }

  std::string outline(const Expanded& expanded) const {
    std::string out;
    for (const ast::DeclRef& decl : expanded.script.declarations) out += line(*decl) + "\n";
    return out;
  }

  /// Of the variant "V"; nothing may be reported.
  std::string expanded() {
    const std::string out = outline(version("V"));
    for (const Diagnostic& d : diagnostics.sorted()) UNSCOPED_INFO(render(d, sources, false));
    CHECK(diagnostics.all().empty());
    return out;
  }

  /// What is reported about the variant "V": code, marked text, message; then the related places and the hint.
  std::string reported() {
    version("V");
    std::string out;
    for (const Diagnostic& d : diagnostics.sorted()) {
      out += std::string(info(d.code).name) + " `" + std::string(sources.text(d.span)) + "`: " + d.message;
      for (const RelatedPlace& place : d.related) out += "; `" + std::string(sources.text(place.span)) + "` " + place.text;
      if (!d.hint.empty()) out += "; " + d.hint;
      out += "\n";
    }
    return out;
  }

 private:
  std::string text(Span span) const { return std::string(sources.text(span)); }

  static std::string notes(const ast::Tags& tags) {
    std::string out;
    for (const ast::Tag& tag : tags) out += " [" + tag.text + "]";
    return out;
  }

  /// Calls of what was kept have no text of their own.
  std::string value(const ast::ExprRef& expr) const {
    if (expr == nullptr) return "-";
    if (const auto* call = std::get_if<ast::Call>(&expr->node)) {
      std::string args;
      for (const ast::ExprRef& arg : call->args) args += (args.empty() ? "" : ", ") + value(arg);
      return call->name.text + "(" + args + ")";
    }
    if (const auto* binary = std::get_if<ast::Binary>(&expr->node)) return value(binary->left) + " " + text(binary->op_span) + " " + value(binary->right);
    if (const auto* word = std::get_if<ast::Word>(&expr->node)) return word->text;
    return text(expr->span);
  }

  std::string block(const ast::BlockRef& block) const {
    std::string out = "{";
    for (const ast::StmtRef& stmt : block->statements) out += " " + statement(*stmt);
    return out + " }";
  }

  std::string options(const std::vector<ast::Option>& list) const {
    std::string out = "{";
    for (const ast::Option& o : list) out += " " + (o.group.empty() ? o.name.text + block(o.body) : "where" + options(o.group)) + notes(o.tags);
    return out + " }";
  }

  std::string statement(const ast::Stmt& stmt) const {
    const std::string behind = notes(stmt.tags);
    if (const auto* x = std::get_if<ast::If>(&stmt.node)) {
      return "if " + block(x->then_block) + (x->else_block != nullptr ? " else " + block(x->else_block) : "") + behind;
    }
    if (const auto* x = std::get_if<ast::Loop>(&stmt.node)) return "loop " + block(x->body) + behind;
    if (const auto* x = std::get_if<ast::Match>(&stmt.node)) {
      std::string out = "match {";
      for (const ast::MatchStmtArm& arm : x->arms) out += " " + (arm.patterns.empty() ? "else" : value(arm.patterns.front())) + block(arm.body);
      return out + " }" + behind;
    }
    if (const auto* x = std::get_if<ast::Choose>(&stmt.node)) return "choose " + options(x->options) + behind;
    if (const auto* x = std::get_if<ast::Together>(&stmt.node)) return "together " + block(x->body) + behind;
    if (const auto* x = std::get_if<ast::Phase>(&stmt.node)) return "phase " + x->name.text + (x->loop ? " loop " : " ") + block(x->body) + behind;
    if (const auto* x = std::get_if<ast::When>(&stmt.node)) return "when " + block(x->body) + behind;
    if (const auto* x = std::get_if<ast::Note>(&stmt.node)) return "note " + x->text + behind;
    if (const auto* x = std::get_if<ast::Do>(&stmt.node)) {
      std::string args;
      for (const ast::ExprRef& arg : x->args) args += (args.empty() ? "" : ", ") + value(arg);
      return "do " + x->name.text + "(" + args + ")" + behind;
    }
    return text(stmt.span) + behind;
  }

  std::string line(const ast::Decl& decl) const {
    const Identity id = identity(decl);
    std::string out = id.kind + (id.name.empty() ? "" : " " + id.name);
    if (const auto* x = std::get_if<ast::LetDecl>(&decl.node)) out += " = " + value(x->value);
    if (const auto* x = std::get_if<ast::ScoreDecl>(&decl.node)) out += " = " + value(x->value);
    if (const auto* x = std::get_if<ast::PlayersDecl>(&decl.node)) out += " " + text(x->low->span) + ".." + text(x->high->span);
    if (const auto* x = std::get_if<ast::RuleDecl>(&decl.node)) out += " " + block(x->body);
    if (const auto* x = std::get_if<ast::Phase>(&decl.node)) out += (x->loop ? " loop " : " ") + block(x->body);
    if (const auto* x = std::get_if<ast::When>(&decl.node)) out += " " + block(x->body);
    if (const auto* x = std::get_if<ast::DeckDecl>(&decl.node)) {
      out += " {";
      for (const ast::DeckLine& item : x->lines)
        out += " " + (item.original ? "original" : text(item.count->span) + text(item.phrase->span)) + notes(item.tags);
      out += " }";
    }
    return out + notes(decl.tags);
  }
};

}  // namespace

TEST_CASE("a variant sets, adds, and changes the players") {
  Sheets sheets("players 2  param laps: 1..4 = 2 [R-1]\nvariant \"V\" { set laps to 3 [V-1]  players 3..5 [V-2]  let f() = 1 [V-3] }");
  const Expanded made = sheets.version("V");
  CHECK(sheets.outline(made) ==
        "players 3..5 [V-2]\n"
        "param laps [R-1] [V-1]\n"
        "let f = 1 [V-3]\n");
  REQUIRE(made.sets.size() == 1);
  CHECK(made.sets[0].first.text == "laps");
  CHECK(sheets.outline(sheets.version("")) == "players 2..2\nparam laps [R-1]\n");
}

TEST_CASE("the same kind and name replaces, in its place") {
  Sheets sheets(
      "let f() = 1 [R-1]  let g() = 2 [R-2]  let h() = 3\n"
      "variant \"V\" { replace let f() = 4  replace let g() = 5 [V-2]  replace let h() = 6 [V-3] }");
  CHECK(sheets.expanded() == "let f = 4 [R-1]\nlet g = 5 [V-2]\nlet h = 6 [V-3]\n");
}

TEST_CASE("`original` in a value calls what is replaced, with the new names of its parameters") {
  Sheets sheets("let worth(p, h) = 1 [R-1]\nvariant \"V\" { replace let worth(q, k) = original + 1 }");
  CHECK(sheets.expanded() == "let worth = worth'(q, k) + 1\nlet worth' = 1 [R-1]\n");
}

TEST_CASE("`original` through a chain of variants finds the version before") {
  Sheets sheets(
      "let f() = 1\n"
      "variant \"A\" { replace let f() = original + 2 }\n"
      "variant \"V\" of \"A\" { replace let f() = original + 3 }");
  CHECK(sheets.expanded() == "let f = f''() + 3\nlet f' = 1\nlet f'' = f'() + 2\n");
}

TEST_CASE("`original` in a procedure does what is replaced") {
  Sheets sheets("rule a(x) { stop } phase b() { stop }\nvariant \"V\" { replace rule a(y) { if y { original } } replace phase b() { original original } }");
  CHECK(sheets.expanded() == "rule a { if { do a'(y) } }\nphase b { do b'() do b'() }\nrule a' { stop }\nphase b' { stop }\n");
}

TEST_CASE("`original` in a phase is its statements, with its loop if none is written instead") {
  const std::string base = "phase a for n in 1..3 { stop [R-1] }\n";
  CHECK(Sheets(base + "variant \"V\" { replace phase a for n in 1..9 { original end game } }").expanded() == "phase a loop { stop [R-1] end game }\n");
  CHECK(Sheets(base + "variant \"V\" { replace phase a { original end game } }").expanded() == "phase a { loop { stop [R-1] } end game }\n");
}

TEST_CASE("`original` in a deck is its lines, in a score its value") {
  Sheets sheets(
      "card C { v: 1..9 } deck d of C { 1 x <1> [R-1] 2 x <2> } score p = 1\n"
      "variant \"V\" { replace deck d of C { original 3 x <3> } replace score p = original + 1 }");
  CHECK(sheets.expanded() == "card C\ndeck d { 1<1> [R-1] 2<2> 3<3> }\nscore = 1 + 1\n");
}

TEST_CASE("what stands inside a phase is replaced and removed by name too") {
  const std::string base = "phase a { var n: 1..3 phase b { stop } always \"t\": yes phase c { stop [R-1] } }\n";
  CHECK(Sheets(base + "variant \"V\" { replace phase b { end game } replace phase c { original original } }").expanded() ==
        "phase a { var n: 1..3 phase b { end game } always \"t\": yes phase c { stop [R-1] stop [R-1] } }\n");
  CHECK(Sheets(base + "variant \"V\" { remove phase b remove always \"t\" }").expanded() == "phase a { var n: 1..3 phase c { stop [R-1] } }\n");
}

TEST_CASE("statements go before, after, and instead of the one with the note") {
  const std::string base = "rule a() { stop [R-1] end turn }\n";
  CHECK(Sheets(base + "variant \"V\" { before [R-1] { end game [V-1] } }").expanded() == "rule a { end game [V-1] stop [R-1] end turn }\n");
  CHECK(Sheets(base + "variant \"V\" { after [R-1] { end game end phase } }").expanded() == "rule a { stop [R-1] end game end phase end turn }\n");
  CHECK(Sheets(base + "variant \"V\" { replace [R-1] { end game [V-1] end phase } }").expanded() == "rule a { end game [V-1] [R-1] end phase end turn }\n");
  CHECK(Sheets(base + "variant \"V\" { replace [R-1] { } }").expanded() == "rule a { end turn }\n");
}

TEST_CASE("the notes of the sheet's line go to what it inserts") {
  const std::string base = "rule a() { stop [R-1] }\n";
  CHECK(Sheets(base + "variant \"V\" { before [R-1] { end game end turn } [V-1] }").expanded() == "rule a { end game [V-1] end turn [V-1] stop [R-1] }\n");
  CHECK(Sheets(base + "variant \"V\" { before [R-1] { [V-1] end game } [V-2] }").expanded() == "rule a { end game [V-2] [V-1] stop [R-1] }\n");
}

TEST_CASE("`original` at a note is what stood there, and keeps the note") {
  const std::string base = "rule a() { for n in 1..3 { [R-1] stop } }\n";
  CHECK(Sheets(base + "variant \"V\" { replace [R-1] { if yes { end game } else { original } } }").expanded() ==
        "rule a { if { end game } else { loop { stop } } }\n");
  CHECK(Sheets(base + "variant \"V\" { replace [R-1] { original original } }").expanded() == "rule a { loop { stop } loop { stop } }\n");
}

TEST_CASE("the note in a block marks its owner") {
  const std::string base = "rule a() { together { [R-1] stop } if yes { [R-2] stop } choose me { [R-3] go { } } match 1 { [R-4] else { } } }\n";
  for (const std::string tag : {"R-1", "R-2", "R-3", "R-4"}) {
    const std::string made = Sheets(base + "variant \"V\" { before [" + tag + "] { end game } }").expanded();
    const std::string owner = tag == "R-1" ? "together" : tag == "R-2" ? "if" : tag == "R-3" ? "choose" : "match";
    CHECK(made.find("end game " + owner) != std::string::npos);
  }
}

TEST_CASE("with an `else`, and in a match, a note in a block marks the branch") {
  const std::string base = "rule a(n) { if n == 1 { [R-1] stop } else { [R-2] end turn } match n { 1 { [R-3] stop } 2 { stop } [R-4] else { } } }\n";
  CHECK(Sheets(base + "variant \"V\" { before [R-2] { end game } after [R-3] { end game } }").expanded() ==
        "rule a { if { stop } else { end game end turn } match { 1{ stop end game } 2{ stop } else{ } } }\n");
  CHECK(Sheets(base + "variant \"V\" { replace [R-1] { end game original } replace [R-4] { end turn } }").expanded() ==
        "rule a { if { end game stop } else { end turn } match { 1{ stop } 2{ end turn } else{ } } }\n");
  CHECK(Sheets(base + "variant \"V\" { remove [R-2, R-3] }").expanded() == "rule a { if { stop } match { 2{ stop } else{ } } }\n");
  CHECK(Sheets(base + "variant \"V\" { remove [R-1] }").expanded().starts_with("rule a { if { } else { end turn } match"));
  CHECK(Sheets(base + "variant \"V\" { remove [R-1, R-2] }").expanded().starts_with("rule a { match"));
}

TEST_CASE("moves, deck lines and declarations go where their kind stands") {
  const std::string base =
      "card C { v: 1..9 } deck d of C { 1 x <1> [R-1] 2 x <2> [R-2] }\n"
      "phase a { choose me { go { stop } [R-3] where yes { wait { [R-4] } } } }\n"
      "phase b { stop } [R-5]\n";
  CHECK(Sheets(base + "variant \"V\" { after [R-1] { 3 x <3> [V-1] } replace [R-2] { original 4 x <4> } }")
            .expanded()
            .find("deck d { 1<1> [R-1] 3<3> [V-1] 2<2> [R-2] 4<4> }") != std::string::npos);
  CHECK(Sheets(base + "variant \"V\" { replace [R-3] { run { original end game } } before [R-4] { doze { } } }")
            .expanded()
            .find("phase a { choose { run{ stop end game } [R-3] where{ doze{ } wait{ } [R-4] } } }") != std::string::npos);
  CHECK(Sheets(base + "variant \"V\" { before [R-5] { phase c { stop } let f() = 1  always \"t\": yes } }")
            .expanded()
            .ends_with("phase c { stop }\nlet f = 1\nalways t\nphase b { stop } [R-5]\n"));
  CHECK(Sheets(base + "variant \"V\" { replace [R-5] { phase c { end game original } } }").expanded().ends_with("phase c { end game stop } [R-5]\n"));
}

TEST_CASE("`remove` with notes takes what carries only these") {
  const std::string base = "let f() = 1 [R-1]  let g() = 2 [R-1, R-2]  let h() = 3 [R-2, R-3]\nrule a() { stop [R-3] for n in 1..2 { [R-1] stop } }\n";
  CHECK(Sheets(base + "variant \"V\" { remove [R-1] }").expanded() == "let g = 2 [R-1] [R-2]\nlet h = 3 [R-2] [R-3]\nrule a { stop [R-3] }\n");
  CHECK(Sheets(base + "variant \"V\" { remove [R-1, R-2] [V-1] }").expanded() ==
        "let h = 3 [R-2] [R-3]\nrule a { stop [R-3] }\nnote without [R-1, R-2] [V-1]\n");
  CHECK(Sheets(base + "variant \"V\" { remove [R-2] }").reported() ==
        "R0902 `R-2`: nothing carries only [R-2], so nothing is removed; `let g() = 2` carries other clauses too; `let h() = 3` carries other clauses too\n");
  // what lies inside something removed is removed with it
  CHECK(Sheets("rule a() { [R-1] stop [R-2] }\nvariant \"V\" { remove [R-1, R-2] }").expanded().empty());
}

TEST_CASE("`remove` with a name takes moves, declarations and claims") {
  const std::string base = "let f() = 1  always \"t\": yes  report \"r\" = 1  winner p by high 1\nrule a() { choose me { go { } where yes { wait { } } } }\n";
  CHECK(Sheets(base + "variant \"V\" { remove let f remove always \"t\" remove report \"r\" remove winner p remove move wait }").expanded() ==
        "rule a { choose { go{ } } }\n");
  CHECK(Sheets(base + "variant \"V\" { remove move wait [V-1] }").expanded().ends_with("note without move wait [V-1]\n"));
}

TEST_CASE("`sometimes` and scenarios belong to the version that wrote them") {
  Sheets sheets(
      "players 2  always \"a\": yes  sometimes \"s\": yes  sometimes \"t\": yes [R-1]\n"
      "rule a() { sometimes \"u\"  sometimes \"w\" [R-2]  never \"v\" }\n"
      "scenario \"of the base\" { players Ann, Ben }\n"
      "scenario \"of V\" of \"V\" { players Ann, Ben }\n"
      "variant \"V\" { sometimes \"mine\": yes  scenario \"inside\" { players Ann, Ben } }\n"
      "small \"tiny\" { players 3 }");
  const Expanded made = sheets.version("V");
  CHECK(sheets.outline(made) ==
        "players 2..2\nalways a\nnote t [R-1]\n"
        "rule a { note w [R-2] never \"v\" }\n"
        "sometimes mine\n");
  auto names = [](const Expanded& expanded) {
    std::string out;
    for (const ast::DeclRef& decl : expanded.scenarios) out += std::get<ast::ScenarioDecl>(decl->node).name + ";";
    return out;
  };
  CHECK(names(made) == "inside;of V;");
  CHECK(names(sheets.version("")) == "of the base;");
  const Expanded tiny = expand(sheets.script, {}, smalls(sheets.script).front(), sheets.diagnostics);
  CHECK(names(tiny).empty());
  CHECK(sheets.outline(tiny).starts_with("players 3..3\nalways a\nnote t [R-1]\n"));
  CHECK(sheets.diagnostics.all().empty());
}

TEST_CASE("a variant may be of another file, and its scenarios of that file's variants") {
  Sheets sheets(
      "players 2\n"
      "variant \"V\" of \"other.rip\" { let mine() = 1  scenario \"plain\" { players Ann, Ben } scenario \"mode\" of \"M\" { players Ann, Ben } }\n"
      "scenario \"outside\" of \"V\" { players Ann, Ben }");
  Diagnostics quiet;
  const ast::Script other = grammar::parse(
      sheets.sources,
      sheets.sources.add("other.rip", "game \"O\" language 1 players 4 variant \"M\" { let theirs() = 2 } scenario \"theirs\" { players Ann, Ben }"), quiet);
  std::string asked;
  const ScriptLoader load = [&](const std::string& path, Span of) {
    asked = path + " at " + std::string(sheets.sources.text(of));
    return path == "other.rip" ? &other : nullptr;
  };
  auto names = [](const Expanded& expanded) {
    std::string out;
    for (const ast::DeclRef& decl : expanded.scenarios) out += std::get<ast::ScenarioDecl>(decl->node).name + ";";
    return out;
  };
  const Expanded plain = expand(variant_chain(sheets.script, "V", load, sheets.diagnostics), nullptr, sheets.diagnostics);
  CHECK(asked == "other.rip at \"other.rip\"");
  CHECK(plain.script.title == "O");
  CHECK(sheets.outline(plain) == "players 4..4\nlet mine = 1\n");
  CHECK(names(plain) == "plain;outside;");
  CHECK(played_through(*variants(sheets.script).front()) == std::vector<std::string>{"M"});
  const Expanded mode = expand(variant_chain(sheets.script, "V", load, sheets.diagnostics, "M"), nullptr, sheets.diagnostics);
  CHECK(sheets.outline(mode) == "players 4..4\nlet theirs = 2\nlet mine = 1\n");
  CHECK(names(mode) == "mode;");
  CHECK(sheets.diagnostics.all().empty());
  check_scenario_variants(sheets.script, sheets.diagnostics);
  CHECK(sheets.diagnostics.all().empty());
  CHECK(variant_chain(sheets.script, "V", load, sheets.diagnostics, "X").base == nullptr);
  CHECK(sheets.diagnostics.all().size() == 1);
  CHECK(sheets.reported().find("R0906 `\"other.rip\"`: \"other.rip\" cannot be read from here\n") != std::string::npos);
}

TEST_CASE("a target that is missing or stands twice is reported at the sheet") {
  const std::string base = "let reward(g) = 1\nrule a() { stop [R-1] end turn [R-1] choose me { decline { } } }\n";
  auto reported = [&](const std::string& deltas) { return Sheets(base + "variant \"V\" { " + deltas + " }").reported(); };
  CHECK(reported("before [R-1] { stop }") ==
        "R0903 `R-1`: [R-1] marks 2 places, so it names none; `stop` one of them; `end turn` one of them; give the line you mean a note of its own\n");
  CHECK(reported("after [R-9] { stop }") == "R0902 `R-9`: nothing in the base carries [R-9]\n");
  CHECK(reported("remove [R-9]") == "R0902 `R-9`: nothing in the base carries [R-9]\n");
  CHECK(reported("replace let rewrad(g) = 1") == "R0901 `replace let rewrad(g) = 1`: the base has no let `rewrad`; did you mean `reward`?\n");
  CHECK(reported("replace rule reward() { }") == "R0901 `replace rule reward() { }`: the base has no rule `reward`\n");
  CHECK(reported("remove move declin") == "R0901 `remove move declin`: the base has no move `declin`; did you mean `decline`?\n");
  CHECK(reported("replace bound x in 1..2") == "R0901 `replace bound x in 1..2`: the base has no such `bound`\n");
}

TEST_CASE("entries must fit the place of the note") {
  const std::string base = "card C { v: 1..9 } deck d of C { 1 x <1> [R-1] }\nrule a() { stop [R-2] choose me { go { } [R-3] } } [R-4]\n";
  auto reported = [&](const std::string& deltas) { return Sheets(base + "variant \"V\" { " + deltas + " }").reported(); };
  CHECK(reported("after [R-1] { stop }") == "R0905 `stop`: at [R-1] stand deck lines; `1 x <1> [R-1]` [R-1] is here\n");
  CHECK(reported("after [R-2] { 1 x <2> }").starts_with("R0905 `1 x <2>`: at [R-2] stand statements"));
  CHECK(reported("after [R-3] { stop }").starts_with("R0905 `stop`: at [R-3] stand moves"));
  CHECK(reported("after [R-4] { stop }").starts_with("R0905 `stop`: at [R-4] stand declarations"));
  CHECK(reported("after [R-2] { }") == "R0905 `after [R-2] { }`: nothing is put beside [R-2]\n");
  CHECK(reported("after [R-2, R-3] { stop }") == "R0905 `R-3`: one margin note names the place, not several\n");
  CHECK(reported("variant \"W\" { }").starts_with("R0905 `variant \"W\" { }`: a `variant` stands inside a variant"));
  CHECK(reported("replace when yes { stop }").starts_with("R0905 `replace when yes { stop }`: a `when` cannot be replaced by name"));
}

TEST_CASE("a chain that leads nowhere is reported") {
  Sheets unknown("players 2 variant \"V\" of \"mode on\" { } variant \"mode one\" { }");
  CHECK(unknown.reported() == "R0904 `\"mode on\"`: no variant is called \"mode on\"; did you mean \"mode one\"?\n");
  Sheets circle("players 2 variant \"V\" of \"W\" { } variant \"W\" of \"V\" { }");
  CHECK(circle.reported() == "R0904 `\"V\"`: variant \"V\" builds on itself\n");
  CHECK(variant_chain(circle.script, "V", circle.diagnostics).empty());
  Sheets scenario("players 2 scenario \"s\" of \"X\" { players Ann, Ben } variant \"V\" { scenario \"t\" of \"W\" { players Ann, Ben } }");
  check_scenario_variants(scenario.script, scenario.diagnostics);
  CHECK(scenario.diagnostics.all().size() == 2);
}
