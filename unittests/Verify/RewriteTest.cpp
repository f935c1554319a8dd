// Right rewrites of larger programs, which the verifier must not refuse, each
// beside a wrong twin, which it must.

#include "EpiloguePrograms.h"
#include "gtest/gtest.h"
#include <cmath>
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

TEST(RewriteTest, LayerNormLinear) {
  expectVerdict(Verdict::Equivalent, layerNormLinear(),
                fusedLayerNormLinear(true));
  expectVerdict(Verdict::NotEquivalent, layerNormLinear(),
                fusedLayerNormLinear(false));
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
  // The rounding of 1/14 stands for the extent's inverse; its neighbour and the
  // rounding of another number do not.
  auto scaled = [&](float c) {
    return build(
        [=](Kernel &k, ValueId sum) { return k.mul(sum, k.literal(c)); });
  };
  expectVerdict(Verdict::Equivalent, mean, scaled(1.0f / 14));
  expectVerdict(Verdict::NotEquivalent, mean,
                scaled(std::nextafter(1.0f / 14, 1.0f)));
  expectVerdict(Verdict::NotEquivalent, mean, scaled(1.0f / 15));
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

// Rounding to another float type is no part of the claim; to an integer it is.
TEST(RewriteTest, Casts) {
  auto through = [](DType type) {
    Program p;
    ValueId x = p.addInput({{3, 4}, DType::F32});
    for (DType to : {type, DType::F32}) {
      Op op{OpKind::Cast, {}, {x}, {p.addValue({{3, 4}, to})}, {}};
      p.ops.push_back(op);
      x = op.results[0];
    }
    p.outputs = {x};
    return p;
  };
  Program identity;
  identity.outputs = {identity.addInput({{3, 4}, DType::F32})};
  expectVerdict(Verdict::Equivalent, identity, through(DType::F16));
  expectVerdict(Verdict::Equivalent, identity, through(DType::BF16));
  expectVerdict(Verdict::CannotTell, identity, through(DType::I32));
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
