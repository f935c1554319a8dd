//===- SubexpressionTest.cpp - The pruning question -----------------------===//

#include "Mirage/Search/Subexpression.h"
#include <gtest/gtest.h>
#include <random>

using namespace mirage::search;

namespace {
/// Reads terms such as (div (sum 16 (mul X W)) (sq N)); letters are inputs.
class Reader {
public:
  explicit Reader(ExpressionPool &pool) : pool(pool) {}

  PolyId read(llvm::StringRef text) {
    rest = text;
    return term();
  }

private:
  llvm::StringRef token() {
    rest = rest.ltrim();
    size_t n = rest.starts_with("(") || rest.starts_with(")")
                   ? 1
                   : rest.find_first_of("() ");
    llvm::StringRef t = rest.take_front(n);
    rest = rest.drop_front(t.size());
    return t;
  }
  PolyId term() {
    llvm::StringRef t = token();
    if (t != "(")
      return pool.input(t[0] - 'A');
    llvm::StringRef op = token();
    PolyId result = kTooLarge;
    if (op == "sum") {
      int64_t size = 0;
      token().getAsInteger(10, size);
      result = pool.sum(size, term());
    } else if (op == "ex") {
      result = pool.function(AtomKind::Exp, {term()});
    } else if (op == "sq") {
      result = pool.function(AtomKind::Sqrt, {term()});
    } else {
      PolyId a = term(), b = term();
      result = op == "add"   ? pool.add(a, b)
               : op == "mul" ? pool.mul(a, b)
                             : pool.div(a, b);
    }
    token();
    return result;
  }
  ExpressionPool &pool;
  llvm::StringRef rest;
};

constexpr const char *kRms = "(sum 4096 (mul (div X (sq (div (sum 4096 (mul X "
                             "X)) N))) W))";
constexpr const char *kAttention =
    "(sum 4096 (mul (div (ex (sum 64 (mul Q K))) (sum 4096 (ex (sum 64 (mul Q "
    "K))))) V))";

struct Question {
  const char *target;
  const char *expression;
  bool part;
};

// The questions that the method was checked on before this code existed.
const Question kQuestions[] = {
    {kRms, "(sum 4096 (mul X W))", true},
    {kRms, "(sum 64 (mul X W))", true},
    {kRms, "(mul X X)", true},
    {kRms, "(sq (div (sum 4096 (mul X X)) N))", true},
    {kRms, "(sum 4096 (sum 64 (mul X W)))", false},
    {kRms, "(mul W W)", false},
    {kRms, "(add X W)", false},
    {kRms, "(ex X)", false},
    {kRms, "(sq W)", false},
    {kRms, "(mul X (mul X X))", false},
    {kAttention, "(sum 64 (mul Q K))", true},
    {kAttention, "(sum 4096 (mul (ex (sum 64 (mul Q K))) V))", true},
    {kAttention, "(mul Q V)", false},
    {kAttention, "(ex Q)", false},
    {kAttention, "(sum 64 (mul Q V))", false},
    {kRms, "(div (sum 4096 (mul X W)) (sq (div (sum 4096 (mul X X)) N)))",
     true},
    {kRms, "(sum 64 (sum 64 (mul (mul X X) W)))", false},
    {kAttention,
     "(div (sum 16 (sum 256 (mul (ex (sum 64 (mul Q K))) V))) (sum 16 (sum "
     "256 (ex (sum 64 (mul Q K))))))",
     true},
    // A sum that only a denominator holds, whose factors the normal form
    // splits.
    {kAttention, "(sum 256 (ex (sum 64 (mul Q K))))", true},
};

class SubexpressionTestAllModes : public ::testing::TestWithParam<PruneMode> {};

TEST_P(SubexpressionTestAllModes, AnswersTheKnownQuestions) {
  auto z3 = mirage::solver::createZ3Solver();
  for (const Question &q : kQuestions) {
    ExpressionPool pool;
    Reader reader(pool);
    SubexpressionTest test(pool, {reader.read(q.target)}, GetParam(), z3.get());
    EXPECT_EQ(test.keep(reader.read(q.expression)), q.part)
        << q.expression << " in " << q.target;
    EXPECT_EQ(test.stats().disagreements, 0u);
    EXPECT_EQ(test.stats().z3Unknown, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, SubexpressionTestAllModes,
                         ::testing::Values(PruneMode::Direct, PruneMode::Z3,
                                           PruneMode::Both, PruneMode::Auto));

// The judges agree on random parts and non-parts of random targets.
TEST(SubexpressionTest, JudgesAgreeOnRandomTerms) {
  auto z3 = mirage::solver::createZ3Solver();
  std::mt19937_64 rng(/*seed=*/1);
  unsigned kept = 0, pruned = 0;
  for (int i = 0; i < 40; ++i) {
    ExpressionPool pool;
    auto product = [&] {
      PolyId p = pool.input(rng() % 3);
      for (int n = rng() % 3; n > 0; --n)
        p = pool.mul(p, pool.input(rng() % 3));
      return rng() % 2 ? p : pool.neg(pool.sum(2 + rng() % 2, p));
    };
    auto sum = [&](int n) {
      PolyId p = product();
      while (--n > 0)
        p = pool.add(p, product());
      return p;
    };
    PolyId target = pool.mul(sum(3), product());
    IndexInfo info;
    info.inputClasses = {1, 3, 2};
    info.primeClass = {{2, 0}, {3, 1}};
    SubexpressionTest test(pool, {target}, PruneMode::Both, z3.get(), 2000000,
                           i % 2 ? info : IndexInfo());
    for (int j = 0; j < 6; ++j)
      ++(test.keep(sum(1 + rng() % 3)) ? kept : pruned);
    EXPECT_EQ(test.stats().disagreements, 0u);
  }
  // Neither answer is the only one.
  EXPECT_GT(kept, 20u);
  EXPECT_GT(pruned, 20u);
}

TEST(SubexpressionTest, TargetIsPartOfItself) {
  for (const char *text : {kRms, kAttention}) {
    ExpressionPool pool;
    PolyId target = Reader(pool).read(text);
    SubexpressionTest test(pool, {target}, PruneMode::Direct, nullptr);
    EXPECT_TRUE(test.keep(target));
  }
}

// sum(k, X W): with k known, a sum over X alone is no part; without, it is.
TEST(SubexpressionTest, IndicesForbidSumsOfOneFactor) {
  ExpressionPool pool;
  PolyId x = pool.input(0), w = pool.input(1);
  PolyId target = pool.sum(15, pool.mul(x, w));
  IndexInfo info;
  info.inputClasses = {0b01, 0b11}; // X[k], W[k, n]
  info.primeClass = {{3, 0}, {5, 0}};
  info.hostClasses[target] = 0b10;
  SubexpressionTest known(pool, {target}, PruneMode::Direct, nullptr, 0, info);
  EXPECT_FALSE(known.keep(pool.sum(3, x)));
  EXPECT_TRUE(known.keep(pool.sum(3, pool.mul(x, w))));
  EXPECT_TRUE(known.keep(x));
  SubexpressionTest unknown(pool, {target}, PruneMode::Direct, nullptr);
  EXPECT_TRUE(unknown.keep(pool.sum(3, x)));
}

// LayerNorm's mean: sum(x) sum(W) has k summed twice, so either may come first.
TEST(SubexpressionTest, TwoSumsMayBeApart) {
  ExpressionPool pool;
  PolyId x = pool.input(0), w = pool.input(1);
  PolyId target = pool.mul(pool.sum(15, x), pool.sum(15, w));
  IndexInfo info;
  info.inputClasses = {0b01, 0b11};
  info.primeClass = {{3, 0}, {5, 0}};
  info.hostClasses[target] = 0b10;
  SubexpressionTest test(pool, {target}, PruneMode::Direct, nullptr, 0, info);
  EXPECT_TRUE(test.keep(pool.sum(15, x)));
  EXPECT_FALSE(test.keep(pool.sum(15 * 15 * 3, x)));
}

// x / ((a+b)(c+d)) may be written as two divisions: a denominator that could be
// a factor is kept and counted.
TEST(SubexpressionTest, PossibleFactorsOfDenominatorsAreKept) {
  ExpressionPool pool;
  PolyId sum = pool.add(pool.input(0), pool.input(1));
  PolyId other = pool.add(pool.input(2), pool.input(3));
  PolyId target = pool.div(pool.input(4), pool.mul(sum, other));
  SubexpressionTest test(pool, {target}, PruneMode::Direct, nullptr);
  EXPECT_TRUE(test.keep(pool.div(pool.input(4), sum)));
  EXPECT_EQ(test.stats().undecided, 1u);
  EXPECT_FALSE(test.keep(pool.div(pool.input(4), pool.input(0))));
}

TEST(SubexpressionTest, MemoAnswersTheSecondTime) {
  ExpressionPool pool;
  SubexpressionTest test(pool, {pool.input(0)}, PruneMode::Direct, nullptr);
  EXPECT_FALSE(test.keep(pool.input(1)));
  EXPECT_FALSE(test.keep(pool.input(1)));
  EXPECT_EQ(test.stats().questions, 1u);
  EXPECT_EQ(test.stats().memoHits, 1u);
}
} // namespace
