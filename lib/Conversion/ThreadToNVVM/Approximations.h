//===- Approximations.h - Functions from the hardware's few -----*- C++ -*-===//
//
// What a GPU computes in one instruction is 2^x, log2 x and a quotient; the
// other functions are made of these. The plain formulas cancel somewhere:
//
//   tanh x = 2 sigmoid(2x) - 1      near 0
//   erf x = 1 - erfc x              near 0
//   gelu x = x/2 (1 + erf)          where x is far below 0
//   log x = ln 2 log2 x             near 1: the instruction's error there is
//                                   2^-22 of 1, not of the result
//
// so each function has a polynomial where its formula cancels. tanh, erf, gelu
// and log keep their relative error under 2^-19 wherever the result is a normal
// f32, with every instruction as inexact as PTX ISA 9.7.3 lets it be. exp, and
// sigmoid far below 0, lose |x| 2^-24 by rounding the argument.
//
// The formulas stand once, over an abstract arithmetic `A`: the lowering passes
// one that emits instructions, the unit test one that computes on the host. `A`
// supplies `A::Value` (f32), `A::Condition` and
//
//   constant(double)  add sub mul div (x, y)  fma(x, y, z)  neg(x)  abs(x)
//   min(x, y)  copysign(magnitude, sign)  exp2(x)  log2(x)
//   less(x, y) -> Condition            select(Condition, x, y)
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_CONVERSION_THREADTONVVM_APPROXIMATIONS_H
#define MIRAGE_CONVERSION_THREADTONVVM_APPROXIMATIONS_H

#include <initializer_list>

namespace mirage::thread {

constexpr double kLog2E = 1.4426950408889634;
constexpr double kLn2 = 0.6931471805599453;

template <class A> class Approximations {
  using Value = typename A::Value;

public:
  explicit Approximations(A &arithmetic) : a(arithmetic) {}

  Value exp(Value x) { return a.exp2(a.mul(x, c(kLog2E))); }

  Value sigmoid(Value x) { return a.div(c(1.0), a.add(c(1.0), exp(a.neg(x)))); }

  /// Near 1, with s = (x - 1) / (x + 1), log x = 2 atanh s; x - 1 is exact
  /// there.
  Value log2(Value x) {
    Value offset = a.sub(x, c(1.0));
    Value s = a.div(offset, a.add(x, c(1.0)));
    Value series = horner(a.mul(s, s), {1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3});
    // s + s^3 / 3 + ..., times 2 / ln 2.
    Value odd = a.fma(a.mul(a.mul(s, s), series), s, s);
    return a.select(a.less(a.abs(offset), c(0.3)), a.mul(odd, c(2 * kLog2E)),
                    a.log2(x));
  }
  Value log(Value x) { return a.mul(log2(x), c(kLn2)); }

  /// x (1 + x^2 Q(x^2)) below 0.55 (minimax, 1e-9), 1 - 2 / (1 + e^2|x|) above.
  Value tanh(Value x) {
    Value magnitude = a.abs(x);
    Value square = a.mul(x, x);
    Value q = horner(square, {-0.00628247291, 0.0210777581, -0.0538538579,
                              0.133326017, -0.33333318});
    // As a product, which keeps the sign of a zero.
    Value small = a.mul(x, a.fma(square, q, c(1.0)));
    Value e = exp(a.add(magnitude, magnitude));
    Value large = a.sub(c(1.0), a.div(c(2.0), a.add(c(1.0), e)));
    return a.select(a.less(magnitude, c(0.55)), small, a.copysign(large, x));
  }

  Value erf(Value x) {
    // Past the bound the tail is 0; infinities would make inf - inf of it.
    Value magnitude = a.min(a.abs(x), c(kErfcBound));
    Value square = a.mul(magnitude, magnitude);
    Value rest = a.fma(magnitude, magnitude, a.neg(square));
    Value tail = erfc(magnitude, square, rest);
    Value large = a.copysign(a.sub(c(1.0), tail), x);
    return a.select(a.less(magnitude, c(0.5)), erfNearZero(x), large);
  }

  /// x Phi(x), Phi(x) = erfc(-x / sqrt 2) / 2.
  Value geluErf(Value x) {
    Value magnitude = a.min(a.abs(x), c(kErfcBound / kInvSqrt2));
    Value z = a.mul(magnitude, c(kInvSqrt2));
    // z^2 = x^2 / 2 from x itself: the rounding of z would count 2 z^2 times.
    Value product = a.mul(magnitude, magnitude);
    Value rest = a.fma(magnitude, magnitude, a.neg(product));
    Value half =
        a.mul(erfc(z, a.mul(product, c(0.5)), a.mul(rest, c(0.5))), c(0.5));
    Value phi = a.select(a.less(x, c(0.0)), half, a.sub(c(1.0), half));
    Value signedZ = a.mul(x, c(kInvSqrt2));
    Value nearZero = a.fma(erfNearZero(signedZ), c(0.5), c(0.5));
    return a.mul(x, a.select(a.less(z, c(0.5)), nearZero, phi));
  }

private:
  static constexpr double kInvSqrt2 = 0.70710678118654752440;
  /// erfc is below the smallest f32 from here on.
  static constexpr double kErfcBound = 10.5;

  Value c(double value) { return a.constant(value); }

  /// Coefficients from the highest degree down.
  Value horner(Value x, std::initializer_list<double> coefficients) {
    auto it = coefficients.begin();
    Value total = c(*it++);
    for (; it != coefficients.end(); ++it)
      total = a.fma(total, x, c(*it));
    return total;
  }

  /// |x| < 0.5; minimax for the relative error, 1.4e-9.
  Value erfNearZero(Value x) {
    return a.mul(x,
                 horner(a.mul(x, x), {0.00471799007, -0.0267571843, 0.112828228,
                                      -0.376126086, 1.12837917}));
  }

  /// erfc z for z in [0.5, kErfcBound], with z^2 = square + rest. With
  /// t = 1 / (1 + 0.4 z), erfc z e^(z^2) is t times a polynomial in t (minimax
  /// for the relative error, 4e-9).
  Value erfc(Value z, Value square, Value rest) {
    Value t = a.div(c(1.0), a.fma(z, c(0.4), c(1.0)));
    Value series = horner(t, {0.0603978687, -0.221421754, 0.229911809,
                              -0.0573165563, 0.167073998, 0.161026548,
                              0.209099653, 0.225561051, 0.225679544});
    // The exponent reaches 159, and an error in it counts whole: what the two
    // products lose comes back as a factor near 1.
    Value exponent = a.mul(square, c(kLog2E));
    Value lost = a.fma(square, c(kLog2E), a.neg(exponent));
    lost = a.fma(square, c(kLog2E - float(kLog2E)), lost);
    lost = a.fma(rest, c(kLog2E), lost);
    Value correction = a.fma(lost, c(-kLn2), c(1.0));
    Value gauss = a.mul(a.exp2(a.neg(exponent)), correction);
    return a.mul(a.mul(t, series), gauss);
  }

  A &a;
};

} // namespace mirage::thread

#endif // MIRAGE_CONVERSION_THREADTONVVM_APPROXIMATIONS_H
