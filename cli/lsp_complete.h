// What can be written next. Flow: tokens before the cursor + Names -> here -> cli/lsp_server.
#pragma once

#include "cli/lsp_names.h"

namespace rip::cli::lsp {

/// The numbers are those of the protocol's CompletionItemKind.
enum class ItemKind { method = 2, function = 3, field = 5, variable = 6, class_ = 7, module = 9, value = 12, keyword = 14, reference = 18, enum_member = 20, constant = 21 };

struct Item {
  std::string label;
  ItemKind kind;
  std::string detail;
  std::string help;  ///< Markdown
};

/// Each label once, in alphabetical order. Nothing inside of comments and texts. The client drops what does not begin with
/// the word at the cursor.
std::vector<Item> completions(const Names& names, std::uint32_t offset);

}  // namespace rip::cli::lsp
