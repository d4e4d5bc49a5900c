// One call of the library, many times: what tools/check_instructions runs under valgrind, which counts the instructions
// inside hot_call(). Usage: hot_calls CALL ROBOT   prints how many calls that was
//                           hot_calls --build      prints compiler and instruction set, on which the counts depend
#include <fmt/format.h>

#include "catena/read/robot.hpp"
#include "cli/backends.hpp"

namespace {

using namespace catena;

constexpr int states = 8, repeats = 4;

const char* instruction_set() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")) return "x86-64-v4";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "x86-64-v3";
  return "x86-64";
#else
  return "other";
#endif
}

std::string compiler() {
  const std::string text = CATENA_COMPILER;  // "GNU 12.2.0"
  return text.substr(0, text.find(' ')) + "-" + text.substr(text.find(' ') + 1, text.find('.') - text.find(' ') - 1);
}

}  // namespace

// Counting begins and ends here.
extern "C" __attribute__((noinline)) void hot_call(const cli::Backend& backend) {
  for (int k = 0; k < repeats; ++k) backend.work();
}

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 1 && words[0] == "--build") return fmt::print("{}/{}\n", compiler(), instruction_set()), 0;
  if (words.size() != 2) return fmt::print(stderr, "usage: hot_calls CALL ROBOT | --build\n"), 2;
  const bool compiled = words[0].starts_with("compiled_");
  const Function function = function_from_name(compiled ? words[0].substr(9) : words[0]);
  const Model model = read::load(words[1]);
  const cli::States in(model, states);
  const std::unique_ptr<CompiledFunction> code =
      compiled ? std::make_unique<CompiledFunction>(model, function) : nullptr;
  const std::vector<cli::Backend> backends = cli::catena_backends(model, function, in, code.get());
  const cli::Backend& backend = backends.at(compiled ? 1 : 0);
  backend.work();  // what happens once, such as finding the sine in its library
  hot_call(backend);
  fmt::print("{}\n", states * repeats);
}
