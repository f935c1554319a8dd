//===- Executor.h - Runs a program over a domain ----------------*- C++ -*-===//
//
// Executes every op literally: each block of a grid, each iteration of a loop,
// each load and store by its map. Nothing is assumed about what a block graph
// is meant to compute.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_EXECUTOR_H
#define MIRAGE_LIB_VERIFY_EXECUTOR_H

#include "TileDomain.h"

namespace mirage::verify {

/// Values of the program's outputs. The program has passed verifyProgram.
/// Failures go to the domain's log; every output then still has its shape.
std::vector<TileRef> execute(const semantics::Program &program,
                             TileDomain &domain, llvm::ArrayRef<TileRef> inputs,
                             unsigned threads);

} // namespace mirage::verify

#endif // MIRAGE_LIB_VERIFY_EXECUTOR_H
