//===- RoundingTest.cpp ---------------------------------------------------===//
//
// The naive twin knows a 16-bit type only as the sorted list of its values, and
// rounds by looking for the nearest.
//
//===----------------------------------------------------------------------===//

#include "Mirage/Interpreter/Rounding.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>

using namespace mirage::interpreter;
using mirage::semantics::DType;

namespace {

struct Format {
  DType type;
  int mantissa, bias;
  uint16_t infinity;
  uint16_t (*encode)(double);
  double (*decode)(uint16_t);
};

const Format kFormats[] = {{DType::F16, 10, 15, 0x7c00, toF16, fromF16},
                           {DType::BF16, 7, 127, 0x7f80, toBF16, fromBF16}};

/// Value of a finite, non-negative pattern, from the definition.
double naiveValue(const Format &format, uint16_t bits) {
  int exponent = bits >> format.mantissa;
  double fraction =
      (bits & ((1 << format.mantissa) - 1)) * std::pow(2.0, -format.mantissa);
  return exponent == 0
             ? fraction * std::pow(2.0, 1 - format.bias)
             : (1.0 + fraction) * std::pow(2.0, exponent - format.bias);
}

TEST(RoundingTest, DecodesEveryPattern) {
  for (const Format &format : kFormats)
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
      uint16_t magnitude = bits & 0x7fff;
      double value = format.decode(static_cast<uint16_t>(bits));
      EXPECT_EQ(std::signbit(value), (bits & 0x8000) != 0 || false) << bits;
      if (magnitude > format.infinity)
        EXPECT_TRUE(std::isnan(value)) << bits;
      else if (magnitude == format.infinity)
        EXPECT_TRUE(std::isinf(value)) << bits;
      else
        EXPECT_EQ(std::fabs(value), naiveValue(format, magnitude)) << bits;
    }
}

// Every gap between neighbours: both ends, the middle (a tie) and the doubles
// next to the middle.
TEST(RoundingTest, RoundsEveryGapToNearestEven) {
  for (const Format &format : kFormats)
    for (uint16_t low = 0; low < format.infinity; ++low) {
      uint16_t high = low + 1;
      double a = naiveValue(format, low);
      // Past the largest finite value the next step would be one more unit.
      double b = naiveValue(format, high);
      double middle = a + (b - a) / 2;
      uint16_t even = low & 1 ? high : low;
      struct {
        double value;
        uint16_t bits;
      } cases[] = {{a, low},
                   {middle, even},
                   {std::nextafter(middle, 0.0), low},
                   {std::nextafter(middle, 1e300), high}};
      for (auto [value, bits] : cases) {
        ASSERT_EQ(format.encode(value), bits) << value;
        ASSERT_EQ(format.encode(-value), bits | 0x8000) << value;
        double expected = bits == format.infinity
                              ? std::numeric_limits<double>::infinity()
                              : naiveValue(format, bits);
        ASSERT_EQ(roundTo(format.type, value), expected) << value;
        ASSERT_EQ(roundTo(format.type, -value), -expected) << value;
      }
    }
}

TEST(RoundingTest, ExtremesAndNaN) {
  for (const Format &format : kFormats) {
    EXPECT_EQ(format.encode(1e300), format.infinity);
    EXPECT_EQ(format.encode(-1e300), format.infinity | 0x8000);
    EXPECT_EQ(format.encode(5e-324), 0);
    EXPECT_EQ(format.encode(-0.0), 0x8000);
    uint16_t nan = format.encode(std::numeric_limits<double>::quiet_NaN());
    EXPECT_GT(nan & 0x7fff, format.infinity);
    EXPECT_TRUE(std::isnan(
        roundTo(format.type, std::numeric_limits<double>::quiet_NaN())));
  }
}

// A double that f32 first rounds onto a tie goes to even; rounded once it would
// not. Programs compute in f32, so both roundings happen.
TEST(RoundingTest, ThroughF32RoundsTwice) {
  double justAboveTie = 1.0 + 0x1p-11 + 0x1p-40;
  EXPECT_EQ(roundTo(DType::F16, justAboveTie), 1.0 + 0x1p-10);
  EXPECT_EQ(roundThroughF32(DType::F16, justAboveTie), 1.0);
}

TEST(RoundingTest, IntegersTruncateAndSaturate) {
  EXPECT_EQ(roundTo(DType::I32, 2.9), 2.0);
  EXPECT_EQ(roundTo(DType::I32, -2.9), -2.0);
  EXPECT_EQ(roundTo(DType::I32, 1e20), 2147483647.0);
  EXPECT_EQ(roundTo(DType::I32, std::nan("")), 0.0);
  EXPECT_EQ(roundTo(DType::I1, -0.5), 1.0);
  EXPECT_EQ(roundTo(DType::I1, 0.0), 0.0);
}

} // namespace
