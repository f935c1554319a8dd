//===- Interrupt.cpp - Ctrl-C as a cancellation token ---------------------===//

#include "Mirage/Support/Interrupt.h"
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <unistd.h>

namespace {
std::atomic<bool> flag{false};
std::atomic<bool> allowed{false};
struct sigaction previous;
static_assert(std::atomic<bool>::is_always_lock_free,
              "a signal handler may touch lock-free atomics only");

/// Seconds since some start; clock_gettime may be called in a handler.
int64_t now() {
  timespec time = {};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec;
}
std::atomic<int64_t> first{0};

// `timeout -s INT` and terminals signal a process and its group at once, so a
// second signal within two seconds is the same request.
void handle(int signal) {
  if (!flag.exchange(true)) {
    first.store(now());
    // So that nobody takes the program for deaf; write may be called here, and
    // what it cannot write is no loss.
    static constexpr char kText[] =
        "interrupted: ending with the best found so far; interrupt again, two "
        "seconds from now, to end at once\n";
    int before = errno;
    [[maybe_unused]] ssize_t written =
        write(STDERR_FILENO, kText, sizeof(kText) - 1);
    errno = before;
    return;
  }
  if (now() - first.load() < 2)
    return;
  sigaction(signal, &previous, nullptr);
  raise(signal);
}
} // namespace

const std::atomic<bool> &mirage::interruptFlag() { return flag; }

void mirage::allowInterruptScopes() { allowed.store(true); }

mirage::InterruptScope::InterruptScope() {
  if (!allowed.load())
    return;
  struct sigaction action = {};
  action.sa_handler = handle;
  sigemptyset(&action.sa_mask);
  installed = sigaction(SIGINT, &action, &previous) == 0;
}

mirage::InterruptScope::~InterruptScope() {
  if (installed)
    sigaction(SIGINT, &previous, nullptr);
}
