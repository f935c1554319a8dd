//===- Structured.h - Raising of structured linalg ops ----------*- C++ -*-===//

#ifndef MIRAGE_CONVERSION_LINALGTOKERNEL_STRUCTURED_H
#define MIRAGE_CONVERSION_LINALGTOKERNEL_STRUCTURED_H

#include "Raiser.h"
#include "ScalarBody.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mirage::raising {

/// A structured op that was read: what each live result is, per element.
struct Structured {
  mlir::linalg::LinalgOp op;
  ScalarBody body;
  /// Sizes of the loops.
  llvm::SmallVector<int64_t> domain;
  llvm::SmallVector<int64_t> reductionDims;
  /// The node that each result yields; nothing for a result without users.
  llvm::SmallVector<std::optional<NodeId>> roots;
};

/// Reads loops, maps and region of `op`, or refuses.
FailureOr<Structured> readStructured(Raiser &raiser, mlir::linalg::LinalgOp op);

/// Reads the region of `structured.op` into its body and roots, or refuses.
LogicalResult readBody(Raiser &raiser, Structured &structured);

/// The values of an op without reduction loops, one for each live result.
FailureOr<Values> raiseElementwise(Raiser &raiser,
                                   const Structured &structured);

/// The values of an op that reduces what its body computes by sum or maximum.
FailureOr<Values> raiseReduction(Raiser &raiser, const Structured &structured);

/// Whether the op sums a product of two inputs over loops, and is so a matmul.
bool isContraction(const Structured &structured);

/// The value of a contraction.
FailureOr<Values> raiseContraction(Raiser &raiser,
                                   const Structured &structured);

/// `value` combined with the initial tensor of output `number` by `kind`, which
/// has the neutral element `neutral`; `value` alone if the tensor is neutral.
Value combineWithInit(Raiser &raiser, const Structured &structured,
                      semantics::OpKind kind, double neutral, Value value,
                      unsigned number);

/// Whether `value` is filled with plus infinity, where a minimum starts.
bool isPlusInfinity(Value value);

/// Refuses an initial tensor that combineWithInit cannot take.
LogicalResult checkInit(Raiser &raiser, const Structured &structured,
                        unsigned number);

/// Value of `root` over the loops of `structured`: rank is the number of loops,
/// a dim that it does not depend on has size 1. `dtype` is the element type
/// that an integer is to have. Cannot fail once read.
Value emitNode(Raiser &raiser, const Structured &structured, NodeId root,
               semantics::DType dtype);

/// Gives `value`, over the loops, the shape of output `number`: broadcast to
/// the loops that are not reduced, and permuted by the output's map.
Value placeOutput(Raiser &raiser, const Structured &structured, Value value,
                  unsigned number);

/// Input `number` over the loops: dims in loop order, size 1 where its map has
/// none.
Value alignInput(Raiser &raiser, const Structured &structured, unsigned number);

/// Refuses a map whose results are not distinct loops, or 0 in a dim of size 1.
LogicalResult checkMap(Raiser &raiser, mlir::AffineMap map,
                       llvm::ArrayRef<int64_t> shape);

} // namespace mirage::raising

#endif // MIRAGE_CONVERSION_LINALGTOKERNEL_STRUCTURED_H
