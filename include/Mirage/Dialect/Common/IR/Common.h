//===- Common.h - What the dialects of tensor programs share ----*- C++ -*-===//
//
// Types, enumerations and attributes of the IR in the terms of the table of
// meanings (Mirage/Semantics), and the one verifier and type rule of every
// compute op, which ask that table.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_DIALECT_COMMON_IR_COMMON_H
#define MIRAGE_DIALECT_COMMON_IR_COMMON_H

#include "Mirage/Dialect/Common/IR/Attributes.h"
#include "Mirage/Semantics/Program.h"
#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"

#include "Mirage/Dialect/Common/IR/Enums.h.inc"

namespace mirage {

/// Enumerations of the IR as those of the table, and back. The numbering is the
/// same (checked in Common.cpp).
semantics::ReduceKind toSemantics(ReduceKind kind);
semantics::Predicate toSemantics(Predicate predicate);
semantics::ConstantValue::Kind toSemantics(ConstantKind kind);
semantics::AccumulatorKind toSemantics(AccumulatorKind kind);
ReduceKind fromSemantics(semantics::ReduceKind kind);
Predicate fromSemantics(semantics::Predicate predicate);
ConstantKind fromSemantics(semantics::ConstantValue::Kind kind);
AccumulatorKind fromSemantics(semantics::AccumulatorKind kind);

/// The element type, or nothing when the table has none like it.
std::optional<semantics::DType> toSemanticsDType(mlir::Type type);
mlir::Type fromSemantics(mlir::MLIRContext *context, semantics::DType dtype);

/// A tensor or tile type in the table's terms, or nothing when it has a dynamic
/// shape, an encoding or an element type that the table does not know.
std::optional<semantics::TensorType> toSemanticsType(mlir::Type type);

/// The tensor type that holds `type` at kernel level.
mlir::RankedTensorType tensorFromSemantics(mlir::MLIRContext *context,
                                           const semantics::TensorType &type);

/// Whether a value of `type` may stand in a tensor program.
bool isProgramTensor(mlir::Type type);

/// `custom<Number>`: a double, in the fewest digits that read back exactly.
mlir::ParseResult parseNumber(mlir::OpAsmParser &parser,
                              mlir::FloatAttr &number);
void printNumber(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                 mlir::FloatAttr number);

/// `custom<ConstantValue>`: `1.0e-6`, `inv_extent 4096` or `neg_inf`.
mlir::ParseResult parseConstantValue(mlir::OpAsmParser &parser,
                                     ConstantKindAttr &kind,
                                     mlir::FloatAttr &literal,
                                     mlir::IntegerAttr &extent);
void printConstantValue(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                        ConstantKindAttr kind, mlir::FloatAttr literal,
                        mlir::IntegerAttr extent);

namespace detail {

/// Verifies a MirageComputeOpInterface op by the table's type rule.
llvm::LogicalResult verifyComputeOp(mlir::Operation *op);

/// Type of the only result of a compute op on `operands`.
llvm::LogicalResult
inferComputeResult(semantics::OpKind kind, semantics::Level level,
                   const semantics::Attrs &attrs, mlir::TypeRange operands,
                   std::optional<mlir::Location> location,
                   llvm::SmallVectorImpl<mlir::Type> &inferred);

} // namespace detail
} // namespace mirage

#include "Mirage/Dialect/Common/IR/Interfaces.h.inc"

#endif // MIRAGE_DIALECT_COMMON_IR_COMMON_H
