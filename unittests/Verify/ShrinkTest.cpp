// Programs at small sizes keep what makes them right or wrong.

#include "Shrink.h"
#include "AttentionPrograms.h"
#include "Work.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <chrono>

using namespace mirage::verify;
using namespace mirage::verify::test;

namespace {
Verdict smallVerdict(const Program &f, const Program &g) {
  std::optional<ShrunkPair> pair = shrink(f, g);
  if (!pair) {
    ADD_FAILURE() << "expected small sizes, but got none";
    return Verdict::CannotTell;
  }
  EXPECT_LT(workOf(pair->f) + workOf(pair->g), 2e5)
      << toString(pair->f) << toString(pair->g);
  return llvm::cantFail(verify(pair->f, pair->g, fixedOptions())).verdict;
}

TEST(ShrinkTest, RightProgramsStayRight) {
  EXPECT_EQ(smallVerdict(rmsNormLinear(kFullRmsNorm),
                         fusedRmsNormLinear(kFullRmsNorm, {96, 4, 16})),
            Verdict::Equivalent);
  EXPECT_EQ(
      smallVerdict(gatedMlp(kFullMlp), fusedGatedMlp(kFullMlp, {64, 2, 16})),
      Verdict::Equivalent);
  Kernel k;
  ValueId x = k.input({64, 4096});
  Program softmax = k.done({k.softmax(x, 1)});
  EXPECT_EQ(smallVerdict(softmax, softmax), Verdict::Equivalent);
}

TEST(ShrinkTest, WrongProgramsStayWrong) {
  EXPECT_EQ(smallVerdict(rmsNormLinear(kFullRmsNorm, 1e-3),
                         fusedRmsNormLinear(kFullRmsNorm, {96, 4, 16})),
            Verdict::NotEquivalent);
  // Equal extents are not one class by that alone, and a lost 1/n shows.
  auto scaled = [](bool divides) {
    Kernel k;
    ValueId x = k.input({4096, 4096});
    ValueId s = k.reduce(divides ? ReduceKind::Mean : ReduceKind::Sum, x, 1);
    return k.done({s});
  };
  EXPECT_EQ(smallVerdict(scaled(true), scaled(false)), Verdict::NotEquivalent);
}

// Too large for thousands of draws: the structured interpretation runs at small
// sizes, and the certificate says at which.
TEST(ShrinkTest, SecondOpinionAtSmallSizes) {
  auto build = [](double inside, double outside) {
    Kernel k;
    ValueId x = k.input({64, 1024}), w = k.input({1024, 512});
    ValueId h = k.mul(k.matmul(x, w), k.literal(inside));
    return k.done({k.mul(k.op(OpKind::Relu, {h}), k.literal(outside))});
  };
  VerifyResult result =
      llvm::cantFail(verify(build(2, 1), build(1, 2), fixedOptions()));
  EXPECT_EQ(result.verdict, Verdict::Equivalent) << describe(result);
  EXPECT_TRUE(result.statistical);
  const llvm::json::Object &sizes = *result.certificate.getObject("sizes");
  EXPECT_EQ(sizes.getBoolean("full"), false);
  EXPECT_EQ(sizes.getString("signature"), "(4x5xf32, 5x6xf32) -> (4x6xf32)");
  result = llvm::cantFail(verify(build(-2, 1), build(1, -2), fixedOptions()));
  EXPECT_EQ(result.verdict, Verdict::NotEquivalent) << describe(result);
}

// Size classes: rows, keys and columns of one extent get different ones.
TEST(ShrinkTest, ClassesGetDifferentExtents) {
  Kernel k;
  ValueId a = k.input({512, 512}), b = k.input({512, 512});
  Program product = k.done({k.matmul(a, b)});
  std::optional<ShrunkPair> pair = shrink(product, product);
  ASSERT_TRUE(pair);
  const Shape &lhs = pair->f.type(0).shape, &rhs = pair->f.type(1).shape;
  EXPECT_EQ(lhs[1], rhs[0]);
  EXPECT_NE(lhs[0], lhs[1]);
  EXPECT_NE(rhs[0], rhs[1]);
  EXPECT_NE(lhs[0], rhs[1]);
}

TEST(ShrinkTest, ACheckTakesUnderAMillisecond) {
  struct Case {
    const char *name;
    Program f, g;
  };
  Case cases[] = {
      {"rmsnorm_linear", rmsNormLinear(kFullRmsNorm),
       fusedRmsNormLinear(kFullRmsNorm, {96, 4, 16})},
      {"gated_mlp", gatedMlp(kFullMlp), fusedGatedMlp(kFullMlp, {64, 2, 16})},
      {"attention", attention(), online(/*rescales=*/true)}};
  for (const Case &c : cases) {
    // The last one is small as it is.
    std::optional<ShrunkPair> pair = shrink(c.f, c.g);
    const Program &f = pair ? pair->f : c.f, &g = pair ? pair->g : c.g;
    VerifyOptions options = fixedOptions();
    options.threads = 1;
    std::vector<double> seconds;
    for (int i = 0; i < 31; ++i) {
      VerifyResult result = llvm::cantFail(verify(f, g, options));
      EXPECT_EQ(result.verdict, Verdict::Equivalent) << describe(result);
      seconds.push_back(result.seconds);
    }
    std::sort(seconds.begin(), seconds.end());
    printf("shrunken check of %s: median %.3f ms\n", c.name, seconds[15] * 1e3);
    RecordProperty(std::string(c.name) + "_median_microseconds",
                   int(seconds[15] * 1e6));
  }
}
} // namespace
