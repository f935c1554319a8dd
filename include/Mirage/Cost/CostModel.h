//===- CostModel.h - Predicted time of programs on a target -----*- C++ -*-===//
//
// An analytic model that ranks μGraphs without a GPU. A kernel's time is
//
//   launch + ramp + waves * max(memory, compute) + cluster reductions + tail
//
// memory   = the wave's share of max(DRAM bytes / d, L2 bytes / l): DRAM counts
//            each tensor once, L2 each load of each block. What L2 alone serves
//            adds a part of its time, and what is in flight delays the first
//            tiles
// d        = attainable bandwidth, less where too few bytes are in flight,
//            where contiguous pieces are short, and where an SM holds few
//            blocks to hide one another's barriers
// compute  = the longer of one block's chain of iterations and an SM's share of
//            tensor, vector and shared-memory work
// waves    = blocks over what is resident at a time, clusters counted as the
//            hardware places them
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_COST_COSTMODEL_H
#define MIRAGE_COST_COSTMODEL_H

#include "Mirage/Cost/Target.h"
#include "Mirage/Semantics/Program.h"
#include <string>

namespace mirage::cost {

constexpr int64_t kDefaultThreads = 128;
constexpr int64_t kDefaultStages = 4;
/// f32 accumulators that a thread can hold beside what else it needs.
constexpr double kMaxAccumulatorsPerThread = 128;

struct GraphCost {
  double micros = 0;
  int64_t sharedBytes = 0; ///< of one block
  double accumulatorsPerThread = 0;
  int64_t blocks = 0, blocksPerSm = 0, waves = 0;
  /// The resource, its use and its bound when the graph does not fit.
  std::string rejected;
};

/// True if every product of `loop` can be given to groups of four warps
/// (wgmma): each of the block's warps has 16 rows of it, and tiles swizzle into
/// panels. False without products. The lowering asks this too.
bool fitsWarpGroups(const semantics::Program &program,
                    const semantics::Op &loop, int64_t threads);

/// `graph` is a Graph op of `program`.
GraphCost costGraph(const semantics::Program &program,
                    const semantics::Op &graph, const Target &target);

/// A predefined op as a kernel of its own: it reads its operands and writes its
/// results once. Constants and changes of shape cost nothing.
double costOp(const semantics::Program &program, const semantics::Op &op,
              const Target &target);

/// The sum over the kernel-level ops. Graphs that do not fit count as infinite.
double predictMicros(const semantics::Program &program, const Target &target);

/// No graph of this program is predicted below: a launch, and every input read
/// and every output written once.
double lowerBoundMicros(const semantics::Program &program,
                        const Target &target);

} // namespace mirage::cost

#endif // MIRAGE_COST_COSTMODEL_H
