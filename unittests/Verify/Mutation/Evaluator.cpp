//===- Evaluator.cpp - What a program computes at a real point ------------===//

#include "Evaluator.h"
#include "Scalar.h"
#include "llvm/ADT/STLFunctionalExtras.h"

using namespace mirage::semantics;
using namespace mirage::verify;
using namespace mirage::verify::mutation;

namespace {
int64_t countOf(llvm::ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t dim : shape)
    count *= dim;
  return count;
}

/// Calls `fn(index)` for each index of `shape`, row by row.
void forEach(llvm::ArrayRef<int64_t> shape,
             llvm::function_ref<void(llvm::ArrayRef<int64_t>)> fn) {
  Shape index(shape.size(), 0);
  for (int64_t n = countOf(shape); n > 0; --n) {
    fn(index);
    for (size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d])
        break;
      index[d] = 0;
    }
  }
}

/// Where `index` lies in a tensor of `shape`; its dims of size 1 broadcast.
int64_t offsetOf(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> index) {
  int64_t offset = 0;
  for (size_t d = 0; d < shape.size(); ++d)
    offset = offset * shape[d] + (shape[d] == 1 ? 0 : index[d]);
  return offset;
}

template <class T> class Evaluator {
  using Array = std::vector<T>;
  /// One array at kernel level, one for each block inside a graph.
  using Blocks = std::vector<Array>;

public:
  explicit Evaluator(const Program &program)
      : program(program), env(program.values.size()) {}

  std::vector<Array> run(const std::vector<std::vector<double>> &inputs) {
    for (unsigned i = 0; i < program.numInputs; ++i)
      env[i] = {Array(inputs[i].begin(), inputs[i].end())};
    for (const Op &op : program.ops)
      if (op.kind == OpKind::Graph)
        graph(op);
      else
        compute(op, 1);
    std::vector<Array> outputs;
    for (ValueId id : program.outputs)
      outputs.push_back(env[id][0]);
    return outputs;
  }

private:
  const Shape &shape(ValueId id) const { return program.type(id).shape; }

  static GridDims blockAt(const GridDims &grid, int64_t block) {
    return {block / (grid[1] * grid[2]), block / grid[2] % grid[1],
            block % grid[2]};
  }

  void graph(const Op &graph) {
    const GridDims &grid = graph.attrs.grid;
    int64_t blocks = grid[0] * grid[1] * grid[2];
    size_t stores = 0;
    for (const Op &op : graph.body) {
      if (op.kind == OpKind::Loop)
        loop(graph, op, blocks);
      else if (op.kind == OpKind::Store)
        store(op, graph.results[stores++], grid, blocks);
      else if (op.kind == OpKind::ReduceBlocks)
        reduceBlocks(op, grid, blocks);
      else
        blockOp(op, grid, blocks, 0, 1);
    }
  }

  void blockOp(const Op &op, const GridDims &grid, int64_t blocks,
               int64_t iteration, int64_t range) {
    if (op.kind == OpKind::Load)
      load(op, grid, blocks, iteration, range);
    else
      compute(op, blocks);
  }

  void load(const Op &op, const GridDims &grid, int64_t blocks,
            int64_t iteration, int64_t range) {
    const Shape &whole = shape(op.operands[0]), &part = shape(op.results[0]);
    const Array &source = env[op.operands[0]][0];
    Blocks &result = env[op.results[0]];
    result.assign(blocks, Array(countOf(part)));
    for (int64_t b = 0; b < blocks; ++b) {
      GridDims at = blockAt(grid, b);
      Shape first(part.size(), 0);
      for (size_t d = 0; d < part.size(); ++d) {
        int64_t position = 0, splits = 1;
        for (int g = 0; g < 3; ++g)
          if (op.attrs.imap[g] == static_cast<int>(d)) {
            position = position * grid[g] + at[g];
            splits *= grid[g];
          }
        if (op.attrs.fmap == static_cast<int>(d))
          position = op.attrs.interleaved ? iteration * splits + position
                                          : position * range + iteration;
        first[d] = position * part[d];
      }
      size_t i = 0;
      forEach(part, [&](llvm::ArrayRef<int64_t> index) {
        Shape from(first);
        for (size_t d = 0; d < from.size(); ++d)
          from[d] += index[d];
        result[b][i++] = source[offsetOf(whole, from)];
      });
    }
  }

  void store(const Op &op, ValueId into, const GridDims &grid, int64_t blocks) {
    const Shape &part = shape(op.operands[0]), &whole = shape(into);
    env[into] = {Array(countOf(whole), Scalar<T>::nan())};
    for (int64_t b = 0; b < blocks; ++b) {
      GridDims at = blockAt(grid, b);
      Shape first(part.size(), 0);
      for (size_t d = 0; d < part.size(); ++d)
        for (int g = 0; g < 3; ++g)
          if (op.attrs.omap[g] == static_cast<int>(d))
            first[d] = first[d] * grid[g] + at[g];
      size_t i = 0;
      forEach(part, [&](llvm::ArrayRef<int64_t> index) {
        Shape to(first);
        for (size_t d = 0; d < to.size(); ++d)
          to[d] = to[d] * part[d] + index[d];
        env[into][0][offsetOf(whole, to)] = env[op.operands[0]][b][i++];
      });
    }
  }

  void reduceBlocks(const Op &op, const GridDims &grid, int64_t blocks) {
    const Blocks &source = env[op.operands[0]];
    Blocks result(blocks);
    int axis = op.attrs.gridDim;
    for (int64_t b = 0; b < blocks; ++b) {
      GridDims at = blockAt(grid, b);
      for (int64_t i = 0; i < grid[axis]; ++i) {
        at[axis] = i;
        const Array &other =
            source[(at[0] * grid[1] + at[1]) * grid[2] + at[2]];
        result[b] = i == 0 ? other
                           : combined(result[b], other,
                                      op.attrs.reduce == ReduceKind::Max);
      }
    }
    env[op.results[0]] = std::move(result);
  }

  Array combined(const Array &a, const Array &b, bool isMax) const {
    Array result(a.size());
    for (size_t i = 0; i < a.size(); ++i)
      result[i] = isMax ? scalar.max(a[i], b[i]) : scalar.add(a[i], b[i]);
    return result;
  }

  void loop(const Op &graph, const Op &loop, int64_t blocks) {
    const std::vector<Accumulator> &accumulators = loop.attrs.accumulators;
    std::vector<Blocks> state;
    for (size_t i = 0; i < accumulators.size(); ++i) {
      bool isMax = accumulators[i].kind == AccumulatorKind::Max;
      state.emplace_back(blocks, Array(countOf(shape(loop.results[i])),
                                       isMax ? Scalar<T>::token() : T(0.0)));
    }
    for (int64_t n = 0; n < loop.attrs.range; ++n) {
      for (const Op &op : loop.body) {
        if (op.kind != OpKind::Running) {
          blockOp(op, graph.attrs.grid, blocks, n, loop.attrs.range);
          continue;
        }
        int i = op.attrs.accumulator;
        env[op.results[0]] =
            op.attrs.current
                ? advanced(accumulators[i], loop.results[i], state[i])
                : state[i];
      }
      for (size_t i = 0; i < accumulators.size(); ++i)
        state[i] = advanced(accumulators[i], loop.results[i], state[i]);
    }
    for (size_t i = 0; i < accumulators.size(); ++i)
      env[loop.results[i]] = std::move(state[i]);
  }

  /// The state of an accumulator after the current iteration.
  Blocks advanced(const Accumulator &acc, ValueId total,
                  const Blocks &state) const {
    Blocks result(state.size());
    bool isMax = acc.kind == AccumulatorKind::Max;
    for (size_t b = 0; b < state.size(); ++b) {
      const Array &value = env[acc.value][b];
      Array added = acc.reduceDim < 0
                        ? value
                        : reduced(value, shape(acc.value), shape(total), isMax);
      Array before = state[b];
      if (acc.kind == AccumulatorKind::Rescale) {
        size_t i = 0;
        const Array &factor = env[acc.factor][b];
        forEach(shape(total), [&](llvm::ArrayRef<int64_t> index) {
          const T &f = factor[offsetOf(shape(acc.factor), index)];
          before[i] = scalar.mul(before[i], f);
          ++i;
        });
      }
      result[b] = combined(before, added, isMax);
    }
    return result;
  }

  Array reduced(const Array &x, const Shape &from, const Shape &to,
                bool isMax) const {
    Array out(countOf(to), isMax ? Scalar<T>::token() : T(0.0));
    size_t i = 0;
    forEach(from, [&](llvm::ArrayRef<int64_t> index) {
      T &total = out[offsetOf(to, index)];
      total = isMax ? scalar.max(total, x[i]) : scalar.add(total, x[i]);
      ++i;
    });
    return out;
  }

  void compute(const Op &op, int64_t blocks) {
    Blocks result;
    for (int64_t b = 0; b < blocks; ++b)
      result.push_back(computeOne(op, b));
    env[op.results[0]] = std::move(result);
  }

  const Array &operand(const Op &op, unsigned i, int64_t block) const {
    return env[op.operands[i]][block];
  }

  Array computeOne(const Op &op, int64_t block) {
    const Shape &to = shape(op.results[0]);
    Array out;
    out.reserve(countOf(to));
    switch (opClass(op.kind)) {
    case OpClass::Unary:
    case OpClass::Binary:
    case OpClass::Compare:
    case OpClass::Select:
      forEach(to, [&](llvm::ArrayRef<int64_t> index) {
        llvm::SmallVector<T, 3> args;
        for (unsigned i = 0; i < op.operands.size(); ++i)
          args.push_back(
              operand(op, i, block)[offsetOf(shape(op.operands[i]), index)]);
        out.push_back(evalElementwise(scalar, op.kind, op.attrs,
                                      llvm::ArrayRef<T>(args),
                                      program.type(op.results[0]).dtype));
      });
      return out;
    case OpClass::Constant:
      out.assign(countOf(to), scalar.constant(op.attrs.constant));
      return out;
    case OpClass::Iota:
      forEach(to, [&](llvm::ArrayRef<int64_t> index) {
        out.push_back(T(static_cast<double>(index[op.attrs.dims[0]])));
      });
      return out;
    case OpClass::Matmul:
      return matmul(op, block);
    case OpClass::Reduce: {
      const Shape &from = shape(op.operands[0]);
      out = reduced(operand(op, 0, block), from, to,
                    op.attrs.reduce == ReduceKind::Max);
      if (op.attrs.reduce == ReduceKind::Mean)
        for (T &x : out)
          x = scalar.div(x, T(static_cast<double>(countOf(from)) /
                              static_cast<double>(countOf(to))));
      return out;
    }
    case OpClass::Norm:
      return norm(op, block);
    case OpClass::Softmax:
      return softmax(op, block);
    case OpClass::Transpose:
      forEach(to, [&](llvm::ArrayRef<int64_t> index) {
        Shape from(index.size());
        for (size_t i = 0; i < index.size(); ++i)
          from[op.attrs.dims[i]] = index[i];
        out.push_back(
            operand(op, 0, block)[offsetOf(shape(op.operands[0]), from)]);
      });
      return out;
    case OpClass::Reshape:
      return operand(op, 0, block);
    case OpClass::Broadcast:
      forEach(to, [&](llvm::ArrayRef<int64_t> index) {
        out.push_back(
            operand(op, 0, block)[offsetOf(shape(op.operands[0]), index)]);
      });
      return out;
    case OpClass::Concat:
      forEach(to, [&](llvm::ArrayRef<int64_t> index) {
        Shape from(index.begin(), index.end());
        unsigned i = 0;
        int64_t dim = op.attrs.dims[0];
        while (from[dim] >= shape(op.operands[i])[dim])
          from[dim] -= shape(op.operands[i++])[dim];
        out.push_back(
            operand(op, i, block)[offsetOf(shape(op.operands[i]), from)]);
      });
      return out;
    case OpClass::Slice:
      forEach(to, [&](llvm::ArrayRef<int64_t> index) {
        Shape from(index.size());
        for (size_t i = 0; i < index.size(); ++i)
          from[i] = op.attrs.offsets[i] + index[i] * op.attrs.strides[i];
        out.push_back(
            operand(op, 0, block)[offsetOf(shape(op.operands[0]), from)]);
      });
      return out;
    case OpClass::Gather:
    case OpClass::Structure:
      break;
    }
    out.assign(countOf(to), Scalar<T>::nan());
    return out;
  }

  Array matmul(const Op &op, int64_t block) {
    const Shape &to = shape(op.results[0]), &a = shape(op.operands[0]),
                &b = shape(op.operands[1]);
    const Array &x = operand(op, 0, block), &y = operand(op, 1, block);
    size_t rank = to.size();
    int64_t terms = a[rank - 1];
    int64_t step = op.attrs.transposeRhs ? 1 : b[rank - 1];
    Array out;
    out.reserve(countOf(to));
    forEach(to, [&](llvm::ArrayRef<int64_t> index) {
      Shape left(index.begin(), index.end()), right(left);
      left[rank - 1] = 0;
      right[rank - 2] = op.attrs.transposeRhs ? index[rank - 1] : 0;
      right[rank - 1] = op.attrs.transposeRhs ? 0 : index[rank - 1];
      int64_t i = offsetOf(a, left), j = offsetOf(b, right);
      T sum(0);
      for (int64_t k = 0; k < terms; ++k)
        sum = scalar.add(sum, scalar.mul(x[i + k], y[j + k * step]));
      out.push_back(sum);
    });
    return out;
  }

  Array norm(const Op &op, int64_t block) {
    Array out = operand(op, 0, block);
    size_t n = shape(op.operands[0]).back();
    T count(static_cast<double>(n));
    for (size_t row = 0; row < out.size(); row += n) {
      if (op.kind == OpKind::LayerNorm) {
        T sum(0);
        for (size_t i = 0; i < n; ++i)
          sum = scalar.add(sum, out[row + i]);
        T mean = scalar.div(sum, count);
        for (size_t i = 0; i < n; ++i)
          out[row + i] = scalar.sub(out[row + i], mean);
      }
      T squares(0);
      for (size_t i = 0; i < n; ++i)
        squares = scalar.add(squares, scalar.mul(out[row + i], out[row + i]));
      T root = scalar.sqrt(
          scalar.add(scalar.div(squares, count), T(op.attrs.epsilon)));
      for (size_t i = 0; i < n; ++i) {
        T &x = out[row + i];
        x = scalar.div(x, root);
        unsigned next = 1;
        if (op.attrs.hasScale)
          x = scalar.mul(x, operand(op, next++, block)[i]);
        if (op.attrs.hasBias)
          x = scalar.add(x, operand(op, next, block)[i]);
      }
    }
    return out;
  }

  Array softmax(const Op &op, int64_t block) {
    const Shape &from = shape(op.operands[0]);
    Shape rows = from;
    rows[op.attrs.dims[0]] = 1;
    const Array &x = operand(op, 0, block);
    Array top = reduced(x, from, rows, /*isMax=*/true), out;
    forEach(from, [&](llvm::ArrayRef<int64_t> index) {
      out.push_back(
          scalar.exp(scalar.sub(x[out.size()], top[offsetOf(rows, index)])));
    });
    Array sum = reduced(out, from, rows, /*isMax=*/false);
    size_t i = 0;
    forEach(from, [&](llvm::ArrayRef<int64_t> index) {
      out[i] = scalar.div(out[i], sum[offsetOf(rows, index)]);
      ++i;
    });
    return out;
  }

  const Program &program;
  std::vector<Blocks> env;
  Scalar<T> scalar;
};
} // namespace

std::vector<std::vector<double>>
mirage::verify::mutation::evaluate(const Program &program,
                                   const std::vector<std::vector<double>> &in) {
  return Evaluator<double>(program).run(in);
}

std::vector<std::vector<Tracked>> mirage::verify::mutation::evaluateWide(
    const Program &program, const std::vector<std::vector<double>> &in) {
  return Evaluator<Tracked>(program).run(in);
}
