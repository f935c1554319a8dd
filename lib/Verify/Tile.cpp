//===- Tile.cpp - Values of a tensor or tile during evaluation ------------===//

#include "Tile.h"

using namespace mirage::verify;

Strides mirage::verify::rowMajor(llvm::ArrayRef<int64_t> shape) {
  Strides strides(shape.size(), 1);
  for (int i = static_cast<int>(shape.size()) - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * shape[i + 1];
  return strides;
}

Strides mirage::verify::broadcastStrides(llvm::ArrayRef<int64_t> from,
                                         llvm::ArrayRef<int64_t> to) {
  if (from.empty())
    return Strides(to.size(), 0);
  Strides strides = rowMajor(from);
  for (size_t i = 0; i < from.size(); ++i)
    if (from[i] == 1)
      strides[i] = 0;
  return strides;
}

/// Calls body(from, to) for each component of the two tiles.
template <class From, class To, class Body>
static void forEachComponent(From &from, To &to, Body body) {
  body(from.p, to.p);
  body(from.q, to.q);
  body(from.bags, to.bags);
  body(from.real, to.real);
  body(from.wide, to.wide);
  body(from.shadowed, to.shadowed);
  body(from.index, to.index);
}

TileRef mirage::verify::stridedCopy(const Tile &source, Shape shape,
                                    int64_t base, const Strides &strides) {
  auto result = std::make_shared<Tile>();
  result->shape = std::move(shape);
  result->constant = source.constant;
  result->mayBeNegInf = source.mayBeNegInf;
  result->positive = source.positive;
  size_t count = result->numElements();
  forEachComponent(source, *result, [&](const auto &from, auto &to) {
    if (from.empty())
      return;
    to.resize(count);
    forEachElement(
        result->shape, strides, strides,
        [&](int64_t i, int64_t at, int64_t) { to[i] = from[base + at]; });
  });
  return result;
}

TileRef mirage::verify::reshaped(const Tile &source, Shape shape) {
  auto result = std::make_shared<Tile>(source);
  result->shape = std::move(shape);
  // A law that returns one of these would return the old shape.
  result->sqrtOf = result->squareOf = result->negOf = nullptr;
  result->rootNumerator = result->rootDivisor = nullptr;
  result->lowerBounded = result->upperBounded = nullptr;
  return result;
}

static int64_t offsetOf(const Strides &strides,
                        llvm::ArrayRef<int64_t> offset) {
  int64_t base = 0;
  for (size_t i = 0; i < offset.size(); ++i)
    base += strides[i] * offset[i];
  return base;
}

void mirage::verify::writeInto(Tile &target, const Tile &tile,
                               llvm::ArrayRef<int64_t> offset) {
  Strides strides = rowMajor(target.shape);
  int64_t base = offsetOf(strides, offset);
  forEachComponent(tile, target, [&](const auto &from, auto &to) {
    if (from.empty())
      return;
    to.resize(target.numElements());
    forEachElement(
        tile.shape, strides, strides,
        [&](int64_t i, int64_t at, int64_t) { to[base + at] = from[i]; });
  });
  target.mayBeNegInf |= tile.mayBeNegInf;
}

bool mirage::verify::equalsPart(const Tile &target, const Tile &tile,
                                llvm::ArrayRef<int64_t> offset) {
  Strides strides = rowMajor(target.shape);
  int64_t base = offsetOf(strides, offset);
  bool equal = true;
  forEachComponent(tile, target, [&](const auto &from, const auto &to) {
    if (from.empty() || to.empty())
      return;
    forEachElement(tile.shape, strides, strides,
                   [&](int64_t i, int64_t at, int64_t) {
                     const auto &x = to[base + at], &y = from[i];
                     // A real value that is no number is the same in all blocks
                     // too.
                     equal &= x == y || !(x == x || y == y);
                   });
  });
  return equal;
}
