//===- Compute.h - Operators on whole tensors -------------------*- C++ -*-===//
//
// One function for each class of operators, shared by the kernel and the block
// level: a tile is a tensor whose results are f32.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_INTERPRETER_COMPUTE_H
#define MIRAGE_LIB_INTERPRETER_COMPUTE_H

#include "Mirage/Interpreter/Interpreter.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mirage::interpreter {

struct Context {
  Mode mode;
  unsigned threads;
  const Cancelled *cancelled = nullptr;

  bool isCancelled() const { return cancelled && *cancelled && (*cancelled)(); }
};

inline llvm::Error interrupted() {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), "interrupted");
}

/// Calls `body(i)` for every i in [0, count) on up to `threads` threads.
void parallelFor(unsigned threads, int64_t count,
                 llvm::function_ref<void(int64_t)> body);

/// Row-major strides; 0 where `shape` has size 1, so that reading broadcasts.
llvm::SmallVector<int64_t, 6> stridesOf(llvm::ArrayRef<int64_t> shape);

/// Calls `body(outer, in...)` for each row of the last dim of `shape`: `outer`
/// is the row's position in a dense tensor of that shape, and offsets[j] its
/// position under strides[j].
void forEachRow(
    llvm::ArrayRef<int64_t> shape,
    llvm::ArrayRef<llvm::SmallVector<int64_t, 6>> strides,
    llvm::function_ref<void(int64_t outer, llvm::ArrayRef<int64_t> offsets)>
        body);

/// The same on up to `threads` threads: `body` writes only to its own row.
void forEachRow(
    unsigned threads, llvm::ArrayRef<int64_t> shape,
    llvm::ArrayRef<llvm::SmallVector<int64_t, 6>> strides,
    llvm::function_ref<void(int64_t outer, llvm::ArrayRef<int64_t> offsets)>
        body);

/// Elements that are worth a turn of a thread.
constexpr int64_t kPartElements = int64_t(1) << 14;

/// Rounds every element as the mode says for a result of this type.
void roundResult(Tensor &tensor, const Context &context);

/// The larger or smaller of two, NaN if either is.
inline double maximum(double a, double b) { return a > b || a != a ? a : b; }
inline double minimum(double a, double b) { return a < b || a != a ? a : b; }

/// Sums (or takes the maximum or mean of) `input` along `dims`, which become 1.
/// Sums are f32 in Program mode. The result has `type`.
Tensor reduce(const Tensor &input, llvm::ArrayRef<int64_t> dims,
              semantics::ReduceKind kind, semantics::TensorType type,
              const Context &context);

/// An operator of class Unary, Binary, Compare or Select.
Tensor elementwise(const semantics::Op &op, const semantics::TensorType &type,
                   llvm::ArrayRef<const Tensor *> operands,
                   const Context &context);

Tensor matmul(const Tensor &lhs, const Tensor &rhs, bool transposeRhs,
              semantics::TensorType type, const Context &context);

/// Any operator that is not Structure. The operands fit the shape rules.
llvm::Expected<Tensor> evaluate(const semantics::Op &op,
                                const semantics::TensorType &type,
                                llvm::ArrayRef<const Tensor *> operands,
                                const Context &context);

/// Runs a Graph op; the results have the types of `types`.
llvm::Expected<std::vector<Tensor>>
runGraph(const semantics::Program &program, const semantics::Op &graph,
         llvm::ArrayRef<const Tensor *> operands, const Context &context);

} // namespace mirage::interpreter

#endif // MIRAGE_LIB_INTERPRETER_COMPUTE_H
