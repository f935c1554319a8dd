//===- ThreadMemory.h - Registers and memory of threads ---------*- C++ -*-===//
//
// A Fragment holds the registers of all threads of a block as one tile, so that
// a domain computes on it at once; a Store holds elements by place. What has no
// defined value is poison, and what poison makes is poison: padding, memory
// that nothing wrote, half of an overwritten element.
//
// SharedMemory also watches for races. Time is cut by barriers into epochs. In
// one epoch, two accesses to a cell of which one writes must be one thread's.
// An asynchronous copy writes at some time between its issue and the wait that
// covers its group, by no thread that one may name; its target is nobody's
// until then, and others' after the next barrier. Peers of a cluster read
// between barriers of the cluster.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_THREADMEMORY_H
#define MIRAGE_LIB_VERIFY_THREADMEMORY_H

#include "ThreadLayout.h"
#include "TileDomain.h"

namespace mirage::verify {

/// Values of what is poison: any, but not zero, so that nothing divides by it.
struct Junk {
  uint64_t p = 1, q = 1; ///< below 2^61 and 2^39
};

/// Registers [threads, rows, cols], or one value for all as a tile of rank 0.
struct Fragment {
  TileRef tile;
  /// For each register, nonzero where it is poison; null where none is.
  std::shared_ptr<const std::vector<uint8_t>> poison;

  bool isUniform() const { return tile->shape.empty(); }
  bool poisonAt(int64_t i) const { return poison && (*poison)[i]; }
};

/// Elements by place, each with the components that its writer had.
class Store {
public:
  /// All `count` elements are poison.
  explicit Store(int64_t count) : states(count, 0) {}
  /// All are those of `tile`.
  explicit Store(TileRef tile);

  int64_t size() const { return whole ? whole->numElements() : states.size(); }
  /// Element `to` becomes element `from` of `tile`.
  void set(int64_t to, const Tile &tile, int64_t from);
  void setPoison(int64_t to) { states[to] = 0; }
  bool isPoison(int64_t at) const { return !whole && states[at] == 0; }
  /// Whether element `at` equals element `from` of `tile`.
  bool equals(int64_t at, const Tile &tile, int64_t from) const;
  /// The elements at `places` as a tile of this shape; -1 and poison are marked
  /// and get junk.
  Fragment gather(Shape shape, const std::vector<int64_t> &places,
                  const Junk &junk, TileDomain &domain) const;
  TileRef asTile(Shape shape) const;

private:
  enum State : uint8_t { kDefined = 1, kHasQ = 2, kHasBag = 4, kHasIndex = 8 };
  uint8_t stateAt(int64_t at) const { return whole ? wholeState : states[at]; }
  const Tile &tile() const { return whole ? *whole : values; }

  TileRef whole; ///< of an input
  uint8_t wholeState = 0;
  Tile values;
  std::vector<uint8_t> states;
};

/// Elements of `source` as a tile of this shape, by place; -1 becomes junk.
Fragment gatherTile(const Tile &source, Shape shape,
                    const std::vector<int64_t> &places, const Junk &junk,
                    TileDomain &domain);

/// Some thread that may not be named: a copy's, or a whole warp.
constexpr int32_t kAnyThread = -1;

class SharedMemory {
public:
  explicit SharedMemory(int64_t bytes)
      : store(bytes / kCell), cells(bytes / kCell) {}

  // Each returns what is wrong, or nothing. `width` is the element's, 2 or 4.
  const char *write(int64_t byte, int64_t width, int32_t thread,
                    const Tile &tile, int64_t from, bool poison);
  /// `tile` may be null: poison arrives.
  const char *copy(int64_t byte, int64_t width, const Tile *tile, int64_t from);
  /// Notes that `thread` reads, and gives the place in `elements()`, or -1 for
  /// poison.
  const char *read(int64_t byte, int64_t width, int32_t thread, int64_t &place);
  /// The same by another block of the cluster.
  const char *readByPeer(int64_t byte, int64_t width, int64_t &place);

  void commit() { ++openGroup; }
  void wait(int64_t pending);
  void barrier() { ++epoch; }
  void clusterBarrier() {
    ++epoch;
    ++clusterEpoch;
  }
  /// Whether a peer may still be reading.
  bool isReadByPeers() const { return lastPeerRead == clusterEpoch; }
  bool holds(int64_t byte, int64_t width) const {
    return byte >= 0 && byte % kCell == 0 &&
           byte + width <= static_cast<int64_t>(cells.size()) * kCell;
  }
  const Store &elements() const { return store; }

private:
  static constexpr int64_t kCell = 2; ///< bytes: the smallest element
  struct Cell {
    uint32_t written = 0, writtenCluster = 0, read = 0, readByPeer = 0;
    uint32_t group = 0; ///< of the copy that wrote it, 0 if none did
    int32_t writer = 0, reader = 0;
    uint8_t width = 0; ///< of the element that begins here, 0 in its middle
  };
  const char *claim(Cell &cell, int32_t thread);
  const char *observe(Cell &cell, int32_t thread);
  int64_t placeOf(int64_t byte, int64_t width) const;
  void begin(int64_t byte, int64_t width);

  Store store;
  std::vector<Cell> cells;
  uint32_t epoch = 1, clusterEpoch = 1, lastPeerRead = 0;
  uint32_t openGroup = 1;            ///< groups below are closed
  uint32_t doneGroups = 0;           ///< groups up to here have arrived
  std::vector<uint32_t> arrivals{0}; ///< by group: the epoch of the wait
};

} // namespace mirage::verify

#endif // MIRAGE_LIB_VERIFY_THREADMEMORY_H
