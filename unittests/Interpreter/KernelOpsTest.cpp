//===- KernelOpsTest.cpp - Predefined operators ---------------------------===//
//
// The comparison with NumPy, op by op, is in test/Interpreter; here is what
// that cannot see: rounding, errors, sizes at the edges of the blocking.
//
//===----------------------------------------------------------------------===//

#include "Mirage/Interpreter/Rounding.h"
#include "TestPrograms.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mirage::interpreter;
using namespace mirage::interpreter::test;

namespace {

Program oneOp(OpKind kind, std::vector<TensorType> inputs, Attrs attrs = {}) {
  Program p;
  std::vector<ValueId> ids;
  for (TensorType &type : inputs)
    ids.push_back(p.addInput(type));
  p.outputs = {p.append(kind, ids, attrs)};
  return p;
}

// Sizes around the panels of the blocked product, plain and transposed, with
// broadcast batches.
TEST(KernelOpsTest, MatmulEqualsTripleLoop) {
  struct {
    Shape lhs, rhs;
    bool transposed;
  } cases[] = {{{1, 1}, {1, 1}, false},
               {{17, 5}, {5, 257}, false},
               {{16, 33}, {256, 33}, true},
               {{2, 3, 4, 5}, {1, 3, 5, 6}, false},
               {{2, 1, 4, 5}, {2, 3, 6, 5}, true}};
  for (auto &[lhs, rhs, transposed] : cases) {
    Attrs attrs;
    attrs.transposeRhs = transposed;
    Program p =
        oneOp(OpKind::Matmul, {{lhs, DType::F32}, {rhs, DType::F32}}, attrs);
    std::vector<Tensor> in = randomInputs(p, 2);
    Tensor out = cantFail(run(p, in, Mode::F64, 2))[0];
    Tensor rounded = cantFail(run(p, in, Mode::Program, 2))[0];
    const Shape &shape = out.type.shape;
    int64_t m = shape[shape.size() - 2], n = shape.back(), k = lhs.back();
    int64_t batch = out.type.numElements() / (m * n);
    for (int64_t b = 0; b < batch; ++b) {
      int64_t lb = 0, rb = 0, rest = b;
      int64_t lstride = 1, rstride = 1;
      for (int64_t d = static_cast<int64_t>(shape.size()) - 3; d >= 0; --d) {
        int64_t index = rest % shape[d];
        rest /= shape[d];
        lb += (lhs[d] == 1 ? 0 : index) * lstride;
        rb += (rhs[d] == 1 ? 0 : index) * rstride;
        lstride *= lhs[d];
        rstride *= rhs[d];
      }
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
          double sum = 0;
          for (int64_t l = 0; l < k; ++l)
            sum +=
                in[0].values[lb * m * k + i * k + l] *
                in[1].values[rb * k * n + (transposed ? j * k + l : l * n + j)];
          double got = out.values[(b * m + i) * n + j];
          ASSERT_NEAR(got, sum, 1e-13);
          ASSERT_NEAR(rounded.values[(b * m + i) * n + j], sum, 1e-4);
        }
    }
  }
}

TEST(KernelOpsTest, ResultsRoundOnceToTheirType) {
  Program p = oneOp(OpKind::Add, {{{1}, DType::F16}, {{1}, DType::F16}});
  std::vector<Tensor> in = {tensor({1}, {2048}, DType::F16),
                            tensor({1}, {1}, DType::F16)};
  EXPECT_EQ(cantFail(run(p, in, Mode::Program))[0].values[0], 2048);
  EXPECT_EQ(cantFail(run(p, in, Mode::F64))[0].values[0], 2049);
}

// 1 + 2^-24 repeated is lost in f32, so the sum must not grow; double keeps it.
TEST(KernelOpsTest, SumsAreF32InProgramMode) {
  Attrs attrs;
  attrs.dims = {0};
  Program p = oneOp(OpKind::Reduce, {{{1025}, DType::F32}}, attrs);
  Tensor x = tensor({1025}, std::vector<double>(1025, 0x1p-24));
  x.values[0] = 1.0;
  EXPECT_EQ(cantFail(run(p, {x}, Mode::Program))[0].values[0], 1.0);
  EXPECT_EQ(cantFail(run(p, {x}, Mode::F64))[0].values[0], 1.0 + 0x1p-14);
}

TEST(KernelOpsTest, SmallArgumentsKeepTheirPrecision) {
  Program tanh = oneOp(OpKind::Tanh, {{{1}, DType::F32}});
  EXPECT_EQ(cantFail(run(tanh, {tensor({1}, {1e-20})}, Mode::F64))[0].values[0],
            1e-20);
  Program gelu = oneOp(OpKind::GeluErf, {{{1}, DType::F32}});
  double tail =
      cantFail(run(gelu, {tensor({1}, {-12})}, Mode::F64))[0].values[0];
  EXPECT_NEAR(tail / -2.1317891e-32, 1.0, 1e-3);
}

TEST(KernelOpsTest, MaximumPropagatesNaN) {
  Program p = oneOp(OpKind::Max, {{{2}, DType::F32}, {{2}, DType::F32}});
  auto out = cantFail(
      run(p, {tensor({2}, {NAN, 1}), tensor({2}, {1, NAN})}, Mode::Program));
  EXPECT_TRUE(std::isnan(out[0].values[0]));
  EXPECT_TRUE(std::isnan(out[0].values[1]));
}

TEST(KernelOpsTest, InputsAreRoundedInProgramMode) {
  Program p;
  ValueId x = p.addInput({{1}, DType::F16});
  ValueId wide = p.addValue({{1}, DType::F32});
  p.ops.push_back({OpKind::Cast, {}, {x}, {wide}, {}});
  p.outputs = {wide};
  Tensor in = tensor({1}, {0.1}, DType::F16);
  EXPECT_EQ(cantFail(run(p, {in}, Mode::Program))[0].values[0],
            roundTo(DType::F16, 0.1));
  EXPECT_EQ(cantFail(run(p, {in}, Mode::F64))[0].values[0], 0.1);
}

TEST(KernelOpsTest, RefusesInputsOfOtherTypes) {
  Program p = oneOp(OpKind::Neg, {{{2}, DType::F16}});
  EXPECT_EQ(errorOf(run(p, {}, Mode::F64)), "expected 1 input, but got 0");
  EXPECT_EQ(errorOf(run(p, {tensor({2}, {1, 2})}, Mode::F64)),
            "input 0: expected type 2xf16, but got 2xf32");
  EXPECT_EQ(errorOf(run(p, {tensor({2}, {1}, DType::F16)}, Mode::F64)),
            "input 0: expected 2 elements, but got 1");
}

TEST(KernelOpsTest, RefusesIllFormedPrograms) {
  Program p = oneOp(OpKind::Neg, {{{2}, DType::F16}});
  p.ops[0].operands[0] = 7;
  EXPECT_EQ(errorOf(run(p, {tensor({2}, {1, 2}, DType::F16)}, Mode::F64)),
            "neg: expected a value id below 2, but got 7");
  Program huge = oneOp(OpKind::Neg, {{{1 << 20, 1 << 20}, DType::F16}});
  EXPECT_EQ(errorOf(run(huge, {}, Mode::F64)),
            "value 0: expected 1 to 2147483648 elements, but got "
            "1048576x1048576xf16");
}

TEST(KernelOpsTest, RandomInputsDependOnTheSeedAlone) {
  Program p;
  p.addInput({{4, 2048, 8}, DType::F16});
  ValueId indices = p.addInput({{64}, DType::I32});
  ValueId table = p.addInput({{5, 3}, DType::F32});
  Attrs dim0;
  dim0.dims = {0};
  p.outputs = {p.append(OpKind::Gather, {table, indices}, dim0)};
  std::vector<Tensor> a = randomInputs(p, 7), b = randomInputs(p, 7),
                      c = randomInputs(p, 8);
  EXPECT_EQ(a[0].values, b[0].values);
  EXPECT_NE(a[0].values, c[0].values);
  double sum = 0, squares = 0;
  for (double value : a[0].values) {
    sum += value;
    squares += value * value;
    ASSERT_EQ(value, roundTo(DType::F16, value));
  }
  double n = static_cast<double>(a[0].values.size());
  EXPECT_NEAR(sum / n, 0.0, 1e-3);
  EXPECT_NEAR(squares / n * 2048, 1.0, 0.03);
  for (double index : a[1].values)
    EXPECT_TRUE(index >= 0 && index < 5) << index;
  EXPECT_EQ(cantFail(run(p, a, Mode::F64))[0].type.shape, (Shape{64, 3}));
}

TEST(KernelOpsTest, CompareSeesEveryElement) {
  Tensor a = tensor({4}, {1, 2, NAN, 4}), b = tensor({4}, {1, 2, 3, 5});
  Difference d = compare(a, b);
  EXPECT_EQ(d.wrongClass, 1);
  EXPECT_EQ(d.maxAbs, 1.0);
  EXPECT_NEAR(d.relative, 1.0 / std::sqrt(30.0), 1e-12);
}

} // namespace
