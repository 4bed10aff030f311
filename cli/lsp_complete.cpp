#include "cli/lsp_complete.h"

#include "grammar/tokens.h"

#include <algorithm>
#include <map>
#include <set>

namespace rip::cli::lsp {

using check::NameKind;
using grammar::Token;
using grammar::TokenKind;

namespace {

constexpr std::string_view kReserved[] = {
#define RIP_WORD(id, spelling, word_class) spelling,
#include "grammar/keywords.def"
#undef RIP_WORD
};

ItemKind item_kind(NameKind kind) {
  switch (kind) {
    case NameKind::param: return ItemKind::constant;
    case NameKind::var: return ItemKind::variable;
    case NameKind::zone: return ItemKind::variable;
    case NameKind::let: return ItemKind::function;
    case NameKind::enum_value: return ItemKind::enum_member;
    case NameKind::type: return ItemKind::class_;
    case NameKind::phase: return ItemKind::module;
    case NameKind::rule: return ItemKind::function;
    case NameKind::move: return ItemKind::method;
    case NameKind::attribute: return ItemKind::field;
    case NameKind::local: return ItemKind::variable;
    case NameKind::seat: return ItemKind::value;
  }
  return ItemKind::value;
}

class Completion {
 public:
  Completion(const Names& names, std::uint32_t offset) : names_(names), text_(names.text()) {
    for (const Token& token : grammar::tokens(text_)) {
      if (token.begin >= offset) break;
      // a comment goes on to the end of its line, a text to its closing quote
      const bool open_comment = token.kind == TokenKind::comment && text_.substr(token.begin, offset - token.begin).find('\n') == std::string_view::npos;
      if (open_comment || (token.kind == TokenKind::string && token.end > offset)) inside_ = true;
      if (token.kind != TokenKind::comment) before_.push_back(token);
    }
    const bool typing = !before_.empty() && before_.back().end >= offset && (before_.back().kind == TokenKind::word || before_.back().kind == TokenKind::type);
    if (typing) before_.pop_back();
  }

  std::vector<Item> items() {
    if (inside_) return {};
    const std::string_view last = back(0), second = back(1);
    static const std::set<std::string_view> seat_verbs = {"does", "can", "cannot"};
    static const std::set<std::string_view> sheet_verbs = {"replace", "before", "after", "remove"};
    if (last == "." && !(before_.size() > 1 && before_[before_.size() - 2].kind == TokenKind::number)) {
      add_names({NameKind::attribute});
      add_words({"face", "owner"});
    } else if (last == "do") {
      add_names({NameKind::rule, NameKind::phase});
    } else if ((last == "phase" && second == "end") || last == "start") {
      add_names({NameKind::phase});
    } else if (seat_verbs.contains(last)) {
      add_names({NameKind::move});
    } else if (last == "[" && sheet_verbs.contains(second)) {
      for (const std::string& clause : names_.clauses()) add({clause, ItemKind::reference, "clause", ""});
    } else {
      for (const std::string_view word : kReserved) add({std::string(word), ItemKind::keyword, "", word_help(word)});
      add_words({"yes", "no", "nobody", "me", "up", "down", "winners", "random", "nth", "previous", "number", "abs", "flag", "player", "text", "Face"});
      add_names({NameKind::param, NameKind::var, NameKind::zone, NameKind::let, NameKind::enum_value, NameKind::type, NameKind::phase, NameKind::rule, NameKind::seat});
      if (std::count_if(before_.begin(), before_.end(), [&](const Token& t) { return of(t) == "<"; }) > 0) add_names({NameKind::attribute});
      add_locals();
    }
    std::vector<Item> out;
    for (auto& [label, item] : items_) out.push_back(std::move(item));
    return out;
  }

 private:
  std::string_view of(const Token& token) const { return text_.substr(token.begin, token.end - token.begin); }
  /// The token so far before the word that is being typed; empty if there is none.
  std::string_view back(std::size_t steps) const { return steps < before_.size() ? of(before_[before_.size() - 1 - steps]) : std::string_view(); }

  void add(Item item) { items_.try_emplace(item.label, std::move(item)); }
  void add_words(std::initializer_list<std::string_view> words) {
    for (const std::string_view word : words) add({std::string(word), ItemKind::value, "", word_help(word)});
  }
  void add_names(std::initializer_list<NameKind> kinds) {
    for (std::size_t id = 0; id < names_.size(); ++id) {
      const Symbol& symbol = names_.symbol(id);
      if (std::find(kinds.begin(), kinds.end(), symbol.kind) == kinds.end()) continue;
      const std::string type = names_.type_of(id);
      add({std::string(names_.name(id)), item_kind(symbol.kind), type.empty() ? kind_text(symbol.kind) : type, ""});
    }
  }

  // What is bound between the last declaration that begins a line and the cursor: by tokens, since what is being typed is seldom
  // a whole sentence. Names of blocks that have ended are among them; the checker tells.
  void add_locals() {
    std::size_t first = before_.size();
    while (first > 0) {
      --first;
      const Token& token = before_[first];
      if (token.kind == TokenKind::word && (token.begin == 0 || text_[token.begin - 1] == '\n')) break;
    }
    int header = 0;  // depth of the parentheses of `let NAME(`, `rule NAME(`, `phase NAME(`
    for (std::size_t i = first; i < before_.size(); ++i) {
      const std::string_view word = of(before_[i]);
      const std::string_view next = i + 1 < before_.size() ? of(before_[i + 1]) : std::string_view();
      const bool declares = i > first && i - first == 2 && (of(before_[first]) == "let" || of(before_[first]) == "rule" || of(before_[first]) == "phase");
      if (word == "(" && (declares || header > 0)) ++header;
      else if (word == ")" && header > 0) --header;
      if (before_[i].kind != TokenKind::word) continue;
      const std::string_view previous = i > first ? of(before_[i - 1]) : std::string_view();
      const bool binder = next == "in" && previous != ".";
      const bool named = i > first + 1 && (previous == "let" || previous == "var");
      const bool parameter = header == 1 && (previous == "(" || previous == ",");
      if (binder || named || parameter) add({std::string(word), ItemKind::variable, "name", ""});
    }
  }

  const Names& names_;
  std::string_view text_;
  bool inside_ = false;
  std::vector<Token> before_;
  std::map<std::string, Item, std::less<>> items_;
};

}  // namespace

std::vector<Item> completions(const Names& names, std::uint32_t offset) { return Completion(names, offset).items(); }

}  // namespace rip::cli::lsp
