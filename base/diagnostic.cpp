#include "base/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace rip {

namespace {
constexpr Severity error = Severity::error;
constexpr Severity warning = Severity::warning;
}  // namespace

const std::vector<CodeInfo>& all_codes() {
  static const std::vector<CodeInfo> kCodes = {
#define RIP_DIAGNOSTIC(code, severity, title, explanation, bad, good) CodeInfo{Code::code, #code, severity, title, explanation, bad, good},
#include "base/diagnostics.def"
#undef RIP_DIAGNOSTIC
  };
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
  if (seen || items_.size() >= kMaxKept) {
    overflow_ = {code, severity, span, std::move(message), {}, {}};
    return overflow_;
  }
  items_.push_back({code, severity, span, std::move(message), {}, {}});
  return items_.back();
}

std::vector<Diagnostic> Diagnostics::sorted() const {
  std::vector<Diagnostic> result = items_;
  std::stable_sort(result.begin(), result.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::pair(a.span.file, a.span.begin) < std::pair(b.span.file, b.span.begin);
  });
  return result;
}

namespace {

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0u) == 0x80u; }

/// One line of source made printable, with the marks under [begin, end): control characters as escapes, tabs as blanks,
/// a very long line cut around the span.
struct Excerpt {
  std::string line;
  std::string marks;
};

Excerpt excerpt(std::string_view line, std::size_t begin, std::size_t end) {
  constexpr std::size_t kWidth = 160;
  constexpr std::size_t kBefore = 60;
  Excerpt result;
  std::size_t from = 0;
  if (line.size() > kWidth && begin > kBefore) {
    from = begin - kBefore;
    while (from < line.size() && continues_character(line[from])) ++from;
    result.line = "...";
    result.marks = "   ";
  }
  std::size_t i = from;
  for (; i < line.size() && result.line.size() < kWidth; ++i) {
    const char c = line[i];
    const bool marked = i >= begin && i < end;
    std::string shown(1, c);
    std::size_t width = 1;
    if (c == '\t') {
      shown = std::string(4, ' ');
      width = 4;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      shown = fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
      width = shown.size();
    } else if (static_cast<unsigned char>(c) >= 0x80) {
      // a whole, well-formed character or an escape
      std::size_t length = 1;
      while (i + length < line.size() && length < 4 && continues_character(line[i + length])) ++length;
      const auto lead = static_cast<unsigned char>(c);
      const std::size_t wanted = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
      if (wanted != 0 && length >= wanted && lead < 0xf5) {
        shown = std::string(line.substr(i, wanted));
        i += wanted - 1;
      } else {
        shown = fmt::format("\\x{:02x}", lead);
        width = shown.size();
      }
    }
    result.line += shown;
    result.marks.append(width, marked ? '^' : ' ');
  }
  if (i < line.size()) result.line += "...";
  while (!result.marks.empty() && result.marks.back() == ' ') result.marks.pop_back();
  if (result.marks.find('^') == std::string::npos) {
    // an empty span, or one behind the end of the line
    result.marks.resize(std::min(result.line.size(), begin >= from ? begin - from + (from > 0 ? 3 : 0) : 0), ' ');
    result.marks += '^';
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
  const std::size_t end = std::min<std::size_t>(span.end - line_begin, line.size());
  const Excerpt shown = excerpt(line, begin, std::max(end, begin + (begin < line.size() ? 1 : 0)));
  out += fmt::format("{:>4} | {}\n     | {}{}{}\n", place.line, shown.line, colour, shown.marks, reset);
}

}  // namespace

std::string render(const Diagnostic& diagnostic, const Sources& sources, bool colour) {
  const bool is_error = diagnostic.severity == Severity::error;
  const char* strong = !colour ? "" : is_error ? "\x1b[1;31m" : "\x1b[1;33m";
  const char* reset = colour ? "\x1b[0m" : "";
  std::string out = fmt::format("{}: {}{}[{}]{}: {}\n", sources.where(diagnostic.span), strong, is_error ? "error" : "warning",
                                info(diagnostic.code).name, reset, diagnostic.message);
  append_excerpt(out, diagnostic.span, sources, strong, reset);
  for (const RelatedPlace& related : diagnostic.related) {
    out += fmt::format("  {}: {}\n", sources.where(related.span), related.text);
    append_excerpt(out, related.span, sources, "", "");
  }
  if (!diagnostic.hint.empty()) out += fmt::format("  hint: {}\n", diagnostic.hint);
  return out;
}

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates) {
  if (word.size() > 64) return {};
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  std::array<std::size_t, 66> row{};
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > 64 || candidate == word) continue;
    // Levenshtein distance, one row at a time
    for (std::size_t j = 0; j <= candidate.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= word.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j <= candidate.size(); ++j) {
        const std::size_t substituted = diagonal + (word[i - 1] == candidate[j - 1] ? 0 : 1);
        diagonal = row[j];
        row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
      }
    }
    if (row[candidate.size()] < best_distance) {
      best_distance = row[candidate.size()];
      best = candidate;
    }
  }
  return best;
}

}  // namespace rip
