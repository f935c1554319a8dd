//===- Attributes.h - The attributes named mirage.* -------------*- C++ -*-===//
//
//   mirage.constant     on a function's argument of tensor type: no kernel on
//                       the stream writes it, so it may be read early (unit)
//   mirage.certificate  on a graph: the verifier's certificate (string)
//   mirage.reference    on a graph with a certificate, and on a function that
//   is
//                       a candidate: the function that is right by definition
//                       (symbol)
//   mirage.original     on a function that is a kept original, or the reference
//                       of candidates (unit)
//
// Optional attributes that are misspelt would be ignored in silence, so the
// prefix has a dialect that checks them. It has no operations.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_DIALECT_COMMON_IR_ATTRIBUTES_H
#define MIRAGE_DIALECT_COMMON_IR_ATTRIBUTES_H

#include "mlir/IR/Dialect.h"

namespace mirage {

constexpr llvm::StringLiteral kConstantAttribute = "mirage.constant";
constexpr llvm::StringLiteral kCertificateAttribute = "mirage.certificate";
constexpr llvm::StringLiteral kReferenceAttribute = "mirage.reference";
constexpr llvm::StringLiteral kReferenceRoleAttribute = "mirage.original";

class MirageDialect : public mlir::Dialect {
public:
  explicit MirageDialect(mlir::MLIRContext *context);
  static constexpr llvm::StringLiteral getDialectNamespace() {
    return llvm::StringLiteral("mirage");
  }

  llvm::LogicalResult
  verifyOperationAttribute(mlir::Operation *op,
                           mlir::NamedAttribute attribute) override;
  llvm::LogicalResult
  verifyRegionArgAttribute(mlir::Operation *op, unsigned region,
                           unsigned argument,
                           mlir::NamedAttribute attribute) override;
  llvm::LogicalResult
  verifyRegionResultAttribute(mlir::Operation *op, unsigned region,
                              unsigned result,
                              mlir::NamedAttribute attribute) override;
};

} // namespace mirage

MLIR_DECLARE_EXPLICIT_TYPE_ID(mirage::MirageDialect)

#endif // MIRAGE_DIALECT_COMMON_IR_ATTRIBUTES_H
