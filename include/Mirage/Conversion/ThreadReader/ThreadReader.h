//===- ThreadReader.h - Lowered functions as plain data ---------*- C++ -*-===//

#ifndef MIRAGE_CONVERSION_THREADREADER_THREADREADER_H
#define MIRAGE_CONVERSION_THREADREADER_THREADREADER_H

#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "Mirage/Runtime/LaunchPlan.h"
#include "Mirage/Verify/ThreadForm.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mirage {

/// The kernels that `plan` launches, found by name among `kernels`, as the
/// verifier reads them. Emits a diagnostic where plan and kernels disagree.
mlir::FailureOr<verify::ThreadProgram>
readThreadProgram(mlir::Location loc, const runtime::LaunchPlan &plan,
                  llvm::ArrayRef<thread::KernelOp> kernels);

/// Whether `func` was lowered: its body is one mgraph_kernel.launch.
bool isLowered(mlir::func::FuncOp func);

/// The same of a lowered function whose kernels are in its module.
mlir::FailureOr<verify::ThreadProgram>
readThreadProgram(mlir::func::FuncOp func);

} // namespace mirage

#endif // MIRAGE_CONVERSION_THREADREADER_THREADREADER_H
