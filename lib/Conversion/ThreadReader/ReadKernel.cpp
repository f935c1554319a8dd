//===- ReadKernel.cpp - One thread-level kernel as plain data -------------===//

#include "ReadKernel.h"
#include "Mirage/Dialect/Common/IR/Common.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mirage;
using namespace mirage::thread;
using verify::ThreadOp;
using Kind = verify::ThreadOpKind;

namespace {
class KernelReader {
public:
  explicit KernelReader(KernelOp kernel) : source(kernel) {}

  FailureOr<verify::ThreadKernel> read() {
    kernel.name = source.getSymName().str();
    llvm::copy(source.getGrid(), kernel.grid.begin());
    llvm::copy(source.getCluster(), kernel.cluster.begin());
    kernel.threads = source.getThreads();
    kernel.sharedBytes = source.getSharedBytes();
    kernel.numInputs = source.getNumInputs();
    kernel.constantInputs.assign(source.getConstantInputs().begin(),
                                 source.getConstantInputs().end());
    Block &body = source.getBody().front();
    for (BlockArgument argument : body.getArguments()) {
      auto type = toSemanticsType(argument.getType());
      if (!type)
        return source.emitOpError("expected tensors of static shape and known "
                                  "element type, but got ")
               << argument.getType();
      tensors[argument] = kernel.arguments.size();
      kernel.arguments.push_back(*type);
    }
    size_t count = kernel.arguments.size();
    if (kernel.numInputs > count)
      return source.emitOpError("expected at most ")
             << count << " inputs, but got " << kernel.numInputs;
    for (int64_t i : kernel.constantInputs)
      if (i < 0 || i >= static_cast<int64_t>(kernel.numInputs))
        return source.emitOpError("expected constant inputs below ")
               << kernel.numInputs << ", but got " << i;
    if (failed(readOps(body, kernel.ops)))
      return failure();
    return std::move(kernel);
  }

private:
  LogicalResult readOps(Block &block, std::vector<ThreadOp> &ops) {
    for (Operation &op : block) {
      if (isa<ReturnOp, YieldOp>(op))
        continue;
      if (auto alloc = dyn_cast<AllocOp>(op)) {
        define(alloc);
        continue;
      }
      ThreadOp to;
      to.name = op.getName().stripDialect().str();
      if (failed(readOp(&op, to)))
        return failure();
      for (Value result : op.getResults())
        to.results.push_back(define(result));
      ops.push_back(std::move(to));
    }
    return success();
  }

  void define(AllocOp op) {
    BufferType type = op.getResult().getType();
    buffers[op.getResult()] = kernel.buffers.size();
    kernel.buffers.push_back(
        {static_cast<int64_t>(op.getOffset()), type.getStages(), type.getRows(),
         type.getCols(), type.getRowBytes(),
         *toSemanticsDType(type.getElementType()), type.getSwizzle()});
  }

  static verify::ThreadLayout layoutOf(Attribute attribute) {
    verify::ThreadLayout layout;
    layout.threads = layoutThreads(attribute);
    if (auto mma = dyn_cast<MmaLayoutAttr>(attribute)) {
      layout.isMma = true;
      layout.rows = mma.getRows();
      layout.cols = mma.getCols();
      layout.warpsM = mma.getWarpsM();
      layout.warpsN = mma.getWarpsN();
      return layout;
    }
    auto linear = cast<LinearLayoutAttr>(attribute);
    layout.rows = linear.getRows();
    layout.cols = linear.getCols();
    layout.vec = linear.getVec();
    return layout;
  }

  int define(Value value) {
    int id = static_cast<int>(kernel.values.size());
    values[value] = id;
    kernel.values.emplace_back();
    if (auto type = dyn_cast<FragmentType>(value.getType()))
      kernel.values.back() = {type.getRows(), type.getCols(),
                              *toSemanticsDType(type.getElementType()),
                              layoutOf(type.getLayout())};
    return id;
  }

  // Fields that several ops have.
  LogicalResult is(ThreadOp &to, Kind kind, ValueRange operands = {}) {
    to.kind = kind;
    for (Value operand : operands)
      to.operands.push_back(values.lookup(operand));
    return success();
  }
  void setTensor(ThreadOp &to, Value tensor, ArrayRef<int64_t> map) {
    to.tensors = {tensors.lookup(tensor)};
    for (auto [axis, dim] : llvm::zip(to.map, map))
      axis = static_cast<int>(dim);
  }
  template <class OpTy> void setTile(ThreadOp &to, OpTy op) {
    setTensor(to, op.getSource(), op.getImap());
    to.fmap = static_cast<int>(op.getFmap());
    to.interleaved = op.getInterleaved();
    to.range = op.getRange();
    to.iteration = values.lookup(op.getIteration());
  }
  void setBuffer(ThreadOp &to, Value buffer, Value stage = {}) {
    to.buffer = buffers.lookup(buffer);
    to.stage = stage ? values.lookup(stage) : -1;
  }
  template <class OpTy> void setRight(ThreadOp &to, OpTy op) {
    to.right = buffers.lookup(op.getRhs());
    to.rightStage = values.lookup(op.getRhsStage());
    to.transposeRhs = op.getTransposeRhs();
  }
  template <class OpTy> void setSpace(ThreadOp &to, OpTy op) {
    to.space.assign(op.getSpace().begin(), op.getSpace().end());
    to.strides.assign(op.getStrides().begin(), op.getStrides().end());
  }

  LogicalResult readOp(Operation *op, ThreadOp &to) {
    if (isa<MapOp, CombineOp, ReduceThreadsOp, MmaOp, MmaRegisterOp, RelayoutOp,
            SplatOp, IotaOp>(op))
      return readArithmetic(op, to);
    if (isa<LoadIndexedOp, IotaIndexedOp, ReduceIndexedOp, StoreIndexedOp>(op))
      return readIndexed(op, to);
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case<ForOp>([&](ForOp o) { return readFor(o, to); })
        .Case<IndexOp>([&](IndexOp o) {
          to.number = o.getValue();
          return is(to, Kind::Index);
        })
        .Case<AdvanceOp>([&](AdvanceOp o) {
          to.number = o.getStep();
          to.modulo = o.getModulo();
          return is(to, Kind::Advance, o.getValue());
        })
        .Case<CommitOp>([&](auto) { return is(to, Kind::Commit); })
        .Case<BarrierOp>([&](auto) { return is(to, Kind::Barrier); })
        .Case<ClusterBarrierOp>(
            [&](auto) { return is(to, Kind::ClusterBarrier); })
        .Case<GridDependencyWaitOp>(
            [&](auto) { return is(to, Kind::GridDependencyWait); })
        .Case<GridLaunchDependentsOp>(
            [&](auto) { return is(to, Kind::GridLaunchDependents); })
        .Case<WaitOp>([&](WaitOp o) {
          to.number = o.getPending();
          return is(to, Kind::Wait);
        })
        .Case<CopyAsyncOp>([&](CopyAsyncOp o) {
          setTile(to, o);
          setBuffer(to, o.getTarget(), o.getStage());
          return is(to, Kind::CopyAsync);
        })
        .Case<LoadGlobalOp>([&](LoadGlobalOp o) {
          setTile(to, o);
          to.sliceDim = static_cast<int>(o.getSliceDim());
          return is(to, Kind::LoadGlobal);
        })
        .Case<StoreGlobalOp>([&](StoreGlobalOp o) {
          setTensor(to, o.getTarget(), o.getOmap());
          to.sliceDim = static_cast<int>(o.getSliceDim());
          return is(to, Kind::StoreGlobal, o.getValue());
        })
        .Case<LoadOp>([&](LoadOp o) {
          setBuffer(to, o.getSource(), o.getStage());
          to.sliceDim = static_cast<int>(o.getSliceDim());
          return is(to, Kind::Load);
        })
        .Case<LoadClusterOp>([&](LoadClusterOp o) {
          setBuffer(to, o.getSource());
          to.sliceDim = static_cast<int>(o.getSliceDim());
          to.maximum = o.getMaximum();
          return is(to, Kind::LoadCluster);
        })
        .Case<StoreOp>([&](StoreOp o) {
          setBuffer(to, o.getTarget(), o.getStage());
          return is(to, Kind::Store, o.getValue());
        })
        .Default([](Operation *o) {
          return o->emitOpError("expected an op that the verifier reads");
        });
  }

  LogicalResult readFor(ForOp op, ThreadOp &to) {
    to.range = op.getRange();
    (void)is(to, Kind::For, op.getInits());
    Block &body = op.getBody().front();
    for (BlockArgument argument : body.getArguments())
      to.arguments.push_back(define(argument));
    if (failed(readOps(body, to.body)))
      return failure();
    for (Value value : cast<YieldOp>(body.getTerminator()).getValues())
      to.yielded.push_back(values.lookup(value));
    return success();
  }

  LogicalResult readArithmetic(Operation *op, ThreadOp &to) {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case<SplatOp>([&](SplatOp o) {
          to.literal = o.getValue().convertToDouble();
          to.meaning = semantics::ConstantValue::makeLiteral(to.literal);
          return is(to, Kind::Splat);
        })
        .Case<IotaOp>([&](IotaOp o) {
          to.dim = o.getDim();
          return is(to, Kind::Iota);
        })
        .Case<MmaOp>([&](MmaOp o) {
          setBuffer(to, o.getLhs(), o.getLhsStage());
          setRight(to, o);
          return is(to, Kind::Mma, o.getAcc());
        })
        .Case<MmaRegisterOp>([&](MmaRegisterOp o) {
          setRight(to, o);
          return is(to, Kind::MmaRegister, {o.getAcc(), o.getLhs()});
        })
        .Case<RelayoutOp>(
            [&](RelayoutOp o) { return is(to, Kind::Relayout, o.getSource()); })
        .Case<MapOp>([&](MapOp o) {
          to.mapKind = *semantics::parseOpKind(o.getKind()); // C1 of map
          to.name += " " + o.getKind().str();
          to.attrs.lo = o.getLo().convertToDouble();
          to.attrs.hi = o.getHi().convertToDouble();
          to.attrs.predicate =
              static_cast<semantics::Predicate>(o.getPredicate());
          return is(to, Kind::Map, o.getOperands());
        })
        .Case<CombineOp>([&](CombineOp o) {
          to.maximum = o.getMaximum();
          return is(to, Kind::Combine, {o.getValue(), o.getAcc()});
        })
        .Case<ReduceThreadsOp>([&](ReduceThreadsOp o) {
          setBuffer(to, o.getScratch());
          to.dim = o.getDim();
          to.maximum = o.getMaximum();
          return is(to, Kind::ReduceThreads, o.getValue());
        });
  }

  LogicalResult readIndexed(Operation *op, ThreadOp &to) {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case<LoadIndexedOp>([&](LoadIndexedOp o) {
          to.tensors = {tensors.lookup(o.getSource())};
          if (o.getIndices())
            to.indices = tensors.lookup(o.getIndices());
          setSpace(to, o);
          to.offset = static_cast<int64_t>(o.getOffset());
          return is(to, Kind::LoadIndexed);
        })
        .Case<IotaIndexedOp>([&](IotaIndexedOp o) {
          to.space.assign(o.getSpace().begin(), o.getSpace().end());
          to.dim = o.getDim();
          return is(to, Kind::IotaIndexed);
        })
        .Case<ReduceIndexedOp>([&](ReduceIndexedOp o) {
          for (Value tensor : o.getSources())
            to.tensors.push_back(tensors.lookup(tensor));
          setSpace(to, o);
          to.reduceSpace.assign(o.getReduceSpace().begin(),
                                o.getReduceSpace().end());
          to.reduceStrides.assign(o.getReduceStrides().begin(),
                                  o.getReduceStrides().end());
          to.maximum = o.getMaximum();
          to.cooperative = o.getCooperative();
          return is(to, Kind::ReduceIndexed);
        })
        .Case<StoreIndexedOp>([&](StoreIndexedOp o) {
          to.tensors = {tensors.lookup(o.getTarget())};
          setSpace(to, o);
          to.offset = static_cast<int64_t>(o.getOffset());
          return is(to, Kind::StoreIndexed, o.getValue());
        });
  }

  KernelOp source;
  verify::ThreadKernel kernel;
  llvm::DenseMap<Value, int> values, buffers, tensors;
};
} // namespace

FailureOr<verify::ThreadKernel> mirage::readKernel(KernelOp kernel) {
  return KernelReader(kernel).read();
}
