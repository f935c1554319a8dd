//===- Limits.h - Sizes that a program may have -----------------*- C++ -*-===//
//
// Counts beyond these are refused with a diagnostic, so that no product of
// sizes that follows can wrap around in 64 bits.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEMANTICS_LIMITS_H
#define MIRAGE_SEMANTICS_LIMITS_H

#include "Mirage/Semantics/Types.h"
#include "llvm/Support/Error.h"
#include <limits>

namespace mirage::semantics {

/// Most elements of one tensor or tile; a size of 0 counts as 1, so that no
/// size exceeds this either. 8 TiB of f64: more than any device holds.
constexpr int64_t kMaxElements = int64_t(1) << 40;

/// Most iterations of one loop, since lowered loops count in 32 bits.
constexpr int64_t kMaxLoopRange = std::numeric_limits<int32_t>::max();

/// Where TensorType::numElements saturates. Times the widest element it still
/// fits 64 bits, so TensorType::byteSize never wraps.
constexpr int64_t kSaturatedElements = std::numeric_limits<int64_t>::max() / 8;

/// Refuses a rank above kMaxRank, a negative size, and more than kMaxElements
/// elements. Every shape rule checks what it reads and what it yields.
llvm::Error checkSize(const TensorType &type);

} // namespace mirage::semantics

#endif // MIRAGE_SEMANTICS_LIMITS_H
