//===- DefaultGraphsTest.cpp - Default graphs against the interpreter -----===//

#include "Mirage/Semantics/DefaultGraphs.h"
#include "Mirage/Interpreter/Interpreter.h"
#include "gtest/gtest.h"

using namespace mirage;
using namespace mirage::semantics;

namespace {
Program product(TensorType lhs, TensorType rhs, bool transposeRhs = false) {
  Program program;
  ValueId a = program.addInput(lhs), b = program.addInput(rhs);
  Attrs attrs;
  attrs.transposeRhs = transposeRhs;
  program.outputs = {program.append(OpKind::Matmul, {a, b}, attrs)};
  return program;
}

bool has(const Program &program, OpKind kind) {
  for (const Op &op : program.ops)
    if (op.kind == kind)
      return true;
  return false;
}

/// Well formed, and what it was: in double, sums differ by their order only.
void expectSame(const Program &before, const Program &after) {
  llvm::Error error = verifyProgram(after);
  ASSERT_FALSE(static_cast<bool>(error)) << llvm::toString(std::move(error));
  auto inputs = interpreter::randomInputs(before, /*seed=*/1);
  auto expected = interpreter::run(before, inputs, interpreter::Mode::F64);
  auto actual = interpreter::run(after, inputs, interpreter::Mode::F64);
  ASSERT_TRUE(static_cast<bool>(expected));
  ASSERT_TRUE(static_cast<bool>(actual));
  ASSERT_EQ(expected->size(), actual->size());
  for (size_t i = 0; i < expected->size(); ++i) {
    EXPECT_EQ((*actual)[i].type.shape, (*expected)[i].type.shape);
    EXPECT_LT(interpreter::compare((*actual)[i], (*expected)[i]).relative,
              1e-12);
  }
}

TEST(DefaultGraphsTest, WrapsProductsThatTensorCoresFit) {
  for (int64_t rows : {1, 3, 16, 64, 96, 128, 200})
    for (bool transposed : {false, true}) {
      Program program = product(
          {{rows, 48}, DType::F16},
          {transposed ? Shape{24, 48} : Shape{48, 24}, DType::F16}, transposed);
      Program wrapped = wrapPredefinedOps(program);
      EXPECT_TRUE(has(wrapped, OpKind::Graph)) << "rows=" << rows;
      EXPECT_FALSE(has(wrapped, OpKind::Matmul));
      expectSame(program, wrapped);
    }
}

TEST(DefaultGraphsTest, MergesBatchDims) {
  Program both =
      product({{2, 3, 8, 32}, DType::BF16}, {{2, 3, 32, 16}, DType::BF16});
  Program shared =
      product({{2, 3, 8, 32}, DType::F16}, {{1, 1, 32, 16}, DType::F16});
  Program flat = product({{6, 8, 32}, DType::F16}, {{1, 32, 16}, DType::F16});
  Program single = product({{8, 32}, DType::F32}, {{32, 16}, DType::F32});
  for (const Program &program : {both, shared, flat, single}) {
    Program wrapped = wrapPredefinedOps(program);
    EXPECT_TRUE(has(wrapped, OpKind::Graph));
    expectSame(program, wrapped);
  }
}

// Odd depths and widths, batches that agree only in part, and a tall prime have
// no tiles.
TEST(DefaultGraphsTest, LeavesOtherProducts) {
  for (const Program &program :
       {product({{8, 33}, DType::F16}, {{33, 16}, DType::F16}),
        product({{8, 33}, DType::F32}, {{33, 16}, DType::F32}),
        product({{8, 32}, DType::F16}, {{32, 12}, DType::F16}),
        product({{2, 1, 8, 32}, DType::F16}, {{1, 3, 32, 16}, DType::F16}),
        product({{257, 32}, DType::F16}, {{32, 16}, DType::F16})}) {
    Program wrapped = wrapPredefinedOps(program);
    EXPECT_FALSE(has(wrapped, OpKind::Graph));
    EXPECT_TRUE(has(wrapped, OpKind::Matmul));
  }
}

// Up to 256 rows without a divisor that fills an instruction make one tile.
TEST(DefaultGraphsTest, WrapsRowsThatNothingDivides) {
  for (auto [rows, tile] : {std::pair<int64_t, int64_t>{67, 67},
                            {131, 131},
                            {251, 251},
                            {262, 131},
                            {77, 77},
                            {96, 48}}) {
    Program program = product({{rows, 64}, DType::F16}, {{64, 32}, DType::F16});
    Program wrapped = wrapPredefinedOps(program);
    ASSERT_TRUE(has(wrapped, OpKind::Graph)) << rows;
    EXPECT_EQ(wrapped.ops.back().attrs.grid[1], rows / tile);
    expectSame(program, wrapped);
  }
}

TEST(DefaultGraphsTest, StaysInTheSharedMemoryOfABlock) {
  DefaultGraphLimits limits;
  limits.sharedLimit = 48 * 1024;
  Program wrapped = wrapPredefinedOps(
      product({{64, 512}, DType::F16}, {{512, 16896}, DType::F16}), limits);
  ASSERT_TRUE(has(wrapped, OpKind::Graph));
  const Attrs &attrs = wrapped.ops.back().attrs;
  EXPECT_GE(attrs.stages, 2);
  EXPECT_LE(attrs.stages * (64 + 64) * 64 * 2, limits.sharedLimit);
}

TEST(DefaultGraphsTest, FoldsConstantsIntoGraphs) {
  Program program;
  ValueId x = program.addInput({{4, 8}, DType::F16});
  Op constant{OpKind::Constant, {}, {}, {}, {}};
  constant.attrs.constant = ConstantValue::makeLiteral(0.5);
  constant.results.push_back(program.addValue({{1, 1}, DType::F16}));
  program.ops.push_back(constant);
  ValueId scale = constant.results[0];
  auto op = [&](OpKind kind, llvm::ArrayRef<ValueId> operands,
                TensorType type) {
    Op made{kind, {}, {operands.begin(), operands.end()}, {}, {}};
    made.results.push_back(program.addValue(type));
    return made;
  };
  Op left = op(OpKind::Load, {x}, {{4, 8}, DType::F16});
  Op right = op(OpKind::Load, {scale}, {{1, 1}, DType::F16});
  Op times = op(OpKind::Mul, {left.results[0], right.results[0]},
                {{4, 8}, DType::F32});
  Op store{OpKind::Store, {}, {times.results[0]}, {}, {}};
  Op graph = op(OpKind::Graph, {x, scale}, {{4, 8}, DType::F16});
  graph.body = {left, right, times, store};
  program.ops.push_back(graph);
  program.outputs = {graph.results[0]};

  Program wrapped = wrapPredefinedOps(program);
  EXPECT_EQ(wrapped.ops.back().operands.size(), 1u);
  EXPECT_EQ(wrapped.ops.back().body[1].kind, OpKind::Constant);
  expectSame(program, wrapped);
}
} // namespace
