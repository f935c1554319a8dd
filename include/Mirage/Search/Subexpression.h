//===- Subexpression.h - The pruning question -------------------*- C++ -*-===//
//
// Is an expression e part of something A_eq-equal to a target t? A_eq has no
// cancellation, so that is so exactly when, for some host h, there is one
// monomial f such that every monomial of f * e is a monomial of h, injectively.
// The hosts are the targets, the polynomials inside atoms and denominators of
// hosts, and the products of a monomial's one-monomial denominators (the normal
// form splits those into factors).
//
// A monomial is a vector of exponents, so the question is linear over the
// integers. The coordinates of the monomial 6 x^2 exp(y + z) / d are
//
//   prime 2   prime 3   atom x   exp-term y   exp-term z   denominator d
//      1         1         2         1            1              1
//
// (the argument of an exp is a sum, and multiplying adds to it, so that each
// term of it is a coordinate; a sqrt of one monomial contributes that monomial's
// coordinates under the root.)
//
// Two judges answer: the direct test fixes f by laying e's first monomial on
// each monomial of h in turn, which decides the question, and Z3 is asked the
// same as a formula. What neither covers is kept: a polynomial denominator of e
// that could be a factor of one of t's.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_SUBEXPRESSION_H
#define MIRAGE_SEARCH_SUBEXPRESSION_H

#include "Mirage/Search/Expression.h"
#include "Mirage/Solver/Solver.h"

namespace mirage::search {

/// Which judge prunes. `Auto`: the direct test for expressions of one or two
/// monomials, where it is a few comparisons, and Z3 for the rest. `Both` asks both
/// about everything, counts disagreements and prunes only when they agree.
enum class PruneMode : uint8_t { None, Direct, Z3, Both, Auto };

struct PruneStats {
  uint64_t questions = 0;    ///< distinct normal forms asked about
  uint64_t memoHits = 0;     ///< answered from the memo
  uint64_t z3Queries = 0;    ///< one for each host tried
  uint64_t z3Unknown = 0;    ///< kept
  uint64_t undecided = 0;    ///< possible factor of a denominator: kept
  uint64_t disagreements = 0; ///< between the two judges; expected to be 0
};

class SubexpressionTest {
public:
  /// `solver` may be null unless `mode` asks Z3. `rlimit` bounds each query.
  SubexpressionTest(ExpressionPool &pool, std::vector<PolyId> targets,
                    PruneMode mode, solver::Solver *solver,
                    unsigned rlimit = 2000000);

  /// False only if no completion of `e` can reach a target.
  bool keep(PolyId e);

  const std::vector<PolyId> &hosts() const { return hostIds; }
  const PruneStats &stats() const { return counters; }

private:
  using Vector = std::map<int, int>; ///< coordinate -> exponent
  using Vectors = std::vector<Vector>;

  void addHosts(PolyId id);
  int coordinate(std::vector<int64_t> key);
  Vector vectorOf(const Monomial &monomial);
  Vectors vectorsOf(PolyId id);
  bool mayFactorDenominator(PolyId e) const;
  static bool isScaledSubset(const Vectors &part, const Vectors &whole);
  solver::Answer askZ3(const Vectors &part, const Vectors &whole);
  bool isScaledSubsetOfHost(const Vectors &part) const;
  /// `unknown` is set when some host's question had no answer.
  bool z3Keeps(const Vectors &part, bool &unknown);

  ExpressionPool &pool;
  PruneMode mode;
  solver::Solver *z3;
  unsigned rlimit;
  std::vector<PolyId> hostIds;
  std::vector<Vectors> hostVectors;
  std::vector<PolyId> hostDenominators; ///< polynomials of two terms or more
  std::map<std::vector<int64_t>, int> coordinates;
  std::map<PolyId, bool> memo;
  PruneStats counters;
};

} // namespace mirage::search

#endif // MIRAGE_SEARCH_SUBEXPRESSION_H
