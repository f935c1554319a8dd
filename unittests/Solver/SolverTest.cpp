//===- SolverTest.cpp - Three answers, and the memo -----------------------===//

#include "Mirage/Solver/Solver.h"
#include <gtest/gtest.h>

using namespace mirage::solver;

namespace {
constexpr unsigned kRlimit = 2000000;

Answer ask(const SubsetQuestion &question, unsigned rlimit = kRlimit) {
  return createZ3Solver()->isScaledSubset(question, rlimit);
}

// x lies in x y: f = y.
TEST(SolverTest, FindsTheFactor) {
  EXPECT_EQ(ask({{{1, 0}}, {{1, 1}}, {}, {}, {}}), Answer::Sat);
}

// x^2 does not lie in x y: no f >= 0 takes an x away.
TEST(SolverTest, NoNegativeExponent) {
  EXPECT_EQ(ask({{{2, 0}}, {{1, 1}}, {}, {}, {}}), Answer::Unsat);
}

// x + y scaled by z is x z + y z, but x z + y w has two factors.
TEST(SolverTest, OneFactorForAllRows) {
  ExponentRows part{{1, 0, 0, 0}, {0, 1, 0, 0}};
  EXPECT_EQ(ask({part, {{1, 0, 1, 0}, {0, 1, 1, 0}}, {}, {}, {}}), Answer::Sat);
  EXPECT_EQ(ask({part, {{1, 0, 1, 0}, {0, 1, 0, 1}}, {}, {}, {}}),
            Answer::Unsat);
}

// x + x does not lie in x y: two rows need two landings.
TEST(SolverTest, RowsLandInjectively) {
  EXPECT_EQ(ask({{{1, 0}, {1, 0}}, {{1, 1}}, {}, {}, {}}), Answer::Unsat);
  EXPECT_EQ(ask({{{1, 0}, {1, 0}}, {{1, 1}, {1, 1}}, {}, {}, {}}), Answer::Sat);
}

// x - y lies in y - x with f = -1, and not in x + y.
TEST(SolverTest, OneSignForAllRows) {
  ExponentRows rows{{1, 0}, {0, 1}};
  EXPECT_EQ(ask({rows, rows, {false, true}, {true, false}, {}}), Answer::Sat);
  EXPECT_EQ(ask({rows, rows, {false, true}, {false, false}, {}}),
            Answer::Unsat);
}

// x lies in x y, but not when f may not hold a y.
TEST(SolverTest, ZeroColumns) {
  EXPECT_EQ(ask({{{1, 0}}, {{1, 1}}, {}, {}, {{{1}}}}), Answer::Unsat);
  EXPECT_EQ(ask({{{1, 0}}, {{1, 1}}, {}, {}, {{{0}}}}), Answer::Sat);
}

TEST(SolverTest, EmptySides) {
  EXPECT_EQ(ask({{}, {{1}}, {}, {}, {}}), Answer::Sat);
  EXPECT_EQ(ask({{{1}}, {}, {}, {}, {}}), Answer::Unsat);
}

TEST(SolverTest, PastTheLimitIsUnknown) {
  ExponentRows part, whole;
  for (int i = 0; i < 8; ++i) {
    part.push_back(std::vector<int>(8, 1));
    part.back()[i] = 0;
    whole.push_back(std::vector<int>(8, 2));
    whole.back()[i] = 3;
  }
  SubsetQuestion question{part, whole, {}, {}, {}};
  EXPECT_EQ(ask(question, 1), Answer::Unknown);
  EXPECT_FALSE(canPrune(Answer::Unknown));
  EXPECT_FALSE(canPrune(Answer::Sat));
  EXPECT_TRUE(canPrune(Answer::Unsat));
}

TEST(SolverTest, MalformedTextIsUnknown) {
  auto solver = createZ3Solver();
  EXPECT_EQ(solver->check("(assert", kRlimit), Answer::Unknown);
  EXPECT_EQ(solver->check("(declare-const x Int)(assert (and (> x 1) (< x 3)))",
                          kRlimit),
            Answer::Sat);
  EXPECT_EQ(solver->check("(declare-const x Int)(assert (and (> x 1) (< x 2)))",
                          kRlimit),
            Answer::Unsat);
}

// An error in one question does not spoil the next.
TEST(SolverTest, ErrorsDoNotStick) {
  auto solver = createZ3Solver();
  EXPECT_EQ(solver->check("(assert", kRlimit), Answer::Unknown);
  EXPECT_EQ(solver->isScaledSubset({{{1}}, {{2}}, {}, {}, {}}, kRlimit),
            Answer::Sat);
}

TEST(CachedSolverTest, AsksEqualNumbersOnce) {
  CachedSolver solver(createZ3Solver());
  SubsetQuestion question{{{1, 0}}, {{1, 1}}, {}, {}, {}};
  EXPECT_EQ(solver.isScaledSubset(question, kRlimit), Answer::Sat);
  EXPECT_EQ(solver.isScaledSubset(question, kRlimit), Answer::Sat);
  EXPECT_EQ(solver.asked(), 1u);
  EXPECT_EQ(solver.hits(), 1u);
  // The same rows, cut otherwise, are another question.
  question = {{{1, 0}, {1, 1}}, {}, {}, {}, {}};
  EXPECT_EQ(solver.isScaledSubset(question, kRlimit), Answer::Unsat);
  EXPECT_EQ(solver.asked(), 2u);
}
} // namespace
