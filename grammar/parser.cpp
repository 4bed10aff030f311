// Runs the PEGTL grammar (the only file that includes it) and reports what could not be read.
#include "grammar/parser.h"

#include "grammar/build.h"
#include "grammar/rules.h"

#include <fmt/format.h>

#include <tao/pegtl/contrib/analyze.hpp>

#include <algorithm>
#include <array>

namespace rip::grammar {

namespace {

/// Words at which reading resumes, by what is being read.
constexpr std::array kStatementWords{"move", "fill", "swap", "turn", "shuffle", "roll", "show", "set", "raise", "lower", "pay", "let", "var", "if", "for",
                                     "repeat", "turns", "match", "choose", "do", "together", "stop", "win", "end", "always", "never", "sometimes", "note",
                                     "phase", "when"};
constexpr std::array kDeclarationWords{"players", "note", "require", "param", "enum", "card", "token", "die", "deck", "zone", "var", "money", "let",
                                       "rule", "phase", "when", "score", "winner", "report", "always", "never", "sometimes", "bound", "small", "variant",
                                       "scenario"};
constexpr std::array kDeltaWords{"set", "replace", "before", "after", "remove"};
constexpr std::array kStepWords{"players", "set", "start", "given", "next", "expect", "note", "swapping"};

template <std::size_t N>
bool among(std::string_view word, const std::array<const char*, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool opens(std::string_view word, r::Item item) {
  switch (item) {
    case r::Item::statement: return among(word, kStatementWords);
    case r::Item::option: return false;
    case r::Item::declaration:
    case r::Item::top: return among(word, kDeclarationWords);
    case r::Item::delta: return among(word, kDeltaWords) || among(word, kDeclarationWords);
    case r::Item::step: return among(word, kStepWords) || (word[0] >= 'A' && word[0] <= 'Z');
  }
  return false;
}

/// The tree of a script is a few hundred times as large as its text.
constexpr std::uint32_t kMaxBytes = 1 << 20;

bool word_byte(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

}  // namespace

namespace r {

const char* resume(const char* begin, const char* from, const char* end, const char* furthest, Item item) {
  int depth = 0;
  for (const char* at = from; at < end;) {
    const char c = *at;
    if (c == '#') {
      while (at < end && *at != '\n') ++at;
    } else if (c == '"') {
      ++at;
      while (at < end && *at != '"' && *at != '\n') ++at;
      if (at < end) ++at;
    } else if (c == '{') {
      ++depth;
      ++at;
    } else if (c == '}') {
      if (depth == 0) {
        // the brace ends the block around; at the top of a file nothing is around, so it is skipped
        if (item != Item::top) return at;
        ++at;
        continue;
      }
      --depth;
      ++at;
      // a move ends with its block
      if (depth == 0 && item == Item::option && at > furthest) return at;
    } else if (word_byte(c)) {
      const char* word = at;
      while (at < end && word_byte(*at)) ++at;
      const bool dotted = word > begin && word[-1] == '.';
      if (depth == 0 && word > from && word >= furthest && !dotted && opens({word, static_cast<std::size_t>(at - word)}, item)) return word;
    } else {
      ++at;
    }
  }
  return end;
}

}  // namespace r

namespace {

std::string found_at(const char* at, const char* end) {
  if (at >= end) return "the end of the file";
  if (word_byte(*at)) {
    const char* to = at;
    while (to < end && word_byte(*to) && to - at < 40) ++to;
    return fmt::format("`{}`", std::string_view(at, static_cast<std::size_t>(to - at)));
  }
  if (static_cast<unsigned char>(*at) < 0x20 || *at == 0x7f) return fmt::format("byte 0x{:02x}", static_cast<unsigned char>(*at));
  if (*at == '"') {
    const char* to = std::find_if(at + 1, end, [](char c) { return c == '"' || c == '\n'; });
    return to < end && *to == '"' ? "a text" : "a text without its closing quote on the same line";
  }
  std::size_t length = 1;
  while (at + length < end && (static_cast<unsigned char>(at[length]) & 0xc0u) == 0x80u) ++length;
  return fmt::format("`{}`", std::string_view(at, length));
}

std::string expected_list(std::vector<const char*> expected) {
  std::vector<std::string_view> texts;
  for (const char* text : expected) {
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.emplace_back(text);
  }
  // what opens a value is one thing to the reader
  auto has = [&](std::string_view text) { return std::find(texts.begin(), texts.end(), text) != texts.end(); };
  const bool value = has("a number") && has("`top`") && has("`(`");
  if (value) {
    std::erase_if(texts, [](std::string_view t) {
      constexpr std::array kValueWords{"a number", "`top`", "`bottom`", "`all`", "`(`", "`[`", "`{`", "`count`", "`some`", "`first`", "`best`", "`every`",
                                       "`sum`", "`min`", "`max`", "a name", "a name with a capital letter", "`<`", "`original`", "`-`", "`not`", "`if`",
                                       "`match`"};
      return among(t, kValueWords);
    });
    texts.insert(texts.begin(), "a value");
  }
  const bool statement = has("`move`") && has("`shuffle`");
  if (statement) {
    std::erase_if(texts, [](std::string_view t) {
      return t.size() > 2 && (among(t.substr(1, t.size() - 2), kStatementWords) || t == "`original`" || t == "`money`");
    });
    texts.emplace_back("a statement");
  }
  if (has("`zone`") && has("`deck`")) {
    std::erase_if(texts, [](std::string_view t) { return t.size() > 2 && among(t.substr(1, t.size() - 2), kDeclarationWords); });
    texts.emplace_back("a declaration");
  }
  std::erase(texts, "a margin note");
  if (texts.size() > 1) std::erase(texts, "an operator");
  std::erase_if(texts, [&](std::string_view t) {
    return texts.size() > 4 && (t == "`-`" || t == "`*`" || t == "`+`" || t == "`div`" || t == "`mod`" || t == "`..`" || t == "`.`" || t == "`and`" ||
                                t == "`or`" || t == "`is`" || t == "`in`" || t == "`not`" || t == "`[`");
  });
  std::string out;
  for (std::size_t i = 0; i < texts.size() && i < 6; ++i) {
    if (i > 0) out += i + 1 == std::min<std::size_t>(texts.size(), 6) ? " or " : ", ";
    out += texts[i];
  }
  return out;
}

/// `behind` is what stands before the place.
std::string hint_for(std::string_view behind, const char* at, const char* end, const std::vector<const char*>& expected) {
  auto wants = [&](std::string_view text) {
    return std::any_of(expected.begin(), expected.end(), [&](const char* t) { return text == t; });
  };
  while (!behind.empty() && (behind.back() == ' ' || behind.back() == '\n')) behind.remove_suffix(1);
  const bool beside = behind.ends_with("before") || behind.ends_with("after");
  if (beside && !wants("a number")) return "a place in the rules is named by its margin note: `after [R-1] { ... }`";
  const char* to = at;
  while (to < end && word_byte(*to)) ++to;
  const std::string_view word(at, static_cast<std::size_t>(to - at));
  static constexpr std::array kReserved{
#define RIP_WORD(id, spelling, word_class) RIP_WORD_##word_class(spelling)
#define RIP_WORD_reserved(spelling) spelling,
#define RIP_WORD_context(spelling)
#include "grammar/keywords.def"
#undef RIP_WORD
#undef RIP_WORD_reserved
#undef RIP_WORD_context
  };
  if ((word == "if" || word == "match") && wants("`(`")) return fmt::format("`{}` is the whole of a value or stands in parentheses: `({} ...)`", word, word);
  if (at < end && (*at == '-' || *at == '+' || *at == '*') && wants("`x`")) return "a count that is worked out stands in parentheses: `(n - 1) x <...>`";
  if (!word.empty() && wants("a name")) {
    if (among(word, kReserved)) return fmt::format("`{}` is a word of the language; give it another name", word);
    if (word[0] >= 'A' && word[0] <= 'Z') return "names begin with a small letter; only types and seats have a capital one";
  }
  if (!word.empty() && wants("a name with a capital letter") && !wants("a name")) return "types begin with a capital letter";
  if (!word.empty() && wants("`move`") && wants("`shuffle`")) {
    if (among(word, kDeclarationWords)) return fmt::format("`{}` stands outside of all blocks; a `}}` is missing before it", word);
    const std::size_t next = std::string_view(to, static_cast<std::size_t>(end - to)).find_first_not_of(' ');
    if (next != std::string_view::npos && to[next] == '=') return fmt::format("a variable is changed by `set {} to ...`", word);
  }
  if (at < end && *at == '=' && wants("an operator")) return "equality is written `==`";
  if (at < end && *at == ';') return "nothing separates statements; leave it out";
  if (word == "else") return "a margin note never stands between `}` and `else`";
  return {};
}

/// The first byte that is no text, or npos: a NUL or other control character, or a broken UTF-8 sequence.
std::size_t first_bad_byte(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x80) {
      if ((c < 0x20 && c != '\n' && c != '\t' && c != '\r') || c == 0x7f) return i;
      ++i;
      continue;
    }
    const std::size_t length = c >= 0xf0 && c < 0xf5 ? 4 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xc2 && c < 0xe0 ? 2 : 0;
    if (length == 0 || i + length > text.size()) return i;
    for (std::size_t k = 1; k < length; ++k) {
      if ((static_cast<unsigned char>(text[i + k]) & 0xc0u) != 0x80u) return i;
    }
    i += length;
  }
  return std::string_view::npos;
}

/// Reads the file with one rule; false if nothing can be built.
template <class Rule>
bool read(const Sources& sources, std::uint32_t file, Diagnostics& diagnostics, Reading& reading) {
  const std::string& text = sources[file].text;
  if (const std::size_t bad = first_bad_byte(text); bad != std::string_view::npos) {
    const auto at = static_cast<std::uint32_t>(bad);
    diagnostics.report(Code::R0002, {file, at, at + 1}, fmt::format("byte 0x{:02x} is no text", static_cast<unsigned char>(text[bad]))).hint =
        "scripts are UTF-8 text files";
    return false;
  }
  if (text.size() > kMaxBytes) {
    diagnostics.report(Code::R0002, {file, kMaxBytes, kMaxBytes + 1}, fmt::format("the file goes on, but a script has at most {} bytes", kMaxBytes));
    return false;
  }
  pegtl::memory_input<pegtl::tracking_mode::lazy> in(text, sources[file].path);
  reading.begin = text.data();
  reading.last_end = text.data();
  const char* end = text.data() + text.size();
  auto offset = [&](const char* at) { return static_cast<std::uint32_t>(at - text.data()); };
  auto report = [&](const Reading::Error& error) {
    // what is missing at the end of a line is missed behind the last thing that stands
    const bool at_end = error.last_end != nullptr && (error.at >= end || (error.inside && std::find(error.last_end, error.at, '\n') != error.at));
    const std::uint32_t begin = at_end ? offset(error.last_end) : offset(error.at);
    std::uint32_t to = begin;
    if (!at_end) {
      const char* word = error.at;
      while (word < end && word_byte(*word)) ++word;
      to = std::max(begin + 1, offset(word));
    }
    const std::string wanted = expected_list(error.expected);
    const std::string found = found_at(error.at, end);
    Diagnostic& made = diagnostics.report(Code::R0101, {file, begin, std::min<std::uint32_t>(to, static_cast<std::uint32_t>(text.size()))},
                                          wanted.empty() ? fmt::format("found {}", found) : fmt::format("found {}, expected {}", found, wanted));
    made.hint = hint_for(std::string_view(text).substr(0, offset(error.at)), error.at, end, error.expected);
  };
  bool fits = false, too_deep = false;
  try {
    fits = pegtl::parse<Rule>(in, reading);
  } catch (const TooDeep& deep) {
    const std::uint32_t at = offset(deep.at);
    diagnostics.report(Code::R0104, {file, at, at + 1}, fmt::format("more than {} {}", deep.most, deep.of));
    too_deep = true;
  }
  for (const auto& error : reading.errors) report(error);
  if (too_deep) return false;
  if (!fits || !in.empty()) {
    const char* at = reading.furthest != nullptr && reading.furthest >= in.current() ? reading.furthest : in.current();
    report({at, reading.furthest == at ? reading.furthest_last_end : at, at > in.current(), reading.expected});
  }
  return !reading.nodes.empty() && (fits || std::is_same_v<Rule, r::script>);
}

}  // namespace

NodeTree parse_nodes(const Sources& sources, std::uint32_t file, Diagnostics& diagnostics) {
  if (sources[file].text.find_first_not_of(" \t\r\n") == std::string::npos) {
    diagnostics.report(Code::R0001, {file, 0, 0}, "the file is empty").hint = "a script begins with `game \"My Game\" language 1`";
    return {};
  }
  Reading reading;
  if (!read<r::script>(sources, file, diagnostics, reading)) return {};
  const Node* root = reading.nodes.front();
  return {std::move(reading.arena), root};
}

ast::Script parse(const Sources& sources, std::uint32_t file, Diagnostics& diagnostics) {
  const NodeTree tree = parse_nodes(sources, file, diagnostics);
  if (tree.root != nullptr) return Builder(file, diagnostics).script(*tree.root);
  ast::Script empty;
  empty.file = file;
  return empty;
}

ast::ExprRef parse_expression(const Sources& sources, std::uint32_t file, Diagnostics& diagnostics) {
  Reading reading;
  if (!read<r::lone_expression>(sources, file, diagnostics, reading)) return nullptr;
  return Builder(file, diagnostics).expr(*reading.nodes.front());
}

std::optional<ast::Step> parse_step(const Sources& sources, std::uint32_t file, Diagnostics& diagnostics) {
  Reading reading;
  if (!read<r::lone_step>(sources, file, diagnostics, reading)) return std::nullopt;
  return Builder(file, diagnostics).step(*reading.nodes.front());
}

std::optional<ast::MoveCall> parse_move_call(const Sources& sources, std::uint32_t file, Diagnostics& diagnostics) {
  Reading reading;
  if (!read<r::lone_call>(sources, file, diagnostics, reading)) return std::nullopt;
  return Builder(file, diagnostics).move_call(*reading.nodes.front());
}

std::size_t grammar_problems() { return pegtl::analyze<r::script>(-1) + pegtl::analyze<r::lone_step>(-1); }

}  // namespace rip::grammar
