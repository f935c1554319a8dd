#include "ThreadLayout.h"
#include "gtest/gtest.h"
#include <set>

using namespace mirage::semantics;
using namespace mirage::verify;

namespace {
FragmentShape whole(const ThreadLayout &layout) {
  return {layout.rows, layout.cols, DType::F32, layout};
}

ThreadLayout linear(int64_t rows, int64_t cols, int64_t vec, int64_t threads) {
  ThreadLayout layout;
  layout.rows = rows;
  layout.cols = cols;
  layout.vec = vec;
  layout.threads = threads;
  return layout;
}

ThreadLayout mma(int64_t rows, int64_t cols, int64_t m, int64_t n) {
  ThreadLayout layout;
  layout.isMma = true;
  layout.rows = rows;
  layout.cols = cols;
  layout.warpsM = m;
  layout.warpsN = n;
  return layout;
}

// Every element of a tile lies in one register of one thread.
TEST(ThreadLayoutTest, LayoutsArePartitions) {
  for (const ThreadLayout &layout :
       {linear(4, 16, 4, 32), linear(7, 13, 1, 64), linear(3, 40, 8, 96),
        linear(1, 1000, 4, 128), mma(16, 16, 1, 2), mma(3, 64, 1, 4),
        mma(32, 40, 2, 2)}) {
    std::set<std::pair<int64_t, int64_t>> seen;
    int64_t count = 0;
    placementOf(whole(layout))
        .forEach([&](int64_t, int64_t, int64_t row, int64_t col) {
          if (row < 0 || col < 0)
            return;
          ++count;
          seen.insert({row, col});
        });
    EXPECT_EQ(count, layout.rows * layout.cols);
    EXPECT_EQ(static_cast<int64_t>(seen.size()), count);
  }
}

// The two examples of the dialect's page.
TEST(ThreadLayoutTest, PlacesAsTheDialectSays) {
  Placement p = placementOf(whole(linear(4, 16, 4, 32)));
  EXPECT_EQ(p.row[5 * p.rows], 1);
  EXPECT_EQ(p.col[5 * p.cols], 4);
  EXPECT_EQ(p.row[16 * p.rows], -1);
  p = placementOf(whole(mma(16, 16, 1, 2)));
  EXPECT_EQ(p.row[37 * p.rows], 1);
  EXPECT_EQ(p.col[37 * p.cols], 10);
  EXPECT_EQ(p.row[37 * p.rows + 1], 9);
}

// Swizzling permutes the bytes of a tile.
TEST(ThreadLayoutTest, BuffersDoNotFoldElements) {
  for (int64_t rowBytes : {32, 64, 128, 256, 512}) {
    ThreadBuffer buffer{0, 1, 16, rowBytes / 2, rowBytes, DType::F16, true};
    std::set<int64_t> seen;
    for (int64_t row = 0; row < buffer.rows; ++row)
      for (int64_t col = 0; col < buffer.cols; ++col)
        seen.insert(byteInTile(buffer, row, col));
    EXPECT_EQ(static_cast<int64_t>(seen.size()), buffer.rows * buffer.cols);
    EXPECT_EQ(*seen.rbegin(), stageBytes(buffer) - 2);
  }
}
} // namespace
