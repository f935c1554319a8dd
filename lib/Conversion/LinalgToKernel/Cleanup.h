//===- Cleanup.h - Rewrites of freshly raised ops ---------------*- C++ -*-===//

#ifndef MIRAGE_CONVERSION_LINALGTOKERNEL_CLEANUP_H
#define MIRAGE_CONVERSION_LINALGTOKERNEL_CLEANUP_H

#include "mlir/IR/PatternMatch.h"

namespace mirage::raising {

/// Patterns over mgraph_kernel alone that bring what raising op by op leaves
/// into its best form: see the top of Cleanup.cpp.
void populateCleanupPatterns(mlir::RewritePatternSet &patterns);

/// Merges compute ops of `block` that are equal. Ops of other dialects stay.
void mergeEqualOps(mlir::Block &block);

} // namespace mirage::raising

#endif // MIRAGE_CONVERSION_LINALGTOKERNEL_CLEANUP_H
