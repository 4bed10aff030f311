#include "base/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace rip {

namespace {
constexpr Severity error = Severity::error;
constexpr Severity warning = Severity::warning;

std::vector<CodeInfo> with_examples(std::vector<CodeInfo> codes) {
  const auto add = [&](Code code, std::string_view bad, std::string_view good) {
    codes[static_cast<std::size_t>(code)].bad = bad;
    codes[static_cast<std::size_t>(code)].good = good;
  };
#define RIP_EXAMPLE(code, bad, good) add(Code::code, bad, good);
#include "base/examples.def"
#undef RIP_EXAMPLE
  return codes;
}
}  // namespace

const std::vector<CodeInfo>& all_codes() {
  static const std::vector<CodeInfo> kCodes = with_examples({
#define RIP_DIAGNOSTIC(code, severity, title, explanation) CodeInfo{Code::code, #code, severity, title, explanation, {}, {}},
#include "base/diagnostics.def"
#undef RIP_DIAGNOSTIC
  });
  return kCodes;
}

const CodeInfo& info(Code code) { return all_codes()[static_cast<std::size_t>(code)]; }

const CodeInfo* find_code(std::string_view name) {
  for (const CodeInfo& row : all_codes()) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

Diagnostic& Diagnostics::report(Code code, Span span, std::string message) {
  const Severity severity = info(code).severity;
  const bool seen = std::any_of(items_.begin(), items_.end(), [&](const Diagnostic& d) { return d.code == code && d.span == span; });
  if (!seen && severity == Severity::error) ++errors_;
  const auto kept = std::count_if(items_.begin(), items_.end(), [&](const Diagnostic& d) { return d.severity == severity; });
  if (seen || static_cast<std::size_t>(kept) >= kMaxKept) {
    overflow_ = {code, severity, span, std::move(message), {}, {}};
    return overflow_;
  }
  items_.push_back({code, severity, span, std::move(message), {}, {}});
  return items_.back();
}

std::vector<Diagnostic> Diagnostics::sorted() const {
  std::vector<Diagnostic> result = items_;
  std::stable_sort(result.begin(), result.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return std::pair(a.span.file, a.span.begin) < std::pair(b.span.file, b.span.begin); });
  return result;
}

namespace {

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0u) == 0x80u; }

/// One character of a source line made printable, and the columns it takes.
struct Cell {
  std::string shown;
  std::size_t width = 1;
  std::size_t bytes = 1;
};

/// A tab becomes blanks; control characters, marks that turn the direction of writing, and bytes that are no UTF-8 become escapes.
Cell cell_at(std::string_view line, std::size_t at) {
  const auto lead = static_cast<unsigned char>(line[at]);
  if (line[at] == '\t') return {"    ", 4, 1};
  const std::size_t wanted = lead < 0x80 ? 1 : lead >= 0xf5 ? 0 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
  bool printable = wanted != 0 && at + wanted <= line.size() && lead >= 0x20 && lead != 0x7f;
  for (std::size_t k = 1; printable && k < wanted; ++k) printable = continues_character(line[at + k]);
  if (printable) {
    const std::string_view text = line.substr(at, wanted);
    const bool control = text >= "\xc2\x80" && text < "\xc2\xa0";
    const bool direction = (text >= "\xe2\x80\xaa" && text <= "\xe2\x80\xae") || (text >= "\xe2\x81\xa6" && text <= "\xe2\x81\xa9");
    if (!control && !direction) return {std::string(text), 1, wanted};
  }
  return {fmt::format("\\x{:02x}", lead), 4, 1};
}

/// One line of source made printable, with the marks under the bytes [begin, end); a long line is cut around `begin`.
struct Excerpt {
  std::string line;
  std::string marks;
};

Excerpt excerpt(std::string_view line, std::size_t begin, std::size_t end) {
  constexpr std::size_t kWidth = 160;   // columns
  constexpr std::size_t kBefore = 60;   // columns kept left of the marks when the line is cut
  constexpr std::size_t kReach = 1024;  // bytes looked at on either side
  std::size_t at = begin > kReach ? begin - kReach : 0;
  while (at > 0 && at < line.size() && continues_character(line[at])) ++at;
  bool cut_left = at > 0;

  struct Marked {
    Cell cell;
    bool marked;
  };
  std::vector<Marked> cells;
  std::size_t before = 0;
  std::size_t total = 0;
  while (at < line.size() && at < begin + kReach) {
    Cell cell = cell_at(line, at);
    const bool marked = at + cell.bytes > begin && at < end;
    at += cell.bytes;
    total += cell.width;
    if (at <= begin) before += cell.width;
    cells.push_back({std::move(cell), marked});
  }
  bool cut_right = at < line.size();

  std::size_t first = 0;
  if (cut_left || cut_right || total > kWidth) {
    for (; before > kBefore; ++first) {
      before -= cells[first].cell.width;
      total -= cells[first].cell.width;
      cut_left = true;
    }
  }
  for (; total > kWidth; cells.pop_back()) {
    total -= cells.back().cell.width;
    cut_right = true;
  }

  Excerpt result;
  if (cut_left) result = {"...", "   "};
  for (std::size_t i = first; i < cells.size(); ++i) {
    result.line += cells[i].cell.shown;
    result.marks.append(cells[i].cell.width, cells[i].marked ? '^' : ' ');
  }
  if (cut_right) result.line += "...";
  if (const std::size_t last = result.marks.rfind('^'); last != std::string::npos) {
    result.marks.resize(last + 1);
  } else {
    result.marks += '^';  // something is missing behind the end of the line
  }
  return result;
}

void append_excerpt(std::string& out, Span span, const Sources& sources, const char* colour, const char* reset) {
  const Place place = sources.place(span.file, span.begin);
  const std::string_view line = sources.line(span.file, place.line);
  const std::string_view all = sources[span.file].text;
  std::size_t line_begin = std::min<std::size_t>(span.begin, all.size());
  while (line_begin > 0 && all[line_begin - 1] != '\n') --line_begin;
  const std::size_t begin = std::min<std::size_t>(span.begin, all.size()) - line_begin;
  // an empty span marks one character
  const Excerpt shown = excerpt(line, begin, std::max<std::size_t>(span.end - line_begin, begin + 1));
  out += fmt::format("{:>4} | {}\n     | {}{}{}\n", place.line, shown.line, colour, shown.marks, reset);
}

}  // namespace

std::string render(const Diagnostic& diagnostic, const Sources& sources, bool colour) {
  const bool is_error = diagnostic.severity == Severity::error;
  const char* strong = !colour ? "" : is_error ? "\x1b[1;31m" : "\x1b[1;33m";
  const char* reset = colour ? "\x1b[0m" : "";
  std::string out = fmt::format("{}: {}{}[{}]{}: {}\n", sources.where(diagnostic.span), strong, is_error ? "error" : "warning", info(diagnostic.code).name,
                                reset, diagnostic.message);
  append_excerpt(out, diagnostic.span, sources, strong, reset);
  for (const RelatedPlace& related : diagnostic.related) {
    out += fmt::format("  {}: {}\n", sources.where(related.span), related.text);
    append_excerpt(out, related.span, sources, "", "");
  }
  if (!diagnostic.hint.empty()) out += fmt::format("  hint: {}\n", diagnostic.hint);
  return out;
}

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates) {
  constexpr std::size_t kLongest = 64;
  if (word.size() > kLongest) return {};
  std::string_view best;
  // a likely slip: one mistake in a short word, one in three letters of a long one, never all letters
  std::size_t limit = std::min(std::max<std::size_t>(1, word.size() / 3) + 1, word.size());
  using Row = std::array<std::size_t, kLongest + 1>;
  std::array<Row, 3> rows{};
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > kLongest || candidate == word) continue;
    // edit distance in which two neighbours that changed places are one mistake
    Row* above = &rows[0];
    Row* row = &rows[1];
    Row* next = &rows[2];
    for (std::size_t j = 0; j <= candidate.size(); ++j) (*row)[j] = j;
    for (std::size_t i = 1; i <= word.size(); ++i) {
      (*next)[0] = i;
      for (std::size_t j = 1; j <= candidate.size(); ++j) {
        const bool same = word[i - 1] == candidate[j - 1];
        std::size_t least = std::min({(*row)[j - 1] + (same ? 0 : 1), (*row)[j] + 1, (*next)[j - 1] + 1});
        if (i > 1 && j > 1 && word[i - 1] == candidate[j - 2] && word[i - 2] == candidate[j - 1]) least = std::min(least, (*above)[j - 2] + 1);
        (*next)[j] = least;
      }
      Row* const spare = above;
      above = row;
      row = next;
      next = spare;
    }
    if ((*row)[candidate.size()] < limit) {
      limit = (*row)[candidate.size()];
      best = candidate;
    }
  }
  return best;
}

}  // namespace rip
