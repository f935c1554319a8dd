//===- DoubleDouble.h - Numbers of twice double's precision -----*- C++ -*-===//
//
// An unevaluated sum hi + lo of two doubles with |lo| <= ulp(hi) / 2: about 106
// bits. The probe uses it to tell a difference of two programs from rounding,
// so functions are good to some 100 bits, not to the last one.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_DOUBLEDOUBLE_H
#define MIRAGE_LIB_VERIFY_DOUBLEDOUBLE_H

#include <cstdint>

namespace mirage::verify {

struct DoubleDouble {
  double hi = 0, lo = 0;

  DoubleDouble() = default;
  DoubleDouble(double value) : hi(value) {}
  DoubleDouble(double hi, double lo) : hi(hi), lo(lo) {}
  explicit operator double() const { return hi; }

  DoubleDouble operator-() const { return {-hi, -lo}; }
  bool operator==(const DoubleDouble &o) const {
    return hi == o.hi && lo == o.lo;
  }
  bool operator!=(const DoubleDouble &o) const { return !(*this == o); }
  bool operator<(const DoubleDouble &o) const {
    return hi < o.hi || (hi == o.hi && lo < o.lo);
  }
  bool operator>(const DoubleDouble &o) const { return o < *this; }
  bool operator<=(const DoubleDouble &o) const {
    return *this < o || *this == o;
  }
  bool operator>=(const DoubleDouble &o) const { return o <= *this; }
};

DoubleDouble operator+(const DoubleDouble &a, const DoubleDouble &b);
DoubleDouble operator-(const DoubleDouble &a, const DoubleDouble &b);
DoubleDouble operator*(const DoubleDouble &a, const DoubleDouble &b);
DoubleDouble operator/(const DoubleDouble &a, const DoubleDouble &b);
DoubleDouble abs(const DoubleDouble &a);
DoubleDouble sqrt(const DoubleDouble &a);
DoubleDouble exp(const DoubleDouble &a);
DoubleDouble log(const DoubleDouble &a);
DoubleDouble erf(const DoubleDouble &a);
DoubleDouble pow(const DoubleDouble &a, const DoubleDouble &b);

/// out[r * ldc + j] += sum_t a[r * lda + t] * b[t * ldb + j] for r < rows,
/// t < terms, j < cols. Overloads for both precisions of the probe.
void accumulateProduct(const DoubleDouble *a, int64_t lda,
                       const DoubleDouble *b, int64_t ldb, DoubleDouble *out,
                       int64_t ldc, int64_t rows, int64_t terms, int64_t cols);
void accumulateProduct(const double *a, int64_t lda, const double *b,
                       int64_t ldb, double *out, int64_t ldc, int64_t rows,
                       int64_t terms, int64_t cols);

} // namespace mirage::verify

#endif // MIRAGE_LIB_VERIFY_DOUBLEDOUBLE_H
