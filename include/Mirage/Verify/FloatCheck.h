//===- FloatCheck.h - Rounding errors of a candidate ------------*- C++ -*-===//
//
// Exact equivalence says nothing about rounding. This check runs the reference
// op by op as its element types say (the baseline), the candidate likewise, and
// the reference in f64, on ordinary and on hostile inputs, and compares both
// with f64. A candidate whose error is more than twice the baseline's, or that
// is not finite where it should be more often, is not acceptable.
//
// Hostile inputs change the first input that holds floats:
//
//   large        256 times as large: logits that overflow an unshifted exp
//   tiny         2^-10 times as large: variances near an epsilon
//   offset       16 added: sums of squares that cancel
//   zeros        every other row zero
//   non_finite   an infinity in the first row, a NaN in the last
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_VERIFY_FLOATCHECK_H
#define MIRAGE_VERIFY_FLOATCHECK_H

#include "Mirage/Semantics/Program.h"
#include "Mirage/Support/Interrupt.h"
#include "llvm/Support/JSON.h"
#include <memory>

namespace mirage::verify {

struct FloatCase {
  std::string name;
  /// Worst relative error over the outputs, in the 2-norm.
  double baselineError = 0, candidateError = 0;
  /// Elements that are finite where f64 is not, or the other way round.
  int64_t baselineWrongClass = 0, candidateWrongClass = 0;
  bool accepted = false;
};

struct FloatReport {
  std::vector<FloatCase> cases;
  bool accepted = false;

  llvm::json::Object toJSON() const;
  /// The first case that is not accepted, as one line; empty if there is none.
  std::string complaint() const;
};

/// The inputs and the reference's results of checks with one reference and one
/// seed, which are most of a check's work: kept here, they serve every
/// candidate. Another reference or seed takes the place of what is kept. Safe
/// for several threads.
class FloatReferences {
public:
  FloatReferences();
  ~FloatReferences();

private:
  friend llvm::Expected<FloatReport>
  checkFloat(const semantics::Program &reference,
             const semantics::Program &candidate, uint64_t seed,
             unsigned threads, FloatReferences *shared,
             const Cancelled &cancelled);
  struct Kept;
  std::unique_ptr<Kept> kept;
};

/// Both programs have passed verifyProgram and have one signature. An error
/// `interrupted` where `cancelled` said so.
llvm::Expected<FloatReport> checkFloat(const semantics::Program &reference,
                                       const semantics::Program &candidate,
                                       uint64_t seed, unsigned threads,
                                       FloatReferences *shared = nullptr,
                                       const Cancelled &cancelled = {});

} // namespace mirage::verify

#endif // MIRAGE_VERIFY_FLOATCHECK_H
