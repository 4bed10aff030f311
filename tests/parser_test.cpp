// The parser: its grammar, where it resumes after a mistake, and what is too deep or too long for it.
#include <catch2/catch.hpp>

#include "base/diagnostic.h"
#include "grammar/parser.h"

#include <chrono>
#include <string>
#include <vector>

using namespace rip;

namespace {

std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  out.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

const std::string kHead = "game \"G\" language 1\nplayers 2\n";

/// What the parser says of `text`, as `CODE line:column-column`.
std::vector<std::string> told(const std::string& text) {
  Sources sources;
  Diagnostics diagnostics;
  const std::uint32_t file = sources.add("t.rip", text);
  grammar::parse(sources, file, diagnostics);
  std::vector<std::string> out;
  for (const Diagnostic& d : diagnostics.sorted()) {
    const Place begin = sources.place(file, d.span.begin), end = sources.place(file, d.span.end);
    CHECK(d.span.begin <= d.span.end);
    CHECK(d.span.end <= text.size());
    CHECK_FALSE(render(d, sources, false).empty());
    out.push_back(std::string(info(d.code).name) + " " + std::to_string(begin.line) + ":" + std::to_string(begin.column) + "-" + std::to_string(end.column));
  }
  return out;
}

/// One error of this kind and nothing else, quickly.
void only(const std::string& text, Code code) {
  Sources sources;
  Diagnostics diagnostics;
  const auto begin = std::chrono::steady_clock::now();
  grammar::parse(sources, sources.add("t.rip", text), diagnostics);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  INFO(text.substr(0, 60));
  CHECK(seconds < 5);
  REQUIRE(diagnostics.errors() == 1);
  CHECK(diagnostics.all().front().code == code);
}

void fine(const std::string& text) {
  INFO(text.substr(0, 200));
  CHECK(told(text).empty());
}

}  // namespace

TEST_CASE("PEGTL finds no loop without progress in the grammar", "[parser]") { CHECK(grammar::grammar_problems() == 0); }

TEST_CASE("every mistake of a run is told with its place", "[parser]") {
  CHECK(told(kHead + "var n 0..3\nlet f() = 1 +\nphase a { set n 3   raise n by 1   lower n }\nenum E { a b }\n") ==
        std::vector<std::string>{"R0101 3:7-8", "R0101 4:14-14", "R0101 5:17-18", "R0101 5:44-45", "R0101 6:12-13"});
  // at the end of the file what is missing is missed behind the last thing that stands
  CHECK(told(kHead + "let f() = 1 +   \n\n") == std::vector<std::string>{"R0101 3:14-14"});
  CHECK(told(kHead + "phase a { choose 0 { one(n in) { } two { set n } three { } } }") == std::vector<std::string>{"R0101 3:30-31", "R0101 3:48-49"});
  CHECK(told(kHead + "scenario \"s\" { players Ann Ben   Ann do x   expect }\nvariant \"v\" { set n = 2   remove }") ==
        std::vector<std::string>{"R0101 3:34-37", "R0101 3:38-40", "R0101 3:52-53", "R0101 4:21-22", "R0101 4:34-35"});
  CHECK(told("") == std::vector<std::string>{"R0001 1:1-1"});
  CHECK(told(kHead + "# \x01\n") == std::vector<std::string>{"R0002 3:3-4"});
  CHECK(told(kHead + "# \xff\xfe\n") == std::vector<std::string>{"R0002 3:3-4"});
  CHECK(told(kHead + "# \xc3\xa9\n").empty());
}

TEST_CASE("a script has at most a million bytes", "[parser]") {
  fine(kHead + "# " + std::string(1000000, 'x'));
  only(kHead + "# " + std::string(10000000, 'x'), Code::R0002);
}

TEST_CASE("no more than a hundred mistakes are kept", "[parser]") {
  Sources sources;
  Diagnostics diagnostics;
  grammar::parse(sources, sources.add("t.rip", kHead + repeated("var n 0..3\n", 5000)), diagnostics);
  CHECK(diagnostics.errors() >= 100);
  CHECK(diagnostics.all().size() <= 101);
}

TEST_CASE("nesting up to 200 levels is fine, beyond it is one error", "[parser]") {
  const auto nested = [](const char* before, const char* open, const char* middle, const char* close, const char* after) {
    return [=](std::size_t n) { return kHead + before + repeated(open, n) + middle + repeated(close, n) + after; };
  };
  const auto shapes = {nested("let f() = ", "(", "1", ")", ""),
                       nested("let f() = ", "[", "1", "]", ""),
                       nested("let f() = ", "{", "1", "}", ""),
                       nested("let f() = ", "sum(", "1", ")", ""),
                       nested("let f() = ", "count(x in ", "s", ")", ""),
                       nested("let f() = ", "f(", "1", ")", ""),
                       nested("let f() = ", "a[", "1", "]", ""),
                       nested("let f() = ", "top of ", "d", "", ""),
                       nested("let f() = ", "if a then b else ", "c", "", ""),
                       nested("let f() = ", "match a { else: ", "c", "}", ""),
                       nested("let f() = ", "<{", "1", "}>", ""),
                       nested("let f() = ", "T < {", "1", "}", ""),
                       nested("let f() = ", "every(a for x in ", "s", ")", ""),
                       nested("phase a { ", "if a { ", "", "}", "}"),
                       nested("phase a { ", "for x in s { ", "", "}", "}"),
                       nested("phase a { ", "if a { } else ", "{ }", "", "}"),
                       nested("phase a { choose 0 { ", "where a { ", "m { }", "}", "} }"),
                       nested("phase a { ", "choose 0 { m { ", "", "} }", "}"),
                       nested("phase a { ", "match a { else { ", "", "} }", "}"),
                       nested("", "phase a { ", "", "}", "")};
  for (const auto& shape : shapes) {
    fine(shape(20));
    only(shape(1000), Code::R0104);
    only(shape(30000), Code::R0104);
  }
  // not all of these mean something, but reading them must end
  only(kHead + "var s: " + repeated("set of ", 100000) + "1..3", Code::R0104);
  only(kHead + repeated("variant \"v\" { ", 50000), Code::R0104);
  only(kHead + "variant \"v\" { " + repeated("before [R-1] { variant \"v\" { ", 20000), Code::R0104);
  only(kHead + "let f() = " + repeated("(", 1000000), Code::R0104);
}

TEST_CASE("operators in a row have a bound too, since they make deep trees", "[parser]") {
  const auto row = [](const char* item, std::size_t n, const char* last) { return kHead + "let f() = " + repeated(item, n) + last; };
  for (const char* item : {"1 + ", "1 - ", "2 * ", "a or ", "a and ", "not ", "- ", "a or not ", "1 + - "}) {
    fine(row(item, 200, "1"));
    only(row(item, 100000, "1"), Code::R0104);
  }
  for (const char* item : {".a", "[1]"}) {
    fine(kHead + "let f() = b" + repeated(item, 400));
    only(kHead + "let f() = b" + repeated(item, 100000), Code::R0104);
  }
  // what stands beside each other is not deep
  fine(kHead + "let f() = [" + repeated("1 + 1, ", 20000) + "1]");
}

TEST_CASE("reading takes no longer than in proportion to the text", "[parser]") {
  const auto seconds = [](const std::string& text) {
    Sources sources;
    Diagnostics diagnostics;
    const auto begin = std::chrono::steady_clock::now();
    grammar::parse(sources, sources.add("t.rip", text), diagnostics);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  // each of these was or could be read twice at every level
  CHECK(seconds(kHead + "let f() = " + repeated("sum(", 60) + "1" + repeated(")", 60)) < 1);
  CHECK(seconds(kHead + "let f() = " + repeated("count(x in ", 60) + "s" + repeated(")", 60)) < 1);
  CHECK(seconds(kHead + "let f() = " + repeated("T < {", 60) + "1" + repeated("}", 60)) < 1);
  CHECK(seconds(kHead + "let f() = " + repeated("x < {", 60) + "1" + repeated("}", 60)) < 1);
  CHECK(seconds(kHead + "phase a { move a to b for c in " + repeated("[d in ", 60) + "e" + repeated("]", 60) + " }") < 1);
  CHECK(seconds(kHead + "phase a { " + repeated("if x { move y ", 100)) < 1);
  CHECK(seconds(kHead + repeated("phase a { if x { ", 90)) < 1);
  CHECK(seconds(kHead + "variant \"v\" { before [R-1] { " + repeated("a(x in ", 60) + "y" + repeated(") { }", 60)) < 1);
  CHECK(seconds(kHead + "# " + std::string(1000000, 'x')) < 1);
  CHECK(seconds(kHead + repeated("{ ", 300000)) < 2);
  CHECK(seconds(kHead + repeated("} ", 300000)) < 2);
  CHECK(seconds(kHead + repeated("[A-1, ", 100000)) < 2);
  CHECK(seconds(kHead + repeated("\"", 300001)) < 2);
  CHECK(seconds(kHead + std::string(1000000, 'a')) < 2);
}

TEST_CASE("a test, a comparison and `not` bind as the language says", "[parser]") {
  const auto tree = [](const std::string& text) {
    Sources sources;
    Diagnostics diagnostics;
    const ast::ExprRef read = grammar::parse_expression(sources, sources.add("t.rip", text), diagnostics);
    REQUIRE(read != nullptr);
    CHECK_FALSE(diagnostics.has_errors());
    return read;
  };
  const auto is = [](const ast::ExprRef& e) { return std::get_if<ast::Is>(&e->node); };
  const auto binary = [](const ast::ExprRef& e) { return std::get_if<ast::Binary>(&e->node); };
  const auto unary = [](const ast::ExprRef& e) { return std::get_if<ast::Unary>(&e->node); };

  const auto sum = tree("a + b is not empty");
  REQUIRE(is(sum));
  CHECK(is(sum)->negated);
  CHECK(binary(is(sum)->operand));
  CHECK(sum->span.end == 18);
  REQUIRE(is(tree("a..b is empty")));
  CHECK(std::get_if<ast::RangeExpr>(&is(tree("a..b is empty"))->operand->node));
  REQUIRE(unary(tree("not a + b is empty")));
  CHECK(is(unary(tree("not a + b is empty"))->operand));
  const auto both = tree("a is none and not b is none or c");
  REQUIRE(binary(both));
  CHECK(binary(both)->op == ast::BinaryOp::logical_or);
  REQUIRE(binary(binary(both)->left));
  CHECK(is(binary(binary(both)->left)->left));
  CHECK(unary(binary(binary(both)->left)->right));
  REQUIRE(binary(tree("- a * b + c")));
  CHECK(binary(tree("- a * b + c"))->op == ast::BinaryOp::add);
}
