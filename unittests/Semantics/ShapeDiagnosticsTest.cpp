// One call for each diagnostic of the shape rules.

#include "Programs.h"

#include "gtest/gtest.h"

using namespace mirage::semantics;
using namespace mirage::semantics::test;

namespace {
struct Case {
  const char *name;
  OpKind kind;
  std::vector<TensorType> operands;
  const char *message;
  void (*configure)(Attrs &) = nullptr;
  std::optional<TensorType> result = std::nullopt;
  Level level = Level::Kernel;
};

TensorType f32(Shape shape) { return {std::move(shape), DType::F32}; }
TensorType f16(Shape shape) { return {std::move(shape), DType::F16}; }
TensorType i1(Shape shape) { return {std::move(shape), DType::I1}; }
TensorType i32(Shape shape) { return {std::move(shape), DType::I32}; }

void dim0(Attrs &a) { a.dims = {0}; }
void dim2(Attrs &a) { a.dims = {2}; }
void scale(Attrs &a) { a.hasScale = true; }

std::vector<Case> cases() {
  return {
      {"Arity", OpKind::Exp, {}, "expected 1 operand, but got 0"},
      {"ArityVariadic",
       OpKind::Concat,
       {},
       "expected at least 1 operand, but got 0"},
      {"Rank",
       OpKind::Exp,
       {f32({1, 1, 1, 1, 1, 1, 1})},
       "expected rank at most 6, but got 7"},
      {"ResultRank",
       OpKind::Reshape,
       {f32({1})},
       "expected rank at most 6, but got 7",
       nullptr,
       f32({1, 1, 1, 1, 1, 1, 1})},
      {"Negative",
       OpKind::Exp,
       {f32({4, -1})},
       "expected sizes of at least 0, but got 4x-1xf32"},
      {"Elements",
       OpKind::Exp,
       {f32({1 << 21, 1 << 20})},
       "expected at most 1099511627776 elements, but got 2097152x1048576xf32"},
      {"Float",
       OpKind::Exp,
       {i32({4})},
       "expected a float element type, but got i32"},
      {"OneType",
       OpKind::Add,
       {f32({4}), f16({4})},
       "expected operands of one element type, but got f32 and f16"},
      {"ResultShape",
       OpKind::Exp,
       {f32({4})},
       "expected result shape [4], but got [8]",
       nullptr,
       f32({8})},
      {"ResultElement",
       OpKind::Exp,
       {f16({4})},
       "expected result element type f32, but got f16",
       nullptr,
       f16({4}),
       Level::Block},
      {"BroadcastRanks",
       OpKind::Add,
       {f32({4}), f32({4, 1})},
       "expected operands of one rank, but got ranks 1 and 2"},
      {"BroadcastSizes",
       OpKind::Add,
       {f32({2, 4}), f32({1, 3})},
       "expected equal sizes or size 1 in dimension 1, but got 4 and 3"},
      {"MatmulRanks",
       OpKind::Matmul,
       {f32({4}), f32({4, 4})},
       "expected lhs and rhs of one rank of at least 2, but got ranks 1 and 2"},
      {"MatmulContracted",
       OpKind::Matmul,
       {f32({4, 8}), f32({8, 16})},
       "expected lhs dimension 1 to equal rhs dimension 1, but got 8 and 16",
       [](Attrs &a) { a.transposeRhs = true; }},
      {"MatmulBatch",
       OpKind::Matmul,
       {f32({2, 4, 4}), f32({3, 4, 4})},
       "expected equal batch sizes or size 1 in dimension 0, but got 2 and 3"},
      {"CompareSizes",
       OpKind::Compare,
       {f32({4}), f32({3})},
       "expected equal sizes or size 1 in dimension 0, but got 4 and 3"},
      {"CastResult",
       OpKind::Cast,
       {f32({4})},
       "expected a result type for cast, but got none"},
      {"ClampBounds",
       OpKind::Clamp,
       {f32({4})},
       "expected lo <= hi, but got 1 and -1",
       [](Attrs &a) {
         a.lo = 1;
         a.hi = -1;
       }},
      {"SelectCondition",
       OpKind::Select,
       {f32({4}), f32({4}), f32({4})},
       "expected a condition of element type i1, but got f32"},
      {"SelectSizes",
       OpKind::Select,
       {i1({4}), f32({4}), f32({3})},
       "expected equal sizes or size 1 in dimension 0, but got 4 and 3"},
      {"SelectOneType",
       OpKind::Select,
       {i1({4}), f32({4}), f16({4})},
       "expected operands of one element type, but got f32 and f16"},
      {"ReduceNone",
       OpKind::Reduce,
       {f32({4})},
       "expected at least 1 reduced dimension, but got 0"},
      {"ReduceRange",
       OpKind::Reduce,
       {f32({4})},
       "expected reduced dimension in [0, 1), but got 2",
       dim2},
      {"ReduceOrder",
       OpKind::Reduce,
       {f32({4, 4})},
       "expected increasing reduced dimensions, but got [1, 0]",
       [](Attrs &a) { a.dims = {1, 0}; }},
      {"NormOperands",
       OpKind::RmsNorm,
       {f32({4})},
       "expected 2 operands, but got 1",
       scale},
      {"NormRank",
       OpKind::RmsNorm,
       {f32({})},
       "expected an input of rank at least 1, but got rank 0"},
      {"NormScale",
       OpKind::RmsNorm,
       {f32({2, 4}), f32({2, 4})},
       "expected scale and bias of shape [1, 4], but got [2, 4]",
       scale},
      {"SoftmaxDims",
       OpKind::Softmax,
       {f32({4})},
       "expected 1 dimension, but got 0"},
      {"SoftmaxRange",
       OpKind::Softmax,
       {f32({4})},
       "expected dimension in [0, 1), but got 2",
       dim2},
      {"TransposeCount",
       OpKind::Transpose,
       {f32({4, 4})},
       "expected a permutation of 2 dimensions, but got [0]",
       dim0},
      {"TransposeTwice",
       OpKind::Transpose,
       {f32({4, 4})},
       "expected a permutation of 2 dimensions, but got [0, 0]",
       [](Attrs &a) { a.dims = {0, 0}; }},
      {"ReshapeResult",
       OpKind::Reshape,
       {f32({4})},
       "expected a result type for reshape, but got none"},
      {"ReshapeElements",
       OpKind::Reshape,
       {f32({4})},
       "expected 4 elements, but got 6",
       nullptr,
       f32({2, 3})},
      {"BroadcastResult",
       OpKind::Broadcast,
       {f32({4})},
       "expected a result type for broadcast, but got none"},
      {"BroadcastRank",
       OpKind::Broadcast,
       {f32({4})},
       "expected a result of rank 1, but got 2",
       nullptr,
       f32({1, 4})},
      {"BroadcastSize",
       OpKind::Broadcast,
       {f32({1, 3})},
       "expected operand size 1 or 4 in dimension 1, but got 3",
       nullptr,
       f32({2, 4})},
      {"ConcatDims",
       OpKind::Concat,
       {f32({4})},
       "expected 1 dimension, but got 0"},
      {"ConcatRange",
       OpKind::Concat,
       {f32({4})},
       "expected dimension in [0, 1), but got 2",
       dim2},
      {"ConcatShapes",
       OpKind::Concat,
       {f32({2, 4}), f32({2, 3})},
       "expected operands that differ only in dimension 0, but got [2, 4] and "
       "[2, 3]",
       dim0},
      {"SliceCount",
       OpKind::Slice,
       {f32({4})},
       "expected 1 offsets, sizes and strides, but got 1, 1 and 0",
       [](Attrs &a) { a.offsets = a.sizes = {1}; }},
      {"SliceStride",
       OpKind::Slice,
       {f32({4})},
       "expected offset >= 0, size >= 1 and stride >= 1 in dimension 0, but "
       "got 0, 2 and 0",
       [](Attrs &a) {
         a.offsets = a.strides = {0};
         a.sizes = {2};
       }},
      {"SliceLast",
       OpKind::Slice,
       {f32({4})},
       "expected last index below 4 in dimension 0, but got 5",
       [](Attrs &a) {
         a.offsets = {1};
         a.sizes = {3};
         a.strides = {2};
       }},
      // 2^32 strides of 2^32 are 0 in 64 bits.
      {"SliceOverflow",
       OpKind::Slice,
       {f32({4})},
       "expected last index below 4 in dimension 0, but got "
       "9223372036854775807",
       [](Attrs &a) {
         a.offsets = {0};
         a.sizes = {(int64_t(1) << 32) + 1};
         a.strides = {int64_t(1) << 32};
       }},
      {"GatherDims",
       OpKind::Gather,
       {f32({4}), i32({2})},
       "expected 1 dimension, but got 0"},
      {"GatherRange",
       OpKind::Gather,
       {f32({4}), i32({2})},
       "expected dimension in [0, 1), but got 2",
       dim2},
      {"GatherIndices",
       OpKind::Gather,
       {f32({4}), f32({2})},
       "expected indices of rank 1 and element type i32 or i64, but got 2xf32",
       dim0},
      {"IotaResult",
       OpKind::Iota,
       {},
       "expected a result type for iota, but got none",
       dim0},
      {"IotaDims",
       OpKind::Iota,
       {},
       "expected 1 dimension, but got 0",
       nullptr,
       f32({4})},
      {"IotaRange",
       OpKind::Iota,
       {},
       "expected dimension in [0, 1), but got 2",
       dim2,
       f32({4})},
      {"ConstantResult",
       OpKind::Constant,
       {},
       "expected a result type for constant, but got none"},
      {"ConstantExtent",
       OpKind::Constant,
       {},
       "expected an extent of at least 1, but got 0",
       [](Attrs &a) {
         a.constant =
             ConstantValue::makeExtent(ConstantValue::Kind::InvExtent, 0);
       },
       f32({4})},
      {"Structure",
       OpKind::Load,
       {f32({4})},
       "expected an op with a shape rule of its own, but got 'load'"},
  };
}

struct ShapeDiagnosticsTest : testing::TestWithParam<Case> {};

TEST_P(ShapeDiagnosticsTest, NamesWhatWasFound) {
  const Case &c = GetParam();
  Attrs attrs;
  if (c.configure)
    c.configure(attrs);
  auto type = inferType(c.kind, attrs, c.operands, c.level,
                        c.result ? &*c.result : nullptr);
  ASSERT_FALSE(static_cast<bool>(type)) << toString(*type);
  EXPECT_EQ(message(type.takeError()), c.message);
}

INSTANTIATE_TEST_SUITE_P(, ShapeDiagnosticsTest, testing::ValuesIn(cases()),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

TEST(MapDiagnosticsTest, LoadTile) {
  auto tile = [](GridMap imap, int fmap) {
    auto type = inferLoadTile(f32({4, 6}), {2, 1, 1}, imap, fmap, 4);
    return type ? toString(*type) : message(type.takeError());
  };
  EXPECT_EQ(tile({0, -1, -1}, -1), "2x6xf32");
  EXPECT_EQ(tile({-1, 2, -1}, -1), "expected imap of grid dimension 1 to name "
                                   "a dimension below 2, but got 2");
  EXPECT_EQ(tile({-1, -1, -1}, 1),
            "expected fmap to divide dimension 1 of size 6, but got 4");
}

TEST(MapDiagnosticsTest, StoreTensor) {
  auto tensor = [](GridMap omap, int64_t blocks) {
    auto type = inferStoreTensor(f32({4, 6}), DType::F16, {blocks, 1, 1}, omap);
    return type ? toString(*type) : message(type.takeError());
  };
  EXPECT_EQ(tensor({0, -1, -1}, 2), "8x6xf16");
  EXPECT_EQ(tensor({2, -1, -1}, 2), "expected omap of grid dimension 0 to name "
                                    "a dimension below 2, but got 2");
  EXPECT_EQ(tensor({0, -1, -1}, int64_t(1) << 62),
            "expected at most 1099511627776 elements, but got "
            "9223372036854775807x6xf16");
}
} // namespace
