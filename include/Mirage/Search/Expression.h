//===- Expression.h - Abstract expressions in normal form -------*- C++ -*-===//
//
// What a tensor's elements are made of, with indices forgotten. An expression
// is kept in the normal form of the axioms A_eq: a multiset of monomials
//
//   sigma * product of atoms^k / product of denominators^k
//
// sigma is the product of the sizes of the sums (a sum commutes with
// everything, so only the product remains). An atom is an input, a constant, or
// a function of polynomials. A sign belongs to the monomial, and a constant's
// to the monomial that the constant is in: x - y is a sum, and nothing cancels.
//
//   axiom                               in the normal form
//   add, mul commute and associate      multisets
//   mul distributes over add            products are expanded
//   x/z + y/z = (x+y)/z                 each monomial carries its denominators
//   x * (y/z) = (x*y)/z                 the same
//   (x/y)/z = x/(y*z)                   a one-monomial denominator is split
//   sum(1,x) = x, sum(i,sum(j,x))       sigma is a number
//   sum over add, mul, div              sigma belongs to the monomial
//   exp x * exp y = exp(x+y)            one exp atom for each monomial
//   sqrt x * sqrt y = sqrt(x*y)         one sqrt atom for each monomial
//   max is associative, idempotent      one max atom holding a set
//
// Everything is hash-consed: equal normal forms have equal ids. An id of -1
// means "larger than any part of the target": more monomials than the limit.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_EXPRESSION_H
#define MIRAGE_SEARCH_EXPRESSION_H

#include "Mirage/Semantics/Program.h"
#include <map>
#include <utility>
#include <vector>

namespace mirage::search {

using PolyId = int;
/// The parameter of a Map atom that is a square.
constexpr int kSquare = -1;
constexpr PolyId kTooLarge = -1;

/// What an atom is. Everything that is not a plain letter holds polynomials.
enum class AtomKind : uint8_t {
  Input,    ///< parameter: the input's number
  Constant, ///< parameter: the constant's number
  Exp,
  Sqrt,
  Log,
  Sigmoid,
  Erf,
  Abs,
  Max, ///< a set of polynomials, sorted
  Clamp,
  Pow,
  Compare,
  Select,
  Map, ///< parameter: a map of the program, taken as one function
};

/// Sorted pairs of an id and how often it occurs.
using Multiset = std::vector<std::pair<int, int>>;

struct Monomial {
  int64_t sigma = 1;
  bool negative = false;
  Multiset atoms; ///< atom ids
  Multiset dens;  ///< polynomial ids
};

struct Atom {
  AtomKind kind;
  int parameter = 0;
  std::vector<PolyId> args;
};

class ExpressionPool {
public:
  /// Polynomials of more than `maxTerms` monomials, counted with multiplicity,
  /// are not built: operations return kTooLarge.
  explicit ExpressionPool(int maxTerms = 256);

  PolyId input(int number);
  PolyId one() const { return onePoly; }
  /// A literal 1 is `one`.
  PolyId constant(const semantics::ConstantValue &value);
  PolyId add(PolyId a, PolyId b);
  PolyId mul(PolyId a, PolyId b);
  PolyId neg(PolyId a);
  PolyId div(PolyId a, PolyId b);
  PolyId sum(int64_t size, PolyId a);
  PolyId max(PolyId a, PolyId b);
  /// A reduction by max absorbs the size.
  PolyId maxOver(PolyId a);
  PolyId function(AtomKind kind, llvm::ArrayRef<PolyId> args,
                  int parameter = 0);

  int numTerms(PolyId id) const;
  const Multiset &monomials(PolyId id) const { return polys[id]; }
  const Monomial &monomial(int id) const { return monos[id]; }
  const Atom &atom(int id) const { return atoms[id]; }
  /// The id of a parameter that stands for these numbers (clamp bounds).
  int parameter(std::vector<double> numbers);

  std::string toString(PolyId id) const;

private:
  int internAtom(Atom atom);
  int internMonomial(Monomial monomial);
  PolyId internPoly(Multiset monomials);
  PolyId atomPoly(int atom);
  Monomial product(const Monomial &a, const Monomial &b);

  int maxTerms;
  PolyId onePoly;
  std::vector<Atom> atoms;
  std::vector<Monomial> monos;
  std::vector<Multiset> polys;
  std::vector<int> terms; ///< monomials of each polynomial, with multiplicity
  std::map<std::vector<int64_t>, int> atomIds, monomialIds, polyIds;
  std::map<std::vector<double>, int> parameters;
};

/// The domain of evalElementwise whose values are abstract expressions.
struct ExpressionDomain {
  using Value = PolyId;
  ExpressionPool &pool;
  /// The square of a sum is one function of it, not expanded: nothing is gained
  /// from the parts of (x + r)^2, and there are many.
  bool foldSquares = false;

  Value add(Value a, Value b) { return pool.add(a, b); }
  Value sub(Value a, Value b) { return pool.add(a, pool.neg(b)); }
  Value mul(Value a, Value b) {
    if (foldSquares && a == b && a != kTooLarge && pool.numTerms(a) > 1)
      return pool.function(AtomKind::Map, {a}, kSquare);
    return pool.mul(a, b);
  }
  Value div(Value a, Value b) { return pool.div(a, b); }
  Value neg(Value a) { return pool.neg(a); }
  Value exp(Value a) { return pool.function(AtomKind::Exp, {a}); }
  Value log(Value a) { return pool.function(AtomKind::Log, {a}); }
  Value sqrt(Value a) { return pool.function(AtomKind::Sqrt, {a}); }
  /// By its law, so that both spellings of silu are one expression.
  Value sigmoid(Value a) {
    return pool.div(pool.one(), pool.add(pool.one(), exp(neg(a))));
  }
  Value erf(Value a) { return pool.function(AtomKind::Erf, {a}); }
  Value max(Value a, Value b) { return pool.max(a, b); }
  Value min(Value a, Value b) { return neg(max(neg(a), neg(b))); }
  Value abs(Value a) { return pool.function(AtomKind::Abs, {a}); }
  Value clamp(Value a, double lo, double hi) {
    return pool.function(AtomKind::Clamp, {a}, pool.parameter({lo, hi}));
  }
  Value pow(Value a, Value b) { return pool.function(AtomKind::Pow, {a, b}); }
  Value constant(const semantics::ConstantValue &value) {
    return pool.constant(value);
  }
  Value compare(semantics::Predicate predicate, Value a, Value b) {
    return pool.function(AtomKind::Compare, {a, b},
                         static_cast<int>(predicate));
  }
  Value select(Value c, Value a, Value b) {
    return pool.function(AtomKind::Select, {c, a, b});
  }
  Value cast(Value a, semantics::DType) { return a; }
};

} // namespace mirage::search

#endif // MIRAGE_SEARCH_EXPRESSION_H
