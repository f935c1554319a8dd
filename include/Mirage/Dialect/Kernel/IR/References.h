//===- References.h - Who answers for whom ----------------------*- C++ -*-===//

#ifndef MIRAGE_DIALECT_KERNEL_IR_REFERENCES_H
#define MIRAGE_DIALECT_KERNEL_IR_REFERENCES_H

#include "llvm/ADT/StringRef.h"

namespace mirage {

/// On a graph: the certificate, as text.
constexpr llvm::StringLiteral kCertificateAttribute = "mirage.certificate";
/// On a graph with a certificate, and on a function that is a candidate: the
/// function that is right by definition.
constexpr llvm::StringLiteral kReferenceAttribute = "mirage.reference";
/// On a function that is a kept original, or the reference of candidates.
constexpr llvm::StringLiteral kReferenceRoleAttribute = "mirage.original";

} // namespace mirage

#endif // MIRAGE_DIALECT_KERNEL_IR_REFERENCES_H
