//===- EmitTest.cpp - Which candidates a bundle holds ---------------------===//

#include "Mirage/Tune/Emit.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include <gtest/gtest.h>
#include <set>

using namespace mirage;
using namespace mirage::semantics;
using namespace mirage::tune;

namespace {
/// relu(x @ w), or x @ w.
Program linear(bool relu = true) {
  Program program;
  program.name = "linear";
  ValueId x = program.addInput({{16, 256}, DType::F16});
  ValueId w = program.addInput({{256, 128}, DType::F16});
  ValueId y = program.append(OpKind::Matmul, {x, w}, {});
  program.outputs = {relu ? program.append(OpKind::Relu, {y}, {}) : y};
  return program;
}

class EmitTest : public testing::Test {
protected:
  EmitTest() : options(*cost::findTarget("sm_90a")) {
    options.top = 4;
    options.verify = false;
    options.lower = [](const Program &p) -> llvm::Expected<LoweredCandidate> {
      return LoweredCandidate{toString(p), "plan", "image"};
    };
  }

  llvm::Expected<Bundle> emit(const Program &program = linear()) {
    llvm::SmallString<128> folder;
    EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("emit-test", folder));
    folders.push_back(folder.str().str());
    return emitBundle(program, options, folders.back());
  }
  void TearDown() override {
    for (const std::string &folder : folders)
      llvm::sys::fs::remove_directories(folder);
  }

  EmitOptions options;
  std::vector<std::string> folders;
};

std::vector<int64_t> ranksOf(const Bundle &bundle) {
  std::vector<int64_t> ranks;
  for (const BundleCandidate &candidate : bundle.candidates)
    ranks.push_back(candidate.rank);
  return ranks;
}
} // namespace

// Without that, graphs that divide before and after the product take a place
// each.
TEST_F(EmitTest, TakesOneCandidateOfEachShape) {
  Program program;
  program.name = "scaled";
  ValueId x = program.addInput({{16, 256}, DType::F16});
  ValueId s = program.addInput({{16, 1}, DType::F16});
  ValueId w = program.addInput({{256, 128}, DType::F16});
  ValueId y = program.append(OpKind::Div, {x, s}, {});
  program.outputs = {program.append(OpKind::Matmul, {y, w}, {})};
  auto bundle = emit(program);
  ASSERT_TRUE(static_cast<bool>(bundle)) << llvm::toString(bundle.takeError());
  std::set<std::string> shapes;
  for (const BundleCandidate &candidate : bundle->candidates)
    shapes.insert(candidate.summary);
  EXPECT_EQ(shapes.size(), 4u);
  EXPECT_EQ(bundle->candidates[0].rank, 0);
  EXPECT_TRUE(bundle->dropped.empty());
}

TEST_F(EmitTest, ReplacesADroppedCandidateAndKeepsTheRanksInOrder) {
  auto before = emit();
  ASSERT_TRUE(static_cast<bool>(before)) << llvm::toString(before.takeError());
  auto first = readTextFile(joinPath(folders[0], "000", kGraphFile));
  ASSERT_TRUE(static_cast<bool>(first)) << llvm::toString(first.takeError());
  options.lower = [&](const Program &p) -> llvm::Expected<LoweredCandidate> {
    if (toString(p) == *first)
      return llvm::createStringError("no");
    return LoweredCandidate{toString(p), "plan", "image"};
  };
  for (unsigned threads : {1, 3}) {
    options.threads = threads;
    auto bundle = emit();
    ASSERT_TRUE(static_cast<bool>(bundle))
        << llvm::toString(bundle.takeError());
    ASSERT_EQ(bundle->dropped.size(), 1u);
    EXPECT_EQ(bundle->dropped[0].rank, 0);
    EXPECT_EQ(bundle->dropped[0].reason, "has no lowering: no");
    std::vector<int64_t> ranks = ranksOf(*bundle), earlier = ranksOf(*before);
    ASSERT_EQ(ranks.size(), 4u);
    EXPECT_TRUE(llvm::is_sorted(ranks));
    EXPECT_TRUE(
        std::equal(ranks.begin(), ranks.end() - 1, earlier.begin() + 1));
    EXPECT_GT(ranks.back(), earlier.back());
  }
}

TEST_F(EmitTest, SaysWhenNoneCanBeUsed) {
  options.lower = [](const Program &) -> llvm::Expected<LoweredCandidate> {
    return llvm::createStringError("no");
  };
  auto bundle = emit();
  ASSERT_FALSE(static_cast<bool>(bundle));
  EXPECT_EQ(llvm::toString(bundle.takeError()),
            "expected a candidate that can be used, but got none of the 16 "
            "tried; the first: has no lowering: no");
}

TEST_F(EmitTest, RefusesAFunctionThatHoldsAGraph) {
  Program program = linear();
  program.ops[0].kind = OpKind::Graph;
  auto bundle = emitBundle(program, options, "unused");
  ASSERT_FALSE(static_cast<bool>(bundle));
  EXPECT_EQ(llvm::toString(bundle.takeError()),
            "expected a function of predefined ops, which can be searched, but "
            "@linear holds a graph");
}

TEST(AcceptCandidateTest, TakesOnlyWhatIsShownEquivalent) {
  auto same = acceptCandidate(linear(), linear(), verify::Seed{});
  ASSERT_TRUE(static_cast<bool>(same)) << llvm::toString(same.takeError());
  EXPECT_TRUE(llvm::StringRef(same->verdict).starts_with("equivalent"));
  EXPECT_FALSE(same->certificate.empty());

  auto other =
      acceptCandidate(linear(), linear(/*relu=*/false), verify::Seed{});
  ASSERT_FALSE(static_cast<bool>(other));
  std::string why = llvm::toString(other.takeError());
  EXPECT_TRUE(llvm::StringRef(why).starts_with(
      "not accepted by the verifier: not equivalent"))
      << why;
}
