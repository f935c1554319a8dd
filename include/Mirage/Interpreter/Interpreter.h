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
#include "Mirage/Support/Interrupt.h"

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
/// inputs of other types than the program's, an index out of range, a run that
/// was cancelled (`interrupted`). In Program mode inputs are rounded to their
/// types first. `threads` = 0 takes as many as the machine has.
llvm::Expected<std::vector<Tensor>> run(const semantics::Program &program,
                                        llvm::ArrayRef<Tensor> inputs,
                                        Mode mode, unsigned threads = 0,
                                        const Cancelled &cancelled = {});

/// Inputs for `program`, a function of `seed` alone: normal values with
/// standard deviation 0.5, or 1/sqrt(rows) for matrices of at least 1024 rows,
/// so that products stay near 1; indices are in range for every gather that
/// reads them. Cancelled, they are not whole, and no run should take them.
std::vector<Tensor> randomInputs(const semantics::Program &program,
                                 uint64_t seed,
                                 const Cancelled &cancelled = {});

/// How far `actual` is from `expected`: the relative norm, the largest absolute
/// difference, and the elements where one is finite and the other is not.
struct Difference {
  double relative = 0.0;
  double maxAbs = 0.0;
  int64_t wrongClass = 0;
};
Difference compare(const Tensor &actual, const Tensor &expected);

// How much worse than the program itself, run op by op in its own precision, a
// faster form of it may round. Two limits, since they bound two measurements.

/// Of a candidate in this interpreter, the worst over several kinds of input,
/// hostile ones among them (FloatCheck.h). The baseline's own error on those is
/// a matter of chance, so the limit has to catch only what loses digits.
constexpr double kAllowedRounding = 2.0;
/// Of a kernel's outputs on a device, on ordinary inputs alone (`mirage-run`).
/// The kernel has passed the first limit and rounds less often than the program
/// op by op, so half as much again points at an instruction or a race.
constexpr double kAllowedOnDevice = 1.5;

} // namespace mirage::interpreter

#endif // MIRAGE_INTERPRETER_INTERPRETER_H
