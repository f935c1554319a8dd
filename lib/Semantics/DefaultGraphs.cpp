//===- DefaultGraphs.cpp - Graphs for predefined products -----------------===//

#include "Mirage/Semantics/DefaultGraphs.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"

using namespace mirage::semantics;

namespace {
/// The largest divisor of `size` that is at most `limit`.
int64_t largestDivisor(int64_t size, int64_t limit) {
  for (int64_t d = std::min(size, limit); d > 1; --d)
    if (size % d == 0)
      return d;
  return 1;
}

class GraphWrapper {
public:
  GraphWrapper(const Program &source, const DefaultGraphLimits &limits)
      : source(source), limits(limits) {
    // Value ids of the source stay valid: new values come after them.
    result.name = source.name;
    result.values = source.values;
    result.numInputs = source.numInputs;
    result.outputs = source.outputs;
  }

  Program run() {
    for (const Op &op : source.ops) {
      if (op.kind == OpKind::Constant)
        constants[op.results[0]] = op.attrs.constant;
      if (op.kind == OpKind::Graph)
        result.ops.push_back(foldConstants(op));
      else if (op.kind != OpKind::Matmul || !wrapMatmul(op))
        result.ops.push_back(op);
    }
    return std::move(result);
  }

private:
  /// Tile sizes of a product, or nothing where no block graph fits it.
  struct Tiles {
    int64_t rows, cols, depth, stages;
  };

  std::optional<Tiles> chooseTiles(const TensorType &lhs, const TensorType &out,
                                   int64_t batch) const {
    int64_t rank = out.rank();
    int64_t m = out.shape[rank - 2], n = out.shape[rank - 1];
    int64_t k = lhs.shape[rank - 1];
    bool isFactor = lhs.dtype == DType::F16 || lhs.dtype == DType::BF16 ||
                    lhs.dtype == DType::F32;
    if (!isFactor || k % 16 != 0 || n % 8 != 0)
      return std::nullopt;
    Tiles tiles;
    tiles.rows = m <= 64 ? m : largestDivisor(m, 64);
    // Rows are padded to 16, so that few of them multiply padding. Where no
    // divisor fills 16 a tile takes more rows than it otherwise would, with a
    // product of rows and columns that the registers still hold.
    if (m > 64 && tiles.rows < 16)
      tiles.rows = largestDivisor(m, 256);
    if (m > 64 && tiles.rows < 8)
      return std::nullopt;
    bool tall = tiles.rows > 64;
    int64_t deepest = tall ? 32 : 64;
    tiles.depth = k % deepest == 0 ? deepest : k % 32 == 0 ? 32 : 16;
    tiles.cols = 8;
    for (int64_t cols : {64, 32, 16})
      if (cols <= (tall ? 32 : 64) && n % cols == 0 &&
          (n / cols) * (m / tiles.rows) * batch >=
              (cols == 16 ? 1 : limits.multiprocessors)) {
        tiles.cols = cols;
        break;
      }
    auto padded = (tiles.rows + 15) / 16 * 16;
    int64_t stageBytes =
        (padded + tiles.cols) * (tiles.depth + 8) * byteWidth(lhs.dtype) + 2048;
    tiles.stages = std::clamp<int64_t>(limits.sharedLimit / stageBytes, 2, 5);
    if (m / tiles.rows > 65535 || batch > 65535)
      return std::nullopt;
    return tiles;
  }

  ValueId reshape(ValueId value, Shape shape) {
    if (result.type(value).shape == shape)
      return value;
    TensorType type{std::move(shape), result.type(value).dtype};
    Op op{OpKind::Reshape, {}, {value}, {result.addValue(type)}, {}};
    result.ops.push_back(op);
    return op.results[0];
  }

  bool wrapMatmul(const Op &op) {
    ValueId lhs = op.operands[0], rhs = op.operands[1], out = op.results[0];
    const TensorType outType = result.type(out);
    int64_t rank = outType.rank(), batch = 1;
    for (int64_t d = 0; d + 2 < rank; ++d)
      batch *= outType.shape[d];
    auto tiles = chooseTiles(result.type(lhs), outType, batch);
    if (!tiles)
      return false;
    // One grid axis serves the batch: each operand has all of it or none.
    auto batchOf = [&](ValueId id) -> int64_t {
      int64_t count = 1;
      for (int64_t d = 0; d + 2 < rank; ++d)
        count *= result.type(id).shape[d];
      return count;
    };
    int64_t lhsBatch = batchOf(lhs), rhsBatch = batchOf(rhs);
    if ((lhsBatch != 1 && lhsBatch != batch) ||
        (rhsBatch != 1 && rhsBatch != batch))
      return false;
    auto flat = [&](ValueId id, int64_t count) {
      const Shape &shape = result.type(id).shape;
      return rank == 2 ? shape : Shape{count, shape[rank - 2], shape[rank - 1]};
    };
    lhs = reshape(lhs, flat(lhs, lhsBatch));
    rhs = reshape(rhs, flat(rhs, rhsBatch));
    ValueId stored = out;
    if (rank > 3)
      stored = result.addValue({flat(out, batch), outType.dtype});
    writeGraph(op, lhs, rhs, stored, *tiles, batch);
    if (stored != out)
      result.ops.push_back({OpKind::Reshape, {}, {stored}, {out}, {}});
    return true;
  }

  void writeGraph(const Op &matmul, ValueId lhs, ValueId rhs, ValueId out,
                  const Tiles &tiles, int64_t batch) {
    const TensorType left = result.type(lhs), right = result.type(rhs),
                     product = result.type(out);
    bool transposed = matmul.attrs.transposeRhs;
    int rank = static_cast<int>(product.rank());
    int row = rank - 2, col = rank - 1;
    int64_t depth = left.shape[col];

    Op graph{OpKind::Graph, {}, {lhs, rhs}, {out}, {}};
    graph.attrs.grid = {product.shape[col] / tiles.cols,
                        product.shape[row] / tiles.rows, batch};
    graph.attrs.stages = tiles.stages;
    Op loop{OpKind::Loop, {}, {}, {}, {}};
    loop.attrs.range = depth / tiles.depth;
    auto load = [&](ValueId tensor, GridMap imap, int fmap) {
      Op op{OpKind::Load, {}, {tensor}, {}, {}};
      op.attrs.imap = imap;
      if (rank == 3)
        op.attrs.imap[2] = result.type(tensor).shape[0] == 1 ? -1 : 0;
      op.attrs.fmap = fmap;
      // Every size divides by construction.
      TensorType tile =
          llvm::cantFail(inferLoadTile(result.type(tensor), graph.attrs.grid,
                                       op.attrs.imap, fmap, loop.attrs.range));
      op.results.push_back(result.addValue(tile));
      loop.body.push_back(op);
      return op.results[0];
    };
    ValueId a = load(lhs, {-1, row, -1}, col);
    ValueId b = transposed ? load(rhs, {row, -1, -1}, col)
                           : load(rhs, {col, -1, -1}, row);
    TensorType tile{Shape(rank, 1), DType::F32};
    tile.shape[row] = tiles.rows;
    tile.shape[col] = tiles.cols;
    Op dot{OpKind::Matmul, matmul.attrs, {a, b}, {result.addValue(tile)}, {}};
    Accumulator total;
    total.value = dot.results[0];
    loop.body.push_back(dot);
    loop.attrs.accumulators.push_back(total);
    loop.results.push_back(result.addValue(tile));
    Op store{OpKind::Store, {}, {loop.results[0]}, {}, {}};
    store.attrs.omap = {col, row, rank == 3 ? 0 : -1};
    graph.body = {loop, store};
    result.ops.push_back(graph);
  }

  Op foldConstants(const Op &graph) {
    Op folded = graph;
    for (ValueId id : graph.operands) {
      auto constant = constants.find(id);
      if (constant == constants.end())
        continue;
      llvm::SmallSet<ValueId, 4> loads;
      forEachOp(folded.body, [&](Op &op) {
        if (op.kind == OpKind::Load && op.operands[0] == id)
          loads.insert(op.results[0]);
      });
      // A product wants its operands in memory and of one type.
      bool feedsProduct = false;
      forEachOp(folded.body, [&](Op &op) {
        for (ValueId operand : op.operands)
          feedsProduct |= op.kind == OpKind::Matmul && loads.count(operand);
      });
      if (feedsProduct)
        continue;
      forEachOp(folded.body, [&](Op &op) {
        if (op.kind != OpKind::Load || op.operands[0] != id)
          return;
        Attrs attrs;
        attrs.constant = constant->second;
        result.values[op.results[0]].dtype = DType::F32;
        op = Op{OpKind::Constant, attrs, {}, op.results, {}};
      });
      llvm::erase(folded.operands, id);
    }
    return folded;
  }

  template <class Visit>
  static void forEachOp(std::vector<Op> &body, Visit visit) {
    for (Op &op : body) {
      visit(op);
      forEachOp(op.body, visit);
    }
  }

  const Program &source;
  const DefaultGraphLimits &limits;
  Program result;
  llvm::DenseMap<ValueId, ConstantValue> constants;
};
} // namespace

Program mirage::semantics::wrapPredefinedOps(const Program &program,
                                             const DefaultGraphLimits &limits) {
  return GraphWrapper(program, limits).run();
}
