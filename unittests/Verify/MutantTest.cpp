// Right rewrites of the two target programs are accepted, and every wrong one
// is refused: each single edit of the fused graphs, small and at full size.

#include "AttentionPrograms.h"
#include "EpiloguePrograms.h"
#include "Mutants.h"
#include "RealProbe.h"
#include "gtest/gtest.h"

using namespace mirage::verify;
using namespace mirage::verify::test;

namespace {
VerifyResult run(const Program &f, const Program &g) {
  auto result = verify(f, g, fixedOptions());
  if (!result) {
    ADD_FAILURE() << llvm::toString(result.takeError());
    return {};
  }
  return std::move(*result);
}

void expectEquivalent(const Program &f, const Program &g) {
  VerifyResult result = run(f, g);
  EXPECT_EQ(result.verdict, Verdict::Equivalent) << describe(result);
  ASSERT_TRUE(result.log2Bound) << describe(result);
  EXPECT_LE(*result.log2Bound, -50);
}

TEST(TargetTest, FusedRmsNormLinearIsEquivalent) {
  for (FusedShape shape :
       {FusedShape{3, 1, 4}, {3, 2, 4}, {3, 2, 4, true}, {1, 1, 1}, {12, 4, 2}})
    expectEquivalent(rmsNormLinear(kSmall), fusedRmsNormLinear(kSmall, shape));
}

TEST(TargetTest, FusedGatedMlpIsEquivalent) {
  for (bool written : {false, true})
    for (FusedShape shape : {FusedShape{3, 1, 4}, {3, 2, 4}})
      expectEquivalent(gatedMlp(kSmall, written), fusedGatedMlp(kSmall, shape));
}

// The certificate rests on the sizes that the user runs.
TEST(TargetTest, FullSizeRmsNormLinear) {
  VerifyResult result = run(rmsNormLinear(kFullRmsNorm),
                            fusedRmsNormLinear(kFullRmsNorm, {96, 4, 16}));
  EXPECT_EQ(result.verdict, Verdict::Equivalent) << describe(result);
  EXPECT_LE(*result.log2Bound, -50);
  printf("rmsnorm_linear: %s, %.2f s\n", describe(result).c_str(),
         result.seconds);
}

TEST(TargetTest, FullSizeGatedMlp) {
  VerifyResult result = run(gatedMlp(kFullMlp, /*written=*/true),
                            fusedGatedMlp(kFullMlp, {64, 4, 16}));
  EXPECT_EQ(result.verdict, Verdict::Equivalent) << describe(result);
  EXPECT_LE(*result.log2Bound, -50);
  printf("gated_mlp: %s, %.2f s\n", describe(result).c_str(), result.seconds);
}

// One wrong full-size candidate: the counterexample names a real point.
TEST(TargetTest, FullSizeRefusesMissingEps) {
  VerifyResult result = run(rmsNormLinear(kFullRmsNorm, 1e-5),
                            fusedRmsNormLinear(kFullRmsNorm, {96, 4, 16}));
  EXPECT_EQ(result.verdict, Verdict::NotEquivalent) << describe(result);
  ASSERT_TRUE(result.counterexample);
  EXPECT_EQ(result.counterexample->domain, "real");
  printf("wrong eps: %s, %.2f s\n", describe(result).c_str(), result.seconds);
}

/// Verifies every single edit of `candidate`. A mutant may be malformed, which
/// is an error; it may never be accepted, unless real points find no
/// difference.
void expectNoMutantAccepted(const Program &reference, const Program &candidate,
                            unsigned atLeast) {
  unsigned malformed = 0, refuted = 0, open = 0, same = 0;
  for (const Mutant &mutant : allMutants(candidate)) {
    auto result = verify(reference, mutant.program, fixedOptions());
    if (!result) {
      llvm::consumeError(result.takeError());
      ++malformed;
      continue;
    }
    bool differs = probeReals(reference, mutant.program, {3, 4}, 2).has_value();
    if (!differs) {
      // Equal over the reals as far as points tell: nothing to hold against it.
      ++same;
      EXPECT_NE(result->verdict, Verdict::NotEquivalent)
          << mutant.name << ": " << describe(*result);
      continue;
    }
    EXPECT_NE(result->verdict, Verdict::Equivalent)
        << mutant.name << ": " << describe(*result);
    // Wrong uses of minus infinity have no rule; all else is refuted.
    if (result->verdict == Verdict::CannotTell)
      EXPECT_NE(result->reason.find("minus infinity has no rule"),
                std::string::npos)
          << mutant.name << ": " << describe(*result);
    refuted += result->verdict == Verdict::NotEquivalent;
    open += result->verdict == Verdict::CannotTell;
  }
  printf("mutants: %u malformed, %u refuted, %u cannot tell, %u equal\n",
         malformed, refuted, open, same);
  EXPECT_GE(refuted, atLeast);
}

TEST(MutantTest, FusedRmsNormLinear) {
  expectNoMutantAccepted(decompose(rmsNormLinear(kSmall)),
                         fusedRmsNormLinear(kSmall, {3, 2, 4}), 30);
}

TEST(MutantTest, SquareRmsNormLinear) {
  // Equal extents hide no swap of dims.
  Sizes square = {12, 12, 12};
  expectNoMutantAccepted(decompose(rmsNormLinear(square)),
                         fusedRmsNormLinear(square, {2, 2, 3}), 30);
}

TEST(MutantTest, FusedGatedMlp) {
  expectNoMutantAccepted(gatedMlp(kSmall), fusedGatedMlp(kSmall, {3, 2, 4}),
                         20);
  Sizes square = {12, 12, 12};
  expectNoMutantAccepted(gatedMlp(square), fusedGatedMlp(square, {2, 2, 3}),
                         20);
}

TEST(MutantTest, KernelRmsNormLinear) {
  Sizes square = {12, 12, 12};
  expectNoMutantAccepted(decompose(rmsNormLinear(square)),
                         decompose(rmsNormLinear(square)), 15);
}

TEST(MutantTest, FusedLayerNormLinear) {
  expectNoMutantAccepted(decompose(layerNormLinear()),
                         fusedLayerNormLinear(true), 40);
}

TEST(MutantTest, FusedBiasGelu) {
  for (OpKind gelu : {OpKind::GeluTanh, OpKind::GeluErf})
    expectNoMutantAccepted(biasGelu(gelu, DType::F32),
                           fusedBiasGelu(gelu, DType::F32, false), 20);
}

TEST(MutantTest, OnlineAttention) {
  expectNoMutantAccepted(decompose(attention()), online(true), 20);
  expectNoMutantAccepted(decompose(attention()), splitKeys(true), 20);
}
} // namespace
