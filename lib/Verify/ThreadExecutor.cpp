//===- ThreadExecutor.cpp - Launches, clusters, control flow --------------===//

#include "ThreadCluster.h"
#include "llvm/ADT/Twine.h"

using namespace mirage::semantics;
using namespace mirage::verify;

//===----------------------------------------------------------------------===//
// One cluster
//===----------------------------------------------------------------------===//

ClusterRun::ClusterRun(const LaunchContext &launch,
                       std::array<int64_t, 3> first)
    : launch(launch), kernel(launch.kernel),
      scalars(launch.kernel.values.size(), 0) {
  const GridDims &cluster = kernel.cluster;
  // Ranks count along x first (PTX ISA, %cluster_ctarank).
  for (int64_t z = 0; z < cluster[2]; ++z)
    for (int64_t y = 0; y < cluster[1]; ++y)
      for (int64_t x = 0; x < cluster[0]; ++x)
        blocks.emplace_back(
            std::array<int64_t, 3>{first[0] + x, first[1] + y, first[2] + z},
            static_cast<int64_t>(blocks.size()), kernel.sharedBytes,
            kernel.values.size());
}

bool ClusterRun::fail(const ThreadOp &op, const llvm::Twine &text,
                      FailureKind kind) {
  launch.run.failures.report(
      kind, ("@" + kernel.name + ": " + op.name + ": " + text).str());
  return false;
}

bool ClusterRun::execute() {
  if (!runOps(kernel.ops))
    return false;
  for (const BlockState &block : blocks)
    if (block.memory.isReadByPeers()) {
      launch.run.failures.report(
          FailureKind::Malformed,
          "@" + kernel.name +
              ": a block ends while another block of its cluster may read its "
              "shared memory");
      return false;
    }
  return true;
}

bool ClusterRun::runOps(const std::vector<ThreadOp> &ops) {
  for (const ThreadOp &op : ops)
    if (!runOp(op))
      return false;
  return true;
}

bool ClusterRun::runFor(const ThreadOp &op) {
  // Carried values, of fragments block by block, are moved together: one may
  // become another's.
  auto assign = [&](const std::vector<int> &to, size_t skip,
                    const std::vector<int> &from) {
    std::vector<int64_t> numbers;
    std::vector<std::vector<Fragment>> tiles(blocks.size());
    for (int id : from) {
      numbers.push_back(scalars[id]);
      for (size_t b = 0; b < blocks.size(); ++b)
        tiles[b].push_back(blocks[b].fragments[id]);
    }
    for (size_t i = 0; i < from.size(); ++i) {
      scalars[to[i + skip]] = numbers[i];
      for (size_t b = 0; b < blocks.size(); ++b)
        blocks[b].fragments[to[i + skip]] = tiles[b][i];
    }
  };
  assign(op.arguments, 1, op.operands);
  for (int64_t i = 0; i < op.range; ++i) {
    if (launch.run.cancelled && *launch.run.cancelled &&
        (*launch.run.cancelled)())
      return fail(op, "interrupted", FailureKind::CannotTell);
    scalars[op.arguments[0]] = i;
    if (!runOps(op.body))
      return false;
    if (i + 1 < op.range)
      assign(op.arguments, 1, op.yielded);
  }
  assign(op.results, 0, op.yielded);
  return true;
}

bool ClusterRun::runOp(const ThreadOp &op) {
  switch (op.kind) {
  case ThreadOpKind::For:
    return runFor(op);
  case ThreadOpKind::Index:
    scalars[op.results[0]] = op.number;
    return true;
  case ThreadOpKind::Advance: {
    int64_t moved = scalars[op.operands[0]] + op.number;
    if (op.modulo && moved >= op.modulo)
      moved -= op.modulo;
    scalars[op.results[0]] = moved;
    return true;
  }
  case ThreadOpKind::Commit:
    for (BlockState &block : blocks)
      block.memory.commit();
    return true;
  case ThreadOpKind::Wait:
    for (BlockState &block : blocks)
      block.memory.wait(op.number);
    return true;
  case ThreadOpKind::Barrier:
    for (BlockState &block : blocks)
      block.memory.barrier();
    return true;
  case ThreadOpKind::ClusterBarrier:
    for (BlockState &block : blocks)
      block.memory.clusterBarrier();
    return true;
  case ThreadOpKind::GridDependencyWait:
    waited = true;
    return true;
  case ThreadOpKind::GridLaunchDependents:
    return true;
  default:
    for (BlockState &block : blocks)
      if (!runOnBlock(op, block))
        return false;
    return true;
  }
}

bool ClusterRun::runOnBlock(const ThreadOp &op, BlockState &block) {
  switch (op.kind) {
  case ThreadOpKind::CopyAsync:
    return copyAsync(op, block);
  case ThreadOpKind::Splat:
    return splat(op, block);
  case ThreadOpKind::Iota:
    return iota(op, block);
  case ThreadOpKind::Mma:
  case ThreadOpKind::MmaRegister:
    return multiply(op, block);
  case ThreadOpKind::Relayout: {
    // The same registers: what they mean under the other layout follows.
    const Placement &from = placement(op.operands[0]);
    const Placement &to = placement(op.results[0]);
    if (from.shape() != to.shape())
      return fail(op, "expected layouts of as many registers");
    block.fragments[op.results[0]] = block.fragments[op.operands[0]];
    return true;
  }
  case ThreadOpKind::Load:
    return load(op, block);
  case ThreadOpKind::LoadCluster:
    return loadCluster(op, block);
  case ThreadOpKind::Store:
    return store(op, block);
  case ThreadOpKind::LoadGlobal:
    return loadGlobal(op, block);
  case ThreadOpKind::StoreGlobal:
    return storeGlobal(op, block);
  case ThreadOpKind::Map:
    return map(op, block);
  case ThreadOpKind::Combine:
    return combine(op, block);
  case ThreadOpKind::ReduceThreads:
    return reduceThreads(op, block);
  case ThreadOpKind::LoadIndexed:
    return loadIndexed(op, block);
  case ThreadOpKind::IotaIndexed:
    return iotaIndexed(op, block);
  case ThreadOpKind::ReduceIndexed:
    return reduceIndexed(op, block);
  case ThreadOpKind::StoreIndexed:
    return storeIndexed(op, block);
  default:
    return fail(op, "expected an op that the verifier models");
  }
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

namespace {
class ProgramRun {
public:
  ProgramRun(const ThreadProgram &program, const ThreadRun &run)
      : program(program), run(run) {}

  std::vector<TileRef> execute(llvm::ArrayRef<TileRef> inputs) {
    tensors.resize(program.inputs.size() + program.outputs.size() +
                   program.scratchBytes.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      tensors[i].store.emplace(inputs[i]);
      tensors[i].isInput = true;
    }
    for (const ThreadProgram::Launch &launch : program.launches)
      if (!executeLaunch(launch))
        return {};
    std::vector<TileRef> outputs;
    for (size_t i = 0; i < program.outputs.size(); ++i) {
      const TensorType &type = program.outputs[i];
      const DeviceTensor &tensor = tensors[inputs.size() + i];
      for (int64_t at = 0; at < type.numElements(); ++at)
        if (!tensor.store || !tensor.written[at])
          return fail("expected every element of output " + std::to_string(i) +
                      " to be written, but got none at " + std::to_string(at)),
                 std::vector<TileRef>();
      outputs.push_back(tensor.store->asTile(type.shape));
    }
    return outputs;
  }

private:
  bool fail(const std::string &text) {
    run.failures.report(FailureKind::Malformed, text);
    return false;
  }

  /// Binds an argument; scratch gets its element type from the first kernel.
  bool bind(const ThreadKernel &kernel, unsigned tensor,
            const TensorType &type) {
    size_t firstScratch = program.inputs.size() + program.outputs.size();
    int64_t count = type.numElements();
    if (tensor >= firstScratch &&
        type.byteSize() > program.scratchBytes[tensor - firstScratch])
      return fail("@" + kernel.name + ": expected scratch of " +
                  std::to_string(type.byteSize()) + " bytes, but got " +
                  std::to_string(program.scratchBytes[tensor - firstScratch]));
    DeviceTensor &device = tensors[tensor];
    if (!device.store) {
      device.store.emplace(count);
      device.written.assign(count, 0);
    }
    if (device.store->size() != count)
      return fail("@" + kernel.name + ": expected a tensor of " +
                  std::to_string(device.store->size()) + " elements, but got " +
                  std::to_string(count));
    return true;
  }

  bool executeLaunch(const ThreadProgram::Launch &launch) {
    const ThreadKernel &kernel = program.kernels[launch.kernel];
    std::mutex lock;
    LaunchContext context{kernel, run, {}, {}, lock};
    for (size_t i = 0; i < kernel.arguments.size(); ++i) {
      if (!bind(kernel, launch.tensors[i], kernel.arguments[i]))
        return false;
      context.tensors.push_back(&tensors[launch.tensors[i]]);
    }
    for (size_t i = 0; i < kernel.arguments.size(); ++i)
      for (size_t j = kernel.numInputs; j < kernel.arguments.size(); ++j)
        if (i != j && launch.tensors[i] == launch.tensors[j])
          return fail("@" + kernel.name + ": expected arguments " +
                      std::to_string(i) + " and " + std::to_string(j) +
                      " apart, since the kernel writes one");
    for (int64_t i : kernel.constantInputs)
      if (!context.tensors[i]->isInput)
        return fail("@" + kernel.name + ": expected constant argument " +
                    std::to_string(i) + " to be an input of the program");
    for (const ThreadBuffer &buffer : kernel.buffers) {
      int64_t end = buffer.offset + buffer.stages * stageBytes(buffer);
      if (buffer.offset < 0 || end > kernel.sharedBytes)
        return fail("@" + kernel.name + ": expected buffers within " +
                    std::to_string(kernel.sharedBytes) +
                    " bytes of shared memory, but got one that ends at " +
                    std::to_string(end));
    }
    for (const auto &value : kernel.values)
      context.placements.push_back(value ? placementOf(*value) : Placement());
    const GridDims &grid = kernel.grid, &size = kernel.cluster;
    int64_t ny = grid[1] / size[1], nz = grid[2] / size[2];
    std::atomic<bool> failed{false};
    parallelFor(grid[0] / size[0] * ny * nz, run.threads, [&](int64_t i) {
      if (failed)
        return;
      ClusterRun cluster(context, {i / (ny * nz) * size[0],
                                   i / nz % ny * size[1], i % nz * size[2]});
      if (!cluster.execute())
        failed = true;
    });
    return !run.failures.worst();
  }

  const ThreadProgram &program;
  const ThreadRun &run;
  std::vector<DeviceTensor> tensors;
};

double workOfOps(const ThreadKernel &kernel, const std::vector<ThreadOp> &ops) {
  double work = 0;
  for (const ThreadOp &op : ops) {
    if (op.kind == ThreadOpKind::For) {
      work += static_cast<double>(op.range) * workOfOps(kernel, op.body);
      continue;
    }
    work += 256;
    for (int id : op.results)
      if (const auto &value = kernel.values[id])
        work += static_cast<double>(value->layout.rows * value->layout.cols);
    for (int id : {op.buffer, op.right})
      if (id >= 0)
        work += static_cast<double>(kernel.buffers[id].rows *
                                    kernel.buffers[id].cols);
    if (op.kind == ThreadOpKind::ReduceIndexed)
      work += static_cast<double>(numElements(op.reduceSpace)) *
              static_cast<double>(kernel.values[op.results[0]]->layout.cols);
  }
  return work;
}
} // namespace

std::vector<TileRef>
mirage::verify::executeThreads(const ThreadProgram &program,
                               const ThreadRun &run,
                               llvm::ArrayRef<TileRef> inputs) {
  return ProgramRun(program, run).execute(inputs);
}

double mirage::verify::workOf(const ThreadProgram &program) {
  double work = 0;
  for (const ThreadProgram::Launch &launch : program.launches) {
    const ThreadKernel &kernel = program.kernels[launch.kernel];
    double blocks = 1;
    for (int64_t size : kernel.grid)
      blocks *= static_cast<double>(size);
    work += blocks * workOfOps(kernel, kernel.ops);
  }
  return work;
}
