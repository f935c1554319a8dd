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
// and a sign, which f flips for all monomials or for none
// (the argument of an exp is a sum, and multiplying adds to it, so that each
// term of it is a coordinate; a sqrt of one monomial contributes that
// monomial's coordinates under the root.)
//
// Where indices are known the question is narrower. A_eq lets any factor leave
// a sum, so that sum(k, X) would be part of sum(k, X W). But if the host's
// value has no index of class k, W's k must be summed as well, by a second sum
// that the host does not have. So a monomial that was summed over any part of k
// is laid only on monomials with k summed twice, or with an f none of whose
// factors carries k.
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

/// Which judge prunes. `Auto`: the direct test keeps, and prunes expressions of
/// one or two monomials, where it is a few comparisons; Z3 has to agree on the
/// rest. `Both` asks both about everything, counts disagreements and prunes
/// only when they agree.
enum class PruneMode : uint8_t { None, Direct, Z3, Both, Auto };

struct PruneStats {
  uint64_t questions = 0;     ///< distinct normal forms asked about
  uint64_t memoHits = 0;      ///< answered from the memo
  uint64_t z3Questions = 0;   ///< put to the solver, one for each host tried
  uint64_t z3Queries = 0;     ///< of these, not answered by the solver's memo
  uint64_t z3Unknown = 0;     ///< kept
  uint64_t undecided = 0;     ///< possible factor of a denominator: kept
  uint64_t disagreements = 0; ///< between the two judges; expected to be 0
};

/// What is known of the indices. Without it the question is the paper's.
struct IndexInfo {
  /// For each input the classes of its dims, as a bit set.
  std::vector<uint64_t> inputClasses;
  /// Prime factors of sums, each of one class.
  std::map<int64_t, int> primeClass;
  /// Classes that the value of a host may depend on: of the program's values
  /// those of their dims, of other hosts those of the outputs.
  std::map<PolyId, uint64_t> hostClasses;
  uint64_t outputClasses = 0;
};

class SubexpressionTest {
public:
  /// `solver` may be null unless `mode` asks Z3. `rlimit` bounds each query.
  SubexpressionTest(ExpressionPool &pool, const std::vector<PolyId> &targets,
                    PruneMode mode, solver::Solver *solver,
                    unsigned rlimit = 2000000, IndexInfo indices = {});

  /// False only if no completion of `e` can reach a target.
  bool keep(PolyId e);

  /// Some monomial times `part` lies inside `whole`, indices aside.
  bool contains(PolyId whole, PolyId part);

  const std::vector<PolyId> &hosts() const { return hostIds; }
  const PruneStats &stats() const { return counters; }

private:
  using Vector = std::map<int, int>; ///< coordinate -> exponent
  struct Row {
    Vector exponents;
    bool negative = false;
    uint64_t summed = 0; ///< classes summed over, in part or whole
    /// Classes some part of which is summed repeatedly or, in a host, that its
    /// value may depend on: nothing is known of a second sum.
    uint64_t twice = 0;
  };
  using Rows = std::vector<Row>;

  void addHosts(PolyId id);
  bool isRoot(PolyId id) const;
  int coordinate(std::vector<int64_t> key, uint64_t classes);
  uint64_t classesOf(PolyId id) const;
  uint64_t classesOf(const Monomial &monomial) const;
  Row rowOf(const Monomial &monomial);
  Rows rowsOf(PolyId id);
  bool mayFactorDenominator(PolyId e) const;
  /// Classes that no factor of f may carry if `part` lands on `whole`.
  static uint64_t forbidden(const Row &part, const Row &whole) {
    return part.summed & ~whole.twice;
  }
  bool isScaledSubset(const Rows &part, const Rows &whole) const;
  solver::Answer askZ3(const Rows &part, const Rows &whole);
  static bool isObviouslyNoSubset(const Rows &part, const Rows &whole);
  bool isScaledSubsetOfHost(const Rows &part) const;
  /// `unknown` is set when some host's question had no answer.
  bool z3Keeps(const Rows &part, bool &unknown);

  ExpressionPool &pool;
  PruneMode mode;
  solver::Solver *z3;
  unsigned rlimit;
  IndexInfo indices;
  std::vector<PolyId> hostIds;
  std::vector<Rows> hostRows;
  std::vector<PolyId> hostDenominators; ///< polynomials of two terms or more
  std::map<std::vector<int64_t>, int> coordinates;
  std::vector<uint64_t> coordinateClasses;
  std::map<PolyId, bool> memo;
  std::map<std::pair<PolyId, PolyId>, bool> containsMemo;
  PruneStats counters;
};

} // namespace mirage::search

#endif // MIRAGE_SEARCH_SUBEXPRESSION_H
