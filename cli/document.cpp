#include "cli/document.h"

#include <fmt/format.h>

#include <algorithm>

namespace rip::cli {

namespace {

/// Signs that Markdown would take for its own get a backslash.
std::string markdown_plain(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\*_[]<>|#").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string html_plain(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string markdown_text(const Text& text, bool in_table = false) {
  std::string out;
  for (const Run& run : text) {
    switch (run.style) {
      case Run::Style::plain:
      case Run::Style::clause: out += markdown_plain(run.text); break;
      case Run::Style::strong: out += "**" + markdown_plain(run.text) + "**"; break;
      case Run::Style::code: {
        std::string inside = run.text;
        for (std::size_t at = 0; in_table && (at = inside.find('|', at)) != std::string::npos; at += 2) inside.insert(at, 1, '\\');
        out += "`" + inside + "`";
        break;
      }
    }
  }
  return out;
}

/// In a table, where lines are short, what fits on one is not broken: `4 x <5>`.
std::string html_text(const Text& text, bool in_table = false) {
  std::string out;
  for (const Run& run : text) {
    const std::string inside = html_plain(run.text);
    switch (run.style) {
      case Run::Style::plain: out += inside; break;
      case Run::Style::strong: out += "<strong>" + inside + "</strong>"; break;
      case Run::Style::code: out += (in_table && run.text.size() <= 26 ? "<code class=\"short\">" : "<code>") + inside + "</code>"; break;
      case Run::Style::clause: out += "<span class=\"clause\">" + inside + "</span>"; break;
    }
  }
  return out;
}

/// The columns in which something stands below the heading.
std::vector<std::size_t> filled_columns(const std::vector<std::vector<Text>>& rows) {
  std::vector<std::size_t> out;
  for (std::size_t column = 0; column < rows.front().size(); ++column) {
    if (std::any_of(rows.begin() + 1, rows.end(), [&](const auto& row) { return !row[column].empty(); })) out.push_back(column);
  }
  return out;
}

std::string markdown_table(const std::vector<std::vector<Text>>& rows) {
  const std::vector<std::size_t> columns = filled_columns(rows);
  std::string out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out += "|";
    for (const std::size_t column : columns) out += " " + markdown_text(rows[i][column], true) + " |";
    out += "\n";
    if (i > 0) continue;
    out += "|";
    for (std::size_t c = 0; c < columns.size(); ++c) out += "---|";
    out += "\n";
  }
  return out;
}

/// On a narrow screen the cells of a wide table stand below each other, each with the heading of its column.
std::string html_table(const std::vector<std::vector<Text>>& rows) {
  const std::vector<std::size_t> columns = filled_columns(rows);
  const bool wide = columns.size() > 3;
  std::string out = wide ? "<table class=\"wide\">\n" : "<table>\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out += "<tr>";
    for (const std::size_t column : columns) {
      const std::string inside = html_text(rows[i][column], true);
      if (i == 0) out += "<th>" + inside + "</th>";
      else if (wide) out += fmt::format("<td data-head=\"{}\">{}</td>", rows[0][column].empty() ? "" : html_plain(rows[0][column][0].text), inside);
      else out += "<td>" + inside + "</td>";
    }
    out += "</tr>\n";
  }
  return out + "</table>\n";
}

constexpr const char* kStyle = R"(body { font: 16px/1.5 Georgia, "DejaVu Serif", serif; color: #2b2721; background: #fdfbf5; max-width: 52rem; margin: 2rem auto; padding: 0 1.5rem; }
h1, h2, h3 { font-family: Helvetica, "DejaVu Sans", Arial, sans-serif; line-height: 1.2; }
h1 { font-size: 2rem; margin-bottom: 0.3rem; }
h2 { font-size: 1.35rem; border-bottom: 1px solid #c9c0ad; padding-bottom: 0.2rem; margin-top: 2.2rem; }
h3 { font-size: 1.05rem; margin: 1.4rem 0 0.3rem; }
ul { margin: 0.2rem 0; padding-left: 1.3rem; }
ul ul, ul ul ul { list-style: disc; }
li { margin: 0.15rem 0; }
code { font: 0.86em/1.4 "DejaVu Sans Mono", Menlo, Consolas, monospace; background: #f1ecdf; border-radius: 3px; padding: 0 0.25em; }
table { border-collapse: collapse; margin: 0.6rem 0 1rem; font-size: 0.92em; }
th, td { text-align: left; vertical-align: top; padding: 0.25rem 0.9rem 0.25rem 0; border-bottom: 1px solid #e4dcc9; }
.note { font: 0.75rem Helvetica, "DejaVu Sans", Arial, sans-serif; color: #8a6d3b; margin-left: 0.6em; white-space: nowrap; }
.clause, .short { white-space: nowrap; }
@media (max-width: 40rem) {
  body { padding: 0 1rem; }
  .wide, .wide tbody, .wide tr, .wide td { display: block; }
  .wide tr:first-child, .wide td:empty { display: none; }
  .wide tr { border-bottom: 1px solid #c9c0ad; padding: 0.3rem 0; }
  .wide td { border: 0; padding: 0.1rem 0; }
  .wide td + td::before { content: attr(data-head) ": "; color: #6b6253; }
}
)";

}  // namespace

Text prose(const std::string& text) {
  Text out;
  bool inside = false;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('`', at), text.size());
    if (end > at) out.push_back({inside ? Run::Style::code : Run::Style::plain, text.substr(at, end - at)});
    inside = !inside;
    at = end + 1;
  }
  return out;
}

std::string markdown(const Document& document) {
  std::string out;
  for (std::size_t i = 0; i < document.size(); ++i) {
    const Part& part = document[i];
    const std::string notes = part.notes.empty() ? "" : " \\[" + part.notes + "\\]";
    const bool goes_on = i > 0 && part.kind == Part::Kind::item && document[i - 1].kind == Part::Kind::item;
    if (i > 0 && !goes_on) out += "\n";
    switch (part.kind) {
      case Part::Kind::heading: out += std::string(static_cast<std::size_t>(part.level), '#') + " " + markdown_text(part.text) + notes + "\n"; break;
      case Part::Kind::paragraph: out += markdown_text(part.text) + notes + "\n"; break;
      case Part::Kind::item: out += std::string(2 * static_cast<std::size_t>(part.level), ' ') + "- " + markdown_text(part.text) + notes + "\n"; break;
      case Part::Kind::table: out += markdown_table(part.rows); break;
    }
  }
  return out;
}

std::string html(const Document& document) {
  std::string title, body;
  int open = 0;  // lists, one in the other
  auto close_to = [&](int depth) {
    for (; open > depth; --open) body += "</li></ul>\n";
  };
  for (const Part& part : document) {
    const std::string notes = part.notes.empty() ? "" : "<span class=\"note\">" + html_plain(part.notes) + "</span>";
    const std::string inside = html_text(part.text) + notes;
    if (part.kind != Part::Kind::item) close_to(0);
    switch (part.kind) {
      case Part::Kind::heading:
        if (part.level == 1) {
          for (const Run& run : part.text) title += html_plain(run.text);
        }
        body += fmt::format("<h{0}>{1}</h{0}>\n", part.level, inside);
        break;
      case Part::Kind::paragraph: body += "<p>" + inside + "</p>\n"; break;
      case Part::Kind::item:
        close_to(part.level + 1);
        if (open == part.level + 1) body += "</li>\n";
        for (; open < part.level + 1; ++open) body += "<ul>\n";
        body += "<li>" + inside;
        break;
      case Part::Kind::table: body += html_table(part.rows); break;
    }
  }
  close_to(0);
  return fmt::format("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                     "<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
                     title, kStyle, body);
}

}  // namespace rip::cli
