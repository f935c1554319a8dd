//===- BlockToThread.cpp - Structure: loops, reduce_blocks, stores --------===//

#include "BlockLowering.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mirage;
using namespace mirage::thread;
using semantics::AccumulatorKind;
using semantics::OpClass;
using semantics::OpKind;

namespace {
llvm::Error error(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// Element types that a thread computes with, in f32.
bool isRegisterFloat(semantics::DType dtype) {
  return dtype == semantics::DType::F16 || dtype == semantics::DType::BF16 ||
         dtype == semantics::DType::F32;
}

/// Most elements of a tile: no block holds as many by far, and layouts of much
/// more would fill the memory before they are refused.
constexpr int64_t kMaxTileElements = int64_t(1) << 22;

/// A load in a loop's body that names no dim for the loop: the same tile in
/// every iteration.
bool isInvariantLoad(const semantics::Op &op) {
  return op.kind == OpKind::Load && op.attrs.fmap < 0;
}

/// Ring loads: 16-byte rows that cp.async can move.
bool fitsAsyncCopy(const semantics::TensorType &tile) {
  if (tile.shape.empty())
    return false;
  return tile.shape.back() * semantics::byteWidth(tile.dtype) % 16 == 0;
}

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

/// Padding lanes repeat a dim of size 1: adding over it would count them.
bool BlockLowering::reducesDim(const semantics::Accumulator &acc) const {
  return acc.reduceDim >= 0 &&
         program.type(acc.value).shape[acc.reduceDim] != 1;
}

/// Fetched one by one, each tile would wait for the one before it. Constant
/// inputs do not wait for the previous kernel.
void BlockLowering::fetchTiles() {
  llvm::DenseSet<ValueId> factors;
  for (const semantics::Op &op : graph.body)
    if (op.kind == OpKind::Matmul)
      factors.insert(op.operands.begin(), op.operands.end());
  SmallVector<const semantics::Op *> loads[2]; // of constant inputs, of others
  for (const semantics::Op &op : graph.body) {
    if (op.kind != OpKind::Load || !factors.contains(op.results[0]) ||
        !fitsAsyncCopy(program.type(op.results[0])))
      continue;
    int64_t position =
        llvm::find(graph.operands, op.operands[0]) - graph.operands.begin();
    bool constant = llvm::is_contained(options.constantInputs, position);
    loads[constant ? 0 : 1].push_back(&op);
  }
  if (loads[0].empty() && loads[1].empty())
    return;
  for (ArrayRef<const semantics::Op *> group : loads) {
    for (const semantics::Op *load : group) {
      const semantics::Attrs &a = load->attrs;
      ValueId tile = load->results[0];
      Value buffer = alloc(ringType(program.type(tile), 1, /*forMma=*/true));
      SmallVector<int64_t> imap(a.imap.begin(), a.imap.end());
      CopyAsyncOp::create(b, loc, tensors[load->operands[0]], index(0), buffer,
                          index(0), imap, static_cast<uint64_t>(a.fmap),
                          a.interleaved, /*range=*/1);
      held[tile] = {buffer, index(0)};
    }
    if (!waited)
      GridDependencyWaitOp::create(b, loc);
    waited = true;
  }
  CommitOp::create(b, loc);
  WaitOp::create(b, loc, 0);
  BarrierOp::create(b, loc);
}

/// Where one product feeds another, rows then stay in one warp: reductions
/// along them need no shared memory, and the next product reads them from
/// registers. Warp groups want the same.
bool BlockLowering::wantsRowWarps(const semantics::Op &loop) const {
  llvm::DenseSet<ValueId> products; // and what depends on them
  int64_t warps = threads / 32;
  bool chained = false, fits = true,
       groups = options.hasWgmma && warps % 4 == 0;
  for (const semantics::Op &op : loop.body) {
    bool depends = llvm::any_of(
        op.operands, [&](ValueId id) { return products.contains(id); });
    if (op.kind == OpKind::Matmul) {
      chained |= products.contains(op.operands[0]);
      Extent e = extent(op.results[0], false);
      int64_t depth = program.type(op.operands[0]).shape.back();
      fits &= llvm::divideCeil(e.rows, 16) % warps == 0 && e.cols % 8 == 0;
      // Tiles that swizzle into the descriptors' panels.
      groups &= e.rows == 16 * warps && e.cols <= 256 &&
                llvm::isPowerOf2_64(depth) && llvm::isPowerOf2_64(e.cols) &&
                depth >= 16 && e.cols >= 16;
    }
    if (depends || op.kind == OpKind::Matmul)
      products.insert(op.results.begin(), op.results.end());
  }
  return fits && (chained || (groups && !products.empty()));
}

/// Emitted on demand inside the body, a tile that does not change from one
/// iteration to the next would be fetched again in every iteration. Left
/// operands of products go to registers where they may; the rest to shared
/// memory.
llvm::Error BlockLowering::hoistOperands(const semantics::Op &loop) {
  llvm::DenseSet<ValueId> inside;
  for (const semantics::Op &op : loop.body)
    if (!isInvariantLoad(op))
      inside.insert(op.results.begin(), op.results.end());
  auto isOutside = [&](ValueId id) {
    const semantics::Op *op = definitions.lookup(id);
    return op && !inside.contains(id) && !held.count(id) &&
           op->kind != OpKind::Constant && !program.type(id).shape.empty();
  };
  for (const semantics::Op &op : loop.body) {
    if (op.kind != OpKind::Matmul)
      continue;
    Type element = elementType(program.type(op.operands[0]).dtype);
    for (unsigned i = 0; i < 2; ++i) {
      ValueId id = op.operands[i];
      if (!isOutside(id) || !isRegisterFloat(program.type(id).dtype))
        continue;
      Attribute layout = i == 0 ? leftRegisters(op) : Attribute();
      if (layout) {
        if (auto value = emit(id, layout, false); !value)
          return value.takeError();
      } else if (auto value = hold(id, element, true); !value) {
        return value.takeError();
      }
    }
  }
  for (const semantics::Op &op : loop.body)
    for (ValueId id : op.operands) {
      if (op.kind == OpKind::Matmul || op.kind == OpKind::Load ||
          !isOutside(id) || !isRegisterFloat(program.type(id).dtype))
        continue;
      if (auto value = hold(id, elementType(program.type(id).dtype), false);
          !value)
        return value.takeError();
    }
  return llvm::Error::success();
}

llvm::Error BlockLowering::lowerLoop(const semantics::Op &loop) {
  int64_t range = loop.attrs.range;
  int64_t floor = sharedTop;

  // Which tiles feed products, and so need swizzled rows padded to 16.
  llvm::DenseSet<ValueId> mmaOperands;
  for (const semantics::Op &op : loop.body)
    if (op.kind == OpKind::Matmul)
      for (ValueId id : op.operands)
        mmaOperands.insert(id);

  int64_t stages = graph.attrs.stages > 0 ? graph.attrs.stages : 4;
  stages = std::max<int64_t>(2, std::min<int64_t>(stages, range + 1));
  struct Ring {
    const semantics::Op *load;
    Value buffer;
    bool constant;
  };
  llvm::SmallVector<Ring> rings;
  for (const semantics::Op &op : loop.body) {
    if (op.kind != OpKind::Load || isInvariantLoad(op))
      continue;
    const semantics::TensorType &tile = program.type(op.results[0]);
    bool forMma = mmaOperands.count(op.results[0]);
    if (!fitsAsyncCopy(tile)) {
      if (forMma)
        return error("load: expected rows of a multiple of 16 bytes for a "
                     "product, but got a tile of " +
                     semantics::toString(tile));
      continue;
    }
    unsigned position =
        llvm::find(graph.operands, op.operands[0]) - graph.operands.begin();
    rings.push_back({&op, alloc(ringType(tile, stages, forMma)),
                     llvm::is_contained(options.constantInputs,
                                        static_cast<int64_t>(position))});
  }
  if (sharedMax > options.sharedLimit)
    return sharedError(); // before a prologue of as many copies
  auto copy = [&](const Ring &ring, Value i, Value stage) {
    const semantics::Attrs &a = ring.load->attrs;
    SmallVector<int64_t> imap(a.imap.begin(), a.imap.end());
    CopyAsyncOp::create(b, loc, tensors[ring.load->operands[0]], i, ring.buffer,
                        stage, imap, static_cast<uint64_t>(a.fmap),
                        a.interleaved, range);
  };

  // Prologue. Constant inputs (weights) do not wait for the previous kernel.
  for (int64_t s = 0; s + 1 < stages; ++s)
    for (const Ring &ring : rings)
      if (ring.constant && !waited)
        copy(ring, index(s), index(s));
  bool constantsAhead = !waited;
  if (!waited)
    GridDependencyWaitOp::create(b, loc);
  waited = true;
  for (int64_t s = 0; s + 1 < stages; ++s) {
    for (const Ring &ring : rings)
      if (!(ring.constant && constantsAhead))
        copy(ring, index(s), index(s));
    if (!rings.empty())
      CommitOp::create(b, loc);
  }

  // Buffers made for the body do not outlive it: totals lie over them.
  llvm::DenseMap<ValueId, Held> outerHeld = held;
  rowWarps = wantsRowWarps(loop);
  if (llvm::Error e = hoistOperands(loop))
    return e;
  currentLoop = &loop;

  // Accumulators that the body reads while it runs hold whole totals in every
  // thread; the others hold each thread's part until the loop ends.
  llvm::DenseSet<int> read;
  for (const semantics::Op &op : loop.body)
    if (op.kind == OpKind::Running)
      read.insert(op.attrs.accumulator);

  SmallVector<Value> inits{index(0), index(stages - 1)};
  SmallVector<Attribute> layouts;
  for (const semantics::Accumulator &acc : loop.attrs.accumulators) {
    Attribute layout = naturalLayout(acc.value, false);
    layouts.push_back(layout);
    Extent e = extent(acc.value, false);
    int64_t rank = program.type(acc.value).rank();
    if (acc.reduceDim >= 0)
      (acc.reduceDim == rank - 1 ? e.cols : e.rows) = 1;
    double start = acc.kind == AccumulatorKind::Max
                       ? -std::numeric_limits<double>::infinity()
                       : 0.0;
    inits.push_back(SplatOp::create(b, loc, fragment(e, b.getF32Type(), layout),
                                    b.getF64FloatAttr(start)));
  }
  SmallVector<Type> types(ValueRange(inits).getTypes());
  auto forOp = ForOp::create(b, loc, types, range, inits);
  Block *body = b.createBlock(&forOp.getBody());
  iteration = body->addArgument(b.getI32Type(), loc);
  for (Type type : types)
    body->addArgument(type, loc);
  Value readStage = body->getArgument(1), writeStage = body->getArgument(2);
  states.assign(body->args_begin() + 3, body->args_end());

  std::vector<CacheEntry> outerCache = cache;
  if (!rings.empty()) {
    WaitOp::create(b, loc, stages - 2);
    BarrierOp::create(b, loc);
    Value ahead =
        AdvanceOp::create(b, loc, b.getI32Type(), iteration, stages - 1, 0);
    for (const Ring &ring : rings)
      copy(ring, ahead, writeStage);
    CommitOp::create(b, loc);
  } else {
    BarrierOp::create(b, loc); // scratch of the previous iteration
  }
  for (const Ring &ring : rings)
    held[ring.load->results[0]] = {ring.buffer, readStage};

  SmallVector<Value> carried{
      AdvanceOp::create(b, loc, b.getI32Type(), readStage, 1, stages),
      AdvanceOp::create(b, loc, b.getI32Type(), writeStage, 1, stages)};
  for (auto [i, acc] : llvm::enumerate(loop.attrs.accumulators)) {
    auto next = updateAccumulator(loop, i, layouts[i], read.contains(i));
    if (!next)
      return next.takeError();
    carried.push_back(*next);
  }
  YieldOp::create(b, loc, carried);
  b.setInsertionPointAfter(forOp);
  cache = std::move(outerCache);
  iteration = Value();
  currentLoop = nullptr;
  rowWarps = false;
  updatedStates.clear();
  held = std::move(outerHeld);

  // Totals go to shared memory, over the ring once every copy has landed and
  // every warp has left the loop. A later loop's ring then follows them.
  if (!rings.empty())
    WaitOp::create(b, loc, 0);
  sharedTop = floor;
  SmallVector<std::pair<ValueId, Value>> totals;
  BarrierOp::create(b, loc);
  for (auto [i, acc] : llvm::enumerate(loop.attrs.accumulators)) {
    Value total = forOp.getResult(i + 2);
    if (reducesDim(acc) && !read.contains(i)) {
      int64_t rank = program.type(acc.value).rank();
      total = reduceThreads(total, acc.reduceDim == rank - 1 ? 1 : 0,
                            acc.kind == AccumulatorKind::Max);
    }
    totals.push_back({loop.results[i], total});
  }
  for (auto [id, total] : totals) {
    Value buffer = alloc(f32Buffer(extent(id, false)));
    StoreOp::create(b, loc, total, buffer, index(0));
    held[id] = {buffer, index(0)};
  }
  // Blocks of the cluster read each other's totals as soon as they may.
  if (clusterSize() > 1)
    ClusterBarrierOp::create(b, loc);
  else
    BarrierOp::create(b, loc);
  return llvm::Error::success();
}

llvm::Expected<Value>
BlockLowering::updateAccumulator(const semantics::Op &loop, unsigned i,
                                 Attribute layout, bool whole) {
  auto done = updatedStates.find(i);
  if (done != updatedStates.end())
    return done->second;
  const semantics::Accumulator &acc = loop.attrs.accumulators[i];
  Value state = states[i];
  bool maximum = acc.kind == AccumulatorKind::Max;
  if (acc.kind == AccumulatorKind::Rescale) {
    auto factor = emit(acc.factor, layout, false);
    if (!factor)
      return factor;
    state = map("mul", cast<FragmentType>(state.getType()), {state, *factor});
  }
  const semantics::Op *definition = definitions.lookup(acc.value);
  Value next;
  if (!maximum && acc.reduceDim < 0 && definition &&
      definition->kind == OpKind::Matmul) {
    auto product = emitMatmul(*definition, state);
    if (!product)
      return product;
    next = *product;
  } else {
    auto value = emit(acc.value, layout, false);
    if (!value)
      return value;
    if (reducesDim(acc) && whole) {
      // The state is a total, so the value's must be one too before they meet.
      int64_t rank = program.type(acc.value).rank();
      Value neutral = SplatOp::create(
          b, loc, cast<FragmentType>(state.getType()),
          b.getF64FloatAttr(maximum ? -std::numeric_limits<double>::infinity()
                                    : 0.0));
      Value part =
          CombineOp::create(b, loc, state.getType(), *value, neutral, maximum);
      *value = reduceThreads(part, acc.reduceDim == rank - 1 ? 1 : 0, maximum);
    }
    next = CombineOp::create(b, loc, state.getType(), *value, state, maximum);
  }
  updatedStates[i] = next;
  return next;
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
