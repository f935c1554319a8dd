//===- LimbMatmul.cpp - Exact products of matrices over a field -----------===//

#include "LimbMatmul.h"
#include "Parallel.h"
#include <algorithm>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#define MIRAGE_X86 1
#else
#define MIRAGE_X86 0
#endif

using namespace mirage::verify;

namespace {
constexpr int64_t kTerms = 256; ///< terms between reductions
constexpr uint64_t kLimbMask = (uint64_t(1) << 21) - 1;

double limb(uint64_t value, int index) {
  return static_cast<double>(
      static_cast<int64_t>((value >> (21 * index)) & kLimbMask));
}

/// Reduces the sums of one element, each an integer below 2^53, to the
/// representative of the sum of products: five sums of three limbs, or three of
/// two.
template <int Limbs> class Reducer {
public:
  explicit Reducer(const PrimeField &field) : field(field) {
    shift63 =
        field.mul(field.fromInteger(uint64_t(1) << 62), field.fromInteger(2));
  }

  uint64_t operator()(const double *s, int64_t stride) const {
    auto sum = [&](int i) { return u128(uint64_t(s[i * stride])); };
    u128 low = sum(0) + (sum(1) << 21) + (sum(2) << 42);
    if (Limbs == 2)
      return field.redc(low);
    u128 high = sum(3) + (sum(4) << 21);
    // redc divides by R; the product of two representatives wants exactly that.
    // Multiplying redc(high) by the representative of 2^63 keeps one division.
    return field.add(field.redc(low), field.mul(field.redc(high), shift63));
  }

private:
  const PrimeField &field;
  uint64_t shift63; ///< 2^63 as an element
};

#if MIRAGE_X86
/// Vector code for one instruction set: a register tile of kRows x kCols.
///
/// `tile` writes the five sums of each element over `terms` terms to
/// acc[row][sum][col]; `a` holds [term][row][limb], `b` [term][limb][col].
/// `pack` splits kCols adjacent elements into limbs at to[limb][col].
struct Avx2 {
  static constexpr int64_t kRows = 2, kCols = 4;

  template <int Limbs>
  __attribute__((target("avx2,fma"))) static void
  tile(const double *a, const double *b, int64_t terms, double *acc) {
    constexpr int kSums = 2 * Limbs - 1;
    __m256d s[kRows][kSums] = {};
    for (int64_t t = 0; t < terms;
         ++t, a += Limbs * kRows, b += Limbs * kCols) {
      __m256d right[Limbs];
#pragma clang loop unroll(full)
      for (int j = 0; j < Limbs; ++j)
        right[j] = _mm256_loadu_pd(b + j * kCols);
#pragma clang loop unroll(full)
      for (int r = 0; r < kRows; ++r) {
#pragma clang loop unroll(full)
        for (int i = 0; i < Limbs; ++i) {
          __m256d left = _mm256_broadcast_sd(a + Limbs * r + i);
#pragma clang loop unroll(full)
          for (int j = 0; j < Limbs; ++j)
            s[r][i + j] = _mm256_fmadd_pd(left, right[j], s[r][i + j]);
        }
      }
    }
    for (int r = 0; r < kRows; ++r)
      for (int i = 0; i < kSums; ++i)
        _mm256_storeu_pd(acc + (r * kSums + i) * kCols, s[r][i]);
  }

  __attribute__((target("avx2,fma"))) static void pack(const uint64_t *from,
                                                       double *to, int limbs) {
    // 2^52 + limb has the limb in its low bits.
    __m256d two52 = _mm256_set1_pd(0x1p52);
    __m256i mask = _mm256_set1_epi64x(kLimbMask);
    __m256i value = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(from));
    for (int l = 0; l < limbs; ++l) {
      __m256i bits = _mm256_or_si256(_mm256_and_si256(value, mask),
                                     _mm256_castpd_si256(two52));
      _mm256_storeu_pd(to + l * kCols,
                       _mm256_sub_pd(_mm256_castsi256_pd(bits), two52));
      value = _mm256_srli_epi64(value, 21);
    }
  }
};

struct Avx512 {
  static constexpr int64_t kRows = 4, kCols = 8;

  template <int Limbs>
  __attribute__((target("avx512f"))) static void
  tile(const double *a, const double *b, int64_t terms, double *acc) {
    constexpr int kSums = 2 * Limbs - 1;
    __m512d s[kRows][kSums] = {};
    for (int64_t t = 0; t < terms;
         ++t, a += Limbs * kRows, b += Limbs * kCols) {
      __m512d right[Limbs];
#pragma clang loop unroll(full)
      for (int j = 0; j < Limbs; ++j)
        right[j] = _mm512_loadu_pd(b + j * kCols);
#pragma clang loop unroll(full)
      for (int r = 0; r < kRows; ++r) {
#pragma clang loop unroll(full)
        for (int i = 0; i < Limbs; ++i) {
          __m512d left = _mm512_set1_pd(a[Limbs * r + i]);
#pragma clang loop unroll(full)
          for (int j = 0; j < Limbs; ++j)
            s[r][i + j] = _mm512_fmadd_pd(left, right[j], s[r][i + j]);
        }
      }
    }
    for (int r = 0; r < kRows; ++r)
      for (int i = 0; i < kSums; ++i)
        _mm512_storeu_pd(acc + (r * kSums + i) * kCols, s[r][i]);
  }

  __attribute__((target("avx512f"))) static void pack(const uint64_t *from,
                                                      double *to, int limbs) {
    __m512d two52 = _mm512_set1_pd(0x1p52);
    __m512i mask = _mm512_set1_epi64(kLimbMask);
    __m512i value = _mm512_loadu_si512(from);
    for (int l = 0; l < limbs; ++l) {
      __m512i bits = _mm512_or_epi64(_mm512_and_epi64(value, mask),
                                     _mm512_castpd_si512(two52));
      _mm512_storeu_pd(to + l * kCols,
                       _mm512_sub_pd(_mm512_castsi512_pd(bits), two52));
      value = _mm512_srli_epi64(value, 21);
    }
  }
};

template <class Isa, int Limbs>
void multiplyTiled(const PrimeField &field, MatrixRef a, MatrixRef b,
                   uint64_t *result, int64_t m, int64_t k, int64_t n,
                   unsigned threads) {
  constexpr int64_t kRows = Isa::kRows, kCols = Isa::kCols;
  // Columns that one turn packs: adjacent ones share cache lines and pages.
  constexpr int64_t kTurn = 64 / kCols;
  constexpr int64_t kSums = 2 * Limbs - 1;
  Reducer<Limbs> reduce(field);
  int64_t rowTiles = (m + kRows - 1) / kRows;
  int64_t colTiles = (n + kCols - 1) / kCols;
  std::fill(result, result + m * n, 0);
  std::vector<double> packedA(rowTiles * kTerms * Limbs * kRows);
  for (int64_t k0 = 0; k0 < k; k0 += kTerms) {
    int64_t terms = std::min(kTerms, k - k0);
    for (int64_t i = 0; i < rowTiles * kRows; ++i)
      for (int64_t t = 0; t < terms; ++t) {
        uint64_t value =
            i < m ? a.data[i * a.rowStride + (k0 + t) * a.colStride] : 0;
        double *to =
            &packedA[((i / kRows * kTerms + t) * kRows + i % kRows) * Limbs];
        for (int l = 0; l < Limbs; ++l)
          to[l] = limb(value, l);
      }
    parallelFor((colTiles + kTurn - 1) / kTurn, threads, [&](int64_t turn) {
      int64_t first = turn * kTurn, last = std::min(colTiles, first + kTurn);
      std::vector<double> packedB((last - first) * terms * Limbs * kCols);
      for (int64_t t = 0; t < terms; ++t)
        for (int64_t jt = first; jt < last; ++jt) {
          double *to = &packedB[((jt - first) * terms + t) * Limbs * kCols];
          int64_t j0 = jt * kCols;
          const uint64_t *from =
              b.data + (k0 + t) * b.rowStride + j0 * b.colStride;
          if (b.colStride == 1 && j0 + kCols <= n) {
            Isa::pack(from, to, Limbs);
            continue;
          }
          for (int64_t j = 0; j < kCols; ++j)
            for (int l = 0; l < Limbs; ++l)
              to[l * kCols + j] =
                  j0 + j < n ? limb(from[j * b.colStride], l) : 0;
        }
      double acc[kRows * kSums * kCols];
      for (int64_t jt = first; jt < last; ++jt)
        for (int64_t it = 0; it < rowTiles; ++it) {
          Isa::template tile<Limbs>(
              &packedA[it * kTerms * kRows * Limbs],
              &packedB[(jt - first) * terms * Limbs * kCols], terms, acc);
          int64_t rows = std::min(kRows, m - it * kRows);
          int64_t cols = std::min(kCols, n - jt * kCols);
          for (int64_t r = 0; r < rows; ++r)
            for (int64_t j = 0; j < cols; ++j) {
              uint64_t &out = result[(it * kRows + r) * n + jt * kCols + j];
              out = field.add(out, reduce(&acc[r * kSums * kCols + j], kCols));
            }
        }
    });
  }
}

template <class Isa>
void multiplyTiled(const PrimeField &field, MatrixRef a, MatrixRef b,
                   uint64_t *result, int64_t m, int64_t k, int64_t n,
                   unsigned threads) {
  // Two limbs hold an element below 2^42, as those of Z_q are.
  if (field.modulus() >> 42)
    multiplyTiled<Isa, 3>(field, a, b, result, m, k, n, threads);
  else
    multiplyTiled<Isa, 2>(field, a, b, result, m, k, n, threads);
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
                              unsigned threads, VectorWidth widest) {
#if MIRAGE_X86
  bool large = m * k * n >= 512;
  if (large && widest >= VectorWidth::Avx512 &&
      __builtin_cpu_supports("avx512f"))
    return multiplyTiled<Avx512>(field, a, b, result, m, k, n, threads);
  if (large && widest >= VectorWidth::Avx2 && __builtin_cpu_supports("avx2") &&
      __builtin_cpu_supports("fma"))
    return multiplyTiled<Avx2>(field, a, b, result, m, k, n, threads);
#endif
  multiplyPortable(field, a, b, result, m, k, n);
}
