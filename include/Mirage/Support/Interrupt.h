//===- Interrupt.h - Ctrl-C as a cancellation token -------------*- C++ -*-===//

#ifndef MIRAGE_SUPPORT_INTERRUPT_H
#define MIRAGE_SUPPORT_INTERRUPT_H

#include <atomic>
#include <functional>

namespace mirage {

/// Says that work should end early. Asked often, by several threads.
using Cancelled = std::function<bool()>;

/// True once an InterruptScope saw SIGINT. Signals belong to the process, so
/// this is the one flag that is global.
const std::atomic<bool> &interruptFlag();

/// Lets scopes take SIGINT. A tool calls it in main; without it, as in a
/// library that somebody else's process loads, a scope does nothing.
void allowInterruptScopes();

/// While one lives, the first SIGINT sets the flag and writes a line to stderr
/// instead of ending the process, so that long work can return the best found
/// so far; a second one, two seconds later or more, ends it as before. It goes
/// around the work and not around the process: LLVM's own handler, installed
/// when the output file is opened, would delete that file.
class InterruptScope {
public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope &) = delete;
  InterruptScope &operator=(const InterruptScope &) = delete;

private:
  bool installed = false;
};

} // namespace mirage

#endif // MIRAGE_SUPPORT_INTERRUPT_H
