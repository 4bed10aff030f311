// The language server without its pipes: messages in, messages out. LSP 3.17 (https://microsoft.github.io/language-server-protocol).
// Flow: cli/lsp reads a message -> here (documents, requests) -> cli/lsp_text, lsp_names, lsp_outline, lsp_complete.
#pragma once

#include "cli/lsp_coverage.h"
#include "cli/lsp_names.h"
#include "cli/lsp_text.h"

#include <nlohmann/json.hpp>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rip::cli::lsp {

using Json = nlohmann::json;

/// Keys of an answer stay in the order in which they sort, so same messages in, same bytes out.
class Server {
 public:
  /// One message, without its header; what is to be sent for it. Never throws for what a client sends.
  std::vector<Json> receive(std::string_view message);
  /// To be called when nothing more is waiting to be read: checks what has changed and tells what is wrong with it.
  std::vector<Json> rest();

  /// Whether scenarios are being counted: then `rest` has something to say later.
  bool counting() const;

  bool over() const { return over_; }
  /// As the protocol wants it: 0 if `shutdown` came before `exit`.
  int exit_code() const { return shut_down_ ? 0 : 1; }

 private:
  struct Document {
    explicit Document(std::string content) : text(std::move(content)) {}
    Text text;
    std::string path;
    Json version;
    std::shared_ptr<Names> names;          ///< null = changed since
    std::unique_ptr<ClauseCounts> counts;  ///< of this text; null = nobody has asked for them
    bool told = false;                     ///< its diagnostics
    bool refreshed = false;                ///< its lenses, since the scenarios have been counted
  };

  Json request(const std::string& method, const Json& params);
  void notification(const std::string& method, const Json& params);
  Json initialize() const;

  Document& document(const Json& params);
  Names& names(Document& document);
  std::uint32_t offset(const Document& document, const Json& params) const;
  Json diagnostics(const std::string& uri, Document& document);

  Json definition(const std::string& uri, Document& document, std::uint32_t at);
  Json references(const std::string& uri, Document& document, std::uint32_t at, bool with_declaration);
  Json highlights(Document& document, std::uint32_t at);
  Json prepare_rename(Document& document, std::uint32_t at);
  Json rename(const std::string& uri, Document& document, std::uint32_t at, const std::string& name);
  Json hover(Document& document, std::uint32_t at);
  Json completion(Document& document, std::uint32_t at);
  Json symbols(Document& document);
  Json format(Document& document);
  Json lenses(const std::string& uri, Document& document);
  Json lens(Json lens);
  Json run_scenario(const Json& arguments);
  /// What was counted of a text that is no more; nobody waits for it.
  void forget_counts(Document& document);

  /// Of a span in the document or another file of its script.
  Json location(const std::string& uri, const Document& document, const Names& names, Span span) const;

  std::map<std::string, Document, std::less<>> documents_;
  std::vector<std::unique_ptr<ClauseCounts>> forgotten_;
  std::vector<Json> outgoing_;
  int asked_ = 0;  ///< questions to the client so far
  bool initialized_ = false, shut_down_ = false, over_ = false;
  bool refreshes_ = false;  ///< the client asks for lenses again when told to
};

}  // namespace rip::cli::lsp
