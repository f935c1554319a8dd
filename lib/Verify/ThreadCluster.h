//===- ThreadCluster.h - The blocks of one cluster --------------*- C++ -*-===//

#ifndef MIRAGE_LIB_VERIFY_THREADCLUSTER_H
#define MIRAGE_LIB_VERIFY_THREADCLUSTER_H

#include "ThreadExecutor.h"
#include <array>

namespace mirage::verify {

/// A tensor in device memory during one run.
struct DeviceTensor {
  std::optional<Store> store; ///< none before its first use
  std::vector<uint8_t> written;
  bool isInput = false;
};

/// What the blocks of one launch share.
struct LaunchContext {
  const ThreadKernel &kernel;
  const ThreadRun &run;
  std::vector<DeviceTensor *> tensors; ///< by argument
  std::vector<Placement> placements;   ///< by value
  std::mutex &lock;                    ///< of the tensors that are written
};

class ClusterRun {
public:
  /// `first` is the index of the cluster's first block.
  ClusterRun(const LaunchContext &launch, std::array<int64_t, 3> first);
  bool execute(); ///< false after a failure

private:
  struct BlockState {
    std::array<int64_t, 3> at;
    int64_t rank; ///< in the cluster
    SharedMemory memory;
    std::vector<Fragment> fragments; ///< by value

    BlockState(std::array<int64_t, 3> at, int64_t rank, int64_t bytes,
               size_t values)
        : at(at), rank(rank), memory(bytes), fragments(values) {}
  };
  using Places = std::vector<int64_t>;

  // Each returns false after a failure.
  bool runOps(const std::vector<ThreadOp> &ops);
  bool runFor(const ThreadOp &op);
  bool runOp(const ThreadOp &op);
  bool runOnBlock(const ThreadOp &op, BlockState &block);

  // Memory: ThreadMoves.cpp.
  bool copyAsync(const ThreadOp &op, BlockState &block);
  bool load(const ThreadOp &op, BlockState &block);
  bool loadCluster(const ThreadOp &op, BlockState &block);
  bool store(const ThreadOp &op, BlockState &block);
  bool loadGlobal(const ThreadOp &op, BlockState &block);
  bool storeGlobal(const ThreadOp &op, BlockState &block);
  bool loadIndexed(const ThreadOp &op, BlockState &block);
  bool iotaIndexed(const ThreadOp &op, BlockState &block);
  bool reduceIndexed(const ThreadOp &op, BlockState &block);
  bool storeIndexed(const ThreadOp &op, BlockState &block);
  bool writeTensor(const ThreadOp &op, int tensor, int64_t place,
                   const Fragment &value, int64_t i);

  // Arithmetic: ThreadArithmetic.cpp.
  bool splat(const ThreadOp &op, BlockState &block);
  bool iota(const ThreadOp &op, BlockState &block);
  bool map(const ThreadOp &op, BlockState &block);
  bool combine(const ThreadOp &op, BlockState &block);
  bool reduceThreads(const ThreadOp &op, BlockState &block);
  bool multiply(const ThreadOp &op, BlockState &block);

  /// Elements of a buffer's tile, rows x cols from (0, 0), by a warp.
  bool readTile(const ThreadOp &op, BlockState &block, int buffer, int stage,
                int64_t rows, int64_t cols, Fragment &result);
  /// First byte of the tile that `stage` names, or nothing.
  std::optional<int64_t> tileBase(const ThreadOp &op, int buffer, int stage);
  /// First element and shape of the tile of a tensor, or nothing.
  struct TensorTile {
    int64_t start = 0, rows = 1, cols = 1, rowStride = 0;
  };
  std::optional<TensorTile>
  tensorTile(const ThreadOp &op, const BlockState &block, int64_t iteration);
  /// Rows and columns by which a cluster's block is ahead in a sliced tile.
  std::pair<int64_t, int64_t> sliceStart(const ThreadOp &op,
                                         const BlockState &block,
                                         const Placement &p, int64_t rows,
                                         int64_t cols) const;
  bool mayRead(const ThreadOp &op, int tensor);
  bool fail(const ThreadOp &op, const llvm::Twine &text,
            FailureKind kind = FailureKind::Malformed);
  /// `fragment` with one value for each register.
  Fragment spread(const Fragment &fragment, const Placement &p);
  Fragment replacePadding(const Fragment &fragment, const Placement &p,
                          bool maximum);

  TileDomain &domain() const { return launch.run.domain; }
  const Placement &placement(int value) const {
    return launch.placements[value];
  }

  const LaunchContext &launch;
  const ThreadKernel &kernel;
  std::vector<BlockState> blocks;
  std::vector<int64_t> scalars; ///< by value; the same in all blocks
  bool waited = false;          ///< grid_dependency_wait was passed
};

/// offset + sum of index * stride for the row-major index `n` of `space`.
int64_t placeInSpace(int64_t n, const semantics::Shape &space,
                     llvm::ArrayRef<int64_t> strides, int64_t offset);

inline int64_t numElements(const semantics::Shape &shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

} // namespace mirage::verify

#endif // MIRAGE_LIB_VERIFY_THREADCLUSTER_H
