//===- Shapes.h - Raising of ops that move elements -------------*- C++ -*-===//

#ifndef MIRAGE_CONVERSION_LINALGTOKERNEL_SHAPES_H
#define MIRAGE_CONVERSION_LINALGTOKERNEL_SHAPES_H

#include "Raiser.h"

namespace mirage::raising {

/// The value of an op of the tensor dialect that moves elements, or a refusal
/// if `op` is none.
FailureOr<Values> raiseShapeOp(Raiser &raiser, Operation *op);

} // namespace mirage::raising

#endif // MIRAGE_CONVERSION_LINALGTOKERNEL_SHAPES_H
