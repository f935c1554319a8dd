//===- Thread.h - The thread-level dialect ----------------------*- C++ -*-===//

#ifndef MIRAGE_DIALECT_THREAD_IR_THREAD_H
#define MIRAGE_DIALECT_THREAD_IR_THREAD_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "Mirage/Dialect/Thread/IR/ThreadDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "Mirage/Dialect/Thread/IR/ThreadAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "Mirage/Dialect/Thread/IR/ThreadTypes.h.inc"
#define GET_OP_CLASSES
#include "Mirage/Dialect/Thread/IR/ThreadOps.h.inc"

namespace mirage::thread {

/// Where the elements of a tile lie, for either layout. A thread holds the
/// elements (row0 + r, col0 + c) for r in `rowOffsets` and c in `colOffsets`,
/// row-major in that order, where (row0, col0) depend on the thread only.
/// Layouts are separable in this sense, which makes broadcasts along a dim a
/// matter of register indices.
///
///   linear<4 x 16, vec = 4, threads = 32>: 4 threads a row, 8 rows a pass
///     rowOffsets {0}, colOffsets {0, 1, 2, 3}; thread 5 starts at (1, 4);
///     threads 16 to 31 hold padding.
///   mma<16 x 16, warps = 1 x 2>: each warp one 16 x 8 piece
///     rowOffsets {0, 8}, colOffsets {0, 1}; thread 37 starts at (1, 10).
struct Distribution {
  int64_t rows, cols;
  llvm::SmallVector<int64_t> rowOffsets, colOffsets;
  bool rowPadding = false; ///< some (thread, register) has row >= rows
  bool colPadding = false; ///< some has col >= cols

  // Linear: thread t starts at (t / threadsPerRow, t % threadsPerRow * vec).
  bool isMma = false;
  int64_t vec = 1, threadsPerRow = 1, threads = 0;
  // Mma: warps along M and N, and each one's piece.
  int64_t warpsM = 1, warpsN = 1, warpRows = 0, warpCols = 0;

  static Distribution get(mlir::Attribute layout);
};

/// Most elements of a layout in one thread: a bound on what Distribution lists,
/// far above what any kernel can hold.
constexpr int64_t kMaxLayoutElements = int64_t(1) << 20;

/// Most elements of a fragment in one thread of a kernel: as many as there are
/// registers.
constexpr int64_t kMaxFragmentRegisters = 256;

/// Threads that a layout distributes a tile over.
int64_t layoutThreads(mlir::Attribute layout);

/// What PTX admits in a kernel's name; LLVM ends the process on anything else.
bool isKernelNameCharacter(char c);

/// Registers that a thread needs for a fragment of this type.
int64_t numRegisters(FragmentType type);

/// The linear layout for a tile: vectors as wide as `maxVec` allows while all
/// threads have work.
LinearLayoutAttr chooseLinearLayout(mlir::MLIRContext *context, int64_t rows,
                                    int64_t cols, int64_t threads,
                                    int64_t maxVec);

} // namespace mirage::thread

#endif // MIRAGE_DIALECT_THREAD_IR_THREAD_H
