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
// k need not count all terms. The proof follows one monomial mu of one a_i, in
// the inputs' residues mod p: what matters are the exponents whose coefficient
// has mu, since the others are not part of the polynomial in omega that must
// not vanish. In a sum of e_j v_j over distinct inputs v_j each monomial v_j
// has the exponents of one e_j, however many terms the sum has.
//
// Everything here is an upper bound. Numbers that may be huge are kept as log2.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_BOOKKEEP_H
#define MIRAGE_LIB_VERIFY_BOOKKEEP_H

#include "Analysis.h"
#include <map>
#include <memory>
#include <optional>

namespace mirage::verify {

/// Calls of random functions in a value's cone, by what their arguments vary
/// with: a sum over a dim multiplies only those that vary along it.
struct Calls {
  std::map<unsigned, double> byVaries;

  double total() const {
    double sum = 0;
    for (auto [varies, count] : byVaries)
      sum += count;
    return sum;
  }
  void add(unsigned varies, double count) {
    if (count > 0)
      byVaries[varies] += count;
  }
  void add(const Calls &other, double times = 1) {
    for (auto [varies, count] : other.byVaries)
      add(varies, count * times);
  }
  /// Every mask renamed.
  template <class Fn> void rename(Fn fn) {
    Calls renamed;
    for (auto [varies, count] : byVaries)
      renamed.add(fn(varies), count);
    *this = std::move(renamed);
  }
  /// The calls of `count` values that differ along `bits`.
  Calls over(unsigned bits, double count) const {
    Calls result;
    for (auto [varies, calls] : byVaries)
      result.add(varies & ~bits, varies & bits ? calls * count : calls);
    return result;
  }
};

/// Numerator (index 0) and denominator (index 1) of a value.
struct Numbers {
  double degree[2] = {0, 0};
  double logTerms[2] = {0, 0}; ///< log2 of the number of distinct exponents
  /// The same, of those with one monomial in their coefficients, the worst one.
  double logMono[2] = {0, 0};
  double logNorm[2] = {0, 0}; ///< log2 of the l1-norm of the coefficients
  double expFactors[2] = {0, 0};
  bool hasExp = false;
  Calls calls;              ///< of random functions in the cone
  uint64_t denominator = 0; ///< equal and nonzero: the same denominator
  unsigned varies = 0;      ///< dims, iteration, grid axes it depends on
  unsigned denominatorVaries = 0;
  /// Two elements that differ in some of these have no monomial of their
  /// numerators in common. A lower bound, unlike `varies`.
  unsigned fresh = 0;
  std::optional<double> constant;
  std::shared_ptr<Numbers> rootOf;  ///< of sqrt x: x
  std::shared_ptr<Numbers> squared; ///< of a / sqrt b: a^2 / b
};

/// What the whole of a program contributes, beside its outputs.
struct ProgramNumbers {
  std::vector<Numbers> outputs;
  Numbers argument;                  ///< worst argument of a random function
  double exponentDegree[2] = {0, 0}; ///< worst argument of exp
  bool hasRecurrence = false;        ///< a loop's state feeds itself: no bound
};

ProgramNumbers bookkeep(const semantics::Program &program,
                        const Interpretation &interpretation);

/// The numbers of a pair of programs, and the bound of one attempt.
struct PairNumbers {
  double d = 0, delta = 0, e = 0, m = 0, du = 0, nb = 0, db = 0;
  double log2K = 0, log2C = 0;
  double log2Terms =
      0; ///< all exponents, where log2K has those of one monomial
  /// Of the difference of two arguments of a random function: exponents,
  /// Delta, coefficients. Zero where m <= 1.
  double log2Ku = 0, deltaU = 0, log2Cu = 0;
  /// log2 of eps, or nothing where the theorem says nothing.
  std::optional<double> log2Eps;
};

/// Worst over the outputs.
PairNumbers combine(const ProgramNumbers &f, const ProgramNumbers &g,
                    bool withExp);

} // namespace mirage::verify

#endif // MIRAGE_LIB_VERIFY_BOOKKEEP_H
