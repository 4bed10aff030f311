// How editors colour a script: their files, made from the keyword table. Flow: grammar/keywords.def, cli/word_help.def -> here
// -> editors/ (written by `ripdsl grammar`; a test compares).
#pragma once

#include <string>

namespace rip::cli {

/// A TextMate grammar in JSON: VS Code, GitHub, Sublime Text, Shiki and others read it.
std::string textmate_grammar();
std::string vim_syntax();

}  // namespace rip::cli
