//===- ThreadDiagram.h - What is drawn of a kernel's threads ----*- C++ -*-===//

#ifndef MIRAGE_DRAWING_THREADDIAGRAM_H
#define MIRAGE_DRAWING_THREADDIAGRAM_H

#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "Mirage/Drawing/Diagram.h"

namespace mirage::drawing {

/// The thread level of one kernel. Arrows are values and buffers; dotted ones
/// say that copies, waits and barriers follow each other. Counters are left
/// out.
Diagram drawKernel(thread::KernelOp kernel);

/// A tile or ring of tiles at a fixed place in a block's shared memory.
struct SharedBuffer {
  std::string name; ///< "%0"
  int64_t offset = 0, bytes = 0;
  std::string shape;                  ///< "5 stages of 16 x 256 f16"
  unsigned firstUse = 0, lastUse = 0; ///< positions among the kernel's ops
};

/// The shared memory of a kernel, in the order of allocation.
std::vector<SharedBuffer> findSharedBuffers(thread::KernelOp kernel);

} // namespace mirage::drawing

#endif // MIRAGE_DRAWING_THREADDIAGRAM_H
