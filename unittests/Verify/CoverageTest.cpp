// Accesses that are right, and each kind that is wrong.

#include "Mirage/Verify/Coverage.h"
#include "gtest/gtest.h"

using namespace mirage;
using namespace mirage::verify;
using namespace mirage::semantics;

namespace {
/// A copy of x[48, 8]: grid [2, 3, 4] splits dim 0 by x and y, z is replicated,
/// and a loop of 2 iterations splits it, too.
Program copy(bool interleaved = false) {
  Program p;
  ValueId x = p.addInput({{48, 8}, DType::F16});
  ValueId piece = p.addValue({{4, 8}, DType::F16});
  ValueId total = p.addValue({{4, 8}, DType::F32});
  ValueId y = p.addValue({{24, 8}, DType::F16});
  Op load{OpKind::Load, {}, {x}, {piece}, {}};
  load.attrs.imap = {0, 0, -1};
  load.attrs.fmap = 0;
  load.attrs.interleaved = interleaved;
  Op loop{OpKind::Loop, {}, {}, {total}, {load}};
  loop.attrs.range = 2;
  loop.attrs.accumulators.push_back({AccumulatorKind::Sum, piece, -1, -1});
  Op store{OpKind::Store, {}, {total}, {}, {}};
  store.attrs.omap = {0, 0, -1};
  Op graph{OpKind::Graph, {}, {x}, {y}, {loop, store}};
  graph.attrs.grid = {2, 3, 4};
  p.ops = {graph};
  p.outputs = {y};
  return p;
}

CoverageReport prove(const Program &program) {
  auto solver = solver::createZ3Solver();
  return proveCoverage(program, *solver);
}

void expectRefuted(const Program &program, const char *reason) {
  CoverageReport report = prove(program);
  EXPECT_EQ(report.outcome, CoverageReport::Outcome::Refuted);
  EXPECT_EQ(report.reason, reason);
}

TEST(CoverageTest, ProvesBlockedAndInterleaved) {
  for (bool interleaved : {false, true}) {
    Program program = copy(interleaved);
    ASSERT_FALSE(llvm::errorToBool(verifyProgram(program)));
    CoverageReport report = prove(program);
    EXPECT_EQ(report.outcome, CoverageReport::Outcome::Proved);
    EXPECT_EQ(describe(report),
              "loads in bounds, stores disjoint and complete (1 and 1)");
  }
}

TEST(CoverageTest, RefutesLoadsBeyondTheEnd) {
  Program program = copy();
  program.values[0].shape[0] = 47;
  expectRefuted(program, "load of value 0: an element lies outside of "
                         "dimension 0 of size 47");
  program = copy();
  program.ops[0].body[0].attrs.range = 3;
  expectRefuted(program, "load of value 0: an element lies outside of "
                         "dimension 0 of size 48");
}

TEST(CoverageTest, RefutesStoresBeyondTheEnd) {
  Program program = copy();
  program.values[3].shape[0] = 23;
  expectRefuted(program, "store to value 3: an element lies outside of "
                         "dimension 0 of size 23");
}

TEST(CoverageTest, RefutesIncompleteStores) {
  Program program = copy();
  program.values[3].shape[0] = 25;
  expectRefuted(program, "store to value 3: an element of dimension 0 of size "
                         "25 is not written");
  program = copy();
  program.values[3].shape[1] = 9;
  expectRefuted(program, "store to value 3: an element of dimension 1 of size "
                         "9 is not written");
}

TEST(CoverageTest, RefutesRanks) {
  Program program = copy();
  program.ops[0].body[1].attrs.omap = {2, 0, -1};
  expectRefuted(program,
                "store to value 3: expected a tile and maps of rank 2");
}

/// Answers no question.
struct Silent : solver::Solver {
  solver::Answer isScaledSubset(const solver::SubsetQuestion &,
                                unsigned) override {
    return solver::Answer::Unknown;
  }
  solver::Answer check(llvm::StringRef, unsigned) override {
    return solver::Answer::Unknown;
  }
  std::string version() const override { return "silent"; }
};

TEST(CoverageTest, UnknownIsNoProof) {
  Silent solver;
  CoverageReport report = proveCoverage(copy(), solver);
  EXPECT_EQ(report.outcome, CoverageReport::Outcome::CannotTell);
  EXPECT_EQ(report.reason, "load of value 0: cannot tell whether an element "
                           "lies outside of dimension 0 of size 48");
}
} // namespace
