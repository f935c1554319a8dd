//===- LinalgToKernel.h - From linalg to mgraph_kernel ----------*- C++ -*-===//

#ifndef MIRAGE_CONVERSION_LINALGTOKERNEL_LINALGTOKERNEL_H
#define MIRAGE_CONVERSION_LINALGTOKERNEL_LINALGTOKERNEL_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class Operation;
namespace func {
class FuncOp;
} // namespace func
} // namespace mlir

namespace mirage {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Mirage/Conversion/LinalgToKernel/Passes.h.inc"

/// The first op of `func` that is neither of the mgraph_kernel dialect nor the
/// terminator, or null when the function is raised whole. Regions of
/// mgraph_kernel ops are not entered.
mlir::Operation *findUnraisedOp(mlir::func::FuncOp func);

} // namespace mirage

#endif // MIRAGE_CONVERSION_LINALGTOKERNEL_LINALGTOKERNEL_H
