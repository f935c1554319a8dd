//===- TileDomain.h - Operations on whole tiles -----------------*- C++ -*-===//
//
// What the executor asks of a domain: the primitives of Semantics/Evaluate.h on
// whole tiles, with broadcasting, and the contractions. FieldDomain computes
// over Z_p x Z_q, RealDomain over floating-point numbers.
//
// An operation that cannot be carried out reports to the failure log and
// returns a tile of the right shape, so that evaluation ends the same way on
// any number of threads.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_TILEDOMAIN_H
#define MIRAGE_LIB_VERIFY_TILEDOMAIN_H

#include "Tile.h"
#include <mutex>

namespace mirage::verify {

enum class FailureKind : uint8_t {
  ZeroDivisor, ///< this attempt is void; draw again
  CannotTell,  ///< outside of what the domain models
  Malformed,   ///< blocks store different values to one element
};

/// The worst failure of one evaluation; among equals the first by text, so that
/// threads do not matter.
class FailureLog {
public:
  void report(FailureKind kind, std::string text) {
    std::lock_guard<std::mutex> lock(mutex);
    if (!found || kind > found->first ||
        (kind == found->first && text < found->second))
      found = {kind, std::move(text)};
  }
  const std::optional<std::pair<FailureKind, std::string>> &worst() const {
    return found;
  }

private:
  std::mutex mutex;
  std::optional<std::pair<FailureKind, std::string>> found;
};

class TileDomain {
public:
  using Value = TileRef;
  virtual ~TileDomain() = default;

  /// The domain as the op that defines `result` sees it: knows which components
  /// of the result are wanted, and names `op` in failures. Up to `threads`
  /// threads may work on one operation.
  virtual std::unique_ptr<TileDomain>
  at(semantics::ValueId result, semantics::OpKind op, unsigned threads) = 0;

  virtual Value add(const Value &a, const Value &b) = 0;
  virtual Value sub(const Value &a, const Value &b) = 0;
  virtual Value mul(const Value &a, const Value &b) = 0;
  virtual Value div(const Value &a, const Value &b) = 0;
  virtual Value neg(const Value &a) = 0;
  virtual Value exp(const Value &a) = 0;
  virtual Value log(const Value &a) = 0;
  virtual Value sqrt(const Value &a) = 0;
  virtual Value sigmoid(const Value &a) = 0;
  virtual Value erf(const Value &a) = 0;
  virtual Value max(const Value &a, const Value &b) = 0;
  virtual Value min(const Value &a, const Value &b) = 0;
  virtual Value abs(const Value &a) = 0;
  virtual Value clamp(const Value &a, double lo, double hi) = 0;
  virtual Value pow(const Value &a, const Value &b) = 0;
  virtual Value constant(const ConstantValue &value) = 0;
  virtual Value compare(semantics::Predicate predicate, const Value &a,
                        const Value &b) = 0;
  virtual Value select(const Value &condition, const Value &a,
                       const Value &b) = 0;
  virtual Value cast(const Value &a, semantics::DType to) = 0;

  /// 0, 1, 2, ... along `dim`.
  virtual Value iota(const Shape &shape, int64_t dim) = 0;
  /// Product with batch dims; `shape` is the result's.
  virtual Value matmul(const Value &a, const Value &b, bool transposeRhs,
                       const Shape &shape) = 0;
  virtual Value reduceSum(const Value &a, llvm::ArrayRef<int64_t> dims) = 0;
  virtual Value reduceMax(const Value &a, llvm::ArrayRef<int64_t> dims) = 0;
  /// Elements of `a` that an op moves; drops what the result does not want.
  virtual Value moved(Value a) = 0;
  virtual void fail(FailureKind kind, const std::string &text) = 0;
};

/// Shape of a and b after broadcasting, with rank 0 for scalars.
inline Shape broadcastShape(const Shape &a, const Shape &b) {
  if (a.empty())
    return b;
  Shape shape = a;
  for (size_t i = 0; i < b.size(); ++i)
    if (shape[i] == 1)
      shape[i] = b[i];
  return shape;
}

/// What a product with batch dims runs over: m x k times k x n, with the
/// operands of each batch index at a pair of offsets.
struct ProductDims {
  int64_t m, n, k;
  std::vector<std::pair<int64_t, int64_t>> starts;

  ProductDims(const Shape &a, const Shape &b, const Shape &result)
      : m(result[result.size() - 2]), n(result.back()), k(a.back()) {
    Shape batch(result.begin(), result.end() - 2);
    Strides sa = broadcastStrides(a, a), sb = broadcastStrides(b, b);
    sa.resize(batch.size());
    sb.resize(batch.size());
    forEachElement(batch, sa, sb, [&](int64_t, int64_t ia, int64_t ib) {
      starts.push_back({ia, ib});
    });
  }
};

inline Shape reducedShape(Shape shape, llvm::ArrayRef<int64_t> dims) {
  for (int64_t dim : dims)
    shape[dim] = 1;
  return shape;
}

} // namespace mirage::verify

#endif // MIRAGE_LIB_VERIFY_TILEDOMAIN_H
