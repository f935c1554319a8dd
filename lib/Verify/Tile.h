//===- Tile.h - Values of a tensor or tile during evaluation ----*- C++ -*-===//
//
// One value of the evaluator: a tensor or tile with whatever its domain keeps
// for each element, a pair of field components or a real number. An absent
// component is an empty vector. Tiles are immutable once shared.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_TILE_H
#define MIRAGE_LIB_VERIFY_TILE_H

#include "DoubleDouble.h"
#include "Mirage/Semantics/Program.h"
#include "Mirage/Verify/Field.h"
#include "Parallel.h"
#include <memory>
#include <optional>
#include <vector>

namespace mirage::verify {

using semantics::ConstantValue;
using semantics::Shape;

/// Stands for minus infinity in a component; no representative reaches it.
constexpr uint64_t kNegInf = ~uint64_t(0);

/// The operands of a tree of maxima, as a set: a sum of hashes modulo 2^128.
/// Constants in it fold to the largest.
struct Bag {
  u128 sum = 0;
  uint64_t count = 0;    ///< operands that are no constants
  uint64_t p = 0, q = 0; ///< the only operand, when count is 1
  bool hasConstant = false;
  double constant = 0.0;

  bool operator==(const Bag &o) const {
    return sum == o.sum && count == o.count && hasConstant == o.hasConstant &&
           constant == o.constant;
  }
};

/// One element of StructuredDomain: a pair of field components and, evaluated
/// at an independent point, a real number that decides order.
struct Shadowed {
  enum Flag : uint8_t {
    TaintP = 1,    ///< p is not what the program means: do not compare
    TaintQ = 2,    ///< q likewise
    NoQ = 4,       ///< q is undefined, as after an exp
    MinusInf = 8,  ///< minus infinity, in all three
    Constant = 16, ///< depends on no input
  };
  uint64_t p = 0, q = 0;
  double real = 0;
  uint8_t flags = 0;

  bool operator==(const Shadowed &o) const {
    return p == o.p && q == o.q && flags == o.flags;
  }
};

struct Tile;
using TileRef = std::shared_ptr<const Tile>;

struct Tile {
  Shape shape;
  std::vector<uint64_t> p, q;
  std::vector<Bag> bags;          ///< of the result of a maximum
  std::vector<double> real;       ///< RealDomain<double>
  std::vector<DoubleDouble> wide; ///< RealDomain<DoubleDouble>
  std::vector<Shadowed> shadowed; ///< StructuredDomain
  std::vector<int64_t> index;     ///< values known as integers (iota, masks)
  std::optional<ConstantValue> constant; ///< every element is this constant
  bool mayBeNegInf = false;
  /// Every element is a positive number that no input changes: made of positive
  /// constants by products and quotients. Minus infinity survives its product.
  bool positive = false;

  // How the value was made, where a law asks for it.
  TileRef sqrtOf, squareOf, negOf, rootNumerator, rootDivisor;
  TileRef lowerBounded, upperBounded; ///< max(x, bound), min(x, bound)
  double bound = 0.0;

  size_t numElements() const {
    size_t n = 1;
    for (int64_t dim : shape)
      n *= dim;
    return n;
  }
};

using Strides = llvm::SmallVector<int64_t, 6>;

/// Row-major strides of `shape`.
Strides rowMajor(llvm::ArrayRef<int64_t> shape);

/// Strides that read an operand of shape `from` as if broadcast to `to`: 0 in
/// dims of size 1. A rank of 0 broadcasts to any rank.
Strides broadcastStrides(llvm::ArrayRef<int64_t> from,
                         llvm::ArrayRef<int64_t> to);

/// Calls body(i, a, b) for each element of `shape` in row-major order, with a
/// and b the offsets by the two lists of strides.
template <class Body>
void forEachElement(llvm::ArrayRef<int64_t> shape, const Strides &sa,
                    const Strides &sb, Body body) {
  size_t rank = shape.size();
  for (int64_t dim : shape)
    if (dim == 0)
      return;
  if (rank == 0)
    return body(0, 0, 0);
  llvm::SmallVector<int64_t, 6> at(rank, 0);
  int64_t i = 0, a = 0, b = 0, last = shape[rank - 1];
  for (;;) {
    for (int64_t x = 0; x < last; ++x)
      body(i + x, a + x * sa[rank - 1], b + x * sb[rank - 1]);
    i += last;
    int d = static_cast<int>(rank) - 2;
    for (; d >= 0; --d) {
      a += sa[d];
      b += sb[d];
      if (++at[d] < shape[d])
        break;
      a -= sa[d] * shape[d];
      b -= sb[d] * shape[d];
      at[d] = 0;
    }
    if (d < 0)
      return;
  }
}

/// The same on up to `threads` threads, in parts along the first dim that has
/// more than one index: `body` writes only to what belongs to its i.
template <class Body>
void forEachElement(unsigned threads, llvm::ArrayRef<int64_t> shape,
                    const Strides &sa, const Strides &sb, Body body) {
  constexpr int64_t kWorthwhile = 1 << 15;
  int64_t count = 1;
  for (int64_t dim : shape)
    count *= dim;
  if (threads <= 1 || count < kWorthwhile)
    return forEachElement(shape, sa, sb, body);
  size_t d = 0;
  while (shape[d] == 1)
    ++d;
  Shape part(shape.begin(), shape.end());
  part[d] = 1;
  int64_t inner = count / shape[d];
  parallelFor(shape[d], threads, [&](int64_t x) {
    forEachElement(part, sa, sb, [&](int64_t i, int64_t a, int64_t b) {
      body(x * inner + i, x * sa[d] + a, x * sb[d] + b);
    });
  });
}

/// The elements of `source` at base + sum of index * stride, as a new tile.
TileRef stridedCopy(const Tile &source, Shape shape, int64_t base,
                    const Strides &strides);
/// The same elements in row-major order under another shape.
TileRef reshaped(const Tile &source, Shape shape);
/// Writes `tile` into `target` at the offset, in every component that both
/// have or that `target` lacks altogether.
void writeInto(Tile &target, const Tile &tile, llvm::ArrayRef<int64_t> offset);
/// Whether the part of `target` at the offset equals `tile`.
bool equalsPart(const Tile &target, const Tile &tile,
                llvm::ArrayRef<int64_t> offset);

} // namespace mirage::verify

#endif // MIRAGE_LIB_VERIFY_TILE_H
