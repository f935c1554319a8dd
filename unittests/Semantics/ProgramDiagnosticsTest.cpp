// One program for each diagnostic of verifyProgram: the split matmul of
// Programs.h with one thing wrong.

#include "Programs.h"

#include "gtest/gtest.h"

using namespace mirage::semantics;
using namespace mirage::semantics::test;

namespace {
struct Case {
  const char *name;
  void (*spoil)(Program &);
  const char *message;
};

Op bare(OpKind kind) { return Op{kind, {}, {}, {}, {}}; }
Op &graph(Program &p) { return p.ops[0]; }
Op &loop(Program &p) { return p.ops[0].body[0]; }
Op &reduce(Program &p) { return p.ops[0].body[1]; }
Op &store(Program &p) { return p.ops[0].body[2]; }
Accumulator &accumulator(Program &p) { return loop(p).attrs.accumulators[0]; }

const Case kCases[] = {
    {"Inputs", [](Program &p) { p.numInputs = 9; },
     "expected at most 8 inputs, but got 9"},
    {"ValueRange", [](Program &p) { p.outputs[0] = 8; },
     "output: expected a value id below 8, but got 8"},
    {"ValueNegative", [](Program &p) { p.outputs[0] = -1; },
     "output: expected a value id below 8, but got -1"},
    // A tile does not leave its graph, nor a value of a loop's body its loop.
    {"ValueUndefined", [](Program &p) { p.outputs[0] = 6; },
     "output: expected a value defined before its use, but got value 6"},
    {"ValueSize", [](Program &p) { p.values[7].shape = {1 << 20, 1 << 21}; },
     "expected at most 1099511627776 elements, but got 1048576x2097152xf16"},
    {"ResultCount", [](Program &p) { loop(p).body[2].results.clear(); },
     "matmul: expected 1 result, but got 0"},
    {"ResultFresh", [](Program &p) { loop(p).body[2].results[0] = 3; },
     "matmul: expected a fresh result id, but got 3"},
    {"ResultTwice", [](Program &p) { reduce(p).results[0] = 4; },
     "reduce_blocks: expected a fresh result id, but got 4"},
    {"ResultRange", [](Program &p) { loop(p).body[2].results[0] = 8; },
     "matmul: expected a fresh result id, but got 8"},
    {"ResultType", [](Program &p) { p.values[2].shape[1] = 32; },
     "load: expected result type 16x64xf16, but got 16x32xf16"},
    {"ShapeRule", [](Program &p) { loop(p).body[2].operands[1] = 2; },
     "matmul: expected lhs dimension 1 to equal rhs dimension 0, but got 64 "
     "and 16"},
    {"KernelLevel", [](Program &p) { p.ops[0] = loop(p); },
     "expected a kernel-level op, but got 'for'"},
    {"Grid", [](Program &p) { graph(p).attrs.grid[1] = 0; },
     "graph: expected a grid that its cluster divides in dimension 1, but got "
     "0 and 1"},
    {"Cluster", [](Program &p) { graph(p).attrs.cluster[0] = 7; },
     "graph: expected a grid that its cluster divides in dimension 0, but got "
     "96 and 7"},
    {"StoresMissing", [](Program &p) { graph(p).body.pop_back(); },
     "graph: expected one store for each result, 1 in all, but got 0"},
    {"StoresExtra", [](Program &p) { graph(p).body.push_back(store(p)); },
     "graph: expected one store for each result, 1 in all, but got 2"},
    {"GraphResultRange", [](Program &p) { graph(p).results[0] = 8; },
     "graph: expected a result id below 8, but got 8"},
    {"GraphBody", [](Program &p) { reduce(p) = bare(OpKind::Graph); },
     "graph: expected a body of block-level ops without regions or stores, but "
     "got 'graph'"},
    {"LoopBody", [](Program &p) { loop(p).body[2] = store(p); },
     "for: expected a body of block-level ops without regions or stores, but "
     "got 'store'"},
    {"LoadOperandCount", [](Program &p) { loop(p).body[0].operands.clear(); },
     "load: expected 1 operand, but got 0"},
    {"LoadSource", [](Program &p) { loop(p).body[1].operands[0] = 2; },
     "load: expected a tensor that is an operand of its graph, but got value "
     "2"},
    {"LoadFmap", [](Program &p) { graph(p).body[0] = loop(p).body[0]; },
     "load: expected no fmap outside a loop, but got 1"},
    {"LoadTile", [](Program &p) { loop(p).body[0].attrs.fmap = 2; },
     "load: expected fmap to name a dimension below 2, but got 2"},
    {"ReduceBlocksLoop", [](Program &p) { loop(p).body[2] = reduce(p); },
     "reduce_blocks: expected to stand outside a loop, but got a loop of range "
     "16"},
    {"ReduceBlocksOperandCount",
     [](Program &p) { reduce(p).operands.push_back(5); },
     "reduce_blocks: expected 1 operand, but got 2"},
    {"ReduceBlocksDim", [](Program &p) { reduce(p).attrs.gridDim = 3; },
     "reduce_blocks: expected a grid dimension in [0, 3), but got 3"},
    {"ReduceBlocksMean",
     [](Program &p) { reduce(p).attrs.reduce = ReduceKind::Mean; },
     "reduce_blocks: expected sum or max, but got mean"},
    {"RunningOutside", [](Program &p) { reduce(p) = bare(OpKind::Running); },
     "running: expected to stand inside a loop, but got the body of a graph"},
    {"RunningAccumulator",
     [](Program &p) {
       loop(p).body[2] = bare(OpKind::Running);
       loop(p).body[2].attrs.accumulator = 1;
     },
     "running: expected an accumulator below 1, but got 1"},
    {"RunningCurrent",
     [](Program &p) {
       loop(p).body[1] = bare(OpKind::Running);
       loop(p).body[1].attrs.accumulator = 0;
     },
     "running: expected a value defined before its use, but got value 4"},
    {"RangeSmall", [](Program &p) { loop(p).attrs.range = 0; },
     "for: expected a range of at least 1, but got 0"},
    {"RangeLarge", [](Program &p) { loop(p).attrs.range = int64_t(1) << 31; },
     "for: expected a range of at most 2147483647, but got 2147483648"},
    {"LoopResultCount", [](Program &p) { loop(p).results.clear(); },
     "for: expected 1 result, but got 0"},
    {"LoopResultRange", [](Program &p) { loop(p).results[0] = 8; },
     "for: expected a result id below 8, but got 8"},
    {"AccumulatedRange", [](Program &p) { accumulator(p).value = 8; },
     "for: expected an accumulated value id below 8, but got 8"},
    {"AccumulatedUndefined", [](Program &p) { accumulator(p).value = 6; },
     "accumulator: expected a value defined before its use, but got value 6"},
    {"AccumulatorDim", [](Program &p) { accumulator(p).reduceDim = 2; },
     "accumulator: expected a reduced dimension below 2, but got 2"},
    {"FactorMissing",
     [](Program &p) { accumulator(p).kind = AccumulatorKind::Rescale; },
     "accumulator: expected a factor for rescale, but got none"},
    {"FactorExtra", [](Program &p) { accumulator(p).factor = 4; },
     "accumulator: expected no factor but for rescale, but got value 4"},
    {"FactorShape",
     [](Program &p) { accumulator(p) = {AccumulatorKind::Rescale, 4, 3, -1}; },
     "accumulator: expected a factor that broadcasts to 16x64xf32, but got "
     "64x64xf16"},
    {"StoreResults", [](Program &p) { store(p).results.push_back(7); },
     "store: expected 1 operand and 0 results, but got 1 and 1"},
    {"StoreVaries", [](Program &p) { store(p).attrs.omap = {-1, -1, -1}; },
     "store: expected a tile that is the same in all blocks along grid "
     "dimension 0, which its omap does not concatenate, but got value 6, which "
     "differs"},
    {"StoreTensor", [](Program &p) { store(p).attrs.omap[1] = 2; },
     "store: expected omap of grid dimension 1 to name a dimension below 2, "
     "but "
     "got 2"},
    {"StoreType", [](Program &p) { p.values[7].shape[1] = 64; },
     "store: expected result type 16x6144xf16, but got 16x64xf16"},
};

struct ProgramDiagnosticsTest : testing::TestWithParam<Case> {};

TEST_P(ProgramDiagnosticsTest, NamesWhatWasFound) {
  Program p = splitMatmul(true);
  ASSERT_EQ(message(verifyProgram(p)), "");
  GetParam().spoil(p);
  EXPECT_EQ(message(verifyProgram(p)), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(, ProgramDiagnosticsTest, testing::ValuesIn(kCases),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });
} // namespace
