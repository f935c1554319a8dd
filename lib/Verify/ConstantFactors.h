//===- ConstantFactors.h - Constants as products of powers ------*- C++ -*-===//
//
// Laws that take a constant factor out of a logarithm or a root need the same
// pieces whichever way the constant was written: x / 24, x * (1/24) and
// x * 0.125 / 3. So a positive constant is split into powers of 2, of odd
// primes below 1000, and of what is left of its odd part.
//
// Nothing here is rounded: a literal is the dyadic number of its bits.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_CONSTANTFACTORS_H
#define MIRAGE_LIB_VERIFY_CONSTANTFACTORS_H

#include "Mirage/Semantics/Types.h"
#include <optional>
#include <vector>

namespace mirage::verify {

/// base^(halves / 2), base > 1.
struct PowerFactor {
  int64_t base;
  int halves;
  bool operator==(const PowerFactor &o) const {
    return base == o.base && halves == o.halves;
  }
};

/// The constant as a product, by rising base; nothing unless it is a positive
/// number. No base is a square.
std::optional<std::vector<PowerFactor>>
factorsOf(const semantics::ConstantValue &value);

/// (numerator / denominator)^2 * rest, each an exact double and `rest` an
/// integer free of the squares that factorsOf sees.
struct SquareFactor {
  double numerator = 1, denominator = 1, rest = 1;
};

/// The constant, or with `inverted` 1 / constant, in that form; nothing where
/// it is not positive and rational or a double cannot hold the parts.
std::optional<SquareFactor>
squareFactorOf(const semantics::ConstantValue &value, bool inverted);

} // namespace mirage::verify

#endif // MIRAGE_LIB_VERIFY_CONSTANTFACTORS_H
