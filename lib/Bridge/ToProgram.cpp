//===- ToProgram.cpp - From the dialects to plain programs ----------------===//

#include "Mirage/Bridge/Bridge.h"

#include "Mirage/Dialect/Block/IR/Block.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mirage;

namespace sem = mirage::semantics;

namespace {
/// Numbers values in the order in which it meets them, so that equal IR gives
/// equal programs. The IR has passed its verifiers.
class ProgramWriter {
public:
  FailureOr<sem::Program> run(ArrayRef<Operation *> ops, ValueRange inputs,
                              ValueRange outputs) {
    for (Value input : inputs) {
      auto type = toSemanticsType(input.getType());
      if (!type || !isa<RankedTensorType>(input.getType()))
        return emitError(input.getLoc())
               << "expected inputs that are tensors of static shape and a "
                  "supported element type, but got "
               << input.getType();
      // A tensor that is passed twice is one value under two numbers.
      sem::ValueId id = program.addInput(*type);
      ids.try_emplace(input, id);
    }
    for (Operation *op : ops)
      if (failed(convertKernelOp(op, program.ops.emplace_back())))
        return failure();
    for (Value output : outputs) {
      auto id = ids.find(output);
      if (id == ids.end())
        return emitError(output.getLoc())
               << "expected an output that is an input or the result of an op "
                  "of the program, but got another value of type "
               << output.getType();
      program.outputs.push_back(id->second);
    }
    return std::move(program);
  }

private:
  LogicalResult convertKernelOp(Operation *op, sem::Op &result) {
    if (auto graph = dyn_cast<kernel::GraphOp>(op))
      return convertGraph(graph, result);
    auto compute = dyn_cast<MirageComputeOpInterface>(op);
    if (!compute || compute.getSemanticsLevel() != sem::Level::Kernel)
      return op->emitError("expected an op of mgraph_kernel that a program can "
                           "hold, but got '")
             << op->getName() << "'";
    return convertCompute(compute, result);
  }

  LogicalResult convertCompute(MirageComputeOpInterface op, sem::Op &result) {
    result.kind = op.getSemanticsKind();
    result.attrs = op.getSemanticsAttrs();
    if (failed(convertOperands(op, op->getOperands(), result)))
      return failure();
    result.results.push_back(define(op->getResult(0)));
    return success();
  }

  LogicalResult convertOperands(Operation *op, ValueRange operands,
                                sem::Op &result) {
    for (Value operand : operands) {
      auto id = ids.find(operand);
      if (id == ids.end())
        return op->emitError("expected operands that are inputs or results of "
                             "ops of the program, but got another value of "
                             "type ")
               << operand.getType();
      result.operands.push_back(id->second);
    }
    return success();
  }

  LogicalResult convertGraph(kernel::GraphOp graph, sem::Op &result) {
    result.kind = sem::OpKind::Graph;
    result.attrs.grid = graph.getGridDims();
    result.attrs.cluster = graph.getClusterDims();
    if (auto threads = graph.getThreads())
      result.attrs.threads = *threads;
    if (auto stages = graph.getStages())
      result.attrs.stages = *stages;
    if (failed(convertOperands(graph, graph.getInputs(), result)))
      return failure();
    for (auto [argument, id] :
         llvm::zip(graph.getBodyRegion().getArguments(), result.operands))
      ids[argument] = id;
    for (Operation &op : graph.getBody()->without_terminator())
      if (failed(convertBlockOp(&op, result.body.emplace_back())))
        return failure();
    for (Value value : graph.getResults())
      result.results.push_back(define(value));
    return success();
  }

  LogicalResult convertBlockOp(Operation *op, sem::Op &result) {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](block::LoadOp load) {
          result.kind = sem::OpKind::Load;
          result.attrs.imap = block::toGridMap(load.getImap());
          result.attrs.fmap = static_cast<int64_t>(load.getFmap());
          result.attrs.interleaved = load.getInterleaved();
          // The iteration is implied by the loop that the load stands in.
          return finish(load, load.getSource(), result);
        })
        .Case([&](block::StoreOp store) {
          result.kind = sem::OpKind::Store;
          result.attrs.omap = block::toGridMap(store.getOmap());
          return convertOperands(store, store.getTile(), result);
        })
        .Case([&](block::ReduceBlocksOp reduce) {
          result.kind = sem::OpKind::ReduceBlocks;
          result.attrs.reduce = toSemantics(reduce.getKind());
          result.attrs.gridDim = reduce.getGridDim();
          return finish(reduce, reduce.getTile(), result);
        })
        .Case([&](block::RunningOp running) {
          result.kind = sem::OpKind::Running;
          result.attrs.accumulator = running.getAccumulator();
          result.attrs.current = running.getKind() == RunningKind::Current;
          return finish(running, {}, result);
        })
        .Case([&](block::ForOp loop) { return convertLoop(loop, result); })
        .Case([&](MirageComputeOpInterface compute) {
          return convertCompute(compute, result);
        })
        .Default([](Operation *) -> LogicalResult {
          // C4 of graph, and yields are terminators.
          llvm_unreachable("an op of another dialect in a graph");
        });
  }

  /// Operands and the one result of a structure op.
  LogicalResult finish(Operation *op, ValueRange operands, sem::Op &result) {
    if (failed(convertOperands(op, operands, result)))
      return failure();
    result.results.push_back(define(op->getResult(0)));
    return success();
  }

  LogicalResult convertLoop(block::ForOp loop, sem::Op &result) {
    result.kind = sem::OpKind::Loop;
    result.attrs.range = loop.getRange();
    for (Operation &op : loop.getBody()->without_terminator())
      if (failed(convertBlockOp(&op, result.body.emplace_back())))
        return failure();
    auto yield = cast<block::YieldOp>(loop.getBody()->getTerminator());
    sem::Op used; // Collects the ids of values and factors.
    if (failed(convertOperands(yield, yield.getOperands(), used)))
      return failure();
    unsigned nextFactor = yield.getValues().size();
    for (unsigned i = 0; i < loop.getNumResults(); ++i) {
      auto attribute =
          cast<block::AccumulatorAttr>((*yield.getAccumulators())[i]);
      sem::Accumulator accumulator;
      accumulator.kind = toSemantics(attribute.getKind());
      accumulator.value = used.operands[i];
      accumulator.reduceDim = attribute.getDim();
      if (accumulator.kind == sem::AccumulatorKind::Rescale)
        accumulator.factor = used.operands[nextFactor++];
      result.attrs.accumulators.push_back(accumulator);
      result.results.push_back(define(loop.getResult(i)));
    }
    return success();
  }

  sem::ValueId define(Value value) {
    // Verified ops have types that the table knows.
    sem::ValueId id = program.addValue(*toSemanticsType(value.getType()));
    ids[value] = id;
    return id;
  }

  sem::Program program;
  llvm::DenseMap<Value, sem::ValueId> ids;
};

/// Runs the table's own check: a second opinion on the ops' verifiers.
FailureOr<sem::Program> checked(FailureOr<sem::Program> program, Location loc) {
  if (failed(program))
    return failure();
  if (llvm::Error error = sem::verifyProgram(*program))
    return emitError(loc) << llvm::toString(std::move(error));
  return program;
}
} // namespace

FailureOr<sem::Program> mirage::toProgram(ArrayRef<Operation *> ops,
                                          ValueRange inputs,
                                          ValueRange outputs) {
  if (ops.empty())
    return ProgramWriter().run(ops, inputs, outputs);
  return checked(ProgramWriter().run(ops, inputs, outputs),
                 ops.front()->getLoc());
}

FailureOr<sem::Program> mirage::toProgram(func::FuncOp func) {
  if (!llvm::hasSingleElement(func.getBody()))
    return func.emitError("expected a body of 1 block, but got ")
           << func.getBody().getBlocks().size();
  Block &body = func.getBody().front();
  SmallVector<Operation *> ops;
  for (Operation &op : body.without_terminator())
    ops.push_back(&op);
  auto program =
      checked(ProgramWriter().run(ops, body.getArguments(),
                                  body.getTerminator()->getOperands()),
              func.getLoc());
  if (succeeded(program))
    program->name = func.getSymName().str();
  return program;
}

FailureOr<sem::Program> mirage::toProgram(kernel::GraphOp graph) {
  return toProgram(graph.getOperation(), graph.getInputs(), graph.getResults());
}

func::FuncOp mirage::selectFunction(ModuleOp module, StringRef name,
                                    StringRef otherwise) {
  SmallVector<func::FuncOp> candidates;
  SmallVector<StringRef> names;
  for (auto func : module.getOps<func::FuncOp>()) {
    if (func.isExternal())
      continue;
    if (func.getName() == name)
      return func;
    if (name.empty() && !func.isPublic())
      continue;
    candidates.push_back(func);
    names.push_back(func.getName());
  }
  if (name.empty() && candidates.size() == 1)
    return candidates.front();
  InFlightDiagnostic error = mlir::emitError(module.getLoc());
  if (name.empty())
    error << "expected one public function, or " << otherwise;
  else
    error << "expected a function named " << name;
  error << ", but got " << (names.empty() ? "none" : llvm::join(names, ", "));
  return nullptr;
}
