//===- ReadKernel.h - One thread-level kernel as plain data -----*- C++ -*-===//

#ifndef MIRAGE_LIB_CONVERSION_THREADREADER_READKERNEL_H
#define MIRAGE_LIB_CONVERSION_THREADREADER_READKERNEL_H

#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "Mirage/Verify/ThreadForm.h"

namespace mirage {

mlir::FailureOr<verify::ThreadKernel> readKernel(thread::KernelOp kernel);

} // namespace mirage

#endif // MIRAGE_LIB_CONVERSION_THREADREADER_READKERNEL_H
