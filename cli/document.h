// A text with headings, lists and tables, and its two forms: Markdown and a page of HTML. Flow: cli/rulebook -> here -> cli/rules.
#pragma once

#include <string>
#include <vector>

namespace rip::cli {

struct Run {
  enum class Style { plain, code, strong, clause } style = Style::plain;
  std::string text;
};
using Text = std::vector<Run>;

inline Run plain(std::string text) { return {Run::Style::plain, std::move(text)}; }
inline Run code(std::string text) { return {Run::Style::code, std::move(text)}; }
inline Run strong(std::string text) { return {Run::Style::strong, std::move(text)}; }
/// `R-12`, which is never broken at its dash.
inline Run clause(std::string text) { return {Run::Style::clause, std::move(text)}; }
/// What people wrote: words in backticks are code.
Text prose(const std::string& text);

struct Part {
  enum class Kind { heading, paragraph, item, table } kind;
  int level = 0;      ///< of a heading (1 is the title), of an item (0 is outermost)
  Text text;
  std::string notes;  ///< `R-1, A-2`
  std::vector<std::vector<Text>> rows;  ///< of a table; the first one says what the columns hold. Empty columns are left out
};
using Document = std::vector<Part>;

std::string markdown(const Document& document);
/// A page of its own: it refers to nothing.
std::string html(const Document& document);

}  // namespace rip::cli
