//===- RealProbe.cpp - Two programs at real points ------------------------===//

#include "RealProbe.h"
#include "DoubleDouble.h"
#include "Executor.h"
#include "Parallel.h"
#include <cmath>
#include <limits>
#include <type_traits>

using namespace mirage::semantics;
using namespace mirage::verify;

namespace {
/// Functions of both precisions, which the domain's own names would hide.
namespace fn {
using mirage::verify::abs;
using mirage::verify::erf;
using mirage::verify::exp;
using mirage::verify::log;
using mirage::verify::pow;
using mirage::verify::sqrt;
using std::abs;
using std::erf;
using std::exp;
using std::log;
using std::pow;
using std::sqrt;
} // namespace fn

/// The inputs of a point: log2 of their scale, and whether all are positive, so
/// that roots are defined.
struct Point {
  int scale;
  bool positive;
};
constexpr int kMixed = 100; ///< every element has a scale of its own
constexpr Point kPoints[] = {
    {0, false}, {-12, false}, {3, false}, {0, true},       {-6, false},
    {-3, true}, {-10, true},  {1, false}, {kMixed, false}, {kMixed, true}};
/// Smallest relative difference that counts.
constexpr double kThreshold = 0x1p-20;

template <class T> class RealDomain final : public TileDomain {
public:
  explicit RealDomain(FailureLog &failures) : failures(failures) {}

  std::unique_ptr<TileDomain> at(ValueId, OpKind op,
                                 unsigned threads) override {
    auto domain = std::make_unique<RealDomain>(*this);
    domain->threads = threads;
    domain->op = op;
    return domain;
  }

  static std::vector<T> &values(Tile &tile) {
    if constexpr (std::is_same_v<T, double>)
      return tile.real;
    else
      return tile.wide;
  }
  static const std::vector<T> &values(const Tile &tile) {
    return values(const_cast<Tile &>(tile));
  }

  Value add(const Value &a, const Value &b) override {
    return zip(a, b, [](T x, T y) { return x + y; });
  }
  Value sub(const Value &a, const Value &b) override {
    return zip(a, b, [](T x, T y) { return x - y; });
  }
  Value mul(const Value &a, const Value &b) override {
    return zip(a, b, [](T x, T y) { return x * y; });
  }
  Value div(const Value &a, const Value &b) override {
    return zip(a, b, [](T x, T y) { return x / y; });
  }
  Value neg(const Value &a) override {
    return map(a, [](T x) { return -x; });
  }
  Value exp(const Value &a) override {
    return map(a, [](T x) { return fn::exp(x); });
  }
  Value log(const Value &a) override {
    return map(a, [](T x) { return fn::log(x); });
  }
  Value sqrt(const Value &a) override {
    return map(a, [](T x) { return fn::sqrt(x); });
  }
  Value sigmoid(const Value &a) override {
    return map(a, [](T x) { return T(1) / (T(1) + fn::exp(-x)); });
  }
  Value erf(const Value &a) override {
    return map(a, [](T x) { return fn::erf(x); });
  }
  Value max(const Value &a, const Value &b) override {
    return zip(a, b, [](T x, T y) { return std::max(x, y); });
  }
  Value min(const Value &a, const Value &b) override {
    return zip(a, b, [](T x, T y) { return std::min(x, y); });
  }
  Value abs(const Value &a) override {
    return map(a, [](T x) { return fn::abs(x); });
  }
  Value clamp(const Value &a, double lo, double hi) override {
    return map(a,
               [=](T x) { return std::min<T>(std::max<T>(x, T(lo)), T(hi)); });
  }
  Value pow(const Value &a, const Value &b) override {
    return zip(a, b, [](T x, T y) { return fn::pow(x, y); });
  }
  Value cast(const Value &a, DType to) override {
    if (!isFloat(to))
      fail(FailureKind::CannotTell, "expected a float element type");
    return a;
  }
  Value compare(Predicate predicate, const Value &a, const Value &b) override {
    return zip(a, b, [=](T x, T y) -> T {
      switch (predicate) {
      case Predicate::Eq:
        return x == y;
      case Predicate::Ne:
        return x != y;
      case Predicate::Lt:
        return x < y;
      case Predicate::Le:
        return x <= y;
      case Predicate::Gt:
        return x > y;
      case Predicate::Ge:
        return x >= y;
      }
      return 0;
    });
  }
  Value select(const Value &condition, const Value &a,
               const Value &b) override {
    // Not by multiplication: the value not chosen may be infinite.
    Value first =
        zip(condition, a, [](T c, T x) { return c != T(0) ? x : T(0); });
    Value other =
        zip(condition, b, [](T c, T y) { return c != T(0) ? T(0) : y; });
    return zip(first, other, [](T x, T y) { return x + y; });
  }
  Value constant(const ConstantValue &value) override {
    auto tile = std::make_shared<Tile>();
    T v = value.toDouble();
    if (value.kind == ConstantValue::Kind::InvExtent)
      v = T(1) / T(double(value.extent));
    if (value.kind == ConstantValue::Kind::RsqrtExtent)
      v = T(1) / fn::sqrt(T(double(value.extent)));
    values(*tile) = {v};
    return tile;
  }
  Value iota(const Shape &shape, int64_t dim) override {
    auto tile = std::make_shared<Tile>();
    tile->shape = shape;
    Strides strides(shape.size(), 0);
    strides[dim] = 1;
    values(*tile).resize(tile->numElements());
    forEachElement(tile->shape, strides, strides,
                   [&](int64_t i, int64_t at, int64_t) {
                     values(*tile)[i] = T(double(at));
                   });
    return tile;
  }

  Value matmul(const Value &a, const Value &b, bool transposeRhs,
               const Shape &shape) override {
    auto result = std::make_shared<Tile>();
    result->shape = shape;
    std::vector<T> &out = values(*result);
    out.assign(result->numElements(), T(0));
    ProductDims dims(a->shape, b->shape, shape);
    int64_t m = dims.m, n = dims.n, k = dims.k;
    const std::vector<T> &x = values(*a), &y = values(*b);
    for (size_t i = 0; i < dims.starts.size(); ++i) {
      int64_t ia = dims.starts[i].first, ib = dims.starts[i].second;
      const T *right = &y[ib];
      std::vector<T> transposed;
      if (transposeRhs) {
        transposed.resize(k * n);
        for (int64_t j = 0; j < n; ++j)
          for (int64_t t = 0; t < k; ++t)
            transposed[t * n + j] = y[ib + j * k + t];
        right = transposed.data();
      }
      // A strip of columns keeps its sums in the nearest cache.
      constexpr int64_t kStrip = 32;
      parallelFor((n + kStrip - 1) / kStrip, threads, [&](int64_t strip) {
        int64_t j = strip * kStrip;
        accumulateProduct(&x[ia], k, right + j, n, &out[i * m * n + j], n, m, k,
                          std::min(kStrip, n - j));
      });
    }
    return result;
  }

  Value reduceSum(const Value &a, llvm::ArrayRef<int64_t> dims) override {
    return reduce(a, dims, 0, [](T x, T y) { return x + y; });
  }
  Value reduceMax(const Value &a, llvm::ArrayRef<int64_t> dims) override {
    return reduce(a, dims, T(-std::numeric_limits<double>::infinity()),
                  [](T x, T y) { return std::max(x, y); });
  }
  Value moved(Value a) override { return a; }
  void fail(FailureKind kind, const std::string &text) override {
    failures.report(kind, mnemonic(op).str() + ": " + text);
  }

private:
  template <class Fn> Value map(const Value &a, Fn fn) {
    auto result = std::make_shared<Tile>();
    result->shape = a->shape;
    values(*result) = values(*a);
    for (T &v : values(*result))
      v = fn(v);
    return result;
  }
  template <class Fn> Value zip(const Value &a, const Value &b, Fn fn) {
    auto result = std::make_shared<Tile>();
    result->shape = broadcastShape(a->shape, b->shape);
    std::vector<T> &out = values(*result);
    out.resize(result->numElements());
    const std::vector<T> &x = values(*a), &y = values(*b);
    forEachElement(
        result->shape, broadcastStrides(a->shape, result->shape),
        broadcastStrides(b->shape, result->shape),
        [&](int64_t i, int64_t ia, int64_t ib) { out[i] = fn(x[ia], y[ib]); });
    return result;
  }
  template <class Fn>
  Value reduce(const Value &a, llvm::ArrayRef<int64_t> dims, T start, Fn fn) {
    auto result = std::make_shared<Tile>();
    result->shape = reducedShape(a->shape, dims);
    std::vector<T> &out = values(*result);
    out.assign(result->numElements(), start);
    Strides to = broadcastStrides(result->shape, a->shape);
    forEachElement(a->shape, to, to, [&](int64_t i, int64_t at, int64_t) {
      out[at] = fn(out[at], values(*a)[i]);
    });
    return result;
  }

  FailureLog &failures;
  unsigned threads = 1;
  OpKind op = OpKind::Constant;
};

/// Doubles, which double-double takes as they are.
std::vector<TileRef> inputsAt(llvm::ArrayRef<TensorType> types, unsigned point,
                              Key key, unsigned threads) {
  std::vector<TileRef> inputs;
  double powers[64]; // 2^-32 up to 2^31
  for (int i = 0; i < 64; ++i)
    powers[i] = std::ldexp(1.0, i - 32);
  for (unsigned tensor = 0; tensor < types.size(); ++tensor) {
    auto tile = std::make_shared<Tile>();
    tile->shape = types[tensor].shape;
    tile->real.resize(tile->numElements());
    constexpr int64_t kChunk = 1 << 16;
    int64_t count = tile->real.size();
    parallelFor((count + kChunk - 1) / kChunk, threads, [&](int64_t chunk) {
      for (int64_t i = chunk * kChunk, e = std::min(count, i + kChunk); i < e;
           ++i) {
        Counter bits = philox({uint64_t(i), tensor, point, 0}, key);
        // Nearly normal: three uniform numbers added.
        double v = 0;
        for (int j = 0; j < 3; ++j)
          v += static_cast<double>(static_cast<int64_t>(bits[j]) >> 11) *
               0x1p-52;
        int scale = kPoints[point].scale;
        if (scale == kMixed)
          scale = static_cast<int>(bits[3] % 18) - 14;
        if (kPoints[point].positive)
          v = std::abs(v);
        tile->real[i] = v * powers[scale + 32];
      }
    });
    inputs.push_back(tile);
  }
  return inputs;
}

std::vector<TileRef> widened(const std::vector<TileRef> &inputs) {
  std::vector<TileRef> result;
  for (const TileRef &input : inputs) {
    auto tile = std::make_shared<Tile>();
    tile->shape = input->shape;
    tile->wide.assign(input->real.begin(), input->real.end());
    result.push_back(tile);
  }
  return result;
}

template <class T>
std::vector<TileRef> evaluate(const Evaluation &evaluation,
                              const std::vector<TileRef> &inputs,
                              FailureLog &log) {
  RealDomain<T> domain(log);
  return evaluation(domain, log, inputs);
}

bool differs(double a, double b) {
  return std::isfinite(a) && std::isfinite(b) &&
         std::abs(a - b) > kThreshold * std::max(std::abs(a), std::abs(b));
}
} // namespace

std::optional<RealDifference> mirage::verify::probeReals(const Program &f,
                                                         const Program &g,
                                                         Key key,
                                                         unsigned threads) {
  auto evaluation = [threads](const Program &program) -> Evaluation {
    return [&program, threads](TileDomain &domain, FailureLog &,
                               llvm::ArrayRef<TileRef> inputs) {
      return execute(program, domain, inputs, threads);
    };
  };
  return probeReals(llvm::ArrayRef(f.values).take_front(f.numInputs),
                    evaluation(f), evaluation(g), key, threads);
}

std::optional<RealDifference>
mirage::verify::probeReals(llvm::ArrayRef<TensorType> types,
                           const Evaluation &f, const Evaluation &g, Key key,
                           unsigned threads) {
  for (unsigned point = 0; point < std::size(kPoints); ++point) {
    FailureLog log;
    std::vector<TileRef> inputs = inputsAt(types, point, key, threads);
    auto a = evaluate<double>(f, inputs, log);
    auto b = evaluate<double>(g, inputs, log);
    if (log.worst())
      return std::nullopt;
    auto anyDiffers = [&] {
      for (size_t o = 0; o < a.size(); ++o)
        for (size_t i = 0; i < a[o]->real.size(); ++i)
          if (differs(a[o]->real[i], b[o]->real[i]))
            return true;
      return false;
    };
    if (!anyDiffers())
      continue;
    inputs = widened(inputs);
    auto wa = evaluate<DoubleDouble>(f, inputs, log);
    auto wb = evaluate<DoubleDouble>(g, inputs, log);
    if (log.worst())
      return std::nullopt;
    for (size_t o = 0; o < a.size(); ++o)
      for (size_t i = 0; i < a[o]->real.size(); ++i) {
        double x = a[o]->real[i], y = b[o]->real[i];
        if (!differs(x, y))
          continue;
        // Digits that both precisions share: rounding in double explains less
        // than a sixteenth of the difference.
        const DoubleDouble &u = wa[o]->wide[i], &v = wb[o]->wide[i];
        double wide = fn::abs(u - v).hi;
        double rounding =
            fn::abs(u - DoubleDouble(x)).hi + fn::abs(v - DoubleDouble(y)).hi;
        if (!(rounding * 16 < wide))
          continue;
        RealDifference difference;
        difference.point = point;
        difference.output = o;
        difference.reference = x;
        difference.candidate = y;
        Strides strides = rowMajor(a[o]->shape);
        int64_t rest = i;
        for (int64_t stride : strides) {
          difference.index.push_back(rest / stride);
          rest %= stride;
        }
        return difference;
      }
  }
  return std::nullopt;
}
