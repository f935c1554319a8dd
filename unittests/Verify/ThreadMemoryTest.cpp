#include "ThreadMemory.h"
#include "llvm/ADT/StringRef.h"
#include "gtest/gtest.h"

using namespace mirage::verify;

namespace {
Tile makeTile(std::vector<uint64_t> values) {
  Tile tile;
  tile.shape = {static_cast<int64_t>(values.size())};
  tile.p = std::move(values);
  return tile;
}

/// Shared memory of 256 bytes, and accesses of f16 elements by name.
struct Memory {
  SharedMemory shared{256};
  Tile tile = makeTile({11, 22, 33});

  std::string write(int64_t byte, int32_t thread) {
    return text(shared.write(byte, 2, thread, tile, 0, /*poison=*/false));
  }
  std::string copy(int64_t byte) {
    return text(shared.copy(byte, 2, &tile, 1));
  }
  std::string read(int64_t byte, int32_t thread) {
    int64_t place = 0;
    return text(shared.read(byte, 2, thread, place));
  }
  std::string readByPeer(int64_t byte) {
    int64_t place = 0;
    return text(shared.readByPeer(byte, 2, place));
  }
  /// Whether an element of this width is defined here.
  bool isDefined(int64_t byte, int64_t width) {
    int64_t place = 0;
    EXPECT_EQ(shared.read(byte, width, 0, place), nullptr);
    return place >= 0;
  }
  static std::string text(const char *wrong) { return wrong ? wrong : ""; }
};

TEST(ThreadMemoryTest, ReadsWaitForABarrier) {
  Memory m;
  EXPECT_EQ(m.write(0, 5), "");
  EXPECT_EQ(m.read(0, 5), "");
  EXPECT_EQ(m.read(0, 6), "an element that another thread wrote is read with "
                          "no barrier between");
  m.shared.barrier();
  EXPECT_EQ(m.read(0, 6), "");
}

TEST(ThreadMemoryTest, WritesWaitForABarrier) {
  Memory m;
  EXPECT_EQ(m.write(0, 5), "");
  EXPECT_EQ(m.write(0, 5), "");
  EXPECT_EQ(m.write(0, 6),
            "an element is written by two threads with no barrier between");
  m.shared.barrier();
  EXPECT_EQ(m.read(0, 6), "");
  EXPECT_EQ(m.write(0, 6), "");
  EXPECT_EQ(m.write(2, 7), "");
  m.shared.barrier();
  EXPECT_EQ(m.read(2, 5), "");
  EXPECT_EQ(m.read(2, 6), "");
  EXPECT_EQ(m.write(2, 6), "an element that another thread reads is written "
                           "with no barrier between");
}

TEST(ThreadMemoryTest, CopiesArriveWithTheirGroup) {
  Memory m;
  EXPECT_EQ(m.copy(0), "");
  m.shared.commit();
  EXPECT_EQ(m.copy(2), "");
  m.shared.commit();
  std::string early =
      "an element is read before the copy that writes it is waited for";
  EXPECT_EQ(m.read(0, 1), early);
  m.shared.wait(1); // the first group
  // A copy is everybody's only after a barrier.
  EXPECT_EQ(m.read(0, 1), "an element that another thread wrote is read with "
                          "no barrier between");
  m.shared.barrier();
  EXPECT_EQ(m.read(0, 1), "");
  EXPECT_EQ(m.read(2, 1), early);
  EXPECT_EQ(m.write(2, 1),
            "an element that a copy in flight writes is written");
  m.shared.wait(0);
  m.shared.barrier();
  EXPECT_EQ(m.read(2, 1), "");
}

// A copy that nothing closes is never waited for.
TEST(ThreadMemoryTest, CopiesWithoutACommitDoNotArrive) {
  Memory m;
  EXPECT_EQ(m.copy(0), "");
  m.shared.wait(-1);
  m.shared.barrier();
  EXPECT_EQ(m.read(0, 1),
            "an element is read before the copy that writes it is waited for");
}

TEST(ThreadMemoryTest, PeersWaitForTheCluster) {
  Memory m;
  EXPECT_EQ(m.write(0, 1), "");
  m.shared.barrier();
  EXPECT_EQ(m.readByPeer(0), "an element that another block wrote is read with "
                             "no barrier of the cluster between");
  m.shared.clusterBarrier();
  EXPECT_EQ(m.readByPeer(0), "");
  EXPECT_TRUE(m.shared.isReadByPeers());
  m.shared.barrier();
  EXPECT_EQ(m.write(0, 1), "an element that another block reads is written "
                           "with no barrier of the cluster between");
  m.shared.clusterBarrier();
  EXPECT_FALSE(m.shared.isReadByPeers());
  EXPECT_EQ(m.write(0, 1), "");
}

// Elements of two widths share bytes: half of one is nothing.
TEST(ThreadMemoryTest, PartsOfElementsArePoison) {
  Memory m;
  EXPECT_EQ(m.shared.write(0, 4, 0, m.tile, 0, false), nullptr);
  EXPECT_TRUE(m.isDefined(0, 4));
  EXPECT_FALSE(m.isDefined(0, 2));
  EXPECT_FALSE(m.isDefined(2, 2));
  EXPECT_FALSE(m.isDefined(4, 4));
  EXPECT_EQ(m.shared.write(2, 2, 0, m.tile, 0, false), nullptr);
  EXPECT_FALSE(m.isDefined(0, 4));
  EXPECT_TRUE(m.isDefined(2, 2));
  EXPECT_EQ(m.shared.write(2, 2, 0, m.tile, 0, /*poison=*/true), nullptr);
  EXPECT_FALSE(m.isDefined(2, 2));
}
} // namespace
