// `ripdsl fmt`: the one layout of scripts.
#include "cli/command.h"

#include "grammar/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>

namespace rip::cli {

namespace {

struct Options {
  std::vector<std::string> files;
  bool check = false;
};

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

/// The first lines that differ, as they are and as they should be; blanks that nobody would see are shown.
std::string difference(std::string_view before, std::string_view after) {
  const std::vector<std::string_view> old_lines = lines_of(before), new_lines = lines_of(after);
  const auto first = std::mismatch(old_lines.begin(), old_lines.end(), new_lines.begin(), new_lines.end());
  const auto last = std::mismatch(old_lines.rbegin(), std::make_reverse_iterator(first.first), new_lines.rbegin(), std::make_reverse_iterator(first.second));
  if (first.first == last.first.base() && first.second == last.second.base()) return "  the last line has no end\n";
  constexpr std::ptrdiff_t kShown = 3;
  const auto line = first.first - old_lines.begin() + 1;
  std::string out;
  auto show = [&](char sign, auto begin, auto end) {
    for (auto it = begin; it < std::min(end, begin + kShown); ++it) {
      std::string text(*it);
      for (std::size_t at = 0; (at = text.find_first_of("\t\r", at)) != std::string::npos; at += 2) text.replace(at, 1, text[at] == '\t' ? "\\t" : "\\r");
      const std::size_t end_of_text = text.find_last_not_of(' ') + 1;
      text.replace(end_of_text, std::string::npos, std::string(text.size() - end_of_text, '~'));
      out += fmt::format("{:5} {} {}\n", line + (it - begin), sign, text);
    }
  };
  show('-', first.first, last.first.base());
  show('+', first.second, last.second.base());
  return out;
}

int format_one(const std::string& path, bool check) {
  const bool pipe = path == "-";
  const std::string name = pipe ? "standard input" : path;
  ReadResult read;
  if (pipe) read.text.assign(std::istreambuf_iterator<char>(std::cin), {});
  else read = read_file(path);
  if (!read.error.empty()) {
    fmt::print(stderr, "{}: error[{}]: cannot be read: {}\n", name, info(Code::R0003).name, read.error);
    return kViolated;
  }
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  const std::string_view bare = std::string_view(read.text).substr(read.text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
  Sources sources;
  Diagnostics diagnostics;
  const std::optional<std::string> formatted = grammar::format(sources, sources.add(name, std::string(bare)), diagnostics);
  if (!formatted) {
    for (const Diagnostic& d : diagnostics.sorted()) fmt::print(stderr, "{}", render(d, sources, colour_err()));
    return kViolated;
  }
  if (check) {
    if (*formatted == read.text) return kFine;
    fmt::print("{}\n{}", name, bare.size() < read.text.size() && *formatted == bare ? "  it begins with a byte order mark\n" : difference(bare, *formatted));
    return kViolated;
  }
  if (pipe) {
    fmt::print("{}", *formatted);
    return kFine;
  }
  if (*formatted == read.text) return kFine;
  if (const std::string why = replace_file(path, *formatted); !why.empty()) {
    fmt::print(stderr, "ripdsl: {} cannot be written: {}\n", path, why);
    return kViolated;
  }
  return kFine;
}

}  // namespace

void add_fmt(Command app, int& exit) {
  auto options = std::make_shared<Options>();
  const Command command = app.add_subcommand("fmt", "Lay scripts out as all scripts are: blanks, indentation, columns of notes and comments");
  command.add_option("FILE", options->files, "the scripts, changed in place; `-` is standard input, to standard output").required().type_name("");
  command.add_flag("--check", options->check, "change nothing: name the files that are laid out otherwise, with the first lines that differ; exit 1 if there are any");
  command.footer(R"(Where lines end is yours to say, and a blank line stays; all else is settled. Files with syntax errors stay as they are.

Example:
  ripdsl fmt games/vertippt.rip
  ripdsl fmt --check games/*.rip)");
  command.callback([options, &exit] {
    exit = kFine;
    for (const std::string& file : options->files) exit = std::max(exit, format_one(file, options->check));
  });
}

}  // namespace rip::cli
