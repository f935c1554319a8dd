//===- ThreadForm.h - Thread-level kernels as plain data --------*- C++ -*-===//
//
// What the thread-level dialect says, without MLIR: the form in which the
// verifier reads lowered kernels. Names and meanings are those of
// mgraph_thread's ops; lib/Conversion/ThreadReader makes it from them.
//
// A ThreadProgram is one lowered function: kernels in the order of their
// launch, over tensors in device memory. Tensors are numbered: the inputs, the
// outputs, then the scratch.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_VERIFY_THREADFORM_H
#define MIRAGE_VERIFY_THREADFORM_H

#include "Mirage/Semantics/Program.h"

namespace mirage::verify {

/// Where the elements of a tile lie in the threads' registers. `linear` and
/// `mma` of the dialect.
struct ThreadLayout {
  bool isMma = false;
  int64_t rows = 1, cols = 1;
  int64_t vec = 1, threads = 32;  ///< linear
  int64_t warpsM = 1, warpsN = 1; ///< mma

  bool operator==(const ThreadLayout &o) const {
    return isMma == o.isMma && rows == o.rows && cols == o.cols &&
           vec == o.vec && threads == o.threads && warpsM == o.warpsM &&
           warpsN == o.warpsN;
  }
};

struct FragmentShape {
  int64_t rows = 1, cols = 1; ///< the layout's, or 1
  semantics::DType dtype = semantics::DType::F32;
  ThreadLayout layout;
};

/// A ring of tiles in shared memory.
struct ThreadBuffer {
  int64_t offset = 0; ///< in bytes
  int64_t stages = 1, rows = 1, cols = 1, rowBytes = 0;
  semantics::DType dtype = semantics::DType::F32;
  bool swizzle = false;
};

enum class ThreadOpKind : uint8_t {
  For,
  Index,
  Advance,
  CopyAsync,
  Commit,
  Wait,
  Barrier,
  ClusterBarrier,
  GridDependencyWait,
  GridLaunchDependents,
  Splat,
  Iota,
  Mma,
  MmaRegister,
  Relayout,
  Load,
  LoadCluster,
  Store,
  LoadGlobal,
  StoreGlobal,
  Map,
  Combine,
  ReduceThreads,
  LoadIndexed,
  IotaIndexed,
  ReduceIndexed,
  StoreIndexed,
};

/// One op. Values (fragments and i32s) and buffers have ids in the kernel;
/// tensors are positions of the kernel's arguments. A field that a kind does
/// not read keeps its default.
struct ThreadOp {
  ThreadOpKind kind;
  std::string name;            ///< as the dialect spells it, for diagnostics
  std::vector<int> operands;   ///< values; for For: the initial ones
  std::vector<int> results;    ///< values
  std::vector<int> tensors;    ///< the sources, or the target
  int indices = -1;            ///< LoadIndexed: tensor of indices
  int buffer = -1, stage = -1; ///< the first buffer, and its stage's value
  int right = -1, rightStage = -1;       ///< Mma, MmaRegister: the rhs
  int iteration = -1;                    ///< CopyAsync, LoadGlobal
  semantics::GridMap map = {-1, -1, -1}; ///< imap, omap
  int fmap = -1;
  bool interleaved = false;
  int64_t range = 1; ///< For too
  int sliceDim = -1;
  bool maximum = false, transposeRhs = false, cooperative = false;
  int64_t dim = 0;    ///< Iota, ReduceThreads, IotaIndexed; gather
  int64_t number = 0; ///< Index: value. Advance: step. Wait: pending
  int64_t modulo = 0; ///< Advance
  int64_t offset = 0; ///< indexed access
  double literal = 0; ///< Splat
  semantics::ConstantValue meaning; ///< Splat: what the literal stands for
  bool inverted = false;            ///< Splat: 1 / meaning
  semantics::OpKind mapKind = semantics::OpKind::Add;          ///< Map
  semantics::Attrs attrs;                                      ///< Map
  semantics::Shape space, strides, reduceSpace, reduceStrides; ///< indexed
  std::vector<ThreadOp> body;                                  ///< For
  std::vector<int> arguments; ///< For: the iteration, then carried values
  std::vector<int> yielded;   ///< For
};

struct ThreadKernel {
  std::string name;
  semantics::GridDims grid = {1, 1, 1}, cluster = {1, 1, 1};
  int64_t threads = 32;
  int64_t sharedBytes = 0;
  unsigned numInputs = 0; ///< the first arguments; the others are written
  std::vector<semantics::TensorType> arguments;
  std::vector<int64_t> constantInputs; ///< no earlier kernel writes these
  std::vector<std::optional<FragmentShape>> values; ///< none: an i32
  std::vector<ThreadBuffer> buffers;
  std::vector<ThreadOp> ops;
};

struct ThreadProgram {
  std::string name;
  std::vector<semantics::TensorType> inputs, outputs;
  std::vector<int64_t> scratchBytes;
  struct Launch {
    unsigned kernel = 0;
    std::vector<unsigned> tensors; ///< for each argument of the kernel
  };
  std::vector<ThreadKernel> kernels;
  std::vector<Launch> launches;
};

} // namespace mirage::verify

#endif // MIRAGE_VERIFY_THREADFORM_H
