//===- BlockGraphTest.cpp - Graph-defined kernels -------------------------===//

#include "TestPrograms.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mirage::interpreter;
using namespace mirage::interpreter::test;

namespace {

/// rms_norm(x) * w with the sum of squares accumulated beside the product, K
/// split over grid z and a loop, columns over grid x.
Program fusedRmsNormLinear(int64_t rows, int64_t k, int64_t columns,
                           GridDims grid, int64_t range, bool interleaved,
                           DType dtype) {
  Program p;
  ValueId x = p.addInput({{rows, k}, dtype});
  ValueId w = p.addInput({{k, columns}, dtype});
  BlockBuilder b(p, grid, {x, w});
  b.beginLoop(range);
  ValueId tx = b.load(x, {-1, -1, 1}, 1, interleaved);
  ValueId tw = b.load(w, {1, -1, 0}, 0, interleaved);
  ValueId product = b.compute(OpKind::Matmul, {tx, tw});
  ValueId squares = b.compute(OpKind::Square, {tx});
  auto totals = b.endLoop({{AccumulatorKind::Sum, product, -1, -1},
                           {AccumulatorKind::Sum, squares, -1, 1}});
  ValueId sum = b.reduceBlocks(totals[0], 2);
  ValueId norm = b.reduceBlocks(totals[1], 2);
  Attrs mean;
  mean.constant = ConstantValue::makeExtent(ConstantValue::Kind::InvExtent, k);
  ValueId scale = b.add(OpKind::Constant, {}, mean, {{rows, 1}, DType::F32});
  ValueId factor =
      b.compute(OpKind::Rsqrt, {b.compute(OpKind::Mul, {norm, scale})});
  b.store(b.compute(OpKind::Mul, {sum, factor}), {1, -1, -1}, dtype);
  b.finish();
  return p;
}

Program rmsNormLinear(int64_t rows, int64_t k, int64_t columns, DType dtype) {
  Program p;
  ValueId x = p.addInput({{rows, k}, dtype});
  ValueId w = p.addInput({{k, columns}, dtype});
  p.outputs = {p.append(OpKind::Matmul, {p.append(OpKind::RmsNorm, {x}), w})};
  return p;
}

TEST(BlockGraphTest, FusedRmsNormLinearMeansTheSame) {
  Program plain = rmsNormLinear(4, 48, 30, DType::F32);
  std::vector<Tensor> inputs = randomInputs(plain, 1);
  Tensor expected = cantFail(run(plain, inputs, Mode::F64))[0];
  for (bool interleaved : {false, true}) {
    Program fused =
        fusedRmsNormLinear(4, 48, 30, {5, 1, 3}, 4, interleaved, DType::F32);
    Tensor actual = cantFail(run(fused, inputs, Mode::F64))[0];
    EXPECT_LT(compare(actual, expected).relative, 1e-14);
    actual = cantFail(run(fused, inputs, Mode::Program))[0];
    EXPECT_LT(compare(actual, expected).relative, 1e-6);
    EXPECT_GT(compare(actual, expected).relative, 1e-9); // it did round
  }
}

// The same maps with one splitter wrong must be told apart.
TEST(BlockGraphTest, WrongMapGivesAnotherResult) {
  Program fused =
      fusedRmsNormLinear(4, 48, 30, {5, 1, 3}, 4, false, DType::F32);
  std::vector<Tensor> inputs = randomInputs(fused, 1);
  Tensor expected = cantFail(run(fused, inputs, Mode::F64))[0];
  fused.ops[0].body[0].body[0].attrs.interleaved = true; // x but not w
  Tensor actual = cantFail(run(fused, inputs, Mode::F64))[0];
  EXPECT_GT(compare(actual, expected).relative, 1e-2);
}

TEST(BlockGraphTest, SameBitsForAnyNumberOfThreads) {
  Program fused =
      fusedRmsNormLinear(16, 64, 24, {6, 1, 4}, 4, false, DType::F16);
  std::vector<Tensor> inputs = randomInputs(fused, 3);
  Tensor one = cantFail(run(fused, inputs, Mode::Program, 1))[0];
  for (unsigned threads : {2u, 5u})
    EXPECT_EQ(cantFail(run(fused, inputs, Mode::Program, threads))[0].values,
              one.values);
}

/// Stores what each load reads, so that maps can be read off.
std::vector<double> loaded(GridDims grid, GridMap imap, GridMap omap) {
  Program p;
  ValueId x = p.addInput({{8}, DType::F32});
  BlockBuilder b(p, grid, {x});
  b.store(b.compute(OpKind::Neg, {b.load(x, imap)}), omap, DType::F32);
  b.finish();
  return cantFail(run(p, {tensor({8}, {0, 1, 2, 3, 4, 5, 6, 7})}, Mode::F64))[0]
      .values;
}

TEST(BlockGraphTest, AxesThatSplitOneDimNestXOutermost) {
  std::vector<double> all = {-0.0, -1, -2, -3, -4, -5, -6, -7};
  EXPECT_EQ(loaded({2, 2, 1}, {0, 0, -1}, {0, 0, -1}), all);
  EXPECT_EQ(loaded({2, 2, 2}, {0, 0, 0}, {0, 0, 0}), all);
  // Replicated along y and written once.
  EXPECT_EQ(loaded({4, 3, 1}, {0, -1, -1}, {0, -1, -1}), all);
}

// One side of the maps splits a dim by x and y, the other gives each its own
// dim: in the same order on both sides a wrong nesting would cancel.
TEST(BlockGraphTest, NestingOrderOfLoadsAndStores) {
  for (bool splitByLoad : {true, false}) {
    Program p;
    ValueId x =
        p.addInput({splitByLoad ? Shape{6, 1} : Shape{2, 3}, DType::F32});
    BlockBuilder b(p, {2, 3, 1}, {x});
    GridMap both = {0, 0, -1}, apart = {0, 1, -1};
    ValueId tile = b.load(x, splitByLoad ? both : apart);
    b.store(tile, splitByLoad ? apart : both, DType::F32);
    b.finish();
    Tensor in{p.type(x), {0, 1, 2, 3, 4, 5}};
    EXPECT_EQ(cantFail(run(p, {in}, Mode::F64))[0].values, in.values);
  }
}

/// Sums the iterations i of a loop weighted by position, for both orders:
/// accumulator of load(x) over a loop of 2 with 2 blocks.
std::vector<double> loopSum(bool interleaved) {
  Program p;
  ValueId x = p.addInput({{8}, DType::F32});
  BlockBuilder b(p, {2, 1, 1}, {x});
  b.beginLoop(2);
  ValueId tile = b.load(x, {0, -1, -1}, 0, interleaved);
  auto totals = b.endLoop({{AccumulatorKind::Sum, tile, -1, -1}});
  b.store(totals[0], {0, -1, -1}, DType::F32);
  b.finish();
  return cantFail(run(p, {tensor({8}, {0, 1, 2, 3, 4, 5, 6, 7})}, Mode::F64))[0]
      .values;
}

TEST(BlockGraphTest, BlockedAndInterleavedLoops) {
  // Blocked: block 0 reads {0,1} then {2,3}; interleaved: {0,1} then {4,5}.
  EXPECT_EQ(loopSum(false), (std::vector<double>{2, 4, 10, 12}));
  EXPECT_EQ(loopSum(true), (std::vector<double>{4, 6, 8, 10}));
}

TEST(BlockGraphTest, ReduceBlocksTakesSumAndMaxAlongOneAxis) {
  for (ReduceKind kind : {ReduceKind::Sum, ReduceKind::Max}) {
    Program p;
    ValueId x = p.addInput({{2, 6}, DType::F32});
    BlockBuilder b(p, {2, 3, 1}, {x});
    ValueId tile = b.load(x, {0, 1, -1});
    b.store(b.reduceBlocks(tile, 1, kind), {0, -1, -1}, DType::F32);
    b.finish();
    Tensor out = cantFail(
        run(p, {tensor({2, 6}, {0, 1, 2, 3, 4, 5, 60, 70, 80, 90, 100, 110})},
            Mode::F64))[0];
    EXPECT_EQ(out.values, kind == ReduceKind::Sum
                              ? (std::vector<double>{6, 9, 240, 270})
                              : (std::vector<double>{4, 5, 100, 110}));
  }
}

/// softmax(q k^T) v over key blocks, online: a running maximum rescales both
/// the sum and the product.
Program onlineAttention(int64_t rows, int64_t keys, int64_t dim,
                        int64_t range) {
  Program p;
  ValueId q = p.addInput({{rows, dim}, DType::F32});
  ValueId k = p.addInput({{keys, dim}, DType::F32});
  ValueId v = p.addInput({{keys, dim}, DType::F32});
  BlockBuilder b(p, {1, 1, 1}, {q, k, v});
  ValueId tq = b.load(q, {-1, -1, -1});
  b.beginLoop(range);
  Attrs transposed;
  transposed.transposeRhs = true;
  ValueId logits =
      b.compute(OpKind::Matmul, {tq, b.load(k, {-1, -1, -1}, 0)}, transposed);
  TensorType row{{rows, 1}, DType::F32};
  ValueId before = b.running(0, false, row), now = b.running(0, true, row);
  ValueId factor =
      b.compute(OpKind::Exp, {b.compute(OpKind::Sub, {before, now})});
  ValueId weights =
      b.compute(OpKind::Exp, {b.compute(OpKind::Sub, {logits, now})});
  ValueId part =
      b.compute(OpKind::Matmul, {weights, b.load(v, {-1, -1, -1}, 0)});
  auto totals = b.endLoop({{AccumulatorKind::Max, logits, -1, 1},
                           {AccumulatorKind::Rescale, weights, factor, 1},
                           {AccumulatorKind::Rescale, part, factor, -1}});
  b.store(b.compute(OpKind::Div, {totals[2], totals[1]}), {-1, -1, -1},
          DType::F32);
  b.finish();
  return p;
}

TEST(BlockGraphTest, OnlineSoftmaxEqualsSoftmax) {
  Program plain;
  ValueId q = plain.addInput({{3, 8}, DType::F32});
  ValueId k = plain.addInput({{20, 8}, DType::F32});
  ValueId v = plain.addInput({{20, 8}, DType::F32});
  Attrs transposed, dim1;
  transposed.transposeRhs = true;
  dim1.dims = {1};
  ValueId weights =
      plain.append(OpKind::Softmax,
                   {plain.append(OpKind::Matmul, {q, k}, transposed)}, dim1);
  plain.outputs = {plain.append(OpKind::Matmul, {weights, v})};
  std::vector<Tensor> inputs = randomInputs(plain, 5);
  for (double &value : inputs[0].values)
    value *= 400; // logits that overflow exp without the maximum
  Tensor expected = cantFail(run(plain, inputs, Mode::F64))[0];
  Tensor online =
      cantFail(run(onlineAttention(3, 20, 8, 5), inputs, Mode::F64))[0];
  EXPECT_LT(compare(online, expected).relative, 1e-13);
  EXPECT_EQ(compare(online, expected).wrongClass, 0);
}

TEST(BlockGraphTest, RunningReadsTheStateBeforeAndAfter) {
  Program p;
  ValueId x = p.addInput({{6}, DType::F32});
  BlockBuilder b(p, {1, 1, 1}, {x});
  b.beginLoop(3);
  ValueId tile = b.load(x, {-1, -1, -1}, 0);
  TensorType type{{2}, DType::F32};
  ValueId before = b.running(0, false, type), after = b.running(0, true, type);
  auto totals = b.endLoop({{AccumulatorKind::Sum, tile, -1, -1},
                           {AccumulatorKind::Sum, before, -1, -1},
                           {AccumulatorKind::Sum, after, -1, -1}});
  for (ValueId total : totals)
    b.store(total, {-1, -1, -1}, DType::F32);
  b.finish();
  auto outputs =
      cantFail(run(p, {tensor({6}, {1, 10, 2, 20, 3, 30})}, Mode::F64));
  EXPECT_EQ(outputs[0].values, (std::vector<double>{6, 60}));
  EXPECT_EQ(outputs[1].values, (std::vector<double>{4, 40}));   // 0 + 1 + 3
  EXPECT_EQ(outputs[2].values, (std::vector<double>{10, 100})); // 1 + 3 + 6
}

TEST(BlockGraphTest, TilesAreF32AndOnlyStoresRound) {
  Program p;
  ValueId x = p.addInput({{1}, DType::F16});
  BlockBuilder b(p, {1, 1, 1}, {x});
  ValueId tile = b.load(x, {-1, -1, -1});
  ValueId square = b.compute(OpKind::Square, {tile});
  Attrs none;
  ValueId cast = b.add(OpKind::Cast, {square}, none, {{1}, DType::F16});
  b.store(square, {-1, -1, -1}, DType::F32);
  b.store(b.compute(OpKind::Neg, {cast}), {-1, -1, -1}, DType::F32);
  b.store(square, {-1, -1, -1}, DType::F16);
  b.finish();
  double x0 = 1.0009765625; // 1 + 2^-10: its square needs 20 bits
  auto outputs =
      cantFail(run(p, {tensor({1}, {x0}, DType::F16)}, Mode::Program));
  EXPECT_EQ(outputs[0].values[0], x0 * x0);
  EXPECT_EQ(outputs[1].values[0], -(1 + 0x1p-9));
  EXPECT_EQ(outputs[2].values[0], 1 + 0x1p-9);
  // Over the reals nothing rounds.
  outputs = cantFail(run(p, {tensor({1}, {x0}, DType::F16)}, Mode::F64));
  EXPECT_EQ(outputs[2].values[0], x0 * x0);
}

TEST(BlockGraphTest, GatherOutOfRangeInABlockIsAnError) {
  Program p;
  ValueId x = p.addInput({{4, 2}, DType::F32});
  ValueId i = p.addInput({{6}, DType::I32});
  BlockBuilder b(p, {3, 1, 1}, {x, i});
  ValueId data = b.load(x, {-1, -1, -1});
  ValueId indices = b.load(i, {0, -1, -1});
  Attrs dim0;
  dim0.dims = {0};
  b.store(b.compute(OpKind::Gather, {data, indices}, dim0), {0, -1, -1},
          DType::F32);
  b.finish();
  Tensor x0 = tensor({4, 2}, {0, 1, 10, 11, 20, 21, 30, 31});
  auto good = cantFail(
      run(p, {x0, tensor({6}, {3, 0, 1, 1, 2, 0}, DType::I32)}, Mode::F64));
  EXPECT_EQ(good[0].values,
            (std::vector<double>{30, 31, 0, 1, 10, 11, 10, 11, 20, 21, 0, 1}));
  for (unsigned threads : {1u, 3u})
    EXPECT_EQ(errorOf(run(p, {x0, tensor({6}, {0, 0, 0, 9, -1, 7}, DType::I32)},
                          Mode::F64, threads)),
              "gather: expected indices in [0, 4), but got 9 at position 1");
}

TEST(BlockGraphTest, RefusesCurrentStateBeforeItsFactor) {
  Program p = onlineAttention(3, 20, 8, 5);
  Op &loop = p.ops[0].body[1];
  // Its value is known early, but not the factor that scales the state first.
  loop.attrs.accumulators[1].value = loop.attrs.accumulators[0].value;
  for (Op &op : loop.body)
    if (op.kind == OpKind::Running && !op.attrs.current) {
      op.attrs.accumulator = 1;
      op.attrs.current = true;
      break;
    }
  std::string error = errorOf(run(p, randomInputs(p, 1), Mode::F64));
  EXPECT_NE(error.find("running: expected the factor of accumulator 1 to be "
                       "defined before its current state is read"),
            std::string::npos)
      << error;
}

TEST(BlockGraphTest, RefusesMoreBlocksThanAnyoneWaitsFor) {
  Program p;
  ValueId x = p.addInput({{4}, DType::F32});
  BlockBuilder b(p, {1 << 20, 1 << 20, 1}, {x});
  b.store(b.load(x, {-1, -1, -1}), {-1, -1, -1}, DType::F32);
  b.finish();
  EXPECT_EQ(errorOf(run(p, {tensor({4}, {1, 2, 3, 4})}, Mode::F64)),
            "graph: expected at most 67108864 blocks, but got 1048576 x "
            "1048576 x 1");
}

} // namespace
