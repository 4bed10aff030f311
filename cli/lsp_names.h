// What is known of a document: what is wrong, where each name is declared and read, what it is. Flow: verify/editor -> here ->
// cli/lsp_server, which turns it into messages.
#pragma once

#include "verify/editor.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rip::cli::lsp {

/// One name of the script with all places where it stands. What a variant declares anew under the same name belongs to it
/// too, where something reads both.
struct Symbol {
  check::NameKind kind;
  std::vector<Span> definitions;  ///< by place; maybe in other files
  std::vector<Span> uses;         ///< likewise, the definitions among them
};

class Names {
 public:
  Names(const std::string& path, std::string text);

  const verify::Known& known() const { return known_; }
  const verify::Loaded& loaded() const { return *known_.loaded; }
  const Sources& sources() const { return known_.loaded->sources; }
  std::string_view text() const { return sources()[0].text; }

  /// The occurrence of a name at this place (or that ends there), and the symbol it is one of.
  struct Found { Span span; std::size_t symbol; };
  std::optional<Found> at(std::uint32_t offset) const;
  const Symbol& symbol(std::size_t id) const { return symbols_[id]; }
  std::size_t size() const { return symbols_.size(); }
  std::string_view name(std::size_t id) const { return sources().text(symbols_[id].definitions.front()); }

  /// What is declared there, its type, who can see it: Markdown.
  std::string description(std::size_t id) const;
  /// The type alone, in a few words; empty if it has none.
  std::string type_of(std::size_t id) const;

  /// A margin note: the clause at this place (`R-3`), and where it stands in the script.
  struct Clause { Span span; std::vector<Span> places; };
  std::optional<Clause> clause_at(std::uint32_t offset) const;
  /// All clause ids, in the order of their places, each once.
  std::vector<std::string> clauses() const;

 private:
  struct Entity { std::string kind, type, seen; };
  void group();
  void add_sheets(std::vector<check::NameUse>& all) const;
  std::optional<Entity> entity(Span definition) const;

  verify::Known known_;
  std::vector<Symbol> symbols_;
  std::vector<Found> places_;  ///< in this document, by place
};

/// `phase`, `variable`...
const char* kind_text(check::NameKind kind);

/// The word at this place, or that ends there.
Span word_at(std::string_view text, std::uint32_t offset);

/// What `ripdsl` can tell of a word of the language: Markdown; empty if it is none.
std::string word_help(std::string_view word);
struct WordHelp { std::string_view word, form, help; };
const std::vector<WordHelp>& all_word_help();

}  // namespace rip::cli::lsp
