//===- Matmul.cpp - Blocked matrix products -------------------------------===//
//
// The scalar type is the accumulator's: float in Program mode, double in F64
// mode. Each element adds its products in the order of k, whatever the blocking
// and the number of threads, so results repeat bit for bit.
//
//===----------------------------------------------------------------------===//

#include "Compute.h"
#include <algorithm>

using namespace mirage;
using namespace mirage::interpreter;

namespace {

// A panel of columns: its accumulators stay in the first-level cache.
constexpr int64_t kPanelRows = 16;
constexpr int64_t kPanelColumns = 256;

template <typename T>
[[gnu::always_inline]] inline void addOuterProduct(T *__restrict sums,
                                                   const T *__restrict row,
                                                   T factor, int64_t columns) {
  // A fused multiply-add rounds once: the same bits on every machine.
#pragma clang fp contract(off)
  for (int64_t j = 0; j < columns; ++j)
    sums[j] += factor * row[j];
}

struct Sizes {
  int64_t m, n, k;
  bool transposed; ///< rhs is n x k
};

/// result[i0.., j0..] of one batch entry.
template <typename T>
[[gnu::always_inline]] inline void
multiplyPanelWith(const double *lhs, const double *rhs, double *result,
                  const Sizes &sizes, int64_t i0, int64_t j0) {
  int64_t rows = std::min(kPanelRows, sizes.m - i0);
  int64_t columns = std::min(kPanelColumns, sizes.n - j0);
  T sums[kPanelRows * kPanelColumns] = {};
  T row[kPanelColumns];
  for (int64_t k = 0; k < sizes.k; ++k) {
    if (sizes.transposed)
      for (int64_t j = 0; j < columns; ++j)
        row[j] = static_cast<T>(rhs[(j0 + j) * sizes.k + k]);
    else
      for (int64_t j = 0; j < columns; ++j)
        row[j] = static_cast<T>(rhs[k * sizes.n + j0 + j]);
    for (int64_t i = 0; i < rows; ++i)
      addOuterProduct(sums + i * kPanelColumns, row,
                      static_cast<T>(lhs[(i0 + i) * sizes.k + k]), columns);
  }
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      result[(i0 + i) * sizes.n + j0 + j] = sums[i * kPanelColumns + j];
}

#if defined(__x86_64__)
template <typename T>
__attribute__((target("avx512f"))) void
multiplyPanelAvx512(const double *lhs, const double *rhs, double *result,
                    const Sizes &sizes, int64_t i0, int64_t j0) {
  multiplyPanelWith<T>(lhs, rhs, result, sizes, i0, j0);
}

template <typename T>
__attribute__((target("avx2"))) void
multiplyPanelAvx2(const double *lhs, const double *rhs, double *result,
                  const Sizes &sizes, int64_t i0, int64_t j0) {
  multiplyPanelWith<T>(lhs, rhs, result, sizes, i0, j0);
}
#endif

/// The same bits with whichever vectors the machine has.
template <typename T>
void multiplyPanel(const double *lhs, const double *rhs, double *result,
                   const Sizes &sizes, int64_t i0, int64_t j0) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f"))
    return multiplyPanelAvx512<T>(lhs, rhs, result, sizes, i0, j0);
  if (__builtin_cpu_supports("avx2"))
    return multiplyPanelAvx2<T>(lhs, rhs, result, sizes, i0, j0);
#endif
  multiplyPanelWith<T>(lhs, rhs, result, sizes, i0, j0);
}

} // namespace

Tensor interpreter::matmul(const Tensor &lhs, const Tensor &rhs,
                           bool transposeRhs, semantics::TensorType type,
                           const Context &context) {
  int64_t rank = type.rank();
  Sizes sizes{type.shape[rank - 2], type.shape[rank - 1],
              lhs.type.shape[rank - 1], transposeRhs};
  Tensor result{std::move(type), {}};
  result.values.resize(result.type.numElements());

  llvm::SmallVector<int64_t, 4> batch(result.type.shape.begin(),
                                      result.type.shape.end() - 2);
  auto batchStrides = [&](const Tensor &operand) {
    llvm::SmallVector<int64_t, 6> strides = stridesOf(operand.type.shape);
    strides.truncate(rank - 2);
    return strides;
  };
  llvm::SmallVector<int64_t, 6> lhsStrides = batchStrides(lhs),
                                rhsStrides = batchStrides(rhs);

  int64_t batches = 1;
  for (int64_t dim : batch)
    batches *= dim;
  int64_t panelsM = (sizes.m + kPanelRows - 1) / kPanelRows;
  int64_t panelsN = (sizes.n + kPanelColumns - 1) / kPanelColumns;
  auto panel = [&](int64_t index) {
    // Neighbouring indices share the columns, whose values are then in cache.
    int64_t i = index % panelsM, j = index / panelsM % panelsN;
    int64_t entry = index / panelsM / panelsN, rest = entry;
    int64_t lhsOffset = 0, rhsOffset = 0;
    for (int64_t d = rank - 3; d >= 0; --d) {
      lhsOffset += rest % batch[d] * lhsStrides[d];
      rhsOffset += rest % batch[d] * rhsStrides[d];
      rest /= batch[d];
    }
    const double *a = lhs.values.data() + lhsOffset;
    const double *b = rhs.values.data() + rhsOffset;
    double *c = result.values.data() + entry * sizes.m * sizes.n;
    if (context.mode == Mode::Program)
      multiplyPanel<float>(a, b, c, sizes, i * kPanelRows, j * kPanelColumns);
    else
      multiplyPanel<double>(a, b, c, sizes, i * kPanelRows, j * kPanelColumns);
  };
  parallelFor(context.threads, batches * panelsM * panelsN, panel);
  roundResult(result, context);
  return result;
}
