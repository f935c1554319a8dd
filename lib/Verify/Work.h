//===- Work.h - What an evaluation costs ------------------------*- C++ -*-===//

#ifndef MIRAGE_LIB_VERIFY_WORK_H
#define MIRAGE_LIB_VERIFY_WORK_H

#include "Mirage/Semantics/Program.h"

namespace mirage::verify {

/// Element operations of one evaluation, roughly: one for each element that an
/// op makes in each block and iteration, times the terms of a contraction.
double workOf(const semantics::Program &program);

/// Bytes of memory that one evaluation takes, roughly: 16 for each element of
/// each tensor, and of each tile that blocks hold at the same time; and what
/// the executor allots to each block, which counts where there are millions.
double memoryOf(const semantics::Program &program);

} // namespace mirage::verify

#endif // MIRAGE_LIB_VERIFY_WORK_H
