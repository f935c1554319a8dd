// Numberings, notes, the published files, and programs that the format lacks.

#include "Stored.h"

#include "Mirage/Import/MugraphJSON.h"
#include "Mirage/Verify/Coverage.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace mirage;
using namespace mirage::import;
using namespace mirage::import::test;
using namespace mirage::semantics;

namespace {
/// One input that is one output.
std::string identity(std::vector<int64_t> dtypes, Sizes strides = {}) {
  json::Array graph;
  for (auto [i, dtype] : llvm::enumerate(dtypes)) {
    json::Object typed = tensor(i, {4, 8});
    typed["data_type"] = dtype;
    Pairs fields;
    if (!strides.empty())
      fields.push_back({"input_strides", json::Array(strides)});
    graph.push_back(op("kn_input_op", {}, {json::Object(typed)}, fields));
    if (i == 0)
      graph.push_back(op("kn_output_op", {json::Object(typed)}, {}));
  }
  return text(json::Array{std::move(graph)});
}

DType firstType(const std::string &file) {
  auto read = readMugraphs(file);
  EXPECT_TRUE(bool(read)) << llvm::toString(read.takeError());
  return read ? read->graphs[0].type(0).dtype : DType::I1;
}

TEST(FilesTest, BothNumberings) {
  EXPECT_EQ(firstType(identity({920})), DType::BF16);
  EXPECT_EQ(firstType(identity({921})), DType::F16);
  EXPECT_EQ(firstType(identity({930})), DType::F32);
  EXPECT_EQ(firstType(identity({941})), DType::F16);
  EXPECT_EQ(firstType(identity({950})), DType::F32);
  EXPECT_EQ(firstType(identity({960})), DType::F64);
  // 940 is in both lists, and what stands beside it decides.
  EXPECT_EQ(firstType(identity({940})), DType::BF16);
  EXPECT_EQ(firstType(identity({940, 921})), DType::F64);
  EXPECT_EQ(firstType(identity({940, 941})), DType::BF16);
  EXPECT_EQ(firstType(identity({930, 920})), DType::F32);
}

TEST(FilesTest, StridesAreNoted) {
  auto read = readMugraphs(identity({921}, {1, 4}));
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  ASSERT_EQ(read->notes.size(), 1u);
  EXPECT_EQ(read->notes[0],
            "graph 0: input 0 is stored with strides [1, 4]; the function "
            "takes it row by row");
  EXPECT_TRUE(readMugraphs(identity({921}, {8, 1}))->notes.empty());
}

class PublishedTest : public testing::TestWithParam<const char *> {};

TEST_P(PublishedTest, RoundTrip) {
  auto buffer = llvm::MemoryBuffer::getFile(std::string(MIRAGE_MUGRAPHS "/") +
                                            GetParam() + ".json");
  ASSERT_TRUE(bool(buffer));
  auto file = readMugraphs((*buffer)->getBuffer());
  ASSERT_TRUE(bool(file)) << llvm::toString(file.takeError());
  auto written = writeMugraphs(file->graphs);
  ASSERT_TRUE(bool(written)) << llvm::toString(written.takeError());
  auto again = readMugraphs(*written);
  ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
  ASSERT_EQ(again->graphs.size(), file->graphs.size());
  for (size_t i = 0; i < file->graphs.size(); ++i)
    EXPECT_EQ(toString(again->graphs[i]), toString(file->graphs[i]));
}

TEST_P(PublishedTest, CoversItsResults) {
  auto buffer = llvm::MemoryBuffer::getFile(std::string(MIRAGE_MUGRAPHS "/") +
                                            GetParam() + ".json");
  ASSERT_TRUE(bool(buffer));
  auto file = readMugraphs((*buffer)->getBuffer());
  ASSERT_TRUE(bool(file)) << llvm::toString(file.takeError());
  auto solver = solver::createZ3Solver();
  for (const Program &program : file->graphs) {
    verify::CoverageReport report = verify::proveCoverage(program, *solver);
    EXPECT_EQ(report.outcome, verify::CoverageReport::Outcome::Proved)
        << program.name << ": " << report.reason;
    EXPECT_GT(report.stores, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(All, PublishedTest,
                         testing::Values("gated_mlp", "gqa_bs1", "lora",
                                         "ntrans_bs1", "rmsnorm_bs8"),
                         [](const auto &info) { return info.param; });

// What the format has no word for is refused, not left out.
TEST(FilesTest, RefusesToWrite) {
  auto read = readMugraphs(text(sample()));
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  struct Case {
    void (*change)(Program &);
    const char *message;
  } cases[] = {
      {[](Program &p) { p.ops[0].attrs.cluster = {4, 1, 1}; },
       "expected graphs without clusters, but got [4, 1, 1]"},
      {[](Program &p) { p.ops[0].body[0].body[0].attrs.interleaved = true; },
       "expected loads of blocked tiles, but got an interleaved one"},
      {[](Program &p) {
         p.ops[0].body[0].attrs.accumulators[0].kind = AccumulatorKind::Max;
       },
       "expected accumulators that sum, over the last dimension or none, but "
       "got accumulator 0 of 8x8xf32"},
      {[](Program &p) { p.ops[0].body[0].attrs.accumulators[1].reduceDim = 0; },
       "expected accumulators that sum, over the last dimension or none, but "
       "got accumulator 1 of 8x32xf32"},
      {[](Program &p) { p.ops[0].body[0].body[2].attrs.transposeRhs = true; },
       "expected products whose right operand is not transposed, but got "
       "'matmul' of type 8x8xf32"},
      // 1/64 would be a literal, but the format's mean is over 64 elements.
      {[](Program &p) { p.ops[0].body[1].attrs.constant.extent = 63; },
       "expected factors that are literals, but got inv_extent 63"},
  };
  for (const Case &entry : cases) {
    Program program = read->graphs[0];
    program.name = "f";
    entry.change(program);
    auto written = writeMugraphs(program);
    ASSERT_FALSE(bool(written)) << entry.message;
    EXPECT_EQ(llvm::toString(written.takeError()),
              std::string("@f: ") + entry.message);
  }
}

// The same of ops at the kernel level.
TEST(FilesTest, RefusesToWriteOps) {
  auto refusal = [](Op op, std::vector<TensorType> operands, TensorType type) {
    Program program;
    program.name = "f";
    for (const TensorType &operand : operands)
      op.operands.push_back(program.addInput(operand));
    op.results = {program.addValue(type)};
    program.outputs = {op.results[0]};
    program.ops.push_back(std::move(op));
    auto written = writeMugraphs(program);
    return written ? *written : llvm::toString(written.takeError());
  };
  TensorType half{{2, 4}, DType::F16}, single{{2, 4}, DType::F32};
  Op maximum{OpKind::Reduce, {}, {}, {}, {}};
  maximum.attrs.reduce = ReduceKind::Max;
  maximum.attrs.dims = {1};
  EXPECT_EQ(refusal(maximum, {half}, {{2, 1}, DType::F16}),
            "@f: expected sums along one dimension below 3, but got 'reduce' "
            "of type 2x1xf16");
  Op norm{OpKind::RmsNorm, {}, {}, {}, {}};
  norm.attrs.dims = {1};
  norm.attrs.epsilon = 1e-5;
  EXPECT_EQ(refusal(norm, {half}, half),
            "@f: expected norms without epsilon and scale, but got 'rms_norm' "
            "of type 2x4xf16");
  Op concat{OpKind::Concat, {}, {}, {}, {}};
  concat.attrs.dims = {0};
  EXPECT_EQ(refusal(concat, {half, half, half}, {{6, 4}, DType::F16}),
            "@f: expected concatenations of 2 operands along a dimension below "
            "3, but got 'concat' of type 6x4xf16");
  EXPECT_EQ(refusal(Op{OpKind::Cast, {}, {}, {}, {}}, {half}, single),
            "@f: expected no casts to other element types, but got 'cast' of "
            "type 2x4xf32");
}

// A graph without a loop is one of 1 iteration there.
TEST(FilesTest, WritesGraphsWithoutLoop) {
  Program program;
  ValueId x = program.addInput({{4, 8}, DType::F16});
  Op graph{OpKind::Graph, {}, {x}, {}, {}};
  graph.attrs.grid = {2, 1, 1};
  ValueId tile = program.addValue({{2, 8}, DType::F16});
  Op load{OpKind::Load, {}, {x}, {tile}, {}};
  load.attrs.imap = {0, -1, -1};
  ValueId result = program.addValue({{2, 8}, DType::F32});
  Op store{OpKind::Store, {}, {result}, {}, {}};
  store.attrs.omap = {0, -1, -1};
  graph.body = {load, Op{OpKind::Exp, {}, {tile}, {result}, {}}, store};
  ValueId y = program.addValue({{4, 8}, DType::F16});
  graph.results = {y};
  program.ops = {graph};
  program.outputs = {y};
  ASSERT_FALSE(llvm::errorToBool(verifyProgram(program)));
  auto written = writeMugraphs(program);
  ASSERT_TRUE(bool(written)) << llvm::toString(written.takeError());
  auto again = readMugraphs(*written);
  ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
  const Op &read = again->graphs[0].ops[0];
  ASSERT_EQ(read.body[0].kind, OpKind::Loop);
  EXPECT_EQ(read.body[0].attrs.range, 1);
  EXPECT_EQ(read.body[0].body[1].kind, OpKind::Exp);
}
} // namespace
