//===- BlockToThread.h - Block graphs as thread-level kernels ---*- C++ -*-===//

#ifndef MIRAGE_CONVERSION_BLOCKTOTHREAD_BLOCKTOTHREAD_H
#define MIRAGE_CONVERSION_BLOCKTOTHREAD_BLOCKTOTHREAD_H

#include "Mirage/Cost/Target.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "Mirage/Semantics/Program.h"
#include "mlir/IR/Builders.h"

namespace mirage {

/// What the lowering may use, and what the caller knows of the arguments.
struct ThreadLoweringOptions {
  explicit ThreadLoweringOptions(const cost::Target &target)
      : maxCluster(target.maxCluster), hasWgmma(target.hasWgmma()),
        sharedLimit(target.sharedPerBlock) {}

  int64_t maxCluster;  ///< blocks of a cluster, 1 without clusters
  bool hasWgmma;       ///< products by groups of four warps
  int64_t sharedLimit; ///< bytes of shared memory a block may use
  /// Positions of the graph's operands that no earlier kernel writes.
  llvm::SmallVector<int64_t> constantInputs;
};

/// Writes the graph-defined kernel `graph` of `program` at the builder's
/// insertion point, as an `mgraph_thread.kernel` named `name`. Its arguments
/// are the graph's operands, then its results. On failure, the error says which
/// part of the block graph has no lowering, and nothing is left behind.
///
/// The kernel: loads inside a loop fill a ring of shared-memory stages by
/// asynchronous copies; products accumulate in registers over the whole loop;
/// after the loop totals pass through shared memory (and, for reduce_blocks,
/// through that of the cluster's other blocks), elementwise code runs on linear
/// fragments, and stores write whole vectors.
llvm::Expected<thread::KernelOp>
lowerGraphToThread(mlir::OpBuilder &builder, mlir::Location loc,
                   llvm::StringRef name, const semantics::Program &program,
                   const semantics::Op &graph,
                   const ThreadLoweringOptions &options);

} // namespace mirage

#endif // MIRAGE_CONVERSION_BLOCKTOTHREAD_BLOCKTOTHREAD_H
