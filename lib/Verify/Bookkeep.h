//===- Bookkeep.h - Degrees behind the error bound --------------*- C++ -*-===//
//
// One output element of f - g is N / Den with N = sum of k terms
// a_i * exp(b_i). A test with random p, omega and inputs accepts N != 0 with
// probability at most
//
//   eps = (k - 1) Delta / q + floor(ln C / ln X) / M + d / X + collisions
//
// (profile R: k = 1 and no first term), with d the largest degree of an a_i,
// Delta that of the numerator of a difference of exponents, C the sum of the
// absolute values of coefficients, M primes above X in the pool. Collisions are
// those of arguments of random functions: m (m - 1) / 2 pairs in the cones of
// one output element, each bounded by the same formula for the difference of
// two arguments, the term in C included: a random p may also divide every
// coefficient of a difference.
//
// Everything here is an upper bound. Numbers that may be huge are kept as log2.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_BOOKKEEP_H
#define MIRAGE_LIB_VERIFY_BOOKKEEP_H

#include "Analysis.h"
#include <memory>
#include <optional>

namespace mirage::verify {

/// Numerator (index 0) and denominator (index 1) of a value.
struct Numbers {
  double degree[2] = {0, 0};
  double logTerms[2] = {0, 0}; ///< log2 of the number of distinct exponents
  double logNorm[2] = {0, 0};  ///< log2 of the l1-norm of the coefficients
  double expFactors[2] = {0, 0};
  bool hasExp = false;
  double calls = 0;         ///< of random functions in the cone
  unsigned callsVary = 0;   ///< as `varies`, of the arguments of those calls
  uint64_t denominator = 0; ///< equal and nonzero: the same denominator
  unsigned varies = 0;      ///< dims, iteration, grid axes it depends on
  unsigned denominatorVaries = 0;
  std::optional<double> constant;
  std::shared_ptr<Numbers> rootOf;  ///< of sqrt x: x
  std::shared_ptr<Numbers> squared; ///< of a / sqrt b: a^2 / b
};

/// What the whole of a program contributes, beside its outputs.
struct ProgramNumbers {
  std::vector<Numbers> outputs;
  Numbers argument;                  ///< worst argument of a random function
  double exponentDegree[2] = {0, 0}; ///< worst argument of exp
};

ProgramNumbers bookkeep(const semantics::Program &program,
                        const Interpretation &interpretation);

/// The numbers of a pair of programs, and the bound of one attempt.
struct PairNumbers {
  double d = 0, delta = 0, e = 0, m = 0, du = 0, nb = 0, db = 0;
  double log2K = 0, log2C = 0;
  /// log2 of eps, or nothing where the theorem says nothing.
  std::optional<double> log2Eps;
};

/// Worst over the outputs.
PairNumbers combine(const ProgramNumbers &f, const ProgramNumbers &g,
                    bool withExp);

} // namespace mirage::verify

#endif // MIRAGE_LIB_VERIFY_BOOKKEEP_H
