//===- Loops.cpp - Copies ahead, loops and their accumulators -------------===//

#include "BlockLowering.h"
#include "Mirage/Cost/CostModel.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mirage;
using namespace mirage::thread;
using semantics::AccumulatorKind;
using semantics::OpKind;

namespace {
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
} // namespace

/// Padding lanes repeat a dim of size 1: adding over it would count them.
bool BlockLowering::reducesDim(const semantics::Accumulator &acc) const {
  return acc.reduceDim >= 0 &&
         program.type(acc.value).shape[acc.reduceDim] != 1;
}

/// A tile into a stage of its buffer, without waiting for it.
void BlockLowering::copyAsync(const semantics::Op &load, Value iteration,
                              Value buffer, Value stage, int64_t range) {
  const semantics::Attrs &a = load.attrs;
  SmallVector<int64_t> imap(a.imap.begin(), a.imap.end());
  CopyAsyncOp::create(b, loc, tensors[load.operands[0]], iteration, buffer,
                      stage, imap, static_cast<uint64_t>(a.fmap), a.interleaved,
                      range);
}

/// True if no earlier kernel writes what the load reads.
bool BlockLowering::readsConstant(const semantics::Op &load) const {
  int64_t position =
      llvm::find(graph.operands, load.operands[0]) - graph.operands.begin();
  return llvm::is_contained(options.constantInputs, position);
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
    loads[readsConstant(op) ? 0 : 1].push_back(&op);
  }
  if (loads[0].empty() && loads[1].empty())
    return;
  for (ArrayRef<const semantics::Op *> group : loads) {
    for (const semantics::Op *load : group) {
      ValueId tile = load->results[0];
      Value buffer = alloc(ringType(program.type(tile), 1, /*forMma=*/true));
      copyAsync(*load, index(0), buffer, index(0), /*range=*/1);
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
  if (options.hasWgmma && cost::fitsWarpGroups(program, loop, threads))
    return true;
  llvm::DenseSet<ValueId> products; // and what depends on them
  bool chained = false;
  for (const semantics::Op &op : loop.body) {
    bool depends = llvm::any_of(
        op.operands, [&](ValueId id) { return products.contains(id); });
    if (op.kind == OpKind::Matmul) {
      chained |= products.contains(op.operands[0]);
      Extent e = extent(op.results[0], false);
      if (llvm::divideCeil(e.rows, 16) % (threads / 32) != 0 || e.cols % 8 != 0)
        return false;
    }
    if (depends || op.kind == OpKind::Matmul)
      products.insert(op.results.begin(), op.results.end());
  }
  return chained;
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
    rings.push_back(
        {&op, alloc(ringType(tile, stages, forMma)), readsConstant(op)});
  }
  if (sharedMax > options.sharedLimit)
    return sharedError(); // before a prologue of as many copies
  auto copy = [&](const Ring &ring, Value i, Value stage) {
    copyAsync(*ring.load, i, ring.buffer, stage, range);
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
