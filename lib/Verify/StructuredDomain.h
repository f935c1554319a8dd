//===- StructuredDomain.h - Roots and order over fields ---------*- C++ -*-===//
//
// The second opinion where the free interpretation disagrees. A value is a pair
// over Z_p x Z_q, p = q = 7 mod 8, and beside it a double: the same program at
// an independent real point, its shadow.
//
//   sqrt x       x^((p + 1) / 4), which is multiplicative. It is a root of x
//                only if x is a square: otherwise the result is tainted, and so
//                is all that depends on it
//   max, min,    the shadow chooses, and the chosen operand's field value goes
//   clamp, <     on. Two programs that are equal over the reals follow branches
//                that are equal functions near the shadow's point, so no law of
//                order is lost. If the operands' shadows are too close to be
//                told apart and their field values differ, the result is
//                tainted
//   exp, sigmoid homomorphism of the q component, as in the free interpretation
//   others       random functions of the p component
//
// A division by zero taints too. What is tainted is not compared.
//
// Agreement says nothing about regions that no shadow entered. So each place
// that decides counts its outcomes.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_STRUCTUREDDOMAIN_H
#define MIRAGE_LIB_VERIFY_STRUCTUREDDOMAIN_H

#include "FieldDomain.h"
#include <map>

namespace mirage::verify {

/// How often each place that decides saw each of its outcomes. A place is the
/// value that an op makes, and the number of the decision inside that op.
class OutcomeCounts {
public:
  using Place = std::pair<semantics::ValueId, unsigned>;

  /// `outcome` was possible at `place`, and was seen `times` more.
  void count(Place place, unsigned outcome, unsigned times) {
    std::vector<uint64_t> &seen = places[place];
    if (seen.size() <= outcome)
      seen.resize(outcome + 1, kImpossible);
    if (seen[outcome] == kImpossible)
      seen[outcome] = 0;
    seen[outcome] += times;
  }
  /// The fewest times that a possible outcome was seen, or nothing without a
  /// place that decides.
  std::optional<uint64_t> fewest() const {
    std::optional<uint64_t> least;
    for (const auto &[place, seen] : places)
      for (uint64_t times : seen)
        if (times != kImpossible && (!least || times < *least))
          least = times;
    return least;
  }
  size_t numPlaces() const { return places.size(); }

private:
  static constexpr uint64_t kImpossible = ~uint64_t(0);
  std::map<Place, std::vector<uint64_t>> places;
};

class StructuredDomain final : public TileDomain {
public:
  StructuredDomain(const FieldContext &context, OutcomeCounts &coverage,
                   FailureLog &log)
      : cx(context), coverage(coverage), failures(log) {}

#include "TileDomainOverrides.inc"

  /// Input `tensor` at these real values.
  static TileRef input(const FieldContext &context, unsigned tensor,
                       const Shape &shape, const std::vector<double> &shadow);

private:
  using Scalar = Shadowed;
  enum class Function : uint64_t;

  template <class Fn>
  std::shared_ptr<Tile> zip(const Value &a, const Value &b, Fn fn);
  template <class Fn> std::shared_ptr<Tile> map(const Value &a, Fn fn);

  Scalar add(const Scalar &a, const Scalar &b);
  Scalar mul(const Scalar &a, const Scalar &b);
  Scalar div(const Scalar &a, const Scalar &b);
  Scalar neg(const Scalar &a);
  Scalar exp(const Scalar &a);
  Scalar root(const Scalar &a);
  Scalar keyed(Function function, const Scalar &a, double shadow,
               uint64_t attribute = 0);
  Scalar literal(double value);
  /// The larger of two by their shadows, without counting: 0 for the first, 1
  /// for the second, 2 where it does not matter, 3 where it cannot be told.
  static unsigned larger(const Scalar &a, const Scalar &b);
  /// The larger of two, counted as outcomes of decision `part`.
  Scalar choose(const Scalar &a, const Scalar &b, unsigned part);
  void requireFinite(const Scalar &a);

  const FieldContext &cx;
  OutcomeCounts &coverage;
  FailureLog &failures;
  semantics::ValueId place = -1;
  unsigned nextPart = 0; ///< decisions of this op so far
  std::string opName = "program";
};

} // namespace mirage::verify

#endif // MIRAGE_LIB_VERIFY_STRUCTUREDDOMAIN_H
