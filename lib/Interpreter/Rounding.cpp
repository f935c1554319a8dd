//===- Rounding.cpp - Conversion between doubles and element types --------===//

#include "Mirage/Interpreter/Rounding.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <limits>

using namespace mirage;
using semantics::DType;

namespace {

constexpr int kDoubleMantissa = 52;
constexpr int kDoubleBias = 1023;

/// The pattern of an IEEE-like type with `mantissa` bits and exponent `bias`.
uint16_t encode(double value, int mantissa, int bias) {
  uint64_t bits = llvm::bit_cast<uint64_t>(value);
  uint16_t sign = static_cast<uint16_t>(bits >> 48) & 0x8000;
  int exponentBits = 15 - mantissa;
  uint16_t infinity =
      static_cast<uint16_t>(((1 << exponentBits) - 1) << mantissa);
  if (std::isnan(value))
    return sign | infinity | static_cast<uint16_t>(1 << (mantissa - 1));
  if (std::isinf(value))
    return sign | infinity;

  int exponent = static_cast<int>((bits >> kDoubleMantissa) & 0x7ff);
  // A subnormal double is far below half of any target's smallest number.
  if (exponent == 0)
    return sign;
  exponent -= kDoubleBias;
  uint64_t significand = (bits & ((uint64_t(1) << kDoubleMantissa) - 1)) |
                         (uint64_t(1) << kDoubleMantissa);
  int smallest = 1 - bias;
  int shift = kDoubleMantissa - mantissa +
              (exponent < smallest ? smallest - exponent : 0);
  // From here on even the largest significand is below half a unit.
  if (shift > kDoubleMantissa + 1)
    return sign;
  uint64_t quotient = significand >> shift;
  uint64_t rest = significand & ((uint64_t(1) << shift) - 1);
  uint64_t half = uint64_t(1) << (shift - 1);
  if (rest > half || (rest == half && (quotient & 1)))
    ++quotient;
  // The leading one adds 1 to the exponent field, as does a carry out of the
  // mantissa; a subnormal that rounds up becomes the smallest normal likewise.
  int field = exponent < smallest ? 0 : exponent + bias - 1;
  if (field >= (1 << exponentBits))
    return sign | infinity;
  uint64_t result = (uint64_t(field) << mantissa) + quotient;
  return sign | static_cast<uint16_t>(std::min<uint64_t>(result, infinity));
}

double decode(uint16_t bits, int mantissa, int bias) {
  int exponentBits = 15 - mantissa;
  int exponent = (bits >> mantissa) & ((1 << exponentBits) - 1);
  int fraction = bits & ((1 << mantissa) - 1);
  double magnitude;
  if (exponent == (1 << exponentBits) - 1)
    magnitude = fraction ? std::numeric_limits<double>::quiet_NaN()
                         : std::numeric_limits<double>::infinity();
  else if (exponent == 0)
    magnitude = std::ldexp(fraction, 1 - bias - mantissa);
  else
    magnitude =
        std::ldexp(fraction + (1 << mantissa), exponent - bias - mantissa);
  return bits & 0x8000 ? -magnitude : magnitude;
}

template <typename Integer> double toInteger(double value) {
  if (std::isnan(value))
    return 0.0;
  constexpr double low =
      static_cast<double>(std::numeric_limits<Integer>::min());
  constexpr double high =
      static_cast<double>(std::numeric_limits<Integer>::max());
  return std::trunc(std::min(std::max(value, low), high));
}

} // namespace

uint16_t interpreter::toF16(double value) { return encode(value, 10, 15); }
uint16_t interpreter::toBF16(double value) { return encode(value, 7, 127); }
double interpreter::fromF16(uint16_t bits) { return decode(bits, 10, 15); }
double interpreter::fromBF16(uint16_t bits) { return decode(bits, 7, 127); }

double interpreter::roundTo(DType type, double value) {
  switch (type) {
  case DType::F16: {
    // Inside f16's normal range, adding and subtracting a power of two 42 bits
    // above the value's own rounds it in one step: 42 = 52 - 10.
    double magnitude = std::fabs(value);
    if (magnitude >= 6.103515625e-05 && magnitude < 65504.0) {
      uint64_t bits = llvm::bit_cast<uint64_t>(value);
      double anchor = llvm::bit_cast<double>(
          ((bits & 0x7ff0000000000000) + (uint64_t(42) << 52)));
      double shifted = value + std::copysign(anchor, value);
      return shifted - std::copysign(anchor, value);
    }
    return fromF16(toF16(value));
  }
  case DType::BF16:
    return fromBF16(toBF16(value));
  case DType::F32:
    return static_cast<float>(value);
  case DType::F64:
    return value;
  case DType::I1:
    return value != 0.0;
  case DType::I32:
    return toInteger<int32_t>(value);
  case DType::I64:
    return toInteger<int64_t>(value);
  }
  return value;
}
