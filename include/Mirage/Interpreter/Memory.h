//===- Memory.h - What running a program takes ------------------*- C++ -*-===//

#ifndef MIRAGE_INTERPRETER_MEMORY_H
#define MIRAGE_INTERPRETER_MEMORY_H

#include "Mirage/Semantics/Program.h"

namespace mirage::interpreter {

/// Bytes that this process may use, by the system's account of what is
/// available and the limits set on it.
int64_t availableMemory();

/// Refuses a program with a tensor above kMaxElements, and one that would take
/// more than `limit` bytes at some point: its inputs, the tensors that are
/// alive, and the tiles of a graph whose blocks all wait for each other. To be
/// asked before inputs are made. The error names the tensor that takes most.
llvm::Error checkMemory(const semantics::Program &program, int64_t limit);

/// The most element operations of one run that is started: about an hour of one
/// core. Grids and loops beyond that are mistakes.
constexpr double kMaxWork = 0x1p40;

/// Element operations of one run, roughly: one for each element that an op
/// makes in each block and iteration, times the terms of a contraction; and
/// `perOp` for each op that is begun.
double workOf(const semantics::Program &program, double perOp);

/// Element operations that beginning an op costs.
constexpr double kWorkPerOp = 256;

/// Refuses a program of more than kMaxWork element operations.
llvm::Error checkWork(const semantics::Program &program);

} // namespace mirage::interpreter

#endif // MIRAGE_INTERPRETER_MEMORY_H
