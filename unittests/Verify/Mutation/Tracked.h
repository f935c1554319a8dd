//===- Tracked.h - Double-double with a bound on its error ------*- C++ -*-===//
//
// A value v and a bound e: the exact result lies within e of v. That double and
// double-double agree is no proof of digits: x + silu(-x) at x = -200 is zero
// in both, and 200 exp(-200) in truth. So every operation adds what it rounds
// to what its operands bring along:
//
//   a + b    ea + eb                    sqrt a   width of sqrt over the
//   interval a * b    |a| eb + |b| ea + ea eb    exp a    exp(a) (exp(ea) - 1)
//   a / b    (ea + |a/b| eb) / (|b| - eb)        max   that of the larger one
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_UNITTESTS_VERIFY_MUTATION_TRACKED_H
#define MIRAGE_UNITTESTS_VERIFY_MUTATION_TRACKED_H

#include "DoubleDouble.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace mirage::verify::mutation {

/// Relative error of one operation, and of one function: a few bits more than
/// DoubleDouble.h promises.
constexpr double kRound = 0x1p-100, kFunction = 0x1p-94;
/// Below this a product is only known to be small.
constexpr double kTiny = 0x1p-800;

struct Tracked {
  DoubleDouble v;
  double e = 0;

  Tracked() = default;
  Tracked(double exact) : v(exact) {}
  Tracked(const DoubleDouble &v, double e) : v(v), e(e) {}
  explicit operator double() const { return v.hi; }

  double size() const { return std::abs(v.hi); }
  bool isExactZero() const { return v.hi == 0 && e == 0; }
  Tracked operator-() const { return {-v, e}; }
};

inline Tracked unknown() {
  return Tracked(std::numeric_limits<double>::quiet_NaN());
}
/// A value with what rounding adds; one whose error is not finite is unknown.
inline Tracked rounded(const DoubleDouble &v, double e,
                       double relative = kRound) {
  // Errors are themselves computed with rounding, hence the factor.
  double total = e * (1 + 0x1p-40) + std::abs(v.hi) * relative;
  return std::isfinite(total) ? Tracked(v, total) : unknown();
}

inline Tracked operator+(const Tracked &a, const Tracked &b) {
  // Adding an exact zero rounds nothing.
  if (a.isExactZero() || b.isExactZero())
    return a.isExactZero() ? b : a;
  return rounded(a.v + b.v, a.e + b.e);
}
inline Tracked operator-(const Tracked &a, const Tracked &b) { return a + -b; }
inline Tracked operator*(const Tracked &a, const Tracked &b) {
  if (a.isExactZero() || b.isExactZero())
    return a.isExactZero() ? a : b;
  DoubleDouble v = a.v * b.v;
  double e = a.size() * b.e + b.size() * a.e + a.e * b.e;
  return rounded(v, e + (std::abs(v.hi) < kTiny ? kTiny : 0));
}
inline Tracked operator/(const Tracked &a, const Tracked &b) {
  if (!(b.size() > 2 * b.e) || b.size() < kTiny)
    return unknown();
  if (a.isExactZero())
    return a;
  DoubleDouble v = a.v / b.v;
  double e = (a.e + std::abs(v.hi) * b.e) / (b.size() - b.e);
  return rounded(v, e + (std::abs(v.hi) < kTiny ? kTiny : 0));
}

namespace fn {
inline Tracked abs(const Tracked &a) { return {mirage::verify::abs(a.v), a.e}; }
inline Tracked sqrt(const Tracked &a) {
  if (!(a.v.hi >= 0))
    return unknown();
  double low = std::max(a.v.hi - a.e, 0.0), high = a.v.hi + a.e;
  // sqrt(high) - sqrt(low) without cancellation, on either side of v.
  double e = a.e == 0 ? 0 : 2 * a.e / (std::sqrt(low) + std::sqrt(high));
  return rounded(mirage::verify::sqrt(a.v), e, kFunction);
}
inline Tracked exp(const Tracked &a) {
  if (!(a.v.hi < 500) || !(a.e < 1))
    return unknown();
  if (a.v.hi < -500)
    return {DoubleDouble(0.0), 0x1p-700};
  DoubleDouble v = mirage::verify::exp(a.v);
  // Reducing the argument rounds by its own size.
  return rounded(v, v.hi * 2 * (a.e + a.size() * kRound), kFunction);
}
inline Tracked log(const Tracked &a) {
  if (!(a.v.hi > 2 * a.e) || a.v.hi < kTiny)
    return unknown();
  return rounded(mirage::verify::log(a.v), a.e / (a.v.hi - a.e) + kFunction,
                 kFunction);
}
inline Tracked erf(const Tracked &a) {
  return rounded(mirage::verify::erf(a.v), 1.13 * a.e, kFunction);
}
inline Tracked pow(const Tracked &a, const Tracked &b) {
  // Only what the programs use: positive bases.
  if (!(a.v.hi > 0))
    return unknown();
  return exp(b * log(a));
}
/// Whether a < b is open.
inline bool open(const Tracked &a, const Tracked &b) {
  return std::abs((a.v - b.v).hi) <= a.e + b.e && a.e + b.e > 0;
}
inline bool open(double, double) { return false; }
inline Tracked larger(const Tracked &a, const Tracked &b) {
  Tracked result = a.v < b.v ? b : a;
  if (open(a, b))
    result.e = std::max(a.e, b.e) + std::abs((a.v - b.v).hi);
  return result;
}
inline double larger(double a, double b) { return a < b ? b : a; }

inline double abs(double x) { return std::abs(x); }
inline double sqrt(double x) { return std::sqrt(x); }
inline double exp(double x) { return x < -500 ? 0 : std::exp(x); }
inline double log(double x) { return std::log(x); }
inline double erf(double x) { return std::erf(x); }
inline double pow(double x, double y) { return std::pow(x, y); }
} // namespace fn

inline bool operator<(const Tracked &a, const Tracked &b) { return a.v < b.v; }
inline bool operator==(const Tracked &a, const Tracked &b) {
  return a.v == b.v;
}

} // namespace mirage::verify::mutation

#endif // MIRAGE_UNITTESTS_VERIFY_MUTATION_TRACKED_H
