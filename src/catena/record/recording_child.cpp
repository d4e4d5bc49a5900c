#include "catena/record/recording_child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>

namespace catena::recording {
namespace {

constexpr int silence = 120000;  // ms

rlim_t seconds_for(std::uint64_t input) { return static_cast<rlim_t>(2 + input / 10'000'000); }

template <class Resource>
void limit(Resource resource, rlim_t value) {
  rlimit limits{};
  if (::getrlimit(resource, &limits) != 0) return;
  limits.rlim_cur = limits.rlim_max == RLIM_INFINITY ? value : std::min(value, limits.rlim_max);
  // Seconds may be used up: the first limit has a signal of its own, by which it is known.
  limits.rlim_max = resource == RLIMIT_CPU ? limits.rlim_max : limits.rlim_cur;
  ::setrlimit(resource, &limits);
}

// Bytes of address space that this process has; 0: unknown.
[[maybe_unused]] rlim_t address_space() {
  const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[32] = {};
  const ssize_t size = ::read(file, text, sizeof text - 1);
  ::close(file);
  rlim_t pages = 0;
  for (ssize_t k = 0; k < size && text[k] >= '0' && text[k] <= '9'; ++k)
    pages = 10 * pages + static_cast<rlim_t>(text[k] - '0');
  return pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
}

// Only calls that are safe after a fork.
void confine(std::uint64_t input) {
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (const int signal :
       {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU, SIGPIPE, SIGALRM, SIGINT, SIGTERM, SIGHUP})
    ::sigaction(signal, &standard, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  // What a crashing library has to say is not for the user's screen.
  if (const int nothing = ::open("/dev/null", O_RDWR); nothing >= 0) {
    for (const int standard_file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, standard_file);
  }
  limit(RLIMIT_CPU, seconds_for(input));
  limit(RLIMIT_CORE, 0);
#ifndef CATENA_EIGHTS_ANYWHERE  // sanitizers, defined with them, take address space and read files of their own
  if (const rlim_t now = address_space(); now > 0) limit(RLIMIT_AS, now + (rlim_t(256) << 20) + 2 * input);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_NOFILE, 0);  // opens nothing any more; what is open stays usable
#endif
}

}  // namespace

void Sender::bytes(const void* data, std::size_t size) const {
  const char* next = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t n = ::write(pipe_, next, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) ::_exit(1);
    next += n, size -= static_cast<std::size_t>(n);
  }
}

Child::Child(std::uint64_t input, const std::function<void(const Sender&)>& work) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category());
  pipe_ = Descriptor(ends[0]);
  const Descriptor there(ends[1]);
#ifdef F_SETPIPE_SZ
  ::fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);  // fewer turns; no matter if it is refused
#endif
  id_ = ::fork();
  if (id_ < 0) throw std::system_error(errno, std::generic_category());
  if (id_ == 0) {
    // The pipe must not be one of the three standard files.
    const int pipe = there.number() > STDERR_FILENO ? there.number() : ::fcntl(there.number(), F_DUPFD, 3);
    ::close(ends[0]);
    confine(input);
    work(Sender(pipe));
    ::_exit(0);  // nothing of the parent's is flushed or closed
  }
}

Child::~Child() {
  if (id_ < 0) return;
  ::kill(id_, SIGKILL);
  while (::waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool Child::read(void* data, std::size_t size) {
  char* next = static_cast<char*>(data);
  while (size > 0) {
    pollfd wanted{pipe_.number(), POLLIN, 0};
    const int ready = ::poll(&wanted, 1, silence);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) silent_ = true;
    if (ready <= 0) return false;
    const ssize_t n = ::read(pipe_.number(), next, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    next += n, size -= static_cast<std::size_t>(n);
  }
  return true;
}

std::string Child::fate() {
  if (silent_) return "reading it did not come to an end";
  int status = 0;
  pid_t waited = 0;
  while ((waited = ::waitpid(id_, &status, 0)) < 0 && errno == EINTR) {
  }
  id_ = -1;
  if (waited < 0) return "";  // the program does not want to hear of its children's ends
  if (WIFEXITED(status)) return WEXITSTATUS(status) == 0 ? "" : "the HDF5 library gave up on it";
  const int signal = WTERMSIG(status);
  if (signal == SIGXCPU) return "the HDF5 library does not come to an end with it";
  if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGKILL)
    return "reading it was interrupted";
  return fmt::format("the HDF5 library crashes on it (signal {})", signal);
}

}  // namespace catena::recording
