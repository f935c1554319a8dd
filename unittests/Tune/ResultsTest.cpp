//===- ResultsTest.cpp - Figures made of measurements ---------------------===//

#include "Mirage/Tune/Measure.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>
#include <limits>

using namespace mirage::tune;

namespace {
/// Candidates 0, 1, ... that took so long; 0 for one that failed.
Results measured(std::vector<double> cold) {
  Results results;
  results.device = "device";
  results.capability = 90;
  results.bundle.target = "sm_90a";
  for (size_t i = 0; i < cold.size(); ++i) {
    BundleCandidate candidate;
    candidate.folder = std::to_string(i);
    candidate.rank = i;
    candidate.predictedMicros = 1.0 + i;
    results.bundle.candidates.push_back(candidate);
    Measurement m;
    if (cold[i] > 0) {
      m.outcome = Outcome::Passed;
      m.plain.cold = cold[i];
      m.coldPasses = {cold[i], cold[i] * 1.25};
    } else {
      m.message = "reason";
    }
    results.measurements.push_back(m);
  }
  return results;
}

std::string tableOf(const Results &results) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printTable(results, os);
  return text;
}
} // namespace

TEST(ResultsTest, SpearmanRanksWithTies) {
  EXPECT_DOUBLE_EQ(*spearman({1, 2, 3}, {10, 20, 30}), 1.0);
  EXPECT_DOUBLE_EQ(*spearman({1, 2, 3}, {30, 20, 10}), -1.0);
  // Ranks 0, 1, 2, 3 and 0.5, 0.5, 2, 3: 4.5 / sqrt(5 * 4.5).
  EXPECT_NEAR(*spearman({1, 2, 3, 4}, {5, 5, 6, 7}), 0.948683, 1e-6);
  EXPECT_FALSE(spearman({1}, {1}).has_value());
  EXPECT_FALSE(spearman({}, {}).has_value());
  EXPECT_FALSE(spearman({1, 2}, {3, 3}).has_value());
}

TEST(ResultsTest, OrdersByColdTimeAndLeavesOutWhatFailed) {
  EXPECT_EQ(measured({3, 0, 1, 2}).byColdTime(),
            (std::vector<size_t>{2, 3, 0}));
  EXPECT_TRUE(measured({0, 0}).byColdTime().empty());
}

TEST(ResultsTest, TableNamesTheBestOfBothKinds) {
  std::string text = tableOf(measured({0, 3, 1}));
  EXPECT_NE(text.find("dropped: reason"), std::string::npos) << text;
  EXPECT_NE(text.find("best measured  2: predicted 3.00, cold 1.00"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("best predicted 1: predicted 2.00, cold 3.00"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("largest difference between passes: 25.0 %"),
            std::string::npos)
      << text;
  EXPECT_NE(tableOf(measured({0})).find("no candidate passed"),
            std::string::npos);
}

// A NaN has no spelling in JSON; what cannot be read would lose the rest.
TEST(ResultsTest, JSONIsReadableWhateverTheNumbers) {
  Results results = measured({1});
  results.measurements[0].relativeError =
      std::numeric_limits<double>::quiet_NaN();
  results.measurements[0].errorRatio = std::numeric_limits<double>::infinity();
  std::string text = llvm::formatv("{0:2}", toJSON(results)).str();
  auto value = llvm::json::parse(text);
  ASSERT_TRUE(static_cast<bool>(value)) << llvm::toString(value.takeError());
  const llvm::json::Object &entry =
      *(*value->getAsObject()->getArray("candidates"))[0].getAsObject();
  EXPECT_EQ(*entry.get("relative_error"), llvm::json::Value(nullptr));
  EXPECT_EQ(*entry.get("error_ratio"), llvm::json::Value(nullptr));
}
