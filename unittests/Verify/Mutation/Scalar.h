//===- Scalar.h - Real arithmetic that admits when it is lost ---*- C++ -*-===//
//
// A domain of Semantics/Evaluate.h for the ground truth, over double, which is
// quick, and Tracked, whose results can be relied on. What overflows or is
// undefined becomes NaN and stays NaN through order and selection. The one
// infinity is the token of masks and of running maxima: max(-inf, x) = x,
// -inf + x = -inf, c * -inf = -inf for c > 0, exp(-inf) = 0.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_UNITTESTS_VERIFY_MUTATION_SCALAR_H
#define MIRAGE_UNITTESTS_VERIFY_MUTATION_SCALAR_H

#include "Mirage/Semantics/Evaluate.h"
#include "Tracked.h"

namespace mirage::verify::mutation {

template <class T> struct Scalar {
  using Value = T;

  static double head(const T &x) { return static_cast<double>(x); }
  static bool isNan(const T &x) { return std::isnan(head(x)); }
  static bool isToken(const T &x) {
    return head(x) == -std::numeric_limits<double>::infinity();
  }
  static T nan() { return T(std::numeric_limits<double>::quiet_NaN()); }
  static T token() { return T(-std::numeric_limits<double>::infinity()); }
  static T kept(const T &x) { return std::isfinite(head(x)) ? x : nan(); }

  T add(const T &a, const T &b) const {
    if (isNan(a) || isNan(b))
      return nan();
    if (isToken(a) || isToken(b))
      return token();
    return kept(a + b);
  }
  T sub(const T &a, const T &b) const {
    return isToken(b) ? nan() : add(a, -b);
  }
  T mul(const T &a, const T &b) const {
    if ((isToken(a) && head(b) > 0) || (isToken(b) && head(a) > 0))
      return token();
    if (!std::isfinite(head(a)) || !std::isfinite(head(b)))
      return nan();
    return kept(a * b);
  }
  T div(const T &a, const T &b) const {
    if (!std::isfinite(head(a)) || !std::isfinite(head(b)) || head(b) == 0)
      return nan();
    return kept(a / b);
  }
  T neg(const T &a) const { return kept(-a); }

  T exp(const T &x) const { return isToken(x) ? T(0.0) : kept(fn::exp(x)); }
  T log(const T &x) const { return head(x) > 0 ? kept(fn::log(x)) : nan(); }
  T sqrt(const T &x) const { return head(x) >= 0 ? kept(fn::sqrt(x)) : nan(); }
  T sigmoid(const T &x) const {
    // Where exp(-x) would overflow, by the other form.
    if (head(x) < 0) {
      T e = exp(x);
      return div(e, add(T(1.0), e));
    }
    return div(T(1.0), add(T(1.0), exp(neg(x))));
  }
  T erf(const T &x) const { return kept(fn::erf(x)); }
  T pow(const T &a, const T &b) const { return kept(fn::pow(a, b)); }

  T max(const T &a, const T &b) const {
    if (isNan(a) || isNan(b))
      return nan();
    if (isToken(a) || isToken(b))
      return isToken(a) ? b : a;
    return fn::larger(a, b);
  }
  T min(const T &a, const T &b) const { return neg(max(neg(a), neg(b))); }
  T abs(const T &x) const { return kept(fn::abs(x)); }
  T clamp(const T &x, double lo, double hi) const {
    return min(max(x, T(lo)), T(hi));
  }

  T constant(const semantics::ConstantValue &value) const {
    using Kind = semantics::ConstantValue::Kind;
    T extent(static_cast<double>(value.extent));
    switch (value.kind) {
    case Kind::Literal:
      return T(value.literal);
    case Kind::Extent:
      return extent;
    case Kind::InvExtent:
      return T(1.0) / extent;
    case Kind::RsqrtExtent:
      return T(1.0) / fn::sqrt(extent);
    case Kind::NegInf:
      return token();
    }
    return nan();
  }

  T compare(semantics::Predicate predicate, const T &a, const T &b) const {
    using semantics::Predicate;
    if (isNan(a) || isNan(b) || fn::open(a, b))
      return nan();
    bool less = a < b, equal = a == b;
    switch (predicate) {
    case Predicate::Eq:
      return T(double(equal));
    case Predicate::Ne:
      return T(double(!equal));
    case Predicate::Lt:
      return T(double(less));
    case Predicate::Le:
      return T(double(less || equal));
    case Predicate::Gt:
      return T(double(!less && !equal));
    case Predicate::Ge:
      return T(double(!less));
    }
    return nan();
  }
  T select(const T &condition, const T &a, const T &b) const {
    return isNan(condition) ? nan() : (head(condition) == 0 ? b : a);
  }
  T cast(const T &x, semantics::DType to) const {
    return semantics::isFloat(to) ? x : nan();
  }
};

} // namespace mirage::verify::mutation

#endif // MIRAGE_UNITTESTS_VERIFY_MUTATION_SCALAR_H
