//===- Interpreter.h - Run a tensor program on the CPU ----------*- C++ -*-===//
//
// Runs any program of Semantics/Program.h, graph-defined kernels included,
// which are executed literally: block by block, tile by tile, iteration by
// iteration. It is the reference for tests and the answer for a machine without
// a GPU.
//
// Two modes:
//
//   F64      every operation in double, nothing rounds. What the program means
//            over the reals, nearly: the reference of error measurements.
//   Program  each kernel-level result is rounded to its element type; tiles are
//            f32 and only casts and stores round further. Matmuls, reductions
//            and accumulators add in f32, in index order. Elementwise functions
//            are exact to f32: they are computed in double and rounded.
//
// Every result is the same for any number of threads: each element is computed
// by one thread in a fixed order.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_INTERPRETER_INTERPRETER_H
#define MIRAGE_INTERPRETER_INTERPRETER_H

#include "Mirage/Semantics/Program.h"

namespace mirage::interpreter {

/// A dense row-major tensor. Elements of every type are held as doubles, which
/// are exact for all but i64 beyond 2^53.
struct Tensor {
  semantics::TensorType type;
  std::vector<double> values;
};

enum class Mode : uint8_t { F64, Program };

/// The largest tensor or tile that is run, in elements: 2^31 take 16 GiB here.
constexpr int64_t kMaxElements = int64_t(1) << 31;

/// The outputs of `program` on `inputs`, or an error: an ill-formed program,
/// inputs of other types than the program's, an index out of range. In Program
/// mode inputs are rounded to their types first. `threads` = 0 takes as many as
/// the machine has.
llvm::Expected<std::vector<Tensor>> run(const semantics::Program &program,
                                        llvm::ArrayRef<Tensor> inputs,
                                        Mode mode, unsigned threads = 0);

/// Inputs for `program`, a function of `seed` alone: normal values with
/// standard deviation 0.5, or 1/sqrt(rows) for matrices of at least 1024 rows,
/// so that products stay near 1; indices are in range for every gather that
/// reads them.
std::vector<Tensor> randomInputs(const semantics::Program &program,
                                 uint64_t seed);

/// How far `actual` is from `expected`: the relative norm, the largest absolute
/// difference, and the elements where one is finite and the other is not.
struct Difference {
  double relative = 0.0;
  double maxAbs = 0.0;
  int64_t wrongClass = 0;
};
Difference compare(const Tensor &actual, const Tensor &expected);

} // namespace mirage::interpreter

#endif // MIRAGE_INTERPRETER_INTERPRETER_H
