#include "Mirage/Verify/Field.h"
#include "LimbMatmul.h"
#include "gtest/gtest.h"
#include <random>
#include <vector>

using namespace mirage::verify;

namespace {
constexpr uint64_t kPrimes[] = {3,
                                101,
                                kOrderQ,
                                4611686018427376319ull,
                                4611943301694482759ull,
                                (uint64_t(1) << 63) - 25};

// The naive twin: integers and the remainder of a 128-bit product.
TEST(PrimeFieldTest, AgreesWithRemainders) {
  std::mt19937_64 rng(/*seed=*/1);
  for (uint64_t p : kPrimes) {
    ASSERT_TRUE(isPrime(p)) << p;
    PrimeField f(p);
    for (int i = 0; i < 500; ++i) {
      // Edges as well as random elements.
      uint64_t a = i < 4 ? (p - 1 + i % 2) % p : rng() % p;
      uint64_t b = i < 2 ? p - 1 : rng() % p;
      uint64_t x = f.fromInteger(a), y = f.fromInteger(b);
      EXPECT_LT(x, p);
      EXPECT_EQ(f.toInteger(x), a);
      EXPECT_EQ(f.toInteger(f.mul(x, y)), uint64_t(u128(a) * b % p));
      EXPECT_EQ(f.toInteger(f.add(x, y)), uint64_t((u128(a) + b) % p));
      EXPECT_EQ(f.toInteger(f.sub(x, y)), uint64_t((u128(a) + p - b) % p));
      EXPECT_EQ(f.add(x, f.neg(x)), 0u);
      if (a)
        EXPECT_EQ(f.mul(x, f.inverse(x)), f.one());
      uint64_t random = f.fromRandom(rng(), rng());
      EXPECT_LT(random, p);
    }
    EXPECT_EQ(f.toInteger(f.fromSigned(-1)), p - 1);
  }
}

TEST(PrimeTest, DecidesSmallNumbersAndStrongPseudoprimes) {
  auto naive = [](uint64_t n) {
    for (uint64_t d = 2; d * d <= n; ++d)
      if (n % d == 0)
        return false;
    return n >= 2;
  };
  for (uint64_t n = 0; n < 5000; ++n)
    EXPECT_EQ(isPrime(n), naive(n)) << n;
  // A strong pseudoprime to the bases 2 to 23, and a Carmichael number.
  EXPECT_FALSE(isPrime(3825123056546413051ull));
  EXPECT_FALSE(isPrime(561));
}

// The constants of the page: the order q, its example prime, and its residue.
TEST(PoolTest, ConstantsHold) {
  EXPECT_EQ(kOrderQ, (uint64_t(1) << 40) - 585);
  EXPECT_TRUE(isPrime(kOrderQ));
  EXPECT_EQ(kOrderQ % 8, 7u);
  uint64_t p = 4611943301694482759ull;
  EXPECT_EQ((p - 1) % kOrderQ, 0u);
  PrimeField f(p);
  EXPECT_EQ(f.toInteger(f.pow(f.fromInteger(2), (p - 1) / kOrderQ)),
            4385939275478931380ull);
  EXPECT_TRUE(isValidDraw({p, 4385939275478931380ull}, /*withExp=*/true));
  EXPECT_FALSE(isValidDraw({p, 1}, true));
  EXPECT_FALSE(isValidDraw({p, 2}, true)); // order is not q
  EXPECT_FALSE(isValidDraw({p + 2, 4385939275478931380ull}, true));
}

TEST(PoolTest, DrawsAreValidAndVary) {
  for (bool withExp : {false, true}) {
    FieldDraw first = drawField(withExp, {1, 2}),
              again = drawField(withExp, {1, 2}),
              other = drawField(withExp, {1, 3});
    EXPECT_TRUE(isValidDraw(first, withExp));
    EXPECT_FALSE(isValidDraw(first, !withExp));
    EXPECT_EQ(first.p, again.p);
    EXPECT_NE(first.p, other.p);
  }
}

// Known answers of the Random123 distribution.
TEST(PhiloxTest, KnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
            (Counter{0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b,
                     0x7e68b68aec7ba23b}));
  uint64_t ones = ~uint64_t(0);
  EXPECT_EQ(philox({ones, ones, ones, ones}, {ones, ones}),
            (Counter{0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6,
                     0xa09caebf594f0ba0}));
}

TEST(LimbMatmulTest, AgreesWithNaiveTwin) {
  std::mt19937_64 rng(/*seed=*/2);
  for (uint64_t p :
       {kOrderQ, uint64_t(4611943301694482759ull), (uint64_t(1) << 63) - 25}) {
    PrimeField f(p);
    for (auto [m, k, n] : {std::array<int64_t, 3>{1, 1, 1},
                           {2, 300, 4},
                           {5, 700, 7},
                           {16, 257, 33}}) {
      std::vector<uint64_t> a(m * k), b(k * n), got(m * n), want(m * n);
      for (uint64_t &x : a)
        x = rng() % 4 ? rng() % p : p - 1; // p - 1 has the largest limbs
      for (uint64_t &x : b)
        x = rng() % 4 ? rng() % p : p - 1;
      multiplyPortable(f, {a.data(), k, 1}, {b.data(), n, 1}, want.data(), m, k,
                       n);
      for (VectorWidth width :
           {VectorWidth::None, VectorWidth::Avx2, VectorWidth::Avx512}) {
        multiply(f, {a.data(), k, 1}, {b.data(), n, 1}, got.data(), m, k, n, 2,
                 width);
        EXPECT_EQ(got, want) << p << " " << m << "x" << k << "x" << n;
      }
      u128 first = 0;
      for (int64_t t = 0; t < k; ++t)
        first = (first + u128(f.toInteger(a[t])) * f.toInteger(b[t * n])) % p;
      EXPECT_EQ(f.toInteger(want[0]), uint64_t(first));
      // The right operand transposed in memory.
      std::vector<uint64_t> bt(k * n);
      for (int64_t t = 0; t < k; ++t)
        for (int64_t j = 0; j < n; ++j)
          bt[j * k + t] = b[t * n + j];
      multiply(f, {a.data(), k, 1}, {bt.data(), 1, k}, got.data(), m, k, n, 1);
      EXPECT_EQ(got, want);
    }
  }
}
} // namespace
