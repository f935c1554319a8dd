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
  SearchOptions options = defaults();
  options.top = 64;
  SearchResult result = run(program, options);
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
  // 96 column blocks do not fill 132 SMs: some split the sum over a cluster.
  EXPECT_TRUE(llvm::any_of(result.candidates, [&](const Candidate &one) {
    return count(graphOf(one).body, OpKind::ReduceBlocks) >= 1;
  }));
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

TEST(SearchTest, EveryProgramOfTheTableIsOneKernel) {
  for (const NamedProgram &one : allPrograms()) {
    SCOPED_TRACE(one.name);
    // The wider of the two LayerNorms asks more of the search.
    if (llvm::StringRef(one.name) == "layernorm_linear")
      continue;
    Program program = one.build();
    SearchOptions options = defaults();
    options.prune = PruneMode::Direct;
    SearchResult result = run(program, options);
    expectOneKernel(program, result);
    EXPECT_LT(result.candidates[0].predictedMicros, result.originalMicros);
    EXPECT_GE(result.candidates[0].predictedMicros,
              mirage::cost::lowerBoundMicros(program, options.target));
    EXPECT_LE(result.candidates[0].countedOps, options.maxBlockOps);
    EXPECT_EQ(result.stopped, StopReason::Finished);
  }
}

std::vector<std::string> texts(const SearchResult &result) {
  std::vector<std::string> all;
  for (const Candidate &c : result.candidates)
    all.push_back(toString(c.program) + std::to_string(c.predictedMicros));
  return all;
}

TEST(SearchTest, ThreadsDoNotChangeTheAnswer) {
  for (const Program &program : {rmsNormLinear(), lora(), softmaxRows()}) {
    SearchOptions one = defaults(), three = defaults();
    three.threads = 3;
    SearchResult a = run(program, one), b = run(program, three);
    EXPECT_EQ(texts(a), texts(b));
    EXPECT_EQ(a.stats.visited, b.stats.visited);
    EXPECT_EQ(a.stats.prune.z3Queries, b.stats.prune.z3Queries);
  }
}

// Pruning takes time away and no candidates.
TEST(SearchTest, PruneModesFindTheSame) {
  Program program = rmsNormLinear(16, 256, 512);
  SearchOptions options = defaults();
  options.prune = PruneMode::Direct;
  std::vector<std::string> expected = texts(run(program, options));
  ASSERT_FALSE(expected.empty());
  for (PruneMode mode : {PruneMode::Both, PruneMode::Auto}) {
    options.prune = mode;
    SearchResult result = run(program, options);
    EXPECT_EQ(texts(result), expected);
    EXPECT_EQ(result.stats.prune.disagreements, 0u);
    EXPECT_EQ(result.stats.prune.z3Unknown, 0u);
  }
}

// Without pruning a small program still ends, with the same best candidate.
TEST(SearchTest, UnprunedSearchAgreesOnTheBest) {
  Builder b;
  ValueId x = b.input({64, 256}), w = b.input({256, 512});
  Program program = b.finish({b.op(OpKind::Relu, {b.matmul(x, w)})});
  SearchOptions pruned = defaults(), unpruned = defaults();
  pruned.maxBlockOps = unpruned.maxBlockOps = 3;
  unpruned.prune = PruneMode::None;
  SearchResult a = run(program, pruned), c = run(program, unpruned);
  ASSERT_FALSE(a.candidates.empty());
  ASSERT_FALSE(c.candidates.empty());
  EXPECT_EQ(texts(a)[0], texts(c)[0]);
  EXPECT_LT(a.stats.values, c.stats.values);
}

TEST(SearchTest, CancelledSearchReturns) {
  std::atomic<bool> cancel{true};
  SearchOptions options = defaults();
  options.cancel = &cancel;
  SearchResult result = run(rmsNormLinear(), options);
  EXPECT_EQ(result.stopped, StopReason::Cancelled);
  EXPECT_TRUE(result.candidates.empty());
}

// The second structure is cut off; what the first found is returned.
TEST(SearchTest, CancellingKeepsTheBestSoFar) {
  std::atomic<bool> cancel{false};
  SearchOptions options = defaults();
  options.cancel = &cancel;
  double best = 0;
  options.progress = [&](const Progress &progress) {
    best = progress.bestMicros;
    cancel = best > 0;
  };
  SearchResult result = run(rmsNormLinear(), options);
  EXPECT_EQ(result.stopped, StopReason::Cancelled);
  ASSERT_FALSE(result.candidates.empty());
  EXPECT_EQ(result.candidates[0].predictedMicros, best);
}

TEST(SearchTest, BudgetIsReported) {
  SearchOptions options = defaults();
  options.nodeBudget = 20;
  EXPECT_EQ(run(rmsNormLinear(), options).stopped, StopReason::Budget);
}

// A depth of 24 is no multiple of what a tensor core takes: the graphs are
// there, but none of their sizes fits, and opening gelu cannot help.
TEST(SearchTest, SizesThatNeverFitAreNotSearchedInsideMaps) {
  SearchResult result = run(linearGelu(4, 24, 20));
  EXPECT_TRUE(result.candidates.empty());
  EXPECT_GT(result.stats.graphs, 0u);
  EXPECT_LT(result.stats.visited, 100'000u);
}

TEST(SearchTest, BoundOnOpsHolds) {
  SearchOptions options = defaults();
  options.maxBlockOps = 4;
  EXPECT_TRUE(run(rmsNormLinear(), options).candidates.empty());
}

// A reshape that splits a dim is one that the search cannot look through.
TEST(SearchTest, SaysWhatItCannotLookInside) {
  Builder b;
  ValueId x = b.input({64, 128});
  Program program =
      b.finish({b.typed(OpKind::Reshape, {x}, {{64, 8, 16}, DType::F16})});
  SearchResult result = run(program);
  EXPECT_TRUE(result.candidates.empty());
  EXPECT_EQ(result.note,
            "expected a reshape that adds or drops dimensions of size 1, but "
            "got 64x128xf16 to 64x8x16xf16");
}

// What it cannot look inside is left, and the note names the op.
TEST(SearchTest, NotesNameWhatIsNotSearched) {
  auto note = [](const Program &program) {
    SearchResult result = run(program);
    EXPECT_TRUE(result.candidates.empty());
    return result.note;
  };
  Builder slice;
  ValueId x = slice.input({64, 64});
  Attrs attrs;
  attrs.offsets = {0, 0};
  attrs.sizes = {32, 64};
  attrs.strides = {1, 1};
  EXPECT_EQ(note(slice.finish({slice.op(OpKind::Slice, {x}, attrs)})),
            "expected an op that the search can look inside, but got 'slice'");
  // finish() would decompose it.
  Builder mean;
  x = mean.input({64, 64});
  Attrs reduce;
  reduce.reduce = ReduceKind::Mean;
  reduce.dims = {1};
  mean.program.outputs = {mean.op(OpKind::Reduce, {x}, reduce)};
  EXPECT_EQ(note(mean.program),
            "expected a decomposed program, but got 'reduce' with a mean");
  // A graph with two results: a search inside a search.
  Program twice;
  x = twice.addInput({{64, 64}, DType::F16});
  Op graph{OpKind::Graph, {}, {x}, {}, {}};
  Op load{OpKind::Load, {}, {x}, {twice.addValue({{64, 64}, DType::F16})}, {}};
  graph.body.push_back(load);
  for (int i = 0; i < 2; ++i) {
    graph.body.push_back({OpKind::Store, {}, {load.results[0]}, {}, {}});
    graph.results.push_back(twice.addValue({{64, 64}, DType::F16}));
  }
  twice.ops.push_back(graph);
  twice.outputs.assign(graph.results.begin(), graph.results.end());
  EXPECT_EQ(note(twice),
            "expected an op with 1 result, but got 'graph' with 2");
}

TEST(SearchTest, MalformedProgramIsAnError) {
  Program program = elementwise();
  program.outputs = {99};
  auto result = search(program, defaults());
  EXPECT_FALSE(static_cast<bool>(result));
  llvm::consumeError(result.takeError());
}

// A missing maximum is equal in the field; exp must not see what may overflow.
TEST(SearchTest, SoftmaxKeepsItsMaximum) {
  SearchResult result = run(softmaxRows());
  ASSERT_FALSE(result.candidates.empty());
  for (const Candidate &c : result.candidates) {
    bool hasMax = false;
    for (const Op &op : graphOf(c).body) {
      hasMax |= op.kind == OpKind::Reduce && op.attrs.reduce == ReduceKind::Max;
      for (const Accumulator &acc : op.attrs.accumulators)
        hasMax |= acc.kind == AccumulatorKind::Max;
    }
    EXPECT_TRUE(hasMax);
  }
  EXPECT_GT(result.stats.prunedRange, 0u);
}

// Widths of real models that are no powers of two, and one that no tile
// divides.
TEST(SearchTest, OddSizes) {
  for (int64_t depth : {2560, 11008, 1536}) {
    Program program = rmsNormLinear(16, depth, 14336);
    expectOneKernel(program, run(program));
  }
  EXPECT_TRUE(run(rmsNormLinear(16, 4099, 6144)).candidates.empty());
}

TEST(SearchTest, OneRowAndBf16) {
  Program program = rmsNormLinear(1);
  expectOneKernel(program, run(program));
  for (TensorType &type : program.values)
    if (type.dtype == DType::F16)
      type.dtype = DType::BF16;
  expectOneKernel(program, run(program));
}

// Two outputs of one kernel: the product and its row sums.
TEST(SearchTest, TwoOutputs) {
  Builder b;
  ValueId x = b.input({64, 1024}), w = b.input({1024, 256});
  ValueId y = b.matmul(x, w);
  Attrs reduce;
  reduce.dims = {1};
  ValueId sums = b.op(OpKind::Reduce, {b.op(OpKind::Square, {x})}, reduce);
  Program program = b.finish({y, sums});
  expectOneKernel(program, run(program));
}

// Each output is a map of one product: many maps, and many nodes to choose
// from.
TEST(SearchTest, ManyOutputsOfOneProduct) {
  for (int count : {2, 6, 12}) {
    Builder b;
    ValueId x = b.input({16, 64}), w = b.input({64, 64});
    ValueId y = b.matmul(x, w);
    llvm::SmallVector<ValueId> outputs;
    for (int i = 0; i < count; ++i)
      outputs.push_back(b.op(OpKind::Add, {y, b.full(1.5 + i, {16, 64})}));
    Program program = b.finish(outputs);
    expectOneKernel(program, run(program));
  }
}

// A residual of square weights: one input is read with two maps.
TEST(SearchTest, SquareWeightWithResidual) {
  Builder b;
  ValueId x = b.input({16, 1024}), w = b.input({1024, 1024});
  Program program = b.finish({b.op(OpKind::Add, {x, b.matmul(x, w)})});
  SearchResult result = run(program);
  expectOneKernel(program, result);
  EXPECT_EQ(count(graphOf(result.candidates[0]).body, OpKind::Load), 3u);
}
} // namespace

// A norm of rank 3 with a scale of rank 1 before a product of rank 2, as
// exporters write it: the scale is reshaped twice, at its load. The structures
// of one space are enough, where three spaces were searched for it.
TEST(SearchTest, ReshapesAtALoadFollowOneAnother) {
  Builder b;
  ValueId x = b.input({1, 4, 32}), scale = b.input({32}), w = b.input({32, 32});
  ValueId row = b.typed(OpKind::Reshape, {scale}, {{1, 1, 32}, DType::F16});
  ValueId norm = b.op(OpKind::Mul, {row, b.rmsNorm(x, 1e-5)});
  ValueId flat = b.typed(OpKind::Reshape, {norm}, {{4, 32}, DType::F16});
  Program program = b.finish({b.matmul(flat, w)});
  SearchOptions options = defaults();
  options.narrow = true;
  SearchResult narrow = run(program, options);
  expectOneKernel(program, narrow);
  EXPECT_EQ(narrow.stats.structures, 12u);
}

// A narrow search ends at graphs of which no sizes fit.
TEST(SearchTest, NarrowSearchEndsAtTheFirstGraphs) {
  SearchOptions options = defaults();
  options.narrow = true;
  SearchResult narrow = run(linearGelu(4, 24, 20), options);
  EXPECT_TRUE(narrow.candidates.empty());
  EXPECT_GT(narrow.stats.graphs, 0u);
  EXPECT_LT(narrow.stats.structures,
            run(linearGelu(4, 24, 20)).stats.structures);
}
