//===- ThreadExecutor.h - Runs thread-level kernels over a domain -*- C++
//-*-===//
//
// Executes a lowered function literally: every block, every thread's registers,
// every element that moves through shared memory. The blocks of a cluster go
// forward op by op, side by side; since no op's outcome may depend on the order
// of threads or blocks between barriers, and SharedMemory refuses what would,
// any order is as good.
//
// Refused, as Malformed:
//   races, and reads of copies that were not waited for
//   accesses out of bounds of a tensor, a buffer, a stage or shared memory
//   undefined values that reach an output; outputs with elements that nothing
//   writes; two different values written to one element
//   reads of what an earlier kernel may write, and writes, before
//   grid_dependency_wait; kernels that read what they write
//   blocks that end while a peer may read their shared memory
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_THREADEXECUTOR_H
#define MIRAGE_LIB_VERIFY_THREADEXECUTOR_H

#include "Mirage/Support/Interrupt.h"
#include "ThreadMemory.h"

namespace mirage::verify {

struct ThreadRun {
  TileDomain &domain;
  FailureLog &failures;
  Junk junk;
  unsigned threads = 1;
  const Cancelled *cancelled = nullptr;
};

/// The outputs, or nothing where the log has a failure.
std::vector<TileRef> executeThreads(const ThreadProgram &program,
                                    const ThreadRun &run,
                                    llvm::ArrayRef<TileRef> inputs);

/// Element operations of one run, roughly.
double workOf(const ThreadProgram &program);

} // namespace mirage::verify

#endif // MIRAGE_LIB_VERIFY_THREADEXECUTOR_H
