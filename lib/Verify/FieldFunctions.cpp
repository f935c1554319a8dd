//===- FieldFunctions.cpp - Functions and order over Z_p x Z_q ------------===//

#include "FieldDomain.h"
#include "llvm/ADT/bit.h"
#include <cmath>

using namespace mirage::semantics;
using namespace mirage::verify;

/// The last word of a hash's counter: keeps the random functions apart, and
/// apart from the draws of p and omega and from constants.
enum class FieldDomain::Function : uint64_t {
  Sqrt = 16,
  Sigmoid,
  Erf,
  Log,
  Pow,
  Clamp,
  Exp,
  BagOperand,
  BagValue,
  Equal,
  Less,
};

void FieldDomain::hashInto(Tile &tile, size_t i, const Counter &counter) const {
  Counter bits = philox(counter, cx.hashKey);
  if (!tile.p.empty())
    tile.p[i] = cx.fp.fromRandom(bits[0], bits[1]);
  if (!tile.q.empty())
    tile.q[i] = cx.fq.fromRandom(bits[2], bits[3]);
}

/// A random function of the p component, which alone every path to a value
/// keeps.
std::shared_ptr<Tile> FieldDomain::keyed(Function function, const Value &a,
                                         uint64_t attr0, uint64_t attr1) {
  requireFinite(a);
  auto result = std::make_shared<Tile>();
  result->shape = a->shape;
  if (a->p.empty())
    return result;
  if (wants(kP))
    result->p.resize(a->p.size());
  if (wants(kQ) && cx.mode.withExp)
    result->q.resize(a->p.size());
  for (size_t i = 0; i < a->p.size(); ++i)
    hashInto(*result, i,
             {a->p[i], attr0, attr1, static_cast<uint64_t>(function)});
  return result;
}

TileRef FieldDomain::exp(const Value &a) {
  if (a->q.empty())
    return keyed(Function::Exp, a);
  auto result = std::make_shared<Tile>();
  result->shape = a->shape;
  result->p.resize(a->q.size());
  constexpr int64_t kPart = 1 << 14;
  int64_t count = a->q.size();
  parallelFor((count + kPart - 1) / kPart, threads, [&](int64_t part) {
    for (int64_t i = part * kPart, e = std::min(count, i + kPart); i < e; ++i)
      result->p[i] = a->q[i] == kNegInf ? 0 : cx.expOf(a->q[i]);
  });
  return result;
}

TileRef FieldDomain::log(const Value &a) { return keyed(Function::Log, a); }

TileRef FieldDomain::sqrt(const Value &a) {
  if (a->squareOf)
    return abs(a->squareOf);
  if (a->constant && a->constant->kind != ConstantValue::Kind::NegInf) {
    double value = a->constant->literal, root = std::sqrt(value);
    bool isLiteral = a->constant->kind == ConstantValue::Kind::Literal;
    if (isLiteral && value > 0 && std::fma(root, root, -value) == 0)
      return reshaped(*literal(root), a->shape);
  }
  auto result = keyed(Function::Sqrt, a);
  result->sqrtOf = a;
  return result;
}

TileRef FieldDomain::sigmoid(const Value &a) {
  requireFinite(a);
  if (cx.mode.sigmoidThroughExp)
    return div(literal(1.0), add(literal(1.0), exp(neg(a))));
  // sigmoid(-x) = 1 - sigmoid(x) holds for every choice of S.
  Value even = keyed(Function::Sigmoid, plainSquare(a));
  return add(literal(0.5), mul(a, even));
}

TileRef FieldDomain::erf(const Value &a) {
  requireFinite(a);
  return mul(a, keyed(Function::Erf, plainSquare(a)));
}

TileRef FieldDomain::clamp(const Value &a, double lo, double hi) {
  return keyed(Function::Clamp, a, llvm::bit_cast<uint64_t>(lo + 0.0),
               llvm::bit_cast<uint64_t>(hi + 0.0));
}

TileRef FieldDomain::cast(const Value &a, DType to) {
  // The claim is about exact arithmetic, so rounding is no part of it; cutting
  // off a fraction is.
  if (!isFloat(to) && a->index.empty())
    fail(FailureKind::CannotTell,
         "expected a float element type, but got " + stringify(to).str());
  return moved(a);
}

TileRef FieldDomain::pow(const Value &a, const Value &b) {
  constexpr double kLargest = 64.0;
  if (b->constant && b->constant->kind == ConstantValue::Kind::Literal) {
    double c = b->constant->literal, twice = 2 * c;
    if (std::abs(c) <= kLargest && twice == std::floor(twice)) {
      // x^-c = 1 / x^c, so that x^-0.5 meets 1 / sqrt x.
      int whole = static_cast<int>(std::floor(std::abs(c)));
      Value power = reshaped(*literal(1.0), {});
      for (int i = 0; i < whole; ++i)
        power = mul(power, a);
      if (std::abs(c) != whole)
        power = mul(power, sqrt(a));
      if (c < 0)
        power = div(literal(1.0), power);
      // An exponent of 0 leaves a scalar: give it the operands' shape.
      Shape shape = broadcastShape(a->shape, b->shape);
      return stridedCopy(*power, shape, 0,
                         broadcastStrides(power->shape, shape));
    }
  }
  requireFinite(a);
  requireFinite(b);
  auto result = std::make_shared<Tile>();
  result->shape = broadcastShape(a->shape, b->shape);
  if (a->p.empty() || b->p.empty())
    return result;
  result->p.resize(result->numElements());
  if (cx.mode.withExp)
    result->q.resize(result->numElements());
  forEachElement(
      result->shape, broadcastStrides(a->shape, result->shape),
      broadcastStrides(b->shape, result->shape),
      [&](int64_t i, int64_t x, int64_t y) {
        hashInto(*result, i,
                 {a->p[x], b->p[y], 0, static_cast<uint64_t>(Function::Pow)});
      });
  return result;
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

Bag FieldDomain::bagOf(const Tile &tile, size_t i) const {
  if (!tile.bags.empty())
    return tile.bags[i];
  Bag bag;
  if (tile.p[i] == kNegInf)
    return bag;
  if (tile.constant && tile.constant->kind == ConstantValue::Kind::Literal) {
    bag.hasConstant = true;
    bag.constant = tile.constant->literal + 0.0;
    return bag;
  }
  Counter bits =
      philox({tile.p[i], 0, 0, static_cast<uint64_t>(Function::BagOperand)},
             cx.hashKey);
  bag.sum = (static_cast<u128>(bits[0]) << 64) | bits[1];
  bag.count = 1;
  bag.p = tile.p[i];
  bag.q = tile.q.empty() ? 0 : tile.q[i];
  return bag;
}

void FieldDomain::mergeBag(Bag &into, const Bag &from) {
  // Idempotence for whole sets; a part that repeats counts twice, which only
  // makes a mismatch, and that is soft.
  if (into == from)
    return;
  into.sum += from.sum;
  if (into.count == 0) {
    into.p = from.p;
    into.q = from.q;
  }
  into.count += from.count;
  if (from.hasConstant) {
    into.constant = into.hasConstant ? std::max(into.constant, from.constant)
                                     : from.constant;
    into.hasConstant = true;
  }
}

void FieldDomain::setFromBag(Tile &tile, size_t i, const Bag &bag) {
  tile.bags[i] = bag;
  auto set = [&](uint64_t p, uint64_t q) {
    if (!tile.p.empty())
      tile.p[i] = p;
    if (!tile.q.empty())
      tile.q[i] = q;
  };
  if (bag.count == 0 && !bag.hasConstant) {
    tile.mayBeNegInf = true;
    return set(kNegInf, kNegInf);
  }
  if (bag.count == 0) {
    Value value = literal(bag.constant);
    return set(value->p[0], value->q.empty() ? 0 : value->q[0]);
  }
  if (bag.count == 1 && !bag.hasConstant)
    return set(bag.p, bag.q);
  // The count and the presence of a constant tell sets apart whose sums meet.
  uint64_t constant = llvm::bit_cast<uint64_t>(bag.constant);
  Counter inner = philox(
      {static_cast<uint64_t>(bag.sum >> 64), static_cast<uint64_t>(bag.sum),
       constant + bag.hasConstant, static_cast<uint64_t>(Function::BagValue)},
      cx.hashKey);
  hashInto(tile, i,
           {inner[0], inner[1], bag.count,
            static_cast<uint64_t>(Function::BagValue) + (1u << 16)});
}

TileRef FieldDomain::max(const Value &a, const Value &b) {
  auto result = std::make_shared<Tile>();
  result->shape = broadcastShape(a->shape, b->shape);
  if (a->p.empty() || b->p.empty())
    return result;
  auto isLiteral = [](const Value &v) {
    return v->constant && v->constant->kind == ConstantValue::Kind::Literal;
  };
  for (auto [x, c] : {std::pair(&a, &b), std::pair(&b, &a)})
    if (isLiteral(*c) && (*x)->upperBounded && (*x)->shape == result->shape &&
        (*c)->constant->literal <= (*x)->bound)
      return clamp((*x)->upperBounded, (*c)->constant->literal, (*x)->bound);
  size_t count = result->numElements();
  result->bags.resize(count);
  // The p component is the key of whatever uses the maximum.
  result->p.resize(count);
  if (wants(kQ) && cx.mode.withExp)
    result->q.resize(count);
  forEachElement(result->shape, broadcastStrides(a->shape, result->shape),
                 broadcastStrides(b->shape, result->shape),
                 [&](int64_t i, int64_t x, int64_t y) {
                   Bag bag = bagOf(*a, x);
                   mergeBag(bag, bagOf(*b, y));
                   setFromBag(*result, i, bag);
                 });
  for (auto [x, c] : {std::pair(&a, &b), std::pair(&b, &a)})
    if (isLiteral(*c) && !isLiteral(*x) && (*x)->shape == result->shape) {
      result->lowerBounded = *x;
      result->bound = (*c)->constant->literal;
    }
  return result;
}

TileRef FieldDomain::min(const Value &a, const Value &b) {
  auto isLiteral = [](const Value &v) {
    return v->constant && v->constant->kind == ConstantValue::Kind::Literal;
  };
  for (auto [x, c] : {std::pair(&a, &b), std::pair(&b, &a)})
    if (isLiteral(*c) && (*x)->lowerBounded &&
        (*x)->shape == broadcastShape(a->shape, b->shape) &&
        (*x)->bound <= (*c)->constant->literal)
      return clamp((*x)->lowerBounded, (*x)->bound, (*c)->constant->literal);
  Value greatest = max(neg(a), neg(b));
  Value least = neg(greatest);
  for (auto [x, c] : {std::pair(&a, &b), std::pair(&b, &a)})
    if (isLiteral(*c) && !isLiteral(*x) && (*x)->shape == least->shape) {
      auto bounded = std::make_shared<Tile>(*least);
      bounded->upperBounded = *x;
      bounded->bound = (*c)->constant->literal;
      return bounded;
    }
  return least;
}

TileRef FieldDomain::abs(const Value &a) { return max(a, neg(a)); }

TileRef FieldDomain::reduceMax(const Value &a, llvm::ArrayRef<int64_t> dims) {
  auto result = std::make_shared<Tile>();
  result->shape = reducedShape(a->shape, dims);
  if (a->p.empty())
    return result;
  size_t count = result->numElements();
  result->bags.resize(count);
  result->p.resize(count);
  if (wants(kQ) && cx.mode.withExp)
    result->q.resize(count);
  Strides to = broadcastStrides(result->shape, a->shape);
  forEachElement(a->shape, to, to, [&](int64_t i, int64_t at, int64_t) {
    mergeBag(result->bags[at], bagOf(*a, i));
  });
  for (size_t i = 0; i < count; ++i)
    setFromBag(*result, i, result->bags[i]);
  return result;
}

TileRef FieldDomain::compare(Predicate predicate, const Value &a,
                             const Value &b) {
  auto result = std::make_shared<Tile>();
  result->shape = broadcastShape(a->shape, b->shape);
  size_t count = result->numElements();
  Strides sa = broadcastStrides(a->shape, result->shape);
  Strides sb = broadcastStrides(b->shape, result->shape);
  // Integer constants compare with iota exactly.
  auto indexOf = [](const Tile &tile, int64_t i, int64_t &value) {
    if (!tile.index.empty()) {
      value = tile.index[i];
      return true;
    }
    if (!tile.constant)
      return false;
    double v = tile.constant->toDouble();
    value = static_cast<int64_t>(v);
    return std::abs(v) < 1e15 && static_cast<double>(value) == v;
  };
  int64_t unused = 0;
  bool exact = !result->shape.empty() && count && indexOf(*a, 0, unused) &&
               indexOf(*b, 0, unused);
  if (!exact && (a->p.empty() || b->p.empty()))
    return result;
  result->p.resize(count);
  if (cx.mode.withExp)
    result->q.resize(count);
  if (exact)
    result->index.resize(count);
  forEachElement(result->shape, sa, sb, [&](int64_t i, int64_t x, int64_t y) {
    if (exact) {
      int64_t l = 0, r = 0;
      indexOf(*a, x, l);
      indexOf(*b, y, r);
      bool holds[] = {l == r, l != r, l<r, l <= r, l> r, l >= r};
      bool bit = holds[static_cast<unsigned>(predicate)];
      result->index[i] = bit;
      result->p[i] = bit ? cx.fp.one() : 0;
      if (!result->q.empty())
        result->q[i] = bit ? cx.fq.one() : 0;
      return;
    }
    // A free value for each pair: = and < are random functions, the other
    // predicates follow from a > b = b < a and a >= b = 1 - (a < b).
    uint64_t l = a->p[x], r = b->p[y];
    bool swap = predicate == Predicate::Gt || predicate == Predicate::Le;
    bool complement = predicate == Predicate::Ne ||
                      predicate == Predicate::Le || predicate == Predicate::Ge;
    bool equality = predicate == Predicate::Eq || predicate == Predicate::Ne;
    if (swap || (equality && r < l))
      std::swap(l, r);
    hashInto(
        *result, i,
        {l, r, 0,
         static_cast<uint64_t>(equality ? Function::Equal : Function::Less)});
    if (complement) {
      result->p[i] = cx.fp.sub(cx.fp.one(), result->p[i]);
      if (!result->q.empty())
        result->q[i] = cx.fq.sub(cx.fq.one(), result->q[i]);
    }
  });
  return result;
}

TileRef FieldDomain::select(const Value &condition, const Value &a,
                            const Value &b) {
  if (condition->index.empty())
    return add(b, mul(condition, sub(a, b)));
  auto result = std::make_shared<Tile>();
  result->shape =
      broadcastShape(broadcastShape(condition->shape, a->shape), b->shape);
  result->mayBeNegInf = a->mayBeNegInf || b->mayBeNegInf;
  size_t count = result->numElements();
  Strides sc = broadcastStrides(condition->shape, result->shape);
  Strides sa = broadcastStrides(a->shape, result->shape);
  Strides sb = broadcastStrides(b->shape, result->shape);
  auto run = [&](const std::vector<uint64_t> &x, const std::vector<uint64_t> &y,
                 std::vector<uint64_t> &out) {
    out.resize(count);
    forEachElement(result->shape, sa, sb,
                   [&](int64_t i, int64_t ia, int64_t ib) {
                     out[i] = x[ia];
                     (void)ib;
                   });
    forEachElement(result->shape, sc, sb,
                   [&](int64_t i, int64_t ic, int64_t ib) {
                     if (!condition->index[ic])
                       out[i] = y[ib];
                   });
  };
  if (wants(kP) && !a->p.empty() && !b->p.empty())
    run(a->p, b->p, result->p);
  if (wants(kQ) && !a->q.empty() && !b->q.empty())
    run(a->q, b->q, result->q);
  return result;
}
