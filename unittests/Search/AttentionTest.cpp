//===- AttentionTest.cpp - Attention found from its operators -------------===//

#include "Mirage/Search/Search.h"
#include "Programs.h"
#include <gtest/gtest.h>

using namespace mirage::search;
using namespace mirage::search::test;

namespace {
SearchResult run(const Program &program) {
  SearchOptions options(*mirage::cost::findTarget("sm_90a"));
  auto result = search(program, options);
  EXPECT_TRUE(static_cast<bool>(result));
  if (!result) {
    llvm::consumeError(result.takeError());
    return {};
  }
  return std::move(*result);
}

const Op *loopOf(const Candidate &candidate) {
  for (const Op &op : candidate.program.ops[0].body)
    if (op.kind == OpKind::Loop)
      return &op;
  return nullptr;
}

unsigned count(const std::vector<Op> &body, OpKind kind) {
  return llvm::count_if(body, [&](const Op &op) { return op.kind == kind; });
}

/// The op that yields a value, changes of shape aside.
const Op *definer(const std::vector<Op> &body, ValueId value) {
  for (const Op &op : body)
    if (llvm::is_contained(op.results, value))
      return op.kind == OpKind::Reshape ? definer(body, op.operands[0]) : &op;
  return nullptr;
}

/// The shape of online softmax: two products in one loop, a maximum, a rescaled
/// sum and a rescaled product, and nothing as wide as the context outside.
void expectOnlineSoftmax(const Candidate &candidate) {
  const Op *loop = loopOf(candidate);
  ASSERT_TRUE(loop);
  EXPECT_EQ(count(loop->body, OpKind::Matmul), 2u);
  unsigned maxima = 0, rescaled = 0;
  for (const Accumulator &acc : loop->attrs.accumulators) {
    maxima += acc.kind == AccumulatorKind::Max;
    rescaled += acc.kind == AccumulatorKind::Rescale;
  }
  EXPECT_EQ(maxima, 1u);
  EXPECT_EQ(rescaled, 2u);
  EXPECT_EQ(loop->attrs.accumulators.size(), 3u);
}

/// Every exp in the loop is of x - m with m the running maximum of x, or of the
/// running maximum before minus that now: at most 0 by construction.
void expectBoundedExps(const Candidate &candidate) {
  const Op *loop = loopOf(candidate);
  ASSERT_TRUE(loop);
  for (const Op &op : loop->body) {
    if (op.kind != OpKind::Exp)
      continue;
    const Op *sub = definer(loop->body, op.operands[0]);
    ASSERT_TRUE(sub);
    if (sub->kind == OpKind::Mul) // by a positive constant
      sub = definer(loop->body, sub->operands[0]);
    ASSERT_TRUE(sub);
    ASSERT_EQ(sub->kind, OpKind::Sub);
    const Op *max = definer(loop->body, sub->operands[1]);
    ASSERT_TRUE(max);
    ASSERT_EQ(max->kind, OpKind::Running);
    EXPECT_TRUE(max->attrs.current);
    const Accumulator &acc = loop->attrs.accumulators[max->attrs.accumulator];
    EXPECT_EQ(acc.kind, AccumulatorKind::Max);
    const Op *left = definer(loop->body, sub->operands[0]);
    ASSERT_TRUE(left);
    if (left->kind == OpKind::Running) {
      const Accumulator &before =
          loop->attrs.accumulators[left->attrs.accumulator];
      EXPECT_FALSE(left->attrs.current);
      EXPECT_EQ(definer(loop->body, acc.value),
                definer(loop->body, before.value));
    } else {
      EXPECT_EQ(definer(loop->body, acc.value), left);
    }
  }
}

void expectFound(const Program &program) {
  SearchResult result = run(program);
  ASSERT_FALSE(result.candidates.empty());
  expectOnlineSoftmax(result.candidates[0]);
  for (const Candidate &c : result.candidates) {
    EXPECT_FALSE(static_cast<bool>(verifyProgram(c.program)));
    expectBoundedExps(c);
  }
  EXPECT_LT(result.candidates[0].predictedMicros, result.originalMicros);
  EXPECT_EQ(result.stopped, StopReason::Finished);
  EXPECT_LT(result.stats.values, 5000u);
}

TEST(AttentionTest, GroupedQueries) {
  for (int64_t batch : {1, 8, 16})
    expectFound(attention(2 * batch));
}

TEST(AttentionTest, ManyHeads) {
  for (int64_t batch : {1, 8, 16})
    expectFound(attention(32 * batch, 16));
}

// Few rows leave SMs idle: the context is split over blocks, and what they
// found combined under the common maximum.
TEST(AttentionTest, DecodeSplitsTheContext) {
  SearchResult result = run(attention(2, 16));
  ASSERT_FALSE(result.candidates.empty());
  const Op &graph = result.candidates[0].program.ops[0];
  unsigned sums = 0, maxima = 0;
  for (const Op &op : graph.body)
    if (op.kind == OpKind::ReduceBlocks)
      ++(op.attrs.reduce == ReduceKind::Max ? maxima : sums);
  EXPECT_EQ(maxima, 1u);
  EXPECT_EQ(sums, 2u);
  // Each block's sums are brought to the common maximum first.
  EXPECT_EQ(count(graph.body, OpKind::Exp), 1u);
}

TEST(AttentionTest, Scaled) {
  AttentionForm form;
  form.scale = 0.125;
  expectFound(attentionOf(form));
  form.shiftScaled = true;
  expectFound(attentionOf(form));
}

TEST(AttentionTest, SoftCapped) {
  AttentionForm form;
  form.cap = 30;
  expectFound(attentionOf(form));
}

TEST(AttentionTest, AdditiveMask) {
  AttentionForm form;
  form.mask = true;
  expectFound(attentionOf(form));
}

// K as (context, d), as models keep it: the product reads it transposed.
TEST(AttentionTest, KeysByRow) {
  AttentionForm form;
  form.keysByRow = true;
  expectFound(attentionOf(form));
}

TEST(AttentionTest, Norms) {
  expectFound(qkNormAttention());
  AttentionForm form;
  form.norms = form.keysByRow = true;
  expectFound(attentionOf(form));
}

// As torch-mlir writes scaled attention of models: rank 4, k transposed, the
// products of rank 3.
TEST(AttentionTest, RankFour) {
  AttentionForm form;
  form.rank4 = form.keysByRow = form.scaleByExtent = true;
  expectFound(attentionOf(form, 8, 64, 1024, 128));
  form.cap = 50;
  form.norms = form.mask = true;
  expectFound(attentionOf(form, 8, 64, 1024, 128));
}

// A tile and the factor that rescales it may have different ranks: softmax of
// rank 4, reshaped for a product of rank 3.
TEST(AttentionTest, RanksThatDifferAreNotRescaled) {
  Builder b;
  ValueId x = b.input({1, 4, 4, 4}, DType::F32), v = b.input({4, 4, 8});
  Attrs last;
  last.dims = {3};
  ValueId p = b.cast(b.op(OpKind::Softmax, {x}, last), DType::F16);
  ValueId rows = b.typed(OpKind::Reshape, {p}, {{4, 4, 4}, DType::F16});
  ValueId out = b.matmul(rows, v);
  Program program =
      b.finish({b.typed(OpKind::Reshape, {out}, {{1, 4, 4, 8}, DType::F16})});
  auto result =
      search(program, SearchOptions(*mirage::cost::findTarget("sm_90a")));
  ASSERT_TRUE(static_cast<bool>(result));
  EXPECT_GT(result->stats.prunedShape, 0u);
}

// softmax with rows that are masked whole made 0, as exporters spell it: a
// select of two constants is no step of a map, and nothing is found.
TEST(AttentionTest, SelectOfTwoConstantsIsLeft) {
  Builder b;
  ValueId x = b.input({64, 256}, DType::F32);
  ValueId zero = b.literal(0), one = b.literal(1);
  Attrs eq;
  ValueId isZero =
      b.typed(OpKind::Compare, {x, zero}, {{64, 256}, DType::I1}, eq);
  Program program = b.finish({b.op(OpKind::Select, {isZero, zero, one})});
  EXPECT_TRUE(run(program).candidates.empty());
}
} // namespace
