//===- NumbersDomain.h - Degrees of the primitives --------------*- C++ -*-===//
//
// The bookkeeping of Bookkeep.h as a domain of Semantics/Evaluate.h, so that
// each op's degrees follow from the same table as its value. Sums and maxima
// take the number of summands and the dims that they run over.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_NUMBERSDOMAIN_H
#define MIRAGE_LIB_VERIFY_NUMBERSDOMAIN_H

#include "Bookkeep.h"
#include "Mirage/Verify/Field.h"
#include <cmath>

namespace mirage::verify {

using semantics::ConstantValue;
using semantics::DType;
using semantics::Predicate;

/// Bits of `varies` beyond the dims: the loop's iteration and the grid axes.
constexpr unsigned kIterationBit = 16, kGridBit = 17;

inline double log2Add(double a, double b) {
  double high = std::max(a, b), low = std::min(a, b);
  return high + std::log2(1 + std::exp2(low - high));
}

inline double log2Of(double count) { return count > 1 ? std::log2(count) : 0; }

inline uint64_t mix(uint64_t a, uint64_t b) {
  // An equal key must mean an equal denominator, so no weak hash here.
  Counter bits = philox({a, b, 0, 0}, {0x6d697261, 0x6765});
  return bits[0] | 1;
}

/// The rules of the table, over the primitives of Semantics/Evaluate.h.
class NumbersDomain {
public:
  using Value = Numbers;
  NumbersDomain(const Interpretation &mode, ProgramNumbers &program)
      : mode(mode), program(program) {}

  /// Names what the current op makes.
  uint64_t resultKey = 0;
  /// Identity of each operand, for denominators.
  uint64_t divisorKey = 0;

  Value add(const Value &a, const Value &b) {
    Value r = merge(a, b);
    // Key 0 is a denominator made of constants only. Constant factors are not
    // in the key, so they are compared apart.
    bool same = a.denominator == b.denominator &&
                a.logNorm[1] == b.logNorm[1] && a.degree[1] == b.degree[1] &&
                (a.denominator != 0 || a.logNorm[1] == 0);
    auto terms = [&](double x, double y) {
      return r.hasExp ? log2Add(x, y) : 0.0;
    };
    if (same) {
      r.degree[0] = std::max(a.degree[0], b.degree[0]);
      r.expFactors[0] = std::max(a.expFactors[0], b.expFactors[0]);
      r.logTerms[0] = terms(a.logTerms[0], b.logTerms[0]);
      r.logMono[0] = terms(a.logMono[0], b.logMono[0]);
      r.logNorm[0] = log2Add(a.logNorm[0], b.logNorm[0]);
      r.degree[1] = a.degree[1];
      r.expFactors[1] = a.expFactors[1];
      r.logTerms[1] = a.logTerms[1];
      r.logMono[1] = a.logMono[1];
      r.logNorm[1] = a.logNorm[1];
      r.denominator = a.denominator;
      return r;
    }
    r.degree[0] =
        std::max(a.degree[0] + b.degree[1], b.degree[0] + a.degree[1]);
    r.expFactors[0] = std::max(a.expFactors[0] + b.expFactors[1],
                               b.expFactors[0] + a.expFactors[1]);
    r.logTerms[0] =
        terms(a.logTerms[0] + b.logTerms[1], b.logTerms[0] + a.logTerms[1]);
    r.logMono[0] = terms(monoOfProduct(a, 0, b, 1), monoOfProduct(b, 0, a, 1));
    r.logNorm[0] =
        log2Add(a.logNorm[0] + b.logNorm[1], b.logNorm[0] + a.logNorm[1]);
    r.degree[1] = a.degree[1] + b.degree[1];
    r.expFactors[1] = a.expFactors[1] + b.expFactors[1];
    r.logTerms[1] = a.logTerms[1] + b.logTerms[1];
    r.logMono[1] = monoOfProduct(a, 1, b, 1);
    r.logNorm[1] = a.logNorm[1] + b.logNorm[1];
    r.denominator = product(a.denominator, b.denominator);
    return r;
  }
  Value sub(const Value &a, const Value &b) { return add(a, b); }
  Value neg(const Value &a) { return plain(a); }

  Value mul(const Value &a, const Value &b) {
    Value r = merge(a, b);
    for (int i : {0, 1}) {
      r.degree[i] = a.degree[i] + b.degree[i];
      r.expFactors[i] = a.expFactors[i] + b.expFactors[i];
      r.logTerms[i] = a.logTerms[i] + b.logTerms[i];
      r.logMono[i] = monoOfProduct(a, i, b, i);
      r.logNorm[i] = a.logNorm[i] + b.logNorm[i];
    }
    r.fresh = a.degree[0] == 0 ? b.fresh : b.degree[0] == 0 ? a.fresh : 0;
    r.denominator = product(a.denominator, b.denominator);
    // The evaluator may use sqrt x * sqrt x = x and (a / sqrt b)^2 = a^2 / b.
    if (a.rootOf && a.rootOf == b.rootOf)
      r = worst(r, *a.rootOf);
    if (a.squared && a.squared == b.squared)
      r = worst(r, *a.squared);
    return r;
  }

  Value div(const Value &a, const Value &b) {
    // A numerator of one exponential, coefficient 1: 1 / (e^u / D) = D e^-u,
    // which has no denominator.
    if (b.hasExp && b.degree[0] == 0 && b.logTerms[0] == 0 &&
        b.logNorm[0] == 0) {
      Value turned = plain(b);
      turned.degree[0] = b.degree[1];
      turned.logTerms[0] = b.logTerms[1];
      turned.logMono[0] = b.logMono[1];
      turned.logMono[1] = 0;
      turned.fresh = 0;
      turned.logNorm[0] = b.logNorm[1];
      turned.expFactors[0] = b.expFactors[0] + b.expFactors[1];
      turned.degree[1] = turned.logTerms[1] = 0;
      turned.logNorm[1] = turned.expFactors[1] = 0;
      turned.denominator = 0;
      turned.denominatorVaries = 0;
      return mul(plain(a), turned);
    }
    Value inverse = b;
    std::swap(inverse.degree[0], inverse.degree[1]);
    std::swap(inverse.logTerms[0], inverse.logTerms[1]);
    std::swap(inverse.logMono[0], inverse.logMono[1]);
    inverse.fresh = 0;
    std::swap(inverse.logNorm[0], inverse.logNorm[1]);
    std::swap(inverse.expFactors[0], inverse.expFactors[1]);
    inverse.rootOf = inverse.squared = nullptr;
    inverse.denominator = mix(divisorKey ? divisorKey : ++fresh, b.denominator);
    inverse.denominatorVaries = b.constant ? 0 : b.varies;
    Value r = mul(plain(a), inverse);
    if (b.rootOf) {
      Value top = mul(plain(a), plain(a));
      r.squared = std::make_shared<Value>(div(top, plain(*b.rootOf)));
    }
    return r;
  }

  Value keyed(const Value &a, double calls = 1) {
    for (int i : {0, 1}) {
      Value &w = program.argument;
      w.degree[i] = std::max(w.degree[i], a.degree[i]);
      w.logTerms[i] = std::max(w.logTerms[i], a.logTerms[i]);
      w.logMono[i] = std::max(w.logMono[i], a.logMono[i]);
      w.logNorm[i] = std::max(w.logNorm[i], a.logNorm[i]);
      w.expFactors[i] = std::max(w.expFactors[i], a.expFactors[i]);
      w.hasExp |= a.hasExp;
    }
    Value r;
    r.degree[0] = 1;
    r.calls = a.calls;
    r.calls.add(a.varies, calls);
    r.varies = a.varies;
    return r;
  }

  Value exp(const Value &a) {
    if (!mode.withExp)
      return keyed(a);
    // A nested exp is a random function; count it as both.
    Value r = a.hasExp ? keyed(a) : Value();
    program.exponentDegree[0] =
        std::max(program.exponentDegree[0], a.degree[0]);
    program.exponentDegree[1] =
        std::max(program.exponentDegree[1], a.degree[1]);
    r.hasExp = true;
    r.expFactors[0] = a.degree[1] > 0;
    r.calls = a.calls;
    r.calls.add(a.varies, a.hasExp);
    r.varies = a.varies;
    return r;
  }
  Value log(const Value &a) { return keyed(a); }
  Value sqrt(const Value &a) {
    // sqrt(x^2) = |x| calls on x and -x.
    Value r = keyed(a, 2);
    r.rootOf = std::make_shared<Value>(plain(a));
    return r;
  }
  Value sigmoid(const Value &a) {
    Value one = literal(1.0);
    if (mode.sigmoidThroughExp)
      return div(one, add(one, exp(plain(a))));
    Value x = plain(a);
    return add(literal(0.5), mul(x, keyed(mul(x, x))));
  }
  Value erf(const Value &a) {
    Value x = plain(a);
    return mul(x, keyed(mul(x, x)));
  }
  Value max(const Value &a, const Value &b) {
    Value r = keyed(worst(a, b), 0);
    r.calls = a.calls;
    r.calls.add(b.calls);
    r.varies = a.varies | b.varies;
    r.calls.add(r.varies, 2);
    // A set of one element is that element.
    return worst(worst(r, plain(a)), plain(b));
  }
  Value min(const Value &a, const Value &b) { return max(a, b); }
  Value abs(const Value &a) { return max(a, a); }
  Value clamp(const Value &a, double, double) { return keyed(a); }
  Value pow(const Value &a, const Value &b) {
    if (b.constant && std::abs(*b.constant) <= 64) {
      double c = *b.constant;
      Value r = literal(1.0);
      for (int i = 0; i < std::floor(std::abs(c)); ++i)
        r = mul(r, plain(a));
      if (c != std::floor(c))
        r = mul(r, sqrt(a));
      if (c < 0)
        r = div(literal(1.0), r);
      return 2 * c == std::floor(2 * c) ? r : worst(r, keyed(a));
    }
    Value r = keyed(worst(a, b));
    r.calls = a.calls;
    r.calls.add(b.calls);
    r.varies = a.varies | b.varies;
    r.calls.add(r.varies, 1);
    return r;
  }
  Value compare(Predicate, const Value &a, const Value &b) {
    Value r = keyed(worst(a, b));
    r.calls = a.calls;
    r.calls.add(b.calls);
    r.varies = a.varies | b.varies;
    r.calls.add(r.varies, 1);
    return add(literal(1.0), r);
  }
  Value select(const Value &c, const Value &a, const Value &b) {
    return add(b, mul(c, sub(a, b)));
  }
  Value cast(const Value &a, DType) { return a; }

  Value literal(double v) { return constant(ConstantValue::makeLiteral(v)); }
  Value constant(const ConstantValue &value) {
    Value r;
    r.constant = value.toDouble();
    double n = std::max<double>(1, value.extent);
    switch (value.kind) {
    case ConstantValue::Kind::Literal: {
      if (value.literal == 0 || !std::isfinite(value.literal))
        break;
      int exponent = 0;
      double m = std::frexp(value.literal, &exponent);
      // The odd integer and the power of two of the dyadic rational.
      while (m != std::floor(m)) {
        m *= 2;
        --exponent;
      }
      r.logNorm[0] = std::log2(std::abs(m)) + std::max(exponent, 0);
      r.logNorm[1] = std::max(-exponent, 0);
      break;
    }
    case ConstantValue::Kind::Extent:
      r.logNorm[0] = std::log2(n);
      break;
    case ConstantValue::Kind::InvExtent:
      r.logNorm[1] = std::log2(n);
      break;
    case ConstantValue::Kind::RsqrtExtent:
      r.degree[0] = 1; // a symbol, or 1 / root
      r.logNorm[1] = std::log2(n);
      break;
    case ConstantValue::Kind::NegInf:
      break;
    }
    return r;
  }

  /// The sum of `count` values that differ in what `bits` of `varies` say.
  Value sum(const Value &a, double count, unsigned bits) {
    Value r = plain(a);
    double log = log2Of(count);
    bool apart = (bits & ~a.fresh) == 0;
    r.fresh &= ~bits;
    if (a.denominatorVaries & bits) {
      r.fresh = 0; // each summand is multiplied by the other denominators
      r.degree[0] += (count - 1) * a.degree[1];
      r.expFactors[0] += (count - 1) * a.expFactors[1];
      r.logTerms[0] += (count - 1) * a.logTerms[1];
      r.logNorm[0] += (count - 1) * a.logNorm[1];
      r.degree[1] *= count;
      r.expFactors[1] *= count;
      r.logTerms[1] *= count;
      r.logNorm[1] *= count;
      r.denominator = mix(a.denominator, ++fresh);
    }
    if (a.hasExp)
      r.logTerms[0] += log;
    if (a.denominatorVaries & bits) {
      r.logMono[0] = r.logTerms[0];
      r.logMono[1] = r.logTerms[1];
    } else if (a.hasExp && !apart) {
      r.logMono[0] += log;
    }
    r.logNorm[0] += log;
    // A call on what the sum does not run over is one call.
    r.calls = a.calls.over(bits, count);
    r.varies &= ~bits;
    r.denominatorVaries &= ~bits;
    return r;
  }

  /// The maximum of `count` such values.
  Value maximum(const Value &a, double count, unsigned bits) {
    Value r = worst(keyed(a, 0), plain(a));
    r.calls = a.calls.over(bits, count);
    r.varies = a.varies & ~bits;
    r.calls.add(r.varies, count);
    r.denominatorVaries = a.denominatorVaries & ~bits;
    r.fresh = 0;
    return r;
  }

  /// The elementwise maximum: a bound for whichever of the two it is.
  static Value worst(const Value &a, const Value &b) {
    Value r = plain(a);
    for (int i : {0, 1}) {
      r.degree[i] = std::max(a.degree[i], b.degree[i]);
      r.logTerms[i] = std::max(a.logTerms[i], b.logTerms[i]);
      r.logMono[i] = std::max(a.logMono[i], b.logMono[i]);
      r.logNorm[i] = std::max(a.logNorm[i], b.logNorm[i]);
      r.expFactors[i] = std::max(a.expFactors[i], b.expFactors[i]);
    }
    r.hasExp |= b.hasExp;
    r.fresh &= b.fresh;
    for (auto [varies, count] : b.calls.byVaries) {
      double &most = r.calls.byVaries[varies];
      most = std::max(most, count);
    }
    r.varies |= b.varies;
    r.denominatorVaries |= b.denominatorVaries;
    r.denominator = a.denominator == b.denominator
                        ? a.denominator
                        : mix(a.denominator, b.denominator + 1);
    r.constant.reset();
    return r;
  }

  /// Without what only the exact same value may use.
  static Value plain(const Value &a) {
    Value r = a;
    r.rootOf = r.squared = nullptr;
    return r;
  }

  /// logMono of a product of numerators (0) or denominators (1). A monomial of
  /// a product may split in many ways, unless one factor has none but 1: then
  /// all of that factor's exponents meet those of one monomial.
  static double monoOfProduct(const Value &a, int i, const Value &b, int j) {
    double most = a.logTerms[i] + b.logTerms[j];
    if (b.degree[j] == 0)
      most = std::min(most, a.logMono[i] + b.logTerms[j]);
    if (a.degree[i] == 0)
      most = std::min(most, b.logMono[j] + a.logTerms[i]);
    return most;
  }

  static uint64_t product(uint64_t a, uint64_t b) {
    return a == 0 ? b : b == 0 ? a : mix(a, b);
  }

private:
  static Value merge(const Value &a, const Value &b) {
    Value r;
    r.hasExp = a.hasExp || b.hasExp;
    r.calls = a.calls;
    r.calls.add(b.calls);
    r.varies = a.varies | b.varies;
    r.denominatorVaries = a.denominatorVaries | b.denominatorVaries;
    return r;
  }

  Interpretation mode;
  ProgramNumbers &program;
  uint64_t fresh = uint64_t(1) << 62;
};

} // namespace mirage::verify

#endif // MIRAGE_LIB_VERIFY_NUMBERSDOMAIN_H
