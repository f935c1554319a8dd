//===- BlockGraph.cpp - Graph-defined kernels, executed literally ---------===//
//
// Blocks run one after another (or on several threads), each with its own
// tiles. `reduce_blocks` is the one place where blocks meet: the body is cut
// there, all blocks run up to the cut, the tiles are combined in the order of
// the axis, and all blocks go on.
//
//===----------------------------------------------------------------------===//

#include "Compute.h"
#include "Mirage/Interpreter/Rounding.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/FormatVariadic.h"
#include <limits>
#include <mutex>
#include <optional>

using namespace mirage;
using namespace mirage::interpreter;
using semantics::Accumulator;
using semantics::AccumulatorKind;
using semantics::DType;
using semantics::GridDims;
using semantics::GridMap;
using semantics::Op;
using semantics::OpKind;
using semantics::ReduceKind;
using semantics::TensorType;
using semantics::ValueId;

namespace {

/// Blocks beyond this many are a mistake, not a program that anyone waits for.
constexpr int64_t kMaxBlocks = int64_t(1) << 26;

/// A place in the loop that encloses an op; outside a loop, iteration 0 of 1.
struct LoopPosition {
  int64_t iteration = 0;
  int64_t range = 1;
  const Op *loop = nullptr;
  const std::vector<Tensor> *states = nullptr; ///< before this iteration
};

/// Index of a block among those along the axes that `map` sends to `dim`, x
/// outermost; `parts` becomes their number.
int64_t splitIndex(const GridDims &grid, const GridDims &block,
                   const GridMap &map, int dim, int64_t &parts) {
  int64_t index = 0;
  parts = 1;
  for (unsigned g = 0; g < 3; ++g)
    if (map[g] == dim) {
      index = index * grid[g] + block[g];
      parts *= grid[g];
    }
  return index;
}

/// The state of an accumulator before the first iteration.
Tensor initialState(const Accumulator &accumulator, const TensorType &type) {
  double start = accumulator.kind == AccumulatorKind::Max
                     ? -std::numeric_limits<double>::infinity()
                     : 0.0;
  return {type, std::vector<double>(type.numElements(), start)};
}

class GraphRunner {
public:
  GraphRunner(const semantics::Program &program, const Op &graph,
              llvm::ArrayRef<const Tensor *> operands, const Context &context)
      : program(program), graph(graph), context(context),
        // Blocks are the unit of parallel work; a product inside one is not.
        blockContext{context.mode, 1, context.cancelled} {
    for (size_t i = 0; i < graph.operands.size(); ++i)
      tensors[graph.operands[i]] = operands[i];
    number(graph.body);
    for (size_t i = 0; i < graph.body.size(); ++i)
      noteUses(graph.body[i], i);
  }

  llvm::Expected<std::vector<Tensor>> run() {
    const GridDims &grid = graph.attrs.grid;
    int64_t blocks = 1;
    for (int64_t dim : grid) {
      if (dim > kMaxBlocks / blocks)
        return llvm::createStringError(
            llvm::formatv("graph: expected at most {0} blocks, but got {1} x "
                          "{2} x {3}",
                          kMaxBlocks, grid[0], grid[1], grid[2]));
      blocks *= dim;
    }
    for (ValueId id : graph.results) {
      const TensorType &type = program.type(id);
      results.push_back({type, std::vector<double>(type.numElements())});
    }

    std::vector<std::vector<Tensor>> tiles(needsAllBlocks() ? blocks : 0);
    size_t begin = 0, storesBefore = 0;
    while (begin < graph.body.size()) {
      size_t end = begin;
      while (end < graph.body.size() &&
             graph.body[end].kind != OpKind::ReduceBlocks)
        ++end;
      parallelFor(context.threads, blocks, [&](int64_t index) {
        std::vector<Tensor> own;
        std::vector<Tensor> &block = tiles.empty() ? own : tiles[index];
        block.resize(local.size());
        runSegment(begin, end, storesBefore, index, block);
      });
      if (firstError)
        return llvm::createStringError(*firstError);
      for (size_t i = begin; i < end; ++i)
        storesBefore += graph.body[i].kind == OpKind::Store;
      if (end < graph.body.size()) {
        reduceBlocks(graph.body[end], tiles);
        releaseDead(end, tiles);
      }
      begin = end + 1;
    }
    return std::move(results);
  }

private:
  bool needsAllBlocks() const {
    for (const Op &op : graph.body)
      if (op.kind == OpKind::ReduceBlocks)
        return true;
    return false;
  }

  void number(llvm::ArrayRef<Op> ops) {
    for (const Op &op : ops) {
      for (ValueId id : op.results)
        local.try_emplace(id, local.size());
      number(op.body);
    }
  }

  void noteUses(const Op &op, size_t position) {
    auto use = [&](ValueId id) {
      auto found = local.find(id);
      if (found != local.end())
        lastUse[found->second] = position;
    };
    for (ValueId id : op.operands)
      use(id);
    for (const Accumulator &accumulator : op.attrs.accumulators) {
      use(accumulator.value);
      if (accumulator.factor >= 0)
        use(accumulator.factor);
    }
    for (const Op &inner : op.body)
      noteUses(inner, position);
  }

  /// Frees tiles that nothing after `position` reads: with thousands of blocks
  /// alive at once, loaded tiles would fill the memory.
  void releaseDead(size_t position, std::vector<std::vector<Tensor>> &tiles) {
    for (std::vector<Tensor> &block : tiles)
      for (size_t i = 0; i < block.size(); ++i) {
        auto found = lastUse.find(i);
        if (found == lastUse.end() || found->second <= position)
          block[i].values = {};
      }
  }

  GridDims coordinates(int64_t index) const {
    const GridDims &grid = graph.attrs.grid;
    return {index / (grid[1] * grid[2]), index / grid[2] % grid[1],
            index % grid[2]};
  }

  void runSegment(size_t begin, size_t end, size_t storesBefore, int64_t index,
                  std::vector<Tensor> &tiles) {
    GridDims block = coordinates(index);
    for (size_t i = begin; i < end; ++i) {
      const Op &op = graph.body[i];
      llvm::Error error = llvm::Error::success();
      if (context.isCancelled())
        error = interrupted();
      else if (op.kind == OpKind::Loop)
        error = runLoop(op, block, tiles);
      else if (op.kind == OpKind::Store)
        store(op, results[storesBefore++], block, tiles);
      else
        error = runOp(op, block, {}, tiles);
      if (error) {
        std::string message = llvm::toString(std::move(error));
        std::lock_guard<std::mutex> guard(errorLock);
        // The error of the first block, whichever thread came first.
        if (!firstError || index < errorBlock) {
          firstError = message;
          errorBlock = index;
        }
        return;
      }
    }
  }

  Tensor &tile(std::vector<Tensor> &tiles, ValueId id) const {
    return tiles[local.lookup(id)];
  }

  llvm::Error runOp(const Op &op, const GridDims &block,
                    const LoopPosition &position, std::vector<Tensor> &tiles) {
    const TensorType &type = program.type(op.results[0]);
    Tensor &result = tile(tiles, op.results[0]);
    if (op.kind == OpKind::Load) {
      result = load(op, type, block, position);
      return llvm::Error::success();
    }
    if (op.kind == OpKind::Running) {
      unsigned index = op.attrs.accumulator;
      result = (*position.states)[index];
      if (op.attrs.current)
        accumulate(position.loop->attrs.accumulators[index], result, tiles);
      return llvm::Error::success();
    }
    llvm::SmallVector<const Tensor *, 3> operands;
    for (ValueId id : op.operands)
      operands.push_back(&tile(tiles, id));
    llvm::Expected<Tensor> value = evaluate(op, type, operands, blockContext);
    if (!value)
      return value.takeError();
    result = std::move(*value);
    return llvm::Error::success();
  }

  Tensor load(const Op &op, const TensorType &type, const GridDims &block,
              const LoopPosition &position) const {
    const Tensor &tensor = *tensors.lookup(op.operands[0]);
    llvm::SmallVector<int64_t, 6> strides = stridesOf(tensor.type.shape);
    int64_t base = 0;
    for (int d = 0; d < type.rank(); ++d) {
      bool split = op.attrs.fmap == d;
      int64_t i = split ? position.iteration : 0;
      int64_t range = split ? position.range : 1;
      int64_t parts;
      int64_t part =
          splitIndex(graph.attrs.grid, block, op.attrs.imap, d, parts);
      int64_t piece =
          op.attrs.interleaved ? i * parts + part : part * range + i;
      base += piece * type.shape[d] * strides[d];
    }
    Tensor result{type, {}};
    result.values.resize(type.numElements());
    int64_t columns = type.shape.empty() ? 1 : type.shape.back();
    forEachRow(type.shape, strides,
               [&](int64_t outer, llvm::ArrayRef<int64_t> offsets) {
                 std::copy_n(tensor.values.data() + base + offsets[0], columns,
                             result.values.data() + outer);
               });
    return result;
  }

  void store(const Op &op, Tensor &result, const GridDims &block,
             std::vector<Tensor> &tiles) const {
    // Along an axis that omap does not name all blocks hold the same tile, and
    // the first one writes it.
    for (unsigned g = 0; g < 3; ++g)
      if (op.attrs.omap[g] < 0 && block[g] != 0)
        return;
    const Tensor &source = tile(tiles, op.operands[0]);
    const TensorType &type = source.type;
    llvm::SmallVector<int64_t, 6> strides = stridesOf(result.type.shape);
    int64_t base = 0, parts;
    for (int d = 0; d < type.rank(); ++d)
      base += splitIndex(graph.attrs.grid, block, op.attrs.omap, d, parts) *
              type.shape[d] * strides[d];
    DType dtype = result.type.dtype;
    bool rounds = context.mode == Mode::Program;
    int64_t columns = type.shape.empty() ? 1 : type.shape.back();
    forEachRow(type.shape, strides,
               [&](int64_t outer, llvm::ArrayRef<int64_t> offsets) {
                 const double *from = source.values.data() + outer;
                 double *to = result.values.data() + base + offsets[0];
                 for (int64_t j = 0; j < columns; ++j)
                   to[j] = rounds ? roundThroughF32(dtype, from[j]) : from[j];
               });
  }

  /// state = the state after one more contribution.
  void accumulate(const Accumulator &accumulator, Tensor &state,
                  std::vector<Tensor> &tiles) const {
    const Tensor *value = &tile(tiles, accumulator.value);
    Tensor reduced;
    bool isMax = accumulator.kind == AccumulatorKind::Max;
    if (accumulator.reduceDim >= 0) {
      reduced = reduce(*value, {accumulator.reduceDim},
                       isMax ? ReduceKind::Max : ReduceKind::Sum, state.type,
                       blockContext);
      value = &reduced;
    }
    if (accumulator.kind == AccumulatorKind::Rescale) {
      Op scale{OpKind::Mul, {}, {}, {}, {}};
      // Multiplication fits any shapes here, so it cannot fail.
      state = llvm::cantFail(
          evaluate(scale, state.type,
                   {&state, &tile(tiles, accumulator.factor)}, blockContext));
    }
    for (size_t i = 0; i < state.values.size(); ++i) {
      double &total = state.values[i];
      total =
          isMax ? maximum(total, value->values[i]) : total + value->values[i];
    }
    roundResult(state, blockContext);
  }

  llvm::Error runLoop(const Op &loop, const GridDims &block,
                      std::vector<Tensor> &tiles) {
    const std::vector<Accumulator> &accumulators = loop.attrs.accumulators;
    std::vector<Tensor> states;
    for (size_t a = 0; a < accumulators.size(); ++a)
      states.push_back(
          initialState(accumulators[a], program.type(loop.results[a])));
    for (int64_t i = 0; i < loop.attrs.range; ++i) {
      if (context.isCancelled())
        return interrupted();
      LoopPosition position{i, loop.attrs.range, &loop, &states};
      for (const Op &op : loop.body)
        if (llvm::Error error = runOp(op, block, position, tiles))
          return error;
      for (size_t a = 0; a < accumulators.size(); ++a)
        accumulate(accumulators[a], states[a], tiles);
    }
    for (size_t a = 0; a < accumulators.size(); ++a)
      tile(tiles, loop.results[a]) = std::move(states[a]);
    return llvm::Error::success();
  }

  void reduceBlocks(const Op &op, std::vector<std::vector<Tensor>> &tiles) {
    const GridDims &grid = graph.attrs.grid;
    int axis = op.attrs.gridDim;
    int64_t stride = axis == 0 ? grid[1] * grid[2] : axis == 1 ? grid[2] : 1;
    for (size_t first = 0; first < tiles.size(); ++first) {
      if (coordinates(first)[axis] != 0)
        continue;
      Tensor total = tile(tiles[first], op.operands[0]);
      for (int64_t b = 1; b < grid[axis]; ++b) {
        const Tensor &next = tile(tiles[first + b * stride], op.operands[0]);
        for (size_t i = 0; i < total.values.size(); ++i)
          total.values[i] = op.attrs.reduce == ReduceKind::Max
                                ? maximum(total.values[i], next.values[i])
                                : total.values[i] + next.values[i];
        roundResult(total, blockContext);
      }
      for (int64_t b = 0; b < grid[axis]; ++b)
        tile(tiles[first + b * stride], op.results[0]) = total;
    }
  }

  const semantics::Program &program;
  const Op &graph;
  Context context, blockContext;
  llvm::DenseMap<ValueId, const Tensor *> tensors;
  llvm::DenseMap<ValueId, size_t>
      local; ///< value -> index into a block's tiles
  llvm::DenseMap<size_t, size_t> lastUse; ///< index -> top-level op
  std::vector<Tensor> results;
  std::mutex errorLock;
  std::optional<std::string> firstError;
  int64_t errorBlock = 0;
};

} // namespace

llvm::Expected<std::vector<Tensor>>
interpreter::runGraph(const semantics::Program &program, const Op &graph,
                      llvm::ArrayRef<const Tensor *> operands,
                      const Context &context) {
  return GraphRunner(program, graph, operands, context).run();
}
