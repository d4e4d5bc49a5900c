#include "cli/generated_c.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "catena/model/finding.hpp"
#include "catena/source/write_c.hpp"

extern char** environ;

namespace catena::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* prefix = "robot";

// A folder of our own, gone with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code failure;
    std::string name = (fs::temp_directory_path(failure) / "catena-verify-XXXXXX").string();
    if (!failure && ::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

bool write(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  return static_cast<bool>(file);
}

// One shape for all: the generated functions take a pointer for each block.
std::string uniform_calls(const std::string& header, const std::vector<Program>& programs) {
  std::string out = fmt::format("#include \"{}\"\n", header);
  for (std::size_t k = 0; k < programs.size(); ++k) {
    const Program& p = programs[k];
    std::string arguments;
    for (const ProgramBlock& b : p.inputs)
      arguments += fmt::format("{}in + {}", arguments.empty() ? "" : ", ", b.first);
    for (const ProgramBlock& b : p.outputs) arguments += fmt::format(", out + {}", b.first);
    out += fmt::format("void call_{0}(const double* in, double* out);\n", k);
    out += fmt::format("void call_{0}(const double* in, double* out) {{ {1}_{2}({3}); }}\n", k, prefix,
                       function_name(p.function), arguments);
  }
  return out;
}

// Exit code of a program of the search path, what it says in `log`; -1 and errno if it cannot be started.
int run(std::vector<std::string> words, const fs::path& log) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t streams;
  posix_spawn_file_actions_init(&streams);
  posix_spawn_file_actions_addopen(&streams, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&streams, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&streams, 1, 2);
  pid_t child = 0;
  const int failure = ::posix_spawnp(&child, arguments[0], &streams, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&streams);
  if (failure != 0) {
    errno = failure;
    return -1;
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

std::string first_lines(const fs::path& path) {
  std::ifstream file(path);
  std::string out, line;
  for (int k = 0; k < 5 && std::getline(file, line); ++k) out += "\n  " + line;
  return out;
}

}  // namespace

std::shared_ptr<GeneratedC> GeneratedC::make(const Model& model, const std::vector<Program>& programs,
                                             std::string& why) {
  const TemporaryFolder folder;
  SourceOptions options;
  options.name = prefix;
  options.states = 0;
  const std::vector<SourceFile> files = write_source(model, programs, options);
  const fs::path &place = folder.path(), calls = place / "calls.c", library = place / "robot.so";
  const bool written = !place.empty() && write(place / files[0].name, files[0].text) &&
                       write(place / files[1].name, files[1].text) &&
                       write(calls, uniform_calls(files[0].name, programs));
  if (!written) {
    why = "no room for its files in the folder for temporary files";
    return nullptr;
  }
  const fs::path log = place / "log";
  const int code = run({"cc", "-std=c99", "-O0", "-shared", "-fPIC", "-o", library.string(), calls.string(),
                        (place / files[1].name).string(), "-lm"},
                       log);
  if (code == -1) {
    why = fmt::format("no C compiler: cc, {}", std::strerror(errno));
    return nullptr;
  }
  if (code != 0) throw NumericalError("the generated C does not compile:" + first_lines(log), "");

  std::shared_ptr<GeneratedC> out(new GeneratedC);
  out->library_ = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (out->library_ == nullptr) {  // a folder from which nothing may be run
    why = "its library cannot be loaded";
    return nullptr;
  }
  for (std::size_t k = 0; k < programs.size(); ++k) {
    out->calls_.push_back(reinterpret_cast<Call>(::dlsym(out->library_, fmt::format("call_{}", k).c_str())));
    if (out->calls_.back() == nullptr) throw NumericalError("the generated C lacks a function", "");
  }
  return out;
}

GeneratedC::~GeneratedC() {
  if (library_ != nullptr) ::dlclose(library_);
}

}  // namespace catena::cli
