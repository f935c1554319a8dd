//===- Instances.cpp - Grid, loop, cluster, threads and stages ------------===//

#include "Instances.h"
#include "Mirage/Cost/CostModel.h"
#include <algorithm>
#include <set>

using namespace mirage::search;
using namespace mirage::semantics;

namespace {
constexpr int64_t kMaxColumns = 512; ///< of a tile
constexpr int64_t kMaxRows = 128;
constexpr int64_t kMaxDepth = 256; ///< of a loop's tile

/// Where a class stands in the tensors, which decides the tiles it can have.
struct Role {
  bool column = false;  ///< last dim of an input or output
  bool batch = false;   ///< ahead of the last two dims of some tensor
  bool product = false; ///< contracted, a row or a column of a matmul
};

Role roleOf(const Analysis &analysis, int sizeClass) {
  Role role;
  role.batch = analysis.classes[sizeClass].batch;
  const Program &program = *analysis.program;
  auto look = [&](ValueId v) {
    const auto &dims = analysis.dims[v];
    for (unsigned d = 0; d < dims.size(); ++d)
      if (dims[d] == sizeClass) {
        role.column |= d + 1 == dims.size();
      }
  };
  for (unsigned i = 0; i < program.numInputs; ++i)
    look(i);
  for (ValueId v : program.outputs)
    look(v);
  for (const Op &op : program.ops)
    if (op.kind == OpKind::Matmul)
      for (ValueId v : {op.operands[0], op.operands[1]}) {
        const auto &dims = analysis.dims[v];
        role.product |= llvm::is_contained(
            llvm::ArrayRef<int>(dims).take_back(2), sizeClass);
      }
  return role;
}

/// Tiles that an axis may give a class, widest first.
std::vector<int64_t> tileSizes(int64_t extent, const Role &role) {
  if (role.batch)
    return {1};
  std::vector<int64_t> tiles;
  int64_t most = role.column ? kMaxColumns : kMaxRows;
  for (int64_t t = std::min(extent, most); t >= 1; --t) {
    if (extent % t != 0)
      continue;
    if (role.column && t % 8 != 0 && t != extent)
      continue;
    // Rows in powers of two, or all of them.
    if (!role.column && t != extent && (t & (t - 1)) != 0)
      continue;
    tiles.push_back(t);
  }
  if (tiles.empty())
    tiles.push_back(extent);
  return tiles;
}

std::vector<int64_t> loopTiles(int64_t extent, bool product) {
  std::vector<int64_t> tiles;
  int64_t unit = product ? 16 : 8;
  for (int64_t t = std::min(extent, kMaxDepth); t >= unit; --t)
    if (extent % t == 0 && t % unit == 0)
      tiles.push_back(t);
  return tiles;
}

/// What the lowering asks of tiles: products in multiples of what a tensor-core
/// instruction takes, leading dims of size 1, rows of whole 16-byte pieces in
/// pipelined loads.
bool fitsLowering(const Program &program, const std::vector<Op> &body,
                  bool inLoop) {
  for (const Op &op : body) {
    if (op.kind == OpKind::Loop && !fitsLowering(program, op.body, true))
      return false;
    if (op.kind == OpKind::Matmul) {
      const TensorType &result = program.type(op.results[0]);
      if (program.type(op.operands[0]).shape.back() % 16 != 0 ||
          result.shape.back() % 8 != 0)
        return false;
    }
    for (ValueId v : op.results) {
      const Shape &shape = program.type(v).shape;
      for (size_t d = 0; d + 2 < shape.size(); ++d)
        if (shape[d] != 1)
          return false;
    }
    if (inLoop && op.kind == OpKind::Load) {
      const TensorType &tile = program.type(op.results[0]);
      const TensorType &tensor = program.type(op.operands[0]);
      int64_t row = tile.shape.empty() ? 1 : tile.shape.back();
      bool whole = !tensor.shape.empty() && row == tensor.shape.back();
      if (!whole && row * byteWidth(tile.dtype) % 16 != 0)
        return false;
    }
  }
  return true;
}

class Instantiator {
public:
  Instantiator(const ValueGraph &values, const GraphSketch &graph,
               const SearchOptions &options, unsigned limit, SearchStats &stats)
      : values(values), graph(graph), options(options), limit(limit),
        stats(stats) {
    const Structure &structure = values.structure;
    for (int node : graph.order)
      hasLoop |= values.nodes()[node].phase == Phase::Inside;
    for (unsigned axis = 0; axis < 3; ++axis) {
      int c = structure.axisClass[axis];
      if (c < 0 || !structure.isParallel(axis)) {
        parts[axis] = {1};
        continue;
      }
      int64_t extent = extentOf(c);
      for (int64_t tile : tileSizes(extent, roleOf(values.analysis, c)))
        parts[axis].push_back(extent / tile);
    }
  }

  std::vector<Candidate> run() {
    InstanceSizes sizes;
    chooseAxis(0, sizes);
    std::stable_sort(best.begin(), best.end(), byCost);
    return std::move(best);
  }

private:
  static bool byCost(const Candidate &a, const Candidate &b) {
    return a.predictedMicros < b.predictedMicros;
  }
  int64_t extentOf(int c) const { return values.analysis.classes[c].extent; }
  bool cancelled() const {
    return options.cancel && options.cancel->load(std::memory_order_relaxed);
  }

  void chooseAxis(unsigned axis, InstanceSizes &sizes) {
    if (cancelled())
      return;
    if (axis == 3) {
      chooseLoop(sizes);
      return;
    }
    if (static_cast<int>(axis) == values.structure.reduceAxis) {
      for (int64_t n = 1; n <= options.target.maxCluster; n *= 2)
        if (extentOf(values.structure.axisClass[axis]) % n == 0) {
          sizes.axes[axis] = n;
          chooseAxis(axis + 1, sizes);
        }
      return;
    }
    for (int64_t n : parts[axis]) {
      sizes.axes[axis] = n;
      chooseAxis(axis + 1, sizes);
    }
  }

  void chooseLoop(InstanceSizes &sizes) {
    int c = values.structure.loopClass;
    if (!hasLoop || c < 0) {
      sizes.axes[kLoopAxis] = 1;
      tryInstance(sizes);
      return;
    }
    int64_t extent = extentOf(c);
    if (values.structure.reduceAxis >= 0)
      extent /= sizes.axes[values.structure.reduceAxis];
    for (int64_t tile : loopTiles(extent, roleOf(values.analysis, c).product)) {
      sizes.axes[kLoopAxis] = extent / tile;
      tryInstance(sizes);
    }
  }

  void tryInstance(const InstanceSizes &sizes) {
    ++stats.instances;
    auto program = emitGraph(values, graph, sizes);
    if (!program) {
      llvm::consumeError(program.takeError());
      ++stats.prunedResource;
      return;
    }
    Op &kernel = program->ops[0];
    if (!fitsLowering(*program, kernel.body, false)) {
      ++stats.prunedResource;
      return;
    }
    bool fits = false;
    Candidate candidate;
    candidate.countedOps = graph.countedOps;
    for (int64_t threads : {128, 256})
      for (int64_t stages : {3, 4, 5, 6, 8}) {
        int64_t range = sizes.axes[kLoopAxis];
        // Stages past the iterations would only take shared memory.
        if (!hasLoop && stages != 3)
          continue;
        if (hasLoop && stages > std::max<int64_t>(range, 3))
          continue;
        kernel.attrs.threads = threads;
        kernel.attrs.stages = hasLoop ? stages : 0;
        mirage::cost::GraphCost cost =
            mirage::cost::costGraph(*program, kernel, options.target);
        if (!cost.rejected.empty())
          continue;
        if (fits && cost.micros >= candidate.predictedMicros)
          continue;
        fits = true;
        candidate.predictedMicros = cost.micros;
        chosenThreads = threads;
        chosenStages = kernel.attrs.stages;
      }
    if (!fits) {
      ++stats.prunedResource;
      return;
    }
    if (best.size() >= limit &&
        candidate.predictedMicros >= best.back().predictedMicros)
      return;
    kernel.attrs.threads = chosenThreads;
    kernel.attrs.stages = chosenStages;
    if (llvm::Error e = verifyProgram(*program)) {
      llvm::consumeError(std::move(e));
      ++stats.prunedResource;
      return;
    }
    candidate.program = std::move(*program);
    best.insert(std::upper_bound(best.begin(), best.end(), candidate, byCost),
                std::move(candidate));
    if (best.size() > limit)
      best.pop_back();
  }

  const ValueGraph &values;
  const GraphSketch &graph;
  const SearchOptions &options;
  unsigned limit;
  SearchStats &stats;
  bool hasLoop = false;
  std::array<std::vector<int64_t>, 3> parts;
  std::vector<Candidate> best;
  int64_t chosenThreads = 0, chosenStages = 0;
};
} // namespace

std::vector<Candidate> mirage::search::instantiate(const ValueGraph &values,
                                                   const GraphSketch &graph,
                                                   const SearchOptions &options,
                                                   unsigned limit,
                                                   SearchStats &stats) {
  return Instantiator(values, graph, options, limit, stats).run();
}
