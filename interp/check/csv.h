// Card lists from a spreadsheet: the text of a CSV file (RFC 4180) as cells with their places, so that a wrong cell can be
// underlined. Flow: interp/check reads the file of a deck and turns the rows into rules::CsvRow.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rip {

/// `[begin, end)` are bytes of the file, quotes included; `text` is what the cell says.
struct CsvCell {
  std::string text;
  std::uint32_t begin = 0, end = 0;
};
struct CsvLine {
  std::vector<CsvCell> cells;  ///< as many as the header has
  std::uint32_t begin = 0, end = 0;
};
struct CsvError {
  std::uint32_t begin = 0, end = 0;
  std::string message;
};
/// Rows with an error are left out of `rows`. Empty lines are no rows.
struct CsvTable {
  CsvLine header;
  std::vector<CsvLine> rows;
  std::vector<CsvError> errors;
};

/// Cells are parted by `,`, lines by LF, CRLF or CR; `""` inside quotes is a quote; a byte order mark is skipped.
CsvTable read_csv(std::string_view text);

}  // namespace rip
