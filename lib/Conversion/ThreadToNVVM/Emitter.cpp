//===- Emitter.cpp - Kernels, control flow and addresses ------------------===//

#include "Emitter.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mirage::thread;

FailureOr<LLVM::LLVMFuncOp> Emitter::run() {
  Location loc = kernel.getLoc();
  MLIRContext *context = b.getContext();
  kernel.walk([&](MmaOp op) { usesWgmma |= fitsWgmma(productOf(op)); });
  kernel.walk([&](MmaRegisterOp op) { usesWgmma |= fitsWgmma(productOf(op)); });
  Block &source = kernel.getBody().front();
  Type pointer = LLVM::LLVMPointerType::get(context, 1);
  SmallVector<Type> arguments(source.getNumArguments(), pointer);
  auto func = LLVM::LLVMFuncOp::create(
      b, loc, kernel.getSymName(),
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), arguments));
  func->setAttr("gpu.kernel", b.getUnitAttr());
  func->setAttr("nvvm.kernel", b.getUnitAttr());
  func->setAttr(
      "nvvm.reqntid",
      b.getDenseI32ArrayAttr({static_cast<int32_t>(kernel.getThreads())}));
  if (clusterSize() > 1) {
    SmallVector<int32_t> cluster(kernel.getCluster().begin(),
                                 kernel.getCluster().end());
    func->setAttr("nvvm.cluster_dim", b.getDenseI32ArrayAttr(cluster));
  }
  for (unsigned i = 0; i < arguments.size(); ++i)
    func.setArgAttr(i, "llvm.align", b.getI32IntegerAttr(16));
  // LLVM reads a noalias argument by ld.global.nc, through a cache that
  // griddepcontrol.wait does not refresh: only for what no kernel writes.
  for (int64_t i : kernel.getConstantInputs())
    func.setArgAttr(i, "llvm.noalias", b.getUnitAttr());
  OpBuilder::InsertionGuard guard(b);
  Block *entry = func.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  for (auto [from, to] :
       llvm::zip(source.getArguments(), entry->getArguments()))
    scalars[from] = to;
  sharedBase = LLVM::AddressOfOp::create(
      b, loc, LLVM::LLVMPointerType::get(context, 3), kSharedMemorySymbol);
  if (failed(emitBlock(source)))
    return failure();
  return func;
}

LogicalResult Emitter::emitBlock(Block &block) {
  for (Operation &op : block)
    if (failed(emitOp(&op)))
      return failure();
  return success();
}

LogicalResult Emitter::emitOp(Operation *op) {
  Location loc = op->getLoc();
  ScalarBuilder s = at(loc);
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<ForOp>([&](auto o) { return emitFor(o); })
      .Case<MapOp>([&](auto o) { return emitMap(o); })
      .Case<ReturnOp>([&](auto) {
        LLVM::ReturnOp::create(b, loc, ValueRange{});
        return success();
      })
      .Case<YieldOp>([&](auto) { return success(); })
      .Case<IndexOp>([&](auto o) {
        scalars[o.getResult()] = s.c32(o.getValue());
        return success();
      })
      .Case<AdvanceOp>([&](auto o) {
        Value moved = s.add(scalars[o.getValue()], o.getStep());
        if (int64_t modulo = o.getModulo()) {
          Value inRange = s.ult(moved, modulo);
          moved = s.select(inRange, moved, s.add(moved, -modulo));
        }
        scalars[o.getResult()] = moved;
        return success();
      })
      .Case<AllocOp>([&](auto o) {
        offsets[o.getResult()] = o.getOffset();
        return success();
      })
      .Case<SplatOp>([&](auto o) {
        Type element = o.getResult().getType().getElementType();
        double number = o.getValue().convertToDouble();
        Value value =
            isa<IntegerType>(element)
                ? LLVM::ConstantOp::create(
                      b, loc, element,
                      b.getIntegerAttr(element, static_cast<int64_t>(number)))
                      .getResult()
                : s.cf32(number);
        registers[o.getResult()] =
            Registers(numRegisters(o.getResult().getType()), value);
        return success();
      })
      .Case<CommitOp>([&](auto) {
        NVVM::CpAsyncCommitGroupOp::create(b, loc);
        return success();
      })
      .Case<WaitOp>([&](auto o) {
        NVVM::CpAsyncWaitGroupOp::create(b, loc, o.getPending());
        return success();
      })
      .Case<BarrierOp>([&](auto) {
        // What this thread wrote becomes visible to wgmma (PTX ISA 9.7.15.3).
        if (usesWgmma)
          NVVM::FenceProxyOp::create(
              b, loc, NVVM::ProxyKind::async_shared,
              NVVM::SharedSpaceAttr::get(b.getContext(),
                                         NVVM::SharedSpace::shared_cta));
        NVVM::Barrier0Op::create(b, loc);
        return success();
      })
      .Case<ClusterBarrierOp>([&](auto) {
        NVVM::ClusterArriveOp::create(b, loc, b.getUnitAttr());
        NVVM::ClusterWaitOp::create(b, loc, b.getUnitAttr());
        return success();
      })
      .Case<GridDependencyWaitOp>([&](auto) {
        if (hasGridDependency)
          NVVM::GriddepcontrolOp::create(b, loc, NVVM::GridDepActionKind::wait);
        return success();
      })
      .Case<GridLaunchDependentsOp>([&](auto) {
        if (hasGridDependency)
          NVVM::GriddepcontrolOp::create(
              b, loc, NVVM::GridDepActionKind::launch_dependents);
        return success();
      })
      .Case<CopyAsyncOp>([&](auto o) { return emitCopyAsync(o), success(); })
      .Case<LoadOp>([&](auto o) { return emitLoad(o), success(); })
      .Case<LoadClusterOp>(
          [&](auto o) { return emitLoadCluster(o), success(); })
      .Case<StoreOp>([&](auto o) { return emitStore(o), success(); })
      .Case<LoadGlobalOp>([&](auto o) { return emitLoadGlobal(o), success(); })
      .Case<StoreGlobalOp>(
          [&](auto o) { return emitStoreGlobal(o), success(); })
      .Case<MmaOp>([&](auto o) { return emitMma(o), success(); })
      .Case<RelayoutOp>([&](auto o) {
        registers[o.getResult()] = registers[o.getSource()];
        return success();
      })
      .Case<MmaRegisterOp>(
          [&](auto o) { return emitMmaRegister(o), success(); })
      .Case<CombineOp>([&](auto o) { return emitCombine(o), success(); })
      .Case<ReduceThreadsOp>(
          [&](auto o) { return emitReduceThreads(o), success(); })
      .Case<IotaOp>([&](auto o) { return emitIota(o), success(); })
      .Case<LoadIndexedOp>(
          [&](auto o) { return emitLoadIndexed(o), success(); })
      .Case<IotaIndexedOp>(
          [&](auto o) { return emitIotaIndexed(o), success(); })
      .Case<ReduceIndexedOp>(
          [&](auto o) { return emitReduceIndexed(o), success(); })
      .Case<StoreIndexedOp>(
          [&](auto o) { return emitStoreIndexed(o), success(); })
      .Default([](Operation *o) {
        return emitError(o->getLoc(), "expected ops of mgraph_thread inside a "
                                      "kernel, but got '")
               << o->getName() << "'";
      });
}

// A do-while: the range is at least 1, so the body runs before the first test.
LogicalResult Emitter::emitFor(ForOp op) {
  Location loc = op.getLoc();
  Block *before = b.getInsertionBlock();
  Region *region = before->getParent();
  Block *body = new Block, *after = new Block;
  region->push_back(body);
  region->push_back(after);

  SmallVector<Value> inits{at(loc).c32(0)};
  auto flatten = [&](Value value, SmallVectorImpl<Value> &into) {
    if (isa<FragmentType>(value.getType()))
      llvm::append_range(into, registers[value]);
    else
      into.push_back(scalars[value]);
  };
  for (Value init : op.getInits())
    flatten(init, inits);
  LLVM::BrOp::create(b, loc, inits, body);
  for (Value init : inits)
    body->addArgument(init.getType(), loc);
  for (Value init : llvm::drop_begin(inits))
    after->addArgument(init.getType(), loc);

  // Hands consecutive block arguments of `to` to the values of `from`.
  auto bind = [&](ValueRange from, Block *to, unsigned next) {
    for (Value value : from) {
      if (auto type = dyn_cast<FragmentType>(value.getType())) {
        Registers &regs = registers[value];
        regs.clear();
        for (int64_t i = 0, n = numRegisters(type); i < n; ++i)
          regs.push_back(to->getArgument(next++));
      } else {
        scalars[value] = to->getArgument(next++);
      }
    }
  };
  Block &source = op.getBody().front();
  scalars[source.getArgument(0)] = body->getArgument(0);
  bind(source.getArguments().drop_front(), body, 1);

  b.setInsertionPointToStart(body);
  if (failed(emitBlock(source)))
    return failure();
  SmallVector<Value> carried;
  for (Value value : cast<YieldOp>(source.getTerminator()).getValues())
    flatten(value, carried);
  ScalarBuilder s = at(loc);
  Value next = s.add(body->getArgument(0), 1);
  Value again = s.ult(next, op.getRange());
  SmallVector<Value> backEdge{next};
  llvm::append_range(backEdge, carried);
  LLVM::CondBrOp::create(b, loc, again, body, backEdge, after, carried);
  b.setInsertionPointToStart(after);
  bind(op.getResults(), after, 0);
  return success();
}

void Emitter::emitIf(Value condition, llvm::function_ref<void()> body) {
  if (!condition)
    return body();
  Location loc = condition.getLoc();
  Block *before = b.getInsertionBlock();
  Block *then = new Block, *after = new Block;
  before->getParent()->push_back(then);
  before->getParent()->push_back(after);
  LLVM::CondBrOp::create(b, loc, condition, then, ValueRange{}, after,
                         ValueRange{});
  b.setInsertionPointToStart(then);
  body();
  LLVM::BrOp::create(b, loc, ValueRange{}, after);
  b.setInsertionPointToStart(after);
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

Value Emitter::threadId(Location loc) {
  return NVVM::ThreadIdXOp::create(b, loc, b.getI32Type());
}

Value Emitter::blockIndex(unsigned axis, Location loc) {
  Type type = b.getI32Type();
  if (axis == 0)
    return NVVM::BlockIdXOp::create(b, loc, type);
  if (axis == 1)
    return NVVM::BlockIdYOp::create(b, loc, type);
  return NVVM::BlockIdZOp::create(b, loc, type);
}

Value Emitter::clusterRank(Location loc) {
  return NVVM::ClusterId::create(b, loc, b.getI32Type());
}

int64_t Emitter::clusterSize() {
  int64_t size = 1;
  for (int64_t dim : kernel.getCluster())
    size *= dim;
  return size;
}

Value Emitter::sliceStart(int64_t size, Location loc) {
  return at(loc).mul(clusterRank(loc), size / clusterSize());
}

std::pair<Value, Value> Emitter::origin(Attribute layout, Location loc) {
  ScalarBuilder s = at(loc);
  Distribution d = Distribution::get(layout);
  Value tid = threadId(loc);
  if (d.isMma) {
    Value lane = s.urem(tid, 32), warp = s.udiv(tid, 32);
    Value row =
        s.add(s.mul(s.udiv(warp, d.warpsN), d.warpRows), s.udiv(lane, 4));
    Value col = s.add(s.mul(s.urem(warp, d.warpsN), d.warpCols),
                      s.mul(s.urem(lane, 4), 2));
    return {row, col};
  }
  Value row = s.udiv(tid, d.threadsPerRow);
  Value col = s.mul(s.urem(tid, d.threadsPerRow), d.vec);
  // Threads past the last whole row hold padding only: send them far below.
  int64_t active = d.threads / d.threadsPerRow * d.threadsPerRow;
  if (active != d.threads)
    row = s.select(s.ult(tid, active), row, s.c32(1 << 20));
  return {row, col};
}

Emitter::View Emitter::view(FragmentType type, Location loc) {
  View v{Distribution::get(type.getLayout()), 0, 0, false, false, {}, {}};
  v.rowBroadcast = type.getRows() == 1 && v.d.rows != 1;
  v.colBroadcast = type.getCols() == 1 && v.d.cols != 1;
  v.rows = v.rowBroadcast ? 1 : v.d.rowOffsets.size();
  v.cols = v.colBroadcast ? 1 : v.d.colOffsets.size();
  auto [row, col] = origin(type.getLayout(), loc);
  v.row0 = v.rowBroadcast ? at(loc).c32(0) : row;
  v.col0 = v.colBroadcast ? at(loc).c32(0) : col;
  return v;
}

Value Emitter::inTile(const View &v, int64_t r, int64_t c, Location loc) {
  ScalarBuilder s = at(loc);
  Value inside;
  if (v.d.rowPadding && !v.rowBroadcast)
    inside = s.ult(s.add(v.row0, v.rowOffset(r)), v.d.rows);
  if (v.d.colPadding && !v.colBroadcast)
    inside = s.andi(inside, s.ult(s.add(v.col0, v.colOffset(c)), v.d.cols));
  return inside;
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

Value Emitter::bufferBase(Value buffer, Value stage, Location loc) {
  ScalarBuilder s = at(loc);
  auto type = cast<BufferType>(buffer.getType());
  Value base = s.gep(sharedBase, s.c32(offsets[buffer]));
  if (!stage || type.getStages() == 1)
    return base;
  return s.gep(base, s.mul(stage, type.getStageBytes()));
}

Value Emitter::bufferOffset(BufferType type, Value row, Value col,
                            Location loc) {
  ScalarBuilder s = at(loc);
  int64_t width = type.getElementType().getIntOrFloatBitWidth() / 8;
  Value byte = s.mul(col, width);
  if (!type.getSwizzle())
    return s.add(s.mul(row, type.getRowBytes()), byte);
  // Rows of more than 128 bytes are cut into panels of 128, one after another.
  int64_t panelBytes = std::min<int64_t>(type.getRowBytes(), 128);
  Value start = s.mul(row, panelBytes);
  if (type.getRowBytes() > panelBytes) {
    start = s.add(start,
                  s.mul(s.udiv(byte, panelBytes), type.getRows() * panelBytes));
    byte = s.urem(byte, panelBytes);
  }
  // Chunk c of row r lies at c ^ (r mod 8), or, where a row has fewer than
  // eight chunks, so many rows share one pattern that 128 bytes are covered.
  int64_t chunks = panelBytes / 16;
  Value pattern =
      chunks >= 8 ? s.urem(row, 8) : s.urem(s.udiv(row, 8 / chunks), chunks);
  Value chunk = s.bitXor(s.udiv(byte, 16), pattern);
  return s.add(s.add(start, s.mul(chunk, 16)), s.urem(byte, 16));
}

Value Emitter::tileStart(RankedTensorType tensor, ArrayRef<int64_t> imap,
                         int64_t fmap, bool interleaved, int64_t range,
                         Value iteration, ArrayRef<int64_t> tileShape,
                         Location loc) {
  ScalarBuilder s = at(loc);
  ArrayRef<int64_t> grid = kernel.getGrid();
  Value start = s.c64(0);
  int64_t stride = 1;
  for (int64_t dim = tensor.getRank() - 1; dim >= 0; --dim) {
    Value index; // row-major over the grid axes that split this dim
    int64_t blocks = 1;
    for (unsigned g = 0; g < 3; ++g) {
      if (imap[g] != dim || grid[g] == 1)
        continue;
      Value block = s.zext64(blockIndex(g, loc));
      index = index ? s.add(s.mul(index, grid[g]), block) : block;
      blocks *= grid[g];
    }
    if (fmap == dim && range > 1) {
      Value i = s.zext64(iteration);
      if (!index)
        index = i;
      else if (interleaved)
        index = s.add(s.mul(i, blocks), index);
      else
        index = s.add(s.mul(index, range), i);
    }
    if (index)
      start = s.add(start, s.mul(index, tileShape[dim] * stride));
    stride *= tensor.getDimSize(dim);
  }
  return start;
}
