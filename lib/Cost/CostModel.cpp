//===- CostModel.cpp - An analytic model of one kernel --------------------===//

#include "Mirage/Cost/CostModel.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

using namespace mirage::cost;
using namespace mirage::semantics;

namespace {
// Measured shapes of the curves; see the header for what each stands for.
constexpr double kRamp = 0.38;       // µs, first loads of a block
constexpr double kTail = 0.38;       // µs, last stores
constexpr double kIteration = 0.085; // µs, barrier and latencies
// µs more of an iteration with a running maximum where several warps share a
// row and exchange its maximum through shared memory.
constexpr double kExchange = 0.32;
// Elementwise work on what a product of the loop left in registers, against
// that on tiles in shared memory: rates of lanes and of special functions.
constexpr double kRegisterVector = 3.8;
constexpr double kRegisterSpecial = 2.3;
constexpr double kInStep =
    1.24; // and more where the blocks of an SM run in step
constexpr double kRegisterThreads = 144; // fill an SM's pipelines with it
constexpr double kClusterBarrier =
    0.22; // µs, and as much for each block of the cluster
constexpr double kClusterReduction = 0.14; // µs, each further one
constexpr double kRemoteBandwidth = 0.9e4; // bytes/µs, one block's remote reads
constexpr double kSharedBandwidth = 2.3e5; // bytes/µs of one SM
constexpr double kFullThreads = 200;   // threads that fill an SM's pipelines
constexpr double kFullWarps = 4;       // warps that fill its tensor cores
constexpr double kStageOverhead = 180; // bytes not fetched at each barrier
constexpr int64_t kMinStage = 512;     // bytes
constexpr double kStageGap = 0.1;      // of the shorter of fetch and compute
constexpr double kFewBlocks = 0.04;    // lost with one block an SM
constexpr double kSaturation = 2.2;  // bandwidth's rise with what is in flight
constexpr double kOthersHide = 0.9;  // another block hides of a cluster's wait
constexpr double kOverfill = 0.15;   // of the time that what is in flight takes
constexpr double kRepeated = 0.28;   // of what L2 alone serves adds to the rest
constexpr double kGroupRate = 3;     // products of wgmma against mma.sync's
constexpr double kGroupShared = 0.5; // and what they read of shared memory
constexpr double kSplitProducts = 8; // four of tf32, at half the rate
constexpr int64_t kMinRows = 16;     // rows of a tensor-core tile
constexpr int64_t kReservedShared = 1024; // per block, by the driver
// By the estimate below, measured without spills up to here.
constexpr double kMaxRegisters = 310;

double contiguityFactor(int64_t bytes) {
  // 64-byte pieces use half of each DRAM burst pair; from 512 bytes on nothing
  // is lost.
  constexpr std::pair<int64_t, double> table[] = {
      {512, 0.98}, {256, 0.955}, {192, 0.945}, {128, 0.93},
      {64, 0.78},  {32, 0.55},   {16, 0.30}};
  for (auto [piece, factor] : table)
    if (bytes >= piece)
      return factor;
  return 0.15;
}

bool isSpecial(OpKind kind) {
  switch (kind) {
  case OpKind::Exp:
  case OpKind::Log:
  case OpKind::Silu:
  case OpKind::GeluTanh:
  case OpKind::GeluErf:
  case OpKind::Sigmoid:
  case OpKind::Tanh:
  case OpKind::Erf:
  case OpKind::Sqrt:
  case OpKind::Rsqrt:
  case OpKind::Reciprocal:
  case OpKind::Div:
  case OpKind::Pow:
    return true;
  default:
    return false;
  }
}

/// Work of a block, summed over its iterations.
struct Work {
  double vector = 0;  ///< f32 operations
  double special = 0; ///< special-function results
  /// The same on values that the loop's products left in registers.
  double registerVector = 0, registerSpecial = 0;
  double tensor = 0; ///< multiply-adds, rows padded
  double shared = 0; ///< bytes read from shared memory
};

class GraphModel {
public:
  GraphModel(const Program &program, const Op &graph, const Target &target)
      : program(program), graph(graph), target(target),
        threads(graph.attrs.threads ? graph.attrs.threads : kDefaultThreads),
        stages(graph.attrs.stages ? graph.attrs.stages : kDefaultStages) {}

  GraphCost run() {
    for (const Op &op : graph.body) {
      if (op.kind == OpKind::Loop) {
        range = std::max<int64_t>(range, op.attrs.range);
        hasLoop = true;
        visitLoop(op);
      } else {
        visit(op, 1);
      }
    }
    for (ValueId v : graph.results)
      dramBytes += program.type(v).byteSize();
    for (auto [tensor, factor] : pieces)
      dramBytes += program.type(tensor).byteSize() / factor;
    return finish();
  }

private:
  int64_t tileBytes(ValueId v) const { return program.type(v).byteSize(); }

  /// Rows padded to what a tensor core takes.
  int64_t paddedBytes(ValueId v) const {
    const TensorType &type = program.type(v);
    if (type.rank() < 2)
      return type.byteSize();
    return type.byteSize() / type.shape[type.rank() - 2] * paddedRows(type);
  }

  static int64_t paddedRows(const TensorType &type) {
    int64_t rows = type.rank() < 2 ? 1 : type.shape[type.rank() - 2];
    return (rows + kMinRows - 1) / kMinRows * kMinRows;
  }

  void load(const Op &op, int64_t repeat, bool inLoop) {
    const TensorType &tensor = program.type(op.operands[0]);
    const TensorType &tile = program.type(op.results[0]);
    int64_t piece = byteWidth(tile.dtype);
    for (int64_t d = tile.rank() - 1; d >= 0; --d) {
      piece *= tile.shape[d];
      if (tile.shape[d] != tensor.shape[d])
        break;
    }
    double factor = contiguityFactor(piece);
    // Rows of other than a power of two of bytes are padded and not swizzled.
    int64_t row =
        tile.shape.empty() ? 1 : tile.shape.back() * byteWidth(tile.dtype);
    if ((row & (row - 1)) != 0)
      factor *= 0.8;
    l2Bytes += static_cast<double>(repeat) * tile.byteSize() / factor;
    // Of several loads of one tensor the best one fetches it into L2.
    auto [at, isNew] = pieces.try_emplace(op.operands[0], factor);
    if (!isNew)
      at->second = std::max(at->second, factor);
    (inLoop ? loopLoads : straightLoads)[op.results[0]] = tile.byteSize();
  }

  void visitLoop(const Op &loop) {
    warpGroups = target.hasWgmma() && fitsWarpGroups(program, loop, threads);
    for (const Op &op : loop.body)
      visit(op, loop.attrs.range, true);
    for (const Op &op : loop.body) {
      hasRunning |= op.kind == OpKind::Running;
      if (op.kind == OpKind::Matmul)
        holdProduct(loop, op);
    }
    for (auto [i, acc] : llvm::enumerate(loop.attrs.accumulators)) {
      const TensorType &value = program.type(acc.value);
      const TensorType &total = program.type(loop.results[i]);
      double n = static_cast<double>(value.numElements());
      bool product = products.count(acc.value);
      if (!product)
        (inRegisters.count(acc.value) ? work.registerVector : work.vector) +=
            n * loop.attrs.range;
      if (acc.kind == AccumulatorKind::Rescale)
        work.registerVector +=
            static_cast<double>(total.numElements()) * loop.attrs.range;
      // A row of a total takes eight spare words; each buffer starts at 1 KiB.
      int64_t rows = total.rank() < 2 ? 1 : total.shape[total.rank() - 2];
      totalBytes += (total.byteSize() + 32 * rows + 1023) / 1024 * 1024;
      accumulators +=
          acc.reduceDim < 0 && products.count(acc.value)
              ? static_cast<double>(paddedBytes(loop.results[i])) / 4
              : static_cast<double>(total.numElements());
    }
  }

  /// What a product of the loop keeps in registers beside its accumulator.
  void holdProduct(const Op &loop, const Op &op) {
    ValueId out = op.results[0];
    int64_t warps = std::max<int64_t>(threads / 32, 1);
    int64_t rowTiles = paddedRows(program.type(out)) / kMinRows;
    int64_t rowWarps = std::min(warps, rowTiles);
    sharesRows |= warps > rowTiles;
    // A warp reads a left operand of its rows whole, in pairs of f16.
    if (inRegisters.count(op.operands[0]))
      leftRegisters = std::max(
          leftRegisters,
          static_cast<double>(kMinRows * rowTiles / rowWarps *
                              program.type(op.operands[0]).shape.back() / 64));
    // What nothing adds up is held until the iteration is done with it.
    auto adds = [&](const Accumulator &acc) {
      return acc.value == out && acc.kind != AccumulatorKind::Max;
    };
    if (llvm::none_of(loop.attrs.accumulators, adds))
      heldRegisters = std::max(
          heldRegisters, static_cast<double>(paddedBytes(out)) / 4 / threads);
  }

  void visit(const Op &op, int64_t repeat, bool inLoop = false) {
    auto elements = [&](ValueId v) {
      return static_cast<double>(program.type(v).numElements()) * repeat;
    };
    switch (opClass(op.kind)) {
    case OpClass::Matmul: {
      ValueId l = op.operands[0], r = op.operands[1], out = op.results[0];
      products[out] = true;
      if (inLoop)
        inRegisters.insert(out);
      double rows = static_cast<double>(paddedBytes(out)) / 4;
      int64_t depth = program.type(l).shape.back();
      bool group = inLoop && warpGroups;
      double rate = group ? kGroupRate : 1.0;
      if (program.type(r).dtype == DType::F32)
        rate /= kSplitProducts;
      work.tensor += rows * depth * repeat / rate;
      bool leftInRegisters =
          inLoop && (inRegisters.count(l) || straightLoads.count(l));
      work.shared += productTraffic(program.type(out), program.type(r).dtype,
                                    depth, leftInRegisters) *
                     static_cast<double>(repeat) * (group ? kGroupShared : 1.0);
      for (ValueId v : {l, r}) {
        needPadding[v] = v == l;
        // What a product reads has to stand in shared memory.
        if (!loopLoads.count(v) && !straightLoads.count(v))
          scratch[v] = v == l ? paddedBytes(v) : tileBytes(v);
      }
      if (!inLoop)
        accumulators += rows;
      return;
    }
    case OpClass::Reduce:
      if (inRegisters.count(op.operands[0])) {
        inRegisters.insert(op.results[0]);
        work.registerVector += elements(op.operands[0]);
        return;
      }
      work.vector += elements(op.operands[0]);
      work.shared += 4 * elements(op.results[0]);
      return;
    case OpClass::Structure:
      if (op.kind == OpKind::Load) {
        load(op, repeat, inLoop);
        work.shared += tileBytes(op.results[0]) * static_cast<double>(repeat);
      } else if (op.kind == OpKind::ReduceBlocks) {
        int64_t n = graph.attrs.grid[op.attrs.gridDim];
        if (n > 1) {
          remoteBytes +=
              tileBytes(op.operands[0]) * static_cast<double>(n - 1) / n;
          ++reductions;
        }
      }
      return;
    case OpClass::Constant:
    case OpClass::Reshape:
    case OpClass::Broadcast:
      return;
    default:
      if (op.results.empty())
        return;
      if (llvm::any_of(op.operands,
                       [&](ValueId v) { return inRegisters.count(v); }))
        inRegisters.insert(op.results[0]);
      if (inRegisters.count(op.results[0]))
        (isSpecial(op.kind) ? work.registerSpecial : work.registerVector) +=
            elements(op.results[0]);
      else
        (isSpecial(op.kind) ? work.special : work.vector) +=
            elements(op.results[0]);
      return;
    }
  }

  /// Bytes that the warps of a block read from shared memory for one product:
  /// with m warps along the rows, each row is read by warps / m warps and each
  /// column by m; the lowering takes the m that reads least.
  /// A left operand that a warp holds in registers is not read.
  double productTraffic(const TensorType &out, DType dtype, int64_t depth,
                        bool leftInRegisters) const {
    int64_t cols = out.shape.back();
    int64_t rows = out.rank() < 2 ? 1 : out.shape[out.rank() - 2];
    rows = (rows + kMinRows - 1) / kMinRows * kMinRows;
    int64_t warps = std::max<int64_t>(1, threads / 32);
    double least = std::numeric_limits<double>::infinity();
    for (int64_t m = 1; m <= warps; m *= 2)
      if (rows / kMinRows % m == 0 && cols % (8 * (warps / m)) == 0)
        least = std::min<double>(
            least, (leftInRegisters ? 0 : (warps / m) * rows) + m * cols);
    if (std::isinf(least))
      least = warps * rows + cols;
    return byteWidth(dtype) * least * depth;
  }

  int64_t loadBytes(const std::map<ValueId, int64_t> &loads) const {
    int64_t total = 0;
    for (auto [v, bytes] : loads) {
      auto at = needPadding.find(v);
      total += at != needPadding.end() && at->second ? paddedBytes(v) : bytes;
    }
    return total;
  }

  static std::string exceeds(const char *what, double use, double bound) {
    auto text = [](double v) {
      return std::to_string(static_cast<int64_t>(std::ceil(v)));
    };
    return std::string("expected at most ") + text(bound) + " " + what +
           ", but got " + text(use);
  }

  GraphCost finish() {
    GraphCost cost;
    const GridDims &grid = graph.attrs.grid;
    cost.blocks = grid[0] * grid[1] * grid[2];
    int64_t cluster = graph.attrs.cluster[0] * graph.attrs.cluster[1] *
                      graph.attrs.cluster[2];
    int64_t perStage = loadBytes(loopLoads);
    cost.sharedBytes = (hasLoop ? stages : 0) * perStage +
                       loadBytes(straightLoads) + kReservedShared;
    int64_t scratchBytes = 0;
    for (auto [v, bytes] : scratch)
      scratchBytes += bytes;
    // Totals lie over the ring once the loop is done with it.
    cost.sharedBytes =
        std::max(cost.sharedBytes + scratchBytes, totalBytes + kReservedShared);
    cost.accumulatorsPerThread = accumulators / threads;
    if (cost.sharedBytes > target.sharedPerBlock) {
      cost.rejected = exceeds("bytes of shared memory a block",
                              cost.sharedBytes, target.sharedPerBlock);
      return cost;
    }
    if (cost.accumulatorsPerThread > kMaxAccumulatorsPerThread) {
      cost.rejected =
          exceeds("accumulators a thread", cost.accumulatorsPerThread,
                  kMaxAccumulatorsPerThread);
      return cost;
    }
    if (cluster > target.maxCluster) {
      cost.rejected = exceeds("blocks a cluster", cluster, target.maxCluster);
      return cost;
    }
    double registers = 56 + cost.accumulatorsPerThread * 1.2;
    if (heldRegisters > 0)
      registers = 30 + cost.accumulatorsPerThread * 1.3 + heldRegisters * 2.1 +
                  leftRegisters * 1.7;
    if (warpGroups && heldRegisters > 0)
      registers =
          25 + cost.accumulatorsPerThread + heldRegisters * 1.5 + leftRegisters;
    if (registers > kMaxRegisters) {
      cost.rejected = exceeds("registers a thread", registers, kMaxRegisters);
      return cost;
    }
    registers = std::min(255.0, registers);
    cost.blocksPerSm = std::min<int64_t>(
        {target.sharedPerSm / cost.sharedBytes, target.threadsPerSm / threads,
         target.blocksPerSm,
         static_cast<int64_t>(65536 / (registers * threads))});
    cost.blocksPerSm = std::max<int64_t>(cost.blocksPerSm, 1);
    int64_t resident =
        std::max<int64_t>(residentBlocks(target, cost.blocksPerSm, cluster), 1);
    cost.waves = (cost.blocks + resident - 1) / resident;

    double perBlockInFlight =
        hasLoop
            ? static_cast<double>(perStage) * std::max<int64_t>(stages - 1, 1)
            : static_cast<double>(loadBytes(straightLoads));
    // A block that reads nothing has its own results on the way.
    if (perBlockInFlight == 0)
      perBlockInFlight = resultBytes() / static_cast<double>(cost.blocks);
    double l2 = l2Bytes * cost.blocks;
    double dram = std::min(dramBytes, l2 * 1.5 + resultBytes());
    // Another block of the SM works while one waits for its cluster.
    double hidden = 1 / (1 + kOthersHide * (cost.blocksPerSm - 1));
    double time = 0;
    for (int64_t left = cost.blocks; left > 0; left -= resident) {
      double active = std::min(left, resident);
      double share = active / cost.blocks;
      double sms = std::min<double>(active, target.sms);
      double perSm = active / sms;
      double inFlight = perBlockInFlight * active;
      double saturation =
          1 - std::exp(-kSaturation * inFlight /
                       (target.dramBandwidth * target.memoryLatency));
      double crowd = 1 - kFewBlocks / perSm;
      double stage =
          hasLoop ? 1 - kStageOverhead / std::max(perStage, kMinStage) : 1;
      double bandwidth = target.dramBandwidth * saturation * crowd * stage;
      // One SM alone draws no more than about twice its share.
      bandwidth =
          std::min(bandwidth, sms * target.dramBandwidth * 2 / target.sms);
      double l2Rate = target.l2Bandwidth * saturation;
      double memory = std::max(dram * share / bandwidth,
                               (l2 + resultBytes()) * share / (l2Rate * stage));
      // What blocks read again comes from L2, in part beside the rest. And the
      // more is in flight, the later the first tiles come.
      memory += kRepeated * std::max(0.0, l2 - dram) * share / l2Rate;
      memory += kOverfill * std::min(inFlight, (l2 + dram) / 2 * share) /
                target.dramBandwidth;
      double compute = computeTime(perSm);
      // Few stages leave gaps: what is fetched and what is computed wait for
      // each other. The last stage's work and the first one's fetch overlap
      // with nothing.
      double gaps = kStageGap / std::max<int64_t>(stages - 1, 1);
      double ends =
          hasLoop ? std::min(memory, compute) / static_cast<double>(range) : 0;
      time += kRamp + std::max(memory, compute) +
              gaps * std::min(memory, compute) + ends +
              (left > resident ? hidden * clusterTime() : 0.0);
      // What all full waves cost is the same: skip ahead over the middle ones.
      if (left > 3 * resident) {
        int64_t middle = left / resident - 2;
        time += middle * (kRamp * 0.3 + hidden * clusterTime() +
                          std::max(memory, compute));
        left -= middle * resident;
      }
    }
    time += target.launch + kTail + clusterTime();
    cost.micros = time;
    return cost;
  }

  /// From the last iteration to the last reduction over blocks.
  double clusterTime() const {
    const GridDims &c = graph.attrs.cluster;
    return reductions ? kClusterBarrier * (1 + c[0] * c[1] * c[2]) +
                            (reductions - 1) * kClusterReduction +
                            remoteBytes / kRemoteBandwidth
                      : 0;
  }

  double resultBytes() const {
    double bytes = 0;
    for (ValueId v : graph.results)
      bytes += program.type(v).byteSize();
    return bytes;
  }

  double computeTime(double blocksPerSm) const {
    double threadShare = std::min(1.0, threads / kFullThreads);
    double warpShare =
        hasRunning ? 1.0 : std::min(1.0, threads / 32 / kFullWarps);
    double vector = work.vector / (target.vectorRate * threadShare) +
                    work.special / (target.specialRate * threadShare);
    double tensor = work.tensor / (target.tensorRate * warpShare);
    double shared = work.shared / kSharedBandwidth;
    // Warps overlap products with reads of shared memory; elementwise work
    // stands between two barriers and adds to both.
    double iteration =
        kIteration + (hasRunning && sharesRows ? kExchange : 0.0);
    double registers =
        work.registerVector / (target.vectorRate * kRegisterVector) +
        work.registerSpecial / (target.specialRate * kRegisterSpecial);
    double alone = (hasLoop ? range * iteration : kIteration) +
                   std::max(tensor, shared) + vector +
                   registers / std::min(1.0, threads / kRegisterThreads);
    double elementwise = work.vector / target.vectorRate +
                         work.special / target.specialRate + registers;
    double products = std::max(work.tensor / target.tensorRate,
                               work.shared / kSharedBandwidth);
    // Blocks overlap the two kinds of work, except where each iteration makes
    // one wait for the other.
    double together =
        blocksPerSm * (hasRunning ? kInStep * elementwise + products
                                  : std::max(elementwise, products));
    return std::max(alone, together);
  }

  const Program &program;
  const Op &graph;
  const Target &target;
  int64_t threads, stages;
  int64_t range = 1;
  bool hasLoop = false;
  int64_t totalBytes = 0; ///< of the loops' results in shared memory
  std::map<ValueId, int64_t> loopLoads, straightLoads, scratch;
  std::map<ValueId, double> pieces; ///< tensor -> contiguity of its best load
  std::map<ValueId, bool> products, needPadding;
  std::set<ValueId> inRegisters; ///< in the loop, from its products
  bool hasRunning = false;
  bool warpGroups = false; ///< this loop's products are wgmma's
  double heldRegisters = 0, leftRegisters = 0; ///< of a thread, in the loop
  bool sharesRows = false; ///< a row of a loop's product spans several warps
  double dramBytes = 0, l2Bytes = 0, remoteBytes = 0, accumulators = 0;
  int reductions = 0;
  Work work;
};
} // namespace

bool mirage::cost::fitsWarpGroups(const Program &program, const Op &loop,
                                  int64_t threads) {
  constexpr int64_t kMaxColumns = 256; // of one wgmma (PTX ISA 9.7.15.2)
  int64_t warps = threads / 32;
  auto swizzles = [](int64_t size) {
    return size >= 16 && (size & (size - 1)) == 0;
  };
  bool any = false;
  for (const Op &op : loop.body) {
    if (op.kind != OpKind::Matmul)
      continue;
    any = true;
    const Shape &shape = program.type(op.results[0]).shape;
    int64_t rows = shape.size() < 2 ? 1 : shape[shape.size() - 2];
    if (rows != kMinRows * warps || shape.back() > kMaxColumns ||
        !swizzles(shape.back()) ||
        !swizzles(program.type(op.operands[0]).shape.back()) ||
        program.type(op.operands[0]).dtype == DType::F32)
      return false;
  }
  return any && warps % 4 == 0;
}

GraphCost mirage::cost::costGraph(const Program &program, const Op &graph,
                                  const Target &target) {
  return GraphModel(program, graph, target).run();
}

double mirage::cost::costOp(const Program &program, const Op &op,
                            const Target &target) {
  switch (opClass(op.kind)) {
  case OpClass::Constant:
  case OpClass::Reshape:
  case OpClass::Broadcast:
  case OpClass::Iota:
    return 0;
  default:
    break;
  }
  double bytes = 0, compute = 0;
  for (ValueId v : op.operands)
    bytes += program.type(v).byteSize();
  for (ValueId v : op.results) {
    double n = program.type(v).numElements();
    bytes += program.type(v).byteSize();
    if (op.kind == OpKind::Matmul)
      compute += n * program.type(op.operands[0]).shape.back() /
                 (target.tensorRate * target.sms);
    else
      compute += n / (target.vectorRate * target.sms);
  }
  // Products of few rows in PyTorch read at two thirds of the bandwidth: cold,
  // 33.5 MB in 13.1 µs and 50.3 MB in 18 µs at up to 32 rows on an H200.
  double efficiency = op.kind == OpKind::Matmul ? 0.68 : 0.95;
  return target.launch + kRamp + kTail +
         std::max(bytes / (target.dramBandwidth * efficiency), compute);
}

double mirage::cost::predictMicros(const Program &program,
                                   const Target &target) {
  double total = 0;
  for (const Op &op : program.ops) {
    if (op.kind != OpKind::Graph) {
      total += costOp(program, op, target);
      continue;
    }
    GraphCost cost = costGraph(program, op, target);
    if (!cost.rejected.empty())
      return std::numeric_limits<double>::infinity();
    total += cost.micros;
  }
  return total;
}

double mirage::cost::lowerBoundMicros(const Program &program,
                                      const Target &target) {
  double bytes = 0;
  for (unsigned i = 0; i < program.numInputs; ++i)
    bytes += program.type(i).byteSize();
  for (ValueId v : program.outputs)
    bytes += program.type(v).byteSize();
  return target.launch + kRamp + kTail + bytes / target.dramBandwidth;
}
