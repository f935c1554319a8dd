//===- DoubleDouble.cpp - Numbers of twice double's precision -------------===//

#include "DoubleDouble.h"
#include <cmath>

#if defined(__x86_64__)
#include <immintrin.h>
#define MIRAGE_X86 1
#else
#define MIRAGE_X86 0
#endif

// Error-free transformations rely on each operation being rounded on its own.
#pragma STDC FP_CONTRACT OFF

using namespace mirage::verify;

/// a + b as a rounded sum and its error.
static DoubleDouble twoSum(double a, double b) {
  double s = a + b, t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}

/// The same where |a| >= |b|.
static DoubleDouble quickTwoSum(double a, double b) {
  double s = a + b;
  return {s, b - (s - a)};
}

/// a * b as a rounded product and its error, by Dekker's halves.
static DoubleDouble twoProduct(double a, double b) {
  constexpr double kSplit = 134217729.0; // 2^27 + 1
  double p = a * b;
  double ta = kSplit * a, tb = kSplit * b;
  double ah = ta - (ta - a), al = a - ah;
  double bh = tb - (tb - b), bl = b - bh;
  return {p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

/// Infinities and NaN have no error term.
static DoubleDouble finish(double hi, double lo) {
  if (!std::isfinite(hi))
    return {hi, 0};
  return quickTwoSum(hi, lo);
}

DoubleDouble mirage::verify::operator+(const DoubleDouble &a,
                                       const DoubleDouble &b) {
  DoubleDouble s = twoSum(a.hi, b.hi), t = twoSum(a.lo, b.lo);
  if (!std::isfinite(s.hi))
    return {s.hi, 0};
  s = quickTwoSum(s.hi, s.lo + t.hi);
  return finish(s.hi, s.lo + t.lo);
}

DoubleDouble mirage::verify::operator-(const DoubleDouble &a,
                                       const DoubleDouble &b) {
  return a + -b;
}

DoubleDouble mirage::verify::operator*(const DoubleDouble &a,
                                       const DoubleDouble &b) {
  DoubleDouble p = twoProduct(a.hi, b.hi);
  return finish(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

DoubleDouble mirage::verify::operator/(const DoubleDouble &a,
                                       const DoubleDouble &b) {
  double q1 = a.hi / b.hi;
  if (!std::isfinite(q1))
    return {q1, 0};
  DoubleDouble r = a - b * DoubleDouble(q1);
  double q2 = r.hi / b.hi;
  r = r - b * DoubleDouble(q2);
  double q3 = r.hi / b.hi;
  DoubleDouble q = quickTwoSum(q1, q2);
  return q + DoubleDouble(q3);
}

DoubleDouble mirage::verify::abs(const DoubleDouble &a) {
  return a.hi < 0 ? -a : a;
}

DoubleDouble mirage::verify::sqrt(const DoubleDouble &a) {
  double root = std::sqrt(a.hi);
  if (!(root > 0) || !std::isfinite(root))
    return root;
  // One step of Newton from a root right to 53 bits.
  DoubleDouble r(root);
  return (r + a / r) * DoubleDouble(0.5);
}

DoubleDouble mirage::verify::exp(const DoubleDouble &a) {
  double estimate = std::exp(a.hi);
  if (!std::isfinite(estimate) || estimate == 0 || std::isnan(a.hi))
    return estimate;
  // exp(a) = 2^k exp(r / 2^8)^(2^8) with |r| <= ln 2 / 2.
  const DoubleDouble ln2(0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56);
  double k = std::nearbyint(a.hi / ln2.hi);
  DoubleDouble r = (a - DoubleDouble(k) * ln2) * DoubleDouble(0x1p-8);
  // exp(r) - 1, which squaring keeps exact near 0: (1 + s)^2 - 1 = 2 s + s^2.
  DoubleDouble s, term(1.0);
  for (int i = 1; i <= 12; ++i) {
    term = term * r / DoubleDouble(i);
    s = s + term;
  }
  for (int i = 0; i < 8; ++i)
    s = s * DoubleDouble(2.0) + s * s;
  DoubleDouble result = s + DoubleDouble(1.0);
  int exponent = static_cast<int>(k);
  return {std::ldexp(result.hi, exponent), std::ldexp(result.lo, exponent)};
}

DoubleDouble mirage::verify::log(const DoubleDouble &a) {
  double estimate = std::log(a.hi);
  if (!std::isfinite(estimate))
    return estimate;
  // Newton on exp(y) = a.
  DoubleDouble y(estimate);
  return y + (a * exp(-y) - DoubleDouble(1.0));
}

DoubleDouble mirage::verify::erf(const DoubleDouble &a) {
  double x = std::abs(a.hi);
  // Beyond 6 erfc is below 2^-55 of nothing that the probe could see.
  if (!(x < 6))
    return std::erf(a.hi);
  // erf x = 2 / sqrt(pi) exp(-x^2) sum_n 2^n x^(2n+1) / (2n+1)!!: positive
  // terms, so nothing cancels.
  DoubleDouble square = a * a, term = a, sum = a;
  for (int n = 1; n < 200 && std::abs(term.hi) > 0x1p-110 * std::abs(sum.hi);
       ++n) {
    term = term * square * DoubleDouble(2.0) / DoubleDouble(2.0 * n + 1);
    sum = sum + term;
  }
  const DoubleDouble twoOverRootPi(0x1.20dd750429b6dp+0, 0x1.1ae3a914fed80p-56);
  return twoOverRootPi * exp(-square) * sum;
}

DoubleDouble mirage::verify::pow(const DoubleDouble &a, const DoubleDouble &b) {
  double estimate = std::pow(a.hi, b.hi);
  if (!std::isfinite(estimate) || a.hi == 0)
    return estimate;
  if (b.lo == 0 && b.hi == std::floor(b.hi) && std::abs(b.hi) <= 64) {
    DoubleDouble power(1.0);
    for (int i = 0; i < std::abs(b.hi); ++i)
      power = power * a;
    return b.hi < 0 ? DoubleDouble(1.0) / power : power;
  }
  return exp(b * log(a));
}

#if MIRAGE_X86
/// Four columns at a time; sums keep their errors in a second vector.
__attribute__((target("avx2,fma"))) static void
accumulateAvx2(const DoubleDouble *a, int64_t lda, const DoubleDouble *b,
               int64_t ldb, DoubleDouble *out, int64_t ldc, int64_t rows,
               int64_t terms, int64_t cols) {
  for (int64_t t = 0; t < terms; ++t)
    for (int64_t j = 0; j < cols; j += 4) {
      const double *from = &b[t * ldb + j].hi;
      __m256d x = _mm256_loadu_pd(from), y = _mm256_loadu_pd(from + 4);
      __m256d bh = _mm256_unpacklo_pd(x, y), bl = _mm256_unpackhi_pd(x, y);
      for (int64_t r = 0; r < rows; ++r) {
        const DoubleDouble &left = a[r * lda + t];
        __m256d ah = _mm256_set1_pd(left.hi), al = _mm256_set1_pd(left.lo);
        __m256d p = _mm256_mul_pd(ah, bh);
        __m256d e = _mm256_fmsub_pd(ah, bh, p);
        e = _mm256_fmadd_pd(ah, bl, e);
        e = _mm256_fmadd_pd(al, bh, e);
        double *to = &out[r * ldc + j].hi;
        x = _mm256_loadu_pd(to);
        y = _mm256_loadu_pd(to + 4);
        __m256d sh = _mm256_unpacklo_pd(x, y), sl = _mm256_unpackhi_pd(x, y);
        __m256d s = _mm256_add_pd(sh, p), u = _mm256_sub_pd(s, sh);
        __m256d err = _mm256_add_pd(_mm256_sub_pd(sh, _mm256_sub_pd(s, u)),
                                    _mm256_sub_pd(p, u));
        sl = _mm256_add_pd(sl, _mm256_add_pd(err, e));
        _mm256_storeu_pd(to, _mm256_unpacklo_pd(s, sl));
        _mm256_storeu_pd(to + 4, _mm256_unpackhi_pd(s, sl));
      }
    }
}
#endif

void mirage::verify::accumulateProduct(const DoubleDouble *a, int64_t lda,
                                       const DoubleDouble *b, int64_t ldb,
                                       DoubleDouble *out, int64_t ldc,
                                       int64_t rows, int64_t terms,
                                       int64_t cols) {
  int64_t done = 0;
#if MIRAGE_X86
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    done = cols / 4 * 4;
    accumulateAvx2(a, lda, b, ldb, out, ldc, rows, terms, done);
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t j = 0; j < done; ++j) {
        DoubleDouble &v = out[r * ldc + j];
        v = finish(v.hi, v.lo);
      }
  }
#endif
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t t = 0; t < terms; ++t)
      for (int64_t j = done; j < cols; ++j)
        out[r * ldc + j] = out[r * ldc + j] + a[r * lda + t] * b[t * ldb + j];
}

void mirage::verify::accumulateProduct(const double *a, int64_t lda,
                                       const double *b, int64_t ldb,
                                       double *out, int64_t ldc, int64_t rows,
                                       int64_t terms, int64_t cols) {
  for (int64_t t = 0; t < terms; ++t)
    for (int64_t r = 0; r < rows; ++r) {
      double left = a[r * lda + t];
      double *row = out + r * ldc;
      const double *right = b + t * ldb;
      for (int64_t j = 0; j < cols; ++j)
        row[j] += left * right[j];
    }
}
