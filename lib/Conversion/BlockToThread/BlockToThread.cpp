//===- BlockToThread.cpp - Structure: reduce_blocks, stores, threads ------===//

#include "BlockLowering.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mirage;
using namespace mirage::thread;
using semantics::OpClass;
using semantics::OpKind;

namespace {

/// Most elements of a tile: no block holds as many by far, and layouts of much
/// more would fill the memory before they are refused.
constexpr int64_t kMaxTileElements = int64_t(1) << 22;

/// Calls `visit` on every op of a block graph, loops' bodies included.
void walk(const std::vector<semantics::Op> &body,
          llvm::function_ref<void(const semantics::Op &)> visit) {
  for (const semantics::Op &op : body) {
    visit(op);
    walk(op.body, visit);
  }
}
} // namespace

llvm::Expected<KernelOp>
mirage::lowerGraphToThread(OpBuilder &builder, Location loc, StringRef name,
                           const semantics::Program &program,
                           const semantics::Op &graph,
                           const ThreadLoweringOptions &options) {
  return BlockLowering(builder, loc, program, graph, options).run(name);
}

int64_t BlockLowering::clusterSize() const {
  return graph.attrs.cluster[0] * graph.attrs.cluster[1] *
         graph.attrs.cluster[2];
}

llvm::Expected<KernelOp> BlockLowering::run(StringRef name) {
  if (llvm::Error e = checkSupported())
    return std::move(e);
  chooseThreads();
  chooseSlice();

  OpBuilder::InsertionGuard guard(b);
  auto kernel = KernelOp::create(
      b, loc, name, graph.operands.size(),
      b.getDenseI64ArrayAttr(graph.attrs.grid),
      b.getDenseI64ArrayAttr(graph.attrs.cluster), threads,
      /*shared_bytes=*/0, b.getDenseI64ArrayAttr(options.constantInputs));
  Block *body = b.createBlock(&kernel.getBody());
  auto argument = [&](ValueId id) {
    const semantics::TensorType &type = program.type(id);
    return body->addArgument(
        RankedTensorType::get(type.shape, elementType(type.dtype)), loc);
  };
  for (ValueId id : graph.operands)
    tensors[id] = argument(id);
  SmallVector<Value> results;
  for (ValueId id : graph.results)
    results.push_back(argument(id));
  b.setInsertionPointToStart(body);

  auto fail = [&](llvm::Error e) {
    kernel.erase();
    return e;
  };
  // Dependents start when this block has fetched its last tile: their own
  // first tiles then travel during this kernel's epilogue. Released earlier,
  // their blocks take memory bandwidth from loops that still run.
  int64_t loopsLeft = llvm::count_if(graph.body, [](const semantics::Op &op) {
    return op.kind == OpKind::Loop;
  });
  if (loopsLeft == 0) {
    GridLaunchDependentsOp::create(b, loc);
    fetchTiles();
  }
  unsigned stores = 0;
  for (const semantics::Op &op : graph.body) {
    llvm::Error e = llvm::Error::success();
    if (op.kind == OpKind::Loop) {
      e = lowerLoop(op);
      if (--loopsLeft == 0 && !e)
        GridLaunchDependentsOp::create(b, loc);
    } else if (op.kind == OpKind::ReduceBlocks)
      e = lowerReduceBlocks(op);
    else if (op.kind == OpKind::Store)
      e = lowerStore(op, results[stores++]);
    if (e)
      return fail(std::move(e));
  }
  // A peer may still read this block's shared memory.
  if (clusterSize() > 1)
    ClusterBarrierOp::create(b, loc);
  ReturnOp::create(b, loc);
  if (sharedMax > options.sharedLimit)
    return fail(sharedError());
  int64_t registers = 0;
  kernel.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto fragment = dyn_cast<FragmentType>(type))
        registers = std::max(registers, numRegisters(fragment));
  });
  if (registers > kMaxFragmentRegisters)
    return fail(error("expected tiles of at most " +
                      llvm::Twine(kMaxFragmentRegisters) +
                      " elements for each of " + llvm::Twine(threads) +
                      " threads, but got " + llvm::Twine(registers)));
  kernel.setSharedBytes(sharedMax);
  return kernel;
}

llvm::Error BlockLowering::sharedError() const {
  return error("expected at most " + llvm::Twine(options.sharedLimit) +
               " bytes of shared memory, but got " + llvm::Twine(sharedMax));
}

llvm::Error BlockLowering::checkSupported() {
  std::string refusal; // the first one
  auto refuse = [&](const llvm::Twine &message) {
    if (refusal.empty())
      refusal = message.str();
  };
  walk(graph.body, [&](const semantics::Op &op) {
    for (ValueId id : op.results)
      definitions[id] = &op;
    for (ValueId id : op.results) {
      const semantics::Shape &shape = program.type(id).shape;
      // Far beyond what a block can hold; layouts of more are not made.
      if (program.type(id).numElements() > kMaxTileElements)
        refuse(semantics::mnemonic(op.kind) + ": expected a tile of at most " +
               llvm::Twine(kMaxTileElements) + " elements, but got " +
               semantics::toString(program.type(id)));
      for (size_t i = 0; i + 2 < shape.size(); ++i)
        if (shape[i] != 1)
          refuse(semantics::mnemonic(op.kind) +
                 ": expected a tile whose leading dimensions are 1, but got " +
                 semantics::toString(program.type(id)));
      if (!isRegisterFloat(program.type(id).dtype) &&
          op.kind != OpKind::Compare && op.kind != OpKind::Iota)
        refuse(semantics::mnemonic(op.kind) +
               ": expected a tile of f16, bf16 or f32, but got " +
               semantics::toString(program.type(id)));
    }
    switch (semantics::opClass(op.kind)) {
    case OpClass::Transpose:
    case OpClass::Concat:
    case OpClass::Slice:
    case OpClass::Gather:
    case OpClass::Norm:
    case OpClass::Softmax:
      refuse("'" + semantics::mnemonic(op.kind) +
             "' has no lowering inside a block graph");
      break;
    default:
      break;
    }
    if (op.kind == OpKind::ReduceBlocks &&
        graph.attrs.grid[op.attrs.gridDim] > 1) {
      int axis = op.attrs.gridDim;
      if (options.maxCluster <= 1)
        refuse("reduce_blocks: expected a target with clusters");
      if (graph.attrs.cluster[axis] != graph.attrs.grid[axis] ||
          clusterSize() != graph.attrs.cluster[axis])
        refuse("reduce_blocks: expected a cluster that spans grid dimension " +
               llvm::Twine(axis) + " of size " +
               llvm::Twine(graph.attrs.grid[axis]) + ", but got " +
               llvm::Twine(clusterSize()));
    }
  });
  for (ValueId id : graph.results)
    if (!isRegisterFloat(program.type(id).dtype))
      refuse("store: expected an output of f16, bf16 or f32, but got " +
             semantics::toString(program.type(id)));
  if (clusterSize() > options.maxCluster)
    refuse("expected a cluster of at most " + llvm::Twine(options.maxCluster) +
           " blocks, but got " + llvm::Twine(clusterSize()));
  return refusal.empty() ? llvm::Error::success() : error(refusal);
}

/// Threads: what the graph says; else four warps, or eight where the
/// accumulators of the products would not fit in four warps' registers.
void BlockLowering::chooseThreads() {
  threads = graph.attrs.threads;
  if (threads > 0)
    return;
  int64_t accumulators = 0;
  walk(graph.body, [&](const semantics::Op &op) {
    if (op.kind == OpKind::Matmul) {
      Extent e = extent(op.results[0], false);
      accumulators += llvm::alignTo(e.rows, 16) * e.cols;
    }
  });
  threads = accumulators > 128 * 64 ? 256 : 128;
}

/// After reduce_blocks every block of the cluster has the same tile, and each
/// works on one slice of it. Rows are sliced where they divide, since the
/// pieces of a row that a warp writes then stay long; else columns; else all
/// blocks compute everything and one writes.
void BlockLowering::chooseSlice() {
  llvm::SmallVector<int64_t, 2> size{0, 0};
  bool possible[2] = {true, true};
  for (const semantics::Op &op : graph.body) {
    bool depends = op.kind == OpKind::ReduceBlocks &&
                   graph.attrs.grid[op.attrs.gridDim] > 1;
    for (ValueId id : op.operands)
      depends |= isSliced(id);
    if (!depends)
      continue;
    if (op.kind != OpKind::Store)
      for (ValueId id : op.results)
        sliced[id] = true;
    if (semantics::opClass(op.kind) == OpClass::Matmul ||
        op.kind == OpKind::Reshape || op.kind == OpKind::Iota)
      possible[0] = possible[1] = false;
    ValueId id = op.kind == OpKind::Store ? op.operands[0] : op.results[0];
    Extent e = extent(id, false);
    int64_t rank = program.type(id).rank();
    for (int64_t dim : op.attrs.dims)
      if (op.kind == OpKind::Reduce && dim >= rank - 2)
        possible[rank < 2 ? 1 : dim - (rank - 2)] = false;
    int64_t sizes[2] = {e.rows, e.cols};
    for (unsigned dim = 0; dim < 2; ++dim) {
      if (sizes[dim] == 1)
        continue;
      if (size[dim] == 0)
        size[dim] = sizes[dim];
      if (size[dim] != sizes[dim])
        possible[dim] = false;
    }
  }
  // A stored tile must have the dim, or every slice would be the whole.
  for (const semantics::Op &op : graph.body)
    if (op.kind == OpKind::Store && isSliced(op.operands[0])) {
      Extent e = extent(op.operands[0], false);
      possible[0] &= e.rows == size[0];
      possible[1] &= e.cols == size[1];
    }
  for (unsigned dim = 0; dim < 2 && sliceDim < 0; ++dim)
    if (possible[dim] && size[dim] > 0 && size[dim] % clusterSize() == 0)
      sliceDim = dim;
}

llvm::Error BlockLowering::lowerReduceBlocks(const semantics::Op &op) {
  if (graph.attrs.grid[op.attrs.gridDim] == 1)
    return llvm::Error::success(); // emit() passes it through
  ValueId operand = op.operands[0];
  if (!held.count(operand)) {
    Extent e = extent(operand, false);
    auto value = emit(operand, linearLayout(e), false);
    if (!value)
      return value.takeError();
    Value buffer = alloc(f32Buffer(e));
    StoreOp::create(b, loc, *value, buffer, index(0));
    held[operand] = {buffer, index(0)};
    ClusterBarrierOp::create(b, loc);
  }
  return llvm::Error::success();
}

llvm::Error BlockLowering::lowerStore(const semantics::Op &op, Value target) {
  if (!waited) {
    GridDependencyWaitOp::create(b, loc);
    waited = true;
  }
  ValueId id = op.operands[0];
  bool isSlice = isSliced(id) && sliceDim >= 0;
  Extent e = extent(id, isSlice);
  Type element = cast<RankedTensorType>(target.getType()).getElementType();
  int64_t maxVec = 16 / (element.getIntOrFloatBitWidth() / 8);
  auto value = emit(id, linearLayout(e, maxVec), isSlice);
  if (!value)
    return value.takeError();
  SmallVector<int64_t> omap(op.attrs.omap.begin(), op.attrs.omap.end());
  StoreGlobalOp::create(b, loc, *value, target, omap, isSlice ? sliceDim : -1);
  return llvm::Error::success();
}
