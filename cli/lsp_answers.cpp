// The answers of the language server: what cli/lsp_names and its neighbours know, as the protocol wants it.
#include "cli/lsp_complete.h"
#include "cli/lsp_outline.h"
#include "cli/lsp_server.h"
#include "cli/lsp_uri.h"

#include "grammar/format.h"
#include "grammar/tokens.h"
#include "verify/scenario.h"

#include <fmt/format.h>

#include <algorithm>

namespace rip::cli::lsp {

namespace {

constexpr int kRequestFailed = -32803;

Json position_json(Position at) { return {{"line", at.line}, {"character", at.character}}; }

Json range_json(const Text& text, Span span) {
  return {{"start", position_json(text.position(span.begin))}, {"end", position_json(text.position(std::max(span.begin, span.end)))}};
}

Json hover_json(std::string markdown, const Text& text, Span span) {
  return {{"contents", {{"kind", "markdown"}, {"value", std::move(markdown)}}}, {"range", range_json(text, span)}};
}

}  // namespace

Json Server::location(const std::string& uri, const Document& document, const Names& names, Span span) const {
  if (span.file == 0) return {{"uri", uri}, {"range", range_json(document.text, span)}};
  const Source& source = names.sources()[span.file];
  return {{"uri", uri_of(source.path)}, {"range", range_json(Text(source.text), span)}};
}

Json Server::diagnostics(const std::string& uri, Document& document) {
  Json list = Json::array();
  const Names& known = names(document);
  for (const Diagnostic& d : known.loaded().diagnostics()) {
    Json related = Json::array();
    // what is wrong in a file beside it is told in the first line here, with the way there
    const Span span = d.span.file == 0 ? d.span : Span{0, 0, document.text.offset({0, ~0u})};
    if (d.span.file != 0) related.push_back({{"location", location(uri, document, known, d.span)}, {"message", "here"}});
    for (const RelatedPlace& place : d.related) related.push_back({{"location", location(uri, document, known, place.span)}, {"message", place.text}});
    Json item = {{"range", range_json(document.text, span)},
                 {"severity", d.severity == Severity::error ? 1 : 2},
                 {"code", std::string(info(d.code).name)},
                 {"source", "ripdsl"},
                 {"message", d.hint.empty() ? d.message : fmt::format("{}\n{}", d.message, d.hint)}};
    if (!related.empty()) item["relatedInformation"] = std::move(related);
    list.push_back(std::move(item));
  }
  Json out = {{"uri", uri}, {"diagnostics", std::move(list)}};
  if (document.version.is_number_integer()) out["version"] = document.version;
  return out;
}

Json Server::definition(const std::string& uri, Document& document, std::uint32_t at) {
  const Names& known = names(document);
  Json out = Json::array();
  if (const auto found = known.at(at)) {
    for (const Span span : known.symbol(found->symbol).definitions) out.push_back(location(uri, document, known, span));
  } else if (const auto clause = known.clause_at(at)) {
    for (const Span span : clause->places) out.push_back(location(uri, document, known, span));
  }
  return out;
}

Json Server::references(const std::string& uri, Document& document, std::uint32_t at, bool with_declaration) {
  const Names& known = names(document);
  Json out = Json::array();
  const auto found = known.at(at);
  if (!found) return out;
  const Symbol& symbol = known.symbol(found->symbol);
  for (const Span use : symbol.uses) {
    const bool declares = std::find(symbol.definitions.begin(), symbol.definitions.end(), use) != symbol.definitions.end();
    if (with_declaration || !declares) out.push_back(location(uri, document, known, use));
  }
  return out;
}

Json Server::highlights(Document& document, std::uint32_t at) {
  const Names& known = names(document);
  Json out = Json::array();
  const auto found = known.at(at);
  if (!found) return out;
  for (const Span use : known.symbol(found->symbol).uses) {
    if (use.file == 0) out.push_back({{"range", range_json(document.text, use)}});
  }
  return out;
}

Json Server::prepare_rename(Document& document, std::uint32_t at) {
  const Names& known = names(document);
  const auto found = known.at(at);
  if (!found) return nullptr;
  return {{"range", range_json(document.text, found->span)}, {"placeholder", std::string(known.name(found->symbol))}};
}

// The script with the new name is checked before anybody sees it: a name that hides another, is a word of the language or
// stands in a card list too makes an error that was not there.
Json Server::rename(const std::string& uri, Document& document, std::uint32_t at, const std::string& name) {
  const Names& known = names(document);
  const auto found = known.at(at);
  if (!found) throw Failure(kRequestFailed, "there is no name here that could be changed");
  const std::vector<grammar::Token> tokens = grammar::tokens(name);
  const bool one_word = tokens.size() == 1 && tokens[0].end == name.size() && (tokens[0].kind == grammar::TokenKind::word || tokens[0].kind == grammar::TokenKind::type);
  if (!one_word) throw Failure(kRequestFailed, fmt::format("`{}` is no name", name));
  const Symbol& symbol = known.symbol(found->symbol);
  std::string changed(known.text());
  Json edits = Json::array();
  for (auto use = symbol.uses.rbegin(); use != symbol.uses.rend(); ++use) {
    if (use->file != 0) throw Failure(kRequestFailed, fmt::format("`{}` stands in {} too", known.name(found->symbol), known.sources()[use->file].path));
    changed.replace(use->begin, use->end - use->begin, name);
    edits.push_back({{"range", range_json(document.text, *use)}, {"newText", name}});
  }
  const auto errors = [](const Names& of) {
    const std::vector<Diagnostic> all = of.loaded().diagnostics();
    return std::count_if(all.begin(), all.end(), [](const Diagnostic& d) { return d.severity == Severity::error; });
  };
  const Names after(document.path, std::move(changed));
  if (errors(after) > errors(known)) {
    const std::vector<Diagnostic> all = after.loaded().diagnostics();
    const auto first = std::find_if(all.begin(), all.end(), [](const Diagnostic& d) { return d.severity == Severity::error; });
    throw Failure(kRequestFailed, fmt::format("with `{}` the script would not be right: {}", name, first->message));
  }
  return {{"changes", {{uri, std::move(edits)}}}};
}

Json Server::hover(Document& document, std::uint32_t at) {
  const Names& known = names(document);
  if (const auto found = known.at(at)) return hover_json(known.description(found->symbol), document.text, found->span);
  if (const auto clause = known.clause_at(at)) {
    std::string text = "clause `" + std::string(known.sources().text(clause->span)) + "` stands at";
    for (const Span place : clause->places) text += fmt::format("\n- `{}`", known.sources().line(place.file, known.sources().place(place.file, place.begin).line));
    return hover_json(std::move(text), document.text, clause->span);
  }
  const Span word = word_at(known.text(), at);
  for (const grammar::Token& token : grammar::tokens(known.text())) {
    const bool written = token.kind == grammar::TokenKind::comment || token.kind == grammar::TokenKind::string;
    if (written && token.begin <= at && at < token.end) return nullptr;
  }
  std::string help = word_help(known.sources().text(word));
  if (help.empty()) return nullptr;
  return hover_json(std::move(help), document.text, word);
}

Json Server::completion(Document& document, std::uint32_t at) {
  Json items = Json::array();
  for (Item& item : completions(names(document), at)) {
    Json out = {{"label", std::move(item.label)}, {"kind", static_cast<int>(item.kind)}};
    if (!item.detail.empty()) out["detail"] = std::move(item.detail);
    if (!item.help.empty()) out["documentation"] = {{"kind", "markdown"}, {"value", std::move(item.help)}};
    items.push_back(std::move(out));
  }
  return {{"isIncomplete", false}, {"items", std::move(items)}};
}

namespace {

Json symbol_json(const Text& text, const OutlinePart& part) {
  Json kids = Json::array();
  for (const OutlinePart& kid : part.parts) kids.push_back(symbol_json(text, kid));
  Json out = {{"name", part.name.empty() ? "?" : part.name},
              {"kind", static_cast<int>(part.kind)},
              {"range", range_json(text, part.whole)},
              {"selectionRange", range_json(text, part.name_span)}};
  if (!part.detail.empty()) out["detail"] = part.detail;
  if (!kids.empty()) out["children"] = std::move(kids);
  return out;
}

}  // namespace

Json Server::symbols(Document& document) {
  Json out = Json::array();
  for (const OutlinePart& part : outline_of(names(document).loaded().script)) out.push_back(symbol_json(document.text, part));
  return out;
}

Json Server::format(Document& document) {
  Sources sources;
  Diagnostics unread;
  const std::string& text = document.text.text();
  const std::uint32_t file = sources.add(document.path, text);
  const std::optional<std::string> laid_out = grammar::format(sources, file, unread);
  if (!laid_out) return nullptr;  // syntax errors are told anyway; editors that format what they save would show this one each time
  if (*laid_out == text) return Json::array();
  const Span all{0, 0, static_cast<std::uint32_t>(text.size())};
  return Json::array({{{"range", range_json(document.text, all)}, {"newText", *laid_out}}});
}

Json Server::lenses(const std::string& uri, Document& document) {
  Json out = Json::array();
  for (const ScenarioPlace& scenario : scenarios_of(names(document).loaded().script)) {
    const Json range = range_json(document.text, {scenario.span.file, scenario.span.begin, scenario.span.begin});
    out.push_back({{"range", range},
                   {"command", {{"title", "run scenario"}, {"command", kRunScenario}, {"arguments", {uri, scenario.name, range["start"]["line"]}}}}});
  }
  if (names(document).loaded().has_errors()) return out;
  for (const ClausePlace& clause : clauses_of(names(document))) out.push_back({{"range", range_json(document.text, clause.span)}, {"data", {{"uri", uri}, {"clause", clause.id}}}});
  return out;
}

// Never waits: what is not known yet is told when the client asks again, which it is told to do as soon as it is.
Json Server::lens(Json lens) {
  if (lens.contains("command")) return lens;
  const std::string clause = lens.at("data").at("clause"), uri = lens["data"].at("uri");
  Document& open = document({{"textDocument", {{"uri", uri}}}});
  names(open);
  if (open.counts == nullptr) open.counts = std::make_unique<ClauseCounts>(open.names);
  const std::string what = open.counts->over() ? open.counts->text(clause) : "scenarios are being counted";
  lens["command"] = {{"title", fmt::format("{}: {}", clause, what)}, {"command", ""}};
  return lens;
}

// In every version that plays it. The result tells more than the message that people see.
Json Server::run_scenario(const Json& arguments) {
  const std::string uri = arguments.at(0), name = arguments.at(1);
  Document& open = document({{"textDocument", {{"uri", uri}}}});
  const verify::Loaded& loaded = names(open).loaded();
  std::size_t runs = 0;
  std::string fault, at;
  for (const auto& version : loaded.versions) {
    if (version->rules == nullptr) continue;
    for (const rules::Scenario& scenario : version->rules->scenarios) {
      const bool this_one = scenario.span.file == 0 && scenario.name == name &&
                            (arguments.size() < 3 || arguments[2] == open.text.position(scenario.span.begin).line);
      if (!this_one) continue;
      ++runs;
      const verify::ScenarioResult result = verify::run_scenario(*version, scenario, loaded.sources);
      if (!result.passed && fault.empty()) {
        fault = result.message;
        at = loaded.sources.where(result.at);
      }
    }
  }
  if (runs == 0) throw Failure(kRequestFailed, loaded.has_errors() ? "the script has errors, so it cannot be played" : fmt::format("there is no scenario \"{}\" here", name));
  const bool passed = fault.empty();
  const std::string text = passed ? fmt::format("\"{}\" holds", name) : fmt::format("\"{}\" fails at {}: {}", name, at, fault);
  outgoing_.push_back({{"jsonrpc", "2.0"}, {"method", "window/showMessage"}, {"params", {{"type", passed ? 3 : 1}, {"message", text}}}});
  return {{"passed", passed}, {"message", text}};
}

}  // namespace rip::cli::lsp
