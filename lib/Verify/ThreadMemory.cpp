//===- ThreadMemory.cpp - Registers and memory of threads -----------------===//

#include "ThreadMemory.h"

using namespace mirage::semantics;
using namespace mirage::verify;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Store::Store(TileRef tile) : whole(std::move(tile)) {
  wholeState = kDefined | (whole->q.empty() ? 0 : kHasQ) |
               (whole->bags.empty() ? 0 : kHasBag) |
               (whole->index.empty() ? 0 : kHasIndex);
}

void Store::set(int64_t to, const Tile &tile, int64_t from) {
  auto copy = [&](const auto &source, auto &target) {
    if (source.empty())
      return false;
    if (target.empty())
      target.resize(states.size());
    target[to] = source[from];
    return true;
  };
  uint8_t state = kDefined;
  copy(tile.p, values.p);
  copy(tile.real, values.real);
  copy(tile.wide, values.wide);
  if (copy(tile.q, values.q))
    state |= kHasQ;
  if (copy(tile.bags, values.bags))
    state |= kHasBag;
  if (copy(tile.index, values.index))
    state |= kHasIndex;
  values.mayBeNegInf |= tile.mayBeNegInf;
  states[to] = state;
}

bool Store::equals(int64_t at, const Tile &other, int64_t from) const {
  const Tile &mine = tile();
  auto same = [&](const auto &x, const auto &y) {
    return x.empty() || y.empty() || x[at] == y[from] ||
           !(x[at] == x[at] || y[from] == y[from]);
  };
  return !isPoison(at) && same(mine.p, other.p) &&
         same(mine.real, other.real) && same(mine.wide, other.wide);
}

Fragment Store::gather(Shape shape, const std::vector<int64_t> &places,
                       const Junk &junk, TileDomain &domain) const {
  const Tile &from = tile();
  auto result = std::make_shared<Tile>();
  result->shape = std::move(shape);
  std::vector<uint8_t> poison;
  bool allQ = true, anyBag = false, allIndex = true, any = false;
  for (size_t i = 0; i < places.size(); ++i) {
    uint8_t state = places[i] < 0 ? 0 : stateAt(places[i]);
    if (!state) {
      if (poison.empty())
        poison.resize(places.size());
      poison[i] = 1;
      continue;
    }
    any = true;
    allQ &= (state & kHasQ) != 0;
    anyBag |= (state & kHasBag) != 0;
    allIndex &= (state & kHasIndex) != 0;
  }
  auto isPoison = [&](size_t i) { return !poison.empty() && poison[i]; };
  auto move = [&](const auto &source, auto &target, auto make) {
    target.resize(places.size());
    for (size_t i = 0; i < places.size(); ++i)
      target[i] = isPoison(i) || source.empty() ? make(i) : source[places[i]];
  };
  bool isReal = !from.real.empty(), isWide = !from.wide.empty();
  // Without any element the domain is not known from the store: ask it.
  if (!any) {
    TileRef one = domain.constant(ConstantValue::makeLiteral(1.0));
    isReal = !one->real.empty();
    isWide = !one->wide.empty();
    allQ = !one->q.empty();
    allIndex = false;
  }
  if (isReal) {
    move(from.real, result->real, [](size_t) { return 1.0; });
  } else if (isWide) {
    move(from.wide, result->wide, [](size_t) { return DoubleDouble(1.0); });
  } else {
    move(from.p, result->p, [&](size_t i) { return junk.p + i; });
    if (allQ)
      move(from.q, result->q, [&](size_t i) { return junk.q + i; });
    if (allIndex)
      move(from.index, result->index, [](size_t) { return int64_t(0); });
    if (from.mayBeNegInf)
      for (size_t i = 0; i < places.size() && !result->mayBeNegInf; ++i)
        result->mayBeNegInf = result->p[i] == kNegInf;
  }
  Fragment fragment{result, nullptr};
  if (anyBag) {
    // Elements without a set are sets of one: the domain says which.
    auto bagged = std::make_shared<Tile>(*domain.reduceMax(result, {}));
    for (size_t i = 0; i < places.size(); ++i)
      if (!isPoison(i) && (stateAt(places[i]) & kHasBag))
        bagged->bags[i] = from.bags[places[i]];
    bagged->p = result->p;
    bagged->q = result->q;
    bagged->mayBeNegInf = result->mayBeNegInf;
    fragment.tile = bagged;
  }
  if (!poison.empty())
    fragment.poison =
        std::make_shared<const std::vector<uint8_t>>(std::move(poison));
  return fragment;
}

TileRef Store::asTile(Shape shape) const {
  if (whole)
    return whole->shape == shape ? whole : reshaped(*whole, std::move(shape));
  auto result = std::make_shared<Tile>(values);
  result->shape = std::move(shape);
  return result;
}

Fragment mirage::verify::gatherTile(const Tile &source, Shape shape,
                                    const std::vector<int64_t> &places,
                                    const Junk &junk, TileDomain &domain) {
  // The store does not outlive the tile.
  Store store(TileRef(TileRef(), &source));
  return store.gather(std::move(shape), places, junk, domain);
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

const char *SharedMemory::claim(Cell &cell, int32_t thread) {
  bool inFlight = cell.group > doneGroups;
  uint32_t written =
      cell.group && !inFlight ? arrivals[cell.group] : cell.written;
  bool mine = thread != kAnyThread && cell.writer == thread;
  if (inFlight)
    return "an element that a copy in flight writes is written";
  if (cell.read == epoch &&
      (cell.reader == kAnyThread || cell.reader != thread))
    return "an element that another thread reads is written with no barrier "
           "between";
  if (written == epoch && !mine)
    return "an element is written by two threads with no barrier between";
  if (cell.readByPeer == clusterEpoch)
    return "an element that another block reads is written with no barrier of "
           "the cluster between";
  cell.written = epoch;
  cell.writtenCluster = clusterEpoch;
  cell.writer = thread;
  cell.group = 0;
  return nullptr;
}

const char *SharedMemory::observe(Cell &cell, int32_t thread) {
  bool inFlight = cell.group > doneGroups;
  if (inFlight)
    return "an element is read before the copy that writes it is waited for";
  uint32_t written = cell.group ? arrivals[cell.group] : cell.written;
  if (written == epoch && (cell.writer == kAnyThread || cell.writer != thread))
    return "an element that another thread wrote is read with no barrier "
           "between";
  cell.reader =
      cell.read == epoch && cell.reader != thread ? kAnyThread : thread;
  cell.read = epoch;
  return nullptr;
}

void SharedMemory::begin(int64_t byte, int64_t width) {
  for (int64_t i = 0; i < width / kCell; ++i)
    cells[byte / kCell + i].width = i == 0 ? width : 0;
}

const char *SharedMemory::write(int64_t byte, int64_t width, int32_t thread,
                                const Tile &tile, int64_t from, bool poison) {
  for (int64_t i = 0; i < width / kCell; ++i)
    if (const char *wrong = claim(cells[byte / kCell + i], thread))
      return wrong;
  begin(byte, width);
  if (poison)
    store.setPoison(byte / kCell);
  else
    store.set(byte / kCell, tile, from);
  return nullptr;
}

const char *SharedMemory::copy(int64_t byte, int64_t width, const Tile *tile,
                               int64_t from) {
  for (int64_t i = 0; i < width / kCell; ++i) {
    Cell &cell = cells[byte / kCell + i];
    if (const char *wrong = claim(cell, kAnyThread))
      return wrong;
    cell.group = openGroup;
  }
  begin(byte, width);
  if (tile)
    store.set(byte / kCell, *tile, from);
  else
    store.setPoison(byte / kCell);
  return nullptr;
}

int64_t SharedMemory::placeOf(int64_t byte, int64_t width) const {
  bool whole = cells[byte / kCell].width == width;
  for (int64_t i = 1; i < width / kCell; ++i)
    whole &= cells[byte / kCell + i].width == 0;
  return whole && !store.isPoison(byte / kCell) ? byte / kCell : -1;
}

const char *SharedMemory::read(int64_t byte, int64_t width, int32_t thread,
                               int64_t &place) {
  for (int64_t i = 0; i < width / kCell; ++i)
    if (const char *wrong = observe(cells[byte / kCell + i], thread))
      return wrong;
  place = placeOf(byte, width);
  return nullptr;
}

const char *SharedMemory::readByPeer(int64_t byte, int64_t width,
                                     int64_t &place) {
  for (int64_t i = 0; i < width / kCell; ++i) {
    Cell &cell = cells[byte / kCell + i];
    if (cell.group > doneGroups)
      return "an element is read before the copy that writes it is waited for";
    if (cell.writtenCluster == clusterEpoch)
      return "an element that another block wrote is read with no barrier of "
             "the cluster between";
    cell.readByPeer = clusterEpoch;
  }
  lastPeerRead = clusterEpoch;
  place = placeOf(byte, width);
  return nullptr;
}

void SharedMemory::wait(int64_t pending) {
  // Closed groups are 1 .. openGroup - 1; no wait covers the open one.
  int64_t done =
      static_cast<int64_t>(openGroup) - 1 - std::max<int64_t>(pending, 0);
  while (static_cast<int64_t>(doneGroups) < done) {
    ++doneGroups;
    arrivals.push_back(epoch);
  }
}
