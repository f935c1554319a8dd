//===- LimbMatmul.h - Exact products of matrices over a field ---*- C++ -*-===//
//
// C = A B over Z_p, exactly, on the floating-point units. An element below 2^63
// is three limbs of 21 bits, a = a0 + a1 2^21 + a2 2^42, each a double. Nine
// products of limbs fall into five sums by weight:
//
//   s0 = a0 b0                     s3 = a1 b2 + a2 b1
//   s1 = a0 b1 + a1 b0             s4 = a2 b2
//   s2 = a0 b2 + a1 b1 + a2 b0
//
// s2 grows by less than 3 * 2^42 a term, so 682 terms stay below 2^53 and every
// fused multiply-add is exact. Sums are reduced mod p every 256 terms. Elements
// below 2^42 have two limbs, four products and three sums.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_LIMBMATMUL_H
#define MIRAGE_LIB_VERIFY_LIMBMATMUL_H

#include "Mirage/Verify/Field.h"

namespace mirage::verify {

/// A matrix in memory: element (i, j) at data[i * rowStride + j * colStride].
struct MatrixRef {
  const uint64_t *data;
  int64_t rowStride, colStride;
};

/// result[i * n + j] = sum_k a(i, k) * b(k, j) with Montgomery representatives,
/// for all i in [0, m) and j in [0, n). Uses up to `threads` threads, and the
/// widest vectors that the machine has and `widest` allows.
enum class VectorWidth : uint8_t { None, Avx2, Avx512 };
void multiply(const PrimeField &field, MatrixRef a, MatrixRef b,
              uint64_t *result, int64_t m, int64_t k, int64_t n,
              unsigned threads, VectorWidth widest = VectorWidth::Avx512);

/// The same without vector instructions, for other machines and for tests.
void multiplyPortable(const PrimeField &field, MatrixRef a, MatrixRef b,
                      uint64_t *result, int64_t m, int64_t k, int64_t n);

} // namespace mirage::verify

#endif // MIRAGE_LIB_VERIFY_LIMBMATMUL_H
