// Right rewrites of larger programs, which the verifier must not refuse, each
// beside a wrong twin, which it must.

#include "Programs.h"
#include "gtest/gtest.h"
#include <functional>

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

void expectVerdict(Verdict verdict, const Program &f, const Program &g) {
  VerifyResult result = run(f, g);
  EXPECT_EQ(result.verdict, verdict) << describe(result);
  if (verdict == Verdict::Equivalent)
    EXPECT_LE(result.log2Bound.value_or(0), -50) << describe(result);
}

/// layer_norm(x) w, 4x24 by 24x12.
Program layerNormLinear() {
  Kernel k;
  ValueId x = k.input({4, 24}), w = k.input({24, 12});
  Attrs attrs;
  attrs.epsilon = 1e-5;
  return k.done({k.matmul(k.op(OpKind::LayerNorm, {x}, attrs), w)});
}

/// (x w - mean(x) colsum(w)) / sqrt(mean(x^2) - mean(x)^2 + eps), with all four
/// sums over one loop. `subtracts` keeps the square of the mean.
Program fusedLayerNormLinear(bool subtracts) {
  Program p;
  ValueId x = p.addInput({{4, 24}, DType::F32});
  ValueId w = p.addInput({{24, 12}, DType::F32});
  Block b(p, {x, w}, {3, 1, 1});
  b.beginLoop(4);
  ValueId xt = b.load(x, {-1, -1, -1}, 1), wt = b.load(w, {1, -1, -1}, 0);
  ValueId product = b.op(OpKind::Matmul, {xt, wt});
  ValueId square = b.op(OpKind::Square, {xt});
  auto totals = b.endLoop({{AccumulatorKind::Sum, product, -1, -1},
                           {AccumulatorKind::Sum, xt, -1, 1},
                           {AccumulatorKind::Sum, square, -1, 1},
                           {AccumulatorKind::Sum, wt, -1, 0}});
  ValueId n =
      b.constant(ConstantValue::makeExtent(ConstantValue::Kind::InvExtent, 24));
  ValueId mean = b.op(OpKind::Mul, {totals[1], n});
  ValueId variance = b.op(OpKind::Mul, {totals[2], n});
  if (subtracts)
    variance = b.op(OpKind::Sub, {variance, b.op(OpKind::Mul, {mean, mean})});
  ValueId eps = b.constant(ConstantValue::makeLiteral(1e-5));
  ValueId scale = b.op(OpKind::Rsqrt, {b.op(OpKind::Add, {variance, eps})});
  ValueId centred =
      b.op(OpKind::Sub, {totals[0], b.op(OpKind::Mul, {mean, totals[3]})});
  b.store(b.op(OpKind::Mul, {centred, scale}), {1, -1, -1}, DType::F32);
  return b.done();
}

TEST(RewriteTest, LayerNormLinear) {
  expectVerdict(Verdict::Equivalent, layerNormLinear(),
                fusedLayerNormLinear(true));
  expectVerdict(Verdict::NotEquivalent, layerNormLinear(),
                fusedLayerNormLinear(false));
}

/// gelu(x w + bias), and the same in one kernel with the bias inside the sum.
Program biasGelu(OpKind gelu, DType dtype) {
  Kernel k;
  k.dtype = dtype;
  ValueId x = k.input({4, 24}), w = k.input({24, 12}), bias = k.input({1, 12});
  return k.done({k.op(gelu, {k.add(k.matmul(x, w), bias)})});
}

Program fusedBiasGelu(OpKind gelu, DType dtype, bool everyBlock) {
  Program p;
  ValueId x = p.addInput({{4, 24}, dtype}), w = p.addInput({{24, 12}, dtype}),
          bias = p.addInput({{1, 12}, dtype});
  Block b(p, {x, w, bias}, {3, 2, 1});
  ValueId biasTile = b.load(bias, {1, -1, -1});
  ValueId partial =
      b.op(OpKind::Matmul, {b.load(x, {-1, 1, -1}), b.load(w, {1, 0, -1})});
  // Adding the bias before blocks are summed counts it once for each.
  if (everyBlock)
    partial = b.op(OpKind::Add, {partial, biasTile});
  ValueId total = b.reduceBlocks(partial, 1);
  if (!everyBlock)
    total = b.op(OpKind::Add, {total, biasTile});
  b.store(b.op(gelu, {total}), {1, -1, -1}, dtype);
  return b.done();
}

TEST(RewriteTest, BiasAndGelu) {
  for (OpKind gelu : {OpKind::GeluTanh, OpKind::GeluErf})
    for (DType dtype : {DType::F16, DType::BF16, DType::F32}) {
      expectVerdict(Verdict::Equivalent, biasGelu(gelu, dtype),
                    fusedBiasGelu(gelu, dtype, false));
      expectVerdict(Verdict::NotEquivalent, biasGelu(gelu, dtype),
                    fusedBiasGelu(gelu, dtype, true));
    }
}

// The product of a silu with a further matrix: through exp no bound would hold,
// since the sum runs over different denominators; as a random function one
// does.
TEST(RewriteTest, FeedForward) {
  auto build = [](bool written, bool swaps) {
    Kernel k;
    ValueId x = k.input({2, 64}), w1 = k.input({64, 128}),
            w2 = k.input({64, 128}), w3 = k.input({128, 8});
    ValueId gate = k.matmul(x, swaps ? w2 : w1);
    ValueId up = k.matmul(x, swaps ? w1 : w2);
    ValueId silu = written
                       ? k.div(gate, k.add(k.literal(1), k.exp(k.neg(gate))))
                       : k.op(OpKind::Silu, {gate});
    return k.done({k.matmul(k.mul(silu, up), w3)});
  };
  expectVerdict(Verdict::Equivalent, build(false, false), build(true, false));
  expectVerdict(Verdict::NotEquivalent, build(false, false), build(true, true));
}

// A division by n and a product with the symbol 1/n are one; a rounded 1/n is
// another number.
TEST(RewriteTest, MeanByDivision) {
  auto build = [](std::function<ValueId(Kernel &, ValueId)> scale) {
    Kernel k;
    ValueId x = k.input({3, 14});
    return k.done({scale(k, k.reduce(ReduceKind::Sum, x, 1))});
  };
  Kernel k;
  ValueId x = k.input({3, 14});
  Program mean = k.done({k.reduce(ReduceKind::Mean, x, 1)});
  expectVerdict(Verdict::Equivalent, mean, build([](Kernel &k, ValueId sum) {
                  return k.div(sum, k.literal(14));
                }));
  expectVerdict(Verdict::NotEquivalent, mean, build([](Kernel &k, ValueId sum) {
                  return k.mul(sum, k.literal(1.0f / 14));
                }));
}

// Two kernels instead of one: values pass through a tensor.
TEST(RewriteTest, TwoKernels) {
  auto squares = [](int64_t columns) {
    Program p;
    ValueId x = p.addInput({{4, 12}, DType::F32});
    Block first(p, {x}, {4, 1, 1});
    ValueId t = first.load(x, {0, -1, -1});
    first.store(first.op(OpKind::Square, {t}), {0, -1, -1}, DType::F32);
    first.done();
    ValueId y = p.outputs[0];
    Block second(p, {y}, {2, 1, 1});
    second.beginLoop(columns);
    ValueId u = second.load(y, {0, -1, -1}, 1);
    auto totals = second.endLoop({{AccumulatorKind::Sum, u, -1, 1}});
    second.store(totals[0], {0, -1, -1}, DType::F32);
    return second.done();
  };
  Kernel k;
  ValueId x = k.input({4, 12});
  Program reference =
      k.done({k.reduce(ReduceKind::Sum, k.op(OpKind::Square, {x}), 1)});
  expectVerdict(Verdict::Equivalent, reference, squares(3));
  expectVerdict(Verdict::Equivalent, squares(1), squares(12));
}

// Powers: products, roots, and a random function with the exponent in its key.
TEST(RewriteTest, Powers) {
  auto power = [](double c) {
    Kernel k;
    ValueId x = k.input({3, 4});
    return k.done({k.op(OpKind::Pow, {x, k.literal(c)})});
  };
  auto build = [](std::function<ValueId(Kernel &, ValueId)> fn) {
    Kernel k;
    ValueId x = k.input({3, 4});
    return k.done({fn(k, x)});
  };
  expectVerdict(Verdict::Equivalent, power(3), build([](Kernel &k, ValueId x) {
                  return k.mul(x, k.op(OpKind::Square, {x}));
                }));
  expectVerdict(
      Verdict::Equivalent, power(-0.5),
      build([](Kernel &k, ValueId x) { return k.op(OpKind::Rsqrt, {x}); }));
  expectVerdict(Verdict::Equivalent, power(0),
                build([](Kernel &k, ValueId x) { return k.div(x, x); }));
  expectVerdict(Verdict::NotEquivalent, power(0.3), power(0.4));
  expectVerdict(Verdict::Equivalent, power(0.3), power(0.3));
}
} // namespace
