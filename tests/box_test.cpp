// One configuration made concrete: components, zone instances, names, card lists from CSV.
#include "interp/check/box.h"
#include "interp/check/csv.h"
#include "tests/rules_builder.h"

#include <catch2/catch.hpp>

using namespace rip;
using namespace rip::test;

TEST_CASE("components are numbered by type and attributes, decks keep their order", "[box]") {
  Builder b;
  const TypeId card = b.card_type(9);
  b.add_deck("deck", card, {{3}, {1}, {2}, {1}});
  const auto [box, error] = make_box(b.r, default_config(b.r, 2));
  REQUIRE(error.message.empty());
  REQUIRE(box.components.size() == 4);
  CHECK(box.components[3].attributes == std::vector<std::int64_t>{3});
  CHECK(box.contents[0] == std::vector<std::uint32_t>{3, 0, 2, 1});
  CHECK(box.equal(0, 1));
  CHECK_FALSE(box.equal(1, 2));
  CHECK(phrase(b.r, box, 3) == "<3>");
}

TEST_CASE("a deck of every seat belongs to it", "[box]") {
  Builder b;
  const TypeId card = b.card_type(9);
  const ZoneId deck = b.add_deck("deck", card, {{1}, {2}});
  b.r.zones[deck].index = {seat_type()};
  const auto [box, error] = make_box(b.r, default_config(b.r, 2));
  REQUIRE(box.components.size() == 4);
  CHECK(box.components[1].owner == 1);
  CHECK(box.contents[1] == std::vector<std::uint32_t>{1, 3});
  CHECK(zone_name(b.r, box, 1, {"Ann", "Ben"}) == "deck[Ben]");
  CHECK(value_text(b.r, box, component(card), 1, {"Ann", "Ben"}) == "Ben <1>");
  CHECK(phrase(b.r, box, 1) == "player 2 <1>");
}

TEST_CASE("zone instances follow the index, components included", "[box]") {
  Builder b;
  const TypeId card = b.card_type(9);
  b.add_deck("deck", card, {{1}, {2}});
  const ZoneId ring = b.add_zone("ring", ast::ZoneKind::place, card, {component(card), integer(3, 4)});
  const auto [box, error] = make_box(b.r, default_config(b.r, 2));
  REQUIRE(box.zones.size() == 5);
  CHECK(box.instance(b.r, ring, {1, 3}) == 3);
  CHECK(box.instance(b.r, ring, {1, 5}) == -1);
  CHECK(box.zones[3].capacity == 1);
  CHECK(box.zones[0].capacity == 2);
  CHECK(zone_name(b.r, box, 3, {}) == "ring[<2>, 3]");
}

TEST_CASE("a configuration that cannot be played says why", "[box]") {
  Builder b;
  Param p;
  p.name = "size";
  p.type = integer(1, 5);
  p.value = b.num(3);
  p.cover = kNoId;
  b.r.params.push_back(p);
  const ExprId size = b.expr(Op::param, p.type, {}, 0);
  b.r.requires_.push_back({"small enough", b.expr(Op::lt, flag_type(), {size, b.num(5)}), {}});
  Config config = default_config(b.r, 2);
  CHECK(config.params == std::vector<std::vector<std::int64_t>>{{3}});
  CHECK(make_box(b.r, config).second.message.empty());
  config.params[0][0] = 5;
  CHECK(make_box(b.r, config).second.message == "the requirement \"small enough\" is not met");
  config.params[0][0] = 6;
  CHECK(make_box(b.r, config).second.message == "the parameter `size` is 6, but must be in 1..5");
}

TEST_CASE("CSV cells keep their places", "[csv]") {
  const CsvTable table = read_csv("\xEF\xBB\xBFname,\"va\"\"lue\"\r\n\"a,\nb\",2\r\n\r\nc,\n");
  REQUIRE(table.errors.empty());
  REQUIRE(table.header.cells.size() == 2);
  CHECK(table.header.cells[1].text == "va\"lue");
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[0].cells[0].text == "a,\nb");
  CHECK(table.rows[0].cells[0].begin == 19);
  CHECK(table.rows[0].cells[0].end == 25);
  CHECK(table.rows[1].cells[1].text.empty());
}

TEST_CASE("what is wrong with a CSV file has a place", "[csv]") {
  const auto first_error = [](std::string_view text) {
    const CsvTable table = read_csv(text);
    REQUIRE_FALSE(table.errors.empty());
    return std::to_string(table.errors[0].begin) + "-" + std::to_string(table.errors[0].end) + " " + table.errors[0].message;
  };
  CHECK(first_error("") == "0-0 the file is empty; its first line must name the attributes");
  CHECK(first_error("a,b\n1\n") == "4-5 1 columns, but the header has 2");
  CHECK(first_error("a,b\n1,2,3") == "4-9 3 columns, but the header has 2");
  CHECK(first_error("a\n\"x") == "2-3 a quote that is never closed");
  CHECK(first_error("a\n\"x\"y") == "5-6 text behind the closing quote of a cell");
  CHECK(first_error("a\nx\"y") == "3-4 a quote inside a cell that does not begin with one");
  CHECK(first_error(std::string_view("a\n\0", 3)) == "2-3 a NUL byte; a card list must be plain text");
}
