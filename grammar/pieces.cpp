#include "grammar/pieces.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "grammar/build.h"
#include "grammar/tokens.h"

namespace rip::grammar {

namespace {

/// What the tree says about the places of a text.
struct Marks {
  std::map<std::uint32_t, Kind> items;
  std::map<std::uint32_t, std::uint32_t> tags, operands;  ///< begin and end; operands: the notes that `replace [R-1]` names
  std::map<std::uint32_t, std::uint32_t> keys;
  std::vector<std::uint32_t> apart;                       ///< `(` and `[` that begin a value, and do not index or call
  std::vector<std::uint32_t> sets, signs, phrases, phrase_ends, enums, matches, then_ends;
};

bool holds_items(Kind kind) {
  switch (kind) {
    case Kind::script:
    case Kind::block:
    case Kind::entries:
    case Kind::d_deck:
    case Kind::d_component:
    case Kind::s_match:
    case Kind::match_expr:
    case Kind::s_choose:
    case Kind::option_group:
    case Kind::d_small:
    case Kind::d_variant:
    case Kind::d_scenario: return true;
    default: return false;
  }
}

bool is_item(Kind kind) {
  const bool step_or_delta = (kind >= Kind::st_players && kind <= Kind::st_has) || (kind >= Kind::delta_set && kind <= Kind::delta_remove);
  const bool declaration = kind >= Kind::header && kind <= Kind::d_scenario && kind != Kind::refill;
  return is_statement(kind) || step_or_delta || declaration || kind == Kind::option || kind == Kind::option_group || kind == Kind::match_arm ||
         kind == Kind::match_expr_arm;
}

void mark(const Node& node, Marks& marks) {
  switch (node.kind) {
    case Kind::paren:
    case Kind::list: marks.apart.push_back(node.begin); break;
    case Kind::set:
    case Kind::phrase_set: marks.sets.push_back(node.begin); break;
    case Kind::prefix:
    case Kind::phrase_number:
      if (node.text.starts_with('-')) marks.signs.push_back(node.begin);
      break;
    case Kind::phrase:
      marks.phrases.push_back(node.begin);
      marks.phrase_ends.push_back(node.end - 1);
      break;
    case Kind::d_enum: marks.enums.push_back(node.begin); break;
    case Kind::match_expr: marks.matches.push_back(node.begin); break;
    case Kind::keys: marks.keys.emplace(node.begin, node.end); break;
    case Kind::tags: marks.tags.emplace(node.begin, node.end); break;
    case Kind::s_if:
      if (node.kids.size() > 2) marks.then_ends.push_back(node.kids[1]->end);
      break;
    default: break;
  }
  if (node.kind == Kind::delta_at || node.kind == Kind::delta_remove) {
    if (const Node* target = node.find(Kind::tags)) marks.operands.emplace(target->begin, target->end);
  }
  for (const Node* kid : node.kids) {
    if (holds_items(node.kind) && is_item(kid->kind)) marks.items.emplace(kid->begin, kid->kind);
    mark(*kid, marks);
  }
}

/// `[R-1, R-2]` with its blanks as they should be.
std::string tidy_tags(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) != 0) continue;
    out += c;
    if (c == ',') out += ' ';
  }
  return out;
}

class Reader {
 public:
  Reader(std::string_view text, const Node& script) : text_(text) {
    mark(script, marks_);
    for (auto* list : {&marks_.apart, &marks_.sets, &marks_.signs, &marks_.phrases, &marks_.phrase_ends, &marks_.enums, &marks_.matches, &marks_.then_ends})
      std::sort(list->begin(), list->end());
  }

  std::vector<Piece> read() {
    const std::vector<Token> all = tokens(text_);
    for (std::size_t i = 0; i < all.size();) {
      const Token& token = all[i];
      std::uint32_t end = token.end;
      Piece& piece = out_.emplace_back();
      piece.line_ends = static_cast<int>(std::count(text_.begin() + last_end_, text_.begin() + token.begin, '\n'));
      const auto operand = marks_.operands.find(token.begin);
      if (const auto tag = marks_.tags.find(token.begin); tag != marks_.tags.end()) {
        end = tag->second;
        piece.text = tidy_tags(text_.substr(token.begin, end - token.begin));
        piece.form = operand != marks_.operands.end() ? Piece::Form::token : Piece::Form::tag;
      } else {
        piece.text = text_.substr(token.begin, end - token.begin);
        classify(token, piece);
      }
      last_end_ = end;
      while (i < all.size() && all[i].begin < end) ++i;
    }
    return std::move(out_);
  }

 private:
  std::string_view text_;
  Marks marks_;
  std::vector<Piece> out_;
  std::vector<std::size_t> open_;
  std::vector<std::pair<std::uint32_t, std::size_t>> keys_;  ///< end, and the first piece
  bool enum_begun_ = false, match_begun_ = false, phrase_begun_ = false;
  std::uint32_t last_end_ = 0;
  std::uint32_t last_code_end_ = 0;

  static bool in(const std::vector<std::uint32_t>& list, std::uint32_t at) { return std::binary_search(list.begin(), list.end(), at); }

  void open(Piece& piece, Piece::Form form) {
    piece.form = form;
    open_.push_back(out_.size() - 1);
  }
  void close(Piece& piece) {
    if (open_.empty()) return;
    piece.mate = open_.back();
    Piece& other = out_[piece.mate];
    other.mate = out_.size() - 1;
    piece.form = other.form == Piece::Form::open_block ? Piece::Form::close_block : Piece::Form::close_bracket;
    open_.pop_back();
  }

  void classify(const Token& token, Piece& piece) {
    if (token.kind == TokenKind::comment) {
      piece.form = Piece::Form::comment;
      return;
    }
    const std::uint32_t at = token.begin;
    while (!keys_.empty() && keys_.back().first <= at) keys_.pop_back();
    if (!keys_.empty()) piece.keys = keys_.back().second;
    if (const auto begun = marks_.keys.find(at); begun != marks_.keys.end()) keys_.emplace_back(begun->second, out_.size() - 1);
    if (const auto item = marks_.items.find(at); item != marks_.items.end()) {
      piece.item = true;
      piece.list_item = item->second;
    }
    piece.branch = piece.text == "else" && in(marks_.then_ends, last_code_end_);
    piece.prefix = in(marks_.signs, at);
    enum_begun_ = enum_begun_ || in(marks_.enums, at);
    match_begun_ = match_begun_ || in(marks_.matches, at);
    phrase_begun_ = phrase_begun_ || in(marks_.phrases, at);
    if (piece.text == "(" || piece.text == "[") {
      piece.tight = !in(marks_.apart, at);
      open(piece, Piece::Form::open_bracket);
    } else if (piece.text == "{") {
      const bool set = in(marks_.sets, at);
      piece.of_enum = !set && enum_begun_;
      piece.of_value = !set && match_begun_;
      if (!set) enum_begun_ = match_begun_ = false;
      open(piece, set ? Piece::Form::open_bracket : Piece::Form::open_block);
    } else if (piece.text == "<" && phrase_begun_) {
      phrase_begun_ = false;
      open(piece, Piece::Form::open_bracket);
    } else if (piece.text == ")" || piece.text == "]" || piece.text == "}" || (piece.text == ">" && in(marks_.phrase_ends, at))) {
      close(piece);
    }
    last_code_end_ = token.end;
  }
};

}  // namespace

std::vector<Piece> pieces(std::string_view text, const Node& script) { return Reader(text, script).read(); }

}  // namespace rip::grammar
