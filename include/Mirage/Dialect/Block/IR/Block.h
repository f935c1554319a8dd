//===- Block.h - The mgraph_block dialect -----------------------*- C++ -*-===//

#ifndef MIRAGE_DIALECT_BLOCK_IR_BLOCK_H
#define MIRAGE_DIALECT_BLOCK_IR_BLOCK_H

#include "Mirage/Dialect/Common/IR/Common.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "Mirage/Dialect/Block/IR/BlockDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "Mirage/Dialect/Block/IR/BlockTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "Mirage/Dialect/Block/IR/BlockAttrs.h.inc"

#define GET_OP_CLASSES
#include "Mirage/Dialect/Block/IR/BlockOps.h.inc"

namespace mirage::block {

/// The tile type that holds `type`.
TileType tileFromSemantics(mlir::MLIRContext *context,
                           const semantics::TensorType &type);

/// The three entries of an imap, omap or grid. The verifier has seen that there
/// are three.
semantics::GridMap toGridMap(llvm::ArrayRef<int64_t> map);

/// What an accumulator of `value` totals to: the value's shape, 1 in `dim`,
/// f32.
TileType accumulatorTotal(TileType value, int64_t dim);

} // namespace mirage::block

#endif // MIRAGE_DIALECT_BLOCK_IR_BLOCK_H
