#include "cli/highlight.h"

#include "cli/lsp_names.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>
#include <vector>

namespace rip::cli {

namespace {

/// The words of the language by the way they are recognised. A word of one letter is one only in front of `<`: `4 x <9>`.
struct Words {
  std::vector<std::string_view> reserved, context, letters, predeclared;
};

Words words() {
  struct Row { std::string_view word; bool reserved; };
  constexpr Row kRows[] = {
#define RIP_WORD(id, spelling, word_class) {spelling, RIP_IS_##word_class},
#define RIP_IS_reserved true
#define RIP_IS_context false
#include "grammar/keywords.def"
#undef RIP_WORD
#undef RIP_IS_reserved
#undef RIP_IS_context
  };
  Words out;
  for (const Row& row : kRows) {
    if (row.word.size() == 1) out.letters.push_back(row.word);
    else (row.reserved ? out.reserved : out.context).push_back(row.word);
  }
  for (const lsp::WordHelp& help : lsp::all_word_help()) {
    if (std::none_of(std::begin(kRows), std::end(kRows), [&](const Row& row) { return row.word == help.word; })) out.predeclared.push_back(help.word);
  }
  return out;
}

std::string one_of(const std::vector<std::string_view>& all, const char* between) { return fmt::format("{}", fmt::join(all, between)); }

}  // namespace

std::string textmate_grammar() {
  using Json = nlohmann::ordered_json;
  const Words w = words();
  const auto match = [](const char* scope, std::string pattern) { return Json{{"name", scope}, {"match", std::move(pattern)}}; };
  Json patterns = Json::array();
  patterns.push_back(match("comment.line.number-sign.ripdsl", "#.*$"));
  patterns.push_back(match("string.quoted.double.ripdsl", "\"[^\"\\n]*\"?"));
  patterns.push_back(match("entity.other.attribute-name.clause.ripdsl", "\\[\\s*[A-Z]+-[0-9]+[a-z]?(?:\\s*,\\s*[A-Z]+-[0-9]+[a-z]?)*\\s*\\]"));
  Json declaration = {{"match", "(?<![.\\w])(let|rule|phase|zone|deck|var|money|param|enum|card|token|die)\\s+([A-Za-z_]\\w*)(?=\\s*[\\[\\](:={]|\\s+(?:of|for|repeat|turns)\\b|\\s+[0-9])"}};
  declaration["captures"] = {{"1", {{"name", "keyword.control.ripdsl"}}}, {"2", {{"name", "entity.name.ripdsl"}}}};
  patterns.push_back(std::move(declaration));
  patterns.push_back(match("keyword.control.ripdsl", fmt::format("(?<!\\.)\\b(?:{})\\b", one_of(w.reserved, "|"))));
  patterns.push_back(match("constant.language.ripdsl", fmt::format("(?<!\\.)\\b(?:{})\\b", one_of(w.predeclared, "|"))));
  patterns.push_back(match("keyword.other.ripdsl", fmt::format("(?<!\\.)\\b(?:{})\\b(?!\\s*[\\[(.])", one_of(w.context, "|"))));
  patterns.push_back(match("keyword.other.ripdsl", fmt::format("\\b(?:{})\\b(?=\\s*<)", one_of(w.letters, "|"))));
  patterns.push_back(match("constant.numeric.ripdsl", "\\b[0-9]+\\b"));
  patterns.push_back(match("entity.name.type.ripdsl", "\\b[A-Z]\\w*\\b"));
  patterns.push_back(match("keyword.operator.ripdsl", "\\.\\.|==|!=|<=|>=|[-+*=]"));
  const Json grammar = {{"$schema", "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json"},
                        {"name", "ripdsl"},
                        {"scopeName", "source.ripdsl"},
                        {"fileTypes", {"rip"}},
                        {"patterns", std::move(patterns)}};
  return grammar.dump(2) + "\n";
}

std::string vim_syntax() {
  const Words w = words();
  return fmt::format(R"vim(" Made by `ripdsl grammar --vim` from the keyword table.
if exists("b:current_syntax")
  finish
endif
syn case match
syn match ripdslContext /\.\@<!\<\%({context}\)\>\%(\s*[[(.]\)\@!/
syn match ripdslContext /\<\%({letters}\)\>\ze\s*</
syn match ripdslNumber /\<\d\+\>/
syn match ripdslType /\<\u\w*\>/
syn match ripdslKeyword /\.\@<!\<\%({reserved}\)\>/
syn match ripdslConstant /\.\@<!\<\%({predeclared}\)\>/
syn match ripdslClause /\[\s*\u\+-\d\+\l\?\%(\s*,\s*\u\+-\d\+\l\?\)*\s*\]/
syn match ripdslString /"[^"]*"\?/
syn match ripdslComment /#.*$/ contains=@Spell
hi def link ripdslContext Type
hi def link ripdslNumber Number
hi def link ripdslType Structure
hi def link ripdslKeyword Statement
hi def link ripdslConstant Constant
hi def link ripdslClause Special
hi def link ripdslString String
hi def link ripdslComment Comment
let b:current_syntax = "ripdsl"
)vim",
                     fmt::arg("context", one_of(w.context, "\\|")), fmt::arg("letters", one_of(w.letters, "\\|")), fmt::arg("reserved", one_of(w.reserved, "\\|")),
                     fmt::arg("predeclared", one_of(w.predeclared, "\\|")));
}

}  // namespace rip::cli
