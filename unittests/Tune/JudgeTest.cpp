//===- JudgeTest.cpp - Which numbers are good enough ----------------------===//

#include "Mirage/Tune/Judge.h"
#include <gtest/gtest.h>
#include <limits>

using namespace mirage;
using namespace mirage::semantics;
using namespace mirage::tune;
using interpreter::Tensor;

namespace {
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Tensor tensor(std::vector<double> values) {
  return {{{static_cast<int64_t>(values.size())}, DType::F64},
          std::move(values)};
}

/// Whether `actual` passes where (3, 4) is exact and op by op errs by 1e-3.
bool accepts(std::vector<double> actual, int64_t wrongClass = 0) {
  interpreter::Difference baseline;
  baseline.relative = 1e-3;
  baseline.wrongClass = wrongClass;
  Judge judge({tensor({3, 4})}, {baseline});
  return judge.judge(0, tensor(std::move(actual))).accepted;
}
} // namespace

TEST(JudgeTest, AllowsHalfMoreThanTheErrorOpByOp) {
  EXPECT_TRUE(accepts({3, 4}));
  EXPECT_TRUE(accepts({3, 4 + 5 * 1.49e-3}));
  EXPECT_FALSE(accepts({3, 4 + 5 * 1.51e-3}));
}

TEST(JudgeTest, RefusesWhatIsNotFinite) {
  EXPECT_FALSE(accepts({kNaN, 4}));
  EXPECT_FALSE(accepts({3, std::numeric_limits<double>::infinity()}));
  EXPECT_TRUE(accepts({kNaN, 4}, /*wrongClass=*/1));
}

TEST(JudgeTest, RunsTheProgram) {
  Program program;
  ValueId x = program.addInput({{2}, DType::F16});
  program.outputs = {program.append(OpKind::Neg, {x}, {})};
  Tensor input{{{2}, DType::F16}, {1, 2}};
  auto judge = Judge::create(program, {input}, /*threads=*/1);
  ASSERT_TRUE(static_cast<bool>(judge)) << llvm::toString(judge.takeError());
  EXPECT_TRUE(judge->judge(0, tensor({-1, -2})).accepted);
  EXPECT_FALSE(judge->judge(0, tensor({-1, 2})).accepted);
  EXPECT_EQ(judge->baseline()[0].relative, 0);
}
