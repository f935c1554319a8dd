//===- BlockLowering.h - State of one block graph's lowering ----*- C++ -*-===//
//
// Values are written on demand: `emit(v, layout)` gives tile v as a fragment in
// that layout, and a cache keeps what was written. Elementwise ops take any
// layout and pass it on to their operands, so that a chain runs in registers;
// only sources (shared-memory tiles, products) tie a value to a place, and the
// way from one layout to another is a trip through shared memory.
//
// Shared memory: [0, ringEnd) is the current loop's ring and scratch. After the
// last loop it is reused, from offset 0, for totals and conversions.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_CONVERSION_BLOCKTOTHREAD_BLOCKLOWERING_H
#define MIRAGE_CONVERSION_BLOCKTOTHREAD_BLOCKLOWERING_H

#include "Mirage/Conversion/BlockToThread/BlockToThread.h"
#include "llvm/ADT/DenseMap.h"

namespace mirage {

inline llvm::Error error(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// Element types that a thread computes with, in f32.
inline bool isRegisterFloat(semantics::DType dtype) {
  return dtype == semantics::DType::F16 || dtype == semantics::DType::BF16 ||
         dtype == semantics::DType::F32;
}

class BlockLowering {
public:
  BlockLowering(mlir::OpBuilder &builder, mlir::Location loc,
                const semantics::Program &program, const semantics::Op &graph,
                const ThreadLoweringOptions &options)
      : b(builder), loc(loc), program(program), graph(graph), options(options) {
  }

  llvm::Expected<thread::KernelOp> run(llvm::StringRef name);

private:
  using ValueId = semantics::ValueId;

  /// A tile as rows and columns: all but its last two dims have size 1.
  struct Extent {
    int64_t rows, cols;
  };
  /// A shared-memory tile that holds a value.
  struct Held {
    mlir::Value buffer;
    mlir::Value stage;
  };

  // Structure.
  llvm::Error lowerLoop(const semantics::Op &loop);
  void copyAsync(const semantics::Op &load, mlir::Value iteration,
                 mlir::Value buffer, mlir::Value stage, int64_t range);
  bool readsConstant(const semantics::Op &load) const;
  /// Without a loop: fetches all tiles of products at once.
  void fetchTiles();
  /// Puts what the body reads from outside where it can read it cheaply.
  llvm::Error hoistOperands(const semantics::Op &loop);
  /// True if each warp should have whole rows of the loop's products.
  bool wantsRowWarps(const semantics::Op &loop) const;
  /// State of accumulator `i` after this iteration; `whole` when every thread
  /// holds totals.
  llvm::Expected<mlir::Value> updateAccumulator(const semantics::Op &loop,
                                                unsigned i,
                                                mlir::Attribute layout,
                                                bool whole);
  llvm::Error lowerReduceBlocks(const semantics::Op &op);
  llvm::Error lowerStore(const semantics::Op &op, mlir::Value target);
  llvm::Error checkSupported();
  llvm::Error sharedError() const;
  bool reducesDim(const semantics::Accumulator &acc) const;
  void chooseThreads();
  void chooseSlice();

  // Values on demand.
  llvm::Expected<mlir::Value> emit(ValueId id, mlir::Attribute layout,
                                   bool sliced);
  llvm::Expected<mlir::Value> emitUncached(ValueId id, mlir::Attribute layout,
                                           bool sliced);
  /// The piece of a value that is not made of slices itself.
  llvm::Expected<mlir::Value> emitSliceOfWhole(ValueId id,
                                               mlir::Attribute layout);
  llvm::Expected<mlir::Value> emitCompute(const semantics::Op &op,
                                          mlir::Attribute layout, bool sliced);
  llvm::Expected<mlir::Value> emitReduce(const semantics::Op &op,
                                         mlir::Attribute layout, bool sliced);
  llvm::Expected<mlir::Value> emitMatmul(const semantics::Op &op,
                                         mlir::Value acc);
  /// Layout of a product's left operand that may stay in registers, or null
  /// where it has to be read from shared memory.
  mlir::Attribute leftRegisters(const semantics::Op &matmul);
  /// The value in shared memory, as mma and conversions read it.
  llvm::Expected<Held> hold(ValueId id, mlir::Type element, bool forMma);
  mlir::Value toLayout(mlir::Value fragment, mlir::Attribute layout,
                       int sliceDim);
  mlir::Value reduceThreads(mlir::Value fragment, int64_t dim, bool maximum);
  mlir::Value map(llvm::StringRef kind, thread::FragmentType type,
                  llvm::ArrayRef<mlir::Value> operands,
                  const semantics::Attrs &attrs = {});
  void barrier();

  // Layouts and types.
  Extent extent(ValueId id, bool sliced) const;
  /// The layout in which a value is cheapest to have.
  mlir::Attribute naturalLayout(ValueId id, bool sliced);
  mlir::Attribute mmaLayout(Extent e);
  mlir::Attribute linearLayout(Extent e, int64_t maxVec = 8);
  thread::FragmentType fragment(Extent e, mlir::Type element,
                                mlir::Attribute layout);
  mlir::Type elementType(semantics::DType dtype);
  thread::BufferType ringType(const semantics::TensorType &tile, int64_t stages,
                              bool forMma);
  thread::BufferType f32Buffer(Extent e);
  mlir::Value alloc(thread::BufferType type);
  mlir::Value index(int64_t value);
  bool isSliced(ValueId id) const { return sliced.count(id) != 0; }
  int64_t clusterSize() const;

  mlir::OpBuilder &b;
  mlir::Location loc;
  const semantics::Program &program;
  const semantics::Op &graph;
  const ThreadLoweringOptions &options;

  llvm::DenseMap<ValueId, mlir::Value> tensors; ///< kernel arguments
  llvm::DenseMap<ValueId, const semantics::Op *> definitions;
  llvm::DenseMap<ValueId, Held> held; ///< values that lie in shared memory
  /// Fragments already written, by value, layout and slicing.
  struct CacheEntry {
    ValueId id;
    mlir::Attribute layout;
    bool sliced;
    mlir::Value fragment;
  };
  std::vector<CacheEntry> cache;

  int64_t threads = 128;
  int64_t sharedTop = 0; ///< next free byte
  int64_t sharedMax = 0;
  mlir::Value iteration;                      ///< inside a loop
  const semantics::Op *currentLoop = nullptr; ///< inside a loop
  llvm::SmallVector<mlir::Value> states;      ///< its accumulators, before
  llvm::DenseMap<unsigned, mlir::Value> updatedStates; ///< and after
  bool waited = false;   ///< grid_dependency_wait was written
  bool rowWarps = false; ///< in this loop, warps lie along the rows
  int sliceDim = -1;     ///< dim along which reduce_blocks results are sliced
  llvm::DenseMap<ValueId, bool> sliced; ///< values that depend on reduce_blocks
};

} // namespace mirage

#endif // MIRAGE_CONVERSION_BLOCKTOTHREAD_BLOCKLOWERING_H
