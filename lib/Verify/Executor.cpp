//===- Executor.cpp - Runs a program over a domain ------------------------===//

#include "Executor.h"
#include "Mirage/Semantics/Evaluate.h"
#include "Parallel.h"

using namespace mirage::semantics;
using namespace mirage::verify;

namespace {
using Env = std::vector<TileRef>; ///< by value id; null where not computed

/// One compute op, at kernel or block level.
TileRef compute(const Program &program, const Op &op, const Env &env,
                TileDomain &base, unsigned threads) {
  ValueId id = op.results[0];
  const TensorType &type = program.type(id);
  std::unique_ptr<TileDomain> d = base.at(id, op.kind, threads);
  llvm::SmallVector<TileRef, 3> args;
  for (ValueId operand : op.operands)
    args.push_back(env[operand]);
  switch (opClass(op.kind)) {
  case OpClass::Unary:
  case OpClass::Binary:
  case OpClass::Compare:
  case OpClass::Select:
    return evalElementwise<TileDomain>(*d, op.kind, op.attrs, args, type.dtype);
  case OpClass::Iota:
    return d->iota(type.shape, op.attrs.dims[0]);
  case OpClass::Matmul:
    return d->matmul(args[0], args[1], op.attrs.transposeRhs, type.shape);
  case OpClass::Reduce: {
    if (op.attrs.reduce == ReduceKind::Max)
      return d->reduceMax(args[0], op.attrs.dims);
    TileRef sum = d->reduceSum(args[0], op.attrs.dims);
    if (op.attrs.reduce == ReduceKind::Sum)
      return sum;
    int64_t count = 1;
    for (int64_t dim : op.attrs.dims)
      count *= args[0]->shape[dim];
    return d->mul(sum, d->constant(ConstantValue::makeExtent(
                           ConstantValue::Kind::InvExtent, count)));
  }
  case OpClass::Transpose: {
    Strides from = rowMajor(args[0]->shape), strides;
    for (int64_t dim : op.attrs.dims)
      strides.push_back(from[dim]);
    return stridedCopy(*d->moved(args[0]), type.shape, 0, strides);
  }
  case OpClass::Reshape:
    return reshaped(*d->moved(args[0]), type.shape);
  case OpClass::Broadcast:
    return stridedCopy(*d->moved(args[0]), type.shape, 0,
                       broadcastStrides(args[0]->shape, type.shape));
  case OpClass::Slice: {
    Strides strides = rowMajor(args[0]->shape);
    int64_t base = 0;
    for (size_t i = 0; i < strides.size(); ++i) {
      base += op.attrs.offsets[i] * strides[i];
      strides[i] *= op.attrs.strides[i];
    }
    return stridedCopy(*d->moved(args[0]), type.shape, base, strides);
  }
  case OpClass::Concat: {
    auto result = std::make_shared<Tile>();
    result->shape = type.shape;
    Shape offset(type.shape.size(), 0);
    bool allBags = true, allIndices = true;
    for (const TileRef &part : args) {
      writeInto(*result, *d->moved(part), offset);
      offset[op.attrs.dims[0]] += part->shape[op.attrs.dims[0]];
      allBags &= !part->bags.empty();
      allIndices &= !part->index.empty();
    }
    // What only some parts have says nothing about the whole.
    if (!allBags)
      result->bags.clear();
    if (!allIndices)
      result->index.clear();
    return result;
  }
  case OpClass::Constant: {
    TileRef value = d->constant(op.attrs.constant);
    return stridedCopy(*value, type.shape, 0, Strides(type.shape.size(), 0));
  }
  case OpClass::Norm:
  case OpClass::Softmax:
  case OpClass::Gather:
  case OpClass::Structure:
    break;
  }
  d->fail(FailureKind::CannotTell, "expected an op that the verifier models");
  TileRef zero = d->constant(ConstantValue::makeLiteral(0.0));
  return stridedCopy(*zero, type.shape, 0, Strides(type.shape.size(), 0));
}

using Index = std::array<int64_t, 3>;

/// Runs one Graph op.
class GraphRun {
public:
  GraphRun(const Program &program, const Op &graph, Env &outer,
           TileDomain &domain, unsigned threads)
      : program(program), graph(graph), outer(outer), domain(domain),
        threads(threads) {
    const GridDims &grid = graph.attrs.grid;
    numBlocks = grid[0] * grid[1] * grid[2];
    lastUse.assign(program.values.size(), -1);
    for (size_t i = 0; i < graph.body.size(); ++i)
      markUses(graph.body[i], static_cast<int>(i));
  }

  void run() {
    blocks.assign(numBlocks, Env(program.values.size()));
    // Blocks run one after another up to a reduce_blocks, where all meet.
    size_t begin = 0;
    for (size_t end = 0; end <= graph.body.size(); ++end) {
      bool atEnd = end == graph.body.size();
      if (!atEnd && graph.body[end].kind != OpKind::ReduceBlocks)
        continue;
      parallelFor(numBlocks, threads, [&](int64_t block) {
        for (size_t i = begin; i < end; ++i)
          runBlockOp(block, static_cast<int>(i));
      });
      if (!atEnd)
        reduceBlocks(graph.body[end], static_cast<int>(end));
      begin = end + 1;
    }
    store();
  }

private:
  void markUses(const Op &op, int index) {
    // A store happens when all blocks have ended.
    int at =
        op.kind == OpKind::Store ? static_cast<int>(graph.body.size()) : index;
    for (ValueId id : op.operands)
      lastUse[id] = std::max(lastUse[id], at);
    for (const Accumulator &acc : op.attrs.accumulators)
      for (ValueId id : {acc.value, acc.factor})
        if (id >= 0)
          lastUse[id] = std::max(lastUse[id], at);
    for (const Op &inner : op.body)
      markUses(inner, index);
  }

  Index indexOf(int64_t block) const {
    const GridDims &grid = graph.attrs.grid;
    return {block / (grid[1] * grid[2]), block / grid[2] % grid[1],
            block % grid[2]};
  }

  void runBlockOp(int64_t block, int index) {
    const Op &op = graph.body[index];
    Env &env = blocks[block];
    if (op.kind == OpKind::Store)
      return;
    if (op.kind == OpKind::Loop)
      runLoop(op, env, indexOf(block));
    else if (op.kind == OpKind::Load)
      env[op.results[0]] = load(op, indexOf(block), 0, 1);
    else
      env[op.results[0]] = compute(program, op, env, domain, /*threads=*/1);
    release(env, index);
  }

  void release(Env &env, int index) {
    for (size_t id = 0; id < env.size(); ++id)
      if (env[id] && lastUse[id] <= index)
        env[id] = nullptr;
  }

  /// The part of a tensor that block `at` reads in one iteration.
  TileRef load(const Op &op, const Index &at, int64_t iteration,
               int64_t range) {
    const Tile &source = *outer[op.operands[0]];
    const Shape &shape = program.type(op.results[0]).shape;
    Strides strides = rowMajor(source.shape);
    int64_t base = 0;
    for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d) {
      int64_t part = 0, parts = 1;
      for (int g = 0; g < 3; ++g)
        if (op.attrs.imap[g] == d) {
          part = part * graph.attrs.grid[g] + at[g];
          parts *= graph.attrs.grid[g];
        }
      bool split = op.attrs.fmap == d;
      int64_t r = split ? range : 1, i = split ? iteration : 0;
      int64_t tile = op.attrs.interleaved ? i * parts + part : part * r + i;
      base += tile * shape[d] * strides[d];
    }
    return stridedCopy(source, shape, base, strides);
  }

  void runLoop(const Op &loop, Env &env, const Index &at) {
    const std::vector<Accumulator> &accumulators = loop.attrs.accumulators;
    std::vector<TileRef> states(accumulators.size());
    for (int64_t i = 0; i < loop.attrs.range; ++i) {
      std::vector<TileRef> next(accumulators.size());
      auto current = [&](size_t a) {
        if (!next[a])
          next[a] = contribute(loop, a, states[a], env);
        return next[a];
      };
      for (const Op &op : loop.body) {
        TileRef &result = env[op.results[0]];
        if (op.kind == OpKind::Load)
          result = load(op, at, i, loop.attrs.range);
        else if (op.kind == OpKind::Running && op.attrs.current)
          result = current(op.attrs.accumulator);
        else if (op.kind == OpKind::Running)
          result = states[op.attrs.accumulator]
                       ? states[op.attrs.accumulator]
                       : initial(op, accumulators[op.attrs.accumulator]);
        else
          result = compute(program, op, env, domain, /*threads=*/1);
      }
      for (size_t a = 0; a < accumulators.size(); ++a)
        current(a);
      states = std::move(next);
    }
    for (const Op &op : loop.body)
      env[op.results[0]] = nullptr;
    for (size_t a = 0; a < accumulators.size(); ++a)
      env[loop.results[a]] = states[a];
  }

  TileRef initial(const Op &running, const Accumulator &acc) {
    ConstantValue value;
    if (acc.kind == AccumulatorKind::Max)
      value.kind = ConstantValue::Kind::NegInf;
    TileRef scalar = domain.constant(value);
    const Shape &shape = program.type(running.results[0]).shape;
    return stridedCopy(*scalar, shape, 0, Strides(shape.size(), 0));
  }

  /// The state of accumulator `index` after this iteration; `state` is null
  /// before the first.
  TileRef contribute(const Op &loop, size_t index, const TileRef &state,
                     const Env &env) {
    const Accumulator &acc = loop.attrs.accumulators[index];
    std::unique_ptr<TileDomain> d =
        domain.at(loop.results[index], OpKind::Loop, 1);
    bool isMax = acc.kind == AccumulatorKind::Max;
    // A maximum reads components that its result may not want.
    TileRef value = isMax ? env[acc.value] : d->moved(env[acc.value]);
    if (acc.reduceDim >= 0)
      value = isMax ? d->reduceMax(value, {acc.reduceDim})
                    : d->reduceSum(value, {acc.reduceDim});
    if (!state)
      return value;
    if (isMax)
      return d->max(state, value);
    if (acc.kind == AccumulatorKind::Rescale)
      return d->add(d->mul(state, env[acc.factor]), value);
    return d->add(state, value);
  }

  void reduceBlocks(const Op &op, int index) {
    const GridDims &grid = graph.attrs.grid;
    int64_t along = grid[op.attrs.gridDim];
    const int64_t strides[] = {grid[1] * grid[2], grid[2], 1};
    int64_t stride = strides[op.attrs.gridDim];
    parallelFor(numBlocks, threads, [&](int64_t block) {
      if (indexOf(block)[op.attrs.gridDim] != 0)
        return;
      std::unique_ptr<TileDomain> d =
          domain.at(op.results[0], op.kind, /*threads=*/1);
      bool isMax = op.attrs.reduce == ReduceKind::Max;
      TileRef total = blocks[block][op.operands[0]];
      if (!isMax)
        total = d->moved(total);
      for (int64_t i = 1; i < along; ++i) {
        const TileRef &tile = blocks[block + i * stride][op.operands[0]];
        total = isMax ? d->max(total, tile) : d->add(total, tile);
      }
      for (int64_t i = 0; i < along; ++i) {
        Env &env = blocks[block + i * stride];
        env[op.results[0]] = total;
        release(env, index);
      }
    });
  }

  void store() {
    size_t position = 0;
    for (const Op &op : graph.body) {
      if (op.kind != OpKind::Store)
        continue;
      ValueId result = graph.results[position++];
      auto tensor = std::make_shared<Tile>();
      tensor->shape = program.type(result).shape;
      std::unique_ptr<TileDomain> d =
          domain.at(result, OpKind::Store, /*threads=*/1);
      for (int64_t block = 0; block < numBlocks; ++block) {
        TileRef tile = d->moved(blocks[block][op.operands[0]]);
        Index at = indexOf(block);
        Shape offset(tile->shape.size(), 0);
        bool first = true;
        for (int g = 0; g < 3; ++g) {
          int64_t dim = op.attrs.omap[g];
          if (dim >= 0)
            offset[dim] = offset[dim] * graph.attrs.grid[g] + at[g];
          else
            first &= at[g] == 0;
        }
        for (size_t i = 0; i < offset.size(); ++i)
          offset[i] *= tile->shape[i];
        if (first)
          writeInto(*tensor, *tile, offset);
        else if (!equalsPart(*tensor, *tile, offset))
          d->fail(FailureKind::Malformed,
                  "expected one value for each element, but got blocks that "
                  "store different ones");
      }
      outer[result] = tensor;
    }
  }

  const Program &program;
  const Op &graph;
  Env &outer;
  TileDomain &domain;
  unsigned threads;
  int64_t numBlocks = 0;
  std::vector<Env> blocks;
  /// Index in the body of the op that reads a value last.
  std::vector<int> lastUse;
};
} // namespace

std::vector<TileRef> mirage::verify::execute(const Program &program,
                                             TileDomain &domain,
                                             llvm::ArrayRef<TileRef> inputs,
                                             unsigned threads) {
  Env env(program.values.size());
  for (unsigned i = 0; i < program.numInputs; ++i)
    env[i] = inputs[i];
  for (const Op &op : program.ops) {
    if (op.kind == OpKind::Graph)
      GraphRun(program, op, env, domain, threads).run();
    else
      env[op.results[0]] = compute(program, op, env, domain, threads);
  }
  std::vector<TileRef> outputs;
  for (ValueId id : program.outputs)
    outputs.push_back(env[id]);
  return outputs;
}
