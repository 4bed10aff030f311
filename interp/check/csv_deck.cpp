// Decks that come from a spreadsheet: columns are attributes, a row is a line, `count` says how many of it.
#include "base/text.h"
#include "interp/check/checker.h"
#include "interp/check/csv.h"

#include <fmt/format.h>

#include <charconv>

namespace rip::check {

using rules::Base;
using rules::Shape;
using rules::Type;

namespace {

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return out;
}

/// One value of this type, or nothing.
std::optional<std::int64_t> cell_value(const rules::Rules& rules, const rules::Attribute& attribute, std::string_view text) {
  switch (attribute.type.base) {
    case Base::integer:
    case Base::seat: return whole_number(text);
    case Base::flag:
      if (text == "yes" || text == attribute.name) return 1;
      if (text == "no") return 0;
      return std::nullopt;
    case Base::side:
      if (text == "up") return 0;
      if (text == "down") return 1;
      return std::nullopt;
    case Base::enumeration: {
      const std::vector<std::string>& names = rules.enums[attribute.type.id].values;
      const auto found = std::find(names.begin(), names.end(), text);
      if (found == names.end()) return std::nullopt;
      return found - names.begin();
    }
    case Base::unknown:
    case Base::component:
    case Base::text: return std::nullopt;
  }
  return std::nullopt;
}

std::vector<std::string_view> set_items(std::string_view text) {
  if (text.size() >= 2 && text.front() == '{' && text.back() == '}') text = text.substr(1, text.size() - 2);
  std::vector<std::string_view> items;
  while (!text.empty()) {
    const auto end = text.find_first_of(", ;");
    if (const std::string_view item = trimmed(text.substr(0, end)); !item.empty()) items.push_back(item);
    if (end == std::string_view::npos) break;
    text = text.substr(end + 1);
  }
  return items;
}

}  // namespace

void Checker::emit_csv(rules::Deck& deck, const ast::DeckDecl& n) {
  if (load_csv_ == nullptr || !*load_csv_ || sources_ == nullptr) return;
  const auto [entry, fresh] = csv_files_.try_emplace(n.csv);
  if (fresh) entry->second = (*load_csv_)(n.csv, n.csv_span.file);
  const CsvFile& file = entry->second;
  if (!file.error.empty()) {
    report(Code::R0505, n.csv_span, fmt::format("the card list \"{}\" cannot be read: {}", n.csv, file.error));
    return;
  }
  const CsvTable table = read_csv((*sources_)[file.file].text);
  const auto span = [&](const auto& part) { return Span{file.file, part.begin, part.end}; };
  for (const CsvError& error : table.errors) report(Code::R0505, span(error), error.message);
  const rules::ComponentType& component = rules_.component_types[deck.type];
  constexpr std::size_t kCount = 10000, kUnknown = 10001;
  std::vector<std::size_t> columns;
  for (const CsvCell& cell : table.header.cells) {
    const std::string name(trimmed(cell.text));
    std::size_t column = name == "count" ? kCount : kUnknown;
    for (std::size_t a = 0; a < component.attributes.size(); ++a)
      if (component.attributes[a].name == name) column = a;
    if (column == kUnknown) report(Code::R0505, span(cell), fmt::format("the column `{}`, but a `{}` has no such attribute", name, component.name));
    else if (std::find(columns.begin(), columns.end(), column) != columns.end()) report(Code::R0505, span(cell), fmt::format("the column `{}` stands here twice", name));
    columns.push_back(column);
  }
  // a line of a deck may leave an attribute out, but a whole column is rather forgotten
  for (std::size_t a = 0; a < component.attributes.size() && !table.header.cells.empty(); ++a) {
    const rules::Attribute& attribute = component.attributes[a];
    const bool wanted = !attribute.start && attribute.type.shape == Shape::scalar && attribute.type.base != Base::flag && attribute.type.base != Base::text &&
                        !is_unknown(attribute.type);
    if (wanted && std::find(columns.begin(), columns.end(), a) == columns.end())
      report(Code::R0505, join(span(table.header.cells.front()), span(table.header.cells.back())), fmt::format("there is no column `{}`", attribute.name)).hint =
          "an attribute with a default needs none";
  }
  for (const CsvLine& line : table.rows) {
    rules::CsvRow row;
    for (std::size_t i = 0; i < line.cells.size() && i < columns.size(); ++i) {
      const CsvCell& cell = line.cells[i];
      const std::string_view written = trimmed(cell.text);
      if (columns[i] == kUnknown || written.empty()) continue;
      if (columns[i] == kCount) {
        const std::optional<std::int64_t> count = whole_number(written);
        if (!count || *count < 0 || *count > kLargest) report(Code::R0505, span(cell), fmt::format("the count `{}` is no number from 0", written));
        else row.count = *count;
        continue;
      }
      const rules::Attribute& attribute = component.attributes[columns[i]];
      const auto id = static_cast<rules::AttrId>(columns[i]);
      if (attribute.type.base == Base::text) {
        row.texts.emplace_back(id, cell.text);
        continue;
      }
      std::int64_t mask = 0;
      std::vector<std::string_view> items{written};
      if (attribute.type.shape == Shape::set) items = set_items(written);
      for (const std::string_view item : items) {
        const std::optional<std::int64_t> value = cell_value(rules_, attribute, item);
        if (!value) {
          report(Code::R0505, span(cell), fmt::format("`{}`, but `{}` is {}", item, attribute.name, describe(rules_, scalar_of(attribute.type))));
        } else if (*value < attribute.type.low || *value > attribute.type.high) {
          report(Code::R0505, span(cell), fmt::format("`{}`, but `{}` is in {}", item, attribute.name, describe_range(rules_, attribute.type)));
        } else {
          mask = attribute.type.shape == Shape::set ? mask | static_cast<std::int64_t>(std::uint64_t{1} << (*value - attribute.type.low)) : *value;
        }
      }
      row.values.emplace_back(id, mask);
    }
    deck.rows.push_back(std::move(row));
  }
}

}  // namespace rip::check
