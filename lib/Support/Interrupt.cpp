//===- Interrupt.cpp - Ctrl-C as a cancellation token ---------------------===//

#include "Mirage/Support/Interrupt.h"
#include <csignal>

namespace {
std::atomic<bool> flag{false};
static_assert(std::atomic<bool>::is_always_lock_free,
              "a signal handler may touch lock-free atomics only");

void handle(int signal) {
  flag.store(true);
  std::signal(signal, SIG_DFL);
}
} // namespace

const std::atomic<bool> &mirage::interruptFlag() { return flag; }

void mirage::installInterruptHandler() { std::signal(SIGINT, handle); }
