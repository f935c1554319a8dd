//===- FieldDomain.cpp - Arithmetic and contractions over Z_p x Z_q -------===//

#include "FieldDomain.h"
#include "LimbMatmul.h"
#include "Parallel.h"
#include "llvm/ADT/bit.h"
#include <cmath>

using namespace mirage::semantics;
using namespace mirage::verify;

FieldContext::FieldContext(const FieldDraw &draw, const Interpretation &mode,
                           Key inputKey, Key hashKey, unsigned threads)
    : fp(draw.p), fq(draw.q), mode(mode), inputKey(inputKey), hashKey(hashKey),
      threads(threads) {
  if (!mode.withExp)
    return;
  uint64_t base = fp.fromInteger(draw.omega);
  for (std::vector<uint64_t> &table : powers) {
    table.resize(1024);
    table[0] = fp.one();
    for (size_t j = 1; j < table.size(); ++j)
      table[j] = fp.mul(table[j - 1], base);
    base = fp.mul(table.back(), base);
  }
}

uint64_t FieldContext::expOf(uint64_t qRep) const {
  uint64_t e = fq.toInteger(qRep), result = powers[0][e & 1023];
  for (int i = 1; i < 4; ++i)
    result = fp.mul(result, powers[i][(e >> (10 * i)) & 1023]);
  return result;
}

TileRef FieldContext::input(unsigned tensor, const Shape &shape,
                            uint8_t components) const {
  auto tile = std::make_shared<Tile>();
  tile->shape = shape;
  size_t count = tile->numElements();
  if (components & kP)
    tile->p.resize(count);
  if (components & kQ)
    tile->q.resize(count);
  // One block of random words makes two elements of one component.
  constexpr size_t kChunk = 1 << 16;
  auto fill = [&](const PrimeField &field, std::vector<uint64_t> &values,
                  uint64_t component) {
    if (values.empty())
      return;
    parallelFor((count + kChunk - 1) / kChunk, threads, [&](int64_t chunk) {
      for (size_t i = chunk * kChunk, e = std::min(count, i + kChunk); i < e;
           i += 2) {
        Counter bits = philox({i / 2, tensor, component, 0}, inputKey);
        values[i] = field.fromRandom(bits[0], bits[1]);
        if (i + 1 < e)
          values[i + 1] = field.fromRandom(bits[2], bits[3]);
      }
    });
  };
  fill(fp, tile->p, 0);
  fill(fq, tile->q, 1);
  return tile;
}

std::unique_ptr<TileDomain> FieldDomain::at(ValueId result, OpKind op,
                                            unsigned threads) {
  auto domain = std::make_unique<FieldDomain>(*this);
  domain->threads = threads;
  domain->opName = mnemonic(op).str();
  switch (opClass(op)) {
  case OpClass::Unary:
  case OpClass::Binary:
  case OpClass::Compare:
    // Many evaluate several primitives, and the inner ones may need a component
    // that the result does not. Those of the ring need only what they yield.
    if (op != OpKind::Add && op != OpKind::Sub && op != OpKind::Mul &&
        op != OpKind::Div && op != OpKind::Neg && op != OpKind::Cast &&
        op != OpKind::Square && op != OpKind::Reciprocal) {
      domain->want = kP | kQ;
      break;
    }
    [[fallthrough]];
  default:
    domain->want = facts.live[result];
  }
  return domain;
}

void FieldDomain::fail(FailureKind kind, const std::string &text) {
  failures.report(kind, opName + ": " + text);
}

void FieldDomain::requireFinite(const Value &a) {
  if (!a->mayBeNegInf)
    return;
  for (const auto *component : {&a->p, &a->q})
    for (uint64_t v : *component)
      if (v == kNegInf)
        return fail(FailureKind::CannotTell, "minus infinity has no rule here");
}

/// Whether `value` is a positive number, and no zero by rounding.
static bool isPositive(const ConstantValue &value) {
  double v = value.toDouble();
  return v > 0 && std::isfinite(v);
}

/// Elementwise on both components where both operands have them.
template <class PFn, class QFn>
std::shared_ptr<Tile> FieldDomain::zip(const Value &a, const Value &b, PFn onP,
                                       QFn onQ) {
  auto result = std::make_shared<Tile>();
  result->shape = broadcastShape(a->shape, b->shape);
  size_t count = result->numElements();
  Strides sa = broadcastStrides(a->shape, result->shape);
  Strides sb = broadcastStrides(b->shape, result->shape);
  if (wants(kP) && !a->p.empty() && !b->p.empty()) {
    result->p.resize(count);
    forEachElement(threads, result->shape, sa, sb,
                   [&](int64_t i, int64_t x, int64_t y) {
                     result->p[i] = onP(a->p[x], b->p[y]);
                   });
  }
  if (wants(kQ) && !a->q.empty() && !b->q.empty()) {
    result->q.resize(count);
    forEachElement(threads, result->shape, sa, sb,
                   [&](int64_t i, int64_t x, int64_t y) {
                     result->q[i] = onQ(a->q[x], b->q[y]);
                   });
  }
  return result;
}

TileRef FieldDomain::add(const Value &a, const Value &b) {
  if (a->mayBeNegInf || b->mayBeNegInf) {
    auto rule = [](const PrimeField &f) {
      return [&f](uint64_t x, uint64_t y) {
        return x == kNegInf || y == kNegInf ? kNegInf : f.add(x, y);
      };
    };
    auto result = zip(a, b, rule(cx.fp), rule(cx.fq));
    result->mayBeNegInf = true;
    return result;
  }
  return zip(
      a, b, [&](uint64_t x, uint64_t y) { return cx.fp.add(x, y); },
      [&](uint64_t x, uint64_t y) { return cx.fq.add(x, y); });
}

TileRef FieldDomain::sub(const Value &a, const Value &b) {
  requireFinite(b);
  if (a->mayBeNegInf) {
    auto rule = [](const PrimeField &f) {
      return [&f](uint64_t x, uint64_t y) {
        return x == kNegInf ? kNegInf : f.sub(x, y);
      };
    };
    auto result = zip(a, b, rule(cx.fp), rule(cx.fq));
    result->mayBeNegInf = true;
    return result;
  }
  return zip(
      a, b, [&](uint64_t x, uint64_t y) { return cx.fp.sub(x, y); },
      [&](uint64_t x, uint64_t y) { return cx.fq.sub(x, y); });
}

TileRef FieldDomain::mul(const Value &a, const Value &b) {
  if ((a->mayBeNegInf && b->positive) || (b->mayBeNegInf && a->positive)) {
    auto rule = [](const PrimeField &f) {
      return [&f](uint64_t x, uint64_t y) {
        return x == kNegInf || y == kNegInf ? kNegInf : f.mul(x, y);
      };
    };
    auto result = zip(a, b, rule(cx.fp), rule(cx.fq));
    result->mayBeNegInf = true;
    return result;
  }
  requireFinite(a);
  requireFinite(b);
  if (a == b && a->sqrtOf)
    return moved(a->sqrtOf);
  if (a == b && a->rootDivisor)
    return div(mul(a->rootNumerator, a->rootNumerator), a->rootDivisor);
  auto result = zip(
      a, b, [&](uint64_t x, uint64_t y) { return cx.fp.mul(x, y); },
      [&](uint64_t x, uint64_t y) { return cx.fq.mul(x, y); });
  result->positive = a->positive && b->positive;
  if (a == b)
    result->squareOf = a;
  return result;
}

/// a * a in the field, without the laws of mul: those know how a value was
/// made, and a key must follow from the value alone.
TileRef FieldDomain::plainSquare(const Value &a) {
  return zip(
      a, a, [&](uint64_t x, uint64_t y) { return cx.fp.mul(x, y); },
      [&](uint64_t x, uint64_t y) { return cx.fq.mul(x, y); });
}

bool FieldDomain::invert(const PrimeField &field,
                         std::vector<uint64_t> &values) const {
  // Prefix products, one inversion, and the way back.
  std::vector<uint64_t> prefix(values.size());
  uint64_t product = field.one();
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] == 0)
      return false;
    prefix[i] = product;
    product = field.mul(product, values[i]);
  }
  uint64_t inverse = field.inverse(product);
  for (size_t i = values.size(); i-- > 0;) {
    uint64_t value = values[i];
    values[i] = field.mul(inverse, prefix[i]);
    inverse = field.mul(inverse, value);
  }
  return true;
}

TileRef FieldDomain::inverse(const Value &a) {
  auto result = std::make_shared<Tile>();
  result->shape = a->shape;
  result->positive = a->positive;
  bool ok = true;
  if (wants(kP) && !a->p.empty()) {
    result->p = a->p;
    ok &= invert(cx.fp, result->p);
  }
  if (wants(kQ) && !a->q.empty()) {
    result->q = a->q;
    ok &= invert(cx.fq, result->q);
  }
  if (!ok)
    fail(FailureKind::ZeroDivisor, "division by zero");
  return result;
}

TileRef FieldDomain::div(const Value &a, const Value &b) {
  if (a->mayBeNegInf && b->positive)
    return mul(a, inverse(b));
  requireFinite(a);
  requireFinite(b);
  Value inverted = inverse(b);
  auto result = zip(
      a, inverted, [&](uint64_t x, uint64_t y) { return cx.fp.mul(x, y); },
      [&](uint64_t x, uint64_t y) { return cx.fq.mul(x, y); });
  result->positive = a->positive && b->positive;
  if (b->sqrtOf) {
    result->rootNumerator = a;
    result->rootDivisor = b->sqrtOf;
  }
  return result;
}

TileRef FieldDomain::neg(const Value &a) {
  requireFinite(a);
  if (a->negOf)
    return moved(a->negOf);
  Value zero = literal(0.0);
  auto result = zip(
      a, zero, [&](uint64_t x, uint64_t) { return cx.fp.neg(x); },
      [&](uint64_t x, uint64_t) { return cx.fq.neg(x); });
  result->negOf = a;
  if (a->constant && a->constant->kind == ConstantValue::Kind::Literal)
    result->constant = ConstantValue::makeLiteral(-a->constant->literal);
  return result;
}

TileRef FieldDomain::constant(const ConstantValue &value) {
  auto tile = std::make_shared<Tile>();
  tile->constant = value;
  tile->positive = isPositive(value);
  auto set = [&](uint64_t p, uint64_t q, bool isZero = false) {
    if (!isZero && p == 0)
      fail(FailureKind::ZeroDivisor, "constant that p divides");
    if (!isZero && cx.mode.withExp && q == 0)
      fail(FailureKind::CannotTell,
           "constant " + toString(value) + " is a multiple of q");
    tile->p = {p};
    if (cx.mode.withExp)
      tile->q = {q};
  };
  auto integer = [](const PrimeField &f, int64_t v) { return f.fromSigned(v); };
  switch (value.kind) {
  case ConstantValue::Kind::Literal: {
    if (!std::isfinite(value.literal)) {
      if (value.literal < 0)
        return constant({ConstantValue::Kind::NegInf, 0.0, 0});
      fail(FailureKind::CannotTell, "constant " + toString(value));
      set(0, 0, true);
      break;
    }
    // The exact dyadic rational m * 2^e.
    int exponent = 0;
    double fraction = std::frexp(value.literal, &exponent);
    int64_t m = static_cast<int64_t>(std::ldexp(fraction, 53));
    exponent -= 53;
    auto scaled = [&](const PrimeField &f) {
      uint64_t two = f.fromInteger(2);
      uint64_t power = f.pow(two, std::abs(exponent));
      return f.mul(integer(f, m), exponent < 0 ? f.inverse(power) : power);
    };
    set(scaled(cx.fp), scaled(cx.fq), m == 0);
    break;
  }
  case ConstantValue::Kind::Extent:
    set(integer(cx.fp, value.extent), integer(cx.fq, value.extent),
        value.extent == 0);
    break;
  case ConstantValue::Kind::InvExtent:
    if (value.extent == 0)
      fail(FailureKind::CannotTell, "1/0");
    set(cx.fp.inverse(integer(cx.fp, value.extent)),
        cx.fq.inverse(integer(cx.fq, value.extent)), value.extent == 0);
    break;
  case ConstantValue::Kind::RsqrtExtent: {
    int64_t root = std::llround(std::sqrt(static_cast<double>(value.extent)));
    if (root > 0 && root * root == value.extent)
      return constant(
          ConstantValue::makeExtent(ConstantValue::Kind::InvExtent, root));
    tile->shape = {};
    Counter bits =
        philox({static_cast<uint64_t>(value.extent), 0, 0, 3}, cx.hashKey);
    set(cx.fp.fromRandom(bits[0], bits[1]), cx.fq.fromRandom(bits[2], bits[3]));
    break;
  }
  case ConstantValue::Kind::NegInf:
    tile->p = {kNegInf};
    if (cx.mode.withExp)
      tile->q = {kNegInf};
    tile->mayBeNegInf = true;
    break;
  }
  return tile;
}

TileRef FieldDomain::iota(const Shape &shape, int64_t dim) {
  auto tile = std::make_shared<Tile>();
  tile->shape = shape;
  Strides strides(shape.size(), 0);
  strides[dim] = 1;
  size_t count = tile->numElements();
  tile->index.resize(count);
  tile->p.resize(count);
  if (cx.mode.withExp)
    tile->q.resize(count);
  forEachElement(tile->shape, strides, strides,
                 [&](int64_t i, int64_t at, int64_t) {
                   tile->index[i] = at;
                   tile->p[i] = cx.fp.fromInteger(at);
                   if (cx.mode.withExp)
                     tile->q[i] = cx.fq.fromInteger(at);
                 });
  return tile;
}

TileRef FieldDomain::matmul(const Value &a, const Value &b, bool transposeRhs,
                            const Shape &shape) {
  requireFinite(a);
  requireFinite(b);
  auto result = std::make_shared<Tile>();
  result->shape = shape;
  ProductDims dims(a->shape, b->shape, shape);
  int64_t m = dims.m, n = dims.n, k = dims.k;
  const auto &starts = dims.starts;
  int64_t ldb = b->shape.back();
  auto run = [&](const PrimeField &field, const std::vector<uint64_t> &x,
                 const std::vector<uint64_t> &y, std::vector<uint64_t> &out) {
    out.resize(result->numElements());
    // Many products run side by side, few share their columns.
    bool many = starts.size() >= 2 * threads;
    parallelFor(starts.size(), many ? threads : 1, [&](int64_t i) {
      auto [ia, ib] = starts[i];
      MatrixRef right = transposeRhs ? MatrixRef{y.data() + ib, 1, ldb}
                                     : MatrixRef{y.data() + ib, ldb, 1};
      multiply(field, {x.data() + ia, k, 1}, right, out.data() + i * m * n, m,
               k, n, many ? 1 : threads);
    });
  };
  if (wants(kP) && !a->p.empty() && !b->p.empty())
    run(cx.fp, a->p, b->p, result->p);
  if (wants(kQ) && !a->q.empty() && !b->q.empty())
    run(cx.fq, a->q, b->q, result->q);
  return result;
}

TileRef FieldDomain::reduceSum(const Value &a, llvm::ArrayRef<int64_t> dims) {
  auto result = std::make_shared<Tile>();
  result->shape = reducedShape(a->shape, dims);
  result->mayBeNegInf = a->mayBeNegInf;
  Strides to = broadcastStrides(result->shape, a->shape);
  auto run = [&](const PrimeField &field, const std::vector<uint64_t> &from,
                 std::vector<uint64_t> &sums) {
    sums.assign(result->numElements(), 0);
    // Parts along the first dim must not share a sum.
    size_t first = 0;
    while (first + 1 < a->shape.size() && a->shape[first] == 1)
      ++first;
    bool shared = llvm::is_contained(dims, static_cast<int64_t>(first));
    forEachElement(shared ? 1 : threads, a->shape, to, to,
                   [&](int64_t i, int64_t at, int64_t) {
                     bool none = from[i] == kNegInf || sums[at] == kNegInf;
                     sums[at] = none ? kNegInf : field.add(sums[at], from[i]);
                   });
  };
  if (wants(kP) && !a->p.empty())
    run(cx.fp, a->p, result->p);
  if (wants(kQ) && !a->q.empty())
    run(cx.fq, a->q, result->q);
  return result;
}

TileRef FieldDomain::moved(Value a) {
  bool dropP = !wants(kP) && !a->p.empty();
  bool dropQ = !wants(kQ) && !a->q.empty();
  if (!dropP && !dropQ)
    return a;
  auto result = std::make_shared<Tile>(*a);
  if (dropP)
    result->p.clear();
  if (dropQ)
    result->q.clear();
  return result;
}
