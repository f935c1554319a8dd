// The verifier against programs with one edit each, a sample of the whole run
// of docs/verifier-mutations.md, and the test's own parts against programs
// whose truth is known.

#include "../AttentionPrograms.h"
#include "Harness.h"
#include "Mirage/Interpreter/Interpreter.h"
#include "Right.h"
#include "Wrong.h"
#include "gtest/gtest.h"

using namespace mirage::verify;
using namespace mirage::verify::mutation;
using namespace mirage::verify::test;

namespace {
std::vector<Base> smallCorpus() {
  std::vector<Base> corpus;
  addKernelPrograms(corpus);
  addBlockGraphs(corpus);
  addSearchWinners(corpus, 2);
  addStoredGraphs(corpus, MIRAGE_MUGRAPHS, 1);
  return corpus;
}

void print(const Report &report) {
  printTables(report, llvm::outs());
  llvm::outs() << report.grey.size() << " grey, " << report.cannotTell.size()
               << " same but cannot tell, " << report.open.size()
               << " wrong but cannot tell\n";
  llvm::outs().flush();
}

TEST(MutationTest, Sample) {
  std::vector<Base> corpus = smallCorpus();
  HarnessOptions options;
  options.threads = 2;
  options.wrongPerBase = 16;
  options.pairsPerBase = 1;
  options.rightPerBase = 6;
  Report report = runHarness(corpus, options);
  print(report);
  for (const std::string &fault : report.faults)
    ADD_FAILURE() << fault;
  // An edit that no longer applies must not go unnoticed.
  EXPECT_GE(report.bases, 95u);
  EXPECT_GE(total(report.wrong, Truth::Wrong), 1200u);
  EXPECT_GE(total(report.right, Truth::Same), 500u);
  EXPECT_GE(report.wrong.size(), 34u);
  EXPECT_GE(report.right.size(), 19u);
}

TEST(MutationTest, ReportFollowsFromTheSeed) {
  std::vector<Base> corpus;
  addBlockGraphs(corpus);
  corpus.resize(3);
  HarnessOptions options;
  options.wrongPerBase = 8;
  options.rightPerBase = 4;
  options.pairsPerBase = 2;
  auto text = [&](unsigned threads, uint64_t seed) {
    options.threads = threads;
    options.seed = seed;
    std::string tables;
    llvm::raw_string_ostream os(tables);
    printTables(runHarness(corpus, options), os);
    return tables;
  };
  std::string one = text(1, 1);
  EXPECT_EQ(one, text(2, 1));
  EXPECT_NE(one, text(1, 2));
}

// A run that cannot fail proves nothing: a wrong program among the right ones.
TEST(MutationTest, ReportsAWrongRightProgram) {
  std::vector<Base> corpus{{"wrong", attention(), online(true, false)}};
  HarnessOptions options;
  options.wrongPerBase = options.rightPerBase = 1;
  Report report = runHarness(corpus, options);
  ASSERT_FALSE(report.faults.empty());
  EXPECT_NE(report.faults[0].find("a right edit that is wrong"),
            std::string::npos);
}

TEST(EditTest, OffersValidProgramsOfTheSameSignature) {
  Base base{"", rmsNormLinear({3, 12, 4}),
            fusedRmsNormLinear({3, 12, 4}, {2, 2, 3})};
  for (auto edits : {wrongEdits(base.candidate), rightEdits(base.candidate)}) {
    EXPECT_GT(edits.size(), 30u);
    for (const Edited &edit : edits) {
      EXPECT_FALSE(static_cast<bool>(verifyProgram(edit.program)))
          << edit.kind << ": " << edit.what;
      EXPECT_EQ(edit.program.type(edit.program.outputs[0]),
                base.candidate.type(base.candidate.outputs[0]));
    }
  }
}

// Two evaluators written apart: the interpreter in double, and this one.
TEST(TruthTest, AgreesWithTheInterpreter) {
  for (const Base &base : smallCorpus())
    for (const Program *program : {&base.reference, &base.candidate}) {
      auto inputs = mirage::interpreter::randomInputs(*program, 7);
      std::vector<std::vector<double>> values;
      for (const auto &input : inputs)
        values.push_back(input.values);
      auto expected = mirage::interpreter::run(
          *program, inputs, mirage::interpreter::Mode::F64, 1);
      ASSERT_TRUE(static_cast<bool>(expected))
          << llvm::toString(expected.takeError());
      auto narrow = evaluate(*program, values);
      auto wide = evaluateWide(*program, values);
      for (size_t o = 0; o < narrow.size(); ++o)
        for (size_t i = 0; i < narrow[o].size(); ++i) {
          double value = (*expected)[o].values[i];
          // Short sums of doubles near 1.
          EXPECT_NEAR(narrow[o][i], value, 1e-12) << base.name;
          EXPECT_NEAR(wide[o][i].v.hi, value, 1e-12) << base.name;
          EXPECT_LT(wide[o][i].e, 1e-24) << base.name;
        }
    }
}

Truth judge(const Program &f, const Program &g) { return Judge(f).judge(g); }

TEST(TruthTest, KnowsWhatDigitsAreLost) {
  auto silu = [](bool mirrored) {
    Kernel k;
    ValueId x = k.input({2, 3});
    ValueId s = k.op(OpKind::Silu, {mirrored ? k.neg(x) : x});
    return k.done({mirrored ? k.add(x, s) : s});
  };
  // At x = -200 the sum is zero in double-double, and 200 exp(-200) in truth.
  EXPECT_EQ(judge(silu(false), silu(true)), Truth::Same);
  // A difference of squares at tiny variances.
  auto variance = [](bool difference) {
    Kernel k;
    ValueId x = k.input({3, 4});
    ValueId m = k.reduce(ReduceKind::Mean, x, 1);
    auto meanSquare = [&](ValueId y) {
      return k.reduce(ReduceKind::Mean, k.op(OpKind::Square, {y}), 1);
    };
    ValueId v = difference ? k.sub(meanSquare(x), k.op(OpKind::Square, {m}))
                           : meanSquare(k.sub(x, m));
    return k.done({v});
  };
  EXPECT_EQ(judge(variance(false), variance(true)), Truth::Same);
}

TEST(TruthTest, SeesSmallDifferences) {
  auto norm = [](double eps) {
    Kernel k;
    return k.done({k.rmsNorm(k.input({3, 4}), eps)});
  };
  // Only at tiny inputs.
  EXPECT_EQ(judge(norm(1e-6), norm(0)), Truth::Wrong);
  EXPECT_EQ(judge(norm(1e-6), norm(1e-5)), Truth::Wrong);
  EXPECT_EQ(judge(norm(1e-6), norm(1e-6 * (1 + 0x1p-52))), Truth::Grey);
  auto clamp = [](double hi) {
    Kernel k;
    return k.done({k.clamp(k.input({3, 4}), -1, hi)});
  };
  // Only beyond the bounds.
  EXPECT_EQ(judge(clamp(6), clamp(7)), Truth::Wrong);
  EXPECT_EQ(judge(clamp(6), clamp(6)), Truth::Same);
}

// What no point defines is no evidence.
TEST(TruthTest, UndefinedIsGrey) {
  auto root = [](double sign) {
    Kernel k;
    ValueId x = k.op(OpKind::Square, {k.input({2, 3})});
    return k.done({k.op(OpKind::Sqrt, {k.mul(x, k.literal(sign))})});
  };
  EXPECT_EQ(judge(root(1), root(-1)), Truth::Grey);
}
} // namespace
