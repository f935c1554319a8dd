//===- ThreadCheck.h - Lowered functions against programs -------*- C++ -*-===//
//
// Whether what lowering made of a program computes that program: reference and
// thread-level form are evaluated at full size over random prime fields and
// compared, as in Verify.h. The thread-level form is executed literally, so
// that the answer covers how a block's threads share the work: layouts,
// shared-memory offsets and their reuse, pipelines, barriers, clusters.
// ThreadExecutor.h lists what is refused on the way, races among it; such a
// kernel is an error.
//
// The numbers behind the error bound of Verify.h are not kept for thread-level
// ops, so `equivalent` has no proved bound here. Each test draws a prime above
// 2^62; of a wrong kernel one test is expected to accept about 2^-62 of the
// draws without exponentials, 2^-40 with them. The reference's own verdict
// against its original carries the proved bound.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_VERIFY_THREADCHECK_H
#define MIRAGE_VERIFY_THREADCHECK_H

#include "Mirage/Verify/ThreadForm.h"
#include "Mirage/Verify/Verify.h"

namespace mirage::verify {

/// Of `options`, reads seed, minTests, threads and cancelled. An error means
/// that signatures differ or that the thread-level form is malformed: an access
/// out of bounds, a race, an output that is not written.
llvm::Expected<VerifyResult> verifyThreads(const semantics::Program &reference,
                                           const ThreadProgram &candidate,
                                           const VerifyOptions &options = {});

} // namespace mirage::verify

#endif // MIRAGE_VERIFY_THREADCHECK_H
