//===- ExpressionTest.cpp - The axioms hold in the normal form ------------===//
//
// For each axiom of A_eq, both sides built from random terms have one id; for
// each a near miss that is no axiom has two.
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/Expression.h"
#include <gtest/gtest.h>
#include <random>

using namespace mirage::search;

namespace {
class ExpressionTest : public ::testing::Test {
protected:
  ExpressionPool pool{100000};
  std::mt19937_64 rng{1};

  /// A random term of the grammar; denominators of one monomial or several.
  PolyId term(int depth = 2) {
    if (depth == 0)
      return pool.input(rng() % 4);
    switch (rng() % 7) {
    case 0:
      return pool.add(term(depth - 1), term(depth - 1));
    case 1:
    case 2:
      return pool.mul(term(depth - 1), term(depth - 1));
    case 3:
      return pool.div(term(depth - 1), pool.input(rng() % 4));
    case 4:
      return pool.sum(2 + rng() % 6, term(depth - 1));
    case 5:
      return pool.function(AtomKind::Exp, {term(depth - 1)});
    default:
      return pool.function(AtomKind::Sqrt, {term(depth - 1)});
    }
  }
  PolyId exp(PolyId a) { return pool.function(AtomKind::Exp, {a}); }
  PolyId sqrt(PolyId a) { return pool.function(AtomKind::Sqrt, {a}); }

  template <class F> void forRandomTerms(F check) {
    for (int i = 0; i < 50; ++i)
      check(term(), term(), term());
  }
};

TEST_F(ExpressionTest, AddAndMulCommuteAndAssociate) {
  forRandomTerms([&](PolyId x, PolyId y, PolyId z) {
    EXPECT_EQ(pool.add(x, y), pool.add(y, x));
    EXPECT_EQ(pool.mul(x, y), pool.mul(y, x));
    EXPECT_EQ(pool.add(x, pool.add(y, z)), pool.add(pool.add(x, y), z));
    EXPECT_EQ(pool.mul(x, pool.mul(y, z)), pool.mul(pool.mul(x, y), z));
  });
}

TEST_F(ExpressionTest, MulDistributesOverAdd) {
  forRandomTerms([&](PolyId x, PolyId y, PolyId z) {
    EXPECT_EQ(pool.mul(pool.add(x, y), z),
              pool.add(pool.mul(x, z), pool.mul(y, z)));
  });
  PolyId x = pool.input(0), y = pool.input(1), z = pool.input(2);
  EXPECT_NE(pool.add(pool.mul(x, y), z), pool.mul(x, pool.add(y, z)));
}

TEST_F(ExpressionTest, DivOfSumsProductsAndQuotients) {
  PolyId d = pool.input(3);
  forRandomTerms([&](PolyId x, PolyId y, PolyId z) {
    EXPECT_EQ(pool.add(pool.div(x, z), pool.div(y, z)),
              pool.div(pool.add(x, y), z));
    EXPECT_EQ(pool.mul(x, pool.div(y, z)), pool.div(pool.mul(x, y), z));
    PolyId e = pool.sum(6, pool.mul(d, pool.input(2)));
    EXPECT_EQ(pool.div(pool.div(x, d), e), pool.div(x, pool.mul(d, e)));
  });
  // No cancellation.
  EXPECT_NE(pool.div(pool.mul(pool.input(0), d), d), pool.input(0));
}

TEST_F(ExpressionTest, SumsMergeAndLeaveAddMulDiv) {
  forRandomTerms([&](PolyId x, PolyId y, PolyId) {
    EXPECT_EQ(pool.sum(1, x), x);
    EXPECT_EQ(pool.sum(2, pool.sum(6, x)), pool.sum(12, x));
    EXPECT_EQ(pool.sum(4, pool.add(x, y)),
              pool.add(pool.sum(4, x), pool.sum(4, y)));
    EXPECT_EQ(pool.sum(4, pool.mul(x, y)), pool.mul(pool.sum(4, x), y));
    EXPECT_EQ(pool.sum(4, pool.div(x, y)), pool.div(pool.sum(4, x), y));
  });
  EXPECT_NE(pool.sum(4, pool.input(0)), pool.sum(2, pool.input(0)));
}

TEST_F(ExpressionTest, ExpAndSqrtOfProducts) {
  forRandomTerms([&](PolyId x, PolyId y, PolyId) {
    EXPECT_EQ(pool.mul(exp(x), exp(y)), exp(pool.add(x, y)));
    EXPECT_EQ(pool.mul(sqrt(x), sqrt(y)), sqrt(pool.mul(x, y)));
  });
  PolyId x = pool.input(0), y = pool.input(1);
  EXPECT_NE(pool.mul(exp(x), exp(y)), exp(pool.mul(x, y)));
  EXPECT_NE(pool.add(sqrt(x), sqrt(y)), sqrt(pool.add(x, y)));
}

TEST_F(ExpressionTest, SignsMultiply) {
  forRandomTerms([&](PolyId x, PolyId y, PolyId) {
    EXPECT_EQ(pool.neg(pool.neg(x)), x);
    EXPECT_EQ(pool.mul(pool.neg(x), pool.neg(y)), pool.mul(x, y));
    EXPECT_EQ(pool.mul(pool.neg(x), y), pool.neg(pool.mul(x, y)));
    EXPECT_NE(pool.neg(x), x);
  });
}

TEST_F(ExpressionTest, MaxIsASetAndAbsorbsSizes) {
  PolyId x = pool.input(0), y = pool.input(1), z = pool.input(2);
  EXPECT_EQ(pool.max(x, pool.max(y, z)), pool.max(pool.max(z, x), y));
  EXPECT_EQ(pool.max(x, pool.max(x, y)), pool.max(x, y));
  EXPECT_EQ(pool.maxOver(pool.maxOver(x)), pool.maxOver(x));
  EXPECT_NE(pool.maxOver(x), x);
  EXPECT_NE(pool.max(x, y), pool.max(x, z));
}

TEST_F(ExpressionTest, PastTheLimitIsTooLarge) {
  ExpressionPool tight(3);
  PolyId two = tight.add(tight.input(0), tight.input(1));
  EXPECT_NE(two, kTooLarge);
  EXPECT_EQ(tight.mul(two, two), kTooLarge);
  EXPECT_EQ(tight.add(tight.mul(two, two), two), kTooLarge);
}
} // namespace
