#include "Mirage/Verify/FloatCheck.h"
#include "Programs.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace mirage::verify;
using namespace mirage::verify::test;

namespace {
FloatReport check(const Program &f, const Program &g) {
  return llvm::cantFail(checkFloat(f, g, /*seed=*/1, /*threads=*/2));
}

const FloatCase &find(const FloatReport &report, llvm::StringRef name) {
  for (const FloatCase &c : report.cases)
    if (c.name == name)
      return c;
  ADD_FAILURE() << name.str();
  return report.cases.front();
}

constexpr Sizes kMedium = {4, 512, 64};

TEST(FloatCheckTest, AcceptsFusedPrograms) {
  FloatReport report =
      check(rmsNormLinear(kMedium), fusedRmsNormLinear(kMedium, {4, 2, 8}));
  EXPECT_TRUE(report.accepted) << report.complaint();
  EXPECT_EQ(report.cases.size(), 6u);
  for (const FloatCase &c : report.cases)
    if (c.name != "non_finite")
      EXPECT_GT(c.baselineError, 0) << c.name;
  report = check(gatedMlp(kMedium), fusedGatedMlp(kMedium, {4, 2, 8}));
  EXPECT_TRUE(report.accepted) << report.complaint();
}

/// softmax of one row, with or without its maximum subtracted: equal over the
/// reals, but exp overflows.
Program softmax(bool shifts) {
  Kernel k;
  ValueId x = k.input({4, 32});
  if (shifts)
    return k.done({k.softmax(x, 1)});
  ValueId e = k.exp(x);
  return k.done({k.div(e, k.reduce(ReduceKind::Sum, e, 1))});
}

// What is kept of one reference serves every candidate, and no other reference
// or seed.
TEST(FloatCheckTest, SharesTheReference) {
  FloatReferences shared;
  auto text = [](const FloatReport &report) {
    return llvm::formatv("{0}", llvm::json::Value(report.toJSON())).str();
  };
  auto alone = [&](const Program &f, const Program &g, uint64_t seed) {
    return text(llvm::cantFail(checkFloat(f, g, seed, /*threads=*/2)));
  };
  auto together = [&](const Program &f, const Program &g, uint64_t seed) {
    return text(llvm::cantFail(checkFloat(f, g, seed, 2, &shared)));
  };
  Program norm = rmsNormLinear(kMedium), mlp = gatedMlp(kMedium);
  Program fused = fusedRmsNormLinear(kMedium, {4, 2, 8});
  EXPECT_EQ(together(norm, fused, 1), alone(norm, fused, 1));
  EXPECT_EQ(together(norm, norm, 1), alone(norm, norm, 1));
  EXPECT_EQ(together(norm, fused, 2), alone(norm, fused, 2));
  EXPECT_EQ(together(mlp, mlp, 2), alone(mlp, mlp, 2));
}

TEST(FloatCheckTest, EndsWhenItIsCancelled) {
  FloatReferences shared;
  Program mlp = gatedMlp(kMedium);
  unsigned asked = 0;
  auto report = checkFloat(mlp, mlp, 1, /*threads=*/1, &shared,
                           [&] { return ++asked > 3; });
  ASSERT_FALSE(static_cast<bool>(report));
  EXPECT_EQ(llvm::toString(report.takeError()), "interrupted");
  // Nothing that is half made is kept.
  EXPECT_TRUE(llvm::cantFail(checkFloat(mlp, mlp, 1, 1, &shared)).accepted);

  VerifyOptions options = fixedOptions();
  options.cancelled = [] { return true; };
  VerifyResult result = llvm::cantFail(verify(mlp, mlp, options));
  EXPECT_EQ(describe(result), "cannot tell: interrupted");
}

TEST(FloatCheckTest, RefusesOverflow) {
  FloatReport report = check(softmax(true), softmax(false));
  EXPECT_FALSE(report.accepted);
  EXPECT_FALSE(find(report, "large").accepted);
  EXPECT_TRUE(find(report, "ordinary").accepted);
  EXPECT_EQ(report.complaint().find("large inputs: expected at most 0 elements "
                                    "of the wrong class, but got "),
            0u)
      << report.complaint();
  EXPECT_TRUE(find(check(softmax(false), softmax(true)), "large").accepted);
}

/// The variance as mean((x - mu)^2) or as mean(x^2) - mu^2, which cancels.
Program variance(bool centred) {
  Kernel k;
  ValueId x = k.input({4, 256});
  ValueId mean = k.reduce(ReduceKind::Mean, x, 1);
  if (centred) {
    ValueId c = k.sub(x, mean);
    return k.done({k.reduce(ReduceKind::Mean, k.mul(c, c), 1)});
  }
  return k.done(
      {k.sub(k.reduce(ReduceKind::Mean, k.mul(x, x), 1), k.mul(mean, mean))});
}

TEST(FloatCheckTest, RefusesCancellation) {
  VerifyOptions options = fixedOptions();
  options.checkFloat = true;
  VerifyResult result =
      llvm::cantFail(verify(variance(true), variance(false), options));
  EXPECT_EQ(result.verdict, Verdict::Equivalent);
  ASSERT_TRUE(result.floatReport);
  EXPECT_FALSE(find(*result.floatReport, "offset").accepted);
  EXPECT_NE(describe(result).find("; rounding: offset inputs: expected an "
                                  "error of at most "),
            std::string::npos)
      << describe(result);
}
} // namespace
