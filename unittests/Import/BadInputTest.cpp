// The sample graph with one thing wrong, for each thing that can be.

#include "Stored.h"

#include "Mirage/Import/MugraphJSON.h"
#include "gtest/gtest.h"

using namespace mirage;
using namespace mirage::import;
using namespace mirage::import::test;

namespace {
std::string messageOf(llvm::StringRef text) {
  auto file = readMugraphs(text);
  return file ? "" : llvm::toString(file.takeError());
}

/// The value at a path such as "0/2/bgraph/operators/3": indices and keys.
json::Value *at(json::Value &root, llvm::StringRef path) {
  json::Value *value = &root;
  llvm::SmallVector<llvm::StringRef> steps;
  path.split(steps, '/');
  for (llvm::StringRef step : steps) {
    size_t index;
    if (json::Array *list = value->getAsArray())
      value = step.getAsInteger(10, index) ? nullptr : &(*list)[index];
    else
      value = value->getAsObject()->get(step);
    if (!value)
      return nullptr;
  }
  return value;
}

struct Case {
  const char *name;
  const char *path;
  json::Value (*make)();
  const char *message;
};

#define BLOCK "0/2/bgraph/operators/"
#define IN_GRAPH "graph 0, op 2 (kn_customized_op), bgraph: "
#define IN_BLOCK "graph 0, op 2 (kn_customized_op), bgraph, "
const Case kCases[] = {
    {"UnknownKernelOp", "0/2/op_type",
     [] { return json::Value("kn_magic_op"); },
     "graph 0, op 2 (kn_magic_op): field 'op_type': expected an op of the "
     "kernel level, but got \"kn_magic_op\""},
    {"UnknownBlockOp", BLOCK "2/op_type",
     [] { return json::Value("tb_magic_op"); },
     IN_BLOCK
     "op 2 (tb_magic_op): field 'op_type': expected an op of the block "
     "level, but got \"tb_magic_op\""},
    {"OpOfOtherLevel", BLOCK "2/op_type",
     [] { return json::Value("kn_matmul_op"); },
     IN_BLOCK "op 2: field 'op_type': expected a name of the form tb_..._op, "
              "but got \"kn_matmul_op\""},
    {"DType", "0/1/output_tensors/0/data_type", [] { return json::Value(922); },
     "graph 0, op 1 (kn_input_op): field 'output_tensors', tensor 0: field "
     "'data_type': expected 920 (bf16), 921 (f16), 930 (f32) or 940 (f64), but "
     "got 922"},
    {"DTypeOfOtherNumbering", "0/1/output_tensors/0/data_type",
     [] { return json::Value(941); },
     "graph 0, op 1 (kn_input_op): field 'output_tensors', tensor 0: field "
     "'data_type': expected 920 (bf16), 921 (f16), 930 (f32) or 940 (f64), but "
     "got 941"},
    {"DTypeOfUse", "0/2/input_tensors/1/data_type",
     [] { return json::Value(920); },
     "graph 0, op 2 (kn_customized_op): field 'input_tensors', field "
     "'data_type': expected f16 for tensor 2, but got bf16"},
    {"MissingTensor", "0/2/input_tensors/1/guid",
     [] { return json::Value(77); },
     "graph 0, op 2 (kn_customized_op): field 'input_tensors': expected a "
     "tensor that an op before defines, but got guid 77"},
    {"MissingTile", BLOCK "2/input_tensors/0/guid",
     [] { return json::Value(77); },
     IN_BLOCK "op 2 (tb_matmul_op): field 'input_tensors': expected a tile "
              "that an op before defines, but got guid 77"},
    {"MissingDTensor", BLOCK "0/dtensor/guid", [] { return json::Value(77); },
     IN_BLOCK "op 0 (tb_input_op): field 'dtensor': expected an input of the "
              "graph, but got guid 77"},
    {"DuplicateTensor", "0/1/output_tensors/0/guid",
     [] { return json::Value(1); },
     "graph 0, op 1 (kn_input_op): field 'output_tensors': expected a guid of "
     "its own, but got 1, which an op before has"},
    {"DuplicateTile", BLOCK "2/output_tensors/0/guid",
     [] { return json::Value(11); },
     IN_BLOCK "op 2 (tb_matmul_op): field 'output_tensors': expected a guid of "
              "its own, but got 11, which an op before has"},
    {"ShapeOfUse", "0/2/input_tensors/0/dim/1", [] { return json::Value(32); },
     "graph 0, op 2 (kn_customized_op): field 'input_tensors', field 'dim': "
     "expected [8, 64] for tensor 1, but got [8, 32]"},
    {"ShapeOfTile", BLOCK "0/output_tensors/0/dim/1",
     [] { return json::Value(64); },
     IN_BLOCK "op 0 (tb_input_op): field 'output_tensors', field 'dim': "
              "expected [8, 32] for tensor 11, but got [8, 64]"},
    {"ShapeOfResult", BLOCK "5/output_tensors/0/dim/0",
     [] { return json::Value(16); },
     IN_BLOCK "op 5 (tb_div_op): field 'output_tensors', field 'dim': expected "
              "[8, 8] for tensor 16, but got [16, 8]"},
    {"ShapeBeyondRank", "0/0/output_tensors/0/dim/2",
     [] { return json::Value(2); },
     "graph 0, op 0 (kn_input_op): field 'output_tensors', tensor 0: field "
     "'dim': expected 0 in slot 2, beyond num_dims, but got 2"},
    {"ShapeHuge", "0/0/output_tensors/0/dim/1",
     [] { return json::Value(int64_t(1) << 62); },
     "graph 0, op 0 (kn_input_op): field 'output_tensors', tensor 0: expected "
     "at most 1099511627776 elements, but got 8x4611686018427387904xf16"},
    {"Rank", "0/0/output_tensors/0/num_dims", [] { return json::Value(5); },
     "graph 0, op 0 (kn_input_op): field 'output_tensors', tensor 0: field "
     "'num_dims': expected an integer from 1 to 4, but got 5"},
    {"Layout", "0/0/output_tensors/0/layout",
     [] { return json::Value("SmemRowMajor"); },
     "graph 0, op 0 (kn_input_op): field 'output_tensors', tensor 0: field "
     "'layout': expected DmemRowMajor or DmemColumnMajor, but got "
     "\"SmemRowMajor\""},
    {"InputMapDim", BLOCK "0/input_map/x", [] { return json::Value(3); },
     IN_BLOCK "op 0 (tb_input_op): fields 'input_map' and 'forloop_dim': "
              "expected imap of grid dimension 0 to name a dimension below 2, "
              "but got 3"},
    {"InputMapSplits", "0/2/bgraph/grid_dim/x", [] { return json::Value(5); },
     IN_BLOCK "op 1 (tb_input_op): fields 'input_map' and 'forloop_dim': "
              "expected imap of grid dimension 0 to divide dimension 1 of size "
              "32, but got 5"},
    {"OutputMap", BLOCK "6/output_map/x", [] { return json::Value(0); },
     IN_BLOCK "op 6 (tb_output_op): field 'output_map': expected a map that "
              "makes 8x32xf16, but got 32x8xf16 from tile 8x8xf16"},
    {"OutputMapLosesBlocks", BLOCK "6/output_map/x",
     [] { return json::Value(-1); },
     IN_BLOCK "op 6 (tb_output_op): field 'output_map': expected a map that "
              "makes 8x32xf16, but got 8x8xf16 from tile 8x8xf16"},
    {"ForloopDim", BLOCK "0/forloop_dim", [] { return json::Value(-1); },
     IN_BLOCK "op 0 (tb_input_op): field 'output_tensors', field 'dim': "
              "expected [8, 64] for tensor 11, but got [8, 32]"},
    {"AfterAccum", BLOCK "5/output_tensors/0/after_accum",
     [] { return json::Value(false); },
     IN_BLOCK "op 5 (tb_div_op): field 'output_tensors', field 'after_accum': "
              "expected true for tensor 16, but got false"},
    {"ReadsChangingTileAfterLoop", BLOCK "5/input_tensors/1",
     [] { return json::Value(tile(13, {8, 8})); },
     IN_BLOCK "op 5 (tb_div_op): field 'input_tensors': expected tiles after "
              "accumulators, or inputs that all iterations share, but got tile "
              "13, which changes with the iteration"},
    {"StoresTileOfLoop", BLOCK "6/input_tensors/0",
     [] { return json::Value(tile(13, {8, 8})); },
     IN_BLOCK "op 6 (tb_output_op): field 'input_tensors': expected a tile "
              "after an accumulator, but got tile 13, which is before"},
    {"AccumulatesTotal", BLOCK "4/input_tensors/0",
     [] { return json::Value(tile(14, {8, 8}, true)); },
     IN_BLOCK
     "op 4 (tb_accum_red_ld_rms_op): field 'input_tensors': expected a "
     "tile before accumulators, but got tile 14, which is after one"},
    {"NoStore", "0/2/bgraph/operators/6/dtensor/guid",
     [] { return json::Value(1); },
     IN_BLOCK "op 6 (tb_output_op): field 'dtensor': expected an output of the "
              "graph, but got guid 1"},
    {"Operands", BLOCK "2/input_tensors",
     [] { return json::Value(json::Array{tile(11, {8, 32})}); },
     IN_BLOCK "op 2 (tb_matmul_op): field 'input_tensors': expected 2 tensors, "
              "but got 1"},
    {"Level", "0/2/bgraph/graph_level", [] { return json::Value("thread"); },
     IN_GRAPH "field 'graph_level': expected \"thread_block_graph\", but got "
              "\"thread\""},
    {"Range", "0/2/bgraph/forloop_range", [] { return json::Value(0); },
     IN_GRAPH
     "field 'forloop_range': expected an integer from 1 to 2147483647, "
     "but got 0"},
    {"Threads", "0/2/bgraph/block_dim/x", [] { return json::Value(2048); },
     IN_GRAPH "field 'block_dim': field 'x': expected an integer from 1 to "
              "1024, but got 2048"},
    {"NotAnOp", "0/2", [] { return json::Value(7); },
     "graph 0, op 2: expected an object, but got 7"},
    {"NotAGraph", "0", [] { return json::Value("g"); },
     "graph 0: expected a list of ops, but got \"g\""},
    {"NoOutput", "0/3", [] { return json::Value(input(9, {1})); },
     "graph 0, op 3 (kn_input_op): expected all inputs before other ops, but "
     "got 1 ops before this one"},
};

class BadInputTest : public testing::TestWithParam<Case> {};

TEST_P(BadInputTest, NamesGraphOpAndField) {
  json::Value file = sample();
  json::Value *place = at(file, GetParam().path);
  ASSERT_TRUE(place);
  *place = GetParam().make();
  std::string message = messageOf(text(file));
  EXPECT_TRUE(
      llvm::StringRef(message).starts_with(llvm::StringRef(GetParam().message)))
      << message;
}

INSTANTIATE_TEST_SUITE_P(All, BadInputTest, testing::ValuesIn(kCases),
                         [](const auto &info) { return info.param.name; });

TEST(BadInputTest, SampleIsRight) { EXPECT_EQ(messageOf(text(sample())), ""); }

TEST(BadInputTest, UnknownFieldsAreNotIgnored) {
  json::Value file = sample();
  at(file, BLOCK "2")->getAsObject()->try_emplace("transpose", true);
  EXPECT_EQ(messageOf(text(file)),
            IN_BLOCK "op 2 (tb_matmul_op): field 'transpose': expected no such "
                     "field, but got true");
}

TEST(BadInputTest, CutShortAnywhere) {
  std::string whole = text(sample());
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_TRUE(llvm::StringRef(messageOf(whole.substr(0, size)))
                    .starts_with("file: expected JSON, but got"))
        << size;
}

TEST(BadInputTest, NestedTooDeep) {
  EXPECT_NE(messageOf(std::string(100000, '[')), "");
}

/// All places below a value, inner ones first: putting a value back moves what
/// is inside it.
void collect(json::Value &value, std::vector<json::Value *> &places) {
  if (json::Array *list = value.getAsArray())
    for (json::Value &element : *list)
      collect(element, places);
  else if (json::Object *object = value.getAsObject())
    for (auto &entry : *object)
      collect(entry.second, places);
  places.push_back(&value);
}

// Whatever stands at whatever place, there is an answer, and what is accepted
// obeys the rules of programs.
TEST(BadInputTest, AnyValueAnywhere) {
  const json::Value values[] = {nullptr,
                                true,
                                -1,
                                0,
                                1,
                                2,
                                3,
                                941,
                                int64_t(1) << 62,
                                1e300,
                                "tb_accum_redtox_ld_sum_op",
                                "tb_concat_then_matmul_op",
                                "kn_reduction_2_op",
                                json::Array{},
                                json::Object{}};
  json::Value file = sample();
  std::vector<json::Value *> places;
  collect(file, places);
  unsigned accepted = 0;
  for (json::Value *place : places)
    for (const json::Value &value : values) {
      json::Value kept = *place;
      *place = value;
      auto result = readMugraphs(text(file));
      *place = kept;
      if (!result) {
        EXPECT_NE(llvm::toString(result.takeError()), "");
        continue;
      }
      ++accepted;
      for (const semantics::Program &program : result->graphs)
        EXPECT_FALSE(llvm::errorToBool(semantics::verifyProgram(program)));
    }
  // Offsets, and maps of axes with one block, say nothing of the meaning.
  EXPECT_GT(accepted, 50u);
}
} // namespace
