// Block graphs with more than sums: maxima, running states, rescaling, maxima
// over blocks, masks. Attention is the program that needs them all (vector 14).

#include "AttentionPrograms.h"
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
  EXPECT_LE(*result.log2Bound, -50) << describe(result);
}

void expectDifferent(const Program &f, const Program &g) {
  VerifyResult result = run(f, g);
  EXPECT_EQ(result.verdict, Verdict::NotEquivalent) << describe(result);
}

TEST(AttentionTest, OnlineSoftmax) {
  expectEquivalent(attention(), online(/*rescales=*/true));
  // No shift at all needs no factor.
  expectEquivalent(attention(), online(/*rescales=*/false, /*usesMax=*/false));
}

// The running maximum starts at minus infinity, which meets a factor here.
TEST(AttentionTest, OnlineSoftmaxByPowersOfTwo) {
  auto byPowers = [](double factor) {
    return online(/*rescales=*/true, /*usesMax=*/true, /*tiles=*/3,
                  {/*base2=*/true, factor});
  };
  expectEquivalent(attention(), byPowers(1));
  expectDifferent(attention(), byPowers(0.5));
  // A negative factor makes plus infinity of it.
  VerifyResult result = run(attention(), byPowers(-1));
  EXPECT_EQ(result.verdict, Verdict::CannotTell);
  EXPECT_EQ(result.reason, "candidate: mul: minus infinity has no rule here");
}

// 1 / exp(-x) has no denominator, so a sum of such terms has few exponents.
TEST(AttentionTest, BoundSurvivesInvertedExponentials) {
  constexpr int64_t kMany = 512;
  auto build = [](double sign) {
    Kernel k;
    ValueId q = k.input({kRows, kDepth}), keys = k.input({kDepth, kMany}),
            v = k.input({kMany, kDepth});
    ValueId e = k.exp(k.mul(k.matmul(q, keys), k.literal(sign)));
    e = k.op(OpKind::Reciprocal, {e});
    return k.done({k.div(k.matmul(e, v), k.reduce(ReduceKind::Sum, e, 1))});
  };
  expectEquivalent(attention(kMany), build(-1));
  expectDifferent(attention(kMany), build(-2));
}

TEST(AttentionTest, OnlineSoftmaxWithoutRescaling) {
  expectDifferent(attention(), online(/*rescales=*/false));
  expectDifferent(attention(), online(/*rescales=*/true, /*usesMax=*/false));
}

TEST(AttentionTest, SplitKeys) {
  expectEquivalent(attention(), splitKeys(/*commonMax=*/true));
  expectDifferent(attention(), splitKeys(/*commonMax=*/false));
}

// A dim of size 1 around the softmax, as exporters write it for one sequence:
// what a row is divided by still varies along the rows only.
TEST(AttentionTest, BoundSurvivesDimsOfSizeOne) {
  constexpr int64_t kMany = 512;
  Kernel k;
  ValueId q = k.input({kRows, kDepth}), keys = k.input({kDepth, kMany}),
          v = k.input({kMany, kDepth});
  auto reshape = [&](ValueId x, Shape shape) {
    k.p.ops.push_back(
        {OpKind::Reshape, {}, {x}, {k.p.addValue({shape, k.dtype})}, {}});
    return k.p.ops.back().results[0];
  };
  ValueId wide = reshape(k.matmul(q, keys), {1, kRows, kMany});
  ValueId p = reshape(k.softmax(wide, 2), {kRows, kMany});
  expectEquivalent(attention(kMany), k.done({k.matmul(p, v)}));
}

TEST(AttentionTest, BoundSurvivesManyKeys) {
  Kernel a, b;
  constexpr int64_t kMany = 512;
  auto build = [&](Kernel &k, bool shifts) {
    ValueId q = k.input({2, kDepth}), keys = k.input({kDepth, kMany}),
            v = k.input({kMany, kDepth});
    ValueId logits = k.matmul(q, keys);
    if (shifts)
      return k.done({k.matmul(k.softmax(logits, 1), v)});
    ValueId e = k.exp(logits);
    return k.done({k.div(k.matmul(e, v), k.reduce(ReduceKind::Sum, e, 1))});
  };
  VerifyResult result = run(build(a, true), build(b, false));
  EXPECT_EQ(result.verdict, Verdict::Equivalent) << describe(result);
  EXPECT_LE(*result.log2Bound, -50);
  EXPECT_EQ(result.certificate.getString("profile"), "E");
  EXPECT_EQ(
      result.certificate.getObject("published_bound")->getBoolean("vacuous"),
      true);
}

/// softmax of logits[4, 4] masked to the lower triangle. `keeps` is the
/// predicate under which an entry stays, `after` what happens to it then.
Program masked(Predicate keeps, bool swaps,
               llvm::function_ref<ValueId(Kernel &, ValueId)> after = nullptr) {
  Kernel k;
  ValueId x = k.input({4, 4});
  Attrs rows, cols, predicate;
  rows.dims = {0};
  cols.dims = {1};
  predicate.predicate = keeps;
  ValueId i = k.shaped(OpKind::Iota, {}, {4, 4}, rows);
  ValueId j = k.shaped(OpKind::Iota, {}, {4, 4}, cols);
  ValueId mask = swaps ? k.op(OpKind::Compare, {j, i}, predicate)
                       : k.op(OpKind::Compare, {i, j}, predicate);
  ValueId least =
      k.shaped(OpKind::Broadcast,
               {k.constant({ConstantValue::Kind::NegInf, 0.0, 0})}, {4, 4});
  ValueId entries = k.op(OpKind::Select, {mask, x, least});
  return k.done({k.softmax(after ? after(k, entries) : entries, 1)});
}

TEST(MaskTest, CausalSoftmax) {
  expectEquivalent(masked(Predicate::Ge, false), masked(Predicate::Le, true));
  expectDifferent(masked(Predicate::Ge, false), masked(Predicate::Ge, true));
}

// What is masked stays so under a scale, and makes a sum that contains it minus
// infinity.
TEST(MaskTest, ScaledAndSummed) {
  auto scaled = [](llvm::function_ref<ValueId(Kernel &, ValueId)> after) {
    return masked(Predicate::Ge, false, after);
  };
  auto times = [](double by) {
    return [by](Kernel &k, ValueId x) { return k.mul(x, k.literal(by)); };
  };
  auto over = [](double by) {
    return [by](Kernel &k, ValueId x) { return k.div(x, k.literal(by)); };
  };
  expectEquivalent(scaled(times(0.125)), scaled(over(8)));
  expectDifferent(scaled(times(0.125)), scaled(over(4)));
  VerifyResult result = run(scaled(times(-1)), scaled(times(-1)));
  EXPECT_EQ(result.verdict, Verdict::CannotTell);
  EXPECT_EQ(result.reason, "reference: mul: minus infinity has no rule here");
  auto plusColumnSums = [](bool byMean) {
    return [byMean](Kernel &k, ValueId x) {
      ValueId sum = k.reduce(byMean ? ReduceKind::Mean : ReduceKind::Sum, x, 1);
      // Only the last row has no masked entry.
      return k.add(k.slice(x, {3, 0}, {1, 4}), k.slice(sum, {3, 0}, {1, 1}));
    };
  };
  expectEquivalent(scaled(plusColumnSums(false)), scaled(plusColumnSums(true)));
}

// Minus infinity outside of sums, maxima, positive factors and exp has no rule.
TEST(MaskTest, UnboundedProductIsOpen) {
  auto build = [] {
    Kernel k;
    ValueId x = k.input({2, 2});
    return k.done(
        {k.mul(x, k.constant({ConstantValue::Kind::NegInf, 0.0, 0}))});
  };
  VerifyResult result = run(build(), build());
  EXPECT_EQ(result.verdict, Verdict::CannotTell);
  EXPECT_EQ(result.reason, "reference: mul: minus infinity has no rule here");
}

// A total order of the field would accept a maximum that loses a block.
TEST(MaximumTest, OverBlocksAndIterations) {
  auto reference = [] {
    Kernel k;
    ValueId x = k.input({2, 24});
    return k.done({k.reduce(ReduceKind::Max, x, 1)});
  };
  auto fused = [](bool combines, int fmap) {
    Program p;
    ValueId x = p.addInput({{2, 24}, DType::F32});
    Block b(p, {x}, {1, 1, 2});
    b.beginLoop(3);
    ValueId t = b.load(x, {-1, -1, combines ? 1 : -1}, fmap);
    auto totals = b.endLoop({{AccumulatorKind::Max, t, -1, 1}});
    ValueId m =
        combines ? b.reduceBlocks(totals[0], 2, ReduceKind::Max) : totals[0];
    b.store(m, {-1, -1, -1}, DType::F32);
    return b.done();
  };
  expectEquivalent(reference(), fused(true, 1));
  expectEquivalent(reference(), fused(false, 1));
  // Half of the columns in every iteration: each operand repeats, and a set has
  // each once.
  expectEquivalent(reference(), fused(true, -1));
}

// Composite ops may stand at block level too.
TEST(BlockTest, NormsDecomposeInsideBlocks) {
  Kernel k;
  ValueId x = k.input({4, 6}), w = k.input({6, 8});
  Program reference = k.done({k.matmul(k.rmsNorm(x, kEps), w)});
  Program p;
  x = p.addInput({{4, 6}, DType::F32});
  w = p.addInput({{6, 8}, DType::F32});
  Block b(p, {x, w}, {2, 1, 1});
  ValueId xt = b.load(x, {-1, -1, -1}), wt = b.load(w, {1, -1, -1});
  Attrs attrs;
  attrs.epsilon = kEps;
  ValueId norm = b.op(OpKind::RmsNorm, {xt}, attrs);
  b.store(b.op(OpKind::Matmul, {norm, wt}), {1, -1, -1}, DType::F32);
  expectEquivalent(reference, b.done());
}
} // namespace
