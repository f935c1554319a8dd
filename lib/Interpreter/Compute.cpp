//===- Compute.cpp - Operators on whole tensors ---------------------------===//

#include "Compute.h"
#include "Mirage/Interpreter/Rounding.h"
#include "Mirage/Semantics/Evaluate.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <atomic>
#include <cmath>
#include <limits>
#include <thread>

using namespace mirage;
using namespace mirage::interpreter;
using semantics::Attrs;
using semantics::DType;
using semantics::Op;
using semantics::OpClass;
using semantics::OpKind;
using semantics::ReduceKind;
using semantics::TensorType;

void interpreter::parallelFor(unsigned threads, int64_t count,
                              llvm::function_ref<void(int64_t)> body) {
  threads = static_cast<unsigned>(std::min<int64_t>(threads, count));
  if (threads <= 1) {
    for (int64_t i = 0; i < count; ++i)
      body(i);
    return;
  }
  std::atomic<int64_t> next{0};
  auto work = [&] {
    for (int64_t i = next++; i < count; i = next++)
      body(i);
  };
  std::vector<std::thread> pool;
  for (unsigned t = 1; t < threads; ++t)
    pool.emplace_back(work);
  work();
  for (std::thread &thread : pool)
    thread.join();
}

llvm::SmallVector<int64_t, 6>
interpreter::stridesOf(llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t, 6> strides(shape.size(), 0);
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = shape[d] == 1 ? 0 : stride;
    stride *= shape[d];
  }
  return strides;
}

namespace {
using RowBody = llvm::function_ref<void(int64_t, llvm::ArrayRef<int64_t>)>;

/// Rows [first, last) of forEachRow.
void forEachRowIn(int64_t first, int64_t last, llvm::ArrayRef<int64_t> shape,
                  llvm::ArrayRef<llvm::SmallVector<int64_t, 6>> strides,
                  RowBody body) {
  llvm::SmallVector<int64_t, 4> offsets(strides.size(), 0);
  if (shape.empty()) {
    body(0, offsets);
    return;
  }
  llvm::SmallVector<int64_t, 6> index(shape.size(), 0);
  int64_t outerDims = static_cast<int64_t>(shape.size()) - 1, rest = first;
  for (int64_t d = outerDims - 1; d >= 0; --d) {
    index[d] = rest % shape[d];
    rest /= shape[d];
    for (size_t j = 0; j < strides.size(); ++j)
      offsets[j] += strides[j][d] * index[d];
  }
  for (int64_t row = first; row < last; ++row) {
    body(row * shape.back(), offsets);
    for (int64_t d = outerDims - 1; d >= 0; --d) {
      for (size_t j = 0; j < strides.size(); ++j)
        offsets[j] += strides[j][d];
      if (++index[d] < shape[d])
        break;
      for (size_t j = 0; j < strides.size(); ++j)
        offsets[j] -= strides[j][d] * shape[d];
      index[d] = 0;
    }
  }
}

int64_t numRows(llvm::ArrayRef<int64_t> shape) {
  int64_t rows = 1;
  for (size_t d = 0; d + 1 < shape.size(); ++d)
    rows *= shape[d];
  return rows;
}
} // namespace

void interpreter::forEachRow(
    llvm::ArrayRef<int64_t> shape,
    llvm::ArrayRef<llvm::SmallVector<int64_t, 6>> strides, RowBody body) {
  forEachRowIn(0, numRows(shape), shape, strides, body);
}

void interpreter::forEachRow(
    unsigned threads, llvm::ArrayRef<int64_t> shape,
    llvm::ArrayRef<llvm::SmallVector<int64_t, 6>> strides, RowBody body) {
  int64_t rows = numRows(shape);
  int64_t columns = shape.empty() ? 1 : std::max<int64_t>(1, shape.back());
  int64_t part = std::max<int64_t>(1, kPartElements / columns);
  if (threads <= 1 || rows <= part)
    return forEachRowIn(0, rows, shape, strides, body);
  parallelFor(threads, (rows + part - 1) / part, [&](int64_t i) {
    forEachRowIn(i * part, std::min(rows, (i + 1) * part), shape, strides,
                 body);
  });
}

void interpreter::roundResult(Tensor &tensor, const Context &context) {
  DType type = tensor.type.dtype;
  if (context.mode == Mode::F64 || type == DType::F64)
    return;
  int64_t count = tensor.values.size();
  double *values = tensor.values.data();
  auto round = [&](int64_t begin, int64_t end) {
    // By itself, the conversion is a vector instruction.
    if (type == DType::F32)
      for (int64_t i = begin; i < end; ++i)
        values[i] = static_cast<float>(values[i]);
    else
      for (int64_t i = begin; i < end; ++i)
        values[i] = roundThroughF32(type, values[i]);
  };
  if (context.threads <= 1 || count <= kPartElements)
    return round(0, count);
  parallelFor(context.threads, (count + kPartElements - 1) / kPartElements,
              [&](int64_t i) {
                round(i * kPartElements,
                      std::min(count, (i + 1) * kPartElements));
              });
}

namespace {

template <typename T>
void reduceInto(const Tensor &input, Tensor &result, ReduceKind kind,
                int64_t count, unsigned threads) {
  std::vector<T> totals(
      result.values.size(),
      kind == ReduceKind::Max ? -std::numeric_limits<T>::infinity() : T(0));
  llvm::SmallVector<int64_t, 6> strides = stridesOf(result.type.shape);
  int64_t columns = input.type.shape.empty() ? 1 : input.type.shape.back();
  int64_t step = strides.empty() ? 0 : strides.back();
  // Rows of one total stay on one thread, in order.
  size_t outerDims = strides.empty() ? 0 : strides.size() - 1;
  bool ownTotals = true;
  for (size_t d = 0; d < outerDims; ++d)
    ownTotals &= strides[d] != 0 || input.type.shape[d] == 1;
  forEachRow(ownTotals ? threads : 1, input.type.shape, strides,
             [&](int64_t outer, llvm::ArrayRef<int64_t> offsets) {
               for (int64_t j = 0; j < columns; ++j) {
                 T &total = totals[offsets[0] + j * step];
                 T value = static_cast<T>(input.values[outer + j]);
                 total = kind == ReduceKind::Max
                             ? static_cast<T>(maximum(total, value))
                             : total + value;
               }
             });
  for (size_t i = 0; i < totals.size(); ++i)
    result.values[i] =
        kind == ReduceKind::Mean ? totals[i] / T(count) : totals[i];
}

/// rms_norm and layer_norm over the last dim, softmax over any: row by row, all
/// of it in the accumulator's type.
template <typename T>
void normalizeRows(const Op &op, llvm::ArrayRef<const Tensor *> operands,
                   Tensor &result, unsigned threads) {
  const Tensor &input = *operands[0];
  int64_t n = input.type.shape.back();
  int64_t rows = input.type.numElements() / n;
  parallelFor(threads, rows, [&](int64_t r) {
    const double *x = input.values.data() + r * n;
    T mean = 0, variance = 0;
    if (op.kind == OpKind::LayerNorm) {
      for (int64_t j = 0; j < n; ++j)
        mean += static_cast<T>(x[j]);
      mean /= T(n);
    }
    for (int64_t j = 0; j < n; ++j) {
      T centered = static_cast<T>(x[j]) - mean;
      variance += centered * centered;
    }
    T scale =
        T(1) / std::sqrt(variance / T(n) + static_cast<T>(op.attrs.epsilon));
    for (int64_t j = 0; j < n; ++j) {
      T value = (static_cast<T>(x[j]) - mean) * scale;
      unsigned next = 1;
      if (op.attrs.hasScale)
        value *= static_cast<T>(operands[next++]->values[j]);
      if (op.attrs.hasBias)
        value += static_cast<T>(operands[next]->values[j]);
      result.values[r * n + j] = value;
    }
  });
}

template <typename T>
void softmaxInto(const Tensor &input, int64_t dim, Tensor &result,
                 unsigned threads) {
  int64_t n = input.type.shape[dim], inner = 1;
  for (int64_t d = dim + 1; d < input.type.rank(); ++d)
    inner *= input.type.shape[d];
  int64_t outer = input.type.numElements() / (n * inner);
  parallelFor(threads, outer, [&](int64_t o) {
    for (int64_t i = 0; i < inner; ++i) {
      const double *x = input.values.data() + o * n * inner + i;
      double *y = result.values.data() + o * n * inner + i;
      double largest = -std::numeric_limits<double>::infinity();
      for (int64_t j = 0; j < n; ++j)
        largest = maximum(largest, x[j * inner]);
      T total = 0;
      for (int64_t j = 0; j < n; ++j) {
        T e = static_cast<T>(std::exp(x[j * inner] - largest));
        y[j * inner] = e;
        total += e;
      }
      for (int64_t j = 0; j < n; ++j)
        y[j * inner] = static_cast<T>(y[j * inner]) / total;
    }
  });
}

/// Reads result[outer + j] from input[base + offset + j * step] for each row:
/// transposes, broadcasts and slices differ only in strides and base.
Tensor viewCopy(const Tensor &input, const TensorType &type,
                llvm::SmallVector<int64_t, 6> strides, int64_t base,
                unsigned threads) {
  Tensor result{type, {}};
  result.values.resize(type.numElements());
  int64_t columns = type.shape.empty() ? 1 : type.shape.back();
  int64_t step = strides.empty() ? 0 : strides.back();
  forEachRow(threads, type.shape, strides,
             [&](int64_t outer, llvm::ArrayRef<int64_t> offsets) {
               const double *from = input.values.data() + base + offsets[0];
               for (int64_t j = 0; j < columns; ++j)
                 result.values[outer + j] = from[j * step];
             });
  return result;
}

Tensor slice(const Tensor &input, const Attrs &attrs, const TensorType &type,
             unsigned threads) {
  llvm::SmallVector<int64_t, 6> strides = stridesOf(input.type.shape);
  int64_t base = 0;
  for (size_t d = 0; d < strides.size(); ++d) {
    base += attrs.offsets[d] * strides[d];
    strides[d] *= attrs.strides[d];
  }
  return viewCopy(input, type, strides, base, threads);
}

Tensor concat(llvm::ArrayRef<const Tensor *> operands, int64_t dim,
              const TensorType &type) {
  Tensor result{type, {}};
  result.values.resize(type.numElements());
  int64_t inner = 1, outer = 1;
  for (int64_t d = 0; d < type.rank(); ++d)
    (d < dim ? outer : inner) *= type.shape[d];
  int64_t offset = 0;
  for (const Tensor *operand : operands) {
    int64_t piece = operand->type.numElements() / outer;
    for (int64_t o = 0; o < outer; ++o)
      std::copy_n(operand->values.data() + o * piece, piece,
                  result.values.data() + o * inner + offset);
    offset += piece;
  }
  return result;
}

llvm::Expected<Tensor> gather(const Tensor &data, const Tensor &indices,
                              int64_t dim, const TensorType &type) {
  Tensor result{type, {}};
  result.values.resize(type.numElements());
  int64_t size = data.type.shape[dim], inner = 1, outer = 1;
  for (int64_t d = 0; d < type.rank(); ++d) {
    if (d < dim)
      outer *= type.shape[d];
    if (d > dim)
      inner *= type.shape[d];
  }
  int64_t count = type.shape[dim];
  for (int64_t i = 0; i < count; ++i) {
    double index = indices.values[i];
    if (!(index >= 0 && index < static_cast<double>(size)))
      return llvm::createStringError(llvm::formatv(
          "gather: expected indices in [0, {0}), but got {1} at position {2}",
          size, static_cast<int64_t>(index), i));
    for (int64_t o = 0; o < outer; ++o)
      std::copy_n(data.values.data() +
                      (o * size + static_cast<int64_t>(index)) * inner,
                  inner, result.values.data() + (o * count + i) * inner);
  }
  return result;
}

Tensor iota(const TensorType &type, int64_t dim) {
  Tensor result{type, {}};
  result.values.resize(type.numElements());
  int64_t inner = 1;
  for (int64_t d = dim + 1; d < type.rank(); ++d)
    inner *= type.shape[d];
  for (size_t i = 0; i < result.values.size(); ++i)
    result.values[i] =
        static_cast<double>(static_cast<int64_t>(i) / inner % type.shape[dim]);
  return result;
}

} // namespace

Tensor interpreter::reduce(const Tensor &input, llvm::ArrayRef<int64_t> dims,
                           ReduceKind kind, TensorType type,
                           const Context &context) {
  Tensor result{std::move(type), {}};
  result.values.resize(result.type.numElements());
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= input.type.shape[dim];
  if (context.mode == Mode::Program)
    reduceInto<float>(input, result, kind, count, context.threads);
  else
    reduceInto<double>(input, result, kind, count, context.threads);
  roundResult(result, context);
  return result;
}

llvm::Expected<Tensor>
interpreter::evaluate(const Op &op, const TensorType &type,
                      llvm::ArrayRef<const Tensor *> operands,
                      const Context &context) {
  const Attrs &attrs = op.attrs;
  switch (semantics::opClass(op.kind)) {
  case OpClass::Unary:
  case OpClass::Binary:
  case OpClass::Compare:
  case OpClass::Select:
    return elementwise(op, type, operands, context);
  case OpClass::Iota:
    return iota(type, attrs.dims[0]);
  case OpClass::Matmul:
    return matmul(*operands[0], *operands[1], attrs.transposeRhs, type,
                  context);
  case OpClass::Reduce:
    return reduce(*operands[0], attrs.dims, attrs.reduce, type, context);
  case OpClass::Norm:
  case OpClass::Softmax: {
    Tensor result{type, {}};
    result.values.resize(type.numElements());
    bool single = context.mode == Mode::Program;
    if (op.kind == OpKind::Softmax)
      (single ? softmaxInto<float> : softmaxInto<double>)(*operands[0],
                                                          attrs.dims[0], result,
                                                          context.threads);
    else
      (single ? normalizeRows<float>
              : normalizeRows<double>)(op, operands, result, context.threads);
    roundResult(result, context);
    return result;
  }
  case OpClass::Transpose: {
    llvm::SmallVector<int64_t, 6> from = stridesOf(operands[0]->type.shape),
                                  strides;
    for (int64_t dim : attrs.dims)
      strides.push_back(from[dim]);
    return viewCopy(*operands[0], type, strides, 0, context.threads);
  }
  case OpClass::Reshape:
    return Tensor{type, operands[0]->values};
  case OpClass::Broadcast:
    return viewCopy(*operands[0], type, stridesOf(operands[0]->type.shape), 0,
                    context.threads);
  case OpClass::Concat: {
    Tensor result = concat(operands, attrs.dims[0], type);
    roundResult(result, context); // tiles of several types may meet
    return result;
  }
  case OpClass::Slice:
    return slice(*operands[0], attrs, type, context.threads);
  case OpClass::Gather:
    return gather(*operands[0], *operands[1], attrs.dims[0], type);
  case OpClass::Constant: {
    Tensor result{type, std::vector<double>(type.numElements(),
                                            attrs.constant.toDouble())};
    roundResult(result, context);
    return result;
  }
  case OpClass::Structure:
    break;
  }
  return llvm::createStringError("expected a compute op, but got '" +
                                 semantics::mnemonic(op.kind) + "'");
}
