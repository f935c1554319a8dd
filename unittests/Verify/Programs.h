//===- Programs.h - Tensor programs that the tests compare ------*- C++ -*-===//

#ifndef MIRAGE_UNITTESTS_VERIFY_PROGRAMS_H
#define MIRAGE_UNITTESTS_VERIFY_PROGRAMS_H

#include "Mirage/Semantics/Program.h"
#include "Mirage/Verify/Verify.h"

namespace mirage::verify::test {

using namespace semantics;

inline Seed fixedSeed(uint8_t value = 1) {
  Seed seed;
  seed.fill(value);
  return seed;
}

inline VerifyOptions fixedOptions() {
  VerifyOptions options;
  options.seed = fixedSeed();
  options.threads = 2;
  return options;
}

/// Kernel-level ops by name, with broadcast constants.
struct Kernel {
  Program p;
  DType dtype = DType::F32;

  ValueId input(Shape shape) { return p.addInput({std::move(shape), dtype}); }
  ValueId op(OpKind kind, std::initializer_list<ValueId> operands,
             Attrs attrs = {}) {
    return p.append(kind, operands, std::move(attrs));
  }
  ValueId constant(ConstantValue value, unsigned rank = 2) {
    Op op{OpKind::Constant, {}, {}, {p.addValue({Shape(rank, 1), dtype})}, {}};
    op.attrs.constant = value;
    p.ops.push_back(op);
    return op.results[0];
  }
  ValueId literal(double value, unsigned rank = 2) {
    return constant(ConstantValue::makeLiteral(value), rank);
  }
  ValueId reduce(ReduceKind kind, ValueId x, int64_t dim) {
    Attrs attrs;
    attrs.reduce = kind;
    attrs.dims = {dim};
    return op(OpKind::Reduce, {x}, attrs);
  }
  ValueId transpose(ValueId x) {
    Attrs attrs;
    attrs.dims = {1, 0};
    return op(OpKind::Transpose, {x}, attrs);
  }
  ValueId slice(ValueId x, Shape offsets, Shape sizes) {
    Attrs attrs;
    attrs.offsets = offsets;
    attrs.sizes = sizes;
    attrs.strides = Shape(offsets.size(), 1);
    return op(OpKind::Slice, {x}, attrs);
  }
  ValueId shaped(OpKind kind, std::initializer_list<ValueId> operands,
                 Shape shape, Attrs attrs = {}) {
    Op made{kind, attrs, {}, {p.addValue({std::move(shape), dtype})}, {}};
    made.operands.assign(operands.begin(), operands.end());
    p.ops.push_back(made);
    return made.results[0];
  }
  ValueId clamp(ValueId x, double lo, double hi) {
    Attrs attrs;
    attrs.lo = lo;
    attrs.hi = hi;
    return op(OpKind::Clamp, {x}, attrs);
  }
  ValueId softmax(ValueId x, int64_t dim) {
    Attrs attrs;
    attrs.dims = {dim};
    return op(OpKind::Softmax, {x}, attrs);
  }
  ValueId rmsNorm(ValueId x, double epsilon) {
    Attrs attrs;
    attrs.epsilon = epsilon;
    return op(OpKind::RmsNorm, {x}, attrs);
  }
  Program done(std::initializer_list<ValueId> outputs) {
    p.outputs.assign(outputs.begin(), outputs.end());
    return p;
  }

  ValueId add(ValueId a, ValueId b) { return op(OpKind::Add, {a, b}); }
  ValueId sub(ValueId a, ValueId b) { return op(OpKind::Sub, {a, b}); }
  ValueId mul(ValueId a, ValueId b) { return op(OpKind::Mul, {a, b}); }
  ValueId div(ValueId a, ValueId b) { return op(OpKind::Div, {a, b}); }
  ValueId max(ValueId a, ValueId b) { return op(OpKind::Max, {a, b}); }
  ValueId min(ValueId a, ValueId b) { return op(OpKind::Min, {a, b}); }
  ValueId matmul(ValueId a, ValueId b) { return op(OpKind::Matmul, {a, b}); }
  ValueId exp(ValueId a) { return op(OpKind::Exp, {a}); }
  ValueId neg(ValueId a) { return op(OpKind::Neg, {a}); }
};

/// One Graph op with a block graph.
class Block {
public:
  Block(Program &p, std::initializer_list<ValueId> operands, GridDims grid)
      : p(p) {
    graph.kind = OpKind::Graph;
    graph.operands.assign(operands.begin(), operands.end());
    graph.attrs.grid = grid;
  }

  void beginLoop(int64_t range) {
    loop.emplace();
    loop->kind = OpKind::Loop;
    loop->attrs.range = range;
  }
  ValueId load(ValueId source, GridMap imap, int fmap = -1,
               bool interleaved = false) {
    Op op{OpKind::Load, {}, {source}, {}, {}};
    op.attrs.imap = imap;
    op.attrs.fmap = fmap;
    op.attrs.interleaved = interleaved;
    op.results.push_back(p.addValue(
        llvm::cantFail(inferLoadTile(p.type(source), graph.attrs.grid, imap,
                                     fmap, loop ? loop->attrs.range : 1))));
    return push(op);
  }
  ValueId op(OpKind kind, std::initializer_list<ValueId> operands,
             Attrs attrs = {}) {
    llvm::SmallVector<TensorType, 3> types;
    for (ValueId id : operands)
      types.push_back(p.type(id));
    Op made{kind, attrs, {}, {}, {}};
    made.operands.assign(operands.begin(), operands.end());
    made.results.push_back(p.addValue(
        llvm::cantFail(inferType(kind, attrs, types, Level::Block))));
    return push(made);
  }
  ValueId constant(ConstantValue value, unsigned rank = 2) {
    Op made{OpKind::Constant,
            {},
            {},
            {p.addValue({Shape(rank, 1), DType::F32})},
            {}};
    made.attrs.constant = value;
    return push(made);
  }
  ValueId running(int accumulator, bool current, Shape shape) {
    Op made{OpKind::Running, {}, {}, {p.addValue({shape, DType::F32})}, {}};
    made.attrs.accumulator = accumulator;
    made.attrs.current = current;
    return push(made);
  }
  std::vector<ValueId> endLoop(std::vector<Accumulator> accumulators) {
    std::vector<ValueId> results;
    for (const Accumulator &acc : accumulators) {
      TensorType type{p.type(acc.value).shape, DType::F32};
      if (acc.reduceDim >= 0)
        type.shape[acc.reduceDim] = 1;
      results.push_back(p.addValue(type));
    }
    loop->attrs.accumulators = std::move(accumulators);
    loop->results.assign(results.begin(), results.end());
    graph.body.push_back(std::move(*loop));
    loop.reset();
    return results;
  }
  ValueId reduceBlocks(ValueId x, int gridDim,
                       ReduceKind kind = ReduceKind::Sum) {
    Op made{OpKind::ReduceBlocks, {}, {x}, {p.addValue(p.type(x))}, {}};
    made.attrs.gridDim = gridDim;
    made.attrs.reduce = kind;
    return push(made);
  }
  void store(ValueId x, GridMap omap, DType dtype) {
    Op made{OpKind::Store, {}, {x}, {}, {}};
    made.attrs.omap = omap;
    graph.results.push_back(p.addValue(llvm::cantFail(
        inferStoreTensor(p.type(x), dtype, graph.attrs.grid, omap))));
    graph.body.push_back(made);
  }
  Program done() {
    p.outputs.assign(graph.results.begin(), graph.results.end());
    p.ops.push_back(std::move(graph));
    return p;
  }

private:
  ValueId push(Op op) {
    ValueId id = op.results[0];
    (loop ? loop->body : graph.body).push_back(std::move(op));
    return id;
  }

  Program &p;
  Op graph;
  std::optional<Op> loop;
};

struct Sizes {
  int64_t rows, inner, cols;
};
constexpr Sizes kSmall = {4, 24, 12};
constexpr Sizes kFullRmsNorm = {16, 4096, 6144};
constexpr Sizes kFullMlp = {8, 4096, 4096};
constexpr double kEps = 1e-6;

/// rms_norm(x) * w, as a user writes it.
inline Program rmsNormLinear(Sizes s, double eps = kEps) {
  Kernel k;
  k.dtype = DType::F16;
  ValueId x = k.input({s.rows, s.inner}), w = k.input({s.inner, s.cols});
  return k.done({k.matmul(k.rmsNorm(x, eps), w)});
}

struct FusedShape {
  int64_t colBlocks, splitK, range;
  bool interleaved = false;
};

/// The one-kernel form: the sum of squares accumulates beside the product, and
/// the division comes after the loop.
inline Program fusedRmsNormLinear(Sizes s, FusedShape shape) {
  Program p;
  ValueId x = p.addInput({{s.rows, s.inner}, DType::F16});
  ValueId w = p.addInput({{s.inner, s.cols}, DType::F16});
  Block b(p, {x, w}, {shape.colBlocks, 1, shape.splitK});
  b.beginLoop(shape.range);
  ValueId xt = b.load(x, {-1, -1, 1}, 1, shape.interleaved);
  ValueId wt = b.load(w, {1, -1, 0}, 0, shape.interleaved);
  ValueId product = b.op(OpKind::Matmul, {xt, wt});
  ValueId square = b.op(OpKind::Square, {xt});
  auto totals = b.endLoop({{AccumulatorKind::Sum, product, -1, -1},
                           {AccumulatorKind::Sum, square, -1, 1}});
  if (shape.splitK > 1)
    for (ValueId &total : totals)
      total = b.reduceBlocks(total, 2);
  ValueId n = b.constant(
      ConstantValue::makeExtent(ConstantValue::Kind::InvExtent, s.inner));
  ValueId mean = b.op(OpKind::Mul, {totals[1], n});
  ValueId eps = b.constant(ConstantValue::makeLiteral(kEps));
  ValueId root = b.op(OpKind::Sqrt, {b.op(OpKind::Add, {mean, eps})});
  b.store(b.op(OpKind::Div, {totals[0], root}), {1, -1, -1}, DType::F16);
  return b.done();
}

/// silu(x w1) * (x w2). `written` spells silu as torch does: y / (1 + exp(-y)).
inline Program gatedMlp(Sizes s, bool written = false) {
  Kernel k;
  k.dtype = DType::F16;
  ValueId x = k.input({s.rows, s.inner}), w1 = k.input({s.inner, s.cols}),
          w2 = k.input({s.inner, s.cols});
  ValueId gate = k.matmul(x, w1);
  ValueId silu = written
                     ? k.div(gate, k.add(k.exp(k.neg(gate)), k.literal(1.0)))
                     : k.op(OpKind::Silu, {gate});
  return k.done({k.mul(silu, k.matmul(x, w2))});
}

inline Program fusedGatedMlp(Sizes s, FusedShape shape) {
  Program p;
  ValueId x = p.addInput({{s.rows, s.inner}, DType::F16});
  ValueId w1 = p.addInput({{s.inner, s.cols}, DType::F16});
  ValueId w2 = p.addInput({{s.inner, s.cols}, DType::F16});
  Block b(p, {x, w1, w2}, {shape.colBlocks, 1, shape.splitK});
  b.beginLoop(shape.range);
  ValueId xt = b.load(x, {-1, -1, 1}, 1);
  ValueId gate = b.op(OpKind::Matmul, {xt, b.load(w1, {1, -1, 0}, 0)});
  ValueId up = b.op(OpKind::Matmul, {xt, b.load(w2, {1, -1, 0}, 0)});
  auto totals = b.endLoop({{AccumulatorKind::Sum, gate, -1, -1},
                           {AccumulatorKind::Sum, up, -1, -1}});
  if (shape.splitK > 1)
    for (ValueId &total : totals)
      total = b.reduceBlocks(total, 2);
  ValueId silu = b.op(OpKind::Silu, {totals[0]});
  b.store(b.op(OpKind::Mul, {silu, totals[1]}), {1, -1, -1}, DType::F16);
  return b.done();
}

} // namespace mirage::verify::test

#endif // MIRAGE_UNITTESTS_VERIFY_PROGRAMS_H
