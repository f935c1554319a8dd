//===- AttentionCostTest.cpp - The model against measured attention -------===//
//
// Cold times measured on an H200 for online softmax over 4096 keys of depth 64
// in f16, 256 rows of 32 heads or 16 rows of 256 heads
// (benchmarks/results/h200-attention.json).
//
//===----------------------------------------------------------------------===//

#include "Mirage/Cost/CostModel.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace mirage::cost;
using namespace mirage::semantics;

namespace {
struct Instance {
  int64_t heads, rows;
  int64_t rowTile, splits, columns, threads, stages;
  double measured;
};

struct Builder {
  Program program;
  ValueId op(std::vector<Op> &body, OpKind kind, llvm::ArrayRef<ValueId> args,
             Shape shape, Attrs attrs = {}, DType type = DType::F32) {
    Op op;
    op.kind = kind;
    op.attrs = attrs;
    op.operands.assign(args.begin(), args.end());
    op.results.push_back(program.addValue({shape, type}));
    body.push_back(op);
    return op.results[0];
  }
};

Program attention(const Instance &s) {
  constexpr int64_t context = 4096, depth = 64;
  Builder b;
  Program &p = b.program;
  ValueId q = p.addInput({{s.heads, s.rows, depth}, DType::F16});
  ValueId k = p.addInput({{s.heads, depth, context}, DType::F16});
  ValueId v = p.addInput({{s.heads, context, depth}, DType::F16});
  Op graph;
  graph.kind = OpKind::Graph;
  graph.attrs.grid = {s.rows / s.rowTile, s.heads, s.splits};
  graph.attrs.cluster = {1, 1, s.splits};
  graph.attrs.threads = s.threads;
  graph.attrs.stages = s.stages;
  graph.operands = {q, k, v};
  Shape tile{1, s.rowTile, s.columns}, row{1, s.rowTile, 1},
      out{1, s.rowTile, depth};
  Attrs load;
  load.imap = {1, 0, -1};
  ValueId qt = b.op(graph.body, OpKind::Load, {q}, {1, s.rowTile, depth}, load,
                    DType::F16);
  Op loop;
  loop.kind = OpKind::Loop;
  loop.attrs.range = context / s.splits / s.columns;
  load.imap = {-1, 0, 2};
  load.fmap = 2;
  ValueId kt = b.op(loop.body, OpKind::Load, {k}, {1, depth, s.columns}, load,
                    DType::F16);
  load.imap = {-1, 0, 1};
  load.fmap = 1;
  ValueId vt = b.op(loop.body, OpKind::Load, {v}, {1, s.columns, depth}, load,
                    DType::F16);
  ValueId logits = b.op(loop.body, OpKind::Matmul, {qt, kt}, tile);
  Attrs running;
  running.accumulator = 0;
  ValueId now = b.op(loop.body, OpKind::Running, {}, row, running);
  running.current = false;
  ValueId before = b.op(loop.body, OpKind::Running, {}, row, running);
  ValueId e = b.op(loop.body, OpKind::Exp,
                   {b.op(loop.body, OpKind::Sub, {logits, now}, tile)}, tile);
  ValueId f = b.op(loop.body, OpKind::Exp,
                   {b.op(loop.body, OpKind::Sub, {before, now}, row)}, row);
  ValueId c = b.op(loop.body, OpKind::Cast, {e}, tile, {}, DType::F16);
  ValueId product = b.op(loop.body, OpKind::Matmul, {c, vt}, out);
  loop.attrs.accumulators = {{AccumulatorKind::Max, logits, -1, 2},
                             {AccumulatorKind::Rescale, product, f, -1},
                             {AccumulatorKind::Rescale, e, f, 2}};
  ValueId m = p.addValue({row, DType::F32}), o = p.addValue({out, DType::F32}),
          l = p.addValue({row, DType::F32});
  loop.results = {m, o, l};
  graph.body.push_back(loop);
  if (s.splits > 1) {
    Attrs reduce;
    reduce.gridDim = 2;
    reduce.reduce = ReduceKind::Max;
    ValueId all = b.op(graph.body, OpKind::ReduceBlocks, {m}, row, reduce);
    ValueId g = b.op(graph.body, OpKind::Exp,
                     {b.op(graph.body, OpKind::Sub, {m, all}, row)}, row);
    reduce.reduce = ReduceKind::Sum;
    o = b.op(graph.body, OpKind::ReduceBlocks,
             {b.op(graph.body, OpKind::Mul, {o, g}, out)}, out, reduce);
    l = b.op(graph.body, OpKind::ReduceBlocks,
             {b.op(graph.body, OpKind::Mul, {l, g}, row)}, row, reduce);
  }
  Op store;
  store.kind = OpKind::Store;
  store.operands = {b.op(graph.body, OpKind::Div, {o, l}, out)};
  store.attrs.omap = {1, 0, -1};
  graph.body.push_back(store);
  graph.results = {p.addValue({{s.heads, s.rows, depth}, DType::F16})};
  p.outputs = {graph.results[0]};
  p.ops.push_back(graph);
  return std::move(p);
}

GraphCost cost(const Instance &s) {
  Program p = attention(s);
  EXPECT_FALSE(static_cast<bool>(verifyProgram(p)));
  return costGraph(p, p.ops[0], *findTarget("sm_90a"));
}

// Tiles whose rows are one warp's each, few rows that warps share, many waves
// of clusters: within 40 % each, and those far apart in the right order.
TEST(AttentionCostTest, RanksMeasuredShapes) {
  const Instance shapes[] = {{32, 256, 64, 2, 64, 128, 6, 41.1},
                             {32, 256, 128, 2, 32, 128, 4, 42.3},
                             {32, 256, 32, 1, 64, 128, 3, 58.2},
                             {32, 256, 16, 2, 64, 128, 3, 72.5},
                             {32, 256, 64, 8, 128, 256, 4, 102.2},
                             {32, 256, 16, 4, 128, 128, 4, 153.9},
                             {256, 16, 16, 1, 128, 128, 3, 65.5},
                             {256, 16, 16, 8, 128, 128, 4, 129.8}};
  for (const Instance &a : shapes) {
    GraphCost one = cost(a);
    EXPECT_EQ(one.rejected, "");
    EXPECT_LT(std::abs(std::log(one.micros / a.measured)), std::log(1.4))
        << a.rowTile << " " << a.splits << " " << a.columns << ": predicted "
        << one.micros << ", measured " << a.measured;
    for (const Instance &b : shapes)
      if (a.measured * 1.5 < b.measured) {
        EXPECT_LT(one.micros, cost(b).micros)
            << a.measured << " against " << b.measured;
      }
  }
}

// 64 + 128 accumulators a thread and a left operand of 64 registers spill.
TEST(AttentionCostTest, RejectsTilesThatSpill) {
  EXPECT_NE(cost({32, 256, 128, 1, 128, 128, 3, 0}).rejected, "");
  EXPECT_EQ(cost({32, 256, 128, 1, 64, 128, 3, 0}).rejected, "");
}
} // namespace
