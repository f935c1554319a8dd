//===- GroupsTest.cpp - What of a run is one group ------------------------===//

#include "Groups.h"
#include "Fragment.h"
#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mirage;

namespace {
class GroupsTest : public testing::Test {
protected:
  GroupsTest() {
    context.loadDialect<func::FuncDialect, kernel::KernelDialect>();
  }

  SmallVector<Operation *> parse(StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    func::FuncOp func = *module->getOps<func::FuncOp>().begin();
    std::vector<SmallVector<Operation *>> runs;
    for (SmallVector<Operation *> &run : collectRuns(func))
      runs.push_back(run);
    EXPECT_EQ(runs.size(), 1u);
    return runs[0];
  }

  /// The mnemonics of each group.
  static std::vector<std::string> names(const Groups &groups) {
    std::vector<std::string> result;
    for (const SmallVector<Operation *> &ops : groups.ops) {
      result.emplace_back();
      for (Operation *op : ops)
        result.back() += (result.back().empty() ? "" : " ") +
                         op->getName().stripDialect().str();
    }
    return result;
  }
  using Names = std::vector<std::string>;

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

constexpr StringLiteral kNormLinear = R"(
func.func @f(%x: tensor<16x64xf16>, %w: tensor<64x64xf16>) -> (tensor<16x64xf16>, tensor<8x64xf16>) {
  %0 = mgraph_kernel.square %x : tensor<16x64xf16> -> tensor<16x64xf16>
  %1 = mgraph_kernel.reduce sum %0 dims [1] : tensor<16x64xf16> -> tensor<16x1xf16>
  %2 = mgraph_kernel.rsqrt %1 : tensor<16x1xf16> -> tensor<16x1xf16>
  %3 = mgraph_kernel.mul %x, %2 : (tensor<16x64xf16>, tensor<16x1xf16>) -> tensor<16x64xf16>
  %4 = mgraph_kernel.matmul %3, %w : (tensor<16x64xf16>, tensor<64x64xf16>) -> tensor<16x64xf16>
  %5 = mgraph_kernel.silu %4 : tensor<16x64xf16> -> tensor<16x64xf16>
  %6 = mgraph_kernel.slice %5 offsets [0, 0] sizes [8, 64] strides [1, 1] : tensor<16x64xf16> -> tensor<8x64xf16>
  %7 = mgraph_kernel.exp %5 : tensor<16x64xf16> -> tensor<16x64xf16>
  return %7, %6 : tensor<16x64xf16>, tensor<8x64xf16>
})";
} // namespace

// A norm is one group, and so is a product with its epilogue; exp is another,
// since a slice reads silu too.
TEST_F(GroupsTest, NormsAndEpilogues) {
  Groups groups(parse(kNormLinear));
  EXPECT_EQ(names(groups),
            (Names{"square reduce rsqrt mul", "matmul silu", "slice", "exp"}));
  EXPECT_TRUE(groups.hasEpilogue(1));
  EXPECT_FALSE(groups.hasEpilogue(0));
  EXPECT_TRUE(groups.alone[2]);
  EXPECT_EQ(groups.alone.count(), 1u);
  EXPECT_TRUE(groups.users[0][1] && groups.users[1][2] && groups.users[1][3]);
  EXPECT_FALSE(groups.users[0][3]);
}

TEST_F(GroupsTest, BareProductsHaveNoEpilogue) {
  SmallVector<Operation *> run = parse(kNormLinear);
  Groups groups(run, {run[4]});
  EXPECT_EQ(names(groups), (Names{"square reduce rsqrt mul", "matmul", "silu",
                                  "slice", "exp"}));
}

// The operands of a product of rank 3 are made so in its own group, whatever
// else makes them; a broadcast ends no group.
TEST_F(GroupsTest, ReshapedOperandsJoinTheirProduct) {
  Groups groups(parse(R"(
func.func @f(%q: tensor<1x4x16x32xf16>, %c: tensor<1x4x16x32xf16>, %k: tensor<1x4x16x32xf16>, %b: tensor<1x1x16x16xf16>) -> (tensor<4x16x16xf16>, tensor<1x4x16x16xf16>) {
  %0 = mgraph_kernel.mul %q, %c : (tensor<1x4x16x32xf16>, tensor<1x4x16x32xf16>) -> tensor<1x4x16x32xf16>
  %1 = mgraph_kernel.reshape %0 : tensor<1x4x16x32xf16> -> tensor<4x16x32xf16>
  %2 = mgraph_kernel.transpose %k perm [0, 1, 3, 2] : tensor<1x4x16x32xf16> -> tensor<1x4x32x16xf16>
  %3 = mgraph_kernel.reshape %2 : tensor<1x4x32x16xf16> -> tensor<4x32x16xf16>
  %4 = mgraph_kernel.matmul %1, %3 : (tensor<4x16x32xf16>, tensor<4x32x16xf16>) -> tensor<4x16x16xf16>
  %5 = mgraph_kernel.exp %b : tensor<1x1x16x16xf16> -> tensor<1x1x16x16xf16>
  %6 = mgraph_kernel.broadcast %5 : tensor<1x1x16x16xf16> -> tensor<1x4x16x16xf16>
  return %4, %6 : tensor<4x16x16xf16>, tensor<1x4x16x16xf16>
})"));
  EXPECT_EQ(names(groups), (Names{"mul", "reshape transpose reshape matmul",
                                  "exp", "broadcast"}));
  EXPECT_EQ(groups.alone.count(), 0u);
}

// Reductions over different dims are two kernels.
TEST_F(GroupsTest, ReductionsOverOtherDimsAreApart) {
  Groups groups(parse(R"(
func.func @f(%x: tensor<16x64xf32>) -> tensor<1x1xf32> {
  %0 = mgraph_kernel.reduce sum %x dims [1] : tensor<16x64xf32> -> tensor<16x1xf32>
  %1 = mgraph_kernel.rsqrt %0 : tensor<16x1xf32> -> tensor<16x1xf32>
  %2 = mgraph_kernel.reduce sum %1 dims [0] : tensor<16x1xf32> -> tensor<1x1xf32>
  return %2 : tensor<1x1xf32>
})"));
  EXPECT_EQ(names(groups), (Names{"reduce rsqrt", "reduce"}));
}

// What reads a part moves behind it, and what reads that.
TEST_F(GroupsTest, GatherMovesReadersBehind) {
  SmallVector<Operation *> run = parse(kNormLinear);
  // silu and exp, between which a slice of silu stands.
  EXPECT_TRUE(gather({run[5], run[7]}));
  EXPECT_TRUE(run[7]->isBeforeInBlock(run[6]));
  EXPECT_TRUE(succeeded(verify(*module)));
}

// square and matmul: reduce reads the one and feeds the other.
TEST_F(GroupsTest, GatherRefusesWhatIsNotConvex) {
  SmallVector<Operation *> run = parse(kNormLinear);
  EXPECT_FALSE(gather({run[0], run[4]}));
  for (size_t i = 0; i + 1 < run.size(); ++i)
    EXPECT_TRUE(run[i]->isBeforeInBlock(run[i + 1]));
}
