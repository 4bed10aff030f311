// `ripdsl grammar`: the files by which editors colour a script.
#include "cli/command.h"
#include "cli/highlight.h"

#include <fmt/format.h>

#include <memory>

namespace rip::cli {

void add_grammar(Command app, int& exit) {
  struct Options { bool textmate = false, vim = false; };
  auto options = std::make_shared<Options>();
  const Command command = app.add_subcommand("grammar", "How editors colour a script, made from the keyword table");
  command.add_flag("--textmate", options->textmate, "for VS Code and others that read TextMate grammars");
  command.add_flag("--vim", options->vim, "for Vim and Neovim").excludes("--textmate");
  command.footer(R"(Example:
  ripdsl grammar --vim > ~/.vim/syntax/ripdsl.vim)");
  command.callback([options, &exit] {
    if (!options->textmate && !options->vim) {
      exit = usage("for which editor? --textmate or --vim");
      return;
    }
    fmt::print("{}", options->vim ? vim_syntax() : textmate_grammar());
    exit = kFine;
  });
}

}  // namespace rip::cli
