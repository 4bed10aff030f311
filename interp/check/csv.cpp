#include "interp/check/csv.h"

#include <fmt/format.h>

#include <algorithm>

namespace rip {

namespace {

class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : text_(text) {}

  CsvTable read() {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    if (const std::size_t nul = text_.find('\0'); nul != std::string_view::npos) {
      complain(nul, nul + 1, "a NUL byte; a card list must be plain text");
      return std::move(table_);
    }
    bool first = true;
    while (at_ < text_.size()) {
      if (skip_line_end()) continue;
      const std::size_t errors_before = table_.errors.size();
      CsvLine line = read_line();
      if (first) {
        table_.header = std::move(line);
        first = false;
        continue;
      }
      const std::size_t wanted = table_.header.cells.size();
      if (table_.errors.size() == errors_before && line.cells.size() != wanted)
        complain(line.begin, line.end, fmt::format("{} columns, but the header has {}", line.cells.size(), wanted));
      if (table_.errors.size() == errors_before) table_.rows.push_back(std::move(line));
    }
    if (first) complain(0, text_.size(), "the file is empty; its first line must name the attributes");
    return std::move(table_);
  }

 private:
  bool at_line_end() const { return at_ >= text_.size() || text_[at_] == '\n' || text_[at_] == '\r'; }

  bool skip_line_end() {
    if (at_ >= text_.size() || !at_line_end()) return false;
    at_ += text_.substr(at_).starts_with("\r\n") ? 2 : 1;
    return true;
  }

  CsvLine read_line() {
    CsvLine line;
    line.begin = place(at_);
    for (;;) {
      line.cells.push_back(read_cell());
      if (at_line_end()) break;
      ++at_;  // the comma
    }
    line.end = place(at_);
    return line;
  }

  CsvCell read_cell() {
    CsvCell cell;
    cell.begin = place(at_);
    if (at_ < text_.size() && text_[at_] == '"') read_quoted(cell);
    const std::size_t plain = at_;
    while (!at_line_end() && text_[at_] != ',') ++at_;
    const std::string_view rest = text_.substr(plain, at_ - plain);
    if (plain > cell.begin && !rest.empty()) complain(plain, at_, "text behind the closing quote of a cell");
    else if (const std::size_t quote = rest.find('"'); quote != std::string_view::npos)
      complain(plain + quote, plain + quote + 1, "a quote inside a cell that does not begin with one");
    cell.text += rest;
    cell.end = place(at_);
    return cell;
  }

  void read_quoted(CsvCell& cell) {
    const std::size_t open = at_++;
    while (at_ < text_.size()) {
      if (text_[at_] != '"') {
        cell.text += text_[at_++];
      } else if (text_.substr(at_).starts_with("\"\"")) {
        cell.text += '"';
        at_ += 2;
      } else {
        ++at_;
        return;
      }
    }
    complain(open, open + 1, "a quote that is never closed");
  }

  void complain(std::size_t begin, std::size_t end, std::string message) {
    table_.errors.push_back({place(begin), place(end), std::move(message)});
  }

  static std::uint32_t place(std::size_t at) { return static_cast<std::uint32_t>(at); }

  std::string_view text_;
  std::size_t at_ = 0;
  CsvTable table_;
};

}  // namespace

CsvTable read_csv(std::string_view text) { return CsvReader(text).read(); }

}  // namespace rip
