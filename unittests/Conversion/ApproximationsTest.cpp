//===- ApproximationsTest.cpp ---------------------------------------------===//
//
// The formulas that lowering emits, computed in f32 on the host, against libm
// in f64 over log-spaced sweeps. Where the hardware's answer is approximate,
// the host's is moved by as much as PTX ISA 9.7.3 allows, both ways.
//
//===----------------------------------------------------------------------===//

#include "Approximations.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

using namespace mirage::thread;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr double kSmallestNormal = std::numeric_limits<float>::min();

/// f32, rounded to nearest; `skew` in [-1, 1] times the error allowed.
struct HostArithmetic {
  using Value = float;
  using Condition = bool;
  double skew;

  float constant(double value) { return float(value); }
  float add(float x, float y) { return x + y; }
  float sub(float x, float y) { return x - y; }
  float mul(float x, float y) { return x * y; }
  // div.full: 2 ulp.
  float div(float x, float y) { return scaled(double(x) / y, 0x1p-22); }
  float fma(float x, float y, float z) { return std::fma(x, y, z); }
  float neg(float x) { return -x; }
  float abs(float x) { return std::fabs(x); }
  float min(float x, float y) {
    return std::isnan(x) || std::isnan(y) ? x + y : std::min(x, y);
  }
  float copysign(float magnitude, float sign) {
    return std::copysign(magnitude, sign);
  }
  // ex2.approx.ftz: 2 ulp, and 0 for what is no normal number.
  float exp2(float x) {
    double exact = std::exp2(double(x));
    return exact < kSmallestNormal ? 0.0f : scaled(exact, 0x1p-22);
  }
  // lg2.approx: 2^-22, absolute in (0.5, 2) and relative elsewhere.
  float log2(float x) {
    double exact = std::log2(double(x));
    if (x > 0.5f && x < 2.0f)
      return float(exact + skew * 0x1p-22);
    return scaled(exact, 0x1p-22);
  }
  bool less(float x, float y) { return x < y; }
  float select(bool c, float x, float y) { return c ? x : y; }

private:
  float scaled(double exact, double error) {
    return float(exact * (1.0 + skew * error));
  }
};

struct Worst {
  double error = 0.0;
  float at = 0.0f;
};

/// Largest relative error over +-[2^first, 2^last] (x > 0 only if `positive`),
/// 64 points to the octave, of those whose exact result is a normal f32.
template <class Function, class Exact>
Worst worstError(int first, int last, bool positive, Function function,
                 Exact exact) {
  Worst worst;
  for (double skew : {-1.0, 0.0, 1.0}) {
    HostArithmetic host{skew};
    Approximations<HostArithmetic> functions(host);
    for (int step = first * 64; step <= last * 64; ++step)
      for (float sign : {1.0f, -1.0f}) {
        float x = sign * float(std::exp2(step / 64.0));
        if (positive && sign < 0)
          continue;
        double expected = exact(double(x));
        if (std::fabs(expected) < kSmallestNormal || std::isinf(expected) ||
            std::fabs(expected) > std::numeric_limits<float>::max())
          continue;
        double error =
            std::fabs((double(function(functions, x)) - expected) / expected);
        if (!(error <= worst.error))
          worst = {error, x};
      }
  }
  return worst;
}

constexpr double kBound = 0x1p-19;

TEST(ApproximationsTest, TanhKeepsItsRelativeError) {
  Worst worst = worstError(
      -100, 7, false, [](auto &f, float x) { return f.tanh(x); },
      [](double x) { return std::tanh(x); });
  EXPECT_LE(worst.error, kBound) << "at " << worst.at;
}

TEST(ApproximationsTest, ErfKeepsItsRelativeError) {
  Worst worst = worstError(
      -100, 7, false, [](auto &f, float x) { return f.erf(x); },
      [](double x) { return std::erf(x); });
  EXPECT_LE(worst.error, kBound) << "at " << worst.at;
}

// To the left, until the result is no normal number.
TEST(ApproximationsTest, GeluErfKeepsItsRelativeError) {
  Worst worst = worstError(
      -100, 7, false, [](auto &f, float x) { return f.geluErf(x); },
      [](double x) { return 0.5 * x * std::erfc(-x * std::sqrt(0.5)); });
  EXPECT_LE(worst.error, kBound) << "at " << worst.at;
}

TEST(ApproximationsTest, LogKeepsItsRelativeError) {
  auto log = [](auto &f, float x) { return f.log(x); };
  auto exact = [](double x) { return std::log(x); };
  Worst worst = worstError(-120, 120, true, log, exact);
  EXPECT_LE(worst.error, kBound) << "at " << worst.at;
  // x = 1 +- d, down to one unit in the last place.
  worst = worstError(
      -22, -2, false, [&](auto &f, float d) { return log(f, 1.0f + d); },
      [&](double d) { return exact(double(1.0f + float(d))); });
  EXPECT_LE(worst.error, kBound) << "at 1 + " << worst.at;
}

TEST(ApproximationsTest, SigmoidKeepsItsRelativeError) {
  // Up to |x| = 16: the rounding of the argument of e^x counts |x| times.
  Worst worst = worstError(
      -100, 4, false, [](auto &f, float x) { return f.sigmoid(x); },
      [](double x) { return 1.0 / (1.0 + std::exp(-x)); });
  EXPECT_LE(worst.error, kBound) << "at " << worst.at;
}

TEST(ApproximationsTest, EndsAreExact) {
  HostArithmetic host{0.0};
  Approximations<HostArithmetic> f(host);
  for (float sign : {1.0f, -1.0f}) {
    EXPECT_EQ(f.tanh(sign * kInfinity), sign);
    EXPECT_EQ(f.erf(sign * kInfinity), sign);
    for (float zero :
         {f.tanh(sign * 0.0f), f.erf(sign * 0.0f), f.geluErf(sign * 0.0f)}) {
      EXPECT_EQ(zero, 0.0f);
      EXPECT_EQ(std::signbit(zero), sign < 0);
    }
  }
  EXPECT_EQ(f.geluErf(kInfinity), kInfinity);
  EXPECT_EQ(f.geluErf(-100.0f), 0.0f);
  EXPECT_EQ(f.log(1.0f), 0.0f);
  EXPECT_EQ(f.log(0.0f), -kInfinity);
  EXPECT_EQ(f.log(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(f.log(-1.0f)));
  float nan = std::numeric_limits<float>::quiet_NaN();
  for (float result : {f.tanh(nan), f.erf(nan), f.geluErf(nan), f.log(nan)})
    EXPECT_TRUE(std::isnan(result));
}

} // namespace
