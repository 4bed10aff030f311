#include "cli/lsp_server.h"

#include "cli/lsp_uri.h"
#include "verify/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <optional>

namespace rip::cli::lsp {

namespace {

enum ErrorCode : int { kParse = -32700, kInvalidRequest = -32600, kNoMethod = -32601, kInvalidParams = -32602, kInternal = -32603, kNotInitialized = -32002, kFailed = -32803 };

Json error(const Json& id, int code, const std::string& message) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", message}}}};
}

}  // namespace

std::vector<Json> Server::receive(std::string_view message) {
  outgoing_.clear();
  const Json call = Json::parse(message, nullptr, false);
  if (call.is_discarded()) return {error(nullptr, kParse, "this is no JSON")};
  if (!call.is_object()) return {error(nullptr, kInvalidRequest, "a message is a JSON object")};
  const Json id = call.value("id", Json());
  const bool asks = call.contains("id");
  if (asks && !id.is_string() && !id.is_number_integer()) return {error(nullptr, kInvalidRequest, "an `id` is a number or a string")};
  if (!call.contains("method")) {
    if (asks && (call.contains("result") || call.contains("error"))) return {};  // an answer; what the server asks, it asks only to have it done
    return {error(id, kInvalidRequest, "a message without `method`")};
  }
  if (!call["method"].is_string()) return {error(id, kInvalidRequest, "`method` is a string")};
  const std::string method = call["method"];
  const Json params = call.value("params", Json::object());
  if (!asks) {
    try {
      notification(method, params);
    } catch (const std::exception&) {
      // a notification has no answer; what it should have changed stays as it was
    }
    return std::move(outgoing_);
  }
  Json answer;
  try {
    answer = {{"jsonrpc", "2.0"}, {"id", id}, {"result", request(method, params)}};
  } catch (const Failure& failure) {
    answer = error(id, failure.code, failure.what());
  } catch (const Json::exception& fault) {
    answer = error(id, kInvalidParams, fault.what());
  } catch (const std::exception& fault) {
    answer = error(id, kInternal, fault.what());
  }
  outgoing_.push_back(std::move(answer));
  return std::move(outgoing_);
}

Json Server::request(const std::string& method, const Json& params) {
  if (shut_down_) throw Failure(kInvalidRequest, "the server is shutting down");
  if (method == "initialize") {
    if (initialized_) throw Failure(kInvalidRequest, "initialized already");
    initialized_ = true;
    const Json::json_pointer refresh("/capabilities/workspace/codeLens/refreshSupport");
    refreshes_ = params.contains(refresh) && params[refresh] == true;
    return initialize();
  }
  if (!initialized_) throw Failure(kNotInitialized, "`initialize` comes first");
  if (method == "shutdown") {
    shut_down_ = true;
    return nullptr;
  }
  if (method == "workspace/executeCommand") {
    if (params.at("command") != kRunScenario) throw Failure(kInvalidParams, "unknown command");
    return run_scenario(params.at("arguments"));
  }
  if (method == "codeLens/resolve") return lens(params);
  if (!method.starts_with("textDocument/")) throw Failure(kNoMethod, fmt::format("unknown method `{}`", method));
  const std::string what = method.substr(std::string_view("textDocument/").size());
  constexpr std::string_view kKnown[] = {"documentSymbol", "codeLens", "formatting", "definition", "references", "documentHighlight", "prepareRename", "rename", "hover", "completion"};
  if (std::find(std::begin(kKnown), std::end(kKnown), what) == std::end(kKnown)) throw Failure(kNoMethod, fmt::format("unknown method `{}`", method));
  Document& open = document(params);
  const std::string uri = params["textDocument"]["uri"];
  if (what == "documentSymbol") return symbols(open);
  if (what == "codeLens") return lenses(uri, open);
  if (what == "formatting") return format(open);
  const std::uint32_t at = offset(open, params.at("position"));
  if (what == "definition") return definition(uri, open, at);
  if (what == "references") return references(uri, open, at, params.value("context", Json::object()).value("includeDeclaration", true));
  if (what == "documentHighlight") return highlights(open, at);
  if (what == "prepareRename") return prepare_rename(open, at);
  if (what == "rename") return rename(uri, open, at, params.at("newName").get<std::string>());
  if (what == "hover") return hover(open, at);
  return completion(open, at);
}

Json Server::initialize() const {
  return {{"serverInfo", {{"name", "ripdsl"}, {"version", std::string(verify::version_number())}}},
          {"capabilities",
           {{"positionEncoding", "utf-16"},
            {"textDocumentSync", {{"openClose", true}, {"change", 2}}},
            {"documentSymbolProvider", true},
            {"definitionProvider", true},
            {"referencesProvider", true},
            {"documentHighlightProvider", true},
            {"renameProvider", {{"prepareProvider", true}}},
            {"hoverProvider", true},
            {"completionProvider", {{"triggerCharacters", {".", "["}}}},
            {"documentFormattingProvider", true},
            {"codeLensProvider", {{"resolveProvider", true}}},
            {"executeCommandProvider", {{"commands", {kRunScenario}}}}}}};
}

namespace {

Position position_of(const Json& at) { return {at.at("line").get<std::uint32_t>(), at.at("character").get<std::uint32_t>()}; }

}  // namespace

void Server::notification(const std::string& method, const Json& params) {
  if (method == "exit") {
    over_ = true;
    return;
  }
  if (!initialized_ || shut_down_) return;
  if (method == "textDocument/didOpen") {
    const Json& opened = params.at("textDocument");
    Document fresh(opened.at("text").get<std::string>());
    const std::string uri = opened.at("uri");
    fresh.path = path_of(uri);
    fresh.version = opened.value("version", Json());
    if (const auto open = documents_.find(uri); open != documents_.end()) forget_counts(open->second);
    documents_.insert_or_assign(uri, std::move(fresh));
  } else if (method == "textDocument/didChange") {
    Document& changed = document(params);
    Text text = changed.text;
    for (const Json& change : params.at("contentChanges")) {
      const std::string fresh = change.at("text");
      if (change.contains("range")) text.replace(position_of(change["range"].at("start")), position_of(change["range"].at("end")), fresh);
      else text.replace_all(fresh);
    }
    changed.text = std::move(text);
    changed.version = params["textDocument"].value("version", Json());
    changed.names = nullptr;
    changed.told = changed.refreshed = false;
    forget_counts(changed);
  } else if (method == "textDocument/didClose") {
    forget_counts(document(params));
    const std::string uri = params["textDocument"]["uri"];
    documents_.erase(uri);
    outgoing_.push_back({{"jsonrpc", "2.0"}, {"method", "textDocument/publishDiagnostics"}, {"params", {{"uri", uri}, {"diagnostics", Json::array()}}}});
  }
}

void Server::forget_counts(Document& document) {
  if (document.counts == nullptr) return;
  document.counts->stop();
  forgotten_.push_back(std::move(document.counts));
}

bool Server::counting() const {
  return std::any_of(documents_.begin(), documents_.end(), [](const auto& open) { return open.second.counts != nullptr && !open.second.refreshed; });
}

std::vector<Json> Server::rest() {
  std::vector<Json> out;
  std::erase_if(forgotten_, [](const auto& counts) { return counts->over(); });
  for (auto& [uri, document] : documents_) {
    if (document.counts != nullptr && document.counts->over() && !document.refreshed) {
      document.refreshed = true;
      if (refreshes_) out.push_back({{"jsonrpc", "2.0"}, {"id", fmt::format("refresh {}", ++asked_)}, {"method", "workspace/codeLens/refresh"}});
    }
    if (document.told) continue;
    document.told = true;
    try {
      out.push_back({{"jsonrpc", "2.0"}, {"method", "textDocument/publishDiagnostics"}, {"params", diagnostics(uri, document)}});
    } catch (const std::exception& fault) {
      out.push_back({{"jsonrpc", "2.0"}, {"method", "window/logMessage"}, {"params", {{"type", 1}, {"message", fmt::format("internal error: {}", fault.what())}}}});
    }
  }
  return out;
}

Server::Document& Server::document(const Json& params) {
  const std::string uri = params.at("textDocument").at("uri");
  const auto found = documents_.find(uri);
  if (found == documents_.end()) throw Failure(kInvalidParams, fmt::format("`{}` is not open", uri));
  return found->second;
}

Names& Server::names(Document& document) {
  if (document.names == nullptr) document.names = std::make_shared<Names>(document.path, document.text.text());
  return *document.names;
}

std::uint32_t Server::offset(const Document& document, const Json& at) const { return document.text.offset(position_of(at)); }

}  // namespace rip::cli::lsp
