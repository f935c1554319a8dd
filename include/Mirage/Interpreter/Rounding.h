//===- Rounding.h - Conversion between doubles and element types *- C++ -*-===//
//
// f16 (1 sign, 5 exponent, 10 mantissa bits) and bf16 (1, 8, 7) as 16-bit
// patterns. Conversion rounds to nearest, ties to even, once, from the double;
// what is too large becomes infinity and what is too small subnormal or zero.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_INTERPRETER_ROUNDING_H
#define MIRAGE_INTERPRETER_ROUNDING_H

#include "Mirage/Semantics/Types.h"

namespace mirage::interpreter {

uint16_t toF16(double value);
uint16_t toBF16(double value);
double fromF16(uint16_t bits);
double fromBF16(uint16_t bits);

/// `value` as an element of `type` holds it. Integers truncate toward zero and
/// saturate, NaN becomes 0; i1 is whether the value differs from 0.
double roundTo(semantics::DType type, double value);

/// The same for a value that was computed in f32 first, as the programs'
/// arithmetic is.
inline double roundThroughF32(semantics::DType type, double value) {
  if (type == semantics::DType::F32)
    return static_cast<float>(value);
  if (type == semantics::DType::F16 || type == semantics::DType::BF16)
    return roundTo(type, static_cast<float>(value));
  return roundTo(type, value);
}

} // namespace mirage::interpreter

#endif // MIRAGE_INTERPRETER_ROUNDING_H
