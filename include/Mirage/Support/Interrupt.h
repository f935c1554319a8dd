//===- Interrupt.h - Ctrl-C as a cancellation token -------------*- C++ -*-===//

#ifndef MIRAGE_SUPPORT_INTERRUPT_H
#define MIRAGE_SUPPORT_INTERRUPT_H

#include <atomic>

namespace mirage {

/// True once the process was interrupted. Signals belong to the process, so this
/// is the one flag that is global; it stays false unless a tool has called
/// `installInterruptHandler`.
const std::atomic<bool> &interruptFlag();

/// Makes the first SIGINT set the flag, so that long work returns the best found
/// so far. A second one ends the process as usual.
void installInterruptHandler();

} // namespace mirage

#endif // MIRAGE_SUPPORT_INTERRUPT_H
