//===- ProgressTest.cpp - The line on a terminal --------------------------===//

#include "SuperoptProgress.h"
#include "gtest/gtest.h"

using namespace mirage;

TEST(ProgressTest, NamesFragmentNodesRateAndBest) {
  search::Progress progress;
  progress.visited = 5000;
  progress.seconds = 2;
  progress.bestMicros = 3.25;
  EXPECT_EQ(formatProgress("layer", 3, 5, progress, /*seconds=*/8),
            "superopt: @layer: fragment 3 of 5, 5000 nodes, 2500 nodes/s, best "
            "3.2 us, about 12 s left");
}

// Before anything is known, nothing is made up.
TEST(ProgressTest, LeavesOutWhatIsNotKnown) {
  EXPECT_EQ(formatProgress("layer", 1, 5, {}, /*seconds=*/0),
            "superopt: @layer: fragment 1 of 5, 0 nodes");
}

// A stream that is no terminal gets nothing.
TEST(ProgressTest, IsSilentInAPipe) {
  std::string text;
  llvm::raw_string_ostream os(text);
  SuperoptProgress progress(os);
  progress.begin("layer", 1);
  progress.next();
  progress.show({});
  progress.say("verifying");
  progress.clear();
  EXPECT_EQ(text, "");
}
