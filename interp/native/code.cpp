// From text to something that runs: the compiler of this machine, a cache of what it has made, dlopen.
#include "interp/native/native.h"

#include "interp/native/abi.h"
#include "interp/native/emit.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

extern char** environ;

namespace rip::native {

namespace {

namespace fs = std::filesystem;

/// For this processor: what is kept in the cache may be shared with others, so its name depends on this.
std::vector<std::string> flags(const std::string& source) {
  // the whole game is one function: of a large one the compiler would make much for minutes
  constexpr std::size_t kLarge = 250000;
  std::vector<std::string> out = {"-std=c++20", source.size() > kLarge ? "-O1" : "-O2", "-fPIC", "-shared", "-fno-exceptions", "-fno-rtti", "-fvisibility=hidden", "-w"};
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) out.push_back("-march=x86-64-v3");
#endif
  return out;
}

/// $RIPDSL_CACHE, $XDG_CACHE_HOME/ripdsl, ~/.cache/ripdsl. Ours alone, since what lies there is run.
fs::path cache_folder(std::string& why_not) {
  const auto from = [](const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
  };
  fs::path folder = from("RIPDSL_CACHE");
  if (folder.empty() && !from("XDG_CACHE_HOME").empty()) folder = fs::path(from("XDG_CACHE_HOME")) / "ripdsl";
  if (folder.empty() && !from("HOME").empty()) folder = fs::path(from("HOME")) / ".cache" / "ripdsl";
  if (folder.empty()) folder = fs::temp_directory_path() / fmt::format("ripdsl-{}", geteuid());
  std::error_code failed;
  fs::create_directories(folder, failed);
  struct stat about {};
  if (failed || stat(folder.c_str(), &about) != 0 || about.st_uid != geteuid() || (about.st_mode & S_IWOTH) != 0) {
    why_not = fmt::format("`{}` is no folder of yours to keep compiled games in", folder.string());
    return {};
  }
  return folder;
}

/// Runs a program with its messages in a file; its exit code, or 127 if there is no such program.
int run_program(const std::vector<std::string>& words, const fs::path& log) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, arguments[0], &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) return 127;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/// The shared object of a source; empty if there is none.
fs::path compiled(const std::string& source, std::string& why_not) {
  const fs::path folder = cache_folder(why_not);
  if (folder.empty()) return {};
  const char* wish = std::getenv("CXX");
  const std::vector<std::string> compilers = wish != nullptr && *wish != '\0' ? std::vector<std::string>{wish} : std::vector<std::string>{"c++", "g++", "clang++"};
  std::string key = source;
  for (const std::string& flag : flags(source)) key += flag;
  if (wish != nullptr) key += wish;
  const XXH128_hash_t hash = XXH3_128bits(key.data(), key.size());
  const std::string name = fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
  const fs::path object = folder / (name + ".so");
  if (fs::exists(object)) return object;
  // under names of our own until it is complete: others may compile the same game
  const std::string mine = fmt::format("{}-{}", name, getpid());
  const fs::path text = folder / (mine + ".cpp"), unfinished = folder / (mine + ".so"), log = folder / (name + ".log");
  std::ofstream(text, std::ios::binary) << source;
  int status = 127;
  for (const std::string& compiler : compilers) {
    std::vector<std::string> words = {compiler};
    const std::vector<std::string> options = flags(source);
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"-o", unfinished.string(), text.string()});
    // a call of memmove for three cards is slow; not every compiler knows how to say so
    std::vector<std::string> better = words;
    better.push_back("-fno-tree-loop-distribute-patterns");
    status = run_program(better, log);
    if (status != 0 && status != 127) status = run_program(words, log);
    if (status != 127) break;
  }
  std::error_code ignored;
  fs::remove(text, ignored);
  if (status == 127) {
    why_not = wish == nullptr ? "this machine has no C++ compiler" : fmt::format("there is no compiler `{}`", wish);
    return {};
  }
  if (status != 0) {
    why_not = fmt::format("the compiler refuses the game: {}", log.string());
    fs::remove(unfinished, ignored);
    return {};
  }
  fs::remove(log, ignored);
  fs::rename(unfinished, object, ignored);
  if (ignored) why_not = fmt::format("cannot write `{}`", object.string());
  return ignored ? fs::path() : object;
}

}  // namespace

std::shared_ptr<Code> Code::load(const ir::Program& program, EmitOptions options, std::string& why_not) {
  if (program.components.size() > kMaxComponents) {
    why_not = "it has too many components";
    return nullptr;
  }
  const fs::path object = compiled(emit(program, options), why_not);
  if (object.empty()) return nullptr;
  void* const handle = dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const run = handle == nullptr ? nullptr : dlsym(handle, "rip_run");
  void* const results = handle == nullptr ? nullptr : dlsym(handle, "rip_results");
  if (run == nullptr || results == nullptr) {
    if (handle != nullptr) dlclose(handle);
    why_not = fmt::format("`{}` cannot be loaded", object.string());
    return nullptr;
  }
  std::shared_ptr<Code> code(new Code(handle));
  code->run_ = reinterpret_cast<int (*)(Ctx*)>(run);
  code->results_ = reinterpret_cast<void (*)(Ctx*, std::int64_t*)>(results);
  return code;
}

Code::~Code() { dlclose(handle_); }

}  // namespace rip::native
