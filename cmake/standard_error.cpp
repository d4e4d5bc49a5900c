// For libcatena.so and the Python module. Debian's AsmJit is a static library made for programs: its one message to stderr
// takes the variable where only a program has it. The linker sends that to a variable of our own (--wrap=stderr); all else
// of it fits.
#include <cstdio>

extern "C" {
extern std::FILE* __real_stderr;  // NOLINT: the linker's names
[[gnu::visibility("hidden")]] extern std::FILE* __wrap_stderr;
std::FILE* __wrap_stderr = __real_stderr;
}
