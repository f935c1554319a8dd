//===- Program.h - Tensor programs as plain data ----------------*- C++ -*-===//
//
// A Program is what the kernel and block dialects say, without MLIR: the form
// in which the search writes graphs, and in which the interpreter and the
// verifier read them.
//
// Values. Every tensor and tile has one ValueId, an index into
// `Program::values`, unique in the whole program (nested regions included).
// Inputs come first. Each value is defined exactly once, before its uses.
//
// Levels. `Program::ops` is the kernel level: predefined operators and Graph
// ops. A Graph's `body` is the block level: straight-line ops and Loop ops; a
// Loop's `body` is straight-line. Inside a Graph, the tensors it reads are its
// own operands (there are no block arguments here): a Load names one of them.
//
// A Graph runs `body` once for each block of `attrs.grid`. Blocks differ only
// through Load, Store, Iota and ReduceBlocks.
//
//   Load   operand: a kernel-level tensor that is an operand of the Graph.
//          Result: a tile with the tensor's rank and element type. Dim d of the
//          tile has size dim / (product of the splits of d). imap[g] is the dim
//          that grid axis g splits, or -1; fmap is the dim that the enclosing
//          loop splits, or -1 (always -1 outside a loop). With G the row-major
//          index over the grid axes that split d (x outermost, then y, z), Ng
//          their product, i the iteration, R the loop's range and t the tile's
//          size, the first element along d is
//            blocked      (G * R + i) * t
//            interleaved  (i * Ng + G) * t
//          Every split must divide.
//   Loop   runs `body` `attrs.range` times. Its results are the totals of
//          `attrs.accumulators`, in order; nothing else leaves the loop.
//          Sum and Max start from 0 and -inf. Rescale: state = state * factor +
//          value, from 0. With reduceDim >= 0 the value is first reduced (sum
//          or max) along that dim, which becomes 1. Totals are f32.
//   Running  inside a loop: the state of accumulator `attrs.accumulator` after
//          (`attrs.current`) or before this iteration's contribution. Before
//          the first iteration a Max state is -inf and a Sum state 0.
//   ReduceBlocks  combines the tile over all blocks along grid axis
//          `attrs.gridDim` (sum or max); every one of them then holds the
//          result. Result shape and type are the operand's.
//   Store  writes a tile into the Graph's result of the same position (the
//          j-th Store in the body, in order, writes result j). omap[g] is the
//          output dim that grid axis g concatenates, or -1: the tile must then
//          be the same in all blocks along g, and is written once.
//
// Element types at block level: Load yields the tensor's type. Every other op
// computes in f32 and yields f32, except Cast, Compare (i1) and Iota. Store
// converts to the output's element type. At kernel level elementwise operands
// and results share one element type; a result is computed in f32 and rounded
// once; matmul, reductions and norms accumulate in f32.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEMANTICS_PROGRAM_H
#define MIRAGE_SEMANTICS_PROGRAM_H

#include "Mirage/Semantics/Types.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <vector>

namespace mirage::semantics {

enum class OpKind : uint8_t {
#define MIRAGE_OP(Name, mnemonic, Class, arity) Name,
#include "Mirage/Semantics/Ops.def"
};

enum class OpClass : uint8_t {
  Unary,
  Binary,
  Compare,
  Select,
  Iota,
  Matmul,
  Reduce,
  Norm,
  Softmax,
  Transpose,
  Reshape,
  Broadcast,
  Concat,
  Slice,
  Gather,
  Constant,
  Structure,
};

llvm::StringRef mnemonic(OpKind kind);
OpClass opClass(OpKind kind);
/// Number of operands, or -1 when it varies.
int arity(OpKind kind);
/// The kind with this mnemonic, or nothing.
std::optional<OpKind> parseOpKind(llvm::StringRef mnemonic);

using ValueId = int;

enum class ReduceKind : uint8_t { Sum, Max, Mean };
enum class Predicate : uint8_t { Eq, Ne, Lt, Le, Gt, Ge };
enum class AccumulatorKind : uint8_t { Sum, Max, Rescale };

/// One accumulator of a Loop.
struct Accumulator {
  AccumulatorKind kind = AccumulatorKind::Sum;
  ValueId value = -1;  ///< tile added in each iteration
  ValueId factor = -1; ///< Rescale only: tile that scales the state first
  int reduceDim = -1;  ///< dim that the value is reduced along, or -1

  bool operator==(const Accumulator &o) const {
    return kind == o.kind && value == o.value && factor == o.factor &&
           reduceDim == o.reduceDim;
  }
};

using GridMap = std::array<int, 3>;
using GridDims = std::array<int64_t, 3>;

/// Attributes of one op. Each field names the kinds that read it; the others
/// leave it at its default.
struct Attrs {
  ReduceKind reduce = ReduceKind::Sum; ///< Reduce, ReduceBlocks
  /// Reduce: the dims reduced, increasing, kept with size 1. Transpose: result
  /// dim i is operand dim dims[i]. Softmax, Concat, Gather, Iota: one dim.
  llvm::SmallVector<int64_t, 4> dims;
  llvm::SmallVector<int64_t, 4> offsets, sizes, strides; ///< Slice
  bool transposeRhs = false;           ///< Matmul: result = lhs * rhs^T
  double lo = 0.0, hi = 0.0;           ///< Clamp
  double epsilon = 0.0;                ///< RmsNorm, LayerNorm
  Predicate predicate = Predicate::Eq; ///< Compare
  ConstantValue constant;              ///< Constant
  bool hasScale = false;               ///< RmsNorm, LayerNorm: a weight operand
  bool hasBias = false;                ///< LayerNorm: a bias operand after it

  GridDims grid = {1, 1, 1};    ///< Graph
  GridDims cluster = {1, 1, 1}; ///< Graph: blocks of a cluster, per axis
  int64_t threads = 0; ///< Graph: threads a block, 0 = let lowering choose
  int64_t stages = 0;  ///< Graph: pipeline stages, 0 = let lowering choose
  int64_t range = 1;   ///< Loop
  std::vector<Accumulator> accumulators; ///< Loop
  GridMap imap = {-1, -1, -1};           ///< Load
  int fmap = -1;                         ///< Load
  bool interleaved = false;              ///< Load
  GridMap omap = {-1, -1, -1};           ///< Store
  int gridDim = -1;                      ///< ReduceBlocks
  int accumulator = -1; ///< Running: index into the loop's list
  bool current = true;  ///< Running
};

struct Op {
  OpKind kind;
  Attrs attrs;
  llvm::SmallVector<ValueId, 3> operands;
  llvm::SmallVector<ValueId, 1> results;
  std::vector<Op> body; ///< Graph, Loop
};

struct Program {
  std::string name;
  std::vector<TensorType> values; ///< type of each value, nested ones included
  unsigned numInputs = 0;         ///< values [0, numInputs) are the inputs
  std::vector<Op> ops;
  std::vector<ValueId> outputs;

  ValueId addInput(TensorType type);
  ValueId addValue(TensorType type);
  const TensorType &type(ValueId id) const { return values[id]; }

  /// Appends a kernel-level op with inferred result types and returns its first
  /// result. The op must be well formed: for input that may not be, call
  /// `inferTypes` first.
  ValueId append(OpKind kind, llvm::ArrayRef<ValueId> operands,
                 Attrs attrs = {});
};

/// The level at which an op stands; element-type rules differ (see the top).
enum class Level : uint8_t { Kernel, Block };

/// Shape rule of every kind that is not Structure: the result type of `kind` on
/// operands of these types, or an error that states what was expected and what
/// was found. `resultType` supplies what the operands cannot say: the whole
/// type for Constant, Iota, Reshape and Broadcast (shape, checked), and the
/// element type for Cast. Results at kernel level take the operands' element
/// type.
llvm::Expected<TensorType> inferType(OpKind kind, const Attrs &attrs,
                                     llvm::ArrayRef<TensorType> operands,
                                     Level level,
                                     const TensorType *resultType = nullptr);

/// Tile of a Load with this imap and fmap on `tensor`, or an error.
llvm::Expected<TensorType> inferLoadTile(const TensorType &tensor,
                                         const GridDims &grid,
                                         const GridMap &imap, int fmap,
                                         int64_t loopRange);

/// Tensor that a Store with this omap makes of `tile`, or an error.
llvm::Expected<TensorType> inferStoreTensor(const TensorType &tile, DType dtype,
                                            const GridDims &grid,
                                            const GridMap &omap);

/// Checks a whole program against every rule of this page: ids in range and
/// defined before use, shapes, maps, accumulators, stores uniform along axes
/// that they do not concatenate.
llvm::Error verifyProgram(const Program &program);

/// Prints a program in a compact form that reads like the dialects.
void print(const Program &program, llvm::raw_ostream &os);
std::string toString(const Program &program);

/// Replaces composite ops (norms, softmax) by primitives: mean as sum times
/// InvExtent, softmax with its maximum subtracted. Other ops stay.
Program decompose(const Program &program);

} // namespace mirage::semantics

#endif // MIRAGE_SEMANTICS_PROGRAM_H
