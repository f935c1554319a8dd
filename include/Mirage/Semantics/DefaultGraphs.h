//===- DefaultGraphs.h - Graphs for predefined products ---------*- C++ -*-===//

#ifndef MIRAGE_SEMANTICS_DEFAULTGRAPHS_H
#define MIRAGE_SEMANTICS_DEFAULTGRAPHS_H

#include "Mirage/Semantics/Program.h"

namespace mirage::semantics {

struct DefaultGraphLimits {
  int64_t sharedLimit = 227 * 1024; ///< bytes of shared memory of a block
  int64_t multiprocessors = 132;    ///< blocks that keep the device busy
};

/// Writes the predefined operators of a decomposed program that profit from a
/// block graph as graph-defined kernels, and folds constants into graphs:
///
///   matmul of f16, bf16 or f32 with 16 | K and 8 | N
///     -> graph over tiles of N, of M and the batch, with a loop over K;
///        several batch dims are first merged by a reshape where they agree
///   graph(..., constant, ...)
///     -> graph without the operand; loads of it become constants in the body
///
/// Other operators stay: one thread for each element serves them as well. The
/// result obeys verifyProgram and has the operand's inputs and outputs.
Program wrapPredefinedOps(const Program &program,
                          const DefaultGraphLimits &limits = {});

} // namespace mirage::semantics

#endif // MIRAGE_SEMANTICS_DEFAULTGRAPHS_H
