#include "Programs.h"

#include "Mirage/Semantics/Limits.h"
#include "gtest/gtest.h"

using namespace mirage::semantics;
using namespace mirage::semantics::test;

namespace {
TEST(ProgramTest, AcceptsSplitMatmul) {
  EXPECT_EQ(message(verifyProgram(splitMatmul(true))), "");
}

// Without reduce_blocks each block along z holds a partial sum, and the blocks
// would overwrite each other's result.
TEST(ProgramTest, RefusesStoreOfPartialSum) {
  EXPECT_EQ(
      message(verifyProgram(splitMatmul(false))),
      "store: expected a tile that is the same in all blocks along grid "
      "dimension 2, which its omap does not concatenate, but got value 5, "
      "which differs");
}

TEST(ProgramTest, RefusesUseBeforeDefinition) {
  Program p = splitMatmul(true);
  std::swap(p.ops[0].body[0].body[0], p.ops[0].body[0].body[2]);
  EXPECT_EQ(message(verifyProgram(p)),
            "matmul: expected a value defined before its use, but got value 2");
}

TEST(ProgramTest, RefusesLoopValueOutsideLoop) {
  Program p = splitMatmul(true);
  p.ops[0].body[1].operands[0] = p.ops[0].body[0].body[2].results[0];
  EXPECT_EQ(message(verifyProgram(p)),
            "reduce_blocks: expected a value defined before its use, but got "
            "value 4");
}

TEST(ProgramTest, RefusesTileOutsideGraph) {
  Program p = splitMatmul(true);
  p.outputs = {6};
  EXPECT_EQ(message(verifyProgram(p)),
            "output: expected a value defined before its use, but got value 6");
}

TEST(ProgramTest, RefusesSecondDefinition) {
  Program p = splitMatmul(true);
  p.ops[0].body[1].results[0] = p.ops[0].body[0].body[2].results[0];
  EXPECT_EQ(message(verifyProgram(p)),
            "reduce_blocks: expected a fresh result id, but got 4");
}

TEST(ShapeRulesTest, LoadMustDivide) {
  auto tile =
      inferLoadTile({{16, 100}, DType::F16}, {3, 1, 1}, {1, -1, -1}, -1, 1);
  EXPECT_EQ(message(tile.takeError()),
            "expected imap of grid dimension 0 to divide dimension 1 of size "
            "100, but got 3");
}

TEST(ShapeRulesTest, MatmulContractsOneSize) {
  auto type = inferType(OpKind::Matmul, {},
                        {{{64, 128}, DType::F16}, {{64, 32}, DType::F16}},
                        Level::Kernel);
  EXPECT_EQ(message(type.takeError()),
            "expected lhs dimension 1 to equal rhs dimension 0, but got 128 "
            "and 64");
}

// 2^64 elements wrap to 0 in 64 bits, and 2^63 to a negative count.
TEST(TypesTest, ElementCountSaturates) {
  int64_t half = int64_t(1) << 32;
  TensorType square{{half, half}, DType::F64};
  EXPECT_EQ(square.numElements(), kSaturatedElements);
  EXPECT_EQ(square.byteSize(), kSaturatedElements * 8);
  EXPECT_EQ((TensorType{{half, half / 2}, DType::F32}).numElements(),
            kSaturatedElements);
  EXPECT_EQ((TensorType{{half, half, 0}, DType::F32}).numElements(), 0);
  EXPECT_EQ((TensorType{{half, 1 << 8}, DType::F32}).numElements(),
            kMaxElements);
}

TEST(TypesTest, SizeIsBounded) {
  EXPECT_EQ(message(checkSize({{1 << 20, 1 << 20}, DType::F16})), "");
  EXPECT_EQ(message(checkSize({{1 << 20, (1 << 20) + 1}, DType::F16})),
            "expected at most 1099511627776 elements, but got "
            "1048576x1048577xf16");
  // No size may be beyond the limit either, empty tensor or not.
  EXPECT_EQ(message(checkSize({{0, int64_t(1) << 41}, DType::F16})),
            "expected at most 1099511627776 elements, but got "
            "0x2199023255552xf16");
  EXPECT_EQ(message(checkSize({{4, -1}, DType::F16})),
            "expected sizes of at least 0, but got 4x-1xf16");
}

// The product of legal operands is too large as well.
TEST(ShapeRulesTest, ResultSizeIsBounded) {
  auto type = inferType(
      OpKind::Matmul, {},
      {{{1 << 21, 1}, DType::F16}, {{1, 1 << 21}, DType::F16}}, Level::Kernel);
  EXPECT_EQ(message(type.takeError()),
            "expected at most 1099511627776 elements, but got "
            "2097152x2097152xf16");
}

TEST(ProgramTest, LoopRangeIsBounded) {
  Program p = splitMatmul(true);
  p.ops[0].body[0].attrs.range = int64_t(1) << 31;
  EXPECT_EQ(message(verifyProgram(p)),
            "for: expected a range of at most 2147483647, but got 2147483648");
}

TEST(ProgramTest, InputSizeIsBounded) {
  Program p;
  p.outputs = {p.addInput({{int64_t(1) << 32, int64_t(1) << 32}, DType::F32})};
  EXPECT_EQ(message(verifyProgram(p)),
            "expected at most 1099511627776 elements, but got "
            "4294967296x4294967296xf32");
}

TEST(ShapeRulesTest, BlockLevelComputesInF32) {
  TensorType tile{{16, 64}, DType::F16};
  EXPECT_EQ(cantFail(inferType(OpKind::Square, {}, {tile}, Level::Block)),
            (TensorType{{16, 64}, DType::F32}));
  EXPECT_EQ(cantFail(inferType(OpKind::Square, {}, {tile}, Level::Kernel)),
            tile);
}

TEST(DecomposeTest, RmsNormBecomesPrimitives) {
  Program p;
  ValueId x = p.addInput({{16, 4096}, DType::F16});
  Attrs attrs;
  attrs.epsilon = 1e-6;
  p.outputs = {p.append(OpKind::RmsNorm, {x}, attrs)};
  Program d = decompose(p);
  EXPECT_EQ(message(verifyProgram(d)), "");
  std::vector<OpKind> kinds;
  for (const Op &op : d.ops)
    kinds.push_back(op.kind);
  EXPECT_EQ(kinds, (std::vector<OpKind>{
                       OpKind::Cast, OpKind::Square, OpKind::Reduce,
                       OpKind::Constant, OpKind::Mul, OpKind::Constant,
                       OpKind::Add, OpKind::Rsqrt, OpKind::Mul, OpKind::Cast}));
  // Squares of f16 are summed in f32: 4096 * 24^2 is past f16's range.
  EXPECT_EQ(d.type(d.ops[2].results[0]).dtype, DType::F32);
  EXPECT_EQ(d.type(d.outputs[0]).dtype, DType::F16);
}

TEST(PrintTest, ReadsLikeTheDialects) {
  std::string text = toString(splitMatmul(true));
  EXPECT_NE(text.find("%3 = load %1 imap [1, -1, 0] fmap 0 : 64x64xf16"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("yield sum %4"), std::string::npos) << text;
}
} // namespace
