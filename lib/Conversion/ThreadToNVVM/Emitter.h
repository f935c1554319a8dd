//===- Emitter.h - Thread-level ops as LLVM and NVVM ops --------*- C++ -*-===//
//
// A fragment becomes one SSA value for each register of a thread; control flow
// becomes blocks. One Emitter writes one kernel.
//
// Within a thread, element (row, col) of a fragment's tile has
// row = row0 + rowOffsets[r], col = col0 + colOffsets[c] (see Distribution),
// and lies in register r * numCols + c.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_CONVERSION_THREADTONVVM_EMITTER_H
#define MIRAGE_CONVERSION_THREADTONVVM_EMITTER_H

#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/DenseMap.h"

namespace mirage::thread {

/// Name of the module-level symbol that stands for dynamic shared memory.
constexpr llvm::StringLiteral kSharedMemorySymbol = "mirage_shared";

/// Scalar code, with folding left to LLVM.
struct ScalarBuilder {
  mlir::OpBuilder &b;
  mlir::Location loc;

  mlir::Type i1() { return b.getI1Type(); }
  mlir::Type i32() { return b.getI32Type(); }
  mlir::Type i64() { return b.getI64Type(); }
  mlir::Type f32() { return b.getF32Type(); }
  mlir::Type ptr(unsigned space);

  mlir::Value c32(int64_t value);
  mlir::Value c64(int64_t value);
  mlir::Value cf32(double value);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value add(mlir::Value x, int64_t y);
  mlir::Value mul(mlir::Value x, int64_t y);
  mlir::Value udiv(mlir::Value x, int64_t y);
  mlir::Value urem(mlir::Value x, int64_t y);
  mlir::Value bitXor(mlir::Value x, mlir::Value y);
  mlir::Value select(mlir::Value c, mlir::Value x, mlir::Value y);
  mlir::Value ult(mlir::Value x, int64_t bound);
  mlir::Value eq(mlir::Value x, int64_t y);
  mlir::Value andi(mlir::Value x, mlir::Value y);
  mlir::Value zext64(mlir::Value x);
  mlir::Value fadd(mlir::Value x, mlir::Value y);
  mlir::Value fsub(mlir::Value x, mlir::Value y);
  mlir::Value fmul(mlir::Value x, mlir::Value y);
  mlir::Value fdiv(mlir::Value x, mlir::Value y);
  mlir::Value fmax(mlir::Value x, mlir::Value y);
  mlir::Value fmin(mlir::Value x, mlir::Value y);
  mlir::Value toF32(mlir::Value x);
  mlir::Value fromF32(mlir::Value x, mlir::Type type);
  mlir::Value intrinsic(llvm::StringRef name, mlir::Type type,
                        mlir::ValueRange args);
  /// `base` + `bytes`, in base's address space.
  mlir::Value gep(mlir::Value base, mlir::Value bytes);
  mlir::Value load(mlir::Type type, mlir::Value pointer, unsigned alignment);
  void store(mlir::Value value, mlir::Value pointer, unsigned alignment);
  /// `count` neighbours of type `type`, in one access aligned to its size.
  llvm::SmallVector<mlir::Value> loadVector(mlir::Type type, int64_t count,
                                            mlir::Value pointer);
  /// The same the other way: f32 values, rounded to `type`.
  void storeVector(llvm::ArrayRef<mlir::Value> values, mlir::Type type,
                   mlir::Value pointer);
};

class Emitter {
public:
  Emitter(mlir::OpBuilder &builder, KernelOp kernel, bool hasGridDependency,
          bool hasWgmma)
      : b(builder), kernel(kernel), hasGridDependency(hasGridDependency),
        hasWgmma(hasWgmma) {}

  /// Writes the function at the builder's insertion point.
  mlir::FailureOr<mlir::LLVM::LLVMFuncOp> run();

private:
  using Registers = llvm::SmallVector<mlir::Value>;

  // Structure.
  mlir::LogicalResult emitBlock(mlir::Block &block);
  mlir::LogicalResult emitOp(mlir::Operation *op);
  mlir::LogicalResult emitFor(ForOp op);
  void emitIf(mlir::Value condition, llvm::function_ref<void()> body);
  ScalarBuilder at(mlir::Location loc) { return ScalarBuilder{b, loc}; }

  // Memory.
  void emitCopyAsync(CopyAsyncOp op);
  void emitLoad(LoadOp op);
  void emitLoadCluster(LoadClusterOp op);
  void emitStore(StoreOp op);
  void emitLoadGlobal(LoadGlobalOp op);
  void emitStoreGlobal(StoreGlobalOp op);
  void emitLoadIndexed(LoadIndexedOp op);
  void emitIotaIndexed(IotaIndexedOp op);
  void emitReduceIndexed(ReduceIndexedOp op);
  void emitStoreIndexed(StoreIndexedOp op);

  // Arithmetic.
  void emitMma(MmaOp op);
  void emitMmaRegister(MmaRegisterOp op);
  struct Product {
    mlir::Value acc, lhs, lhsStage; ///< lhsStage: of a buffer, else null
    mlir::Value rhs, rhsStage;
    bool transposeRhs;
    int64_t depth;
  };
  /// Registers of `acc + lhs * rhs`. `left` gives the four registers of the
  /// warp's 16 x 16 piece of lhs in this 16-row piece, from column k on.
  Registers emitProduct(const Product &product, mlir::Location loc,
                        llvm::function_ref<Registers(int64_t, int64_t)> left);
  /// The same of f32, each operand as a sum of two tf32. `left` gives the four
  /// elements of a 16 x 8 piece: rows g and g + 8 of column 2t, then of 2t + 1,
  /// in lane 4g + t.
  Registers
  emitSplitProduct(const Product &product, mlir::Location loc,
                   llvm::function_ref<Registers(int64_t, int64_t)> left);
  /// An f32 as the sum of two tf32, the larger one first.
  std::pair<mlir::Value, mlir::Value> splitTf32(mlir::Value value,
                                                mlir::Location loc);
  /// True if the target's warp groups can take the product as it lies.
  bool fitsWgmma(const Product &product) const;
  /// The same by warp groups; `left` are the packed registers of lhs, four for
  /// each 16 columns, or none where it lies in a buffer.
  Registers emitWgmma(const Product &product, mlir::Location loc,
                      llvm::ArrayRef<mlir::Value> left);
  mlir::Value wgmmaDescriptor(BufferType buffer, mlir::Value base,
                              mlir::Value offset, mlir::Location loc);
  static Product productOf(MmaOp op);
  static Product productOf(MmaRegisterOp op);
  Registers ldmatrix(mlir::Value pointer, unsigned count, bool trans, bool bf16,
                     mlir::Location loc);
  mlir::LogicalResult emitMap(MapOp op);
  void emitCombine(CombineOp op);
  void emitReduceThreads(ReduceThreadsOp op);
  void emitIota(IotaOp op);

  // Helpers.
  /// A fragment seen through its registers.
  struct View {
    Distribution d;
    int64_t rows, cols; ///< registers along each dim
    bool rowBroadcast, colBroadcast;
    mlir::Value row0, col0;
    int64_t rowOffset(int64_t r) const {
      return rowBroadcast ? 0 : d.rowOffsets[r];
    }
    int64_t colOffset(int64_t c) const {
      return colBroadcast ? 0 : d.colOffsets[c];
    }
  };
  View view(FragmentType type, mlir::Location loc);
  /// First row and column of the current thread.
  std::pair<mlir::Value, mlir::Value> origin(mlir::Attribute layout,
                                             mlir::Location loc);
  /// True where the element lies in the tile, or null where it always does.
  mlir::Value inTile(const View &v, int64_t r, int64_t c, mlir::Location loc);

  mlir::Value bufferBase(mlir::Value buffer, mlir::Value stage,
                         mlir::Location loc);
  /// Byte offset of (row, col) within a tile of `type`.
  mlir::Value bufferOffset(BufferType type, mlir::Value row, mlir::Value col,
                           mlir::Location loc);
  /// Elements from the tensor's start to the tile's, as i64.
  mlir::Value tileStart(mlir::RankedTensorType tensor,
                        llvm::ArrayRef<int64_t> imap, int64_t fmap,
                        bool interleaved, int64_t range, mlir::Value iteration,
                        llvm::ArrayRef<int64_t> tileShape, mlir::Location loc);
  /// Index in the space of a block's register c, for indexed access.
  mlir::Value spaceIndex(const View &v, int64_t c, mlir::Location loc);
  llvm::SmallVector<mlir::Value>
  delinearize(mlir::Value n, llvm::ArrayRef<int64_t> space, mlir::Location loc);
  /// offset + sum of index * stride, as i64.
  mlir::Value dotStrides(llvm::ArrayRef<mlir::Value> index,
                         llvm::ArrayRef<int64_t> strides, int64_t offset,
                         mlir::Location loc);
  /// The carried value after `for (i = start; i < end; i += step)`.
  mlir::Value
  emitLoop(mlir::Value start, int64_t step, int64_t end, mlir::Value init,
           llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> body);
  mlir::Value blockIndex(unsigned axis, mlir::Location loc);
  mlir::Value clusterRank(mlir::Location loc);
  int64_t clusterSize();
  /// rank * (size / cluster), where a slice of a dim of `size` begins.
  mlir::Value sliceStart(int64_t size, mlir::Location loc);
  mlir::Value threadId(mlir::Location loc);

  mlir::OpBuilder &b;
  KernelOp kernel;
  bool hasGridDependency;
  bool hasWgmma;
  /// Some product reads shared memory through the asynchronous proxy.
  bool usesWgmma = false;
  llvm::DenseMap<mlir::Value, Registers> registers; ///< fragments
  llvm::DenseMap<mlir::Value, mlir::Value> scalars; ///< i32s, tensors' pointers
  llvm::DenseMap<mlir::Value, int64_t> offsets;     ///< buffers
  mlir::Value sharedBase;
};

} // namespace mirage::thread

#endif // MIRAGE_CONVERSION_THREADTONVVM_EMITTER_H
