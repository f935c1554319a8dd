// Logarithms and roots of products with constant factors: the split term is the
// same function as the whole one, for random terms; what a constant is split
// into; and what must not become equal by it.

#include "ConstantFactors.h"
#include "Constants.h"
#include "Normalise.h"
#include "Programs.h"
#include "RealProbe.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>

using namespace mirage::verify;
using namespace mirage::verify::test;

namespace {
/// Products, quotients and roots of inputs, exponentials and constants.
class TermMaker {
public:
  explicit TermMaker(uint64_t seed) : random(seed) {}

  Program make() {
    Kernel k;
    ValueId x = k.input({2, 4}), y = k.input({2, 4});
    leaves = {x, y, k.exp(x)};
    return k.done({k.op(OpKind::Log, {term(k, 3)}),
                   k.op(OpKind::Sqrt, {term(k, 3)}),
                   k.op(OpKind::Rsqrt, {term(k, 3)})});
  }

private:
  unsigned below(unsigned n) { return random() % n; }

  ValueId constant(Kernel &k) {
    switch (below(4)) {
    case 0:
      return k.constant(ConstantValue::makeExtent(
          ConstantValue::Kind::InvExtent, 1 + below(100)));
    case 1:
      return k.constant(ConstantValue::makeExtent(ConstantValue::Kind::Extent,
                                                  1 + below(100)));
    case 2:
      return k.constant(ConstantValue::makeExtent(
          ConstantValue::Kind::RsqrtExtent, 1 + below(100)));
    default:
      return k.literal(
          std::ldexp(1 + below(1u << 12), static_cast<int>(below(24)) - 18));
    }
  }

  ValueId term(Kernel &k, unsigned depth) {
    if (depth == 0)
      return leaves[below(leaves.size())];
    ValueId a = term(k, depth - 1);
    switch (below(6)) {
    case 0:
      return k.mul(a, constant(k));
    case 1:
      return k.mul(constant(k), a);
    case 2:
      return k.div(a, constant(k));
    case 3:
      return k.div(constant(k), a);
    case 4:
      return k.op(OpKind::Sqrt, {a});
    default:
      return k.mul(a, term(k, depth - 1));
    }
  }

  std::mt19937_64 random;
  std::vector<ValueId> leaves;
};

TEST(ProductsTest, SplitTermsAreTheSameFunction) {
  constexpr unsigned kTerms = 300;
  unsigned split = 0;
  for (unsigned seed = 0; seed < kTerms; ++seed) {
    Program whole = TermMaker(seed).make();
    Program parts[2] = {whole, whole};
    std::set<std::string> laws;
    split += splitProducts(parts, laws);
    EXPECT_FALSE(probeReals(whole, parts[0], {seed, 7}, 1))
        << toString(whole) << "\n"
        << toString(parts[0]);
  }
  EXPECT_GT(split, kTerms / 2);
}

// The whole ladder on the same terms, against a twin with one more factor.
TEST(ProductsTest, WrongFactorIsRefused) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    Program f = TermMaker(seed).make(), g = f;
    Kernel more;
    more.p = g;
    ValueId three = more.literal(3);
    ValueId scaled = more.mul(g.outputs[1], three);
    more.p.outputs[1] = scaled;
    VerifyResult result = llvm::cantFail(verify(f, more.p, fixedOptions()));
    EXPECT_NE(result.verdict, Verdict::Equivalent) << toString(f);
  }
}

TEST(ConstantFactorsTest, OneWayOnly) {
  using Factors = std::vector<PowerFactor>;
  auto literal = [](double v) {
    return factorsOf(ConstantValue::makeLiteral(v));
  };
  auto extent = [](ConstantValue::Kind kind, int64_t n) {
    return factorsOf(ConstantValue::makeExtent(kind, n));
  };
  EXPECT_EQ(literal(1), Factors());
  EXPECT_EQ(literal(0.75), (Factors{{2, -4}, {3, 2}}));
  EXPECT_EQ(literal(1009.0 * 1009), (Factors{{1009, 4}}));
  EXPECT_EQ(literal(0x1p-1074), (Factors{{2, -2148}}));
  EXPECT_EQ(extent(ConstantValue::Kind::Extent, 14336),
            (Factors{{2, 22}, {7, 2}}));
  EXPECT_EQ(extent(ConstantValue::Kind::InvExtent, 12),
            (Factors{{2, -4}, {3, -2}}));
  EXPECT_EQ(extent(ConstantValue::Kind::RsqrtExtent, 12),
            (Factors{{2, -2}, {3, -1}}));
  for (double none : {0.0, -2.0, HUGE_VAL, std::nan("")})
    EXPECT_EQ(literal(none), std::nullopt);
  EXPECT_EQ(extent(ConstantValue::Kind::NegInf, 0), std::nullopt);
}

TEST(ConstantFactorsTest, SquaresComeOutDownwards) {
  ConstantValue c =
      ConstantValue::makeExtent(ConstantValue::Kind::InvExtent, 24);
  std::optional<SquareFactor> square = squareFactorOf(c, false);
  // 1/24 = (1/4 / 3)^2 * 6
  ASSERT_TRUE(square);
  EXPECT_EQ(square->numerator, 0.25);
  EXPECT_EQ(square->denominator, 3);
  EXPECT_EQ(square->rest, 6);
  square = squareFactorOf(c, true);
  ASSERT_TRUE(square);
  EXPECT_EQ(square->numerator, 2);
  EXPECT_EQ(square->denominator, 1);
  EXPECT_EQ(square->rest, 6);
  c.kind = ConstantValue::Kind::RsqrtExtent;
  EXPECT_FALSE(squareFactorOf(c, false));
}

// log 4 is twice a symbol, not the double next to it.
TEST(ProductsTest, RoundedLogarithmIsNoLogarithm) {
  auto build = [](double constant) {
    Kernel k;
    ValueId x = k.input({2, 4});
    ValueId log = k.op(OpKind::Log, {x});
    return k.done({k.add(log, k.literal(constant))});
  };
  auto whole = [](double factor) {
    Kernel k;
    ValueId x = k.input({2, 4});
    return k.done({k.op(OpKind::Log, {k.mul(x, k.literal(factor))})});
  };
  VerifyResult exact =
      llvm::cantFail(verify(whole(2), build(kLn2), fixedOptions()));
  EXPECT_EQ(exact.verdict, Verdict::Equivalent) << describe(exact);
  VerifyResult rounded =
      llvm::cantFail(verify(whole(4), build(2 * kLn2), fixedOptions()));
  EXPECT_NE(rounded.verdict, Verdict::Equivalent) << describe(rounded);
}
} // namespace
