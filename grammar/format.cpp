#include "grammar/format.h"

#include <algorithm>
#include <stdexcept>

#include "grammar/parser.h"
#include "grammar/pieces.h"
#include "grammar/tokens.h"

namespace rip::grammar {

namespace {

using Form = Piece::Form;

/// Columns, not bytes: each character is one wide.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; }));
}
void fill_to(std::string& text, std::size_t column, std::size_t least) {
  const std::size_t now = width(text);
  text.append(std::max(least, column > now ? column - now : 0), ' ');
}

// ---- where lines end ------------------------------------------------------------------------------------------

struct Break {
  bool line = false;
  bool blank = false;  ///< and a line without anything before it
};

/// The author's, but for the braces of blocks of several lines, and for blank lines.
class Breaks {
 public:
  explicit Breaks(const std::vector<Piece>& all) : all_(all), out_(all.size()) {
    for (std::size_t i = 1; i < all.size(); ++i) {
      out_[i].line = all[i].line_ends > 0 || all[i - 1].form == Form::comment;
      if (all[i].form == Form::open_block && all[i - 1].form != Form::comment) out_[i].line = false;
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].form == Form::close_block) settle(all[i].mate, i);
    }
    std::vector<bool> opens(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].form == Form::open_block) opens[first_inside(i)] = true;
    }
    for (std::size_t i = 1; i < all.size(); ++i) {
      const bool stands_free = all[i].item || all[i].form == Form::comment;
      out_[i].blank = out_[i].line && stands_free && all[i].line_ends > 1 && !opens[i];
    }
  }

  std::vector<Break> take() { return std::move(out_); }

 private:
  const std::vector<Piece>& all_;
  std::vector<Break> out_;

  /// The first piece inside that can begin a line: notes and a comment stay behind the brace.
  std::size_t first_inside(std::size_t open) const {
    std::size_t i = open + 1;
    while (all_[i].form == Form::tag && !out_[i].line) ++i;
    if (all_[i].form == Form::comment && !out_[i].line) ++i;
    return i;
  }

  /// A block in which a line ends has its braces at the end and the beginning of a line.
  void settle(std::size_t open, std::size_t close) {
    if (close == open + 1) {
      out_[close].line = false;
      return;
    }
    bool broken = out_[close].line;
    for (std::size_t i = open + 1; i < close && !broken; ++i) {
      broken = out_[i].line;
      if (all_[i].mate != Piece::kNone && all_[i].mate > i) i = all_[i].mate;
    }
    out_[close].line = broken;
    if (!broken) return;
    out_[first_inside(open)].line = true;
    if (close + 1 < all_.size() && all_[close + 1].branch) out_[close + 1].line = false;
  }
};

// ---- lines ----------------------------------------------------------------------------------------------------

/// A part of a line that may be aligned with those above and below.
struct Cell {
  std::size_t at;    ///< bytes of the line before it
  std::string like;  ///< what cells of one column have in common; empty: it is not aligned
};

struct Line {
  bool blank_before = false;
  std::string text;
  std::vector<Cell> cells;  ///< none if brackets stay open
  std::string tags;
  std::string comment;
};

/// The blanks between two pieces of one line.
std::size_t gap(const std::vector<Piece>& all, std::size_t i) {
  const Piece& left = all[i - 1];
  const Piece& right = all[i];
  auto is = [](const Piece& piece, std::string_view text) { return piece.form == Form::token && piece.text == text; };
  if (right.item) {
    const bool first = left.form == Form::open_block || (left.form == Form::tag && i > 1 && all[i - 2].form == Form::open_block);
    return first || is(left, ",") ? 1 : 3;
  }
  if (right.form == Form::close_bracket || left.form == Form::open_bracket || right.tight || left.prefix) return 0;
  for (const char* sign : {",", ":", "?", ".", ".."}) {
    if (is(right, sign)) return 0;
  }
  return is(left, ".") || is(left, "..") ? 0 : 1;
}

class Lines {
 public:
  explicit Lines(const std::vector<Piece>& all) : all_(all), breaks_(Breaks(all).take()), code_(all.size(), all.size()) {
    for (std::size_t i = all.size(), next = i; i-- > 0;) {
      if (all[i].form != Form::comment) next = i;
      code_[i] = next;
    }
  }

  std::vector<Line> take() {
    for (std::size_t i = 0; i < all_.size();) {
      std::size_t end = i + 1;
      while (end < all_.size() && !breaks_[end].line) ++end;
      line(i, end);
      i = end;
    }
    return std::move(out_);
  }

 private:
  struct Bracket {
    std::size_t piece;
    std::size_t base;    ///< the indentation of the line that it belongs to
    std::size_t inside;  ///< the column behind it
    bool hanging;        ///< the last of its line
    std::size_t item;    ///< the indentation of the latest item in it
  };
  const std::vector<Piece>& all_;
  std::vector<Break> breaks_;
  std::vector<std::size_t> code_;  ///< from each piece on, the first that is no comment
  std::vector<Line> out_;
  std::vector<Bracket> open_;
  std::size_t item_ = 0;  ///< outside of all brackets
  std::vector<std::size_t> columns_ = std::vector<std::size_t>(all_.size());

  std::size_t indent(std::size_t i) const {
    const Piece& piece = all_[i];
    if (piece.form == Form::comment) {
      // as what comes next; before a closing brace as what stands inside
      const std::size_t next = code_[i];
      const bool ends = next == all_.size() || all_[next].form == Form::close_block || all_[next].form == Form::close_bracket;
      return ends ? inside() : indent(next);
    }
    if (piece.form == Form::close_block || (piece.form == Form::close_bracket && open_.back().hanging)) return open_.back().base;
    if (piece.form == Form::close_bracket) return open_.back().inside - 1;
    if (piece.keys != Piece::kNone && (open_.empty() || piece.keys > open_.back().piece)) return columns_[piece.keys];
    const bool begins = piece.item || piece.branch || piece.form == Form::tag;
    const bool among_items = open_.empty() || (all_[open_.back().piece].form == Form::open_block && !all_[open_.back().piece].of_enum);
    return inside() + (among_items && !begins ? 2 : 0);
  }
  std::size_t inside() const {
    if (open_.empty()) return 0;
    const Bracket& bracket = open_.back();
    return bracket.hanging || all_[bracket.piece].form == Form::open_block ? bracket.base + 2 : bracket.inside;
  }

  void line(std::size_t begin, std::size_t end) {
    Line made;
    made.blank_before = breaks_[begin].blank;
    const std::size_t indented = indent(begin);
    made.text.assign(indented, ' ');
    // notes at the end of the line, and a comment, have columns of their own
    std::size_t code_end = end;
    if (all_[end - 1].form == Form::comment && end - 1 > begin) made.comment = all_[--code_end].text;
    const std::size_t with_tags = code_end;
    while (code_end > begin + 1 && all_[code_end - 1].form == Form::tag) --code_end;
    const std::size_t depth = open_.size();
    std::size_t column = indented;
    for (std::size_t i = begin; i < code_end; ++i) {
      const std::size_t blanks = i > begin ? gap(all_, i) : 0;
      made.text.append(blanks, ' ');
      if (all_[i].item && open_.size() == depth) made.cells.push_back({made.text.size(), likeness(i)});
      columns_[i] = column + blanks;
      column = columns_[i] + width(all_[i].text);
      made.text += all_[i].text;
      follow(i, indented, column);
    }
    if (open_.size() != depth || !all_[begin].item) made.cells.clear();
    for (std::size_t i = code_end; i < with_tags; ++i) made.tags += (made.tags.empty() ? "" : " ") + all_[i].text;
    out_.push_back(std::move(made));
  }

  /// Lines of a deck, moves of the same name in a scenario, and declarations of the same kinds form tables.
  std::string likeness(std::size_t i) const {
    const Kind kind = all_[i].list_item;
    if (kind == Kind::st_does || kind == Kind::st_can) return i + 2 < all_.size() ? all_[i + 2].text : "";
    const bool of_table = kind == Kind::deck_line || (kind >= Kind::d_players && kind <= Kind::d_bound);
    return of_table ? "=" + std::to_string(static_cast<int>(kind)) : "";
  }

  void follow(std::size_t i, std::size_t indented, std::size_t column) {
    const Form form = all_[i].form;
    if (all_[i].item) (open_.empty() ? item_ : open_.back().item) = indented;
    if (form == Form::open_block || form == Form::open_bracket) {
      // what goes on over several lines before its block: the block belongs to the first of them
      const bool of_item = form == Form::open_block && !all_[i].of_value;
      const std::size_t base = !of_item ? indented : open_.empty() ? item_ : open_.back().item;
      std::size_t next = i + 1;
      while (next + 1 < all_.size() && !breaks_[next].line && (all_[next].form == Form::tag || all_[next].form == Form::comment)) ++next;
      open_.push_back({i, base, column, next < all_.size() && breaks_[next].line, base});
    }
    if (form == Form::close_block || form == Form::close_bracket) open_.pop_back();
  }
};

// ---- tables ---------------------------------------------------------------------------------------------------

/// More are no table that anybody reads.
constexpr std::size_t kMostColumns = 50;

/// Whether the second line goes on with the table of the first: cells that stand below each other are alike.
bool one_table(const Line& above, const Line& below) {
  for (const Line* line : {&above, &below}) {
    if (line->cells.size() < 2 || line->cells.size() > kMostColumns) return false;
  }
  if (below.blank_before) return false;
  const auto common = static_cast<std::ptrdiff_t>(std::min(above.cells.size(), below.cells.size()));
  return std::equal(above.cells.begin(), above.cells.begin() + common, below.cells.begin(),
                    [](const Cell& a, const Cell& b) { return !a.like.empty() && a.like == b.like; }) &&
         above.text.find_first_not_of(' ') == below.text.find_first_not_of(' ');
}

/// Makes all cells of one column begin in the same one. A column ends at a line that does not reach it.
void align(std::vector<Line>& lines, std::size_t begin, std::size_t end) {
  for (std::size_t column = 1;; ++column) {
    bool met = false;
    for (std::size_t i = begin; i < end;) {
      std::size_t to = i;
      std::size_t furthest = 0;
      for (; to < end && lines[to].cells.size() > column; ++to) furthest = std::max(furthest, width(std::string_view(lines[to].text).substr(0, lines[to].cells[column].at)));
      for (std::size_t k = i; k < to; ++k) {
        std::vector<Cell>& cells = lines[k].cells;
        const std::size_t more = furthest - width(std::string_view(lines[k].text).substr(0, cells[column].at));
        lines[k].text.insert(cells[column].at, more, ' ');
        for (std::size_t c = column; c < cells.size(); ++c) cells[c].at += more;
      }
      met = met || to > i;
      i = std::max(to, i + 1);
    }
    if (!met) return;
  }
}

void align_tables(std::vector<Line>& lines) {
  for (std::size_t i = 0; i < lines.size();) {
    std::size_t end = i + 1;
    while (end < lines.size() && one_table(lines[end - 1], lines[end])) ++end;
    if (end > i + 1) align(lines, i, end);
    i = end;
  }
}

// ---- the margin -----------------------------------------------------------------------------------------------

/// Where comments and notes behind code begin.
struct Margin {
  std::size_t comments, tags;
};
constexpr Margin kMargins[] = {{32, 56}, {56, 80}, {80, 104}};

/// The narrowest that has room for all lines, or the widest.
Margin margin_of(const std::vector<Line>& lines) {
  for (const Margin& margin : kMargins) {
    const bool fits = std::all_of(lines.begin(), lines.end(), [&](const Line& line) {
      return (line.tags.empty() || width(line.text) + 2 <= margin.tags) && (line.comment.empty() || width(line.text) + 2 <= margin.comments);
    });
    if (fits) return margin;
  }
  return kMargins[2];
}

std::string joined(std::vector<Line> lines) {
  align_tables(lines);
  const Margin margin = margin_of(lines);
  std::string out;
  for (Line& line : lines) {
    if (line.blank_before) out += '\n';
    if (!line.comment.empty()) {
      if (!line.tags.empty()) line.text += " " + line.tags;
      fill_to(line.text, margin.comments, 2);
      line.text += line.comment;
    } else if (!line.tags.empty()) {
      fill_to(line.text, margin.tags, 1);
      line.text += line.tags;
    }
    out += line.text + "\n";
  }
  return out;
}

/// A script is somebody's work: nothing of it may get lost.
bool same_tokens(std::string_view a, std::string_view b) {
  const std::vector<Token> before = tokens(a), after = tokens(b);
  return std::equal(before.begin(), before.end(), after.begin(), after.end(), [&](const Token& x, const Token& y) {
    return a.substr(x.begin, x.end - x.begin) == b.substr(y.begin, y.end - y.begin);
  });
}

}  // namespace

std::optional<std::string> format(const Sources& sources, std::uint32_t file, Diagnostics& diagnostics) {
  const NodeTree tree = parse_nodes(sources, file, diagnostics);
  if (tree.root == nullptr || diagnostics.has_errors()) return std::nullopt;
  std::string out = joined(Lines(pieces(sources[file].text, *tree.root)).take());
  if (!same_tokens(sources[file].text, out)) throw std::logic_error("the layout would change " + sources[file].path);
  return out;
}

}  // namespace rip::grammar
