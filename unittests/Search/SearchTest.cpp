//===- SearchTest.cpp - What the search finds -----------------------------===//

#include "Mirage/Search/Search.h"
#include "Mirage/Cost/CostModel.h"
#include "Programs.h"
#include <gtest/gtest.h>

using namespace mirage::search;
using namespace mirage::search::test;

namespace {
SearchOptions defaults(const char *target = "sm_90a") {
  return SearchOptions(*mirage::cost::findTarget(target));
}

SearchResult run(const Program &program,
                 const SearchOptions &options = defaults()) {
  auto result = search(program, options);
  EXPECT_TRUE(static_cast<bool>(result));
  if (!result) {
    llvm::consumeError(result.takeError());
    return {};
  }
  return std::move(*result);
}

/// Ops of a kind in a body and the bodies inside it.
unsigned count(const std::vector<Op> &body, OpKind kind) {
  unsigned n = 0;
  for (const Op &op : body)
    n += (op.kind == kind) + count(op.body, kind);
  return n;
}

const Op &graphOf(const Candidate &candidate) {
  return candidate.program.ops[0];
}

const Op *loopOf(const Candidate &candidate) {
  for (const Op &op : graphOf(candidate).body)
    if (op.kind == OpKind::Loop)
      return &op;
  return nullptr;
}

/// Every candidate is one well-formed kernel with the program's signature.
void expectOneKernel(const Program &program, const SearchResult &result) {
  ASSERT_FALSE(result.candidates.empty());
  for (const Candidate &c : result.candidates) {
    EXPECT_FALSE(static_cast<bool>(verifyProgram(c.program)));
    ASSERT_EQ(c.program.ops.size(), 1u);
    EXPECT_EQ(graphOf(c).kind, OpKind::Graph);
    EXPECT_EQ(c.program.numInputs, program.numInputs);
    ASSERT_EQ(c.program.outputs.size(), program.outputs.size());
    for (size_t i = 0; i < program.outputs.size(); ++i)
      EXPECT_EQ(c.program.type(c.program.outputs[i]),
                program.type(program.outputs[i]));
  }
}

TEST(SearchTest, RmsNormLinearIsOneKernel) {
  Program program = rmsNormLinear();
  SearchResult result = run(program);
  expectOneKernel(program, result);
  const Candidate &best = result.candidates[0];
  const Op *loop = loopOf(best);
  ASSERT_TRUE(loop);
  // The sum of squares runs beside the product, the normalisation follows.
  EXPECT_EQ(count(loop->body, OpKind::Matmul), 1u);
  ASSERT_EQ(loop->attrs.accumulators.size(), 2u);
  unsigned reducing = 0;
  for (const Accumulator &acc : loop->attrs.accumulators)
    reducing += acc.reduceDim == 1;
  EXPECT_EQ(reducing, 1u);
  EXPECT_EQ(count(loop->body, OpKind::Rsqrt), 0u);
  EXPECT_EQ(count(graphOf(best).body, OpKind::Rsqrt), 1u);
  // 96 column blocks do not fill 132 SMs: the cheapest splits the sum.
  EXPECT_GE(count(graphOf(best).body, OpKind::ReduceBlocks), 1u);
  EXPECT_LT(best.predictedMicros, result.originalMicros);
}

TEST(SearchTest, GatedMlpIsOneKernel) {
  for (const Program &program : {gatedMlp(), gatedMlpFromPrimitives()}) {
    SearchResult result = run(program);
    expectOneKernel(program, result);
    const Candidate &best = result.candidates[0];
    ASSERT_TRUE(loopOf(best));
    EXPECT_EQ(count(loopOf(best)->body, OpKind::Matmul), 2u);
    EXPECT_LT(best.predictedMicros, result.originalMicros);
  }
}

// Without clusters there is no reduction over blocks.
TEST(SearchTest, NoSplitSumWithoutClusters) {
  SearchResult result = run(rmsNormLinear(), defaults("sm_80"));
  ASSERT_FALSE(result.candidates.empty());
  for (const Candidate &c : result.candidates)
    EXPECT_EQ(count(graphOf(c).body, OpKind::ReduceBlocks), 0u);
}
} // namespace
