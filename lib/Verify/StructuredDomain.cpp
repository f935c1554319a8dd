//===- StructuredDomain.cpp - Roots and order over fields -----------------===//

#include "StructuredDomain.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <limits>

using namespace mirage::semantics;
using namespace mirage::verify;

/// The last word of a hash's counter. Apart from those of FieldDomain, although
/// the keys of the two interpretations differ anyway.
enum class StructuredDomain::Function : uint64_t {
  Sigmoid = 64,
  Erf,
  Log,
  Pow,
  Exp,
};

namespace {
constexpr uint8_t kTaints = Shadowed::TaintP | Shadowed::TaintQ;
constexpr uint8_t kBoth = kTaints | Shadowed::NoQ;

/// Flags of what the ring makes of two values.
uint8_t joined(const Shadowed &a, const Shadowed &b) {
  uint8_t either = (a.flags | b.flags) & kBoth;
  return either | (a.flags & b.flags & Shadowed::Constant);
}

bool is(const Shadowed &a, uint8_t flag) { return a.flags & flag; }
} // namespace

std::unique_ptr<TileDomain> StructuredDomain::at(ValueId result, OpKind op,
                                                 unsigned) {
  auto domain = std::make_unique<StructuredDomain>(*this);
  domain->place = result;
  domain->nextPart = 0;
  domain->opName = mnemonic(op).str();
  return domain;
}

void StructuredDomain::fail(FailureKind kind, const std::string &text) {
  failures.report(kind, opName + ": " + text);
}

void StructuredDomain::requireFinite(const Scalar &a) {
  if (is(a, Scalar::MinusInf))
    fail(FailureKind::CannotTell, "minus infinity has no rule here");
}

TileRef StructuredDomain::input(const FieldContext &context, unsigned tensor,
                                const Shape &shape,
                                const std::vector<double> &shadow) {
  TileRef fields = context.input(tensor, shape, kP | kQ);
  auto tile = std::make_shared<Tile>();
  tile->shape = shape;
  tile->shadowed.resize(tile->numElements());
  for (size_t i = 0; i < tile->shadowed.size(); ++i)
    tile->shadowed[i] = {fields->p[i], fields->q[i], shadow[i], 0};
  return tile;
}

template <class Fn>
std::shared_ptr<Tile> StructuredDomain::map(const Value &a, Fn fn) {
  auto result = std::make_shared<Tile>();
  result->shape = a->shape;
  result->shadowed.reserve(a->shadowed.size());
  for (const Scalar &v : a->shadowed)
    result->shadowed.push_back(fn(v));
  return result;
}

template <class Fn>
std::shared_ptr<Tile> StructuredDomain::zip(const Value &a, const Value &b,
                                            Fn fn) {
  auto result = std::make_shared<Tile>();
  result->shape = broadcastShape(a->shape, b->shape);
  result->shadowed.resize(result->numElements());
  forEachElement(result->shape, broadcastStrides(a->shape, result->shape),
                 broadcastStrides(b->shape, result->shape),
                 [&](int64_t i, int64_t x, int64_t y) {
                   result->shadowed[i] = fn(a->shadowed[x], b->shadowed[y]);
                 });
  return result;
}

//===----------------------------------------------------------------------===//
// Single elements
//===----------------------------------------------------------------------===//

Shadowed StructuredDomain::add(const Scalar &a, const Scalar &b) {
  if (is(a, Scalar::MinusInf))
    return a;
  if (is(b, Scalar::MinusInf))
    return b;
  return {cx.fp.add(a.p, b.p), cx.fq.add(a.q, b.q), a.real + b.real,
          joined(a, b)};
}

Shadowed StructuredDomain::mul(const Scalar &a, const Scalar &b) {
  requireFinite(a);
  requireFinite(b);
  return {cx.fp.mul(a.p, b.p), cx.fq.mul(a.q, b.q), a.real * b.real,
          joined(a, b)};
}

Shadowed StructuredDomain::div(const Scalar &a, const Scalar &b) {
  requireFinite(a);
  requireFinite(b);
  Scalar r{0, 0, a.real / b.real, joined(a, b)};
  if (b.p == 0)
    r.flags |= Scalar::TaintP;
  else
    r.p = cx.fp.mul(a.p, cx.fp.inverse(b.p));
  if (b.q == 0)
    r.flags |= Scalar::TaintQ;
  else
    r.q = cx.fq.mul(a.q, cx.fq.inverse(b.q));
  return r;
}

Shadowed StructuredDomain::neg(const Scalar &a) {
  requireFinite(a);
  return {cx.fp.neg(a.p), cx.fq.neg(a.q), -a.real, a.flags};
}

Shadowed StructuredDomain::keyed(Function function, const Scalar &a,
                                 double shadow, uint64_t attribute) {
  requireFinite(a);
  Counter bits =
      philox({a.p, attribute, 0, static_cast<uint64_t>(function)}, cx.hashKey);
  // Only p is read, and both components follow from it.
  uint8_t flags = is(a, Scalar::TaintP) ? kTaints : 0;
  return {cx.fp.fromRandom(bits[0], bits[1]),
          cx.fq.fromRandom(bits[2], bits[3]), shadow,
          static_cast<uint8_t>(flags | (a.flags & Scalar::Constant))};
}

Shadowed StructuredDomain::exp(const Scalar &a) {
  uint8_t constant = a.flags & Scalar::Constant;
  if (is(a, Scalar::MinusInf))
    return {0, 0, 0.0, static_cast<uint8_t>(Scalar::NoQ | constant)};
  if (is(a, Scalar::NoQ))
    return keyed(Function::Exp, a, std::exp(a.real));
  uint8_t taint = is(a, Scalar::TaintQ) ? Scalar::TaintP : 0;
  return {cx.expOf(a.q), 0, std::exp(a.real),
          static_cast<uint8_t>(Scalar::NoQ | taint | constant)};
}

Shadowed StructuredDomain::root(const Scalar &a) {
  requireFinite(a);
  Scalar r{0, 0, std::sqrt(a.real), a.flags};
  auto rootIn = [&](const PrimeField &f, uint64_t x, uint8_t taint) {
    uint64_t y = f.pow(x, (f.modulus() + 1) / 4);
    if (f.mul(y, y) != x)
      r.flags |= taint;
    return y;
  };
  r.p = rootIn(cx.fp, a.p, Scalar::TaintP);
  r.q = rootIn(cx.fq, a.q, Scalar::TaintQ);
  return r;
}

Shadowed StructuredDomain::literal(double value) {
  return constant(ConstantValue::makeLiteral(value))->shadowed[0];
}

unsigned StructuredDomain::larger(const Scalar &a, const Scalar &b) {
  if (is(a, Scalar::MinusInf))
    return is(b, Scalar::MinusInf) ? 2 : 1;
  if (is(b, Scalar::MinusInf))
    return 0;
  // A branch is known only where the shadow is, and a tainted operand says
  // nothing about the field value of the other.
  if (!std::isfinite(a.real) || !std::isfinite(b.real))
    return 3;
  if (a.p == b.p && !((a.flags | b.flags) & kTaints) &&
      (is(a, Scalar::NoQ) || is(b, Scalar::NoQ) || a.q == b.q))
    return 2;
  double scale = std::max(std::abs(a.real), std::abs(b.real));
  if (std::abs(a.real - b.real) <= 0x1p-40 * scale)
    return 3;
  return a.real > b.real ? 0 : 1;
}

Shadowed StructuredDomain::choose(const Scalar &a, const Scalar &b,
                                  unsigned part) {
  unsigned which = larger(a, b);
  const Scalar &chosen = which == 1 ? b : a;
  Scalar r = chosen;
  r.flags |= (a.flags | b.flags) & Scalar::NoQ;
  if (!(a.flags & b.flags & Scalar::Constant))
    r.flags &= ~Scalar::Constant;
  if (which == 3)
    r.flags |= kTaints;
  // Constants decide the same way always, and nothing falls to minus infinity.
  bool decides = !(a.flags & b.flags & Scalar::Constant) && which != 3;
  if (decides && !is(a, Scalar::MinusInf) && !is(b, Scalar::MinusInf)) {
    bool compared = !(r.flags & Scalar::TaintP);
    coverage.count({place, part}, 0, compared && which != 1);
    coverage.count({place, part}, 1, compared && which != 0);
  }
  return r;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

TileRef StructuredDomain::add(const Value &a, const Value &b) {
  return zip(a, b, [&](auto &x, auto &y) { return add(x, y); });
}
TileRef StructuredDomain::sub(const Value &a, const Value &b) {
  return zip(a, b, [&](auto &x, auto &y) { return add(x, neg(y)); });
}
TileRef StructuredDomain::mul(const Value &a, const Value &b) {
  auto result = zip(a, b, [&](auto &x, auto &y) {
    if ((b->positive && is(x, Scalar::MinusInf)) ||
        (a->positive && is(y, Scalar::MinusInf)))
      return add(x, y);
    return mul(x, y);
  });
  result->positive = a->positive && b->positive;
  if (a == b)
    result->squareOf = a;
  return result;
}
TileRef StructuredDomain::div(const Value &a, const Value &b) {
  auto result = zip(a, b, [&](auto &x, auto &y) {
    if (b->positive && is(x, Scalar::MinusInf))
      return x;
    return div(x, y);
  });
  result->positive = a->positive && b->positive;
  return result;
}
TileRef StructuredDomain::moved(Value a) { return a; }
TileRef StructuredDomain::neg(const Value &a) {
  auto result = map(a, [&](auto &x) { return neg(x); });
  if (a->constant && a->constant->kind == ConstantValue::Kind::Literal)
    result->constant = ConstantValue::makeLiteral(-a->constant->literal);
  return result;
}
TileRef StructuredDomain::exp(const Value &a) {
  return map(a, [&](auto &x) { return exp(x); });
}
TileRef StructuredDomain::log(const Value &a) {
  return map(
      a, [&](auto &x) { return keyed(Function::Log, x, std::log(x.real)); });
}
TileRef StructuredDomain::sqrt(const Value &a) {
  // The root of x * x that is positive, which the field does not know.
  if (a->squareOf)
    return abs(a->squareOf);
  return map(a, [&](auto &x) { return root(x); });
}

TileRef StructuredDomain::sigmoid(const Value &a) {
  Scalar one = literal(1.0), half = literal(0.5);
  return map(a, [&](auto &x) {
    requireFinite(x);
    if (!is(x, Scalar::NoQ))
      return div(one, add(one, exp(neg(x))));
    double value = 1 / (1 + std::exp(-x.real));
    Scalar even = keyed(Function::Sigmoid, mul(x, x), (value - 0.5) / x.real);
    return add(half, mul(x, even));
  });
}

TileRef StructuredDomain::erf(const Value &a) {
  return map(a, [&](auto &x) {
    return mul(x, keyed(Function::Erf, mul(x, x), std::erf(x.real) / x.real));
  });
}

TileRef StructuredDomain::max(const Value &a, const Value &b) {
  unsigned part = nextPart++;
  return zip(a, b, [&](auto &x, auto &y) { return choose(x, y, part); });
}
TileRef StructuredDomain::min(const Value &a, const Value &b) {
  unsigned part = nextPart++;
  return zip(a, b, [&](auto &x, auto &y) {
    return neg(choose(neg(x), neg(y), part));
  });
}
TileRef StructuredDomain::abs(const Value &a) {
  unsigned part = nextPart++;
  return map(a, [&](auto &x) { return choose(x, neg(x), part); });
}

TileRef StructuredDomain::clamp(const Value &a, double lo, double hi) {
  unsigned lower = nextPart++, upper = nextPart++;
  Scalar low = literal(lo), high = literal(hi);
  return map(a, [&](auto &x) {
    Scalar bounded = choose(x, low, lower);
    return neg(choose(neg(bounded), neg(high), upper));
  });
}

TileRef StructuredDomain::pow(const Value &a, const Value &b) {
  constexpr double kLargest = 64.0;
  if (b->constant && b->constant->kind == ConstantValue::Kind::Literal) {
    double c = b->constant->literal;
    if (std::abs(c) <= kLargest && 2 * c == std::floor(2 * c)) {
      int whole = static_cast<int>(std::floor(std::abs(c)));
      Scalar one = literal(1.0);
      return zip(a, b, [&](auto &x, auto &) {
        Scalar power = one;
        for (int i = 0; i < whole; ++i)
          power = mul(power, x);
        if (std::abs(c) != whole)
          power = mul(power, root(x));
        return c < 0 ? div(one, power) : power;
      });
    }
  }
  return zip(a, b, [&](auto &x, auto &y) {
    Scalar r = keyed(Function::Pow, x, std::pow(x.real, y.real), y.p);
    requireFinite(y);
    if (is(y, Scalar::TaintP))
      r.flags |= kTaints;
    if (!is(y, Scalar::Constant))
      r.flags &= ~Scalar::Constant;
    return r;
  });
}

TileRef StructuredDomain::constant(const ConstantValue &value) {
  // The exact value in both fields is the free interpretation's. Every field
  // component is wanted, so that no analysis is needed.
  Analysis none;
  FieldDomain fields(cx, none, failures);
  TileRef pair = fields.constant(value);
  auto tile = std::make_shared<Tile>();
  tile->constant = value;
  tile->positive = pair->positive;
  Scalar v{pair->p[0], pair->q.empty() ? 0 : pair->q[0], value.toDouble(),
           Scalar::Constant};
  if (pair->mayBeNegInf)
    v = {0, 0, -std::numeric_limits<double>::infinity(),
         Scalar::Constant | Scalar::MinusInf};
  tile->shadowed = {v};
  return tile;
}

TileRef StructuredDomain::compare(Predicate predicate, const Value &a,
                                  const Value &b) {
  unsigned part = nextPart++;
  Scalar bits[] = {literal(0.0), literal(1.0)};
  return zip(a, b, [&](auto &x, auto &y) {
    unsigned which = larger(x, y);
    bool less = which == 1, equal = which == 2;
    if (which == 3 && x.real == y.real && x.p == y.p)
      equal = true;
    bool holds[] = {equal, !equal, less, less || equal, !less && !equal, !less};
    bool bit = holds[static_cast<unsigned>(predicate)];
    Scalar r = bits[bit];
    bool constant = x.flags & y.flags & Scalar::Constant;
    if (!constant)
      r.flags &= ~Scalar::Constant;
    if (which == 3)
      r.flags |= kTaints;
    else if (!constant)
      for (unsigned outcome : {0, 1})
        coverage.count({place, part}, outcome, bit == outcome);
    return r;
  });
}

TileRef StructuredDomain::select(const Value &condition, const Value &a,
                                 const Value &b) {
  // The condition's comparison counted its outcomes. What is not chosen may be
  // anything.
  auto first = zip(condition, a, [](auto &c, auto &x) {
    Scalar r = x;
    r.flags |= c.flags & kTaints;
    if (!is(c, Scalar::Constant))
      r.flags &= ~Scalar::Constant;
    return r;
  });
  auto other = zip(condition, b, [](auto &c, auto &y) {
    Scalar r = y;
    r.flags |= c.flags & kTaints;
    if (!is(c, Scalar::Constant))
      r.flags &= ~Scalar::Constant;
    return r;
  });
  auto pair = std::make_shared<Tile>();
  pair->shape = broadcastShape(first->shape, other->shape);
  pair->shadowed.resize(pair->numElements());
  Strides sc = broadcastStrides(condition->shape, pair->shape);
  forEachElement(pair->shape, broadcastStrides(first->shape, pair->shape), sc,
                 [&](int64_t i, int64_t x, int64_t c) {
                   if (condition->shadowed[c].real != 0)
                     pair->shadowed[i] = first->shadowed[x];
                 });
  forEachElement(pair->shape, broadcastStrides(other->shape, pair->shape), sc,
                 [&](int64_t i, int64_t y, int64_t c) {
                   if (condition->shadowed[c].real == 0)
                     pair->shadowed[i] = other->shadowed[y];
                 });
  return pair;
}

TileRef StructuredDomain::cast(const Value &a, DType to) {
  if (!isFloat(to) && llvm::any_of(a->shadowed, [](const Scalar &v) {
        return !is(v, Scalar::Constant);
      }))
    fail(FailureKind::CannotTell,
         "expected a float element type, but got " + stringify(to).str());
  return a;
}

TileRef StructuredDomain::iota(const Shape &shape, int64_t dim) {
  auto tile = std::make_shared<Tile>();
  tile->shape = shape;
  Strides strides(shape.size(), 0);
  strides[dim] = 1;
  tile->shadowed.resize(tile->numElements());
  forEachElement(
      tile->shape, strides, strides, [&](int64_t i, int64_t at, int64_t) {
        tile->shadowed[i] = {cx.fp.fromInteger(at), cx.fq.fromInteger(at),
                             static_cast<double>(at), Scalar::Constant};
      });
  return tile;
}

TileRef StructuredDomain::matmul(const Value &a, const Value &b,
                                 bool transposeRhs, const Shape &shape) {
  auto result = std::make_shared<Tile>();
  result->shape = shape;
  result->shadowed.resize(result->numElements());
  ProductDims dims(a->shape, b->shape, shape);
  int64_t m = dims.m, n = dims.n, k = dims.k;
  int64_t alongK = transposeRhs ? 1 : n, alongN = transposeRhs ? k : 1;
  Scalar zero = literal(0.0);
  for (size_t i = 0; i < dims.starts.size(); ++i) {
    auto [ia, ib] = dims.starts[i];
    for (int64_t row = 0; row < m; ++row)
      for (int64_t col = 0; col < n; ++col) {
        Scalar sum = zero;
        for (int64_t t = 0; t < k; ++t)
          sum = add(sum, mul(a->shadowed[ia + row * k + t],
                             b->shadowed[ib + t * alongK + col * alongN]));
        result->shadowed[(i * m + row) * n + col] = sum;
      }
  }
  return result;
}

TileRef StructuredDomain::reduceSum(const Value &a,
                                    llvm::ArrayRef<int64_t> dims) {
  auto result = std::make_shared<Tile>();
  result->shape = reducedShape(a->shape, dims);
  result->shadowed.assign(result->numElements(), literal(0.0));
  Strides to = broadcastStrides(result->shape, a->shape);
  forEachElement(a->shape, to, to, [&](int64_t i, int64_t at, int64_t) {
    result->shadowed[at] = add(result->shadowed[at], a->shadowed[i]);
  });
  return result;
}

TileRef StructuredDomain::reduceMax(const Value &a,
                                    llvm::ArrayRef<int64_t> dims) {
  unsigned part = nextPart++;
  auto result = std::make_shared<Tile>();
  result->shape = reducedShape(a->shape, dims);
  size_t count = result->numElements();
  // The operands of each maximum, in order.
  std::vector<std::vector<const Scalar *>> operands(count);
  Strides to = broadcastStrides(result->shape, a->shape);
  forEachElement(a->shape, to, to, [&](int64_t i, int64_t at, int64_t) {
    operands[at].push_back(&a->shadowed[i]);
  });
  Scalar least = constant({ConstantValue::Kind::NegInf, 0.0, 0})->shadowed[0];
  for (const std::vector<const Scalar *> &list : operands) {
    Scalar best = least;
    size_t winner = 0;
    bool decided = true, constant = true;
    uint8_t noQ = 0;
    for (size_t i = 0; i < list.size(); ++i) {
      unsigned which = larger(best, *list[i]);
      constant &= is(*list[i], Scalar::Constant);
      noQ |= list[i]->flags & Scalar::NoQ;
      decided &= which != 3;
      if (which == 1) {
        best = *list[i];
        winner = i;
      }
    }
    if (!decided)
      best.flags |= kTaints;
    best.flags |= noQ;
    if (!constant)
      best.flags &= ~Scalar::Constant;
    if (decided && !constant && list.size() > 1)
      for (size_t i = 0; i < list.size(); ++i)
        if (!is(*list[i], Scalar::MinusInf))
          coverage.count({place, part}, i,
                         !is(best, Scalar::TaintP) &&
                             (i == winner || larger(best, *list[i]) == 2));
    result->shadowed.push_back(best);
  }
  return result;
}
