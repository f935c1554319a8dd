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

} // namespace mirage::interpreter

#endif // MIRAGE_INTERPRETER_MEMORY_H
