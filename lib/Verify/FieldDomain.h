//===- FieldDomain.h - Tiles over Z_p x Z_q ---------------------*- C++ -*-===//
//
// The free interpretation. A value is a pair over Z_p x Z_q with q | p - 1;
// exp maps the q component into Z_p* by a random omega of order q. Functions
// without a field law are random functions of the p component, and a tree of
// maxima is the set of its operands.
//
// Laws beyond the table of Semantics/Evaluate.h, each an identity of the real
// functions wherever both sides are defined:
//
//   L2  sqrt a * sqrt a = a;  sqrt(x^2) = |x|;  (a / sqrt b)^2 = a^2 / b
//   L4  sigmoid x = 1/2 + x S(x^2), or 1 / (1 + exp(-x));  erf x = x E(x^2)
//   L6  |x| = max(x, -x);  min(a, b) = -max(-a, -b);
//       min(max(x, lo), hi) = max(min(x, hi), lo) = clamp(x, lo, hi)
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_FIELDDOMAIN_H
#define MIRAGE_LIB_VERIFY_FIELDDOMAIN_H

#include "Analysis.h"
#include "TileDomain.h"

namespace mirage::verify {

/// What one attempt of one test fixes for both programs.
struct FieldContext {
  PrimeField fp, fq;
  Interpretation mode;
  Key inputKey = {}, hashKey = {};
  unsigned threads = 1;
  /// powers[i][j] = omega^(j * 2^(10 i)).
  std::array<std::vector<uint64_t>, 4> powers;

  FieldContext(const FieldDraw &draw, const Interpretation &mode, Key inputKey,
               Key hashKey, unsigned threads);

  /// omega^exponent for a q component.
  uint64_t expOf(uint64_t qRep) const;
  /// Uniform values of input `tensor`, the same for every program.
  TileRef input(unsigned tensor, const Shape &shape, uint8_t components) const;
};

class FieldDomain final : public TileDomain {
public:
  FieldDomain(const FieldContext &context, const Analysis &facts,
              FailureLog &log)
      : cx(context), facts(facts), failures(log) {}

#include "TileDomainOverrides.inc"

private:
  enum class Function : uint64_t;

  template <class PFn, class QFn>
  std::shared_ptr<Tile> zip(const Value &a, const Value &b, PFn onP, QFn onQ);
  std::shared_ptr<Tile> keyed(Function function, const Value &a,
                              uint64_t attr0 = 0, uint64_t attr1 = 0);
  void hashInto(Tile &tile, size_t i, const Counter &counter) const;
  Value literal(double value) {
    return constant(ConstantValue::makeLiteral(value));
  }
  Value plainSquare(const Value &a);
  Value inverse(const Value &a);
  bool invert(const PrimeField &field, std::vector<uint64_t> &values) const;
  /// Reports minus infinity where an op has no rule for it.
  void requireFinite(const Value &a);
  Bag bagOf(const Tile &tile, size_t i) const;
  static void mergeBag(Bag &into, const Bag &from);
  void setFromBag(Tile &tile, size_t i, const Bag &bag);
  bool wants(uint8_t component) const { return want & component; }

  const FieldContext &cx;
  const Analysis &facts;
  FailureLog &failures;
  uint8_t want = kP | kQ;
  unsigned threads = 1;
  std::string opName = "program";
};

} // namespace mirage::verify

#endif // MIRAGE_LIB_VERIFY_FIELDDOMAIN_H
