#include "DoubleDouble.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>
#include <vector>

using namespace mirage::verify;

namespace {
/// Relative error of `got` in units of 2^-100.
double errorOf(const DoubleDouble &got, const DoubleDouble &want) {
  return std::abs((got - want).hi / want.hi) * 0x1p100;
}

// Identities that only hold when both halves are right.
TEST(DoubleDoubleTest, IdentitiesHoldBeyondDouble) {
  std::mt19937_64 rng(/*seed=*/1);
  std::uniform_real_distribution<double> uniform(0.01, 20);
  for (int i = 0; i < 200; ++i) {
    DoubleDouble x = DoubleDouble(uniform(rng)) / DoubleDouble(3.0);
    DoubleDouble y = DoubleDouble(uniform(rng)) / DoubleDouble(7.0);
    EXPECT_LT(errorOf(x / y * y, x), 1);
    EXPECT_LT(errorOf((x + y) * (x + y), x * x + x * y + x * y + y * y), 1);
    EXPECT_LT(errorOf(sqrt(x) * sqrt(x), x), 1);
    EXPECT_LT(errorOf(exp(x) * exp(y), exp(x + y)), 16);
    EXPECT_LT(errorOf(log(exp(x)), x), 4096);
    EXPECT_LT(errorOf(pow(x, DoubleDouble(2.5)), x * x * sqrt(x)), 4096);
    EXPECT_EQ(erf(-x), -erf(x));
  }
}

// Digits beyond double from tables of constants.
TEST(DoubleDoubleTest, KnownDigits) {
  DoubleDouble e(0x1.5bf0a8b145769p+1, 0x1.4d57ee2b1013ap-53);
  EXPECT_LT(errorOf(exp(DoubleDouble(1.0)), e), 16);
  // erf 1 = 0.84270079294971486934122063508260925929...
  DoubleDouble erf1(0.84270079294971486934, 0);
  EXPECT_LT(std::abs(erf(DoubleDouble(1.0)).hi - erf1.hi), 0x1p-52);
  // The derivative at 0 is 2 / sqrt(pi), to all digits.
  DoubleDouble tiny(0x1p-60), pi(0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53);
  EXPECT_LT(errorOf(erf(tiny) / tiny, DoubleDouble(2.0) / sqrt(pi)), 16);
}

TEST(DoubleDoubleTest, InfinitiesStay) {
  DoubleDouble inf(INFINITY);
  EXPECT_EQ((inf + DoubleDouble(1.0)).hi, INFINITY);
  EXPECT_EQ((DoubleDouble(1.0) / DoubleDouble(0.0)).hi, INFINITY);
  EXPECT_EQ(exp(-inf).hi, 0);
  EXPECT_TRUE(std::isnan((inf - inf).hi));
}

TEST(DoubleDoubleTest, ProductsAgreeWithNaiveTwin) {
  std::mt19937_64 rng(/*seed=*/2);
  std::normal_distribution<double> normal;
  int64_t m = 3, k = 50, n = 7;
  std::vector<DoubleDouble> a(m * k), b(k * n), got(m * n), want(m * n);
  for (auto *matrix : {&a, &b})
    for (DoubleDouble &v : *matrix)
      v = DoubleDouble(normal(rng)) / DoubleDouble(3.0);
  accumulateProduct(a.data(), k, b.data(), n, got.data(), n, m, k, n);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t t = 0; t < k; ++t)
      for (int64_t j = 0; j < n; ++j)
        want[i * n + j] = want[i * n + j] + a[i * k + t] * b[t * n + j];
  for (int64_t i = 0; i < m * n; ++i)
    EXPECT_LT(errorOf(got[i], want[i]), 1 << 10) << i;
}
} // namespace
