//===- LimbMatmul.cpp - Exact products of matrices over a field -----------===//

#include "LimbMatmul.h"
#include "Parallel.h"
#include <algorithm>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#define MIRAGE_HAS_AVX2 1
#else
#define MIRAGE_HAS_AVX2 0
#endif

using namespace mirage::verify;

namespace {
constexpr int64_t kTerms = 256; ///< terms between reductions
constexpr int64_t kRows = 2;    ///< rows of a register tile
constexpr int64_t kCols = 4;    ///< columns of a register tile: one vector
constexpr uint64_t kLimbMask = (uint64_t(1) << 21) - 1;

double limb(uint64_t value, int index) {
  return static_cast<double>(
      static_cast<int64_t>((value >> (21 * index)) & kLimbMask));
}

/// Reduces the five sums of one element, each an integer below 2^53, to the
/// representative of the sum of products.
class Reducer {
public:
  explicit Reducer(const PrimeField &field) : field(field) {
    // 2^63 * R mod p, so that mul by it undoes one redc and shifts by 63.
    uint64_t two63 = field.fromInteger(uint64_t(1) << 62);
    shift63 = field.mul(field.fromInteger(field.toInteger(two63)),
                        field.fromInteger(2));
  }

  uint64_t operator()(const double *s) const {
    u128 low = u128(uint64_t(s[0])) + (u128(uint64_t(s[1])) << 21) +
               (u128(uint64_t(s[2])) << 42);
    u128 high = u128(uint64_t(s[3])) + (u128(uint64_t(s[4])) << 21);
    // redc divides by R; the product of two representatives wants exactly that.
    // Multiplying redc(high) by the representative of 2^63 keeps one division.
    return field.add(field.redc(low), field.mul(field.redc(high), shift63));
  }

private:
  const PrimeField &field;
  uint64_t shift63;
};

#if MIRAGE_HAS_AVX2
/// acc[row][s][col] = the five sums of a 2 x 4 tile over `terms` terms. `a`
/// holds [term][row][limb], `b` holds [term][limb][col].
__attribute__((target("avx2,fma"))) void
tileAvx2(const double *a, const double *b, int64_t terms, double *acc) {
  __m256d s[2][5];
  for (auto &row : s)
    for (__m256d &sum : row)
      sum = _mm256_setzero_pd();
  for (int64_t t = 0; t < terms; ++t, a += 6, b += 12) {
    __m256d b0 = _mm256_loadu_pd(b), b1 = _mm256_loadu_pd(b + 4),
            b2 = _mm256_loadu_pd(b + 8);
#pragma clang loop unroll(full)
    for (int r = 0; r < 2; ++r) {
      __m256d a0 = _mm256_broadcast_sd(a + 3 * r);
      s[r][0] = _mm256_fmadd_pd(a0, b0, s[r][0]);
      s[r][1] = _mm256_fmadd_pd(a0, b1, s[r][1]);
      s[r][2] = _mm256_fmadd_pd(a0, b2, s[r][2]);
      __m256d a1 = _mm256_broadcast_sd(a + 3 * r + 1);
      s[r][1] = _mm256_fmadd_pd(a1, b0, s[r][1]);
      s[r][2] = _mm256_fmadd_pd(a1, b1, s[r][2]);
      s[r][3] = _mm256_fmadd_pd(a1, b2, s[r][3]);
      __m256d a2 = _mm256_broadcast_sd(a + 3 * r + 2);
      s[r][2] = _mm256_fmadd_pd(a2, b0, s[r][2]);
      s[r][3] = _mm256_fmadd_pd(a2, b1, s[r][3]);
      s[r][4] = _mm256_fmadd_pd(a2, b2, s[r][4]);
    }
  }
  for (int r = 0; r < 2; ++r)
    for (int i = 0; i < 5; ++i)
      _mm256_storeu_pd(acc + (r * 5 + i) * 4, s[r][i]);
}

void multiplyAvx2(const PrimeField &field, MatrixRef a, MatrixRef b,
                  uint64_t *result, int64_t m, int64_t k, int64_t n,
                  unsigned threads) {
  Reducer reduce(field);
  int64_t rowTiles = (m + kRows - 1) / kRows;
  int64_t colTiles = (n + kCols - 1) / kCols;
  std::fill(result, result + m * n, 0);
  std::vector<double> packedA(rowTiles * kTerms * 6);
  for (int64_t k0 = 0; k0 < k; k0 += kTerms) {
    int64_t terms = std::min(kTerms, k - k0);
    for (int64_t i = 0; i < rowTiles * kRows; ++i)
      for (int64_t t = 0; t < terms; ++t) {
        uint64_t value =
            i < m ? a.data[i * a.rowStride + (k0 + t) * a.colStride] : 0;
        double *to = &packedA[((i / kRows) * kTerms + t) * 6 + i % kRows * 3];
        for (int l = 0; l < 3; ++l)
          to[l] = limb(value, l);
      }
    // A few column tiles a turn keep the hand-out of work cheap.
    constexpr int64_t kTurn = 16;
    parallelFor((colTiles + kTurn - 1) / kTurn, threads, [&](int64_t turn) {
      double packedB[kTerms * 12], acc[40];
      int64_t last = std::min(colTiles, (turn + 1) * kTurn);
      for (int64_t jt = turn * kTurn; jt < last; ++jt) {
        int64_t j0 = jt * kCols, cols = std::min(kCols, n - j0);
        for (int64_t t = 0; t < terms; ++t)
          for (int64_t j = 0; j < kCols; ++j) {
            uint64_t value =
                j < cols
                    ? b.data[(k0 + t) * b.rowStride + (j0 + j) * b.colStride]
                    : 0;
            for (int l = 0; l < 3; ++l)
              packedB[t * 12 + l * 4 + j] = limb(value, l);
          }
        for (int64_t it = 0; it < rowTiles; ++it) {
          tileAvx2(&packedA[it * kTerms * 6], packedB, terms, acc);
          int64_t rows = std::min(kRows, m - it * kRows);
          for (int64_t r = 0; r < rows; ++r)
            for (int64_t j = 0; j < cols; ++j) {
              double sums[5];
              for (int i = 0; i < 5; ++i)
                sums[i] = acc[(r * 5 + i) * 4 + j];
              uint64_t &out = result[(it * kRows + r) * n + j0 + j];
              out = field.add(out, reduce(sums));
            }
        }
      }
    });
  }
}
#endif
} // namespace

void mirage::verify::multiplyPortable(const PrimeField &field, MatrixRef a,
                                      MatrixRef b, uint64_t *result, int64_t m,
                                      int64_t k, int64_t n) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      uint64_t sum = 0;
      for (int64_t t = 0; t < k; ++t)
        sum = field.add(sum,
                        field.mul(a.data[i * a.rowStride + t * a.colStride],
                                  b.data[t * b.rowStride + j * b.colStride]));
      result[i * n + j] = sum;
    }
}

void mirage::verify::multiply(const PrimeField &field, MatrixRef a, MatrixRef b,
                              uint64_t *result, int64_t m, int64_t k, int64_t n,
                              unsigned threads) {
#if MIRAGE_HAS_AVX2
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      m * k * n >= 512)
    return multiplyAvx2(field, a, b, result, m, k, n, threads);
#endif
  multiplyPortable(field, a, b, result, m, k, n);
}
