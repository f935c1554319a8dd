//===- Evaluate.h - Elementwise meaning over any scalar domain --*- C++ -*-===//
//
// What each elementwise op computes, once, over an abstract scalar. A Domain D
// supplies `D::Value` and the primitives
//
//   add sub mul div neg (Value...)          the ring, and division
//   exp log sqrt sigmoid erf (Value)        functions
//   max min abs (Value...)                  order
//   clamp (Value, lo, hi)   pow (Value, Value)
//   constant (const ConstantValue &)
//   compare (Predicate, Value, Value)   select (Value, Value, Value)
//   cast (Value, DType to)
//
// and evalElementwise says how the other ops follow from them:
//
//   square x = x * x                     reciprocal x = 1 / x
//   rsqrt x = 1 / sqrt x                 silu x = x * sigmoid x
//   relu x = max(x, 0)                   tanh x = 2 sigmoid(2x) - 1
//   gelu_tanh x = x * sigmoid(2c (x + 0.044715 x^3)),  c = sqrt(2/pi)
//   gelu_erf x = x/2 * (1 + erf(x / sqrt 2))
//
// A domain for floats, for finite fields or for abstract expressions then
// gives the interpreter, the verifier or the search their meaning.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEMANTICS_EVALUATE_H
#define MIRAGE_SEMANTICS_EVALUATE_H

#include "Mirage/Semantics/Program.h"

namespace mirage::semantics {

constexpr double kSqrt2OverPi = 0.79788456080286535588;
constexpr double kGeluCubic = 0.044715;
constexpr double kInvSqrt2 = 0.70710678118654752440;

/// Value of one element of `kind` (Unary, Binary, Compare or Select). `toType`
/// is the result's element type, read by Cast only.
template <class D>
typename D::Value evalElementwise(D &d, OpKind kind, const Attrs &attrs,
                                  llvm::ArrayRef<typename D::Value> args,
                                  DType toType) {
  auto literal = [&](double v) {
    return d.constant(ConstantValue::makeLiteral(v));
  };
  const auto &x = args[0];
  switch (kind) {
  case OpKind::Exp:
    return d.exp(x);
  case OpKind::Log:
    return d.log(x);
  case OpKind::Silu:
    return d.mul(x, d.sigmoid(x));
  case OpKind::GeluTanh: {
    auto cubic = d.mul(literal(kGeluCubic), d.mul(x, d.mul(x, x)));
    return d.mul(x,
                 d.sigmoid(d.mul(literal(2 * kSqrt2OverPi), d.add(x, cubic))));
  }
  case OpKind::GeluErf:
    return d.mul(d.mul(literal(0.5), x),
                 d.add(literal(1.0), d.erf(d.mul(x, literal(kInvSqrt2)))));
  case OpKind::Relu:
    return d.max(x, literal(0.0));
  case OpKind::Sigmoid:
    return d.sigmoid(x);
  case OpKind::Tanh:
    return d.sub(d.mul(literal(2.0), d.sigmoid(d.mul(literal(2.0), x))),
                 literal(1.0));
  case OpKind::Erf:
    return d.erf(x);
  case OpKind::Sqrt:
    return d.sqrt(x);
  case OpKind::Rsqrt:
    return d.div(literal(1.0), d.sqrt(x));
  case OpKind::Square:
    return d.mul(x, x);
  case OpKind::Abs:
    return d.abs(x);
  case OpKind::Neg:
    return d.neg(x);
  case OpKind::Reciprocal:
    return d.div(literal(1.0), x);
  case OpKind::Clamp:
    return d.clamp(x, attrs.lo, attrs.hi);
  case OpKind::Cast:
    return d.cast(x, toType);
  case OpKind::Add:
    return d.add(x, args[1]);
  case OpKind::Sub:
    return d.sub(x, args[1]);
  case OpKind::Mul:
    return d.mul(x, args[1]);
  case OpKind::Div:
    return d.div(x, args[1]);
  case OpKind::Max:
    return d.max(x, args[1]);
  case OpKind::Min:
    return d.min(x, args[1]);
  case OpKind::Pow:
    return d.pow(x, args[1]);
  case OpKind::Compare:
    return d.compare(attrs.predicate, x, args[1]);
  case OpKind::Select:
    return d.select(x, args[1], args[2]);
  default:
    llvm_unreachable("not an elementwise kind; callers test opClass first");
  }
}

} // namespace mirage::semantics

#endif // MIRAGE_SEMANTICS_EVALUATE_H
