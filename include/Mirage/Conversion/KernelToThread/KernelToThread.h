//===- KernelToThread.h - Predefined operators as kernels -------*- C++ -*-===//

#ifndef MIRAGE_CONVERSION_KERNELTOTHREAD_KERNELTOTHREAD_H
#define MIRAGE_CONVERSION_KERNELTOTHREAD_KERNELTOTHREAD_H

#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "Mirage/Semantics/Program.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace mirage {

/// Values that a kernel computes for itself: results of Constant and Iota, and
/// of Broadcast and Reshape of a Constant.
using InlineValues = llvm::DenseMap<semantics::ValueId, const semantics::Op *>;

/// The values of `program`'s kernel level that no kernel needs to write, unless
/// they are outputs or operands of a Graph.
InlineValues findInlineValues(const semantics::Program &program);

/// One kernel of an operator, and the tensors that are its arguments.
struct OperatorKernel {
  thread::KernelOp kernel;
  llvm::SmallVector<semantics::ValueId> operands;
  semantics::ValueId result;
};

/// Writes the predefined operator `op` at the builder's insertion point as
/// kernels named `name`_`number` on: one, or one for each operand of a concat.
/// Each thread computes single elements, found by strides, so any shape serves.
/// On failure the error says which operator has no lowering and why, and
/// nothing is left behind.
llvm::Expected<llvm::SmallVector<OperatorKernel>>
lowerOperatorToThread(mlir::OpBuilder &builder, mlir::Location loc,
                      llvm::StringRef name, unsigned number,
                      const semantics::Program &program,
                      const semantics::Op &op, const InlineValues &inlined);

} // namespace mirage

#endif // MIRAGE_CONVERSION_KERNELTOTHREAD_KERNELTOTHREAD_H
